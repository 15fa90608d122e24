"""`compile-golden eject`: one pass or stage of a compile as a standalone script that can be edited and run."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pytest_compile_golden.cli import shared_options
from pytest_compile_golden.cli.console import console, show
from pytest_compile_golden.cli.find_cases import resolved
from pytest_compile_golden.common.name_matching import near
from pytest_compile_golden.errors import UnknownName
from pytest_compile_golden.formats.known_names import loaded_texts, torch_text
from pytest_compile_golden.report.compile_map import KNOWN
from pytest_compile_golden.report.styled_lines import printable

if TYPE_CHECKING:
    from pytest_compile_golden.features.eject.eject_script import Ejected, EjectProbe

_OBSERVED = re.compile(r'GraphTransformObserver\(\s*\w+,\s*"(\w+)"')


@click.command(short_help="Write a script that runs a single pass or stage.")
@shared_options.program
@click.option(
    "--pass",
    "name",
    metavar="NAME",
    help="A pass, as named by the `passes` stage and `trace`.",
)
@click.option(
    "--stage",
    type=click.Choice(["lowering", "fusion", "codegen"]),
    help="Or one of these stages.",
)
@click.option(
    "--graph",
    metavar="NAME",
    help="The graph, such as graph_0_backward (default: the first it changes).",
)
@shared_options.target
@click.option(
    "-o",
    "--output",
    type=shared_options.FILE,
    help="The script's path (default: NAME.py).",
)
def eject(
    program: str,
    name: str | None,
    stage: str | None,
    graph: str | None,
    target: str | None,
    output: Path | None,
) -> None:
    """Write a short script that builds the graph as it was just before a pass, and runs only that pass.

    The script needs torch but no GPU, and Triton only if the program has kernels of its own. You can edit its graph,
    its pass or its configuration.
    """
    if (name is None) == (stage is None):
        raise click.UsageError(
            "give either --pass NAME or --stage; `compile-golden trace` lists the passes."
        )
    wanted = stage or str(name)
    program = resolved(program)
    from pytest_compile_golden.cli.compile_program import compiled
    from pytest_compile_golden.observe.probe import registered

    probe: EjectProbe | None = None

    def loaded() -> None:
        # Not earlier: these imports settle which vendor's GPUs torch compiles for, which depends on the target.
        from pytest_compile_golden.features.eject.eject_script import EjectProbe
        from pytest_compile_golden.torch_internals import inductor

        nonlocal probe
        # The scheduler's steps are part of fusion.
        is_step = name in {step.last for step in inductor.STEPS}
        probe = EjectProbe(None, "fusion") if is_step else EjectProbe(name, stage)
        watching.enter_context(registered(probe))
        unknown = probe.name is not None and certainly_unknown(wanted)
        # Else compiling shows which there are.
        if unknown and (meant := near(wanted, torch_passes())) != ".":
            raise UnknownName(
                f"there is no pass {wanted!r}{meant} `compile-golden trace {program}` lists those that run. "
                "Give a pass of your own with its slot: 'post_grad_custom_post_pass / NAME'."
            )

    with ExitStack() as watching:
        compiled(program, target, loaded)
    assert probe is not None
    chosen = _choose(probe, wanted, graph)
    show(console(), [("", write(chosen, wanted, output))])


def write(chosen: Ejected, name: str, output: Path | None) -> str:
    """Write the script, by default to a file named after it; returns a message that says so."""
    plain = "".join(char if char.isalnum() else "_" for char in name).strip("_")
    path = output or Path(f"{plain}.py")
    path.write_text(chosen.script, encoding="utf-8")
    return printable(f"wrote {path}: {name} on {chosen.graph}. Run it: python {path}")


def _choose(probe: EjectProbe, wanted: str, graph: str | None) -> Ejected:
    candidates = [
        candidate for candidate in probe.candidates if graph in (None, candidate.graph)
    ]
    if not candidates:
        graphs = ", ".join(
            dict.fromkeys(candidate.graph for candidate in probe.candidates)
        )
        if graphs:
            raise UnknownName(f"{wanted} did not run on {graph}; it ran on: {graphs}.")
        meant = near(wanted, (ran.rpartition(" / ")[2] for ran in probe.ran))
        names = ", ".join(probe.ran) or "none"
        raise UnknownName(
            f"no graph pass {wanted!r} ran{meant} These did: {names}. Or give --stage."
        )
    chosen = choose(candidates)
    if not chosen.script:
        raise click.ClickException(chosen.refused)
    return chosen


def choose(candidates: Sequence[Ejected]) -> Ejected:
    """The first that changed its graph, else the first; only among those with a script, if any has one."""
    scripts = [candidate for candidate in candidates if candidate.script] or candidates
    return next((script for script in scripts if script.changed), scripts[0])


def torch_passes() -> list[str]:
    """The passes that torch is known to have."""
    return [*KNOWN, *_OBSERVED.findall(torch_text())]


def certainly_unknown(name: str) -> bool:
    """Whether no pass can be called `name`; for use once the program is imported and before anything is compiled.

    True if torch has no such pass and the word is in none of the user's loaded files, which name the user's passes.
    """
    last = name.rpartition(" / ")[2].rpartition(".")[2]
    if " / " in name or name in KNOWN:
        return False
    word = re.compile(rf"\b{re.escape(last)}\b")
    return not word.search(torch_text()) and not any(map(word.search, loaded_texts()))
