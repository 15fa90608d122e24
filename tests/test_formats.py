"""Every format reads what it writes, and writes what it read: on documents drawn by hypothesis and on every golden."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pytest_compile_golden.facts import trail as compile_steps
from pytest_compile_golden.facts.costs import (
    Activation,
    Collective,
    Communication,
    GraphCost,
    KernelCost,
    Work,
)
from pytest_compile_golden.facts.guards import (
    GraphChoice,
    GraphChoices,
    GuardCheck,
    GuardTree,
)
from pytest_compile_golden.facts.schedules import (
    Choice,
    Computed,
    Counted,
    Group,
    NotFused,
    Operation,
    Schedule,
    ungrouped,
)
from pytest_compile_golden.facts.trail import (
    Decomposed,
    Item,
    LaunchConfigs,
    Lowered,
    PassOutput,
    StageDigest,
)
from pytest_compile_golden.formats import (
    _BUILT_IN,
    Artifact,
    Format,
    exported,
    get_format,
    resources,
)
from pytest_compile_golden.formats import memory as held
from pytest_compile_golden.formats.decisions import CompileTexts
from pytest_compile_golden.formats.format import UNKNOWN, Unreadable
from pytest_compile_golden.formats.graphs import GRAPH
from pytest_compile_golden.formats.graphs.printed import (
    RESULT,
    GraphLine,
    Input,
    PrintedGraph,
)
from pytest_compile_golden.formats.inductor_module import KernelsFormat, Piece
from pytest_compile_golden.formats.memory.timeline import MemoryStep as Held
from pytest_compile_golden.formats.metrics.printed import MetricLine as Metric
from pytest_compile_golden.formats.pass_diffs import Diff
from pytest_compile_golden.formats.pass_log.printed import (
    NodeCounts,
    OperatorCount,
    PassRow,
    Pattern,
)
from pytest_compile_golden.formats.schedules.printed import loose_group
from pytest_compile_golden.formats.trail import TRAIL
from pytest_compile_golden.messages.sentences import sentence
from pytest_compile_golden.stages import get_stage
from tests.rewrites import goldens

# The same draws in every run: no push should fail because of somebody else's.
_SETTINGS = settings(
    deadline=None,
    derandomize=True,
    max_examples=50,
    suppress_health_check=list(HealthCheck),
)

# Names and words as they appear in artifacts, including some that look like part of the notation.
names = st.sampled_from(
    [
        "x",
        "arg0_1",
        "buf0",
        "s77",
        "add_3",
        "primals_1",
        "getitem",
        "op1",
        "graph_0",
        "tmp2",
    ]
)
operators = st.sampled_from(
    [
        "aten.mm.default",
        "operator.getitem",
        "higher_order.cond",
        "lib.op x.default",
        "f(x, y)",
    ]
)
types = st.sampled_from(
    ["f32[4, 8]", "bf16[s0, 4][4, 1] @ cpu", "Sym(s0 + 1)", "i64[()]"]
)
calls = st.sampled_from(
    [
        "aten.mm.default(x, y)",
        "self.body",
        "x[0]",
        "x.view(-1, dtype='a = b')",
        "(x, y)",
        "[]",
    ]
)
locations = st.none() | st.sampled_from(
    ["torch/_inductor/fx_passes/joint_graph.py:861", "conftest.py:3"]
)
counts = st.integers(min_value=1, max_value=99)
labels = st.sampled_from(["graph_0", "graph_1_forward", "graph_12_backward"])
phases = st.sampled_from(
    ["pre_grad", "joint", "post_grad", "scheduler", "a_long_phase"]
)
passes = st.sampled_from(
    ["remove_noop_ops", "post_grad_custom_post_pass / my pass", "a" * 60]
)
accesses = st.sampled_from(
    ["buf0[c0 + 8*c1]", "arg0_1", "buf1[ModularIndexing(c0, 1, 8), c1]"]
)
digests = st.text("0123456789abcdef", min_size=10, max_size=10)


def some(
    of: st.SearchStrategy[Any], least: int = 0
) -> st.SearchStrategy[tuple[Any, ...]]:
    return st.lists(of, min_size=least, max_size=4).map(tuple)


def distinct(field: str) -> Callable[[tuple[Any, ...]], bool]:
    return lambda items: len({getattr(item, field) for item in items}) == len(items)


lines = st.builds(
    GraphLine,
    names,
    st.just("") | types,
    calls,
    st.none() | st.sampled_from(["f: return x + 1", "f: # why"]),
)
functions = st.builds(
    lambda function, result: dataclasses.replace(
        function, lines=(*function.lines, result)
    ),
    st.builds(
        PrintedGraph,
        st.builds("{}__{}".format, labels, names),
        # Long enough that some heads do not fit on a line.
        st.lists(st.builds(Input, names, st.just("") | types), max_size=12).map(tuple),
        some(lines),
        st.none() | some(names),
    ),
    st.builds(GraphLine, st.just(RESULT), st.just(""), calls),
)
operations = st.builds(
    Operation,
    names,
    st.sampled_from(["pointwise", "reduction sum", "extern aten.mm.out"]),
    some(st.sampled_from(["buf0: f32[8, 4] @ cuda", "buf1: i64[()]"])),
    some(
        st.builds(
            Computed,
            st.sampled_from(["aten.mm.default", "aten.sum.dim_IntList"]),
            counts,
        )
    ),
    some(accesses),
    some(accesses),
    some(
        st.sampled_from(
            [
                "index0 = 4*p0",
                "load = ops.load('buf0', get_index)",
                "return store",
                "",
                "| x",
            ]
        )
    ),
)
before_fusion = some(operations).map(ungrouped)
fused = some(
    st.builds(Group, st.sampled_from(["pointwise", "extern", "nop"]), some(operations))
)
choices = some(
    st.builds(Choice, operators, st.sampled_from(["bias_addmm", "triton_mm"]), counts),
    least=1,
)
apart = some(
    st.builds(
        NotFused,
        names,
        names,
        st.just("") | st.sampled_from(["no shared data", "a: b, c"]),
    )
)
more_apart = some(
    st.builds(Counted, st.just("") | st.sampled_from(["… with …: too far"]), counts)
)
sections = st.one_of(
    st.builds(Schedule, labels, before_fusion),
    st.builds(
        Schedule, labels, fused, st.sampled_from(["aten", "by timing"]), choices, apart
    ),
    st.builds(Schedule, labels, fused, apart=apart, more_apart=more_apart),
    st.builds(loose_group, st.sampled_from(["pointwise", "nop"]), some(operations)),
)
counted = some(
    st.builds(
        OperatorCount,
        st.sampled_from("-+"),
        st.sampled_from(["aten.mm.default", "f"]),
        counts,
    )
)
idle = st.builds(PassRow, labels, phases, passes, where=locations)
busy = st.builds(
    PassRow,
    labels,
    phases,
    passes,
    st.builds(NodeCounts, counts, counts),
    locations,
    some(
        st.builds(
            Pattern, st.sampled_from(["pointless_view", "a: b"]), counts, locations
        )
    ),
    counted,
)
rearranged = st.builds(
    dataclasses.replace, busy, operators=st.just(()), rearranged=st.just(True)
)
rows = some(idle | busy | rearranged, least=1).map(
    lambda found: tuple(sorted(found, key=lambda row: row.graph))
)
sizes = st.sampled_from(["6 nodes", "2 operations"])
items = some(
    st.builds(
        Item, st.sampled_from(["input", "aten.mm"]), counts, st.just("") | digests
    )
)
steps = st.one_of(
    st.builds(StageDigest, counts, names, sizes, digests, st.just("") | digests),
    st.builds(compile_steps.StageContents, digests, items),
    st.builds(
        Decomposed,
        counts,
        names,
        st.just("add.Tensor, mul.Tensor x3"),
        counts,
        locations,
    ),
    st.builds(Lowered, counts, names, st.just("Pointwise"), counts, locations),
    st.builds(PassOutput, counts, labels, phases, passes, digests, locations),
    st.builds(
        LaunchConfigs, counts, names, st.just("XBLOCK=1"), st.none() | names, locations
    ),
)
diff_lines = some(
    st.sampled_from([" def f(x):", "-    a = x", "+    a = y", "", "     return (a,)"]),
    least=1,
)
sums = some(
    st.builds(
        lambda name, value: (name, value),
        st.sampled_from(["launches", "read", "flops"]),
        counts,
    ),
    least=1,
)
kernels = st.builds(
    KernelCost,
    st.sampled_from(["pointwise", "extern"]),
    sums,
    st.sampled_from(["", "bf16", "float8_e4m3fn"]),
    some(st.sampled_from(["mm", "mylib.op", "operator.getitem", "..."])),
)
timed = st.builds(
    msgspec.structs.replace,
    kernels,
    least_ns=counts,
    bound=st.sampled_from(["memory", "launch"]),
)
work = some(
    st.builds(
        lambda name, value: (name, value),
        st.sampled_from(["nodes_made", "conditions"]),
        counts,
    ),
    least=1,
)
buffers = st.sampled_from(["buf0", "primals_1", "pool0"])
held_steps = st.one_of(
    st.builds(
        Held, st.sampled_from(["given", "call", "free"]), buffers, counts, counts
    ),
    st.builds(
        Held,
        st.just("reuse"),
        buffers,
        counts,
        counts,
        buffers,
        st.sampled_from(["", "peak, for mm"]),
    ),
)
kept = st.builds(
    Activation,
    st.sampled_from(["saved", "input", "recomputed"]),
    st.sampled_from(["f32[]", "b8[8, s77*2]"]),
    counts,
    st.sampled_from(["", "aten.mm.default", "mylib.op.default"]),
    st.sampled_from(
        ["", "minimum cut", "cannot recompute: not in recomputable allowlist"]
    ),
    st.sampled_from(["", "mm, f: return x @ w  # a product"]),
)
widths = st.sampled_from(["registers", "vector_bits"])
compiled = st.builds(
    resources.KernelResources,
    labels,
    st.sampled_from(["triton_poi_fused_0", "add_kernel"]),
    st.sampled_from(["XBLOCK=1 num_warps=8 num_stages=1", "num_warps=4 num_stages=3"]),
    st.builds(lambda name, count: ((name, count), ("spills", 0)), widths, counts),
    st.just(())
    | st.builds(
        lambda count: (("instructions", count), ("load.global.128", 2)), counts
    ),
    st.sampled_from(
        ["", "24 spills: with more than 16, torch takes another configuration"]
    ),
    st.sampled_from(["", "Triton 3.7.1, ptxas 12.8 for sm90", "g++ 12.2.0"]),
)
decided = st.builds(
    GraphChoice,
    st.sampled_from(["symbol", "guard", "specialised"]),
    st.sampled_from(
        [
            "s77: L['x'].size()[0], 8 in [2, int_oo]",
            "Eq(s0, s1)",
            "(s0 >= 0) & (s0 <= 8)",
        ]
    ),
    st.sampled_from(["", "solve", "dynamic=True"]),
    st.sampled_from(
        [
            "",
            "f: x = y  # why; because, by torch/_prims_common/__init__.py: is_contiguous",
        ]
    ),
)
checks = st.builds(
    GuardCheck,
    st.integers(0, 9),
    st.sampled_from(["TENSOR_MATCH", "LAMBDA_GUARD"]),
    st.booleans(),
    st.integers(0, 9),
    st.sampled_from(
        [
            "",
            "L['x']",
            "G['__import_a'].F.relu.__defaults__[0]",
            "(1, L['x'].size()[0])",
        ]
    ),
    st.sampled_from(
        ["", "f: x = y  # why, by torch/_dynamo/output_graph.py: init_ambient_guards"]
    ),
)
sources = st.sampled_from(
    ["def call(args):\n    return ()\n", "a\n\n\nb\n", "x = 1\n# graph said\n"]
)

kinds = st.sampled_from(["all_reduce", "all_gather", "fused_matmul_reduce_scatter"])
asked_for = st.dictionaries(kinds, counts, max_size=3).map(
    lambda counted: tuple(counted.items())
)
around = st.sampled_from(
    ["eager before graph_0_forward", "eager after graph_1_split_0_backward"]
)
exchanged = st.builds(
    Collective,
    kinds,
    st.sampled_from(["0-7", "0-6:2", "3", "0,3,4"]),
    st.sampled_from(["f32", "f32, bf16", "float8_e4m3fn"]),
    counts,
    counts,
    st.sampled_from(["", "sum", "avg"]),
    some(
        st.sampled_from(
            [
                "extern [aten.mm.default]",
                "pointwise [lib.op x.default, a]",
                "template []",
            ]
        )
    ),
    st.booleans(),
)
signed = some(
    st.tuples(
        names,
        st.sampled_from(
            ["parameter a.weight", "user_input", "[2, 64]", "buffer_mutation n"]
        ),
    )
)
metrics = some(
    st.builds(
        Metric,
        names,
        st.integers() | st.booleans() | st.sampled_from(['#1 "best"', 1.5]),
        st.none() | st.just("was 3: fewer # kernels"),
    )
).filter(distinct("name"))
said = st.fixed_dictionaries(
    {},
    optional={
        "graph_breaks": st.just("0: f: print(x)\n   because\n\n1: f: y\n   why\n"),
        "passes": rows.map(get_format("ledger").write),
        "metrics": metrics.filter(bool).map(get_format("metrics").write),
    },
).map(lambda texts: tuple(texts.items()))
compiles = st.builds(
    CompileTexts, st.sampled_from(["f", "f.2", "<lambda>", "f for native-cpu"]), said
)
one_compile = said.filter(bool).map(lambda texts: (CompileTexts("", texts),))
DOCUMENTS: dict[str, st.SearchStrategy[Any]] = {
    "plain": some(st.sampled_from(["a", "  b  # c", "", "# d"])),
    "exported": st.builds(
        exported.ExportedProgram,
        signed,
        signed,
        signed,
        some(functions, least=1).filter(distinct("name")),
    ),
    "graph": some(functions, least=1).filter(distinct("name")),
    "groups": some(sections, least=1),
    "ledger": rows,
    "pass_diffs": some(
        st.builds(Diff, labels, phases, passes, st.just(()) | diff_lines)
    ),
    "wrapper": some(st.builds(Piece, labels, sources), least=1),
    "aot_wrapper": some(st.builds(Piece, labels, sources), least=1),
    "triton": some(
        st.builds(
            Piece, labels, sources, st.sampled_from(["triton_poi_fused_0", "cpp_1"])
        )
    ),
    "cpp": some(st.builds(Piece, labels, sources, st.just("cpp_fused_add_0"))),
    "templates": some(st.builds(Piece, labels, sources, st.just("flydsl_fused_mm_0"))),
    "collectives": some(
        st.builds(Communication, labels | around, asked_for, some(exchanged))
    ),
    "resources": some(compiled),
    "cost": some(
        st.builds(GraphCost, labels, sums, some(kernels | timed), st.none() | counts)
    ),
    "compile_cost": some(st.builds(Work, phases, work, st.none() | counts)),
    "memory": some(
        st.builds(
            held.Section, labels, st.none() | counts, some(held_steps), some(kept)
        )
    ),
    "guard_tree": some(st.builds(GuardTree, names, counts, some(checks))),
    "specialisations": some(
        st.builds(GraphChoices, labels, st.just("") | names, some(decided))
    ),
    "decisions": some(compiles, least=1).filter(distinct("name")) | one_compile,
    "trail": some(steps).map(lambda facts: TRAIL.read(TRAIL.write(facts))),
    "metrics": metrics,
}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_what_is_written_can_be_read(name: str) -> None:
    form = get_format(name)

    @_SETTINGS
    @given(DOCUMENTS[name])
    def check(document: Any) -> None:
        assert form.read(form.write(document)) == document

    check()


def test_every_format_with_its_own_text_is_covered() -> None:
    tried = {type(get_format(name)).read for name in DOCUMENTS}
    for name in _BUILT_IN:
        assert type(get_format(name)).read in tried, name


@pytest.mark.parametrize("stage", sorted({stage for stage, _, _ in goldens()}))
def test_every_golden_is_read_and_written_unchanged(stage: str) -> None:
    form = get_stage(stage).format
    for path, body in (
        (path, body) for of, path, body in goldens() if of == stage and body
    ):
        document = form.read(body)
        if (
            isinstance(form, KernelsFormat)
            and body == f"{form.comment} {form.elsewhere}\n"
        ):
            assert document == (), path  # which does not say why there are no kernels
        else:
            assert form.write(document) == body, path


@pytest.mark.parametrize(
    "name",
    [
        "graph",
        "groups",
        "ledger",
        "pass_diffs",
        "wrapper",
        "triton",
        "collectives",
        "resources",
        "cost",
        "memory",
        "compile_cost",
        "guard_tree",
        "specialisations",
        "trail",
        "metrics",
        "decisions",
    ],
)
def test_a_text_of_something_else_is_refused(name: str) -> None:
    with pytest.raises(Unreadable):
        get_format(name).read("  what is this\n")


@pytest.mark.parametrize(
    "name",
    [
        "collectives",
        "compile_cost",
        "cost",
        "decisions",
        "exported",
        "guard_tree",
        "memory",
        "resources",
        "specialisations",
    ],
)
def test_a_golden_that_cannot_be_read_is_compared_by_lines(name: str) -> None:
    """For example if it was edited by hand: the differences are still reported."""
    text_format = get_format(name)
    old, new = "  what is this\n", "  what is that\n"
    assert (
        text_format.canonical(old)
        == text_format.canonical(f"{old}# a comment\n")
        != text_format.canonical(new)
    )
    assert [sentence(change) for change in text_format.edits(old, new)] == [
        "different line: - what is this  + what is that"
    ]


def test_everything_counts_in_an_unknown_format() -> None:
    assert Format().canonical("a  # b\n") == Format().canonical("a\n")
    assert UNKNOWN.canonical("a  # b\n") != UNKNOWN.canonical("a\n")


def test_formats_and_the_stage_table_import_neither_torch_nor_a_layer_above() -> None:
    script = (
        "import sys\n"
        "from pytest_compile_golden.stages import stages\n"
        "light = [name for name in sys.modules if name.startswith('pytest_compile_golden.formats')]\n"
        "forms = [stage.format for stage in stages()]\n"
        "layers = {name.split('.')[1] for name in sys.modules if name.startswith('pytest_compile_golden.')}\n"
        "print(light, sorted(layers), 'torch' in sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    layers = [
        "api",
        "changes",
        "common",
        "errors",
        "extensions",
        "facts",
        "formats",
        "stages",
    ]
    assert done.stdout.strip() == f"[] {layers} False"


def test_the_size_of_a_schedule_is_that_of_the_graph_itself() -> None:
    own, branch = (
        Operation("op0", "extern Conditional"),
        Operation("true_graph_0_op0", "pointwise"),
    )
    text = get_format("operations").write(
        [
            Schedule("graph_0", ungrouped((own,))),
            Schedule("graph_0", ungrouped((branch,))),
        ]
    )
    assert get_format("operations").size(Artifact("lowered_ir", text)) == "1 operations"


def test_a_comparison_reads_each_text_once(monkeypatch: pytest.MonkeyPatch) -> None:
    reads: list[str] = []
    read = GRAPH.read

    def counting(text: str) -> object:
        reads.append(text)
        return read(text)

    monkeypatch.setattr(GRAPH, "read", counting)
    old, new = (
        f"def graph_0(x: f32[7]):\n    y: f32[7] = aten.{name}.default(x)\n    return (y,)\n"
        for name in ("sin", "cos")
    )
    assert GRAPH.canonical(old) != GRAPH.canonical(new)
    assert [change.code for change in GRAPH.edits(old, new)] == ["operators-changed"]
    assert not GRAPH.explains(old, new, {"operators-changed"})
    assert GRAPH.significant(old, new) is not None and GRAPH.inventory(new)
    assert reads == [old, new]
