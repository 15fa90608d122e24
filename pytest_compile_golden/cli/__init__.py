"""The `compile-golden` command; each subcommand is a module of this package."""

from __future__ import annotations

import click

from pytest_compile_golden.cli.doctor import doctor


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="pytest-compile-golden")
def main() -> None:
    """Golden tests of everything torch.compile does with your code."""


main.add_command(doctor)
