"""What a pass does differently, in words: the operators that it creates, keeps or removes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from pytest_compile_golden.formats.edits import Edit, Topic, edit
from pytest_compile_golden.formats.graph.edits import checks_finite
from pytest_compile_golden.formats.ledger.compare import UNOBSERVED, Run, pairs, runs
from pytest_compile_golden.formats.ledger.printed import PassRow
from pytest_compile_golden.formats.operators import short
from pytest_compile_golden.formats.text import with_times

# The calls without effect that torch/_inductor/fx_passes/joint_graph.py: constant_fold_uniform_value knows.
_IDENTITY = {"aten.add": "x + 0", "aten.sub": "x - 0", "aten.mul": "x * 1", "aten.div": "x / 1"}
# Operators too common to distinguish passes.
_PLAIN = frozenset({"aten.add", "aten.sub", "aten.mul", "aten.div", "aten.where", "aten.neg"})
_LIBRARY = frozenset({"aten.addmm", "aten.mm", "aten.bmm", "aten.baddbmm", "aten.convolution"})
_PARTITION = "partition"
_LISTED = 10


def pass_edit(old: str, new: str, named: str) -> Edit | None:
    """The edit for the first run of the pass called `named` (`joint / remove_noop_ops`) that does something different.

    None if there is no such run in the two ledgers.
    """
    for before, after in pairs(runs(old), runs(new)):
        run = after or before
        if run is not None and run.named == named and _differs(before, after):
            return _words(None if before is None else before.row, None if after is None else after.row, run)
    return None


def _differs(old: Run | None, new: Run | None) -> bool:
    return old is None or new is None or old.effect != new.effect


def _words(old: PassRow | None, new: PassRow | None, run: Run) -> Edit:
    grown = _grown(new) - _grown(old)
    before, after = _operators(old), _operators(new)
    name = run.row.name
    made, unmade = +after - +before, +before - +after
    removed, kept = -after - -before, -before - -after
    pattern = _pattern(old, new)
    parts = [pattern] if pattern else []
    if checks_finite(made):
        parts.append(f"adds a check that inputs are finite: {_listed(made)}")
    elif made and removed:
        parts.append(f"turns {_listed(removed)} into {_listed(made)}")
    elif run.row.phase == _PARTITION:
        # A value that is computed one more time is computed again in backward.
        made, removed, kept, unmade = made + kept, Counter(), Counter(), unmade + removed
        parts += [f"computes {_listed(made)} again for backward instead of saving it"] * bool(made)
        parts += [f"saves {_listed(unmade)} for backward instead of computing it again"] * bool(unmade)
    else:
        parts += [f"makes {_listed(made)}"] * bool(made)
        parts += [f"removes {_removed(name, removed)}"] * bool(removed)
    parts += [f"keeps {_listed(kept)}"] * bool(kept)
    parts += [f"no longer makes {_listed(unmade)}"] * bool(unmade and run.row.phase != _PARTITION)
    change = "" if new is not None and old is not None else "now runs" if old is None else "no longer runs"
    if name == UNOBSERVED:
        change = "its nodes are changed" if old is None else "its nodes are left as they are"
    count = f" ({grown:+} node{'s' if abs(grown) != 1 else ''})" if grown else ""
    words = ", ".join(filter(None, [change, *parts])) or ("leaves its graph larger" if grown > 0 else "")
    words = words or ("leaves its graph smaller" if grown < 0 else "same operators, other order or arguments")
    kinds = [("made", made), ("removed", removed), ("kept", kept), ("unmade", unmade)]
    key = "; ".join(f"{kind} {' '.join(_significant_operators(ops))}" for kind, ops in kinds if ops)
    topic: Topic = (
        "library" if _LIBRARY & {*made, *removed} else "fusion" if run.row.phase == "scheduler" else "operators"
    )
    key = key or pattern.replace(" does not match", " matches").partition(" matches ")[0]
    named = f"{run.named}:" if name == UNOBSERVED else run.named
    return edit(f"{named} {words}{count}", topic, key=f"{run.named}: {key}")


def _grown(row: PassRow | None) -> int:
    return 0 if row is None or row.nodes is None else row.nodes.grown


def _operators(row: PassRow | None) -> Counter[str]:
    """How many of each operator were added; negative if removed."""
    counts: Counter[str] = Counter()
    for entry in () if row is None else row.operators:
        counts[short(entry.operator)] += entry.times if entry.sign == "+" else -entry.times
    return counts


def _pattern(old: PassRow | None, new: PassRow | None) -> str:
    before, after = (
        {} if row is None else {pattern.name: pattern.count for pattern in row.patterns} for row in (old, new)
    )
    for name in dict.fromkeys((*before, *after)):
        was, now = before.get(name, 0), after.get(name, 0)
        if was != now:
            if not (was and now):
                return f"pattern {name} now matches" if now else f"pattern {name} no longer matches"
            return f"pattern {name} matches {now} time{'s' if now != 1 else ''} instead of {was}"
    return ""


def _listed(operators: Counter[str]) -> str:
    names = [with_times(name, times) for name, times in operators.items()]
    return ", ".join(names[:_LISTED]) + (f" and {len(names) - _LISTED} more" if len(names) > _LISTED else "")


def _removed(name: str, operators: Counter[str]) -> str:
    if name != "constant_fold_uniform_value":
        return _listed(operators)
    return ", ".join(
        f"{_IDENTITY[operator]} ({operator})" if operator in _IDENTITY else operator for operator in operators
    )


def _significant_operators(operators: Counter[str]) -> Sequence[str]:
    return sorted(set(operators) - _PLAIN) or sorted(operators)
