"""A record as one file, which any machine can read: JSON, compressed if the file's name ends in `.gz`."""

from __future__ import annotations

import gzip
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

from pytest_compile_golden.documents import Document
from pytest_compile_golden.errors import CannotSave, UnreadableCapture
from pytest_compile_golden.facts import schedules as facts
from pytest_compile_golden.facts.code import Launch, MachineCode, OutputCode, Package, Written
from pytest_compile_golden.facts.costs import BufferSizes, Collective, Communication, GraphCost, Saved, Work
from pytest_compile_golden.facts.graphs import Decision, Exported, Graph, GraphKey, Partition, Pass
from pytest_compile_golden.facts.guards import Bytecode, GraphChoices, Guards, GuardTree, Stop
from pytest_compile_golden.facts.record import Environment, Record
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
    "dynamo_graph": Graph,
    "exported_graph": Exported,
    "forward_graph": Graph,
    "graph_breaks": Stop,
    "guard_tree": GuardTree,
    "guards": Guards,
    "guards_written": Written,
    "joint_graph": Graph,
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
    "passes": Pass,
    "post_grad_graph": Graph,
    "pre_grad_graph": Graph,
    "recompiles": Stop,
    "saved": Saved,
    "scheduler_nodes": facts.Schedule,
    "specialisations": GraphChoices,
    "step": GraphKey | Collective,
    "steps": Pass,
    "written": Written,
}
"""What each entry of a record holds; those of users' probes are plain values."""


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
            same = all(msgspec.json.decode(msgspec.json.encode(item), type=kind) == item for item in items)
        except (TypeError, ValueError):
            same = False
        if not same:
            raise CannotSave(
                f"the probe of {key!r} records values that JSON does not give back as they were. "
                "Have it record strings, numbers, lists and dicts."
            )
    facts = {name: getattr(record, name) for name in _Saved.__struct_fields__ if name != "format"}
    data = msgspec.json.encode({"format": FORMAT, **facts}, order="sorted")
    path.write_bytes(gzip.compress(data, mtime=0) if path.suffix == ".gz" else data)


def read(path: Path) -> Record:
    """The record that `write` wrote. Raises UnreadableCapture for any other file; nothing in it is trusted."""
    data = path.read_bytes()
    if path.suffix == ".gz":
        try:
            data = gzip.decompress(data)
        except (OSError, EOFError) as error:
            raise UnreadableCapture(f"{path} is damaged ({error}). Capture it again.") from None
    return _DOCUMENT.parse(data, str(path), _record)


def _record(saved: _Saved) -> Record:
    entries = {
        key: [msgspec.json.decode(item, type=_ITEMS.get(key, Any)) for item in items]
        for key, items in saved.entries.items()
    }
    others = {name: getattr(saved, name) for name in _Saved.__struct_fields__ if name not in ("format", "entries")}
    return Record(**others, entries=entries)
