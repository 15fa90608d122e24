"""Watches the compiles that other code makes: each becomes a record, and the code is not disturbed."""

from __future__ import annotations

import copy
from collections.abc import Collection, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, NamedTuple

import torch
from msgspec.structs import replace

from pytest_compile_golden.errors import UnsupportedTorch
from pytest_compile_golden.facts.costs import GraphCost
from pytest_compile_golden.facts.frames import plain_function
from pytest_compile_golden.facts.graphs import Graph, TensorType
from pytest_compile_golden.facts.record import Record
from pytest_compile_golden.observe.already_compiled import name_of
from pytest_compile_golden.observe.compile_isolation import (
    compile_totals,
    forget_pytree_source,
    no_trace_logging,
    seeded,
)
from pytest_compile_golden.observe.probe import (
    Compile,
    Recorder,
    install_probes,
    unwatched,
)
from pytest_compile_golden.observe.program_calls import warm
from pytest_compile_golden.observe.record_compile import environment
from pytest_compile_golden.observe.torch_hooks import Hooks
from pytest_compile_golden.targets import active_target
from pytest_compile_golden.targets.device_caches import forget_shardings
from pytest_compile_golden.targets.patching import Patches
from pytest_compile_golden.targets.signature_check import because
from pytest_compile_golden.torch_internals import dynamo, inductor, settings, user_code

_WITHOUT_DYNAMO = "compile_fx"
_INDUCTOR = frozenset({"pre_grad_graph", "post_grad_graph", "output_code"})
"""Of these entries, a compile has one if Inductor took part in it."""
_TELLS = _INDUCTOR | {"dynamo_graph", "graph_breaks"}
"""Of these entries, a compile that got anywhere has one."""


class WatchedCompile(Compile):
    """One compile: of a frame that Dynamo traces with everything that follows, its backward graph included; or of a
    graph that is passed to Inductor directly."""

    def __init__(self, function: str, record: Record) -> None:
        super().__init__(record)
        self.function = function
        """The name of the function that is compiled."""


@contextmanager
def watched(wanted: Collection[str]) -> Iterator[list[WatchedCompile]]:
    """Record every compile that the block makes; when the block ends, the list has those that got anywhere, in order.

    Before the block, Dynamo forgets what it has compiled, so that what the block compiles depends on nothing that ran
    before. In the block, torch's caches are off unless the code switches them on, and random numbers start from a seed;
    nothing else is changed. wanted: stages to record besides what metrics count.

    Raises UnsupportedTorch if the installed torch does not tell compiles apart.
    """
    outer = active_target()
    device_type = "cpu" if outer is None else outer.device_type
    for kind in dict.fromkeys(("cpu", device_type)):
        warm(kind)
    recorder = _RecorderOfEach(
        Record(
            target=f"native-{device_type}" if outer is None else outer.name,
            device_type=device_type,
            training=False,
            environment=environment(),
            policy=None if outer is None else outer.policy,
            unwatched=unwatched(None).difference(wanted),
        )
    )
    found: list[WatchedCompile] = []
    try:
        with seeded(0), no_trace_logging(), Patches() as patches, ExitStack() as probes:
            torch.compiler.reset()
            forget_pytree_source()
            forget_shardings()
            patches.configure(settings.WITHOUT_CACHES)
            install_probes(recorder, probes, only_counted=True)
            # Outermost: a probe asks which compile it is.
            recorder.follow(Hooks(probes.enter_context(Patches()), recorder.failed))
            yield found
    finally:
        found += recorder.complete()
    recorder.check()


class _Step(NamedTuple):
    """Something that torch does for a compile."""

    function: str
    """The function that Dynamo traces."""
    compiles: list[WatchedCompile]
    """The compile, once there is one."""


