"""The sensitivity benchmark: in-memory changes to torch are made, seen, and told apart from neutral ones."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.sensitivity.reach import Reach
from benchmarks.sensitivity.rewrite import NotThere, edit, skip
from benchmarks.verdicts.__main__ import CAPTURES
from benchmarks.verdicts.planted import read
from tests.forked import Forks

ROOT = Path(__file__).parents[1]
SCRIPT = ROOT / "benchmarks" / "sensitivity" / "__main__.py"
CHANGES = {
    "softmax stays": "aot / aten._softmax",
    "online softmax is not prepared": "pattern prepare_softmax_pattern: matched 1 -> 0",
    "exp.default is a library call": "lowering / aten.exp.default",
    "nothing fuses": "scheduler / fuse_nodes",
    "no persistent reductions": "triton_code",
    "division that is rounded to nearest": "triton_code",
}
CASE = "cases/test_reduction.py::test_softmax[cuda-sm90]"
ALONE = "nodes of the joint graph"
NEUTRAL = (
    ALONE,
    "a comment in every Triton kernel",
    "a comment at the left edge of the wrapper",
    "metadata that nobody reads",
    "matches counted twice",
    "arguments of kernels, in another order",
)


def test_changes_are_seen_and_neutral_ones_are_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, forks_with_bare_torch: Forks
) -> None:
    names = "|".join([*CHANGES, ALONE])
    monkeypatch.chdir(ROOT)
    # With a target that has another as its base: what its own goldens do not contain is known all the same.
    cases = f"--cases={CASE}", f"--cases={CASE.replace('sm90', 'sm100')}"
    arguments = (
        "--json",
        f"--only=^({names}) ",
        *cases,
        f"--into={tmp_path / 'found'}",
    )
    done = forks_with_bare_torch.run_script(tmp_path, SCRIPT, *arguments)
    assert done.ret == 0, done.stderr.str()
    verdicts = {
        verdict["name"]: verdict
        for verdict in json.loads(done.stdout.str())["verdicts"]
    }
    assert {verdict["state"] for verdict in verdicts.values()} == {"ran"}
    for name, expected in CHANGES.items():
        assert verdicts[name]["seen"] and verdicts[name]["blamed"], verdicts[name]
        assert all(expected in text for text in verdicts[name]["changed"].values())
    assert not verdicts[ALONE]["seen"] and verdicts[ALONE]["cases"] == 2, verdicts

    again = forks_with_bare_torch.run_script(tmp_path, SCRIPT, *arguments)
    assert again.stdout.str() == done.stdout.str()
    # Where the result of each change that is made is printed.
    assert not again.stderr.str()


MADE = """
import sys
from benchmarks.sensitivity.neutral import NEUTRAL_CHANGES

for change in NEUTRAL_CHANGES:
    if change.name in sys.argv[1:]:
        change.change()
        print(change.name)
"""


def test_neutral_changes_are_made_together_but_not_on_cases_that_show_what_one_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, forks_with_bare_torch: Forks
) -> None:
    """Those that this torch does not have would be left out."""
    monkeypatch.chdir(ROOT)
    script = tmp_path / "made.py"
    script.write_text(MADE, encoding="utf-8")
    made = forks_with_bare_torch.run_script(tmp_path, script, *NEUTRAL)
    assert {*made.outlines} == {*NEUTRAL}, made.stderr.str()
    keys = "--cases=cases/test_cache_key.py::test_both_directions_can_be_kept[cpu-avx2]"
    done = forks_with_bare_torch.run_script(
        tmp_path,
        SCRIPT,
        "--json",
        "--together",
        f"--only=^({'|'.join(NEUTRAL)}|nodes of)",
        f"--cases={CASE}",
        keys,
    )
    (verdict,) = json.loads(done.stdout.str())["verdicts"]
    assert (
        verdict["state"] == "ran" and verdict["cases"] == 1 and not verdict["seen"]
    ), verdict


def test_what_cases_captured_under_a_change_is_captured_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, forks_with_bare_torch: Forks
) -> None:
    monkeypatch.chdir(ROOT)
    arguments = "--again", "--only=^softmax stays ", f"--into={tmp_path}"
    done = forks_with_bare_torch.run_script(tmp_path, SCRIPT, *arguments)
    assert (done.ret, done.stdout.str().strip()) == (0, ""), done.stdout.str()
    captures = tmp_path / "captures.jsonl"
    made = read(captures)
    assert {case.nodeid for case in made} == {
        case.nodeid for case in read(CAPTURES) if case.change == "softmax stays"
    }
    assert CASE in {case.nodeid for case in made}

    # One case is as its goldens are, and the kernel of the other has another name, which does not count, or computes
    # something else.
    text = captures.read_text(encoding="utf-8").splitlines()
    (other,) = (line for line in text if CASE not in line)
    assert "_poi_fused_div_0" in other and "tmp0 * tmp1" in other
    gone = f"softmax stays: {CASE}: as its goldens are, or not run"
    for was, now, more in (
        ("_poi_fused_div_0", "_per_0", 0),
        ("tmp0 * tmp1", "tmp0 + tmp1", 1),
    ):
        captures.write_text(other.replace(was, now), encoding="utf-8")
        done = forks_with_bare_torch.run_script(tmp_path, SCRIPT, *arguments)
        told = done.stdout.str().splitlines()
        assert done.ret == 1 and gone in told
        assert [line.endswith("triton_code is structural") for line in told].count(
            True
        ) == more, told


def test_which_functions_a_case_calls_is_recorded_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, forks_with_bare_torch: Forks
) -> None:
    monkeypatch.chdir(ROOT)
    for _ in range(2):
        done = forks_with_bare_torch.run_script(
            tmp_path, SCRIPT, "--record", f"--cases={CASE}", f"--into={tmp_path}"
        )
        assert done.ret == 0, done.stderr.str()
    assert len((tmp_path / "reach.jsonl").read_text(encoding="utf-8").splitlines()) == 1
    reach = Reach(tmp_path / "reach.jsonl")
    for case in (CASE, CASE.replace("sm90", "sm100")):
        assert reach.reached(case, "torch._inductor.scheduler:Scheduler.fuse_nodes")
        assert (
            reach.reached(case, "torch._inductor.codegen.cpp:CppVecKernel.store")
            is False
        )
    assert reach.reached(CASE, "") is None
    assert (
        reach.reached(
            "cases/test_pad.py::test_pad[cuda-sm90]",
            "torch._inductor.scheduler:Scheduler.fuse_nodes",
        )
        is None
    )


def test_a_change_to_something_this_torch_does_not_have_is_an_error() -> None:
    for change in (
        skip("torch._inductor.fx_passes.post_grad:not_there"),
        edit(
            "torch._inductor.fx_passes.post_grad:remove_noop_ops", ("no such text", "")
        ),
    ):
        with pytest.raises(NotThere):
            change()
