"""The seam between the compiler and a record: one probe per part of the compiler, all in one registry."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, Protocol, runtime_checkable

from pytest_compile_golden.observe.hooks import Hooks, MissingName, resolve
from pytest_compile_golden.record import GraphKey, Pass, Record


class Recorder:
    """What probes share during one capture: the record, and which graph the compiler works on."""

    def __init__(self, record: Record) -> None:
        self.record = record
        self.key = GraphKey(0)
        self.graphs = 0
        """Dynamo graphs seen so far."""
        self.on_pass: list[Callable[[Any], None]] = []
        """Called with each graph pass that begins (`probes/passes.py: Running`)."""
        self.on_pass_done: list[Callable[[Any, Pass], None]] = []
        """Called with each graph pass that is done, and its row of the ledger."""

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
    def touches(self) -> tuple[str, ...]:
        """Torch names this probe needs: `module:Qualified.name`.

        Every supported torch has them, unless one says since when it is there: `module:Qualified.name@2.14`.
        """
        ...

    def install(self, hooks: Hooks, recorder: Recorder) -> None:
        """Put the hooks in place for one capture."""
        ...


_probes: list[Probe] = []


def register_probe(probe: Probe) -> None:
    """Have `probe` watch every capture from now on."""
    if probe not in _probes:
        _probes.append(probe)


@contextmanager
def registered(probe: Probe) -> Iterator[None]:
    """Have `probe` watch the captures that are made until the block ends."""
    probes()  # the built-in ones come first
    register_probe(probe)
    try:
        yield
    finally:
        _probes.remove(probe)


def probes() -> tuple[Probe, ...]:
    """All registered probes, ours first, in pipeline order."""
    import pytest_compile_golden.observe.probes  # noqa: F401  # registers the built-in ones on first use

    return tuple(_probes)


def missing_names(probe: Probe) -> list[str]:
    """What `probe` needs and the installed torch does not have, as sentences; empty where it can work."""
    missing = []
    for touched in probe.touches:
        name, _, since = touched.partition("@")
        try:
            resolve(name)
        except MissingName as error:
            missing.append(f"{error} (there since torch {since})" if since else str(error))
    return missing


def install_probes(recorder: Recorder, stack: ExitStack) -> None:
    """Install every probe; one that cannot work marks its stages unavailable and the others go on."""
    unavailable = recorder.record.unavailable
    for probe in probes():
        missing = missing_names(probe)
        if missing:
            unavailable.update(dict.fromkeys(probe.stages, "; ".join(missing)))
            continue

        def failed(name: str, error: Exception, probe: Probe = probe) -> None:
            reason = f"the hook on {name} failed ({type(error).__name__}: {error})"
            for stage in probe.stages:
                unavailable.setdefault(stage, reason)

        own = ExitStack()
        try:
            probe.install(Hooks(own, failed), recorder)
        except MissingName as error:
            own.close()
            unavailable.update(dict.fromkeys(probe.stages, str(error)))
            continue
        stack.push(own)
