"""Goldens that no case compares any more: finding them, moving those of a renamed case, removing them alone."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from difflib import SequenceMatcher
from pathlib import Path, PurePosixPath

from pytest_compile_golden.common.files import Folder, remove_empty
from pytest_compile_golden.common.lines import split_lines
from pytest_compile_golden.errors import GoldenError
from pytest_compile_golden.formats.decisions import DECISIONS
from pytest_compile_golden.goldens import evidence_file
from pytest_compile_golden.goldens.golden_header import read_golden
from pytest_compile_golden.goldens.golden_history import cases, golden_files, stem_of
from pytest_compile_golden.goldens.golden_paths import GoldenPath, safe_name
from pytest_compile_golden.goldens.golden_store import (
    Store,
    StoredGolden,
    WrittenGolden,
    same_behaviour,
)
from pytest_compile_golden.stages import stage_of

Texts = Mapping[GoldenPath, tuple[str, str]]
"""What a case produced: the stage and the text for each golden path."""
# Out of 1: a body that differs in one line of ten still belongs to the case; another program's does not.
_NEARLY = 0.8


def unused(
    goldens: Path,
    project: Path,
    used: Collection[PurePosixPath],
    modules: Collection[PurePosixPath],
) -> list[PurePosixPath]:
    """The folders of cases that have goldens but no test, after everything in `project` was collected.

    used: the folders of all existing cases. modules: the test files that were collected, as `module_folder` names them.
    A test file that exists but was not collected (other `testpaths`, an ignored folder) keeps its goldens: whether its
    cases exist is not known.
    """
    if not goldens.is_dir():
        return []
    folders = [
        folder
        for folder in cases(goldens)
        if folder not in used and len(folder.parts) > 2
    ]
    candidates = [(folder, folder.parent.parent) for folder in folders]
    return [
        folder
        for folder, module in candidates
        if module in modules or not _exists(project, module.parts)
    ]


def of_suite(goldens: Path, folder: PurePosixPath) -> bool:
    """Whether all goldens of a case are as those of an existing test, of which only decisions are kept."""
    stems = (
        stem_of(path.name) for path in golden_files(Folder(goldens).inside(folder))
    )
    return {stem for stem in stems if stem is not None} == {DECISIONS}


def goldens_in(
    goldens: Path, folders: Collection[PurePosixPath]
) -> list[PurePosixPath]:
    """Everything in these cases' folders."""
    return [
        path
        for folder in folders
        for path in (
            *evidence_file.held(Folder(goldens), folder),
            *(
                folder / path.name
                for path in golden_files(Folder(goldens).inside(folder))
            ),
        )
    ]


def leftovers(
    goldens: Path, cases: Mapping[PurePosixPath, Collection[str]]
) -> list[PurePosixPath]:
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


def own(
    goldens: Path, paths: Collection[PurePosixPath]
) -> tuple[list[PurePosixPath], list[str]]:
    """Those of `paths` that are goldens of ours, and the reasons why the others are not."""
    own_goldens, complaints = [], []
    for name in paths:
        try:
            if not evidence_file.holds(name):
                read_golden(Folder(goldens), name)
            own_goldens.append(name)
        except GoldenError as error:
            complaints.append(str(error))
    return own_goldens, complaints


def prune(goldens: Path, paths: Collection[PurePosixPath]) -> list[str]:
    """Delete these goldens, and the folders that this leaves empty; return messages for those that it could not."""
    folder = Folder(goldens)
    problems = []
    for name in paths:
        try:
            folder.remove(name)
            evidence_file.put(folder, name, "")
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


def origin(
    store: Store, texts: Texts, torch: str, gone: Collection[PurePosixPath]
) -> PurePosixPath | None:
    """The folder in `gone` whose goldens are exactly or nearly these texts; None if there is none, or more than one.

    Only folders of the same target count; goldens of its base are just as good, even if they have already been moved. A
    damaged golden counts for no folder.
    """
    alike = {folder: _likeness(store, texts, torch, folder) for folder in gone}
    best = max(alike.values(), default=0.0)
    likeliest = [folder for folder, likeness in alike.items() if likeness == best]
    return likeliest[0] if best >= _NEARLY and len(likeliest) == 1 else None


def move(store: Store, old: PurePosixPath, new: PurePosixPath) -> list[WrittenGolden]:
    """Move every golden of a case, including overlays, each in one step. Raises GoldenError if one is in the way.

    A file that is not ours stays, and the error names it before anything is moved.
    """
    if old == new or old.name != new.name:
        raise GoldenError(
            f"{old} and {new} are not two locations of the same target's goldens; nothing was moved."
        )
    goldens = Folder(store.root)
    with goldens.locked(old), goldens.locked(new):
        source, target = goldens.inside(old), goldens.inside(new)
        names = [path.name for path in golden_files(source) if path.parent == source]
        if not names and not any(
            goldens.inside(base).is_dir() for base in store.bases.below(new)
        ):
            raise GoldenError(
                f"{old} has no goldens of its own; move those of its target's base first."
            )
        for name in names:
            read_golden(goldens, old / name)
            if goldens.inside(new / name).exists():
                raise GoldenError(
                    f"{target / name} already exists; nothing was moved. Remove one of the two."
                )
        written = []
        for name in names:
            try:
                target.mkdir(parents=True, exist_ok=True)
                (source / name).replace(target / name)
            except OSError as error:
                raise GoldenError(
                    f"cannot move {source / name}: {error}. Run the same command again to move the rest."
                ) from error
            written += [
                WrittenGolden("removed", old / name),
                WrittenGolden("new", new / name),
            ]
        remove_empty(source, store.root)
    return written


def _likeness(store: Store, texts: Texts, torch: str, folder: PurePosixPath) -> float:
    """How alike they are, from 0 to 1, over all texts."""
    alike = [
        _alike(
            stage,
            golden_path,
            text,
            _golden(store, replace(golden_path, folder=folder), stage, torch)
            or _golden(store, golden_path, stage, torch),
        )
        for golden_path, (stage, text) in texts.items()
        if golden_path.folder.name == folder.name
    ]
    return sum(alike) / len(alike) if alike else 0.0


def _golden(
    store: Store, golden_path: GoldenPath, stage: str, torch: str
) -> StoredGolden | None:
    try:
        return store.find(golden_path, stage_of(stage, golden_path.extension), torch)
    except GoldenError:
        return None


def _alike(
    stage: str, golden_path: GoldenPath, text: str, golden: StoredGolden | None
) -> float:
    if golden is None:
        return 0.0
    if same_behaviour(stage_of(stage, golden_path.extension), golden.body, text):
        return 1.0
    matcher = SequenceMatcher(
        None, split_lines(golden.body), split_lines(text), autojunk=False
    )
    return matcher.ratio() if matcher.quick_ratio() >= _NEARLY / 2 else 0.0
