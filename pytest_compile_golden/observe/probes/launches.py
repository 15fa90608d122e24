"""How Triton kernels would be launched: the blocks, warps and stages that Inductor's heuristics propose for each."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from pytest_compile_golden.facts.code import Author, Launch
from pytest_compile_golden.observe.hooks import Hooks
from pytest_compile_golden.observe.probe import Recorder
from pytest_compile_golden.observe.source_locations import source_of
from pytest_compile_golden.torch_names import kernels
from pytest_compile_golden.torch_names import scheduler as names


class LaunchesProbe:
    """Evaluates each kernel's decorator, where the heuristics choose; the kernel itself is not built."""

    def install(self, hooks: Hooks, recorder: Recorder) -> None:
        offered: list[Any] = []
        asking = False

        def make(original: Any) -> Any:
            def autotune(size_hints: Any, configs: Any, *args: Any, **kwargs: Any) -> Any:
                if not asking:
                    return original(size_hints, configs, *args, **kwargs)
                offered[:] = configs
                return None

            return autotune

        def written(lowering: Any, wrapper_code: Any, *args: Any, **kwargs: Any) -> None:
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
                recorder.add("launches", Launch(recorder.key, name, configs, _heuristic(decorator, scope)))

        hooks.replace(names.CACHED_AUTOTUNE, make)
        hooks.before(kernels.COMPILE_TO_MODULE_LINES, written)


def _heuristic(decorator: ast.Expression, scope: dict[str, Any]) -> Author | None:
    if not isinstance(decorator.body, ast.Call):
        return None
    called = ast.Expression(decorator.body.func)
    return Author(*source_of(eval(compile(called, "<heuristic of a kernel>", "eval"), scope)))


def described(config: Any) -> str:
    """A configuration in one line: `XBLOCK=256 num_warps=4 num_stages=1`."""
    blocks = [f"{name}={value}" for name, value in sorted(config.kwargs.items())]
    return " ".join([*blocks, f"num_warps={config.num_warps}", f"num_stages={config.num_stages}"])


def _decorators(code: str) -> Iterator[tuple[str, ast.Expression, ast.Module]]:
    """Each Triton kernel in an output-code module: its name, its call to a heuristic, and the imports for it."""
    for statement in ast.parse(code).body:
        node = statement.value if isinstance(statement, ast.Assign) else None
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "triton"):
            continue
        if ast.unparse(node.func.value) != "async_compile":
            continue
        texts = [arg.value for arg in node.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str)]
        module = ast.parse(max(texts, key=len))
        imports = [statement for statement in module.body if isinstance(statement, (ast.Import, ast.ImportFrom))]
        for function in module.body:
            for decorator in function.decorator_list if isinstance(function, ast.FunctionDef) else ():
                if isinstance(decorator, ast.Call) and ast.unparse(decorator.func).startswith("triton_heuristics."):
                    yield texts[0], ast.Expression(decorator), ast.Module(imports, [])  # type: ignore[arg-type]
