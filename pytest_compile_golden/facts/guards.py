"""What Dynamo made of the program: bytecode, guards and stops; and decisions about graphs that no node shows."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec


@dataclass(frozen=True)
class Bytecode:
    """One frame that Dynamo rewrote: (opcode, argument) lines before and after."""

    function: str
    original: tuple[str, ...]
    transformed: tuple[str, ...]


@dataclass(frozen=True)
class Guards:
    """The guards of one compiled frame, in the order in which they are checked."""

    function: str
    parts: tuple[str, ...]


@dataclass(frozen=True)
class Stop:
    """A graph break or a recompilation: why, and at which line of the user's code."""

    function: str
    reason: str
    code: str | None
    location: str | None = None
    """The location of that line: `file.py:12`."""
    limit: str | None = None
    """The limit that Dynamo had reached, after which it no longer compiles the frame: `recompile_limit = 8`."""


class GuardCheck(msgspec.Struct, frozen=True):
    """One guard, as it is evaluated before compiled code is reused."""

    depth: int
    """How many accesses away from the frame the value is that it checks."""
    kind: str
    """torch's class for it: `TENSOR_MATCH`, `TYPE_MATCH`, `LAMBDA_GUARD` ..."""
    python: bool = False
    """Whether it calls a Python function; all others are C++."""
    conditions: int = 1
    reads: str = ""
    """That value: `L['self'].weight`; empty for torch's state and for guards that relate several values."""
    comment: str = ""
    """The user's line, and the torch function that asked for it; not compared."""


class GuardTree(msgspec.Struct, frozen=True):
    """The guards of one compiled frame, in the order in which they are evaluated."""

    function: str
    accesses: int
    """Attributes, items and globals that are looked up to get to the values."""
    checks: tuple[GuardCheck, ...] = ()

    @property
    def guards(self) -> int:
        """How many guards are checked before the frame runs, if all of them hold."""
        return len(self.checks)

    @property
    def python(self) -> int:
        """How many of them call a Python function."""
        return sum(check.python for check in self.checks)


class GraphChoice(msgspec.Struct, frozen=True):
    """One thing that torch decided about a graph, other than what it computes, with its reason."""

    kind: str
    """For sizes that may vary: `symbol`, `shared` (an input whose size already has a symbol), `constant` (0 or 1),
    `static` (as the user asked), `unbacked`, `guard`, `check` (the compiled code asserts it), `specialised`. For CUDA
    graphs: `recorded`, `launched`, `static`, `mutated`, `skipped`. For caches: `cacheable`, `bypassed`, and for the
    components of the key `aot` or `fx`, after its cache."""
    what: str
    """What it is about: an input and its symbol, a condition, operators ..."""
    why: str = ""
    """torch's own reason, what the user asked for, or a digest; empty if there is none."""
    comment: str = ""
    """The user's line, the torch function that asked, and what differs between machines; not compared."""
    line: tuple[str, str] | None = None
    """The user's line, `function: source`, and its location, `file.py:12`; the text has only the first."""


class GraphChoices(msgspec.Struct, frozen=True):
    """The decisions about one graph, in the order in which they were made."""

    name: str
    function: str = ""
    """The user's function; empty if unknown."""
    choices: tuple[GraphChoice, ...] = ()


def commented(*notes: str | None) -> str:
    """What is known about a fact, for readers, as one comment."""
    return ", ".join(filter(None, notes))
