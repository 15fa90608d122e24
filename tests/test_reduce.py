"""`compile-golden reduce`: the smallest program that shows what differs between two interpreters, or what fails."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from pytest_compile_golden.errors import CompileGoldenError
from pytest_compile_golden.features.reduce import (
    interestingness,
    reproducer,
    simplifications,
)
from pytest_compile_golden.features.reduce.options_as_code import options_of
from pytest_compile_golden.features.reduce.program_search import TriedBefore
from pytest_compile_golden.features.reduce.reduce_protocol import Describe, TriedProgram
from pytest_compile_golden.features.reduce.reduction import Reduction
from pytest_compile_golden.features.reduce.reduction_result import AloneRun, Reduced
from pytest_compile_golden.features.reduce.small_program import (
    SmallProgram,
    pruned,
    read,
    with_number,
    writes,
)
from pytest_compile_golden.features.reduce.torch_process import TorchProcess
from pytest_compile_golden.goldens.case_files import StoredArtifact
from pytest_compile_golden.observe.compile_options import CompileOptions
from pytest_compile_golden.report import json_report, markdown, small_programs
from pytest_compile_golden.report.case_groups import grouped, told_apart
from pytest_compile_golden.report.model import (
    CaseGroup,
    CaseReport,
    Report,
    ReportedChange,
    Side,
)
from pytest_compile_golden.targets import current_context
from pytest_compile_golden.targets.process_group import Ranks
from tests.forked import Forks
from tests.interpreters import path_with, with_default

PROGRAM = SmallProgram(
    inputs=(
        ("x", "torch.randn(96, 64)"),
        ("y", "torch.randn(96, 64)"),
        ("unread", "torch.randn(3)"),
    ),
    body=(
        "exp = x.exp()",
        "sum_1 = exp + y",
        "exp.add_(1)",
        "sine = sum_1.sin(dim=1)",
        "size = x.shape[0]",
    ),
    results=("sine", "exp"),
    options=(
        ("train", "True"),
        ("config:max_fusion_size", "4"),
        ("config:epilogue_fusion", "False"),
    ),
)
TYPES = dict.fromkeys(("x", "y", "exp", "sum_1", "sine"), "torch.randn(96, 64)")


def functions(programs: Iterator[SmallProgram]) -> list[str]:
    return [program.function for program in programs]


def test_the_text_defines_what_a_capture_takes() -> None:
    text = pruned(PROGRAM).text
    assert "size =" not in text and "unread" not in text, (
        "what nothing reads is left out"
    )
    assert "exp.add_(1)" in text, "what writes into a tensor is kept"
    assert (
        "options = {'train': True, 'config': {'max_fusion_size': 4, 'epilogue_fusion': False}}"
        in text
    )
    single = SmallProgram(
        inputs=(("x", "torch.ones(2)"),),
        body=("a = x + 1", "b = a * 2"),
        results=("b",),
    )
    assert single.function == "def program(x):\n    a = x + 1\n    return a * 2"
    assert (single.lines, single.operators) == (3, 2)


def test_what_a_statement_reads_and_writes() -> None:
    assert read("a = f(b, c=d)[e]") == {"f", "b", "d", "e"}
    assert [
        *map(
            writes,
            ("a = b.add(1)", "a = b.add_(1)", "a[0] = b", "torch.add(a, b, out=c)"),
        )
    ] == [
        False,
        True,
        True,
        True,
    ]
    assert with_number("torch.randn(64, 6, 64)", 64, 8) == "torch.randn(8, 6, 8)"


def test_each_step_makes_a_program_smaller() -> None:
    assert (
        "def program(x):\n    exp = x.exp()\n    exp.add_(1)\n    return exp"
        in functions(simplifications.fewer_results(PROGRAM, TYPES))
    )
    assert any(
        "return sum_1" in text or "return exp + y" in text
        for text in functions(simplifications.shorter(PROGRAM, TYPES))
    )
    given = [*simplifications.later(PROGRAM, TYPES)]
    assert any(("exp", "torch.randn(96, 64)") in program.inputs for program in given)
    assert any(
        "exp = x.exp()" not in program.body and "sum_1 = x + y" in program.body
        for program in simplifications.bypassed(PROGRAM, TYPES)
    )
    assert any(
        "x + x" in text or "exp + x" in text
        for text in functions(simplifications.merged_inputs(PROGRAM, TYPES))
    )
    assert any(
        "sum_1.sin()" in text
        for text in functions(simplifications.fewer_arguments(PROGRAM, TYPES))
    )
    assert (("train", "True"),) in [
        program.options for program in simplifications.fewer_options(PROGRAM, TYPES)
    ]
    assert any(
        program.inputs[0][1] == "torch.randn(8, 64)"
        for program in simplifications.smaller_sizes(PROGRAM, TYPES)
    )
    special = SmallProgram(
        inputs=(
            (
                "x",
                "torch.randn(2, 3, dtype=torch.bfloat16, requires_grad=True).permute(1, 0)",
            ),
        ),
        body=("y = x + 1",),
        results=("y",),
    )
    assert [
        program.inputs[0][1] for program in simplifications.simpler_inputs(special, {})
    ] == [
        "torch.randn(2, 3, requires_grad=True).permute(1, 0)",
        "torch.randn(2, 3, dtype=torch.bfloat16, requires_grad=True)",
        "torch.randn(2, 3, dtype=torch.bfloat16).permute(1, 0)",
    ]


def test_inputs_get_short_names_in_the_order_of_their_use() -> None:
    program = SmallProgram(
        inputs=(("weight_of_all", "torch.ones(2)"), ("activation", "torch.ones(2)")),
        body=("x = activation * 2", "y = x + weight_of_all"),
        results=("y",),
    )
    assert (
        simplifications.tidied(program).function
        == "def program(x_input, y):\n    x = x_input * 2\n    return x + y"
    )


def test_what_nothing_reads_has_no_name_and_no_import() -> None:
    program = SmallProgram(
        imports=("import operator", "import math"),
        inputs=(("x", "torch.ones(2)"),),
        body=(
            "before = x.clone()",
            "copy_ = x.copy_(math.pi)",
            "y = before.add_operator(x)",
        ),
        results=("y",),
    )
    tidied = simplifications.tidied(program)
    assert tidied.imports == ("import math",)
    assert tidied.body == (
        "before = x.clone()",
        "x.copy_(math.pi)",
        "y = before.add_operator(x)",
    )


def test_the_sign_is_a_word_of_the_change_that_only_one_side_has() -> None:
    found = reproducer.sign(
        "code",
        "tl.max2(a) tl.load(b) buf12",
        "tl.fmax2(a) tl.load(b) tl.load(c) buf13",
        ["fmax2"],
    )
    assert found is not None and (found.word, found.before, found.after) == (
        "tl.fmax2",
        "0",
        "1",
    )
    named = reproducer.identifiers("+ not math.isnan(L['scale']) in 2 of aten._to_copy")
    assert named == ["math.isnan", "aten._to_copy", "scale"]
    assert reproducer.sign("code", "one two\n# three", "one two\n# four", []) is None
    found = reproducer.sign("code", "a(1)\nb(2) + 10", "a(1)\nb(2) + 20", [])
    assert (
        found is not None and found.expression("text") == 'text.count("b(2) + 10")'
    ), "a line, if no word differs"
    found = reproducer.sign(
        "code", "auto a1 = b1;\nauto a2 = c1 < 0;", "auto a1 = b1;", []
    )
    assert found is not None and found.word == "auto a2 = c1 < 0;", (
        "a line, if only a word differs that any code has"
    )
    found = reproducer.sign("code", "f('a')\ng(2)\nh(3)", "g(2)\nf('a')\nh(3)", [])
    assert found is not None and (found.before, found.after) == ("True", "False"), (
        "the same lines in another order"
    )
    assert found.expression("text") == """text.find("f('a')") < text.find("g(2)")"""
    assert (
        reproducer.sign(
            "code",
            "a(1)\nb = 10",
            "a(1)\nb = 20",
            [],
            reproducer.noise("b = 10", "b = 20"),
        )
        is None
    )
    found = reproducer.sign(
        "code",
        "a header f32 (8, 1)",
        "other header f32 (1, 8) f32",
        [],
        {"other", "header"},
    )
    assert found is not None and found.word in ("f32", "(8, 1)", "(1, 8)"), (
        "not what differs for any program"
    )
    found = reproducer.sign(
        "code", "a.load", "tl.other h.fmax", ["fmax"], near={"tl.other", "h.fmax"}
    )
    assert found is not None and found.word == "h.fmax", (
        "what the change is about, before what is near it"
    )
    logged = "V1127 20:24:47.439000 31056 torch/_dynamo/guards.py:4786] [0/0] [__guards] check(x)  # in /tmp/{}/a.py: f"
    assert (
        reproducer.sign(
            "guards", logged.format("czkvqowz"), logged.format("uvwxyz"), []
        )
        is None
    )


def test_the_sign_of_a_guard_is_what_only_one_log_says_of_its_object() -> None:
    """Other guards name the same modules, and the words that are in their names are in any log."""
    log = "| +- ID_MATCH: ___check_obj_id(G['__import_torch'].F, 14006)\n| +- ID_MATCH: G['__import_relu'].F of torch\n"
    alias = (
        "+ guards on objects of modules: G['__import_torch'].F is G['__import_relu'].F"
    )
    newer = (
        log
        + "| +- OBJECT_ALIASING: G['__import_torch'].F is G['__import_relu'].F\n| +- torch\n"
    )
    found = reproducer.sign("guards", log, newer, reproducer.identifiers(alias))
    assert found is not None and (found.word, found.before, found.after) == (
        "OBJECT_ALIASING",
        "0",
        "1",
    )
    older = (
        log
        + "| +- ID_MATCH: ___check_obj_id(G['__builtins_dict___0']['hasattr'], 140571513934112)\n"
    )
    newer = log + "| +- MARK: hasattr(L['x'], '_dynamo_dynamic_indices')\n" * 2
    gone = "- guards on objects of modules: ___check_obj_id(G['__builtins_dict__']['hasattr'])"
    found = reproducer.sign("guards", older, newer, reproducer.identifiers(gone))
    assert found is not None and (found.word, found.before, found.after) == (
        "['hasattr']",
        "1",
        "0",
    )


def test_the_sign_of_a_condition_on_sizes_is_the_condition() -> None:
    """As torch logs it, in whatever function it was asked for."""
    line = (
        "I1128 03:54:31.775000 27978 torch/fx/experimental/symbolic_shapes.py:8081] "
        "[0/0] eval {} [guard added] ({})\n"
    )
    kept = line.format("s77 >= 2", "_prims_common/__init__.py:322 in is_contiguous")
    gone = line.format("Ne(s48, 0)", "_subclasses/functional_tensor.py:198 in __new__")
    found = reproducer.sign(
        "sizes",
        kept + gone,
        kept,
        reproducer.identifiers("condition on sizes gone: size0 != 0"),
    )
    assert found is not None and found.expression("text") == 'text.count("Ne(s48, 0)")'
    assert (found.before, found.after) == ("1", "0")
    assert "set_logs(dynamic=20)" in reproducer.script(
        PROGRAM, "cpu-avx2", found, "about"
    )


def test_what_was_tried_is_remembered_but_for_a_line_that_was_cut_short(
    tmp_path: Path,
) -> None:
    TriedBefore(tmp_path / "tried").keep("a", True)
    TriedBefore(tmp_path / "tried").keep("b", False)
    with (tmp_path / "tried").open("a") as file:
        file.write("c")
    known = TriedBefore(tmp_path / "tried")
    assert [known.get(key) for key in "abc"] == [True, False, None]


def test_failures_matches_and_metrics() -> None:
    right, fails = (
        TriedProgram(),
        TriedProgram(error="ValueError: no 3", raised_in="torch/x.py: f"),
    )
    kept = interestingness.KeptFailure("ValueError: no 4", "torch/x.py: f", sides=2)
    assert not kept.holds(
        [right, TriedProgram(error="ValueError: other", raised_in="torch/x.py: f")]
    )
    assert (
        kept.holds([right, fails])
        and not kept.holds([fails, fails])
        and not kept.holds([right, right])
    )
    assert interestingness.LostMatch("addmm").holds(
        [TriedProgram(matches=2), TriedProgram(matches=1)]
    )
    assert not interestingness.LostMatch("addmm").holds(
        [TriedProgram(matches=1), TriedProgram(matches=1)]
    )
    texts = (f"kernels = {number}\n" for number in count(1))
    one, two = (
        TriedProgram(
            artifacts=(StoredArtifact("metrics", "metrics", "toml", next(texts)),)
        )
        for _ in range(2)
    )
    assert interestingness.Rise("kernels").holds(
        [one, two]
    ) and not interestingness.Rise("kernels").holds([two, one])
    assert interestingness.Wrong("value", sides=2).holds(
        [right, TriedProgram(wrong="value")]
    )
    assert interestingness.Wrong("").holds(
        [TriedProgram(wrong="dtype")]
    ) and not interestingness.Wrong("value").holds([TriedProgram(wrong="dtype")])


def test_reports_show_the_program_of_a_change() -> None:
    group = CaseGroup(
        "changed",
        "a kernel more",
        keys=("k",),
        members=("test_x.py::test[cpu]",),
        program="import torch\n",
    )
    report = Report(
        "old against new",
        Side("old"),
        Side("new"),
        (CaseReport("test_x.py::test[cpu]", "cpu", "changed"),),
        (group, replace(group, program="")),
    )
    shown = [text for _, text in small_programs.render(report)]
    assert shown == ["", "a kernel more", "  import torch"]
    assert (
        "<summary>a kernel more</summary>\n\n\n```python\nimport torch\n```"
        in markdown.render(report)
    )
    assert (
        json_report.parse(json_report.render(report), "report.json").groups
        == report.groups
    )


_USES = """
import torch
from torch import nn

