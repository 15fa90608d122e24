"""What writing programs differently changed: patterns that match no longer, and what that costs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from pytest_compile_golden.common.quantity import quantity
from pytest_compile_golden.recordings.corpus_rows import Row, Rows
from pytest_compile_golden.report.metric_columns import shown
from pytest_compile_golden.report.styled_lines import Line, printable
from pytest_compile_golden.stages import get_stage

_COSTS = ("least_time", "bytes_accessed", "kernels")
_SHOWN = 20
_OURS = "pre_grad_custom_pass"


@dataclass
class _Missed:
    """One identity with one effect on patterns: the programs whose cost depends on it."""

    worse: dict[str, tuple[Row, Row]] = field(default_factory=dict)
    """By program: the better spelling and the worse one."""

    @property
    def cost(self) -> float:
        """Nanoseconds of least time that the worse spellings take more."""
        pairs = self.worse.values()
        return sum(
            _number(worse, "least_time") - _number(better, "least_time")
            for better, worse in pairs
        )


class Identities:
    """What `crater --metamorphic` asks for; see `features.crater.crater_command.Rewriting`."""

    def rewrites(self) -> Mapping[str, Mapping[str, Any]]:
        from labs.identities.rewrites import ALL

        return {identity.name: {_OURS: identity} for identity in ALL}

    def lines(self, rows: Rows, torch: str) -> list[Line]:
        mine = {row.key: row for row in rows.all() if row.torch == torch}
        found: dict[tuple[str, str], _Missed] = defaultdict(_Missed)
        rewritten = 0
        for row in mine.values():
            plain = mine.get((row.program, torch, row.target, ""))
            if (
                not row.rewrite
                or plain is None
                or {plain.outcome, row.outcome} != {"captured"}
            ):
                continue
            before, after = _patterns(rows, plain), _patterns(rows, row)
            rewritten += after.pop(_OURS, 0) > 0
            if (order := _worse(plain, row)) is not None:
                # Told from the spelling that torch compiles better, whichever of the two it is.
                text = (
                    _changed(before, after)
                    if order[0] is plain
                    else _changed(after, before)
                )
                way = (
                    row.rewrite
                    if order[0] is plain
                    else f"{row.rewrite} (the other way)"
                )
                found[way, text].worse[f"{row.program}[{row.target}]"] = order
        programs = {program for missed in found.values() for program in missed.worse}
        more = (
            f"{quantity(len(programs), 'program')} cost more in one spelling"
            if programs
            else "none costs more"
        )
        told: list[Line] = [
            ("", f"rewritten by identities: {quantity(rewritten, 'spelling')}, {more}")
        ]
        for (way, text), missed in sorted(
            found.items(), key=lambda item: -item[1].cost
        )[:_SHOWN]:
            told += _told(way, text, missed)
        if len(found) > _SHOWN:
            told.append(
                ("dim", f"       {quantity(len(found) - _SHOWN, 'more difference')}")
            )
        return told


def _told(way: str, text: str, missed: _Missed) -> Iterator[Line]:
    worst = max(
        missed.worse,
        key=lambda program: _number(missed.worse[program][1], "least_time"),
    )
    better, worse = missed.worse[worst]
    costs = [
        f"{name} {shown(name, int(_number(better, name)))} -> {shown(name, int(_number(worse, name)))}"
        for name in _COSTS
        if _number(better, name) != _number(worse, name)
    ]
    yield "bad", printable(f"{len(missed.worse):>5}  {way}: {text}")
    yield "bad", printable(f"       {worst}: {', '.join(costs)}")


def _number(row: Row, name: str) -> float:
    value = row.metrics.get(name, 0)
    return value if isinstance(value, (int, float)) else 0


def _worse(one: Row, other: Row) -> tuple[Row, Row] | None:
    """The better and the worse of two rows; None if no cost differs by more than 1 %."""
    first, second = ([_number(row, name) for name in _COSTS] for row in (one, other))
    if all(abs(a - b) <= 0.01 * max(a, b) for a, b in zip(first, second, strict=True)):
        return None
    return (one, other) if first <= second else (other, one)


def _patterns(rows: Rows, row: Row) -> dict[str, int]:
    """How often each pattern matched, and how often the program was rewritten, from its pass ledger."""
    matched: dict[str, int] = defaultdict(int)
    for name, digest in row.stages.items():
        if (
            name.partition(".")[0] == "passes"
            and (text := rows.text(digest)) is not None
        ):
            for ran in get_stage("passes").format.read(text):
                matched[_OURS] += ran.name.startswith(_OURS)
                for pattern in ran.patterns:
                    matched[pattern.name] += pattern.count
    return matched


def _changed(better: Mapping[str, int], worse: Mapping[str, int]) -> str:
    changes = [
        f"{name} matches {'less' if worse.get(name, 0) < better.get(name, 0) else 'more'} often"
        for name in sorted({*better, *worse} - {_OURS})
        if better.get(name, 0) != worse.get(name, 0)
    ]
    return "; ".join(changes) or "the same patterns match"


IDENTITIES = Identities()
