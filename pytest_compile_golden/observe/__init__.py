"""Turns one compile into one record. Only this layer and `targets` import torch.

ahead_of_time: programs exported by torch.export: what of them is recorded, and what AOTInductor would build and package
already_compiled: callables that are already compiled: the function inside, and the options that torch.compile was given
author_on_stack: which torch function wrote a line of generated code: found on the stack as the line is written
compile_isolation: a capture leaves no trace: caches are off during it
compile_options: how a case is compiled: the arguments of a capture in one value, validated once
compile_with_caches: run as a process: compile programs one after another, each in a fork of this process
config_patches: a case's own torch config: keys are checked, then patched for the duration of one capture
device_transfer: moves a program's modules, tensors and optimizers
donations: buffers that a backward graph may write over: none, if the program keeps its graph
executed_functions: which Python functions start to run in this process
global_settings: what programs set for the whole process and the compiler obeys: read before a test, put back after it
inner_calls: the passes that a pass of the user's calls: torch knows a pass manager, but none of the passes that it runs
missed_patterns: how near the user's patterns come to a graph in which they match nothing
probe: between the compiler and a record: one probe per part of the compiler, all in one registry
probes/: the built-in probes, one per part of the compiler, in pipeline order, and the stages that each one feeds
program_calls: the program under test: which parts are moved to the target, its sandbox
record_compile: one capture: enter the target, watch a real torch.compile run, return what was recorded
record_graphs: FX graphs as plain data: nodes with their arguments as Python expressions
source_locations: the names of passes and patterns, and where they are defined in torch's or the user's source
torch_errors: turns torch's errors into ours: what happened, at which line of the user's code, and what to do next
torch_hooks: hooks on torch's internals: named, guarded, and removed again
user_kernels: the user's own Triton kernels: one that Triton cannot compile fails the case, where torch would carry on
watch_compiles: watches the compiles that other code makes: each becomes a record, and the code is not disturbed
"""
