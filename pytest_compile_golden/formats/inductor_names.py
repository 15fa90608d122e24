"""What kind of name a name is, of those that Inductor makes up in kernels (torch/_inductor/codegen)."""

from __future__ import annotations

import re

from pytest_compile_golden.formats.canonical_text import by_start

_NUMBERED = re.compile(
    r"\b(?:tmp\d+\w*|\w*ptr\d+|buf\d+|(?:raw_)?stream\d+|(?:triton|cpp)_\w+)\b"
)

kind_of = by_start(
    {
        "pointer": r"(?:in_out|in|out)_ptr\d+$",
        "value": r"arg\d+_\d+$",
        "offset": r"[xyzr]\d*_?offset$",
        "size": r"(?:[xyzr]\d*_?numel|ks\d+|[XYZR]\d*_?BLOCK)$",
        "index": r"(?:[xyzr]\d*(?:_\d+)?|[xyzr]\d+_\w+|[xyzr]\d*_?(?:index|base|mask)|[xyzr]+\d*_?mask)$",
    }
)
"""`pointer` for `in_ptr0`, `value` for an argument of a function that kernels call; empty for any other name."""
INDICES = ("index", "offset")
SIZES = ("size", "offset")


def numbered(text: str) -> set[str]:
    """The names of values, buffers, streams and kernels, which may differ between texts that do the same."""
    return set(_NUMBERED.findall(text))
