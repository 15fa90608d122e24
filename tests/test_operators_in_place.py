"""An operator in the place of another, where the nodes around it are the same, follows from nothing else."""

from __future__ import annotations

import pytest

from pytest_compile_golden.changes.change import Counts
from pytest_compile_golden.changes.graphs import StrictnessChanged
from pytest_compile_golden.formats.graphs import GRAPH
from pytest_compile_golden.formats.graphs.equivalence import pairs
from pytest_compile_golden.formats.graphs.independent_edits import (
    given_otherwise,
    in_place,
)
from pytest_compile_golden.messages.sentences import sentence
from pytest_compile_golden.report.case_groups import grouped
from pytest_compile_golden.report.case_report import case_report
from tests.trails import trail
from tests.written_cases import differing, evidence_of, moved

RANKED = """\
def graph_0(x: f32[8], y: f32[8]):
    sort: f32[8] = aten.sort.default(x)
    sin: f32[8] = aten.sin.default(y)
{also}    compares: b8[8] = aten.{compares}.Scalar({of}, 0)
    any_1: b8[] = aten.any.default(compares)
    return (sort, any_1, {last})
"""


@pytest.mark.parametrize(
    ("compares", "of", "told"),
    [
        ("ge", "x", ["aten.ge reads an input instead of the result of aten.sort"]),
        (
            "gt",
            "sort",
            ["comparisons no longer hold for equal values: aten.ge -> aten.gt"],
        ),
        ("ge", "sort", []),
        # What is given another value may follow from what makes that.
        ("ge", "sin_1", []),
    ],
)
def test_what_changes_among_nodes_that_are_the_same_follows_from_none(
    compares: str, of: str, told: list[str]
) -> None:
    sine = "    sin_1: f32[8] = aten.sin.default(sin)\n"
    graphs = (
        RANKED.format(also="", compares="ge", of="sort", last="sin"),
        RANKED.format(also=sine, compares=compares, of=of, last="sin_1"),
    )
    steps = "aot_graph        9 nodes  {}\n  # aten.sort, aten.sin{}, output\n"
    sides = [
        {"post_grad_graph": graph, "trail": trail(steps.format(digest, times))}
        for graph, digest, times in zip(
            graphs, ("aaaa", "bbbb"), ("", " x2"), strict=True
        )
    ]
    case = case_report("a[t]", "t", differing(*sides))
    first, *others = case.changes
    assert first.text == "AOTAutograd traces 1 more call: aten.sin"
    assert [change.text for change in others] == told


BETWEEN = """\
def graph_0(x: f32[8], y: f32[8]):
    sin: f32[8] = aten.sin.default(y)
{also}    low: b8[8] = aten.{low}.Scalar(x, 0)
    high: b8[8] = aten.{high}.Scalar(x, 1)
    both: b8[8] = aten.logical_and.default(low, high)
    of_y: b8[8] = aten.{low}.Scalar(y, 2)
    return (both, of_y, {last})
"""


def test_operators_of_one_value_are_exchanged_all() -> None:
    """Of what reads the value that another reads which is exchanged, too, nothing else follows."""
    sine = "    sin_1: f32[8] = aten.sin.default(sin)\n"
    ((old,), (new,)) = (
        GRAPH.document(BETWEEN.format(also=also, low=low, high=high, last=last))
        for also, low, high, last in (
            ("", "ge", "le", "sin"),
            (sine, "gt", "lt", "sin_1"),
        )
    )
    assert [sentence(change) for change in in_place(pairs(old, new))] == [
        "comparisons no longer hold for equal values: aten.ge x2 + aten.le -> aten.gt x2 + aten.lt",
    ]
    # What is not only strict is exchanged with the others, or not at all.
    others = [
        GRAPH.document(BETWEEN.format(also=sine, low=low, high=high, last="sin_1"))
        for low, high in (("eq", "ne"), ("eq", "le"))
    ]
    assert [sentence(change) for change in in_place(pairs(old, others[0][0]))] == [
        "graph calls aten.eq x2 in place of aten.ge x2",
        "graph calls aten.ne in place of aten.le",
    ]


COMPARED = """\
def graph_0(x: f32[8], y: f32[8]):
    first: b8[8] = aten.gt.Scalar(y, 1)
    second: b8[8] = aten.{}.Scalar(x, 0)
    third: f32[8] = aten.{}.default({})
    return (first, second, third)
"""
ONE_GROUP = """\
graph_0:
  group 0: pointwise
    op0: pointwise
      buf0: f32[8] cuda:0
      computes aten.{}.Scalar, aten.{}.default
      reads x[c0], {}
      writes buf0[c0]
"""


