"""torch's own compiler bisector (torch/_inductor/compiler_bisector.py), with our own judge."""

from __future__ import annotations

import contextlib
import io
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_compile_golden.observe.source_locations import closure_of, source_of
from pytest_compile_golden.targets.patching import Patches
from pytest_compile_golden.torch_internals import numerics as torch_names
from pytest_compile_golden.torch_internals import scheduler

CompilerBisector = torch_names.BISECTOR.get()
ConfigChange = torch_names.CONFIG_CHANGE.get()
lowerings = scheduler.LOWERINGS.get()


@dataclass(frozen=True)
class Culprit:
    """What makes a program wrong."""

    backend: str
    """The first of torch's backends, from `eager` to `inductor`, with which it is wrong."""
    subsystem: str | None
    """The part of that backend without which it is right, or to which `setting` belongs. None if there is none."""
    setting: str | None = None
    """`layout_optimization=False`: the setting with which it is right."""
    number: int | None = None
    """The first of the subsystem's applications with which it is wrong, counted from 0."""
    name: str | None = None
    """That application: a pass, or an operator and where its decomposition or lowering is defined."""


def bisect(right: Callable[[str], bool]) -> Culprit | None:
    """Run torch's bisector, which asks `right` in each trial whether the program is right as torch now compiles it.

    `right` gets a description of the trial. None if every trial was right.
    """
    # It prints what `right` gets.
    with _named_applications() as name_of, contextlib.redirect_stdout(io.StringIO()):
        bisected = CompilerBisector.do_bisect(lambda: right(_trial()))
        name = None if bisected is None else name_of(bisected.bisect_number)
    if bisected is None:
        return None
    if bisected.subsystem is None:
        return Culprit(bisected.backend, None)
    subsystem = CompilerBisector.get_subsystem_object(
        bisected.backend, bisected.subsystem
    )
    if isinstance(subsystem, ConfigChange):
        return Culprit(bisected.backend, bisected.subsystem, _setting(subsystem))
    return Culprit(
        bisected.backend, bisected.subsystem, None, bisected.bisect_number, name
    )


_names: list[Path] = []


@contextlib.contextmanager
def _named_applications() -> Iterator[Callable[[int | None], str | None]]:
    """The name of each application of a subsystem, by number, as last seen by a trial in any process.

    torch 2.12 keeps these names in the process only, later versions in a file that is deleted when a bisection ends.
    """
    with tempfile.TemporaryDirectory(prefix="compile-golden-") as folder:
        _names.append(Path(folder))

        def name_of(number: int | None) -> str | None:
            path = Path(folder, str(number))
            return path.read_text(encoding="utf-8") or None if path.exists() else None

        try:
            yield name_of
        finally:
            _names.pop()


@contextlib.contextmanager
def suspended() -> Iterator[Callable[[], contextlib.AbstractContextManager[None]]]:
    """Keep a running bisection out of compiles until the block ends, except inside the context that this provides."""
    running = CompilerBisector.bisection_enabled, CompilerBisector.in_process_cache

    @contextlib.contextmanager
    def resumed() -> Iterator[None]:
        with _state(*running), Patches() as patches:
            patches.wrap(CompilerBisector, "disable_subsystem", _with_operators)
            yield

    with _state(False, None):
        yield resumed


@contextlib.contextmanager
def _state(enabled: bool, folder: str | None) -> Iterator[None]:
    with Patches() as patches:
        patches.put(CompilerBisector, "bisection_enabled", enabled)
        patches.put(CompilerBisector, "in_process_cache", folder)
        yield


def _with_operators(original: Callable[..., bool]) -> Callable[..., bool]:
    """Name lowerings and decompositions by their operator and source location.

    torch names a lowering by its node's name (torch/_inductor/graph.py: run_node), a decomposition by its operator
    (torch/fx/experimental/proxy_tensor.py: maybe_handle_decomp); the naming function's closure holds one or the other.
    """

    def disable_subsystem(
        cls: type,
        backend: str,
        subsystem: str,
        debug_info: Callable[[], str] | None = None,
    ) -> bool:
        def named() -> str:
            closure = closure_of(debug_info)
            if (node := closure.get("n")) is not None:
                return f"{node.target} (the node {node.name}){_location(lowerings.get(node.target))}"
            if (operator := closure.get("op")) is not None:
                return f"{operator}{_location(torch_names.SELECT_DECOMPOSITIONS.get()().get(operator))}"
            return "" if debug_info is None else debug_info()

        number = CompilerBisector.get_system_counter(subsystem, increment=False)
        disabled = original(cls, backend, subsystem, debug_info)
        if (
            _names
            and CompilerBisector.get_system_counter(subsystem, increment=False) > number
        ):
            (_names[-1] / str(number)).write_text(named(), encoding="utf-8")
        return disabled

    return disable_subsystem


def _location(function: Any) -> str:
    name, where = source_of(function) if function is not None else ("", None)
    return f", by {name}, {where}" if where is not None else ""


def _trial() -> str:
    """A description of what the bisector is about to try."""
    backend, name = CompilerBisector.get_backend(), CompilerBisector.get_subsystem()
    if name is None:
        return f"backend {backend}"
    subsystem = CompilerBisector.get_subsystem_object(backend, name)
    if isinstance(subsystem, ConfigChange):
        return f"{backend} with {_setting(subsystem)}"
    state = CompilerBisector.get_run_state(backend, name)
    if state == "test_disable":
        return f"{backend} without {name}"
    if state == "find_max_bounds":
        return f"{backend}, counting {name}"
    low, high = CompilerBisector.get_bisect_range(backend, name)
    return f"{backend} with {name} 0 to {(low + high) // 2}"


def _setting(change: Any) -> str:
    return f"{change.config_field}={change.config_value!r}"
