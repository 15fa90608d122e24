"""Buffers that a backward graph may write over: none, if the program keeps its graph."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from pytest_compile_golden.targets.patching import Patches
from pytest_compile_golden.torch_internals import inductor as names


class Donations:
    """Which graphs of a program give their saved tensors to backward.

    torch compiles backward when it first runs, and gives it the buffers of saved tensors unless that run keeps the
    graph (`create_graph`, `retain_graph`). A capture compiles backward along with forward, before that is known, so a
    capture that fails for it is made again, with the graphs named that are kept
    (torch/_functorch/_aot_autograd/runtime_wrappers.py: _prepare_lazy_backward_context).
    """

    def __init__(self) -> None:
        self.kept: set[int] = set()
        """The numbers of the graphs that the program keeps, in the order in which they are compiled."""
        self._given: list[_Given] = []

    def any_more(self) -> bool:
        """Note what the last attempt asked for; returns whether that was a graph that was not known to be kept."""
        asked = {number for number, given in enumerate(self._given) if given.asked}
        new = not asked <= self.kept
        self.kept |= asked
        return new

    @contextmanager
    def applied(self) -> Iterator[None]:
        """One attempt."""
        self._given = []

        def choosing(collect: Callable[..., list[int]]) -> Callable[..., list[int]]:
            def donated(fw_module: Any, bw_module: Any, fw_metadata: Any) -> list[int]:
                given = _Given(collect(fw_module, bw_module, fw_metadata))
                self._given.append(given)
                if names.SYMBOLS_SAVED.of(fw_metadata) > 0:
                    # torch compiles this backward along with forward, too, and fails as we do.
                    return list(given)
                return [] if len(self._given) - 1 in self.kept else given

            return donated

        with Patches() as patches:
            if names.DONATED.here and names.SYMBOLS_SAVED.here:
                patches.wrap(*names.DONATED.resolve(), choosing)
            yield


class _Given(list[int]):
    """The numbers of the buffers. torch compares them with `[]` only where a backward keeps its graph."""

    asked = False

    def __ne__(self, other: object) -> bool:
        self.asked = True
        return super().__ne__(other)
