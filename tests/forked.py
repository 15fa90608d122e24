"""Runs pytest, `compile-golden` and scripts in their own processes, forked from one that has done the imports."""

from __future__ import annotations

import atexit
import contextlib
import fcntl
import gc
import hashlib
import importlib
import json
import os
import pkgutil
import random
import runpy
import select
import socket
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from io import TextIOWrapper
from pathlib import Path
from types import NoneType
from typing import Any, NoReturn

import pytest

_START = "import sys; sys.path.insert(1, sys.argv[1]); from tests.forked import serve; sys.exit(serve(sys.argv[2:]))"
_ROOT = str(Path(__file__).parents[1])
# Imported by runs that compile nothing; torch is not among these imports.
_LAYERS = ("formats", "goldens", "recordings", "report", "environments", "cli", "plugin")

RunInProject = Callable[..., pytest.RunResult]


class Forks:
    """Asks a process that has done the imports for a fork for each run.

    The workers of a parallel run share it: the first that needs it starts it, and it ends when the last has closed.
    """

    def __init__(self, *modules: str, ours: bool = True, **environment: str) -> None:
        """The process imports pytest, then if `ours` whatever in our package does not need torch, then `modules`.

        The variables in `environment` are set when it starts, for those that are only read at startup.
        """
        self._modules = modules
        self._ours = ours
        self._environment = environment
        self._folder = Path(os.environ["TORCHINDUCTOR_CACHE_DIR"])  # this run's, see conftest
        self._connection: TextIOWrapper | None = None

    def run_pytest(self, folder: Path, *arguments: str) -> pytest.RunResult:
        """Run `python -m pytest ARGUMENTS` in the current folder; what it leaves behind is in `folder`."""
        return self._run("pytest", folder, (f"--basetemp={folder / 'runpytest'}", *arguments))

    def run_command(self, folder: Path, *arguments: str) -> pytest.RunResult:
        """Run `compile-golden ARGUMENTS` in the current folder; its output is also in `folder`."""
        return self._run("compile-golden", folder, arguments)

    def run_script(self, folder: Path, path: Path, *arguments: str, isolated: bool = False) -> pytest.RunResult:
        """Run `python PATH ARGUMENTS` (or `python -I`) in the current folder; its output is also in `folder`."""
        return self._run("isolated script" if isolated else "script", folder, (str(path), *arguments))

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()

    def _run(self, program: str, folder: Path, arguments: Sequence[str]) -> pytest.RunResult:
        if self._connection is None:
            self._connection = self._connected()
        print("running:", program, *arguments, "in", Path.cwd())
        start = time.perf_counter()
        outputs = [folder / "stdout", folder / "stderr"]
        request = {
            "program": program,
            "folder": str(Path.cwd()),
            "arguments": arguments,
            "environment": {**os.environ, **self._environment},
            "outputs": [str(path) for path in outputs],
        }
        self._connection.write(json.dumps(request) + "\n")
        self._connection.flush()
        answer = self._connection.readline()
        assert answer, "the forking process has ended"
        status = int(answer)
        out, err = (path.read_text(encoding="utf-8").splitlines() for path in outputs)
        print(*out, sep="\n")
        print(*err, sep="\n", file=sys.stderr)
        known = status in [*pytest.ExitCode]
        return pytest.RunResult(pytest.ExitCode(status) if known else status, out, err, time.perf_counter() - start)

    def _connected(self) -> TextIOWrapper:
        kind = repr((self._modules, self._ours, self._environment))
        address = self._folder / f"forks-{hashlib.sha256(kind.encode()).hexdigest()[:8]}"
        with _only_one(address), socket.socket(socket.AF_UNIX) as connection:
            if not address.exists():
                self._start(address)
            connection.connect(str(address))
            return connection.makefile("rw", encoding="utf-8")

    def _start(self, address: Path) -> None:
        started = subprocess.Popen(
            [sys.executable, "-c", _START, _ROOT, str(address), "ours" if self._ours else "", *self._modules],
            env={**os.environ, **self._environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
        )
        assert started.stdout is not None
        assert started.stdout.readline(), "the process that should fork has ended"
        atexit.register(started.wait)  # others may still need it when this one has closed


@contextlib.contextmanager
def _only_one(address: Path) -> Iterator[None]:
    """For as long as nobody else of this run connects to the process at `address`, starts it, or lets it end."""
    with address.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def serve(arguments: Sequence[str]) -> int:
    """Answer each request, a line of a connection, with the exit status of the fork that carried it out.

    A fork that runs a script returns its status, and ends like any other process.
    """
    ready = os.dup(1)
    os.dup2(2, 1)
    added = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    usual_path = [path for path in sys.path[2:] if path not in added]
    address, ours, *modules = arguments
    if ours:
        _import_ours()
    for name in modules:
        importlib.import_module(name)
    # A fork that collects garbage among the objects that already exist would copy all of them.
    gc.collect()
    gc.freeze()
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(address)
        listening.listen()
        os.write(ready, b"ready\n")
        os.close(ready)
        connected = 0
        while True:
            listening.settimeout(1 if connected else None)
            with contextlib.suppress(TimeoutError):
                connection, _ = listening.accept()
                if os.fork() == 0:
                    listening.close()
                    return _answer(connection, usual_path)
                connection.close()
                connected += 1
            while connected and os.waitpid(-1, os.WNOHANG)[0]:
                connected -= 1
            if not connected:
                with _only_one(Path(address)):
                    if not select.select([listening], [], [], 0)[0]:
                        Path(address).unlink()
                        return 0


def _answer(connection: socket.socket, usual_path: list[str]) -> int:
    with connection.makefile("rw", encoding="utf-8") as requests:
        for line in requests:
            request = json.loads(line)
            child = os.fork()
            if child == 0:
                os.dup2(os.open(os.devnull, os.O_RDWR), connection.fileno())
                if "script" in request["program"]:
                    return _become(request, usual_path)
                _end(_become, request, usual_path)
            _, status = os.waitpid(child, 0)
            requests.write(f"{os.waitstatus_to_exitcode(status)}\n")
            requests.flush()
    os._exit(0)


def _end(main: Callable[..., int], *arguments: object) -> NoReturn:
    """Run `main` and exit as Python does, but without tearing down all modules, which is half of a short run's time."""
    try:
        status: object = main(*arguments)
    except SystemExit as end:
        status = end.code
    except BaseException:
        traceback.print_exc()
        status = 1
    if not isinstance(status, (int, NoneType)):
        print(status, file=sys.stderr)
        status = 1
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status or 0)


