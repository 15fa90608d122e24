"""What was found about two texts is found once, by whichever process compares them first."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pytest_compile_golden.changes.change import Change
from pytest_compile_golden.cli.choose_pending import Pending
from pytest_compile_golden.common import disk_cache
from pytest_compile_golden.formats import get_format
from pytest_compile_golden.formats.format import Format
from pytest_compile_golden.formats.line_edits import labels
from pytest_compile_golden.goldens import change_groups, pending_verdicts
from pytest_compile_golden.goldens.golden_store import same_behaviour
from pytest_compile_golden.stages import get_stage
from tests.forked import RunInProject
from tests.paper import PaperProject

GRAPH = """def graph_0(arg0_1: f32[4]):
    sin: f32[4] = aten.sin.default(arg0_1)
    return [sin]
"""
OTHER = GRAPH.replace("sin", "cos")
RENAMED = GRAPH.replace("sin:", "one:").replace("[sin]", "[one]")


class Counting:
    """Counts how often texts are compared."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.times = 0
        graph = get_format("graph")
        for name in ("edits", "canonical"):
            monkeypatch.setattr(graph, name, self._counted(getattr(graph, name)))

    def _counted(self, method: Callable[..., object]) -> Callable[..., object]:
        def counted(*texts: str) -> object:
            self.times += 1
            return method(*texts)

        return counted


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setattr(disk_cache, "_current", None)
    yield tmp_path / "cache" / "comparisons.sqlite"


