"""Small values known on a virtual GPU: those that follow from constants, or from inputs of whole numbers.

Programs ask for such values (`int(step)`, `mask.any()`), and fake tensors have none: without them a capture would end
where a device goes on.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
import torch.nn.init
from torch import Tensor, UntypedStorage
from torch.multiprocessing.reductions import StorageWeakRef

from pytest_compile_golden.targets import missing_fake_rules
from pytest_compile_golden.targets.patching import Patches
from pytest_compile_golden.torch_internals import dynamo, tensors

FakeTensor = tensors.FAKE_TENSOR.get()
FakeTensorMode = tensors.FAKE_MODE.get()
pytree = tensors.PYTREE.get()
no_dispatch = tensors.NO_DISPATCH.get()

LARGEST = 1 << 20
"""Bytes of the largest storage whose values are kept."""
# Operators that write all of their first argument and do not read it.
_OVERWRITING = frozenset(
    {"aten::zero_", "aten::fill_.Scalar", "aten::fill_.Tensor", "aten::copy_"}
)
# Operators that make a tensor like another one, whose values do not matter: the new value, from their arguments.
_LIKE: dict[str, Callable[..., Any]] = {
    **dict.fromkeys(("aten::zeros_like", "aten::new_zeros"), lambda *args: 0),
    **dict.fromkeys(("aten::ones_like", "aten::new_ones"), lambda *args: 1),
    "aten::full_like": lambda like, value, *rest: value,
    "aten::new_full": lambda like, size, value, *rest: value,
}
# Operators with arbitrary results: uninitialized memory, and what Inductor draws (torch/_inductor/inductor_prims.py).
_ANY_VALUE = (
    "aten::empty",
    "aten::new_empty",
    "aten::resize_",
    "aten::set_",
    "prims::inductor_",
)
# Operators that make tensors whose sizes follow from the whole numbers among their arguments.
_SIZES_OF_WHOLE = frozenset({"aten::_ctc_loss.Tensor"})


class _Unknown(Exception):
    """A value that does not follow from constants."""


@dataclass
class KnownValues:
    """The real values of fake tensors' storages, on the CPU; by storage, so that views and their bases agree."""

    _by_storage: dict[int, tuple[Any, UntypedStorage]] = field(default_factory=dict)
    _sweep_at: int = 256
    only_whole: bool = False
    """Whether to learn nothing but whole numbers."""
    asked: set[str] = field(default_factory=set)
    """The named tensors from which a requested value followed."""
    _names: dict[int, frozenset[str]] = field(default_factory=dict)
    """By storage, the named tensors that its values follow from."""

    def value(self, tensor: Tensor) -> Tensor:
        """The real tensor for a fake one: the same view of the known storage. Raises _Unknown."""
        if tensor.is_conj() or tensor.is_neg():
            raise _Unknown
        if (storage := self._storage_of(tensor)) is None:
            raise _Unknown
        real = torch.empty(0, dtype=tensor.dtype, device="cpu")
        return real.set_(
            storage, tensor.storage_offset(), tensor.size(), tensor.stride()
        )

    def _storage_of(self, tensor: Tensor) -> UntypedStorage | None:
        entry = (
            self._by_storage.get(tensor.untyped_storage()._cdata)
            if tensor.layout == torch.strided
            else None
        )
        return None if entry is None or entry[0].expired() else entry[1]

    def value_or_none(self, tensor: Tensor) -> Tensor | None:
        """The same, or None if it is not known."""
        try:
            return self.value(tensor)
        except _Unknown:
            return None

    def record(self, tensor: Tensor, real: Tensor) -> None:
        """Record that the fake `tensor`, which covers all of its storage, has the values of `real`."""
        storage = tensor.untyped_storage()
        self._record_storage(
            storage, torch.UntypedStorage(storage.nbytes(), device="cpu")
        )
        self.value(tensor).copy_(real)

    def record_input(self, storage: UntypedStorage, real: Tensor) -> None:
        """Record the contents of the fake `storage` that represents `real`'s, if they are small and whole numbers."""
        has_values = not (isinstance(real, FakeTensor) or real.is_meta)
        if has_values and real.untyped_storage().nbytes() <= LARGEST and _whole(real):
            self._record_storage(storage, real.untyped_storage().cpu().clone())

    def should_record(self, real: Tensor) -> bool:
        """Whether to record a tensor with the values of `real`."""
        return not self.only_whole or _whole(real)

    def is_whole(self, tensor: Tensor) -> bool:
        """Whether the values of this tensor are all whole numbers, or are not known."""
        with no_dispatch():
            real = self.value_or_none(tensor)
            return real is None or _whole(real)

    def _record_storage(self, storage: UntypedStorage, real: UntypedStorage) -> None:
        if len(self._by_storage) >= self._sweep_at:
            self._by_storage = {
                key: entry
                for key, entry in self._by_storage.items()
                if not entry[0].expired()
            }
            self._sweep_at = 2 * len(self._by_storage) + 256
        # The weak reference keeps the address from being reused for another storage.
        self._by_storage[storage._cdata] = StorageWeakRef(storage), real
        self._names.pop(storage._cdata, None)

    def forget(self, tensor: Tensor) -> None:
        """Forget the values of this tensor and of everything that shares its storage."""
        if tensor.layout == torch.strided:
            self._by_storage.pop(tensor.untyped_storage()._cdata, None)

    def name(self, tensor: Tensor, names: Iterable[str]) -> None:
        """Remember that the values of `tensor`, if they are known, also follow from the tensors with these names."""
        if names and self.has(tensor):
            storage = tensor.untyped_storage()._cdata
            self._names[storage] = self._names.get(storage, frozenset()).union(names)

    def names(self, tensors: Iterable[Tensor]) -> frozenset[str]:
        """The named tensors that the values of these follow from."""
        if not self._names:
            return frozenset()
        return frozenset().union(
            *(
                self._names.get(tensor.untyped_storage()._cdata, ())
                for tensor in tensors
            )
        )

    def forget_names(self) -> None:
        """Forget which named tensors values follow from, before the next call names its own."""
        self._names.clear()
        self.asked = set()

    def has(self, tensor: Tensor) -> bool:
        """Whether its values are known: all tensors that share a storage are known, or none of them is."""
        return self._storage_of(tensor) is not None


