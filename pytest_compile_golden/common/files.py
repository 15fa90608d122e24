"""Files of ours, read and written only inside their folder and in full."""

from __future__ import annotations

import hashlib
import itertools
import os
import stat
import threading
from collections.abc import Collection, Iterable, Iterator
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


def has(folder: Path, name: str) -> bool:
    """Whether a folder holds a file of this name; not, where the folder may not be entered."""
    try:
        return (folder / name).is_file()
    except PermissionError:
        return False


def inside(
    root: Path, relative: PurePosixPath, kind: str = "goldens", checked: int = 0
) -> Path:
    """`relative` under `root`. Raises GoldenError if that leaves `root` or goes through a symlink.

    checked: so many of the folders on the way, `root` first, are known to be none.
    """
    parts = relative.parts
    if relative.is_absolute() or not parts or not {"", ".", ".."}.isdisjoint(parts):
        raise GoldenError(
            f"{relative} is not a path inside the {kind} folder {root}; this is a bug, please report it."
        )
    on_the_way = itertools.accumulate((str(root), *parts), "{}/{}".format)
    for path in itertools.islice(on_the_way, checked, None):
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


def names_in(folder: Path, *, only_files: bool = False) -> list[str]:
    """The names in a folder, in order; none if there is no such folder. Raises GoldenError if it cannot be read.

    only_files: leave out folders, links, pipes and devices.
    """
    try:
        # An entry knows its kind: asking each path for it takes longer than reading the files.
        with os.scandir(folder) as entries:
            return sorted(
                entry.name
                for entry in entries
                if not only_files or entry.is_file(follow_symlinks=False)
            )
    except FileNotFoundError:
        return []
    except OSError as error:
        raise GoldenError(
            f"cannot read {folder}: {error}. Check the folder and its permissions."
        ) from error


def write(path: Path, text: str | bytes, kind: str = "golden") -> None:
    """Write `text` to `path` atomically: a reader, or a kill at any moment, sees either the old file or the new one."""
    data = text.encode("utf-8") if isinstance(text, str) else text
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


def write_cached(path: Path, data: bytes) -> None:
    """Write a file that can be made again. Another process, or thread, finds either none or all of it.

    Raises OSError.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = _temporary(path)
    temporary.write_bytes(data)
    temporary.replace(path)


def _temporary(path: Path) -> Path:
    # Hidden and with its own suffix, so that a file left behind by a kill is never mistaken for a golden.
    return path.with_name(f".{path.name}.{os.getpid()}-{threading.get_ident()}.tmp")


@contextmanager
def _as_golden_error(path: Path, kind: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise GoldenError(
            f"cannot write {kind} {path}: {error}. The {kind} is unchanged; check space and permissions."
        ) from error


def remove(path: Path) -> None:
    """Delete a file, if it exists. Raises GoldenError if it cannot be deleted."""
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
        pid = path.name.split(".")[-2].partition("-")[0]
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


class Folder:
    """A folder of goldens: what is in it is read and written only inside it, and in full."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def inside(self, relative: PurePosixPath) -> Path:
        """As the function `inside` does."""
        return inside(self.root, relative)

    def read(self, relative: PurePosixPath) -> bytes | None:
        """The bytes of a file, or None if there is no such file."""
        return read(self.inside(relative))

    def names_in(self, relative: PurePosixPath) -> list[str]:
        """The names in a folder, in order; none if there is no such folder."""
        return names_in(self.inside(relative))

    def write(self, relative: PurePosixPath, data: bytes, kind: str = "golden") -> None:
        """Write a file atomically; `kind` is what it is called in errors."""
        write(self.inside(relative), data, kind)

    def remove(self, relative: PurePosixPath) -> None:
        """Delete a file, if it exists, and the folders that are empty then."""
        path = self.inside(relative)
        remove(path)
        remove_empty(path.parent, self.root)

    @contextmanager
    def locked(self, relative: PurePosixPath) -> Iterator[None]:
        """Keep all others on this machine from changing that folder in the meantime.

        The lock is outside the goldens, so it is not committed, and needs no write access there.
        """
        with _lock(_lock_name(self.root, relative)):
            yield

    @contextmanager
    def together(self, folders: Iterable[PurePosixPath]) -> Iterator[Folder]:
        """The same folder, in which files are as they will be: what is written and removed there is written and removed
        at the end of the block. To wait for each file alone until it is on the disk takes eight times as long.

        folders: those that it changes, which are locked until then. Raises GoldenError if a file cannot be written,
        which leaves all as it was.
        """
        names = {_lock_name(self.root, folder) for folder in folders}
        with ExitStack() as stack:
            for name in sorted(names):
                stack.enter_context(_lock(name))
            later = _WrittenLater(self.root, names)
            yield later
            later.finish()


