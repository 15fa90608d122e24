"""Runs jobs to the end, in processes forked from this one: each with limits, and replaced once it has grown."""

from __future__ import annotations

import contextlib
import gc
import itertools
import multiprocessing
import os
import resource
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import NoReturn

import msgspec

from pytest_compile_golden.api.corpus_program import Program
from pytest_compile_golden.common import forks
from pytest_compile_golden.common.format_version import NORMALISER
from pytest_compile_golden.features.crater.compile_row import Job, done
from pytest_compile_golden.recordings.corpus_rows import Outcome, Row, Texts

Keep = Callable[[int, Row, Texts], None]
"""Called with each job's number, row and texts as soon as it is done."""

_GIB = 1 << 30
_HANGS = 20.0
"""A program that takes so many times its processor's seconds, and a minute, does not use the processor: it hangs."""


def expected(
    programs: Iterable[Program], seconds: Mapping[str, float]
) -> dict[str, float]:
    """How long each program will take: as recorded, or in proportion to its size."""
    programs = list(programs)
    known = [program for program in programs if program.id in seconds]
    size = sum(program.size for program in known)
    rate = sum(seconds[program.id] for program in known) / size if size else 1.0
    return {
        program.id: seconds.get(program.id, rate * program.size) for program in programs
    }


def recorded_seconds(rows: Iterable[Row]) -> dict[str, float]:
    """The longest that each program took in any of the rows."""
    seconds: dict[str, float] = {}
    for row in rows:
        seconds[row.program] = max(row.seconds, seconds.get(row.program, 0.0))
    return seconds


def shard(
    programs: Sequence[Program], number: int, total: int, seconds: Mapping[str, float]
) -> list[Program]:
    """The part `number` of `total`, all about equally long.

    Every machine has to know the same `seconds`, or programs would be in two parts, or in none.
    """
    each = expected(programs, seconds)
    loads = [0.0] * total
    mine = []
    for program in sorted(
        programs, key=lambda program: (-each[program.id], program.id)
    ):
        least = loads.index(min(loads))
        loads[least] += each[program.id]
        if least == number - 1:
            mine.append(program)
    return mine


def left(
    jobs: Iterable[Job], rows: Iterable[Row], torch: str, with_texts: bool
) -> list[Job]:
    """The jobs that have no row of this torch and normaliser yet, or none with as much as is wanted; longest first."""
    rows = list(rows)
    whole = (
        row
        for row in rows
        if not with_texts or row.outcome != "captured" or len(row.stages) > 1
    )
    done = {row.key for row in whole if row.normaliser == NORMALISER}
    jobs = [
        job
        for job in jobs
        if (job.program.id, torch, job.target, job.rewrite) not in done
    ]
    each = expected([job.program for job in jobs], recorded_seconds(rows))
    return sorted(
        jobs,
        key=lambda job: (
            -each[job.program.id],
            job.program.id,
            job.target,
            job.rewrite,
        ),
    )


@dataclass(frozen=True)
class Limits:
    """What one program may use, and how much a process may grow before it is replaced."""

    seconds: float = 300.0
    """Of processor."""
    memory: float = 8.0
    """GiB of address space beyond what the process began with."""
    recycle: float = 1.5
    """GiB resident beyond what the process began with."""


class _JobAnswer(msgspec.Struct):
    row: Row
    texts: dict[str, str]
    leaves: bool
    """Whether the process ends after it."""


class ForkedWorker:
    """A forked process that does one job at a time."""

    def __init__(
        self, jobs: Sequence[Job], torch: str, with_texts: bool, limits: Limits
    ) -> None:
        context = multiprocessing.get_context("fork")
        self.answers, theirs = context.Pipe()
        self.process = context.Process(
            target=_serve, args=(theirs, jobs, torch, with_texts, limits), daemon=True
        )
        with warnings.catch_warnings():
            # Python 3.12 and newer warn: torch's other threads do not exist in a fork, and nothing waits for them.
            warnings.filterwarnings(
                "ignore",
                message=".*multi-threaded, use of fork",
                category=DeprecationWarning,
            )
            self.process.start()
        theirs.close()  # or the end of the process would not be seen here
        self.job: int | None = None
        self.since = 0.0
        self.hung = False

    def begin(self, job: int) -> None:
        self.job, self.since = job, time.monotonic()
        self.answers.send(job)

    def answer(self) -> _JobAnswer | None:
        """What became of its job; None if the process has ended instead."""
        try:
            return msgspec.msgpack.decode(self.answers.recv_bytes(), type=_JobAnswer)
        except (EOFError, ConnectionResetError):
            self.process.join()
            return None

    def end(self) -> None:
        self.process.kill()
        self.process.join()
        self.answers.close()


