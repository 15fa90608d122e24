"""What a pass or the partitioner does otherwise is told where it cannot follow from what differs before it."""

from __future__ import annotations

from pathlib import PurePosixPath

import pytest

from pytest_compile_golden.changes.graphs import PassChanged
from pytest_compile_golden.goldens.case_changes import case_changes
from pytest_compile_golden.goldens.compare_artifact import Compared
from pytest_compile_golden.goldens.first_divergence import cause
from pytest_compile_golden.messages.sentences import sentence
from pytest_compile_golden.report.case_report import case_report
from tests.trails import trail
from tests.written_cases import (
    MERGED,
    differing,
)


@pytest.mark.parametrize(
    ("traced", "told"),
    [("cccc", ["operators-changed", "pass-changed"]), ("dddd", ["operators-changed"])],
)
def test_a_pass_that_is_given_the_same_graph_follows_from_nothing_before_it(
    traced: str, told: list[str]
) -> None:
    """Dynamo writes a transposition otherwise, and a product by one is folded away."""
    passes = "graph_0:\n  joint     fold  4 -> 4\n      -aten.mul.Tensor  +aten.full.default\n"
    steps = "dynamo_graph     3 nodes  {}\n  # input, {}, output\naot_graph        3 nodes  {}\n"
    graph = "def graph_0(x: f32[8, 8]):\n    y: f32[8, 8][1, 8] = {}\n    return (y,)\n"
    compared = [
        Compared(stage, "structural", *texts, None, PurePosixPath(f"{stage}.txt"))
        for stage, texts in (
            (
                "dynamo_graph",
                (graph.format("getattr(x, 'T')"), graph.format("torch.aten.mT(x)")),
            ),
            (
                "passes",
                (
                    passes,
                    passes.replace("4 -> 4", "4 -> 3").replace(
                        "  +aten.full.default", ""
                    ),
                ),
            ),
            (
                "trail",
                (
                    trail(steps.format("aaaa", "getattr", "cccc")),
                    trail(steps.format("bbbb", "aten.mT", traced)),
                ),
            ),
        )
    ]
    assert [
        change.code for change in case_changes(compared, cause(compared)).own
    ] == told


FOLDED = """\
def graph_0(x: f32[8], y: f32[8]):
    {compares}: b8[8] = aten.{compares}.Scalar(x, 0)
    where: f32[8] = aten.where.self({compares}, x, y)
    neg: f32[8] = aten.neg.default({negated})
    return (where, neg)
"""
ADDED = FOLDED.replace(
    "    neg:", "    add: f32[8] = aten.add.Tensor({added}, 0)\n    neg:"
)


@pytest.mark.parametrize(
    ("added", "told"),
    [("y", ["contents-changed", "pass-changed"]), ("where", ["contents-changed"])],
)
def test_a_pass_that_changes_other_nodes_follows_from_nothing_before_it(
    added: str, told: list[str]
) -> None:
    """Another comparison is traced, and a sum with zero is folded away: of another value, or of what is compared."""
    passes = "graph_0:\n  joint     fold  5 -> {}\n{}"
    graphs = (
        ADDED.format(compares="ge", added=added, negated="add"),
        FOLDED.format(compares="ne", negated=added),
    )
    compared = [
        Compared(stage, "structural", *texts, None, PurePosixPath(f"{stage}.txt"))
        for stage, texts in (
            ("joint_graph", graphs),
            (
                "passes",
                (passes.format(5, ""), passes.format(4, "      -aten.add.Tensor\n")),
            ),
            (
                "trail",
                (
                    trail(
                        "aot_graph        5 nodes  aaaa\n  # aten.ge, aten.where, output\n"
                    ),
                    trail(
                        "aot_graph        5 nodes  bbbb\n  # aten.ne, aten.where, output\n"
                    ),
                ),
            ),
        )
    ]
    assert [
        change.code for change in case_changes(compared, cause(compared)).own
    ] == told


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("aten.mul x4, aten.sub", "aten.mul x2, aten.addcmul", True),
        # Of more products, more may be ones with 1.
        ("aten.mul, aten.sub", "aten.mul x2, aten.addcmul", False),
    ],
)
@pytest.mark.parametrize("removed", ["-aten.mul.Tensor x2", "-aten.mul.Tensor"])
def test_a_pass_that_removes_what_it_left_before_follows_from_nothing_before_it(
    old: str, new: str, told: bool, removed: str
) -> None:
    """Although what is traced otherwise is about the same operator."""
    passes = "graph_0:\n  joint     fold  {}\n      {}\n"
    compared = [
        Compared(stage, "structural", *texts, None, PurePosixPath(f"{stage}.txt"))
        for stage, texts in (
            (
                "passes",
                (
                    passes.format("9 -> 9", "same operators, other order or arguments"),
                    passes.format("8 -> 6", removed),
                ),
            ),
            (
                "trail",
                (
                    trail(f"aot_graph        9 nodes  aaaa\n  # {old}, output\n"),
                    trail(f"aot_graph        8 nodes  bbbb\n  # {new}, output\n"),
                ),
            ),
        )
    ]
    own = case_changes(compared, cause(compared)).own
    assert [change.code for change in own] == [
        "contents-changed",
        *["pass-changed"] * told,
    ]


