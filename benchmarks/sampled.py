"""Samples of the cases; as a pytest plugin, every SAMPLED-th of each subject and target, or DRAWN random cases."""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Sequence
from typing import TypeVar

import pytest

_Item = TypeVar("_Item", bound=pytest.Item)


def sample(items: Sequence[_Item], every: int) -> list[_Item]:
    """Every `every`-th case of each test file and target, starting with the first."""
    met: Counter[tuple[str, str]] = Counter()
    chosen = []
    for item in items:
        file, _, test = item.nodeid.partition("::")
        key = (file, test.rpartition("[")[2].rpartition("-")[2])
        if met[key] % every == 0:
            chosen.append(item)
        met[key] += 1
    return chosen


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if drawn := os.environ.get("DRAWN"):
        items[:] = random.Random(0).sample(items, int(drawn))  # the same in every run
    else:
        items[:] = sample(items, int(os.environ["SAMPLED"]))
