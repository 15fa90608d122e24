"""Captures as if Inductor had written different code, and how their stages differ from the originals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import PurePosixPath

from pytest_compile_golden import Capture
from pytest_compile_golden.facts.record import Record
from pytest_compile_golden.goldens.compare_artifact import Compared, compare
from pytest_compile_golden.goldens.golden_header import Header
from pytest_compile_golden.goldens.golden_paths import GoldenPath
from pytest_compile_golden.goldens.golden_store import StoredGolden
from pytest_compile_golden.stages import get_stage


def again(captured: Capture, edit: Callable[[str], str]) -> Capture:
    """The capture, as if Inductor had written the edited code for it."""
    record = captured.record
    (code,) = record.get("output_code")
    edited = edit(code.code)
    assert edited != code.code
    mutated = Record(
        record.target, record.device_type, record.training, record.environment
    )
    mutated.add("output_code", replace(code, code=edited, bytes_accessed=0))
    return Capture(mutated)


def kind(stage: str, old: str, new: str) -> str:
    """The kind of change from a golden that contains `old`; `same` if there is none."""
    found = change(stage, old, new)
    return "same" if found is None else found.kind


def change(stage: str, old: str, new: str) -> Compared | None:
    """How a stage differs from a golden that contains `old`; None if it does not."""
    declared = get_stage(stage)
    path = GoldenPath(PurePosixPath("case"), stage, declared.extension)
    return compare(
        declared,
        path,
        StoredGolden(path.versionless, Header(stage, "2.13.0", None), old),
        new,
    )
