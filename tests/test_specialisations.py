"""What torch.compile decides about sizes that may vary, and when it gives up recompiling."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch import Tensor
from torch._dynamo import mark_dynamic

from pytest_compile_golden import capture
from pytest_compile_golden.facts.record import Environment, Record
from pytest_compile_golden.formats.graph_choices import SPECIALISATIONS
from pytest_compile_golden.formats.metrics import render
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


SIZED = (
    "graph_0:\n"
    + "".join(
        f"  symbol s{number}: L['x'].size()[{number}], 8 in [2, int_oo]\n"
        for number in range(4)
    )
    + "{}"
)
WINDOW = "s0*(PythonMod(s1 - (Mod(s2, s1)), s1))*((s3*s2*(s2//s1))//s0)"


def conditions_of(*conditions: str) -> str:
    """A text with these conditions, each asked for by a function of its own name or `infer_size`."""
    lines = (each.partition(" by ") for each in conditions)
    return SIZED.format(
        "".join(
            f"  guard {condition}  # f: x, by torch/_refs/__init__.py: {author or 'infer_size'}\n"
            for condition, _, author in lines
        )
    )


def told(old: str, new: str) -> list[str]:
    return [sentence(edit) for edit in SPECIALISATIONS.edits(old, new)]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            "Eq(s0*(s1//((s3*(s2//s1)*s0 + 1)//s2)), Max(1, s2 + s1))",
            "Eq((s1//((1 + s0*(s2//s1)*s3)//s2))*s0, Max(s1 + s2, 1))",
        ),
        ("s0*(s1 + s2) < s3**2", "s0*s2 + s1*s0 < s3*s3"),
        # Of so many terms that they are not listed.
        (
            "s3*(s0 + s1 + 1)**4*(s2 + 2)*(s1 + s2 + 3)**2 > 1",
            "(s1 + s2 + 3)*(s1 + 1 + s0)**4*s3*(s2 + s1 + 3)*(2 + s2) > 1",
        ),
        (
            "Mod(s0*s1, s2 + s3 + 1) >= (s0 % (s1*s2))",
            "Mod(s1*s0, 1 + s3 + s2) >= (s0 % (s2*s1))",
        ),
    ],
)
def test_a_condition_is_the_same_with_factors_and_summands_in_any_order(
    old: str, new: str
) -> None:
    one, other = conditions_of(old, "s0 > 4"), conditions_of(new, "s0 > 4")
    assert SPECIALISATIONS.canonical(one) == SPECIALISATIONS.canonical(other)
    more = conditions_of(new, "s0 > 4", "s1 < 9")
    assert told(one, more) == ["new condition on sizes: size1 < 9"]
    # With it once more, as torch does not know it in another order.
    again = conditions_of(old, "s0 > 4", new)
    assert SPECIALISATIONS.canonical(one) == SPECIALISATIONS.canonical(again)
    (graph,) = SPECIALISATIONS.document(again)
    assert len(graph.choices) == 4 + 3
    record = Record("cpu-avx2", "cpu", False, Environment("2.15.0", None, ""))
    record.add("specialisations", graph)
    assert render(record, "metrics").symbolic_guards == 2
    otherwise = conditions_of(old.replace("s3", "s2"), "s0 > 4")
    assert SPECIALISATIONS.canonical(one) != SPECIALISATIONS.canonical(otherwise)


def test_another_function_for_remainders_is_one_change_of_all_conditions() -> None:
    floored = WINDOW.replace("Mod", "PythonMod").replace("PythonPython", "Python")
    old = conditions_of(
        f"{floored} > 1",
        f"{WINDOW} > 1",
        f"{WINDOW} < 9",
        "Ne(Mod(s0, s1), 0)",
        "s0 < 9",
    )
    new = conditions_of(
        f"{floored} > 1", f"{floored} < 9", "Ne(PythonMod(s0, s1), 0)", "s1 < 9"
    )
    others = [
        "condition on sizes gone: size0 < 9",
        "new condition on sizes: size1 < 9",
    ]
    assert told(old, new) == [
        "% of sizes is PythonMod instead of Mod in conditions on them",
        *others,
    ]
    assert told(new, old)[0] == (
        "% of sizes is Mod instead of PythonMod in conditions on them"
    )


def test_conditions_that_are_written_from_the_other_side_are_the_same() -> None:
    old = conditions_of("2 < s0", "s1 >= s2*s0", "s0 < 9", "3 < s1")
    new = conditions_of("s0 > 2", "s0*s2 <= s1", "9 < s0", "3 <= s1")
    turned = "the same conditions on sizes, written from the other side"
    assert told(old, new) == [
        turned,
        "condition on sizes gone: size0 < 9",
        "condition on sizes gone: 3 < size1",
        "new condition on sizes: 9 < size0",
        "new condition on sizes: 3 <= size1",
    ]
    one, other = conditions_of("2 < s0"), conditions_of("s0 > 2")
    assert told(one, other) == [turned]
    assert SPECIALISATIONS.explains(one, other, {"conditions-turned"})
    assert not SPECIALISATIONS.explains(old, new, {"conditions-turned"})


def test_conditions_that_nobody_can_read_are_counted_by_what_asks_for_them() -> None:
    old = conditions_of(
        f"{WINDOW} > 1 by is_contiguous",
        f"{WINDOW} > 2 by is_contiguous",
        f"{WINDOW} > 3 by infer_size",
        "s0 < 9",
    )
    new = conditions_of(
        f"{WINDOW} > 4 by infer_size", f"{WINDOW} > 1 by is_contiguous", "s0 < 9"
    )
    assert told(old, new) == [
        "other conditions on sizes: 1 by infer_size",
        "fewer conditions on sizes: 1 by is_contiguous",
    ]
    (_, fewer) = SPECIALISATIONS.edits(old, new)
    assert fewer.where == "torch/_refs/__init__.py:is_contiguous"
    assert told(new, old)[1] == "more conditions on sizes: 1 by is_contiguous"


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
