"""Changes that leave the compiler's behaviour alone: other names, orders that mean nothing, other text."""

from __future__ import annotations

from benchmarks.sensitivity.mutation import Neutral

NEUTRAL_CHANGES: tuple[Neutral, ...] = ()
