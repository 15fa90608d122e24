"""A change of a case as one that other cases may have as well."""

from __future__ import annotations

from dataclasses import dataclass, replace

import msgspec
from msgspec import structs

from pytest_compile_golden.changes import change as changes
from pytest_compile_golden.changes.graphs import (
    OperatorsChanged,
    StrictnessChanged,
)
from pytest_compile_golden.changes.trail import ContentsChanged


@dataclass(frozen=True)
class DistinctChange:
    """One change in torch, in the program or in one of its project's passes, however many cases have it."""

    stage: str
    """The stage where it shows first."""
    what: changes.Change
    key: str
    """Equal for the same change in another case."""
    where: str | None = None
    """File and line in torch or in the user's code, as far as known."""
    example: bool = False
    """Whether its cases have it in different ways, of which `what` is one."""
    apart: bool = False
    """Whether it cannot follow from what changed before it in its case."""

    @property
    def topic(self) -> str:
        return self.what.topic

    @property
    def code(self) -> str:
        return self.what.code

    @property
    def wording(self) -> str:
        """Equal for changes that are told in the same words; changes with one key may be told in several."""
        return repr(structs.replace(self.what, touches=()))

    def as_example(self) -> DistinctChange:
        """The same, of which its cases have several variants."""
        return replace(self, example=True)


class SerializedChange(msgspec.Struct, frozen=True, array_like=True):
    """A distinct change as JSON holds it."""

    stage: str
    code: str
    what: msgspec.Raw
    key: str
    where: str | None
    example: bool
    apart: bool

    @classmethod
    def of(cls, change: DistinctChange) -> SerializedChange:
        """Raises ValueError or TypeError for one that JSON does not hold."""
        what = msgspec.Raw(msgspec.json.encode(change.what))
        return cls(
            change.stage,
            change.code,
            what,
            change.key,
            change.where,
            change.example,
            change.apart,
        )

    @property
    def change(self) -> DistinctChange:
        """Raises ValueError or KeyError for one that nothing has written."""
        what = msgspec.json.decode(self.what, type=changes.CODES[self.code].type)
        return DistinctChange(
            self.stage, what, self.key, self.where, self.example, self.apart
        )


def distinct(
    stage: str, what: changes.Change, where: str | None = None
) -> DistinctChange:
    """A change that shows first at a stage, under the key that it has in other cases.

    where: file and line in torch or in the user's code, unless the change itself has one.
    """
    if isinstance(what, (OperatorsChanged, ContentsChanged)):
        # Which comparisons a program has, and which step shows them, is the program's.
        exchanged = (
            what.exchanged
            if isinstance(what, ContentsChanged)
            else (what.gone, what.come)
        )
        what = StrictnessChanged.of(*exchanged) or what
    # A library can be chosen before the graph is split in two, after that, or without any backward.
    anywhere = what.anywhere or what.topic == "library"
    return DistinctChange(
        stage,
        what,
        what.key if anywhere else f"{stage}: {what.key}",
        what.where or where,
    )


def independent(stage: str, what: changes.Change) -> DistinctChange:
    """A change that shows first at a stage, and that cannot follow from what changed before it in its case."""
    return replace(distinct(stage, what), apart=True)
