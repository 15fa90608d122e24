"""Code generation: records which function wrote each line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pytest_compile_golden.observe.authors import Authors
from pytest_compile_golden.observe.hooks import Hooks
from pytest_compile_golden.observe.probe import Recorder
from pytest_compile_golden.torch_names import scheduler as names


class AuthorsProbe:
    """No stage needs this probe: if torch has no such buffer, only the authors are lost."""

    def install(self, hooks: Hooks, recorder: Recorder) -> None:
        authors = Authors()
        note = hooks.guarded(names.INDENTED_WRITELINE, authors.note)

        def make(original: Callable[..., Any]) -> Callable[..., Any]:
            def writeline(buffer: Any, line: Any) -> None:
                original(buffer, line)
                note(line, 3)  # our caller: beyond the frames of the guard and this function

            return writeline

        def done() -> None:
            for line in authors.written():
                recorder.add("written", line)

        hooks.replace(names.INDENTED_WRITELINE, make)
        hooks.on_exit(hooks.guarded(names.INDENTED_WRITELINE, done))
