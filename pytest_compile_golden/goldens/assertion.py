"""The `golden` fixture's object: `assert artifact == golden`, `assert capture == golden`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from syrupy.assertion import SnapshotAssertion

from pytest_compile_golden.api import Capture
from pytest_compile_golden.errors import CompileGoldenError, GoldenError
from pytest_compile_golden.formats.artifact import Artifact
from pytest_compile_golden.goldens.case import Case


class NotComparable(CompileGoldenError, TypeError):
    """Something compared with `golden` that is neither an artifact nor a capture."""


@dataclass(eq=False, order=False, repr=False)
class GoldenAssertion(SnapshotAssertion):
    """A syrupy assertion whose snapshots are this case's goldens.

    It is not registered with syrupy's session: its unused-snapshot accounting, deletion and summary stay exactly
    what they are without us.
    """

    case: Case | None = None

    def __post_init__(self) -> None:
        self._golden_name: str | None = None

    @property
    def name(self) -> str:
        return "golden"

    def __call__(self, *, name: str | None = None, **unknown: Any) -> GoldenAssertion:  # type: ignore[override]
        """The same goldens under a name of their own: `golden(name="decode")` reads `<stage>.decode.<ext>`."""
        if unknown:
            raise NotComparable(f"golden() takes name= only, not {', '.join(sorted(unknown))}.")
        self._golden_name = name
        return self

    def with_defaults(self, **_: Any) -> GoldenAssertion:
        raise NotComparable("golden has one format per stage and no defaults to change; use it as it is.")

    def __repr__(self) -> str:
        return "golden"

    def _assert(self, data: Any) -> bool:
        case, name = self.case, self._golden_name
        assert case is not None
        self._golden_name = None
        self._executions += 1
        if isinstance(data, Artifact):
            return case.check([(data.stage, data)], name or data.name)
        if isinstance(data, Capture):
            return self._check_capture(case, data, name)
        raise NotComparable(
            f"golden compares a stage's artifact or a whole capture, not a {type(data).__name__}. "
            "Write `assert post_grad_graph(fn, x) == golden` or `assert compile_stages(fn, x) == golden`."
        )

    def _check_capture(self, case: Case, capture: Capture, name: str | None) -> bool:
        if capture.target != case.target:
            raise GoldenError(
                f"a capture for {capture.target} is compared in a case for {case.target}. "
                "Leave out target= and give the test @pytest.mark.compile_golden(target=...) instead."
            )
        case.torch, case.triton = capture.environment.torch, capture.environment.triton
        artifacts: list[tuple[str, Artifact | None]] = []
        for stage in case.stages:
            if stage in capture.unavailable:
                case.unavailable[stage] = capture.unavailable[stage]
            else:
                present = stage in capture
                artifacts.append((stage, capture[stage] if present else None))
        if all(artifact is None for _, artifact in artifacts) and not case.unavailable:
            raise GoldenError(
                f"none of the stages to check ({', '.join(case.stages)}) exists in this capture; "
                f"it has: {', '.join(capture.stages)}. Name others with --compile-golden-stages."
            )
        return case.check(artifacts, name)

    def get_assert_diff(self, **_: Any) -> list[str]:
        """What pytest shows where the report of the case does not replace it."""
        changes = [] if self.case is None else self.case.failed
        return [f"{change.path}: {change.kind}" for change in changes]
