"""One capture: enter the target, watch one real torch.compile run, return what was recorded."""

from __future__ import annotations

import contextvars
import functools
import platform
import types
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any, ParamSpec, TypeVar

from packaging.version import Version

from pytest_compile_golden.compile_options import CompileOptions
from pytest_compile_golden.errors import CaptureFailed, NothingCompiled, UnsupportedTorch, WrongDevice
from pytest_compile_golden.installed import torch_version, triton_version
from pytest_compile_golden.record import Environment, OutputCode, Record
from pytest_compile_golden.targets import Target, active_target, get_target
from pytest_compile_golden.vocabulary import DEFAULT_TARGET, OLDEST_TORCH

P = ParamSpec("P")
R = TypeVar("R")


@functools.cache
def environment() -> Environment:
    """The installed torch, Triton and Python. Raises UnsupportedTorch for a torch that is too old."""
    torch = torch_version()
    if torch is None or Version(torch) < Version(OLDEST_TORCH):
        raise UnsupportedTorch(
            f"torch {torch} is installed; {OLDEST_TORCH} is the oldest supported. pip install -U torch"
        )
    return Environment(torch=torch, triton=triton_version(), python=platform.python_version())


def warm(device_type: str) -> None:
    """Trace torch's built-in patterns now; done lazily they would show up inside the capture."""
    import torch
    from torch._inductor.fx_passes import joint_graph, post_grad, pre_grad

    device = torch.device(device_type, 0) if device_type != "cpu" else torch.device("cpu")
    pre_grad.lazy_init()
    joint_graph.lazy_init(device)
    post_grad.lazy_init()


Move = Callable[[Any], Any]


def move_all(fn: Callable[..., Any], values: Any, move: Move) -> tuple[Callable[..., Any], Any]:
    """`fn` with what it owns, is bound to or closes over, and `values`, on the target.

    Moved at once, so that what they share stays shared: a model's parameters and its optimizer's are the same.
    """
    found: list[Any] = []

    def collect(thing: Any) -> Any:
        found.append(thing)
        return thing

    _move_function(fn, collect, {})
    *placed, moved_values = move([*found, values])
    in_the_same_order = iter(placed)
    return _move_function(fn, lambda thing: next(in_the_same_order), {}), moved_values


def _move_function(fn: Any, move: Move, known: dict[int, Any]) -> Any:
    if id(fn) not in known:
        known[id(fn)] = fn  # what a function that calls itself finds in its own closure
        known[id(fn)] = _moved_function(fn, move, known)
    return known[id(fn)]


def _moved_function(fn: Any, move: Move, known: dict[int, Any]) -> Any:
    import torch

    if isinstance(fn, torch.nn.Module):
        return move(fn)
    if isinstance(fn, types.MethodType) and isinstance(fn.__self__, (torch.nn.Module, torch.optim.Optimizer)):
        return types.MethodType(fn.__func__, move(fn.__self__))
    if isinstance(fn, functools.partial):
        return functools.partial(_move_function(fn.func, move, known), *move(fn.args), **move(fn.keywords))
    if isinstance(fn, types.FunctionType) and fn.__closure__:
        cells = tuple(_move_cell(cell, move, known) for cell in fn.__closure__)
        if any(new is not old for new, old in zip(cells, fn.__closure__, strict=True)):
            copy = types.FunctionType(fn.__code__, fn.__globals__, fn.__name__, fn.__defaults__, cells)
            copy.__kwdefaults__, copy.__dict__ = fn.__kwdefaults__, dict(fn.__dict__)
            return functools.update_wrapper(copy, fn)
    return fn


def _move_cell(cell: types.CellType, move: Move, known: dict[int, Any]) -> types.CellType:
    import torch
    from torch.utils import _pytree

    content = _content(cell)
    if isinstance(content, (types.FunctionType, types.MethodType, functools.partial)):
        placed = _move_function(content, move, known)
        return cell if placed is content else types.CellType(placed)
    leaves = _pytree.tree_leaves(content)
    if not any(isinstance(leaf, (torch.Tensor, torch.nn.Module, torch.optim.Optimizer)) for leaf in leaves):
        return cell
    placed = move(content)
    now = _pytree.tree_leaves(placed)
    # A list that is all on the target stays the list that it is: the function may append to it.
    return cell if all(new is old for new, old in zip(now, leaves, strict=True)) else types.CellType(placed)


