"""What people call operators and functions of graphs."""

from __future__ import annotations

import re

_OVERLOAD = re.compile(r"\.(?:default|Tensor|Scalar|self)$")
# By what Dynamo names torch's own functions, and those that stand inside of a function.
_MODULE = re.compile(r"^torch\._(?:VariableFunctionsClass|C\._nn)\.|^torch\._\S+\.locals\.")


def short(operator: str) -> str:
    """An operator without an overload, or a module, that says nothing."""
    return _OVERLOAD.sub("", _MODULE.sub(_kept, operator))


def _kept(module: re.Match[str]) -> str:
    return "" if module[0].endswith(".locals.") else "torch."
