"""`bisect --numerics` and `fuzz`: what makes a wrong program wrong, and settings that make a right one wrong."""

from __future__ import annotations

import itertools
import json
import math
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor
from torch._inductor import decomposition, lowering

from labs.fuzz.search import Fuzz, SettingsTrial, Value
from pytest_compile_golden import numerics
from pytest_compile_golden.features.numerics import torch_bisector
from tests.forked import Forks

PLANTED = """
import torch

def add_is_sub(graph):
    for node in graph.nodes:
        if node.target is torch.ops.aten.add.Tensor:
            node.target = torch.ops.aten.sub.Tensor

def test_pass(compile_stages):
    config = {"post_grad_custom_post_pass": add_is_sub}
    compile_stages(lambda x: x.sin() * x, torch.randn(8), config=config)
    compile_stages(lambda x, y: (x + y).sin(), torch.randn(8), torch.randn(8), config=config)

def test_dynamo(compile_stages):
    differs = lambda x, y: x + y if torch.compiler.is_compiling() else x - y
    compile_stages(differs, torch.randn(8), torch.randn(8))

def test_right(numerics):
    assert numerics(torch.sin, torch.randn(8))
"""


FAILING = """
import torch

def broken_pass(graph):
    raise IndexError("this pass is broken")

def breaks(x):
    torch._dynamo.graph_break()
    return x + 1

def test_captured(compile_stages):
    compile_stages(torch.cos, torch.randn(8), config={"post_grad_custom_post_pass": broken_pass})

def test_not_even_captured(compile_stages):
    compile_stages(breaks, torch.randn(8), fullgraph=True)

def test_checked(numerics):
    assert numerics(breaks, torch.randn(8), fullgraph=True)
"""


def test_a_program_that_does_not_compile_is_said_to_do_that(
    project: pytest.Pytester, forks_with_torch: Forks
) -> None:
    project.makepyfile(test_failing=FAILING)
    for case, told in (
        (
            "test_captured",
            (
                "test_captured[cuda-sm90] does not compile, so there is no result to judge. torch's error:",
                "  IndexError: this pass is broken, at test_failing.py:4",
            ),
        ),
        (
            "test_not_even_captured",
            (
                "  Unsupported: Call to `torch._dynamo.graph_break()`, at test_failing.py:7",
            ),
        ),
        (
            "test_checked",
            (
                "found: it does not compile with the backend eager, which compiles nothing, so Dynamo or the ",
            ),
        ),
    ):
        case = f"test_failing.py::{case}[cuda-sm90]"
        result = forks_with_torch.run_command(
            project.path, "bisect", "--numerics", case
        )
        output = result.stdout.str() + result.stderr.str()
        assert all(text in output for text in told), output
        assert "Dynamo captured something else" not in output
        assert result.ret == (0 if "test_checked" in case else 1)


def test_the_command_names_a_wrong_pass_and_ejects_it(
    project: pytest.Pytester, forks_with_torch: Forks, forks_with_bare_torch: Forks
) -> None:
    project.makepyfile(test_planted=PLANTED)

    def bisect(*arguments: str) -> tuple[int, str]:
        result = forks_with_torch.run_command(
            project.path, "bisect", "--numerics", *arguments
        )
        return result.ret, result.stdout.str() + result.stderr.str()

    # The second program of the case: neither passes run by captures are counted nor the 17 of the first program.
    status, output = bisect("test_planted.py::test_pass[cuda-sm90]", "-o", "script.py")
    assert status == 0, output
    found = re.search(
        r"found: inductor, post_grad_passes, number (\d+): post_grad_custom_post_pass \(",
        output,
    )
    assert found is not None and int(found[1]) < 15, output
    assert "  post_grad_custom_post_pass / add_is_sub, test_planted.py:3" in output
    script = forks_with_bare_torch.run_script(
        project.path, Path("script.py"), isolated=True
    )
    script.stdout.fnmatch_lines(["+add: *aten.sub.Tensor*"])
    status, output = bisect(
        "test_planted.py::test_dynamo[cuda-sm90]", "--format", "json"
    )
    assert status == 0
    facts = _document(output)
    assert (
        facts["format"] == 1
        and facts["target"] == "cuda-sm90"
        and facts["first"]["kind"] == "wrong"
    )
    assert facts["culprit"]["backend"] == "eager" and facts["script"] is None
    status, output = bisect("test_planted.py::test_right[cuda-sm90]")
    assert (
        status == 1
        and "test_right[cuda-sm90] is right: there is nothing to bisect." in output
    )
    status, output = bisect("test_planted.py::test_pass[cpu-avx2]")
    assert (
        status == 1
        and "cpu-avx2 is virtual: its kernels are neither built" in output
        and "target native-cpu" in output
    )
    status, output = bisect("test_planted.py::test_right", "--good", "2.13.0")
    assert status == 2 and "leave out candidates, --good and --bad" in output


