"""How changes to what the steps of a compile decided are described, and which metrics belong to them."""

from __future__ import annotations

from pathlib import PurePosixPath

import pytest
from msgspec.structs import replace

from pytest_compile_golden.changes.change import Change
from pytest_compile_golden.changes.common_types import Simple
from pytest_compile_golden.changes.kernels import TilingChanged
from pytest_compile_golden.changes.trail import (
    BecameOther,
    ContentsChanged,
    Decomposition,
    DecompositionsChanged,
    ResultsStored,
)
from pytest_compile_golden.facts.trail import (
    Decomposed,
    Fact,
    Item,
    Lowered,
    StageContents,
    StageDigest,
)
from pytest_compile_golden.formats.metrics.printed import changes as metric_changes
from pytest_compile_golden.formats.pass_log.compare import divergence, runs
from pytest_compile_golden.formats.trail import TRAIL
from pytest_compile_golden.formats.trail.compare import divergences, read
from pytest_compile_golden.goldens.attribution import parts
from pytest_compile_golden.goldens.case_changes import case_changes
from pytest_compile_golden.goldens.compare_artifact import Compared
from pytest_compile_golden.goldens.first_divergence import cause
from pytest_compile_golden.goldens.ranking import numbers_of
from pytest_compile_golden.messages.sentences import as_example, sentence
from tests.test_grouping import structural
from tests.test_messages_of_stages import FOLDED
from tests.trails import trail

PARTITION = """\
graph_0_joint:
  partition min_cut_rematerialization_partition      10 -> {}  # torch/_functorch/partitioners.py:9
{}"""


def test_a_partitioner_is_not_said_to_recompute_what_may_only_not_be_merged() -> None:
    saves = PARTITION.format(9, "      -aten.ne.Scalar\n")
    again = PARTITION.format(11, "      +aten.tanh.default\n")
    named = "partition / min_cut_rematerialization_partition"
    for old, new, how in ((saves, again, "more"), (again, saves, "fewer")):
        found = divergence(runs(old), runs(new))
        assert found is not None
        grown = "+2" if how == "more" else "-2"
        assert (
            sentence(found.change)
            == f"{named}: forward and backward together have {how} nodes, aten.tanh, aten.ne ({grown} nodes)"
        )


def test_a_decomposition_is_described_by_its_result() -> None:
    silu = Decomposition(
        "aten.silu_backward",
        (("add.Tensor, exp.default", 1),),
        (("sigmoid.default", 1),),
    )
    assert (
        sentence(DecompositionsChanged(silu))
        == "aten.silu_backward is decomposed into sigmoid instead of add, exp"
    )
    calls = ("add.Tensor, mul.Tensor", 1), ("add.Tensor, expand.default, mul.Tensor", 1)
    more, less = (
        Decomposition("aten.addmv", (one,), (other,))
        for one, other in (calls, calls[::-1])
    )
    assert (
        sentence(DecompositionsChanged(more))
        == "aten.addmv is decomposed into expand as well"
    )
    assert (
        sentence(DecompositionsChanged(less))
        == "aten.addmv is no longer decomposed into expand, too"
    )
    # Of equal calls, one more or less is decomposed, or some otherwise than the rest.
    one, other = calls
    told = {
        ((one,), (one, other)): "1 more call of aten.addmv is decomposed",
        ((one, other), (one,)): "1 fewer call of aten.addmv is decomposed",
        (((one[0], 2),), calls): "aten.addmv is decomposed into expand as well",
    }
    for sides, words in told.items():
        changed = DecompositionsChanged(Decomposition("aten.addmv", *sides))
        assert sentence(changed) == words
    # How constants and parts of lists get there is another thing on each device.
    lerps = [
        DecompositionsChanged(
            Decomposition(
                "aten._foreach_lerp",
                (("_foreach_mul, operator.getitem", 1),),
                ((now, 1),),
            )
        )
        for now in (
            "_foreach_addcmul, _tensor_constant0, lift_fresh_copy.default x2",
            "_foreach_addcmul, prims.device_put.default",
        )
    ]
    assert lerps[0].key == lerps[1].key
    assert (
        sentence(lerps[0])
        == "aten._foreach_lerp is decomposed into _foreach_addcmul instead of _foreach_mul"
    )
    # Of calls that become different things, those that are most alike say what is exchanged.
    several = Decomposition(
        "aten.silu_backward",
        (("add.Tensor, clone.default, exp.default", 1), *silu.before),
        silu.after,
    )
    assert DecompositionsChanged(several).key == DecompositionsChanged(silu).key
    drawn = Decomposition("aten.normal", (), (("mul.Tensor, randn.default", 1),))
    assert DecompositionsChanged(drawn).topic == "random"
    assert (
        sentence(DecompositionsChanged(drawn))
        == "random numbers come from another function: aten.normal is decomposed now"
    )
    # Each of two overloads has its own news.
    gone = Decomposition("aten.fill.Tensor", (("copy.default", 1),), ())
    new = Decomposition("aten.fill.Scalar", (), (("full_like.default", 1),))
    assert sentence(DecompositionsChanged(gone, (new,))) == (
        "aten.fill.Tensor is no longer decomposed (aten.fill.Scalar is decomposed now)"
    )