def test_a_pass_that_removes_what_has_no_effect_is_one_change_whatever_it_removes() -> (
    None
):
    def removes(*operators: str, name: str = "fold") -> PassChanged:
        return PassChanged(
            "joint", name, removed=tuple((operator, 1) for operator in operators)
        )

    assert removes("aten.mul").key == removes("aten.add", "aten.mul").key
    # One of torch's lists has many patterns.
    assert (
        removes("aten.mul", name="pass_pattern_0").key
        != removes("aten.add", name="pass_pattern_0").key
    )


def test_what_a_partition_computes_again_depends_on_the_program() -> None:
    def partition(operator: str, after: int) -> PassChanged:
        nodes = ((10, 10), (10, after))
        return PassChanged(
            "partition",
            "min_cut_rematerialization_partition",
            made=((operator, 1),),
            nodes=nodes,
        )

    assert partition("aten.ne", 11).key == partition("aten.sub", 12).key
    assert partition("aten.ne", 11).key != partition("aten.ne", 9).key
    # Random numbers that are drawn again are another decision.
    assert (
        partition("aten.ne", 11).key
        != partition("higher_order.run_with_rng_state", 11).key
    )


@pytest.mark.parametrize(
    ("joint", "before", "told"),
    [
        ("x", "y", ["contents-changed", "pass-changed"]),
        # Both sides leave them.
        ("x", "x", ["contents-changed"]),
        # Nothing was to be merged.
        ("y", "y", ["contents-changed"]),
    ],
)
def test_equal_nodes_that_a_partitioner_leaves_follow_from_nothing_before_it(
    joint: str, before: str, told: list[str]
) -> None:
    """Also where another change is near to them."""
    passes = "graph_0:\n  partition min_cut  9 -> {}\n      -aten.sub.Tensor{}\n".format
    graphs = [
        [
            MERGED.format(name=name, of=of, operator=operator)
            for of, operator in ((old, "abs"), (new, "neg"))
        ]
        for name, old, new in (
            ("graph_0_joint", joint, joint),
            ("graph_0_forward", before, "x"),
        )
    ]
    compared = [
        Compared(stage, "structural", *texts, None, PurePosixPath(f"{stage}.txt"))
        for stage, texts in (
            ("joint_graph", (graphs[0][0], graphs[0][1])),
            ("forward_graph", (graphs[1][0], graphs[1][1])),
            ("passes", (passes(7, " x2"), passes(8, ""))),
            (
                "trail",
                (
                    trail("aot_graph        9 nodes  aaaa\n  # aten.abs, output\n"),
                    trail("aot_graph        9 nodes  bbbb\n  # aten.neg, output\n"),
                ),
            ),
        )
    ]
    own = case_changes(compared, cause(compared)).own
    assert [change.code for change in own] == told


