"""Copy tensors, modules and optimizers to a target's device, keeping views, ties and strides."""

from __future__ import annotations

import contextlib
import copy
from typing import Any

import torch
from torch import Tensor, UntypedStorage
from torch.autograd import forward_ad
from torch.nn import Parameter

from pytest_compile_golden.errors import UnsupportedTensor
from pytest_compile_golden.targets.patching import Patches
from pytest_compile_golden.torch_internals import device as names
from pytest_compile_golden.torch_internals import tensors

FakeTensor = tensors.FAKE_TENSOR.get()
pytree = tensors.PYTREE.get()
is_traceable_wrapper_subclass = tensors.WRAPS_TENSORS.get()


class Placement:
    """One copy of a tree: what is shared in the original is shared in the copy.

    With `mode`, tensors become fake ones of that mode on `device` and take no memory; without it, real ones.
    """

    def __init__(self, device: str, mode: Any = None) -> None:
        self._device = torch.device(device, 0)
        self._mode = mode
        self._storages: dict[int, UntypedStorage] = {}
        self._memo: dict[int, Any] = {}
        # The memo's keys are ids: the objects must not be garbage-collected before the copy is done.
        self._alive: list[object] = []

    def tree(self, tree: Any) -> Any:
        """`tree` with every tensor, module and optimizer in it placed; other leaves unchanged."""
        # The copy happens outside the caller's modes: a default device or fake mode must not see the originals.
        with tensors.DISABLE_MODES.get()(), names.DISABLE_ALL_TORCH_FUNCTION.get()():
            return pytree.tree_map(self._leaf, tree)

    def _leaf(self, leaf: Any) -> Any:
        if isinstance(leaf, torch.Tensor):
            return self.tensor(leaf)
        if isinstance(leaf, torch.nn.Module):
            return self._copied(leaf, [*leaf.parameters(), *leaf.buffers()])
        if isinstance(leaf, torch.optim.Optimizer):
            return self._copied(
                leaf, [p for group in leaf.param_groups for p in group["params"]]
            )
        return leaf

    def _copied(self, original: Any, tensors: list[Tensor]) -> Any:
        if id(original) in self._memo:
            return self._memo[id(original)]
        if tensors and all(self._is_there(tensor) for tensor in tensors):
            return original
        for tensor in tensors:
            self.tensor(tensor)
        # deepcopy does the rest (attributes, hooks, state), and finds tensors that are neither parameters nor buffers.
        with names.ENABLE_TORCH_FUNCTION.get()(), Patches() as patches:
            for kind in (Tensor, Parameter):
                patches.replace(
                    kind, "__deepcopy__", lambda tensor, memo: self.tensor(tensor)
                )
            copied = copy.deepcopy(original, self._memo)
        self._alive.append(original)
        if isinstance(copied, torch.optim.Optimizer):
            # Optimizers keep `step` on the CPU unless capturable or fused (torch/optim/adam.py, `_init_group`).
            on_device = {
                id(parameter)
                for group in original.param_groups
                if group.get("capturable") or group.get("fused")
                for parameter in group["params"]
            }
            for (parameter, before), after in zip(
                original.state.items(), copied.state.values(), strict=True
            ):
                step = before.get("step")
                # A step that was made on a virtual GPU, with the target as the default device, stays on it.
                if (
                    isinstance(step, Tensor)
                    and not isinstance(step, FakeTensor)
                    and id(parameter) not in on_device
                ):
                    after["step"] = step.clone()
        return copied

    def _is_there(self, tensor: Tensor) -> bool:
        if isinstance(tensor, FakeTensor):
            return True
        if self._mode is not None and is_traceable_wrapper_subclass(tensor):
            held = (getattr(tensor, name) for name in tensor.__tensor_flatten__()[0])
            return all(self._is_there(one) for one in held if isinstance(one, Tensor))
        # One of the same device, as it computes, is no fake one.
        return self._mode is None and tensor.device.type == self._device.type

    def tensor(self, tensor: Tensor) -> Tensor:
        """`tensor` on the device, made once per placement."""
        if self._is_there(tensor):
            return tensor
        copied = self._memo.get(id(tensor))
        if copied is None:
            copied = self._new(tensor)
            self._memo[id(tensor)] = copied
            self._alive.append(tensor)
        return copied

    def _new(self, tensor: Tensor) -> Tensor:
        if is_traceable_wrapper_subclass(tensor):
            attributes, context = tensor.__tensor_flatten__()
            held = {name: getattr(tensor, name) for name in attributes}
            # A DTensor has its mesh among these.
            inner = {
                name: self.tensor(one) if isinstance(one, Tensor) else one
                for name, one in held.items()
            }
            outer = type(tensor).__tensor_unflatten__(
                inner, context, tensor.size(), tensor.stride()
            )
            return outer.requires_grad_(tensor.requires_grad)
        # A fake tensor would be compiled without what the class does (a Buffer is a plain tensor to `type`).
        if (
            self._mode is not None
            and type(tensor) is not torch.Tensor
            and not isinstance(tensor, torch.nn.Parameter)
        ):
            raise UnsupportedTensor(
                f"a {type(tensor).__name__} is a subclass of torch.Tensor, and tensors on a virtual GPU are torch's "
                "own fake tensors. Pass x.as_subclass(torch.Tensor), or give this case a CPU target: "
                '@pytest.mark.compile_golden(target="cpu-avx2").'
            )
        if self._mode is not None and (kind := _of_no_strides(tensor)):
            instead = (
                "make it with layout=torch.jagged"
                if tensor.is_nested
                else "pass a dense tensor"
            )
            raise UnsupportedTensor(
                f"{kind} has no memory with strides, which is all that a virtual GPU's tensors have: {instead}, or "
                'give this case a CPU target, @pytest.mark.compile_golden(target="cpu-avx2").'
            )
        # A tensor made in inference mode is one for good, and compiled differently.
        with torch.inference_mode(tensor.is_inference()):
            new = self._in_same_state(tensor)
        # What the tensor was marked with (torch/_dynamo/decorators.py: mark_dynamic), and any other attributes.
        new.__dict__.update(
            {key: value for key, value in vars(tensor).items() if key not in vars(new)}
        )
        # The type that gradients of a leaf must have, in torch versions that let a program choose it.
        if (
            names.GRADIENT_DTYPE.here
            and tensor.is_leaf
            and tensor.grad_dtype != new.grad_dtype
        ):
            new.grad_dtype = tensor.grad_dtype
        if (tensor.is_leaf or tensor.retains_grad) and tensor.grad is not None:
            new.grad = self.tensor(tensor.grad)
        # Backward calls them, as on a GPU that the module was moved to.
        for hook in (tensor._backward_hooks or {}).values():
            new.register_hook(hook)
        for hook in (tensor._post_accumulate_grad_hooks or {}).values():
            new.register_post_accumulate_grad_hook(hook)
        if not tensor.is_inference():
            # How often it was written to, which views share: making it here counted too.
            names.SET_VERSIONS.get()((new,), (tensor._version,))
        tangent = forward_ad.unpack_dual(tensor).tangent
        return (
            new if tangent is None else forward_ad.make_dual(new, self.tensor(tangent))
        )

    def _in_same_state(self, tensor: Tensor) -> Tensor:
        """A copy that is a view, lazily conjugated or negated, a parameter, a leaf or none, as `tensor` is."""
        base = tensor._base if tensor._is_view() else None
        placed = None
        if base is not None and base.layout == torch.strided:
            # Made as a view, so that AOTAutograd sees the same: aliases, and a gradient function if there is one.
            with torch.set_grad_enabled(tensor.grad_fn is not None):
                placed = _view(self.tensor(base), tensor)
        if placed is None:
            with torch.no_grad():
                placed = self._leaf_like(tensor)
        if isinstance(tensor, torch.nn.Parameter):
            return torch.nn.Parameter(placed, requires_grad=tensor.requires_grad)
        if tensor.grad_fn is not None and placed.grad_fn is None:
            with torch.enable_grad(), self._mode or contextlib.nullcontext():
                placed.add_(
                    torch.zeros(
                        (), dtype=placed.dtype, device=placed.device, requires_grad=True
                    )
                )
            if tensor.retains_grad:
                placed.retain_grad()
        elif tensor.requires_grad and not placed.requires_grad:
            placed.requires_grad_()
        return placed

    def _leaf_like(self, tensor: Tensor) -> Tensor:
        detached = tensor.detach()
        if detached.layout != torch.strided or detached.is_quantized:
            return self._of_other_layout(detached)
        storage, dtype = self._storage(detached)
        new = torch.empty(0, dtype=dtype, device=storage.device)
        new.set_(storage, detached.storage_offset(), detached.size(), detached.stride())
        if detached.is_conj():
            new = new.conj()
        if detached.is_neg():
            new = new._neg_view()
        return new if self._mode is None else FakeTensor(self._mode, new, self._device)

    def _storage(self, tensor: Tensor) -> tuple[UntypedStorage, torch.dtype]:
        """The copy of the memory of a tensor, and what the tensor's elements are there."""
        storage = tensor.untyped_storage()
        moved = self._storages.get(storage._cdata)
        if moved is None:
            if self._mode is not None:
                moved = torch.UntypedStorage(storage.nbytes(), device="meta")
                self._mode.known.record_input(moved, tensor)
            else:
                moved = storage.to(device=self._device)
            self._storages[storage._cdata] = moved
            self._alive.append(storage)
        return moved, tensor.dtype

    def _of_other_layout(self, tensor: Tensor) -> Tensor:
        if self._mode is None:
            return tensor.to(self._device)
        if not tensor.is_quantized:
            raise UnsupportedTensor(
                f"a tensor of layout {tensor.layout} has indices, which are values, and a virtual GPU has none "
                "(and Inductor compiles no sparse operations). Pass a dense tensor, or give this case a CPU target: "
                '@pytest.mark.compile_golden(target="cpu-avx2").'
            )
        fake = self._mode.from_tensor(tensor)
        with self._mode:
            return fake.to(self._device)


def _of_no_strides(tensor: Tensor) -> str:
    """The kind of a tensor that is neither strided, sparse nor quantised; empty for any other."""
    if tensor._is_zerotensor():
        return (
            "a tensor of zeros that torch stores none of (torch._efficientzerotensor)"
        )
    if tensor.is_nested:
        return f"a nested tensor of layout {tensor.layout}"
    return f"a tensor of layout {tensor.layout}" if tensor.is_mkldnn else ""


def _view(base: Tensor, like: Tensor) -> Tensor | None:
    """The view of `base` that `like` is of its own base; None for a dtype that only bits are reinterpreted as."""
    if like.dtype == base.dtype:
        view = base.as_strided(like.size(), like.stride(), like.storage_offset())
    elif base.is_complex() and like.dtype == base.dtype.to_real():
        view = torch.view_as_real(base).as_strided(
            like.size(), like.stride(), like.storage_offset()
        )
    else:
        return None
    if like.is_conj() != view.is_conj():
        view = view.conj()
    return view._neg_view() if like.is_neg() != view.is_neg() else view
