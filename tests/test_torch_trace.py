"""TORCH_TRACE folders as sides: a trace says what a capture of the same compile says, and two traces make a report."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_compile_golden.common.installed_torch import torch_version
from pytest_compile_golden.environments import sides
from pytest_compile_golden.errors import SideFailed, UnknownSide
from pytest_compile_golden.facts.graphs import GraphKey
from pytest_compile_golden.recordings import torch_trace
from pytest_compile_golden.recordings.recording import Recording
from pytest_compile_golden.recordings.torch_trace import logged_graphs
from pytest_compile_golden.recordings.torch_trace.logged_compiles import STAGES
from pytest_compile_golden.report.compare_recordings import report
from pytest_compile_golden.stages import get_stage
from tests.forked import Forks

# torch looks at TORCH_TRACE when it is imported, which a fork has done before.
TRACED = """
import os, sys
from pathlib import Path

import torch
import torch.nn.functional as F
from torch._logging import _internal

os.environ["TORCH_TRACE"] = sys.argv[1]
_internal.LOG_TRACE_HANDLER = None
_internal._init_logs()
"""
CAPTURES = (
    TRACED
    + """
from pytest_compile_golden import capture


def normalised(x, w):
    y = F.layer_norm(x @ w, (w.shape[1],))
    y += 1
    return F.gelu(y).view(-1, 4).split(2, 1)[0].flip(0), -y, y[1:, ::2], y.amax(), ~(y > 0)


def loss(x, w):
    return F.cross_entropy((x @ w).relu(), x.argmax(-1))


def branches(x, flag):
    return torch.cond(flag.sum() > 0, lambda x: x.sin(), lambda x: x.cos() + 1, (x,))


def breaks(x):
    y = x.sin()
    print("now", end="")
    return y.cos()


into = Path(sys.argv[2])
for name, options in {"normalised": {}, "loss": {"train": True}, "branches": {}, "breaks": {}}.items():
    inputs = {
        "normalised": (torch.randn(32, 64), torch.randn(64, 128)),
        "loss": (torch.randn(32, 64, requires_grad=True), torch.randn(64, 64, requires_grad=True)),
        "branches": (torch.randn(64), torch.randn(2)),
        "breaks": (torch.randn(64),),
    }[name]
    captured = capture(globals()[name], *inputs, target=sys.argv[3], **options)
    folder = into / name
    folder.mkdir(parents=True)
    for stage in sys.argv[4].split(","):
        if stage in captured:
            (folder / stage).write_text(str(captured[stage]))
"""
)


@pytest.fixture
def script(
    tmp_path: Path, forks_with_torch: Forks, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Path]:
    monkeypatch.chdir(tmp_path)

    def run(source: str, trace: str, *arguments: str) -> Path:
        path = tmp_path / "prog.py"
        path.write_text(source)
        result = forks_with_torch.run_script(tmp_path, path, trace, *arguments)
        assert result.ret == 0, result.stderr.str()
        return tmp_path / trace

    return run


@pytest.mark.parametrize("target", ["cuda-sm90", "cpu-avx2"])
def test_a_trace_says_what_a_capture_says(
    target: str, script: Callable[..., Path], tmp_path: Path
) -> None:
    recorded = torch_trace.read(
        script(CAPTURES, "trace", "captured", target, ",".join(STAGES))
    )
    by_function = {case.nodeid.partition("::")[2]: case for case in recorded.cases}
    assert [*by_function] == [
        "branches",
        "breaks",
        "loss",
        "normalised",
        "torch_dynamo_resume_in_breaks",
    ]
    compared = set()
    for name in ("branches", "loss", "normalised"):
        case = by_function[name]
        assert (
            case.target == target.partition("-")[0]
            and not case.unavailable
            and case.outcome == "passed"
        )
        for artifact in case.artifacts:
            of = get_stage(artifact.stage).format
            said = (tmp_path / "captured" / name / artifact.stage).read_text()
            # What is saved is an output; the trace does not say which.
            if artifact.stage == "forward_graph":
                said = "".join(
                    line for line in said.splitlines(True) if "_saves = [" not in line
                )
            if artifact.stage == "metrics":
                numbers, all_numbers = of.numbers(artifact.text), of.numbers(said)
                assert (
                    numbers and all_numbers and numbers.items() <= all_numbers.items()
                )
            elif artifact.stage != "guards":  # a trace has them in another form
                assert of.canonical(artifact.text) == of.canonical(said), (
                    name,
                    artifact.stage,
                )
            compared.add(artifact.stage)
    assert {
        "dynamo_graph",
        "aot_graph",
        "backward_graph",
        "post_grad_graph",
        "wrapper_code",
        "metrics",
    } <= compared
    assert ("triton_code" if target == "cuda-sm90" else "cpp_code") in compared
    assert (
        by_function["breaks"].text("graph_breaks")
        == (tmp_path / "captured" / "breaks" / "graph_breaks").read_text()
    )
    assert "check_tensor(L['x']" in (by_function["normalised"].text("guards") or "")


PROGRAM = (
    TRACED
    + """
