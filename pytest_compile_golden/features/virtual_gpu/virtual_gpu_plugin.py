"""The pytest side of a virtual GPU that computes: `--virtual-gpu h100`, from before any conftest.py is loaded."""

from __future__ import annotations

import contextlib
import re
import subprocess
import sys
from collections.abc import Generator
from typing import TYPE_CHECKING

import pytest

from pytest_compile_golden.errors import CompileGoldenError

if TYPE_CHECKING:
    from pytest_compile_golden.features.virtual_gpu.gpu import ComputingGpu
    from pytest_compile_golden.features.virtual_gpu.kernel_values import Source

_OPTION, _COUNT, _VALUES = "virtual_gpu", "virtual_gpu_count", "virtual_gpu_values"
_SOURCES = ("graph", "kernels", "both")
_STACK = pytest.StashKey[contextlib.ExitStack]()
_GPU: pytest.StashKey[ComputingGpu] = pytest.StashKey()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("virtual-gpu")
    group.addoption(
        "--virtual-gpu",
        metavar="NAME",
        action="append",
        dest=_OPTION,
        help="run all tests as on a machine with this GPU, in memory of the host: h100, b200, cuda-sm90 ...; "
        "given more than once, in one run for each",
    )
    group.addoption(
        "--virtual-gpu-count",
        metavar="N",
        type=int,
        dest=_COUNT,
        help="how many of these GPUs there are; default: 1",
    )
    group.addoption(
        "--virtual-gpu-values",
        choices=_SOURCES,
        dest=_VALUES,
        help="what compiled graphs compute on it: the graph's operators (the default), the generated kernels, "
        "interpreted, or both, where a kernel that disagrees fails the test",
    )
    parser.addini(
        "virtual_gpu",
        "the GPUs that all tests run on, one a line, as in --virtual-gpu",
        type="linelist",
    )
    parser.addini("virtual_gpu_count", "how many of these GPUs there are")
    parser.addini(
        "virtual_gpu_values", "what compiled graphs compute, as in --virtual-gpu-values"
    )


# First: from a conftest.py on, everything may ask whether there is a GPU.
@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    options = early_config.known_args_namespace
    names = getattr(options, _OPTION, None) or early_config.getini("virtual_gpu")
    if not names:
        return
    if len(names) > 1:
        raise SystemExit(
            _one_run_for_each(names, [*early_config.invocation_params.args])
        )
    (name,) = names
    from pytest_compile_golden.features.virtual_gpu.child_processes import with_gpu
    from pytest_compile_golden.features.virtual_gpu.gpu import running
    from pytest_compile_golden.targets import active_target

    stack = early_config.stash[_STACK] = contextlib.ExitStack()
    early_config.add_cleanup(stack.close)
    count = int(
        getattr(options, _COUNT, None) or early_config.getini("virtual_gpu_count") or 1
    )
    values: Source = (
        getattr(options, _VALUES, None)
        or early_config.getini("virtual_gpu_values")
        or "graph"
    )
    if values not in _SOURCES:
        raise pytest.UsageError(
            f"virtual_gpu_values is {values}, but must be one of {', '.join(_SOURCES)}."
        )
    stack.enter_context(with_gpu(name, count, values))
    if active_target() is not None:  # this process was started by one that has it
        return
    try:
        early_config.stash[_GPU] = stack.enter_context(running(name, count, values))
    except CompileGoldenError as error:
        raise pytest.UsageError(str(error)) from None


def _one_run_for_each(names: list[str], arguments: list[str]) -> int:
    """The worst exit status of a run for each of these GPUs: whose GPUs a process is for is decided once."""
    own = re.compile(r"--virtual-gpu(=|$)")
    rest = [
        argument
        for before, argument in zip(["", *arguments], arguments, strict=False)
        if before != "--virtual-gpu" and not own.match(argument)
    ]
    return max(
        subprocess.call([sys.executable, "-m", "pytest", *rest, "--virtual-gpu", name])
        for name in names
    )


def pytest_report_header(config: pytest.Config) -> list[str]:
    if _STACK not in config.stash:
        return []
    from pytest_compile_golden.common.installed_torch import other_triton
    from pytest_compile_golden.targets import active_target

    target = active_target()
    assert target is not None
    lines = [f"virtual GPU: {target.name}, which computes in memory of the host"]
    if (triton := other_triton()) is not None:
        lines.append(f"virtual GPU: {triton}")
    return lines


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """What one test has compiled is not there for the next: a graph is a test's own, in whatever order they run."""
    if _STACK in item.config.stash:
        import torch

        torch.compiler.reset()
    return (yield)


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    gpu = config.stash.get(_GPU, None)
    lines = [] if gpu is None else gpu.summary()
    if lines:
        terminalreporter.section("virtual GPU")
    for line in lines:
        terminalreporter.write_line(line)
