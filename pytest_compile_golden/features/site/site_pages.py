"""The files of a site, generated from its history alone: pages, with charts of metrics over time, feed and badge."""

from __future__ import annotations

import hashlib
import re
import uuid
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import jinja2
from markupsafe import Markup

from pytest_compile_golden.common import files, json_files
from pytest_compile_golden.common.quantity import quantity
from pytest_compile_golden.errors import ReportError
from pytest_compile_golden.features.site.site_history import History, Series
from pytest_compile_golden.report.html import page
from pytest_compile_golden.report.metric_columns import shown
from pytest_compile_golden.report.model import Value
from pytest_compile_golden.report.styled_lines import printable
from pytest_compile_golden.report.version_matrix import SHOWN

if TYPE_CHECKING:
    import pygal


_HERE = Path(__file__).parent
_MOST = 8
"""How many distinct changes an entry shows before the rest are folded."""
_EPOCH = "1970-01-01T00:00:00Z"
"""Used for goldens: when they were made is not recorded, but a feed needs a time."""
_SVG = "http://www.w3.org/2000/svg"
_LABELS = 12
"""The most recording names that fit below a chart."""
_LEAST_SPAN = 0.2
"""The least part of the largest value that a chart spans, so that a change of a few in a thousand is no cliff."""
_DIGITS = re.compile(r"\d+\.\d+")
_CLASS = "over-time"
"""Not `chart`, which in a report is a small one: pages share its style sheet."""


def write(folder: Path, history: History, url: str | None = None) -> None:
    """Write every page except the reports: overview, a page for each case that a report tells in full, feed and badge.

    url: the site's future address, for the feed, whose readers need absolute URLs. Raises GoldenError if a file cannot
    be written, ReportError if pygal is not installed.
    """
    pages = dict(_case_pages(history))
    environment = _environment(history)
    for nodeid, name in pages.items():
        changed = [
            (entry, entry.changed[nodeid])
            for entry in history.entries
            if nodeid in entry.changed and entry.report
        ]
        text = environment.get_template("case.html").render(
            root="../",
            nodeid=nodeid,
            changed=changed,
            charts=_charts(history, history.metrics.get(nodeid, {})),
        )
        _write(folder / name, text)
    others = len(
        {nodeid for entry in history.entries for nodeid in entry.changed} - pages.keys()
    )
    index = environment.get_template("index.html").render(
        root="",
        pages=sorted(pages.items()),
        others=others,
        charts=_charts(history, _sums(history)),
        most=_MOST,
    )
    _write(folder / "index.html", index)
    # One sheet for all pages: with it in each, it would be most of a site.
    sheets = (
        sheet.read_text(encoding="utf-8") for sheet in (page.STYLE, _HERE / "style.css")
    )
    _write(folder / "style.css", "".join(sheets) + chart_style())
    updated = max((entry.started for entry in history.entries), default="") or _EPOCH
    feed = environment.get_template("feed.xml")
    _write(
        folder / "feed.xml",
        feed.render(url=(url or "").rstrip("/"), updated=updated, id=_urn, most=_MOST),
    )
    if history.entries:
        # The badge in the JSON form that badge services read from a URL.
        newest = history.entries[-1]
        good = not newest.changed
        message = (
            f"unchanged on {newest.label}"
            if good
            else f"{quantity(len(newest.changed), 'case')} changed"
        )
        badge = {
            "schemaVersion": 1,
            "label": "torch.compile",
            "message": printable(message),
            "color": "green" if good else "orange" if not newest.regressions else "red",
        }
        _write(folder / "badge.json", json_files.render(badge))
        _write(
            folder / "badge.svg",
            environment.get_template("badge.svg").render(badge=badge),
        )


def _environment(history: History) -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_HERE),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
    )
    environment.filters["shown"] = lambda text: printable(str(text))
    environment.filters["quantity"] = quantity
    environment.globals.update(history=history)
    return environment


def _case_pages(history: History) -> Iterator[tuple[str, str]]:
    """The cases that a report ever told in full, each with its page's file."""
    told = (
        nodeid
        for entry in history.entries
        for nodeid, case in entry.changed.items()
        if case.in_full
    )
    for nodeid in dict.fromkeys(told):
        # Node IDs contain characters that are not allowed in every file name or URL.
        yield nodeid, f"cases/{hashlib.sha256(nodeid.encode()).hexdigest()[:16]}.html"


def _charts(
    history: History, metrics: Mapping[str, Series]
) -> list[tuple[str, Markup]]:
    """A chart for each metric that changed at some point."""
    labels = [entry.label for entry in history.entries]
    # Drawn from numbers and labels by a library that writes XML, so text is escaped.
    return [
        (name, Markup(chart(name, labels, _values(series, len(labels)))))
        for name, series in metrics.items()
        if len({value for _, value in series if value is not None}) > 1
    ]


