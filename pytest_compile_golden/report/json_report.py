"""A report as JSON, for programs, for merging shards and for producing the other formats later; and its schema."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import math
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, cast

import msgspec
from msgspec import Meta

from pytest_compile_golden.api.compat_check import reading
from pytest_compile_golden.api.compat_check.reading import merged
from pytest_compile_golden.common import json_files
from pytest_compile_golden.errors import ReportError
from pytest_compile_golden.report import model
from pytest_compile_golden.report.case_groups import grouped
from pytest_compile_golden.report.cases_in_full import with_examples
from pytest_compile_golden.report.model import (
    FORMAT,
    CaseGroup,
    CaseReport,
    FirstDivergence,
    LedgerRow,
    Report,
    ReportedChange,
    Side,
    StageReport,
)


def _written(
    kind: type[Any],
    types: Mapping[str, Any] = MappingProxyType({}),
    *,
    only: Collection[str] | None = None,
    more: Mapping[str, Any] = MappingProxyType({}),
    lists: Mapping[str, Any] = MappingProxyType({}),
) -> type[Any]:
    """The dataclass as a file has it: with other types of some fields, with some fields only, with more fields, and
    with more lists, which may be empty."""
    fields: list[Any] = []
    for field in dataclasses.fields(kind):
        if only is not None and field.name not in only:
            continue
        held = field.name, types.get(field.name, field.type)
        # What is empty as a text is empty as a list of its lines.
        empty = () if field.name in types and field.default == "" else field.default
        fields.append(
            held
            if field.default is dataclasses.MISSING
            else (*held, dataclasses.field(default=empty))
        )
    fields += more.items()
    fields += [
        (name, held, dataclasses.field(default=())) for name, held in lists.items()
    ]
    made = dataclasses.make_dataclass(kind.__name__, fields, frozen=True, kw_only=True)
    made.__module__ = kind.__module__  # where the names of its types are
    return made


# What many cases have in common is in a file once: in lists of the report, to which cases have indices.
_INDEX = Annotated[int, Meta(ge=0)]
_INDICES = tuple[_INDEX, ...]
_LISTS = {
    "changes": "changes",
    "secondary": "changes",
    "stages": "stages",
    "ledger": "ledger",
}
"""Fields of a case, each with the report's list that its indices are of."""
_OWN = ("text", "example", "where", "defined")
"""Fields of a change that differ from case to case; the others are written once, as a distinct change."""
_TEXTS = ("old", "new", "old_evidence", "new_evidence")
"""Fields of a stage that are indices of lines."""
_LONGEST = 1 << 30
"""Characters of all texts together: no run writes more, and lines that are named again and again would fill any
memory."""
_STAGE: Any = _written(
    StageReport,
    {"old": _INDICES | None, "new": _INDICES | None}
    | dict.fromkeys(("old_evidence", "new_evidence"), _INDICES),
)
_CASE: Any = _written(
    CaseReport, dict.fromkeys(_LISTS, _INDICES) | {"divergence": _INDEX | None}
)
_CHANGE: Any = _written(ReportedChange, only=_OWN, more={"distinct": _INDEX})
_DISTINCT: Any = _written(
    ReportedChange,
    only=[
        field.name
        for field in dataclasses.fields(ReportedChange)
        if field.name not in _OWN
    ],
)
_DISTINCT.__name__ = _DISTINCT.__qualname__ = "DistinctChange"
_GROUP: Any = _written(CaseGroup, {"members": _INDICES})
_FILE = _written(
    Report,
    {"cases": tuple[_CASE, ...], "groups": tuple[_GROUP, ...]},
    lists={
        "divergences": tuple[FirstDivergence, ...],
        "changes": tuple[_CHANGE, ...],
        "distinct": tuple[_DISTINCT, ...],
        "stages": tuple[_STAGE, ...],
        "ledger": tuple[LedgerRow, ...],
        "lines": tuple[str, ...],
    },
)
_DOCUMENT = json_files.Document(
    _FILE,
    FORMAT,
    ReportError,
    outdated="Use the version of pytest-compile-golden that wrote it, or run again.",
    advice="--compile-golden-report=FILE.json writes one.",
    damaged="is not a report",
)
_SHARD = re.compile(r"[1-9]\d{0,3}/[1-9]\d{0,3}")


def plain(value: Any) -> Any:
    """Part of the model as dicts and lists, omitting fields that have their default value."""
    if dataclasses.is_dataclass(value):
        fields = (
            (field, getattr(value, field.name)) for field in dataclasses.fields(value)
        )
        return {
            field.name: plain(held) for field, held in fields if held != field.default
        }
    if isinstance(value, (tuple, list)):
        return [plain(element) for element in value]
    # Neither xdist nor JSON can carry a lone surrogate (from bytes that are not text).
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode("utf-8")
    # JSON cannot represent it.
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value


class _List:
    """What cases have in common, in the order in which it is first named."""

    def __init__(self) -> None:
        self.numbers: dict[Any, int] = {}

    def of(self, values: Iterable[Any]) -> list[int]:
        """The index of each value, which is added if it is new."""
        return [self.numbers.setdefault(value, len(self.numbers)) for value in values]


