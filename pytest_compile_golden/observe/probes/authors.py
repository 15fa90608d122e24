"""Code generation: records which function wrote each line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pytest_compile_golden.observe.authors import Authors
from pytest_compile_golden.observe.hooks import Hooks
from pytest_compile_golden.observe.probe import Recorder

_WRITELINE = "torch._inductor.utils:IndentedBuffer.writeline"


class AuthorsProbe:
    """No stage needs this probe: if torch has no such buffer, only the authors are lost."""

    requires = (
        _WRITELINE,
        "torch._inductor.utils:DeferredLineBase",
        "torch._inductor.codegen.common:CSEProxy._default",
        "torch._inductor.codegen.common:CSE.generate",
        "torch._inductor.ops_handler:KernelFormatterHandler",
    )

    def install(self, hooks: Hooks, recorder: Recorder) -> None:
        authors = Authors()
        note = hooks.guarded(_WRITELINE, authors.note)

        def make(original: Callable[..., Any]) -> Callable[..., Any]:
            def writeline(buffer: Any, line: Any) -> None:
                original(buffer, line)
                note(line, 3)  # our caller: beyond the frames of the guard and this function

            return writeline

        def done() -> None:
            for line in authors.written():
                recorder.add("written", line)

        hooks.replace(_WRITELINE, make)
        hooks.on_exit(hooks.guarded(_WRITELINE, done))
