"""Whether costs are given to their changes: `python -m benchmarks.combined [--into FOLDER] [--show VERDICT]`.

Each program is captured as the installed torch compiles it, with each change of `toggles.py` alone, and with pairs of
them. Alone, every cost is that change's. Where what both cost together is the sum of what each costs alone, the report
of the pair has to give each change as much as it has alone, or say that a part is unexplained. Captures that are in the
folder are not made again.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from benchmarks.combined.judging import (
    COUNTED,
    LENT,
    METRICS,
    TOGETHER,
    TRUE,
    UNKNOWN,
    JudgedCost,
    judged,
)

VERDICTS = (TRUE, UNKNOWN, COUNTED, TOGETHER, LENT)


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.combined", description=__doc__
    )
    parser.add_argument("--into", type=Path, help="where captures are kept")
    parser.add_argument("--target", default="cuda-sm90")
    parser.add_argument("--pairs", type=int, default=8, help="of each program, at most")
    parser.add_argument("--programs", default="", help="a pattern for their names")
    parser.add_argument("--changes", default="", help="a pattern for their names")
    parser.add_argument("--compare", action="store_true", help="capture nothing")
    parser.add_argument("--show", choices=[*VERDICTS, "absent"], help="each of these")
    parser.add_argument("--most", type=int, default=20, help="how many are shown")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        into = given.into or Path(folder)
        if not given.compare:
            # Which imports torch.
            from benchmarks.combined.capturing import capture_all
            from benchmarks.combined.programs import PROGRAMS
            from benchmarks.combined.toggles import TOGGLES

            programs = [
                each for each in PROGRAMS if re.search(given.programs, each.name)
            ]
            changes = [each for each in TOGGLES if re.search(given.changes, each.name)]
            capture_all(into, programs, changes, given.target, given.pairs)
        found = judged(into)
    print("| metric | | " + " | ".join(VERDICTS) + " | not a sum |")
    print("|---" * (len(VERDICTS) + 3) + "|")
    for what, costs in (("alone", found.alone), ("in a pair", found.paired)):
        for metric in METRICS:
            of_metric = [cost for cost in costs if cost.metric == metric]
            sums = found.not_sums[metric] if costs is found.paired else ""
            print(f"| `{metric}` | {what} | {_row(of_metric)} | {sums} |")
        sums = found.not_sums.total() if costs is found.paired else ""
        print(f"| all | {what} | {_row(costs)} | {sums} |")
    kinds = Counter(each.partition(":")[0] for each in found.absent)
    print(f"{found.changes} changes told alone; of the pair not told: {dict(kinds)}")
    if given.show == "absent":
        print(*found.absent[: given.most], sep="\n")
    elif given.show:
        shown = [
            cost for cost in (*found.alone, *found.paired) if cost.verdict == given.show
        ]
        for cost in sorted(shown, key=lambda each: -each.relative)[: given.most]:
            print(
                f"{cost.program}: {' + '.join(cost.toggles)}: {cost.metric} of {cost.of}: "
                f"{cost.relative:.1%} {cost.verdict}: {cost.why}\n"
            )
    return 0


def _row(costs: Sequence[JudgedCost]) -> str:
    counts = Counter(cost.verdict for cost in costs)
    return " | ".join(str(counts[verdict]) for verdict in VERDICTS)


if __name__ == "__main__":
    sys.exit(main())
