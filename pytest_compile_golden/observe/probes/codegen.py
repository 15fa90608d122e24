"""Code generation: the module that Inductor writes for each graph, and torch's own totals."""

from __future__ import annotations

from typing import Any

from pytest_compile_golden.observe.hooks import Hooks
from pytest_compile_golden.observe.probe import Recorder
from pytest_compile_golden.record import OutputCode


class OutputCodeProbe:
    stages = ("wrapper_code", "triton_code", "cpp_code")
    touches = ("torch._inductor.graph:GraphLowering._compile_to_module_lines",)

    def install(self, hooks: Hooks, recorder: Recorder) -> None:
        def written(lowering: Any, wrapper_code: Any, *args: Any, **kwargs: Any) -> None:
            # What GraphLowering.count_bytes sums up, without the run times that it estimates too.
            accessed = sum(node.get_read_write_buffers_sizes() for node in lowering.scheduler.nodes)
            recorder.add("output_code", OutputCode(recorder.key, wrapper_code.value, int(accessed)))

        hooks.before("torch._inductor.graph:GraphLowering._compile_to_module_lines", written)
