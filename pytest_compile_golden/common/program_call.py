"""One call of a program, as it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple

Mode = Literal["grad", "no_grad", "inference", "autocast"]
Backward = Literal["twice", "double"]


class Call(NamedTuple):
    """An item of `calls=` that says more than a tuple of inputs does."""

    args: tuple[Any, ...] = ()
    kwargs: Mapping[str, Any] = {}
    before: Callable[[], object] | None = None
    """Called before the call: to load weights, step an optimizer, or change a tensor, a global or a method.

    `numerics` runs the program several times, each time on copies of what it and `before` close over or name. It puts
    back the globals of the module of `before`, and the classes that this names, or that what it names is of.
    """
    mode: Mode | None = None
    """The mode of the call; None for gradients in training, and none otherwise. `autocast` is that of the device."""
    backward: Backward | None = None
    """Only for `numerics` with `train=True`: `twice` runs backward two times (`retain_graph`), `double` also takes the
    gradients of the gradients (`create_graph`); None runs it once."""
