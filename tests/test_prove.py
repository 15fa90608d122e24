"""`compile-golden prove`: the older torch version is this one with a definition edited, and what it compiled."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path, PurePosixPath

import msgspec
import pytest

from pytest_compile_golden.environments.run_suite import Request
from pytest_compile_golden.errors import RepositoryFailed
from pytest_compile_golden.features.prove.proof import cause, touched_by
from pytest_compile_golden.features.prove.prove_protocol import Edit
from pytest_compile_golden.features.prove.sandbox import Sandbox, SearchTimeout
from pytest_compile_golden.goldens.ranking import UNEXPLAINED
from pytest_compile_golden.recordings import recording
from pytest_compile_golden.report import json_report, proofs
from pytest_compile_golden.report.model import Proof
from pytest_compile_golden.torch_source import installed_sources
from pytest_compile_golden.torch_source.installed_sources import Sources
from tests import nights
from tests.forked import Forks, RunInProject
from tests.interpreters import interpreter, path_with, with_default

_CASES = """
import torch

def test_cosine(compile_stages, golden):
    assert compile_stages(lambda x: torch.cos(x) + 1, torch.randn(64, 64)) == golden

def test_twice(compile_stages, golden):
    assert compile_stages(lambda x: torch.cos(x) + torch.cos(x + 1), torch.randn(64, 64)) == golden

def test_sum(compile_stages, golden):
    assert compile_stages(lambda x: x.sum(), torch.randn(2048, 2048)) == golden

def test_both(compile_stages, golden):
    assert compile_stages(lambda x: torch.cos(x) + torch.sin(x + 1), torch.randn(64, 64)) == golden

def test_training(compile_stages, golden):
    assert compile_stages(lambda x: torch.cos(x) + 1, torch.randn(64, 64), train=True) == golden
"""
_SPLIT = 'split_reductions = os.getenv("TORCHINDUCTOR_SPLIT_REDUCTIONS", "1") == "1"'
_TRITON, _CONFIG = "torch/_inductor/codegen/triton.py", "torch/_inductor/config.py"


Prove = Callable[..., pytest.RunResult]


@pytest.fixture
def prove(cases: Path, forks: Forks, forks_with_torch: Forks) -> Prove:
    """Runs `compile-golden ARGUMENTS`, whose processes with the installed torch are forks."""
    return partial(forks.run_command, cases, python=forks_with_torch.python)


@pytest.fixture
def cases(project: pytest.Pytester) -> Path:
    (project.path / "test_case.py").write_text(_CASES)
    return project.path


def _older(folder: Path, file: str, *edits: tuple[str, str]) -> Path:
    """A folder with the installed torch's version and one of its files, edited."""
    torch = installed_sources.of(Path(sys.executable))
    assert torch is not None
    for name in ("torch/version.py", file):
        text = (torch.folder / name).read_text()
        for old, new in edits if name == file else ():
            assert old in text
            text = text.replace(old, new)
        path = folder / "older" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder / "older"


def _recorded(
    run: RunInProject,
    folder: Path,
    case: str,
    *options: str,
    edits: Sequence[tuple[str, str]] = (),
    target: str = "cuda-sm90",
) -> str:
    """A recording of a case, with its kernels and numbers edited as the older torch version would have written them."""
    on = f"--compile-golden-target={target}"
    run(
        "-n0",
        "--compile-golden-record=recorded",
        on,
        f"--compile-golden-case={case}",
        *options,
    )
    whole = recording.read(folder / "recorded")

    def edited(text: str) -> str:
        for new, old in edits:
            text = text.replace(new, old)
        return text

    cases = []
    for one in whole.cases:
        kernels = [
            msgspec.structs.replace(artifact, text=edited(artifact.text))
            if artifact.stage in ("triton_code", "cpp_code", "metrics")
            else artifact
            for artifact in one.artifacts
        ]
        cases.append(msgspec.structs.replace(one, artifacts=tuple(kernels)))
    nights.write(replace(whole, cases=tuple(cases)), folder / "texts")
    return "texts"


