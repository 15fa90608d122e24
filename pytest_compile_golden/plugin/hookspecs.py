"""The hooks and the stash keys with which other pytest plugins, ours among them, take part in a case."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pytest_compile_golden.api.captured import Capture
    from pytest_compile_golden.goldens.case import Case
    from pytest_compile_golden.plugin.run_settings import Settings
    from pytest_compile_golden.targets import Target

SETTINGS: pytest.StashKey[Settings] = pytest.StashKey()
"""In a run's `config.stash`."""
CASE: pytest.StashKey[Case] = pytest.StashKey()
"""In a test's `item.stash`, from when its target is set up."""
TOO_LATE: pytest.StashKey[list[str]] = pytest.StashKey()
"""In a run's `config.stash`: what comparisons found when their test had ended."""


@pytest.hookspec(firstresult=True)
def pytest_compile_golden_target(item: pytest.Item, target: Target) -> Target | None:
    """The target that the body of a case runs in, instead of its own, `target`; None to leave it at that."""


@pytest.hookspec(firstresult=True)
def pytest_compile_golden_capture(
    item: pytest.Item,
    fn: Callable[..., Any],
    inputs: tuple[Any, ...],
    options: dict[str, Any],
) -> Capture | None:
    """Make a capture of a case. A wrapper sees the call before it is made, and the capture after it."""


@pytest.hookspec
def pytest_compile_golden_settings(config: pytest.Config) -> str | None:
    """The settings of a plugin that all cases depend on: with others, none counts as unchanged since it passed."""
