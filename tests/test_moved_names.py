"""The benchmark of moved names, on a few moves: none ends in a traceback of ours, or accuses torch."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.forked import Forks

ROOT = Path(__file__).parents[1]
MOVES = {
    "gone: .*:register_bytecode_hook": "dynamo_bytecode: ",
    "gone: .*:ShapeEnv.create_symbol": "specialisations: ",
    # A setting that is only written: what the target lacks without it.
    "gone: .*:force_non_lazy_backward_lowering": "training: ",
    # A case that is compiled for another device than its target's is no longer recognised, and that is told.
    "gone: .*:GraphLowering.device_types": "the check that something is compiled for the target: ",
    "parameters renamed: .*:OutputGraph.call_user_compiler": "dynamo_graph: ",
    # A function of ours in its place does not take what torch passes; one of torch's does not take what we pass; one of
    # ours does not return what torch expects.
    "keyword-only: .*:FxGraphCachePickler.debug_lines": "cache_key: ",
    "a parameter more: .*:is_traceable_wrapper_subclass": "is_traceable_wrapper_subclass is not as this tool knows it",
    "result is a tuple: .*:torch_key": "cache_key: ",
    # Replaced only where torch treats the sizes of fake tensors in another way than those of real ones.
    "result is a tuple: .*:ShapeEnv.transfer_symbols_from_foreign_shape_env": "",
    # What only puts something back fails no capture.
    "a method became a function: .*:SideEffects.codegen_update_mutated": "",
}


def test_a_name_that_moved_is_named_and_everything_else_is_as_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, forks_with_bare_torch: Forks
) -> None:
    outcomes = tmp_path / "outcomes.jsonl"
    script = ROOT / "benchmarks" / "moved" / "__main__.py"
    monkeypatch.chdir(ROOT)
    done = forks_with_bare_torch.run_script(
        tmp_path, script, "--only", "|".join(MOVES), "--into", str(outcomes)
    )
    made = [json.loads(line) for line in outcomes.read_text().splitlines()]
    for move, told in MOVES.items():
        (outcome,) = (each for each in made if re.fullmatch(move, each["move"]))
        assert outcome["effect"] == (
            "named, everything else as before" if told else "no effect"
        )
        assert told in outcome["detail"]
    assert done.ret == 0 and "| gone | 4 | 4 | 0 | 0 | 0 | 0 |" in done.stdout.str()
