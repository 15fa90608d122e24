"""Runs pytest, `compile-golden` and scripts in their own processes, forked from one that has done the imports."""

from __future__ import annotations

import atexit
import contextlib
import fcntl
import functools
import gc
import hashlib
import importlib
import importlib.metadata
import importlib.util
import json
import os
import pkgutil
import random
import runpy
import select
import signal
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
from unittest import mock

import pytest

_START = "import sys; sys.path.insert(1, sys.argv[1]); from tests.forked import serve; sys.exit(serve(sys.argv[2:]))"
_START_PROCESS = subprocess.Popen.__init__
_DISTRIBUTION = importlib.metadata.PathDistribution
_ROOT = str(Path(__file__).parents[1])
# Passes for a Python: what it is asked to run, with its files and its environment, is run in a fork instead.
_CLIENT = """
import json, os, socket, sys

def kept(number):
    try:
        return number < 3 or os.get_inheritable(number)
    except OSError:
        return False

address, python, *arguments = sys.argv[1:]
files = [number for number in map(int, os.listdir("/proc/self/fd")) if kept(number)]
request = dict(python=python, arguments=arguments, folder=os.getcwd(), environment={**os.environ}, files=files)
whole = json.dumps(request).encode()
server = socket.socket(socket.AF_UNIX)
server.connect(address)
socket.send_fds(server, [b"%012d" % len(whole)], files)
server.sendall(whole)
status = int(server.makefile().readline())
if status < 0:
    os.kill(os.getpid(), -status)
sys.exit(status)
"""
# Imported by runs that compile nothing; torch is not among these imports.
_LAYERS = (
    "formats",
    "goldens",
    "recordings",
    "report",
    "environments",
    "cli",
    "plugin",
)

RunInProject = Callable[..., pytest.RunResult]