class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.up = nn.Linear(width, 2 * width)
        self.norm = nn.LayerNorm(width).eval()
        self.layers = nn.ModuleList([nn.Linear(2 * width, width) for _ in range(2)])
        self.scale = 0.5
        self.register_buffer("offset", torch.randn(width))

    def forward(self, x):
        y = self.up(self.norm(x)) * self.scale
        for layer in self.layers:
            x = x + layer(y) + self.offset
        return x

tied = Block(8)
tied.layers[1].weight = tied.layers[0].weight
half = nn.Sequential(nn.Linear(4, 8), nn.ReLU()).to(torch.bfloat16)
model = Block(8)
for parameter in model.parameters():
    parameter.grad = torch.ones_like(parameter)
groups = [{"params": [model.up.weight], "lr": 0.5}, {"params": list(model.layers.parameters())}]
optimizer = torch.optim.SGD(groups, lr=0.25, momentum=0.9)

def calls_modules(x):
    return half(x.to(torch.bfloat16)), tied(model(torch.cat((x, x), 1)))

def takes_a_step():
    optimizer.step()
    return len(optimizer.param_groups), [group["lr"] for group in optimizer.param_groups], model.up.weight.grad.sum()
"""


@pytest.mark.live
def test_a_function_is_written_with_the_modules_and_optimizers_that_it_uses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever arguments they were made with: each written program runs, and returns the same types."""
    import torch

    from pytest_compile_golden import Call
    from pytest_compile_golden.features.reduce.function_as_program import of_function
    from pytest_compile_golden.observe.compile_options import CompileOptions

    (tmp_path / "uses.py").write_text(_USES)
    monkeypatch.syspath_prepend(str(tmp_path))
    uses = __import__("uses")
    transformer = torch.nn.TransformerEncoderLayer(8, 2, 16, batch_first=True).eval()
    for function, inputs in (
        (uses.calls_modules, (torch.randn(2, 4),)),
        (uses.Block(8), (torch.randn(2, 8),)),
        (transformer, (torch.randn(2, 3, 8),)),
    ):
        text = of_function(function, CompileOptions((Call(inputs),))).text
        names: dict[str, Any] = {}
        exec(text, names)
        expected, returned = (
            str(torch.utils._pytree.tree_map(lambda t: (t.dtype, t.shape), one))
            for one in (function(*inputs), names["program"](*names["inputs"]))
        )
        assert returned == expected, text
    text = of_function(uses.takes_a_step, CompileOptions((Call(()),))).text
    names = {}
    exec(text, names)
    rates = names["program"]()
    assert (rates[0], rates[1]) == (2, [0.5, 0.25]), text
    smaller = [
        made.definitions
        for made in simplifications.smaller_sizes(
            of_function(transformer, CompileOptions((Call(()),))), {}
        )
    ]
    assert any(
        "torch.nn.Linear(in_features=8, out_features=2" in one for one in smaller
    ), "sizes of what it holds, too"


