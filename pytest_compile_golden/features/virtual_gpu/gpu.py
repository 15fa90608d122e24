"""A virtual GPU that computes, as a target: `running("cuda-sm90")` puts it into the process."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from pytest_compile_golden.common.quantity import quantity
from pytest_compile_golden.errors import CompileGoldenError, UnknownTarget
from pytest_compile_golden.targets import (
    Target,
    VirtualCuda,
    active_target,
    get_target,
    target_names,
)
from pytest_compile_golden.targets.devices import GPUS
from pytest_compile_golden.targets.patching import Patches
from pytest_compile_golden.targets.target import T

if TYPE_CHECKING:
    from pytest_compile_golden.features.numerics.interpreter.machine import Machine
    from pytest_compile_golden.features.virtual_gpu.kernel_values import (
        KernelValues,
        Source,
    )
    from pytest_compile_golden.targets.run_lowered_graph import Call

RunBy = Callable[[Any, str, "Call"], "Call"]
"""What runs instead, of a lowered graph, the code generated for it, and the call that runs its operators."""


class ComputingGpu(VirtualCuda):
    """The GPU of a virtual target, in torch's dispatcher: its tensors are plain ones, in memory of the host."""

    virtual = False
    interpretable = True

    def __init__(
        self,
        card: VirtualCuda,
        devices: int = 1,
        values: Source = "graph",
        *,
        default_device: bool = False,
    ) -> None:
        """default_device: whether tensors are made on it unless something else is said, as in a case for the card."""
        super().__init__(
            card.name, card.properties, card.runtime, card.rates, card.gpus_per_node
        )
        self.card = card
        self.hip, self.vendor = card.hip, card.vendor
        self.devices = devices
        self.values = values
        self.default_device = default_device
        self.kernel_values: KernelValues | None = None
        self.in_parts = 0
        """How many compiled graphs would be recorded as several CUDA graphs, and are not."""
        self._run_by: RunBy = self._where_there_are_no_operators

    @property
    def captured_on(self) -> Target:
        return self.card

    @contextlib.contextmanager
    def _enter(self) -> Iterator[None]:
        with self._seen_by_torch(self.devices, executes=True) as patches:
            from pytest_compile_golden.features.virtual_gpu import (
                compiled_graphs,
                cuda_graphs,
                device_library,
                device_operators,
                tensors_across_processes,
                torch_cuda,
            )
            from pytest_compile_golden.features.virtual_gpu.interpreted_launches import (
                Launches,
            )
            from pytest_compile_golden.observe.compile_isolation import (
                caches_answer_nothing,
            )
            from pytest_compile_golden.targets import device_caches, precompile
            from pytest_compile_golden.torch_internals import device as names

            patches.enter_context(
                device_library.attached(self._libraries, self.properties, self.devices)
            )
            torch_cuda.install(patches, self.properties, self.devices)
            device_operators.install(patches, self._attention_device)
            tensors_across_processes.install(patches)
            self.launches = Launches(patches, tolerant=self.values == "graph")
            self.launches.install()
            if self.values != "graph":
                self._run_by = self._kernel_values().call_of
            compiled_graphs.install(
                patches, lambda *graph: self._run_by(*graph), self._told_of_parts
            )
            patches.callback(cuda_graphs.forget_trees)
            if names.PRECOMPILED_RUNNABLE.here:
                with patches.feature("precompile") as own:
                    precompile.install(own)
            # What a graph runs as is not in its generated code, which is all that torch's caches would keep of it.
            patches.enter_context(caches_answer_nothing())
            device_caches.clear_device_caches()
            patches.enter_context(self._in_thread(None))
            yield

    def _kernel_values(self) -> KernelValues:
        from pytest_compile_golden.features.virtual_gpu.kernel_values import (
            KernelValues,
        )

        if self.kernel_values is None:
            self.kernel_values = KernelValues(
                self.launches, compare=self.values == "both"
            )
        return self.kernel_values

    def _where_there_are_no_operators(
        self, graph: Any, code: str, by_operators: Call
    ) -> Call:
        from pytest_compile_golden.features.virtual_gpu.graph_operators import (
            has_operators,
        )

        if has_operators(graph.orig_gm):
            return by_operators
        return self._kernel_values().call_of(graph, code, by_operators)

    def _told_of_parts(self) -> None:
        self.in_parts += 1

    @contextlib.contextmanager
    def _in_thread(self, entered: Any) -> Iterator[None]:
        import torch

        with torch.device("cuda") if self.default_device else contextlib.nullcontext():
            yield

    @contextlib.contextmanager
    def interpreting(self, machine: Machine, run_by: RunBy) -> Iterator[None]:
        """Until the block ends, kernels are launched on this machine, and what is compiled runs as `run_by` says."""
        from pytest_compile_golden.features.virtual_gpu import device_library

        with Patches() as patches:
            patches.callback(setattr, self, "_run_by", self._run_by)
            self._run_by = run_by
            patches.put(self.launches, "machine", machine)
            patches.put(self.launches, "tolerant", False)
            machine.memory.block_at = device_library.block_at
            yield

    def summary(self) -> list[str]:
        """What was interpreted, and what of the graphs was not computed by kernels although it was asked for."""
        lines = self.launches.summary()
        if self.in_parts:
            lines.append(
                f"{quantity(self.in_parts, 'compiled graph')} not recorded as CUDA graphs: torch would record "
                "parts of them"
            )
        if self.kernel_values is not None:
            alone, also = self.kernel_values.only_kernels, ""
            if self.kernel_values.compare:
                also = " and by operators, which agree"
            if done := self.kernel_values.graphs - alone:
                whose = "its" if done == 1 else "their"
                lines.append(
                    f"{quantity(done, 'call')} of compiled graphs computed by {whose} kernels{also}"
                )
            if alone:
                lines.append(
                    f"{alone} computed by kernels only: a part of the graph is a function that takes no tensors"
                )
            if in_cpp := self.kernel_values.in_cpp:
                lines.append(
                    f"{quantity(in_cpp, 'graph')} with a wrapper in C++, which is not run: one in Python was"
                )
            for reason, count in self.kernel_values.from_operators.most_common():
                lines.append(f"{count} computed by operators only: {reason}")
        return lines

    def place(self, tree: T) -> T:
        from pytest_compile_golden.targets.tensor_placement import Placement

        placed: T = Placement("cuda").tree(tree)
        return placed


