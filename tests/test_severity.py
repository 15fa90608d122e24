"""What a change does to its case, by its code: it fails it, is noted, or is ignored; nothing without a code passes."""

from __future__ import annotations

from pathlib import PurePosixPath

import pytest

from pytest_compile_golden.changes.change import Severities, Severity
from pytest_compile_golden.facts.trail import StageDigest
from pytest_compile_golden.formats import evidence
from pytest_compile_golden.goldens.compare_artifact import Compared, compare
from pytest_compile_golden.goldens.golden_header import Header
from pytest_compile_golden.goldens.golden_paths import GoldenPath
from pytest_compile_golden.goldens.golden_store import StoredGolden
from pytest_compile_golden.goldens.severity import weighed
from pytest_compile_golden.stages import get_stage
from tests.forked import Forks
from tests.paper import PaperProject
from tests.test_review import review

KERNEL = """# graph_0: triton_paper
@triton_heuristics.pointwise(
    size_hints={'x': 16},
)
@triton.jit
def triton_paper(in_ptr0, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    x0 = tl.program_id(0)
    tmp0 = tl.load(in_ptr0 + x0, None, eviction_policy='evict_last')
    tl.store(out_ptr0 + x0, tmp0 * 2.0, None)
"""
GUARDS = "f:\n  check_tensor(L['x'], Tensor, size=[4])\n  len(L['xs']) == 2\n"
STAGES = """

from pytest_compile_golden.changes.common_types import AttributeChanged
from pytest_compile_golden.formats.dynamo import GuardsFormat
from pytest_compile_golden.formats.triton import TritonFormat


class PaperKernels(PaperText, TritonFormat):
    pass


class PaperGuards(PaperText, GuardsFormat):
    pass


class Careless(PaperText):
    def edits(self, old, new):
        return (AttributeChanged("hints-changed", "tl.load", "eviction_policy", None, "evict_last"),)


register_stage(Stage("kernels", "kernels", PaperKernels("triton", "cuda"), "py"))
register_stage(Stage("seals", "guards", PaperGuards()))
register_stage(Stage("smudge", "what its format reads carelessly", Careless()))
"""
CASE = """
import pytest

{mark}
@pytest.mark.compile_golden(target="paper-gpu")
def test_page(draw, golden):
    assert draw({texts}) == golden
"""
NOTED = "noted (does not fail; the next --snapshot-update records it): hints-changed in 1 case."


def drawn(paper: PaperProject, mark: str = "", **texts: str) -> None:
    """One case, as if its compile gave these texts."""
    conftest = paper.path / "conftest.py"
    if STAGES not in conftest.read_text():
        conftest.write_text(conftest.read_text() + STAGES)
        ini = paper.path / "tox.ini"
        ini.write_text(
            ini.read_text().replace(
                "ink, press, tally", "ink, press, tally, kernels, seals, smudge"
            )
        )
    given = ", ".join(f"{stage}={text!r}" for stage, text in texts.items())
    paper.test(
        CASE.format(mark=mark and f"@pytest.mark.compile_golden({mark})", texts=given)
    )


def test_a_hint_is_noted_and_written_by_the_next_update(paper: PaperProject) -> None:
    drawn(paper, kernels=KERNEL)
    paper.update().assert_outcomes(passed=1)
    before = paper.files()
    drawn(paper, kernels=KERNEL.replace("evict_last", "evict_first"))
    result = paper.run()
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(
        ["1 case: 0 unchanged, 0 changed, 1 noted (1 distinct change).", NOTED]
    )
    assert paper.files() == before
    strict = paper.run("--compile-golden-strict")
    strict.assert_outcomes(failed=1)
    strict.stdout.no_fnmatch_line("*, 1 noted*")
    paper.update().assert_outcomes(passed=1)
    assert (
        "evict_first"
        in paper.files()["cases/test_paper/test_page/paper-gpu/kernels.py"]
    )
    paper.run().stdout.fnmatch_lines(["1 case: 1 unchanged, 0 changed."])


