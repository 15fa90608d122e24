"""What a target is, and which ones there are."""

from __future__ import annotations

import contextlib
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import TypeVar

from pytest_compile_golden.errors import CompileGoldenError, UnknownTarget
from pytest_compile_golden.registry import Registry
from pytest_compile_golden.targets import loading

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
        loading.load_compiler()
        with loading.own_variables(), self._enter(policy):
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


_targets: Registry[Target] = Registry(
    "target",
    group="pytest_compile_golden.targets",
    fits=lambda made: isinstance(made, Target),
    name=lambda target: target.name,
    # A conftest.py may be executed more than once in a process (xdist, several rootdirs): the same thing again is fine.
    same=lambda known, again: vars(known) == vars(again),
)


def register_target(target: Target) -> Target:
    """Make `target` known under its name and return it. CompileGoldenError where another one has that name."""
    return _targets.add(target)


def get_target(name: str) -> Target:
    """The target called `name`; UnknownTarget, naming the others, where there is none."""
    target = _targets.get(name)
    if target is None:
        raise UnknownTarget(
            f"there is no target {name!r}; targets are: {', '.join(target_names())}. Register your own with "
            "pytest_compile_golden.targets.register_target in conftest.py."
        )
    return target


def target_names() -> tuple[str, ...]:
    """The names of all targets in the order of registration; no torch is imported."""
    return tuple(_targets.all())
