"""One private name of torch or Triton, a row in the modules beside this one: how it is resolved, and what it is for.

Private names move without notice. As each is one row, a torch version that lacks one costs the stages that the row
names, and not the run.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import math
import operator
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakKeyDictionary

from packaging.version import Version

from pytest_compile_golden.common.installed_torch import torch_version
from pytest_compile_golden.errors import UnsupportedTorch
from pytest_compile_golden.torch_internals.overrides import given
from pytest_compile_golden.torch_source.definitions import unlike

_NO_DEFAULT: Any = object()


class MissingName(UnsupportedTorch):
    """The installed torch lacks a name, or it is not what we know by that name; the message says which."""

    def __init__(self, message: str, name: Name | None = None) -> None:
        super().__init__(message)
        self.name = name


@dataclass(frozen=True, eq=False)
class Name:
    """A module, `torch._inductor.config`, or something in one: `torch._inductor.graph:GraphLowering.run`.

    Nothing is imported before it is asked for. An attribute is looked up each time, since a capture replaces some.
    """

    at: str
    use: str
    """What it is for, in a few words."""
    stages: tuple[str, ...] = ()
    """The stages that are unavailable without it."""
    facts: tuple[str, ...] = ()
    """The metrics that are unknown without it."""
    feature: str = ""
    """What a virtual target cannot do without it. Without any of the three, nothing worth stopping for is lost."""
    takes: str = ""
    """The parameters that we rely on, as in a signature: `module, inputs, *, is_backward`.

    Those before `*` are passed, or read, by position and must come first (`_` has any name); the others must exist.
    `a, b | a, c` for a function that takes one or the other.
    """
    others: tuple[str, ...] = ()
    """Other spellings, in the same notation, that other versions have for the same thing."""
    since: str = ""
    until: str = ""
    """The first and the last torch release that has it, if not all that are supported."""
    on: str = ""
    """The only device type whose targets need it."""

    @property
    def module(self) -> str:
        """The module that it is in, or is: `torch._inductor.graph`."""
        return self.at.partition(":")[0]

    @property
    def qualified(self) -> str:
        """What it is called there: `GraphLowering.run`; empty for a module."""
        return self.at.partition(":")[2]

    @property
    def last(self) -> str:
        """The last part of that: `run`."""
        return self.at.replace(":", ".").rpartition(".")[2]

    @property
    def spellings(self) -> tuple[str, ...]:
        """Every spelling to try, in order: ours, and what a file gives for a torch that is newer than this package."""
        known, more = (self.at, *self.others), given()
        if not more:
            return known
        return (*known, *(more[spelling] for spelling in known if spelling in more))

    @property
    def lost(self) -> str:
        """What is lost without it, in words."""
        lost = [
            *(f"stage {stage}" for stage in self.stages),
            *(f"metric {fact}" for fact in self.facts),
        ]
        return (
            ", ".join([*lost, *([self.feature] if self.feature else [])])
            or "nothing worth stopping for"
        )

    @property
    def expected(self) -> bool:
        """Whether the installed torch is of a release that has it."""
        return self.expected_in(torch_version() or "0")

    def expected_in(self, torch: str) -> bool:
        """Whether that release of torch has it; one whose version says nothing is taken to be the newest."""
        if not self.since and not self.until:
            return True
        release = _release(torch)[:2] if torch[:1].isdigit() else (math.inf,)
        return (not self.since or _release(self.since) <= release) and (
            not self.until or release <= _release(self.until)
        )

    @property
    def here(self) -> bool:
        """Whether the installed torch has it, as we know it."""
        return not self.missing()

    def missing(self) -> str:
        """Why it cannot be used: "torch._inductor.graph.GraphLowering is gone"; empty if it can."""
        try:
            self.get()
        except MissingName as error:
            return str(error)
        return ""

    def get(self) -> Any:
        """The module, or the value of the attribute now. Raises MissingName."""
        owner, attribute = self.resolve()
        return getattr(owner, attribute) if attribute else owner

    def resolve(self) -> tuple[Any, str]:
        """The module or class that has it, and its name there; for a module itself, the name is empty.

        Raises MissingName, also for a function that does not take the parameters we rely on.
        """
        gone: MissingName | None = None
        for spelling in self.spellings:
            try:
                return self._find(spelling)
            except MissingName as error:
                gone = gone or error
        # Only said if it explains something: a name that is gone from the versions that had it is just gone.
        versions = ""
        if not self.expected:
            versions = (
                f" (only in torch {self.since} and later)"
                if self.since
                else f" (only up to torch {self.until})"
            )
        raise MissingName(f"{gone}{versions}", self) from None

    def _find(self, spelling: str) -> tuple[Any, str]:
        owner, attribute = _resolve(spelling)
        if self.takes and (differs := _unlike(getattr(owner, attribute), self.takes)):
            raise MissingName(f"{dotted(spelling)} {differs}")
        return owner, attribute


@dataclass(frozen=True, eq=False)
class Attribute(Name):
    """An attribute that objects have: `torch._inductor.scheduler:SchedulerNode._body`.

    Its owner is the class of these objects or, for what is set on objects of others, the function that sets it.
    """

    def _find(self, spelling: str) -> tuple[Any, str]:
        path, _, attribute = spelling.rpartition(".")
        holder, name = _resolve(path)
        owner = getattr(holder, name) if name else holder
        # Of a function that a capture has wrapped, each capture has another wrapper.
        own = owner if isinstance(owner, type) else inspect.unwrap(owner)
        if not _has_or_sets(own, attribute):
            raise MissingName(f"{dotted(spelling)} is gone")
        return owner, attribute

    def get(self) -> Any:
        """The class or function that has it, since there is no value without an object. Raises MissingName."""
        return self.resolve()[0]

    def of(self, value: Any, otherwise: Any = _NO_DEFAULT) -> Any:
        """What `value` has under this name. Raises MissingName.

        `otherwise` is for objects that need not have it, which is not the same as a torch that no longer has it: it is
        returned only if the installed torch has the attribute and `value` is not of the class that does.
        """
        for spelling in self.spellings:
            attribute = _parts(spelling)[1][-1]
            if (found := getattr(value, attribute, _NO_DEFAULT)) is not _NO_DEFAULT:
                return found
        owner, attribute = self.resolve()
        if otherwise is _NO_DEFAULT or (
            isinstance(owner, type) and isinstance(value, owner)
        ):
            raise MissingName(
                f"{type(value).__module__}.{type(value).__qualname__} has no {attribute}",
                self,
            )
        return otherwise


@dataclass(frozen=True, eq=False)
class Setting(Name):
    """A key of one of torch's config modules: `torch._inductor.config:cpp.threads`."""

    @property
    def key(self) -> str:
        """As we spell it: `cpp.threads`."""
        return self.qualified

    def _find(self, spelling: str) -> tuple[Any, str]:
        name, _, key = spelling.partition(":")
        module = _module(name)
        if key not in module._config:  # some keys that are gone are still attributes
            raise MissingName(f"{dotted(spelling)} is gone")
        return module, key

    def get(self) -> Any:
        """The value that the setting has now. Raises MissingName if torch has no such setting."""
        module, key = self.resolve()
        return operator.attrgetter(key)(module)


