"""How Triton kernels changed, as read: launch metadata, tiling, and what is stored."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from functools import lru_cache

from pytest_compile_golden.formats.code import Piece
from pytest_compile_golden.formats.edits import Edit, Topic, edit, line_edits, placeless
from pytest_compile_golden.formats.expression_edits import Comparison
from pytest_compile_golden.formats.expressions import Expression, Values
from pytest_compile_golden.formats.metadata import ENTRY, has_effect

_POINTER = re.compile(r"(?:in_out|in|out)_ptr\d+$")
_SIZE = re.compile(r"(?:[xyzr]\d*_?numel|rnumel|ks\d+|[XYZR]\d*_?BLOCK|[xyzr]\d*_?offset)$")
_INDEX = re.compile(r"(?:[xyzr]\d*(?:_\d+)?|[xyzr]\d*_?(?:index|base|offset|mask)|[xyzr]+\d*_?mask)$")
# Entries that follow from what the kernel does, or from its size.
_BOOKS = frozenset({"signature", "configs", "constants", "num_load", "num_store", "num_reduction", "mutated_arg_names"})
# Values of a kernel that have become something else: beyond this many, the kernel is another one.
_MOST_REWRITTEN = 2
_NAMED = re.compile(r"def triton_\w+\(")
_KIND = re.compile(r"@triton_heuristics\.(\w+)\(")
_HINT = re.compile(r"reduction_hint=ReductionHint\.(\w+)")
_SIZES = re.compile(r"size_hints=(\{.*?\})")


_ALIAS = re.compile(r"^ +tmp\d+ = [xyzr]\d+(?:_\d+)?()$", re.M)
_WORDS = (
    (re.compile(r"tl\.where\(a < 0, a \+ [^,]*, a\) -> a$"), "negative index is not wrapped any more"),
    (re.compile(r"online_softmax_\w+ gains"), "online-softmax helper takes one more flag"),
    (re.compile(r"or .*is tl\.float64"), "sign test covers float64"),
)
_WRITTEN = (
    (re.compile(r"= \(?tl\.(?:load|full)\(.*\)\.to\((tl\.\w+)\)$", re.M), "cast to {} is in the line of its value"),
    (_ALIAS, "index is used through a temporary{}"),
)


@dataclass
class Kernel:
    """One kernel, or a function that kernels call."""

    name: str
    values: Values
    does: list[Expression] = field(default_factory=list)
    """What it does in its order: stores, checks, heads of loops, results."""
    written: list[str] = field(default_factory=list)
    """The statement of each."""
    parameters: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()
    """The whole body."""


def kernel_edits(old: Piece, new: Piece) -> list[Edit] | None:
    """The edits of one kernel; None where a side is no Python."""
    tiling = list(_tiling(old.source, new.source))
    found = tiling + list(_metadata(old.source, new.source, bool(tiling)))
    if _code(old.source) == _code(new.source):
        return found
    one, other = _functions(_code(old.source)), _functions(_code(new.source))
    if one is None or other is None:
        return None
    names = dict.fromkeys([*one, *other]) if len(one) > 1 or len(other) > 1 else {}
    pairs = [(one[name], other[name]) for name in names if name in one and name in other]
    if not names:
        pairs = list(zip(one.values(), other.values(), strict=False))
    grown: set[str] = set()
    for before, after in pairs:
        for each in _parameters(before, after):
            found.append(each)
            grown |= {before.name, *(name for name in after.parameters if name not in before.parameters)}
    for before, after in pairs:
        its = function_edits(before, after, bool(tiling)) if before.lines != after.lines else []
        # What a function is given, and does with, a new parameter.
        found += [replace(each, follows=each.follows or any(name in each.label for name in grown)) for each in its]
    told = bool([each for each in found if not each.follows])
    return found + list(_temporaries(old.source, new.source, told))


def _temporaries(old: str, new: str, follows: bool) -> Iterator[Edit]:
    """What is written otherwise and is the same value."""
    for pattern, label in _WRITTEN:
        before, after = (sorted(pattern.findall(text)) for text in (old, new))
        if len(before) < len(after):
            for dtype in sorted(set(after)):
                if after.count(dtype) > before.count(dtype):
                    yield edit(label.format(dtype), "hints", follows=follows)
        elif len(before) > len(after) and pattern is _ALIAS:
            yield edit("index is used directly instead of through a temporary", "hints", follows=follows)


def _code(source: str) -> str:
    """A kernel without its decorator, and in a name that says nothing."""
    head, _, code = source.partition("\n@triton.jit\n")
    return _NAMED.sub("def kernel(", code or head, count=1)


def function_edits(old: Kernel, new: Kernel, follows: bool = False) -> list[Edit]:
    """What became of what a function does. `follows`: other indices, and lines that came or went, are of an edit that
    is told already."""
    comparison = Comparison(words=_WORDS, indices_follow=follows)
    gone: list[str] = []
    come: list[str] = []
    heads = [[_kind(each) for each in kernel.does] for kernel in (old, new)]
    for kind, low, high, start, end in SequenceMatcher(None, heads[0], heads[1], autojunk=False).get_opcodes():
        if kind == "equal" or (high - low == end - start and _alike(heads[0][low:high], heads[1][start:end])):
            for one, other in zip(old.does[low:high], new.does[start:end], strict=True):
                comparison.compare(one, other)
            continue
        gone += old.written[low:high]
        come += new.written[start:end]
    if gone or come:
        comparison.found.append(_statements(gone, come, follows))
    if len(comparison.rewritten) > _MOST_REWRITTEN:
        return _as_one(old, new, comparison, follows)
    branches = any(line.startswith(("if ", "elif ", "else", "for ", "while ")) for line in (*gone, *come))
    return comparison.told(branches)


def _statements(gone: Sequence[str], come: Sequence[str], follows: bool) -> Edit:
    """The statements of a function that have no counterpart."""
    said, keys = [], []
    for sign, lines in (("-", gone), ("+", come)):
        if lines:
            said.append(f"{sign} {lines[0]}" + (f" (and {len(lines) - 1} more)" if len(lines) > 1 else ""))
            keys += [f"{sign} {outline}" for outline in sorted(set(map(_outline, lines)))]
    topic: Topic = "hints" if all("debug_barrier" in line for line in (*gone, *come)) else "arithmetic"
    return edit("  ".join(said), topic, key=" ".join(keys), follows=follows)


def _as_one(old: Kernel, new: Kernel, comparison: Comparison, follows: bool) -> list[Edit]:
    """Where most of a kernel is another, what each value has become says nothing."""
    kept = [each for each in comparison.found if each not in comparison.rewritten]
    whole = ["\n".join(each.lines) for each in (old, new)]
    lines = [replace(each, follows=follows) for each in line_edits(whole[0], whole[1], "#")]
    return lines + [replace(each, follows=each.follows or bool(comparison.rewritten)) for each in kept]


def _alike(one: Sequence[str], other: Sequence[str]) -> bool:
    return [each.partition("(")[0] for each in one] == [each.partition("(")[0] for each in other]


def _outline(line: str) -> str:
    return placeless(re.sub(r"\(.*", "(", line))


def _kind(each: Expression) -> str:
    return f"{each.function}({each.args[0].head if each.args else ''}"


def _parameters(old: Kernel, new: Kernel) -> Iterator[Edit]:
    gone, come = ([name for name in one if name not in other] for one, other in _both(old.parameters, new.parameters))
    for sign, names in (("loses", gone), ("gains", come)):
        told = [name for name in names if not (_POINTER.match(name) or _SIZE.match(name))]
        if told:
            yield edit(f"{old.name} {sign} parameter {', '.join(told)}")


def _both(one: Sequence[str], other: Sequence[str]) -> tuple[tuple[Sequence[str], Sequence[str]], ...]:
    return (one, other), (other, one)


def _leaf(name: str) -> tuple[str, bool]:
    return name, bool(_SIZE.match(name))


@lru_cache(maxsize=512)
def _functions(source: str) -> dict[str, Kernel] | None:
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return None
    found = {}
    lines = source.split("\n")
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            kernel = Kernel(node.name, Values(_leaf), parameters=tuple(arg.arg for arg in node.args.args))
            kernel.lines = tuple(lines[node.body[0].lineno - 1 : node.end_lineno])
            _Body(kernel, lines).run(node.body, {})
            found[node.name] = kernel
    return found


class _Body:
    """Goes through a function's statements with what its names stand for."""

    def __init__(self, kernel: Kernel, lines: Sequence[str]) -> None:
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
                scope.update({name: held for name, held in before.items() if name not in scope})

    def bind(self, target: ast.expr, held: Expression, scope: dict[str, Expression], node: ast.stmt) -> None:
        if isinstance(target, ast.Name):
            if not held.alias and (_INDEX.match(target.id) or not held.is_index):
                held.alias = target.id
            scope[target.id] = held
        elif isinstance(target, ast.Tuple):
            for place, each in enumerate(target.elts):
                self.bind(each, self.make(f"result {place}", held), scope, node)
        else:
            self.does(self.make("=", self.kernel.values.value(target, scope), held), node)

    def does(self, each: Expression, node: ast.stmt, text: str = "") -> None:
        self.kernel.does.append(each)
        self.kernel.written.append(text or self.lines[node.lineno - 1].strip())


