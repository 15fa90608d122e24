"""What a kernel costs before and after, as text."""

from __future__ import annotations

from pytest_compile_golden.report.metrics import difference, shown
from pytest_compile_golden.report.model import ReportedKernel

COSTS = {"bytes": "bytes_accessed", "flops": "flops", "least_ns": "least_time"}
"""The metric whose unit is used for each cost of a kernel."""


def kernel_costs(old: ReportedKernel | None, new: ReportedKernel | None) -> tuple[list[str], list[str]]:
    """The number of launches, and a line for each known cost: `64.0 KiB -> 32.2 KiB (-31.8 KiB)`."""
    launches = [_change("launches", old, new, "launches")]
    costs = [_change(field, old, new, metric) for field, metric in COSTS.items()]
    return [text for text in launches if text], [text for text in costs if text]


def _change(field: str, old: ReportedKernel | None, new: ReportedKernel | None, metric: str) -> str:
    before, after = (None if kernel is None else getattr(kernel, field) for kernel in (old, new))
    if before is None and after is None:
        return ""
    if old is None or new is None or before == after:
        return shown(metric, before if after is None else after)
    by = "" if before is None or after is None else f" ({difference(metric, after - before)})"
    return f"{shown(metric, before)} -> {shown(metric, after)}{by}"