@pytest.mark.live
def test_a_graph_is_written_as_its_author_would() -> None:
    import torch

    from pytest_compile_golden.features.reduce import graph_as_program

    class Model(torch.nn.Module):
        def forward(self, x):  # type: ignore[no-untyped-def]
            return x[:, 0:3], x[None, ..., ::2], x[-1]

    graph = torch.fx.symbolic_trace(Model())
    next(iter(graph.graph.nodes)).meta["example_value"] = torch.ones(4, 6)
    assert list(graph_as_program.of_graph(graph).body) == [
        "getitem = x[:, 0:3]",
        "getitem_1 = x[None, ..., ::2]",
        "getitem_2 = x[-1]",
    ]


def test_a_script_compares_values_of_a_program_without_inputs() -> None:
    program = SmallProgram(body=("x = torch.ones(2)",), results=("x",))
    text = reproducer.whole(program, "native-cpu", reproducer.VALUES, "wrong")
    compile(text, "script.py", "exec")
    assert "def run(function):\n    result = function()\n    return result, \n" in text


def test_the_text_of_an_issue_says_since_when_where_and_on_what() -> None:
    program = SmallProgram(
        inputs=(("x", "torch.ones(2)"),), body=("y = x.exp()",), results=("y",)
    )
    change = ReportedChange(
        "joint_graph", "a clone is kept", "k", "pass", where="torch/_inductor/a.py:12"
    )
    versions = ("2.13.0", "2.14.1", "2.15.0")
    runs = tuple(
        AloneRun(version, count, False, "Python 3.12.1")
        for version, count in zip(versions, "011", strict=True)
    )
    found = Reduced(
        program,
        "cpu-avx2",
        interestingness.KeptChange("k", ("2.13.0", "2.15.0"), "cpu-avx2", True),
        change,
        True,
        3,
        program,
        "model.py",
        sign=reproducer.Sign("joint", "aten.clone", "0", "1"),
        versions=("2.13.0", "2.15.0"),
        alone=runs,
    )
    text = found.markdown
    assert text.startswith(
        "# torch.compile: a clone is kept, since torch 2.14.1\n\n```python\n"
    )
    assert "| 2.14.1 | Python 3.12.1 | 1 |\n" in text
    link = "https://github.com/pytorch/pytorch/blob/v2.15.0/torch/_inductor/a.py#L12"
    assert f"[`torch/_inductor/a.py:12`]({link})" in text
    assert "# target: cpu-avx2" in found.noted_script and "# target" not in text
    assert replace(found, alone=runs[1:]).since == "", (
        "nothing says that it was otherwise before"
    )
    assert replace(found, alone=(runs[0], runs[1])).since == "2.14.1"
    fails = (AloneRun("2.15.0", "AssertionError: 3 of 4", True),)
    wrong = replace(
        found, question=interestingness.Wrong("value"), change=None, alone=fails
    )
    assert (
        wrong.shows_alone
        and wrong.about == "compiled code differs from eager: other values"
    )


