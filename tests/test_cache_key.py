"""Whether torch's caches can store a graph, and what their keys are made of, with all of them off."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
import torch
from torch import Tensor, fx
from torch._dynamo.utils import counters
from torch._inductor.custom_graph_pass import CustomGraphPass

from pytest_compile_golden import capture
from pytest_compile_golden.errors import InvalidOption, StageNotCaptured, UnknownName
from pytest_compile_golden.formats.graph_choices import CACHE_KEY, CacheKeyArtifact
from pytest_compile_golden.messages.sentences import sentence
from tests.forked import RunInProject

SQUARE = torch.randn(16, 16)

watched = partial(capture, watch=["cache_key"])


class Named(CustomGraphPass):
    def __init__(self, name: str | None) -> None:
        self.name = name

    def __call__(self, graph: fx.Graph) -> None:
        pass

    def uuid(self) -> str | None:
        return self.name


def product(x: Tensor) -> Tensor:
    return torch.relu(x @ x)


def key(target: str = "cpu-avx2", **config: object) -> CacheKeyArtifact:
    return watched(product, SQUARE, target=target, config=config)["cache_key"]


def test_it_is_captured_only_if_requested_before_the_compile() -> None:
    captured = capture(product, SQUARE, target="cpu-avx2")
    assert "cache_key" not in captured and "cache_key" not in captured.record.entries
    assert (
        "cache_bypasses" not in captured.metrics.values
        and "cache_bypasses" in captured.metrics.unavailable
    )
    with pytest.raises(
        StageNotCaptured,
        match=r"was not requested before the compile: capture with watch=\['cache_key'\]",
    ):
        captured["cache_key"]
    with pytest.raises(
        InvalidOption, match="watch takes a list of stages, or None, not 'cache_key'"
    ):
        capture(product, SQUARE, watch="cache_key")
    with pytest.raises(UnknownName, match="no stage 'cach_key'"):
        capture(product, SQUARE, watch=["cach_key"])


def test_a_case_requests_it_by_fixture_marker_option_or_argument(
    project: pytest.Pytester, compiling: RunInProject
) -> None:
    project.makepyfile(
        test_asked="""
        import pytest, torch
        X = torch.randn(4, 4)
        def test_fixture(cache_key):
            assert cache_key(torch.sin, X).cacheable
        @pytest.mark.compile_golden(stages="+cache_key")
        def test_marker(compile_stages):
            assert compile_stages(torch.sin, X)["cache_key"].cacheable
        def test_argument(compile_stages):
            assert compile_stages(torch.sin, X, watch=["cache_key"])["cache_key"].cacheable
        def test_nobody(compile_stages):
            assert "cache_key" not in compile_stages(torch.sin, X)
        """
    )
    target = "--compile-golden-target=cpu-avx2"
    compiling(target).assert_outcomes(passed=4)
    compiling(target, "--compile-golden-stages=+cache_key").assert_outcomes(
        passed=3, failed=1
    )


@pytest.mark.parametrize("target", ["cpu-avx2", "cuda-sm90"])
def test_a_changed_config_is_the_only_part_that_differs(target: str) -> None:
    before, after = key(target), key(target, max_fusion_size=7)
    assert before.cacheable
    assert after.differing(before) == (
        "aot inductor_config[max_fusion_size]",
        "fx inductor_config[max_fusion_size]",
    )
    assert after.differing(key(target, max_fusion_size=7)) == ()


def test_autograds_own_config_is_part_of_its_own_key_only() -> None:
    changed = watched(
        product,
        SQUARE,
        target="cpu-avx2",
        config={"functorch.activation_memory_budget": 0.5},
    )
    assert changed["cache_key"].differing(key()) == (
        "aot autograd_config[activation_memory_budget]",
    )


def test_another_program_changes_the_graph_and_another_shape_the_inputs() -> None:
    smaller = watched(product, torch.randn(8, 8), target="cpu-avx2")["cache_key"]
    assert set(smaller.differing(key())) >= {
        "aot example_inputs[0]",
        "fx example_inputs[0]",
    }
    other = watched(lambda x: torch.sigmoid(x @ x), SQUARE, target="cpu-avx2")[
        "cache_key"
    ]
    assert other.differing(key()) == ("aot gm", "fx gm")


def test_a_pass_is_identified_by_its_name() -> None:
    first, second = (
        key(joint_custom_pre_pass=Named(name)) for name in ("first", "second")
    )
    assert first.differing(second) == (
        "aot joint_custom_pre_pass",
        "fx joint_custom_pre_pass",
    )
    assert not key(joint_custom_pre_pass=lambda graph: None).cacheable


def test_a_graph_that_autograd_cannot_cache_has_a_reason_and_a_line() -> None:
    @torch._dynamo.allow_in_graph
    def unknown(x: Tensor) -> Tensor:
        return x + 1

    def calling(x: Tensor) -> Tensor:
        return unknown(x) * 2

    captured = watched(calling, SQUARE, target="cpu-avx2")
    (bypass,) = [
        choice for choice in captured["cache_key"].choices if choice.kind == "bypassed"
    ]
    assert bypass.what == "AOTAutograd cache" and bypass.why.startswith(
        "Unsupported call_function target"
    )
    assert " at 0x" not in bypass.why
    assert bypass.comment == "calling: return unknown(x) * 2"
    assert captured.metrics.cache_bypasses == 1


def test_a_bypass_is_a_change_in_behaviour_and_another_machine_is_not() -> None:
    before, after = str(key()), str(key(freezing=True))
    assert CACHE_KEY.canonical(before) != CACHE_KEY.canonical(after)
    assert "new cache that cannot keep it: AOTAutograd cache" in [
        sentence(edit) for edit in CACHE_KEY.edits(before, after)
    ]
    elsewhere = before.replace("device cpu-avx2, torch ", "device cpu-avx2, torch 0")
    assert elsewhere != before and CACHE_KEY.canonical(
        elsewhere
    ) == CACHE_KEY.canonical(before)


def test_nothing_is_cached_and_nothing_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", str(tmp_path))
    before = {name: dict(each) for name, each in counters.items()}
    captured = watched(
        product,
        SQUARE,
        target="cpu-avx2",
        config={"joint_custom_pre_pass": lambda graph: None},
    )
    assert captured.metrics.cache_bypasses == 2
    assert not any(
        "cache" in name for each in captured.record.counters.values() for name in each
    )
    assert {name: dict(each) for name, each in counters.items()} == before
    assert list(tmp_path.iterdir()) == []
