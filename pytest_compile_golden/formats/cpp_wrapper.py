"""The C++ that Inductor writes with `cpp_wrapper` (torch/_inductor/codegen/cpp_wrapper_cpu.py), taken apart."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

_HELD_BY = ("cpp_wrapper_src", "kernel_src")
# What comes before is the same for every graph: includes, and helpers that load and launch.
_BEGIN = re.compile(r"^(?:CACHE_TORCH_|static CUfunction |extern \"C\"|void inductor_entry_impl)", re.MULTILINE)
_TRITON = re.compile(r'R"TRITON\((?P<source>.*?)\)TRITON"', re.DOTALL)
_KERNEL = re.compile(
    r'(?:^#include [^\n]*\n)*^extern "C"\s+void\s+(?P<name>\w+)\([^;{]*?\)\s*\n\{\n.*?^\}\n?', re.DOTALL | re.MULTILINE
)


def texts(tree: ast.Module) -> Iterator[str]:
    """The C++ sources that an output-code module holds."""
    for statement in tree.body:
        if not (isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Constant)):
            continue
        name, text = statement.targets[0], statement.value.value
        if isinstance(name, ast.Name) and name.id in _HELD_BY and isinstance(text, str):
            yield text


def triton_kernels(text: str) -> Iterator[tuple[str, str]]:
    """Name and source of each Triton kernel: in `async_compile.triton(...)` calls that C++ makes when it first runs."""
    for found in _TRITON.finditer(text):
        call = ast.parse(found["source"].strip(), mode="eval").body
        if isinstance(call, ast.Call):
            name, source = [arg.value for arg in call.args if isinstance(arg, ast.Constant)][:2]
            yield str(name), str(source)


def cpp_kernels(text: str) -> Iterator[tuple[str, str]]:
    """Name and source of each C++ kernel that is defined beside the calls."""
    for found in _KERNEL.finditer(text):
        yield found["name"], found[0]


def calls(text: str) -> str:
    """What allocates, launches and frees: the text without kernels' sources and what every graph has; may be empty."""
    text = _KERNEL.sub("", _TRITON.sub('R"TRITON(...)TRITON"', text))
    begin = _BEGIN.search(text)
    return text[begin.start() :].strip("\n") if begin else ""


def launched(text: str, names: set[str]) -> Iterator[str]:
    """Names of the kernels that the entry function calls, in order."""
    entry = text.partition("void inductor_entry_impl(")[2]
    for found in re.finditer(r"\b(?:call_)?(\w+)\(", entry):
        if found[1] in names:
            yield found[1]
