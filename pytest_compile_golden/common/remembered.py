"""What comparing two texts has found, kept in the user's cache for the next process that compares the same texts.

Reading what is pending, accepting it and reporting on it compare the same texts again, each in a process of its own.
"""

from __future__ import annotations

import atexit
import hashlib
import os
import sqlite3
import sys
from functools import cache
from pathlib import Path

import platformdirs

_LARGEST = 256 << 20
"""Bytes of the file; a larger one is begun anew."""
_AT_ONCE = 2000
"""So many results are held until they are written."""
_PATIENCE = 2.0
"""Seconds to wait for another process that writes."""
_TABLE = "create table if not exists results (key blob primary key, value blob not null) without rowid"


class Results:
    """Results by digests of what they were found from. What cannot be read or written is found again."""

    def __init__(self, file: Path) -> None:
        self._process = os.getpid()
        self._new: dict[bytes, bytes] = {}
        self._database: sqlite3.Connection | None = None
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            if file.is_file() and file.stat().st_size > _LARGEST:
                file.unlink()
            self._database = sqlite3.connect(file, timeout=_PATIENCE, check_same_thread=False)
            # A result that is lost when the machine loses power is found again.
            self._database.execute("pragma synchronous = off")
            self._database.execute(_TABLE)
        except (OSError, sqlite3.Error):
            self._database = None

    def get(self, key: bytes) -> bytes | None:
        """None if it is not known."""
        if key in self._new:
            return self._new[key]
        database = self._usable()
        if database is None:
            return None
        try:
            row = database.execute("select value from results where key = ?", (key,)).fetchone()
        except sqlite3.Error:
            self._database = None
            return None
        return bytes(row[0]) if row is not None and isinstance(row[0], bytes) else None

    def put(self, key: bytes, value: bytes) -> None:
        """Keep a result; it is written with others, at the latest when the process ends."""
        self._new[key] = value
        if len(self._new) >= _AT_ONCE:
            self.write()

    def write(self) -> None:
        """Write what is new."""
        database, new = self._usable(), [*self._new.items()]
        self._new.clear()
        if database is None or not new:
            return
        try:
            with database:
                database.executemany("insert or replace into results values (?, ?)", new)
        except sqlite3.Error:
            self._database = None

    def _usable(self) -> sqlite3.Connection | None:
        # SQLite's connections do not survive a fork.
        return self._database if self._process == os.getpid() else None


_current: Results | None = None


def begin() -> None:
    """From now on, this process looks for results of others, and leaves its own to them."""
    global _current
    if _current is None:
        _current = Results(platformdirs.user_cache_path("pytest-compile-golden") / "comparisons.sqlite")
        atexit.register(_current.write)


def results() -> Results | None:
    """None in a process that looks for none."""
    return _current


def key(kind: str, *texts: str) -> bytes:
    """What a result of this kind is kept by: the texts, and the code that compares them."""
    found = hashlib.blake2b(_code().encode(), digest_size=20)
    for text in (kind, *texts):
        data = text.encode("utf-8", "surrogatepass")
        found.update(b"%d:" % len(data))
        found.update(data)
    return found.digest()


@cache
def _code() -> str:
    """A digest of this package as it is installed, or as it is being edited, and of the Python that runs it."""
    sources = [path for path in sorted(Path(__file__).parents[1].rglob("*")) if path.suffix in (".py", ".txt", ".toml")]
    facts = [(str(path), status.st_mtime_ns, status.st_size) for path in sources for status in [path.stat()]]
    return hashlib.sha256(repr((sys.version, facts)).encode()).hexdigest()
