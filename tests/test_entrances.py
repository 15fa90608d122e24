"""What ahead-of-time compiles keep: which guards, what they save and load, and the program that precompile writes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from pytest_compile_golden import capture
from pytest_compile_golden.errors import CaptureFailed, StageNotCaptured
from pytest_compile_golden.torch_internals import device as names

SAVES = {"fx_graph_cache": True, "functorch.enable_autograd_cache": True}


def projected(x: Tensor, w: Tensor) -> Tensor:
    return torch.sin(x @ w).sum(-1)


def inputs() -> tuple[Tensor, Tensor]:
    return torch.randn(64, 128), torch.randn(128, 32)


def test_guards_that_cannot_be_saved_are_listed() -> None:
    def program(x: Tensor, w: Tensor) -> Any:
        return torch.compile(projected, fullgraph=True).aot_compile(((x, w), {}))(x, w)

    captured = capture(program, *inputs(), target="cuda-sm90", backend=None)
    kept, dropped = str(captured["guards"]), str(captured["dropped_guards"])
    assert (
        dropped.startswith("projected:\n")
        and "  ___check_obj_id(G['torch'].sin)\n" in dropped
    )
    assert (
        "___check_obj_id" not in kept
        and "check_tensor(L['x']" in kept
        and "L['x']" not in dropped
    )


def test_guards_that_a_users_filter_drops_are_listed() -> None:
    def without_sizes(guards: Any) -> list[bool]:
        return [
            guard.guard_type != "TENSOR_MATCH" or guard.name == "x" for guard in guards
        ]

    compiled = torch.compile(projected, options={"guard_filter_fn": without_sizes})
    captured = capture(compiled, *inputs(), target="cpu-avx2")
    assert str(captured["dropped_guards"]) == "projected:\n  TENSOR_MATCH(L['w'])\n"
    with pytest.raises(StageNotCaptured):
        _ = capture(projected, *inputs(), target="cpu-avx2")["dropped_guards"]


def saved(path: Path, load: bool) -> Any:
    def program(x: Tensor, w: Tensor) -> Any:
        compiled: Any = torch.compile(projected, fullgraph=True).aot_compile(
            ((x, w), {})
        )
        compiled.save_compiled_function(str(path))
        if not load:
            return compiled(x, w)
        with path.open("rb") as file:
            return torch.compiler.load_compiled_function(file)(x, w)

    return program


def test_a_virtual_target_saves_a_compiled_function(tmp_path: Path) -> None:
    path = tmp_path / "projected.bin"
    captured = capture(
        saved(path, load=False),
        *inputs(),
        target="cuda-sm90",
        backend=None,
        config=SAVES,
    )
    assert captured.kernels == 1 and path.stat().st_size > 0


def test_what_a_virtual_target_cannot_save_and_load_says_what_to_do(
    tmp_path: Path,
) -> None:
    with pytest.raises(
        CaptureFailed, match=r'Turn them on: config=\{"fx_graph_cache": True'
    ):
        capture(
            saved(tmp_path / "p.bin", load=False),
            *inputs(),
            target="cuda-sm90",
            backend=None,
        )
    with pytest.raises(CaptureFailed, match=r"runs on real tensors.*--virtual-gpu"):
        capture(
            saved(tmp_path / "p.bin", load=True),
            *inputs(),
            target="cuda-sm90",
            backend=None,
            config=SAVES,
        )


@pytest.mark.wide
def test_a_compiled_function_is_loaded_where_it_can_run(tmp_path: Path) -> None:
    captured = capture(
        saved(tmp_path / "p.bin", load=True),
        *inputs(),
        target="native-cpu",
        backend=None,
        config=SAVES,
    )
    assert "dropped_guards" in captured.stages and captured.metrics.cache_hits == 0


@pytest.mark.skipif(
    not names.PRECOMPILED_RUNNABLE.here,
    reason="precompile has this form from torch 2.15 on",
)
def test_precompile_writes_its_program_for_a_virtual_gpu(tmp_path: Path) -> None:
    artifact = tmp_path / "projected.py"
    shapes = []

    def program(x: Tensor, w: Tensor) -> Any:
        paths = {"artifact_path": artifact, "cache_path": tmp_path / "projected.cache"}
        with torch.compiler.precompile.capture(projected, **paths) as precompiled:
            result = precompiled(x, w)
        shapes.append((result.device.type, result.shape))
        return result

    captured = capture(program, *inputs(), target="cuda-sm90", backend=None)
    text = artifact.read_text(encoding="utf-8")
    assert captured["triton_code"].names[0] in text and "empty_strided_cuda" in text
    assert shapes == [("cuda", (64,))]
    # Which was answered while torch traced.
    assert not torch.equal(torch.ones(2), torch.zeros(2))


@pytest.mark.skipif(
    hasattr(torch.compiler, "precompile"), reason="it is in torch 2.14 and later"
)
def test_an_entrance_that_this_torch_lacks_says_which_has_it() -> None:
    def program(x: Tensor, w: Tensor) -> Any:
        entrances: Any = torch.compiler
        with entrances.precompile.capture(projected) as precompiled:
            return precompiled(x, w)

    with pytest.raises(CaptureFailed, match=r"captured from torch 2.15 on; this is"):
        capture(program, *inputs(), target="cpu-avx2", backend=None)
