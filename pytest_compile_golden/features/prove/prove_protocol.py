"""What the processes that search and compile say to each other, as JSON, and what is kept of it for the next search."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from pytest_compile_golden.common.digest import of_texts
from pytest_compile_golden.features.prove.source_differences import Kind
from pytest_compile_golden.torch_source.installed_sources import Sources


class Edit(msgspec.Struct, frozen=True):
    """One definition of the new version, to be as in the old one."""

    kind: Kind
    file: str
    """`torch/_inductor/ir.py`."""
    name: str
    """Qualified: `Class.method`. For a call at the top level of a file, its source; for a template, the file's name."""
    text: str = ""
    """What to put in its place, if not what the old version has: a value, or the source of a function or template."""
    was: str = ""
    """The name of a function in the old version, if that is another."""

    @property
    def there(self) -> str:
        """Its name in the old version."""
        return self.was or self.name


class Helper(msgspec.Struct, frozen=True):
    """A name that an old definition needs, to be bound as in the old version if the new one lacks it."""

    file: str
    name: str


class Enter(msgspec.Struct, tag=True, frozen=True):
    """Have a fork compile a case, and once more while noting which functions run; it serves until `Leave`."""

    case: str
    """Its folder, below that of the goldens."""
    others: tuple[str, ...] = ()
    """What to compile before it."""
    first: bool = False
    """Whether to note what runs in the first compile of the process, instead of compiling a second time."""


class Leave(msgspec.Struct, tag=True, frozen=True):
    """End the fork that the last `Enter` made; the one before goes on."""


class Try(msgspec.Struct, tag=True, frozen=True):
    """Have a fork make the edits, then compile the case and record it."""

    case: str
    edits: tuple[Edit, ...]
    helpers: tuple[Helper, ...]
    seconds: int
    """How long it may take."""
    watched: tuple[tuple[str, str], ...] = ()
    """Functions, by file and name, in which errors are noted even if something catches them."""
    covered: bool = False
    """Whether to note which functions run."""


Request = Enter | Leave | Try


class Needs(msgspec.Struct, frozen=True):
    """What an old definition that failed may lack."""

    helpers: tuple[Helper, ...] = ()
    functions: tuple[tuple[str, str], ...] = ()
    """Functions that were running, as file (or an empty text) and name, the innermost first."""
    words: tuple[str, ...] = ()
    """Attributes and arguments that do not exist."""


class Reply(msgspec.Struct, frozen=True):
    """The end of one request. What was recorded is in the recording."""

    error: str = ""
    """Why it failed; empty if the case ran to its end."""
    crashed: bool = False
    """Whether it took the process with it."""
    needs: Needs = Needs()
    unfit: Edit | None = None
    """The edit that could not be made."""
    brought: tuple[Helper, ...] = ()
    """What came along because the edits could not be made without it."""
    caught: tuple[str, ...] = ()
    """Errors inside watched functions."""
    ran: dict[str, list[tuple[str, int]]] = {}
    """For each entry of a record, the first lines of the functions that ran before it was made and after the last."""
    names: frozenset[str] = frozenset()
    """The global names and attributes that those functions refer to."""


class Nothing(msgspec.Struct, frozen=True):
    """A try that failed, or that made no difference."""

    answer: Reply
    reached: bool
    """Whether it got as far as the artifact."""


class Begun:
    """The tries of one search that brought nothing nearer."""

    def __init__(
        self, folder: Path, versions: tuple[Sources, Sources], *search: str
    ) -> None:
        """search: what makes it the same one, with the texts that are compared."""
        self._versions = versions
        named = (
            f"{version.package} {version.commit or version.folder}"
            for version in versions
        )
        self._path = folder / f"begun-{of_texts((*named, *search))[:24]}.json"
        self._known: dict[str, Nothing] = {}
        with suppress(OSError, msgspec.MsgspecError):
            self._known = msgspec.json.decode(
                self._path.read_bytes(), type=dict[str, Nothing]
            )

    def of(self, edits: Sequence[Edit], helpers: Sequence[Helper]) -> Nothing | None:
        """What an earlier search learned of a try that came to nothing; None if there was none."""
        return self._known.get(self._key(edits, helpers))

    def note(
        self, edits: Sequence[Edit], helpers: Sequence[Helper], nothing: Nothing
    ) -> None:
        """Keep that a try came to nothing."""
        self._known[self._key(edits, helpers)] = nothing

    def end(self, finished: bool) -> None:
        """Forget everything, or keep it for the next search."""
        if finished:
            self._path.unlink(missing_ok=True)
        else:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._path.write_bytes(msgspec.json.encode(self._known))

    def _key(self, edits: Sequence[Edit], helpers: Sequence[Helper]) -> str:
        files = sorted(
            {edit.file for edit in edits} | {helper.file for helper in helpers}
        )
        # Which may be edited before the next.
        texts = (side.text(file) for side in self._versions for file in files)
        return of_texts((str(msgspec.json.encode((edits, helpers))), *texts))[:24]
