"""Compiles the C++ kernels of a capture to the target's assembly with the installed C++ compiler; runs none of them."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import re
import subprocess
import tempfile
import zlib
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import platformdirs

from pytest_compile_golden.common.files import write_cached
from pytest_compile_golden.common.lines import split_lines
from pytest_compile_golden.facts.generated_code import MachineCode, OutputCode
from pytest_compile_golden.facts.graphs import GraphKey
from pytest_compile_golden.facts.record import Record
from pytest_compile_golden.formats.inductor_module import kernel_files
from pytest_compile_golden.formats.machine_code import x86
from pytest_compile_golden.formats.machine_code.languages import LANGUAGES
from pytest_compile_golden.targets import get_target
from pytest_compile_golden.targets.import_torch import own_variables
from pytest_compile_golden.targets.patching import Patches
from pytest_compile_golden.torch_internals import device, kernels
from pytest_compile_golden.torch_internals import settings as setting_names

# What `-march=native` means on a virtual target, as opposed to this machine: levels defined by the x86-64 psABI.
# Extensions of an instruction set (VNNI, AMX) have flags of their own.
_WITH_AVX2, _WITH_AVX512 = "march=x86-64-v3", "march=x86-64-v4"
# Debug information does not change the instructions.
_FOR_DEBUGGERS = frozenset({"g", "g0", "g1", "g2", "g3", "gline-tables-only"})
_PREFIX = "#include <torch/csrc/inductor/cpp_prefix.h>\n"
_VERSION = re.compile(r"\d+\.\d+(?:\.\d+)?")
_SYMBOL = re.compile(r'extern "C"[^({;]*?\b(\w+)\s*\(')


class NoCompiler(Exception):
    """No C++ compiler on this machine compiles for the target; the message says what to do."""


@dataclass(frozen=True)
class CppKernel:
    """A kernel that can be compiled."""

    key: GraphKey
    name: str
    text: str
    """The file that Inductor compiles, without the code that Python needs to call it."""
    settings: Mapping[str, object]
    """See `OutputCode.settings`."""


@dataclass(frozen=True)
class _Compiler:
    """A C++ compiler with Inductor's flags for a target."""

    command: str
    name: str
    """Name and version: `g++ 12.2.0`."""
    build: str
    """Everything that it prints about its version."""
    flags: tuple[str, ...]
    isa: str


def cpp_kernels(record: Record) -> list[CppKernel]:
    """Every C++ kernel of a capture, in the order in which they were written."""
    codes: list[OutputCode] = record.get("output_code")
    return [
        CppKernel(code.key, name, text, code.settings)
        for code in codes
        for name, text in kernel_files(code.code, "cpp")
    ]


def compiled(target: str, kernels: Iterable[CppKernel]) -> list[MachineCode]:
    """The machine code of each kernel on the target. Raises NoCompiler if no compiler here supports it."""
    with (
        get_target(target).active() as entered,
        own_variables(),
        tempfile.TemporaryDirectory() as folder,
    ):
        tasks = [(kernel, _compiler(entered, kernel.settings)) for kernel in kernels]
        # The compiler is a process of its own.
        with ThreadPoolExecutor(usable_cores()) as pool:
            numbered = (
                (kernel, compiler, Path(folder) / str(n))
                for n, (kernel, compiler) in enumerate(tasks)
            )
            return list(pool.map(lambda task: _compiled(*task), numbered))


def installed_compiler() -> str:
    """The C++ compiler that Inductor finds, with its version: `g++ 12.2.0`. Raises NoCompiler if there is none."""
    return _version(_command())[0]


def _compiled(kernel: CppKernel, compiler: _Compiler, folder: Path) -> MachineCode:
    identity = (kernel.key, kernel.name, compiler.isa, 0, compiler.name)
    folder.mkdir()
    text = kernel.text if "cpp_prefix.h" in kernel.text else _PREFIX + kernel.text
    (folder / "kernel.cpp").write_text(text, encoding="utf-8")
    try:
        # The result depends on everything that the compiler reads, including headers.
        _run(
            [
                compiler.command,
                "kernel.cpp",
                *compiler.flags,
                "-E",
                "-P",
                "-o",
                "whole.ii",
            ],
            folder,
        )
        assembly = _cached(compiler, folder)
    except subprocess.CalledProcessError as error:
        lines = split_lines(error.stderr)
        first = next((line for line in lines if "error" in line), next(iter(lines), ""))
        return MachineCode(*identity, dropped=f"does not compile: {first.strip()}")
    symbol = _SYMBOL.search(text)
    name = symbol[1] if symbol else "kernel"
    resources = x86.resources(LANGUAGES["assembly"].cleaned(assembly, name))
    return MachineCode(
        *identity, symbol=name, texts={"assembly": assembly}, resources=resources
    )