TWICE = """\
def {name}(x: f32[8], y: f32[8]):
    exp: f32[8] = aten.exp.default(x)
    log: f32[8] = aten.log.default(exp)
    exp_1: f32[8] = aten.exp.default(x)
    log_1: f32[8] = aten.log.default(exp_1)
    sub: f32[8] = aten.sub.Tensor(x, y)
    {operator}: f32[8] = aten.{operator}.default(sub)
    return (log, log_1, {operator})
"""


@pytest.mark.parametrize(
    ("call", "told"),
    [
        ("aten.exp.default(x)", "aten.exp, aten.log"),
        ("prims.iota.default(8)", "aten.log, prims.iota"),
    ],
)
def test_what_a_partitioner_leaves_double_is_counted_in_its_graphs_and_told_once(
    call: str, told: str
) -> None:
    """Also if all together it adds fewer nodes than before, and if what is computed twice is made of what is. The
    graphs after it have more of these, too."""
    passes = (
        "graph_0:\n  joint     fold  9 -> 9\n      -aten.sin.default{}\n"
        "  partition min_cut  9 -> {}\n      -aten.exp.default{}\n"
    ).format
    joint, forward = (
        [
            TWICE.format(name=name, operator=operator).replace(
                "aten.exp.default(x)", call
            )
            for operator in ("abs", "neg")
        ]
        for name in ("graph_0_joint", "graph_0_forward")
    )
    merged = "".join(
        line.replace("log_1", "log")
        for line in forward[0].splitlines(keepends=True)
        if not line.strip().startswith(("exp_1: ", "log_1: "))
    )
    negated = "  -aten.abs.default  +aten.neg.default"
    more = " x3  -prims.iota.default  -aten.log.default  -aten.sub.Tensor"
    compared = [
        Compared(stage, "structural", *sides, None, PurePosixPath(f"{stage}.txt"))
        for stage, sides in (
            ("joint_graph", (joint[0], joint[1])),
            ("forward_graph", (merged, forward[1])),
            ("post_grad_graph", (merged, forward[1])),
            ("passes", (passes("", 8, ""), passes(negated, 5, more))),
        )
    ]
    own = case_changes(compared, cause(compared)).own
    assert [sentence(change.what) for change in own] == [
        "joint / fold turns aten.abs into aten.neg",
        f"partition / min_cut: forward and backward have more nodes that repeat others, {told} (+2 nodes)",
    ]


def test_a_partition_of_the_same_joint_graph_follows_from_nothing_before_it() -> None:
    """Whatever patterns match on the way to that graph."""
    passes = (
        "graph_0:\n  joint     fold  9 -> 9\n{}"
        "  partition min_cut  9 -> {}\n      -aten.exp.default{}\n"
    ).format
    joint, forward = (
        TWICE.format(name=f"graph_0_{name}", operator="abs")
        for name in ("joint", "forward")
    )
    merged = forward.replace("aten.log.default(exp_1)", "aten.log.default(exp)")
    matched = "      pattern pointless_view: matched 1\n"
    compared = [
        Compared(
            stage,
            "structural" if sides[0] != sides[1] else "same",
            *sides,
            None,
            PurePosixPath(f"{stage}.txt"),
        )
        for stage, sides in (
            ("joint_graph", (joint, joint)),
            ("forward_graph", (merged, forward)),
            ("passes", (passes("", 8, " x2"), passes(matched, 9, ""))),
        )
    ]
    own = case_changes(compared, cause(compared)).own
    assert [sentence(change.what) for change in own] == [
        "joint / fold pattern pointless_view now matches",
        "partition / min_cut: forward and backward together have more nodes, aten.exp (+1 node)",
    ]


@pytest.mark.parametrize(
    ("drawn", "told"),
    [("randn", ["pass-changed", "pass-changed"]), ("mul", ["pass-changed"])],
)
def test_without_graphs_a_pass_follows_from_none_that_has_other_operators(
    drawn: str, told: list[str]
) -> None:
    """As in the decisions of a suite's test; and numbers from another generator come first."""
    graph = "graph_0:\n{}  joint     tidy  9 -> 9\n      -aten.view.default  +aten.reshape.default\n"
    more = (
        "  joint     fold  9 -> 7\n      -aten.mul.Tensor x2\n"
        f"  joint     replace_random  7 -> 7\n      -aten.{drawn}.default  +prims.inductor_random.default\n"
    )
    old, new = graph.format(""), graph.format(more)
    compared = [
        Compared("passes", "structural", old, new, None, PurePosixPath("passes.txt"))
    ]
    own = case_changes(compared, cause(compared)).own
    assert [change.code for change in own] == told
    assert [change.topic for change in own][1:] == ["random"] * (len(told) - 1)


