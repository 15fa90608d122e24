"""Takes apart the module that Inductor writes for a graph: its kernels, and the calls that run them.

torch hands the module on as one text, whereas a change is about one kernel, and kernels are numbered anew.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import (
    Callable,
    Collection,
    Hashable,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

import msgspec

from pytest_compile_golden.common.lines import split_lines
from pytest_compile_golden.common.regular_expressions import replaced
from pytest_compile_golden.facts.generated_code import OutputCode
from pytest_compile_golden.facts.record import Record
from pytest_compile_golden.formats import authors, cpp_wrapper
from pytest_compile_golden.formats.artifact import Artifact, Names
from pytest_compile_golden.formats.canonical_text import pieces
from pytest_compile_golden.formats.format import Format, Unreadable
from pytest_compile_golden.formats.kernel_metadata import ENTRY, section, sections

Language = Literal["triton", "cpp", "template"]
"""`template`: Python that another compiler or a library compiles, which only templates are written in."""

_LANGUAGES: dict[str, Language] = {
    **dict.fromkeys(("cutedsl", "flydsl", "nv_universal_gemm", "pallas"), "template"),
    "triton": "triton",
    "cpp_pybinding": "cpp",
    "cpp": "cpp",
}
_NO_CALLS = {"__init__", "recursively_apply_fns"}
_NAMED_BY_INDUCTOR = "triton_"
_IMPORTS = (ast.Import, ast.ImportFrom)
# Metadata that repeats the target, the machine or the config and says nothing about the kernel
# (torch/_inductor/codegen/triton.py: TritonKernel.inductor_meta_common).
# fmt: off
_REPEATED = frozenset({
    "are_deterministic_algorithms_enabled", "assert_indirect_indexing", "autotune_local_cache", "autotune_pointwise",
    "autotune_remote_cache", "backend_hash", "batch_invariant", "deterministic", "device",
    "dynamic_disable_pipelining", "dynamic_scale_rblock", "force_disable_caches", "force_filter_reduction_configs",
    "incremental_autotune", "is_fbcode", "is_hip", "kernel_num_gb", "max_autotune", "max_autotune_pointwise",
    "min_split_scan_rblock", "mix_order_reduction_allow_multi_stages", "spill_threshold", "store_cubin",
})
# fmt: on
# The other entries that torch 2.11 to 2.15 write; goldens contain them whether or not a version reads them.
# fmt: off
_KNOWN = frozenset({
    "RSPLIT_SIZE", "add_persistent_rblock", "atomic_add_found", "autotune_hints", "combo_grid_meta", "config_args",
    "extra_launcher_args", "fixed_grid", "grid_type", "kernel_name", "mutated_arg_names", "no_x_dim", "num_load",
    "num_reduction", "num_store", "optimize_mem", "tiling_scores",
})
# fmt: on
# Entries that these versions write but their launchers never read: goldens leave them out, without reporting it.
# If a C++ wrapper reads one, that shows in the wrapper.
_KNOWN_UNREAD = frozenset(
    {
        "declared_constexpr_names",
        "max_persistent_rblock",
        "profile_bandwidth_output",
        "uses_tma",
    }
)
_UNREAD = " of inductor_meta, which nothing in torch's launchers reads"
_scrubbed = replaced(
    (
        (r'#include "[^"]*/([^"/]+)"', r'#include "\1"'),
        (r"(?<![\w.])(?:/[\w.+@~-]+){2,}/([\w.+-]+)", r"\1"),
        # An object as Python shows it, for example the operator that torch names in `assert_size_stride`.
        (r"(<[\w. ]+) at 0x[0-9a-f]+>", r"\1>"),
    )
)


@dataclass(frozen=True)
class PrintedKernel:
    """One kernel that Inductor wrote."""

    name: str
    language: Language
    source: str
    """Without imports, and without metadata that repeats the target, the machine or the config."""


@dataclass(frozen=True)
class OutputModule:
    """One output-code module."""

    kernels: tuple[PrintedKernel, ...]
    calls: tuple[str, ...]
    """Source of the functions that allocate, launch and free, in order; C++ with Inductor's `cpp_wrapper`."""
    launched: tuple[str, ...]
    """Names of the kernels that those functions call, in order, one per call."""