def _import_ours() -> None:
    with tempfile.TemporaryDirectory() as folder:
        # Run once, so that plugins are imported the way pytest does it, with their asserts rewritten.
        os.chdir(folder)
        Path("pytest.ini").touch()
        pytest.main(["--compile-golden", "-p", "no:cacheprovider", "-p", "no:hypothesispytest", "-qq"])
        os.chdir("/")
    for layer in _LAYERS:
        package = importlib.import_module(f"pytest_compile_golden.{layer}")
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)
    assert "torch" not in sys.modules


def _become(request: dict[str, Any], usual_path: list[str]) -> int:
    """Carry the request out as if the process had been started for it alone."""
    environment: dict[str, str] = request["environment"]
    folder: str = request["folder"]
    program: str = request["program"]
    os.environ.clear()
    # As pytester does for the processes it starts.
    python_path = [*filter(None, [folder, *environment.get("PYTHONPATH", "").split(os.pathsep)])]
    os.environ.update(environment, PYTHONPATH=os.pathsep.join(python_path))
    os.chdir(folder)
    for number, path in enumerate([os.devnull, *request["outputs"]]):
        opened = os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o666)
        os.dup2(opened, number)
        os.close(opened)
    sys.path[:] = [*dict.fromkeys([*python_path, *usual_path])] if program != "isolated script" else usual_path
    sys.argv[:] = request["arguments"] if "script" in program else [program, *request["arguments"]]
    sys.dont_write_bytecode = True
    random.seed()
    if "script" in program:
        runpy.run_path(sys.argv[0], run_name="__main__")
        return 0
    if program == "pytest":
        return pytest.console_main()
    from pytest_compile_golden.cli import main

    main(prog_name="compile-golden")
    raise AssertionError("click exits the process")
