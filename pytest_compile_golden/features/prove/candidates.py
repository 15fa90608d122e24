"""What may have made an artifact differ: definitions that differ and that ran before it was complete."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cached_property

from pytest_compile_golden.features.prove.function_coverage import Place, Ran, entry_of
from pytest_compile_golden.features.prove.prove_protocol import Edit
from pytest_compile_golden.features.prove.sandbox import SearchTimeout
from pytest_compile_golden.features.prove.source_differences import (
    Differences,
    Differing,
    words_in,
)
from pytest_compile_golden.recordings import compare_cases
from pytest_compile_golden.recordings.recording import RecordedCase
from pytest_compile_golden.report.case_report import case_report
from pytest_compile_golden.report.model import CaseReport
from pytest_compile_golden.torch_source import config_defaults
from pytest_compile_golden.torch_source.installed_sources import Sources

_LESS = 0.3
"""What a word around a change, or one of a step that differs, counts, compared with one of it."""
_BY_SIZE = 0.35
_NEARER = 3
_SHORTEST = 3
"""Letters of a part of a name."""


def settings(old: Sources, new: Sources) -> list[Edit]:
    """Defaults of torch's configuration, back to what they were."""
    if new.package != "torch":
        return []
    return [
        Edit("setting", f"torch/_{package}/config.py", name, default.old or "False")
        for default in config_defaults.changed(old, new)
        for package, _, name in [default.name.partition(".")]
    ]


def ran(
    differences: Differences,
    places: Iterable[Place],
    names: Collection[str],
    until: float = math.inf,
) -> dict[Edit, Differing]:
    """The functions that differ among those with code at these places, and what they may use of their files.

    names: those that the functions that ran refer to. until: by `time.monotonic`; raises SearchTimeout if not all files
    were compared by then.
    """
    found = {}
    files: dict[str, set[int]] = {}
    for file, line in places:
        files.setdefault(file, set()).add(line)
    folders = dict.fromkeys(file.rpartition("/")[0] for file in files)
    files |= {
        file: set() for folder in folders for file in differences.new.templates(folder)
    }
    for file, lines in files.items():
        if time.monotonic() > until:
            raise SearchTimeout
        for one in differences.of(file):
            if one.first and (
                one.kind == "function" or (one.kind == "added" and "." in one.name)
            ):
                there = any(one.first <= line <= one.last for line in lines)
                there = there or (
                    one.once and (one.name.endswith("__init__") or one.name in names)
                )
            else:
                there = one.kind != "constant" or one.name.rpartition(".")[2] in names
            if there:
                found[Edit(one.kind, file, one.name, was=one.was)] = one
    return found


