"""How far metrics usually move from one torch version to the next, by the goldens that a project has of several."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path, PurePosixPath

import msgspec
from packaging.version import Version

from pytest_compile_golden.common import disk_cache
from pytest_compile_golden.errors import GoldenError
from pytest_compile_golden.formats.format import Number
from pytest_compile_golden.formats.metrics.metric_table import (
    DIRECTIONS,
    MEASURED,
    NOT_COMPARED,
    UNITS,
)
from pytest_compile_golden.formats.metrics.printed import LEAST, numbers
from pytest_compile_golden.goldens.golden_header import parse_bytes
from pytest_compile_golden.goldens.golden_history import golden_files, stem_of
from pytest_compile_golden.goldens.golden_paths import (
    OLDEST,
    GoldenPath,
    parse_version,
    release_name,
)

Thresholds = Mapping[str, float]
"""The relative change from which on a metric counts, by name, where it is not the default."""

ENOUGH = 200
"""The least number of pairs, of a case and two releases that follow each other, that say how far a metric moves."""
RARE = 100
"""At most one pair in so many moves as far as a change that counts."""
MOST = 0.05
"""A change of this size counts, however often the metric moves as far."""
_THRESHOLDS = msgspec.json.Decoder(dict[str, float])
_WEIGHED = frozenset(
    name
    for name, unit in UNITS.items()
    if unit in MEASURED and DIRECTIONS[name] and name not in NOT_COMPARED
)


def thresholds(root: Path) -> Thresholds:
    """What a change of a measured metric must reach to count, if it moves by more than the default in many goldens.

    root: the folder of the project's goldens. What is between two releases without an overlay is as it was. Goldens
    that cannot be read are left out: whoever uses them says so.
    """
    goldens = []
    for path in golden_files(root, "metrics"):
        if (stem_of(path.name) or "").partition(".")[0] == "metrics":
            with suppress(OSError):
                goldens.append((path, path.read_bytes()))
    texts = (
        text
        for path, data in goldens
        for text in (str(path).removeprefix(str(root)), data)
    )
    return disk_cache.found(
        disk_cache.key("thresholds", *texts),
        lambda: _find(goldens),
        msgspec.json.encode,
        _THRESHOLDS.decode,
    )


def _find(files: Sequence[tuple[Path, bytes]]) -> Thresholds:
    values: defaultdict[
        tuple[Path, str], list[tuple[Version, Mapping[str, Number]]]
    ] = defaultdict(list)
    releases = set()
    for path, data in files:
        stem = stem_of(path.name) or ""
        try:
            header, text = parse_bytes(data, "#", path)
            release = GoldenPath(PurePosixPath(), stem, "toml").release_of(path.name)
            releases.add(release or release_name(parse_version(header.torch)))
            since = OLDEST if release is None else parse_version(release)
        except GoldenError:
            continue
        values[path.parent, stem].append((since, numbers(text) or {}))
    pairs: defaultdict[str, int] = defaultdict(int)
    moves: defaultdict[str, list[float]] = defaultdict(list)
    for goldens in values.values():
        in_order = [found for _, found in sorted(goldens, key=lambda golden: golden[0])]
        for name in _WEIGHED.intersection(*in_order):
            pairs[name] += len(releases) - 1
            moves[name] += [
                abs(new - old) / abs(old)
                for old, new in itertools.pairwise(found[name] for found in in_order)
                if isinstance(old, (int, float))
                and isinstance(new, (int, float))
                and old
            ]
    found: dict[str, float] = {}
    for name, compared in pairs.items():
        usual = sorted(moves[name], reverse=True)[compared // RARE :]
        if compared >= ENOUGH and usual and usual[0] > LEAST:
            found[name] = min(usual[0], MOST)
    return found
