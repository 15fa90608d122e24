"""Mutate torch's compiler, one change at a time: `python -m benchmarks.sensitivity [--into FOLDER] [--only REGEX]`.

With `--into`, verdicts are saved as they come, and a run continues where the last one stopped. `--record` saves there,
once, which torch functions each case calls; from then on, cases that do not reach a change are skipped. `--keep` saves
there what the cases captured that see a change, for `python -m benchmarks.verdicts`. `--again` makes the changes whose
captures that has, runs only their cases, and prints where one captures another text than it has.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.sensitivity.captured_again import differences
from benchmarks.sensitivity.choices import CHOICE_MUTATIONS
from benchmarks.sensitivity.code import CODE_MUTATIONS
from benchmarks.sensitivity.emitters import EMITTER_MUTATIONS
from benchmarks.sensitivity.frontend import FRONTEND_MUTATIONS
from benchmarks.sensitivity.graphs import GRAPH_MUTATIONS
from benchmarks.sensitivity.inductor import INDUCTOR_MUTATIONS
from benchmarks.sensitivity.mutation import Mutation, Neutral, together
from benchmarks.sensitivity.neutral import NEUTRAL_CHANGES
from benchmarks.sensitivity.reach import Reach
from benchmarks.sensitivity.runner import Verdict, record, run
from benchmarks.verdicts.__main__ import CAPTURES
from benchmarks.verdicts.planted import read

MUTATIONS: tuple[Mutation, ...] = (
    *FRONTEND_MUTATIONS,
    *GRAPH_MUTATIONS,
    *INDUCTOR_MUTATIONS,
    *CODE_MUTATIONS,
    *EMITTER_MUTATIONS,
    *CHOICE_MUTATIONS,
)
CASES = Path(__file__).parents[2] / "cases"


def _counted(part: int, total: int) -> str:
    return f"{part} of {total}" + (f" ({100 * part / total:.0f} %)" if total else "")


def _blame(mutation: Mutation, verdict: Verdict) -> bool:
    """Whether every case that the change affected blames the changed code."""
    return bool(verdict.changed) and all(map(mutation.blamed, verdict.changed.values()))


def _kept(into: Path | None) -> dict[str, Verdict]:
    """The latest verdict on each change in a folder."""
    file = into / "verdicts.jsonl" if into else None
    lines = (
        file.read_text(encoding="utf-8").splitlines() if file and file.exists() else []
    )
    return {
        verdict.name: verdict
        for verdict in (Verdict(**json.loads(line)) for line in lines)
    }


def _mutation_table(
    mutations: Sequence[Mutation], verdicts: dict[str, Verdict]
) -> Table:
    table = Table(
        "mutation",
        "kind",
        "seen",
        "blamed",
        "cases",
        "s",
        "first divergence",
        title="mutations",
    )
    for mutation in mutations:
        verdict = verdicts[mutation.name]
        if verdict.state != "ran":
            table.add_row(
                mutation.name,
                mutation.kind,
                f"[yellow]{verdict.state}",
                "",
                "",
                "",
                verdict.note,
            )
            continue
        shown = next(
            (each for each in (verdict.changed, verdict.errors, verdict.noted) if each),
            {},
        )
        first = next(iter(shown.values()), "")
        wrong = next(
            (text for text in verdict.changed.values() if not mutation.blamed(text)),
            None,
        )
        seen = (
            "yes"
            if verdict.changed
            else "error only"
            if verdict.errors
            else "noted"
            if verdict.noted
            else "[red]NO"
        )
        blamed = (
            "yes" if _blame(mutation, verdict) else "[red]NO" if verdict.seen else ""
        )
        changed_count = f"{len(verdict.changed)}/{verdict.cases}"
        table.add_row(
            mutation.name,
            mutation.kind,
            seen,
            blamed,
            changed_count,
            f"{verdict.seconds:.0f}",
            wrong or first,
        )
    return table


def _neutral_table(changes: Sequence[Neutral], verdicts: dict[str, Verdict]) -> Table:
    table = Table(
        "neutral change",
        "kind",
        "failed",
        "cases",
        "s",
        "what failed",
        title="neutral changes",
    )
    for change in changes:
        verdict = verdicts[change.name]
        if verdict.state != "ran":
            table.add_row(
                change.name,
                change.kind,
                f"[yellow]{verdict.state}",
                "",
                "",
                verdict.note,
            )
            continue
        failed = {**verdict.changed, **verdict.errors}
        summary = "; ".join(
            f"{case}: {text}" for case, text in list(failed.items())[:3]
        )
        shown = f"[red]{len(failed)}" if failed else "0"
        table.add_row(
            change.name,
            change.kind,
            shown,
            str(verdict.cases),
            f"{verdict.seconds:.0f}",
            summary,
        )
    return table


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.sensitivity", description=__doc__
    )
    parser.add_argument(
        "--only", default="", help="a regular expression over names and kinds"
    )
    parser.add_argument(
        "--full",
        action="store_true",
        help="run every case, even after one has seen the change",
    )
    parser.add_argument(
        "--cases",
        default=[],
        action="append",
        help="cases/test_x.py[::test_y], repeatable",
    )
    parser.add_argument(
        "--at-most",
        type=int,
        help="cases to run per change; a mutation that needs more is not seen",
    )
    parser.add_argument(
        "--every",
        type=int,
        default=1,
        help="for neutral changes: run every EVERY-th case of each subject",
    )
    parser.add_argument(
        "--which", choices=("mutations", "neutral", "both"), default="both"
    )
    parser.add_argument(
        "--together",
        action="store_true",
        help="make all neutral changes at once, and no mutations",
    )
    parser.add_argument(
        "--json",
        action="store_true",
        help="print every verdict as JSON instead of the tables",
    )
    parser.add_argument(
        "--into",
        type=Path,
        help="a folder that keeps the results; what is in it is not run again",
    )
    parser.add_argument(
        "--keep",
        action="store_true",
        help="with --into: keep what cases that see a planted change captured",
    )
    parser.add_argument(
        "--again",
        action="store_true",
        help="with --into: compare with what benchmarks.verdicts has, for its cases",
    )
    parser.add_argument(
        "--record",
        action="store_true",
        help="only record which functions each case calls",
    )
    arguments = parser.parse_args()
    from importlib.metadata import version

    pattern = re.compile(arguments.only)
    which = "neutral" if arguments.together else arguments.which
    mutations = [
        mutation
        for mutation in MUTATIONS
        if which != "neutral" and pattern.search(f"{mutation.name} ({mutation.kind})")
    ]
    neutral = [
        change
        for change in NEUTRAL_CHANGES
        if which != "mutations" and pattern.search(f"{change.name} ({change.kind})")
    ]
    if arguments.together:
        neutral = [together(neutral)]
    only: dict[str, set[str]] = {}
    if arguments.again:
        if arguments.into is None:
            parser.error("--again requires --into FOLDER")
        for case in read(CAPTURES):
            only.setdefault(case.change, set()).add(case.nodeid)
        mutations = [mutation for mutation in mutations if mutation.name in only]
        neutral = []
    began = time.monotonic()
    progress = Console(stderr=True)
    cases = arguments.cases or [str(CASES)]

    into: Path | None = arguments.into
    if arguments.record:
        if into is None:
            parser.error("--record requires --into FOLDER")
        into.mkdir(parents=True, exist_ok=True)
        record(cases, into / "reach.jsonl")
        return 0
    if into is not None:
        into.mkdir(parents=True, exist_ok=True)
    kept = _kept(into)
    reach = Reach(into / "reach.jsonl" if into else Path(os.devnull))

    def tell(verdict: Verdict) -> None:
        if into is not None:
            with (into / "verdicts.jsonl").open("a", encoding="utf-8") as lines:
                lines.write(json.dumps(asdict(verdict)) + "\n")
        text = next(
            iter(verdict.changed.values()),
            next(iter(verdict.errors.values()), verdict.note),
        )
        progress.print(
            f"{verdict.seconds:4.0f} s  {verdict.name}: {text or verdict.state}",
            markup=False,
            soft_wrap=True,
        )

    changes: list[Mutation | Neutral] = [*mutations, *neutral]
    results = [kept[change.name] for change in changes if change.name in kept]
    options = {
        "arguments": cases,
        "at_most": arguments.at_most,
        "reach": reach,
        "seen": tell,
    }
    if planted := [mutation for mutation in mutations if mutation.name not in kept]:
        captures = (
            into / "captures.jsonl"
            if into is not None and (arguments.keep or arguments.again)
            else None
        )
        results += run(
            planted,
            stop=not (arguments.full or arguments.again),
            keep=captures,
            only=only if arguments.again else None,
            **options,
        )
    if harmless := [change for change in neutral if change.name not in kept]:
        results += run(harmless, stop=False, every=arguments.every, **options)
    verdicts = {result.name: result for result in results}
    if into is not None and arguments.again:
        told = list(
            differences(read(CAPTURES), read(into / "captures.jsonl"), verdicts)
        )
        print("\n".join(told))
        return 1 if told else 0
    if arguments.json:
        blames = {
            mutation.name: _blame(mutation, verdicts[mutation.name])
            for mutation in mutations
        }
        documents = [
            {**asdict(result), "seen": result.seen, "blamed": blames.get(result.name)}
            for result in results
        ]
        print(json.dumps({"torch": version("torch"), "verdicts": documents}, indent=1))
        return 0
    console = Console(width=None if sys.stdout.isatty() else 200)
    if mutations:
        console.print(_mutation_table(mutations, verdicts))
    if neutral:
        console.print(_neutral_table(neutral, verdicts))
    ran = [mutation for mutation in mutations if verdicts[mutation.name].state == "ran"]
    seen = [mutation for mutation in ran if verdicts[mutation.name].seen]
    blamed = [
        mutation for mutation in seen if _blame(mutation, verdicts[mutation.name])
    ]
    noted = [
        mutation
        for mutation in ran
        if verdicts[mutation.name].noted and mutation not in seen
    ]
    calm = [change for change in neutral if verdicts[change.name].state == "ran"]
    loud = [change for change in calm if verdicts[change.name].seen]
    missing = sum(result.state == "not there" for result in results)
    console.print(
        f"torch {version('torch')}: seen {_counted(len(seen), len(ran))}, "
        f"only noted {len(noted)}, blamed correctly {_counted(len(blamed), len(seen))}, "
        f"neutral changes that failed {_counted(len(loud), len(calm))}, "
        f"not in this torch {missing} ({time.monotonic() - began:.0f} s)"
    )
    return 1 if loud or any(result.state == "broken" for result in results) else 0


if __name__ == "__main__":
    sys.exit(main())
