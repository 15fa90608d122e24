"""How long it takes to compare 2,000 artifacts with their goldens: `python -m benchmarks comparison`."""

from __future__ import annotations

import random
import time
from collections import Counter, defaultdict

from pytest_compile_golden.goldens.golden_store import same_behaviour
from pytest_compile_golden.stages import get_stage
from tests.rewrites import COSMETIC, STRUCTURAL, Rewrite, goldens, kind

ARTIFACTS = 2000


def run() -> None:
    """Print the time by stage, for artifacts that are identical, cosmetically different and changed."""
    rng = random.Random(0)
    pairs = []
    for number in range(ARTIFACTS):
        stage, _, body = goldens()[number % len(goldens())]
        cosmetic: list[Rewrite] = COSMETIC.get(kind(stage), [])[:1]
        structural = list(STRUCTURAL.get(kind(stage), {}).values())
        # A third of each: unchanged, all values renamed, one thing changed. Each text is new, so no cache helps.
        rewrites = ([], cosmetic, rng.sample(structural, 1) if structural else [])[
            rng.randrange(3)
        ]
        rewritten = body
        for rewrite in rewrites:
            rewritten = rewrite(rewritten, rng) or rewritten
        pairs.append((stage, body, rewritten))
    seconds: dict[str, float] = defaultdict(float)
    count: Counter[str] = Counter()
    lines: Counter[str] = Counter()
    verdicts: Counter[str] = Counter()
    for stage, body, rewritten in pairs:
        start = time.perf_counter()
        same = same_behaviour(get_stage(stage), body, rewritten)
        seconds[stage] += time.perf_counter() - start
        count[stage] += 1
        lines[stage] += body.count("\n")
        verdicts[
            "the same" if body == rewritten else "cosmetic" if same else "structural"
        ] += 1
    print(f"{'stage':<18} {'artifacts':>9} {'lines':>7} {'ms each':>8} {'seconds':>8}")
    for stage in sorted(seconds, key=lambda name: -seconds[name]):
        milliseconds = 1000 * seconds[stage] / count[stage]
        print(
            f"{stage:<18} {count[stage]:>9} {lines[stage]:>7} {milliseconds:>8.2f} {seconds[stage]:>8.2f}"
        )
    print(
        f"{'all':<18} {len(pairs):>9} {sum(lines.values()):>7} {'':>8} {sum(seconds.values()):>8.2f}"
    )
    print(", ".join(f"{times} {verdict}" for verdict, times in verdicts.items()))
