"""Unwanted recompiles, caches that store nothing, and CUDA graphs of operators that they cannot contain."""

import pytest
import torch
from torch import Tensor, nn
from torch._inductor.custom_graph_pass import CustomGraphPass
from torch.nn.attention.flex_attention import flex_attention

from pytest_compile_golden.typing import CompileStages

CPU = pytest.mark.compile_golden(target="cpu-avx2")
GPU = pytest.mark.compile_golden(target="cuda-sm90", mode="reduce-overhead")


class Layer(nn.Module):
    def __init__(self, layer_idx: int) -> None:
        super().__init__()
        self.layer_idx = layer_idx
        self.linear = nn.Linear(8, 8)

    def forward(self, x: Tensor) -> Tensor:
        return self.linear(x) * (self.layer_idx + 1)


def call(layer: nn.Module, x: Tensor) -> Tensor:
    return layer(x)


@CPU
@pytest.mark.incident(
    "huggingface/transformers#36484",
    versions="March 2025; `dynamo.allow_unspec_int_on_nn_module` off",
    stage="recompiles",
    cause="guard `layer.layer_idx == 0`",
)
def test_number_of_a_layer(compile_stages: CompileStages) -> None:
    """In a model compiled layer by layer, each `layer_idx` triggered a recompile, until the limit was reached."""
    calls = [(Layer(i), torch.randn(2, 8)) for i in range(6)]
    off = compile_stages(call, calls=calls, config={"dynamo.recompile_limit": 3})
    on = compile_stages(call, calls=calls, config={"dynamo.allow_unspec_int_on_nn_module": True})
    assert off["recompiles"].limits
    assert not on["recompiles"].limits
    assert on.metrics.recompiles == 1


class Cache:
    """Keys that grow by one with each token, as in transformers' DynamicCache."""

    def __init__(self) -> None:
        self.keys = torch.zeros(0, 8)

    def update(self, key: Tensor) -> Tensor:
        self.keys = torch.cat([self.keys, key])
        return self.keys


@CPU
@pytest.mark.incident(
    "huggingface/transformers#37908",
    versions="transformers 4.51; `dynamo.automatic_dynamic_shapes` off",
    stage="recompiles",
    cause="guard on the cache's length",
)
def test_cache_that_grows(compile_stages: CompileStages) -> None:
    """Each token triggered a recompile."""
    steps = 6
    recompiles = []
    for dynamic in (True, False):
        cache = Cache()
        captured = compile_stages(
            lambda cache, key: cache.update(key).sum(0),
            calls=[(cache, torch.randn(1, 8))] * steps,
            config={"dynamo.automatic_dynamic_shapes": dynamic},
        )
        recompiles.append(captured.metrics.recompiles)
    grown, each = recompiles
    assert grown < each == steps - 1


@CPU
@pytest.mark.incident(
    "pytorch/pytorch#110803",
    versions="2.1; reintroduced as a guard on the version of a module's attributes",
    stage="recompiles",
    cause="guard `__nn_module_guard_0(L['self'])`",
)
def test_training_and_back(compile_stages: CompileStages) -> None:
    """Each switch between training and inference triggered a recompile, even back to a mode already compiled."""
    model = nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.5))

    def f(x: Tensor, training: bool) -> Tensor:
        return model.train(training)(x)

    calls = [(torch.randn(2, 8), training) for training in (True, False) * 3]
    assert compile_stages(f, calls=calls).metrics.recompiles == 1