def test_what_is_called_otherwise_is_not_decomposed_otherwise() -> None:
    # `x[0] = 4` and `z[:, 2:5] = 0` beside other operators that fill, as torch 2.14 and 2.15 trace them.
    for others in (0, 2):
        old: list[Fact] = [
            Decomposed(
                4,
                "aten.fill.Tensor",
                "copy.default",
                1,
                "torch/_decomp/decompositions.py:180",
            ),
            StageDigest(5, "aot_graph", "9 nodes", "a", ""),
        ]
        new: list[Fact] = [
            Decomposed(4, "aten.fill.Scalar", "full.default", 1 + others, None),
            Decomposed(5, "aten.full_like.default", "full.default", 1 + others, None),
            StageDigest(6, "aot_graph", "8 nodes", "b", ""),
        ]
        if others:
            old[:0] = [
                Decomposed(2, "aten.fill.Scalar", "full.default", others, None),
                Decomposed(3, "aten.full_like.default", "full.default", others, None),
            ]
        first, *_ = divergences(read(TRAIL.write(old)), read(TRAIL.write(new)))
        assert first.where is None
        assert (
            sentence(first.change)
            == "AOTAutograd traces aten.fill.Scalar + aten.full_like instead of aten.fill.Tensor"
        )


def test_what_is_called_as_it_is_is_traced_too() -> None:
    # `x[x < 0] = 0` is masked_fill as torch 2.15 traces it, and was index_put, which has no decomposition.
    held = [
        StageContents(
            "a", (Item("aten.index_put", 1, "c"), Item("aten.select.int", 1, "e"))
        ),
        StageContents("b", (Item("aten.where.self", 1, "d"),)),
    ]
    both = Decomposed(3, "aten.t.default", "permute.default", 1, None)
    old: list[Fact] = [both, StageDigest(5, "aot_graph", "9 nodes", "a", ""), held[0]]
    masked = Decomposed(
        4, "aten.masked_fill.Scalar", "scalar_tensor.default, where.self", 1, None
    )
    new: list[Fact] = [
        both,
        masked,
        StageDigest(5, "aot_graph", "9 nodes", "b", ""),
        held[1],
    ]
    first, *_ = divergences(read(TRAIL.write(old)), read(TRAIL.write(new)))
    assert (
        sentence(first.change)
        == "AOTAutograd traces aten.masked_fill.Scalar instead of aten.index_put"
    )


def test_an_operator_that_is_called_less_often_is_decomposed_as_before() -> None:
    """By another operator, that is decomposed otherwise."""

    def traced(masked: dict[str, int], gradient: str) -> str:
        facts: list[Fact] = [
            Decomposed(4, "aten.masked_fill.Scalar", into, times, None)
            for into, times in masked.items()
        ]
        facts.append(Decomposed(4, "aten.embedding_dense_backward", gradient, 3, None))
        digest = StageDigest(5, "aot_graph", "9 nodes", gradient, "")
        return TRAIL.write([*facts, digest])

    old = read(traced({"where.self": 6, "clone.default, where.self": 1}, "index_put"))
    for masked, told in (
        ({"where.self": 4}, []),
        # As many calls, of which some are decomposed otherwise.
        ({"where.self": 4, "bitwise_and.Tensor": 3}, ["aten.masked_fill.Scalar"]),
    ):
        found = divergences(old, read(traced(masked, "bitwise_and")))
        assert {
            each.change.main.operator
            for each in found
            if isinstance(each.change, DecompositionsChanged)
        } == {*told, "aten.embedding_dense_backward"}


