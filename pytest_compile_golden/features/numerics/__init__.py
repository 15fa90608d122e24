"""Whether a compiled program computes what eager does: both are run, and one judge says which of them is wrong.

differential_testing: eager and compiled code are given the same calls: the program's own, and others with other values
exact_reference: a program as it is written, with less rounding than eager: each operator in float64
fake_tensor_strides: the strides that a program would have if each operator did what its rule for fake tensors says
interpreter/: runs generated Triton kernels on the CPU with Triton's interpreter, for the numerics of virtual GPUs
judge: does compiled code give what eager gives, in tensors and in plain values, and if not, which of them is wrong
numerics_device: where the two sides of a check run: the machine's own device, or a virtual GPU
numerics_plugin: the pytest side of numerics: the fixture, and `--compile-golden-numerics`
numerics_tool: how the core asks for numerics: what `api.NumericsTool` describes
observation: what a call leaves, as it is compared: tensors with their values and facts, and whose memory they share
program_copies: copies of a program and its inputs: as they are, or with other values
python_state: what a program changes besides tensors: numbers and text that it can reach, read and put back
random_number_quality: whether the random numbers that compiled code draws itself are as good as eager's
run_calls: run a program call by call and record outputs, gradients, and the final state of everything it can write to
tensor_distance: how far the values of two tensors are apart, element by element, and how that is said
tensor_names: names for all tensors that a program can read or change: its inputs, and what its function owns
torch_bisector: torch's own compiler bisector (torch/_inductor/compiler_bisector.py), with our own judge
unpromised_strides: results whose strides Inductor does not promise to be the same as eager's
"""
