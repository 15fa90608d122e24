"""What is held at once, and what forward saves, is given to the changes of the buffers that it is of."""

from __future__ import annotations

import pytest

from pytest_compile_golden.facts.costs import BufferLifetime, KernelShares, Liveness
from pytest_compile_golden.formats import evidence
from pytest_compile_golden.formats.schedules.provenance import Nodes
from pytest_compile_golden.report.case_report import case_report
from tests.written_cases import (
    METRICS,
    OPERATION,
    artifacts,
    differing,
    moved,
    two_logarithms,
)


@pytest.mark.parametrize(
    ("told", "owner"), [(True, "results-stored"), (False, "unexplained")]
)
def test_what_is_held_at_once_belongs_to_the_change_of_its_buffers(
    told: bool, owner: str
) -> None:
    """Of two kernels that differ, only one makes a buffer that is held on one side alone."""
    sides, known = two_logarithms(with_y=True)
    stages = {"scheduler_nodes", "cost"} if told else {"scheduler_nodes"}
    compared = differing(*sides, known={stage: known[stage] for stage in stages})
    case = case_report("a[t]", "t", compared)
    assert moved(case, "peak_memory") == {owner: 16384}
    if told:
        assert moved(case, "bytes_accessed") == {
            "operators-changed": 16384,
            "results-stored": 16384,
        }


ROW = """\
# graph_0: triton_red_fused_0
@triton_heuristics.{}(
    size_hints={{'x': 64}},
    filename=__file__,
)
@triton.jit
def triton_red_fused_0(in_ptr0, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    tmp0 = tl.load(in_ptr0 + 0)
    tl.store(out_ptr0 + 0, tmp0)
"""


@pytest.mark.parametrize(
    ("operator", "nest", "read", "owner"),
    [
        ("maximum", "reduction", 16384, "operators-changed"),
        ("relu", "persistent_reduction", 0, "loop-nest"),
        ("relu", "reduction", 0, "unexplained"),
    ],
)
def test_what_no_buffer_shows_is_guessed_to_be_of_all_that_differs_in_its_graph(
    operator: str, nest: str, read: int, owner: str
) -> None:
    """Whatever the order in which the graph runs then; what a row that is held at once makes unneeded shows nowhere."""
    sides: list[dict[str, str]] = []
    known: list[dict[str, str]] = []
    for name, kind, more in (("relu", "reduction", 0), (operator, nest, read)):
        graph = (
            "def graph_0(x: f32[64, 64], y: f32[64, 64]):\n"
            f"    first: f32[64, 64] = aten.{name}.default(x{', y' if more else ''})\n"
            "    sin: f32[64, 64] = aten.sin.default(y)\n"
            "    return (first, sin)\n"
        )
        operations = [
            OPERATION.format(number=number, computes=f"aten.{of}.default", reads=reads)
            for number, (of, reads) in enumerate(
                ((name, "x[c0], y" if more else "x"), ("sin", "y"))
            )
        ]
        schedule = "graph_0:\n" + "".join(
            f"  group {number}: pointwise\n{operation}"
            for number, operation in enumerate(operations)
        )
        new = len(sides)
        # What is held besides is of no operation that differs.
        made = 16384 * (1 + new)
        held = (
            BufferLifetime("buf0", 16384, 16384, 0, None),
            BufferLifetime("buf1", made, made, 1, None),
        )
        peak = 16384 + made
        cost = (
            f"graph_0: launches 2, read {32768 + more}, written 32768, flops 0, peak_memory {peak}\n"
            f"  pointwise [{name}]: launches 1, read {16384 + more}, written 16384, flops 0\n"
            "  pointwise [sin]: launches 1, read 16384, written 16384, flops 0\n"
        )
        sides.append(
            {
                "post_grad_graph": graph,
                "scheduler_nodes": schedule,
                "cost": cost,
                "metrics": METRICS.format(65536 + more, 2) + f"peak_memory = {peak}\n",
            }
            | ({} if read else {"triton_code": ROW.format(kind)})
        )
        nodes = [Nodes(0, "op0", ("first",)), Nodes(0, "op1", ("sin",))]
        liveness = [Liveness("graph_0", ("op0", "op1"), held)]
        known.append(
            {
                "scheduler_nodes": evidence.write(schedule, nodes),
                "cost": evidence.write(cost, liveness),
            }
        )
    by_stage = {stage: (known[0][stage], known[1][stage]) for stage in known[0]}
    compared = differing(*sides, known=by_stage)
    case = case_report("a[t]", "t", compared)
    assert moved(case, "peak_memory") == {owner: 16384}


