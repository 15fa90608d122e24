"""`python -m pytest_compile_golden.canary FOLDER TARGET...`: how far the installed torch can be read on each target."""

import sys
from pathlib import Path

from pytest_compile_golden.canary import kept
from pytest_compile_golden.canary.trying import read

folder, *targets = sys.argv[1:]
for target in targets:
    kept.write(read(target), Path(folder))
