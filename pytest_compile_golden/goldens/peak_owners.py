"""Which of a case's changes moves the memory that it holds at once."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from pytest_compile_golden.changes.schedules import OperationsMoved
from pytest_compile_golden.goldens.cost_owners import (
    COUNTED,
    NO_OWNER,
    CostOwners,
    Owner,
    Shares,
    only_change,
    only_owner,
)
from pytest_compile_golden.goldens.peak_memory import PeakDifference, peak_differences
from pytest_compile_golden.goldens.severity import holds_rows_otherwise


class PeakOwners:
    """Finds which changes own what is held at once where a case holds most."""

    def __init__(self, owners: CostOwners) -> None:
        self._owners = owners

    def of_peak(self, capture: str, amount: float) -> Shares:
        """The owners of what is held at once: of each buffer that is held on one side only where the graph that holds
        most does so; if that is not known, of every kernel that differs in that graph, since each makes or frees a
        buffer, or else of the order in which it runs."""
        graphs = [graph for graph in self._owners.costs if graph.startswith(capture)]
        reordered = any(
            isinstance(edit, OperationsMoved)
            for name, edits in self._owners.edits.items()
            for edit in edits
            if name.startswith(capture)
        )
        if (
            not (reordered or any(map(self._owners.moves, graphs)))
            and not holds_rows_otherwise(self._owners.compared)
            and any(change.code == "not-unpacked" for change in self._owners.found.own)
        ):
            return {COUNTED: amount}
        held = {
            name: sides
            for name, sides in self._owners.peaks.items()
            if name.startswith(capture)
        }
        if held:
            side = 1 if amount > 0 else 0
            highest = max(held, key=lambda name: held[name][side])
            if (
                self._owners.order is not None
                and highest in self._owners.reordered
                and not self._owners.moves(highest)
                and not any(
                    edit.code == "not-unpacked"
                    for edit in self._owners.edits.get(highest, ())
                )
            ):
                return {Owner(self._owners.order.key): amount}
            differences = peak_differences(self._owners.compared, highest, side)
            if differences is not None:
                return self._of_held(capture, highest, differences, amount)
            largest = [max(sides[side] for sides in held.values()) for side in (0, 1)]
            most = {
                name
                for name, sides in held.items()
                for side in (0, 1)
                if sides[side] == largest[side]
            }
            graphs = [graph for graph in graphs if graph in most]
            ordered = {
                change.key for name in most for change in self._owners.scheduled(name)
            }
            if not any(map(self._owners.moves, graphs)) and len(ordered) == 1:
                return {Owner(ordered.pop()): amount}
        owner = self._of_all_moved(graphs) or self._owners.of_nothing("peak_memory")
        return {owner._replace(guessed=owner != NO_OWNER): amount}

    def _of_all_moved(self, graphs: Iterable[str]) -> Owner | None:
        """The owner of all that kernels of these graphs move more or less, if it is one; None if that is nothing."""
        return only_owner(
            {
                self._owners.of_value(each)
                for graph in graphs
                for each in self._owners.costs[graph].nbytes
            }
        )

    def _of_held(
        self,
        capture: str,
        graph: str,
        differences: Sequence[PeakDifference],
        amount: float,
    ) -> Shares:
        """The shares of the peak by buffer, if they make it up; else, as another place was or is higher, all of it to
        the change whose buffers alone move it in its direction, beside what is counted otherwise."""
        amounts = defaultdict[Owner, float](float)
        owned = [
            (
                self._of_buffer(capture, graph, difference),
                difference.nbytes,
            )
            for difference in differences
        ]
        for owner, nbytes in _without_replaced(owned):
            amounts[owner] += nbytes
        amounts = defaultdict(
            float, {owner: nbytes for owner, nbytes in amounts.items() if nbytes}
        )
        exact = sum(amounts.values()) == amount
        if exact and NO_OWNER not in amounts:
            return amounts
        # Where another place is the highest now, what is left over may be little, and nobody's.
        largest = max(map(abs, amounts.values()), default=0)
        same_direction = [
            owner
            for owner, nbytes in amounts.items()
            if nbytes * amount > 0 and abs(nbytes) > largest / 10
        ]
        if not exact and len(same_direction) == 1 and same_direction[0] != NO_OWNER:
            return {same_direction[0]: amount}
        counted = amounts.get(COUNTED, 0)
        others = [owner for owner in same_direction if owner != COUNTED]
        if not exact and len(others) == 1 and 0 < counted / amount < 1:
            return {COUNTED: counted, others[0]: amount - counted}
        given = any(each.given for each in differences)
        left = NO_OWNER if given else self._of_all_that_differs(graph)
        if not exact:
            return {left: amount}
        rest = amounts.pop(NO_OWNER)
        amounts[left] += rest
        return amounts

    def _of_all_that_differs(self, graph: str) -> Owner:
        """A guess for what no buffer shows of a graph, as its operations may run in another order: the owner of all
        kernels that differ in it, if it is one."""
        edits = self._owners.edits.get(graph, ())
        if self._owners.moves(graph) or any(e.code != "not-unpacked" for e in edits):
            owner = self._of_all_moved([graph] if graph in self._owners.costs else [])
            if owner is None or owner == NO_OWNER:
                owner = self._owners.of_order(graph)
            return owner._replace(guessed=owner != NO_OWNER)
        # A kernel that holds a whole row stores nothing of it, although its operations are the same.
        return only_change(
            [each for each in self._owners.of_schedules if each.code == "loop-nest"]
        )

    def _of_buffer(self, capture: str, graph: str, difference: PeakDifference) -> Owner:
        if difference.counted:
            return COUNTED
        if difference.given:
            total = self._owners.saved.get(capture, Counter()).total()
            saved = self._owners.of_saved(capture, total)
            split = self._owners.of_values.of_split
            if len(saved) != 1 and split is not None:
                return Owner(split.key)
            return next(iter(saved)) if len(saved) == 1 else NO_OWNER
        if difference.written_over:
            # Only what is laid out alike is written over.
            padded = self._owners.best(
                [
                    each
                    for each in self._owners.scheduled(graph)
                    if each.code == "rows-padded"
                ],
                difference.written_over,
            )
            if padded is not None:
                return Owner(padded.key)
        named = {
            (number, name)
            for number, name in enumerate(difference.operations)
            if name is not None
        }
        if not named:
            # Held longer or not as long, which the order of what makes and reads it decides.
            owner = self._owners.of_order(graph)
            return (
                only_change(self._owners.scheduled(graph))
                if owner == NO_OWNER
                else owner
            )
        moved = self._owners.costs[graph].nbytes if graph in self._owners.costs else ()
        owners = {
            self._owners.of_value(each)
            for each in moved
            if each.is_made and named & each.operations
        } or {self._owners.of_value(each) for each in moved if named & each.operations}
        return only_owner(owners) or NO_OWNER


def _without_replaced(owned: Sequence[tuple[Owner, int]]) -> list[tuple[Owner, int]]:
    """The bytes that are held more or less, without each pair of a buffer that only one side holds and one as large
    that only the other does, if no change is known to own one of the two: that is one value, held in another buffer."""
    left: list[tuple[Owner, int]] = []
    # What has no owner comes last, so that it meets what it replaces or is replaced by.
    for owner, nbytes in sorted(owned, key=lambda each: each[0] == NO_OWNER):
        replaced = next((each for each in left if each[1] == -nbytes), None)
        if owner == NO_OWNER and replaced is not None:
            left.remove(replaced)
        else:
            left.append((owner, nbytes))
    return left
