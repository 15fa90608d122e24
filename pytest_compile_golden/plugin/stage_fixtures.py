"""One fixture per stage, made from the table of the pipeline."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest

from pytest_compile_golden.stages import stage_names

if TYPE_CHECKING:
    from pytest_compile_golden.captured import Capture
    from pytest_compile_golden.formats.artifact import Artifact


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
            self._config.pluginmanager.register(_plugin(missing), f"compile-golden-stages-{len(self._known)}")


def _plugin(names: Iterable[str]) -> ModuleType:
    # A module, because only there does pytest look for fixtures on the object itself rather than on its class.
    plugin = ModuleType("compile_golden_stages", "One fixture per stage.")
    for name in names:
        setattr(plugin, name, _stage_fixture(name))
    return plugin


def artifact_of(captured: Capture, stage: str, item: pytest.Item) -> Artifact:
    """One stage of a capture; skips the test, and records why, if this torch cannot show it."""
    reason = captured.unavailable_because(stage)
    if reason is not None:
        from pytest_compile_golden.plugin.fixtures import CASE

        item.stash[CASE].unavailable[stage] = reason
        pytest.skip(f"{stage} is unavailable on torch {captured.environment.torch}: {reason}")
    return captured[stage]


@pytest.fixture
def pass_diff(request: pytest.FixtureRequest, compile_stages: Callable[..., Capture]) -> Callable[..., Artifact]:
    """`pass_diff(fn, *inputs, name="remove_noop_ops", **options)`: what one pass of one compile did to its graph.

    `name` is as in the `passes` stage; for a user's pass, leave out the slot that it was registered in.
    """

    def take(fn: Callable[..., Any], *inputs: Any, name: str, **options: Any) -> Artifact:
        from pytest_compile_golden.formats.pass_diffs import PassDiffsArtifact

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
        f"`{name}(fn, *inputs, **options)`: this stage of one compile; takes what `compile_stages` takes."
    )
    return pytest.fixture(name=name)(stage_fixture)
