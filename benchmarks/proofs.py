"""Whether the Triton kernels of two goldens compile to the same machine code, without the cases that they belong to."""

from __future__ import annotations

import functools
import hashlib
import json
from pathlib import Path

import torch

import pytest_compile_golden as golden
from pytest_compile_golden.facts.generated_code import OutputCode
from pytest_compile_golden.features.machine_code.compare_machine_code import (
    changed,
    same_in_triton,
)
from pytest_compile_golden.formats.inductor_module import kernel_files
from pytest_compile_golden.formats.triton import TRITON
from pytest_compile_golden.goldens.compare_artifact import (
    SAME_BUT_HINTS,
    SAME_MACHINE_CODE,
)


class Proofs:
    """What is known about pairs of texts; a file keeps it."""

    def __init__(self, file: Path | None = None) -> None:
        self.file = file
        self.known: dict[str, str] = (
            json.loads(file.read_text()) if file is not None and file.exists() else {}
        )

    def alike(self, target: str, old: str, new: str) -> str:
        """How the machine code of two goldens of the stage `triton_code` compares; empty if it differs."""
        key = hashlib.sha256(
            "\0".join((torch.__version__, target, old, new)).encode()
        ).hexdigest()
        if key not in self.known:
            self.known[key] = _alike(target, old, new)
            if self.file is not None:
                self.file.write_text(json.dumps(self.known))
        return self.known[key]


def _alike(target: str, old: str, new: str) -> str:
    pairs = changed("triton", old, new, [_any_module(target)] * len(TRITON.read(new)))
    if same_in_triton(target, pairs):
        return SAME_MACHINE_CODE
    return SAME_BUT_HINTS if same_in_triton(target, pairs, without_hints=True) else ""


@functools.cache
def _any_module(target: str) -> str:
    """A kernel's file for this target: it has the imports and the metadata that goldens leave out."""
    record = golden.capture(torch.sin, torch.randn(64), target=target).record
    codes: list[OutputCode] = record.get("output_code")
    ((_, module),) = kernel_files(codes[0].code, "triton")
    return module
