"""A virtual GPU, NVIDIA's or AMD's: tensors are fake, properties are data, code generation is real."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_compile_golden.common.installed_torch import torch_release
from pytest_compile_golden.errors import CompileGoldenError, TargetUnavailable
from pytest_compile_golden.targets import (
    build_library,
    device_caches,
    import_torch,
    virtual_cpu,
)
from pytest_compile_golden.targets.device_properties import (
    CudaProperties,
    CudaRuntime,
    Rates,
    cuda_runtime,
)
from pytest_compile_golden.targets.devices import AVX2, CPU_TARGETS_HINT, GPUS_PER_NODE
from pytest_compile_golden.targets.patching import Patches
from pytest_compile_golden.targets.target import T, Target, active_target
from pytest_compile_golden.torch_internals import device as names
from pytest_compile_golden.torch_internals import settings

if TYPE_CHECKING:
    from pytest_compile_golden.targets.attention_choice import AttentionDevice


@dataclass(eq=False, repr=False)
class VirtualCuda(Target):
    """A GPU with the given properties. Any CUDA card of capability 7.0 or newer can be described.

    `runtime` says which CUDA libraries drive it; by default those of the installed torch release's own wheel. `rates`
    are its peak rates; without them, costs have no times. `gpus_per_node` is how many of these GPUs one machine has,
    connected by NVLink.
    """

    device_type = "cuda"
    virtual = True
    interpretable = True

    name: str
    properties: CudaProperties
    runtime: CudaRuntime | None = None
    rates: Rates | None = None
    gpus_per_node: int = GPUS_PER_NODE

    @contextlib.contextmanager
    def _enter(self) -> Iterator[Any]:
        # Inside the same GPU, as it computes, torch sees it already; but nothing runs.
        inside = active_target() is not None
        with Patches() if inside else self._seen_by_torch() as patches:
            from pytest_compile_golden.targets import (
                after_code_generation,
                cuda_compiler,
                dynamo_tables,
                fake_tensors,
                known_values,
            )

            if inside:
                self._answer(patches, executes=False)
            cuda_compiler.compute_on_cpu(patches)
            # For what a program does on the host.
            virtual_cpu.answer_code_generation(patches, AVX2)
            after_code_generation.install(patches)
            with patches.feature(
                "operators that this wheel has no GPU kernel for"
            ) as own:
                from pytest_compile_golden.targets import dispatcher_kernels

                dispatcher_kernels.install(own)
            with patches.feature("programs that look behind fake tensors") as own:
                from pytest_compile_golden.targets import missing_fake_rules

                missing_fake_rules.install(own)
            with patches.feature(
                "programs that read addresses of fake tensors, without a warning"
            ) as own:
                # A module may compare them (torch/nn/modules/rnn.py: flatten_parameters); on a GPU nothing warns.
                # Something built in: fake tensors are also made where Dynamo would trace a function of ours.
                own.replace(*names.WARN_OF_ADDRESS.resolve(), id)
            with patches.feature(
                "the user's kernels, launched outside of compiled code"
            ) as own:
                from pytest_compile_golden.targets import user_launches

                user_launches.install(own)
            device_caches.clear_device_caches()
            with patches.feature("known values of initialised parameters") as own:
                known_values.install_initialisers(own)
            mode = known_values.mode()
            with patches.feature("fake tensors as the inputs of a graph") as own:
                fake_tensors.take_foreign_fakes(own, mode)
            if names.PRECOMPILED_RUNNABLE.here:
                with patches.feature("precompile") as own:
                    from pytest_compile_golden.targets import precompile

                    precompile.install(own)
            with patches.feature(
                "optimizers, and sizes of fake tensors that are marked as unbacked"
            ) as own:
                dynamo_tables.install(own, mode)
            with patches.feature("guards that name parameters as such") as own:
                dynamo_tables.name_parameters(own)
            with patches.feature("jagged tensors") as own:
                fake_tensors.take_offsets(own, mode)
            patches.enter_context(self._in_thread(mode))
            yield mode

    @contextlib.contextmanager
    def _seen_by_torch(
        self, devices: int = 1, executes: bool = False
    ) -> Iterator[Patches]:
        """torch sees this GPU, and its compiler compiles for it, until the block ends.

        executes: whether operators are computed, so that torch may be asked for what only a running device has.
        """
        _require_triton()
        library = build_library.load()
        with import_torch.compiler(), Patches() as patches:
            from pytest_compile_golden.targets import (
                attention_choice,
                cuda_compiler,
                dynamo_tables,
            )

            dynamo_tables.make_tables()
            patches.callback(device_caches.clear_device_caches)
            patches.callback(library.disarm)
            build_library.check_autograd(library.arm(self._libraries.cudnn, devices))
            with patches.feature("backward passes in threads of their own") as own:
                cuda_compiler.adopt_backward_threads(own, library)
            self._answer(patches, executes)
            cuda_compiler.install(patches, self.properties)
            # Or torch starts a process that imports it again, to build kernels that are never built
            # (torch/_inductor/compile_fx.py calls AsyncCompile.wakeup for tensors on a GPU).
            patches.configure(
                {settings.COMPILE_THREADS: 1, settings.STATIC_LAUNCHER: False}
            )
            virtual_cpu.answer_timings(patches)
            with patches.feature("attention's choice of backend") as own:
                attention_choice.install(own, self._attention_device)
            virtual_cpu.own_patterns(patches, self.name)
            yield patches

    @property
    def _libraries(self) -> CudaRuntime:
        return self.runtime or cuda_runtime(torch_release(), self.properties)

    @property
    def _attention_device(self) -> AttentionDevice:
        from pytest_compile_golden.targets.attention_choice import AttentionDevice

        return AttentionDevice(self.properties, self._libraries, torch_release())

    def _answer(self, patches: Patches, executes: bool) -> None:
        """Make torch's Python code see this GPU."""
        from pytest_compile_golden.targets import cuda_api

        cuda_api.install(
            patches,
            self.properties,
            self._libraries,
            self._attention_device,
            self.hip,
            executes,
        )

    @contextlib.contextmanager
    def _in_thread(self, entered: Any) -> Iterator[None]:
        import torch

        with entered, torch.device("cuda"):
            yield

    def compiling_ahead_of_time(self) -> contextlib.AbstractContextManager[object]:
        from pytest_compile_golden.targets import cuda_compiler

        return cuda_compiler.compiling_ahead_of_time(self._entered)

    def place(self, tree: T) -> T:
        mode: Any = self._entered
        if mode is None:
            raise CompileGoldenError(
                f"place() needs {self.name} to be active: use it inside `with target.active():`."
            )
        from pytest_compile_golden.targets.tensor_placement import Placement

        placed: T = Placement("cuda", mode).tree(tree)
        return placed


def _require_triton() -> None:
    try:
        import triton  # noqa: F401
    except ImportError as error:
        raise TargetUnavailable(
            "virtual GPU targets generate Triton code and need the triton package; install the version that this torch "
            "requires (pip install triton==3.7.1 for torch 2.13). "
            f"{CPU_TARGETS_HINT}"
        ) from error


class VirtualRocm(VirtualCuda):
    """An AMD GPU with the given properties, in a process for AMD's GPUs only. ROCm's torch also calls it `cuda`.

    What is decided in Python (Inductor, its templates and heuristics, Triton's AMD backend) is the same as there. What
    only the C++ of ROCm's torch decides is assumed to be as on an NVIDIA GPU without cuDNN: docs/fidelity.md.
    """

    vendor = "AMD"
    hip = "7.1.52802"  # the ROCm that such a torch would be built with; it only matters that there is one
    # Exact results stand in for the functions of NVIDIA's library in Triton's interpreter, but not for those of AMD's.
    interpretable = False
