"""Files that cannot be what a command takes them for: one error says so, without a traceback and after bounded work."""

from __future__ import annotations

import gzip
import json
import os
import sqlite3
import sys
import zipfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path, PurePosixPath

import pytest

from pytest_compile_golden import Capture, numerics
from pytest_compile_golden.environments.torch_environments import Environments, Wanted
from pytest_compile_golden.errors import (
    EnvironmentFailed,
    GoldenError,
    InvalidOption,
    UnreadableCapture,
)
from pytest_compile_golden.features.prove.source_differences import Differences
from pytest_compile_golden.formats.metrics.printed import numbers
from pytest_compile_golden.goldens.golden_paths import GoldenPath
from pytest_compile_golden.goldens.golden_store import Store, same_behaviour
from pytest_compile_golden.recordings.corpus_rows import Row, Rows, TorchRows
from pytest_compile_golden.stages import get_stage
from pytest_compile_golden.torch_source import torch_package as package_module
from pytest_compile_golden.torch_source.definitions import parsed, syntax_tree
from pytest_compile_golden.torch_source.installed_sources import Sources
from pytest_compile_golden.torch_source.torch_package import TorchPackage
from tests.forked import Forks
from tests.paper import PaperProject

DEEP = {
    "parentheses": "x = " + "(" * 5000 + "1" + ")" * 5000,
    "signs": "x = " + "-" * 90_000 + "1",
    "fewer signs": "def f():\n    return " + "-" * 900 + "1",
    "attributes": "x = a" + ".b" * 50_000,
    "sums": "def f():\n    return 1" + " + 1" * 900,
    "branches": "if x:\n    y = 1\n" + "elif x:\n    y = 1\n" * 800,
}


def is_said(result: pytest.RunResult, *words: str) -> None:
    said = result.stdout.str() + result.stderr.str()
    assert result.ret in (1, 2) and "Traceback" not in said, said
    assert any(line.startswith("Error: ") for line in result.errlines), said
    assert all(word in said for word in words), said


def wheel(path: Path, **sources: str | bytes) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("torch/version.py", "__version__ = '2.12.0'\n")
        archive.writestr(
            "torch/_inductor/ir.py",
            "".join(f"def f{n}(): return {n}\n" for n in range(2000)),
        )
        for name, text in sources.items():
            archive.writestr(f"torch/_inductor/{name}.py", text)
    return path


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-100])


def _overwritten(path: Path) -> None:
    """In what is packed, so that its checksum or its packing is wrong."""
    data = bytearray(path.read_bytes())
    data[400:700] = bytes(300)
    path.write_bytes(data)


