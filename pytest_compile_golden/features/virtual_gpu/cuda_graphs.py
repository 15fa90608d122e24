"""CUDA graphs on a device that computes: what is captured is executed at once, and again at each replay."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import torch

from pytest_compile_golden.torch_internals import tensors

TorchDispatchMode = tensors.DISPATCH_MODE.get()
pytree = tensors.PYTREE.get()

_capturing: list[CUDAGraph] = []
_handles = itertools.count(1)


def is_capturing() -> bool:
    """Whether a graph is being captured."""
    return bool(_capturing)


def record_launch(launch: Callable[[], object]) -> None:
    """A kernel has been launched that no operator stands for: graphs that are being captured launch it again."""
    for graph in _capturing:
        graph.steps.append(launch)


class _Recorder(TorchDispatchMode):  # type: ignore[misc,valid-type]
    """Executes operators, and keeps how to execute them again with the same memory."""

    def __init__(self, graph: CUDAGraph) -> None:
        super().__init__()
        self._graph = graph

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        kwargs = kwargs or {}
        results = func(*args, **kwargs)
        if func.is_view:
            return results
        first = pytree.tree_leaves(results)
        given = {id(leaf) for leaf in pytree.tree_leaves((args, kwargs))}

        def again() -> None:
            for old, new in zip(
                first, pytree.tree_leaves(func(*args, **kwargs)), strict=True
            ):
                if isinstance(old, torch.Tensor) and id(old) not in given:
                    old.copy_(new)

        self._graph.steps.append(again)
        return results


class CUDAGraph:
    """torch.cuda.CUDAGraph."""

    def __init__(self, keep_graph: bool = False) -> None:
        self.steps: list[Callable[[], object]] = []
        self._recorder: _Recorder | None = None
        self._pool: Any = (0, next(_handles))

    def capture_begin(
        self, pool: Any = None, capture_error_mode: str = "global", **others: Any
    ) -> None:
        self._pool = self._pool if pool is None else pool
        self._recorder = _Recorder(self)
        self._recorder.__enter__()
        _capturing.append(self)

    def capture_end(self) -> None:
        assert self._recorder is not None, "capture_end() without capture_begin()"
        _capturing.remove(self)
        self._recorder.__exit__(None, None, None)
        self._recorder = None

    def replay(self) -> None:
        with torch.no_grad():
            for step in self.steps:
                step()

    def reset(self) -> None:
        self.steps.clear()

    def instantiate(self) -> None:
        """Nothing is left to do."""

    def pool(self) -> Any:
        return self._pool

    def register_generator_state(self, generator: torch.Generator) -> None:
        """Each replay draws new numbers from the generator, as on a GPU."""

    def enable_debug_mode(self) -> None:
        """There is nothing to dump."""


class MemPool:
    """torch.cuda.MemPool: memory is the host's, whichever pool it is asked from."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.id = (0, next(_handles))
        self.allocator = None

    def use_count(self) -> int:
        return 1

    def snapshot(self) -> list[Any]:
        return []
