"""Operations that only one of two schedules has: what they are for, in words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from pytest_compile_golden.formats.edits import Edit, edit
from pytest_compile_golden.formats.operators import short
from pytest_compile_golden.formats.schedule.printed import Operation

LISTED = 4
VIEWS = re.compile(r"aten\.(?:reshape|view|_unsafe_view|permute|expand|unsqueeze|squeeze|clone|slice|select)\b")
_BUFFER = re.compile(r"\w+")
_KERNELS = frozenset({"pointwise", "reduction", "sort", "scan", "argreduction"})


def edit_of(old: Sequence[Operation], new: Sequence[Operation]) -> Edit:
    """The edit that makes as many operations of `old` as `new` has, which are more or fewer."""
    more = len(new) - len(old)
    for counted, words in ((_copies, _copies_words), (_halves, _halves_words)):
        before, after = counted(old), counted(new)
        changed = after - before if more > 0 else before - after
        if sum(changed.values()) == abs(more) == abs(sum(after.values()) - sum(before.values())):
            return edit(words(changed, more > 0), "fusion")
    before, after = (Counter(each.kind for each in side) for side in (old, new))
    what = " -> ".join(filter(None, (listed(before - after), listed(after - before)))) or "operations"
    of = _besides(old, new) if more > 0 else _besides(new, old)
    label = f"{abs(more)} operation{'s' if abs(more) > 1 else ''} {'more' if more > 0 else 'fewer'}: {what}{of}"
    kinds = sorted({*before - after, *after - before})
    return edit(label, "fusion", key=f"operations {'+' if more > 0 else '-'} {', '.join(kinds)}{of}")


def called(old: Sequence[Operation], new: Sequence[Operation]) -> Iterator[Edit]:
    """Operators that a library computes now and a kernel did, or the other way round."""
    before, after = ({_called(each) for each in side if each.kind.startswith("extern ")} for side in (old, new))
    for calls, kernels, how in (
        (after - before, old, "called in a library instead of computed by a kernel"),
        (before - after, new, "computed by a kernel instead of called in a library"),
    ):
        computed = {name for each in kernels if each.kind.partition(" ")[0] in _KERNELS for name in _operators(each)}
        for name in sorted(calls & computed):
            yield edit(f"{name} is {how}", "library", key=f"{name} is {how}")


def listed(kinds: Counter[str]) -> str:
    """`pointwise x3, reduction sum`."""
    return ", ".join(f"{name} x{times}" if times > 1 else name for name, times in sorted(kinds.items()))


def _copies(operations: Sequence[Operation]) -> Counter[str]:
    """For each library call, by operator, how many of its inputs are copied for it: into the layout that it needs."""
    made = {_name(output): _operators(each) for each in operations for output in each.outputs}
    called: dict[str, set[str]] = {}
    for each in operations:
        if each.kind.startswith("extern "):
            for read in each.reads:
                called.setdefault(_name(read), set()).add(_called(each))
    found: Counter[str] = Counter()
    for each in operations:
        if each.kind == "pointwise" and len(each.reads) == 1:
            calls = {name for output in each.outputs for name in called.get(_name(output), ())}
            # It computes nothing that what it reads has not computed already.
            if calls and _operators(each) - calls <= made.get(_name(each.reads[0]), set()):
                found.update(sorted(calls & _operators(each))[:1])
    return found


def _copies_words(changed: Counter[str], come: bool) -> str:
    said = []
    for name, times in changed.items():
        one = f"{times} input{'s' if times > 1 else ''} of {name} {'are' if times > 1 else 'is'}"
        said.append(f"{one} copied for it" if come else f"{one} not copied for it any more")
    return ", ".join(said)


def _halves(operations: Sequence[Operation]) -> Counter[str]:
    """By operator how many reductions reduce what another one of the same operator left."""
    made = {_name(output): each for each in operations for output in each.outputs if _reduces(each)}
    found: Counter[str] = Counter()
    for each in operations:
        first = next((made[_name(read)] for read in each.reads if _name(read) in made), None)
        if _reduces(each) and first is not None and first.kind == each.kind:
            found.update(sorted(_operators(first) & _operators(each))[:1])
    return found


def _halves_words(changed: Counter[str], come: bool) -> str:
    names = dict.fromkeys(".".join(name.split(".")[:2]) for name in changed)
    return f"{', '.join(names)} {'is reduced in two steps' if come else 'is reduced in one step instead of two'}"


def _besides(old: Sequence[Operation], new: Sequence[Operation]) -> str:
    """For which operators of the program `new` has operations that `old` has not, of the same kind and number."""
    before, after = (
        Counter((each.kind, *dict.fromkeys(short(it.operator) for it in each.computes)) for each in side)
        for side in (old, new)
    )
    operators = dict.fromkeys(name for each in after - before for name in each[1:])
    told = [name for name in operators if not VIEWS.match(name)] or list(operators)
    return f" of {', '.join(told[:LISTED])}{', …' if len(told) > LISTED else ''}" if told else ""


def _reduces(operation: Operation) -> bool:
    return operation.kind.startswith("reduction ")


def _operators(operation: Operation) -> set[str]:
    return {short(each.operator) for each in operation.computes}


def _called(call: Operation) -> str:
    """`aten.convolution_backward` of `extern FallbackKernel torch.ops.aten.convolution_backward.default`."""
    name = call.kind.rpartition(" ")[2]
    return short(name.removeprefix("torch.ops.").replace("extern_kernels.", "aten."))


def _name(access: str) -> str:
    """The buffer of `buf0[c0]` and of `buf0: f32[8] cpu`."""
    found = _BUFFER.match(access)
    return access if found is None else found[0]
