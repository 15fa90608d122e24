"""`compile-golden reduce WHAT`: the smallest program that still shows it; and `case SCRIPT`, which makes it a case."""

from __future__ import annotations

import ast
import hashlib
import math
import os
import re
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import click
import platformdirs

from pytest_compile_golden.cli import completing, options, running
from pytest_compile_golden.cli.console import console, say, show
from pytest_compile_golden.errors import CompileGoldenError, UnknownName
from pytest_compile_golden.goldens import files
from pytest_compile_golden.report.lines import Line, printable
from pytest_compile_golden.report.model import DistinctChange
from pytest_compile_golden.stages import get_stage
from pytest_compile_golden.wings.reduce import question as questions
from pytest_compile_golden.wings.reduce import script as scripts
from pytest_compile_golden.wings.reduce.messages import Extract, Extracted, Prepare, Show, Tried
from pytest_compile_golden.wings.reduce.program import Program
from pytest_compile_golden.wings.reduce.question import Question
from pytest_compile_golden.wings.reduce.search import Memory, Search
from pytest_compile_golden.wings.reduce.side import Side

_KINDS = "change, change:TEXT, failure, wrong, match:PASS, metric:NAME"


@click.command(short_help="Make a program smaller while it still shows a difference.")
@click.argument("what", metavar="WHAT", shell_complete=completing.programs)
@click.option(
    "--keep",
    default="change",
    show_default=True,
    metavar="KIND",
    help=f"What the program must still show: {_KINDS}. TEXT is part of a change's code, stage or description.",
)
@click.option(
    "--torch",
    "torches",
    multiple=True,
    metavar="SIDE",
    help="A torch version, or an interpreter that has one; the older first. For `failure` and `wrong`, one is enough "
    "(default: the torch that is installed here).",
)
@options.target
@click.option("--into", type=options.FOLDER, default=Path("reduced"), show_default=True, help="Where to write files.")
@click.option("--name", metavar="NAME", help="What to call them (default: after WHAT).")
@click.option("--within", type=float, default=math.inf, metavar="SECONDS", help="End the search after SECONDS.")
@click.option("--timeout", type=int, default=60, show_default=True, help="Seconds allowed for one compile.")
@click.option("-n", "--processes", type=click.IntRange(1), help="Programs compiled at once.  [default: one per core]")
@options.environment
def reduce(
    what: str,
    keep: str,
    torches: tuple[str, ...],
    target: str | None,
    into: Path,
    name: str | None,
    within: float,
    timeout: int,
    processes: int | None,
    pip: str,
    python: Path | None,
) -> None:
    """Compile smaller and smaller programs made of WHAT, as long as they still show what --keep names.

    WHAT is a case, FILE::FUNCTION, a script that calls torch.compile, or SOURCE::PROGRAM, a program of a corpus that
    `crater` reads. Written are a script that prints the difference and needs nothing but torch, the same as a case,
    and the text of an issue. A search that was ended goes on from there if the command is repeated.

    Exits with 0 if the search came to its end, and with 1 if its time was over first.
    """
    until = time.monotonic() + within
    pythons = {text: running.interpreter(text, pip, python, say) for text in torches}
    pythons = pythons or {"this torch": Path(sys.executable)}
    with ExitStack() as stack:
        sides = [stack.enter_context(Side(label, its)) for label, its in pythons.items()]
        found = Reduction(sides, what, keep, target, until, timeout, processes or os.cpu_count() or 1).run()
    written = found.write(into, name or _name(what))
    show(console(), [*found.lines(), *(("", printable(f"wrote {path}")) for path in written)])
    sys.exit(0 if found.finished else 1)


