"""What probes record of Dynamo: its bytecode, guards, stops and decisions. Imports no torch."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_compile_golden.record.graphs import GraphKey


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
class GuardCheck:
    """One guard, as it is evaluated before compiled code is reused."""

    kind: str
    """torch's class for it: `TENSOR_MATCH`, `TYPE_MATCH`, `LAMBDA_GUARD` ..."""
    python: bool
    """Whether it calls a Python function; all others are C++."""
    depth: int
    """How many accesses away from the frame the value is that it checks."""
    reads: str
    """That value: `L['self'].weight`; empty for torch's state and for guards that relate several values."""
    conditions: int
    author: str | None = None
    """The function in torch that asked for it."""
    code: str | None = None
    """The user's line that was being traced."""


@dataclass(frozen=True)
class GuardTree:
    """The guards of one compiled frame, in the order in which they are evaluated."""

    function: str
    accesses: int
    """Attributes, items and globals that are looked up to get to the values."""
    checks: tuple[GuardCheck, ...]


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


@dataclass(frozen=True)
class Choice:
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
    code: str | None = None
    """The user's line: `function: source`."""
    location: str | None = None
    """The location of that line: `file.py:12`."""
    author: str | None = None
    """The function in torch that asked for it: `torch/_subclasses/fake_impls.py: infer_size`."""
    note: str | None = None
    """Worth reporting, but different between machines."""


@dataclass(frozen=True)
class Choices:
    """The decisions about one graph, in the order in which they were made."""

    key: GraphKey
    function: str
    """The user's function; empty if unknown."""
    made: tuple[Choice, ...]
