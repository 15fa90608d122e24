"""A sample of the cases that has each subject on each target; as a pytest plugin, every SAMPLED-th of each."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from typing import TypeVar

import pytest

_Item = TypeVar("_Item", bound=pytest.Item)


def sample(items: Sequence[_Item], every: int) -> list[_Item]:
    """Every so many-th case of each test file and target, the first at least."""
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
    items[:] = sample(items, int(os.environ["SAMPLED"]))