def test_a_hint_does_not_hide_what_is_computed(paper: PaperProject) -> None:
    drawn(paper, kernels=KERNEL)
    paper.update().assert_outcomes(passed=1)
    drawn(
        paper,
        kernels=KERNEL.replace("evict_last", "evict_first").replace("* 2.0", "* 3.0"),
    )
    paper.run().assert_outcomes(failed=1)


@pytest.mark.parametrize(
    ("stored", "meta", "idle"),
    [
        ("in_out_ptr0", "", True),
        ("out_ptr0", "'mutated_arg_names': ['out_ptr0'],", True),
        (
            "out_ptr0",
            "'mutated_arg_names': ['in_ptr0', 'out_ptr0'],",
            False,
        ),  # one buffer, under two names
        ("in_ptr0", "", False),
    ],
)
def test_a_barrier_is_noted_if_the_kernel_reads_nothing_that_it_writes(
    paper: PaperProject, stored: str, meta: str, idle: bool
) -> None:
    waiting = KERNEL.replace(
        "size_hints={'x': 16},",
        f"inductor_meta={{\n        'atomic_add_found': False,\n        {meta}\n    }},",
    )
    waiting = waiting.replace(
        "    tl.store(out_ptr0", f"    tl.debug_barrier()\n    tl.store({stored}"
    )
    drawn(paper, kernels=waiting)
    paper.update().assert_outcomes(passed=1)
    drawn(
        paper,
        kernels=waiting.replace("    tl.debug_barrier()\n", "").replace(
            "evict_last", "evict_first"
        ),
    )
    result = paper.run()
    result.assert_outcomes(**{"passed" if idle else "failed": 1})
    if idle:
        result.stdout.fnmatch_lines(
            ["noted (*): hints-changed in 1 case, idle-barrier in 1 case."]
        )


def test_what_the_edits_overlook_fails(paper: PaperProject) -> None:
    """All that the format says of the two texts is a hint, but they differ in more."""
    drawn(paper, smudge="one\n")
    paper.update().assert_outcomes(passed=1)
    drawn(paper, smudge="two\n")
    paper.run().assert_outcomes(failed=1)


def test_a_hint_in_one_stage_does_not_hide_a_change_of_another(
    paper: PaperProject,
) -> None:
    drawn(paper, ink="black\n", kernels=KERNEL)
    paper.update().assert_outcomes(passed=1)
    drawn(paper, ink="blue\n", kernels=KERNEL.replace("evict_last", "evict_first"))
    result = paper.run()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([NOTED])


def test_the_nearest_of_test_and_project_says_what_a_code_does(
    paper: PaperProject,
) -> None:
    drawn(paper, kernels=KERNEL)
    paper.update().assert_outcomes(passed=1)
    changed = KERNEL.replace("evict_last", "evict_first")
    drawn(paper, kernels=changed)
    paper.run("-o", "compile_golden_select=hints*").assert_outcomes(failed=1)
    ignoring = ("-o", "compile_golden_ignore=hints-changed size-hints")
    result = paper.run(*ignoring)
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(
        ["1 case: 1 unchanged, 0 changed.", "ignored: hints-changed in 1 case."]
    )
    paper.run(*ignoring, "--compile-golden-strict").assert_outcomes(failed=1)
    drawn(paper, mark="select=['hints*']", kernels=changed)
    paper.run(*ignoring).assert_outcomes(failed=1)
    drawn(paper, mark="ignore='hints*'", kernels=changed)
    paper.run("-o", "compile_golden_select=hints*").assert_outcomes(passed=1)


def test_guards_that_are_ignored_do_not_hide_others(paper: PaperProject) -> None:
    drawn(paper, seals=GUARDS)
    paper.update().assert_outcomes(passed=1)
    drawn(paper, seals=GUARDS.replace("  len(L['xs']) == 2\n", ""))
    paper.run().assert_outcomes(failed=1)
    ignoring = ("-o", "compile_golden_ignore=guards*")
    paper.run(*ignoring).assert_outcomes(passed=1)
    drawn(paper, seals=GUARDS.replace("f:", "g:").replace("  len(L['xs']) == 2\n", ""))
    paper.run(*ignoring).assert_outcomes(failed=1)