class Forks:
    """Asks a process that has done the imports for a fork for each run.

    The workers of a parallel run share it: the first that needs it starts it, and it ends when the last has closed.
    """

    def __init__(
        self,
        *modules: str,
        ours: bool = True,
        forked_from: Forks | None = None,
        **environment: str,
    ) -> None:
        """The process imports pytest, then if `ours` whatever in our package does not need torch, then `modules`.

        The variables in `environment` are set when it starts, for those that are only read at startup. With
        `forked_from`, it is a fork of what those fork, with all that is imported there, and imports only the rest:
        not where torch would read another variable when it is imported.
        """
        self._modules = modules
        self._ours = ours
        self._forked_from = forked_from
        self._environment = environment
        # The process starts with the first run, in a test that may have set variables that are read at startup.
        self._at_start = {**os.environ, **environment}
        # This run's, see conftest.
        self._folder = Path(os.environ["TORCHINDUCTOR_CACHE_DIR"])
        self._connection: TextIOWrapper | None = None

    def run_pytest(
        self, folder: Path, *arguments: str, python: Path | None = None
    ) -> pytest.RunResult:
        """Run `python -m pytest ARGUMENTS` in the current folder; what it leaves behind is in `folder`.

        Processes that it starts with its own interpreter are run by `python`, if given: see `Forks.python`.
        """
        return self._run(
            "pytest", folder, (f"--basetemp={folder / 'runpytest'}", *arguments), python
        )

    def run_command(
        self, folder: Path, *arguments: str, python: Path | None = None
    ) -> pytest.RunResult:
        """Run `compile-golden ARGUMENTS` in the current folder; its output is also in `folder`. See `run_pytest`."""
        return self._run("compile-golden", folder, arguments, python)

    def run_script(
        self, folder: Path, path: Path, *arguments: str, isolated: bool = False
    ) -> pytest.RunResult:
        """Run `python PATH ARGUMENTS` (or `python -I`) in the current folder; its output is also in `folder`."""
        return self._run(
            "isolated script" if isolated else "script", folder, (str(path), *arguments)
        )

    @functools.cached_property
    def python(self) -> Path:
        """Passes for this interpreter: what it is asked to run, with `-m`, `-c` or as a file, is run in a fork.

        Not where torch would read another variable when it is imported.
        """
        self._connect()
        folder = Path(tempfile.mkdtemp(prefix="python-", dir=self._folder))
        client, python = folder / "client.py", folder / "python"
        client.write_text(_CLIENT)
        python.write_text(
            f'#!/bin/sh\nexec "{sys.executable}" -IS "{client}" "{self._address}" "$0" "$@"\n'
        )
        python.chmod(0o755)
        return python

    def started(self) -> Any:
        """For `Popen.__init__`: this interpreter's processes are forks, and so are those that they start."""
        return _starting(str(self.python))

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()

    def _run(
        self,
        program: str,
        folder: Path,
        arguments: Sequence[str],
        python: Path | None = None,
    ) -> pytest.RunResult:
        connection = self._connect()
        print("running:", program, *arguments, "in", Path.cwd())
        start = time.perf_counter()
        outputs = [folder / "stdout", folder / "stderr"]
        request = {
            "program": program,
            "folder": str(Path.cwd()),
            "arguments": arguments,
            "environment": {**os.environ, **self._environment},
            "outputs": [str(path) for path in outputs],
            "python": str(python) if python else None,
        }
        connection.write(json.dumps(request) + "\n")
        connection.flush()
        answer = connection.readline()
        assert answer, "the forking process has ended"
        status = int(answer)
        out, err = (path.read_text(encoding="utf-8").splitlines() for path in outputs)
        print(*out, sep="\n")
        print(*err, sep="\n", file=sys.stderr)
        known = status in [*pytest.ExitCode]
        return pytest.RunResult(
            pytest.ExitCode(status) if known else status,
            out,
            err,
            time.perf_counter() - start,
        )

    @property
    def _address(self) -> Path:
        kind = repr((self._modules, self._ours, self._environment))
        if self._forked_from is not None:
            kind += str(self._forked_from._address)
        return self._folder / f"forks-{hashlib.sha256(kind.encode()).hexdigest()[:8]}"

    def _connect(self) -> TextIOWrapper:
        if self._connection is None:
            with _only_one(self._address), socket.socket(socket.AF_UNIX) as connection:
                if not self._address.exists():
                    self._start(self._address)
                connection.connect(str(self._address))
                self._connection = connection.makefile("rw", encoding="utf-8")
        return self._connection

    def _start(self, address: Path) -> None:
        python = self._forked_from.python if self._forked_from else sys.executable
        started = subprocess.Popen(
            [
                str(python),
                "-c",
                _START,
                _ROOT,
                str(address),
                "ours" if self._ours else "",
                *self._modules,
            ],
            env=self._at_start,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
        )
        assert started.stdout is not None
        assert started.stdout.readline(), "the process that should fork has ended"
        # Others may still need it when this one has closed.
        atexit.register(started.wait)


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
    # A fork of another such process starts what it starts as this one does.
    subprocess.Popen.__init__ = _START_PROCESS  # type: ignore[method-assign]
    added = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    usual_path = [path for path in sys.path[2:] if path not in added]
    address, ours, *modules = arguments
    if ours and "torch" not in sys.modules:
        _import_ours()
    for name in modules:
        importlib.import_module(name)
    _remember_what_is_installed()
    sys.stdout.flush()  # or each fork would say once more what pytest said
    # A fork that collects garbage among the objects that already exist would copy all of them.
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000)
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
                        Path(address).unlink(missing_ok=True)
                        return 0


def _answer(connection: socket.socket, usual_path: list[str]) -> int:
    if connection.recv(1, socket.MSG_PEEK) == b"0":
        _pass_for_python(connection, usual_path)
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


def _pass_for_python(connection: socket.socket, usual_path: list[str]) -> NoReturn:
    """Run what `_CLIENT` was started for, with its files; when it is killed, so is what runs in its place."""
    size, files, *_ = socket.recv_fds(connection, 12, 64)
    request = json.loads(connection.recv(int(size), socket.MSG_WAITALL))
    child = os.fork()
    if child == 0:
        os.setsid()
        # First out of the way of the numbers that they shall have.
        for opened, number in [
            (fcntl.fcntl(file, fcntl.F_DUPFD, 256), number)
            for file, number in zip(files, request["files"], strict=True)
        ]:
            os.dup2(opened, number)
            os.close(opened)
        connection.close()
        _end(_run_as_python, request, usual_path)
    for file in files:
        os.close(file)
    ended = os.pidfd_open(child)
    select.select([ended, connection.fileno()], [], [])
    if not select.select([ended], [], [], 0)[0]:
        os.killpg(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    with contextlib.suppress(BrokenPipeError):
        connection.sendall(b"%d\n" % os.waitstatus_to_exitcode(status))
    os._exit(0)


def _run_as_python(request: dict[str, Any], usual_path: list[str]) -> int:
    options = iter(request["arguments"])
    for option in options:
        if option == "-W":
            next(options)
        elif option in ("-c", "-m") or option.endswith(".py"):
            break
        else:
            assert option in ("-u", "-P"), f"not for a fork: {request['arguments']}"
    if option.endswith(".py"):
        first, arguments = str(Path(option).parent), [*options]
    else:
        first, (what, *arguments) = request["folder"], options
    _surround(request, [] if "-P" in request["arguments"] else [first], usual_path)
    sys.argv[:] = [option, *arguments]
    if option.endswith(".py"):
        runpy.run_path(option, run_name="__main__")
    elif option == "-m":
        runpy.run_module(what, run_name="__main__", alter_sys=True)
    else:
        exec(compile(what, "<string>", "exec"), vars(sys.modules["__main__"]))
    return 0


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
        pytest.main(
            [
                "--compile-golden",
                "-p",
                "no:cacheprovider",
                "-qq",
            ]
        )
        os.chdir("/")
    for layer in _LAYERS:
        package = importlib.import_module(f"pytest_compile_golden.{layer}")
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)
    assert "torch" not in sys.modules


