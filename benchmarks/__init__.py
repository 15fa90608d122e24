"""Measurements of the project: reports to read, not tests."""
