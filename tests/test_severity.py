"""What a change does to its case, by its code: it fails it, is noted, or is ignored; nothing without a code passes."""

from __future__ import annotations

from tests.paper import PaperProject

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

from pytest_compile_golden.changes.kernels import LoadHintChanged
from pytest_compile_golden.formats.dynamo import GuardsFormat
from pytest_compile_golden.formats.triton import TritonFormat


class PaperKernels(PaperText, TritonFormat):
    pass


class PaperGuards(PaperText, GuardsFormat):
    pass


class Careless(PaperText):
    def edits(self, old, new):
        return (LoadHintChanged("tl.load", "eviction_policy", "", "evict_last"),)


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
NOTED = "noted, and written by the next --snapshot-update: hints-changed in 1 case."


def drawn(paper: PaperProject, mark: str = "", **texts: str) -> None:
    """One case, as if its compile gave these texts."""
    conftest = paper.path / "conftest.py"
    if STAGES not in conftest.read_text():
        conftest.write_text(conftest.read_text() + STAGES)
        ini = paper.path / "tox.ini"
        ini.write_text(ini.read_text().replace("ink, press, tally", "ink, press, tally, kernels, seals, smudge"))
    given = ", ".join(f"{stage}={text!r}" for stage, text in texts.items())
    paper.test(CASE.format(mark=mark and f"@pytest.mark.compile_golden({mark})", texts=given))


def test_a_hint_is_noted_and_written_by_the_next_update(paper: PaperProject) -> None:
    drawn(paper, kernels=KERNEL)
    paper.update().assert_outcomes(passed=1)
    before = paper.files()
    drawn(paper, kernels=KERNEL.replace("evict_last", "evict_first"))
    result = paper.run()
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["1 case: 0 as before, 0 changed, 1 noted (1 distinct change).", NOTED])
    assert paper.files() == before
    strict = paper.run("--compile-golden-strict")
    strict.assert_outcomes(failed=1)
    strict.stdout.no_fnmatch_line("*, 1 noted*")
    paper.update().assert_outcomes(passed=1)
    assert "evict_first" in paper.files()["cases/test_paper/test_page/paper-gpu/kernels.py"]
    paper.run().stdout.fnmatch_lines(["1 case: 1 as before, 0 changed."])


def test_a_hint_does_not_hide_what_is_computed(paper: PaperProject) -> None:
    drawn(paper, kernels=KERNEL)
    paper.update().assert_outcomes(passed=1)
    drawn(paper, kernels=KERNEL.replace("evict_last", "evict_first").replace("* 2.0", "* 3.0"))
    paper.run().assert_outcomes(failed=1)


def test_what_the_edits_overlook_fails(paper: PaperProject) -> None:
    """All that the format says of the two texts is a hint, but they differ in more."""
    drawn(paper, smudge="one\n")
    paper.update().assert_outcomes(passed=1)
    drawn(paper, smudge="two\n")
    paper.run().assert_outcomes(failed=1)


def test_a_hint_in_one_stage_does_not_hide_a_change_of_another(paper: PaperProject) -> None:
    drawn(paper, ink="black\n", kernels=KERNEL)
    paper.update().assert_outcomes(passed=1)
    drawn(paper, ink="blue\n", kernels=KERNEL.replace("evict_last", "evict_first"))
    result = paper.run()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([NOTED])


def test_the_nearest_of_test_and_project_says_what_a_code_does(paper: PaperProject) -> None:
    drawn(paper, kernels=KERNEL)
    paper.update().assert_outcomes(passed=1)
    changed = KERNEL.replace("evict_last", "evict_first")
    drawn(paper, kernels=changed)
    paper.run("-o", "compile_golden_select=hints*").assert_outcomes(failed=1)
    ignoring = ("-o", "compile_golden_ignore=hints-changed size-hints")
    result = paper.run(*ignoring)
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["1 case: 1 as before, 0 changed.", "ignored: hints-changed in 1 case."])
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


def test_a_number_with_a_better_direction_fails_and_one_that_only_counts_is_noted(paper: PaperProject) -> None:
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


def test_a_code_that_does_not_exist_is_an_error_with_the_nearest(paper: PaperProject) -> None:
    drawn(paper, kernels=KERNEL)
    nearest = "*there is no code of a change 'hint-changed'; did you mean 'hints-changed'*"
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
    paper.run(pending).assert_outcomes(passed=1)