def test_a_function(compiling: RunInProject, prove: Prove, cases: Path) -> None:
    """The old body needs a helper that the new version lacks, and calls a method that does not run there."""
    edits = (
        ("tl_math.cos(tmp0", "tl_math.old_cos(tmp0"),
        ("tl_math.cos(", "tl_math.old_sin("),
    )
    helper = "\ndef _call_of(name, x):\n    return f'tl_math.old_{name}({x})'\n\n\nclass TritonOverrides("
    older = _older(
        cases,
        _TRITON,
        (
            'return f"tl_math.cos({x})"',
            'return _call_of("cos", x) if str(x) == "tmp0" else TritonOverrides.sin(x)',
        ),
        ("tl_math.sin({x})", "tl_math.old_sin({x})"),
        ("\nclass TritonOverrides(", helper),
    )
    texts = _recorded(compiling, cases, "test_twice", edits=edits)
    done = prove("prove", "test_twice", "--old", str(older), "--texts", texts)
    assert done.ret == 0
    done.stdout.fnmatch_lines(
        [
            "*test_case.py::test_twice?cuda-sm90?*",
            f"*proved  triton_code / TritonOverrides.cos in {_TRITON}:* (* tr*, * s)",
            "*-    return _call_of('cos', x) if str(x) == 'tmp0' else TritonOverrides.sin(x)",
            "*+    return f'tl_math.cos({x})'",
            f"*proved  triton_code / TritonOverrides.sin in {_TRITON}:*",
            "1 of 1 change proved",
        ]
    )


_COS, _SIN = ("tl_math.cos(", "tl_math.old_cos("), ("tl_math.sin(", "old_sin(")


def test_the_changes_of_a_report(
    compiling: RunInProject, prove: Prove, cases: Path
) -> None:
    """Of a run, such as that of a night; several are searched at once, and the proofs are written into it."""
    texts = _recorded(
        compiling,
        cases,
        "test_cosine",
        "--compile-golden-case=test_both",
        edits=[_COS, _SIN],
    )
    prove("diff", texts, "recorded", "--report=r.json", "--no-sources")
    old = ("--old", str(_older(cases, _TRITON, _COS, _SIN)), "--texts", texts)
    late = prove("prove", "--in", "r.json", *old, "--within=0")
    assert late.ret == 1
    late.stdout.fnmatch_lines(["time is up: 2 changes were not searched"])
    assert not any(group.proof for group in json_report.read(cases / "r.json").groups)
    shutil.copy(cases / "r.json", cases / "other.json")
    done = prove("prove", "--in", "r.json", *old, "-n2")
    done.stdout.fnmatch_lines(
        ["*proved  triton_code / TritonOverrides.cos in *", "2 of 2 changes proved"]
    )
    proofs = {
        group.proof
        for group in json_report.read(cases / "r.json").groups
        if group.proof is not None
    }
    found = {proof.nodeid: [cause.name for cause in proof.causes] for proof in proofs}
    assert found == {
        "test_case.py::test_cosine[cuda-sm90]": ["TritonOverrides.cos"],
        "test_case.py::test_both[cuda-sm90]": ["TritonOverrides.sin"],
    }
    prove("report", "r.json", "-o", "r.md")
    assert "<code>TritonOverrides.cos in " in (cases / "r.md").read_text()
    again = prove("prove", "--in", "r.json", *old)
    assert again.ret == 0 and again.outlines == ["2 of 2 changes proved"]
    same = prove("prove", "--in", "other.json", *old[:2], "--texts", "recorded")
    assert same.ret == 1
    same.stdout.fnmatch_lines(
        [
            "*not proved  triton_code: a second compile in the same process does not show it *"
        ]
    )


def test_a_proof_refutes_what_a_report_guessed(
    compiling: RunInProject, prove: Prove, cases: Path
) -> None:
    """That the only change that shows also moves a number, which stays when that is undone."""
    texts = _recorded(
        compiling,
        cases,
        "test_cosine",
        "--compile-golden-stages=triton_code,metrics",
        edits=[_COS, ("kernels = 1", "kernels = 2")],
    )
    prove("diff", texts, "recorded", "--report=r.json", "--no-sources")

    def owners() -> list[tuple[str, bool]]:
        (case,) = json_report.read(cases / "r.json").cases
        (metric,) = (each for each in case.metrics if each.name == "kernels")
        own = {change.key for change in case.changes}
        return [(part.change, part.change in own) for part in metric.parts]

    ((_, guessed),) = owners()
    assert guessed
    older = _older(cases, _TRITON, _COS)
    done = prove("prove", "--in", "r.json", "--old", str(older), "--texts", texts)
    done.stdout.fnmatch_lines(
        ["*proved  triton_code / TritonOverrides.cos in *", "1 of * proved*"]
    )
    assert owners() == [(UNEXPLAINED, False)]
    prove("report", "r.json", "-o", "r.md")
    assert (
        "no change of these cases is known to move this" in (cases / "r.md").read_text()
    )


