"""What an old definition lacked, read from the error with which it failed."""

from __future__ import annotations

import inspect
import re
import sys
import types
from collections.abc import Iterator

from pytest_compile_golden.torch_source.installation import Sources
from pytest_compile_golden.wings.prove.messages import Helper, Needs
from pytest_compile_golden.wings.prove.transplant import file_of

_NEAREST = 8
_NOT_THERE = re.compile(r"cannot import name '(\w+)' from '([\w.]+)'|([\w.]+)\.(\w+) does not exist")
_WRONG_CALL = re.compile(r"([\w.<>]+)\(\) (?:missing|got|takes)")
_ARGUMENT = re.compile(r"'(\w+)'")

MISSING = (NameError, AttributeError, TypeError, ImportError)
"""The errors of code that runs among other definitions than those it was written for."""


def needs(error: BaseException | None, new: Sources) -> Needs:
    """What the code that raised `error`, or an error that led to it, asked the new version for in vain."""
    helpers: list[Helper] = []
    functions: list[tuple[str, str]] = []
    words: list[str] = []
    for reason in reversed([*_reasons(error)]):  # the first of them is the nearest to the old code
        frames = inspect.getinnerframes(reason.__traceback__, 0) if reason.__traceback__ else []
        places = [place for frame in frames if (place := _place(frame.frame.f_code, new)) is not None]
        functions += reversed(places)
        text = str(reason)
        if isinstance(reason, NameError) and places:
            helpers.append(Helper(places[-1][0], str(reason.name)))
        elif found := _NOT_THERE.search(text):
            module, name = found[2] or found[3], found[1] or found[4]
            helpers += [Helper(file, name) for file in [_file(module, new)] if file]
        elif isinstance(reason, AttributeError) and reason.obj is not None:
            helpers += _of_object(reason.obj, str(reason.name), new)
            words.append(str(reason.name))
        elif isinstance(reason, TypeError) and (call := _WRONG_CALL.match(text)):
            functions.insert(0, ("", call[1]))
            words += _ARGUMENT.findall(text)
    return Needs(tuple(helpers), tuple(functions[:_NEAREST]), tuple(words))


def _reasons(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def _of_object(thing: object, name: str, new: Sources) -> Iterator[Helper]:
    """An attribute that an object lacks: of its module, or of the classes that it is an instance of."""
    if isinstance(thing, types.ModuleType):
        owners = [(thing.__name__, name)]
    else:
        kinds = (thing if isinstance(thing, type) else type(thing)).__mro__
        owners = [(kind.__module__, f"{kind.__qualname__}.{name}") for kind in kinds]
    return (Helper(file, full_name) for module, full_name in owners if (file := _file(module, new)))


def _place(code: types.CodeType, new: Sources) -> tuple[str, str] | None:
    file = file_of(code, new)
    # Transplanted code has the older version's line numbers, so its name says more (Python 3.10 has none).
    name = getattr(code, "co_qualname", "").partition(".<locals>")[0]
    if file and new.function(file, name) is None:
        name = new.function_at(f"{file}:{code.co_firstlineno}") or ""
    return (file, name) if file and name else None


def _file(module: str, new: Sources) -> str | None:
    path = getattr(sys.modules.get(module), "__file__", None) or ""
    prefix = f"{new.folder}/"
    return path[len(prefix) :] if path.startswith(prefix) else None
