"""Lowers the graph of a compiled program once more, with other settings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import torch

from pytest_compile_golden.targets.patching import Patches
from pytest_compile_golden.torch_internals import device as names
from pytest_compile_golden.torch_internals import (
    dynamo,
    eject,
    inductor,
    settings,
    tensors,
)
from pytest_compile_golden.torch_internals.private_name import Setting

FakeTensor = tensors.FAKE_TENSOR.get()

_HALF = (torch.float16, torch.bfloat16)
_ROUNDS = "low_precision_pointwise_barrier"


@dataclass(frozen=True)
class LoweredGraph:
    """A lowered graph, with the settings that it was lowered with."""

    graph: Any
    """Inductor's GraphLowering."""
    settings: Mapping[str, object]

    @classmethod
    def now(cls, graph: Any) -> LoweredGraph:
        """Of `graph`, which is being compiled."""
        return cls(graph, inductor.CONFIG.get().get_config_copy())

    def without_fusion(self) -> tuple[Any, str]:
        """The graph lowered again so that kernels round wherever its operators do, and its code.

        With `emulate_precision_casts` on from the start, torch notes such operators while it traces a program
        (torch/fx/experimental/proxy_tensor.py: _maybe_record_pointwise_barrier), and lowers them as noted
        (torch/_inductor/lowering.py: make_pointwise). Here they are noted in the graph that was traced without it.
        """
        module = self.graph.orig_gm.__copy__()
        with Patches() as patches:
            for node in _in_half_precision(module.graph):
                patches.put_item(node.meta, _ROUNDS, True)
            return self._lower(module, {settings.EMULATE_CASTS: True})

    def with_python_wrapper(self) -> tuple[Any, str]:
        """The graph lowered again with a wrapper in Python instead of C++, and its code."""
        return self._lower(self.graph.orig_gm.__copy__(), {settings.CPP_WRAPPER: False})

    def _lower(self, module: Any, changed: Mapping[Setting, object]) -> tuple[Any, str]:
        """As torch/_inductor/compile_fx.py: _InProcessFxCompile.codegen_and_compile, after its passes."""
        inputs = [
            node.meta.get("val") for node in module.graph.find_nodes(op="placeholder")
        ]
        fake = next(
            (value.fake_mode for value in inputs if isinstance(value, FakeTensor)), None
        )
        inside = dynamo.VIRTUALIZED.get()
        config = inductor.CONFIG.get()
        now = config.get_config_copy()
        # Without those that are as they were: to set one that is deprecated is a warning.
        before = {
            key: value
            for key, value in self.settings.items()
            if key in now and now[key] != value
        }
        with ExitStack() as stack:
            stack.enter_context(config.patch(before))
            stack.enter_context(Patches()).configure(changed)
            stack.enter_context(names.DEBUG.get()())
            stack.enter_context(inside.set_fake_mode(fake))
            lowered = names.GRAPH_LOWERING.get()(
                module,
                example_inputs=inputs,
                shape_env=names.SHAPE_ENV.of(self.graph),
                graph_id=self.graph.graph_id,
                is_inference=eject.IS_INFERENCE.of(self.graph),
                is_backward=eject.IS_BACKWARD.of(self.graph),
            )
            stack.enter_context(inside.set_graph_handler(lowered))
            stack.enter_context(inside.set_extern_kernel_nodes([]))
            lowered.run(*inputs)
            code, _ = lowered.codegen()
        return lowered, code.value


def _in_half_precision(graph: torch.fx.Graph) -> Iterator[torch.fx.Node]:
    """The calls of operators that take or give half precision."""
    for node in graph.nodes:
        values = [each.meta.get("val") for each in (node, *node.all_input_nodes)]
        if node.op == "call_function" and any(
            isinstance(value, torch.Tensor) and value.dtype in _HALF for value in values
        ):
            yield node