CALLED = """\
graph_0_joint:
  joint     remove_noop_ops                          9 -> {}  # torch/_inductor/fx_passes/post_grad.py:1225
      -aten.alias.default x5{}

graph_0_forward:
{}"""
MATCHED = """\
  post_grad pass_pattern_2                           7 -> 6
      pattern addmm: matched 1
      -aten.add.Tensor  -aten.mm.default  +aten.addmm.default
"""


@pytest.mark.parametrize(
    ("kept", "first"),
    [
        ("aten.clone", "joint / remove_noop_ops keeps aten.clone (+1 node)"),
        # What makes the calls is told alone if what came before is about the same operators.
        ("aten.mm", "graph calls aten.addmm in place of aten.add + aten.mm"),
    ],
)
def test_what_calls_a_library_hides_no_pass_before_it(kept: str, first: str) -> None:
    graph = "def graph_0(x: f32[8, 8], y: f32[8, 8]):\n{}    return (add,)\n"
    old = (
        "    mm: f32[8, 8] = aten.mm.default(x, y)\n"
        "    add: f32[8, 8] = aten.add.Tensor(mm, y)\n"
    )
    new = "    add: f32[8, 8] = aten.addmm.default(y, x, y)\n"
    sides = [
        {"post_grad_graph": graph.format(lines), "passes": CALLED.format(*passes)}
        for lines, passes in (
            (old, (3, f"  -{kept}.default", "")),
            (new, (4, "", MATCHED)),
        )
    ]
    found = case_report("a[t]", "t", differing(*sides)).changes
    assert found[0].text == first
    # Where something else was removed is no place at which a library is called.
    assert (found[0].where is None) == (kept == "aten.mm")
    matches = "post_grad / pattern addmm now"
    assert any(change.text.startswith(matches) for change in found[1:]) == (
        kept == "aten.clone"
    )


def test_what_a_pass_removes_for_itself_is_not_called_otherwise() -> None:
    """A product with 1 and a sum with 0 behind a sum, which a library computes now, and beside it."""
    graph = "def graph_0(x: f32[8, 8], y: f32[8, 8]):\n{}    return ({})\n"
    old = (
        "    mm: f32[8, 8] = aten.mm.default(x, y)\n"
        "    add: f32[8, 8] = aten.add.Tensor(mm, y)\n"
        "    mul: f32[8, 8] = aten.mul.Tensor(add, 1)\n"
        "    add_1: f32[8, 8] = aten.add.Tensor(y, 0)\n"
    )
    new = "    add: f32[8, 8] = aten.addmm.default(y, x, y)\n"
    folds = "graph_0_joint:\n  joint     fold  9 -> {}\n{}"
    removed = "      -aten.add.Tensor  -aten.mul.Tensor\n"
    trails = trail("aot_graph  4 nodes  aaaa\n  # aten.add x2, aten.mm, aten.mul\n")
    sides = [
        {"post_grad_graph": graph.format(*lines), "passes": passes, "trail": trails}
        for lines, passes in (
            ((old, "mul, add_1"), folds.format(9, "")),
            ((new, "add, y"), folds.format(7, removed)),
        )
    ]
    found = case_report("a[t]", "t", differing(*sides)).changes
    assert {change.text for change in found} == {
        "joint / fold removes aten.add, aten.mul (-2 nodes)",
        "graph calls aten.addmm in place of aten.add + aten.mm",
    }


