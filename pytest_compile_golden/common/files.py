"""Files of ours, read and written only inside their folder and in full."""

from __future__ import annotations

import hashlib
import itertools
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

import filelock
import platformdirs

from pytest_compile_golden.errors import GoldenError

_LARGEST = 256 << 20
"""Bytes of a file that is read. No golden comes near it; a device or a file with a hole may be endless."""


def inside(root: Path, relative: PurePosixPath, kind: str = "goldens") -> Path:
    """`relative` under `root`. Raises GoldenError if that leaves `root` or goes through a symlink."""
    parts = relative.parts
    if relative.is_absolute() or not parts or not {"", ".", ".."}.isdisjoint(parts):
        raise GoldenError(
            f"{relative} is not a path inside the {kind} folder {root}; this is a bug, please report it."
        )
    for path in itertools.accumulate((str(root), *parts), "{}/{}".format):
        try:
            mode = os.lstat(path).st_mode
        except FileNotFoundError:
            break
        except (OSError, ValueError) as error:
            raise GoldenError(
                f"cannot access {path}: {error}. Check the folder's permissions."
            ) from error
        if stat.S_ISLNK(mode):
            raise GoldenError(
                f"{path} is a symlink; {kind} are never read or written through one. Replace it with a folder, or give "
                f"the real folder with --compile-golden-{'pending' if kind == 'pending' else 'dir'}."
            )
    return root / relative


def read(path: Path) -> bytes | None:
    """The file's bytes, or None if there is no such file.

    Raises GoldenError for a file that cannot be read, is larger than any of ours, or is a folder, a pipe or a device.
    """
    try:
        # First of all, since opening a named pipe waits until somebody writes to it.
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise GoldenError(
                f"{path} is not a file but a folder, a pipe or a device. Remove it."
            )
        if status.st_size > _LARGEST:
            raise GoldenError(
                f"{path} has {status.st_size:,} bytes, more than any golden. Remove it."
            )
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise GoldenError(
            f"cannot read golden {path}: {error}. Check the file and its permissions."
        ) from error


def names_in(folder: Path) -> list[str]:
    """The names in a folder, in order; none if there is no such folder."""
    try:
        with os.scandir(folder) as entries:
            return sorted(entry.name for entry in entries)
    except FileNotFoundError:
        return []
    except OSError as error:
        raise GoldenError(
            f"cannot read {folder}: {error}. Check the folder and its permissions."
        ) from error


def write(path: Path, text: str | bytes, kind: str = "golden") -> None:
    """Write `text` to `path` atomically: a reader, or a kill at any moment, sees either the old file or the new one."""
    data = text.encode("utf-8") if isinstance(text, str) else text
    # Hidden and with its own suffix, so that a file left behind by a kill is never mistaken for a golden.
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            # Not tempfile: its files are private to the user, whatever the umask says.
            with temporary.open("wb") as file:
                file.write(data)
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
        raise GoldenError(
            f"cannot remove {path}: {error}. Check the folder's permissions."
        ) from error


def remove_empty(folder: Path, root: Path) -> None:
    """Remove `folder` and its parents up to, but not including, `root`, as far as they are empty."""
    while folder != root and folder.is_relative_to(root):
        try:
            folder.rmdir()
        except FileNotFoundError:
            pass
        except OSError:
            # Not empty, or not ours to remove: an empty folder harms nobody.
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
