"""A program of a corpus: what makes it, and what becomes of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pytest_compile_golden.api.captured import Capture
from pytest_compile_golden.errors import InvalidOption

SHAPE = (
    "It must take no arguments and return what to compile: `fn`, `(fn, inputs)` or `(fn, inputs, options)`, where "
    "inputs is a tuple and options are those of pytest_compile_golden.capture, such as {'train': True}."
)


@dataclass(frozen=True)
class Program:
    """One program, made anew each time it is compiled."""

    id: str
    """Its name in the corpus, the same on every machine: `level1/23_Softmax`."""
    make: Callable[[], Any]
    """Makes what to compile, inside the target: tensors that it creates are the target's."""
    size: int = 1
    """How large it is, in bytes of its source: how long it may take, as long as nothing better is known."""

    @property
    def rewritable(self) -> bool:
        """Whether it can be compiled with other settings of Inductor than its own."""
        return True

    def captures(
        self,
        target: str,
        config: Mapping[str, Any] | None = None,
        only_metrics: bool = False,
    ) -> list[Capture]:
        """Compile it for a target. Raises whatever making it raises, and what `capture` raises."""
        from pytest_compile_golden.api import capture
        from pytest_compile_golden.targets import get_target

        with get_target(target).active():
            fn, inputs, options = parts(self.make(), self.id)
            settings = {**options.pop("config", {}), **(config or {})}
            if only_metrics:
                options["watch"] = None
            return [capture(fn, *inputs, config=settings or None, **options)]

    def runs_eagerly(self, target: str) -> bool:
        """Whether it runs without being compiled."""
        from pytest_compile_golden.observe.program_calls import call_eagerly
        from pytest_compile_golden.targets import get_target

        with get_target(target).active():
            try:
                fn, inputs, options = parts(self.make(), self.id)
                calls, train = (
                    options.get("calls") or [inputs],
                    bool(options.get("train")),
                )
                call_eagerly(fn, calls, options.get("kwargs"), train=train)
            except (Exception, SystemExit, KeyboardInterrupt):
                return False
        return True


def parts(returned: Any, name: str) -> tuple[Any, tuple[Any, ...], dict[str, Any]]:
    """The function, inputs and options in what a maker returned. Raises InvalidOption for any other form."""
    fn, *arguments = (
        returned if isinstance(returned, tuple) and returned else (returned,)
    )
    inputs = arguments[0] if arguments else ()
    options = arguments[1] if len(arguments) > 1 else {}
    if not callable(fn) or len(arguments) > 2 or not isinstance(options, dict):
        raise InvalidOption(
            f"{name} returned a value of type {type(returned).__name__}. {SHAPE}"
        )
    return (
        fn,
        tuple(inputs) if isinstance(inputs, (tuple, list)) else (inputs,),
        {**options},
    )
