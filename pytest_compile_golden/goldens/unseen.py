"""What this torch cannot show of an artifact is neither a change nor to be lost: it stays as the golden has it."""

from __future__ import annotations

from collections.abc import Collection

from pytest_compile_golden.goldens import metrics, trail

_BY_STAGE = {"metrics": metrics.with_unseen, "trail": trail.with_unseen}


def filled(stage: str, golden: str, text: str, unseen: Collection[str]) -> str:
    """`text` with the parts of `golden` that are named in `unseen`: metrics, or steps of the trail."""
    return _BY_STAGE[stage](golden, text, unseen) if unseen and stage in _BY_STAGE else text
