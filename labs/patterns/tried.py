"""A pattern tried on inputs of every kind: whether it fires, and whether it then computes the same."""

from __future__ import annotations

import contextlib
import functools
import itertools
import logging
import math
import types
import warnings
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any
from unittest import mock

import torch

from labs.patterns.registered import (
    Handled,
    Instance,
    NotMade,
    Replaced,
    instances,
    variants,
)
from pytest_compile_golden.api import capture, numerics
from pytest_compile_golden.common.lines import split_lines
from pytest_compile_golden.errors import (
    CaptureFailed,
    CompileGoldenError,
    NeedsNativeTarget,
    reason_of,
)
from pytest_compile_golden.features.numerics.judge import Judge, Tolerance
from pytest_compile_golden.features.numerics.observation import (
    Observation,
    outputs,
    take_snapshot,
)
from pytest_compile_golden.stages import get_stage
from pytest_compile_golden.targets import Target, get_target
from pytest_compile_golden.torch_internals import tensors as tensor_names

Change = Callable[[int, torch.Tensor], torch.Tensor]
"""Makes another tensor of the input with that number."""
_DTYPES = (torch.float32, torch.bfloat16, torch.float16, torch.int64)
"""Beside float64, in which all other kinds of inputs are."""
pytree = tensor_names.PYTREE.get()

_TOLERANCE = Tolerance(1e-5, 1e-6)
"""What some patterns round to float32 on purpose is equal to that."""
_FORMS = 10
"""How many programs that run are compiled until a pattern fires."""


def kinds(inputs: Sequence[Any]) -> Iterator[tuple[str, list[Any]]]:
    """Inputs like these, first of just their form, each kind with what is special about it."""
    yield from of_dtypes(inputs)
    yield (
        "transposed in memory",
        _with(inputs, lambda _, x: x.mT.contiguous().mT if x.dim() > 1 else x),
    )
    yield (
        "expanded, with stride 0",
        _with(inputs, lambda _, x: x[:1].expand_as(x) if x.dim() else x),
    )
    yield (
        "with one dimension more",
        _with(inputs, lambda _, x: x[None].repeat(2, *[1] * x.dim()) if x.dim() else x),
    )
    first: dict[tuple[torch.Size, torch.dtype], torch.Tensor] = {}
    yield (
        "that are one tensor",
        _with(inputs, lambda _, x: first.setdefault((x.shape, x.dtype), x)),
    )
    for number, like in enumerate(pytree.tree_leaves(list(inputs))):
        if isinstance(like, torch.Tensor) and like.dim() > 1:
            for value in (0.0, 2.0, -math.inf) if like.is_floating_point() else (0, 1):
                yield (
                    f"whose argument {number + 1} has a row of {value:g}",
                    _with(inputs, _row(number, value)),
                )


def of_dtypes(inputs: Sequence[Any]) -> Iterator[tuple[str, list[Any]]]:
    """Inputs of the pattern's own form, whose floats are float64, and then of each other dtype."""
    yield "of its own form", _with(inputs, lambda _, x: x)
    for dtype in _DTYPES:
        yield (
            f"in {str(dtype).removeprefix('torch.')}",
            _with(inputs, functools.partial(_as, dtype)),
        )


def _as(dtype: torch.dtype, _: int, tensor: torch.Tensor) -> torch.Tensor:
    return (
        tensor
        if not tensor.is_floating_point()
        else (tensor if dtype.is_floating_point else 4 * tensor).to(dtype)
    )


def _row(number: int, value: float) -> Change:
    def change(position: int, tensor: torch.Tensor) -> torch.Tensor:
        if position == number:
            tensor = tensor.clone()
            tensor[..., 0, :] = value
        return tensor

    return change


def _with(inputs: Sequence[Any], change: Change) -> list[Any]:
    """Random values, floats in float64, each changed; numbers that were traced as tensors are numbers again."""
    random = torch.Generator().manual_seed(0)
    leaves, form = pytree.tree_flatten(list(inputs))

    def made(number: int, like: Any) -> Any:
        if not isinstance(like, torch.Tensor):
            return like
        if not like.is_floating_point():
            return change(
                number, torch.randint(0, 2, like.shape, generator=random).to(like.dtype)
            )
        if not like.dim():
            return 2.0
        return change(
            number, torch.randn(like.shape, dtype=torch.float64, generator=random)
        )

    return list(
        pytree.tree_unflatten(
            [made(number, leaf) for number, leaf in enumerate(leaves)], form
        )
    )


