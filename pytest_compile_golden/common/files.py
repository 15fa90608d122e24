"""Files of ours, read and written only inside their folder and in full."""

from __future__ import annotations

import hashlib
import itertools
import os
import stat
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, nullcontext
from pathlib import Path, PurePosixPath

import filelock
import platformdirs

from pytest_compile_golden.errors import GoldenError

_WAITING = 16
"""For so many files it is waited at once until they are on the disk."""
_LARGEST = 256 << 20
"""Bytes of a file that is read. No golden comes near it; a device or a file with a hole may be endless."""


class _Block:
    """What a block of `together` has read, and what it has yet to write and to remove."""

    def __init__(self) -> None:
        self.checked: dict[tuple[Path, PurePosixPath], Path] = {}
        """What `inside` found to be no link."""
        self.names: dict[Path, set[str]] = {}
        """What is in each folder."""
        self.contents: dict[Path, bytes | None] = {}
        """Of each file; None if there is none."""
        self.changed: dict[Path, str] = {}
        """Files that have other contents than on disk, each with what it is called in errors."""
        self.emptied: dict[Path, Path] = {}
        """Folders that may be empty then, each with the one that stays."""
        self.locks: set[str] = set()

    def put(self, path: Path, data: bytes | None, kind: str) -> None:
        self.contents[path] = data
        self.changed[path] = kind
        names = self.names_in(path.parent)
        (names.discard if data is None else names.add)(path.name)

    def names_in(self, folder: Path) -> set[str]:
        if folder not in self.names:
            self.names[folder] = set(_names_in(folder))
        return self.names[folder]

    def finish(self) -> None:
        """Write it all. Raises GoldenError for the first file that cannot be written, with all as it was."""
        written = {
            path: _temporary(path)
            for path in self.changed
            if self.contents[path] is not None
        }
        try:
            for path, temporary in written.items():
                with _as_golden_error(path, self.changed[path]):
                    path.parent.mkdir(parents=True, exist_ok=True)
                    temporary.write_bytes(self.contents[path] or b"")
            with ThreadPoolExecutor(_WAITING) as pool:
                _ = list(pool.map(self._wait_for, written.items()))
            for path, temporary in written.items():
                with _as_golden_error(path, self.changed[path]):
                    temporary.replace(path)
        except BaseException:
            for temporary in written.values():
                temporary.unlink(missing_ok=True)
            raise
        for path in self.changed:
            if self.contents[path] is None:
                _unlink(path)
        for folder, root in self.emptied.items():
            _remove_empty(folder, root)

    def _wait_for(self, written: tuple[Path, Path]) -> None:
        """Until a temporary file is on the disk: the disk writes those together that are waited for together."""
        path, temporary = written
        with _as_golden_error(path, self.changed[path]), temporary.open("r+b") as file:
            os.fsync(file.fileno())


_block: _Block | None = None


@contextmanager
def together(root: Path, folders: Iterable[PurePosixPath]) -> Iterator[None]:
    """Write and remove at the end of the block what it would write and remove: to wait for each file alone until it is
    on the disk takes eight times as long. In the block, files are as they will be.

    folders: those of goldens below `root` that it changes, which are kept from others meanwhile, as by `locked`.
    Raises GoldenError if a file cannot be written, which leaves all as it was.
    """
    global _block
    block = _Block()
    with ExitStack() as stack:
        for name in sorted({_lock_name(root, folder) for folder in folders}):
            stack.enter_context(_lock(name))
            block.locks.add(name)
        _block = block
        try:
            yield
        finally:
            _block = None
        block.finish()


def inside(root: Path, relative: PurePosixPath, kind: str = "goldens") -> Path:
    """`relative` under `root`. Raises GoldenError if that leaves `root` or goes through a symlink."""
    if _block is not None and (root, relative) in _block.checked:
        return _block.checked[root, relative]
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
    if _block is None:
        return root / relative
    return _block.checked.setdefault((root, relative), root / relative)


def read(path: Path) -> bytes | None:
    """The file's bytes, or None if there is no such file.

    Raises GoldenError for a file that cannot be read, is larger than any of ours, or is a folder, a pipe or a device.
    """
    if _block is None:
        return _read(path)
    if path not in _block.contents:
        _block.contents[path] = _read(path)
    return _block.contents[path]


def _read(path: Path) -> bytes | None:
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
    if _block is None:
        return _names_in(folder)
    return sorted(_block.names_in(folder))


def _names_in(folder: Path) -> list[str]:
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
    if _block is not None:
        _block.put(path, data, kind)
        return
    temporary = _temporary(path)
    with _as_golden_error(path, kind):
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


def _temporary(path: Path) -> Path:
    # Hidden and with its own suffix, so that a file left behind by a kill is never mistaken for a golden.
    return path.with_name(f".{path.name}.{os.getpid()}.tmp")


@contextmanager
def _as_golden_error(path: Path, kind: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise GoldenError(
            f"cannot write {kind} {path}: {error}. The {kind} is unchanged; check space and permissions."
        ) from error


def remove(path: Path) -> None:
    """Delete a file, if it exists."""
    if _block is None:
        _unlink(path)
    elif read(path) is not None:
        _block.put(path, None, "golden")


def _unlink(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise GoldenError(
            f"cannot remove {path}: {error}. Check the folder's permissions."
        ) from error


def remove_empty(folder: Path, root: Path) -> None:
    """Remove `folder` and its parents up to, but not including, `root`, as far as they are empty."""
    if _block is None:
        _remove_empty(folder, root)
    else:
        _block.emptied[folder] = root


def _remove_empty(folder: Path, root: Path) -> None:
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
    name = _lock_name(root, folder)
    # A block of `together` has it until its end.
    with nullcontext() if _block and name in _block.locks else _lock(name):
        yield


def _lock_name(root: Path, folder: PurePosixPath) -> str:
    # A few lock files serve all folders: two that share one wait for each other for a millisecond.
    return hashlib.sha256(os.fsencode(root.absolute() / folder)).hexdigest()[:2]


@contextmanager
def _lock(name: str) -> Iterator[None]:
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
