"""One search, from what the user named to the smallest program."""

from __future__ import annotations

import functools
import hashlib
import os
import re
import subprocess
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec
import platformdirs

from pytest_compile_golden.cli.console import say
from pytest_compile_golden.common.lines import split_lines
from pytest_compile_golden.errors import CompileGoldenError, UnknownName
from pytest_compile_golden.features.reduce import interestingness, reproducer
from pytest_compile_golden.features.reduce.interestingness import Keep, Question
from pytest_compile_golden.features.reduce.program_search import (
    ProgramSearch,
    SearchTimeOver,
    TriedBefore,
)
from pytest_compile_golden.features.reduce.reduce_protocol import (
    Extract,
    Extracted,
    Prepare,
    Show,
    TriedProgram,
)
from pytest_compile_golden.features.reduce.reduction_result import (
    CPUS,
    AloneRun,
    Reduced,
)
from pytest_compile_golden.features.reduce.small_program import SmallProgram
from pytest_compile_golden.features.reduce.torch_process import TorchProcess
from pytest_compile_golden.report.model import ReportedChange

_AFTERWARDS_S = 20.0
_ERROR = re.compile(r"[\w.]*(?:Error|Exception|Unsupported)\b")
"""How the last line of a traceback begins."""
_CPU, _REAL_CPU = "cpu-avx2", "native-cpu"
_TRIVIAL = SmallProgram(
    inputs=(("x", "torch.randn(2, 8)"),), body=("y = x.sin()",), results=("y",)
)
"""What differs between two versions for this program differs for any."""


def extracted(
    side: TorchProcess,
    what: str,
    target: str | None,
    seconds: int = 300,
    values: bool = False,
) -> tuple[Extracted, ...]:
    """What a version compiles of what the user named. Raises CompileGoldenError if that is nothing."""
    request = Extract(what, target, str(Path.cwd()), seconds, values=values)
    answer = side.ask(request)
    if answer.error and "::" in what:
        answer = side.ask(msgspec.structs.replace(request, suite=True))
    if answer.error:
        raise CompileGoldenError(f"{side.label}: {answer.error}")
    return answer.extracted


