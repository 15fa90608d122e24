"""Code generation: each graph's module, who wrote its lines, and how its Triton kernels would be launched."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch

from pytest_compile_golden.facts.generated_code import Author, Launch, OutputCode
from pytest_compile_golden.formats.inductor_module import parsed
from pytest_compile_golden.observe.author_on_stack import Authors
from pytest_compile_golden.observe.probe import Recorder
from pytest_compile_golden.observe.source_locations import source_of
from pytest_compile_golden.observe.torch_hooks import Hooks
from pytest_compile_golden.torch_internals import kernels, scheduler, settings

_METADATA = re.compile(r"^ *inductor_meta=(\{.*\}),?$", re.M)
_KEY = re.compile(r"'(\w+)': ")
# Settings that torch/_inductor/cpp_builder.py reads when it puts together the C++ compiler's flags.
_QUOTED = re.compile(r"(?<=[\"'])\w+(?=[\"'])")


class OutputCodeProbe:
    def install(self, hooks: Hooks, recorder: Recorder) -> None:
        def written(
            lowering: Any, wrapper_code: Any, *args: Any, **kwargs: Any
        ) -> None:
            record_code(recorder, lowering, wrapper_code.value, wrapper_code.value)

        hooks.before(kernels.COMPILE_TO_MODULE_LINES, written)


def record_code(recorder: Recorder, lowering: Any, module: str, text: str) -> None:
    """Record the code that was written for the graph of a GraphLowering: as a Python module, and the text inside it."""
    # The sum in GraphLowering.count_bytes, without the run times that it also estimates.
    # Without it, the metric is unknown.
    nodes = lowering.scheduler.nodes if scheduler.BYTES.here else ()
    accessed = sum(scheduler.BYTES.of(node)() for node in nodes)
    # Without it, a check is not made.
    types = kernels.DEVICE_TYPES.of(lowering) if kernels.DEVICE_TYPES.here else ()
    devices = frozenset(types) - {"meta"}
    flags = {row.key: row.get() for row in settings.FLAGS if row.here}
    # The metadata keys, at any depth, that torch's launchers never mention (torch/_inductor/runtime/).
    keys = {key for entries in _METADATA.findall(text) for key in _KEY.findall(entries)}
    unread = frozenset(keys - _named_by_launchers())
    recorder.add(
        "output_code",
        OutputCode(recorder.key, module, int(accessed), unread, devices, flags),
    )


@functools.cache
def _named_by_launchers() -> frozenset[str]:
    folder = Path(torch.__file__).parent / "_inductor" / "runtime"
    texts = (
        path.read_text(encoding="utf-8", errors="replace")
        for path in folder.glob("*.py")
    )
    return frozenset(name for text in texts for name in _QUOTED.findall(text))


class AuthorsProbe:
    """No stage needs this probe: if torch has no such buffer, only the authors are lost."""

    def install(self, hooks: Hooks, recorder: Recorder) -> None:
        authors = Authors()
        note = hooks.guarded(scheduler.INDENTED_WRITELINE, authors.note)

        def make(original: Callable[..., Any]) -> Callable[..., Any]:
            def writeline(buffer: Any, line: Any) -> Any:
                result = original(buffer, line)
                # Our caller: beyond the frames of the guard and this function.
                note(line, 3)
                return result

            return writeline

        def done() -> None:
            for line in authors.written():
                recorder.add("written", line)

        hooks.replace(scheduler.INDENTED_WRITELINE, make)
        hooks.on_exit(hooks.guarded(scheduler.INDENTED_WRITELINE, done))


class LaunchesProbe:
    """Evaluates each kernel's decorator, where the heuristics choose; the kernel itself is not built."""

    def install(self, hooks: Hooks, recorder: Recorder) -> None:
        offered: list[Any] = []
        asking = False

        def make(original: Any) -> Any:
            def autotune(
                size_hints: Any, configs: Any, *args: Any, **kwargs: Any
            ) -> Any:
                if not asking:
                    return original(size_hints, configs, *args, **kwargs)
                offered[:] = configs
                return None

            return autotune

        def written(
            lowering: Any, wrapper_code: Any, *args: Any, **kwargs: Any
        ) -> None:
            nonlocal asking
            for name, decorator, imports in _decorators(wrapper_code.value):
                scope: dict[str, Any] = {"__file__": ""}
                exec(compile(imports, "<imports of a kernel>", "exec"), scope)
                asking = True
                try:
                    eval(compile(decorator, "<decorator of a kernel>", "eval"), scope)
                finally:
                    asking = False
                configs = tuple(map(described, offered))
                recorder.add(
                    "launches",
                    Launch(recorder.key, name, configs, _heuristic(decorator, scope)),
                )

        hooks.replace(scheduler.CACHED_AUTOTUNE, make)
        hooks.before(kernels.COMPILE_TO_MODULE_LINES, written)


def _heuristic(decorator: ast.Expression, scope: dict[str, Any]) -> Author | None:
    if not isinstance(decorator.body, ast.Call):
        return None
    called = ast.Expression(decorator.body.func)
    return Author(
        *source_of(eval(compile(called, "<heuristic of a kernel>", "eval"), scope))
    )


def described(config: Any) -> str:
    """A configuration in one line: `XBLOCK=256 num_warps=4 num_stages=1`."""
    blocks = [f"{name}={value}" for name, value in sorted(config.kwargs.items())]
    return " ".join(
        [*blocks, f"num_warps={config.num_warps}", f"num_stages={config.num_stages}"]
    )


def _decorators(code: str) -> Iterator[tuple[str, ast.Expression, ast.Module]]:
    """Each Triton kernel in an output-code module: its name, its call to a heuristic, and the imports for it."""
    for statement in parsed(code).body:
        node = statement.value if isinstance(statement, ast.Assign) else None
        if not (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == "triton"
        ):
            continue
        if ast.unparse(node.func.value) != "async_compile":
            continue
        texts = [
            arg.value
            for arg in node.args
            if isinstance(arg, ast.Constant) and isinstance(arg.value, str)
        ]
        module = ast.parse(max(texts, key=len))
        imports = [
            statement
            for statement in module.body
            if isinstance(statement, (ast.Import, ast.ImportFrom))
        ]
        for function in module.body:
            for decorator in (
                function.decorator_list if isinstance(function, ast.FunctionDef) else ()
            ):
                if isinstance(decorator, ast.Call) and ast.unparse(
                    decorator.func
                ).startswith("triton_heuristics."):
                    yield texts[0], ast.Expression(decorator), ast.Module(imports, [])  # type: ignore[arg-type]
