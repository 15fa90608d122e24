"""What passes for this interpreter in tests."""

from __future__ import annotations

import subprocess

from tests.forked import Forks


def test_it_says_no_more_than_a_python_does() -> None:
    """Nothing of what the process it was forked from had not written yet, as on machines that buffer output."""
    forks = Forks(PYTHONUNBUFFERED="")
    done = subprocess.run(
        [forks.python, "-c", "print(1)"], stdout=subprocess.PIPE, text=True, check=True
    )
    forks.close()
    assert done.stdout == "1\n"
