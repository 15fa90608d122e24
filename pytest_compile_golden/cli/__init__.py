"""The `compile-golden` command; each subcommand is a module of this package."""

from __future__ import annotations

from typing import Any

import click
from click.shell_completion import add_completion_class

from pytest_compile_golden.cli.accept import accept
from pytest_compile_golden.cli.bash import Bash
from pytest_compile_golden.cli.bisect import bisect
from pytest_compile_golden.cli.diff import diff
from pytest_compile_golden.cli.doctor import doctor
from pytest_compile_golden.cli.eject import eject
from pytest_compile_golden.cli.env import env
from pytest_compile_golden.cli.fidelity import fidelity
from pytest_compile_golden.cli.history import history
from pytest_compile_golden.cli.matrix import matrix
from pytest_compile_golden.cli.reject import reject
from pytest_compile_golden.cli.report import report
from pytest_compile_golden.cli.review import review
from pytest_compile_golden.cli.show import show
from pytest_compile_golden.cli.site import site
from pytest_compile_golden.cli.trace import trace
from pytest_compile_golden.errors import CompileGoldenError, UnknownName
from pytest_compile_golden.names import unknown

add_completion_class(Bash)


class _Wrong(click.ClickException):
    exit_code = 2


class _Commands(click.Group):
    """Where errors meant for the user end: 2 where the command is wrong, as click itself exits then, else 1."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except CompileGoldenError as error:
            raise (_Wrong if isinstance(error, UnknownName) else click.ClickException)(str(error)) from None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in self.commands and not args[0].startswith("-"):
            raise UnknownName(unknown("command", args[0], self.commands))
        return super().resolve_command(ctx, args)


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="pytest-compile-golden")
def main() -> None:
    """Golden tests of everything torch.compile does with your code."""


_COMMANDS = (
    accept,
    bisect,
    diff,
    doctor,
    eject,
    env,
    fidelity,
    history,
    matrix,
    reject,
    report,
    review,
    show,
    site,
    trace,
)
for _command in _COMMANDS:
    main.add_command(_command)
