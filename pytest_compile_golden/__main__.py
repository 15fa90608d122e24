"""`python -m pytest_compile_golden` is the command `compile-golden`."""

from pytest_compile_golden.cli import main

main()
