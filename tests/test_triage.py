"""`compile-golden triage`: a bare script, judged on one page."""

from __future__ import annotations

import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from pytest_compile_golden.errors import CompileGoldenError
from pytest_compile_golden.facts.numerics import Difference, Numerics
from pytest_compile_golden.features.triage import issue_text, script_runs, triage_page
from pytest_compile_golden.features.triage.script_runs import Triage
from pytest_compile_golden.report.styled_lines import Line
from tests.forked import Forks

# The pass is a compiler that is wrong, and the backend one that draws other random numbers.
WRONG = """
import torch
import torch._inductor.config as config

def cosine(graph):
    for node in graph.nodes:
        if node.target is torch.ops.aten.sin.default:
            node.target = torch.ops.aten.cos.default

config.post_grad_custom_post_pass = cosine


@torch.compile(backend="inductor")
def f(x):
    print("a break")
    return x.sin() + 1


@torch.compile(backend="aot_eager_decomp_partition")
def seeded(x):
    torch.manual_seed(0)
    return torch.nn.functional.dropout(x)


dropout = torch.compile(torch.nn.Dropout(0.5), backend="aot_eager_decomp_partition")
f(torch.randn(8))
f(torch.randn(9))
dropout(torch.randn(4, 8))
seeded(torch.randn(4, 8))
"""
FAILS = """
import torch


@torch.compile(backend="eager", fullgraph=True)
def f(x):
    print("a break")
    return x + 1


f(torch.ones(3))
"""

ON_A_GPU = """
import torch

layer = torch.nn.Linear(8, 4).cuda().half()
torch.compile(lambda x: layer(x).relu().sum(-1))(torch.randn(3, 8, device="cuda", dtype=torch.float16))
"""

# Two results are kept, with their history, until both are used.
RECORDED = """
import torch

f = torch.compile(lambda x: x.sin() * 2, mode="reduce-overhead")
x = torch.ones(8, device="cuda", requires_grad=True)
(f(x) + f(x)).sum().backward()
print(x.grad)
"""

WRONG_KERNEL = """
import torch
from torch._inductor.codegen.triton import TritonOverrides

torch.set_default_device("cuda")
TritonOverrides.sin = staticmethod(lambda x: f"tl_math.cos({x})")
torch.compile(torch.sin)(torch.zeros(8))
"""

LEFT = """
import torch


def by(change):
    return torch.compile(backend=lambda graph, inputs: lambda *args: change(graph, args), dynamic=False)


def untracked(graph, args):
    with torch.no_grad():
        return graph(*args)


@by(lambda graph, args: tuple(result.t().contiguous().t() for result in graph(*args)))
def strides(x):
    return x + 1


@by(lambda graph, args: tuple(result.clone() for result in graph(*args)))
def memory(x):
    return x.view(-1)


@by(untracked)
def gradient(x):
    return x * 2


@by(lambda graph, args: graph(*[argument.clone() for argument in args]))
def written(x):
    x.add_(1)
    return x * 2


@by(lambda graph, args: graph(*args))
def right(x):
    x.add_(1)
    return x.t(), x[1:], x * 2


@by(lambda graph, args: tuple(result.double() for result in graph(*args)))
def drawn(x):
    return x * torch.rand(5)


for function in (strides, memory, written, right):
    function(torch.randn(4, 5))
gradient(torch.randn(4, 5, requires_grad=True))
for number in range(2, 11):
    memory(torch.randn(number, 1))
drawn(torch.randn(4, 5))
"""

SLOW = """
import os
import signal
import subprocess
import time
os.environ["SET_BY_THE_SCRIPT"] = "9.9"
import torch
def forever():
    {}
forever()
"""


def lines(
    *found: Triage, cause: tuple[str, ...] = (), script: Path = Path("issue.py")
) -> str:
    shown: list[Line] = triage_page.page(script, found, cause)
    return "\n".join(text for _, text in shown)


def triaged(tmp_path: Path, source: str, python: Path = Path(sys.executable)) -> Triage:
    script = tmp_path / "issue.py"
    script.write_text(source)
    return script_runs.triage("here", python, script, 300, print)


@pytest.fixture
def forking(tmp_path: Path, forks_with_bare_torch: Forks) -> Path:
    """Passes for a Python that has yet to import torch, for scripts; what is given it with `-c` is run as it is."""
    python, before = (
        tmp_path / "python",
        Path(__file__).with_name("torch_unimported.py"),
    )
    fork = forks_with_bare_torch.python
    python.write_text(
        f'#!/bin/sh\n[ "$1" = -c ] || set -- "{before}" "$@"\nexec "{fork}" "$@"\n'
    )
    python.chmod(0o755)
    return python


