"""What is known about one compile: one frozen class per kind of fact.

A probe makes a fact, a view prints it, its reader gives the same class back, and comparisons see it. What the text
leaves out is None in a fact that was read back. Plain, serialisable data; imports no torch.

costs: what kernels move and compute, what graphs hold and keep, what ranks exchange, and what compiling took
frames: the program's frames, as they stand in the stack traces that Python and torch print
generated_code: generated code: who wrote it, what it is compiled to, and what it is packaged with
graphs: FX graphs, and the passes over them
guards: what Dynamo made of the program: bytecode, guards and stops; and decisions about graphs that no node shows
numerics: what a comparison with eager found, as plain data and as text: the same for everything that compares
record: all that was recorded of one compile; and as a file that any machine can read: JSON, compressed if named `.gz`
schedules: Inductor's operations, the groups that the scheduler fuses them into, and what it decided on the way
trail: what each step of a compile made and decided, in pipeline order: stages as digests, and the decisions in between
"""