def run(
    jobs: Sequence[Job],
    torch: str,
    keep: Keep,
    *,
    processes: int,
    with_texts: bool = True,
    limits: Limits | None = None,
    wanted: Iterable[int] | None = None,
) -> None:
    """Do the jobs in their order, and call `keep` with each job's number, row and texts as soon as it is done.

    What this process has imported is there in every fork. Whatever ends the run, what was kept stays.
    `wanted`: the numbers of the jobs to do, if not all. One is asked for when a process is free, and may take until
    then to be known; with one process, not before what became of the last one was kept.
    """
    limits = limits or Limits()
    gc.collect()
    gc.freeze()  # a fork that scans what exists already would copy it
    numbers = iter(range(len(jobs)) if wanted is None else wanted)
    again: set[int] = set()
    workers: list[ForkedWorker] = []
    try:
        while True:
            while (
                len(workers) < processes and (number := next(numbers, None)) is not None
            ):
                workers.append(ForkedWorker(jobs, torch, with_texts, limits))
                workers[-1].begin(number)
            if not workers:
                return
            ready = wait([worker.answers for worker in workers], timeout=1.0)
            for worker in [worker for worker in workers if worker.answers in ready]:
                job = worker.job
                assert job is not None
                answer = worker.answer()
                if answer is not None:
                    keep(job, answer.row, answer.texts)
                elif (
                    died := _died(jobs[job], torch, worker, limits)
                ) is not None or job in again:
                    keep(
                        job,
                        died
                        or jobs[job].row(
                            "out of memory", torch, reason="its process was killed"
                        ),
                        {},
                    )
                else:  # it was killed, which may not have been its fault
                    again.add(job)
                    numbers = itertools.chain([job], numbers)
                if (
                    answer is None
                    or answer.leaves
                    or (number := next(numbers, None)) is None
                ):
                    workers.remove(worker)
                    worker.end()
                else:
                    worker.begin(number)
            for worker in workers:
                if (
                    time.monotonic() - worker.since > _HANGS * limits.seconds + 60
                    and not worker.hung
                ):
                    worker.hung = True
                    worker.process.kill()
    finally:
        for worker in workers:
            worker.end()
        gc.unfreeze()


def _died(job: Job, torch: str, worker: ForkedWorker, limits: Limits) -> Row | None:
    """The row of a program that ended its process; None if the process was killed from outside."""
    status = worker.process.exitcode or 0
    if worker.hung or status == -signal.SIGXCPU:
        how = "it hangs" if worker.hung else f"more than {limits.seconds:g} CPU seconds"
        return job.row("out of time", torch, reason=how, seconds=limits.seconds)
    if status == -signal.SIGKILL:
        return None
    name = signal.Signals(-status).name if status < 0 else f"exit status {status}"
    # 1 is how Python ends for an exception: of ours, since those of the program are caught.
    outcome: Outcome = (
        "torch failed" if status < 0 else "ours" if status == 1 else "eager fails too"
    )
    return job.row(outcome, torch, reason=f"its process ended: {name}", error=name)


def _serve(
    requests: Connection,
    jobs: Sequence[Job],
    torch: str,
    with_texts: bool,
    limits: Limits,
) -> NoReturn:
    """In the fork: do the jobs that are asked for, until the process has grown too much."""
    forks.end_with_parent()
    # Ctrl-C reaches the whole group; the parent ends its forks.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    forks.silence()
    import torch as _torch

    # OpenMP's own threads do not exist here, and would be waited for.
    _torch.set_num_threads(1)
    # torch takes its lock for each graph; shared, it stays locked if its holder is killed.
    if "tqdm" in sys.modules:
        sys.modules["tqdm"].tqdm.set_lock(threading.RLock())
    gc.disable()  # it would scan what a compile keeps; the process is replaced once it has grown
    resident = forks.memory()[1]
    forks.limit_memory(int(limits.memory * _GIB))
    me, leaves = os.getpid(), False
    while not leaves:
        number = requests.recv()
        with _processor(limits.seconds):
            _torch.manual_seed(0)
            row, texts = done(jobs[number], torch, with_texts)
        if os.getpid() != me:
            os._exit(0)  # the program forked: only one of its processes answers
        leaves = forks.memory()[1] > resident + limits.recycle * _GIB
        requests.send_bytes(msgspec.msgpack.encode(_JobAnswer(row, texts, leaves)))
    os._exit(0)


@contextlib.contextmanager
def _processor(seconds: float) -> Iterator[None]:
    """The process is ended by SIGXCPU if it uses more: whatever it hangs in, nothing has to notice."""
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(
        resource.RLIMIT_CPU, (int(time.process_time() + seconds) + 1, hard)
    )
    yield
    resource.setrlimit(resource.RLIMIT_CPU, (hard, hard))
