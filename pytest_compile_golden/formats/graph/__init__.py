"""FX graphs: text that reads like Python, with one function per graph."""

from __future__ import annotations

from collections.abc import Collection

from pytest_compile_golden.changes.change import Change
from pytest_compile_golden.changes.graphs import ReplacedByEqual, SameGraph
from pytest_compile_golden.formats.artifact import Artifact
from pytest_compile_golden.formats.digest import short
from pytest_compile_golden.formats.format import Format, Unreadable
from pytest_compile_golden.formats.graph import form, printed, write
from pytest_compile_golden.formats.inventory import Inventory, inventory


class GraphFormat(Format):
    """One or more FX graphs; a document is a tuple of `graph.printed.Function`."""

    render = staticmethod(write.render_graphs)
    read = staticmethod(printed.read)
    write = staticmethod(printed.write)
    canonical = staticmethod(form.canonical)
    significant = staticmethod(form.significant)

    def quoted(self, text: str) -> list[tuple[str, str]]:
        """The program lines that graphs quote, each once: function, source; empty if the text is not a graph.

        Lines quoted only for checks are left out: which checks stay in a graph is torch's choice.
        """
        try:
            functions = self.read(text)
        except Unreadable:
            return []
        quotes = (code.partition(": ") for function in functions for code in form.quoted(function))
        return list(dict.fromkeys((function, code) for function, colon, code in quotes if colon and code))

    def input_types(self, text: str) -> list[str]:
        """The types of the first graph's inputs, in order; empty if the text is not a graph."""
        try:
            functions = self.read(text)
        except Unreadable:
            return []
        return [argument.type for argument in functions[0].inputs] if functions else []

    def size(self, artifact: Artifact) -> str:
        return f"{artifact.nodes} nodes" if isinstance(artifact, write.GraphArtifact) else super().size(artifact)

    def inventory(self, text: str) -> Inventory:
        """Operators in order of first appearance, between inputs and results."""
        return inventory(form.counted(self.read(text)))

    def order(self, artifact: Artifact) -> str:
        """A digest of the operators in the order of the nodes."""
        graphs = artifact.graphs if isinstance(artifact, write.GraphArtifact) else ()
        return short([node.target for graph in graphs for node in graph.nodes if node.op.startswith("call")])

    def explains(self, old: str, new: str, codes: Collection[str]) -> bool:
        """Whether it is the same graph, written differently."""
        from pytest_compile_golden.formats.graph.same import same_graphs

        return {SameGraph.code, ReplacedByEqual.code}.issuperset(codes) and same_graphs(old, new)

    def edits(self, old: str, new: str) -> tuple[Change, ...]:
        from pytest_compile_golden.formats.graph.edits import edits

        return edits(old, new)


class ForwardGraphFormat(GraphFormat):
    """Graphs with the values that they save for backward."""

    render = staticmethod(write.render_forward)


GRAPH = GraphFormat()
FORWARD_GRAPH = ForwardGraphFormat()
