"""Python as logical lines of tokens, and as a dataflow graph, without names or needless order."""

from __future__ import annotations

import keyword
import re
from collections import deque
from collections.abc import Collection, Hashable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from pytest_compile_golden.common.digest import digest
from pytest_compile_golden.common.lines import split_lines
from pytest_compile_golden.formats.arithmetic import once

TOKEN = re.compile(
    r"""[rbfRBF]{0,2}(?:'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*")|\#.*|\.?\d(?:[\w.]|(?<=[eE])[+-])*|[A-Za-z_]\w*"""
    r"""|\*\*=?|//=?|<<=?|>>=?|[-+*/%&|^@=<>!:]=|->|\S"""
)
_KEYWORDS = frozenset(keyword.kwlist)


TEMPORARY = re.compile(r"\btmp\d+\b")
"""What a kernel calls a value that it computes on the way."""
MESSAGE = "index out of bounds"
"""Starts the message of a kernel's assertion, which repeats the condition including its names."""
BARRIER = "tl.debug_barrier()"
"""At which the threads of a block wait for each other."""
ALIAS = "\0=\0"
"""The text of a statement that gives a value another name."""
Form = tuple[Hashable, ...]


class StatementLine(NamedTuple):
    """A logical line: physical ones joined until all brackets are closed."""

    indent: int
    code: str
    """Without comments; several physical lines are joined with spaces."""
    lines: tuple[str, ...]


def logical(text: str) -> Iterator[StatementLine]:
    """The logical lines of `text`, without comments and empty lines."""
    depth, indent = 0, 0
    held: list[str] = []
    for line in split_lines(text):
        code, change = _physical(line)
        if not code:
            continue
        if not held:
            indent = len(line) - len(line.lstrip())
        held.append(code)
        depth += change
        if depth <= 0:
            yield StatementLine(
                indent, held[0] if len(held) == 1 else " ".join(held), tuple(held)
            )
            held, depth = [], 0
    if held:
        yield StatementLine(indent, " ".join(held), tuple(held))


@lru_cache(maxsize=1 << 15)
def _physical(line: str) -> tuple[str, int]:
    code = line.strip()
    if "#" in code or "'" in code or '"' in code:
        tokens = list(TOKEN.finditer(code))
        if tokens and tokens[-1][0].startswith("#"):
            code = code[: tokens.pop().start()].rstrip()
        brackets = [token[0] for token in tokens if len(token[0]) == 1]
        return code, sum(bracket in "([{" for bracket in brackets) - sum(
            bracket in ")]}" for bracket in brackets
        )
    opened = code.count("(") + code.count("[") + code.count("{")
    return code, opened - code.count(")") - code.count("]") - code.count("}")


class Statement(NamedTuple):
    """A logical line with a hole for each name that it may bind or read."""

    text: str
    names: tuple[str, ...]
    targets: int
    """How many of `names`, from the first, it binds; 0 for a statement that does not assign to names."""
    augmented: bool
    """Whether it also reads what it binds."""
    calls: tuple[str, ...]
    """The functions that it calls, and the methods with a dot: `helper`, `.store`."""


@lru_cache(maxsize=1 << 15)
def statement(code: str, modules: frozenset[str] = frozenset()) -> Statement:
    """Take a logical line apart; the names in `modules` are not values."""
    tokens = TOKEN.findall(once(code))
    depth, equals = 0, -1
    names: list[str] = []
    pieces: list[str] = []
    calls: list[str] = []
    targets = 0
    positions: list[int] = []  # indices of the names among the pieces
    for index, token in enumerate(tokens):
        first = token[0]
        if first.isidentifier() and token[-1] not in "'\"":
            after = tokens[index + 1] if index + 1 < len(tokens) else ""
            is_keyword = depth > 0 and after == "="
            is_attribute = index > 0 and tokens[index - 1] == "."
            if after == "(" and token not in _KEYWORDS:
                calls.append(f".{token}" if is_attribute else token)
            if token in _KEYWORDS:
                pieces.append(f" {token} ")
            elif is_keyword or is_attribute or token in modules:
                pieces.append(token)
            else:
                names.append(token)
                positions.append(len(pieces))
                pieces.append("\0")
            continue
        if first in "([{":
            depth += 1
        elif first in ")]}":
            depth -= 1
        elif first in "'\"" and MESSAGE in token:
            token = f'"{MESSAGE}"'
        elif (
            depth == 0
            and equals < 0
            and token[-1] == "="
            and token not in ("==", "<=", ">=", "!=")
        ):
            equals = len(pieces)
        pieces.append(token)
    if equals >= 0:
        targets = _bound(pieces[:equals])
        pieces[equals + 1 :] = _without_brackets(pieces[equals + 1 :])
    elif pieces and pieces[0] == " for ":
        targets = positions.index(1) + 1 if 1 in positions else 0
    augmented = equals >= 0 and pieces[equals] != "="
    return Statement("".join(pieces), tuple(names), targets, augmented, tuple(calls))


def _bound(left: list[str]) -> int:
    """How many names the left side of an assignment binds, without those in its annotation; 0 for `a[0]`."""
    before = left[: left.index(":")] if ":" in left and left[0] == "\0" else left
    if all(piece in ("\0", ",", "(", ")") for piece in before):
        return before.count("\0")
    return 0


