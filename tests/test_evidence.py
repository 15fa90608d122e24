"""What is known about goldens besides their text: kept beside them, told apart by their text, and never compared."""

from __future__ import annotations

import json

import pytest
import torch
import torch.nn.functional as F

from pytest_compile_golden import Capture, capture
from pytest_compile_golden.facts.schedules import Schedule
from pytest_compile_golden.formats import evidence
from pytest_compile_golden.formats.graphs import GRAPH
from pytest_compile_golden.formats.schedules import provenance, scheduled
from pytest_compile_golden.goldens import evidence_file as file
from tests.forked import Forks, RunInProject
from tests.paper import PaperProject

CPU = "--compile-golden-target=paper-cpu"
FOLDER = "cases/test_paper/test_one/paper-cpu"
CASE = """
import os
import pytest
from pytest_compile_golden.facts.schedules import Group, Operation, Schedule

@pytest.mark.compile_golden(stages=["ink", "scheduler_nodes"])
def test_one(draw, golden):
    kind = os.environ.get("KIND", "pointwise")
    operation = Operation("op0", kind, nodes=(os.environ.get("NODE", "add"),), operators=())
    schedule = Schedule("graph_0", (Group(kind, (operation,)),))
    assert draw(ink="a\\n", scheduler_nodes=schedule) == golden
"""


def facts(paper: PaperProject, name: str = "evidence.jsonl") -> list[object]:
    """The facts of the file besides the digests of texts."""
    lines = paper.files()[f"{FOLDER}/{name}"].splitlines()
    found = [
        json.loads(line)["scheduler_nodes"] for line in lines if line.startswith("{")
    ]
    assert any(fact[0] == "text" for fact in found)
    return [fact for fact in found if fact[0] != "text"]


@pytest.fixture
def kept(paper: PaperProject) -> PaperProject:
    paper.test(CASE)
    paper.update(CPU).assert_outcomes(passed=1, deselected=1)
    return paper


def test_an_update_keeps_it_beside_the_goldens(kept: PaperProject) -> None:
    assert facts(kept) == [["nodes", 0, "op0", ["add"]]]
    before = kept.files()
    kept.update(CPU).assert_outcomes(passed=1, deselected=1)
    assert kept.files() == before


def test_it_is_never_compared(kept: PaperProject) -> None:
    before = kept.files()
    result = kept.run(CPU, NODE="mul")
    result.assert_outcomes(passed=1, deselected=1)
    assert kept.files() == before and "left out" not in result.stdout.str()
    # The version that wrote it may write it again; another one has nothing to add.
    kept.update(CPU, torch="2.15.0", NODE="mul")
    assert kept.files() == before
    kept.update(CPU, NODE="mul")
    assert facts(kept) == [["nodes", 0, "op0", ["mul"]]]


@pytest.mark.parametrize(
    "text", [None, "<<<<<<< ours\n=======\n>>>>>>> theirs\n", "# no golden\n"]
)
def test_a_run_passes_without_it(kept: PaperProject, text: str | None) -> None:
    whole = kept.files()
    path = kept.goldens / FOLDER / "evidence.jsonl"
    path.unlink() if text is None else path.write_text(
        whole[f"{FOLDER}/evidence.jsonl"] * (text[0] == "<") + text
    )
    kept.run(CPU).assert_outcomes(passed=1, deselected=1)
    path.unlink(missing_ok=True)
    kept.update(CPU).assert_outcomes(passed=1, deselected=1)
    assert kept.files() == whole


def test_that_of_another_text_is_dropped_and_the_run_says_so(
    kept: PaperProject,
) -> None:
    golden = kept.goldens / FOLDER / "scheduler_nodes.txt"
    golden.write_text(golden.read_text().replace("op0", "op7"))
    result = kept.run(CPU)
    result.assert_outcomes(passed=1, deselected=1)
    result.stdout.fnmatch_lines(
        ["*leave out the evidence of scheduler_nodes: it is of another text*"]
    )
    kept.update(CPU)
    assert "another text" not in kept.run(CPU).stdout.str() and facts(kept) == [
        ["nodes", 0, "op0", ["add"]]
    ]