def test_one_value_in_another_buffer_is_not_held_less_and_more() -> None:
    """The old side is given as many bytes as the new one makes, and it is known only why the latter are held."""
    sides, known = two_logarithms()
    new_known = []
    for number, (side, text_known) in enumerate(zip(sides, known["cost"], strict=True)):
        peak, given = (49152, ("buf7", 16384)), ("buf8", 64)
        before, (name, nbytes) = (65536, given) if number else peak
        facts = next(
            fact
            for fact in evidence.read(text_known, side["cost"], KernelShares | Liveness)
            if isinstance(fact, Liveness)
        )
        buffers = (*facts.buffers, BufferLifetime(name, nbytes, nbytes, 0, None))
        for stage in ("cost", "metrics"):
            side[stage] = side[stage].replace(str(before), str(before + nbytes))
        held = Liveness(facts.graph, facts.steps, buffers)
        new_known.append(evidence.write(side["cost"], [held]))
    known["cost"] = (new_known[0], new_known[1])
    compared = differing(*sides, known=known)
    case = case_report("a[t]", "t", compared)
    assert moved(case, "peak_memory") == {"unexplained": 64}


PADDED = """\
graph_0:
  group 0: extern
    op0: extern ExternKernelOut extern_kernels.mm
      buf0: f32[2, 5500] cuda:0
      computes aten.mm.default
      reads x, y
      writes buf0
  group 1: pointwise
    op1: pointwise
      buf1: f32[2, 5500] cuda:0
      computes aten.sin.default
      reads buf0[{0}]
      writes buf1[5504*c0 + c1]
    op2: pointwise
      buf2: f32[2] cuda:0
      computes aten.cos.default
      reads z[{1}]
      writes buf2[c0]
"""


def test_what_is_no_longer_written_over_is_held_beside_what_is_laid_out_otherwise() -> (
    None
):
    graph = (
        "def graph_0(x: f32[2, 8], y: f32[8, 5500], z: f32[4]):\n"
        "    mm: f32[2, 5500] = aten.mm.default(x, y)\n"
        "    sin: f32[2, 5500] = aten.sin.default(mm)\n"
        "    cos: f32[2] = aten.cos.default(z)\n"
        "    return (sin, cos)\n"
    )
    sides, known = [], []
    for schedule, last in (
        (PADDED.format("5504*c0 + c1", "c0"), 0),
        (PADDED.format("c0", "2*c0"), 1),
    ):
        peak = 44008 + 44000 * last
        cost = (
            f"graph_0: launches 2, read 1, written 1, flops 0, peak_memory {peak}\n"
            "  extern [mm]: launches 1, read 1, written 1, flops 0\n"
            "  pointwise [sin, cos]: launches 1, read 1, written 1, flops 0\n"
        )
        held = (
            BufferLifetime("buf0", 44000, 44000, 0, last),
            BufferLifetime("buf1", 44000, 44000, 1, None),
            BufferLifetime("buf2", 8, 8, 1, None),
        )
        sides.append(
            {
                "post_grad_graph": graph,
                "scheduler_nodes": schedule,
                "cost": cost,
                "metrics": f"peak_memory = {peak}\n",
            }
        )
        nodes = [
            Nodes(0, f"op{number}", (name,))
            for number, name in enumerate(("mm", "sin", "cos"))
        ]
        liveness = [Liveness("graph_0", ("op0", "op1_op2"), held)]
        known.append((evidence.write(schedule, nodes), evidence.write(cost, liveness)))
    stages = ("scheduler_nodes", "cost")
    compared = differing(
        *sides, known=dict(zip(stages, zip(*known, strict=True), strict=True))
    )
    case = case_report("a[t]", "t", compared)
    assert {change.code for change in case.changes} == {"rows-padded"}
    assert moved(case, "peak_memory") == {"rows-padded": 44000}


JOINT = """\
def graph_0_joint(primals_1: f32[64, 64], tangents_1: f32[64, 64]):
    log: f32[64, 64] = aten.log.default(primals_1)
    mm: f32[64, 64] = aten.mm.default(log, primals_1)
    {compares}: b8[64, 64] = aten.{compares}.Scalar(primals_1, 0)
    where: f32[64, 64] = aten.where.self({compares}, tangents_1, {of})
    return (mm, where)
"""
KEPT = """\
def graph_0_forward(primals_1: f32[64, 64]):
    log: f32[64, 64] = aten.log.default(primals_1)
    mm: f32[64, 64] = aten.mm.default(log, primals_1)
    return (mm, primals_1{returned})


graph_0_forward_saves = [primals_1{returned}]
"""


@pytest.mark.parametrize(
    ("of", "owner"), [("primals_1", "saved-instead"), ("log", "operators-changed")]
)
def test_what_forward_keeps_belongs_to_a_change_of_what_is_near_to_it(
    of: str, owner: str
) -> None:
    """A comparison does not make forward keep a logarithm, unless it is of that."""
    old, new = (
        {
            "joint_graph": JOINT.format(compares=compares, of=of).replace(
                "primals_1, 0", f"{of}, 0"
            ),
            "forward_graph": KEPT.format(returned=returned),
            "metrics": f"saved_bytes = {saved}\n",
        }
        for compares, returned, saved in (("ne", "", 0), ("ge", ", log", 16384))
    )
    case = case_report(
        "cases/test_a.py::test_b[cuda-sm90]", "cuda-sm90", differing(old, new)
    )
    assert moved(case, "saved_bytes") == {owner: 16384}


