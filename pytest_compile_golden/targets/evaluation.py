"""Real values alongside a virtual GPU's tensors: for as long as asked, what runs there is also computed on the CPU."""

from __future__ import annotations

import contextlib
import copy
import types
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, UntypedStorage
from torch.multiprocessing.reductions import StorageWeakRef

from pytest_compile_golden.common.lines import split_lines
from pytest_compile_golden.errors import NotInterpretable
from pytest_compile_golden.targets import context
from pytest_compile_golden.targets.cuda_operators import devices_on_cpu, on_cpu
from pytest_compile_golden.targets.patching import Patches
from pytest_compile_golden.torch_internals import device as names
from pytest_compile_golden.torch_internals import tensors

FakeTensor = tensors.FAKE_TENSOR.get()
FakeTensorMode = tensors.FAKE_MODE.get()
pytree = tensors.PYTREE.get()
OpOverload = tensors.OPERATOR.get()
no_dispatch = tensors.NO_DISPATCH.get()
_disable_current_modes = tensors.DISABLE_MODES.get()

LARGEST = 1 << 29
"""Bytes of the largest storage that has values."""


class NoValue(NotInterpretable):
    """The value of a virtual GPU's tensor is not known; the message says why."""


@dataclass(frozen=True)
class GraphProgram:
    """One compiled graph, as passed to the call that replaces it."""

    code: str
    """The module that Inductor wrote."""
    graph: Any
    """The GraphModule that it was lowered from."""
    constants: dict[str, Any]
    """Tensors and other values that the module expects as globals."""
    buffers: dict[str, str]
    """By the name of each buffer that holds a node's value, the name of the node."""


RunGraph = Callable[[GraphProgram, list[Any]], list[Any]]


