"""A kind of text: how it is written, read back and compared. Custom formats subclass `Format`."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from pytest_compile_golden.changes.change import Change, distinct
from pytest_compile_golden.facts.record import Record
from pytest_compile_golden.formats.artifact import Artifact
from pytest_compile_golden.formats.inventory import Inventory
from pytest_compile_golden.formats.text import plain
from pytest_compile_golden.lines import split_lines

Number = int | float | str | bool
WHOLE_LINES = frozenset({"differs", "line-added", "line-removed", "line-replaced", "lines-changed", "rewritten"})


class Unreadable(ValueError):
    """A text, or a line of one, that this format would not have written."""


@dataclass(frozen=True)
class Significant:
    """The significant lines of two texts, with cosmetic differences evened out: what a diff shows."""

    old: list[str]
    new: list[str]

    @property
    def differ(self) -> bool:
        """Whether any of these lines shows the change; if none does, only the whole texts can."""
        return self.old != self.new


class Part(NamedTuple):
    """What two texts that are made of others say about one stage of one compile."""

    name: str
    """That of the compile; empty if there is only one."""
    stage: str
    """The stage; for a compile that only one side has, that of the whole text."""
    old: str
    new: str


class Format:
    """One kind of text. This base class knows nothing about the content: texts are lines, and comments do not count.

    Formats override what they know about their texts and inherit the rest. Nothing outside a format parses its text;
    call `read` to find out what it says.
    """

    def render(self, record: Record, stage: str) -> Artifact | None:
        """The artifact of `stage` from what probes recorded under that name; None if the compile has none.

        This base class writes the `str` of each item on its own line.
        """
        items = record.get(stage)
        return (
            Artifact(stage, self.write(tuple(line for item in items for line in split_lines(str(item)) or [""])))
            if items
            else None
        )

    def write(self, document: Any) -> str:
        """The text of a document as `read` returns it; for this base class, lines without line endings."""
        return "".join(f"{line}\n" for line in document)

    def read(self, text: str) -> Any:
        """A text as plain data, such that `write(read(text)) == text`. Raises Unreadable for any other kind of text."""
        return tuple(text.removesuffix("\n").split("\n")) if text else ()

    def is_trivial(self, text: str) -> bool:
        """Whether `text` only says that there is nothing of its kind, so that `captured == golden` keeps no golden."""
        return False

    def canonical(self, text: str) -> object:
        """The significant content, as plain values: two texts with equal canonical forms mean the same behaviour."""
        return plain(text)

    def parts(self, old: str, new: str) -> tuple[Part, ...]:
        """What two texts that are made of other stages' say about each of them; empty for a stage's own texts."""
        return ()

    def without_newer_parts(self, golden: str, text: str) -> str:
        """`text` without what `golden` cannot contain, having been written before such parts were introduced."""
        return text

    def size(self, artifact: Artifact) -> str:
        """The size of an artifact, for readers of a trail."""
        return f"{len(split_lines(artifact.text))} lines"

    def inventory(self, text: str) -> Inventory:
        """The contents of `text`, counted by kind, for a trail to describe differences in words; empty if unhelpful."""
        return ()

    def order(self, artifact: Artifact) -> str:
        """A digest of what comparisons ignore but may make a later stage differ; empty if there is no such thing."""
        return ""

    def significant(self, old: str, new: str) -> Significant | None:
        """The significant lines of both texts; None if all lines are significant."""
        return None

    def edits(self, old: str, new: str) -> tuple[Change, ...]:
        """How `new` differs from `old`: each difference once, as a colleague would put it; empty if no line differs."""
        from pytest_compile_golden.formats import edits

        return edits.edits(old, new, "#")

    def explains(self, old: str, new: str, codes: Collection[str]) -> bool:
        """Whether these codes, which are those of all its edits, account for everything by which two texts differ.

        A change is noted or ignored only if this holds: what edits overlook must not pass with what they name. This
        base class knows that only of edits that are whole lines.
        """
        return bool(codes) and WHOLE_LINES.issuperset(codes)

    def carry_over(self, golden: str, text: str, unavailable: Collection[str]) -> str:
        """`text` plus the parts of `golden` named in `unavailable`, which this torch version cannot show."""
        return text

    def numbers(self, text: str) -> dict[str, Number] | None:
        """The named numbers in `text`, whose changes are reported one by one; None if it holds anything else."""
        return None

    def with_notes(self, golden: str, text: str, reason: str | None = None) -> str:
        """`text` with the golden's reader-only notes on whatever is unchanged, and `reason` on the rest."""
        return text


PLAIN = Format()


class DocumentFormat(Format):
    """A kind of text that is compared as the document `read` returns; texts it cannot read are compared as lines."""

    def form(self, document: Any) -> Hashable:
        """The part of a document that comparisons count, as plain values."""
        return self.write(document)

    def edits_of(self, old: Any, new: Any) -> Iterable[Change]:
        """`edits` of two documents, if any are described other than by their lines; duplicates are allowed."""
        return ()

    def canonical(self, text: str) -> object:
        try:
            return self.form(self.read(text))
        except Unreadable:
            return super().canonical(text)

    def edits(self, old: str, new: str) -> tuple[Change, ...]:
        try:
            edits = distinct(list(self.edits_of(self.read(old), self.read(new))))
        except Unreadable:
            edits = ()
        return edits or super().edits(old, new)


class UnknownFormat(Format):
    """The format of a stage of which only the name is known: everything in its text counts."""

    def canonical(self, text: str) -> object:
        return text


UNKNOWN = UnknownFormat()
