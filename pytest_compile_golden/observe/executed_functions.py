"""Which Python functions start to run in this process."""

from __future__ import annotations

import sys
import threading
import types
from typing import Any

_monitoring: Any = getattr(sys, "monitoring", None)
"""`sys.monitoring`, which Python has since 3.12."""
_INLINING = "symbolic_convert.py"


def is_watched() -> bool:
    """Whether something else, such as a debugger or a measurement of coverage, watches what runs."""
    if sys.version_info >= (3, 12):
        return _monitoring.get_tool(_monitoring.PROFILER_ID) is not None
    return sys.gettrace() is not None


class Executed:
    """Notes code objects as they start to run, between `start` and `stop`, and in forks of this process.

    Before Python 3.12 not in threads that C++ starts.
    """

    def __init__(self) -> None:
        self.codes: dict[int, types.CodeType] = {}
        """By identity: their hash is one of all that is in them."""

    def start(self) -> None:
        """From now on, note every function that is entered, in all threads."""
        if sys.version_info >= (3, 12):
            tool = _monitoring.PROFILER_ID
            _monitoring.use_tool_id(tool, "compile-golden")
            _monitoring.register_callback(
                tool, _monitoring.events.PY_START, self._started
            )
            _monitoring.set_events(tool, _monitoring.events.PY_START)
        else:
            threading.settrace(self._called)
            sys.settrace(self._called)

    def stop(self) -> None:
        """Note no more."""
        if sys.version_info >= (3, 12):
            # A tool's number that is given back leaves its events on before Python 3.14.
            tool = _monitoring.PROFILER_ID
            _monitoring.set_events(tool, _monitoring.events.NO_EVENTS)
            _monitoring.register_callback(tool, _monitoring.events.PY_START, None)
            _monitoring.free_tool_id(tool)
        else:
            sys.settrace(None)
            threading.settrace(None)

    def again(self) -> None:
        """Forget what was noted, and note it when it runs again."""
        self.codes.clear()
        if sys.version_info >= (3, 12):
            _monitoring.restart_events()

    # Called once for each code.
    def _started(self, code: types.CodeType, _: int) -> Any:
        return None if self._note(code, sys._getframe(1)) else _monitoring.DISABLE

    # Called for each call; it returns nothing, or it would be called for each line.
    def _called(self, frame: types.FrameType, _: str, __: object) -> None:
        if id(frame.f_code) not in self.codes or frame.f_code.co_name == "__init__":
            self._note(frame.f_code, frame)

    def _note(self, code: types.CodeType, frame: types.FrameType) -> bool:
        """Whether the same code has to be noted again when it runs again."""
        self.codes[id(code)] = code
        # Dynamo does not run what it inlines (torch/_dynamo/symbolic_convert.py: InstructionTranslatorBase).
        if code.co_name == "__init__" and code.co_filename.endswith(_INLINING):
            inlined = frame.f_locals.get("f_code")
            if isinstance(inlined, types.CodeType):
                self.codes[id(inlined)] = inlined
            return True
        return False
