"""A pytest plugin that runs the tests in an order drawn from ORDER_SEED, the same in all of xdist's workers."""

from __future__ import annotations

import os
import random

import pytest


# Last: what is not selected is gone by then.
@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    random.Random(os.environ["ORDER_SEED"]).shuffle(items)
