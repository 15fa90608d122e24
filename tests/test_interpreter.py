"""Numerics on virtual GPUs: wrong kernels are found and named with their line, correct programs are never blamed."""

from __future__ import annotations

import linecache
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F
import triton.language as tl
from torch import Tensor, nn
from torch._higher_order_ops.associative_scan import associative_scan
from torch._inductor.runtime import triton_helpers
from torch.nn.attention.flex_attention import flex_attention
from torch.utils.checkpoint import checkpoint
from triton.runtime import autotuner, interpreter, jit

from pytest_compile_golden import capture, numerics
from pytest_compile_golden.errors import NotInterpretable
from pytest_compile_golden.features.numerics import judge
from pytest_compile_golden.features.numerics.interpreter import (
    checked_memory,
    interpreted_graph,
    interpreted_kernel,
)
from pytest_compile_golden.features.numerics.interpreter.buffer_reuse import marked
from pytest_compile_golden.features.numerics.interpreter.interpreted_kernel import (
    InterpretedKernel,
)
from pytest_compile_golden.features.numerics.interpreter.kernel_faults import Fault
from pytest_compile_golden.features.numerics.interpreter.machine import Machine
from pytest_compile_golden.features.numerics.interpreter.triton_language import (
    language_parts,
)
from pytest_compile_golden.targets import active_target
from pytest_compile_golden.targets.cuda_operators import on_cpu
from tests.forked import Forks, RunInProject
from tests.planted import swap_operands
from tests.planted_kernels import (
    WRONG_KERNELS,
    WrongKernel,
    dropped_out,
    sum_of_exp,
    with_assembly,
    with_constants,
)
from tests.planted_wrappers import WRONG_WRAPPERS, WrongWrapper
from tests.programs import layer_norm_gelu, layer_norm_inputs, mlp

TARGET = "cuda-sm90"
aten = torch.ops.aten


def edit_kernels(patch: pytest.MonkeyPatch, edit: Callable[[str], str]) -> list[str]:
    """Edit the text of each kernel before it is loaded; the names of the edited ones go into the list returned."""
    original = Machine.kernel
    edited = []

    def kernel(self: Machine, name: str, source: str) -> InterpretedKernel:
        text = edit(source)
        if text != source:
            edited.append(name)
        return original(self, name, text)

    patch.setattr(Machine, "kernel", kernel)
    return edited


def test_the_language_is_as_it_was_after_kernels_were_interpreted() -> None:
    """Triton 3.5 leaves it as its interpreter has made it: what is compiled afterwards would be interpreted."""
    owners = language_parts()
    before = [dict(vars(owner)) for owner in owners]
    numerics(lambda x: x.relu().sum(), torch.ones(64), target=TARGET)
    after = [dict(vars(owner)) for owner in owners]
    assert after == before


