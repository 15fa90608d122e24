"""A user's own module, which the passes in `users_passes.py` import."""

from __future__ import annotations

import torch

aten = torch.ops.aten
LIMIT = 2.0


class Pass:
    """A base class that the user wrote."""

    def __call__(self, graph):
        for node in graph.find_nodes(op="call_function", target=self.operator):
            after(graph, node, *self.arguments())


def after(graph, node, function, *given):
    """Call a function on a node's result and pass the new result to the node's users."""
    with graph.inserting_after(node):
        made = graph.call_function(function, (node, *given))
    node.replace_all_uses_with(made, delete_user_cb=lambda user: user is not made)
    made.meta.update(node.meta)
    return made


def limited(graph, node):
    return after(graph, node, aten.clamp_max.default, LIMIT)
