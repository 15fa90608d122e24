"""Why two operations were not fused when torch gives no reason: a function that only says no, or a lower score."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from pytest_compile_golden.facts.generated_code import Author
from pytest_compile_golden.facts.schedules import NotFused
from pytest_compile_golden.observe.probe import Recorder
from pytest_compile_golden.observe.probes.scheduler import stream_of
from pytest_compile_golden.observe.source_locations import source_of
from pytest_compile_golden.observe.torch_hooks import Hooks
from pytest_compile_golden.torch_internals import dynamo, inductor
from pytest_compile_golden.torch_internals import scheduler as names

_DECIDERS = ("can_fuse", "can_fuse_vertical", "can_fuse_horizontal")
# The parts of a score that count shared bytes (torch/_inductor/choices.py: InductorChoices.score_fusion).
_OF_MEMORY = frozenset({"memory_score", "buffer_overlap_score"})

Pair = tuple[str, str]


class _Lost(NamedTuple):
    """A fusion that was possible, and the better one that was chosen instead."""

    pair: Pair
    part: str
    """The first component of the score that is lower."""
    score: object
    better: object
    winner: Pair


class FusionProbe:
    """Records the refusals that torch gives no reason for, in addition to those with a reason."""

    def install(self, hooks: Hooks, recorder: Recorder) -> None:
        asked = _Asked(recorder, hooks)
        hooks.before(inductor.FUSE_NODES, asked.begins)
        hooks.before(inductor.WHY_NO_FUSE, asked.reason_given)
        hooks.around(names.CAN_FUSE, asked.asks, asked.answered)
        hooks.before(inductor.POST_FUSION, asked.done)


class _Asked:
    def __init__(self, recorder: Recorder, hooks: Hooks) -> None:
        self._recorder = recorder
        self._hooks = hooks
        self._first = _author(*names.CAN_FUSE.resolve())
        """The author of a refusal if none of the functions that it asks refused."""
        self._watched: set[tuple[type, str]] = set()
        self._reasons = 0
        self._refused: Author | None = None
        self._scorers: dict[str, Author] = {}
        self._silent: dict[Pair, tuple[str, Author]] = {}
        self._allowed: dict[Pair, tuple[str, str]] = {}
        """Each pair that may be fused, with one operation of each side."""
        self._scores: dict[Pair, Any] = {}

    def begins(self, scheduler: Any, nodes: list[Any]) -> None:
        """Watch the functions that the scheduler asks: the current choices and backends may be the user's."""
        choices = type(dynamo.VIRTUALIZED.get().choices)
        backends = {
            type(scheduler.get_backend(device))
            for node in nodes
            if (device := node.get_device()) is not None
        }
        for owner in (
            type(scheduler),
            choices,
            *sorted(backends, key=lambda backend: backend.__qualname__),
        ):
            for name in _DECIDERS[1:] if owner is type(scheduler) else _DECIDERS:
                self._watch(owner, name, self._decider)
        self._watch(choices, "score_fusion", self._scorer)
        self._scorers = {
            "": _author(choices, "score_fusion"),
            "memory": _author(type(scheduler), "score_fusion_memory"),
        }

    def _watch(
        self, kind: type, name: str, make: Callable[[Author], Callable[..., Any]]
    ) -> None:
        owner = next((base for base in kind.__mro__ if name in vars(base)), None)
        if owner is not None and (owner, name) not in self._watched:
            self._watched.add((owner, name))
            self._hooks.wrap(owner, name, make(_author(owner, name)))

    def _decider(self, author: Author) -> Callable[..., Any]:
        def make(original: Callable[..., Any]) -> Callable[..., Any]:
            def decide(*args: Any, **kwargs: Any) -> Any:
                answer = original(*args, **kwargs)
                if not answer and self._refused is None:
                    self._refused = author
                return answer

            return decide

        return make

    def _scorer(self, _: Author) -> Callable[..., Any]:
        def make(original: Callable[..., Any]) -> Callable[..., Any]:
            def keep(returned: Any, *args: Any) -> None:
                first, second = args[-2:]  # torch's is static, a user's may not be
                self._scores[first.get_name(), second.get_name()] = returned

            kept = self._hooks.guarded(
                f"{original.__module__}:{original.__qualname__}", keep
            )

            def score(*args: Any, **kwargs: Any) -> Any:
                returned = original(*args, **kwargs)
                kept(returned, *args, **kwargs)
                return returned

            return score

        return make

    def reason_given(self, why: Any, *args: Any) -> None:
        self._reasons += 1

    def asks(self, *args: Any, **kwargs: Any) -> int:
        self._refused = None
        return self._reasons

    def answered(
        self,
        reasons: int,
        answer: Any,
        scheduler: Any,
        first: Any,
        second: Any,
        *args: Any,
        **_: Any,
    ) -> None:
        pair = first.get_name(), second.get_name()
        if answer:
            self._allowed[pair] = first.get_first_name(), second.get_first_name()
        elif self._reasons == reasons:
            author = self._refused or self._first
            apart = stream_of(first) != stream_of(second)
            reason = (
                "on different streams"
                if apart
                else f"{author.function} says no without a reason"
            )
            self._silent[pair] = reason, author

    def done(self, nodes: list[Any]) -> None:
        """Record the refusals that stood: the other pairs were fused in the end."""
        group = {
            member.get_name(): index
            for index, node in enumerate(nodes)
            for member in node.get_nodes()
        }
        for pair, refusal in self._silent.items():
            if pair not in self._allowed:
                self._add(pair, *refusal)
        for lost in self._outscored(group):
            reason = f"lower {lost.part} than {' with '.join(lost.winner)}: {lost.score}, not {lost.better}"
            self._add(
                lost.pair,
                reason,
                self._scorers["memory" if lost.part in _OF_MEMORY else ""],
            )
        for table in (self._silent, self._allowed, self._scores):
            table.clear()

    def _outscored(self, group: dict[str, int]) -> Iterator[_Lost]:
        together = {
            pair
            for pair, (first, second) in self._allowed.items()
            if group.get(first) == group.get(second)
        }
        rivals: dict[str, list[Pair]] = {}
        for pair in sorted(together & self._scores.keys()):
            for name in pair:
                rivals.setdefault(name, []).append(pair)
        for pair in self._allowed:
            score = self._scores.get(pair)
            if pair in together or score is None:
                continue
            candidates = [rival for name in pair for rival in rivals.get(name, ())]
            winner = next(
                (rival for rival in candidates if score < self._scores[rival]), None
            )
            if winner is not None:
                yield _lost(pair, score, self._scores[winner], winner)

    def _add(self, pair: Pair, reason: str, author: Author) -> None:
        self._recorder.add(
            "not_fused", (self._recorder.key.label, NotFused(*pair, reason, author))
        )


def _lost(pair: Pair, score: Any, better: Any, winner: Pair) -> _Lost:
    if dataclasses.is_dataclass(score) and type(score) is type(better):
        for field in dataclasses.fields(score):
            own_part, other_part = (
                getattr(side, field.name) for side in (score, better)
            )
            if own_part < other_part:
                return _Lost(pair, field.name, own_part, other_part, winner)
    return _Lost(pair, "score", score, better, winner)


def _author(owner: Any, name: str) -> Author:
    """A function under the name that it is called by, wherever it is defined."""
    return Author(f"{owner.__name__}.{name}", source_of(getattr(owner, name))[1])
