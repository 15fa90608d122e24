"""A corpus of programs: a row for each, runs that can be stopped, what another torch version changes."""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from pytest_compile_golden import capture
from pytest_compile_golden.api.corpus_program import Program
from pytest_compile_golden.common.format_version import NORMALISER
from pytest_compile_golden.errors import (
    CompileGoldenError,
    GoldenError,
    StageNotCaptured,
    UnknownName,
)
from pytest_compile_golden.features.crater import accepted_programs, loaders, run_jobs
from pytest_compile_golden.recordings.corpus_rows import Row, Rows, TorchRows
from tests.forked import Forks
from tests.programs import mlp

REPOSITORY = Path(__file__).parents[1]
Crater = Callable[..., pytest.RunResult]

PROGRAMS = """
import os, signal, sys
import torch, tqdm


def softmax():
    return torch.softmax, (torch.randn(128, 1024), -1)

def huge():
    return (lambda x: x + 1), (torch.empty(1 << 20, 1 << 20),)  # 4 TiB

def empty():
    return (lambda x: 3), (torch.randn(8),)

def refused():
    @torch.library.custom_op("crater::refused", mutates_args=())
    def op(x: torch.Tensor) -> torch.Tensor:
        return x.clone()

    @op.register_fake
    def _(x):
        if torch.compiler.is_compiling():
            raise RuntimeError("not under a compiler")
        return torch.empty_like(x)

    return op, (torch.randn(8),)

def wrong():
    return (lambda x: x @ x), (torch.randn(2, 3),)

def value():
    return (lambda x: x + 1 if x.sum().item() > 0 else x), (torch.randn(8),)

def endless():
    while True:
        pass

def hungry():
    return bytearray(3 << 30)  # refused at once: filling memory bit by bit takes seconds where the machine is busy

def crash():
    tqdm.tqdm.get_lock().acquire()  # as torch does for each graph
    os.kill(os.getpid(), signal.SIGSEGV)

def exits():
    sys.exit(3)

def ends():
    os._exit(0)

def forks():
    os.fork()  # both processes go on
    return torch.sin, (torch.randn(8),)

def unbuilt():
    import no_such_module

def misshapen():
    return 3

def misspelt():
    return torch.sin, (torch.randn(8),), {"kernel_configs": "some"}

def programs():
    for make in (softmax, huge, empty, refused, wrong, value, endless, hungry, crash, exits, ends, forks, unbuilt):
        yield make.__name__, make

def forms():
    yield from (("misshapen", misshapen), ("misspelt", misspelt))
"""


@pytest.fixture
def crater(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, forks_with_torch: Forks
) -> Crater:
    """Runs `compile-golden crater ARGUMENTS` in a folder with a corpus."""
    (tmp_path / "corpus.py").write_text(PROGRAMS)
    (tmp_path / "output").mkdir()
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str) -> pytest.RunResult:
        return forks_with_torch.run_command(tmp_path / "output", "crater", *arguments)

    return run


def test_whatever_becomes_of_a_program_is_a_row(tmp_path: Path, crater: Crater) -> None:
    done = crater("corpus:programs", "--seconds=3", "--memory=2", "--processes=2")
    rows = {row.program: row for row in Rows(tmp_path / "crater.db").all()}
    assert {name: row.outcome for name, row in rows.items()} == {
        "softmax": "captured",
        "huge": "captured",
        "empty": "nothing compiled",
        "refused": "torch failed",
        "wrong": "eager fails too",
        "value": "needs a value",
        "endless": "out of time",
        "hungry": "out of memory",
        "crash": "torch failed",
        "exits": "eager fails too",
        "ends": "eager fails too",
        "forks": "captured",
        "unbuilt": "eager fails too",
    }
    assert (
        rows["softmax"].metrics["kernels"] == 1
        and "triton_code.py" in rows["softmax"].stages
    )
    assert (
        rows["crash"].error == "SIGSEGV"
        and rows["unbuilt"].error == "ModuleNotFoundError"
    )
    assert rows["refused"].frame.startswith("torch/")
    assert (
        "13 programs: 4 eager fails too, 3 captured, 2 torch failed, 1 needs a value"
        in done.stdout.str()
    )
    assert "    1  out of time: more than # CPU seconds" in done.stdout.str()

    before = {name: row.seconds for name, row in rows.items()}
    again = crater("corpus:programs", "--seconds=3", "--memory=2")
    assert again.stdout.lines == done.stdout.lines
    assert {
        row.program: row.seconds for row in Rows(tmp_path / "crater.db").all()
    } == before  # nothing ran again


