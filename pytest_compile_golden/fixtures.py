"""The fixtures that every case builds on: `compile_target`, `compile_stages` and `golden`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

from pytest_compile_golden import selection
from pytest_compile_golden.errors import CompileGoldenError
from pytest_compile_golden.options import SWITCH, Settings, names, resolve_stages

if TYPE_CHECKING:
    from pytest_compile_golden.api import Capture
    from pytest_compile_golden.golden.assertion import GoldenAssertion
    from pytest_compile_golden.golden.case import Case

SETTINGS: pytest.StashKey[Settings] = pytest.StashKey()
CASE: pytest.StashKey[Case] = pytest.StashKey()
SKIPPED = f"a compile-golden case: pass {SWITCH} to run it"


@pytest.fixture
def compile_target(request: pytest.FixtureRequest) -> Iterator[str]:
    """The name of the target that this case is for. The test's body runs inside that target."""
    settings = request.config.stash[SETTINGS]
    if not settings.enabled:
        pytest.skip(SKIPPED)
    target = getattr(request, "param", None)
    if target is None:
        raise CompileGoldenError(
            f"{request.node.name} asks for a compile-golden fixture while it runs, when it is too late to give it a "
            "target. Name the fixture (or compile_target) as an argument of the test."
        )
    from pytest_compile_golden.golden.case import Case
    from pytest_compile_golden.golden.recorded_case import RecordingCase
    from pytest_compile_golden.golden.store import Store
    from pytest_compile_golden.targets import get_target

    item = request.node
    marks = selection.marked(item)
    make = Case if settings.record is None else RecordingCase
    case = item.stash[CASE] = make(
        nodeid=item.nodeid,
        target=target,
        folder=selection.folder_of(item, target),
        store=Store(settings.folder),
        update=settings.update,
        reason=settings.reason,
    )
    case.stages = resolve_stages([settings.ini_stages, names(marks.get("stages")), settings.cli_stages])
    policy = marks.get("policy", settings.policy)
    with get_target(target).active(**({} if policy is None else {"policy": policy})):
        yield target


@pytest.fixture
def compile_stages(request: pytest.FixtureRequest, compile_target: str) -> Callable[..., Capture]:
    """`compile_stages(fn, *inputs, **options)`: the capture of one compile for this case's target.

    Options are those of `pytest_compile_golden.capture`, over those of the test's `compile_golden` marker. The same
    function, inputs and options again, in this test, give the same capture.
    """
    from pytest_compile_golden.api import capture

    item = request.node
    marks = selection.marked(item)
    defaults = {key: marks[key] for key in selection.CAPTURE_KEYS if key in marks}
    case = item.stash[CASE]
    # Values hold what the keys identify: an object that was freed would pass its id on to another.
    done: dict[object, tuple[Capture, object]] = {}

    def take(fn: Callable[..., Any], *inputs: Any, **options: Any) -> Capture:
        if "target" in options:
            raise CompileGoldenError(
                f"this case is for {compile_target}; leave out target= and mark the test with "
                "@pytest.mark.compile_golden(target=...), or call pytest_compile_golden.capture outside of a case."
            )
        options = {**defaults, **options}
        key = _identity((fn, inputs, options))
        if key not in done:
            done[key] = capture(fn, *inputs, target=compile_target, **options), (fn, inputs, options)
            case.captures.append(done[key][0])
        taken = done[key][0]
        case.torch, case.triton = taken.environment.torch, taken.environment.triton
        return taken

    return take


@pytest.fixture
def golden(request: pytest.FixtureRequest, compile_target: str) -> GoldenAssertion:
    """Compares with the goldens of this case: `assert post_grad_graph(fn, x) == golden`."""
    from syrupy.location import PyTestLocation

    from pytest_compile_golden.golden.assertion import GoldenAssertion
    from pytest_compile_golden.golden.extension import GoldenExtension

    case = request.node.stash[CASE]
    return GoldenAssertion(
        session=request.config._syrupy,  # type: ignore[attr-defined]
        extension_class=GoldenExtension,
        test_location=PyTestLocation(request.node),
        update_snapshots=bool(case.update),
        case=case,
    )


def _identity(value: object) -> object:
    """A key that is equal for the same objects: identity, but through containers, plain values and bound methods."""
    if isinstance(value, dict):
        return "dict", tuple(sorted((str(key), _identity(each)) for key, each in value.items()))
    if isinstance(value, (tuple, list)):
        return type(value).__name__, tuple(_identity(each) for each in value)
    if value is None or isinstance(value, (bool, int, float, str)):
        return type(value).__name__, repr(value)
    method = getattr(value, "__func__", None)
    if method is not None:
        return "method", (id(method), id(getattr(value, "__self__", None)))
    return "object", id(value)
