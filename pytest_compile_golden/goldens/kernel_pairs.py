"""The kernels of a case before and after, paired: what each computes, reads and writes, and costs.

A name pairs few of them: it has the operators that were fused, and a number that shifts with the kernels before it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import PurePosixPath

from pytest_compile_golden.common.digest import digest
from pytest_compile_golden.facts.costs import KernelCost
from pytest_compile_golden.facts.schedules import Group, Schedule
from pytest_compile_golden.formats.canonical_text import short
from pytest_compile_golden.formats.costs import COST, listed
from pytest_compile_golden.formats.format import Unreadable
from pytest_compile_golden.formats.inductor_module import KernelsFormat
from pytest_compile_golden.formats.schedules import printed, provenance
from pytest_compile_golden.formats.schedules.form import form
from pytest_compile_golden.goldens.compare_artifact import Compared
from pytest_compile_golden.stages import stage_of

# What a group becomes that is no kernel: a library call, or nothing, as a buffer that others write into.
_NOTHING = ("nop", "unpack", "concat")

Operations = frozenset[tuple[int, str]]
"""Operations by section and name."""


@dataclass(frozen=True)
class SideKernel:
    """A kernel of one graph with all its launches, or the library calls that compute the same, on one side."""

    kind: str
    """Empty if it is not known what the kernel computes."""
    name: str
    """Empty for a library call, or if it could be any of several kernels."""
    launches: int | None
    bytes: int | None
    """Read and written by all launches. Like all costs, None if the stage `cost` was not recorded."""
    flops: int | None
    least_ns: int | None
    does: Hashable
    """Equal for kernels that do the same thing, whatever their names."""
    operators: Counter[str]
    """Of the post-grad graph, with how often it computes them."""
    groups: tuple[Group, ...] = ()
    """Of the schedule; those of its first launch come first."""
    costs: tuple[KernelCost | None, ...] = ()
    """What each of the groups costs, as far as that is known."""
    operations: Operations = frozenset()
    runs_loops: bool = False
    """Whether each launch runs the loops of several groups, as of a C++ kernel."""
    apart: tuple[tuple[Operations, str], ...] = ()
    """The pairs of the graph's operations that were not fused, each with torch's reason."""

    @property
    def works(self) -> list[str]:
        """What each of its groups computes from what, in the order in which they run."""
        return list(map(_work, self.groups))

    @property
    def work(self) -> list[str]:
        """Equal for kernels of groups that compute the same from the same."""
        return sorted(self.works)

    @property
    def accesses(self) -> list[str]:
        """Equal for kernels of groups that read and write the same in the same way, whatever they compute."""
        return sorted(map(_form, self.groups))

    @property
    def calls(self) -> str:
        """What is called; empty for a kernel."""
        kinds = {
            operation.kind for group in self.groups for operation in group.operations
        }
        return (
            ", ".join(sorted(kinds))
            if all(kind.startswith("extern ") for kind in kinds)
            else ""
        )

    @property
    def title(self) -> str:
        """Its name; for a library call, what it computes."""
        return self.name or ", ".join(map(short, self.operators))


@dataclass
class _Graph:
    """What is known about one graph."""

    groups: list[Group] = field(default_factory=list)
    section: list[int] = field(default_factory=list)
    """The index of each group's section."""
    apart: list[tuple[Operations, str]] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    loops: set[str] = field(default_factory=set)
    """The names of C++ kernels, of which each launch runs the loops of several groups."""
    sources: list[Hashable] = field(default_factory=list)
    costs: list[KernelCost] = field(default_factory=list)


