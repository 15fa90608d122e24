"""Graph breaks: one of every common kind, each with Dynamo's reason for it, and programs that have none."""

import contextlib
import copy
import inspect
import logging
import random
import time
import warnings
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from pytest_compile_golden.errors import CaptureFailed, NothingCompiled
from pytest_compile_golden.typing import CompileStages, Golden

# Dynamo traces bytecode, which is the same for every target; on a virtual GPU no tensor has a value to branch on.
pytestmark = pytest.mark.compile_golden(target="cpu-avx2")

log = logging.getLogger(__name__)


def value_of_a_tensor(x: Tensor) -> Tensor:
    return x * x.sum().item()


def list_of_a_tensor(x: Tensor) -> Tensor:
    return x + len(x.sin().tolist())


def branch_on_a_tensor(x: Tensor) -> Tensor:
    y = x.sin()
    return y + 1 if y.sum() > 0 else y.cos()


def assertion_on_a_tensor(x: Tensor) -> Tensor:
    y = x.sin()
    if not torch.all(y < 2):
        raise ValueError("too large")
    return y.cos()


def size_from_values(x: Tensor) -> Tensor:
    return x.sin().nonzero() * 2


def selected_by_a_mask(x: Tensor) -> Tensor:
    return x[x > 0] * 2


def printed(x: Tensor) -> Tensor:
    y = x.sin()
    print("between")
    return y.cos()


def logged(x: Tensor) -> Tensor:
    y = x.sin()
    log.debug("between")
    return y.cos()


def warned(x: Tensor) -> Tensor:
    y = x.sin()
    warnings.warn("between", stacklevel=1)
    return y.cos()


@torch.compiler.disable(reason="for its side effects")
def disabled(x: Tensor) -> Tensor:
    return x * 2


def disabled_function(x: Tensor) -> Tensor:
    return disabled(x.sin()).cos()


def builtin_function(x: Tensor) -> Tensor:
    y = x.sin()
    time.sleep(0)
    return y.cos()


def text_of_a_tensor(x: Tensor) -> Tensor:
    y = x.sin()
    return y.cos() + len(str(y.shape) + str(y)) * 0


def seeded(x: Tensor) -> Tensor:
    y = x.sin()
    torch.manual_seed(0)
    return y.cos()


def stack_inspected(x: Tensor) -> Tensor:
    y = x.sin()
    return y.cos() + len(inspect.stack()) * 0


def code_executed(x: Tensor) -> Tensor:
    made: dict[str, Any] = {}
    exec("def f(x): return x + 1", made)
    return made["f"](x.sin())


def class_made(x: Tensor) -> Tensor:
    class Point(tuple[int, ...]):
        __slots__ = ()

    return x.sin() + len(Point((1, 2)))


def copied(x: Tensor) -> Tensor:
    return copy.copy(x.sin()) + 1


def inside_a_try(x: Tensor) -> Tensor:
    try:
        y = value_of_a_tensor(x)
    except ValueError:
        y = x
    return y.cos()


def inside_a_callee(x: Tensor) -> Tensor:
    return value_of_a_tensor(x.sin()).cos()


BREAKS: tuple[tuple[Callable[[Tensor], Tensor], str], ...] = (
    (value_of_a_tensor, "Tensor.item() call with capture_scalar_outputs=False"),
    (list_of_a_tensor, "Tensor.tolist() with non-integer tensor"),
    (branch_on_a_tensor, "Data-dependent branching"),
    (assertion_on_a_tensor, "Data-dependent branching"),
    (size_from_values, "Dynamic shape operator"),
    (selected_by_a_mask, "Dynamic shape operator"),
    (printed, "Failed to trace builtin operator"),
    (logged, "logging.Logger method not supported"),
    (warned, "_warnings.warn"),
    (disabled_function, "for its side effects"),
    (builtin_function, "time.sleep"),
    (text_of_a_tensor, "repr() on tensor" if torch.__version__ >= "2.14" else "builtin operator `str`"),
    (seeded, "manual_seed"),
    (stack_inspected, "_getframe"),
    (code_executed, "exec"),
    (class_made, "__build_class__"),
    (copied, "torch.* op returned non-Tensor"),
    (inside_a_try, "Tensor.item() call"),
    (inside_a_callee, "Tensor.item() call"),
)


