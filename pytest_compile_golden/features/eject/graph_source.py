"""An FX graph as Python that rebuilds it, one line per node, without data; and calls of its passes and operators."""

from __future__ import annotations

import ast
import functools
import inspect
import types
from collections.abc import Iterator
from operator import attrgetter
from typing import Any

import torch
from torch.fx import GraphModule
from torch.fx import Node as FxNode

from pytest_compile_golden.features.eject.script_source import (
    TORCHS_OWN,
    CannotEject,
    Source,
)
from pytest_compile_golden.features.eject.users_source import (
    WORKAROUND,
    define_names,
    lambdas_at,
)
from pytest_compile_golden.observe.source_locations import (
    closure_of,
    in_torch,
    written_by_user,
)
from pytest_compile_golden.torch_internals import device, scheduler, tensors
from pytest_compile_golden.torch_internals import eject as names

_FEW = 64
# The arguments of register_lowering (torch/_inductor/lowering.py), which its wrapper holds in its closure.
_OPTIONS = ("broadcast", "type_promotion_kind", "convert_input_to_bool")
NEEDED = (
    "import triton.runtime",
    "from torch._higher_order_ops.triton_kernel_wrap import kernel_side_table",
    "from triton.backends.compiler import GPUTarget",
)
"""The imports of a script that calls kernels."""


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
            yield from _attribute_lines(
                node, attrgetter(str(node.target))(module), source, key
            )
        elif node.op == "output":
            meta = {name: node.meta[name] for name in _OUTPUT_META if name in node.meta}
            more = "".join(
                f", {name}={source.expression(value)}" for name, value in meta.items()
            )
            yield f"g.output({source.expression(node.args[0])}{more})"
        elif node.op in ("call_function", "call_method"):
            callee = (
                repr(node.target)
                if node.op == "call_method"
                else source.function(node.target)
            )
            arguments = list(map(source.expression, node.args))
            kernel = kernel_arguments(node, source)
            arguments += [
                f"{name}={kernel.get(name) or source.expression(argument)}"
                for name, argument in node.kwargs.items()
            ]
            if not _computable(node.target):
                arguments.append(f"gives={source.tensor(node.meta.get(key))}")
            call = "method" if node.op == "call_method" else "call"
            yield f"{node.name} = g.{call}({', '.join([repr(node.name), callee, *arguments])})"
        else:
            raise CannotEject(
                f"the graph calls the module {node.target!r}; choose a pass after the pre-grad phase."
            )


# Node metadata that torch/_functorch/partitioners.py reads besides the value.
_TAGS = (
    "partitioner_tag",
    "recompute",
    "ac_graph_id",
    "has_backward_hook",
    "memory_budget",
)


def tag_lines(module: GraphModule, source: Source) -> Iterator[str]:
    """Lines that set the metadata that the partitioner reads on a joint graph's nodes, one per value of each tag."""
    for tag in _TAGS:
        tagged: dict[str, list[str]] = {}
        for node in module.graph.nodes:
            if node.meta.get(tag) is not None and node.op != "output":
                tagged.setdefault(source.expression(node.meta[tag]), []).append(
                    node.name
                )
        for value, tagged_nodes in tagged.items():
            yield f"g.tag({tag!r}, {value}, {', '.join(tagged_nodes)})"


# Metadata of the output node that lowering reads (torch/_inductor/compile_fx.py).
_OUTPUT_META = ("user_visible_output_idxs", "original_output_strides")


def _computable(target: Any) -> bool:
    """Whether the script can determine the call's result by running it without data."""
    if isinstance(target, tensors.OPERATOR.get()):
        # Inductor's own random operators require a real device even without data (torch/_inductor/inductor_prims.py).
        return target.namespace in TORCHS_OWN and not str(target).startswith(
            "prims.inductor_"
        )
    return not isinstance(target, tensors.HIGHER_ORDER.get())


def _attribute_lines(
    node: FxNode, value: Any, source: Source, key: str
) -> Iterator[str]:
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