@dataclass(frozen=True)
class Reduction:
    """One search, from what the user named to the smallest program."""

    sides: Sequence[TorchProcess]
    what: str
    keep: Keep
    target: str | None
    until: float
    timeout: int
    processes: int
    others: tuple[Path, ...] = ()
    """Interpreters with versions between these, in which only the script is run in the end."""
    check: bool = True
    """Whether to run the script in a process of its own in each version."""

    def run(self) -> Reduced:
        """Raises CompileGoldenError if what is to be kept is not there, or no program can be written that shows it."""
        began, processor_s = time.monotonic(), self._processor_s()
        say(f"compiling {self.what}")
        with ThreadPoolExecutor(len(self.sides)) as pool:
            values = self.keep.kind == "wrong"
            compiles = list(
                pool.map(
                    lambda side: extracted(
                        side, self.what, self.target, self._left(300), values
                    ),
                    self.sides,
                )
            )
        failed: list[str] = []
        matched: list[str] = []
        for number, question, change in self._questions(compiles):
            compiled = compiles[-1][number]
            # On a virtual CPU nothing runs.
            target = (
                _REAL_CPU
                if values and compiled.target.startswith("cpu")
                else compiled.target
            )
            for side in self.sides:
                side.ask(Prepare(target))
            named = hashlib.sha256(self.what.encode()).hexdigest()[:16]
            search = ProgramSearch(
                self.sides,
                question,
                target,
                compiled.stages,
                TriedBefore(
                    platformdirs.user_cache_path("pytest-compile-golden")
                    / "reduced"
                    / named
                ),
                # What comes after the search takes some time, too.
                until=self.until - min(_AFTERWARDS_S, (self.until - began) / 4),
                at_once=max(1, self.processes // len(self.sides)),
                seconds=self.timeout,
                say=say,
            )
            candidates = [*compiled.programs, *compiles[0][number].programs[:-1]]
            try:
                first = next(
                    (program for program in candidates if search.holds(program)), None
                )
                if first is not None and isinstance(question, interestingness.Wrong):
                    question = replace(
                        question, kind=search.tried(first.text)[-1].wrong
                    )
                    search.question = question
            except SearchTimeOver:
                raise CompileGoldenError(
                    "the time was over before any program was tried. Give --within more."
                ) from None
            if first is None:
                for text in candidates:
                    tried = self._tried(search, text)
                    failed += [one.error for one in tried if one.error]
                    if question.matches and not any(one.error for one in tried):
                        counts = " -> ".join(str(one.matches) for one in tried)
                        matched.append(f"{question.matches} matches {counts}")
                continue
            program, finished = search.reduced(first)
            search = self._on_cpu(search, program)
            tried = self._tried(search, program)
            found = Reduced(
                program,
                search.target,
                search.question,
                change,
                finished,
                search.tries,
                first,
                self.what,
                sign=self._sign(program, search.target, change, tried),
                tried=tried,
                versions=tuple(_versions(side.python)[0] for side in self.sides),
                others=self._keys(
                    [one[number].tried for one in compiles], compiled.target
                )
                - self._keys(tried, search.target),
            )
            found = replace(
                found, alone=self._alone(found), seconds=time.monotonic() - began
            )
            return replace(found, processor_s=self._processor_s() - processor_s)
        refused = [text for compiled in compiles[-1] for text in compiled.refused]
        why = (
            f" What could not be written as a program: {'; '.join(dict.fromkeys(refused))}."
            if refused
            else ""
        )
        why += (
            f" What was written fails with: {'; '.join(dict.fromkeys(failed))}."
            if failed
            else ""
        )
        why += (
            f" In what was written, {'; '.join(dict.fromkeys(matched))}."
            if matched
            else ""
        )
        raise CompileGoldenError(
            f"no program made from {self.what} shows it by itself.{why}"
        )

    def _on_cpu(self, search: ProgramSearch, program: SmallProgram) -> ProgramSearch:
        """The search for a CPU, if the program shows it there, too: then anybody can run the script."""
        if search.target.startswith(CPUS) or self._left(self.timeout) <= 1:
            return search
        question = search.question
        target = _REAL_CPU if question.values else _CPU
        if isinstance(question, interestingness.KeptChange):
            question = replace(question, target=target)
        for side in self.sides:
            side.ask(Prepare(target))
        there = replace(search, target=target, question=question)
        try:
            return there if there.holds(program) else search
        except SearchTimeOver:
            return search

    def _questions(
        self, compiles: list[tuple[Extracted, ...]]
    ) -> list[tuple[int, Question, ReportedChange | None]]:
        """What to keep, with the number of the compile that shows it: the likeliest first."""
        kind, detail = self.keep.kind, self.keep.detail
        pairs = list(enumerate(zip(*compiles, strict=False)))
        if kind == "failure":
            failed = [
                (number, several[-1])
                for number, several in pairs
                if several[-1].tried.error
            ]
            if not failed:
                raise CompileGoldenError(f"{self.what} does not fail.")
            number, last = failed[0]
            return [
                (
                    number,
                    interestingness.KeptFailure(
                        last.tried.error, last.tried.raised_in, sides=len(self.sides)
                    ),
                    None,
                )
            ]
        if kind == "wrong":
            return [
                (number, interestingness.Wrong("", sides=len(self.sides)), None)
                for number, _ in pairs
            ]
        if kind == "match":
            return [
                (number, interestingness.LostMatch(detail), None) for number, _ in pairs
            ]
        if kind == "metric":
            return [(number, interestingness.Rise(detail), None) for number, _ in pairs]
        labels = (self.sides[0].label, self.sides[-1].label)
        found: list[tuple[int, Question, ReportedChange | None]] = []
        known: list[str] = []
        for number, several in pairs:
            report = interestingness.compared(
                [one.tried for one in several], labels, several[-1].target
            )
            own = {change.key for change in report.changes}
            its = interestingness.changes(report)
            known += map(interestingness.described, its)
            for change in interestingness.chosen(its, self.keep):
                question = interestingness.KeptChange(
                    change.key, labels, several[-1].target, change.key in own
                )
                found.append((number, question, change))
        if not found:
            between = f"between {labels[0]} and {labels[1]}"
            if known:
                what = detail if self.keep.group is None else self.keep.group.text
                raise UnknownName(
                    f"{self.what} has no change {what!r} {between}. It has:\n"
                    + "\n".join(known)
                )
            raise CompileGoldenError(f"{self.what} is compiled the same {between}.")
        return found

    def _keys(self, tried: Sequence[TriedProgram], target: str) -> frozenset[str]:
        """The keys of what changed between both versions; empty for a single one, or if one of them fails."""
        if len(tried) != 2 or any(one.error for one in tried):
            return frozenset()
        report = interestingness.compared(
            tried, (self.sides[0].label, self.sides[-1].label), target
        )
        return frozenset(change.key for change in interestingness.changes(report))

    def _processor_s(self) -> float:
        """What this process, those that it has ended and the requests of both sides took so far."""
        return sum(os.times()[:4]) + sum(side.processor_s for side in self.sides)

    def _sign(
        self,
        program: SmallProgram,
        target: str,
        change: ReportedChange | None,
        tried: Sequence[TriedProgram],
    ) -> reproducer.Sign | None:
        """What a script that needs nothing but torch can print of it."""
        if len(self.sides) < 2 or self.keep.sides < 2 or self._left(self.timeout) <= 1:
            return None
        stage, names = ("", ()) if change is None else (change.stage, change.names)
        if change is not None:
            names = (*names, *reproducer.identifiers(change.text))
        if program.own is not None and (self.keep.kind == "match" or stage == "passes"):
            for view in (reproducer.MATCHES, reproducer.ALL_MATCHES):
                printed = self._printed(program, target, view)
                # A pass may print, too.
                counts = (
                    []
                    if printed is None
                    else [split_lines(one.strip())[-1] for one in printed]
                )
                if len(set(counts)) == 2:
                    return reproducer.Sign(view, "", *counts)
        near: set[str] = set()
        if change is not None:
            texts = [
                next(
                    (
                        artifact.text
                        for artifact in one.artifacts
                        if artifact.stage == stage
                    ),
                    "",
                )
                for one in tried
            ]
            near = reproducer.differing(*texts) if len(texts) == 2 else near
        for view in reproducer.views(program, stage):
            printed = self._printed(program, target, view)
            if printed is not None and printed[0] != printed[1]:
                other = self._printed(
                    msgspec.structs.replace(
                        _TRIVIAL, options=program.options, own=program.own
                    ),
                    target,
                    view,
                )
                noise = set() if other is None else reproducer.noise(*other)
                found = reproducer.sign(view, *printed, names, noise, near)
                if found is not None:
                    return found
        return None

    def _printed(
        self, program: SmallProgram, target: str, view: str
    ) -> tuple[str, str] | None:
        """What a script with this program prints in the first and the last version; None if it fails in one."""
        text = reproducer.whole(program, target, view)
        request = Show(text, target, self._left(self.timeout))
        with ThreadPoolExecutor(2) as pool:
            old, new = pool.map(
                lambda side: side.ask(request), (self.sides[0], self.sides[-1])
            )
        return None if old.error or new.error else (old.printed, new.printed)

    def _tried(
        self, search: ProgramSearch, program: SmallProgram
    ) -> tuple[TriedProgram, ...]:
        if self._left(self.timeout) <= 1:
            return ()
        try:
            return tuple(replace(search, until=self.until).tried(program.text))
        except SearchTimeOver:
            return ()

    def _left(self, most: int) -> int:
        """The seconds that something may take: `most`, or what is left."""
        return max(1, int(min(float(most), self.until - time.monotonic())))

    def _alone(self, found: Reduced) -> tuple[AloneRun, ...]:
        """What the script does in each version: on a CPU with nothing but torch, for a GPU on a virtual one."""
        pythons = [
            self.sides[0].python,
            *self.others,
            *(side.python for side in self.sides[1:]),
        ]
        if not self.check or self._left(self.timeout) <= 1:
            return ()
        with (
            tempfile.TemporaryDirectory(prefix="compile-golden-") as folder,
            ThreadPoolExecutor() as pool,
        ):
            script = Path(folder, "reduced.py")
            script.write_text(found.script, encoding="utf-8")
            seconds = self._left(10 * self.timeout)
            values = isinstance(found.question, interestingness.Wrong)
            own = found.program.own is not None and bool(found.program.own.modules)
            runs = pool.map(
                lambda python: _run_alone(
                    python, script, found.target, seconds, values, own
                ),
                pythons,
            )
            return tuple(runs)


def _run_alone(
    python: Path, script: Path, target: str, seconds: int, values: bool, own: bool
) -> AloneRun:
    """own: whether it imports modules of the user's, as the search did."""
    on_cpu = target.startswith(CPUS)
    computing = ("pytest_compile_golden", "run", "--gpu", target, "--values", "kernels")
    on_gpu = (
        "-m",
        *(
            computing
            if values
            else ("pytest_compile_golden.features.reduce.run_on_virtual_gpu", target)
        ),
    )
    torch, others = _versions(python)
    environment = {**os.environ}
    if own:
        path = (str(Path.cwd()), environment.get("PYTHONPATH"))
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, path))
    elif on_cpu:
        environment.pop("PYTHONPATH", None)
    command: list[str | Path] = [python, *(() if on_cpu else on_gpu), script]
    run = functools.partial(
        subprocess.run,
        command,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=seconds,
    )
    try:
        # Most of the time goes to processes in which torch tries the instruction sets that the processor names, one by
        # one (torch/_inductor/cpu_vec_isa.py); what they decide is only needed where values count, or if one fails.
        ran = run(
            env=environment
            if values
            else {**environment, "TORCHINDUCTOR_VEC_ISA_OK": "1"}
        )
        if ran.returncode and on_cpu and not values:
            ran = run(env=environment)
    except subprocess.TimeoutExpired:
        return AloneRun(torch, "it takes too long", True, others)
    printed = split_lines(
        (ran.stderr if ran.returncode else ran.stdout).strip() or "nothing"
    )
    raised = [line for line in printed if _ERROR.match(line)] if ran.returncode else []
    last = (raised or printed)[-1]
    if ran.returncode and values:
        # What eager and compiled code return.
        last = " ".join([last, *ran.stdout.split()])
    return AloneRun(torch, last, ran.returncode != 0, others)


_VERSIONS = """
import platform
from importlib.metadata import PackageNotFoundError, version

print(version("torch"))
print("Python", platform.python_version(), end="")
try:
    print(", Triton", version("triton"))
except PackageNotFoundError:
    pass
"""


@functools.cache
def _versions(python: Path) -> tuple[str, str]:
    """The version of torch of an interpreter, and the versions of Python and Triton in words."""
    ran = subprocess.run(
        [python, "-c", _VERSIONS], capture_output=True, text=True, check=False
    )
    torch, _, others = ran.stdout.strip().partition("\n")
    return torch or str(python), others
