"""Settings for Inductor's codegen, checks, numerics and passes, and for Dynamo and functorch."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from pytest_compile_golden.typing import CompileStages, Golden

HALF = torch.float16
GPU = pytest.mark.compile_golden(target="cuda-sm90")
CPU = pytest.mark.compile_golden(target="cpu-avx2")

Program = Callable[..., Any]
Inputs = Callable[[], tuple[Any, ...]]


def transposed_sum(x: Tensor, y: Tensor) -> Tensor:
    return x + y.t()


def square() -> tuple[Tensor, ...]:
    return torch.randn(256, 256), torch.randn(256, 256)


def one(x: Tensor) -> Tensor:
    return x * 2 + 1


TRITON: dict[str, tuple[Any, Program, Inputs, str]] = {
    "triton.max_tiles": (1, transposed_sum, square, "xindex // 256"),
    "triton.use_block_ptr": (True, lambda x: x.t() + 1, lambda: (torch.randn(256, 256),), "tl.make_block_ptr"),
    "triton.skip_l1_cache": (True, one, lambda: (torch.randn(64),), "cache_modifier='.cg'"),
    "triton.enable_pdl": (True, one, lambda: (torch.randn(64),), "tl.extra.cuda.gdc_wait()"),
    "triton.native_matmul": (True, lambda x, y: (x @ y).relu(), square, "tl.dot("),
    "runtime_triton_nan_asserts": (True, one, lambda: (torch.randn(64),), "device_assert"),
}


BLOCK_POINTERS = pytest.mark.skipif(
    torch.__version__ >= "2.15", reason="the Triton of torch 2.15 has no block pointers"
)


@GPU
@pytest.mark.parametrize(
    "setting", [pytest.param(each, marks=BLOCK_POINTERS if "block_ptr" in each else ()) for each in TRITON]
)
def test_triton(setting: str, compile_stages: CompileStages, golden: Golden) -> None:
    """Each setting adds something to the kernel that is not there without it."""
    value, program, inputs, text = TRITON[setting]
    default, changed = (compile_stages(program, *inputs(), config=config) for config in ({}, {setting: value}))
    assert text not in default["triton_code"]
    assert text in changed["triton_code"]
    assert changed["triton_code"] == golden


@GPU
def test_triton_divisible_by_16(compile_stages: CompileStages, golden: Golden) -> None:
    """When off, Triton is not told about alignment, and loads one element at a time."""
    captured = compile_stages(one, torch.randn(64), config={"triton.divisible_by_16": False})
    assert "tt.divisibility" in compile_stages(one, torch.randn(64))["triton_code"]
    assert "tt.divisibility" not in captured["triton_code"]
    assert captured["triton_code"] == golden


@GPU
def test_codegen_upcast_to_fp32(compile_stages: CompileStages, golden: Golden) -> None:
    """When off, half precision is computed in half precision."""
    x = torch.randn(64, dtype=torch.bfloat16)
    captured = compile_stages(one, x, config={"triton.codegen_upcast_to_fp32": False})
    assert ".to(tl.float32)" in compile_stages(one, x)["triton_code"]
    assert ".to(tl.float32)" not in captured["triton_code"]
    assert captured["triton_code"] == golden


@GPU
def test_use_fast_math(compile_stages: CompileStages, golden: Golden) -> None:
    captured = compile_stages(torch.exp, torch.randn(64), config={"use_fast_math": True})
    assert "libdevice.exp(" not in captured["triton_code"]
    assert str(captured["triton_code"]) != str(compile_stages(torch.exp, torch.randn(64))["triton_code"])
    assert captured["triton_code"] == golden


@GPU
def test_descriptive_names(compile_stages: CompileStages, golden: Golden) -> None:
    """Kernels are named after the functions that the user called instead of ATen operators."""
    captured = compile_stages(
        lambda x: F.layer_norm(x, (64,)), torch.randn(64, 64), config={"triton.descriptive_names": "torch"}
    )
    assert captured["triton_code"].names == ("triton_per_fused_layer_norm_0",)
    assert captured["wrapper_code"] == golden


@GPU
def test_assume_aligned_inputs(compile_stages: CompileStages, golden: Golden) -> None:
    """When on, an unaligned input is compiled as if it were aligned."""
    x = torch.randn(65)[1:]
    default, captured = (compile_stages(one, x, config={"assume_aligned_inputs": each}) for each in (False, True))
    aligned = "(0,): [['tt.divisibility', 16]]"
    assert (aligned in default["triton_code"], aligned in captured["triton_code"]) == (False, True)
    assert captured["triton_code"] == golden


def test_assert_indirect_indexing(compile_stages: CompileStages, golden: Golden) -> None:
    """When off, an index from a tensor is not bounds-checked."""
    inputs = torch.randn(8, 64), torch.zeros(4, dtype=torch.int64)
    default = compile_stages(lambda x, i: x[i] + 1, *inputs)
    captured = compile_stages(lambda x, i: x[i] + 1, *inputs, config={"assert_indirect_indexing": False})
    code = "triton_code" if captured.target.startswith("cuda") else "cpp_code"
    text = "index out of bounds"
    assert (text in str(default[code]), text in str(captured[code])) == (True, False)
    assert captured[code] == golden


@pytest.mark.parametrize(
    ("setting", "value", "text"), [("size_asserts", False, "assert_size_stride"), ("nan_asserts", True, "isnan")]
)
@GPU
def test_checks_of_the_wrapper(
    setting: str, value: bool, text: str, compile_stages: CompileStages, golden: Golden
) -> None:
    default, captured = (compile_stages(one, torch.randn(64), config=config) for config in ({}, {setting: value}))
    assert (text in str(default["wrapper_code"]), text in str(captured["wrapper_code"])) == (not value, value)
    assert captured["wrapper_code"] == golden


@CPU
def test_cpp_threads(compile_stages: CompileStages, golden: Golden) -> None:
    """Loops are parallel regions with the number of threads given by the setting."""
    captured = compile_stages(torch.exp, torch.randn(512, 512), config={"cpp.threads": 4})
    assert "num_threads(4)" in captured["cpp_code"]
    assert captured["cpp_code"] == golden


@CPU
def test_cpp_dynamic_threads(compile_stages: CompileStages, golden: Golden) -> None:
    captured = compile_stages(torch.exp, torch.randn(512, 512), config={"cpp.dynamic_threads": True, "cpp.threads": 4})
    assert "num_threads(" not in captured["cpp_code"]
    assert captured["cpp_code"] == golden


def test_emulate_precision_casts(compile_stages: CompileStages, golden: Golden) -> None:
    """When on, each step rounds as eager does; by default there is one rounding at the end."""
    x = torch.randn(64, dtype=torch.bfloat16)
    default, captured = (compile_stages(one, x, config={"emulate_precision_casts": each}) for each in (False, True))
    casts = [str(each["lowered_ir"]).count("to_dtype") for each in (default, captured)]
    assert casts[0] < casts[1]
    assert captured["lowered_ir"] == golden


def test_fallback_random(compile_stages: CompileStages, golden: Golden) -> None:
    """When on, random numbers are the same as eager's: an ATen operator draws them."""
    captured = compile_stages(lambda x: x + torch.rand_like(x), torch.randn(64), config={"fallback_random": True})
    assert captured["post_grad_graph"].has("aten.rand_like") or captured["post_grad_graph"].has("aten.rand")
    assert not captured["post_grad_graph"].has("prims.inductor_random")
    assert captured["post_grad_graph"] == golden