def test_a_program_of_another_form_is_told_the_form(crater: Crater) -> None:
    [_, option, form] = crater("corpus:forms").stdout.lines
    expected = "returned a value of type int. It must take no arguments and return what to compile: `fn`, "
    assert form.startswith(f"    1  eager fails too: {expected}")
    assert (
        option
        == "    1  eager fails too: kernel_configs takes 'first' or 'all', not 'some'."
    )


@pytest.mark.parametrize(
    "wrong",
    [
        ("no_such",),
        ("corpus:forms", "--target=no-such"),
        ("--torch=no-such",),
        ("corpus:forms", "--add=x"),
    ],
)
def test_a_wrong_command_leaves_no_file(
    tmp_path: Path, crater: Crater, wrong: tuple[str, ...]
) -> None:
    assert crater(*wrong).ret == 2 and not (tmp_path / "crater.db").exists()


def test_programs_written_differently(tmp_path: Path, crater: Crater) -> None:
    (tmp_path / "spelled.py").write_text(SPELLED)
    (tmp_path / "test_case.py").write_text(
        "import torch\ndef test_sin(compile_stages):\n    compile_stages(torch.sin, torch.randn(8))\n"
    )
    done = crater("spelled:programs", "test_case.py", "--metamorphic")
    assert done.stdout.lines[0].endswith(": 3 programs: 3 captured"), done.stdout.str()
    effect = "div_softmax_pattern matches less often; prepare_softmax_pattern matches more often"
    assert done.stdout.lines[2] == f"    1  (q @ k) / c as (q / c) @ k: {effect}"
    assert (
        done.stdout.lines[3].startswith("       scores[cuda-sm90]: least_time")
        and "kernels 1 -> 2" in done.stdout.str()
    )
    rows = Rows(tmp_path / "crater.db").all()
    assert len(rows) == 17 and {row.outcome for row in rows} == {"captured"}
    # The other program has nothing to rewrite but its sum, which costs the same in both orders.
    assert (
        done.stdout.lines[1]
        == "rewritten by identities: 4 spellings, 1 program cost more in one spelling"
    )
    assert len(done.stdout.lines) == 4


def test_metrics_alone(tmp_path: Path, crater: Crater) -> None:
    crater("corpus:programs", "--program=softmax", "--metrics", "--into=numbers/n.db")
    rows = Rows(tmp_path / "numbers" / "n.db")
    [row] = rows.all()
    assert list(row.stages) == ["metrics.toml"] and row.metrics["kernels"] == 1
    crater("corpus:programs", "--program=softmax", "--into=numbers/n.db")
    [whole] = rows.all()
    assert whole.metrics == row.metrics and rows.text(whole.stages["triton_code.py"])


def test_numbers_alone_are_those_of_a_whole_capture() -> None:
    whole = capture(mlp(), torch.randn(4, 16), train=True)
    alone = capture(mlp(), torch.randn(4, 16), train=True, watch=None)
    assert alone.metrics.values == whole.metrics.values
    left_out = {"passes", "pass_diffs", "guards", "launches", "written"}
    assert left_out <= {*whole.record.entries} and not left_out & {
        *alone.record.entries
    }
    with pytest.raises(
        StageNotCaptured, match="only what its numbers count was watched"
    ):
        alone["passes"]


def test_the_reviewed_file(tmp_path: Path, crater: Crater) -> None:
    run = (
        "corpus:programs",
        "--program=softmax",
        "--program=empty",
        "--goldens=corpus.txt",
    )
    assert crater(*run, "--update").ret == 0
    assert crater(*run).ret == 0
    path = tmp_path / "corpus.txt"
    text = path.read_text()
    assert len(text.splitlines()) == 3 and '"kernels":1' in text
    path.write_text(
        text.replace('"kernels":1', '"kernels":2').replace(
            "nothing compiled", "captured"
        )
    )
    changed = crater(*run)
    assert changed.ret == 1
    changed.stdout.fnmatch_lines(
        [
            "empty?cuda-sm90?: captured -> nothing compiled",
            "softmax?cuda-sm90?: kernels 2 -> 1",
        ]
    )
    path.write_text(text.replace("normaliser ", "normaliser 9"))
    with pytest.raises(GoldenError, match="--update"):
        accepted_programs.read(path)


SPELLED = """
import torch

def scores(q, k):
    return torch.softmax(q @ k.transpose(-2, -1) / 8.0, -1)

def total(x, y):
    return x.sin() + y

def programs():
    yield "scores", lambda: (scores, (torch.randn(4, 128, 64), torch.randn(4, 128, 64)))
    yield "total", lambda: (total, (torch.randn(128), torch.randn(128)))
"""

