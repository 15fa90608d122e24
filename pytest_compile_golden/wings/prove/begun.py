"""What the tries of a search gave that was not finished, kept in the user's cache: the next one goes on from there."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from pytest_compile_golden.torch_source.installation import Sources
from pytest_compile_golden.wings.prove.messages import Answer, Edit, Helper


class Nothing(msgspec.Struct, frozen=True):
    """A try that failed, or that made no difference."""

    answer: Answer
    reached: bool
    """Whether it got as far as the artifact."""


class Begun:
    """The tries of one search that brought nothing nearer."""

    def __init__(self, folder: Path, versions: tuple[Sources, Sources], *search: str) -> None:
        """search: what makes it the same one, with the texts that are compared."""
        self._versions = versions
        self._path = folder / f"begun-{_digest(*map(_name, versions), *search)}.json"
        self._known: dict[str, Nothing] = {}
        with suppress(OSError, msgspec.MsgspecError):
            self._known = msgspec.json.decode(self._path.read_bytes(), type=dict[str, Nothing])

    def of(self, edits: Sequence[Edit], helpers: Sequence[Helper]) -> Nothing | None:
        return self._known.get(self._key(edits, helpers))

    def note(self, edits: Sequence[Edit], helpers: Sequence[Helper], nothing: Nothing) -> None:
        self._known[self._key(edits, helpers)] = nothing

    def end(self, finished: bool) -> None:
        """Forget everything, or keep it for the next search."""
        if finished:
            self._path.unlink(missing_ok=True)
        else:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._path.write_bytes(msgspec.json.encode(self._known))

    def _key(self, edits: Sequence[Edit], helpers: Sequence[Helper]) -> str:
        files = sorted({edit.file for edit in edits} | {helper.file for helper in helpers})
        texts = (side.text(file) for side in self._versions for file in files)  # which may be edited before the next
        return _digest(str(msgspec.json.encode((edits, helpers))), *texts)


def _name(version: Sources) -> str:
    return f"{version.package} {version.commit or version.folder}"


def _digest(*texts: str) -> str:
    return hashlib.sha256("\0".join(texts).encode("utf-8", "replace")).hexdigest()[:24]
