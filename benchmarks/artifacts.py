"""Write every artifact of the suite to a folder; compare two such folders byte for byte, except for times."""

from __future__ import annotations

import filecmp
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path


def write(
    python: str,
    folder: Path,
    *options: str,
    workers: str = "auto",
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    umask: int = -1,
    warm: bool = False,
) -> None:
    """Run the suite with `python` and write all stages of all cases to `folder`; `warm`: as `compile-golden warm`."""
    started = (
        ["pytest_compile_golden", "warm", "--idle=1"]
        if warm
        else ["pytest", "--compile-golden"]
    )
    command = [python, "-W", "ignore", "-m", *started, "-n", workers, "-q", *options]
    command += [
        "--compile-golden-stages=all",
        f"--compile-golden-dir={folder}",
        "--snapshot-update",
    ]
    done = subprocess.run(
        command,
        cwd=cwd,
        env=env,
        umask=umask,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(
            f"{' '.join(command)}\n{done.stdout[-4000:]}{done.stderr[-4000:]}"
        )


def differing(first: Path, second: Path) -> tuple[int, list[str]]:
    """The number of artifacts in the union of two folders, and the names of those that differ or exist in only one."""
    names = {
        str(path.relative_to(folder))
        for folder in (first, second)
        for path in folder.rglob("*")
        if path.is_file()
    }
    _, different, missing = filecmp.cmpfiles(
        first, second, sorted(names), shallow=False
    )
    different = [
        name for name in different if _untimed(first / name) != _untimed(second / name)
    ]
    return len(names), [*different, *missing]


def _untimed(path: Path) -> str:
    """The text without the comments that say how long a phase took, which are ignored when goldens are compared."""
    return re.sub(r"  # \d+ ms$", "", path.read_text(encoding="utf-8"), flags=re.M)
