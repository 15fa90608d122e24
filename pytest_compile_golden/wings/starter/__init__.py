"""A first case for a repository that has none: for a transformers model, an exported program or the user's own code."""

from pytest_compile_golden.seams import COMMANDS, LOADERS

PROVIDES = {
    COMMANDS: {"init": "pytest_compile_golden.wings.starter.command:init"},
    LOADERS: {"transformers": "pytest_compile_golden.wings.starter.loader:Transformers"},
}
