"""Further spellings of names, from files: a new torch can be read the same day, without a release of this package.

`compile-golden doctor --sources ... --write` writes the project's; a file in the user's cache serves all projects.
"""

from __future__ import annotations

import functools
import json
import re
import sys
from collections.abc import Mapping
from pathlib import Path

import platformdirs

from pytest_compile_golden.errors import CompileGoldenError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FILE = "compile-golden-names.toml"
# Never anything but torch and Triton: what a spelling names is imported.
_SPELLING = re.compile(r"(torch|triton)(\.\w+)*(:\w+(\.\w+)*)?")


@functools.cache
def given() -> Mapping[str, str]:
    """New spellings by the one that a row has. The project's file, in this folder or above it, wins over the user's.

    Raises CompileGoldenError for a file that is damaged, or names anything but torch and Triton.
    """
    here = Path.cwd()
    project = next(
        (
            folder / FILE
            for folder in (here, *here.parents)
            if (folder / FILE).is_file()
        ),
        None,
    )
    user = platformdirs.user_cache_path("pytest-compile-golden") / FILE
    return {**_read(user), **({} if project is None else _read(project))}


def write(path: Path, torch: str, spellings: Mapping[str, str]) -> None:
    """Add spellings to the file, which is made if there is none."""
    known = {**_read(path), **spellings}
    rows = [
        f"{json.dumps(old)} = {json.dumps(new)}" for old, new in sorted(known.items())
    ]
    head = f"# Private names of torch that have moved, last from the sources of {torch}; see docs/nightly.md."
    path.write_text("\n".join([head, *rows, ""]), encoding="utf-8")


def _read(path: Path) -> dict[str, str]:
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        # A cache that is no folder holds nothing.
        return {}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise CompileGoldenError(
            f"cannot read {path}: {error}. Correct or remove it."
        ) from None
    for old, new in table.items():
        if not (
            isinstance(new, str)
            and _SPELLING.fullmatch(old)
            and _SPELLING.fullmatch(new)
        ):
            raise CompileGoldenError(
                f'{path}: {old!r} = {new!r} is not a spelling of a name in torch or Triton. Write "module:Name" = '
                '"module:Name".'
            )
    return table
