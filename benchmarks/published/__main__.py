"""Measure every expectation and print a table: `python -m benchmarks.published [--only REGEX] [--target NAME]`."""

from __future__ import annotations

import argparse
import contextlib
import re
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from benchmarks.published.expectation import Expectation, meets
from benchmarks.published.table import expectations


@dataclass(frozen=True)
class Outcome:
    expectation: Expectation
    measured: dict[str, int]
    error: str | None
    explanation: str | None

    @property
    def met(self) -> bool:
        return self.error is None and all(
            meets(self.measured[name], expected)
            for name, expected in self.expectation.metrics.items()
        )


@contextlib.contextmanager
def _matmul_precision(precision: str) -> Iterator[None]:
    import torch

    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision(precision)
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before)


def measure(expectation: Expectation, target: str) -> dict[str, int]:
    """The metrics named by `expectation`, from one capture for `target`."""
    from pytest_compile_golden import capture
    from pytest_compile_golden.targets import get_target

    with get_target(target).active(), _matmul_precision(expectation.matmul_precision):
        function, *inputs = expectation.program()
        metrics = capture(
            function, *inputs, target=target, **expectation.options
        ).metrics
    measured = {}
    for name in expectation.metrics:
        if name == "numel":
            measured[name] = metrics.bytes_accessed // 4
        elif name.startswith("counters."):
            measured[name] = metrics.counters[name.removeprefix("counters.")]
        else:
            measured[name] = getattr(metrics, name)
    return measured


def outcome(expectation: Expectation, target: str, release: str) -> Outcome:
    """Measure one expectation; a failed capture is an outcome too."""
    try:
        measured, error = measure(expectation, target), None
    except Exception as failure:
        measured, error = (
            {},
            f"{type(failure).__name__}: {str(failure).splitlines()[0] if str(failure) else ''}",
        )
    return Outcome(expectation, measured, error, expectation.explanation(release))


def _row(result: Outcome) -> tuple[str, str, str, str, str]:
    wanted = ", ".join(
        f"{name} {value}" for name, value in result.expectation.metrics.items()
    )
    got = result.error or ", ".join(map(str, result.measured.values()))
    verdict = (
        "[green]met"
        if result.met
        else "[yellow]explained"
        if result.explanation
        else "[red]NOT MET"
    )
    note = "" if result.met else f"\n[dim]{result.explanation or ''}"
    return (
        verdict,
        result.expectation.name + note,
        result.expectation.source,
        wanted,
        got,
    )


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.published", description=__doc__
    )
    parser.add_argument(
        "--only", default="", help="a regular expression over names and sources"
    )
    parser.add_argument("--target", default="cuda-sm90")
    parser.add_argument(
        "--failed", action="store_true", help="show only expectations that are not met"
    )
    arguments = parser.parse_args()
    import torch

    release = torch.__version__.partition("+")[0]
    pattern = re.compile(arguments.only)
    chosen = [
        expectation
        for expectation in expectations()
        if expectation.holds_for(release)
        and (pattern.search(expectation.name) or pattern.search(expectation.source))
    ]
    console = Console(width=None if sys.stdout.isatty() else 200)
    began = time.monotonic()
    results = []
    with Progress(
        console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty()
    ) as progress:
        for expectation in progress.track(chosen, description="measuring"):
            results.append(outcome(expectation, arguments.target, release))
    table = Table(
        "",
        "program",
        "PyTorch test",
        "expected",
        "measured",
        title=f"torch {release}, {arguments.target}",
    )
    for result in results:
        if not (arguments.failed and result.met):
            table.add_row(*_row(result))
    console.print(table)
    met = sum(result.met for result in results)
    explained = sum(
        not result.met and result.explanation is not None for result in results
    )
    unexplained = len(results) - met - explained
    console.print(
        f"{len(results)} expectations: {met} met, {explained} explained, {unexplained} not met "
        f"({time.monotonic() - began:.0f} s)"
    )
    return 1 if unexplained or not results else 0


if __name__ == "__main__":
    sys.exit(main())
