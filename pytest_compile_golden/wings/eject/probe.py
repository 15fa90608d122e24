"""Watches a compile for the requested pass or stage, and writes its script at that moment."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pytest_compile_golden.facts.graphs import Pass
from pytest_compile_golden.observe.hooks import Hooks
from pytest_compile_golden.observe.probe import Recorder
from pytest_compile_golden.observe.probes.passes import Running
from pytest_compile_golden.torch_names import MissingName, inductor, scheduler
from pytest_compile_golden.wings.eject.script import partition_script, pass_script, stage_script
from pytest_compile_golden.wings.eject.source import CannotEject


@dataclass
class Ejected:
    """One run of the requested pass or stage."""

    name: str
    graph: str
    phase: str
    changed: bool
    script: str
    """Empty if `refused` says why there is none."""
    refused: str = ""
    where: str | None = None
    """`file:line` of a pass."""


class EjectProbe:
    """Collects a script for every run of the pass or partitioner called `name`, or, for a `stage`, of lowering."""

    stages = ()

    def __init__(self, name: str | None, stage: str | None) -> None:
        self.name, self.stage = name, stage
        self.candidates: list[Ejected] = []
        self.ran: dict[str, None] = {}
        """Every pass that ran, by name."""
        self._open: list[tuple[Running, Ejected]] = []

    def install(self, hooks: Hooks, recorder: Recorder) -> None:
        target = recorder.record.target

        def ejected(name: str, phase: str, changed: bool, script: Callable[[], str]) -> Ejected:
            candidate = Ejected(name, recorder.key.label, phase, changed, "")
            try:
                candidate.script = script()
            except CannotEject as error:
                candidate.refused = str(error)
            except Exception as error:  # our bug, or an unknown kind of object: the compile must go on
                candidate.refused = (
                    f"the script cannot be written ({type(error).__name__}: {error}); eject another pass."
                )
            self.candidates.append(candidate)
            return candidate

        def begins(running: Running) -> None:
            self.ran[running.name] = None
            slot, _, own = running.name.rpartition(" / ")
            if self.name in (running.name, own, slot):
                candidate = ejected(
                    running.name, running.phase, False, lambda: pass_script(running, recorder.key, target)
                )
                candidate.where = running.where
                self._open.append((running, candidate))

        def done(running: Running, row: Pass) -> None:
            for known, candidate in self._open:
                if known is running:
                    candidate.changed = row.changed

        def lowers(lowering: Any, *args: Any, **kwargs: Any) -> None:
            stage = self.stage
            if stage is not None and type(lowering).__name__ == "GraphLowering":
                ejected(stage, "lowering", True, lambda: stage_script(stage, lowering, recorder.key, target))

        def splits(joint: Any, inputs: Any, *args: Any, num_fwd_outputs: int, **options: Any) -> None:
            name = inductor.DEFAULT_PARTITIONER.at.partition(":")[2]
            self.ran[name] = None
            lasting = options.get("static_lifetime_input_indices")
            if self.name == name:
                key = recorder.key
                ejected(name, "partition", True, lambda: partition_script(joint, num_fwd_outputs, lasting, key, target))

        if self.stage is None:
            with contextlib.suppress(MissingName):
                hooks.before(inductor.DEFAULT_PARTITIONER, splits)
            recorder.on_pass.append(begins)
            recorder.on_pass_done.append(done)
        else:
            hooks.before(scheduler.RUN, lowers)
