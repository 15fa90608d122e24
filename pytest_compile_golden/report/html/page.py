"""The HTML file: the template filled with style, scripts and data."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from pytest_compile_golden.common.lines import split_lines
from pytest_compile_golden.goldens.change_groups import digest
from pytest_compile_golden.report import cases_in_full, proofs, torch_changes
from pytest_compile_golden.report.failure_text import first_shown
from pytest_compile_golden.report.html import pictures
from pytest_compile_golden.report.html.linked_lines import linked_lines
from pytest_compile_golden.report.kernel_rows import COSTS
from pytest_compile_golden.report.metric_columns import scale
from pytest_compile_golden.report.model import (
    CaseReport,
    Report,
    StageReport,
    TorchFunction,
)
from pytest_compile_golden.report.run_summary import headline, names, sides, unavailable
from pytest_compile_golden.report.styled_lines import printable, printable_lines
from pytest_compile_golden.report.text_diff import texts
from pytest_compile_golden.torch_source.installed_sources import source_root

_HERE = Path(__file__).parent
STYLE = _HERE / "style.css"
"""The style sheet, which other pages build on."""
# In this order: scripts use those before them.
_SCRIPTS = (
    "dom",
    "code",
    "words",
    "diff",
    "sources",
    "layout",
    "picture",
    "metrics",
    "stage",
    "linked",
    "kernels",
    "case",
    "reviewed",
    "scatter",
    "overview",
    "main",
)

# What JSON writes for a control character, but for line feeds and tabs.
_CONTROL = re.compile(r"\\[bfru]")
_PACK = 128
"""Cases that are compressed together: what is said of those that are only listed is mostly said of others, too."""


def render(report: Report) -> str:
    """The whole file. It fetches nothing, and all text from the report is escaped."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_HERE),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
    )
    environment.policies["json.dumps_kwargs"] = {
        "ensure_ascii": False,
        "separators": (",", ":"),
    }
    style, script = (
        _read("style.css"),
        "".join(_read(f"{name}.js") for name in _SCRIPTS),
    )
    script = f'"use strict";\n(() => {{\n{script}}})();\n'
    text = environment.get_template("page.html").render(
        title=printable(report.title),
        style=Markup(style),
        script=Markup(script),
        style_digest=_digest(style),
        script_digest=_digest(script),
        index=_shown(index(report)),
        rows=_packed(_json(_columns(_shown(rows(report))))),
        packs=list(_packs(report)),
    )
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _packs(report: Report) -> Iterator[str]:
    """The cases' pages, compressed a few at a time: neighbours have similar texts, and only what is viewed is
    unpacked."""
    for start in range(0, len(report.cases), _PACK):
        cases = report.cases[start : start + _PACK]
        yield _packed(f"[{','.join(_page(case, report) for case in cases)}]")


def _page(case: CaseReport, report: Report) -> str:
    """What a case's page needs besides its row, as JSON; a command is copied as it is."""
    shown = _printable_json(_case(case, report)).removesuffix("}")
    return f'{shown},"commands":{_json(_commands(case))}}}'


def _packed(text: str) -> str:
    """Compressed JSON, which the page unpacks when it needs it."""
    packed = zlib.compress(text.encode("utf-8", "backslashreplace"), 9)
    return base64.b64encode(packed).decode("ascii")


def _json(data: object) -> str:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


def _printable_json(data: object) -> str:
    """JSON of what `_shown` makes of the data. Mostly that is the same, and not looked for value by value."""
    text = _json(data)
    if text.isprintable() and not _CONTROL.search(text):
        return text
    return _json(_shown(data))


