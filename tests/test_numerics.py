"""Numerics on the machine's own CPU: planted bugs are found and named, right programs are never blamed."""

from __future__ import annotations

import pytest
import torch

from pytest_compile_golden import numerics
from tests.planted import BUGS, Bug


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.name)
def test_planted_bug_is_found_and_named(bug: Bug, monkeypatch):
    torch.manual_seed(0)
    inputs = bug.inputs()
    with monkeypatch.context() as patch:
        bug.plant(patch)
        found = numerics(bug.program, *inputs, train=bug.train)
    assert not found
    assert (found.first.what, found.first.kind, found.first.call) == (bug.what, bug.kind, bug.call), str(found)
    assert found.first.off == "compiled"
    print(found)