def test_each_version_with_goldens_of_its_own_has_its_own(kept: PaperProject) -> None:
    first = kept.files()
    kept.update(CPU, torch="2.15.0", KIND="reduction", NODE="sum_1").assert_outcomes(
        passed=1, deselected=1
    )
    added = {
        f"{FOLDER}/evidence@torch-2.15.jsonl",
        f"{FOLDER}/scheduler_nodes@torch-2.15.txt",
    }
    assert kept.files().keys() - first.keys() == added
    assert facts(kept, "evidence@torch-2.15.jsonl") == [["nodes", 0, "op0", ["sum_1"]]]
    # With the overlay goes what is known about it.
    kept.update(CPU, torch="2.15.0").assert_outcomes(passed=1, deselected=1)
    assert kept.files() == first


def test_what_is_accepted_later_brings_its_own(kept: PaperProject) -> None:
    changed = kept.run(
        CPU, "--compile-golden-pending=pending", KIND="reduction", NODE="sum_1"
    )
    changed.assert_outcomes(failed=1, deselected=1)
    kept.command("accept", "--pending=pending", "--goldens=goldens")
    assert facts(kept) == [["nodes", 0, "op0", ["sum_1"]]]


def test_a_case_that_goes_takes_it_along(kept: PaperProject) -> None:
    kept.test("def test_other(compile_target):\n    pass\n")
    kept.update()
    assert kept.files() == {}


STEPS = """
import torch

def test_steps(compile_stages, golden):
    assert compile_stages(lambda x: x.sin() + 1, torch.randn(8, 8)) == golden
"""


def test_steps_count_unless_the_golden_of_their_stage_says_otherwise(
    project: pytest.Pytester, compiling: RunInProject
) -> None:
    project.makepyfile(test_case=STEPS)
    options = ("--compile-golden-target=cuda-sm90",)
    compiling(*options, "--snapshot-update").assert_outcomes(passed=1)
    (kept,) = project.path.glob("**/evidence.jsonl")
    assert not [*project.path.glob("**/trail*")]
    whole = kept.read_text()
    steps = {
        fact[2]: str(fact[4])
        for fact in map(_trail, whole.splitlines())
        if fact[:1] == ["step"]
    }
    # Only the trail has this step: it is noted, as the kernels and the code that calls them are as before.
    kept.write_text(whole.replace(steps["lowered_ir"], "another"))
    result = compiling(*options)
    result.assert_outcomes(passed=1)
    counted = "noted (does not fail; the next --snapshot-update records it): step-reconnected in 1 case."
    result.stdout.fnmatch_lines(["1 case: 0 unchanged, 0 changed, 1 noted*", counted])
    result = compiling(*options, "--compile-golden-strict")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["  first divergence  lowered_ir: *"])
    # This one has a golden of its own, which is the truth.
    kept.write_text(whole.replace(f'"{steps["scheduler_nodes"]}"', '"another"'))
    result = compiling(*options)
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(
        ["*leave out steps of the trail: they are of other texts*"]
    )
    compiling(*options, "--snapshot-update").assert_outcomes(passed=1)
    assert kept.read_text() == whole
    # Another torch may take more steps before it: that says nothing of its text.
    kept.write_text(whole.replace('"step",', '"step",1'))
    result = compiling(*options)
    result.assert_outcomes(passed=1)
    result.stdout.no_fnmatch_line("*leave out*")
    # Passes that did nothing are no change; that there are more of them is said once.
    kept.write_text(whole.replace('"remove_assert_ops",', ""))
    result = compiling(*options)
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(
        ["passes: torch * runs 1 more: post_grad / remove_assert_ops."]
    )
    # A trail that two branches changed is of neither.
    kept.write_text(whole + '{"trail":["golden","2.14.0",null,1,[]]}\n')
    result = compiling(*options)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["*does not say which torch wrote the trail, or says it more than once*"]
    )