def _columns(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """The rows by column, which take half as much when they are compressed."""
    return {name: [row[name] for row in rows] for name in (rows[0] if rows else ())}


def rows(report: Report) -> list[dict[str, Any]]:
    """What the overview shows of each case."""
    return [_row(case) for case in report.cases]


def index(report: Report) -> dict[str, Any]:
    """What the overview needs besides its rows."""
    numbers = {case.nodeid: number for number, case in enumerate(report.cases)}
    named = (metric.name for case in report.cases for metric in case.metrics)
    return {
        "title": report.title,
        "headline": headline(report),
        "facts": [
            *sides(report),
            *unavailable(report),
            *report.notes,
            *cases_in_full.left_out(report.cases),
        ],
        "names": names(report),
        "goldens": report.old.torch is None,
        "pack": _PACK,
        "source": source_root(report.new.commit, report.new.torch),
        "scales": {
            name: scale(name) for name in dict.fromkeys([*COSTS.values(), *named])
        },
        "functions": [_function(report, function) for function in report.functions],
        "defaults": [
            torch_changes.default_text(default) for default in report.defaults
        ],
        "groups": [
            {
                **asdict(group),
                # What `compile-golden accept --change` calls it.
                "digests": [digest(key) for key in group.keys]
                if group.is_change
                else [],
                "members": [
                    numbers[nodeid] for nodeid in group.members if nodeid in numbers
                ],
            }
            for group in report.groups
        ],
    }


def _function(report: Report, function: TorchFunction) -> dict[str, Any]:
    commits = function.commits
    return {
        "title": torch_changes.title(function),
        "where": function.where,
        "link": torch_changes.link(report, function),
        "diff": function.diff or None,
        "unchanged": None if function.diff else torch_changes.UNCHANGED,
        "commits": None
        if commits is None
        else [proofs.commits_title(commits), *commits],
    }


def _row(case: CaseReport) -> dict[str, Any]:
    """What the overview shows of a case, and finds it by."""
    first = case.divergence
    return {
        "nodeid": case.nodeid,
        "target": case.target,
        "outcome": case.outcome,
        "first": first.text if first else next(iter(split_lines(case.error or "")), ""),
        "where": first.where if first else None,
        "verdict": case.verdict,
        "seconds": case.seconds,
        "least": _least_time(case),
        "words": " ".join(dict.fromkeys(_words(case))),
    }


def _least_time(case: CaseReport) -> list[float] | None:
    """On both sides, if it differs."""
    for metric in case.metrics:
        both = [
            value
            for value in (metric.old, metric.new)
            if isinstance(value, (int, float)) and value
        ]
        if metric.name == "least_time" and len({*both}) == 2:
            return both
    return None


def _words(case: CaseReport) -> Iterator[str]:
    """The searchable words of a case, besides those in its row."""
    for stage in case.stages:
        if stage.kind not in ("same", "cosmetic"):
            yield from (
                stage.file,
                stage.kind,
                stage.about,
                *stage.edits,
                stage.reason or "",
            )
    for metric in case.metrics:
        if metric.verdict != "same":
            yield from (metric.name, metric.verdict)
    for row in case.ledger:
        if row.changed:
            yield from (f"{row.phase} / {row.name}", row.where or "")
    yield case.error or ""


def _case(case: CaseReport, report: Report) -> dict[str, Any]:
    """What a case's page needs besides its row."""
    shown = first_shown(case)
    keys = {change.key for change in (*case.changes, *case.secondary)}
    return {
        "divergence": case.divergence and asdict(case.divergence),
        "stages": [_stage(stage) for stage in case.stages],
        "shown": next(
            (index for index, stage in enumerate(case.stages) if stage is shown), None
        ),
        "metrics": [
            {
                **asdict(metric),
                "history": [[point.torch, point.value] for point in metric.history],
            }
            for metric in case.metrics
        ],
        "ledger": [asdict(row) for row in case.ledger],
        "kernels": [asdict(row) for row in case.kernels],
        "functions": [
            index
            for index, function in enumerate(report.functions)
            if keys & {*function.keys}
        ],
        "linked": linked_lines(case) if case.is_change else None,
        "moved_from": case.moved_from,
        "error": case.error,
    }


def _commands(case: CaseReport) -> list[list[str]]:
    """Each command's label, the text to show, and the text to copy."""
    named = (("reproduce", case.reproduce), ("accept", case.accept))
    return [
        [label, printable(command), command]
        for label, command in named
        if command is not None
    ]


def _shown(value: Any) -> Any:
    """Part of the page with control characters escaped in every text, so that none can change how the page reads."""
    if isinstance(value, str):
        return printable_lines(value)
    if isinstance(value, dict):
        return {key: _shown(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_shown(item) for item in value]
    return value


def _stage(stage: StageReport) -> dict[str, Any]:
    shown: dict[str, Any] = {
        key: getattr(stage, key)
        for key in ("stage", "file", "kind", "about", "since", "reason", "edits")
    }
    shown["views"] = [asdict(view) for view in texts(stage)]
    picture = pictures.of(stage)
    if picture is not None:
        shown["picture"] = picture
    return {key: value for key, value in shown.items() if value}


def _read(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode(
        "ascii"
    )