@click.command(short_help="Write a script that calls torch.compile as a case.")
@click.argument("script", type=options.EXISTING_FILE)
@options.target
@click.option("--into", type=options.FILE, help="The test file (default: test_NAME.py beside the script).")
@click.option("--name", metavar="NAME", help="The test's name, without test_ (default: the script's).")
@click.option("--invariant", metavar="EXPRESSION", default="", help="What to assert of `captured`.")
def case(script: Path, target: str | None, into: Path | None, name: str | None, invariant: str) -> None:
    """Write the program that SCRIPT compiles as a case of the suite: its function, its inputs and its options.

    Of a script that `reduce` wrote, the target and the invariant are those that it was reduced with.
    """
    text = script.read_text(encoding="utf-8")
    noted = dict(re.findall(r"^# (target|invariant): (.*)$", text, re.M))
    target = target or noted.get("target")
    with Side("this torch", Path(sys.executable)) as side:
        first = _extracted(side, str(script), target)[0]
    program = next(iter(first.programs[::-1]), None)  # as it was written, if that is possible
    if program is None:
        raise CompileGoldenError(f"{script} cannot be written as a case: {'; '.join(first.refused)}.")
    name = name or re.sub(r"\W", "_", script.stem).removeprefix("test_")
    about = (ast.get_docstring(ast.parse(text)) or f"What {script.name} compiles.").split("\n")[0]
    written = scripts.case(program, first.target, name, about, invariant or noted.get("invariant", ""))
    path = into or script.with_name(f"test_{name}.py")
    if path.exists():
        written = _appended(path, written, name)
    files.write(path, written, "test file")
    show(console(), [("", printable(f"wrote test_{name} to {path}; record its goldens with --snapshot-update"))])


def _appended(path: Path, written: str, name: str) -> str:
    """A test file with one more case at its end. Raises CompileGoldenError if it has one of that name."""
    before = path.read_text(encoding="utf-8")
    if re.search(rf"^def test_{name}\(", before, re.M):
        raise CompileGoldenError(f"{path} has a test_{name} already. Give another --name, or another file.")
    imports, separator, test = written.partition("\n\n\n")
    missing = [line for line in imports.split("\n") if line not in before.split("\n")]
    head = "".join(f"{line}\n" for line in missing)
    return f"{head}{before.rstrip()}\n{separator}{test}"


def _name(what: str) -> str:
    return (
        re.sub(r"\W+", "_", what.rpartition("::")[2].partition("[")[0] or Path(what).stem)
        .strip("_")
        .removeprefix("test_")
    )


def _extracted(side: Side, what: str, target: str | None, seconds: int = 300) -> tuple[Extracted, ...]:
    answer = side.ask(Extract(what, target, str(Path.cwd()), seconds))
    if answer.error:
        raise CompileGoldenError(f"{side.label}: {answer.error}")
    return answer.extracted


