"""The metrics of one capture, in TOML.

kernel_metrics: what the text of a kernel, or a library call of a graph, says about its speed beyond bytes and FLOPs
metric_counts: how each metric of the table is counted in a record
metric_table: the metrics of a capture, each with the direction in which it is better
printed: printed metrics: TOML, one per line, with the reason for accepting a number; and which numbers changed
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pytest_compile_golden.common.lines import split_lines
from pytest_compile_golden.common.name_matching import joined, near
from pytest_compile_golden.errors import StageUnavailable
from pytest_compile_golden.facts.record import Record
from pytest_compile_golden.formats.artifact import Artifact, of_those
from pytest_compile_golden.formats.format import Format
from pytest_compile_golden.formats.metrics import printed
from pytest_compile_golden.formats.metrics.metric_counts import COUNTED
from pytest_compile_golden.formats.metrics.metric_table import (
    LIMITS,
    METRICS,
    NOT_COMPARED,
    metrics_unavailable_without,
    reasons,
)
from pytest_compile_golden.formats.metrics.printed import LINES, MetricLine


class _Counters(dict[str, int]):
    def __missing__(self, key: str) -> int:
        return 0


@dataclass(frozen=True, repr=False)
class MetricsArtifact(Artifact):
    """The numbers of a capture, as attributes: `metrics.kernels`, `metrics.bytes_accessed` ... (see METRICS).

    torch's own numbers that are not metrics are attributes under torch's names: `metrics.generated_kernel_count`.
    """

    values: Mapping[str, int | str]
    """By name, sorted: those in the golden, and those that do not pass their limit (see `Metric.limit`)."""
    counters: Mapping[str, int]
    """torch's own Inductor counters, `torch._dynamo.utils.counters["inductor"]`; 0 for one that never counted."""
    torch: Mapping[str, int]
    """Every number of `torch._inductor.metrics`, under its own name."""
    counted: Mapping[str, tuple[str, ...]]
    """What some of the metrics count: the names of the kernels, the lines of the graph breaks ..."""
    unknown: Mapping[str, str] = field(default_factory=dict)
    """The metrics that the installed torch does not show, each with the reason: they are compared with nothing."""

    def __getattr__(self, name: str) -> Any:
        """A metric, in the unit that METRICS gives, or a number of torch's own. A failing assert lists what it counts.

        Raises StageUnavailable for a metric that the installed torch does not show, and AttributeError, which lists the
        metrics that there are, for any other name.
        """
        # Copy and pickle look for hooks before there are any fields.
        if name.startswith("__"):
            raise AttributeError(name)
        for numbers in (self.values, self.torch):
            if name in numbers:
                value, counted = numbers[name], self.counted.get(name)
                return (
                    of_those(value, counted)
                    if counted and isinstance(value, int)
                    else value
                )
        if name in self.unknown:
            raise StageUnavailable(
                f"{name} is unknown on the installed torch: {self.unknown[name]}."
            )
        raise AttributeError(
            f"this capture has no metric {name!r}{near(name, self.values)} It has: {joined(self.values)}."
        )


def render(
    record: Record, stage: str, without: Collection[str] = ()
) -> MetricsArtifact:
    """All numbers of the capture, except those of stages that this torch version cannot show, which would be wrong.

    without: stages that this compile cannot have, whose numbers would say nothing.
    """
    # What was not watched is as unknown as what this torch version cannot show.
    unavailable = metrics_unavailable_without({*record.unavailable, *record.unwatched})
    left_out = unavailable | metrics_unavailable_without(without)
    counted = {
        metric.name: metric.count(record)
        for metric in METRICS
        if metric.name not in left_out
    }
    values = {
        name: value for name, value in sorted(counted.items()) if value is not None
    }
    return MetricsArtifact(
        stage=stage,
        text=LINES.write(
            MetricLine(name, value)
            for name, value in values.items()
            # Of a number that has a limit, nothing is written up to it.
            if isinstance(value, str) or name not in LIMITS or value > LIMITS[name]
        ),
        values=values,
        counters=_Counters(record.counters.get("inductor", {})),
        torch=dict(record.numbers),
        counted={
            name: tuple(of(record)) for name, of in COUNTED.items() if name in values
        },
        unavailable=unavailable,
        unknown=reasons(record.unavailable),
    )


class MetricsFormat(Format):
    """A document is a tuple of `metrics.printed.MetricLine`."""

    render = staticmethod(render)
    write = staticmethod(LINES.write)
    read = staticmethod(LINES.read)
    # What the golden lacks, because it is older; what this torch cannot show; the reasons of unchanged lines.
    without_newer_parts = staticmethod(printed.without_newer_parts)
    carry_over = staticmethod(printed.carry_over)
    with_notes = staticmethod(printed.with_notes)
    numbers = staticmethod(printed.numbers)

    def canonical(self, text: str) -> Hashable:
        """The numbers, regardless of order and comments, without those that only explain or rank others."""
        lines = (line.partition("#")[0].split("=", 1) for line in split_lines(text))
        numbers = (
            (parts[0].strip(), parts[1].strip()) for parts in lines if len(parts) == 2
        )
        return frozenset(number for number in numbers if number[0] not in NOT_COMPARED)


METRICS_FORMAT = MetricsFormat()
