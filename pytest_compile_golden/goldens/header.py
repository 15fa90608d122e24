"""The first lines of a golden, which say that it is ours, and what wrote it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from pytest_compile_golden.errors import GoldenError
from pytest_compile_golden.formats.normaliser import NORMALISER
from pytest_compile_golden.goldens import files
from pytest_compile_golden.goldens.layout import parse_version
from pytest_compile_golden.lines import split_lines

_TITLE = "golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand"
_MARK = "golden of pytest-compile-golden"
_CONFLICT = re.compile(r"^<<<<<<< .*^=======$.*^>>>>>>> ", re.M | re.S)
_KNOWN = "known inputs: "
_CHANGES = "changes: "
_KEYS = ("stage", "torch", "triton", "normaliser")


class DamagedGolden(GoldenError):
    """A file that is a golden of ours but cannot be read; accepting may replace it."""


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


def render(header: Header, comment: str) -> str:
    """The header's lines in a file type whose comments start with `comment`, up to and including the blank line.

    Raises GoldenError for a value that would break the header's syntax.
    """
    values = (header.stage, header.torch, header.triton or "none", str(header.normaliser))
    for value in (*values, *header.known, *header.changes):
        if not value.isprintable() or "," in value:
            raise GoldenError(f"{value!r} cannot be written in a golden's header.")
    facts = ", ".join(f"{key}: {value}" for key, value in zip(_KEYS, values, strict=True))
    known_line = f"{comment} {_KNOWN}{', '.join(header.known)}\n" if header.known else ""
    changes = f"{comment} {_CHANGES}{', '.join(header.changes)}\n" if header.changes else ""
    return f"{comment} {_TITLE}\n{comment} {facts}\n{changes}{known_line}\n"


def parse(text: str, comment: str, where: str) -> tuple[Header, str]:
    """Split a golden's text into its header and its body; `where` names the file in errors.

    Raises GoldenError if the file is not one of ours, DamagedGolden if it is but its header is broken.
    """
    if "<<<<<<< " in text and _MARK in text and _CONFLICT.search(text):
        raise DamagedGolden(
            f"{where} contains merge conflict markers. Take one side (git checkout --ours or --theirs), or "
            "accept a new golden with --snapshot-update."
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
        raise _damaged(where, "its header has no end")
    facts: dict[str, str] = {}
    known: tuple[str, ...] = ()
    changes: tuple[str, ...] = ()
    for line in split_lines(lines):
        if not line.startswith(f"{comment} "):
            raise _damaged(where, f"its header contains {line[:60]!r}")
        fact = line.removeprefix(f"{comment} ")
        if fact.startswith(_KNOWN):
            known = tuple(fact.removeprefix(_KNOWN).split(", "))
        elif fact.startswith(_CHANGES):
            changes = tuple(fact.removeprefix(_CHANGES).split(", "))
        else:
            facts.update(re.findall(r"(\w+): ([^,\n]+)", fact))
    missing = [key for key in _KEYS if key not in facts]
    if missing:
        raise _damaged(where, f"its header does not name {', '.join(missing)}")
    try:
        parse_version(facts["torch"])
        normaliser = int(facts["normaliser"])
    except (GoldenError, ValueError):
        raise _damaged(where, "its header names no version") from None
    triton = None if facts["triton"] == "none" else facts["triton"]
    return Header(facts["stage"], facts["torch"], triton, normaliser, known, changes), body


def read(path: Path) -> tuple[Header, str]:
    """The header and the body of a golden of any stage, for callers that do not look at the contents of the body.

    Raises as `parse` does.
    """
    # Latin-1 decodes anything: a file that is not ours may not be text.
    text = (files.read(path) or b"").decode("latin-1").replace("\r\n", "\n")
    return parse(text, "//" if text.startswith("//") else "#", str(path))


def _damaged(where: str, how: str) -> DamagedGolden:
    return DamagedGolden(
        f"{where} is damaged: {how}. Restore it from version control, or accept a new golden with --snapshot-update."
    )
