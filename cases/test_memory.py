"""Where values live: buffers that are reused, written in place, padded, re-laid out or concatenated without a copy."""

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from pytest_compile_golden.typing import CompileStages, Golden

pytestmark = pytest.mark.compile_golden(stages="+wrapper_code")


def test_buffers_reused_along_a_chain(compile_stages: CompileStages, golden: Golden) -> None:
    """Each matmul's buffer is free once the next one is done."""

    def f(x: Tensor, *weights: Tensor) -> Tensor:
        for weight in weights:
            x = torch.relu(x @ weight)
        return x

    captured = compile_stages(f, torch.randn(128, 256), *(torch.randn(256, 256) for _ in range(4)))
    assert captured == golden


def test_products_in_a_row(compile_stages: CompileStages, golden: Golden) -> None:
    """The third matmul's result reuses the buffer of the first."""

    def f(x: Tensor, *weights: Tensor) -> Tensor:
        for weight in weights:
            x = x @ weight
        return x

    captured = compile_stages(f, torch.randn(128, 256), *(torch.randn(256, 256) for _ in range(4)))
    assert captured == golden


def test_order_for_peak_memory(compile_stages: CompileStages, golden: Golden) -> None:
    """Large intermediates needed by one branch after the other, each branch ending in a small result."""

    def f(x: Tensor, *weights: Tensor) -> Tensor:
        wide = [torch.mm(x, weight) for weight in weights]
        return torch.stack([torch.mm(each, each.t()).sum() for each in wide])

    captured = compile_stages(f, torch.randn(64, 128), *(torch.randn(128, 2048) for _ in range(3)))
    assert captured == golden


def test_wide_values_used_in_turns(compile_stages: CompileStages, golden: Golden) -> None:
    """One wide value is consumed before the other is computed, unlike in the program's order."""

    def f(x: Tensor, up: Tensor, down: Tensor) -> Tensor:
        first, second = x @ up, x.relu() @ up
        return (first @ down) @ (second @ down) @ (first @ first.t()) @ (second @ second.t())

    captured = compile_stages(f, torch.randn(64, 64), torch.randn(64, 1024), torch.randn(1024, 64))
    assert captured["passes"].changed("reorder_for_peak_memory")
    assert captured == golden


def test_cat_without_a_copy(compile_stages: CompileStages, golden: Golden) -> None:
    """Kernels and library calls write directly into slices of the result."""

    def f(x: Tensor, weight: Tensor, y: Tensor) -> Tensor:
        return torch.cat([x @ weight, y.softmax(-1)], 1)

    captured = compile_stages(f, torch.randn(64, 128), torch.randn(128, 96), torch.randn(64, 32))
    assert captured == golden


def test_cat_in_a_pointwise_kernel(compile_stages: CompileStages, golden: Golden) -> None:
    captured = compile_stages(
        lambda *parts: torch.cat([part.sin() for part in parts], 1) * 2, *(torch.randn(64, 16 * n) for n in (1, 2, 3))
    )
    assert captured == golden


def test_cat_of_long_expressions(compile_stages: CompileStages, golden: Golden) -> None:
    """Each part is computed in the kernel that writes the result."""

    def f(*parts: Tensor) -> Tensor:
        return torch.cat([part.sin().exp().cos() for part in parts], 1) * 2

    captured = compile_stages(f, *(torch.randn(64, 16 * n) for n in (1, 2, 3)))
    assert captured == golden


def test_cat_of_many(compile_stages: CompileStages, golden: Golden) -> None:
    """Too many inputs for one kernel, unless each is simple."""

    def f(*parts: Tensor) -> Tensor:
        return torch.cat([part.sin().exp() for part in parts], 1).cos()

    captured = compile_stages(f, *(torch.randn(32, 8) for _ in range(12)))
    assert captured == golden


def test_padding_of_an_image(compile_stages: CompileStages, golden: Golden) -> None:
    captured = compile_stages(lambda x: F.pad(x.relu(), (1, 1, 2, 0), value=1.5) * 2, torch.randn(2, 3, 30, 30))
    assert captured == golden


