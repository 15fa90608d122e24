"""The Python API of a virtual GPU: every name in torch's CUDA layers answers, or refuses with an explanation."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
import types
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
import torch._dynamo
from torch import Tensor

from pytest_compile_golden import capture
from pytest_compile_golden.errors import CompileGoldenError, NeedsNativeTarget
from pytest_compile_golden.targets import Target, get_target

# Other devices' modules, a script, and the one function that changes torch for the rest of the process.
_LEFT_OUT = re.compile(r"\._|\.mps$|\.xeon\b|disable_global_flags$")


@pytest.fixture
def sm90() -> Iterator[Target]:
    with get_target("cuda-sm90").active() as target:
        yield target


def _public_modules() -> list[types.ModuleType]:
    modules = [torch.cuda, torch.backends]
    for package in (torch.cuda, torch.backends):
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not _LEFT_OUT.search(found.name):
                modules.append(importlib.import_module(found.name))
    return modules


def _called_without_arguments(member: object) -> bool:
    if not callable(member) or (
        isinstance(member, type) and issubclass(member, BaseException)
    ):
        return False
    try:
        parameters = inspect.signature(member).parameters.values()
    except (TypeError, ValueError):  # a class made in C++, which has no signature
        return False
    return all(
        parameter.default is not parameter.empty
        or parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
        for parameter in parameters
    )


_MODULES = _public_modules()
_SETTERS = [torch.backends.cudnn.flags]


@pytest.mark.filterwarnings(
    "ignore::FutureWarning"
)  # torch's own, about names that it has renamed
def test_public_names_answer_or_refuse_with_an_explanation(sm90: Target) -> None:
    called: set[str] = set()
    refused: set[str] = set()
    for module in _MODULES:
        for name in dir(module):
            path = f"{module.__name__}.{name}"
            if name.startswith("_") or _LEFT_OUT.search(path):
                continue
            try:
                member = getattr(module, name)
                own = str(getattr(member, "__module__", "")).startswith(
                    ("torch.cuda", "torch.backends")
                )
                if own and _called_without_arguments(member):
                    called.add(path)
                    member()
            except NeedsNativeTarget as error:
                refused.add(path)
                assert (
                    "virtual" in str(error)
                    and "native-cuda" in str(error)
                    and "sm90" in str(error)
                )
            except Exception as error:
                pytest.fail(f"{path}: {error!r}")
    assert len(called) > 120
    assert {
        "torch.cuda.CUDAGraph",
        "torch.cuda.graph_pool_handle",
        "torch.cuda.nccl.unique_id",
    } <= refused
    assert {
        "torch.cuda.memory_summary",
        "torch.cuda.profiler.start",
        "torch.cuda.get_sync_debug_mode",
    } <= called - refused


def _names_in_torch_sources() -> set[str]:
    found: set[str] = set()
    for path in Path(torch.__file__).parent.rglob("*.py"):
        found.update(
            re.findall(
                r"\b_C\.(_cuda_\w+)", path.read_text(encoding="utf-8", errors="replace")
            )
        )
    return found


def test_every_c_function_that_torch_uses_exists(sm90: Target) -> None:
    names = _names_in_torch_sources()
    assert len(names) > 80
    for name in names:
        member = getattr(torch._C, name)
        # On a CUDA wheel torch's own functions would look for the driver.
        assert isinstance(member, (type, types.FunctionType)), name
    assert not hasattr(torch._C, "_no_such_name")
    with pytest.raises(
        NeedsNativeTarget,
        match=r"torch\._C\._cuda_getCurrentBlasHandle needs a real GPU",
    ):
        torch._C._cuda_getCurrentBlasHandle()


def test_settings_are_remembered_until_the_target_is_left() -> None:
    outside = torch.backends.cudnn.benchmark_limit
    with get_target("cuda-sm90").active():
        torch.backends.cudnn.benchmark_limit = 3
        torch.cuda.set_sync_debug_mode("warn")
        assert torch.backends.cudnn.benchmark_limit == 3
        assert torch.cuda.get_sync_debug_mode() == 1
    assert torch.backends.cudnn.benchmark_limit == outside
    with get_target("cuda-sm90").active():
        assert torch.backends.cudnn.benchmark_limit == 10
        assert torch.cuda.get_sync_debug_mode() == 0


def test_the_accelerator_and_attention_answer_for_the_device(sm90: Target) -> None:
    assert torch.accelerator.current_accelerator().type == "cuda"
    assert (
        torch.accelerator.memory_allocated() == 0
        and torch.accelerator.empty_cache() is None
    )
    query = torch.randn(2, 4, 8, 64, dtype=torch.float16)
    params = torch.backends.cuda.SDPAParams(
        query, query, query, None, 0.0, False, False
    )
    assert torch.backends.cuda.can_use_flash_attention(params)
    assert torch.backends.cuda.can_use_cudnn_attention(params)
    wide = query.float()
    params = torch.backends.cuda.SDPAParams(wide, wide, wide, None, 0.0, False, False)
    assert not torch.backends.cuda.can_use_flash_attention(params)
    assert torch.backends.cuda.can_use_efficient_attention(params)


def test_legacy_types_support_isinstance(sm90: Target) -> None:
    assert isinstance(torch.randn(2), torch.cuda.FloatTensor)
    assert not isinstance(torch.randn(2).half(), torch.cuda.FloatTensor)
    assert not isinstance(torch.randn(2, device="cpu"), torch.cuda.FloatTensor)


def test_export_and_cudnn_flags_in_a_test_body(sm90: Target) -> None:
    class Convolution(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.conv = torch.nn.Conv2d(3, 4, 3)

        def forward(self, x: Tensor) -> Tensor:
            with torch.cuda.nvtx.range("convolution"):
                return self.conv(x).relu()

    x = torch.randn(1, 3, 8, 8)
    exported = torch.export.export(Convolution(), (x,))
    assert "conv2d" in str(exported.graph)

    def flags(x: Tensor) -> Tensor:
        y = x.sin()
        with torch.backends.cudnn.flags(enabled=True, benchmark=True):
            return y * 2

    try:
        captured = capture(flags, x)
    except CompileGoldenError as error:
        assert "benchmark_limit" not in str(error)
    else:
        assert "sin" in str(captured["post_grad_graph"])


def test_cudnn_accepts_the_tensors_that_it_accepts_on_a_card() -> None:
    with get_target("cuda-sm90").active(), warnings.catch_warnings():
        warnings.simplefilter("error")
        x = torch.ones(4, device="cuda")
        assert torch.backends.cudnn.is_acceptable(x)
        assert not torch.backends.cudnn.is_acceptable(x.to(torch.int32))
        assert not torch.backends.cudnn.is_acceptable(torch.ones(4, device="cpu"))
        x.data_ptr()  # as LSTMs do, torch/nn/modules/rnn.py: flatten_parameters

    def asks(x: Tensor) -> Tensor:
        return x.sin() if torch.backends.cudnn.is_acceptable(x) else x.cos()

    for x, operator in (
        (torch.ones(4), "sin"),
        (torch.ones(4, dtype=torch.int32), "cos"),
    ):
        assert capture(asks, x, target="cuda-sm90")["post_grad_graph"].has(
            f"aten.{operator}"
        )


def test_streams_and_events_are_there_and_wait_for_nothing(sm90: Target) -> None:
    """What is compiled on a stream is decided by which stream it is, so a program can make and enter some."""
    stream, event = torch.cuda.Stream(priority=-1), torch.cuda.Event(enable_timing=True)
    with torch.cuda.stream(stream):
        assert torch.cuda.current_stream() == stream
        event.record()
    stream.wait_event(event)
    assert event.query() and stream.query()
    assert torch.cuda.current_stream() == torch.cuda.default_stream() != stream
    assert (stream.priority, stream.device) == (-1, torch.device("cuda", 0))
    with pytest.raises(
        NeedsNativeTarget,
        match=r"elapsed_time needs a real GPU.* nothing running that it could time",
    ):
        event.elapsed_time(torch.cuda.Event(enable_timing=True))
