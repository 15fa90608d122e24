"""Where a case's goldens live: `<module>/<test[params]>/<target>/<stage>.<ext>` under the goldens folder.

A golden of one torch version on has it in its name. A target may have a base, with whose goldens its own are overlaid.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import PurePosixPath
from typing import TypeVar

from packaging.version import InvalidVersion, Version

from pytest_compile_golden.common.digest import of_texts
from pytest_compile_golden.errors import GoldenError

_UNSAFE = re.compile(r"[^A-Za-z0-9_.,=+()\[\]-]")
_SAFE = re.compile(
    r"(?!.*\.\Z)[A-Za-z0-9_,=+()\[\]-][A-Za-z0-9_.,=+()\[\]-]*(~[0-9a-f]{8})?"
)
# Some file systems stop at 143 bytes per name, and Windows at 260 per path.
_LONGEST = 100
_KEPT = 80
T = TypeVar("T")
OLDEST = Version("0")
"""The version that a golden without a version counts from: before every overlay."""
BASES_KEY = "compile_golden_target_base"


def safe_name(name: str, ambiguous: Collection[str] = ()) -> str:
    """`name` as a folder name that is safe on every file system, and distinct for distinct names.

    A readable name stays as it is. One that had to be changed or cut, or that is in `ambiguous` (sibling names differ
    from it only in case), gets a short hash of the whole name after a `~`, which no unchanged name can contain.
    """
    safe = _UNSAFE.sub("_", name)
    if safe.strip(".") == "" or safe.endswith("."):
        safe = safe.rstrip(".") + "_"
    if len(safe) > _LONGEST:
        safe = safe[:_KEPT]
    if safe == name and name not in ambiguous:
        return name
    digest = of_texts([name])[:8]
    return f"{safe}~{digest}"


def is_safe_name(name: str) -> bool:
    """Whether `safe_name` can have made it: so it is not hidden, and no system resolves it to another path."""
    return _SAFE.fullmatch(name) is not None and len(name.partition("~")[0]) <= _LONGEST


def differing_in_case_only(names: Iterable[str]) -> frozenset[str]:
    """Those of `names` that differ from another one only in case, and would share a folder on some systems."""
    spellings: dict[str, set[str]] = {}
    for name in names:
        spellings.setdefault(name.casefold(), set()).add(name)
    return frozenset(
        name for same in spellings.values() if len(same) > 1 for name in same
    )


def module_folder(module: PurePosixPath) -> PurePosixPath:
    """Where the goldens of a test file are; `module` is relative to the root folder."""
    return PurePosixPath(
        *map(safe_name, module.parent.parts), safe_name(module.name.removesuffix(".py"))
    )


def case_folder(module: PurePosixPath, test: str, target: str) -> PurePosixPath:
    """The folder of one case. `module` is the test file relative to the root folder, `test` a safe name."""
    return module_folder(module) / test / safe_name(target)


def folder_of_id(nodeid: str, target: str) -> PurePosixPath:
    """That of a case by pytest's id of it, unless a name beside it differs only in case."""
    module, _, test = nodeid.partition("::")
    named = (
        test.replace("::", ".").replace(f"-{target}]", "]").replace(f"[{target}]", "")
    )
    return case_folder(PurePosixPath(module), safe_name(named), target)


@dataclass(frozen=True)
class GoldenPath:
    """Where one artifact's goldens are: the folder, and the name that its golden and all overlays share."""

    folder: PurePosixPath
    stem: str
    extension: str

    @cached_property
    def versionless(self) -> PurePosixPath:
        """The file for every torch before the first overlay."""
        return self.folder / f"{self.stem}.{self.extension}"

    def overlay(self, release: str) -> PurePosixPath:
        """The file for torch from that release on."""
        return self.folder / f"{self.stem}@torch-{release}.{self.extension}"

    def release_of(self, name: str) -> str | None:
        """The release that the overlay file called `name` is for; None if it is not an overlay of this golden."""
        prefix, suffix = f"{self.stem}@torch-", f".{self.extension}"
        if (
            name.startswith(prefix)
            and name.endswith(suffix)
            and len(name) > len(prefix) + len(suffix)
        ):
            return name[len(prefix) : -len(suffix)]
        return None


