"""Where the values of kernels come from on a virtual GPU that computes."""

from __future__ import annotations

import pytest

from tests.forked import Forks
from tests.planted_kernels import WRONG_KERNELS
from tests.planted_wrappers import WRONG_WRAPPERS

LAUNCHING = '''
import pytest
import torch
import triton
import triton.language as tl
from torch._inductor.runtime import triton_helpers
from triton.language.extra import libdevice
from triton.language.extra.libdevice import fast_dividef, fast_expf
from triton.tools.tensor_descriptor import TensorDescriptor


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr = 64):
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = o < n
    tl.store(out + o, tl.load(x + o, m) + tl.load(y + o, m), m)


@triton.autotune(configs=[triton.Config({"BLOCK": 32}), triton.Config({"BLOCK": 64})], key=["n"])
@triton.jit
def tuned(x, out, n, BLOCK: tl.constexpr):
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + o, tl.load(x + o, o < n) * 2, o < n)


@triton.heuristics({"BLOCK": lambda a: triton.next_power_of_2(a["n"])})
@triton.jit
def heur(x, out, n, BLOCK: tl.constexpr):
    o = tl.arange(0, BLOCK)
    tl.store(out + o, tl.load(x + o, o < n) * 2, o < n)


def call(x, y):
    out = torch.empty_like(x)
    add[lambda meta: (triton.cdiv(x.numel(), meta["BLOCK"]),)](x, y, out, x.numel(), BLOCK=64, num_warps=2)
    return out


def test_eager():
    x, y = torch.randn(100, device="cuda"), torch.randn(100, device="cuda")
    torch.testing.assert_close(call(x, y), x + y)


def test_compiled():
    x, y = torch.randn(100, device="cuda"), torch.randn(100, device="cuda")
    f = torch.compile(lambda x, y: call(x.sin(), y) * 2, fullgraph=True)
    torch.testing.assert_close(f(x, y), (x.sin() + y) * 2)

    def g(x):
        out = torch.empty_like(x)
        tuned[lambda meta: (triton.cdiv(x.numel(), meta["BLOCK"]),)](x, out, x.numel())
        return out + 1

    torch.testing.assert_close(torch.compile(g, fullgraph=True)(x), x * 2 + 1)
    torch.testing.assert_close(g(x), x * 2 + 1)


def test_heur():
    x = torch.randn(100, device="cuda")
    out = torch.empty_like(x)
    heur[(1,)](x, out, 100)
    torch.testing.assert_close(out, x * 2)


class Fn(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        return call(x, y)

    @staticmethod
    def backward(ctx, g):
        g = g.contiguous()
        return call(g, g), call(g, torch.zeros_like(g))


def test_autograd():
    x, y = torch.randn(100, device="cuda", requires_grad=True), torch.randn(100, device="cuda", requires_grad=True)
    Fn.apply(x, y).sum().backward()
    assert x.grad.tolist() == [2.0] * 100 and y.grad.tolist() == [1.0] * 100
    torch.compile(lambda x, y: Fn.apply(x, y).sum())(x, y).backward()
    assert x.grad.tolist() == [4.0] * 100


@triton.jit
def tma(d, e_ptr, out, M, N, B: tl.constexpr):
    e = tl.make_tensor_descriptor(e_ptr, [M, N], [N, 1], [B, B])
    i, j = tl.program_id(0) * B, tl.program_id(1) * B
    e.store([i, j], d.load([i, j]) + 1)
    o = tl.make_tensor_descriptor(out, [M, N], [N, 1], [B, B])
    o.atomic_add([0, 0], d.load([i, j]))


def test_tma():
    triton.set_allocator(lambda size, align, stream: torch.empty(size, dtype=torch.int8, device="cuda"))
    x = torch.randn(32, 32, device="cuda")
    y = torch.empty_like(x)
    z = torch.zeros_like(x)
    tma[(2, 2)](TensorDescriptor.from_tensor(x, [16, 16]), y, z, 32, 32, B=16)
    torch.testing.assert_close(y, x + 1)
    torch.testing.assert_close(z[:16, :16], x.view(2, 16, 2, 16).sum((0, 2)))


@triton.jit
def locked(x, out, lock, n, ONE: tl.constexpr):
    v = tl.load(x + tl.program_id(0))
    tl.atomic_add(out, v)
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    old = tl.load(out + 1)
    tl.store(out + 1, old + v)
    tl.atomic_xchg(lock, 0)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
def test_atomics(dtype):
    x = torch.ones(16, device="cuda", dtype=dtype)
    out = torch.zeros(2, device="cuda", dtype=dtype)
    locked[(16,)](x, out, torch.zeros(1, dtype=torch.int32, device="cuda"), 1, ONE=1)
    assert out.tolist() == [16, 16]


def test_graphs():
    x, y, out = (torch.ones(100, device="cuda") for _ in range(3))
    g = torch.cuda.CUDAGraph()
    with torch.cuda.graph(g):
        add[(2,)](x, y, out, 100)
    x.fill_(5)
    g.replay()
    assert out.tolist() == [6] * 100


def test_warmup():
    k = add.warmup(torch.float32, torch.float32, torch.float32, 100, grid=(1,))
    assert "ptx" in k.asm
    x = torch.ones(100, device="cuda")
    assert "ttir" in add[(2,)](x, x, x.clone(), 100).asm


def test_a_kernel_that_is_compiled_first():
    """As Triton's tutorial on softmax launches it, with as many programs as its registers leave room for."""
    x, out = torch.arange(100.0, device="cuda"), torch.zeros(2, 100, device="cuda")
    kernel = add.warmup(x, x, out, 100, BLOCK=64, grid=(1,))
    kernel._init_handles()
    table = triton.runtime.driver.active.utils.get_device_properties(x.device.index)
    warps = kernel.metadata.num_warps
    assert kernel.n_spills == 0 and table["max_num_regs"] // (kernel.n_regs * table["warpSize"] * warps) >= 1
    assert table["multiprocessor_count"] == torch.cuda.get_device_properties(0).multi_processor_count
    kernel[(2, 1, 1)](x, x, out[0], 100, 64)
    launched = add[(2,)](x, x, out[1], 100, BLOCK=64)
    assert out.equal(torch.stack([x + x, x + x])) and launched.n_regs == kernel.n_regs
    launched[(2, 1, 1)](out[0], x, out[1], 100, 64)
    assert out[1].equal(3 * x)
    from_source = triton.compile(
        triton.compiler.ASTSource(
            add, {"x": "*fp32", "y": "*fp32", "out": "*fp32", "n": "i32", "BLOCK": "constexpr"}, {"BLOCK": 128}
        )
    )
    from_source[(1, 1, 1)](x, x, out[1], 100, None)
    assert out[1].equal(2 * x)
    assert from_source.module is None  # newer Triton would unload it when the kernel is forgotten



@triton.jit
def between(x, out, n, low, high, BLOCK: tl.constexpr, INSIDE: tl.constexpr):
    o = tl.arange(0, BLOCK)
    m = o < n and INSIDE is not None
    value = tl.load(x + o, m and o >= 0, other=0.0)
    if INSIDE and low < high:
        chosen = value >= low and value < high and not (value == 0)
    else:
        chosen = value < low or value >= high or not m
    tl.store(out + o, chosen.to(tl.int32), m)


@triton.jit
def least(kind, width: tl.constexpr):
    if kind.value.is_floating():
        return float("-inf")
    return -(2 ** (width.value - 1))


@triton.jit
def fill_with_least(out, BLOCK: tl.constexpr):
    kind = out.type.element_ty
    tl.store(out + tl.arange(0, BLOCK), tl.full([BLOCK], least(kind, kind.primitive_bitwidth), kind))


def test_constants_have_a_value():
    for dtype, expected in ((torch.float32, float("-inf")), (torch.int16, -(2**15))):
        out = torch.zeros(4, dtype=dtype, device="cuda")
        fill_with_least[(1,)](out, BLOCK=4)
        assert out.tolist() == [expected] * 4


def test_and_or_and_not_of_blocks():
    x, out = torch.arange(20.0, device="cuda"), torch.zeros(20, dtype=torch.int32, device="cuda")
    for inside in (True, False):
        between[(1,)](x, out, 20, 0.0, 5.0, BLOCK=32, INSIDE=inside)
        assert out.tolist() == [int((0 < each < 5) if inside else each >= 5) for each in range(20)]


def test_arguments_that_only_look_like_tensors():
    """To Triton, a pointer is what has a type and an address."""

    class Pointer:
        def __init__(self, tensor, offset):
            self.dtype, self.address = tensor.dtype, tensor.data_ptr() + offset * tensor.element_size()

        def data_ptr(self):
            return self.address

    x, out = torch.arange(100.0, device="cuda"), torch.zeros(100, device="cuda")
    add[(1,)](Pointer(x, 50), Pointer(x, 0), Pointer(out, 25), 50)
    assert out[25:75].tolist() == [50 + 2 * each for each in range(50)] and out[:25].sum() == out[75:].sum() == 0
    bits = torch.zeros(100, dtype=torch.int32, device="cuda")
    add[(2,)](x, x, triton.reinterpret(bits, tl.float32), 100)
    assert bits.view(torch.float32).equal(x + x)


def test_a_wrong_kernel_is_told_with_its_line():
    x = torch.ones(128, device="cuda")
    with pytest.raises(Exception, match=r"(?s)add, line \\d+: reads element 128 of .*tl.load.x"):
        add[(3,)](x, x, x, 192)


@triton.jit
def scale(x, by, out):
    o = tl.arange(0, 16)
    tl.store(out + o, tl.load(x + o) * by.to(tl.float32))


def test_a_float_is_a_number_of_the_kernel():
    x, out = torch.ones(16, device="cuda"), torch.empty(16, device="cuda")
    scale[(1,)](x, 0.5, out)
    assert out.tolist() == [0.5] * 16


@triton.jit
def swap(x, out, barrier, BLOCK: tl.constexpr):
    p, last = tl.program_id(0), tl.num_programs(0) - 1
    own, other = (q * BLOCK + tl.arange(0, BLOCK) for q in (p, last - p))
    tl.store(x + own, tl.load(x + own) * 2)
    triton_helpers.x_grid_barrier(barrier)
    tl.store(out + own, tl.load(x + other))
    triton_helpers.x_grid_barrier(barrier)
    tl.store(x + own, tl.load(out + other) + 1)


def test_programs_that_wait_for_each_other():
    x = torch.arange(512.0, device="cuda")
    out, barrier = torch.empty_like(x), torch.zeros(1, dtype=torch.uint32, device="cuda")
    swap[(8,)](x, out, barrier, BLOCK=64)
    twice = torch.arange(512.0, device="cuda") * 2
    assert torch.equal(x, twice + 1)
    assert torch.equal(out, twice.view(8, 64).flip(0).flatten())


@triton.jit
def unequal(x, barrier):
    if tl.program_id(0) < 2:
        triton_helpers.x_grid_barrier(barrier)


def test_programs_that_wait_for_ever():
    with pytest.raises(Exception, match=r"(?s)unequal, line \\d+: waits for something .*x_grid_barrier"):
        unequal[(3,)](torch.empty(3, device="cuda"), torch.zeros(1, dtype=torch.uint32, device="cuda"))


@triton.jit
def exchanged(x, out, BLOCK: tl.constexpr):
    own, other = (q * BLOCK + tl.arange(0, BLOCK) for q in (tl.program_id(0), 1 - tl.program_id(0)))
    tl.store(x + own, tl.load(x + own) * 2)
    tl.store(out + own, tl.load(x + other))


def test_programs_that_ought_to_wait():
    x = torch.ones(64, device="cuda")
    with pytest.raises(Exception, match="another program of this launch"):
        exchanged[(2,)](x, torch.empty_like(x), BLOCK=32)


@triton.jit
def carried(x, out, step, BLOCK: tl.constexpr):
    o = tl.arange(0, BLOCK)
    carry = tl.load(x + o)
    tl.store(x + o, carry + step * tl.program_id(0))
    tl.store(out + tl.program_id(0) * BLOCK + o, carry * 2)


def test_what_is_written_back_as_it_was():
    x, out = torch.arange(32.0, device="cuda"), torch.empty(96, device="cuda")
    carried[(3,)](x, out, 0, BLOCK=32)
    assert out.equal(x.repeat(3) * 2)
    with pytest.raises(Exception, match="another program of this launch"):
        carried[(3,)](x, out, 2, BLOCK=32)


@triton.jit
def gathered(addresses, out, n, BLOCK: tl.constexpr):
    rows, columns = tl.arange(0, 4)[:, None], tl.arange(0, BLOCK)[None, :]
    starts = tl.load(addresses + rows).to(tl.pointer_type(tl.float32))
    found = tl.load(starts + columns, columns < n, other=-1)
    tl.store(out + rows * BLOCK + columns, found)
    tl.store(starts + columns, found + 1, columns < n)


def test_addresses_as_data():
    parts = [torch.full((10,), float(index), device="cuda") for index in range(4)]
    addresses, out = torch.tensor([each.data_ptr() for each in parts], device="cuda"), torch.empty(4, 16, device="cuda")
    gathered[(1,)](addresses, out, 10, BLOCK=16)
    assert torch.equal(out[:, :10] + 1, torch.stack(parts)) and (out[:, 10:] == -1).all()
    with pytest.raises(Exception, match="out of bounds"):
        gathered[(1,)](addresses, torch.empty(4, 4096, device="cuda"), 4096, BLOCK=4096)


def test_within_the_block_of_memory():
    """The card's allocator rounds up to 512 bytes: nothing happens there."""
    x, out = torch.ones(100, device="cuda"), torch.zeros(100, device="cuda")
    add[(2,)](x, x, out, 128)
    assert out.tolist() == [2] * 100


@triton.jit
def of_the_library(x, out):
    value = tl.load(x + tl.arange(0, 4))
    o = tl.arange(0, 4)
    tl.store(out + o, libdevice.floor(value))
    tl.store(out + 4 + o, libdevice.cosh(value))
    tl.store(out + 8 + o, libdevice.cyl_bessel_i1(value))
    tl.store(out + 12 + o, libdevice.nextafter(value, -value))
    tl.store(out + 16 + o, tl.sin(value))
    tl.store(out + 20 + o, tl.exp2(value))


def test_library_functions_as_on_an_h200():
    """Triton's kernels flush subnormals in functions of the library alone; eager's keep them."""
    x = torch.tensor([1e-40, -1e-40, 89.0, -torch.inf], device="cuda")
    out = torch.empty(6, 4, device="cuda")
    of_the_library[(1,)](x, out)
    floor, cosh, bessel, after, sin, exp2 = out.tolist()
    assert floor == [0, 0, 89, -torch.inf] and torch.floor(x)[1] == -1
    assert cosh == [1, 1, pytest.approx(2.2448e38, rel=1e-4), torch.inf]
    assert bessel == [0, 0, pytest.approx(1.892e37, rel=1e-3), -torch.inf]
    assert after[:2] == [0, 0] and after[2] < 89
    assert sin[:2] == [0, 0] and torch.sin(x)[0] > 0
    assert exp2[:2] == [1, 1]


@triton.jit
def by_library(x, out, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    v = tl.load(x + offsets)
    other = tl.extra.cuda.libdevice.float2int_rz(v) + libdevice.popc(v.to(tl.int32))
    tl.store(out + offsets, fast_dividef(1.0, 1.0 + fast_expf(-v)) + other)


def test_library_functions_by_any_name():
    x = torch.arange(16.0, device="cuda")
    out = torch.empty_like(x)
    by_library[(1,)](x, out, BLOCK=16)
    bits = torch.tensor([bin(number).count("1") for number in range(16)], device="cuda")
    torch.testing.assert_close(out, x.sigmoid() + x + bits)


UNPACKED = """{
    .reg .b8 part<4>;  // of four numbers in one register
    mov.b32 {part0, part1, part2, part3}, $8;
    cvt.u32.u8 $0, part0; cvt.u32.u8 $1, part1; cvt.u32.u8 $2, part2; cvt.u32.u8 $3, part3;
}
cvt.rn.f32.s32 $4, $0; cvt.rn.f32.s32 $5, $1; cvt.rn.f32.s32 $6, $2; cvt.rn.f32.s32 $7, $3;
max.f32 $4, $4, $9; max.f32 $5, $5, $10; max.f32 $6, $6, $11; max.f32 $7, $7, $12;
"""


@triton.jit
def assembled(x, whole, largest, halves, UNPACKED: tl.constexpr, BLOCK: tl.constexpr):
    o = tl.arange(0, BLOCK)
    v = tl.load(x + o)
    registers: tl.constexpr = "=r,=r,=r,=r,=r,=r,=r,=r,r,r,r,r,r"
    a, b = tl.inline_asm_elementwise(
        UNPACKED, registers, [v, o.to(tl.float32)], dtype=(tl.int32, tl.float32), is_pure=True, pack=4
    )
    tl.store(whole + o, a)
    tl.store(largest + o, b)
    rounded = "cvt.rn.bf16x2.f32 $0, $2, $1;"
    pair = tl.inline_asm_elementwise(rounded, "=r,r,r", [b / 3], dtype=tl.bfloat16, is_pure=True, pack=2)
    tl.store(halves + o, pair)


def test_assembly():
    x = torch.randint(0, 127, (64,), dtype=torch.int8, device="cuda")
    types = torch.int32, torch.float32, torch.bfloat16
    whole, largest, halves = (torch.empty(64, dtype=dtype, device="cuda") for dtype in types)
    assembled[(1,)](x, whole, largest, halves, UNPACKED=UNPACKED, BLOCK=64)
    assert torch.equal(whole, x.int())
    assert torch.equal(largest, torch.maximum(x.float(), torch.arange(64.0, device="cuda")))
    assert torch.equal(halves, (largest / 3).bfloat16())


@triton.jit
def printing(x):
    tl.device_print("seen", tl.load(x + tl.arange(0, 2)))


def test_prints(capfd):
    printing[(1,)](torch.tensor([1.5, -2.0], device="cuda"))
    lines = "pid (0, 0, 0) idx (0) seen: 1.500000", "pid (0, 0, 0) idx (1) seen: -2.000000"
    assert tuple(capfd.readouterr().out.splitlines()) == lines


@triton.jit
def backwards(x, out, n):
    total = tl.zeros((), tl.float32)
    for index in range(n - 1, -1, -1):
        place = index.to(tl.int64)
        total += tl.load(x + place)
        tl.store(out + place, total)


def test_a_loop_variable_is_a_number_of_the_device():
    x, out = torch.ones(5, device="cuda"), torch.empty(5, device="cuda")
    backwards[(1,)](x, out, 5)
    assert out.tolist() == [5, 4, 3, 2, 1]


def test_errors():
    x = torch.ones(100, device="cuda")
    with pytest.raises(TypeError):
        add[(2,)](x, x)
'''


