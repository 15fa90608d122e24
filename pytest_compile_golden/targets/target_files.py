"""Virtual targets from files: a device's properties as JSON, to compile for another machine's device."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Annotated, Any

import msgspec

from pytest_compile_golden.common import json_files
from pytest_compile_golden.errors import CompileGoldenError
from pytest_compile_golden.targets.device_properties import (
    CpuProperties,
    CudaProperties,
    CudaRuntime,
    Rates,
)
from pytest_compile_golden.targets.devices import GPUS_PER_NODE
from pytest_compile_golden.targets.target import Target, register_target
from pytest_compile_golden.targets.virtual_cpu import VirtualCpu
from pytest_compile_golden.targets.virtual_cuda import VirtualCuda, VirtualRocm

_LARGEST = 1 << 16
_Name = Annotated[str, msgspec.Meta(min_length=1)]


class _Cpu(msgspec.Struct, tag_field="device", tag="cpu"):
    target: _Name
    properties: CpuProperties
    rates: Rates | None = None


class _Cuda(msgspec.Struct, tag_field="device", tag="cuda"):
    target: _Name
    properties: CudaProperties
    runtime: CudaRuntime | None = None
    rates: Rates | None = None
    gpus_per_node: Annotated[int, msgspec.Meta(ge=1)] = GPUS_PER_NODE


def describe(target: VirtualCpu | VirtualCuda) -> str:
    """The target as JSON."""
    facts: dict[str, Any] = {"target": target.name, "device": target.device_type}
    facts["properties"] = dataclasses.asdict(target.properties)
    if isinstance(target, VirtualCpu):
        facts["properties"]["flags"] = sorted(target.properties.flags)
    else:
        facts["runtime"] = (
            None if target.runtime is None else dataclasses.asdict(target.runtime)
        )
        facts["gpus_per_node"] = target.gpus_per_node
    if target.rates is not None:
        facts["rates"] = dataclasses.asdict(target.rates)
    return json_files.render(facts)


def parse(text: str, where: str) -> Target:
    """The target that `text` describes. Raises CompileGoldenError if it does not describe one."""
    try:
        device = msgspec.json.decode(text, type=_Cpu | _Cuda)
        # msgspec ignores unknown properties: they are typos, or from a device that cannot be described.
        facts, properties = msgspec.json.decode(text), msgspec.to_builtins(device)
        for part in ("properties", "runtime", "rates"):
            for name in facts.get(part) or ():
                if name not in properties[part]:
                    raise ValueError(f"{part} have no {name}")
    except (ValueError, RecursionError) as error:
        raise CompileGoldenError(
            f"{where} does not describe a device ({error}). "
            "`compile-golden fidelity --record DIR` writes DIR/device.json for the machine that it runs on."
        ) from None
    if isinstance(device, _Cpu):
        return VirtualCpu(device.target, device.properties, device.rates)
    kind = VirtualRocm if device.properties.gcnArchName else VirtualCuda
    return kind(
        device.target,
        device.properties,
        device.runtime,
        device.rates,
        device.gpus_per_node,
    )


def register(path: Path) -> Target:
    """Read a description and register its target. Raises CompileGoldenError if there is none to read."""
    try:
        with path.open(encoding="utf-8") as file:
            text = file.read(_LARGEST)
    except (OSError, UnicodeDecodeError) as error:
        raise CompileGoldenError(
            f"cannot read the device description {path}: {error}"
        ) from None
    return register_target(parse(text, str(path)))
