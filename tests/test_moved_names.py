"""The benchmark of moved names, on a few moves: none ends in a traceback of ours, or accuses torch."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
MOVES = "gone: .*:(register_bytecode_hook|ShapeEnv.create_symbol)|parameters renamed: .*call_user_compiler"


def test_a_name_that_moved_is_named_and_everything_else_is_as_before(tmp_path: Path) -> None:
    outcomes = tmp_path / "outcomes.jsonl"
    command = [sys.executable, "-m", "benchmarks.moved", "--only", MOVES, "--into", str(outcomes)]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, timeout=500)
    effects = {each["move"]: each["effect"] for each in map(json.loads, outcomes.read_text().splitlines())}
    assert {*effects.values()} == {"named, everything else as before"}
    assert {move.rpartition(":")[2] for move in effects} == {
        "register_bytecode_hook",
        "ShapeEnv.create_symbol",
        "OutputGraph.call_user_compiler",
    }
    assert done.returncode == 0 and "| gone | 2 | 2 | 0 | 0 | 0 | 0 |" in done.stdout
