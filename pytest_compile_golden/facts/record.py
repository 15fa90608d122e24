"""All that was recorded of one compile; and as a file that any machine can read: JSON, compressed if named `.gz`."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import msgspec

from pytest_compile_golden.common.json_files import Document
from pytest_compile_golden.errors import CannotSave, UnreadableCapture
from pytest_compile_golden.facts import schedules as facts
from pytest_compile_golden.facts.costs import (
    BufferSizes,
    Collective,
    Communication,
    GraphCost,
    KernelShares,
    Liveness,
    Saved,
    Work,
)
from pytest_compile_golden.facts.generated_code import (
    EmittedLine,
    Launch,
    MachineCode,
    OutputCode,
    Package,
)
from pytest_compile_golden.facts.graphs import (
    Decision,
    Exported,
    Graph,
    GraphKey,
    Partition,
    Pass,
)
from pytest_compile_golden.facts.guards import (
    Bytecode,
    GraphChoices,
    Guards,
    GuardTree,
    Stop,
)
from pytest_compile_golden.facts.schedules import PassDiff

FORMAT: Final = 1

_ITEMS: Mapping[str, Any] = {
    "aot_graph": Graph,
    "aot_package": Package,
    "autotuned": tuple[str, facts.Choice],
    "backward_graph": Graph,
    "bytecode": Bytecode,
    "cache_key": GraphChoices,
    "collectives": Communication,
    "compile_cost": Work,
    "cost": GraphCost,
    "cudagraphs": GraphChoices,
    "decomposed": Decision,
    "dropped_guards": Guards,
    "dynamo_graph": Graph,
    "eager_kernels": str,
    "exported_graph": Exported,
    "forward_graph": Graph,
    "graph_breaks": Stop,
    "guard_tree": GuardTree,
    "guards": Guards,
    "guards_written": EmittedLine,
    "liveness": Liveness,
    "inner_passes": Pass,
    "joint_graph": Graph,
    "kernel_shares": KernelShares,
    "kernels": tuple[str, str, tuple[str, ...]],
    "launches": Launch,
    "lowered": Decision,
    "lowered_ir": facts.Schedule,
    "machine_code": MachineCode,
    "memory": BufferSizes,
    "not_fused": tuple[str, facts.NotFused],
    "output_code": OutputCode,
    "partition": Partition,
    "pass_diffs": PassDiff,
    "pass_graphs": Graph,
    "passes": Pass,
    "post_grad_graph": Graph,
    "pre_grad_graph": Graph,
    "recompiles": Stop,
    "saved": Saved,
    "scheduler_nodes": facts.Schedule,
    "specialisations": GraphChoices,
    "step": GraphKey | Collective,
    "steps": Pass,
    "written": EmittedLine,
}
"""What each entry of a record holds; those of users' probes are plain values."""


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
        inductor = (
            self.backend == "inductor" or ahead or "post_grad_graph" in self.entries
        )
        took_part = {
            "export": "exported_graph" in self.entries,
            "dynamo": not ahead,
            "aot": inductor or "aot_graph" in self.entries,
            "inductor": inductor,
            "aot_inductor": ahead,
        }
        return frozenset(part for part, took in took_part.items() if took)

    def add(self, key: str, item: object) -> None:
        """Add a fact to the entry called `key`, which is mostly a stage's name."""
        self.entries.setdefault(key, []).append(item)

    def get(self, key: str) -> list[Any]:
        """The facts of an entry in the order in which they were added; empty if nothing was recorded."""
        return self.entries.get(key, [])


class _Saved(msgspec.Struct):
    format: int
    target: str
    device_type: str
    training: bool
    environment: Environment
    policy: str | None
    known: tuple[str, ...]
    backend: str
    entries: dict[str, list[msgspec.Raw]]
    numbers: dict[str, int]
    counters: dict[str, dict[str, int]]
    unwatched: frozenset[str]
    unavailable: dict[str, str]


_DOCUMENT = Document(
    _Saved,
    FORMAT,
    UnreadableCapture,
    outdated="Capture it again with this version of pytest-compile-golden.",
    advice="Capture it again.",
)


def write(record: Record, path: Path) -> None:
    """Write everything that the record holds. Raises CannotSave if a probe recorded what JSON does not give back."""
    for key, items in record.entries.items():
        kind = _ITEMS.get(key, Any)
        try:
            same = all(
                msgspec.json.decode(msgspec.json.encode(item), type=kind) == item
                for item in items
            )
        except (TypeError, ValueError):
            same = False
        if not same:
            raise CannotSave(
                f"the probe of {key!r} records values that JSON does not give back as they were. "
                "Have it record strings, numbers, lists and dicts."
            )
    facts = {
        name: getattr(record, name)
        for name in _Saved.__struct_fields__
        if name != "format"
    }
    data = msgspec.json.encode({"format": FORMAT, **facts}, order="sorted")
    path.write_bytes(gzip.compress(data, mtime=0) if path.suffix == ".gz" else data)


def read(path: Path) -> Record:
    """The record that `write` wrote. Raises UnreadableCapture for any other file; nothing in it is trusted."""
    try:
        if not path.is_file():  # reading a pipe would wait for somebody to write to it
            raise UnreadableCapture(
                f"{path} is not a file. Name one that Capture.save wrote."
            )
        data = path.read_bytes()
        if path.suffix == ".gz":
            data = gzip.decompress(data)
    except (OSError, EOFError, zlib.error) as error:
        raise UnreadableCapture(
            f"{path} is damaged or cannot be read ({error}). Capture it again."
        ) from None
    return _DOCUMENT.parse(data, str(path), _record)


def _record(saved: _Saved) -> Record:
    entries = {
        key: [msgspec.json.decode(item, type=_ITEMS.get(key, Any)) for item in items]
        for key, items in saved.entries.items()
    }
    others = {
        name: getattr(saved, name)
        for name in _Saved.__struct_fields__
        if name not in ("format", "entries")
    }
    return Record(**others, entries=entries)