def test_hand_written_kernels_are_interpreted(
    project: pytest.Pytester, forks_with_torch: Forks
) -> None:
    """As a program launches them: eager, in compiled graphs, in backward, in a CUDA graph that is replayed."""
    project.makepyfile(test_suite=LAUNCHING)
    result = forks_with_torch.run_pytest(project.path, "--virtual-gpu", "h100")
    result.assert_outcomes(passed=LAUNCHING.count("\ndef test_") + 2)
    result.stdout.fnmatch_lines(
        [
            "*add, line *: reads what lies past a tensor's end, in its block of memory (2 times)"
        ]
    )


COMPILED = '''
import pytest
import torch
import torch.nn.functional as F


def test_pointwise_and_reductions():
    x, y = torch.randn(7, 143, device="cuda"), torch.randn(7, 143, device="cuda")

    def f(x, y):
        return (x.relu() - y).exp().sum(-1), F.layer_norm(x, (143,)), x.bfloat16().softmax(-1)

    compiled = torch.compile(f)
    for _ in range(2):
        for mine, eager in zip(compiled(x, y), f(x, y)):
            torch.testing.assert_close(mine, eager)


def test_an_identity_counts_in_a_type_that_no_operator_counts_in():
    x = torch.randn(256, 256, device="cuda")
    f = torch.compile(lambda x: x + torch.eye(256, device=x.device))
    assert torch.equal(f(x), x + torch.eye(256, device="cuda"))


def test_inputs_that_are_written_to():
    x, w = torch.randn(16, 32, device="cuda"), torch.randn(32, 8, device="cuda")

    def f(x, w):
        x.add_(1)
        return F.gelu(x @ w)

    twin = x.clone()
    torch.testing.assert_close(torch.compile(f)(x, w), f(twin, w))
    torch.testing.assert_close(x, twin)


def test_dropout_in_forward_is_that_in_backward():
    x = torch.ones(1000, device="cuda", requires_grad=True)
    out = torch.compile(lambda x: F.dropout(x * 2, 0.5) + 1)(x)
    out.sum().backward()
    assert torch.equal(x.grad != 0, out != 1) and 300 < int((out != 1).sum()) < 700


def test_training():
    layers = torch.nn.Linear(8, 16), torch.nn.Dropout(0.1), torch.nn.GELU(), torch.nn.Linear(16, 1)
    model = torch.nn.Sequential(*layers).cuda()
    step = torch.compile(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    for _ in range(2):
        step(torch.randn(64, 8, device="cuda")).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()


def test_random_numbers(numbers=[]):
    """The same from the graph as from the kernels, which the file shows."""

    def f():
        drawn = torch.rand(100, device="cuda"), torch.randn(10, 9, device="cuda")
        return *drawn, torch.randint(3, 17, (40,), device="cuda"), torch.rand(8, 8, device="cuda").sum(0)

    torch.manual_seed(1)
    drawn = torch.compile(f)()
    with open("drawn.txt", "a") as file:
        print([each.flatten()[:7].double().mul(1e4).round().tolist() for each in drawn], file=file)


def test_library_calls():
    x, convolution = torch.randn(2, 3, 8, 8, device="cuda"), torch.nn.Conv2d(3, 4, 3).cuda()
    torch.testing.assert_close(torch.compile(lambda x: convolution(x).relu())(x), convolution(x).relu())
    a, b = torch.randn(2, 8, 8, device="cuda", dtype=torch.float16)
    product = torch.compile(lambda a, b: torch.mm(a, b, out_dtype=torch.float32))(a, b)
    torch.testing.assert_close(product, a.float() @ b.float())


def test_a_conversion_alone():
    """`prims.convert_element_type`, which is all that the graph has, keeps `requires_grad` even without gradients."""
    x = torch.ones(4, device="cuda", requires_grad=True)
    compiled = torch.compile(lambda x: x.double())
    assert compiled(x).requires_grad
    with torch.no_grad():
        assert not compiled(x).requires_grad


def test_buffers_of_nothing_that_are_used_again():
    a, b, c = torch.ones(2, 5, 6, device="cuda"), torch.ones(2, 14, 4, device="cuda"), torch.ones((), device="cuda")

    def f(a, b, c):
        full = torch.full((0, 30, 5), 1.0, device="cuda") @ a, torch.full((0, 6, 14), 1.0, device="cuda") @ b
        return full[0] @ full[1] @ torch.full((0, 4, 18), 1.0, device="cuda") * c

    compiled = torch.compile(f, dynamic=True)
    assert compiled(a[:0], b[:0], c.requires_grad_()).shape == (0, 30, 18)


def test_cpp_wrapper():
    x = torch.randn(64, device="cuda")
    compiled = torch.compile(lambda x: x.sin(), options={"cpp_wrapper": True})
    torch.testing.assert_close(compiled(x), x.sin())
'''


