"""The process that compiles: it has done its imports and a first compile, and forks for each request.

    python -m pytest_compile_golden.features.reduce.compile_process SOCKET

SOCKET is the path of a Unix socket. Each connection carries one request and its answer.
"""

from __future__ import annotations

import contextlib
import gc
import io
import os
import runpy
import signal
import socket
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial, wraps
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

import pytest_compile_golden
from pytest_compile_golden.api.captured import Capture
from pytest_compile_golden.common import forks
from pytest_compile_golden.common.lines import split_lines
from pytest_compile_golden.common.name_matching import unknown
from pytest_compile_golden.errors import (
    CompileGoldenError,
    UnknownName,
    innermost,
    reason_of,
)
from pytest_compile_golden.features.reduce import run_on_virtual_gpu
from pytest_compile_golden.features.reduce.reduce_protocol import (
    Describe,
    Extract,
    Extracted,
    Prepare,
    Request,
    Show,
    TriedProgram,
    TryProgram,
    WorkerAnswer,
)
from pytest_compile_golden.features.reduce.small_program import NAME, SmallProgram
from pytest_compile_golden.goldens.case_files import stored
from pytest_compile_golden.stages import costly_stages, stages
from pytest_compile_golden.targets import import_torch

if TYPE_CHECKING:
    from pytest_compile_golden.facts.numerics import Numerics
    from pytest_compile_golden.features.reduce.options_as_code import GivenOptions
    from pytest_compile_golden.targets import Target

_MORE_MEMORY = 16 << 30
"""Bytes of address space that a request may take beyond what the process has."""
_MOST_PRINTED = 4 << 20


def main(path: str) -> None:
    """Answer requests at a socket of this path, each in a fork, until the process that started this one ends.

    A request to prepare a target is answered here, so that all later forks have what it has imported and compiled.
    """
    forks.end_with_parent()
    # A test file, a script or a program imports what lies in the folder that the command was called in.
    sys.path.insert(0, str(Path.cwd()))
    import torch

    torch.set_num_threads(1)  # OpenMP's threads do not survive a fork
    import_torch.run_backward()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for the forks
    gc.disable()  # every request ends with its process
    prepared: set[str] = set()
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(path)
        server.listen(64)
        while True:
            connection, _ = server.accept()
            with connection, connection.makefile("rwb") as stream:
                request = msgspec.msgpack.decode(stream.read(), type=Request)
                if isinstance(request, Prepare):
                    if request.target not in prepared:
                        _prepare(request.target)
                        prepared.add(request.target)
                    stream.write(msgspec.msgpack.encode(WorkerAnswer()))
                elif os.fork() == 0:
                    try:
                        answer = _answered(request)
                        took = sum(os.times()[:4])
                        stream.write(
                            msgspec.msgpack.encode(
                                msgspec.structs.replace(answer, processor_s=took)
                            )
                        )
                        stream.flush()
                    finally:
                        os._exit(0)


def _prepare(target: str) -> None:
    """Compile a little, with a backward, so that forks need not do what a process does once."""
    import torch

    from pytest_compile_golden.api import capture

    capture(
        lambda x: torch.nn.functional.softmax(x @ x, -1),
        torch.randn(8, 8),
        target=target,
        train=True,
    )
    gc.collect()
    gc.freeze()  # a fork that scans what exists already would copy it


