"""A device's peak rates, and the least time that follows from them. Imports no torch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Bound = Literal["memory", "compute", "launch"]


@dataclass(frozen=True)
class Rates:
    """The peak rates of a device, as its data sheet gives them, without sparsity."""

    matrix: Mapping[str, float]
    """TFLOP/s of matrix products, by the type of the operands: `f64`, `f32`, `tf32`, `bf16`, `f16`, `f8`, `i8`."""
    vector: Mapping[str, float]
    """TFLOP/s of everything else, by the type of the computation: `f64`, `f32`."""
    bandwidth: float
    """GB/s of its memory, where a G is 10**9."""
    launch_us: float
    """Microseconds that an empty kernel takes when it is started right after another one."""
    source: str
    """Where the numbers come from."""

    def lower_bound(
        self, moved: int, matrix: Mapping[str, int], vector: Mapping[str, int], launches: int
    ) -> LowerBound:
        """The least time for `moved` bytes and these operations, by type: memory and both kinds of units overlap."""
        memory = moved / self.bandwidth
        products = sum(flops / self._rate(self.matrix, dtype) for dtype, flops in matrix.items())
        others = sum(flops / self._rate(self.vector, dtype) for dtype, flops in vector.items())
        compute = max(products, others) / 1000
        launch = self.launch_us * 1000 * launches
        bound: Bound = "launch" if launch > max(memory, compute) else "memory" if memory >= compute else "compute"
        return LowerBound(round(launch + max(memory, compute)), bound)

    @staticmethod
    def _rate(rates: Mapping[str, float], dtype: str) -> float:
        """A type that the device has no units for is as fast as float32, to which it is converted."""
        return rates.get("f8" if dtype.startswith("float8") else dtype) or rates["f32"]


@dataclass(frozen=True)
class LowerBound:
    """A least time, and what it is bound by."""

    ns: int
    bound: Bound
