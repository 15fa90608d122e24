"""The order in which operations run, and what forward saves for backward, are changes of their own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from pytest_compile_golden.facts.costs import BufferLifetime, Liveness
from pytest_compile_golden.formats import evidence
from pytest_compile_golden.formats.schedules.provenance import Kernel, Nodes
from pytest_compile_golden.goldens import consequences
from pytest_compile_golden.goldens.compare_artifact import Compared
from pytest_compile_golden.goldens.consequences import SavedInstead
from pytest_compile_golden.report.case_report import case_report
from pytest_compile_golden.report.model import CaseReport
from tests.written_cases import METRICS, OPERATION, differing, evidence_of, moved

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


def saving(
    saved: tuple[str, str], programs: Sequence[tuple[str, str]] = ATTRIBUTE
) -> CaseReport:
    """A case of which forward saves the one or the other."""
    sides = []
    for program, names in zip(programs, saved, strict=True):
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
            "forward saves aten.sin, an input for backward instead of aten.mul",
        ),
        (
            ("sin, primals_2, mul", "sin, primals_2"),
            "forward no longer saves aten.mul for backward",
        ),
        (
            ("sin, primals_2", "sin, primals_2, mul"),
            "forward now saves aten.mul for backward",
        ),
    ],
)
def test_what_forward_saves_instead_is_a_change(
    saved: tuple[str, str], told: str
) -> None:
    assert [change.text for change in saving(saved).changes] == [
        "graph calls aten.numpy_T in place of getattr",
        told,
    ]


@pytest.mark.parametrize(
    ("saved", "told"),
    [
        (
            ("sin, mul", "sin, mul, primals_2"),
            "forward now saves an input for backward",
        ),
        (
            ("sin, mul", "mul, primals_2"),
            "forward saves an input for backward instead of aten.sin",
        ),
        (
            ("sin, mul", "mul, sin"),
            "forward saves the same values for backward in another order",
        ),
    ],
)
def test_what_forward_saves_is_told_where_nothing_else_differs(
    saved: tuple[str, str], told: str
) -> None:
    """What it returns to the program is the same."""
    found = saving(saved, (ATTRIBUTE[0], ATTRIBUTE[0])).changes
    assert [change.text for change in found] == [told]


def test_what_backward_computes_again_is_what_forward_saves_no_longer() -> None:
    """With the views that it was saved as."""
    passes = "graph_0_joint:\n  partition min_cut_rematerialization_partition  9 -> {}\n      -aten.alias.default{}\n"
    sides = []
    for program, saved, passed in (
        (ATTRIBUTE[0], "mul", (8, "")),
        (
            ATTRIBUTE[1],
            "sin, primals_2",
            (10, "  +aten.mul.Tensor  +aten.view.default"),
        ),
    ):
        given = ", ".join(f"{name}: f32[8]" for name in saved.split(", "))
        sides.append(
            {
                "dynamo_graph": PROGRAM.format(*program),
                "joint_graph": JOINT,
                "forward_graph": FORWARD.format(saved),
                "backward_graph": BACKWARD.format(
                    given, "" if saved == "mul" else AGAIN
                ),
                "passes": passes.format(*passed),
            }
        )
    found = case_report("a[t]", "t", differing(*sides)).changes
    assert [change.code for change in found] == ["operators-changed", "saved-instead"]


def test_what_is_saved_for_a_call_that_is_new_follows_from_it() -> None:
    """Also where it is saved as a view of what both sides compute."""
    joint = """\
def graph_0_joint(primals_1: f32[8], tangents_1: f32[8]):
    sin: f32[8] = aten.sin.default(primals_1)
    view: f32[4, 2] = aten.view.default(sin, [4, 2])
    exp: f32[4, 2] = aten.{0}.default(view)
    mul: f32[4, 2] = aten.mul.Tensor({1}, tangents_1)
    return (exp, mul)
"""
    forward = """\
def graph_0_forward(primals_1: f32[8]):
    sin: f32[8] = aten.sin.default(primals_1)
    view: f32[4, 2] = aten.view.default(sin, [4, 2])
    exp: f32[4, 2] = aten.{0}.default(view)
    return (exp, {1})


graph_0_forward_saves = [{1}]
"""
    backward = """\
def graph_0_backward({0}: f32[4, 2], tangents_1: f32[8]):
    mul: f32[4, 2] = aten.mul.Tensor({0}, tangents_1)
    return (mul,)
