"""`compile-golden doctor --sources`: what became of names in a torch that is not installed."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
import torch

from pytest_compile_golden.errors import CompileGoldenError
from pytest_compile_golden.torch_internals import dynamo as names
from pytest_compile_golden.torch_internals import overrides
from pytest_compile_golden.torch_internals.private_name import MissingName, Name
from pytest_compile_golden.torch_source.moved_names import Fate, fate
from pytest_compile_golden.torch_source.torch_package import TorchPackage
from tests.paper import PaperProject

WORK = """
def work(self, graph, hints):
    "Does it."
    for node in graph.nodes:
        if node.op == "call_function" and node.target in hints:
            node.meta["hint"] = hints[node.target]
    return graph
"""
OLD = {
    "torch/version.py": "__version__ = '2.15.0'",
    "torch/_a.py": f"class C:\n    kept: int\n{WORK.replace(chr(10), chr(10) + '    ')}\n\ndef small(x): return x\n",
    "torch/_b.py": """from torch._a import C
from other import cut
class D:
    @classmethod
    def make(cls, graph): ...""",
    "torch/_C/__init__.pyi": "def native(): ...",
}


def package(folder: Path, **changes: str) -> TorchPackage:
    """The sources in OLD, with other text for `_a`, `_b`."""
    for file, text in {
        **OLD,
        **{f"torch/{name}.py": text for name, text in changes.items()},
    }.items():
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_text(text)
    return TorchPackage(folder)


@pytest.fixture
def old(tmp_path: Path) -> TorchPackage:
    return package(tmp_path / "old")


def test_names_that_are_there_have_no_fate(old: TorchPackage) -> None:
    for spelling in (
        "torch._a:C.work",
        "torch._b:C.work",
        "torch._b",
        "torch._b:cut",
        "torch._C:anything",
        "triton.x:y",
    ):
        assert fate([spelling], "", False, old, old) is None
    assert fate(["torch._a:C.work"], "self, graph, *, hints", False, old, old) is None
    assert (
        fate(["torch._a:C.work"], "self, hints | self, graph", False, old, old) is None
    )
    assert fate(["torch._b:D.make"], "graph", False, old, old) is None
    assert fate(["torch._a:cut", "other:cut"], "", False, old, old) is None
    assert fate(["torch._a:C.kept"], "", True, old, old) is None


@pytest.mark.parametrize(
    ("changes", "spelling", "takes", "expected"),
    [
        (
            {"_a": OLD["torch/_a.py"].replace("work", "toil")},
            "torch._a:C.work",
            "",
            Fate(
                "torch._a.C.work is torch._a.C.toil now: same body", "torch._a:C.toil"
            ),
        ),
        (
            {"_a": OLD["torch/_a.py"].replace("work", "toil")},
            "torch._b:C.work",
            "",
            Fate(
                "torch._b.C.work is torch._b.C.toil now: same body", "torch._b:C.toil"
            ),
        ),
        (
            {"_a": "", "_n": OLD["torch/_a.py"]},
            "torch._a:C.work",
            "",
            Fate(
                "torch._a.C.work is torch._n.C.work now: same body", "torch._n:C.work"
            ),
        ),
        (
            {"_a": "", "_n": "def small(x): return x"},
            "torch._a:small",
            "",
            Fate("torch._a.small is in torch._n now", "torch._n:small"),
        ),
        (
            {"_a": OLD["torch/_a.py"].replace("graph, hints", "graph, phase, hints")},
            "torch._a:C.work",
            "self, graph, hints",
            Fate(
                "torch._a.C.work takes (self, graph, phase, hints), where `hints` was number 3"
            ),
        ),
        (
            {"_a": "class C:\n    def work(): ..."},
            "torch._a:C.work",
            "self, graph | self",
            Fate("torch._a.C.work takes (), where `self` was number 1"),
        ),
        (
            {"_a": ""},
            "torch._a:C.work",
            "",
            Fate("torch._a.C.work is gone, and nothing has its name or its body"),
        ),
    ],
)
def test_a_name_that_moved_is_found_by_its_body_or_its_name(
    tmp_path: Path,
    old: TorchPackage,
    changes: dict[str, str],
    spelling: str,
    takes: str,
    expected: Fate,
) -> None:
    assert (
        fate([spelling], takes, False, package(tmp_path / "new", **changes), old)
        == expected
    )


def test_an_attribute_that_nothing_sets_is_gone(
    tmp_path: Path, old: TorchPackage
) -> None:
    new = package(tmp_path / "new", _a=OLD["torch/_a.py"].replace("kept", "held"))
    gone = fate(["torch._a:C.kept"], "", True, new, old)
    assert gone == Fate("torch._a.C.kept is gone: nothing in C sets or has `kept`")


def test_a_wheel_is_read_as_a_folder_is(tmp_path: Path, old: TorchPackage) -> None:
    wheel = tmp_path / "torch.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for file, text in OLD.items():
            archive.writestr(file, text.replace("work", "toil"))
    new = TorchPackage(wheel)
    assert new.version == "2.15.0"
    found = fate(["torch._a:C.work"], "", False, new, old)
    assert found is not None and found.now == "torch._a:C.toil"
    (tmp_path / "torch.txt").write_text("no")
    for other in (tmp_path / "torch.txt", tmp_path):
        with pytest.raises(
            CompileGoldenError, match="Name a folder that contains the package torch"
        ):
            TorchPackage(other)


def test_spellings_of_a_file_are_tried_and_nothing_but_torch_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    overrides.given.cache_clear()
    row = Name(
        "torch._dynamo.convert_frame:register_bytecode_hook_of_old", "for a test"
    )
    assert row.missing().endswith("register_bytecode_hook_of_old is gone")
    overrides.write(
        tmp_path / overrides.FILE,
        "torch 2.16.0",
        {row.at: names.REGISTER_BYTECODE_HOOK.at},
    )
    overrides.given.cache_clear()
    assert row.get() is names.REGISTER_BYTECODE_HOOK.get()
    (tmp_path / overrides.FILE).write_text('"torch._a:b" = "os:system"')
    overrides.given.cache_clear()
    with pytest.raises(
        CompileGoldenError, match="not a spelling of a name in torch or Triton"
    ):
        row.get()
    monkeypatch.undo()
    overrides.given.cache_clear()
    with pytest.raises(MissingName):
        row.get()


@pytest.mark.wide
def test_doctor_says_what_moved_and_writes_what_is_sure(paper: PaperProject) -> None:
    installed, other = Path(torch.__file__).parent, paper.path / "other.whl"
    with zipfile.ZipFile(other, "w") as archive:
        archive.writestr("torch/version.py", "__version__ = '2.16.0'")
        for folder in ("_dynamo", "fx/experimental"):
            for path in (installed / folder).rglob("*.py"):
                old = path.read_text()
                new = old.replace("exceeds_recompile_limit", "above_recompile_limit")
                # Which only 2.13 is known to have.
                new = new.replace("_shapes_spec", "_no_spec")
                if new != old:  # what is gone is looked for in all that is there
                    archive.writestr(
                        f"torch/{path.relative_to(installed).as_posix()}", new
                    )
    result = paper.command("doctor", "--sources", str(other), "--write")
    result.stdout.fnmatch_lines(
        [
            "  *convert_frame.exceeds_recompile_limit is torch._dynamo.*above_recompile_limit now: same body",
            "      for which limit was reached; without it: stage recompiles",
        ]
    )
    assert "_shapes_spec" not in result.stdout.str()
    written = (paper.path / overrides.FILE).read_text()
    assert (
        '"torch._dynamo.convert_frame:exceeds_recompile_limit" = "torch._dynamo.'
        in written
    )
    assert result.ret == 1
