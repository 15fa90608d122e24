"""A kind of text: how it is written, read back and compared. Custom formats subclass `Format`."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Set
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from pytest_compile_golden.changes.change import Change, distinct
from pytest_compile_golden.common.lines import split_lines
from pytest_compile_golden.facts.record import Record
from pytest_compile_golden.formats import align_texts
from pytest_compile_golden.formats.artifact import Artifact
from pytest_compile_golden.formats.canonical_text import plain
from pytest_compile_golden.formats.op_counts import Inventory, Occurrence, inventory

Number = int | float | str | bool
WHOLE_LINES = frozenset(
    {
        "differs",
        "line-added",
        "line-removed",
        "line-replaced",
        "lines-changed",
        "rewritten",
    }
)


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


class TextPart(NamedTuple):
    """What two texts that are made of others say about one stage of one compile."""

    name: str
    """That of the compile; empty if there is only one."""
    stage: str
    """The stage; for a compile that only one side has, or that has another name, that of the whole text."""
    old: str
    new: str


class Format:
    """One kind of text. This base class knows nothing about the content: texts are lines, and comments do not count.

    Formats override what they know about their texts and inherit the rest. A text is read once, into a document, and
    what is asked about it is asked of the document: `form`, `edits_of`, `explains_of`, `inventory_of`. Nothing outside
    a format parses its text; call `read` to find out what it says.
    """

    word = align_texts.WORD
    """Where names that may differ can occur in a line."""
    lines_are_edits = True
    """Whether differences that `edits_of` does not name are described line by line."""

    def render(self, record: Record, stage: str) -> Artifact | None:
        """The artifact of `stage` from what probes recorded under that name; None if the compile has none.

        This base class writes the `str` of each item on its own line.
        """
        items = record.get(stage)
        return (
            Artifact(
                stage,
                self.write(
                    tuple(
                        line
                        for item in items
                        for line in split_lines(str(item)) or [""]
                    )
                ),
            )
            if items
            else None
        )

    def write(self, document: Any) -> str:
        """The text of a document as `read` returns it; for this base class, lines without line endings."""
        return "".join(f"{line}\n" for line in document)

    def read(self, text: str) -> Any:
        """A text as plain data, such that `write(read(text)) == text`. Raises Unreadable for any other kind of text."""
        return tuple(text.removesuffix("\n").split("\n")) if text else ()

    def document(self, text: str) -> Any:
        """A text as `read` returns it, read once for everything that is asked about it. Raises Unreadable."""
        return _documents(self, text)

    def is_trivial(self, text: str) -> bool:
        """Whether `text` only says that there is nothing of its kind, so that `captured == golden` keeps no golden."""
        return False

    def canonical(self, text: str) -> object:
        """The significant content, as plain values: two texts with equal canonical forms mean the same behaviour.

        A text that the format cannot read means the same as one with the same lines.
        """
        try:
            return self.form(self.document(text))
        except Unreadable:
            return plain(text)

    def form(self, document: Any, /) -> Hashable:
        """The part of a document that comparisons count, as plain values."""
        return plain(self.write(document))

    def parts(self, old: str, new: str) -> tuple[TextPart, ...]:
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
        return inventory(self.inventory_of(self.document(text)))

    def inventory_of(self, document: Any, /) -> Iterable[Occurrence]:
        """What a document contains, each thing as often as it occurs."""
        return ()

    def order(self, artifact: Artifact) -> str:
        """A digest of what comparisons ignore but may make a later stage differ; empty if there is no such thing."""
        return ""

    def significant(self, old: str, new: str) -> Significant | None:
        """The significant lines of both texts, those of `new` with the names of `old`; None if all lines count."""
        if type(self).names is Format.names:
            return None
        texts = self.shown(old, new), self.shown(new, old)
        return Significant(
            *align_texts.align(texts, self.names, self.significant_line, self.word)
        )

    def shown(self, text: str, beside: str) -> str:
        """`text` in the spelling in which it is shown beside another one."""
        return text

    def names(self, text: str) -> Set[str]:
        """The names in `text` that may differ between texts that mean the same."""
        return frozenset()

    def significant_line(self, line: str) -> str | None:
        """The significant part of a line; None if it has none."""
        return align_texts.without_comment(line)

    def edits(self, old: str, new: str) -> tuple[Change, ...]:
        """How `new` differs from `old`: each difference once, as a colleague would put it; empty if no line differs."""
        from pytest_compile_golden.formats import line_edits

        try:
            found = distinct(
                list(self.edits_of(self.document(old), self.document(new)))
            )
        except Unreadable:
            found = ()
        return found or (
            line_edits.edits(old, new, "#") if self.lines_are_edits else ()
        )

    def edits_of(self, old: Any, new: Any) -> Iterable[Change]:
        """The edits of two documents, if any are described other than by their lines; duplicates are allowed."""
        return ()

    @property
    def describes_edits(self) -> bool:
        """Whether it says more about an edit than its lines do."""
        return (
            type(self).edits_of is not Format.edits_of
            or type(self).edits is not Format.edits
        )

    def explains(self, old: str, new: str, codes: Collection[str]) -> bool:
        """Whether these codes, which are those of all its edits, account for everything by which two texts differ.

        A change is noted or ignored only if this holds: what edits overlook must not pass with what they name.
        """
        try:
            return self.explains_of(self.document(old), self.document(new), codes)
        except Unreadable:
            return _are_whole_lines(codes)

    def explains_of(self, old: Any, new: Any, codes: Collection[str]) -> bool:
        """The same of two documents. This base class knows it only of edits that are whole lines."""
        return _are_whole_lines(codes)

    def carry_over(self, golden: str, text: str, unavailable: Collection[str]) -> str:
        """`text` plus the parts of `golden` named in `unavailable`, which this torch version cannot show."""
        return text

    def numbers(self, text: str) -> dict[str, Number] | None:
        """The named numbers in `text`, whose changes are reported one by one; None if it holds anything else."""
        return None

    def with_notes(self, golden: str, text: str, reason: str | None = None) -> str:
        """`text` with the golden's reader-only notes on whatever is unchanged, and `reason` on the rest."""
        return text


# Both sides of an artifact are asked for their form, their edits, what explains these and what to show, in this order
# or another, before the next artifact is looked at.
@lru_cache(maxsize=64)
def _documents(form: Format, text: str) -> Any:
    return form.read(text)


def _are_whole_lines(codes: Collection[str]) -> bool:
    return bool(codes) and WHOLE_LINES.issuperset(codes)


PLAIN = Format()


class UnknownFormat(Format):
    """The format of a stage of which only the name is known: everything in its text counts."""

    def canonical(self, text: str) -> object:
        return text


UNKNOWN = UnknownFormat()
