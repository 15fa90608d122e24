"""Whose GPUs the torch of this process is for: it decides a part of that when Inductor is imported."""

from __future__ import annotations

import sys

from pytest_compile_golden.errors import TargetUnavailable

# It and what it imports ask torch.version.hip while they are imported: for defaults of the configuration, and for which
# templates and heuristics there are (torch/_inductor/config.py, torch/_inductor/template_heuristics/triton.py).
_DECIDES = "torch._inductor.config"


class _Process:
    """What this process was made, by the first target that asked; neither can be undone."""

    maker: str | None = None
    target = ""


def become(maker: str, target: str, hip: str | None) -> None:
    """Have torch be one for the GPUs of that maker, as `target` needs it, for the rest of the process.

    hip: what such a torch says of itself in `torch.version.hip`; None to leave torch as it is.

    Raises TargetUnavailable where the process is for another maker's already.
    """
    if _Process.maker == maker:
        return
    if _Process.maker is not None:
        raise TargetUnavailable(
            f"{target} and {_Process.target} cannot be compiled for in one process: torch decides when it is imported "
            f"whose GPUs it is for. Give each a run of its own: --compile-golden-target={target}."
        )
    if hip is not None and not _is_rocms():
        if _DECIDES in sys.modules:
            raise TargetUnavailable(
                f"{target} cannot be compiled for in a process that has imported Inductor, which decides then whose "
                "GPUs it is for. Enter the target first, in a process of its own; in a run of pytest, choose it with "
                f"--compile-golden-target={target}, and import torch._inductor in no conftest.py."
            )
        import torch

        torch.version.hip, torch.version.cuda = hip, None
    _Process.maker, _Process.target = maker, target


def _is_rocms() -> bool:
    import torch

    return torch.version.hip is not None
