"""What kind of name a name is, of those that Inductor makes up in kernels (torch/_inductor/codegen)."""

from __future__ import annotations

from pytest_compile_golden.formats.text import by_start

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
