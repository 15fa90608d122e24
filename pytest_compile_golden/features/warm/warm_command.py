"""`compile-golden warm ARGUMENTS`: pytest, without the seconds that importing torch takes."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import click

from pytest_compile_golden.cli import shell_completion
from pytest_compile_golden.cli.console import say
from pytest_compile_golden.cli.project import find_project
from pytest_compile_golden.common.constants import (
    DEFAULT_TARGETS,
    PYTEST_FILES,
    SWITCH,
)
from pytest_compile_golden.common.lines import split_lines
from pytest_compile_golden.errors import CompileGoldenError
from pytest_compile_golden.features.warm.warm_server import SIZE_BYTES
from pytest_compile_golden.recordings.test_selection.file_dependencies import (
    surroundings,
)

IDLE_S = 900.0
_LOOK_S = 0.2
_INTERRUPTED = 2
"""pytest's exit status for it."""
_START_S = 300.0
"""Six CPU seconds, on a machine that may be busy."""
_POLL_S = 0.05
_LONGEST_PATH = 100
"""In bytes: the system allows 108 on Linux, 104 on macOS."""


@click.command(
    short_help="Run pytest from a preloaded process.",
    context_settings={"ignore_unknown_options": True},
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
@click.option(
    "--for",
    "targets",
    multiple=True,
    metavar="T",
    default=DEFAULT_TARGETS,
    show_default=True,
    shell_complete=shell_completion.targets,
    help="A target to set torch up for in advance; repeatable. Others also work, but take a second longer.",
)
@click.option(
    "--idle",
    "idle_s",
    type=float,
    default=IDLE_S,
    show_default=True,
    help="Seconds without a run until it ends.",
)
@click.option(
    "--watch",
    is_flag=True,
    help="Run again at each save of a Python file, with what the edit affects.",
)
@click.option("--stop", is_flag=True, help="End all warm processes instead.")
def warm(
    arguments: tuple[str, ...],
    targets: tuple[str, ...],
    idle_s: float,
    watch: bool,
    stop: bool,
) -> None:
    """Run `pytest --compile-golden ARGUMENTS` in a fork of a process that has imported torch and set it up, and that
    stays for the next run.

    That process imports none of your files: a run sees them as they are. It serves one environment. With another torch,
    other packages, an edit in one of these, or another variable that torch or Python reads, a new process is started,
    and the old one ends when it has been idle. Exits as pytest does.
    """
    if stop:
        count = stop_all()
        click.echo(f"ended {count} warm process{'' if count == 1 else 'es'}")
        return
    sys.exit(run(arguments, targets, idle_s, watch))


def run(
    arguments: Sequence[str],
    targets: Sequence[str] = DEFAULT_TARGETS,
    idle_s: float = IDLE_S,
    watch: bool = False,
) -> int:
    """pytest's exit status; with `watch`, of the last run, which Ctrl-C may have ended."""
    root = find_project().root
    status = _INTERRUPTED
    with suppress(KeyboardInterrupt):
        # What is saved while a run is under way is seen as it ends.
        seen = _saved(root) if watch else {}
        status = run_warm(socket_path(targets), targets, [SWITCH, *arguments], idle_s)
        while watch:
            if (now := _saved(root)) == seen:
                time.sleep(_LOOK_S)
            else:
                seen, status = now, _INTERRUPTED
                again = [SWITCH, f"{SWITCH}-changed", *arguments]
                status = run_warm(socket_path(targets), targets, again, idle_s)
    return status


def _saved(root: Path) -> dict[Path, int]:
    """When each of the project's files that decide what its cases do was last written, in nanoseconds."""
    saved = {}
    for folder, folders, names in os.walk(root):
        folders[:] = [
            name
            for name in folders
            if not name.startswith((".", "__")) and name != "node_modules"
        ]
        for path in (
            Path(folder, name)
            for name in names
            if name.endswith(".py") or name in PYTEST_FILES
        ):
            with suppress(FileNotFoundError):  # an editor replaces files
                saved[path] = path.stat().st_mtime_ns
    return saved


def folder() -> Path:
    """The folder of the sockets, which nobody else may enter. Raises CompileGoldenError if somebody else made it.

    It is in XDG_RUNTIME_DIR, or among temporary files where that is no folder, as after `su` or in a container.
    """
    runtime = Path(os.environ.get("XDG_RUNTIME_DIR") or tempfile.gettempdir())
    root = (
        runtime if runtime.is_dir() else Path(tempfile.gettempdir())
    ) / f"compile-golden-warm-{os.getuid()}"
    try:
        root.mkdir(mode=0o700, exist_ok=True)
        stat = root.stat()
    except OSError as error:
        raise CompileGoldenError(
            f"cannot make {root}: {error}. Set XDG_RUNTIME_DIR to a folder of yours."
        ) from None
    if stat.st_uid != os.getuid() or stat.st_mode & 0o077:
        raise CompileGoldenError(
            f"{root} is open to others. Remove it, or set XDG_RUNTIME_DIR to a folder of yours."
        )
    return root


def socket_path(targets: Sequence[str]) -> Path:
    """Where a warm process for exactly this environment listens.

    Another torch, package, edit of this plugin or variable that torch reads is another path: a process that no longer
    fits is never asked, and ends when it has been idle. Raises CompileGoldenError if the path is longer than a socket's
    may be.
    """
    path = folder() / "0123456789abcdef.begun"
    if len(os.fsencode(path)) > _LONGEST_PATH:
        raise CompileGoldenError(
            f"{path.parent} is too long for a socket. Set XDG_RUNTIME_DIR to a shorter path."
        )
    python = (
        f"{name}={value}"
        for name, value in sorted(os.environ.items())
        if name.startswith("PYTHON")
    )
    return folder() / f"{surroundings([sys.executable, *targets, *python])[:16]}.sock"


def run_warm(
    path: Path, targets: Sequence[str], arguments: Sequence[str], idle_s: float
) -> int:
    """Run pytest in a fork of the warm process at `path`, started if there is none; returns pytest's exit status.

    idle_s: seconds without a run after which a process that is started ends. Ctrl-C goes to the run, and is raised here
    once that has ended. Raises CompileGoldenError if the run ends without a status.
    """
    interrupted = False
    with _connected(path, targets, idle_s) as connection:
        request = {
            "folder": str(Path.cwd()),
            "environment": {**os.environ},
            "arguments": list(arguments),
        }
        whole = json.dumps(request).encode()
        # The streams go with a few bytes: what is longer than the socket's buffer arrives in parts.
        socket.send_fds(connection, [b"%0*d" % (SIZE_BYTES, len(whole))], [0, 1, 2])
        connection.sendall(whole)
        with connection.makefile() as answers:
            process = answers.readline()
            while True:
                try:
                    status = answers.readline()
                except KeyboardInterrupt:
                    interrupted = True
                    with suppress(ProcessLookupError, ValueError):
                        os.kill(int(process), signal.SIGINT)
                    continue
                break
    if interrupted:
        raise KeyboardInterrupt
    if not status:
        raise CompileGoldenError(
            "the run ended without a word; run `pytest --compile-golden` itself to see why."
        )
    return int(status)


@contextmanager
def _connected(
    path: Path, targets: Sequence[str], idle_s: float
) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX) as connection:
        if not _connect(connection, path):
            say("starting a warm process; later runs do without its imports")
            _start(path, targets, idle_s)
            if not _connect(connection, path):
                raise CompileGoldenError(
                    f"the warm process at {path} does not answer. Try again."
                )
        yield connection


