"""A capture leaves no trace: caches are off during it, and everything it could touch is restored afterwards.

What a test leaves set is another matter: `global_settings.py`.
"""

from __future__ import annotations

import copy
import gc
import itertools
import logging
import os
import random
import sys
import tempfile
import warnings
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from types import ModuleType
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from pytest_compile_golden.errors import UnsupportedTorch
from pytest_compile_golden.facts.record import Record
from pytest_compile_golden.targets import active_target
from pytest_compile_golden.targets.device_caches import forget_shardings
from pytest_compile_golden.targets.import_torch import own_variables
from pytest_compile_golden.targets.patching import Patches
from pytest_compile_golden.torch_internals import (
    MissingName,
    dotted,
    inductor,
    process,
    scheduler,
    settings,
)

# The switches of the caches: with any of them on, a capture on a native target gets its own folder too.
_CACHES = (
    "fx_graph_cache",
    "fx_graph_remote_cache",
    "functorch.enable_autograd_cache",
    "functorch.enable_remote_autograd_cache",
)


@contextmanager
def own_caches(config: Mapping[str, Any]) -> Iterator[None]:
    """Have torch and Triton keep files in a temporary folder if real programs must not find them.

    Nothing compiled for a virtual device can run. What native targets build is what any program would build, so it
    stays where programs look for it, unless `config` turns on a cache that would answer instead of a compile.
    """
    target = active_target()
    if not (target is not None and target.virtual) and not any(
        config.get(name) for name in _CACHES
    ):
        yield
        return
    with (
        tempfile.TemporaryDirectory(
            prefix="compile-golden-", ignore_cleanup_errors=True
        ) as folder,
        own_variables(),
    ):
        os.environ["TORCHINDUCTOR_CACHE_DIR"] = folder
        os.environ["TRITON_CACHE_DIR"] = str(Path(folder, "triton"))
        yield


@contextmanager
def _counters() -> Iterator[None]:
    counters = process.COUNTERS.get()
    before = {name: Counter(counter) for name, counter in counters.items()}
    counters.clear()
    try:
        yield
    finally:
        counters.clear()
        counters.update(before)


@contextmanager
def _numbered_from_zero() -> Iterator[None]:
    """Number AOTAutograd's graphs from 0, whatever this process compiled before."""
    with Patches() as patches:
        if inductor.AOT_COUNTER.here:
            patches.put(*inductor.AOT_COUNTER.resolve(), itertools.count())
        yield


@contextmanager
def _metrics() -> Iterator[None]:
    metrics = process.METRICS.get()
    before = {
        name: copy.copy(value)
        for name, value in vars(metrics).items()
        if type(value) in (int, list)
    }
    metrics.reset()
    try:
        yield
    finally:
        metrics.reset()
        for name, value in before.items():
            held = getattr(metrics, name)
            if isinstance(held, list):
                _fill(held, value)
            else:
                setattr(metrics, name, value)


@contextmanager
def random_numbers_kept() -> Iterator[None]:
    """Put the states of Python's, torch's and NumPy's generators back when the block ends."""
    python = random.getstate()
    cpu = torch.random.default_generator.get_state()
    numpy = sys.modules.get("numpy")
    numpy_state = numpy.random.get_state() if numpy is not None else None
    try:
        yield
    finally:
        random.setstate(python)
        torch.random.default_generator.set_state(cpu)
        if numpy is not None:
            numpy.random.set_state(numpy_state)


