"""Bad input gets one clear message with the next step, and everything else continues."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
import torch
import triton
import triton.language as tl
from torch import Tensor, fx

from pytest_compile_golden import capture, numerics
from pytest_compile_golden.errors import (
    CaptureFailed,
    CompileGoldenError,
    DataDependentValue,
    InvalidOption,
    KernelFailed,
    NothingCompiled,
    StageUnavailable,
    UnknownConfig,
    UnknownTarget,
    UnsupportedTensor,
    raised_in,
    reason_of,
)
from pytest_compile_golden.facts.record import Record
from pytest_compile_golden.formats import Artifact
from pytest_compile_golden.formats.trail.compare import LISTS
from pytest_compile_golden.observe.record_compile import environment
from pytest_compile_golden.stages import (
    Stage,
    get_stage,
    register_stage,
    unregister_stage,
)
from pytest_compile_golden.stages import stages as all_stages
from pytest_compile_golden.targets import get_target
from pytest_compile_golden.torch_internals import MissingName, Name, dynamo, inductor
from tests.programs import broken_graph, layer_norm_gelu, layer_norm_inputs, texts


def test_a_value_that_a_virtual_gpu_cannot_know() -> None:
    def f(x: Tensor) -> Tensor:
        return x * x.sum().item()

    with pytest.raises(DataDependentValue) as error:
        capture(f, torch.randn(4), target="cuda-sm90")
    message = str(error.value)
    assert "the virtual target cuda-sm90 cannot know" in message
    assert "test_failures.py" in message and "x * x.sum().item()" in message
    assert 'compile_golden(target="cpu-avx2")' in message
    assert (
        "capture_scalar_outputs" in message
        and "or from inputs of whole numbers are" in message
    )
    # The remedy that the message names.
    assert capture(f, torch.arange(4), target="cuda-sm90").known == ("x",)


def test_a_function_that_does_not_compile() -> None:
    with pytest.raises(
        CaptureFailed, match=r"broken_graph failed on cpu-avx2: Unsupported"
    ) as error:
        capture(broken_graph, torch.randn(3), target="cpu-avx2", fullgraph=True)
    assert "capture with fullgraph=False" in str(error.value)
    assert "programs.py" in str(error.value)
    assert "Traceback" not in str(error.value)


def test_a_wrong_shape_names_the_users_line() -> None:
    with pytest.raises(
        CaptureFailed, match=r"test_failures.py:\d+: lambda x, y: x @ y"
    ):
        capture(
            lambda x, y: x @ y, torch.randn(3, 4), torch.randn(3, 4), target="cuda-sm90"
        )


def test_the_error_in_the_compiler_comes_first_with_the_users_line() -> None:
    empty: dict[str, str] = {}

    def broken(graph: torch.fx.Graph) -> None:
        empty["the pass"]

    with pytest.raises(CaptureFailed) as error:
        capture(
            torch.sin,
            torch.randn(3),
            target="cpu-avx2",
            config={"post_grad_custom_post_pass": broken},
        )
    first, second, *_ = str(error.value).splitlines()
    assert re.fullmatch(
        r"KeyError: 'the pass', at test_failures.py:\d+: empty\[\"the pass\"\]", first
    )
    assert "sin failed on cpu-avx2: " in second
    # torch's own message begins with what wraps it.
    wrapped = RuntimeError(
        "backend='inductor' raised:\nValueError: no power of two\n  target: aten.bad"
    )
    wrapped.inner_exception = ValueError("no power of two")  # type: ignore[attr-defined]
    assert reason_of(wrapped).startswith(
        "ValueError: no power of two\nRuntimeError: backend='inductor' raised:\n"
    )


@pytest.mark.parametrize("variable", ["TORCHINDUCTOR_CACHE_DIR", "TRITON_CACHE_DIR"])
def test_a_cache_folder_that_cannot_be_written(
    variable: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv(variable, str(tmp_path / "file" / "cache"))
    environment.cache_clear()  # cached for the process
    with pytest.raises(
        CompileGoldenError,
        match=rf"{variable} is .*cache, which cannot be written to \(Not a directory",
    ):
        capture(torch.sin, torch.randn(4), target="native-cpu")


def test_nothing_to_compile() -> None:
    with pytest.raises(NothingCompiled, match="0 compilations captured"):
        capture(lambda x: len(x.shape), torch.randn(3), target="cpu-avx2")


@pytest.mark.parametrize("name", ["TORCH_COMPILE_DISABLE", "TORCHDYNAMO_DISABLE"])
def test_a_variable_that_switches_compiling_off_is_named(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, "1")
    # One is read when a function is compiled, the other when torch is imported.
    disabled = torch._dynamo.config.patch(disable=name == "TORCH_COMPILE_DISABLE")
    with (
        disabled,
        pytest.raises(
            NothingCompiled,
            match=f"^0 compilations captured: .* has {name}=1, which switches",
        ),
    ):
        capture(torch.sin, torch.randn(3), target="cpu-avx2")


def test_a_setting_that_switches_compiling_off_is_named() -> None:
    disabled = torch._dynamo.config.patch(disable=True)
    with disabled, pytest.raises(NothingCompiled, match=r"config\.disable is True"):
        capture(torch.sin, torch.randn(3), target="cpu-avx2")
    with (
        torch.compiler.set_stance("force_eager"),
        pytest.raises(NothingCompiled, match=r"set_stance\(.force_eager"),
    ):
        capture(torch.sin, torch.randn(3), target="cpu-avx2")


def test_nothing_to_differentiate() -> None:
    with pytest.raises(CaptureFailed, match="has no backward graph"):
        capture(lambda x: x.detach() * 2, torch.randn(3), target="cpu-avx2", train=True)


def test_an_unknown_target_lists_the_existing_ones() -> None:
    with pytest.raises(UnknownTarget, match="cuda-sm90"):
        capture(torch.sin, torch.randn(3), target="cuda-sm91")


def test_an_unknown_config_key_suggests_the_right_one() -> None:
    with pytest.raises(UnknownConfig, match="did you mean max_autotune"):
        capture(
            torch.sin, torch.randn(3), target="cpu-avx2", config={"max_autotun": True}
        )


def test_a_config_key_of_other_versions_names_them() -> None:
    release = ".".join(torch.__version__.split(".")[:2])
    lines = (
        resources.files("pytest_compile_golden.observe")
        .joinpath("config_history.txt")
        .read_text()
        .splitlines()
    )
    key, versions = next(line.split(": ") for line in lines[1:] if release not in line)
    with pytest.raises(UnknownConfig, match=f"torch {re.escape(versions)} has it"):
        capture(torch.sin, torch.randn(3), target="cpu-avx2", config={key: True})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"config": {"max_autotune": "yes"}},
            "max_autotune of torch._inductor.config takes bool, not 'yes'",
        ),
        (
            {"config": {"triton.cudagraphs": 1}},
            "triton.cudagraphs of .* takes bool, not 1",
        ),
        ({"config": {"cpp.simdlen": "8"}}, "cpp.simdlen of .* takes int or None"),
        (
            {"config": {"max_autotune_gemm_search_space": "ALL"}},
            "takes 'DEFAULT' or 'EXHAUSTIVE', not 'ALL'",
        ),
        (
            {"config": {"dynamo.recompile_limit": None}},
            "recompile_limit of torch._dynamo.config takes int",
        ),
        (
            {"config": [("max_autotune", True)]},
            "config takes a dict with string keys, not a list",
        ),
        ({"train": "yes"}, "train takes True or False, not 'yes'"),
        ({"dynamic": 1}, "dynamic takes True, False or None, not 1"),
        ({"mode": True}, "mode takes the name of a mode"),
        ({"kwargs": ["y"]}, "kwargs takes a dict"),
    ],
)
def test_an_option_of_the_wrong_type_names_what_it_takes(
    options: dict[str, Any], message: str
) -> None:
    with pytest.raises(InvalidOption, match=message):
        capture(torch.sin, torch.randn(3), target="cpu-avx2", **options)


def test_every_default_of_torchs_config_is_accepted() -> None:
    from pytest_compile_golden.observe.config_patches import _MODULES, patched

    for name, module in _MODULES.items():
        with patched(
            {
                f"{name}.{key}": entry.default
                for key, entry in module._config.items()
                if not entry.alias
            }
        ):
            pass


def test_a_group_of_config_keys_and_a_name_that_is_not_a_key_are_refused() -> None:
    with pytest.raises(
        UnknownConfig, match=r"'triton' is a group of keys in .*such as 'triton\."
    ):
        capture(
            torch.sin,
            torch.randn(3),
            target="cpu-avx2",
            config={"triton": {"cudagraphs": True}},
        )
    with pytest.raises(UnknownConfig, match="has no key 'os'"):
        capture(torch.sin, torch.randn(3), target="cpu-avx2", config={"os": None})


def test_calls_are_tuples_of_inputs() -> None:
    with pytest.raises(
        InvalidOption,
        match=r"calls\[1\] takes a tuple of the inputs of one call, a dict",
    ):
        capture(torch.sin, calls=[(torch.randn(3),), torch.randn(3)], target="cpu-avx2")
    with pytest.raises(InvalidOption, match="calls takes a list of tuples"):
        numerics(torch.sin, calls=[])


@pytest.mark.parametrize("target", ["cuda-sm90", "cpu-avx2", "native-cpu"])
def test_an_unknown_policy_is_refused_before_anything_is_compiled(target: str) -> None:
    with pytest.raises(
        InvalidOption, match="no autotuning policy 'fastest'; use 'aten'"
    ):
        capture(torch.sin, torch.randn(3), target=target, policy="fastest")


def test_a_tensor_that_the_function_makes_elsewhere_gets_advice_on_its_device() -> None:
    for device in ("cpu", None):
        with pytest.raises(
            CaptureFailed,
            match=r"test_failures.py(?s:.*)device=x\.device.*pass it as an input",
        ):
            capture(
                lambda x: x + torch.ones(4, device=device),  # noqa: B023
                torch.randn(4),
                target="cuda-sm90",
            )


def test_an_operator_that_is_half_there_says_how_to_complete_it() -> None:
    with torch.library._scoped_library("half_there", "DEF") as library:
        library.define("f(Tensor x) -> Tensor")
        with pytest.raises(
            CaptureFailed,
            match=r'half_there\.f\.default(?s:.*)register_fake\("half_there::f"\)',
        ):
            capture(
                lambda x: torch.ops.half_there.f(x), torch.randn(4), target="cuda-sm90"
            )
        with pytest.raises(
            CaptureFailed, match=r"Import what registers this operator, or define it"
        ):
            capture(
                lambda x: torch.ops.half_there.g(x), torch.randn(4), target="cuda-sm90"
            )


class Tagged(torch.Tensor):
    pass


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: torch.eye(4).to_sparse(), "Inductor compiles no sparse operations"),
        (
            lambda: torch.eye(4).to_sparse_csr(),
            "Inductor compiles no sparse operations",
        ),
        (
            lambda: torch.nested.nested_tensor([torch.randn(2, 3), torch.randn(4, 3)]),
            "make it with layout=torch.jagged",
        ),
        (
            lambda: torch.eye(4).as_subclass(Tagged),
            r"a Tagged is a subclass of torch\.Tensor(?s:.*)as_subclass\(torch.Tensor",
        ),
    ],
    ids=["coo", "csr", "nested", "subclass"],
)
def test_tensors_that_no_virtual_gpu_supports_are_refused(
    make: Callable[[], Tensor], message: str
) -> None:
    with pytest.raises(UnsupportedTensor, match=message):
        capture(lambda x: x * 2, make(), target="cuda-sm90")


# ------------------------------------------------------------------------------------------------ the user's kernels


@triton.jit
def odd_range(source, out, count, BLOCK: tl.constexpr):
    index = tl.arange(0, 100)
    tl.store(out + index, tl.load(source + index))


@triton.jit
def scaled(value):
    return value * undefined_scale  # type: ignore[name-defined]  # noqa: F821


@triton.jit
def calls_another(source, out, count, BLOCK: tl.constexpr):
    index = tl.arange(0, BLOCK)
    tl.store(out + index, scaled(tl.load(source + index)))


@triton.jit
def whole(source, out, count, BLOCK: tl.constexpr):
    tl.static_assert(BLOCK == 64)
    index = tl.arange(0, BLOCK)
    tl.store(out + index, tl.load(source + index))


def launched(kernel: Any, **constants: Any) -> Callable[..., Any]:
    def f(x: Tensor) -> Tensor:
        out = torch.empty_like(x)
        kernel[(1,)](x, out, x.numel(), **constants)
        return out * 2

    return f


def test_a_kernel_launched_outside_the_graphs_is_compiled_for_the_target_and_recorded() -> (
    None
):
    eager = torch.compiler.disable(launched(whole, BLOCK=64))
    launch = "whole[1](source=f32[64], out=f32[64], count=64, BLOCK=64)"
    line = "f: kernel[(1,)](x, out, x.numel(), **constants)"
    for target in ("cuda-sm90", "cuda-sm100"):
        captured = capture(
            lambda x: eager(x.sin()).cos(), torch.randn(64), target=target
        )
        assert str(captured["eager_kernels"]) == f"{launch}  # {line}\n"
        assert captured.metrics.graphs == captured.kernels == 2
    with get_target("cuda-sm90").active():
        assert eager(torch.randn(64)).shape == (64,)
    assert not whole.device_caches, (
        "a real GPU would be given what was compiled for a virtual one"
    )


def test_what_a_kernel_outside_the_graphs_wrote_is_not_known() -> None:
    @torch.compiler.disable
    def written(x: Tensor) -> int:
        out = torch.zeros(64)
        whole[(1,)](x, out, 64, BLOCK=64)
        return int(out.sum())

    with pytest.raises(DataDependentValue, match="needs the value of a tensor"):
        capture(lambda x: x * written(x.sin()), torch.randn(64), target="cuda-sm90")


def test_a_kernel_outside_the_graphs_that_does_not_compile_fails_at_its_launch() -> (
    None
):
    eager = torch.compiler.disable(launched(whole, BLOCK=32))
    with pytest.raises(
        CaptureFailed,
        match=r"CompileTimeAssertionFailure.* at test_failures.py:\d+: kernel\[",
    ):
        capture(lambda x: eager(x.sin()), torch.randn(64), target="cuda-sm90")


@torch.library.triton_op("compile_golden_tests::copied", mutates_args=())
def copied(x: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(x)
    torch.library.wrap_triton(whole)[(1,)](x, out, x.numel(), BLOCK=64)
    return out


@pytest.mark.parametrize(
    ("kernel", "block", "message", "line"),
    [
        (
            odd_range,
            64,
            "arange's range must be a power of 2",
            "index = tl.arange(0, 100)",
        ),
        (
            calls_another,
            64,
            "undefined_scale is not defined",
            "return value * undefined_scale",
        ),
        (whole, 32, "a static_assert does not hold", "tl.static_assert(BLOCK == 64)"),
    ],
)
def test_a_kernel_that_does_not_compile_fails_the_case(
    caplog: pytest.LogCaptureFixture, kernel: Any, block: int, message: str, line: str
) -> None:
    with pytest.raises(KernelFailed) as error:
        capture(launched(kernel, BLOCK=block), torch.randn(64), target="cuda-sm90")
    reported = str(error.value)
    assert (
        f"the Triton kernel {kernel.fn.__name__} does not compile" in reported
        and message in reported
    )
    number = next(at for at, text in enumerate(SOURCE, start=1) if line in text)
    assert f"test_failures.py:{number}: {line}" in reported
    assert "While executing" not in reported and "mutated" not in caplog.text


def test_a_configuration_that_triton_would_skip_is_not_a_failure() -> None:
    tuned = triton.autotune(
        [triton.Config({"BLOCK": size}) for size in (32, 64)], key=["count"]
    )(whole)
    assert capture(launched(tuned), torch.randn(64), target="cuda-sm90")[
        "triton_code"
    ].kernels


@pytest.mark.parametrize(
    "fn",
    [lambda x: copied(x) * 2, launched(whole, BLOCK=64)],
    ids=["operator", "kernel"],
)
def test_a_triton_kernel_on_a_cpu_target_asks_for_a_gpu(
    caplog: pytest.LogCaptureFixture, fn: Callable[..., Any]
) -> None:
    with pytest.raises(
        KernelFailed, match="can only be compiled for a GPU, and cpu-avx2 is a CPU"
    ):
        capture(fn, torch.randn(64), target="cpu-avx2")
    assert "mutated" not in caplog.text


SOURCE = Path(__file__).read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("name", [inductor.POST_FUSION, dynamo.LOG_GRAPH_BREAK])
def test_a_missing_torch_internal_disables_its_stages_and_no_other(
    monkeypatch: pytest.MonkeyPatch, name: Name
) -> None:
    whole = capture(layer_norm_gelu, *layer_norm_inputs(), target="cpu-avx2")
    # The name is hidden where it is looked up; torch itself still needs it to compile.
    touching = {stage for stage in name.stages if "cpu" in get_stage(stage).devices}
    real = Name.resolve

    def resolve(row: Name) -> Any:
        if row is name:
            raise MissingName(f"{row.at} is gone")
        return real(row)

    monkeypatch.setattr(Name, "resolve", resolve)
    captured = capture(layer_norm_gelu, *layer_norm_inputs(), target="cpu-avx2")
    assert (
        set(captured.unavailable)
        & {stage.name for stage in all_stages() if "cpu" in stage.devices}
        == touching
    )
    for stage, text in texts(whole).items():
        if stage in touching:
            with pytest.raises(StageUnavailable, match=f"{name.at} is gone"):
                captured[stage]
        elif stage == "trail":
            assert captured[stage].unavailable == touching & {
                *LISTS.values(),
                *(each.name for each in all_stages() if each.digested),
            }
            form = get_stage(stage).format
            restored = form.carry_over(text, str(captured[stage]), touching)
            assert form.canonical(restored) == form.canonical(text)
        elif stage == "decisions":
            # Of several stages: what one of them said is carried over.
            form = get_stage(stage).format
            restored = form.carry_over(text, str(captured[stage]), touching)
            assert form.read(restored)[0].texts[:-1] == form.read(text)[0].texts[:-1]
        elif stage != "metrics":
            assert str(captured[stage]) == text
    left_out = set(whole.metrics.values) - set(captured.metrics.values)
    assert left_out == {
        metric for metric in whole.metrics.values if _stage_of(metric) in touching
    }


def _stage_of(metric: str) -> str:
    from pytest_compile_golden.formats.metrics.metric_table import METRICS

    return next(each.stage for each in METRICS if each.name == metric)


def test_a_hook_that_fails_disables_its_stage_and_never_the_compile(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from pytest_compile_golden.observe.probes import scheduler

    def broken(node: object, with_body: object) -> None:
        raise RuntimeError("moved in this nightly")

    monkeypatch.setattr(scheduler, "_describe", broken)
    captured = capture(layer_norm_gelu, *layer_norm_inputs(), target="cpu-avx2")
    with pytest.raises(StageUnavailable, match="RuntimeError: moved in this nightly"):
        captured["lowered_ir"]
    assert captured["cpp_code"].kernels


def test_user_defined_stages() -> None:
    def render(record: Record) -> Artifact:
        return Artifact("graph_count", f"{len(record.get('dynamo_graph'))}\n")

    stage = Stage("graph_count", "how many graphs", make=render, after="dynamo_graph")
    register_stage(stage)
    try:
        with pytest.raises(CompileGoldenError, match="already registered"):
            register_stage(stage)
        captured = capture(broken_graph, torch.randn(4), target="cpu-avx2")
        assert str(captured["graph_count"]) == "2\n"
        assert (
            captured.stages.index("graph_count")
            == captured.stages.index("dynamo_graph") + 1
        )
    finally:
        unregister_stage("graph_count")
    with pytest.raises(CompileGoldenError, match="no stage 'graph_count'"):
        get_stage("graph_count")


class Steps:
    """Steps of a project's pass, named as functions of torch that are replaced while it compiles."""

    def run(self, graph: fx.Graph) -> None:
        raise TypeError("this project's own mistake")

    def call_function(self, graph: fx.Graph) -> None:
        graph.eliminate_dead_code(lambda node: node.has_effect)

    def synchronize(self, graph: fx.Graph) -> None:
        graph.eliminate_dead_code(1, 2, 3)

    def get_attr(self, graph: fx.Graph) -> None:
        fx.Interpreter(fx.GraphModule({}, graph)).run()


