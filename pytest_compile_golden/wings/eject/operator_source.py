"""The user's registrations for operators: lowerings, and fake implementations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from torch.fx import GraphModule

from pytest_compile_golden.observe.source_locations import closure_of, written_by_user
from pytest_compile_golden.torch_names import eject as names
from pytest_compile_golden.torch_names import scheduler, tensors
from pytest_compile_golden.wings.eject.source import CannotEject, Source

# The arguments of register_lowering (torch/_inductor/lowering.py), which its wrapper holds in its closure.
_OPTIONS = ("broadcast", "type_promotion_kind", "convert_input_to_bool")


def lowering_lines(module: GraphModule, source: Source) -> Iterator[str]:
    """Lines that repeat the user's registrations of lowerings for the operators of a graph. Raises CannotEject."""
    lowerings = scheduler.LOWERINGS.get()
    for operator in _operators(module):
        lowering = lowerings.get(operator)
        if lowering is None or not written_by_user(lowering):
            continue
        options = closure_of(lowering) if hasattr(lowering, "__wrapped__") else {}
        if "decomp_fn" in options:
            source.imports["from torch._inductor.lowering import register_lowering"] = None
            arguments = [source.function(operator)]
            arguments += [f"{name}={source.value(options[name])}" for name in _OPTIONS if name in options]
            yield f"register_lowering({', '.join(arguments)})({source.value(options['decomp_fn'])})"
        else:  # added without torch's wrapper
            source.imports["from torch._inductor.lowering import lowerings"] = None
            yield f"lowerings[{source.function(operator)}] = {source.value(lowering)}"


def fake_lines(module: GraphModule, source: Source) -> Iterator[str]:
    """Lines that register the fake implementations of the graph's custom operators, if they are written in Python."""
    for operator in _operators(module):
        if str(operator) not in source.operators:
            continue
        name = operator._schema.name
        fake = _fake(name)
        if fake is None:
            continue
        try:
            written = source.value(fake)
        except CannotEject:
            continue  # the graph's own values have the results of its calls; only tracing and fallbacks need more
        yield f"torch.library.register_fake({name!r})({written})"


def _operators(module: GraphModule) -> list[Any]:
    """The operators of a graph and of its nested graphs, each once."""
    graphs = [submodule.graph for submodule in module.modules() if isinstance(submodule, GraphModule)]
    called = (node.target for graph in graphs for node in graph.nodes if node.op == "call_function")
    return list(dict.fromkeys(target for target in called if isinstance(target, tensors.OPERATOR.get())))


def _fake(name: str) -> Any:
    """The function passed to `register_fake`, unwrapped for operators created by `custom_op`."""
    definition = names.CUSTOM_OPERATORS.get().get(name)
    if definition is not None:
        return definition._abstract_fn
    entry = names.REGISTERED.get().find(name)
    kernel = entry.fake_impl.kernel
    return None if kernel is None else kernel.func
