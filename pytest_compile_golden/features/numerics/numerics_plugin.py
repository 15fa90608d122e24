"""The pytest side of numerics: the fixture, and `--compile-golden-numerics`, which checks whatever a case captures."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import TYPE_CHECKING, Any

import pytest

from pytest_compile_golden.common.constants import AOT_INDUCTOR, INDUCTOR, SWITCH
from pytest_compile_golden.errors import (
    EagerFailed,
    NeedsNativeTarget,
    NotInterpretable,
    WrongResult,
)
from pytest_compile_golden.plugin.fixtures import check_arguments, marked_options
from pytest_compile_golden.plugin.hookspecs import CASE

if TYPE_CHECKING:
    from pytest_compile_golden.api.captured import Capture
    from pytest_compile_golden.facts.numerics import Numerics
    from pytest_compile_golden.goldens.case import Case
    from pytest_compile_golden.targets import Target

_DEST = "compile_golden_numerics"
_NOT_OF_NUMERICS = frozenset(
    {"policy", "kernel_configs", "watch", "world_size", "rank"}
)
"""Options of a capture that mean nothing when kernels are run."""
_STRIDES = "numerics: strides differ from eager's where Inductor does not promise them"

Call = tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.getgroup("compile-golden").addoption(
        f"{SWITCH}-numerics",
        action="store_true",
        default=False,
        dest=_DEST,
        help="on native targets and virtual GPUs: run what a case captures, and fail if eager computes something else",
    )


def pytest_compile_golden_settings(config: pytest.Config) -> str:
    return f"numerics={config.getoption(_DEST)}"


@pytest.hookimpl
def pytest_compile_golden_target(item: pytest.Item, target: Target) -> Target | None:
    if not (
        item.config.getoption(_DEST) or "numerics" in getattr(item, "fixturenames", ())
    ):
        return None
    from pytest_compile_golden.features.virtual_gpu.gpu import computing

    return computing(target)


@pytest.hookimpl(wrapper=True)
def pytest_compile_golden_capture(
    item: pytest.Item,
    fn: Callable[..., Any],
    inputs: tuple[Any, ...],
    options: dict[str, Any],
) -> Generator[None, Capture, Capture]:
    from pytest_compile_golden.targets import get_target

    case = item.stash[CASE]
    target = get_target(case.target)
    checked = item.config.getoption(_DEST) and (
        target.interpretable or not target.virtual
    )
    # A program may write to its inputs: the call is checked as the test made it.
    as_given = _as_given(case, fn, inputs, options) if checked else None
    captured = yield
    if as_given is not None:
        _require_right(case, *as_given)
    return captured


@pytest.fixture
def numerics(
    request: pytest.FixtureRequest, compile_target: str
) -> Callable[..., Numerics]:
    """`assert numerics(fn, *inputs, **options)`: compiled code computes what eager does; skips on virtual CPUs.

    It also skips if a kernel of a virtual GPU cannot be interpreted. Options are those of
    `pytest_compile_golden.numerics`; they override those of the test's `compile_golden` marker. The test's
    random numbers come from a fixed seed, so its inputs are the same in every run.
    """
    from pytest_compile_golden.api import numerics

    defaults = marked_options(request.node)
    case = request.node.stash[CASE]

    def check(fn: Callable[..., Any], *inputs: Any, **options: Any) -> Numerics:
        options = {**defaults, **options, "target": compile_target}
        check_arguments(numerics, fn, *inputs, **options)
        try:
            result = numerics(fn, *inputs, **options)
        except (NeedsNativeTarget, NotInterpretable) as error:
            pytest.skip(str(error))
        case.asserted = result
        _remark(case, result)
        return result

    return check


def _as_given(
    case: Case, fn: Callable[..., Any], inputs: tuple[Any, ...], options: dict[str, Any]
) -> Call | None:
    from pytest_compile_golden.features.numerics.program_copies import snapshot
    from pytest_compile_golden.targets.process_group import require_values

    try:
        require_values(options.get("world_size"))
        return snapshot(fn, inputs, options)
    except (EagerFailed, NotInterpretable) as error:
        case.unavailable["numerics"] = str(error)
        return None


def _require_right(
    case: Case, fn: Callable[..., Any], inputs: tuple[Any, ...], options: dict[str, Any]
) -> None:
    from pytest_compile_golden.api import numerics

    if options.get("backend", INDUCTOR) not in (INDUCTOR, AOT_INDUCTOR):
        case.unavailable["numerics"] = "numerics runs what Inductor generates"
        return
    of_numerics = {
        key: value for key, value in options.items() if key not in _NOT_OF_NUMERICS
    }
    try:
        result = numerics(fn, *inputs, **of_numerics)
    except (EagerFailed, NotInterpretable) as error:
        case.unavailable["numerics"] = str(error)
        return
    _remark(case, result)
    if not result:
        raise WrongResult(str(result))


def _remark(case: Case, result: Numerics) -> None:
    if result.other_strides:
        case.remarks.add(_STRIDES)
