"""The public API: `capture(fn, *inputs, ...)` and `numerics(fn, *inputs, ...)`.

cache_round_trip: a round trip through torch's caches: compile, save, load in a new process, compile again
captured: the result of a capture: the stages of one compile
compat_check/: whether the installed torch can be read at all: tiny programs, and facts about them
corpus_program: a program of a corpus: what makes it, and what becomes of it
ranks: captures of several ranks of one program, and how the compiled ranks differ
run_cases: cases run quietly through pytest, with their fixtures and markers: one for a command, or a suite as a corpus
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any, Protocol, get_args

from pytest_compile_golden.api.captured import Capture
from pytest_compile_golden.common.constants import AOT_INDUCTOR, INDUCTOR
from pytest_compile_golden.errors import InvalidOption
from pytest_compile_golden.extensions import NUMERICS, TOOLS, provided

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_compile_golden.common.constants import KernelConfigs
    from pytest_compile_golden.common.program_call import Call
    from pytest_compile_golden.facts.numerics import Numerics
    from pytest_compile_golden.observe.compile_options import CompileOptions
    from pytest_compile_golden.targets import Target
    from pytest_compile_golden.targets.process_group import Ranks


def capture(
    fn: Callable[..., Any],
    *inputs: Any,
    target: str | None = None,
    train: bool = False,
    dynamic: bool | None = None,
    fullgraph: bool | None = None,
    mode: str | None = None,
    config: Mapping[str, Any] | None = None,
    kwargs: Mapping[str, Any] | None = None,
    calls: Sequence[tuple[Any, ...] | Mapping[str, Any] | Call] | None = None,
    policy: str | None = None,
    world_size: int | None = None,
    rank: int | None = None,
    kernel_configs: KernelConfigs = "first",
    export: bool | Mapping[str, Any] = False,
    backend: str | Callable[..., Any] | None = "inductor",
    watch: Sequence[str] | None = (),
) -> Capture:
    """Compile `fn` for `target` with torch.compile and return the output of every compiler stage.

    fn: a function, a module, or a bound method of a module or any other object. On a virtual GPU, tensors, modules and
        optimizers in the inputs, in the function's closure and in instances of user-defined classes become fake, and
        so do modules and optimizers that the function refers to as globals of its own module. They may be ordinary CPU
        ones, and cost no memory on the target. Anything created with `device="cpu"` inside the target stays on the
        CPU, as in a multi-device program; a program compiled only for the CPU raises WrongDevice. An already compiled
        callable brings its own `dynamic`, `fullgraph`, mode and options.
    target: a target's name; by default the active target (the test's), or `cuda-sm90` if none is active.
    train: capture forward and backward. No loss is needed: the backward graph is compiled along with the forward graph.
        If neither inputs nor parameters require a gradient, every floating-point input does. Without `train`, the
        function runs under `torch.no_grad()`. A function that keeps the graph of a backward of its own
        (`create_graph`, `retain_graph`) is called once more for each, as torch compiles that backward differently.
    dynamic, fullgraph, mode: as for torch.compile; they must not contradict those of an already compiled callable.
    config: torch config for this compile: Inductor keys, `dynamo.KEY` and `functorch.KEY`.
    kwargs: keyword arguments of `fn`.
    calls: call `fn` several times with these inputs instead of once with `inputs` (recompiles, dynamic shapes): each a
        tuple, a dict of keyword arguments, or a `Call`, which may have its own mode, and something to do before it.
    policy: how a virtual target makes the choices that torch would make by timing: `aten` (the default: a library call
        where there is one), `triton` (a template where there is one) or `name:REGEX`.
    world_size, rank: act as `rank` (0 by default) of `world_size` ranks, in a fake process group that ends with the
        capture. A program that needs the group earlier, for a device mesh, must be built inside `fake_ranks`.
    kernel_configs: which of the configurations that Inductor offers for a Triton kernel the stages below Triton show:
        the `first`, or `all`.
    export: have torch.export export the program with the inputs of the first call, and compile the result; the stage
        `exported_graph` shows it. A dict holds torch.export's keyword arguments:
        `{"dynamic_shapes": {"x": {0: Dim("batch")}}}`.
    backend: the backend that compiles the graphs: the name of a torch.compile backend, or a function that is one. Any
        backend other than `inductor` has only the stages that come before it, up to `aot_graph`, or up to
        `dynamo_graph` if it does not use AOTAutograd, and those registered for it. `aot_inductor` is AOTInductor, which
        compiles the exported program up to the C++ that it would build (`aot_wrapper`, `aot_package`). None if `fn`
        calls a compiler itself (`torch.compile(...).aot_compile`, `standalone_compile`): it is called as it is, and
        what it has compiled is captured.
    watch: stages that are too expensive to record in every capture: `cache_key`, `compile_cost`. With
        `kernel_resources`, the metrics include the numbers of the machine code. `None` watches only what the metrics
        count, which is faster; the capture has no other stage.

    Raises CompileGoldenError: UnknownTarget, TargetUnavailable, UnknownConfig, UnknownBackend, UnsupportedTorch,
    ProcessGroupExists, NeedsNetwork, and CaptureFailed with its subclasses DataDependentValue, ExportFailed and
    NothingCompiled.
    """
    from pytest_compile_golden.common.constants import KernelConfigs
    from pytest_compile_golden.observe.compile_options import compile_options
    from pytest_compile_golden.observe.record_compile import record_compile
    from pytest_compile_golden.targets.signature_check import explained

    if kernel_configs not in get_args(KernelConfigs):
        raise InvalidOption(
            f"kernel_configs takes 'first' or 'all', not {kernel_configs!r}."
        )
    options = compile_options(
        inputs,
        calls,
        kwargs,
        config,
        train=train,
        dynamic=dynamic,
        fullgraph=fullgraph,
        mode=mode,
        policy=policy,
        ranks=_ranks(world_size, rank),
        export=export,
        backend=backend,
        watch=watch,
    )
    with explained():
        captured = Capture(record_compile(fn, target, options), kernel_configs)
    notify_watchers(captured)
    return captured


def _ranks(world_size: int | None, rank: int | None) -> Ranks | None:
    from pytest_compile_golden.targets.process_group import Ranks

    if world_size is None:
        if rank is not None:
            raise InvalidOption(
                f"rank={rank!r} needs world_size=, the total number of ranks."
            )
        return None
    return Ranks(world_size, 0 if rank is None else rank)


@contextmanager
def fake_ranks(
    world_size: int, rank: int = 0, *, target: str | None = None
) -> Iterator[None]:
    """Run the block as `rank` of `world_size` ranks; the other ranks do not exist.

    Inside, torch.distributed uses torch's fake process group, which sends nothing: `init_device_mesh`,
    `parallelize_module` and `fully_shard` work as on that rank, and `capture` shows what that rank compiles. The block
    also runs inside `target`: by default the active target, or `cuda-sm90` if none is active. Nothing is left of the
    group afterwards.

    Raises CompileGoldenError: InvalidOption for a rank that does not exist, ProcessGroupExists inside another group,
    and NeedsNetwork from anything in the block that looks for other processes.
    """
    from pytest_compile_golden.observe.record_compile import environment
    from pytest_compile_golden.targets import target_or_default
    from pytest_compile_golden.targets.process_group import Ranks, fake_process_group

    ranks = Ranks(world_size, rank)
    environment()
    chosen = target_or_default(target)
    with chosen.active(), fake_process_group(ranks, chosen):
        yield


_watchers: list[list[Capture]] = []


def notify_watchers(captured: Capture) -> None:
    """Report a capture that was made in this process or in a fork of it."""
    for watcher in _watchers:
        watcher.append(captured)


@contextmanager
def watching() -> Iterator[list[Capture]]:
    """Collect all captures, whoever makes them, until the block ends."""
    captures: list[Capture] = []
    _watchers.append(captures)
    try:
        yield captures
    finally:
        _watchers.remove(captures)


def numerics(
    fn: Callable[..., Any],
    *inputs: Any,
    rtol: float | None = None,
    atol: float | None = None,
    target: str | None = None,
    train: bool = False,
    dynamic: bool | None = None,
    fullgraph: bool | None = None,
    mode: str | None = None,
    config: Mapping[str, Any] | None = None,
    kwargs: Mapping[str, Any] | None = None,
    calls: Sequence[tuple[Any, ...] | Mapping[str, Any] | Call] | None = None,
    seed: int = 0,
    layouts: bool = False,
    export: bool | Mapping[str, Any] = False,
    backend: str | Callable[..., Any] | None = "inductor",
) -> Numerics:
    """Compile `fn` with torch.compile, build and run it, and compare with eager; truthy if both compute the same.

    Compares values, dtypes, shapes and strides of outputs; with `train=True`, gradients of inputs and parameters; what
    the calls wrote into inputs, parameters, buffers and optimizer state; and what each output shares memory with. The
    function is called with the inputs, with the same inputs again and with other values (or with each of `calls`, and
    then the first again). Where eager and compiled code differ, the program as written decides, run again with less
    rounding: compiled code is to blame only if it is further from it than eager is, and than roundings which the
    program does not write may change. Strides that Inductor does not promise to keep as in eager are listed in
    `other_strides`, and are not failures.

    rtol, atol: relative and absolute tolerance; by default those of torch.testing.assert_close for the dtype.
    target: a native target, or a virtual GPU, whose kernels run in Triton's interpreter; by default the active target,
        or `native-cpu` if none is active.
    seed: seed for the other values and for the gradients that backward starts from. The given inputs are not changed.
    layouts: whether it is also compiled for inputs of size one and zero, with a broadcast dimension and with elements
        that overlap, each where eager accepts it; what only these show is in the result's `special`.
    backend: `inductor`, whose code is run, or `aot_inductor`: its wrapper, which is C++, is not run, but the exported
        program is compiled with a wrapper in Python, which the result says. InvalidOption for another one.
    The other arguments are those of `capture`. Both sides draw random numbers from torch's generator with the same seed
    (Inductor's `fallback_random`).

    Raises CompileGoldenError: NeedsNativeTarget on a virtual CPU or AMD GPU, whose kernels cannot be run here,
    NotInterpretable for a kernel of a virtual GPU that the interpreter cannot run, NotInstalled where the feature that
    runs kernels is missing, and capture's errors.
    """
    from pytest_compile_golden.observe.compile_options import compile_options

    if backend not in (INDUCTOR, AOT_INDUCTOR):
        raise InvalidOption(
            f"numerics compares what Inductor's code computes with eager, and backend={backend!r} has none of that. "
            "Leave out backend."
        )
    compiled = {
        "dynamic": dynamic,
        "fullgraph": fullgraph,
        "mode": mode,
        "export": export,
        "backend": backend,
    }
    options = compile_options(inputs, calls, kwargs, config, train=train, **compiled)
    return numerics_tool().check(
        fn, options, target, rtol=rtol, atol=atol, seed=seed, layouts=layouts
    )


class NumericsTool(Protocol):
    """What is provided as `extensions.NUMERICS`."""

    def check(
        self,
        fn: Callable[..., Any],
        options: CompileOptions,
        target: str | None,
        *,
        rtol: float | None,
        atol: float | None,
        seed: int,
        layouts: bool,
    ) -> Numerics:
        """Compile and run `fn`, and compare with eager; see `numerics`."""
        ...

    def values(self, target: Target) -> AbstractContextManager[None]:
        """Be in `target`, with values."""
        ...

    def bisect(
        self,
        case: str,
        target: str | None,
        seconds: float,
        output: Path | None,
        form: str,
    ) -> None:
        """Find and show what makes a case differ from eager; exits with 1 if there is nothing to find."""
        ...


def numerics_tool() -> NumericsTool:
    """Raises NotInstalled if no installed part of this package runs what was compiled."""
    tool: NumericsTool = provided(TOOLS, NUMERICS)
    return tool
