"""Interpreters and installable torches for tests of other versions: real processes, real pip, tiny wheels."""

from __future__ import annotations

import base64
import hashlib
import os
import sys
import sysconfig
import zipfile
from pathlib import Path


def interpreter(
    folder: Path, name: str, python: str | Path = sys.executable, **environment: str
) -> Path:
    """An executable that passes for a separate Python: it runs `python`, with `environment` set for everything."""
    path = folder / name
    settings = " ".join(f"{key}='{value}'" for key, value in environment.items())
    path.write_text(f'#!/bin/sh\n{settings} exec "{python}" "$@"\n')
    path.chmod(0o755)
    return path


def with_default(name: str, value: object) -> str:
    """A module that makes this the default of a setting of Inductor, which torch mostly takes from a variable."""
    return (
        "from torch._inductor import config\n\n"
        f"config._config[{name!r}].default = {value!r}\n"
    )


def path_with(folder: Path) -> str:
    """PYTHONPATH, with a folder of modules in front."""
    return os.pathsep.join(filter(None, (str(folder), os.environ.get("PYTHONPATH"))))


def wheel(folder: Path, name: str, version: str, files: dict[str, str]) -> None:
    """Write a wheel with these files, relative to site-packages."""
    folder.mkdir(exist_ok=True)
    info = f"{name}-{version}.dist-info"
    files = {
        **files,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = ""
    for path, text in files.items():
        digest = (
            base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest())
            .rstrip(b"=")
            .decode()
        )
        record += f"{path},sha256={digest},{len(text.encode())}\n"
    with zipfile.ZipFile(folder / f"{name}-{version}-py3-none-any.whl", "w") as archive:
        for path, text in files.items():
            archive.writestr(path, text)
        archive.writestr(f"{info}/RECORD", record + f"{info}/RECORD,,\n")


def index(folder: Path, *versions: str) -> str:
    """pip's arguments for a folder of wheels: torch in all `versions`, and one that adds this package and pytest."""
    for version in versions:
        wheel(
            folder,
            "torch",
            version,
            {"torch/__init__.py": f"__version__ = {version!r}\n"},
        )
    # The environment's own packages come first on the path, and so does its torch.
    here = f"{Path(__file__).parents[1]}\n{sysconfig.get_paths()['purelib']}\n"
    wheel(folder, "paper_cases", "1.0", {"paper_cases.pth": here})
    return f"--no-index --find-links {folder}"