def test_a_pattern_that_matches_no_longer_is_told_beside_arithmetic_that_is_removed() -> (
    None
):
    """What is removed is in no other change, although the pattern is about such operators, too."""
    passes = """\
graph_0_joint:
  joint     constant_fold_uniform_value              5 -> {}
{}
graph_0_forward:
  post_grad pass_pattern_2                           {}
      pattern addmm: matched 1
"""
    fused = "      -aten.add.Tensor  -aten.mm.default  +aten.addmm.default\n"
    undone = "      pattern unfuse: matched 1\n      same operators, other order or arguments\n"
    graph = "def graph_0(x: f32[8, 8], y: f32[8, 8]):\n{}    return (out,)\n"
    sides = [
        {
            "passes": passes.format(5, "      -aten.view.default", "5 -> 5") + undone,
            "post_grad_graph": graph.format(
                "    mm: f32[8, 8] = aten.mm.default(x, y)\n"
                "    add: f32[8, 8] = aten.add.Tensor(y, mm)\n"
                "    out: f32[8, 8] = aten.add.Tensor(add, 0)\n"
            ),
        },
        {
            "passes": passes.format(
                4, "      -aten.view.default  -aten.add.Tensor", "4 -> 3"
            )
            + fused,
            "post_grad_graph": graph.format(
                "    out: f32[8, 8] = aten.addmm.default(y, x, y)\n"
            ),
        },
    ]
    found = case_report("a[t]", "t", differing(*sides)).changes
    assert [change.text for change in found] == [
        "joint / constant_fold_uniform_value removes x + 0 (aten.add) (-1 node)",
        "post_grad / pattern unfuse no longer matches, "
        "so that its pass turns aten.add, aten.mm into aten.addmm (-1 node)",
    ]


MADE_BESIDE = """\
def graph_0_joint(x: f32[8], y: f32[8]):
    sin: f32[8] = aten.sin.default(x)
{}    return ({})
"""


@pytest.mark.parametrize(("traced", "told"), [(3, True), (2, False)])
def test_arithmetic_is_removed_beside_what_its_pass_makes_of_other(
    traced: int, told: bool
) -> None:
    """A product with 1 is removed; one with 0, and one with nothing known, become constants."""
    before = (
        "    mul: f32[8] = aten.mul.Tensor(sin, 1.0)\n"
        "    mul_1: f32[8] = aten.mul.Tensor(y, 0)\n"
        "    mul_2: f32[8] = aten.mul.Tensor(x, y)\n"
    )
    full = "    full: f32[8] = aten.full.default([8], 0)\n"
    folds = "graph_0_joint:\n  joint     constant_fold_uniform_value  5 -> {}\n{}"
    steps = "aot_graph  5 nodes  {}\n  # aten.sin, aten.mul x{}\n"
    sides = [
        {
            "passes": folds.format(*passes),
            "joint_graph": MADE_BESIDE.format(*graph),
            "trail": trail(steps.format(digest, times)),
        }
        for passes, graph, digest, times in (
            ((5, ""), (before, "mul, mul_1, mul_2"), "aaaa", 3),
            (
                (3, "      -aten.mul.Tensor x3  +aten.full.default\n"),
                (full, "sin, full, full"),
                "bbbb",
                traced,
            ),
        )
    ]
    found = case_report("a[t]", "t", differing(*sides)).changes
    removes = "joint / constant_fold_uniform_value removes x * 1 (aten.mul) (-1 node)"
    assert any(change.text == removes for change in found) == told


