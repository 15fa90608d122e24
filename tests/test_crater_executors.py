"""A corpus over the workers of an executor: the rows of one process, also if a worker is lost on the way."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import distributed
import pytest
import torch

from pytest_compile_golden.api.corpus_program import Program
from pytest_compile_golden.features.crater import executors
from pytest_compile_golden.features.crater.compile_row import Job
from pytest_compile_golden.features.crater.corpus_settings import CorpusSettings
from pytest_compile_golden.features.crater.run_jobs import Limits
from pytest_compile_golden.recordings.corpus_rows import Row, Rows
from tests.forked import Forks

CRATER = (sys.executable, "-m", "pytest_compile_golden", "crater")
PROGRAMS = """
import os, time
from pathlib import Path
import psutil, torch

def awaited(name):
    def make():
        compiles = psutil.Process(os.getppid())  # of which this is a fork
        if not Path("lost").exists():
            Path(f"{name}.tmp").write_text(str(compiles.ppid()))
            Path(f"{name}.tmp").rename("worker")
            while not Path("lost").exists():
                time.sleep(0.05)
        return torch.softmax, (torch.randn(8, 64), -1)
    return make

def sine():
    return torch.sin, (torch.randn(8),)

def refused():
    return (lambda x: x @ x), (torch.randn(2, 3),)

def some_here():
    if "HERE" in os.environ:
        yield "sine", sine

def programs():
    yield from {"awaited": awaited("awaited"), "sine": sine, "refused": refused}.items()
"""


@pytest.fixture(scope="module")
def scheduler() -> Iterator[str]:
    """The address of two workers of one thread each."""
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None
    ) as cluster:
        yield cluster.scheduler_address


@pytest.fixture(autouse=True)
def _in_folder_with_corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "corpus.py").write_text(PROGRAMS)
    monkeypatch.chdir(tmp_path)


def rows_of(path: Path) -> list[Row]:
    """What is kept of each program but how long it took."""
    import msgspec

    rows = sorted(Rows(path).all(), key=lambda row: row.program)
    return [msgspec.structs.replace(row, seconds=0.0, memory=0) for row in rows]


@pytest.mark.wide
def test_a_lost_worker_loses_no_program(
    tmp_path: Path, scheduler: str, forks_with_torch: Forks
) -> None:
    with subprocess.Popen(
        [*CRATER, "corpus:programs", f"--on={scheduler}", "--into=workers.db"],
        stdout=subprocess.PIPE,
        text=True,
    ) as run:
        while not Path("worker").exists():
            assert run.poll() is None
            time.sleep(0.05)
        os.kill(int(Path("worker").read_text()), signal.SIGKILL)
        Path("lost").touch()
        assert "3 programs: 2 captured, 1 eager fails too" in run.communicate()[0]
    here = forks_with_torch.run_command(
        tmp_path, "crater", "corpus:programs", "--into=here.db"
    )
    assert here.ret == 0, here.stderr.str()
    assert rows_of(tmp_path / "workers.db") == rows_of(tmp_path / "here.db")


@pytest.mark.wide
def test_a_machine_without_the_programs_is_named(scheduler: str) -> None:
    done = subprocess.run(
        [*CRATER, "corpus:some_here", f"--on={scheduler}"],
        env=os.environ | {"HERE": "1"},
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert (
        f"Error: {socket.gethostname()}: corpus:some_here has no programs."
        in done.stderr
    )


def test_no_scheduler_is_told() -> None:
    done = subprocess.run(
        [*CRATER, "corpus:programs", "--on=tcp://127.0.0.1:9"],
        env=os.environ | {"DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "1s"},
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    assert (
        done.returncode == 1
        and "Error: no Dask scheduler answers at tcp://127.0.0.1:9: " in done.stderr
    )


@pytest.mark.wide
def test_any_executor_does() -> None:
    corpus = CorpusSettings(
        ("corpus:programs",),
        ("cuda-sm90",),
        metamorphic=False,
        with_texts=False,
        limits=Limits(),
    )
    side = executors.ExecutorSide(
        corpus, torch=None, pip="", python=None, folder=str(Path.cwd())
    )
    jobs = [
        Job(Program("refused", lambda: None), "cuda-sm90"),
        Job(Program("sine", lambda: None), "cuda-sm90"),
    ]
    rows: dict[int, Row] = {}
    with ThreadPoolExecutor(1) as executor:
        assert executors.torch_of(executor, side).torch == torch.__version__
        executors.run(
            executor, side, jobs, lambda number, row, _: rows.update({number: row})
        )
    assert [rows[number].outcome for number in (0, 1)] == [
        "eager fails too",
        "captured",
    ]
