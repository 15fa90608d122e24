"""Texts of which nothing is known but that they have lines and comments."""

from pytest_compile_golden.formats.format import Format

PLAIN = Format()
