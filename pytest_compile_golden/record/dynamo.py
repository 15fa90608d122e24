"""What probes write down of Dynamo: its bytecode, guards and stops, and what it decided. Imports no torch."""

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
    """One guard, as it is evaluated before compiled code is used again."""

    kind: str
    """torch's class of it: `TENSOR_MATCH`, `TYPE_MATCH`, `LAMBDA_GUARD` ..."""
    python: bool
    """Whether it calls a Python function; all others are C++."""
    depth: int
    """How many accesses away from the frame the value is that it looks at."""
    reads: str
    """That value: `L['self'].weight`; empty for the state of torch and for what relates several."""
    conditions: int
    author: str | None = None
    """The function of torch's that asked for it."""
    code: str | None = None
    """The user's line that was traced then."""


@dataclass(frozen=True)
class GuardTree:
    """The guards of one compiled frame, in the order in which they are evaluated."""

    function: str
    accesses: int
    """Attributes, items and globals that are looked up to get at the values."""
    checks: tuple[GuardCheck, ...]


@dataclass(frozen=True)
class Stop:
    """A graph break or a recompilation: why, and at which line of the user's code."""

    function: str
    reason: str
    code: str | None
    place: str | None = None
    """Where that line stands: `file.py:12`."""
    limit: str | None = None
    """The limit that Dynamo had reached, `recompile_limit = 8`: then it does not compile the frame again."""


@dataclass(frozen=True)
class Choice:
    """One thing that torch decided about a graph beside what it computes, with its reason."""

    kind: str
    """Of sizes that may vary: `symbol`, `shared` (an input whose size has a symbol already), `constant` (0 or 1),
    `static` (as the user asked), `unbacked`, `guard`, `check` (the compiled code asserts it), `specialised`. Of CUDA
    graphs: `recorded`, `launched`, `static`, `mutated`, `skipped`. Of caches: `cacheable`, `bypassed`, and what the key
    is made of, `aot` or `fx` after its cache."""
    what: str
    """What it is about: an input and its symbol, a condition, operators ..."""
    why: str = ""
    """torch's own reason, what the user asked for, or a digest; empty where there is none."""
    code: str | None = None
    """The user's line: `function: source`."""
    place: str | None = None
    """Where that line stands: `file.py:12`."""
    author: str | None = None
    """The function of torch's that asked for it: `torch/_subclasses/fake_impls.py: infer_size`."""
    note: str | None = None
    """What is worth telling and differs between machines."""


@dataclass(frozen=True)
class Choices:
    """What was decided about one graph, in the order in which it was."""

    key: GraphKey
    function: str
    """The user's function; empty where nothing says."""
    made: tuple[Choice, ...]
