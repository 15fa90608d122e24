"""The moves: each is one thing that another torch does to one name.

A name that torch changes looks to us as one that our row spells otherwise: the row is given a spelling that does not
exist, and torch itself keeps working. A signature is changed where we meet the function: as a row that checks what it
takes, as a function that we call, and as one that we replace or wrap, which torch then calls in the new way.
"""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_compile_golden.targets import patching
from pytest_compile_golden.targets.patching import Patches
from pytest_compile_golden.torch_internals import parameters as parameters_of
from pytest_compile_golden.torch_internals import private_name as rows
from pytest_compile_golden.torch_internals import subjects
from pytest_compile_golden.torch_internals.private_name import Attribute, Name

_PACKAGE = Path(patching.__file__).parents[1]
Arguments = tuple[tuple[Any, ...], dict[str, Any]]


@dataclass(frozen=True)
class Move:
    kind: str
    row: Name
    make: Callable[[Name], None]
    """Makes it, for the rest of the process."""

    @property
    def name(self) -> str:
        return f"{self.kind}: {self.row.at}"

    @property
    def words(self) -> tuple[str, ...]:
        """One of these is in whatever names what is missing."""
        return self.row.at.rpartition(":")[2].rpartition(".")[
            2
        ], self.row.feature or "\0"


def moves() -> Iterator[Move]:
    """Every name gone; every function with one parameter more, with its parameters renamed or keyword-only, without its
    `self`, or with a tuple as its result."""
    for row in (row for table in subjects().values() for row in table):
        if row.missing():
            continue
        yield Move("gone", row, _gone)
        if not isinstance(row, Attribute) and isinstance(row.get(), types.FunctionType):
            parameters = parameters_of(row.get())
            for kind in (_Changed, _More, _Renamed, _KeywordOnly, _WithoutSelf):
                if kind.concerns(parameters):
                    yield Move(kind.what, row, functools.partial(_changed, kind))


def _gone(row: Name) -> None:
    object.__setattr__(row, "at", f"{row.at}_that_moved")
    object.__setattr__(row, "others", ())


_PLAIN = inspect.Parameter.POSITIONAL_OR_KEYWORD
_OWN = ("self", "cls")
_NEW: Any = object()


