"""What another torch version changes over a corpus of programs: on a terminal, in reports and on a site."""

from __future__ import annotations

import base64
import json
import re
import zlib
from pathlib import Path

import msgspec
import pytest

from pytest_compile_golden.common.format_version import NORMALISER
from pytest_compile_golden.features.crater import compare_corpora
from pytest_compile_golden.recordings.corpus_rows import Row, Rows, TorchRows
from tests.forked import Forks

OTHER = """
import sys
from pathlib import Path

import torch

from pytest_compile_golden.features.crater import run_jobs
from pytest_compile_golden.api.corpus_program import Program
from pytest_compile_golden.recordings.corpus_rows import Rows, TorchRows
from pytest_compile_golden.features.crater.compile_row import Job

def unfused(x):
    y = torch.softmax(x, -1)
    torch._dynamo.graph_break()
    return y * 2

def fails(x):
    raise RuntimeError("gone")

X = lambda: torch.randn(128, 1024)
PROGRAMS = {
    "2.13.0": {"a/same": torch.sin, "a/broken": lambda x: torch.softmax(x, -1) * 2, "a/failing": torch.cos},
    "2.15.0": {"a/same": torch.sin, "a/broken": unfused, "a/failing": fails},
}
rows = Rows(Path(sys.argv[1]))
for version, programs in PROGRAMS.items():
    rows.keep_side(TorchRows(version, "3.7.1", "3.11.0", "Linux", None))
    jobs = [Job(Program(name, lambda fn=fn: (fn, (X(),))), "cuda-sm90") for name, fn in programs.items()]
    run_jobs.run(jobs, version, lambda number, row, texts: rows.keep(row, texts), processes=1)
"""


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory, forks_with_torch: Forks) -> Path:
    """A folder with the rows of two torch versions.

    Programs that differ stand for a torch that does: what is compared is what two torches would have left.
    """
    folder = tmp_path_factory.mktemp("corpus")
    script = folder / "other.py"
    script.write_text(OTHER)
    assert (
        forks_with_torch.run_script(folder, script, str(folder / "crater.db")).ret == 0
    )
    return folder


def rows_of(page: Path) -> str:
    """What a page lists, unpacked."""
    (packed,) = re.findall(
        r'<script type="text/plain" id="rows">(.*?)</script>', page.read_text(), re.S
    )
    return zlib.decompress(base64.b64decode(packed)).decode()


def test_what_another_torch_changes(
    corpus: Path, monkeypatch: pytest.MonkeyPatch, forks_with_torch: Forks
) -> None:
    monkeypatch.chdir(corpus)
    reports = ("--report=r.html", "--report=r.json", "--report=r.md")
    done = forks_with_torch.run_command(
        corpus, "crater", "--torch=2.13.0", "--torch=2.15.0", *reports
    )
    text = done.stdout.str()
    assert done.ret == 1 and len(done.stdout.lines) <= 50
    assert "3 cases: 1 unchanged, 1 changed" in text and "1 failed" in text
    assert "torch 2.15.0: 3 programs: 2 captured, 1 eager fails too" in text
    assert "graph_breaks    0 -> 1; 1 more, 0 less" in text
    assert (
        "kernels         2 -> 3 (+50.00 %); 1 more, 0 less; new/old at 0/5/50/95/100 %: 1 1 1 2 2"
        in text
    )
    assert "a/failing[cuda-sm90]" in text and "a/broken[cuda-sm90]" in text
    one = forks_with_torch.run_command(
        corpus, "crater", "--torch=2.13.0", "--torch=2.15.0", "--program=*/same"
    )
    assert one.ret == 0 and "torch 2.15.0: 1 program: 1 captured" in one.stdout.str()
    unknown = forks_with_torch.run_command(
        corpus, "crater", "--torch=2.13.0", "--torch=2.14.0"
    )
    assert (
        unknown.ret == 2
        and "no torch version with rows '2.14.0'" in unknown.stderr.str()
    )
    other = forks_with_torch.run_command(corpus, "diff", "crater.db", "2.15.0")
    assert (
        other.ret == 2
        and "`compile-golden crater --into crater.db`" in other.stderr.str()
    )
    report = json.loads((corpus / "r.json").read_text())
    assert {case["nodeid"]: case["outcome"] for case in report["cases"]} == {
        "a/same[cuda-sm90]": "same",
        "a/broken[cuda-sm90]": "changed",
        "a/failing[cuda-sm90]": "error",
    }
    assert (
        "a/broken" in rows_of(corpus / "r.html")
        and "a/broken" in (corpus / "r.md").read_text()
    )
    told = "graph_breaks    0 -> 1; 1 more, 0 less"
    assert any(told in note for note in report["notes"])
    assert all(
        "1 more, 0 less" in (corpus / name).read_text() for name in ("r.html", "r.md")
    )


def test_a_site_shows_the_verdict_over_a_corpus_per_release(
    corpus: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    forks_with_torch: Forks,
) -> None:
    monkeypatch.chdir(corpus)
    site = tmp_path / "site"
    made = forks_with_torch.run_command(corpus, "site", "crater.db", f"--into={site}")
    assert made.stdout.lines[0] == "2.13.0: 3 cases" and made.stdout.lines[
        1
    ].startswith("2.15.0: 3 cases: 1 unchanged")
    index = (site / "index.html").read_text()
    assert (
        "graph_breaks    0 -&gt; 1; 1 more, 0 less" in index
        and "2.15.0: 3 programs: 2 captured" in index
    )
    assert "a/broken[cuda-sm90]" in index and "a/same[cuda-sm90]" not in index
    assert "<figcaption>kernels</figcaption>" in index
    assert "a/broken" in rows_of(site / "reports" / "1.html")

    rows = Rows(corpus / "crater.db")
    rows.keep_side(
        TorchRows(
            "2.16.0", "3.8.0", "3.11.0", "Linux", None, "2026-11-01T09:00:00+00:00"
        )
    )
    for row in rows.all():
        if row.torch == "2.15.0":
            rows.keep(msgspec.structs.replace(row, torch="2.16.0"), {})
    rows.close()
    more = forks_with_torch.run_command(corpus, "site", "crater.db", f"--into={site}")
    assert [line.partition(":")[2] for line in more.stdout.lines[:2]] == [
        " already on the site"
    ] * 2
    assert more.stdout.lines[2].startswith("2.16.0: 3 cases: 2 unchanged")
    assert (
        "<updated>2026-11-01T09:00:00+00:00</updated>"
        in (site / "feed.xml").read_text()
    )

    Rows(tmp_path / "other.db").keep_side(
        TorchRows("2.17.0", None, "3.11.0", "Linux", None)
    )
    refused = forks_with_torch.run_command(
        tmp_path, "site", str(tmp_path / "other.db"), f"--into={site}"
    )
    assert refused.ret == 2 and "other.db '2.16.0'" in refused.stderr.str()


def test_the_same_cause_is_one_line() -> None:
    rows = [
        Row(
            name,
            "2.13.0",
            "cuda-sm90",
            "torch failed",
            NORMALISER,
            reason=f"E: size {name}, at m.py:{name}: f()",
        )
        for name in ("1", "2")
    ]
    assert len({compare_corpora.cause(row) for row in rows}) == 1
    rows = [
        Row(
            name,
            "2.13.0",
            "cuda-sm90",
            "nothing compiled",
            NORMALISER,
            reason=f"All break: at {name}.py:3: no {name}",
        )
        for name in ("1", "2")
    ]
    assert {compare_corpora.cause(row) for row in rows} == {
        "nothing compiled: All break: no #"
    }