def render(report: Report) -> str:
    """The file. Each case, group and change is a line of it, so that what large ones write is not held twice."""
    names = ("divergences", "changes", "distinct", "stages", "ledger", "lines")
    lists = {name: _List() for name in names}
    numbers = {case.nodeid: number for number, case in enumerate(report.cases)}

    def case_line(case: CaseReport) -> dict[str, Any]:
        said: dict[str, Any] = plain(
            replace(
                case, divergence=None, changes=(), secondary=(), stages=(), ledger=()
            )
        )
        if case.divergence is not None:
            (said["divergence"],) = lists["divergences"].of([case.divergence])
        for name, among in _LISTS.items():
            if values := getattr(case, name):
                said[name] = lists[among].of(values)
        return said

    def change_line(change: ReportedChange) -> dict[str, Any]:
        distinct = _DISTINCT(
            **{name: held for name, held in vars(change).items() if name not in _OWN}
        )
        (number,) = lists["distinct"].of([distinct])
        own = {name: getattr(change, name) for name in _OWN}
        return cast("dict[str, Any]", plain(_CHANGE(**own, distinct=number)))

    def stage_line(stage: StageReport) -> dict[str, Any]:
        said: dict[str, Any] = plain(
            replace(stage, old=None, new=None, old_evidence="", new_evidence="")
        )
        for name in _TEXTS:
            text = getattr(stage, name)
            if text is not None and (text or name in ("old", "new")):
                said[name] = lists["lines"].of(text.split("\n"))
        return said

    def group_line(group: CaseGroup) -> dict[str, Any]:
        said: dict[str, Any] = plain(replace(group, members=()))
        if group.members:
            said["members"] = [numbers[nodeid] for nodeid in group.members]
        return said

    fields = [
        f'"{field.name}": {json_files.line(plain(held))}'
        for field in dataclasses.fields(report)
        if field.name not in ("format", "cases", "groups")
        and (held := getattr(report, field.name)) != field.default
    ]
    groups = _lines("groups", map(group_line, report.groups))
    cases = _lines("cases", map(case_line, report.cases)) or ['"cases": []']
    every = [f'"format": {FORMAT}', *fields, *groups, *cases]
    # What names others before those, which are numbered as it is written.
    written: dict[str, Callable[[Any], Any]] = {
        "changes": change_line,
        "stages": stage_line,
    }
    for name, common in lists.items():
        every += _lines(name, map(written.get(name, plain), common.numbers))
    return "{\n" + ",\n".join(every) + "\n}\n"


def _lines(name: str, values: Iterable[Any]) -> list[str]:
    """A field with so many values, each on a line; none if there are no values."""
    lines = ",\n".join(map(json_files.line, values))
    return [f'"{name}": [\n{lines}\n]'] if lines else []


def parse(text: bytes | str, where: str) -> Report:
    """Raise ReportError if this is not a report, or if it has another format version."""
    return _DOCUMENT.parse(text, where, _checked)


def _checked(file: Any) -> Report:
    """Raises ValueError for what no run has written."""
    lengths = [len(line) + 1 for line in file.lines]

    def text(indices: Sequence[int] | None) -> str | None:
        return None if indices is None else "\n".join(file.lines[at] for at in indices)

    try:
        written = (
            getattr(stage, name) or () for stage in file.stages for name in _TEXTS
        )
        if sum(lengths[at] for indices in written for at in indices) > _LONGEST:
            raise ValueError("its texts are longer than any run writes them")
        stages = [
            StageReport(
                **{
                    **vars(stage),
                    **{name: text(getattr(stage, name)) for name in _TEXTS},
                }
            )
            for stage in file.stages
        ]
        changes = [
            ReportedChange(
                **{name: getattr(change, name) for name in _OWN},
                **vars(file.distinct[change.distinct]),
            )
            for change in file.changes
        ]
        lists = {"changes": changes, "stages": stages, "ledger": file.ledger}
        cases = tuple(
            CaseReport(
                **{
                    **vars(case),
                    "divergence": None
                    if case.divergence is None
                    else file.divergences[case.divergence],
                    **{
                        name: tuple(lists[among][at] for at in getattr(case, name))
                        for name, among in _LISTS.items()
                    },
                }
            )
            for case in file.cases
        )
        groups = tuple(
            CaseGroup(
                **{
                    **vars(group),
                    "members": tuple(cases[at].nodeid for at in group.members),
                }
            )
            for group in file.groups
        )
    except IndexError:
        raise ValueError("it names more than it lists") from None
    of_report = {field.name for field in dataclasses.fields(Report)}
    facts = {name: held for name, held in vars(file).items() if name in of_report}
    report = Report(**{**facts, "cases": cases, "groups": groups})
    if not all(_SHARD.fullmatch(shard) for shard in report.shards):
        raise ValueError(
            f"its shards are {', '.join(report.shards)}, not of the form 1/4"
        )
    if len({reported.nodeid for reported in report.cases}) != len(report.cases):
        raise ValueError("it contains a case twice")
    return report


