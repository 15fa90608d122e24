"""A virtual GPU's fake tensors where torch expects none: as the inputs of a graph, and as offsets of nested tensors.

The inputs are of another mode than the one the graph is traced in. Since 2.11 torch expects this, for compiling on
another machine; an older one takes no fake tensors but its tracer's. It is given one to find out which it is.

In the jagged layout, the size of a ragged dimension is a symbol that equals only itself. A fake tensor of offsets
remembers its symbol; torch's rules for this are made for compilation (torch/_subclasses/fake_tensor.py:
create_symbolic_nested_int), and these are eager's.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import torch

from pytest_compile_golden.targets.patching import Patches
from pytest_compile_golden.torch_internals import device as names
from pytest_compile_golden.torch_internals import dynamo, tensors

_takes: dict[object, bool] = {}
"""Which functions of torch take a tensor of another mode."""
FakeTensor = tensors.FAKE_TENSOR.get()

# Far from eager's own, which start at 0 and may be in the same process.
_numbers = itertools.count(1_000_000)


def take_foreign_fakes(patches: Patches, mode: Any) -> None:
    """Make torch take tensors of `mode`, a FakeTensorMode, where it refuses them, as later versions do."""

    def tensor() -> torch.Tensor:
        with mode:
            return torch.empty(1, device="cuda")

    def detect() -> object:
        with names.TRACING.get()(
            dynamo.TRACING_CONTEXT.get()(tensors.FAKE_MODE.get()())
        ):
            return names.DETECT_FAKE_MODE.get()([tensor()])

    def make_fake() -> object:
        config = SimpleNamespace(is_export=False, num_params_buffers=0)
        return names.PROCESS_INPUTS.get()(
            [tensor()], config, tensors.FAKE_MODE.get()(), None
        )

    if not _accepts(names.DETECT_FAKE_MODE.get(), detect):
        patches.adapt(*names.DETECT_FAKE_MODE.resolve(), _tracers_mode)
    if not _accepts(names.PROCESS_INPUTS.get(), make_fake):
        patches.adapt(*names.PROCESS_INPUTS.resolve(), _with_own_inputs)


def _accepts(function: object, call: Callable[[], object]) -> bool:
    if function not in _takes:
        try:
            call()
            _takes[function] = True
        except AssertionError:
            _takes[function] = False
    return _takes[function]


def _tracers_mode(original: Callable[..., Any]) -> Callable[..., Any]:
    """The mode of the graph being traced, whatever its inputs are, as in 2.11's torch/_guards.py."""

    def detect_fake_mode(inputs: Any = None) -> Any:
        context = dynamo.TRACING_CONTEXT.get().try_get()
        return (context and context.fake_mode) or original(inputs)

    return detect_fake_mode


def _with_own_inputs(original: Callable[..., Any]) -> Callable[..., Any]:
    """Inputs are made again in the tracer's mode, as in 2.11's torch/_functorch/_aot_autograd/frontend_utils.py."""

    def process_inputs(
        flat_args: Any, aot_config: Any, fake_mode: Any, *args: Any, **kwargs: Any
    ) -> Any:
        own = [_in_mode(value, fake_mode) for value in flat_args]
        return original(own, aot_config, fake_mode, *args, **kwargs)

    return process_inputs


def _in_mode(value: Any, mode: Any) -> Any:
    fake = tensors.FAKE_TENSOR.get()
    if isinstance(value, fake):
        return value if value.fake_mode is mode else mode.from_tensor(value)
    if not isinstance(value, torch.Tensor) or not tensors.WRAPS_TENSORS.get()(value):
        return value
    inner = [getattr(value, name) for name in value.__tensor_flatten__()[0]]
    if not any(isinstance(each, fake) and each.fake_mode is not mode for each in inner):
        return value
    context = dynamo.TRACING_CONTEXT.get().try_get()
    symbolic = context.tensor_to_context.get(value) if context is not None else None
    source = None if symbolic is None else symbolic.tensor_source
    return mode.from_tensor(
        value, symbolic_context=symbolic, source=source, trace=symbolic is None
    )


def make_common_argument() -> None:
    """Make the one tensor that all of them are given (torch/nested/_internal/nested_tensor.py: _nt_view_dummy).

    If a program made it, while being traced or on a virtual GPU, it would be the kind of tensor that is made there, and
    what is traced later would differ from what was traced first.
    """
    if names.NESTED_ARGUMENT.here:
        names.NESTED_ARGUMENT.get()()


def take_offsets(patches: Patches, mode: Any) -> None:
    """Let tensors of `mode`, the virtual GPU's mode, be offsets."""
    nested_int = names.NESTED_INT.get()

    def symbol(*, nt_tensor_id: int | None = None) -> torch.SymInt:
        return torch.SymInt(
            nested_int(next(_numbers) if nt_tensor_id is None else nt_tensor_id, 1)
        )

    def unflatten(original: Callable[..., Any]) -> Callable[..., Any]:
        def of(
            inner: dict[str, Any], meta: Any, outer_size: Any, outer_stride: Any
        ) -> Any:
            # Running compiled code has a plain number instead of the symbol, and would make the offsets remember that.
            source = inner.get("_lengths", inner["_offsets"])
            if isinstance(source, FakeTensor) and source.fake_mode is mode:
                outer_size = {meta["ragged_idx"]: source.get_nested_int()}
            return original(inner, meta, outer_size, outer_stride)

        return of

    mode.create_symbolic_nested_int = symbol
    patches.wrap(*names.NESTED_UNFLATTEN.resolve(), unflatten)
