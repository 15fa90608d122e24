"""What is pending of one case as it is read and decided on: with verdicts, and as it is grouped by what changed."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from io import FileIO
from pathlib import Path, PurePosixPath
from typing import Literal, TypeVar

import msgspec

from pytest_compile_golden.changes.change import Severity
from pytest_compile_golden.common import disk_cache, files
from pytest_compile_golden.common.constants import ChangeKind
from pytest_compile_golden.errors import GoldenError
from pytest_compile_golden.formats.metrics.printed import MetricChange, Verdict
from pytest_compile_golden.goldens.change_groups import (
    CaseFound,
    SerializedFound,
    Waiting,
)
from pytest_compile_golden.goldens.compare_artifact import Compared, Unread, key_of
from pytest_compile_golden.goldens.first_divergence import cause
from pytest_compile_golden.goldens.golden_store import Store
from pytest_compile_golden.goldens.metric_history import Thresholds
from pytest_compile_golden.goldens.pending_store import (
    PendingArtifact,
    PendingCase,
    PendingStore,
    check,
)
from pytest_compile_golden.goldens.ranking import metric_name
from pytest_compile_golden.goldens.severity import judged, reason
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


class ChangeFacts(msgspec.Struct, frozen=True, array_like=True):
    """How one artifact differs, without its texts."""

    stage: str
    kind: ChangeKind | Literal["same"]
    since: str | None
    path: PurePosixPath
    metrics: tuple[MetricChange, ...]
    alike: str
    severity: Severity

    @classmethod
    def of(cls, change: Compared) -> ChangeFacts:
        return cls(
            change.stage,
            change.kind,
            change.since,
            change.path,
            change.metrics,
            change.alike,
            change.severity,
        )

    def unread(self, read: Callable[[], Compared]) -> Unread:
        """The comparison that these facts are of, which reads its texts only once they are asked for."""
        return Unread(
            self.stage,
            self.kind,
            "",
            "",
            self.since,
            self.path,
            self.metrics,
            self.alike,
            severity=self.severity,
            read=read,
        )


class ArtifactFacts(msgspec.Struct, frozen=True, array_like=True):
    """What is known of one pending artifact without its text."""

    stage: str
    stem: str
    kind: ChangeKind
    """As the run found it."""
    noted: bool
    change: ChangeFacts | None
    """How it differs from the golden in use; None if it has been accepted in the meantime or is refused."""
    parts: tuple[ChangeFacts, ...] = ()
    """If it is about several stages, what becomes of each of these."""
    refused: str | None = None
    """Why it no longer fits the goldens."""


class CaseFacts(msgspec.Struct, frozen=True, array_like=True):
    """What commands ask about one pending case, without its texts."""

    folder: PurePosixPath
    nodeid: str
    goldens: str
    torch: str
    moved_from: PurePosixPath | None
    accepted: tuple[str, ...]
    """See `PendingCase`; so are the others."""
    contents: str
    """A digest of its files."""
    artifacts: tuple[ArtifactFacts, ...]
    thresholds: dict[str, float]
    """Those that its metrics were judged by."""


_KEPT = msgspec.json.Decoder(
    tuple[CaseFacts, SerializedFound], dec_hook=lambda kind, text: kind(text)
)


def case_facts(
    pending: PendingStore, folder: PurePosixPath, store: Store, usual: Thresholds
) -> tuple[CaseFacts, CaseFound]:
    """What commands ask about a pending case, from what is kept by the contents of its files and its goldens' if
    possible.

    usual: how far a metric must move to count. Raises GoldenError if the case cannot be read.
    """

    def key() -> bytes | None:
        below = (folder, *store.bases.below(folder))
        goldens = [_contents(files.inside(store.root, each)) for each in below]
        if None in goldens:
            return None
        texts = (text for contents in goldens for text in ("", *(contents or ())))
        return disk_cache.key(
            "pending case", str(folder), contents_of(pending, folder), *texts
        )

    def encode(known: tuple[CaseFacts, CaseFound]) -> bytes:
        facts, found = known
        if key() != before or not all(
            is_built_in(artifact.stage) and artifact.refused is None
            for artifact in facts.artifacts
        ):
            # It is about a project's own stages, it is refused, or a run is writing it at this moment.
            raise ValueError(facts.nodeid)
        kept = facts, SerializedFound.of(found)
        return msgspec.json.encode(kept, enc_hook=os.fspath)

    def decode(said: bytes) -> tuple[CaseFacts, CaseFound]:
        facts, found = _KEPT.decode(said)
        if facts.thresholds != _thresholds_of(facts.artifacts, usual):
            raise ValueError(facts.nodeid)
        return facts, found.found

    before = key()
    return disk_cache.found(
        before,
        lambda: _find(pending.case(folder), contents_of(pending, folder), store, usual),
        encode,
        decode,
    )


def contents_of(pending: PendingStore, folder: PurePosixPath) -> str:
    """A digest of the files of a pending case. Raises GoldenError for a folder that is none of ours."""
    found = hashlib.sha256()
    for text in _contents(files.inside(pending.root, folder, "pending")) or ():
        found.update(b"%d:" % len(text))
        found.update(text.encode() if isinstance(text, str) else text)
    return found.hexdigest()


def _contents(where: Path) -> list[str | bytes] | None:
    """The names and contents of the files in a folder, hidden ones aside; None if they cannot be read."""
    found: list[str | bytes] = []
    try:
        with os.scandir(where) as entries:
            ordered = sorted(entries, key=lambda entry: entry.name)
        for entry in ordered:
            # What is refused, as links are, stays so: the name says that it is there.
            found.append(entry.name)
            if not entry.name.startswith(".") and entry.is_file(follow_symlinks=False):
                with FileIO(entry.path) as file:
                    found.append(file.read())
    except FileNotFoundError:
        return found
    except OSError:
        return None
    return found


def _thresholds_of(
    artifacts: Sequence[ArtifactFacts], usual: Thresholds
) -> dict[str, float]:
    """The thresholds that concern these artifacts."""
    return {
        name: usual[name]
        for artifact in artifacts
        if artifact.change is not None
        for name in map(metric_name, artifact.change.metrics)
        if name in usual
    }


def _find(
    case: PendingCase, contents: str, store: Store, usual: Thresholds
) -> tuple[CaseFacts, CaseFound]:
    changes: list[Compared] = []
    checked: list[tuple[PendingArtifact, Compared | None, str | None]] = []
    for artifact in case.artifacts:
        try:
            change, refused = check(case, artifact, store), None
        except GoldenError as error:
            change, refused = None, str(error)
        checked.append((artifact, change, refused))
    judged_changes = iter(
        with_verdicts(
            [change for _, change, _ in checked if change is not None], lambda: usual
        )
    )
    artifacts = []
    for artifact, change, refused in checked:
        if change is not None:
            change = next(judged_changes)
            changes.append(change)
        parts = () if change is None or change.parts == (change,) else change.parts
        artifacts.append(
            ArtifactFacts(
                artifact.stage,
                artifact.stem,
                artifact.kind,
                artifact.noted,
                None if change is None else ChangeFacts.of(change),
                tuple(map(ChangeFacts.of, parts)),
                refused,
            )
        )
    facts = CaseFacts(
        case.folder,
        case.nodeid,
        case.goldens,
        case.torch,
        case.moved_from,
        case.accepted,
        contents,
        tuple(artifacts),
        _thresholds_of(artifacts, usual),
    )
    return facts, waiting((change, None) for change in changes).found


def find_ahead(
    pending: PendingStore,
    case: PendingCase,
    store: Store,
    usual: Callable[[], Thresholds],
) -> None:
    """Find now what commands will ask about a case that becomes pending, and keep it for them."""
    if not all(is_built_in(artifact.stage) for artifact in case.artifacts):
        return  # of a project's own stages nothing is kept
    least = usual()  # which the run goes by, too
    with disk_cache.keeping(), suppress(GoldenError):  # commands say what they refuse
        case_facts(pending, case.folder, store, least)
