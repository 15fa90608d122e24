"""Statements as a dataflow graph: a form that ignores names and the order of independent statements."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Hashable, Sequence
from typing import NamedTuple

from pytest_compile_golden.formats.digest import digest

Form = tuple[Hashable, ...]


class Step(NamedTuple):
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


def dataflow(inputs: Sequence[str], steps: Sequence[Step]) -> Form:
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


def keys(inputs: Sequence[str], steps: Sequence[Step]) -> dict[str, int]:
    """For each name, a hash of how its value is computed from the inputs; valid within one process."""
    hashes: dict[str, int] = {name: index for index, name in enumerate(inputs)}
    for step in steps:
        key = hash((step.text, tuple(hashes.get(name, name) for name in step.reads)))
        for index, name in enumerate(step.targets):
            hashes[name] = hash((key, index, hashes.get(name)))
    return hashes


class _Walk:
    def __init__(self, inputs: Sequence[str], steps: Sequence[Step]) -> None:
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
        several = {name for name, makers in self.makers.items() if len(makers) > 1 or name in inputs}
        if not several:
            return {}
        bound = dict.fromkeys(several, 0)
        versions: dict[int, tuple[int, ...]] = {}
        for index, step in enumerate(self.steps):
            if not several.isdisjoint(step.reads) or not several.isdisjoint(step.targets):
                versions[index] = tuple(bound[name] for name in (*step.targets, *step.reads) if name in bound)
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
            reads = tuple(walk.numbers.get(name, computed.get(name, name)) for name in step.reads)
            unused[index] = key = digest((step.text, step.note, reads))
            computed.update((name, (key, position)) for position, name in enumerate(step.targets))
    used = {name for index in unused for name in walk.steps[index].reads if name not in walk.steps[index].targets}
    ends = [index for index in unused if used.isdisjoint(walk.steps[index].targets)]
    for index in sorted(ends, key=unused.__getitem__) + sorted(unused, key=unused.__getitem__):
        walk.visit(index)
