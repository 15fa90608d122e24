"""What is left to do, the longest first, and which part of it is this machine's."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from pytest_compile_golden.crater.program import Program
from pytest_compile_golden.crater.work import Job
from pytest_compile_golden.formats.normaliser import NORMALISER
from pytest_compile_golden.recordings.rows import Row


def expected(programs: Iterable[Program], seconds: Mapping[str, float]) -> dict[str, float]:
    """How long each program will take: as recorded, or in proportion to its size."""
    programs = list(programs)
    known = [program for program in programs if program.id in seconds]
    size = sum(program.size for program in known)
    rate = sum(seconds[program.id] for program in known) / size if size else 1.0
    return {program.id: seconds.get(program.id, rate * program.size) for program in programs}


def recorded_seconds(rows: Iterable[Row]) -> dict[str, float]:
    """The longest that each program took in any of the rows."""
    seconds: dict[str, float] = {}
    for row in rows:
        seconds[row.program] = max(row.seconds, seconds.get(row.program, 0.0))
    return seconds


def shard(programs: Sequence[Program], number: int, total: int, seconds: Mapping[str, float]) -> list[Program]:
    """The part `number` of `total`, all about equally long.

    Every machine has to know the same `seconds`, or programs would be in two parts, or in none.
    """
    each = expected(programs, seconds)
    loads = [0.0] * total
    mine = []
    for program in sorted(programs, key=lambda program: (-each[program.id], program.id)):
        least = loads.index(min(loads))
        loads[least] += each[program.id]
        if least == number - 1:
            mine.append(program)
    return mine


def left(jobs: Iterable[Job], rows: Iterable[Row], torch: str, with_texts: bool) -> list[Job]:
    """The jobs that have no row of this torch and normaliser yet, or none with as much as is wanted; longest first."""
    rows = list(rows)
    whole = (row for row in rows if not with_texts or row.outcome != "captured" or len(row.stages) > 1)
    done = {row.key for row in whole if row.normaliser == NORMALISER}
    jobs = [job for job in jobs if (job.program.id, torch, job.target, job.rewrite) not in done]
    each = expected([job.program for job in jobs], recorded_seconds(rows))
    return sorted(jobs, key=lambda job: (-each[job.program.id], job.program.id, job.target, job.rewrite))
