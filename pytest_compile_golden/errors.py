"""Every error this package raises on purpose: one sentence on what happened, one on what to do next."""


class CompileGoldenError(Exception):
    """Base of all errors meant for the user. `str()` is the whole message; no traceback is needed to act on it."""

    def __init__(self, *args: object) -> None:
        super().__init__(*args)
        self._message = str(args[0]) if args else ""

    def __str__(self) -> str:
        # Not from args: torch's interpreters of graphs add to those of whatever passes through them.
        return self._message


class UnknownTarget(CompileGoldenError):
    """A target name that nobody registered."""


class TargetUnavailable(CompileGoldenError):
    """A target that exists but cannot be entered on this machine (no C++ compiler, no GPU for a native target, ...)."""


class UnknownConfig(CompileGoldenError):
    """A config key that the installed torch does not have."""


class InvalidOption(CompileGoldenError):
    """An argument of a capture that has the wrong type, does not exist, or contradicts another one."""


class AlreadyCompiled(CompileGoldenError):
    """A callable that was compiled for something else than Inductor, or in a way that cannot be taken over."""


class UnsupportedTorch(CompileGoldenError):
    """The installed torch (or Triton) is outside the supported range."""


class CaptureFailed(CompileGoldenError):
    """The function under test did not compile or did not run on the target."""


class DataDependentValue(CaptureFailed):
    """The program asked for a tensor's value, which a virtual GPU target cannot know."""


class UnsupportedTensor(CaptureFailed):
    """A tensor that cannot be had on a virtual GPU: sparse, nested, or of a Python class of its own."""


class KernelFailed(CaptureFailed):
    """A Triton kernel of the user's that Triton does not compile."""


class WrongDevice(CaptureFailed):
    """The program was compiled for another device than the target's."""


class NothingCompiled(CaptureFailed):
    """Zero compilations were captured."""


class StageUnavailable(CompileGoldenError):
    """A torch internal that a stage is observed through does not exist in the installed torch."""


class StageNotCaptured(CompileGoldenError, KeyError):
    """A stage that this compile does not have (a joint graph without training, C++ code on a GPU, ...)."""


class GoldenError(CompileGoldenError):
    """A golden file that is damaged, not ours, or in a place that we refuse to touch."""


class NeedsNativeTarget(CompileGoldenError):
    """Something that runs kernels was asked of a virtual target, where none are built."""


class WrongResult(CompileGoldenError):
    """Compiled code computes something else than eager, and float64 says that it is wrong."""


class EagerFailed(CompileGoldenError):
    """A program that cannot be compared with eager, because eager itself does not run it."""


class ReportError(CompileGoldenError):
    """A report that cannot be read, written or merged."""


class EnvironmentFailed(CompileGoldenError):
    """An environment for a torch version that could not be made: no such version, or an install that failed."""


class SideFailed(CompileGoldenError):
    """The suite could not be run on one torch at all."""