def test_values_of_the_graph_and_of_the_kernels_agree(
    project: pytest.Pytester, forks_with_torch: Forks
) -> None:
    project.makepyfile(test_suite=COMPILED)
    for values in ("graph", "both"):
        result = forks_with_torch.run_pytest(
            project.path, "--virtual-gpu", "h100", "--virtual-gpu-values", values
        )
        result.assert_outcomes(passed=COMPILED.count("\ndef test_"))
    result.stdout.fnmatch_lines(
        [
            "*[12]? calls of compiled graphs computed by * kernels and by operators, which agree",
            "1 graph with a wrapper in C++, which is not run: one in Python was",
        ]
    )
    result.stdout.no_fnmatch_line("*computed by operators only*")
    by_graph, by_kernels = (project.path / "drawn.txt").read_text().splitlines()
    assert by_graph == by_kernels


PLANTED = """
import pytest
import torch
from tests.planted_kernels import WRONG_KERNELS
from tests.planted_wrappers import WRONG_WRAPPERS


@pytest.mark.parametrize("wrong", [*WRONG_KERNELS, *WRONG_WRAPPERS], ids=lambda wrong: wrong.name)
def test_it(wrong):
    torch.manual_seed(0)
    given = wrong.inputs() if hasattr(wrong, "inputs") else torch.randn(2, 32, 32)
    compiled = torch.compile(wrong.program, options=getattr(wrong, "config", None))
    # With several programs and with the largest blocks; an identity that is wrong shows where nothing exceeds it.
    for values in (given, given, [-each.abs() if each.is_floating_point() else each for each in given]):
        compiled(*(each.cuda() for each in values))
"""
EDITED = """
import pytest
from pytest_compile_golden.features.numerics.interpreter import interpreted_graph
from pytest_compile_golden.features.numerics.interpreter.machine import Machine

kernel, marked = Machine.kernel, interpreted_graph.marked


@pytest.fixture(autouse=True)
def edited(request, monkeypatch):
    wrong = request.node.callspec.params["wrong"]
    if hasattr(wrong, "inputs"):
        monkeypatch.setattr(Machine, "kernel", lambda self, name, source: kernel(self, name, wrong.edit(source)))
    else:
        monkeypatch.setattr(interpreted_graph, "marked", lambda code: marked(wrong.edit(code)))
"""


