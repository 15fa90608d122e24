"""User replacements for parts of the compiler: a partitioner, a choices handler, a backend, a stance."""

from typing import Any

import pytest
import torch
from torch import Tensor
from torch._functorch.partitioners import default_partition
from torch._inductor.choices import InductorChoices
from torch._inductor.custom_graph_pass import CustomPartitionerFn

from pytest_compile_golden.errors import CompileGoldenError, NothingCompiled
from pytest_compile_golden.typing import CompileStages, Golden

GPU = pytest.mark.compile_golden(target="cuda-sm90")
CPU = pytest.mark.compile_golden(target="cpu-avx2")


class SaveEverything(CustomPartitionerFn):
    def __call__(self, gm: Any, joint_inputs: Any, **kwargs: Any) -> Any:
        kwargs.pop("compiler", None)
        return default_partition(gm, joint_inputs, **kwargs)

    def uuid(self) -> str:
        return "save-everything"


@CPU
def test_partitioner(compile_stages: CompileStages, golden: Golden) -> None:
    """Nothing is recomputed if the partitioner saves everything that backward reads."""

    def f(x: Tensor) -> Tensor:
        return x.sin().cos().exp()

    x = torch.randn(64, requires_grad=True)
    default = compile_stages(f, x, train=True)
    captured = compile_stages(f, x, train=True, config={"custom_partitioner_fn": SaveEverything()})
    assert default["backward_graph"].count("aten.sin") == 2
    assert captured["backward_graph"].count("aten.sin") == 1
    assert captured["forward_graph"] == golden


class NeverFuse(InductorChoices):
    @staticmethod
    def can_fuse(scheduler: Any, node1: Any, node2: Any, shared_data_score: int) -> bool:
        return False


class AlwaysLoop(InductorChoices):
    @staticmethod
    def should_use_persistent_reduction(features: Any, cooperative_reduction: bool) -> bool:
        return False


@pytest.mark.compile_golden(config={"inductor_choices_class": NeverFuse})
def test_choices_of_fusion(compile_stages: CompileStages, golden: Golden) -> None:
    """A choices handler that rejects every fusion: one kernel per operation whose result is stored."""
    captured = compile_stages(lambda x: x / x.norm(dim=-1, keepdim=True), torch.randn(64, 128))
    assert captured.metrics.fused_nodes == 0
    assert captured["scheduler_nodes"] == golden


@GPU
@pytest.mark.compile_golden(config={"inductor_choices_class": AlwaysLoop})
def test_choices_of_reductions(compile_stages: CompileStages, golden: Golden) -> None:
    captured = compile_stages(lambda x: x.softmax(-1), torch.randn(64, 128))
    assert "persistent_reduction(" not in captured["triton_code"]
    assert captured["triton_code"] == golden


@CPU
def test_backend_other_than_inductor(compile_stages: CompileStages) -> None:
    """A function compiled with a user's backend cannot be captured: the backend is rejected by name."""

    def backend(gm: torch.fx.GraphModule, inputs: list[Tensor]) -> Any:
        return gm.forward

    compiled = torch.compile(torch.sin, backend=backend)
    with pytest.raises(CompileGoldenError, match="backend"):
        compile_stages(compiled, torch.randn(8))


@CPU
@pytest.mark.parametrize("stance", ["force_eager", "eager_on_recompile"])
def test_stance_that_compiles_nothing(stance: str, compile_stages: CompileStages) -> None:
    """`eager_on_recompile` only uses existing compiled code: even a first compilation counts as a recompile."""
    with torch.compiler.set_stance(stance), pytest.raises(NothingCompiled):
        compile_stages(torch.sin, torch.randn(8))


@CPU
def test_stance_of_a_first_call(compile_stages: CompileStages) -> None:
    """The first call runs eagerly, and the sizes of later calls are compared with its sizes."""
    with torch.compiler.set_stance("eager_then_compile"):
        captured = compile_stages(torch.sin, calls=[(torch.ones(8),), (torch.ones(9),)])
    assert captured.metrics.graphs == 1
    assert "s" in str(captured["dynamo_graph"])


@CPU
def test_stance_of_failure(compile_stages: CompileStages) -> None:
    with torch.compiler.set_stance("fail_on_recompile"), pytest.raises(CompileGoldenError, match=r"(?i)recompile"):
        compile_stages(torch.sin, calls=[(torch.ones(8),), (torch.ones(9),)])


@CPU
def test_disabled_function(compile_stages: CompileStages, golden: Golden) -> None:
    """A disabled function and everything it calls run eagerly; with `recursive=False`, what it calls is compiled."""

    def inner(x: Tensor) -> Tensor:
        return x.sin() + 1

    @torch.compiler.disable(recursive=False)
    def outer(x: Tensor) -> Tensor:
        return inner(x).cos()

    captured = compile_stages(lambda x: outer(x * 2), torch.ones(8))
    assert captured.metrics.graphs == 2
    assert captured["dynamo_graph"] == golden


@torch.compiler.allow_in_graph
def opaque(x: Tensor) -> Tensor:
    return x.sin().cos()


@CPU
def test_allow_in_graph(compile_stages: CompileStages, golden: Golden) -> None:
    """Dynamo puts the call into the graph without looking inside; AOTAutograd traces it."""
    captured = compile_stages(lambda x: opaque(x) + 1, torch.ones(8))
    assert captured["dynamo_graph"].count("opaque") == 1
    assert captured["aot_graph"].has("aten.cos")
    assert captured["dynamo_graph"] == golden


@torch._dynamo.nonstrict_trace
def nonstrict(x: Tensor) -> Tensor:
    assert str(type(x))  # Dynamo would stop here
    return x.sin() * len(repr(x.shape))


@CPU
def test_nonstrict_trace(compile_stages: CompileStages, golden: Golden) -> None:
    """Python that Dynamo cannot trace is run with fake tensors, and its operations are in AOTAutograd's graph."""
    captured = compile_stages(lambda x: nonstrict(x) + 1, torch.ones(8), fullgraph=True)
    assert captured["aot_graph"].has("aten.sin")
    assert captured["aot_graph"] == golden


@torch.compiler.assume_constant_result
def answer() -> float:
    return float(str(42))


@CPU
def test_assume_constant_result(compile_stages: CompileStages, golden: Golden) -> None:
    """The function's result at compile time is a constant in the graph."""
    captured = compile_stages(lambda x: x * answer(), torch.ones(8), fullgraph=True)
    assert "42.0" in str(captured["dynamo_graph"])
    assert captured["dynamo_graph"] == golden


def unreadable(x: float) -> float:
    return eval("x * 2")


@torch._dynamo.substitute_in_graph(unreadable, skip_signature_check=True)
def readable(x: float) -> float:
    return x * 2


@CPU
def test_substitute_in_graph(compile_stages: CompileStages, golden: Golden) -> None:
    """A function that Dynamo cannot trace is traced as its registered substitute."""
    captured = compile_stages(lambda x: x * unreadable(2.0), torch.ones(8), fullgraph=True)
    assert "4.0" in str(captured["dynamo_graph"])
    assert captured["dynamo_graph"] == golden
