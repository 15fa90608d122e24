"""Whether the random numbers that compiled code draws itself are as good as eager's, though they are other numbers.

A program is called eight times compiled and 48 times in eager mode. Of each result that depends on random numbers,
every run has some statistics. If both sides draw from the same distribution, all 56 runs are alike, and the chance that
a statistic of all eight compiled runs lies beyond those of all 48 of eager is 2 / C(56, 8) < 1.5e-9, whatever the
distribution. At most 400 statistics are looked at in a program: less than one of a million that are right is blamed.
All seeds are fixed, so that it is blamed in each run or in none.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import NamedTuple

import torch

from pytest_compile_golden.errors import EagerFailed, NotInterpretable
from pytest_compile_golden.facts.numerics import VERDICTS, Difference
from pytest_compile_golden.features.numerics.interpreter.kernel_faults import (
    KernelFault,
)
from pytest_compile_golden.features.numerics.observation import (
    Observation,
    TensorSnapshot,
    plain,
)
from pytest_compile_golden.features.numerics.run_calls import RepeatedCall
from pytest_compile_golden.observe.torch_errors import reason

CALL = "call 1 with random numbers of the compiler's own"
_FIRST = (0, None, 1, None, 2, None, 3, None)
"""The seeds of the compiled calls; None draws on where the call before it ended."""
_TYPICAL = tuple(seed for number in range(8) for seed in (100 + number, None))
"""Of the calls in eager mode that show what is usual for each element."""
_EAGER = tuple(seed for number in range(24) for seed in (200 + number, None))
_MOST = 1 << 14
"""How many elements of a result are looked at."""
_RESULTS = 16
"""How many results of a program are looked at, and each of them with the next ones."""
_NEXT = 2
_DERIVATIVES = (0, 1, 2, 3)
"""The seeds with which derivatives are taken."""
_LARGE = 1e30
"""What infinities count as."""


class _Statistic(NamedTuple):
    """A number for each run."""

    words: str
    compiled: torch.Tensor
    eager: torch.Tensor
    matters: float
    """By how much the two sides have to be apart at least: dtypes may round random numbers in other ways."""
    less: bool = True
    """Whether less is wrong, too."""
    at: Sequence[int] = ()
    """For a correlation: how many elements apart those are that it is of, for each compiled run."""


def differences(
    eager: RepeatedCall,
    compiled: Callable[[], AbstractContextManager[RepeatedCall]],
    train: bool,
) -> Iterator[Difference]:
    """What is wrong with the numbers that compiled code draws.

    compiled: makes the compiled call, if there is anything to compare. train: whether there are gradients.
    Raises EagerFailed if each call of the program leaves something else, whatever the seed.
    """
    observed = eager.observed(0)
    first, again, other = (
        _values(each) for each in (observed, *(eager.observed(seed) for seed in (0, 1)))
    )
    if first.keys() != again.keys() or any(
        _differ(first[name], again[name]) for name in first
    ):
        raise EagerFailed(
            "a call leaves what the next one sees, so that the same seed gives something else"
        )
    names = [
        name for name in first if name in other and _differ(first[name], other[name])
    ][:_RESULTS]
    if not names:  # nothing that the program leaves depends on random numbers
        return
    slopes = [eager.derivative(seed) for seed in _DERIVATIVES] if train else []
    typical, usual = (
        [_values(eager.observed(seed)) for seed in seeds]
        for seeds in (_TYPICAL, _EAGER)
    )
    try:
        with compiled() as call:
            own = [call.observed(seed) for seed in (*_FIRST, _FIRST[0])]
            own_slopes = [call.derivative(seed) for seed in _DERIVATIVES if train]
    except (EagerFailed, KernelFault, NotInterpretable):
        raise
    except Exception as error:  # the compiler may raise anything
        text = f"compiled raises {reason(error)}, eager returns a result"
        yield Difference(CALL, "the call", "refusal", "compiled", text)
        return
    yield from _of_other_kinds(observed, own[0], names)
    *mine, repeated = map(_values, own)
    backward = _of_another_mask(slopes, own_slopes) if train else None
    results = []
    for name in names:
        runs = [[run.get(name) for run in side] for side in (typical, usual, mine)]
        # What is picked at random may have any size.
        if (
            len(
                {
                    None if value is None else value.shape
                    for side in runs
                    for value in side
                }
                - {None}
            )
            == 1
        ):
            results.append(_Result(name, *(torch.stack(side) for side in runs)))
    for result in results:
        found = _repetition(result)
        if found is None and _differ(mine[0][result.name], repeated[result.name]):
            found = "the same seed gives other numbers when the call is made again"
        found = found or _first_beyond(result.statistics())
        if found is not None:
            yield _difference(result.name, found)
    for number, result in enumerate(results):
        for following in results[number + 1 : number + 1 + _NEXT]:
            found = _first_beyond(_together(result, following))
            if found is not None:
                yield _difference(f"{result.name} and {following.name}", found)
    if backward is not None:
        yield _difference("gradients", backward)


def _of_other_kinds(
    eager: Observation, compiled: Observation, names: Sequence[str]
) -> Iterator[Difference]:
    """The results with another dtype or class than in eager."""
    for name in names:
        mine, theirs = (side.values.get(name) for side in (eager, compiled))
        if isinstance(mine, TensorSnapshot) and isinstance(theirs, TensorSnapshot):
            for fact in ("class", "dtype", "layout"):
                one, other = mine.facts[fact], theirs.facts[fact]
                if one != other:
                    text = f"compiled has {fact} {other}, eager {one}"
                    yield Difference(CALL, name, fact, "compiled", text)


class _Result:
    """A result that depends on random numbers, in all runs: one row for each, of the elements that vary."""

    def __init__(
        self,
        name: str,
        typical: torch.Tensor,
        eager: torch.Tensor,
        compiled: torch.Tensor,
    ) -> None:
        self.name = name
        self.compiled, self.eager = compiled, eager
        self._typical = typical

    @functools.cache  # noqa: B019  # for as long as the result lives, which is one check
    def residuals(self, size: bool) -> tuple[torch.Tensor, torch.Tensor]:
        """How unusual each element is, of the compiled runs and of eager's: in standard deviations, at most 8.

        size: of its absolute value, which shows a mask over numbers of either sign.
        """
        sides = [
            each.abs() if size else each
            for each in (self._typical, self.compiled, self.eager)
        ]
        typical = sides[0].nan_to_num(posinf=_LARGE, neginf=-_LARGE)
        mean, deviation = typical.mean(0), typical.std(0)
        varies = deviation > 1e-6 * mean.abs().clamp(min=1e-30)
        compiled, eager = (
            torch.where(
                varies,
                (side.nan_to_num(posinf=_LARGE, neginf=-_LARGE) - mean) / deviation,
                0.0,
            ).clamp(-8, 8)
            for side in sides[1:]
        )
        return compiled, eager

    def statistics(self) -> Iterator[_Statistic]:
        spread = float(self._typical.nan_to_num(posinf=0, neginf=0).std())
        for words, extreme in (("smallest", torch.amin), ("largest", torch.amax)):
            compiled, eager = (
                extreme(side.nan_to_num(posinf=_LARGE, neginf=-_LARGE), 1)
                for side in (self.compiled, self.eager)
            )
            yield _Statistic(f"the {words} number", compiled, eager, 0.01 * spread)
        for size in (False, True) if bool((self._typical < 0).any()) else (False,):
            of = "the numbers' absolute values" if size else "the numbers"
            compiled, eager = self.residuals(size)
            for words, power, matters in (
                ("mean", 1, 0.02),
                ("variance", 2, 0.05),
                ("skewness", 3, 0.15),
            ):
                yield _Statistic(
                    f"the {words} of {of}, in eager's standard deviations",
                    (compiled**power).mean(1),
                    (eager**power).mean(1),
                    matters,
                )
            if compiled.shape[1] > 1:
                mine, at = _correlation(compiled, compiled, skip=True)
                theirs, _ = _correlation(eager, eager, skip=True)
                yield _Statistic(
                    f"the largest correlation of {of}, some elements apart",
                    mine,
                    theirs,
                    0.05,
                    False,
                    at,
                )
        compiled, eager = (
            torch.tensor([1 - len(run.unique()) / len(run) for run in runs])
            for runs in (self.compiled, self.eager)
        )
        yield _Statistic(
            "the share of numbers that another element has, too",
            compiled,
            eager,
            0.1,
            False,
        )


def _of_another_mask(
    eager: list[tuple[float, float]], compiled: list[tuple[float, float]]
) -> str | None:
    """Whether backward does not belong to forward. In eager it does, unless the program has no such derivative."""
    usual, most = (
        max(abs(apart) / typical if typical else 0.0 for apart, typical in side)
        for side in (eager, compiled)
    )
    if not (most > 0.2 and most > 8 * usual):
        return None
    return (
        "with the same seed, a small step changes what forward returns by something else than the gradients say: by "
        f"{most:.2g} of their size, in eager by {usual:.2g}; backward uses other random numbers"
    )


def _difference(what: str, text: str) -> Difference:
    return Difference(
        CALL, what, "random", "compiled", text, reason=VERDICTS["compiled"]
    )


def _values(observation: Observation) -> dict[str, torch.Tensor]:
    """The first elements of each tensor, in one dimension."""
    return {
        name: plain(value.values).flatten()[:_MOST].double()
        for name, value in observation.values.items()
        if isinstance(value, TensorSnapshot) and value.values.numel()
    }


def _differ(one: torch.Tensor, other: torch.Tensor) -> bool:
    """Whether they are apart by more than another order of additions may put them."""
    return one.shape != other.shape or not torch.allclose(
        one, other, rtol=1e-3, atol=1e-6, equal_nan=True
    )


def _repetition(result: _Result) -> str | None:
    """Runs that give the same numbers. Where each of 47 pairs of eager's runs differs, by chance in 1e-7 of cases."""
    if any(not _differ(one, other) for one, other in itertools.pairwise(result.eager)):
        return None
    runs = result.compiled
    if not any(_differ(run, runs[0]) for run in runs[1:]):
        return "every call gives the same numbers, with any seed"
    if not any(
        _differ(run, runs[number]) for number in (0, 1) for run in runs[number::2]
    ):
        return "each seed gives the same numbers"
    if not any(
        _differ(runs[number], runs[number + 1]) for number in range(0, len(runs), 2)
    ):
        return "two calls, one after the other, give the same numbers"
    # If any two runs may be alike, six of 56 that are would all be compiled ones by chance in 28 / C(56, 6) < 1e-6.
    if len(_alike(runs)) >= len(runs) - 2 and not _alike(result.eager):
        return "calls with different seeds give the same numbers"
    return None


