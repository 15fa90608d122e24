"""What happens when torch moves a private name: `python -m benchmarks.moved [--only REGEX] [--every N] [--into FILE]`.

Each move is made in a fork, and the tiny cases that read its row are captured: in a fork of a process that has
captured them before if they read it each time, and of one that has only imported torch if they read it once.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import re
import select
import signal
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from zlib import crc32

from benchmarks.moved.judged import (
    ACCUSED,
    CASES,
    CLEAR,
    NONE,
    OURS,
    PROMISED,
    Outcome,
    Seen,
    capture_all,
    judged,
)
from benchmarks.moved.moves import Move, moves
from benchmarks.moved.reached import places
from pytest_compile_golden.common.installed_torch import torch_version
from pytest_compile_golden.targets import import_torch

_PATIENCE = 120
"""Seconds."""


def in_fork(work: Callable[[], Any], patience: float = _PATIENCE) -> Any:
    """What `work` returns in a fork of this process; None if the fork dies or takes more seconds than that."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(reading)
            with os.fdopen(writing, "w") as file:
                json.dump(work(), file)
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as file:
        ready, _, _ = select.select([file], [], [], patience)
        if not ready:
            os.kill(child, signal.SIGKILL)
        text = file.read()
    os.waitpid(child, 0)
    return json.loads(text) if text else None


def _quietly(work: Callable[[], Any]) -> Any:
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    return work()


class Reads:
    """Which cases read which rows, and which of these reads happen once in a process."""

    def __init__(self) -> None:
        cold, warm = in_fork(self._both)
        self._cases: dict[str, set[str]] = defaultdict(set)
        for case in CASES:
            for row, _ in (*cold[case], *warm[case]):
                self._cases[row].add(case)
        again = {tuple(place) for read in warm.values() for place in read}
        self.once = {
            row
            for read in cold.values()
            for row, line in read
            if (row, line) not in again
        }

    @staticmethod
    def _both() -> list[dict[str, list[tuple[str, str]]]]:
        read = places()
        runs = []
        for _ in range(2):
            seen: dict[str, list[tuple[str, str]]] = {}
            for case in CASES:
                read.clear()
                capture_all([case])
                seen[case] = sorted(read)
            runs.append(seen)
        return runs

    def cases(self, move: Move, before: Seen) -> list[str]:
        """Those that the move can have an effect on."""
        if move.row.at in self.once:
            return list(CASES)
        if read := self._cases[move.row.at]:
            return [case for case in CASES if case in read]
        # Its stages are unavailable without it in any case, whether or not it is read.
        lost = {*move.row.stages, *(["metrics"] if move.row.facts else [])}
        return [case for case in CASES if lost & {*before[case]["texts"]}][:1]


def run(
    chosen: Sequence[Move], tell: Callable[[Outcome], object] = lambda outcome: None
) -> list[Outcome]:
    """Make each move in a fork of its own, and judge what it does; in random order, so that a part is a sample."""
    import torch

    torch.set_num_threads(1)  # OpenMP's own threads do not exist in forks
    with import_torch.compiler():
        pass  # Not our own modules: some keep what a row is when they are imported, which has to be in the fork.
    cold: Seen = in_fork(lambda: _quietly(capture_all))
    if cold is None or any("error" in seen for seen in cold.values()):
        raise SystemExit(f"the cases cannot be captured as torch is: {cold}")
    reads = Reads()

    def make(move: Move, before: Seen) -> Outcome:
        cases = reads.cases(move, before)

        def moved() -> Seen:
            move.make(move.row)
            return capture_all(cases)

        after = in_fork(lambda: _quietly(moved)) if cases else {}
        died = Outcome(move.name, OURS, "the process died, or did not end")
        outcome = died if after is None else judged(move, before, after)
        tell(outcome)
        return outcome

    def read_each_time() -> list[dict[str, str]]:
        # Not the backward passes for a GPU: torch runs none in a fork of a process that has run one.
        for _ in range(2):
            capture_all(
                [case for case in CASES if not CASES[case][0].options().get("train")]
            )
        before = in_fork(lambda: _quietly(capture_all))
        gc.freeze()
        return [
            vars(make(move, before))
            for move in shuffled
            if move.row.at not in reads.once
        ]

    shuffled = sorted(chosen, key=lambda move: crc32(move.name.encode()))
    outcomes = [Outcome(**each) for each in in_fork(read_each_time, patience=7200)]
    return [
        *outcomes,
        *(make(move, cold) for move in shuffled if move.row.at in reads.once),
    ]


def table(outcomes: Sequence[Outcome]) -> str:
    """As Markdown: how many moves of each kind had which effect."""
    shown = (PROMISED, CLEAR, OURS, ACCUSED, NONE)
    counts = Counter(
        (outcome.move.partition(":")[0], outcome.effect) for outcome in outcomes
    )
    lines = [
        f"| what moved | tried | {' | '.join(shown)} |",
        f"|---|{'---|' * (len(shown) + 1)}",
    ]
    for kind in dict.fromkeys(outcome.move.partition(":")[0] for outcome in outcomes):
        numbers = [counts[kind, effect] for effect in shown]
        lines.append(f"| {kind} | {sum(numbers)} | {' | '.join(map(str, numbers))} |")
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.moved", description=__doc__
    )
    parser.add_argument("--only", default="", help="a regular expression over moves")
    parser.add_argument(
        "--every", type=int, default=1, help="make every EVERY-th move only"
    )
    parser.add_argument(
        "--shard", type=int, default=0, help="begin with this one of them"
    )
    parser.add_argument(
        "--into",
        type=Path,
        help="a file for outcomes, as JSON lines; moves that it has are not made again",
    )
    arguments = parser.parse_args()
    done: list[Outcome] = []
    if arguments.into and arguments.into.exists():
        done = [
            Outcome(**json.loads(line))
            for line in arguments.into.read_text(encoding="utf-8").splitlines()
        ]
    names = {outcome.move for outcome in done}
    chosen = [move for move in moves() if re.search(arguments.only, move.name)]
    chosen = [
        move
        for move in chosen[arguments.shard :: arguments.every]
        if move.name not in names
    ]

    def tell(outcome: Outcome) -> None:
        if outcome.effect in (OURS, ACCUSED, CLEAR):
            print(
                f"{outcome.effect}: {outcome.move}\n    {outcome.detail[:400]}",
                file=sys.stderr,
            )
        if arguments.into:
            with arguments.into.open("a", encoding="utf-8") as lines:
                lines.write(json.dumps(vars(outcome)) + "\n")

    outcomes = [*done, *run(chosen, tell)]
    print(f"torch {torch_version()}, {len(outcomes)} moves\n\n{table(outcomes)}")
    return 1 if any(outcome.effect in (OURS, ACCUSED) for outcome in outcomes) else 0


if __name__ == "__main__":
    sys.exit(main())
