"""What this torch cannot show of an artifact is neither a change nor to be lost: it stays as the golden has it."""

from __future__ import annotations

from collections.abc import Collection

from pytest_compile_golden.stages import Stage, trail_steps


def carry_over(stage: Stage, golden: str, text: str, unavailable: Collection[str]) -> str:
    """`text` with the parts of `golden` that are named in `unavailable`: metrics, or steps of the trail."""
    return stage.format.carry_over(golden, text, unavailable, trail_steps()) if unavailable else text
