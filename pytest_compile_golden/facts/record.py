"""All that was recorded of one compile."""

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
    """How choices that torch would make by timing were made, in words; None if the target times for real."""
    known: tuple[str, ...] = ()
    """The inputs whose values the program asked for, which it is given on a virtual GPU if they are small."""
    backend: str = "inductor"
    """What compiled the graphs: the name of a torch.compile backend, `aot_inductor`, or the name of a function."""
    entries: dict[str, list[Any]] = field(default_factory=dict)
    numbers: dict[str, int] = field(default_factory=dict)
    """Torch's own totals for this capture (`torch._inductor.metrics`)."""
    counters: dict[str, dict[str, int]] = field(default_factory=dict)
    """`torch._dynamo.utils.counters` for this capture."""
    unwatched: frozenset[str] = frozenset()
    """Expensive stages that were not requested before the compile.

    Nothing was recorded for a costly one. One that kernels are compiled for is available all the same, but its numbers
    are not among the metrics, whatever is requested later.
    """
    unavailable: dict[str, str] = field(default_factory=dict)
    """What this torch cannot show, with the reason (the missing torch name): stages, and metrics that are unknown."""
    lacks: dict[str, str] = field(default_factory=dict)
    """The features that the target is without on this torch, with the reason; the compile may have gone another way."""

    @property
    def parts(self) -> frozenset[str]:
        """The parts of torch that processed the program: `export`, `dynamo`, `aot`, `inductor`, `aot_inductor`."""
        ahead = self.backend == "aot_inductor"
        # A function that is a backend may well call Inductor.
        inductor = self.backend == "inductor" or ahead or "post_grad_graph" in self.entries
        took_part = {
            "export": "exported_graph" in self.entries,
            "dynamo": not ahead,
            "aot": inductor or "aot_graph" in self.entries,
            "inductor": inductor,
            "aot_inductor": ahead,
        }
        return frozenset(part for part, took in took_part.items() if took)

    def add(self, key: str, item: object) -> None:
        self.entries.setdefault(key, []).append(item)

    def get(self, key: str) -> list[Any]:
        return self.entries.get(key, [])
