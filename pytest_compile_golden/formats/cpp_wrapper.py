"""Takes apart the C++ that Inductor writes with `cpp_wrapper` (torch/_inductor/codegen/cpp_wrapper_cpu.py)."""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterator
from itertools import dropwhile

from pytest_compile_golden.common.lines import split_lines

_HELD_BY = ("cpp_wrapper_src", "kernel_src")
# Everything before it is the same for every graph: includes, and helpers that load and launch.
_BEGIN = (
    "CACHE_TORCH_",
    "static CUfunction ",
    'extern "C"',
    "void inductor_entry_impl",
)
_BEGIN_MODEL = ("AOTInductorModel::AOTInductorModel(",)
# The function that runs the graph; the second is AOTInductor's.
_ENTRY = ("void inductor_entry_impl(", "void AOTInductorModel::run_impl(")
# Sources that the C++ passes on for compilation, and sources that AOTInductor has compiled and shows in a comment.
_TRITON = re.compile(r'R"TRITON\((?P<source>.*?)\)TRITON"', re.DOTALL)
_COMPILED = re.compile(
    r"^ */\*\n(?P<source> *async_compile\.triton\(.*?)\n *\*/\n",
    re.DOTALL | re.MULTILINE,
)
_ARRAY_NAME = re.compile(r"\bint_array_\d+\b")
_KERNEL_NAME = re.compile(r"triton_[a-z]+_[a-z]+_\w*?\d+(?=_|\b)")
_CUBIN = re.compile(r'loadKernel\("[^"]*\.(\w+)", "(\w+)"')
# A definition, not a declaration, with anything that may precede the name (`cpp.force_inline_kernel`) and the body.
_KERNEL = re.compile(
    r'(?:^#include [^\n]*\n)*^extern "C"\s+void\s+(?:\w+\s+)?(?P<name>\w+)\([^;{]*\{\n.*?^\}\n?',
    re.DOTALL | re.MULTILINE,
)


def texts(tree: ast.Module) -> Iterator[str]:
    """The C++ sources that an output-code module holds."""
    for statement in tree.body:
        if not (
            isinstance(statement, ast.Assign)
            and isinstance(statement.value, ast.Constant)
        ):
            continue
        name, text = statement.targets[0], statement.value.value
        if isinstance(name, ast.Name) and name.id in _HELD_BY and isinstance(text, str):
            yield text


def triton_kernels(text: str) -> Iterator[tuple[str, str]]:
    """Name and source of each Triton kernel, from the `async_compile.triton(...)` calls that C++ makes on first run."""
    for match in (*_TRITON.finditer(text), *_COMPILED.finditer(text)):
        call = ast.parse(textwrap.dedent(match["source"]).strip(), mode="eval").body
        if isinstance(call, ast.Call):
            name, source = [
                arg.value for arg in call.args if isinstance(arg, ast.Constant)
            ][:2]
            yield str(name), str(source)


def cpp_kernels(text: str) -> Iterator[tuple[str, str]]:
    """Name and source of each C++ kernel that is defined next to the calls."""
    for match in _KERNEL.finditer(text):
        yield match["name"], match[0]


def calls(text: str) -> str:
    """The code that allocates, launches and frees, without kernel sources and boilerplate; may be empty."""
    text = _without_kernels(text)
    return _from(text, _ENTRY if _from(text, _BEGIN_MODEL) else _BEGIN).strip("\n")


def model(text: str) -> str:
    """The class that AOTInductor writes, without kernel sources and boilerplate; empty if there is none.

    Its constructor declares inputs, outputs and constants; the calls come last.
    """
    # A kernel's file is named after its hash.
    return _CUBIN.sub(
        r'loadKernel("\2.\1", "\2"',
        _from(_without_kernels(text), _BEGIN_MODEL).strip("\n"),
    )


def is_wrapper(text: str) -> bool:
    """Whether a golden of the calls is in C++ rather than from the Python wrapper."""
    return bool(_from(text, _ENTRY))


def _from(text: str, starts: tuple[str, ...]) -> str:
    """The text from the first line that begins with one of `starts`; empty if none does."""
    return "\n".join(
        dropwhile(lambda line: not line.startswith(starts), text.split("\n"))
    )


def with_arrays(text: str) -> str:
    """The calls with arrays of sizes or strides inlined in place of their names, and without their declarations.

    Up to torch 2.12, which arrays are declared twice depends on the memory address of a Python method
    (torch/_inductor/codegen/cpp_wrapper_cpu.py: codegen_int_array_var).
    """
    if "int_array_" not in text:
        return text
    arrays: dict[str, str] = {}
    lines: list[str] = []
    for line in split_lines(text):
        declared, is_array, sizes = line.partition("[] = {")
        name = declared.rpartition(" ")[2]
        if is_array and _ARRAY_NAME.fullmatch(name):
            arrays[name] = "{" + sizes.removesuffix(";")
        else:
            lines.append(
                _ARRAY_NAME.sub(lambda match: arrays.get(match[0], match[0]), line)
            )
    return "".join(f"{line}\n" for line in lines)


def with_kernels(text: str) -> str:
    """The calls with Triton kernels renamed by order of appearance, also where they are part of a longer name."""
    numbered: dict[str, str] = {}
    return _KERNEL_NAME.sub(
        lambda match: numbered.setdefault(match[0], f"kernel_{len(numbered)}_"), text
    )


def _without_kernels(text: str) -> str:
    return _KERNEL.sub("", _COMPILED.sub("", _TRITON.sub('R"TRITON(...)TRITON"', text)))


def launched(text: str, names: set[str]) -> Iterator[str]:
    """Names of the kernels that the entry function calls, in order."""
    _, _, body = _from(text, _ENTRY).partition("(")
    for match in re.finditer(r"\b(?:call_)?(\w+)\(", body):
        if match[1] in names:
            yield match[1]