def test_planted_mistakes_fail_a_suite_that_asserts_nothing(
    project: pytest.Pytester, forks_with_torch: Forks
) -> None:
    project.makepyfile(test_suite=PLANTED)
    project.makeconftest(EDITED)
    result = forks_with_torch.run_pytest(
        project.path,
        "--virtual-gpu",
        "h100",
        "--virtual-gpu-values",
        "both",
        "--tb=short",
    )
    result.assert_outcomes(failed=len(WRONG_KERNELS) + len(WRONG_WRAPPERS))
    failures = result.stdout.str().split("\n____")[1:]
    for wrong in (*WRONG_KERNELS, *WRONG_WRAPPERS):
        (failure,) = [
            each for each in failures if f"test_it[{wrong.name}]" in each.split("\n")[0]
        ]
        assert "KernelFault" in failure or "KernelsDisagree" in failure, failure
        assert wrong.line in failure, failure


OVERFLOW = """
import re
import pytest
import torch
from pytest_compile_golden.features.numerics.interpreter.machine import Machine

kernel = Machine.kernel


@pytest.mark.parametrize("wrong", ["", " * 0"])
def test_it(monkeypatch, wrong):
    edit = lambda text: re.sub(r"(?<=tl.store.out_ptr0 . .x0., )(\\w+)", rf"\\1{wrong}", text)
    monkeypatch.setattr(Machine, "kernel", lambda self, name, source: kernel(self, name, edit(source)))
    torch.compile(lambda x: (x * 300).half().relu().float() / 300)(torch.full((8,), 1000., device="cuda"))
"""