def test_a_number_with_a_better_direction_fails_and_one_that_only_counts_is_noted(
    paper: PaperProject,
) -> None:
    drawn(paper, tally="fused_nodes = 3\nkernels = 2\nown = 1\n")
    paper.update().assert_outcomes(passed=1)
    for text, outcome in (
        ("fused_nodes = 4\nkernels = 2\nown = 1\n", "passed"),
        ("fused_nodes = 4\nkernels = 1\nown = 1\n", "failed"),
        ("fused_nodes = 3\nkernels = 2\nown = 2\n", "failed"),
        ("kernels = 2\nown = 1\n", "failed"),
    ):
        drawn(paper, tally=text)
        paper.run().assert_outcomes(**{outcome: 1})


def test_a_code_that_does_not_exist_is_an_error_with_the_nearest(
    paper: PaperProject,
) -> None:
    drawn(paper, kernels=KERNEL)
    nearest = (
        "*there is no code of a change 'hint-changed'; did you mean 'hints-changed'*"
    )
    result = paper.run("-o", "compile_golden_ignore=hint-changed")
    result.stderr.fnmatch_lines([nearest])
    assert result.ret == 4
    drawn(paper, mark="select='hint-changed'", kernels=KERNEL)
    paper.update().stdout.fnmatch_lines([nearest])


def test_notes_and_codes_are_accepted_in_bulk(paper: PaperProject) -> None:
    drawn(paper, ink="black\n", kernels=KERNEL)
    paper.update().assert_outcomes(passed=1)
    drawn(paper, ink="blue\n", kernels=KERNEL.replace("evict_last", "evict_first"))
    pending = "--compile-golden-pending=pending"
    paper.run(pending).assert_outcomes(failed=1)
    message = paper.command("review", "--pending=pending", "--message").outlines
    assert message[:2] == ["Accept what torch 2.13.0+cpu changes", ""]
    assert message[2:] == ["line-replaced: 1 change in 1 case"]
    accept = ("accept", "--pending=pending")
    assert paper.command(*accept, "--code=hint-changed").ret == 2
    assert paper.command(*accept, "--code=mask*").ret == 2
    assert paper.command(*accept, "--notes").ret == 0
    files = paper.files()
    assert "evict_first" in files["cases/test_paper/test_page/paper-gpu/kernels.py"]
    assert "black" in files["cases/test_paper/test_page/paper-gpu/ink.py"]
    paper.run(pending).assert_outcomes(failed=1)
    assert paper.command(*accept, "--code=line-*").ret == 0
    drawn(paper, ink="blue\n", kernels=KERNEL)
    paper.run(pending).assert_outcomes(passed=1)
    message = paper.command("review", "--pending=pending", "--message").outlines
    assert message[2:] == ["noted: hints-changed: 1 change in 1 case"]


def test_metrics_are_not_accepted_before_what_fails_their_case(
    paper: PaperProject,
) -> None:
    drawn(paper, ink="black\n", tally="fused_nodes = 3\n")
    paper.update().assert_outcomes(passed=1)
    before = paper.files()
    drawn(paper, ink="blue\n", tally="fused_nodes = 4\n")
    paper.run("--compile-golden-pending=pending").assert_outcomes(failed=1)
    accept = ("accept", "--pending=pending")
    result = paper.command(*accept, "--notes")
    assert result.ret == 2 and paper.files() == before
    assert paper.command(*accept, "--stage=ink").ret == 0
    assert paper.command(*accept, "--notes").ret == 0
    paper.run().assert_outcomes(passed=1)


def test_what_is_noted_is_not_asked_about(paper: PaperProject) -> None:
    drawn(paper, ink="black\n", kernels=KERNEL)
    paper.update().assert_outcomes(passed=1)
    drawn(paper, ink="blue\n", kernels=KERNEL.replace("evict_last", "evict_first"))
    paper.run("--compile-golden-pending=pending").assert_outcomes(failed=1)
    seen = review(paper, "a")
    assert "change 1 of 1" in seen and "evict_first" not in seen
    assert "accepted 2 artifacts (goldens: 2 updated)." in seen


