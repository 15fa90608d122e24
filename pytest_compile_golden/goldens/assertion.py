"""The `golden` fixture's object, `assert artifact == golden`, `assert capture == golden`, and goldens for syrupy.

Each artifact is a syrupy snapshot assertion with `GoldenExtension`; a capture is one such assertion per stage.
"""

from __future__ import annotations

import operator
import os
import warnings
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, Final, TypeVar

import pytest
from syrupy.assertion import SnapshotAssertion
from syrupy.data import Snapshot, SnapshotCollection, SnapshotCollections
from syrupy.exceptions import TaintedSnapshotError
from syrupy.extensions.base import AbstractSyrupyExtension
from syrupy.location import PyTestLocation

from pytest_compile_golden.api.captured import Capture
from pytest_compile_golden.errors import CompileGoldenError, GoldenError
from pytest_compile_golden.formats.artifact import Artifact
from pytest_compile_golden.formats.decisions import DECISIONS
from pytest_compile_golden.goldens import unused_goldens
from pytest_compile_golden.goldens.case import Case
from pytest_compile_golden.goldens.compare_artifact import Comparison
from pytest_compile_golden.goldens.golden_history import golden_files
from pytest_compile_golden.goldens.golden_paths import GoldenPath
from pytest_compile_golden.stages import get_stage, rank

_T = TypeVar("_T")

LARGE = 400
"""How many nodes the graphs that Inductor lowers may have for all of a capture's stages to be kept by default."""
_GRAPH: Final = "post_grad_graph"


@dataclass
class RunGoldens:
    """What syrupy may know about the goldens of a run."""

    root: Path
    deletes: bool = False
    """Whether syrupy may delete unused snapshots at the end."""
    unused: list[PurePosixPath] | None = None
    """What syrupy is to count as unused; None while tests run."""
    asked: bool = False
    """Whether syrupy asked for the unused ones."""
    problems: list[str] = field(default_factory=list)
    """Unused goldens that syrupy could not delete, in words."""


RUN: pytest.StashKey[RunGoldens] = pytest.StashKey()
"""Stashed in the config of a run with the plugin on."""
FOLDER: pytest.StashKey[PurePosixPath] = pytest.StashKey()
"""Stashed in the item of a case: the folder of its goldens."""


class _Text(str):
    """An artifact's text that knows how to become a golden: syrupy writes through a class, which has no state."""

    comparison: Comparison


class GoldenExtension(AbstractSyrupyExtension):
    """Goldens as syrupy snapshots: which file one is in, and how it is read, matched, written and deleted.

    A collection is the folder of a test file's goldens; a snapshot in it is `<test>/<target>/<stage>.<ext>`. Everything
    goes through syrupy's public interface, so its summary, exit status and `--snapshot-*` options treat goldens as they
    do other snapshots. What that interface cannot express is added here:

    - An extension sees a text and a name, but a golden depends on the running torch and on the kinds of change that the
      run accepts. So artifacts are compared before syrupy asks (`Comparison`), and results are handed out one by one.
    - One assertion is one snapshot. `assert capture == golden` makes one per stage (`GoldenAssertion`).
    - syrupy considers everything unused that it discovers and no test asserted, even in a run that failed or left cases
      out. So the plugin decides first (`RunGoldens`), and discovery only returns what is unused by its rules.
    - xdist's controller has no place for an extension, and a worker cannot know whether the whole run is complete.
      There, and if no case asserted anything, syrupy does not ask, and the plugin does the same work instead.
    """

    write_immediately = True
    comparison: Comparison | None = None
    """What the next assertion is about."""
    _run: RunGoldens | None = None

    def serialize(self, data: Comparison, **_: Any) -> str:
        text = _Text("" if data.compared is None else data.compared.new)
        text.comparison = data
        return text

    def matches(self, *, serialized_data: Any, snapshot_data: Any) -> bool:
        return bool(serialized_data.comparison.passes)

    @classmethod
    def get_location(cls, *, test_location: PyTestLocation, index: int | str) -> str:
        return str(_run(test_location).root / _folder(test_location).parents[1])

    @classmethod
    def get_snapshot_name(
        cls, *, test_location: PyTestLocation, index: int | str = 0
    ) -> str:
        folder = _folder(test_location)
        return f"{folder.parent.name}/{folder.name}/{index}"

    @classmethod
    def dirname(cls, *, test_location: PyTestLocation) -> str:
        return str(_run(test_location).root)

    def read_snapshot_data_from_location(self, **_: Any) -> str | None:
        comparison = self.comparison
        assert comparison is not None
        if comparison.error is not None:
            raise comparison.error
        if comparison.damaged:
            raise TaintedSnapshotError("")
        found = comparison.compared
        return None if found is None or found.kind == "new" else found.old

    @classmethod
    def write_snapshot_collection(
        cls, *, snapshot_collection: SnapshotCollection, **_: Any
    ) -> None:
        for snapshot in snapshot_collection:
            assert (
                isinstance(snapshot.data, _Text)
                and snapshot.data.comparison.write is not None
            )
            snapshot.data.comparison.write()

    def discover_snapshots(
        self, *, test_location: PyTestLocation, **_: Any
    ) -> SnapshotCollections:
        run = self._run = _run(test_location)
        by_module: dict[PurePosixPath, list[PurePosixPath]] = defaultdict(list)
        for path in _discovered(run):
            by_module[path.parents[2]].append(path)
        collections = SnapshotCollections()
        for module, paths in by_module.items():
            collection = SnapshotCollection(location=str(run.root / module))
            for path in paths:
                collection.add(Snapshot(name=path.relative_to(module).as_posix()))
            collections.add(collection)
        return collections

    def read_snapshot_collection(self, *, snapshot_location: str) -> SnapshotCollection:
        collection = SnapshotCollection(location=snapshot_location)
        for path in golden_files(Path(snapshot_location)):
            collection.add(
                Snapshot(name=path.relative_to(snapshot_location).as_posix())
            )
        return collection

    def delete_snapshots(
        self, *, snapshot_location: str, snapshot_names: set[str]
    ) -> None:
        assert self._run is not None
        module = PurePosixPath(
            Path(snapshot_location).relative_to(self._run.root).as_posix()
        )
        # Names that syrupy made up, or took from elsewhere, are not ours.
        wanted = {module / name for name in snapshot_names}.intersection(
            self._run.unused or ()
        )
        self._run.problems += unused_goldens.prune(self._run.root, sorted(wanted))


