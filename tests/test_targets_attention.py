"""Which attention kernel a virtual GPU uses, by the rules of the installed torch version."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention
from torch.utils._python_dispatch import TorchDispatchMode

from pytest_compile_golden.targets import get_target
from pytest_compile_golden.targets.attention_choice import (
    EFFICIENT,
    FLASH,
    MATH,
    NAMES,
    AttentionCall,
    AttentionDevice,
    choose,
)
from pytest_compile_golden.targets.device_properties import CudaRuntime
from pytest_compile_golden.targets.devices import H100_SXM

OPERATORS = {
    "_scaled_dot_product_flash_attention": "flash",
    "_scaled_dot_product_efficient_attention": "efficient",
    "_scaled_dot_product_cudnn_attention": "cudnn",
    "bmm": "math",
}


class Seen(TorchDispatchMode):
    """The attention operators that ran."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []

    def __torch_dispatch__(
        self,
        func: Any,
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        self.names.append(func.overloadpacket.__name__)
        return func(*args, **(kwargs or {}))

    @property
    def backend(self) -> str:
        return next(OPERATORS[name] for name in self.names if name in OPERATORS)


def used(
    target: str,
    size: tuple[int, ...] = (2, 8, 128, 64),
    dtype: torch.dtype = torch.bfloat16,
    key_size: tuple[int, ...] | None = None,
    grad: bool = False,
    mask: tuple[tuple[int, ...], torch.dtype] | None = None,
    **options: Any,
) -> str:
    """The kernel that eager attention uses on the target."""
    with get_target(target).active():
        query = torch.randn(size, dtype=dtype, requires_grad=grad)
        key, value = (
            torch.randn(key_size or size, dtype=dtype, requires_grad=grad)
            for _ in range(2)
        )
        if mask is not None:
            options["attn_mask"] = torch.ones(mask[0], dtype=mask[1])
        with Seen() as seen:
            scaled_dot_product_attention(query, key, value, **options)
    return seen.backend


NEW = torch.__version__ >= "2.15"
HALF = {"dtype": torch.float16}
FLOAT = {"dtype": torch.float32}

TABLE = [
    # what, options, sm80, sm90, sm100
    ("bfloat16", {}, "flash", "cudnn", "cudnn"),
    ("float16", HALF, "flash", "cudnn", "cudnn"),
    ("float32", FLOAT, "efficient", "efficient", "efficient"),
    ("float64", {"dtype": torch.float64}, "math", "math", "math"),
    ("training", {"grad": True}, "flash", "cudnn", "cudnn"),
    ("causal", {"is_causal": True}, "flash", "cudnn", "cudnn"),
    ("boolean mask", {"mask": ((128, 128), torch.bool)}, "efficient", "cudnn", "cudnn"),
    (
        "added mask",
        {"mask": ((2, 8, 128, 128), torch.bfloat16)},
        "efficient",
        "cudnn",
        "cudnn",
    ),
    (
        "float32 with a mask",
        {**FLOAT, "mask": ((128, 128), torch.float32)},
        "efficient",
        "efficient",
        "efficient",
    ),
    ("dropout", {"dropout_p": 0.5}, "flash", "cudnn", "cudnn"),
    (
        "dropout that cuDNN cannot do",
        {"dropout_p": 0.1},
        "flash",
        *(["flash"] * 2 if NEW else ["cudnn"] * 2),
    ),
    (
        "head size 256",
        {"size": (2, 8, 128, 256)},
        "flash",
        "cudnn",
        "cudnn" if NEW else "flash",
    ),
    (
        "head size 288",
        {"size": (2, 8, 128, 288)},
        "efficient",
        "efficient",
        "efficient",
    ),
    ("head size 36", {"size": (2, 8, 128, 36)}, "flash", "flash", "flash"),
    (
        "float32, head size 30",
        {**FLOAT, "size": (2, 8, 128, 30)},
        "math",
        "math",
        "math",
    ),
    (
        "grouped queries",
        {"key_size": (2, 2, 128, 64), "enable_gqa": True},
        "flash",
        "cudnn",
        "cudnn",
    ),
    (
        "grouped queries, float32",
        {**FLOAT, "key_size": (2, 2, 128, 64), "enable_gqa": True},
        *(["efficient"] * 3 if NEW else ["math"] * 3),
    ),
    (
        "another key length, causal",
        {"key_size": (2, 8, 64, 64), "is_causal": True},
        "efficient",
        "cudnn",
        "cudnn",
    ),
    ("one key", {"key_size": (2, 8, 1, 64)}, "flash", "flash", "flash"),
    (
        "three dimensions",
        {"size": (8, 128, 64)},
        *(["flash", "cudnn", "cudnn"] if NEW else ["math"] * 3),
    ),
]


@pytest.mark.parametrize(
    ("what", "options", "sm80", "sm90", "sm100"),
    TABLE,
    ids=[str(row[0]) for row in TABLE],
)
def test_selection(
    what: str, options: dict[str, Any], sm80: str, sm90: str, sm100: str
) -> None:
    assert [
        used(name, **options) for name in ("cuda-sm80", "cuda-sm90", "cuda-sm100")
    ] == [sm80, sm90, sm100]


def test_the_users_choice_is_honoured() -> None:
    for backend, name in (
        (SDPBackend.FLASH_ATTENTION, "flash"),
        (SDPBackend.EFFICIENT_ATTENTION, "efficient"),
    ):
        with sdpa_kernel(backend):
            assert used("cuda-sm90") == name
    with sdpa_kernel([SDPBackend.MATH, SDPBackend.FLASH_ATTENTION], set_priority=True):
        assert used("cuda-sm90") == "math"
    with (
        sdpa_kernel(SDPBackend.FLASH_ATTENTION),
        pytest.raises(RuntimeError, match="No available kernel"),
    ):
        used("cuda-sm90", dtype=torch.float32)
    torch.backends.cuda.enable_cudnn_sdp(False)
    try:
        assert used("cuda-sm90") == "flash"
    finally:
        torch.backends.cuda.enable_cudnn_sdp(True)


def test_deterministic_algorithms_exclude_cudnn() -> None:
    torch.use_deterministic_algorithms(True)
    try:
        assert used("cuda-sm90") == "flash"
    finally:
        torch.use_deterministic_algorithms(False)


def test_older_cudnn_is_not_preferred() -> None:
    device = AttentionDevice(H100_SXM, CudaRuntime("12.8", 91002), (2, 12))
    with get_target("cuda-sm90").active():
        q = torch.randn(1, 2, 16, 64, dtype=torch.float16)
        wide = torch.randn(1, 2, 16, 512, dtype=torch.float16)
        assert choose(device, AttentionCall(q, q, q)) == FLASH
        assert choose(device, AttentionCall(wide, wide, wide)) == EFFICIENT
        assert choose(device, AttentionCall(q.double(), q.double(), q.double())) == MATH
    assert set(NAMES.values()) == set(OPERATORS.values())


@pytest.mark.parametrize("shape", [(2, 4, 64, 64), (2, 4, 64, 60)])
def test_compiled_attention_keeps_the_operator_forward_and_backward(
    shape: tuple[int, ...],
) -> None:
    graphs: list[str] = []

    def keep(graph: torch.fx.GraphModule, inputs: object) -> Callable[..., Any]:
        graphs.append(" ".join(str(node.target) for node in graph.graph.nodes))
        from functorch.compile import make_boxed_func

        return make_boxed_func(graph)

    from torch._dynamo.backends.common import aot_autograd

    torch._dynamo.reset()
    with get_target("cuda-sm80").active():
        q = torch.randn(shape, dtype=torch.float16, requires_grad=True)
        out = torch.compile(
            lambda q: scaled_dot_product_attention(q, q, q),
            backend=aot_autograd(fw_compiler=keep),
        )(q)
        out.sum().backward()
        assert out.shape == shape and q.grad.shape == shape
    assert "_scaled_dot_product_flash_attention.default" in graphs[0]
    assert "_scaled_dot_product_flash_attention_backward" in graphs[1]


def test_the_cpu_is_unaffected_afterwards() -> None:
    q = torch.randn(1, 2, 16, 8)
    expected = scaled_dot_product_attention(q, q, q)
    with get_target("cuda-sm90").active():
        pass
    torch.testing.assert_close(scaled_dot_product_attention(q, q, q), expected)
