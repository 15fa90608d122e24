"""The memory that generated code holds: its allocations, reuses and frees in order, and the bytes held after each.

It is read from the code itself, as it assigns and deletes names, so it is what will happen, not an estimate.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from pytest_compile_golden.facts.costs import BufferSize, BufferSizes
from pytest_compile_golden.formats.inductor_module import call_functions, parsed

_SAME = frozenset(
    {
        "reinterpret_tensor",
        "copy_if_misaligned",
        "copy_misaligned",
        "alloc_from_pool",
        "as_strided",
    }
)
"""Functions that return the memory of their first argument."""
_NO_LAUNCH = frozenset({"get_raw_stream", "clear", "set_device", "append"})
_BITS = re.compile(r"\d+")
"""The width in a dtype's name: `uint8`, `float8_e4m3fn`; bool has none."""
_NOTHING = BufferSize(0, 0)


@dataclass(frozen=True)
class MemoryStep:
    """A moment at which a graph holds more memory, less memory, or memory under another name."""

    kind: str
    """`given` (an input that the graph has to free), `allocate`, `call` (allocated by a library function), `place`
    (in a pool), `part` (of a call's result), `reuse` (instead of an allocation) or `free`."""
    name: str
    nbytes: int
    """The size of the buffer; for a reuse, the bytes that did not have to be allocated."""
    live: int
    """Bytes that the graph holds after this step."""
    of: str = ""
    """The buffer whose memory it uses."""
    comment: str = ""
    """For readers: the next launch, which it is for, `for triton_poi_fused_0`; `peak` where most is held."""


@dataclass(eq=False)
class _Memory:
    """One piece of memory, which names in the code refer to."""

    nbytes: int
    name: str
    held: int = 0
    """How many names refer to it."""


@dataclass
class _Scope:
    """The local names of a function, each with what it refers to: one piece, or several in a list."""

    names: dict[str, list[_Memory]] = field(default_factory=dict)


def timeline(code: str, sizes: BufferSizes) -> tuple[MemoryStep, ...]:
    """The steps of an output-code module; empty if its calls are written in C++."""
    functions = {function.name: function for function in call_functions(parsed(code))}
    if "call" not in functions:
        return ()
    run = _Run(functions, sizes)
    run.function("call", None)
    return tuple(run.steps)