def _connect(connection: socket.socket, path: Path) -> bool:
    try:
        connection.connect(os.fspath(path))
    except (FileNotFoundError, ConnectionRefusedError):
        return False
    except OSError as error:
        raise CompileGoldenError(
            f"cannot use {path}: {error}. Set XDG_RUNTIME_DIR to a folder of yours."
        ) from None
    return True


def _start(path: Path, targets: Sequence[str], idle_s: float) -> None:
    path.unlink(missing_ok=True)  # what a process that was killed left behind
    log = path.with_suffix(".log")
    with log.open("wb") as output:
        server = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "pytest_compile_golden.features.warm.warm_server",
                path,
                str(idle_s),
                *targets,
            ],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    until = time.monotonic() + _START_S
    while not path.exists() and time.monotonic() < until and server.poll() is None:
        time.sleep(_POLL_S)
    if not path.exists():
        last = split_lines(log.read_text(encoding="utf-8", errors="replace").strip())[
            -10:
        ]
        raise CompileGoldenError("the warm process did not start:\n" + "\n".join(last))


def stop_all() -> int:
    """End every warm process of this user, within a second; returns how many there were."""
    sockets = list(folder().glob("*.sock"))
    for path in sockets:
        path.unlink(missing_ok=True)
    return len(sockets)
