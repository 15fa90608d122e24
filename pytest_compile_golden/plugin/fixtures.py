"""The fixtures: `compile_target`, `compile_stages` and `golden`, which every case builds on, and one per stage."""

from __future__ import annotations

import inspect
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest

from pytest_compile_golden.common.constants import SWITCH
from pytest_compile_golden.errors import CompileGoldenError, InvalidOption
from pytest_compile_golden.plugin import case_selection
from pytest_compile_golden.plugin.hookspecs import CASE, SETTINGS, TOO_LATE
from pytest_compile_golden.plugin.run_settings import names, resolve_stages, severities
from pytest_compile_golden.stages import stage_names

if TYPE_CHECKING:
    from pytest_compile_golden.api.captured import Capture
    from pytest_compile_golden.formats.artifact import Artifact
    from pytest_compile_golden.goldens.assertion import GoldenAssertion

SKIPPED = f"a compile-golden case: pass {SWITCH} to run it"


@pytest.fixture
def compile_target(request: pytest.FixtureRequest) -> Iterator[str]:
    """The name of the target that this case is for. The test's body runs inside that target.

    Skips the test in a run without --compile-golden. Raises CompileGoldenError for a test that cannot run once for each
    target, and InvalidOption for a marker with a rank and no world_size.
    """
    settings = request.config.stash[SETTINGS]
    if not settings.enabled:
        pytest.skip(SKIPPED)
    target = getattr(request, "param", None)
    if target is None:
        from unittest import TestCase

        if isinstance(request.instance, TestCase):
            raise CompileGoldenError(
                f"{request.node.name} belongs to a unittest.TestCase, whose tests pytest cannot run once per target. "
                "Write it as a function, or as a method of a class without that base; or derive the class from "
                "pytest_compile_golden.unittest.CompileGoldenTestCase, whose self.capture(...) needs no fixture."
            )
        raise CompileGoldenError(
            f"{request.node.name} requests a compile-golden fixture while it runs, when it is too late to give it a "
            "target. Make the fixture (or compile_target) an argument of the test."
        )
    from pytest_compile_golden.plugin.run_recorder import begin_case
    from pytest_compile_golden.targets import get_target

    item = request.node
    marks = case_selection.marked(item)
    by_code = severities(
        settings.severities, names(marks.get("select")), names(marks.get("ignore"))
    )
    case = begin_case(item, settings, target, by_code)
    case.too_late = item.config.stash[TOO_LATE]
    chosen = [settings.ini_stages, names(marks.get("stages")), settings.cli_stages]
    case.stages, case.stages_chosen = resolve_stages(chosen), any(chosen)
    policy = marks.get("policy", settings.policy)
    with ExitStack() as body:
        own = get_target(target)
        instead = item.ihook.pytest_compile_golden_target(item=item, target=own)
        body.enter_context((instead or own).active(policy))
        if "world_size" in marks or "rank" in marks:
            from pytest_compile_golden.api import fake_ranks

            if "world_size" not in marks:
                raise InvalidOption(
                    "the compile_golden marker has rank= but no world_size=, the number of ranks."
                )
            body.enter_context(fake_ranks(marks["world_size"], marks.get("rank", 0)))
        if "torch" in sys.modules:  # a target without torch draws nothing from it
            from pytest_compile_golden.observe.compile_isolation import seeded

            # What a program does may depend on the inputs that its test draws: the same in every run.
            body.enter_context(seeded(0))
        if settings.config:
            from pytest_compile_golden.observe.config_patches import patched

            body.enter_context(patched(settings.config))
        yield target


@pytest.fixture
def compile_stages(
    request: pytest.FixtureRequest, compile_target: str
) -> Callable[..., Capture]:
    """`compile_stages(fn, *inputs, **options)`: the capture of one compile for this case's target.

    Options are those of `pytest_compile_golden.capture`; they override those of the test's `compile_golden` marker.
    Within a test, the same function, inputs and options give the same capture.
    """
    from pytest_compile_golden.stages import costly_stages

    configs = case_selection.marked(request.node).get(
        "kernel_configs", request.config.stash[SETTINGS].kernel_configs
    )
    item, case = request.node, request.node.stash[CASE]
    watch = [
        *case.stages,
        *(name for name in costly_stages() if name in request.node.fixturenames),
    ]
    defaults = {"kernel_configs": configs, **marked_options(request.node)}
    # Values keep alive what the keys identify: the id of a freed object may be reused.
    done: dict[object, tuple[Capture, object]] = {}

    def take(fn: Callable[..., Any], *inputs: Any, **options: Any) -> Capture:
        if "target" in options:
            raise CompileGoldenError(
                f"this case is for {compile_target}; leave out target= and mark the test with "
                "@pytest.mark.compile_golden(target=...), or call pytest_compile_golden.capture outside of a case."
            )
        options = {**defaults, "watch": (), **options}
        if options["watch"] is not None:
            options["watch"] = [*watch, *options["watch"]]
        key = _identity((fn, inputs, options))
        if key not in done:
            taken = item.ihook.pytest_compile_golden_capture(
                item=item, fn=fn, inputs=inputs, options=options
            )
            done[key] = taken, (fn, inputs, options)
        captured = done[key][0]
        case.torch, case.triton = (
            captured.environment.torch,
            captured.environment.triton,
        )
        return captured

    return take


