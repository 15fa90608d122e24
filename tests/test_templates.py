"""Kernels of templates in other languages than Triton and C++."""

from __future__ import annotations

import pytest

from pytest_compile_golden.formats import get_format
from pytest_compile_golden.formats.inductor_module import Piece, read_module

MODULE = '''
import torch
from torch._inductor.async_compile import AsyncCompile
aten = torch.ops.aten
async_compile = AsyncCompile()

flydsl_fused_mm_0 = async_compile.flydsl('flydsl_fused_mm_0', r"""
import os
from torch._inductor.runtime.flydsl_cache import (
    run_cached_flydsl,
)

TILE_M: fx.Constexpr = 128

def flydsl_fused_mm_0_main(arg_mat1, out_ptr0, stream):
    return run_cached_flydsl(arg_mat1, out_ptr0, TILE_M, stream)
""", precompile_metadata={'device_index': 0})

_BLOCK = tl.constexpr(32)
_UNUSED = tl.constexpr(64)

@triton.jit
def _triton_tem_fused_add_1(x, out):
    tl.store(out, tl.load(x) + _BLOCK)  # the library's own

def triton_tem_fused_add_1(x, out):
    _triton_tem_fused_add_1[1,](x, out)
    return out

async_compile.wait(globals())

def get_args():
    return []

def call(args):
    arg0_1, = args
    flydsl_fused_mm_0.run(arg0_1, buf0, stream=stream0)
    buf1 = triton_tem_fused_add_1(buf0, buf2)
    return (buf1, )
'''


def test_each_kernel_is_read_with_what_it_uses() -> None:
    module = read_module(MODULE)
    assert module.launched == ("flydsl_fused_mm_0", "triton_tem_fused_add_1")
    fly, of_a_library = module.kernels
    assert (fly.language, of_a_library.language) == ("template", "template")
    assert fly.source.startswith("TILE_M: fx.Constexpr = 128\n")
    assert "_BLOCK = tl.constexpr(32)\n\n@triton.jit\n" in of_a_library.source
    assert (
        "_UNUSED" not in of_a_library.source and "get_args" not in of_a_library.source
    )


def test_its_name_its_comments_and_its_layout_do_not_count() -> None:
    form = get_format("templates")

    def written(source: str, name: str = "mm_0") -> str:
        return form.write([Piece("graph_0", source, name)])

    kernel = "def mm_0_main(x):\n    return f(x, 128)\n"
    again = "# from here\ndef mm_1_main(x):\n\n    return f(x,  128)\n"
    assert form.canonical(written(kernel)) == form.canonical(written(again, "mm_1"))
    assert form.canonical(written(kernel)) != form.canonical(
        written(kernel.replace("128", "64"))
    )


TWO_FUNCTIONS = """\
@triton.jit
def _scale_0(x, out_ptr0, count, BLOCK: tl.constexpr):
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tmp0 = tl.load(x + index, mask=index < count)
    tmp1 = helper(lambda x: x + tmp0)
    tl.store(out_ptr0 + index, tmp1)

def scale_0(x, out_ptr0, stream=None):
    _scale_0[triton.cdiv(x.numel(), 1024),](x, out_ptr0, x.numel(), BLOCK=1024)
    return out_ptr0
"""


@pytest.mark.parametrize(
    "replaced",
    [
        ("out_ptr0", "result_ptr0"),
        ("tmp", "tmp_"),
        ("BLOCK", "XBLOCK"),
        ("lambda x: x", "lambda y: y"),
    ],
)
def test_what_functions_call_their_values_does_not_count(
    replaced: tuple[str, str],
) -> None:
    form = get_format("templates")
    again = TWO_FUNCTIONS.replace(*replaced)
    assert again != TWO_FUNCTIONS
    assert form.canonical(again) == form.canonical(TWO_FUNCTIONS)


@pytest.mark.parametrize(
    "replaced",
    [
        ("out_ptr0 + index, tmp1", "out_ptr0 + index, tmp0"),
        ("x, out_ptr0, x.numel()", "out_ptr0, x, x.numel()"),
        ("mask=", "other="),
        ("BLOCK=1024", "SIZE=1024"),
        ("helper", "tmp2"),
        ("lambda x: x", "lambda y: x"),
        ("stream=None", "queue=None"),
    ],
)
def test_which_value_is_meant_counts(replaced: tuple[str, str]) -> None:
    form = get_format("templates")
    again = TWO_FUNCTIONS.replace(*replaced)
    assert again != TWO_FUNCTIONS
    assert form.canonical(again) != form.canonical(TWO_FUNCTIONS)
