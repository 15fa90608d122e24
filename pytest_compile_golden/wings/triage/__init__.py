"""A script that reproduces a problem of torch.compile, judged: what is wrong, since when and why."""

from pytest_compile_golden.seams import COMMANDS

PROVIDES = {
    COMMANDS: {"triage": "pytest_compile_golden.wings.triage.command:triage"},
}