PASS = """
from pathlib import Path
import torch

def drop(graph):
    for node in [*graph.nodes] if not Path("off").exists() else []:
        if node.target is torch.ops.aten.mul.Tensor:
            node.replace_all_uses_with(node.args[0])
            graph.erase_node(node)

def test_pass(compile_stages, golden):
    config = {"post_grad_custom_post_pass": drop}
    assert compile_stages(lambda x: (x * 3).relu(), torch.randn(8, 8), config=config) == golden
"""


def test_what_is_pending_is_told_with_its_evidence(
    project: pytest.Pytester, compiling: RunInProject, forks: Forks
) -> None:
    project.makepyfile(test_case=PASS)
    options = ("--compile-golden-target=cuda-sm90", "--compile-golden-pending=pending")
    compiling(*options, "--snapshot-update").assert_outcomes(passed=1)
    (project.path / "off").touch()
    compiling(*options).assert_outcomes(failed=1)
    shown = forks.run_command(project.path, "show", "--pending=pending").stdout
    # It runs, and does nothing: only evidence names passes that do nothing.
    shown.fnmatch_lines(
        ["  post_grad / post_grad_custom_post_pass / drop keeps aten.mul (+1 node)*"]
    )


def _trail(line: str) -> list[object]:
    fact: list[object] = (
        json.loads(line).get("trail", []) if line.startswith("{") else []
    )
    return fact


def program(x: torch.Tensor, w: torch.Tensor) -> tuple[torch.Tensor, ...]:
    y = (x * 2).exp()
    return y.sum(1), F.gelu(F.layer_norm(x @ w, (64,))) @ w, (y * w + 1).softmax(-1)


@pytest.fixture(scope="module", params=["cuda-sm90", "cpu-avx2"])
def captured(request: pytest.FixtureRequest) -> Capture:
    return capture(
        program, torch.randn(64, 64), torch.randn(64, 64), target=request.param
    )


def test_a_text_and_its_evidence_are_the_facts(captured: Capture) -> None:
    artifact = captured["scheduler_nodes"]
    (schedule,) = scheduled(captured.record)
    (again,) = provenance.read(
        artifact.text, evidence.write(artifact.text, artifact.facts)
    )
    assert again.apart == schedule.apart and again.choices == schedule.choices
    assert _links(again) == _links(schedule)
    (bare,) = provenance.read(artifact.text, "")
    assert _unlinked(bare) and _unlinked(
        provenance.read(artifact.text, evidence.write("other", artifact.facts))[0]
    )


def _links(schedule: Schedule) -> list[object]:
    return [
        (group.kernel, op.name, op.nodes)
        for group in schedule.groups
        for op in group.operations
    ]


def _unlinked(schedule: Schedule) -> bool:
    known = [op.nodes for op in schedule.operations] + [
        pair.author for pair in schedule.apart or ()
    ]
    return {*known, *(group.kernel for group in schedule.groups)} == {None}


def test_the_ids_are_those_of_the_other_stages(captured: Capture) -> None:
    code = (
        captured["triton_code"] if "triton_code" in captured else captured["cpp_code"]
    )
    groups = captured["scheduler_nodes"].groups
    calls = [group.kernel for group in groups if group.kind == "extern"]
    assert calls and {*calls} == {None}
    assert {group.kernel for group in groups if group.kind != "extern"} == {*code.names}
    nodes = {
        name
        for group in groups
        for operation in group.operations
        for name in operation.nodes or ()
    }
    (function,) = GRAPH.read(captured["post_grad_graph"].text)
    assert nodes and nodes <= {line.name for line in function.lines}


def test_facts_of_two_texts_that_git_merged_are_of_neither() -> None:
    one, two = ("graph_0:\n", "graph_1:\n")
    merged = "".join(
        f'{{"scheduler_nodes":{line}}}\n'
        for text in (one, two)
        for line in evidence.write(
            text, [provenance.Nodes(0, "op0", (text[:7],))]
        ).splitlines()
    )
    (known,) = file.split(merged).values()
    assert [evidence.read(known, text, provenance.Link) for text in (one, two)] == [
        [],
        [],
    ]
