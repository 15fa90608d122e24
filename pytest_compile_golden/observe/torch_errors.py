"""Turns torch's errors into ours: what happened, at which line of the user's code, and what to do next."""

from __future__ import annotations

import linecache
import os
import re
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import torch

from pytest_compile_golden.common.lines import split_lines
from pytest_compile_golden.errors import (
    CaptureFailed,
    CompileGoldenError,
    DataDependentValue,
    NeedsNetwork,
    UnsupportedTensor,
    UnsupportedTorch,
    chain,
    innermost,
)
from pytest_compile_golden.facts.frames import Frame, frames
from pytest_compile_golden.observe.record_graphs import is_user_file
from pytest_compile_golden.observe.source_locations import in_torch
from pytest_compile_golden.observe.user_kernels import NO_DRIVER, needs_gpu
from pytest_compile_golden.targets import Target
from pytest_compile_golden.targets.patching import lacking_features
from pytest_compile_golden.targets.signature_check import unlike
from pytest_compile_golden.torch_internals import user_code as names

_OUR_FOLDER = str(Path(__file__).parent.parent)
# By name: where these classes live differs between torch versions.
_NEEDS_A_VALUE = {
    "DataDependentOutputException",
    "DynamicOutputShapeException",
    "GuardOnDataDependentSymNode",
    "PendingUnbackedSymbolNotFound",
}
# torch/_dynamo/utils.py: same.
_TAKES_NO_FAKES = "should not be a FakeTensor"
# torch/cuda/__init__.py: _lazy_init, and the dispatcher of a wheel without CUDA.
NO_CUDA = (
    "CUDA' backend",
    "not compiled with CUDA",
    "Found no NVIDIA driver",
    "re-initialize CUDA",
)


def _user_frame(error: BaseException) -> str | None:
    """The innermost line of the user's code: `file:line: source`.

    Dynamo interprets the user's frames, so they are not on the stack; its message lists them instead.
    """
    called = [
        Frame(frame.filename, frame.lineno or 0)
        for frame in traceback.extract_tb(error.__traceback__)
    ]
    for stack in (list(frames(str(error))), called):
        own = [
            frame
            for frame in stack
            if is_user_file(frame.file)
            and not frame.file.startswith((_OUR_FOLDER, "<"))
        ]
        if own:
            return f"{own[-1].location}: {linecache.getline(own[-1].file, own[-1].line).strip()}"
    return None


def _summary(error: BaseException) -> str:
    """What is wrong, from torch's message without its stack, advice on environment variables, and list of kernels."""
    lines: list[str] = []
    for line in split_lines(
        str(error).partition(" This could be because the operator doesn't exist")[0]
    ):
        if line.startswith(
            (
                "Set TORCH",
                "from user code",
                "The above exception",
                "Developer debug",
                "For even more",
            )
        ):
            break
        if line.strip():
            lines.append(line.rstrip())
    return "\n  ".join(lines[:12]) or type(error).__name__


# What torch says when a virtual GPU cannot have some kind of tensor, and the explanation we give.
_NO_SUCH_TENSOR = (
    (
        # On a CPU wheel, and on a CUDA wheel without a GPU.
        re.compile(
            r"Could not run 'aten::[\w.]+' with arguments from the '(?:(?:Sparse\w*)?CUDA|Sparse\w*Meta)'"
            r"|CUDA error: CUDA driver|aten::[\w.]+: attempted to run this operator with Meta tensors"
        ),
        "Sparse tensors, whose indices are values, and anything else that runs a kernel before it is compiled, need a "
        "real device (and Inductor compiles no sparse operations). Keep them out of the case, or give it a CPU target",
    ),
    (
        re.compile(r"_nested_tensor|Nested(?:Tensor)?C(?:PU|UDA)"),
        "A nested tensor with the strided layout, torch's older one, has operations of its own, which need a real "
        "device: make it with layout=torch.jagged, which torch.compile supports, or give this case a CPU target",
    ),
    (
        re.compile(r"Creating a new Tensor subclass"),
        "A tensor on {target} is one of torch's own fake tensors, and of no other Python class unless that class wraps "
        "one (__tensor_flatten__): give this case a CPU target",
    ),
)


