"""Backends other than Inductor: unknown ones, ones that get no graph, and their own stages."""

from __future__ import annotations

import pytest
import torch

from pytest_compile_golden import capture
from pytest_compile_golden.errors import (
    CaptureFailed,
    InvalidOption,
    NothingCompiled,
    UnknownBackend,
)
from tests.forked import RunInProject


def test_an_unknown_backend_is_reported_with_close_matches() -> None:
    with pytest.raises(
        UnknownBackend, match="there is no backend 'eagr'; did you mean 'eager'"
    ):
        capture(torch.sin, torch.randn(4), target="cpu-avx2", backend="eagr")


def test_a_backend_that_gets_no_graph_is_reported() -> None:
    with pytest.raises(NothingCompiled, match="0 compilations captured"):
        capture(lambda x: 3, torch.randn(4), target="cpu-avx2", backend="eager")


def test_a_backend_that_returns_nothing_callable_is_reported() -> None:
    with pytest.raises(
        CaptureFailed,
        match=r"(?s)compiler_fn did not return callable.*returns what to call",
    ):
        capture(
            torch.sin,
            torch.randn(4),
            target="cpu-avx2",
            backend=lambda module, inputs: None,
        )


def test_inductors_numbers_are_left_out() -> None:
    values = capture(
        torch.sin, torch.randn(4), target="cuda-sm90", backend="aot_eager"
    ).metrics.values
    assert values["graphs"] == 1
    assert (
        not {"kernels", "extern_kernels", "bytes_accessed", "ir_nodes"} & values.keys()
    )


def test_a_function_that_compiles_itself_is_called_as_it_is() -> None:
    def of_two(x: torch.Tensor) -> torch.Tensor:
        compiled = [
            torch.compile(torch.sin, fullgraph=True),
            torch.compile(torch.cos, mode="reduce-overhead"),
        ]
        return compiled[0](x) + compiled[1](x)

    captured = capture(of_two, torch.randn(4), target="cuda-sm90", backend=None)
    assert captured.metrics.graphs == captured.kernels == 2
    assert (
        captured["post_grad_graph"].count("aten.sin")
        == captured["post_grad_graph"].count("aten.cos")
        == 1
    )
    assert not captured["post_grad_graph"].has("aten.add")  # which runs between them

    with pytest.raises(NothingCompiled, match="0 compilations captured"):
        capture(torch.sin, torch.randn(4), target="cpu-avx2", backend=None)
    for option in ({"mode": "reduce-overhead"}, {"dynamic": True}, {"export": True}):
        with pytest.raises(
            InvalidOption,
            match=f"{next(iter(option))}=.*captured with backend=None calls itself",
        ):
            capture(
                torch.sin, torch.randn(4), target="cpu-avx2", backend=None, **option
            )


WHOLE = """
import pytest
import torch


@pytest.mark.compile_golden(target="cpu-avx2")
@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
def test_sine(compile_stages, golden, backend):
    assert compile_stages(lambda x: x + x.sin(), torch.randn(4), backend=backend) == golden
"""


def test_the_graph_that_a_backend_receives_is_checked(
    project: pytest.Pytester, compiling: RunInProject
) -> None:
    case = project.makepyfile(test_mine=WHOLE)
    compiling("--snapshot-update").assert_outcomes(passed=2)
    graphs = {
        path.name: path.read_text()
        for path in project.path.glob("goldens/**/*_graph.py")
    }
    assert graphs.keys() == {"dynamo_graph.py", "aot_graph.py"}
    assert "aten.sin.default" in graphs["aot_graph.py"]
    case.write_text(WHOLE.replace("x + x.sin()", "x + x.cos()"))
    compiling().assert_outcomes(failed=2)


# As in docs/export.md.
CONFTEST = """
from pytest_compile_golden.observe.probe import register_probe
from pytest_compile_golden.stages import Stage, register_stage

register_stage(Stage("my_ir", "what my backend makes of a graph", after="aot_graph"))


class MyIr:
    stages = ("my_ir",)
    requires = ("my_backend:lowered",)

    def install(self, hooks, recorder):
        hooks.after("my_backend:lowered", lambda ir, module: recorder.add("my_ir", ir))


register_probe(MyIr())
"""
BACKEND = """
from torch._dynamo.backends.common import aot_autograd


def lowered(module):
    return "\\n".join(str(node.target) for node in module.graph.nodes if node.op == "call_function")


def compiled(module, inputs):
    lowered(module)
    return module.forward


my_backend = aot_autograd(fw_compiler=compiled)
"""
CASE = """
import pytest
import torch
from my_backend import my_backend


@pytest.mark.compile_golden(target="cpu-avx2", backend=my_backend)
def test_sine(compile_stages, golden):
    captured = compile_stages(lambda x: torch.sin(x) + 1, torch.randn(4))
    assert captured["my_ir"] == golden
"""


def test_a_backend_has_its_own_stages(
    project: pytest.Pytester, compiling: RunInProject
) -> None:
    project.makeconftest(CONFTEST)
    project.makepyfile(my_backend=BACKEND, test_mine=CASE)
    compiling("--snapshot-update").assert_outcomes(passed=1)
    (written,) = project.path.glob("goldens/**/my_ir.txt")
    assert written.read_text().endswith("aten.sin.default\naten.add.Tensor\n")
    compiling().assert_outcomes(passed=1)
    shouting = BACKEND.replace("str(node.target)", "str(node.target).upper()")
    project.makepyfile(my_backend=shouting)
    compiling().assert_outcomes(failed=1)
