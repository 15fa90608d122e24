"""Dynamo's once-per-process tables, built before a target replaces anything that they are built from."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch

from pytest_compile_golden.targets import fake_tensors
from pytest_compile_golden.targets.patching import Patches
from pytest_compile_golden.torch_internals import device as names
from pytest_compile_golden.torch_internals import dynamo as dynamo_names


@functools.cache
def make_tables() -> None:
    """Build the tables by which Dynamo knows torch's functions (torch/_dynamo/trace_rules.py, variables/torch.py).

    They map function objects to how Dynamo treats them. Built inside a target, they would keep its stand-ins for good.
    """
    for table in (names.TORCH_FUNCTIONS, names.TENSOR_METHODS):
        table.get()()
    if names.GET_HANDLERS.here:
        names.GET_HANDLERS.get()()
    # Modules that look for a GPU when they are first imported.
    for module in (names.COMPILE_FX, names.CUDAGRAPH_TREES):
        module.get()
    fake_tensors.make_common_argument()


def install(patches: Patches, mode: Any) -> None:
    """Let Dynamo's own eager calls make fake tensors, and make it trace the target's tensors as it would real ones.

    An optimizer's state is made while its step is traced, and Dynamo switches the caller's modes off while it traces
    (torch/_dynamo/variables/optimizer.py, `_init_group`).
    """

    def in_mode(original: Callable[..., Any]) -> Callable[..., Any]:
        def call_method(
            self: Any, tx: Any, name: str, *args: Any, **kwargs: Any
        ) -> Any:
            if name != "_init_group":
                return original(self, tx, name, *args, **kwargs)
            with mode:
                return original(self, tx, name, *args, **kwargs)

        return call_method

    def as_for_real_tensors(original: Callable[..., Any]) -> Callable[..., Any]:
        make = names.CREATE_SYMBOLS.get()
        unbacked = dynamo_names.DIM_DYNAMIC.get().UNBACKED

        def transfer(
            self: Any, sizes: Any, strides: Any, offset: Any, source: Any, **kwargs: Any
        ) -> Any:
            context = kwargs.get("symbolic_context")
            plain = all(
                isinstance(number, int) for number in (*sizes, *strides, offset)
            )
            if plain and context is not None and unbacked in context.dynamic_sizes:
                return make(
                    self, sizes, strides, offset, [False] * len(sizes), source, **kwargs
                )
            return original(self, sizes, strides, offset, source, **kwargs)

        return transfer

    def on_target(handle: Callable[..., Any]) -> Callable[..., Any]:
        def handled(variable: Any, tx: Any, *args: Any) -> Any:
            with mode:
                return handle(variable, tx, *args)

        return handled

    # It asks about a tensor that it makes for this (torch/_dynamo/variables/torch.py: handle_cudnn_is_acceptable).
    asked, handlers = (
        torch.backends.cudnn.is_acceptable,
        names.GET_HANDLERS.get()() if names.GET_HANDLERS.here else {},
    )
    if asked in handlers:
        patches.put_item(handlers, asked, on_target(handlers[asked]))
    patches.wrap(*names.OPTIMIZER_CALL.resolve(), in_mode)
    # It treats the sizes of a fake tensor that are not symbols as constants, although mark_unbacked asks for a symbol
    # (torch/fx/experimental/symbolic_shapes.py, since 2.13).
    if names.TRANSFER_SYMBOLS.expected:
        patches.wrap(*names.TRANSFER_SYMBOLS.resolve(), as_for_real_tensors)


def name_parameters(patches: Patches) -> None:
    """Let the text of a guard say `Parameter` where it does on a real GPU.

    What the guard checks is the class that the tensor has here, which is that of fake tensors.
    """

    def named_as_on_a_card(describe: Callable[..., str]) -> Callable[..., str]:
        def described(
            value: Any, name: str, sizes: Any, strides: Any, kind: type, *args: Any
        ) -> str:
            kind = torch.nn.Parameter if isinstance(value, torch.nn.Parameter) else kind
            return describe(value, name, sizes, strides, kind, *args)

        return described

    patches.wrap(*names.TENSOR_GUARD_TEXT.resolve(), named_as_on_a_card)
