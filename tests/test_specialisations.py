"""What torch.compile decides about sizes that may vary, and when it gives up recompiling."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch import Tensor
from torch._dynamo import mark_dynamic

from pytest_compile_golden import capture
from pytest_compile_golden.formats.graph_choices import SPECIALISATIONS
from pytest_compile_golden.messages.sentences import sentence
from tests.forked import Forks, RunInProject


def reshaped(x: Tensor, y: Tensor) -> Tensor:
    total = x + y
    return total.relu() if x.shape[1] == 16 else total


PAIR = torch.randn(8, 16), torch.randn(8, 16)


@pytest.mark.parametrize("target", ["cuda-sm90", "cpu-avx2"])
def test_a_constant_is_reported_with_torchs_reason_and_the_line(target: str) -> None:
    decided = capture(reshaped, *PAIR, dynamic=True, target=target)["specialisations"]
    assert decided.of_kind("symbol") == (
        "s77: L['x'].size()[0], 8 in [2, int_oo]",
        "s27: L['x'].size()[1], 16 in [2, int_oo]",
    )
    assert decided.of_kind("shared") == (
        "s77: L['y'].size()[0]",
        "s27: L['y'].size()[1]",
    )
    (constant,) = [choice for choice in decided.choices if choice.kind == "specialised"]
    assert constant.what == "s27 = 16" and constant.why == "range_refined_to_singleton"
    code = "reshaped: return total.relu() if x.shape[1] == 16 else total"
    assert (
        constant.comment
        == f"{code}, by torch/_dynamo/variables/tensor.py: evaluate_expr"
    )
    assert constant.line is not None and constant.line[0] == code
    assert constant.line[1].startswith("test_specialisations.py:")


def test_names_of_symbols_do_not_count_but_conditions_do() -> None:
    text = str(capture(reshaped, *PAIR, dynamic=True)["specialisations"])
    same = text.replace("s77", "s5").replace("# reshaped", "# moved")
    assert SPECIALISATIONS.canonical(same) == SPECIALISATIONS.canonical(text)
    other = text.replace("Eq(s27, 16)", "Eq(s77, 16)")
    assert SPECIALISATIONS.canonical(other) != SPECIALISATIONS.canonical(text)
    labels = {sentence(edit) for edit in SPECIALISATIONS.edits(text, other)}
    assert labels == {
        "condition on sizes gone: size1 == 16",
        "new condition on sizes: size0 == 16",
    }


def test_the_order_of_symbols_does_not_count() -> None:
    symbols = (
        "s16: L['k'], 5 in [-int_oo, int_oo]",
        "s27: L['x'].size()[1], 64 in [2, int_oo]",
    )
    guard = "  guard s16 <= s27  # f: return x[:, k:]\n"
    texts = [
        "graph_0:\n" + "".join(f"  symbol {one}\n" for one in each) + guard
        for each in (symbols, symbols[::-1])
    ]
    assert SPECIALISATIONS.canonical(texts[0]) == SPECIALISATIONS.canonical(texts[1])
    other = SPECIALISATIONS.edits(
        texts[0], texts[1].replace("s16 <= s27", "s27 <= s16")
    )
    assert [sentence(edit) for edit in other] == [
        "condition on sizes gone: size0 <= size1",
        "new condition on sizes: size1 <= size0",
    ]


def test_static_programs_have_no_symbols_and_their_numbers_are_zero() -> None:
    captured = capture(reshaped, *PAIR)
    assert str(captured["specialisations"]) == "no symbolic sizes\n"
    assert captured.metrics.symbolic_guards == captured.metrics.specialisations == 0


@pytest.mark.parametrize("target", ["cuda-sm90", "cpu-avx2"])
def test_marks_on_tensors_made_outside_apply_on_the_target(target: str) -> None:
    x = torch.randn(8, 16)
    mark_dynamic(x, 0, min=4, max=64)
    decided = capture(lambda x: x * x.shape[0], x, target=target)["specialisations"]
    assert decided.symbols == ("s77: L['x'].size()[0], 8 in [4, 64]",)
    assert [choice.why for choice in decided.choices] == ["mark_dynamic"]


def test_a_view_keeps_its_marks_on_a_virtual_gpu() -> None:
    x = torch.randn(16, 8).t()
    mark_dynamic(x, 0)
    assert capture(torch.sin, x)["specialisations"].symbols


def test_lengths_of_a_nested_tensor_are_symbols_too() -> None:
    """torch uses keyword arguments there (torch/_subclasses/fake_tensor.py: create_symbolic_nested_int)."""

    def f(values: Tensor, offsets: Tensor) -> Tensor:
        return torch.nested.nested_tensor_from_jagged(values, offsets).sin().values()

    captured = capture(
        f, torch.randn(30, 4), torch.tensor([0, 5, 30]), target="cpu-avx2", dynamic=True
    )
    assert captured["specialisations"].symbols and not captured.unavailable


def test_a_recompilation_counts_once_however_many_compilations_do_not_fit() -> None:
    calls = [(torch.randn(n, 16),) for n in (2, 3, 4)]
    captured = capture(torch.sin, calls=calls, dynamic=False)
    assert captured.metrics.recompiles == 2
    assert captured["recompiles"].limits == ()
    assert str(captured["recompiles"]).count("size mismatch") == 3


def test_the_limit_is_reported_and_is_not_a_recompilation() -> None:
    calls = [(torch.randn(n, 16),) for n in (2, 3, 4)]
    captured = capture(
        torch.sin, calls=calls, dynamic=False, config={"dynamo.recompile_limit": 1}
    )
    assert captured["recompiles"].limits == ("recompile_limit = 1",)
    assert (
        "not compiled, recompile_limit = 1 reached: runs eagerly from here on"
        in str(captured["recompiles"])
    )
    assert captured.metrics.recompiles == 0 and captured.metrics.graphs == 1


@pytest.mark.wide
def test_the_text_is_the_same_in_every_process(
    tmp_path: Path, forks_with_bare_torch: Forks, forks_on_another_machine: Forks
) -> None:
    script = tmp_path / "program.py"
    script.write_text(
        "import torch\n"
        "from pytest_compile_golden import capture\n"
        "f = lambda x, y: (x @ y).view(-1, 4)[: x.shape[0]]\n"
        "print(capture(f, torch.randn(8, 16), torch.randn(16, 8), dynamic=True)['specialisations'])\n"
    )
    done = [
        forks.run_script(tmp_path, script)
        for forks in (forks_with_bare_torch, forks_on_another_machine)
    ]
    assert [result.ret for result in done] == [0, 0], [
        result.stderr.str() for result in done
    ]
    texts = {result.stdout.str() for result in done}
    assert len(texts) == 1 and "guard" in texts.pop()


DYNAMIC = """
import torch
import pytest