@contextmanager
def seeded_on_the_host(seed: int) -> Iterator[None]:
    """Random numbers of the host from a fixed seed until the block ends, after which they go on from where they were.

    No device is asked for.
    """
    with random_numbers_kept():
        torch.random.default_generator.manual_seed(seed)
        random.seed(seed)
        if "numpy" in sys.modules:
            sys.modules["numpy"].random.seed(seed)
        yield


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Random numbers from a fixed seed until the block ends; each generator then continues from where it was."""
    devices = range(torch.cuda.device_count()) if torch.cuda.is_available() else ()
    with torch.random.fork_rng(devices), seeded_on_the_host(seed):
        seed_devices(seed)
        yield


def seed_devices(seed: int) -> None:
    """`torch.manual_seed` for what a target may compute on.

    torch's own notes the whole stack for each other kind of device, for when that is used (torch/xpu/__init__.py:
    _lazy_call): more work than a small program, and what it keeps grows.
    """
    if torch.cuda.is_available():
        torch.cuda.manual_seed_all(seed)
    torch.random.default_generator.manual_seed(seed)


@contextmanager
def no_trace_logging() -> Iterator[None]:
    """Detach handlers that are not torch's from its structured trace.

    torch builds the costly payload of every trace event if the logger has any handler
    (torch/_logging/_internal.py: trace_structured), and pytest attaches one to every logger.
    """
    logger = logging.getLogger("torch.__trace")
    handlers = logger.handlers
    logger.handlers = [
        handler for handler in handlers if type(handler).__module__.startswith("torch.")
    ]
    try:
        yield
    finally:
        logger.handlers = handlers


# These log what a capture records anyway, or torch's own stack for errors that we report.
_REPEATING = (
    "torch._subclasses.fake_tensor",
    "torch._dynamo.symbolic_convert.__graph_breaks",
    "torch._dynamo.variables.ctx_manager",
)


@contextmanager
def _quiet() -> Iterator[None]:
    """Silence the torch loggers that repeat what a capture reports, unless TORCH_LOGS is set."""
    loggers = [
        logging.getLogger(name)
        for name in _REPEATING
        if not os.environ.get("TORCH_LOGS")
    ]
    before = [logger.disabled for logger in loggers]
    for logger in loggers:
        logger.disabled = True
    try:
        with warnings.catch_warnings():
            # Performance advice (torch/_inductor/compile_fx.py): normally once per process, but here once per target.
            warnings.filterwarnings("ignore", message="TensorFloat32 tensor cores")
            yield
    finally:
        for logger, disabled in zip(loggers, before, strict=True):
            logger.disabled = disabled


@contextmanager
def without_default_device() -> Iterator[None]:
    """Suspend the default device, so that the program under test is compiled as it would be without one.

    The default device is a torch function mode (torch/utils/_device.py), which Dynamo would trace and guard on.
    """
    stack_length, pop, push = (
        process.STACK_LENGTH.get(),
        process.POP_MODE.get(),
        process.PUSH_MODE.get(),
    )
    devices = process.DEVICE.get()

    def popped() -> TorchFunctionMode:
        mode = pop()
        # torch would only fail once it asks the mode something.
        if not isinstance(mode, TorchFunctionMode):
            raise UnsupportedTorch(
                f"{dotted(process.POP_MODE.at)} returns a {type(mode).__name__}, and no mode"
            )
        return mode

    def swap(modes: list[Any], device: Any) -> tuple[list[Any], Any]:
        before = [popped() for _ in range(stack_length())][::-1], devices.CURRENT_DEVICE
        for mode in modes:
            push(mode)
        devices.CURRENT_DEVICE = device
        return before

    with_device = swap([], None)
    swap(
        [
            mode
            for mode in with_device[0]
            if not isinstance(mode, devices.DeviceContext)
        ],
        None,
    )
    try:
        yield
    finally:
        swap(*with_device)


def forget_pytree_source() -> None:
    """Make each compile the first one to ask Dynamo where pytree's nodes are registered.

    Up to torch 2.14 only the first gets a guard on the module `torch` (torch/_dynamo/variables/functions.py:
    get_pytree_SUPPORTED_NODES_source).
    """
    if process.PYTREE_SOURCE.here:
        process.PYTREE_SOURCE.get().cache_clear()


@contextmanager
def _other_modules() -> Iterator[None]:
    """Put back what the program writes to globals of modules other than its own, such as a library's cache.

    Dynamo guards on what it reads there, so the next capture would have other guards than this one, and what fake
    tensors left there is of no use to anybody. What a program writes to its own module may be its result, and stays.
    """
    written: dict[int, tuple[Any, Any]] = {}

    def keep(effects: Any) -> None:
        variables, modified = process.VARIABLES.of(effects), process.MODIFIED.get()
        for held in process.HELD.of(effects):
            variable = variables.get(id(held))
            if variable is None or not modified(effects, variable):
                continue
            if not (
                isinstance(held, ModuleType) or _elsewhere(process.SOURCE.of(variable))
            ):
                continue
            content = (
                held
                if isinstance(held, (dict, list, set, deque))
                else getattr(held, "__dict__", None)
            )
            if content is not None:
                written.setdefault(id(content), (content, copy.copy(content)))

    def keeping(update: Callable[..., Any]) -> Callable[..., Any]:
        def kept(effects: Any, *args: Any, **kwargs: Any) -> Any:
            # In a torch that we do not know.
            with suppress(AttributeError, KeyError, TypeError, MissingName):
                keep(effects)
            return update(effects, *args, **kwargs)

        return kept

    with Patches() as patches:
        rows = (
            process.SIDE_EFFECTS,
            process.MODIFIED,
            process.VARIABLES,
            process.HELD,
            process.SOURCE,
        )
        if all(row.here for row in rows):
            patches.wrap(*process.SIDE_EFFECTS.resolve(), keeping)
        try:
            yield
        finally:
            for content, before in written.values():
                _fill(content, before)


def _elsewhere(source: Any) -> bool:
    """Whether `source` is a global of another module than the program's, which does not name it itself."""
    try:
        # Its name for another module (torch/_dynamo/symbolic_convert.py: import_source).
        name = "" if source is None else source.name
        # A method up to torch 2.9.
        return (name() if callable(name) else name).startswith("G['__import_")
    except NotImplementedError:  # what the program makes itself has no name
        return False


