"""Machine code of kernels: compiled for the target by the installed Triton, and never launched.

compare_machine_code: whether kernels that are written differently compile to the same machine code
compile_cpp: compiles the C++ kernels of a capture to the target's assembly with the installed C++ compiler
compile_triton: compiles the kernels of a capture to machine code, on a machine that may differ from the target
machine_code_tool: how the core asks for machine code: what `captured.KernelCompiler` describes
vendor_tools: what the tools in Triton's wheel, for NVIDIA's and AMD's cards, report about a compiled kernel
"""
