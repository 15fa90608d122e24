"""Which of a case's changes moves how much of each number: a cost is a sum over values, each with an owner.

A number such as `bytes_accessed` is a sum over what kernels move, compute and launch. What differs in it belongs to
the change that shows in the value that costs more or less: one of a graph, if only one side computes it, or one of the
schedule, if both do. A difference that no change owns is unexplained.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from pytest_compile_golden.formats.metrics.metric_table import (
    DIRECTIONS,
    NOT_COMPARED,
)
from pytest_compile_golden.goldens.case_changes import CaseChanges
from pytest_compile_golden.goldens.compare_artifact import Compared
from pytest_compile_golden.goldens.cost_owners import (
    COUNTED,
    NO_OWNER,
    CostOwners,
    Owner,
    Shares,
    only_owner,
)
from pytest_compile_golden.goldens.peak_owners import PeakOwners
from pytest_compile_golden.goldens.ranking import (
    JudgedNumber,
    Parts,
    metric_name,
)

_OF_KERNELS = ("bytes_accessed", "flops", "kernels", "extern_kernels")
"""Metrics that are sums over kernels."""
_TAKING_TIME = ("bytes_accessed", "flops", "kernels")
"""What the least time is the time of, by how much it mostly takes."""


def parts(
    compared: Sequence[Compared], found: CaseChanges, metrics: Sequence[JudgedNumber]
) -> dict[str, Parts]:
    """For each of a case's metrics that moved, by how much each change moves it, by the key of the change."""
    return {
        name: summed(of_metric)
        for name, of_metric in shares(compared, found, metrics).items()
    }


def summed(of_metric: Shares) -> Parts:
    """The shares by the keys of changes."""
    amounts = defaultdict[str, float](float)
    for owner, amount in of_metric.items():
        amounts[owner.key] += amount
    return {key: amount for key, amount in amounts.items() if amount}


def shares(
    compared: Sequence[Compared], found: CaseChanges, metrics: Sequence[JudgedNumber]
) -> dict[str, Shares]:
    """For each of a case's metrics that moved, by how much each change moves it.

    compared: everything that is known of the case, also what is the same on both sides.
    """
    differing = [metric for metric in metrics if _amount(metric)]
    if not differing:
        return {}
    owners = CostOwners(compared, found)
    every: dict[str, Shares] = {}
    times: list[JudgedNumber] = []
    for metric in differing:
        name = metric_name(metric)
        if name == "bytes_accessed" and owners.costs_known and not owners.differs:
            every[metric.name] = {COUNTED: _amount(metric)}
            continue
        if (key := owners.itself(metric)) is not None:
            every[metric.name] = {Owner(key): _amount(metric)}
            continue
        if name == "least_time":
            times.append(metric)
            continue
        if name not in _OF_KERNELS and (
            DIRECTIONS.get(name) is None or name in NOT_COMPARED
        ):
            continue
        capture = metric.name.removesuffix(name)
        if name == "kernels" and (
            order := owners.order_that_makes(_amount(metric), capture)
        ):
            every[metric.name] = {order: _amount(metric)}
        elif name in _OF_KERNELS:
            every[metric.name] = _of_sum(metric, owners)
        elif name == "saved_bytes":
            every[metric.name] = owners.of_saved(capture, _amount(metric))
        elif name == "peak_memory":
            every[metric.name] = PeakOwners(owners).of_peak(capture, _amount(metric))
        else:
            every[metric.name] = {owners.only(name): _amount(metric)}
    for metric in times:
        capture = metric.name.removesuffix("least_time")
        every[metric.name] = _of_time(
            _amount(metric),
            [every.get(f"{capture}{name}", {}) for name in _TAKING_TIME],
        ) or {owners.of_nothing("least_time"): _amount(metric)}
    return every


def _of_sum(metric: JudgedNumber, owners: CostOwners) -> Shares:
    """The shares of a sum over kernels, with what is left of it."""
    name, whole = metric_name(metric), _amount(metric)
    capture = metric.name.removesuffix(name)
    amounts = defaultdict[Owner, float](float)
    for owner, amount in owners.differences(name, capture):
        amounts[owner] += amount
    for owner in [*amounts]:
        if owners.is_contrary(owner, name, amounts[owner]):
            amounts[NO_OWNER] += amounts.pop(owner)
    left = whole - sum(amounts.values())
    if left and not owners.recorded(name, capture):
        # What is missing may be of another change.
        owner = only_owner(amounts) or owners.of_nothing(name)
        return {owner._replace(guessed=owner != NO_OWNER): whole}
    if left and name == "bytes_accessed" and owners.costs_known:
        # The metric is torch's own sum, over its operations; what no kernel reads or writes is its accounting.
        amounts[COUNTED] += left
    elif left:
        amounts[NO_OWNER if amounts else owners.of_nothing(name)] += left
    if name != "flops":  # which a value costs only where it is computed
        net(amounts)
    return {owner: amount for owner, amount in amounts.items() if amount}


def net(amounts: dict[Owner, float]) -> None:
    """Takes from what is unexplained, and from parts that go the other way, what both have: they may be halves of one
    value, which is another one on each side. Of several parts first from the one that is most alike in size."""
    left = abs(amounts.get(NO_OWNER, 0))
    for owner in sorted(amounts, key=lambda each: abs(abs(amounts[each]) - left)):
        unexplained = amounts.get(NO_OWNER, 0)
        if owner not in (NO_OWNER, COUNTED) and amounts[owner] * unexplained < 0:
            both = min(abs(amounts[owner]), abs(unexplained))
            amounts[owner] += both if amounts[owner] < 0 else -both
            amounts[NO_OWNER] += both if unexplained < 0 else -both


def _of_time(amount: float, every: Sequence[Shares]) -> Shares:
    """The shares of the least time, by those of the first of these metrics that moves it; empty if none does."""
    for of_metric in every:
        moving = {
            owner: share
            for owner, share in of_metric.items()
            if share * amount > 0 and owner != COUNTED
        }
        if moving:
            whole = sum(moving.values())
            return {owner: amount * share / whole for owner, share in moving.items()}
    return {}


def _amount(metric: JudgedNumber) -> float:
    if isinstance(metric.old, (int, float)) and isinstance(metric.new, (int, float)):
        return metric.new - metric.old
    return 0.0