# A case asks for them once for its changes, and once for its numbers.
@lru_cache(maxsize=16)
def side_kernels(
    artifacts: tuple[tuple[str, str, str, str], ...],
) -> dict[str, list[SideKernel]]:
    """The kernels and calls of each graph, in the order in which they first run. Raises Unreadable.

    A kernel without evidence of the groups that became it is only a name. artifacts: file name, stage, text and
    evidence. If a case has several artifacts of one stage, graph names are prefixed with the artifact's name:
    `decode.graph_0`.
    """
    graphs: dict[str, _Graph] = {}
    for file, stage, text, evidence in artifacts:
        prefix = PurePosixPath(file).stem.removeprefix(stage).removeprefix(".")
        prefix += "." if prefix else ""
        kernels = stage_of(stage, "").format
        if not text:
            continue
        if stage == "scheduler_nodes":
            for number, section in enumerate(provenance.read(text, evidence)):
                _schedule(
                    graphs.setdefault(prefix + section.label, _Graph()), number, section
                )
        elif stage == "cost":
            for costs in COST.read(text):
                graphs.setdefault(prefix + costs.name, _Graph()).costs += costs.kernels
        elif isinstance(kernels, KernelsFormat):
            for piece in kernels.read(text):
                if piece.kernel is not None:
                    graph = graphs.setdefault(prefix + piece.graph, _Graph())
                    graph.names.append(piece.kernel)
                    if stage == "cpp_code":
                        graph.loops.add(piece.kernel)
                    # That of a format of a user's own may be a list.
                    form_of: object = kernels.canonical(kernels.write([piece]))
                    graph.sources.append(
                        tuple(form_of) if isinstance(form_of, list) else form_of
                    )
    return {label: list(_kernels(graph)) for label, graph in graphs.items()}


def _schedule(graph: _Graph, number: int, section: Schedule) -> None:
    graph.groups += section.groups
    graph.section += [number] * len(section.groups)
    for pair in section.apart or ():
        # A group that had already been fused is named after its members, joined.
        both = frozenset(
            (number, name) for name in (*pair.first.split("_"), *pair.second.split("_"))
        )
        graph.apart.append((both, pair.reason))


def _kernels(graph: _Graph) -> Iterator[SideKernel]:
    numbers = {name: number for number, name in enumerate(graph.names)}
    members: dict[int | str, list[int]] = {}
    for at, group in enumerate(graph.groups):
        if group.kernel in numbers:
            members.setdefault(numbers[group.kernel], []).append(at)
        elif "extern" in group.kind or not (
            numbers or any(kind in group.kind for kind in _NOTHING)
        ):
            # Calls, and kernels of which there is no source, are the same if they do the same.
            members.setdefault(_work(group), []).append(at)
    costs = _costs(graph)
    for which, groups in members.items():
        yield _kernel(
            graph,
            which if isinstance(which, int) else None,
            groups,
            [costs.get(at) for at in groups],
        )
    for number, name in enumerate(graph.names):
        if number not in members:
            yield SideKernel(
                "", name, None, None, None, None, graph.sources[number], Counter()
            )


def _kernel(
    graph: _Graph,
    number: int | None,
    groups: Sequence[int],
    costs: Sequence[KernelCost | None],
) -> SideKernel:
    # Several loops in one C++ kernel run one after another. Another kernel runs one group at each launch, which may
    # compute another operator by the same code.
    different = {_work(graph.groups[at]): at for at in reversed(groups)}
    operators = _operators(graph.groups[at] for at in reversed(different.values()))
    operations = frozenset(
        (graph.section[at], operation.name)
        for at in groups
        for operation in graph.groups[at].operations
    )
    # The source defines a kernel; the nodes it came from add nothing.
    does = (
        tuple(_form(graph.groups[at]) for at in groups)
        if number is None
        else graph.sources[number]
    )
    name = "" if number is None else graph.names[number]
    return SideKernel(
        kind=" + ".join(dict.fromkeys(graph.groups[at].kind for at in groups)),
        name=name,
        launches=len(groups) // len(different) if name in graph.loops else len(groups),
        bytes=_sum(
            [None if kernel is None else bytes_moved(kernel) for kernel in costs]
        ),
        flops=_sum(
            [None if kernel is None else kernel.number("flops") for kernel in costs]
        ),
        least_ns=_sum(
            [None if kernel is None else kernel.least_ns for kernel in costs]
        ),
        does=does,
        operators=operators,
        groups=tuple(graph.groups[at] for at in groups),
        costs=tuple(costs),
        operations=operations,
        runs_loops=name in graph.loops,
        apart=tuple(graph.apart),
    )


