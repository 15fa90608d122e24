"""Runs a script in a torch that need not have this package, and judges every call of what it compiles.

Started by path, `python judge_script.py SCRIPT RESULT SECONDS [BACKEND]`, with TORCH_TRACE set; it imports only torch,
and that when the script does: what the script writes into the environment before is what torch reads.
"""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import functools
import importlib
import importlib.abc
import importlib.util
import itertools
import json
import logging
import runpy
import signal
import sys
import traceback
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any
from unittest import mock

_PACKAGE = "pytest_compile_golden"


def _judging() -> types.SimpleNamespace:
    """The judge of this package, of which nothing need be installed where the script runs."""
    import torch._ops
    from torch._subclasses.fake_tensor import (
        DataDependentOutputException,
        FakeTensor,
        FakeTensorMode,
    )
    from torch.fx.experimental.proxy_tensor import get_proxy_mode
    from torch.utils import _python_dispatch, _pytree

    def row(name: Any) -> types.SimpleNamespace:
        return types.SimpleNamespace(get=lambda: name)

    rows: dict[str, Any] = {
        "PYTREE": row(_pytree),
        "DISPATCH_MODE": row(_python_dispatch.TorchDispatchMode),
        "DISABLE_MODES": row(_python_dispatch._disable_current_modes),
        "FAKE_TENSOR": row(FakeTensor),
        "FAKE_MODE": row(FakeTensorMode),
        "OPERATOR": row(torch._ops.OpOverload),
        "DATA_DEPENDENT": row(DataDependentOutputException),
        "PROXY_MODE": row(get_proxy_mode),
    }
    given: dict[str, dict[str, Any]] = {
        **{
            name: {}
            for name in (
                "",
                ".common",
                ".facts",
                ".features",
                ".features.numerics",
                ".targets",
            )
        },
        ".torch_internals": {"tensors": types.SimpleNamespace(**rows)},
    }
    before = {
        name: module
        for name, module in sys.modules.items()
        if name.partition(".")[0] == _PACKAGE
    }
    for name in before:
        del sys.modules[name]
    try:
        for name, held in given.items():
            module = sys.modules[_PACKAGE + name] = types.ModuleType(_PACKAGE + name)
            module.__path__ = [
                str(Path(__file__).parents[2].joinpath(*name.split(".")[1:]))
            ]
            vars(module).update(held)
        judge, observation, facts = (
            importlib.import_module(f"{_PACKAGE}.{name}")
            for name in (
                "features.numerics.judge",
                "features.numerics.observation",
                "facts.numerics",
            )
        )
    finally:
        for name in [
            name for name in sys.modules if name.partition(".")[0] == _PACKAGE
        ]:
            del sys.modules[name]
        sys.modules.update(before)
    return types.SimpleNamespace(**{**vars(facts), **vars(observation), **vars(judge)})


class OutOfTime(BaseException):
    """No script and no compiler catches it."""


