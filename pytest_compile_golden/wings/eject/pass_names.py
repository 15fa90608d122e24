"""Pass names as far as they are known without compiling, to report a misspelt one right away. Does not import torch."""

from __future__ import annotations

import re

from pytest_compile_golden.formats.known_names import loaded_texts, torch_text
from pytest_compile_golden.report.known_passes import KNOWN

_OBSERVED = re.compile(r'GraphTransformObserver\(\s*\w+,\s*"(\w+)"')


def torch_passes() -> list[str]:
    """The passes that torch is known to have."""
    return [*KNOWN, *_OBSERVED.findall(torch_text())]


def certainly_unknown(name: str) -> bool:
    """Whether no pass can be called `name`; for use once the program is imported and before anything is compiled.

    True if torch has no such pass and the word is in none of the user's loaded files, which name the user's passes.
    """
    last = name.rpartition(" / ")[2].rpartition(".")[2]
    if " / " in name or name in KNOWN:
        return False
    word = re.compile(rf"\b{re.escape(last)}\b")
    return not word.search(torch_text()) and not any(map(word.search, loaded_texts()))
