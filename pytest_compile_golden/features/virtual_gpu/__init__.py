"""A virtual GPU that computes: tensors in host memory, operators by the CPU, generated code as for the card."""
