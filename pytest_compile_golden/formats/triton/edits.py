"""How Triton kernels changed, as a reader sees it: their launch, and what they do."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from msgspec.structs import replace

from pytest_compile_golden.changes import kernels
from pytest_compile_golden.changes.change import NOTED, Change, without_numbers
from pytest_compile_golden.changes.lines import Rewritten
from pytest_compile_golden.formats import digest
from pytest_compile_golden.formats.arithmetic import once
from pytest_compile_golden.formats.code import Piece
from pytest_compile_golden.formats.edits import line_edits
from pytest_compile_golden.formats.expression_edits import Comparison
from pytest_compile_golden.formats.expressions import Expression, Values
from pytest_compile_golden.formats.inductor_names import INDICES, SIZES, kind_of
from pytest_compile_golden.formats.metadata import STRING, entries, has_effect, normalised
from pytest_compile_golden.formats.statement_edits import Statements, statements_changed, unmatched
from pytest_compile_golden.formats.statements import ALIAS
from pytest_compile_golden.formats.text import arguments
from pytest_compile_golden.formats.triton.kernels import BARRIER, read, without_idle_barriers

# With more rewritten values than this, it is another kernel.
_MOST_REWRITTEN = 2
_HEURISTIC = "@triton_heuristics."
_KERNEL = "kernel"
"""What a kernel is called in changes, whose own name says what is fused in it."""
# Entries that follow from what the kernel does or from its size.
_BOOKS = frozenset({"signature", "configs", "constants", "num_load", "num_store", "num_reduction", "mutated_arg_names"})


@dataclass(frozen=True)
class Launch:
    """How a kernel is launched, as its decorator says."""

    text: str
    kind: str
    """`pointwise`, `reduction`, `persistent_reduction` ...; empty if the decorator is not one of Inductor's."""
    arguments: Mapping[str, str]
    """`size_hints`, `reduction_hint` ..., as they are written."""
    entries: Mapping[str, str]
    """Of `triton_meta` and `inductor_meta`."""

    @property
    def hint(self) -> str:
        """`INNER`"""
        return self.arguments.get("reduction_hint", "").rpartition(".")[2]

    @property
    def sizes(self) -> str:
        """`{'x': 1024}`"""
        return self.arguments.get("size_hints", "")

    @property
    def tiles(self) -> list[str]:
        """The dimensions of its grid of blocks."""
        return [name for name in STRING.findall(self.sizes) if name in ("x", "y", "z")]

    @property
    def grid(self) -> str:
        """`Grid1D`"""
        return self.entries.get("grid_type", "").strip("'")


@dataclass
class TritonKernel:
    """One kernel, or a function that kernels call."""

    name: str
    values: Values
    statements: Statements = field(default_factory=Statements)
    parameters: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()
    """The whole body."""


def kernel_edits(old: Piece, new: Piece) -> list[Change] | None:
    """The edits of one kernel; None if a side is not valid Python."""
    launches = [launch(piece.source) for piece in (old, new)]
    tiled: list[Change] = []
    if bool(launches[0].kind) == bool(launches[1].kind):
        tiled += tiling(*launches)
        edits = tiled + list(metadata(launches[0], launches[1], bool(tiled)))
    else:  # a decorator that is not known says nothing about loops, and is shown as it is
        edits = [*line_edits(launches[0].text, launches[1].text, "#")]
    waits = [piece.source.count(BARRIER) for piece in (old, new)]
    sources = [without_idle_barriers(piece.source) for piece in (old, new)]
    idle = [before - source.count(BARRIER) for before, source in zip(waits, sources, strict=True)]
    if idle[0] != idle[1]:
        edits.append(kernels.IdleBarrier(idle[0] < idle[1]))
    old_functions, new_functions = map(_functions, sources)
    if old_functions is None or new_functions is None:
        return None
    names = dict.fromkeys([*old_functions, *new_functions]) if len(old_functions) > 1 or len(new_functions) > 1 else {}
    pairs = [
        (old_functions[name], new_functions[name]) for name in names if name in old_functions and name in new_functions
    ]
    if not names:
        pairs = list(zip(old_functions.values(), new_functions.values(), strict=False))
    grown: set[str] = set()
    for before, after in pairs:
        for change in _parameters(before, after):
            edits.append(change)
            grown |= {before.name, *(name for name in after.parameters if name not in before.parameters)}
    # A loop nest of another kind is another kernel: the changes of its values follow from that.
    rewritten = bool(tiled) and launches[0].kind != launches[1].kind
    for before, after in pairs:
        changed = function_edits(before, after, bool(tiled)) if before.lines != after.lines else []
        changed = [replace(change, follows=True) for change in changed] if rewritten else changed
        # Passing a new parameter to a function, and its use there, follow from adding it.
        edits += [replace(change, follows=change.follows or not grown.isdisjoint(change.names)) for change in changed]
    bodies = [[line for function in read(source).functions for line in function.statements] for source in sources]
    # In each branch, which of the kernel's tensors the body after it is about.
    aliased = [any(line.text == ALIAS and kind_of(line.names[1]) == "pointer" for line in body) for body in bodies]
    if aliased[0] != aliased[1]:
        body = (replace(one, follows=one.follows or not isinstance(one, kernels.MetadataChanged)) for one in edits)
        edits = [kernels.BodyShared(aliased[1]), *body]
    loads = [sum(".load" in line.calls for line in body) for body in bodies]
    if loads[0] != loads[1] and all(change.follows or change.kind in NOTED for change in edits):
        edits.append(kernels.LoadsRepeated(loads[0] < loads[1]))
    if any(change.kind == "code" and not change.follows for change in edits):
        # Metadata about what the code does is news only if that is the same.
        edits = [
            replace(change, follows=True)
            if isinstance(change, kernels.MetadataChanged) and change.name == "autotune_hints"
            else change
            for change in edits
        ]
    return edits


