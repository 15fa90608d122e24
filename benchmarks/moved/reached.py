"""Which cases read which rows: a move is tried only on those that can see it."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable
from typing import Any

from pytest_compile_golden import torch_internals
from pytest_compile_golden.torch_internals.private_name import Attribute, Name

Places = set[tuple[str, str]]
"""Rows by their spelling, each with the line of ours that reads it."""

_ROOM = torch_internals.__path__[0]


def places() -> Places:
    """A set that from now on gains whatever is read, for the rest of the process, which is meant to be a fork."""
    read: Places = set()
    for kind, method in ((Name, "resolve"), (Attribute, "of")):
        setattr(kind, method, _noting(read, getattr(kind, method)))
    return read


def _noting(read: Places, original: Callable[..., Any]) -> Callable[..., Any]:
    def noted(row: Name, *args: Any) -> Any:
        for frame, line in traceback.walk_stack(sys._getframe(1)):
            # Reads every row, and is not what the rows are for.
            if frame.f_code.co_name == "lost_stages":
                break
            if not frame.f_code.co_filename.startswith((_ROOM, __file__)):
                read.add((row.at, f"{frame.f_code.co_filename}:{line}"))
                break
        return original(row, *args)

    return noted
