"""How a schedule changed: what is fused, what autotuning chose, which operations there are, and what they compute."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from pytest_compile_golden.changes import schedules
from pytest_compile_golden.changes.change import Change, Counts, counts, distinct
from pytest_compile_golden.changes.decisions import NotUnpacked, ResultsStored
from pytest_compile_golden.changes.graphs import INPUT, OperandChanged, OperatorsChanged
from pytest_compile_golden.facts.schedules import Choice, Group, Operation, Schedule, buffer, index
from pytest_compile_golden.formats.graph.edits import type_changes
from pytest_compile_golden.formats.op_counts import CAST
from pytest_compile_golden.formats.schedule import form, same
from pytest_compile_golden.formats.schedule.coalescing import LOOP
from pytest_compile_golden.formats.schedule.same import OPTION, equal_except_unpacking, unpacked
from pytest_compile_golden.formats.text import short, without_overload

_MODULAR = re.compile(r"ModularIndexing\(([^(),]+), (\d+), (\d+)\)")
_WHOLE = re.compile(r"\(\((\w+)//(\d+)\)\)")
_LISTED = 4
_VIEWS = frozenset(
    f"aten.{name}"
    for name in (
        *("reshape", "view", "_unsafe_view", "permute", "expand"),
        *("unsqueeze", "squeeze", "clone", "slice", "select"),
    )
)
_REDUCING = re.compile(
    r"aten\.(?:\w*(?:norm|softmax|var|std|mean|sum|prod|loss)|a?max|a?min|arg\w+|any|all|logsumexp|count_\w+)\b"
)
"""Operators that reduce, among those that a reduction computes together with what was fused into it."""
_WITH_INDEX = ("argmax_value", "argmax_with_value", "argmin_value", "argmin_with_value")
_COMBINES, _WELFORD = "welfordreduction welford_combine", "welfordreduction "
_KERNELS = frozenset({"pointwise", "reduction", "sort", "scan", "argreduction"})


def edits(old: Sequence[Schedule], new: Sequence[Schedule]) -> Iterable[Change]:
    """The edits between two artifacts."""
    before, after = old, new
    if form.operations(old) == form.operations(new) and _shape(before) == _shape(after):
        return (same.change(before, after),)
    if equal_except_unpacking(old, new):
        return (NotUnpacked(),)
    all_edits: list[Change] = []
    books: tuple[Change, ...] = ()
    if _unpacks(before) != _unpacks(after):
        before, after = unpacked(before), unpacked(after)
        books = (NotUnpacked(),)
    others: dict[tuple[str, str], list[Schedule]] = {}
    for section in after:
        others.setdefault(_graph(section), []).append(section)
    if sorted(map(_graph, before)) == sorted(map(_graph, after)):
        for section in before:
            all_edits += _section(section, others[_graph(section)].pop(0))
    return distinct([*all_edits, *books])


def _graph(section: Schedule) -> tuple[str, str]:
    """The graph and, if it is a branch of `torch.cond` or another part of it, that: its operations bear its name."""
    name = section.operations[0].name if section.operations else ""
    return section.label, name.rpartition("op")[0]


def _unpacks(sections: Iterable[Schedule]) -> int:
    """How many unpack operations take out the only result of a call."""
    unpacks = Counter(op.reads for section in sections for op in section.operations if op.kind == "unpack")
    return sum(times == 1 for times in unpacks.values())


def _shape(sections: Iterable[Schedule]) -> list[object]:
    return [
        (len(section.groups), [len(group.operations) for group in section.groups], section.choices)
        for section in sections
    ]


def _section(old: Schedule, new: Schedule) -> Iterator[Change]:
    yield from _choices(old.choices, new.choices)
    called = list(call_edits(old.operations, new.operations))
    yield from called
    fused = [replace(change, follows=bool(called)) for change in _fusion(old.groups, new.groups)]
    yield from fused
    yield from _operations(old, new, bool(fused or called))
    if not any(operation.writes for side in (old, new) for operation in side.operations):
        yield from _computed(old, new)


def _computed(old: Schedule, new: Schedule) -> Iterator[Change]:
    """Operators that are computed more or less often, of schedules that do not say what operations access."""
    before, after = Counter[str](), Counter[str]()
    for side, counted in ((old, before), (new, after)):
        for operation in side.operations:
            for each in operation.computes:
                counted[without_overload(each.operator)] += each.times
    gone, come = (counts(dict(sorted((+side).items()))) for side in (before - after, after - before))
    if gone or come:
        yield OperatorsChanged(gone, come)


def _choices(old: Sequence[Choice], new: Sequence[Choice]) -> Iterator[Change]:
    for was, now in zip(old, new, strict=False):
        if was.operator != now.operator:
            continue
        names = [choice.chosen.partition(" ")[0] for choice in (was, now)]
        if was.candidates != now.candidates:
            added = was.candidates < now.candidates and names[0] == names[1]
            kind_of = schedules.CandidatesAdded if added else schedules.CandidatesChanged
            yield kind_of(now.operator, was.candidates, now.candidates)
        if names[0] != names[1]:
            yield schedules.ChosenChanged(now.operator, *names)
            continue
        before, after = (dict(OPTION.findall(choice.chosen)) for choice in (was, now))
        for name in dict.fromkeys((*before, *after)):
            if before.get(name) != after.get(name):
                listed = name not in before or name not in after
                kind = schedules.TemplateOptionListed if listed else schedules.TemplateArgumentChanged
                yield kind(name, before.get(name), after.get(name))


def _fusion(old: Sequence[Group], new: Sequence[Group]) -> Iterator[Change]:
    """Groups that were merged, or a group that was split."""
    gone, come = _surplus(old, new), _surplus(new, old)
    counts = [sum(len(group.operations) for group in side) for side in (gone, come)]
    fewer, more = len(gone) - len(come), counts[1] - counts[0]
    # A kernel removed along with what it computed was not fused with anything, and a new one did not split another.
    if not gone or not come or not fewer or (-more >= fewer > 0) or (more >= -fewer > 0):
        return
    before_names, after_names = (tuple(dict.fromkeys(filter(None, map(_named, side)))) for side in (gone, come))
    if len(come) < len(gone):
        yield schedules.Fused(before_names, len(gone), len(come))
    else:
        yield schedules.FusionLost(before_names, after_names, len(gone), len(come))


def _surplus(groups: Sequence[Group], others: Sequence[Group]) -> list[Group]:
    """The groups without one among `others` that computes the same; each of those is the counterpart of one."""
    left = Counter(map(_members, others))
    surplus = []
    for group in groups:
        if left[_members(group)]:
            left[_members(group)] -= 1
        else:
            surplus.append(group)
    return surplus


def _members(group: Group) -> frozenset[tuple[str, ...]]:
    """What a group computes, regardless of the names of its operations."""
    return frozenset((operation.kind, *map(str, operation.computes)) for operation in group.operations)


def _named(group: Group) -> str:
    operators = dict.fromkeys(short(computed.operator) for op in group.operations for computed in op.computes)
    return _listed([name.removeprefix("aten.") for name in _computing(operators)] or operators)


def _listed(operators: Iterable[str]) -> str:
    names = list(dict.fromkeys(operators))
    more = ", …" if len(names) > _LISTED else ""
    return f"({', '.join(names[:_LISTED])}{more})" if len(names) > 1 else "".join(names)


def _operations(old: Schedule, new: Schedule, follows: bool) -> Iterator[Change]:
    """Operations whose kind changed, or what they access or compute."""
    if len(old.operations) != len(new.operations):
        yield replace(change(old.operations, new.operations), follows=follows)
        return
    before, after = (Counter(operation.kind for operation in side.operations) for side in (old, new))
    if before != after:
        gone, come = (tuple(sorted(side.items())) for side in (before - after, after - before))
        both = any(reduction in name for name, _ in come for reduction in _WITH_INDEX)
        kind = schedules.ValueWithIndex if both else schedules.KindsChanged
        yield kind(gone, come, follows=follows)
        return
    paired = _paired(old.operations, new.operations)
    makers = [
        {buffer(output): operation for operation in side.operations for output in operation.outputs}
        for side in (old, new)
    ]
    same = {
        buffer(was): buffer(now)
        for old_op, new_op in paired
        for was, now in zip(old_op.outputs, new_op.outputs, strict=False)
    }
    # Where an operation reads more or fewer values, that is why others have other types and are read by others.
    regrouped = follows or any(len(was.reads) != len(now.reads) for was, now in paired)
    for old_op, new_op in paired:
        yield from _results(old_op, new_op, regrouped)
        if len(old_op.reads) != len(new_op.reads):
            yield replace(_inputs(old_op, new_op), follows=follows)
            continue
        for was, now in zip(map(buffer, old_op.reads), map(buffer, new_op.reads), strict=True):
            # Inputs are numbered, and may be in another order.
            if (was in makers[0] or now in makers[1]) and same.get(was) != now:
                yield OperandChanged(
                    old_op.kind, _maker(makers[0].get(was)), _maker(makers[1].get(now)), follows=regrouped
                )
        for accesses in ((old_op.reads, new_op.reads), (old_op.writes, new_op.writes)):
            for was, now in zip(*accesses, strict=False):
                yield from _access(was, now, follows)
        yield from _body(old_op.body, new_op.body, follows)


def _paired(old: Sequence[Operation], new: Sequence[Operation]) -> list[tuple[Operation, Operation]]:
    """Operations of the same name, wherever their groups stand, if they are of the same kind; or else by position."""
    named = {operation.name: operation for operation in new}
    by_name = [(operation, named.get(operation.name, operation)) for operation in old]
    same_names = named.keys() == {operation.name for operation in old}
    for paired in ([by_name] * same_names) + [list(zip(old, new, strict=True))]:
        if all(was.kind == now.kind for was, now in paired):
            return paired
    return []


def _results(old: Operation, new: Operation, follows: bool) -> Iterator[Change]:
    """Results of another type."""
    for was, now in zip(old.outputs, new.outputs, strict=False):
        types = [side.partition(": ")[2] for side in (was, now)]
        if types[0] != types[1]:
            subject = f"{'an' if old.kind[0] in 'aeiou' else 'a'} {old.kind} operation"
            yield from (replace(edit, follows=follows) for edit in type_changes(subject, *types))


def _maker(operation: Operation | None) -> str:
    """What a value is the result of; an input if no operation makes it."""
    if operation is None:
        return INPUT
    return _listed(map(short, _computing(computed.operator for computed in operation.computes))) or operation.kind


def _computing(operators: Iterable[str]) -> list[str]:
    """Those that are more than another view of a value."""
    return [name for name in operators if without_overload(name) not in _VIEWS]


def _inputs(old: Operation, new: Operation) -> Change:
    """An operation that reads more or fewer values than before, described by what it computes."""
    more = len(new.reads) - len(old.reads)
    if set(old.reads) == set(new.reads) and old.computes == new.computes:
        return schedules.ReadListedAgain(more > 0)
    gone, come = (
        Counter({short(computed.operator): computed.times for computed in operation.computes})
        for operation in (old, new)
    )
    gone, come = gone - come, come - gone
    return schedules.ReadsChanged(
        old.kind, abs(more), more > 0, tuple(sorted(come.items())), tuple(sorted(gone.items()))
    )


def _body(old: Sequence[str], new: Sequence[str], follows: bool) -> Iterator[Change]:
    """How a loop body changed: operators added and removed, or else the lines that differ."""
    before, after = (Counter(call.partition("(")[0] for call in form.calls(side)) for side in (old, new))
    if before == after:
        for was, now in zip(old, new, strict=False):
            if was != now:
                yield schedules.BodyLineChanged(was, now, follows=follows)
        return
    gone, come = (tuple(sorted(side.items())) for side in (before - after, after - before))
    if {name for name, _ in (*gone, *come)} == {CAST}:
        yield schedules.CastsChanged(abs(after[CAST] - before[CAST]), after[CAST] > before[CAST], follows=follows)
        return
    yield schedules.BodyChanged(gone, come, follows=follows)


def _access(old: str, new: str, follows: bool) -> Iterator[Change]:
    if not (index(old) and index(new)) or index(old) == index(new):
        return
    before, after = (_plain(index(access)) for access in (old, new))
    dimensions = len(set(LOOP.findall(before))), len(set(LOOP.findall(after)))
    # The same index over renamed dimensions.
    numbers = [LOOP.sub(lambda loop: loop[0][1:], access) for access in (before, after)]
    follows = follows or numbers[0] == numbers[1]
    if all(dimensions) and dimensions[0] != dimensions[1]:
        yield schedules.DimensionsChanged(dimensions, before, after, follows=follows)
        return
    yield schedules.IndexChanged(before, after, follows=follows)


def _plain(text: str) -> str:
    """`c0 % 1024` for `ModularIndexing(c0, 1, 1024)`, `c0 // 16 % 4` for `ModularIndexing(c0, 16, 4)`."""
    plainer = None
    while plainer != text:  # from the inside
        plainer, text = text, _MODULAR.sub(lambda match: f"{match[1]} // {match[2]} % {match[3]}", text)
        text = text.replace(" // 1 %", " %")
    return _WHOLE.sub(r"(\1 // \2)", text)


def change(old: Sequence[Operation], new: Sequence[Operation]) -> Change:
    """How `old` became `new`, which has more or fewer operations."""
    more = len(new) - len(old)
    if combined := _combined(old, new):
        return schedules.ReductionSteps(combined, more > 0)
    for counted in (_copies, _halves):
        before, after = counted(old), counted(new)
        changed = after - before if more > 0 else before - after
        if sum(changed.values()) == abs(more) == abs(sum(after.values()) - sum(before.values())):
            if counted is _copies:
                return schedules.InputsCopiedFor(counts(changed), more > 0)
            return schedules.ReductionSteps(tuple(dict.fromkeys(map(without_overload, changed))), more > 0)
    before, after = (Counter(operation.kind for operation in side) for side in (old, new))
    of = _besides(old, new) if more > 0 else _besides(new, old)
    computed = [{name for operation in side for name in _operators(operation)} for side in (old, new)]
    if computed[0] == computed[1] and set((before - after) + (after - before)) == {"pointwise"}:
        return ResultsStored(of, abs(more), more > 0)
    return schedules.OperationsChanged(abs(more), more > 0, _sorted(before - after), _sorted(after - before), of)


def call_edits(old: Sequence[Operation], new: Sequence[Operation]) -> Iterator[schedules.LibraryCalled]:
    """Operators that a library computes now instead of a kernel, or the other way round."""
    before, after = (
        {_called(operation) for operation in side if operation.kind.startswith("extern ")} for side in (old, new)
    )
    for calls, kernels, library in ((after - before, old, True), (before - after, new, False)):
        computed = {
            name
            for operation in kernels
            if operation.kind.partition(" ")[0] in _KERNELS
            for name in _operators(operation)
        }
        for name in sorted(calls & computed):
            yield schedules.LibraryCalled(name, library)


def _sorted(kinds: Counter[str]) -> Counts:
    return tuple(sorted(kinds.items()))


def _copies(operations: Sequence[Operation]) -> Counter[str]:
    """For library calls, by operator, how many of their inputs are copied into the layout that they need."""
    operators_of = {buffer(output): _operators(operation) for operation in operations for output in operation.outputs}
    called: dict[str, set[str]] = {}
    for operation in operations:
        if operation.kind.startswith("extern "):
            for read in operation.reads:
                called.setdefault(buffer(read), set()).add(_called(operation))
    counts: Counter[str] = Counter()
    for operation in operations:
        if operation.kind == "pointwise" and len(operation.reads) == 1:
            calls = {name for output in operation.outputs for name in called.get(buffer(output), ())}
            # It computes nothing that its input has not computed already.
            if calls and _operators(operation) - calls <= operators_of.get(buffer(operation.reads[0]), set()):
                counts.update(sorted(calls & _operators(operation))[:1])
    return counts


def _halves(operations: Sequence[Operation]) -> Counter[str]:
    """By operator, how many reductions reduce the result of another reduction of the same operator."""
    reductions = {
        buffer(output): operation for operation in operations for output in operation.outputs if _reduces(operation)
    }
    counts: Counter[str] = Counter()
    for operation in operations:
        first = next((reductions[buffer(read)] for read in operation.reads if buffer(read) in reductions), None)
        if _reduces(operation) and first is not None and first.kind == operation.kind:
            counts.update(_reducers(_operators(first) & _operators(operation))[:1])
    return counts


def _combined(old: Sequence[Operation], new: Sequence[Operation]) -> tuple[str, ...]:
    """The operators whose means and variances are put together from parts on one side only, if that is all."""
    before, after = (Counter(operation.kind for operation in side) for side in (old, new))
    differ = (before - after) + (after - before)
    if not all(kind.startswith(_WELFORD) for kind in differ) or (_COMBINES in before) == (_COMBINES in after):
        return ()
    combining = [operation for operation in (*old, *new) if operation.kind == _COMBINES]
    return tuple(dict.fromkeys(name for operation in combining for name in _reducers(_operators(operation))[:1]))


def _reducers(operators: set[str]) -> list[str]:
    """Those of a reduction's operators that reduce; all of them if none is known to."""
    names = sorted(operators)
    return [name for name in names if _REDUCING.match(name)] or names


def _besides(old: Sequence[Operation], new: Sequence[Operation]) -> tuple[str, ...]:
    """The operators of the program for which `new` has more operations of the same kind than `old`."""
    before, after = (
        Counter(
            (operation.kind, *dict.fromkeys(short(computed.operator) for computed in operation.computes))
            for operation in side
        )
        for side in (old, new)
    )
    operators = dict.fromkeys(name for entry in after - before for name in entry[1:])
    return tuple(_computing(operators) or operators)


def _reduces(operation: Operation) -> bool:
    return operation.kind.startswith("reduction ")


def _operators(operation: Operation) -> set[str]:
    return {short(computed.operator) for computed in operation.computes}


def _called(call: Operation) -> str:
    """`aten.convolution_backward` for `extern FallbackKernel torch.ops.aten.convolution_backward.default`."""
    name = call.kind.rpartition(" ")[2]
    return short(name.removeprefix("torch.ops.").replace("extern_kernels.", "aten."))
