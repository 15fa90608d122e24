"""A mixin for tests of diffusion models: the names that diffusers' own has, without its GPU and without its minutes.

A class says what its model and inputs are; everything is compiled for a card that is not there.
"""

import pytest


def call(block, args=(), kwargs=None):
    return block(*args, **(kwargs or {}))


class TorchCompileTesterMixin:
    different_shapes_for_compilation = None
    """Pairs of height and width that one compiled model has to serve. In the first, no size is that of something else,
    such as the channels: sizes that are equal in the first call are taken to be always equal."""

    def get_model(self):
        raise NotImplementedError

    def get_dummy_input(self, height=16, width=16):
        """The model's arguments: a tuple, or a dict of keyword arguments."""
        raise NotImplementedError

    def get_repeated_block_input(self):
        """The arguments of each block that the model repeats: a tuple or a dict, too."""
        raise NotImplementedError

    def test_torch_compile_recompilation_and_graph_break(self, compile_stages):
        """The whole model is one graph, which serves the next call too."""
        inputs = self.get_dummy_input()
        captured = compile_stages(self.get_model(), calls=[inputs, inputs], fullgraph=True)
        assert captured.metrics.graphs == 1
        assert captured.metrics.recompiles == 0

    def test_torch_compile_repeated_blocks(self, compile_stages):
        """Regional compilation: the block that the model repeats is compiled once, however often it is there."""
        model = self.get_model()
        blocks = [part for part in model.modules() if type(part).__name__ in model._repeated_blocks]
        assert len(blocks) > 1
        inputs = self.get_repeated_block_input()
        given = {"kwargs": inputs} if isinstance(inputs, dict) else {"args": inputs}
        captured = compile_stages(call, calls=[{"block": block, **given} for block in blocks], fullgraph=True)
        assert captured.metrics.graphs == 1
        assert captured.metrics.recompiles == 0

    def test_compile_on_different_shapes(self, compile_stages):
        """One compiled model serves every size."""
        if not self.different_shapes_for_compilation:
            pytest.skip("the class names no shapes")
        calls = [self.get_dummy_input(*shape) for shape in self.different_shapes_for_compilation]
        captured = compile_stages(self.get_model(), calls=calls, dynamic=True, fullgraph=True)
        assert captured.metrics.recompiles == 0