@dataclass(frozen=True)
class Difference:
    """Inputs for which a pattern fires, and computes something else."""

    inputs: str
    what: str


@dataclass(frozen=True)
class Tried:
    """What became of one pattern."""

    pattern: Replaced | Handled
    differences: tuple[Difference, ...]
    fires: bool
    """Whether it fires for any of the inputs that were compiled."""
    failed: str = ""
    """Why it was not compared for any inputs."""


def tried(pattern: Replaced | Handled, target: str) -> Tried:
    """Try it on every kind of inputs. What is right is what its own function, or eager, gives."""
    with warnings.catch_warnings(), contextlib.ExitStack() as stack, torch.no_grad():
        # Of torch, about inputs that no program has, which it logs too.
        warnings.simplefilter("ignore")
        stack.callback(logging.disable, logging.root.manager.disable)
        logging.disable()
        return (
            _replacement(pattern, target)
            if isinstance(pattern, Replaced)
            else _handled(pattern, target)
        )


def _replacement(pattern: Replaced, target: str) -> Tried:
    """Compare both functions; what differs is compiled for `target`, to see that the pattern fires."""
    search, replacement = (
        functools.partial(fn, **_numbers(pattern))
        for fn in (pattern.search, pattern.replacement)
    )
    ran, failed, found = False, "", []
    for name, inputs in kinds(pattern.inputs):
        try:
            wanted, again = (_called(search, inputs) for _ in range(2))
        except Exception as error:
            failed = failed or _first(error)
            continue  # no program could have this form
        if difference(wanted, again):
            return Tried(
                pattern, (), _fires(pattern, inputs, target), "it draws random numbers"
            )
        ran = True
        try:
            what = difference(
                wanted,
                _called(replacement, inputs),
                functools.partial(_called, search, inputs),
            )
        except Exception as error:
            what = f"the replacement raises {_first(error)}"
        if what and _fires(pattern, inputs, target):
            found.append(Difference(name, what))
    fires = bool(found) or any(
        _fires(pattern, inputs, target) for _, inputs in of_dtypes(pattern.inputs)
    )
    return Tried(pattern, tuple(found), fires, "" if ran else failed)


def difference(wanted: Any, found: Any, run: Callable[[], Any] | None = None) -> str:
    """How the second function's result differs from the first's, beyond rounding; empty if it does not.

    run: runs the first again; without it, its result has to be met.
    """

    def again(mode: contextlib.AbstractContextManager[object]) -> list[Observation]:
        with mode:
            return [_observed(wanted if run is None else run())]

    judge = Judge(again, _TOLERANCE, None, lambda *_: "any will do")
    all_of = judge.differences([_observed(wanted)], [_observed(found)])
    return next((each.sentence for each in all_of if each.verdict == "compiled"), "")


def _called(function: Callable[..., Any], inputs: list[Any]) -> Any:
    return function(*deepcopy(inputs))


def _observed(result: Any) -> Observation:
    leaves = outputs(result).items()
    return Observation(
        "",
        "",
        {
            name: take_snapshot(each)
            for name, each in leaves
            if isinstance(each, torch.Tensor)
        },
    )


def _fires(pattern: Replaced, inputs: Sequence[Any], target: str) -> bool:
    """Whether the pattern matches when its own function is compiled with such inputs."""
    leaves, form = pytree.tree_flatten(list(inputs))
    tensors = [leaf for leaf in leaves if isinstance(leaf, torch.Tensor)]
    numbers, search = _numbers(pattern), _compiled(pattern.search)

    def program(*given: torch.Tensor) -> Any:
        rest = iter(given)
        again = [
            next(rest) if isinstance(leaf, torch.Tensor) else leaf for leaf in leaves
        ]
        return search(*pytree.tree_unflatten(again, form), **numbers)

    try:
        text = capture(program, *tensors, target=target)["passes"].text
    except CompileGoldenError:
        return False
    return any(
        match.name == pattern.name
        for ran in get_stage("passes").format.read(text)
        for match in ran.patterns
    )


