"""A pytest plugin that shuffles the tests with the seed ORDER_SEED, identically in all of xdist's workers."""

from __future__ import annotations

import os
import random

import pytest


# Last: deselected tests have been removed by then.
@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    random.Random(os.environ["ORDER_SEED"]).shuffle(items)