@dataclass(frozen=True, repr=False)
class KernelsArtifact(Artifact):
    """The source of each kernel of one language."""

    kernels: tuple[PrintedKernel, ...]

    @property
    def names(self) -> Names:
        """The kernels' names, in the order in which they were written."""
        return Names(kernel.name for kernel in self.kernels)

    def __contains__(self, text: str) -> bool:
        """Whether `text` occurs in any kernel's source."""
        return any(text in kernel.source for kernel in self.kernels)


def scrubbed(text: str) -> str:
    """`text` without the directories of files and the addresses of objects, which differ between runs."""
    return _scrubbed(text)


def _source(literal: str) -> str:
    lines = split_lines(literal.strip("\n"))
    source = itertools.dropwhile(_is_prologue, lines)
    return (
        scrubbed(
            "\n".join(shown for line in source for shown in _metadata(line.rstrip()))
        )
        + "\n"
    )


def _template_source(text: str) -> str:
    """The source of a template's kernel, without the imports that it begins with."""
    imports = list(
        itertools.takewhile(
            lambda node: isinstance(node, _IMPORTS), ast.parse(text).body
        )
    )
    lines = split_lines(text)[imports[-1].end_lineno if imports else 0 :]
    return scrubbed("\n".join(line.rstrip() for line in lines).strip("\n")) + "\n"


def _is_prologue(line: str) -> bool:
    return not line.strip() or line.startswith(
        ("import ", "from ", "triton_helpers.set_driver")
    )


def _metadata(line: str) -> Iterator[str]:
    """A line of a kernel; a line of metadata becomes one line per entry that says something."""
    if not section(line):
        yield line
        return
    head = line.partition("=")[0]
    indent = head[: -len(head.lstrip())]
    yield f"{head}={{"
    for name, value in _entries(line):
        if name not in _REPEATED:
            yield f"{indent}    {name!r}: {value},"
    yield f"{indent}}},"


def _entries(line: str) -> Iterator[tuple[object, str]]:
    """The entries of metadata that is in one line."""
    entries = ast.parse(line.partition("=")[2].removesuffix(","), mode="eval").body
    assert isinstance(entries, ast.Dict)
    for key, value in zip(entries.keys, entries.values, strict=True):
        yield key.value if isinstance(key, ast.Constant) else None, ast.unparse(value)


def _definitions(tree: ast.Module) -> Iterator[tuple[str, Language, str]]:
    """`name = async_compile.LANGUAGE(...)` statements: the longest string among the arguments is the source."""
    for statement in tree.body:
        if not (
            isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Call)
        ):
            continue
        function, name = statement.value.func, statement.targets[0]
        if not (isinstance(function, ast.Attribute) and isinstance(name, ast.Name)):
            continue
        if not (
            isinstance(function.value, ast.Name)
            and function.value.id == "async_compile"
        ):
            continue
        language = _LANGUAGES.get(function.attr)
        strings = [
            arg.value for arg in statement.value.args if isinstance(arg, ast.Constant)
        ]
        texts = [value for value in strings if isinstance(value, str)]
        if language is not None and texts:
            yield name.id, language, max(texts, key=len)


def _templates_of_libraries(tree: ast.Module) -> Iterator[tuple[str, Language, str]]:
    """Kernels that the template of a library, such as Helion, wrote into the module as functions which are called.

    Each with the functions and constants that it uses (torch/_inductor/select_algorithm.py:
    ExternalTritonTemplateKernel.emit_kernel_override).
    """
    defined: dict[str, ast.stmt] = {}
    for statement in tree.body:
        if isinstance(statement, ast.FunctionDef):
            defined[statement.name] = statement
        elif isinstance(statement, ast.Assign) and isinstance(
            statement.targets[0], ast.Name
        ):
            defined[statement.targets[0].id] = statement
    functions = {
        name
        for name, statement in defined.items()
        if isinstance(statement, ast.FunctionDef)
    }
    called = (
        name
        for function in call_functions(tree)
        for name in _launches(function, functions)
    )
    for name in dict.fromkeys(called):
        if name.startswith(_NAMED_BY_INDUCTOR):
            used, waiting = set(), [name]
            while waiting:
                used.add(found := waiting.pop())
                names = {
                    node.id
                    for node in ast.walk(defined[found])
                    if isinstance(node, ast.Name)
                }
                waiting += (names & defined.keys()) - used
            yield (
                name,
                "template",
                "\n\n".join(
                    ast.unparse(defined[each]) for each in defined if each in used
                ),
            )


