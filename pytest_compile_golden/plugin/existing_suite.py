"""Existing suites: each test that compiles something is a case, whether or not it knows of us."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import pytest
from _pytest.skipping import xfailed_key

from pytest_compile_golden.formats.decisions import DECISIONS, FORMATS
from pytest_compile_golden.goldens.compare_artifact import Comparison
from pytest_compile_golden.goldens.golden_paths import GoldenPath
from pytest_compile_golden.goldens.golden_store import Store
from pytest_compile_golden.plugin import case_selection
from pytest_compile_golden.plugin.run_recorder import begin_case
from pytest_compile_golden.plugin.run_settings import Settings
from pytest_compile_golden.stages import decisions_of, get_stage

if TYPE_CHECKING:
    from pytest_compile_golden.observe.watch_compiles import WatchedCompile


class Suite:
    """Watches what each test compiles, and compares what the compiler decided with the test's golden.

    A test that fails, is skipped or is expected to fail is compared with nothing, since it may have stopped anywhere.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    # Parameters that a module draws when it is imported are in the names of its tests, and so of their goldens.
    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(
        self, collector: pytest.Collector
    ) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
        if not isinstance(collector, pytest.Module):
            return (yield)
        from pytest_compile_golden.observe.compile_isolation import seeded_on_the_host

        with seeded_on_the_host(0):
            return (yield)

    # Innermost: what other plugins do around a test is none of its business.
    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, object, object]:
        if case_selection.target_of(item) is not None:
            return (yield)
        from pytest_compile_golden.observe.watch_compiles import watched

        compiles: list[WatchedCompile] = []
        try:
            with watched(FORMATS) as compiles:
                result = yield
        except BaseException:
            if self._settings.record is not None:
                self._check(item, compiles)  # how far it got
            raise
        if item.stash.get(xfailed_key, None) is None and not self._check(
            item, compiles
        ):
            raise AssertionError  # without a message, see `outcome`
        return result

    def _check(self, item: pytest.Item, compiles: Sequence[WatchedCompile]) -> bool:
        """Compare with the golden of the test, or record for a comparison; whether the test passes."""
        settings = self._settings
        target = self._target(item, compiles)
        if target is None:
            return True
        case = begin_case(item, settings, target, settings.severities)
        case.stages = [DECISIONS]
        for compile in compiles:
            case.torch, case.triton = (
                compile.record.environment.torch,
                compile.record.environment.triton,
            )
            unavailable = compile.record.unavailable.items()
            case.unavailable.update(
                (stage, why) for stage, why in unavailable if stage in FORMATS
            )
        named = [(name, compile.record) for name, compile in _named(compiles, target)]
        return case.check([(DECISIONS, decisions_of(named))], None, _settle)

    def _target(
        self, item: pytest.Item, compiles: Sequence[WatchedCompile]
    ) -> str | None:
        """The target that most says what the test is about: a GPU if it compiles anything for one.

        For a test that compiles nothing, that of its golden; None if it has none.
        """
        from pytest_compile_golden.common.installed_torch import torch_version
        from pytest_compile_golden.targets import active_target

        by_device = {
            compile.record.device_type: compile.record.target for compile in compiles
        }
        if compiles:
            return by_device.get("cuda") or by_device["cpu"]
        if self._settings.record is not None:
            return None
        active = active_target()
        store, stage = (
            Store(self._settings.folder, self._settings.bases),
            get_stage(DECISIONS),
        )
        for target in (
            "native-cpu",
            "native-cuda",
            *([] if active is None else [active.name]),
        ):
            golden_path = GoldenPath(
                case_selection.folder_of(item, target), DECISIONS, stage.extension
            )
            golden = store.find(golden_path, stage, torch_version() or "0")
            if golden is not None and golden.body:
                return target
        return None


def _named(
    compiles: Iterable[WatchedCompile], target: str
) -> Iterator[tuple[str, WatchedCompile]]:
    """Each compile with its name: the function, the device if that is not the target's, and which of these it is."""
    times: Counter[str] = Counter()
    for compile in compiles:
        record = compile.record
        name = (
            compile.function
            if record.target == target
            else f"{compile.function} for {record.target}"
        )
        times[name] += 1
        yield name if times[name] == 1 else f"{name}.{times[name]}", compile


def _settle(comparison: Comparison) -> None:
    """Write the golden, if the run accepts it. Raises whatever kept it from being compared."""
    if comparison.error is not None:
        raise comparison.error
    if comparison.write is not None:
        comparison.write()
