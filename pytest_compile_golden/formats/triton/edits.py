"""How Triton kernels changed, as a reader sees it: their launch, and what they do."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from pytest_compile_golden.changes import kernels
from pytest_compile_golden.changes.change import NOTED, Change
from pytest_compile_golden.changes.common_types import (
    AttributeChanged,
    NewOrGone,
    NumberChanged,
    Replaced,
)
from pytest_compile_golden.changes.lines import Rewritten
from pytest_compile_golden.common import digest
from pytest_compile_golden.common.regular_expressions import without_numbers
from pytest_compile_golden.formats.arithmetic import once
from pytest_compile_golden.formats.canonical_text import arguments
from pytest_compile_golden.formats.expression_edits import ValueComparison
from pytest_compile_golden.formats.expressions import Expression, Values
from pytest_compile_golden.formats.inductor_module import Piece
from pytest_compile_golden.formats.inductor_names import INDICES, SIZES, kind_of
from pytest_compile_golden.formats.kernel_metadata import (
    STRING,
    entries,
    has_effect,
    normalised,
)
from pytest_compile_golden.formats.line_edits import line_edits
from pytest_compile_golden.formats.statement_edits import (
    Statements,
    by_purpose,
    statements_changed,
    unmatched,
)
from pytest_compile_golden.formats.statements import ALIAS, BARRIER
from pytest_compile_golden.formats.triton.triton_kernels import (
    form,
    read,
    without_idle_barriers,
)

# With more rewritten values than this, it is another kernel.
_MOST_REWRITTEN = 2
_HEURISTIC = "@triton_heuristics."
_OF_USER = "user_autotune"
"""The heuristic of kernels that Inductor does not write."""
_DIVISIBLE = "tt.divisibility"
"""What Triton is told of an argument that is a multiple of 16 (torch/_inductor/codegen/triton_utils.py: config_of)."""
_COUNTED = frozenset({"program_id", "arange"})
"""The functions of `tl` that number the elements of a kernel."""
_NAME = re.compile(r"[A-Za-z_]\w*")
_KERNEL = "kernel"
"""What a kernel is called in changes, whose own name says what is fused in it."""
_HINTS = "autotune_hints"
_BY_ROW = "SCALAR_ACCUMULATORS"
"""The hint of a loop that reduces each block before it is accumulated (torch/_inductor/codegen/triton.py:
TritonKernel.use_scalar_accumulators)."""
_REDUCES = re.compile(
    r"\btl\.(?:full|zeros|sum|min|max)\(|\btriton_helpers\.(?:online_softmax|f?m(?:ax|in)2|prod|any|xor|m(?:ax|in)_with)"
)
"""What sets up accumulators and reduces a block of them (torch/_inductor/runtime/triton_helpers.py)."""
# Entries that follow from what the kernel does or from its size.
_BOOKS = frozenset(
    {
        "signature",
        "configs",
        "constants",
        "num_load",
        "num_store",
        "num_reduction",
        "mutated_arg_names",
    }
)


@dataclass(frozen=True)
class KernelLaunch:
    """How a kernel is launched, as its decorator says."""

    text: str
    kind: str
    """`pointwise`, `reduction`, `persistent_reduction` ...; empty if the decorator is not one of Inductor's."""
    hint: str
    """`INNER`"""
    sizes: str
    """`{'x': 1024}`"""
    entries: Mapping[str, str]
    """Of `triton_meta` and `inductor_meta`."""

    @property
    def tiles(self) -> list[str]:
        """The dimensions of its grid of blocks."""
        return [name for name in STRING.findall(self.sizes) if name in ("x", "y", "z")]


class _WithoutIndexType(ast.NodeTransformer):
    """Takes off the casts to the type in which a kernel numbers its elements (torch/_inductor/codegen/triton.py:
    iteration_ranges_get_pid and iteration_ranges_ranges_code)."""

    def __init__(self) -> None:
        self.type = "tl.int32"

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        match node:
            case ast.Call(func=ast.Attribute(attr="to", value=given), args=[type]) if (
                any(
                    isinstance(part, ast.Attribute) and part.attr in _COUNTED
                    for part in ast.walk(given)
                )
            ):
                self.type = ast.unparse(type)
                return given
        return node