def computing(target: Target) -> Target:
    """A virtual GPU as it computes, if its kernels can be interpreted; other targets, and one that does, unchanged."""
    active = active_target()
    if active is not None and active.captured_on is target:
        return active
    if isinstance(target, VirtualCuda) and target.virtual and target.interpretable:
        return ComputingGpu(target, default_device=True)
    return target


def card_of(name: str) -> VirtualCuda:
    """The virtual GPU called `name`: a target's name, or a word of its card's, such as `h100`. Raises UnknownTarget."""
    words = {
        word.lower(): target
        for target, gpu in reversed([*GPUS.items()])
        for word in gpu.properties.name.replace("-", " ").split()
    }
    target = words.get(name.lower(), name)
    card = get_target(target) if target in target_names() else None
    if not isinstance(card, VirtualCuda):
        cards = ", ".join(
            sorted(word for word in words if any(letter.isdigit() for letter in word))
        )
        raise UnknownTarget(
            f"{name} is not a virtual GPU. Choose a target, such as cuda-sm90, or a card: {cards}."
        )
    return card


@contextlib.contextmanager
def running(
    name: str, devices: int = 1, values: Source = "graph"
) -> Iterator[ComputingGpu]:
    """The process has this many virtual GPUs, which compute, until the block ends.

    name: as in `card_of`. values: what compiled graphs compute: the graph's operators, the generated kernels, or both,
    which are compared. Raises UnknownTarget, TargetUnavailable, and CompileGoldenError inside another target.
    """
    if not 1 <= devices <= 16:
        raise CompileGoldenError(
            f"{devices} virtual GPUs are not possible: 1 to 16 are."
        )
    gpu = ComputingGpu(card_of(name), devices, values)
    with gpu.active():
        yield gpu
