"""One capture: enter the target, watch a real torch.compile run, return what was recorded."""

from __future__ import annotations

import contextvars
import functools
import os
import platform
import threading
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from pytest_compile_golden.common.constants import AOT_INDUCTOR, INDUCTOR
from pytest_compile_golden.common.installed_torch import (
    torch_release,
    torch_version,
    triton_version,
)
from pytest_compile_golden.common.lines import split_lines
from pytest_compile_golden.common.name_matching import unknown
from pytest_compile_golden.errors import (
    CaptureFailed,
    CompileGoldenError,
    NothingCompiled,
    UnknownBackend,
    WrongDevice,
)
from pytest_compile_golden.facts.generated_code import OutputCode
from pytest_compile_golden.facts.record import Environment, Record
from pytest_compile_golden.observe.compile_options import (
    CompileOptions,
    compile_options,
)
from pytest_compile_golden.observe.donations import Donations
from pytest_compile_golden.stages import get_stage
from pytest_compile_golden.targets import target_or_default
from pytest_compile_golden.targets.build_library import unwritable
from pytest_compile_golden.targets.patching import lacking_features
from pytest_compile_golden.targets.process_group import fake_process_group
from pytest_compile_golden.torch_internals import user_code as names
from pytest_compile_golden.torch_internals.kernels import DEVICE_TYPES

P = ParamSpec("P")
R = TypeVar("R")

# Probes watch the whole process, whichever of its threads compiles. A captured program may capture another.
_one_at_a_time = threading.RLock()


@functools.cache
def environment() -> Environment:
    """The installed torch, Triton and Python, after checking that they can be used.

    Raises UnsupportedTorch if there is no torch, and CompileGoldenError if the caches cannot be written.
    """
    torch_release()
    # torch itself would only fail once it is imported, in the midst of a test.
    for variable in ("TORCHINDUCTOR_CACHE_DIR", "TRITON_CACHE_DIR"):
        folder = os.environ.get(variable)
        reason = unwritable(Path(folder)) if folder else ""
        if reason:
            raise CompileGoldenError(
                f"{variable} is {folder}, which cannot be written to ({reason}). Unset it, or set it to a writable "
                "folder."
            )
    return Environment(
        torch_version() or "", triton_version(), platform.python_version()
    )


def in_own_context(function: Callable[P, R]) -> Callable[P, R]:
    """`function`, called in a copy of the context, so that context variables set by it are dropped when it returns.

    torch makes a context variable each time a config is patched (torch/utils/_config_module.py: ConfigPatch), and a
    context keeps every variable that was ever set in it.
    """

    @functools.wraps(function)
    def called(*args: P.args, **kwargs: P.kwargs) -> R:
        return contextvars.copy_context().run(function, *args, **kwargs)

    return called


@in_own_context
def record_compile(
    fn: Callable[..., Any], target: str | None, options: CompileOptions
) -> Record:
    """Compile `fn` for `target` by calling it once per item of `options.calls`; see `pytest_compile_golden.capture`.

    It is called again, from the beginning, if it keeps the graph of a backward: `Donations`.
    """
    donations = Donations()
    while True:
        try:
            return _attempt(fn, target, options, donations)
        except CaptureFailed:
            if not donations.any_more():
                raise


def _attempt(
    fn: Callable[..., Any],
    target: str | None,
    options: CompileOptions,
    donations: Donations,
) -> Record:
    versions = environment()
    for name in options.watch or ():
        get_stage(name)
    chosen = target_or_default(target)
    with _one_at_a_time, ExitStack() as stack:
        stack.enter_context(chosen.active(policy=options.policy))
        if options.ranks is not None:
            stack.enter_context(fake_process_group(options.ranks, chosen))
        # Heavy imports only after a target is active: torch's own modules read the device when they are first loaded.
        import torch

        from pytest_compile_golden.observe.ahead_of_time import (
            compile_ahead_of_time,
            export,
        )
        from pytest_compile_golden.observe.already_compiled import name_of
        from pytest_compile_golden.observe.compile_isolation import (
            record_compile_totals,
        )
        from pytest_compile_golden.observe.probe import (
            Recorder,
            install_probes,
            unwatched,
        )
        from pytest_compile_golden.observe.program_calls import (
            named_inputs,
            placed,
            run_steps,
        )
        from pytest_compile_golden.observe.torch_errors import translated
        from pytest_compile_golden.targets.known_values import note_requested_inputs

        name = name_of(fn)
        _known_backend(options)
        function, options = stack.enter_context(placed(fn, options, chosen, {}))
        unchecked = (
            {DEVICE_TYPES.feature: why} if (why := DEVICE_TYPES.missing()) else {}
        )
        record = Record(
            lacks={**lacking_features(), **unchecked},
            target=chosen.name,
            device_type=chosen.device_type,
            training=options.train,
            environment=versions,
            policy=chosen.policy,
            backend=options.backend_name,
            unwatched=unwatched(options.watch),
        )
        recorder = Recorder(record)
        with (
            ExitStack() as hooks,
            donations.applied(),
            note_requested_inputs(named_inputs(function, options)) as asked,
            translated(name, chosen),
        ):
            program = None
            if options.torch_export is not None:
                program = export(name, function, options, chosen, recorder)
            install_probes(recorder, hooks, only_counted=options.watch is None)
            if options.ahead_of_time:
                compile_ahead_of_time(program, recorder, chosen)
            elif options.backend is None:
                run_steps(function, function, options, record)
            else:
                compiled = torch.compile(
                    function if program is None else program.module(),
                    **options.torch_compile,
                )
                run_steps(compiled, function, options, record)
        record.known = tuple(sorted(asked))
        record_compile_totals(record)
    _check(record, name, splits=options.backend is not None)
    return record