def _without_brackets(pieces: list[str]) -> list[str]:
    """`pieces` without brackets around a whole expression, a whole argument or a single name or number."""
    if "(" not in pieces:
        return pieces
    opened: list[int] = []
    dropped: set[int] = set()
    for index, piece in enumerate(pieces):
        if piece in ("(", "[", "{"):
            opened.append(index)
        elif piece in (")", "]", "}") and opened:
            start = opened.pop()
            if piece == ")" and _needless(pieces, start, index):
                dropped |= {start, index}
    return (
        [piece for index, piece in enumerate(pieces) if index not in dropped]
        if dropped
        else pieces
    )


def _needless(pieces: list[str], start: int, end: int) -> bool:
    before = pieces[start - 1] if start else ""
    after = pieces[end + 1] if end + 1 < len(pieces) else ""
    if before and (
        before[-1].isalnum()
        or before in ("\0", ")", "]", "}", "_")
        or before[-1] in "_'\""
    ):
        return False  # a call
    inside = pieces[start + 1 : end]
    if len(inside) == 1:
        return inside[0] == "\0" or inside[0].isalnum()
    depth = 0
    for piece in inside:
        depth += (piece in ("(", "[", "{")) - (piece in (")", "]", "}"))
        if depth == 0 and piece in (",", ":=", " for ", " yield "):
            return False
    return (
        bool(inside)
        and before in ("", "(", "[", ",", "=")
        and after in ("", ")", "]", ",")
    )


class DataflowStep(NamedTuple):
    """One statement."""

    targets: tuple[str, ...]
    """The names that it binds."""
    text: str
    """The statement, with a hole for each name."""
    reads: tuple[str, ...]
    """The names that it reads, in the order of its text; a name that nothing binds stands for itself."""
    fixed: bool
    """Whether its position among the other fixed statements counts: it has an effect, or it is the result."""
    note: Hashable = None
    """What else counts: a type, or the effect that it comes after."""


def dataflow(inputs: Sequence[str], steps: Sequence[DataflowStep]) -> Form:
    """A form that is equal exactly for programs that differ only in names and in the order of independent statements.

    The walk starts from the inputs and from each fixed statement in turn; it numbers each name on first use and goes on
    to the statements that bind it. Since arguments are ordered, equal forms mean isomorphic graphs, and a shared
    subexpression differs from a repeated one.
    """
    walk = _Walk(inputs, steps)
    for index, step in enumerate(steps):
        if step.fixed:
            walk.visit(index)
    if len(walk.visited) < len(steps):
        _visit_unused(walk)
    return tuple(walk.found)


class _Walk:
    def __init__(self, inputs: Sequence[str], steps: Sequence[DataflowStep]) -> None:
        self.steps = steps
        self.numbers = {name: index for index, name in enumerate(inputs)}
        self.makers: dict[str, list[int]] = {}
        for index, step in enumerate(steps):
            for name in step.targets:
                self.makers.setdefault(name, []).append(index)
        self.versions = self._versions(inputs)
        self.visited: set[int] = set()
        self.found: list[Hashable] = []
        self.queue: deque[str] = deque(name for name in inputs if name in self.makers)

    def _versions(self, inputs: Collection[str]) -> dict[int, tuple[int, ...]]:
        """For names bound more than once: how many of their bindings come before each statement."""
        # Which of its values a statement reads or replaces depends on where it stands. Names that are bound once need
        # no version: for them, what binds them says everything.
        several = {
            name
            for name, makers in self.makers.items()
            if len(makers) > 1 or name in inputs
        }
        if not several:
            return {}
        bound = dict.fromkeys(several, 0)
        versions: dict[int, tuple[int, ...]] = {}
        for index, step in enumerate(self.steps):
            if not several.isdisjoint(step.reads) or not several.isdisjoint(
                step.targets
            ):
                versions[index] = tuple(
                    bound[name]
                    for name in (*step.targets, *step.reads)
                    if name in bound
                )
            for name in step.targets:
                if name in bound:
                    bound[name] += 1
        return versions

    def visit(self, index: int) -> None:
        self._emit(index)
        while self.queue:
            for maker in self.makers[self.queue.popleft()]:
                self._emit(maker)

    def _emit(self, index: int) -> None:
        if index in self.visited:
            return
        self.visited.add(index)
        step = self.steps[index]
        names = tuple([self._number(name) for name in (*step.targets, *step.reads)])
        self.found.append((step.text, step.note, names, self.versions.get(index)))

    def _number(self, name: str) -> int | str:
        number = self.numbers.get(name)
        if number is not None:
            return number
        if name not in self.makers:
            return name
        number = self.numbers[name] = len(self.numbers)
        self.queue.append(name)
        return number


def _visit_unused(walk: _Walk) -> None:
    """Statements whose values are unused still count; no walk orders them, so they are sorted by how they compute."""
    computed: dict[str, object] = {}
    unused: dict[int, str] = {}
    for index, step in enumerate(walk.steps):
        if index not in walk.visited:
            reads = tuple(
                walk.numbers.get(name, computed.get(name, name)) for name in step.reads
            )
            unused[index] = key = digest((step.text, step.note, reads))
            computed.update(
                (name, (key, position)) for position, name in enumerate(step.targets)
            )
    used = {
        name
        for index in unused
        for name in walk.steps[index].reads
        if name not in walk.steps[index].targets
    }
    ends = [index for index in unused if used.isdisjoint(walk.steps[index].targets)]
    for index in sorted(ends, key=unused.__getitem__) + sorted(
        unused, key=unused.__getitem__
    ):
        walk.visit(index)
