"""The same torch must give the same artifacts in any environment: `python -m benchmarks.surroundings`.

Each run has its own test order, hash seed, number of workers and threads, working folder, umask, locale, time zone,
caches (new ones or the first run's), folder for temporary files, and instruction set for torch's own kernels. Those
without workers are made in a fork of a warm process, except the first.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path

from benchmarks import artifacts

RUNS = 20
EVERY = 4
_PROJECT = Path(__file__).parents[1]
_COPIED = ("pytest_compile_golden", "benchmarks", "cases", "pyproject.toml")


def run() -> None:
    """Print each run's environment and how its artifacts differ from the first run's."""
    with tempfile.TemporaryDirectory() as scratch:
        compare(Path(scratch), RUNS, workers=4)


def compare(
    scratch: Path, runs: int, workers: int, every: int = EVERY, drawn: int | None = None
) -> int:
    """Run cases in `runs` environments; returns the number of artifacts that differed.

    every: run every `every`-th case of each subject and target.
    drawn: instead, run this many cases, drawn once at random from all.
    scratch: keeps the first run's artifacts and the result of each run, so that an interrupted comparison can resume.
    """
    locales = subprocess.run(
        ["locale", "-a"], capture_output=True, text=True, check=False
    ).stdout.split()
    # torch takes one that the processor lacks at its word, and dies of an illegal instruction.
    instruction_sets = ["default", "avx2"]
    if "avx512f" in Path("/proc/cpuinfo").read_text(encoding="utf-8").split():
        instruction_sets.append("avx512")
    runs_file = scratch / "runs.jsonl"
    done = (
        [
            json.loads(line)
            for line in runs_file.read_text(encoding="utf-8").splitlines()
        ]
        if runs_file.exists()
        else []
    )
    first = scratch / "artifacts 0"
    different = sum(len(earlier["differ"]) for earlier in done)
    for number in range(len(done), runs):
        rng = random.Random(number)
        folder = scratch / f"artifacts {number}"
        shutil.rmtree(folder, ignore_errors=True)
        where = (
            scratch
            / rng.choice(["a", "with space", "größer", "deep/" * 8])
            / f"project_{number}"
        )
        caches = scratch / rng.choice(["caches 0", f"caches {number}"])
        env = {
            "ORDER_SEED": str(number),
            **({"DRAWN": str(drawn)} if drawn else {"SAMPLED": str(every)}),
            "PYTHONHASHSEED": str(rng.randrange(1 << 32)),
            "OMP_NUM_THREADS": str(rng.randint(1, 8)),
            "LC_ALL": rng.choice(locales or ["C"]),
            "TZ": rng.choice(["UTC", "Asia/Kathmandu", "America/St_Johns"]),
            "ATEN_CPU_CAPABILITY": rng.choice(instruction_sets),
            "TORCHINDUCTOR_CACHE_DIR": str(caches / "inductor"),
            "TRITON_CACHE_DIR": str(caches / "triton"),
            "TMPDIR": str(scratch / rng.choice(["tmp", "temporary files"])),
        }
        Path(env["TMPDIR"]).mkdir(exist_ok=True)
        processes, umask = (
            str(rng.randint(0, workers)),
            rng.choice([0o000, 0o022, 0o077]),
        )
        warm = number > 0 and processes == "0"
        _copy(where)
        start = time.monotonic()
        artifacts.write(
            sys.executable,
            folder,
            *("-p", "benchmarks.sampled", "-p", "benchmarks.shuffled"),
            workers=processes,
            cwd=where,
            env={**os.environ, **env, "PYTHONPATH": str(where)},
            umask=umask,
            warm=warm,
        )
        count, names = artifacts.differing(first, folder)
        different += len(names)
        started = f"{'warm ' if warm else ''}-n{processes} umask={umask:03o}"
        surroundings = " ".join(f"{key}={value}" for key, value in env.items()).replace(
            f"{scratch}/", ""
        )
        print(
            f"{number:>2}: {count} artifacts, {len(names)} differ  {time.monotonic() - start:3.0f} s  ",
            end="",
        )
        print(
            f"{started} {surroundings} {where.parent.relative_to(scratch)}", flush=True
        )
        for name in names:
            print("    differs:", name)
        with runs_file.open("a", encoding="utf-8") as lines:
            lines.write(
                json.dumps({"run": number, "artifacts": count, "differ": names}) + "\n"
            )
        shutil.rmtree(where)
        if number and not names:
            shutil.rmtree(folder)
    print(f"torch {version('torch')}: {runs} runs, {different} artifacts that differ")
    return different


def _copy(where: Path) -> None:
    shutil.rmtree(where, ignore_errors=True)
    where.mkdir(parents=True)
    for name in _COPIED:
        source = _PROJECT / name
        if source.is_dir():
            shutil.copytree(
                source, where / name, ignore=shutil.ignore_patterns("__pycache__")
            )
        else:
            shutil.copy(source, where / name)


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.surroundings", description=__doc__
    )
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument(
        "--every",
        type=int,
        default=EVERY,
        help="1 for all cases, 4 for a quarter of each subject",
    )
    parser.add_argument(
        "--drawn",
        type=int,
        help="instead of --every: this many cases, drawn once at random from all",
    )
    parser.add_argument(
        "--workers", type=int, default=4, help="the maximum number of workers in a run"
    )
    parser.add_argument(
        "--into",
        type=Path,
        required=True,
        help="a folder for the results; a run resumes there",
    )
    arguments = parser.parse_args()
    into: Path = arguments.into.absolute()
    into.mkdir(parents=True, exist_ok=True)
    return (
        1
        if compare(
            into, arguments.runs, arguments.workers, arguments.every, arguments.drawn
        )
        else 0
    )


if __name__ == "__main__":
    sys.exit(main())
