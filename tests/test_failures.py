"""What bad input gets: one clear message with the next step, and the rest goes on."""

from __future__ import annotations

import re
from importlib import resources

import pytest
import torch
import torch._inductor.graph
from torch._dynamo.symbolic_convert import InstructionTranslatorBase

from pytest_compile_golden import capture
from pytest_compile_golden.errors import (
    CaptureFailed,
    CompileGoldenError,
    DataDependentValue,
    NothingCompiled,
    StageUnavailable,
    UnknownConfig,
    UnknownTarget,
    reason_of,
)
from pytest_compile_golden.formats import Artifact
from pytest_compile_golden.record import Record
from pytest_compile_golden.stages import Stage, get_stage, register_stage, trail_steps, unregister_stage
from tests.programs import broken_graph, layer_norm_gelu, layer_norm_inputs


def test_a_value_that_a_virtual_gpu_cannot_know():
    def f(x):
        return x * x.sum().item()

    with pytest.raises(DataDependentValue) as error:
        capture(f, torch.ones(4), target="cuda-sm90")
    message = str(error.value)
    assert "the virtual target cuda-sm90 cannot know" in message
    assert "test_failures.py" in message and "x * x.sum().item()" in message
    assert 'compile_golden(target="cpu-avx2")' in message


def test_a_function_that_does_not_compile():
    with pytest.raises(CaptureFailed, match=r"broken_graph failed on cpu-avx2: Unsupported") as error:
        capture(broken_graph, torch.randn(3), target="cpu-avx2", fullgraph=True)
    assert "capture with fullgraph=False" in str(error.value)
    assert "programs.py" in str(error.value)
    assert "Traceback" not in str(error.value)


def test_a_wrong_shape_names_the_users_line():
    with pytest.raises(CaptureFailed, match=r"test_failures.py:\d+: capture\(lambda x, y: x @ y"):
        capture(lambda x, y: x @ y, torch.randn(3, 4), torch.randn(3, 4), target="cuda-sm90")


def test_what_broke_in_the_compiler_comes_first_with_the_users_line():
    def broken(graph):
        {}["the pass"]

    with pytest.raises(CaptureFailed) as error:
        capture(torch.sin, torch.randn(3), target="cpu-avx2", config={"post_grad_custom_post_pass": broken})
    first, second, *_ = str(error.value).splitlines()
    assert re.fullmatch(r"KeyError: 'the pass', at test_failures.py:\d+: {}\[\"the pass\"\]", first)
    assert "sin failed on cpu-avx2: " in second
    # torch's own words begin with what wraps it.
    wrapped = RuntimeError("backend='inductor' raised:\nValueError: no power of two\n  target: aten.bad")
    wrapped.inner_exception = ValueError("no power of two")
    assert reason_of(wrapped).startswith("ValueError: no power of two\nRuntimeError: backend='inductor' raised:\n")


def test_nothing_to_compile():
    with pytest.raises(NothingCompiled, match="0 compilations captured"):
        capture(lambda x: len(x.shape), torch.randn(3), target="cpu-avx2")


def test_nothing_to_differentiate():
    with pytest.raises(CaptureFailed, match="has no backward graph"):
        capture(lambda x: x.detach() * 2, torch.randn(3), target="cpu-avx2", train=True)


def test_unknown_target_names_those_there_are():
    with pytest.raises(UnknownTarget, match="cuda-sm90"):
        capture(torch.sin, torch.randn(3), target="cuda-sm91")


def test_unknown_config_key_suggests_the_right_one():
    with pytest.raises(UnknownConfig, match="did you mean max_autotune"):
        capture(torch.sin, torch.randn(3), target="cpu-avx2", config={"max_autotun": True})


def test_config_key_of_other_versions_names_them():
    release = ".".join(torch.__version__.split(".")[:2])
    lines = resources.files("pytest_compile_golden.observe").joinpath("config_history.txt").read_text().splitlines()
    key, versions = next(line.split(": ") for line in lines[1:] if release not in line)
    with pytest.raises(UnknownConfig, match=f"torch {re.escape(versions)} has it"):
        capture(torch.sin, torch.randn(3), target="cpu-avx2", config={key: True})


@pytest.mark.parametrize(
    ("owner", "name", "stages"),
    [
        (torch._inductor.graph.GraphLowering, "_compile_to_module_lines", None),
        (InstructionTranslatorBase, "log_graph_break", {"graph_breaks"}),
        (torch._inductor.debug, "log_ir_post_fusion", None),
    ],
)
def test_a_missing_torch_internal_costs_its_stage_and_no_other(monkeypatch, owner, name, stages):
    from pytest_compile_golden.observe import probe

    whole = capture(layer_norm_gelu, *layer_norm_inputs(), target="cpu-avx2")
    # The name is taken away from where probes look; torch itself still needs it to compile.
    touching = {
        stage for each in probe.probes() if any(t.endswith(name) for t in each.touches) for stage in each.stages
    }
    real = probe.resolve

    def resolve(full_name):
        if full_name.endswith(name):
            raise probe.MissingName(f"{full_name} is gone")
        return real(full_name)

    monkeypatch.setattr(probe, "resolve", resolve)
    captured = capture(layer_norm_gelu, *layer_norm_inputs(), target="cpu-avx2")
    assert set(captured.unavailable) == touching and (stages is None or touching == stages)
    for stage in whole.stages:
        if stage in touching:
            with pytest.raises(StageUnavailable, match=f"{name} is gone"):
                captured[stage]
        elif stage == "trail":
            assert captured[stage].unseen == touching & set(trail_steps())
            filled = get_stage(stage).format.filled(str(whole[stage]), str(captured[stage]), touching, trail_steps())
            assert filled == str(whole[stage])
        elif stage != "metrics":
            assert str(captured[stage]) == str(whole[stage])
    left_out = set(whole.metrics.values) - set(captured.metrics.values)
    assert left_out == {metric for metric in whole.metrics.values if _stage_of(metric) in touching}


def _stage_of(metric):
    from pytest_compile_golden.formats.metrics.write import METRICS

    return next(each.stage for each in METRICS if each.name == metric)


def test_a_hook_that_fails_costs_its_stage_and_never_the_compile(monkeypatch):
    from pytest_compile_golden.observe.probes import scheduler

    def broken(node, with_body):
        raise RuntimeError("moved in this nightly")

    monkeypatch.setattr(scheduler, "_describe", broken)
    captured = capture(layer_norm_gelu, *layer_norm_inputs(), target="cpu-avx2")
    with pytest.raises(StageUnavailable, match="RuntimeError: moved in this nightly"):
        captured["lowered_ir"]
    assert captured["cpp_code"].kernels


def test_stages_of_ones_own():
    def render(record: Record) -> Artifact:
        return Artifact("graph_count", f"{len(record.get('dynamo_graph'))}\n")

    stage = Stage("graph_count", "how many graphs", make=render, after="dynamo_graph")
    register_stage(stage)
    try:
        with pytest.raises(CompileGoldenError, match="registered already"):
            register_stage(stage)
        captured = capture(broken_graph, torch.randn(4), target="cpu-avx2")
        assert str(captured["graph_count"]) == "2\n"
        assert captured.stages.index("graph_count") == captured.stages.index("dynamo_graph") + 1
    finally:
        unregister_stage("graph_count")
    with pytest.raises(CompileGoldenError, match="no stage 'graph_count'"):
        get_stage("graph_count")
