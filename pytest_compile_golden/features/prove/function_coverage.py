"""Which functions of a package run in a compile, and up to which entry of its record."""

from __future__ import annotations

import types
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from pytest_compile_golden.common.constants import CODE_STAGES
from pytest_compile_golden.facts.record import Record
from pytest_compile_golden.features.prove.backport import file_of
from pytest_compile_golden.observe.executed_functions import Executed
from pytest_compile_golden.stages import phase, rank, stages
from pytest_compile_golden.torch_source.installed_sources import Sources

_CODE = (*CODE_STAGES, "wrapper_code")
_LAST = ""
"""Stands for what runs after the last entry."""


def _entries() -> dict[str, str]:
    """The stages that are complete once an entry of the record is made, in pipeline order, with that entry."""
    return {
        stage.name: "output_code" if stage.name in _CODE else stage.name
        for stage in stages()
        if stage.digested or stage.part == "export" or stage.name in _CODE
    }


def entry_of(stage: str) -> str:
    """The entry with which a stage, or a phase of the pipeline, is complete; the end of the compile for those that sum
    it up."""
    entries = _entries()
    if phase(stage) is not None:
        stage = next((name for name in entries if rank(name) > rank(stage)), stage)
    return entries.get(stage, _LAST)


Place = tuple[str, int]
"""The file and the first line of a function's code."""
Ran = dict[str, list[Place]]
"""For each entry of the record, what ran before it was made and after the one before; in the order of the entries."""


class Coverage:
    """Notes code objects as they start to run; `ran` is complete when the block ends."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources
        self._executed = Executed()
        self._by_key: dict[str, dict[int, types.CodeType]] = {}
        self._keys = {_LAST, *_entries().values()}

    @property
    def ran(self) -> Ran:
        """Where the functions begin that ran before each entry of the record was made."""
        return {
            key: list(self._places(codes.values()))
            for key, codes in self._by_key.items()
        }

    @property
    def names(self) -> frozenset[str]:
        """What the functions that ran refer to by name."""
        return frozenset(
            name
            for codes in self._by_key.values()
            for code in codes.values()
            if file_of(code, self._sources) is not None
            for name in code.co_names
        )

    def _places(self, codes: Iterable[types.CodeType]) -> Iterator[Place]:
        places = {(file_of(code, self._sources), code.co_firstlineno) for code in codes}
        return (
            (file, line) for file, line in sorted(places, key=str) if file is not None
        )

    def _made(self, key: str) -> None:
        """A stage may be complete with that entry: what runs from now on is noted anew."""
        if key in self._keys:
            self._by_key.setdefault(key, {}).update(self._executed.codes)
            self._executed.again()

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Note what runs inside the block."""
        add = Record.add

        def noted(record: Record, key: str, item: object) -> None:
            add(record, key, item)
            self._made(key)

        Record.add = noted  # type: ignore[method-assign, assignment]
        self._executed.start()
        try:
            yield
        finally:
            self._executed.stop()
            Record.add = add  # type: ignore[method-assign]
            self._made(_LAST)
