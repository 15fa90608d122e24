"""What a shell completes behind `compile-golden`."""

from __future__ import annotations

import pytest
from click.shell_completion import ShellComplete

from pytest_compile_golden.cli import main
from tests.paper import PaperProject


def completed(*words: str) -> list[str]:
    *before, incomplete = words
    shell = ShellComplete(main, {}, "compile-golden", "_COMPILE_GOLDEN_COMPLETE")
    return [item.value for item in shell.get_completions(before, incomplete) if item.type == "plain"]


def test_targets_stages_and_cases(paper: PaperProject, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(paper.path)
    assert completed("diff", "--target", "cpu-av") == ["cpu-avx2", "cpu-avx512"]
    assert completed("trace", "x.py::f", "--target", "native-") == ["native-cpu", "native-cuda"]
    assert completed("show", "--stage", "pass") == ["passes", "pass_diffs"]
    assert completed("matrix", "--stages", "metrics,+tra") == ["metrics,+trail"]
    # No goldens yet, and no error.
    assert completed("history", "test_") == []
    folder = "cases/test_paper/test_soft[4]/paper-cpu"
    (paper.goldens / folder).mkdir(parents=True)
    (paper.goldens / folder / "ink.py").touch()
    for words in (["history", ""], ["bisect", ""], ["diff", "--case", ""], ["accept", "--case", ""]):
        assert completed(*words) == ["test_soft", folder]
    assert completed("history", "cases/test_paper.py::") == ["cases/test_paper.py::test_soft[4-paper-cpu]"]
    assert completed("eject", "cases/test_p") == ["cases/test_paper.py::test_soft[4-paper-cpu]"]


def test_command_that_there_is_not_is_told_with_what_is_near(paper: PaperProject) -> None:
    result = paper.command("hsitory", "test_case")
    assert result.ret == 2
    result.stderr.fnmatch_lines(["Error: there is no command 'hsitory'; did you mean 'history'?*"])
