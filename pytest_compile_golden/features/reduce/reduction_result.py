"""What a search found: the smallest program, what it shows, and what is written of it."""

from __future__ import annotations

import platform
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

from pytest_compile_golden.common import files
from pytest_compile_golden.common.regular_expressions import without_numbers
from pytest_compile_golden.features.reduce import interestingness, reproducer
from pytest_compile_golden.features.reduce.interestingness import Question
from pytest_compile_golden.features.reduce.reduce_protocol import TriedProgram
from pytest_compile_golden.features.reduce.small_program import SmallProgram
from pytest_compile_golden.features.triage.issue_text import versions_table
from pytest_compile_golden.report.model import ReportedChange
from pytest_compile_golden.report.styled_lines import Line, printable
from pytest_compile_golden.stages import phase, stages
from pytest_compile_golden.torch_source.installed_sources import (
    source_link,
    source_root,
)

CPUS = ("cpu", "native-cpu")
"""How the names of targets begin that anybody can run."""

_WRONG = {
    "value": "other values",
    "dtype": "another dtype",
    "shape": "another shape",
    "strides": "other strides",
    "alias": "a result shares memory with another tensor, and should not, or the other way round",
    "zero": "zeros of the other sign",
    "identity": "a result is an input or another result, and should not be, or the other way round",
}
"""What differs, by the kind of a finding."""


class AloneRun(NamedTuple):
    """A script in a process of its own."""

    torch: str
    """The version."""
    printed: str
    """Its last line, or that of the error that ended it."""
    failed: bool
    environment: str = ""
    """The versions of Python and of Triton, if that is installed."""


