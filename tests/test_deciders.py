"""Which function is named when a plugged-in or patched compiler function decides differently, in pytest runs."""

from __future__ import annotations

import pytest

from tests.forked import RunInProject

# The functions that decide are in their own file, as they would be in torch.
CONFTEST = """
import os

import pytest

import planted


@pytest.fixture(autouse=True)
def plant(monkeypatch):
    if "PLANT" in os.environ:
        getattr(planted, os.environ["PLANT"])(monkeypatch)
"""
PLANTED = """
from torch._dynamo import guards
from torch._inductor import config, scheduler
from torch._inductor.choices import InductorChoices


class Choices(InductorChoices):
    @staticmethod
    def can_fuse(scheduler, node1, node2, shared_data_score):
        return False


def never(monkeypatch):
    monkeypatch.setattr(scheduler.Scheduler, "can_fuse", lambda *args, **kwargs: False)


def handler(monkeypatch):
    monkeypatch.setattr(config, "inductor_choices_class", Choices)


def far(monkeypatch):
    score = InductorChoices.score_fusion

    def score_fusion(scheduler, node1, node2):
        found = score(scheduler, node1, node2)
        return type(found)(**{**vars(found), "proximity_score": -found.proximity_score})

    monkeypatch.setattr(InductorChoices, "score_fusion", staticmethod(score_fusion))


def types_only(monkeypatch):
    def equals_match(self, guard, recompile_hint=None):
        self.TYPE_MATCH(guard)

    monkeypatch.setattr(guards.GuardBuilder, "EQUALS_MATCH", equals_match)
"""
CASES = """
import pytest
import torch


@pytest.mark.compile_golden(target="cuda-sm90")
def test_softmax(compile_stages, golden):
    assert compile_stages(lambda x: torch.softmax(x.sin(), -1) + 1, torch.randn(64, 128)) == golden


@pytest.mark.compile_golden(target="cuda-sm90", config={"max_fusion_size": 2})
def test_three_sums(compile_stages, golden):
    x = torch.randn(64, 128)
    assert compile_stages(lambda x: (x.sum(-1), x.amax(-1), x.amin(-1)), x) == golden


@pytest.mark.compile_golden(target="cpu-avx2")
def test_scaled(guards, golden):
    assert guards(lambda x, scale: x * scale, torch.randn(64), 2.5) == golden
"""


@pytest.mark.parametrize(
    ("plant", "case", "expected", "where"),
    [
        (
            "never",
            "test_softmax",
            "scheduler / fuse_nodes / Scheduler.can_fuse: Scheduler.can_fuse says no without a reason (3 -> 1 nodes, *",
            "planted.py:*",
        ),
        (
            "handler",
            "test_softmax",
            "scheduler / fuse_nodes / Choices.can_fuse: Choices.can_fuse says no without a reason (3 -> 1 nodes, *",
            "planted.py:*",
        ),
        (
            "far",
            "test_three_sums",
            "scheduler / InductorChoices.score_fusion: lower proximity_score than op0 with op2: 1, not 2",
            "planted.py:*",
        ),
        (
            "types_only",
            "test_scaled",
            "guards / GuardBuilder.EQUALS_MATCH: - L['scale'] == 2.5 (and 1 more)",
            "torch/_dynamo/guards.py:*",
        ),
    ],
)
def test_the_function_that_decided_is_the_cause(
    compiling: RunInProject,
    project: pytest.Pytester,
    monkeypatch: pytest.MonkeyPatch,
    plant: str,
    case: str,
    expected: str,
    where: str,
) -> None:
    project.makepyfile(conftest=CONFTEST, planted=PLANTED, test_case=CASES)
    compiling("-k", case, "--snapshot-update").assert_outcomes(passed=1)
    compiling("-k", case).assert_outcomes(passed=1)
    monkeypatch.setenv("PLANT", plant)
    result = compiling("-k", case)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([f"  first divergence  {expected.replace('[', '[[]')}   {where}"])