@pytest.mark.live
def test_a_script_asserts_what_torchs_comparison_leaves_out() -> None:
    """Memory that is shared, signs of zeros, gradients: with a compiler that is wrong in each."""
    import torch
    import torch._inductor.config

    program = SmallProgram(
        inputs=(("x", "torch.zeros(2)"),), body=("y = x + 0",), results=("y",)
    )
    compilers = {
        "alias": lambda function: lambda x: x,
        "zero": lambda function: lambda x: -x,
        "requires_grad": lambda function: lambda x: function(x).requires_grad_(),
    }
    for kind, wrong in compilers.items():
        # What a script sets stays in its own process.
        settings = torch._inductor.config.patch(force_disable_caches=False)
        with pytest.MonkeyPatch.context() as patch, settings, torch.enable_grad():
            patch.setattr(torch, "compile", wrong)
            exec(
                reproducer.whole(program, "native-cpu", reproducer.VALUES, "wrong"), {}
            )
            with pytest.raises(AssertionError, match=r"^compiled .*, eager "):
                exec(
                    reproducer.whole(
                        program, "native-cpu", reproducer.VALUES, "wrong", kind
                    ),
                    {},
                )


@pytest.mark.wide
def test_ranks_that_a_marker_gives_are_an_option_and_a_fake_group_of_the_script(
    sides: tuple[TorchProcess, TorchProcess], forks_with_bare_torch: Forks
) -> None:
    """With nothing but torch, which calls the group of all ranks 0."""
    with current_context.within(Ranks(4, 1)):
        options = options_of(CompileOptions(())).expressions
    assert dict(options) == {"world_size": "4", "rank": "1"}
    program = SmallProgram(
        inputs=(("x", "torch.randn(8)"),),
        body=(
            "y = torch.ops._c10d_functional.all_reduce(x, 'sum', '0-3')",
            "z = y + 1",
        ),
        results=("z",),
        options=options,
    )
    text = reproducer.whole(program, "cpu-avx2", reproducer.CALL)
    assert 'init_process_group("fake", rank=1, world_size=4, store=FakeStore())' in text
    assert "all_reduce(x, 'sum', '0')" in text
    bare = forks_with_bare_torch.python
    alone = subprocess.run([bare, "-c", text], capture_output=True, text=True)
    assert alone.returncode == 0, alone.stderr
    # What its values are is known in such a group, too: steps leave statements out by that.
    assert sides[0].ask(Describe(program.text, "cpu-avx2", 600)).types == {
        "x": "torch.randn(8)",
        "y": "torch.randn(8)",
    }