def mode() -> Any:
    """A FakeTensorMode whose tensors give their values if these are small and follow from what is known.

    Small values are also computed on the CPU; everything else is unknown, as in any such mode. It is an instance of the
    class itself: higher-order operators have rules for each class of mode, and none for a subclass.
    """
    mode = FakeTensorMode(allow_non_fake_inputs=True)
    mode.known = KnownValues()
    # A copy of a tensor, and so of a module, has the same mode.
    mode.__deepcopy__ = lambda memo: mode
    original = mode.dispatch

    def like(real: Any, call: _Call) -> Any:
        with mode:
            fake = torch.empty(
                real.size(), dtype=real.dtype, device=call.tensors[0].device
            )
        mode.known.record(fake, real)
        mode.known.name(fake, mode.known.names(call.tensors))
        return fake

    def dispatch(func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        # Each access to `.device`, half of all calls, needs no value.
        if func is torch.ops.prim.device.default:
            return original(func, types, args, kwargs)
        # A higher-order operator may write to its arguments.
        if not isinstance(func, tensors.OPERATOR.get()):
            forget((args, kwargs))
            return original(func, types, args, kwargs)
        call = _call(mode, func, args, kwargs)
        if call.follows and call.asks_for_values:
            # Not inside an except block: what torch then raises is not a consequence of our exception.
            with contextlib.suppress(_Unknown):
                answer = call.real()
                mode.known.asked |= mode.known.names(call.tensors)
                return pytree.tree_map_only(
                    torch.Tensor, lambda real: like(real, call), answer
                )
            if not call.sizes_follow:
                return original(func, types, args, kwargs)
            mode.known.asked |= mode.known.names(call.tensors)
            leaves, spec = pytree.tree_flatten((args, kwargs))
            return missing_fake_rules.run_on_zeros(
                mode, func, leaves, spec, NotImplementedError(str(func))
            )
        result = original(func, types, args, kwargs)
        call.note(result)
        return result

    # Since 2.11 such modes are none of Dynamo's business (torch/utils/_python_dispatch.py: _should_skip_dynamo).
    mode.dispatch = (
        dispatch if tensors.SKIPS_DYNAMO.here else torch.compiler.disable(dispatch)
    )
    return mode


def _call(mode: Any, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> _Call:
    leaves = pytree.tree_leaves((args, kwargs))
    tensors = [leaf for leaf in leaves if isinstance(leaf, torch.Tensor)]
    constant = torch.Tensor if func in mode.lift_fns else FakeTensor
    plain = not any(isinstance(leaf, torch.SymInt) for leaf in leaves)
    follows = plain and all(type(tensor) is constant for tensor in tensors)
    return _Call(mode.known, func, args, kwargs, tensors, follows)


def forget(tree: Any) -> None:
    """Forget the values of the tensors in `tree`."""
    for known, tensor in _held(tree):
        known.forget(tensor)


@contextlib.contextmanager
def only_whole(inputs: Any) -> Iterator[None]:
    """Keep and learn only whole numbers of the tensors in `inputs`: other numbers may differ in their last digits on
    the device."""
    with contextlib.ExitStack() as stack:
        for known, tensor in _held(inputs):
            if not known.is_whole(tensor):
                known.forget(tensor)
            stack.callback(setattr, known, "only_whole", known.only_whole)
            known.only_whole = True
        yield


@contextlib.contextmanager
def note_requested_inputs(inputs: Mapping[str, Any]) -> Iterator[set[str]]:
    """Until the block ends, note the named inputs from which a requested value followed.

    The set is filled when the block ends. An input may be anything that contains tensors.
    """
    asked: set[str] = set()
    every = {id(known): known for known, _ in _held(inputs)}.values()
    for name, tree in inputs.items():
        for known, tensor in _held(tree):
            known.name(tensor, [name])
    try:
        yield asked
    finally:
        for known in every:
            asked |= known.asked
            known.forget_names()


def _held(tree: Any) -> Iterator[tuple[KnownValues, Tensor]]:
    for leaf in pytree.tree_leaves(tree):
        known = (
            getattr(leaf.fake_mode, "known", None)
            if isinstance(leaf, FakeTensor)
            else None
        )
        if known is not None:
            yield known, leaf


def _whole(real: Tensor) -> bool:
    """Whether it holds only whole numbers or booleans, for which operators give the same results on every device."""
    if real.is_complex() or real.is_quantized or real.layout != torch.strided:
        return False
    if not real.is_floating_point():
        return True
    # The CPU can only convert float8.
    return real.itemsize > 1 and bool((real == real.round()).all())


def install_initialisers(patches: Patches) -> None:
    """Make initialisers that look at what they drew draw only once."""

    def draw_once(original: Callable[..., Any]) -> Callable[..., Any]:
        def trunc_normal_(
            tensor: Any, mean: float, std: float, *args: Any, **kwargs: Any
        ) -> Any:
            if not isinstance(tensor, FakeTensor):
                return original(tensor, mean, std, *args, **kwargs)
            with torch.no_grad():
                return tensor.normal_(mean, std)

        return trunc_normal_

    # Since 2.13 it redraws what falls outside the bounds (torch/nn/init.py).
    patches.wrap(torch.nn.init, "_no_grad_trunc_normal_", draw_once)


@dataclass
class _Call:
    """One operator and its arguments, as far as values are concerned."""

    known: KnownValues
    func: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    tensors: list[Any]
    follows: bool
    """Whether all arguments are this mode's tensors, constants that are being lifted, or plain values."""

    @property
    def asks_for_values(self) -> bool:
        asks = {torch.Tag.data_dependent_output, torch.Tag.dynamic_output_shape}
        return bool(self.tensors) and not asks.isdisjoint(self.func.tags)

    @property
    def sizes_follow(self) -> bool:
        """Whether the sizes of what it makes follow from known whole numbers, although its values do not.

        Tracers give up at such an operator on a real GPU too, so this is for what runs eagerly.
        """
        if (
            self.func.name() not in _SIZES_OF_WHOLE
            or dynamo.TRACING_CONTEXT.get().try_get() is not None
        ):
            return False
        return all(
            self.known.has(tensor)
            for tensor in self.tensors
            if not tensor.is_floating_point()
        )

    def real(self) -> Any:
        """What the operator gives for the real values. Raises _Unknown."""

        def on_cpu(leaf: Any) -> Any:
            if isinstance(leaf, FakeTensor):
                return self.known.value(leaf)
            return torch.device("cpu") if isinstance(leaf, torch.device) else leaf

        args, kwargs = pytree.tree_map(on_cpu, (self.args, self.kwargs))
        try:
            with no_dispatch():
                return self.func(*args, **kwargs)
        except Exception:  # the CPU may not have the operator for this dtype; its result is then not known
            raise _Unknown from None

    def note(self, result: Any) -> None:
        """After FakeTensorMode has made the call: record what it made and wrote, or forget it."""
        try:
            if not self.follows:
                raise _Unknown
            outputs = [
                leaf
                for leaf in pytree.tree_leaves(result)
                if isinstance(leaf, FakeTensor)
            ]
            if any(
                output.layout != torch.strided
                or output.untyped_storage().nbytes() > LARGEST
                for output in outputs
            ):
                raise _Unknown
            self._record_outputs(outputs)
        except _Unknown:
            for tensor in self._written():
                self.known.forget(tensor)

    def _record_outputs(self, outputs: list[Any]) -> None:
        name = self.func.name()
        if torch.Tag.nondeterministic_seeded in self.func.tags or name.startswith(
            _ANY_VALUE
        ):
            raise _Unknown
        if name in _LIKE:
            value = _LIKE[name](*self.args)
            self.known.record(
                outputs[0], torch.full((), value, dtype=outputs[0].dtype, device="cpu")
            )
            return
        if not name.startswith(("aten::", "prims::")):
            raise _Unknown
        if name in _OVERWRITING and not self.known.has(self.tensors[0]):
            # Something has written all of this tensor. Raises _Unknown if it is only a part of its storage.
            tensor = self.tensors[0]
            nbytes = tensor.untyped_storage().nbytes()
            if (
                tensor.layout != torch.strided
                or tensor.numel() * tensor.itemsize != nbytes
                or nbytes > LARGEST
            ):
                raise _Unknown
            for other in self.tensors[1:]:
                self.known.value(other)
            self.known.record(tensor, torch.zeros((), dtype=tensor.dtype, device="cpu"))
        real = [
            leaf
            for leaf in pytree.tree_leaves(self.real())
            if isinstance(leaf, torch.Tensor)
        ]
        names = self.known.names(self.tensors)
        if not all(map(self.known.should_record, real)):
            raise _Unknown
        for output, value in zip(outputs, real, strict=False):
            # An output that is already known is a view of an argument, and so is its value.
            if not self.known.has(output) and output.size() == value.size():
                self.known.record(output, value)
        for output in (*outputs, *self._written()):
            self.known.name(output, names)

    def _written(self) -> list[Any]:
        written: list[Any] = []
        for index, argument in enumerate(self.func._schema.arguments):
            if argument.alias_info is not None and argument.alias_info.is_write:
                value = (
                    self.args[index]
                    if index < len(self.args)
                    else self.kwargs.get(argument.name)
                )
                written += [
                    leaf
                    for leaf in pytree.tree_leaves(value)
                    if isinstance(leaf, torch.Tensor)
                ]
        return written