class ArtifactNames:
    """Hands out the file names of one case: a second artifact of the same stage gets `.2`, a named one its name."""

    def __init__(self) -> None:
        self._given: dict[str, tuple[str, int]] = {}
        self.suffixes: set[str] = set()
        """What follows the stage's name in the stems that were handed out: "", "2", "decode", "decode.2"."""

    def stem(self, stage: str, name: str | None = None) -> str:
        """The next stem for `stage`. Raises GoldenError if `name` cannot be part of a file name."""
        if name is not None and (
            not re.fullmatch(r"[A-Za-z0-9_-]{1,60}", name) or name.isdigit()
        ):
            raise GoldenError(
                f"golden(name={name!r}) cannot name a file; use letters, digits, '_' and '-', but not only digits."
            )
        stem = stage if name is None else f"{stage}.{name}"
        spelling, count = self._given.get(stem.casefold(), (stem, 0))
        if spelling != stem:
            other = spelling.partition(".")[2]
            raise GoldenError(
                f"{name!r} and {other!r} in one test differ only in case; give them different names."
            )
        self._given[stem.casefold()] = (stem, count + 1)
        stem = stem if count == 0 else f"{stem}.{count + 1}"
        self.suffixes.add(stem[len(stage) + 1 :])
        return stem


@lru_cache(maxsize=256)
def parse_version(text: str) -> Version:
    """`text` without its local part, so that `2.13.0+cpu` and `2.13.0+cu130` are one version.

    Raises GoldenError if it is not a version.
    """
    try:
        return Version(Version(text).public)
    except InvalidVersion:
        raise GoldenError(
            f"{text!r} is not a torch version; expected one like 2.15.0 or 2.16.0.dev20260901."
        ) from None


def release_name(version: Version) -> str:
    """The release a golden belongs to, as overlays name it.

    `2.15` for every 2.15.x, and the full version for a nightly or candidate: those are not yet what 2.15 will be.
    """
    return (
        version.public if version.is_prerelease else f"{version.major}.{version.minor}"
    )


def held_on(torch: str, until: Version) -> str:
    """A torch that a golden held on, which `torch` wrote and another one replaces from a version on.

    What holds from the oldest torch version on may have been written by a newer one.
    """
    return torch if parse_version(torch) < until else f"versions before {until}"


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
            (self.below(candidate).index(folder), candidate)
            for candidate in folders
            if folder in self.below(candidate)
        ]
        return tuple(candidate for _, candidate in sorted(ranked))

    def _by_folder(self) -> dict[str, str]:
        return {
            safe_name(target): safe_name(base) for target, base in self.declared.items()
        }


NO_BASES = Bases()


def parse_bases(lines: Iterable[str]) -> Bases:
    """The bases from the lines of `compile_golden_target_base`, each `target: base`.

    Raises GoldenError if a line does not have this form, or if a target has two bases or turns out to be its own base.
    """
    declared: dict[str, str] = {}
    for line in lines:
        target, colon, base = (part.strip() for part in line.partition(":"))
        if not (target and colon and base):
            raise GoldenError(
                f"{BASES_KEY}: {line!r} is not of the form `target: base`, such as `cuda-sm100: cuda-sm90`."
            )
        if target in declared:
            raise GoldenError(
                f"{BASES_KEY} gives {target} two bases, {declared[target]} and {base}. Keep one of them."
            )
        declared[target] = base
    for target in declared:
        chain, name = [target], target
        while name in declared:
            name = declared[name]
            if name in chain:
                raise GoldenError(
                    f"{BASES_KEY}: {' -> '.join([*chain, name])} is circular. Remove one of the lines."
                )
            chain.append(name)
    return Bases(declared)


def stacked(
    own: Sequence[T], below: Sequence[T], since: Callable[[T], Version]
) -> list[T]:
    """The goldens that count among a target's own and its base's, both oldest first.

    From the first version that the target has its own goldens for, those count and the base's no longer do: what was
    accepted for this target holds until something else is accepted for it, whatever happens to the base.
    """
    return [*(item for item in below if not own or since(item) < since(own[0])), *own]
