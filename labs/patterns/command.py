"""`compile-golden patterns`: torch's patterns, tried on inputs of every kind."""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.progress import track

from pytest_compile_golden.cli import console, shell_completion
from pytest_compile_golden.common.constants import DEFAULT_TARGET
from pytest_compile_golden.common.name_matching import check
from pytest_compile_golden.common.quantity import quantity
from pytest_compile_golden.report.styled_lines import Line, placed, printable

if TYPE_CHECKING:
    from labs.patterns.tried import Tried

_SHOWN = 5


@click.command(short_help="Fuzz Inductor's patterns over dtypes, layouts and sizes.")
@click.argument("names", nargs=-1, metavar="[PATTERN]...")
@click.option(
    "--target",
    default=DEFAULT_TARGET,
    show_default=True,
    shell_complete=shell_completion.targets,
)
def patterns(names: tuple[str, ...], target: str) -> None:
    """Try each pattern of torch: on its own inputs, on other dtypes, strides, ranks and special values, on one tensor.

    A pattern that torch replaces has two functions, the one that it finds and the one that it puts in its place: both
    are run, and where they differ, the first is compiled for the target, to see whether the pattern fires. For a
    pattern that a function of torch handles, programs are made up until it fires for one, which is then compiled, run
    in Triton's interpreter, and compared with eager. Exits with 1 if any computes something else.
    """
    from labs.patterns.registered import Handled, Replaced, handled, watched
    from pytest_compile_golden.observe.record_compile import prepare

    with watched() as found:
        prepare(target)
    # Of several registrations of a replacement, the first.
    replaced = {pattern.name: pattern for pattern in reversed(found)}
    every: list[Replaced | Handled] = [*replaced.values(), *handled()]
    check("pattern", names, (pattern.name for pattern in every))
    from labs.patterns.tried import tried

    chosen = [pattern for pattern in every if not names or pattern.name in names]
    to = Console(stderr=True)
    shown = track(
        chosen, "patterns", console=to, transient=True, disable=not to.is_terminal
    )
    results = [tried(pattern, target) for pattern in shown]
    console.show(console.console(), [*_told(results)])
    sys.exit(1 if any(result.differences for result in results) else 0)


def _told(results: Sequence[Tried]) -> Iterator[Line]:
    wrong = [result for result in results if result.differences]
    kinds = Counter(type(result.pattern).__name__.lower() for result in results)
    every = " and ".join(f"{number} {kind}" for kind, number in kinds.items())
    yield (
        "",
        f"{quantity(len(results), 'pattern')} tried ({every}), {len(wrong)} compute something else",
    )
    for result in wrong:
        yield "bad", printable(placed(result.pattern.name, result.pattern.where))
        # The first inputs of each kind of difference.
        shown = [*{each.what: each for each in reversed(result.differences)}.values()][
            ::-1
        ][:_SHOWN]
        for difference in shown:
            yield "bad", printable(f"    inputs {difference.inputs}: {difference.what}")
        if len(result.differences) > len(shown):
            yield (
                "dim",
                f"    and {quantity(len(result.differences) - len(shown), 'more kind')} of inputs",
            )
    unlike: dict[str, list[str]] = defaultdict(list)
    for result in results:
        if result.failed or not result.fires:
            unlike[result.failed or "do not fire, compiled alone"].append(
                result.pattern.name
            )
    for why, names in unlike.items():
        each = ", ".join(
            f"{name} x{number}" if number > 1 else name
            for name, number in Counter(names).items()
        )
        yield "dim", printable(f"{why} ({len(names)}): {each}")
