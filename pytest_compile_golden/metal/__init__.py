"""What Triton makes of kernels: compiled to the target's machine code by the installed Triton, and never launched."""
