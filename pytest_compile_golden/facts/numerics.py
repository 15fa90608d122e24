"""What a comparison with eager found, as plain data and as text: the same for everything that compares."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from pytest_compile_golden.common.lines import split_lines
from pytest_compile_golden.common.quantity import quantity

Verdict = Literal[
    "compiled",
    "fake_rule",
    "accepts",
    "undecided",
    "eager",
    "undefined",
    "fusion",
    "unpromised",
]
"""What a difference is: compiled code is wrong; an operator's rule for fake tensors is, which the compiler goes by;
compiled code returns something where eager refuses a call; it is not known which side is wrong; eager is wrong; the
program asks for what torch leaves undefined; both are right, as fusion may leave out or reorder roundings; strides and
the like that Inductor does not promise to keep."""
VERDICTS: Mapping[Verdict, str] = {
    "compiled": "compiled is wrong",
    "fake_rule": "the fake rule is wrong",
    "accepts": "accepted",
    "undecided": "undecided",
    "eager": "eager is wrong",
    "undefined": "undefined",
    "fusion": "differs as fusion may",
    "unpromised": "other strides",
}
"""Each in words, the worst first."""

_HEADS: Mapping[Verdict, str] = {
    "accepts": "calls that eager refuses and compiled code accepts",
    "eager": "eager is wrong, compiled code is right",
    "undefined": "results that torch leaves undefined",
    "fusion": "differences that fusion may make",
    "undecided": "differences that cannot be decided, with values other than the given ones",
    "unpromised": "strides that Inductor does not promise to keep",
}
_SHOWN = 6


@dataclass(frozen=True)
class Difference:
    """One thing that eager and compiled code disagree on."""

    call: str
    """Which call: `call 1`, `call 2 (call 1 again)`, `call 3 (other values)` ..."""
    what: str
    """`output[1]`, `gradient of x`, `x after the call`, `parameter weight after the call` ..."""
    kind: str
    """`structure`, `kind`, `dtype`, `shape`, `strides`, `alias`, `value`, `refusal` ..."""
    verdict: Verdict
    text: str
    """How much and where."""
    given: bool = True
    """Whether it is of a call that was asked for, not of one with other values."""
    special: bool = False
    """Whether only a call with special values shows it: infinities, NaN, zeros, the ends of a dtype's range."""
    reason: str = ""
    """Why it has this verdict; empty if the text says it."""

    @property
    def fails(self) -> bool:
        """Whether it fails its case.

        It does if compiled code, or a rule for fake tensors, is shown to be wrong, or if it cannot be told who is and
        the user gave the values. What only special values show fails none.
        """
        if self.special:
            return False
        return self.verdict in ("compiled", "fake_rule") or (
            self.verdict in ("undecided", "accepts") and self.given
        )

    @property
    def sentence(self) -> str:
        """How much and where, and why it has this verdict."""
        return f"{self.text}; {self.reason}" if self.reason else self.text

    def __str__(self) -> str:
        return f"{self.what}, {self.call}: {self.sentence}"


@dataclass(frozen=True)
class Finding:
    """Something that a kernel does wrong, with the line of its text."""

    kernel: str
    line: int
    """In the kernel's text, counted from 1."""
    source: str
    kind: str
    """`bounds`, `unwritten`, `reused`, `race`, `assert`, or `value` for the first store of a wrong value."""
    text: str

    def __str__(self) -> str:
        return f"{self.kernel}, line {self.line}: {self.text}\n  {self.source}"


