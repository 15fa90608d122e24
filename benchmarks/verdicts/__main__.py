"""What the comparison says of every pair of texts that the repository has: `python -m benchmarks.verdicts [--write]`.

The pairs are the goldens of each two of the versions that have some, and cases captured under planted changes. Their
verdicts, first divergences and codes are compared with the tables beside this file, and what differs is printed; the
exit status is then 1. `--write` makes what is said now the tables. It needs no torch, and takes seconds.

`--pack FILE...` makes captures that `python -m benchmarks.sensitivity --into FOLDER --keep` left the planted ones.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from itertools import combinations
from pathlib import Path

from benchmarks.price import VERSIONS
from benchmarks.verdicts import planted, table
from benchmarks.verdicts.table import Table
from pytest_compile_golden.cli.project import find_project
from pytest_compile_golden.recordings.from_goldens import Goldens

HERE = Path(__file__).parent
OVERLAYS = HERE / "overlays.tsv"
PLANTED = HERE / "planted.tsv"
CAPTURES = HERE / "planted.jsonl.xz"
MOVES = tuple(combinations(VERSIONS, 2))


def overlays(moves: Iterable[tuple[str, str]]) -> Table:
    """What is said now about the goldens of this repository."""
    project = find_project(HERE)
    goldens = Goldens(project.goldens, project.bases)
    tables = [table.of_goldens(goldens, *move) for move in moves]
    return Table(
        tuple(row for each in tables for row in each.rows),
        tuple(summary for each in tables for summary in each.summaries),
    )


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.verdicts", description=__doc__
    )
    parser.add_argument(
        "--write", action="store_true", help="make what is said now the tables"
    )
    parser.add_argument(
        "--planted",
        type=Path,
        default=CAPTURES,
        help="captures to compare in place of those kept",
    )
    parser.add_argument(
        "--pack",
        type=Path,
        nargs="+",
        metavar="FILE",
        help="keep these captures, and compare them",
    )
    given = parser.parse_args()
    if given.pack:
        planted.pack(
            table.telling(case for file in given.pack for case in planted.read(file)),
            CAPTURES,
        )
    found = {
        OVERLAYS: overlays(MOVES),
        PLANTED: table.of_planted(planted.read(given.planted)),
    }
    differ = False
    for file, now in found.items():
        if given.write:
            file.write_text(table.render(now), encoding="utf-8")
            continue
        for line in table.differences(
            table.parse(file.read_text(encoding="utf-8")), now
        ):
            print(line)
            differ = True
    return int(differ)


if __name__ == "__main__":
    sys.exit(main())
