"""Shell completion of `compile-golden`."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from contextlib import suppress
from importlib import import_module
from pathlib import Path

import click
import pytest
from click.shell_completion import ShellComplete

from pytest_compile_golden import cli
from pytest_compile_golden.cli import main
from tests.paper import PaperProject


def completed(*words: str) -> list[str]:
    *before, incomplete = words
    shell = ShellComplete(main, {}, "compile-golden", "_COMPILE_GOLDEN_COMPLETE")
    return [
        item.value
        for item in shell.get_completions(before, incomplete)
        if item.type == "plain"
    ]


def test_targets_stages_and_cases(
    paper: PaperProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(paper.path)
    assert completed("diff", "--target", "cpu-av") == ["cpu-avx2", "cpu-avx512"]
    assert completed("trace", "x.py::f", "--target", "native-") == [
        "native-cpu",
        "native-cuda",
    ]
    assert completed("show", "--stage", "pass") == ["passes", "pass_diffs"]
    assert completed("matrix", "--stages", "metrics,+tra") == ["metrics,+trail"]
    # No goldens yet, and no error.
    assert completed("history", "test_") == []
    folder = "cases/test_paper/test_soft[4]/paper-cpu"
    (paper.goldens / folder).mkdir(parents=True)
    (paper.goldens / folder / "ink.py").touch()
    for words in (
        ["history", ""],
        ["bisect", ""],
        ["diff", "--case", ""],
        ["accept", "--case", ""],
    ):
        assert completed(*words) == ["test_soft", folder]
    assert completed("history", "cases/test_paper.py::") == [
        "cases/test_paper.py::test_soft[4-paper-cpu]"
    ]
    assert completed("eject", "cases/test_p") == [
        "cases/test_paper.py::test_soft[4-paper-cpu]"
    ]


SET_UP = """bind "set enable-bracketed-paste off"; eval "$(_COMPILE_GOLDEN_COMPLETE=bash_source compile-golden)"\n"""
# Tab, then the line becomes a comment: that is kept in the history, and quotes in it may stay open.
COMPLETE = "\t\x05\x01#\n"


def in_bash(*lines: str) -> list[str]:
    """Each line as an interactive bash completes it when Tab is pressed at its end."""
    process, terminal = pty.fork()
    if process == 0:
        os.environ["PATH"] = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        os.execvp("bash", ["bash", "--norc", "--noprofile", "-i"])
    typed = [
        SET_UP,
        *(line + COMPLETE for line in lines),
        f"fc -ln -{len(lines)} > lines\n",
        "exit\n",
    ]
    os.write(terminal, "".join(typed).encode())
    with suppress(OSError):  # how Linux says that the other end has closed
        while os.read(terminal, 4096):
            pass
    os.close(terminal)
    os.waitpid(process, 0)
    return [
        line.strip().removeprefix("#")
        for line in Path("lines").read_text().splitlines()
    ]


def test_bash_completes_ids_with_colons(
    paper: PaperProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(paper.path)
    golden = paper.goldens / "cases/test_paper/test_soft[4]/paper-cpu/ink.py"
    golden.parent.mkdir(parents=True)
    golden.touch()
    (paper.path / "cases").mkdir()
    (
        paper.path / "cases/test_paper.py::test_soft4"
    ).touch()  # what the brackets would match
    case = "cases/test_paper.py::test_soft[4-paper-cpu]"
    assert in_bash(
        "compile-golden history cases/test_paper.py::te",
        "compile-golden history 'cases/test_paper.py::",
        "compile-golden diff --target=cpu-avx5",
        "echo; compile-golden eject cases/test_p",
    ) == [
        f"compile-golden history {case}",
        f"compile-golden history '{case}'",
        "compile-golden diff --target=cpu-avx512",
        f"echo; compile-golden eject {case}",
    ]


def test_an_unknown_command_is_reported_with_close_matches(paper: PaperProject) -> None:
    result = paper.command("hsitory", "test_case")
    assert result.ret == 2
    result.stderr.fnmatch_lines(
        ["Error: there is no command 'hsitory'; did you mean 'history'?*"]
    )


def test_a_command_imports_itself_and_no_other() -> None:
    script = (
        "import sys\n"
        "from pytest_compile_golden.cli import main\n"
        "main(['diff', '--help'], standalone_mode=False)\n"
        "print(*sorted(name.rpartition('.')[2] for name in sys.modules if name.startswith(f'{main.__module__}.')))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert (
        done.stdout.splitlines()[-1]
        == "console diff explain_changes find_cases project record_sides shared_options shell_completion side_progress"
    )


def test_every_command_is_listed_and_has_the_name_of_its_file() -> None:
    files = {path.stem for path in Path(cli.__file__).parent.glob("*.py")}
    context = click.Context(main)
    names = main.list_commands(context)
    for name in names:
        command = main.get_command(context, name)
        assert command is not None and command.name == name
    for name in files - {*names, "__init__"}:
        module = import_module(f"{cli.__name__}.{name}")
        assert not isinstance(getattr(module, name, None), click.Command), (
            f"{name} is a command that is not listed"
        )