SUM = """
import pytest, torch

@pytest.mark.compile_golden(target="cuda-sm90")
def test_sum(compile_stages, golden):
    def program(x, y):
        a, b = x.sin(), y.cos()
        return {}
    captured = compile_stages(program, torch.randn(4), torch.randn(4))
    assert captured["post_grad_graph"] == golden
"""


def test_the_same_graph_is_noted_and_accepted_as_proved(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, forks_with_torch: Forks
) -> None:
    paper = PaperProject(project, monkeypatch, forks_with_torch)
    paper.test(SUM.format("a + b"))
    paper.update().assert_outcomes(passed=1)
    pending, accept = (
        "--compile-golden-pending=pending",
        ("accept", "--pending=pending", "--proved"),
    )
    paper.test(SUM.format("a - b"))
    paper.run(pending).assert_outcomes(failed=1)
    assert paper.command(*accept).ret == 2
    paper.test(SUM.format("b + a"))
    result = paper.run(pending)
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(
        [
            "noted (does not fail; the next --snapshot-update records it): same-graph in 1 case."
        ]
    )
    assert paper.command(*accept).ret == 0
    assert (
        "aten.add.Tensor(cos, sin)"
        in paper.files()["cases/test_paper/test_sum/cuda-sm90/post_grad_graph.py"]
    )


def test_a_step_that_leads_nowhere_is_noted() -> None:
    def trail(lowered: str, wrapper: str) -> str:
        made = [
            StageDigest(0, "lowered_ir", "", lowered),
            StageDigest(1, "wrapper_code", "", wrapper),
        ]
        return evidence.lines(made)

    def severity(text: str, *same: str) -> list[Severity]:
        change = _compared("trail", trail("a", "b"), text)
        return weighed([change], Severities(), same)

    assert severity(trail("z", "b"), "triton_code") == ["note"]
    assert severity(trail("z", "b"), "post_grad_graph") == ["fail"]
    assert severity(trail("z", "y"), "triton_code") == ["fail"]
    assert severity(trail("a", "y"), "triton_code") == ["fail"]


def _compared(stage: str, old: str, new: str) -> Compared:
    declared = get_stage(stage)
    path = GoldenPath(PurePosixPath("a"), stage, declared.extension)
    return compare(
        declared,
        path,
        StoredGolden(path.versionless, Header(stage, "2.13.0", None), old),
        new,
    )


KERNEL_IN_CPP = """// graph_0: cpp_fused_0
extern "C"  void  kernel(const float* in_ptr0, float* out_ptr0)
{{
    auto tmp1 = {cast}.template loadu<float,1>(in_ptr0);
    tmp1.store(out_ptr0{index});
}}
"""
ADDING = """// graph_0: cpp_fused_0
extern "C"  void  kernel(const int64_t* in_ptr0, int64_t* out_ptr0)
{{
    auto tmp0 = in_ptr0[0];
    auto tmp1 = in_ptr0[1];
    out_ptr0[0] = int64_t({});
}}
"""
UNSIGNED = "static_cast<std::make_unsigned_t<int64_t>>({}) + static_cast<std::make_unsigned_t<int64_t>>({})"
SETTING_UP = """// graph_0: cpp_fused_0
extern "C"  void  kernel(const float* in_ptr0, float* out_ptr0)
{{
{}    float tmp_acc0 = in_ptr0[0];
    out_ptr0[0] = tmp_acc0{};
}}
"""
ARRAY = """    float tmp_acc0_arr[8];
    for (int i = 0; i < 8; i++)
    {
        tmp_acc0_arr[i] = 0;
    }
"""
SOFTMAX = """# graph_0: triton_red_0
@triton.jit
def triton_red_0(in_ptr0, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    x0 = tl.program_id(0)
    tmp0 = tl.load(in_ptr0 + x0, None)
    tmp1, tmp2 = triton_helpers.online_softmax_reduce(tmp0, tmp0, 1, {})
    tl.store(out_ptr0 + x0, tmp1, None)
"""
FRAME = "f:\n  check_tensor(L['x'], Tensor, size=[4])\n{}"
GLOBAL = '  ___check_global_state() against {{"allow_tf32":{}}}\n'
TREE = "f: 2 guards, 0 in Python, 2 accesses\n  1 TENSOR_MATCH L['x']\n  1 {} L['x']\n"
KEY = "graph_0 f:\n  {} FX graph cache{}\n  fx inductor_config; {}\n"
RESOURCES = """graph_0: triton_0, XBLOCK=16 num_warps=4 num_stages=1  # Triton {}, ptxas 12.8 for sm90
  registers {}, spills 0, stack 0, shared 0, threads 128, occupancy 100
  instructions {}
"""
FUSING = (
    KERNEL.replace("{", "{{")
    .replace("}", "}}")
    .replace(
        "\n)", "\n    triton_meta={{\n        'enable_fp_fusion': {},\n    }},\n)", 1
    )
)
MARK = "  hasattr(L['x'], '{}') == False\n"
STEPS = """graph_0:
  scheduler dead_node_elimination                    {} -> {}
  scheduler fuse_nodes                               {} -> {}
"""
METRICS = "bytes_accessed = {}\nflops = {}\n{}"