class _RecorderOfEach(Recorder):
    """Has a record for each compile; what belongs to none is recorded in one that nobody reads."""

    def __init__(self, outside: Record) -> None:
        super().__init__(outside)
        self._outside = Compile(outside)
        self._target = active_target()
        self._steps: list[_Step] = []
        """What torch is in the middle of, outermost first."""
        self._known: dict[Any, WatchedCompile] = {}
        """By torch's own object for a compile, which it keeps for the backward graph."""
        self._direct: WatchedCompile | None = None
        """The last compile that Dynamo has no part in."""
        self._totals = compile_totals()
        self._error = ""
        self._compiles: list[WatchedCompile] = []

    def now(self) -> Compile:
        """The compile that the running thread's frame belongs to; begun if it is the frame's first."""
        # A capture enters a target of its own, and has its own probes.
        if active_target() is not self._target:
            return self._outside
        context = self._context()
        if context is None:
            return self._direct or self._outside
        if context not in self._known:
            function = self._steps[-1].function if self._steps else _WITHOUT_DYNAMO
            self._known[context] = self._begun(function)
        return self._known[context]

    def lose(self, entries: Iterable[str], reason: str) -> None:
        lost = tuple(entries)
        self._outside.lose(lost, reason)  # the compiles to come begin as copies of it
        super().lose(lost, reason)

    def lose_key(self, reason: str) -> None:
        self._outside.lose_key(reason)
        super().lose_key(reason)

    def failed(self, name: str, error: Exception) -> None:
        """Take note that from now on nobody knows which compile is which."""
        self._error = self._error or f"the hook on {name} failed ({because(error)})"

    def follow(self, hooks: Hooks) -> None:
        """Note which function is compiled, and which graphs are passed to Inductor directly. Raises MissingName."""
        dynamo.CURRENT_COMPILE.resolve()

        def traces(
            code: Any, frame_globals: Any, frame_locals: Any, *args: Any, **kwargs: Any
        ) -> bool:
            name = str(code.co_name)
            # Dynamo wraps a function that it cannot trace as a frame in one that it can (wrap_inline).
            if (
                code.co_filename == user_code.WRAPPERS.get().__file__
                and "fn" in frame_locals
            ):
                name = name_of(frame_locals["fn"]).rpartition(".")[2]
            self._enter(_Step(plain_function(name), []))
            return True

        def passes(*args: Any, **kwargs: Any) -> None:
            if self._context() is None and active_target() is self._target:
                self._direct = self._begun(_WITHOUT_DYNAMO)

        def generates(*args: Any, **kwargs: Any) -> bool:
            if self._direct is None:
                passes()
            current = self.now()
            self._enter(
                _Step(
                    _WITHOUT_DYNAMO,
                    [current] if isinstance(current, WatchedCompile) else [],
                )
            )
            return True

        hooks.around(dynamo.COMPILE_FRAME, traces, self._leave)
        hooks.outermost(inductor.PRE_GRAD_PASSES, before=passes)
        hooks.around(inductor.CODEGEN_AND_COMPILE, generates, self._leave)

    def complete(self) -> list[WatchedCompile]:
        """The compiles that got anywhere, with all that is known about them."""
        compiles = [
            each
            for each in self._compiles
            if not _TELLS.isdisjoint(each.record.entries)
        ]
        for each in compiles:
            self._complete(each.record)
        return compiles

    def check(self) -> None:
        """Raises UnsupportedTorch if something of torch was not what it was taken for."""
        if self._error:
            raise UnsupportedTorch(
                f"the compiles of a test cannot be told apart: {self._error}."
            )

    def _complete(self, record: Record) -> None:
        devices = {
            device.partition(":")[0]
            for code in record.get("output_code")
            for device in code.devices
        }
        graphs: list[Graph] = record.get("dynamo_graph")
        for graph in graphs:
            types = (node.type for node in graph.nodes)
            devices |= {
                type.device.partition(":")[0]
                for type in types
                if isinstance(type, TensorType)
            }
        record.device_type = "cuda" if "cuda" in devices else "cpu"
        mine = (
            self._target is not None and self._target.device_type == record.device_type
        )
        record.target = (
            self._target.name
            if self._target is not None and mine
            else f"native-{record.device_type}"
        )
        if self._target is not None and not mine:
            # By the rates of another device.
            costs: list[GraphCost] = record.get("cost")
            record.entries["cost"] = [
                replace(
                    cost,
                    kernels=tuple(
                        replace(kernel, least_ns=None, bound="")
                        for kernel in cost.kernels
                    ),
                    least_ns=None,
                )
                for cost in costs
            ]
        record.training = bool(record.get("forward_graph"))
        if _INDUCTOR.isdisjoint(record.entries):
            record.backend = "another"
        elif "output_code" not in record.entries:
            # From a cache that the code has switched on, or by AOTInductor: how many kernels there are is not known.
            record.unwatched |= {"wrapper_code"}

    @staticmethod
    def _context() -> Any:
        """Torch's object for the compile that this thread does; None if it does none, or Dynamo has no part in it."""
        context = dynamo.CURRENT_COMPILE.get()()
        return None if context is None or context.compile_id is None else context

    def _begun(self, function: str) -> WatchedCompile:
        compile = WatchedCompile(function, copy.deepcopy(self._outside.record))
        compile.record.entries.clear()
        compile.untold = self._outside.untold
        self._compiles.append(compile)
        if self._steps and not self._steps[-1].compiles:
            self._steps[-1].compiles.append(compile)
        return compile

    def _enter(self, step: _Step) -> None:
        self._count()
        self._steps.append(step)

    def _leave(self, entered: bool | None, *args: Any, **kwargs: Any) -> None:
        if entered:
            self._count()
            self._steps.pop()

    def _count(self) -> None:
        """Add what torch has counted since the last time to the compile that it was doing."""
        now = compile_totals()
        if self._steps and self._steps[-1].compiles:
            record = self._steps[-1].compiles[0].record
            numbers, counters = now
            before = self._totals
            for name, number in numbers.items():
                record.numbers[name] = record.numbers.get(name, 0) + max(
                    0, number - before[0].get(name, 0)
                )
            for group, counts in counters.items():
                for name, number in counts.items():
                    if more := number - before[1].get(group, {}).get(name, 0):
                        own = record.counters.setdefault(group, {})
                        own[name] = own.get(name, 0) + max(0, more)
        self._totals = now