# torch/distributed/distributed_c10d.py: _get_default_group; torch/distributed/rendezvous.py: _env_rendezvous_handler.
_NO_GROUP = (
    "Default process group has not been initialized",
    "using env:// rendezvous",
)


def unsupported(
    name: str, error: BaseException, target: Target
) -> CompileGoldenError | None:
    """What a case lacks, or what a virtual GPU cannot do, and what to do next; None for all other errors."""
    errors = list(chain(error))
    location = _user_frame(error)
    where = f"\n  at {location}" if location else ""
    if any(said in str(cause) for cause in errors for said in _NO_GROUP):
        return NeedsNetwork(
            f"{name} needs a process group, but there is none: {_summary(errors[-1])}{where}\n"
            "  Make the case one rank of many, which needs no network: "
            "@pytest.mark.compile_golden(world_size=8, rank=0), or capture(..., world_size=8, rank=0)."
        )
    marker = '@pytest.mark.compile_golden(target="cpu-avx2")'
    if not target.virtual or target.device_type == "cpu":
        if target.device_type == "cpu" and any(
            said in str(cause) for cause in errors for said in NO_CUDA
        ):
            return needs_gpu(f"{name} makes a tensor on a GPU, which", target, where)
        return (
            needs_gpu(f"a Triton kernel in {name}", target)
            if NO_DRIVER in str(errors[-1])
            else None
        )
    if _TAKES_NO_FAKES in str(errors[-1]):
        return UnsupportedTensor(
            f"{name} compares tensors of the virtual target {target.name} with torch._dynamo.testing.same(), which "
            f"does not accept fake tensors.{where}\n  Compare them with torch.testing.assert_close, or "
            "self.assertEqual of a unittest.TestCase."
        )
    if any(type(cause).__name__ in _NEEDS_A_VALUE for cause in errors):
        return DataDependentValue(
            f"{name} needs the value of a tensor, which the virtual target {target.name} cannot know: "
            f"{split_lines(_summary(errors[-1]))[0]}{where}\n"
            "  Keep .item(), .tolist(), bool(tensor) and nonzero() out of the captured function, or have Dynamo keep "
            'them in its graphs (config={"dynamo.capture_scalar_outputs": True, '
            '"dynamo.capture_dynamic_output_shape_ops": True}), or let the value be known: values of up to 1 MiB that '
            "follow from constants (torch.arange, torch.tensor([4, 8])) or from inputs of whole numbers are, those "
            "drawn at random or computed from inputs of floating-point numbers are not, "
            f"or give this case a CPU target, where tensors are real: {marker}."
        )
    for pattern, reason in _NO_SUCH_TENSOR:
        if any(pattern.search(str(cause)) for cause in errors):
            missing = _summary(errors[-1]).partition(". ")[0]
            return UnsupportedTensor(
                f"{name} needs what the virtual target {target.name} cannot have: {missing}{where}\n"
                f"  {reason.format(target=target.name)}: {marker}."
            )
    return None


def unsupported_in_test(
    name: str, error: Exception, target: Target
) -> CompileGoldenError | None:
    """`unsupported` for an error in a test's body; an AssertionError counts only if torch raised it, not the test."""
    if isinstance(error, AssertionError):
        *_, raised = traceback.extract_tb(error.__traceback__)
        if not in_torch(raised.filename):
            return None
    return unsupported(name, error, target)


def reason(error: BaseException) -> str:
    """What is wrong, in one line that ends with the user's line if it is known."""
    root, location = innermost(error), _user_frame(error)
    return f"{type(root).__name__}: {split_lines(_summary(root))[0]}{f', at {location}' if location else ''}"


@contextmanager
def translated(name: str, target: Target) -> Iterator[None]:
    """Turn anything that the compile or the program `name` raises into a CaptureFailed caused by torch's error."""
    try:
        yield
    except CompileGoldenError:
        raise
    except Exception as error:
        raised = next(
            (cause for cause in chain(error) if isinstance(cause, CompileGoldenError)),
            None,
        )
        if raised is not None:  # raised inside torch, which wrapped it
            raise raised from raised.__cause__
        if told := unlike(error):
            raise UnsupportedTorch(
                f"{told}: {reason(error)}\n  {name} failed on {target.name}.{_lacking()}"
            ) from error
        needed = unsupported(name, error, target)
        if needed is not None:
            raise type(needed)(f"{needed}{_lacking()}") from error
        advised = advice(error, target) + _lacking()
        # The reason first, with its line: lists of failures show only the first line of each.
        raise CaptureFailed(
            f"{reason(error)}\n  {name} failed on {target.name}: {type(error).__name__}: {_summary(error)}{advised}"
        ) from error


