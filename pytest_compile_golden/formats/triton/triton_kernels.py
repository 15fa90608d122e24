"""Triton kernels: each function as dataflow, without names and metadata that has no effect."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from pytest_compile_golden.common.lines import split_lines
from pytest_compile_golden.formats import kernel_metadata
from pytest_compile_golden.formats.canonical_text import arguments
from pytest_compile_golden.formats.statements import (
    BARRIER,
    TOKEN,
    DataflowStep,
    Statement,
    StatementLine,
    dataflow,
    logical,
    statement,
)

MODULES = frozenset(
    {"tl", "triton", "triton_helpers", "libdevice", "tl_math", "math", "torch", "self"}
)
_HEADS = ("for ", "while ", "if ", "elif ", "else", "with ", "def ", "try", "except")
# Functions without an effect; any other that is called by a bare name is one of the module's, which may store.
_PURE = frozenset({
    "abs", "bool", "float", "getattr", "int", "isinstance", "len", "max", "min", "print", "range", "static_range",
    "tuple",
})  # fmt: skip
# Calls that may read what other threads wrote, other than a load of a name (torch/_inductor/runtime/triton_helpers.py).
_BEYOND = (".atomic_", ".inline_asm", ".gdc_", ".make_tensor_descriptor")
_EFFECTS = (".store", ".debug_barrier", ".device_", *_BEYOND)


@dataclass
class TritonFunction:
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
    def steps(self) -> list[DataflowStep]:
        """Its statements."""
        return _steps(self.body)


def without_idle_barriers(source: str) -> str:
    """A kernel without barriers that order nothing: what it writes, it never reads, or accesses only before such a
    barrier or only behind it.

    Inductor has threads wait before they write to a buffer that others may still read (torch/_inductor/codegen/
    triton.py: TritonKernel.store). A kernel whose buffer is only written has nothing to wait for.
    """
    if BARRIER not in source:
        return source
    functions = read(source)
    kernels = [each for each in functions if each.is_kernel] or functions
    # Helpers, such as of scans, compute.
    if len(kernels) != 1 or any(
        _has_effect(call) or call.endswith(".load")
        for helper in functions
        if helper is not kernels[0]
        for each in helper.statements
        for call in each.calls
    ):
        return source
    [kernel] = kernels
    entries = kernel_metadata.entries(
        line for decorator in kernel.decorators for line in decorator.lines
    )
    mutated = set(kernel_metadata.STRING.findall(entries.get("mutated_arg_names", "")))
    stored: set[str] = set()
    loaded: set[str] = set()
    for line in kernel.body:
        parsed = statement(line.code, MODULES)
        if line.code != BARRIER and any(
            call.startswith(_BEYOND) or call.endswith("_barrier")
            for call in parsed.calls
        ):
            return source
        stores = line.code.startswith("tl.store(")
        stored.update(parsed.names[:stores])
        loaded.update(parsed.names[stores:])
    written = mutated | stored
    never_read = written.isdisjoint(loaded)
    places = {} if never_read else _places(kernel.body, written)
    # What is mutated and not stored is stored under another name.
    if not written or places is None or not (never_read or mutated <= stored):
        return source
    idle = iter(
        [
            never_read
            or (
                line.indent == kernel.body[0].indent
                and not any(at[0] < number < at[-1] for at in places.values())
            )
            for number, line in enumerate(kernel.body)
            if line.code == BARRIER
        ]
    )
    return "".join(
        f"{line}\n"
        for line in split_lines(source)
        if line.strip() != BARRIER or not next(idle)
    )


def _places(
    body: Sequence[StatementLine], tensors: Set[str]
) -> dict[str, list[int]] | None:
    """The numbers of the lines that access each of these tensors; None if one is used for anything but loads and
    stores, such as for another pointer."""
    places: dict[str, list[int]] = {}
    for number, line in enumerate(body):
        for name in tensors & {*statement(line.code, MODULES).names}:
            if "tl.load(" not in line.code and not line.code.startswith("tl.store("):
                return None
            places.setdefault(name, []).append(number)
    return places


def _has_effect(call: str) -> bool:
    """Whether a call does more than compute, even if its result is assigned."""
    return call.startswith(_EFFECTS) or (call[0] != "." and call not in _PURE)


def read(source: str) -> list[TritonFunction]:
    """The functions of a kernel's source: the kernel, and what it calls."""
    return _read(source)[0]