@pytest.mark.parametrize(
    ("stage", "old", "new", "severity"),
    [
        (
            "triton_code",
            SOFTMAX.format("False"),
            SOFTMAX.format("False, False"),
            "note",
        ),
        ("triton_code", SOFTMAX.format("False"), SOFTMAX.format("False, True"), "fail"),
        (
            "triton_code",
            SOFTMAX.format("False"),
            SOFTMAX.format("False, False").replace("tmp1, N", "tmp2, N"),
            "fail",
        ),
        (
            "cpp_code",
            KERNEL_IN_CPP.format(cast="tmp0.template cast<float,1>()", index=""),
            KERNEL_IN_CPP.format(
                cast="inductor_vec_mask_cast<float,1>(tmp0)", index=""
            ),
            "note",
        ),
        (
            "cpp_code",
            KERNEL_IN_CPP.format(cast="tmp0.template cast<float,1>()", index=""),
            KERNEL_IN_CPP.format(
                cast="inductor_vec_mask_cast<float,1>(tmp0)", index=" + 1"
            ),
            "fail",
        ),
        # One that was not cast before.
        (
            "cpp_code",
            KERNEL_IN_CPP.format(cast="tmp0", index=""),
            KERNEL_IN_CPP.format(
                cast="inductor_vec_mask_cast<float,1>(tmp0)", index=""
            ),
            "fail",
        ),
        (
            "guards",
            FRAME.format(""),
            FRAME.format(MARK.format("_dynamo_static_indices")),
            "note",
        ),
        ("guards", FRAME.format(""), FRAME.format(MARK.format("my_own")), "fail"),
        (
            "guards",
            FRAME.format(GLOBAL.format(0)),
            FRAME.format(GLOBAL.format('0,"precision":0')),
            "note",
        ),
        (
            "guards",
            FRAME.format(GLOBAL.format(0)),
            FRAME.format(GLOBAL.format(1)),
            "fail",
        ),
        (
            "guard_tree",
            TREE.format("NO_HASATTR"),
            TREE.format("DIMENSION_DYNAMIC_MARKING_GUARD x5"),
            "note",
        ),
        ("guard_tree", TREE.format("NO_HASATTR"), TREE.format("HASATTR"), "fail"),
        (
            "cache_key",
            KEY.format("cacheable", "", "aaa"),
            KEY.format("cacheable", "", "bbb"),
            "note",
        ),
        (
            "cache_key",
            KEY.format("cacheable", "", "aaa"),
            KEY.format("bypassed", "; a pass", "bbb"),
            "fail",
        ),
        (
            "compile_cost",
            "aot: nodes_made 10  # 1 ms\n",
            "aot: nodes_made 12  # 1 ms\n",
            "note",
        ),
        (
            "kernel_resources",
            RESOURCES.format("3.7", 32, 60),
            RESOURCES.format("3.8", 30, 66),
            "note",
        ),
        (
            "kernel_resources",
            RESOURCES.format("3.7", 32, 60),
            RESOURCES.format("3.8", 34, 60),
            "fail",
        ),
        (
            "kernel_resources",
            RESOURCES.format("3.7", 32, 60),
            RESOURCES.format("3.7", 30, 61),
            "fail",
        ),
        (
            "kernel_resources",
            RESOURCES.format("3.7", 32, 60),
            RESOURCES.format("3.7", 34, 60),
            "fail",
        ),
        (
            "kernel_resources",
            RESOURCES.format("3.7", 32, 60),
            RESOURCES.format("3.7", 32, "60, barrier 1"),
            "fail",
        ),
        ("cpp_code", SETTING_UP.format("", ""), SETTING_UP.format(ARRAY, ""), "note"),
        (
            "cpp_code",
            ADDING.format("tmp0 + tmp1"),
            ADDING.format(UNSIGNED.format("tmp0", "tmp1")),
            "note",
        ),
        (
            "cpp_code",
            ADDING.format("tmp0 + tmp1"),
            ADDING.format(UNSIGNED.format("tmp0", "tmp0")),
            "fail",
        ),
        (
            "cpp_code",
            ADDING.format("tmp0 * tmp1"),
            ADDING.format(UNSIGNED.format("tmp0", "tmp1").replace("+", "*")),
            "note",
        ),
        (
            "cpp_code",
            ADDING.format("tmp0 - tmp1"),
            ADDING.format(UNSIGNED.format("tmp0", "tmp1")),
            "fail",
        ),
        (
            "cpp_code",
            SETTING_UP.format("", ""),
            SETTING_UP.format(ARRAY, " + tmp_acc0_arr[0]"),
            "fail",
        ),
        (
            "cpp_code",
            SETTING_UP.format("", ""),
            SETTING_UP.format(ARRAY.replace("] = 0;", "] = f(i);"), ""),
            "fail",
        ),
        ("passes", STEPS.format(6, 5, 5, 2), STEPS.format(5, 4, 4, 2), "note"),
        ("passes", STEPS.format(6, 5, 5, 2), STEPS.format(5, 4, 4, 3), "fail"),
        (
            "passes",
            STEPS.format(6, 5, 5, 2),
            STEPS.format(5, 4, 4, 2).replace("scheduler f", "post_grad f"),
            "fail",
        ),
        (
            "metrics",
            METRICS.format(1000, 100, ""),
            METRICS.format(1009, 100, ""),
            "note",
        ),
        (
            "metrics",
            METRICS.format(1000, 100, ""),
            METRICS.format(1010, 100, ""),
            "fail",
        ),
        (
            "metrics",
            METRICS.format(1000, 100, ""),
            METRICS.format(1000, 120, ""),
            "fail",
        ),
        (
            "metrics",
            METRICS.format(1, 100, "least_time = 9000"),
            METRICS.format(1, 120, "least_time = 9000"),
            "note",
        ),
        (
            "metrics",
            METRICS.format(1, 100, "least_time = 9000"),
            METRICS.format(1, 120, "least_time = 9900"),
            "fail",
        ),
        ("triton_code", KERNEL, FUSING.format(True), "off"),
        ("triton_code", KERNEL, FUSING.format(False), "fail"),
        (
            "metrics",
            "guards = 2\nnodes_post_grad = 3\n",
            "guards = 3\nnodes_post_grad = 4\n",
            "note",
        ),
        ("metrics", "python_guards = 2\n", "python_guards = 1\n", "note"),
        ("metrics", "python_guards = 1\n", "python_guards = 2\n", "fail"),
    ],
)
def test_what_follows_from_another_torch_alone_is_noted(
    stage: str, old: str, new: str, severity: Severity
) -> None:
    change = _compared(stage, old, new)
    assert weighed([change], Severities()) == [severity]
