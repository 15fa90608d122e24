"""Inductor's settings with the values that torch's own configuration fuzzer would try (torch/_inductor/fuzzer.py)."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Literal, Union, get_args, get_origin

from pytest_compile_golden.observe.config import patched
from pytest_compile_golden.targets.patching import Patches
from pytest_compile_golden.torch_names import device, inductor
from pytest_compile_golden.torch_names import numerics as torch_names

_ASIDE = re.compile(
    # What is built, cached, launched, timed and shown, and how; or what a check sets itself.
    r"TYPE_CHECKING|_TESTING_ONLY|cache|debug|log|progress|profil|autotun|benchmark|subproc|parallel|thread|worker"
    r"|proton|timeout|dump|metric|save_args|search_|harness|_backend$|cpp_wrapper|fx_wrapper|fallback_random|cubin"
    r"|cudagraph|launch|quiesce|names$|name_max|hook|warn|origin$|nightly|device_detection|multi_kernel|coordinate"
    r"|supplement|are_deterministic|for_aot|compiled_regions"
    # Collectives, of which a check has none.
    r"|bucket|reduce_scatters|_bw$|prefetch|_for_comp"
    # Promises that a program may break, and numbers that must be powers of two.
    r"|fast_math|unsafe|^assume_|_alignment_|simdlen|[xr]block$|split_size$|min_partitions"
)
# Other devices, compilers that are not installed, packaging, and switches of torch's own tests.
_GROUPS = re.compile(r"aot_inductor|aten_dist|autoheur|cuda|cutlass|halide|lookup|mtia|rocm|test_configs|trace|xpu")
_OF_DEVICE = {"cpu": "cpp.", "cuda": "triton."}


def settings(device_type: str, seed: int) -> dict[str, Any]:
    """A non-default value, by name, for each of Inductor's settings that may affect what code computes.

    Switches are toggled, named choices are replaced with another one, and numbers are drawn the way torch draws them.
    """
    config = inductor.CONFIG.get()
    sampling = torch_names.FUZZER_SAMPLING.get()
    sample = sampling.dispatch(sampling.TOGGLE)
    values = {}
    before = random.getstate()
    try:
        for name in sorted(config._config):
            entry = config._config[name]
            hint = config.get_type(name)
            if torch_names.DEPRECATED.of(entry) or not (_varied(name, device_type) and _enumerable(hint)):
                continue
            random.seed(f"{seed} {name}")  # independent of which other settings this torch has
            value = sample(name, hint, entry.default)
            if value != getattr(config, name):
                values[name] = value
    finally:
        random.setstate(before)
    return values


def _varied(name: str, device_type: str) -> bool:
    group = name.partition(".")[0] if "." in name else ""
    others = {prefix for device, prefix in _OF_DEVICE.items() if device != device_type}
    return not (
        name[0] == "_"
        or name in torch_names.FUZZER_DEFAULTS.get()[inductor.CONFIG.at]
        or f"{group}." in others
        or _GROUPS.match(group)
        or _ASIDE.search(name)
    )


def _enumerable(hint: Any) -> bool:
    """Whether made-up values of a type mean anything to the code that reads the setting: no text, function or table."""
    if get_origin(hint) in (Union, type(int | None)):
        return all(kind is type(None) or _enumerable(kind) for kind in get_args(hint))
    return hint in (bool, int, float) or get_origin(hint) is Literal


@contextmanager
def applied(values: Mapping[str, Any]) -> Iterator[list[str]]:
    """Apply these settings until the block ends; gives the generated code, without lines that only repeat settings."""
    codes: list[str] = []

    def save_output_code(code: str) -> None:
        codes.append(re.sub(r"^ *(#.*|inductor_meta=.*|.*_inductor_config.*)\n", "", code, flags=re.M))

    with patched(values), Patches() as patches:
        patches.replace(*device.SAVE_OUTPUT_CODE.resolve(), save_output_code)
        yield codes
