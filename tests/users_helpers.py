"""What the passes of `users_passes.py` import: a user's own module."""

from __future__ import annotations

import torch

aten = torch.ops.aten
LIMIT = 2.0


class Pass:
    """A base class of the user's."""

    def __call__(self, graph):
        for node in graph.find_nodes(op="call_function", target=self.operator):
            after(graph, node, *self.arguments())


def after(graph, node, function, *given):
    """Call a function on what a node gives, for all who used it."""
    with graph.inserting_after(node):
        made = graph.call_function(function, (node, *given))
    node.replace_all_uses_with(made, delete_user_cb=lambda user: user is not made)
    made.meta.update(node.meta)
    return made


def limited(graph, node):
    return after(graph, node, aten.clamp_max.default, LIMIT)
