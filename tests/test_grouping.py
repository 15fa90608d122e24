"""Grouping by what changed: the same edit in many kernels is one, and nothing else is."""

from __future__ import annotations

import re
import time
from itertools import pairwise
from pathlib import Path, PurePosixPath

import pytest

from pytest_compile_golden.formats.edits import edits, with_comments_of
from pytest_compile_golden.formats.metrics.compare import changes as metric_changes
from pytest_compile_golden.goldens import history
from pytest_compile_golden.goldens.change_groups import distinct_change, group_changes
from pytest_compile_golden.goldens.compare import Change

GOLDENS = Path(__file__).parents[1] / "goldens" / "cases"

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
"""


def structural(old: str, new: str, stage: str = "triton_code") -> Change:
    return Change(stage, "structural", old, new, "2.13.0", PurePosixPath("x/triton_code.py"))


def labels(old: str, new: str) -> list[str]:
    return [edit.label for edit in edits(old, new, "#")]


def other_kernel(text: str, start: int) -> str:
    """The same code in another place: other value numbers, names and sizes."""
    text = re.sub(r"\btmp(\d+)", lambda match: f"tmp{int(match[1]) + start}", text)
    return (
        text.replace("4096", str(64 * start))
        .replace("add_relu_0", f"mul_view_{start}")
        .replace("in_ptr0", f"in_ptr{start}")
    )


def evict(text: str) -> str:
    return text.replace("(x0), None)\n    tmp", "(x0), None, eviction_policy='evict_first')\n    tmp", 1)


def test_forty_kernels_that_gained_an_eviction_policy_are_one_group() -> None:
    kernels = [other_kernel(KERNEL, number) for number in range(2, 42)]
    found = group_changes((structural(kernel, evict(kernel)), number) for number, kernel in enumerate(kernels))
    assert [len(each.members) for each in found] == [40]
    assert found[0].distinct.edits == ("tl.load gained eviction_policy='evict_first'",)


@pytest.mark.parametrize(
    ("old", "new", "label"),
    [
        ("tmp0 - tmp1", "tmp0 + tmp1", "- -> +"),
        ("tmp2 = tmp0 - tmp1", "tmp2 = triton_helpers.maximum(tmp0, tmp1)", "gained"),
        ("xnumel = 4096", "xnumel = 8192", "xnumel: 4096 -> 8192"),
        ("tl.program_id(0)", "tl.program_id(1)", "tl.program_id: 0 -> 1"),
        ("(x0), tmp2, None)", "(x0), tmp2, xmask)", "tl.store: None -> xmask"),
        ("tmp0 - tmp1", "tmp1 - tmp0", "tmp0 - tmp1 -> "),
        ("tmp0 - tmp1", "tmp0 - tmp0", "tmp0 - tmp1 -> "),
        ("    tmp1 = tl.load(in_ptr1 + (x0), None)\n", "", "- tmp = tl.load"),
    ],
)
def test_an_edit_says_what_changed_and_no_more(old: str, new: str, label: str) -> None:
    assert KERNEL.count(old) == 1
    found = labels(KERNEL, KERNEL.replace(old, new))
    assert label in found[0]
    evicted = distinct_change(structural(KERNEL, evict(KERNEL)))
    assert distinct_change(structural(KERNEL, KERNEL.replace(old, new))).key != evicted.key


def test_same_operation_on_other_values_is_never_alike_by_accident() -> None:
    both = KERNEL.replace("tmp0 - tmp1", "tmp1 - tmp0")
    one, other = (distinct_change(structural(KERNEL, evict(text))) for text in (KERNEL, both))
    assert one.key != other.key


def test_consistent_new_names_are_no_edit_beside_one() -> None:
    old = KERNEL
    new = evict(other_kernel(KERNEL, 5).replace("320", "4096").replace("in_ptr5", "in_ptr0"))
    assert labels(old, new) == ["tl.load gained eviction_policy='evict_first'"]


def test_only_names_differ() -> None:
    assert labels("computes add_8\n", "computes add_7\n") == ["renamed add_8 -> add_7"]
    assert labels("x = 1  # one\n", "x = 1  # two\n") == []


def test_dtypes_and_devices_are_no_value_names() -> None:
    assert labels("add: f32[4] = f(x)\n", "add: f16[4] = f(x)\n") != []
    assert labels("y = f(x, target=sm80)\n", "y = f(x, target=sm90)\n") != []


def test_metrics_group_by_direction_and_new_goldens_are_one_way() -> None:
    def metric(old: int, new: int) -> Change:
        numbers = metric_changes({"kernels": old}, {"kernels": new})
        return Change("metrics", "metric", "", "", None, PurePosixPath("m.toml"), numbers)

    assert distinct_change(metric(1, 2)).key == distinct_change(metric(3, 9)).key != distinct_change(metric(2, 1)).key
    new = [Change(stage, "new", "", "x", None, PurePosixPath(stage)) for stage in ("metrics", "passes")]
    assert len(group_changes((each, None) for each in new)) == 1


def committed() -> list[tuple[Change, str]]:
    """Every golden of 2.14 and 2.15 in this project's own against the one before it."""
    pairs = []
    for folder in history.cases(GOLDENS):
        for each in history.series(GOLDENS, folder):
            for old, new in pairwise(each.goldens):
                if new.release in ("2.14", "2.15") and old.body and new.body:
                    kind = "metric" if new.path.suffix == ".toml" else "structural"
                    path = PurePosixPath(each.stem).with_suffix(new.path.suffix)
                    change = Change(each.stem, kind, old.body, new.body, "2.13.0", path)  # type: ignore[arg-type]
                    pairs.append((change, str(folder)))
    return pairs


