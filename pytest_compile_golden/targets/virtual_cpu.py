"""A CPU that may differ from this machine's: C++ code is generated for its instruction set; the graph runs locally."""

from __future__ import annotations

import contextlib
import os
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pytest_compile_golden.common.installed_torch import torch_release
from pytest_compile_golden.errors import UnsupportedTorch
from pytest_compile_golden.targets import device_caches, import_torch
from pytest_compile_golden.targets.device_properties import CpuProperties, Rates
from pytest_compile_golden.targets.import_torch import imported
from pytest_compile_golden.targets.patching import Patches
from pytest_compile_golden.targets.target import T, Target
from pytest_compile_golden.torch_internals import device as names
from pytest_compile_golden.torch_internals import settings


@dataclass(eq=False, repr=False)
class VirtualCpu(Target):
    """A CPU with the given instruction set and number of threads. Its tensors are ordinary ones.

    `rates` are its peak rates; without them, costs have no times.
    """

    device_type = "cpu"
    virtual = True

    name: str
    properties: CpuProperties
    rates: Rates | None = None

    @contextlib.contextmanager
    def _enter(self) -> Iterator[None]:
        torch_release()
        with import_torch.compiler(), Patches() as patches:
            from pytest_compile_golden.targets import (
                after_code_generation,
                dynamo_tables,
            )

            dynamo_tables.make_tables()
            patches.callback(device_caches.clear_device_caches)
            answer_code_generation(patches, self.properties)
            with patches.feature("weights that freezing packs") as own:
                _pack_weights(own)
            with patches.feature("what C++ generation asks about the host") as own:
                _answer_machine(own, self.properties)
            answer_timings(patches)
            after_code_generation.install(patches)
            own_patterns(patches, self.name)
            device_caches.clear_device_caches()
            yield

    def place(self, tree: T) -> T:
        return tree


def answer_timings(patches: Patches) -> None:
    """Make by a policy what torch decides by timing."""
    with patches.feature("decisions that torch makes by timing"):
        from pytest_compile_golden.targets import answer_autotuning

        answer_autotuning.install(patches)


def own_patterns(patches: Patches, target: str) -> None:
    """Keep the patterns of this target from those of others."""
    with patches.feature("patterns that are registered for this target alone") as own:
        from pytest_compile_golden.targets import pattern_registry

        pattern_registry.install(own, target)


def answer_code_generation(patches: Patches, properties: CpuProperties) -> None:
    """Set what the text of a C++ kernel depends on: the instruction set and the number of threads."""
    patches.configure(
        {
            settings.COMPILE_THREADS: 1,
            settings.CPP_THREADS: -1 if properties.cores else properties.threads,
            settings.CPP_DYNAMIC_THREADS: False,
            settings.CPP_SIMDLEN: None,
            settings.CPP_ISA_OK: True,
        }
    )
    _answer_instruction_set(patches, properties)


def _answer_instruction_set(patches: Patches, properties: CpuProperties) -> None:
    """Answer torch/_inductor/cpu_vec_isa.py without its probe, which takes seconds to compile programs."""
    cpu_vec_isa = names.VEC_ISA.get()
    kind: type[Any] | None = getattr(cpu_vec_isa, f"Vec{properties.isa}", None)
    if kind is None:
        raise UnsupportedTorch(
            f"the installed torch has no instruction set {properties.isa!r} (torch._inductor.cpu_vec_isa); it has "
            f"{', '.join(sorted(n[3:] for n in vars(cpu_vec_isa) if n.startswith('Vec') and n != 'VecISA'))}."
        )
    # AVX512 compiles another program, for bfloat16, when it is asked whether it is available.
    isa = type(
        kind.__name__,
        (kind,),
        {"__bool__": lambda self: True, "__hash__": kind.__hash__},
    )()

    def pick_vec_isa() -> Any:
        return isa

    def valid_vec_isa_list() -> list[Any]:
        return [isa]

    # torch.compiler's cache resets call this on the original, which is a functools cache.
    valid_vec_isa_list.cache_clear = lambda: None  # type: ignore[attr-defined]
    patches.replace(*names.VALID_VEC_ISA.resolve(), valid_vec_isa_list)
    original = names.PICK_VEC_ISA.get()
    for module in imported("torch._inductor").values():
        if vars(module).get("pick_vec_isa") is original:
            patches.put(module, "pick_vec_isa", pick_vec_isa)