class _Changed:
    """A function whose result becomes a tuple; and what its relatives below have in common."""

    what = "result is a tuple"

    def __init__(self, parameters: Sequence[inspect.Parameter]) -> None:
        self.own = sum(each.name in _OWN for each in parameters[:1])
        self.parameters = parameters
        self.plain = [
            each.name for each in parameters[self.own :] if each.kind is _PLAIN
        ]
        self._ours: dict[Callable[..., Any], Callable[..., Any]] = {}
        """What we put in its place, by what torch calls there."""

    @staticmethod
    def concerns(parameters: Sequence[inspect.Parameter]) -> bool:
        return True

    def signature(self) -> Sequence[inspect.Parameter]:
        return self.parameters

    def as_new(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Arguments:
        """The arguments that torch passes now, for those that it used to pass."""
        return args, kwargs

    def as_old(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Arguments:
        """The arguments that it used to pass, for those of now. Raises TypeError for a call that does not fit."""
        return args, kwargs

    def new_result(self, result: Any) -> Any:
        return result, None

    def old_result(self, result: Any) -> Any:
        return result[0]

    def seen_by_us(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """`original` as it is called and answers now."""
        if original in self._ours:  # which we wrap once more
            return self._ours[original]

        def function(*args: Any, **kwargs: Any) -> Any:
            try:
                old, keywords = self.as_old(args, kwargs)
            except TypeError as error:
                raise error.with_traceback(
                    None
                ) from None  # which is raised where a function is called
            return self.new_result(original(*old, **keywords))

        return functools.wraps(original)(_without_lines(function))

    def seen_by_torch(self, ours: Callable[..., Any]) -> Callable[..., Any]:
        """What we put in its place, which is called as it is now, for callers that do not know."""

        def function(*args: Any, **kwargs: Any) -> Any:
            new, keywords = self.as_new(args, kwargs)
            result = ours(*new, **keywords)
            try:
                return self.old_result(result)
            except (IndexError, TypeError) as error:
                raise error.with_traceback(
                    None
                ) from None  # which is raised where the function is called

        self._ours[function] = ours
        return _without_lines(function)


def _without_lines(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that stands for one of this package's: it has no lines, so that only its caller's tell what failed."""
    assert isinstance(function, types.FunctionType)
    function.__code__ = function.__code__.replace(co_filename=str(_PACKAGE / "moved"))
    return function


class _SignatureChanged(_Changed):
    def new_result(self, result: Any) -> Any:
        return result

    old_result = new_result

    @staticmethod
    def concerns(parameters: Sequence[inspect.Parameter]) -> bool:
        return bool(parameters)


class _More(_SignatureChanged):
    what = "a parameter more"

    def signature(self) -> Sequence[inspect.Parameter]:
        own = [
            each.replace(default=inspect.Parameter.empty)
            for each in self.parameters[: self.own]
        ]
        rest = [
            each
            for each in self.parameters[self.own :]
            if each.kind is not inspect.Parameter.POSITIONAL_ONLY
        ]
        return [*own, inspect.Parameter("a_new_one", _PLAIN), *rest]

    def as_new(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Arguments:
        return (*args[: self.own], _NEW, *args[self.own :]), kwargs

    def as_old(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Arguments:
        if len(args) <= self.own or args[self.own] is not _NEW:
            raise TypeError("missing 1 required positional argument: 'a_new_one'")
        return (*args[: self.own], *args[self.own + 1 :]), kwargs


class _Renamed(_SignatureChanged):
    what = "parameters renamed"
    _SUFFIX = "_that_moved"

    @staticmethod
    def concerns(parameters: Sequence[inspect.Parameter]) -> bool:
        return any(each.kind is _PLAIN and each.name not in _OWN for each in parameters)

    def signature(self) -> Sequence[inspect.Parameter]:
        return [
            each.replace(name=each.name + self._SUFFIX)
            if each.name in self.plain
            else each
            for each in self.parameters
        ]

    def as_new(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Arguments:
        return args, {
            name + self._SUFFIX * (name in self.plain): value
            for name, value in kwargs.items()
        }

    def as_old(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Arguments:
        if unexpected := [name for name in kwargs if name in self.plain]:
            raise TypeError(f"got an unexpected keyword argument '{unexpected[0]}'")
        return args, {
            name.removesuffix(self._SUFFIX): value for name, value in kwargs.items()
        }


class _KeywordOnly(_SignatureChanged):
    what = "keyword-only"
    concerns = _Renamed.concerns

    def signature(self) -> Sequence[inspect.Parameter]:
        kind = inspect.Parameter.KEYWORD_ONLY
        return sorted(
            (
                each.replace(kind=kind) if each.name in self.plain else each
                for each in self.parameters
            ),
            key=lambda each: each.kind,
        )

    def as_new(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Arguments:
        rest = args[self.own :]
        named = dict(zip(self.plain, rest, strict=False))
        return (*args[: self.own], *rest[len(named) :]), {**named, **kwargs}

    def as_old(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Arguments:
        variadic = any(
            each.kind is inspect.Parameter.VAR_POSITIONAL for each in self.parameters
        )
        if len(args) > self.own and not variadic:
            raise TypeError(
                f"takes {self.own} positional arguments but {len(args)} were given"
            )
        return args, kwargs


class _WithoutSelf(_SignatureChanged):
    what = "a method became a function"

    def __init__(self, parameters: Sequence[inspect.Parameter]) -> None:
        super().__init__(parameters)
        self._calls: list[Any] = []

    @staticmethod
    def concerns(parameters: Sequence[inspect.Parameter]) -> bool:
        return bool(parameters) and parameters[0].name == "self"

    def signature(self) -> Sequence[inspect.Parameter]:
        return self.parameters[1:]

    def as_new(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Arguments:
        self._calls.append(args[0])
        return args[1:], kwargs

    def as_old(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Arguments:
        if not self._calls:
            raise TypeError(
                f"takes {len(self.plain)} positional arguments but {len(args)} were given"
            )
        return (self._calls.pop(), *args), kwargs


def _changed(kind: type[_Changed], row: Name) -> None:
    owner, attribute = row.resolve()
    function = getattr(owner, attribute)
    change = kind(parameters_of(function))
    rows._signatures[inspect.unwrap(function)] = tuple(change.signature())
    rows._differences.pop(inspect.unwrap(function), None)  # the process is warm
    get = row.get
    object.__setattr__(row, "get", lambda: change.seen_by_us(get()))

    def here(at: Any, name: str) -> bool:
        return (at, name) == (owner, attribute)

    wrap, adapt = Patches.wrap, Patches.adapt

    def wrap_moved(self: Patches, at: Any, name: str, make: Callable[..., Any]) -> None:
        def both(original: Callable[..., Any]) -> Callable[..., Any]:
            ours = make(change.seen_by_us(original))
            patching._must_fit(at, name, ours)
            return change.seen_by_torch(ours)

        wrap(self, at, name, both if here(at, name) else make)

    def adapt_moved(
        self: Patches, at: Any, name: str, make: Callable[..., Any]
    ) -> None:
        adapt(
            self,
            at,
            name,
            (lambda original: make(change.seen_by_us(original)))
            if here(at, name)
            else make,
        )

    def putting(put: Callable[..., Any]) -> Callable[..., Any]:
        def moved(self: Patches, at: Any, name: str, value: Any) -> Any:
            if here(at, name) and callable(value):
                patching._must_fit(at, name, value)
                value = change.seen_by_torch(value)
            return put(self, at, name, value)

        return moved

    moved = {name: putting(getattr(Patches, name)) for name in ("replace", "answer")}
    for name, method in {"wrap": wrap_moved, "adapt": adapt_moved, **moved}.items():
        setattr(Patches, name, method)