def test_an_operator_in_the_place_of_another_is_told_once_and_costs_nothing() -> None:
    """Tracing counts it among what it traces no longer, where it traces the other anyway; the kernel that computes it
    computes more that is other."""
    steps = "aot_graph        9 nodes  {}\n  # {}, aten.full, output\ndecompositions:\n  aten.{} -> full.default\n"
    sides = []
    for second, third, of, reads, read, *traced in (
        (
            "ge",
            "relu",
            "y",
            "y[c0]",
            64,
            "aaaa",
            "aten.gt.Scalar, aten.ge.Scalar",
            "zeros_like",
        ),
        (
            "gt",
            "neg",
            "first",
            "y[c0], y[c0 + 8]",
            96,
            "bbbb",
            "aten.gt.Scalar x2",
            "new_zeros",
        ),
    ):
        moves = f"launches 1, read {read}, written 64, flops 0"
        sides.append(
            {
                "post_grad_graph": COMPARED.format(second, third, of),
                "scheduler_nodes": ONE_GROUP.format(second, third, reads),
                "cost": f"graph_0: {moves}, peak_memory 1\n  pointwise [{second}, {third}]: {moves}\n",
                "trail": trail(steps.format(*traced)),
                "metrics": f"bytes_accessed = {read + 64}\n",
            }
        )
    compared = differing(*sides, known=evidence_of(*sides))
    case = case_report("a[t]", "t", compared)
    traced_otherwise, compares, *_ = case.changes
    assert [traced_otherwise.text, compares.text] == [
        "AOTAutograd traces aten.new_zeros instead of aten.zeros_like",
        "comparisons no longer hold for equal values: aten.ge -> aten.gt",
    ]
    assert moved(case, "bytes_accessed") == {"operators-traced": 32}


ONE_GRAPH = """\
def graph_0(x: f32[8]):
    low: b8[8] = aten.{}.Scalar(x, 0)
    return (low,)
"""
CLAMPED = """\
def graph_0(x: f32[8], y: f32[8]):
    low: b8[8] = aten.{scalar}.Scalar(x, 0)
    where: f32[8] = aten.where.self(low, x, y)
    {tensor}
    where_1: f32[8] = aten.where.self(high, where, x)
    return (where_1,)
"""


def test_comparisons_that_are_strict_now_are_one_change_in_whichever_form() -> None:
    """Which comparisons there are depends on the program; what else reads the value that is compared is no matter."""
    one = "aot_graph        4 nodes  {}\n  # aten.{}.Scalar x2, aten.where\n"
    both = (
        "aot_graph        5 nodes  {}\n  # aten.{}.Scalar, aten.{}.Scalar, aten.where\n"
    )
    steps = (
        [one.format("aaaa", "ge"), one.format("bbbb", "gt")],
        [both.format("aaaa", "ge", "le"), both.format("bbbb", "gt", "lt")],
        # Beside one that is strict on both sides.
        [both.format("aaaa", "ge", "gt"), one.format("bbbb", "gt")],
    )
    graph = ONE_GRAPH.format
    cases = [
        case_report(
            f"{number}[t]",
            "t",
            differing(
                *(
                    {"post_grad_graph": graph(name), "trail": trail(step)}
                    for name, step in zip(("ge", "gt"), of_sides, strict=True)
                )
            ),
        )
        for number, of_sides in enumerate(steps)
    ]
    # A gradient that is computed with other operators, too, is another change beside it.
    gradient = "aot_graph        5 nodes  {}\n  # {}\ndecompositions:\n  aten.{} -> full.default\n"
    traced = (
        ("aaaa", "aten.ge.Scalar, aten.ge.Tensor", "zeros_like"),
        ("bbbb", "aten.gt.Scalar, aten.eq.Tensor", "new_zeros"),
    )
    sides = (
        {
            "post_grad_graph": CLAMPED.format(scalar=scalar, tensor=tensor),
            "trail": trail(gradient.format(*of_trail)),
        }
        for scalar, tensor, of_trail in (
            ("ge", "high: b8[8] = aten.ge.Tensor(x, y)", traced[0]),
            ("gt", "high: b8[8] = aten.eq.Tensor(x, y)", traced[1]),
        )
    )
    cases.append(case_report("3[t]", "t", differing(*sides)))
    told = {group.text.partition(",")[0]: group.members for group in grouped(cases)}
    assert told == {
        "comparisons no longer hold for equal values": ("0[t]", "1[t]", "2[t]", "3[t]"),
        "AOTAutograd traces aten.eq.Tensor + aten.new_zeros instead of aten.ge.Tensor + aten.zeros_like": (
            "3[t]",
        ),
    }


