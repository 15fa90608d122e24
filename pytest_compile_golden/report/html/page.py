"""The HTML file: the template with style, scripts and data put in."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import asdict
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from pytest_compile_golden.report.first import first_shown
from pytest_compile_golden.report.html import pictures
from pytest_compile_golden.report.lines import printable
from pytest_compile_golden.report.model import CaseReport, Report, StageReport
from pytest_compile_golden.report.texts import Texts, texts
from pytest_compile_golden.report.words import headline, sides, unavailable

_HERE = Path(__file__).parent
# In this order: each uses those before it.
_SCRIPTS = ("dom", "code", "diff", "layout", "picture", "metrics", "stage", "case", "overview", "main")


def render(report: Report) -> str:
    """The whole file. Nothing in it is fetched, and no text of a report is markup in it."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_HERE), autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True
    )
    environment.policies["json.dumps_kwargs"] = {"ensure_ascii": False, "separators": (",", ":")}
    style, script = _read("style.css"), "".join(_read(f"{name}.js") for name in _SCRIPTS)
    script = f'"use strict";\n(() => {{\n{script}}})();\n'
    text = environment.get_template("page.html").render(
        title=printable(report.title),
        style=Markup(style),
        script=Markup(script),
        style_digest=_digest(style),
        script_digest=_digest(script),
        index=_index(report),
        cases=[_case(case) for case in report.cases],
    )
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _index(report: Report) -> dict[str, Any]:
    """What the overview needs."""
    numbers = {case.nodeid: number for number, case in enumerate(report.cases)}
    return {
        "title": report.title,
        "headline": headline(report),
        "facts": [*sides(report), *unavailable(report), *report.notes],
        "old": report.old.label,
        "new": report.new.label,
        "cases": [_row(case) for case in report.cases],
        "groups": [
            {
                "outcome": group.outcome,
                "text": group.text,
                "stage": group.stage,
                "where": group.where,
                "also": group.also,
                "edits": group.edits,
                "members": [numbers[nodeid] for nodeid in group.members if nodeid in numbers],
            }
            for group in report.groups
        ],
    }


def _row(case: CaseReport) -> dict[str, Any]:
    verdicts = [each.verdict for each in case.metrics]
    first = case.divergence
    return {
        "nodeid": case.nodeid,
        "target": case.target,
        "outcome": case.outcome,
        "first": first.text if first else next(iter((case.error or "").splitlines()), ""),
        "where": first.where if first else None,
        "regressions": verdicts.count("REGRESSION"),
        "wins": verdicts.count("WIN"),
        "seconds": case.seconds,
    }


def _case(case: CaseReport) -> dict[str, Any]:
    """What a case's page needs besides its row."""
    shown = first_shown(case)
    return {
        "divergence": case.divergence and asdict(case.divergence),
        "stages": [_stage(each) for each in case.stages],
        "shown": next((at for at, each in enumerate(case.stages) if each is shown), None),
        "metrics": [
            {**asdict(each), "history": [[point.torch, point.value] for point in each.history]} for each in case.metrics
        ],
        "ledger": [asdict(row) for row in case.ledger],
        "reproduce": case.reproduce,
        "accept": case.accept,
        "moved_from": case.moved_from,
        "move": case.move,
        "error": case.error,
    }


def _stage(each: StageReport) -> dict[str, Any]:
    found: dict[str, Any] = {
        key: getattr(each, key) for key in ("stage", "file", "kind", "depth", "since", "reason", "edits")
    }
    found["views"] = [_view(view) for view in texts(each)]
    picture = pictures.of(each)
    if picture is not None:
        found["picture"] = picture
    return {key: value for key, value in found.items() if value}


def _view(view: Texts) -> dict[str, Any]:
    return {"name": view.name, "old": view.old, "new": view.new, "blocks": view.blocks}


def _read(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")
