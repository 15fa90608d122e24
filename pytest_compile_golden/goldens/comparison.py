"""One artifact with its golden: what a snapshot assertion needs to know about the two."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pytest_compile_golden.errors import GoldenError
from pytest_compile_golden.goldens.compare import ArtifactDifference
from pytest_compile_golden.goldens.store import Golden


@dataclass
class Comparison:
    """Already compared; what is left is to report it, and to write the artifact if this run accepts the change."""

    file: str
    """The artifact's file name without a torch version, which identifies the assertion."""
    golden: Golden | None = None
    text: str = ""
    change: ArtifactDifference | None = None
    damaged: bool = False
    """The golden cannot be read, and this run replaces it."""
    error: GoldenError | None = None
    """Why nothing could be compared."""
    write: Callable[[], None] | None = None
    """Accepts the artifact; None if nothing is to be written."""

    @property
    def passes(self) -> bool:
        """Whether the artifact equals its golden in everything that counts, and the golden stays as it is."""
        return self.write is None and self.error is None and (self.change is None or not self.change.red)
