"""The module that Inductor writes for a graph, taken apart: its kernels, and the calls that run them."""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from pytest_compile_golden.lines import split_lines
from pytest_compile_golden.observe.record import OutputCode, Record
from pytest_compile_golden.stages.artifact import Artifact

Language = Literal["triton", "cpp"]

_LANGUAGES: dict[str, Language] = {"triton": "triton", "cpp_pybinding": "cpp", "cpp": "cpp"}
_NO_CALLS = {"__init__", "recursively_apply_fns"}
_KERNEL_PROLOGUE = re.compile(r"(?:import |from |triton_helpers\.set_driver|\s*$)")
_METADATA = re.compile(r"^(?P<indent>\s*)(?P<name>triton_meta|inductor_meta)=(?P<value>\{.*\}),?$")
# Metadata that repeats the target, the machine or the config rather than saying something of the kernel
# (torch/_inductor/codegen/triton.py: TritonKernel.inductor_meta_common).
_REPEATED = frozenset(
    {
        "are_deterministic_algorithms_enabled",
        "assert_indirect_indexing",
        "autotune_local_cache",
        "autotune_pointwise",
        "autotune_remote_cache",
        "backend_hash",
        "batch_invariant",
        "deterministic",
        "device",
        "dynamic_disable_pipelining",
        "dynamic_scale_rblock",
        "force_disable_caches",
        "force_filter_reduction_configs",
        "incremental_autotune",
        "is_fbcode",
        "is_hip",
        "kernel_num_gb",
        "max_autotune",
        "max_autotune_pointwise",
        "min_split_scan_rblock",
        "mix_order_reduction_allow_multi_stages",
        "spill_threshold",
        "store_cubin",
    }
)
_SCRUB = (
    (re.compile(r'#include "[^"]*/([^"/]+)"'), r'#include "\1"'),
    (re.compile(r"(?<![\w.])(?:/[\w.+@~-]+){2,}/([\w.+-]+)"), r"\1"),
)


@dataclass(frozen=True)
class Kernel:
    """One kernel that Inductor wrote."""

    name: str
    language: Language
    source: str
    """Without imports, and without metadata that repeats the target, the machine or the config."""


@dataclass(frozen=True)
class Module:
    """One output-code module."""

    kernels: tuple[Kernel, ...]
    calls: tuple[str, ...]
    """Source of the functions that allocate, launch and free, in order."""
    launched: tuple[str, ...]
    """Names of the kernels that those functions call, in order, one per call."""


@dataclass(frozen=True, repr=False)
class KernelsArtifact(Artifact):
    """The source of each kernel of one language."""

    kernels: tuple[Kernel, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(kernel.name for kernel in self.kernels)

    def __contains__(self, text: str) -> bool:
        """Whether `text` stands in any kernel's source."""
        return any(text in kernel.source for kernel in self.kernels)


def _scrubbed(text: str) -> str:
    for pattern, replacement in _SCRUB:
        text = pattern.sub(replacement, text)
    return text


def _source(literal: str) -> str:
    lines = split_lines(literal.strip("\n"))
    while lines and _KERNEL_PROLOGUE.match(lines[0]):
        del lines[0]
    return _scrubbed("\n".join(shown for line in lines for shown in _metadata(line.rstrip()))) + "\n"


def _metadata(line: str) -> Iterator[str]:
    """A line of a kernel; one of metadata becomes a line per entry that says something."""
    found = _METADATA.match(line)
    if found is None:
        yield line
        return
    entries = ast.parse(found["value"], mode="eval").body
    assert isinstance(entries, ast.Dict)
    yield f"{found['indent']}{found['name']}={{"
    for key, value in zip(entries.keys, entries.values, strict=True):
        name = key.value if isinstance(key, ast.Constant) else None
        if name not in _REPEATED:
            yield f"{found['indent']}    {name!r}: {ast.unparse(value)},"
    yield f"{found['indent']}}},"


def _definitions(tree: ast.Module) -> Iterator[tuple[str, Language, str]]:
    """`name = async_compile.LANGUAGE(...)` statements: the longest string among the arguments is the source."""
    for statement in tree.body:
        if not (isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Call)):
            continue
        function, name = statement.value.func, statement.targets[0]
        if not (isinstance(function, ast.Attribute) and isinstance(name, ast.Name)):
            continue
        if not (isinstance(function.value, ast.Name) and function.value.id == "async_compile"):
            continue
        language = _LANGUAGES.get(function.attr)
        strings = [arg.value for arg in statement.value.args if isinstance(arg, ast.Constant)]
        texts = [value for value in strings if isinstance(value, str)]
        if language is not None and texts:
            yield name.id, language, max(texts, key=len)


