"""A process that has done every import and first set-up, of which each run of pytest is a fork."""

from pytest_compile_golden.seams import COMMANDS

PROVIDES = {
    COMMANDS: {"warm": "pytest_compile_golden.wings.warm.command:warm"},
}
