"""Defaults of torch's configuration that differ between two installed torchs."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pytest_compile_golden.torch_source.installation import Installation

_FILES = ("torch/_inductor/config.py", "torch/_dynamo/config.py", "torch/_functorch/config.py")


@dataclass(frozen=True)
class Default:
    """A default as both torchs write it."""

    name: str
    """`inductor.triton.cooperative_reductions`."""
    old: str
    new: str


def changed(old: Installation, new: Installation) -> list[Default]:
    """Those that both have as plain values, and as different ones, in the order of the newer file."""
    found = []
    for file in _FILES:
        before, after = (dict(_defaults(torch.folder / file)) for torch in (old, new))
        prefix = file.split("/")[1].lstrip("_")
        found += [
            Default(f"{prefix}.{name}", before[name], value)
            for name, value in after.items()
            if name in before and before[name] != value and _literal(before[name]) and _literal(value)
        ]
    return found


def _literal(text: str) -> bool:
    try:
        ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return False
    return True


def _defaults(path: Path) -> Iterator[tuple[str, str]]:
    try:
        tree = ast.parse(path.read_text(encoding="utf-8", errors="replace"))
    except (OSError, SyntaxError):
        return
    yield from _assigned(tree, "")


def _assigned(node: ast.Module | ast.ClassDef, prefix: str) -> Iterator[tuple[str, str]]:
    for each in node.body:
        if isinstance(each, ast.ClassDef):
            yield from _assigned(each, f"{prefix}{each.name}.")
        elif isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name) and each.value is not None:
            yield prefix + each.target.id, ast.unparse(each.value)
        elif isinstance(each, ast.Assign) and len(each.targets) == 1 and isinstance(each.targets[0], ast.Name):
            yield prefix + each.targets[0].id, ast.unparse(each.value)
