"""The `golden` fixture's object: `assert artifact == golden`, `assert capture == golden`.

Each artifact is a syrupy snapshot assertion with `GoldenExtension`; a capture is one such assertion per stage.
"""

from __future__ import annotations

import operator
import warnings
from collections.abc import Sequence
from typing import Any

from syrupy.assertion import SnapshotAssertion

from pytest_compile_golden.captured import Capture
from pytest_compile_golden.errors import CompileGoldenError, GoldenError
from pytest_compile_golden.formats.artifact import Artifact
from pytest_compile_golden.goldens.case import Case
from pytest_compile_golden.goldens.compare import Comparison
from pytest_compile_golden.goldens.extension import GoldenExtension
from pytest_compile_golden.stages import rank


class NotComparable(CompileGoldenError, TypeError):
    """Something compared with `golden` that is neither an artifact nor a capture."""


class GoldenAssertion:
    """A case's goldens, to compare artifacts and captures with.

    snapshot: syrupy's `snapshot` fixture for the case; None if the run only records and compares nothing.
    """

    def __init__(self, case: Case, snapshot: SnapshotAssertion | None) -> None:
        self.case = case
        self._snapshot = None if snapshot is None else snapshot.use_extension(GoldenExtension)
        self._name: str | None = None

    def __call__(self, *, name: str | None = None, **unknown: Any) -> GoldenAssertion:
        """The same goldens under a separate name: `golden(name="decode")` reads `<stage>.decode.<ext>`."""
        if unknown:
            raise NotComparable(f"golden() only takes name=, not {', '.join(sorted(unknown))}.")
        self._name = name
        return self

    def __repr__(self) -> str:
        return "golden"

    def __eq__(self, data: object) -> bool:
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
        raise NotComparable(
            "golden is only compared with ==: every behaviour but one differs from a golden, a broken one too. Assert "
            "what this one must not do, or that two captures differ: "
            '`assert str(one["triton_code"]) != str(other["triton_code"])`.'
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
        for stage in _with_the_backends_graph(case.stages, capture):
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
            artifacts = [(stage, artifact if _has_content(artifact) else None) for stage, artifact in artifacts]
        return case.check(artifacts, name, self._assert)

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
    received = next((stage for stage in ("aot_graph", "dynamo_graph", "exported_graph") if stage in capture), None)
    if received is None or "post_grad_graph" not in chosen or "inductor" in capture.record.parts:
        return [*chosen]
    return sorted({*chosen, received}, key=rank)


def _has_content(artifact: Artifact | None) -> bool:
    return artifact is not None and not artifact.is_trivial


def explain(op: str, left: object, right: object) -> list[str] | None:
    """pytest's explanation of a failed comparison, unless the case's report replaces it (not with `--full-trace`)."""
    golden = right if isinstance(right, GoldenAssertion) else left
    if not isinstance(golden, GoldenAssertion):
        return None
    golden.case.explained = f"{left!r:.60} {op} {right!r:.60}"
    return [golden.case.explained, *(f"{change.path}: {change.kind}" for change in golden.case.failed)]
