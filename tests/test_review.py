"""`compile-golden review` at a real terminal."""

from __future__ import annotations

import contextlib
import os
import pty
import re
import select
import signal
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from pytest_compile_golden.cli import main
from pytest_compile_golden.goldens.change_groups import digest
from pytest_compile_golden.report import json_report
from tests.paper import PaperProject

ROOT = Path(__file__).parents[1]
KEEP = ("--compile-golden-pending=pending", "--compile-golden-target=paper-cpu")
FORTY = """
import os, pytest
@pytest.mark.parametrize("n", range(40))
def test_case(draw, golden, n):
    policy = ", eviction_policy='evict_first'" if os.environ.get("LATER") else ""
    assert draw(ink=f"tmp{n} = tl.load(in_ptr{n} + (x0){policy})\\ntl.store(out_ptr0, tmp{n}, {n})\\n") == golden
"""
# Group 1 is one edit, group 2 another; case 6 has both.
THREE = """
import os, pytest
@pytest.mark.parametrize("n", range(7))
def test_case(draw, golden, n):
    later = bool(os.environ.get("LATER"))
    one = "fmax2" if later and n in (0, 1, 2, 3, 6) else "max2"
    two = "tl.cos4" if later and n in (4, 5, 6) else "cos4x"
    assert draw(ink=f"tmp{n} = helpers.{one}(tmp8)\\nuse(tmp{n})\\ntmp9 = {two}(x)\\n") == golden
"""


def review(paper: PaperProject, keys: str, *arguments: str) -> str:
    """What a person sees on pressing `keys`, one at each prompt."""
    start = (
        "from pytest_compile_golden.cli import main; main(prog_name='compile-golden')"
    )
    command = [sys.executable, "-c", start, "review", "--pending=pending", *arguments]
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(paper.path)
        os.execve(
            sys.executable, command, {**os.environ, "TERM": "xterm", "COLUMNS": "200"}
        )
    seen, waiting, answered = b"", list(keys), 0
    end = time.monotonic() + 60
    try:
        while time.monotonic() < end:
            if select.select([terminal], [], [], 0.3)[0]:
                try:
                    data = os.read(terminal, 4096)
                except OSError:  # how Linux says that the other side is gone
                    break
                seen += data
            elif seen.count(b"q quit") > answered:
                # Only once it is quiet: keys typed before the prompt listens are thrown away.
                assert waiting, "asked for more keys than a person would press"
                answered += 1
                os.write(terminal, waiting.pop(0).encode())
        else:
            raise AssertionError(f"no end: {seen.decode()[-500:]}")
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(terminal)
    assert waiting == [], f"never asked for {waiting}"
    return re.sub(r"\x1b\[[0-9;]*m", "", seen.decode().replace("\r\n", "\n"))


def test_forty_goldens_changed_the_same_way_take_one_keystroke(
    paper: PaperProject,
) -> None:
    paper.test(FORTY)
    paper.update(*KEEP)
    result = paper.run(*KEEP, LATER="1")
    result.stdout.fnmatch_lines(
        [
            "40 cases: 0 unchanged, 40 changed (1 distinct change). compile-golden review --pending pending"
        ]
    )
    seen = review(paper, "a")
    assert (
        "tl.load gains eviction_policy='evict_first'" in seen and "in 40 cases:" in seen
    )
    assert "accepted 40 artifacts (goldens: 40 updated)." in seen
    paper.run(*KEEP, LATER="1").assert_outcomes(passed=40, deselected=40)


@pytest.fixture
def three(paper: PaperProject) -> PaperProject:
    paper.test(THREE)
    paper.update(*KEEP)
    paper.run(*KEEP, LATER="1").assert_outcomes(failed=7, deselected=7)
    return paper


def accepted(paper: PaperProject) -> list[int]:
    texts = [
        paper.files()[f"cases/test_paper/test_case[{n}]/paper-cpu/ink.py"]
        for n in range(7)
    ]
    return [n for n, text in enumerate(texts) if "fmax2" in text or "tl.cos4" in text]


def test_accept_reject_skip_and_quit(three: PaperProject) -> None:
    seen = review(three, "as")
    # A case that also has another change waits for that one.
    assert "accepted 4 artifacts (goldens: 4 updated). 3 still pending." in seen
    assert "change 1 of 2" in seen and "change 2 of 2" in seen
    assert accepted(three) == [0, 1, 2, 3]
    assert "3 still pending." in review(three, "q")
    # Case 6 remembers which of its changes were accepted: the rest settles it.
    seen = review(three, "a")
    assert (
        "change 1 of 1" in seen and "accepted 3 artifacts (goldens: 3 updated)." in seen
    )
    assert accepted(three) == list(range(7))


