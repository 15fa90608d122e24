"""What one pass did to its graph: the `pass_diffs` stage, and `pass_diff` for one pass."""

from __future__ import annotations

from itertools import pairwise

import pytest
import torch
from torch import Tensor

from pytest_compile_golden import capture
from pytest_compile_golden.errors import StageNotCaptured
from pytest_compile_golden.formats.pass_diffs import PassDiffsArtifact
from pytest_compile_golden.stages import get_stage
from tests.forked import RunInProject
from tests.programs import mlp


def copies(x: Tensor) -> Tensor:
    return torch.softmax(x.clone().relu() + 1, -1)


@pytest.fixture(scope="module")
def diffs() -> PassDiffsArtifact:
    return capture(copies, torch.randn(8, 8), target="cpu-avx2")["pass_diffs"]


def sides(text: str) -> tuple[str, ...]:
    lines = [line for line in text.splitlines() if not line.startswith("@@")]
    return tuple(
        "\n".join(line[1:] for line in lines if line[:1] in ("", " ", sign))
        for sign in "-+"
    )


def test_a_pass_shows_its_graph_before_and_after(diffs: PassDiffsArtifact) -> None:
    text = str(diffs["remove_noop_ops"])
    assert text.count("@@ graph_0: ") == 2  # the joint phase runs it too
    changed = text.partition("\n\n")[0].splitlines()
    assert changed[0] == "@@ graph_0: joint / remove_noop_ops @@"
    assert changed[1] == " def graph_0(arg0_1: f32[8, 8]):"
    assert "-    clone: f32[8, 8] = aten.clone.default(arg0_1)" in changed
    assert "-    relu: f32[8, 8] = aten.relu.default(clone)" in changed
    assert "+    relu: f32[8, 8] = aten.relu.default(arg0_1)" in changed
    assert text.endswith("@@ graph_0: post_grad / remove_noop_ops @@ changed nothing\n")
    before, after = sides(str(diffs["fuse_nodes"]))
    assert before.count("group:") > after.count("group:") >= 1


def test_only_passes_that_changed_something_are_in_the_stage(
    diffs: PassDiffsArtifact,
) -> None:
    titles = [line for line in str(diffs).splitlines() if line.startswith("@@")]
    changed = [
        f"@@ {run.key.label}: {run.phase} / {run.name} @@"
        for run, _ in diffs.diffs
        if run.changed
    ]
    assert titles == changed and len(titles) >= 2
    with pytest.raises(
        StageNotCaptured,
        match=r"no pass 'remove_noop' ran .*; did you mean 'remove_noop_ops'",
    ):
        diffs["remove_noop"]
    nothing = capture(torch.neg, torch.randn(2), target="cpu-avx2")["pass_diffs"]
    assert str(nothing) == "no pass changed its graph\n"


def test_each_graph_is_where_the_next_pass_starts() -> None:
    captured = capture(mlp(), torch.randn(4, 16), target="cpu-avx2", train=True)
    parts = str(captured["pass_diffs"]).split("@@ ")[1:]
    joint = [
        sides(part.partition("\n")[2])
        for part in parts
        if part.startswith("graph_0_joint: joint")
    ]
    backward = [
        sides(part.partition("\n")[2])
        for part in parts
        if part.startswith("graph_0_backward: post_grad")
    ]
    for chain, stage in ((joint, "joint_graph"), (backward, "post_grad_graph")):
        assert len(chain) >= 1
        for (_, after), (before, _) in pairwise(chain):
            assert after.strip() == before.strip()
        assert chain[-1][1].strip() in str(captured[stage])


def test_names_and_comments_do_not_count(diffs: PassDiffsArtifact) -> None:
    canonical = get_stage("pass_diffs").format.canonical
    text = str(diffs)
    assert canonical(
        text.replace("clone", "copied").replace("aten.copied", "aten.clone")
    ) == canonical(text)
    assert (
        canonical(text.replace("# copies", "# other")) == canonical(text)
        and "# copies" in text
    )
    assert canonical(
        text.replace("joint / remove_noop_ops", "joint / another")
    ) != canonical(text)
    removed = "-    clone: f32[8, 8] = aten."
    assert removed in text and canonical(
        text.replace(f"{removed}clone", f"{removed}neg")
    ) != canonical(text)


CASE = """
import torch

def test_one_pass(pass_diff, golden):
    f = lambda x: x.clone().relu() + 1
    assert pass_diff(f, torch.randn(8), name="remove_noop_ops") == golden
    assert pass_diff(f, torch.randn(8), name="stable_sort") == golden
    assert "aten.clone" in str(pass_diff(f, torch.randn(8), name="remove_noop_ops"))

def test_all(compile_stages, golden):
    assert compile_stages(lambda x: x.clone().relu() + 1, torch.randn(8)) == golden
"""


def test_diffs_are_goldens_like_any_other(
    project: pytest.Pytester, compiling: RunInProject
) -> None:
    project.makepyfile(test_case=CASE)
    options = ("--compile-golden-target=cpu-avx2", "--compile-golden-stages=pass_diffs")
    compiling(*options, "--snapshot-update").assert_outcomes(passed=2)
    found = {
        path.relative_to(project.path / "goldens").as_posix(): path
        for path in project.path.rglob("*.diff")
    }
    assert sorted(found) == [
        "test_case/test_all/cpu-avx2/pass_diffs.diff",
        "test_case/test_one_pass/cpu-avx2/pass_diffs.remove_noop_ops.diff",
        "test_case/test_one_pass/cpu-avx2/pass_diffs.stable_sort.diff",
    ]
    golden = found["test_case/test_one_pass/cpu-avx2/pass_diffs.remove_noop_ops.diff"]
    golden.write_text(
        golden.read_text().replace("aten.clone.default", "aten.alias.default")
    )
    result = compiling(*options)
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*pass_diffs.remove_noop_ops*"])
