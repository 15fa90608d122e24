"""Machine code of kernels: compiled for the target by the installed Triton, and never launched."""
