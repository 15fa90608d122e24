"""Small values known on a virtual GPU: those that follow from constants, or from inputs of whole numbers."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
import torch.nn.init
from torch import Tensor, UntypedStorage
from torch._guards import TracingContext
from torch._subclasses import FakeTensorMode
from torch._subclasses.fake_tensor import FakeTensor
from torch.multiprocessing.reductions import StorageWeakRef
from torch.utils import _pytree as pytree
from torch.utils._mode_utils import no_dispatch

from pytest_compile_golden.targets import evaluation, without_fakes
from pytest_compile_golden.targets.patching import Patches

LARGEST = 1 << 20
"""Bytes of the largest storage whose values are kept."""
# Operators that write all of their first argument and do not read it.
_OVERWRITING = frozenset({"aten::zero_", "aten::fill_.Scalar", "aten::fill_.Tensor", "aten::copy_"})
# What is made like another tensor, whose values do not count: the value is given, or the argument at that place.
_LIKE: dict[str, int | tuple[object]] = {
    "aten::zeros_like": (0,),
    "aten::ones_like": (1,),
    "aten::new_zeros": (0,),
    "aten::new_ones": (1,),
    "aten::full_like": 1,
    "aten::new_full": 2,
}
# What has any value: memory as it was found, and what Inductor draws (torch/_inductor/inductor_prims.py).
_ANY_VALUE = ("aten::empty", "aten::new_empty", "aten::resize_", "aten::set_", "prims::inductor_")
# What makes tensors whose sizes follow from the whole numbers among its arguments.
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
    """The named tensors that a value followed from which something asked for."""
    _names: dict[int, frozenset[str]] = field(default_factory=dict)
    """By storage, the named tensors that its values follow from."""

    def value(self, tensor: Tensor) -> Tensor:
        """The real tensor in the place of a fake one: the same view of the storage that is known. Raises _Unknown."""
        if tensor.layout != torch.strided or tensor.is_conj() or tensor.is_neg():
            raise _Unknown
        entry = self._by_storage.get(tensor.untyped_storage()._cdata)
        if entry is None or entry[0].expired():
            raise _Unknown
        real = torch.empty(0, dtype=tensor.dtype, device="cpu")
        return real.set_(entry[1], tensor.storage_offset(), tensor.size(), tensor.stride())

    def value_or_none(self, tensor: Tensor) -> Tensor | None:
        """The same, and None where it is not known."""
        try:
            return self.value(tensor)
        except _Unknown:
            return None

    def learn(self, tensor: Tensor, real: Tensor) -> None:
        """Know that the fake `tensor`, which has all of its storage, has the values of `real`."""
        storage = tensor.untyped_storage()
        self._hold(storage, torch.UntypedStorage(storage.nbytes(), device="cpu"))
        self.value(tensor).copy_(real)

    def learn_input(self, storage: UntypedStorage, real: Tensor) -> None:
        """Know what is in the fake `storage` that stands for the one of `real`, if that is small and whole numbers."""
        has_values = not (isinstance(real, FakeTensor) or real.is_meta)
        if has_values and real.untyped_storage().nbytes() <= LARGEST and _whole(real):
            self._hold(storage, real.untyped_storage().cpu().clone())

    def learns(self, real: Tensor) -> bool:
        """Whether to know a tensor that has the values of `real`."""
        return not self.only_whole or _whole(real)

    def is_whole(self, tensor: Tensor) -> bool:
        """Whether all of this tensor's storage is whole numbers, or nothing is known of it."""
        try:
            with no_dispatch():
                return _whole(self.value(tensor))
        except _Unknown:
            return True

    def _hold(self, storage: UntypedStorage, real: UntypedStorage) -> None:
        if len(self._by_storage) >= self._sweep_at:
            self._by_storage = {key: entry for key, entry in self._by_storage.items() if not entry[0].expired()}
            self._sweep_at = 2 * len(self._by_storage) + 256
        # The weak reference keeps the address from being another storage's.
        self._by_storage[storage._cdata] = StorageWeakRef(storage), real
        self._names.pop(storage._cdata, None)

    def forget(self, tensor: Tensor) -> None:
        """Know nothing about this tensor any more, nor about what shares its storage."""
        if tensor.layout == torch.strided:
            self._by_storage.pop(tensor.untyped_storage()._cdata, None)

    def name(self, tensor: Tensor, names: Iterable[str]) -> None:
        """Remember that the values of `tensor`, where they are known, follow from the tensors of these names too."""
        if names and self.knows(tensor):
            storage = tensor.untyped_storage()._cdata
            self._names[storage] = self._names.get(storage, frozenset()).union(names)

    def names(self, tensors: Iterable[Tensor]) -> frozenset[str]:
        """The named tensors that the values of these follow from."""
        if not self._names:
            return frozenset()
        return frozenset().union(*(self._names.get(tensor.untyped_storage()._cdata, ()) for tensor in tensors))

    def forget_names(self) -> None:
        self._names.clear()
        self.asked = set()

    def knows(self, tensor: Tensor) -> bool:
        if tensor.layout != torch.strided:
            return False
        entry = self._by_storage.get(tensor.untyped_storage()._cdata)
        return entry is not None and not entry[0].expired()