def function_edits(old: TritonKernel, new: TritonKernel, follows: bool = False) -> list[Change]:
    """The edits of what a function does. `follows`: changed indices, and lines added or removed, belong to an edit that
    is already reported."""
    comparison = Comparison(indices_follow=follows)
    gone, come = unmatched(old.statements, new.statements, comparison)
    if gone or come:
        comparison.found.append(statements_changed(gone, come, _outline, follows=follows))
    if len(comparison.rewritten) > _MOST_REWRITTEN:
        return _as_one(old, new, comparison, follows)
    branches = any(line.startswith(("if ", "elif ", "else", "for ", "while ")) for line in (*gone, *come))
    # In other branches, other values are computed.
    edits = comparison.edits(branches)
    return [replace(one, follows=True) if branches and isinstance(one, kernels.ValueChanged) else one for one in edits]


def _as_one(old: TritonKernel, new: TritonKernel, comparison: Comparison, follows: bool) -> list[Change]:
    """For a kernel that is mostly rewritten: that it is, since changes of single values or lines say nothing."""
    kept = [change for change in comparison.found if change not in comparison.rewritten]
    same = digest.short([[without_numbers(line) for line in kernel.lines] for kernel in (old, new)])
    lines: list[Change] = [Rewritten(len(old.lines), len(new.lines), same, follows=follows)]
    return lines + [replace(change, follows=change.follows or bool(comparison.rewritten)) for change in kept]


def _outline(line: str) -> str:
    called, bracket, _ = line.partition("(")
    return without_numbers(called + bracket)


def _parameters(old: TritonKernel, new: TritonKernel) -> Iterator[Change]:
    gone = [name for name in old.parameters if name not in new.parameters]
    come = [name for name in new.parameters if name not in old.parameters]
    for gained, names in ((False, gone), (True, come)):
        named = [name for name in names if kind_of(name) not in ("pointer", *SIZES)]
        if named:
            yield kernels.ParametersChanged(old.name, tuple(named), gained)


def _leaf(name: str) -> tuple[str, bool]:
    return name, kind_of(name) in SIZES


@lru_cache(maxsize=512)
def _functions(source: str) -> dict[str, TritonKernel] | None:
    try:
        tree = ast.parse(once(source))
    except SyntaxError:
        return None
    functions = {}
    lines = source.split("\n")
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            name = _KERNEL if node.name.startswith("triton_") else node.name
            kernel = TritonKernel(name, Values(_leaf), parameters=tuple(arg.arg for arg in node.args.args))
            kernel.lines = tuple(lines[node.body[0].lineno - 1 : node.end_lineno])
            _Body(kernel, lines).run(node.body, _given(kernel))
            functions[name] = kernel
    return functions


def _given(kernel: TritonKernel) -> dict[str, Expression]:
    """The arguments of a function that kernels call: values, like those that a kernel computes."""
    scope = {name: kernel.values.make(name) for name in kernel.parameters if kind_of(name) == "value"}
    for name, value in scope.items():
        value.alias = name
    return scope