def _alike(runs: torch.Tensor) -> set[int]:
    """The runs that give what another one gives."""
    pairs = itertools.combinations(range(len(runs)), 2)
    alike = [pair for pair in pairs if not _differ(runs[pair[0]], runs[pair[1]])]
    return {*itertools.chain.from_iterable(alike)}


def _together(one: _Result, other: _Result) -> Iterator[_Statistic]:
    """How two results depend on each other."""
    for size in (False, True):
        mine, theirs = one.residuals(size), other.residuals(size)
        compiled, at = _correlation(mine[0], theirs[0])
        eager, _ = _correlation(mine[1], theirs[1])
        of = "their absolute values" if size else "the two"
        yield _Statistic(
            f"the largest correlation of {of}, some elements apart",
            compiled,
            eager,
            0.05,
            at=at,
        )


def _correlation(
    one: torch.Tensor, other: torch.Tensor, skip: bool = False
) -> tuple[torch.Tensor, list[int]]:
    """For each run the largest correlation between the elements of one and those of the other any distance after them,
    and that distance. skip: leaves out the distance 0."""
    length = max(one.shape[1], other.shape[1])
    spectra = [
        torch.fft.rfft(side - side.mean(1, keepdim=True), 2 * length)
        for side in (one, other)
    ]
    products = torch.fft.irfft(spectra[0].conj() * spectra[1], 2 * length)
    power = [((side - side.mean(1, keepdim=True)) ** 2).sum(1) for side in (one, other)]
    norm = (power[0] * power[1]).sqrt()
    if skip:
        products[:, 0] = 0
    largest = products.abs().amax(1)
    nearly = products.abs()[:, :length] > 0.8 * largest[:, None]
    return torch.where(norm > 0, largest / norm, 0.0), nearly.int().argmax(1).tolist()


def _first_beyond(statistics: Iterator[_Statistic]) -> str | None:
    """The first statistic of which all compiled runs lie beyond all of eager's."""
    for words, compiled, eager, matters, less, at in statistics:
        above, below = (
            float(compiled.min() - eager.max()),
            float(eager.min() - compiled.max()),
        )
        if (above > 0 or (less and below > 0)) and abs(
            float(compiled.median() - eager.median())
        ) > matters:
            apart = (
                f" ({max(set(at), key=list(at).count)} elements apart)" if at else ""
            )
            return (
                f"{words}: {float(compiled.min()):.4g} to {float(compiled.max()):.4g} in 8 compiled runs{apart}, "
                f"{float(eager.min()):.4g} to {float(eager.max()):.4g} in 48 of eager"
            )
    return None
