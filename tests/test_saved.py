"""Captures in files: all that was recorded comes back, on a machine that has no torch."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.distributed as dist
from torch.nn import functional

from pytest_compile_golden import Capture, capture
from pytest_compile_golden.errors import CannotSave, UnreadableCapture

READ = """
import sys

class NoTorch:
    def find_spec(self, name, *rest):
        if name.partition(".")[0] in ("torch", "triton"):
            raise ImportError(name)

sys.meta_path.insert(0, NoTorch())
from pytest_compile_golden import Capture

captured = Capture.load(sys.argv[1])
for stage in captured.stages:
    print(captured[stage].text, end="")
"""


def norm(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    return functional.gelu(functional.layer_norm(x, (64,)) @ w).sum()


def breaking(x: torch.Tensor) -> torch.Tensor:
    y = x.sin()
    torch._dynamo.graph_break()
    return y.cos() + x.size(0)


def reduced(x: torch.Tensor) -> torch.Tensor:
    y = x * 2
    dist.all_reduce(y)
    return y


EVERYTHING: dict[str, Any] = {
    "train": True,
    "watch": ["cache_key", "compile_cost", "kernel_resources"],
}
PROGRAMS = {
    "trained": (
        norm,
        (torch.randn(32, 64), torch.randn(64, 64)),
        {"target": "cuda-sm90", **EVERYTHING},
    ),
    "on a CPU": (
        norm,
        (torch.randn(32, 64), torch.randn(64, 64)),
        {"target": "cpu-avx2"},
    ),
    "broken": (
        breaking,
        (torch.randn(8),),
        {"target": "cuda-sm90", "calls": [(torch.randn(n),) for n in (8, 9, 10)]},
    ),
    "exported": (
        norm,
        (torch.randn(32, 64), torch.randn(64, 64)),
        {"target": "cuda-sm90", "backend": "aot_inductor"},
    ),
    "of two ranks": (
        reduced,
        (torch.randn(8),),
        {"target": "cuda-sm90", "world_size": 2},
    ),
    "recorded": (
        torch.sin,
        (torch.randn(8),),
        {"target": "cuda-sm90", "mode": "reduce-overhead"},
    ),
}


@pytest.fixture(scope="module", params=PROGRAMS)
def captured(request: pytest.FixtureRequest) -> Capture:
    fn, inputs, options = PROGRAMS[request.param]
    return capture(fn, *(() if "calls" in options else inputs), **options)


@pytest.mark.parametrize("name", ["capture.json", "capture.json.gz"])
def test_what_was_recorded_comes_back(
    captured: Capture, name: str, tmp_path: Path
) -> None:
    captured.save(tmp_path / name)
    loaded = Capture.load(tmp_path / name)
    assert loaded.record == captured.record
    assert loaded.environment == captured.environment
    loaded.save(tmp_path / f"again-{name}")
    assert (tmp_path / f"again-{name}").read_bytes() == (tmp_path / name).read_bytes()


def test_stages_are_read_without_torch(tmp_path: Path) -> None:
    fn, inputs, options = PROGRAMS["trained"]
    captured = capture(fn, *inputs, **options)
    assert captured["kernel_resources"]
    captured.save(tmp_path / "capture.json.gz")
    read = [sys.executable, "-c", READ, str(tmp_path / "capture.json.gz")]
    done = subprocess.run(read, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "".join(captured[stage].text for stage in captured.stages)


def test_a_probe_of_ones_own(tmp_path: Path) -> None:
    """Plain values come back; others are refused, and no file is written."""
    captured = capture(torch.sin, torch.randn(8), target="cuda-sm90")
    captured.record.add("noted", {"calls": [1, 2]})
    captured.save(tmp_path / "capture.json")
    assert Capture.load(tmp_path / "capture.json").record.get("noted") == [
        {"calls": [1, 2]}
    ]
    captured.record.add("noted", (1, 2))
    with pytest.raises(CannotSave, match="'noted'"):
        captured.save(tmp_path / "other.json")
    assert not (tmp_path / "other.json").exists()


@pytest.mark.parametrize(
    "data",
    [b"", b"{}", b'{"format": 99}', b'{"format": 1, "target": 3}', b"[" * 100_000],
)
@pytest.mark.parametrize("name", ["capture.json", "capture.json.gz"])
def test_other_files_are_refused(name: str, data: bytes, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(UnreadableCapture):
        Capture.load(tmp_path / name)
