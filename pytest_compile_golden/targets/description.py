"""Virtual targets from files: a device's properties as JSON, so that another machine's can be compiled for here."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

from pytest_compile_golden.errors import CompileGoldenError
from pytest_compile_golden.targets.cpu import VirtualCpu
from pytest_compile_golden.targets.cuda import VirtualCuda
from pytest_compile_golden.targets.devices import CpuProperties, CudaProperties, CudaRuntime
from pytest_compile_golden.targets.target import Target, register_target

_LARGEST = 1 << 16


def describe(target: VirtualCpu | VirtualCuda) -> str:
    """The target as JSON."""
    facts: dict[str, Any] = {"target": target.name, "device": target.device_type}
    facts["properties"] = dataclasses.asdict(target.properties)
    if isinstance(target, VirtualCpu):
        facts["properties"]["flags"] = sorted(target.properties.flags)
    else:
        facts["runtime"] = None if target.runtime is None else dataclasses.asdict(target.runtime)
    return json.dumps(facts, indent=1) + "\n"


def parse(text: str, where: str) -> Target:
    """The target that `text` describes. Raises CompileGoldenError where it describes none."""
    try:
        facts = json.loads(text)
        name, device = facts["target"], facts["device"]
        if not isinstance(name, str) or not name:
            raise ValueError("a target needs a name")
        if device == "cpu":
            return VirtualCpu(name, _made(CpuProperties, facts["properties"]))
        if device != "cuda":
            raise ValueError(f"{device!r} is neither cpu nor cuda")
        runtime = facts.get("runtime")
        return VirtualCuda(
            name,
            _made(CudaProperties, facts["properties"]),
            None if runtime is None else _made(CudaRuntime, runtime),
        )
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise CompileGoldenError(
            f"{where} describes no device ({type(error).__name__}: {error}). "
            "`compile-golden fidelity --record DIR` writes DIR/device.json for the machine that it runs on."
        ) from None


def register(path: Path) -> Target:
    """Read a description and register its target. Raises CompileGoldenError where there is none to read."""
    try:
        with path.open(encoding="utf-8") as file:
            text = file.read(_LARGEST)
    except (OSError, UnicodeDecodeError) as error:
        raise CompileGoldenError(f"cannot read the device description {path}: {error}") from None
    return register_target(parse(text, str(path)))


_KINDS: dict[str, tuple[type, ...]] = {"str": (str,), "int": (int,), "bool": (bool,), "frozenset[str]": (list,)}
_KINDS["int | None"] = (int, type(None))


def _made(kind: type[Any], facts: Any) -> Any:
    known = {each.name: str(each.type) for each in dataclasses.fields(kind)}
    for name, value in facts.items():
        if name not in known:
            raise KeyError(name)
        if type(value) not in _KINDS[known[name]]:
            raise TypeError(f"{name} is {value!r}")
    return kind(**{name: frozenset(value) if isinstance(value, list) else value for name, value in facts.items()})
