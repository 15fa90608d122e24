"""Which kernel scaled_dot_product_attention uses on a virtual GPU.

The rules are those of torch's aten/src/ATen/native/transformers/cuda/sdp_utils.cpp (`select_sdp_backend` and its
checks) and sdp_utils_cpp.h, and the choice is applied as in attention.cpp (`scaled_dot_product_attention`). In torch
they are C++ that asks the CUDA driver. The CPU and CUDA wheels both use this Python version, so they agree.
"""

from __future__ import annotations

import math
import os
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any

import torch
from torch import Tensor
from torch.fx.experimental.symbolic_shapes import guard_or_false

from pytest_compile_golden.targets.device_properties import CudaProperties, CudaRuntime
from pytest_compile_golden.targets.patching import Patches
from pytest_compile_golden.torch_internals import device as names

MATH, FLASH, EFFICIENT, CUDNN = 0, 1, 2, 3  # torch.nn.attention.SDPBackend
NAMES = {MATH: "math", FLASH: "flash", EFFICIENT: "efficient", CUDNN: "cudnn"}
_CUDNN_MASKED = -65504.0  # the lowest float16: cuDNN takes no -inf
_DEFAULT_ORDER = (FLASH, EFFICIENT, MATH, CUDNN)


@dataclass(frozen=True)
class AttentionDevice:
    """What the rules depend on besides the call itself."""

    properties: CudaProperties
    runtime: CudaRuntime
    torch: tuple[int, int]

    @property
    def capability(self) -> tuple[int, int]:
        """Its compute capability, major and minor."""
        return self.properties.capability


@dataclass(frozen=True)
class AttentionCall:
    """The arguments of one scaled_dot_product_attention: tensors of (batch, heads, sequence, head size)."""

    query: Tensor
    key: Tensor
    value: Tensor
    attn_mask: Tensor | None = None
    dropout_p: float = 0.0
    is_causal: bool = False
    _: KW_ONLY
    scale: float | None = None
    enable_gqa: bool = False

    @property
    def trains(self) -> bool:
        """Whether a gradient of any of them is wanted."""
        return torch.is_grad_enabled() and any(
            tensor.requires_grad for tensor in (self.query, self.key, self.value)
        )


def choose(device: AttentionDevice, call: AttentionCall) -> int:
    """The backend that this GPU uses for this call, as the number of torch.nn.attention.SDPBackend.

    Raises RuntimeError, as torch does, if none of the enabled backends can run it.
    """
    for backend in _order(device):
        if (
            backend == CUDNN
            and names.CUDNN_ENABLED.get()()
            and can_use_cudnn(device, call)
        ):
            return CUDNN
        if (
            backend == FLASH
            and names.FLASH_ENABLED.get()()
            and can_use_flash(device, call)
        ):
            return FLASH
        if (
            backend == EFFICIENT
            and names.EFFICIENT_ENABLED.get()()
            and can_use_efficient(device, call)
        ):
            return EFFICIENT
        if backend == MATH and names.MATH_ENABLED.get()():
            return MATH
    raise RuntimeError("No available kernel. Aborting execution.")


def _order(device: AttentionDevice) -> list[int]:
    """`priority_order`: cuDNN first on Hopper and datacentre Blackwell, unless the user set an order."""
    order = [int(backend) for backend in names.SDP_PRIORITY.get()()]
    if tuple(order[:4]) == _DEFAULT_ORDER and _prefers_cudnn(device):
        return [CUDNN, FLASH, EFFICIENT, MATH]
    return order


def _prefers_cudnn(device: AttentionDevice) -> bool:
    """`check_prefer_cudnn_attention`."""
    if os.environ.get("TORCH_CUDNN_SDPA_DEPRIORITIZED") in (
        "1",
        "true",
        "TRUE",
        "y",
        "Y",
        "yes",
        "YES",
    ):
        return False
    major, minor = device.capability
    built_with_13 = int(device.runtime.cuda.split(".")[0]) >= 13
    minor_ok = minor in (0, 3) or (built_with_13 and device.torch >= (2, 15))
    return device.runtime.cudnn > 91500 and major in (9, 10) and minor_ok


def _true(condition: Any) -> bool:
    """TORCH_GUARD_OR_FALSE: an unbacked size proves nothing."""
    return bool(guard_or_false(condition))


