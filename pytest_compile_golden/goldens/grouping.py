"""Cases grouped by distinct change: each change is read, and decided on, once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol, TypeVar

M = TypeVar("M")


class Keyed(Protocol):
    """The parts of a distinct change that matter here."""

    @property
    def stage(self) -> str: ...

    @property
    def wording(self) -> str:
        """Differs between cases that have the change in different ways."""
        ...

    @property
    def key(self) -> str: ...

    @property
    def where(self) -> str | None: ...

    def as_example(self: K) -> K:
        """The same, as an example: its cases have it in different ways."""
        ...


K = TypeVar("K", bound=Keyed)


def group(
    cases: Iterable[tuple[M, Sequence[K], Sequence[K]]],
) -> list[tuple[list[K], list[M]]]:
    """The distinct changes, each list with the members that have them, in the order of their first appearance.

    Each case comes with its own changes, and with those that count for it too if another case has them on their own.
    Changes of one stage that exactly the same cases have are one: nothing tells them apart.
    """
    every = list(cases)
    own: dict[str, list[K]] = {}
    for _, case_changes, _ in every:
        for change in case_changes:
            own.setdefault(change.key, []).append(change)
    wordings: dict[str, list[K]] = {key: list(named) for key, named in own.items()}
    for _, _, besides in every:
        for change in besides:
            if change.key in wordings:
                wordings[change.key].append(change)
    members: dict[str, list[int]] = {key: [] for key in own}
    for number, (_, case_changes, besides) in enumerate(every):
        for key in dict.fromkeys(change.key for change in (*case_changes, *besides)):
            if key in own:
                members[key].append(number)
    together: dict[tuple[str, tuple[int, ...]], list[K]] = {}
    for key, named in own.items():
        together.setdefault((_stage(named), tuple(members[key])), []).append(_plainest(wordings[key], _stage(named)))
    return [(changes, [every[number][0] for number in numbers]) for (_, numbers), changes in together.items()]


def keys_of(own: Sequence[Keyed], besides: Sequence[Keyed], known: Mapping[str, object]) -> list[str]:
    """The keys of all changes that a case waits for; `known` are the keys of changes that are a case's own."""
    return list(
        dict.fromkeys([change.key for change in own] + [change.key for change in besides if change.key in known])
    )


def _stage(named: Sequence[Keyed]) -> str:
    """The stage where a change shows first in most of its cases."""
    return Counter(change.stage for change in named).most_common(1)[0][0]


def _plainest(named: Sequence[K], stage: str) -> K:
    """The most common wording of a change in its cases, or the shortest of those; as an example if there are others.

    stage: the stage to show it at, if a case with that wording has it there.
    """
    times = Counter(change.wording for change in named)
    locations = Counter(change.where for change in named if change.where is not None)

    def order(change: K) -> tuple[int, int, str, bool, int]:
        wording = change.wording
        return -times[wording], len(wording), wording, change.stage != stage, -locations[change.where or ""]

    plainest = min(named, key=order)
    return plainest if len(times) == 1 else plainest.as_example()
