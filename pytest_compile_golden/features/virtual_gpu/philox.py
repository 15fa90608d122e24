"""The random numbers of compiled graphs, as the kernels of a graph draw them: Philox, from a seed and an offset."""

from __future__ import annotations

from collections.abc import Sequence

import torch

_LOW = 0xFFFFFFFF
_KEYS = 0x9E3779B9, 0xBB67AE85
_ROUNDS = 0xD2511F53, 0xCD9E8D57
_SCALE = 4.6566127342e-10
_PI2 = 6.283185307179586


def seeds(count: int, device: torch.device) -> torch.Tensor:
    """Seeds, drawn as the generated code draws them (torch/_inductor/ir.py: RandomSeeds)."""
    limits = torch.iinfo(torch.int64)
    return torch.randint(
        limits.min, limits.max, (count,), dtype=torch.int64, device=device
    )


def floats(
    size: Sequence[int], seed: torch.Tensor, normal: bool, by_four: bool
) -> torch.Tensor:
    """float32 numbers of this shape (torch/_inductor/lowering.py: inductor_random).

    seed: int64, of no dimensions. normal: from the normal distribution, instead of [0, 1).
    by_four: whether a kernel uses all four numbers of a draw, as those in one dimension do (triton_helpers.py: rand4x).
    """
    elements = int(torch.Size(size).numel())
    # A block of less than four elements draws one by one (triton_helpers.py: rand4x).
    by_four = by_four and elements > 2
    counters = torch.arange(
        -(-elements // 4) if by_four else elements, device=seed.device
    )
    uniform = [_uniform(bits) for bits in philox(seed, counters)]
    if normal:
        uniform = [*_normal(*uniform[:2]), *_normal(*uniform[2:])]
    drawn = torch.stack(uniform, 1).flatten()[:elements] if by_four else uniform[0]
    return drawn.view(tuple(size))


def integers(
    low: int, high: int, size: Sequence[int], seed: torch.Tensor
) -> torch.Tensor:
    """int64 numbers in [low, high) (torch/_inductor/runtime/triton_helpers.py: randint64)."""
    first, second, _, _ = philox(
        seed, torch.arange(int(torch.Size(size).numel()), device=seed.device)
    )
    span = high - low
    # 64 bits without a sign do not fit in int64: the remainder is taken of the halves.
    remainder = (((second % span) * (2**32 % span)) % span + first % span) % span
    if span >= 2**31:  # a product of two remainders would not fit, either
        exact = [
            (int(a) | int(b) << 32) % span
            for a, b in zip(first.tolist(), second.tolist(), strict=True)
        ]
        remainder = torch.tensor(exact, dtype=torch.int64, device=seed.device)
    return (remainder + low).view(tuple(size))


def philox(seed: torch.Tensor, counters: torch.Tensor) -> list[torch.Tensor]:
    """Four numbers of 32 bits, in int64, for each counter below 2**32 (triton/language/random.py: philox_impl)."""
    keys = [seed & _LOW, (seed >> 32) & _LOW]
    zero = torch.zeros_like(counters)
    state = [counters & _LOW, zero, zero, zero]
    for _ in range(10):
        first, second = state[0], state[2]
        state = [
            _high(_ROUNDS[1], second) ^ state[1] ^ keys[0],
            (second * _ROUNDS[1]) & _LOW,
            _high(_ROUNDS[0], first) ^ state[3] ^ keys[1],
            (first * _ROUNDS[0]) & _LOW,
        ]
        keys = [(key + step) & _LOW for key, step in zip(keys, _KEYS, strict=True)]
    return state


def _high(constant: int, numbers: torch.Tensor) -> torch.Tensor:
    """The upper 32 bits of a product of numbers of 32 bits, which int64 does not hold."""
    return (numbers * (constant >> 16) + ((numbers * (constant & 0xFFFF)) >> 16)) >> 16


def _uniform(bits: torch.Tensor) -> torch.Tensor:
    """triton/language/random.py: uint_to_uniform_float."""
    signed = torch.where(bits >= 1 << 31, bits - (1 << 32), bits)
    return torch.where(signed < 0, -signed - 1, signed).to(torch.float32) * _SCALE


def _normal(
    first: torch.Tensor, second: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """triton/language/random.py: pair_uniform_to_normal."""
    angle = _PI2 * second
    radius = torch.sqrt(-2.0 * torch.log(first.clamp(min=1.0e-7)))
    return radius * torch.cos(angle), radius * torch.sin(angle)