def test_a_view_that_only_has_another_name_at_first_is_traced_in_place_of_nothing() -> (
    None
):
    # A product of matrices under autocast beside a norm, as torch 2.13 and 2.15 trace them.
    def traced(views: int, unsafe: int, comparison: str) -> str:
        held = Item("aten.view", views, "c"), Item(comparison, 2, "d")
        return TRAIL.write(
            [
                Decomposed(
                    4, "aten._unsafe_view.default", "view.default", unsafe, None
                ),
                StageDigest(5, "aot_graph", "9 nodes", comparison, ""),
                StageContents(comparison, held),
            ]
        )

    old = read(traced(26, 1, "aten.ge.Scalar"))
    for views, told in (
        (26, ["aot_graph"]),
        # If the graph has more of them, they are something else than before.
        (30, ["aot", "aot_graph"]),
    ):
        new = read(traced(views, 5, "aten.gt.Scalar"))
        assert [step.phase for step in divergences(old, new)] == told


def test_whether_results_are_stored_is_not_decided_by_a_lowering() -> None:
    sides = [
        TRAIL.write(
            [
                Lowered(
                    1,
                    "aten.mul.Tensor",
                    became,
                    1,
                    f"torch/_inductor/lowering.py:{line}",
                )
            ]
        )
        for became, line in (("ComputedBuffer", 7019), ("Pointwise", 7377))
    ]
    (only,) = divergences(*map(read, sides))
    assert isinstance(only.change, ResultsStored) and only.where is None


def test_a_step_with_the_same_inventory_is_only_said_to_be_put_together_differently() -> (
    None
):
    item = StageContents("a", (Item("ops.index_expr", 1, "c"),))
    sides = [
        TRAIL.write(
            (
                StageDigest(1, "lowered_ir", "4 operations", each, ""),
                replace(item, digest=each),
            )
        )
        for each in "ab"
    ]
    (only,) = divergences(*map(read, sides))
    assert (
        sentence(only.change)
        == "lowered_ir: the same operators and arguments, put together differently"
    )


def test_of_results_that_are_stored_or_not_the_most_come_first_and_the_others_are_named() -> (
    None
):
    old = {
        "aten.add": {"ComputedBuffer": 10, "Pointwise": 5},
        "aten.tanh": {"ComputedBuffer": 5, "Pointwise": 6},
    }
    new = {
        "aten.add": {"ComputedBuffer": 9, "Pointwise": 6},
        "aten.tanh": {"ComputedBuffer": 8, "Pointwise": 3},
    }
    sides = [
        TRAIL.write(
            [
                *(
                    Lowered(1, name, kind, times, "")
                    for name, kinds in side.items()
                    for kind, times in kinds.items()
                ),
                StageDigest(2, "lowered_ir", "15 operations", digest, ""),
            ]
        )
        for side, digest in ((old, "a"), (new, "b"))
    ]
    found, *_ = divergences(*map(read, sides))
    assert sentence(found.change) == (
        "results of aten.tanh are stored instead of inlined, of aten.add inlined instead of stored"
    )
    assert (
        as_example(found.change)
        == "results are stored instead of inlined, for example of aten.tanh"
    )


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        (
            "ComputedBuffer, Pointwise",
            "Pointwise",
            "may be inlined instead of one that is stored",
        ),
        (
            "ComputedBuffer, Pointwise",
            "ComputedBuffer",
            "is stored instead of one that may be inlined",
        ),
        (
            "Pointwise",
            "ComputedBuffer, Pointwise",
            "is stored instead of one that may be inlined",
        ),
    ],
)
def test_of_several_results_it_is_told_which_are_stored(
    before: str, after: str, told: str
) -> None:
    lowered, reordered = (
        BecameOther(
            "lowered-differently",
            "prims.prepare_softmax_online.default",
            ((before, 1),),
            ((after, 1),),
            also,
        )
        for also in (("aten.exp", "aten.sub"), ("aten.sub", "aten.exp"))
    )
    assert (
        sentence(lowered)
        == f"prims.prepare_softmax_online is lowered to a result that {told}"
    )
    assert lowered.key == reordered.key


def test_nodes_of_the_ir_are_told_apart_from_what_loop_bodies_call() -> None:
    change = ContentsChanged(
        "lowered_ir",
        (("reduction", 2), ("ops.square", 1)),
        (("welfordreduction", 2),),
        (("pointwise", 6, 7), ("ops.load", 9, 7), ("ops.to_dtype", 2, 1)),
    )
    assert sentence(change) == (
        "Inductor's IR has welfordreduction x2 in place of reduction x2, 1 more pointwise node: "
        "loop bodies have 1 fewer ops.square, 2 fewer ops.load, 1 fewer cast"
    )
    assert (
        sentence(ContentsChanged("lowered_ir", (("reduction", 2),)))
        == "Inductor's IR has 2 fewer reduction nodes"
    )


