"""Writes the JSON Schema of a report from the model: types from its annotations, descriptions from its docstrings.

python tools/report_schema.py
"""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import msgspec

from pytest_compile_golden.report import document, model


def schema() -> str:
    made = msgspec.json.schema(model.Report)
    described = descriptions(Path(model.__file__).read_text(encoding="utf-8"))
    for name, definition in made["$defs"].items():
        for field, its in definition["properties"].items():
            # A reference may stand alone only.
            if (text := described.get((name, field))) and "$ref" not in its:
                its["description"] = text
    title = "A report of pytest-compile-golden"
    report = made["$defs"]["Report"]
    report["properties"]["format"] = {"const": model.FORMAT, "description": described["Report", "format"]}
    report["required"].append("format")
    whole = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title, **made}
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


def descriptions(source: str) -> dict[tuple[str, str], str]:
    """The docstring under each field of each class, on one line."""
    found: dict[tuple[str, str], str] = {}
    for each in ast.walk(ast.parse(source)):
        if isinstance(each, ast.ClassDef):
            for field, after in zip(each.body, each.body[1:], strict=False):
                if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and (text := _text(after)):
                    found[each.name, field.target.id] = text
    return found


def _text(statement: ast.stmt) -> str:
    value: Any = statement.value if isinstance(statement, ast.Expr) else None
    return " ".join(value.value.split()) if isinstance(value, ast.Constant) and isinstance(value.value, str) else ""


if __name__ == "__main__":
    document.SCHEMA.write_text(schema(), encoding="utf-8")
