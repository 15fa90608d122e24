"""Kernels in other languages than Triton and C++, in which templates are written: CuteDSL, FlyDSL, a library's own."""

from __future__ import annotations

import ast
from collections.abc import Hashable

from pytest_compile_golden.formats.inductor_module import KernelsFormat


class TemplatesFormat(KernelsFormat):
    """Python, of which comments, layout and the kernel's own name do not count."""

    lines_are_edits = True

    def form_of(self, source: str) -> Hashable:
        _, _, name = source.partition("\n")[0].partition(": ")
        try:
            return ast.unparse(
                ast.parse(source.replace(name, "kernel") if name else source)
            )
        except SyntaxError:
            return source


TEMPLATES = TemplatesFormat("template", default_device="")