@functools.cache
def _release(version: str) -> tuple[int, ...]:
    return Version(version).release


def named(name: Name | str) -> Name:
    """`name`, or the row for a name that a probe of the user's gives in the same notation."""
    return (
        Name(name, "asked for by a probe that is not ours")
        if isinstance(name, str)
        else name
    )


def dotted(spelling: str) -> str:
    """`torch._inductor.graph.GraphLowering.run`, as in messages."""
    return spelling.replace(":", ".")


@functools.cache
def _parts(spelling: str) -> tuple[str, tuple[str, ...]]:
    """The module and the names on the way in it; for a module itself, that is one empty name."""
    module, _, qualified = spelling.partition(":")
    return module, tuple(qualified.split("."))


def _resolve(spelling: str) -> tuple[Any, str]:
    module_name, (*path, attribute) = _parts(spelling)
    owner = _module(module_name)
    for part in path:
        if not hasattr(owner, part):
            raise MissingName(f"{module_name}.{part} is gone")
        owner = getattr(owner, part)
    try:
        exists = not attribute or hasattr(owner, attribute)
    except RuntimeError as error:  # reading a knob makes Triton look for a tool of its wheel (triton/knobs.py)
        raise MissingName(f"{dotted(spelling)}: {error}") from None
    if not exists:
        raise MissingName(f"{dotted(spelling)} is gone")
    return owner, attribute


def exists(spelling: str) -> bool:
    """Whether the installed torch has something of that name."""
    try:
        _resolve(spelling)
    except MissingName:
        return False
    return True


