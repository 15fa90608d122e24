"""Programs exported and compiled ahead of time by one torch, loaded by others: own processes, and a real package."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
import torch

from labs.packages import process
from labs.packages.command import loads
from tests.forked import Forks

ROOT = Path(__file__).parents[1]
PROGRAM = """
import torch
from torch.export import Dim

class Counting(torch.nn.Linear):
    def __init__(self):
        super().__init__(4, 4)
        self.register_buffer("calls", torch.zeros(1))
    def forward(self, x):
        self.calls += 1
        return super().forward(x) + self.calls

def counting():
    sizes = {"dynamic_shapes": ({0: Dim("batch", min=2, max=64)},)}
    # Compiling headers ahead takes longer than it saves: each torch compiles one package.
    quickly = {
        "aot_inductor.compile_wrapper_opt_level": "O0",
        "aot_inductor.precompile_headers": False,
        "cpp.vec_isa_ok": False,
    }
    return Counting(), (torch.randn(8, 4),), {"export": sizes, "config": quickly}

def refused():
    return lambda x: x + 1 if x.sum() > 0 else x, (torch.randn(8, 4),)
"""
# Put in front of `-W ignore -c CODE ARGUMENTS`: a torch that dies when it makes or loads a package.
DIES = """
import os, signal, sys
import torch._inductor
def die(*args, **options):
    os.kill(os.getpid(), signal.SIGKILL)
torch._inductor.aoti_compile_and_package = torch._inductor.aoti_load_package = die
del sys.argv[:4]
exec(sys.argv[0])
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current directory, with the program in it."""
    (tmp_path / "model.py").write_text(PROGRAM)
    (tmp_path / "pyproject.toml").touch()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_programs_written_by_one_torch_are_loaded_by_others(
    folder: Path, forks: Forks, forks_with_bare_torch: Forks
) -> None:
    """By this torch, by the others that `make` has created environments for here, and by one that a package kills."""
    made = {
        ready.parent.name: ready.parent / "bin" / "python"
        for ready in ROOT.glob(".venv/torch-*/ready")
    }
    here = forks_with_bare_torch.python
    made[f"torch-{torch.__version__.partition('+')[0]}"] = here
    older, *newer = [made[name] for name in sorted(made)]
    dying = folder / "dying"
    dying.write_text(f'#!/bin/sh\nexec "{here}" -c {shlex.quote(DIES)} "$@"\n')
    dying.chmod(0o755)
    sides = [str(path) for path in (older, *newer, dying)]
    done = forks.run_command(folder, "packages", "model.py::counting", *sides)
    assert done.ret == 1
    output = done.stdout.str()
    rows = len(sides) * (len(sides) + 1) // 2
    # The last one's own row says that it wrote neither, its column that it loads only the others' exported programs.
    assert output.count("same values") == 2 * (rows - 1) - (len(sides) - 1)
    for kind in ("exported program", "AOTInductor package"):
        assert (
            f"{kind} of {dying} in {dying}: not written: the process was killed by SIGKILL"
            in output
        )
    assert (
        f"AOTInductor package of {older} in {dying}: the process was killed by SIGKILL"
        in output
    )


# Called as `PYTHON -W ignore -c CODE SCRIPT ANSWER WHAT FOLDER KIND...`.
DIES_OF_ONE = """#!/bin/sh
case "$7 $9" in
  "read exported") kill -KILL $$ ;;
  "read packaged") echo '{"packaged": ""}' > "$6" ;;
  *) echo '{"exported": "", "packaged": ""}' > "$6" ;;
esac
"""


def test_after_a_crash_another_process_loads_the_rest(tmp_path: Path) -> None:
    python = tmp_path / "python"
    python.write_text(DIES_OF_ONE)
    python.chmod(0o755)
    found = loads(
        (tmp_path / "model.py", "block"),
        [("it", python)],
        tmp_path,
        60,
        lambda output: None,
    )
    problems = [(each.kind, each.problem) for each in found]
    assert problems == [
        ("exported", "the process was killed by SIGKILL"),
        ("packaged", ""),
    ]


def test_a_program_that_cannot_be_written(
    folder: Path, forks: Forks, forks_with_bare_torch: Forks
) -> None:
    here = str(forks_with_bare_torch.python)
    done = forks.run_command(folder, "packages", "model.py::refused", here)
    assert done.ret == 1
    done.stdout.fnmatch_lines(["exported program of *: not written: *data-dependent*"])


def test_different_values_are_reported(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        torch._inductor, "aoti_compile_and_package", lambda *args, **options: None
    )
    process.write(str(folder), str(folder / "model.py"), "counting")
    assert process.read("exported", str(folder)) == ""
    inputs, (output,) = torch.load(folder / "values.pt")
    torch.save((inputs, [output + 1]), folder / "values.pt")
    assert "not close" in process.read("exported", str(folder))
    assert process.read("packaged", str(folder)).startswith(
        ("RuntimeError", "FileNotFoundError")
    )
