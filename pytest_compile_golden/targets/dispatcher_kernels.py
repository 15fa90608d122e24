"""Operators that only CUDA wheels keep whole: give the CPU wheel's dispatcher the CUDA kernels it lacks.

If an operator has a CompositeImplicitAutograd kernel and none for the device, the dispatcher decomposes it above
autograd, so graphs (training graphs above all) show its parts. Everything else with a CUDA kernel is whole on both
wheels, since its autograd kernel or its registered decomposition is in libtorch_cpu.
"""

from __future__ import annotations

import functools
import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from pytest_compile_golden.common.lines import split_lines
from pytest_compile_golden.targets import known_values
from pytest_compile_golden.targets.patching import Patches
from pytest_compile_golden.torch_internals import device as names
from pytest_compile_golden.torch_internals import dynamo, tensors

FakeTensor = tensors.FAKE_TENSOR.get()

# Those of 2.11 to 2.15, for a build without torch's declarations.
_KNOWN = ("_fused_rms_norm", "mish_backward", "silu_backward")


def declarations() -> str:
    """native_functions.yaml, in which torch declares its operators: torchgen has it, which comes with every wheel.

    Empty if a build of torch has none.
    """
    spec = importlib.util.find_spec("torchgen")
    if spec is None or spec.origin is None:
        return ""
    path = Path(spec.origin).parent / "packaged/ATen/native/native_functions.yaml"
    return path.read_text(encoding="utf-8") if path.is_file() else ""


@functools.cache
def whole_on_cuda() -> tuple[str, ...]:
    """The operators for which torch registers a CompositeImplicitAutograd kernel and declares a CUDA one.

    The dispatcher lists the former. It only knows the latter on a CUDA wheel, so these are read from the declarations
    that all kernels are generated from.
    """
    text = declarations()
    if not text:
        return _KNOWN
    declared = _declared_for_cuda(text)
    known = [
        name.removeprefix("aten::")
        for name in names.ALL_OPERATORS.get()()
        if name.startswith("aten::")
    ]
    return tuple(
        sorted(
            name
            for name in known
            if name in declared and has_kernel(name, "CompositeImplicitAutograd")
        )
    )


def has_kernel(name: str, key: str) -> bool:
    """Whether the dispatcher has a kernel of `aten::name` for a dispatch key."""
    try:
        return bool(names.HAS_KERNEL.get()(f"aten::{name}", key))
    except RuntimeError:  # listed, but without a schema
        return False


def _declared_for_cuda(text: str) -> set[str]:
    """Names in native_functions.yaml with their own CUDA kernel, or that of the operator that they delegate to.

    The file is regular: `- func: NAME(...)`, then keys indented by two, `dispatch:` with `KEY, KEY: kernel` below.
    """
    keys: dict[str, set[str]] = {}
    delegates: dict[str, str] = {}
    name, in_dispatch = "", False
    for line in split_lines(text):
        content = line.strip()
        if line.startswith("- func:"):
            name, in_dispatch = (
                content.removeprefix("- func:").strip().partition("(")[0],
                False,
            )
            keys[name] = set()
        elif line.startswith("  ") and not line.startswith("   "):
            in_dispatch = content == "dispatch:"
            if content.startswith("structured_delegate:"):
                delegates[name] = content.partition(":")[2].strip()
        elif in_dispatch and not content.startswith("#"):
            keys[name].update(
                key.strip() for key in content.partition(":")[0].split(",")
            )
    return {
        name
        for name in keys
        if "CUDA" in keys[name] | keys.get(delegates.get(name, ""), set())
    }


def install(patches: Patches) -> None:
    """Register CUDA kernels for the operators above if this wheel has none; they are removed on leaving."""
    library: Any = torch.library.Library("aten", "IMPL")
    patches.callback(library._destroy)
    decompose_recurrent(library)
    for name in whole_on_cuda():
        if not has_kernel(name, "CUDA"):
            library.impl(name, _never_runs(name), "CUDA")


def decompose_recurrent(library: Any) -> None:
    """Run LSTM, GRU and RNN outside graphs with torch's decomposition: cuDNN's kernel is not in the CPU wheel."""
    names.DECOMPOSITION_MODULE.get()
    composite = names.DISPATCH_KEY.get().CompositeImplicitAutograd
    for name in ("lstm", "gru", "rnn_tanh", "rnn_relu"):
        for variant in ("input", "data"):
            overload = getattr(getattr(torch.ops.aten, name), variant)
            if composite in overload.py_kernels:
                kernel = overload.py_kernels[composite]
                for key in ("CUDA", "AutogradCUDA"):
                    library.impl(
                        f"{name}.{variant}",
                        _first_step(kernel) if variant == "input" else kernel,
                        key,
                    )


def _first_step(decomposed: Callable[..., Any]) -> Callable[..., Any]:
    """The decomposition of a recurrent network, which outside graphs runs on the first step of a sequence only.

    torch.compile breaks the graph at such a network (torch._dynamo.config.allow_rnn): its
    results have to be of the right shape, which it would take thousands of operators on fake tensors to find out.
    """

    def network(sequence: Any, *rest: Any) -> Any:
        traced = dynamo.TRACING_CONTEXT.get().try_get() is not None
        if traced or type(sequence) is not FakeTensor:
            return decomposed(sequence, *rest)
        time = int(rest[-1])  # batch_first
        first, *hidden = decomposed(sequence.narrow(time, 0, 1), *rest)
        output = (
            first.transpose(0, time)
            .repeat(sequence.size(time), 1, 1)
            .transpose(0, time)
        )
        known_values.forget([output, *hidden])
        return (output, *hidden)

    # Calls from C++ are frames of their own, which Dynamo would trace.
    return torch.compiler.disable(network)  # type: ignore[no-any-return]


def _never_runs(name: str) -> Any:
    def kernel(*args: object, **kwargs: object) -> None:
        raise NotImplementedError(
            f"aten::{name} on a virtual GPU: its tensors are fake, so nothing should run it"
        )

    return kernel
