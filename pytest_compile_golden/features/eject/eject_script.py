"""The text of a script: templates filled with a graph, a pass and the configuration it ran under."""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import jinja2
import torch

from pytest_compile_golden.common.installed_torch import torch_release
from pytest_compile_golden.facts.graphs import GraphKey, Pass
from pytest_compile_golden.features.eject.graph_source import (
    NEEDED,
    fake_lines,
    graph_lines,
    lowering_lines,
    pass_expression,
    tag_lines,
)
from pytest_compile_golden.features.eject.script_source import (
    REPLACEMENT_IMPORTS,
    CannotEject,
    Source,
)
from pytest_compile_golden.observe.probe import Recorder
from pytest_compile_golden.observe.probes.passes import Running
from pytest_compile_golden.observe.torch_hooks import Hooks
from pytest_compile_golden.targets import get_target
from pytest_compile_golden.targets.device_properties import (
    CpuProperties,
    CudaProperties,
    cuda_runtime,
)
from pytest_compile_golden.torch_internals import (
    MissingName,
    dynamo,
    inductor,
    scheduler,
    tensors,
)
from pytest_compile_golden.torch_internals import eject as names

# Options that the capture itself sets.
_NOT_THE_PROGRAMS = frozenset(
    {
        "enable_autograd_cache",
        "enable_remote_autograd_cache",
        "force_non_lazy_backward_lowering",
        "fx_graph_cache",
        "fx_graph_remote_cache",
        "compile_threads",
        "worker_start_method",
        "cpp.vec_isa_ok",
    }
    | {"use_static_triton_launcher", "use_static_cuda_launcher"}
)
_SHOW = {
    "lowering": ("lowered", "before", "after", "code"),
    "fusion": ("before", "after", "difference", "code"),
    "codegen": ("code",),
}
_LAZY = {
    "pre_grad": "torch._inductor.fx_passes.pre_grad.lazy_init()",
    "joint": "torch._inductor.fx_passes.joint_graph.lazy_init(torch.device('cpu'))",
    "post_grad": "torch._inductor.fx_passes.post_grad.lazy_init()",
    "freezing": "torch._inductor.fx_passes.freezing_patterns.lazy_init()",
}


def pass_script(running: Running, key: GraphKey, target: str) -> str:
    """The script for a pass that is about to begin. Raises CannotEject."""
    source = Source()
    meta = "example_value" if running.phase == "pre_grad" else "val"
    graph = graph_lines(running.module, source, meta)
    expression = pass_expression(running.run, source)
    source.registrations += fake_lines(source)
    in_torch_matcher = (
        expression.endswith(".apply")
        and source.known(getattr(running.run, "__self__", None)) is None
    )
    device = get_target(target).device_type
    return _render(
        "pass.py.jinja",
        source,
        target,
        title=f"{running.phase} / {running.name}, of {key.label}",
        moment="just before the pass",
        graph=graph,
        key=repr(meta),
        where=running.where,
        on_module=running.on_module,
        folds=device == "cuda" and "constant_fold" in expression,
        matcher=_LAZY.get(running.phase, "") if in_torch_matcher else "",
        expression=expression,
    )


def stage_script(stage: str, lowering: Any, key: GraphKey, target: str) -> str:
    """The script for lowering, fusion and code generation of a graph about to be lowered. Raises CannotEject."""
    source = Source()
    graph = graph_lines(lowering.module, source, "val")
    source.registrations += [
        *lowering_lines(lowering.module, source),
        *fake_lines(source),
    ]
    # The inputs of a backward graph that its code may write into (torch/_inductor/utils.py: get_donated_idxs).
    context = dynamo.TRACING_CONTEXT.get().try_get()
    metadata = None if context is None else tensors.FORWARD_METADATA.of(context)
    donated = None if metadata is None else names.DONATED.of(metadata)
    donated = repr(list(donated)) if donated else ""
    return _render(
        "stage.py.jinja",
        source,
        target,
        title=key.label,
        moment="to be lowered, after the post-grad passes",
        graph=graph,
        key=repr("val"),
        stage=stage,
        show=repr(_SHOW[stage]),
        donated=donated,
        is_inference=bool(names.IS_INFERENCE.of(lowering)),
        is_backward=bool(names.IS_BACKWARD.of(lowering)),
    )


def partition_script(
    joint: Any, results: int, lasting: list[int] | None, key: GraphKey, target: str
) -> str:
    """The script for the partitioner that is about to split a joint graph. Raises CannotEject.

    results: how many of the joint graph's outputs belong to forward.
    lasting: the indices of inputs that live as long as the program, such as parameters.
    """
    source = Source()
    source.imports["import torch._functorch.config"] = None
    source.imports[
        "from torch._functorch.partitioners import min_cut_rematerialization_partition"
    ] = None
    graph = [*graph_lines(joint, source, "val"), *tag_lines(joint, source)]
    return _render(
        "partition.py.jinja",
        source,
        target,
        title=key.label,
        moment="to be split, after the joint passes",
        graph=graph,
        key=repr("val"),
        results=results,
        lasting=repr(lasting),
        functorch=_changed(inductor.AOT_CONFIG.get()),
    )