"""
    sides = [
        {
            "joint_graph": joint.format(called, saved),
            "forward_graph": forward.format(called, saved),
            "backward_graph": backward.format(saved),
        }
        for called, saved in (("exp", "exp"), ("relu", "view"))
    ]
    found = case_report("a[t]", "t", differing(*sides)).changes
    assert [change.code for change in found] == ["operators-changed"]


def test_what_makes_and_reads_a_saved_value_costs_what_forward_saves() -> None:
    sides, known = [], []
    for program, saved, moves in (
        (ATTRIBUTE[0], "mul", 96),
        (ATTRIBUTE[1], "sin, primals_2", 160),
    ):
        names = saved.split(", ")
        given = ", ".join(f"{name}: f32[8]" for name in names)
        forward = FORWARD.format(saved)
        backward = BACKWARD.format(given, "" if "mul" in names else AGAIN)
        made = ["sin", "mul"] if "sin" in names else ["mul"]
        stored = [
            OPERATION.format(number=at, computes=f"aten.{name}.default", reads="x")
            for at, name in enumerate(made)
        ]
        read = OPERATION.format(
            number=9, computes="aten.mul.Tensor", reads="[c0], ".join(names)
        )
        schedule = (
            f"graph_0_forward:\n  group 0: pointwise\n{''.join(stored)}\n"
            f"graph_0_backward:\n  group 0: pointwise\n{read}"
        )
        written, loaded = 32 * len(made), 32 * len(names)
        heads = (
            ("forward", ", ".join(made), f"read 0, written {written}"),
            ("backward", "mul", f"read {loaded}, written 32"),
        )
        cost = "\n".join(
            f"graph_0_{name}: launches 1, {moved}, flops 0, peak_memory 1\n"
            f"  pointwise [{operators}]: launches 1, {moved}, flops 0"
            for name, operators, moved in heads
        )
        sides.append(
            {
                "dynamo_graph": PROGRAM.format(*program),
                "joint_graph": JOINT,
                "forward_graph": forward,
                "backward_graph": backward,
                "post_grad_graph": f"{forward.partition('graph_0_forward_saves')[0]}{backward}",
                "scheduler_nodes": schedule,
                "cost": f"{cost}\n",
                "metrics": METRICS.format(moves, 2),
            }
        )
        nodes = [Nodes(0, f"op{at}", (name,)) for at, name in enumerate(made)]
        known.append(evidence.write(schedule, [*nodes, Nodes(1, "op9", ("mul_1",))]))
    compared = differing(*sides, known={"scheduler_nodes": known})
    case = case_report("a[t]", "t", compared)
    assert moved(case, "bytes_accessed") == {"saved-instead": 64}


CALL = """\
graph_0:
  group 0: extern
    op0: extern FallbackKernel {0}
      buf0: f32[8] cuda:0
      computes aten.sin.default, {0}
      reads x
      writes buf0
"""
CALLING = """\
def graph_0(x: f32[8]):
    drawn: f32[8] = {}(x)
    return (drawn,)
"""
CALLED = """\
graph_0: launches 1, {0}, flops {1}, peak_memory 32
  extern f32 [{2}, sin]: launches 1, {0}, flops {1}
"""


def test_a_call_of_which_torch_counts_nothing_costs_no_less() -> None:
    """torch/_inductor/scheduler.py has no formula for what a higher-order operator is given to call."""
    wrapped, called = "higher_order.run_with_rng_state", "aten.bernoulli.default"
    old, new = (
        {
            "dynamo_graph": PROGRAM.format(*program),
            "post_grad_graph": CALLING.format(name),
            "scheduler_nodes": CALL.format(name),
            "cost": CALLED.format(moves, flops, name.split(".")[1]),
            "metrics": METRICS.format(total, 1),
        }
        for program, name, moves, flops, total in (
            (ATTRIBUTE[0], wrapped, "read 0, written 0", 0, 100),
            (ATTRIBUTE[1], called, "read 32, written 32", 8, 164),
        )
    )
    compared = differing(old, new, known=evidence_of(old, new))
    case = case_report("a[t]", "t", compared)
    assert moved(case, "bytes_accessed") == {"counted otherwise": 64}


GRAPH = """\
def graph_0(x: f32[8]):
    sin: f32[8] = aten.sin.default(x)
    cos: f32[8] = aten.cos.default(x)
    exp: f32[8] = aten.exp.default(x)
    {0}: f32[8] = aten.{0}.default(x)
    return (sin, cos, exp, {0})
