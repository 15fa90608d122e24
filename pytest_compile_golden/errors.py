"""All errors that this package raises on purpose: one sentence on what happened, one on what to do next."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Iterator
from pathlib import Path

from pytest_compile_golden.common.lines import split_lines

_PACKAGES = ("torch", "triton", "pytest_compile_golden")
# torch/_dynamo/exc.py: what the traced program did, by name, since where these classes live may change. Dynamo
# interprets the program, whose frames are therefore not on the stack.
_OF_TRACED_PROGRAM = frozenset({"TorchRuntimeError", "Unsupported", "UserError"})


class CompileGoldenError(Exception):
    """Base of all errors meant for the user. `str()` is the whole message; no traceback is needed to act on it."""

    def __init__(self, *args: object) -> None:
        super().__init__(*args)
        self._message = str(args[0]) if args else ""

    def __str__(self) -> str:
        # Not from args: torch's graph interpreters add to the args of any exception that passes through them.
        return self._message


class CaseWarning(UserWarning):
    """Something about a case that does not fail it but that its author should mend."""


class UnknownName(CompileGoldenError):
    """A case, stage, target or version that does not exist, or a selection of nothing: the command is wrong."""


class UnknownSide(UnknownName):
    """A side of a comparison that nothing is known about."""


class UnknownTarget(UnknownName):
    """A target name that is not registered."""


class TargetUnavailable(CompileGoldenError):
    """A target that exists but cannot be entered on this machine (no C++ compiler, no GPU for a native target, ...)."""


class NotInstalled(CompileGoldenError):
    """A command, a check or a stage of a part of this package that the installation lacks."""


class CannotSave(CompileGoldenError):
    """A capture that holds what its file could not give back."""


class UnreadableCapture(CompileGoldenError):
    """A file that is not a saved capture, or one of another version."""


class UnknownConfig(CompileGoldenError):
    """A config key that the installed torch does not have."""


class InvalidOption(CompileGoldenError):
    """A capture argument that has the wrong type, does not exist, or contradicts another one."""


class AlreadyCompiled(CompileGoldenError):
    """A callable that was compiled for something other than Inductor, or in a way that cannot be taken over."""


class UnsupportedTorch(CompileGoldenError):
    """The installed torch (or Triton) is outside the supported range."""


class CaptureFailed(CompileGoldenError):
    """The function under test did not compile or did not run on the target."""


class DataDependentValue(CaptureFailed):
    """The program asked for a tensor's value, which a virtual GPU target cannot know."""


class UnsupportedTensor(CaptureFailed):
    """A tensor that a virtual GPU cannot have: sparse, nested, of a Python subclass, or of two classes in turn."""


class KernelFailed(CaptureFailed):
    """A user's Triton kernel that Triton does not compile, or something for GPUs on a CPU target."""


class WrongDevice(CaptureFailed):
    """The program was compiled for a device other than the target's."""


class ExportFailed(CaptureFailed):
    """A program that torch.export rejects."""


class UnknownBackend(UnknownName):
    """A backend that torch.compile does not know."""


class NothingCompiled(CaptureFailed):
    """No compilation was captured."""


class StageUnavailable(CompileGoldenError):
    """A torch internal that a stage is observed through does not exist in the installed torch."""


class StageNotCaptured(CompileGoldenError, KeyError):
    """A stage that this compile does not have (a joint graph without training, C++ code on a GPU, ...)."""


class UnknownPass(UnknownName, StageNotCaptured):
    """A pass that did not run in this compile."""


class GoldenError(CompileGoldenError):
    """A golden file that is damaged, not ours, or in a location that we refuse to touch."""


class ProcessGroupExists(CompileGoldenError):
    """A fake process group was requested in a process that is already in a group."""


class NeedsNetwork(CompileGoldenError):
    """A program looks for other processes, but there are none, or a fake process group replaces them."""


class NeedsNativeTarget(CompileGoldenError):
    """Kernels were to be run on a virtual target, where they are neither built nor interpreted."""

    @classmethod
    def on(cls, target: str) -> NeedsNativeTarget:
        """The error for a target whose compiled code cannot be run."""
        return cls(
            f"{target} is virtual: its kernels are neither built nor interpreted here. "
            "Use the target native-cpu, or an NVIDIA GPU, virtual or not."
        )


class NotInterpretable(CompileGoldenError):
    """A kernel or a library call for a virtual GPU that cannot be run on the CPU."""


class WrongResult(CompileGoldenError):
    """Compiled code computes something different from eager, and float64 shows that it is wrong."""


class EagerFailed(CompileGoldenError):
    """A program that cannot be compared with eager because it does not run in eager mode."""


class ReportError(CompileGoldenError):
    """A report that cannot be read, written or merged."""


class EnvironmentFailed(CompileGoldenError):
    """An environment for a torch version that could not be created: no such version, or a failed install."""


class SideFailed(CompileGoldenError):
    """The suite could not be run on one torch version at all."""


def chain(error: BaseException | None) -> Iterator[BaseException]:
    """An error and the errors behind it, the innermost last, each once."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = (
            getattr(error, "inner_exception", None)
            or error.__cause__
            or error.__context__
        )


def innermost(error: BaseException) -> BaseException:
    """The error that `error` wraps and quotes, as torch's BackendCompilerFailed does; itself if there is none."""
    message, root = str(error), error
    for cause in chain(error):
        first = next(iter(split_lines(str(cause))), "")
        if first and first in message and type(cause).__name__ in message:
            root = cause
    return root


def reason_of(error: BaseException) -> str:
    """An error as text that begins with the reason: the wrapped error before torch's wrapper."""
    root, message = innermost(error), f"{type(error).__name__}: {error}"
    return message if root is error else f"{type(root).__name__}: {root}\n{message}"


def raised_in(error: BaseException) -> str:
    """The line of torch, Triton or this package that raised an error: `torch/_inductor/graph.py:1023`.

    Empty if a line of anything else did, and for what the project is to mend: a failed assertion, which helpers of
    torch's raise too, a missing package, and every error that asks for a change of the program or of its options.
    """
    root = innermost(error)
    if not isinstance(error, (UnsupportedTorch, StageUnavailable, TargetUnavailable)):
        asks_for_a_change = (
            isinstance(error, CompileGoldenError) and type(error) is not CaptureFailed
        )
        if asks_for_a_change or any(
            isinstance(each, (AssertionError, ImportError)) for each in (error, root)
        ):
            return ""
    if any(
        kind.__name__ in _OF_TRACED_PROGRAM
        for cause in chain(error)
        for kind in type(cause).__mro__
    ):
        return ""
    frames = traceback.extract_tb(root.__traceback__)
    for name in _PACKAGES if frames else ():
        package = getattr(sys.modules.get(name), "__file__", None)
        if package is not None and Path(frames[-1].filename).is_relative_to(
            folder := Path(package).parent
        ):
            return f"{Path(frames[-1].filename).relative_to(folder.parent).as_posix()}:{frames[-1].lineno}"
    return ""


class RepositoryFailed(CompileGoldenError):
    """A clone of torch's repository that cannot be read, or lacks a commit."""
