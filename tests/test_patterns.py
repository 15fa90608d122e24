"""torch's replacement patterns tried on inputs of every kind."""

from __future__ import annotations

import itertools
import math
import operator
from pathlib import Path
from typing import Any

import pytest
import torch
from torch._inductor import pattern_matcher as matching

from labs.patterns import registered, tried
from labs.patterns.registered import Replaced
from tests.forked import Forks


def test_a_pattern_that_computes_something_else_is_named(
    tmp_path: Path, forks_with_torch: Forks
) -> None:
    names = ("_sfdp_pattern_5", "unbind_cat_to_view", "replace_einsum_to_pointwise")
    done = forks_with_torch.run_command(
        tmp_path, "patterns", *names, "--target=cuda-sm80"
    )
    lines = done.stdout.lines
    assert done.stderr.lines == [] and done.ret == 1
    assert (
        lines[0]
        == "3 patterns tried (1 replaced and 2 handled), 2 compute something else"
    )
    # A row that is masked out by -inf is NaN, and 0 after the replacement.
    assert lines[1].startswith("_sfdp_pattern_5 ") and "fuse_attention.py" in lines[1]
    assert (
        lines[2].startswith("    inputs whose argument 4 has a row of -inf: 128 of ")
        and "eager nan" in lines[2]
    )
    # What `cat` returns never shares memory with its inputs.
    assert lines[3].startswith("unbind_cat_to_view ") and "split_cat.py" in lines[3]
    assert (
        lines[4]
        == "    inputs with one dimension more: compiled is a view of x1, eager has its own memory"
    )
    assert (
        lines[-1]
        == "its argument equation is of type str (1): replace_einsum_to_pointwise"
    )


ON_FIRST_INPUTS = """
import itertools
import sys

from labs.patterns import tried
from pytest_compile_golden.cli import main

kinds = tried.kinds
tried.kinds = lambda inputs: itertools.islice(kinds(inputs), 1)
tried.variants = lambda *_: ()
main(["patterns", *sys.argv[1:]])
"""


def test_patterns_of_a_broadcast_factor_and_of_constants_alone_fire(
    tmp_path: Path, forks_with_torch: Forks
) -> None:
    """What they then compute on inputs of every kind is not asked here."""
    names = ("div_softmax_pattern", "pointless_cumsum_replacement")
    script = tmp_path / "on_first_inputs.py"
    script.write_text(ON_FIRST_INPUTS)
    told = forks_with_torch.run_script(
        tmp_path, script, *names, "--target=cuda-sm80"
    ).stdout.str()
    assert "patterns tried (" in told
    assert "do not fire" not in told and "no program of its form runs" not in told


EVERY_PATTERN = """
import gc

from torch._inductor import pattern_matcher as matching

from labs.patterns import registered
from pytest_compile_golden.observe.record_compile import prepare

prepare("cuda-sm90")
gc.unfreeze()  # what was imported before the fork is not listed
# Everything that looks for patterns, wherever torch keeps it.
passes = [each for each in gc.get_objects() if type(each) is matching.PatternMatcherPass]
entries = [entry for each in passes for several in each.patterns.values() for entry in several]
handled = {id(entry) for entry in entries if not isinstance(entry, matching.ReplacementPatternEntry)}
tried = {id(pattern.entry) for pattern in registered.handled()}
print(len(handled) > 20, len(handled - tried))
"""


def test_every_pattern_that_torch_registers_is_tried(
    tmp_path: Path, forks_with_torch: Forks
) -> None:
    # In a process that compiled nothing: some passes of torch make patterns of their own for each graph.
    script = tmp_path / "every_pattern.py"
    script.write_text(EVERY_PATTERN)
    assert forks_with_torch.run_script(tmp_path, script).stdout.lines == ["True 0"]


def test_a_pattern_that_is_not_there(tmp_path: Path, forks_with_torch: Forks) -> None:
    done = forks_with_torch.run_command(
        tmp_path, "patterns", "_sfdp_pattern_fife", "--target=cpu-avx512"
    )
    assert done.ret == 2 and "did you mean '_sfdp_pattern_" in done.stderr.str()


def test_what_differs_but_does_not_fire_is_no_difference() -> None:
    pattern = Replaced("mine", None, torch.sin, torch.cos, (torch.randn(2, 3),), {})
    every = {name for name, _ in tried.kinds(pattern.inputs)}
    assert every >= {
        "expanded, with stride 0",
        "in float16",
        "whose argument 1 has a row of 2",
    }
    result = tried.tried(pattern, "cpu-avx2")
    assert (result.differences, result.fires, result.failed) == ((), False, "")


def test_random_patterns_are_not_compared() -> None:
    pattern = Replaced(
        "mine",
        None,
        torch.bernoulli,
        torch.bernoulli,
        (torch.zeros(2, 64, dtype=torch.bool),),
        {},
    )
    noisy = Replaced(
        "mine",
        None,
        lambda x: torch.rand_like(x),
        lambda x: x,
        (torch.randn(2, 64),),
        {},
    )
    assert tried.tried(noisy, "cpu-avx2").failed == "it draws random numbers"
    assert tried.tried(pattern, "cpu-avx2").failed