"""


COSINE = OPERATION.replace("pointwise", "extern ExternKernelOut extern_kernels.cos")


def running(
    orders: tuple[str, str], last: tuple[str, str] = ("abs", "abs"), called: str = ""
) -> CaseReport:
    """A case of which the operations run in these orders, one after the other; the loops between two that are called in
    a library are one kernel."""
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
        schedule, costs = "graph_0:\n", ""
        for at, name in enumerate(names):
            kind = "extern" if name == called else "pointwise"
            operation = COSINE if name == called else OPERATION
            schedule += f"  group {at}: {kind}\n" + operation.format(
                number=at, computes=f"aten.{name}.default", reads="x"
            )
            costs += f"  {kind} [{name}]: launches 1, read 32, written 32, flops 8\n"
        kernels = [
            Kernel(0, at, f"cpp_{names[:at].count(called)}" if called else f"k{at}")
            for at, name in enumerate(names)
            if name != called
        ]
        number = len({each.kernel for each in kernels})
        peak = f"peak_memory {liveness.most}"
        cost = f"graph_0: launches 4, read 128, written 128, flops 32, {peak}\n{costs}"
        sides.append(
            {
                "dynamo_graph": PROGRAM.format(*program),
                "post_grad_graph": GRAPH.format(other),
                "scheduler_nodes": schedule,
                "cost": cost,
                "metrics": METRICS.format(256, number)
                + f"peak_memory = {liveness.most}\n",
            }
        )
        nodes = [Nodes(0, f"op{at}", (name,)) for at, name in enumerate(names)]
        known.append(
            (
                evidence.write(schedule, [*nodes, *kernels]),
                evidence.write(cost, [liveness]),
            )
        )
    of_schedule, of_cost = zip(*known, strict=True)
    facts = {"scheduler_nodes": of_schedule, "cost": of_cost}
    compared = differing(*sides, known=facts)
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


UNPACKED = """\
  group {0}: extern
    op{0}: extern FallbackKernel torch.ops.aten.sort.stable
      buf{0}: {1}
      computes aten.sort.stable
      reads x
      writes buf{0}
"""
UNPACK = """\
  group 1: unpack
    op1: unpack
      buf1: f32[8] cpu
      reads buf0
      writes buf1[c0]
"""
SORTED = """\
def graph_0(x: f32[8]):
    sort = aten.sort.stable(x, stable=True)
    getitem: f32[8] = sort[0]
    sin: f32[8] = aten.sin.default(x)
    cos: f32[8] = aten.cos.default(x)
    exp: f32[8] = aten.exp.default(x)
    return (getitem, sin, cos, exp)
"""


def test_what_is_counted_twice_no_longer_is_not_held_less_because_of_the_order() -> (
    None
):
    """Also where another step holds most now, so that the buffers do not add up: the order has the rest."""
    sizes = {"sort": 96, "getitem": 96, "sin": 40, "cos": 20, "exp": 50}
    # The sine is held until the cosine is computed, if it is computed first.
    sides, known = [], []
    for program, order, most in (
        (ATTRIBUTE[0], "sort getitem sin cos exp", 252),
        (ATTRIBUTE[1], "sort cos sin exp", 146),
    ):
        names = order.split()
        unpacks = "getitem" in names
        schedule = "graph_0:\n" + UNPACKED.format(
            0, "MultiOutputLayout" if unpacks else "f32[8] cpu"
        )
        schedule += UNPACK if unpacks else ""
        costs, held, nodes = "", [], [Nodes(0, "op0", ("sort",))]
        for at, name in enumerate(names):
            until = {"sin": names.index("cos"), "sort": 9, "getitem": 9}.get(name, at)
            held.append(
                BufferLifetime(f"buf{at}", sizes[name], sizes[name], at, max(at, until))
            )
            if name not in ("sort", "getitem"):
                schedule += f"  group {at}: pointwise\n" + OPERATION.format(
                    number=at, computes=f"aten.{name}.default", reads="x"
                )
                nodes.append(Nodes(0, f"op{at}", (name,)))
                costs += (
                    f"  pointwise [{name}]: launches 1, read 32, written 32, flops 8\n"
                )
        steps = tuple(f"op{at}" for at in range(len(names)))
        liveness = Liveness("graph_0", steps, tuple(held))
        assert liveness.most == most
        cost = (
            f"graph_0: launches 3, read 96, written 96, flops 24, peak_memory {most}\n"
        )
        sides.append(
            {
                "dynamo_graph": PROGRAM.format(*program),
                "post_grad_graph": SORTED,
                "scheduler_nodes": schedule,
                "cost": cost + costs,
                "metrics": METRICS.format(192, 3) + f"peak_memory = {most}\n",
            }
        )
        known.append(
            (
                evidence.write(schedule, nodes),
                evidence.write(cost + costs, [liveness]),
            )
        )
    of_schedule, of_cost = zip(*known, strict=True)
    facts = {"scheduler_nodes": of_schedule, "cost": of_cost}
    case = case_report("a[t]", "t", differing(*sides, known=facts))
    assert moved(case, "peak_memory") == {
        "counted otherwise": -96,
        "operations-moved": -10,
    }


def test_a_call_that_runs_between_loops_now_makes_two_kernels_of_them() -> None:
    """Whatever else the case has: the order of operations alone decides which loops are one C++ kernel."""
    case = running(("cos sin exp", "sin cos exp"), ("abs", "neg"), called="cos")
    assert moved(case, "kernels") == {"operations-moved": 1}
    # Of which one may compute another operator, where no loop reads or writes more or less.
    case = running(("sin exp cos", "cos sin exp"), ("abs", "neg"), called="cos")
    assert moved(case, "kernels") == {"operations-moved": -1}


IN_A_LOOP = """\
// graph_0: cpp_fused_sum_0
extern "C"  void  kernel(const float* in_ptr0, float* out_ptr0)
{
    for(int64_t x0=static_cast<int64_t>(0L); x0<static_cast<int64_t>(64L); x0+=static_cast<int64_t>(1L))
    {
PARALLEL    }
}
"""
PARALLEL = """\
        #pragma omp parallel num_threads(8)
        {
            int tid = omp_get_thread_num();
        }
