"""Pass names as far as they are known without compiling, to report a misspelt one right away. Does not import torch."""

from __future__ import annotations

import re
import sys
import sysconfig
from importlib.util import find_spec
from pathlib import Path

from pytest_compile_golden.report.known_passes import KNOWN

_OBSERVED = re.compile(r'GraphTransformObserver\(\s*\w+,\s*"(\w+)"')


def torch_passes() -> list[str]:
    """The passes that torch is known to have."""
    return [*KNOWN, *_OBSERVED.findall(_torch_text())]


def certainly_unknown(name: str) -> bool:
    """Whether no pass can be called `name`; for use once the program is imported and before anything is compiled.

    True if torch has no such pass and the word is in none of the user's loaded files, which name the user's passes.
    """
    last = name.rpartition(" / ")[2].rpartition(".")[2]
    if " / " in name or name in KNOWN:
        return False
    word = re.compile(rf"\b{re.escape(last)}\b")
    return not word.search(_torch_text()) and not any(word.search(_text(path)) for path in _loaded_files())


def _torch_text() -> str:
    spec = find_spec("torch")
    folders = list(spec.submodule_search_locations or ()) if spec is not None else []
    inductor = [Path(folder, "_inductor") for folder in folders]
    files = [path for folder in inductor for path in (*(folder / "fx_passes").rglob("*.py"), folder / "compile_fx.py")]
    # Numbered in a loop (torch/_inductor/fx_passes/post_grad.py: post_grad_passes).
    return "\n".join(map(_text, sorted(files))) + "".join(f" pass_pattern_{number}" for number in range(10))


def _loaded_files() -> list[Path]:
    """The files of loaded modules that belong neither to Python nor to an installed package."""
    installed = [Path(sysconfig.get_paths()[name]) for name in ("purelib", "platlib", "stdlib")]
    ours = Path(__file__).parent.parent
    files = {str(file) for module in list(sys.modules.values()) if (file := getattr(module, "__file__", None))}
    paths = (Path(file) for file in files if file.endswith(".py"))
    return [path for path in paths if not any(path.is_relative_to(folder) for folder in (*installed, ours))]


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
