"""A recording that says what its cases executed of torch, and one that takes over from it what cannot differ."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from pytest_compile_golden.common.digest import of_texts
from pytest_compile_golden.recordings import recording
from pytest_compile_golden.recordings.recording import RecordedCase
from tests.forked import Forks
from tests.paper import PaperProject

CASES = """
import functools
import pytest
import torch

pytestmark = pytest.mark.compile_golden(target="cpu-avx2")
calls = []


def test_cat(compile_stages):
    calls.append(1)
    compile_stages(lambda x, y: torch.cat([x, y]) + 1, torch.randn(8), torch.randn(4))


def test_cat_again(compile_stages):
    assert not calls  # what an earlier case made and kept is not there
    compile_stages(lambda x, y: torch.cat([x, y]) * 2, torch.randn(8), torch.randn(4))


def test_training(compile_stages):
    compile_stages(lambda x: (x.tanh() * 2).sum(), torch.randn(8, requires_grad=True), train=True)


@pytest.mark.parametrize("scale", range(3))
def test_scaled(compile_stages, scale):
    compile_stages(lambda x: x * scale, torch.randn(8))


def test_crash(compile_stages):
    import os

    os._exit(7)


def test_other():
    pass
"""
OF_A_VARIABLE = """
import os
import pytest
import torch


@pytest.mark.compile_golden(target="cpu-avx2")
def test_of_a_variable(compile_stages):
    compile_stages(lambda x: x + float(os.environ["APP_ADDED"]), torch.randn(8))
"""
EXECUTED = "--compile-golden-executed"
ONLY = "--compile-golden-changed-only"
RECORD = "--compile-golden-record"
LOWERING = "torch/_inductor/lowering.py"


def changed_in_the_older(
    root: Path, change: Callable[[str], str], name: str = LOWERING
) -> None:
    """Make a recording say that the torch it was made with had another text in a file."""
    path = root / "executed" / "gw0.json.gz"
    facts = json.loads(gzip.decompress(path.read_bytes()))
    texts = root / "executed" / "texts"
    text = change(zlib.decompress((texts / facts["texts"][name]).read_bytes()).decode())
    facts["texts"][name] = of_texts([text])
    (texts / of_texts([text])).write_bytes(zlib.compress(text.encode()))
    path.write_bytes(gzip.compress(json.dumps(facts).encode()))


def with_a_mark(root: Path, mark: str) -> None:
    """Put a line into a text of each recorded case, which no compile would write."""
    for case in recording.read(root).cases:
        if not case.artifacts:
            continue
        first, *others = case.artifacts
        marked = msgspec.structs.replace(first, text=first.text + mark)
        recording.write_case(
            root, msgspec.structs.replace(case, artifacts=(marked, *others))
        )


def by_name(root: Path) -> dict[str, RecordedCase]:
    return {
        case.nodeid.partition("::")[2]
        .replace("-cpu-avx2]", "]")
        .replace("[cpu-avx2]", ""): case
        for case in recording.read(root).cases
    }


@pytest.mark.wide
@pytest.mark.live
def test_only_what_executed_a_changed_function_is_compiled(
    project: pytest.Pytester, forks: Forks, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.makepyfile(test_small=CASES, test_variable=OF_A_VARIABLE)
    monkeypatch.setenv("APP_ADDED", "1")

    def run(*arguments: str) -> pytest.RunResult:
        return forks.run_pytest(project.path, "--compile-golden", "-n1", *arguments)

    result = run(f"{RECORD}=old", EXECUTED)
    result.assert_outcomes(passed=8, failed=1)
    old = project.path / "old"
    assert by_name(old)["test_crash"].outcome == "error"
    # As if the older torch had joined tensors in another way; all that was compiled with it is marked.
    mark = "# of the older torch\n"
    with_a_mark(old, mark)
    cat = "def cat(inputs, dim=0):"
    changed_in_the_older(old, lambda text: text.replace(cat, f"{cat}\n    of_old = 1"))
    # A case runs, too, whose file reads a variable that is another one now.
    monkeypatch.setenv("APP_ADDED", "2")
    result = run(f"{RECORD}=new", f"{ONLY}=old")
    result.assert_outcomes(passed=8, failed=1)
    new = by_name(project.path / "new")
    taken = {
        name
        for name, case in new.items()
        if any(mark in artifact.text for artifact in case.artifacts)
    }
    # The cases that join tensors ran, and of the others one, as a sample, which finds the mark.
    others = {"test_training", "test_scaled[0]", "test_scaled[1]", "test_scaled[2]"}
    assert len(taken) == 3 and taken < others
    (sampled,) = others - taken
    result.stdout.fnmatch_lines(
        [
            "3 of 9 tests did not run: nothing of torch that they execute differs from *old, which they are taken*",
            "1 more test like them ran as a sample: 0 of them are as they were.",
            f"test_small.py::{sampled.partition('[')[0]}*differs although nothing that it executes does: *",
        ]
    )
    # What the newer recording says of the cases that it took over is known of them from then on.
    (path,) = (project.path / "new" / "executed").glob("*.json.gz")
    known = json.loads(gzip.decompress(path.read_bytes()))["cases"]
    assert len(known) == 8


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            [EXECUTED],
            "*--compile-golden-executed is for a recording: add --compile-golden-record DIR*",
        ),
        (
            [f"{ONLY}=old"],
            "*--compile-golden-changed-only is for a recording: add --compile-golden-record DIR*",
        ),
        (
            ["--compile-golden-despite-libraries"],
            "*is for --compile-golden-changed-only OLD*",
        ),
        (
            [f"{RECORD}=new", f"{ONLY}=old"],
            "*old does not say what its cases executed*",
        ),
    ],
)
def test_options_that_need_others(
    arguments: list[str], message: str, paper: PaperProject
) -> None:
    paper.test("def test_nothing(draw): ...\n")
    paper.run(f"{RECORD}=old")
    result = paper.run(*arguments)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([message])
