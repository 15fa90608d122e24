"""Reading and writing golden files: only inside the goldens folder, whole or not at all."""

from __future__ import annotations

import os
import stat
from pathlib import Path, PurePosixPath

from pytest_compile_golden.errors import GoldenError


def inside(root: Path, relative: PurePosixPath) -> Path:
    """`relative` under `root`. Raises GoldenError where that leaves `root` or goes through a symlink."""
    if relative.is_absolute() or not relative.parts or any(part in ("", ".", "..") for part in relative.parts):
        raise GoldenError(
            f"{relative} is not a place inside the goldens folder {root}; this is a bug, please report it."
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
                f"{path} is a symlink; goldens are never read or written through one. "
                "Replace it by a folder, or name the real folder with --compile-golden-dir."
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


def write(path: Path, text: str) -> None:
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
            f"cannot write golden {path}: {error}. The golden is as it was; check space and permissions."
        ) from error


def remove(path: Path) -> None:
    """Delete a golden, and its folder where that leaves it empty."""
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise GoldenError(f"cannot remove golden {path}: {error}. Check the folder's permissions.") from error
