"""Triton kernels: each function as dataflow, without names and metadata that has no effect."""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from pytest_compile_golden.formats.metadata import STRING, metadata
from pytest_compile_golden.formats.statements import StatementLine, Step, dataflow, logical, statement
from pytest_compile_golden.formats.text import arguments

MODULES = frozenset({"tl", "triton", "triton_helpers", "libdevice", "tl_math", "math", "torch", "self"})
_HEADS = ("for ", "while ", "if ", "elif ", "else", "with ", "def ", "try", "except")
_BUILTINS = "range|min|max|len|float|int|bool|abs|tuple|isinstance|static_range|getattr|print"
# Calls in an assignment that do more than compute: the module's functions may store as well as load.
_EFFECT = re.compile(
    rf"\b(?:tl|triton_helpers)\.(?:store\w*|atomic_\w+|debug_barrier|device_\w+|inline_asm\w*|gdc_\w+|make_\w*descriptor)\("
    rf"|\.(?:store|atomic_\w+)\(|(?<![\w.])(?!(?:{_BUILTINS}|not|and|or|in|if|else|is)\b)[A-Za-z_]\w*\("
)
_DEF = re.compile(r"def (\w+)\((.*)\)(?: ?-> ?.+)?:$")
_DEFAULT = re.compile(r"\s*([:=])\s*")
_PIECE = re.compile(r"^(?=# graph_)", re.M)
_BARRIER = re.compile(r"^ +tl\.debug_barrier\(\)\n", re.M)
_STORED = re.compile(r"\btl\.store\((\w+)")
_MUTATED = re.compile(r"'mutated_arg_names': [\[(\{]([^\])}]*)")
# What may read what other threads wrote, other than a load of a name (torch/_inductor/runtime/triton_helpers.py).
_BEYOND = re.compile(r"\b(?:atomic_|inline_asm|gdc_|make_\w*descriptor)|_barrier\((?!\))")


@dataclass
class Function:
    """A function of the module: a kernel, or a helper that kernels call."""

    name: str
    parameters: list[tuple[str, str]]
    """Names, each with its annotation and default."""
    decorators: list[StatementLine] = field(default_factory=list)
    body: list[StatementLine] = field(default_factory=list)

    @property
    def is_kernel(self) -> bool:
        """Whether it is launched, not called: the only decorator of helpers is `@triton.jit`."""
        return any(not line.code.startswith("@triton.jit") for line in self.decorators)

    @cached_property
    def steps(self) -> list[Step]:
        """Its statements."""
        return _steps(self.body)

    @cached_property
    def computation(self) -> Hashable:
        """What it does with its parameters."""
        return _computation(tuple(self.parameters), tuple(self.body))


@dataclass
class Module:
    """All functions of an artifact, and the statements outside them."""

    functions: list[Function] = field(default_factory=list)
    loose: list[str] = field(default_factory=list)

    @property
    def kernels(self) -> list[Function]:
        return [function for function in self.functions if function.is_kernel]


def canonical(text: str) -> Hashable:
    """Kernels by what they compute, load and store, and how they are launched.

    Names, comments, metadata without effect and the order of independent assignments do not count. Loads may be
    reordered, but never past a store.
    """
    return tuple(_canonical(piece) for piece in _PIECE.split(text))


def without_idle_barriers(text: str) -> str:
    """Kernels without barriers that order nothing: the kernel reads neither what it stores nor what it mutates.

    Inductor has threads wait before they write to a buffer that others may still read (torch/_inductor/codegen/
    triton.py: TritonKernel.store). A kernel whose buffer is only written has nothing to wait for.
    """
    return "".join(map(_awake, _PIECE.split(text)))


def _awake(piece: str) -> str:
    head, _, function = piece.partition("@triton.jit")
    body = function.partition(":\n")[2]
    if not _BARRIER.search(body) or _BEYOND.search(body) or "@triton.jit" in body:
        return piece
    written = {*_STORED.findall(body), *STRING.findall("".join(_MUTATED.findall(head)))}
    read = set(re.findall(r"\w+", _STORED.sub("", body)))
    return _BARRIER.sub("", piece) if written and written.isdisjoint(read) else piece


