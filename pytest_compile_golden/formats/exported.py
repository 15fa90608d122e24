"""Programs made by torch.export: signature, sizes that may vary, and graph; and what AOTInductor makes of them."""

from __future__ import annotations

import ast
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass

from pytest_compile_golden.changes.change import Change, distinct
from pytest_compile_golden.changes.common_types import NewOrGone
from pytest_compile_golden.common.lines import split_lines
from pytest_compile_golden.facts.generated_code import OutputCode, Package
from pytest_compile_golden.facts.graphs import Exported, Signed
from pytest_compile_golden.facts.record import Record
from pytest_compile_golden.formats import cpp_kernels, cpp_wrapper, line_edits
from pytest_compile_golden.formats.artifact import Artifact
from pytest_compile_golden.formats.canonical_text import (
    plain,
    sizes_by_appearance,
    with_sizes,
)
from pytest_compile_golden.formats.format import Format, Unreadable
from pytest_compile_golden.formats.graphs import GRAPH, printed
from pytest_compile_golden.formats.graphs.from_record import (
    GraphArtifact,
    functions_of,
    type_text,
)
from pytest_compile_golden.formats.inductor_module import CodeFormat, Piece, scrubbed
from pytest_compile_golden.formats.inductor_names import numbered
from pytest_compile_golden.formats.op_counts import Occurrence

_LISTS = ("inputs", "outputs", "ranges")
_MUTATION = "_mutation"


@dataclass(frozen=True)
class ExportedProgram:
    """A printed program: lists with rows of two texts, and the graphs."""

    inputs: tuple[tuple[str, str], ...]
    """Name and description: `parameter linear.weight`."""
    outputs: tuple[tuple[str, str], ...]
    ranges: tuple[tuple[str, str], ...]
    functions: tuple[printed.PrintedGraph, ...]


@dataclass(frozen=True, repr=False)
class ExportedArtifact(GraphArtifact):
    """An exported program: `captured["exported_graph"].mutated == ()`."""

    inputs: tuple[Signed, ...]
    outputs: tuple[Signed, ...]
    ranges: tuple[tuple[str, str], ...]

    def of_kind(self, *kinds: str) -> tuple[str, ...]:
        """The parameters, buffers and inputs of these kinds: `of_kind("parameter")` is `("linear.weight",)`."""
        return tuple(
            value.target or value.name
            for value in (*self.inputs, *self.outputs)
            if value.kind in kinds
        )

    @property
    def mutated(self) -> tuple[str, ...]:
        """The buffers, parameters and inputs that the program writes to."""
        return tuple(
            output.target for output in self.outputs if output.kind.endswith(_MUTATION)
        )


class ExportedFormat(Format):
    """A document is a `Program`."""

    def render(self, record: Record, stage: str) -> ExportedArtifact | None:
        programs: list[Exported] = record.get(stage)
        if not programs:
            return None
        (exported,) = programs
        inputs, outputs = (
            tuple(
                (value.name, f"{value.kind} {value.target}".rstrip()) for value in side
            )
            for side in (exported.inputs, exported.outputs)
        )
        functions = tuple(functions_of(exported.graph, "program", record.device_type))
        program = ExportedProgram(inputs, outputs, exported.ranges, functions)
        return ExportedArtifact(
            stage,
            self.write(program),
            (exported.graph,),
            exported.inputs,
            exported.outputs,
            exported.ranges,
        )

    def write(self, document: ExportedProgram) -> str:
        lines = [
            line for name in _LISTS for line in _list(name, getattr(document, name))
        ]
        return "\n".join([*lines, "", ""]) + printed.write(document.functions)

    def read(self, text: str) -> ExportedProgram:
        lists, found, graphs = text.partition("\ndef ")
        rows: dict[str, tuple[tuple[str, str], ...]] = {}
        try:
            for statement in ast.parse(lists).body:
                name, _, value = ast.unparse(statement).partition(" = ")
                rows[name] = tuple(
                    (str(first), str(second))
                    for first, second in ast.literal_eval(value)
                )
        except (SyntaxError, ValueError, TypeError):
            rows = {}
        if not found or tuple(rows) != _LISTS:
            raise Unreadable(text[:60])
        inputs, outputs, ranges = rows.values()
        functions = printed.read(f"def {graphs}")
        return ExportedProgram(inputs, outputs, ranges, functions)

    def form(self, document: ExportedProgram) -> Hashable:
        """What each input and output is, regardless of its name, the ranges of sizes that vary, and the dataflow."""
        return _signature(document), GRAPH.form(document.functions)

    def size(self, artifact: Artifact) -> str:
        return GRAPH.size(artifact)

    def inventory_of(self, document: ExportedProgram) -> Iterator[Occurrence]:
        yield from GRAPH.inventory_of(document.functions)

    def edits_of(self, old: ExportedProgram, new: ExportedProgram) -> Iterable[Change]:
        before, after = _signature(old), _signature(new)
        for is_new, rows, others in ((False, before, after), (True, after, before)):
            yield from (
                NewOrGone("signature-changed", (row,), is_new)
                for row in rows
                if row not in others
            )
        yield from distinct(list(GRAPH.edits_of(old.functions, new.functions)))


