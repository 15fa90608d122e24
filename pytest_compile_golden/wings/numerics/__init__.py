"""Whether a compiled program computes what eager does: both are run and, where they differ, eager again in float64."""

from pytest_compile_golden.seams import COMMANDS, NUMERICS, PLUGINS, TOOLS

PROVIDES = {
    COMMANDS: {"fuzz": "pytest_compile_golden.wings.numerics.commands.fuzz:fuzz"},
    PLUGINS: {"numerics": "pytest_compile_golden.wings.numerics.plugin"},
    TOOLS: {NUMERICS: "pytest_compile_golden.wings.numerics.tool"},
}