@pytest.mark.compile_golden(target="cuda-sm90", dynamic=False, config={"dynamo.recompile_limit": 2})
@pytest.mark.incident(
    "vllm-project/vllm#27178",
    versions="2.9; the window size as a number",
    stage="recompiles",
    cause="guard `window == 8`, then `recompile_limit`",
)
def test_flex_attention_beyond_the_limit(compile_stages: CompileStages) -> None:
    """Past the recompile limit flex attention ran uncompiled, materialising all scores, with only a warning."""

    def attend(query: Tensor, key: Tensor, value: Tensor, window: int | Tensor) -> Tensor:
        def near(score: Tensor, b: Tensor, h: Tensor, q: Tensor, k: Tensor) -> Tensor:
            return torch.where(q - k < window, score, -torch.inf)

        return flex_attention(query, key, value, score_mod=near)

    inputs = torch.randn(3, 1, 1, 128, 64, dtype=torch.float16).unbind()
    windows = (8, 16, 24)
    numbers = compile_stages(attend, calls=[(*inputs, window) for window in windows])
    tensors = compile_stages(attend, calls=[(*inputs, torch.tensor(window)) for window in windows])
    assert numbers["recompiles"].limits
    assert not tensors["recompiles"].limits
    assert tensors.metrics.recompiles == 0


@CPU
@pytest.mark.incident(
    "pytorch/pytorch#156377",
    versions="2.8; `mark_static_address(guard=True)`",
    stage="recompiles",
    cause="guard on the tensor's identity",
)
def test_static_addresses(compile_stages: CompileStages) -> None:
    """Each cache whose address is marked static triggered a compilation of its own."""
    recompiles = []
    for guard in (False, True):
        caches = [torch.randn(4) for _ in range(3)]
        for cache in caches:
            torch._dynamo.mark_static_address(cache, guard=guard)
        calls = [(torch.randn(4), cache) for cache in caches]
        recompiles.append(compile_stages(torch.add, calls=calls).metrics.recompiles)
    assert recompiles == [0, 2]


@CPU
@pytest.mark.incident(
    "pytorch/pytorch#107076",
    versions="2.1; the learning rate as a number",
    stage="recompiles",
    cause="guard `param_groups[0]['lr'] == ...`",
)
def test_learning_rate_that_is_scheduled(compile_stages: CompileStages) -> None:
    """Each LR scheduler step triggered a recompile of the optimizer; with a tensor learning rate none does."""
    recompiles = []
    for rate in (torch.tensor(0.1), 0.1):
        weight = nn.Parameter(torch.randn(8))
        weight.grad = torch.randn(8)
        optimizer = torch.optim.SGD([weight], lr=rate)
        scheduler = torch.optim.lr_scheduler.LinearLR(optimizer, total_iters=5)

        def step() -> None:
            optimizer.step()  # noqa: B023
            scheduler.step()  # noqa: B023

        recompiles.append(compile_stages(step, calls=[()] * 4).metrics.recompiles)
    assert recompiles == [0, 3]


@CPU
@pytest.mark.incident(
    "pytorch/pytorch#191106",
    versions="up to 2.13",
    fails="<2.14",
    stage="cache_key",
    cause="`_enter_autocast` is not among the functions that AOTAutograd's cache considers safe",
)
def test_autocast_inside(compile_stages: CompileStages) -> None:
    """A function that enters autocast itself was never cached by AOTAutograd and was retraced in each process."""

    def f(x: Tensor, weight: Tensor) -> Tensor:
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return x @ weight

    captured = compile_stages(f, torch.randn(8, 8), torch.randn(8, 8), watch=["cache_key"])
    assert captured["cache_key"].bypasses == ()


@CPU
@pytest.mark.incident(
    "pytorch/pytorch#187319",
    versions="2.12",
    fails=">=2.12",
    stage="cache_key",
    cause="AOTAutograd's cache identifies an operator by its name alone",
)
def test_operator_that_came_to_write(compile_stages: CompileStages) -> None:
    """An operator redefined to mutate its input got the code of its old definition from the cache."""
    keys = []
    for schema in ("op(Tensor x) -> Tensor", "op(Tensor(a!) x) -> Tensor"):
        with torch.library._scoped_library("incidents_redefined", "FRAGMENT") as library:
            library.define(schema)
            library.impl("op", torch.clone, "CompositeExplicitAutograd")
            library.impl("op", torch.empty_like, "Meta")
            captured = compile_stages(
                lambda x: torch.ops.incidents_redefined.op(x) + 1, torch.ones(4), watch=["cache_key"]
            )
            keys.append(captured["cache_key"])
    assert any(part.startswith("aot ") for part in keys[0].differing(keys[1]))