class _WrittenLater(Folder):
    """A folder with what has yet to be written to it; what was once read is kept."""

    def __init__(self, root: Path, locks: Collection[str]) -> None:
        super().__init__(root)
        self._locks = locks
        self._checked: dict[PurePosixPath, Path] = {}
        """What was found to be inside, and no link."""
        self._names: dict[PurePosixPath, set[str]] = {}
        self._contents: dict[PurePosixPath, bytes | None] = {}
        self._changed: dict[PurePosixPath, str] = {}
        """Files that have other contents than on disk, each with what it is called in errors."""

    def inside(self, relative: PurePosixPath) -> Path:
        if relative not in self._checked:
            folder = relative.parent
            checked = len(folder.parts) + 1 if folder in self._checked else 0
            self._checked[relative] = inside(self.root, relative, checked=checked)
        return self._checked[relative]

    def read(self, relative: PurePosixPath) -> bytes | None:
        if relative not in self._contents:
            self._contents[relative] = super().read(relative)
        return self._contents[relative]

    def names_in(self, relative: PurePosixPath) -> list[str]:
        if relative not in self._names:
            self._names[relative] = set(super().names_in(relative))
        return sorted(self._names[relative])

    def write(self, relative: PurePosixPath, data: bytes, kind: str = "golden") -> None:
        self._put(relative, data, kind)

    def remove(self, relative: PurePosixPath) -> None:
        if self.read(relative) is not None:
            self._put(relative, None, "golden")

    def _put(self, relative: PurePosixPath, data: bytes | None, kind: str) -> None:
        self.inside(relative)
        self.names_in(relative.parent)
        self._contents[relative] = data
        self._changed[relative] = kind
        if data is None:
            self._names[relative.parent].discard(relative.name)
        else:
            self._names[relative.parent].add(relative.name)

    @contextmanager
    def locked(self, relative: PurePosixPath) -> Iterator[None]:
        # Those of the block are locked until its end.
        name = _lock_name(self.root, relative)
        with nullcontext() if name in self._locks else _lock(name):
            yield

    def finish(self) -> None:
        """Write it all. Raises GoldenError for the first file that cannot be written, with all as it was."""
        paths = {relative: self.root / relative for relative in self._changed}
        written = {
            relative: _temporary(path)
            for relative, path in paths.items()
            if self._contents[relative] is not None
        }
        try:
            for relative, temporary in written.items():
                with _as_golden_error(paths[relative], self._changed[relative]):
                    temporary.parent.mkdir(parents=True, exist_ok=True)
                    temporary.write_bytes(self._contents[relative] or b"")
            with ThreadPoolExecutor(_WAITING) as pool:
                _ = list(pool.map(self._wait_for, written.items()))
            for relative, temporary in written.items():
                with _as_golden_error(paths[relative], self._changed[relative]):
                    temporary.replace(paths[relative])
        except BaseException:
            for temporary in written.values():
                temporary.unlink(missing_ok=True)
            raise
        for relative in self._changed:
            if relative not in written:
                super().remove(relative)

    def _wait_for(self, written: tuple[PurePosixPath, Path]) -> None:
        """Until a temporary file is on the disk: the disk writes those together that are waited for together."""
        relative, temporary = written
        with (
            _as_golden_error(self.root / relative, self._changed[relative]),
            temporary.open("r+b") as file,
        ):
            os.fsync(file.fileno())


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
