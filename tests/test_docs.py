"""What the README and the pages of docs/ show works as shown."""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
import torch

from pytest_compile_golden import capture
from pytest_compile_golden.cli import main
from pytest_compile_golden.stages import stages
from pytest_compile_golden.targets import target_names
from pytest_compile_golden.targets.target import _targets
from tests.forked import RunInProject

ROOT = Path(__file__).parents[1]
REGISTERED_BY_TESTS = {"cpu-lab", "cuda-lab", "cuda-mycard", "cuda-workstation"}
"""By other tests in this process, where targets stay registered."""
PAGES = (
    ROOT / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "examples").glob("*/README.md")),
)


def page(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def blocks(name: str, language: str, having: str = "") -> list[str]:
    found = re.findall(rf"```{language}\n(.*?)```", page(name), re.S)
    return [block for block in found if having in block]


@pytest.mark.parametrize(
    ("name", "passed"),
    # On two targets; the Triton code only exists on the GPU.
    [("README.md", 2), ("docs/cases.md", 3), ("docs/invariants.md", 2)],
)
def test_cases_run_and_are_accepted(
    name: str, passed: int, project: pytest.Pytester, compiling: RunInProject
) -> None:
    (block,) = blocks(name, "python", "def test_")
    project.makepyfile(test_shown=block)
    compiling("--snapshot-update").assert_outcomes(passed=passed)
    compiling().assert_outcomes(passed=passed)


def test_capture_without_pytest() -> None:
    (block,) = blocks("docs/cases.md", "python", "capture(model")
    shown: dict[str, object] = {}
    exec(
        f"import torch\nmodel = torch.nn.Linear(8, 8)\nx = torch.randn(4, 8)\n{block}",
        shown,
    )


def test_a_card_of_your_own() -> None:
    (block,) = blocks("docs/targets.md", "python", "register_target(")
    try:
        exec(block, {})
        assert "triton_code" in capture(
            torch.sin, torch.randn(64), target="cuda-workstation"
        )
    finally:
        _targets.remove("cuda-workstation")


def test_every_stage_and_target_is_listed() -> None:
    table = (
        page("docs/stages.md").partition("| stage | contents |")[2].partition("\n\n")[0]
    )
    rows = [
        row.partition(" | ")[0] for row in table.splitlines() if row.startswith("| `")
    ]
    assert [name for row in rows for name in re.findall(r"`(\w+)`", row)] == [
        stage.name for stage in stages()
    ]
    for name in {*target_names()} - REGISTERED_BY_TESTS:
        assert f"`{name}`" in page("docs/targets.md"), name


def test_the_function_that_trace_takes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pytest_compile_golden.cli.compile_program import compiled

    (block,) = (
        block for block in blocks("docs/passes.md", "python") if "def block(" in block
    )
    monkeypatch.chdir(tmp_path)
    shown = Path("shown_in_docs.py")
    shown.write_text(f"import torch\n\n{block}", encoding="utf-8")
    (captured,) = compiled(f"{shown}::block", "cpu-avx2")
    assert "backward_graph" in captured


def commands(program: str) -> Iterator[list[str]]:
    """The arguments of each call of `program` in the pages' blocks, as the shell would pass them."""
    for path in PAGES:
        for language, block in re.findall(
            r"```(\w*)\n(.*?)```", path.read_text(encoding="utf-8"), re.S
        ):
            for line in block.replace("\\\n", " ").splitlines():
                call = line.removeprefix("$ ")
                if call.startswith(f"{program} ") and (
                    language == "sh" or call != line
                ):
                    yield shlex.split(
                        call.split(" | ")[0].split(" > ")[0], comments=True
                    )[1:]


def test_commands_are_understood() -> None:
    """Their names, options and number of arguments: what they do is tested where they are."""
    shown = list(commands("compile-golden"))
    # `show` is what `diff` does without arguments.
    assert {arguments[0] for arguments in shown} | {"show"} == set(
        main.list_commands(click.Context(main))
    )
    for name, *arguments in shown:
        command = main.get_command(click.Context(main), name)
        assert command is not None
        parse(command, name, arguments)


def parse(command: click.Command, name: str, arguments: list[str]) -> None:
    # Files that are read by a command need not exist here.
    for parameter in command.params:
        if isinstance(parameter.type, click.Path):
            parameter.type.exists = False
    try:
        context = command.make_context(name, arguments)
    except click.exceptions.Exit:  # --help
        return
    except click.ClickException as error:
        raise AssertionError(
            f"compile-golden {shlex.join([name, *arguments])}: {error.format_message()}"
        ) from error
    if isinstance(command, click.Group):
        subcommand, *rest = [*context._protected_args, *context.args]
        found = command.get_command(context, subcommand)
        assert found is not None, f"{name} {subcommand}"
        parse(found, f"{name} {subcommand}", rest)


def test_options_of_pytest_are_known(pytester: pytest.Pytester) -> None:
    known = pytester.runpytest_subprocess("--help").stdout.str()
    shown = {
        option.partition("=")[0]
        for arguments in commands("pytest")
        for option in arguments
        if option.startswith(("--compile-golden", "--snapshot"))
    }
    assert "--compile-golden-record" in shown
    assert {
        option for option in shown if not re.search(rf"{option}[\s=,]", known)
    } == set()


def test_links_lead_somewhere() -> None:
    for path in PAGES:
        prose = re.sub(
            r"```.*?```|`[^`\n]*`", "code", path.read_text(encoding="utf-8"), flags=re.S
        )
        for target in re.findall(r"\]\((?!https?:|#|mailto:)([^)#\s]+)", prose):
            assert (path.parent / target).exists(), (
                f"{path.relative_to(ROOT)}: {target}"
            )


def test_the_readme_is_short() -> None:
    assert len(page("README.md").encode()) <= 7_000


def test_a_folder_of_the_package_says_what_is_in_which_file() -> None:
    for path in (ROOT / "pytest_compile_golden").rglob("__init__.py"):
        folder = path.parent
        within = {
            each.stem
            for each in folder.glob("*.py")
            if each.stem not in ("__init__", "__main__")
        } | {f"{each.parent.name}/" for each in folder.glob("*/__init__.py")}
        said = ast.get_docstring(ast.parse(path.read_text())) or ""
        if folder.name != "pytest_compile_golden" and len(within) > 2:
            assert set(re.findall(r"^([a-z0-9_/]+): ", said, re.M)) == within, folder
