"""The smallest program that still shows a difference between two torch versions, a failure or a wrong result.

compile_process: the process that compiles: it has done its imports and a first compile, and forks for each request
function_as_program: what is compiled as a program as its author wrote it: the function
graph_as_program: a graph that Dynamo makes of what is compiled as a program: a line for each node
interestingness: what a program must show to be kept: a change between two torch versions, a failure, a wrong result
options_as_code: the options of a compile as expressions, with what they hold of the user's own: passes, backends
program_search: tries smaller and smaller programs, until none that is smaller still shows it
reduce_command: `compile-golden reduce WHAT`: the smallest program that still shows it; and `case SCRIPT`
reduce_every_change: `--reduce`: for the first distinct changes of a report, the smallest program that shows each
reduce_protocol: what the processes that search and compile say to each other, as msgpack
reduction: one search, from what the user named to the smallest program
reduction_result: what a search found: the smallest program, what it shows, and what is written of it
reproducer: what a reduced program becomes: a script that needs only torch, a case with its invariant, an issue
run_on_virtual_gpu: runs a script on a virtual GPU that computes nothing
simplifications: the ways to make a program smaller, each of which gives programs to try: the most promising first
small_program: a program while it is reduced: straight lines of Python, the expressions of its inputs
torch_process: a torch version to try programs with: a process that has done its imports, which forks for each of them
"""