@pytest.mark.wide
def test_wrong_values_breaks_and_recompilations(tmp_path: Path, forking: Path) -> None:
    found = triaged(tmp_path, WRONG, forking)
    assert found.part == "inductor"
    assert [check.verdict for check in found.ran.checks] == [
        "compiled is wrong",
        "compiled is wrong",
        "not compared",
        "not compared",
    ]
    text = lines(found)
    assert (
        "recompiled     1" in text
        and "size mismatch at index 0. expected 8, actual 9" in text
    )
    assert "graph breaks   2" in text and 'f: print("a break")' in text
    assert (
        "f: output: 8 of 8 elements differ; worst at" in text
        and "Dropout: it draws random numbers" in text
        and "seeded: it draws random numbers" in text
    )
    assert script_runs.PARTS["inductor"] in text


@pytest.mark.wide
def test_what_a_call_leaves_is_compared_and_a_limit_is_no_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, forking: Path
) -> None:
    # Which part it comes from takes two more processes; the test above asks for that.
    monkeypatch.setattr(script_runs, "_part", lambda *_: None)
    found = triaged(tmp_path, LEFT, forking)
    checks = {check.function: check for check in found.ran.checks[:5]}
    told = {
        name: [f"{each.what}: {each.sentence}" for each in check.found]
        for name, check in checks.items()
    }
    assert {name: check.verdict for name, check in checks.items()} == {
        "strides": "other strides",
        "memory": "compiled is wrong",
        "written": "compiled is wrong",
        "right": "same",
        "gradient": "compiled is wrong",
    }
    assert told["strides"] == [
        "output: compiled has strides (1, 4), eager (5, 1); not every version promises them"
    ]
    assert told["memory"] == [
        "output: compiled has its own memory, eager is a view of input 0"
    ]
    assert told["gradient"] == ["output: compiled has requires_grad False, eager True"]
    assert any(
        text.startswith("input 0 after the call: 20 of 20 elements differ")
        for text in told["written"]
    )
    # Random numbers, whatever they are, have the dtype of eager.
    drawn = found.ran.checks[-1]
    assert (drawn.function, drawn.verdict) == ("drawn", "compiled is wrong")
    assert [each.kind for each in drawn.found] == ["dtype"]
    text = lines(found)
    assert (
        "issue.py::memory is not recompiled any more after 8 compiles: other calls run in eager mode"
        in text
    )
    assert "does not compile" not in text and "outside_dynamo" not in text
    assert "other strides in 1 call" in text


JUDGED = """
import torch


def wrong(x):
    return x.to(torch.float8_e4m3fn).float() * 2


def dropped(graph, inputs):
    return lambda x: (x * 2,)


torch.compile(wrong, backend=dropped)(torch.tensor([4.26, 1.0]))
torch.compile(lambda x: x.half().float() * 2, backend=dropped)(torch.tensor([4.26, 1.0]))


@torch.compile(mode="max-autotune-no-cudagraphs")
def overflows(x):
    return x * 300 * 300 / 300


overflows(torch.tensor([1.0, 300.0, 2.0], dtype=torch.float16))


accepts = torch.compile(torch.index_add, backend=lambda graph, inputs: lambda x, index, source: (x * 2,))
accepts(torch.zeros(4), 0, torch.tensor([0, -1]), torch.ones(2))
"""


def test_the_judge_is_that_of_numerics(tmp_path: Path, forking: Path) -> None:
    """A cast to float8 is the program's own; one to half precision, or its range, may be left out."""
    script, into = tmp_path / "issue.py", tmp_path / "found.json"
    script.write_text(JUDGED)
    driver = Path(script_runs.__file__).with_name("judge_script.py")
    subprocess.run(
        [forking, driver, script, into, "600"],
        check=True,
        cwd=tmp_path,
    )
    ran = msgspec.json.decode(into.read_bytes(), type=script_runs.ScriptRun)
    verdicts = [
        "compiled is wrong",
        "differs as fusion may",
        "differs as fusion may",
        "accepted",
    ]
    assert [check.verdict for check in ran.checks] == verdicts, ran
    assert (
        "with emulate_precision_casts it is as in eager"
        in ran.checks[2].found[0].reason
    )


