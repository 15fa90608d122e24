"""Numbers that PyTorch's own GPU tests assert, measured through `capture`: `python -m benchmarks.published`."""