@dataclass(frozen=True)
class Reduced:
    """What was found."""

    program: Program
    target: str
    question: Question
    change: DistinctChange | None
    finished: bool
    tries: int
    seconds: float
    began: Program
    sign: scripts.Sign | None
    versions: tuple[str, ...]
    tried: tuple[Tried, ...]
    what: str

    @property
    def about(self) -> str:
        """What the program shows, in one line."""
        if self.change is not None:
            return self.change.text
        if isinstance(self.question, questions.Failure):
            return self.question.error
        if isinstance(self.question, questions.Wrong):
            return f"compiled code computes something else than eager: {self.question.kind}"
        if isinstance(self.question, questions.Rise):
            values = [questions.number(one, self.question.metric) for one in self.tried]
            return f"{self.question.metric}: {values[0]:g} -> {values[-1]:g}"
        return f"{self.question.matches} matches less often: {self.tried[0].matches} -> {self.tried[-1].matches}"

    def lines(self) -> list[Line]:
        size = f"{self.program.lines} lines, {self.program.operators} operators"
        began = f"{self.began.lines} lines, {self.began.operators} operators"
        ended = "" if self.finished else "; not finished in the time: the same command goes on from there"
        text = [("title", printable(self.about)), ("", f"{size}; it began with {began}")]
        text.append(("dim", f"{self.tries} programs tried in {self.seconds:.0f} s{ended}"))
        return [*text, *(("", printable(f"  {line}")) for line in self.program.function.split("\n"))]

    @property
    def script(self) -> str:
        """A script that needs nothing but torch."""
        noted = f"# target: {self.target}\n" + (f"# invariant: {self.invariant}\n" if self.invariant else "")
        if self.sign is None:
            view = scripts.views(self.change.stage if self.change is not None else "")[0]
            return scripts.whole(self.program, self.target, view).rstrip() + f"  # {self.about[:80]}\n" + noted
        said = " ".join(
            f"torch {version} prints {value},"
            for version, value in zip(self.versions, (self.sign.before, self.sign.after), strict=False)
        )
        return scripts.script(self.program, self.target, self.sign, f"{self.about}: {said.rstrip(',')}") + noted

    @property
    def invariant(self) -> str:
        """What held in the older version, and does not in the newer one."""
        if isinstance(self.question, questions.LostMatch):
            return f"captured.matches({self.question.matches!r}) == {self.tried[0].matches}"
        if isinstance(self.question, questions.Rise):
            return (
                f"captured.metrics.{self.question.metric} <= {questions.number(self.tried[0], self.question.metric):g}"
            )
        if self.change is None or len(self.tried) != 2:
            return ""
        stage = self.change.stage
        texts = [{artifact.stage: artifact.text for artifact in one.artifacts} for one in self.tried]
        for name in dict.fromkeys((stage, *texts[0])):
            before, after = (text.get(name, "") for text in texts)
            if name != "trail" and before and after and before != after:
                found = scripts.sign("", before, after, self.change.names)
                if found is not None:
                    word = found.pattern
                    return f"captured[{name!r}].text.count({word!r}) == {found.before}"
        return ""

    def markdown(self, rows: Sequence[tuple[str, str]]) -> str:
        """The text of an issue."""
        stage = "" if self.change is None else f"first in `{self.change.stage}`"
        where = [stage] if stage else []
        if self.change is not None and self.change.where:
            where.append(f"at `{self.change.where}`")
        table = "".join(f"| {version} | {printed.replace(chr(10), ' ')[:200]} |\n" for version, printed in rows)
        return (
            f"# {self.about}\n\n"
            f"```python\n{self.script}```\n\n"
            f"| torch | the script prints |\n|---|---|\n{table}\n"
            + (f"It shows {', '.join(where)}.\n\n" if where else "")
            + f"Compiled for `{self.target}`. Reduced from `{self.what}` "
            f"({self.began.lines} lines, {self.began.operators} operators) by compile-golden.\n"
        )

    def write(self, into: Path, name: str) -> list[Path]:
        """Write the script, the case and the text of an issue."""
        invariant = self.invariant
        rows = [(version, printed) for version, printed in zip(self.versions, self.printed, strict=False)]
        texts = {
            f"{name}.py": self.script,
            f"test_{name}.py": scripts.case(self.program, self.target, name, self.about, invariant),
            f"{name}.md": self.markdown(rows),
        }
        for file, text in texts.items():
            files.write(into / file, text, "reduced program")
        return [into / file for file in texts]

    @property
    def printed(self) -> tuple[str, ...]:
        return ("", "") if self.sign is None else (self.sign.before, self.sign.after)