class TritonKernel:
    """One kernel, or a function that kernels call: what it does, with each name replaced by what it stands for."""

    def __init__(self, node: ast.FunctionDef, lines: list[str]) -> None:
        """lines: those of the text that the function is in."""
        self.name = _KERNEL if node.name.startswith("triton_") else node.name
        self.parameters = [argument.arg for argument in node.args.args]
        self.lines = lines[node.body[0].lineno - 1 : node.end_lineno]
        """The whole body."""
        self.statements = Statements()
        numbered = _WithoutIndexType()
        node = numbered.visit(node)
        self.index_type = numbered.type
        """In which it numbers its elements."""
        self._text = lines
        self._values = Values(lambda name: (name, kind_of(name) in SIZES))
        scope: dict[str, Expression] = {}
        # The arguments of a function that kernels call are values, like those that a kernel computes.
        for name in self.parameters:
            if kind_of(name) == "value":
                scope[name] = self._values.make(name)
                scope[name].alias = name
        self._run(node.body, scope)

    def _run(self, body: Sequence[ast.stmt], scope: dict[str, Expression]) -> None:
        for node in body:
            self._statement(node, scope)

    def _statement(self, node: ast.stmt, scope: dict[str, Expression]) -> None:
        make, value = self._values.make, self._values.value
        match node:
            case (
                ast.Assign(targets=[target, *_], value=ast.expr() as given)
                | ast.AnnAssign(target=target, value=ast.expr() as given)
            ):
                self._bind(target, value(given, scope), scope, node)
            case ast.AugAssign(target=target, op=operator, value=given):
                self._bind(
                    target,
                    value(ast.BinOp(target, operator, given), scope),
                    scope,
                    node,
                )
            case ast.Expr(value=given) if not isinstance(given, ast.Constant):
                self._does(value(given, scope), node)
            case ast.Return(value=ast.expr() as given):
                self._does(make("return", value(given, scope)), node)
            case ast.For(target=target, iter=given):
                self._does(make("for", value(given, scope)), node)
                self._bind(target, make("each", value(given, scope)), scope, node)
                self._run(node.body, scope)
            case ast.While(test=given):
                self._does(make("while", value(given, scope)), node)
                self._run(node.body, scope)
            case ast.If(test=given):
                self._does(make("branch", value(given, scope)), node)
                before = dict(scope)
                self._run(node.body, scope)
                if node.orelse:
                    self._does(make("else"), node, "else:")
                    self._run(node.orelse, before)
                    scope.update(
                        {
                            name: bound
                            for name, bound in before.items()
                            if name not in scope
                        }
                    )

    def _bind(
        self,
        target: ast.expr,
        value: Expression,
        scope: dict[str, Expression],
        node: ast.stmt,
    ) -> None:
        if isinstance(target, ast.Name):
            # Only for showing it: values are compared by how they are computed. Of the steps of an index, only those
            # that Inductor names as one (`xindex`) are worth a name.
            if not value.alias and (
                kind_of(target.id) in INDICES or not value.is_index
            ):
                value.alias = target.id
            scope[target.id] = value
        elif isinstance(target, ast.Tuple):
            for index, element in enumerate(target.elts):
                self._bind(
                    element, self._values.make(f"result {index}", value), scope, node
                )
        else:
            self._does(
                self._values.make("=", self._values.value(target, scope), value), node
            )

    def _does(self, expression: Expression, node: ast.stmt, text: str = "") -> None:
        self.statements.add(expression, text or self._text[node.lineno - 1].strip())