def test_several_causes(compiling: RunInProject, prove: Prove, cases: Path) -> None:
    """Each says how much of the change it explains."""
    older = _older(cases, _TRITON, _COS, _SIN)
    texts = _recorded(compiling, cases, "test_both", edits=[_COS, _SIN])
    done = prove("prove", "test_both", "--old", str(older), "--texts", texts, "--json")
    first, *_ = json.loads(done.stdout.str())
    explained = {cause["name"]: cause["explains"] for cause in first["causes"]}
    assert explained == {"TritonOverrides.cos": 2, "TritonOverrides.sin": 2}
    assert (first["lines"], first["left"]) == (4, 0)


def test_a_setting_in_a_wheel(
    compiling: RunInProject, prove: Prove, cases: Path
) -> None:
    folder = _older(cases, _CONFIG, (_SPLIT, "split_reductions = False"))
    older = cases / "torch-2.1.0-cp311-cp311-linux_x86_64.whl"
    with zipfile.ZipFile(older, "w") as archive:
        for path in folder.rglob("*.py"):
            archive.write(path, path.relative_to(folder))
    texts = _recorded(
        compiling, cases, "test_sum", "--compile-golden-config=split_reductions=False"
    )
    done = prove("prove", "test_sum", "--old", str(older), "--texts", texts, "--json")
    assert done.ret == 0
    first, *_ = json.loads(done.stdout.str())
    assert [cause["name"] for cause in first["causes"]] == ["inductor.split_reductions"]
    assert (first["left"], first["why_not"]) == (0, "")


_WITH_OLDER = """
from inspect import getclosurevars
from pathlib import Path

from torch._inductor.codegen import triton

def decorated(overrides):
    return getclosurevars(overrides.cos).nonlocals["func"]

path, older = {path!r}, {{"__name__": triton.__name__}}
exec(compile(Path(path).read_text(), path, "exec", dont_inherit=True), older)
# Tables of the compiler have the function.
decorated(triton.TritonOverrides).__code__ = decorated(older["TritonOverrides"]).__code__
vars(triton).update(older | vars(triton))
"""


class Interpreters:
    """Pythons whose torch has a function of older files, or another default; each forks from one process."""

    def __init__(self, forked_from: Forks) -> None:
        self.started: list[Forks] = []
        self._forked_from = forked_from

    def make(self, folder: Path, older: Path, **modules: str) -> Path:
        """One in `folder`, whose torch takes a cosine as the older files do, with more modules."""
        packages = self._packages(folder, older)
        path = str(packages / _TRITON)
        return self._of(folder, with_older=_WITH_OLDER.format(path=path), **modules)

    def set_otherwise(
        self, folder: Path, older: Path, name: str, value: object
    ) -> Path:
        """One with the installed torch, where this is a setting's default; what it passes for has the older files."""
        self._packages(folder, older)
        return self._of(folder, with_default=with_default(name, value))

    def _packages(self, folder: Path, older: Path) -> Path:
        packages = folder / "env" / "lib" / "python3" / "site-packages"
        packages.parent.mkdir(parents=True)
        (folder / "env" / "bin").mkdir()
        return older.rename(packages)

    def _of(self, folder: Path, **modules: str) -> Path:
        (folder / "more").mkdir()
        for name, text in modules.items():
            (folder / "more" / f"{name}.py").write_text(text)
        first, *_ = modules
        forks = Forks(
            first,
            forked_from=self._forked_from,
            PYTHONPATH=path_with(folder / "more"),
        )
        self.started.append(forks)
        return interpreter(folder / "env" / "bin", "python", forks.python)


@pytest.fixture
def interpreters(forks_with_torch: Forks) -> Iterator[Interpreters]:
    made = Interpreters(forks_with_torch)
    yield made
    for forks in made.started:
        forks.close()


