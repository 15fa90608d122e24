"""One torch version's CPU wheel and CUDA wheel must give the same artifacts, byte for byte.

    python -m benchmarks.wheels CPU_WHEEL/bin/python CUDA_WHEEL/bin/python

Each interpreter has this package and torch of the same version, one from either wheel.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from benchmarks import artifacts
from pytest_compile_golden.targets.devices import CPUS, GPUS

TARGETS = ",".join((*GPUS, *CPUS))


def main() -> int:
    """Print what differs; 1 where something does."""
    with tempfile.TemporaryDirectory() as scratch:
        folders = [Path(scratch, side) for side in ("one", "other")]
        for python, folder in zip(sys.argv[1:3], folders, strict=True):
            artifacts.write(python, folder, f"--compile-golden-target={TARGETS}")
        count, different = artifacts.differing(*folders)
    for name in different:
        print("differs:", name)
    print(f"{count} artifacts, {len(different)} differ")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
