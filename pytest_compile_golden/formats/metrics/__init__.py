"""The metrics of one capture, in TOML."""

from __future__ import annotations

from collections.abc import Hashable

from pytest_compile_golden.formats.format import Format
from pytest_compile_golden.formats.metrics import printed, write
from pytest_compile_golden.formats.metrics.table import NOT_COMPARED
from pytest_compile_golden.lines import split_lines


class MetricsFormat(Format):
    """A document is a tuple of `metrics.printed.MetricLine`."""

    render = staticmethod(write.render)
    write = staticmethod(printed.write)
    read = staticmethod(printed.read)
    # What the golden lacks, because it is older; what this torch cannot show; the reasons of unchanged lines.
    without_newer_parts = staticmethod(printed.without_newer_parts)
    carry_over = staticmethod(printed.carry_over)
    with_notes = staticmethod(printed.with_notes)
    numbers = staticmethod(printed.numbers)

    def canonical(self, text: str) -> Hashable:
        """The numbers, regardless of order and comments, without those that only explain or rank others."""
        lines = (line.partition("#")[0].split("=", 1) for line in split_lines(text))
        numbers = ((parts[0].strip(), parts[1].strip()) for parts in lines if len(parts) == 2)
        return frozenset(number for number in numbers if number[0] not in NOT_COMPARED)


METRICS_FORMAT = MetricsFormat()
