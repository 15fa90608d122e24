"""Judges a case with `numerics` repeatedly, each time in a separate process."""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import re
import signal
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any, Literal

from pytest_compile_golden.api import numerics, watching
from pytest_compile_golden.api.run_cases import run_case
from pytest_compile_golden.cli import compile_program
from pytest_compile_golden.common.constants import DEFAULT_TARGET, SWITCH
from pytest_compile_golden.common.installed_torch import torch_version
from pytest_compile_golden.errors import (
    CaptureFailed,
    CompileGoldenError,
    EagerFailed,
    InvalidOption,
    NeedsNativeTarget,
    NotInterpretable,
    UnknownConfig,
    UnsupportedTorch,
)
from pytest_compile_golden.features.numerics.numerics_tool import Wrapper, wrapped_by
from pytest_compile_golden.features.warm.warm_server import import_pytest

if TYPE_CHECKING:
    from pytest_compile_golden.facts.numerics import Numerics
    from pytest_compile_golden.features.eject.eject_script import Ejected, EjectProbe

_UNJUDGED = (
    EagerFailed,
    InvalidOption,
    NeedsNativeTarget,
    NotInterpretable,
    UnknownConfig,
)

# At the end of a session this plugin collects garbage five times, which takes longer than a small compile.
_BRIEF = ("-p", "no:unraisableexception")
_PATIENCE = 5.0
"""Seconds that a process is given to end."""

Kind = Literal["right", "wrong", "failed", "uncompiled", "died", "unjudged"]


@dataclass(frozen=True)
class Verdict:
    """The outcome of one trial."""

    kind: Kind
    """`failed`: does not compile or run; `uncompiled`: what a test captures does not compile, so nothing is judged,
    and no part of the compiler can be turned off there; `died`: ended its process; `unjudged`: cannot be compared with
    eager here."""
    text: str
    place: int = 0
    """The index of the case's check that it is about: the first that is not right."""
    code: str = ""
    """A digest of the generated code."""
    target: str = ""

    @property
    def bad(self) -> bool:
        """Whether what was tried has a bug: a wrong value, or code that fails, does not compile or ends its process."""
        return self.kind in ("wrong", "failed", "uncompiled", "died")


@dataclass(frozen=True)
class Trials:
    """Trials of one case on one target, each in a fork of this process that imports the user's files afresh.

    This process has compiled something but run nothing: its forks need not import anything else or build torch's
    pattern tables, and lack none of OpenMP's threads.
    """

    case: str
    target: str | None
    seconds: float
    """The time limit of one trial."""

    def __post_init__(self) -> None:
        # A misspelt name is reported before torch is imported.
        compile_program.parsed(self.case)
        from pytest_compile_golden.targets import get_target, target_names

        named = self.target or self.case.rpartition("[")[2].removesuffix("]")
        target = get_target(named if named in target_names() else DEFAULT_TARGET)
        if target.virtual and not target.interpretable:
            raise NeedsNativeTarget.on(target.name)
        try:
            from pytest_compile_golden.features.numerics import (  # noqa: F401
                differential_testing,
                torch_bisector,
            )

            if target.virtual:
                from pytest_compile_golden.features.numerics.interpreter import (
                    blame_kernel,  # noqa: F401
                )
        except ImportError as error:
            raise UnsupportedTorch(
                f"torch {torch_version()} lacks what `bisect --numerics` relies on ({error}). "
                "Run it with another torch version, or report this version to pytest-compile-golden."
            ) from None
        from pytest_compile_golden.observe.record_compile import prepare

        import_pytest(*_BRIEF)
        prepare(target.name if target.virtual else "cpu-avx2")

    def verdict(
        self, settings: Mapping[str, Any], *, bisected: int | None = None
    ) -> Verdict:
        """The verdict with these Inductor settings; with `bisected`, on that check only, with torch's bisector active.

        Raises CompileGoldenError if the case has nothing to judge.
        """
        try:
            verdict: Verdict = self._forked(
                lambda: _verdict(self.case, self.target, settings, bisected)
            )
        except _TrialEnded as ended:
            return ended.verdict
        return verdict

    def ejected(self, probe: EjectProbe, check_index: int) -> list[Ejected]:
        """What the probe saw in a capture of the case's check number `check_index`; empty if that ended the process."""
        try:
            scripts: list[Ejected] = self._forked(
                lambda: _ejected(self.case, self.target, probe, check_index)
            )
        except _TrialEnded:
            return []
        return scripts

    def _forked(self, work: Callable[[], Any]) -> Any:
        fork = multiprocessing.get_context("fork")
        receiver, sender = fork.Pipe(duplex=False)
        process = fork.Process(target=_answer, args=(work, sender))
        process.start()
        sender.close()
        try:
            if not receiver.poll(self.seconds):
                raise _TrialEnded(
                    Verdict(
                        "unjudged",
                        f"it took longer than {self.seconds:g} s (--timeout)",
                    )
                )
            answer = receiver.recv()
        except EOFError:
            process.join()
            raise _TrialEnded(
                Verdict("died", f"the process {_end(process.exitcode)}")
            ) from None
        finally:
            # It removes its own temporary files if it gets the chance.
            if process.is_alive() and process.pid is not None:
                os.kill(process.pid, signal.SIGINT)
                process.join(_PATIENCE)
            process.kill()
            process.join()
        if isinstance(answer, CompileGoldenError):
            raise answer
        return answer