def test_views_of_what_is_stored_follow_from_that() -> None:
    # Each operator with how many of its results are kept as what.
    old = {
        "aten.reshape": {"View": 14, "ReinterpretView": 4},
        "aten.add": {"ComputedBuffer": 2, "Pointwise": 1},
    }
    new = {"aten.reshape": {"View": 18}, "aten.add": {"Pointwise": 3}}
    sides = [
        TRAIL.write(
            [
                Lowered(
                    1,
                    f"{name}.default",
                    kind,
                    times,
                    "torch/_inductor/lowering.py:1446",
                )
                for name, kinds in side.items()
                for kind, times in kinds.items()
            ]
        )
        for side in (old, new)
    ]
    (only,) = divergences(*map(read, sides))
    assert (
        sentence(only.change) == "results of aten.add are inlined instead of stored"
        and only.where is None
    )
    (other,) = divergences(
        read(sides[0]), read(sides[1].replace("Pointwise", "ExternKernelOut"))
    )
    assert other.change.code == "lowered-differently"


def test_the_last_of_a_kind_makes_no_other_change() -> None:
    # Optimizers of which one adds products for another reason too.
    rest = (("torch.full_like", 2),)
    one = ContentsChanged(
        "dynamo_graph",
        (*rest, ("torch._foreach_addcmul_", 1)),
        (("torch._foreach_lerp_", 1),),
    )
    other = ContentsChanged(
        "dynamo_graph", rest, one.come, (("torch._foreach_addcmul_", 2, 1),)
    )
    assert one.key == other.key != ContentsChanged("dynamo_graph", rest, one.come).key


def test_one_operator_gone_is_not_told_to_have_become_several_others() -> None:
    """Of the new ones, the rest replace operators of which some are left; those are told with what is gone."""
    gone, come = (("aten.le", 1),), (("aten.gt", 3),)
    change = ContentsChanged("aot_graph", gone, come, (("aten.ge", 4, 1),))
    assert (
        sentence(change)
        == "aot_graph calls aten.gt x3 in place of aten.ge x3 + aten.le"
    )
    change = ContentsChanged("aot_graph", gone, come)
    assert sentence(change) == "aot_graph calls aten.gt x3 in place of aten.le"


def test_what_is_only_traced_less_often_is_told_in_words() -> None:
    clones = ContentsChanged("aot_graph", counted=(("aten.clone", 14, 11),))
    assert sentence(clones) == "AOTAutograd traces 3 fewer calls: aten.clone x3"
    more = ContentsChanged("aot_graph", (), (("aten.neg", 1),), (("aten.mul", 1, 2),))
    assert sentence(more) == "AOTAutograd traces 2 more calls: aten.mul + aten.neg"
    # Inputs are no calls.
    inputs = ContentsChanged("aot_graph", counted=(("input", 2, 3),))
    assert sentence(inputs) == "aot_graph: 1 more input"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            ContentsChanged("aot_graph", (("aten.ge", 1),), (("aten.gt", 1),)),
            " calls aten.gt in place of aten.ge",
        ),
        (
            ContentsChanged("aot_graph", arguments=("aten.ge",)),
            ": the same calls, with different arguments or types at aten.ge",
        ),
        (
            Simple("step-reconnected", ("aot_graph",)),
            ": the same operators and arguments, put together differently",
        ),
    ],
)
def test_a_step_is_no_sentence_of_which_there_are_examples(
    change: Change, said: str
) -> None:
    """A report has it in a column of its own, without which nothing begins with `for example`."""
    assert as_example(change) == f"{sentence(change)}, for example"
    assert sentence(change) == f"aot_graph{said}"


def test_things_are_named_in_the_plural() -> None:
    change = ContentsChanged("wrapper_code", arguments=("launch",))
    assert (
        sentence(change)
        == "wrapper_code: the same calls, with different arguments or types at launches"
    )