@dataclass
class Evaluation:
    """The values of all tensors of a virtual GPU, by storage, so that views and their bases agree."""

    mode: Any
    """The FakeTensorMode of the active target."""
    run_graph: RunGraph | None = None
    """Runs a compiled graph on real tensors; without it, what a graph returns has no value."""
    _storages: dict[int, tuple[Any, UntypedStorage]] = field(default_factory=dict)
    _reasons: dict[int, str] = field(default_factory=dict)
    _sweep_at: int = 256

    def value(self, tensor: Tensor) -> Tensor:
        """The real tensor for `tensor`, with memory shared in the same way; `tensor` itself if it is real.

        Raises NoValue.
        """
        if not isinstance(tensor, FakeTensor):
            return tensor
        if tensor.layout != torch.strided:
            raise NoValue(f"a tensor of layout {tensor.layout} has no value on a virtual GPU")
        key = tensor.untyped_storage()._cdata
        entry = self._storages.get(key)
        if entry is None or entry[0].expired():
            raise NoValue(self._reasons.get(key, "it was made before its target started to keep values"))
        with _for_real():
            real = torch.empty(0, dtype=tensor.dtype, device="cpu")
            real.set_(entry[1], tensor.storage_offset(), tensor.size(), tensor.stride())
            real = real.conj() if tensor.is_conj() else real
            return real._neg_view() if tensor.is_neg() else real

    def record_value(self, storage: UntypedStorage, real: UntypedStorage) -> None:
        """Record that a fake storage has the contents of `real`; from now on the two are the same."""
        if len(self._storages) >= self._sweep_at:
            self._storages = {key: entry for key, entry in self._storages.items() if not entry[0].expired()}
            self._reasons = {key: text for key, text in self._reasons.items() if key in self._storages}
            self._sweep_at = 2 * len(self._storages) + 256
        # The weak reference keeps the address from being reused for another storage.
        self._storages[storage._cdata] = StorageWeakRef(storage), real

    def device_tensors(self, tensors: list[Any], inputs: Sequence[Any] = ()) -> list[Any]:
        """Tensors of the virtual GPU with the values of these real ones; what shares memory here does so there.

        inputs: tensors of the virtual GPU whose values some of them may share memory with. Other leaves are kept.
        """
        fakes = {
            self.value(tensor).untyped_storage()._cdata: tensor.untyped_storage()
            for tensor in inputs
            if isinstance(tensor, FakeTensor)
        }
        fake_of = {id(tensor): self._on_device(tensor, fakes) for tensor in tensors if isinstance(tensor, Tensor)}
        # A tensor that occurs twice stays one tensor: autograd accumulates in place.
        return [fake_of.get(id(tensor), tensor) for tensor in tensors]

    def _on_device(self, real: Tensor, fakes: dict[int, UntypedStorage]) -> Tensor:
        storage = real.untyped_storage()
        with _for_real():
            fake = fakes.get(storage._cdata)
            if fake is None:
                fake = fakes[storage._cdata] = UntypedStorage(storage.nbytes(), device="meta")
                self.record_value(fake, storage)
            meta = torch.empty(0, dtype=real.dtype, device="meta")
            meta.set_(fake, real.storage_offset(), real.size(), real.stride())
        return FakeTensor(self.mode, meta, torch.device("cuda", 0))

    def call(self, fake_call: Callable[[], Any], func: Any, args: Any, kwargs: Any) -> Any:
        """Run an operator for real and, with `fake_call`, as the target does; the result has values."""
        arguments = [leaf for leaf in pytree.tree_leaves((args, kwargs)) if isinstance(leaf, Tensor)]
        asks = {torch.Tag.data_dependent_output, torch.Tag.dynamic_output_shape} & set(getattr(func, "tags", ()))
        result: Any = None
        try:
            real_args = pytree.tree_map_only(Tensor, self.value, devices_on_cpu((args, kwargs)))
            if asks:
                leaves, spec = pytree.tree_flatten(_done(func, *real_args))
                return pytree.tree_unflatten(self.device_tensors(leaves), spec)
            with suspended():  # operators that the fake one is made of
                result = fake_call()
            if result is NotImplemented:  # a tensor that wraps others (jagged, distributed) runs it on those
                return result
            outputs, spec = pytree.tree_flatten(result)
            for leaf in outputs:
                nbytes = leaf.untyped_storage().nbytes() if _has_storage(leaf) else 0
                if nbytes > LARGEST:
                    raise NoValue(f"a tensor of {nbytes >> 20} MiB is too large to have values")
            # A gradient that nobody asks for may be a tensor on one side and None on the other.
            values = pytree.tree_leaves(_done(func, *real_args))
        except NoValue as error:
            if result is None:
                with suspended():
                    result = fake_call()
            self._record_no_value([*arguments, *pytree.tree_leaves(result)], arguments, func, str(error))
            return result
        shared = {leaf.untyped_storage()._cdata for leaf in pytree.tree_leaves(real_args) if _has_storage(leaf)}
        if getattr(func, "namespace", "") != "aten":
            shared |= {value.untyped_storage()._cdata for value in values if _has_storage(value)}
        for index, (fake, value) in enumerate(zip(outputs, values, strict=False)):
            if isinstance(value, Tensor):
                self._record_result(fake, value, shared, func)
            elif value is None and isinstance(fake, Tensor) and fake.numel() == 0:
                outputs[index] = None  # which torch's fake operators cannot return
                result = pytree.tree_unflatten(outputs, spec)
        return result

    def higher_order(self, operator: Any, args: Any, kwargs: Any) -> Any:
        """Run a higher-order operator for real: it consists of operators, and values may decide which of them run."""
        args, kwargs = pytree.tree_map_only(Tensor, self.value, (args, kwargs))
        args, kwargs = pytree.tree_map_only(torch.fx.GraphModule, _made_on_cpu, (args, kwargs))
        args, kwargs = pytree.tree_map_only(types.FunctionType, self._with_values, (args, kwargs))
        with suspended(), _disable_current_modes():
            leaves, spec = pytree.tree_flatten(operator(*args, **kwargs))
        return pytree.tree_unflatten(self.device_tensors(leaves), spec)

    def _with_values(self, function: types.FunctionType) -> types.FunctionType:
        """A copy of `function` that closes over the values of the tensors and functions that `function` closes over."""

        def known(held: Any) -> Any:
            if isinstance(held, types.FunctionType):
                return self._with_values(held)
            return self.value(held) if isinstance(held, Tensor) else held

        cells = [types.CellType(pytree.tree_map(known, cell.cell_contents)) for cell in function.__closure__ or ()]
        code, defaults = function.__code__, function.__defaults__
        return types.FunctionType(code, function.__globals__, function.__name__, defaults, tuple(cells))

    def as_on_device(self, func: Any, args: Any, kwargs: Any) -> Any:
        """What an operator returns on the virtual GPU for tensors like these real ones, without values."""

        gpu = torch.device("cuda", 0)

        def like(real: Tensor) -> Tensor:
            with _for_real():
                meta = torch.empty_strided(real.size(), real.stride(), dtype=real.dtype, device="meta")
            return FakeTensor(self.mode, meta, gpu)

        with suspended(), self.mode:
            args, kwargs = pytree.tree_map_only(Tensor, like, (args, kwargs))
            args, kwargs = pytree.tree_map_only(torch.device, lambda device: gpu, (args, kwargs))
            return func(*args, **kwargs)

    def _record_result(self, fake: Any, value: Tensor, shared: set[int], func: Any) -> None:
        """Record the value of a result, unless it shares memory with an argument and so already has one.

        shared: storages that something else may be a part of; the contents of any other storage are taken over.
        """
        if not isinstance(fake, FakeTensor) or fake.layout != torch.strided:
            return
        storage = fake.untyped_storage()
        entry = self._storages.get(storage._cdata)
        if entry is not None and not entry[0].expired():
            return
        if fake.size() != value.size():
            self._reasons[storage._cdata] = f"{func} has results of other sizes on a GPU than on a CPU"
            return
        with _for_real():
            if _has_storage(value) and _laid_out_alike(fake, value) and value.untyped_storage()._cdata not in shared:
                shared.add(value.untyped_storage()._cdata)
                self.record_value(storage, value.untyped_storage())
                return
            self.record_value(storage, torch.zeros(storage.nbytes(), dtype=torch.uint8, device="cpu").untyped_storage())
            self.value(fake).copy_(value)

    def _record_no_value(self, tensors: list[Any], arguments: list[Tensor], func: Any, reason: str) -> None:
        """Record that what an operator made or wrote has no value."""
        writes = isinstance(func, OpOverload) and func._schema.is_mutable
        fakes = [] if writes else [leaf for leaf in arguments if isinstance(leaf, FakeTensor)]
        unwritten = {fake.untyped_storage()._cdata for fake in fakes}
        for tensor in tensors:
            if isinstance(tensor, FakeTensor) and tensor.layout == torch.strided:
                key = tensor.untyped_storage()._cdata
                if key not in unwritten:
                    self._storages.pop(key, None)
                    self._reasons[key] = reason


