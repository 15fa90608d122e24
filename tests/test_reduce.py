"""`compile-golden reduce`: the smallest program that shows what differs between two interpreters, or what fails."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest

from pytest_compile_golden.goldens.case_files import StoredArtifact
from pytest_compile_golden.report import document, markdown, programs
from pytest_compile_golden.report.model import CaseGroup, Report, Side
from pytest_compile_golden.wings.reduce import question, script, steps
from pytest_compile_golden.wings.reduce.messages import TriedProgram
from pytest_compile_golden.wings.reduce.program import SmallProgram, pruned, read, with_number, writes
from pytest_compile_golden.wings.reduce.search import TriedBefore
from tests.forked import Forks
from tests.interpreters import interpreter

PROGRAM = SmallProgram(
    inputs=(("x", "torch.randn(96, 64)"), ("y", "torch.randn(96, 64)"), ("unread", "torch.randn(3)")),
    body=("exp = x.exp()", "sum_1 = exp + y", "exp.add_(1)", "sine = sum_1.sin(dim=1)", "size = x.shape[0]"),
    results=("sine", "exp"),
    options=(("train", "True"), ("config:max_fusion_size", "4"), ("config:epilogue_fusion", "False")),
)
TYPES = dict.fromkeys(("x", "y", "exp", "sum_1", "sine"), "torch.randn(96, 64)")


def functions(programs: Iterator[SmallProgram]) -> list[str]:
    return [program.function for program in programs]


def test_the_text_defines_what_a_capture_takes() -> None:
    text = pruned(PROGRAM).text
    assert "size =" not in text and "unread" not in text, "what nothing reads is left out"
    assert "exp.add_(1)" in text, "what writes into a tensor is kept"
    assert "options = {'train': True, 'config': {'max_fusion_size': 4, 'epilogue_fusion': False}}" in text
    single = SmallProgram(inputs=(("x", "torch.ones(2)"),), body=("a = x + 1", "b = a * 2"), results=("b",))
    assert single.function == "def program(x):\n    a = x + 1\n    return a * 2"
    assert (single.lines, single.operators) == (3, 2)


def test_what_a_statement_reads_and_writes() -> None:
    assert read("a = f(b, c=d)[e]") == {"f", "b", "d", "e"}
    assert [*map(writes, ("a = b.add(1)", "a = b.add_(1)", "a[0] = b", "torch.add(a, b, out=c)"))] == [
        False,
        True,
        True,
        True,
    ]
    assert with_number("torch.randn(64, 6, 64)", 64, 8) == "torch.randn(8, 6, 8)"


def test_each_step_makes_a_program_smaller() -> None:
    assert "def program(x):\n    exp = x.exp()\n    exp.add_(1)\n    return exp" in functions(
        steps.fewer_results(PROGRAM, TYPES)
    )
    assert any("return sum_1" in text or "return exp + y" in text for text in functions(steps.shorter(PROGRAM, TYPES)))
    given = [*steps.later(PROGRAM, TYPES)]
    assert any(("exp", "torch.randn(96, 64)") in program.inputs for program in given)
    assert any(
        "exp = x.exp()" not in program.body and "sum_1 = x + y" in program.body
        for program in steps.bypassed(PROGRAM, TYPES)
    )
    assert any("x + x" in text or "exp + x" in text for text in functions(steps.merged_inputs(PROGRAM, TYPES)))
    assert any("sum_1.sin()" in text for text in functions(steps.fewer_arguments(PROGRAM, TYPES)))
    assert (("train", "True"),) in [program.options for program in steps.fewer_options(PROGRAM, TYPES)]
    assert any(program.inputs[0][1] == "torch.randn(8, 64)" for program in steps.smaller_sizes(PROGRAM, TYPES))
    special = SmallProgram(
        inputs=(("x", "torch.randn(2, 3, dtype=torch.bfloat16, requires_grad=True).permute(1, 0)"),),
        body=("y = x + 1",),
        results=("y",),
    )
    assert [program.inputs[0][1] for program in steps.simpler_inputs(special, {})] == [
        "torch.randn(2, 3, requires_grad=True).permute(1, 0)",
        "torch.randn(2, 3, dtype=torch.bfloat16, requires_grad=True)",
        "torch.randn(2, 3, dtype=torch.bfloat16).permute(1, 0)",
    ]


def test_inputs_get_short_names_in_the_order_of_their_use() -> None:
    program = SmallProgram(
        inputs=(("weight_of_all", "torch.ones(2)"), ("activation", "torch.ones(2)")),
        body=("z = activation * 2", "x = z + weight_of_all"),
        results=("x",),
    )
    assert steps.tidied(program).function == "def program(x_input, y):\n    z = x_input * 2\n    return z + y"


def test_the_sign_is_a_word_of_the_change_that_only_one_side_has() -> None:
    found = script.sign("code", "tl.max2(a) tl.load(b) buf12", "tl.fmax2(a) tl.load(b) tl.load(c) buf13", ["fmax2"])
    assert found is not None and (found.word, found.before, found.after) == ("tl.fmax2", "0", "1")
    assert script.sign("code", "one two\n# three", "two one\n# four", []) is None
    found = script.sign("code", "a header f32 (8, 1)", "other header f32 (1, 8) f32", [], {"other", "header"})
    assert found is not None and found.word in ("f32", "(8, 1)", "(1, 8)"), "not what differs for any program"


def test_what_was_tried_is_remembered_but_for_a_line_that_was_cut_short(tmp_path: Path) -> None:
    TriedBefore(tmp_path / "tried").keep("a", True)
    TriedBefore(tmp_path / "tried").keep("b", False)
    with (tmp_path / "tried").open("a") as file:
        file.write("c")
    known = TriedBefore(tmp_path / "tried")
    assert [known.get(key) for key in "abc"] == [True, False, None]


def test_failures_matches_and_metrics() -> None:
    right, fails = TriedProgram(), TriedProgram(error="ValueError: no 3", raised_in="torch/x.py: f")
    kept = question.KeptFailure("ValueError: no 4", "torch/x.py: f", sides=2)
    assert not kept.holds([right, TriedProgram(error="ValueError: other", raised_in="torch/x.py: f")])
    assert kept.holds([right, fails]) and not kept.holds([fails, fails]) and not kept.holds([right, right])
    assert question.LostMatch("addmm").holds([TriedProgram(matches=2), TriedProgram(matches=1)])
    assert not question.LostMatch("addmm").holds([TriedProgram(matches=1), TriedProgram(matches=1)])
    texts = (f"kernels = {number}\n" for number in count(1))
    one, two = (TriedProgram(artifacts=(StoredArtifact("metrics", "metrics", "toml", next(texts)),)) for _ in range(2))
    assert question.Rise("kernels").holds([one, two]) and not question.Rise("kernels").holds([two, one])
    assert question.Wrong("value", sides=2).holds([right, TriedProgram(wrong="value")])
    assert question.Wrong("").holds([TriedProgram(wrong="dtype")]) and not question.Wrong("value").holds(
        [TriedProgram(wrong="dtype")]
    )


def test_reports_show_the_program_of_a_change() -> None:
    group = CaseGroup(
        "changed", "a kernel more", keys=("k",), members=("test_x.py::test[cpu]",), program="import torch\n"
    )
    report = Report("old against new", Side("old"), Side("new"), (), (group, replace(group, program="")))
    shown = [text for _, text in programs.render(report)]
    assert shown == ["", "a kernel more", "  import torch"]
    assert "<summary>a kernel more</summary>\n\n\n```python\nimport torch\n```" in markdown.render(report)
    assert document.parse(document.render(report), "report.json").groups == report.groups


_LARGER = """
import torch
import torch.nn.functional as F

