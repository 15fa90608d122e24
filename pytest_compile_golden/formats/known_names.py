"""Names that an assert may ask for although a compile has none of them; others are mistakes. Imports no torch."""

from __future__ import annotations

import functools
import re
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from pytest_compile_golden.common.name_matching import joined, near
from pytest_compile_golden.errors import UnknownName, UnknownPass
from pytest_compile_golden.formats.canonical_text import without_overload

_ELSEWHERE = "If it exists only on other torch versions, pass missing_ok=True."
# Where Dynamo's graphs call functions and methods of.
_PYTHON = (
    "torch",
    "torch.Tensor",
    "torch.nn.functional",
    "torch.fft",
    "torch.linalg",
    "torch.special",
)


def check_pass(name: str, there: Iterable[str], callers: Iterable[str]) -> None:
    """Raise UnknownPass for a pass that is not in the ledger and that neither torch nor the user's loaded files define,
    or that is the user's and that one of the `callers`, whose calls the ledger does not see, may have called."""
    last = re.split(r" / |\.", name)[-1]
    _check("pass", rf"\b{re.escape(last)}\b", name, list(there))
    unseen, definition = (
        list(callers),
        re.compile(rf"\b(?:def|class)\s+{re.escape(last)}\b"),
    )
    if unseen and any(map(definition.search, loaded_texts())):
        raise UnknownPass(
            f"no pass {name!r} is in the ledger, which lists what torch calls, not what your passes and backends call: "
            f"{joined(unseen)} may have run it. Assert on that one, or on what the pass does to a graph; "
            "if it is only to be absent from the ledger, pass missing_ok=True."
        )


def check_pattern(name: str, there: Iterable[str]) -> bool:
    """Whether torch has a pattern of this name, and not the user.

    Raises UnknownPass for one whose name occurs neither here, nor in torch's passes or the user's functions.
    """
    return _check("pattern", re.escape(name), name, list(there))


def _check(kind: str, expression: str, name: str, there: list[str]) -> bool:
    if re.search(expression, torch_text()):
        return True
    if _is_users(rf"\w*(?:{expression})\w*"):
        return False
    words = {*there, *re.findall(r"\bdef (\w+)", torch_text())}
    raise UnknownPass(
        f"unknown {kind} {name!r}{near(name, sorted(words))} In this compile: {joined(there)}. {_ELSEWHERE}"
    )


def _is_users(name: str) -> bool:
    # Of the user's files only what they define: the test itself contains the name, right or wrong.
    definition = re.compile(rf"\b(?:def|class)\s+{name}\b|\b{name}\s*=")
    return any(map(definition.search, loaded_texts()))


def check_operator(name: str, there: Iterable[str]) -> None:
    """Raise UnknownName for an operator that neither torch nor the user's loaded files have.

    Does nothing in a process without torch, where a capture can only be read.
    """
    torch: Any = sys.modules.get("torch")
    registered = set() if torch is None else _registered()
    if not registered:
        return
    space, dot, _ = name.partition(".")
    if name in registered or any(
        candidate.endswith(f".{name}") for candidate in registered
    ):
        return
    if not (dot and any(candidate.startswith(f"{space}.") for candidate in registered)):
        word = name.rpartition(".")[2]
        owners = [
            sys.modules.get("operator"),
            sys.modules.get("math"),
            *(_attribute(torch, path) for path in _PYTHON),
        ]
        if any(hasattr(owner, word) for owner in owners) or _is_users(re.escape(word)):
            return
    known = [*there, *sorted(registered)]
    raise UnknownName(
        f"torch has no operator {name!r}{near(name, known)} Here: {joined(there)}. {_ELSEWHERE}"
    )


def _registered() -> set[str]:
    """Every registered operator, with and without its overload, as graphs write it: `aten.add`, `aten.add.Tensor`."""
    from pytest_compile_golden.torch_internals import device, tensors

    if not (device.ALL_OPERATORS.here and tensors.HIGHER_ORDER_TABLE.here):
        return set()
    names: list[str] = device.ALL_OPERATORS.get()()
    full = {name.replace("::", ".") for name in names}
    full |= {f"{name}.default" for name in full if name.count(".") == 1}
    full |= set(map(without_overload, full))
    return full | set(tensors.HIGHER_ORDER_TABLE.get())


def _attribute(torch: Any, path: str) -> object:
    return functools.reduce(
        lambda owner, name: getattr(owner, name, None), path.split(".")[1:], torch
    )


@functools.cache
def torch_text() -> str:
    """The source of the installed torch's passes."""
    spec = find_spec("torch")
    folders = list(spec.submodule_search_locations or ()) if spec is not None else []
    inductor = [Path(folder, "_inductor") for folder in folders]
    files = [
        path
        for folder in inductor
        for path in (
            *(folder / "fx_passes").rglob("*.py"),
            *(folder / name for name in _PASSES),
        )
    ]
    # Numbered in a loop (torch/_inductor/fx_passes/post_grad.py: post_grad_passes).
    return "\n".join(map(_text, sorted(files))) + "".join(
        f" pass_pattern_{number}" for number in range(10)
    )


_PASSES = (
    "compile_fx.py",
    "config.py",
    "pattern_matcher.py",
    "scheduler.py",
    "graph.py",
    "codegen/wrapper.py",
)


def loaded_texts() -> Iterator[str]:
    """The files of loaded modules that belong neither to Python nor to an installed package."""
    installed = [
        Path(sysconfig.get_paths()[name]) for name in ("purelib", "platlib", "stdlib")
    ]
    ours = Path(__file__).parent.parent
    files = {
        str(getattr(module, "__file__", None) or "")
        for module in list(sys.modules.values())
    }
    for file in sorted(files):
        path = Path(file)
        if path.suffix == ".py" and not any(
            path.is_relative_to(folder) for folder in (*installed, ours)
        ):
            yield _text(path)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
