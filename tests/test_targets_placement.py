"""What a target does with the tensors, modules and optimizers passed to it."""

from __future__ import annotations

import copy
import types
from collections.abc import Iterator

import pytest
import torch

from pytest_compile_golden.errors import CompileGoldenError
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
    module = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Linear(4, 4), torch.nn.BatchNorm1d(4))
    module[1].weight = module[0].weight
    module.extra = torch.ones(2)  # neither parameter nor buffer
    return module


def test_place_keeps_layout_views_and_gradients(real: types.SimpleNamespace, sm90: Target) -> None:
    base, view, leaf, last = sm90.place([real.base, real.view, real.leaf, real.channels_last])
    assert all(each.is_cuda for each in (base, view, leaf, last))
    assert view.stride() == real.view.stride() and view.storage_offset() == real.view.storage_offset()
    assert view.untyped_storage()._cdata == base.untyped_storage()._cdata
    assert view._is_view()
    assert leaf.requires_grad and leaf.is_leaf and not base.requires_grad
    assert last.stride() == real.channels_last.stride()
    assert not real.leaf.is_cuda


def test_place_copies_modules_and_optimizers_and_keeps_ties(real: types.SimpleNamespace, sm90: Target) -> None:
    with torch.device("cpu"):
        optimizer = torch.optim.Adam(real.tied.parameters())
    placed = sm90.place({"m": real.tied, "o": optimizer, "again": real.tied, "n": 3})
    module = placed["m"]
    assert module is placed["again"] and module is not real.tied and placed["n"] == 3
    assert module[0].weight is module[1].weight
    assert isinstance(module[0].weight, torch.nn.Parameter)
    assert all(each.is_cuda for each in [*module.parameters(), *module.buffers(), module.extra])
    assert placed["o"].param_groups[0]["params"][0] is module[0].weight
    assert not any(each.is_cuda for each in [*real.tied.parameters(), *real.tied.buffers(), real.tied.extra])


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
    assert torch.nn.Conv2d(3, 4, 3).to(memory_format=torch.channels_last).weight.stride() == (27, 1, 9, 3)


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
