"""Short digests of canonical forms, the same in every process."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping


def digest(form: object) -> str:
    """Ten hexadecimal digits; equal for equal forms."""
    return hashlib.sha256(_flat(form).encode()).hexdigest()[:10]


def short(form: object, length: int) -> str:
    """`length` base-32 characters, for uses where a difference only has to be likely to show."""
    return base64.b32hexencode(hashlib.sha256(_flat(form).encode()).digest()).decode().lower()[:length]


def _flat(form: object) -> str:
    # The order of a set differs between processes.
    if isinstance(form, (frozenset, set)):
        return "{" + ",".join(sorted(map(_flat, form))) + "}"
    if isinstance(form, Mapping):
        return "{" + ",".join(sorted(f"{_flat(key)}:{_flat(value)}" for key, value in form.items())) + "}"
    if isinstance(form, (tuple, list)):
        return "(" + ",".join(map(_flat, form)) + ")"
    if form is None or isinstance(form, (str, int, float)):
        return repr(form)
    raise TypeError(f"a canonical form is made of plain values, not {type(form).__name__}")
