"""Writes one pass or stage of a compile as a standalone script that needs nothing but torch."""

from pytest_compile_golden.seams import COMMANDS

PROVIDES = {
    COMMANDS: {"eject": "pytest_compile_golden.wings.eject.command:eject"},
}
