"""What counts and what does not, on every golden of the suite: scripted rewrites, drawn by hypothesis."""

from __future__ import annotations

import functools
import random
import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pytest_compile_golden.formats import cpp_kernels
from pytest_compile_golden.formats.cpp_wrapper import is_wrapper
from pytest_compile_golden.formats.triton import triton_kernels
from pytest_compile_golden.formats.wrapper import WRAPPER
from pytest_compile_golden.goldens.golden_store import same_behaviour
from pytest_compile_golden.stages import get_stage
from tests.rewrites import COSMETIC, STRUCTURAL, Rewrite, goldens, kind

# The same draws in every run: no push should fail because of somebody else's.
_SETTINGS = settings(
    deadline=None,
    derandomize=True,
    max_examples=60,
    suppress_health_check=list(HealthCheck),
)


def bodies(of: str) -> list[tuple[str, str, str]]:
    """The bodies in the stage's own language: the rewrites do not handle wrappers in C++."""
    return [
        each
        for each in goldens()
        if kind(each[0]) == of and (of == "cpp_code" or not is_wrapper(each[2]))
    ]


def test_names_of_buffers_and_kernels_do_not_count_in_a_cpp_wrapper() -> None:
    for stage, path, body in goldens():
        if is_wrapper(body):
            renamed = re.sub(r"\bbuf(\d+)(?=_handle|\b)", r"b1\1", body).replace(
                "_fused_", "_other_"
            )
            assert renamed != body and same_behaviour(
                get_stage(stage), body, renamed
            ), path
            assert not same_behaviour(
                get_stage(stage), body, body.replace(".release()", ".get()")
            ), path
            shown = WRAPPER.significant(body, re.sub(r"\bbuf(\d+)\b", r"buf7\1", body))
            assert not shown.differ, path


def test_comments_do_not_count_in_an_exported_programs_signature() -> None:
    exported = [
        (path, body) for stage, path, body in goldens() if stage == "exported_graph"
    ]
    assert exported
    for path, body in exported:
        commented = body.replace("outputs = [", "# what comes out\noutputs = [")
        assert (
            same_behaviour(get_stage("exported_graph"), body, commented)
            and commented != body
        ), path


@pytest.mark.parametrize("of", COSMETIC)
def test_renaming_every_golden_changes_no_verdict(of: str) -> None:
    rename = COSMETIC[of][0]
    rng = random.Random(of)
    changed = 0
    for stage, path, body in bodies(of):
        renamed = rename(body, rng)
        assert renamed is not None
        changed += renamed != body
        assert same_behaviour(get_stage(stage), body, renamed), path
    assert changed > 0.5 * len(bodies(of))


@pytest.mark.parametrize("of", COSMETIC)
def test_a_renamed_overlay_differs_from_its_base_as_before(of: str) -> None:
    by_path = {path: (stage, body) for stage, path, body in bodies(of)}
    rng = random.Random(of)
    for path, (stage, body) in by_path.items():
        if "@" in path:
            base = path.partition("@")[0] + "." + path.rpartition(".")[2]
            if base not in by_path:  # an overlay of another target's golden
                base = base.replace("/cuda-sm100/", "/cuda-sm90/")
            renamed = COSMETIC[of][0](body, rng)
            assert renamed is not None
            verdicts = [
                same_behaviour(get_stage(stage), by_path[base][1], each)
                for each in (body, renamed)
            ]
            assert verdicts[0] == verdicts[1], path


@pytest.mark.parametrize("of", COSMETIC)
def test_renaming_comments_and_legal_reordering_are_cosmetic(of: str) -> None:
    texts = bodies(of)

    @_SETTINGS
    @given(
        st.sampled_from(texts),
        st.lists(st.sampled_from(COSMETIC[of]), min_size=1, max_size=3),
        st.randoms(),
    )
    def check(
        golden: tuple[str, str, str], rewrites: list[Rewrite], rng: random.Random
    ) -> None:
        stage, path, body = golden
        text = body
        for rewrite in rewrites:
            text = rewrite(text, rng) or text
        assert same_behaviour(get_stage(stage), body, text), (path, rewrites)

    check()


@pytest.mark.parametrize(
    ("of", "what"),
    [(of, what) for of, changes in STRUCTURAL.items() for what in changes],
)
def test_any_significant_change_is_structural(of: str, what: str) -> None:
    texts = bodies(of)
    change = STRUCTURAL[of][what]
    fits = [each for each in texts if change(each[2], random.Random(0)) is not None]
    assert fits, "no golden has anything to change in this way"

    @settings(_SETTINGS, max_examples=25)
    @given(st.sampled_from(fits), st.randoms())
    def check(golden: tuple[str, str, str], rng: random.Random) -> None:
        stage, path, body = golden
        text = change(body, rng)
        assert text is not None
        assert not same_behaviour(get_stage(stage), body, text), path

    check()


@pytest.mark.parametrize(
    ("of", "read"),
    [("triton_code", triton_kernels.form), ("cpp_code", cpp_kernels.tokens)],
)
def test_kernels_that_two_texts_share_are_read_once(
    of: str, read: functools._lru_cache_wrapper[object]
) -> None:
    comment = get_stage(of).comment
    old = max(
        (body for stage, _, body in goldens() if stage == of),
        key=lambda body: body.count(f"\n{comment} graph_"),
    )
    several = old.count(f"\n{comment} graph_") + 1
    start = old.rindex(f"\n{comment} graph_")
    new = old[:start] + old[start:].replace("tmp0", "tmp1")
    assert several > 2 and old != new
    read.cache_clear()
    assert not same_behaviour(get_stage(of), old, new)
    # The empty text before the first title, and the kernel that changed.
    assert read.cache_info().misses == several + 2
