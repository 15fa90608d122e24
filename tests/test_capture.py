"""`capture`: every stage of a real compile, on virtual GPUs and CPUs."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from operator import attrgetter
from typing import Any

import pytest
import torch
import torch._functorch.config
import torch._inductor.config
from torch import Tensor
from torch._inductor.graph import GraphLowering

from pytest_compile_golden import capture, numerics
from pytest_compile_golden.errors import (
    AlreadyCompiled,
    CompileGoldenError,
    InvalidOption,
    StageNotCaptured,
    WrongDevice,
)
from pytest_compile_golden.stages import costly_stages, stages
from pytest_compile_golden.targets import get_target
from tests.programs import (
    broken_graph,
    layer_norm_gelu,
    layer_norm_inputs,
    mlp,
    scaled_by_length,
    texts,
)


@pytest.mark.parametrize(
    ("target", "code"), [("cuda-sm90", "triton_code"), ("cpu-avx2", "cpp_code")]
)
def test_inference_has_every_stage_in_pipeline_order(target: str, code: str) -> None:
    captured = capture(
        layer_norm_gelu, *layer_norm_inputs(), target=target, watch=costly_stages()
    )
    device = target.partition("-")[0]
    # Of torch.export, AOTInductor and aot_compile.
    other_ways = {"exported_graph", "aot_wrapper", "aot_package", "dropped_guards"}
    wanted = [
        stage.name
        for stage in stages()
        if stage.exists_on(device, "NVIDIA") and not stage.training_only
    ]
    # One rank exchanges nothing, nothing is launched outside the graph, and no kernel is another language's.
    without = {"collectives", "eager_kernels", "template_code"} | other_ways
    wanted = [name for name in wanted if name not in without]
    assert list(captured.stages) == list(captured) == wanted and code in wanted
    assert captured.target == target
    assert not captured.unavailable
    for stage in captured.stages:
        assert captured[stage].text.endswith("\n") and captured[stage].text.strip()
    post_grad = captured["post_grad_graph"]
    assert post_grad.count("aten.erf") == 1 and post_grad.has(
        "aten.var_mean.correction"
    )
    assert "# layer_norm_gelu: return F.gelu" in str(post_grad)
    assert captured["scheduler_nodes"].fused("layer_norm", "gelu")
    assert captured.metrics.kernels == 1
    assert captured.metrics.graphs == 1
    # x and the result once, weight and bias once; the reduction's results stay in registers.
    if target == "cuda-sm90":
        assert captured.metrics.bytes_accessed == 4 * (2 * 32 * 64 + 2 * 64)


@pytest.mark.parametrize("target", ["cuda-sm90", "cpu-avx2"])
def test_training_has_the_graphs_of_both_directions(target: str) -> None:
    captured = capture(mlp(), torch.randn(4, 16), target=target, train=True)
    assert {"joint_graph", "forward_graph", "backward_graph"} <= set(captured.stages)
    assert captured["backward_graph"].count("aten.mm") == 3
    assert "graph_0_forward_saves = [" in str(captured["forward_graph"])
    for stage in ("post_grad_graph", "scheduler_nodes", "wrapper_code"):
        assert "graph_0_forward" in str(captured[stage]) and "graph_0_backward" in str(
            captured[stage]
        )
    assert captured.metrics.nodes_backward > 0


@pytest.mark.parametrize("target", ["cuda-sm90", "cpu-avx2"])
def test_training_differentiates_a_function_with_respect_to_its_float_inputs(
    target: str,
) -> None:
    x = torch.randn(8, 8)
    captured = capture(
        lambda x, index: x.sin()[index], x, torch.arange(4), target=target, train=True
    )
    assert captured["backward_graph"].has("aten.cos")
    assert not x.requires_grad


@pytest.mark.parametrize("target", ["cuda-sm90", "cpu-avx2"])
def test_graph_break_is_followed_and_explained(target: str) -> None:
    captured = capture(broken_graph, torch.randn(8, 8), target=target)
    assert captured.metrics.graphs == 2
    assert captured.metrics.graph_breaks == 1
    assert "broken_graph: torch._dynamo.graph_break()" in str(captured["graph_breaks"])
    assert "def graph_1(" in str(captured["post_grad_graph"])


@pytest.mark.parametrize("target", ["cuda-sm90", "cpu-avx2"])
def test_calls_with_other_sizes_recompile(target: str) -> None:
    captured = capture(
        scaled_by_length,
        calls=[(torch.randn(5, 4),), (torch.randn(7, 4),)],
        target=target,
    )
    assert captured.metrics.recompiles == 1
    assert "expected 5, actual 7" in str(captured["recompiles"])
    assert "Sym(s" in str(captured["post_grad_graph"])


def test_a_recompilation_counts_once_however_many_compilations_did_not_match() -> None:
    config = {"dynamo.automatic_dynamic_shapes": False}
    captured = capture(
        torch.sin,
        calls=[(torch.ones(n),) for n in (5, 6, 7)],
        target="cpu-avx2",
        config=config,
    )
    assert captured.metrics.recompiles == 2
    assert "expected 5, actual 7" in str(captured["recompiles"])
    assert "expected 6, actual 7" in str(captured["recompiles"])


def test_a_call_may_be_a_dict_of_keyword_arguments() -> None:
    def scaled(x: Tensor, *, by: Tensor, plus: float = 0.0) -> Tensor:
        return x * by + plus

    x, by = torch.randn(4), torch.randn(4)
    captured = capture(
        scaled,
        calls=[{"x": x, "by": by}, {"by": by, "x": x}],
        kwargs={"plus": 2.0},
        target="cpu-avx2",
    )
    assert captured.metrics.recompiles == 0
    assert captured["post_grad_graph"].count("aten.add") == 1
    same = capture(scaled, x, kwargs={"by": by, "plus": 2.0}, target="cpu-avx2")
    assert str(same["cpp_code"]) == str(captured["cpp_code"])
    assert numerics(
        scaled, calls=[{"x": x, "by": by}, (x,)], kwargs={"by": by}, target="cuda-sm90"
    )


def test_a_graph_that_dynamo_gave_up_is_told_as_that() -> None:
    class Norm(torch.nn.Module):
        epsilon = 1e-6

        def forward(self, x: Tensor) -> Tensor:
            return torch.native_layer_norm(x, [4], None, None, self.epsilon)[0]

    captured = capture(Norm(), torch.randn(8, 4), dynamic=True, target="cpu-avx2")
    assert (
        repr(captured.metrics.graphs)
        == "2 (there are: graph_0, which Dynamo gave up to trace again, graph_1)"
    )


def test_inputs_or_calls_not_both() -> None:
    with pytest.raises(CompileGoldenError, match="not both"):
        capture(scaled_by_length, torch.randn(3), calls=[(torch.randn(3),)])


def test_a_stage_of_another_target_says_why_it_is_missing() -> None:
    captured = capture(torch.sin, torch.randn(4), target="cpu-avx2")
    assert "triton_code" not in captured
    with pytest.raises(
        StageNotCaptured, match="only exists on cuda targets, and this is cpu-avx2"
    ):
        captured["triton_code"]
    with pytest.raises(StageNotCaptured, match="capture with train=True"):
        captured["joint_graph"]
    with pytest.raises(
        AttributeError, match=r"its stages are items: captured\['joint_graph'\]"
    ):
        attrgetter("joint_graph")(captured)
    assert not hasattr(captured, "joint_grap")


def test_keyword_inputs_dynamic_shapes_and_config_reach_the_compile() -> None:
    captured = capture(
        lambda x, scale: x.sin() * scale,
        torch.randn(8, 8),
        kwargs={"scale": torch.randn(8)},
        dynamic=True,
        config={"triton.descriptive_names": False, "dynamo.specialize_float": True},
        target="cuda-sm90",
    )
    assert "Sym(s" in str(captured["post_grad_graph"])
    assert captured["triton_code"].names == ("triton_poi__0",)


def test_the_kernel_stage_says_if_there_are_only_library_calls() -> None:
    captured = capture(
        torch.mm, torch.randn(8, 8), torch.randn(8, 8), target="cuda-sm90"
    )
    assert "no kernel" in str(captured["triton_code"])
    assert captured.metrics.extern_kernels == 1
    with pytest.raises(StageNotCaptured, match="has 0 kernels, not one: library calls"):
        assert captured.kernel


def nothing_left(graph: torch.fx.Graph) -> None:
    graph.output_node().args = (list(graph.find_nodes(op="placeholder")),)
    graph.eliminate_dead_code()


def test_a_graph_that_is_emptied_by_passes_is_shown_up_to_that_point() -> None:
    config = {"joint_custom_post_pass": nothing_left}
    captured = capture(lambda x: x * 2, torch.ones(8), target="cpu-avx2", config=config)
    assert captured["dynamo_graph"].has("operator.mul")
    assert "nothing_left" in str(captured["passes"])
    assert "post_grad_graph" not in captured.stages and captured.metrics.kernels == 0


def test_a_module_in_the_closure_is_placed_on_the_target() -> None:
    model = mlp()
    captured = capture(
        lambda x: model(x).relu(), torch.randn(4, 16), target="cuda-sm90"
    )
    assert captured["pre_grad_graph"].count("linear") == 2
    assert next(model.parameters()).device.type == "cpu"


def test_a_model_larger_than_memory_takes_none() -> None:
    with get_target("cuda-sm90").active():
        layer = torch.nn.Linear(200_000, 200_000, bias=False)  # 160 GB
        captured = capture(layer, torch.randn(1, 200_000))
    assert captured["post_grad_graph"].count("aten.mm") == 1


def test_programs_that_look_at_their_data_work_on_cpu_targets() -> None:
    def f(x: Tensor) -> Tensor:
        return x * 2 if x.sum().item() > 0 else x - 1

    captured = capture(f, torch.ones(4), target="cpu-avx512")
    assert captured.metrics.graphs == 2
    assert captured["post_grad_graph"].has("aten.mul")


def plain_output_code(
    fn: Callable[..., Any], inputs: tuple[Tensor, ...], target: str, train: bool
) -> list[str]:
    """What torch.compile writes on the target when nothing observes it, with backward run from a loss as usual."""
    codes: list[str] = []
    with get_target(target).active(), pytest.MonkeyPatch.context() as patch:
        build = GraphLowering._compile_to_module_lines

        def note(self: GraphLowering, wrapper_code: Any) -> Any:
            codes.append(wrapper_code.value)
            return build(self, wrapper_code)

        patch.setattr(GraphLowering, "_compile_to_module_lines", note)
        placed = get_target(target).place((fn, inputs))
        torch._dynamo.reset()
        with (
            torch._inductor.config.patch(fx_graph_cache=False),
            torch._functorch.config.patch(enable_autograd_cache=False),
            torch.set_grad_enabled(train),
        ):
            result = torch.compile(placed[0])(*placed[1])
            if result.requires_grad:
                result.sum().backward()
        torch._dynamo.reset()
    return codes


def plain_and_watched(
    fn: Callable[..., Any], inputs: tuple[Tensor, ...], target: str, train: bool
) -> tuple[list[str], list[str]]:
    """The same, and what a capture saw, without the numbers of graphs and the folders of kernels."""
    plain = plain_output_code(fn, inputs, target, train)
    watched = [
        each.code
        for each in capture(fn, *inputs, target=target, train=train).record.get(
            "output_code"
        )
    ]

    def without_number(code: str) -> str:
        # The first counts the graphs that the process has compiled, the second is in the capture's own folder.
        return re.sub(r"# AOT ID: .*|# kernel path: .*", "", code)

    return list(map(without_number, plain)), list(map(without_number, watched))


@pytest.mark.parametrize("target", ["cuda-sm90", "cpu-avx2"])
@pytest.mark.parametrize("train", [False, True])
def test_capturing_does_not_change_what_is_compiled(target: str, train: bool) -> None:
    fn, inputs = (
        (mlp(), (torch.randn(4, 16),))
        if train
        else (layer_norm_gelu, layer_norm_inputs())
    )
    plain, watched = plain_and_watched(fn, inputs, target, train)
    assert len(plain) == (2 if train else 1)
    assert watched == plain


@torch.compiler.disable
def slope(y: Tensor, x: Tensor, keep: bool) -> Tensor:
    return torch.autograd.grad(y.sum(), x, create_graph=keep)[0].detach()


def slopes(x: Tensor, w: Tensor) -> Tensor:
    w = slope((x @ w).tanh().exp(), x, True)
    w = slope((x @ w).tanh().exp(), x, False)
    w = slope((x @ w).tanh().exp().sin(), x, True)
    return w.square()


@pytest.mark.parametrize("target", ["cuda-sm90", "cpu-avx2"])
def test_backward_of_a_graph_that_is_kept_is_compiled_as_torch_does(
    target: str,
) -> None:
    """Its saved tensors stay as they are; those of the other backward are written over."""
    inputs = (torch.randn(8, 8, requires_grad=True), torch.randn(8, 8))
    plain, watched = plain_and_watched(slopes, inputs, target, train=True)
    assert len(plain) == 7 and watched == plain


@pytest.mark.parametrize("target", ["cuda-sm90", "cpu-avx2"])
def test_a_cpp_wrapper_is_shown(target: str) -> None:
    captured = capture(
        layer_norm_gelu,
        *layer_norm_inputs(),
        target=target,
        config={"cpp_wrapper": True},
    )
    text = str(captured["wrapper_code"])
    kernels = captured["triton_code" if target.startswith("cuda") else "cpp_code"]
    assert len(kernels.names) == captured.metrics.kernels == 1
    assert (
        f"{kernels.names[0]}(" in text and "tl.load" not in text and "loadu" not in text
    )
    assert "void inductor_entry_impl(" in text
    assert "aoti_torch_empty_strided" in text
    assert "/tmp/" not in text and "site-packages" not in text


def test_kernels_beside_a_cpp_wrapper_may_have_attributes() -> None:
    settings = {"cpp_wrapper": True, "cpp.force_inline_kernel": True}
    captured = capture(torch.sin, torch.randn(64), target="cpu-avx2", config=settings)
    assert "C10_ALWAYS_INLINE_ATTRIBUTE" in captured["cpp_code"]
    assert captured.metrics.kernels == 1 and "loadu" not in str(
        captured["wrapper_code"]
    )


# ------------------------------------------------------------------------------------------------ already compiled


def doubled(x: Tensor, y: Tensor | float = 2.0) -> Tensor:
    return torch.relu(x) * y


class Decorated(torch.nn.Linear):
    @torch.compile(dynamic=True)
    def forward(self, x: Tensor) -> Tensor:
        return super().forward(x).relu()

    @torch.compile(dynamic=True)
    def halved(self, x: Tensor) -> Tensor:
        return self.weight.sum() * x / 2


class CallableObject:
    @torch.compile(dynamic=True)
    def __call__(self, x: Tensor) -> Tensor:
        return x.sin()


def compiled_in_place(dynamic: bool | None) -> torch.nn.Module:
    module = torch.nn.Linear(8, 8)
    module.compile(dynamic=dynamic)
    return module


COMPILED = {
    "function": lambda: torch.compile(doubled, dynamic=True),
    "builtin": lambda: torch.compile(torch.sin, dynamic=True),
    "module": lambda: torch.compile(torch.nn.Linear(8, 8), dynamic=True),
    "call of a module": lambda: (
        torch.compile(torch.nn.Linear(8, 8), dynamic=True).__call__
    ),
    "module in place": lambda: compiled_in_place(dynamic=True),
    "call of a module in place": lambda: compiled_in_place(dynamic=True).__call__,
    "forward": lambda: Decorated(8, 8),
    "method": lambda: Decorated(8, 8).halved,
    "bound method": lambda: torch.compile(torch.nn.Linear(8, 8).forward, dynamic=True),
    "object": CallableObject,
    "partial": lambda: functools.partial(
        torch.compile(doubled, dynamic=True), y=torch.randn(8)
    ),
    "partial of a method": lambda: functools.partial(Decorated(8, 8).halved),
}


@pytest.mark.parametrize("make", COMPILED.values(), ids=COMPILED)
def test_an_already_compiled_program_keeps_its_options(
    make: Callable[[], Callable[..., Any]],
) -> None:
    assert "Sym(s" in str(
        capture(make(), torch.randn(5, 8), target="cpu-avx2")["post_grad_graph"]
    )


def test_a_module_compiled_in_place_is_captured_like_a_plain_one() -> None:
    module = compiled_in_place(dynamic=None)
    whole = capture(module, torch.randn(5, 8), target="cuda-sm90")
    assert module._compiled_call_impl is not None
    module._compiled_call_impl = None
    plain = capture(module, torch.randn(5, 8), target="cuda-sm90")
    assert texts(whole) == texts(plain)


def test_modes_and_options_of_an_already_compiled_program_are_kept() -> None:
    x = torch.randn(256, 256)
    tuned = torch.compile(
        lambda x: torch.relu(x @ x), mode="max-autotune-no-cudagraphs"
    )
    captured = capture(
        tuned, x, target="cuda-sm90", policy="triton", mode="max-autotune-no-cudagraphs"
    )
    assert "triton_tem" in captured["triton_code"]
    plain_names = torch.compile(
        torch.sin, options={"triton.descriptive_names": False}, fullgraph=True
    )
    assert capture(plain_names, x, target="cuda-sm90", fullgraph=True)[
        "triton_code"
    ].names == ("triton_poi__0",)


@pytest.mark.parametrize(
    ("compiled", "given", "message"),
    [
        (
            {"dynamic": True},
            {"dynamic": False},
            "compiled with dynamic=True, but the capture has dynamic=False",
        ),
        (
            {},
            {"dynamic": True},
            "compiled with dynamic=None, but the capture has dynamic=True",
        ),
        (
            {"fullgraph": True},
            {"fullgraph": False},
            "compiled with fullgraph=True, but .* has fullgraph=False",
        ),
        (
            {},
            {"mode": "max-autotune"},
            "compiled with no mode or options, but .* has mode='max-autotune'",
        ),
        (
            {"options": {"max_autotune": True}},
            {"config": {"max_autotune": False}},
            "which torch would ignore",
        ),
        (
            None,
            {"mode": "max-autotune", "config": {"max_autotune": False}},
            "mode='max-autotune' sets max_autotune",
        ),
    ],
)
def test_options_that_contradict_each_other_are_refused(
    compiled: dict[str, Any] | None, given: dict[str, Any], message: str
) -> None:
    fn = doubled if compiled is None else torch.compile(doubled, **compiled)
    with pytest.raises(InvalidOption, match=message):
        capture(fn, torch.randn(4), target="cpu-avx2", **given)


@pytest.mark.parametrize(
    "backend", ["eager", lambda graph, inputs: graph], ids=["registered", "function"]
)
def test_another_backend_is_refused_by_name(backend: str | Callable[..., Any]) -> None:
    name = getattr(backend, "__name__", backend)
    with pytest.raises(
        AlreadyCompiled,
        match=f"backend '{name}'.*Pass the function from before torch.compile",
    ):
        capture(
            torch.compile(doubled, backend=backend), torch.randn(4), target="cpu-avx2"
        )


# ------------------------------------------------------------------------------------------------ devices


@pytest.mark.parametrize(
    "fn", [doubled, lambda x: x @ x], ids=["kernels", "library calls"]
)
def test_a_program_that_is_only_on_another_device_fails(fn: Callable[..., Any]) -> None:
    with (
        get_target("cuda-sm90").active(),
        pytest.raises(WrongDevice, match=r'for cpu only, (?s:.*)device="cpu"'),
    ):
        capture(fn, torch.randn(8, 8, device="cpu"))


def test_programs_for_several_devices_are_compiled_as_they_are() -> None:
    with get_target("cuda-sm90").active():
        x = torch.randn(8, 8)
        scalar = capture(doubled, x, torch.tensor(2.0, device="cpu"))
        indexed = capture(
            lambda x, index: x[index] * 2, x, torch.arange(4, device="cpu")
        )
        moved = capture(
            lambda x: (x + 1).to("cuda") @ x.cuda(), torch.randn(8, 8, device="cpu")
        )
    assert scalar["triton_code"].kernels and indexed["triton_code"].kernels
    assert moved["cpp_code"].kernels and not moved["triton_code"].kernels
    # What this machine's CPU can do does not affect it.
    assert (
        "at::vec::Vectorized<float>" in moved["cpp_code"]
        and "static_cast<int64_t>(8)" in moved["cpp_code"]
    )
    assert str(moved["triton_code"]).startswith("# no kernel in this language:")


def test_a_capture_has_its_own_policy_inside_a_target() -> None:
    def used(policy: str | None) -> tuple[bool, str | None]:
        captured = capture(
            lambda x: torch.relu(x @ x),
            x,
            mode="max-autotune-no-cudagraphs",
            policy=policy,
        )
        return "extern_kernels.mm" in str(
            captured["wrapper_code"]
        ), captured.record.policy

    target = get_target("cuda-sm90")
    with target.active(policy="triton"):
        x = torch.randn(256, 256)
        assert [used(policy)[0] for policy in ("aten", None, "triton", "aten")] == [
            True,
            False,
            False,
            True,
        ]
        assert used("aten")[1] != used(None)[1] == target.policy


def test_devices_that_cannot_be_read_are_not_taken_for_the_right_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from torch._inductor.graph import GraphLowering

    codegen, load = GraphLowering.codegen, GraphLowering.compile_to_module

    def renamed(lowering: Any) -> Any:
        code = codegen(lowering)
        lowering.types_of_devices = vars(lowering).pop("device_types")
        return code

    def loaded(lowering: Any) -> Any:  # torch itself asks again afterwards
        module = load(lowering)
        lowering.device_types = lowering.types_of_devices
        return module

    monkeypatch.setattr(GraphLowering, "codegen", renamed)
    monkeypatch.setattr(GraphLowering, "compile_to_module", loaded)
    captured = capture(torch.sin, torch.ones(8), target="cuda-sm90")
    assert "GraphLowering has no device_types" in captured.unavailable["triton_code"]
