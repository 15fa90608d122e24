"""How the core asks for numerics: what `api.NumericsTool` describes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_compile_golden.errors import NeedsNativeTarget, NotInterpretable

if TYPE_CHECKING:
    from pytest_compile_golden.api.captured import Capture
    from pytest_compile_golden.facts.numerics import Numerics
    from pytest_compile_golden.observe.compile_options import CompileOptions
    from pytest_compile_golden.targets import Target


def check(
    fn: Callable[..., Any],
    options: CompileOptions,
    target: str | None,
    *,
    rtol: float | None,
    atol: float | None,
    seed: int,
    layouts: bool = False,
) -> Numerics:
    """`pytest_compile_golden.numerics`, unless a judge decides; raises what that does."""
    from pytest_compile_golden.api import capture
    from pytest_compile_golden.features.virtual_gpu.gpu import computing
    from pytest_compile_golden.observe.record_compile import environment
    from pytest_compile_golden.targets import active_target, get_target
    from pytest_compile_golden.targets.process_group import require_values

    active = active_target()
    chosen = (
        get_target(target) if target is not None else active or get_target("native-cpu")
    )
    if chosen.virtual and not chosen.interpretable:
        raise NeedsNativeTarget.on(chosen.name)
    require_values()
    if chosen.virtual and active is chosen:
        raise NotInterpretable(
            f"tensors have no values while {chosen.name} is active. In a test, use the fixture numerics; elsewhere, "
            "call numerics outside of the target."
        )
    environment()
    with computing(chosen).active() as device:
        from pytest_compile_golden.features.numerics.differential_testing import (
            compare_with_eager,
        )
        from pytest_compile_golden.features.numerics.judge import Tolerance

        def checked() -> Numerics:
            return compare_with_eager(
                fn,
                options,
                device,
                tolerance=Tolerance(rtol, atol),
                seed=seed,
                other_layouts=layouts,
            )

        if not _wrappers:
            return checked()
        compiled = (
            "train",
            "dynamic",
            "fullgraph",
            "mode",
            "config",
            "export",
            "backend",
        )
        shown = {key: getattr(options, key) for key in compiled}
        return _wrappers[-1](
            checked,
            lambda: capture(fn, target=chosen.name, calls=options.calls, **shown),
        )


Wrapper = Callable[[Callable[[], "Numerics"], Callable[[], "Capture"]], "Numerics"]
_wrappers: list[Wrapper] = []


@contextmanager
def wrapped_by(wrapper: Wrapper) -> Iterator[None]:
    """Let `wrapper` decide what `numerics` returns, whoever calls it, until the block ends.

    It is called with two functions: one runs the check, the other captures the same program on the active target.
    """
    _wrappers.append(wrapper)
    try:
        yield
    finally:
        _wrappers.remove(wrapper)


@contextmanager
def values(target: Target) -> Iterator[None]:
    """Be in `target`, with values: those of a virtual GPU are computed, and its kernels are interpreted."""
    from pytest_compile_golden.features.virtual_gpu.gpu import computing

    with computing(target).active() as device:
        from pytest_compile_golden.features.numerics.numerics_device import device_of

        with device_of(device, seed=0):
            yield


def bisect(
    case: str, target: str | None, seconds: float, output: Path | None, form: str
) -> None:
    """Find and show what makes a case differ from eager; exits with 1 if there is nothing to find."""
    from pytest_compile_golden.features.numerics.commands.bisect_numerics import (
        bisect_numerics,
    )

    bisect_numerics(case, target, seconds, output, form)
