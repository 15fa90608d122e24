"""The sentences about changes: one row per type, in English, for people.

Nothing else says what a change means, but for the rows of known rewrites.

graphs: rows for FX graphs, and for passes
guards: rows for guards, and for where Dynamo stops
kernels: rows for kernels
lines: rows for texts about which no more is known than their lines
message_table: the table itself, the code of a change and what is said about it; and numbers, nouns and lists in English
numbers: rows for numbers and for stages that are tables, and what is said about verdicts on numbers
schedules: rows for operations and groups
sentences: what is said about a change
trail: rows for what becomes of operators on their way to kernels, and for whole stages
"""