def test_what_is_traced_beside_comparisons_that_are_strict_now_is_told_without_them() -> (
    None
):
    step = "aot_graph        {} nodes  {}\n  # {}, aten.where\n"
    sides = [
        {"post_grad_graph": ONE_GRAPH.format(name), "trail": trail(step.format(*held))}
        for name, *held in (
            ("ge", 6, "aaaa", "aten.ge.Scalar x2, aten.clone x3"),
            ("gt", 3, "bbbb", "aten.ge.Scalar, aten.gt.Scalar"),
        )
    ]
    case = case_report("a[t]", "t", differing(*sides))
    assert sorted(change.text for change in case.changes) == [
        "AOTAutograd traces 3 fewer calls: aten.clone x3",
        "comparisons no longer hold for equal values: aten.ge -> aten.gt",
    ]


@pytest.mark.parametrize(
    ("gone", "come", "strict"),
    [
        (
            (("aten.ge", 2), ("aten.le.Scalar", 1)),
            (("aten.gt", 2), ("aten.lt.Scalar", 1)),
            True,
        ),
        ((("aten.gt", 1),), (("aten.ge", 1),), False),
        ((("aten.ge", 2),), (("aten.gt", 1),), None),
        ((("aten.ge", 1),), (("aten.lt", 1),), None),
        ((("aten.ge", 1), ("aten.neg", 1)), (("aten.gt", 1), ("aten.neg", 1)), None),
        ((), (), None),
    ],
)
def test_only_comparisons_that_are_exchanged_one_by_one_are_strict(
    gone: Counts, come: Counts, strict: bool | None
) -> None:
    found = StrictnessChanged.of(gone, come)
    assert (None if found is None else found.strict) == strict


def test_casts_are_told_as_the_type_that_values_are_computed_in() -> None:
    graph = """\
def graph_0(x: f32[8]):
    relu: f32[8] = aten.relu.default(x)
{}    sin: {} = aten.sin.default({})
    return (relu, sin)
"""
    cast = "    wide: f64[8] = prims.convert_element_type.default(x, torch.float64)\n"
    steps = "aot_graph        4 nodes  {}\n  # aten.relu.default, {}aten.sin.default, output\ndecompositions:\n{}"
    decomposed = "  aten._to_copy.default -> convert_element_type.default\n"
    sides = [
        {"post_grad_graph": graph.format(*written), "trail": trail(steps.format(*step))}
        for written, step in (
            (("", "f32[8]", "x"), ("aaaa", "", "")),
            (
                (cast, "f64[8]", "wide"),
                ("bbbb", "prims.convert_element_type.default, ", decomposed),
            ),
        )
    ]
    found = case_report("a[t]", "t", differing(*sides)).changes
    assert [change.text for change in found] == [
        "different dtype of the result of aten.sin: f32 -> f64"
    ]


def test_how_attention_is_laid_out_follows_from_the_library_that_computes_it() -> None:
    program = """\
def graph_0(q: f32[2, 4, 8], k: f32[2, 4, 8]):
    y: f32[2, 4, 8]{} = torch._C._nn.{}(q, k, k)
    return (y,)
"""
    graph = """\
def graph_0(q: f32[2, 4, 8], k: f32[2, 4, 8]):
    y: f32[2, 4, 8]{} = aten.{}.default(q, k)
    return (y,)
"""
    attention = "scaled_dot_product_attention"
    sides = [
        {
            "dynamo_graph": program.format(strides, attention),
            "post_grad_graph": graph.format(strides, called),
        }
        for strides, called in (
            ("", "bmm"),
            ("[8, 16, 1]", "_scaled_dot_product_efficient_attention"),
        )
    ]
    told = (
        "graph calls aten._scaled_dot_product_efficient_attention in place of aten.bmm"
    )
    (change,) = case_report("a[t]", "t", differing(*sides)).changes
    assert change.text == told
    # What else is laid out otherwise does not follow from it.
    for side in sides:
        side["dynamo_graph"] = side["dynamo_graph"].replace(attention, "linear")
    change = case_report("a[t]", "t", differing(*sides)).changes[1]
    assert change.text.startswith("different strides of the result of torch.linear")


