"""Between the compiler and a record: one probe per part of the compiler, all in one registry."""

from __future__ import annotations

import importlib
import operator
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from pytest_compile_golden.errors import CompileGoldenError, UnsupportedTorch
from pytest_compile_golden.extensions import Registry
from pytest_compile_golden.facts.graphs import GraphKey, Pass
from pytest_compile_golden.facts.record import Record
from pytest_compile_golden.formats.metrics.metric_table import COUNTED_STAGES
from pytest_compile_golden.observe.torch_hooks import Hooks
from pytest_compile_golden.stages import stages
from pytest_compile_golden.targets.patching import Patches
from pytest_compile_golden.targets.signature_check import because
from pytest_compile_golden.torch_internals import MissingName, lost_stages


class Compile:
    """One compile that is being recorded: its record, and where the compiler is in it."""

    def __init__(self, record: Record) -> None:
        self.record = record
        self.key = GraphKey(0)
        """The graph that the compiler is working on."""
        self.untold = ""
        """Why the graphs of this compile cannot be told apart; empty if they can."""
        self.graphs = 0
        """Dynamo graphs seen so far."""

    def lose(self, entries: Iterable[str], reason: str) -> None:
        """Mark stages or metrics as unavailable, unless they already are for another reason."""
        for entry in entries:
            self.record.unavailable.setdefault(entry, reason)

    def lose_key(self, reason: str) -> None:
        """From now on, whatever needs to know its graph is unavailable."""
        self.untold = self.untold or f"graphs cannot be told apart: {reason}"


class Recorder:
    """What probes share: the record of the compile that torch is doing now, and which graph it is working on."""

    def __init__(self, record: Record) -> None:
        self._compile = Compile(record)
        self.on_pass: list[Callable[[Any], None]] = []
        """Called at the start of each graph pass (`probes/passes.py: Running`)."""
        self.on_pass_done: list[Callable[[Any, Pass], None]] = []
        """Called at the end of each graph pass, with its row of the ledger."""

    def now(self) -> Compile:
        """The compile that torch is doing."""
        return self._compile

    @property
    def record(self) -> Record:
        """The record of that compile."""
        return self.now().record

    @property
    def key(self) -> GraphKey:
        """The graph that the compiler is working on. Raises MissingName if the graphs cannot be told apart."""
        compile = self.now()
        if compile.untold:
            raise MissingName(compile.untold)
        return compile.key

    @key.setter
    def key(self, key: GraphKey) -> None:
        self.now().key = key

    @property
    def graphs(self) -> int:
        """Dynamo graphs seen so far."""
        return self.now().graphs

    @graphs.setter
    def graphs(self, graphs: int) -> None:
        self.now().graphs = graphs

    def add(self, entry: str, item: object) -> None:
        """Add a fact to an entry of the record; see `Record.add`."""
        self.record.add(entry, item)

    def lose(self, entries: Iterable[str], reason: str) -> None:
        """Mark stages or metrics as unavailable, unless they already are for another reason."""
        self.now().lose(entries, reason)

    def lose_key(self, reason: str) -> None:
        """From now on, whatever needs to know its graph is unavailable."""
        self.now().lose_key(reason)


@runtime_checkable
class Probe(Protocol):
    """Watches one part of the compiler and writes what it sees into the record."""

    @property
    def stages(self) -> tuple[str, ...]:
        """The stages that cannot be shown without this probe."""
        ...

    def install(self, hooks: Hooks, recorder: Recorder) -> None:
        """Install the hooks for one capture. Whatever it raises is why its stages are unavailable."""
        ...


@dataclass(frozen=True)
class BuiltIn:
    """A probe of ours, imported when it is installed, so that one that cannot be imported fails alone too."""

    at: str
    """`module:Class`, in `observe/probes`."""
    stages: tuple[str, ...] = ()
    counts: bool = True
    """Whether a number of a capture, or what becomes of it, follows from what it records."""
    tells_apart: Callable[[Record], bool] = lambda _: False
    """Whether the graphs of such a compile cannot be told apart without it."""
    feature: str = ""
    """What a capture cannot tell without it, if that is not a whole stage."""

    def install(self, hooks: Hooks, recorder: Recorder) -> None:
        """Import the probe and install it. What that raises costs this probe's stages alone."""
        module, _, name = self.at.partition(":")
        probe: Probe = getattr(
            importlib.import_module(f"pytest_compile_golden.observe.probes.{module}"),
            name,
        )()
        probe.install(hooks, recorder)


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


def _name_of(probe: Probe) -> str:
    return (
        probe.at.rpartition(":")[2]
        if isinstance(probe, BuiltIn)
        else type(probe).__qualname__
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


# Why nothing was compiled, and which parts of torch took part.
_COUNTED = COUNTED_STAGES | {"graph_breaks", "aot_graph", "exported_graph"}


def unwatched(watch: Collection[str] | None) -> frozenset[str]:
    """The stages that a capture does not watch, if those in `watch` are asked for; None: only what metrics count."""
    wanted = {
        stage.name for stage in stages() if not (stage.costly or stage.compiles)
    }.union(watch or ())
    return frozenset(stage.name for stage in stages()) - (
        wanted & _COUNTED if watch is None else wanted
    )


def install_probes(recorder: Recorder, stack: ExitStack, only_counted: bool) -> None:
    """Install every probe; what the installed torch has no names for is marked unavailable, and so are the stages of a
    probe that fails in any way, now or while it watches. The others still run.

    A probe whose stages are all unwatched is left out; with `only_counted`, so is one that no number follows from.
    """
    record = recorder.record
    record.unavailable.update(lost_stages(record.device_type))
    left_out = record.unwatched.difference(
        stage.name for stage in stages() if stage.compiles
    )
    for probe in probes():
        if probe.stages and left_out.issuperset(probe.stages):
            continue
        if only_counted and isinstance(probe, BuiltIn) and not probe.counts:
            continue

        def lost(reason: str, probe: Probe = probe) -> None:
            recorder.lose(probe.stages, reason)
            if isinstance(probe, BuiltIn) and probe.feature:
                record.lacks.setdefault(probe.feature, reason)
            if isinstance(probe, BuiltIn) and probe.tells_apart(record):
                recorder.lose_key(reason)

        def failed(
            name: str, error: Exception, lost: Callable[[str], None] = lost
        ) -> None:
            unlike = isinstance(error, UnsupportedTorch)
            lost(
                str(error)
                if unlike
                else f"the hook on {name} failed ({because(error)})"
            )

        own = Patches()
        try:
            probe.install(Hooks(own, failed), recorder)
        except UnsupportedTorch as error:
            own.close()
            lost(str(error))
        except CompileGoldenError:
            own.close()
            raise
        except Exception as error:
            own.close()
            lost(f"{_name_of(probe)} cannot watch the compiler ({because(error)})")
        else:
            stack.push(own)
