"""Jagged tensors: captured and compared as the tensors they hold."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch import Tensor

from pytest_compile_golden import capture, numerics
from tests.forked import Forks

TARGETS = pytest.mark.parametrize("target", ["cuda-sm90", "native-cpu"])


def _jagged(*lengths: int) -> Tensor:
    return torch.nested.nested_tensor(
        [torch.randn(length, 8) for length in lengths], layout=torch.jagged
    )


@TARGETS
def test_passed_in_and_returned(target: str) -> None:
    found = numerics(
        lambda nested, weight: (nested @ weight).sin(),
        _jagged(2, 5),
        torch.randn(8, 8),
        target=target,
    )
    assert found, str(found)


@TARGETS
def test_created_inside(target: str) -> None:
    def f(values: Tensor, offsets: Tensor) -> Tensor:
        nested = torch.nested.nested_tensor_from_jagged(values, offsets)
        return torch.nested.to_padded_tensor(nested * 2, 0.0)

    found = numerics(f, torch.randn(7, 8), torch.tensor([0, 2, 7]), target=target)
    assert found, str(found)


@TARGETS
def test_different_values_and_lengths_are_reported(target: str) -> None:
    def other_values(nested: Tensor) -> Tensor:
        return nested * (3 if torch.compiler.is_compiling() else 2)

    def other_lengths(nested: Tensor, offsets: Tensor) -> Tensor:
        of = offsets if torch.compiler.is_compiling() else nested.offsets()
        return torch.nested.nested_tensor_from_jagged(nested.values() * 2, of)

    found = numerics(other_values, _jagged(2, 5), target=target)
    assert not found and found.differences[0].kind == "value", str(found)
    found = numerics(
        other_lengths, _jagged(2, 5), torch.tensor([0, 3, 7]), target=target
    )
    assert not found and found.differences[0].kind == "shape", str(found)
    assert "compiled has shape ((3, 8), (4, 8)), eager ((2, 8), (5, 8))" in str(found)


def test_one_kernel_covers_all_rows() -> None:
    captured = capture(
        lambda nested: (nested * 2).sin(), _jagged(20, 300), target="cuda-sm90"
    )
    assert captured.metrics.kernels == 1
    assert captured["post_grad_graph"].count("aten.sin") == 1


def test_text_does_not_depend_on_earlier_compilations(
    tmp_path: Path, forks_with_bare_torch: Forks
) -> None:
    script = tmp_path / "program.py"
    script.write_text(
        "import sys, torch\n"
        "from pytest_compile_golden import capture\n"
        "def f(values, offsets): return torch.nested.nested_tensor_from_jagged(values, offsets).sin().values()\n"
        "for target in sys.argv[1:]:\n"
        "    captured = capture(f, torch.randn(6, 8), torch.tensor([0, 2, 6]), target=target)\n"
        "print(captured['specialisations'], captured['post_grad_graph'])\n"
    )
    orders = [
        ("cuda-sm90",),
        ("cuda-sm90", "cuda-sm90"),
        ("cpu-avx2", "cuda-sm90", "cpu-avx2", "cuda-sm90"),
    ]
    done = [
        forks_with_bare_torch.run_script(tmp_path, script, *order) for order in orders
    ]
    assert [result.ret for result in done] == [0, 0, 0], [
        result.stderr.str() for result in done
    ]
    texts = {result.stdout.str() for result in done}
    assert len(texts) == 1 and "ragged" in texts.pop()