def test_what_torch_2_15_does_otherwise_is_read_once() -> None:
    kernels = [pair for pair in committed() if pair[0].stage == "triton_code"]
    found = group_changes(kernels)
    assert len(kernels) > 20 and len(found) <= len(kernels) / 2
    by_edit = {edit: each for each in found for edit in each.distinct.edits if len(each.distinct.edits) == 1}
    maximum = "triton_helpers.maximum -> tl.maximum; tl.maximum gained tl.PropagateNan.ALL"
    assert len(by_edit[maximum].members) >= 5
    assert {"test_reduction/test_softmax/cuda-sm90"} <= set(
        by_edit["triton_helpers.max2 -> triton_helpers.fmax2"].members
    )
    # Bookkeeping that every kernel has is not what changed.
    assert not any("autotune_hints" in edit for each in found for edit in each.distinct.edits)


def test_every_committed_change_has_an_edit_and_grouping_is_quick() -> None:
    pairs = [pair for pair in committed() if pair[0].kind == "structural"]
    for change, case in pairs:
        its = distinct_change(change)
        assert its.edits and all(its.edits), case
        assert distinct_change(change).key == its.key


def test_a_file_that_was_rewritten_is_alike_only_to_itself() -> None:
    old, new = "".join(f"a = {n}\n" for n in range(3000)), "".join(f"b = {n}\n" for n in range(3000))
    assert len(labels(old, new)) == 1
    assert labels(old, new) != labels(old, new + "c\n")


def test_long_texts_of_equal_lines_are_quick() -> None:
    start = time.perf_counter()
    assert labels("a\n" * 1900, "b\n" * 1900) == ["a -> b"]
    assert time.perf_counter() - start < 2


def test_shown_diff_leaves_out_comments_that_alone_differ() -> None:
    old, new = "a = 1  # x.py:1\nb = 2  # x.py:2\n", "a = 1  # x.py:7\nb = 3  # x.py:8\nc = 4\n"
    assert with_comments_of(old, new, "#") == "a = 1  # x.py:1\nb = 3  # x.py:8\nc = 4\n"
