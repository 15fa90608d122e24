"""The words that all layers share: kinds of change, the torch versions that are supported, what is done by default."""

from __future__ import annotations

from typing import Final, Literal, get_args

OLDEST_TORCH: Final = "2.11"
NEWEST_TORCH: Final = "2.15"
"""The newest release that the probes and goldens were made with; later ones work as far as their internals agree."""

SWITCH: Final = "--compile-golden"
"""The option that turns the cases on; every other option's name begins with it."""
CACHE: Final = "compile-golden"
"""Our folder in pytest's cache, where a failing run leaves its artifacts unless it is told where."""

PYTEST_FILES: Final = (
    "pytest.toml",
    ".pytest.toml",
    "pytest.ini",
    ".pytest.ini",
    "pyproject.toml",
    "tox.ini",
    "setup.cfg",
)
"""Where pytest looks for its configuration in a folder, in this order."""

DEFAULT_TARGETS: Final = ("cuda-sm90", "cpu-avx2")
DEFAULT_TARGET: Final = DEFAULT_TARGETS[0]
"""What `capture` compiles for outside of a case."""

KERNEL_STAGES: Final = ("triton_code", "cpp_code")
"""The stages that are kernels' source, of which a target has one."""

KernelConfigs = Literal["first", "all"]
"""In which of the configurations that are offered for a Triton kernel it is compiled."""

ChangeKind = Literal["new", "absent", "metric", "structural", "cosmetic"]
"""How an artifact differs from its golden: `new` has none, `absent` is a golden that this compile has no stage for."""

UpdateKind = Literal["new", "cosmetic", "metric", "structural"]
"""The kinds that a person accepts one by one; `absent` goes with `structural`."""
UPDATE_KINDS: Final[tuple[UpdateKind, ...]] = get_args(UpdateKind)


def update_kind(kind: ChangeKind) -> UpdateKind:
    """Under which kind a change is accepted."""
    return "structural" if kind == "absent" else kind
