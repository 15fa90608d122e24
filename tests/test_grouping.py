"""Distinct changes: each edit is one, described as a colleague would, with all cases that have it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from pathlib import Path, PurePosixPath

import pytest

from pytest_compile_golden.changes.change import Change as Found
from pytest_compile_golden.cli.project import find_project
from pytest_compile_golden.formats.edits import with_comments_of
from pytest_compile_golden.formats.metrics.compare import changes as metric_changes
from pytest_compile_golden.goldens.cause import cause
from pytest_compile_golden.goldens.change_groups import Waiting, change_groups
from pytest_compile_golden.goldens.compare import ArtifactDifference, change_edits
from pytest_compile_golden.goldens.distinct import case_changes
from pytest_compile_golden.goldens.ranking import numbers_of
from pytest_compile_golden.recordings.from_goldens import Goldens
from pytest_compile_golden.recordings.recording import Recording
from pytest_compile_golden.report import comparing, overview
from pytest_compile_golden.report.counts import Counts
from pytest_compile_golden.report.model import CaseGroup, Report
from pytest_compile_golden.stages import get_stage
from pytest_compile_golden.words.sentences import sentence
from tests.trails import trail

GOLDENS = Path(__file__).parents[1] / "goldens"
ALL = Goldens(GOLDENS, find_project(GOLDENS).bases)

KERNEL = """
# graph_0: triton_poi_fused_add_relu_0
@triton.jit
def triton_poi_fused_add_relu_0(in_ptr0, in_ptr1, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 4096
    x0 = tl.program_id(0) * XBLOCK + tl.arange(0, XBLOCK)[:]
    tmp0 = tl.load(in_ptr0 + (x0), None)
    tmp1 = tl.load(in_ptr1 + (x0), None)
    tmp2 = tmp0 - tmp1
    tl.store(out_ptr0 + (x0), tmp2, None)
""".lstrip()


def structural(old: str, new: str, stage: str = "triton_code", suffix: str = "py") -> ArtifactDifference:
    return ArtifactDifference(stage, "structural", old, new, "2.13.0", PurePosixPath(f"x/{stage}.{suffix}"))


def labels(old: str, new: str, stage: str = "triton_code", suffix: str = "py") -> list[str]:
    return [sentence(edit) for edit in change_edits(structural(old, new, stage, suffix)) if not edit.follows]


def keys(old: str, new: str) -> set[str]:
    return {edit.key for edit in change_edits(structural(old, new)) if not edit.follows}


def other_kernel(text: str, start: int) -> str:
    """The same code in another kernel: other value numbers, names and sizes."""
    text = re.sub(r"\btmp(\d+)", lambda match: f"tmp{int(match[1]) + start}", text)
    return (
        text.replace("4096", str(64 * start))
        .replace("add_relu_0", f"mul_view_{start}")
        .replace("in_ptr0", f"in_ptr{start}")
    )


def evict(text: str) -> str:
    return text.replace("(x0), None)\n    tmp", "(x0), None, eviction_policy='evict_first')\n    tmp", 1)


def test_forty_kernels_with_one_edit_are_one_change() -> None:
    kernels = [other_kernel(KERNEL, number) for number in range(2, 42)]
    waiting = [Waiting(((structural(text, evict(text)), number),)) for number, text in enumerate(kernels)]
    found, _ = change_groups(waiting)
    assert [len(each.members) for each in found] == [40]
    assert [sentence(change.what) for change in found[0].changes] == ["tl.load gains eviction_policy='evict_first'"]


@pytest.mark.parametrize(
    ("old", "new", "label"),
    [
        ("tmp0 - tmp1", "tmp0 + tmp1", "a - b -> a + b"),
        ("tmp2 = tmp0 - tmp1", "tmp2 = triton_helpers.maximum(tmp0, tmp1)", "a - b -> triton_helpers.maximum(a, b)"),
        ("tmp0 - tmp1", "tl_math.sin(tmp0 - tmp1)", "a -> tl_math.sin(a)"),
        ("(x0), tmp2, None)", "(x0), tmp2, xmask)", "None -> xmask"),
        ("tmp0 - tmp1", "tmp1 - tmp0", "- tmp2 = tmp0 - tmp1  + tmp2 = tmp1 - tmp0"),
        ("tmp0 - tmp1", "tmp0 - tmp0", "- tmp2 = tmp0 - tmp1  + tmp2 = tmp0 - tmp0"),
        (
            "    tl.store",
            "    tl.debug_barrier()\n    tl.store",
            "threads wait for each other more often (debug_barrier)",
        ),
        ("tmp2 = tmp0 - tmp1", "tmp2 = (tmp0 - tmp1).to(tl.float16)", "a -> a.to(tl.float16)"),
    ],
)
def test_an_edit_says_what_changed_and_no_more(old: str, new: str, label: str) -> None:
    assert KERNEL.count(old) == 1
    changed = KERNEL.replace(old, new)
    assert labels(KERNEL, changed) == [label]
    # A kernel that changed in this way and in another has both.
    assert keys(KERNEL, evict(changed)) >= keys(KERNEL, evict(KERNEL))


def test_names_and_temporaries_are_not_an_edit_beside_another() -> None:
    new = other_kernel(KERNEL, 5).replace("320", "4096").replace("in_ptr5", "in_ptr0")
    new = new.replace("tmp7 = tmp5 - tmp6", "tmp77 = tmp5\n    tmp7 = tmp77 - tmp6")
    assert labels(KERNEL, evict(new)) == ["tl.load gains eviction_policy='evict_first'"]


def test_the_same_operation_on_other_values_never_matches_by_accident() -> None:
    both = KERNEL.replace("tmp0 - tmp1", "tmp1 - tmp0")
    assert keys(KERNEL, both) != keys(both, KERNEL)
    assert keys(KERNEL, evict(KERNEL)) != keys(KERNEL, both)


def test_dtypes_and_devices_are_not_value_names() -> None:
    assert labels("add: f32[4] = f(x)\n", "add: f16[4] = f(x)\n", "ink", "txt") != []
    one, other = (structural("y = f(sm80)\n", f"y = f({new})\n", "ink", "txt") for new in ("sm90", "sm75"))
    assert {edit.key for edit in change_edits(one)} != {edit.key for edit in change_edits(other)}


def test_a_file_that_was_rewritten_matches_only_itself() -> None:
    old, new = "".join(f"a = {n}\n" for n in range(3000)), "".join(f"b = {n}\n" for n in range(3000))
    one, other = (change_edits(structural(old, text, "dynamo_bytecode", "txt")) for text in (new, new + "c\n"))
    assert len(one) == len(other) == 1 and one[0].key != other[0].key


def test_the_diff_leaves_out_lines_that_differ_only_in_comments() -> None:
    old, new = "a = 1  # x.py:1\nb = 2  # x.py:2\n", "a = 1  # x.py:7\nb = 3  # x.py:8\nc = 4\n"
    assert with_comments_of(old, new, "#") == "a = 1  # x.py:1\nb = 3  # x.py:8\nc = 4\n"


def metric(old: int, new: int) -> ArtifactDifference:
    numbers = metric_changes({"kernels": old}, {"kernels": new})
    return ArtifactDifference("metrics", "metric", "", "", None, PurePosixPath("m.toml"), numbers)


def test_metrics_alone_group_by_direction_and_new_goldens_into_one_group() -> None:
    def own_keys(change: ArtifactDifference) -> set[str]:
        return {each.key for each in case_changes([change], cause([change])).own}

    assert own_keys(metric(1, 2)) == own_keys(metric(3, 9)) != own_keys(metric(2, 1))
    new = [ArtifactDifference(stage, "new", "", "x", None, PurePosixPath(stage)) for stage in ("metrics", "passes")]
    assert [len(each.members) for each in change_groups([Waiting(((each, each.stage),)) for each in new])[0]] == [2]


def test_a_number_of_guards_is_a_separate_change_with_its_own_metrics() -> None:
    guarded = metric_changes({"kernels": 1, "python_guards": 2}, {"kernels": 2, "python_guards": 1})
    metrics = ArtifactDifference("metrics", "metric", "", "", None, PurePosixPath("m.toml"), guarded)
    kernel = structural(KERNEL, KERNEL.replace("tmp0 - tmp1", "tmp0 * tmp1"))
    own = case_changes([kernel, metrics], cause([kernel, metrics])).own
    assert [sentence(change.what) for change in own] == ["a - b -> a * b", "fewer guards that run Python: 2 -> 1"]
    assert [each.name for each in numbers_of({own[0].key}, own, guarded)] == ["kernels"]
    assert [each.name for each in numbers_of({own[1].key}, own, guarded)] == ["python_guards"]


def test_guards_follow_from_what_changed_in_dynamo() -> None:
    guarded = metric_changes({"python_guards": 2}, {"python_guards": 1})
    metrics = ArtifactDifference("metrics", "metric", "", "", None, PurePosixPath("m.toml"), guarded)
    broken = structural("no graph breaks\n", "1 graph break\n", "graph_breaks", "txt")
    assert len(case_changes([broken, metrics], cause([broken, metrics])).own) == 1


def test_an_edit_is_the_same_in_a_function_that_kernels_call() -> None:
    helper = "@triton.jit\ndef _triton_helper_fn_maximum0(arg0_0, arg1_0):\n    tmp0 = {}\n    return tmp0\n\n"
    kernel = "@triton_heuristics.reduction(\n    size_hints={'x': 8},\n)\n@triton.jit\n" + KERNEL.partition("jit\n")[2]
    old, new = "triton_helpers.maximum({}, {})", "tl.maximum({}, {}, tl.PropagateNan.ALL)"
    title = "# graph_0: triton_red_fused_0\n"
    inside = [title + helper.format(each.format("arg0_0", "arg1_0")) + kernel for each in (old, new)]
    outside = [KERNEL.replace("tmp0 - tmp1", each.format("tmp0", "tmp1")) for each in (old, new)]
    assert keys(*inside) == keys(*outside) != set()


def test_added_operations_are_described_by_their_operators() -> None:
    group = """
  group {0}: pointwise
    op{0}: pointwise
      buf{0}: f32[8] cpu
      computes {1}
      reads primals_1[c0]
      writes buf{0}[c0]
"""
    old = "graph_0" + group.format(0, "aten.relu.default").rstrip() + "\n"
    new = old + group.format(1, "aten.convolution_backward.default").lstrip("\n")
    assert labels(old, new, "scheduler_nodes", "txt") == ["1 operation more: pointwise of aten.convolution_backward"]


def test_mere_consequences_are_never_asked_about() -> None:
    old, new = map(trail, ("wrapper_code     3 lines  0123456789", "wrapper_code     4 lines  9876543210"))
    changes = (
        (structural(KERNEL, evict(KERNEL)), "kernel"),
        (structural(old, new, "trail", "jsonl"), "trail"),
        (metric(1, 2), "metrics"),
    )
    found, needed = change_groups([Waiting(changes)])
    assert [(len(each.changes), each.members) for each in found] == [(1, ("kernel", "trail", "metrics"))]
    assert needed["metrics"] == found[0].marks


def test_a_case_with_two_changes_is_in_both_groups_and_waits_for_what_is_not_only_noted() -> None:
    subtracted = KERNEL.replace("tmp0 - tmp1", "tmp0 + tmp1")
    cases = [
        Waiting(((structural(KERNEL, evict(KERNEL)), "one"),)),
        Waiting(((structural(KERNEL, subtracted), "other"),)),
        Waiting(((structural(KERNEL, evict(subtracted)), "both"),)),
    ]
    found, needed = change_groups(cases)
    assert {sentence(each.changes[0].what): set(each.members) for each in found} == {
        "a - b -> a + b": {"other", "both"},
        "tl.load gains eviction_policy='evict_first'": {"one", "both"},
    }
    assert needed["both"] == needed["other"] and not needed["one"] & needed["other"]
    # What is already accepted is not asked about again.
    left, _ = change_groups([Waiting(cases[2].changes, frozenset(needed["one"]))])
    assert [[sentence(change.what) for change in group.changes] for group in left] == [["a - b -> a + b"]]


def test_a_change_that_cases_pass_with_is_no_question_beside_another() -> None:
    subtracted = KERNEL.replace("tmp0 - tmp1", "tmp0 + tmp1")
    stored = subtracted.replace("(x0), tmp2, None)", "(x0), tmp2, xmask)")
    proved = Waiting(((replace(structural(KERNEL, subtracted), severity="note"), "proved"),))
    both = Waiting(((structural(KERNEL, stored), "both"),))
    found, needed = change_groups([proved, both])
    asked = [sentence(group.changes[0].what) for group in found if not group.noted]
    assert asked == ["None -> xmask"] and needed["both"] == found[0].marks
    # It is one where it fails alone.
    alone = Waiting(((structural(other_kernel(KERNEL, 5), other_kernel(subtracted, 5)), "alone"),))
    found, _ = change_groups([proved, both, alone])
    asked = [sentence(group.changes[0].what) for group in found if not group.noted]
    assert sorted(asked) == ["None -> xmask", "a - b -> a + b"]


# The cases whose changes somebody has put into words.
_READ = re.compile(
    r"cases/test_(?:attention|convolution|dynamo|extension|indexing|loops|matmul|memory|models|mutation|normalization"
    r"|optimizer|patterns|pointwise|precision|randomness|reduction|training)\.py::.*(?:cuda-sm90|cpu-avx2)\]"
)


@lru_cache
def step(old: str, new: str) -> Report:
    sides = [ALL.recording(version) for version in (old, new)]
    read = [replace(side, cases=tuple(case for case in side.cases if _READ.match(case.nodeid))) for side in sides]
    return comparing.report(read[0], read[1], old, new)


def _all_of(module: str, version: str) -> Recording:
    side = ALL.recording(version)
    return replace(side, cases=tuple(case for case in side.cases if module in case.nodeid))


FIRST, SECOND = ("2.12.1", "2.13.0"), ("2.13.0", "2.15.0")


def groups(words: str, versions: tuple[str, str]) -> Iterator[CaseGroup]:
    for group in step(*versions).groups:
        if all(word in " ".join((group.text, *group.edits)) for word in words.split(" … ")):
            yield group


@pytest.mark.parametrize(
    ("versions", "words", "least"),
    [
        (FIRST, "index is cast where it is used … index -> index.to(tl.int", 25),
        (FIRST, "tl.load gains eviction_policy='evict_first'", 40),
        (FIRST, "kernel is tiled in 1D instead of 2D … Grid2D -> Grid1D, no YBLOCK", 5),
        (FIRST, "is one kernel now (2 -> 1)", 1),
        (FIRST, "a check that inputs are finite is added … aten.abs … aten.any … aten.eq … aten.ne", 8),
        (FIRST, "pattern pointless_convert matches 2 times instead of 1", 2),
        (SECOND, "remove_noop_ops keeps aten.clone", 2),
        (SECOND, "constant_fold_uniform_value removes x * 1 (aten.mul)", 4),
        (SECOND, "constant_fold_uniform_value removes x + 0 (aten.add)", 6),
        (SECOND, "leaves aten.ne more in forward and backward together (+1 node)", 2),
        (FIRST, "inlined instead of stored", 3),
        (FIRST, "stored instead of inlined", 1),
        (SECOND, "operators with one output no longer need a MultiOutput node", 3),
        (SECOND, "mask is cast by a function: a.cast<T, n>() -> inductor_vec_mask_cast<T, n>(a)", 20),
        (SECOND, "integers are added unsigned, which cannot overflow … make_unsigned", 7),
        (SECOND, "lanes past the end of a vector are filled … set(1, ", 1),
        (FIRST, "integer // and % are calls … remainder_integral(floor_divide_integral(", 1),
        (SECOND, "triton_helpers.maximum(a, b) -> tl.maximum(a, b, tl.PropagateNan.ALL)", 24),
        (SECOND, "triton_helpers.rand4x(a, b, XBLOCK) -> tl.rand(a, b)", 3),
        (FIRST, "tl.rand(a, b) -> triton_helpers.rand4x(a, b, XBLOCK)", 3),
        (SECOND, "online-softmax helper takes one more flag … is given one argument more: False", 2),
        (SECOND, "sign test covers float64", 1),
        (SECOND, "load_checked_2d gains parameter INDEX_DTYPE", 1),
        (SECOND, "loops over 1D instead of 2D: index c0 + 512*c1 -> (c0 // 1024) + 512*(c0 % 1024)", 1),
        (SECOND, "result of getitem: strides [128, 1] -> contiguous", 2),
        (SECOND, "guard on global state has a new field cuda_matmul_precision", 18),
        (FIRST, "Dynamo's own marks on tensors are guarded now", 18),
        (SECOND, "turns aten.add, aten.mm into aten.addmm", 1),
        (SECOND, "attention backend: cuDNN -> memory-efficient", 1),
        (FIRST, "max-autotune has 22 mm candidates instead of 21", 2),
        (FIRST, "template loses OUT_DTYPE='tl.float16'", 3),
        (FIRST, "tail of a vectorised loop is scalar now", 1),
        (FIRST, "combo kernels: launch metadata combo_grid_meta['autotune_grouping'] = True is new", 4),
        (SECOND, "combo kernels: launch metadata combo_grid_meta['block_arg_names']", 3),
        (SECOND, "Inductor's IR has Switch in place of Conditional", 2),
        (SECOND, "torch._foreach_sub + torch.full_like x3 -> torch._foreach_lerp_", 2),
        (FIRST, "2 casts more in loop bodies", 2),
        (FIRST, "reduction sets up an array of accumulators that nothing reads: float tmp_acc0_arr[8]", 1),
        (SECOND, "branches of a kernel share their code now", 1),
        (SECOND, "_native_batch_norm_legit_no_training is decomposed into rsqrt instead of mul, reciprocal, sqrt", 2),
        (SECOND, "more inputs are checked for alignment … 2 -> 3", 5),
    ],
)
def test_what_torch_changed_reads_as_a_colleague_would_put_it(
    versions: tuple[str, str], words: str, least: int
) -> None:
    found = list(groups(words, versions))
    assert len(found) == 1, [group.text for group in step(*versions).groups]
    assert len(found[0].members) >= least


@pytest.mark.parametrize(
    ("words", "function", "file"),
    [
        ("triton_helpers.maximum(a, b) -> tl.maximum", "TritonOverrides.maximum", "codegen/triton.py"),
        ("inductor_vec_mask_cast", "CppVecOverrides.where", "codegen/cpp.py"),
        ("integers are added unsigned", "CppOverrides.add", "codegen/cpp.py"),
    ],
)
def test_kernels_are_blamed_on_their_author_though_no_golden_of_the_trail_is_new(
    words: str, function: str, file: str
) -> None:
    (found,) = groups(words, SECOND)
    assert found.where is not None and found.where.startswith(f"torch/_inductor/{file}:")
    firsts = [case.divergence for case in step(*SECOND).cases if case.nodeid in found.members]
    assert any(each is not None and f" / {function}: " in each.text and words in each.text for each in firsts), firsts


def test_a_wrapper_that_copies_more_inputs_is_reported_beside_an_earlier_change() -> None:
    (copies,) = groups("more inputs are checked for alignment", SECOND)
    (other,) = groups("tl.maximum(a, b, tl.PropagateNan.ALL)", SECOND)
    both = "cases/test_convolution.py::test_batch_norm_training[cuda-sm90]"
    assert both in copies.members and both in other.members
    # The function that chooses them may be the same in both torches.
    assert copies.where is None


@pytest.mark.parametrize(
    ("versions", "module", "words", "stages"),
    [
        (FIRST, "test_attention_patterns", "a check that inputs are finite is added", {"post_grad_graph"}),
        (SECOND, "test_ahead_of_time", "launchKernel is given one argument more", {"wrapper_code", "aot_wrapper"}),
        (SECOND, "test_machine_code", "machine code by Triton", {"kernel_resources", "ptx", "sass"}),
    ],
)
def test_one_change_is_reported_once_whatever_stage_shows_it(
    versions: tuple[str, str], module: str, words: str, stages: set[str]
) -> None:
    old, new = (_all_of(module, version) for version in versions)
    report = comparing.report(old, new, *versions)
    (found,) = (group for group in report.groups if words in group.text)
    shown = {
        stage.stage
        for case in report.cases
        if case.nodeid in found.members
        for stage in case.stages
        if stage.kind == "structural"
    }
    assert stages <= shown and found.stage in stages


def test_additions_to_a_table_of_a_cache_key_are_one_edit() -> None:
    old, new = (_all_of("test_cache_key", version) for version in SECOND)
    report = comparing.report(old, new, *SECOND)
    edits = [text for group in report.groups for text in (group.text, *group.edits) if "autocast_state" in text]
    assert len(edits) == 1 and edits[0].startswith("keys of torch's caches have other parts")


def test_outputs_that_are_not_unpacked_are_one_change_wherever_it_shows() -> None:
    old, new = (_all_of("test_custom_operator", version) for version in SECOND)
    others, others_now = (_all_of("test_bucketize", version) for version in SECOND)
    sides = (replace(side, cases=side.cases + more.cases) for side, more in ((old, others), (new, others_now)))
    first, second = sides
    report = comparing.report(first, second, *SECOND)
    (found,) = (group for group in report.groups if "MultiOutput node" in group.text)
    assert found.where == "torch/_inductor/ir.py:FallbackKernel.create"
    assert {nodeid.partition("[")[0].rpartition("::")[2] for nodeid in found.members} == {
        "test_bucketize",
        "test_custom_operator",
    }


def test_a_stages_edit_is_the_first_divergence_if_nothing_says_more() -> None:
    old, new = (_all_of("test_cache_key", version) for version in SECOND)
    report = comparing.report(old, new, *SECOND)
    divergences = {case.divergence.text for case in report.cases if case.divergence is not None}
    assert any(text.startswith("cache_key: keys of torch's caches have other parts") for text in divergences)


@pytest.mark.parametrize(
    ("versions", "case", "stage", "label"),
    [
        (FIRST, "test_gpt_block[cuda-sm90]", "triton_code", "cast to tl.float32 is on the line of its value"),
        (FIRST, "test_one_hot[cuda-sm90]", "triton_code", "index is cast"),
    ],
)
def test_what_is_written_differently_but_is_the_same_is_described(
    versions: tuple[str, str], case: str, stage: str, label: str
) -> None:
    (found,) = (each for each in step(*versions).cases if each.nodeid.endswith(case))
    (its,) = (each for each in found.stages if each.stage == stage)
    assert its.old is not None and its.new is not None
    edits: tuple[Found, ...] = get_stage(stage).format.edits(its.old, its.new)
    assert any(label in sentence(edit) for edit in edits)


def test_an_index_used_without_a_temporary_is_described_as_such() -> None:
    new = KERNEL.replace("    tmp2 = tmp0 - tmp1", "    tmp2 = tmp0 - tmp1 + x0")
    old = KERNEL.replace("    tmp2 = tmp0 - tmp1", "    tmp3 = x0\n    tmp2 = tmp0 - tmp1 + tmp3")
    assert labels(old, new) == ["index is used directly instead of through a temporary"]


@pytest.mark.parametrize("versions", [FIRST, SECOND])
def test_each_step_reads_as_few_changes_none_of_which_is_a_digest(versions: tuple[str, str]) -> None:
    report = step(*versions)
    texts = [text for group in report.groups for text in (group.text, *group.edits)]
    assert len(report.groups) <= 37
    assert sum(len(group.members) == 1 for group in report.groups) <= 15
    assert not [text for text in texts if re.search(r"tiling_scores|same size|gained|^\d+ -> \d+$", text)]
    assert sum(case.outcome == "changed" for case in report.cases) == len(
        {nodeid for group in report.groups for nodeid in group.members}
    )


def test_the_verdict_comes_first_then_regressions_and_neutral_changes_take_one_line() -> None:
    report = step(*FIRST)
    assert [bool(group.worse) for group in report.groups] == sorted(
        (bool(e.worse) for e in report.groups), reverse=True
    )
    # Errors and regressions come first, hints last.
    assert report.groups[0].worse and report.groups[-1].topic == "hints"
    for width in (80, 120, 200):
        lines = [text for _, text in overview.render(report, width=width)]
        assert lines[1] == lines[-1] and "11 regressions" in lines[1] and "distinct changes" in lines[1]
        start = lines.index("without effect on any metric:")
        assert all(len(line) < width for line in lines[start:-2])
        # The author follows the change if the line has room for all of it.
        authors = [line for line in lines[start:] if re.search(r"torch/_inductor/codegen/triton\.py:\d+$", line)]
        assert bool(authors) == (width == 200)
        fused = next(at for at, line in enumerate(lines) if "is one kernel now" in line)
        assert lines[fused + 1].startswith("  bytes_accessed 1.5 MiB -> 1.0 MiB (-33 %), kernels 2 -> 1")
    assert "(bytes_accessed +" in Counts.of(report).headline(width=300)
    assert len(Counts.of(report).headline(width=120)) < 120


def test_every_committed_change_has_an_edit() -> None:
    for versions in (FIRST, SECOND):
        for case in step(*versions).cases:
            assert case.outcome != "changed" or case.changes, case.nodeid
            assert all(change.text and change.key for change in case.changes), case.nodeid


def test_who_refuses_to_fuse_is_named_only_where_kernels_were_split() -> None:
    """A maximum is taken where its index is: that does not follow from a refusal that shows in the same schedule."""
    old, new = (_all_of("test_flex_attention.py::test_decoding", version) for version in FIRST)
    (found,) = (group for group in comparing.report(old, new, *FIRST).groups if "a maximum is taken" in group.text)
    assert found.stage == "scheduler_nodes" and found.where is None
