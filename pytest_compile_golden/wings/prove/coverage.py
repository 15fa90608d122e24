"""Which functions of a package run in a compile, and up to which entry of its record."""

from __future__ import annotations

import sys
import types
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from pytest_compile_golden.facts.record import Record
from pytest_compile_golden.stages import phase, rank
from pytest_compile_golden.torch_source.installation import Sources
from pytest_compile_golden.wings.prove.backport import file_of

_GRAPHS = (
    *("exported_graph", "dynamo_graph", "pre_grad_graph", "aot_graph", "joint_graph", "forward_graph"),
    *("backward_graph", "post_grad_graph"),
)
_ENTRIES = {name: name for name in (*_GRAPHS, "lowered_ir", "scheduler_nodes")} | dict.fromkeys(
    ("triton_code", "cpp_code", "wrapper_code"), "output_code"
)
"""The stages that are complete once an entry of the record is made, with that entry."""
_LAST = ""
"""Stands for what runs after the last entry."""
_monitoring: Any = getattr(sys, "monitoring", None)
"""`sys.monitoring`, which Python has since 3.12."""


def entry_of(stage: str) -> str:
    """The entry with which a stage, or a phase of the pipeline, is complete; the end of the compile for those that sum
    it up."""
    if phase(stage) is not None:
        stage = next((name for name in _ENTRIES if rank(name) > rank(stage)), stage)
    return _ENTRIES.get(stage, _LAST)


Place = tuple[str, int]
"""The file and the first line of a function's code."""
Ran = dict[str, list[Place]]
"""For each entry of the record, what ran before it was made and after the one before; in the order of the entries."""


class Coverage:
    """Notes code objects as they start to run; `ran` is complete when the block ends."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources
        self._codes: dict[int, types.CodeType] = {}  # by identity: their hash is one of all that is in them
        self._by_key: dict[str, dict[int, types.CodeType]] = {}

    @property
    def ran(self) -> Ran:
        return {key: [*self._places(codes.values())] for key, codes in self._by_key.items()}

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
        return ((file, line) for file, line in sorted(places, key=str) if file is not None)

    def _made(self, key: str) -> bool:
        """Whether a stage is complete with that entry: what runs from now on is noted anew."""
        if key != _LAST and key not in _ENTRIES.values():
            return False
        self._by_key.setdefault(key, {}).update(self._codes)
        self._codes.clear()
        return True

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Note what runs inside the block."""
        add = Record.add

        def noted(record: Record, key: str, item: object) -> None:
            add(record, key, item)
            if self._made(key):
                again()

        codes = self._codes

        # Called for each call; it returns nothing, or it would be called for each line.
        def note(frame: types.FrameType, _: str, __: object) -> None:
            if id(frame.f_code) not in codes or frame.f_code.co_name == "__init__":
                self._note(frame.f_code, frame)

        Record.add = noted  # type: ignore[method-assign, assignment]
        again = _monitored(self._note) if sys.version_info >= (3, 12) else lambda: None
        if sys.version_info < (3, 12):
            sys.settrace(note)
        try:
            yield
        finally:
            if sys.version_info >= (3, 12):
                _no_longer_monitored()
            else:
                sys.settrace(None)
            Record.add = add  # type: ignore[method-assign]
            self._made(_LAST)

    def _note(self, code: types.CodeType, frame: types.FrameType | None) -> bool:
        """Whether the same code has to be noted again when it runs again."""
        self._codes[id(code)] = code
        # Dynamo does not run what it inlines (torch/_dynamo/symbolic_convert.py: InstructionTranslatorBase).
        if code.co_name == "__init__" and code.co_filename.endswith("symbolic_convert.py"):
            inlined = frame.f_locals.get("f_code") if frame is not None else None
            if isinstance(inlined, types.CodeType):
                self._codes[id(inlined)] = inlined
            return True
        return False


def _monitored(note: Any) -> Any:
    """Have `note` called once for each code that starts to run; returns what starts this anew."""
    tool = _monitoring.PROFILER_ID

    def started(code: types.CodeType, _: int) -> Any:
        return None if note(code, sys._getframe(1)) else _monitoring.DISABLE

    _monitoring.use_tool_id(tool, "compile-golden prove")
    _monitoring.register_callback(tool, _monitoring.events.PY_START, started)
    _monitoring.set_events(tool, _monitoring.events.PY_START)
    return _monitoring.restart_events


def _no_longer_monitored() -> None:
    """A tool's number that is given back leaves its events on before Python 3.14."""
    tool = _monitoring.PROFILER_ID
    _monitoring.set_events(tool, _monitoring.events.NO_EVENTS)
    _monitoring.register_callback(tool, _monitoring.events.PY_START, None)
    _monitoring.free_tool_id(tool)