def _lacking() -> str:
    """What the target lacks on this torch, which may be why the program failed."""
    return "".join(
        f"\n  Without {what}: {why}." for what, why in lacking_features().items()
    )


def advice(error: Exception, target: Target) -> str:
    """What to do next, on a line of its own; empty if we have no advice."""
    text = str(error)
    if names.UNSUPPORTED.here and isinstance(error, names.UNSUPPORTED.get()):
        return "\n  fullgraph=True allows no graph breaks: remove this one, or capture with fullgraph=False."
    if (
        "does not require grad and does not have a grad_fn" in text
        and not torch.is_grad_enabled()
    ):
        return "\n  A capture computes gradients only with train=True."
    root = innermost(error)
    # torch/_subclasses/fake_tensor.py.
    if type(root).__name__ == "UnsupportedOperatorException":
        operator = root.args[0].name()
        return f'\n  Nothing says what it returns: @torch.library.register_fake("{operator}").'
    if "'_OpNamespace'" in str(root):  # torch/_ops.py
        return (
            "\n  Import what registers this operator, or define it: torch.library.define is enough, with register_fake "
            "to say what it returns."
        )
    if "compiler_fn did not return callable" in text:
        return "\n  A backend takes a graph module and example inputs, and returns what to call instead of the graph."
    frames = traceback.extract_tb(root.__traceback__)
    if isinstance(root, TypeError) and any(
        frame.name == "save_compiled_function" for frame in frames
    ):
        return (
            "\n  What is saved is what torch's caches would keep, and a capture has them off. Turn them on: "
            'config={"fx_graph_cache": True, "functorch.enable_autograd_cache": True}.'
        )
    if isinstance(root, AttributeError) and root.obj is torch.compiler:
        since = _ENTRANCES.get(root.name or "")
        if since is not None:
            return f"\n  torch.compiler.{root.name} is captured from torch {since} on; this is {torch.__version__}."
    if target.virtual and "GuardManager check failed" in text and "FakeTensor" in text:
        return (
            "\n  What was loaded runs on real tensors, which a virtual target does not have: load it on native-cpu or "
            "native-cuda, or outside of a capture with --virtual-gpu."
        )
    if (
        target.virtual and "found two different devices" in text
    ) or "same device" in text:
        return (
            f"\n  Some tensors are not on {target.name}. A tensor that the function makes is on the CPU, as it is "
            "without a capture, unless it is given a device: torch.ones(4, device=x.device), x.new_ones(4), "
            "torch.ones_like(x). If the tensor comes from outside, pass it as an input, or make it in the body of the "
            "test, where the target is the default device."
        )
    return ""


_ENTRANCES = {"precompile": "2.15"}
"""From which torch on an entrance of torch.compiler has the form that is captured, if a supported torch lacks it."""


# As read by torch/_dynamo/config.py and torch/_dynamo/eval_frame.py.
_SWITCHES = ("TORCH_COMPILE_DISABLE", "TORCHDYNAMO_DISABLE")


def switched_off() -> str | None:
    """Why torch.compile compiles nothing in this process, and what to do; None if it would."""
    set_to = [
        f"{name}={os.environ[name]}"
        for name in _SWITCHES
        if os.environ.get(name) == "1"
    ]
    if set_to:
        return f"The environment has {' and '.join(set_to)}, which switches torch.compile off; unset it."
    if names.DISABLED.here and names.DISABLED.get():
        return "torch._dynamo.config.disable is True, which switches torch.compile off; a test or a conftest.py set it."
    if names.STANCE.here and names.STANCE.get().stance == "force_eager":
        return 'torch.compiler.set_stance("force_eager") switches torch.compile off; a test or a conftest.py called it.'
    return None