def test_the_line_is_the_innermost_of_the_script_or_of_a_file_beside_it(
    tmp_path: Path,
) -> None:
    frames = [
        (f"{tmp_path}/issue.py", 4, "<module>", "helper.run()"),
        (f"{tmp_path}/helper.py", 7, "run", "f(x)"),
        (
            f"{tmp_path}/venv/lib/python3.12/site-packages/einops/einops.py",
            1,
            "rearrange",
            "raise",
        ),
        ("<eval_with_key>.3", 1, "<lambda>", "lambda x: x"),
        ("/usr/lib/python3.12/runpy.py", 1, "run_path", "run()"),
    ]
    trace = "".join(
        f'  File "{file}", line {line}, in {name}\n    {code}\n'
        for file, line, name, code in frames
    )
    ran = script_runs.ScriptRun("2.13.0", "ValueError: no", trace, ())
    shown = triage_page.page(
        tmp_path / "issue.py", [Triage("here", ran, None, None)], ()
    )
    assert [text.strip() for _, text in shown if " in " in text] == [
        "helper.py, line 7, in run: f(x)"
    ]


def test_a_line_that_is_cut_shows_it(tmp_path: Path) -> None:
    """A number of which digits are missing reads as another."""
    script = tmp_path / "issue.py"
    script.write_text("print(1)\n")
    long = "x" * 137 + " -2.79536"
    ran = script_runs.ScriptRun("2.13.0", f"ValueError: {long}", "", ())
    found = [Triage("here", ran, None, None)]
    (shown,) = [text for _, text in triage_page.page(script, found, ()) if "xx" in text]
    assert shown.endswith("x…")
    assert "x… |" in issue_text.text(script, found, ())


def test_what_a_virtual_gpu_computes_is_said_where_its_values_are_shown(
    tmp_path: Path,
) -> None:
    """They are not what the kernels of the card would compute."""
    script = tmp_path / "issue.py"
    script.write_text("print(1)\n")
    here = Triage(
        "here", script_runs.ScriptRun("2.13.0", None, "", (), "1"), None, None
    )
    told = "Run on a virtual h100, compiled as for the card: "
    assert told not in issue_text.text(script, [here], ())
    on_gpu = replace(here, gpu="h100")
    assert told in issue_text.text(script, [on_gpu, on_gpu], ())
    assert [text for _, text in triage_page.page(script, [on_gpu], ())][1].startswith(
        told
    )


@pytest.mark.wide
def test_a_script_for_a_gpu(tmp_path: Path) -> None:
    """In a process of its own, which has the GPU from when it imports torch."""
    script = tmp_path / "issue.py"
    script.write_text(ON_A_GPU)
    found = script_runs.triage(
        "this torch", Path(sys.executable), script, 300, lambda text: None, "h100"
    )
    assert found.ran.problem is None and [
        check.verdict for check in found.ran.checks
    ] == ["same"], found.ran
    (interpreted,) = found.ran.interpreted
    assert interpreted.endswith("calls of compiled graphs computed by their kernels")
    assert found.trace is not None and [case.target for case in found.trace.cases] == [
        "cuda"
    ]


@pytest.mark.wide
def test_calls_that_are_made_to_compare_leave_results_of_cuda_graphs_alone(
    tmp_path: Path, forking: Path
) -> None:
    script = tmp_path / "issue.py"
    script.write_text(RECORDED)
    found = script_runs.triage(
        "this torch", forking, script, 300, lambda _: None, "h100"
    )
    assert found.ran.problem is None, found.ran
    assert [(check.verdict, check.not_compared) for check in found.ran.checks] == [
        ("same", ()),
        ("same", ()),
    ]


@pytest.mark.wide
@pytest.mark.parametrize(
    ("values", "verdict"), [("kernels", "compiled is wrong"), ("graph", "same")]
)
def test_a_wrong_kernel_is_seen_where_kernels_are_run(
    tmp_path: Path, forking: Path, values: script_runs.Values, verdict: str
) -> None:
    """The graph has the sine that the program asks for; what is generated for it is a cosine.

    What the comparison makes for itself is on the CPU, whatever device the script has by default.
    """
    script = tmp_path / "issue.py"
    script.write_text(WRONG_KERNEL)
    found = script_runs.triage(
        "this torch", forking, script, 300, lambda _: None, "h100", values
    )
    assert [check.verdict for check in found.ran.checks] == [verdict], found.ran
    assert found.part == ("inductor" if values == "kernels" else None)
    shown = "\n".join(text for _, text in triage_page.page(script, [found], ()))
    assert ("kernels are not run" in shown) == (values == "graph")
    assert ("  virtual GPU    2 calls of" in shown) == (values == "kernels")


