"""Rewrites dimensions counted from the end to count from the front: `[-1]` of four dimensions is `[3]`."""

from __future__ import annotations

import re

from pytest_compile_golden.formats.graph.effects import operator_name
from pytest_compile_golden.formats.text import arguments

# Operators by the argument that is the dimension, or a list of dimensions; the first argument is the tensor
# (aten/src/ATen/native/native_functions.yaml).
_SECOND = re.compile(
    r"(?:_?(?:log_)?softmax|all|amax|amin|any|arg(?:max|min|sort)|cat|cum(?:max|min|prod|sum)|flip|gather|glu"
    r"|index_(?:add|copy|fill|select)|logcumsumexp|logsumexp|max|mean|median|min|narrow|permute|prepare_softmax_online"
    r"|prod|scatter(?:_add|_reduce)?|select|slice|sort|squeeze|(?:std|var)(?:_mean)?|sum|unbind|unflatten|unsqueeze)$"
)
_THIRD = re.compile(r"(?:(?:unsafe_)?(?:chunk|split)|split_with_sizes|tensor_split|topk|(?:select|slice)_scatter)$")
_KEYWORD = re.compile(r"(dims?=)(.*)$", re.S)
_NEGATIVE = re.compile(r"(?<![\w.])-(\d+)(?![\w.])")
_DIMENSIONS = re.compile(r"-?\d+$|[\[(][-\d, ]*[\])]$")


def from_the_front(target: str, text: str, kind: str) -> str:
    """The text of a node that calls `target`, with dimensions counted from the front.

    `text` has holes for values; `kind` is the printed type of the first of them. The text is unchanged if the rank is
    not known, and for operators other than ATen's and prims.
    """
    if "-" not in text or not target.startswith(("aten.", "prims.")):
        return text
    name = operator_name(target)
    positions = [position for position, names in ((1, _SECOND), (2, _THIRD)) if names.match(name)]
    if name == "transpose":
        positions = [1, 2]
    rank = _rank(kind)
    if not positions or rank is None:
        return text
    rank = max(rank + (name == "unsqueeze"), 1)
    head, bracket, inner = text.partition("(")
    values = list(arguments(inner.removesuffix(")")))
    for position, value in enumerate(values):
        keyword = _KEYWORD.match(value)
        if keyword is not None and _DIMENSIONS.match(keyword[2]):
            values[position] = keyword[1] + _counted(keyword[2], rank)
        elif position in positions and _DIMENSIONS.match(value):
            values[position] = _counted(value, rank)
    return f"{head}{bracket}{', '.join(values)})"


def _counted(text: str, rank: int) -> str:
    return _NEGATIVE.sub(lambda match: str(rank - int(match[1])) if int(match[1]) <= rank else match[0], text)


def _rank(kind: str) -> int | None:
    """The rank of a type such as `f32[4, s0]`; that of `f32[()]` is 0."""
    _, bracket, inner = kind.partition("[")
    if not bracket:
        return None
    sizes = list(arguments(inner.partition("]")[0]))
    return 0 if sizes == ["()"] else len(sizes)