def _tiling(old: str, new: str) -> Iterator[Edit]:
    """Another loop nest: what else differs in the kernel's indices follows from it."""
    kinds = [_first(_KIND, each) for each in (old, new)]
    if kinds[0] != kinds[1]:
        persistent = "persistent_reduction"
        news = {persistent: "reduction is persistent now", kinds[0]: ""}.get(kinds[1], "")
        news = news or ("reduction is a loop now" if kinds[0] == persistent else "kernel is of another kind")
        yield edit(f"{news} (triton_heuristics.{kinds[0]} -> {kinds[1]})", "memory")
    tiles = [_tiles(each) for each in (old, new)]
    if len(tiles[0]) != len(tiles[1]):
        grids = [_first(re.compile(r"'grid_type': '(\w+)'"), each) for each in (old, new)]
        gone = ", ".join(f"no {name.upper()}BLOCK" for name in tiles[0] if name not in tiles[1])
        how = ", ".join(filter(None, [f"{grids[0]} -> {grids[1]}" if grids[0] != grids[1] else "", gone]))
        label = f"kernel is tiled in {len(tiles[1])}D instead of {len(tiles[0])}D"
        yield edit(f"{label}{f' ({how})' if how else ''}", "memory", key=label)


def _tiles(text: str) -> list[str]:
    found = _SIZES.search(text)
    return [] if found is None else [name for name in re.findall(r"'(\w+)':", found[1]) if name in ("x", "y", "z")]