def call_functions(tree: ast.Module) -> Iterator[ast.FunctionDef]:
    """The functions of an output-code module that allocate, launch and free, in order."""
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
        # A Triton kernel is launched through its `run` method; a C++ kernel is called directly.
        if isinstance(callee, ast.Attribute) and callee.attr == "run":
            callee = callee.value
        if isinstance(callee, ast.Name) and callee.id in names:
            yield callee.id


def _literals(
    tree: ast.Module, in_cpp: Iterable[str]
) -> Iterator[tuple[str, Language, str]]:
    """Each kernel's name, language and complete text as Inductor wrote it."""
    yield from _definitions(tree)
    yield from _templates_of_libraries(tree)
    for text in in_cpp:
        yield from (
            (name, "triton", source)
            for name, source in cpp_wrapper.triton_kernels(text)
        )
        yield from (
            (name, "cpp", source) for name, source in cpp_wrapper.cpp_kernels(text)
        )


def kernel_files(code: str, wanted: Language) -> tuple[tuple[str, str], ...]:
    """The kernels of an output-code module in one language: name, and the text of the file to load or compile."""
    tree = parsed(code)
    literals = _literals(tree, cpp_wrapper.texts(tree))
    return tuple(
        (name, text) for name, language, text in literals if language == wanted
    )


def restored(source: str, module: str) -> str:
    """Turn a kernel as artifacts show it into a module that can be loaded.

    module: a complete module for the same target, which supplies what artifacts leave out: imports, and metadata that
    repeats the target, the machine or the config.
    """
    lines = split_lines(module.strip("\n"))
    imports = list(itertools.takewhile(_is_prologue, lines))
    repeated = {
        section(line): [
            f"{name!r}: {value}," for name, value in _entries(line) if name in _REPEATED
        ]
        for line in lines
        if section(line)
    }
    whole = [*imports, ""]
    for line in split_lines(source):
        whole += [line, *repeated.get(section(line), ())]
    return "".join(f"{line}\n" for line in whole)


@lru_cache(maxsize=4)
def parsed(code: str) -> ast.Module:
    """An output-code module as Python reads it, once for all who ask for it; none of them may change it."""
    return ast.parse(code)


@lru_cache(maxsize=16)
def read_module(code: str) -> OutputModule:
    """Take an output-code module apart (written by torch/_inductor/codegen/wrapper.py)."""
    tree = parsed(code)
    lines = split_lines(code)
    in_cpp = list(cpp_wrapper.texts(tree))
    kernels = tuple(
        PrintedKernel(
            name,
            language,
            _template_source(text) if language == "template" else _source(text),
        )
        for name, language, text in _literals(tree, in_cpp)
    )
    functions = list(call_functions(tree))
    calls = [
        scrubbed(
            _dedented(
                lines[function.lineno - 1 : function.end_lineno], function.col_offset
            )
        )
        + "\n"
        for function in functions
    ]
    calls += [scrubbed(text) + "\n" for text in map(cpp_wrapper.calls, in_cpp) if text]
    names = {kernel.name for kernel in kernels}
    launched = [name for function in functions for name in _launches(function, names)]
    launched += [
        name
        for text in in_cpp
        for name in cpp_wrapper.launched(cpp_wrapper.calls(text), names)
    ]
    return OutputModule(kernels, tuple(calls), tuple(launched))


def _dedented(lines: Sequence[str], column: int) -> str:
    """The lines of a function that starts at `column`, dedented; a comment may start further to the left."""
    return "\n".join(
        line.strip() and (line if line[:column].strip() else line[column:])
        for line in lines
    )


def launches(code: str) -> int:
    """The number of kernel calls in an output-code module, without extern kernels."""
    return len(read_module(code).launched)


class Piece(msgspec.Struct, frozen=True):
    """Source written for one graph: a kernel, or the calls."""

    graph: str
    source: str
    """Ends with a newline."""
    kernel: str | None = None
    """The kernel's name; None for calls."""

    @property
    def title(self) -> str:
        """The line above it, without the comment sign."""
        return self.graph if self.kernel is None else f"{self.graph}: {self.kernel}"