def check_arguments(function: Callable[..., Any], *args: Any, **options: Any) -> None:
    """Raise InvalidOption if `capture` or `numerics` does not take these arguments of a fixture."""
    try:
        inspect.signature(function).bind(*args, **options)
    except TypeError as error:
        name = function.__name__
        raise InvalidOption(
            f"{name} does not take these arguments: {error}. Keyword arguments of the program are given as "
            "kwargs={...}, options of torch.compile as config={...}; "
            f"pytest_compile_golden.{name} says which others there are."
        ) from None


def marked_options(item: pytest.Item) -> dict[str, Any]:
    """The capture options that the test's marker gives."""
    from pytest_compile_golden.observe.compile_options import MARKED

    marks = case_selection.marked(item)
    return {key: marks[key] for key in MARKED if key in marks}


@pytest.fixture
def golden(
    request: pytest.FixtureRequest, compile_target: str
) -> Iterator[GoldenAssertion]:
    """Compares with the goldens of this case: `assert post_grad_graph(fn, x) == golden`.

    A test that passes without such a comparison gets a warning. Raises CompileGoldenError if another plugin's
    `snapshot` hides syrupy's.
    """
    from syrupy.assertion import SnapshotAssertion

    from pytest_compile_golden.goldens.assertion import FOLDER, GoldenAssertion

    item = request.node
    case = item.stash[CASE]
    if request.config.stash[SETTINGS].record is not None:
        yield GoldenAssertion(case, None)
        return
    item.stash[FOLDER] = case.folder
    # Not as an argument: then every case would appear to have syrupy snapshots of its own.
    snapshot = request.getfixturevalue("snapshot")
    if not isinstance(snapshot, SnapshotAssertion):
        raise CompileGoldenError(
            "golden builds on syrupy's `snapshot` fixture, but here that returns an object of type "
            f"{type(snapshot).__name__}. Rename the fixture called `snapshot`, or disable the plugin that provides it "
            "(-p no:...)."
        )
    yield GoldenAssertion(case, snapshot)
    if case.passed and not (case.compared or case.compares_later):
        warnings.warn(
            f"{item.name} passed, but compared nothing with its golden: write `assert ... == golden`, or leave the "
            "fixture out.",
            pytest.PytestWarning,
            stacklevel=1,
        )


def _identity(value: object) -> object:
    """A key that is equal for the same objects: by identity, but looks into containers, values and bound methods."""
    if isinstance(value, dict):
        return "dict", tuple(
            sorted((str(key), _identity(item)) for key, item in value.items())
        )
    if isinstance(value, (tuple, list)):
        return type(value).__name__, tuple(_identity(item) for item in value)
    if value is None or isinstance(value, (bool, int, float, str)):
        return type(value).__name__, repr(value)
    method = getattr(value, "__func__", None)
    if method is not None:
        return "method", (id(method), id(getattr(value, "__self__", None)))
    return "object", id(value)


class StageFixtures:
    """A plugin that keeps fixtures in step with the pipeline, which any conftest.py may extend."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._known: set[str] = set()

    def pytest_plugin_registered(self) -> None:
        missing = [name for name in stage_names() if name not in self._known]
        if missing:
            # First: registering calls this hook again.
            self._known.update(missing)
            # A module, because only there does pytest look for fixtures on the object itself rather than on its class.
            plugin = ModuleType("compile_golden_stages", "One fixture per stage.")
            for name in missing:
                setattr(plugin, name, _stage_fixture(name))
            self._config.pluginmanager.register(
                plugin, f"compile-golden-stages-{len(self._known)}"
            )


def artifact_of(captured: Capture, stage: str, item: pytest.Item) -> Artifact:
    """One stage of a capture; skips the test, and records why, if this torch cannot show it."""
    reason = captured.unavailable_because(stage)
    if reason is not None:
        item.stash[CASE].unavailable[stage] = reason
        pytest.skip(
            f"{stage} is unavailable on torch {captured.environment.torch}: {reason}"
        )
    return captured[stage]


@pytest.fixture
def pass_diff(
    request: pytest.FixtureRequest, compile_stages: Callable[..., Capture]
) -> Callable[..., Artifact]:
    """`pass_diff(fn, *inputs, name="remove_noop_ops", **options)`: what one pass of one compile did to its graph.

    `name` is as in the `passes` stage; for a custom pass, its slot or its own name is enough.
    """

    def take(
        fn: Callable[..., Any], *inputs: Any, name: str, **options: Any
    ) -> Artifact:
        from pytest_compile_golden.formats.pass_diffs import PassDiffsArtifact

        diffs = artifact_of(
            compile_stages(fn, *inputs, **options), "pass_diffs", request.node
        )
        assert isinstance(diffs, PassDiffsArtifact)
        return diffs[name]

    return take


def _stage_fixture(name: str) -> object:
    def stage_fixture(
        request: pytest.FixtureRequest, compile_stages: Callable[..., Capture]
    ) -> Callable[..., Artifact]:
        def take(fn: Callable[..., Any], *inputs: Any, **options: Any) -> Artifact:
            return artifact_of(
                compile_stages(fn, *inputs, **options), name, request.node
            )

        return take

    stage_fixture.__doc__ = (
        f"`{name}(fn, *inputs, **options)`: this stage of one compile; "
        "takes what `compile_stages` takes."
    )
    return pytest.fixture(name=name)(stage_fixture)
