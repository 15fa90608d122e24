"""What a target does with the tensors, modules and optimizers passed to it."""

from __future__ import annotations

import copy
import types
from collections.abc import Iterator

import pytest
import torch
from torch import Tensor
from torch.autograd import forward_ad
from torch.nn import Parameter

from pytest_compile_golden import capture
from pytest_compile_golden.errors import CompileGoldenError, UnsupportedTensor
from pytest_compile_golden.targets import Target, get_target


@pytest.fixture
def sm90() -> Iterator[Target]:
    target = get_target("cuda-sm90")
    with target.active():
        yield target


@pytest.fixture
def real() -> types.SimpleNamespace:
    """Ordinary tensors, made before a target is active."""
    base = torch.arange(24.0).reshape(4, 6)
    return types.SimpleNamespace(
        base=base,
        view=base[1:3].t(),
        leaf=torch.randn(3, 3, requires_grad=True),
        tied=_tied_module(),
        channels_last=torch.randn(2, 3, 4, 5).to(memory_format=torch.channels_last),
    )


def _tied_module() -> torch.nn.Module:
    module = torch.nn.Sequential(
        torch.nn.Linear(4, 4), torch.nn.Linear(4, 4), torch.nn.BatchNorm1d(4)
    )
    module[1].weight = module[0].weight
    module.extra = torch.ones(2)  # neither parameter nor buffer
    return module


def test_place_keeps_layout_views_and_gradients(
    real: types.SimpleNamespace, sm90: Target
) -> None:
    base, view, leaf, last = sm90.place(
        [real.base, real.view, real.leaf, real.channels_last]
    )
    assert all(each.is_cuda for each in (base, view, leaf, last))
    assert (
        view.stride() == real.view.stride()
        and view.storage_offset() == real.view.storage_offset()
    )
    assert view.untyped_storage()._cdata == base.untyped_storage()._cdata
    assert view._is_view()
    assert leaf.requires_grad and leaf.is_leaf and not base.requires_grad
    assert last.stride() == real.channels_last.stride()
    assert not real.leaf.is_cuda


def inputs_in_other_states() -> dict[str, Tensor]:
    """Inputs whose state, beside shape and layout, decides what is compiled for them."""
    leaf, number = (
        torch.randn(4, 4, requires_grad=True),
        torch.randn(4, 4, dtype=torch.complex64),
    )
    with torch.inference_mode():
        inference = torch.randn(4, 4)
        frozen_in_inference = Parameter(torch.randn(4, 4), requires_grad=False)
    kept = leaf * 2
    kept.retain_grad()
    with torch.no_grad():
        without_gradient = leaf[1:]
    written = torch.randn(4)
    written.add_(1).mul_(2)
    kept_and_run = leaf * 2
    kept_and_run.retain_grad()
    kept_and_run.sum().backward()
    states = {
        "written to": written,
        "part of what is written to": written[1:],
        "no leaf, with a gradient": kept_and_run,
    }
    if hasattr(Tensor, "grad_dtype"):
        states["gradient in another dtype"] = torch.randn(4, requires_grad=True)
        states["gradient in another dtype"].grad_dtype = torch.float64
    return states | {
        "inference": inference,
        "part of inference": inference[1:],
        "parameter in inference": frozen_in_inference,
        "parameter": Parameter(torch.randn(4, 4), requires_grad=False),
        "conjugate": number.conj(),
        "part of a conjugate": number.conj()[1:].t(),
        "real part": number.real,
        "imaginary part of a conjugate": number.conj().imag,
        "both parts": torch.view_as_real(number),
        "negative": torch._neg_view(torch.randn(4)),
        "no leaf": leaf * 2,
        "no leaf, gradient kept": kept,
        "part of no leaf": (leaf * 2)[1:],
        "part of a leaf": leaf[1:],
        "part of a leaf without a gradient": without_gradient,
        "detached": leaf.detach(),
    }


def state_of(tensor: Tensor) -> dict[str, object]:
    return {
        "inference": tensor.is_inference(),
        "conjugate": tensor.is_conj(),
        "negative": tensor.is_neg(),
        "requires a gradient": tensor.requires_grad,
        "leaf": tensor.is_leaf,
        "keeps its gradient": tensor.retains_grad,
        "view": tensor._is_view(),
        "writes": None if tensor.is_inference() else tensor._version,
        "has a gradient": (tensor.is_leaf or tensor.retains_grad)
        and tensor.grad is not None,
        "dtype of the gradient": getattr(tensor, "grad_dtype", None)
        if tensor.is_leaf
        else None,
        "parameter": isinstance(tensor, Parameter),
        "layout": (
            tensor.size(),
            tensor.stride(),
            tensor.storage_offset(),
            tensor.untyped_storage().nbytes(),
        ),
    }


@pytest.mark.parametrize("inside", [False, True])
def test_place_keeps_the_state_of_inputs(inside: bool) -> None:
    """Whether they are made before the target is active or inside it."""
    inputs = inputs_in_other_states()
    with get_target("cuda-sm90").active() as target:
        placed = inputs_in_other_states() if inside else target.place(inputs)
    assert all(each.is_cuda for each in placed.values())
    assert {name: state_of(each) for name, each in placed.items()} == {
        name: state_of(each) for name, each in inputs.items()
    }


def tensors_without_strides() -> dict[str, Tensor]:
    return {
        "zeros": torch._efficientzerotensor(4),
        "nested": torch.nested.nested_tensor([torch.randn(2), torch.randn(3)]),
        "mkldnn": torch.randn(4).to_mkldnn(),
    }


@pytest.mark.parametrize("name", tensors_without_strides())
def test_a_tensor_without_strides_is_refused(name: str) -> None:
    with pytest.raises(UnsupportedTensor, match="has no memory with strides"):
        capture(lambda x: x.sin(), tensors_without_strides()[name], target="cuda-sm90")