def test_what_forward_keeps_of_another_operator_is_not_what_it_keeps_instead() -> None:
    """A logarithm is kept, and so is a power that is another one now; both were computed again in backward."""
    joint = (
        "def graph_0_joint(primals_1: f32[64, 64], tangents_1: f32[64, 64]):\n"
        "    log: f32[64, 64] = aten.log.default(primals_1)\n"
        "    mm: f32[64, 64] = aten.mm.default(log, primals_1)\n"
        "    {0}: f32[64, 64] = aten.{0}.default(primals_1)\n"
        "    mul: f32[64, 64] = aten.mul.Tensor(tangents_1, {0})\n"
        "    sin: f32[64, 64] = aten.sin.default(log)\n"
        "    return (mm, mul, sin)\n"
    )
    backward = (
        "def graph_0_backward({given}tangents_1: f32[64, 64], primals_1: f32[64, 64]):\n{again}"
        "    mul: f32[64, 64] = aten.mul.Tensor(tangents_1, {0})\n"
        "    sin: f32[64, 64] = aten.sin.default(log)\n"
        "    return (mul, sin)\n"
    )
    computed = (
        "    log: f32[64, 64] = aten.log.default(primals_1)\n"
        "    {0}: f32[64, 64] = aten.{0}.default(primals_1)\n"
    )
    forward = KEPT.replace(
        "    mm:", "    {0}: f32[64, 64] = aten.{0}.default(primals_1)\n    mm:"
    )
    old, new = (
        {
            "joint_graph": joint.format(name),
            "forward_graph": forward.format(name, returned=returned),
            "backward_graph": backward.format(name, given=given, again=again),
            "metrics": f"saved_bytes = {saved}\n",
        }
        for name, returned, given, again, saved in (
            ("exp", "", "", computed.format("exp"), 0),
            (
                "exp2",
                ", log, exp2",
                "log: f32[64, 64], exp2: f32[64, 64], ",
                "",
                32768,
            ),
        )
    )
    case = case_report(
        "cases/test_a.py::test_b[cuda-sm90]", "cuda-sm90", differing(old, new)
    )
    assert moved(case, "saved_bytes") == {
        "saved-instead": 16384,
        "operators-changed": 16384,
    }


@pytest.mark.parametrize(
    ("holds_most", "owner"),
    [("forward", "results-stored"), ("backward", "inputs-copied-for")],
)
def test_what_is_held_at_once_belongs_to_what_changed_in_the_graph_that_holds_most(
    holds_most: str, owner: str
) -> None:
    sides = artifacts(False, 100_000), artifacts(True, 149_152)
    for side, peak in zip(sides, (60_000, 90_000), strict=True):
        lines = side["cost"].splitlines(keepends=True)
        graph = f"graph_0_{holds_most}:"
        held = [
            line.replace("peak_memory 1", f"peak_memory {peak}")
            if line.startswith(graph)
            else line
            for line in lines
        ]
        side |= {
            "cost": "".join(held),
            "metrics": f"{side['metrics']}peak_memory = {peak}\n",
        }
    case = case_report(
        "cases/test_a.py::test_b[cuda-sm90]", "cuda-sm90", differing(*sides)
    )
    assert moved(case, "peak_memory") == {owner: 30_000}


@pytest.mark.parametrize(
    ("nest", "owner"),
    [("reduction", "counted otherwise"), ("persistent_reduction", "unexplained")],
)
def test_a_kernel_that_holds_a_row_at_once_is_not_counted_otherwise(
    nest: str, owner: str
) -> None:
    """Although the results of a library call are taken out of it by no operation of their own now."""
    call = "    op1: extern FallbackKernel torch.ops.aten.sort.stable\n      buf1: {}\n"
    call += "      computes aten.sort.stable\n      reads buf0\n      writes buf1\n"
    unpack = "  group 2: unpack\n    op2: unpack\n      buf2: f32[64, 64] cuda:0\n"
    unpack += "      reads buf1\n      writes buf2[c0]\n"
    first = "graph_0:\n  group 0: reduction\n" + OPERATION.format(
        number=0, computes="aten.sin.default", reads="x"
    )
    old, new = (
        {
            "scheduler_nodes": f"{first}  group 1: extern\n{called}",
            "triton_code": ROW.format(of_side),
            "metrics": f"peak_memory = {peak}\n",
        }
        for called, of_side, peak in (
            (call.format("MultiOutputLayout") + unpack, "reduction", 80000),
            (call.format("f32[64, 64] cuda:0"), nest, 64000),
        )
    )
    case = case_report("a[t]", "t", differing(old, new))
    assert moved(case, "peak_memory") == {owner: -16000}
    assert bool(case.why) == (owner == "counted otherwise")
