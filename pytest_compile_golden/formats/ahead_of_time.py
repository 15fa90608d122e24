"""AOTInductor's output for an exported program: the C++ class around the calls, and the manifest of its package."""

from __future__ import annotations

import ast
from collections.abc import Hashable, Iterator
from dataclasses import dataclass

from pytest_compile_golden.changes.change import Change
from pytest_compile_golden.facts.code import OutputCode, Package
from pytest_compile_golden.facts.record import Record
from pytest_compile_golden.formats import cpp, cpp_wrapper, edits
from pytest_compile_golden.formats.artifact import Artifact
from pytest_compile_golden.formats.code import CodeFormat, Piece, scrubbed
from pytest_compile_golden.formats.format import Format, Significant
from pytest_compile_golden.formats.graph.write import type_text
from pytest_compile_golden.formats.text import plain, sizes_by_appearance, with_sizes
from pytest_compile_golden.lines import split_lines


class AotWrapperFormat(CodeFormat):
    """The class of each graph, without the kernels."""

    comment = "//"

    def canonical(self, text: str) -> Hashable:
        return cpp.canonical_calls(text)

    def render(self, record: Record, stage: str) -> Artifact | None:
        codes: list[OutputCode] = record.get("output_code")
        classes = [
            Piece(code.key.label, scrubbed(shown) + "\n")
            for code in codes
            for text in cpp_wrapper.texts(ast.parse(code.code))
            if (shown := cpp_wrapper.model(text))
        ]
        return Artifact(stage, self.write(classes)) if classes else None

    def significant(self, old: str, new: str) -> Significant:
        return cpp.significant_calls(old, new)

    def edits(self, old: str, new: str) -> tuple[Change, ...]:
        return edits.edits(old, new, self.comment)


@dataclass(frozen=True, repr=False)
class PackageArtifact(Artifact):
    """The manifest: `captured["aot_package"].constants == ("linear.weight", "linear.bias")`."""

    packages: tuple[Package, ...]

    @property
    def constants(self) -> tuple[str, ...]:
        """The names of the tensors that the package holds."""
        return tuple(constant.name for package in self.packages for constant in package.constants)

    @property
    def files(self) -> dict[str, int]:
        """The number of files of each kind: `{"C++ of the calls": 1, "cubins": 2}`."""
        return dict(file for package in self.packages for file in package.files)


class PackageFormat(Format):
    """Lines, in which symbolic sizes are numbered by first appearance."""

    def render(self, record: Record, stage: str) -> PackageArtifact | None:
        packages: list[Package] = record.get(stage)
        lines = [line for package in packages for line in _lines(package, record.device_type)]
        return PackageArtifact(stage, self.write(lines), tuple(packages)) if packages else None

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
    yield from (f"  metadata {name}: {' '.join(split_lines(value))}" for name, value in package.metadata)