def _known_backend(options: CompileOptions) -> None:
    """Raise UnknownBackend for a name that torch.compile does not know."""
    if (
        not isinstance(options.backend, str)
        or options.ahead_of_time
        or options.backend == INDUCTOR
    ):
        return
    backends = names.LIST_BACKENDS.get()(exclude_tags=())
    if options.backend not in backends:
        named = [backend for backend in backends if "TESTING_ONLY" not in backend]
        message = unknown("backend", options.backend, [*named, AOT_INDUCTOR])
        raise UnknownBackend(
            f"{message} Register yours with torch._dynamo.register_backend, or pass the function itself."
        )


def prepare(target: str) -> None:
    """Have torch do its once-per-process imports and setup for a virtual target, by compiling almost nothing."""
    import torch

    record_compile(torch.sin, target, compile_options((torch.ones(2),)))


def _check(record: Record, name: str, *, splits: bool) -> None:
    """Raise CaptureFailed for a record that lacks what the case is about.

    splits: whether torch.compile splits what is differentiated, rather than the captured function itself.
    """
    codes: list[OutputCode] = record.get("output_code")
    # torch's own modules read the device when they are first loaded, so not before a target was entered.
    from pytest_compile_golden.observe.torch_errors import switched_off

    # Each break in a function that Dynamo then skips is reported twice. torch's reason follows what it was about to do.
    reasons = {
        stop.location or stop.function: stop.reason.partition("\n\n")[2] or stop.reason
        for stop in record.get("graph_breaks")
    }
    broken_at = "".join(
        f"\n  at {where}: {split_lines(reason)[0]}" for where, reason in reasons.items()
    )
    by_inductor = "inductor" in record.parts
    # If passes leave nothing of a graph, no code is generated for it (torch/_inductor/compile_fx.py: compile_fx).
    compiled = codes or record.get("dynamo_graph")
    seen_by = {"dynamo_graph", "wrapper_code"} if by_inductor else {"dynamo_graph"}
    if not compiled and not seen_by <= set(record.unavailable):
        why = (
            f"Every graph breaks before it has an operation:{broken_at}"
            if broken_at
            else switched_off()
            or "It may have no tensor operations, or be excluded with torch.compiler.disable; with fullgraph=True "
            "torch says which."
        )
        raise NothingCompiled(
            f"0 compilations captured: torch.compile compiled nothing in {name}. {why}"
        )
    devices = frozenset().union(*(code.devices for code in codes))
    if devices and record.device_type not in devices:
        raise WrongDevice(
            f"{name} was compiled for {' and '.join(sorted(devices))} only, but this case is for {record.target}: no "
            "tensor in its graphs is on that device.\n"
            '  Remove device="cpu" where the inputs are made (inside a case the target is the default device; an input '
            "that was made before the case is moved, but a copy that the case makes of it stays where it was), give "
            "tensors made by the function a device (device=x.device), or mark the test for a CPU target: "
            '@pytest.mark.compile_golden(target="cpu-avx2").'
        )
    if not by_inductor:
        return
    if (
        splits
        and record.training
        and not record.get("backward_graph")
        and "backward_graph" not in record.unavailable
    ):
        raise CaptureFailed(
            f"train=True, but {name} has no backward graph: no output depends on a tensor that requires a gradient. "
            "Check for detach(), torch.no_grad() or integer outputs, or capture it with train=False."
            + (
                broken_at
                and f"\n  Graphs broke, and nothing is compiled across a break:{broken_at}"
            )
        )
