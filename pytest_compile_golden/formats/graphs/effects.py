"""What operators do: which mutate or draw random numbers, whose values share storage, which dimensions they mean."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from pytest_compile_golden.formats.canonical_text import arguments

Effect = Literal["", "order", "first", "all", "barrier"]
"""A node's effect besides its result: none; one that keeps its position among effects; mutates the first argument;
may mutate any argument; changes how all later nodes compute."""

_NAMESPACES = frozenset(
    {
        "aten",
        "prims",
        "operator",
        "_operator",
        "math",
        "builtins",
        "quantized_decomposed",
        "onednn",
    }
)
_TORCH = re.compile(
    r"torch\.(?:_VariableFunctionsClass\.|_C\._\w+\.|nn\.functional\.|functional\.|_tensor\.|special\.|linalg\.|fft\.)?"
    r"\w+(?:\.locals\.\w+)?$"
)
# Parts of the names of barriers, and of what keeps its position.
_BARRIERS = (
    "autocast",
    "functorch",
    "grad_enabled",
    "grad_mode",
    "inference_mode",
    "torch.cuda.",
    "profiler",
    "set_device",
)
_PLACED = ("assert", "sym_constrain", "_check", "record_stream", "synchronize")
_RANDOM = re.compile(
    r"(?:^|_)(?:rand\w*|bernoulli|multinomial|normal|dropout|poisson|binomial|seeds?|rrelu\w*)$"
)
# Pure functions of a seed that they are given (torch/_inductor/inductor_prims.py).
_SEEDED = frozenset({"inductor_random", "inductor_randint", "inductor_lookup_seed"})
_STATISTICS = frozenset(
    {
        "batch_norm",
        "native_batch_norm",
        "cudnn_batch_norm",
        "miopen_batch_norm",
        "instance_norm",
        "_native_batch_norm_legit",
        "_batch_norm_with_update",
        "_batch_norm_impl_index",
    }
)
_NEUTRAL = re.compile(
    r"aten\.(?:add|sub)\.\w+\(\0, 0(?:\.0)?\)|aten\.(?:mul|div)\.\w+\(\0, 1(?:\.0)?\)"
    r"|prims\.convert_element_type\.default\(\0, [\w.]+\)"
)
_PURE_HIGHER_ORDER = frozenset(
    {
        "auto_functionalized",
        "auto_functionalized_v2",
        "triton_kernel_wrapper_functional",
        "flex_attention",
        "flex_attention_backward",
        "associative_scan",
    }
)
_AUGMENTED = frozenset(
    {
        "add",
        "and",
        "concat",
        "floordiv",
        "lshift",
        "matmul",
        "mod",
        "mul",
        "or",
        "pow",
        "rshift",
    }
)
_ATTENTION_DROPOUT = re.compile(
    r"(?:, |dropout_p=)(?:0\.0*[1-9]\d*|[1-9]\d*(?:\.\d+)?e-\d+|1\.0)[,)]"
)
_OUT = re.compile(r"\bout=(?!None)")
# fmt: off
_VIEWS = frozenset({
    "_conj", "_reshape_alias", "_unsafe_view", "alias", "as_strided", "chunk", "conj", "contiguous",
    "detach", "diagonal", "expand", "expand_as", "flatten", "getattr", "getitem", "imag",
    "lift", "lift_fresh", "movedim", "mT", "narrow", "permute", "ravel", "real",
    "reshape", "reshape_as", "requires_grad_", "select", "slice", "split", "split_with_sizes", "squeeze",
    "swapaxes", "swapdims", "t", "T", "tensor_split", "to", "transpose", "type",
    "unbind", "unflatten", "unfold", "unsqueeze", "view", "view_as", "view_as_complex", "view_as_real",
    "float", "double", "half", "bfloat16", "cpu", "cuda", "H", "mH",
    "positive", "resolve_conj", "resolve_neg", "unsafe_chunk", "unsafe_split", "hsplit", "vsplit", "dsplit",
})
# fmt: on
# Operators by the arguments that are a dimension, or a list of dimensions; the first argument, 0, is the tensor
# (aten/src/ATen/native/native_functions.yaml).
# fmt: off
_DIMENSIONS = dict.fromkeys((
    "_log_softmax", "_softmax", "all", "amax", "amin", "any", "argmax", "argmin", "argsort", "cat",
    "cummax", "cummin", "cumprod", "cumsum", "flip", "gather", "glu", "index_add", "index_copy", "index_fill",
    "index_select", "log_softmax", "logcumsumexp", "logsumexp", "max", "mean", "median", "min", "narrow", "permute",
    "prepare_softmax_online", "prod", "scatter", "scatter_add", "scatter_reduce", "select", "slice", "softmax", "sort",
    "squeeze", "std", "std_mean", "sum", "unbind", "unflatten", "unsqueeze", "var", "var_mean",
), (1,)) | dict.fromkeys((
    "chunk", "select_scatter", "slice_scatter", "split", "split_with_sizes", "tensor_split", "topk", "unsafe_chunk",
    "unsafe_split",
), (2,)) | {"transpose": (1, 2)}
# fmt: on
_NUMBERS = frozenset("0123456789-, ()[]")
_NEGATIVE = re.compile(r"(?<![\w.])-(\d+)(?![\w.])")


@lru_cache(maxsize=4096)
def operator_name(target: str) -> str:
    """`mul` for `aten.mul.Tensor`, `torch.mul` and the method `mul`."""
    parts = target.split(".")
    return (
        parts[-2]
        if len(parts) == 3 and parts[0] not in ("torch", "builtins")
        else parts[-1]
    )


def is_neutral(text: str) -> bool:
    """Whether a call, with a hole for each value, has the value of its operand, if it also has its type: what torch
    removes as it has no effect (torch/_inductor/fx_passes/joint_graph.py: remove_no_ops)."""
    return _NEUTRAL.fullmatch(text) is not None


def is_view(target: str) -> bool:
    """Whether the result may share storage with the first argument."""
    return operator_name(target) in _VIEWS


def effect(target: str, call: str) -> Effect:
    """The effect of a node that calls `target`; `call` is its whole text. Unknown targets count as mutating."""
    kind = _effect(target)
    if kind == "":
        if _OUT.search(call):
            return "all"
        if "inplace=True" in call or (
            target.startswith("torch.nn.functional.") and call.endswith(", True)")
        ):
            return "first"
        if (
            "scaled_dot_product" in target
            and "backward" not in target
            and _ATTENTION_DROPOUT.search(call)
        ):
            return "order"
    return kind


@lru_cache(maxsize=4096)
def _effect(target: str) -> Effect:
    namespace, _, inner = target.partition(".")
    name = operator_name(target)
    if any(part in target for part in _BARRIERS):
        return "barrier"
    if namespace == "higher_order":
        return "" if name in _PURE_HIGHER_ORDER else "all"
    known = not inner or (
        _TORCH.match(target) is not None
        if namespace == "torch"
        else namespace in _NAMESPACES
    )
    if not known:
        return "all"
    if namespace in ("operator", "_operator") and (
        name == "setitem" or (name[0] == "i" and name[1:] in _AUGMENTED)
    ):
        return "first"
    if (
        name.startswith("__i")
        and name.endswith("__")
        and name not in ("__int__", "__index__", "__invert__")
    ):
        return "first"
    if name.endswith("_") and not name.endswith("__"):
        return (
            "first"
            if namespace not in ("onednn",) and not name.startswith(("_fused", "_amp"))
            else "all"
        )
    if name in _STATISTICS or target.rpartition(".")[2].endswith("out"):
        return "all"
    placed = name.endswith("_print") or any(part in name for part in _PLACED)
    return "order" if placed or (_RANDOM.search(name) and name not in _SEEDED) else ""


class Storage:
    """Values that may share storage, as disjoint sets."""

    def __init__(self) -> None:
        self._parent: dict[str, str] = {}

    def find(self, name: str) -> str:
        """The name that represents all names that share storage with `name`."""
        while (parent := self._parent.get(name, name)) != name:
            name = parent
        return name

    def join(self, one: str, other: str) -> None:
        """Record that `one` and `other` share storage."""
        self._parent[self.find(one)] = self.find(other)


def from_the_front(target: str, text: str, kind: str) -> str:
    """The text of a node that calls `target`, with dimensions counted from the front.

    `text` has holes for values; `kind` is the printed type of the first of them. The text is unchanged if the rank is
    not known, and for operators other than ATen's and prims.
    """
    if "-" not in text or not target.startswith(("aten.", "prims.")):
        return text
    name = operator_name(target)
    positions, rank = _DIMENSIONS.get(name), _rank(kind)
    if positions is None or rank is None:
        return text
    rank = max(rank + (name == "unsqueeze"), 1)
    head, bracket, inner = text.partition("(")
    values = list(arguments(inner.removesuffix(")")))
    for position, value in enumerate(values):
        keyword, _, given = value.rpartition("=")
        if (
            keyword in ("dim", "dims") or (not keyword and position in positions)
        ) and _NUMBERS.issuperset(given):
            values[position] = _NEGATIVE.sub(
                lambda match: (
                    str(rank - int(match[1])) if int(match[1]) <= rank else match[0]
                ),
                value,
            )
    return f"{head}{bracket}{', '.join(values)})"


def _rank(kind: str) -> int | None:
    """The rank of a type such as `f32[4, s0]`; that of `f32[()]` is 0."""
    _, bracket, inner = kind.partition("[")
    if not bracket:
        return None
    sizes = list(arguments(inner.partition("]")[0]))
    return 0 if sizes == ["()"] else len(sizes)
