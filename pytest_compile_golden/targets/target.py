"""What a target is, and which ones there are."""

from __future__ import annotations

import contextlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from importlib import metadata
from typing import Any, TypeVar

from pytest_compile_golden.errors import CompileGoldenError, UnknownTarget
from pytest_compile_golden.names import unknown

ENTRY_POINTS = "compile_golden.targets"
T = TypeVar("T")


class Target(ABC):
    """A device to compile for. Entered with `active()`; knows its facts without importing torch."""

    name: str
    device_type: str
    """`cuda` or `cpu`."""
    virtual: bool
    """Whether the device is not there: code is generated for it, nothing is built or launched."""
    policy: str | None = None
    """How choices that torch would make by timing are made, in words; None where the target times for real."""

    _active: Target | None = None  # on the class Target: one target at a time in a process
    _depth: int = 0

    @contextlib.contextmanager
    def active(self, policy: str = "aten") -> Iterator[Target]:
        """Make the process compile for this target until the block ends; then it is as it was.

        `policy` says what max-autotune picks on a virtual target: `aten` (an extern kernel), `triton` (the first
        template), or `name:<regex>` (the first choice whose name matches). Entering the active target again changes
        nothing. Raises CompileGoldenError inside another target, TargetUnavailable where this machine cannot enter it.
        """
        if Target._active is self:
            yield self
            return
        if Target._active is not None:
            raise CompileGoldenError(
                f"the target {self.name} cannot be entered inside {Target._active.name}; leave that one first."
            )
        with self._enter(policy):
            Target._active = self
            try:
                yield self
            finally:
                Target._active = None

    @abstractmethod
    def _enter(self, policy: str) -> contextlib.AbstractContextManager[None]:
        """The context that `active` enters when no target is active yet."""

    @abstractmethod
    def place(self, tree: T) -> T:
        """`tree`, a pytree, with its tensors, modules and optimizers on this target; what is there stays as it is.

        Modules and optimizers are copied, never changed; on a virtual GPU a copy takes no memory.
        """

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"


def active_target() -> Target | None:
    """The target that the process is in, if any."""
    return Target._active


_registered: dict[str, Target] = {}
_entry_points_loaded = False


def register_target(target: Target) -> Target:
    """Make `target` known under its name and return it. CompileGoldenError where another one has that name."""
    known = _registered.get(target.name)
    # A conftest.py may be executed more than once in a process (xdist, several rootdirs): the same thing again is fine.
    if known is not None and vars(known) != vars(target):
        raise CompileGoldenError(f"a target {target.name!r} is registered already; choose another name.")
    _registered[target.name] = target
    return target


def get_target(name: str) -> Target:
    """The target called `name`; UnknownTarget, naming the others, where there is none."""
    if name not in _registered:
        _load_entry_points()
    if name not in _registered:
        raise UnknownTarget(
            f"{unknown('target', name, target_names())} Register your own with "
            "pytest_compile_golden.targets.register_target in conftest.py."
        )
    return _registered[name]


def target_names() -> tuple[str, ...]:
    """The names of all targets in the order of registration; no torch is imported."""
    _load_entry_points()
    return tuple(_registered)


def _load_entry_points() -> None:
    global _entry_points_loaded
    if _entry_points_loaded:
        return
    _entry_points_loaded = True
    for point in metadata.entry_points(group=ENTRY_POINTS):
        made: Any = point.load()
        make: Callable[[], Any] | None = None if isinstance(made, Target) else made
        target = made if make is None else make()
        if not isinstance(target, Target):
            raise CompileGoldenError(
                f"the entry point {point.name} = {point.value} in {ENTRY_POINTS} gave {target!r}, not a Target."
            )
        register_target(target)