def test_every_decision_can_be_undone(three: PaperProject) -> None:
    """Goldens, evidence and the pending store are as before; quitting then leaves them so."""

    def whole() -> dict[str, bytes]:
        roots = (three.goldens, three.path / "pending")
        return {
            str(path): path.read_bytes()
            for root in roots
            for path in root.rglob("*")
            if path.is_file()
        }

    before = whole()
    seen = review(three, "uauruAusuq")
    assert "there is no decision to undo." in seen and seen.count("change 1 of 2") == 5
    assert whole() == before and seen.rstrip().endswith("7 still pending.")
    assert "new  " not in seen and "updated  " not in seen
    # What is decided after it counts.
    assert "rejected 5. 2 still pending." in review(three, "aurq")
    assert accepted(three) == []


def test_all_that_is_left_is_accepted_with_one_key(three: PaperProject) -> None:
    assert "accepted 7 artifacts (goldens: 7 updated)." in review(three, "Aq")
    assert accepted(three) == list(range(7))


def test_help_unknown_keys_and_places(three: PaperProject) -> None:
    seen = review(three, "?xq")
    assert (
        "  u  undo the last of these decisions" in seen
        and "there is no key 'x'." in seen
    )
    lines = three.path.joinpath("cases/test_paper.py").read_text().splitlines()
    (test,) = [
        number
        for number, line in enumerate(lines, 1)
        if line.startswith("def test_case")
    ]
    assert f"  cases/test_paper.py:{test}\r" in seen.replace("\n", "\r")
    golden, line = re.findall(r"^  (goldens/\S+ink\.py):(\d+)$", seen, re.M)[0]
    assert "max2" in (three.path / golden).read_text().splitlines()[int(line) - 1]


