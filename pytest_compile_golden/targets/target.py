"""What a target is, which ones there are, and whose GPUs the torch of this process is for."""

from __future__ import annotations

import contextlib
import sys
import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from pytest_compile_golden.common.constants import DEFAULT_TARGET
from pytest_compile_golden.common.installed_torch import torch_version
from pytest_compile_golden.common.name_matching import unknown
from pytest_compile_golden.errors import (
    CompileGoldenError,
    TargetUnavailable,
    UnknownTarget,
    UnsupportedTorch,
)
from pytest_compile_golden.extensions import Registry
from pytest_compile_golden.targets import current_context
from pytest_compile_golden.targets.autotuning_policy import (
    DEFAULT_POLICY,
    check_policy,
    policy_in_words,
)
from pytest_compile_golden.targets.device_properties import Rates

# It and what it imports read torch.version.hip on import, to decide defaults of the configuration, and which templates
# and heuristics there are (torch/_inductor/config.py, torch/_inductor/template_heuristics/triton.py).
_DECIDES = "torch._inductor.config"
T = TypeVar("T")


_first: list[Target] = []
"""The target that was prepared first, which decides whose GPUs this process is for; that cannot be undone."""


class Target(ABC):
    """A device to compile for. Entered with `active()`; knows its facts without importing torch."""

    name: str
    device_type: str
    """`cuda` or `cpu`."""
    virtual: bool
    """Whether the device does not exist here: code is generated for it, but nothing is built or launched."""
    interpretable: bool = False
    """Whether kernels for it can be run nevertheless, by an interpreter on the CPU."""
    rates: Rates | None = None
    """Its peak rates; None if they are not declared, in which case costs have no times."""
    vendor: str = "NVIDIA"
    """Whose GPUs torch has to be for; CPU targets have the vendor that the wheels are for."""
    hip: str | None = None
    """What `torch.version.hip` has to be."""

    def prepare(self) -> None:
        """Make torch what this target needs for the rest of the process, before anything has imported Inductor.

        Entering the target also does this, which may be too late. Raises TargetUnavailable if the process is for other
        GPUs.
        """
        if _first:
            if _first[0].vendor != self.vendor:
                raise TargetUnavailable(
                    f"{self.name} and {_first[0].name} cannot be compiled for in one process: torch decides when it is "
                    f"imported whose GPUs it is for. Use a separate run for each: --compile-golden-target={self.name}."
                )
            return
        if self.hip is not None:
            import torch

            if torch.version.hip is None and _DECIDES in sys.modules:
                raise TargetUnavailable(
                    f"{self.name} cannot be compiled for in a process that has imported Inductor, which decides on "
                    "import whose GPUs it is for. Enter the target first, in a separate process; in a run of pytest, "
                    f"choose it with --compile-golden-target={self.name}, and do not import torch._inductor in any "
                    "conftest.py."
                )
            if torch.version.hip is None:
                torch.version.hip, torch.version.cuda = self.hip, None
        _first.append(self)

    @property
    def policy(self) -> str | None:
        """A description of how choices that torch would make by timing are made; None if the target times for real."""
        return (
            policy_in_words(
                active_policy() if active_target() is self else DEFAULT_POLICY
            )
            if self.virtual
            else None
        )

    @contextlib.contextmanager
    def active(self, policy: str | None = None) -> Iterator[Target]:
        """Make the process compile for this target until the block ends, then restore it.

        `policy` says what max-autotune picks on a virtual target: `aten` (an extern kernel; the default), `triton` (the
        first template), or `name:<regex>` (the first choice whose name matches). Entering the active target again only
        changes the policy, if one is given. Raises InvalidOption for an unknown policy, CompileGoldenError inside
        another target, and TargetUnavailable if this machine cannot enter it.
        """
        if policy is not None:
            check_policy(policy)
        outer = current_context.now(_Active)
        if (
            outer is not None
            and outer.target is not self
            and outer.target.captured_on is not self
        ):
            # What computes is what the whole process runs on.
            leave = (
                "leave that one first"
                if outer.target.captured_on is outer.target
                else f"run what is for {self.name} without --virtual-gpu or --gpu"
            )
            raise CompileGoldenError(
                f"the target {self.name} cannot be entered inside {outer.target.name}; {leave}."
            )
        with contextlib.ExitStack() as stack:
            if outer is None or outer.target is not self:
                self.prepare()
                try:
                    entered = stack.enter_context(self._enter())
                except (AttributeError, ImportError) as error:
                    raise UnsupportedTorch(
                        f"{self.name} does not work with torch {torch_version()} ({type(error).__name__}: {error}). "
                        "compile-golden doctor lists what this torch lacks."
                    ) from error
                active = _Active(self, policy or active_policy(), entered)
            else:
                if outer.thread != threading.get_ident():
                    stack.enter_context(self._in_thread(outer.entered))
                active = replace(
                    outer, policy=policy or outer.policy, thread=threading.get_ident()
                )
            stack.enter_context(current_context.within(active))
            yield self

    @property
    def captured_on(self) -> Target:
        """The target that captures are made on while this one is active, and which may be entered inside it."""
        return self

    def compiling_ahead_of_time(self) -> contextlib.AbstractContextManager[object]:
        """Until the block ends, AOTInductor compiles for this target, which is active, whether or not it exists."""
        return contextlib.nullcontext()

    @abstractmethod
    def _enter(self) -> contextlib.AbstractContextManager[object]:
        """The context that `active` enters if this target is not active yet; what it gives is `_entered` inside."""

    def _in_thread(self, entered: Any) -> contextlib.AbstractContextManager[object]:
        """What each thread that compiles for this target, which is active, has to enter for itself."""
        return contextlib.nullcontext()

    @property
    def _entered(self) -> Any:
        """What `_enter` gave, while this target is active; else None."""
        active = current_context.now(_Active)
        return active.entered if active is not None and active.target is self else None

    @abstractmethod
    def place(self, tree: T) -> T:
        """`tree`, a pytree, with its tensors, modules and optimizers on this target; those already there are kept.

        Modules and optimizers are copied, never changed; on a virtual GPU a copy takes no memory.
        """

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"