class _Run:
    """Goes through the calls as Python would, keeping track only of which names refer to which memory."""

    def __init__(
        self, functions: dict[str, ast.FunctionDef], sizes: BufferSizes
    ) -> None:
        self._functions = functions
        self._sizes = sizes
        self._live = 0
        self._waiting: list[int] = []
        """Indices of the steps for which the next launch is not known yet."""
        self.steps: list[MemoryStep] = []

    def function(
        self, name: str, given: list[_Memory | None] | None
    ) -> list[_Memory | None]:
        """Run one function with what it is `given` (None: the graph's inputs), and return what it returns."""
        scope = _Scope()
        returned: list[_Memory | None] = []
        for statement in _flat(self._functions[name].body):
            if isinstance(statement, ast.Return):
                returned = self._values(statement.value, scope)
            else:
                self._statement(statement, scope, given)
        for memory in filter(None, returned):
            memory.held += 1
        for local in list(scope.names):
            self._unbind(local, scope, silent=name == "call")
        for memory in filter(None, returned):
            memory.held -= 1
        return returned

    def _statement(
        self, statement: ast.stmt, scope: _Scope, given: list[_Memory | None] | None
    ) -> None:
        if isinstance(statement, ast.Delete):
            for target in statement.targets:
                if isinstance(target, ast.Name):
                    self._unbind(target.id, scope)
        elif isinstance(statement, ast.Assign):
            target = statement.targets[0]
            if isinstance(statement.value, ast.Name) and statement.value.id == "args":
                self._inputs(_names(target), scope, given)
            elif isinstance(target, ast.Name):
                self._assign(target.id, statement.value, scope)
            else:
                for name, memory in zip(
                    _names(target), self._values(statement.value, scope), strict=False
                ):
                    self._bind(name, [memory], scope)
        elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            self._launched(statement.value)

    def _inputs(
        self, names: Sequence[str], scope: _Scope, given: list[_Memory | None] | None
    ) -> None:
        if given is not None:
            for name, memory in zip(names, given, strict=False):
                self._bind(name, [memory], scope)
            return
        for name in names:
            if name in self._sizes.given:
                self._new("given", name, self._sizes.given[name], scope)

    def _assign(self, name: str, value: ast.expr, scope: _Scope) -> None:
        size = self._sizes.made.get(name, _NOTHING)
        function = _called(value)
        if isinstance(value, ast.List):
            self._bind(name, self._values(value, scope), scope)
        elif root := _same_memory(value):
            pieces = scope.names.get(root, [])
            self._bind(name, list(pieces), scope)
            if pieces and name != root and size.made:
                self._step(
                    "place" if function == "alloc_from_pool" else "reuse",
                    name,
                    size.made,
                    of=root,
                )
        elif isinstance(value, ast.Subscript):
            self._part(name, _root(value), size.freed, scope)
        elif function.startswith("empty"):
            self._new("allocate", name, size.made or _literal_bytes(value), scope)
        elif isinstance(value, ast.Call):
            self._launched(value)
            # self.partitions[0](partition0_args).
            if isinstance(value.func, ast.Subscript):
                self._bind(name, self._values(value, scope), scope)
            elif size.made:
                self._new("call", name, size.made, scope)

    def _part(self, name: str, root: str, nbytes: int, scope: _Scope) -> None:
        """A part of a library call's result, which lives on when the rest is freed."""
        if not nbytes or not scope.names.get(root):
            return
        memory = scope.names[root][0]
        memory.nbytes -= nbytes
        self._bind(name, [_Memory(nbytes, name)], scope)
        self._step("part", name, nbytes, of=root)

    def _new(self, kind: str, name: str, nbytes: int, scope: _Scope) -> None:
        self._live += nbytes
        self._bind(name, [_Memory(nbytes, name)], scope)
        self._step(kind, name, nbytes)

    def _bind(self, name: str, pieces: Sequence[_Memory | None], scope: _Scope) -> None:
        memories = [memory for memory in pieces if memory is not None]
        for memory in memories:
            memory.held += 1
        self._unbind(name, scope)
        scope.names[name] = memories

    def _unbind(self, name: str, scope: _Scope, *, silent: bool = False) -> None:
        for memory in scope.names.pop(name, []):
            memory.held -= 1
            if memory.held == 0 and memory.nbytes and not silent:
                self._live -= memory.nbytes
                self._step("free", name, memory.nbytes)

    def _values(self, value: ast.expr | None, scope: _Scope) -> list[_Memory | None]:
        """The memory that an expression refers to, for each element if it is a tuple."""
        if isinstance(value, (ast.Tuple, ast.List)):
            return [
                memory
                for element in value.elts
                for memory in self._values(element, scope)
            ]
        if isinstance(value, ast.Call) and isinstance(value.func, ast.Subscript):
            name, arguments = (
                f"partition_{ast.unparse(value.func.slice)}",
                value.args[0],
            )
            if name in self._functions and isinstance(arguments, ast.Name):
                passed: list[_Memory | None] = list(scope.names.pop(arguments.id, []))
                # The function clears the list that it is given.
                for memory in filter(None, passed):
                    memory.held -= 1
                return self.function(name, passed)
        root = "" if value is None else _same_memory(value)
        return list(scope.names.get(root, [])) or [None]

    def _step(self, kind: str, name: str, nbytes: int, of: str = "") -> None:
        if kind in ("allocate", "reuse", "place"):
            self._waiting.append(len(self.steps))
        self.steps.append(MemoryStep(kind, name, nbytes, self._live, of))

    def _launched(self, call: ast.Call) -> None:
        name = ast.unparse(call.func).removesuffix(".run")
        if name.rpartition(".")[2] in _NO_LAUNCH or name.startswith("assert_"):
            return
        for index in self._waiting:
            self.steps[index] = replace(self.steps[index], comment=f"for {name}")
        self._waiting.clear()


def _flat(statements: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements in order, including those in nested blocks."""
    for statement in statements:
        yield statement
        for block in ("body", "orelse"):
            yield from _flat(getattr(statement, block, []))


def _names(target: ast.expr) -> list[str]:
    elements = target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]
    return [element.id if isinstance(element, ast.Name) else "" for element in elements]


def _called(value: ast.expr) -> str:
    """The last part of the name of the called function; empty if there is no call."""
    if not isinstance(value, ast.Call):
        return ""
    return ast.unparse(value.func).rpartition(".")[2]


def _same_memory(value: ast.expr) -> str:
    """The name whose memory an expression returns; empty if it returns other memory."""
    while _called(value) in _SAME and isinstance(value, ast.Call) and value.args:
        value = value.args[0]
    return value.id if isinstance(value, ast.Name) else ""


def _root(value: ast.expr) -> str:
    while isinstance(value, ast.Subscript):
        value = value.value
    return value.id if isinstance(value, ast.Name) else ""


def _literal_bytes(value: ast.expr) -> int:
    """The size of a pool or workspace (not a buffer of the graph) from its arguments; 0 if these vary."""
    if not isinstance(value, ast.Call) or len(value.args) < 3:
        return 0
    try:
        shape, stride = (ast.literal_eval(argument) for argument in value.args[:2])
    except ValueError:
        return 0
    if 0 in shape:
        return 0
    elements = 1 + sum(
        (size - 1) * step for size, step in zip(shape, stride, strict=True)
    )
    bits = _BITS.search(ast.unparse(value.args[2]))
    return int(elements) * (int(bits[0]) // 8 if bits else 1)