def _answered(request: Extract | TryProgram | Describe | Show) -> WorkerAnswer:
    """In a fork: the answer to a request, whatever it leads to."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.alarm(request.seconds)
    forks.limit_memory(_MORE_MEMORY)
    forks.silence()
    import torch

    torch.manual_seed(0)
    try:
        match request:
            case Extract():
                try:
                    return WorkerAnswer(extracted=tuple(_extracted(request)))
                except CompileGoldenError as error:
                    # The user reads it: all that pytest printed.
                    return WorkerAnswer(error=str(error))
            case TryProgram():
                return WorkerAnswer(tried=_tried(request))
            case Describe():
                return WorkerAnswer(types=_types(request))
            case Show():
                return WorkerAnswer(printed=_printed(request))
    except (Exception, SystemExit) as error:
        return WorkerAnswer(error=_first_line(error))


@contextmanager
def _made(
    text: str, target: str, values: bool = False
) -> Iterator[tuple[Any, tuple[Any, ...], dict[str, Any]]]:
    """The function, the inputs and the options of a program, inside its target."""
    with tempfile.TemporaryDirectory(prefix="compile-golden-") as folder:
        file = Path(folder, f"{NAME}.py")
        file.write_text(text, encoding="utf-8")
        with _inside(target, values):
            names = runpy.run_path(str(file), run_name=NAME)
            yield names[NAME], names["inputs"], names["options"]


def _tried(request: TryProgram) -> TriedProgram:
    from pytest_compile_golden.api import capture
    from pytest_compile_golden.api.corpus_program import Program

    try:
        with _made(request.text, request.target, request.values) as made:
            function, inputs, options = made
            try:
                if request.values:
                    return TriedProgram(
                        wrong=_wrong(function, inputs, options, request.target)
                    )
                watched = [name for name in costly_stages() if name in request.stages]
                more = {"watch": watched} if watched else {}
                captured = capture(function, *inputs, **{**options, **more})
                return _taken(captured, request.stages, request.matches)
            except CompileGoldenError as error:
                if not Program(NAME, lambda: made).runs_eagerly(request.target):
                    return TriedProgram(
                        error="it does not run without torch.compile either"
                    )
                return failed(error)
    except (Exception, SystemExit) as error:
        return failed(error)


def _wrong(
    function: Any, inputs: tuple[Any, ...], options: dict[str, Any], target: str
) -> str:
    """How the results differ from eager's; empty if they do not."""
    from pytest_compile_golden.api import numerics

    taken = {name: value for name, value in options.items() if name in _OF_NUMERICS}
    found = numerics(function, *inputs, target=target, **taken)
    if found:
        return ""
    return found.first.kind if found.first is not None else found.findings[0].kind


_OF_NUMERICS = ("train", "dynamic", "fullgraph", "mode", "config", "kwargs", "calls")


def _taken(
    captured: Capture, wanted: tuple[str, ...], matches: str = ""
) -> TriedProgram:
    """The texts of a capture's stages."""
    artifacts = []
    for stage in stages():
        if stage.name in wanted and stage.name in captured:
            artifact = captured[stage.name]
            if stage.format.is_trivial(artifact.text):
                continue
            artifacts.append(stored(artifact, stage.name))
    count = int(captured.matches(matches)) if matches else 0
    return TriedProgram(
        artifacts=tuple(artifacts),
        unavailable={**captured.unavailable, **captured.lacks},
        matches=count,
    )


def failed(error: BaseException) -> TriedProgram:
    """What became of a compile that ended with this error."""
    root = innermost(error.__cause__ or error)
    frames = traceback.extract_tb(root.__traceback__) or traceback.extract_tb(
        error.__traceback__
    )
    inside = next(
        (frame for frame in reversed(frames) if "/torch/" in frame.filename), None
    )
    place = (
        ""
        if inside is None
        else f"torch/{inside.filename.rpartition('/torch/')[2]}: {inside.name}"
    )
    return TriedProgram(error=_first_line(root), raised_in=place)


def _first_line(error: BaseException) -> str:
    return next(iter(split_lines(reason_of(error))), type(error).__name__)[:500]


def _types(request: Describe) -> dict[str, str]:
    """An expression for each value of the program's function that is a tensor."""
    import torch

    from pytest_compile_golden.features.eject.script_source import CannotEject
    from pytest_compile_golden.features.reduce.graph_as_program import tensor_expression
    from pytest_compile_golden.targets import get_target
    from pytest_compile_golden.targets.process_group import Ranks, fake_process_group

    with (
        _made(request.text, request.target) as (function, inputs, options),
        ExitStack() as stack,
    ):
        if "world_size" in options:
            ranks = Ranks(options["world_size"], options.get("rank", 0))
            stack.enter_context(fake_process_group(ranks, get_target(request.target)))
        values: dict[str, Any] = {}

        def returned(frame: FrameType, event: str, argument: object) -> None:
            if event == "return" and frame.f_code is function.__code__:
                values.update(frame.f_locals)

        with torch.set_grad_enabled(bool(options.get("train"))):
            sys.setprofile(returned)
            try:
                function(*inputs)
            finally:
                sys.setprofile(None)
        found = {}
        for name, value in values.items():
            if isinstance(value, torch.Tensor):
                with contextlib.suppress(CannotEject):
                    found[name] = tensor_expression(value)
        return found