def _operators(groups: Iterable[Group]) -> Counter[str]:
    operators: Counter[str] = Counter()
    for group in groups:
        for operation in group.operations:
            for computed in operation.computes:
                operators[computed.operator] += computed.times
    return operators


@lru_cache(maxsize=1 << 12)
def _form(group: Group) -> str:
    """Equal for groups that access the same memory in the same way, whatever they compute."""
    return digest(form([printed.loose_group(group.kind, group.operations)]))


def _work(group: Group) -> str:
    """Equal for groups that do the same work: groups are printed without loop bodies, but with operators."""
    return repr(
        (
            _form(group),
            [sorted(map(str, operation.computes)) for operation in group.operations],
        )
    )


def _costs(graph: _Graph) -> dict[int, KernelCost]:
    """The cost of each group. Both are in the same order, but groups that only provide memory for others have no
    cost entry."""
    waiting: dict[Hashable, list[int]] = {}
    for at, group in enumerate(graph.groups):
        operators = (
            computed.operator
            for operation in group.operations
            for computed in operation.computes
        )
        waiting.setdefault((group.kind, listed(operators)), []).append(at)
    by_group: dict[int, KernelCost] = {}
    for kernel in graph.costs:
        if groups := waiting.get((kernel.kind, kernel.operators)):
            by_group[groups.pop(0)] = kernel
    return by_group


def bytes_moved(kernel: KernelCost) -> int:
    """The bytes that a kernel reads and writes."""
    return (kernel.number("read") or 0) + (kernel.number("written") or 0)


def _sum(numbers: Sequence[int | None]) -> int | None:
    known = [number for number in numbers if number is not None]
    return sum(known) if len(known) == len(numbers) else None


KernelPair = tuple[SideKernel | None, SideKernel | None]
# From most to least specific: kernels are paired by the first key on which they agree.
_ALIKE: tuple[Callable[[SideKernel], Hashable], ...] = (
    lambda kernel: (kernel.name, kernel.does),
    lambda kernel: kernel.does,
    lambda kernel: kernel.name or None,
    lambda kernel: (
        (kernel.kind, frozenset(kernel.operators.items())) if kernel.operators else None
    ),
    lambda kernel: (
        (bool(kernel.calls), frozenset(kernel.operators)) if kernel.operators else None
    ),
)


def kernel_pairs(compared: Sequence[Compared]) -> dict[str, list[KernelPair]]:
    """The kernels and library calls of each graph in a case's artifacts; none if a text is unreadable."""
    # Groups that only one side has would make all its kernels differ from the other side's.
    artifacts = [
        artifact
        for artifact in compared
        if artifact.stage != "scheduler_nodes" or (artifact.old and artifact.new)
    ]
    try:
        old, new = (
            side_kernels(
                tuple(
                    (
                        artifact.file,
                        artifact.stage,
                        (artifact.old, artifact.new)[side],
                        artifact.known[side],
                    )
                    for artifact in artifacts
                )
            )
            for side in (0, 1)
        )
    except Unreadable:
        return {}
    return {
        graph: _paired(old.get(graph, ()), new.get(graph, ()))
        for graph in {**new, **old}
    }