class PieceOfTriton:
    """What is compared of a kernel and of the functions beside it that it calls."""

    def __init__(self, piece: Piece) -> None:
        source = without_idle_barriers(piece.source)
        self.launch = launch(piece.source)
        self.functions = _functions(source)
        """By name; None if the source is not valid Python."""
        self.idle_barriers = piece.source.count(BARRIER) - source.count(BARRIER)
        """How often threads wait for each other where nothing that is written is read."""
        lines = [line for function in read(source) for line in function.statements]
        self.shares_body = any(
            line.text == ALIAS and kind_of(line.names[1]) == "pointer" for line in lines
        )
        """Whether it has branches, each of which only says which of the kernel's tensors the body after it is about."""
        self.loads = sum(".load" in line.calls for line in lines)


def kernel_edits(old: Piece, new: Piece) -> list[Change] | None:
    """The edits of one kernel; None if a side is not valid Python."""
    if form(old.source) == form(new.source):
        return []
    before, after = PieceOfTriton(old), PieceOfTriton(new)
    if before.functions is None or after.functions is None:
        return None
    # From the outside in: the launch, the parameters, then what the functions do. What comes later mostly follows from
    # what came before, and is marked so, not left out: with it, the edits account for every line that differs.
    tiled: list[Change] = []
    edits: list[Change] = []
    if bool(before.launch.kind) == bool(after.launch.kind):
        tiled = list(tiling(before.launch, after.launch))
        edits += [*tiled, *metadata(before.launch, after.launch, bool(tiled))]
    else:  # a decorator that is not known says nothing about loops, and is shown as it is
        edits += line_edits(before.launch.text, after.launch.text, "#")
    if before.idle_barriers != after.idle_barriers:
        edits.append(
            NewOrGone("idle-barrier", (), after.idle_barriers > before.idle_barriers)
        )
    if len(before.functions) == len(after.functions) == 1:
        pairs = list(
            zip(before.functions.values(), after.functions.values(), strict=True)
        )
    else:
        pairs = [
            (one, after.functions[name])
            for name, one in before.functions.items()
            if name in after.functions
        ]
    grown: set[str] = set()
    for one, other in pairs:
        for change in _parameters(one, other):
            edits.append(change)
            grown |= {
                one.name,
                *(name for name in other.parameters if name not in one.parameters),
            }
    index_types = next(
        (
            (one.index_type, other.index_type)
            for one, other in pairs
            if one.index_type != other.index_type
        ),
        None,
    )
    if index_types is not None:
        edits.append(Replaced("index-type", *index_types))
    # A loop nest of another kind is another kernel: the changes of its values follow from that.
    rewritten = bool(tiled) and before.launch.kind != after.launch.kind
    for one, other in pairs:
        changed = (
            function_edits(one, other, bool(tiled)) if one.lines != other.lines else []
        )
        # Passing a new parameter to a function, and its use there, follow from adding it.
        edits += [
            change.following(
                rewritten
                or not grown.isdisjoint(_named_in(change))
                or (index_types is not None and isinstance(change, kernels.IndexCast))
            )
            for change in changed
        ]
    if before.shares_body != after.shares_body:
        body = (change.following(change.code != "launch-metadata") for change in edits)
        edits = [NewOrGone("body-shared", (), after.shares_body), *body]
    by_row = [
        _BY_ROW in side.launch.entries.get(_HINTS, "") for side in (before, after)
    ]
    if by_row[0] != by_row[1]:
        reduced = (
            change.following(change.code == "block-shape" or _is_of_reduction(change))
            for change in edits
        )
        edits = [NewOrGone("accumulators-by-row", (), by_row[1]), *reduced]
    again = [_is_repeated(change, before, after) for change in edits]
    if before.loads != after.loads and all(
        repeated
        or change.follows
        or change.kind in NOTED
        # How an index is cast loads nothing.
        or isinstance(change, kernels.IndexCast)
        for change, repeated in zip(edits, again, strict=True)
    ):
        edits = [
            change.following(repeated)
            for change, repeated in zip(edits, again, strict=True)
        ]
        edits.append(NewOrGone("loads-repeated", (), after.loads > before.loads))
    if any(change.kind == "code" and not change.follows for change in edits):
        # Metadata about what the code does is news only if that is the same.
        edits = [
            change.following(
                isinstance(change, AttributeChanged) and change.name == _HINTS
            )
            for change in edits
        ]
    return edits


