"""Renames something of torch in a running process, everywhere in torch, so that torch itself goes on working."""

from __future__ import annotations

import enum
import gc
import types


def rename(name: str, new: str) -> None:
    """Rename what torch calls `name`: a function, a class, a method, an attribute of its objects, a setting."""
    gc.unfreeze()  # what a fork started with
    for module in [*gc.get_objects()]:
        if isinstance(module, types.ModuleType) and module.__name__.startswith("torch"):
            # The settings of a configuration are in a table of it (torch/utils/_config_module.py).
            for table in (vars(module), vars(module).get("_config")):
                if isinstance(table, dict) and name in table:
                    table[new] = table.pop(name)
    for found in gc.get_objects():
        if isinstance(found, types.FunctionType) and (
            found.__module__ or ""
        ).startswith("torch"):
            found.__code__ = _renamed(found.__code__, name, new)
        elif (
            isinstance(found, type)
            and str(found.__module__).startswith("torch")
            and name in vars(found)
        ):
            member = vars(found)[name]
            if not isinstance(found, enum.EnumMeta):  # which does not let a member go
                delattr(found, name)
            setattr(found, new, member)


def _renamed(code: types.CodeType, name: str, new: str) -> types.CodeType:
    constants = tuple(
        _renamed(each, name, new) if isinstance(each, types.CodeType) else each
        for each in code.co_consts
    )
    names = tuple(new if each == name else each for each in code.co_names)
    if names == code.co_names and all(
        map(lambda a, b: a is b, constants, code.co_consts)
    ):
        return code
    return code.replace(co_names=names, co_consts=constants)
