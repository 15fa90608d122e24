"""`compile-golden patterns`: torch's replacement patterns, tried on inputs of every kind."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from pytest_compile_golden.cli import completing, console
from pytest_compile_golden.errors import UnknownName
from pytest_compile_golden.names import unknown
from pytest_compile_golden.report.counts import count
from pytest_compile_golden.report.lines import Line, placed, printable

if TYPE_CHECKING:
    from pytest_compile_golden.wings.patterns.tried import Tried

_TARGET = "cpu-avx2"
_SHOWN = 3


@click.command(short_help="Try torch's replacement patterns on inputs of every kind.")
@click.argument("names", nargs=-1, metavar="[PATTERN]...")
@click.option("--target", default=_TARGET, show_default=True, shell_complete=completing.targets)
def patterns(names: tuple[str, ...], target: str) -> None:
    """Try each pattern that torch replaces: on its own inputs, on other strides, ranks and special values, on inputs
    that are one tensor.

    A pattern has two functions, the one that it finds and the one that it puts in its place. Both are run in float64;
    where they differ, the first is compiled for the target, to see whether the pattern fires. Exits with 1 if one does.
    """
    from pytest_compile_golden.observe.compile import prepare
    from pytest_compile_golden.wings.patterns.registered import watched

    with watched() as found:
        prepare(target)
    by_name = {pattern.name: pattern for pattern in reversed(found)}  # of several registrations, the first
    for name in names:
        if name not in by_name:
            raise UnknownName(unknown("replacement pattern", name, by_name))
    from pytest_compile_golden.wings.patterns.tried import tried

    results = [tried(pattern, target) for name, pattern in by_name.items() if not names or name in names]
    console.show(console.console(), [*_told(results)])
    sys.exit(1 if any(result.differences for result in results) else 0)


def _told(results: Sequence[Tried]) -> Iterator[Line]:
    wrong = [result for result in results if result.differences]
    yield "", f"{count(len(results), 'pattern')} tried, {len(wrong)} replace by something else"
    for result in wrong:
        yield "bad", printable(placed(result.pattern.name, result.pattern.where))
        for difference in result.differences[:_SHOWN]:
            yield "bad", printable(f"    inputs {difference.inputs}: {difference.what}")
        if len(result.differences) > _SHOWN:
            yield "dim", f"    and {count(len(result.differences) - _SHOWN, 'more kind')} of inputs"
    idle = [result.pattern.name for result in results if not result.fires]
    if idle:
        yield "dim", printable(f"do not fire, compiled alone: {', '.join(idle)}")
    for result in results:
        if result.failed:
            yield "dim", printable(f"{result.pattern.name} was not compared: {result.failed}")
