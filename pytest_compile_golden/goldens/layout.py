"""Where a case's goldens live: `<module>/<test[params]>/<target>/<stage>.<ext>` under the goldens folder."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import PurePosixPath

from pytest_compile_golden.errors import GoldenError

_UNSAFE = re.compile(r"[^A-Za-z0-9_.,=+()\[\]-]")
_SAFE = re.compile(r"(?!.*\.\Z)[A-Za-z0-9_,=+()\[\]-][A-Za-z0-9_.,=+()\[\]-]*(~[0-9a-f]{8})?")
# Some file systems stop at 143 bytes per name, and Windows at 260 per path.
_LONGEST = 100
_KEPT = 80


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
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{safe}~{digest}"


def is_safe_name(name: str) -> bool:
    """Whether `safe_name` can have made it: so it is not hidden, and no system resolves it to another path."""
    return _SAFE.fullmatch(name) is not None and len(name.partition("~")[0]) <= _LONGEST


def differing_in_case_only(names: Iterable[str]) -> frozenset[str]:
    """Those of `names` that differ from another one only in case, and would share a folder on some systems."""
    spellings: dict[str, set[str]] = {}
    for name in names:
        spellings.setdefault(name.casefold(), set()).add(name)
    return frozenset(name for same in spellings.values() if len(same) > 1 for name in same)


def case_folder(module: PurePosixPath, test: str, target: str) -> PurePosixPath:
    """The folder of one case. `module` is the test file relative to the root folder, `test` a safe name."""
    parts = [*module.parent.parts, module.name.removesuffix(".py")]
    return PurePosixPath(*(safe_name(part) for part in parts), test, safe_name(target))


@dataclass(frozen=True)
class GoldenPath:
    """Where one artifact's goldens are: the folder, and the name that its golden and all overlays share."""

    folder: PurePosixPath
    stem: str
    extension: str

    @property
    def versionless(self) -> PurePosixPath:
        return self.folder / f"{self.stem}.{self.extension}"

    def overlay(self, release: str) -> PurePosixPath:
        return self.folder / f"{self.stem}@torch-{release}.{self.extension}"

    def release_of(self, name: str) -> str | None:
        """The release that the overlay file called `name` is for; None if it is not an overlay of this golden."""
        prefix, suffix = f"{self.stem}@torch-", f".{self.extension}"
        if name.startswith(prefix) and name.endswith(suffix) and len(name) > len(prefix) + len(suffix):
            return name[len(prefix) : -len(suffix)]
        return None


class Names:
    """Hands out the file names of one case: a second artifact of the same stage gets `.2`, a named one its name."""

    def __init__(self) -> None:
        self._given: dict[str, tuple[str, int]] = {}
        self.suffixes: set[str] = set()
        """What follows the stage's name in the stems that were handed out: "", "2", "decode", "decode.2"."""

    def stem(self, stage: str, name: str | None = None) -> str:
        """The next stem for `stage`. Raises GoldenError if `name` cannot be part of a file name."""
        if name is not None and (not re.fullmatch(r"[A-Za-z0-9_-]{1,60}", name) or name.isdigit()):
            raise GoldenError(
                f"golden(name={name!r}) cannot name a file; use letters, digits, '_' and '-', but not only digits."
            )
        stem = stage if name is None else f"{stage}.{name}"
        spelling, count = self._given.get(stem.casefold(), (stem, 0))
        if spelling != stem:
            other = spelling.partition(".")[2]
            raise GoldenError(f"{name!r} and {other!r} in one test differ only in case; give them different names.")
        self._given[stem.casefold()] = (stem, count + 1)
        stem = stem if count == 0 else f"{stem}.{count + 1}"
        self.suffixes.add(stem[len(stage) + 1 :])
        return stem
