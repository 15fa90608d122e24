"""Kernels that a library writes from a template of its own, as Helion does: Inductor fuses what follows into them."""

import textwrap
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from torch import Tensor
from torch._higher_order_ops.utils import register_fake
from torch._inductor import standalone_compile
from torch._inductor.ir import FinalizeCodegenResult, FixedLayout, IRNode, TemplateBuffer, TensorBox
from torch._inductor.lowering import lowerings, register_lowering
from torch._inductor.select_algorithm import ExternalTritonTemplateKernel, PartialRender
from torch._inductor.utils import Placeholder
from torch._ops import HigherOrderOperator
from torch.fx.experimental.proxy_tensor import (
    ProxyTorchDispatchMode,
    disable_proxy_modes_tracing,
    make_fx,
    track_tensor_tree,
)

from pytest_compile_golden.typing import CompileStages, Golden

pytestmark = pytest.mark.compile_golden(target="cuda-sm90")

KERNEL = """
@triton.jit
def _{kernel}({parameters}, count, BLOCK: tl.constexpr):
    x_epilogue0_0 = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    _tile_mask_0 = x_epilogue0_0 < count
    _kernel_val_0 = tl.load(x + x_epilogue0_0, _tile_mask_0) * {factor}
{store}

def {kernel}({parameters}):
    _{kernel}[(triton.cdiv(x.numel(), 1024),)]({parameters}, x.numel(), BLOCK=1024)
    return {result}
"""


class ScaleTemplate(TemplateBuffer):
    """`x * factor` for a vector, with what Inductor stores in its place if it fuses an operation behind it."""

    def __init__(self, x: IRNode, factor: float) -> None:
        self.stored: list[tuple[str, str]] = []

        def make_kernel_render(node: TemplateBuffer, hint_override: Any = None) -> tuple[Any, Callable[[], Any]]:
            kernel = ExternalTritonTemplateKernel(node)

            def render() -> PartialRender:
                kernel._setup_fusion_hooks()
                self.stored = sorted(kernel._extra_store_targets.items())
                return PartialRender("", kernel.render_hooks)

            return kernel, render

        layout = FixedLayout(x.get_device(), x.get_dtype(), x.get_size())
        super().__init__(layout, [x], make_kernel_render, named_inputs={"x": x})
        self.factor = factor
        self.epilogue_fusable_outputs = {self.get_name(): "out"}
        self.allow_epilogue_fusion = True

    def should_allocate(self) -> bool:
        return not self.stored

    def _finalize_codegen(self, hook_outputs: dict[str, str]) -> FinalizeCodegenResult:
        own = "tl.store(out + x_epilogue0_0, _kernel_val_0, _tile_mask_0)"
        buffers = [buffer for buffer, _ in self.stored] or [self.get_name()]
        names = [parameter for _, parameter in self.stored] or ["out"]
        source = KERNEL.format(
            parameters=", ".join(["x", *names]),
            kernel=Placeholder.KERNEL_NAME,
            factor=self.factor,
            store=textwrap.indent(hook_outputs.get("<STORE_OUTPUT_0>") or own, "    "),
            result=names[0],
        )
        call = [self._named_inputs["x"].get_name(), *buffers]
        return FinalizeCodegenResult(source, ["import triton", "import triton.language as tl"], [], call)


class Scale(HigherOrderOperator):
    def __init__(self) -> None:
        super().__init__("cases_scale", cacheable=True)

    def __call__(self, x: Tensor, *, factor: float) -> tuple[Tensor]:
        return super().__call__(x, factor=factor)


scale = Scale()
scale.fallthrough(torch._C.DispatchKey.AutogradCUDA)


@scale.py_impl(torch._C.DispatchKey.CompositeExplicitAutograd)
def _(x: Tensor, *, factor: float) -> tuple[Tensor]:
    return (x * factor,)


@register_fake(scale)
def _(x: Tensor, *, factor: float) -> tuple[Tensor]:
    return (torch.empty_like(x),)


@scale.py_impl(ProxyTorchDispatchMode)
def _(mode: Any, x: Tensor, *, factor: float) -> tuple[Tensor]:
    with disable_proxy_modes_tracing():
        value = scale(x, factor=factor)
    proxy = mode.tracer.create_proxy("call_function", scale, (mode.tracer.unwrap_proxy(x),), {"factor": factor})
    return track_tensor_tree(value, proxy, constant=None, tracer=mode.tracer)


@scale.py_functionalize_impl
def _(context: Any, x: Tensor, *, factor: float) -> tuple[Tensor]:
    with context.redispatch_to_next():
        return context.wrap_tensors(scale(context.unwrap_tensors(x), factor=factor))


@torch.library.custom_op("cases::scale_by", mutates_args=())
def scale_by(x: torch.Tensor, factor: float) -> torch.Tensor:
    return x * factor


@scale_by.register_fake
def _(x: Tensor, factor: float) -> Tensor:
    return torch.empty_like(x)


@pytest.fixture(autouse=True)
def lowered_to_the_template() -> Iterator[None]:
    @register_lowering(torch.ops.cases.scale_by.default, type_promotion_kind=None)
    def lower(x: TensorBox, factor: float) -> TensorBox:
        return TensorBox.create(ScaleTemplate(TemplateBuffer.realize_template_input(x), factor))

    register_lowering(scale, type_promotion_kind=None)(lambda x, factor: (lower(x, factor),))
    yield
    lowerings.pop(torch.ops.cases.scale_by.default)
    lowerings.pop(scale)


def test_epilogue_in_the_kernel_of_a_library(compile_stages: CompileStages, golden: Golden) -> None:
    """What follows is computed where the library's kernel would store its result."""
    captured = compile_stages(lambda x: scale_by(x, 2.0).relu() + 1, torch.randn(4096))
    [kernel] = captured["template_code"].kernels
    assert "maximum(" in kernel.source
    assert captured["scheduler_nodes"].fused("cases.scale_by", "relu", "add")
    assert captured == golden


def test_higher_order_operator_of_a_library(compile_stages: CompileStages, golden: Golden) -> None:
    """A library's operator that is no operator of ATen is kept until it is lowered to the library's template."""

    def program(x: Tensor) -> Any:
        graph = make_fx(lambda x: scale(x.sin(), factor=3.0)[0])(x)
        return standalone_compile(graph, [x], dynamic_shapes="from_example_inputs")(x)

    captured = compile_stages(program, torch.randn(4096), backend=None)
    assert captured["post_grad_graph"].count("cases_scale") == 1
    assert [kernel.language for kernel in captured["template_code"].kernels] == ["template"]
    assert captured == golden