def _cached(compiler: _Compiler, folder: Path) -> str:
    """The assembly of the preprocessed kernel in `folder`; each compiler produces it once per machine."""
    preprocessed = (folder / "whole.ii").read_bytes()
    options = "\0".join((compiler.build, *compiler.flags)).encode()
    cache = platformdirs.user_cache_path("pytest-compile-golden") / "assembly"
    path = cache / hashlib.sha256(options + b"\0" + preprocessed).hexdigest()
    with contextlib.suppress(OSError, zlib.error, UnicodeDecodeError):
        return zlib.decompress(path.read_bytes()).decode()
    _run(
        [compiler.command, "whole.ii", *compiler.flags, "-S", "-o", "kernel.s"], folder
    )
    assembly = (folder / "kernel.s").read_bytes()
    with contextlib.suppress(OSError):  # without a writable folder nothing is cached
        write_cached(path, zlib.compress(assembly))
    return assembly.decode()


def _compiler(target: Any, settings: Mapping[str, object]) -> _Compiler:
    """The compiler and flags that Inductor would use under these settings for the target, which is active."""
    isa = device.PICK_VEC_ISA.get()()
    properties = getattr(target, "properties", None)
    if (properties.machine if properties else os.uname().machine) not in (
        "x86_64",
        "AMD64",
    ):
        raise NoCompiler(
            "assembly is only available for x86-64 kernels; choose cpu-avx2 or cpu-avx512"
        )
    with Patches() as patches:
        patches.configure(
            {
                row: settings[row.key]
                for row in setting_names.FLAGS
                if row.key in settings
            }
        )
        command = _command()
        options = kernels.CPP_OPTIONS.get()(
            vec_isa=isa, include_pytorch=False, compile_only=True, compiler=command
        )
    level = (
        (_WITH_AVX2 if properties.isa == "AVX2" else _WITH_AVX512)
        if properties
        else None
    )
    flags = [
        f"-{level if level and flag in ('march=native', 'mcpu=native') else flag}"
        for flag in options.get_cflags()
        if flag not in _FOR_DEBUGGERS
    ]
    flags += [f"-D{name.strip()}" for name in options.get_definitions() if name.strip()]
    flags += [f"-I{folder}" for folder in options.get_include_dirs()]
    flags += " ".join(options.get_passthrough_args()).split()
    name, build = _version(command)
    compiler = _Compiler(command, name, build, (*flags, "-w"), str(isa).upper())
    _check(compiler)
    return compiler


def _command() -> str:
    """The result of torch's own search (torch/_inductor/cpp_builder.py: cpp_compiler_search); on a virtual target it
    finds g++."""
    cxx = setting_names.CPP_CXX.get()
    wanted: tuple[str | None, ...] = (
        tuple(cxx) if isinstance(cxx, (list, tuple)) else (cxx,)
    )
    try:
        return str(kernels.CPP_COMPILER.get()(wanted))
    except Exception:  # torch's own error, which says the same for every name
        names = " or ".join(name for name in wanted if name)
        raise NoCompiler(
            f"no C++ compiler found ({names}); install one (Debian: apt install g++), or name one in the environment "
            "variable CXX"
        ) from None


@functools.cache
def _version(command: str) -> tuple[str, str]:
    """A compiler's name and version, and everything that it prints about its version."""
    output = _run([command, "--version"], None)
    first = output.partition("\n")[0]
    number = _VERSION.findall(
        re.sub(r"\([^)]*\)", "", first) if "clang" not in first else first
    )
    return (
        f"{'clang' if 'clang' in first else 'g++'} {number[0] if number else 'unknown'}",
        output,
    )


@functools.cache
def _check(compiler: _Compiler) -> None:
    """Raise NoCompiler if the compiler does not support the target's instruction set."""
    try:
        _run(
            [
                compiler.command,
                *compiler.flags,
                "-fsyntax-only",
                "-x",
                "c++",
                os.devnull,
            ],
            None,
        )
    except subprocess.CalledProcessError as error:
        why = next(iter(split_lines(error.stderr)), "")
        raise NoCompiler(
            f"{compiler.name} does not compile for {compiler.isa} ({why.strip()}); install g++ 11, clang 12 or newer, "
            "or on another architecture a compiler that targets x86-64 (Debian: apt install g++-x86-64-linux-gnu), "
            "and name it in the environment variable CXX"
        ) from None


def _run(command: Sequence[str], folder: Path | None) -> str:
    # We parse the messages, so they must not be translated.
    env = {**os.environ, "LC_ALL": "C"}
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=True,
        cwd=folder,
        env=env,
        errors="replace",
    )
    return done.stdout


def usable_cores() -> int:
    """The number of cores that this process may use; pytest-xdist workers share them equally."""
    cores = (
        len(os.sched_getaffinity(0))
        if hasattr(os, "sched_getaffinity")
        else os.cpu_count() or 1
    )
    return max(1, cores // int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1")))