def _values(series: Series, number: int) -> list[Value]:
    values: list[Value] = []
    for at in range(number):
        here = [value for start, value in series if start == at]
        values.append(here[0] if here else values[-1] if values else None)
    return values


def _sums(history: History) -> dict[str, Series]:
    """The metrics in `SHOWN`, added up over the cases that every recording has."""
    number = len(history.entries)
    sums_of: dict[str, Series] = {}
    for name in SHOWN:
        rows = [
            _values(values[name], number)
            for values in history.metrics.values()
            if name in values
        ]
        measured = [
            [value for value in row if isinstance(value, (int, float))] for row in rows
        ]
        sums = [
            sum(column)
            for column in zip(
                *(row for row in measured if len(row) == number), strict=True
            )
        ]
        sums_of[name] = tuple(enumerate(sums))
    return sums_of


def _urn(*parts: str) -> str:
    return uuid.uuid5(uuid.NAMESPACE_OID, "\n".join(parts)).urn


def _write(path: Path, text: str) -> None:
    files.write(path, text.encode("utf-8", "backslashreplace").decode("utf-8"), "page")


def require_charts() -> None:
    """Raise ReportError, which says how to install it, if the library that draws charts is missing."""
    try:
        import pygal  # noqa: F401
    except ImportError:
        raise ReportError(
            "the charts of a site are drawn with pygal, which is not installed: "
            "python -m pip install 'pytest-compile-golden[site]'"
        ) from None


def chart_style() -> str:
    """The style sheet of all charts. Raises ReportError if pygal is not installed."""
    drawn = _line()
    drawn.add("", [0])
    sheets = (sheet.text or "" for sheet in drawn.render_tree().iter("style"))
    return "".join(sheets).replace(f"#chart-{_CLASS}", f".{_CLASS}")


def chart(name: str, labels: Sequence[str], values: Sequence[Value]) -> str:
    """A line chart over `labels`, with a gap where a value is None; `style` has its colours and sizes.

    Raises ReportError if pygal is not installed.
    """
    drawn = _line()
    every = max(1, -(-len(labels) // _LABELS))
    drawn.x_labels = [
        label if at % every == 0 else "" for at, label in enumerate(labels)
    ]
    drawn.value_formatter = lambda value: shown(
        name, int(value) if value == int(value) else round(value, 2)
    )
    numbers = [value if isinstance(value, (int, float)) else None for value in values]
    known = [value for value in numbers if value is not None]
    if known:
        least, most = min(known), max(known)
        around = max(0.0, _LEAST_SPAN * abs(most) - (most - least)) / 2
        drawn.range = (least - around, most + around)
    drawn.add(name, numbers)
    root = drawn.render_tree()
    for parent in list(root.iter()):
        for child in list(parent):
            # Comments contain the date, and the page allows no scripts; viewers show a <title> without one.
            # A <desc> is what a script would show of a point: its value, and where it is.
            if child.tag in (ElementTree.Comment, "script", "style") or (
                child.tag == "desc" and child.get("class") != "value"
            ):
                parent.remove(child)
            elif child.tag == "desc":
                child.tag = "title"
                child.attrib.clear()
        # Of a picture that is 720 wide; a page of many would be mostly digits.
        for attribute, value in parent.attrib.items():
            parent.set(attribute, _DIGITS.sub(_rounded, value))
    root.attrib.pop("id", None)
    root.set("class", f"{root.get('class', '')} {_CLASS}")
    title = root.find("title")
    if title is not None:
        title.text = name
    ElementTree.register_namespace("", _SVG)
    return ElementTree.tostring(root, encoding="unicode")


def _rounded(number: re.Match[str]) -> str:
    return f"{float(number[0]):.1f}".removesuffix(".0")


def _line() -> pygal.Line:
    require_charts()
    import pygal

    style = pygal.style.Style(
        background="transparent",
        plot_background="transparent",
        foreground="#888888",
        foreground_strong="#888888",
        foreground_subtle="#88888866",
        guide_stroke_color="#88888866",
        major_guide_stroke_color="#88888866",
        colors=("#3f74c4",),
    )
    drawn = pygal.Line(
        style=style,
        width=720,
        height=200,
        show_legend=False,
        min_scale=2,
        max_scale=4,
        dots_size=3,
        allow_interruptions=True,
        js=(),
        truncate_label=-1,
        margin_right=60,  # for the second half of the last label
    )
    drawn.uuid = _CLASS  # random by default; the same page must be the same file
    return drawn