PASSES: dict[str, tuple[Program, Inputs, str]] = {
    "pattern_matcher": (lambda x: torch.softmax(x / 0.7, -1), lambda: (torch.randn(8, 64),), "div_softmax_pattern"),
    "optimize_scatter_upon_const_tensor": (
        lambda labels, x: torch.zeros(64, 10, device=x.device).scatter(1, labels.unsqueeze(1), 1.0) - x,
        lambda: (torch.zeros(64, dtype=torch.int64), torch.randn(64, 10)),
        "scatter_upon_const_tensor",
    ),
}


@CPU
@pytest.mark.parametrize("setting", PASSES)
def test_pass(setting: str, compile_stages: CompileStages, golden: Golden) -> None:
    """When off, the rewrite does not happen."""
    program, inputs, pattern = PASSES[setting]
    assert compile_stages(program, *inputs())["passes"].matches(pattern) == 1
    captured = compile_stages(program, *inputs(), config={setting: False})
    assert captured["passes"].matches(pattern) == 0
    assert captured["post_grad_graph"] == golden


@CPU
@pytest.mark.parametrize("setting", ["joint_graph_constant_folding", "use_joint_graph_passes"])
def test_folding_of_constants(setting: str, compile_stages: CompileStages, golden: Golden) -> None:
    """When off, a multiplication by ones is computed."""

    def f(x: Tensor) -> Tensor:
        return x * torch.ones_like(x)

    assert not compile_stages(f, torch.randn(64))["post_grad_graph"].has("aten.mul")
    captured = compile_stages(f, torch.randn(64), config={setting: False})
    assert captured["post_grad_graph"].has("aten.mul")
    assert captured["post_grad_graph"] == golden