def loop_pairs(pairs: Sequence[KernelPair]) -> list[KernelPair]:
    """Kernels as they are paired; if a C++ kernel among them has several loops, the loops of all instead, paired as
    kernels are and without launches: in which kernel a loop is depends on which library calls run around it."""
    kernels = [kernel for pair in pairs for kernel in pair if kernel is not None]
    if all(kernel.calls or len({*kernel.work}) < 2 for kernel in kernels):
        return list(pairs)
    calls = [pair for pair in pairs if any(side and side.calls for side in pair)]
    old, new = (
        [
            loop
            for pair in pairs
            for kernel in [pair[side]]
            if pair not in calls and kernel is not None
            for loop in _loops(kernel)
        ]
        for side in (0, 1)
    )
    loops = _paired(old, new)
    found = [each for each in loops if None not in each]
    for each in loops:
        if None in each:
            _add_alone(found, each)
    return [*calls, *found]


def _add_alone(pairs: list[KernelPair], alone: KernelPair) -> None:
    """Adds a loop that only one side has to those that it was fused with, or separated from: those with most in common
    with it, of the pairs that differ."""
    side = 0 if alone[1] is None else 1
    loop = alone[side]
    common = [
        (other.operators & loop.operators).total()
        if loop and same and other and same.work != other.work
        else 0
        for same, other in ((each[side], each[1 - side]) for each in pairs)
    ]
    most = max(common, default=0)
    if most:
        at = common.index(most)
        both = list(pairs[at])
        both[side] = _joined(both[side], loop)
        pairs[at] = both[0], both[1]
    else:
        pairs.append(alone)


def _joined(one: SideKernel | None, other: SideKernel | None) -> SideKernel | None:
    """Two loops as one."""
    if one is None or other is None:
        return one or other
    return replace(
        one,
        kind=f"{one.kind} + {other.kind}",
        bytes=_sum([one.bytes, other.bytes]),
        flops=_sum([one.flops, other.flops]),
        least_ns=_sum([one.least_ns, other.least_ns]),
        does=(one.does, other.does),
        operators=one.operators + other.operators,
        groups=(*one.groups, *other.groups),
        costs=(*one.costs, *other.costs),
    )


def _loops(kernel: SideKernel) -> Iterator[SideKernel]:
    for group, cost in zip(kernel.groups, kernel.costs, strict=True):
        yield replace(
            kernel,
            kind=group.kind,
            name="",
            launches=0,
            bytes=None if cost is None else bytes_moved(cost),
            flops=None if cost is None else cost.number("flops"),
            least_ns=None if cost is None else cost.least_ns,
            does=_form(group),
            operators=_operators([group]),
            groups=(group,),
            costs=(cost,),
        )


def _paired(old: Sequence[SideKernel], new: Sequence[SideKernel]) -> list[KernelPair]:
    """Pairs in the order of the new side; a kernel that no longer exists comes after the one it used to follow."""
    partner: dict[int, int] = {}
    for alike in _ALIKE:
        free: dict[Hashable, list[int]] = {}
        for at, kernel in enumerate(old):
            if at not in partner.values() and (key := alike(kernel)) is not None:
                free.setdefault(key, []).append(at)
        for at, kernel in enumerate(new):
            if at not in partner and (same := free.get(alike(kernel))):
                partner[at] = same.pop(0)
    # Pair the rest by how many operators they have in common, most first, but a kernel with a call only if there is no
    # other: torch may list as computed by a call what its inputs are computed with, and by a copy for it all of that.
    common = [
        (
            (
                bool(old[was].calls) == bool(new[at].calls),
                (old[was].operators & new[at].operators).total(),
            ),
            at,
            was,
        )
        for at in range(len(new))
        if at not in partner
        for was in range(len(old))
        if was not in partner.values()
    ]
    common.sort(key=lambda entry: entry[0], reverse=True)
    for (_, operators), at, was in common:
        if operators and at not in partner and was not in partner.values():
            partner[at] = was
    pairs: list[KernelPair] = [
        (old[partner[at]] if at in partner else None, kernel)
        for at, kernel in enumerate(new)
    ]
    for was, before in enumerate(old):
        if was not in partner.values():
            behind = next(
                (
                    at
                    for at, (one, _) in enumerate(pairs)
                    if was and one is old[was - 1]
                ),
                -1,
            )
            pairs.insert(behind + 1, (before, None))
    return pairs