@pytest.mark.parametrize(
    "harm",
    [
        _cut,
        _overwritten,
        lambda path: path.write_bytes(b"PK"),
        lambda path: path.unlink(),
    ],
)
@pytest.mark.parametrize(
    "command", [("prove", "test_it", "--old"), ("doctor", "--sources")]
)
def test_a_damaged_wheel(
    paper: PaperProject,
    harm: Callable[[Path], None],
    command: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    paper.test("def test_it(draw, golden):\n    pass\n")
    harm(wheel(paper.path / "old.whl"))
    monkeypatch.setenv("PATH", "/nowhere")
    result = paper.command(*command, "old.whl")
    # A file that cannot be unpacked is one without the names.
    if harm is _overwritten and command[0] == "doctor":
        assert result.ret == 1 and "Traceback" not in result.stderr.str()
    else:
        is_said(result, "old.whl")


def test_of_an_enormous_file_in_a_wheel_nothing_is_read(tmp_path: Path) -> None:
    path = wheel(tmp_path / "torch.whl", large=b"x = 1\n" * (40 << 20))
    package = TorchPackage(path)
    assert (
        package.text("torch/_inductor/large.py") == ""
        and package.tree("torch._inductor.large") is not None
    )
    assert package.text("torch/_inductor/ir.py").startswith("def f0")


def test_of_a_package_without_end_a_part_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(package_module, "_MOST", 100_000)
    package = TorchPackage(
        wheel(tmp_path / "torch.whl", **{f"m{n}": b"x = 1\n" * 5000 for n in range(9)})
    )
    read = [package.text(f"torch/_inductor/m{n}.py") for n in range(9)]
    assert read[0] and not any(read[5:])


@pytest.mark.parametrize("text", DEEP.values(), ids=DEEP)
def test_source_that_is_nested_deeply_defines_nothing(
    tmp_path: Path, text: str
) -> None:
    assert syntax_tree(text) is None and parsed(text).by_name == {}
    assert (
        TorchPackage(wheel(tmp_path / "torch.whl", deep=text)).tree(
            "torch._inductor.deep"
        )
        is None
    )
    sides: list[Sources] = []
    for name, source in (("old", "def f():\n    return 2"), ("new", text)):
        (tmp_path / name / "torch").mkdir(parents=True)
        (tmp_path / name / "torch" / "deep.py").write_text(source, encoding="utf-8")
        sides.append(Sources(tmp_path / name))
    differences = Differences(sides[0], sides[1], tmp_path / "kept")
    assert [found.kind for found in differences.of("torch/deep.py")] in (
        [],
        ["function"],
    )


def test_a_text_that_cannot_be_read_hides_no_other_case(paper: PaperProject) -> None:
    """A number that Python does not read, one that no float holds, and brackets deeper than Python's stack."""
    source = "def test_{0}(draw, golden):\n    assert draw({1}) == golden\n"
    keep = ("--compile-golden-pending=pending", "--compile-golden-target=paper-cpu")
    names = ("long", "longer", "nested", "other")
    paper.test("".join(source.format(name, r"tally='kernels = 1\n'") for name in names))
    paper.update(*keep)
    values = {
        "long": "10**400",
        "longer": "'1' + '0' * 5000",
        "nested": "'[' * 5000",
        "other": "2",
    }
    texts = {
        name: rf"tally='kernels = ' + str({value}) + '\n'"
        for name, value in values.items()
    }
    paper.test("".join(source.format(name, text) for name, text in texts.items()))
    assert paper.run(*keep).ret == 1
    shown = paper.command("show", "--pending=pending", "--full")
    assert shown.ret == 1 and "Traceback" not in shown.stderr.str()
    assert all(
        f"test_{name}[paper-cpu]" in shown.stdout.str()
        for name in ("long", "nested", "other")
    )
    assert paper.command("accept", "--pending=pending", "--case=test_other").ret == 0
    paper.run(*keep).assert_outcomes(passed=1, failed=3, deselected=4)
    assert numbers(f"kernels = {2**63}\n") is None and numbers(
        f"kernels = {2**63 - 1}\n"
    ) == {"kernels": 2**63 - 1}


@pytest.mark.parametrize(
    "name",
    ["exported_graph", "collectives", "memory", "post_grad_graph", "triton_code"],
)
def test_a_golden_that_cannot_be_read_is_damaged_or_differs(
    tmp_path: Path, name: str
) -> None:
    stage, store = get_stage(name), Store(tmp_path)
    path = GoldenPath(PurePosixPath("m/test_x/cpu"), name, stage.extension)
    with pytest.raises(GoldenError, match="a number of thousands of digits"):
        store.accept(path, stage, f"x = {'1' * 5000}\n", "2.13.0", None)
    with pytest.raises(GoldenError, match="a null character"):
        store.accept(path, stage, "x = '\0'\n", "2.13.0", None)
    for text in DEEP.values():
        assert same_behaviour(stage, text, text) and not same_behaviour(
            stage, text, f"{text}\ny = 2\n"
        )


@pytest.mark.parametrize(
    "harm",
    [
        "update rows set metrics = '{'",
        "update rows set metrics = '[1]'",
        "update rows set outcome = 'unknown'",
        "update rows set seconds = 'long'",
        "update sides set facts = '{}'",
        "update sides set facts = replace(facts, '2.13.0', 'two')",
        "update texts set text = 'not packed'",
    ],
)
def test_a_damaged_row_of_a_corpus(
    tmp_path: Path, harm: str, forks: Forks, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "crater.db"
    with closing(Rows(path)) as rows:
        for torch in ("2.13.0", "2.15.0"):
            rows.keep_side(TorchRows(torch, None, "3.12", "linux", None))
            rows.keep(
                Row("p", torch, "cuda-sm90", "captured", 1, stages={"ink.py": "d"}),
                {"d": "text"},
            )
    with closing(sqlite3.connect(path)) as file:
        file.execute(harm)
        file.commit()
    with (
        pytest.raises(
            GoldenError, match=r"crater\.db is (damaged|not a file of crater)"
        ),
        closing(Rows(path)) as rows,
    ):
        rows.sides(), rows.all(), rows.text("d")
    monkeypatch.chdir(tmp_path)
    if "texts" not in harm:
        is_said(
            forks.run_command(tmp_path, "site", "crater.db", "--into=site"),
            "crater.db is damaged",
        )
    is_said(
        forks.run_command(tmp_path, "diff", "crater.db", "2.13.0"),
        "crater.db is a corpus",
    )


def test_a_folder_is_no_log_of_a_trace(
    tmp_path: Path, forks: Forks, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "trace" / "dedicated_log_torch_trace_1.log").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    is_said(
        forks.run_command(tmp_path, "diff", "--trace", "trace", "trace"),
        "trace has no trace",
    )
    is_said(
        forks.run_command(tmp_path, "diff", "trace", "trace"),
        "trace is a folder, but neither a recorded run",
    )


def test_what_is_no_saved_capture(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "cut.gz").write_bytes(gzip.compress(b"{}" * 1000)[:-20])
    (tmp_path / "overwritten.gz").write_bytes(
        gzip.compress(os.urandom(1000))[:100] + bytes(900)
    )
    (tmp_path / "nested.json").write_text('{"format": ' + "[" * 100_000)
    (tmp_path / "empty").touch()
    for name in (
        "nothing",
        "",
        "pipe",
        "cut.gz",
        "overwritten.gz",
        "nested.json",
        "empty",
    ):
        with pytest.raises(UnreadableCapture, match=r"Capture it again|is not a file"):
            Capture.load(tmp_path / name)


def test_numerics_of_another_backend() -> None:
    with pytest.raises(InvalidOption, match="backend='eager' has none"):
        numerics(abs, 1, backend="eager")


def test_a_cache_that_is_a_file(
    paper: PaperProject,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    paper.test("def test_it(draw, golden):\n    assert draw(ink='a') == golden\n")
    cache = paper.path / "cache"
    cache.touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    assert paper.update().ret == 0
    with pytest.raises(EnvironmentFailed, match=r"cannot create .*cache"):
        Environments().get(Wanted("2.13.0", paper.path, (), (), Path(sys.executable)))
    is_said(paper.command("env", "create", "2.13.0"), "cache")
    is_said(
        paper.command(
            "bisect", "test_it", "--good=2.13.0", "--bad=2.15.0", "--pip=--no-index"
        ),
        "",
    )
    python = str(paper.path / "python")
    Path(python).write_text("#!/bin/sh\n")
    Path(python).chmod(0o755)
    is_said(paper.command("bisect", "test_it", python, python), "cache")


def test_an_output_that_cannot_be_written(
    paper: PaperProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    (paper.path / "program.py").write_text("def block():\n    return abs, (1,)\n")
    report = paper.path / "r.json"
    paper.test("def test_it(draw, golden):\n    assert draw(ink='a') == golden\n")
    paper.update(f"--compile-golden-report={report}")
    json.loads(report.read_text())
    is_said(paper.command("report", "r.json", "-o", "r.json/r.md"), "r.json")
    is_said(paper.command("report", ".", "-o", "r.md"))
    is_said(paper.command("site", "r.json", "--into=r.json/site"))


def test_an_error_of_a_program_keeps_its_traceback(
    tmp_path: Path, forks_with_torch: Forks, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "program.py").write_text("def block():\n    open('missing')\n")
    monkeypatch.chdir(tmp_path)
    result = forks_with_torch.run_command(tmp_path, "trace", "program.py::block")
    assert (
        result.ret == 1
        and "program.py" in result.stderr.str()
        and "open('missing')" in result.stderr.str()
    )
