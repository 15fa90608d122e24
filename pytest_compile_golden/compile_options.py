"""How a case is compiled: the arguments of a capture, checked once, in one value."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Final

from pytest_compile_golden.errors import CompileGoldenError, InvalidOption
from pytest_compile_golden.targets.policy import check_policy
from pytest_compile_golden.targets.process_group import Ranks

INDUCTOR: Final = "inductor"
AOT_INDUCTOR: Final = "aot_inductor"
Backend = str | Callable[..., Any]
_OF_TORCH_COMPILE = ("dynamic", "fullgraph", "mode")


@dataclass(frozen=True)
class CompileOptions:
    """What `capture` and `numerics` are told besides the function; see `pytest_compile_golden.capture`.

    Raises InvalidOption for a value that no capture could be made with, and for an unknown policy.
    """

    calls: Sequence[tuple[Any, ...]]
    """The inputs of each call of the function."""
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    train: bool = False
    dynamic: bool | None = None
    fullgraph: bool | None = None
    """None where nobody said: False, or what an already compiled callable has."""
    mode: str | None = None
    config: Mapping[str, Any] = field(default_factory=dict)
    policy: str | None = None
    """None for that of the active target."""
    ranks: Ranks | None = None
    """None for no process group but the one that the process is in, if any."""
    export: bool | Mapping[str, Any] = False
    """Whether torch.export makes the graph; a mapping is its keyword arguments."""
    backend: Backend = INDUCTOR
    """What compiles the graph."""
    watch: Sequence[str] = ()
    """Stages to watch for though they are costly."""
    taken_over: Mapping[str, Any] = field(default_factory=dict)
    """Arguments of torch.compile that only an already compiled callable has (`options`, `name` ...)."""

    def __post_init__(self) -> None:
        _require("train", self.train, "True or False", isinstance(self.train, bool))
        for name in ("dynamic", "fullgraph"):
            value = getattr(self, name)
            _require(name, value, "True, False or None", value is None or isinstance(value, bool))
        _require("mode", self.mode, "the name of a mode", self.mode is None or isinstance(self.mode, str))
        for name in ("config", "kwargs"):
            value = getattr(self, name)
            named = isinstance(value, Mapping) and all(isinstance(key, str) for key in value)
            _require(name, value, "a dict with names as keys", named)
        _require("calls", self.calls, "a list of tuples", isinstance(self.calls, Sequence) and len(self.calls) > 0)
        for number, inputs in enumerate(self.calls):
            # A tensor would be taken apart into its rows.
            _require(f"calls[{number}]", inputs, "a tuple, the inputs of one call", isinstance(inputs, (tuple, list)))
        listed = isinstance(self.watch, Sequence) and not isinstance(self.watch, str)
        _require("watch", self.watch, "a list of stages", listed)
        if self.policy is not None:
            check_policy(self.policy)
        named = isinstance(self.export, Mapping) and all(isinstance(key, str) for key in self.export)
        accepted = "True, False or a dict of torch.export.export's keyword arguments"
        _require("export", self.export, accepted, isinstance(self.export, bool) or named)
        accepted = "the name of a backend of torch.compile's, 'aot_inductor', or a function"
        _require("backend", self.backend, accepted, isinstance(self.backend, str) or callable(self.backend))
        if self.ahead_of_time:
            self._check_ahead_of_time()

    def _check_ahead_of_time(self) -> None:
        for name in _OF_TORCH_COMPILE:
            if getattr(self, name) is not None:
                raise InvalidOption(
                    f"{name}={getattr(self, name)!r} is for torch.compile, and backend='aot_inductor' compiles what "
                    "torch.export makes. Give export={'dynamic_shapes': ...} for sizes that may vary, and config={...} "
                    "for Inductor's options."
                )
        if self.train:
            raise InvalidOption("backend='aot_inductor' compiles no backward graph. Leave out train=True.")
        if len(self.calls) > 1:
            raise InvalidOption(
                "backend='aot_inductor' compiles a program once, before it is called. Give the inputs of one call, and "
                "export={'dynamic_shapes': ...} for those of others."
            )

    @property
    def ahead_of_time(self) -> bool:
        """Whether AOTInductor compiles it, rather than torch.compile."""
        return self.backend == AOT_INDUCTOR

    @property
    def backend_name(self) -> str:
        """What the backend is called."""
        if isinstance(self.backend, str):
            return self.backend
        return str(getattr(self.backend, "__qualname__", type(self.backend).__qualname__))

    @property
    def torch_export(self) -> Mapping[str, Any] | None:
        """The keyword arguments of torch.export.export; None where that has no part in it."""
        if isinstance(self.export, Mapping):
            return self.export
        return {} if self.export or self.ahead_of_time else None

    @property
    def torch_compile(self) -> dict[str, Any]:
        """The keyword arguments of torch.compile."""
        mode = {} if "options" in self.taken_over else {"mode": self.mode}
        fixed = {"backend": self.backend, "dynamic": self.dynamic, "fullgraph": bool(self.fullgraph)}
        return {**fixed, **mode, **self.taken_over}


MARKED = tuple(
    option.name
    for option in fields(CompileOptions)
    if option.name not in {"calls", "kwargs", "policy", "ranks", "watch", "taken_over"}
)
"""The options that a marker can give to a test's captures (its policy, ranks and stages are the whole test's)."""


def compile_options(
    inputs: tuple[Any, ...],
    calls: Sequence[tuple[Any, ...]] | None,
    kwargs: Mapping[str, Any] | None,
    config: Mapping[str, Any] | None,
    **others: Any,
) -> CompileOptions:
    """Options as a public function was given them: `inputs` of one call, or the `calls`; None for nothing."""
    if calls is not None and inputs:
        raise CompileGoldenError("give either inputs or calls=[...], not both: calls has the inputs of every call.")
    return CompileOptions(
        calls=[inputs] if calls is None else calls,
        kwargs={} if kwargs is None else kwargs,
        config={} if config is None else config,
        **others,
    )


def _require(name: str, value: object, accepted: str, fits: bool) -> None:
    if not fits:
        shown = repr(value) if isinstance(value, (str, int, float, bool)) else f"a {type(value).__name__}"
        raise InvalidOption(f"{name} takes {accepted}, not {shown}.")