def test_an_overflow_of_half_precision_that_fusion_leaves_out_is_no_mistake(
    project: pytest.Pytester, forks_with_torch: Forks
) -> None:
    """Eager and the operators give infinity, the kernel 1000, and the same graph compiled without fusion infinity."""
    project.makepyfile(test_suite=OVERFLOW)
    result = forks_with_torch.run_pytest(
        project.path, "--virtual-gpu", "h100", "--virtual-gpu-values", "both"
    )
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        ["*compiled 0, eager inf, as written inf; compiled is wrong*"]
    )


LAYOUTS = """
import pytest
import torch
from pytest_compile_golden.features.numerics.interpreter import interpreted_graph

marked = interpreted_graph.marked


@pytest.mark.parametrize("returned", ["reinterpret_tensor(buf0, (8, 8), (1, 8), 0)", "arg0_1", "buf0"])
def test_it(monkeypatch, returned):
    def edited(code):
        return marked(code.replace("return (buf0, )", f"return ({returned}, )").replace("        del arg0_1\\n", ""))

    monkeypatch.setattr(interpreted_graph, "marked", edited)
    torch.compile(torch.relu)(torch.eye(8, device="cuda") + 1)
"""


def test_layout_and_memory_are_compared_too(
    project: pytest.Pytester, forks_with_torch: Forks
) -> None:
    """Where all values are right."""
    project.makepyfile(test_suite=LAYOUTS)
    result = forks_with_torch.run_pytest(
        project.path, "--virtual-gpu", "h100", "--virtual-gpu-values", "both"
    )
    result.assert_outcomes(passed=1, failed=2)
    text = result.stdout.str()
    assert "output 0: compiled has strides (1, 8), eager (8, 1)" in text
    assert "output 0: compiled is a view of input 0, eager has its own memory" in text
