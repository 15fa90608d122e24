"""Digests of canonical forms and of texts, the same in every process."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Mapping


def digest(form: object) -> str:
    """128 bits in 22 characters; equal for equal forms, and for no others."""
    return (
        base64.urlsafe_b64encode(hashlib.sha256(_flat(form).encode()).digest()[:16])
        .decode()
        .rstrip("=")
    )


def short(form: object) -> str:
    """64 bits in 11 characters, for forms that are compared one with one other."""
    return digest(form)[:11]


def of_texts(texts: Iterable[str]) -> str:
    """256 bits in 64 hexadecimal digits, of any texts: names of files may have characters that UTF-8 does not."""
    return hashlib.sha256("\0".join(texts).encode("utf-8", "surrogatepass")).hexdigest()


def _flat(form: object) -> str:
    # The order of a set differs between processes.
    if isinstance(form, (frozenset, set)):
        return "{" + ",".join(sorted(map(_flat, form))) + "}"
    if isinstance(form, Mapping):
        return (
            "{"
            + ",".join(
                sorted(f"{_flat(key)}:{_flat(value)}" for key, value in form.items())
            )
            + "}"
        )
    if isinstance(form, (tuple, list)):
        return "(" + ",".join(map(_flat, form)) + ")"
    if form is None or isinstance(form, (str, int, float)):
        return repr(form)
    raise TypeError(
        f"a canonical form is made of plain values, not {type(form).__name__}"
    )