class _TrialEnded(Exception):
    """There is no answer; the verdict says why."""

    def __init__(self, verdict: Verdict) -> None:
        super().__init__(verdict)
        self.verdict = verdict


def _answer(work: Callable[[], Any], sender: Connection) -> None:
    silent = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silent, 1)
    os.dup2(silent, 2)
    try:
        answer = work()
    except CompileGoldenError as error:
        answer = error
    except Exception as error:
        # The user's file may raise anything while it is imported.
        answer = CompileGoldenError(
            f"it cannot be run: {type(error).__name__}: {error}"
        )
    sender.send(answer)


def _end(status: int | None) -> str:
    if status is not None and status < 0:
        return f"was killed by {signal.Signals(-status).name}"
    return f"ended with status {status}"


def _verdict(
    case: str, target: str | None, settings: Mapping[str, Any], bisected: int | None
) -> Verdict:
    from pytest_compile_golden.features.numerics import torch_bisector
    from pytest_compile_golden.observe.config_patches import patched
    from pytest_compile_golden.targets import active_target
    from pytest_compile_golden.targets.patching import Patches
    from pytest_compile_golden.torch_internals import device

    codes: list[str] = []

    def save_output_code(code: str) -> None:
        # Some lines only repeat settings.
        codes.append(
            re.sub(
                r"^ *(#.*|inductor_meta=.*|.*_inductor_config.*)\n",
                "",
                code,
                flags=re.M,
            )
        )

    verdicts: list[Verdict] = []
    with ExitStack() as stack:
        resumed = stack.enter_context(torch_bisector.suspended())

        def judge(check: Callable[[], Numerics], _: object) -> Numerics:
            check_index, target = len(verdicts), active_target()
            assert target is not None
            bisecting: AbstractContextManager[None] = (
                resumed() if check_index == bisected else nullcontext()
            )
            try:
                with bisecting:
                    numerics = check()
            except Exception as error:
                kind: Kind = "unjudged" if isinstance(error, _UNJUDGED) else "failed"
                verdicts.append(
                    Verdict(kind, str(error), check_index, target=target.name)
                )
                raise
            verdicts.append(
                Verdict(
                    "right" if numerics else "wrong",
                    str(numerics),
                    check_index,
                    target=target.name,
                )
            )
            return numerics

        stack.enter_context(patched(settings))
        stack.enter_context(Patches()).replace(
            *device.SAVE_OUTPUT_CODE.resolve(), save_output_code
        )
        try:
            _judge(case, target, judge)
        except Exception as error:
            if not verdicts:
                if not isinstance(error, CaptureFailed):
                    raise
                verdicts.append(Verdict("uncompiled", str(error)))
    if bisected is not None:
        chosen = verdicts[min(bisected, len(verdicts) - 1)]
    else:
        chosen = next(
            (verdict for verdict in verdicts if verdict.kind != "right"), verdicts[0]
        )
    code = hashlib.sha256("\0".join(codes).encode()).hexdigest()[:16]
    return replace(chosen, code=code)


def _ejected(
    case: str, target: str | None, probe: EjectProbe, wanted: int
) -> list[Ejected]:
    from pytest_compile_golden.api.captured import Capture
    from pytest_compile_golden.observe.probe import registered

    check_index = -1

    def judge(
        check: Callable[[], Numerics], captured: Callable[[], Capture]
    ) -> Numerics:
        nonlocal check_index
        check_index += 1
        if check_index == wanted:
            with registered(probe):
                captured()
        return check()

    _judge(case, target, judge)
    return probe.candidates


def _judge(case: str, target: str | None, by: Wrapper) -> None:
    """Have `by` make the checks of a case: of what a test checks or captures, or of what a function returns.

    Inputs are drawn from the same seed each time. Raises CompileGoldenError if there is nothing to check, and
    CaptureFailed if a test's capture does.
    """
    file, function = compile_program.parsed(case)
    if function is not None:
        from pytest_compile_golden.features.virtual_gpu.gpu import computing
        from pytest_compile_golden.observe.compile_isolation import seeded
        from pytest_compile_golden.targets import get_target

        with (
            wrapped_by(by),
            computing(get_target(target or DEFAULT_TARGET)).active(),
            seeded(0),
        ):
            compile_program.of_function(file, function, lambda: None, numerics)
        return
    asked = []

    def noted(*check: Any) -> Any:
        asked.append(check)
        return by(*check)

    with wrapped_by(noted), watching() as captures:
        options = (f"{SWITCH}-numerics", "-o", "compile_golden_timeout=", *_BRIEF)
        ran = run_case(case, target, lambda: None, *options)
    if isinstance(ran.error, CaptureFailed):
        raise ran.error
    if not asked and captures:
        raise NeedsNativeTarget.on(captures[0].target)
    if not asked:
        raise compile_program.nothing_compiled(case, target, ran)
