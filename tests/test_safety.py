"""Nothing is lost, half-written or misplaced, whatever happens: each tested with real processes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_compile_golden.goldens.golden_header import parse_golden
from tests.forked import Forks
from tests.paper import PaperProject

CPU = "--compile-golden-target=paper-cpu"
KEEP = "--compile-golden-pending=pending"
MANY = """
import os, pytest
@pytest.mark.parametrize("n", range(6))
def test_case(draw, golden, n):
    text = os.environ.get("INK", "a") + "\\n"
    # Large enough that a write is not over in an instant.
    assert draw(ink=text * 2000, press=text * 2000, tally="kernels = 1\\n") == golden
"""
# Runs pytest in a process of its own for each kill.
KILLER = """
import os, pytest, random, sys, time
moments = int(sys.argv[1])
def update(ink):
    pid = os.fork()
    if pid == 0:
        os.environ["INK"] = ink
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1), os.dup2(null, 2)
        os._exit(pytest.main(["--compile-golden", "--compile-golden-target=paper-cpu", "--snapshot-update"]))
    return pid
start = time.monotonic()
assert os.waitpid(update("a"), 0)[1] == 0
whole = time.monotonic() - start
seed = random.randrange(2**32)
print("seed", seed, "of", whole)
random.seed(seed)
for moment in range(moments):
    pid = update("abc"[moment % 3])
    time.sleep(whole * random.uniform(0.3, 1.0))
    os.kill(pid, 9)
    os.waitpid(pid, 0)
"""


def goldens(paper: PaperProject) -> dict[str, str]:
    """The body of every golden, by name; fails if a file is not a whole golden."""
    found = {}
    for name, text in paper.files().items():
        if not name.rpartition("/")[2].startswith("."):
            found[name] = parse_golden(text, "#", name)[1]
    return found


@pytest.mark.wide
def test_fifty_kills_of_an_update_lose_nothing(
    paper: PaperProject, forks: Forks
) -> None:
    paper.test(MANY)
    paper.update(CPU).assert_outcomes(passed=6, deselected=6)
    names = sorted(goldens(paper))
    assert len(names) == 18
    killer = paper.path / "killer.py"
    killer.write_text(KILLER)
    with paper.pytester._monkeypatch.context() as patch:
        patch.setenv("PAPER_TORCH", "2.13.0")
        killed = forks.run_script(paper.path, killer, "50")
    assert killed.ret == 0, killed.errlines
    found = goldens(paper)
    assert sorted(found) == names
    for name, body in found.items():
        if not name.endswith("toml"):
            assert body in {f"{letter}\n" * 2000 for letter in "abc"}, (
                name,
                killed.outlines,
            )
    # What a kill leaves behind is not read, and the next update removes it.
    leftover = (
        paper.goldens / "cases/test_paper/test_case[0]/paper-cpu/.ink.py.999999999.tmp"
    )
    leftover.write_text("half a gol")
    mine = leftover.with_name(f".ink.py.{os.getpid()}.tmp")
    mine.write_text("someone is at it")
    paper.update(CPU, INK="c").assert_outcomes(passed=6, deselected=6)
    assert list(paper.goldens.rglob(".*")) == [mine]
    assert set(goldens(paper).values()) == {"c\n" * 2000, "kernels = 1\n"}


def test_two_workers_and_two_runs_at_once_write_whole_goldens(
    paper: PaperProject, forks: Forks
) -> None:
    paper.test(MANY)
    command = [
        str(forks.python),
        "-m",
        "pytest",
        "--compile-golden",
        "--snapshot-update",
        "-q",
        "-n2",
    ]
    runs = []
    for torch, ink in (("2.13.0", "a"), ("2.15.0", "b")):
        environment = {**os.environ, "PAPER_TORCH": torch, "INK": ink}
        runs.append(
            subprocess.Popen(
                command, cwd=paper.path, env=environment, stdout=subprocess.DEVNULL
            )
        )
    assert [run.wait(60) for run in runs] == [0, 0]
    found = goldens(paper)
    assert set(found.values()) == {"a\n" * 2000, "b\n" * 2000, "kernels = 1\n"}
    # Both versions' behaviour is recorded, whichever came first.
    paper.run("-n2", torch="2.13.0", INK="a").assert_outcomes(passed=12)
    paper.run("-n2", torch="2.15.0", INK="b").assert_outcomes(passed=12)


def test_full_disk_gives_one_message_and_keeps_the_goldens(paper: PaperProject) -> None:
    paper.test(MANY)
    paper.update(CPU)
    before = paper.files()
    # The system's own limit on file sizes, below what a golden needs; pytest's output stays below it.
    paper.test(
        "import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))\n"
        + MANY
    )
    result = paper.update(CPU, "-q", "-k", "[0-", INK="b")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "  cannot write golden *ink.py: *File too large*. The golden is unchanged; check space*"
        ]
    )
    assert "Traceback" not in result.stdout.str()
    assert paper.files() == before
    result = paper.run(CPU, KEEP, "-q", "-k", "[0-", INK="b")
    result.stdout.fnmatch_lines(
        [
            "  first divergence  ink",
            "  not pending       cannot write pending artifact *",
        ]
    )


# Root may write anywhere; without these capabilities, permissions apply to it too.
ORDINARY = """
import ctypes
class Header(ctypes.Structure):
    _fields_ = [("version", ctypes.c_uint32), ("pid", ctypes.c_int)]
