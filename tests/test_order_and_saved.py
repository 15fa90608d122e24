"""The order in which operations run, and what forward saves for backward, are changes of their own."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_compile_golden.facts.costs import BufferLifetime, Liveness
from pytest_compile_golden.formats import evidence
from pytest_compile_golden.formats.schedules.provenance import Nodes
from pytest_compile_golden.report.case_report import case_report
from pytest_compile_golden.report.model import CaseReport
from tests.test_attribution import METRICS, OPERATION, differing, moved

PROGRAM = "def graph_0(x: f32[8]):\n    {0}: f32[8] = {1}\n    return ({0},)\n"
"""Read before and now as an attribute: nothing that runs follows from that."""
ATTRIBUTE = ("getattr_1", "getattr(x, 'T')"), ("numpy_t", "aten.numpy_T(x)")
JOINT = """\
def graph_0_joint(primals_1: f32[8], primals_2: f32[8], tangents_1: f32[8]):
    sin: f32[8] = aten.sin.default(primals_1)
    mul: f32[8] = aten.mul.Tensor(sin, primals_2)
    mul_1: f32[8] = aten.mul.Tensor(tangents_1, mul)
    return (mul, mul_1)
"""
FORWARD = """\
def graph_0_forward(primals_1: f32[8], primals_2: f32[8]):
    sin: f32[8] = aten.sin.default(primals_1)
    mul: f32[8] = aten.mul.Tensor(sin, primals_2)
    return (mul, {0})


graph_0_forward_saves = [{0}]
"""
BACKWARD = """\
def graph_0_backward({0}, tangents_1: f32[8]):
{1}    mul_1: f32[8] = aten.mul.Tensor(tangents_1, mul)
    return (mul_1,)
"""
AGAIN = "    mul: f32[8] = aten.mul.Tensor(sin, primals_2)\n"


def saving(saved: tuple[str, str]) -> CaseReport:
    """A case of which forward saves the one or the other."""
    sides = []
    for program, names in zip(ATTRIBUTE, saved, strict=True):
        given = ", ".join(f"{name}: f32[8]" for name in names.split(", "))
        again = "" if "mul" in names.split(", ") else AGAIN
        sides.append(
            {
                "dynamo_graph": PROGRAM.format(*program),
                "joint_graph": JOINT,
                "forward_graph": FORWARD.format(names),
                "backward_graph": BACKWARD.format(given, again),
            }
        )
    return case_report("a[t]", "t", differing(*sides))


@pytest.mark.parametrize(
    ("saved", "told"),
    [
        (
            ("mul", "sin, primals_2"),
            "forward saves aten.sin, input for backward instead of aten.mul",
        ),
        (
            ("sin, primals_2, mul", "sin, primals_2"),
            "forward no longer saves aten.mul for backward",
        ),
        (
            ("sin, primals_2", "sin, primals_2, mul"),
            "forward saves aten.mul for backward, too",
        ),
    ],
)
def test_what_forward_saves_instead_is_a_change(
    saved: tuple[str, str], told: str
) -> None:
    assert [change.text for change in saving(saved).changes] == [
        "getattr -> aten.numpy_T",
        told,
    ]


GRAPH = """\
def graph_0(x: f32[8]):
    sin: f32[8] = aten.sin.default(x)
    cos: f32[8] = aten.cos.default(x)
    exp: f32[8] = aten.exp.default(x)
    {0}: f32[8] = aten.{0}.default(x)
    return (sin, cos, exp, {0})
"""


def running(
    orders: tuple[str, str], last: tuple[str, str] = ("abs", "abs")
) -> CaseReport:
    """A case of which the operations run in these orders, one after the other."""
    sides, known = [], []
    for program, order, other in zip(ATTRIBUTE, orders, last, strict=True):
        names = [*order.split(), other]
        # The sine is held until the operation behind the cosine has run.
        until = names.index("cos") + 1
        held = tuple(
            BufferLifetime(f"buf{at}", 32, 32, at, until if name == "sin" else at)
            for at, name in enumerate(names)
        )
        liveness = Liveness("graph_0", tuple(f"op{at}" for at in range(4)), held)
        schedule = "graph_0:\n" + "".join(
            f"  group {at}: pointwise\n"
            + OPERATION.format(number=at, computes=f"aten.{name}.default", reads="x")
            for at, name in enumerate(names)
        )
        kernels = "".join(
            f"  pointwise [{name}]: launches 1, read 32, written 32, flops 8\n"
            for name in names
        )
        peak = f"peak_memory {liveness.most}"
        cost = (
            f"graph_0: launches 4, read 128, written 128, flops 32, {peak}\n{kernels}"
        )
        sides.append(
            {
                "dynamo_graph": PROGRAM.format(*program),
                "post_grad_graph": GRAPH.format(other),
                "scheduler_nodes": schedule,
                "cost": cost,
                "metrics": METRICS.format(256, 4) + f"peak_memory = {liveness.most}\n",
            }
        )
        nodes = [Nodes(0, f"op{at}", (name,)) for at, name in enumerate(names)]
        known.append(
            (evidence.write(schedule, nodes), evidence.write(cost, [liveness]))
        )
    of_schedule, of_cost = zip(*known, strict=True)
    facts = {"scheduler_nodes": of_schedule, "cost": of_cost}
    compared = [
        replace(each, known=facts.get(each.stage, each.known))
        for each in differing(*sides)
    ]
    return case_report("a[t]", "t", compared)


def test_the_order_of_operations_is_a_change_beside_others() -> None:
    order = "operations run in a different order"
    case = running(("sin cos exp", "cos exp sin"), ("abs", "neg"))
    assert order in [change.text for change in case.changes]
    same = running(("sin cos exp", "sin cos exp"), ("abs", "neg"))
    assert order not in [change.text for change in same.changes]


def test_what_is_held_longer_in_another_order_belongs_to_the_order() -> None:
    """Although the case has another change."""
    case = running(("cos sin exp", "sin cos exp"))
    assert [change.code for change in case.changes] == [
        "operators-changed",
        "operations-moved",
    ]
    assert moved(case, "peak_memory") == {"operations-moved": 32}