@GPU
def test_permute_fusion(compile_stages: CompileStages, golden: Golden) -> None:
    """When on, a transpose before a bmm is fused into the bmm."""
    inputs = torch.randn(4, 8, 16), torch.randn(4, 8, 16)
    captured = compile_stages(lambda x, y: torch.bmm(x.permute(0, 2, 1), y), *inputs, config={"permute_fusion": True})
    default = compile_stages(lambda x, y: torch.bmm(x.permute(0, 2, 1), y), *inputs)
    assert default["pre_grad_graph"].has("permute") and not captured["pre_grad_graph"].has("permute")
    assert captured["pre_grad_graph"] == golden


@CPU
@pytest.mark.parametrize("budget", [0.0, 0.5, 1.0])
def test_activation_memory_budget(budget: float, compile_stages: CompileStages, golden: Golden) -> None:
    """The smaller the budget, the more is recomputed: at 0 only inputs are saved."""

    def f(x: Tensor, *weights: Tensor) -> Tensor:
        for weight in weights:
            x = torch.relu(x @ weight)
        return x

    inputs = [torch.randn(64, 64, requires_grad=True) for _ in range(5)]
    config = {"functorch.activation_memory_budget": budget}
    captured = compile_stages(f, *inputs, train=True, config=config)
    again = captured["backward_graph"].count("aten.mm") - 8
    assert again == {0.0: 4, 0.5: 3, 1.0: 0}[budget]
    assert captured["backward_graph"] == golden


@CPU
def test_cse(compile_stages: CompileStages, golden: Golden) -> None:
    """When off, what is computed twice in the program is computed twice in its joint graph."""

    def f(x: Tensor, y: Tensor) -> Tensor:
        return (x @ y).sin() + (x @ y).cos()

    inputs = [torch.randn(8, 8, requires_grad=True) for _ in range(2)]
    assert compile_stages(f, *inputs, train=True)["forward_graph"].count("aten.mm") == 1
    captured = compile_stages(f, *inputs, train=True, config={"functorch.cse": False})
    assert captured["forward_graph"].count("aten.mm") == 2
    assert captured["forward_graph"] == golden


@CPU
def test_specialize_float(compile_stages: CompileStages, golden: Golden) -> None:
    """When on, a float that changes triggers a recompile each time."""
    calls = [(torch.ones(8), scale) for scale in (2.5, 3.5, 4.5)]
    default, captured = (
        compile_stages(lambda x, s: x * s, calls=calls, config={"dynamo.specialize_float": each})
        for each in (False, True)
    )
    assert (default.metrics.recompiles, captured.metrics.recompiles) == (1, 2)
    assert captured["recompiles"] == golden


@CPU
def test_specialize_int(compile_stages: CompileStages, golden: Golden) -> None:
    calls = [(torch.ones(8), scale) for scale in (3, 4, 5)]
    captured = compile_stages(lambda x, s: x * s, calls=calls, config={"dynamo.specialize_int": True})
    assert captured.metrics.recompiles == 2
    assert captured["recompiles"] == golden


@CPU
def test_assume_static_by_default(compile_stages: CompileStages, golden: Golden) -> None:
    """When off, sizes are symbols from the first call."""
    captured = compile_stages(
        torch.sin, calls=[(torch.ones(8),), (torch.ones(9),)], config={"dynamo.assume_static_by_default": False}
    )
    assert captured.metrics.recompiles == 0
    assert captured["dynamo_graph"] == golden


@CPU
def test_automatic_dynamic_shapes(compile_stages: CompileStages, golden: Golden) -> None:
    """When off, each size is compiled separately."""
    calls = [(torch.ones(n),) for n in (8, 9, 10)]
    captured = compile_stages(torch.sin, calls=calls, config={"dynamo.automatic_dynamic_shapes": False})
    assert captured.metrics.recompiles == 2
    assert captured["recompiles"] == golden