class Data(ctypes.Structure):
    _fields_ = [("effective", ctypes.c_uint32), ("permitted", ctypes.c_uint32), ("inheritable", ctypes.c_uint32)]
libc, header, data = ctypes.CDLL(None), Header(0x20080522, 0), (Data * 2)()
assert libc.capget(ctypes.byref(header), data) == 0
data[0].effective &= ~0b110
assert libc.capset(ctypes.byref(header), data) == 0
"""


def test_read_only_tree_compares_and_says_why_it_cannot_accept(
    paper: PaperProject,
) -> None:
    paper.test(ORDINARY + MANY)
    paper.update(CPU, "-k", "[0-")
    before = paper.files()
    folders = [path for path in paper.goldens.rglob("*") if path.is_dir()]
    for folder in folders:
        folder.chmod(0o555)
    try:
        paper.run(CPU, "-k", "[0-").assert_outcomes(passed=1, deselected=11)
        result = paper.update(CPU, "-k", "[0-", INK="b")
        result.assert_outcomes(failed=1, deselected=11)
        result.stdout.fnmatch_lines(
            ["  cannot write golden *ink.py: *Permission denied*"]
        )
        assert "Traceback" not in result.stdout.str()
    finally:
        for folder in folders:
            folder.chmod(0o755)
    assert paper.files() == before


def test_folder_that_may_not_be_entered_is_no_part_of_the_project(
    paper: PaperProject,
) -> None:
    paper.test(MANY)
    data = paper.path / "data"
    data.mkdir(mode=0o000)
    program = (
        ORDINARY
        + """
from pathlib import Path
from pytest_compile_golden.cli import main
from pytest_compile_golden.environments.side_recorder import _project
print([line.split()[0] for line in _project(Path.cwd(), Path.cwd() / "goldens")])
main(["trace", "test_other"])
"""
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=paper.path, capture_output=True, text=True
    )
    assert "test_paper.py" in done.stdout
    assert "did you mean 'test_case'?" in done.stderr


def test_symlink_in_the_goldens_is_refused(paper: PaperProject, tmp_path: Path) -> None:
    paper.test(MANY)
    (paper.goldens / "cases").mkdir(parents=True)
    (paper.goldens / "cases" / "test_paper").symlink_to(tmp_path)
    result = paper.update(CPU, "-k", "[0-")
    result.assert_outcomes(failed=1, deselected=11)
    result.stdout.fnmatch_lines(
        ["  *test_paper is a symlink; goldens are never read or written through one. *"]
    )
    assert list(tmp_path.glob("test_case*")) == []


IDS = """
import os, pytest
IDS = ["a/b", "../../x", "nul\\0nul", "x" * 300, "x" * 299 + "y", "Case", "case", "..", "a b", "\\udce4"]
@pytest.mark.parametrize("n", range(len(IDS)), ids=IDS)
def test_case(draw, golden, n):
    assert draw(ink=f"{n} {os.environ.get('INK')}\\n") == golden
