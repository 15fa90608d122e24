"""Whether a function takes the parameters that we rely on."""

from __future__ import annotations

from collections.abc import Sequence
from inspect import Parameter

_VARIADIC = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)


def unlike(parameters: Sequence[Parameter], takes: str) -> str:
    """How they differ from `takes` (`torch_names/name.py: Name.takes`): `takes (a, b), without `c``; empty if not."""
    differences = [_without(parameters, either) for either in takes.split("|")]
    return differences[0] if all(differences) else ""


def _without(parameters: Sequence[Parameter], takes: str) -> str:
    names = [each.name for each in parameters if each.kind not in _VARIADIC]
    ordered = [each.name for each in parameters if each.kind not in (*_VARIADIC, Parameter.KEYWORD_ONLY)]
    positions, _, keywords = (part.replace(",", " ").split() for part in takes.partition("*"))
    kinds = {each.kind for each in parameters}
    if Parameter.VAR_POSITIONAL in kinds:  # a wrapper, which passes on what it is given
        positions = positions[: len(ordered)]
    if Parameter.VAR_KEYWORD in kinds:
        keywords = []
    for index, name in enumerate(positions):
        if name != "_" and ordered[index : index + 1] != [name]:
            return f"takes ({', '.join(names)}), where `{name}` was number {index + 1}"
    return next((f"takes ({', '.join(names)}), without `{name}`" for name in keywords if name not in names), "")