def test_the_other_way_round(
    prove: Prove, cases: Path, interpreters: Interpreters
) -> None:
    """What the old body needs cannot be imported in the newer version; the new one runs in the older."""
    imported = "from gone import call_of\n\n\nclass TritonOverrides("
    edits = (
        ("\nclass TritonOverrides(", imported),
        ('return f"tl_math.cos({x})"', 'return call_of("cos", x)'),
    )
    gone = "def call_of(name, x): return f'tl_math.old_{name}({x})'"
    python = interpreters.make(cases, _older(cases, _TRITON, *edits), gone=gone)
    only = ("--case=test_cosine", "--target=cuda-sm90")
    done = prove("diff", str(python), sys.executable, *only, "--no-sources", "--prove")
    done.stdout.fnmatch_lines(
        [
            f"*proved  triton_code / TritonOverrides.cos in {_TRITON}:*",
            "*-    return call_of('cos', x)",
            "*+    return f'tl_math.cos({x})'",
            "*found the other way round*",
            "* of * proved",
        ]
    )


def test_without_goldens(
    prove: Prove,
    cases: Path,
    interpreters: Interpreters,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An older version that can be run compiles the case now, and once, as long as nothing changes."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(cases / "cache"))
    edit = "tl_math.cos({x})", "tl_math.old_cos({x})"
    python = interpreters.make(cases, _older(cases, _TRITON, edit))
    command = ("prove", "test_cosine", "--target=cuda-sm90", "--old", str(python))
    late = prove(*command, "--within=0")
    assert late.ret == 1
    late.stderr.fnmatch_lines(
        ["*the time was over while * compiled the cases, so nothing was searched. *"]
    )
    proved = [
        f"*proved  triton_code / TritonOverrides.cos in {_TRITON}:*",
        "1 of 1 change proved",
    ]
    for runs in (1, 0, 1):
        done = prove(*command)
        done.stdout.fnmatch_lines(proved)
        assert (
            done.ret == 0
            and sum(line.endswith(": running the suite") for line in done.errlines)
            == runs
        )
        if not runs:
            (cases / "test_case.py").write_text(f"{_CASES}\n# edited\n")


def test_a_case_that_is_compiled_as_before(
    compiling: RunInProject, prove: Prove, cases: Path
) -> None:
    _recorded(compiling, cases, "test_cosine")
    done = prove(
        "prove",
        "test_cosine",
        "--old",
        str(_older(cases, _TRITON)),
        "--texts",
        "recorded",
    )
    assert done.ret == 1
    assert done.outlines == ["nothing changed"]


def _two_commits(cases: Path) -> tuple[list[Path], Path]:
    """Two folders with torch, of which the second changes a function, and the clone in which it did."""
    edits: tuple[list[tuple[str, str]], ...] = (
        [("tl_math.cos({x})", "tl_math.old_cos({x})")],
        [],
    )
    folders = [
        _older(cases / name, _TRITON, *edit)
        for name, edit in zip(("old", "new"), edits, strict=True)
    ]
    clone = cases / "clone"
    (clone / _TRITON).parent.mkdir(parents=True)
    git = ["git", "-C", str(clone), "-c", "user.name=a", "-c", "user.email=a@b.c"]
    subprocess.run([*git, "init", "--quiet"], check=True)
    for folder, title in zip(folders, ("First", "Call cos (#123)"), strict=True):
        shutil.copy(folder / _TRITON, clone / _TRITON)
        subprocess.run([*git, "add", "--all"], check=True)
        subprocess.run([*git, "commit", "--quiet", "--message", title], check=True)
        commit = subprocess.check_output([*git, "rev-parse", "HEAD"], text=True).strip()
        version = folder / "torch/version.py"
        version.write_text(
            re.sub(
                "(?m)^git_version = .*",
                f"git_version = {commit!r}",
                version.read_text(),
            )
        )
    return folders, clone


def test_what_only_the_older_version_has_is_found_there(tmp_path: Path) -> None:
    file = "torch/_inductor/lowering.py"
    gone = "make_fallback(aten.sort)\n\n\ndef lowered():\n    return 1\n"
    sides = []
    for version, text in (("2.12.1", f"x = 1\n{gone}"), ("2.13.0", "x = 1\n")):
        folder = tmp_path / version
        (folder / file).parent.mkdir(parents=True)
        (folder / file).write_text(text)
        (folder / "torch/version.py").write_text(f"__version__ = '{version}'\n")
        sides.append(Sources(folder))
    for edit, line in (
        (Edit("call", file, "make_fallback(aten.sort)"), 2),
        (Edit("function", file, "lowered"), 5),
    ):
        found = cause(edit, sides[0], sides[1])
        assert found.where == f"{file}:{line}@2.12.1"
        assert found.link is not None and found.link.endswith(
            f"/v2.12.1/{file}#L{line}"
        )


def test_the_commits_that_touched_a_cause(cases: Path) -> None:
    folders, clone = _two_commits(cases)
    old, new = map(Sources, folders)
    found = Proof(
        "test",
        "triton_code",
        (cause(Edit("function", _TRITON, "TritonOverrides.cos"), old, new),),
        2,
        0,
        1,
        1.0,
    )
    lines = [text for _, text in proofs.lines(touched_by(clone, old, new)(found))]
    at = lines.index("      this commit touched it:")
    assert "Call cos (#123)" in lines[at + 1]
    with pytest.raises(RepositoryFailed, match="Use a full clone"):
        touched_by(cases, old, new)


def test_a_bisection_proves_what_it_found(
    prove: Prove, cases: Path, interpreters: Interpreters
) -> None:
    """In both directions; the commit that changed the function is named."""
    folders, clone = _two_commits(cases)
    pythons = [str(interpreters.make(folder.parent, folder)) for folder in folders]
    options = ("--target=cuda-sm90", "--prove", f"--torch-repo={clone}")
    done = prove("bisect", "test_cosine", *pythons, *options)
    done.stdout.fnmatch_lines(
        [
            "  this commit touched it:",
            "    * Call cos (#123)",
            f"*proved  triton_code / TritonOverrides.cos in {_TRITON}:*",
            "  put into the older version, it makes the change there too",
            "first that differs: *",
        ]
    )


def test_the_distinct_changes_of_a_comparison(
    prove: Prove, cases: Path, interpreters: Interpreters
) -> None:
    """Between two interpreters: the older one has another default, and nothing else."""
    older = _older(cases, _CONFIG, (_SPLIT, "split_reductions = False"))
    python = interpreters.set_otherwise(cases, older, "split_reductions", False)
    sides, only = (
        (str(python), sys.executable),
        ("--case=test_sum", "--target=cuda-sm90", "--no-sources"),
    )
    reports = ("--report=r.json", "--report=r.html", "--report=r.md")
    done = prove("diff", *sides, *only, "--prove", *reports)
    done.stdout.fnmatch_lines(
        [
            "*proved: undoing setting inductor.split_reductions makes it go away*",
            "*proved  scheduler_nodes / setting inductor.split_reductions (* tr*)",
            "      -split_reductions = False",
            "  put into the older version, it makes the change there too",
            "* of * proved",
        ]
    )
    read = json_report.read(cases / "r.json")
    proofs = [group.proof for group in read.groups if group.proof is not None]
    assert proofs and all(
        proof.causes[0].name == "inductor.split_reductions" for proof in proofs
    )
    assert r"undoing setting inductor.split\_reductions" in (cases / "r.md").read_text()
    assert "inductor.split_reductions" in (cases / "r.html").read_text()


def test_a_second_case_starts_from_the_process_that_compiled_the_first(
    cases: Path,
) -> None:
    """Functions are found in both, and the first is not compiled again."""
    torch = installed_sources.of(Path(sys.executable))
    assert torch is not None
    older = _older(cases, _TRITON, ("tl_math.cos({x})", "tl_math.old_cos({x})"))
    names = ("test_cosine", "test_both")
    suite = Request(
        cases,
        tuple(f"test_case.py::{name}[cuda-sm90]" for name in names),
        ("cuda-sm90",),
    )
    with Sandbox(Sources(older), torch, suite) as laboratory:
        folders = [PurePosixPath("test_case", name, "cuda-sm90") for name in names]
        first, second = map(laboratory.enter, folders)
        assert second.case is not None and laboratory.as_now(second.case) is second.case
        assert second.case is not None and second.answer.ran
        tried = laboratory.attempt(
            second.case, [Edit("function", _TRITON, "TritonOverrides.cos")]
        )
        assert tried.case is not None and "old_cos" in (
            tried.case.text("triton_code") or ""
        )
        assert laboratory.enter(folders[0]) is first
        assert laboratory.leave() and not laboratory.leave()


def test_a_search_that_is_out_of_time_ends_in_the_middle_of_a_compile(
    cases: Path,
) -> None:
    torch = installed_sources.of(Path(sys.executable))
    assert torch is not None
    suite = Request(cases, ("test_case.py::test_cosine[cuda-sm90]",), ("cuda-sm90",))
    until = time.monotonic() + 0.1  # the process has not even imported torch
    with Sandbox(
        Sources(_older(cases, _TRITON)), torch, suite, until=until
    ) as laboratory:
        for _ in range(2):
            with pytest.raises(SearchTimeout):
                laboratory.enter(PurePosixPath("test_case/test_cosine/cuda-sm90"))


_OURS = """
import torch

def scaled(x):
    return torch.cos(x) * {factor}
"""


def test_a_package_of_the_project(
    compiling: RunInProject, prove: Prove, cases: Path
) -> None:
    """Two revisions of it, as in two checkouts; torch is the same."""
    for folder, factor in ((cases, 2), (cases / "before", 3)):
        (folder / "ours").mkdir(parents=True)
        (folder / "ours" / "__init__.py").write_text("")
        (folder / "ours" / "math.py").write_text(_OURS.format(factor=factor))
    test = (
        "import torch\nfrom ours.math import scaled\n\ndef test_ours(compile_stages, golden):\n"
        "    assert compile_stages(lambda x: scaled(x) + 1, torch.randn(64, 64)) == golden\n"
    )
    (cases / "test_ours.py").write_text(test)
    (cases / "pytest.ini").write_text("[pytest]\npythonpath = .\n")
    texts = _recorded(compiling, cases, "test_ours", edits=[("2.0", "3.0")])
    options = ("--package=ours", "--old=before", f"--texts={texts}")
    done = prove("prove", "test_ours", *options)
    done.stdout.fnmatch_lines(
        [
            "*proved  triton_code / scaled in ours/math.py:4*",
            "*-    return torch.cos(x) ? 3",
        ]
    )


def test_a_test_of_an_existing_suite(
    compiling: RunInProject, prove: Prove, cases: Path
) -> None:
    file = Path("ours", "math.py")
    for folder in (cases / "before", cases):
        (folder / "ours").mkdir(parents=True)
        (folder / "ours" / "__init__.py").write_text("")
        (folder / file).write_text(_OURS.format(factor=2))
    (cases / "test_theirs.py").write_text(
        "import torch\nfrom ours.math import scaled\n\ndef test_theirs():\n"
        "    torch.compile(lambda x: scaled(x) + 1, backend='eager')(torch.ones(4))\n"
    )
    compiling(
        "--compile-golden-suite", "--compile-golden-record=older", "test_theirs.py"
    ).assert_outcomes(passed=1)
    (cases / file).write_text(_OURS.format(factor="x"))
    (cases / file).write_text(
        (cases / file).read_text().replace("cos(x)", "cos(x + x)")
    )
    options = (
        "--package=ours",
        "--old=before",
        "--texts=older",
        "--suite=test_theirs.py",
    )
    done = prove("prove", "test_theirs", *options)
    done.stdout.fnmatch_lines(["*proved  * / scaled in ours/math.py:4*"])
    assert done.ret == 0


def test_a_step_of_training(compiling: RunInProject, prove: Prove, cases: Path) -> None:
    """The forks that compile run backward, too."""
    file = "torch/_inductor/codegen/cpp.py"
    older = _older(cases, file, ('return f"{x}.cos()"', 'return f"{x}.old_cos()"'))
    edit, target = (".cos()", ".old_cos()"), "cpu-avx2"
    texts = _recorded(compiling, cases, "test_training", edits=[edit], target=target)
    done = prove("prove", "test_training", "--old", str(older), "--texts", texts)
    done.stdout.fnmatch_lines([f"*proved  cpp_code / CppVecOverrides.cos in {file}:*"])
    assert done.ret == 0


def test_nothing_that_can_be_undone(
    compiling: RunInProject, prove: Prove, cases: Path
) -> None:
    texts = _recorded(
        compiling, cases, "test_cosine", edits=[("tl_math.cos(", "tl_math.old_cos(")]
    )
    older = _older(cases, _TRITON)
    done = prove("prove", "test_cosine", "--old", str(older), "--texts", texts)
    assert done.ret == 1
    done.stdout.fnmatch_lines(
        ["*not proved  triton_code: * of * that differ*", "0 of 1 change proved"]
    )