def _document(output: str) -> dict[str, Any]:
    """The JSON printed to stdout, given the text of stdout and stderr together."""
    found: dict[str, Any] = json.JSONDecoder().raw_decode(
        output[output.index("{\n") :]
    )[0]
    return found


def wrong_silu(x: Tensor) -> Tensor:
    return x * x.sigmoid() + 1


def swapped(original: Callable[..., Any]) -> Callable[..., Any]:
    def swapped(x: Any, y: Any, **options: Any) -> Any:
        return original(y, x, **options)

    return swapped


def differs_in_dynamo(x: Tensor, y: Tensor) -> Tensor:
    return x + y if torch.compiler.is_compiling() else x - y


DIV, SILU = torch.ops.aten.div.Tensor, torch.ops.aten.silu.default
WRONG: dict[str, tuple[Callable[..., Tensor], str]] = {
    "lowering": (
        lambda x, y: x.sin() / y,
        "inductor, lowerings, aten.div.Tensor (the node div), by swapped.<locals>",
    ),
    "decomposition": (
        lambda x, y: torch.nn.functional.silu(x) * y,
        "aot_eager_decomp_partition, decomposition, aten.silu.default, by wrong_silu, test_wrong_settings.py:",
    ),
    "dynamo": (differs_in_dynamo, "eager, None, None"),
}