def _printed(request: Show) -> str:
    printed = io.StringIO()
    with (
        tempfile.TemporaryDirectory(prefix="compile-golden-") as folder,
        contextlib.redirect_stdout(printed),
    ):
        file = Path(folder, f"{NAME}.py")
        file.write_text(request.text, encoding="utf-8")
        run_on_virtual_gpu.main(request.target, str(file))
    return printed.getvalue()[:_MOST_PRINTED]


def _extracted(request: Extract) -> Iterator[Extracted]:
    """Each compile of a case, a script or another program."""
    from pytest_compile_golden import api
    from pytest_compile_golden.features.eject.script_source import CannotEject
    from pytest_compile_golden.features.reduce import graph_as_program
    from pytest_compile_golden.features.reduce.function_as_program import of_function
    from pytest_compile_golden.features.reduce.options_as_code import options_of
    from pytest_compile_golden.observe import record_compile as compiling
    from pytest_compile_golden.observe.probe import registered
    from pytest_compile_golden.targets import target_or_default

    os.chdir(request.folder)
    path = list(sys.path)  # a run of pytest adds to it
    found: list[Extracted] = []
    recorded = compiling.record_compile
    wanted = _Wanted(request.values)

    def noted(fn: Any, target: str | None, options: Any) -> Any:
        values = graph_as_program.known_value if request.values else None
        writer = graph_as_program.GraphWriter(values)
        tried, name, refused, programs = TriedProgram(), target or "", [], []
        try:
            with registered(writer):
                record = recorded(fn, target, options)
            name = record.target
            tried = _taken(Capture(record), wanted.stages)
            return record
        except CompileGoldenError as error:
            tried = failed(error)
            raise
        finally:
            try:
                given = options_of(options, path)
                programs = list(map(partial(_with_options, given), writer.programs))
                refused += writer.refused
                taken = () if given.own is None else given.own.names
                programs.append(
                    _with_options(given, of_function(fn, options, values, taken))
                )
            except CannotEject as error:
                refused.append(str(error))
            found.append(
                Extracted(
                    name or target_or_default(None).name,
                    tried,
                    wanted.stages,
                    tuple(programs),
                    tuple(refused),
                )
            )

    # In this fork: every way of capturing goes through it.
    compiling.record_compile = noted
    if request.values:
        check = _captured_first(api.numerics)
        for module in (pytest_compile_golden, api):
            setattr(module, "numerics", check)  # noqa: B010  # either is what a case may import
    error = _run(request, wanted)
    if not found:
        raise error
    yield from found


def _captured_first(numerics: Callable[..., Numerics]) -> Callable[..., Numerics]:
    """What is checked against eager is captured, too."""
    from pytest_compile_golden.api import capture

    def check(
        fn: Any, *inputs: Any, target: str | None = None, **options: Any
    ) -> Numerics:
        of_capture = {
            name: value
            for name, value in options.items()
            if name not in ("rtol", "atol", "seed")
        }
        capture(fn, *inputs, target=target, **of_capture)
        return numerics(fn, *inputs, target=target, **options)

    return check


def _with_options(given: GivenOptions, program: SmallProgram) -> SmallProgram:
    merged = {**dict(program.options), **dict(given.expressions)}
    if (
        merged.get("dynamic") in (None, "None", "False")
        and ("dynamic", "True") in program.options
    ):
        merged["dynamic"] = "True"
    return msgspec.structs.replace(
        program, options=tuple(merged.items()), own=given.own
    )


class _Wanted:
    """A pytest plugin that notes which stages a case checks."""

    def __init__(self, values: bool) -> None:
        self.stages = tuple(
            stage.name
            for stage in stages()
            if stage.default or stage.name == "graph_breaks"
        )
        self._values = values

    @pytest.hookimpl
    def pytest_compile_golden_target(
        self, item: pytest.Item, target: Target
    ) -> Target | None:
        from pytest_compile_golden.features.virtual_gpu.gpu import computing

        return computing(target) if self._values else None

    @pytest.hookimpl(tryfirst=True)
    def pytest_compile_golden_capture(self, item: pytest.Item) -> None:
        from pytest_compile_golden.plugin.hookspecs import CASE

        named = {
            stage.name
            for stage in stages()
            if stage.name in getattr(item, "fixturenames", ())
        }
        asked = {*self.stages, *item.stash[CASE].stages, *named}
        self.stages = tuple(
            stage.name
            for stage in stages()
            if stage.name in asked and not stage.compiles
        )


