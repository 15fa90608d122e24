"""What a compile costs: bytes, operations, memory and least times, with the right sign where they change."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

import pytest
import torch
import torch._inductor.lowering
import torch._inductor.memory
import torch.nn.functional as F
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from pytest_compile_golden import Capture, capture
from pytest_compile_golden.facts.costs import Liveness
from pytest_compile_golden.formats.costs import COST, CostArtifact
from pytest_compile_golden.formats.memory import MemoryArtifact
from pytest_compile_golden.formats.metrics import METRICS_FORMAT
from pytest_compile_golden.goldens.compare_artifact import compare
from pytest_compile_golden.goldens.first_divergence import cause
from pytest_compile_golden.goldens.golden_header import Header
from pytest_compile_golden.goldens.golden_paths import GoldenPath
from pytest_compile_golden.goldens.golden_store import StoredGolden
from pytest_compile_golden.goldens.ranking import Cost
from pytest_compile_golden.report.case_report import first_words
from pytest_compile_golden.report.metric_columns import share, shown, step
from pytest_compile_golden.stages import get_stage
from pytest_compile_golden.targets import (
    Rates,
    VirtualCuda,
    get_target,
    register_target,
)
from pytest_compile_golden.targets.devices import CPUS, GPUS, H100_SXM
from pytest_compile_golden.targets.target import _targets

N = 512
SQUARE = N * N * 4


def costs(captured: Capture) -> CostArtifact:
    found = captured["cost"]
    assert isinstance(found, CostArtifact)
    return found


def square() -> Tensor:
    return torch.randn(N, N)


@pytest.mark.parametrize("target", ["cuda-sm90", "cpu-avx2"])
def test_each_kernel_and_call_has_its_bytes_and_operations(target: str) -> None:
    def program(x: Tensor) -> Tensor:
        return (x @ x).relu() + 1

    captured = capture(program, square(), target=target)
    (graph,) = costs(captured).graphs
    product, loop = graph.kernels
    assert (product.kind, product.operands) == ("extern", "f32")
    assert dict(product.numbers) == {
        "launches": 1,
        "read": SQUARE,
        "written": SQUARE,
        "flops": 2 * N**3,
    }
    assert loop.kind == "pointwise"
    assert dict(loop.numbers) == {
        "launches": 1,
        "read": SQUARE,
        "written": SQUARE,
        "flops": 2 * N * N,
    }
    metrics = captured.metrics
    assert metrics.flops == 2 * N**3 + 2 * N * N
    assert (
        dict(graph.numbers)["read"] + dict(graph.numbers)["written"]
        == metrics.bytes_accessed
    )
    # The result is written over the product.
    assert metrics.peak_memory == SQUARE
    assert "saved_bytes" not in metrics.values
    assert (
        metrics.least_time
        == graph.least_ns
        == sum(kernel.least_ns or 0 for kernel in graph.kernels)
    )
    # torch's own count of operations is what any compile leaves.
    assert metrics.counters["flop_count"] == 0


def test_library_calls_that_inductor_has_no_number_for() -> None:
    half, shared = torch.randn(2, 8, 64, 32).half(), torch.randn(2, 2, 64, 32).half()
    image, weight = torch.randn(2, 8, 16, 16), torch.randn(16, 8, 3, 3)

    def program(
        q: Tensor, k: Tensor, x: Tensor, w: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        attention = F.scaled_dot_product_attention(q, k, k, enable_gqa=True)
        return attention, F.conv2d(x, w), torch.linalg.inv_ex(x).inverse

    attention, convolution = 2 * 2 * 2 * 8 * 64 * 64 * 32, 2 * 2 * 16 * 14 * 14 * 8 * 9
    for target, f32 in (("cuda-sm90", "tf32"), ("cpu-avx2", "f32")):
        (graph,) = costs(
            capture(program, half, shared, image, weight, target=target)
        ).graphs
        calls = {
            (kernel.operands, dict(kernel.numbers).get("flops"))
            for kernel in graph.kernels
            if kernel.kind == "extern"
        }
        assert calls == {("f16", attention), (f32, convolution), ("", None)}


def test_a_product_that_became_loops_is_not_counted_again_in_the_call_that_reads_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    aten, lowerings = torch.ops.aten, torch._inductor.lowering.lowerings

    def in_loops(left: Any, right: Any) -> Any:
        unsqueeze = lowerings[aten.unsqueeze.default]
        products = lowerings[aten.mul.Tensor](unsqueeze(left, 2), unsqueeze(right, 0))
        return lowerings[aten.sum.dim_IntList](products, [1])

    monkeypatch.setitem(lowerings, aten.mm.default, in_loops)
    captured = capture(
        lambda k, r: k @ r @ k.mT,
        torch.randn(16, 8, 4),
        torch.randn(4, 4),
        target="cuda-sm90",
    )
    (graph,) = costs(captured).graphs
    loops, call = graph.kernels
    assert "mm" in loops.operators and {"mm", "bmm"} <= {*call.operators}
    assert loops.number("flops") == 16 * 8 * 4 * (4 + 3)
    assert call.number("flops") == 16 * 2 * 8 * 4 * 8


def test_a_convolution_is_not_counted_again_in_the_next_one() -> None:
    """A bias is added in loops, which torch says the convolution that reads them was made of, and so both were."""
    first, second = nn.Conv2d(16, 16, 3, padding=1), nn.Conv2d(16, 16, 1)
    captured = capture(
        lambda x: second(F.silu(first(x))),
        torch.randn(2, 16, 8, 8),
        target="cuda-sm90",
    )
    (graph,) = costs(captured).graphs
    calls = [kernel for kernel in graph.kernels if kernel.kind == "extern"]
    assert [call.number("flops") for call in calls] == [
        2 * 2 * 16 * 64 * 16 * 9,
        2 * 2 * 16 * 64 * 16,
    ]


def test_dynamic_shapes_are_counted_at_their_actual_size_and_add_no_guard() -> None:
    def program(x: Tensor) -> Tensor:
        return x @ x.t()

    captured = capture(program, torch.randn(24, 16), dynamic=True)
    assert (
        dict(costs(captured).graphs[0].kernels[0].numbers)["flops"] == 2 * 24 * 24 * 16
    )
    assert "s77" in str(captured["post_grad_graph"]) and "== 24" not in str(
        captured["guards"]
    )


@dataclass(frozen=True)
class Pair:
    """Two versions of a program: metrics in `less` are lower in the cheap one, those in `equal` are the same."""

    cheap: Callable[..., Any]
    costly: Callable[..., Any]
    inputs: Callable[[], tuple[Tensor, ...]]
    less: tuple[str, ...]
    equal: tuple[str, ...] = ()
    cheap_config: dict[str, Any] = field(default_factory=dict)
    costly_config: dict[str, Any] = field(default_factory=dict)
    train: bool = False


def _chain(x: Tensor) -> tuple[Tensor, Tensor]:
    return (y := x.sin()), y.cos()


def _product_and_bias(x: Tensor, bias: Tensor) -> Tensor:
    return x @ x + bias


def _two_lists(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    return x + 1, y * 2


def _layer(x: Tensor, w: Tensor) -> Tensor:
    return ((x @ w).sin() @ w).cos()


def _saved(x: Tensor, w: Tensor) -> Tensor:
    return _layer(x, w).sum()


def _recomputed(x: Tensor, w: Tensor) -> Tensor:
    return checkpoint(_layer, x, w, use_reentrant=False).sum()


PAIRS = {
    "fused": Pair(
        _chain,
        _chain,
        lambda: (square(),),
        less=("bytes_accessed", "kernels", "least_time"),
        equal=("flops", "peak_memory"),
        costly_config={"max_fusion_size": 1},
    ),
    "addmm": Pair(
        _product_and_bias,
        _product_and_bias,
        lambda: (square(), torch.randn(N)),
        less=("bytes_accessed", "least_time", "flops"),
        costly_config={"pattern_matcher": False},
    ),
    "one kernel for two": Pair(
        _two_lists,
        _two_lists,
        lambda: (square(), torch.randn(100)),
        less=("kernels", "least_time"),
        equal=("bytes_accessed", "flops", "peak_memory"),
        cheap_config={"combo_kernels": True},
    ),
    "half": Pair(
        lambda x: (x.half() * 2).relu(),
        lambda x: (x * 2).relu(),
        lambda: (square(),),
        less=("bytes_accessed", "least_time", "peak_memory"),
        equal=("flops", "kernels"),
    ),
    "recomputed": Pair(
        _recomputed,
        _saved,
        lambda: (square(), square()),
        less=("saved_bytes",),
        train=True,
    ),
    "saved": Pair(
        _saved,
        _recomputed,
        lambda: (square(), square()),
        less=("flops", "least_time"),
        train=True,
    ),
}


@pytest.mark.parametrize("name", PAIRS)
def test_the_cheaper_version_has_lower_numbers(name: str) -> None:
    pair = PAIRS[name]
    cheap, costly = (
        capture(program, *pair.inputs(), train=pair.train, config=config).metrics
        for program, config in (
            (pair.cheap, pair.cheap_config),
            (pair.costly, pair.costly_config),
        )
    )
    for metric in pair.less:
        assert getattr(cheap, metric) < getattr(costly, metric), metric
    for metric in pair.equal:
        assert getattr(cheap, metric) == getattr(costly, metric), metric


def test_precision_of_products_counts() -> None:
    """Peak rates depend on the type that is multiplied."""
    times = []
    for dtype in (torch.float64, torch.float32, torch.bfloat16):
        x = torch.randn(2048, 2048, dtype=dtype)
        times.append(capture(torch.mm, x, x).metrics.least_time)
    assert times[0] >= times[1] > times[2]


def test_saved_bytes_count_only_what_forward_made() -> None:
    def program(x: Tensor, w: Tensor) -> Tensor:
        return x.sin().t() @ w.t()

    captured = capture(program, square(), square(), train=True)
    assert (
        len(
            re.findall(
                "graph_0_forward_saves = \\[.*,.*\\]", str(captured["forward_graph"])
            )
        )
        == 1
    )
    # X and w, and views of them, are the caller's.
    assert captured.metrics.saved_bytes == SQUARE


def test_views_that_are_saved_keep_the_whole_of_their_tensor() -> None:
    layer = torch.nn.TransformerEncoderLayer(64, 4, 128, dropout=0, batch_first=True)
    captured = capture(layer, torch.randn(2, 32, 64), train=True)
    memory = captured["memory"]
    assert isinstance(memory, MemoryArtifact)
    # Queries, keys and values are views of one product.
    heads = [
        value.nbytes
        for value in memory.saved
        if value.operator == "aten.view.default" and value.type == "f32[2, 4, 32, 16]"
    ]
    assert heads == [2 * 32 * 3 * 64 * 4, 0, 0]


@pytest.mark.parametrize("target", ["cuda-sm90", "cpu-avx2"])
def test_the_buffers_that_a_graph_holds_add_up_to_its_peak(target: str) -> None:
    """Also where a call returns several, where one takes over the memory of another or of what was saved."""

    def program(x: Tensor, w: Tensor) -> Tensor:
        values, places = (F.gelu(x @ w) @ w.t()).sort(dim=1)
        return (values.cumsum(1).relu() * places).sum(0) + torch.xlogy(
            x.softmax(0), x.sigmoid() / 2
        ).mean(1, True)

    leaves = [
        torch.randn(32, 64, requires_grad=True),
        torch.randn(64, 64, requires_grad=True),
    ]
    found = costs(capture(program, *leaves, target=target, train=True))
    held = [fact for fact in found.facts if isinstance(fact, Liveness)]
    assert [fact.graph for fact in held] == [graph.name for graph in found.graphs]
    for graph, fact in zip(found.graphs, held, strict=True):
        assert fact.most == graph.peak_memory


def test_values_that_stay_in_registers_take_no_memory() -> None:
    captured = capture(
        lambda x, w: F.gelu(F.layer_norm(x, (N,), w, w)), square(), torch.randn(N)
    )
    assert captured.metrics.kernels == 1 and captured.metrics.peak_memory == SQUARE


def test_every_virtual_device_declares_its_rates_and_their_source() -> None:
    for name in (*GPUS, *CPUS):
        rates = get_target(name).rates
        assert rates is not None and rates.source
        assert rates.matrix["f32"] >= rates.vector["f32"] > rates.vector["f64"] * 0.99
    for name, gpu in GPUS.items():
        # Twice the memory's clock times its bus width: what the driver reports agrees with the data sheet.
        # AMD's driver reports half the clock for some types of memory.
        if get_target(name).vendor != "NVIDIA":
            continue
        reported = (
            2
            * gpu.properties.memory_clock_rate
            * gpu.properties.memory_bus_width
            / 8
            / 1e6
        )
        assert abs(reported / gpu.rates.bandwidth - 1) < 0.05, name


def test_a_card_without_rates_has_costs_but_no_times() -> None:
    try:
        register_target(VirtualCuda("cuda-unrated", H100_SXM))
        captured = capture(torch.sin, square(), target="cuda-unrated")
        assert (
            "at least" not in str(captured["cost"])
            and "least_time" not in captured.metrics.values
        )
        rated = capture(torch.sin, square(), target="cuda-sm90")
        assert COST.canonical(captured["cost"].text) == COST.canonical(
            rated["cost"].text
        )
        assert rated.metrics.values == {
            **captured.metrics.values,
            "least_time": rated.metrics.least_time,
        }
    finally:
        _targets.remove("cuda-unrated")


def test_least_time_is_bound_by_memory_arithmetic_or_launches() -> None:
    rates = Rates(
        {"f32": 10, "bf16": 100},
        {"f32": 10},
        bandwidth=1000,
        launch_us=2,
        source="test",
    )
    assert (
        rates.lower_bound(10**9, {}, {}, 1).ns,
        rates.lower_bound(10**9, {}, {}, 1).bound,
    ) == (1_002_000, "memory")
    assert (
        rates.lower_bound(0, {"bf16": 10**12}, {}, 0).ns,
        rates.lower_bound(0, {"bf16": 10**12}, {}, 0).bound,
    ) == (
        10_000_000,
        "compute",
    )
    assert rates.lower_bound(0, {"i4": 10**12}, {}, 0) == rates.lower_bound(
        0, {"f32": 10**12}, {}, 0
    )
    assert rates.lower_bound(8, {}, {"f32": 8}, 3).bound == "launch"


def test_text_is_read_back_as_it_was_written() -> None:
    captured = capture(torch.nn.Linear(8, 8), torch.randn(4, 8), train=True)
    text = captured["cost"].text
    assert (
        COST.write(COST.read(text)) == text
        and COST.read(text) == costs(captured).graphs
    )
    assert COST.canonical(text) == COST.canonical(
        text.replace(" ns at least", "0 ns at least")
    )
    other = text.replace("launches 1", "launches 2", 1)
    assert COST.canonical(text) != COST.canonical(other)


def test_a_missing_internal_disables_only_the_stages_that_show_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = capture(torch.sin, square()).metrics.unavailable
    monkeypatch.delattr(torch._inductor.memory, "estimate_peak_memory_allocfree")
    captured = capture(torch.sin, square())
    assert {"cost", "memory"} == set(captured.unavailable)
    assert "estimate_peak_memory_allocfree" in captured.unavailable["cost"]
    assert captured.metrics.unavailable - before == {
        "flops",
        "peak_memory",
        "saved_bytes",
        "least_time",
    }
    assert captured.metrics.kernels == 1


GOLDEN = "bytes_accessed = 8\nkernels = 1\n"


@pytest.mark.parametrize(
    ("golden", "text", "kind", "expected"),
    [
        (GOLDEN, GOLDEN + "flops = 5\npeak_memory = 3\n", "cosmetic", []),
        (
            GOLDEN,
            "bytes_accessed = 8\nflops = 5\nkernels = 2\n",
            "metric",
            ["kernels REGRESSION"],
        ),
        (GOLDEN + "flops = 5\n", GOLDEN, "metric", ["flops changed"]),
        ("flops = 6\nleast_time = 4\n", "flops = 6\nleast_time = 9\n", "cosmetic", []),
        (
            "flops = 6\nleast_time = 4\n",
            "flops = 5\nleast_time = 3\n",
            "metric",
            ["flops changed", "least_time changed"],
        ),
        (
            "peak_memory = 1\nsaved_bytes = 9\n",
            "peak_memory = 2\nsaved_bytes = 8\n",
            "metric",
            None,
        ),
        ("other = 1\n", GOLDEN, "metric", ["other changed"]),
    ],
)
def test_neither_a_new_metric_nor_a_time_alone_is_a_change(
    golden: str, text: str, kind: str, expected: list[str] | None
) -> None:
    stage = get_stage("metrics")
    path = GoldenPath(PurePosixPath("case"), "metrics", "toml")
    change = compare(
        stage,
        path,
        StoredGolden(path.versionless, Header("metrics", "2.12.1", None), golden),
        text,
    )
    assert change is not None and change.kind == kind
    if expected is None:
        expected = ["peak_memory REGRESSION", "saved_bytes WIN"]
    assert [f"{metric.name} {metric.verdict}" for metric in change.metrics] == expected
    assert METRICS_FORMAT.canonical(golden) == METRICS_FORMAT.canonical(
        golden + "least_time = 1\nguards = 9\n"
    )


def test_numbers_are_the_first_divergence_if_nothing_else_changed() -> None:
    old, new = "guards = 64\npython_guards = 2\n", "guards = 65\npython_guards = 1\n"
    path = GoldenPath(PurePosixPath("case"), "metrics", "toml")
    golden = StoredGolden(path.versionless, Header("metrics", "2.12.1", None), old)
    change = compare(get_stage("metrics"), path, golden, new)
    found = None if change is None else cause([change])
    assert found is not None and first_words(found) == "metrics: python_guards 2 -> 1"


def test_numbers_are_shown_with_units() -> None:
    values = {
        "peak_memory": 1536,
        "saved_bytes": 3 << 20,
        "flops": 2_147_483_648,
        "least_time": 4504,
        "kernels": 12345,
    }
    texts = [shown(name, value) for name, value in values.items()]
    assert texts == ["1.5 KiB", "3.0 MiB", "2.1 GFLOP", "4.5 us", "12345"]
    assert (
        shown("decode.flops", 999) == "999 FLOP" and shown("least_time", None) == "none"
    )
    assert step("flops", 2_142_420_736, 2_142_224_128) == "2.1424 GFLOP -> 2.1422 GFLOP"
    assert step("kernels", 2, None) == "2 -> none"
    doubled = [
        Cost("flops", 10_000, new, 1, "changed") for new in (19_997, 20_000, 15_049)
    ]
    assert [share(cost) for cost in doubled] == [" (+100 %)", " (+100 %)", " (+50 %)"]


def test_a_view_made_by_a_library_call_moves_nothing() -> None:
    """Inductor makes library calls for complex numbers, even for views of them."""

    def rotated(x: torch.Tensor, by: torch.Tensor) -> torch.Tensor:
        return torch.view_as_real(torch.view_as_complex(x) * by[None])

    found = costs(
        capture(
            rotated,
            torch.randn(4, 16, 2),
            torch.randn(16, dtype=torch.complex64),
            target="cpu-avx2",
        )
    )
    (graph,) = found.graphs
    (only,) = graph.kernels
    assert only.operators == ("mul",) and dict(only.numbers)["written"] == 4 * 16 * 8


@pytest.mark.parametrize("target", ["cpu-avx2", "cuda-sm90"])
def test_loops_over_no_elements_cost_nothing(target: str) -> None:
    """Inductor has no loops for them, but an operation that reads by an index that is loaded."""

    def gathered(x: Tensor, index: Tensor) -> Tensor:
        return x.index_put((index,), x[index] + 1)

    nothing = torch.randn(8, 0), torch.tensor([1, 2])
    captured = capture(gathered, *nothing, target=target)
    assert [graph.kernels for graph in costs(captured).graphs] == [()]
    something = torch.randn(8, 1), torch.tensor([1, 2])
    (graph,) = costs(capture(gathered, *something, target=target)).graphs
    assert graph.kernels


@pytest.mark.parametrize("target", ["cpu-avx2", "cuda-sm90"])
def test_what_computes_an_index_is_no_floating_point_operation(target: str) -> None:
    """From torch 2.13 on, Inductor's loops for GPUs have an index that is used as a value under a name of its own."""

    def positions(x: Tensor) -> Tensor:
        return torch.arange(64, device=x.device) + 1

    def added(x: Tensor) -> Tensor:
        return x + (2 * torch.arange(64, device=x.device) + 1)

    counted = [
        capture(each, torch.randn(64), target=target)["metrics"].flops
        for each in (positions, added)
    ]
    assert counted == [0, 64]