@dataclass(frozen=True)
class _Active:
    """The target that the process is in. A registered target is not itself changed while it is active."""

    target: Target
    policy: str
    entered: object
    thread: int = field(default_factory=threading.get_ident)


def active_target() -> Target | None:
    """The target that the process is in, if any."""
    active = current_context.now(_Active)
    return None if active is None else active.target


def active_policy() -> str:
    """The policy that the active target was entered with; the default if there is none."""
    active = current_context.now(_Active)
    return DEFAULT_POLICY if active is None else active.policy


_targets: Registry[Target] = Registry(
    "target",
    group="pytest_compile_golden.targets",
    fits=lambda item: isinstance(item, Target),
    name=lambda target: target.name,
    # A conftest.py may be executed more than once in a process (xdist, several rootdirs): repeating the same is fine.
    same=lambda known, again: vars(known) == vars(again),
)


def register_target(target: Target) -> Target:
    """Register `target` under its name and return it. Raises CompileGoldenError if another one has that name."""
    return _targets.add(target)


def get_target(name: str) -> Target:
    """The target called `name`. Raises UnknownTarget, naming the others, if there is none."""
    target = _targets.get(name)
    if target is None:
        raise UnknownTarget(
            f"{unknown('target', name, target_names())} Register your own with "
            "pytest_compile_golden.targets.register_target in conftest.py."
        )
    return target


def target_or_default(name: str | None) -> Target:
    """The target called `name`; without a name, that of captures now, or else the default. Raises UnknownTarget."""
    active = active_target()
    if name is not None or active is None:
        return get_target(name or DEFAULT_TARGET)
    return active.captured_on


def target_names() -> tuple[str, ...]:
    """The names of all targets in the order of registration. Imports no torch."""
    return tuple(_targets.all())
