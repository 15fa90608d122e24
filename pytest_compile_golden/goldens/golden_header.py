"""A golden's file: its text below a header, which says which stage it holds and what wrote it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import PurePosixPath

from pytest_compile_golden.common.files import Folder
from pytest_compile_golden.common.format_version import NORMALISER
from pytest_compile_golden.common.lines import split_lines, unreadable
from pytest_compile_golden.errors import GoldenError
from pytest_compile_golden.goldens.golden_paths import parse_version

_TITLE = "golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand"
_MARK = "golden of pytest-compile-golden"
_CONFLICT = re.compile(r"^<<<<<<< .*^=======$.*^>>>>>>> ", re.M | re.S)
_KNOWN = "known inputs: "
_CHANGES = "changes: "
_KEYS = ("stage", "torch", "triton", "normaliser")
_REJECT = "Reject it, or leave its stage out of what the case compares."


class DamagedGolden(GoldenError):
    """A file that is a golden of ours but cannot be read; accepting may replace it."""

    def __init__(
        self,
        where: object,
        how: str,
        advice: str = "Restore it from version control, or accept a new golden with --snapshot-update.",
    ) -> None:
        super().__init__(f"{where} is damaged: {how}. {advice}")
        self.how = how


@dataclass(frozen=True)
class Header:
    """Which stage a golden holds, and the versions that wrote it."""

    stage: str
    torch: str
    """Without the local part (`+cpu`): the wheels of one version give the same artifacts."""
    triton: str | None
    normaliser: int = NORMALISER
    known: tuple[str, ...] = ()
    """The inputs whose values the case's program asked for: other values may give another golden."""
    changes: tuple[str, ...] = ()
    """For an overlay, the codes of what it changes in the golden that it overlays."""


def header_text(header: Header, comment: str) -> str:
    """The header's lines in a file type whose comments start with `comment`, up to and including the blank line.

    Raises GoldenError for a value that would break the header's syntax.
    """
    values = (
        header.stage,
        header.torch,
        header.triton or "none",
        str(header.normaliser),
    )
    for value in (*values, *header.known, *header.changes):
        if not value.isprintable() or "," in value:
            raise GoldenError(f"{value!r} cannot be written in a golden's header.")
    facts = ", ".join(
        f"{key}: {value}" for key, value in zip(_KEYS, values, strict=True)
    )
    known_line = (
        f"{comment} {_KNOWN}{', '.join(header.known)}\n" if header.known else ""
    )
    changes = (
        f"{comment} {_CHANGES}{', '.join(header.changes)}\n" if header.changes else ""
    )
    return f"{comment} {_TITLE}\n{comment} {facts}\n{changes}{known_line}\n"


def golden_bytes(header: Header, comment: str, body: str, where: object) -> bytes:
    """A golden's file; `where` names it in errors. Raises GoldenError for what `parse_bytes` would not give back."""
    try:
        data = (header_text(header, comment) + body).encode("utf-8")
        how = (
            ""
            if parse_bytes(data, comment, where) == (header, body)
            else "reading it gives another text"
        )
    except UnicodeEncodeError as error:
        how = str(error)
    except DamagedGolden as error:
        how = error.how
    if how:
        raise GoldenError(
            f"{where} was not written, because it could not be read back: {how}. {_REJECT}"
        )
    return data


# A golden is read several times while a case is compared and accepted.
@lru_cache(maxsize=256)
def parse_bytes(data: bytes, comment: str, where: object) -> tuple[Header, str]:
    """The header and the body of a golden's file, whichever line endings it has been checked out with.

    Raises GoldenError if the file is not one of ours, DamagedGolden if it is but is not text or its header is broken.
    """
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        # Latin-1 decodes anything: good enough to tell a damaged golden of ours from a file that is not ours.
        parse_golden(data.decode("latin-1").replace("\r\n", "\n"), comment, where)
        raise DamagedGolden(where, "it is not UTF-8") from None
    if why := unreadable(text):
        raise DamagedGolden(where, why)
    return parse_golden(text.replace("\r\n", "\n"), comment, where)


def parse_golden(text: str, comment: str, where: object) -> tuple[Header, str]:
    """Split a golden's text into its header and its body; `where` names the file in errors.

    Raises GoldenError if the file is not one of ours, DamagedGolden if it is but its header is broken.
    """
    if "<<<<<<< " in text and _MARK in text and _CONFLICT.search(text):
        raise DamagedGolden(
            where,
            "it contains merge conflict markers",
            "Take one side (git checkout --ours or --theirs), or accept a new golden with --snapshot-update.",
        )
    title, _, remainder = text.partition("\n")
    if not title.startswith(f"{comment} {_MARK}"):
        raise GoldenError(
            f"{where} is not a golden of pytest-compile-golden, and will not be overwritten. "
            "Move or delete it, or restore the golden from version control."
        )
    # Later lines may hold more facts: a newer version of this project may have written them.
    lines, blank, body = remainder.partition("\n\n")
    if not blank:
        raise DamagedGolden(where, "its header has no end")
    facts: dict[str, str] = {}
    known: tuple[str, ...] = ()
    changes: tuple[str, ...] = ()
    for line in split_lines(lines):
        if not line.startswith(f"{comment} "):
            raise DamagedGolden(where, f"its header contains {line[:60]!r}")
        fact = line.removeprefix(f"{comment} ")
        if fact.startswith(_KNOWN):
            known = tuple(fact.removeprefix(_KNOWN).split(", "))
        elif fact.startswith(_CHANGES):
            changes = tuple(fact.removeprefix(_CHANGES).split(", "))
        else:
            facts.update(re.findall(r"(\w+): ([^,\n]+)", fact))
    missing = [key for key in _KEYS if key not in facts]
    if missing:
        raise DamagedGolden(where, f"its header does not name {', '.join(missing)}")
    try:
        parse_version(facts["torch"])
        normaliser = int(facts["normaliser"])
    except (GoldenError, ValueError):
        raise DamagedGolden(where, "its header names no version") from None
    triton = None if facts["triton"] == "none" else facts["triton"]
    return Header(
        facts["stage"], facts["torch"], triton, normaliser, known, changes
    ), body


def read_golden(goldens: Folder, path: PurePosixPath) -> tuple[Header, str]:
    """The header and the body of a golden of any stage. Raises as `parse_bytes` does."""
    data = goldens.read(path) or b""
    comment = "//" if data.startswith(b"//") else "#"
    return parse_bytes(data, comment, goldens.root / path)