@dataclass(frozen=True)
class Pool:
    """The candidates of a search."""

    edits: dict[Edit, Differing]
    near: frozenset[Edit]
    """Those that ran after the stage before was complete."""
    blamed: Collection[str]
    """The places that the report names, `torch/a.py:12` or `torch/a.py:function`."""
    subjects: frozenset[str] = frozenset()
    """The words of what it says has changed."""
    called: Collection[tuple[str, str]] = ()
    """The file and the last part of the name of what is called at these places."""

    def likeliest(
        self,
        words: Collection[str],
        trail: Collection[str] = (),
        found: Collection[Edit] = (),
    ) -> list[Edit]:
        """Those that the report blames, what these call, what registers something for an operator that it names, then
        those that share rare words with what differs, or with its trail, or with what was found so far.

        Of functions that changed a lot, much is shared by chance.
        """
        also = frozenset(trail).union(
            *(self._words[edit][0] for edit in found if edit in self._words)
        )
        said = self.subjects.union(words)
        weights = dict.fromkeys(map(_singular, also), _LESS) | dict.fromkeys(
            map(_singular, said), 1.0
        )
        scores: dict[Edit, float] = {}
        for edit, (own, around) in self._words.items():
            score = sum(
                weights[word] / self._common[word] for word in own & weights.keys()
            )
            score += _LESS * sum(
                weights[word] / self._common[word] for word in around & weights.keys()
            )
            if score:
                size = (len(self.edits[edit].words) + 1) ** _BY_SIZE
                scores[edit] = score / size * (_NEARER if edit in self.near else 1)
        likely = sorted(scores, key=lambda edit: scores[edit], reverse=True)
        called = (
            edit
            for edit in likely
            if (edit.file, edit.name.rpartition(".")[2]) in self.called
        )
        about = self.subjects - {"aten", "torch"}
        registers = (
            edit
            for edit in likely
            if edit.kind == "call" and self.edits[edit].words & about
        )
        return list(
            dict.fromkeys(
                [*filter(self._is_blamed, self.edits), *called, *registers, *likely]
            )
        )

    @cached_property
    def _words(self) -> dict[Edit, tuple[frozenset[str], frozenset[str]]]:
        """Of each candidate, those that changed, or are in its name, and those around them."""
        return {
            edit: (
                _with_parts({*one.words, one.name.rpartition(".")[2]}),
                _with_parts(one.around),
            )
            for edit, one in self.edits.items()
        }

    @cached_property
    def _common(self) -> Counter[str]:
        """How many candidates have a word."""
        return Counter(
            word for own, around in self._words.values() for word in own | around
        )

    def others(self, without: Collection[Edit]) -> list[Edit]:
        """Those of a file together: what a function calls is mostly there, and changed with it.

        What is not known to have run comes last.
        """
        files = {where.rpartition(":")[0] for where in self.blamed}
        return sorted(
            (edit for edit in self.edits if edit not in without),
            key=lambda edit: (
                edit.kind in ("call", "added") or not self.edits[edit].first,
                edit.file not in files,
                edit not in self.near,
            ),
        )

    def _is_blamed(self, edit: Edit) -> bool:
        one = self.edits[edit]
        for where in self.blamed:
            file, _, at = where.rpartition(":")
            if file == edit.file and (
                at == edit.name or (at.isdigit() and one.first <= int(at) <= one.last)
            ):
                return True
        return False


def _with_parts(words: Collection[str]) -> frozenset[str]:
    """Also those that names are made of: `rand4x` in `use_rand4x`."""
    parts = (
        part for word in words for part in word.split("_") if len(part) >= _SHORTEST
    )
    return frozenset(map(_singular, [*words, *parts]))


def _singular(word: str) -> str:
    """`merge_loops` is about a loop."""
    return word.removesuffix("s")


def until(
    ran: Ran, stage: str, stages: Iterable[str]
) -> tuple[list[Place], list[Place]]:
    """What ran before `stage` was complete: first that in which the first of these stages was made, then the rest.

    stages: those in which changes show, also phases of the pipeline.
    """
    made = list(ran)  # in the order in which they were first made
    last = entry_of(stage)
    made = made[: made.index(last) + 1] if last in made else made
    entries = set(map(entry_of, stages))
    near = next((entry for entry in made if entry in entries), last)
    places = dict.fromkeys(ran.get(near, ()))
    at = made.index(near) if near in made else len(made)
    return list(places), list(
        {
            place: None
            for entry in (*reversed(made[:at]), *made[at:])
            for place in ran[entry]
            if place not in places
        }
    )


def said(goal: RecordedCase, now: RecordedCase | None) -> CaseReport | None:
    """What a report says of a case, which tells where to search."""
    if now is None:
        return None
    return case_report(
        now.nodeid, now.target, compare_cases.compared(goal, now, None), detail="brief"
    )


def blamed(report: CaseReport | None) -> list[str]:
    """The places in torch that a report names."""
    if report is None:
        return []
    first = report.divergence
    places = [] if first is None else [first.where, first.also_where]
    places += [
        change.where or change.defined
        for change in (*report.changes, *report.secondary)
    ]
    return [where for where in dict.fromkeys(places) if where is not None]


def subjects(report: CaseReport | None) -> frozenset[str]:
    """The words in the names that its changes are about; a change may show in a number, and these only in the trail.

    Also those of its type: `reduction-steps`.
    """
    changes = () if report is None else (*report.changes, *report.secondary)
    return frozenset(
        words_in(
            name
            for change in changes
            for name in (*change.names, change.key, change.code)
        )
    )
