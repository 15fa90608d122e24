"""What stops an interpreted kernel: a fault in it, with its location. Needs no NumPy, unlike what runs kernels."""

from __future__ import annotations

from pytest_compile_golden.errors import CompileGoldenError
from pytest_compile_golden.facts.numerics import Finding


class Fault(Exception):
    """Something that a kernel does wrong whatever its result; `kind` is a word for it."""

    def __init__(self, kind: str, text: str) -> None:
        super().__init__(text)
        self.kind = kind


class KernelFault(CompileGoldenError):
    """A fault in a kernel, with its location."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(str(finding))
        self.finding = finding
