"""What is named as the cause of a change, in real compiles with something planted in the compiler."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any

import pytest
import torch
import torch._dynamo
import torch._inductor.choices
import torch._inductor.config
import torch._inductor.decomposition
import torch._inductor.fx_passes.joint_graph
import torch._inductor.lowering
import torch._inductor.scheduler
import torch.nn.functional as F
from torch._inductor.codegen import triton

from pytest_compile_golden import Capture, capture
from pytest_compile_golden.formats.metrics.printed import changes as metric_changes
from pytest_compile_golden.goldens.compare_artifact import Compared, compare
from pytest_compile_golden.goldens.first_divergence import cause
from pytest_compile_golden.goldens.golden_header import Header
from pytest_compile_golden.goldens.golden_paths import GoldenPath
from pytest_compile_golden.goldens.golden_store import StoredGolden
from pytest_compile_golden.goldens.severity import judged
from pytest_compile_golden.report import (
    failure_text,
    json_report,
    markdown,
    terminal_report,
)
from pytest_compile_golden.report.case_groups import grouped
from pytest_compile_golden.report.case_report import first_words
from pytest_compile_golden.report.model import Report, Side
from pytest_compile_golden.stages import get_stage
from tests.sides import reported
from tests.trails import trail


def test_two_causes_are_both_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def program(x: torch.Tensor) -> torch.Tensor:
        return torch.softmax(x.sin() * torch.ones_like(x), -1) + 1

    def compiled() -> Capture:
        return capture(program, torch.randn(64, 128), target="cuda-sm90")

    old = compiled()
    with monkeypatch.context() as patch:
        patch.setattr(
            torch._inductor.fx_passes.joint_graph,
            "constant_fold_uniform_value",
            lambda graph: None,
        )
        harmless = reported(old, compiled()).divergence
        patch.setattr(
            torch._inductor.scheduler.Scheduler, "can_fuse", lambda *_, **__: False
        )
        case = reported(old, compiled())
    assert harmless is not None and harmless.also is None
    first = case.divergence
    assert first is not None and first.text.startswith(
        "joint / constant_fold_uniform_value: "
    )
    assert first.also == "scheduler / fuse_nodes: was 3 -> 1 nodes, now does nothing"
    assert first.also_where is not None and first.also_where.startswith(
        "torch/_inductor/scheduler.py:"
    )

    lines = [
        text for _, text in failure_text.render(failure_text.Failure(case, "2.13.0"))
    ]
    assert lines[2] == f"  also (unrelated)  {first.also}   {first.also_where}"
    groups = grouped([case])
    report = Report("this", Side("old"), Side("new"), (case,), groups)
    assert json_report.parse(json_report.render(report), "here") == report
    # In an overview they are two distinct changes, besides the FLOPs that neither is known to move.
    assert sorted(
        (group.stage, group.members) for group in groups if group.is_change
    ) == [
        ("joint_graph", (case.nodeid,)),
        ("scheduler_nodes", (case.nodeid,)),
    ]
    lines = [text for _, text in terminal_report.render(report)]
    positions = [
        next(at for at, line in enumerate(lines) if group.text in line)
        for group in groups
    ]
    assert positions == sorted(positions) and all(
        group.text in markdown.render(report) for group in groups
    )


def test_changes_of_what_is_kept_as_a_digest_are_put_into_words(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def program(x: torch.Tensor) -> torch.Tensor:
        y = F.gelu(x)
        return y @ x @ x @ x

    def compiled() -> Capture:
        return capture(program, torch.randn(64, 64), target="cuda-sm90")

    old = compiled()
    with torch._inductor.config.patch(allow_buffer_reuse=False):
        first = reported(old, compiled()).divergence
    assert (
        first is not None
        and first.text == "wrapper_code: 2 more allocations, 2 fewer reuses"
    )
    with monkeypatch.context() as patch:
        patch.setattr(F, "gelu", torch._dynamo.disable(F.gelu))
        case = reported(old, compiled())
    first = case.divergence
    assert first is not None and not first.yours
    assert first.text == (
        "new graph break: Skip calling `torch.compiler.disable()`d function, at `program: y = F.gelu(x)`"
    )
    assert first.where is not None and first.where.startswith(
        "test_first_divergence.py:"
    )


def test_a_changed_kernel_is_not_blamed_on_who_wrote_its_lines(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A function that wrote a line wrote what others decided."""

    def compiled() -> Capture:
        return capture(
            lambda x: torch.maximum(x.sin(), -x) + 1,
            torch.randn(64, 128),
            target="cuda-sm90",
        )

    old = compiled()
    with monkeypatch.context() as patch:
        patch.setattr(
            triton.TritonOverrides,
            "maximum",
            staticmethod(lambda a, b: f"other_maximum({a}, {b})"),
        )
        case = reported(old, compiled())
    first = case.divergence
    assert (
        first is not None
        and first.text.startswith("triton_code: ")
        and "other_maximum" in first.text
    )
    assert first.where is None and [change.where for change in case.changes] == [None]


