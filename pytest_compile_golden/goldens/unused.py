"""Goldens that are no longer compared with anything: finding them, and removing them and nothing else."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path, PurePosixPath

from pytest_compile_golden.errors import GoldenError
from pytest_compile_golden.goldens import evidence, files, header
from pytest_compile_golden.goldens.history import cases, golden_files, stem_of
from pytest_compile_golden.goldens.layout import safe_name


def unused(
    goldens: Path, project: Path, used: Collection[PurePosixPath], modules: Collection[PurePosixPath]
) -> list[PurePosixPath]:
    """The folders of cases that have goldens but no test, after everything in `project` was collected.

    used: the folders of all existing cases. modules: the test files that were collected, as `module_folder` names them.
    A test file that exists but was not collected (other `testpaths`, an ignored folder) keeps its goldens: whether its
    cases exist is not known.
    """
    if not goldens.is_dir():
        return []
    folders = [folder for folder in cases(goldens) if folder not in used and len(folder.parts) > 2]
    candidates = [(folder, folder.parent.parent) for folder in folders]
    return [folder for folder, module in candidates if module in modules or not _exists(project, module.parts)]


def module_folder(module: PurePosixPath) -> PurePosixPath:
    """Where the goldens of a test file are; `module` is relative to the root folder."""
    parts = [*module.parent.parts, module.name.removesuffix(".py")]
    return PurePosixPath(*(safe_name(part) for part in parts))


def goldens_in(goldens: Path, folders: Collection[PurePosixPath]) -> list[PurePosixPath]:
    """Everything in these cases' folders."""
    return [
        path
        for folder in folders
        for path in (
            *evidence.held(goldens, folder),
            *(folder / path.name for path in golden_files(files.inside(goldens, folder))),
        )
    ]


def leftovers(goldens: Path, cases: Mapping[PurePosixPath, Collection[str]]) -> list[PurePosixPath]:
    """Goldens under a name that their case no longer uses, for example after `golden(name="decode")` was renamed.

    cases: for each case that passed, the suffixes of all stems that it used. A stage that this run did not check keeps
    its goldens.
    """
    paths = []
    for folder, suffixes in cases.items():
        for path in goldens_in(goldens, [folder]):
            stem = stem_of(path.name)
            if stem is not None and stem.partition(".")[2] not in {"", *suffixes}:
                paths.append(path)
    return paths


def own(goldens: Path, paths: Collection[PurePosixPath]) -> tuple[list[PurePosixPath], list[str]]:
    """Those of `paths` that are goldens of ours, and the reasons why the others are not."""
    own_goldens, complaints = [], []
    for name in paths:
        try:
            if not evidence.holds(name):
                header.read(files.inside(goldens, name))
            own_goldens.append(name)
        except GoldenError as error:
            complaints.append(str(error))
    return own_goldens, complaints


def prune(goldens: Path, paths: Collection[PurePosixPath]) -> list[str]:
    """Delete these goldens, and the folders that this leaves empty; return messages for those that it could not."""
    problems = []
    for name in paths:
        try:
            path = files.inside(goldens, name)
            files.remove(path)
            evidence.put(goldens, name, "")
            files.remove_empty(path.parent, goldens)
        except GoldenError as error:
            problems.append(str(error))
    return problems


def _exists(folder: Path, parts: tuple[str, ...]) -> bool:
    """Whether a test file exists whose goldens are in a folder of these parts; names may have been made safe."""
    last = len(parts) == 1
    try:
        names = [*(path.name for path in folder.iterdir()), ".."]
    except OSError:
        # It cannot be known, and goldens are not deleted on a guess.
        return folder.exists()
    for name in names:
        if safe_name(name.removesuffix(".py") if last else name) != parts[0]:
            continue
        if last or _exists(folder / name, parts[1:]):
            return True
    return False
