"""Programs that do not compile, each of which fails in another part of the compiler, or under another mode of torch."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor
from torch.utils.checkpoint import checkpoint


def _in_jvp(x: Tensor) -> tuple[Tensor, ...]:
    return torch.func.jvp(lambda y: y.view(7), (x,), (x,))


def _in_hessian(x: Tensor) -> Tensor:
    return torch.func.vmap(torch.func.hessian(lambda y: (y**3).sum() * y[0]))(x)


def _in_functionalize(x: Tensor) -> Tensor:
    return torch.func.functionalize(lambda y: y.view(7).add_(1))(x)


def _in_autocast(x: Tensor) -> Tensor:
    with torch.autocast(x.device.type, dtype=torch.bfloat16):
        return x @ torch.ones(7, 7, device=x.device)


def _in_inference_mode(x: Tensor) -> Tensor:
    with torch.inference_mode():
        return x.view(7)


def _in_saved_tensors_hooks(x: Tensor) -> Tensor:
    with torch.autograd.graph.saved_tensors_hooks(
        lambda saved: saved, lambda saved: saved
    ):
        return x.sin().view(7)


def _in_checkpoint(x: Tensor) -> Tensor:
    return checkpoint(lambda y: y.view(7), x, use_reentrant=False)


def _in_branch(x: Tensor) -> Tensor:
    return torch.cond(x.sum() > 0, lambda y: y, lambda y: y.sum(), (x,))


def _in_another_default_device(x: Tensor) -> Tensor:
    with torch.device("meta"):
        return x.view(7)


def _with_other_defaults(x: Tensor) -> Tensor:
    torch.set_grad_enabled(False)
    torch.set_autocast_enabled(x.device.type, True)
    return x.view(7)


def _in_python(x: Tensor) -> Tensor:
    raise KeyError(x.sin().shape)


FAILING: dict[str, Callable[..., object]] = {
    function.__name__.strip("_"): function
    for function in (
        _in_jvp,
        _in_hessian,
        _in_functionalize,
        _in_autocast,
        _in_inference_mode,
        _in_saved_tensors_hooks,
        _in_checkpoint,
        _in_branch,
        _in_another_default_device,
        _with_other_defaults,
        _in_python,
    )
}
