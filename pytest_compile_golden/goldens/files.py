"""Golden files, read and written only inside their folder and in full; and their headers, which say what wrote them."""

from __future__ import annotations

import hashlib
import itertools
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import filelock
import platformdirs

from pytest_compile_golden.errors import GoldenError
from pytest_compile_golden.formats.normaliser import NORMALISER
from pytest_compile_golden.goldens.layout import parse_version
from pytest_compile_golden.lines import split_lines

_TITLE = "golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand"
_MARK = "golden of pytest-compile-golden"
_CONFLICT = re.compile(r"^<<<<<<< .*^=======$.*^>>>>>>> ", re.M | re.S)
_KNOWN = "known inputs: "
_CHANGES = "changes: "
_KEYS = ("stage", "torch", "triton", "normaliser")


def inside(root: Path, relative: PurePosixPath, kind: str = "goldens") -> Path:
    """`relative` under `root`. Raises GoldenError if that leaves `root` or goes through a symlink."""
    if relative.is_absolute() or not relative.parts or any(part in ("", ".", "..") for part in relative.parts):
        raise GoldenError(f"{relative} is not a path inside the {kind} folder {root}; this is a bug, please report it.")
    for path in itertools.accumulate((str(root), *relative.parts), os.path.join):
        try:
            mode = os.lstat(path).st_mode
        except FileNotFoundError:
            break
        except (OSError, ValueError) as error:
            raise GoldenError(f"cannot access {path}: {error}. Check the folder's permissions.") from error
        if stat.S_ISLNK(mode):
            raise GoldenError(
                f"{path} is a symlink; {kind} are never read or written through one. Replace it with a folder, or give "
                f"the real folder with --compile-golden-{'pending' if kind == 'pending' else 'dir'}."
            )
    return root.joinpath(*relative.parts)


def read(path: Path) -> bytes | None:
    """The file's bytes, or None if there is no such file."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise GoldenError(f"cannot read golden {path}: {error}. Check the file and its permissions.") from error


def write(path: Path, text: str, kind: str = "golden") -> None:
    """Write `text` to `path` atomically: a reader, or a kill at any moment, sees either the old file or the new one."""
    # Hidden and with its own suffix, so that a file left behind by a kill is never mistaken for a golden.
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            # Not tempfile: its files are private to the user, whatever the umask says.
            with temporary.open("wb") as file:
                file.write(text.encode("utf-8"))
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise GoldenError(
            f"cannot write {kind} {path}: {error}. The {kind} is unchanged; check space and permissions."
        ) from error


def remove(path: Path) -> None:
    """Delete a file, if it exists."""
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise GoldenError(f"cannot remove {path}: {error}. Check the folder's permissions.") from error


def remove_empty(folder: Path, root: Path) -> None:
    """Remove `folder` and its parents up to, but not including, `root`, as far as they are empty."""
    while folder != root and folder.is_relative_to(root):
        try:
            folder.rmdir()
        except FileNotFoundError:
            pass
        except OSError:  # not empty, or not ours to remove: an empty folder harms nobody
            return
        folder = folder.parent


def remove_leftovers(root: Path) -> None:
    """Delete the temporary files of processes that were killed, but not those of running ones."""
    for path in root.rglob(".*.tmp"):
        pid = path.name.split(".")[-2]
        if pid.isdigit() and not path.is_symlink() and not _alive(int(pid)):
            remove(path)


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        return True
    return True


@contextmanager
def locked(root: Path, folder: PurePosixPath) -> Iterator[None]:
    """Keep all others on this machine from changing that folder of goldens in the meantime.

    The lock is outside the goldens, so it is not committed, and needs no write access there.
    """
    # A few lock files serve all folders: two that share one wait for each other for a millisecond.
    name = hashlib.sha256(os.fsencode(root.absolute() / folder)).hexdigest()[:2]
    try:
        locks = platformdirs.user_cache_path("pytest-compile-golden") / "locks"
        locks.mkdir(parents=True, exist_ok=True)
        lock = filelock.FileLock(locks / name, timeout=60)
        lock.acquire()
    except (OSError, filelock.Timeout):
        # Two updates of one case at the same time are rare; a machine without a usable lock must still allow one.
        yield
        return
    try:
        yield
    finally:
        lock.release()


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


def header_text(header: Header, comment: str) -> str:
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


def parse_golden(text: str, comment: str, where: str) -> tuple[Header, str]:
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


def read_golden(path: Path) -> tuple[Header, str]:
    """The header and the body of a golden of any stage, for callers that do not look at the contents of the body.

    Raises as `parse` does.
    """
    # Latin-1 decodes anything: a file that is not ours may not be text.
    text = (read(path) or b"").decode("latin-1").replace("\r\n", "\n")
    return parse_golden(text, "//" if text.startswith("//") else "#", str(path))


def _damaged(where: str, how: str) -> DamagedGolden:
    return DamagedGolden(
        f"{where} is damaged: {how}. Restore it from version control, or accept a new golden with --snapshot-update."
    )
