"""What a kind of text is: how it is written, read back and compared. Formats of one's own derive from it."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_compile_golden.formats.artifact import Artifact
from pytest_compile_golden.formats.edits import Edit, distinct
from pytest_compile_golden.formats.inventory import Inventory
from pytest_compile_golden.formats.text import plain
from pytest_compile_golden.lines import split_lines
from pytest_compile_golden.record import Record

Number = int | float | str | bool


class Unreadable(ValueError):
    """A text, or a line of it, that this format does not write."""


@dataclass(frozen=True)
class Significant:
    """The lines of two texts that count, made alike where they differ cosmetically: what a diff shows."""

    old: list[str]
    new: list[str]

    @property
    def differ(self) -> bool:
        """Whether any line shows the change; where none does, only the whole texts can."""
        return self.old != self.new


class Format:
    """One kind of text. This one knows nothing of what stands in it: lines, of which comments do not count.

    Whatever a format does not know of its texts it inherits from here. Nothing outside of a format parses its text:
    who wants to know what it says asks `read`.
    """

    def render(self, record: Record, stage: str) -> Artifact | None:
        """The artifact of `stage` from what probes recorded under that name; None where the compile has none.

        Here: a line for each item, as `str` prints it.
        """
        items = record.get(stage)
        return (
            Artifact(stage, self.write(tuple(line for item in items for line in split_lines(str(item)) or [""])))
            if items
            else None
        )

    def write(self, document: Any) -> str:
        """What `read` gives, as text; here: lines without their ends."""
        return "".join(f"{line}\n" for line in document)

    def read(self, text: str) -> Any:
        """A text as plain data, such that `write(read(text))` is the text. Raises Unreadable where it is not ours."""
        return tuple(text.removesuffix("\n").split("\n")) if text else ()

    def canonical(self, text: str) -> object:
        """What counts in a comparison: two texts are the same behaviour where it is equal. Made of plain values."""
        return plain(text)

    def known_to(self, golden: str, text: str) -> str:
        """`text` without what a golden of that text cannot have, since it was written before there was such a thing."""
        return text

    def size(self, artifact: Artifact) -> str:
        """How large an artifact is, for the reader of a trail."""
        return f"{len(split_lines(artifact.text))} lines"

    def inventory(self, text: str) -> Inventory:
        """What it holds, counted by kind, for a trail to tell two apart in words; empty where that says nothing."""
        return ()

    def order(self, artifact: Artifact) -> str:
        """A digest of what no comparison counts and yet may make something later differ; empty where nothing does."""
        return ""

    def depth(self, old: str, new: str) -> str:
        """How deep the change goes between texts that differ in canonical form, in a word or two; empty if unknown."""
        return ""

    def significant(self, old: str, new: str) -> Significant | None:
        """The lines of both that count; None where all of them do."""
        return None

    def edits(self, old: str, new: str) -> tuple[Edit, ...]:
        """How `new` differs from `old`, each way once and in the words of a colleague; empty where no line does."""
        from pytest_compile_golden.formats import plain_edits

        return plain_edits.edits(old, new, "#")

    def carry_over(self, golden: str, text: str, unavailable: Collection[str], order: Sequence[str]) -> str:
        """`text` with the parts of `golden` that are named in `unavailable`, which this torch cannot show.

        `order` names the parts as the pipeline has them.
        """
        return text

    def numbers(self, text: str) -> dict[str, Number] | None:
        """What it holds, where that is numbers of which each has a name: their changes are told one by one."""
        return None

    def with_reasons(self, golden: str, text: str, reason: str | None = None) -> str:
        """`text` with what `golden` says of what is the same in both, for readers only, and `reason` for the rest."""
        return text


PLAIN = Format()


class DocumentFormat(Format):
    """A kind of text that is compared as what `read` makes of it; texts that it cannot read are compared as lines."""

    def form(self, document: Any) -> Hashable:
        """What counts of a document in a comparison, of plain values."""
        return self.write(document)

    def depth_of(self, old: Any, new: Any) -> str:
        """`depth` of two documents."""
        return ""

    def edits_of(self, old: Any, new: Any) -> Iterable[Edit]:
        """`edits` of two documents, where any are told otherwise than by lines; each may come more than once."""
        return ()

    def canonical(self, text: str) -> object:
        try:
            return self.form(self.read(text))
        except Unreadable:
            return super().canonical(text)

    def depth(self, old: str, new: str) -> str:
        try:
            return self.depth_of(self.read(old), self.read(new))
        except Unreadable:
            return ""

    def edits(self, old: str, new: str) -> tuple[Edit, ...]:
        try:
            edits = distinct(list(self.edits_of(self.read(old), self.read(new))))
        except Unreadable:
            edits = ()
        return edits or super().edits(old, new)


class UnknownFormat(Format):
    """That of a stage of which only the name is known: nothing is known not to count."""

    def canonical(self, text: str) -> object:
        return text


UNKNOWN = UnknownFormat()
