"""CUDA graphs: which parts of a graph are recorded, which inputs keep their address, and why torch records nothing."""

from __future__ import annotations

import types
from collections.abc import Iterable, Sequence
from typing import Any

from pytest_compile_golden.facts.graphs import GraphKey
from pytest_compile_golden.facts.guards import GraphChoice, GraphChoices
from pytest_compile_golden.facts.record import Record
from pytest_compile_golden.observe.probe import Recorder
from pytest_compile_golden.observe.probes.scheduler import calls_of
from pytest_compile_golden.observe.record_graphs import function_name, user_frame
from pytest_compile_golden.observe.torch_hooks import Hooks
from pytest_compile_golden.torch_internals import scheduler as names

_SKIPPING = "skipping cudagraphs due to "


class CudaGraphsProbe:
    def install(self, hooks: Hooks, recorder: Recorder) -> None:
        watched = _WatchedGraphs(recorder)
        hooks.after(names.GRAPH_PARTITION, watched.partitioned)
        hooks.before(names.POST_COMPILE, watched.loaded)
        hooks.before(names.CUDAGRAPH_WHOLE, watched.whole)
        hooks.before(names.CUDAGRAPH_PARTS, watched.parts)
        for name in names.CUDAGRAPH_SKIPPED:
            hooks.before(name, watched.skipped)
        hooks.on_exit(watched.finish)


class _WatchedGraphs:
    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._made: dict[tuple[int, GraphKey], tuple[Record, list[GraphChoice]]] = {}
        """By the id of the record, and the graph."""
        self._loading: GraphKey | None = None

    def _choices(self, key: GraphKey | None = None) -> list[GraphChoice]:
        record = self._recorder.record
        return self._made.setdefault(
            (id(record), key or self._loading or self._recorder.key), (record, [])
        )[1]

    def _add(self, choice: GraphChoice) -> None:
        choices = self._choices()
        if choice not in choices:
            choices.append(choice)

    def partitioned(self, result: Any, scheduler: Any) -> None:
        self._loading = None
        if not names.CUDAGRAPHS.get():
            return
        choices = self._choices(self._recorder.key)
        for nodes, signature in zip(*result, strict=True):
            refusals = dict.fromkeys(
                filter(None, map(scheduler.should_partition, nodes))
            )
            reasons = [
                reason if isinstance(reason, str) else "torch does not say why"
                for reason in refusals
            ]
            # Those of the post-grad graph that the groups were made from, one for each distinct call.
            operations = (node.node for group in nodes for node in group.get_nodes())
            calls = dict.fromkeys(
                call for operation in operations for call in calls_of(operation)
            )
            operators = (
                ", ".join(function_name(call.target) for call in calls)
                or "nothing that runs"
            )
            if not signature.skip_cudagraph:
                choices.append(GraphChoice("recorded", operators))
            else:
                choices.append(
                    GraphChoice(
                        "launched", operators, ", ".join(reasons) or "too few kernels"
                    )
                )

    def loaded(self, compiled: Any, *args: Any, **kwargs: Any) -> None:
        """From now on, decisions are about the graph being loaded, not the one being compiled."""
        options = compiled.fx_kwargs
        direction = (
            "backward"
            if options.get("is_backward")
            else ""
            if options.get("is_inference")
            else "forward"
        )
        self._loading = GraphKey(self._recorder.key.index, direction)

    def whole(self, inputs: Any, compiled: Any, *args: Any, **kwargs: Any) -> None:
        if not compiled.cudagraph_info.cudagraph_fail_reasons:
            self._add(GraphChoice("recorded", "the whole graph"))
        self._inputs(inputs, compiled, [range(len(inputs))])

    def parts(self, inputs: Any, compiled: Any, *args: Any, **kwargs: Any) -> None:
        self._inputs(
            inputs,
            compiled,
            [
                partition.input_index_mapping
                for partition in compiled.partition_maps or ()
            ],
        )
        for reason in compiled.cudagraph_info.cudagraph_fail_reasons:
            self.skipped(reason)

    def _inputs(
        self, inputs: Any, compiled: Any, partitions: Sequence[Iterable[int | None]]
    ) -> None:
        """Add static inputs, inputs that are written to, and the partitions that the latter keep from being recorded.

        torch checks that when the code runs (torch/_inductor/cudagraph_trees.py), for inputs that no CUDA graph made.
        """
        placeholders = compiled.cudagraph_info.placeholders
        static = set(compiled.fx_kwargs.get("static_input_idxs") or ())
        mutated = set(compiled.mutated_input_idxs)
        for kind, indices in (("static", static), ("mutated", mutated)):
            for index in sorted(indices):
                self._add(GraphChoice(kind, placeholders[index].name))
        recorded = [
            index
            for index, choice in enumerate(self._choices())
            if choice.kind == "recorded"
        ]
        for partition, where in zip(partitions, recorded, strict=False):
            info = types.SimpleNamespace(
                placeholders=placeholders,
                mutated_input_idxs=sorted(mutated.intersection(partition)),
                static_input_idxs=sorted(static),
            )
            if message := names.CHECK_FOR_MUTATION.get()(
                info, list(inputs), lambda tensor: False
            ):
                self._skip(message, [where])

    def skipped(self, message: str) -> None:
        self._skip(message, range(len(self._choices())))

    def _skip(self, message: str, partitions: Iterable[int]) -> None:
        reason = (
            message.partition("\n")[0]
            .partition(". Found from")[0]
            .replace(_SKIPPING, "")
            .rstrip(". :")
        )
        choices = self._choices()
        for index in partitions:
            if choices[index].kind == "recorded":
                choices[index] = GraphChoice("launched", choices[index].what, reason)
        code, where = user_frame(message)
        self._add(
            GraphChoice(
                "skipped",
                reason,
                "",
                code or "",
                (code, where) if code and where else None,
            )
        )

    def finish(self) -> None:
        for (_, key), (record, choices) in sorted(
            self._made.items(), key=lambda item: item[0][1].index
        ):
            record.add("cudagraphs", GraphChoices(key.label, "", tuple(choices)))
