"""What differs between two texts of a module: functions by themselves, or what runs when it is imported."""

from __future__ import annotations

import pytest

from pytest_compile_golden.torch_source.module_effect import effect

BEFORE = '''
"""A module."""
from typing import TYPE_CHECKING
import functools
from .ir import Buffer

if TYPE_CHECKING:
    from .scheduler import Node

LIMIT = 4


def plain(x, y=1):
    """Says what it does."""
    return x + y


@functools.cache
def kept(x):
    return x * 2


@triton.jit
def kernel(x):
    return x * 3


class Kernel:
    width: int = 8

    def store(self, x):
        def inner():
            return x

        return inner()

    @property
    def size(self):
        return 1

    @size.setter
    def size(self, value):
        self._size = value


try:
    import numpy
except ImportError:
    def fallback():
        return 1
'''


@pytest.mark.parametrize(
    ("old", "new", "functions"),
    [
        ("return x + y", "return y + x", {"plain"}),
        ("y=1):", "y=2):", {"plain"}),
        ("return x * 2", "return x * 4", {"kept"}),
        ("            return x\n", "            return -x\n", {"Kernel.store"}),
        ("self._size = value", "self._size = -value", {"Kernel.size"}),
        ("        return 1\n'''", "", set()),
        (
            "    def fallback():\n        return 1",
            "    def fallback():\n        return 2",
            {"fallback"},
        ),
        ("def plain(", "def other(", {"plain"}),
        # Nothing that runs.
        ("Says what it does", "Says it", set()),
        ('"""A module."""', '"""Another."""', set()),
        ("    return x + y", "    # Why.\n    return (x + y)", set()),
        ("from .scheduler import Node", "from .scheduler import Other", set()),
        ("def plain(", "def added():\n    return 1\n\n\ndef plain(", set()),
    ],
)
def test_functions_that_differ(old: str, new: str, functions: set[str]) -> None:
    found = effect(BEFORE, BEFORE.replace(old, new, 1))
    assert (found.whole, {*found.functions}, found.imports) == (False, functions, ())


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("LIMIT = 4", "LIMIT = 5"),
        ("LIMIT = 4", "LIMIT = 4\nMORE = 5"),
        ("width: int = 8", "width: int = 16"),
        ("width: int = 8", "width: float = 8"),
        ("class Kernel:", "class Kernel(Base):"),
        ("class Kernel:", "class Added:\n    pass\n\n\nclass Kernel:"),
        ("@functools.cache", "@functools.lru_cache(4)"),
        ("def kept(x):", "def kept(x, y=1):"),  # what a decorator may look at
        ("return x * 3", "return x * 4"),  # whose source is read
        (
            "    def store(",
            "    def load(self):\n        return 1\n\n    def store(",
        ),  # may override another
        ("def plain(", "@register(1)\ndef added():\n    return 1\n\n\ndef plain("),
        ("import functools\n", ""),
        ("import functools\n", "import functools\nfrom other import *\n"),
        ("import functools\n", "import other as functools\n"),
        ("import functools\n", "import functools\nfrom other import plain\n"),
        ("except ImportError", "except Exception"),
        ("LIMIT = 4", "LIMIT = ("),
    ],
)
def test_what_runs_when_it_is_imported(old: str, new: str) -> None:
    assert old in BEFORE and effect(BEFORE, BEFORE.replace(old, new, 1)).whole


def test_more_imports_are_named() -> None:
    after = BEFORE.replace(
        "import functools\n",
        "import functools\nimport os.path\nfrom . import utils, virtualized as V\n",
    )
    found = effect(BEFORE, after)
    assert not found.whole and {*found.imports} == {
        ("os.path", ""),
        (".", "utils"),
        (".", "virtualized"),
    }


def test_a_module_that_is_gone() -> None:
    assert effect(BEFORE, "").whole and not effect(BEFORE, BEFORE).whole
