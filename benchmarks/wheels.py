"""The CPU wheel and the CUDA wheel of one torch version must give the same artifacts, byte for byte.

    python -m benchmarks.wheels CPU_WHEEL/bin/python CUDA_WHEEL/bin/python

Both interpreters have this package and the same version of torch, one from each wheel.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from benchmarks import artifacts
from pytest_compile_golden.targets.devices import CPUS, GPUS

TARGETS = ",".join((*GPUS, *CPUS))


def main() -> int:
    """Print what differs; returns 1 if anything does."""
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
