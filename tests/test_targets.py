"""Targets in one process: what they answer, what they place, and that they leave nothing behind."""

from __future__ import annotations

import gc
import sys
import types
from collections.abc import Iterator, Sequence
from contextvars import copy_context
from typing import Any

import pytest
import torch
import torch._functorch.config
import torch._inductor.config
from torch import Tensor, nn
from torch._inductor.graph import GraphLowering

from pytest_compile_golden import capture
from pytest_compile_golden.errors import (
    CompileGoldenError,
    TargetUnavailable,
    UnknownTarget,
)
from pytest_compile_golden.targets import (
    CudaProperties,
    VirtualCuda,
    dispatcher_kernels,
    get_target,
    register_target,
    target_names,
)
from pytest_compile_golden.targets import build_library as shim_module
from pytest_compile_golden.targets import target as target_module
from pytest_compile_golden.targets.devices import CPUS, GPUS

# AMD's run in processes of their own: test_targets_rocm.py.
NVIDIAS = tuple(name for name in GPUS if get_target(name).vendor == "NVIDIA")
VIRTUAL = (*NVIDIAS, *CPUS)


@pytest.fixture
def codes(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The output code of each graph that the test compiles, with torch's caches off."""
    made: list[str] = []
    monkeypatch.setattr(GraphLowering, "save_output_code", staticmethod(made.append))
    torch._dynamo.reset()
    with (
        torch._inductor.config.patch(fx_graph_cache=False),
        torch._functorch.config.patch(enable_autograd_cache=False),
    ):
        yield made
    torch._dynamo.reset()


def gelu_norm(x: Tensor, w: Tensor | None) -> Tensor:
    return torch.nn.functional.gelu(torch.nn.functional.layer_norm(x, (64,), w))


# ------------------------------------------------------------------------------------------------ compiling


@pytest.mark.parametrize("name", ["cpu-avx2", "cpu-neon"])
def test_a_cpu_target_computes_what_the_graph_says(name: str, codes: list[str]) -> None:
    def f(x: Tensor, table: Tensor) -> tuple[Tensor, ...]:
        table.add_(1)
        return gelu_norm(x, None) @ table, x[1:].t()

    x, table = torch.randn(8, 64), torch.randn(64, 4)
    expected_table = table.clone()
    expected = f(x, expected_table)
    with get_target(name).active():
        got = torch.compile(f)(x, table)
    torch.testing.assert_close(got, expected)
    torch.testing.assert_close(table, expected_table)  # mutated for real
    # Still a view of the input.
    assert got[1].untyped_storage()._cdata == x.untyped_storage()._cdata
    assert codes


def test_vector_width_and_threads_come_from_the_target(codes: list[str]) -> None:
    before = torch.get_num_threads()
    widths = {}
    for name in ("cpu-avx2", "cpu-avx512", "cpu-neon"):
        codes.clear()
        torch._dynamo.reset()
        with get_target(name).active():
            torch.compile(lambda x: x.sin() + 1)(torch.randn(4096, 64))
        assert "#pragma omp parallel num_threads(8)" in codes[0]
        widths[name] = {
            line.strip() for line in codes[0].splitlines() if "loadu" in line
        }.pop()
    assert "static_cast<int64_t>(8)" in widths["cpu-avx2"]
    assert "static_cast<int64_t>(16)" in widths["cpu-avx512"]
    assert "static_cast<int64_t>(4)" in widths["cpu-neon"]
    assert torch.get_num_threads() == before


def test_properties_reach_the_generated_code(codes: list[str]) -> None:
    for name in NVIDIAS:
        with get_target(name).active():
            torch._dynamo.reset()
            torch.compile(lambda x: x.sum())(torch.randn(1 << 20))
    of = dict(zip(NVIDIAS, codes, strict=True))
    assert "multi_processor_count=108" in of["cuda-sm80"] and "cc=80" in of["cuda-sm80"]
    assert "multi_processor_count=132" in of["cuda-sm90"] and "cc=90" in of["cuda-sm90"]
    assert (
        "multi_processor_count=148" in of["cuda-sm100"] and "cc=100" in of["cuda-sm100"]
    )


def test_a_value_that_a_gpu_target_cannot_know_raises_torchs_own_error() -> None:
    with (
        get_target("cuda-sm90").active(),
        pytest.raises(torch._subclasses.fake_tensor.DataDependentOutputException),
    ):
        torch.randn(2).sum().item()


def test_every_wheel_keeps_the_same_operators_whole_as_cuda_wheels() -> None:
    def registered() -> set[str]:
        names = [
            name.removeprefix("aten::")
            for name in torch._C._dispatch_get_all_op_names()
        ]
        both = ("CUDA", "CompositeImplicitAutograd")
        return {
            name
            for name in names
            if all(dispatcher_kernels.has_kernel(name, key) for key in both)
        }

    expected = {"_fused_rms_norm", "mish_backward", "silu_backward"}
    assert set(dispatcher_kernels.whole_on_cuda()) == expected
    assert registered() == (expected if torch.version.cuda else set())
    with get_target("cuda-sm90").active():
        # The rest: what only runs outside of graphs, and attention, which attention.py decides on.
        rest = registered() - expected
        assert registered() >= expected
    assert {name.partition(".")[0] for name in rest} == {
        "gru",
        "lstm",
        "rnn_relu",
        "rnn_tanh",
        "scaled_dot_product_attention",
    }


def test_whole_operators_in_training(codes: list[str]) -> None:
    functions = {
        "_fused_rms_norm": lambda x: torch.nn.functional.rms_norm(x, (64,)),
        "silu_backward": torch.nn.functional.silu,
        "mish_backward": torch.nn.functional.mish,
    }
    graphs: list[torch.fx.GraphModule] = []

    def keep(
        graph: torch.fx.GraphModule, inputs: Sequence[object], **kwargs: Any
    ) -> tuple[Any, Any]:
        graphs.append(graph)
        return torch._functorch.partitioners.min_cut_rematerialization_partition(
            graph, inputs, **kwargs
        )

    from functorch.compile import make_boxed_func
    from torch._dynamo.backends.common import aot_autograd

    backend = aot_autograd(
        fw_compiler=lambda graph, inputs: make_boxed_func(graph), partition_fn=keep
    )
    target = get_target("cuda-sm90")
    for operator, function in functions.items():
        graphs.clear()
        torch._dynamo.reset()
        with target.active():
            torch.compile(function, backend=backend)(
                target.place(torch.randn(8, 64, requires_grad=True))
            )
        assert any(operator in str(node.target) for node in graphs[0].graph.nodes), (
            operator
        )
    kernel = torch._C._dispatch_has_kernel_for_dispatch_key
    cuda_wheel = torch.backends.cuda.is_built()
    assert all(
        kernel(f"aten::{operator}", "CUDA") == cuda_wheel for operator in functions
    )


# ------------------------------------------------------------------------------------------------ policy


def matmul(x: Tensor, y: Tensor) -> Tensor:
    return torch.relu(x @ y)


@pytest.mark.parametrize("policy", ["aten", "triton", "name:triton_mm_"])
def test_max_autotune_follows_the_policy(policy: str, codes: list[str]) -> None:
    target = get_target("cuda-sm90")
    with target.active(policy=policy):
        torch.compile(matmul, mode="max-autotune")(
            torch.randn(256, 256), torch.randn(256, 256)
        )
        answered = target.policy
    assert ("extern_kernels.mm" in codes[0]) == (policy == "aten")
    assert answered != target.policy or policy == "aten"
    assert {"aten": "prefer aten", "triton": "prefer templates"}.get(
        policy, "triton_mm_"
    ) in (answered or "")


def test_max_autotune_compiles_on_a_cpu_target(codes: list[str]) -> None:
    with get_target("cpu-avx512").active(policy="triton"):
        torch.compile(matmul, mode="max-autotune")(
            torch.randn(64, 64), torch.randn(64, 64)
        )
    assert codes


def test_matmuls_are_not_padded_by_a_benchmark(codes: list[str]) -> None:
    with get_target("cuda-sm80").active():
        torch.compile(matmul)(
            torch.randn(2049, 2049).half(), torch.randn(2049, 2049).half()
        )
        assert "constant_pad_nd" not in codes[0]
        torch._dynamo.reset()
        with torch._inductor.config.patch(force_shape_pad=True):
            torch.compile(matmul)(
                torch.randn(2049, 2049).half(), torch.randn(2049, 2049).half()
            )
        assert "2056" in codes[1]


def test_an_unknown_policy_names_the_known_ones() -> None:
    with (
        pytest.raises(CompileGoldenError, match="'aten', 'triton' or 'name:<regex>'"),
        get_target("cuda-sm90").active(policy="fastest"),
    ):
        pass
    with (
        pytest.raises(CompileGoldenError, match="regular expression"),
        get_target("cuda-sm90").active(policy="name:("),
    ):
        pass


# ------------------------------------------------------------------------------------------------ restoring


def state() -> dict[str, object]:
    """Everything that a target touches, as values that can be compared."""
    from torch._dynamo import device_interface
    from torch._inductor.cpu_vec_isa import pick_vec_isa, valid_vec_isa_list
    from triton.runtime import driver

    modules = {
        name: {
            key: value
            for key, value in vars(module).items()
            if isinstance(value, types.FunctionType | type)
        }
        for name, module in list(sys.modules.items())
        if name.startswith(
            (
                "torch.cuda",
                "torch.cpu",
                "torch.backends",
                "torch._inductor",
                "torch._dynamo",
            )
        )
        and module is not None
    }
    codes = {
        f"{name}.{key}": value.__code__
        for name, members in modules.items()
        for key, value in members.items()
        if isinstance(value, types.FunctionType)
    }
    kernel = torch._C._dispatch_has_kernel_for_dispatch_key
    sdpa = torch.ops.aten.scaled_dot_product_attention.default
    return {
        "functions": modules,
        "codes": codes,
        "torch._C": {
            name: value for name, value in vars(torch._C).items() if callable(value)
        },
        "available": torch.cuda.is_available(),
        "versions": (torch.version.cuda, torch.version.hip),
        "driver": (driver._active, driver._default),
        "inductor config": torch._inductor.config.get_config_copy(),
        "dynamo config": torch._dynamo.config.get_config_copy(),
        "interfaces": dict(device_interface.device_interfaces),
        "isa": (pick_vec_isa, valid_vec_isa_list),
        "armed": shim_module.load().is_armed(),
        "dispatcher": [
            kernel(f"aten::{name}", key)
            for name in (
                "scaled_dot_product_attention",
                "_fused_rms_norm",
                "silu_backward",
                "lstm.input",
            )
            for key in ("CUDA", "AutogradCUDA", "CompositeImplicitAutograd")
        ],
        "py_kernels": dict(sdpa.py_kernels),
        "modes": torch.utils._python_dispatch._get_current_dispatch_mode(),
        "default device": torch.get_default_device(),
        "GraphLowering": dict(vars(GraphLowering)),
        "rng": torch.get_rng_state().tolist(),
        "mkldnn": torch.ops.mkldnn._is_mkldnn_bf16_supported(),
    }


@pytest.mark.parametrize("name", VIRTUAL)
def test_forward_and_backward_compile_and_run_and_leaving_restores_everything(
    name: str, codes: list[str]
) -> None:
    target = get_target(name)

    def use() -> None:
        with target.active():
            x = target.place(torch.ones(8, 64, requires_grad=True))
            w = target.place(torch.nn.Parameter(torch.ones(64)))
            out = torch.compile(gelu_norm)(x, w)
            out.sum().backward()
            assert out.device.type == x.grad.device.type == target.device_type
            assert x.grad.shape == (8, 64)
            assert w.grad.shape == (64,)

    use()  # what torch imports and registers on first use is not ours to undo
    torch._dynamo.reset()
    assert len(codes) == 2
    marks = {
        "cuda": "@triton.jit",
        "cpu-avx2": "at::vec::Vectorized",
        "cpu-avx512": "static_cast<int64_t>(16)",
    }
    assert (
        marks.get(name, marks.get(target.device_type, "at::vec::Vectorized"))
        in codes[0]
    )
    before = state()
    use()
    torch._dynamo.reset()
    after = state()
    for what, value in before.items():
        assert after[what] == value, what


def test_leaving_restores_after_an_error() -> None:
    before = torch.cuda.is_available()
    with pytest.raises(ZeroDivisionError), get_target("cuda-sm90").active():
        assert torch.cuda.is_available()
        _ = 1 / 0
    assert torch.cuda.is_available() == before
    assert torch.randn(2).device.type == "cpu"


def test_the_target_is_what_torch_sees_inside() -> None:
    with get_target("cuda-sm100").active():
        assert torch.cuda.is_available()
        assert torch.cuda.device_count() == 1
        assert torch.cuda.get_device_name() == "NVIDIA B200"
        assert torch.cuda.get_device_capability() == (10, 0)
        assert torch.cuda.get_device_properties(0).multi_processor_count == 148
        assert torch.utils._triton.has_triton_tma_device()
        assert torch.randn(3).is_cuda
        torch.manual_seed(0)
        assert torch.cuda.get_rng_state().dtype == torch.uint8
    with get_target("cuda-sm80").active():
        assert torch.cuda.get_device_capability() == (8, 0)
        assert not torch.utils._triton.has_triton_tma_device()


def test_entering_again_is_a_no_op_and_another_target_an_error() -> None:
    target = get_target("cuda-sm90")
    with target.active(), target.active():
        inner = torch.randn(2)
        with (
            pytest.raises(
                CompileGoldenError, match="cuda-sm80 cannot be entered inside cuda-sm90"
            ),
            get_target("cuda-sm80").active(),
        ):
            pass
        assert inner.is_cuda
    assert target_module.active_target() is None


def test_backward_of_fake_gpu_tensors_after_an_ordinary_backward() -> None:
    torch.ones(
        2, requires_grad=True
    ).sum().backward()  # starts autograd's threads, without a GPU
    with get_target("cuda-sm90").active():
        x = torch.ones(2, requires_grad=True)
        (x * 2).sum().backward()
        assert x.grad.is_cuda
    x = torch.ones(2, requires_grad=True)
    (x * 3).sum().backward()
    assert x.grad.tolist() == [3.0, 3.0]


# ------------------------------------------------------------------------------------------------ registry


def test_names_and_errors() -> None:
    assert set(VIRTUAL) <= set(target_names())
    with pytest.raises(
        UnknownTarget, match=r"cuda-sm80, cuda-sm89, cuda-sm90.*register_target"
    ):
        get_target("cuda-sm35")
    if not torch.cuda.is_available():
        with (
            pytest.raises(TargetUnavailable, match="virtual GPU targets"),
            get_target("native-cuda").active(),
        ):
            pass
    with get_target("native-cpu").active() as target:
        assert target.policy is None and not target.virtual


def test_custom_targets(monkeypatch: pytest.MonkeyPatch, codes: list[str]) -> None:
    monkeypatch.setattr(
        target_module._targets, "_items", dict(target_module._targets._items)
    )
    mine = CudaProperties(
        name="NVIDIA RTX 4090",
        major=8,
        minor=9,
        multi_processor_count=128,
        total_memory=24 << 30,
        shared_memory_per_block_optin=99 << 10,
        shared_memory_per_multiprocessor=100 << 10,
        L2_cache_size=72 << 20,
        max_threads_per_multi_processor=1536,
    )
    register_target(VirtualCuda("cuda-mycard", mine))
    # The same again, as from a conftest.py that runs twice.
    register_target(VirtualCuda("cuda-mycard", mine))
    with get_target("cuda-mycard").active():
        torch.compile(lambda x: x.sin())(torch.randn(64))
    assert "cc=89" in codes[0] and "multi_processor_count=128" in codes[0]
    with pytest.raises(CompileGoldenError, match="already registered"):
        register_target(VirtualCuda("cuda-sm80", mine))


def test_nothing_is_kept_per_activation() -> None:
    target = get_target("cuda-sm90")

    def enter() -> None:
        with target.active():
            torch.randn(4).sum()

    for _ in range(3):
        enter()
    gc.collect()
    before, variables = len(gc.get_objects()), len(copy_context())
    for _ in range(20):
        enter()
    gc.collect()
    assert len(gc.get_objects()) - before < 200
    # One for each patch of a config, which torch keeps. When there are many, each is an object, too.
    assert len(copy_context()) - variables <= 20 * 5


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_frozen_weights_of_half_precision_are_packed_on_any_machine(
    dtype: torch.dtype,
) -> None:
    """Also where oneDNN refuses them, since this machine's processor has no instructions for them."""
    layers = nn.Conv2d(8, 8, 3), nn.ConvTranspose2d(8, 8, 3), nn.Linear(8, 8)
    x = torch.randn(1, 8, 8, 8, dtype=dtype)
    with torch.no_grad():
        captured = capture(
            nn.Sequential(*layers).to(dtype).eval(),
            x,
            target="cpu-neon",
            config={"freezing": True},
        )
    graph = str(captured["post_grad_graph"])
    assert graph.count("mkldnn._") >= 3, graph


def test_an_identity_counts_in_a_type_that_no_operator_counts_in() -> None:
    captured = capture(
        lambda x: x + torch.eye(256), torch.ones(256, 256), target="cpu-avx2"
    )
    assert "torch.uint16" in str(captured["post_grad_graph"])
