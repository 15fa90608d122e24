"""The vocabulary that all layers share: kinds of change, supported torch versions, defaults."""

from __future__ import annotations

from typing import Final, Literal, get_args

OLDEST_TORCH: Final = "2.9"
"""The oldest release that `pip` installs beside this package. No torch is refused: what one lacks is unknown there."""
NEWEST_TORCH: Final = "2.15"
"""The newest release that the probes and goldens were made with; later ones work as far as their internals match."""
NEWEST_PYTHON: Final = (3, 14)
"""The newest Python that the cases were compared on, in its ordinary build."""

INDUCTOR: Final = "inductor"
AOT_INDUCTOR: Final = "aot_inductor"
"""The backends that compile down to kernels, as captures name them."""

SWITCH: Final = "--compile-golden"
"""The option that turns the cases on; every other option's name begins with it."""
CACHE: Final = "compile-golden"
"""Our folder in pytest's cache, where a failing run leaves its artifacts unless told otherwise."""

VIRTUAL_GPU: Final = "COMPILE_GOLDEN_VIRTUAL_GPU"
"""The variable by which a process has a virtual GPU: its name, how many there are, and what graphs compute."""

PYTEST_FILES: Final = (
    "pytest.toml",
    ".pytest.toml",
    "pytest.ini",
    ".pytest.ini",
    "pyproject.toml",
    "tox.ini",
    "setup.cfg",
)
"""The files in which pytest looks for its configuration in a folder, in this order."""

DEFAULT_TARGETS: Final = ("cuda-sm90", "cpu-avx2")
DEFAULT_TARGET: Final = DEFAULT_TARGETS[0]
"""What `capture` compiles for outside of a case."""

KERNEL_STAGES: Final = ("triton_code", "cpp_code")
"""The stages that hold the source of kernels that Inductor writes and we can compile; a target has one of them."""
CODE_STAGES: Final = (*KERNEL_STAGES, "template_code")
"""The stages that hold kernel source."""

KernelConfigs = Literal["first", "all"]
"""Which of the configurations offered for a Triton kernel it is compiled in."""

ChangeKind = Literal["new", "absent", "metric", "structural", "cosmetic"]
"""How an artifact differs from its golden: `new` has no golden, `absent` is a golden whose stage this compile lacks."""

UpdateKind = Literal["new", "cosmetic", "metric", "structural"]
"""The kinds that a user can accept one by one; `absent` goes with `structural`."""
UPDATE_KINDS: Final[tuple[UpdateKind, ...]] = get_args(UpdateKind)


def update_kind(kind: str) -> str:
    """The kind under which a change is accepted."""
    return "structural" if kind == "absent" else kind
