"""Runs a script on a virtual GPU that computes nothing: what the compiler makes of it is all that it can print.

python -m pytest_compile_golden.features.reduce.run_on_virtual_gpu TARGET SCRIPT
"""

from __future__ import annotations

import runpy
import sys


def main(target: str, script: str) -> None:
    """Run a script as if it were called by itself, with a target as the device of its process."""
    from pytest_compile_golden.targets import get_target

    with get_target(target).active():
        runpy.run_path(script, run_name="__main__")


if __name__ == "__main__":
    main(*sys.argv[1:])
