"""A metric over the recordings, as an inline SVG chart."""

from __future__ import annotations

import re
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


def chart(name: str, labels: Sequence[str], values: Sequence[Value]) -> str:
    """A line chart over `labels`, with a gap where a value is None. Raises ReportError if pygal is not installed."""
    drawn = _line()
    every = max(1, -(-len(labels) // _LABELS))
    drawn.x_labels = [label if at % every == 0 else "" for at, label in enumerate(labels)]
    drawn.value_formatter = lambda value: shown(name, round(value, 2))
    drawn.add(name, [value if isinstance(value, (int, float)) else None for value in values])
    drawn.uuid = re.sub(r"\W", "-", name)  # random by default; the same page must be the same file
    root = drawn.render_tree()
    for parent in list(root.iter()):
        for child in list(parent):
            # Comments contain the date, and the page allows no scripts; viewers show a <title> without one.
            if child.tag in (ElementTree.Comment, "script"):
                parent.remove(child)
    title = root.find("title")
    if title is not None:
        title.text = name
    ElementTree.register_namespace("", _SVG)
    return ElementTree.tostring(root, encoding="unicode")


def _line() -> pygal.Line:
    try:
        import pygal
    except ImportError:
        raise ReportError(
            "the charts of a site are drawn with pygal, which is not installed: "
            "python -m pip install 'pytest-compile-golden[site]'"
        ) from None
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
    return pygal.Line(
        style=style,
        width=720,
        height=200,
        show_legend=False,
        min_scale=2,
        max_scale=4,
        dots_size=3,
        allow_interruptions=True,
        js=(),
    )
