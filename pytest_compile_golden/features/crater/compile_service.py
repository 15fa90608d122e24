"""A process that compiles the programs it is asked for, one at a time, on a machine of an executor.

`executors` starts it with the Python of the torch that is asked for. It is what a run of one process is: it does its
imports and a first compile, and forks for programs (`runner`). It ends once nothing asks it any more.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from multiprocessing.connection import Connection

import msgspec

from pytest_compile_golden.errors import CompileGoldenError
from pytest_compile_golden.features.crater import run_jobs
from pytest_compile_golden.features.crater.corpus_settings import (
    CorpusSettings,
    this_side,
)
from pytest_compile_golden.recordings.corpus_rows import Row, Texts, TorchRows

_WAITS_S = 120.0
"""How long it waits for its next program: another run on that machine needs the memory, too."""

ProgramKey = tuple[str, str, str]
"""A program's id, the target, and the identity that rewrites it."""


class TorchAnswer(msgspec.Struct):
    """Its first answer, to a corpus."""

    side: TorchRows | None
    error: str = ""
    """Why it cannot compile anything, in words for the user."""


class ProgramAnswer(msgspec.Struct):
    """Its answer to the key of a program."""

    row: Row
    texts: dict[str, str]


def main(connection: Connection) -> None:
    """Serve until the other end is closed, or silent for too long."""
    corpus = msgspec.msgpack.decode(connection.recv_bytes(), type=CorpusSettings)
    try:
        jobs = corpus.jobs(corpus.programs())
        corpus.prepare()
        side = this_side()
    except CompileGoldenError as error:
        connection.send_bytes(msgspec.msgpack.encode(TorchAnswer(None, str(error))))
        return
    connection.send_bytes(msgspec.msgpack.encode(TorchAnswer(side)))
    number_of = {
        (job.program.id, job.target, job.rewrite): number
        for number, job in enumerate(jobs)
    }

    def wanted() -> Iterator[int]:
        while connection.poll(_WAITS_S):
            try:
                key = msgspec.msgpack.decode(connection.recv_bytes(), type=ProgramKey)
            except EOFError:
                return
            yield number_of[key]

    def keep(_: int, row: Row, texts: Texts) -> None:
        connection.send_bytes(msgspec.msgpack.encode(ProgramAnswer(row, {**texts})))

    run_jobs.run(
        jobs,
        side.torch,
        keep,
        processes=1,
        with_texts=corpus.with_texts,
        limits=corpus.limits,
        wanted=wanted(),
    )


if __name__ == "__main__":
    main(Connection(int(sys.argv[1])))
