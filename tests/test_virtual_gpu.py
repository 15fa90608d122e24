"""A virtual GPU that computes: what a suite that never heard of us asks of it."""

from __future__ import annotations

import pytest

from tests.forked import Forks

SUITE = '''
import copy
import gc
import io
import os

import pytest
import torch

# Decided at import, as suites do.
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
needs_h100 = pytest.mark.skipif(
    not torch.cuda.is_available() or torch.cuda.get_device_capability() < (9, 0), reason="needs an H100"
)


def test_the_default_device_is_the_programs():
    assert torch.ones(2).device.type == "cpu"
    assert (torch.ones(2).cuda() + 1).cpu().tolist() == [2, 2]
    assert torch.cuda.device_count() == 1 and torch.cuda.get_device_name() == "NVIDIA H100 80GB HBM3"


@needs_h100
def test_training():
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.GELU(), torch.nn.Linear(16, 1)).to(DEVICE)
    x, y = torch.randn(64, 8, device=DEVICE), torch.randn(64, 1, device=DEVICE)
    twin = copy.deepcopy(model)
    losses = []
    for step in (model, torch.compile(twin)):
        optimizer = torch.optim.AdamW(model.parameters() if step is model else twin.parameters(), lr=0.01)
        for _ in range(5):
            loss = torch.nn.functional.mse_loss(step(x), y)
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
        losses.append(loss.item())
    assert losses[0] == pytest.approx(losses[1], rel=1e-4)
    on_host = torch.nn.functional.mse_loss(copy.deepcopy(model).cpu()(x.cpu()), y.cpu()).item()
    assert on_host == pytest.approx(torch.nn.functional.mse_loss(model(x), y).item(), rel=1e-5)


def test_the_kernels_are_the_cards():
    from torch._inductor.utils import run_and_get_code

    result, (code,) = run_and_get_code(torch.compile(lambda x: x.sin() + 1), torch.zeros(1000, device="cuda"))
    assert "triton_poi_fused" in code and "cc=90" in code.replace(" ", "")
    assert result.tolist() == [1] * 1000


def test_properties_are_a_constant_of_compiled_code():
    @torch.compile(fullgraph=True)
    def f(x):
        return x * torch.cuda.get_device_properties(x.device).multi_processor_count

    properties = torch.cuda.get_device_properties(0)
    assert isinstance(properties, torch.cuda._CudaDeviceProperties)
    assert "name='NVIDIA H100 80GB HBM3', major=9, minor=0, total_memory=81" in repr(properties)
    assert f(torch.ones(2, device="cuda")).tolist() == [132, 132]


def test_a_cpu_graph_is_built_and_run():
    from torch._inductor.utils import run_and_get_code

    result, (code,) = run_and_get_code(torch.compile(lambda x: x.sin() + 1), torch.zeros(1000))
    assert "cpp_fused" in code and result.tolist() == [1] * 1000


def test_a_lowering_that_makes_its_own_kernel():
    """Its pattern replaces what was matched by a function that only Inductor can call."""

    def f(a, w, s):
        return torch.mm(a, w.t().to(torch.bfloat16)) * s.to(torch.bfloat16).view(-1)

    given = (
        torch.randn(4, 32, dtype=torch.bfloat16),
        torch.randint(-128, 127, (16, 32), dtype=torch.int8),
        torch.rand(16, 1),
    )
    for device in ("cpu", "cuda"):
        on_device = [each.to(device) for each in given]
        torch.testing.assert_close(torch.compile(f)(*on_device), f(*on_device), atol=1, rtol=0.1)
        assert f(*on_device).abs().max() > 1


def test_a_pass_whose_function_only_inductor_can_call():
    """It takes IR, not tensors (torch/_inductor/fx_passes/b2b_gemm.py)."""
    a, b, c = torch.randn(256, 32), torch.randn(32, 256), torch.randn(256, 32)
    given = [each.cuda().half() for each in (a, b, c)]
    with torch._inductor.config.patch(b2b_gemm_pass=True):
        torch._dynamo.utils.counters.clear()
        result = torch.compile(lambda a, b, c: (a @ b).relu() @ c)(*given)
    assert torch._dynamo.utils.counters["inductor"]["b2b_gemm"] == 1
    torch.testing.assert_close(result.cpu().float(), (a @ b).relu() @ c, atol=2.0, rtol=0.02)


def test_an_operator_is_given_the_strides_of_eager():
    """Whatever a pass has put before it (torch/_inductor/graph.py)."""
    seen = []

    def look(x):
        seen.append(x.stride())
        return x.clone()

    def change_layout(graph):
        (node,) = graph.find_nodes(op="call_function", target=torch.ops.compile_golden_test.look.default)
        (given,) = node.args
        with graph.inserting_before(node):
            other = graph.call_function(torch.ops.aten.clone.default, (given,), {"memory_format": torch.channels_last})
        other.meta["val"] = given.meta["val"].clone(memory_format=torch.channels_last)
        node.replace_input_with(given, other)

    with torch.library._scoped_library("compile_golden_test", "FRAGMENT") as library:
        library.define("look(Tensor x) -> Tensor")
        library.impl("look", look, "CompositeExplicitAutograd")
        library.impl("look", torch.empty_like, "Meta")
        with torch._inductor.config.patch(post_grad_custom_post_pass=change_layout):
            torch.compile(lambda x: torch.ops.compile_golden_test.look(x.sin()))(torch.ones(2, 3, 4, 4, device="cuda"))
    assert set(seen) == {(48, 16, 4, 1)}


def test_random_numbers():
    torch.manual_seed(3)
    first, host = torch.rand(4, device="cuda"), torch.rand(4)
    torch.manual_seed(3)
    torch.rand(9)
    assert torch.equal(first, torch.rand(4, device="cuda")), "the host's draws are not the device's"
    torch.manual_seed(3)
    assert torch.equal(host, torch.rand(4)), "and the other way round"
    generator = torch.Generator("cuda").manual_seed(1)
    state = generator.get_state()
    drawn = torch.randn(5, device="cuda", generator=generator)
    assert not torch.equal(drawn, torch.randn(5, device="cuda", generator=generator))
    generator.set_state(state)
    assert torch.equal(drawn, torch.randn(5, device="cuda", generator=generator))
    before = torch.cuda.get_rng_state()
    dropped = torch.nn.functional.dropout(torch.ones(100, device="cuda"))
    torch.cuda.set_rng_state(before)
    assert torch.equal(dropped, torch.nn.functional.dropout(torch.ones(100, device="cuda")))
    x = torch.ones(100, device="cuda", requires_grad=True)
    dropped = torch.utils.checkpoint.checkpoint(torch.nn.functional.dropout, x, use_reentrant=False)
    dropped.sum().backward()
    assert torch.equal(x.grad, dropped), "what is computed again in backward draws the same"


def test_memory():
    torch.cuda.reset_peak_memory_stats()
    base = torch.cuda.memory_allocated()
    x = torch.empty(1 << 30, device="cuda")  # 4 GiB, of which none is touched
    assert torch.cuda.memory_allocated() - base == 4 << 30
    del x
    assert torch.cuda.memory_allocated() == base
    assert torch.cuda.max_memory_allocated() >= base + (4 << 30)
    free, total = torch.cuda.mem_get_info()
    assert total - free == base
    with pytest.raises(torch.cuda.OutOfMemoryError):
        torch.empty(1 << 40, device="cuda")
    with pytest.raises(torch.cuda.OutOfMemoryError):
        torch.empty(60 << 30, dtype=torch.uint8, device="cuda") + 1


@pytest.mark.skipif(
    os.sysconf("SC_PAGESIZE") * os.sysconf("SC_PHYS_PAGES") > 60 << 30, reason="the host has room for what is written"
)
def test_memory_of_the_host():
    """What is written needs memory of the host, which would end a process that it has promised too much."""
    gc.collect()  # the models of the tests before
    base = torch.cuda.memory_allocated()
    huge = torch.empty(70 << 30, dtype=torch.uint8, device="cuda")
    with pytest.raises(torch.cuda.OutOfMemoryError, match="The host is out of memory"):
        huge.fill_(1)
    with pytest.raises(torch.cuda.OutOfMemoryError, match="The host is out of memory"):
        huge.copy_(huge[:1].expand_as(huge))
    huge[: 1 << 20].fill_(1)
    assert huge[:4].tolist() == [1, 1, 1, 1]
    del huge
    with pytest.raises(torch.cuda.OutOfMemoryError, match="The host is out of memory"):
        torch.empty(8 << 30, dtype=torch.uint8, device="cuda").to(torch.float64)
    assert torch.cuda.memory_allocated() == base


def test_streams_events_and_graphs():
    stream, start, end = torch.cuda.Stream(), torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    with torch.cuda.stream(stream):
        assert torch.cuda.current_stream() == stream
        start.record()
        torch.ones(4, device="cuda").sum()
        end.record()
    assert torch.cuda.current_stream() == torch.cuda.default_stream() != stream
    torch.cuda.current_stream().wait_stream(stream)
    torch.cuda.synchronize()
    assert start.elapsed_time(end) > 0

    given = torch.ones(4, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        result = given * 2
        given += 1
    assert result.tolist() == [2] * 4
    given.fill_(5)
    graph.replay()
    assert result.tolist() == [10] * 4 and given.tolist() == [6] * 4


def test_what_a_program_asks_cudas_runtime_for():
    cudart = torch.cuda.cudart()
    free, total = cudart.cudaMemGetInfo(0)
    assert free <= total == torch.cuda.get_device_properties(0).total_memory
    on_host = torch.empty(8)
    assert not on_host.is_pinned()
    assert cudart.cudaHostRegister(on_host.data_ptr(), 32, 1) == cudart.cudaError.success
    assert on_host.is_pinned() and on_host[3:].is_pinned()
    torch.cuda.check_error(cudart.cudaHostUnregister(on_host.data_ptr()))
    assert not on_host.is_pinned()
    before = torch.cuda.memory_allocated()
    block = torch.cuda.caching_allocator_alloc(512)
    assert torch.cuda.memory_allocated() == before + 512
    torch.cuda.caching_allocator_delete(block)
    assert torch.cuda.memory_allocated() == before
    with pytest.raises(RuntimeError, match="invalid device ordinal"):
        torch.cuda.set_device(5)


def test_weights_of_four_bits():
    n, k, group = 16, 128, 32
    numbers = torch.randint(0, 16, (n, k), device="cuda")
    scales_and_zeros = torch.rand(k // group, n, 2, device="cuda").bfloat16()
    scales, zeros = (each.t().repeat_interleave(group, 1) for each in scales_and_zeros.unbind(-1))
    weight = torch.addcmul(zeros.float(), (numbers - 8).float(), scales.float()).bfloat16()
    x = torch.randn(3, k, device="cuda").bfloat16()
    packed = torch._convert_weight_to_int4pack((numbers[:, ::2] << 4 | numbers[:, 1::2]).byte(), 4)
    assert packed.shape == (n // 8, k // 64, 32, 2) and packed.dtype == torch.int32
    # The first thread has the numbers 0, 1, 8 and 9 of the first row, and those of the next tile.
    in_order = numbers[0, [0, 8, 16, 24, 1, 9, 17, 25]].tolist()
    assert packed[0, 0, 0, 0].item() & 0xFFFFFFFF == sum(each << 4 * at for at, each in enumerate(in_order))
    for product in (torch._weight_int4pack_mm, torch.compile(torch._weight_int4pack_mm)):
        torch.testing.assert_close(product(x, packed, group, scales_and_zeros), x @ weight.t())


def test_files_pinned_memory_and_storages():
    x = torch.arange(6, device="cuda").view(2, 3)
    file = io.BytesIO()
    torch.save({"x": x, "row": x[1]}, file)
    file.seek(0)
    loaded = torch.load(file)
    assert loaded["x"].device == x.device and loaded["row"].tolist() == [3, 4, 5]
    loaded["x"][1, 0] = 7
    assert loaded["row"][0] == 7, "they share memory, as they did"
    assert torch.ones(2).pin_memory().is_pinned() and not torch.ones(2).is_pinned()
    assert torch.UntypedStorage(8, device="cuda").device == x.device
    storage = x.untyped_storage()
    storage.resize_(0)
    assert len(storage) == 0
    with pytest.raises(TypeError, match="can't convert cuda:0"):
        torch.ones(2, device="cuda").numpy()


def test_views_and_bits():
    z = torch.complex(torch.ones(2, device="cuda"), torch.tensor([2.0, 3.0], device="cuda"))
    assert z.conj().is_conj() and z.conj().imag.tolist() == [-2, -3]
    torch.view_as_real(z)[0, 0] = 9
    assert z[0].real == 9
    out = torch.empty(0, device="cuda")
    alias = out.view(0)
    torch.add(torch.ones(3, device="cuda"), 1, out=out)
    assert out.tolist() == [2, 2, 2] and alias.untyped_storage()._cdata == out.untyped_storage()._cdata


def test_what_is_known_to_be_zero():
    """torch gives the derivative of a sign no memory (derivatives.yaml: sgn)."""
    x = torch.randn(3, 3, device="cuda", requires_grad=True)
    (derivative,) = torch.autograd.grad(torch.sgn(x).sum(), x)
    assert derivative._is_zerotensor() and derivative.is_cuda and derivative.storage_offset() == 0
    assert (derivative + 1).tolist() == [[1] * 3] * 3 and derivative.cpu().count_nonzero() == 0
    assert "device='cuda:0'" in str(derivative.clone())


def test_a_function_that_launches_kernels_itself():
    x = torch.arange(4.0, device="cuda")
    assert torch.ldexp(x, torch.tensor(3, device="cuda")).tolist() == [0, 8, 16, 24]
    assert torch.compile(lambda x: torch.ldexp(x, torch.tensor(3, device="cuda")))(x).tolist() == [0, 8, 16, 24]


def test_devices_are_checked():
    on_device, on_host = torch.ones(2, device="cuda"), torch.ones(2)
    for refused in (
        lambda: on_device + on_host,
        lambda: torch.mm(on_device.view(1, 2), on_host.view(2, 1)),
        lambda: torch.nn.functional.layer_norm(on_device, (2,), on_host),
    ):
        with pytest.raises(RuntimeError, match="same device"):
            refused()
    assert (on_device * torch.tensor(3.0)).tolist() == [3, 3]
    assert on_device[torch.tensor([1])].tolist() == [1]


def test_operators_that_only_cuda_has():
    q, k, v = (torch.randn(1, 2, 64, 32, device="cuda", dtype=torch.float16) for _ in range(3))
    attended = torch.nn.functional.scaled_dot_product_attention(q, k, v)
    assert attended.device == q.device and attended.shape == q.shape
    with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.EFFICIENT_ATTENTION):
        attended = torch.nn.functional.scaled_dot_product_attention(q, k, v)
    assert attended.stride() == (4096, 32, 64, 1), "which keeps the heads of a position together"
    q.requires_grad_()
    torch.nn.functional.scaled_dot_product_attention(q, k, v).sum().backward()
    assert q.grad.abs().sum() > 0
    norm, x = torch.nn.RMSNorm(8, device="cuda"), torch.randn(4, 8, device="cuda")
    norm(x).square().sum().backward()
    torch.testing.assert_close(norm.weight.grad, 2 * norm(x).square().sum(0))
    wide = torch.mm(q[0, 0].detach(), k[0, 0].t(), out_dtype=torch.float32)
    torch.testing.assert_close(wide, q[0, 0].detach().float() @ k[0, 0].float().t())


def test_attention_forgets_at_random():
    """What is dropped follows from the seed, is the same in backward, and changes from call to call."""
    attend = torch.nn.functional.scaled_dot_product_attention
    for dtype, backend in ((torch.float32, "EFFICIENT"), (torch.bfloat16, "FLASH"), (torch.bfloat16, "CUDNN")):
        q, k, v = (torch.randn(1, 2, 16, 8, device="cuda", dtype=dtype, requires_grad=True) for _ in range(3))
        with torch.nn.attention.sdpa_kernel(getattr(torch.nn.attention.SDPBackend, f"{backend}_ATTENTION")):
            torch.manual_seed(3)
            first, second = attend(q, k, v, dropout_p=0.5), attend(q, k, v, dropout_p=0.5)
            torch.manual_seed(3)
            assert torch.equal(first, attend(q, k, v, dropout_p=0.5)) and not torch.equal(first, second)
            (of_value,) = torch.autograd.grad(first.float().sum(), v)
            torch.testing.assert_close((of_value * v).float().sum(), first.float().sum(), rtol=0.05, atol=0.2)
            exact = torch.softmax(q.float() @ k.float().mT / 8**0.5, -1) @ v.float()
            torch.testing.assert_close(attend(q, k, v).float(), exact, rtol=0.02, atol=0.02)


def test_attention_with_a_mask():
    """Whichever kernel the card chooses by types and sizes: cuDNN's, the efficient one, or none."""
    for dtype in (torch.bfloat16, torch.float32, torch.float64):
        wide = torch.randn(2, 3, 5, 16, dtype=dtype)
        masks = [wide[0, 0, :, :5], wide[..., :5], torch.rand(5, 5) > 0.2, torch.rand(2, 1, 1, 5) > 0.2]
        if dtype != torch.bfloat16:  # torch gives cuDNN a finite number for what is not seen
            masks.append(torch.ones(5, 5, dtype=torch.bool).tril(-1))  # the first row sees nothing
        for mask in masks:
            results = []
            for device in ("cpu", "cuda"):
                torch.manual_seed(0)
                q, k, v = (torch.randn(2, 3, 5, 16, dtype=dtype).to(device).requires_grad_() for _ in range(3))
                result = torch.nn.functional.scaled_dot_product_attention(q, k, v, mask.to(device))
                results.append([result, *torch.autograd.grad(result.square().sum(), (q, k, v))])
            for expected, result in zip(*results):
                torch.testing.assert_close(result.cpu(), expected, atol=2e-2, rtol=2e-2)
    q, mask = torch.randn(1, 2, 5, 16, device="cuda"), torch.zeros(5, 5, device="cuda")
    before = torch.cuda.memory_allocated()
    torch.cuda.reset_peak_memory_stats()
    torch.nn.functional.scaled_dot_product_attention(q, q, q, mask)
    assert torch.cuda.max_memory_allocated() >= before + 2 * 5 * 16 * 4  # rows start at multiples of 16


def test_attention_of_sequences_that_lie_one_after_another():
    x = torch.randn(5, 4, 8, device="cuda", dtype=torch.bfloat16, requires_grad=True)
    starts = torch.tensor([0, 2, 5], device="cuda", dtype=torch.int32)
    flash = torch.ops.aten._flash_attention_forward(x, x, x, starts, starts, 3, 3, 0.0, True, False)[0]
    one = (x[None], x[None], x[None], None)
    efficient = torch.ops.aten._efficient_attention_forward(*one, starts, starts, 3, 3, 0.0, 1, True)[0][0]
    parts = [part.transpose(0, 1) for part in x.split([2, 3])]
    apart = [torch.nn.functional.scaled_dot_product_attention(part, part, part, is_causal=True) for part in parts]
    expected = torch.cat([part.transpose(0, 1) for part in apart])
    weights = torch.randn_like(expected)
    (wanted,) = torch.autograd.grad((expected * weights).sum(), x)
    for made in (flash, efficient):
        torch.testing.assert_close(made, expected, rtol=0.02, atol=0.02)
        (gradient,) = torch.autograd.grad((made * weights).sum(), x)
        torch.testing.assert_close(gradient, wanted, rtol=0.05, atol=0.05)
    query = torch.randn(2, 7, 4, 8, device="cuda", dtype=torch.float16)
    keys = torch.randn(2, 7, 2, 8, device="cuda", dtype=torch.float16)
    near = torch.ops.aten._flash_attention_forward(
        query, keys, keys, None, None, 7, 7, 0.0, False, False, window_size_left=1, window_size_right=0
    )[0]
    distance = torch.arange(7, device="cuda")[:, None] - torch.arange(7, device="cuda")
    expected = torch.nn.functional.scaled_dot_product_attention(
        query.transpose(1, 2),
        keys.transpose(1, 2),
        keys.transpose(1, 2),
        (distance >= 0) & (distance <= 1),
        enable_gqa=True,
    )
    torch.testing.assert_close(near, expected.transpose(1, 2), rtol=0.01, atol=0.01)


def test_sparse_tensors():
    x = torch.tensor([[0.0, 1, 0], [2, 0, 3]], device="cuda")
    coo = torch.sparse_coo_tensor([[1, 0, 1, 1], [2, 1, 0, 2]], [1.0, 1, 2, 2], (2, 3), device="cuda")
    assert coo.is_cuda and not coo.is_coalesced() and coo.coalesce().indices().is_cuda and coo.to_dense().equal(x)
    doubled = coo.coalesce()
    doubled.mul_(2)
    assert doubled.to_dense().equal(2 * x) and coo.cpu().to_dense().equal(x.cpu()) and coo.cpu().cuda().is_cuda
    for name in ("to_sparse", "to_sparse_csr", "to_sparse_csc"):
        sparse = getattr(x, name)()
        assert sparse.is_cuda and sparse.to_dense().equal(x) and (sparse @ torch.eye(3, device="cuda")).equal(x)
    square = torch.arange(16.0, device="cuda").view(4, 4)
    assert square.to_sparse_bsr((2, 2)).values().is_cuda and square.to_sparse_bsc((2, 2)).to_dense().equal(square)
    with pytest.raises(RuntimeError, match="same device"):
        coo + coo.cpu()
    file = io.BytesIO()
    torch.save(coo.coalesce(), file)
    file.seek(0)
    assert torch.load(file).is_cuda
    before = torch.cuda.memory_allocated()
    large = torch.eye(64, device="cuda").to_sparse()
    assert torch.cuda.memory_allocated() == before + 1024 + 512
    large.zero_()
    assert large._nnz() == 0 and torch.cuda.memory_allocated() == before


def test_gradients_that_are_sparse():
    weight = torch.randn(3, 2, device="cuda", requires_grad=True)
    left = torch.eye(3, device="cuda").to_sparse().requires_grad_()
    torch.sparse.mm(left, weight).sum().backward()
    assert left.grad.is_sparse and left.grad.is_cuda and weight.grad.tolist() == [[1, 1]] * 3
    embedding = torch.nn.Embedding(10, 4, sparse=True, device="cuda")
    for kind in (torch.optim.SparseAdam, torch.optim.SGD):
        before, optimizer = embedding.weight.detach().clone(), kind(embedding.parameters(), lr=0.1)
        for _ in range(2):
            optimizer.zero_grad()
            embedding(torch.tensor([1, 1, 3], device="cuda")).square().sum().backward()
            assert embedding.weight.grad.is_sparse and embedding.weight.grad.is_cuda
            optimizer.step()
        assert (embedding.weight != before).any(1).nonzero().flatten().tolist() == [1, 3]


def test_half_of_a_matrix_is_zero():
    for dtype in (torch.float16, torch.int8):
        dense = torch.randint(1, 5, (128, 128), device="cuda").to(dtype)
        dense.view(-1, 4)[:, [0, 2]] = 0
        right = torch.randint(-1, 2, (128, 32), device="cuda").to(dtype)
        for cutlass in (True, False):
            torch.sparse.SparseSemiStructuredTensor._FORCE_CUTLASS = cutlass
            sparse = torch.sparse.to_sparse_semi_structured(dense)
            expected = dense.double() @ right.double()
            if dtype == torch.int8 and not cutlass:
                expected = expected.clamp(-128, 127)
            assert torch.mm(sparse, right).double().equal(expected)
            if dtype == torch.float16:
                assert sparse.to_dense().equal(dense)


def test_half_of_a_matrix_is_pruned():
    from torch.sparse import SparseSemiStructuredTensorCUSPARSELT, SparseSemiStructuredTensorCUTLASS
    from torch.sparse._semi_structured_conversions import (
        _compute_compressed_swizzled_bitmask,
        _sparse_semi_structured_tile,
    )

    dense = torch.randn(32, 64, device="cuda", dtype=torch.float16)
    right = torch.randn(64, 16, device="cuda", dtype=torch.float16)
    expected = _sparse_semi_structured_tile(dense.clone())
    for kind in (SparseSemiStructuredTensorCUTLASS, SparseSemiStructuredTensorCUSPARSELT):
        pruned = kind.prune_dense_static_sort(dense)
        torch.testing.assert_close(pruned @ right, expected @ right)
        torch.testing.assert_close(pruned.t() @ dense, expected.t() @ dense)
        bits = pruned.compressed_swizzled_bitmask
        assert bits.equal(_compute_compressed_swizzled_bitmask(expected))
        assert torch._sparse_semi_structured_apply_dense(dense, bits).equal(expected)
        if kind is SparseSemiStructuredTensorCUTLASS:
            packed, packed_t = torch._sparse_semi_structured_apply(dense, bits)
            assert packed.equal(pruned.packed) and packed_t.equal(pruned.packed_t)
    kept = SparseSemiStructuredTensorCUTLASS.prune_dense_static_sort(-dense, algorithm="largest_abs_values_greedy")
    assert kept.to_dense().abs().sum() > expected.abs().sum()
    with pytest.raises(NotImplementedError, match="prune by causal1122"):
        torch._sparse_semi_structured_tile(dense, "causal1122")


def test_functions_that_a_program_compiles_itself():
    of_one = """template <typename T> T helper(T x, T y) { return ::sin(x) + ::cos(y); }
    template <typename T> T smaller(T x, T y, T most) { return ::min(most, helper(x, y)); }"""
    smaller = torch.cuda.jiterator._create_jit_fn(of_one, most=0.5)
    x, y = torch.rand(3, 4, device="cuda"), torch.rand(4, device="cuda")
    torch.testing.assert_close(smaller(x, y), (x.sin() + y.cos()).clamp(max=0.5))
    assert smaller(x.half(), y.half(), most=0.25).eq(0.25).all()
    assert smaller(x.half(), torch.tensor(1.0, device="cuda")).dtype == torch.float16
    both = "template <typename T> void both(T x, T& twice, T& negative) { twice = 2 * x; negative = -x; }"
    twice, negative = torch.cuda.jiterator._create_multi_output_jit_fn(both, num_outputs=2)(x.t())
    assert twice.equal(2 * x.t()) and negative.equal(-x.t()) and twice.stride() == x.t().stride()
    with pytest.raises(RuntimeError, match="refuses it"):
        torch.cuda.jiterator._create_jit_fn("template <typename T> T wrong(T x) { return nowhere; }")(x)
    with pytest.raises(RuntimeError, match="same device"):
        smaller(x, y.cpu())


def test_quantised_numbers():
    x = torch.tensor([[0.14, -0.2], [0.31, 5.0]], device="cuda")
    quantised = torch.quantize_per_tensor(x, 0.1, 0, torch.qint8)
    assert quantised.is_cuda and quantised.int_repr().tolist() == [[1, -2], [3, 50]]
    assert quantised.t().cpu().cuda().dequantize().is_cuda and quantised.view(4).int_repr().tolist() == [1, -2, 3, 50]
    scales = torch.tensor([0.1, 1.0], device="cuda")
    by_row = torch.quantize_per_channel(x, scales, torch.zeros(2, device="cuda"), 0, torch.qint8)
    assert by_row.int_repr().tolist() == [[1, -2], [0, 5]]


def test_programs_of_other_years():
    module = torch.nn.DataParallel(torch.nn.Linear(3, 2)).cuda()
    module(torch.ones(4, 3)).sum().backward()
    assert module.module.weight.grad.tolist() == [[4] * 3] * 2
    torch.set_default_tensor_type("torch.cuda.HalfTensor")
    assert torch.ones(2).is_cuda and torch.ones(2).dtype == torch.float16
    torch.set_default_tensor_type(torch.FloatTensor)
    assert torch.ones(2).device.type == "cpu" and torch.ones(2).type(torch.cuda.HalfTensor).is_cuda
    lowest, highest = torch.cuda.Stream.priority_range()
    assert [torch.cuda.Stream(priority=asked).priority for asked in (0, -1, highest - 5)] == [0, -1, highest]
    with torch.autograd.profiler.emit_nvtx():
        torch.ones(2, device="cuda") + 1
    assert torch.cuda.utilization() == 0 and torch.backends.cuda.cufft_plan_cache.size == 0


def test_nested_tensors():
    parts = [torch.randn(2, 4), torch.randn(3, 4)]
    nested = torch.nested.nested_tensor(parts, device="cuda", requires_grad=True)
    linear = torch.nn.Linear(4, 5, device="cuda")
    padded = linear(nested).to_padded_tensor(0.0)
    assert padded.is_cuda and padded.shape == (2, 3, 5) and not padded[0, 2].any()
    torch.testing.assert_close(padded[1], linear(parts[1].cuda()))
    padded.sum().backward()
    assert nested.grad.is_nested and nested.grad.is_cuda
    jagged = torch.nested.nested_tensor(parts, device="cuda", layout=torch.jagged)
    assert jagged.sin().mean(1).shape == (2, 4)


def test_products_of_two_types_are_refused():
    half, single = (torch.ones(1, 4, 4, device="cuda", dtype=dtype) for dtype in (torch.float16, torch.float32))
    for product in (lambda: torch.bmm(half, single), lambda: torch.mm(half[0], single[0]), lambda: half @ single):
        with pytest.raises(RuntimeError, match="dtype|scalar type"):
            product()


def test_products_of_groups():
    """Groups of rows, and groups in the dimension that is summed over, one of them empty."""
    offs = torch.tensor([16, 16, 48], dtype=torch.int32, device="cuda")
    rows = torch.randn(48, 32, device="cuda").to(torch.float8_e4m3fn)
    columns = torch.randn(3, 24, 32, device="cuda").to(torch.float8_e4m3fn)
    by_row, by_column = torch.rand(48, device="cuda"), torch.rand(3, 24, device="cuda")
    out = torch._scaled_grouped_mm(rows, columns.mT, by_row, by_column, offs=offs)
    of_row = torch.tensor([0] * 16 + [2] * 32, device="cuda")
    expected = torch.einsum("mk,mnk->mn", rows.float(), columns.float()[of_row]) * by_row[:, None] * by_column[of_row]
    torch.testing.assert_close(out, expected.bfloat16())
    second = torch.randn(24, 48, device="cuda").to(torch.float8_e4m3fn)
    of_a, of_b = torch.rand(3 * 32, device="cuda"), torch.rand(3 * 24, device="cuda")
    first = rows.t().contiguous()
    out = torch._scaled_grouped_mm(first, second.t(), of_a, of_b, offs=offs)
    expected = (first[:, 16:].float() @ second[:, 16:].float().t()) * of_a[64:, None] * of_b[48:]
    assert out.shape == (3, 32, 24) and not out[1].any() and out.device == rows.device
    torch.testing.assert_close(out[2], expected.bfloat16())


def test_networks():
    x = torch.randn(2, 3, 8, 8, device="cuda", requires_grad=True)
    network = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.BatchNorm2d(4), torch.nn.ReLU()).cuda()
    twin = copy.deepcopy(network).cpu()
    y, z = network(x), twin(x.detach().cpu().requires_grad_())
    torch.testing.assert_close(y.cpu(), z)
    y.square().sum().backward()
    z.square().sum().backward()
    for one, other in zip(network.parameters(), twin.parameters()):
        torch.testing.assert_close(one.grad.cpu(), other.grad, atol=1e-4, rtol=1e-4)
    sequence, state = torch.nn.LSTM(4, 5).cuda()(torch.randn(3, 2, 4, device="cuda"))
    assert sequence.shape == (3, 2, 5) and state[0].device == x.device
    scaler, optimizer = torch.amp.GradScaler("cuda"), torch.optim.SGD(network.parameters(), lr=0.1)
    with torch.autocast("cuda", dtype=torch.float16):
        assert torch.nn.functional.conv2d(x, network[0].weight).dtype == torch.float16
        loss = network(x).float().mean()
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
    assert scaler.get_scale() == 65536


def test_sums_as_precise_as_a_cards():
    """The CPU adds up norms, and gradients of normalisations, one after another in the type of what it is given."""
    x, gradient = torch.randn(16, 48, 4096, device="cuda"), torch.randn(16, 48, 4096, device="cuda")
    group = torch.nn.GroupNorm(12, 48).cuda()
    group(x).backward(gradient)
    torch.testing.assert_close(group.bias.grad, gradient.double().sum((0, 2)).float(), atol=5e-5, rtol=1e-6)
    layer = torch.nn.LayerNorm(4).cuda()
    layer(x.view(-1, 4)).backward(gradient.view(-1, 4))
    torch.testing.assert_close(layer.bias.grad, gradient.double().view(-1, 4).sum(0).float(), atol=2e-4, rtol=1e-6)
    assert x.norm().item() == pytest.approx(x.double().norm().item(), rel=1e-6)
    ends = torch.tensor([[1e20, 0], [3e18, 4e18], [3e-30, 0]], device="cuda")  # of what float32 can square
    assert ends.norm(dim=1).tolist() == [float("inf"), pytest.approx(5e18), 0]
    assert ends.bfloat16().norm(dim=1)[0].isinf()
    half = x[0].bfloat16().requires_grad_()
    result, mean, _ = torch.native_layer_norm(half, (4096,), None, None, 1e-5)
    result.sum().backward()
    assert (result.dtype, mean.dtype, half.grad.dtype) == (torch.bfloat16, torch.float32, torch.bfloat16)
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    x.norm()
    assert torch.cuda.max_memory_allocated() - before <= 1024


def test_a_loss_that_a_card_may_leave_to_cudnn():
    logits = torch.randn(5, 2, 4, requires_grad=True)
    targets, lengths, of_targets = torch.tensor([[1, 2], [2, 3]]), torch.tensor([5, 5]), torch.tensor([2, 2])

    def loss(logits, targets):
        return torch.nn.functional.ctc_loss(logits.log_softmax(-1), targets, lengths, of_targets)

    loss(logits, targets).backward()
    on_device = logits.detach().cuda().requires_grad_()
    for function in (loss, torch.compile(loss)):
        on_device.grad = None
        function(on_device, targets.cuda()).backward()
        torch.testing.assert_close(on_device.grad.cpu(), logits.grad)


def test_narrow_types():
    eight = torch.ones(4, device="cuda").to(torch.float8_e4m3fn)
    assert torch.equal(eight, eight.clone())
    with pytest.raises(NotImplementedError):
        eight + eight
    half = torch.rand(4, 4, device="cuda", dtype=torch.float16)
    torch.testing.assert_close(torch.igamma(half, half), torch.igamma(half.float(), half.float()).half())


def test_what_cuda_refuses():
    a = torch.ones(16, 17, device="cuda").to(torch.float8_e4m3fn)
    one = torch.ones((), device="cuda")
    with pytest.raises(RuntimeError, match="divisible by 16"):
        torch._scaled_mm(a, a[:, :16].t().contiguous().t(), scale_a=one, scale_b=one)
    with pytest.raises(NotImplementedError, match="histogram"):
        torch.histogram(torch.ones(4, device="cuda"), 2)


def test_products_into_a_given_tensor():
    torch.manual_seed(0)
    for dtype in (torch.float16, torch.bfloat16):
        a, b, c = (torch.randn(size, device="cuda", dtype=dtype) for size in ((3, 5, 7), (3, 7, 4), (3, 5, 4)))
        for product, given in (
            (torch.mm, (a[0], b[0])),
            (torch.bmm, (a, b)),
            (torch.addmm, (c[0], a[0], b[0])),
            (torch.baddbmm, (c, a, b)),
        ):
            expected = product(*given)
            for out in (torch.empty(0, device="cuda", dtype=dtype), torch.empty_like(expected).mT.contiguous().mT):
                assert product(*given, out=out) is out
                assert torch.equal(out, expected)
        expected = torch.addmm(c[0], a[0], b[0])
        assert torch.equal(torch.addmm(c[0], a[0], b[0], out=c[0]), expected) and torch.equal(c[0], expected)
        with pytest.raises(RuntimeError, match="dtype"):
            torch.mm(a[0], b[0], out=torch.empty(5, 4, device="cuda"))


def test_histograms_of_whole_numbers():
    """CUDA has them, the CPU does not."""
    numbers = torch.tensor([0, 2, 2, 3, 9, -1], device="cuda", dtype=torch.int32)
    counts = torch.histc(numbers, bins=4, min=0, max=3)
    assert counts.dtype == torch.int32
    assert counts.tolist() == [1, 0, 2, 1]
    assert torch.histc(numbers, bins=2).tolist() == [5, 1]
    assert torch.histc(torch.full((3,), 7, device="cuda"), bins=2).tolist() == [0, 3]
    with pytest.raises(RuntimeError, match="max must be larger"):
        torch.histc(numbers, bins=2, min=3, max=1)


def test_transforms_of_half_precision():
    """CUDA has them, MKL does not."""
    x = torch.randn(8, 8, device="cuda").half()
    spectrum = torch.fft.fft(x)
    assert spectrum.dtype == torch.complex32
    torch.testing.assert_close(spectrum.to(torch.complex64), torch.fft.fft(x.float()), rtol=1e-2, atol=1e-2)
    torch.testing.assert_close(torch.fft.ifft(spectrum).real, x, rtol=1e-2, atol=1e-2)


def test_results_are_laid_out_as_on_a_card():
    assert torch.fft.rfftn(torch.randn(3, 4, 6, device="cuda")).stride() == (4, 1, 12)
    u, s, v = torch.linalg.svd(torch.randn(4, 6, device="cuda"), full_matrices=False, driver="gesvd")
    assert u.stride() == (1, 4) and v.stride() == (6, 1)


def test_statistics_of_narrow_numbers_are_wide():
    x, w = torch.randn(4, 3, 5, device="cuda").half(), torch.rand(3, device="cuda").half()
    for train in (False, True):
        normalised = torch._native_batch_norm_legit(x, w, w, w.clone(), w.clone(), train, 0.1, 1e-5)
        assert [result.dtype for result in normalised] == [torch.half, torch.float, torch.float]
        assert normalised[1].shape == normalised[2].shape == (3,)


def test_types_that_the_cpu_lacks():
    assert torch.tensor([True, False], device="cuda").abs().tolist() == [True, False]
    assert torch.tensor([1 + 1j, complex("nan"), 3], device="cuda").nanmean().item() == 2 + 0.5j
    numbers = torch.tensor([0, 1, 1, 3, 7, -1], device="cuda")
    assert numbers.histc(4, 0, 3).tolist() == [1, 2, 0, 1] and numbers.histc(4).tolist() == [2, 2, 1, 1]
    assert torch.full((3,), 2, device="cuda").histc(2).tolist() == [0, 3]
    product = torch.addmm(*(torch.randn(8, 8, device="cuda").half() for _ in range(3)), beta=2)
    assert product.dtype == torch.half


def test_what_a_virtual_gpu_does_not_have():
    x = torch.ones(1, 2, 64, 64, device="cuda").half()
    with pytest.raises(NotImplementedError, match="_triton_scaled_dot_attention is an operator that only a card has"):
        torch._triton_scaled_dot_attention(x, x, x)
    with pytest.raises(NotImplementedError, match="'aten::arange.+ from the 'SparseCUDA' backend"):
        torch.arange(3, device="cuda", layout=torch.sparse_coo)


def test_a_profile_is_the_hosts(capfd):
    activities = [torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA]
    with torch.profiler.profile(activities=activities) as profile:
        torch.ones(2, device="cuda") + 1
    assert any(event.name == "aten::add" for event in profile.events())
    assert "Failed to record CUDA event" not in capfd.readouterr().err


def test_torchs_rules_for_tracing_can_be_made():
    from torch._dynamo import trace_rules

    assert torch.cuda.current_device in trace_rules.get_torch_obj_rule_map.__wrapped__()


def test_legacy_types_make_tensors():
    x = torch.cuda.FloatTensor([1, 2])
    assert isinstance(x, torch.cuda.FloatTensor) and x.is_cuda and x.sum().item() == 3
    assert not isinstance(x.half(), torch.cuda.FloatTensor)
    assert torch.cuda.LongTensor(2, 3).shape == (2, 3)
    assert torch.cuda.FloatTensor().shape == (0,)
    assert torch.cuda.FloatTensor(torch.Size([3])).shape == (3,)
    assert torch.cuda.DoubleTensor([0.1]).item() == 0.1
    indices = torch.tensor([[0, 1], [1, 0]], device="cuda")
    x = torch.cuda.sparse.FloatTensor(indices, torch.ones(2, device="cuda"), torch.Size([2, 3]))
    assert isinstance(x, torch.cuda.sparse.FloatTensor) and x.is_cuda and x.is_sparse
    assert x.to_dense().tolist() == [[0, 1, 0], [1, 0, 0]]
    x = torch.cuda.sparse.DoubleTensor(2, 3)
    assert x.shape == (2, 3) and x.dtype == torch.float64 and x.is_cuda
    assert torch.cuda.sparse.LongTensor(torch.Size([4])).shape == (4,)
'''


def test_a_suite_runs_as_it_is(
    project: pytest.Pytester, forks_with_torch: Forks
) -> None:
    project.makepyfile(test_suite=SUITE)
    result = forks_with_torch.run_pytest(project.path, "--virtual-gpu", "h100")
    result.stdout.fnmatch_lines(["virtual GPU: cuda-sm90*"])
    result.assert_outcomes(passed=SUITE.count("\ndef test_"))
