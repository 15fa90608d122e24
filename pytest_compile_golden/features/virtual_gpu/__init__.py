"""A virtual GPU that computes: tensors in host memory, operators by the CPU, generated code as for the card.

child_processes: a virtual GPU in the processes that a run starts
compiled_graphs: what compiled graphs compute on a device that computes
cuda_graphs: CUDA graphs on a device that computes: what is captured is executed at once, and again at each replay
device_library: device.cpp, which puts a device for host memory into torch's dispatcher, as Python calls it
device_operators: operators that only CUDA has, or keeps whole, on a device that computes
gpu: a virtual GPU that computes, as a target: `running("cuda-sm90")` puts it into the process
graph_operators: the operators of the graph that Inductor lowered, run one by one on a device that computes
graph_parts: parts of a compiled graph, of which torch records a CUDA graph each
graph_pools: memory of CUDA graphs, as torch's trees of graphs ask the caching allocator for it
interpreted_launches: hand-written Triton kernels on a device that computes: interpreted, on its tensors' memory
jiterator: torch.cuda.jiterator on a virtual GPU: a function of one element in C++ is compiled by the host's compiler
kernel_values: values of compiled graphs from the kernels that Inductor generated for them, on a device that computes
philox: the random numbers of compiled graphs, as the kernels of a graph draw them: Philox, from a seed and an offset
relowering: lowers the graph of a compiled program once more, with other settings
run_command: `compile-golden run`: a program as it is, on a virtual GPU that computes
tensors_across_processes: tensors of the device in several processes: handed to workers
torch_cuda: torch.cuda on a device that computes: memory, random numbers and storages answer for it
virtual_gpu_plugin: the pytest side of a virtual GPU that computes
"""