def _answer_machine(patches: Patches, properties: CpuProperties) -> None:
    """Answer everything else that C++ generation and oneDNN's patterns ask about the host."""
    import torch

    for name, member in list(vars(torch.cpu).items()):
        if name.startswith("_is_") and name.endswith("_supported") and callable(member):
            answer = name[len("_is_") : -len("_supported")] in properties.flags
            patches.answer(torch.cpu, name, lambda answer=answer: answer)
    patches.answer(torch.cpu, "_init_amx", lambda: False)
    if properties.cores is not None:
        # torch/_inductor/codegen/cpp.py compares the two to tell whether the number of threads was set.
        patches.put(os, "cpu_count", lambda: properties.cores)
        patches.put(torch, "get_num_threads", lambda: properties.threads)
    capabilities = {
        "architecture": properties.machine,
        "l1d_cache_size": properties.l1d_cache_size,
        "l2_cache_size": properties.l2_cache_size,
        **dict.fromkeys(sorted(properties.flags), True),
    }
    patches.answer(torch.cpu, "get_capabilities", capabilities.copy)
    patches.answer(
        torch.backends.cpu, "get_cpu_capability", lambda: properties.capability
    )
    # Code generation looks for the compiler only to know whether it is Microsoft's.
    for row in names.OTHER_COMPILERS:
        patches.answer(*row.resolve(), lambda *args: False)
    patches.answer(*names.IS_GCC.resolve(), lambda *args: True)
    patches.answer(*names.CPP_COMPILER.resolve(), lambda *args, **kwargs: "g++")
    patches.put(*names.HAS_MKL.resolve(), properties.mkl)
    for name, value in {
        "_is_mkldnn_bf16_supported": properties.bf16,
        "_is_mkldnn_fp16_supported": properties.fp16,
        "_is_mkldnn_acl_supported": properties.acl,
    }.items():
        # The namespace caches operators as attributes, so every caller gets the attribute.
        operator = getattr(torch.ops.mkldnn, name, None)
        patches.put(torch.ops.mkldnn, name, _Answer(value, operator))


def _pack_weights(patches: Patches) -> None:
    """Let freezing pack weights of half precision where this machine's processor cannot compute with them.

    It packs them while it compiles (torch/_inductor/fx_passes/mkldnn_fusion.py), and oneDNN refuses types that the
    processor lacks (aten/src/ATen/native/mkldnn/Utils.h: mkldnn_bf16_device_check). In which order it keeps the
    elements is not in generated code.
    """
    import torch

    supported = (
        getattr(torch.ops.mkldnn, f"_is_mkldnn_{kind}_supported")
        for kind in ("bf16", "fp16")
    )
    if all(answer() for answer in supported):
        return
    library: Any = torch.library.Library("mkldnn", "IMPL")
    patches.callback(library._destroy)
    with warnings.catch_warnings():
        # That these have kernels already, which is why.
        warnings.simplefilter("ignore", UserWarning)
        for weight in ("linear", "convolution", "convolution_transpose"):
            library.impl(
                f"_reorder_{weight}_weight", lambda given, *_: given.to_mkldnn(), "CPU"
            )


@dataclass(frozen=True)
class _Answer:
    """An operator without arguments that returns one value; torch.export looks at every registered operator."""

    _value: bool
    _operator: Any

    def __call__(self) -> bool:
        return self._value

    def __getattr__(self, name: str) -> Any:
        return getattr(self._operator, name)
