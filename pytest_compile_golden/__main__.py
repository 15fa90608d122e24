"""`python -m pytest_compile_golden` runs the `compile-golden` command."""

from pytest_compile_golden.cli import main

main()
