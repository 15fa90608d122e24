"""What a numerics check found, as plain data and as text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pytest_compile_golden.common.lines import split_lines


@dataclass(frozen=True)
class Difference:
    """One thing that eager and compiled code disagree on."""

    call: str
    """Which call: `call 1`, `call 2 (call 1 again)`, `call 3 (other values)` ..."""
    what: str
    """`output[1]`, `gradient of x`, `x after the call`, `parameter weight after the call` ..."""
    kind: str
    """`structure`, `kind`, `dtype`, `shape`, `strides`, `alias` or `value`."""
    wrong: str | None
    """`compiled`, `eager`, or `neither` for strides that Inductor does not promise to keep; None if there was no
    float64 reference to decide."""
    text: str
    """How much and where."""

    def __str__(self) -> str:
        return f"{self.what}, {self.call}: {self.text}"


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
    """The outcome of a numerics check; true if the compiled code is right."""

    function: str
    target: str
    differences: tuple[Difference, ...]
    """Where compiled code is wrong, or may be; in the order of the calls, outputs before gradients before inputs."""
    eager_wrong: tuple[Difference, ...]
    """Where eager is further from float64 than compiled code. These do not fail the check."""
    calls: int
    compared: int
    """How many tensors and other values were compared."""
    no_reference: str | None
    """Why there is no float64 reference, if one was needed."""
    findings: tuple[Finding, ...] = ()
    """Where interpreted kernels are wrong, line by line."""
    launches: Mapping[str, int] | None = None
    """How often each interpreted kernel was launched; None on native targets, where launches are not counted."""
    other_strides: tuple[Difference, ...] = ()
    """Results whose strides differ from eager's where Inductor does not promise them. These do not fail the check."""

    def __bool__(self) -> bool:
        return not self.differences and not self.findings

    @property
    def first(self) -> Difference | None:
        return self.differences[0] if self.differences else None

    def __repr__(self) -> str:
        """One line: pytest truncates and escapes the repr of an asserted value."""
        verdict = (
            f"right{self._without_kernels}"
            if self
            else f"{self.first.what} differs"
            if self.first
            else f"{self.findings[0].kernel} is wrong"
        )
        return f"<Numerics of {self.function} on {self.target}: {verdict}>"

    @property
    def _without_kernels(self) -> str:
        """That no code of the compiler's own was checked, if none was."""
        return ", no kernel launched: only library calls and views" if self.launches == {} and not self.findings else ""

    def __str__(self) -> str:
        head = f"{self.function} on {self.target}: {self.calls} calls, {self.compared} values compared with eager"
        head += self._without_kernels
        if self.launches:
            kernels, times = len(self.launches), sum(self.launches.values())
            head += f", {kernels} kernel{'s' if kernels > 1 else ''} launched {times} time{'s' if times > 1 else ''}"
        if not self.differences:
            lines = [f"{head}: right" if self else head]
        else:
            lines = [f"{head}: {len(self.differences)} differ", *_indented(self.differences[:1])]
            lines += ["then", *_indented(self.differences[1:6])] if len(self.differences) > 1 else []
            lines += [f"  and {len(self.differences) - 6} more"] if len(self.differences) > 6 else []
        lines += [line for finding in self.findings for line in split_lines(str(finding))]
        if self.no_reference:
            lines.append(f"no float64 reference: {self.no_reference}")
        if self.eager_wrong:
            lines += ["eager is wrong, compiled code is right", *_indented(self.eager_wrong[:6])]
        if self.other_strides:
            lines += ["strides that Inductor does not promise", *_indented(self.other_strides[:6])]
        return "\n".join(lines)


def _indented(differences: tuple[Difference, ...]) -> list[str]:
    return [f"  {line}" for difference in differences for line in split_lines(str(difference))]
