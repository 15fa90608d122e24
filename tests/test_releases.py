"""What torch changed from release to release, as the committed goldens show it, reads as a colleague would put it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import pytest

from pytest_compile_golden.changes.change import Change as Found
from pytest_compile_golden.cli.project import find_project
from pytest_compile_golden.messages.sentences import sentence
from pytest_compile_golden.recordings.from_goldens import Goldens
from pytest_compile_golden.recordings.recording import Recording
from pytest_compile_golden.report import compare_recordings, terminal_report
from pytest_compile_golden.report.model import CaseGroup, Report
from pytest_compile_golden.report.run_summary import Counts
from pytest_compile_golden.stages import get_stage

GOLDENS = Path(__file__).parents[1] / "goldens"


ALL = Goldens(GOLDENS, find_project(GOLDENS).bases)


# The cases whose changes somebody has put into words.
_READ = re.compile(
    r"cases/test_(?:attention|convolution|dynamo|extension|indexing|loops|matmul|memory|models|mutation|normalization"
    r"|optimizer|patterns|pointwise|precision|randomness|reduction|training)\.py::.*(?:cuda-sm90|cpu-avx2)\]"
)


@lru_cache
def step(old: str, new: str) -> Report:
    sides = [ALL.recording(version) for version in (old, new)]
    read = [
        replace(
            side, cases=tuple(case for case in side.cases if _READ.match(case.nodeid))
        )
        for side in sides
    ]
    return compare_recordings.report(read[0], read[1], old, new)


def _all_of(module: str, version: str) -> Recording:
    side = ALL.recording(version)
    return replace(
        side, cases=tuple(case for case in side.cases if module in case.nodeid)
    )


FIRST, SECOND = ("2.12.1", "2.13.0"), ("2.13.0", "2.15.0")


def groups(words: str, versions: tuple[str, str]) -> Iterator[CaseGroup]:
    for group in step(*versions).groups:
        if all(
            word in " ".join((group.text, *group.edits)) for word in words.split(" … ")
        ):
            yield group


@pytest.mark.parametrize(
    ("versions", "words", "least"),
    [
        (FIRST, "index is cast where it is used … index -> index.to(tl.int", 25),
        (FIRST, "tl.load gains eviction_policy='evict_first'", 40),
        (
            FIRST,
            "kernel is tiled in fewer dimensions … 1D instead of 2D, Grid2D -> Grid1D, no YBLOCK",
            5,
        ),
        (FIRST, "are fused into one kernel (2 -> 1)", 1),
        (
            FIRST,
            "softmax checks that its inputs are finite",
            8,
        ),
        (FIRST, "pattern pointless_convert matches 2 times instead of 1", 2),
        (SECOND, "remove_noop_ops keeps aten.clone", 2),
        # In four of these cases it is `x * 1`: what a pass removes does not tell its changes apart.
        (
            SECOND,
            "constant_fold_uniform_value removes arithmetic that has no effect",
            10,
        ),
        (SECOND, "forward and backward together have more nodes, aten.ne (+1 node)", 2),
        (FIRST, "inlined instead of stored", 1),
        (
            FIRST,
            "inlined instead of computed by operations of their own in a fused kernel",
            2,
        ),
        (FIRST, "results of aten.cos + aten.tanh are stored instead of inlined", 1),
        (SECOND, "operators with one output no longer need a MultiOutput node", 3),
        (
            SECOND,
            "mask is cast by a function: a.cast<T, n>() -> inductor_vec_mask_cast<T, n>(a)",
            20,
        ),
        (
            SECOND,
            "integer arithmetic is unsigned, which cannot overflow … make_unsigned",
            7,
        ),
        (SECOND, "lanes past the end of a vector are filled … set(1, ", 1),
        (
            FIRST,
            "integer // and % are calls … remainder_integral(floor_divide_integral(",
            1,
        ),
        (
            SECOND,
            "Triton's own maximum and minimum in place of Inductor's",
            24,
        ),
        (SECOND, "triton_helpers.rand4x(a, b, XBLOCK) -> tl.rand(a, b)", 3),
        (FIRST, "tl.rand(a, b) -> triton_helpers.rand4x(a, b, XBLOCK)", 3),
        (
            SECOND,
            "online-softmax helper takes one more flag … is given 1 more argument: False",
            2,
        ),
        (SECOND, "sign test covers float64", 1),
        (SECOND, "load_checked_2d gains parameter INDEX_DTYPE", 1),
        (
            SECOND,
            "loops run over 1 dimension instead of 2: c0 + 512*c1 -> (c0 // 1024) + 512*(c0 % 1024)",
            1,
        ),
        (
            SECOND,
            "different strides of the result of getitem: [128, 1] -> contiguous",
            2,
        ),
        (SECOND, "guard on global state has a new field cuda_matmul_precision", 18),
        (FIRST, "Dynamo's own marks on tensors are guarded now", 18),
        (SECOND, "turns aten.add, aten.mm into aten.addmm", 1),
        (SECOND, "attention backend: cuDNN -> memory-efficient", 1),
        (FIRST, "max-autotune has 22 mm candidates instead of 21", 2),
        (
            FIRST,
            "torch no longer lists an option of a template … OUT_DTYPE='tl.float16'",
            3,
        ),
        (FIRST, "tail of a vectorised loop is scalar now", 1),
        (
            FIRST,
            "metadata of combo kernels, which do the work of several … autotune_grouping = True is new",
            4,
        ),
        (
            SECOND,
            "metadata of combo kernels, which do the work of several",
            3,
        ),
        (SECOND, "Inductor's IR has Switch in place of Conditional", 2),
        (
            SECOND,
            "torch._foreach_lerp_ in place of torch._foreach_addcmul_ + torch._foreach_sub",
            2,
        ),
        (FIRST, "loop bodies have 2 more casts", 2),
        (
            SECOND,
            "_native_batch_norm_legit_no_training is decomposed into rsqrt instead of mul, reciprocal, sqrt",
            2,
        ),
        (SECOND, "more inputs are checked for alignment … 2 -> 3", 5),
    ],
)
def test_what_torch_changed_reads_as_a_colleague_would_put_it(
    versions: tuple[str, str], words: str, least: int
) -> None:
    found = list(groups(words, versions))
    assert len(found) == 1, [group.text for group in step(*versions).groups]
    assert len(found[0].members) >= least


def test_a_new_class_of_inductors_ir_is_not_blamed_for_what_a_lowering_makes_of_it() -> (
    None
):
    (found,) = groups("Inductor's IR has Switch in place of Conditional", SECOND)
    assert found.where is None  # undoing the lowering of `cond` makes it go away


def test_a_wrapper_that_copies_more_inputs_is_reported_beside_an_earlier_change() -> (
    None
):
    (copies,) = groups("more inputs are checked for alignment", SECOND)
    (other,) = groups("tl.maximum(a, b, tl.PropagateNan.ALL)", SECOND)
    both = "cases/test_convolution.py::test_batch_norm_training[cuda-sm90]"
    assert both in copies.members and both in other.members
    # The function that chooses them may be the same in both torches.
    assert copies.where is None


@pytest.mark.parametrize(
    ("versions", "module", "words", "stages"),
    [
        (
            FIRST,
            "test_attention_patterns",
            "softmax checks that its inputs are finite",
            {"post_grad_graph"},
        ),
        (
            SECOND,
            "test_ahead_of_time",
            "launchKernel is given 1 more argument",
            {"wrapper_code", "aot_wrapper"},
        ),
        (
            SECOND,
            "test_machine_code",
            "machine code by other compilers",
            {"kernel_resources", "ptx", "sass"},
        ),
    ],
)
def test_one_change_is_reported_once_whatever_stage_shows_it(
    versions: tuple[str, str], module: str, words: str, stages: set[str]
) -> None:
    old, new = (_all_of(module, version) for version in versions)
    report = compare_recordings.report(old, new, *versions)
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
    report = compare_recordings.report(old, new, *SECOND)
    edits = [
        text
        for group in report.groups
        for text in (group.text, *group.edits)
        if "autocast_state" in text
    ]
    assert len(edits) == 1 and edits[0].startswith(
        "keys of torch's caches have other parts"
    )


def test_outputs_that_are_not_unpacked_are_one_change_wherever_it_shows() -> None:
    old, new = (_all_of("test_custom_operator", version) for version in SECOND)
    others, others_now = (_all_of("test_bucketize", version) for version in SECOND)
    sides = (
        replace(side, cases=side.cases + more.cases)
        for side, more in ((old, others), (new, others_now))
    )
    first, second = sides
    report = compare_recordings.report(first, second, *SECOND)
    (found,) = (group for group in report.groups if "MultiOutput node" in group.text)
    assert found.where == "torch/_inductor/ir.py:FallbackKernel.create"
    assert {
        nodeid.partition("[")[0].rpartition("::")[2] for nodeid in found.members
    } == {
        "test_bucketize",
        "test_custom_operator",
    }


def test_a_stages_edit_is_the_first_divergence_if_nothing_says_more() -> None:
    old, new = (_all_of("test_cache_key", version) for version in SECOND)
    report = compare_recordings.report(old, new, *SECOND)
    divergences = {
        case.divergence.text for case in report.cases if case.divergence is not None
    }
    assert any(
        text.startswith("cache_key: keys of torch's caches have other parts")
        for text in divergences
    )


@pytest.mark.parametrize(
    ("versions", "case", "stage", "label"),
    [
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


@pytest.mark.parametrize("versions", [FIRST, SECOND])
def test_each_step_reads_as_few_changes_none_of_which_is_a_digest(
    versions: tuple[str, str],
) -> None:
    report = step(*versions)
    texts = [text for group in report.groups for text in (group.text, *group.edits)]
    assert len(report.groups) <= 37
    assert sum(len(group.members) == 1 for group in report.groups) <= 15
    assert not [
        text
        for text in texts
        if re.search(r"tiling_scores|same size|gained|^\d+ -> \d+$", text)
    ]
    assert sum(case.outcome == "changed" for case in report.cases) == len(
        {nodeid for group in report.groups for nodeid in group.members}
    )


def test_the_verdict_comes_first_then_regressions_and_neutral_changes_take_one_line() -> (
    None
):
    report = step(*FIRST)
    # What changes results for a seed comes first, then errors and regressions, and hints last.
    first, *others = report.groups
    assert first.topic == "random" and others[0].worse and others[-1].topic == "hints"
    assert [each.worse for each in others] == sorted(
        (each.worse for each in others), reverse=True
    )
    for width in (80, 100, 200):
        lines = [text for _, text in terminal_report.render(report, width=width)]
        assert (
            lines[1] == lines[-1]
            and "5 regressions" in lines[1]
            and "distinct changes" in lines[1]
        )
        start = lines.index("changes that move no metric by 1 %:")
        assert all(len(line) < width for line in lines[start:-2])
        # The place of its step follows the change if the line has room for all of it.
        places = [
            line
            for line in lines[start:]
            if re.search(r"torch/_inductor/\S+\.py:\d+$", line)
        ]
        assert bool(places) == (width == 200)
        fused = next(
            at for at, line in enumerate(lines) if "fused into one kernel" in line
        )
        assert lines[fused + 1].startswith(
            "  bytes_accessed 1.5 MiB -> 1.0 MiB (-33 %), kernels 2 -> 1"
        )
    assert "(bytes_accessed +" in Counts.of(report).headline(width=300)
    assert len(Counts.of(report).headline(width=120)) < 120


def test_every_committed_change_has_an_edit() -> None:
    for versions in (FIRST, SECOND):
        for case in step(*versions).cases:
            assert case.outcome != "changed" or case.changes, case.nodeid
            assert all(change.text and change.key for change in case.changes), (
                case.nodeid
            )
