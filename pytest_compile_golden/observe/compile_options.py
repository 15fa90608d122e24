"""How a case is compiled: the arguments of a capture in one value, validated once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, get_args

from pytest_compile_golden.common.constants import AOT_INDUCTOR, INDUCTOR
from pytest_compile_golden.common.program_call import Backward, Call, Mode
from pytest_compile_golden.errors import CompileGoldenError, InvalidOption
from pytest_compile_golden.targets.autotuning_policy import check_policy
from pytest_compile_golden.targets.process_group import Ranks

Backend = str | Callable[..., Any] | None
_OF_TORCH_COMPILE = ("dynamic", "fullgraph", "mode")


@dataclass(frozen=True)
class CompileOptions:
    """The arguments of `capture` and `numerics` other than the function; see `pytest_compile_golden.capture`.

    Raises InvalidOption for a value that no capture can use, and for an unknown policy.
    """

    calls: Sequence[Call]
    train: bool = False
    dynamic: bool | None = None
    fullgraph: bool | None = None
    """None if not given: False, or the value of an already compiled callable."""
    mode: str | None = None
    config: Mapping[str, Any] = field(default_factory=dict)
    policy: str | None = None
    """None for the active target's policy."""
    ranks: Ranks | None = None
    """None for no process group other than the one that the process is already in, if any."""
    export: bool | Mapping[str, Any] = False
    """Whether torch.export makes the graph; a mapping holds its keyword arguments."""
    backend: Backend = INDUCTOR
    """The backend that compiles the graphs; None for a function that calls a compiler itself."""
    watch: Sequence[str] | None = ()
    """Stages to record although they are expensive; None for only what metrics count."""
    inherited: Mapping[str, Any] = field(default_factory=dict)
    """Arguments of torch.compile that only an already compiled callable can have (`options`, `name` ...)."""

    def __post_init__(self) -> None:
        _require("train", self.train, "True or False", isinstance(self.train, bool))
        for name in ("dynamic", "fullgraph"):
            value = getattr(self, name)
            _require(
                name,
                value,
                "True, False or None",
                value is None or isinstance(value, bool),
            )
        _require(
            "mode",
            self.mode,
            "the name of a mode",
            self.mode is None or isinstance(self.mode, str),
        )
        _require("config", self.config, "a dict with string keys", _named(self.config))
        listed = isinstance(self.watch, Sequence) and not isinstance(self.watch, str)
        _require(
            "watch",
            self.watch,
            "a list of stages, or None",
            listed or self.watch is None,
        )
        if self.policy is not None:
            check_policy(self.policy)
        accepted = "True, False or a dict of torch.export.export's keyword arguments"
        _require(
            "export",
            self.export,
            accepted,
            isinstance(self.export, bool) or _named(self.export),
        )
        accepted = (
            "the name of a torch.compile backend, 'aot_inductor', a function, or None"
        )
        known = (
            self.backend is None
            or isinstance(self.backend, str)
            or callable(self.backend)
        )
        _require("backend", self.backend, accepted, known)
        if self.backend is None:
            for name in (*_OF_TORCH_COMPILE, "export"):
                if getattr(self, name) not in (None, False):
                    raise InvalidOption(
                        f"{name}={getattr(self, name)!r} is for torch.compile or torch.export, which a function "
                        f"captured with backend=None calls itself. Give {name} to that call."
                    )
        if self.ahead_of_time:
            self._check_ahead_of_time()

    def _check_ahead_of_time(self) -> None:
        for name in _OF_TORCH_COMPILE:
            if getattr(self, name) is not None:
                raise InvalidOption(
                    f"{name}={getattr(self, name)!r} is for torch.compile, but backend='aot_inductor' compiles an "
                    "exported program. Use export={'dynamic_shapes': ...} for sizes that may vary, and config={...} "
                    "for Inductor options."
                )
        if self.train:
            raise InvalidOption(
                "backend='aot_inductor' does not compile a backward graph. Leave out train=True."
            )
        if len(self.calls) > 1:
            raise InvalidOption(
                "backend='aot_inductor' compiles a program once, before it is called. Pass the inputs of one call, and "
                "use export={'dynamic_shapes': ...} to allow for those of other calls."
            )

    @property
    def ahead_of_time(self) -> bool:
        """Whether AOTInductor compiles the program, rather than torch.compile."""
        return self.backend == AOT_INDUCTOR

    @property
    def backend_name(self) -> str:
        """The backend's name; of a function that compiles itself, the one that is most likely."""
        if self.backend is None:
            return INDUCTOR
        if isinstance(self.backend, str):
            return self.backend
        return str(
            getattr(self.backend, "__qualname__", type(self.backend).__qualname__)
        )

    @property
    def torch_export(self) -> Mapping[str, Any] | None:
        """The keyword arguments for torch.export.export; None if it is not used."""
        if isinstance(self.export, Mapping):
            return self.export
        return {} if self.export or self.ahead_of_time else None

    @property
    def torch_compile(self) -> dict[str, Any]:
        """The keyword arguments for torch.compile."""
        mode = {} if "options" in self.inherited else {"mode": self.mode}
        fixed = {
            "backend": self.backend,
            "dynamic": self.dynamic,
            "fullgraph": bool(self.fullgraph),
        }
        return {**fixed, **mode, **self.inherited}


