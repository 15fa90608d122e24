"""What torch logs of each compile with `TORCH_TRACE=FOLDER` (torch/_logging/_internal.py), as a side to compare."""

from pytest_compile_golden.recordings.torch_trace.side import is_trace, read

__all__ = ["is_trace", "read"]