@dataclass(frozen=True)
class Reduction:
    """One search, from what the user named to the smallest program."""

    sides: Sequence[Side]
    what: str
    keep: str
    target: str | None
    until: float
    timeout: int
    processes: int

    def run(self) -> Reduced:
        """Raises CompileGoldenError if what is to be kept is not there, or no program can be written that shows it."""
        began = time.monotonic()
        kind, _, detail = self.keep.partition(":")
        needed = 1 if kind in ("failure", "wrong") else 2
        if len(self.sides) < needed or kind not in ("change", "failure", "wrong", "match", "metric"):
            raise click.UsageError(
                f"--keep {self.keep} needs {needed} versions: give --torch {'twice' if needed == 2 else 'once'}."
                if kind in ("change", "match", "metric")
                else f"--keep takes {_KINDS}."
            )
        say(f"compiling {self.what}")
        extracted = [_extracted(side, self.what, self.target) for side in self.sides]
        for number, question, change in self._questions(kind, detail, extracted):
            compiled = extracted[-1][number]
            for side in self.sides:
                side.ask(Prepare(compiled.target))
            search = Search(
                self.sides,
                question,
                compiled.target,
                compiled.stages,
                Memory(platformdirs.user_cache_path("pytest-compile-golden") / "reduced" / _digest(self.what)),
                self.until,
                at_once=max(1, self.processes // len(self.sides)),
                seconds=self.timeout,
                say=say,
            )
            candidates = [*compiled.programs, *extracted[0][number].programs[:-1]]
            first = next((program for program in candidates if search.holds(program)), None)
            if first is None:
                continue
            program, finished = search.reduced(first)
            sign = self._sign(program, compiled.target, change)
            tried = tuple(search.tried(program.text))
            seconds = time.monotonic() - began
            versions = tuple(_version(side) for side in self.sides)
            return Reduced(
                program,
                compiled.target,
                question,
                change,
                finished,
                search.tries,
                seconds,
                first,
                sign,
                versions,
                tried,
                self.what,
            )
        refused = [text for compiled in extracted[-1] for text in compiled.refused]
        why = f" What could not be written as a program: {'; '.join(dict.fromkeys(refused))}." if refused else ""
        raise CompileGoldenError(f"no program of its own made from {self.what} shows it.{why}")

    def _questions(
        self, kind: str, detail: str, extracted: list[tuple[Extracted, ...]]
    ) -> list[tuple[int, Question, DistinctChange | None]]:
        """What to keep, with the number of the compile that shows it: the likeliest first."""
        pairs = list(enumerate(zip(*extracted, strict=False)))
        if kind == "failure":
            failed = [(number, several[-1]) for number, several in pairs if several[-1].tried.error]
            if not failed:
                raise CompileGoldenError(f"{self.what} does not fail.")
            number, last = failed[0]
            return [(number, questions.Failure(last.tried.error, last.tried.raised_in, len(self.sides)), None)]
        if kind == "wrong":
            kinds = ("value", "dtype", "shape", "strides", "alias", "structure", "kind")
            return [(number, questions.Wrong(what, len(self.sides)), None) for number, _ in pairs for what in kinds]
        if kind == "match":
            return [(number, questions.LostMatch(detail), None) for number, _ in pairs]
        if kind == "metric":
            return [(number, questions.Rise(detail), None) for number, _ in pairs]
        labels = (self.sides[0].label, self.sides[-1].label)
        found: list[tuple[int, Question, DistinctChange | None]] = []
        known: list[str] = []
        for number, several in pairs:
            report = questions.compared([one.tried for one in several], labels, several[-1].target)
            own = {change.key for change in report.changes}
            for change in questions.changes(report):
                known.append(f"{change.code} ({change.stage}): {change.text}")
                if detail in known[-1] or detail in change.key:
                    question = questions.Change(change.key, labels, several[-1].target, change.key in own)
                    found.append((number, question, change))
        if not found:
            between = f"between {labels[0]} and {labels[1]}"
            if known:
                raise UnknownName(f"{self.what} has no change {detail!r} {between}. It has:\n" + "\n".join(known))
            raise CompileGoldenError(f"{self.what} is compiled the same {between}.")
        return found

    def _sign(self, program: Program, target: str, change: DistinctChange | None) -> scripts.Sign | None:
        """What a script that needs nothing but torch can print of it."""
        if len(self.sides) < 2:
            return None
        stage = change.stage if change is not None else ""
        hints = [] if change is None else [*change.names, *re.findall(r"[\w.]{4,}", change.text)]
        for view in scripts.views(stage):
            text = scripts.whole(program, target, view)
            answers = [side.ask(Show(text, target, self.timeout)) for side in self.sides]
            if not any(answer.error for answer in answers):
                found = scripts.sign(view, answers[0].printed, answers[-1].printed, hints)
                if found is not None:
                    return found
        return None


def _version(side: Side) -> str:
    asked = [side.python, "-c", "from importlib.metadata import version; print(version('torch'))"]
    return subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip() or side.label


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]
