"""The `compile-golden` command; each subcommand is a module of this package."""

from __future__ import annotations

import click

from pytest_compile_golden.cli.accept import accept
from pytest_compile_golden.cli.diff import diff
from pytest_compile_golden.cli.doctor import doctor
from pytest_compile_golden.cli.eject import eject
from pytest_compile_golden.cli.env import env
from pytest_compile_golden.cli.history import history
from pytest_compile_golden.cli.reject import reject
from pytest_compile_golden.cli.report import report
from pytest_compile_golden.cli.review import review
from pytest_compile_golden.cli.show import show
from pytest_compile_golden.cli.trace import trace


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="pytest-compile-golden")
def main() -> None:
    """Golden tests of everything torch.compile does with your code."""


for _command in (accept, diff, doctor, eject, env, history, reject, report, review, show, trace):
    main.add_command(_command)
