"""Cases whose texts on both sides are written here, as torch would write them: no compile is needed."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath

from pytest_compile_golden.facts.costs import BufferLifetime, KernelShares, Liveness
from pytest_compile_golden.facts.schedules import buffer
from pytest_compile_golden.formats import evidence
from pytest_compile_golden.formats.costs import COST
from pytest_compile_golden.formats.schedules import provenance
from pytest_compile_golden.formats.schedules.provenance import Kernel, Nodes
from pytest_compile_golden.goldens.compare_artifact import Compared, compare
from pytest_compile_golden.goldens.golden_header import Header
from pytest_compile_golden.goldens.golden_paths import GoldenPath
from pytest_compile_golden.goldens.golden_store import StoredGolden
from pytest_compile_golden.report.model import CaseReport
from pytest_compile_golden.stages import get_stage

# Forward stores what it only computed where it was used; backward copies what a library call reads. The graphs are the
# same but for a comparison, which moves nothing.
GRAPHS = """\
def graph_0_forward(primals_1: f32[64, 64]):
    log: f32[64, 64] = aten.log.default(primals_1)
    sin: f32[64, 64] = aten.sin.default(log)
    exp: f32[64, 64] = aten.exp.default(log)
    return (sin, exp)


def graph_0_backward(tangents_1: f32[64, 64], primals_1: f32[64, 64]):
    {compares}: b8[64, 64] = aten.{compares}.Scalar(primals_1, 0)
    where: f32[64, 64] = aten.where.self({compares}, tangents_1, primals_1)
    cos: f32[64, 64] = aten.cos.default(tangents_1)
    convolution_backward: f32[64, 64] = aten.convolution_backward.default(cos)
    return (where, convolution_backward)
"""
FORWARD = """\
graph_0_forward:
  group 0: pointwise
{stored}    op1: pointwise
      buf1: f32[64, 64] cuda:0
      computes {computes}aten.sin.default
      reads {reads}[c0]
      writes buf1[c0]
  group 1: pointwise
    op2: pointwise
      buf2: f32[64, 64] cuda:0
      computes {computes}aten.exp.default
      reads {reads}[c0]
      writes buf2[c0]
"""
STORED = """\
    op0: pointwise
      buf0: f32[64, 64] cuda:0
      computes aten.log.default
      reads primals_1[c0]
      writes buf0[c0]
"""
BACKWARD = """\

graph_0_backward:
  group 0: pointwise
    op0: pointwise
      buf0: f32[64, 64] cuda:0
      computes aten.{compares}.Scalar, aten.where.self
      reads primals_1[c0], tangents_1[c0]
      writes buf0[c0]
  group 1: pointwise
    op1: pointwise
      buf1: f32[64, 64] cuda:0
      computes aten.cos.default
      reads tangents_1[c0]
      writes buf1[c0]
{copied}  group 3: extern
    op3: extern ExternKernelOut extern_kernels.convolution_backward
      buf3: f32[64, 64] cuda:0
      computes aten.convolution_backward.default
      reads buf{of}
      writes buf3
"""
COPIED = """\
  group 2: pointwise
    op2: pointwise
      buf2: f32[64, 64] cuda:0
      computes aten.convolution_backward.default
      reads buf1[c0]
      writes buf2[c1 + 64*c0]
"""
COSTS = """\
graph_0_forward: launches 2, read 32768, written {written}, flops 0, peak_memory 1
  pointwise [log, sin]: launches 1, read 16384, written {written}, flops 0
  pointwise [{operators}]: launches 1, read 16384, written 16384, flops 0
graph_0_backward: launches 3, read 1, written 1, flops 0, peak_memory 1
  pointwise [{compares}, where]: launches 1, read 32768, written 16384, flops 0
  pointwise [cos]: launches 1, read 16384, written 16384, flops 0
{copied}  extern [convolution_backward]: launches 1, read 16384, written 16384, flops 0
"""
COPY = "  pointwise [convolution_backward]: launches 1, read 16384, written 16384, flops 0\n"
METRICS = "bytes_accessed = {}\nkernels = {}\n"


def artifacts(new: bool, bytes_accessed: int) -> dict[str, str]:
    """A case's texts on one side."""
    compares = "ge" if new else "ne"
    forward = FORWARD.format(
        stored=STORED * new,
        computes="" if new else "aten.log.default, ",
        reads="buf0" if new else "primals_1",
    )
    backward = BACKWARD.format(
        compares=compares, copied=COPIED * new, of=2 if new else 1
    )
    costs = COSTS.format(
        compares=compares,
        written=32768 if new else 16384,
        operators="exp" if new else "log, exp",
        copied=COPY * new,
    )
    return {
        "post_grad_graph": GRAPHS.format(compares=compares),
        "scheduler_nodes": forward + backward,
        "cost": costs,
        "metrics": METRICS.format(bytes_accessed, 4 + new),
    }


