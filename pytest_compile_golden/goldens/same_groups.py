"""Which operations are in one kernel otherwise than before, for its own sake: it follows from no graph that differs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pytest_compile_golden.facts.schedules import Group, Operation
from pytest_compile_golden.formats.graphs.equivalence import Pairs, joined
from pytest_compile_golden.formats.schedules.group_edits import GroupEdit, group_edits
from pytest_compile_golden.formats.schedules.operation_edits import loops
from pytest_compile_golden.goldens.side_schedule import Block, SideSchedule


def grouped_otherwise(
    sides: Sequence[SideSchedule], matched: Pairs, touched: Sequence[set[str]]
) -> Iterator[GroupEdit]:
    """Which kernels make values that both sides make, where that cannot follow from what else differs: they do nothing
    else; or one of them does the same on both sides, and shares values with another that it is in one kernel with on
    one side alone.

    touched: the operations that have to do with nodes that differ.
    """
    names = matched.names_of_both
    kernels = [
        side.kernels(of_side) for side, of_side in zip(sides, names, strict=True)
    ]
    common = {node for made in kernels[0] for node in made}
    common &= {node for made in kernels[1] for node in made}
    differ, near = (
        {
            of_side.get(node, "")
            for side, each, of_side in zip(sides, operations, names, strict=True)
            for node in side.results(each)
        }
        for operations in (
            [
                side.of(nodes)
                for side, nodes in zip(sides, matched.differ_or_returned, strict=True)
            ],
            touched,
        )
    )
    common -= differ
    blocks = [
        [{node: made[node] for node in made if node in common} for made in side]
        for side in kernels
    ]
    made_by = [
        {node: operation for block in of_kernels for node, operation in block.items()}
        for of_kernels in blocks
    ]
    does = [
        {node: side.does(operation, of_side) for node, operation in made.items()}
        for side, of_side, made in zip(sides, names, made_by, strict=True)
    ]
    accessed = [
        {node: side.accessed(operation, of_side) for node, operation in made.items()}
        for side, of_side, made in zip(sides, names, made_by, strict=True)
    ]
    otherwise = {node for node in common if does[0][node] != does[1][node]}
    beside = {
        node
        for side in kernels
        for made in side
        for node in made
        if not made.keys() <= common
    }
    for part in _with_values_in_common(blocks):
        more = int(len(part[1]) > len(part[0]))
        if len(part[0]) == len(part[1]):
            continue
        # Of C++, loops are in one kernel only if they run over the same dimensions: torch/_inductor/codegen/cpp.py,
        # CppScheduling._why_fuse_nodes.
        if any(
            _loops(made_by[0][node]) != _loops(made_by[1][node])
            for block in part[more]
            for node in block
        ):
            continue
        finer = part[more]
        # What a kernel accesses on one side, and the operations that make its values on the other.
        shared = [
            {
                value
                for node in block
                for value in (node, *does[1 - more][node].reads)
                if value in accessed[more][node]
            }
            for block in finer
        ]
        alone = all(map((otherwise | beside).isdisjoint, finer))
        if alone or any(
            (otherwise | near).isdisjoint(block)
            and any(
                not values.isdisjoint(each) for each in shared if each is not values
            )
            for block, values in zip(finer, shared, strict=True)
        ):
            groups = (
                [Group("", tuple(dict.fromkeys(block.values()))) for block in side]
                for side in part
            )
            yield from group_edits(*groups)


def _loops(operation: Operation) -> int:
    """The number of loops of an operation on a CPU; 0 for any other."""
    if not all(output.endswith(" cpu") for output in operation.outputs):
        return 0
    return loops(*operation.reads, *operation.writes)


def _with_values_in_common(
    blocks: Sequence[Sequence[Block]],
) -> Iterator[tuple[list[Block], list[Block]]]:
    """Kernels of both sides, those together that make a value in common."""
    making: dict[str, set[tuple[int, int]]] = {}
    for number, side in enumerate(blocks):
        for at, block in enumerate(side):
            for node in block:
                making.setdefault(node, set()).add((number, at))
    for part in joined(making.values()):
        old, new = (
            [blocks[side][at] for number, at in sorted(part) if number == side]
            for side in (0, 1)
        )
        yield old, new
