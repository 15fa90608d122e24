"""`--compile-golden-changed`: cases run if something they depend on has changed since they passed."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.paper import INI, PaperProject

ONE = """
import importlib

import helper
from engine import Decoder

open("imported", "a").write("one ")


def test_first(draw, golden):
    import late

    assert draw(ink=helper.INK) == golden


def test_second(draw, golden):
    assert draw(ink="b\\n") == golden
"""
TWO = """
import engine.decoder

open("imported", "a").write("two ")


def test_third(draw, golden):
    assert draw(ink="c\\n") == golden
"""
FILES = {
    "helper.py": "from below import deeper\nINK = deeper.INK\n",
    "below/__init__.py": "",
    "below/deeper.py": 'INK = "a\\n"\n',
    "late.py": "",
    # As many packages do: names are resolved on demand.
    "engine/__init__.py": (
        "import importlib\n\n\ndef __getattr__(name):\n"
        "    if name != 'Decoder':\n        raise AttributeError(name)\n"
        "    return importlib.import_module(f'{__name__}.{name.lower()}').Decoder\n"
    ),
    "engine/decoder.py": "class Decoder: ...\n",
    "cases/conftest.py": "__import__('un' + 'seen')\n",
    "unseen.py": "",
    "cases/other/conftest.py": "",
    "cases/test_two.py": TWO,
    "cases/test_one.py": ONE,
}
FIRST = {
    f"cases/test_one.py::test_first[{target}]" for target in ("paper-cpu", "paper-gpu")
}
SECOND = {
    f"cases/test_one.py::test_second[{target}]" for target in ("paper-cpu", "paper-gpu")
}
THIRD = {
    f"cases/test_two.py::test_third[{target}]" for target in ("paper-cpu", "paper-gpu")
}
ONLY_ON_THE_CPU = {nodeid for nodeid in FIRST if nodeid.endswith("cpu]")}
EVERY = FIRST | SECOND | THIRD


@pytest.fixture
def cases(paper: PaperProject) -> PaperProject:
    """Three cases in two files, for two targets each, that have passed."""
    paper.pytester.makeini(INI.replace("-p no:cacheprovider", ""))
    for name, text in FILES.items():
        paper.test(text, name)
    paper.update().assert_outcomes(passed=6)
    return paper


def ran(result: pytest.RunResult) -> set[str]:
    """The cases that a run with -v reports as finished."""
    lines = [
        line
        for line in result.outlines
        if re.search(r"\b(PASSED|FAILED|SKIPPED)\b", line)
    ]
    return {nodeid for line in lines for nodeid in re.findall(r"cases/\S+::\S+", line)}


def changed(
    paper: PaperProject, *arguments: str, **environment: str
) -> pytest.RunResult:
    (paper.path / "imported").unlink(missing_ok=True)
    return paper.run("--compile-golden-changed", "-v", *arguments, **environment)


def imported(paper: PaperProject) -> str:
    path = paper.path / "imported"
    return path.read_text() if path.exists() else ""


def append(path: Path, text: str = "\n# edited\n") -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(text)


def test_if_nothing_changed_nothing_runs_and_that_is_a_success(
    cases: PaperProject,
) -> None:
    for arguments in ((), ("-n2",), ("cases/test_one.py", "cases/test_two.py")):
        result = changed(cases, *arguments)
        assert result.ret == 0 and not ran(result)
        # Test files import torch, which takes seconds, for nothing.
        assert imported(cases) == ""
        result.stdout.fnmatch_lines(
            ["6 cases did not run: unchanged since they passed."]
        )
    result = changed(cases, "--compile-golden-target=paper-cpu")
    assert result.ret == 0 and imported(cases) == ""
    result.stdout.fnmatch_lines(["3 cases did not run: unchanged since they passed."])


def test_cases_that_depend_on_an_edited_file_run(cases: PaperProject) -> None:
    for name, again in {
        "cases/test_one.py": FIRST | SECOND,
        "helper.py": FIRST | SECOND,
        "below/deeper.py": FIRST | SECOND,
        "below/__init__.py": FIRST | SECOND,
        "late.py": FIRST | SECOND,
        "engine/decoder.py": EVERY,
        "cases/conftest.py": EVERY,
        "unseen.py": EVERY,
        "conftest.py": EVERY,
        "tox.ini": EVERY,
        "cases/other/conftest.py": set[str](),
        "cases/unrelated.py": set[str](),
    }.items():
        append(cases.path / name)
        result = changed(cases)
        assert ran(result) == again, name
        left = 6 - len(again)
        assert (
            f"{left} cases did not run: unchanged since they passed." in result.outlines
            or not left
        )
        assert result.ret == 0


def edit(golden: Path) -> None:
    """Change what does not count, as a user might: the text is different, and the case passes."""
    golden.write_text(
        golden.read_text(encoding="utf-8").replace("\na", "\na #", 1), encoding="utf-8"
    )


def test_cases_of_an_edited_golden_run(cases: PaperProject) -> None:
    golden = cases.goldens / "cases/test_one/test_first/paper-cpu/ink.py"
    edit(golden)
    assert ran(changed(cases)) == ONLY_ON_THE_CPU
    golden.with_name("ink@torch-2.14.py").write_text(
        golden.read_text().replace("2.13.0", "2.14.0")
    )
    result = changed(cases)
    assert result.ret == 0 and ran(result) == ONLY_ON_THE_CPU


def test_a_deleted_file_is_a_change(cases: PaperProject) -> None:
    (cases.path / "late.py").unlink()
    result = changed(cases)
    assert ran(result) == FIRST | SECOND
    result.assert_outcomes(passed=2, failed=2)
    (cases.goldens / "cases/test_two/test_third/paper-gpu/ink.py").unlink()
    result = changed(cases)
    assert ran(result) == FIRST | {each for each in THIRD if "gpu" in each}


def test_if_some_cases_of_a_file_run_the_others_are_deselected(
    cases: PaperProject,
) -> None:
    for arguments in ((), ("-n2",)):
        edit(cases.goldens / "cases/test_one/test_first/paper-cpu/ink.py")
        result = changed(cases, *arguments)
        assert ran(result) == ONLY_ON_THE_CPU
        result.stdout.fnmatch_lines(
            ["5 cases did not run: unchanged since they passed."]
        )
        assert "two" not in imported(cases)
        if not arguments:
            result.assert_outcomes(passed=1, deselected=3)


@pytest.mark.parametrize("arguments", [(), ("-n2",)])
def test_a_case_that_failed_runs_again(
    cases: PaperProject, arguments: tuple[str, ...]
) -> None:
    broken = TWO.replace(
        "assert", "import os\n    assert 'BROKEN' not in os.environ and"
    )
    cases.test(broken, "cases/test_two.py")
    for _ in range(2):
        result = changed(cases, *arguments, BROKEN="1")
        assert ran(result) == THIRD and result.ret == 1
    assert ran(changed(cases, *arguments)) == THIRD
    assert not ran(changed(cases, *arguments))
    # Once more, though nothing has changed since it passed.
    assert ran(cases.run("-v", *arguments, BROKEN="1")) == EVERY
    assert ran(changed(cases, *arguments)) == THIRD


READS = """
import os
from settings import flag