class Watch:
    """Compares the results of compiled calls with those of the same calls in eager mode.

    into: the file that always has what was found so far, as JSON; whoever ends this process reads it.
    """

    def __init__(self, into: Path) -> None:
        self._into = into
        self._checks: list[dict[str, Any]] = []

    def write(self, problem: str | None = None, trace: str = "") -> None:
        """Leave the process that started this one torch's version, each check, and what ended the script."""
        version = getattr(sys.modules.get("torch"), "__version__", "")
        # What the virtual GPU says of the kernels that it interpreted, if this process has one.
        gpu = sys.modules.get(f"{_PACKAGE}.features.virtual_gpu.child_processes")
        found = {
            "torch": version,
            "problem": problem,
            "traceback": trace,
            "checks": self._checks,
            "interpreted": [] if gpu is None else gpu.summary(),
        }
        self._into.write_text(json.dumps(found), encoding="utf-8")

    def checked(
        self,
        name: str,
        compiled: Callable[..., Any],
        eager: Callable[..., Any],
        compile_: Callable[..., Any],
        options: dict[str, Any],
        owner: Any = None,
    ) -> Any:
        """`compiled`, which also runs `eager` on copies of its arguments.

        compile_, options: torch.compile, and what the script gave it. owner: the module that eager belongs to.
        """

        first = True

        @functools.wraps(eager)
        def call(*args: Any, **kwargs: Any) -> Any:
            nonlocal first
            import torch

            if torch.compiler.is_compiling():
                return compiled(*args, **kwargs)
            try:
                before = copy.deepcopy((owner, args, kwargs))
                state = _random_states()
            except Exception as error:
                # A tensor with a history, an object that cannot be copied.
                self._add(
                    name,
                    not_compared=f"its arguments cannot be copied: {type(error).__name__}: {error}",
                )
                return compiled(*args, **kwargs)
            result = compiled(*args, **kwargs)
            after = _random_states()
            try:
                left = self._left(result, owner, args, kwargs)
                settings = _inductor_settings(options)
                if settings is not None and settings["triton.cudagraphs"]:
                    trained = functools.partial(
                        self._apart,
                        _compiling_apart(compile_, options, settings),
                        eager,
                        before,
                        state,
                        backward=True,
                    )
                else:
                    trained = functools.partial(
                        self._trained, compiled, owner, before, state
                    )
                differentiable = first and bool(
                    _differentiable(self._judging.outputs(result))
                )
                recompiled = (
                    None
                    if settings is None
                    else _compiling_apart(
                        compile_,
                        options,
                        settings,
                        emulate_precision_casts=True,
                        fx_graph_cache=False,  # its keys do not tell what else is replaced then
                    )
                )
                self._compare(
                    name,
                    eager,
                    before,
                    state,
                    left,
                    recompiled,
                    trained if differentiable else None,
                )
            except Exception as error:
                self._add(
                    name, not_compared=f"{type(error).__name__} in eager mode: {error}"
                )
            finally:
                first = False
                _set_random_states(after)
            return result

        return call

    def _trained(
        self, compiled: Callable[..., Any], owner: Any, before: Any, state: Any
    ) -> Any:
        """What one more compiled call and its backward leave; the module is then as it was."""
        _, args, kwargs = copy.deepcopy((None, *before[1:]))
        _set_random_states(state)
        with _kept(owner):
            returned = compiled(*args, **kwargs)
            _backward(self._judging.outputs(returned))
            return self._left(returned, owner, args, kwargs)

    def _apart(
        self,
        compile_: Callable[..., Any],
        eager: Callable[..., Any],
        before: Any,
        state: Any,
        *,
        backward: bool,
    ) -> Any:
        """What a call leaves that has code and copies of its own."""
        owner, args, kwargs = copy.deepcopy(before)
        _set_random_states(state)
        with _untraced():
            function = compile_(
                _with_code_of_its_own(owner.forward if owner is not None else eager)
            )
            returned = function(*args, **kwargs)
            if backward:
                _backward(self._judging.outputs(returned))
        return self._left(returned, owner, args, kwargs)

    @functools.cached_property
    def _judging(self) -> types.SimpleNamespace:
        return _judging()

    def _compare(
        self,
        name: str,
        eager: Callable[..., Any],
        before: Any,
        state: Any,
        found: Any,
        recompiled: Any,
        trained: Callable[[], Any] | None,
    ) -> None:
        """recompiled: compiles a function with no rounding left out; None if its backend fuses nothing.

        trained: what a compiled call and its backward leave; None if gradients are not compared.
        """
        import torch

        def run(mode: Any, *, backward: bool = False) -> list[Any]:
            owner, args, kwargs = copy.deepcopy(before)
            _set_random_states(state)
            with torch.compiler.set_stance("force_eager"), mode:
                returned = (owner.forward if owner is not None else eager)(
                    *args, **kwargs
                )
                if backward:
                    _backward(self._judging.outputs(returned))
            return [self._left(returned, owner, args, kwargs)]

        def emulated(*, backward: bool = False) -> list[Any]:
            from torch._inductor.codegen.cpp import CppKernel

            # torch 2.12 and older write C++ without casts to half precision and back despite the setting.
            with mock.patch.object(CppKernel, "cache_dtype_convert", create=True):
                return [
                    self._apart(recompiled, eager, before, state, backward=backward)
                ]

        def differences(
            ours: list[Any], theirs: list[Any], *, backward: bool = False
        ) -> list[Any]:
            judge = self._judging.Judge(
                functools.partial(run, backward=backward),
                self._judging.Tolerance(None, None),
                None
                if recompiled is None
                else functools.partial(emulated, backward=backward),
            )
            found = [_unpromised(each) for each in judge.differences(theirs, ours)]
            not_run.update(judge.not_compared)
            return found

        not_run: dict[str, str] = {}
        try:
            expected = run(contextlib.nullcontext())
        except Exception as error:  # the script's own code may raise anything
            if not self._judging.refuses(error):
                raise
            said = " ".join(str(error).split())
            text = (
                f"eager raises {type(error).__name__}: {said}; "
                "compiled code returns a result"
            )
            self._add(
                name,
                [
                    self._judging.Difference(
                        "a call", "the call", "refusal", "accepts", text
                    )
                ],
            )
            return
        differ = differences([found], expected)
        compared = len(expected[0].values)
        if trained is not None and not any(each.fails for each in differ):
            try:
                with_gradients, mine = (
                    run(contextlib.nullcontext(), backward=True),
                    trained(),
                )
                differ += [
                    each
                    for each in differences([mine], with_gradients, backward=True)
                    if each.what.startswith("gradient of ")
                ]
                compared = len(with_gradients[0].values)
            except Exception as error:  # the script's own code may raise anything, and so may what compiles it
                not_run["backward"] = f"{type(error).__name__}: {error}"
        if any(each.fails for each in differ):
            other = run(_other_random_numbers())
            drawn = {(each.what, each.kind) for each in differences(other, expected)}
            if any(kind == "value" for _, kind in drawn):
                random = "it draws random numbers, which the compiler may draw in another way"
                # Whichever numbers they are, they have the dtype, the shape ... that they have in eager.
                kept = [
                    each
                    for each in differ
                    if each.kind not in ("value", "zero")
                    and (each.what, each.kind) not in drawn
                ]
                self._add(name, kept, 0, random)
                return
        why = "; ".join(
            f"{what} does not run: {error}" for what, error in not_run.items()
        )
        self._add(name, differ, compared, why)

    def _left(self, returned: Any, owner: Any, args: Any, kwargs: Any) -> Any:
        """What a call leaves: its results, and its arguments and its module's tensors as they then are."""
        import torch
        from torch.utils import _pytree as pytree

        leaves = [
            leaf
            for leaf in pytree.tree_leaves((args, kwargs))
            if isinstance(leaf, torch.Tensor)
        ]
        held = owner.state_dict(keep_vars=True) if owner is not None else {}
        given = {f"input {number}": leaf for number, leaf in enumerate(leaves)}
        given.update(
            {
                name: value
                for name, value in held.items()
                if isinstance(value, torch.Tensor)
            }
        )
        return self._judging.observe(
            "a call", returned, self._judging.outputs(returned), given, given
        )

    def _add(
        self,
        name: str,
        found: Sequence[Any] = (),
        compared: int = 0,
        not_compared: str = "",
    ) -> None:
        why = (" ".join(not_compared.split())[:300],) if not_compared else ()
        self._checks.append(
            self._judging.Numerics(
                name, "this machine", tuple(found), 1, compared, why
            ).as_json()
        )
        self.write()