def _named_in(change: Change) -> set[str]:
    """The functions that a change is about; of a value, everything that it names."""
    if isinstance(change, kernels.ValueChanged):
        return set(_NAME.findall(f"{change.before} {change.after}"))
    return set(change.names)


def _is_of_reduction(change: Change) -> bool:
    """Whether it is a value that is reduced, or that accumulates what is."""
    return isinstance(change, kernels.ValueChanged) and any(
        map(_REDUCES.search, (change.before, change.after))
    )


def _is_repeated(change: Change, before: PieceOfTriton, after: PieceOfTriton) -> bool:
    """Whether it is a check more of what is loaded again, or one less, which both kernels have of such a value."""
    if (
        not isinstance(change, kernels.StatementsChanged)
        or change.code != "runtime-checks"
    ):
        return False
    known = set.intersection(
        *(
            {
                without_numbers(line.strip())
                for function in (piece.functions or {}).values()
                for line in function.lines
            }
            for piece in (before, after)
        )
    )
    return all(without_numbers(line) in known for line in (*change.gone, *change.come))


def function_edits(
    old: TritonKernel, new: TritonKernel, follows: bool = False
) -> list[Change]:
    """The edits of what a function does. `follows`: changed indices, and lines added or removed, belong to an edit that
    is already reported."""
    comparison = ValueComparison(
        indices_follow=follows, sides=(old.statements.does, new.statements.does)
    )
    gone, come = unmatched(old.statements, new.statements, comparison)
    comparison.found += (
        statements_changed(*part, _outline, follows=follows)
        for part in by_purpose(gone, come)
    )
    if sum(not each.is_notation for each in comparison.rewritten) > _MOST_REWRITTEN:
        return _as_one(old, new, comparison, follows)
    branches = any(
        line.startswith(("if ", "elif ", "else", "for ", "while "))
        for line in (*gone, *come)
    )
    # In other branches, other values are computed.
    edits = comparison.edits(branches)
    return [
        change.following(branches and isinstance(change, kernels.ValueChanged))
        for change in edits
    ]


def _as_one(
    old: TritonKernel, new: TritonKernel, comparison: ValueComparison, follows: bool
) -> list[Change]:
    """For a kernel that is mostly rewritten: that it is, since changes of single values or lines say nothing."""
    kept = [change for change in comparison.found if change not in comparison.rewritten]
    same = digest.short(
        [[without_numbers(line) for line in kernel.lines] for kernel in (old, new)]
    )
    lines: list[Change] = [
        Rewritten(len(old.lines), len(new.lines), same, follows=follows)
    ]
    return lines + [change.following(bool(comparison.rewritten)) for change in kept]


def _outline(line: str) -> str:
    called, bracket, _ = line.partition("(")
    return without_numbers(called + bracket)


def _parameters(old: TritonKernel, new: TritonKernel) -> Iterator[Change]:
    gone = [name for name in old.parameters if name not in new.parameters]
    come = [name for name in new.parameters if name not in old.parameters]
    for gained, names in ((False, gone), (True, come)):
        named = [name for name in names if kind_of(name) not in ("pointer", *SIZES)]
        if named:
            yield NewOrGone("kernel-parameters", tuple(named), gained, old.name)


@lru_cache(maxsize=512)
def _functions(source: str) -> dict[str, TritonKernel] | None:
    try:
        tree = ast.parse(once(source))
    except SyntaxError:
        return None
    lines = source.split("\n")
    functions = [
        TritonKernel(node, lines)
        for node in tree.body
        if isinstance(node, ast.FunctionDef)
    ]
    return {function.name: function for function in functions}