def _render(
    template: str,
    source: Source,
    target: str,
    *,
    stage: str = "",
    folds: bool = False,
    matcher: str = "",
    **values: Any,
) -> str:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # this is Python
    )
    properties = getattr(get_target(target), "properties", None)
    gpu = properties if isinstance(properties, CudaProperties) else None
    cpu = properties if isinstance(properties, CpuProperties) else None
    kernels = NEEDED[0] in source.imports
    if "replacement" in source.helpers:
        source.imports |= dict.fromkeys(REPLACEMENT_IMPORTS)
    needed = [*(["Triton for the kernels"] if kernels else []), *source.packages]
    text = environment.get_template(template).render(
        torch=torch.__version__,
        target=target,
        stage=stage,
        folds=folds,
        matcher=matcher,
        imports=sorted(source.imports.keys() - {"import torch"}),
        definitions=source.definitions,
        registrations=source.registrations,
        helpers=source.helpers,
        symbols=source.symbols,
        operators=source.operators.values(),
        config=_changed(inductor.CONFIG.get()),
        needs=f"It needs torch (the CPU wheel is enough) and {' and '.join(needed)}."
        if needed
        else "It needs only torch; the CPU wheel is enough.",
        gpu=repr(asdict(gpu)) if gpu else "",
        cuda=repr(cuda_runtime(torch_release()).cuda) if gpu else "",
        kernels=kernels,
        isa=repr(f"Vec{cpu.isa}") if cpu else "",
        **values,
    )
    ast.parse(text)  # a script that cannot even be parsed is our bug
    return text


def _changed(config: Any) -> str:
    """The keys of a configuration that are not at their default and can be written in a script."""
    changed = {}
    for name, value in config.get_config_copy().items():
        entry = config._config.get(name)
        if (
            name in _NOT_THE_PROGRAMS
            or entry is None
            or repr(entry.default) == repr(value)
        ):
            continue
        try:
            if ast.literal_eval(repr(value)) == value:
                changed[name] = value
        except (ValueError, SyntaxError):
            continue  # a function or an object: this pass, or another
    lines = "".join(
        f"    {name!r}: {value!r},\n" for name, value in sorted(changed.items())
    )
    return f"{{\n{lines}}}" if lines else "{}"


@dataclass
class Ejected:
    """One run of the requested pass or stage."""

    name: str
    graph: str
    phase: str
    changed: bool
    script: str
    """Empty if `refused` says why there is none."""
    refused: str = ""
    where: str | None = None
    """`file:line` of a pass."""


class EjectProbe:
    """Collects a script for every run of the pass or partitioner called `name`, or, for a `stage`, of lowering."""

    stages = ()

    def __init__(self, name: str | None, stage: str | None) -> None:
        self.name, self.stage = name, stage
        self.candidates: list[Ejected] = []
        self.ran: dict[str, None] = {}
        """Every pass that ran, by name."""
        self._open: list[tuple[Running, Ejected]] = []

    def install(self, hooks: Hooks, recorder: Recorder) -> None:
        target = recorder.record.target

        def ejected(
            name: str, phase: str, changed: bool, script: Callable[[], str]
        ) -> Ejected:
            candidate = Ejected(name, recorder.key.label, phase, changed, "")
            try:
                candidate.script = script()
            except CannotEject as error:
                candidate.refused = str(error)
            except Exception as error:
                # Our bug, or an unknown kind of object: the compile must go on.
                candidate.refused = (
                    f"the script cannot be written ({type(error).__name__}: {error}); "
                    "eject another pass."
                )
            self.candidates.append(candidate)
            return candidate

        def begins(running: Running) -> None:
            self.ran[running.name] = None
            slot, _, own = running.name.rpartition(" / ")
            if self.name in (running.name, own, slot):
                candidate = ejected(
                    running.name,
                    running.phase,
                    False,
                    lambda: pass_script(running, recorder.key, target),
                )
                candidate.where = running.where
                self._open.append((running, candidate))

        def done(running: Running, row: Pass) -> None:
            for known, candidate in self._open:
                if known is running:
                    candidate.changed = row.changed

        def lowers(lowering: Any, *args: Any, **kwargs: Any) -> None:
            stage = self.stage
            if stage is not None and type(lowering).__name__ == "GraphLowering":
                ejected(
                    stage,
                    "lowering",
                    True,
                    lambda: stage_script(stage, lowering, recorder.key, target),
                )

        def splits(
            joint: Any, inputs: Any, *args: Any, num_fwd_outputs: int, **options: Any
        ) -> None:
            name = inductor.DEFAULT_PARTITIONER.qualified
            self.ran[name] = None
            lasting = options.get("static_lifetime_input_indices")
            if self.name == name:
                key = recorder.key
                ejected(
                    name,
                    "partition",
                    True,
                    lambda: partition_script(
                        joint, num_fwd_outputs, lasting, key, target
                    ),
                )

        if self.stage is None:
            with contextlib.suppress(MissingName):
                hooks.before(inductor.DEFAULT_PARTITIONER, splits)
            recorder.on_pass.append(begins)
            recorder.on_pass_done.append(done)
        else:
            hooks.before(scheduler.RUN, lowers)
