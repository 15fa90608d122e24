"""Instead of kernels, a compiled graph's call runs the graph that Inductor lowered, operator by operator."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from typing import Any

import torch

from pytest_compile_golden.targets import current_context, known_values, unused_results
from pytest_compile_golden.torch_internals import device as names
from pytest_compile_golden.torch_internals import tensors

FakeTensor = tensors.FAKE_TENSOR.get()
pytree = tensors.PYTREE.get()

Call = Callable[[list[Any]], Sequence[Any]]
"""A function like a generated module's `call`, which takes the inputs out of a list and returns the outputs."""


def make_call(graph: Any) -> Call:
    """The call of a graph whose tensors are fake."""
    run = call_of(graph, _OnFakes(graph.orig_gm))
    stand_ins = unused_results.stand_ins(
        graph, [static_strides(output) for output in graph.graph_outputs]
    )

    def call(args: list[Any]) -> Sequence[Any]:
        last_call = current_context.now(unused_results.LastCall)
        if (
            stand_ins is not None
            and last_call is not None
            and last_call.reads_nothing()
        ):
            inputs = list(args)
            args.clear()
            return stand_ins(inputs)
        # Kernels are not run: only whole numbers are sure to be the same as what kernels would compute.
        with known_values.only_whole(args):
            return run(args)

    return call


def call_of(graph: Any, operators: PostGrad) -> Call:
    """The call of a lowered graph that runs its operators, and gives outputs the strides of the generated code."""
    return call_with_strides(
        operators.run, [static_strides(output) for output in graph.graph_outputs]
    )


def call_with_strides(
    run: Callable[..., Any], strides: Sequence[tuple[int, ...] | None]
) -> Call:
    """The call of a graph that runs as `run` says. strides: of each output; None where it keeps its own."""

    def call(args: list[Any]) -> Sequence[Any]:
        inputs = list(args)
        args.clear()  # the generated code frees its inputs early; what relies on that must still work
        with torch.no_grad():
            outputs = run(*map(_plain, inputs))
            if not isinstance(outputs, (list, tuple)):
                outputs = (outputs,)
            if len(outputs) != len(strides):
                return tuple(outputs)
            mine = {
                storage_of(value) for value in inputs if isinstance(value, torch.Tensor)
            }
            return tuple(
                with_strides(_computed(out, mine), wanted, mine)
                for out, wanted in zip(outputs, strides, strict=True)
            )

    return call


def _plain(value: Any) -> Any:
    """Without a class that only has `__torch_function__`, which a graph's operators would call, but kernels do not."""
    if type(value) in (torch.Tensor, torch.nn.Parameter) or not isinstance(
        value, torch.Tensor
    ):
        return value
    own_operators = (
        type(value).__torch_dispatch__ is not torch.Tensor.__torch_dispatch__
    )
    with names.DISABLE_TORCH_FUNCTION.get()():
        return value if own_operators else value.as_subclass(torch.Tensor)


def storage_of(tensor: Any) -> int | None:
    """What tensors that share memory have in common; None for one without a storage."""
    try:
        return int(tensor.untyped_storage()._cdata)
    except (NotImplementedError, RuntimeError):  # sparse, opaque
        return None


def _computed(output: Any, inputs: set[int | None]) -> Any:
    """An output as kernels write it: a tensor that requires no gradient, unless it shares an input's memory.

    `prims.convert_element_type` gives its result what its argument has, even where no gradient is kept
    (torch/_prims/__init__.py: `_convert_element_type_aten`).
    """
    if (
        not isinstance(output, torch.Tensor)
        or not output.requires_grad
        or storage_of(output) in inputs
    ):
        return output
    return output.detach()


def static_strides(output: Any) -> tuple[int, ...] | None:
    """The strides that the compiled code would give this output; None if they are not all numbers."""
    try:
        return tuple(int(stride) for stride in output.get_stride())
    except (AttributeError, TypeError, NotImplementedError, AssertionError):
        # An int, None, a symbolic stride.
        return None


def with_strides(
    output: Any, wanted: tuple[int, ...] | None, inputs: set[int | None]
) -> Any:
    """An output of a graph with the strides that the compiled code gives it, unless it shares an input's memory."""
    if (
        wanted is None
        or not isinstance(output, torch.Tensor)
        or output.layout != torch.strided
    ):
        return output
    if (
        output.stride() == wanted
        or len(wanted) != output.dim()
        or storage_of(output) in inputs
    ):
        return output
    return torch.empty_strided(
        output.size(), wanted, dtype=output.dtype, device=output.device
    ).copy_(output)


