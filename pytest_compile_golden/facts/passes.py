"""Which passes ran."""

from __future__ import annotations

import msgspec


class Ran(msgspec.Struct, frozen=True, array_like=True, tag="ran"):
    """Passes that ran one after another over one graph, whether or not they did anything."""

    at: int
    """Its position among all such facts of a compile."""
    graph: str
    phase: str
    names: tuple[str, ...]
    """Those of passes that did nothing; empty for one that did something, whose row the ledger has."""