def _starting(python: str) -> Any:
    """`Popen.__init__` that starts `python` in place of this interpreter."""
    start = subprocess.Popen.__init__

    def started(self: Any, args: Any, *others: Any, **options: Any) -> None:
        if isinstance(args, (list, tuple)) and str(args[0]) == sys.executable:
            args = [python, *args[1:]]
        start(self, args, *others, **options)

    return started


def _surround(request: dict[str, Any], first: list[str], usual_path: list[str]) -> None:
    """Give this process the variables, folder, path and name that its request asks for."""
    environment: dict[str, str] = request["environment"]
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(request["folder"])
    python_path = filter(None, environment.get("PYTHONPATH", "").split(os.pathsep))
    sys.path[:] = [*dict.fromkeys([*first, *python_path, *usual_path])]
    if request["python"]:
        mock.patch.object(
            subprocess.Popen, "__init__", _starting(request["python"])
        ).start()
    sys.dont_write_bytecode = True
    random.seed()


def skip_without(package: str) -> None:
    """Skip a test without an optional package, which is not imported here.

    Some, such as pygal, import the backport of importlib.metadata, which takes what finds installed packages out of
    Python's own finder; pytester then puts back the finders of before, and none of them finds any.
    """
    if importlib.util.find_spec(package) is None:
        pytest.skip(f"{package} is not installed")


class _Installed(importlib.metadata.PathDistribution):
    """Read once for all forks: pytest and pluggy read all of them several times, a fifth of a short run's time."""

    def __init__(self, path: Any) -> None:
        super().__init__(path)
        self._read: tuple[Any, Any, Any] = (
            super().entry_points,
            super().files,
            super().metadata,
        )

    @property
    def entry_points(self) -> Any:
        return self._read[0]

    @property
    def files(self) -> Any:
        return self._read[1]

    @property
    def metadata(self) -> Any:
        return self._read[2]


def _remember_what_is_installed() -> None:
    read = importlib.metadata.PathDistribution
    if read is not _DISTRIBUTION:
        return  # a fork of a process that remembers it
    paths = [
        found._path
        for found in importlib.metadata.distributions()
        if isinstance(found, read)
    ]
    known = {str(path): _Installed(path) for path in paths}
    mock.patch.object(
        importlib.metadata,
        "PathDistribution",
        lambda path: known.get(str(path)) or read(path),
    ).start()


def _become(request: dict[str, Any], usual_path: list[str]) -> int:
    """Carry the request out as if the process had been started for it alone."""
    folder: str = request["folder"]
    program: str = request["program"]
    # As pytester does for the processes it starts.
    python_path = [
        *filter(
            None,
            [folder, *request["environment"].get("PYTHONPATH", "").split(os.pathsep)],
        )
    ]
    request["environment"]["PYTHONPATH"] = os.pathsep.join(python_path)
    _surround(request, [], usual_path)
    for number, path in enumerate([os.devnull, *request["outputs"]]):
        opened = os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o666)
        os.dup2(opened, number)
        os.close(opened)
    if program == "isolated script":
        sys.path[:] = usual_path
    sys.argv[:] = (
        request["arguments"]
        if "script" in program
        else [program, *request["arguments"]]
    )
    if "script" in program:
        runpy.run_path(sys.argv[0], run_name="__main__")
        return 0
    if program == "pytest":
        return pytest.console_main()
    from pytest_compile_golden.cli import main

    main(prog_name="compile-golden")
    raise AssertionError("click exits the process")
