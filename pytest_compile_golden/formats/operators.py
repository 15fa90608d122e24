"""Short names of the operators and functions in graphs."""

from __future__ import annotations

import re

_OVERLOAD = re.compile(r"\.(?:default|Tensor|Scalar|self)$")
# How Dynamo names torch's own functions, and functions defined inside another function.
_MODULE = re.compile(r"^torch\._(?:VariableFunctionsClass|C\._nn)\.|^torch\._\S+\.locals\.")


def short(operator: str) -> str:
    """An operator's name without an overload or module that adds nothing."""
    return _OVERLOAD.sub("", _MODULE.sub(_kept, operator))


def _kept(module: re.Match[str]) -> str:
    return "" if module[0].endswith(".locals.") else "torch."
