"""Changes of texts about which no more is known than their lines."""

from __future__ import annotations

from pytest_compile_golden.changes.change import Change, Counts, Exchange, Topic


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


class LineAdded(Change, code="line-added", anywhere=True):
    """A line without a counterpart."""

    line: str


class LineRemoved(Change, code="line-removed", anywhere=True):
    """A line without a counterpart."""

    line: str


class LineReplaced(Change, code="line-replaced", anywhere=True):
    """A line with another in its place."""

    gone: str
    come: str


class LineMoved(Change, code="line-moved", kind="spelling", anywhere=True):
    """The same line elsewhere."""

    line: str


class CallsChanged(Exchange, Change, code="calls-changed", same_by=("come_names", "gone_names"), anywhere=True):
    """Functions that a text calls more or less often."""

    come: Counts
    """The most frequent first."""
    gone: Counts


class InputChecksChanged(CallsChanged, code="input-checks", kind="decision", topic="guards", same_by=("more",)):
    """Wrapper code checks the sizes and strides of its inputs, or no longer does."""

    @property
    def more(self) -> bool:
        return len(self.come) >= len(self.gone)


class DiffersAsAWhole(Change, code="differs"):
    """No line shows the difference."""

    digest: str


class LooksDifferent(Change, code="looks-different", kind="spelling", topic="hints"):
    """Names, comments or layout."""


class NewGoldens(Change, code="new-goldens", kind="accounting", topic="hints"):
    """There was nothing to compare with."""