class _Body:
    """Walks through a function's statements, keeping track of what its names stand for."""

    def __init__(self, kernel: TritonKernel, lines: Sequence[str]) -> None:
        self.kernel = kernel
        self.lines = lines
        self.make = kernel.values.make

    def run(self, body: Sequence[ast.stmt], scope: dict[str, Expression]) -> None:
        for node in body:
            self.statement(node, scope)

    def statement(self, node: ast.stmt, scope: dict[str, Expression]) -> None:
        value = self.kernel.values.value
        if isinstance(node, ast.Assign):
            self.bind(node.targets[0], value(node.value, scope), scope, node)
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            self.bind(node.target, value(node.value, scope), scope, node)
        elif isinstance(node, ast.AugAssign):
            target = ast.parse(ast.unparse(node.target), mode="eval").body
            joined = ast.BinOp(target, node.op, node.value)
            self.bind(node.target, value(joined, scope), scope, node)
        elif isinstance(node, ast.Expr):
            if not isinstance(node.value, ast.Constant):
                self.does(value(node.value, scope), node)
        elif isinstance(node, ast.Return) and node.value is not None:
            self.does(self.make("return", value(node.value, scope)), node)
        elif isinstance(node, ast.For):
            self.does(self.make("for", value(node.iter, scope)), node)
            self.bind(node.target, self.make("each", value(node.iter, scope)), scope, node)
            self.run(node.body, scope)
        elif isinstance(node, ast.While):
            self.does(self.make("while", value(node.test, scope)), node)
            self.run(node.body, scope)
        elif isinstance(node, ast.If):
            self.does(self.make("branch", value(node.test, scope)), node)
            before = dict(scope)
            self.run(node.body, scope)
            if node.orelse:
                self.does(self.make("else"), node, "else:")
                self.run(node.orelse, before)
                scope.update({name: bound for name, bound in before.items() if name not in scope})

    def bind(self, target: ast.expr, value: Expression, scope: dict[str, Expression], node: ast.stmt) -> None:
        if isinstance(target, ast.Name):
            if not value.alias and (kind_of(target.id) in INDICES or not value.is_index):
                value.alias = target.id
            scope[target.id] = value
        elif isinstance(target, ast.Tuple):
            for index, element in enumerate(target.elts):
                self.bind(element, self.make(f"result {index}", value), scope, node)
        else:
            self.does(self.make("=", self.kernel.values.value(target, scope), value), node)

    def does(self, expression: Expression, node: ast.stmt, text: str = "") -> None:
        self.kernel.statements.add(expression, text or self.lines[node.lineno - 1].strip())


def tiling(old: Launch, new: Launch) -> Iterator[Change]:
    """A change of loop nest; other differences in the kernel's indices follow from it."""
    if old.kind != new.kind:
        yield kernels.LoopNestChanged(old.kind, new.kind)
    if len(old.tiles) != len(new.tiles):
        gone = tuple(f"{name.upper()}BLOCK" for name in old.tiles if name not in new.tiles)
        grids = (old.grid, new.grid) if old.grid != new.grid else None
        yield kernels.TilingChanged(len(old.tiles), len(new.tiles), grids, gone)


def launch(source: str) -> Launch:
    """How a piece's kernel is launched."""
    lines = [line for kernel in read(source).kernels for head in kernel.decorators for line in head.lines]
    lines = [line for line in lines if line != "@triton.jit"]
    kinds = [line for line in lines if line.startswith(_HEURISTIC)]
    kind = kinds[0].removeprefix(_HEURISTIC).rstrip("(") if kinds else ""
    given = dict(one.split("=", 1) for line in lines for one in arguments(line) if "=" in one)
    return Launch("\n".join(lines), kind, given, entries(lines))


def metadata(old: Launch, new: Launch, tiled: bool) -> Iterator[Change]:
    """Changes to a kernel's decorator. `tiled`: `tiling` reports an edit that some of them follow from."""
    before, after = ({name: normalised(name, side.entries[name]) for name in side.entries} for side in (old, new))
    combo = "combo_grid_meta" in {**before, **after}
    for name in dict.fromkeys((*before, *after)):
        was, now = before.get(name), after.get(name)
        if was == now or not any(value is not None and has_effect(name, value) for value in (was, now)):
            continue
        follows = name in _BOOKS or (tiled and name in ("grid_type", "no_x_dim"))
        for entry, old_value, new_value in _values(name, was, now):
            yield kernels.MetadataChanged(entry, old_value, new_value, combo, follows=follows)
    if old.hint != new.hint:
        yield kernels.ReductionHintChanged(old.hint, new.hint, follows=tiled)
    if old.sizes != new.sizes:
        yield kernels.SizeHintsChanged(old.sizes, new.sizes, follows=True)


def _values(name: str, old: str | None, new: str | None) -> Iterator[tuple[str, str | None, str | None]]:
    """The entries of a value that differ, if it is a dictionary; else the value."""
    if old is not None and new is not None and "{" in old + new:
        try:
            before, after = ast.literal_eval(old), ast.literal_eval(new)
        except (ValueError, SyntaxError):
            before = after = None
        if isinstance(before, dict) and isinstance(after, dict):
            for key in dict.fromkeys((*before, *after)):
                was, now = (repr(side[key]) if key in side else None for side in (before, after))
                if was != now:
                    yield from _values(f"{name}[{key!r}]", was, now)
            return
    yield name, old, new