class PostGrad(torch.fx.Interpreter):  # type: ignore[misc]
    """Runs a post-grad graph by its operators."""

    def __init__(self, module: Any, **options: Any) -> None:
        super().__init__(module, **options)
        # A graph that fails must fail with its own error, not be reprinted with torch's advice.
        self.extra_traceback = False

    def run(self, *args: Any) -> Any:
        try:
            return super().run(*args)
        finally:
            # Until its next run, an interpreter would keep its inputs.
            self.args_iter = iter(())
            self.env.clear()

    def run_node(self, n: Any) -> Any:
        if n.target is torch.ops.prims.iota.default:
            # A kernel counts in unsigned types, which no kernel of eager does (torch/_refs/__init__.py: eye).
            args, kwargs = self.fetch_args_kwargs_from_env(n)
            counted = n.target(*args, **{**kwargs, "dtype": torch.int64})
            return counted.to(kwargs["dtype"])
        result = super().run_node(n)
        if (
            result is None
            and n.op == "call_function"
            and n.users
            and isinstance(n.target, tensors.OPERATOR.get())
        ):
            # An in-place foreach operator returns nothing, but as a lowered node it represents what it changed.
            return self.fetch_args_kwargs_from_env(n)[0][0]
        return result


class _OnFakes(PostGrad):
    """Operators that only Inductor or Triton can run give a value of the right shape."""

    def run_node(self, n: Any) -> Any:
        if n.op != "call_function":
            return super().run_node(n)
        hops = torch.ops.higher_order
        if n.target is hops.triton_kernel_wrapper_mutation:
            known_values.forget(self.fetch_args_kwargs_from_env(n)[1]["kwargs"])
            return None
        if n.target is hops.triton_kernel_wrapper_functional:
            kwargs = self.fetch_args_kwargs_from_env(n)[1]
            clones = {
                name: kwargs["kwargs"][name].clone()
                for name in kwargs["tensors_to_clone"]
            }
            known_values.forget(clones)
            return clones
        if n.target in (hops.while_loop, hops.while_loop_stack_output):
            taken = pytree.tree_leaves(self.fetch_args_kwargs_from_env(n))
            # How often a loop runs depends on values.
            if any(isinstance(leaf, FakeTensor) for leaf in taken):
                return _of_any_value(n)
        if names.LOWERS_ITSELF.of(n.target, False):
            # A LoweringPatternEntry put its handler here: it takes IR, not tensors.
            return _of_any_value(n)
        if unused_results.depends_on_values(n):
            with contextlib.suppress(
                tensors.DATA_DEPENDENT.get(), tensors.DYNAMIC_SHAPE.get()
            ):
                return super().run_node(n)
            # The graph is compiled for any value (`capture_scalar_outputs` ...), and there is none on this target.
            return _of_any_value(n)
        try:
            return super().run_node(n)
        except RuntimeError:
            known = isinstance(n.target, tensors.OPERATOR.get())
            if not known or n.target.namespace != "mkldnn":
                raise
            # oneDNN refuses types of half precision for which this machine's processor has no instructions.
            args, kwargs = pytree.tree_map_only(
                torch.Tensor, _single, self.fetch_args_kwargs_from_env(n)
            )
            return n.target(*args, **kwargs).to(n.meta["val"].dtype)


def _single(value: torch.Tensor) -> torch.Tensor:
    """A tensor of half precision in single precision."""
    if value.dtype not in (torch.bfloat16, torch.float16):
        return value
    if value.is_mkldnn:
        return value.to_dense().float().to_mkldnn()
    return value.float()


def _of_any_value(node: Any) -> Any:
    """Results that match those of `node` in number, shape and dtype; nothing is known about their values."""
    value = pytree.tree_map_only(torch.Tensor, _like, node.meta.get("val"))
    return pytree.tree_map_only(
        (torch.SymInt, torch.SymFloat, torch.SymBool), _stand_in, value
    )


def _like(value: Any) -> Any:
    size = [_hint(number) for number in value.size()]
    stride = [_hint(number) for number in value.stride()]
    tensor = torch.empty_strided(
        size, stride, dtype=value.dtype, device=value.device
    ).zero_()
    known_values.forget(tensor)
    return tensor


def _hint(size: Any) -> int:
    return int(_stand_in(size) if isinstance(size, torch.SymInt) else size)


def _stand_in(symbolic: Any) -> Any:
    """A value for a symbolic number: its hint, or one that its unbacked symbols allow."""
    import sympy  # type: ignore[import-untyped]  # torch brings it

    node = symbolic.node
    if node.hint is not None:
        return node.hint
    shape_env = node.shape_env
    values = names.SYMBOL_VALUES.of(shape_env)
    chosen = {}
    for symbol in node.expr.free_symbols:
        allowed = shape_env.bound_sympy(symbol)
        value = values.get(symbol, sympy.Integer(names.UNBACKED_FALLBACK.get()))
        chosen[symbol] = sympy.Max(allowed.lower, sympy.Min(allowed.upper, value))
    return node.pytype(node.expr.xreplace(chosen))
