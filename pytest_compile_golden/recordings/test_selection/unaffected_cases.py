"""Which cases of a recording would be the same on another torch: those that executed nothing of torch that differs.

What cases executed is kept in the recording's folder `executed`: a file for each process of the run, and the texts of
torch's modules by content.
"""

from __future__ import annotations

import gzip
import importlib.util
import platform
import sys
import zlib
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path, PurePosixPath

import msgspec

from pytest_compile_golden.common import files
from pytest_compile_golden.common.digest import of_texts
from pytest_compile_golden.common.lines import split_lines
from pytest_compile_golden.errors import GoldenError
from pytest_compile_golden.recordings import recording
from pytest_compile_golden.recordings.recording import RecordedCase
from pytest_compile_golden.recordings.test_selection.file_dependencies import (
    distributions,
    package_files,
    variables,
)
from pytest_compile_golden.recordings.test_selection.passed_cases import (
    Contents,
    file_digest,
)
from pytest_compile_golden.torch_source.installed_sources import Sources
from pytest_compile_golden.torch_source.module_effect import effect

FOLDER = "executed"
_TEXTS = "texts"
_VERSION_FILE = "torch/version.py"
"""Says another commit in each build, which nothing that is compiled depends on."""
_ONE_IN = 20
"""Cases that need not run, of which one is a sample."""
_PROCESSOR = ("model name", "flags", "Features")

LIBRARIES = "torch's compiled libraries and data files"


class CaseExecuted(msgspec.Struct, frozen=True):
    """What one case executed beyond what its process had before any case began."""

    functions: tuple[int, ...]
    """Where they are in `ProcessExecuted.functions`."""
    modules: tuple[str, ...]
    """Files of torch's modules that it imported: `torch/_inductor/fx_passes/quantization.py`."""
    files: Mapping[str, str]
    """Files of the project that it imported, each with a digest of its contents."""


class ProcessExecuted(msgspec.Struct, frozen=True):
    """What the cases of one process executed of torch."""

    around: Mapping[str, str]
    """What all cases depend on, by what it is, with a digest each."""
    projects: Mapping[str, str]
    """By test file, a digest of all files of the project that its cases depend on."""
    texts: Mapping[str, str]
    """Each module of torch that was imported, by file, with the digest of its text."""
    names: tuple[str, ...]
    """All modules that had been imported before any case began."""
    modules: tuple[str, ...]
    """The files of those of torch."""
    functions: tuple[tuple[str, str], ...]
    """File and qualified name of each function that any of its cases executed."""
    always: tuple[int, ...]
    """Those that had been executed before any case began, such as by imports."""
    cases: Mapping[str, CaseExecuted]
    """By nodeid."""


def write(root: Path, name: str, executed: ProcessExecuted, sources: Sources) -> None:
    """Keep what a process executed in a recorded folder. Raises GoldenError if that is not possible."""
    try:
        (root / FOLDER).mkdir(parents=True, exist_ok=True)
        for file, text_digest in executed.texts.items():
            path = root / FOLDER / _TEXTS / text_digest
            if not path.exists():
                text = sources.text(file).encode("utf-8", "surrogatepass")
                files.write_cached(path, zlib.compress(text))
        path = root / FOLDER / f"{name}.json.gz"
        path.write_bytes(gzip.compress(msgspec.json.encode(executed), 6))
    except OSError as error:
        raise GoldenError(
            f"cannot write what cases executed to {root / FOLDER}: {error}."
        ) from error


def check(root: Path) -> list[tuple[Path, Path]]:
    """The files that say what cases of a recording executed, or of a folder of shards, each with its recorded folder.

    Raises GoldenError if there are none.
    """
    parts = (
        [root]
        if recording.is_recording(root)
        else recording.shards(root)
        if root.is_dir()
        else []
    )
    found = [
        (part, path)
        for part in parts
        for path in sorted((part / FOLDER).glob("*.json.gz"))
    ]
    if not found:
        raise GoldenError(
            f"{root} does not say what its cases executed: it was not recorded with --compile-golden-record {root} "
            "--compile-golden-executed."
        )
    return found


