"""The warm process: it imports pytest and torch, sets torch up for virtual targets, and forks for each run.

It imports none of the user's files, so each run sees them as they are. It ends once it has been idle for a while.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import io
import json
import os
import pkgutil
import random
import signal
import socket
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import NoReturn

from pytest_compile_golden.common.constants import SWITCH

_LAYERS = ("formats", "goldens", "messages", "plugin", "recordings", "report")
# What pytest says of plugins that are there before it: their asserts were rewritten when this process began.
_QUIET = ("-W", "ignore:Module already imported so cannot be rewritten")
_TICK_S = 1.0
SIZE_BYTES = 12


def serve(path: Path, targets: Sequence[str], idle_s: float) -> None:
    """Answer requests at the socket `path` until it is removed, or no run was under way for `idle_s` seconds.

    A request is the length of what follows as SIZE_BYTES digits, with standard input, output and error as file
    descriptors, then JSON with the folder, the environment and the arguments of pytest. The answer is the number of the
    process, then its exit status.
    """
    import_pytest()
    # What only a run that fails would import, which is the run that somebody waits for.
    for layer in _LAYERS:
        package = import_module(f"pytest_compile_golden.{layer}")
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            import_module(module.name)
    from pytest_compile_golden.observe.record_compile import prepare

    for target in targets:
        prepare(target)
    # A fork that collects garbage among the objects that already exist would copy all of them.
    gc.collect()
    gc.freeze()
    with socket.socket(socket.AF_UNIX) as listening:
        # Clients look for the final name, and find it once they can connect.
        begun = path.with_suffix(".begun")
        listening.bind(os.fspath(begun))
        listening.listen()
        listening.settimeout(_TICK_S)
        begun.rename(path)
        until = time.monotonic() + idle_s
        while path.exists() and time.monotonic() < until:
            if _running():
                until = time.monotonic() + idle_s
            with suppress(TimeoutError):
                connection, _ = listening.accept()
                with connection:
                    if os.fork() == 0:
                        listening.close()
                        _run(connection)
        path.unlink(missing_ok=True)


def import_pytest(*options: str) -> None:
    """Import what a run imports, plugins included and with their asserts rewritten, but none of the user's files."""
    import pytest

    with (
        tempfile.TemporaryDirectory() as folder,
        contextlib.redirect_stdout(io.StringIO()),
    ):
        Path(folder, "pytest.ini").touch()
        pytest.main(
            [
                folder,
                f"--rootdir={folder}",
                SWITCH,
                "-p",
                "no:cacheprovider",
                "-qq",
                *options,
            ]
        )


def _running() -> bool:
    """Whether a run is under way; those that have ended are forgotten."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
        return True
    return False


def _run(connection: socket.socket) -> NoReturn:
    """Become `python -m pytest ARGUMENTS` as somebody else would have started it, and say how it ended."""
    status = 1
    try:
        size, streams, _, _ = socket.recv_fds(connection, SIZE_BYTES, 3)
        if len(streams) == 3:
            with connection.makefile("rb") as rest:
                request = json.loads(rest.read(int(size)))
            for number, stream in enumerate(streams):
                os.dup2(stream, number)
                os.close(stream)
            signal.signal(signal.SIGINT, signal.default_int_handler)
            connection.sendall(f"{os.getpid()}\n".encode())
            status = _pytest(
                request["folder"], request["environment"], request["arguments"]
            )
    except BaseException:
        traceback.print_exc()
    with suppress(OSError):
        connection.sendall(f"{status}\n".encode())
    os._exit(status)


def _pytest(folder: str, environment: dict[str, str], arguments: Sequence[str]) -> int:
    import pytest

    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    # As `python -m pytest` has it.
    sys.path[0] = folder
    # Of two filters for a warning, pytest follows the later one; `--` ends the options.
    end = arguments.index("--") if "--" in arguments else len(arguments)
    sys.argv[:] = ["pytest", *arguments[:end], *_QUIET, *arguments[end:]]
    random.seed()
    try:
        return int(pytest.main())
    finally:
        # Its verdict is out, and Ctrl-C is for the one who waits for it.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        # As Python ends, but without tearing down all modules, which is half of a short run's time.
        threading._shutdown()  # type: ignore[attr-defined]
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()


if __name__ == "__main__":
    _, _path, _idle_s, *_targets = sys.argv
    serve(Path(_path), _targets, float(_idle_s))
