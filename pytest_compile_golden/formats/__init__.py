"""The text formats of stages: each writes, reads and compares one kind of text. Imports no torch.

A format is imported on first use, so the table of stages can name all of them at no cost.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module

from pytest_compile_golden.errors import CompileGoldenError
from pytest_compile_golden.formats.artifact import Artifact
from pytest_compile_golden.formats.format import Format

__all__ = ["Artifact", "Format", "get_format", "name_of"]

_BUILT_IN = {
    "plain": "format:PLAIN",
    "bytecode": "dynamo:BYTECODE",
    "guards": "dynamo:GUARDS",
    "guard_tree": "guard_tree:GUARD_TREE",
    "graph_breaks": "dynamo:GRAPH_BREAKS",
    "recompiles": "dynamo:RECOMPILES",
    "specialisations": "graph_choices:SPECIALISATIONS",
    "cudagraphs": "graph_choices:CUDAGRAPHS",
    "cache_key": "graph_choices:CACHE_KEY",
    "exported": "exported:EXPORTED",
    "graph": "graphs:GRAPH",
    "forward_graph": "graphs:FORWARD_GRAPH",
    "ledger": "pass_log:LEDGER",
    "pass_diffs": "pass_diffs:PASS_DIFFS",
    "operations": "schedules:OPERATIONS",
    "groups": "schedules:GROUPS",
    "wrapper": "wrapper:WRAPPER",
    "aot_wrapper": "exported:AOT_WRAPPER",
    "aot_package": "exported:AOT_PACKAGE",
    "triton": "triton:TRITON",
    "cpp": "cpp_kernels:CPP",
    "templates": "template_kernels:TEMPLATES",
    "collectives": "collectives:COLLECTIVES",
    "ttir": "machine_code:TTIR",
    "ttgir": "machine_code:TTGIR",
    "llir": "machine_code:LLIR",
    "ptx": "machine_code:PTX",
    "sass": "machine_code:SASS",
    "amdgcn": "machine_code:AMDGCN",
    "assembly": "machine_code:ASSEMBLY",
    "resources": "resources:RESOURCES",
    "cost": "costs:COST",
    "memory": "memory:MEMORY",
    "compile_cost": "costs:COMPILE_COST",
    "trail": "trail:TRAIL",
    "decisions": "decisions:DECISIONS_FORMAT",
    "metrics": "metrics:METRICS_FORMAT",
}
"""Where each format is defined: `module:NAME` in this package."""


@cache
def get_format(name: str) -> Format:
    """The built-in format called `name`. Raises CompileGoldenError, listing the formats, if there is none."""
    if name not in _BUILT_IN:
        raise CompileGoldenError(
            f"no format {name!r}; the formats are: {', '.join(_BUILT_IN)}."
        )
    module, _, attribute = _BUILT_IN[name].partition(":")
    form: Format = getattr(import_module(f"{__name__}.{module}"), attribute)
    _NAMES[form] = name
    return form


_NAMES: dict[Format, str] = {}


def name_of(form: Format) -> str | None:
    """What a built-in format is called; None for one of another package."""
    return _NAMES.get(form)