def can_use_flash(device: AttentionDevice, call: AttentionCall) -> bool:
    """`can_use_flash_attention`."""
    if not _four_dimensional(call) or call.attn_mask is not None:
        return False
    head = call.query.size(-1)
    same = _true(head == call.key.size(-1)) and _true(head == call.value.size(-1))
    if not same or not _true(head <= 256) or not (8, 0) <= device.capability <= (12, 1):
        return False
    consumer = (8, 6) <= device.capability <= (8, 9) or (
        12,
        0,
    ) <= device.capability <= (12, 1)
    if (
        call.trains
        and consumer
        and not (_true(head <= 192) or (call.dropout_p == 0.0 and _true(head > 224)))
    ):
        return False
    if call.is_causal and not _true(call.query.size(-2) == call.key.size(-2)):
        return False
    return (
        _low_precision(call)
        and _heads_fit(call, same_kv=True, mqa=device.torch >= (2, 15))
        and _sequences_not_empty(call)
        and _dense_last_dimension(call, ignore_singleton=True)
    )


def can_use_efficient(device: AttentionDevice, call: AttentionCall) -> bool:
    """`can_use_mem_efficient_attention`."""
    if not (5, 0) <= device.capability <= (12, 1) or not _four_dimensional(call):
        return False
    alignment = _gemm_alignment(device, call)
    head, value_head = call.query.size(-1), call.value.size(-1)
    if not (
        _true(head == call.key.size(-1))
        and _true(head % alignment == 0)
        and _true(head > 0)
        and _true(value_head % alignment == 0)
        and _true(value_head > 0)
    ):
        return False
    new = device.torch >= (2, 15)
    if (
        new
        and device.capability >= (8, 0)
        and not all(
            _offset_aligned(tensor, alignment)
            for tensor in (call.query, call.key, call.value)
        )
    ):
        return False
    dtypes = (
        torch.float16,
        torch.float32,
        *((torch.bfloat16,) if device.capability >= (8, 0) else ()),
    )
    return (
        _sequences_not_empty(call)
        and _dense_last_dimension(call, ignore_singleton=False)
        and _heads_fit(call, same_kv=True, mqa=new, gqa=new)
        and _dtype_in(call, dtypes)
    )


def can_use_cudnn(device: AttentionDevice, call: AttentionCall) -> bool:
    """`can_use_cudnn_attention`."""
    version = device.runtime.cudnn
    if call.dropout_p > 0.0 and 91100 < version < 91400:
        return False
    if (
        not _four_dimensional(call)
        or not (8, 0) <= device.capability <= (12, 1)
        or not _low_precision(call)
    ):
        return False
    if (
        torch.are_deterministic_algorithms_enabled()
        and not torch.is_deterministic_algorithms_warn_only_enabled()
    ):
        return False
    if not _mask_fits(call):
        return False
    if device.torch >= (2, 15) and not (call.dropout_p * 16.0).is_integer():
        return False
    return (
        _sequences_not_empty(call)
        and _dense_last_dimension(call, ignore_singleton=True)
        and _heads_fit(call, same_kv=False, mqa=device.torch >= (2, 15))
        and _cudnn_shapes(device, call)
    )


def _cudnn_shapes(device: AttentionDevice, call: AttentionCall) -> bool:
    """`check_cudnn_tensor_shapes` and `check_cudnn_d256_bprop_head_dim`."""
    version, (major, minor) = device.runtime.cudnn, device.capability
    datacentre = (major == 9 and minor == 0) or major == 10
    head, value_head = call.query.size(3), call.value.size(3)
    deepseek = _true(head == 192) and _true(value_head == 128)
    wide = False
    if device.torch >= (2, 15):
        if not (
            _true(call.query.size(0) <= 65535) and _true(call.query.size(1) <= 65535)
        ):
            return False
        wide = (
            datacentre
            and version > 92200
            and not ((major, minor) == (10, 7) and version <= 92500)
        )
        limit = (
            256
            if wide
            else 192
            if datacentre and version >= 91100 and deepseek
            else 128
        )
    elif (major, minor) == (9, 0) and version >= 91000:
        limit = 256
    else:
        limit = 192 if major == 10 and version >= 91100 and deepseek else 128
    if not (_true(head <= limit) and _true(value_head <= limit)):
        return False
    if not (_true(head % 8 == 0) and _true(value_head % 8 == 0)):
        return False
    if not _true(call.key.size(2) != 1) or (
        call.dropout_p != 0.0 and not _true(call.query.size(2) != 1)
    ):
        return False
    if wide and call.trains:
        small = _true(head <= 128) and _true(value_head <= 128)
        pair = (_true(head == 192) and _true(value_head == 128)) or (
            _true(head == 256) and _true(value_head == 256)
        )
        return small or pair
    return True