def lowering_lines(module: GraphModule, source: Source) -> Iterator[str]:
    """Lines that repeat the user's registrations of lowerings for the operators of a graph. Raises CannotEject."""
    lowerings = scheduler.LOWERINGS.get()
    graphs = [
        submodule.graph
        for submodule in module.modules()
        if isinstance(submodule, GraphModule)
    ]
    called = (
        node.target
        for graph in graphs
        for node in graph.nodes
        if node.op == "call_function"
    )
    for operator in dict.fromkeys(
        target for target in called if isinstance(target, tensors.OPERATOR.get())
    ):
        lowering = lowerings.get(operator)
        if lowering is None or not written_by_user(lowering):
            continue
        options = closure_of(lowering) if hasattr(lowering, "__wrapped__") else {}
        if "decomp_fn" in options:
            source.imports["from torch._inductor.lowering import register_lowering"] = (
                None
            )
            arguments = [source.function(operator)]
            arguments += [
                f"{name}={source.value(options[name])}"
                for name in _OPTIONS
                if name in options
            ]
            yield f"register_lowering({', '.join(arguments)})({source.value(options['decomp_fn'])})"
        else:  # added without torch's wrapper
            source.imports["from torch._inductor.lowering import lowerings"] = None
            yield f"lowerings[{source.function(operator)}] = {source.value(lowering)}"


def fake_lines(source: Source) -> Iterator[str]:
    """Lines that register the fake implementations of the script's custom operators, if they are written in Python."""
    done: set[Any] = set()
    # A fake may call others.
    while found := [operator for operator in source.operators if operator not in done]:
        done.update(found)
        for name in dict.fromkeys(operator._schema.name for operator in found):
            fake = _fake(name)
            if fake is None:
                continue
            try:
                written = source.value(fake)
            except CannotEject:
                continue  # the graph's own values have the results of its calls; only tracing and fallbacks need more
            yield f"torch.library.register_fake({name!r})({written})"


def _fake(name: str) -> Any:
    """The function passed to `register_fake`, unwrapped for operators created by `custom_op`."""
    definition = names.CUSTOM_OPERATORS.get().get(name)
    if definition is not None:
        return definition._abstract_fn
    entry = names.REGISTERED.get().find(name)
    kernel = entry.fake_impl.kernel
    return None if kernel is None else kernel.func


def pass_expression(run: Any, source: Source) -> str:
    """The expression for `run` in a script; whatever it needs is added to `source`. Raises CannotEject."""
    if isinstance(run, functools.partial):
        return source.partial(run, pass_expression(run.func, source))
    if isinstance(getattr(run, "__self__", None), device.MATCHER.get()):
        return f"{source.value(run.__self__)}.apply"
    plain = inspect.unwrap(run)
    if isinstance(plain, types.FunctionType) and in_torch(plain.__code__.co_filename):
        run = plain
        if run.__name__ == "<lambda>":
            # A lambda from torch's source, with the names that it uses imported or defined.
            lambdas = lambdas_at(run.__code__)
            if len(lambdas) != 1:
                raise CannotEject(
                    f"there is not exactly one lambda at {run.__code__.co_filename}:{run.__code__.co_firstlineno}."
                )
            namespace = run.__globals__ | closure_of(run)
            return f"({define_names(ast.unparse(lambdas[0]), namespace, source, run.__globals__, run.__qualname__)})"
        if "." in run.__qualname__:
            raise CannotEject(
                f"{run.__qualname__} is a method of an object that only exists during a compile; eject another pass."
            )
    try:
        return source.value(run)
    except CannotEject as error:
        if error.located:
            raise
        raise CannotEject(
            f"the pass cannot be written in a script: it is {error}. {WORKAROUND}"
        ) from None


def kernel_arguments(node: FxNode, source: Source) -> dict[str, str]:
    """The expressions that replace the numbers in a kernel call; empty for any other call. Raises CannotEject.

    The numbers are indices into a table that lasts as long as the process
    (torch/_higher_order_ops/triton_kernel_wrap.py: kernel_side_table).
    """
    if "kernel_idx" not in node.kwargs or "triton_kernel_wrapper" not in str(
        node.target
    ):
        return {}
    kernel_side_table = names.KERNELS.get()
    kernel = kernel_side_table.get_kernel(int(str(node.kwargs["kernel_idx"])))
    constants = kernel_side_table.get_constant_args(
        int(str(node.kwargs["constant_args_idx"]))
    )
    source.imports.update(dict.fromkeys(NEEDED))
    return {
        "kernel_idx": f"kernel_side_table.add_kernel({source.value(kernel)})",
        "constant_args_idx": f"kernel_side_table.add_constant_args({source.expression(constants)})",
    }
