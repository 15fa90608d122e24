"""A metric over the recordings, as an inline SVG chart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from pytest_compile_golden.errors import ReportError
from pytest_compile_golden.report.metrics import shown
from pytest_compile_golden.report.model import Value

if TYPE_CHECKING:
    import pygal

_SVG = "http://www.w3.org/2000/svg"
_LABELS = 12
"""The most recording names that fit below a chart."""
_LEAST_SPAN = 0.2
"""The least part of the largest value that a chart spans, so that a change of a few in a thousand is no cliff."""
_CLASS = "over-time"
"""Not `chart`, which in a report is a small one: pages share its style sheet."""


def require() -> None:
    """Raise ReportError, which says how to install it, if the library that draws charts is missing."""
    try:
        import pygal  # noqa: F401
    except ImportError:
        raise ReportError(
            "the charts of a site are drawn with pygal, which is not installed: "
            "python -m pip install 'pytest-compile-golden[site]'"
        ) from None


def style() -> str:
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
    drawn.x_labels = [label if at % every == 0 else "" for at, label in enumerate(labels)]
    drawn.value_formatter = lambda value: shown(name, int(value) if value == int(value) else round(value, 2))
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
            if child.tag in (ElementTree.Comment, "script", "style"):
                parent.remove(child)
    root.attrib.pop("id", None)
    root.set("class", f"{root.get('class', '')} {_CLASS}")
    title = root.find("title")
    if title is not None:
        title.text = name
    ElementTree.register_namespace("", _SVG)
    return ElementTree.tostring(root, encoding="unicode")


def _line() -> pygal.Line:
    require()
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
