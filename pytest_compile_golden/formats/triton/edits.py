"""How Triton kernels changed, as a reader sees it: their launch, and what they do."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator, Sequence
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
from pytest_compile_golden.formats.metadata import ENTRY, has_effect, normalised
from pytest_compile_golden.formats.statement_edits import Statements, statements_changed, unmatched
from pytest_compile_golden.formats.triton.kernels import without_idle_barriers

_POINTER = re.compile(r"(?:in_out|in|out)_ptr\d+$")
_VALUE = re.compile(r"arg\d+_\d+$")
_SIZE = re.compile(r"(?:[xyzr]\d*_?numel|rnumel|ks\d+|[XYZR]\d*_?BLOCK|[xyzr]\d*_?offset)$")
_INDEX = re.compile(r"(?:[xyzr]\d*(?:_\d+)?|[xyzr]\d*_?(?:index|base|offset|mask)|[xyzr]+\d*_?mask)$")
# With more rewritten values than this, it is another kernel.
_MOST_REWRITTEN = 2
_NAMED = re.compile(r"def triton_\w+\(")
_LAUNCH = re.compile(r"^@(?!triton\.jit\b).*?(?=^@triton\.jit$)", re.M | re.S)
# Entries that follow from what the kernel does or from its size.
_BOOKS = frozenset({"signature", "configs", "constants", "num_load", "num_store", "num_reduction", "mutated_arg_names"})
# In each branch, which of the kernel's tensors the body after it is about.
_ALIASED = re.compile(r"^ +\w+ = (?:in_out|in|out)_ptr\d+$", re.M)
_BARRIER = "tl.debug_barrier()"
_LOADED = re.compile(r"\btl\.load\((\w+)")
_KIND = re.compile(r"@triton_heuristics\.(\w+)\(")
_HINT = re.compile(r"reduction_hint=ReductionHint\.(\w+)")
_SIZES = re.compile(r"size_hints=(\{.*?\})")
_GRID = re.compile(r"'grid_type': '(\w+)'")


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
    tiled: list[Change] = []
    if bool(kind(old.source)) == bool(kind(new.source)):
        tiled += tiling(old.source, new.source)
        edits = tiled + list(metadata(old.source, new.source, bool(tiled)))
    else:  # a decorator that is not known says nothing about loops, and is shown as it is
        heads = ["".join(_LAUNCH.findall(piece.source)) for piece in (old, new)]
        edits = [*line_edits(heads[0], heads[1], "#")]
    waits = [piece.source.count(_BARRIER) for piece in (old, new)]
    old, new = (replace(piece, source=without_idle_barriers(piece.source)) for piece in (old, new))
    idle = [before - piece.source.count(_BARRIER) for before, piece in zip(waits, (old, new), strict=True)]
    if idle[0] != idle[1]:
        edits.append(kernels.IdleBarrier(idle[0] < idle[1]))
    if _code(old.source) == _code(new.source):
        return edits
    old_functions, new_functions = _functions(_code(old.source)), _functions(_code(new.source))
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
    rewritten = bool(tiled) and kind(old.source) != kind(new.source)
    for before, after in pairs:
        changed = function_edits(before, after, bool(tiled)) if before.lines != after.lines else []
        changed = [replace(change, follows=True) for change in changed] if rewritten else changed
        # Passing a new parameter to a function, and its use there, follow from adding it.
        edits += [replace(change, follows=change.follows or not grown.isdisjoint(change.names)) for change in changed]
    aliased = [bool(_ALIASED.search(piece.source)) for piece in (old, new)]
    if aliased[0] != aliased[1]:
        body = (replace(one, follows=one.follows or not isinstance(one, kernels.MetadataChanged)) for one in edits)
        edits = [kernels.BodyShared(aliased[1]), *body]
    loads = [Counter(_LOADED.findall(piece.source)) for piece in (old, new)]
    if loads[0] != loads[1] and all(change.follows or change.kind in NOTED for change in edits):
        edits.append(kernels.LoadsRepeated(loads[0].total() < loads[1].total()))
    if any(change.kind == "code" and not change.follows for change in edits):
        # Metadata about what the code does is news only if that is the same.
        edits = [
            replace(change, follows=True)
            if isinstance(change, kernels.MetadataChanged) and change.name == "autotune_hints"
            else change
            for change in edits
        ]
    return edits


def _code(source: str) -> str:
    """A kernel and the functions ahead of it, without the launch decorator and under a neutral name."""
    return _NAMED.sub("def kernel(", _LAUNCH.sub("", source), count=1)


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
    return without_numbers(re.sub(r"\(.*", "(", line))


def _parameters(old: TritonKernel, new: TritonKernel) -> Iterator[Change]:
    gone = [name for name in old.parameters if name not in new.parameters]
    come = [name for name in new.parameters if name not in old.parameters]
    for gained, names in ((False, gone), (True, come)):
        named = [name for name in names if not (_POINTER.match(name) or _SIZE.match(name))]
        if named:
            yield kernels.ParametersChanged(old.name, tuple(named), gained)


def _leaf(name: str) -> tuple[str, bool]:
    return name, bool(_SIZE.match(name))


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
            kernel = TritonKernel(node.name, Values(_leaf), parameters=tuple(arg.arg for arg in node.args.args))
            kernel.lines = tuple(lines[node.body[0].lineno - 1 : node.end_lineno])
            _Body(kernel, lines).run(node.body, _given(kernel))
            functions[node.name] = kernel
    return functions


def _given(kernel: TritonKernel) -> dict[str, Expression]:
    """The arguments of a function that kernels call: values, like those that a kernel computes."""
    scope = {name: kernel.values.make(name) for name in kernel.parameters if _VALUE.match(name)}
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
            if not value.alias and (_INDEX.match(target.id) or not value.is_index):
                value.alias = target.id
            scope[target.id] = value
        elif isinstance(target, ast.Tuple):
            for index, element in enumerate(target.elts):
                self.bind(element, self.make(f"result {index}", value), scope, node)
        else:
            self.does(self.make("=", self.kernel.values.value(target, scope), value), node)

    def does(self, expression: Expression, node: ast.stmt, text: str = "") -> None:
        self.kernel.statements.add(expression, text or self.lines[node.lineno - 1].strip())


def tiling(old: str, new: str) -> Iterator[Change]:
    """A change of loop nest; other differences in the kernel's indices follow from it."""
    kinds = [kind(source) for source in (old, new)]
    if kinds[0] != kinds[1]:
        yield kernels.LoopNestChanged(*kinds)
    tiles = [_tiles(source) for source in (old, new)]
    if len(tiles[0]) != len(tiles[1]):
        grids = _first(_GRID, old), _first(_GRID, new)
        gone = tuple(f"{name.upper()}BLOCK" for name in tiles[0] if name not in tiles[1])
        yield kernels.TilingChanged(len(tiles[0]), len(tiles[1]), grids if grids[0] != grids[1] else None, gone)


