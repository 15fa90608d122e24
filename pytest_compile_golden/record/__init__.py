"""What probes write down during one compile: plain, serialisable data. Imports no torch."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Environment:
    """The versions a capture was made with."""

    torch: str
    triton: str | None
    python: str


@dataclass
class Record:
    """Everything observed during one capture. `entries` holds each probe's items under that probe's own keys."""

    target: str
    device_type: str
    """`cpu` or `cuda`."""
    training: bool
    environment: Environment
    policy: str | None = None
    """How choices that torch would make by timing were made, in words; None where the target times for real."""
    known: tuple[str, ...] = ()
    """The inputs whose values the program asked for, which on a virtual GPU it is given where they are small."""
    backend: str = "inductor"
    """What compiled the graphs: a name of torch.compile's, `aot_inductor`, or the name of a function."""
    entries: dict[str, list[Any]] = field(default_factory=dict)
    numbers: dict[str, int] = field(default_factory=dict)
    """Torch's own totals of this capture (`torch._inductor.metrics`)."""
    counters: dict[str, dict[str, int]] = field(default_factory=dict)
    """`torch._dynamo.utils.counters` of this capture."""
    unwatched: frozenset[str] = frozenset()
    """Stages that cost time, and that nobody asked for before the compile.

    Of a costly one nothing was recorded. One that kernels are compiled for is there all the same, and its numbers are
    not among the metrics, whatever is asked for later.
    """
    unavailable: dict[str, str] = field(default_factory=dict)
    """Stage name to the reason (the missing torch name) for stages that this torch cannot show."""

    @property
    def parts(self) -> frozenset[str]:
        """The parts of torch that had the program: `export`, `dynamo`, `aot`, `inductor`, `aot_inductor`."""
        ahead = self.backend == "aot_inductor"
        # A function that is a backend may well call Inductor.
        inductor = self.backend == "inductor" or ahead or "post_grad_graph" in self.entries
        had_program = {
            "export": "exported_graph" in self.entries,
            "dynamo": not ahead,
            "aot": inductor or "aot_graph" in self.entries,
            "inductor": inductor,
            "aot_inductor": ahead,
        }
        return frozenset(part for part, there in had_program.items() if there)

    def add(self, key: str, item: object) -> None:
        self.entries.setdefault(key, []).append(item)

    def get(self, key: str) -> list[Any]:
        return self.entries.get(key, [])
