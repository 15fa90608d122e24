"""What is known about one compile: one frozen class per kind of fact.

A probe makes a fact, a view prints it, its reader gives the same class back, and comparisons see it. What the text
leaves out is None in a fact that was read back. Plain, serialisable data; imports no torch.
"""