def joined(x, y):
    total = x + y
    return total.relu() if CONDITION else total


@pytest.mark.compile_golden(target="cpu-avx2")
@pytest.mark.parametrize("dynamic", [False, True])
def test_joined(compile_stages, golden, dynamic):
    assert compile_stages(joined, torch.randn(8, 16), torch.randn(8, 16), dynamic=dynamic) == golden
"""


def test_conditions_on_sizes_are_a_golden_where_sizes_may_vary(
    project: pytest.Pytester, compiling: RunInProject
) -> None:
    project.makepyfile(test_sizes=DYNAMIC.replace("CONDITION", "x.shape[0] < 4000"))
    assert compiling("--snapshot-update").ret == 0
    goldens = list((project.path / "goldens").rglob("specialisations.txt"))
    assert [path.parts[-3] for path in goldens] == ["test_joined[True]"]

    # As if torch had required less.
    guard = next(
        line
        for line in goldens[0].read_text().splitlines(keepends=True)
        if "4000" in line
    )
    goldens[0].write_text(goldens[0].read_text().replace(guard, ""))
    metrics = goldens[0].with_name("metrics.toml")
    count = int(
        next(
            line
            for line in metrics.read_text().splitlines()
            if "symbolic_guards" in line
        ).split()[-1]
    )
    metrics.write_text(
        metrics.read_text().replace(
            f"symbolic_guards = {count}", f"symbolic_guards = {count - 1}"
        )
    )

    result = compiling("--compile-golden-report=report.md")
    result.assert_outcomes(failed=1, passed=1)
    result.stdout.fnmatch_lines(
        [
            "  first divergence  specialisations: new condition on sizes: size0 < 4000   torch/_dynamo/*"
        ]
    )
    heading = next(
        line
        for line in (project.path / "report.md").read_text().splitlines()
        if "condition on sizes" in line
    )
    assert "new condition on sizes: size0 < 4000" in heading
    result.stdout.fnmatch_lines([f"*symbolic_guards *{count - 1} -> {count}*"])
    assert "torch/_dynamo/" in heading  # the code that required it
