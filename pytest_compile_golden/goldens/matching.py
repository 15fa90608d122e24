"""Cases as people name them: a part of an id or of a folder, or a pattern."""

from __future__ import annotations

import re


def matches(pattern: str, *names: str) -> bool:
    """Whether one of `names` is like `pattern`, in which `*` and `?` stand for any text; brackets are themselves."""
    if not set(pattern) & set("*?"):
        return any(pattern in name for name in names)
    wanted = re.compile("".join({"*": ".*", "?": "."}.get(char) or re.escape(char) for char in pattern), re.S)
    return any(wanted.fullmatch(name) for name in names)
