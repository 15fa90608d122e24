"""Which functions `compile-golden prove` takes for having run; with `sys.monitoring` where Python has it."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import pytest

from pytest_compile_golden.facts.record import Environment, Record
from pytest_compile_golden.features.prove.candidates import ran
from pytest_compile_golden.features.prove.function_coverage import Coverage
from pytest_compile_golden.features.prove.source_differences import Differences
from pytest_compile_golden.torch_source.installed_sources import Sources

_STEPS = """
def traced(): return inner()
def inner(): return lowered.__name__
def lowered(): return traced()
def written(): pass
def idle(): pass
"""
_FILE = "steps/__init__.py"


@pytest.fixture
def steps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Sources:
    (tmp_path / "steps").mkdir()
    (tmp_path / _FILE).write_text(_STEPS)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "steps", raising=False)
    return Sources(tmp_path, "steps")


def _watched(sources: Sources) -> Coverage:
    """A compile in which each step runs once more after the one in which it belongs."""
    module = importlib.import_module("steps")
    record = Record("cpu-avx2", "cpu", False, Environment("2.15.0", None, ""))
    found = Coverage(sources)
    with found.watching():
        module.traced()
        record.add("aot_graph", 1)
        record.add("notes", 1)
        module.lowered()
        record.add("lowered_ir", 1)
        module.written()
    module.idle()
    return found


def test_what_ran_until_a_stage_was_complete(steps: Sources) -> None:
    """A function that ran before runs again: it counts for both stages."""
    found = _watched(steps)
    line = {
        name: steps.definitions(_FILE)[name].lineno
        for name in ("traced", "inner", "lowered", "written")
    }
    assert {entry: [at for _, at in places] for entry, places in found.ran.items()} == {
        "aot_graph": [line["traced"], line["inner"]],
        "lowered_ir": [line["traced"], line["inner"], line["lowered"]],
        "": [line["written"]],
    }
    assert {"lowered", "__name__"} <= found.names and "idle" not in found.names


@pytest.mark.skipif(not hasattr(sys, "monitoring"), reason="Python has it since 3.12")
def test_nothing_is_monitored_afterwards(steps: Sources) -> None:
    """Events that stay on call what they called in everything that runs until the process ends."""
    monitoring: Any = getattr(sys, "monitoring", None)
    _watched(steps)
    monitoring.use_tool_id(monitoring.PROFILER_ID, "a test")
    try:
        assert not monitoring.get_events(monitoring.PROFILER_ID)
    finally:
        monitoring.free_tool_id(monitoring.PROFILER_ID)


def test_only_what_ran_is_a_candidate(steps: Sources, tmp_path: Path) -> None:
    (tmp_path / "old" / "steps").mkdir(parents=True)
    (tmp_path / "old" / _FILE).write_text(
        _STEPS.replace("pass", "return 1").replace("lowered.__name__", "2")
    )
    found = _watched(steps)
    places = [place for where in found.ran.values() for place in where]
    edits = ran(
        Differences(Sources(tmp_path / "old", "steps"), steps, tmp_path),
        places,
        found.names,
    )
    assert {edit.name for edit in edits} == {"inner", "written"}