@contextmanager
def _notes() -> Iterator[None]:
    """Restore Dynamo's notes on frames and compiles: it keeps each one for the life of the process."""
    kept = [
        row.get()
        for row in (process.TRACED_FRAMES, process.COMPILATION_METRICS)
        if row.here
    ]
    with suppress(MissingName):
        # Has the stack of every value that was ever set (torch/_dynamo/metrics_context.py: MetricsContext).
        kept.append(process.METRICS_EDITS.of(process.METRICS_CONTEXT.get()()))
    before = [(notes, tuple(notes)) for notes in kept]
    try:
        yield
    finally:
        for notes, content in before:
            _fill(notes, content)


@contextmanager
def _compiling_nothing() -> Iterator[None]:
    """Restore which compile is the current one: compiled autograd leaves its own if a backward fails as it is captured.

    Its id would be part of what later compiles are called (torch/_dynamo/compiled_autograd.py: begin_capture).
    """
    current = vars(process.COMPILING.get()) if process.COMPILING.here else {}
    before = dict(current)
    try:
        yield
    finally:
        _fill(current, before)


_failed = False


@contextmanager
def _nothing_left_over() -> Iterator[None]:
    """Collect what a compile that failed left behind before the next one begins.

    Its frames may own guards of torch's dispatch keys, which set the keys of their thread whenever they are destroyed:
    after a Hessian that fails, collected in the midst of another compile, that one has no fake tensors any more, and
    all later ones skip decompositions (c10/core/impl/LocalDispatchKeySet.h). The keys of now are kept.
    """
    global _failed
    if _failed:
        with ExitStack() as keys:
            if (
                process.KEYS_GUARD.here
                and process.KEYS_INCLUDED.here
                and process.KEYS_EXCLUDED.here
            ):
                included, excluded = (
                    process.KEYS_INCLUDED.get()(),
                    process.KEYS_EXCLUDED.get()(),
                )
                keys.enter_context(process.KEYS_GUARD.get()(included, excluded))
            gc.collect()
        _failed = False
    try:
        yield
    except BaseException:
        _failed = True
        raise


@contextmanager
def _guards_untimed() -> Iterator[None]:
    """Stop Dynamo from timing the evaluation of a function's guards, for a statistic that nobody reads here.

    Before each timing it writes tens of megabytes to flush the processor's caches (torch/_dynamo/guards.py:
    CheckFunctionManager): 10 to 20 milliseconds for each function.
    """
    with Patches() as patches:
        if process.TIME_GUARDS.here:
            patches.replace(*process.TIME_GUARDS.resolve(), lambda *args: 0.0)
        yield


@contextmanager
def _own_choices() -> Iterator[None]:
    """Have Inductor recreate its choices handler, which it otherwise creates once per thread.

    Without this, `inductor_choices_class` takes effect only if the first capture sets it, and then for all later ones
    (torch/_inductor/virtualized.py: _choices_default).
    """
    if not (
        process.THREADLOCAL.here and process.CHOICES.here and process.CHOICES_KEY.here
    ):
        yield
        return
    kept = vars(process.THREADLOCAL.get())
    key = process.CHOICES_KEY.of(process.CHOICES.get())
    before = kept.pop(key, None)
    try:
        yield
    finally:
        kept.pop(key, None)
        if before is not None:
            kept[key] = before