def test_the_pattern_is_named_and_not_the_list_of_patterns_that_it_is_in() -> None:
    list_of_patterns = """\
graph_0:
  post_grad pass_pattern_2                           {}  # torch/_inductor/fx_passes/post_grad.py:216
"""
    matched = """\
      pattern addmm: matched 1  # torch/_inductor/fx_passes/post_grad.py:2013
      -aten.add.Tensor  -aten.mm.default  +aten.addmm.default
"""
    found = divergence(
        runs(list_of_patterns.format(".")),
        runs(list_of_patterns.format("5 -> 4") + matched),
    )
    assert (
        found is not None
        and found.where == "torch/_inductor/fx_passes/post_grad.py:2013"
    )
    assert sentence(found.change) == (
        "post_grad / pattern addmm now matches, turns aten.add, aten.mm into aten.addmm (-1 node)"
    )
    # Another pattern of the list did the reverse before.
    undone = matched.replace("addmm: m", "unfuse: m").translate(
        str.maketrans("+-", "-+")
    )
    found = divergence(
        *(runs(list_of_patterns.format("4 -> 4") + did) for did in (undone, matched))
    )
    assert found is not None and sentence(found.change) == (
        "post_grad / pattern unfuse no longer matches, so that its pass turns aten.add, aten.mm into aten.addmm, "
        "and no longer the other way round"
    )


def test_a_pass_that_only_does_more_does_it_by_a_pattern_that_matches_more() -> None:
    views = """\
graph_0:
  joint early_patterns                               {}
      pattern pointless_view: matched {}
      {}-aten.view.default x{}
"""
    found = divergence(
        runs(views.format("9 -> 3", 6, "", 6)),
        runs(
            views.format(
                "9 -> 1", 5, "pattern pointless_view_pair: matched 1\n      ", 8
            )
        ),
    )
    assert found is not None and sentence(found.change) == (
        "joint / early_patterns pattern pointless_view_pair now matches, removes aten.view x2 (-2 nodes)"
    )


def test_what_a_pattern_takes_away_may_be_made_by_another_one() -> None:
    both = """\
graph_0:
  post_grad pass_pattern_1                           {}
      {}pattern unfuse: matched 4
      -aten.addmm.default x4  +aten.mm.default x4  {}
"""
    found = divergence(
        runs(both.format("9 -> 13", "", "+aten.add.Tensor x4")),
        runs(
            both.format(
                "9 -> 11",
                "pattern fused: matched 1\n      ",
                "+aten.add.Tensor x3  -aten.div.Tensor  -aten.mul.Tensor  +aten.addcdiv.default",
            )
        ),
    )
    assert found is not None and sentence(found.change) == (
        "post_grad / pattern fused now matches, turns aten.add, aten.div, aten.mul into aten.addcdiv (-2 nodes)"
    )


def test_a_call_that_is_no_longer_left_is_decomposed() -> None:
    steps = "aot_graph  4 nodes  {}\n  # {}output\ndecompositions:\n  aten.index_add.default -> index_put.default{}\n"
    old, new = (
        read(trail(steps.format(*side)))
        for side in ((0, "aten.index_add, ", ""), (1, "aten.index_put, ", " [2]"))
    )
    (found,) = (each for each in divergences(old, new) if each.phase == "aot")
    assert sentence(found.change) == "1 more call of aten.index_add is decomposed"


def test_kernels_that_are_tiled_in_fewer_dimensions_are_one_change() -> None:
    two, three, more = (
        TilingChanged(before, after) for before, after in ((2, 1), (3, 1), (1, 2))
    )
    assert two.key == three.key != more.key
    assert (
        as_example(two)
        == "kernel is tiled in fewer dimensions, for example 1D instead of 2D"
    )


def test_time_does_not_follow_from_guards_nor_guards_from_another_graph() -> None:
    numbers = metric_changes(
        {"python_guards": 2, "least_time": 5}, {"python_guards": 1, "least_time": 4}
    )
    metrics = Compared(
        "metrics", "metric", "", "", None, PurePosixPath("m.toml"), numbers
    )
    (only,) = case_changes([metrics], cause([metrics])).own
    assert only.topic == "guards"
    alone = parts([metrics], case_changes([metrics], cause([metrics])), numbers)
    assert [each.name for each in numbers_of({only.key}, numbers, alone)] == [
        "python_guards"
    ]
    graph = structural(
        FOLDED.format("aten.neg.default(x)"),
        FOLDED.format("aten.sin.default(x)"),
        "dynamo_graph",
    )
    its = case_changes([graph, metrics], cause([graph, metrics]))
    assert only.key in {change.key for change in its.secondary}
    # If other cases have it on its own, it is reported there.
    moved = parts([graph, metrics], its, numbers)
    assert [each.name for each in numbers_of({only.key}, numbers, moved)] == [
        "python_guards"
    ]
    assert "python_guards" not in [
        each.name for each in numbers_of({its.own[0].key}, numbers, moved)
    ]