@pytest.mark.filterwarnings("ignore:Dynamo does not know how to trace", "ignore:between")
@pytest.mark.parametrize(("program", "reason"), BREAKS, ids=[program.__name__ for program, _ in BREAKS])
def test_break(program: Callable[[Tensor], Tensor], reason: str, compile_stages: CompileStages, golden: Golden) -> None:
    """Each break has its expected reason, and the code around it is still compiled."""
    captured = compile_stages(program, torch.ones(8))
    assert any(reason in each for each in captured["graph_breaks"].reasons)
    assert captured["graph_breaks"] == golden


@contextlib.contextmanager
def context() -> Iterator[None]:
    yield


def inside_a_context(x: Tensor) -> Tensor:
    with context():
        y = x.sin()
        torch._dynamo.graph_break()
        return y.cos()


def inside_a_loop(x: Tensor) -> Tensor:
    for _ in range(3):
        x = x.sin()
        torch._dynamo.graph_break()
    return x


@pytest.mark.parametrize("program", [inside_a_context, inside_a_loop], ids=lambda program: program.__name__)
def test_frame_runs_as_it_is(program: Callable[[Tensor], Tensor], compile_stages: CompileStages) -> None:
    """Dynamo cannot resume inside these blocks, so it compiles nothing in the function."""
    with pytest.raises(NothingCompiled):
        compile_stages(program, torch.ones(8))


def numpy_array(x: Tensor) -> Tensor:
    return x + torch.from_numpy(np.sin(x.numpy()) * 2)


def python_random_number(x: Tensor) -> Tensor:
    return x.sin() * random.Random(0).random()


def generator_expression(x: Tensor) -> Tensor:
    return sum(part.sin() for part in x.unbind()).cos()


def own_attribute(x: Tensor) -> Tensor:
    y = x.sin()
    y.tag = 2.0
    return y * y.tag


def weak_reference(x: Tensor) -> Tensor:
    y = x.sin()
    kept = weakref.ref(y)()
    assert kept is not None
    return kept + 1


def exception_caught(x: Tensor) -> Tensor:
    try:
        raise ValueError("expected")
    except ValueError:
        return x.cos()


@pytest.mark.parametrize(
    "program",
    [numpy_array, python_random_number, generator_expression, own_attribute, weak_reference, exception_caught],
    ids=lambda program: program.__name__,
)
def test_no_break(program: Callable[[Tensor], Tensor], compile_stages: CompileStages, golden: Golden) -> None:
    """Python that might be expected to break the graph, but is traced."""
    captured = compile_stages(program, torch.ones(8), fullgraph=True)
    assert len(captured["graph_breaks"]) == 0
    assert captured["dynamo_graph"] == golden


def test_captured_scalar(compile_stages: CompileStages, golden: Golden) -> None:
    """With `capture_scalar_outputs`, as the first reason above recommends, the value is a symbol in a single graph."""
    captured = compile_stages(value_of_a_tensor, torch.ones(8), config={"dynamo.capture_scalar_outputs": True})
    assert captured.metrics.graphs == 1
    assert captured["dynamo_graph"] == golden


def test_captured_output_shape(compile_stages: CompileStages, golden: Golden) -> None:
    config = {"dynamo.capture_dynamic_output_shape_ops": True}
    captured = compile_stages(selected_by_a_mask, torch.ones(8), config=config)
    assert captured.metrics.graphs == 1
    assert captured["dynamo_graph"] == golden


def test_ignored_logging(compile_stages: CompileStages, golden: Golden) -> None:
    """Functions that the user declares to have no effect on the program are left out of the graph."""
    config = {"dynamo.ignore_logging_functions": {print}}
    captured = compile_stages(printed, torch.ones(8), config=config)
    assert captured.metrics.graphs == 1
    assert captured["dynamo_graph"] == golden


def test_fullgraph(compile_stages: CompileStages) -> None:
    """With `fullgraph=True`, the same reason is raised as an error."""
    with pytest.raises(CaptureFailed, match="Data-dependent branching"):
        compile_stages(branch_on_a_tensor, torch.ones(8), fullgraph=True)


def test_nested_breaks(compile_stages: CompileStages, golden: Golden) -> None:
    """With `nested_graph_breaks` the caller continues from where the callee broke: no frame is compiled on its own."""
    captured = compile_stages(inside_a_callee, torch.ones(8), config={"dynamo.nested_graph_breaks": True})
    assert captured.metrics.graphs == 2
    assert captured["graph_breaks"] == golden