def test_an_interpreter_that_lacks_what_is_used_is_not_used(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = dict(vars(tl))
    monkeypatch.delattr(interpreter, "_implicit_cvt")
    with pytest.raises(NotInterpretable, match=r"interpreter\._implicit_cvt"):
        numerics(lambda x: torch.relu(x) + 1, torch.ones(64), target=TARGET)
    assert vars(tl) == before


@pytest.mark.parametrize("wrong", WRONG_KERNELS, ids=lambda wrong: wrong.name)
def test_wrong_kernel_is_found_and_its_line_named(
    wrong: WrongKernel, monkeypatch: pytest.MonkeyPatch
) -> None:
    torch.manual_seed(0)
    inputs = wrong.inputs()
    with monkeypatch.context() as patch:
        edited = edit_kernels(patch, wrong.edit)
        found = numerics(wrong.program, *inputs, target=TARGET)
    assert not found, str(found)
    assert edited and found.findings, str(found)
    assert {finding.kernel for finding in found.findings} <= set(edited), str(found)
    assert any(
        finding.kind == wrong.kind and wrong.line in finding.source
        for finding in found.findings
    ), str(found)


def soft_capped(query: Tensor, key: Tensor, value: Tensor, cap: Tensor | float) -> Any:
    return flex_attention(
        query, key, value, score_mod=lambda score, *_: cap * torch.tanh(score / cap)
    )


def attention_inputs(*, train: bool) -> list[Tensor]:
    torch.manual_seed(0)
    return [
        torch.randn(1, 1, 128, 16, dtype=torch.bfloat16, requires_grad=train)
        for _ in range(3)
    ]


@pytest.mark.parametrize(("cap", "train"), [(torch.tensor(2.0), False), (2.0, True)])
def test_flex_attention_is_compared_with_float64(
    cap: Tensor | float, train: bool
) -> None:
    inputs = attention_inputs(train=train)
    correct = numerics(soft_capped, *inputs, cap, target=TARGET, train=train)
    assert correct and not correct.not_compared, str(correct)


def test_wrong_flex_attention_is_blamed(monkeypatch: pytest.MonkeyPatch) -> None:
    # More would only say once more that roundings do not change as much: each compiles what attention is given.
    monkeypatch.setattr(judge, "_MOVES", range(2))
    edited = edit_kernels(
        monkeypatch, lambda text: text.replace("libdevice.tanh", "libdevice.atan")
    )
    inputs = attention_inputs(train=True)
    wrong = numerics(soft_capped, *inputs, 2.0, target=TARGET, train=True)
    assert edited and {difference.verdict for difference in wrong.differences} == {
        "compiled"
    }, str(wrong)


@pytest.mark.parametrize("wrong", WRONG_WRAPPERS, ids=lambda wrong: wrong.name)
def test_wrong_wrapper_is_found_and_its_reader_named(
    wrong: WrongWrapper, monkeypatch: pytest.MonkeyPatch
) -> None:
    torch.manual_seed(0)
    inputs = torch.randn(32, 32), torch.randn(32, 32)
    assert numerics(wrong.program, *inputs, target=TARGET, config=wrong.config)
    monkeypatch.setattr(
        interpreted_graph, "marked", lambda code: marked(wrong.edit(code))
    )
    found = numerics(wrong.program, *inputs, target=TARGET, config=wrong.config)
    assert not found, str(found)
    finding = found.findings[-1]
    assert (finding.kernel, finding.kind) == (wrong.reader, wrong.kind), str(found)
    assert wrong.line in finding.source and wrong.text in finding.text, str(found)


def _counted(x: Tensor, seen: Tensor) -> Tensor:
    seen.add_(1)
    return torch.cat([x.softmax(-1), x.cumsum(-1)], 1)[:, ::2] * seen


def _embedded(tokens: Tensor, table: Tensor) -> Tensor:
    torch._dynamo.graph_break()
    return F.embedding(tokens, table).mean(1)


def _stepped(x: Tensor, weight: Tensor) -> Tensor:
    weight = weight.detach()
    weight.grad = x.sin()
    torch.optim.SGD([weight], lr=0.1, momentum=0.9, nesterov=True).step()
    return weight.grad


CORRECT: dict[str, Callable[[], tuple[Callable[..., Any], tuple[Any, ...], bool]]] = {
    "training": lambda: (mlp(), (torch.randn(7, 16),), True),
    "mutation, scan, concatenation": lambda: (
        _counted,
        (torch.randn(9, 33), torch.zeros(())),
        False,
    ),
    "gather after a graph break": lambda: (
        _embedded,
        (torch.randint(0, 50, (5, 11)), torch.randn(50, 19)),
        True,
    ),
    "Welford in bfloat16": lambda: (
        layer_norm_gelu,
        tuple(x.bfloat16() for x in layer_norm_inputs()),
        False,
    ),
    "float8": lambda: (
        lambda x: (x * 3).to(torch.float8_e4m3fn).to(torch.float32),
        (torch.randn(131) * 99,),
        False,
    ),
    "sort": lambda: (lambda x: x.sort(-1), (torch.randn(5, 50),), False),
    "one number added at many places": lambda: (
        lambda i: torch.zeros(9, device=i.device).index_add(
            0, i, torch.ones_like(i) * 1.0
        ),
        (torch.randint(0, 9, (64,)),),
        False,
    ),
    # The quotients are exact, and half way between two numbers of the dtype; GPUs multiply with the reciprocal.
    "quotients as float8": lambda: (
        lambda x: (x / (x.amax() / 448)).to(torch.float8_e4m3fn).float(),
        (torch.tensor([2.40625, 0.494140625, -0.25]),),
        False,
    ),
    "quotients of whole numbers": lambda: (
        lambda x: (x / 41).floor(),
        (torch.arange(0, 4100, 41),),
        False,
    ),
    "look-back": lambda: (lambda x: x.cumsum(0), (torch.randn(70001),), False),
    "dropout": lambda: (lambda x: F.dropout(x, 0.3) + x, (torch.randn(131),), False),
    "a result that is None": lambda: (
        partial(
            nn.MultiheadAttention(8, 2, batch_first=True).eval(), need_weights=False
        ),
        3 * (torch.randn(2, 5, 8),),
        False,
    ),
    "truncated normal": lambda: (
        lambda x: nn.init.trunc_normal_(x.sin()) * x,
        (torch.randn(33),),
        False,
    ),
    "dropout under checkpoint": lambda: (
        lambda x: checkpoint(lambda y: F.dropout(y.sin(), 0.3), x, use_reentrant=False),
        (torch.randn(131, requires_grad=True),),
        True,
    ),
    "attention with dropout under checkpoint": lambda: (
        lambda x: checkpoint(
            lambda y: F.scaled_dot_product_attention(y, y.sin(), y, dropout_p=0.1),
            x,
            use_reentrant=False,
        ),
        (torch.randn(1, 2, 64, 64, requires_grad=True),),
        True,
    ),
    "the user's kernel": lambda: (dropped_out, (torch.randn(131),), False),
    "the user's kernel, with constants": lambda: (
        with_constants,
        (torch.randn(131),),
        False,
    ),
    "attention": lambda: (
        lambda q, k, v: F.scaled_dot_product_attention(q, k, v).relu(),
        tuple(torch.randn(1, 2, 33, 16) for _ in range(3)),
        True,
    ),
    "several stores to one element": lambda: (
        lambda x, i, v: x.index_put((i,), v),
        (torch.zeros(9), torch.tensor([3, 1, 3]), torch.randn(3)),
        False,
    ),
    "gradient that a step writes to": lambda: (
        _stepped,
        (torch.randn(33), torch.randn(33)),
        False,
    ),
    "norms of bfloat16": lambda: (
        nn.Sequential(nn.BatchNorm1d(16), nn.LayerNorm(16)).bfloat16(),
        (torch.randn(7, 16, dtype=torch.bfloat16),),
        True,
    ),
    "frozen batch norm of float16": lambda: (
        nn.BatchNorm1d(16).half().eval(),
        (torch.randn(7, 16, dtype=torch.float16, requires_grad=True),),
        True,
    ),
    "second derivatives": lambda: (
        torch.func.hessian(lambda x: (x**3).sum()),
        (torch.randn(5),),
        False,
    ),
    "branch": lambda: (
        lambda x: torch.cond(x.sum() > 0, lambda x: x.sin(), lambda x: x.cos(), (x,)),
        (torch.randn(33),),
        False,
    ),
}


def descending(graph: Any) -> None:
    """A pass that sorts the other way round."""
    for node in graph.nodes:
        if node.target in (aten.sort.default, aten.sort.stable):
            node.update_kwarg("descending", True)


def test_a_zero_that_comes_of_half_precision_out_of_range_is_no_ones_fault() -> None:
    torch.manual_seed(0)
    found = numerics(lambda x: 1 / (x * 2), torch.randn(64).half(), target=TARGET)
    assert found and {each.verdict for each in found.special} <= {"fusion"}, str(found)
    assert "emulate_precision_casts" in str([each.reason for each in found.found])


def without_sin(graph: Any) -> None:
    """A pass that drops a sine."""
    for node in graph.nodes:
        if node.target is aten.sin.default:
            node.replace_all_uses_with(node.args[0])


def test_the_order_of_equal_values_is_undefined() -> None:
    torch.manual_seed(0)
    x = torch.randint(0, 4, (33, 4)).float()
    x[::5] = torch.nan
    found = numerics(lambda x: (x.sort(0), x.argsort(-1).cumsum(-1)), x, target=TARGET)
    assert found and found.other("undefined"), str(found)
    assert all("equal values" in each.reason for each in found.other("undefined"))
    found = numerics(lambda x: x.sort(dim=0, stable=True), x, target=TARGET)
    assert found and not found.other("undefined"), str(found)
    config = {"post_grad_custom_post_pass": descending}
    found = numerics(lambda x: x.sort(0), x, target=TARGET, config=config)
    assert found.first is not None, str(found)
    assert (found.first.what, found.first.verdict) == ("output[0]", "compiled")


def test_the_order_in_which_a_scan_combines_is_undefined() -> None:
    def scan(combine: Any) -> Any:
        return lambda x: associative_scan(
            combine, x.sin(), dim=0, combine_mode="pointwise"
        )

    torch.manual_seed(0)
    x = torch.randn(65, 4)
    found = numerics(scan(lambda a, b: a * 0.5 + b), x, target=TARGET)
    assert found and found.other("undefined"), str(found)
    assert all("combines numbers" in each.reason for each in found.other("undefined"))
    config = {"post_grad_custom_post_pass": without_sin}
    found = numerics(scan(lambda a, b: a + b), x, target=TARGET, config=config)
    assert found.first is not None and not found.other("undefined"), str(found)
    assert (found.first.what, found.first.verdict) == ("output", "compiled")


@pytest.mark.parametrize("name", CORRECT)
def test_correct_programs_are_not_blamed(name: str) -> None:
    torch.manual_seed(0)
    program, inputs, train = CORRECT[name]()
    found = numerics(program, *inputs, train=train, target=TARGET)
    assert found, str(found)
    assert found.launches and found.compared


def test_each_kernel_is_launched_with_several_block_sizes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sizes: list[dict[str, int]] = []
    original = interpreted_kernel.choose

    def choose(*how: Any) -> Any:
        chosen = original(*how)
        sizes.append(chosen.kwargs)
        return chosen

    monkeypatch.setattr(interpreted_kernel, "choose", choose)
    found = numerics(lambda x: x.sum(-1), torch.randn(30, 5000), target=TARGET)
    # The last three with special values.
    assert found.launches == {"triton_red_fused_sum_0": 8}
    assert sizes[0] == sizes[3] == sizes[4]
    assert all(sizes[1][name] * 2 == sizes[0][name] for name in ("XBLOCK", "R0_BLOCK"))


def test_large_launches_have_few_programs_where_blocks_of_any_size_are_right(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A multiple of Inductor's largest block has no mask, so that blocks must divide it."""
    sizes: list[int] = []
    original = interpreted_kernel.choose

    def choose(*how: Any) -> Any:
        chosen = original(*how)
        sizes.append(chosen.kwargs["XBLOCK"])
        return chosen

    monkeypatch.setattr(interpreted_kernel, "choose", choose)
    for numel, largest in ((300_000, 1 << 17), (5 << 14, 1 << 14)):
        sizes.clear()
        assert numerics(lambda x: x.relu(), torch.randn(numel), target=TARGET)
        assert max(sizes) == largest


def test_random_blocks_are_not_much_smaller_than_the_largest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    chosen: list[dict[str, int]] = []
    original = interpreted_kernel.choose

    def choose(
        kernel: InterpretedKernel, how: str, seed: int, numels: Mapping[str, int]
    ) -> Any:
        chosen.extend(
            original(kernel, interpreted_kernel.RANDOM, each, numels).kwargs
            for each in range(40)
        )
        return original(kernel, how, seed, numels)

    monkeypatch.setattr(interpreted_kernel, "choose", choose)
    assert numerics(lambda x: x.sum(-1), torch.randn(30, 5000), target=TARGET)
    sizes = [each["XBLOCK"] * each["R0_BLOCK"] for each in chosen]
    assert max(sizes) == 8 * min(sizes)
    # Each shrunk by 1, 2, 4 or 8, together by 8.
    assert len({(each["XBLOCK"], each["R0_BLOCK"]) for each in chosen}) == 10


def test_the_process_is_left_as_it_was() -> None:
    patched = (
        tl,
        tl.core,
        tl.math,
        tl.tensor,
        tl.dtype,
        tl.core.tensor_descriptor_base,
        triton_helpers,
    )

    def state() -> list[object]:
        own_files = {path for path in linecache.cache if "compile-golden" in path}
        owners = (*patched, jit.JITFunction, autotuner.Autotuner, interpreter)
        return [
            *(
                {name: id(value) for name, value in vars(owner).items()}
                for owner in owners
            ),
            own_files,
        ]

    captured = capture(sum_of_exp, torch.randn(9, 100), target=TARGET)
    assert "__repr__" not in vars(tl.tensor)
    # For what is imported or read only once.
    numerics(sum_of_exp, torch.randn(9, 100), target=TARGET)
    assert "__repr__" not in vars(tl.tensor)
    before = state()
    assert numerics(sum_of_exp, torch.randn(9, 100), target=TARGET)
    assert state() == before
    again = capture(sum_of_exp, torch.randn(9, 100), target=TARGET)
    assert again.stages == captured.stages
    assert all(again[stage].text == captured[stage].text for stage in captured.stages)
    assert active_target() is None


def test_what_cannot_be_interpreted_is_named() -> None:
    def program(x: Tensor) -> Tensor:
        return with_assembly(x)

    with pytest.raises(NotInterpretable, match="assembly_kernel: inline assembly"):
        numerics(program, torch.randn(33), target=TARGET)


def test_cpp_code_is_not_silently_skipped() -> None:
    def step_on_the_cpu(x: Tensor) -> Tensor:
        return (x + 1).cpu().sin().to(x.device) * x

    with pytest.raises(NotInterpretable, match=r"a C\+\+ kernel"):
        numerics(step_on_the_cpu, torch.randn(33), target=TARGET)


def test_a_graph_with_a_wrapper_in_cpp_is_run_by_one_in_python(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def program(x: Tensor) -> Tensor:
        return (x - x.flip(0)).sin()

    found = numerics(
        program, torch.randn(33), target=TARGET, config={"cpp_wrapper": True}
    )
    assert found and found.launches, str(found)
    assert "the wrapper in C++: the same graph was run by its wrapper in Python" in str(
        found
    )
    swap_operands(monkeypatch)
    assert not numerics(
        program, torch.randn(33), target=TARGET, config={"cpp_wrapper": True}
    )


@pytest.mark.parametrize(
    "setting",
    [{"triton.enable_pdl": True}, {"triton.codegen_upcast_to_fp32": False}],
    ids=str,
)
def test_kernels_compiled_with_other_settings(setting: dict[str, bool]) -> None:
    found = numerics(
        lambda x: x * 2 + 1, torch.randn(131).bfloat16(), target=TARGET, config=setting
    )
    assert found, str(found)
    assert found.launches


def test_a_size_that_depends_on_values() -> None:
    config = {"dynamo.capture_dynamic_output_shape_ops": True}
    found = numerics(
        lambda x: x.nonzero() * 2, torch.randn(63).relu(), target=TARGET, config=config
    )
    assert found, str(found)
    assert found.launches


def test_every_candidate_of_a_multi_kernel_is_run() -> None:
    found = numerics(
        torch.softmax,
        torch.randn(16, 256),
        -1,
        target=TARGET,
        config={"triton.multi_kernel": 1},
    )
    assert found, str(found)
    assert {name[:10] for name in found.launches or ()} == {"triton_red", "triton_per"}


def test_frozen_weights() -> None:
    found = numerics(
        torch.nn.Linear(16, 16),
        torch.randn(8, 16),
        target=TARGET,
        config={"freezing": True},
    )
    assert found, str(found)


def test_more_work_than_can_be_interpreted_in_seconds_is_reported(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Work is counted per call, not over all calls."""
    monkeypatch.setattr(checked_memory, "ELEMENTS", 1 << 20)
    assert numerics(lambda x: x + 1, torch.randn(1 << 19), target=TARGET)
    with pytest.raises(
        NotInterpretable, match="one call loads and stores more than 1 million elements"
    ):
        numerics(lambda x: x + 1, torch.randn((1 << 19) + 1), target=TARGET)


@pytest.mark.parametrize(
    ("limit", "value", "message"),
    [
        ("ACCESSES", 64, "one launch makes more than 64 loads"),
        ("ELEMENTS", 1 << 20, "more than 1 million elements"),
    ],
)
def test_far_too_much_work_is_refused_before_it_is_done(
    limit: str, value: int, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded: list[int] = []
    original = checked_memory.Memory.load

    def load(self: checked_memory.Memory, *args: Any) -> Any:
        loaded.append(args[3])
        return original(self, *args)

    monkeypatch.setattr(checked_memory.Memory, "load", load)
    monkeypatch.setattr(checked_memory, limit, value)
    monkeypatch.setattr(interpreted_kernel, "_ELEMENTS", 1 << 14)
    with pytest.raises(NotInterpretable, match=message):
        numerics(lambda x: x + 1, torch.randn(1 << 21), target=TARGET)  # 128 programs
    assert loaded == list(range(1, 9))


def test_float16_products_are_accumulated_in_float32() -> None:
    """As GPU libraries do."""
    a, b, bias = (torch.randn(64, 64).half() for _ in range(3))
    exact = torch.addmm(bias.float(), a.float(), b.float(), beta=0.5, alpha=2).half()
    addmm, out = torch.ops.aten.addmm, torch.empty(0, dtype=torch.half)
    assert torch.equal(on_cpu(addmm.default)(bias, a, b, beta=0.5, alpha=2), exact)
    assert on_cpu(addmm.out)(bias, a, b, beta=0.5, alpha=2, out=out) is out
    assert torch.equal(out, exact)
    assert torch.equal(
        on_cpu(torch.ops.aten.bmm.default)(a[None], b[None]),
        (a.float() @ b.float()).half()[None],
    )
    assert (
        on_cpu(torch.ops.aten.mm.default)(a.double(), b.double()).dtype == torch.float64
    )


def test_gradients_of_large_values_are_not_compared() -> None:
    """Their softmax saturates, and all that is left of its gradient is rounding errors."""
    program, x = torch.nn.Softmax(-1), torch.randn(3, 5, dtype=torch.float16)
    assert (
        numerics(program, x, target=TARGET).calls
        == numerics(program, x, target=TARGET, train=True).calls + 1
    )


SUITE = """
import torch
from tests.planted_kernels import replaced, subtract, with_assembly
from tests.test_interpreter import edit_kernels

def test_right(numerics, compile_stages):
    x = torch.randn(7, 143)
    assert x.is_cuda and x.sum().item() == x.sum().item()  # what is made in the test has values
    assert numerics(subtract, x, x + 1)
    assert "kernels = 1" in compile_stages(subtract, x, x + 1)["metrics"].text  # and is captured without them
    assert torch.ones(2).tolist() == [1, 1]

def test_wrong(numerics, monkeypatch):
    edit_kernels(monkeypatch, replaced(r"out_ptr0 \\+ \\(x0\\)", "out_ptr0 + (x0 + 1)"))
    assert numerics(subtract, torch.randn(7, 143), torch.randn(7, 143))

def test_captured(compile_stages, monkeypatch):
    edit_kernels(monkeypatch, replaced("tmp2 - tmp3", "tmp3 - tmp2"))
    compile_stages(subtract, torch.randn(7, 143), torch.randn(7, 143))

def test_not_interpreted(compile_stages):
    compile_stages(lambda x: with_assembly(x), torch.randn(33))

def test_other_backend(compile_stages):
    compile_stages(torch.sin, torch.randn(33), backend="aot_eager")
"""


def test_in_cases(project: pytest.Pytester, compiling: RunInProject) -> None:
    project.makepyfile(test_numbers=SUITE)
    run = compiling("--compile-golden-target=cuda-sm90", "--compile-golden-numerics")
    run.assert_outcomes(passed=3, failed=2)
    text = run.stdout.str()
    assert "writes element 1001 of a buffer of 1001 elements (1 out of bounds)" in text
    assert "tl.store(out_ptr0 + (x0 + 1), tmp5, xmask)" in text
    assert "buf0 does not have the value of exp: 1001 of 1001 elements differ" in text
    assert (
        "numerics is unavailable" in text and "assembly_kernel: inline assembly" in text
    )
    assert "numerics runs what Inductor generates" in text


def test_kernels_compile_after_others_were_interpreted(
    tmp_path: Path, forks_with_bare_torch: Forks
) -> None:
    """In a process in which nothing was compiled before."""
    script = tmp_path / "program.py"
    script.write_text(
        "import torch, torch.nn.functional as F\n"
        "from pytest_compile_golden import capture, numerics\n"
        "assert numerics(torch.sin, torch.randn(64), target='cuda-sm90')\n"
        "x = torch.randn(256, 256, dtype=torch.bfloat16)\n"
        "options = {'policy': 'triton', 'config': {'max_autotune': True}}\n"
        "captured = capture(lambda x: F.relu(x @ x), x, target='cuda-sm90', **options)\n"
        "print(captured['kernel_resources']['tensor_core'] > 0)\n"
    )
    done = forks_with_bare_torch.run_script(tmp_path, script)
    assert done.outlines == ["True"], done.stdout.str() + done.stderr.str()


def test_a_program_without_kernels_is_right_as_far_as_library_calls_go() -> None:
    found = numerics(torch.mm, torch.randn(8, 8), torch.randn(8, 8), target="cuda-sm90")
    assert found and found.launches == {}
    assert (
        "values compared with eager, no kernel launched: only library calls and views: right"
        in str(found)
    )
    assert "right, no kernel launched: only library calls and views" in repr(found)
    assert "only library calls and views" not in str(
        numerics(torch.sin, torch.randn(8), target="cuda-sm90")
    )


def test_what_a_cuda_graph_overwrites_is_not_read_again() -> None:
    """Neither results of earlier calls nor gradients, which add up outside its memory."""
    torch.manual_seed(0)
    found = numerics(
        nn.Linear(8, 8),
        torch.randn(4, 8),
        target="cuda-sm90",
        mode="reduce-overhead",
        train=True,
    )
    assert found, str(found)
    assert [line.partition(",")[0] for line in found.not_compared] == [
        "what earlier calls returned"
    ], str(found)


def test_a_wrong_kernel_of_a_cuda_graph_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    swap_operands(monkeypatch)
    found = numerics(
        lambda x, y: x.sin() - y,
        *torch.randn(2, 8),
        target="cuda-sm90",
        mode="reduce-overhead",
    )
    assert not found
    assert [(each.kind, each.line > 0) for each in found.findings] == [
        ("value", True)
    ], str(found)


def test_kernels_are_not_to_blame_for_random_numbers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Those of a program with a wrong result are compared with operators that draw the same numbers."""
    swap_operands(monkeypatch)
    torch.manual_seed(0)
    found = numerics(
        lambda x, y: ((torch.rand_like(x) * x).relu(), x - y),
        *torch.randn(2, 64),
        target="cuda-sm90",
        config={"fallback_random": True},
    )
    assert not found
    assert ["of sub" in each.text for each in found.findings] == [True], str(found)


def test_a_result_at_the_address_of_a_storage_that_is_gone_is_a_new_buffer() -> None:
    """Who wrote to the old one has not written to it."""
    place = np.zeros(4, np.float32)
    memory = checked_memory.Memory(lambda: 0)
    first = torch.from_numpy(place)
    memory.register(first)
    second = memory.holders.new("buf1", first)
    memory.record_write(second, "a kernel", in_place=False)
    with pytest.raises(Fault, match="has belonged to buf1 since a kernel wrote to it"):
        memory.check_read(first, "a library call")
    del first, second
    memory.check_read(torch.from_numpy(place), "a library call")