def _differentiable(outputs: Mapping[str, Any]) -> list[Any]:
    """The results that backward may start from."""
    import torch

    return [
        each
        for each in outputs.values()
        if isinstance(each, torch.Tensor) and each.grad_fn is not None
    ]


def _backward(outputs: Mapping[str, Any]) -> None:
    """Run backward from what a call returned, with gradients that depend on nothing but their shapes."""
    import torch

    ends = _differentiable(outputs)
    generator = torch.Generator().manual_seed(0)
    start = [
        torch.randn(
            each.shape, generator=generator, dtype=torch.float64, device="cpu"
        ).to(each)
        for each in ends
    ]
    if ends:
        torch.autograd.backward(ends, start)


@contextlib.contextmanager
def _kept(owner: Any) -> Iterator[None]:
    """Keep the gradients of a module's tensors, and their contents; those that do not change are not written to."""
    import torch

    held = {} if owner is None else owner.state_dict(keep_vars=True)
    tensors = [value for value in held.values() if isinstance(value, torch.Tensor)]
    before = [(each, each.grad, each.detach().clone()) for each in tensors]
    for each in tensors:
        each.grad = None
    try:
        yield
    finally:
        for each, gradient, contents in before:
            each.grad = gradient
            if not torch.equal(each, contents):
                with torch.no_grad():
                    each.copy_(contents)


def _unpromised(difference: Any) -> Any:
    """A difference as it is where Inductor does not keep eager's strides: what decides that is not known here."""
    if (difference.kind, difference.verdict) != ("strides", "compiled"):
        return difference
    return dataclasses.replace(
        difference, verdict="unpromised", reason="not every version promises them"
    )


def _random_states() -> list[Any]:
    """Of the CPU and of each GPU."""
    import torch

    return [
        torch.get_rng_state(),
        *(torch.cuda.get_rng_state_all() if torch.cuda.is_available() else ()),
    ]


def _set_random_states(states: list[Any]) -> None:
    import torch

    torch.set_rng_state(states[0])
    for index, state in enumerate(states[1:]):
        torch.cuda.set_rng_state(state, index)