@contextmanager
def ensure_some_gradient(fn: Callable[..., Any], values: Any) -> Iterator[None]:
    """Where nothing asks for a gradient, every float input does until the block ends: it may be the user's tensor."""
    import torch
    from torch.utils import _pytree

    closure = map(_content, getattr(fn, "__closure__", None) or ())
    owners = [fn, getattr(fn, "__self__", None), *closure, *_pytree.tree_leaves(values)]
    modules = [each for each in owners if isinstance(each, torch.nn.Module)]
    tensors = [each for each in owners if isinstance(each, torch.Tensor)]
    parameters = [parameter for module in modules for parameter in module.parameters()]
    asked: list[torch.Tensor] = []
    if not any(each.requires_grad for each in (*tensors, *parameters)):
        inputs = [each for each in _pytree.tree_leaves(values) if isinstance(each, torch.Tensor)]
        asked = [each for each in inputs if each.is_floating_point() or each.is_complex()]
    try:
        for tensor in asked:
            tensor.requires_grad_()
        yield
    finally:
        for tensor in asked:
            tensor.requires_grad_(False)


def _content(cell: types.CellType) -> Any:
    """What a closure cell holds; None for one that is not bound yet."""
    try:
        return cell.cell_contents
    except ValueError:
        return None


@contextmanager
def compile_sandbox(target: Target, train: bool, config: Mapping[str, Any]) -> Iterator[None]:
    """Where a case compiles: isolated, with its own config and grad mode, without a default device."""
    import torch

    from pytest_compile_golden.observe.config import patched
    from pytest_compile_golden.observe.isolation import isolated, own_caches, without_default_device
    from pytest_compile_golden.observe.user_kernels import checked_kernels

    with ExitStack() as stack:
        for context in (
            isolated(),
            own_caches(config),
            without_default_device(),
            patched(config),
            checked_kernels(target),
        ):
            stack.enter_context(context)
        with torch.enable_grad() if train else torch.no_grad():
            yield


def in_own_context(function: Callable[P, R]) -> Callable[P, R]:
    """`function`, called in a copy of the context: what is set in context variables goes when it returns.

    torch makes a variable each time that a config is patched (torch/utils/_config_module.py: ConfigPatch), and a
    context keeps whatever was ever set in it.
    """

    @functools.wraps(function)
    def called(*args: P.args, **kwargs: P.kwargs) -> R:
        return contextvars.copy_context().run(function, *args, **kwargs)

    return called


@in_own_context
def record_compile(fn: Callable[..., Any], target: str | None, options: CompileOptions) -> Record:
    """Compile `fn` for `target` by calling it once per item of `options.calls`; see `pytest_compile_golden.capture`."""
    versions = environment()
    active = active_target()
    chosen = get_target(target) if target is not None else active or get_target(DEFAULT_TARGET)
    with ExitStack() as stack:
        stack.enter_context(chosen.active(policy=options.policy))
        # Heavy imports only once a target is there: torch's own modules read the device when they are first loaded.
        import torch

        from pytest_compile_golden.observe.compiled import name_of, to_compile
        from pytest_compile_golden.observe.failures import translated
        from pytest_compile_golden.observe.isolation import record_compile_totals
        from pytest_compile_golden.observe.probe import Recorder, install_probes

        warm(chosen.device_type)
        record = Record(
            target=chosen.name,
            device_type=chosen.device_type,
            training=options.train,
            environment=versions,
            policy=chosen.policy,
        )
        name = name_of(fn)
        fn, options = stack.enter_context(to_compile(fn, options))
        with translated(name, chosen):
            values = (list(options.calls), dict(options.kwargs))
            function, (placed_calls, placed_kwargs) = move_all(fn, values, chosen.place)
        if options.train:
            stack.enter_context(ensure_some_gradient(function, (placed_calls, placed_kwargs)))
        stack.enter_context(compile_sandbox(chosen, options.train, options.config))
        with ExitStack() as hooks, translated(name, chosen):
            install_probes(Recorder(record), hooks)
            compiled = torch.compile(function, **options.torch_compile)
            for inputs in placed_calls:
                compiled(*inputs, **placed_kwargs)
        record_compile_totals(record)
    _check(record, name)
    return record


def _check(record: Record, name: str) -> None:
    codes: list[OutputCode] = record.get("output_code")
    if not codes and "wrapper_code" not in record.unavailable:
        raise NothingCompiled(
            f"0 compilations captured: torch.compile compiled nothing of {name}. It may have no tensor operations, be "
            "excluded with torch.compiler.disable, or break out of the graph at its first operation; "
            "fullgraph=True makes torch say which."
        )
    devices = frozenset().union(*(code.devices for code in codes))
    if devices and record.device_type not in devices:
        raise WrongDevice(
            f"{name} was compiled for {' and '.join(sorted(devices))} only, and this case is for {record.target}: no "
            "tensor in its graphs is on that device.\n"
            '  Leave out device="cpu" where the inputs are made (inside a case the target is the default device), give '
            "the tensors that the function makes a device (device=x.device), or mark the test for a CPU target: "
            '@pytest.mark.compile_golden(target="cpu-avx2").'
        )
    if record.training and not record.get("backward_graph") and "backward_graph" not in record.unavailable:
        raise CaptureFailed(
            f"train=True, but {name} has no backward graph: no output depends on a tensor that requires a gradient. "
            "Check for detach(), torch.no_grad() or integer outputs, or capture it with train=False."
        )