@pytest.mark.parametrize(
    ("checked", "told"),
    [
        (
            "y",
            [
                "more checks while the graph runs: aten._assert_async.msg + aten.all + aten.ge"
            ],
        ),
        # What is checked is other, for which it may be checked.
        ("sin", []),
    ],
)
def test_what_is_called_for_its_effect_follows_from_nothing_else_that_is_traced(
    checked: str, told: list[str]
) -> None:
    program = (
        "def graph_0(x: f32[8], y: f32[8]):\n    z: f32[8] = {}\n    return (z,)\n"
    )
    graph = """\
def graph_0(x: f32[8], y: f32[8]):
    sin: f32[8] = aten.{}.default(x)
{}    return (sin,)
"""
    checks = f"""\
    ge: b8[8] = aten.ge.Scalar({checked}, 0)
    all_1: b8[()] = aten.all.default(ge)
    _assert_async = aten._assert_async.msg(all_1, "negative")
"""
    sides = [
        {
            "dynamo_graph": program.format(written),
            "post_grad_graph": graph.format(called, also),
        }
        for written, called, also in (
            ("torch.sin(x)", "sin", ""),
            ("torch.cos(x)", "cos", checks),
        )
    ]
    first, *others = case_report("a[t]", "t", differing(*sides)).changes
    assert first.text == "graph calls torch.cos in place of torch.sin"
    assert [change.text for change in others] == told


def test_what_views_are_of_that_are_traced_otherwise_is_said() -> None:
    graph = """\
def graph_0(x: f32[2, 8], y: f32[2, 8]):
    sin: f32[2, 8] = aten.sin.default(y)
    permute: f32[8, 2][1, 8] = aten.permute.default(sin, [1, 0])
{}    return (row, part, permute)
"""
    split = """\
    unbind = aten.unbind.int(x)
    row: f32[8] = unbind[1]
    split = aten.split.Tensor(permute, 1)
    part: f32[1, 2] = split[0]
"""
    sliced = """\
    row: f32[8] = aten.select.int(x, 0, 1)
    part: f32[1, 2] = aten.slice.Tensor(permute, 0, 0, 1)
"""
    steps = "aot_graph        9 nodes  {}\n  # aten.sin, aten.permute, {}, output x3\n"
    sides = [
        {"post_grad_graph": graph.format(views), "trail": trail(steps.format(*traced))}
        for views, traced in (
            (split, ("aaaa", "aten.unbind.int, getitem x2, aten.split.Tensor")),
            (sliced, ("bbbb", "aten.select.int, aten.slice.Tensor")),
        )
    ]
    (change,) = case_report("a[t]", "t", differing(*sides)).changes
    assert change.text == (
        "AOTAutograd traces views differently: "
        "aten.select.int + aten.slice in place of aten.split + aten.unbind.int, "
        "of the result of aten.sin and an input"
    )


GIVEN = """\
def graph_0(x: f32[1, 8]):
    neg: f32[1, 8] = aten.neg.default(x)
{lines}    nan: b8[8] = aten.isnan.default({of})
    return (nan, {last})
"""
SORTED_BEFORE = """\
    sort = aten.sort.default(neg)
    values: f32[1, 8] = sort[0]
    view: f32[8] = aten.reshape.default(values, [8])
"""
SORTED_AFTER = """\
    view: f32[8] = aten.reshape.default(neg, [8])
    sort = aten.sort.default(view)
    values: f32[8] = sort[0]
"""


@pytest.mark.parametrize(
    ("lines", "reads", "told"),
    [
        (
            (SORTED_BEFORE, SORTED_AFTER),
            ("view", "view"),
            [
                "aten.isnan reads the result of aten.neg instead of the result of aten.sort"
            ],
        ),
        (
            (SORTED_AFTER, SORTED_BEFORE),
            ("view", "view"),
            [
                "aten.isnan reads the result of aten.sort instead of the result of aten.neg"
            ],
        ),
        ((SORTED_BEFORE, SORTED_AFTER), ("view", "values"), []),
        ((SORTED_BEFORE.replace("sort", "cos"), SORTED_AFTER), ("view", "view"), []),
    ],
)
def test_what_reads_another_value_through_a_view_is_told(
    lines: tuple[str, str], reads: tuple[str, str], told: list[str]
) -> None:
    ((old,), (new,)) = (
        GRAPH.document(GIVEN.format(lines=made, of=of, last="values"))
        for made, of in zip(lines, reads, strict=True)
    )
    assert [sentence(change) for change in given_otherwise(pairs(old, new))] == told
