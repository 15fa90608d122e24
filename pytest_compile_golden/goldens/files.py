"""Reading and writing golden files: only inside the goldens folder, whole or not at all."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

import filelock
import platformdirs

from pytest_compile_golden.errors import GoldenError


def inside(root: Path, relative: PurePosixPath, kind: str = "goldens") -> Path:
    """`relative` under `root`. Raises GoldenError where that leaves `root` or goes through a symlink."""
    if relative.is_absolute() or not relative.parts or any(part in ("", ".", "..") for part in relative.parts):
        raise GoldenError(
            f"{relative} is not a place inside the {kind} folder {root}; this is a bug, please report it."
        )
    path = root
    for part in ("", *relative.parts):
        path = path / part
        try:
            mode = path.lstat().st_mode
        except FileNotFoundError:
            break
        except (OSError, ValueError) as error:
            raise GoldenError(f"cannot look at {path}: {error}. Check the folder's permissions.") from error
        if stat.S_ISLNK(mode):
            raise GoldenError(
                f"{path} is a symlink; {kind} are never read or written through one. Replace it by a folder, or name "
                f"the real folder with --compile-golden-{'pending' if kind == 'pending' else 'dir'}."
            )
    return root.joinpath(*relative.parts)


def read(path: Path) -> bytes | None:
    """The file's bytes, None where there is no such file."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise GoldenError(f"cannot read golden {path}: {error}. Check the file and its permissions.") from error


def write(path: Path, text: str, kind: str = "golden") -> None:
    """Put `text` at `path` atomically: a reader, or a kill at any moment, sees the old file or the new one."""
    # Hidden and with its own suffix, so that what a kill leaves behind is never taken for a golden.
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
            f"cannot write {kind} {path}: {error}. The {kind} is as it was; check space and permissions."
        ) from error


def remove(path: Path) -> None:
    """Delete a file; nothing happens where there is none."""
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise GoldenError(f"cannot remove {path}: {error}. Check the folder's permissions.") from error


def remove_empty(folder: Path, root: Path) -> None:
    """Remove `folder` and those above it, up to and without `root`, as far as they are empty."""
    while folder != root and folder.is_relative_to(root):
        try:
            folder.rmdir()
        except FileNotFoundError:
            pass
        except OSError:  # not empty, or not ours to remove: an empty folder harms nobody
            return
        folder = folder.parent


def remove_leftovers(root: Path) -> None:
    """Delete the temporary files of processes that were killed; those of running ones stay."""
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
    """Nobody else on this machine changes that folder of goldens meanwhile.

    The lock lies outside of the goldens, where it is neither committed nor in need of write access.
    """
    # Few files for all folders there are: two that share a lock wait for each other a millisecond.
    name = hashlib.sha256(os.fsencode(root.absolute() / folder)).hexdigest()[:2]
    try:
        place = platformdirs.user_cache_path("pytest-compile-golden") / "locks"
        place.mkdir(parents=True, exist_ok=True)
        lock = filelock.FileLock(place / name, timeout=60)
        lock.acquire()
    except (OSError, filelock.Timeout):
        # Two updates of one case at once are rare; a machine without a usable lock must still be able to do one.
        yield
        return
    try:
        yield
    finally:
        lock.release()
