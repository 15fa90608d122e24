"""What a stage holds for one case: normalised text, and facts about it for plain asserts."""

from __future__ import annotations

from dataclasses import dataclass, field

from pytest_compile_golden.lines import split_lines


@dataclass(frozen=True, repr=False)
class Artifact:
    """One stage's output. `str()` is the normalised text; subclasses add the facts of their kind of stage."""

    stage: str
    text: str
    """Ends with a newline, never empty."""
    unavailable: frozenset[str] = field(default=frozenset(), kw_only=True)
    """Parts of it that this torch cannot show, by name."""
    left_out: frozenset[str] = field(default=frozenset(), kw_only=True)
    """What is not in it because it says nothing, in words; a run tells each once."""
    name: str | None = field(default=None, kw_only=True)
    """Which of several artifacts of the stage it is; its golden has this name unless the test gives another."""

    @property
    def places(self) -> tuple[tuple[str, str], ...]:
        """Where the lines of the user's code stand that it quotes: line, `file:number`."""
        return ()

    @property
    def says_nothing(self) -> bool:
        """Whether all it says is that there is nothing of its kind: `captured == golden` keeps no golden of that."""
        return False

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        # What pytest shows of a failing assert.
        return f"<{self.stage}: {len(split_lines(self.text))} lines>"
