"""What comparing two texts has found, kept in the user's cache for the next process that compares the same texts.

Reading what is pending, accepting it and reporting on it compare the same texts again, each in a process of its own.
"""

from __future__ import annotations

import atexit
import hashlib
import os
import sqlite3
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import TypeVar

import platformdirs

from pytest_compile_golden.errors import CaptureFailed

_LARGEST = 256 << 20
"""Bytes of the file; a larger one is begun anew."""
_OFTEN = 3
"""So often it is waited in vain."""
_AT_ONCE = 2000
"""So many results are held until they are written."""
_PATIENCE = 10.0
"""Seconds to wait for other processes that write, as all workers of a run do."""
_ASKED = 16
"""Of so many items it is looked whether what is asked about them is known, before others are asked about in forks."""
_HAS_TABLE = "select 1 from sqlite_master where name = 'results'"
_TABLE = "create table if not exists results (key blob primary key, value blob not null) without rowid"
T = TypeVar("T")
Item = TypeVar("Item")


class Results:
    """Results by digests of what they were found from. What cannot be read or written is found again."""

    def __init__(self, file: Path, begins: bool = True) -> None:
        """begins: whether a file that has become too large is begun anew."""
        self._process = os.getpid()
        self._file = file
        self._new: dict[bytes, bytes] = {}
        self.added = 0
        """How many results were not known before."""
        self._waited = 0
        self._inherited: Results | None = None
        self._database: sqlite3.Connection | None = None
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            if begins and file.is_file() and file.stat().st_size > _LARGEST:
                file.unlink()
            self._database = sqlite3.connect(
                file, timeout=_PATIENCE, isolation_level=None, check_same_thread=False
            )
            # A result that is lost when the machine loses power is found again.
            self._database.execute("pragma synchronous = off")
            if self._database.execute(_HAS_TABLE).fetchone() is None:
                with self._writing(self._database):
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
            row = database.execute(
                "select value from results where key = ?", (key,)
            ).fetchone()
        except sqlite3.Error as error:
            self._failed(error)
            return None
        return bytes(row[0]) if row is not None and isinstance(row[0], bytes) else None

    def put(self, key: bytes, value: bytes) -> None:
        """Keep a result; it is written with others, at the latest when the process ends."""
        self._new[key] = value
        self.added += 1
        if len(self._new) >= _AT_ONCE:
            self.write()

    def write(self) -> None:
        """Write what is new."""
        database, new = self._usable(), list(self._new.items())
        self._new.clear()
        if database is None or not new:
            return
        try:
            with self._writing(database):
                database.executemany(
                    "insert or replace into results values (?, ?)", new
                )
        except sqlite3.Error as error:
            self._failed(error)
            if self._database is not None:
                self._new.update(new)  # until the next time

    @contextmanager
    def _writing(self, database: sqlite3.Connection) -> Iterator[None]:
        """A transaction that waits for others before it begins: one that has read, and then is to write, gives up at
        once if another is in its way."""
        database.execute("begin immediate")
        try:
            yield
        except BaseException:
            database.execute("rollback")
            raise
        database.execute("commit")

    def _failed(self, error: sqlite3.Error) -> None:
        """Use the file no more, unless others may only have used it for too long, and not again and again."""
        self._waited += 1
        if not isinstance(error, sqlite3.OperationalError) or self._waited > _OFTEN:
            self._database = None

    def of_fork(self) -> Results:
        """The same results in a fork of this process, which may look them up and add others."""
        # In a file of its own, nothing that the fork adds would be found by this process.
        again = Results(self._file, begins=False)
        again._inherited = self  # whose connection is its process's to close
        return again

    def _usable(self) -> sqlite3.Connection | None:
        # SQLite's connections do not survive a fork.
        return self._database if self._process == os.getpid() else None


_current: Results | None = None


@cache
def _of_user() -> Results:
    return Results(
        platformdirs.user_cache_path("pytest-compile-golden") / "comparisons.sqlite"
    )


def begin() -> None:
    """From now on, this process looks for results of others, and leaves its own to them."""
    global _current
    if _current is None:
        _current = _of_user()
        atexit.register(_current.write)


@contextmanager
def keeping() -> Iterator[None]:
    """The same in the block alone, in a process whose own verdicts do not depend on what others found."""
    global _current
    before = _current
    _current = before or _of_user()
    try:
        yield
    finally:
        _current.write()
        _current = before


def results() -> Results | None:
    """None in a process that looks for none."""
    return _current


def found(
    key: bytes | None,
    find: Callable[[], T],
    encode: Callable[[T], bytes],
    decode: Callable[[bytes], T],
) -> T:
    """What is kept by a key; else what `find` finds, which is kept from then on if `decode` gives it back.

    key: None for what is never kept. decode: raises ValueError or KeyError for what `encode` has not written.
    """
    kept = results()
    if kept is None or key is None:
        return find()
    known = kept.get(key)
    if known is not None:
        with suppress(ValueError, KeyError):
            return decode(known)
    value = find()
    # What JSON does not hold is found again.
    with suppress(ValueError, TypeError, KeyError):
        said = encode(value)
        if decode(said) == value:
            kept.put(key, said)
    return value


def find_in_forks(find: Callable[[Item], object], items: Sequence[Item]) -> None:
    """Call `find` with each item in forks of this process, one for each processor: what it looks up by `found` is then
    known here. If some items show that all of it is known, nothing is done.

    What a fork cannot find or keep is found here when it is asked for.
    """
    global _current
    forks = len(os.sched_getaffinity(0))
    if _current is None or forks < 2 or len(items) < forks * _ASKED:
        return
    before = _current.added
    for item in items[:: len(items) // _ASKED]:
        find(item)
    if _current.added == before:
        return
    _current.write()
    inherited = _current

    def in_fork(number: int) -> None:
        global _current
        _current = inherited.of_fork()
        for item in items[number::forks]:
            with suppress(Exception):  # it is raised again where this is asked for
                find(item)
        _current.write()

    from pytest_compile_golden.common.forks import in_forks

    with suppress(CaptureFailed):
        in_forks(in_fork, range(forks), forks)


def key(kind: str, *texts: str | bytes) -> bytes | None:
    """What a result of this kind is kept by: the texts, and the code that compares them. None if nothing is kept."""
    if _current is None:
        return None
    found = hashlib.blake2b(_code().encode(), digest_size=20)
    for text in (kind, *texts):
        data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
        found.update(b"%d:" % len(data))
        found.update(data)
    return found.digest()


@cache
def _code() -> str:
    """A digest of this package as it is installed, or as it is being edited, and of the Python that runs it."""
    sources = [
        path
        for path in sorted(Path(__file__).parents[1].rglob("*"))
        if path.suffix in (".py", ".txt", ".toml")
    ]
    facts = [
        (str(path), status.st_mtime_ns, status.st_size)
        for path in sources
        for status in [path.stat()]
    ]
    return hashlib.sha256(repr((sys.version, facts)).encode()).hexdigest()
