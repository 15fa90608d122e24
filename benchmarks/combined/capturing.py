"""Captures each program as the installed torch compiles it, with each change alone, and with pairs of changes."""

from __future__ import annotations

import re
import signal
import sys
from collections.abc import Collection, Iterator, Sequence
from itertools import combinations
from pathlib import Path, PurePosixPath

from benchmarks.combined.judging import BARE
from benchmarks.combined.programs import Program
from benchmarks.combined.toggles import Toggle
from pytest_compile_golden import capture
from pytest_compile_golden.common.forks import in_forks
from pytest_compile_golden.goldens import case_files
from pytest_compile_golden.plugin.run_settings import RECORDED_STAGES, resolve_stages
from pytest_compile_golden.recordings import recording
from pytest_compile_golden.recordings.recording import RecordedCase
from pytest_compile_golden.targets import get_target

_TIMEOUT_S = 120
_TORCH_THREADS = 1


def folder_of(root: Path, toggles: Collection[str]) -> Path:
    """The recording of the programs under these changes."""
    return root / (
        "+".join(re.sub(r"\W+", "-", name) for name in sorted(toggles)) or BARE
    )


def case_folder(program: str, target: str) -> PurePosixPath:
    """Where a program is in a recording."""
    return PurePosixPath("programs", program, target)


def capture_all(
    root: Path,
    programs: Sequence[Program],
    toggles: Sequence[Toggle],
    target: str,
    pairs: int,
) -> None:
    """Capture what is not yet there. pairs: the most of one program."""
    _warm(target)
    for program in programs:
        bare = _captured(root, program, (), target)
        if bare is None:
            print(f"{program.name}: does not compile", file=sys.stderr)
            continue
        effective = []
        texts = [*_texts(bare).values()]
        for toggle in toggles:
            if not toggle.may_change(texts):
                continue
            alone = _captured(root, program, (toggle,), target)
            if alone is not None and _texts(alone) != _texts(bare):
                effective.append(toggle)
        for pair in _spread(list(combinations(effective, 2)), pairs):
            _captured(root, program, pair, target)


def _spread(
    items: Sequence[tuple[Toggle, ...]], most: int
) -> Iterator[tuple[Toggle, ...]]:
    """At most so many of these, from everywhere in the list."""
    if len(items) <= most:
        yield from items
    else:
        yield from (items[at * len(items) // most] for at in range(most))


def _texts(case: RecordedCase) -> dict[str, str]:
    return {artifact.name: artifact.text for artifact in case.artifacts}


def _captured(
    root: Path, program: Program, toggles: Sequence[Toggle], target: str
) -> RecordedCase | None:
    """The case under these changes, from the folder if it is there; None if it does not compile."""
    into = folder_of(root, [toggle.name for toggle in toggles])
    folder = case_folder(program.name, target)
    failed = into / folder / "failed"
    if not (into / folder / case_files.NAME).is_file() and not failed.is_file():

        def record(program: Program) -> None:
            signal.alarm(_TIMEOUT_S)
            _record(into, folder, program, toggles, target)

        try:
            in_forks(record, [program], 1)
        except Exception as error:
            failed.parent.mkdir(parents=True, exist_ok=True)
            failed.write_text(f"{type(error).__name__}: {error}\n")
    return None if failed.is_file() else recording.read_case(into, folder)


def _record(
    into: Path,
    folder: PurePosixPath,
    program: Program,
    toggles: Sequence[Toggle],
    target: str,
) -> None:
    import torch

    for toggle in toggles:
        toggle.make()
    torch.manual_seed(0)
    with get_target(target).active():
        fn, inputs = program.make()
        captured = capture(fn, *inputs, train=program.train, dynamic=program.dynamic)
        artifacts = [
            case_files.stored(captured[name], name)
            for name in resolve_stages([RECORDED_STAGES])
            if name in captured
        ]
    case = RecordedCase(
        folder,
        f"{program.name}[{target}]",
        target,
        "passed",
        None,
        None,
        tuple(artifacts),
        dict(captured.unavailable),
    )
    recording.write_case(into, case)


def _warm(target: str) -> None:
    """Import what compiling imports; what is compiled here is in no fork's way."""
    import torch

    torch.set_num_threads(_TORCH_THREADS)
    with get_target(target).active():
        x = torch.randn(64, requires_grad=True)
        capture(lambda x: torch.sin(x).sum(), x, train=True)