@pytest.mark.parametrize("target", ["cpu-avx2", "cuda-sm90"])
def test_a_fused_kernel_reads_what_it_gathers_and_slices_not_whole_buffers(
    target: str,
) -> None:
    """torch's own count, `bytes_accessed`, takes each buffer of a fused kernel as read whole."""
    rows, columns = 256, 4096

    def picked(x: Tensor, index: Tensor) -> tuple[Tensor, Tensor]:
        chosen = torch.gather(x, 1, index) + x[:, :1]
        return chosen.cos(), chosen.exp()

    captured = capture(
        picked,
        torch.randn(rows, columns),
        torch.zeros(rows, 1, dtype=torch.int64),
        target=target,
    )
    (graph,) = costs(captured).graphs
    assert captured["scheduler_nodes"].fused("cos", "exp")
    read = dict(graph.kernels[0].numbers)["read"]
    assert read == rows * (4 + 4 + 8)
    assert captured.metrics.bytes_accessed > rows * columns * 4


def test_a_kernel_that_reads_elements_twice_moves_them_once() -> None:
    def program(x: Tensor, index: Tensor) -> tuple[Tensor, Tensor]:
        taken = x[index]
        return taken + 1, (taken * x[:64]).sum(-1)

    (graph,) = costs(
        capture(program, torch.randn(64, 32), torch.arange(64), target="cuda-sm90")
    ).graphs
    read = sum(dict(kernel.numbers)["read"] for kernel in graph.kernels)
    assert read <= len(graph.kernels) * (64 * 32 * 4 + 64 * 8)


@pytest.mark.parametrize("target", ["cpu-avx2", "cuda-sm90"])
def test_a_nested_region_costs_what_its_kernels_do_at_each_call(target: str) -> None:
    @torch.compiler.nested_compile_region
    def layer(x: Tensor, w: Tensor) -> Tensor:
        return (x @ w).relu()

    def repeated(times: int) -> Capture:
        def program(x: Tensor, w: Tensor) -> Tensor:
            for _ in range(times):
                x = layer(x, w)
            return x

        return capture(program, torch.randn(8, 16), torch.randn(16, 16), target=target)

    once, thrice = repeated(1), repeated(3)
    assert once.metrics.flops == 2 * 8 * 16 * 16 + 8 * 16
    assert thrice.metrics.flops == 3 * once.metrics.flops
    assert thrice.metrics.least_time == 3 * once.metrics.least_time
    (graph,) = costs(thrice).graphs
    assert [kernel.kind for kernel in graph.kernels] == ["extern", "pointwise"] * 3
