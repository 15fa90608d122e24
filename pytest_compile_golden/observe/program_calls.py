"""The program under test: which parts are moved to the target, its sandbox, and the calls that get it compiled."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import replace
from typing import Any

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

from pytest_compile_golden.common.lines import split_lines
from pytest_compile_golden.common.program_call import Call, Mode
from pytest_compile_golden.errors import CompileGoldenError, UnsupportedTensor
from pytest_compile_golden.facts.record import Record
from pytest_compile_golden.observe.already_compiled import name_of, to_compile
from pytest_compile_golden.observe.compile_isolation import (
    isolated,
    own_caches,
    without_default_device,
)
from pytest_compile_golden.observe.compile_options import CompileOptions
from pytest_compile_golden.observe.config_patches import patched
from pytest_compile_golden.observe.device_transfer import contained, move_all
from pytest_compile_golden.observe.source_locations import closure_of
from pytest_compile_golden.observe.torch_errors import translated
from pytest_compile_golden.observe.user_kernels import checked_kernels
from pytest_compile_golden.targets import Target, current_context
from pytest_compile_golden.targets.distributed_api import (
    answer_reducer,
    fill_buckets_in_order,
)
from pytest_compile_golden.targets.process_group import Ranks
from pytest_compile_golden.targets.unused_results import LastCall
from pytest_compile_golden.torch_internals import device as names
from pytest_compile_golden.torch_internals import tensors

_pytree = tensors.PYTREE.get()
pytree = tensors.PYTREE.get()


def warm(device_type: str) -> None:
    """Trace torch's built-in patterns now; traced lazily, they would show up in the capture."""
    device = (
        torch.device(device_type, 0) if device_type != "cpu" else torch.device("cpu")
    )
    for row, arguments in (
        (names.PRE_GRAD_LAZY_INIT, ()),
        (names.JOINT_LAZY_INIT, (device,)),
        (names.POST_GRAD_LAZY_INIT, ()),
    ):
        if row.here:
            row.get()(*arguments)


def owned(
    fn: Callable[..., Any], values: Any
) -> tuple[list[torch.nn.Module], list[torch.Tensor]]:
    """The modules and tensors in `values` and in what `fn` is, is bound to or closes over."""
    owners = list(
        contained([fn, getattr(fn, "__self__", None), *closure_of(fn).values(), values])
    )
    modules = [owner for owner in owners if isinstance(owner, torch.nn.Module)]
    return modules, [owner for owner in owners if isinstance(owner, torch.Tensor)]


def named_inputs(
    fn: Callable[..., Any], options: CompileOptions
) -> dict[str, list[Any]]:
    """The arguments of `fn` by parameter name, each with one value for every call that passes it.

    If the parameters are unknown, positional arguments are named by their index: `args[0]`.
    """
    named: dict[str, list[Any]] = {}
    called = fn.forward if isinstance(fn, torch.nn.Module) else fn
    for args, kwargs, *_ in options.calls:
        try:
            arguments = inspect.signature(called).bind(*args, **kwargs).arguments
        except (TypeError, ValueError):
            # Many of torch's own functions have no signature.
            arguments = {
                f"args[{index}]": value for index, value in enumerate(args)
            } | dict(kwargs)
        for name, value in arguments.items():
            named.setdefault(name, []).append(value)
    return named


@contextmanager
def ensure_some_gradient(fn: Callable[..., Any], values: Any) -> Iterator[None]:
    """If nothing requires a gradient, make all float inputs require one; undone after, as they may be the user's."""
    modules, tensors = owned(fn, values)
    parameters = [parameter for module in modules for parameter in module.parameters()]
    enabled: list[torch.Tensor] = []
    if not any(tensor.requires_grad for tensor in (*tensors, *parameters)):
        inputs = [
            leaf
            for leaf in _pytree.tree_leaves(values)
            if isinstance(leaf, torch.Tensor)
        ]
        enabled = [
            leaf for leaf in inputs if leaf.is_floating_point() or leaf.is_complex()
        ]
    try:
        for tensor in enabled:
            tensor.requires_grad_()
        yield
    finally:
        for tensor in enabled:
            tensor.requires_grad_(False)


@contextmanager
def compile_sandbox(
    target: Target, train: bool, config: Mapping[str, Any]
) -> Iterator[None]:
    """What a case compiles in: isolated, with its own config and grad mode, without a default device."""
    with (
        isolated(),
        own_caches(config),
        without_default_device(),
        patched(config),
        checked_kernels(target),
        torch.enable_grad() if train else torch.no_grad(),
    ):
        yield


@contextmanager
def placed(
    fn: Callable[..., Any],
    options: CompileOptions,
    target: Target,
    config: Mapping[str, Any],
) -> Iterator[tuple[Callable[..., Any], CompileOptions]]:
    """What a case compiles in: yields `fn` (or the function inside, if already compiled) and options with its inputs on
    the active target.

    config: applies to keys that the options do not set.
    """
    warm(target.device_type)
    with ExitStack() as stack:
        name = name_of(fn)
        fn, options = stack.enter_context(to_compile(fn, options))
        with translated(name, target):
            fn, calls = move_all(fn, options.calls, target.place)
        if options.train:
            stack.enter_context(ensure_some_gradient(fn, calls))
        options = replace(options, calls=calls)
        if target.virtual and target.device_type == "cuda":
            _same_classes(fn, options, target)
        stack.enter_context(
            compile_sandbox(target, options.train, {**config, **options.config})
        )
        yield fn, options