def test_place_keeps_hooks_and_tangents() -> None:
    seen: list[Tensor | None] = []
    leaf, module = torch.randn(4, requires_grad=True), torch.nn.Linear(4, 4)
    for each in (leaf, module.weight):
        each.register_hook(seen.append)
        each.register_post_accumulate_grad_hook(lambda tensor: seen.append(tensor.grad))
    with get_target("cuda-sm90").active() as target:
        placed, placed_module = target.place((leaf, module))
        placed_module(placed).sum().backward()
        assert len(seen) == 4 and all(
            each is not None and each.is_cuda for each in seen
        )
        with forward_ad.dual_level():
            dual = target.place(forward_ad.make_dual(torch.randn(4), torch.randn(4)))
            tangent = forward_ad.unpack_dual(dual).tangent
            assert dual.is_cuda and tangent is not None and tangent.is_cuda
    assert leaf.grad is None and module.weight.grad is None


def test_what_is_compiled_follows_the_state_of_inputs() -> None:
    def of_state(x: Tensor) -> Tensor:
        if x.is_inference() or x.is_conj() or x.is_neg():
            return x.sin()
        return x.cos()

    inputs = inputs_in_other_states()
    for name in ("inference", "conjugate", "negative"):
        calls = [
            (torch.randn_like(inputs[name].resolve_conj().resolve_neg()),),
            (inputs[name],),
        ]
        on_gpu, on_cpu = (
            capture(of_state, calls=calls, target=target)
            for target in ("cuda-sm90", "cpu-avx2")
        )
        assert on_gpu.metrics.recompiles == on_cpu.metrics.recompiles > 0, name
        assert (
            on_gpu["post_grad_graph"].count("aten.sin")
            == on_cpu["post_grad_graph"].count("aten.sin")
            == 1
        ), name


def test_an_intermediate_result_may_be_written_to() -> None:
    leaf = torch.randn(4, requires_grad=True)
    assert (
        capture(lambda x: x.mul_(2), leaf.sin(), target="cuda-sm90", train=True).kernels
        >= 1
    )


def test_a_parameter_in_one_call_and_none_in_another_is_refused() -> None:
    calls = [(torch.randn(4),), (Parameter(torch.randn(4), requires_grad=False),)]
    assert (
        capture(lambda x: x.sin(), calls=calls, target="cpu-avx2").metrics.recompiles
        == 1
    )
    with pytest.raises(
        UnsupportedTensor,
        match="x holds a parameter in one call and a plain tensor in another",
    ):
        capture(lambda x: x.sin(), calls=calls, target="cuda-sm90")


def test_place_copies_modules_and_optimizers_and_keeps_ties(
    real: types.SimpleNamespace, sm90: Target
) -> None:
    with torch.device("cpu"):
        optimizer = torch.optim.Adam(real.tied.parameters())
    placed = sm90.place({"m": real.tied, "o": optimizer, "again": real.tied, "n": 3})
    module = placed["m"]
    assert module is placed["again"] and module is not real.tied and placed["n"] == 3
    assert module[0].weight is module[1].weight
    assert isinstance(module[0].weight, torch.nn.Parameter)
    assert all(
        each.is_cuda for each in [*module.parameters(), *module.buffers(), module.extra]
    )
    assert placed["o"].param_groups[0]["params"][0] is module[0].weight
    assert not any(
        each.is_cuda
        for each in [*real.tied.parameters(), *real.tied.buffers(), real.tied.extra]
    )


def test_place_leaves_what_is_already_on_the_target(sm90: Target) -> None:
    x, module = torch.randn(2), torch.nn.Linear(2, 2)
    assert module.weight.is_cuda
    assert sm90.place(x) is x
    assert sm90.place(module) is module


def test_a_huge_model_takes_no_memory(sm90: Target) -> None:
    import resource

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    x = torch.nn.Linear(1 << 17, 1 << 17, dtype=torch.bfloat16)  # 32 GiB
    with torch.device("meta"), torch.utils._python_dispatch._disable_current_modes():
        meta = torch.nn.Linear(1 << 17, 1 << 17)
    assert sm90.place(meta).weight.is_cuda and x.weight.is_cuda
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200_000


def test_a_small_model_on_meta_has_no_values_to_know(sm90: Target) -> None:
    with torch.utils._python_dispatch._disable_current_modes():
        meta = torch.nn.Linear(2, 2, device="meta")
    assert sm90.place(meta).bias.is_cuda


def test_modules_convert_inside_a_target(sm90: Target) -> None:
    assert torch.nn.Linear(2, 2).half().weight.dtype == torch.float16
    assert torch.nn.Linear(2, 2).cuda().weight.is_cuda
    assert torch.nn.Conv2d(3, 4, 3).to(
        memory_format=torch.channels_last
    ).weight.stride() == (27, 1, 9, 3)


def test_modules_made_inside_a_target_are_copied(sm90: Target) -> None:
    layer = torch.nn.LayerNorm(4)
    copied = copy.deepcopy(layer)
    assert copied.weight.is_cuda and copied.weight is not layer.weight
    assert copied.weight.fake_mode is layer.weight.fake_mode


def test_on_cpu_targets_place_changes_nothing(real: types.SimpleNamespace) -> None:
    target = get_target("cpu-avx2")
    with target.active():
        assert target.place(real.tied) is real.tied
        assert target.place([real.leaf])[0] is real.leaf


def test_place_needs_an_active_gpu_target(real: types.SimpleNamespace) -> None:
    with pytest.raises(CompileGoldenError, match="to be active"):
        get_target("cuda-sm90").place(real.leaf)