def compared(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[tuple[Change, ...], bool, bool]:
    """As another process would: all that it has in memory is forgotten."""
    labels.cache_clear()
    results = disk_cache.Results(file)
    monkeypatch.setattr(disk_cache, "_current", results)
    stage = get_stage("post_grad_graph")
    same, other = (same_behaviour(stage, GRAPH, text) for text in (RENAMED, OTHER))
    edits = labels(stage.format, "#", GRAPH, OTHER)
    results.write()
    return edits, same, other


def test_texts_are_compared_once(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    labels.cache_clear()
    form = get_format("graph")
    expected = labels(form, "#", GRAPH, OTHER)
    counting = Counting(monkeypatch)
    assert compared(file, monkeypatch) == (expected, True, False) and counting.times
    counting.times = 0
    assert (
        compared(file, monkeypatch) == (expected, True, False) and counting.times == 0
    )
    # Edited code may find something else.
    monkeypatch.setattr(disk_cache, "_code", lambda: "edited")
    assert compared(file, monkeypatch) == (expected, True, False) and counting.times


@pytest.mark.parametrize(
    "content", [b"", b"not a database", b"SQLite format 3\0" + b"x" * 200]
)
def test_a_damaged_file_costs_time_only(
    file: Path, monkeypatch: pytest.MonkeyPatch, content: bytes
) -> None:
    file.parent.mkdir()
    file.write_bytes(content)
    edits, same, other = compared(file, monkeypatch)
    assert edits and same and not other


def test_a_value_that_is_not_ours_is_found_again(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = compared(file, monkeypatch)
    results = disk_cache.Results(file)
    key = disk_cache.key("edits", "graph", "#", GRAPH, OTHER)
    assert key is not None
    for value in (b"", b"[]", b"{", b'[["no-such-change", {}]]'):
        results.put(key, value)
        results.write()
        assert compared(file, monkeypatch) == first


def test_a_fork_leaves_the_database_alone(file: Path) -> None:
    results = disk_cache.Results(file)
    results.put(b"key", b"value")
    results.write()
    if (child := os.fork()) == 0:
        os._exit(results.get(b"key") is not None)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert results.get(b"key") == b"value"


def test_what_forks_find_is_known_here(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(disk_cache, "_current", disk_cache.Results(file))
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})
    labels.cache_clear()
    form, texts = (
        get_format("graph"),
        [GRAPH.replace("f32[4]", f"f32[{size}]") for size in range(5, 105)],
    )
    counting = Counting(monkeypatch)

    def edits(text: str) -> tuple[Change, ...]:
        if text == texts[1]:
            raise ValueError(text)
        return labels(form, "#", GRAPH, text)

    disk_cache.find_in_forks(edits, texts)
    asked = counting.times
    assert 0 < asked < len(texts) // 2
    labels.cache_clear()
    assert (
        all(edits(text) for text in (texts[0], *texts[2:])) and counting.times == asked
    )
    with pytest.raises(ValueError, match="f32"):
        edits(texts[1])
    # All that some of them show to be known is not asked for again.
    monkeypatch.setattr(os, "fork", lambda: pytest.fail("nothing is left to find"))
    disk_cache.find_in_forks(edits, texts[2:])


def test_what_forks_find_is_known_here_of_a_file_that_has_become_too_large(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    results = disk_cache.Results(file)
    monkeypatch.setattr(disk_cache, "_current", results)
    monkeypatch.setattr(disk_cache, "_LARGEST", 0)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})
    keys = [b"%d" % number for number in range(100)]
    disk_cache.find_in_forks(find, keys)
    assert all(results.get(key) == b"found" for key in keys)
    assert disk_cache.Results(file).get(keys[0]) is None  # the next process's


def find(key: bytes) -> None:
    results = disk_cache.results()
    assert results is not None
    if results.get(key) is None:
        results.put(key, b"found")


def test_what_cannot_be_written_now_is_written_later(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(disk_cache, "_PATIENCE", 0.01)
    results = disk_cache.Results(file)
    worker = sqlite3.connect(file, isolation_level=None)
    worker.execute("begin exclusive")
    results.put(b"key", b"value")
    results.write()
    assert results.get(b"other") is None
    worker.execute("commit")
    worker.close()
    results.write()
    assert disk_cache.Results(file).get(b"key") == b"value"


class Own(Format):
    """A format of a project."""


def test_what_a_projects_own_format_finds_is_not_kept(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    results = disk_cache.Results(file)
    monkeypatch.setattr(disk_cache, "_current", results)
    assert labels(Own(), "#", "a\n", "b\n")
    assert not results._new


def test_a_command_shows_the_same_from_what_it_remembers(
    paper: PaperProject, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    paper.test(
        "import os\ndef test_page(draw, golden):\n    assert draw(ink=os.environ.get('INK', 'a\\n')) == golden\n"
    )
    paper.update()
    paper.run("--compile-golden-pending=pending", INK="b\n")
    shown = [
        paper.command("show", "--pending=pending", "--full").outlines for _ in range(2)
    ]
    assert shown[0] == shown[1] != []
    assert (
        (tmp_path / "cache" / "pytest-compile-golden" / "comparisons.sqlite")
        .stat()
        .st_size
    )


def test_a_run_finds_ahead_what_commands_ask_about_a_failing_case(
    project: pytest.Pytester,
    compiling: RunInProject,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    project.makepyfile(
        test_case="""
        import os, torch

        def test_function(compile_stages, golden):
            compute = (torch.sin, lambda x: x.sin().cos())["TWICE" in os.environ]
            assert compile_stages(lambda x: compute(x) * 2, torch.randn(8)) == golden
        """
    )
    compiling("--snapshot-update", "-k", "sm90").assert_outcomes(passed=1)
    monkeypatch.setenv("TWICE", "")
    compiling("--compile-golden-pending=pending", "-k", "sm90").assert_outcomes(
        failed=1
    )
    kept = disk_cache.Results(
        tmp_path / "cache" / "pytest-compile-golden" / "comparisons.sqlite"
    )
    monkeypatch.setattr(disk_cache, "_current", kept)
    for module, name in ((change_groups, "case_changes"), (pending_verdicts, "judged")):
        monkeypatch.setattr(module, name, lambda *_: pytest.fail("it is found again"))
    pending = Pending(Path("pending"), None)
    assert any(
        entry.change is not None and entry.change.metrics for entry in pending.entries
    )
    assert pending.groups()
