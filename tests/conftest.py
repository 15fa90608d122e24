"""Shared fixtures: throwaway projects that are run through pytest itself."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from functools import partial
from importlib.metadata import version
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import pytest

from pytest_compile_golden.common.garbage_collection import set_aside
from tests.forked import Forks, RunInProject
from tests.paper import PaperProject
from tests.replay import WITH_TORCH, is_live

if TYPE_CHECKING:
    from tests import browser


def pytest_configure(config: pytest.Config) -> None:
    """Keep what torch builds for this run only, but for C++ libraries: no test sees what else an earlier run left."""
    config.addinivalue_line(
        "markers", "wide: only part of `make test ALL=1`; see WIDE in tests/conftest.py"
    )
    config.addinivalue_line("markers", "live: needs torch; see tests/replay.py")
    if not hasattr(config, "workerinput"):
        folder = tempfile.TemporaryDirectory(
            prefix="compile-golden-tests-", ignore_cleanup_errors=True
        )
        config.add_cleanup(folder.cleanup)
        _copy_libraries(_kept_libraries(), Path(folder.name))
        os.environ["TORCHINDUCTOR_CACHE_DIR"] = folder.name
        os.environ["TRITON_CACHE_DIR"] = str(Path(folder.name, "triton"))
        # Else torch's threads keep processors busy for as long as they wait for one another.
        os.environ["OMP_WAIT_POLICY"] = "PASSIVE"


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Of a run that was stopped, a library may not be whole."""
    whole = exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)
    if whole and not hasattr(session.config, "workerinput"):
        _copy_libraries(Path(os.environ["TORCHINDUCTOR_CACHE_DIR"]), _kept_libraries())


def _kept_libraries() -> Path:
    """Where C++ libraries are kept for the next run, with the same torch, compiler and processor; made anew if large.

    torch names each by its source and its compiler's command (torch/_inductor/codecache.py: CppCodeCache.load_async),
    in which the compiler has no version, and `-march=native` is any processor.
    """
    compiler = [os.environ.get("CXX") or "g++", "-march=native", "-E", "-v"]
    try:
        said = subprocess.run(
            [*compiler, "-x", "c++", os.devnull], capture_output=True, check=False
        ).stderr
    except OSError:
        said = b""
    folder = (
        _CACHE
        / "compile-golden-tests"
        / f"{version('torch')}-{hashlib.sha256(said).hexdigest()[:16]}"
    )
    if sum(file.stat().st_size for file in _libraries(folder)) > _MOST_KEPT:
        shutil.rmtree(folder, ignore_errors=True)
    return folder


def _libraries(folder: Path) -> Iterator[Path]:
    """Kernels, and what shows which instructions the processor has, which takes torch eight seconds to build.

    See torch/_inductor/cpu_vec_isa.py: VecISA.check_build.
    """
    return folder.glob("??/c*.so")


def _copy_libraries(source: Path, into: Path) -> None:
    for library in _libraries(source):
        copied = into / library.parent.name / library.name
        if copied.exists():
            continue
        copied.parent.mkdir(parents=True, exist_ok=True)
        # Another run may be looking for it.
        written = copied.with_suffix(f".{os.getpid()}")
        shutil.copy2(library, written)
        written.replace(copied)


_CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
_MOST_KEPT = 256 * 1024 * 1024
"""Bytes."""
WIDE = {
    "test_numerics": "values",
    "test_numerics_calls": "values",
    "test_numerics_over_time": "values",
    "test_interpreter": "values",
    "test_moving": "values",
    "test_nested": "values",
    "test_random_numbers": "values",
    "test_suite": "values",
    "test_patterns": "values",
    "test_wrong_settings": "values",
    "test_eject": "scripts",
    "test_init": "scripts",
    "test_assembly": "machine code",
    "test_machine_code": "machine code",
    "test_combined": "the whole of something",
    "test_commands_shown": "the whole of something",
    "test_bisect": "several torch versions or environments",
    "test_distributed": "groups of ranks",
    "test_nightly": "several torch versions or environments",
    "test_packages": "several torch versions or environments",
    "test_prove": "several torch versions or environments",
    "test_versions": "several torch versions or environments",
    "test_examples": "the whole of something",
    "test_isolation_long": "the whole of something",
    "test_moved_names": "the whole of something",
    "test_published": "the whole of something",
    "test_recipes": "the whole of something",
    "test_round_trip": "several processes",
    "test_sensitivity": "the whole of something",
    "test_virtual_gpu": "values",
    "test_virtual_gpu_cuda_graphs": "values",
    "test_virtual_gpu_runs": "values",
    "test_virtual_gpu_values": "values",
    "test_features": "the whole of something",
}
"""Files that only `make test ALL=1` runs, each with what takes its time. Tests in a browser, and those that are marked,
are the others."""
SECONDS = {
    "test_numerics": 100,
    "test_examples": 60,
    "test_interpreter": 50,
    "test_reduce": 50,
    "test_moving": 35,
    "test_wrong_settings": 35,
    "test_distributed": 30,
    "test_init": 30,
    "test_isolation": 30,
    "test_machine_code": 30,
    "test_numerics_calls": 30,
    "test_numerics_over_time": 30,
    "test_sensitivity": 30,
    "test_suite": 30,
    "test_assembly": 25,
    "test_commands_shown": 25,
    "test_eject": 25,
    "test_executed_functions": 25,
    "test_patterns": 20,
    "test_triage": 20,
    "test_moved_names": 15,
    "test_nightly": 15,
    "test_targets_rocm": 15,
}
"""Of processor, for the wide tests of the files that take longest: they run first, and parts are made by it."""
OTHERS = 10
"""What those of another file take."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--wide",
        default="1/1",
        metavar="K/N",
        type=_part,
        help="of the wide tests, run the K-th of N parts, which take about the same time; `make test ALL=K/N` does",
    )


def _part(text: str) -> tuple[int, int]:
    """`2/3` as (1, 3). Raises ValueError for anything else, and for a part that does not exist."""
    part, parts = map(int, text.split("/"))
    if not 1 <= part <= parts:
        raise ValueError
    return part - 1, parts


def pytest_itemcollected(item: pytest.Item) -> None:
    if item.path.stem in WIDE or "chromium" in getattr(item, "fixturenames", ()):
        item.add_marker("wide")
    if is_live(item):
        item.add_marker("live")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> None:
    """Keep the part of the wide tests that is asked for. Run the slowest first: at the end of a parallel run, no worker
    waits long for another."""

    def order(item: pytest.Item) -> tuple[bool, int, bool]:
        with_torch = not WITH_TORCH.isdisjoint(getattr(item, "fixturenames", ()))
        return (
            not item.get_closest_marker("wide"),
            -SECONDS.get(item.path.stem, OTHERS),
            not with_torch,
        )

    items.sort(key=order)
    wide = [item for item in items if item.get_closest_marker("wide")]
    part, parts = config.getoption("wide")
    there = parts_of({item.path.stem for item in wide}, parts)[part]
    gone = {item for item in wide if item.path.stem not in there}
    if gone:
        config.hook.pytest_deselected(items=gone)
        items[:] = [item for item in items if item not in gone]


def parts_of(files: Iterable[str], count: int) -> list[set[str]]:
    """Divide files of tests, by name, into so many parts whose wide tests take about the same time: each goes where
    least is so far, the longest first. Tests of a file share what its fixtures make."""
    parts: list[set[str]] = [set() for _ in range(count)]
    seconds = [0] * count
    for file in sorted(files, key=lambda file: (-SECONDS.get(file, OTHERS), file)):
        least = seconds.index(min(seconds))
        parts[least].add(file)
        seconds[least] += SECONDS.get(file, OTHERS)
    return parts


def pytest_collection_finish() -> None:
    """As the plugin does for cases, see its `Garbage`."""
    set_aside()


@pytest.fixture
def imported() -> Iterator[dict[str, ModuleType]]:
    """Modules to keep although pytester forgets them: torch's operators cannot be registered twice."""
    modules: dict[str, ModuleType] = {}
    yield modules
    sys.modules.update(modules)