def test_a_lost_fusion_is_not_blamed_on_who_refused_it() -> None:
    def compiled() -> Capture:
        return capture(
            lambda x: torch.softmax(x.sin(), -1) + 1,
            torch.randn(64, 128),
            target="cuda-sm90",
        )

    old = compiled()
    with torch._inductor.config.patch(max_fusion_size=1):
        case = reported(old, compiled())
    assert case.divergence is not None and case.divergence.text.startswith(
        "scheduler / fuse_nodes: "
    )
    assert [(change.topic, change.where) for change in case.changes] == [
        ("fusion", None)
    ]


def _three_maxima(x: torch.Tensor) -> torch.Tensor:
    """On a CPU this is one kernel, in which the maxima share a loop."""
    a, b, c = (each.amax(-1, keepdim=True) for each in (x, x * 3, x / 0.7))
    y = ((x - a) / b * c).exp()
    return y / y.sum(-1, keepdim=True)


def test_a_change_that_only_the_loops_of_a_kernel_show_is_the_schedulers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def compiled() -> Capture:
        return capture(_three_maxima, torch.randn(64, 512), target="cpu-avx2")

    old = compiled()
    scheduler = torch._inductor.scheduler.Scheduler
    possible = scheduler.get_possible_fusions
    with monkeypatch.context() as patch:
        patch.setattr(
            scheduler,
            "get_possible_fusions",
            lambda *args, **kwargs: possible(*args, **kwargs)[::-1],
        )
        turned = compiled()
    first = reported(old, turned).divergence
    assert (
        first is not None
        and first.text
        == "scheduler / fuse_nodes: aten.mul runs earlier, before aten.amax"
    )