torch._inductor.config.pattern_matcher = "unmatched" not in sys.argv


def step(x, w):
    return (x + SALT).sin() @ w + w[0]


@torch.compile
def again(x):
    return x.sin() + x.shape[0]


torch.compile(step, dynamic=False)(torch.randn(8, 512), torch.randn(512, 16))
for size in (4, 5):
    again(torch.randn(size))
"""
)


@pytest.fixture(scope="module")
def traces(tmp_path_factory: pytest.TempPathFactory, forks_with_torch: Forks) -> Path:
    """A folder with traces of three runs of one program: `old`, `new` with another setting, `warm` like `old`."""
    folder = tmp_path_factory.mktemp("traces")
    path = folder / "prog.py"
    # No other run of these tests has filled a cache with it.
    path.write_text(PROGRAM.replace("SALT", str(os.getpid())))
    for trace, *arguments in (["old"], ["warm"], ["new", "unmatched"]):
        result = forks_with_torch.run_script(
            folder, path, str(folder / trace), *arguments
        )
        assert result.ret == 0, result.stderr.str()
    return folder


def test_two_traces_are_compared(
    traces: Path, forks: Forks, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for side in ("old", "new"):
        shutil.copytree(traces / side, side)
    result = forks.run_command(
        tmp_path, "diff", "--trace", "old", "new", "--format=json"
    )
    assert result.ret == 1
    told = json.loads(result.stdout.str())
    (changed,) = [case for case in told["cases"] if case["outcome"] == "changed"]
    assert changed["nodeid"] == "prog.py::step"
    assert [
        case["nodeid"] for case in told["cases"] if case["outcome"] != "changed"
    ] == [
        "prog.py::again",
        "prog.py::again (compile 2)",
    ]
    assert {
        told["stages"][number]["stage"]
        for number in changed["stages"]
        if told["stages"][number]["kind"] == "structural"
    } >= {"post_grad_graph"}
    (kernels,) = [
        metric for metric in changed["metrics"] if metric["name"] == "kernels"
    ]
    assert (kernels["old"], kernels["new"]) == (1, 2)
    assert any("aten.addmm" in group["text"] for group in told["groups"])
    (again,) = [
        case
        for case in torch_trace.read(tmp_path / "old").cases
        if case.nodeid.endswith("(compile 2)")
    ]
    assert "size mismatch at index 0. expected 4, actual 5" in (
        again.text("recompiles") or ""
    )
    # What a trace shows cannot be searched for causes: it has no case to compile again.
    release = str(torch_version()).partition("+")[0]
    for log in (tmp_path / "old").glob("*.log"):
        # As torch writes its own version, which has a local part that its package may lack.
        log.write_text(
            re.sub(rf"{re.escape(release)}(\+\w+)?", "2.9.0", log.read_text())
        )
    words = forks.run_command(tmp_path, "diff", "--trace", "old", "new").stdout.str()
    assert "torch 2.9.0 (old) against" in words and "compile-golden prove" not in words
    # A folder is recognised without being announced.
    assert forks.run_command(tmp_path, "diff", "old", "old").ret == 0


def test_a_cache_hit_is_not_a_difference(traces: Path) -> None:
    cold, warm = (torch_trace.read(traces / name) for name in ("old", "warm"))
    assert all("cache_hit" in case.unavailable["pre_grad_graph"] for case in warm.cases)
    assert not any(case.unavailable for case in cold.cases)
    assert not report(cold, warm, "cold", "warm").differs


def event(fields: dict[str, object], payload: str = "") -> str:
    lines = "".join(f"\t{line}\n" for line in payload.splitlines())
    return f"V1125 00:50:00.000000 7 torch/x.py:1] {json.dumps(fields)}\n{lines}"


def start(frame: int, rank: int | None = None) -> str:
    of_rank = {} if rank is None else {"rank": rank}
    ids = {"frame_id": frame, "frame_compile_id": 0, "attempt": 0, **of_rank}
    stack = [{"line": 3, "name": "f", "filename": 0}]
    return event({"str": ["/x/model.py", 0]}) + event(
        {"dynamo_start": {"stack": stack}, **ids}
    )


def trace(folder: Path, **logs: str) -> Recording:
    folder.mkdir(exist_ok=True)
    for name, text in logs.items():
        (folder / f"dedicated_log_torch_trace_{name}.log").write_text(text)
    return torch_trace.read(folder)


def test_ranks_are_cases_of_their_own(tmp_path: Path) -> None:
    recorded = trace(tmp_path, rank_0_a=start(0, 0), rank_1_b=start(0, 1))
    assert [case.target for case in recorded.cases] == ["cpu-rank0", "cpu-rank1"]
    with pytest.raises(
        UnknownSide, match="neither says its rank: name one of its files"
    ):
        trace(tmp_path / "no_ranks", a=start(0), b=start(0))


def test_a_frame_that_did_not_compile_and_one_that_cannot_be_read(
    tmp_path: Path,
) -> None:
    ids = {"frame_id": 0, "frame_compile_id": 0, "attempt": 0}
    text = start(0) + event(
        {"dynamo_output_graph": {}, **ids},
        "class GraphModule(torch.nn.Module):\n    def forward(",
    )
    failed = {
        "compilation_metrics": {
            "fail_type": "BackendCompilerFailed",
            "fail_reason": "no",
        },
        **ids,
    }
    (case,) = trace(tmp_path, a="not of the trace\n" + text + event(failed)).cases
    assert (case.outcome, case.message) == ("failed", "BackendCompilerFailed: no")
    assert "cannot be read" in case.unavailable["dynamo_graph"]


def test_what_is_no_trace_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(SideFailed, match="TORCH_TRACE=nowhere"):
        sides.traced("nowhere")
    with pytest.raises(UnknownSide, match="TORCH_TRACE="):
        torch_trace.read(tmp_path)
    (tmp_path / "other.log").write_text("something else\n")
    with pytest.raises(UnknownSide, match="is not a log that torch wrote"):
        torch_trace.read(tmp_path / "other.log")


@pytest.mark.parametrize(
    "text",
    [
        event({"str": [1]}),
        event({"dynamo_start": None, "frame_id": 0}),
        event(
            {
                "dynamo_start": {"stack": [{"line": "x", "name": [], "filename": {}}]},
                "frame_id": 0,
            }
        ),
        event({"dynamo_start": {"stack": []}, "frame_id": 0, "attempt": "many"}),
        start(0)
        + event({"compilation_metrics": [], "frame_id": 0, "frame_compile_id": 0}),
        "V1125 ] {" + '{"a": ' * 100_000,
    ],
)
def test_a_damaged_trace_is_one_error(tmp_path: Path, text: str) -> None:
    with pytest.raises(UnknownSide, match=r"is damaged|not a log that torch wrote"):
        trace(tmp_path, a=text)


def test_operators_are_read_back() -> None:
    text = """
