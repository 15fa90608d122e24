"""`compile-golden trace`: the map of a compile, with the location of each pass in the installed torch."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from functools import cache, partial
from pathlib import Path

import pytest
import torch
from click.testing import CliRunner
from packaging.version import Version

import cases.test_models as models
from pytest_compile_golden import capture
from pytest_compile_golden.cli import main
from pytest_compile_golden.cli.compile_program import of_function
from pytest_compile_golden.cli.doctor import _answer, _not_tried
from pytest_compile_golden.common import installed_torch
from pytest_compile_golden.common.constants import NEWEST_PYTHON, NEWEST_TORCH
from pytest_compile_golden.report.compile_map import TraceRow, page, trace
from pytest_compile_golden.stages import stages
from pytest_compile_golden.torch_internals import subjects
from tests.forked import Forks, RunInProject

PHASES = [
    "dynamo",
    "pre_grad",
    "aot",
    "joint",
    "partition",
    "post_grad",
    "lowering",
    "scheduler",
    "codegen",
]


@pytest.fixture(scope="module")
def rows() -> list[TraceRow]:
    return trace(
        capture(
            models.GptBlock(), torch.randn(2, 128, 256), target="cuda-sm90", train=True
        )
    )


def test_every_phase_of_a_training_compile_is_listed_in_order(
    rows: list[TraceRow],
) -> None:
    forward = [
        row.phase
        for row in rows
        if row.graph in ("graph_0", "graph_0_joint", "graph_0_forward")
    ]
    assert list(dict.fromkeys(forward)) == PHASES
    backward = [row.phase for row in rows if row.graph == "graph_0_backward"]
    assert list(dict.fromkeys(backward)) == PHASES[PHASES.index("post_grad") :]
    # Each pass starts with the graph as the previous one left it.
    for phase in ("joint", "post_grad"):
        for graph in {row.graph for row in rows if row.phase == phase}:
            sizes = [
                (row.before, row.after)
                for row in rows
                if (row.phase, row.graph) == (phase, graph)
            ]
            assert [after for _, after in sizes[:-1]] == [
                before for before, _ in sizes[1:]
            ]
    (aot,) = [row for row in rows if row.phase == "aot"]
    (dynamo,) = [row for row in rows if row.phase == "dynamo"]
    assert dynamo.after == aot.before and aot.after > aot.before
    assert all(row.ir and row.what and row.milliseconds >= 0 for row in rows)
    assert sum(row.milliseconds for row in rows) > 100


@cache
def parsed(path: Path) -> dict[int, list[ast.AST]]:
    found: dict[int, list[ast.AST]] = {}
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        decorators = getattr(node, "decorator_list", None) or [node]
        found.setdefault(getattr(decorators[0], "lineno", 0), []).append(node)
    return found


def test_each_rows_location_leads_to_what_it_names(rows: list[TraceRow]) -> None:
    root = Path(torch.__file__).parent.parent
    for row in rows:
        file, _, line = row.where.rpartition(":")
        assert file.startswith("torch/"), row
        there = parsed(root / file)[int(line)]
        names = {
            each.name.strip("_") for each in there if isinstance(each, ast.FunctionDef)
        }
        own = row.name.rpartition(" / ")[2].rpartition(".")[2].strip("_")
        if "pass_pattern" in row.name or not names:
            # A list of patterns: the location is where the list is created.
            (made,) = [
                each for each in there if isinstance(each, (ast.Assign, ast.AnnAssign))
            ]
            assert "PatternMatcherPass" in ast.unparse(made), row
            assert row.name.startswith("pass_pattern") or own in ast.unparse(made), row
        else:
            # The observer's name is often the function's with a word more or less; others are in torch's own words.
            words = set(own.split("_")) & set("_".join(names).split("_"))
            assert (
                own in names
                or words
                or own in ("numpy_compat_normalization", "stable_sort")
            ), (row, names)


PROGRAM = '''
import torch
from torch.nn import functional, Linear

class Doubled(Linear):
    pass

def block():
    """What trace compiles."""
    weight = torch.randn(16, 16)
    assert weight.device.type == "cuda"  # the function is called on the target
    return (lambda x: (x.clone() @ weight).relu(), (torch.randn(4, 16),), {"train": True})

def wants(x):
    return x

def test_case(compile_stages, golden):
    assert compile_stages(lambda x: x.clone().relu() + 1, torch.randn(8)) == golden
'''
COMMAND = "from pytest_compile_golden.cli import main; main(prog_name='compile-golden')"


@pytest.fixture
def run_trace(project: pytest.Pytester, forks_with_torch: Forks) -> RunInProject:
    return partial(forks_with_torch.run_command, project.path, "trace")


def test_a_function_is_traced_and_written_as_a_page(
    project: pytest.Pytester, run_trace: RunInProject
) -> None:
    project.makepyfile(program=PROGRAM)
    result = run_trace("program.py::block", "--changed", "--html", "map.html")
    assert result.ret == 0
    result.stdout.fnmatch_lines(
        [
            "program.py::block on cuda-sm90, torch *",
            "joint *remove_noop_ops * torch/_inductor/fx_passes/post_grad.py:* -> *",
            "*-aten.clone.default*",
        ]
    )
    result.stdout.no_fnmatch_line("*quant_lift_up*")
    # As COLUMNS says, though this is a pipe.
    assert 160 < max(map(len, result.outlines)) <= 200
    text = (project.path / "map.html").read_text()
    assert (
        "quant_lift_up" in text
        and "-    clone: f32[4, 16] = aten.clone.default" in text
    )
    assert not re.search(r"(src|href)=|url\(|@import|<script", text)
    assert list(project.path.glob("goldens*")) == []


def test_a_case_is_traced_without_its_goldens(
    project: pytest.Pytester, run_trace: RunInProject
) -> None:
    project.makepyfile(program=PROGRAM)
    result = run_trace(
        "program.py::test_case", "--target", "cpu-avx2", "--diff", "remove_noop_ops"
    )
    assert result.ret == 0
    result.stdout.fnmatch_lines(
        [
            "@@ graph_0: joint / remove_noop_ops @@",
            "-    clone: * = aten.clone.default(*",
        ]
    )
    assert {path.name for path in project.path.iterdir()} <= {
        "program.py",
        "tox.ini",
        "__pycache__",
        "stdout",
        "stderr",
    }


def test_a_program_may_have_the_name_of_any_module(tmp_path: Path) -> None:
    file, before = tmp_path / "json.py", [*sys.path]
    file.write_text("def block():\n    import json\n    return json.dumps, ([1],)\n")
    assert (
        of_function(file, "block", lambda: None, lambda fn, *inputs: fn(*inputs))
        == "[1]"
    )
    assert sys.modules["json"] is json and sys.path == before


@pytest.mark.parametrize(
    ("program", "status", "message"),
    [
        ("program.py", 2, "no case * matches 'program.py'*FILE::FUNCTION."),
        (
            "program.py::blok",
            2,
            "no function, class or test in program.py called 'blok'; did you mean 'block'",
        ),
        ("program.py::nosuch", 2, "Available: Doubled, block, wants, test_case."),
        (
            "program.py::wants",
            1,
            "requires arguments. It must take no arguments and return",
        ),
        (
            "program.py::test_none",
            2,
            "no test in program.py called 'test_none'; did you mean 'test_case'?*",
        ),
    ],
)
def test_what_cannot_be_traced_says_what_to_do(
    project: pytest.Pytester,
    run_trace: RunInProject,
    program: str,
    status: int,
    message: str,
) -> None:
    project.makepyfile(program=PROGRAM)
    result = run_trace(program)
    assert result.ret == status
    result.stderr.fnmatch_lines([f"Error: *{message}*"])


def test_no_text_of_a_compile_is_markup(rows: list[TraceRow]) -> None:
    from dataclasses import replace

    evil = "<img src=x onerror=alert(1)>\u202e\x0c"
    row = replace(
        rows[0],
        name=evil,
        what=evil,
        where=evil,
        notes=(evil,),
        diff=f"@@ x @@\n+{evil}\n",
        graph=evil,
    )
    text = page(evil, evil, [row])
    assert "<img" not in text and text.count("&lt;img") >= 7
    assert not {"\u202e", "\x0c"} & set(text) and text.count(
        r"\u202e\x0c"
    ) == text.count("&lt;img")


def test_doctor_never_wraps_a_name_however_narrow_the_terminal() -> None:
    result = CliRunner().invoke(main, ["doctor", "--all"], env={"COLUMNS": "50"})
    lines = [line.strip() for line in result.output.splitlines()]
    names = [
        row.at.replace(":", ".")
        for rows in subjects().values()
        for row in rows
        if row.here
    ]
    assert max(map(len, names)) > 50 and set(names) <= {
        line.partition(" ")[0] for line in lines
    }
    assert {stage.name for stage in stages()} <= {
        line.partition(" ")[0] for line in lines
    }


def test_doctor_says_what_was_not_tried() -> None:
    major, minor = NEWEST_PYTHON
    assert not [*_not_tried(Version(f"{NEWEST_TORCH}.1+cpu"), NEWEST_PYTHON, False)]
    said = [*_not_tried(Version("99.0.0.dev20260901"), (major, minor + 1), True)]
    assert [sentence.partition(". ")[0] for sentence in said] == [
        "not tried: torch 99.0",
        f"not tried: Python {major}.{minor + 1}",
        "not tried: the free-threaded build of Python",
    ]
    tried = CliRunner().invoke(main, ["doctor"]).output
    assert ("not tried: Python" in tried) == (sys.version_info[:2] > NEWEST_PYTHON)


def test_doctor_says_which_triton_belongs_to_torch(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    line = "is not this torch's, and writes other GPU code: pip install 'triton==3.0'"
    assert line not in CliRunner().invoke(main, ["doctor"]).output
    wanted = dict.fromkeys(installed_torch._TRITON_OF, "triton==3.0")
    monkeypatch.setattr(installed_torch, "_TRITON_OF", wanted)
    assert line in CliRunner().invoke(main, ["doctor"]).output


def test_doctor_begins_with_the_answer() -> None:
    first, *_ = CliRunner().invoke(main, ["doctor"]).output.splitlines()
    assert re.match(
        rf"all {len(stages())} stages and all \d+ virtual targets that were tried work with torch \d",
        first,
    )
    gone = {"ink": ["torch.x is gone"], "press": []}
    works = {
        "cuda-sm90": "",
        "cpu-neon": "no compiler",
        "native-cuda": "no GPU",
        "rocm-gfx942": None,
    }
    said = "1 of 2 stages are unavailable (ink) and 1 of 2 virtual targets do not work (cpu-neon)"
    assert _answer(gone, works) == (said, False)
    assert _answer({"press": []}, {"native-cuda": "no GPU", "cuda-sm90": ""})[1]


def test_the_command_starts_without_torch() -> None:
    help_and_check = f"""
import sys
sys.argv = ["compile-golden", "trace", "--help"]
try:
    {COMMAND.replace("; ", chr(10) + "    ")}
finally:
    assert "torch" not in sys.modules
"""
    done = subprocess.run(
        [sys.executable, "-c", help_and_check], capture_output=True, text=True
    )
    assert done.returncode == 0 and "FILE::FUNCTION" in done.stdout, done.stderr