# Two texts that are compared share most kernels, and each kernel is analysed in several ways.
@lru_cache(maxsize=1 << 10)
def form(source: str) -> Hashable:
    """A kernel by what it computes, loads and stores, and how it is launched.

    Names, comments, metadata without effect and the order of independent assignments do not count. Loads may be
    reordered, but never past a store.
    """
    functions, loose = _read(source)
    return tuple(map(_form, functions)), tuple(loose)


@lru_cache(maxsize=1 << 10)
def _read(source: str) -> tuple[list[TritonFunction], list[str]]:
    """The functions, and the statements outside of them."""
    functions: list[TritonFunction] = []
    loose: list[str] = []
    decorators: list[StatementLine] = []
    inside = False
    for line in logical(source):
        if line.indent > 0 and inside:
            functions[-1].body.append(line)
        elif line.code.startswith("@"):
            decorators.append(line)
        elif inside := line.code.startswith("def "):
            name, _, rest = line.code.removeprefix("def ").partition("(")
            parameters = [_parameter(one) for one in arguments(rest.rpartition(")")[0])]
            functions.append(TritonFunction(name, parameters, decorators))
            decorators = []
        else:
            loose.append(line.code)
    return functions, loose


def _parameter(text: str) -> tuple[str, str]:
    name, *note = TOKEN.findall(text)
    return name, "".join(note)


def _form(function: TritonFunction) -> Hashable:
    """The significant content of a function: its name if it is called by name, how it is launched, what it does."""
    positions = {
        parameter: position
        for position, (parameter, _) in enumerate(function.parameters)
    }
    launch = tuple(
        kernel_metadata.form(line.lines, positions) for line in function.decorators
    )
    name = None if function.is_kernel else function.name
    return name, launch, _computation(tuple(function.parameters), tuple(function.body))


# Many kernels differ only in names.
@lru_cache(maxsize=1 << 10)
def _computation(
    parameters: tuple[tuple[str, str], ...], body: tuple[StatementLine, ...]
) -> Hashable:
    return tuple(note for _, note in parameters), dataflow(
        [name for name, _ in parameters], _steps(body)
    )


def _steps(body: Sequence[StatementLine]) -> list[DataflowStep]:
    """The statements of a function, each with the block that it is in, and loads with the stores before them."""
    steps: list[DataflowStep] = []
    blocks: list[
        tuple[int, int, tuple[str, ...]]
    ] = []  # each open block's indentation, number and loop variables
    heads = stores = 0
    only_inside = _loop_variables(body)
    for line in body:
        while blocks and line.indent <= blocks[-1][0]:
            blocks.pop()
        block = blocks[-1][1] if blocks else 0
        code = line.code
        parsed = statement(code, MODULES)
        # Loops one after the other may share a variable, or each have its own.
        own = {
            name: f"{name} {number}"
            for _, number, names in blocks
            for name in names
            if name in only_inside
        }
        targets, reads = parsed.names[: parsed.targets], parsed.names[parsed.targets :]
        reads = tuple(own.get(name, name) for name in reads)
        if code.startswith(_HEADS):
            heads += 1
            blocks.append((line.indent, heads, targets))
            bound = tuple(
                f"{name} {heads}" if name in only_inside else name for name in targets
            )
            steps.append(DataflowStep(bound, parsed.text, reads, True, block))
            continue
        targets = tuple(own.get(name, name) for name in targets)
        reads = (*targets, *reads) if parsed.augmented else reads
        fixed = not targets or any(map(_has_effect, parsed.calls))
        if fixed:
            stores += 1
        note = (block, stores) if fixed or "load" in code else block
        steps.append(DataflowStep(targets, parsed.text, reads, fixed, note))
    return steps


def _loop_variables(body: Sequence[StatementLine]) -> set[str]:
    """The variables of loops that nothing outside of their loops names."""
    loops: list[
        tuple[int, tuple[str, ...]]
    ] = []  # each open loop's indentation and variables
    inside: set[str] = set()
    outside: set[str] = set()
    for line in body:
        while loops and line.indent <= loops[-1][0]:
            loops.pop()
        parsed = statement(line.code, MODULES)
        bound = parsed.names[: parsed.targets] if line.code.startswith("for ") else ()
        outside |= set(parsed.names[len(bound) :]).difference(
            *(names for _, names in loops)
        )
        if bound:
            loops.append((line.indent, bound))
            inside.update(bound)
    return inside - outside