class CodeFormat(Format):
    """Pieces of generated source, each under its title; a document is a tuple of Piece."""

    comment = "#"
    none = ""
    """The text, as a comment, if there are no pieces."""

    def write(self, document: Iterable[Piece]) -> str:
        text = "\n\n".join(
            f"{self.comment} {piece.title}\n{piece.source}" for piece in document
        )
        return text or f"{self.comment} {self.none}\n"

    def read(self, text: str) -> tuple[Piece, ...]:
        if text.count("\n") == 1 and text.startswith(f"{self.comment} no "):
            return ()
        before, *titled = pieces(text, self.comment)
        if before or not titled:
            raise Unreadable(text[:60])
        # Pieces are separated by two empty lines.
        return tuple(
            map(
                self._piece,
                [*(piece.removesuffix("\n\n") for piece in titled[:-1]), titled[-1]],
            )
        )

    def _piece(self, text: str) -> Piece:
        title, _, source = text.removeprefix(f"{self.comment} ").partition("\n")
        graph, _, kernel = title.partition(": ")
        return Piece(graph, source, kernel or None)


class KernelsFormat(CodeFormat):
    """The source of each kernel in one language, which `Language` names."""

    lines_are_edits = False
    none = "no kernel: everything is done by library calls"
    elsewhere = "no kernel in this language: library calls and kernels in another one do everything"

    rewrites: Mapping[str, Callable[[str], str]] = {}
    """By code, what leaves out of a kernel, or spells in one way, whatever such changes are about."""

    def __init__(self, language: Language, default_device: str) -> None:
        self._language = language
        self._default_device = default_device
        """The device type whose kernels are in this language."""

    def render(self, record: Record, stage: str) -> KernelsArtifact | None:
        """None if the target uses another language; on the language's own device, a compile without kernels says so."""
        codes: list[OutputCode] = record.get("output_code")
        labelled: list[tuple[str, PrintedKernel]] = []
        omitted: set[str] = set()
        others = False
        for code in codes:
            for kernel in read_module(code.code).kernels:
                others |= kernel.language != self._language
                if kernel.language == self._language:
                    source, names = _without(kernel.source, code.unread - _KNOWN)
                    omitted.update(
                        f"{name}{_UNREAD}"
                        for name in names
                        if name not in _KNOWN_UNREAD
                    )
                    labelled.append((code.key.label, replace(kernel, source=source)))
        if not labelled and (record.device_type != self._default_device or not codes):
            return None
        text = self.write(
            Piece(graph, kernel.source, kernel.name) for graph, kernel in labelled
        )
        if others and not labelled:
            text = f"{self.comment} {self.elsewhere}\n"
        kernels = tuple(kernel for _, kernel in labelled)
        wrote = authors.wrote(text, record.get("written"))
        return KernelsArtifact(
            stage, text, kernels, omitted=frozenset(omitted), facts=wrote
        )

    def canonical(self, text: str) -> Hashable:
        """What counts in each kernel, also of a text that has no title, or comments before the first."""
        return self._forms(text, ())

    def form_of(self, source: str) -> Hashable:
        """What counts in one kernel."""
        return source

    def explains(self, old: str, new: str, codes: Collection[str]) -> bool:
        """Whether the kernels are the same once what these codes name is left out, or spelled in one way."""
        return self.rewrites.keys() >= set(codes) and self._forms(
            old, codes
        ) == self._forms(new, codes)

    def _forms(self, text: str, codes: Collection[str]) -> Hashable:
        """What counts in each kernel, rewritten as these codes say."""
        forms: list[Hashable] = []
        for source in pieces(text, self.comment):
            for code in codes:
                source = self.rewrites[code](source)
            forms.append(self.form_of(source))
        return tuple(forms)


def _without(source: str, unread: Collection[str]) -> tuple[str, list[str]]:
    """A kernel without the `unread` entries of its `inductor_meta`, and the names of the entries removed."""
    lines = [
        (
            line,
            entry[1]
            if inside == "inductor_meta" and (entry := ENTRY.match(line.strip()))
            else "",
        )
        for line, inside in sections(split_lines(source))
    ]
    kept = "".join(f"{line}\n" for line, name in lines if name not in unread)
    return kept, [name for _, name in lines if name in unread]