def mode() -> Any:
    """A FakeTensorMode whose tensors answer for their values where these are small and follow from what is known.

    What is small is computed beside it, on the CPU; everything else is unknown, as there. It is an instance of the
    class itself: higher-order operators have rules for each mode's class, and none for one that derives from it.
    """
    mode = FakeTensorMode(allow_non_fake_inputs=True)
    mode.known = KnownValues()
    # A copy of a tensor, and so of a module, is of the same mode.
    mode.__deepcopy__ = lambda memo: mode
    original = mode.dispatch

    def like(real: Any, call: _Call) -> Any:
        with mode:
            fake = torch.empty(real.size(), dtype=real.dtype, device=call.tensors[0].device)
        mode.known.learn(fake, real)
        mode.known.name(fake, mode.known.names(call.tensors))
        return fake

    def dispatch(func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if func is torch.ops.prim.device.default:  # each look at `.device`, half of all calls: it asks for no value
            return original(func, types, args, kwargs)
        beside = evaluation.active()
        if beside is None:
            return known_call(func, types, args, kwargs)
        return beside.call(lambda: known_call(func, types, args, kwargs), func, args, kwargs)

    def known_call(func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if not isinstance(func, torch._ops.OpOverload):  # a higher-order operator: it may write what it is given
            forget((args, kwargs))
            return original(func, types, args, kwargs)
        call = _call(mode, func, args, kwargs)
        if call.follows and call.asks_for_values:
            # Not from inside of an except block: what torch then raises is not a consequence of ours.
            with contextlib.suppress(_Unknown):
                answer = call.real()
                mode.known.asked |= mode.known.names(call.tensors)
                return pytree.tree_map_only(torch.Tensor, lambda real: like(real, call), answer)
            if not call.sizes_follow:
                return original(func, types, args, kwargs)
            mode.known.asked |= mode.known.names(call.tensors)
            leaves, spec = pytree.tree_flatten((args, kwargs))
            return without_fakes.run_on_zeros(mode, func, leaves, spec, NotImplementedError(str(func)))
        result = original(func, types, args, kwargs)
        call.note(result)
        return result

    mode.dispatch = dispatch
    return mode


def _call(mode: Any, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> _Call:
    leaves = pytree.tree_leaves((args, kwargs))
    tensors = [leaf for leaf in leaves if isinstance(leaf, torch.Tensor)]
    constant = torch.Tensor if func in mode.lift_fns else FakeTensor
    plain = not any(isinstance(leaf, torch.SymInt) for leaf in leaves)
    follows = plain and all(type(tensor) is constant for tensor in tensors)
    return _Call(mode.known, func, args, kwargs, tensors, follows)


def forget(tree: Any) -> None:
    """Know nothing about the tensors in `tree` any more."""
    for known, tensor in _held(tree):
        known.forget(tensor)


def learn_again(tree: Any, value: Callable[[Any], Tensor]) -> None:
    """Know of the tensors in `tree` what is small and whole numbers in their real values, which something wrote."""
    for known, tensor in _held(tree):
        known.forget(tensor)
        with no_dispatch():
            known.learn_input(tensor.untyped_storage(), value(tensor))


@contextlib.contextmanager
def only_whole(inputs: Any) -> Iterator[None]:
    """Know no other than whole numbers of the tensors in `inputs`, and learn no other: the last digits of others may
    be others on the device."""
    with contextlib.ExitStack() as stack:
        for known, tensor in _held(inputs):
            if not known.is_whole(tensor):
                known.forget(tensor)
            stack.callback(setattr, known, "only_whole", known.only_whole)
            known.only_whole = True
        yield


@contextlib.contextmanager
def asked_for(inputs: Mapping[str, Any]) -> Iterator[set[str]]:
    """Until the block ends, note which of the named inputs a value followed from that something asked for.

    It is told when the block ends. An input may be anything that has tensors in it.
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
        known = getattr(getattr(leaf, "fake_mode", None), "known", None)
        if isinstance(known, KnownValues):
            yield known, leaf


def _whole(real: Tensor) -> bool:
    """Whether it holds whole numbers, truth values among them; of these, operators give the same on every device."""
    if real.is_complex() or real.is_quantized or real.layout != torch.strided:
        return False
    if not real.is_floating_point():
        return True
    return real.itemsize > 1 and bool((real == real.round()).all())  # of float8, the CPU has only conversions


def install_initialisers(patches: Patches) -> None:
    """Have initialisers that look at what they drew draw once: on a virtual GPU there is nothing to look at."""

    def draw_once(original: Callable[..., Any]) -> Callable[..., Any]:
        def trunc_normal_(tensor: Any, mean: float, std: float, *args: Any, **kwargs: Any) -> Any:
            if not isinstance(tensor, FakeTensor):
                return original(tensor, mean, std, *args, **kwargs)
            with torch.no_grad():
                return tensor.normal_(mean, std)

        return trunc_normal_

    # Since 2.13 it draws again what falls outside (torch/nn/init.py).
    patches.wrap(torch.nn.init, "_no_grad_trunc_normal_", draw_once)


@dataclass
class _Call:
    """One operator and its arguments, as far as values go."""

    known: KnownValues
    func: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    tensors: list[Any]
    follows: bool
    """Whether all arguments are this mode's tensors, constants being lifted, or plain values."""

    @property
    def asks_for_values(self) -> bool:
        asks = {torch.Tag.data_dependent_output, torch.Tag.dynamic_output_shape}
        return bool(self.tensors) and not asks.isdisjoint(self.func.tags)

    @property
    def sizes_follow(self) -> bool:
        """Whether the sizes of what it makes follow from whole numbers that are known, though its values do not.

        Tracers give up at such an operator on a GPU too, so that this is for what runs eagerly.
        """
        if self.func.name() not in _SIZES_OF_WHOLE or TracingContext.try_get() is not None:
            return False
        return all(self.known.knows(tensor) for tensor in self.tensors if not tensor.is_floating_point())

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
        except Exception:  # the CPU may not have the operator for this dtype: then its result is not known
            raise _Unknown from None

    def note(self, result: Any) -> None:
        """After FakeTensorMode did the call: know what it made and wrote, or know nothing of it any more."""
        try:
            if not self.follows:
                raise _Unknown
            outputs = [leaf for leaf in pytree.tree_leaves(result) if isinstance(leaf, FakeTensor)]
            if any(output.layout != torch.strided or output.untyped_storage().nbytes() > LARGEST for output in outputs):
                raise _Unknown
            self._learn(outputs)
        except _Unknown:
            for tensor in self._written():
                self.known.forget(tensor)

    def _learn(self, outputs: list[Any]) -> None:
        name = self.func.name()
        if torch.Tag.nondeterministic_seeded in self.func.tags or name.startswith(_ANY_VALUE):
            raise _Unknown
        if name in _LIKE:
            value: Any = _LIKE[name]
            value = value[0] if isinstance(value, tuple) else self.args[value]
            self.known.learn(outputs[0], torch.full((), value, dtype=outputs[0].dtype, device="cpu"))
            return
        if not name.startswith(("aten::", "prims::")):
            raise _Unknown
        if name in _OVERWRITING and not self.known.knows(self.tensors[0]):
            self._begin_to_know(self.tensors[0])
        real = [leaf for leaf in pytree.tree_leaves(self.real()) if isinstance(leaf, torch.Tensor)]
        names = self.known.names(self.tensors)
        if not all(map(self.known.learns, real)):
            raise _Unknown
        for output, value in zip(outputs, real, strict=False):
            # What is known already is a view of an argument, and so is its value.
            if not self.known.knows(output) and output.size() == value.size():
                self.known.learn(output, value)
        for output in (*outputs, *self._written()):
            self.known.name(output, names)

    def _begin_to_know(self, tensor: Any) -> None:
        """Something has written all of this tensor. _Unknown where it is only a part of its storage."""
        nbytes = tensor.untyped_storage().nbytes()
        if tensor.layout != torch.strided or tensor.numel() * tensor.itemsize != nbytes or nbytes > LARGEST:
            raise _Unknown
        for other in self.tensors[1:]:
            self.known.value(other)
        self.known.learn(tensor, torch.zeros((), dtype=tensor.dtype, device="cpu"))

    def _written(self) -> list[Any]:
        written: list[Any] = []
        for place, argument in enumerate(self.func._schema.arguments):
            if argument.alias_info is not None and argument.alias_info.is_write:
                value = self.args[place] if place < len(self.args) else self.kwargs.get(argument.name)
                written += [leaf for leaf in pytree.tree_leaves(value) if isinstance(leaf, torch.Tensor)]
        return written
