"""After code generation nothing is built: what torch does next is left out, or told what it would have written."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

from pytest_compile_golden.targets.patching import Patches
from pytest_compile_golden.targets.run_lowered_graph import make_call
from pytest_compile_golden.torch_internals import device as names
from pytest_compile_golden.torch_internals import kernels, scheduler


def install(patches: Patches) -> None:
    """Replace the steps after code generation (torch/_inductor/graph.py, output_code.py, async_compile.py).

    `GraphLowering._compile_to_module_lines` still does what observers of the output code rely on (save_output_code, the
    output_code log, the `inductor_output_code` trace event). Wrap it before or after this; both see `wrapper_code`.
    """
    tell = output_code_observers(patches)

    def compile_to_module_lines(graph: Any, wrapper_code: Any) -> Any:
        tell(wrapper_code.value)
        graph.cache_key = "compile_golden"
        graph.cache_path = None
        graph.cache_linemap = []
        graph.compile_golden_source = wrapper_code.value
        return types.SimpleNamespace(call=make_call(graph), __file__="<compile_golden>")

    patches.replace(*kernels.COMPILE_TO_MODULE_LINES.resolve(), compile_to_module_lines)
    keep_sources(patches)
    # `standalone_compile` has kernels built and timed while it compiles.
    with patches.feature("autotuning while compiling") as own:
        own.replace(*names.AUTOTUNE_BLOCK.resolve(), lambda wrapper: None)
    # CUDA graphs would record launches; the reasons why torch skips them are still counted and logged.
    with patches.feature("CUDA graphs") as own:
        for row in (scheduler.CUDAGRAPH_WHOLE, scheduler.CUDAGRAPH_PARTS):
            own.wrap(*row.resolve(), only_skip_reasons)
    # Realigning inputs reads their addresses, and fake tensors have none.
    patches.replace(*names.ALIGN_INPUTS.resolve(), lambda model, *args, **kwargs: model)
    builder = names.ASYNC_COMPILE.get()
    for name, member in list(vars(builder).items()):
        if name in _BUILDERS and callable(getattr(member, "__func__", member)):
            patches.replace(builder, name, lambda self, *args, **kwargs: NotBuilt())
    patches.replace(*names.WARM_POOL.resolve(), classmethod(lambda cls: None))


_BUILDERS = frozenset(
    {
        "triton",
        "multi_kernel",
        "size_hint_multi_kernel",
        "cpp",
        "cpp_pybinding",
        "cutlass",
        "cuda",
        "xpu",
        "rocm",
        "halide",
        "cutedsl",
        "flydsl",
        "pallas",
        "nv_universal_gemm",
        "nvgemm_precompile",
        "metal",
    }
)


class NotBuilt:
    """Takes the place of a kernel, or of a timer: it has every attribute, and calling any of them does nothing."""

    def __call__(self, *args: object, **kwargs: object) -> None:
        return None

    def __getattr__(self, name: str) -> Callable[..., None]:
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *args, **kwargs: None


def only_skip_reasons(original: Callable[..., None]) -> Callable[..., None]:
    """Replaces the step that records CUDA graphs: where torch would skip it, it still says why."""

    def post_compile(
        example_inputs: Any, compiled_graph: Any, *args: Any, **kwargs: Any
    ) -> None:
        info = names.CUDAGRAPH_INFO.of(compiled_graph)
        if info is not None and info.cudagraph_fail_reasons:
            original(example_inputs, compiled_graph, *args, **kwargs)

    return post_compile


def keep_sources(patches: Patches) -> None:
    """Give a compiled graph the source that its lowering has as `compile_golden_source`.

    torch reads it from the file that it would have written. What is saved has it, and `torch.compiler.precompile`
    copies it into the program that it writes.
    """

    def with_source(original: Callable[..., None]) -> Callable[..., None]:
        def init(
            compiled_graph: Any,
            current_callable: Any,
            graph: Any,
            *args: Any,
            **kwargs: Any,
        ) -> None:
            original(compiled_graph, current_callable, graph, *args, **kwargs)
            if (source := vars(graph).get("compile_golden_source")) is not None:
                compiled_graph.source_code = source

        return init

    with patches.feature("the source of a compiled graph") as own:
        own.wrap(*names.COMPILED_GRAPH.resolve(), with_source)


def output_code_observers(patches: Patches) -> Callable[[str], None]:
    """What to call with the code of each graph, so that those who watch the output code see it."""
    tell = _tell_nobody
    with patches.feature("observers of the output code"):
        for row in (
            names.SAVE_OUTPUT_CODE,
            names.OUTPUT_CODE_LOG,
            names.TRACE_STRUCTURED,
        ):
            row.resolve()
        tell = _tell_observers
    return tell  # noqa: RET504  # the block may have been left early


def _tell_observers(code: str) -> None:
    if (save := names.SAVE_OUTPUT_CODE.get()) is not None:
        save(code)
    names.OUTPUT_CODE_LOG.get().debug("Output code: \n%s", code)
    names.TRACE_STRUCTURED.get()("inductor_output_code", payload_fn=lambda: code)


def _tell_nobody(code: str) -> None:
    """What observers are told by is gone."""