def tiling(old: KernelLaunch, new: KernelLaunch) -> Iterator[Change]:
    """A change of loop nest; other differences in the kernel's indices follow from it."""
    if old.kind != new.kind:
        yield Replaced("loop-nest", old.kind, new.kind)
    if len(old.tiles) != len(new.tiles):
        gone = tuple(
            f"{name.upper()}BLOCK" for name in old.tiles if name not in new.tiles
        )
        before, after = (
            side.entries.get("grid_type", "").strip("'") for side in (old, new)
        )
        grids = (before, after) if before != after else None
        yield kernels.TilingChanged(len(old.tiles), len(new.tiles), grids, gone)


def launch(source: str) -> KernelLaunch:
    """How a piece's kernel is launched."""
    heads = [
        head
        for function in read(source)
        if function.is_kernel
        for head in function.decorators
    ]
    lines = [line for head in heads for line in head.lines if line != "@triton.jit"]
    kinds = [line for line in lines if line.startswith(_HEURISTIC)]
    kind = kinds[0].removeprefix(_HEURISTIC).rstrip("(") if kinds else ""
    given = dict(
        one.split("=", 1) for line in lines for one in arguments(line) if "=" in one
    )
    hint = given.get("reduction_hint", "").rpartition(".")[2]
    return KernelLaunch(
        "\n".join(lines), kind, hint, given.get("size_hints", ""), entries(lines)
    )


def metadata(old: KernelLaunch, new: KernelLaunch, tiled: bool) -> Iterator[Change]:
    """Changes to a kernel's decorator. `tiled`: `tiling` reports an edit that some of them follow from."""
    before, after = (
        {name: normalised(name, side.entries[name]) for name in side.entries}
        for side in (old, new)
    )
    combo = "combo" if "combo_grid_meta" in {**before, **after} else ""
    for name in dict.fromkeys((*before, *after)):
        was, now = before.get(name), after.get(name)
        if was == now or not any(
            value is not None and has_effect(name, value) for value in (was, now)
        ):
            continue
        follows = name in _BOOKS or (tiled and name in ("grid_type", "no_x_dim"))
        told = [(value or "").count(_DIVISIBLE) for value in (was, now)]
        if (
            name == "configs"
            and told[0] != told[1]
            and before.get("signature") == after.get("signature")
        ):
            yield NumberChanged("divisible-arguments", told[0], told[1], follows=tiled)
            continue
        values = list(_values(name, was, now))
        if name == "signature" and old.kind == new.kind == _OF_USER:
            yield from _argument_types(values)
            continue
        for entry, old_value, new_value in values:
            yield AttributeChanged(
                "launch-metadata", combo, entry, old_value, new_value, follows=follows
            )
    if old.hint != new.hint:
        yield Replaced("reduction-hint", old.hint, new.hint, follows=tiled)
    if old.sizes != new.sizes:
        yield Replaced("size-hints", old.sizes, new.sizes, follows=True)


def _argument_types(
    values: Iterable[tuple[str, str | None, str | None]],
) -> Iterator[Change]:
    """The types with which a kernel of the user's is given its arguments, all that changed alike as one."""
    alike: dict[tuple[str | None, str | None], list[str]] = {}
    for entry, was, now in values:
        alike.setdefault((was, now), []).extend(STRING.findall(entry))
    for (was, now), names in alike.items():
        if was is None or now is None:
            # An argument that is new or gone shows in the kernel itself.
            continue
        yield AttributeChanged(
            "argument-type", "", ", ".join(names), was.strip("'"), now.strip("'")
        )


def _values(
    name: str, old: str | None, new: str | None
) -> Iterator[tuple[str, str | None, str | None]]:
    """The entries of a value that differ, if it is a dictionary; else the value."""
    if old is not None and new is not None and "{" in old + new:
        try:
            before, after = ast.literal_eval(old), ast.literal_eval(new)
        except (ValueError, SyntaxError):
            before = after = None
        if isinstance(before, dict) and isinstance(after, dict):
            for key in dict.fromkeys((*before, *after)):
                was, now = (
                    repr(side[key]) if key in side else None for side in (before, after)
                )
                if was != now:
                    yield from _values(f"{name}[{key!r}]", was, now)
            return
    yield name, old, new
