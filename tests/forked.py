"""pytest and `compile-golden` in a process of their own that need not import first: each is a fork of one that has."""

from __future__ import annotations

import importlib
import json
import os
import pkgutil
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

_START = "import sys; sys.path.insert(1, sys.argv[1]); from tests.forked import serve; sys.exit(serve(sys.argv[2:]))"
_ROOT = str(Path(__file__).parents[1])
# What runs that compile nothing import; torch is not among it.
_LAYERS = ("formats", "goldens", "recordings", "report", "environments", "cli", "plugin")

RunInProject = Callable[..., pytest.RunResult]


class Forks:
    """Starts the process that imports, `modules` too, and asks it for a fork for each run."""

    def __init__(self, *modules: str) -> None:
        self._modules = modules
        self._server: subprocess.Popen[str] | None = None

    def run_pytest(self, folder: Path, *arguments: str) -> pytest.RunResult:
        """`python -m pytest ARGUMENTS` in the current folder; what it leaves behind is in `folder`."""
        return self._run("pytest", folder, (f"--basetemp={folder / 'runpytest'}", *arguments))

    def run_command(self, folder: Path, *arguments: str) -> pytest.RunResult:
        """`compile-golden ARGUMENTS` in the current folder; what it says is also in `folder`."""
        return self._run("compile-golden", folder, arguments)

    def close(self) -> None:
        if self._server is not None:
            self._server.communicate()

    def _run(self, program: str, folder: Path, arguments: Sequence[str]) -> pytest.RunResult:
        server = self._running()
        assert server.stdin is not None and server.stdout is not None
        print("running:", program, *arguments, "in", Path.cwd())
        start = time.perf_counter()
        said = [folder / "stdout", folder / "stderr"]
        request = {
            "program": program,
            "folder": str(Path.cwd()),
            "arguments": arguments,
            "environment": dict(os.environ),
            "said": [str(path) for path in said],
        }
        server.stdin.write(json.dumps(request) + "\n")
        server.stdin.flush()
        answer = server.stdout.readline()
        assert answer, "the process that forks has ended"
        status = int(answer)
        out, err = (path.read_text(encoding="utf-8").splitlines() for path in said)
        print(*out, sep="\n")
        print(*err, sep="\n", file=sys.stderr)
        known = status in [*pytest.ExitCode]
        return pytest.RunResult(pytest.ExitCode(status) if known else status, out, err, time.perf_counter() - start)

    def _running(self) -> subprocess.Popen[str]:
        if self._server is None:
            command = [sys.executable, "-c", _START, _ROOT, *self._modules]
            self._server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        return self._server


def serve(modules: Sequence[str]) -> int:
    """Answer each line of stdin with the exit status of a fork that did what it asks for; in the fork, return that."""
    answers = os.dup(1)
    os.dup2(2, 1)
    usual_path = sys.path[2:]
    _import(modules)
    for line in sys.stdin:
        request = json.loads(line)
        child = os.fork()
        if child == 0:
            os.close(answers)
            return _become(request, usual_path)
        _, status = os.waitpid(child, 0)
        os.write(answers, f"{os.waitstatus_to_exitcode(status)}\n".encode())
    return 0


def _import(modules: Sequence[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        # Run once, so that plugins are imported as pytest imports them, their asserts rewritten.
        os.chdir(folder)
        Path("pytest.ini").touch()
        pytest.main(["--compile-golden", "-p", "no:cacheprovider", "-p", "no:hypothesispytest", "-qq"])
        os.chdir("/")
    for layer in _LAYERS:
        package = importlib.import_module(f"pytest_compile_golden.{layer}")
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)
    assert "torch" not in sys.modules
    for name in modules:
        importlib.import_module(name)


def _become(request: dict[str, Any], usual_path: list[str]) -> int:
    """What the process would be had it been started for the request alone."""
    environment: dict[str, str] = request["environment"]
    folder: str = request["folder"]
    os.environ.clear()
    # As pytester has it for what it starts.
    python_path = [*filter(None, [folder, *environment.get("PYTHONPATH", "").split(os.pathsep)])]
    os.environ.update(environment, PYTHONPATH=os.pathsep.join(python_path))
    os.chdir(folder)
    for number, path in enumerate([os.devnull, *request["said"]]):
        opened = os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o666)
        os.dup2(opened, number)
        os.close(opened)
    sys.path[:] = [*dict.fromkeys([*python_path, *usual_path])]
    sys.argv[:] = [request["program"], *request["arguments"]]
    sys.dont_write_bytecode = True
    random.seed()
    if request["program"] == "pytest":
        return pytest.console_main()
    from pytest_compile_golden.cli import main

    main(prog_name="compile-golden")
    raise AssertionError("click ends the process")
