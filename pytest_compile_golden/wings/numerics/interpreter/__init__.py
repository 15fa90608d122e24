"""Runs generated Triton kernels on the CPU with Triton's interpreter, for the numerics of virtual GPUs."""
