"""The one room for torch's and Triton's private names: tables by subject, and what is lost without each name.

    from pytest_compile_golden.torch_internals import scheduler as names

    names.SCHEDULER.get()                    the class; raises MissingName, which says what is gone
    hooks.before(names.CODEGEN, hook)        hooks and patches take a row as it is
    names.BODY.of(node)                      an attribute of an object; raises MissingName
    names.BODY.of(node, None)                None for other kinds of nodes, never for a torch that renamed it

    FakeTensor = names.FAKE_TENSOR.get()     at the top of a module that is nothing without it: if it is gone, importing
                                             the module raises MissingName, which costs what the module is for

No other module imports, reads through attributes or spells anything private of theirs (tests/test_torch_names.py).

compile_cost: the functions that compiling consists of, by which its cost is counted
device: what a target answers for: the device that the compiler, the dispatcher and Triton ask about
distributed: process groups that no process is in: what torch.distributed asks of devices and other ranks, and remembers
dynamo: Dynamo: frames, guards, graph breaks, recompilations, and the sizes that may vary
eject: what a script that runs one pass alone is written from, and what tries patterns: patterns, registrations, kernels
inductor: AOTAutograd, Inductor's graph phases and passes, the scheduler, and caches
kernels: kernels taken through the Triton compiler or the C++ compiler
numerics: what running compiled code against eager needs: Triton's interpreter, Inductor's fuzzer and its bisector
overrides: further spellings of names, from files
private_name: one private name of torch or Triton, a row in these modules: how it is resolved, and what it is for
process: what a capture sets aside in the process, and puts back: caches, counters, tables, notes
scheduler: lowering, the scheduler's groups, their cost, and the code that is written for them
settings: settings of torch that a target, a capture or a stage sets: keys of its config modules
tensors: tensors without values, the operators that are called on them, and the modes that see the calls
user_code: what a program brings: functions that are already compiled, backends, kernels of its own
"""

from __future__ import annotations

import functools
import importlib
import pkgutil

from pytest_compile_golden.torch_internals.private_name import (
    Attribute,
    MissingName,
    Name,
    Setting,
    dotted,
    named,
    parameters,
)

__all__ = [
    "Attribute",
    "MissingName",
    "Name",
    "Setting",
    "dotted",
    "lost_stages",
    "named",
    "parameters",
    "subjects",
]


@functools.cache
def subjects() -> dict[str, list[Name]]:
    """Every row of the room, by table."""
    tables = sorted(
        found.name
        for found in pkgutil.iter_modules(__path__)
        if found.name not in ("given", "name")
    )
    modules = {
        table: importlib.import_module(f"{__name__}.{table}") for table in tables
    }
    told: dict[Name, str] = {}  # each row once, although a table may use another's
    for table, module in modules.items():
        for value in vars(module).values():
            for row in value if isinstance(value, (tuple, dict)) else (value,):
                if isinstance(row, Name):
                    told.setdefault(row, table)
    return {
        table: [row for row, first in told.items() if first == table]
        for table in tables
    }


def lost_stages(device_type: str) -> dict[str, str]:
    """The stages and metrics that targets of that type cannot have on the installed torch, each with the reasons."""
    lost: dict[str, list[str]] = {}
    for rows in subjects().values():
        for row in rows:
            concerns = (row.stages or row.facts) and row.on in ("", device_type)
            if concerns and row.expected and (why := row.missing()):
                for entry in (*row.stages, *row.facts):
                    lost.setdefault(entry, []).append(why)
    return {entry: "; ".join(dict.fromkeys(reasons)) for entry, reasons in lost.items()}
