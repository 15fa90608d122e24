"""A report as one offline HTML file: the data is embedded as JSON, drawn by the scripts beside this file."""

from pytest_compile_golden.report.html.page import render

__all__ = ["render"]