def _has_storage(leaf: Any) -> bool:
    """Whether a tensor's elements are in memory; the zeros that forward-mode derivatives start with are not."""
    return isinstance(leaf, Tensor) and leaf.layout == torch.strided and not leaf._is_zerotensor()


def _laid_out_alike(fake: Tensor, value: Tensor) -> bool:
    """Whether both have the same elements, in storages of the same size."""
    alike = all(of(fake) == of(value) for of in (Tensor.stride, Tensor.storage_offset, Tensor.is_conj, Tensor.is_neg))
    return alike and fake.dtype == value.dtype and fake.untyped_storage().nbytes() == value.untyped_storage().nbytes()


def _made_on_cpu(graph: torch.fx.GraphModule) -> torch.fx.GraphModule:
    """A graph that makes on the CPU what it makes on the GPU: a score or mask function as Dynamo has traced it."""
    other = torch.fx.GraphModule(graph, copy.deepcopy(graph.graph))
    for node in other.graph.nodes:
        node.args, node.kwargs = devices_on_cpu((node.args, dict(node.kwargs)))
    other.recompile()
    return other


@contextlib.contextmanager
def _for_real() -> Iterator[None]:
    """Operators run on their arguments as they are: nothing is fake, and vmap, below which they run, is ignored."""
    with names.DISABLE_FUNCTORCH.get()(), no_dispatch():
        yield


def _done(func: Any, args: Any, kwargs: Any) -> Any:
    try:
        with _for_real():
            return on_cpu(func)(*args, **kwargs)
    except Exception as error:  # the CPU may not have the operator, or not for this dtype
        message = split_lines(str(error).strip()) or [""]
        raise NoValue(f"{func} does not run on a CPU ({message[0]})") from error


@dataclass(frozen=True)
class _Suspended:
    """Whether the evaluation computes no values for now."""

    value: bool


def active() -> Evaluation | None:
    """The evaluation that is in progress, unless it is suspended."""
    return None if context.now(_Suspended) == _Suspended(True) else context.now(Evaluation)


@contextlib.contextmanager
def evaluating(mode: Any) -> Iterator[Evaluation]:
    """Keep values of the tensors of `mode` until the block ends; inside another such block, that one's evaluation."""
    outer = context.now(Evaluation)
    if outer is not None:
        yield outer
        return
    with Patches() as patches:
        _evaluate_higher_order(patches)
        evaluation = Evaluation(mode)
        with context.within(evaluation):
            yield evaluation


def _evaluate_higher_order(patches: Patches) -> None:
    """Higher-order operators have their own rules for fake tensors, which the mode does not see."""

    def evaluated(operator: Any, rule: Callable[..., Any]) -> Callable[..., Any]:
        def call(mode: Any, *args: Any, **kwargs: Any) -> Any:
            values = active()
            return rule(mode, *args, **kwargs) if values is None else values.higher_order(operator, args, kwargs)

        return call

    for operator in tensors.HIGHER_ORDER_TABLE.get().values():
        rule = operator.python_key_table.get(FakeTensorMode)
        if rule is not None:
            patches.put_item(operator.python_key_table, FakeTensorMode, evaluated(operator, rule))


def suspended() -> contextlib.AbstractContextManager[None]:
    """Compute no values inside: a compiler's tensors have none, whichever compiler it is."""
    return context.within(_Suspended(True))


def resumed() -> contextlib.AbstractContextManager[None]:
    """Compute values inside although a compiler is running, for tensors that it makes for the program to keep."""
    return context.within(_Suspended(False))


def real(tensor: Tensor) -> Tensor:
    """The value of a virtual GPU's tensor; any other tensor unchanged. Raises NoValue."""
    if not isinstance(tensor, FakeTensor):
        return tensor
    evaluation = context.now(Evaluation)
    if evaluation is None:
        raise NoValue("its target keeps no values")
    return evaluation.value(tensor)
