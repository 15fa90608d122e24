"""Operations before fusion in canonical form: what they compute from what, in no particular order."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from pytest_compile_golden import capture
from pytest_compile_golden.facts.schedules import (
    REFUSALS,
    Computed,
    Counted,
    Group,
    NotFused,
    Operation,
    Schedule,
)
from pytest_compile_golden.formats.format import Unreadable
from pytest_compile_golden.formats.schedules import GROUPS, printed, provenance
from pytest_compile_golden.stages import get_stage

canonical = get_stage("lowered_ir").format.canonical


def lowered(fn: Callable[..., Any]) -> str:
    inputs = torch.randn(32, 32), torch.randn(32, 32), torch.randn(32, 32)
    # Keep each operation where the program has it.
    captured = capture(
        fn, *inputs, target="cpu-avx2", config={"reorder_for_locality": False}
    )
    return str(captured["lowered_ir"])


def one_order(x: Tensor, y: Tensor, weight: Tensor) -> tuple[Tensor, ...]:
    left, right = (x.sin() + 1).sum(-1), (y.cos() * 2).cumsum(0)
    return left, right @ weight


def other_order(x: Tensor, y: Tensor, weight: Tensor) -> tuple[Tensor, ...]:
    right = (y.cos() * 2).cumsum(0) @ weight
    return (x.sin() + 1).sum(-1), right


def test_the_order_of_independent_operations_does_not_count() -> None:
    first, second = lowered(one_order), lowered(other_order)
    assert first.index("ops.sin") < first.index("ops.cos") and second.index(
        "ops.sin"
    ) > second.index("ops.cos")
    assert canonical(first) == canonical(second)


def test_what_an_operation_computes_and_from_what_counts() -> None:
    text = lowered(
        lambda x, y, weight: (
            x.exp().sum(0) @ weight,
            y.exp().sum(1) @ weight,
            y @ weight,
        )
    )
    for old, new in (
        ("ops.exp", "ops.exp2"),
        ("f32[32]", "f32[33]"),
        ("p0 + 32*p1", "32*p0 + p1"),
        ("extern_kernels.mm", "extern_kernels.bmm"),
        ("reads arg1_1", "reads arg0_1"),
    ):
        assert old in text
        assert canonical(text) != canonical(text.replace(old, new, 1)), new


def test_two_operations_that_swap_the_values_they_read_are_another_program() -> None:
    text = lowered(lambda x, y, weight: (x.sum(0) @ weight, y.amax(1) @ weight.t()))
    lines = text.splitlines()
    reads = [
        at
        for at, line in enumerate(lines)
        if line.strip().startswith("reads") and "buf" in line
    ]
    first, second = reads
    old, new = ("buf0", "buf1") if "buf0" in lines[first] else ("buf1", "buf0")
    lines[first], lines[second] = (
        lines[first].replace(old, new),
        lines[second].replace(new, old),
    )
    assert canonical(text) != canonical("\n".join(lines))


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("32*c0 + c1", "c1 + c0*32", True),
        ("4*(c0 + 8*c1)", "32*c1 + 4*c0", True),
        ("c0 + c1 - c0", "c1", True),
        (
            "32*((c0//8)) + 2*(ModularIndexing(c1 + 1, 1, 8))",
            "2*ModularIndexing(1 + c1, 1, 8) + 32*(c0//8)",
            True,
        ),
        ("32*c0 + c1", "c0 + 32*c1", False),
        ("(c0//8)", "(c0//4)", False),
        ("8*((c0//8))", "c0", False),
        ("ModularIndexing(c0, 1, 8)", "ModularIndexing(c0, 8, 1)", False),
        ("c0 + 1", "c0", False),
        ("c0*c1", "c0 + c1", False),
    ],
)
def test_an_index_counts_by_value_and_not_notation(
    one: str, other: str, same: bool
) -> None:
    text = (
        "graph_0:\n  op0: pointwise\n    buf0: f32[64] cuda:0\n    reads arg0_1[{0}]\n    writes buf0[{0}]\n"
        "    | index0 = {0}\n"
    )
    assert same == (canonical(text.format(one)) == canonical(text.format(other)))


def test_origins_and_unfused_pairs_do_not_count() -> None:
    text = (
        "graph_0:\n  group 0: pointwise\n    op0: pointwise\n      buf0: f32[64] cuda:0\n"
        "      computes aten.mul.Tensor\n      reads arg0_1[c0]\n      writes buf0[c0]\n"
        "  not fused:\n    op0 with op1: no shared data\n"
    )
    same = text.replace(
        "computes aten.mul.Tensor", "computes aten.mul.Tensor x2, aten.exp.default"
    )
    same = same.replace(
        "op0 with op1: no shared data",
        "op0 with op1: refused\n    op0 with op2: refused",
    )
    assert canonical(text) == canonical(same)
    assert canonical(text) != canonical(text.replace("64", "65"))
    # What cannot be read stays as it is in the golden, as far as that is about the same groups.
    unknown = re.sub(r"not fused:.*", "not fused: unknown\n", text, flags=re.S)
    assert GROUPS.carry_over(text, unknown, {REFUSALS}) == text
    assert GROUPS.carry_over(text.replace("64", "65"), unknown, {REFUSALS}) == unknown


def test_of_many_pairs_the_nearest_misses_are_listed_and_the_others_counted() -> None:
    def sums(x: Tensor) -> list[Tensor]:
        return [(x + i).sum(i % 2) for i in range(30)]

    groups = capture(sums, torch.randn(8, 8), target="cpu-avx2")["scheduler_nodes"]
    (section,) = get_stage("scheduler_nodes").format.read(groups.text)
    refused = {(pair.first, pair.second) for pair in groups.not_fused}
    assert len(refused) > 200
    (counted,) = section.more_apart
    assert (len(section.apart), counted.reason) == (provenance.MOST, "no shared data")
    # Two of the sums that were refused at first are one kernel in the end.
    assert provenance.MOST + counted.pairs <= len(refused)
    assert len(groups.text) < 10_000


def test_the_nearest_miss_of_each_reason_comes_first() -> None:
    operations = [
        Operation(
            "op0",
            "pointwise",
            ("buf0: f32[8] cuda:0",),
            (),
            ("arg0_1[c0]",),
            ("buf0[c0]",),
        ),
        *(
            Operation(
                f"op{i}",
                "pointwise",
                (f"buf{i}: f32[8] cuda:0",),
                (),
                (f"arg{i}_1[c0]",),
            )
            for i in range(1, 150)
        ),
        Operation(
            "op150",
            "pointwise",
            ("buf150: f32[8] cuda:0",),
            (),
            ("buf0[c0]",),
            ("buf150[c0]",),
        ),
    ]
    far = [
        NotFused("op1", f"op{i}", f"lower score than op1 with op{i}: -{i}, not -1")
        for i in range(2, 150)
    ]
    near = NotFused("op0", "op150", "lower score than op0 with op7: -150, not -1")
    other = NotFused("op149", "op150", "no shared data")
    pairs, more = provenance.listed([*far, near, other], operations)
    assert len(pairs) == provenance.MOST and {near, other} <= set(pairs)
    assert more == (Counted("lower score than … with …: …, not …", 50),)
    assert provenance.listed(far[:5], operations) == (tuple(far[:5]), ())


def wide(operations: int, narrow: int = -1) -> Schedule:
    """Alternating kernels of two operators, each reading the one before; `narrow` is the number of one in bfloat16."""
    groups = []
    for number in range(operations):
        name = "aten.sin.default" if number % 2 else "aten.cos.default"
        operation = Operation(
            f"op{number}",
            "pointwise",
            (
                f"buf{number}: {'bf16' if number == narrow else 'f32'}[{number % 7 + 2}, 64] cuda:0",
            ),
            (Computed(name), Computed("aten.add.Tensor", 2)),
            (
                f"arg{number + 3}_1[c0]",
                f"buf{number - 1}[c0]" if number else "arg1_1[c0]",
            ),
            (f"buf{number}[64*c0 + c1]",),
        )
        groups.append(Group("pointwise", (operation,)))
    return Schedule("graph 0 forward", tuple(groups))


def test_what_repeats_in_a_large_graph_is_told_in_a_line_and_read_back_whole() -> None:
    few, many = (wide(printed.MANY - 1),), (wide(printed.MANY),)
    assert printed.write(few) == printed.write(few, fold=False)
    text, in_full = printed.write(many), printed.write(many, fold=False)
    assert printed.read(text) == printed.read(in_full) == many
    assert len(text) < len(in_full) / 2
    assert "    op3: as op1 with 3=5, arg4_1=arg6_1, buf0=buf2\n" in text
    assert GROUPS.canonical(text) == GROUPS.canonical(in_full)


def test_a_change_in_a_large_graph_shows_its_own_lines_and_not_those_that_refer_to_them() -> (
    None
):
    old, new = (printed.write([wide(printed.MANY, narrow)]) for narrow in (-1, 9))
    assert GROUPS.canonical(old) != GROUPS.canonical(new)
    significant = GROUPS.significant(old, new)
    assert significant is not None
    differing = [
        pair
        for pair in zip(significant.old, significant.new, strict=True)
        if pair[0] != pair[1]
    ]
    assert differing == [
        ("      buf9: f32[4, 64] cuda:0", "      buf9: bf16[4, 64] cuda:0")
    ]


def layered(layers: Sequence[str]) -> Schedule:
    """A model: a head, then a layer of four groups for each dtype, every third of which sums up what came before."""
    kinds, dtypes = ["scan"], ["f32"]
    for number, dtype in enumerate(layers):
        of_layer = [
            "extern",
            "pointwise",
            "extern",
            "reduction",
            *(["pointwise"] if number % 3 == 2 else []),
        ]
        kinds += of_layer
        dtypes += [dtype] * len(of_layer)
    return Schedule(
        "graph_0_forward",
        tuple(
            Group(
                kind,
                (
                    Operation(
                        f"op{number + 7}",
                        kind,
                        (f"buf{number + 9}: {dtype}[8, 64] cuda:0",),
                        (),
                        (),
                        (),
                    ),
                ),
            )
            for number, (kind, dtype) in enumerate(zip(kinds, dtypes, strict=True))
        ),
    )


def test_layers_that_repeat_earlier_ones_are_a_line_each_and_read_back_whole() -> None:
    model = (layered(["f32"] * 12),)
    text, in_full = printed.write(model, layers=True), printed.write(model)
    assert printed.read(text) == printed.read(in_full) == model
    repeated = [line for line in text.splitlines() if line.startswith("  groups ")]
    assert repeated == [
        "  groups 5 to 12: as 1 to 4 x2, numbers +4",
        "  groups 14 to 52: as 1 to 13 x3, numbers +13",
    ]
    assert len(text) < len(in_full) / 3
    assert GROUPS.canonical(text) == GROUPS.canonical(in_full)
    assert printed.write((layered(["f32"]),), layers=True) == printed.write(
        (layered(["f32"]),)
    )


@settings(deadline=None)  # the machine may be busy
@given(st.lists(st.sampled_from(["f32", "bf16"]), max_size=12))
def test_whatever_its_layers_are_a_model_is_read_back_whole(layers: list[str]) -> None:
    model = (layered(layers),)
    assert printed.read(printed.write(model, layers=True)) == model


@pytest.mark.parametrize(
    "line",
    [
        "  groups 1 to 2: as 0 to 1, numbers +1",
        "  groups 5 to 6: as 5 to 6, numbers +1",
    ],
)
def test_a_line_that_repeats_what_is_not_before_it_is_unreadable(line: str) -> None:
    with pytest.raises(Unreadable):
        printed.read(f"graph_0_forward:\n{line}\n")


def test_a_short_text_of_lines_that_repeat_each_other_does_not_fill_memory() -> None:
    doubled = (
        f"  groups {2**power} to {2 ** (power + 1) - 1}: as 0 to {2**power - 1}, numbers +1"
        for power in range(40)
    )
    group = "  group 0: pointwise\n    op0: pointwise\n      buf0: f32[8] cuda:0\n"
    with pytest.raises(Unreadable):
        printed.read("graph_0_forward:\n" + group + "\n".join(doubled) + "\n")