@dataclass(frozen=True)
class Reduced:
    """What was found."""

    program: SmallProgram
    target: str
    question: Question
    change: ReportedChange | None
    finished: bool
    tries: int
    began: SmallProgram
    what: str
    sign: reproducer.Sign | None = None
    tried: tuple[TriedProgram, ...] = ()
    """What becomes of the program in each version that it was tried in; empty if there was no time left to see."""
    versions: tuple[str, ...] = ()
    """The version of torch of each of them."""
    alone: tuple[AloneRun, ...] = ()
    """What the script did in a process of its own, in each version."""
    seconds: float = 0.0
    others: frozenset[str] = frozenset()
    """The keys of changes that what it began with has, and the smallest program has not."""
    processor_s: float = 0.0
    """In all processes together, in seconds of processor time."""

    @property
    def about(self) -> str:
        """What the program shows, in one line."""
        if self.change is not None:
            return self.change.text
        if isinstance(self.question, interestingness.KeptFailure):
            return self.question.error
        if isinstance(self.question, interestingness.Wrong):
            return f"compiled code differs from eager: {_WRONG.get(self.question.kind, self.question.kind)}"
        if isinstance(self.question, interestingness.Rise):
            values = " -> ".join(
                f"{interestingness.number(one, self.question.metric):g}"
                for one in self.tried
            )
            return f"{self.question.metric} rises: {values}"
        return f"{self.question.matches} matches less often: {' -> '.join(str(one.matches) for one in self.tried)}"

    @property
    def shows_alone(self) -> bool:
        """Whether the script, run by itself, printed in each version what it says."""
        if not self.alone:
            return False
        first, last = self.alone[0], self.alone[-1]
        if isinstance(
            self.question, (interestingness.KeptFailure, interestingness.Wrong)
        ):
            words = "AssertionError"
            if isinstance(self.question, interestingness.KeptFailure):
                words = without_numbers(self.question.error).rpartition(": ")[2]
            shows = last.failed and words in without_numbers(last.printed)
            return shows and not (self.question.sides > 1 and first.failed)
        return self.sign is not None and (first.printed, last.printed) == (
            self.sign.before,
            self.sign.after,
        )

    @property
    def lines(self) -> list[Line]:
        """What to say of it."""
        size = f"{self.program.lines} lines, {self.program.operators} operators"
        began = f"{self.began.lines} lines, {self.began.operators} operators"
        ended = (
            ""
            if self.finished
            else "; not finished in the time: the same command goes on from there"
        )
        text = [
            ("title", printable(self.about)),
            ("", f"{size}; it began with {began}"),
        ]
        text.append(
            (
                "dim",
                f"{self.tries} programs tried in {self.seconds:.0f} s, {self.processor_s:.0f} CPU seconds{ended}",
            )
        )
        text += [
            ("", printable(f"  {line}")) for line in self.program.function.split("\n")
        ]
        style = "good" if self.shows_alone else "bad"
        text += [
            (style, printable(f"the script prints on torch {run.torch}: {run.printed}"))
            for run in self.alone
        ]
        return text

    @property
    def since(self) -> str:
        """The first version in which the script shows it, of those that it was run in; empty if it is none of them, or
        the first."""
        last = self.alone[-1:] if self.shows_alone else ()
        shown = (
            list(takewhile(lambda run: _same_end(run, *last), reversed(self.alone)))
            if last
            else []
        )
        return (
            shown[-1].torch.partition("+")[0]
            if 0 < len(shown) < len(self.alone)
            else ""
        )

    @property
    def script(self) -> str:
        """A script that needs nothing but torch."""
        if isinstance(
            self.question, (interestingness.KeptFailure, interestingness.Wrong)
        ):
            if isinstance(self.question, interestingness.KeptFailure):
                return reproducer.whole(
                    self.program, self.target, reproducer.CALL, self.about
                )
            return reproducer.whole(
                self.program,
                self.target,
                reproducer.VALUES,
                self.about,
                self.question.kind,
            )
        if self.sign is None:
            stage = self.change.stage if self.change is not None else ""
            view = reproducer.views(self.program, stage)[0]
            return (
                reproducer.whole(self.program, self.target, view).rstrip()
                + f"  # {self.about[:80]}\n"
            )
        said = ", ".join(
            f"{version}: {value}"
            for version, value in zip(
                self.versions, (self.sign.before, self.sign.after), strict=False
            )
        )
        return (
            reproducer.script(self.program, self.target, self.sign, self.about).rstrip()
            + f"  # torch {said}\n"
        )

    @property
    def noted_script(self) -> str:
        """The script with what `compile-golden case` reads of it."""
        return f"{self.script}# target: {self.target}\n" + (
            f"# invariant: {self.invariant}\n" if self.invariant else ""
        )

    @property
    def invariant(self) -> str:
        """What held in the older version, and does not in the newer one."""
        if len(self.tried) != 2:
            return ""
        if isinstance(self.question, interestingness.LostMatch):
            return f"captured.matches({self.question.matches!r}) == {self.tried[0].matches}"
        if isinstance(self.question, interestingness.Rise):
            most = interestingness.number(self.tried[0], self.question.metric)
            return f"captured.metrics.{self.question.metric} <= {most:g}"
        if self.change is None:
            return ""
        texts = [
            {artifact.stage: artifact.text for artifact in one.artifacts}
            for one in self.tried
        ]
        for name in dict.fromkeys((self.change.stage, "post_grad_graph", *texts[0])):
            before, after = (each.get(name, "") for each in texts)
            if (
                name not in ("trail", "passes", "metrics")
                and before
                and after
                and before != after
            ):
                found = reproducer.sign("", before, after, self.change.names)
                if found is not None:
                    text = f'captured["{name}"].text'
                    return f"{found.expression(text)} == {found.before}"
        return ""

    @property
    def markdown(self) -> str:
        """The text of an issue: what and since when, the script, what it prints in each version, where, and on what."""
        since = f", since torch {self.since}" if self.since else ""
        table = versions_table(
            {
                "torch": run.torch,
                "environment": run.environment,
                "the script prints": run.printed,
            }
            for run in self.alone
        )
        lines = []
        if self.change is not None:
            step = phase(self.change.stage)
            what = "" if step is None else step.works_on
            what = next(
                (
                    stage.summary
                    for stage in stages()
                    if stage.name == self.change.stage
                ),
                what,
            )
            lines.append(
                f"The first difference is in `{self.change.stage}`"
                + (f" ({what})" if what else "")
            )
            if self.change.where:
                link = source_link(
                    source_root(None, self.versions[-1] if self.versions else None),
                    self.change.where,
                )
                place = f"`{self.change.where}`"
                lines[-1] += f", made at {f'[{place}]({link})' if link else place}"
        on = (
            "the CPU"
            if self.target.startswith(CPUS)
            else f"a virtual GPU (`compile-golden run --gpu {self.target}`)"
        )
        lines.append(f"Run on {on}, {platform.platform()}")
        lines.append(
            f"Reduced by compile-golden from `{self.what}` ({self.began.lines} lines, {self.began.operators} operators)"
        )
        listed = "".join(f"- {line}.\n" for line in lines)
        return f"# torch.compile: {self.about}{since}\n\n```python\n{self.script}```\n\n{table}\n{listed}"

    def write(self, into: Path, name: str) -> list[Path]:
        """Write the script, the case and the text of an issue."""
        texts = {
            f"{name}.py": self.noted_script,
            f"test_{name}.py": reproducer.case(
                self.program, self.target, name, self.about, self.invariant
            ),
            f"{name}.md": self.markdown,
        }
        for file, text in texts.items():
            files.write(into / file, text, "reduced program")
        return [into / file for file in texts]


def _same_end(one: AloneRun, other: AloneRun) -> bool:
    """Whether a script did the same in two versions; what an error says of values does not count."""
    return one.failed == other.failed and (one.failed or one.printed == other.printed)
