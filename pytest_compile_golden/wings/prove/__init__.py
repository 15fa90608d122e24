"""Which function of another version of a package made a compile differ, proved by undoing it and compiling again."""

from pytest_compile_golden.seams import COMMANDS, PROOFS, TOOLS

PROVIDES = {
    COMMANDS: {"prove": "pytest_compile_golden.wings.prove.command:prove"},
    TOOLS: {PROOFS: "pytest_compile_golden.wings.prove.between:added"},
}
