"""FX graphs: text that reads like Python, with one function per graph.

argument_edits: how the arguments of a call changed in a graph
edits: how FX graphs changed: operators added and removed or, if there are none, types and arguments
effects: which operators mutate or draw random numbers, whose values share storage, which arguments are dimensions
equivalence: whether graphs that differ are the same graph, written differently
form: the significant content of FX graphs: their dataflow, dimensions counted from the front, and what they contain
from_record: a record's FX graphs as they are printed, and facts for tests to assert on
independent_edits: edits of graphs that follow from no other node
ordered_calls: calls that `control_deps` keeps in their place, such as those of streams, and graphs without it
printed: printed FX graphs as plain data, written as text and read back
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence, Set

from pytest_compile_golden.changes.change import Change
from pytest_compile_golden.common.digest import short
from pytest_compile_golden.formats.artifact import Artifact
from pytest_compile_golden.formats.format import Format, Unreadable
from pytest_compile_golden.formats.graphs import form, from_record, printed
from pytest_compile_golden.formats.graphs.printed import PrintedGraph

_TANGENT = "tangents_"
"""How the names of gradients of results begin, which a joint graph is given."""


class GraphFormat(Format):
    """One or more FX graphs; a document is a tuple of `graph.printed.PrintedGraph`."""

    lines_are_edits = False
    render = staticmethod(from_record.render_graphs)
    read = staticmethod(printed.read)
    write = staticmethod(printed.write)
    inventory_of = staticmethod(form.contents)
    form = staticmethod(form.form)

    def quoted(self, text: str) -> list[tuple[str, str]]:
        """The program lines that graphs quote, each once: function, source; empty if the text is not a graph.

        Lines quoted only for checks are left out: which checks stay in a graph is torch's choice.
        """
        quotes = (
            code.partition(": ")
            for function in self._functions(text)
            for code in form.quoted(function)
        )
        return list(
            dict.fromkeys(
                (function, code) for function, colon, code in quotes if colon and code
            )
        )

    def input_types(self, text: str) -> list[str]:
        """The types of the first graph's inputs, in order; empty if the text is not a graph.

        Without gradients of results, which a joint graph has as inputs, too: torch decides how those are laid out, and
        names them in torch/_functorch/_aot_autograd/graph_capture_wrappers.py.
        """
        return [
            argument.type
            for function in self._functions(text)[:1]
            for argument in function.inputs
            if not argument.name.startswith(_TANGENT)
        ]

    def size(self, artifact: Artifact) -> str:
        return (
            f"{artifact.nodes} nodes"
            if isinstance(artifact, from_record.GraphArtifact)
            else super().size(artifact)
        )

    def order(self, artifact: Artifact) -> str:
        """A digest of the operators in the order of the nodes."""
        graphs = (
            artifact.graphs if isinstance(artifact, from_record.GraphArtifact) else ()
        )
        return short(
            [
                node.target
                for graph in graphs
                for node in graph.nodes
                if node.op.startswith("call")
            ]
        )

    def explains_of(
        self,
        old: Sequence[PrintedGraph],
        new: Sequence[PrintedGraph],
        codes: Collection[str],
    ) -> bool:
        """Whether it is the same graph, written differently."""
        from pytest_compile_golden.formats.graphs.equivalence import same_graphs

        return {"same-graph", "operator-renamed"}.issuperset(codes) and same_graphs(
            old, new
        )

    def edits_of(
        self, old: Sequence[PrintedGraph], new: Sequence[PrintedGraph]
    ) -> Iterable[Change]:
        from pytest_compile_golden.formats.graphs.edits import edits

        return edits(old, new)

    def names(self, text: str) -> Set[str]:
        return {name for function in self._functions(text) for name in function.values}

    def shown(self, text: str, beside: str) -> str:
        """With dimensions counted from the front if one side counts them from the end."""
        functions = self._functions(text)
        if not functions or text.count("-") == beside.count("-"):
            return text
        return self.write(map(form.with_dimensions_from_the_front, functions))

    def _functions(self, text: str) -> tuple[PrintedGraph, ...]:
        """The graphs of a text; empty if it is not one."""
        try:
            functions: tuple[PrintedGraph, ...] = self.document(text)
        except Unreadable:
            return ()
        return functions


class ForwardGraphFormat(GraphFormat):
    """Graphs with the values that they save for backward."""

    render = staticmethod(from_record.render_forward)


GRAPH = GraphFormat()
FORWARD_GRAPH = ForwardGraphFormat()