def kind(text: str) -> str:
    """`pointwise`, `reduction`, `persistent_reduction` ..."""
    return _first(_KIND, text)


def _tiles(text: str) -> list[str]:
    match = _SIZES.search(text)
    return [] if match is None else [name for name in re.findall(r"'(\w+)':", match[1]) if name in ("x", "y", "z")]


def _first(pattern: re.Pattern[str], text: str) -> str:
    match = pattern.search(text)
    return match[1] if match else ""


def metadata(old: str, new: str, tiled: bool) -> Iterator[Change]:
    """Changes to a kernel's decorator. `tiled`: `tiling` reports an edit that some of them follow from."""
    before, after = _entries(old), _entries(new)
    combo = "combo_grid_meta" in {**before, **after}
    for name in dict.fromkeys((*before, *after)):
        was, now = before.get(name), after.get(name)
        if was == now or not any(value is not None and has_effect(name, value) for value in (was, now)):
            continue
        follows = name in _BOOKS or (tiled and name in ("grid_type", "no_x_dim"))
        for entry, old_value, new_value in _values(name, was, now):
            yield kernels.MetadataChanged(entry, old_value, new_value, combo, follows=follows)
    hints = [_first(_HINT, source) for source in (old, new)]
    if hints[0] != hints[1]:
        yield kernels.ReductionHintChanged(*hints, follows=tiled)
    sizes = [_first(_SIZES, source) for source in (old, new)]
    if sizes[0] != sizes[1]:
        yield kernels.SizeHintsChanged(*sizes, follows=True)


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


def _entries(source: str) -> dict[str, str]:
    """The entries of a kernel's metadata, which come before its first `def`."""
    entries = {}
    for line in source.split("\n"):
        if line.startswith("def "):
            break
        entry = ENTRY.match(line.strip())
        if entry is not None:
            entries[entry[1]] = normalised(entry[1], entry[2])
    return entries