KILLED = """
import os, random, signal, sys, time
from pathlib import Path

import torch

from pytest_compile_golden.features.crater import run_jobs
from pytest_compile_golden.api.corpus_program import Program
from pytest_compile_golden.recordings.corpus_rows import Rows
from pytest_compile_golden.features.crater.compile_row import Job

def program(number):
    return Program(f"p{number}", lambda: ((lambda x: torch.sin(x) * number), (torch.randn(8),)))

jobs = [Job(program(number), "cuda-sm90") for number in range(12)]
kept, kills = Path(sys.argv[1]), 0

def begin():
    rows = Rows(kept)
    with open("kept.txt", "a") as log:
        def keep(number, row, texts):
            rows.keep(row, texts)
            print(row.program, file=log, flush=True)
        run_jobs.run(run_jobs.left(jobs, rows.all(), "2.0", True), "2.0", keep, processes=2)

def done():
    return len(Path("kept.txt").read_text().split())

random.seed(int(sys.argv[2]))
Path("kept.txt").touch()
ended = False
while not ended and kills < 30:
    child, most = os.fork(), done() + random.randint(1, 3)
    if child == 0:
        begin()
        os._exit(0)
    while done() < most and not ended:
        time.sleep(0.01)
        ended = os.waitpid(child, os.WNOHANG)[0] != 0
    if not ended:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        kills += 1
print("killed", kills)
"""


def test_killed_at_random_nothing_is_lost_or_doubled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, forks_with_torch: Forks
) -> None:
    monkeypatch.chdir(tmp_path)
    script, kept = tmp_path / "killed.py", tmp_path / "kept.db"
    script.write_text(KILLED)
    done = forks_with_torch.run_script(tmp_path, script, str(kept), "1")
    assert done.ret == 0 and int(done.stdout.lines[-1].split()[1]) >= 4, (
        done.stderr.str()
    )
    rows = Rows(kept).all()
    assert [row.program for row in rows] == sorted(f"p{number}" for number in range(12))
    assert {row.outcome for row in rows} == {"captured"}
    # What was kept before a kill was not done again after it.
    logged = Path("kept.txt").read_text().split()
    assert sorted(logged) == sorted({*logged})


SAMPLE = """
import torch
from torch import device

class GraphModule(torch.nn.Module):
    def forward(self, L_w_: torch.nn.Parameter, s0: torch.SymInt, L_x_: torch.Tensor, L_i_: torch.Tensor):
        bias = torch.arange(0, 16, device=device(type="cuda", index=0))
        return torch.nn.functional.linear(L_x_, L_w_)[L_i_] + bias + torch.ones((), device=device(type="cpu"))
"""
META = "class {0}:\n    name = '{0}'\n    shape = {1}\n    dtype = 'torch.{2}'\n    device = '{3}'\n    data = {4}\n"


