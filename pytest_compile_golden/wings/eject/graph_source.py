"""An FX graph as Python that rebuilds it, one line per node; tensors are only shapes, so no data is needed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch.fx import GraphModule
from torch.fx import Node as FxNode

from pytest_compile_golden.torch_names import tensors
from pytest_compile_golden.wings.eject.source import TORCHS_OWN, CannotEject, Source
from pytest_compile_golden.wings.eject.triton_source import kernel_arguments

_FEW = 64


def graph_lines(module: GraphModule, source: Source, key: str) -> list[str]:
    """The lines of a function body that builds the graph with `g`, a `Builder` (see prelude.py.jinja).

    key: the node metadata key of fake values: `val`, or `example_value` before AOTAutograd. Raises CannotEject.
    """
    return list(_lines(module, source, key))


def _lines(module: GraphModule, source: Source, key: str) -> Iterator[str]:
    for node in module.graph.nodes:
        if node.op == "placeholder":
            value = node.meta.get("val", node.meta.get("example_value"))
            yield f"{node.name} = g.input({node.name!r}, {source.tensor(value)})"
        elif node.op == "get_attr":
            yield from _attribute_lines(node, _held(module, str(node.target)), source, key)
        elif node.op == "output":
            meta = {name: node.meta[name] for name in _OUTPUT_META if name in node.meta}
            more = "".join(f", {name}={source.expression(value)}" for name, value in meta.items())
            yield f"g.output({source.expression(node.args[0])}{more})"
        elif node.op in ("call_function", "call_method"):
            callee = repr(node.target) if node.op == "call_method" else source.function(node.target)
            arguments = [*map(source.expression, node.args)]
            kernel = kernel_arguments(node, source)
            arguments += [
                f"{name}={kernel.get(name) or source.expression(argument)}" for name, argument in node.kwargs.items()
            ]
            if not _computable(node.target):
                arguments.append(f"gives={source.tensor(node.meta.get(key))}")
            call = "method" if node.op == "call_method" else "call"
            yield f"{node.name} = g.{call}({', '.join([repr(node.name), callee, *arguments])})"
        else:
            raise CannotEject(f"the graph calls the module {node.target!r}; choose a pass after the pre-grad phase.")


# Node metadata that torch/_functorch/partitioners.py reads besides the value.
_TAGS = ("partitioner_tag", "recompute", "ac_graph_id", "has_backward_hook", "memory_budget")


def tag_lines(module: GraphModule, source: Source) -> Iterator[str]:
    """Lines that set the metadata that the partitioner reads on a joint graph's nodes, one per value of each tag."""
    for tag in _TAGS:
        tagged: dict[str, list[str]] = {}
        for node in module.graph.nodes:
            if node.meta.get(tag) is not None and node.op != "output":
                tagged.setdefault(source.expression(node.meta[tag]), []).append(node.name)
        for value, names in tagged.items():
            yield f"g.tag({tag!r}, {value}, {', '.join(names)})"


# Metadata of the output node that lowering reads (torch/_inductor/compile_fx.py).
_OUTPUT_META = ("user_visible_output_idxs", "original_output_strides")


def _computable(target: Any) -> bool:
    """Whether the script can determine the call's result by running it without data."""
    if isinstance(target, tensors.OPERATOR.get()):
        # Inductor's own random operators require a real device even without data (torch/_inductor/inductor_prims.py).
        return target.namespace in TORCHS_OWN and not str(target).startswith("prims.inductor_")
    return not isinstance(target, tensors.HIGHER_ORDER.get())


def _held(module: GraphModule, path: str) -> Any:
    attribute: Any = module
    for part in path.split("."):
        attribute = getattr(attribute, part)
    return attribute


def _attribute_lines(node: FxNode, value: Any, source: Source, key: str) -> Iterator[str]:
    if isinstance(value, GraphModule):
        yield f"def {node.name}_body(g):"
        yield from (f"    {line}" for line in _lines(value, source, key))
        yield f"{node.name} = g.attribute({node.name!r}, {str(node.target)!r}, g.made({node.name}_body))"
    elif isinstance(value, torch.Tensor):
        text = source.tensor(value)
        fake = isinstance(value, tensors.FAKE_TENSOR.get())
        if not fake and value.numel() <= _FEW and value.device.type == "cpu":
            text = f"g.real({value.tolist()!r}, {value.dtype})"
        yield f"{node.name} = g.attribute({node.name!r}, {str(node.target)!r}, {text})"
    else:
        raise CannotEject(
            f"the graph contains a {type(value).__name__}, {node.target!r}, which cannot be written in a script."
        )
