"""Changes between two compiles: one type per way in which they differ, each with a code, and what can be asked of it.

change: what a change is, found by comparing documents, the table of codes, and how much each weighs; `messages` says it
common_types: the shapes of changes that are told by a code and a few values, and the codes that have them
graphs: changes of FX graphs, and of what passes do to them
guards: changes of guards
kernels: changes of kernels: which there are, how they are launched and what they do; names of the functions they call
known_rewrites: what torch writes otherwise since one commit, wherever it occurs: the rows of `known_rewrites.toml`
lines: changes of texts about which no more is known than their lines
numbers: changes of numbers and of stages that are tables, and why worse numbers are no regression
schedules: changes of operations and of the groups that the scheduler makes of them
trail: changes of what becomes of operators on their way to kernels, as far as a trail has it
"""
