"""Writes one pass or stage of a compile as a standalone script that needs nothing but torch.

eject_command: `compile-golden eject`: one pass or stage of a compile as a standalone script that can be edited and run
eject_script: the text of a script: templates filled with a graph, a pass and the configuration it ran under
graph_source: an FX graph as Python that rebuilds it, one line per node, without data
script_source: everything in a script besides the lines of its graph, and a graph's values as Python expressions
users_source: copies the user's functions and classes, along with everything else of the user's that they refer to
value_source: values from the user's program, patterns among them, as Python expressions
"""