def test_a_script_for_a_virtual_cpu_has_its_vectors() -> None:
    """Whatever the machine has where the script is run: it would count other words of wider vectors."""
    program = SmallProgram(
        inputs=(("x", "torch.ones(2)"),), body=("y = x % 7",), results=("y",)
    )
    code = reproducer.views(program, "cpp_code")[0]
    assert "torch._inductor.config.cpp.simdlen = 256\n" in reproducer.whole(
        program, "cpu-avx2", code
    )
    assert "simdlen" not in reproducer.whole(
        program, "native-cpu", code
    ) + reproducer.whole(program, "cpu-avx2", reproducer.CALL)


def test_what_the_program_does_not_share_is_not_the_same_change() -> None:
    one, other = (
        ReportedChange("triton_code", text, text, "launch")
        for text in ("another hint", "another grid")
    )
    case = CaseReport(
        "test_x.py::test[cpu-avx2]", "cpu-avx2", "changed", changes=(one, other)
    )
    (group,) = grouped([case])
    assert group.keys == (one.key, other.key)
    group = replace(group, program="import torch\n")
    apart = told_apart(group, [case], {other.key, "of another case"})
    assert [(each.keys, each.text, each.edits, each.program) for each in apart] == [
        ((one.key,), "another hint", (), "import torch\n"),
        ((other.key,), "another grid", (), ""),
    ]
    assert (
        told_apart(group, [case], set())
        == told_apart(group, [case], {one.key, other.key})
        == (group,)
    )


_LARGER = """
import torch
import torch.nn.functional as F

def make():
    def block(x, w, scale):
        y = F.gelu(x @ w) * scale
        z = torch.softmax(y + x.sin(), -1)
        return z.cos() + x, y
    return block, (torch.randn(96, 96), torch.randn(96, 96), torch.randn(96))

def fails():
    def broken(x):
        y = x.sin() + 1
        print("a break")
        return y * x.cos()
    return broken, (torch.randn(16),), {"fullgraph": True}
"""

_CASE = """
import torch
from larger import make

def test_branch(compile_stages):
    compile_stages(
        lambda x: torch.cond(x.sum() > 0, lambda x: torch.softmax(x, -1), lambda x: x.cos(), (x,)), torch.randn(96, 96)
    )

def test_make(compile_stages):
    block, inputs = make()
    compile_stages(block, *inputs)
"""


@pytest.fixture
def forks_with_loops(tmp_path: Path, forks_with_torch: Forks) -> Iterator[Forks]:
    """Forks of a torch that makes no persistent reductions."""
    module = tmp_path / "with_loops.py"
    module.write_text(with_default("triton.persistent_reductions", False))
    forks = Forks(
        "with_loops", forked_from=forks_with_torch, PYTHONPATH=path_with(tmp_path)
    )
    yield forks
    forks.close()


