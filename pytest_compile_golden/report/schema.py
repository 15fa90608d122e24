"""The JSON Schema of a report, generated from the model: types from annotations, descriptions from docstrings."""

from __future__ import annotations

import ast
import inspect

import msgspec

from pytest_compile_golden import documents
from pytest_compile_golden.canary import reading
from pytest_compile_golden.report import model


def schema() -> str:
    """The schema as JSON."""
    document = msgspec.json.schema(model.Report)
    described = _descriptions(inspect.getsource(model)) | _descriptions(inspect.getsource(reading))
    for name, definition in document["$defs"].items():
        for field, property_schema in definition["properties"].items():
            # A reference cannot have siblings.
            if (text := described.get((name, field))) and "$ref" not in property_schema:
                property_schema["description"] = text
    report = document["$defs"]["Report"]
    report["properties"]["format"] = {"const": model.FORMAT, "description": described["Report", "format"]}
    report["required"].append("format")
    title = "pytest-compile-golden report"
    return documents.render({"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title, **document})


def _descriptions(source: str) -> dict[tuple[str, str], str]:
    """The docstring under each field of each class, on one line."""
    described: dict[tuple[str, str], str] = {}
    for kind in (statement for statement in ast.parse(source).body if isinstance(statement, ast.ClassDef)):
        for field, after in zip(kind.body, kind.body[1:], strict=False):
            match field, after:
                case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                    described[kind.name, name] = " ".join(text.split())
    return described