def _call_functions(tree: ast.Module) -> Iterator[ast.FunctionDef]:
    for statement in tree.body:
        if isinstance(statement, ast.ClassDef):
            for method in statement.body:
                if isinstance(method, ast.FunctionDef) and method.name not in _NO_CALLS:
                    yield method
        elif isinstance(statement, ast.FunctionDef) and (
            statement.name == "call" or statement.name.startswith("partition_")
        ):
            yield statement


def _launches(function: ast.FunctionDef, names: set[str]) -> Iterator[str]:
    calls = [node for node in ast.walk(function) if isinstance(node, ast.Call)]
    for call in sorted(calls, key=lambda node: (node.lineno, node.col_offset)):
        callee = call.func
        # A Triton kernel is launched through its `run` method, a C++ kernel is called.
        if isinstance(callee, ast.Attribute) and callee.attr == "run":
            callee = callee.value
        if isinstance(callee, ast.Name) and callee.id in names:
            yield callee.id


@lru_cache(maxsize=16)
def read_module(code: str) -> Module:
    """Take an output-code module apart (its form: torch/_inductor/codegen/wrapper.py)."""
    tree = ast.parse(code)
    lines = split_lines(code)
    kernels = tuple(Kernel(name, language, _source(text)) for name, language, text in _definitions(tree))
    functions = list(_call_functions(tree))
    calls = tuple(
        _scrubbed(textwrap.dedent("\n".join(lines[function.lineno - 1 : function.end_lineno]))) + "\n"
        for function in functions
    )
    names = {kernel.name for kernel in kernels}
    launched = tuple(name for function in functions for name in _launches(function, names))
    return Module(kernels, calls, launched)


def launches(code: str) -> int:
    """Kernel calls in an output-code module, extern kernels not among them."""
    return len(read_module(code).launched)


def render_wrapper(record: Record) -> Artifact | None:
    """The call sequence of each graph: allocations, reuse, kernel launches, extern kernels."""
    codes: list[OutputCode] = record.get("output_code")
    sections = []
    for code in codes:
        sections.append(f"# {code.key.label}\n" + "\n\n".join(read_module(code.code).calls))
    return Artifact("wrapper_code", "\n\n".join(sections)) if sections else None


def render_kernels(record: Record, stage: str, language: Language, home: str) -> KernelsArtifact | None:
    """The source of each kernel in `language`.

    None where the target writes another language; on the device type `home` a compile without kernels says so.
    """
    codes: list[OutputCode] = record.get("output_code")
    kernels: list[Kernel] = []
    sections: list[str] = []
    comment = "//" if language == "cpp" else "#"
    for code in codes:
        for kernel in read_module(code.code).kernels:
            if kernel.language == language:
                kernels.append(kernel)
                sections.append(f"{comment} {code.key.label}: {kernel.name}\n{kernel.source}")
    if not kernels:
        if record.device_type != home or not codes:
            return None
        sections = [f"{comment} no kernel: everything is done by library calls\n"]
    return KernelsArtifact(stage, "\n\n".join(sections), tuple(kernels))