def read(text: str) -> Module:
    """Take an artifact apart into functions."""
    modules = [_read(piece) for piece in _PIECE.split(text)]
    return Module(
        [function for module in modules for function in module.functions],
        [line for module in modules for line in module.loose],
    )


# Two texts that are compared share most pieces (a kernel with its title), and each piece is analysed in several ways.
@lru_cache(maxsize=1 << 10)
def _canonical(piece: str) -> Hashable:
    module = _read(piece)
    return tuple(form(function) for function in module.functions), tuple(module.loose)


@lru_cache(maxsize=1 << 10)
def _read(text: str) -> Module:
    module = Module()
    decorators: list[StatementLine] = []
    here: Function | None = None
    for line in logical(text):
        if line.indent > 0 and here is not None:
            here.body.append(line)
        elif line.code.startswith("@"):
            decorators.append(line)
        elif head := _DEF.match(line.code):
            here = Function(head[1], [_parameter(argument) for argument in arguments(head[2])], decorators)
            module.functions.append(here)
            decorators = []
        else:
            here = None
            module.loose.append(line.code)
    return module


def _parameter(text: str) -> tuple[str, str]:
    match = _DEFAULT.search(text)
    return (text, "") if match is None else (text[: match.start()], _DEFAULT.sub(r"\1", text[match.start() :]))


def form(function: Function) -> Hashable:
    """The significant content of a function: its name if it is called by name, parameters, metadata, statements."""
    name = None if function.is_kernel else function.name
    return name, launch(function), function.computation


def launch(function: Function) -> Hashable:
    """How it is launched: its decorators."""
    positions = {parameter: position for position, (parameter, _) in enumerate(function.parameters)}
    return tuple(metadata(line.lines, positions) for line in function.decorators)


# Many kernels differ only in names.
@lru_cache(maxsize=1 << 10)
def _computation(parameters: tuple[tuple[str, str], ...], body: tuple[StatementLine, ...]) -> Hashable:
    return tuple(note for _, note in parameters), dataflow([name for name, _ in parameters], _steps(body))


def _steps(body: Sequence[StatementLine]) -> list[Step]:
    """The statements of a function, each with the block that it is in, and loads with the stores before them."""
    steps: list[Step] = []
    blocks: list[tuple[int, int, tuple[str, ...]]] = []  # each open block's indentation, number and loop variables
    heads = stores = 0
    only_inside = _loop_variables(body)
    for line in body:
        while blocks and line.indent <= blocks[-1][0]:
            blocks.pop()
        block = blocks[-1][1] if blocks else 0
        code = line.code
        parsed = statement(code, MODULES)
        # Loops one after the other may share a variable, or each have its own.
        own = {name: f"{name} {number}" for _, number, names in blocks for name in names if name in only_inside}
        targets, reads = parsed.names[: parsed.targets], parsed.names[parsed.targets :]
        reads = tuple(own.get(name, name) for name in reads)
        if code.startswith(_HEADS):
            heads += 1
            blocks.append((line.indent, heads, targets))
            bound = tuple(f"{name} {heads}" if name in only_inside else name for name in targets)
            steps.append(Step(bound, parsed.text, reads, True, block))
            continue
        targets = tuple(own.get(name, name) for name in targets)
        reads = (*targets, *reads) if parsed.augmented else reads
        fixed = not targets or _EFFECT.search(code) is not None
        if fixed:
            stores += 1
        note = (block, stores) if fixed or "load" in code else block
        steps.append(Step(targets, parsed.text, reads, fixed, note))
    return steps


def _loop_variables(body: Sequence[StatementLine]) -> set[str]:
    """The variables of loops that nothing outside of their loops names."""
    loops: list[tuple[int, tuple[str, ...]]] = []  # each open loop's indentation and variables
    inside: set[str] = set()
    outside: set[str] = set()
    for line in body:
        while loops and line.indent <= loops[-1][0]:
            loops.pop()
        parsed = statement(line.code, MODULES)
        bound = parsed.names[: parsed.targets] if line.code.startswith("for ") else ()
        outside |= {*parsed.names[len(bound) :]}.difference(*(names for _, names in loops))
        if bound:
            loops.append((line.indent, bound))
            inside.update(bound)
    return inside - outside
