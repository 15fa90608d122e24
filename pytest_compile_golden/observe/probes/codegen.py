"""Code generation: the module that Inductor writes for each graph, who wrote its lines, and torch's own totals."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from pytest_compile_golden.facts.code import OutputCode
from pytest_compile_golden.observe.authors import Authors
from pytest_compile_golden.observe.hooks import Hooks
from pytest_compile_golden.observe.probe import Recorder
from pytest_compile_golden.torch_names import kernels as names
from pytest_compile_golden.torch_names import scheduler, settings

_METADATA = re.compile(r"^ *inductor_meta=(\{.*\}),?$", re.M)
_KEY = re.compile(r"'(\w+)': ")
# Settings that torch/_inductor/cpp_builder.py reads when it puts together the C++ compiler's flags.
_QUOTED = re.compile(r"(?<=[\"'])\w+(?=[\"'])")


class OutputCodeProbe:
    def install(self, hooks: Hooks, recorder: Recorder) -> None:
        def written(lowering: Any, wrapper_code: Any, *args: Any, **kwargs: Any) -> None:
            record_code(recorder, lowering, wrapper_code.value, wrapper_code.value)

        hooks.before(names.COMPILE_TO_MODULE_LINES, written)


def record_code(recorder: Recorder, lowering: Any, module: str, text: str) -> None:
    """Record the code that was written for the graph of a GraphLowering: as a Python module, and the text inside it."""
    # The sum in GraphLowering.count_bytes, without the run times that it also estimates.
    nodes = lowering.scheduler.nodes if scheduler.BYTES.here else ()  # without it, the metric is unknown
    accessed = sum(scheduler.BYTES.of(node)() for node in nodes)
    types = names.DEVICE_TYPES.of(lowering) if names.DEVICE_TYPES.here else ()  # without it, a check is not made
    devices = frozenset(types) - {"meta"}
    flags = {row.key: row.get() for row in settings.FLAGS if row.here}
    recorder.add("output_code", OutputCode(recorder.key, module, int(accessed), _unread(text), devices, flags))


def _unread(code: str) -> frozenset[str]:
    """The metadata keys, at any depth, that torch's launchers never mention (torch/_inductor/runtime/)."""
    keys = {key for entries in _METADATA.findall(code) for key in _KEY.findall(entries)}
    return frozenset(keys - _named_by_launchers())


@functools.cache
def _named_by_launchers() -> frozenset[str]:
    folder = Path(torch.__file__).parent / "_inductor" / "runtime"
    texts = (path.read_text(encoding="utf-8", errors="replace") for path in folder.glob("*.py"))
    return frozenset(name for text in texts for name in _QUOTED.findall(text))


class AuthorsProbe:
    """No stage needs this probe: if torch has no such buffer, only the authors are lost."""

    def install(self, hooks: Hooks, recorder: Recorder) -> None:
        authors = Authors()
        note = hooks.guarded(scheduler.INDENTED_WRITELINE, authors.note)

        def make(original: Callable[..., Any]) -> Callable[..., Any]:
            def writeline(buffer: Any, line: Any) -> Any:
                result = original(buffer, line)
                note(line, 3)  # our caller: beyond the frames of the guard and this function
                return result

            return writeline

        def done() -> None:
            for line in authors.written():
                recorder.add("written", line)

        hooks.replace(scheduler.INDENTED_WRITELINE, make)
        hooks.on_exit(hooks.guarded(scheduler.INDENTED_WRITELINE, done))
