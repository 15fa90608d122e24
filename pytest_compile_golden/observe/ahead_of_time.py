"""Programs exported by torch.export: what of them is recorded, and what AOTInductor would build and package."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import torch
import torch.export

from pytest_compile_golden.errors import CompileGoldenError, ExportFailed, InvalidOption
from pytest_compile_golden.facts.generated_code import Constant, Package
from pytest_compile_golden.facts.graphs import Exported, GraphKey, Signed
from pytest_compile_golden.observe.compile_options import CompileOptions
from pytest_compile_golden.observe.probe import Recorder
from pytest_compile_golden.observe.probes.output_code import record_code
from pytest_compile_golden.observe.record_graphs import (
    record_graph,
    tensor_type,
    value_type,
)
from pytest_compile_golden.observe.source_locations import closure_of
from pytest_compile_golden.observe.torch_errors import advice, reason
from pytest_compile_golden.targets import Target
from pytest_compile_golden.targets.patching import Patches
from pytest_compile_golden.torch_internals import tensors
from pytest_compile_golden.torch_internals import user_code as names

FakeTensor = tensors.FAKE_TENSOR.get()
_pytree = tensors.PYTREE.get()

_CUBINS = ".cubin"
_OWN = ("mod", "args", "kwargs")


def compile_ahead_of_time(program: Any, recorder: Recorder, target: Target) -> None:
    """Have AOTInductor compile a torch.export.ExportedProgram up to the C++ that it would build, and record that.

    Does what torch._inductor.aoti_compile_and_package does before it builds and packages the code.
    """

    def compile_code(
        graph: Any, wrapper: str, kernels: str, *args: Any, **kwargs: Any
    ) -> list[str]:
        # In the form that torch.compile's C++ wrappers are recorded in: inside a Python module.
        module = f"cpp_wrapper_src = {wrapper!r}\nkernel_src = {kernels!r}\n"
        record_code(recorder, graph, module, wrapper)
        recorder.add(
            "aot_package",
            _package(recorder, graph, kernels, kwargs.get("additional_files", ())),
        )
        return []

    with target.compiling_ahead_of_time(), Patches() as patches:
        patches.replace(*names.AOT_CODE.resolve(), staticmethod(compile_code))
        _share_one_mode(patches, program)
        args, kwargs = program.example_inputs
        with tensors.DISABLE_MODES.get()():
            names.AOT_COMPILE.get()(
                program.module(), args, kwargs, options={"aot_inductor.package": True}
            )


def _share_one_mode(patches: Patches, program: Any) -> None:
    """Set the mode of the program's fake tensors to the one that torch.export traced it with.

    Normally a program's tensors are real, and this does not matter (torch/_functorch/_aot_autograd/utils.py).
    """
    traced = [node.meta.get("val") for node in program.graph.nodes]
    mode = next(
        (value.fake_mode for value in traced if isinstance(value, FakeTensor)), None
    )
    tensors = (
        *program.state_dict.values(),
        *program.constants.values(),
        *_pytree.tree_leaves(program.example_inputs),
    )
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
    constants = [
        Constant(
            # Its name in the program; a folded constant has none.
            str(graph.allocated_constant_name.get(name, name)),
            tensor_type(value),
            value.numel() * value.itemsize,
        )
        for name, value in graph.constants.items()
    ]
    return Package(
        recorder.key,
        inputs=tuple(
            (name, value_type(values.get(name))) for name in graph.graph_inputs
        ),
        outputs=tuple(value_type(value) for value in _returned(graph)),
        constants=tuple(constants),
        files=tuple((name, number) for name, number in counted.items() if number),
        metadata=tuple(
            sorted((str(k), str(v)) for k, v in names.AOT_METADATA.get().items())
        ),
    )


def _returned(graph: Any) -> Iterator[Any]:
    returned = next(
        node for node in reversed(graph.module.graph.nodes) if node.op == "output"
    ).args[0]
    for node in returned if isinstance(returned, (list, tuple)) else (returned,):
        yield node.meta.get("val") if isinstance(node, torch.fx.Node) else node


def export(
    name: str,
    function: Callable[..., Any],
    options: CompileOptions,
    target: Target,
    recorder: Recorder | None = None,
) -> Any:
    """The torch.export.ExportedProgram of `function` for the inputs of the first call.

    recorder: where it is recorded as `exported_graph`, if anywhere.

    Raises InvalidOption for options that torch.export.export does not accept, and ExportFailed, with torch's reason and
    the user's line, for a program that it rejects.
    """
    allowed = [
        parameter
        for parameter in inspect.signature(torch.export.export).parameters
        if parameter not in _OWN
    ]
    own = dict(options.torch_export or {})
    for option in own:
        if option not in allowed:
            raise InvalidOption(
                f"export takes the arguments of torch.export.export, {', '.join(allowed)}; not {option}."
            )
    call = options.calls[0]
    try:
        program = torch.export.export(
            _module(function), call.args, dict(call.kwargs), **own
        )
        if recorder is not None:
            recorder.add("exported_graph", _recorded(program.run_decompositions()))
    except CompileGoldenError:
        raise
    except Exception as error:  # torch and the program may raise anything
        raise ExportFailed(
            f"torch.export rejects {name}: {reason(error)}"
            + (
                advice(error, target)
                or "\n  Change that line, or capture the program without torch.export."
            )
        ) from error
    return program


class _ExportableModule(torch.nn.Module):  # type: ignore[misc]
    """A function wrapped in the module that torch.export requires, with the modules that it uses as submodules."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        owner = getattr(function, "__self__", None)
        for name, value in {"self": owner, **closure_of(function)}.items():
            if isinstance(value, torch.nn.Module):
                setattr(self, name, value)
        self.forward = (
            function
            if _has_signature(function)
            else lambda *args, **kwargs: function(*args, **kwargs)
        )


def _has_signature(function: Callable[..., Any]) -> bool:
    """Whether Python knows the parameters, which then name the program's inputs; not so for many built-in functions."""
    try:
        inspect.signature(function)
    except ValueError:
        return False
    return True


def _module(function: Callable[..., Any]) -> torch.nn.Module:
    if isinstance(function, torch.nn.Module):
        return function
    owner = getattr(function, "__self__", None)
    if (
        isinstance(owner, torch.nn.Module)
        and getattr(function, "__func__", None) is type(owner).forward
    ):
        return owner
    return _ExportableModule(function)


def _recorded(program: Any) -> Exported:
    signature = program.graph_signature
    graph = record_graph(program.graph, GraphKey(0), program.graph_module)
    return Exported(
        graph,
        tuple(_signed(spec) for spec in signature.input_specs),
        tuple(_signed(spec) for spec in signature.output_specs),
        tuple(
            (str(size), f"[{values.lower}, {values.upper}]")
            for size, values in program.range_constraints.items()
        ),
    )


def _signed(spec: Any) -> Signed:
    kind = spec.kind.name.lower()
    name = getattr(spec.arg, "name", None)
    value = getattr(spec.arg, "value", None)
    persistent = getattr(spec, "persistent", None)
    kind = f"{'temporary_' if persistent is False else ''}{kind}"
    return Signed(
        str(name if name is not None else value), kind, str(spec.target or "")
    )