def _four_dimensional(call: AttentionCall) -> bool:
    """`check_tensor_shapes`, for tensors of the device."""
    return all(
        tensor.dim() == 4 and tensor.device.type == "cuda"
        for tensor in (call.query, call.key, call.value)
    )


def _dtype_in(call: AttentionCall, allowed: tuple[Any, ...]) -> bool:
    return (
        call.query.dtype == call.key.dtype == call.value.dtype
        and call.query.dtype in allowed
    )


def _low_precision(call: AttentionCall) -> bool:
    return _dtype_in(call, (torch.float16, torch.bfloat16))


def _sequences_not_empty(call: AttentionCall) -> bool:
    """`check_nonzero_sequence_lengths_dense`."""
    return _true(call.query.size(-2) != 0) and _true(call.key.size(-2) != 0)


def _dense_last_dimension(call: AttentionCall, *, ignore_singleton: bool) -> bool:
    """`check_last_dim_stride_equals_1_dense`."""
    dense = all(
        _true(tensor.stride(-1) == 1) for tensor in (call.query, call.key, call.value)
    )
    if ignore_singleton:
        dense = dense or _true(call.query.size(-1) == 1)
    return dense and (call.attn_mask is None or _true(call.attn_mask.stride(-1) == 1))


def _heads_fit(
    call: AttentionCall, *, same_kv: bool, mqa: bool, gqa: bool = True
) -> bool:
    """`check_batch_size_and_num_heads_dense` and `check_grouped_query_attention`."""
    batch = call.query.size(0)
    if not (_true(batch == call.key.size(0)) and _true(batch == call.value.size(0))):
        return False
    heads, key_heads, value_heads = (
        call.query.size(-3),
        call.key.size(-3),
        call.value.size(-3),
    )
    if call.enable_gqa and gqa:
        if same_kv and not _true(key_heads == value_heads):
            return False
        divisible = _true(key_heads > 0) and _true(heads % key_heads == 0)
        return divisible and (
            same_kv or (_true(value_heads > 0) and _true(heads % value_heads == 0))
        )
    if _true(heads == key_heads) and _true(heads == value_heads):
        return True
    return (
        mqa and _true(heads > 0) and _true(key_heads == 1) and _true(value_heads == 1)
    )


def _mask_fits(call: AttentionCall) -> bool:
    """`check_attn_mask_shape`."""
    mask = call.attn_mask
    if mask is None:
        return True
    if mask.requires_grad or mask.dim() not in (2, 4):
        return False
    wanted = [
        call.query.size(0),
        call.query.size(1),
        call.query.size(2),
        call.key.size(2),
    ][-mask.dim() :]
    return all(
        _true(have == want) or _true(have == 1)
        for have, want in zip(mask.size(), wanted, strict=True)
    )


