"""The commits between two torch versions that touched a function, from a clone of torch's repository."""

from __future__ import annotations

import subprocess
from pathlib import Path

from pytest_compile_golden.errors import RepositoryFailed
from pytest_compile_golden.lines import split_lines
from pytest_compile_golden.torch_source.changes import SourceChange
from pytest_compile_golden.torch_source.installation import Installation


def touching(repository: Path, old: Installation, new: Installation, change: SourceChange) -> list[str]:
    """`0f1e2d3c4b Title (#1234)` for each commit that is in `new` but not in `old`, newest first.

    Raises RepositoryFailed if the folder is not a clone, or lacks one of the commits.
    """
    if old.commit is None or new.commit is None:
        return []
    file, _, line = change.where.rpartition(":")
    # If the newer torch has no such function, git cannot follow its lines.
    followed = ["-L", f"{line},+{change.length}:{file}"] if change.length else ["--", file]
    command = ["git", "-C", str(repository), "log", "--no-patch", "--abbrev=10", "--format=%h %s"]
    done = subprocess.run(
        [*command, f"{old.commit}..{new.commit}", *followed],
        capture_output=True,
        text=True,
        encoding="utf-8",
        errors="replace",
    )
    if done.returncode:
        raise RepositoryFailed(
            f"cannot list the commits from {old.commit[:10]} to {new.commit[:10]} in {repository}: "
            f"{done.stderr.strip() or 'git failed'}. Use a full clone of pytorch/pytorch, and fetch all its branches."
        )
    return split_lines(done.stdout)
