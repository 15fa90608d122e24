"""Operators without a fake implementation in torch, and what stands in for those that only CUDA has."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode

from pytest_compile_golden import capture, numerics
from pytest_compile_golden.errors import DataDependentValue, UnsupportedTensor
from pytest_compile_golden.targets import get_target
from pytest_compile_golden.targets.cuda_operators import STAND_INS, on_cpu

aten = torch.ops.aten


def ctc(
    log_probs: Tensor, targets: Tensor, input_lengths: Tensor, target_lengths: Tensor
) -> Tensor:
    return F.ctc_loss(log_probs.log_softmax(-1), targets, input_lengths, target_lengths)


def fake_quantised(x: Tensor) -> Tensor:
    return torch.fake_quantize_per_tensor_affine(x, 0.1, 0, -128, 127).relu()


def warped(image: Tensor, flow: Tensor) -> Tensor:
    return F.grid_sample(image.relu(), flow.tanh(), align_corners=True)


PROGRAMS: list[tuple[Callable[..., Any], tuple[Any, ...], str]] = [
    (
        fake_quantised,
        (torch.randn(64),),
        "aten.fake_quantize_per_tensor_affine_cachemask.default",
    ),
    (
        nn.GRUCell(8, 16),
        (torch.randn(4, 8), torch.randn(4, 16)),
        "aten._thnn_fused_gru_cell.default",
    ),
    (
        nn.LSTMCell(8, 16),
        (torch.randn(4, 8), (torch.randn(4, 16), torch.randn(4, 16))),
        "aten._thnn_fused_lstm_cell.default",
    ),
    (
        warped,
        (torch.randn(2, 3, 8, 8), torch.randn(2, 4, 4, 2)),
        "aten.cudnn_grid_sampler.default",
    ),
]


@pytest.mark.parametrize(
    ("program", "inputs", "operator"),
    PROGRAMS,
    ids=["fake_quantise", "gru", "lstm", "warp"],
)
def test_they_are_captured_and_compute_what_eager_does(
    program: Callable[..., Any], inputs: tuple[Any, ...], operator: str
) -> None:
    captured = capture(program, *inputs, target="cuda-sm90", train=True)
    assert captured["forward_graph"].count(operator) == 1
    assert numerics(program, *inputs, target="cuda-sm90", train=True)


def test_drawing_does_not_consume_the_programs_random_numbers() -> None:
    alpha = torch.rand(4, 3)
    before = torch.get_rng_state()
    capture(
        lambda alpha: torch.distributions.Dirichlet(alpha).rsample(),
        alpha,
        target="cuda-sm90",
    )
    assert torch.equal(torch.get_rng_state(), before)


def test_sizes_derived_from_known_lengths() -> None:
    inputs = (
        torch.randn(20, 4, 30),
        torch.randint(1, 30, (4, 5)),
        torch.full((4,), 20),
        torch.full((4,), 5),
    )
    assert (
        capture(ctc, *inputs, target="cuda-sm90", train=True).metrics.graph_breaks == 1
    )
    with pytest.raises(DataDependentValue, match="_ctc_loss"):
        capture(
            lambda x, targets, lengths, others: ctc(x, targets, lengths, others.long()),
            *inputs[:3],
            torch.rand(4),
            target="cuda-sm90",
        )


def test_known_values_of_arguments_stay_known_and_arguments_may_be_expanded() -> None:
    with get_target("cuda-sm90").active():
        mean, running = torch.zeros(2, 3), torch.zeros(3)
        aten.batch_norm_gather_stats_with_counts(
            torch.randn(2, 3, 4),
            mean + 1,
            mean + 1,
            running,
            None,
            0.5,
            1e-5,
            torch.ones(1).expand(2),
        )
        assert running.tolist() == [0, 0, 0]


def test_operators_that_no_device_has_are_refused() -> None:
    with pytest.raises(UnsupportedTensor, match="dequantize"):
        capture(
            lambda x: torch.quantize_per_tensor(x, 0.1, 0, torch.qint8).dequantize(),
            torch.ones(4),
            target="cuda-sm90",
        )


@pytest.mark.parametrize("name", STAND_INS)
def test_stand_ins_take_arguments_that_their_operators_have(name: str) -> None:
    packet, _, overload = name.removeprefix("aten::").partition(".")
    declared = getattr(getattr(aten, packet), overload or "default")._schema.arguments
    parameters = inspect.signature(STAND_INS[name]).parameters.values()
    taken = {
        parameter.name
        for parameter in parameters
        if parameter.kind is not parameter.VAR_KEYWORD
    }
    assert taken <= {argument.name for argument in declared}


@pytest.mark.parametrize(
    "cell", [nn.LSTMCell(3, 5), nn.GRUCell(3, 5), nn.GRUCell(3, 5, bias=False)]
)
def test_fused_cells_compute_what_their_parts_do(
    cell: nn.LSTMCell | nn.GRUCell,
) -> None:
    x, state, memory = (torch.randn(2, size, requires_grad=True) for size in (3, 5, 5))
    biases = cell.bias_ih, cell.bias_hh
    gates = [
        (a @ b.T).detach().requires_grad_()
        for a, b in ((x, cell.weight_ih), (state, cell.weight_hh))
    ]
    gradient = torch.randn(2, 5)
    if isinstance(cell, nn.LSTMCell):
        hy, cy, workspace = on_cpu(aten._thnn_fused_lstm_cell.default)(
            *gates, memory, *biases
        )
        expected = torch.lstm_cell(
            x, (state, memory), cell.weight_ih, cell.weight_hh, *biases
        )
        torch.testing.assert_close((hy, cy), expected)
        wanted = torch.autograd.grad(
            (hy, cy), (gates[0], memory, biases[0]), (gradient, 2 * gradient)
        )
        made = on_cpu(aten._thnn_fused_lstm_cell_backward_impl.default)(
            gradient, 2 * gradient, memory, cy, workspace, True
        )
        torch.testing.assert_close(made, wanted)
        return
    hy, workspace = on_cpu(aten._thnn_fused_gru_cell.default)(*gates, state, *biases)
    torch.testing.assert_close(
        hy, torch.gru_cell(x, state, cell.weight_ih, cell.weight_hh, *biases)
    )
    given = [each for each in (*gates, state, *biases) if each is not None]
    wanted = torch.autograd.grad(hy, given, gradient)
    made = on_cpu(aten._thnn_fused_gru_cell_backward.default)(
        gradient, workspace, biases[0] is not None
    )
    torch.testing.assert_close(
        [each for each in made if each is not None], list(wanted)
    )


def test_batch_norm_in_steps_matches_that_of_the_whole_batch() -> None:
    """Two ranks, each with a part of the batch, as in torch.nn.modules._functions.SyncBatchNorm."""
    x = torch.randn(6, 3, 4, requires_grad=True)
    weight, bias = (
        torch.randn(3, requires_grad=True),
        torch.randn(3, requires_grad=True),
    )
    running = torch.zeros(3), torch.ones(3)
    expected_running = torch.zeros(3), torch.ones(3)
    parts, eps = x.detach().split([2, 4]), 1e-5
    statistics = [on_cpu(aten.batch_norm_stats.default)(part, eps) for part in parts]
    counts = torch.tensor([float(part.numel() // 3) for part in parts])
    mean, invstd = on_cpu(aten.batch_norm_gather_stats_with_counts.default)(
        parts[0],
        *map(torch.stack, zip(*statistics, strict=True)),
        *running,
        0.1,
        eps,
        counts,
    )
    normalise = on_cpu(aten.batch_norm_elemt.default)
    result = torch.cat(
        [normalise(part, weight, bias, mean, invstd, eps) for part in parts]
    ).detach()
    expected = F.batch_norm(x, *expected_running, weight, bias, training=True, eps=eps)
    torch.testing.assert_close(result, expected.detach())
    torch.testing.assert_close(running, expected_running)

    gradient = torch.randn_like(expected)
    wanted = torch.autograd.grad(expected, (x, weight, bias), gradient)
    reduce = on_cpu(aten.batch_norm_backward_reduce.default)
    sums = [
        reduce(grad, part, mean, invstd, weight, True, True, True)
        for grad, part in zip(gradient.split([2, 4]), parts, strict=True)
    ]
    of_ranks = [sum(each) for each in zip(*sums, strict=True)]
    scatter = on_cpu(aten.batch_norm_backward_elemt.default)
    made = [
        scatter(grad, part, mean, invstd, weight, *of_ranks[:2], counts.int())
        for grad, part in zip(gradient.split([2, 4]), parts, strict=True)
    ]
    torch.testing.assert_close(
        (torch.cat(made).detach(), *(each.detach() for each in of_ranks[2:])), wanted
    )


class Operators(TorchDispatchMode):
    """Counts the operators that run."""

    def __init__(self) -> None:
        super().__init__()
        self.ran = 0

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        self.ran += 1
        return func(*args, **(kwargs or {}))


@pytest.mark.parametrize("batch_first", [False, True])
@pytest.mark.parametrize("network", [nn.LSTM, nn.GRU, nn.RNN])
def test_networks_outside_graphs_do_not_run_step_by_step(
    network: type[nn.RNNBase], batch_first: bool
) -> None:
    target = get_target("cuda-sm90")

    def run(steps: int) -> tuple[Tensor, int]:
        module = target.place(network(3, 5, num_layers=2, batch_first=batch_first))
        shape = (4, steps, 3) if batch_first else (steps, 4, 3)
        with Operators() as operators:
            output, _ = module(torch.randn(shape))
        return output, operators.ran

    with target.active():
        (output, ran), (_, ran_for_two) = run(64), run(2)
    assert ran == ran_for_two
    assert output.shape == ((4, 64, 5) if batch_first else (64, 4, 5))
    assert output.stride() == ((5, 20, 1) if batch_first else (20, 5, 1))
    assert output.requires_grad


def test_programs_may_read_addresses_as_on_a_gpu() -> None:
    target = get_target("cuda-sm90")
    with target.active(), warnings.catch_warnings():
        warnings.simplefilter("error")
        nn.LSTM(3, 5, device="cuda")(torch.randn(7, 4, 3))