def test_padding_into_a_product(compile_stages: CompileStages, golden: Golden) -> None:
    """Rows added before a matmul, as in a padded batch."""
    captured = compile_stages(
        lambda x, weight: F.pad(x * 2, (0, 0, 0, 28)) @ weight, torch.randn(100, 64), torch.randn(64, 64)
    )
    assert captured == golden


def test_rows_of_odd_length_are_padded(compile_stages: CompileStages, golden: Golden) -> None:
    """The strides of a large intermediate are rounded up so that its rows are aligned."""

    def f(x: Tensor, weight: Tensor) -> Tensor:
        return torch.softmax(x @ weight, -1) @ weight.t()

    captured = compile_stages(f, torch.randn(2048, 64), torch.randn(64, 2047))
    assert captured == golden


def test_channels_last(compile_stages: CompileStages, golden: Golden) -> None:
    model = torch.nn.Sequential(torch.nn.Conv2d(32, 64, 3, padding=1), torch.nn.ReLU(), torch.nn.Conv2d(64, 64, 1))
    captured = compile_stages(model.eval(), torch.randn(4, 32, 28, 28))
    assert captured == golden


def test_written_into_a_slice(compile_stages: CompileStages, golden: Golden) -> None:
    def f(x: Tensor, y: Tensor) -> Tensor:
        x = x * 2
        x[:, 2:10] = y.sin()
        x[3].add_(1)
        return x

    captured = compile_stages(f, torch.randn(32, 64), torch.randn(32, 8))
    assert captured == golden


def test_copied_into_a_slice_of_an_input(compile_stages: CompileStages, golden: Golden) -> None:
    """A KV cache written over a range."""

    def f(cache: Tensor, value: Tensor) -> Tensor:
        cache[:, 8:16].copy_(value * 2)
        return cache.sum()

    captured = compile_stages(f, torch.zeros(4, 128, 64), torch.randn(4, 8, 64))
    assert captured == golden


def test_value_read_after_it_is_written(compile_stages: CompileStages, golden: Golden) -> None:
    """The write must not come before the last use of the value it overwrites."""

    def f(x: Tensor, index: Tensor, values: Tensor) -> tuple[Tensor, ...]:
        updated = x.index_put((index,), values)
        return updated.sin(), x.cos()

    captured = compile_stages(f, torch.randn(128, 64), torch.arange(4), torch.randn(4, 64))
    assert captured == golden


@torch.library.custom_op("cases::add_one_", mutates_args={"x"})
def add_one_(x: torch.Tensor) -> None:
    x.add_(1)


@add_one_.register_fake
def _(x: Tensor) -> Tensor:
    return None


def test_operator_that_writes_into_its_input(compile_stages: CompileStages, golden: Golden) -> None:
    """In place if nothing reads the old value any more, otherwise on a copy."""

    def f(x: Tensor) -> tuple[Tensor, ...]:
        first, second = x.sin(), x.cos()
        add_one_(first)
        kept = second * 2
        add_one_(second)
        return first, second + kept

    captured = compile_stages(f, torch.randn(64, 64))
    assert captured["post_grad_graph"].count("cases.add_one_") == 2
    assert captured == golden


def test_operator_that_writes_into_two_views(compile_stages: CompileStages, golden: Golden) -> None:
    def f(x: Tensor) -> Tensor:
        add_one_(x[:32])
        add_one_(x[16:])
        return x * 2

    captured = compile_stages(f, torch.randn(64, 64))
    assert captured == golden


@pytest.mark.compile_golden(config={"memory_planning": True})
def test_buffers_from_a_pool(compile_stages: CompileStages, golden: Golden) -> None:
    def f(x: Tensor, weight: Tensor) -> Tensor:
        return torch.relu(torch.relu(x @ weight) @ weight) @ weight

    captured = compile_stages(f, torch.randn(128, 256), torch.randn(256, 256))
    assert captured == golden