PASSES: dict[str, Callable[[fx.Graph], None]] = {
    "run": lambda graph: Steps().run(graph),
    "call_function": lambda graph: Steps().call_function(graph),
    "synchronize": lambda graph: Steps().synchronize(graph),
    "get_attr": lambda graph: Steps().get_attr(graph),
}


@pytest.mark.parametrize("step", PASSES)
def test_an_error_of_a_pass_does_not_accuse_a_function_of_torch_of_the_same_name(
    step: str,
) -> None:
    with pytest.raises(CaptureFailed) as error:
        capture(
            torch.cos,
            torch.randn(8),
            target="cuda-sm90",
            config={"inductor.joint_custom_pre_pass": PASSES[step]},
        )
    assert "as this tool knows it" not in str(error.value)
    assert "test_failures.py" in str(error.value).split("\n")[0]
    assert (
        raised_in(error.value).startswith("torch/fx/interpreter.py:")
        or step != "get_attr"
    )
    assert not raised_in(error.value) or step not in ("run", "call_function")


def test_what_a_program_makes_torch_raise_is_not_raised_in_torch() -> None:
    """Dynamo interprets the program, so that only torch's frames are on the stack."""

    def other_sizes(x: Tensor) -> Tensor:
        return x @ torch.ones(3, 3, device=x.device)

    for program in (broken_graph, other_sizes):
        with pytest.raises(CaptureFailed) as failed:
            capture(program, torch.randn(4), target="cpu-avx2", fullgraph=True)
        assert not raised_in(failed.value)
    with pytest.raises(AssertionError) as differs:
        torch.testing.assert_close(torch.ones(2), torch.zeros(2))
    assert not raised_in(differs.value)
    with pytest.raises(ValueError, match="dropout") as misused:
        torch.nn.functional.dropout(torch.ones(2), p=7.0)
    assert raised_in(misused.value).startswith("torch/nn/functional.py:")


def test_a_kernel_of_the_user_is_one_of_the_kernels() -> None:
    captured = capture(launched(whole, BLOCK=64), torch.randn(64), target="cuda-sm90")
    assert captured.kernels == 2 and captured.metrics.extern_kernels == 1
