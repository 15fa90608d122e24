"""Whose GPUs the torch of this process is for, which it decides in part when Inductor is imported."""

from __future__ import annotations

import sys

from pytest_compile_golden.errors import TargetUnavailable

# It and what it imports read torch.version.hip on import, to decide defaults of the configuration, and which templates
# and heuristics there are (torch/_inductor/config.py, torch/_inductor/template_heuristics/triton.py).
_DECIDES = "torch._inductor.config"


class _Process:
    """Whose GPUs this process is for, and the first target that asked for them; neither can be undone."""

    vendor: str | None = None
    target = ""


def impersonate(vendor: str, target: str, hip: str | None) -> None:
    """Make torch one for the GPUs of that vendor, as `target` needs it, for the rest of the process.

    hip: the `torch.version.hip` of such a torch; None to leave torch as it is.

    Raises TargetUnavailable if the process is already for another vendor's GPUs.
    """
    if _Process.vendor == vendor:
        return
    if _Process.vendor is not None:
        raise TargetUnavailable(
            f"{target} and {_Process.target} cannot be compiled for in one process: torch decides when it is imported "
            f"whose GPUs it is for. Use a separate run for each: --compile-golden-target={target}."
        )
    if hip is not None and not _is_rocm():
        if _DECIDES in sys.modules:
            raise TargetUnavailable(
                f"{target} cannot be compiled for in a process that has imported Inductor, which decides on import "
                "whose GPUs it is for. Enter the target first, in a separate process; in a run of pytest, choose it "
                f"with --compile-golden-target={target}, and do not import torch._inductor in any conftest.py."
            )
        import torch

        torch.version.hip, torch.version.cuda = hip, None
    _Process.vendor, _Process.target = vendor, target


def _is_rocm() -> bool:
    import torch

    return torch.version.hip is not None