def _numbers(pattern: Replaced) -> dict[str, float]:
    """Nothing is dropped, or the two functions would draw different random numbers."""
    return {
        name: 0.0 if "dropout" in name else value
        for name, value in pattern.numbers.items()
    }


def _compiled(search: Callable[..., Any]) -> Callable[..., Any]:
    """The function as if it were a user's: Dynamo skips those in torch's own files (torch/_dynamo/trace_rules.py)."""
    if isinstance(search, functools.partial):
        return functools.partial(
            _compiled(search.func), *search.args, **search.keywords
        )
    if not isinstance(search, types.FunctionType):
        return search
    code = search.__code__.replace(co_filename="pattern.py")
    return types.FunctionType(
        code,
        search.__globals__,
        search.__name__,
        search.__defaults__,
        search.__closure__,
    )


def _handled(pattern: Handled, target: str) -> Tried:
    """Compile programs that it may match until it fires; compare that one with eager on every kind of inputs."""
    failed = "no program of its form runs"
    try:
        on = get_target(target)
        forms = (
            each
            for each in instances(pattern.entry.pattern, on.device_type)
            if _runs(each, on)
        )
        for form in itertools.islice(forms, _FORMS):
            failed, program = "", form.program.forward
            (own, inputs), *others = kinds(form.inputs)
            fires, what = _compared(pattern, program, inputs, target)
            if not fires:
                continue
            every = [
                (own, what),
                *(
                    (name, _compared(pattern, program, more, target)[1])
                    for name, more in others
                ),
            ]
            for variant in variants(pattern.entry.pattern, on.device_type, form):
                if _runs(variant, on):
                    _, inputs = next(kinds(variant.inputs))
                    every.append(
                        (
                            variant.words,
                            _compared(pattern, variant.program.forward, inputs, target)[
                                1
                            ],
                        )
                    )
            return Tried(
                pattern, tuple(Difference(*each) for each in every if each[1]), True
            )
    except (NotMade, NeedsNativeTarget) as error:
        failed = split_lines(str(error))[0]
    return Tried(pattern, (), False, failed)


def _runs(form: Instance, on: Target) -> bool:
    """Whether it returns tensors."""
    with on.active():
        try:
            # Not by calling the module, which prints what it raises.
            result = form.program.forward(
                *(torch.empty(each.shape, dtype=each.dtype) for each in form.inputs)
            )
        except Exception:  # these arguments do not fit each other
            return False
    return all(isinstance(leaf, torch.Tensor) for leaf in pytree.tree_leaves(result))


def _compared(
    pattern: Handled, program: Any, inputs: Sequence[Any], target: str
) -> tuple[bool, str]:
    """Whether the pattern fires, and what is wrong with the compiled program that is right if the pattern does not."""
    apply, fired = pattern.entry.apply, False

    def noted(*match: Any) -> None:
        nonlocal fired
        fired = True
        apply(*match)

    with mock.patch.object(pattern.entry, "apply", noted):
        what = _wrong(pattern, program, inputs, target)
    if what and fired:
        with mock.patch.object(pattern.entry, "apply", lambda *_: None):
            what = "" if _wrong(pattern, program, inputs, target) else what
    return fired, what if fired else ""


def _wrong(pattern: Handled, program: Any, inputs: Sequence[Any], target: str) -> str:
    try:
        result = numerics(
            program,
            *inputs,
            target=target,
            config=pattern.config,
            rtol=_TOLERANCE.relative,
            atol=_TOLERANCE.absolute,
        )
    except NeedsNativeTarget:
        raise
    except CaptureFailed as error:
        return f"torch fails: {_first(error)}"
    except CompileGoldenError:
        return ""  # not in eager mode either
    return result.first.sentence if result.first is not None else ""


def _first(error: Exception) -> str:
    return split_lines(reason_of(error))[0][:120]
