"""Build a library of ours once per torch build into the user's cache folder, and load it; shim.cpp is one."""

from __future__ import annotations

import ctypes
import functools
import os
import shlex
import shutil
import subprocess
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

import filelock
import platformdirs

from pytest_compile_golden.common.digest import of_texts
from pytest_compile_golden.errors import TargetUnavailable
from pytest_compile_golden.targets.devices import CPU_TARGETS_HINT

_FLAGS = ("-O1", "-std=c++20", "-shared", "-fPIC", "-w")
SHIM = Path(__file__).with_name("shim.cpp")
_HEADER = Path(__file__).with_name("virtual_cuda.h")
"""What each library may include, besides the headers next to its source."""


def unwritable(folder: Path) -> str:
    """Why no file can be created in `folder`, which is created if missing; empty if one can."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return ""
    except OSError as error:
        return error.strerror or str(error)


def find_compiler() -> list[str]:
    """The C++ compiler's command: `$CXX`, or the first of c++, g++ and clang++ on PATH.

    Raises TargetUnavailable if there is none, saying what to install.
    """
    wanted = os.environ.get("CXX")
    for command in [shlex.split(wanted)] if wanted else [["c++"], ["g++"], ["clang++"]]:
        if command and shutil.which(command[0]):
            return command
    missing = (
        f"CXX is {wanted!r}, which is not on PATH"
        if wanted
        else "no c++, g++ or clang++ is on PATH"
    )
    raise TargetUnavailable(
        f"virtual GPU targets need a C++ compiler once per torch version, and {missing}. Install one (Debian and "
        "Ubuntu: apt-get install g++; Fedora: dnf install gcc-c++; conda: conda install gxx_linux-64) and run again. "
        f"{CPU_TARGETS_HINT}"
    )


def library_path(source: Path = SHIM) -> Path:
    """Where the library that is built from `source` for the installed torch is, or will be."""
    import torch

    root = Path(torch.__file__).parent
    build = (
        torch.__version__,
        str(torch.version.git_version),
        str(root),
        sysconfig.get_platform(),
    )
    texts = [
        path.read_text(encoding="utf-8")
        for path in (source, *sorted(source.parent.glob("*.h")), _HEADER)
    ]
    facts = "\0".join((*texts, " ".join(_FLAGS), *build))
    name = f"{source.stem}-{torch.__version__}-{of_texts([facts])[:16]}.so"
    return Path(platformdirs.user_cache_dir("pytest-compile-golden")) / "shim" / name


@functools.cache
def load_library(source: Path) -> Any:
    """The library that is built from `source`, a file of C++, with the headers that it may include; built if missing.

    Raises TargetUnavailable if it cannot be built here.
    """
    path = library_path(source)
    if not path.exists():
        _build(source, path)
    return ctypes.CDLL(str(path))


@functools.cache
def load() -> Any:
    """The shim, built if missing. It has `arm(cudnn_version, devices)`, `disarm()`, `adopt_thread()`, `is_armed()`.

    Pass what `arm` and `adopt_thread` return to `check_autograd`.
    """
    library = load_library(SHIM)
    library.arm.argtypes = [ctypes.c_long, ctypes.c_int]
    library.disarm.restype = None
    return library


def check_autograd(works: int) -> None:
    """Raises TargetUnavailable if the shim says that autograd cannot run in this process."""
    if not works:
        raise TargetUnavailable(
            "this process is a fork of one in which autograd had run on a GPU, and torch cannot run backward in such a "
            'fork. Fork before the first backward, or start it with multiprocessing.get_context("spawn").'
        )


def _build(source: Path, path: Path) -> None:
    compiler = find_compiler()
    reason = unwritable(path.parent)
    if reason:
        raise TargetUnavailable(
            f"virtual GPU targets build a small library once per torch version, and {path.parent} cannot be written to "
            f"({reason}). Set XDG_CACHE_HOME to a writable folder: "
            "XDG_CACHE_HOME=/tmp/my-cache pytest --compile-golden."
        )
    # The lock keeps xdist's workers from all compiling; the rename keeps a reader from ever loading half a file.
    with filelock.FileLock(path.with_suffix(".lock")):
        if path.exists():
            return
        with tempfile.TemporaryDirectory(dir=path.parent) as folder:
            library = Path(folder) / path.name
            done = subprocess.run(
                [*compiler, *_arguments(source, library)],
                capture_output=True,
                text=True,
                errors="replace",
                check=False,
            )
            if done.returncode:
                raise TargetUnavailable(
                    f"{compiler[0]} could not build the library that virtual GPU targets need ({path.name}):\n"
                    f"{done.stderr.strip()[-2000:]}\n"
                    "It needs C++20 (g++ 11 or clang++ 14 and newer). "
                    f"{CPU_TARGETS_HINT}"
                )
            library.replace(path)


def _arguments(source: Path, output: Path) -> list[str]:
    import torch

    root = Path(torch.__file__).parent
    torch_headers = (
        root / "include",
        root / "include" / "torch" / "csrc" / "api" / "include",
    )
    abi = f"-D_GLIBCXX_USE_CXX11_ABI={int(torch.compiled_with_cxx11_abi())}"
    libraries = (
        f"-L{root / 'lib'}",
        "-lc10",
        "-ltorch_cpu",
        f"-Wl,-rpath,{root / 'lib'}",
    )
    return [
        *_FLAGS,
        abi,
        *(f"-I{folder}" for folder in (*torch_headers, _HEADER.parent)),
        str(source),
        "-o",
        str(output),
        *libraries,
    ]