INK = os.environ.get("INK", "c\\n")
os.environ["SET_HERE"] = INK


def test_third(draw, golden):
    assert draw(ink="c\\n") == golden
    assert "PRESS" not in os.environ and not flag("third") and os.environ["SET_HERE"]
"""
SETTINGS = """
import os

NAME = "ON_PAPER"


def flag(name):
    return os.getenv(f"APP_{name}") or NAME.replace("_", "-") in os.environ
"""


def test_a_variable_that_a_file_reads_is_part_of_it(cases: PaperProject) -> None:
    cases.test(READS, "cases/test_two.py")
    cases.test(SETTINGS, "settings.py")
    variables = ("INK", "PRESS", "APP_third", "ON_PAPER")
    assert ran(changed(cases)) == THIRD
    assert not ran(changed(cases, _="/usr/bin/pytest", UNREAD="1"))
    for name in variables:
        result = changed(cases, "-v", **{name: "1"})
        assert ran(result) == THIRD, name
        # The value that it passed with is remembered, and so is that it failed.
        assert bool(ran(changed(cases, "-v", **{name: "1"}))) == (result.ret != 0), name
        assert ran(changed(cases, **{name: "2"})) == THIRD
        assert ran(changed(cases)) == THIRD and not ran(changed(cases))


def test_a_new_case_runs_and_a_skipped_one_does_not_run_again(
    cases: PaperProject,
) -> None:
    skipped = "import pytest\n\n\n@pytest.mark.skip(reason='later')\ndef test_later(draw): ...\n"
    append(cases.path / "cases/test_two.py", skipped)
    again = {each.replace("third", "later") for each in THIRD}
    assert ran(changed(cases)) == THIRD | again
    assert not ran(changed(cases)) and imported(cases) == ""


def test_a_part_of_a_file_does_not_pass_for_the_whole(cases: PaperProject) -> None:
    append(cases.path / "cases/test_one.py", "\n\ndef test_new(draw, golden): ...\n")
    for test in ("test_first", "test_second"):
        assert changed(cases, f"cases/test_one.py::{test}").ret == 0
    assert ran(changed(cases)) == {each.replace("first", "new") for each in FIRST}
    result = changed(cases, "cases/test_one.py::test_first")
    assert result.ret == 0 and not ran(result)


def test_a_typo_is_never_a_success(cases: PaperProject) -> None:
    assert changed(cases, "-k", "test_frist").ret == 5
    assert changed(cases, "--compile-golden-case=test_frist").ret == 4
    assert changed(cases, "cases/test_one.py::test_frist").ret == 4
    result = changed(cases, "-k", "test_first")
    assert result.ret == 0 and not ran(result)
    result.stdout.fnmatch_lines(["2 cases did not run: unchanged since they passed."])
    result = changed(cases, "--compile-golden-case=test_first")
    assert result.ret == 0 and not ran(result)


def test_another_torch_option_variable_or_package_is_a_change(
    cases: PaperProject, tmp_path: Path
) -> None:
    package = tmp_path / "torch"
    package.mkdir()
    (package / "__init__.py").touch()
    info = tmp_path / "torch-2.14.1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: torch\nVersion: 2.14.1\n"
    )
    other = {"PYTHONPATH": str(tmp_path)}
    assert ran(changed(cases, **other)) == EVERY
    assert not ran(changed(cases, **other))
    # Each torch has its own record.
    assert not ran(changed(cases))
    append(package / "__init__.py")
    assert ran(changed(cases, **other)) == EVERY
    assert ran(changed(cases, "--compile-golden-policy=triton")) == EVERY
    assert ran(changed(cases, TORCHINDUCTOR_FREEZING="1")) == EVERY
    (tmp_path / "transformers-5.0.dist-info").mkdir()
    assert ran(changed(cases, **other)) == EVERY


def test_what_is_written_while_cases_run_is_not_what_they_passed_with(
    cases: PaperProject,
) -> None:
    writing = TWO.replace(
        "    assert", "    open('helper.py', 'a').write('# later\\n')\n    assert"
    )
    cases.test(
        writing.replace("import engine.decoder", "import helper"), "cases/test_two.py"
    )
    assert ran(changed(cases)) == THIRD
    # The other file imported the helper as it was before, and that is what its record holds.
    assert ran(changed(cases)) == EVERY


def test_other_tests_and_snapshots_always_run(cases: PaperProject) -> None:
    append(cases.path / "cases/test_two.py", "\n\ndef test_plain(): ...\n")
    snapshot = "def test_both(draw, golden, snapshot):\n"
    snapshot += "    assert draw(ink='a\\n') == golden\n    assert 1 == snapshot\n"
    cases.test(snapshot, "cases/test_three.py")
    cases.update().assert_outcomes(passed=9)
    (cases.path / "cases/__snapshots__").rename(cases.path / "cases/elsewhere")
    result = changed(cases)
    both = {
        f"cases/test_three.py::test_both[{target}]"
        for target in ("paper-cpu", "paper-gpu")
    }
    assert ran(result) == both | {"cases/test_two.py::test_plain"}
    result.assert_outcomes(passed=1, failed=2, deselected=2)


@pytest.mark.parametrize(
    ("arguments", "environment", "reason"),
    [
        ((), {"CI": "true"}, "in CI, which has the last word"),
        (("--snapshot-update",), {}, "when changes are accepted"),
        (("--compile-golden-prune",), {}, "when goldens are pruned"),
        (("--compile-golden-record=recorded",), {}, "when everything is recorded"),
    ],
)
def test_ci_accepting_pruning_and_recording_leave_nothing_out(
    cases: PaperProject,
    arguments: tuple[str, ...],
    environment: dict[str, str],
    reason: str,
) -> None:
    cases.test(TWO.replace("third", "fourth"), "cases/test_two.py")
    cases.update("--snapshot-no-cleanup")
    result = changed(cases, *arguments, **environment)
    assert len(ran(result)) == 6
    result.stdout.fnmatch_lines(
        [
            f"compile-golden: --compile-golden-changed has no effect {reason}; every case runs"
        ]
    )
    # They are complete, as they would be without the option.
    gone = not (cases.goldens / "cases/test_two/test_third").exists()
    assert gone == ("prune" in str(arguments) or "update" in str(arguments))


def test_goldens_of_cases_that_did_not_run_are_never_unused(
    cases: PaperProject,
) -> None:
    files = cases.files()
    cases.test("", "cases/test_two.py")
    for arguments in ((), ("-n2",)):
        edit(cases.goldens / "cases/test_one/test_first/paper-cpu/ink.py")
        result = changed(cases, *arguments)
        assert result.ret == 0
        result.stdout.no_fnmatch_line("*no longer exist*")
        result.stdout.no_fnmatch_line("*snapshot*unused*")
    assert cases.files().keys() == files.keys()
    # A complete run reports the cases that are gone.
    assert "2 cases that no longer exist" in " ".join(cases.run().outlines)


def test_without_a_cache_it_says_so(paper: PaperProject) -> None:
    paper.test(TWO)
    result = changed(paper)
    assert result.ret == 4
    result.stderr.fnmatch_lines(
        [
            "*--compile-golden-changed needs pytest's cache: leave out -p no:cacheprovider.*"
        ]
    )
    ini = paper.pytester.makeini(INI.replace("-p no:cacheprovider", ""))
    result = changed(paper, "-o", f"cache_dir={ini}/cache")
    result.stderr.fnmatch_lines(
        ["*--compile-golden-changed needs pytest's cache: make */cache writable.*"]
    )


def test_a_damaged_record_is_ignored(cases: PaperProject) -> None:
    (record,) = (cases.path / ".pytest_cache/d/compile-golden-passed").iterdir()
    whole = record.read_text()
    damages: list[Callable[[str], str]] = [
        lambda text: text[:-1],
        lambda text: "[]",
        lambda text: '{"a": 1}',
    ]
    for damage in damages:
        record.write_text(damage(whole))
        assert ran(changed(cases)) == EVERY
        assert not ran(changed(cases))
