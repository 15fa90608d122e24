"""Programs that one torch exported or compiled ahead of time, loaded and run by others."""

from pytest_compile_golden.seams import COMMANDS

PROVIDES = {
    COMMANDS: {"packages": "pytest_compile_golden.wings.packages.command:packages"},
}