def differing(
    old: dict[str, str],
    new: dict[str, str],
    *,
    known: Mapping[str, Sequence[str]] | None = None,
) -> list[Compared]:
    """The texts of two sides, by stage, compared as a golden and a result.

    known: the evidence of both sides, by stage.
    """
    found = []
    for name, text in old.items():
        stage = get_stage(name)
        golden_path = GoldenPath(
            PurePosixPath("cases/test_a/test_b/cuda-sm90"), name, stage.extension
        )
        golden = StoredGolden(
            golden_path.versionless, Header(name, "2.13.0", None), text
        )
        compared = compare(stage, golden_path, golden, new[name])
        if known is not None and name in known:
            old_known, new_known = known[name]
            compared.known = old_known, new_known
        found.append(compared)
    return found


_NODE = re.compile(r"^    (\w+)(?:: [^=]+)? = (\S+?)\(", re.MULTILINE)


def evidence_of(*sides: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """What torch would say beside these texts: the nodes of each operation, and what kernels move of each buffer. An
    operation is made of the first nodes that call what it computes."""
    of_schedule, of_cost = [], []
    for texts in sides:
        graphs = {
            name: {target: node for node, target in reversed(_NODE.findall(body))}
            for name, body in re.findall(
                r"^def (\w+)(.*?)(?=^def|\Z)",
                texts["post_grad_graph"],
                re.MULTILINE | re.DOTALL,
            )
        }
        nodes = [
            Nodes(
                at,
                operation.name,
                tuple(
                    graphs[section.label][each.operator]
                    for each in operation.computes
                    if each.operator in graphs[section.label]
                ),
            )
            for at, section in enumerate(provenance.read(texts["scheduler_nodes"], ""))
            for operation in section.operations
        ]
        of_schedule.append(evidence.write(texts["scheduler_nodes"], nodes))
        of_cost.append(evidence.write(texts["cost"], shares_of(texts)))
    return {"scheduler_nodes": tuple(of_schedule), "cost": tuple(of_cost)}


def shares_of(texts: Mapping[str, str]) -> list[KernelShares]:
    """What kernels move of each buffer, and compute in each operation, as equal parts of what they cost."""
    costs = {graph.name: iter(graph.kernels) for graph in COST.read(texts["cost"])}
    shares = []
    for section in provenance.read(texts["scheduler_nodes"], ""):
        for group in section.groups:
            made = [
                buffer(output)
                for operation in group.operations
                for output in operation.outputs
            ]
            accessed = {
                buffer(each)
                for operation in group.operations
                for each in operation.reads
            }
            read = sorted(accessed - {*made})
            numbers = dict(next(costs[section.label]).numbers)
            moved_bytes = [
                *((name, numbers["read"] // len(read)) for name in read),
                *((name, numbers["written"] // len(made)) for name in made),
            ]
            flops = numbers["flops"] // len(group.operations)
            computed = tuple((each.name, flops) for each in group.operations)
            shares.append(
                KernelShares(section.label, group.name, tuple(moved_bytes), computed)
            )
    return shares


def moved(case: CaseReport, name: str) -> dict[str, float]:
    """By how much each change moves a metric, by code."""
    codes = {change.key: change.code for change in case.changes}
    parts = next(metric.parts for metric in case.metrics if metric.name == name)
    return {codes.get(part.change, part.change): part.amount for part in parts}


TWO_LOGARITHMS = """\
def graph_0(x: f32[64, 64], y: f32[64, 64]):
    {compares}: b8[64, 64] = aten.{compares}.{of}
    log: f32[64, 64] = aten.log.default(x)
    where: f32[64, 64] = aten.where.self({compares}, log, x)
    log_1: f32[64, 64] = aten.log.default(y)
    exp: f32[64, 64] = aten.exp.default(log_1)
    sin: f32[64, 64] = aten.sin.default(log_1)
    return (where, exp, sin)
"""
OPERATION = """\
    op{number}: pointwise
      buf{number}: f32[64, 64] cuda:0
      computes {computes}
      reads {reads}[c0]
      writes buf{number}[c0]
"""
ONE_LOOP = """\
// graph_0: cpp_fused_0
extern "C" void kernel(const float* in_ptr0, float* out_ptr0)
{{
    out_ptr0[{}] = in_ptr0[0];
}}
"""


def two_logarithms(
    *, with_y: bool = False, exponential: bool = False, loops: bool = False
) -> tuple[list[dict[str, str]], dict[str, tuple[str, str]]]:
    """A case in which a logarithm is stored, and a comparison is another; and its evidence, by stage.

    with_y: whether the comparison is with y on the new side, which its kernel then reads, too. exponential: whether
    that kernel computes the exponential of the logarithm, too. loops: whether both kernels are loops of one.
    """
    sides, known = [], []
    for compares, stored in (("ne", 0), ("ge", 1)):
        of_y = bool(with_y and stored)
        of = "Tensor(x, y)" if of_y else "Scalar(x, 0)"
        operations: list[tuple[str, str, tuple[str, ...]]]
        operations = [
            (
                f"aten.{compares}.{of[:6]}, aten.log.default, aten.where.self",
                "x[c0], y" if of_y else "x",
                (compares, "log", "where"),
            )
        ]
        if stored:
            operations += [
                ("aten.log.default", "y", ("log_1",)),
                ("aten.exp.default", "buf1", ("exp",)),
                ("aten.sin.default", "buf1", ("sin",)),
            ]
        else:
            operations += [
                ("aten.exp.default, aten.log.default", "y", ("exp", "log_1")),
                ("aten.log.default, aten.sin.default", "y", ("log_1", "sin")),
            ]
        names = [f"op{number}" for number in range(len(operations))]
        printed = [
            OPERATION.format(number=number, computes=computes, reads=reads)
            for number, (computes, reads, _) in enumerate(operations)
        ]
        schedule = "".join(
            [
                "graph_0:\n  group 0: pointwise\n",
                printed[0],
                "  group 1: pointwise\n",
                *printed[1:],
            ]
        )
        listed = "log, exp, sin" if stored else "exp, log, sin"
        written, peak = (49152, 65536) if stored else (32768, 49152)
        of_first = 32768 if of_y or exponential else 16384
        cost = (
            f"graph_0: launches 2, read {of_first + 16384}, written {written + 16384}, flops 0, peak_memory {peak}\n"
            f"  pointwise [{compares}, log, where]: launches 1, read {of_first}, written 16384, flops 0\n"
            f"  pointwise [{listed}]: launches 1, read 16384, written {written}, flops 0\n"
        )
        held = [
            BufferLifetime(f"buf{number}", 16384, 16384, min(number, 1), None)
            for number in range(len(operations))
        ]
        facts: list[Nodes | Kernel] = [
            Nodes(0, name, nodes)
            for name, (_, _, nodes) in zip(names, operations, strict=True)
        ]
        if exponential:
            first = printed.pop(1 + stored)
            schedule = "".join(
                [
                    "graph_0:\n  group 0: pointwise\n",
                    printed[0],
                    first,
                    "  group 1: pointwise\n",
                    *printed[1:],
                ]
            )
            cost = cost.replace(listed, "log, sin").replace("where]", "where, exp]")
        if loops:
            facts += [Kernel(0, group, "cpp_fused_0") for group in (0, 1)]
        moves = 100_000 + 16384 * stored + of_first
        metrics = METRICS.format(moves, 2) + f"peak_memory = {peak}\n"
        graph = TWO_LOGARITHMS.format(compares=compares, of=of)
        sides.append(
            {
                "post_grad_graph": graph,
                "scheduler_nodes": schedule,
                "cost": cost,
                "metrics": metrics,
            }
            | ({"cpp_code": ONE_LOOP.format(stored)} if loops else {})
        )
        liveness = Liveness("graph_0", ("op0", "_".join(names[1:])), tuple(held))
        shares = shares_of(sides[-1])
        known.append(
            (evidence.write(schedule, facts), evidence.write(cost, [liveness, *shares]))
        )
    of_schedule, of_cost = zip(*known, strict=True)
    return sides, {"scheduler_nodes": of_schedule, "cost": of_cost}


MERGED = """\
def {name}(x: f32[8], y: f32[8]):
    sub: f32[8] = aten.sub.Tensor(x, y)
    sub_1: f32[8] = aten.sub.Tensor({of}, y)
    {operator}: f32[8] = aten.{operator}.default(sub)
    return (sub, sub_1, {operator})
"""
