"""Targets whose goldens are kept as overlays of another target's: only where they differ from those."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import TypeVar

from packaging.version import Version

from pytest_compile_golden.errors import GoldenError
from pytest_compile_golden.goldens.layout import safe_name

T = TypeVar("T")

OLDEST = Version("0")
"""The version that a golden without a version counts from: before every overlay."""
INI = "compile_golden_target_base"


@dataclass(frozen=True)
class Bases:
    """The bases of targets, as the project declares them."""

    declared: Mapping[str, str] = field(default_factory=dict)
    """Target name to the name of its base."""

    def below(self, folder: PurePosixPath) -> tuple[PurePosixPath, ...]:
        """The folders of the same case on the bases of its target, nearest first."""
        by_folder = self._by_folder()
        folders_below: list[PurePosixPath] = []
        name = folder.name
        while name in by_folder:
            name = by_folder[name]
            folders_below.append(folder.parent / name)
        return tuple(folders_below)

    def above(self, folder: PurePosixPath) -> tuple[PurePosixPath, ...]:
        """The folders of the same case on every target that has this one as a base, nearest first."""
        by_folder = self._by_folder()
        folders = (folder.parent / name for name in by_folder)
        ranked = [
            (self.below(candidate).index(folder), candidate) for candidate in folders if folder in self.below(candidate)
        ]
        return tuple(candidate for _, candidate in sorted(ranked))

    def _by_folder(self) -> dict[str, str]:
        return {safe_name(target): safe_name(base) for target, base in self.declared.items()}


NO_BASES = Bases()


def parse(lines: Iterable[str]) -> Bases:
    """The bases from the lines of `compile_golden_target_base`, each `target: base`.

    Raises GoldenError if a line does not have this form, or if a target has two bases or turns out to be its own base.
    """
    declared: dict[str, str] = {}
    for line in lines:
        target, colon, base = (part.strip() for part in line.partition(":"))
        if not (target and colon and base):
            raise GoldenError(f"{INI}: {line!r} is not of the form `target: base`, such as `cuda-sm100: cuda-sm90`.")
        if target in declared:
            raise GoldenError(f"{INI} gives {target} two bases, {declared[target]} and {base}. Keep one of them.")
        declared[target] = base
    for target in declared:
        chain, name = [target], target
        while name in declared:
            name = declared[name]
            if name in chain:
                raise GoldenError(f"{INI}: {' -> '.join([*chain, name])} is circular. Remove one of the lines.")
            chain.append(name)
    return Bases(declared)


def stacked(own: Sequence[T], below: Sequence[T], since: Callable[[T], Version]) -> list[T]:
    """The goldens that count among a target's own and its base's, both oldest first.

    From the first version that the target has its own goldens for, those count and the base's no longer do: what was
    accepted for this target holds until something else is accepted for it, whatever happens to the base.
    """
    return [*(item for item in below if not own or since(item) < since(own[0])), *own]
