"""Values on a virtual GPU: small ones derived from constants are known, so models can be created there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
import triton
import triton.language as tl
from torch import Tensor
from torch._inductor.utils import fresh_cache
from torch._subclasses.fake_tensor import DataDependentOutputException

from pytest_compile_golden import capture
from pytest_compile_golden.errors import DataDependentValue
from pytest_compile_golden.targets import Target, get_target


@triton.jit
def filled_kernel(out: Any, size: tl.constexpr) -> None:
    tl.store(out + tl.arange(0, size), 1.0)


@pytest.fixture(autouse=True)
def sm90() -> Iterator[Target]:
    with get_target("cuda-sm90").active() as target:
        yield target


def test_values_derived_from_constants_are_known() -> None:
    assert torch.linspace(0, 1, 5).tolist() == [0, 0.25, 0.5, 0.75, 1]
    assert [each.item() for each in torch.arange(5).split([2, 3])[1]] == [2, 3, 4]
    assert torch.tensor(3.5, device="cuda").item() == 3.5
    assert bool(torch.tensor([False, True]).any())
    assert torch.ones_like(torch.randn(3)).cpu().tolist() == [1, 1, 1]
    assert torch.empty(3).fill_(2).sum().item() == 6
    assert torch.equal(torch.arange(3), torch.tensor([0, 1, 2]))
    # As large as everyday masks.
    assert torch.ones(512, 512).tril().sum().item() == 512 * 513 / 2
    even = torch.arange(5)[torch.arange(5) % 2 == 0]  # its size is a value too
    assert even.is_cuda and even.tolist() == [0, 2, 4]


def test_views_and_writes_agree() -> None:
    base = torch.zeros(4)
    view = base.view(2, 2)
    view[1].add_(3)
    base[0] = 7
    assert base.tolist() == [7, 0, 3, 3]
    assert view.tolist() == [[7, 0], [3, 3]]


def _drawn() -> Tensor:
    return torch.randn(3)


def _drawn_in_place() -> Tensor:
    base = torch.ones(4)
    base.view(2, 2)[0].normal_()
    return base


def _written_by_a_real_tensor() -> Tensor:
    base = torch.ones(3)
    with torch.utils._python_dispatch._disable_current_modes():
        real = torch.randn(3, device="cpu")
    return base.copy_(real)


def _other_data() -> Tensor:
    parameter = torch.nn.Parameter(torch.ones(4))
    parameter.data = torch.randn(4)
    return parameter


def _uninitialised() -> Tensor:
    return torch.empty(3)


def _partly_written() -> Tensor:
    base = torch.empty(4)
    base[:2].zero_()
    return base


def _large() -> Tensor:
    return torch.zeros(1 << 40)


def _written_by_compiled_code() -> Tensor:
    x = torch.zeros(4)
    # torch caches what it compiled for the fake tensors without the code: the next run could not load it.
    with fresh_cache():
        torch.compile(lambda x: x.add_(0.5))(x)
    return x


def _written_by_a_kernel() -> Tensor:
    x = torch.zeros(4)
    with fresh_cache():
        torch.compile(lambda x: filled_kernel[(1,)](x, 4))(x)
    return x


@pytest.mark.parametrize(
    "make",
    [
        _drawn,
        _drawn_in_place,
        _written_by_a_real_tensor,
        _other_data,
        _uninitialised,
        _partly_written,
        _large,
        _written_by_compiled_code,
        _written_by_a_kernel,
    ],
)
def test_other_values_stay_unknown(make: Callable[[], Tensor]) -> None:
    with pytest.raises(DataDependentOutputException):
        make().sum().item()


def _first_of(x: Tensor, lengths: Tensor) -> Tensor:
    return x[:, : int(lengths.max())] * 2


@pytest.mark.parametrize("lengths", [[3, 5], [2, 7]])
def test_integers_that_are_passed_in_are_known(lengths: list[int]) -> None:
    # Made elsewhere, as a test's inputs and a model's buffers may be.
    with torch.device("cpu"):
        given = torch.tensor(lengths)
    captured = capture(_first_of, torch.randn(4, 8), given)
    assert captured.metrics.graph_breaks == 1  # as with real tensors
    assert f"f32[4, {lengths[1]}]" in captured["post_grad_graph"].text


def _counted(x: Tensor, mask: Tensor) -> Tensor:
    mask.logical_not_()
    return x[: int(mask.sum())] + 1


@pytest.mark.parametrize("dtype", [torch.bool, torch.float32])
def test_what_compiled_code_computes_from_known_values_is_known(
    dtype: torch.dtype,
) -> None:
    with torch.device("cpu"):
        mask = torch.tensor([True, False, False, False]).to(dtype)
    captured = capture(_counted, torch.randn(4), mask)
    assert "f32[3]" in captured["post_grad_graph"].text


@pytest.mark.parametrize(
    "draw", [torch.rand_like, lambda x: torch.randint_like(x, 9), lambda x: x * 1.5]
)
def test_what_is_drawn_or_rounded_is_not_known(
    draw: Callable[[Tensor], Tensor],
) -> None:
    with torch.device("cpu"):
        x = torch.ones(4)
    with pytest.raises(DataDependentValue, match="item"):
        capture(lambda x: draw(x).max().item() + x, x)


def _asks(x: Tensor, mask: Tensor, lengths: Tensor, rest: Tensor) -> Tensor:
    if mask.logical_not().any().item():
        x = x.sin()
    counts = lengths.new_zeros(2)
    counts.add_(lengths)
    return x[: counts.tolist()[1]] + rest


def test_a_capture_lists_the_inputs_whose_values_were_used() -> None:
    def given(*first: int) -> Tensor:
        return torch.tensor(first)

    x, mask = torch.randn(4), torch.tensor([True, False])
    assert capture(_asks, x, mask, given(1, 2), given(3)).known == ("lengths", "mask")
    assert capture(
        _asks, x, mask, kwargs={"lengths": given(1, 2), "rest": given(3)}
    ).known == ("lengths", "mask")
    # Only what this capture used, and nothing that was used between two captures.
    lengths = given(1, 2)
    assert lengths.tolist() == [1, 2]
    assert capture(lambda x, lengths: x + lengths[0], x, lengths).known == ()
    # Not an input, but a part of the program.
    assert capture(lambda x: x[: int(lengths[1])] + 1, x).known == ()


SMALL = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "image_size": 32,
    "patch_size": 16,
}


@pytest.mark.wide
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("ViT", {**SMALL, "intermediate_size": 64}),
        ("DeiT", {**SMALL, "intermediate_size": 64}),
        (
            "ConvNext",
            {
                "hidden_sizes": [8, 16],
                "depths": [1, 2],
                "num_stages": 2,
                "drop_path_rate": 0.1,
            },
        ),
        ("Dinov2", {**SMALL, "drop_path_rate": 0.1}),
        ("SiglipVision", {**SMALL, "intermediate_size": 64}),
    ],
)
def test_vision_models_are_created_and_captured_in_the_test_body(
    name: str, options: dict[str, Any]
) -> None:
    transformers = pytest.importorskip("transformers")
    model = getattr(transformers, f"{name}Model")(
        getattr(transformers, f"{name}Config")(**options)
    ).eval()
    assert all(parameter.is_cuda for parameter in model.parameters())
    captured = capture(
        lambda pixels: model(pixels).last_hidden_state, torch.randn(1, 3, 32, 32)
    )
    assert captured.metrics.kernels > 3
