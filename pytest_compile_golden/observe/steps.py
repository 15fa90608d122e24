"""The calls that get a case's program compiled; in a process group each is a complete training step."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

from pytest_compile_golden.compile_options import Arguments, CompileOptions
from pytest_compile_golden.errors import CompileGoldenError
from pytest_compile_golden.facts.record import Record
from pytest_compile_golden.lines import split_lines
from pytest_compile_golden.observe.program import owned
from pytest_compile_golden.targets import context
from pytest_compile_golden.targets.distributed import answer_reducer, fill_buckets_in_order
from pytest_compile_golden.targets.process_group import Ranks
from pytest_compile_golden.targets.unused import LastCall
from pytest_compile_golden.torch_names import tensors

pytree = tensors.PYTREE.get()


def run_steps(compiled: Callable[..., Any], fn: Callable[..., Any], options: CompileOptions, record: Record) -> None:
    """Call `compiled`, the compiled `fn`, once per item of `options.calls`.

    Backward is compiled along with forward and need not run. In a process group it does run: its hooks gather
    parameters and reduce gradients. The record's `step` is what the last call did; with DistributedDataParallel, what
    one more call did, since the reducer has its buckets only after the first step (with a static graph, the second).
    """
    if not (dist.is_available() and dist.is_initialized()):
        *before, final = options.calls
        for call in before:
            compiled(*call.args, **call.kwargs)
        last = LastCall(run_steps.__code__, lambda: bool(record.get("graph_breaks")))
        with context.within(last):
            compiled(*final.args, **final.kwargs)
        return
    modules, tensors = owned(fn, options.calls)
    parameters = [parameter for module in modules for parameter in module.parameters()]
    inside = {id(module): module for owner in modules for module in owner.modules()}.values()
    replicas = [module for module in inside if isinstance(module, DistributedDataParallel)] if options.train else []

    def step(call: Arguments) -> None:
        record.entries.pop("step", None)
        for replica in replicas if context.now(Ranks) is not None else ():
            answer_reducer(replica)
        outputs = compiled(*call.args, **call.kwargs)
        if options.train:
            with _as_far_as_possible(record):
                _backward(outputs)

    with _gradients_put_back([*tensors, *parameters]):
        for call in options.calls:
            step(call)
        if replicas:
            with _as_far_as_possible(record):
                # With a static graph the first step only observes.
                for _ in range(1 + any(replica.static_graph for replica in replicas)):
                    for replica in replicas:
                        fill_buckets_in_order(replica)
                    step(options.calls[-1])


def _backward(outputs: Any) -> None:
    starts = [leaf for leaf in pytree.tree_leaves(outputs) if isinstance(leaf, torch.Tensor) and leaf.requires_grad]
    torch.autograd.backward(starts, [torch.zeros_like(start) for start in starts])


@contextmanager
def _as_far_as_possible(record: Record) -> Iterator[None]:
    """Keep what was compiled even if the step fails afterwards; what it would send is then unknown."""
    try:
        yield
    except CompileGoldenError:
        raise
    except Exception as error:
        message = (split_lines(str(error).strip()) or [""])[0]
        record.unavailable["collectives"] = f"the step failed after it was compiled ({type(error).__name__}: {message})"


@contextmanager
def _gradients_put_back(tensors: list[torch.Tensor]) -> Iterator[None]:
    before = [(tensor, tensor.grad) for tensor in tensors if tensor.is_leaf]
    try:
        yield
    finally:
        for tensor, gradient in before:
            tensor.grad = gradient
