"""Numerics on virtual GPUs: wrong kernels are found and named with their line, right programs are never blamed."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from pytest_compile_golden import numerics
from pytest_compile_golden.correctness.interpreter.kernels import Kernel
from pytest_compile_golden.correctness.interpreter.machine import Machine
from tests.planted_kernels import WRONG_KERNELS, WrongKernel

TARGET = "cuda-sm90"


def edit_kernels(patch: pytest.MonkeyPatch, edit: Callable[[str], str]) -> list[str]:
    """Have the text of each kernel edited before it is loaded; what is returned gets the names of those that were."""
    original = Machine.kernel
    edited = []

    def kernel(self: Machine, name: str, source: str) -> Kernel:
        text = edit(source)
        if text != source:
            edited.append(name)
        return original(self, name, text)

    patch.setattr(Machine, "kernel", kernel)
    return edited


@pytest.mark.parametrize("wrong", WRONG_KERNELS, ids=lambda wrong: wrong.name)
def test_wrong_kernel_is_found_and_its_line_named(wrong: WrongKernel, monkeypatch: pytest.MonkeyPatch) -> None:
    torch.manual_seed(0)
    inputs = wrong.inputs()
    with monkeypatch.context() as patch:
        edited = edit_kernels(patch, wrong.edit)
        found = numerics(wrong.program, *inputs, target=TARGET)
    assert not found, str(found)
    assert edited and found.findings, str(found)
    assert {finding.kernel for finding in found.findings} <= set(edited), str(found)
    assert any(each.kind == wrong.kind and wrong.line in each.source for each in found.findings), str(found)