def test_a_step_before_fusion_is_not_blamed_for_its_input(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def compiled() -> Capture:
        return capture(
            lambda x: F.layer_norm(x, (512,)), torch.randn(64, 512), target="cpu-avx2"
        )

    two_steps = compiled()
    monkeypatch.setattr(
        torch._inductor.lowering, "use_two_step_variance", lambda *_, **__: False
    )
    welford = compiled()
    case = reported(two_steps, welford)
    assert case.divergence is not None
    assert case.divergence.text.startswith(
        "Inductor's IR has welfordreduction x2 in place of reduction x2"
    )
    assert any(
        "dead_node_elimination" in each.name and each.new for each in case.ledger
    )
    back = reported(welford, two_steps).divergence
    assert back is not None and back.text.startswith(
        "Inductor's IR has reduction x2 in place of welfordreduction x2"
    )

    monkeypatch.setattr(
        torch._inductor.scheduler.Scheduler,
        "dead_node_elimination",
        lambda scheduler: None,
    )
    skipped = reported(welford, compiled()).divergence
    assert skipped is not None and skipped.text.startswith(
        "scheduler / dead_node_elimination: "
    )


def test_what_follows_from_the_graph_is_not_a_second_cause(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def compiled(axis: int) -> Capture:
        return capture(
            lambda x: (x.sin() + 1).sum(axis), torch.randn(64, 128), target="cuda-sm90"
        )

    first = reported(compiled(0), compiled(1)).divergence
    assert first is not None and first.also is None


def _activated(
    name: str, *shape: int, dtype: torch.dtype = torch.float32, train: bool = False
) -> Capture:
    """A capture of `f` from its own file; torch quotes lines from the file."""
    source = f"def f(x):\n    y = x.sin()\n    return F.{name}(y)\n"
    file = Path(tempfile.mkdtemp()) / "model.py"
    file.write_text(source)
    scope: dict[str, Any] = {"F": torch.nn.functional}
    exec(compile(source, str(file), "exec"), scope)
    return capture(
        scope["f"],
        torch.zeros(*(shape or (64, 128)), dtype=dtype),
        target="cuda-sm90",
        train=train,
    )


@pytest.mark.parametrize("train", [False, True], ids=["inference", "training"])
def test_inputs_of_another_shape_are_not_a_change_in_torch(train: bool) -> None:
    case = reported(
        _activated("relu", 64, 128, train=train),
        _activated("relu", 640, 128, train=train),
    )
    first = case.divergence
    assert first is not None and first.yours
    assert first.text == "your inputs changed: f32[64, 128] -> f32[640, 128]"
    # Either way the bytes at least double; neither torch nor anybody else made it worse.
    assert (
        "changed" in {metric.verdict for metric in case.metrics} <= {"same", "changed"}
    )


def test_a_changed_program_is_reported_as_such() -> None:
    old, new = _activated("relu"), _activated("silu")
    case = reported(old, new)
    first = case.divergence
    assert first is not None and first.yours
    assert first.text == "your program changed: F.relu -> F.silu"
    assert first.where == "model.py:3"
    assert case.metrics and {metric.verdict for metric in case.metrics} <= {
        "same",
        "changed",
    }


def test_a_changed_compiler_is_not_mistaken_for_a_changed_program(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    old = _activated("gelu")
    with monkeypatch.context() as patch:
        patch.setattr(
            torch._inductor.scheduler.Scheduler, "can_fuse", lambda *_, **__: False
        )
        patch.setitem(
            torch._inductor.decomposition.decompositions,
            torch.ops.aten.gelu.default,
            _rough_gelu,
        )
        case = reported(old, _activated("gelu"))
    assert case.divergence is not None and not case.divergence.yours
    assert case.divergence.text.startswith("aot / aten.gelu is decomposed into sigmoid")


def _rough_gelu(x: torch.Tensor, approximate: str = "none") -> torch.Tensor:
    return x * torch.sigmoid(x * 1.702)


GRAPH = "def graph_0(x: f32[4]):\n    # {}\n    y: f32[4] = aten.{}.default(x)\n    return (y,)\n"
TRAIL = "dynamo_graph     3 nodes  {}\naot_graph        3 nodes  {}\npost_grad_graph  3 nodes  {}\n"


def _texts(stage: str, old: str, new: str) -> Compared:
    path = GoldenPath(
        PurePosixPath("case/cuda-sm90"), stage, get_stage(stage).extension
    )
    change = compare(
        get_stage(stage),
        path,
        StoredGolden(path.versionless, Header(stage, "2.13.0", None), old),
        new,
    )
    assert change is not None
    return change


@pytest.mark.parametrize(
    ("line", "digest", "expected"),
    [
        ("f: return F.silu(x)", "b", "your program changed: F.gelu -> F.silu"),
        (
            "f: return F.gelu(x) + 1",
            "b",
            "your program changed: return F.gelu(x) -> return F.gelu(x) + 1",
        ),
        (
            "f: return F.silu(x)",
            "a",
            "aot_graph: ",
        ),  # only the quoted line: Dynamo captured the same as before
        (
            "g: return F.silu(x)",
            "b",
            "dynamo_graph: same size, different contents",
        ),  # another frame is quoted
    ],
)
def test_lines_of_the_program_count_if_dynamo_captured_something_else(
    line: str, digest: str, expected: str
) -> None:
    graphs = GRAPH.format("f: return F.gelu(x)", "gelu"), GRAPH.format(line, "silu")
    trails = (
        trail(TRAIL.format(*(each * 10 for each in digests)))
        for digests in ("acc", f"{digest}dd")
    )
    found = cause([_texts("post_grad_graph", *graphs), _texts("trail", *trails)])
    assert found is not None and first_words(found).startswith(expected)
    assert found.program == expected.startswith("your")


def test_an_edit_is_shown_as_it_is_written() -> None:
    graphs = (
        GRAPH.format("f: y = x * 2", "gelu"),
        GRAPH.format("f: y = x * x.max()", "silu"),
    )
    found = cause([_texts("dynamo_graph", *graphs)])
    assert (
        found is not None and first_words(found) == "your program changed: 2 -> x.max()"
    )


@pytest.mark.parametrize("on", ["new", "old", "both"])
def test_what_only_one_torch_compiles_after_a_break_is_not_an_edit(on: str) -> None:
    before, after = (
        GRAPH.format("f: y = F.gelu(x)", "gelu"),
        GRAPH.format("torch_dynamo_resume_in_f: return g(y)", "cos"),
    )
    pair = (before, before + after.replace("graph_0", "graph_1"))
    if on == "both":
        pair = (pair[1].replace("g(y)", "h(y)"), pair[1])
    trails = (
        trail(TRAIL.format(*(each * 10 for each in digests)))
        for digests in ("acc", "bdd")
    )
    found = cause(
        [
            _texts("post_grad_graph", *(pair[::-1] if on == "old" else pair)),
            _texts("trail", *trails),
        ]
    )
    assert found is not None and found.program == (on == "both")


@pytest.mark.parametrize("order", ["c0de", "d0de"])
def test_a_line_that_torch_dropped_with_its_node_is_not_an_edit(order: str) -> None:
    added = (
        "    # f: y = x + 0\n    zero: f32[4] = aten.add.Tensor(x, 0)\n    # f: return"
    )
    new = GRAPH.format("f: return F.gelu(y)", "gelu")
    old = new.replace("    # f: return", added).replace("default(x)", "default(zero)")
    # Dynamo's graph differs, such as in a stride that torch now knows, and calls the same operators in the same order.
    before = trail(TRAIL.format(f"{'a' * 8}  # order c0de", "c" * 8, "c" * 8))
    after = trail(TRAIL.format(f"{'b' * 8}  # order {order}", "d" * 8, "d" * 8))
    found = cause([_texts("post_grad_graph", old, new), _texts("trail", before, after)])
    assert found is not None and found.program == (order == "d0de")


def test_a_line_that_torch_quotes_as_its_own_is_not_an_edit() -> None:
    """Of a `sum` over a generator, torch 2.15 quotes a function of its own for what is added."""
    line = "y = sum(F.gelu(x) for x in xs)"
    quoted = "    # f: x = x.sin()\n    sin: f32[4] = torch.sin(x)\n"
    quoted += f"    # <genexpr>: {line}\n    gelu_1: f32[4] = F.gelu(x)\n"
    old, new = (
        GRAPH.format(added, call).replace("    # ", f"{quoted}    # ", 1)
        for added, call in ((f"f: {line}", "gelu"), ("add: return a + b", "silu"))
    )
    found = cause([_texts("dynamo_graph", old, new)])
    assert found is not None and not found.program


def test_gradients_of_results_are_no_inputs_of_the_user() -> None:
    """Torch lays them out as it lays out the results."""
    old, new = (
        GRAPH.format("f: return F.gelu(x)", "gelu").replace(
            "x: f32[4]", f"x: f32[4], tangents_1: f32[4, 4]{strides}"
        )
        for strides in ("", "[1, 4]")
    )
    trails = (
        trail(TRAIL.format(*(each * 10 for each in one))) for one in ("acc", "bdd")
    )
    found = cause([_texts("joint_graph", old, new), _texts("trail", *trails)])
    assert found is not None and not found.program


@pytest.mark.parametrize(
    ("inputs", "digest", "expected"),
    [
        ("x: f32[8]", "b", "your inputs changed: f32[4] -> f32[8]"),
        ("x: bf16[4]", "b", "your inputs changed: f32[4] -> bf16[4]"),
        (
            "x: f32[8]",
            "a",
            "aot_graph: ",
        ),  # Dynamo captured the same as before: torch lifts something else
        ("x: f32[s77]", "b", "dynamo_graph: same size"),  # torch made a size dynamic
        ("x: f32[4], s77: Sym", "b", "dynamo_graph: same size"),
    ],
)
def test_inputs_count_if_dynamo_was_given_something_else(
    inputs: str, digest: str, expected: str
) -> None:
    old = GRAPH.format("f: return F.gelu(x)", "gelu")
    trails = (
        trail(TRAIL.format(*(each * 10 for each in digests)))
        for digests in ("acc", f"{digest}dd")
    )
    found = cause(
        [
            _texts("post_grad_graph", old, old.replace("x: f32[4]", inputs)),
            _texts("trail", *trails),
        ]
    )
    assert found is not None and first_words(found).startswith(expected)
    assert found.program == expected.startswith("your")


LEDGER = """\
graph_0:
  post_grad post_grad_custom_post_pass / mine        9 -> {}  # model.py:7
      pattern fuse_mine: matched {}  # model.py:9
      -aten.mul.Tensor x{}
"""


def test_a_pattern_of_the_project_that_matches_less_is_not_a_win() -> None:
    ours = _texts("passes", LEDGER.format(7, 2, 2), LEDGER.format(8, 1, 1))
    with_other_author = replace(ours, old=ours.old.replace("model.py", "torch/a.py"))
    with_other_author = replace(
        with_other_author, new=ours.new.replace("model.py", "torch/a.py")
    )
    graph = _texts(
        "post_grad_graph", GRAPH.format("f: x", "gelu"), GRAPH.format("f: x", "silu")
    )
    numbers = metric_changes(
        {"kernels": 2, "extern_kernels": 1}, {"kernels": 3, "extern_kernels": 0}
    )

    def verdicts(*changes: Compared) -> list[str]:
        return [each.verdict for each in judged(numbers, cause(changes), changes)]

    assert verdicts(ours, graph) == ["changed", "changed"]  # it is the first divergence
    assert verdicts(with_other_author, graph) == ["WIN", "REGRESSION"]
    trails = (
        trail(TRAIL.format(*(each * 10 for each in digests)))
        for digests in ("aab", "acc")
    )
    assert verdicts(ours, graph, _texts("trail", *trails)) == ["changed", "REGRESSION"]