def _discovered(run: RunGoldens) -> list[PurePosixPath]:
    if run.unused is not None:
        run.asked = True
        return run.unused
    if not run.deletes or not run.root.is_dir():
        return []
    # While tests run, syrupy only notes who deletes at which location.
    paths = [
        PurePosixPath(path.relative_to(run.root).as_posix())
        for path in golden_files(run.root)
    ]
    return [path for path in paths if len(path.parts) > 3]


def _run(test_location: PyTestLocation) -> RunGoldens:
    return _in_a_case(test_location.item.config.stash.get(RUN, None))


def _folder(test_location: PyTestLocation) -> PurePosixPath:
    return _in_a_case(test_location.item.stash.get(FOLDER, None))


def _in_a_case(value: _T | None) -> _T:
    if value is None:
        raise GoldenError(
            "goldens can only be compared through the `golden` fixture, in a run with --compile-golden."
        )
    return value


class NotComparable(CompileGoldenError, TypeError):
    """Something compared with `golden` that is neither an artifact nor a capture."""


IN_A_FORK = (
    "a process that the test forked compared with golden, of which the run sees nothing: return what was captured "
    "(`Capture.save`), and compare it in the test."
)
_WAIT = "join the thread that compares before the test returns."


class GoldenAssertion:
    """A case's goldens, to compare artifacts and captures with.

    snapshot: syrupy's `snapshot` fixture for the case; None if the run only records and compares nothing.
    """

    def __init__(self, case: Case, snapshot: SnapshotAssertion | None) -> None:
        self.case = case
        self._snapshot = (
            None if snapshot is None else snapshot.use_extension(GoldenExtension)
        )
        self._name: str | None = None

    def __call__(self, *, name: str | None = None, **unknown: Any) -> GoldenAssertion:
        """The same goldens under a separate name: `golden(name="decode")` reads `<stage>.decode.<ext>`."""
        if unknown:
            raise NotComparable(
                f"golden() only takes name=, not {', '.join(sorted(unknown))}."
            )
        self._name = name
        return self

    def __repr__(self) -> str:
        return "golden"

    def __eq__(self, data: object) -> bool:
        with self._remembering():
            case, name = self.case, self._name
            self._name = None
            if isinstance(data, Artifact):
                return case.check([(data.stage, data)], name or data.name, self._assert)
            if isinstance(data, Capture):
                return self._check_capture(data, name)
            raise NotComparable(
                f"golden compares a stage's artifact or a whole capture, not a {type(data).__name__}. "
                "Write `assert post_grad_graph(fn, x) == golden` or `assert compile_stages(fn, x) == golden`."
            )

    def __ne__(self, data: object) -> bool:
        # Not the opposite of `==`: that would let an update write what the test says must not be.
        with self._remembering():
            raise NotComparable(
                "golden is only compared with ==: every behaviour but one differs from a golden, a broken one too. "
                "Assert what this one must not do, or that two captures differ: "
                '`assert str(one["triton_code"]) != str(other["triton_code"])`.'
            )

    @contextmanager
    def _remembering(self) -> Iterator[None]:
        """Keep what a comparison raises: the case fails even if the test catches it.

        Raises GoldenError in a process that the test forked, and in a thread that outlives it.
        """
        case = self.case
        if os.getpid() != case.process:
            case.forked[0] = 1
            raise GoldenError(IN_A_FORK)
        try:
            if case.ended:
                raise GoldenError("the test had ended")
            yield
        except CompileGoldenError as error:
            case.unjudged.append(error)
            raise
        finally:
            # Of a thread that began to compare before the end, too.
            if case.ended and case.unjudged:
                case.unjudged.clear()
                case.too_late.append(
                    f"{case.nodeid} compared with golden after its test had ended: {_WAIT}"
                )

    def _check_capture(self, capture: Capture, name: str | None) -> bool:
        case = self.case
        if capture.target != case.target:
            raise GoldenError(
                f"a capture for {capture.target} was compared in a case for {case.target}. "
                "Leave out target= and mark the test with @pytest.mark.compile_golden(target=...) instead."
            )
        case.torch, case.triton = capture.environment.torch, capture.environment.triton
        artifacts: list[tuple[str, Artifact | None]] = []
        for stage in _with_the_backends_graph(self._stages(capture, name), capture):
            reason = capture.unavailable_because(stage)
            if reason is not None:
                case.unavailable[stage] = reason
            else:
                present = stage in capture
                artifacts.append((stage, capture[stage] if present else None))
        if all(artifact is None for _, artifact in artifacts) and not case.unavailable:
            raise GoldenError(
                f"none of the stages to check ({', '.join(case.stages)}) exists in this capture; "
                f"it has: {', '.join(capture.stages)}. Choose others with --compile-golden-stages."
            )
        if any(_has_content(artifact) for _, artifact in artifacts):
            artifacts = [
                (stage, artifact if _has_content(artifact) else None)
                for stage, artifact in artifacts
            ]
        return case.check(artifacts, name, self._assert)

    def _stages(self, capture: Capture, name: str | None) -> Sequence[str]:
        """The stages to check: of a large capture whose case chooses none, and has no other goldens, `decisions`."""
        case = self.case
        if case.stages_chosen or self._snapshot is None:
            return case.stages
        for kept, stages in ((DECISIONS, (DECISIONS,)), (_GRAPH, case.stages)):
            stage = get_stage(kept)
            path = GoldenPath(
                case.folder, kept if name is None else f"{kept}.{name}", stage.extension
            )
            if case.store.find(path, stage, capture.environment.torch) is not None:
                return stages
        large = _GRAPH in capture and capture[_GRAPH].nodes > LARGE
        return (DECISIONS,) if large else case.stages

    def _assert(self, comparison: Comparison) -> None:
        """Let syrupy count one artifact, and write it if it is accepted. Raises whatever prevented a comparison."""
        snapshot = self._snapshot
        assert snapshot is not None and isinstance(snapshot.extension, GoldenExtension)
        snapshot.extension.comparison = comparison
        # Whether a change is accepted is decided per artifact, not per run.
        snapshot.update_snapshots = comparison.write is not None
        with warnings.catch_warnings():
            # syrupy warns that it "can not relate to the test" a name that was made safe for every file system.
            warnings.simplefilter("ignore")
            operator.eq(snapshot(name=comparison.file), comparison)
        result = snapshot.executions[snapshot.num_executions - 1]
        # syrupy keeps results until the end of the run for their names and outcomes; texts can be large.
        snapshot.extension.comparison = None
        result.asserted_data = result.recalled_data = None
        if isinstance(result.exception, OSError):
            raise GoldenError(
                f"cannot write golden {comparison.file}: {result.exception}. Check space and permissions."
            ) from result.exception
        if result.exception is not None:
            raise result.exception


def _with_the_backends_graph(chosen: Sequence[str], capture: Capture) -> list[str]:
    """The stages to check, in pipeline order: with the graph that another backend than Inductor received.

    That graph stands in for `post_grad_graph`, without which only numbers would be left to check.
    """
    received = next(
        (
            stage
            for stage in ("aot_graph", "dynamo_graph", "exported_graph")
            if stage in capture
        ),
        None,
    )
    if (
        received is None
        or "post_grad_graph" not in chosen
        or "inductor" in capture.record.parts
    ):
        return list(chosen)
    return sorted({*chosen, received}, key=rank)


def _has_content(artifact: Artifact | None) -> bool:
    return artifact is not None and not artifact.is_trivial


def explain(op: str, left: object, right: object) -> list[str] | None:
    """pytest's explanation of a failed comparison, unless the case's report replaces it (not with `--full-trace`)."""
    golden = right if isinstance(right, GoldenAssertion) else left
    if not isinstance(golden, GoldenAssertion):
        return None
    golden.case.explained = f"{left!r:.60} {op} {right!r:.60}"
    return [
        golden.case.explained,
        *(f"{change.path}: {change.kind}" for change in golden.case.failed),
    ]
