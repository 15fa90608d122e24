"""The metrics of one capture, in TOML."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable

from pytest_compile_golden.facts.record import Record
from pytest_compile_golden.formats.artifact import Artifact
from pytest_compile_golden.formats.format import Format, Number
from pytest_compile_golden.formats.metrics import printed, write
from pytest_compile_golden.formats.metrics.printed import MetricLine
from pytest_compile_golden.formats.metrics.table import NOT_COMPARED
from pytest_compile_golden.lines import split_lines


class MetricsFormat(Format):
    """A document is a tuple of `metrics.printed.MetricLine`."""

    def render(self, record: Record, stage: str) -> Artifact | None:
        return write.render(record, stage)

    def write(self, document: Iterable[MetricLine]) -> str:
        return printed.write(document)

    def read(self, text: str) -> tuple[MetricLine, ...]:
        return printed.read(text)

    def canonical(self, text: str) -> Hashable:
        """The numbers, regardless of order and comments, without those that only explain or rank others."""
        lines = (line.partition("#")[0].split("=", 1) for line in split_lines(text))
        numbers = ((parts[0].strip(), parts[1].strip()) for parts in lines if len(parts) == 2)
        return frozenset(number for number in numbers if number[0] not in NOT_COMPARED)

    def without_newer_parts(self, golden: str, text: str) -> str:
        """`text` without the metrics that the golden does not have because it is older than they are."""
        return printed.without_newer_parts(golden, text)

    def carry_over(self, golden: str, text: str, unavailable: Collection[str]) -> str:
        return printed.carry_over(golden, text, unavailable)

    def numbers(self, text: str) -> dict[str, Number] | None:
        return printed.numbers(text)

    def with_notes(self, golden: str, text: str, reason: str | None = None) -> str:
        return printed.with_notes(golden, text, reason)


METRICS_FORMAT = MetricsFormat()
