"""Changes of what becomes of operators on their way to kernels, as far as a trail has it."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from pytest_compile_golden.changes.change import Change, CodedChange, Counts, Topic, row
from pytest_compile_golden.changes.common_types import Simple
from pytest_compile_golden.changes.graphs import OperatorsChanged

_DRAWN = re.compile(r"\brandn?\b")
"""A call that draws random numbers, which others are made of."""
STORED, INLINED = "ComputedBuffer", "Pointwise"
"""Inductor's IR for a result with a buffer of its own, and for one that is computed where it is used."""
BY_STRIDES = "ReinterpretView"
"""For a view of a buffer, by other strides."""
CALLED = frozenset({"ExternKernelAlloc", "ExternKernelOut"})
"""And for one that a library computes."""
STRUCTURE = frozenset(
    {
        "input",
        "output",
        "getitem",
        "self",
        "higher_order.control_deps",
        "higher_order.with_effects",
        "prims._make_token",
        "prims._sink_tokens",
    }
)
"""What a graph is connected to others by, as inventories name it."""


@dataclass(frozen=True)
class Decomposition:
    """What one operator is decomposed into, on both sides; empty where it is not decomposed."""

    operator: str
    before: Counts
    """Operators, or several lists of them, with how often each came about."""
    after: Counts

    @property
    def different(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The lists of operators that it is no longer, and newly, decomposed into."""
        before, after = dict(self.before), dict(self.after)
        return tuple(name for name in before if name not in after), tuple(
            name for name in after if name not in before
        )

    @property
    def more_often(self) -> tuple[Counter[str], Counter[str]]:
        """The lists of operators that fewer and more calls are decomposed into."""
        before, after = Counter(dict(self.before)), Counter(dict(self.after))
        return before - after, after - before

    @property
    def instead(self) -> tuple[Counts, Counts] | None:
        """The operators that are gone from the decomposition, and those that are new; None if no call has another."""
        lists = self.different if all(self.different) else self.more_often
        gone, come = (list(map(_operators, side)) for side in lists)
        if not gone or not come:
            return None
        # Of calls that become different things, those that are most alike on both sides.
        sides = min(
            ((old - new, new - old) for old in gone for new in come),
            key=lambda pair: pair[0].total() + pair[1].total(),
        )
        # How constants and parts of lists get there depends on the device, and follows from what uses them; what is
        # asked of sizes computes nothing.
        computed = [
            {name: times for name, times in side.items() if not _is_brought(name)}
            for side in sides
        ]
        gone_now, come_now = computed if any(computed) else sides
        return tuple(gone_now.items()), tuple(come_now.items())

    @property
    def computes_otherwise(self) -> tuple[frozenset[str], frozenset[str]]:
        """The names of the operators that it no longer, and newly, computes something by."""
        sides = [
            {name for each in side for name in _operators(each)}
            for side in self.different
        ]
        gone, come = (
            frozenset(name for name in side if not _is_brought(name)) for side in sides
        )
        return gone - come, come - gone


def _is_brought(operator: str) -> bool:
    """Whether it computes none of the values: constants, parts of lists, and what is asked of sizes."""
    name = operator.removesuffix(".default")
    return name in ("lift_fresh_copy", "prims.device_put") or name.startswith(
        ("_tensor_constant", "operator.", "sym_", "torch.sym_")
    )


def _operators(listed: str) -> Counter[str]:
    names: Counter[str] = Counter()
    for operator in listed.split(", "):
        name, _, times = operator.partition(" x")
        names[name] += int(times or 1)
    return names


def _in_graphs(operators: Counts) -> Counts:
    """Without their overloads, as changes of graphs name them."""
    return tuple(
        sorted((f"aten.{name.partition('.')[0]}", times) for name, times in operators)
    )


class DecompositionsChanged(
    Change,
    code="decomposed-differently",
    kind="decision",
    topic="operators",
    anywhere=True,
):
    """Operators are decomposed into others than before."""

    main: Decomposition
    also: tuple[Decomposition, ...] = ()
    """Others that changed together with it."""

    @property
    def topic(self) -> Topic:
        draws = [
            any(_DRAWN.search(calls) for calls, _ in side)
            for side in (self.main.before, self.main.after)
        ]
        return "random" if draws[0] != draws[1] else self.row.topic

    @property
    def key(self) -> str:
        # A graph shows the same where nothing says how operators are decomposed.
        if self.also or self.main.instead is None:
            return super().key
        gone, come = map(_in_graphs, self.main.instead)
        return OperatorsChanged("operators-changed", gone, come).key

    @property
    def identity(self) -> tuple[object, ...]:
        different = self.main.instead or self.main.different
        return self.main.operator, *different, [each.operator for each in self.also]

    @property
    def names(self) -> tuple[str, ...]:
        called = {
            name
            for calls, _ in (*self.main.before, *self.main.after)
            for name in calls.split(", ")
        }
        return (*self.main.operator.split("."), *sorted(called))


class BecameOther(CodedChange):
    """Something becomes other things than before."""

    subject: str
    before: Counts
    after: Counts
    also: tuple[str, ...] = ()
    """What else becomes other things."""
    by: str = ""
    """The function that decides, if the code does not say it."""

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts of the operator's name: `aten`, `mul`, `Tensor`."""
        return tuple(self.subject.split("."))

    @property
    def is_restrided(self) -> bool:
        """Whether views by strides take the place of other nodes, or the other way round."""
        before, after = (
            dict(side).get(BY_STRIDES, 0) for side in (self.before, self.after)
        )
        return before != after

    @property
    def others(self) -> list[str]:
        """What else becomes other things, in whichever order a graph has it."""
        return sorted(self.also)


row(
    "lowered-differently",
    BecameOther,
    "decision",
    "operators",
    "An operator is lowered to other nodes.",
    same_by=("subject", "before", "after", "others"),
    named_by=("parts",),
)
row(
    "launch-offered",
    BecameOther,
    "decision",
    "launch",
    "A kernel is offered other launch configurations.",
    same_by=("subject", "before", "after", "by", "also"),
)


class ResultsStored(
    Change,
    code="results-stored",
    kind="decision",
    topic="fusion",
    anywhere=True,
):
    """Results are stored instead of inlined where they are used, or the other way round."""

    operators: tuple[str, ...]
    """Those that compute the results, together if there are several."""
    times: int
    stored: bool
    contrary: tuple[str, ...] = ()
    """Those of which fewer results are the other way round."""
    within_kernels: bool = False
    """Whether all that read them are fused with what computes them, so that they are in no memory."""

    @property
    def identity(self) -> tuple[object, ...]:
        return (self.stored, *(["within kernels"] if self.within_kernels else ()))

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(
            part for operator in self.operators for part in operator.split(".")
        )


class ContentsChanged(
    Change, code="contents-changed", kind="decision", topic="operators"
):
    """A step of which only an inventory is kept holds other things, or more or fewer of them."""

    step: str
    gone: Counts = ()
    come: Counts = ()
    """What replaced the things that are gone; only if some are."""
    counted: tuple[tuple[str, int, int], ...] = ()
    """Things of which there are more or fewer, before and now."""
    arguments: tuple[str, ...] = ()
    """If there are as many of each, those whose arguments or types differ."""
    viewed: tuple[str, ...] = ()
    """Of views, what they are of, if a later graph shows it: operators, or INPUT."""

    @property
    def things(self) -> list[str]:
        """What there are more or fewer of."""
        return [
            *(name for name, _ in (*self.gone, *self.come)),
            *(name for name, _, _ in self.counted),
        ]

    @property
    def exchanged(self) -> tuple[Counts, Counts]:
        """What there is less of, and what there is more of, each with how many."""
        each = [
            *((name, times, 0) for name, times in self.gone),
            *((name, 0, times) for name, times in self.come),
            *self.counted,
        ]
        fewer, more = (
            tuple(
                sorted(
                    (name, abs(after - before))
                    for name, before, after in each
                    if (after > before) == is_more
                )
            )
            for is_more in (False, True)
        )
        return fewer, more

    @property
    def is_structure(self) -> bool:
        """Whether only what holds graphs together differs, and not just their inputs and outputs: elements of results,
        and calls of graphs that keep others in order. An inventory does not tell what is computed otherwise."""
        names = {*self.things}
        return names <= STRUCTURE and not names <= {"input", "output"}

    @property
    def identity(self) -> tuple[object, ...]:
        # Whether all of a kind are gone depends on what else a case has of it.
        fewer, more = ([name for name, _ in side] for side in self.exchanged)
        return self.step, fewer, more, self.arguments[:1]


class SizeChanged(Change, code="size-changed", kind="decision", topic="operators"):
    """A step of which only a digest is kept."""

    step: str
    before: str
    """`6 nodes`; empty if there was none."""
    after: str

    @property
    def more(self) -> int:
        """How many more items it has; 0 if that is not known."""
        numbers = [
            int(text.partition(" ")[0]) if text else 0
            for text in (self.before, self.after)
        ]
        return numbers[1] - numbers[0] if self.before and self.after else 0

    @property
    def identity(self) -> tuple[object, ...]:
        return self.step, (self.more > 0) - (self.more < 0)


class StageGone(
    Change, code="stage-gone", kind="decision", topic="lost", same_by=("stage",)
):
    """A compile no longer has a stage."""

    stage: str
    also: tuple[str, ...] = ()


class StageChanged(Change, code="stage-changed", same_by=("stage", "about")):
    """A stage about which no more is known than how deep its change goes."""

    stage: str
    about: str = ""
    numbers: tuple[tuple[str, object, object], ...] = ()
    """Numbers that differ, before and now."""


class ProgramChanged(Change, code="program-changed", kind="code", topic="program"):
    """The program under test, or what it is given, is not the same."""

    what: str
    """`program` or `inputs`."""
    difference: str


def not_unpacked() -> Simple:
    """Calls of a library give their only result directly, whichever lowering calls it."""
    return Simple("not-unpacked", where="torch/_inductor/ir.py:FallbackKernel.create")
