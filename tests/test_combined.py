"""The costs of two changes of the compiler together are given to each as it has them alone, or to none."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.forked import Forks

ROOT = Path(__file__).parents[1]
SCRIPT = ROOT / "benchmarks" / "combined" / "__main__.py"


def test_no_cost_of_a_change_is_given_to_another_one_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, forks_with_bare_torch: Forks
) -> None:
    """What each kernel may hold at most, what is stored, and what an operator is decomposed into: each two of them."""
    monkeypatch.chdir(ROOT)
    done = forks_with_bare_torch.run_script(
        tmp_path,
        SCRIPT,
        f"--into={tmp_path / 'captures'}",
        "--programs=^(adam_step|long_chains)$",
        "--changes=^(lerp|max_fusion_size|realize_reads_threshold)$",
    )
    assert done.ret == 0, done.stderr.str()
    rows = {
        tuple(row[:2]): list(map(int, row[2:-1]))
        for line in done.stdout.lines
        if line.startswith(("| all", "| `"))
        for row in [[cell.strip() for cell in line.strip("|").split("|")]]
    }
    true, unexplained, *others = rows["all", "alone"]
    # A buffer that is needed no longer, though as much is moved, is that of no change for sure.
    assert (true, unexplained, *others) == (6, 1, 0, 0, 0)
    # What is fused otherwise is told, although another operator is computed; whose the bytes are is not known.
    assert rows["`bytes_accessed`", "in a pair"] == [0, 1, 0, 0, 0]
    assert rows["all", "in a pair"] == [4, 3, 0, 0, 0]
    # What has been captured is not captured again.
    again = forks_with_bare_torch.run_script(
        tmp_path, SCRIPT, f"--into={tmp_path / 'captures'}", "--compare"
    )
    assert again.stdout.str() == done.stdout.str()
