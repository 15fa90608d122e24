"""Every error this package raises on purpose: one sentence on what happened, one on what to do next."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_compile_golden.lines import split_lines


class CompileGoldenError(Exception):
    """Base of all errors meant for the user. `str()` is the whole message; no traceback is needed to act on it."""

    def __init__(self, *args: object) -> None:
        super().__init__(*args)
        self._message = str(args[0]) if args else ""

    def __str__(self) -> str:
        # Not from args: torch's interpreters of graphs add to those of whatever passes through them.
        return self._message


class UnknownName(CompileGoldenError):
    """A case, stage, target or version that does not exist, or a choice that leaves nothing: the command is wrong."""


class UnknownSide(UnknownName):
    """Something to compare that nothing is known of."""


class UnknownTarget(UnknownName):
    """A target name that nobody registered."""


class TargetUnavailable(CompileGoldenError):
    """A target that exists but cannot be entered on this machine (no C++ compiler, no GPU for a native target, ...)."""


class UnknownConfig(CompileGoldenError):
    """A config key that the installed torch does not have."""


class InvalidOption(CompileGoldenError):
    """An argument of a capture that has the wrong type, does not exist, or contradicts another one."""


class AlreadyCompiled(CompileGoldenError):
    """A callable that was compiled for something other than Inductor, or in a way that cannot be taken over."""


class UnsupportedTorch(CompileGoldenError):
    """The installed torch (or Triton) is outside the supported range."""


class CaptureFailed(CompileGoldenError):
    """The function under test did not compile or did not run on the target."""


class DataDependentValue(CaptureFailed):
    """The program asked for a tensor's value, which a virtual GPU target cannot know."""


class UnsupportedTensor(CaptureFailed):
    """A tensor that a virtual GPU cannot have: sparse, nested, or of a Python subclass."""


class KernelFailed(CaptureFailed):
    """A Triton kernel of the user's that Triton does not compile."""


class WrongDevice(CaptureFailed):
    """The program was compiled for another device than the target's."""


class ExportFailed(CaptureFailed):
    """A program that torch.export refuses."""


class UnknownBackend(UnknownName):
    """A backend that torch.compile does not know."""


class NothingCompiled(CaptureFailed):
    """Zero compilations were captured."""


class StageUnavailable(CompileGoldenError):
    """A torch internal that a stage is observed through does not exist in the installed torch."""


class StageNotCaptured(CompileGoldenError, KeyError):
    """A stage that this compile does not have (a joint graph without training, C++ code on a GPU, ...)."""


class UnknownPass(UnknownName, StageNotCaptured):
    """A pass that did not run in this compile."""


class GoldenError(CompileGoldenError):
    """A golden file that is damaged, not ours, or in a place that we refuse to touch."""


class ProcessGroupExists(CompileGoldenError):
    """A fake process group was asked for where the process is in a group already."""


class NeedsNetwork(CompileGoldenError):
    """A program looks for other processes, where there are none, or a fake process group stands for them."""


class NeedsNativeTarget(CompileGoldenError):
    """Something that runs kernels was asked of a virtual target, where none are built and none interpreted."""

    @classmethod
    def on(cls, target: str) -> NeedsNativeTarget:
        """That nothing of what is compiled for `target` can be run."""
        return cls(
            f"{target} is virtual: none of its kernels are built here, nor are they interpreted. "
            "Take the target native-cpu, or an NVIDIA GPU, virtual or not."
        )


class NotInterpretable(CompileGoldenError):
    """A kernel or a library call of a virtual GPU's that cannot be run on the CPU."""


class WrongResult(CompileGoldenError):
    """Compiled code computes something other than eager, and float64 says that it is wrong."""


class EagerFailed(CompileGoldenError):
    """A program that cannot be compared with eager, because eager itself does not run it."""


class ReportError(CompileGoldenError):
    """A report that cannot be read, written or merged."""


class EnvironmentFailed(CompileGoldenError):
    """An environment for a torch version that could not be made: no such version, or an install that failed."""


class SideFailed(CompileGoldenError):
    """The suite could not be run on one torch at all."""


def chain(error: BaseException | None) -> Iterator[BaseException]:
    """An error and what is behind it, the innermost last, each once."""
    told: set[int] = set()
    while error is not None and id(error) not in told:
        told.add(id(error))
        yield error
        error = getattr(error, "inner_exception", None) or error.__cause__ or error.__context__


def innermost(error: BaseException) -> BaseException:
    """The error that `error` wraps and quotes, as torch's BackendCompilerFailed does; itself where there is none."""
    message, root = str(error), error
    for cause in chain(error):
        first = next(iter(split_lines(str(cause))), "")
        if first and first in message and type(cause).__name__ in message:
            root = cause
    return root


def reason_of(error: BaseException) -> str:
    """An error in words that begin with the reason: what it wraps before what torch wraps around it."""
    root, message = innermost(error), f"{type(error).__name__}: {error}"
    return message if root is error else f"{type(root).__name__}: {root}\n{message}"


class RepositoryFailed(CompileGoldenError):
    """A clone of torch's repository that cannot be read, or lacks a commit."""