def _other_random_numbers() -> Any:
    """A mode in which each operator that draws random numbers starts from a seed of its own.

    The state that a program starts from would not do: a program may set a seed itself, and have its own generators.
    """
    import torch
    from torch.utils import _pytree as pytree
    from torch.utils._python_dispatch import TorchDispatchMode

    seeds = itertools.count(0x5EED)

    def seeded(generator: torch.Generator) -> torch.Generator:
        return torch.Generator(generator.device).manual_seed(next(seeds))

    class OtherRandomNumbers(TorchDispatchMode):  # type: ignore[misc]
        def __torch_dispatch__(
            self, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            given = args, kwargs or {}
            if torch.Tag.nondeterministic_seeded in func.tags:
                torch.manual_seed(next(seeds))
                given = pytree.tree_map_only(torch.Generator, seeded, given)
            return func(*given[0], **given[1])

    return OtherRandomNumbers()


def _watch(judge: Watch, backend: str | None) -> None:
    """Let `torch.compile` return functions and modules whose calls are judged."""
    import torch

    compile_ = torch.compile

    @functools.wraps(compile_)
    def compile_and_check(model: Any = None, **options: Any) -> Any:
        if model is None:
            return functools.partial(compile_and_check, **options)
        if backend is not None:
            options = {
                **{
                    name: options[name]
                    for name in ("fullgraph", "dynamic")
                    if name in options
                },
                "backend": backend,
            }
        compiled = compile_(model, **options)
        if isinstance(model, torch.nn.Module):
            compiled.forward = judge.checked(
                type(model).__name__,
                compiled.forward,
                model.forward,
                compile_,
                options,
                model,
            )
            return compiled
        return judge.checked(
            getattr(model, "__qualname__", repr(model)),
            compiled,
            model,
            compile_,
            options,
        )

    torch.compile = compile_and_check


def _inductor_settings(options: dict[str, Any]) -> dict[str, Any] | None:
    """What the script sets of Inductor, and whether CUDA graphs are recorded; None if it takes another backend."""
    import torch

    if options.get("backend", "inductor") != "inductor":
        return None
    mode = options.get("mode")
    of_mode = (
        torch._inductor.list_mode_options(mode, options.get("dynamic")) if mode else {}
    )
    recorded = torch._inductor.config.triton.cudagraphs
    return {
        "triton.cudagraphs": recorded,
        **of_mode,
        **(options.get("options") or {}),
    }


def _compiling_apart(
    compile_: Callable[..., Any],
    options: dict[str, Any],
    settings: dict[str, Any],
    **changed: Any,
) -> Callable[..., Any]:
    """torch.compile as the script calls it with these settings of Inductor, for calls that the script does not make.

    They record no CUDA graphs: in one more call these may take the memory of results that the script still has.
    """
    own = {**settings, "triton.cudagraphs": False, **changed}
    return functools.partial(compile_, **{**options, "mode": None, "options": own})


def _with_code_of_its_own(function: Any) -> Any:
    """A copy for which Dynamo compiles anew: it keeps compiled versions with the code, and counts them."""
    if isinstance(function, types.MethodType):
        return types.MethodType(
            _with_code_of_its_own(function.__func__), function.__self__
        )
    if not isinstance(function, types.FunctionType):
        return function
    code, defaults = function.__code__.replace(), function.__defaults__
    own = types.FunctionType(
        code, function.__globals__, function.__name__, defaults, function.__closure__
    )
    own.__kwdefaults__ = function.__kwdefaults__
    return own


@contextlib.contextmanager
def _untraced() -> Iterator[None]:
    """What is compiled inside is not the script's: torch does not write it down (torch/_logging/_internal.py)."""
    trace = logging.getLogger("torch.__trace")
    before, trace.disabled = trace.disabled, True
    try:
        yield
    finally:
        trace.disabled = before


class _WhenTorchIs(importlib.abc.MetaPathFinder):
    """Calls `then` as soon as torch has been imported."""

    def __init__(self, then: Callable[[], None]) -> None:
        self._then = then

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: Any = None
    ) -> ModuleSpec | None:
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
    judge, problem, trace = Watch(Path(into)), None, ""
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
        problem = (
            late if isinstance(inner, OutOfTime) else f"{type(inner).__name__}: {inner}"
        )
        trace = "".join(traceback.format_exception(error))
    signal.setitimer(signal.ITIMER_REAL, 0)
    judge.write(problem, trace)


if __name__ == "__main__":
    sys.path.insert(0, sys.argv[1].rpartition("/")[0] or ".")
    main(*sys.argv[1:])