def test_a_script_that_fails(tmp_path: Path, forks: Forks) -> None:
    (tmp_path / "issue.py").write_text(FAILS)
    result = forks.run_command(tmp_path, "triage", str(tmp_path / "issue.py"))
    assert result.ret == 1
    result.stdout.fnmatch_lines(
        [
            "  runs           no: Unsupported: *",
            '*line 7, in f: print("a break")',
            "*Dynamo: it is there*",
        ]
    )


@pytest.mark.wide
def test_the_program_itself_is_wrong(tmp_path: Path, forking: Path) -> None:
    script = "import torch\ntorch.ones(3)[5]\n"
    assert triaged(tmp_path, script, forking).part == "program"
    with pytest.raises(CompileGoldenError, match="Name an interpreter that has torch"):
        script_runs.triage(
            "here", tmp_path / "no python", tmp_path / "issue.py", 300, print
        )


def test_a_script_that_ends_with_a_status_of_its_own_does_not_fail_without_the_compiler(
    tmp_path: Path, forking: Path
) -> None:
    """Scripts of issues say by it whether the problem is there."""
    report = triaged(tmp_path, FAILS + "raise SystemExit(1)\n", forking)
    assert report.part == "dynamo" and "print" in str(report.ran.problem)
    assert triaged(tmp_path, "raise SystemExit(1)\n").part == "program"


def test_a_script_that_takes_too_long_is_told_as_far_as_it_came(tmp_path: Path) -> None:
    """`torch` is one that takes no time to import, and says what was in its environment when that happened."""
    (tmp_path / "torch.py").write_text(
        "import os\n__version__ = os.environ['SET_BY_THE_SCRIPT']\ncompile = None\n"
    )
    script = tmp_path / "issue.py"
    script.write_text(SLOW.format("time.sleep(1000)"))
    found = script_runs.triage("here", Path(sys.executable), script, 1, print)
    text = lines(found, script=script)
    assert (
        "torch 9.9" in text
        and "no: it takes more than 1 s; give it more with --timeout" in text
    )
    assert (
        "line 9, in forever: time.sleep(1000)" in text
        and script_runs.PARTS["program"] in text
    )


def test_a_script_that_is_stuck_is_ended_with_its_children(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(script_runs, "_GRACE_S", 1.0)
    (tmp_path / "torch.py").write_text("__version__ = '9.9'\ncompile = None\n")
    script = tmp_path / "issue.py"
    child = "subprocess.run(['sh', '-c', 'echo $$ > child; exec sleep 1000'])"
    script.write_text(
        SLOW.format(f"signal.signal(signal.SIGALRM, signal.SIG_IGN); {child}")
    )
    found = script_runs.triage("here", Path(sys.executable), script, 1, print)
    assert (
        found.ran.problem
        == "it takes more than 1 s and is stuck; give it more with --timeout"
    )
    status = Path("/proc", (tmp_path / "child").read_text().strip(), "status")
    until = time.monotonic() + 60
    while (
        status.exists()
        and "zombie" not in status.read_text()
        and time.monotonic() < until
    ):
        time.sleep(0.1)
    assert time.monotonic() < until


def test_a_call_that_must_be_refused_is_right_where_it_fails() -> None:
    accepted = Difference(
        "a call", "the call", "refusal", "accepts", "eager raises IndexError"
    )
    check = Numerics("f", "this machine", (accepted,), 1, 0)
    ran = script_runs.ScriptRun("2.13.0", None, "", (check,))
    refused = script_runs.ScriptRun("2.13.0", "IndexError: index out of range", "", ())
    assert (
        script_runs._part(
            ran, lambda how, _: ran if how == "inductor" else refused, print, "here"
        )
        == "inductor"
    )
    assert (
        script_runs._part(
            ran, lambda how, _: ran if how == "aot_eager" else refused, print, "here"
        )
        == "aot_autograd"
    )
    assert (
        script_runs._part(
            refused,
            lambda how, _: refused if how == "aot_eager" else ran,
            print,
            "here",
        )
        == "aot_autograd"
    )


def side(torch: str, problem: str | None) -> Triage:
    return Triage(
        torch,
        script_runs.ScriptRun(torch, problem, "", ()),
        None,
        "inductor" if problem else None,
    )


def test_the_version_that_changed_it() -> None:
    good, bad = side("2.13.0", None), side("2.15.0", "AssertionError: no")
    text = lines(
        good, side("2.14.1", None), bad, cause=("post_grad_graph: fused no more",)
    )
    assert "between torch 2.14.1 and 2.15.0\n  post_grad_graph: fused no more" in text
    assert "between" not in lines(good, good) and "between" not in lines(bad, bad)
    assert "between torch 2.13.0 and 2.15.0" in lines(bad, good)