def test_arithmetic_that_a_pass_before_removes_is_removed_by_no_other() -> None:
    """The addition of 0 is gone in the joint graph already; the pattern takes another one into a library call."""
    graph = """\
def {}(x: f32[8, 8], y: f32[8, 8]):
    sin: f32[8, 8] = aten.sin.default(x)
{}    return (add_1, mul)
"""
    folds = "graph_0:\n  joint     constant_fold_uniform_value  6 -> {}\n{}"
    matches = "  post_grad pass_pattern_2  {} -> {}\n{}"
    steps = "aot_graph  6 nodes  {}\n  # aten.sin, aten.add x2, aten.mm, aten.mul\n"
    added = "    add: f32[8, 8] = aten.add.Tensor(sin, 0)\n"
    mul = "    mul: f32[8, 8] = aten.mul.Tensor({}, y)\n"
    by_two = (
        "    mm: f32[8, 8] = aten.mm.default(x, y)\n"
        "    add_1: f32[8, 8] = aten.add.Tensor(mm, x)\n"
    )
    by_one = "    add_1: f32[8, 8] = aten.addmm.default(x, x, y)\n"
    sides = [
        {
            "passes": folds.format(*folded) + matches.format(*matched),
            "joint_graph": graph.format("graph_0_joint", "".join((*lines, by_two))),
            "post_grad_graph": graph.format("graph_0", "".join((*lines, ends))),
            "trail": trail(steps.format(digest)),
        }
        for folded, matched, lines, ends, digest in (
            ((6, ""), (6, 6, ""), (added, mul.format("add")), by_two, "aaaa"),
            (
                (5, "      -aten.add.Tensor\n"),
                (
                    5,
                    4,
                    "      pattern addmm: matched 1\n"
                    "      -aten.add.Tensor  -aten.mm.default  +aten.addmm.default\n",
                ),
                (mul.format("sin"),),
                by_one,
                "bbbb",
            ),
        )
    ]
    found = case_report("a[t]", "t", differing(*sides)).changes
    removes = [change.text for change in found if "removes" in change.text]
    assert removes == [
        "joint / constant_fold_uniform_value removes x + 0 (aten.add) (-1 node)"
    ]


IN_BOTH = """\
graph_0_forward:
  joint     remove_noop_ops                          9 -> 8
      -aten.alias.default
{forward}
graph_0_backward:
  post_grad pass_pattern_2                           9 -> {left}
      pattern addmm: matched {times}
      -aten.add.Tensor{times_of}  -aten.mm.default{times_of}  +aten.addmm.default{times_of}
"""


def test_what_a_pass_does_otherwise_is_counted_in_all_graphs() -> None:
    old = IN_BOTH.format(forward="", left=8, times=1, times_of="")
    new = IN_BOTH.format(forward=MATCHED, left=6, times=3, times_of=" x3")
    compared = [
        Compared("passes", "structural", old, new, None, PurePosixPath("passes.txt"))
    ]
    told = [
        sentence(change.what) for change in case_changes(compared, cause(compared)).own
    ]
    assert told == [
        "post_grad / pattern addmm matches 4 times instead of 1, "
        "turns aten.add x3, aten.mm x3 into aten.addmm x3 (-3 nodes)"
    ]


@pytest.mark.parametrize(
    ("others", "told"), [("", ["pass-changed"] * 2), ("sqrt", ["pass-changed"])]
)
def test_a_pattern_that_matches_on_one_side_alone_follows_from_no_other_operator(
    others: str, told: list[str]
) -> None:
    """A product by one is removed, too; not where as many square roots are left, of which the pattern had none."""
    graph = "def graph_0(x: f32[8], y: f32[8]):\n"
    roots = "    sqrt: f32[8] = aten.sqrt.default(x)\n    reciprocal: f32[8] = aten.reciprocal.default(sqrt)\n"
    product = "    mul: f32[8] = aten.mul.Tensor(y, 1.0)\n"
    root = "    rsqrt: f32[8] = aten.rsqrt.default(x)\n"
    other = "    sqrt_1: f32[8] = aten.sqrt.default(y)\n" if others else ""
    fold = "graph_0:\n  joint     fold  6 -> {}\n      -aten.view.default{}\n"
    pattern = (
        "  post_grad pass_pattern_1  4 -> 3\n      pattern reciprocal_sqrt_to_rsqrt: matched 1\n"
        "      -aten.reciprocal.default  -aten.sqrt.default  +aten.rsqrt.default\n"
    )
    old = {
        "passes": fold.format(5, ""),
        "post_grad_graph": f"{graph}{roots}{product}    return (reciprocal, mul)\n",
    }
    last = "sqrt_1" if others else "y"
    new = {
        "passes": fold.format(4, "  -aten.mul.Tensor") + pattern,
        "post_grad_graph": f"{graph}{root}{other}    return (rsqrt, {last})\n",
    }
    case = case_report("a[t]", "t", differing(old, new))
    assert [change.code for change in case.changes] == told
    if not others:
        assert (
            "turns aten.reciprocal, aten.sqrt into aten.rsqrt" in case.changes[1].text
        )