"""


def test_ids_of_any_kind_have_folders_of_their_own(paper: PaperProject) -> None:
    paper.test(IDS)
    around = sorted(path.name for path in paper.path.parent.iterdir())
    paper.run(CPU, KEEP, INK="a").assert_outcomes(failed=10, deselected=10)
    result = paper.command("accept", "--pending=pending")
    result.stdout.fnmatch_lines(["accepted 10 artifacts (goldens: 10 new)."])
    paper.run(CPU, "-n2", INK="a").assert_outcomes(passed=10)
    names = list(paper.files())
    assert len({name.casefold() for name in names}) == 10
    assert all(
        len(part) < 144 and part.isascii() for name in names for part in name.split("/")
    )
    assert sorted(path.name for path in paper.path.parent.iterdir()) == around


def test_crlf_checkout_and_bytes_that_are_not_text(paper: PaperProject) -> None:
    paper.test(MANY)
    paper.update(CPU, "-k", "[0-")
    for path in paper.goldens.rglob("*.*"):
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    paper.run(CPU, "-k", "[0-").stdout.fnmatch_lines(
        ["1 case: 1 unchanged, 0 changed."]
    )
    # What is pending from a checkout with other line endings belongs to the same golden.
    paper.run(CPU, KEEP, "-k", "[0-", INK="b").assert_outcomes(failed=1, deselected=11)
    for path in paper.goldens.rglob("*.*"):
        path.write_bytes(path.read_bytes().replace(b"\r\n", b"\n"))
    assert paper.command("accept", "--pending=pending").ret == 0
    golden = next(paper.goldens.rglob("ink.py"))
    golden.write_bytes(golden.read_bytes() + b"\xff\xfe\n")
    result = paper.run(CPU, "-k", "[0-", INK="b")
    result.stdout.fnmatch_lines(
        ["  *ink.py is damaged: it is not UTF-8. Restore it from version control, or *"]
    )


CRASH = """
import ctypes, os, pytest
def test_before(draw, golden):
    assert draw(ink=os.environ["INK"]) == golden
def test_crash(draw, golden):
    if os.environ["INK"] == "b":
        ctypes.string_at(0)
    assert draw(ink="a") == golden
@pytest.mark.parametrize("n", range(4))
def test_after(draw, golden, n):
    assert draw(ink=os.environ["INK"] if n == 3 else "a") == golden
"""


def test_crash_in_a_case_is_that_cases_failure(paper: PaperProject) -> None:
    paper.test(CRASH)
    paper.update(CPU, INK="a").assert_outcomes(passed=6, deselected=6)
    # What was pending for the case that now crashes is not cleared by the crash.
    paper.test(CRASH.replace('draw(ink="a")', 'draw(ink="z")', 1))
    paper.run(CPU, KEEP, "-k", "crash", INK="a").assert_outcomes(
        failed=1, deselected=11
    )
    paper.test(CRASH)
    result = paper.run(CPU, KEEP, "-n1", INK="b")
    result.assert_outcomes(passed=3, failed=3)
    result.stdout.fnmatch_lines(
        [
            "worker 'gw0' crashed while running 'cases/test_paper.py::test_crash[[]paper-cpu[]]'",
            "6 cases: 3 unchanged, 2 changed (1 distinct change), 1 failed (1 distinct error). compile-golden review*",
        ]
    )
    left = sorted(
        json.loads(path.read_text())["nodeid"]
        for path in (paper.path / "pending").rglob("case.json")
    )
    assert [nodeid.partition("::")[2] for nodeid in left] == [
        "test_after[3-paper-cpu]",
        "test_before[paper-cpu]",
        "test_crash[paper-cpu]",
    ]


def test_in_ci_a_crash_is_that_cases_failure_even_without_n(
    paper: PaperProject,
) -> None:
    paper.test(CRASH)
    paper.update(CPU, INK="a")
    result = paper.run(CPU, "-k", "crash or before", CI="true", INK="b")
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(["2 cases: 0 unchanged, 1 changed*, 1 failed*"])
    # A single process can still be requested.
    for own in ("-n0", "-s", "--pdb"):
        alone = paper.run(CPU, "-k", "before", own, CI="true", INK="a")
        alone.assert_outcomes(passed=1, deselected=11)
        alone.stdout.no_fnmatch_line("*created: *worker*")


HANG = """
import ctypes, time
def test_hang(draw, golden):
    try:
        {hang}
    except Exception:  # as torch does in places
        pass
    assert draw(ink="a") == golden
