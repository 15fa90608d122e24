"""What is pending of one case as it is read and decided on: with verdicts, and as it is grouped by what changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TypeVar

import msgspec

from pytest_compile_golden.common import disk_cache
from pytest_compile_golden.errors import GoldenError
from pytest_compile_golden.formats.metrics.printed import Verdict
from pytest_compile_golden.goldens.change_groups import Waiting
from pytest_compile_golden.goldens.compare import Compared, key_of
from pytest_compile_golden.goldens.first_divergence import cause
from pytest_compile_golden.goldens.metric_history import Thresholds
from pytest_compile_golden.goldens.pending_case import PendingCase, check
from pytest_compile_golden.goldens.severity import judged, reason
from pytest_compile_golden.goldens.store import Store
from pytest_compile_golden.stages import is_built_in

T = TypeVar("T")
_VERDICTS = msgspec.json.Decoder(list[Verdict])


def with_verdicts(
    changes: Sequence[Compared], usual: Callable[[], Thresholds]
) -> list[Compared]:
    """The changes of one case, with verdicts on its metrics if torch is the cause.

    usual: gives how far a metric must move to count, and is called only if one has changed.
    """
    compared = [change for change in changes if change.kind != "new"]
    if not any(change.metrics for change in compared):
        return [*changes]
    least = usual()

    def find() -> list[Verdict]:
        metrics = [metric for change in compared for metric in change.metrics]
        return [
            metric.verdict
            for metric in judged(
                metrics, cause(compared), compared, reason(compared), least
            )
        ]

    key = key_of("verdicts", compared, repr(sorted(least.items())))
    verdicts = iter(disk_cache.found(key, find, msgspec.json.encode, _VERDICTS.decode))
    return [
        replace(
            change,
            metrics=tuple(
                replace(metric, verdict=next(verdicts)) for metric in change.metrics
            ),
        )
        if change.metrics
        else change
        for change in changes
    ]


def waiting(changes: Iterable[tuple[Compared, T]]) -> Waiting[T]:
    """A case as it is grouped by what changed, each change with whatever is grouped by it."""
    parts: list[tuple[Compared, T]] = []
    for change, member in changes:
        # What only looks different in a text that is decided on as a whole is no distinct change of its own.
        several = [part for part in change.parts if part.fails] or [change]
        parts += [(part, member) for part in several]
    return Waiting(tuple(parts))


def find_ahead(
    case: PendingCase, store: Store, usual: Callable[[], Thresholds]
) -> None:
    """Find now what commands will ask about a case that becomes pending, and keep it for them."""
    if not all(is_built_in(artifact.stage) for artifact in case.artifacts):
        return  # of a project's own stages nothing is kept
    with disk_cache.keeping():
        changes = []
        for artifact in case.artifacts:
            with suppress(GoldenError):  # the commands say what they refuse
                if (change := check(case, artifact, store)) is not None:
                    changes.append(change)
        _ = waiting((change, None) for change in with_verdicts(changes, usual)).found