def _run(request: Extract, wanted: _Wanted) -> CompileGoldenError:
    """Run what the user named; what to say if it compiled nothing."""
    from pytest_compile_golden.api import run_cases
    from pytest_compile_golden.cli import compile_program as programs
    from pytest_compile_golden.common.constants import DEFAULT_TARGET
    from pytest_compile_golden.features.crater import loaders

    what, _, inside = request.what.partition("::")
    target = request.target or ("native-cpu" if request.values else DEFAULT_TARGET)
    error: BaseException | None = None
    try:
        if what.endswith(".py") and not inside:
            with _inside(target, request.values), _captured_compiles(None):
                runpy.run_path(what, run_name="__main__")
        elif Path(what).is_file() and what.endswith(".py"):
            file, function = programs.parsed(request.what)
            if function is None:
                with _around_test(request):
                    ran = run_cases.run_case(
                        request.what, request.target, plugins=(wanted,)
                    )
                if ran.error is None or isinstance(ran.error, pytest.skip.Exception):
                    return programs.nothing_compiled(request.what, request.target, ran)
                error = ran.error
            else:
                from pytest_compile_golden.api import capture

                with _inside(target, request.values):
                    programs.of_function(file, function, lambda: None, capture)
        else:
            known = {program.id: program for program in loaders.programs([what])}
            # A row of a corpus is named with its target.
            row, _, its = inside.rpartition("[")
            name, target = (
                (inside, target)
                if inside in known
                else (row, request.target or its.rstrip("]"))
            )
            if name not in known:
                raise UnknownName(unknown(f"program in {what} called", inside, known))
            with _inside(target, request.values):
                known[name].captures(target)
    except (Exception, SystemExit) as raised:
        error = raised
    why = "" if error is None else f" {reason_of(error)}"
    return CompileGoldenError(f"{request.what} compiled nothing.{why}")


@contextmanager
def _inside(target: str, values: bool) -> Iterator[None]:
    """The target, whose tensors have values if that is wanted."""
    from pytest_compile_golden.features.virtual_gpu.gpu import computing
    from pytest_compile_golden.targets import get_target

    its = get_target(target)
    with computing(its).active() if values else its.active():
        yield


@contextmanager
def _around_test(request: Extract) -> Iterator[None]:
    """What a test is run in: for one that is no case of ours, on the GPU that was named, if one was."""
    from pytest_compile_golden.targets import get_target

    with ExitStack() as stack:
        if request.suite:
            target = get_target(request.target or "cpu-avx2")
            if target.device_type != "cpu":
                stack.enter_context(target.active())
            stack.enter_context(_captured_compiles(target.name))
        yield


@contextmanager
def _captured_compiles(target: str | None) -> Iterator[None]:
    """What code gives to torch.compile is captured when it is called, and computed by eager."""
    import torch

    from pytest_compile_golden.api import capture

    def compile_(model: Any = None, **given: Any) -> Any:
        if model is None:
            return partial(compile_, **given)
        options = {
            name: given[name]
            for name in ("dynamic", "fullgraph", "mode")
            if given.get(name) is not None
        }
        if given.get("options"):
            options["config"] = dict(given["options"])
        if given.get("backend", "inductor") != "inductor":
            options["backend"] = given["backend"]

        def call(*args: Any, **kwargs: Any) -> Any:
            leaves = [
                leaf
                for leaf in (*args, *kwargs.values())
                if isinstance(leaf, torch.Tensor)
            ]
            owned = model.parameters() if isinstance(model, torch.nn.Module) else ()
            trains = torch.is_grad_enabled() and any(
                leaf.requires_grad for leaf in (*leaves, *owned)
            )
            # Which a capture calls, too.
            with _replaced(torch, "compile", torch_compile):
                capture(
                    model,
                    *args,
                    kwargs=kwargs or None,
                    train=trains,
                    target=target,
                    **options,
                )
            return model(*args, **kwargs)

        if not isinstance(model, torch.nn.Module):
            return wraps(model)(call)
        # Has the module's parameters, and whatever else it is asked for.
        compiled = torch_compile(model, **given)
        compiled.forward = call
        return compiled

    torch_compile = torch.compile
    with _replaced(torch, "compile", compile_):
        yield


@contextmanager
def _replaced(owner: Any, name: str, value: Any) -> Iterator[None]:
    before = getattr(owner, name)
    setattr(owner, name, value)
    try:
        yield
    finally:
        setattr(owner, name, before)


if __name__ == "__main__":
    main(sys.argv[1])
