"""AOTInductor behind the compiler: what it would build and package from an exported program."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch

from pytest_compile_golden.observe.graphs import tensor_type, value_type
from pytest_compile_golden.observe.probe import Recorder
from pytest_compile_golden.observe.probes.codegen import record_code
from pytest_compile_golden.record.code import Constant, Package
from pytest_compile_golden.targets import Target
from pytest_compile_golden.targets.patching import Patches
from pytest_compile_golden.torch_names import programs as names
from pytest_compile_golden.torch_names import tensors

FakeTensor = tensors.FAKE_TENSOR.get()
_pytree = tensors.PYTREE.get()

_CUBINS = ".cubin"


def compile_ahead_of_time(program: Any, recorder: Recorder, target: Target) -> None:
    """Have AOTInductor compile a torch.export.ExportedProgram up to the C++ that it would build, and record that.

    Does what torch._inductor.aoti_compile_and_package does before it builds and packages the code.
    """

    def compile_code(graph: Any, wrapper: str, kernels: str, *args: Any, **kwargs: Any) -> list[str]:
        # In the form that torch.compile's C++ wrappers are recorded in: inside a Python module.
        module = f"cpp_wrapper_src = {wrapper!r}\nkernel_src = {kernels!r}\n"
        record_code(recorder, graph, module, wrapper)
        recorder.add("aot_package", _package(recorder, graph, kernels, kwargs.get("additional_files", ())))
        return []

    with target.compiling_ahead_of_time(), Patches() as patches:
        patches.replace(*names.AOT_CODE.resolve(), staticmethod(compile_code))
        _share_one_mode(patches, program)
        args, kwargs = program.example_inputs
        with tensors.DISABLE_MODES.get()():
            names.AOT_COMPILE.get()(program.module(), args, kwargs, options={"aot_inductor.package": True})


def _share_one_mode(patches: Patches, program: Any) -> None:
    """Set the mode of the program's fake tensors to the one that torch.export traced it with.

    Normally a program's tensors are real, and this does not matter (torch/_functorch/_aot_autograd/utils.py).
    """
    traced = [node.meta.get("val") for node in program.graph.nodes]
    mode = next((value.fake_mode for value in traced if isinstance(value, FakeTensor)), None)
    tensors = (*program.state_dict.values(), *program.constants.values(), *_pytree.tree_leaves(program.example_inputs))
    for tensor in tensors:
        if mode is not None and isinstance(tensor, FakeTensor):
            patches.put(tensor, "fake_mode", mode)


def _package(recorder: Recorder, graph: Any, kernels: str, files: Any) -> Package:
    values = {node.name: node.meta.get("val") for node in graph.module.graph.nodes}
    cubins = sum(str(file).endswith(_CUBINS) for file in files)
    counted = {
        "C++ of the calls": 1,
        "C++ of kernels": int(bool(kernels.strip())),
        "cubins": cubins,
        "other files": len(files) - cubins,
        "tensors of constants": int(bool(graph.constants)),
    }
    return Package(
        recorder.key,
        inputs=tuple((name, value_type(values.get(name))) for name in graph.graph_inputs),
        outputs=tuple(value_type(value) for value in _returned(graph)),
        constants=tuple(_constant(graph, name, value) for name, value in graph.constants.items()),
        files=tuple((name, number) for name, number in counted.items() if number),
        metadata=tuple(sorted((str(k), str(v)) for k, v in names.AOT_METADATA.get().items())),
    )


def _returned(graph: Any) -> Iterator[Any]:
    returned = next(node for node in reversed(graph.module.graph.nodes) if node.op == "output").args[0]
    for node in returned if isinstance(returned, (list, tuple)) else (returned,):
        yield node.meta.get("val") if isinstance(node, torch.fx.Node) else node


def _constant(graph: Any, name: str, value: torch.Tensor) -> Constant:
    # Its name in the program; a folded constant has none.
    own = graph.allocated_constant_name.get(name, name)
    return Constant(str(own), tensor_type(value), value.numel() * value.itemsize)