def _gemm_alignment(device: AttentionDevice, call: AttentionCall) -> int:
    """`minimum_gemm_alignment`, in elements."""
    half = call.query.dtype in (torch.float16, torch.bfloat16)
    major = device.properties.major
    tensor_cores = major >= 8 or (major == 7 and half)
    smallest = 4 if major >= 8 else 1
    return max(smallest, 128 // (16 if half else 32)) if tensor_cores else smallest


def _offset_aligned(tensor: Tensor, alignment: int) -> bool:
    """`check_data_ptr_alignment_mem_efficient`: the allocator aligns storages, so the offset decides."""
    offset = tensor.storage_offset()
    return (
        _true(tensor.numel() == 0)
        or not isinstance(offset, int)
        or offset % alignment == 0
    )


def attend(device: AttentionDevice, call: AttentionCall) -> Tensor:
    """What `scaled_dot_product_attention` in attention.cpp does with the choice."""
    aten = torch.ops.aten
    query, key, value, mask = call.query, call.key, call.value, call.attn_mask
    if device.torch >= (2, 15) and query.dim() == key.dim() == value.dim() == 3:
        # `normalize_unbatched_input`, where a fused backend can take it
        q, k, v = (tensor.unsqueeze(0) for tensor in (query, key, value))
        while mask is not None and mask.dim() < 4:
            mask = mask.unsqueeze(0)
        batched = replace(call, query=q, key=k, value=v, attn_mask=mask)
        if choose(device, batched) != MATH:
            return attend(device, batched).squeeze(0)
        mask = call.attn_mask
    backend, logsumexp = choose(device, call), call.trains  # `should_compute_logsumexp`
    how = call.dropout_p, call.is_causal
    if backend == CUDNN:
        additive = _additive(mask, query, _CUDNN_MASKED)
        return aten._scaled_dot_product_cudnn_attention(
            query, key, value, additive, logsumexp, *how, False, scale=call.scale
        )[0]
    if backend == FLASH:
        head = query.size(-1)
        exact = call.scale if call.scale is not None else 1.0 / math.sqrt(head)
        padded = [_pad_last(tensor, 8) for tensor in (query, key, value)]
        out = aten._scaled_dot_product_flash_attention(
            *padded, *how, False, scale=exact
        )[0]
        return out if _true(out.size(-1) == head) else out.narrow(-1, 0, head)
    additive = _additive(mask, query, -math.inf)
    if backend == EFFICIENT:
        if additive is not None:
            additive = _preprocess_mask(additive, query, key)
        return aten._scaled_dot_product_efficient_attention(
            query, key, value, additive, logsumexp, *how, scale=call.scale
        )[0]
    return aten._scaled_dot_product_attention_math(
        query,
        key,
        value,
        additive,
        *how,
        None,
        scale=call.scale,
        enable_gqa=call.enable_gqa,
    )[0]


def _additive(mask: Tensor | None, query: Tensor, masked: float) -> Tensor | None:
    """`convert_boolean_attn_mask`, and with a finite `masked` `convert_boolean_attn_mask_cudnn`."""
    if mask is None or mask.dtype != torch.bool:
        return mask
    zero = torch.scalar_tensor(
        0.0, dtype=query.dtype, device="cpu" if masked == _CUDNN_MASKED else mask.device
    )
    return torch.where(mask.logical_not(), masked, zero)


def _pad_last(tensor: Tensor, alignment: int) -> Tensor:
    """`pad_last_dim`."""
    last = tensor.size(-1)
    if _true(last % alignment == 0):
        return tensor
    return torch.nn.functional.pad(tensor, [0, alignment - last % alignment])


def _preprocess_mask(mask: Tensor, query: Tensor, key: Tensor) -> Tensor:
    """`preprocess_mask` and `pad_bias`: the kernel requires rows that start at multiples of 16."""
    mask = mask.expand(query.size(0), query.size(1), query.size(2), key.size(2))
    last = mask.size(-1)
    if not _true(last % 16 == 0):
        return torch.nn.functional.pad(mask, [0, 16 - last % 16]).narrow(-1, 0, last)
    if any(not _true(mask.stride(axis) % 16 == 0) for axis in (0, 1, 2)):
        return mask.contiguous()
    return mask


def install(patches: Patches, device: AttentionDevice) -> None:
    """Make CUDA tensors use `attend`, in eager mode and in graphs; undone on leaving."""
    overload = torch.ops.aten.scaled_dot_product_attention.default
    composite = names.DISPATCH_KEY.get().CompositeImplicitAutograd

    def attention(*args: Any, **kwargs: Any) -> Any:
        return attend(device, AttentionCall(*args, **kwargs))

    def by_device(query: Any, *args: Any, **kwargs: Any) -> Any:
        # Python's dispatcher calls this one for every device.
        if query.device.type == "cuda":
            return attention(query, *args, **kwargs)
        return overload._op_dk(composite, query, *args, **kwargs)

    library: Any = torch.library.Library("aten", "IMPL")
    patches.callback(library._destroy)
    for key in ("CUDA", "AutogradCUDA"):
        library.impl("scaled_dot_product_attention", attention, key)
    patches.put_item(overload.py_kernels, composite, by_device)
    resolved = names.RESOLVED_KERNELS.of(overload)
    resolved.clear()
    patches.callback(resolved.clear)
