"""Compares two captures the way a run compares a capture with its goldens."""

from __future__ import annotations

from dataclasses import replace
from pathlib import PurePosixPath

from pytest_compile_golden import Capture
from pytest_compile_golden.formats import evidence
from pytest_compile_golden.goldens.compare_artifact import compare
from pytest_compile_golden.goldens.golden_header import Header
from pytest_compile_golden.goldens.golden_paths import GoldenPath
from pytest_compile_golden.goldens.golden_store import StoredGolden
from pytest_compile_golden.report.case_report import case_report
from pytest_compile_golden.report.model import CaseReport
from pytest_compile_golden.stages import get_stage, stages


def reported(old: Capture, new: Capture) -> CaseReport:
    """The report of a case: `new` compared with the default stages of `old` as its goldens."""
    compared = []
    for stage in stages():
        if stage.default and stage.name in old and stage.name in new:
            path = GoldenPath(
                PurePosixPath("test_case/test_it/cuda-sm90"),
                stage.name,
                stage.extension,
            )
            golden = StoredGolden(
                path.versionless,
                Header(stage.name, "2.13.0", None),
                old[stage.name].text,
            )
            pair = compare(get_stage(stage.name), path, golden, new[stage.name].text)
            before, after = (
                evidence.write(side[stage.name].text, side[stage.name].facts)
                for side in (old, new)
            )
            compared.append(
                replace(
                    pair, locations=new[stage.name].locations, known=(before, after)
                )
            )
    return case_report("test_case.py::test_it[cuda-sm90]", "cuda-sm90", compared)