@functools.cache
def _module(name: str) -> types.ModuleType:
    # A module that fails to import for another reason than being gone is just as missing.
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and (
            name == error.name or name.startswith(f"{error.name}.")
        ):
            raise MissingName(f"{name} is gone") from None
        raise MissingName(f"{name} cannot be imported ({error})") from None
    except Exception as error:
        raise MissingName(
            f"{name} cannot be imported ({type(error).__name__}: {error})"
        ) from None


# Not `functools.cache`: some functions are new in each capture, and would be kept alive.
_signatures: WeakKeyDictionary[Callable[..., Any], tuple[inspect.Parameter, ...]] = (
    WeakKeyDictionary()
)

_differences: WeakKeyDictionary[Callable[..., Any], dict[str, str]] = (
    WeakKeyDictionary()
)
"""From the parameters that we rely on: each capture asks for those of some hundred functions."""


def parameters(function: Callable[..., Any]) -> tuple[inspect.Parameter, ...]:
    """Those of a function, or of what it wraps. Raises TypeError or ValueError if it does not say them."""
    function = inspect.unwrap(function)
    if function not in _signatures:
        _signatures[function] = tuple(inspect.signature(function).parameters.values())
    return _signatures[function]


def _unlike(function: Callable[..., Any], takes: str) -> str:
    """How the parameters of `function` differ from those that we rely on; empty if they do not."""
    try:
        known = _differences.setdefault(inspect.unwrap(function), {})
        if takes not in known:
            known[takes] = unlike(parameters(function), takes)
        return known[takes]
    except (TypeError, ValueError):
        return "has no signature"


@functools.cache
def _has_or_sets(owner: Any, attribute: str) -> bool:
    """Whether a class declares or assigns the attribute, or the code of a function names it."""
    if isinstance(owner, type):
        return any(
            attribute in vars(base)
            or attribute in vars(base).get("__annotations__", ())
            or attribute in _named_in(base)
            for base in owner.__mro__
        )
    return hasattr(owner, attribute) or attribute in mentioned(owner.__code__)


@functools.cache
def _named_in(kind: type) -> frozenset[str]:
    methods = [getattr(member, "__func__", member) for member in vars(kind).values()]
    functions = [
        inspect.unwrap(method)
        for method in methods
        if isinstance(method, types.FunctionType)
    ]
    return frozenset(
        name for function in functions for name in mentioned(function.__code__)
    )


def mentioned(code: types.CodeType) -> Iterator[str]:
    """The names and strings in a function: attributes are set by name, by `setattr` and by keyword."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, str):
            yield constant
        elif isinstance(constant, tuple):
            yield from (each for each in constant if isinstance(each, str))
        elif isinstance(constant, types.CodeType):
            yield from mentioned(constant)


@dataclass(frozen=True, eq=False)
class Driver(Name):
    """A function that calls the steps."""

    beside: frozenset[str] = frozenset()
    """What else it calls of the classes and modules that its steps are in."""
    steps: list[DriverStep] = field(default_factory=list)

    @property
    def strangers(self) -> list[str]:
        """What it calls there that we do not know; a step that is gone may have become one of these."""
        try:
            calls = set(mentioned(inspect.unwrap(self.get()).__code__))
        except MissingName:
            return [self.at]
        own = {
            step.at.rpartition(":" if step.in_module else ".")[0] for step in self.steps
        }
        unknown = calls - self.beside - {step.last for step in self.steps}
        return sorted(name for owner in own for name in unknown & _functions(owner))


@dataclass(frozen=True, eq=False)
class DriverStep(Name):
    """A function that a driver calls; if it is gone, and the driver calls nothing unknown, torch has no such step."""

    driver: Driver = field(kw_only=True)

    def __post_init__(self) -> None:
        self.driver.steps.append(self)

    @property
    def in_module(self) -> bool:
        """Whether it is a function of a module, not a method of a class: unknown steps are looked for there."""
        return "." not in self.qualified

    @property
    def expected(self) -> bool:
        """Whether this torch should have it.

        Not if it is gone and its driver calls nothing that we do not know: torch has no such step then. Otherwise it
        may have another name.
        """
        # Not `here`, which asks this if it is not.
        return super().expected and (exists(self.at) or bool(self.driver.strangers))


def _functions(owner: str) -> set[str]:
    try:
        value = Name(owner, "").get()
    except MissingName:
        return set()
    module = value.__name__ if inspect.ismodule(value) else value.__module__
    return {
        name
        for name, member in vars(value).items()
        if isinstance(member, types.FunctionType) and member.__module__ == module
    }
