"""What a run compiles, and how: the same on this machine and on others."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from datetime import datetime, timezone

import msgspec

from pytest_compile_golden import extensions
from pytest_compile_golden.api.corpus_program import Program
from pytest_compile_golden.common.installed_torch import torch_commit, triton_version
from pytest_compile_golden.features.crater import loaders
from pytest_compile_golden.features.crater.compile_row import Job
from pytest_compile_golden.features.crater.run_jobs import Limits
from pytest_compile_golden.recordings.corpus_rows import TorchRows


class CorpusSettings(msgspec.Struct, frozen=True):
    """Programs, targets and limits."""

    sources: tuple[str, ...]
    targets: tuple[str, ...]
    metamorphic: bool
    """Whether each program is compiled rewritten by each identity, too."""
    with_texts: bool
    limits: Limits

    def programs(self) -> list[Program]:
        """Raises UnknownName for a source that is not there."""
        return loaders.programs(self.sources)

    def jobs(self, programs: Sequence[Program]) -> list[Job]:
        """Each of the programs for each target, as it is and rewritten."""
        rewrites = (
            extensions.provided(extensions.TOOLS, extensions.IDENTITIES).rewrites()
            if self.metamorphic
            else {}
        )
        return [
            Job(program, target, name, config)
            for program in programs
            for target in self.targets
            for name, config in {"": None, **rewrites}.items()
            if program.rewritable or not name
        ]

    def prepare(self) -> None:
        """Have torch do its imports and a first compile, once instead of in every fork."""
        from pytest_compile_golden.observe.record_compile import prepare

        for target in self.targets:
            prepare(target)


def this_side() -> TorchRows:
    """The torch of this process."""
    from pytest_compile_golden.observe.record_compile import environment

    now = datetime.now(timezone.utc).isoformat(timespec="seconds")
    system = f"{platform.system()} {platform.machine()}"
    return TorchRows(
        environment().torch,
        triton_version(),
        platform.python_version(),
        system,
        torch_commit(),
        now,
    )
