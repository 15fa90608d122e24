"""One fixture per stage, made from the registry; without it for the built-in ones, so that other runs pay nothing."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pytest_compile_golden.api import Capture
    from pytest_compile_golden.stages import Artifact

BUILT_IN = (
    "dynamo_bytecode",
    "guards",
    "graph_breaks",
    "recompiles",
    "dynamo_graph",
    "pre_grad_graph",
    "aot_graph",
    "joint_graph",
    "forward_graph",
    "backward_graph",
    "post_grad_graph",
    "passes",
    "pass_diffs",
    "lowered_ir",
    "scheduler_nodes",
    "wrapper_code",
    "triton_code",
    "cpp_code",
    "trail",
    "metrics",
)
"""The registry's own names, known without loading it: a run without --compile-golden only has to skip."""


class StageFixtures:
    """A plugin that keeps fixtures in step with the registry, to which any conftest.py may add."""

    def __init__(self, config: pytest.Config, enabled: bool) -> None:
        self._config = config
        self._enabled = enabled
        self._known: set[str] = set()

    def pytest_plugin_registered(self) -> None:
        registered: tuple[str, ...] = ()
        if self._enabled or "pytest_compile_golden.stages" in sys.modules:
            from pytest_compile_golden.stages import stages

            registered = tuple(stage.name for stage in stages())
        missing = [name for name in dict.fromkeys((*BUILT_IN, *registered)) if name not in self._known]
        if missing:
            # First: registering calls this hook again.
            self._known.update(missing)
            self._config.pluginmanager.register(_plugin(missing), f"compile-golden-stages-{len(self._known)}")


def _plugin(names: Iterable[str]) -> ModuleType:
    # A module, because that is where pytest looks for fixtures on the object itself and not on its class.
    plugin = ModuleType("compile_golden_stages", "One fixture per stage.")
    for name in names:
        setattr(plugin, name, _stage_fixture(name))
    return plugin


def artifact_of(captured: Capture, stage: str, item: pytest.Item) -> Artifact:
    """That stage of a capture; the test is skipped, and says so, where this torch cannot show it."""
    if stage in captured.unavailable:
        from pytest_compile_golden.plugin.fixtures import CASE

        reason = captured.unavailable[stage]
        item.stash[CASE].unavailable[stage] = reason
        pytest.skip(f"{stage} is unavailable on torch {captured.environment.torch}: {reason}")
    return captured[stage]


@pytest.fixture
def pass_diff(request: pytest.FixtureRequest, compile_stages: Callable[..., Capture]) -> Callable[..., Artifact]:
    """`pass_diff(fn, *inputs, name="remove_noop_ops", **options)`: what one pass of one compile did to its graph.

    `name` is as in the `passes` stage; that of a pass of the user's goes without the slot that it was given in.
    """

    def take(fn: Callable[..., Any], *inputs: Any, name: str, **options: Any) -> Artifact:
        from pytest_compile_golden.stages.pass_diffs import PassDiffsArtifact

        diffs = artifact_of(compile_stages(fn, *inputs, **options), "pass_diffs", request.node)
        assert isinstance(diffs, PassDiffsArtifact)
        return diffs[name]

    return take


def _stage_fixture(name: str) -> object:
    def stage_fixture(
        request: pytest.FixtureRequest, compile_stages: Callable[..., Capture]
    ) -> Callable[..., Artifact]:
        def take(fn: Callable[..., Any], *inputs: Any, **options: Any) -> Artifact:
            return artifact_of(compile_stages(fn, *inputs, **options), name, request.node)

        return take

    stage_fixture.__doc__ = (
        f"`{name}(fn, *inputs, **options)`: that stage of one compile, as `compile_stages` takes it."
    )
    return pytest.fixture(name=name)(stage_fixture)
