"""torch's replacement patterns tried on inputs of every kind."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
import torch

from pytest_compile_golden.wings.patterns import tried
from pytest_compile_golden.wings.patterns.registered import Registered
from tests.forked import Forks


def test_a_pattern_that_replaces_by_something_else_is_named(tmp_path: Path, forks_with_torch: Forks) -> None:
    # A target whose patterns no process has registered yet.
    names = ("_sfdp_pattern_1", "_sfdp_pattern_5")
    done = forks_with_torch.run_command(tmp_path, "patterns", *names, "--target=cpu-avx512")
    # A row that is masked out by -inf is NaN, and 0 after the replacement.
    assert done.stdout.lines[0] == "2 patterns tried, 1 replace by something else"
    assert done.stdout.lines[1].startswith("_sfdp_pattern_5 ") and "fuse_attention.py" in done.stdout.lines[1]
    assert done.stdout.lines[2:] == ["    inputs whose argument 4 has a row of -inf: 0 NaN instead of 128"]
    assert done.ret == 1


def test_a_pattern_that_is_not_there(tmp_path: Path, forks_with_torch: Forks) -> None:
    done = forks_with_torch.run_command(tmp_path, "patterns", "_sfdp_pattern_fife", "--target=cpu-avx512")
    assert done.ret == 2 and "did you mean '_sfdp_pattern_" in done.stderr.str()


def test_what_differs_but_does_not_fire_is_no_difference() -> None:
    pattern = Registered("mine", None, torch.sin, torch.cos, (torch.randn(2, 3),), {})
    [*kinds] = tried.kinds(pattern.inputs)
    assert {name for name, _ in kinds} >= {"expanded, with stride 0", "in float16", "whose argument 1 has a row of 2"}
    result = tried.tried(pattern, "cpu-avx2")
    assert (result.differences, result.fires, result.failed) == ((), False, "")


def test_random_patterns_are_not_compared() -> None:
    pattern = Registered("mine", None, torch.bernoulli, torch.bernoulli, (torch.zeros(2, 64, dtype=torch.bool),), {})
    noisy = Registered("mine", None, lambda x: torch.rand_like(x), lambda x: x, (torch.randn(2, 64),), {})
    assert tried.tried(noisy, "cpu-avx2").failed == "it draws random numbers"
    assert tried.tried(pattern, "cpu-avx2").failed


def test_differences_in_words() -> None:
    one = torch.tensor([1.0, math.nan])
    assert tried.difference(one, one + 1e-9) == ""
    assert tried.difference(one, torch.tensor([1.5, math.nan])) == "values differ by up to 0.5"
    assert tried.difference(one, torch.tensor([1.0, 0.0])) == "0 NaN instead of 1"
    assert tried.difference(one, one.double()) == "float64[2] instead of float32[2]"
    assert tried.difference(one, torch.tensor([math.inf, math.nan])).startswith("values differ by up to")


def test_narrow_dtypes_may_be_as_far_from_float64_as_the_pattern_is() -> None:
    exact = torch.tensor([1.0, 100.0], dtype=torch.float64)
    wanted = (exact + 0.25).half()
    assert tried.difference(wanted, (exact - 0.5).half(), exact) == ""
    assert tried.difference(wanted, (exact + 3).half(), exact) == "values differ by up to 3"
    assert tried.difference(torch.tensor([math.inf]).half(), torch.tensor([7.0]).half(), exact[1:]) == ""


def summed(x: torch.Tensor) -> torch.Tensor:
    return x.cumsum(0)


def summed_of_floats(x: torch.Tensor) -> torch.Tensor:
    return x.cumsum(0) if x.is_floating_point() else x


def test_a_pattern_that_is_wrong_in_one_dtype_only(monkeypatch: pytest.MonkeyPatch) -> None:
    pattern = Registered("mine", None, summed, summed_of_floats, (torch.randn(8, 3),), {})
    monkeypatch.setattr(tried, "_fires", lambda *_: True)
    [found] = tried.tried(pattern, "cpu-avx2").differences
    assert found.inputs == "in int64" and found.what.startswith("values differ by up to ")