@pytest.mark.wide
def test_a_change_between_two_interpreters(
    project: pytest.Pytester,
    forks: Forks,
    forks_with_torch: Forks,
    forks_with_loops: Forks,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The older torch loops over what the newer one reduces at once."""
    folder = project.path
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
    (folder / "larger.py").write_text(_LARGER)
    older, newer = (str(each.python) for each in (forks_with_loops, forks_with_torch))
    command = [
        "reduce",
        "larger.py::make",
        "--torch",
        older,
        "--torch",
        newer,
        "--keep",
        "change:loop-nest",
    ]
    result = forks.run_command(folder, *command)
    assert result.ret == 0, str(result.stdout) + str(result.stderr)
    written = (folder / "reduced/make.py").read_text()
    function = written.partition("def program")[2].partition("\n\n")[0]
    assert len(function.split("\n")) <= 3 and "gelu" not in function, function
    assert len([line for line in written.split("\n") if line.strip()]) <= 20
    result.stdout.fnmatch_lines(
        ["* programs tried in *", "the script prints on torch *"]
    )
    table = re.findall(
        r"^\| \d.* \| (.*) \|$", (folder / "reduced/make.md").read_text(), re.M
    )
    assert len(table) == 2 and table[0] != table[1], (
        "run alone, the script prints something else in each"
    )
    test = (folder / "reduced/test_make.py").read_text()
    assert (
        "def test_make(compile_stages, golden):" in test
        and "    assert captured == golden\n" in test
    )
    # All that was tried is remembered: the same command compiles only what is shown in the end.
    again = forks.run_command(folder, *command, "--no-check")
    again.stdout.fnmatch_lines(["0 programs tried in *"])
    assert (folder / "reduced/make.py").read_text() == written
    # The same change of a report, whose keys may be those of goldens.
    change = ReportedChange(
        "triton_code", "a loop nest", "of a golden", "fusion", code="loop-nest"
    )
    (folder / "test_larger.py").write_text(_CASE)
    cases = tuple(
        CaseReport(
            f"test_larger.py::{name}[cuda-sm90]",
            "cuda-sm90",
            "changed",
            changes=(change,),
            seconds=seconds,
        )
        for name, seconds in (("test_branch", 1.0), ("test_make", 2.0))
    )
    (folder / "report.json").write_text(
        json_report.render(
            Report("a night", Side("goldens"), Side("run"), cases, grouped(cases))
        )
    )
    sides = ("--torch", older, "--torch", newer)
    shown = forks.run_command(folder, "reduce", "--in", "report.json", *sides)
    assert shown.ret == 0, str(shown.stderr)
    (group,) = json_report.read(folder / "report.json").groups
    # Of the case that is tried first, nothing shorter is left than its branches: the other one's program is shown.
    assert "def program(" in group.program and "cond" not in group.program, (
        group.program
    )
    shown.stdout.fnmatch_lines(["a loop nest", "  def program(*"])
    # The script as a case of the suite, which compares as any other.
    made = forks.run_command(
        folder, "case", "reduced/make.py", "--into", "test_mine.py"
    )
    assert made.ret == 0, str(made.stderr)
    made.stdout.fnmatch_lines(
        ["*: pytest --compile-golden test_mine.py --snapshot-update"]
    )
    assert "def test_make(" in (folder / "test_mine.py").read_text()
    assert (
        forks.run_command(
            folder, "case", "reduced/make.py", "--into", "test_mine.py"
        ).ret
        != 0
    )


_PLANTED = """
import torch
import torch._inductor.config

def wrong(graph):
    # cos as sin, on a GPU also exp: what a bug in a pass may do.
    for node in graph.nodes:
        wrong_here = {torch.ops.aten.cos.default}
        if "val" in node.meta and getattr(node.meta["val"], "is_cuda", False):
            wrong_here.add(torch.ops.aten.exp.default)
        if node.target in wrong_here:
            node.target = torch.ops.aten.sin.default

torch._inductor.config.post_grad_custom_post_pass = wrong
torch._inductor.config.pattern_matcher = False
"""
_PROGRAMS = """
import torch

def product():
    def block(x, w, b):
        return b + x @ w, (x * 2).exp().mean(0)
    return block, (torch.randn(32, 64), torch.randn(64, 64), torch.randn(32, 64))

def cosine():
    def block(x, y):
        z = (x + 3).sigmoid()
        return z.sum(), (y * 2).relu() + y.cos()
    return block, (torch.randn(4, 8), torch.tensor([3.0, 0.0, 1.5]))

def exponential():
    def block(x):
        z = x.exp() * 3
        return z.sum(-1), x.tan()
    return block, (torch.randn(4, 8),)
"""
_OWN_PASS = """
import torch
from torch._inductor.custom_graph_pass import CustomGraphPass
from torch._inductor.pattern_matcher import Arg, CallFunction, PatternMatcherPass, register_graph_pattern

class MadeWhenAsked(dict):  # as those of transformers
    def items(self):
        raise LookupError

mapping = MadeWhenAsked()

class Holder(CustomGraphPass):
    def __init__(self):
        self.patterns = PatternMatcherPass()

        product = CallFunction(torch.ops.aten.addmm.default, Arg(), Arg(), Arg())

        @register_graph_pattern(product, pass_dict=self.patterns)
        def biased_product(match, bias, x, w):
            pass

    def __call__(self, graph):
        self.apply(graph)

    def apply(self, graph: "torch.fx.Graph") -> int:
        return self.patterns.apply(graph)

    def uuid(self):
        return None

def every(graph: 'torch.fx.Graph'):
    own.apply(graph)

def compiles(graph, inputs):
    from torch._inductor.compile_fx import compile_fx
    return compile_fx(graph, inputs, config_patches={"post_grad_custom_post_pass": every})

own = Holder()

def product():
    def block(x, w, b):
        return b + x @ w, (x * 2).exp().mean(0)
    passes = {"max_fusion_size": 8, "post_grad_custom_post_pass": own.apply}
    return block, (torch.randn(32, 64), torch.randn(64, 64), torch.randn(32, 64)), {"config": passes}
"""
_SUITE = """
import unittest
import torch

class Block(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.up = torch.nn.Linear(width, 2 * width)

    def forward(self, x):
        return self.up(x).relu().cos().sum(-1)

class TestBlock(unittest.TestCase):
    def test_same(self):
        block, x = Block(16), torch.randn(4, 16)
        torch.testing.assert_close(torch.compile(block)(x), block(x))
"""


@pytest.fixture(scope="module")
def sides(
    tmp_path_factory: pytest.TempPathFactory, forks_with_torch: Forks
) -> Iterator[tuple[TorchProcess, TorchProcess]]:
    """This torch, and the same without patterns and with a wrong pass, each forked from a process that has it."""
    folder = tmp_path_factory.mktemp("sides")
    # Both fork for each request, which threads that build code do not survive: see `TorchProcess`.
    (folder / "one_thread.py").write_text(with_default("compile_threads", 1))
    (folder / "planted.py").write_text(_PLANTED)
    usual, planted = (
        Forks(*modules, forked_from=forks_with_torch, PYTHONPATH=path_with(folder))
        for modules in (("one_thread",), ("one_thread", "planted"))
    )
    with (
        TorchProcess("older", usual.python) as before,
        TorchProcess("newer", planted.python) as after,
    ):
        yield before, after
    usual.close()
    planted.close()


@pytest.fixture
def reduced(
    project: pytest.Pytester,
    sides: tuple[TorchProcess, TorchProcess],
    monkeypatch: pytest.MonkeyPatch,
) -> Callable[..., Reduced]:
    """The smallest program that shows what is kept of a program in the project, tried in both versions."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(project.path / "cache"))
    project.makepyfile(larger=_PROGRAMS, fusing=_OWN_PASS, test_theirs=_SUITE)

    def run(
        what: str, keep: str, target: str | None = "cuda-sm90", check: bool = False
    ) -> Reduced:
        kept = interestingness.Keep.parsed(keep)
        return Reduction(
            sides, what, kept, target, time.monotonic() + 3600, 600, 2, check=check
        ).run()

    return run


@pytest.mark.wide
def test_a_lost_match_and_a_rise(reduced: Callable[..., Reduced]) -> None:
    """The newer torch has no patterns: a product and a sum are no longer one call."""
    lost = reduced("larger.py::product", "match:addmm")
    assert lost.finished and lost.program.operators == 2, lost.program.function
    assert (
        lost.invariant == "captured.matches('addmm') == 1"
        and lost.about == "addmm matches less often: 1 -> 0"
    )
    with pytest.raises(CompileGoldenError, match="pointless_view matches 0 -> 0"):
        reduced("larger.py::product", "match:pointless_view")
    more = reduced("larger.py::product", "metric:bytes_accessed")
    assert more.finished and more.program.operators == 2, more.program.function
    assert more.about.startswith("bytes_accessed rises: ")
    assert more.invariant.startswith("captured.metrics.bytes_accessed <= ")


@pytest.mark.wide
def test_a_lost_match_of_a_pass_of_the_users(reduced: Callable[..., Reduced]) -> None:
    """The script has a copy of the pass, and counts its matches with nothing but torch."""
    lost = reduced("fusing.py::product", "match:biased_product", check=True)
    assert lost.finished and lost.program.operators == 2, lost.program.function
    assert [name for name, _ in lost.program.options] == [
        "config:post_grad_custom_post_pass"
    ]
    assert lost.invariant == "captured.matches('biased_product') == 1"
    assert [run.printed for run in lost.alone] == ["1", "0"] and lost.shows_alone
    assert "class Holder(CustomGraphPass):" in lost.script


@pytest.mark.parametrize("importable", [True, False])
@pytest.mark.parametrize(
    ("name", "expression", "imported"),
    [
        ("Holder()", "Holder()", "Holder"),
        ("own", "own", "own"),
        ("own.apply", "own.apply", "own"),
        ("own.patterns.apply", "own.patterns.apply", "own"),
        ("[every, Holder()]", "[every, Holder()]", "every"),
        ("compiles", "compiles", "compiles"),
    ],
)
def test_passes_of_the_users_are_imported_where_they_can_be(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    importable: bool,
    name: str,
    expression: str,
    imported: str,
) -> None:
    (tmp_path / "own_passes.py").write_text(_OWN_PASS)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "own_passes", raising=False)
    value = eval(name, vars(importlib.import_module("own_passes")))
    given = (
        {"backend": value}
        if name == "compiles"
        else {"config": {"post_grad_custom_post_pass": value}}
    )
    options, own = options_of(
        CompileOptions((), **given), [str(tmp_path)] if importable else []
    )
    ((_, written),) = options
    assert own is not None
    if importable:
        assert written == expression
        assert f"from own_passes import {imported}" in own.imports
        assert [module for module, _ in own.modules] == ["own_passes"]
    else:
        assert not own.modules and "own_passes" not in " ".join(own.imports)
        monkeypatch.setattr(sys, "path", sys.path[1:])
        monkeypatch.delitem(sys.modules, "own_passes")
    program = SmallProgram(
        inputs=(("x", "torch.randn(2, 8)"),),
        body=("y = x.sin()",),
        results=("y",),
        options=options,
        own=own,
    )
    exec(program.text, {})
    # Without the option, nothing of it is left.
    assert next(simplifications.fewer_options(program, {})).own is None


@pytest.mark.wide
def test_a_wrong_result(reduced: Callable[..., Reduced]) -> None:
    """On the CPU, with the script in a process of its own; and one that only a virtual GPU computes."""
    found = reduced("larger.py::cosine", "wrong", None, check=True)
    assert (
        found.target == "native-cpu"
        and found.program.lines <= 3
        and "cos" in found.program.function
    )
    assert found.shows_alone, found.alone
    assert [run.failed for run in found.alone] == [False, True]
    on_gpu = reduced("larger.py::exponential", "wrong")
    assert (
        on_gpu.target == "cuda-sm90"
        and on_gpu.program.operators == 1
        and "exp" in on_gpu.program.function
    )


@pytest.mark.wide
def test_a_compile_of_a_suites_test(reduced: Callable[..., Reduced]) -> None:
    """A test that knows nothing of us, and compares what it computes."""
    found = reduced("test_theirs.py::TestBlock::test_same", "change", None)
    assert found.target == "cpu-avx2"
    assert (
        found.program.function
        == "def program(x, y):\n    return torch.nn.functional.linear(x, y)"
    )


@pytest.mark.wide
def test_a_test_that_compiles_nothing(reduced: Callable[..., Reduced]) -> None:
    """It is said why: for a name that is not there, those that are; else all that pytest printed."""
    with pytest.raises(CompileGoldenError, match="test_sane'; did you mean"):
        reduced("test_theirs.py::TestBlock::test_sane", "change", None)
    Path("test_other.py").write_text(
        "import missing_here\n\ndef test_one():\n    pass\n"
    )
    with pytest.raises(CompileGoldenError, match="No module named 'missing_here'"):
        reduced("test_other.py::test_one", "change", None)


_UNDECLARED = """
from importlib import metadata

discover = metadata.Distribution.discover
metadata.Distribution.discover = lambda **given: (
    one for one in discover(**given) if one.name != "pytest-compile-golden"
)
from pytest_compile_golden.api.run_cases import run_case
from pytest_compile_golden.environments.install_torch import tool

print(repr(run_case("test_mine.py::test_one", "cpu-avx2").error))
print(*tool())
"""


@pytest.mark.live
def test_a_checkout_that_is_not_installed(
    project: pytest.Pytester, forks: Forks
) -> None:
    """It is only on PYTHONPATH: pytest knows no plugin of ours by itself, and pip no distribution."""
    project.makepyfile(
        test_mine="def test_one(compile_target):\n    raise LookupError(compile_target)\n"
    )
    script = project.path / "undeclared.py"
    script.write_text(_UNDECLARED)
    printed = forks.run_script(project.path, script).stdout
    printed.fnmatch_lines(
        ["LookupError('cpu-avx2')", f"--editable {Path(__file__).parents[1]}"]
    )


@pytest.mark.wide
def test_a_failing_compile(
    project: pytest.Pytester,
    forks: Forks,
    forks_with_torch: Forks,
    forks_with_bare_torch: Forks,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Only Dynamo sees it, so the function's own source becomes smaller."""
    folder = project.path
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
    (folder / "larger.py").write_text(_LARGER)
    command = ["reduce", "larger.py::fails", "--keep", "failure", "--no-check"]
    result = forks.run_command(folder, *command, python=forks_with_torch.python)
    assert result.ret == 0, str(result.stdout) + str(result.stderr)
    written = (folder / "reduced/fails.py").read_text()
    assert "print" in written and "sin" not in written and "cos" not in written
    alone = forks_with_bare_torch.run_script(folder, Path("reduced/fails.py"))
    assert alone.ret and "Unsupported" in alone.stderr.str()
