"""CUDA graphs on a device that computes: what is captured is executed at once, and again at each replay.

As on a card, a graph knows memory by its address: what is allocated while it is captured is in its pool (pools.py), and
is there as long as the graph. What is captured leaves the memory that was there before as it was.
"""

from __future__ import annotations

import contextlib
import ctypes
import itertools
import sys
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch

from pytest_compile_golden.features.virtual_gpu import device_library, graph_pools
from pytest_compile_golden.targets.run_lowered_graph import Call
from pytest_compile_golden.torch_internals import device as names
from pytest_compile_golden.torch_internals import tensors

TorchDispatchMode = tensors.DISPATCH_MODE.get()
pytree = tensors.PYTREE.get()
_disable_current_modes = tensors.DISABLE_MODES.get()

_capturing: list[CUDAGraph] = []
_handles = itertools.count(1)


def new_pool() -> tuple[int, int]:
    """A pool that no graph uses yet, as torch tells pools apart."""
    return 0, next(_handles)


def is_capturing() -> bool:
    """Whether a graph is being captured."""
    return bool(_capturing)


def launch(
    function: Callable[..., object], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> None:
    """Call what launches a kernel, now and at each replay of the graphs that are being captured."""
    for graph in _capturing:
        graph.will_write(pytree.tree_leaves((args, kwargs)))
    held_args, held_kwargs = _held((args, kwargs)) if _capturing else ((), {})
    function(*args, **kwargs)
    for graph in _capturing:
        graph.steps.append(lambda: function(*held_args, **held_kwargs))


def as_one_step(call: Call, written: Sequence[int]) -> Call:
    """The call of a compiled graph, which is one step of the graphs that are being captured.

    written: the places of the inputs that it writes to.
    """

    def run(args: list[Any]) -> Sequence[Any]:
        if not _capturing:
            return call(args)
        inputs = list(args)
        args.clear()
        held = _held(inputs)
        for graph in _capturing:
            graph.will_write([inputs[place] for place in written])
        with _not_capturing() as graphs:
            outputs = call(list(inputs))
        old = _held(list(outputs))

        def again() -> None:
            _write(old, call(list(held)))

        for graph in graphs:
            graph.steps.append(again)
        return outputs

    return run


@contextlib.contextmanager
def _not_capturing() -> Iterator[list[CUDAGraph]]:
    """Gives the graphs that are being captured otherwise."""
    graphs = list(_capturing)
    _capturing.clear()
    try:
        with torch.no_grad(), _disable_current_modes():
            yield graphs
    finally:
        _capturing[:] = graphs


def _held(tree: Any) -> Any:
    """As a graph keeps it: what is in a pool by its address, since it may be freed while the graph is captured."""

    def held(tensor: torch.Tensor) -> torch.Tensor:
        if type(tensor) not in (torch.Tensor, torch.nn.Parameter) or not _has_memory(
            tensor
        ):
            return tensor
        if not device_library.load().is_pooled(tensor.untyped_storage().data_ptr()):
            return tensor
        alias: torch.Tensor = torch.ops.compile_golden.unowned(tensor.detach())
        return alias

    with _disable_current_modes():
        return pytree.tree_map_only(torch.Tensor, held, tree)


def _has_memory(tensor: torch.Tensor) -> bool:
    return tensor.is_cuda and tensor.layout == torch.strided and not tensor.is_nested


def _write(old: Any, new: Any) -> None:
    """Give the results of the first time the values of this time."""
    for mine, theirs in zip(
        pytree.tree_leaves(old), pytree.tree_leaves(new), strict=True
    ):
        if isinstance(mine, torch.Tensor) and mine is not theirs:
            if _has_memory(mine) and mine.data_ptr() == theirs.data_ptr():
                continue
            _once(mine).copy_(_once(theirs))


def _once(tensor: torch.Tensor) -> torch.Tensor:
    """Each element once, of one that is expanded."""
    if tensor.layout != torch.strided or tensor.is_nested:
        return tensor
    for dim, (size, stride) in enumerate(
        zip(tensor.size(), tensor.stride(), strict=True)
    ):
        if stride == 0 and size > 1:
            tensor = tensor.narrow(dim, 0, 1)
    return tensor


class _Recorder(TorchDispatchMode):  # type: ignore[misc,valid-type]
    """Executes operators, and keeps how to execute them again with the same memory."""

    def __init__(self, graph: CUDAGraph) -> None:
        super().__init__()
        self._graph = graph

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        kwargs = kwargs or {}
        if func.is_view:
            return func(*args, **kwargs)
        arguments = func._schema.arguments
        by_name = {
            argument.name: value
            for argument, value in zip(arguments, args, strict=False)
        } | kwargs
        written = [
            by_name.get(argument.name)
            for argument in arguments
            if argument.alias_info is not None and argument.alias_info.is_write
        ]
        self._graph.will_write(pytree.tree_leaves(written))
        held_args, held_kwargs = _held((args, kwargs))
        results = func(*args, **kwargs)
        given = {id(leaf) for leaf in pytree.tree_leaves((args, kwargs))}
        made = [leaf for leaf in pytree.tree_leaves(results) if id(leaf) not in given]
        self._graph.has_made(made)
        first = _held(
            pytree.tree_map(lambda leaf: None if id(leaf) in given else leaf, results)
        )
        self._graph.steps.append(lambda: _write(first, func(*held_args, **held_kwargs)))
        return results


class CUDAGraph:
    """torch.cuda.CUDAGraph."""

    def __init__(self, keep_graph: bool = False) -> None:
        self.steps: list[Callable[[], object]] = []
        self._recorder: _Recorder | None = None
        self._pool = new_pool()
        self._release_pool: Callable[[], object] = lambda: None
        self._before: dict[int, tuple[torch.Tensor, torch.Tensor]] = {}
        self._made: set[int] = set()
        self._pool_before: dict[int, bytes] = {}
        self._random: list[torch.Tensor] = []

    def will_write(self, values: Sequence[Any]) -> None:
        """Keep what is in the memory of these tensors, unless it is of the graph's own making."""
        with _disable_current_modes():
            for tensor in values:
                if not isinstance(tensor, torch.Tensor) or not _has_memory(tensor):
                    continue
                storage = tensor.untyped_storage()
                if storage._cdata in self._made or storage._cdata in self._before:
                    continue
                memory = device_library.in_bytes(storage)
                self._before[storage._cdata] = memory, memory.clone()

    def has_made(self, values: Sequence[Any]) -> None:
        """These tensors are new: nothing that was there before is in their memory."""
        self._made |= {
            tensor.untyped_storage()._cdata
            for tensor in values
            if isinstance(tensor, torch.Tensor) and _has_memory(tensor)
        }

    def capture_begin(
        self, pool: Any = None, capture_error_mode: str = "global", **others: Any
    ) -> None:
        self._pool = self._pool if pool is None else pool
        # What is freed during the capture may be written to: a card's first replay still finds it.
        self._pool_before = {
            address: ctypes.string_at(address, size)
            for address, size in graph_pools.live_blocks(self._pool).items()
        }
        self._random = torch.cuda.get_rng_state_all()
        graph_pools.allocate_from(self._pool[1])
        self._release_pool = weakref.finalize(
            self, device_library.load().release_pool, self._pool[1]
        )
        self._recorder = _Recorder(self)
        self._recorder.__enter__()
        _capturing.append(self)

    def capture_end(self) -> None:
        assert self._recorder is not None, "capture_end() without capture_begin()"
        _capturing.remove(self)
        self._recorder.__exit__(None, None, None)
        self._recorder = None
        graph_pools.allocate_as_usual()
        with torch.no_grad():
            for memory, content in self._before.values():
                memory.copy_(content)
        for address, bytes_before in self._pool_before.items():
            ctypes.memmove(address, bytes_before, len(bytes_before))
        self._pool_before.clear()
        torch.cuda.set_rng_state_all(self._random)
        self._before.clear()
        self._made.clear()

    def replay(self) -> None:
        with torch.no_grad():
            for step in self.steps:
                step()

    def reset(self) -> None:
        self.steps.clear()
        self._release_pool()

    def instantiate(self) -> None:
        """Nothing is left to do."""

    def pool(self) -> Any:
        return self._pool

    def register_generator_state(self, generator: torch.Generator) -> None:
        """Each replay draws new numbers from the generator, as on a GPU."""

    def enable_debug_mode(self) -> None:
        """There is nothing to dump."""


def forget_trees() -> None:
    """Let go of the graphs that torch has recorded of compiled ones, and of their memory."""
    if names.CUDAGRAPH_TREES.at in sys.modules:
        names.FORGET_TREES.get()()


class MemPool:
    """torch.cuda.MemPool: memory is the host's, whichever pool it is asked from."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.id = new_pool()
        self.allocator = None

    def use_count(self) -> int:
        return 1

    def snapshot(self) -> list[Any]:
        return []
