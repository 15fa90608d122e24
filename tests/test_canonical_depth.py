"""What a change is about, and what a diff of it shows."""

from __future__ import annotations

import difflib
import random
import re
from pathlib import PurePosixPath

import pytest

from pytest_compile_golden.goldens.compare_artifact import Compared, compare
from pytest_compile_golden.goldens.golden_header import Header
from pytest_compile_golden.goldens.golden_paths import GoldenPath
from pytest_compile_golden.goldens.golden_store import StoredGolden
from pytest_compile_golden.report.case_report import case_report
from pytest_compile_golden.report.failure_text import Failure, render
from pytest_compile_golden.stages import get_stage
from tests.rewrites import COSMETIC, GOLDENS, STRUCTURAL, kind

CASE = "cases/test_models/test_gpt_block"


def body(stage: str, target: str = "cuda-sm90") -> str:
    path = next((GOLDENS / CASE / target).glob(f"{stage}.*"))
    return path.read_text().partition("\n\n")[2]


def changed(stage: str, what: str, text: str) -> str:
    new = STRUCTURAL[kind(stage)][what](text, random.Random(0))
    assert new is not None
    return new


@pytest.mark.parametrize(
    ("stage", "target", "what", "about"),
    [
        ("post_grad_graph", "cuda-sm90", "operator", "operators"),
        ("post_grad_graph", "cuda-sm90", "stride", "operators"),
        ("scheduler_nodes", "cuda-sm90", "fusion", "fusion"),
        ("scheduler_nodes", "cuda-sm90", "index", "memory"),
        ("triton_code", "cuda-sm90", "an extra kernel", "fusion"),
        ("triton_code", "cuda-sm90", "pointer", "arithmetic"),
        ("triton_code", "cuda-sm90", "operator", "arithmetic"),
        ("triton_code", "cuda-sm90", "eviction", "hints"),
        ("cpp_code", "cpu-avx2", "index", "memory"),
        ("cpp_code", "cpu-avx2", "operator", "arithmetic"),
    ],
)
def test_what_a_change_is_about_is_what_its_edits_are_about(
    stage: str, target: str, what: str, about: str
) -> None:
    text = body(stage, target)
    path = PurePosixPath(f"a/{stage}.{get_stage(stage).extension}")
    change = Compared(
        stage, "structural", text, changed(stage, what, text), "2.13.0", path
    )
    assert change.about == about


def test_the_report_names_the_depth() -> None:
    compared = []
    for name, what in (("post_grad_graph", "operator"), ("triton_code", "eviction")):
        stage, text = get_stage(name), body(name)
        path = GoldenPath(GOLDENS.relative_to(GOLDENS) / "case", name, stage.extension)  # type: ignore[arg-type]
        golden = StoredGolden(path.versionless, Header(name, "2.13.0", None), text)
        new = changed(name, what, text)
        compared.append(compare(stage, path, golden, new))
    lines = [
        text
        for _, text in render(
            Failure(case_report("case", "cuda-sm90", compared), "2.13.0")
        )
    ]
    assert lines[1].split(maxsplit=2) == [
        "first",
        "divergence",
        "post_grad_graph: graph calls aten.sub_other in place of aten.sub",
    ]
    assert lines[2].split(maxsplit=1) == ["then", "triton_code (hints)"]


@pytest.mark.parametrize(
    ("stage", "target", "what"),
    [
        ("post_grad_graph", "cuda-sm90", "operator"),
        ("triton_code", "cuda-sm90", "eviction"),
        ("scheduler_nodes", "cuda-sm90", "index"),
        ("passes", "cuda-sm90", "operators"),
    ],
)
def test_a_diff_shows_what_counts_and_nothing_else(
    stage: str, target: str, what: str
) -> None:
    """Everything renamed and one thing changed: one line in the diff."""
    old = body(stage, target)
    rng = random.Random(1)
    new = changed(stage, what, old)
    if stage == "triton_code":
        new = re.sub(r"\btmp(\d+)\b", lambda found: f"tmp{int(found[1]) + 7}", new)
        new = new.replace("'autotune_hints': set()", "'autotune_hints': ()")
    elif stage == "scheduler_nodes":
        new = re.sub(
            r"(?<![a-z])(buf|op)(\d+)",
            lambda found: f"{found[1]}{int(found[2]) + 7}",
            new,
        )
    else:
        new = COSMETIC[kind(stage)][0](new, rng) or new
    shown = get_stage(stage).format.significant(old, new)
    assert shown is not None
    lines = [
        line
        for line in difflib.unified_diff(shown.old, shown.new, n=0, lineterm="")
        if line[:2] not in ("--", "++", "@@")
    ]
    assert [line[0] for line in lines] == ["-", "+"], lines


def test_a_diff_never_mistakes_a_new_value_for_an_old_one() -> None:
    old = "def graph_0(x: f32[4]):\n    a = aten.sin.default(x)\n    return (a,)\n"
    new = "def graph_0(x: f32[4]):\n    b = aten.sin.default(x)\n    a = aten.cos.default(b)\n    return (a,)\n"
    shown = get_stage("post_grad_graph").format.significant(old, new)
    assert shown is not None and shown.old == old.splitlines()
    assert shown.new[1:3] == [
        "    a = aten.sin.default(x)",
        "    a_ = aten.cos.default(a)",
    ]


LOOPS = """# graph_0: triton_mm
@triton.jit
def triton_mm(A, B, K, out_ptr0):
    acc = 0
    for {one} in range(K, 0, -1):
        acc += tl.load(A + {one})
    for {other} in range(K, 0, -1):
        acc += tl.load(B + {read})
    tl.store(out_ptr0, acc{after})
"""


def test_loops_may_share_a_variable_or_have_their_own() -> None:
    form = get_stage("triton_code").format
    apart = LOOPS.format(one="k1", other="k2", read="k2", after="")
    assert form.canonical(apart) == form.canonical(
        LOOPS.format(one="k", other="k", read="k", after="")
    )
    # The second loop reads the variable of the first; what is left of a variable is read after its loop.
    assert form.canonical(apart) != form.canonical(
        LOOPS.format(one="k1", other="k2", read="k1", after="")
    )
    left = [
        LOOPS.format(one=one, other="k2", read="k2", after=" + k2")
        for one in ("k1", "k2")
    ]
    assert form.canonical(left[0]) != form.canonical(left[1])