def make():
    def block(x, w, scale):
        y = F.gelu(x @ w) * scale
        z = torch.softmax(y + x.sin(), -1)
        return z.cos() + x, y
    return block, (torch.randn(96, 96), torch.randn(96, 96), torch.randn(96))

def fails():
    def broken(x):
        y = x.sin() + 1
        print("a break")
        return y * x.cos()
    return broken, (torch.randn(16),), {"fullgraph": True}
"""


@pytest.mark.wide
def test_a_change_between_two_interpreters(
    project: pytest.Pytester, forks: Forks, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The older torch loops over what the newer one reduces at once."""
    folder = project.path
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
    (folder / "larger.py").write_text(_LARGER)
    older = interpreter(folder, "older", TORCHINDUCTOR_PERSISTENT_REDUCTIONS="0")
    command = [
        "reduce",
        "larger.py::make",
        "--torch",
        str(older),
        "--torch",
        sys.executable,
        "--keep",
        "change:loop-nest",
    ]
    result = forks.run_command(folder, *command)
    assert result.ret == 0, str(result.stdout) + str(result.stderr)
    written = (folder / "reduced/make.py").read_text()
    function = written.partition("def program")[2].partition("\n\n")[0]
    assert len(function.split("\n")) <= 3 and "gelu" not in function, function
    assert len([line for line in written.split("\n") if line.strip()]) <= 20
    result.stdout.fnmatch_lines(["* programs tried in *", "the script prints on torch *"])
    table = re.findall(r"^\| \d.* \| (.*) \|$", (folder / "reduced/make.md").read_text(), re.M)
    assert len(table) == 2 and table[0] != table[1], "run alone, the script prints something else in each"
    test = (folder / "reduced/test_make.py").read_text()
    assert "def test_make(compile_stages, golden):" in test and "    assert captured == golden\n" in test
    # All that was tried is remembered: the same command compiles only what is shown in the end.
    again = forks.run_command(folder, *command, "--no-check")
    again.stdout.fnmatch_lines(["0 programs tried in *"])
    assert (folder / "reduced/make.py").read_text() == written
    # The script as a case of the suite, which compares as any other.
    made = forks.run_command(folder, "case", "reduced/make.py", "--into", "test_mine.py")
    assert made.ret == 0, str(made.stderr)
    assert "def test_make(" in (folder / "test_mine.py").read_text()
    assert forks.run_command(folder, "case", "reduced/make.py", "--into", "test_mine.py").ret != 0


@pytest.mark.wide
def test_a_failing_compile(project: pytest.Pytester, forks: Forks, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only Dynamo sees it, so the function's own source becomes smaller."""
    folder = project.path
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
    (folder / "larger.py").write_text(_LARGER)
    result = forks.run_command(folder, "reduce", "larger.py::fails", "--keep", "failure", "--no-check")
    assert result.ret == 0, str(result.stdout) + str(result.stderr)
    written = (folder / "reduced/fails.py").read_text()
    assert "print" in written and "sin" not in written and "cos" not in written
    alone = subprocess.run([sys.executable, "reduced/fails.py"], cwd=folder, capture_output=True, text=True)
    assert alone.returncode and "Unsupported" in alone.stderr
