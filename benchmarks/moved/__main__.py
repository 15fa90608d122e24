"""What happens when torch moves a private name: `python -m benchmarks.moved [--only REGEX] [--every N] [--into FILE]`.

Each move is made in a fork, and the tiny programs that read its row are captured: in a fork of a process that has
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
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.moved.judged import (
    ACCUSED,
    ALL,
    CLEAR,
    NONE,
    OURS,
    PROMISED,
    TARGETS,
    Outcome,
    Seen,
    capture_all,
    judged,
)
from benchmarks.moved.moves import Move, moves
from benchmarks.moved.reached import places
from pytest_compile_golden.installed import torch_version
from pytest_compile_golden.targets import loading

_PATIENCE = 120


def in_fork(work: Callable[[], Any]) -> Any:
    """What `work` returns in a fork of this process; None if the fork dies or takes too long."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(reading)
            quiet = os.open(os.devnull, os.O_WRONLY)
            os.dup2(quiet, 1)
            os.dup2(quiet, 2)
            with os.fdopen(writing, "w") as file:
                json.dump(work(), file)
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as file:
        ready, _, _ = select.select([file], [], [], _PATIENCE)
        if not ready:
            os.kill(child, signal.SIGKILL)
        text = file.read()
    os.waitpid(child, 0)
    return json.loads(text) if text else None


class Reads:
    """Which programs read which rows, and which of these reads happen once in a process."""

    def __init__(self) -> None:
        cold, warm = in_fork(self._both)
        self._lines: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
        """Those that read a row, by program."""
        for program in ALL:
            for row, line in (*cold[program], *warm[program]):
                self._lines[row][program].add(line)
        again = {tuple(place) for read in warm.values() for place in read}
        self.once = {row for read in cold.values() for row, line in read if (row, line) not in again}

    @staticmethod
    def _both() -> list[dict[str, list[tuple[str, str]]]]:
        read = places()
        runs = []
        for _ in range(2):
            seen: dict[str, list[tuple[str, str]]] = {}
            for program in ALL:
                read.clear()
                capture_all([program])
                seen[program] = sorted(read)
            runs.append(seen)
        return runs

    def programs(self, move: Move, before: Seen) -> list[str]:
        """Those that the move can have an effect on."""
        if move.row.at in self.once:
            return list(ALL)
        if read := self._lines[move.row.at]:
            if move.kind == "gone":
                return [program for program in ALL if program in read]
            # What a signature has an effect on is the line that calls the function.
            return [*_covering({program: read[program] for program in ALL if program in read})]
        # Its stages are unavailable without it in any program, whether or not it is read.
        lost = {*move.row.stages, *(["metrics"] if move.row.facts else [])}
        showing = [program for program in ALL if lost & {*before[program]["texts"]}]
        return showing[:1] + showing[-1:]


def _covering(read: Mapping[str, set[str]]) -> Iterator[str]:
    """Programs that for each target contain every line that any program for it reads."""
    for target in TARGETS:
        own = {program: lines for program, lines in read.items() if program.startswith(target)}
        left = set[str]().union(*own.values())
        while left:
            program = max(own, key=lambda each: len(own[each] & left))
            left -= own[program]
            yield program


def run(chosen: Sequence[Move], tell: Callable[[Outcome], object] = lambda outcome: None) -> list[Outcome]:
    """Make each move in a fork of its own, and judge what it does."""
    import torch

    torch.set_num_threads(1)  # OpenMP's own threads do not exist in forks
    with loading.compiler():
        pass  # Not our own modules: some keep what a row is when they are imported, which has to be in the fork.
    before: Seen = in_fork(capture_all)
    if before is None or any("error" in seen for seen in before.values()):
        raise SystemExit(f"the programs cannot be captured as torch is: {before}")
    reads = Reads()
    outcomes = []

    def make(move: Move, before: Seen) -> None:
        programs = reads.programs(move, before)

        def moved() -> Seen:
            move.make(move.row)
            return capture_all(programs)

        after = in_fork(moved) if programs else {}
        died = Outcome(move.name, OURS, "the process died, or did not end")
        outcomes.append(died if after is None else judged(move, before, after))
        tell(outcomes[-1])

    for move in chosen:
        if move.row.at in reads.once:
            make(move, before)
    capture_all()
    before = capture_all()
    gc.freeze()
    for move in chosen:
        if move.row.at not in reads.once:
            make(move, before)
    return outcomes


def table(outcomes: Sequence[Outcome]) -> str:
    """As Markdown: how many moves of each kind had which effect."""
    shown = (PROMISED, CLEAR, OURS, ACCUSED, NONE)
    counts = Counter((outcome.move.partition(":")[0], outcome.effect) for outcome in outcomes)
    lines = [f"| what moved | tried | {' | '.join(shown)} |", f"|---|{'---|' * (len(shown) + 1)}"]
    for kind in dict.fromkeys(outcome.move.partition(":")[0] for outcome in outcomes):
        numbers = [counts[kind, effect] for effect in shown]
        lines.append(f"| {kind} | {sum(numbers)} | {' | '.join(map(str, numbers))} |")
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.moved", description=__doc__)
    parser.add_argument("--only", default="", help="a regular expression over moves")
    parser.add_argument("--every", type=int, default=1, help="make every EVERY-th move only")
    parser.add_argument("--shard", type=int, default=0, help="begin with this one of them")
    parser.add_argument(
        "--into", type=Path, help="a file for outcomes, as JSON lines; moves that it has are not made again"
    )
    arguments = parser.parse_args()
    done: list[Outcome] = []
    if arguments.into and arguments.into.exists():
        done = [Outcome(**json.loads(line)) for line in arguments.into.read_text(encoding="utf-8").splitlines()]
    names = {outcome.move for outcome in done}
    chosen = [move for move in moves() if re.search(arguments.only, move.name)]
    chosen = [move for move in chosen[arguments.shard :: arguments.every] if move.name not in names]

    def tell(outcome: Outcome) -> None:
        if outcome.effect in (OURS, ACCUSED, CLEAR):
            print(f"{outcome.effect}: {outcome.move}\n    {outcome.detail[:400]}", file=sys.stderr)
        if arguments.into:
            with arguments.into.open("a", encoding="utf-8") as lines:
                lines.write(json.dumps(vars(outcome)) + "\n")

    outcomes = [*done, *run(chosen, tell)]
    print(f"torch {torch_version()}, {len(outcomes)} moves\n\n{table(outcomes)}")
    return 1 if any(outcome.effect in (OURS, ACCUSED) for outcome in outcomes) else 0


if __name__ == "__main__":
    sys.exit(main())
