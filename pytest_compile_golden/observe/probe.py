"""The seam between the compiler and a record: one probe per part of the compiler, all in one registry."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, Protocol, runtime_checkable

from pytest_compile_golden.observe.hooks import Hooks, MissingName, resolve
from pytest_compile_golden.record import Record
from pytest_compile_golden.record.graphs import GraphKey, Pass
from pytest_compile_golden.registry import Registry
from pytest_compile_golden.stages import Stage, costly_stages, stages
from pytest_compile_golden.targets.patching import Patches


class Recorder:
    """What probes share during one capture: the record, and which graph the compiler is working on."""

    def __init__(self, record: Record) -> None:
        self.record = record
        self.key = GraphKey(0)
        self.graphs = 0
        """Dynamo graphs seen so far."""
        self.on_pass: list[Callable[[Any], None]] = []
        """Called at the start of each graph pass (`probes/passes.py: Running`)."""
        self.on_pass_done: list[Callable[[Any, Pass], None]] = []
        """Called at the end of each graph pass, with its row of the ledger."""

    def add(self, entry: str, item: object) -> None:
        self.record.add(entry, item)


@runtime_checkable
class Probe(Protocol):
    """Watches one part of the compiler and writes what it sees into the record."""

    @property
    def stages(self) -> tuple[str, ...]:
        """The stages that cannot be shown without this probe."""
        ...

    @property
    def requires(self) -> tuple[str, ...]:
        """Torch names that this probe needs: `module:Qualified.name`.

        Every supported torch has them, unless the name says which version added it: `module:Qualified.name@2.14`.
        """
        ...

    def install(self, hooks: Hooks, recorder: Recorder) -> None:
        """Install the hooks for one capture."""
        ...


def _built_in() -> Iterable[Probe]:
    from pytest_compile_golden.observe.probes import BUILT_IN

    return BUILT_IN


_probes: Registry[Probe] = Registry(
    "probe",
    group="pytest_compile_golden.probes",
    # A class has the attributes of its instances, but has to be instantiated first.
    fits=lambda item: isinstance(item, Probe) and not isinstance(item, type),
    # There may be several instances of one class.
    name=lambda probe: f"{type(probe).__qualname__} {id(probe)}",
    built_in=_built_in,
    same=operator.is_,
)


def register_probe(probe: Probe) -> None:
    """Have `probe` watch every capture from now on."""
    _probes.add(probe)


@contextmanager
def registered(probe: Probe) -> Iterator[None]:
    """Have `probe` watch the captures made inside the block."""
    register_probe(probe)
    try:
        yield
    finally:
        _probes.discard(probe)


def probes() -> tuple[Probe, ...]:
    """All registered probes: the built-in ones first, in pipeline order."""
    return tuple(_probes.all().values())


def missing_names(needs: Probe | Stage, device_type: str | None = None) -> list[str]:
    """What a probe or a stage needs that the installed torch lacks, as sentences; empty if it can work.

    device_type: that of the targets the stage should work on; by default, of all that can have it.
    """
    missing = []
    for required in needs.required(device_type) if isinstance(needs, Stage) else needs.requires:
        name, _, since = required.partition("@")
        try:
            resolve(name)
        except MissingName as error:
            missing.append(f"{error} (only in torch {since} and later)" if since else str(error))
    return missing


def install_probes(recorder: Recorder, stack: ExitStack) -> None:
    """Install every probe; if one cannot work, its stages are marked unavailable and the others still run.

    A stage that lacks something it needs itself is marked too. A probe whose stages are all costly ones that nobody
    asked for is left out.
    """
    unavailable = recorder.record.unavailable
    left_out = recorder.record.unwatched.intersection(costly_stages())
    for probe in probes():
        if probe.stages and left_out.issuperset(probe.stages):
            continue
        missing = missing_names(probe)
        if missing:
            unavailable.update(dict.fromkeys(probe.stages, "; ".join(missing)))
            continue

        def failed(name: str, error: Exception, probe: Probe = probe) -> None:
            reason = f"the hook on {name} failed ({type(error).__name__}: {error})"
            for stage in probe.stages:
                unavailable.setdefault(stage, reason)

        own = Patches()
        try:
            probe.install(Hooks(own, failed), recorder)
        except MissingName as error:
            own.close()
            unavailable.update(dict.fromkeys(probe.stages, str(error)))
            continue
        stack.push(own)
    for stage in stages():
        device_type = recorder.record.device_type
        missing = missing_names(stage, device_type) if device_type in stage.devices else []
        if missing:
            unavailable.setdefault(stage.name, "; ".join(missing))
