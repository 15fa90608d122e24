"""The benchmark of sensitivity: changes of torch in memory are made, seen, and told from those that mean nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.sensitivity.rewrite import NotThere, edit, skip
from tests.forked import Forks

ROOT = Path(__file__).parents[1]
CHANGES = {
    "softmax stays": "aot / aten._softmax",
    "online softmax is not prepared": "pattern prepare_softmax_pattern: matched 1 -> 0",
    "exp.default is a library call": "lowering / aten.exp.default",
    "nothing fuses": "scheduler / fuse_nodes",
    "no persistent reductions": "triton_code",
}
NEUTRAL = (
    "nodes of the joint graph",
    "a comment in every Triton kernel",
    "a comment at the left edge of the wrapper",
    "metadata that nobody reads",
    "matches counted twice",
    "arguments of kernels, in another order",
)


def test_changes_are_seen_and_neutral_ones_are_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, forks_of_torch: Forks
) -> None:
    names = "|".join([*CHANGES, *NEUTRAL])
    case = "cases/test_reduction.py::test_softmax[cuda-sm90]"
    monkeypatch.chdir(ROOT)
    script = ROOT / "benchmarks" / "sensitivity" / "__main__.py"
    done = forks_of_torch.run_script(tmp_path, script, "--json", f"--only=^({names}) ", f"--cases={case}")
    assert done.ret == 0, done.stderr.str()
    verdicts = {each["name"]: each for each in json.loads(done.stdout.str())["verdicts"]}
    assert {each["state"] for each in verdicts.values()} == {"ran"}
    for name, expected in CHANGES.items():
        assert verdicts[name]["seen"] and verdicts[name]["blamed"], verdicts[name]
        assert expected in next(iter(verdicts[name]["changed"].values()))
    for name in NEUTRAL:
        assert not verdicts[name]["seen"] and verdicts[name]["cases"] == 1, verdicts[name]


def test_a_place_that_this_torch_does_not_have_is_said() -> None:
    for change in (
        skip("torch._inductor.fx_passes.post_grad:not_there"),
        edit("torch._inductor.fx_passes.post_grad:remove_noop_ops", ("no such text", "")),
    ):
        with pytest.raises(NotThere):
            change()
