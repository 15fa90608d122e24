"""What passes for this interpreter in tests."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.forked import Forks
from tests.interpreters import path_with


def test_it_says_no_more_than_a_python_does() -> None:
    """Nothing of what the process it was forked from had not written yet, as on machines that buffer output."""
    forks = Forks(PYTHONUNBUFFERED="")
    done = subprocess.run(
        [forks.python, "-c", "print(1)"], stdout=subprocess.PIPE, text=True, check=True
    )
    forks.close()
    assert done.stdout == "1\n"


def test_what_is_forked_from_another_imports_more(tmp_path: Path, forks: Forks) -> None:
    """Once, for its forks and for the processes that these start."""
    (tmp_path / "more.py").write_text("import os\n\nimported = os.getpid()\n")
    started = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'import more; print(more.imported)'])"
    derived = Forks("more", forked_from=forks, PYTHONPATH=path_with(tmp_path))
    here = "import more; print(more.imported, flush=True)"
    done = subprocess.run(
        [derived.python, "-c", f"{here}; {started}"],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    derived.close()
    first, second = done.stdout.split()
    assert first == second