def read(path: Path) -> Report:
    """Read a report from a file. Raises ReportError if it cannot be read, or if `parse` does."""
    try:
        text = path.read_bytes()
    except OSError as error:
        raise ReportError(
            f"cannot read {path}: {error.strerror}. Name a file that a run wrote."
        ) from None
    return parse(text, str(path))


def case(value: Any) -> CaseReport:
    """The inverse of `plain` for one case."""
    return msgspec.convert(value, CaseReport)


def schema() -> str:
    """The schema as JSON."""
    document = msgspec.json.schema(_FILE)
    described = _descriptions(inspect.getsource(model)) | _descriptions(
        inspect.getsource(reading)
    )
    described["Report", "divergences"] = "The first divergences of cases."
    described["Report", "changes"] = "The changes that cases have."
    described["Report", "distinct"] = (
        "What changes are in every case that has them, whatever their wording and place there."
    )
    described["Report", "stages"] = "The stages that cases have."
    described["Report", "ledger"] = "What passes did in cases."
    described["Report", "lines"] = "The lines of the stages' texts."
    for name, among in _LISTS.items():
        said = described.get(("CaseReport", name), "In pipeline order.")
        described["CaseReport", name] = (
            f"{said} As indices into the report's `{among}`."
        )
    described["CaseReport", "divergence"] += (
        " As an index into the report's `divergences`."
    )
    described["ReportedChange", "distinct"] = (
        "What it is in every case, as an index into the report's `distinct`."
    )
    for name in _DISTINCT.__dataclass_fields__:
        described["DistinctChange", name] = described["ReportedChange", name]
    for name in _TEXTS:
        described["StageReport", name] += (
            " As indices into the report's `lines`, which a line feed separates."
        )
    described["CaseGroup", "members"] = (
        "The cases, as indices into the report's `cases`."
    )
    for name, definition in document["$defs"].items():
        for field, property_schema in definition["properties"].items():
            # A reference cannot have siblings.
            if (text := described.get((name, field))) and "$ref" not in property_schema:
                property_schema["description"] = text
    report = document["$defs"]["Report"]
    report["properties"]["format"] = {
        "const": model.FORMAT,
        "description": described["Report", "format"],
    }
    report["required"].append("format")
    title = "pytest-compile-golden report"
    return json_files.render(
        {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": title,
            **document,
        }
    )


def _descriptions(source: str) -> dict[tuple[str, str], str]:
    """The docstring under each field of each class, on one line."""
    described: dict[tuple[str, str], str] = {}
    for kind in (
        statement
        for statement in ast.parse(source).body
        if isinstance(statement, ast.ClassDef)
    ):
        for field, after in zip(kind.body, kind.body[1:], strict=False):
            match field, after:
                case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(
                    value=ast.Constant(value=str(text))
                ):
                    described[kind.name, name] = " ".join(text.split())
    return described


def merge(reports: Sequence[Report]) -> Report:
    """One report with all cases of `reports`. If a case is in several, because its shard ran again, the last one wins.

    Raises ReportError if there are no reports, or if they are from different runs: another torch, or another split.
    """
    if not reports:
        raise ReportError(
            "there are no reports to merge. Name the files that the shards wrote."
        )
    first = reports[0]
    for other in reports[1:]:
        for one, side in ((first.old, other.old), (first.new, other.new)):
            if (one.label, one.torch) != (side.label, side.torch):
                raise ReportError(
                    f"these reports are from different runs: {one.label} with torch {one.torch}, and {side.label} with "
                    f"torch {side.torch}. Only shards of the same run can be merged."
                )
    shards = {shard for report in reports for shard in report.shards}
    if len({shard.partition("/")[2] for shard in shards}) > 1:
        raise ReportError(
            f"these shards are not from the same run: {', '.join(sorted(shards))}."
        )
    cases: dict[str, CaseReport] = {
        case.nodeid: case for report in reports for case in report.cases
    }
    ordered = tuple(cases[nodeid] for nodeid in sorted(cases))
    # They may be grouped by what was proved.
    groups = grouped(ordered) if len(reports) > 1 else first.groups
    return replace(
        first,
        old=_side([report.old for report in reports]),
        new=_side([report.new for report in reports]),
        cases=with_examples(ordered, groups) if len(reports) > 1 else ordered,
        groups=groups,
        shards=tuple(sorted(shards, key=lambda shard: int(shard.partition("/")[0]))),
        functions=tuple(
            dict.fromkeys(
                function for report in reports for function in report.functions
            )
        ),
        defaults=tuple(
            dict.fromkeys(default for report in reports for default in report.defaults)
        ),
        reading=merged(
            report.reading for report in reports if report.reading is not None
        ),
        skipped=tuple(
            sorted(
                {nodeid for report in reports for nodeid in report.skipped}
                - cases.keys()
            )
        ),
        notes=tuple(dict.fromkeys(note for report in reports for note in report.notes)),
    )


def _side(sides: Sequence[Side]) -> Side:
    errors = dict.fromkeys(side.error for side in sides if side.error is not None)
    return replace(
        sides[0],
        targets=tuple(sorted({target for side in sides for target in side.targets})),
        error="; ".join(errors) or None,
    )
