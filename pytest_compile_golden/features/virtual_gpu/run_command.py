"""`compile-golden run`: a program as it is, on a virtual GPU that computes."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from pytest_compile_golden.features.virtual_gpu.kernel_values import Source


@click.command(
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False}
)
@click.option("--gpu", default="h100", show_default=True, help="The GPU to emulate.")
@click.option("--count", default=1, show_default=True, help="The number of GPUs.")
@click.option(
    "--values",
    type=click.Choice(["graph", "kernels", "both"]),
    default="graph",
    show_default=True,
    help="What compiled graphs compute: the graph's operators, the generated kernels, or both, which must agree.",
)
@click.option(
    "-m", "module", is_flag=True, help="PROGRAM is a module, as in `python -m`."
)
@click.argument("program")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def run(
    gpu: str,
    count: int,
    values: Source,
    module: bool,
    program: str,
    arguments: tuple[str, ...],
) -> None:
    """Run a Python program as it is on a virtual GPU.

    Operators run on the CPU, in host memory; torch.compile generates what it would for the card.
    PROGRAM is a script or, with -m, a module; everything behind it is passed on.
    """
    from pytest_compile_golden.features.virtual_gpu.child_processes import with_gpu
    from pytest_compile_golden.features.virtual_gpu.gpu import running

    if not module and not Path(program).is_file():
        raise click.UsageError(
            f"{program} is not a file. For a module, write -m {program}."
        )
    sys.argv = [program, *arguments]
    # As `python` has it: where the script is, or the current folder.
    sys.path.insert(0, "" if module else str(Path(program).resolve().parent))
    with with_gpu(gpu, count, values), running(gpu, count, values) as virtual:
        try:
            if module:
                runpy.run_module(program, run_name="__main__", alter_sys=True)
            else:
                runpy.run_path(program, run_name="__main__")
        finally:
            for line in virtual.summary():
                click.echo(f"virtual GPU: {line}", err=True)
