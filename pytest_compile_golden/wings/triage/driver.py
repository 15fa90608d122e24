"""Runs a script in a torch that need not have this package, and judges every call of what it compiles.

Started by path, `python driver.py SCRIPT RESULT SECONDS [BACKEND]`, with TORCH_TRACE set; it imports nothing but torch,
and that when the script does: what the script writes into the environment before is what torch reads.
"""

from __future__ import annotations

import copy
import functools
import importlib.abc
import importlib.util
import json
import runpy
import signal
import sys
import traceback
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any

# Errors up to this many times eager's are rounding (both measured against float64).
_ROUNDING = 4.0


class OutOfTime(BaseException):
    """No script and no compiler catches it."""


class Judge:
    """Compares the results of compiled calls with those of the same calls in eager mode.

    into: the file that always has what was found so far, as JSON; whoever ends this process reads it.
    """

    def __init__(self, into: Path) -> None:
        self._into = into
        self._checks: list[dict[str, str]] = []

    def write(self, problem: str | None = None, trace: str = "") -> None:
        version = getattr(sys.modules.get("torch"), "__version__", "")
        found = {"torch": version, "problem": problem, "traceback": trace, "checks": self._checks}
        self._into.write_text(json.dumps(found), encoding="utf-8")

    def checked(self, name: str, compiled: Callable[..., Any], eager: Callable[..., Any], owner: Any = None) -> Any:
        """`compiled`, which also runs `eager` on copies of its arguments; owner: the module that eager belongs to."""

        @functools.wraps(eager)
        def call(*args: Any, **kwargs: Any) -> Any:
            import torch

            if torch.compiler.is_compiling():
                return compiled(*args, **kwargs)
            try:
                before = copy.deepcopy((owner, args, kwargs))
                state = _random_states()
            except Exception as error:  # a tensor with a history, an object that cannot be copied
                self._add(name, "not compared", f"its arguments cannot be copied: {type(error).__name__}: {error}")
                return compiled(*args, **kwargs)
            result = compiled(*args, **kwargs)
            after = _random_states()
            try:
                self._compare(name, eager, before, state, _left(result, owner, args, kwargs))
            except Exception as error:
                self._add(name, "not compared", f"{type(error).__name__} in eager mode: {error}")
            finally:
                _set_random_states(after)
            return result

        return call

    def _compare(self, name: str, eager: Callable[..., Any], before: Any, state: Any, result: dict[str, Any]) -> None:
        import torch

        def run(inputs: Any, numbers: Any = state) -> dict[str, Any]:
            owner, args, kwargs = copy.deepcopy(inputs)
            _set_random_states(numbers)
            with torch.compiler.set_stance("force_eager"):
                returned = (owner.forward if owner is not None else eager)(*args, **kwargs)
            return _left(returned, owner, args, kwargs)

        expected = run(before)
        try:
            exact = run(_double(before))
        except Exception:  # an operator that has no float64, say
            exact = expected
        kind, detail = _verdict(result, expected, exact)
        if kind == "wrong":
            other = run(before, [_seeded(each) for each in state])
            if _verdict(other, expected, expected)[0] == "wrong":
                kind, detail = "not compared", "it draws random numbers, which the compiler may draw in another way"
        self._add(name, kind, detail)

    def _add(self, name: str, kind: str, detail: str) -> None:
        self._checks.append({"function": name, "kind": kind, "detail": " ".join(detail.split())[:300]})
        self.write()


def _random_states() -> list[Any]:
    """Of the CPU and of each GPU."""
    import torch

    return [torch.get_rng_state(), *(torch.cuda.get_rng_state_all() if torch.cuda.is_available() else ())]


def _set_random_states(states: list[Any]) -> None:
    import torch

    torch.set_rng_state(states[0])
    for index, state in enumerate(states[1:]):
        torch.cuda.set_rng_state(state, index)


def _seeded(state: Any) -> Any:
    """Another state of the same kind of generator: a GPU's is a seed and an offset."""
    import torch

    host = torch.Generator().manual_seed(1).get_state()
    return host if state.shape == host.shape else torch.tensor([1, 0]).view(torch.uint8)


def _double(value: Any) -> Any:
    import torch
    from torch.utils import _pytree as pytree

    def convert(leaf: Any) -> Any:
        if isinstance(leaf, torch.nn.Module):
            return leaf.double()
        return leaf.double() if isinstance(leaf, torch.Tensor) and leaf.is_floating_point() else leaf

    return pytree.tree_map(convert, copy.deepcopy(value))


def _left(returned: Any, owner: Any, args: Any, kwargs: Any) -> dict[str, Any]:
    """What a call leaves, by name: its results, and its arguments and its module's tensors as they then are."""
    import torch
    from torch.utils import _pytree as pytree

    results = pytree.tree_leaves(returned)
    inputs = [leaf for leaf in pytree.tree_leaves((args, kwargs)) if isinstance(leaf, torch.Tensor)]
    left = {f"result {number}" if len(results) > 1 else "the result": value for number, value in enumerate(results)}
    left.update({f"input {number} after the call": value for number, value in enumerate(inputs)})
    held = owner.state_dict(keep_vars=True) if owner is not None else {}
    left.update({f"{name} after the call": value for name, value in held.items() if isinstance(value, torch.Tensor)})
    return left


