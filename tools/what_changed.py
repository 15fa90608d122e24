"""Write docs/what-changed.md: what torch.compile changed between versions, according to the committed goldens.

    python tools/what_changed.py

torch is not needed. What made the changes was proved once and is kept in tools/proofs.json. To prove changes again, or
new ones, with both torchs installed, for all cases or in parts (`--case`):

    compile-golden diff goldens@2.14.1 goldens@2.15.0 --prove --report step.json
    python tools/what_changed.py step.json
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import msgspec

from pytest_compile_golden.cli.project import find_project
from pytest_compile_golden.features.prove import prove_every_change
from pytest_compile_golden.recordings.from_goldens import Goldens
from pytest_compile_golden.report import compare_recordings, json_report, markdown
from pytest_compile_golden.report.model import Proof, Report
from pytest_compile_golden.report.run_summary import Counts, headline

ROOT = Path(__file__).parents[1]
FILE = ROOT / "docs" / "what-changed.md"
PROOFS = ROOT / "tools" / "proofs.json"
VERSIONS = ("2.12.1", "2.13.0", "2.14.1", "2.15.0")
# Characters of the report for each step, enough to list each of its changes; `compile-golden diff` has the rest.
_LENGTH = 50_000


class Kept(msgspec.Struct):
    """A proof, and the changes that it explains, each as a case and the key of its change."""

    proof: Proof
    changes: tuple[prove_every_change.Place, ...]


_HEAD = """# What torch.compile changed

What each version of torch did differently from the previous one on this repository's cases, according to its goldens.
Written by `python tools/what_changed.py`; `compile-golden diff goldens@2.13.0 goldens@2.15.0` compares any two of them,
with every diff, on a machine without torch.
"""


def text() -> str:
    """The whole page."""
    goldens = Goldens(ROOT / "goldens", find_project(ROOT).bases)
    sides = [(version, goldens.recording(version)) for version in VERSIONS]
    kept = proofs()
    steps = []
    for (before, old), (after, new) in pairwise(sides):
        found = _found(kept.get(f"{before} {after}", ()))
        steps.append(
            _told(
                prove_every_change.with_proofs(
                    compare_recordings.report(old, new, before, after), found
                )
            )
        )
    parts = [
        _HEAD,
        "\n".join(_overview(steps)) + "\n",
        *(_step(step) for step in steps),
    ]
    return "\n".join(parts)


def _told(step: Report) -> Report:
    """With why a change was not searched, where no definition in Python makes it."""
    groups = (
        replace(group, proof=group.proof or prove_every_change.not_searched(group))
        if group.is_change
        else group
        for group in step.groups
    )
    return replace(step, groups=tuple(groups))


def _overview(steps: Sequence[Report]) -> Iterator[str]:
    yield "| | cases changed | distinct changes | better | worse | mixed |"
    yield "|---|---|---|---|---|---|"
    for step in steps:
        verdicts = Counts.of(step).verdicts
        changed = f"{step.count('changed')} of {len(step.cases)}"
        distinct = sum(group.is_change for group in step.groups)
        name = f"{step.old.label} to {step.new.label}"
        told = " | ".join(
            str(verdicts[verdict]) for verdict in ("WIN", "REGRESSION", "mixed")
        )
        yield f"| [{name}](#{_anchor(name)}) | {changed} | {distinct} | {told} |"


def _anchor(title: str) -> str:
    return title.replace(".", "").replace(" ", "-")


def _step(step: Report) -> str:
    head = f"## {step.old.label} to {step.new.label}\n\n**{headline(step)}**\n\n"
    text = markdown.groups(step, _LENGTH) + markdown.proved(step, 2 * _LENGTH)
    return head + text.replace(": see the HTML report", "")


def proofs() -> dict[str, tuple[Kept, ...]]:
    """By the two versions, with a space between them."""
    return msgspec.json.decode(PROOFS.read_bytes(), type=dict[str, tuple[Kept, ...]])


def keep(report: Report) -> None:
    """Keep the proofs of a report, and why others were not found; those of changes that it has none for stay."""
    kept = proofs()
    step = " ".join(
        str(side.torch).partition("+")[0] for side in (report.old, report.new)
    )
    tried = {
        (one, key): group.proof
        for group in report.groups
        if group.proof
        for one in group.members
        for key in group.keys
    }
    found = tried | _found(kept.get(step, ())) | prove_every_change.known_of(report)
    places: dict[Proof, list[prove_every_change.Place]] = {}
    for place, proof in sorted(found.items(), key=lambda entry: entry[0]):
        places.setdefault(proof, []).append(place)
    kept[step] = tuple(Kept(proof, tuple(its)) for proof, its in places.items())
    text = msgspec.json.format(
        msgspec.json.encode(dict(sorted(kept.items()))), indent=1
    )
    PROOFS.write_bytes(text + b"\n")


def _found(kept: Iterable[Kept]) -> dict[prove_every_change.Place, Proof]:
    return {place: one.proof for one in kept for place in one.changes}


if __name__ == "__main__":
    for path in sys.argv[1:]:
        keep(json_report.read(Path(path)))
    FILE.write_text(text(), encoding="utf-8")