@pytest.fixture
def project(
    imported: dict[str, ModuleType],
    pytester: pytest.Pytester,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[pytest.Pytester]:
    """An empty project in its own folder, run as a user would run it: no CI, no outer xdist."""
    for name in [*os.environ]:
        if name == "CI" or name.startswith("PYTEST_XDIST"):
            monkeypatch.delenv(name)
    # pytester moves HOME; what is built once per machine should be kept.
    monkeypatch.setenv("XDG_CACHE_HOME", str(_CACHE))
    monkeypatch.setenv(
        "PYTHONPATH",
        os.pathsep.join(filter(None, [str(_REPOSITORY), os.environ.get("PYTHONPATH")])),
    )
    monkeypatch.setenv("COLUMNS", "200")
    # Tests rewrite files within a second, the resolution of a .pyc's timestamp.
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    pytester.makeini(
        "[pytest]\naddopts = -p no:cacheprovider -p no:hypothesispytest -p no:anyio\n"
    )
    yield pytester
    for name, module in [*sys.modules.items()]:
        if not str(getattr(module, "__file__", None)).startswith(str(pytester.path)):
            imported[name] = module


@pytest.fixture
def paper(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, forks: Forks
) -> PaperProject:
    """A project with fake targets and stages, made of paper: what follows the compile is real, and takes no time."""
    return PaperProject(project, monkeypatch, forks)


@pytest.fixture
def compiling(project: pytest.Pytester, forks_with_torch: Forks) -> RunInProject:
    """Runs `pytest --compile-golden ARGUMENTS` in the project, on real programs."""
    return partial(forks_with_torch.run_pytest, project.path, "--compile-golden")


@pytest.fixture(scope="session")
def forks() -> Iterator[Forks]:
    """For runs that compile nothing."""
    forks = Forks()
    yield forks
    forks.close()


@pytest.fixture(scope="session")
def forks_with_torch() -> Iterator[Forks]:
    """For runs that compile: what the first capture of a process sets up is already set up."""
    forks = Forks("tests.warm", "tests.probed")
    yield forks
    forks.close()


@pytest.fixture(scope="session")
def forks_with_models(forks_with_torch: Forks) -> Iterator[Forks]:
    """For runs that compile models of transformers."""
    forks = Forks(
        "transformers.modeling_utils",
        "transformers.models.auto.modeling_auto",
        forked_from=forks_with_torch,
    )
    yield forks
    forks.close()


@pytest.fixture(scope="module")
def forked_processes(forks_with_torch: Forks) -> Iterator[None]:
    """Processes of this interpreter, and those that they start, are forks of one that has imported torch."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(subprocess.Popen, "__init__", forks_with_torch.started())
        yield


@pytest.fixture(scope="session")
def forks_with_bare_torch() -> Iterator[Forks]:
    """For scripts in a process that has imported torch but nothing of ours, and has compiled nothing."""
    forks = Forks(
        "torch._inductor.compile_fx", "tests.probed", ours=False, PYTHONHASHSEED="1"
    )
    yield forks
    forks.close()


@pytest.fixture(scope="session")
def forks_on_another_machine() -> Iterator[Forks]:
    """Like `forks_with_bare_torch`, but on what looks like another machine, with another hash seed."""
    forks = Forks(
        "torch._inductor.compile_fx",
        ours=False,
        PYTHONHASHSEED="77",
        ATEN_CPU_CAPABILITY="default",
        OMP_NUM_THREADS="2",
    )
    yield forks
    forks.close()


_REPOSITORY = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def chromium() -> Iterator[browser.Page]:
    """One browser for all tests of a file."""
    from tests import browser

    with browser.started() as page:
        yield page


@pytest.fixture
def page(chromium: browser.Page) -> Iterator[browser.Page]:
    """A page to test; afterwards the browser must have logged no errors and fetched nothing."""
    chromium.errors()
    yield chromium
    assert chromium.errors() == []
    assert (
        chromium.script("return performance.getEntriesByType('resource').length") == 0
    )


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report written to an HTML file."""
    from pytest_compile_golden.report import reporters
    from tests import html_reports

    path = tmp_path_factory.mktemp("report") / "r.html"
    reporters.write(html_reports.a_report(), path)
    return path