def _same_classes(
    fn: Callable[..., Any], options: CompileOptions, target: Target
) -> None:
    """Raise UnsupportedTensor for an input that is a parameter in one call and a plain tensor in another.

    Dynamo's guards compare classes (torch/_dynamo/guards.py: TENSOR_MATCH), and fake tensors are all of one class.
    """
    for name, values in named_inputs(fn, options).items():
        parameters = [
            [
                isinstance(leaf, torch.nn.Parameter)
                for leaf in _pytree.tree_leaves(value)
                if torch.is_tensor(leaf)
            ]
            for value in values
        ]
        for one in zip(*parameters, strict=False):
            if len(set(one)) > 1:
                raise UnsupportedTensor(
                    f"{name} holds a parameter in one call and a plain tensor in another, for which torch compiles "
                    f"again. Tensors on {target.name} are all of one class, so it would not. Capture the calls one by "
                    'one, or give this case a CPU target: @pytest.mark.compile_golden(target="cpu-avx2").'
                )


@contextmanager
def prepared(call: Call) -> Iterator[None]:
    """Do what is to be done before a call, and be in its mode."""
    if call.before is not None:
        call.before()
    tensors_given = [
        leaf
        for leaf in pytree.tree_leaves((call.args, call.kwargs))
        if isinstance(leaf, torch.Tensor)
    ]
    device = next((leaf.device.type for leaf in tensors_given), "cpu")
    modes: dict[Mode | None, Callable[[], AbstractContextManager[object]]] = {
        None: nullcontext,
        "grad": torch.enable_grad,
        "no_grad": torch.no_grad,
        "inference": torch.inference_mode,
        "autocast": lambda: torch.autocast(device),
    }
    with modes[call.mode]():
        yield


def run_steps(
    compiled: Callable[..., Any],
    fn: Callable[..., Any],
    options: CompileOptions,
    record: Record,
) -> None:
    """Call `compiled`, the compiled `fn`, once per item of `options.calls`.

    Backward is compiled along with forward and need not run. In a process group it does run: its hooks gather
    parameters and reduce gradients. The record's `step` is what the last call did; with DistributedDataParallel, what
    one more call did, since the reducer has its buckets only after the first step (with a static graph, the second).
    """
    if not (dist.is_available() and dist.is_initialized()):
        *before, final = options.calls
        for call in before:
            with prepared(call):
                compiled(*call.args, **call.kwargs)
        last = LastCall(run_steps.__code__, lambda: bool(record.get("graph_breaks")))
        with prepared(final), current_context.within(last):
            compiled(*final.args, **final.kwargs)
        return
    modules, tensors = owned(fn, options.calls)
    parameters = [parameter for module in modules for parameter in module.parameters()]
    inside = {
        id(module): module for owner in modules for module in owner.modules()
    }.values()
    replicas = (
        [module for module in inside if isinstance(module, DistributedDataParallel)]
        if options.train
        else []
    )

    def step(call: Call) -> None:
        record.entries.pop("step", None)
        for replica in replicas if current_context.now(Ranks) is not None else ():
            answer_reducer(replica)
        with prepared(call):
            outputs = compiled(*call.args, **call.kwargs)
        if options.train:
            with _as_far_as_possible(record):
                starts = [
                    leaf
                    for leaf in pytree.tree_leaves(outputs)
                    if isinstance(leaf, torch.Tensor) and leaf.requires_grad
                ]
                zeros = [torch.zeros_like(start) for start in starts]
                torch.autograd.backward(starts, zeros)

    with _gradients_put_back([*tensors, *parameters]):
        for call in options.calls:
            step(call)
        if replicas:
            with _as_far_as_possible(record):
                # With a static graph the first step only observes.
                for _ in range(1 + any(replica.static_graph for replica in replicas)):
                    for replica in replicas:
                        fill_buckets_in_order(replica)
                    step(options.calls[-1])


@contextmanager
def _as_far_as_possible(record: Record) -> Iterator[None]:
    """Keep what was compiled even if the step fails afterwards; what it would send is then unknown."""
    try:
        yield
    except CompileGoldenError:
        raise
    except Exception as error:
        message = (split_lines(str(error).strip()) or [""])[0]
        record.unavailable["collectives"] = (
            f"the step failed after it was compiled ({type(error).__name__}: {message})"
        )


@contextmanager
def _gradients_put_back(tensors: list[torch.Tensor]) -> Iterator[None]:
    before = [(tensor, tensor.grad) for tensor in tensors if tensor.is_leaf]
    try:
        yield
    finally:
        for tensor, gradient in before:
            tensor.grad = gradient


def call_eagerly(
    fn: Callable[..., Any],
    calls: Iterable[Sequence[Any]],
    kwargs: Mapping[str, Any] | None,
    *,
    train: bool,
) -> None:
    """Call a program with each of these arguments, in training with gradients. Raises what it raises."""
    with torch.set_grad_enabled(train):
        for call in calls:
            fn(*call, **(kwargs or {}))