def _first(pattern: re.Pattern[str], text: str) -> str:
    found = pattern.search(text)
    return found[1] if found else ""


def _metadata(old: str, new: str, tiled: bool) -> Iterator[Edit]:
    before, after = _entries(old), _entries(new)
    combo = "combo kernels: " if "combo_grid_meta" in {**before, **after} else ""
    for name in dict.fromkeys((*before, *after)):
        one, other = before.get(name), after.get(name)
        if one == other or not (has_effect(name, one or "None") or has_effect(name, other or "None")):
            continue
        follows = name in _BOOKS or (tiled and name in ("grid_type", "no_x_dim"))
        for text in _value_edits(name, one, other):
            yield edit(f"{combo}launch metadata {text}", "launch", follows=follows)
    hints = [_first(_HINT, each) for each in (old, new)]
    if hints[0] != hints[1]:
        yield edit(f"reduction hint {hints[0]} -> {hints[1]}", "launch", follows=tiled)
    sizes = [_first(_SIZES, each) for each in (old, new)]
    if sizes[0] != sizes[1]:
        yield edit(f"size_hints: {sizes[0]} -> {sizes[1]}", "launch", key="other sizes", follows=True)


def _value_edits(name: str, old: str | None, new: str | None) -> Iterator[str]:
    if old is not None and new is not None and "{" in old + new:
        try:
            before, after = ast.literal_eval(old), ast.literal_eval(new)
        except (ValueError, SyntaxError):
            before = after = None
        if isinstance(before, dict) and isinstance(after, dict):
            for key in dict.fromkeys((*before, *after)):
                one, other = (repr(each[key]) if key in each else None for each in (before, after))
                if one != other:
                    yield from _value_edits(f"{name}[{key!r}]", one, other)
            return
    if old is None:
        yield f"{name} = {new} is new"
    elif new is None:
        yield f"{name} = {old} is gone"
    else:
        yield f"{name}: {old} -> {new}"


def _entries(source: str) -> dict[str, str]:
    """The entries of a kernel's metadata; those before its first `def`."""
    found = {}
    for line in source.split("\n"):
        if line.startswith("def "):
            break
        entry = ENTRY.match(line.strip())
        if entry is not None:
            found[entry[1]] = entry[2]
    return found