@contextmanager
def caches_answer_nothing() -> Iterator[None]:
    """Have torch find nothing in its caches, also where the program, its test or a base class turns them on.

    A real compile follows, which is saved as usual; what loads a saved artifact and compiles nothing finds it
    (torch/_inductor/standalone_compile.py: CacheCompiledArtifact).
    """

    def no_graph(original: Callable[..., Any]) -> Callable[..., Any]:
        def lookup(
            key: str,
            inputs: Any,
            local: bool,
            remote: Any,
            constants: Any,
            evaluate_guards: Any = None,
        ) -> tuple[Any, dict[str, Any]]:
            # An entry of AOTAutogradCache that was found brings its guards (aot_autograd_result.py:
            # FxGraphCacheLoadable.load), and it was found only if an artifact is being loaded.
            if evaluate_guards is None:
                return None, {}
            return original(key, inputs, local, remote, constants, evaluate_guards)  # type: ignore[no-any-return]

        return lookup

    def no_autograd(original: Callable[..., Any]) -> Callable[..., Any]:
        def lookup(
            key: str,
            local: bool,
            remote: bool,
            args: Any,
            cache_info: Any,
            aot_config: Any,
        ) -> Any:
            # Only what loads an artifact has no configuration for a compile.
            return (
                original(key, local, remote, args, cache_info, aot_config)
                if aot_config is None
                else None
            )

        return lookup

    with Patches() as patches:
        with patches.feature(process.GRAPH_LOOKUP.feature) as own:
            own.wrap(*process.GRAPH_LOOKUP.resolve(), no_graph)
            own.wrap(*process.AUTOGRAD_LOOKUP.resolve(), no_autograd)
            own.replace(*process.DYNAMO_LOOKUP.resolve(), lambda self, fn: None)
        yield


@contextmanager
def _lowerings() -> Iterator[None]:
    tables = [
        row.get() for row in (scheduler.LOWERINGS, *process.LOWERING_TABLES) if row.here
    ]
    before = [copy.copy(table) for table in tables]
    try:
        yield
    finally:
        for table, held in zip(tables, before, strict=True):
            if table != held:
                _fill(table, held)


def _fill(container: Any, content: Any) -> None:
    """Give a dict, list, set or deque, to which others hold references, the items of `content`."""
    container.clear()
    (container.extend if isinstance(container, (list, deque)) else container.update)(
        content
    )


def forget_shapes() -> None:
    """Release the environments of symbolic shapes, and with them all fake tensors.

    Their methods have caches that hold `self` as part of the key (torch/fx/experimental/symbolic_shapes.py: ShapeEnv).
    """
    for member in (
        vars(process.SHAPE_ENV.get()).values() if process.SHAPE_ENV.here else ()
    ):
        # functools' caches, and the wrappers that torch puts around them.
        if "cache_clear" in dir(member):
            member.cache_clear()


@contextmanager
def isolated() -> Iterator[None]:
    """Caches off, counters and totals at zero, Dynamo reset; everything is restored on exit.

    Functions that the process compiled earlier are compiled again when next called: Dynamo has no way to set compiled
    code aside (torch/_dynamo/__init__.py: reset).
    """
    with _nothing_left_over(), ExitStack() as stack:
        stack.enter_context(random_numbers_kept())
        stack.enter_context(no_trace_logging())
        stack.enter_context(_quiet())
        stack.enter_context(_counters())
        stack.enter_context(_numbered_from_zero())
        stack.enter_context(_notes())
        stack.enter_context(_other_modules())
        stack.enter_context(_compiling_nothing())
        stack.enter_context(_guards_untimed())
        stack.enter_context(_own_choices())
        stack.enter_context(caches_answer_nothing())
        stack.enter_context(_lowerings())
        stack.callback(forget_shapes)
        stack.enter_context(_metrics())
        torch.compiler.reset()
        stack.callback(torch.compiler.reset)
        forget_pytree_source()
        forget_shardings()
        stack.enter_context(Patches()).configure(settings.CAPTURE)
        yield


# Cache hits and misses of template modules that the process generated earlier (torch/_inductor/select_algorithm.py).
_PROCESS_CACHES = {"generated_module_cache_hit", "generated_module_cache_miss"}


def compile_totals() -> tuple[dict[str, int], dict[str, dict[str, int]]]:
    """What torch has counted so far: Inductor's numbers by name, and Dynamo's counters by group and name."""
    numbers = {
        name: value
        for name, value in vars(process.METRICS.get()).items()
        if type(value) is int
    }
    counters = {
        name: {
            str(key): int(value)
            for key, value in counter.items()
            if str(key) not in _PROCESS_CACHES
        }
        for name, counter in process.COUNTERS.get().items()
        if counter
    }
    return numbers, counters


def record_compile_totals(record: Record) -> None:
    """Write torch's own totals of this capture into the record."""
    record.numbers, record.counters = compile_totals()
