"""Changes of texts about which no more is known than their lines."""

from __future__ import annotations

from pytest_compile_golden.changes.change import Change, Topic


class LinesChanged(Change, code="lines-changed", same_by=("lines",)):
    """The first lines that differ, and how many more there are."""

    gone: str
    """A line as it was; empty if there was none."""
    come: str
    lines: str
    """All lines that differ, in short."""
    more_lines: int = 0
    more_places: int = 0
    about: Topic = "arithmetic"

    @property
    def key(self) -> str:
        # If lines differ in numbers only, these are all that tells such changes apart.
        return f"{self.code} {self.lines}"

    @property
    def topic(self) -> Topic:
        return self.about


class Rewritten(Change, code="rewritten"):
    """A text that is mostly another, or too long to be matched line by line."""

    before: int
    """Lines."""
    after: int
    digest: str
    about: Topic = "arithmetic"

    @property
    def topic(self) -> Topic:
        return self.about