@pytest.mark.parametrize("what", WRONG)
def test_the_bisector_names_what_is_wrong(
    what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if what == "lowering":
        monkeypatch.setitem(lowering.lowerings, DIV, swapped(lowering.lowerings[DIV]))
    if what == "decomposition":
        monkeypatch.setitem(decomposition.decompositions, SILU, wrong_silu)
    program, expected = WRONG[what]
    inputs = torch.rand(8), torch.rand(8)

    def correct(tried: str) -> bool:
        with torch_bisector.suspended() as resumed:
            with resumed():
                found = numerics(program, calls=[inputs], target="cuda-sm90")
            # Another compile in the meantime is none of its business, whatever it counts.
            if what == "decomposition" and not tried.startswith("backend "):
                assert not numerics(program, calls=[inputs], target="cuda-sm90")
        # Nobody asks which kernel it is, which takes one more compile.
        assert not found.findings
        return bool(found)

    found = torch_bisector.bisect(correct)
    assert found is not None
    assert f"{found.backend}, {found.subsystem}, {found.name}".startswith(expected)


FUZZED = """
import os, signal
from pathlib import Path
import torch
import torch._inductor.config as config

with Path("trials").open("a") as file:
    file.write("x")

def harm(graph):
    alone = not config.pick_loop_orders
    both = not config.split_reductions and config.pad_outputs
    for node in graph.nodes:
        if (alone or both) and node.target is torch.ops.aten.add.Tensor:
            node.target = torch.ops.aten.sub.Tensor
    if config.conv_1x1_as_mm:
        os.kill(os.getpid(), signal.SIGSEGV)

def program():
    config = {"post_grad_custom_post_pass": harm}
    return (lambda x, y: (x + y).sin()), (torch.randn(8), torch.randn(8)), {"config": config}
"""
NAMES = ("conv_1x1_as_mm", "pad_outputs", "pick_loop_orders", "split_reductions")


def test_harmful_settings_are_found(
    project: pytest.Pytester, forks_with_torch: Forks
) -> None:
    path = Path(project.makepyfile(fuzzed=FUZZED))
    only = [part for name in NAMES for part in ("--setting", name)]

    def fuzz(*more: str) -> tuple[int, str, int]:
        Path("trials").write_text("")
        result = forks_with_torch.run_command(
            project.path, "fuzz", "fuzzed.py::program", *only, *more
        )
        return (
            result.ret,
            result.stdout.str() + result.stderr.str(),
            len(Path("trials").read_text()),
        )

    status, output, trials = fuzz()
    assert (
        status == 1 and output.count("to reproduce it:") == 3 and "3 findings" in output
    )
    assert "\nconv_1x1_as_mm=True: died\n  the process was killed by SIGSEGV" in output
    assert (
        "\npick_loop_orders=False: wrong\n  program.<locals>.<lambda> on cuda-sm90: "
        in output
    )
    pair = {"pad_outputs=True", "split_reductions=False"}
    assert any(
        {*line.partition(":")[0].split(" and ")} == pair for line in output.splitlines()
    )
    (state,) = Path(".pytest_cache/d/compile-golden-fuzz").iterdir()
    tried = json.loads(state.read_text())["tried"]
    assert trials == len(tried) + 1
    status, output, trials = fuzz()
    assert (
        (status, trials) == (1, 1)
        and f"{len(tried)} trials remembered" in output
        and "3 findings" in output
    )
    status, output, trials = fuzz("--format", "json")
    facts = _document(output)
    assert (
        (status, trials) == (1, 1)
        and facts["tried"] == tried
        and len(facts["findings"]) == 3
    )
    assert {finding["outcome"] for finding in facts["findings"]} == {"died", "wrong"}
    assert any(
        "'config': {'conv_1x1_as_mm': True}" in finding["again"]
        for finding in facts["findings"]
    )
    # Nothing is known about another program; and there may be no time to find out.
    path.write_text(FUZZED.replace("x + y", "x + y * y"))
    status, output, trials = fuzz("--for", "0s")
    assert (
        (status, trials) == (0, 1)
        and "0 of 6 pairs" in output
        and "0 trials remembered" in output
    )
    path.write_text(FUZZED.replace("alone or both", "True"))
    status, output, _ = fuzz()
    assert (
        status == 1
        and "goes wrong without any setting changed; `compile-golden bisect --numerics` says why"
        in output
    )
    status, output, _ = fuzz("--for", "soon")
    assert status == 2 and "'soon' is not a duration: write 90s, 5m or 1h." in output


@pytest.mark.parametrize("seed", range(3))
def test_a_stopped_fuzz_resumes_and_names_the_settings_that_suffice(
    seed: int, tmp_path: Path
) -> None:
    settings = dict.fromkeys(("a", "b", "bad", "c", "d", "e", "slow"), True)
    tried: list[frozenset[str]] = []

    def judge(some: Mapping[str, Value]) -> SettingsTrial:
        tried.append(frozenset(some))
        harm = "bad" in some or {"a", "b"} <= {*some}
        outcome = "unjudged" if "slow" in some else "wrong" if harm else "right"
        return SettingsTrial(
            {**some}, outcome, outcome == "wrong", "", same_code="c" in some
        )

    def fuzz(trials: float) -> Fuzz:
        fuzz = Fuzz(settings, seed, tmp_path / "state.json", "code")
        end = len(tried) + trials
        fuzz.run(judge, lambda: len(tried) < end)
        return fuzz

    fuzz(3)
    assert fuzz(math.inf).remembered >= 3
    done = fuzz(math.inf)
    assert sorted(sorted(finding.settings) for finding in done.findings) == [
        ["a", "b"],
        ["bad"],
    ]
    assert [[*trial.settings] for trial in done.omitted] == [["slow"]]
    assert len({*tried}) == len(tried)
    others = itertools.combinations({*settings} - {"bad", "slow"}, 2)
    assert {frozenset(pair) for pair in others} <= {*tried}
