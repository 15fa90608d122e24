"""Static pages from many recordings: what changed from each to the next, and every case's metrics over time."""

from pytest_compile_golden.seams import COMMANDS

PROVIDES = {
    COMMANDS: {"site": "pytest_compile_golden.wings.site.command:site"},
}