@CPU
@pytest.mark.incident(
    "vllm-project/vllm#26956",
    versions="2.9",
    stage="cache_key",
    cause="`inductor_config[custom_should_partition_ops]`",
)
def test_operators_that_split_the_graph(compile_stages: CompileStages) -> None:
    """The key left out which operators split the graph, so the cache returned code that was split elsewhere."""
    keys = [
        compile_stages(torch.sin, torch.randn(8), config={"custom_should_partition_ops": names}, watch=["cache_key"])[
            "cache_key"
        ]
        for names in ([], ["incidents::fetch"])
    ]
    assert keys[0].differing(keys[1])


class Named(CustomGraphPass):
    """A named pass that changes nothing."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, graph: torch.fx.Graph) -> None: ...

    def uuid(self) -> str:
        return self.name


@CPU
@pytest.mark.incident(
    "pytorch/pytorch#177403",
    versions="before 2.12",
    stage="cache_key",
    cause="`pre_grad_custom_pass` was not part of the key",
)
def test_pass_before_autograd(compile_stages: CompileStages) -> None:
    """Of all custom passes, only this one's UUID was not in the key: two passes could share one's result."""
    keys = [
        compile_stages(torch.sin, torch.randn(8), config={"pre_grad_custom_pass": Named(name)}, watch=["cache_key"])[
            "cache_key"
        ]
        for name in ("first", "second")
    ]
    assert keys[0].differing(keys[1])


@GPU
@pytest.mark.incident(
    "pytorch/pytorch#147648",
    versions="before 2.8; `graph_partition` off",
    stage="cudagraphs",
    cause="cpu device (device_put)",
)
def test_step_on_the_cpu(compile_stages: CompileStages) -> None:
    """One operation on the CPU kept everything else out of CUDA graphs."""

    def f(x: Tensor) -> Tensor:
        return (x + 1).cpu().sin().to(x.device) @ x

    on, off = (
        compile_stages(f, torch.randn(8, 8), config={"graph_partition": each})["cudagraphs"] for each in (True, False)
    )
    assert len(on.recorded) == 2
    assert on.skipped == ()
    assert any("cpu device" in reason for reason in off.skipped)


PAGE = torch.ones(8)
"""On the CPU, where the globals of a module stay, whatever a case compiles for."""


@torch.library.custom_op("incidents::fetch", mutates_args=())
def fetch(x: Tensor, page: Tensor) -> Tensor:
    return x + page.to(x.device)


@fetch.register_fake
def _(x: Tensor, page: Tensor) -> Tensor:
    return torch.empty_like(x)


@GPU
@pytest.mark.incident(
    "pytorch/pytorch#190233",
    versions="2.14",
    fails="<2.15",
    stage="cudagraphs",
    cause="`cudagraph_partitions 1 -> 2`: Scheduler.should_partition",
)
def test_operator_that_reads_from_the_cpu(compile_stages: CompileStages) -> None:
    """An operator that reads CPU memory was recorded in a CUDA graph, which then rejected that memory."""
    captured = compile_stages(lambda x: fetch(x.sin(), PAGE) + 1, torch.randn(8))
    assert any("incidents.fetch" in operators for operators in captured["cudagraphs"].launched)


@GPU
@pytest.mark.incident(
    "pytorch/pytorch#149944",
    versions="2.7; `dynamo.capture_dynamic_output_shape_ops`",
    stage="cudagraphs",
    cause="unbacked binding ops",
)
def test_result_of_any_length(compile_stages: CompileStages) -> None:
    """Only a log message said that `nonzero` was left out of CUDA graphs, and why."""
    config = {"dynamo.capture_dynamic_output_shape_ops": True}
    captured = compile_stages(lambda x: x.nonzero() + 1, torch.randn(16), config=config)
    assert "aten.nonzero.default" in captured["cudagraphs"].launched
    assert "unbacked binding ops" in str(captured["cudagraphs"])