@dataclass(frozen=True)
class Numerics:
    """The outcome of a comparison with eager; true if the compiled code is right."""

    function: str
    target: str
    found: tuple[Difference, ...]
    """Everything that differs, in the order of the calls, outputs before gradients before inputs."""
    calls: int
    """How many calls were made, but for those with special values."""
    compared: int
    """How many tensors and other values were compared in these."""
    not_compared: tuple[str, ...] = ()
    """What was not, and why."""
    findings: tuple[Finding, ...] = ()
    """Where interpreted kernels are wrong, line by line."""
    launches: Mapping[str, int] | None = None
    """How often each interpreted kernel was launched; None on native targets, where launches are not counted."""

    def __bool__(self) -> bool:
        """Whether nothing differs and no kernel does anything wrong, so that a test can say `assert numerics(f, x)`."""
        return not self.differences and not self.findings

    @property
    def differences(self) -> tuple[Difference, ...]:
        """Those that fail the comparison: compiled code is wrong, or may be."""
        return tuple(each for each in self.found if each.fails)

    @property
    def worst(self) -> Difference | None:
        """The first difference with the worst verdict, whether it fails the comparison or not."""
        return next(
            (
                each
                for verdict in VERDICTS
                for each in self.found
                if each.verdict == verdict
            ),
            None,
        )

    @property
    def verdict(self) -> str:
        """The worst verdict in words, `same` or `not compared`."""
        if self.worst is not None:
            return VERDICTS[self.worst.verdict]
        return "same" if self.compared else "not compared"

    def other(self, verdict: Verdict) -> tuple[Difference, ...]:
        """Those with this verdict that do not fail it, but for those that only special values show."""
        return tuple(
            each
            for each in self.found
            if each.verdict == verdict and not each.fails and not each.special
        )

    @property
    def special(self) -> tuple[Difference, ...]:
        """Those that only special values show, whatever the verdict."""
        return tuple(each for each in self.found if each.special)

    @property
    def other_strides(self) -> tuple[Difference, ...]:
        """Results whose strides differ from eager's where Inductor does not promise them."""
        return tuple(
            each for each in self.other("unpromised") if each.kind == "strides"
        )

    @property
    def first(self) -> Difference | None:
        """The difference that is listed first; None if there is none, even if a kernel does something wrong."""
        return next(iter(self.differences), None)

    def as_json(self) -> dict[str, Any]:
        """All of it, as plain values."""
        return asdict(self)

    def __repr__(self) -> str:
        """One line: pytest truncates and escapes the repr of an asserted value."""
        if self:
            verdict = f"right{self._without_kernels}"
        else:
            verdict = (
                f"{self.first.what} differs"
                if self.first
                else f"{self.findings[0].kernel} is wrong"
            )
        return f"<Numerics of {self.function} on {self.target}: {verdict}>"

    @property
    def _without_kernels(self) -> str:
        """That no code of the compiler's own was checked, if none was."""
        return (
            ", no kernel launched: only library calls and views"
            if self.launches == {} and not self.findings
            else ""
        )

    def __str__(self) -> str:
        calls, values = quantity(self.calls, "call"), quantity(self.compared, "value")
        head = (
            f"{self.function} on {self.target}: {calls}, {values} compared with eager"
        )
        head += self._without_kernels
        if self.launches:
            kernels, times = len(self.launches), sum(self.launches.values())
            head += (
                f", {quantity(kernels, 'kernel')} launched {quantity(times, 'time')}"
            )
        if not self.differences:
            lines = [f"{head}: right" if self else head]
        else:
            lines = [
                f"{head}: {len(self.differences)} differ",
                *_indented(self.differences[:1]),
            ]
            lines += (
                ["then", *_indented(self.differences[1:_SHOWN])]
                if len(self.differences) > 1
                else []
            )
            lines += _rest(self.differences)
        lines += [
            line for finding in self.findings for line in split_lines(str(finding))
        ]
        heads = {words: self.other(verdict) for verdict, words in _HEADS.items()}
        shown = tuple(each for each in self.special if each.verdict == "compiled")
        heads["only with special values, which were not given"] = shown
        for words, listed in heads.items():
            if listed:
                lines += [words, *_indented(listed[:_SHOWN]), *_rest(listed)]
        if len(self.special) > len(shown):
            lines += [
                f"{len(self.special) - len(shown)} more with special values, which rounding or range may explain"
            ]
        if self.not_compared:
            lines += ["not compared", *(f"  {text}" for text in self.not_compared)]
        return "\n".join(lines)


def _rest(differences: tuple[Difference, ...]) -> Iterator[str]:
    if len(differences) > _SHOWN:
        yield f"  and {len(differences) - _SHOWN} more"


def _indented(differences: tuple[Difference, ...]) -> list[str]:
    return [
        f"  {line}"
        for difference in differences
        for line in split_lines(str(difference))
    ]