EXPORTED = ExportedFormat()


def _list(name: str, rows: Iterable[tuple[str, str]]) -> Iterator[str]:
    shown_rows = [f'    ("{first}", "{second}"),' for first, second in rows]
    yield from (f"{name} = [", *shown_rows, "]") if shown_rows else (f"{name} = []",)


def _signature(program: ExportedProgram) -> tuple[str, ...]:
    """What each input and output is, in order, and the values that sizes may have."""
    sizes = sizes_by_appearance(value.type for value in program.functions[0].inputs)
    return (
        *(f"input {description}" for _, description in program.inputs),
        *(f"output {description}" for _, description in program.outputs),
        *sorted(
            f"{with_sizes(size, sizes)} in {values}" for size, values in program.ranges
        ),
    )


class AotWrapperFormat(CodeFormat):
    """The class of each graph, without the kernels."""

    comment = "//"

    canonical = staticmethod(cpp_kernels.canonical_calls)

    def render(self, record: Record, stage: str) -> Artifact | None:
        codes: list[OutputCode] = record.get("output_code")
        classes = [
            Piece(code.key.label, scrubbed(shown) + "\n")
            for code in codes
            for text in cpp_wrapper.texts(ast.parse(code.code))
            if (shown := cpp_wrapper.model(text))
        ]
        return Artifact(stage, self.write(classes)) if classes else None

    names = staticmethod(numbered)
    significant_line = staticmethod(cpp_kernels.significant_line)

    def shown(self, text: str, beside: str) -> str:
        return cpp_wrapper.with_arrays(text)

    def edits_of(self, old: Iterable[Piece], new: Iterable[Piece]) -> Iterable[Change]:
        return line_edits.edits(self.write(old), self.write(new), self.comment)


@dataclass(frozen=True, repr=False)
class PackageArtifact(Artifact):
    """The manifest: `captured["aot_package"].constants == ("linear.weight", "linear.bias")`."""

    packages: tuple[Package, ...]

    @property
    def constants(self) -> tuple[str, ...]:
        """The names of the tensors that the package holds."""
        return tuple(
            constant.name for package in self.packages for constant in package.constants
        )

    @property
    def files(self) -> dict[str, int]:
        """The number of files of each kind: `{"C++ of the calls": 1, "cubins": 2}`."""
        return dict(file for package in self.packages for file in package.files)


class PackageFormat(Format):
    """Lines, in which symbolic sizes are numbered by first appearance."""

    def render(self, record: Record, stage: str) -> PackageArtifact | None:
        packages: list[Package] = record.get(stage)
        lines = [
            line for package in packages for line in _lines(package, record.device_type)
        ]
        return (
            PackageArtifact(stage, self.write(lines), tuple(packages))
            if packages
            else None
        )

    def canonical(self, text: str) -> Hashable:
        lines = plain(text)
        sizes = sizes_by_appearance(lines)
        return tuple(with_sizes(line, sizes) for line in lines)


AOT_WRAPPER = AotWrapperFormat()
AOT_PACKAGE = PackageFormat()


def _lines(package: Package, device: str) -> Iterator[str]:
    yield f"{package.key.label}:"
    yield from (f"  input {type_text(kind, device)}" for _, kind in package.inputs)
    yield from (f"  output {type_text(kind, device)}" for kind in package.outputs)
    yield from (
        f"  constant {constant.name}: {type_text(constant.type, device)}, {constant.nbytes} bytes"
        for constant in package.constants
    )
    yield from (f"  file {kind}: {number}" for kind, number in package.files)
    yield from (
        f"  metadata {name}: {' '.join(split_lines(value))}"
        for name, value in package.metadata
    )