@pytest.mark.wide
def test_corpora_on_disk(tmp_path: Path, crater: Crater) -> None:
    bench = tmp_path / "bench" / "level1"
    bench.mkdir(parents=True)
    (bench / "1_Linear.py").write_text(
        "import torch\nclass Model(torch.nn.Linear): ...\n"
        "def get_inputs(): return [torch.randn(4, 8)]\ndef get_init_inputs(): return [8, 16]\n"
    )
    (bench / "helpers.py").touch()
    sample = tmp_path / "samples" / "net"
    sample.mkdir(parents=True)
    (sample / "model.py").write_text(SAMPLE)
    (sample / "weight_meta.py").write_text(
        META.format("L_w_", [16, 8], "float32", "cuda:0", None)
        + META.format("s0", [], "int64", "cpu", [4])
    )
    (sample / "input_meta.py").write_text(
        META.format("L_x_", [4, 8], "float32", "cuda:0", None)
        + META.format("L_i_", [2], "int64", "cuda:0", [0, 3])
    )
    on_cpu = tmp_path / "samples" / "on_cpu"
    on_cpu.mkdir()
    (on_cpu / "model.py").write_text(
        SAMPLE.replace('device(type="cuda", index=0)', 'device(type="cpu")')
    )
    for file in ("weight_meta.py", "input_meta.py"):
        (on_cpu / file).write_text((sample / file).read_text().replace("cuda:0", "cpu"))
    (tmp_path / "test_suite.py").write_text(
        "import torch\ndef test_sin(compile_stages):\n    assert not compile_stages(torch.sin, torch.randn(8))\n"
        "def test_nothing():\n    pass\n"
    )
    (tmp_path / "models.txt").write_text("bert  # small enough\n\n")
    crater("bench", "samples", "test_suite.py", "models.txt")
    rows = {row.program: row for row in Rows(tmp_path / "crater.db").all()}
    assert {name: row.outcome for name, row in rows.items()} == dict.fromkeys(
        [
            "level1/1_Linear",
            "samples/net",
            "samples/on_cpu",
            "test_suite.py::test_sin",
            "transformers/bert",
        ],
        "captured",
    ), [row.reason for row in rows.values()]
    assert rows["transformers/bert"].metrics["graphs"] == 1


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            "yield 'a', print; raise ValueError('no such file')",
            "raised ValueError: no such file\n  at .*broken.py:2: ",
        ),
        (
            "yield 'only an id'",
            r"yielded 'only an id'. It must yield pairs \(id, make\)",
        ),
        ("return None", "raised TypeError: 'NoneType' object is not iterable"),
    ],
)
def test_a_source_that_is_broken_says_where(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str, message: str
) -> None:
    (tmp_path / "broken.py").write_text(f"def programs():\n    {body}\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "broken", raising=False)
    with pytest.raises(CompileGoldenError, match=message):
        loaders.programs(["broken:programs"])
    with pytest.raises(
        UnknownName,
        match=r"there is no function in broken 'other'\. Available: programs",
    ):
        loaders.programs(["broken:other"])


class Mine:
    name = "mine"

    def programs(self, source: str) -> list[Program] | None:
        return (
            [Program("one", lambda: None), Program("two", lambda: None, 5)]
            if source == "mine"
            else None
        )


def test_a_loader_of_your_own() -> None:
    loaders.register_loader(Mine())
    try:
        assert [program.id for program in loaders.programs(["mine"])] == ["one", "two"]
        with pytest.raises(UnknownName, match="two programs are called one"):
            loaders.programs(["mine", "mine"])
        with pytest.raises(
            UnknownName,
            match=r"not a source of programs. There are loaders for: function, .*, mine",
        ):
            loaders.programs(["no such thing"])
    finally:
        loaders._loaders.remove("mine")


def test_parts_for_several_machines() -> None:
    programs = [Program(f"p{number}", lambda: None, number + 1) for number in range(20)]
    seconds = {"p0": 50.0, "p1": 30.0}
    parts = [run_jobs.shard(programs, number, 3, seconds) for number in (1, 2, 3)]
    assert sorted(program.id for part in parts for program in part) == sorted(
        program.id for program in programs
    )
    each = run_jobs.expected(programs, seconds)
    loads = [sum(each[program.id] for program in part) for part in parts]
    assert max(loads) - min(loads) <= max(each.values())
    assert each["p4"] == pytest.approx(5 * 80 / 3)


def test_rows_of_several_files(tmp_path: Path) -> None:
    for name, program in (("one", "a"), ("two", "b")):
        rows = Rows(tmp_path / name)
        rows.keep_side(TorchRows("2.13.0", None, "3.11", "Linux", None))
        rows.keep(
            Row(
                program,
                "2.13.0",
                "cuda-sm90",
                "captured",
                NORMALISER,
                stages={"x.txt": name},
            ),
            {name: "text"},
        )
        rows.close()
    rows = Rows(tmp_path / "one")
    rows.add(Rows(tmp_path / "two"))
    assert [row.program for row in rows.all()] == ["a", "b"] and rows.text(
        "two"
    ) == "text"
    (tmp_path / "other").write_text(
        "not a file of rows at all, but long enough to look like one"
    )
    with pytest.raises(GoldenError, match="is not a file of crater"):
        Rows(tmp_path / "other")
    with sqlite3.connect(tmp_path / "two") as file:
        file.execute("pragma user_version = 99")
    with pytest.raises(GoldenError, match="format 99"):
        Rows(tmp_path / "two")


def test_a_cosmetic_difference_is_as_accepted(tmp_path: Path) -> None:
    def compared(text: str) -> list[tuple[str, str]]:
        row = Row(
            "a",
            "2.13.0",
            "cuda-sm90",
            "captured",
            NORMALISER,
            stages={"post_grad_graph.py": text},
        )
        return accepted_programs.compared(tmp_path / "corpus.txt", [row], texts.get)

    graph = "def graph_0(x: f32[8]):\n    sin: f32[8] = aten.sin.default(x)\n    return (sin,)\n"
    comment = "    # f: torch.sin(a)\n"
    renamed = (
        graph.replace("(x", "(a")
        .replace("    sin:", f"{comment}    y:")
        .replace("(sin,)", "(y,)")
    )
    texts = {
        "old": graph,
        "renamed": renamed,
        "other": graph.replace("aten.sin", "aten.cos"),
    }
    row = Row(
        "a",
        "2.13.0",
        "cuda-sm90",
        "captured",
        NORMALISER,
        stages={"post_grad_graph.py": "old"},
    )
    accepted_programs.write(tmp_path / "corpus.txt", [row], "2.13.0", texts.get)
    assert compared("old") == compared("renamed") == []
    assert compared("other") == [("bad", "a[cuda-sm90]: differs: post_grad_graph.py")]
