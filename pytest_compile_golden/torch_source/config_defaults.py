"""Defaults of torch's configuration that differ between two installed torch versions, read from its sources."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_compile_golden.torch_source.installed_sources import Sources

_FILES = (
    "torch/_inductor/config.py",
    "torch/_dynamo/config.py",
    "torch/_functorch/config.py",
)


@dataclass(frozen=True)
class Default:
    """A default in both torch versions, as Python prints its value."""

    name: str
    """`inductor.triton.cooperative_reductions`."""
    old: str | None
    """None for a switch that the older torch version does not have."""
    new: str


def changed(old: Sources, new: Sources) -> list[Default]:
    """Those whose values differ, and new switches that are on, in the order of the newer file.

    Anything that depends on the machine, is private, or is only kept for old programs is left out.
    """
    defaults = []
    for file in _FILES:
        before, after = (_all(torch.folder / file) for torch in (old, new))
        prefix = file.split("/")[1].lstrip("_")
        for name, value in after.items():
            earlier = before.get(name)
            if any(part.startswith("_") for part in name.split(".")) or _UNKNOWN in (
                earlier,
                value,
            ):
                continue
            if name not in before:
                if value is True and before:
                    defaults.append(Default(f"{prefix}.{name}", None, repr(value)))
            elif (earlier, type(earlier)) != (value, type(value)):
                defaults.append(Default(f"{prefix}.{name}", repr(earlier), repr(value)))
    return defaults


class _UnknownDefault:
    pass


_UNKNOWN = _UnknownDefault()


def read(path: Path) -> dict[str, Any]:
    """The defaults in one of torch's config modules that can be determined, if no environment variable is set."""
    return {name: value for name, value in _all(path).items() if value is not _UNKNOWN}


def _all(path: Path) -> dict[str, Any]:
    """All assignments in the file; empty if it does not exist."""
    try:
        tree = ast.parse(path.read_text(encoding="utf-8", errors="replace"))
    except (OSError, SyntaxError):
        return {}
    values: dict[str, Any] = {}
    _assign(tree, "", values)
    return values


def _assign(
    node: ast.Module | ast.ClassDef, prefix: str, values: dict[str, Any]
) -> None:
    for child in node.body:
        if isinstance(child, ast.ClassDef):
            _assign(child, f"{prefix}{child.name}.", values)
        elif (
            isinstance(child, ast.AnnAssign)
            and isinstance(child.target, ast.Name)
            and child.value is not None
        ):
            values[prefix + child.target.id] = _value(child.value, values)
        elif (
            isinstance(child, ast.Assign)
            and len(child.targets) == 1
            and isinstance(child.targets[0], ast.Name)
        ):
            values[prefix + child.targets[0].id] = _value(child.value, values)


def _value(node: ast.expr, values: Mapping[str, Any]) -> Any:
    """The value of an expression on an ordinary machine, or `_UNKNOWN`; supports only what torch's defaults use."""
    try:
        return ast.literal_eval(node)
    except (ValueError, SyntaxError):
        pass
    match node:
        case ast.Name(name):
            return values.get(name, _UNKNOWN)
        case ast.UnaryOp(ast.Not(), operand):
            value = _value(operand, values)
            return _UNKNOWN if value is _UNKNOWN else not value
        case ast.Compare(left, [operator], [right]) if isinstance(
            operator, (ast.Eq, ast.NotEq)
        ):
            sides = _value(left, values), _value(right, values)
            if _UNKNOWN in sides:
                return _UNKNOWN
            return (sides[0] == sides[1]) is isinstance(operator, ast.Eq)
        case ast.IfExp(test, body, orelse):
            condition = _value(test, values)
            return (
                _UNKNOWN
                if condition is _UNKNOWN
                else _value(body if condition else orelse, values)
            )
        case ast.Call(function, arguments, keywords):
            return _call(
                ast.unparse(function),
                arguments,
                {keyword.arg: keyword.value for keyword in keywords},
                values,
            )
    return _UNKNOWN


def _call(
    function: str,
    arguments: list[ast.expr],
    keywords: Mapping[str | None, ast.expr],
    values: Mapping[str, Any],
) -> Any:
    match function, arguments:
        case "os.environ.get" | "os.getenv", [_]:
            return None
        case "os.environ.get" | "os.getenv", [_, default]:
            return _value(default, values)
        case "is_fbcode", []:
            return False
        case "lite_mode_default", [_, default]:
            # The value in lite mode, and otherwise (torch/_inductor/config.py).
            return _value(default, values)
        case "bool", [argument]:
            value = _value(argument, values)
            return _UNKNOWN if value is _UNKNOWN else bool(value)
        case "Config", []:
            old_name = keywords.keys() & {"deprecated", "alias"}
            return (
                _UNKNOWN
                if old_name or "default" not in keywords
                else _value(keywords["default"], values)
            )
    return _UNKNOWN
