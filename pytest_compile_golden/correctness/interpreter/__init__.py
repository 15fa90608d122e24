"""Generated Triton kernels run on the CPU, by Triton's interpreter, for the numerics of virtual GPUs."""