def test_differences_in_words() -> None:
    one = torch.tensor([1.0, math.nan])
    assert tried.difference(one, one + 1e-9) == ""
    assert "worst at [0]: compiled 1.5, eager 1" in tried.difference(
        one, torch.tensor([1.5, math.nan])
    )
    assert "worst at [1]: compiled 0, eager nan" in tried.difference(
        one, torch.tensor([1.0, 0.0])
    )
    assert (
        tried.difference(one, one.double())
        == "compiled has dtype torch.float64, eager torch.float32"
    )
    assert "compiled inf, eager 1" in tried.difference(
        one, torch.tensor([math.inf, math.nan])
    )


def test_what_a_pattern_writes_counts_and_how_it_rounds_does_not() -> None:
    x = torch.tensor([1.0, 100.0]).half()

    def search() -> Any:
        return (x * 3.3) * 7.7

    assert tried.difference(search(), x * 25.41, search) == ""
    assert tried.difference(search(), x * 25.9, search).startswith(
        "2 of 2 elements differ"
    )
    assert tried.difference(x * 1000 / 1000, x * 1, lambda: x * 1000 / 1000) == ""
    narrow = torch.float8_e4m3fn
    assert tried.difference(
        (x * 3.3).to(narrow).half(), x * 3.3, lambda: (x * 3.3).to(narrow).half()
    )


def test_programs_for_a_pattern_that_a_function_handles() -> None:
    permute, name = torch.ops.aten.permute.default, matching.KeywordArg
    twice = matching.CallFunction(
        permute, matching.CallFunction(permute, name("x"), name("first")), name("then")
    )
    program, [given], *_ = next(registered.instances(twice, "cpu"))
    assert program(given)[0].shape == (8, 8) and [
        str(node.target) for node in program.graph.nodes
    ][1:3] == 2 * [str(permute)]
    # Of a list of the same, each is another one of what is read.
    halves = matching.CallFunction(
        torch.split, matching.Ignored(), name("sections"), _users=matching.MULTIPLE
    )
    parts = matching.ListOf(
        matching.CallFunction(operator.getitem, halves, matching.Ignored())
    )
    program, given, *_ = next(
        registered.instances(matching.CallFunction(torch.cat, parts), "cpu")
    )
    assert torch.equal(program(*given)[0], given[0]) and len(given) == 1
    with pytest.raises(registered.NotMade, match="argument equation is of type str"):
        next(registered.instances(matching.CallFunctionVarArgs(torch.einsum), "cpu"))


def full_pattern() -> Any:
    """`aten.full`, which takes no tensor, with all of its keyword arguments."""
    name = matching.KeywordArg
    return matching.CallFunction(
        torch.ops.aten.full.default,
        name("shape"),
        name("value"),
        dtype=name("dtype"),
        layout=matching.Ignored(),
        device=name("device"),
        pin_memory=False,
    )


def test_an_argument_may_be_a_number_or_broadcast_and_a_program_may_take_nothing() -> (
    None
):
    aten, name = torch.ops.aten, matching.KeywordArg
    products = registered.instances(
        matching.CallFunction(aten.mul.Tensor, name("x"), name("y")), "cpu"
    )
    shapes = [
        [tuple(each.shape) for each in given]
        for _, given, *_ in itertools.islice(products, 5)
    ]
    assert shapes == [
        [(8, 8), (8, 8)],
        [(8, 8)],
        [(8, 1), (8, 8)],
        [(8, 8)],
        [(8, 8), (8, 1)],
    ]
    program, inputs, *_ = next(registered.instances(full_pattern(), "cpu"))
    assert inputs == [] and program()[0].shape == (8, 8)


def test_what_a_pattern_does_not_name_is_tried_too() -> None:
    """torch ignores keyword arguments that a pattern does not name."""
    pattern = matching.CallFunction(
        torch.ops.aten.cumsum.default, full_pattern(), matching.KeywordArg("dim")
    )
    found = registered.variants(
        pattern, "cpu", next(registered.instances(pattern, "cpu"))
    )
    programs = {each.words: each.program for each in found}
    assert programs["with dtype=torch.bfloat16"]()[0].dtype == torch.bfloat16
    assert (
        programs["without dimensions"]()[0].shape == ()
        and "with dtype=torch.bool" in programs
    )


def summed(x: torch.Tensor) -> torch.Tensor:
    return x.cumsum(0)


def summed_of_floats(x: torch.Tensor) -> torch.Tensor:
    return x.cumsum(0) if x.is_floating_point() else x


def test_a_pattern_that_is_wrong_in_one_dtype_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pattern = Replaced("mine", None, summed, summed_of_floats, (torch.randn(8, 3),), {})
    monkeypatch.setattr(tried, "_fires", lambda *_: True)
    [found] = tried.tried(pattern, "cpu-avx2").differences
    assert found.inputs == "in int64" and "compiled is wrong" in found.what
