"""Rows for functions that another one calls in turn, of which a torch may have fewer than we know."""

from __future__ import annotations

import inspect
import types
from dataclasses import dataclass, field

from pytest_compile_golden.torch_names.name import MissingName, Name, exists, mentioned


@dataclass(frozen=True, eq=False)
class Driver(Name):
    """A function that calls the steps."""

    beside: frozenset[str] = frozenset()
    """What else it calls of the classes and modules that its steps are in."""
    steps: list[Step] = field(default_factory=list)

    @property
    def strangers(self) -> list[str]:
        """What it calls there that we do not know; a step that is gone may have become one of these."""
        try:
            calls = set(mentioned(inspect.unwrap(self.get()).__code__))
        except MissingName:
            return [self.at]
        own = {step.at.rpartition(":" if step.in_module else ".")[0] for step in self.steps}
        unknown = calls - self.beside - {step.last for step in self.steps}
        return sorted(name for owner in own for name in unknown & _functions(owner))


@dataclass(frozen=True, eq=False)
class Step(Name):
    """A function that a driver calls; if it is gone, and the driver calls nothing unknown, torch has no such step."""

    driver: Driver = field(kw_only=True)

    def __post_init__(self) -> None:
        self.driver.steps.append(self)

    @property
    def in_module(self) -> bool:
        return "." not in self.at.partition(":")[2]

    @property
    def last(self) -> str:
        return self.at.replace(":", ".").rpartition(".")[2]

    @property
    def expected(self) -> bool:
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