def test_a_diff_longer_than_the_screen_is_paged(
    three: PaperProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAGER", "sed s/^/paged:/")
    monkeypatch.setenv("LINES", "5")
    seen = review(three, "dq")
    assert "paged:" in seen and "fmax2" in "".join(
        line for line in seen.splitlines() if line.startswith("paged:")
    )


def test_a_program_of_ones_own_shows_the_diff(
    three: PaperProject, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(
        "COMPILE_GOLDEN_DIFF", f"sh -c 'grep -H max2 $1 $2; exit 1' {tmp_path}"
    )
    seen = review(three, "dq")
    assert re.search(r"^\S+/golden/ink.py:tmp\d = helpers.max2", seen, re.M)
    assert re.search(r"^\S+/pending/ink.py:tmp\d = helpers.fmax2", seen, re.M)
    assert "7 still pending." in seen
    monkeypatch.setenv("COMPILE_GOLDEN_DIFF", "no-such-program --wait")
    assert (
        "COMPILE_GOLDEN_DIFF names a program that cannot be run: [Errno 2]"
        in review(three, "dq")
    )


def test_rejecting_a_change_rejects_every_case_that_has_it(three: PaperProject) -> None:
    assert "accepted 2 artifacts (goldens: 2 updated). rejected 5." in review(
        three, "ra"
    )
    assert accepted(three) == [4, 5]


def test_accepting_groups_by_number_settles_cases_that_they_fully_explain(
    three: PaperProject,
) -> None:
    result = three.command("accept", "--pending=pending", "--group=1")
    result.stdout.fnmatch_lines(
        ["1 case has other changes too and will be accepted once those are."]
    )
    assert accepted(three) == [0, 1, 2, 3]
    three.command("accept", "--pending=pending", "--group=1")
    assert accepted(three) == list(range(7))


def test_only_the_changes_marked_in_a_report_are_accepted(three: PaperProject) -> None:
    three.run(*KEEP, "--compile-golden-report=r.json", LATER="1")
    _, second = json_report.read(three.path / "r.json").groups
    chosen = [f"--change={digest(key)}" for key in second.keys]
    three.command("accept", "--pending=pending", *chosen).stdout.fnmatch_lines(
        ["1 case has other changes too and will be accepted once those are."]
    )
    members = {int(re.findall(r"\d", nodeid)[0]) for nodeid in second.members}
    assert {6} < members and accepted(three) == sorted(members - {6})
    again = three.command("accept", "--pending=pending", *chosen)
    assert again.ret == 2
    again.stderr.fnmatch_lines(
        [
            "*nothing pending has the change *: it has already been accepted or rejected, *"
        ]
    )


def test_whole_diff_and_next_cases(three: PaperProject) -> None:
    seen = review(three, "ndq")
    heads = re.findall(
        r"^  cases/test_paper.py::test_case\[(\d)-paper-cpu\]  ink.py \(arithmetic\)$",
        seen,
        re.M,
    )
    assert heads == ["0", "1", "1"]


def test_without_a_terminal_it_says_what_to_use_instead(three: PaperProject) -> None:
    result = three.command("review", "--pending=pending")
    assert result.ret == 1
    show = "`compile-golden show --pending pending`"
    result.stderr.fnmatch_lines(
        [
            f"Error: review needs a terminal; in scripts, use {show} and `compile-golden accept* --group N`."
        ]
    )


def test_history_says_what_changed_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the trail, which consists of digests, nothing else; its name is that of the file that holds it."""
    monkeypatch.chdir(ROOT)
    lines = (
        CliRunner()
        .invoke(main, ["history", "test_far_from_backward[cuda-sm90]"])
        .output.splitlines()
    )
    assert (
        lines[0] == "goldens/cases/test_training/test_far_from_backward/cuda-sm90"
        and (ROOT / lines[0]).is_dir()
    )
    assert "    graph calls aten.addmm in place of aten.add + aten.mm" in lines
    assert any(
        re.fullmatch(
            r"    peak_memory +176.0 KiB -> 192.0 KiB \(\+9.1 %\) +REGRESSION", line
        )
        for line in lines
    )
    again = (
        CliRunner()
        .invoke(main, ["history", lines[0], "--stage=trail"])
        .output.splitlines()
    )
    assert (
        "  evidence@torch-2.14.jsonl (trail)  since torch 2.14, written by torch 2.14.1, triton 3.8.0"
        in again
    )
    assert "    post_grad_graph: 92 nodes -> 91 nodes" in again and not any(
        line.startswith("    +") for line in again
    )


def test_history_shows_each_version_against_the_previous_one(
    paper: PaperProject,
) -> None:
    paper.test("""
import os
def test_case(draw, golden):
    assert draw(ink=f"a\\n{os.environ['INK']}\\n", press="same\\n") == golden
""")
    for torch, ink in (
        ("2.13.0", "one"),
        ("2.15.0", "two"),
        ("2.16.0.dev20260901", "three"),
    ):
        paper.update("--compile-golden-target=paper-cpu", torch=torch, INK=ink)
    for named in (
        "test_case",
        "cases/test_paper.py::test_case[paper-cpu]",
        "cases/*/paper-cpu",
    ):
        result = paper.command("history", named)
        assert result.ret == 0
        assert result.outlines == [
            "goldens/cases/test_paper/test_case/paper-cpu",
            "  ink.py  base, written by torch 2.13.0, triton 3.7.1",
            "  ink@torch-2.15.py  since torch 2.15, written by torch 2.15.0, triton 3.7.1",
            "      a",
            "    - one",
            "    + two",
            "  ink@torch-2.16.0.dev20260901.py  since torch 2.16.0.dev20260901, "
            "written by torch 2.16.0.dev20260901, triton 3.7.1",
            "      a",
            "    - two",
            "    + three",
            "  same on all torch versions: press",
        ]
    assert paper.command("history", "test_case", "--stage=press").outlines[1:] == [
        "  press.txt  base, written by torch 2.13.0, triton 3.7.1"
    ]
    # A case with exactly that name comes first.
    (paper.goldens / "cases/test_paper/test_case").rename(
        paper.goldens / "cases/test_paper/test_case_wide"
    )
    assert "test_case_wide" in paper.command("history", "test_case").stdout.str()
    paper.update("--compile-golden-target=paper-cpu", INK="one")
    assert "test_case_wide" not in paper.command("history", "test_case").stdout.str()
    for arguments, message in (
        (
            ["test_csae"],
            "no case in *goldens matches 'test_csae'; did you mean 'test_case'?*",
        ),
        (
            ["test_case", "--stage=inc"],
            "there is no stage among the goldens of 'test_case' 'inc'; did you mean 'ink'?*",
        ),
    ):
        result = paper.command("history", *arguments)
        assert result.ret == 2
        result.stderr.fnmatch_lines([f"Error: {message}"])
