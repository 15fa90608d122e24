"""The virtual GPU's random generator: activation checkpointing hands its states to compiled forward and backward."""

from __future__ import annotations

import torch


class CudaGenerator(torch.Generator):  # type: ignore[misc]
    """The generator in `torch.cuda.default_generators`. It draws nothing, so all its states are equal.

    torch/_functorch/partitioners.py (`functionalize_rng_ops`) clones it into the graphs that draw in forward and again
    in backward; torch/_prims/rng_prims.py puts the clones in its place while they run.
    """

    @property
    def device(self) -> torch.device:
        return torch.device("cuda", 0)

    def clone_state(self) -> CudaGenerator:
        return CudaGenerator()

    def graphsafe_get_state(self) -> CudaGenerator:
        return self

    def graphsafe_set_state(self, state: torch.Generator) -> CudaGenerator:
        return self
