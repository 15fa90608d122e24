"""Run eager once more in float64, to decide which of two results is wrong."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch

from pytest_compile_golden.common.lines import split_lines
from pytest_compile_golden.targets.patching import Patches
from pytest_compile_golden.torch_internals import tensors
from pytest_compile_golden.wings.numerics.copies import WIDE, NoReference

pytree = tensors.PYTREE.get()
TorchDispatchMode = tensors.DISPATCH_MODE.get()

Drawn = list[tuple[str, Any]]
"""The result of each random operator in a run, in order."""


class RandomDraws(TorchDispatchMode):  # type: ignore[misc,valid-type]
    """Records the results of random operators: float64 kernels would draw different numbers from the same seed."""

    supports_higher_order_operators = True

    def __init__(self) -> None:
        super().__init__()
        self.drawn: Drawn = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        if _draws(func, args, kwargs or {}):
            self.drawn.append((str(func), pytree.tree_map_only(torch.Tensor, torch.Tensor.clone, result)))
        return result


class Float64(TorchDispatchMode):  # type: ignore[misc,valid-type]
    """Computes in float64 whatever a program asks for in lower precision, including casts, constants and factories."""

    supports_higher_order_operators = True

    def __init__(self, drawn: Drawn) -> None:
        super().__init__()
        self._drawn = iter(drawn)

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if _draws(func, args, kwargs or {}):
            return self._replay(func, args)
        if isinstance(func, tensors.HIGHER_ORDER.get()):
            # Flex attention computes in float64 if its tensors are; the graphs of other operators cannot be seen.
            if func.name() not in ("flex_attention", "flex_attention_backward"):
                raise NoReference(f"{func.name()} runs its own graphs, which have no float64 form")
            return func(*pytree.tree_map_only(torch.Tensor, _wide, args), **(kwargs or {}))
        if func is torch.ops.aten.view.dtype:
            raise NoReference("it reads the bits of a tensor as another dtype")
        args, kwargs = pytree.tree_map_only(
            torch.dtype, lambda dtype: WIDE.get(dtype, dtype), (args, dict(kwargs or {}))
        )
        if not isinstance(func, tensors.OPERATOR.get()) or func._schema.is_mutable or func.is_view:
            return func(*args, **kwargs)
        args, kwargs = pytree.tree_map_only(torch.Tensor, _wide, (args, kwargs))
        try:
            result = func(*args, **kwargs)
        except (NotImplementedError, RuntimeError) as error:
            raise NoReference(f"{func} does not support float64 ({split_lines(str(error))[0]})") from error
        return pytree.tree_map_only(torch.Tensor, _wide, result)

    def _replay(self, func: Any, args: Any) -> Any:
        name, result = next(self._drawn, ("", None))
        if result is None or name != str(func) or "dropout_p" in str(func._schema) or "rrelu" in func.name():
            raise NoReference(f"{func} draws different random numbers in float64")
        # A copy: the program may write to it, and other runs get the same tensor.
        result = pytree.tree_map_only(torch.Tensor, torch.Tensor.clone, result)
        if func is torch.ops.aten.native_dropout.default:
            mask = result[1]
            return args[0] * mask / (1 - args[1]), mask
        if func._schema.is_mutable:
            return args[0].copy_(result)
        return pytree.tree_map_only(torch.Tensor, _wide, result)


def _draws(func: Any, args: Any, kwargs: Any) -> bool:
    """Whether this call draws random numbers; attention is an operator that may, but only does so with dropout."""
    if torch.Tag.nondeterministic_seeded not in getattr(func, "tags", ()):
        return False
    arguments = func._schema.arguments
    passed = {argument.name: argument.default_value for argument in arguments}
    passed |= dict(zip((argument.name for argument in arguments), args, strict=False)) | kwargs
    return bool(passed.get("dropout_p", True))


@contextmanager
def attention_as_operators() -> Iterator[None]:
    """Run flex attention uncompiled, using its own switch: it compiles itself, which Dynamo refuses under a mode."""
    module = importlib.import_module("torch.nn.attention.flex_attention")
    with Patches() as patches:
        patches.replace_if_present(module, "_FLEX_ATTENTION_DISABLE_COMPILE_DEBUG", True)
        yield


def _wide(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.to(WIDE[tensor.dtype]) if tensor.dtype in WIDE else tensor


@contextmanager
def in_float64(drawn: Drawn) -> Iterator[None]:
    """Run the block in float64. Raises NoReference, saying why, for a program where that is meaningless."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        with attention_as_operators(), Float64(list(drawn)):
            yield
    finally:
        torch.set_default_dtype(before)


class Reference:
    """The float64 runs of a program, each made when it is first needed."""

    def __init__(self, make: Callable[[int | None], list[Any]]) -> None:
        self._make = make
        self._made: dict[int | None, list[Any]] = {}
        self.missing: str | None = None

    def run(self, moved: int | None = None) -> list[Any] | None:
        """The observations of the run with inputs that are `moved` (see Precise); None if there is no such run."""
        if self.missing is None and moved not in self._made:
            try:
                self._made[moved] = self._make(moved)
            except NoReference as error:
                self.missing = str(error)
            except Exception as error:  # a program may reject float64 inputs in any way
                cause = error.__cause__ or error.__context__
                shown = cause if isinstance(cause, NoReference) else error
                self.missing = split_lines(str(shown).strip())[0] if str(shown).strip() else type(shown).__name__
        return self._made.get(moved) if self.missing is None else None
