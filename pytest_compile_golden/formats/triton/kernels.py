"""Triton kernels: each function as dataflow, without names and metadata that has no effect."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from pytest_compile_golden.formats import metadata
from pytest_compile_golden.formats.statements import TOKEN, Statement, StatementLine, Step, dataflow, logical, statement
from pytest_compile_golden.formats.text import arguments, pieces
from pytest_compile_golden.lines import split_lines

MODULES = frozenset({"tl", "triton", "triton_helpers", "libdevice", "tl_math", "math", "torch", "self"})
_HEADS = ("for ", "while ", "if ", "elif ", "else", "with ", "def ", "try", "except")
# Functions without an effect; any other that is called by a bare name is one of the module's, which may store.
_PURE = frozenset({
    "abs", "bool", "float", "getattr", "int", "isinstance", "len", "max", "min", "print", "range", "static_range",
    "tuple",
})  # fmt: skip
# Calls that may read what other threads wrote, other than a load of a name (torch/_inductor/runtime/triton_helpers.py).
_BEYOND = (".atomic_", ".inline_asm", ".gdc_")
_EFFECTS = (".store", ".debug_barrier", ".device_", *_BEYOND)
BARRIER = "tl.debug_barrier()"


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

    @property
    def statements(self) -> Iterator[Statement]:
        """The statements of its body, each for itself."""
        return (statement(line.code, MODULES) for line in self.body)

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
    return tuple(_canonical(piece) for piece in pieces(text, "#"))


def without_idle_barriers(text: str) -> str:
    """Kernels without barriers that order nothing: the kernel reads neither what it stores nor what it mutates.

    Inductor has threads wait before they write to a buffer that others may still read (torch/_inductor/codegen/
    triton.py: TritonKernel.store). A kernel whose buffer is only written has nothing to wait for.
    """
    return "".join(map(_awake, pieces(text, "#")))


def _awake(piece: str) -> str:
    if BARRIER not in piece or len(functions := _read(piece).functions) != 1:
        return piece
    entries = metadata.entries(line for decorator in functions[0].decorators for line in decorator.lines)
    written = {*metadata.STRING.findall(entries.get("mutated_arg_names", ""))}
    read: set[str] = set()
    for line in functions[0].body:
        parsed = statement(line.code, MODULES)
        if line.code != BARRIER and any(_reads_beyond(call) for call in parsed.calls):
            return piece
        stores = line.code.startswith("tl.store(")
        written.update(parsed.names[:stores])
        read.update(parsed.names[stores:])
    if not written or not written.isdisjoint(read):
        return piece
    return "".join(f"{line}\n" for line in split_lines(piece) if line.strip() != BARRIER)


def _reads_beyond(call: str) -> bool:
    """Whether a call may read what another thread wrote."""
    return call.startswith(_BEYOND) or call.endswith("_barrier") or _makes_descriptor(call)


def _has_effect(call: str) -> bool:
    """Whether a call does more than compute, even if its result is assigned."""
    return call.startswith(_EFFECTS) or _makes_descriptor(call) or (call[0] != "." and call not in _PURE)


def _makes_descriptor(call: str) -> bool:
    return call.startswith(".make_") and call.endswith("descriptor")


def read(text: str) -> Module:
    """Take an artifact apart into functions."""
    modules = [_read(piece) for piece in pieces(text, "#")]
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
        elif line.code.startswith("def "):
            name, _, rest = line.code.removeprefix("def ").partition("(")
            here = Function(name, [_parameter(one) for one in arguments(rest.rpartition(")")[0])], decorators)
            module.functions.append(here)
            decorators = []
        else:
            here = None
            module.loose.append(line.code)
    return module


def _parameter(text: str) -> tuple[str, str]:
    name, *note = TOKEN.findall(text)
    return name, "".join(note)


def form(function: Function) -> Hashable:
    """The significant content of a function: its name if it is called by name, parameters, metadata, statements."""
    name = None if function.is_kernel else function.name
    return name, launch(function), function.computation


def launch(function: Function) -> Hashable:
    """How it is launched: its decorators."""
    positions = {parameter: position for position, (parameter, _) in enumerate(function.parameters)}
    return tuple(metadata.form(line.lines, positions) for line in function.decorators)


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
        fixed = not targets or any(map(_has_effect, parsed.calls))
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
