"""Write cases/README.md: the cases of each subject, what each one pins, and on which stages and targets.

    python tools/cases_readme.py

Only the sources are read: torch is not needed, and no case is run.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
FILE = ROOT / "cases" / "README.md"

_HEAD = """# What torch.compile does

Each case is the smallest program that shows one behaviour of the compiler. Written by `python tools/cases_readme.py`.

*default* is what `captured == golden` compares; a case without a stage consists only of asserts. A case without a
target runs on `cuda-sm90` and `cpu-avx2`; `[]` marks a parametrised case.
"""


@dataclass(frozen=True)
class Case:
    """A row of the table: one test."""

    name: str
    pins: str
    stages: tuple[str, ...]
    target: str


def text() -> str:
    """The whole page."""
    modules = sorted((ROOT / "cases").glob("test_*.py"))
    return "\n".join([_HEAD, *(_section(path) for path in modules)])


def _section(path: Path) -> str:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    rows = [
        f"| `{case.name}` | {case.pins} | {', '.join(case.stages)} | {case.target} |"
        for case in cases(tree)
    ]
    head = f"## {path.stem.removeprefix('test_').replace('_', ' ')}\n\n{_first_line(tree)}\n"
    return "\n".join(
        [
            head,
            "| case | what it pins | stages | target |",
            "|---|---|---|---|",
            *rows,
            "",
        ]
    )


def cases(tree: ast.Module) -> Iterator[Case]:
    """The cases of a module, in source order."""
    marks = {
        statement.targets[0].id: statement.value
        for statement in tree.body
        if isinstance(statement, ast.Assign)
        and isinstance(statement.targets[0], ast.Name)
    }
    module_wide = [marks["pytestmark"]] if "pytestmark" in marks else []
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            marked = [
                marks.get(ast.unparse(decorator), decorator)
                for decorator in node.decorator_list
            ] + module_wide
            parametrised = any("parametrize" in ast.unparse(mark) for mark in marked)
            yield Case(
                node.name + "[]" * parametrised,
                _first_line(node),
                tuple(_stages(node)),
                _target(marked),
            )


def _first_line(node: ast.Module | ast.FunctionDef) -> str:
    """The first paragraph of the docstring, on one line; without a docstring, the words of the test's name."""
    line = " ".join((ast.get_docstring(node) or "").split("\n\n")[0].split())
    if not line and isinstance(node, ast.FunctionDef):
        line = node.name.removeprefix("test_").replace("_", " ").capitalize() + "."
    return line.replace("|", "\\|")


def _stages(test: ast.FunctionDef) -> Iterator[str]:
    """The stages that a test compares with goldens."""
    for node in ast.walk(test):
        if isinstance(node, ast.Compare) and "golden" in (
            ast.unparse(side) for side in node.comparators
        ):
            compared = node.left
            if not isinstance(compared, ast.Subscript):
                yield "default"
            elif isinstance(compared.slice, ast.Constant):
                yield f"`{compared.slice.value!s}`"
            else:
                yield "one of each"


def _target(marked: Sequence[ast.expr]) -> str:
    """The target that the nearest marker names."""
    for mark in marked:
        if isinstance(mark, ast.Call) and ast.unparse(mark.func).endswith(
            "compile_golden"
        ):
            for keyword in mark.keywords:
                if keyword.arg == "target" and isinstance(keyword.value, ast.Constant):
                    return f"`{keyword.value.value!s}`"
    return ""


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