MARKED = tuple(
    option.name
    for option in fields(CompileOptions)
    if option.name not in {"calls", "policy", "ranks", "watch", "inherited"}
)
"""The options that a marker can set for a test's captures (policy, ranks and stages apply to the whole test)."""


def compile_options(
    inputs: tuple[Any, ...],
    calls: Sequence[tuple[Any, ...] | Mapping[str, Any] | Call] | None = None,
    kwargs: Mapping[str, Any] | None = None,
    config: Mapping[str, Any] | None = None,
    **others: Any,
) -> CompileOptions:
    """Options from the arguments of a public function: the `inputs` of one call, or `calls`; None if not given.

    Raises CompileGoldenError for inputs together with calls, InvalidOption for a value that an option does not take.
    """
    if calls is not None and inputs:
        raise CompileGoldenError(
            "pass either inputs or calls=[...], not both: calls holds the inputs of every call."
        )
    calls, kwargs = (
        [inputs] if calls is None else calls,
        {} if kwargs is None else kwargs,
    )
    _require("kwargs", kwargs, "a dict with string keys", _named(kwargs))
    _require(
        "calls",
        calls,
        "a list of tuples",
        isinstance(calls, Sequence) and len(calls) > 0,
    )
    made = [
        _call(f"calls[{number}]", given, kwargs) for number, given in enumerate(calls)
    ]
    return CompileOptions(made, config={} if config is None else config, **others)


def _call(name: str, given: Any, kwargs: Mapping[str, Any]) -> Call:
    if isinstance(given, Call):
        modes, ways = [None, *get_args(Mode)], [None, *get_args(Backward)]
        _require(
            f"{name}.before",
            given.before,
            "a function",
            given.before is None or callable(given.before),
        )
        _require(f"{name}.mode", given.mode, f"one of {modes}", given.mode in modes)
        _require(
            f"{name}.backward", given.backward, f"one of {ways}", given.backward in ways
        )
        return given._replace(args=tuple(given.args), kwargs={**kwargs, **given.kwargs})
    if _named(given):
        return Call((), {**kwargs, **given})
    # A tensor would be unpacked into its rows.
    accepted = (
        "a tuple of the inputs of one call, a dict of its keyword arguments, or a Call"
    )
    _require(name, given, accepted, isinstance(given, (tuple, list)))
    return Call(tuple(given), dict(kwargs))


def _named(value: object) -> bool:
    return isinstance(value, Mapping) and all(isinstance(key, str) for key in value)


def _require(name: str, value: object, accepted: str, fits: bool) -> None:
    if not fits:
        shown = (
            repr(value)
            if isinstance(value, (str, int, float, bool))
            else f"a {type(value).__name__}"
        )
        raise InvalidOption(f"{name} takes {accepted}, not {shown}.")
