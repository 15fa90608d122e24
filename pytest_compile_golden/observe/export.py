"""torch.export in front of the compiler: the program that it makes, to be recorded and compiled."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import torch
import torch.export

from pytest_compile_golden.compile_options import CompileOptions
from pytest_compile_golden.errors import CompileGoldenError, ExportFailed, InvalidOption
from pytest_compile_golden.observe.failures import advice, reason
from pytest_compile_golden.observe.graphs import record_graph
from pytest_compile_golden.observe.probe import Recorder
from pytest_compile_golden.observe.source_locations import closure_of
from pytest_compile_golden.record.graphs import Exported, GraphKey, Signed
from pytest_compile_golden.targets import Target

_OWN = ("mod", "args", "kwargs")


def export(name: str, function: Callable[..., Any], options: CompileOptions, recorder: Recorder, target: Target) -> Any:
    """The torch.export.ExportedProgram of `function` for the inputs of the first call, recorded as `exported_graph`.

    Raises InvalidOption for options that torch.export.export does not accept, and ExportFailed, with torch's reason and
    the user's line, for a program that it rejects.
    """
    allowed = [parameter for parameter in inspect.signature(torch.export.export).parameters if parameter not in _OWN]
    own = dict(options.torch_export or {})
    for option in own:
        if option not in allowed:
            raise InvalidOption(
                f"export takes the arguments of torch.export.export, {', '.join(allowed)}; not {option}."
            )
    try:
        program = torch.export.export(_module(function), tuple(options.calls[0]), dict(options.kwargs), **own)
        recorder.add("exported_graph", _recorded(program.run_decompositions()))
    except CompileGoldenError:
        raise
    except Exception as error:  # torch and the program may raise anything
        raise ExportFailed(
            f"torch.export rejects {name}: {reason(error)}"
            + (advice(error, target) or "\n  Change that line, or capture the program without torch.export.")
        ) from error
    return program


class _Program(torch.nn.Module):  # type: ignore[misc]
    """A function wrapped in the module that torch.export requires, with the modules that it uses as submodules."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        owner = getattr(function, "__self__", None)
        for name, value in {"self": owner, **closure_of(function)}.items():
            if isinstance(value, torch.nn.Module):
                setattr(self, name, value)
        self.forward = function if _has_signature(function) else lambda *args, **kwargs: function(*args, **kwargs)


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
    if isinstance(owner, torch.nn.Module) and getattr(function, "__func__", None) is type(owner).forward:
        return owner
    return _Program(function)


def _recorded(program: Any) -> Exported:
    signature = program.graph_signature
    graph = record_graph(program.graph, GraphKey(0), program.graph_module)
    return Exported(
        graph,
        tuple(_signed(spec) for spec in signature.input_specs),
        tuple(_signed(spec) for spec in signature.output_specs),
        tuple((str(size), f"[{values.lower}, {values.upper}]") for size, values in program.range_constraints.items()),
    )


def _signed(spec: Any) -> Signed:
    kind = spec.kind.name.lower()
    name = getattr(spec.arg, "name", None)
    value = getattr(spec.arg, "value", None)
    persistent = getattr(spec, "persistent", None)
    kind = f"{'temporary_' if persistent is False else ''}{kind}"
    return Signed(str(name if name is not None else value), kind, str(spec.target or ""))