def _verdict(ours: dict[str, Any], theirs: dict[str, Any], judges: dict[str, Any]) -> tuple[str, str]:
    """`same`, or `wrong` or `other strides` and which value differs by how much."""
    import torch

    if ours.keys() != theirs.keys():
        results = [sum(name.startswith(("result", "the result")) for name in left) for left in (ours, theirs)]
        return "wrong", f"{results[0]} results, in eager mode {results[1]}"
    for what, other in theirs.items():
        one = ours[what]
        if not isinstance(other, torch.Tensor):
            if one is not other and one != other:
                return "wrong", f"{what} is {one!r}, in eager mode {other!r}"
            continue
        for fact in ("shape", "dtype", "requires_grad"):
            if getattr(one, fact, None) != getattr(other, fact):
                return "wrong", f"{what} has {fact} {getattr(one, fact, None)}, in eager mode {getattr(other, fact)}"
        try:
            torch.testing.assert_close(one.detach(), other.detach(), equal_nan=True)
        except AssertionError:
            error, usual = (_error(each, judges.get(what, other)) for each in (one, other))
            if not error <= _ROUNDING * usual:
                far = int((one != other).sum())
                return (
                    "wrong",
                    f"{far} of {one.numel()} elements of {what} differ, by up to {error:.2g} (eager: {usual:.2g})",
                )
    memory, usual_memory = _memory(ours), _memory(theirs)
    for what, same in usual_memory.items():
        if memory[what] != same:
            return "wrong", f"{what} {_shared(memory[what])}, in eager mode it {_shared(same)}"
    for what, other in theirs.items():
        if isinstance(other, torch.Tensor) and _strides(ours[what]) != _strides(other):
            return "other strides", f"{what} has strides {ours[what].stride()}, in eager mode {other.stride()}"
    return "same", ""


def _memory(left: dict[str, Any]) -> dict[str, str]:
    """For each tensor, the first of them that is in the same memory, if it is not that one."""
    import torch

    first: dict[int, str] = {}
    shared = {}
    for what, value in reversed(left.items()):  # what was there before the call owns its memory
        if isinstance(value, torch.Tensor) and value.layout == torch.strided and value.numel():
            owner = first.setdefault(value.untyped_storage().data_ptr(), what)
            shared[what] = "" if owner == what else owner
    return shared


def _shared(owner: str) -> str:
    return f"shares memory with {owner.removesuffix(' after the call')}" if owner else "has memory of its own"


def _strides(value: Any) -> Any:
    """Those that matter; those of a dimension with one element do not."""
    import torch

    if value.layout != torch.strided or not value.numel():
        return None
    return [stride for size, stride in zip(value.shape, value.stride(), strict=True) if size > 1]


def _error(value: Any, exact: Any) -> float:
    """The largest distance from what float64 gives; infinite if only one of them is not a number."""
    import torch

    one, other = value.detach().to("cpu", torch.float64), exact.detach().to("cpu", torch.float64)
    both_nan = one.isnan() & other.isnan()
    apart = torch.where(both_nan | (one == other), 0.0, (one - other).abs())
    return float(apart.nan_to_num(nan=float("inf")).max()) if apart.numel() else 0.0


def _watch(judge: Judge, backend: str | None) -> None:
    """Let `torch.compile` return functions and modules whose calls are judged."""
    import torch

    compile_ = torch.compile

    @functools.wraps(compile_)
    def compile_and_check(model: Any = None, **options: Any) -> Any:
        if model is None:
            return functools.partial(compile_and_check, **options)
        if backend is not None:
            options = {
                **{name: options[name] for name in ("fullgraph", "dynamic") if name in options},
                "backend": backend,
            }
        compiled = compile_(model, **options)
        if isinstance(model, torch.nn.Module):
            compiled.forward = judge.checked(type(model).__name__, compiled.forward, model.forward, model)
            return compiled
        return judge.checked(getattr(model, "__qualname__", repr(model)), compiled, model)

    torch.compile = compile_and_check


class _WhenTorchIs(importlib.abc.MetaPathFinder):
    """Calls `then` as soon as torch has been imported."""

    def __init__(self, then: Callable[[], None]) -> None:
        self._then = then

    def find_spec(self, name: str, path: Sequence[str] | None, target: Any = None) -> ModuleSpec | None:
        if name != "torch":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module

            def execute_and_call(module: Any) -> None:
                execute(module)
                self._then()

            spec.loader.exec_module = execute_and_call  # type: ignore[method-assign]
        return spec


def main(script: str, into: str, seconds: str, backend: str | None = None) -> None:
    """Run the script as `python SCRIPT` would, and write what was found, whatever happens."""
    judge, problem, trace = Judge(Path(into)), None, ""
    sys.meta_path.insert(0, _WhenTorchIs(lambda: _watch(judge, backend or None)))

    def out_of_time(*_: Any) -> None:
        raise OutOfTime

    signal.signal(signal.SIGALRM, out_of_time)
    signal.setitimer(signal.ITIMER_REAL, float(seconds))
    sys.argv = [script]
    try:
        runpy.run_path(script, run_name="__main__")
    except SystemExit as end:
        problem = None if not end.code else f"SystemExit: {end.code}"
    except BaseException as error:
        inner = getattr(error, "inner_exception", None) or error
        late = f"it takes more than {float(seconds):.0f} s; give it more with --timeout"
        problem = late if isinstance(inner, OutOfTime) else f"{type(inner).__name__}: {inner}"
        trace = "".join(traceback.format_exception(error))
    signal.setitimer(signal.ITIMER_REAL, 0)
    judge.write(problem, trace)


if __name__ == "__main__":
    sys.path.insert(0, sys.argv[1].rpartition("/")[0] or ".")
    main(*sys.argv[1:])
