"""Measurements: reports to read, never tests. `python -m benchmarks` runs them all."""