def test_stuck(draw, golden):
    {stuck}
    assert draw(ink="a") == golden
def test_after(draw, golden):
    assert draw(ink="a") == golden
"""
IN_PYTHON = "time.sleep(60)"
# C code that holds Python's lock and waits for its own, which no signal handler can interrupt.
IN_C = "mutex = bytes(64); [ctypes.PyDLL(None).pthread_mutex_lock(mutex) for _ in range(2)]"
# More than a case's setup takes on a shared machine.
LIMIT = "--compile-golden-timeout=5"
IS_TOLD = [
    "no result after 5 s (--compile-golden-timeout). The case was in:",
    "*time.sleep(60)*",
]


def test_hang_in_a_case_is_that_cases_failure(paper: PaperProject) -> None:
    paper.test(HANG.format(hang="pass", stuck="pass"))
    paper.update(CPU)
    paper.test(HANG.format(hang=IN_PYTHON, stuck="pass"))
    result = paper.run(CPU, LIMIT)
    result.assert_outcomes(passed=2, failed=1, deselected=3)
    result.stdout.fnmatch_lines([*IS_TOLD, "3 cases: *1 failed (1 *"])


def test_hang_outside_python_ends_only_the_worker(paper: PaperProject) -> None:
    paper.test(HANG.format(hang="pass", stuck="pass"))
    paper.update(CPU)
    paper.test(HANG.format(hang=IN_PYTHON, stuck=IN_C))
    result = paper.run(CPU, "-o", "compile_golden_timeout=5", "-n2")
    result.assert_outcomes(passed=1, failed=2)
    result.stdout.fnmatch_lines(IS_TOLD)
    result.stdout.fnmatch_lines(
        [
            "*crashed while running*test_stuck*",
            "3 cases: 1 unchanged, 0 changed, 2 failed (2 distinct errors).",
        ]
    )
    result.stderr.fnmatch_lines(
        ["Timeout (*", '*File "*test_paper.py", line 10 in test_stuck']
    )


@pytest.mark.parametrize("value", ["soon", "0", "-3", "nan"])
def test_bad_timeout_is_a_usage_error(paper: PaperProject, value: str) -> None:
    result = paper.run(f"--compile-golden-timeout={value}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        ["*--compile-golden-timeout takes a number of seconds above 0*"]
    )


def test_pytest_timeout_in_use_is_left_alone(paper: PaperProject) -> None:
    paper.test("""
import signal
def test_case(compile_target):
    assert signal.getsignal(signal.SIGALRM) == signal.SIG_DFL
""")
    (paper.path / "stand_in.py").write_text(
        "def pytest_addoption(parser):\n    parser.addoption('--timeout')\n    parser.addini('timeout', '')\n"
        "def pytest_configure(config):\n    config.pluginmanager.register(object(), 'timeout')\n"
    )
    arguments = (CPU, LIMIT, "-p", "stand_in")
    with paper.pytester._monkeypatch.context() as patch:
        patch.setenv(
            "PYTHONPATH", os.pathsep.join([str(paper.path), os.environ["PYTHONPATH"]])
        )
        paper.run(*arguments, "--timeout=9").assert_outcomes(passed=1, deselected=1)
        paper.run(*arguments).assert_outcomes(failed=1, deselected=1)