"""


def test_threads_that_are_started_in_no_loop_any_more_own_how_often_they_were() -> None:
    """Although the case has another change, which computes."""
    sides = [
        {
            "dynamo_graph": PROGRAM.format(name, f"aten.{name}(x)"),
            "cpp_code": IN_A_LOOP.replace("PARALLEL", started),
            "metrics": METRICS.format(64, 1) + f"thread_starts = {times}\n",
        }
        for name, started, times in (("sin", PARALLEL, 64), ("cos", "", 0))
    ]
    case = case_report("a[t]", "t", differing(*sides))
    assert moved(case, "thread_starts") == {"threads-in-loops": -64}


def test_equal_values_that_are_saved_for_each_other_are_no_change() -> None:
    twice = JOINT.replace(
        "    mul: f32[8]",
        "    sin_1: f32[8] = aten.sin.default(primals_1)\n    mul: f32[8]",
    )
    sides = [
        {
            "dynamo_graph": PROGRAM.format(*program),
            "joint_graph": twice,
            "forward_graph": FORWARD.format("sin")
            .replace("sin", name)
            .replace(f"aten.{name}", "aten.sin"),
        }
        for program, name in zip(ATTRIBUTE, ("sin", "sin_1"), strict=True)
    ]
    case = case_report("a[t]", "t", differing(*sides))
    assert [change.text for change in case.changes] == [
        "graph calls aten.numpy_T in place of getattr"
    ]


def test_a_value_that_is_saved_by_another_node_that_computes_it_is_no_other_value() -> (
    None
):
    """Also where one of the nodes is next to what differs."""
    twice = JOINT.replace(
        "    mul: f32[8]",
        "    sin_1: f32[8] = aten.sin.default(primals_1)\n"
        "    neg: f32[8] = aten.{}.default(sin_1)\n    mul: f32[8]",
    )
    sides = [
        {
            "joint_graph": twice.format(operator),
            "forward_graph": FORWARD.format("sin")
            .replace("sin", name)
            .replace(f"aten.{name}", "aten.sin"),
        }
        for operator, name in (("neg", "sin"), ("abs", "sin_1"))
    ]
    case = case_report("a[t]", "t", differing(*sides))
    assert "saves" not in " ".join(change.text for change in case.changes)


def test_what_forward_saves_instead_is_found_once_for_a_case(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Although both its changes and its numbers follow from that."""
    found, times = consequences._found_instead, []

    def counted(compared: Sequence[Compared]) -> Iterator[SavedInstead]:
        times.append(len(compared))
        return found(compared)

    monkeypatch.setattr(consequences, "_found_instead", counted)
    saving(("mul", "sin, primals_2"))
    assert len(times) == 1
