"""The program's frames, as they stand in the stack traces that Python and torch print."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePath
from typing import NamedTuple

# Messages that have a trace indent it, in part only its first line.
_FRAME = re.compile(
    r'^ +File "(?P<file>[^"\n]+)", line (?P<line>\d+)'
    r'(?:, in (?P<function>[^\n]+)(?:\n {4}(?! *File ")(?P<code>[^\n]+))?)?',
    re.M,
)
_RESUMED = re.compile(r"^(torch_dynamo_resume_in_.+)_at_\d+$")


class Frame(NamedTuple):
    """One frame of a stack."""

    file: str
    line: int
    function: str = ""
    code: str = ""
    """Its line in the file, if that is known."""

    @property
    def quoted(self) -> str:
        """`function: source line`."""
        return f"{plain_function(self.function)}: {self.code.strip()}"

    @property
    def location(self) -> str:
        """`file:line`, without the folder."""
        return f"{PurePath(self.file).name}:{self.line}"


def frames(trace: str) -> Iterator[Frame]:
    """The frames in a stack trace, or in a message that has one, outermost first."""
    for found in _FRAME.finditer(trace):
        yield Frame(
            found["file"],
            int(found["line"]),
            found["function"] or "",
            found["code"] or "",
        )


def plain_function(name: str) -> str:
    """A function's name, without the line number that torch appends to one resumed after a graph break."""
    return _RESUMED.sub(r"\1", name)
