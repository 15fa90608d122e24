"""One torch version's CPU wheel and CUDA wheel must give the same artifacts, byte for byte.

    python -m benchmarks.wheels CPU_WHEEL/bin/python CUDA_WHEEL/bin/python

Each interpreter has this package and torch of the same version, one from either wheel.
"""

from __future__ import annotations

import filecmp
import subprocess
import sys
import tempfile
from pathlib import Path

TARGETS = "cuda-sm80,cuda-sm90,cuda-sm100,cpu-avx2,cpu-avx512"


def _record(python: str, folder: Path) -> None:
    command = [python, "-W", "ignore", "-m", "pytest", "--compile-golden", "-n", "auto", "-q"]
    options = [f"--compile-golden-target={TARGETS}", "--compile-golden-stages=all", f"--compile-golden-dir={folder}"]
    subprocess.run([*command, *options, "--snapshot-update"], check=True)


def main() -> int:
    """Print what differs; 1 where something does."""
    with tempfile.TemporaryDirectory() as scratch:
        folders = [Path(scratch, side) for side in ("one", "other")]
        for python, folder in zip(sys.argv[1:3], folders, strict=True):
            _record(python, folder)
        names = sorted({path.relative_to(folder) for folder in folders for path in folder.rglob("*") if path.is_file()})
        _, different, missing = filecmp.cmpfiles(*folders, [str(name) for name in names], shallow=False)
    for name in (*different, *missing):
        print("differs:", name)
    print(f"{len(names)} artifacts, {len(different) + len(missing)} differ")
    return 1 if different or missing else 0


if __name__ == "__main__":
    sys.exit(main())