class Unaffected:
    """The cases of an older recording that executed nothing that differs from the torch that is installed."""

    def __init__(
        self,
        root: Path,
        contents: Contents,
        new: Sources,
        around: Mapping[str, str],
        projects: Mapping[str, str],
    ) -> None:
        """root: the older recording, or a folder of its shards; contents: the project's files; `around` and `projects`
        are as in `ProcessExecuted`.

        Raises GoldenError if it was not recorded with what its cases executed, or is damaged.
        """
        self._contents = contents
        self._new = new
        self._around = around
        self._projects = projects
        self.cases: dict[str, RecordedCase] = {}
        """The recorded cases that are the same now, by nodeid."""
        self.executed: dict[str, tuple[ProcessExecuted, CaseExecuted]] = {}
        """What they executed, and in which process."""
        self.because: set[str] = set()
        """What all cases of a process depend on and is not as it was."""
        parts = check(root)
        for part, path in parts:
            self._read(part, path)
        for part in {part for part, _ in parts} if self.executed else ():
            for case in recording.read(part).cases:
                if case.nodeid in self.executed and case.outcome == "passed":
                    self.cases[case.nodeid] = case

    @cached_property
    def sample(self) -> frozenset[str]:
        """Those of the cases that are to run all the same, to see whether it is true: others on each torch."""
        version = self._new.text(_VERSION_FILE)
        ordered = sorted(self.cases, key=lambda nodeid: of_texts([version, nodeid]))
        return frozenset(ordered[: max(1, len(ordered) // _ONE_IN)])

    def _read(self, part: Path, path: Path) -> None:
        try:
            executed = msgspec.json.decode(
                gzip.decompress(path.read_bytes()), type=ProcessExecuted
            )
        except (OSError, ValueError, EOFError, zlib.error) as error:
            raise GoldenError(
                f"{path} is damaged ({error}). Record again without {part}."
            ) from None
        differing = {
            what
            for what, value in self._around.items()
            if executed.around.get(what) != value
        }
        self.because |= differing
        if differing:
            return
        # A change of a module reaches a case in two ways: the module does something else when it is imported, or a
        # function that the case called does.
        wholly, functions = self._differing(part, executed)
        if wholly & set(executed.modules) or functions & set(executed.always):
            self.because.add("what torch does when it is imported and set up")
            return
        for nodeid, case in executed.cases.items():
            file = nodeid.partition("::")[0]
            if (
                not (wholly & set(case.modules) or functions & set(case.functions))
                and executed.projects.get(file, "") == self._projects.get(file)
                and all(
                    self._contents.of_files([name]) == value
                    for name, value in case.files.items()
                )
            ):
                self.executed[nodeid] = executed, case

    def _differing(
        self, part: Path, executed: ProcessExecuted
    ) -> tuple[set[str], set[int]]:
        """The modules that do something else when they are imported, and the functions that differ."""
        wholly: set[str] = set()
        differing: set[tuple[str, str]] = set()
        names = set(executed.names)
        for file, text_digest in executed.texts.items():
            text = self._new.text(file)
            if file == _VERSION_FILE or text_digest == of_texts([text]):
                continue
            data = files.read(
                files.inside(
                    part, PurePosixPath(FOLDER, _TEXTS, text_digest), "recording"
                )
            )
            if data is None:
                raise GoldenError(
                    f"{part / FOLDER} lacks the text {text_digest}. Record again without it."
                )
            found = effect(zlib.decompress(data).decode("utf-8", "surrogatepass"), text)
            if found.whole or any(
                self._runs_more(file, *more, names) for more in found.imports
            ):
                wholly.add(file)
                if file in executed.modules:  # for all cases, whatever else differs
                    break
            differing |= {(file, name) for name in found.functions}
        return wholly, {
            number
            for number, place in enumerate(executed.functions)
            if place in differing
        }

    def _runs_more(self, file: str, module: str, taken: str, names: set[str]) -> bool:
        """Whether an import that only the new text of `file` has runs a module that had not been imported."""
        if module.startswith("."):
            path = PurePosixPath(file)
            module = importlib.util.resolve_name(module, ".".join(path.parent.parts))
        inner = f"{module}.{taken}"
        there = inner.replace(".", "/")
        is_module = bool(
            self._new.text(f"{there}.py") or self._new.text(f"{there}/__init__.py")
        )
        return module not in names or (is_module and inner not in names)


def around(options: Iterable[str], native: bool) -> dict[str, str]:
    """What all cases depend on, by what it is, with a digest each. native: whether one target is this machine."""
    machine = [platform.machine(), *(_processor() if native else ())]
    return {
        "Python": of_texts([sys.version]),
        "the machine": of_texts(machine),
        "options and settings": of_texts(options),
        "environment variables": of_texts(
            line
            for line in variables()
            if not line.partition("=")[0].endswith("_CACHE_DIR")
        ),
        "other packages": of_texts(
            name
            for name in distributions()
            if not name.startswith(("torch-", "pytest_compile_golden"))
        ),
        "pytest-compile-golden": of_texts(_contents("pytest_compile_golden", ())),
        "functorch and torchgen": of_texts(
            [*_contents("functorch", ()), *_contents("torchgen", ())]
        ),
        "Triton": of_texts(_contents("triton", ())),
        LIBRARIES: of_texts(_contents("torch", (".py", ".pyi"))),
    }


def _processor() -> Iterator[str]:
    for path in (Path("/proc/cpuinfo"), Path("/proc/driver/nvidia/version")):
        if path.is_file():
            lines = split_lines(path.read_text(encoding="utf-8", errors="replace"))
            yield from sorted(
                {
                    line
                    for line in lines
                    if "nvidia" in str(path) or line.startswith(_PROCESSOR)
                }
            )


def _contents(package: str, without: tuple[str, ...]) -> Iterator[str]:
    """The names and contents of a package's files."""
    for path, inside in package_files(package):
        if not path.name.endswith((*without, ".pyc")):
            yield f"{inside} {file_digest(path)}"
