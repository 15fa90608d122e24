"""The compiler of a kernel, as goldens of machine code name it in a comment."""

from __future__ import annotations

import re

from pytest_compile_golden.changes.numbers import CompilersChanged

# `# Triton 3.7.1, ptxas 12.8 for sm90`, `# g++ 12.2.0`, also in parentheses.
_COMPILER = re.compile(r"#.*\b((?:Triton|g\+\+|clang) \d[^()\n]*?)(?: for \w+)?\)?$", re.M)


def other_compiler(old: str, new: str) -> tuple[CompilersChanged, ...]:
    """One edit if the compilers differ, which accounts for all differences unless the kernel's own text changed before.
    Empty if they are the same, or if a text does not name its compiler."""
    before, after = (dict.fromkeys(_COMPILER.findall(text)) for text in (old, new))
    if not before or not after or before == after:
        return ()
    return (CompilersChanged(", ".join(before), ", ".join(after)),)