class <lambda>(torch.nn.Module):
    def forward(self, L_x_: "f32[2, s0][s0, 1]cuda:0", s0: "Sym(s0)"):
        l_x_ = L_x_
        # File: /x/model.py:3 in f, code: return x
        a: "f32[2, s0][1, 2]cuda:0" = -l_x_;  l_x_ = None
        b = a < 3
        c = a.shape
        a += b;  d = a
        a[(0, slice(None, 2, None))] = b;  e = a;  b = e = None
        return (d, c)
"""
    graph = logged_graphs.read(text, GraphKey(0))
    assert [(node.op, node.target, node.args) for node in graph.nodes] == [
        ("placeholder", "L_x_", ()),
        ("placeholder", "s0", ()),
        ("call_function", "operator.neg", ("l_x_",)),
        ("call_function", "operator.lt", ("a", "3")),
        ("call_function", "getattr", ("a", "'shape'")),
        ("call_function", "operator.iadd", ("a", "b")),
        ("call_function", "operator.setitem", ("a", "(0, slice(None, 2, None))", "b")),
        ("output", "output", ("(d, c)",)),
    ]
    assert [getattr(graph.nodes[at].type, "contiguous", None) for at in (0, 2)] == [
        True,
        False,
    ]
    assert (graph.nodes[2].code, graph.nodes[2].location) == (
        "f: return x",
        "model.py:3",
    )
