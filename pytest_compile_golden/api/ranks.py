"""Captures of several ranks of one program, and how the compiled ranks differ."""

from __future__ import annotations

import multiprocessing
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pytest_compile_golden.api import capture, fake_ranks, notify_watchers
from pytest_compile_golden.api.captured import Capture
from pytest_compile_golden.errors import InvalidOption


@dataclass(frozen=True)
class RankDifference:
    """A stage that some ranks compile differently from the first one."""

    stage: str
    ranks: tuple[int, ...]
    reference: int
    """The rank that they differ from."""
    differences: tuple[str, ...]
    """The differences in words, each once; empty if no line shows them, or if only one side has the stage."""

    def __str__(self) -> str:
        from pytest_compile_golden.targets.process_group import group_name

        differences = "; ".join(self.differences) or "in the text"
        ranks = f"rank{'s' if len(self.ranks) > 1 else ''} {group_name(self.ranks)}"
        return (
            f"{self.stage} on {ranks} differs from rank {self.reference}: {differences}"
        )


class RankCaptures(Mapping[int, Capture]):
    """The captures by rank number: `captured[0]["collectives"]`."""

    def __init__(self, captures: Mapping[int, Capture]) -> None:
        self._captures = dict(captures)

    def __getitem__(self, rank: int) -> Capture:
        """The capture of a rank. Raises KeyError for one that was not captured."""
        return self._captures[rank]

    def __iter__(self) -> Iterator[int]:
        """The ranks that were captured, as for any mapping."""
        return iter(self._captures)

    def __len__(self) -> int:
        return len(self._captures)

    @cached_property
    def differences(self) -> tuple[RankDifference, ...]:
        """Where ranks do not compile the same program; empty if they all do.

        Covers the stages that `captured == golden` compares, except the trail, which is a digest of the others. Each
        rank has its own process groups: they are matched by the order in which a program uses them, not by their
        members.
        """
        from pytest_compile_golden.stages import stages

        compared = [
            stage.name for stage in stages() if stage.default and stage.name != "trail"
        ]
        return tuple(
            difference for name in compared for difference in self._differences(name)
        )

    def _differences(self, stage: str) -> Iterator[RankDifference]:
        from pytest_compile_golden.messages.sentences import sentence
        from pytest_compile_golden.stages import get_stage

        form = get_stage(stage).format
        texts = {rank: _text(captured, stage) for rank, captured in self.items()}
        alike: dict[object, list[int]] = {}
        for rank, text in texts.items():
            alike.setdefault(None if text is None else form.canonical(text), []).append(
                rank
            )
        (first, *_), *others = alike.values()
        for ranks in others:
            old, new = texts[first], texts[ranks[0]]
            differences = (
                ()
                if old is None or new is None
                else tuple(sentence(edit) for edit in form.edits(old, new))
            )
            yield RankDifference(stage, tuple(ranks), first, differences)

    def __repr__(self) -> str:
        summary = (
            "; ".join(map(str, self.differences)) or "all compile the same program"
        )
        return f"<RankCaptures of {len(self)} ranks: {summary}>"


def capture_ranks(
    build: Callable[[], tuple[Any, ...]],
    *,
    world_size: int,
    ranks: Iterable[int] | None = None,
    target: str | None = None,
    processes: int = 1,
    **options: Any,
) -> RankCaptures:
    """Capture several ranks of a program, one after the other.

    build: returns the program of the rank that it is called on, as `(fn, *inputs)`. It is called once per rank, inside
        `fake_ranks`, where `init_device_mesh` and `torch.distributed.get_rank()` answer for that rank. Random numbers
        that it draws are the same on each rank.
    ranks: the ranks to capture; by default all `world_size` of them.
    processes: how many ranks to capture at a time, on a virtual target. The first rank is captured in this process, the
        others in forks of it, which have everything that `build` refers to; what it changes in a fork stays there.
    The other arguments are those of `pytest_compile_golden.capture`.

    Raises CompileGoldenError as `capture` and `fake_ranks` do; InvalidOption for `processes` if forking is impossible.
    """

    def captured(rank: int) -> Capture:
        from pytest_compile_golden.observe.compile_isolation import random_numbers_kept

        with fake_ranks(world_size, rank, target=target), random_numbers_kept():
            fn, *inputs = build()
            return capture(fn, *inputs, **options)

    _check_processes(processes, target)
    wanted = list(range(world_size) if ranks is None else ranks)
    forked = wanted[1:] if processes > 1 else []
    captures = {rank: captured(rank) for rank in wanted[: len(wanted) - len(forked)]}
    if forked:
        from pytest_compile_golden.common.forks import in_forks

        for rank, rank_capture in zip(
            forked, in_forks(captured, forked, processes), strict=True
        ):
            notify_watchers(rank_capture)
            captures[rank] = rank_capture
    return RankCaptures(captures)


def _check_processes(processes: int, target: str | None) -> None:
    if type(processes) is not int or processes < 1:
        raise InvalidOption(
            f"processes takes the number of ranks to capture at a time, 1 or more, not {processes!r}."
        )
    if processes == 1:
        return
    from pytest_compile_golden.targets import target_or_default

    if not target_or_default(target).virtual:
        raise InvalidOption(
            "processes is for virtual targets: a fork cannot use a real device. Leave it out."
        )
    if "fork" not in multiprocessing.get_all_start_methods():
        raise InvalidOption(
            "processes needs fork, which this operating system does not have. Leave it out."
        )


def _text(captured: Capture, stage: str) -> str | None:
    """A stage's text with process groups numbered as they occur, since ranks have different ones; None if absent."""
    if stage not in captured:
        return None
    text = captured[stage].text
    if "collectives" in captured:
        sections = captured["collectives"].sections
        groups = dict.fromkeys(
            collective.group
            for section in sections
            for collective in section.collectives
        )
        for number, name in enumerate(groups):
            text = re.sub(
                rf"(['\"]){re.escape(name)}\1|(?<= over ){re.escape(name)}(?=:)",
                str(number),
                text,
            )
    return text
