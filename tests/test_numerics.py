"""Numerics on the machine's own CPU: planted bugs are found and named, correct programs are never blamed."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.torch_version import TorchVersion

from pytest_compile_golden import Call, numerics
from pytest_compile_golden.errors import (
    AlreadyCompiled,
    CaptureFailed,
    CompileGoldenError,
    EagerFailed,
    NeedsNativeTarget,
    NothingCompiled,
)
from pytest_compile_golden.features.numerics.exact_reference import Exact
from pytest_compile_golden.features.numerics.judge import refuses
from pytest_compile_golden.features.numerics.program_copies import snapshot
from pytest_compile_golden.features.numerics.run_calls import Step, run
from tests.forked import RunInProject
from tests.planted import (
    BUGS,
    SPECIAL_BUGS,
    Bug,
    clamped,
    dense_allocations,
    swap_operands,
)
from tests.programs import broken_graph


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.name)
def test_planted_bug_is_found_and_named(
    bug: Bug, monkeypatch: pytest.MonkeyPatch
) -> None:
    torch.manual_seed(0)
    inputs = bug.inputs()
    with monkeypatch.context() as patch:
        bug.plant(patch)
        found = numerics(bug.program, *inputs, train=bug.train)
    assert not found
    assert found.first is not None
    assert (found.first.what, found.first.kind, found.first.call) == (
        bug.what,
        bug.kind,
        bug.call,
    ), str(found)
    assert found.first.verdict == bug.verdict
    assert not found.not_compared
    assert bug.kind != "alias" or not any(
        each.kind == "alias" for each in found.special
    ), str(found)


@pytest.mark.parametrize("bug", SPECIAL_BUGS, ids=lambda bug: bug.name)
def test_planted_bug_that_only_special_values_show(
    bug: Bug, monkeypatch: pytest.MonkeyPatch
) -> None:
    torch.manual_seed(0)
    with monkeypatch.context() as patch:
        bug.plant(patch)
        found = numerics(bug.program, *bug.inputs(), layouts=bug.call.startswith("a "))
    assert found, str(found)
    assert (bug.what, bug.kind, bug.call, bug.verdict) in {
        (each.what, each.kind, each.call, each.verdict) for each in found.special
    }, str(found)


def test_a_difference_says_how_much_and_where(monkeypatch: pytest.MonkeyPatch) -> None:
    x, y = torch.zeros(4, 4), torch.zeros(4, 4)
    x[2, 3] = 5.0
    swap_operands(monkeypatch)
    found = numerics(lambda x, y: (x + y, x - y), x, y)
    assert found.differences[0].sentence == (
        "1 of 16 elements differ; worst at [2, 3]: compiled -5, eager 5, as written 5; compiled is wrong"
    )
    assert "3 calls" in str(found) and "output[1], call 1: 1 of 16" in str(found)
    assert "\n" not in repr(found) and "output[1]" in repr(found)


def near_ties(
    x: Tensor, long: Tensor, mask: Tensor, names: list[str]
) -> dict[str, Any]:
    """Sums that nearly cancel, an arg-max decided by rounding, infinities, NaNs, integers, other leaves."""
    half = x.bfloat16()
    masked = torch.where(mask, x, -math.inf)
    return {
        "sum": x.sum(),
        "best": (half @ half).argmax(-1),
        "softmax": masked.softmax(-1),
        "nan": (x - x) / (x - x),
        "cancels": (long * 1000).sum(-1),
        "rounded": (long.sum(-1) * 1000).round().to(torch.int32),
        "rest": (x.shape[0], None, names, 0.5),
    }


def test_correct_programs_are_not_blamed() -> None:
    torch.manual_seed(0)
    mask = torch.randn(64, 64) > 0
    mask[3] = False
    found = numerics(near_ties, torch.randn(64, 64), torch.randn(1024, 64), mask, ["a"])
    assert found, str(found)
    model = torch.nn.Sequential(
        torch.nn.Linear(16, 32),
        torch.nn.BatchNorm1d(32),
        torch.nn.Dropout(0.3),
        torch.nn.GELU(),
        torch.nn.Linear(32, 4),
    )
    before = {name: value.clone() for name, value in model.state_dict().items()}
    x = torch.randn(8, 16)
    state = torch.random.get_rng_state()
    found = numerics(model, x, train=True)
    assert found, str(found)
    # For each of 3 calls: output, gradients of 6 parameters; afterwards those parameters, 3 buffers and the input.
    assert found.calls == 3 and found.compared == 3 * (1 + 6 + 6 + 3 + 1) + 2
    assert all(
        torch.equal(value, before[name]) for name, value in model.state_dict().items()
    )
    assert all(parameter.grad is None for parameter in model.parameters())
    assert torch.equal(state, torch.random.get_rng_state())


MODEL = torch.nn.Linear(4, 4)


def on_a_leaf(weight: Tensor, x: Tensor) -> Tensor:
    """Eager does this only without gradients."""
    return weight.add_(1) @ x


def test_inference_is_checked_with_gradients_enabled_too() -> None:
    torch.manual_seed(0)
    weight = torch.randn(4, 4, requires_grad=True)
    for program, inputs, calls in (
        (torch.nn.Linear(4, 4), (torch.randn(2, 4),), 4),
        (lambda x: (MODEL(x), x.view(-1)), (torch.randn(2, 4),), 4),
        (lambda x: (x.detach().sin(), x.view(-1), x), (weight,), 4),
        (lambda x: x.sin(), (torch.randn(4),), 3),
        (on_a_leaf, (weight, torch.randn(4)), 3),
    ):
        found = numerics(program, *inputs)
        assert found, str(found)
        assert found.calls == calls, program


def test_inference_tensors_are_checked_as_inference_tensors() -> None:
    with torch.inference_mode():
        x, model = torch.randn(2, 4), torch.nn.Linear(4, 4)
        assert numerics(lambda x: (model(x), x.view(-1)), x)
    own, (other, view), _ = snapshot(model, (x, x.view(-1)), {})
    assert isinstance(own, torch.nn.Linear)
    assert own.weight.is_inference() and other.is_inference() and view.is_inference()


class _Counts(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(torch.randn(3))
        self.calls = torch.nn.Buffer(torch.zeros(()))

    def forward(self, x: Tensor) -> Tensor:
        self.calls += 1
        return x * self.weight


@pytest.mark.parametrize(
    "program", [torch.copysign, lambda x, y: torch.copysign(x, y).exp() + 1]
)
def test_strides_that_a_fake_rule_gives_are_the_rules(program: Any) -> None:
    """The compiler only sees fake tensors, whose rule for this operator disagrees with it."""
    found = numerics(program, torch.randn(6, 5).t(), torch.randn(5, 6))
    assert not found and found.first is not None
    assert (found.first.kind, found.first.verdict) == ("strides", "fake_rule")
    assert found.first.text.endswith(
        "eager (1, 5): the fake rule of aten.copysign.Tensor is wrong"
    )


def test_values_that_no_call_writes_to_are_kept_once() -> None:
    """Otherwise each side would keep a model's parameters once per call."""
    original = _Counts()
    module = copy.deepcopy(original)
    calls = [Step(f"call {number}", Call((torch.randn(3),))) for number in range(3)]
    seen = run(
        module,
        calls,
        original=original,
        entry=None,
        cotangents=None,
        before=lambda index: None,
    )[:3]
    weights = [
        observed.values["parameter weight after the call"].values for observed in seen
    ]
    assert {weight.data_ptr() for weight in weights} == {original.weight.data_ptr()}
    counts = [
        observed.values["buffer calls after the call"].values for observed in seen
    ]
    assert [count.item() for count in counts] == [1, 2, 3]


def test_a_snapshot_shares_what_the_call_shares() -> None:
    model = torch.nn.Linear(4, 4)
    optimizer = torch.optim.SGD(model.parameters(), momentum=0.9)
    model(torch.randn(4)).sum().backward()
    optimizer.step()
    x = torch.randn(8)

    def train(x: Tensor, part: Tensor, weight: Tensor | None) -> tuple[Tensor, None]:
        return model(x), optimizer.step()

    calls = [(x, x[2:], model.weight), (x.view(2, 4), x, None)]
    own, _, options = snapshot(train, (), {"calls": calls, "train": True})
    (first, part, weight), (_, again, _) = options["calls"]
    closure = dict(
        zip(
            own.__code__.co_freevars,
            (cell.cell_contents for cell in own.__closure__ or ()),
            strict=True,
        )
    )
    assert (
        closure["model"].weight
        is weight
        is closure["optimizer"].param_groups[0]["params"][0]
    )
    assert weight is not model.weight and torch.equal(weight.grad, model.weight.grad)
    assert (
        closure["optimizer"].state[weight]["momentum_buffer"]
        is not optimizer.state[model.weight]["momentum_buffer"]
    )
    assert (
        first is again and part.data_ptr() == first[2:].data_ptr() != x[2:].data_ptr()
    )
    assert options["train"] is True


def attention(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Written by hand: Inductor replaces it with the library's kernel, whose result has the heads after the length."""
    q, k, v = (each.transpose(1, 2) for each in (q, k, v))
    return ((q @ k.transpose(-2, -1)) / 4.0).softmax(-1) @ v


KEEPS = TorchVersion(torch.__version__) >= "2.14"
"""Whether torch keeps eager's strides in inference where a pass of the joint graph changed them."""


@pytest.mark.parametrize("dynamic", [None, True])
def test_strides_changed_by_a_pass_are_named(dynamic: bool | None) -> None:
    found = numerics(attention, *torch.randn(3, 2, 8, 4, 16), dynamic=dynamic)
    assert found, str(found)
    assert {
        difference.what
        for difference in found.other_strides
        if difference.call == "call 1"
    } == (set() if KEEPS else {"output"})
    assert KEEPS or (
        "output, call 1: compiled has strides (512, 16, 64, 1), eager (512, 128, 16, 1): "
        "a joint-graph pass changed them"
    ) in str(found)


def test_of_strides_of_a_view_that_a_pass_made_the_order_is_kept() -> None:
    """Unless `strict_output_strides` is on, which torch has since 2.14."""
    found = numerics(
        torch.mm,
        *torch.randn(2, 125, 125),
        target="cuda-sm90",
        config={"force_shape_pad": True},
    )
    assert found, str(found)
    why = "it is a view" if KEEPS else "a joint-graph pass changed them"
    assert f"compiled has strides (128, 1), eager (125, 1): {why}" in str(found)


def test_of_strides_of_a_view_of_a_program_the_order_is_kept() -> None:
    """What it is a view of may be laid out in another way."""
    found = numerics(
        lambda x, weight: torch.nn.functional.conv2d(x, weight)[:, :1],
        torch.randn(2, 8, 9, 9),
        torch.randn(8, 8, 3, 3),
        target="cuda-sm90",
        config={"layout_optimization": True, "force_layout_optimization": True},
    )
    assert found, str(found)
    assert (
        "compiled has strides (392, None, 56, 8), eager (392, None, 7, 1): it is a view"
        in str(found)
    )


def test_strides_that_depend_on_values_are_named() -> None:
    config = {"dynamo.capture_dynamic_output_shape_ops": True}
    found = numerics(lambda x: x.nonzero() * 2, torch.ones(3, 4), config=config)
    assert found, str(found)
    assert found.other_strides[0].text == (
        "compiled has strides (2, 1), eager (1, 12): eager's depend on values, so Inductor does not keep them"
    )


def test_strides_of_other_results_are_still_wrong(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    dense_allocations(monkeypatch)
    found = numerics(
        lambda q, k, v, x: (attention(q, k, v), x.t() + 1),
        *torch.randn(3, 2, 8, 4, 16),
        torch.ones(4, 8),
    )
    assert found.first is not None and (found.first.what, found.first.kind) == (
        "output[1]",
        "strides",
    )
    assert {difference.what for difference in found.differences} == {"output[1]"}
    assert {difference.what for difference in found.other_strides} == (
        set() if KEEPS else {"output[0]"}
    )


def drop(*dropped: Any) -> Callable[[Any], None]:
    """A wrong pass, which takes these operators to return what they are given."""

    def passed(graph: Any) -> None:
        for node in [node for node in graph.nodes if node.target in dropped]:
            node.replace_all_uses_with(node.args[0])
            graph.erase_node(node)

    return passed


aten, cast = torch.ops.aten, torch.ops.prims.convert_element_type.default
SMALL = torch.float8_e4m3fn
FLOATS = (1.0, 4.26, -3.3, 0.7, 300.0)


@pytest.mark.parametrize(
    ("program", "dtype", "dropped"),
    [
        (lambda x: x.to(SMALL).float() + 0.5, torch.float32, (cast,)),
        (lambda x: (x * 1.7).to(SMALL).float() + 0.5, torch.float32, (cast,)),
        (lambda x: (x * 1.7).to(torch.int32).float() * 1.5, torch.float32, (cast,)),
        (
            lambda x: (x * 3e38) / 3e38 + 1,
            torch.float32,
            (aten.mul.Tensor, aten.div.Tensor),
        ),
        (
            lambda x: (x * 300) / 300 + 1,
            torch.float16,
            (aten.mul.Tensor, aten.div.Tensor),
        ),
    ],
    ids=["float8", "computed float8", "integer", "range", "half range"],
)
def test_what_is_written_counts(
    program: Any, dtype: torch.dtype, dropped: tuple[Any, ...]
) -> None:
    """A pass that drops a cast, or what is too large for the dtype, makes compiled code wrong, more precise or not."""
    given = torch.tensor(FLOATS, dtype=dtype)
    assert numerics(program, given)
    found = numerics(
        program, given, config={"post_grad_custom_post_pass": drop(*dropped)}
    )
    assert found.first is not None and found.first.verdict == "compiled", str(found)


@pytest.mark.parametrize(
    ("program", "dtype", "by"),
    [
        (
            lambda x: (x * 1.3).half().float().sin() * 3,
            torch.float32,
            "roundings that the program does not write",
        ),
        (
            lambda x: x.bfloat16().float() * 3,
            torch.float32,
            "roundings that the program does not write",
        ),
        (
            lambda x: x * 300 * 300 / 300,
            torch.float16,
            "with emulate_precision_casts it is as in eager",
        ),
    ],
    ids=["half", "bfloat16", "overflow"],
)
def test_what_fusion_may_leave_out_is_shown_and_not_blamed(
    program: Any, dtype: torch.dtype, by: str
) -> None:
    found = numerics(program, torch.tensor(FLOATS, dtype=dtype))
    assert found and not found.other("eager")
    assert found.other("fusion")[0].what == "output" and by in str(found)


def test_a_zero_of_the_sign_that_is_written_is_right() -> None:
    """Eager's function for many numbers at once gives the other zero, and nothing else differs."""
    found = numerics(
        torch.nn.functional.gelu, torch.full((8, 64), -50.0), target="cuda-sm90"
    )
    assert found, str(found)


def test_the_inverse_of_a_singular_matrix_is_what_roundings_make_it() -> None:
    def inverse(x: Tensor) -> Tensor:
        size = {"size": (32, 32), "mode": "bilinear", "align_corners": True}
        return torch.inverse(torch.nn.functional.interpolate(x, **size))

    torch.manual_seed(0)
    found = numerics(inverse, torch.randn(1, 3, 16, 16), target="cuda-sm90")
    assert found and not found.other("eager"), str(found)
    assert found.other("fusion"), str(found)


def test_a_number_of_nothing_but_roundings_may_not_be_any_number(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def cancelled(x: Tensor, low: Tensor, high: Tensor) -> Tensor:
        return (x - x.mean()).sum() + (low - high).relu().sum()

    torch.manual_seed(0)
    x = torch.randn(64)
    swap_operands(monkeypatch)
    found = numerics(cancelled, x, torch.tensor([5.0]), torch.tensor([6.0]))
    assert not found and found.first is not None
    assert found.first.call == "call 1", str(found)


def test_attention_in_half_precision_is_not_blamed_for_values_that_nobody_gave() -> (
    None
):
    """Written by hand it becomes one operator, whose scores do not overflow where eager's do."""

    def attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        return torch.softmax(query @ key.transpose(-2, -1) / 4, -1) @ value

    torch.manual_seed(0)
    given = tuple(torch.randn(2, 4, 16, 16, dtype=torch.float16) for _ in range(3))
    found = numerics(attention, *given, target="cuda-sm90")
    assert found, str(found)
    assert [each.call for each in found.other("undecided")] == [
        "call 5 (large values)"
    ], str(found)
    large = numerics(attention, *(each * 100 for each in given), target="cuda-sm90")
    assert not large and large.first is not None and large.first.given, str(large)


@pytest.mark.filterwarnings("ignore:Warning only once for all operators")
def test_eager_may_be_the_one_that_is_off() -> None:
    library = torch.library.Library("aten", "IMPL")

    def imprecise(x: Tensor) -> Tensor:
        return torch.from_numpy(
            np.tan(x.numpy()) * (1.0 if x.dtype == torch.float64 else 1.01)
        )

    library.impl("tan", imprecise, "CPU")
    try:
        found = numerics(lambda x: x.tan(), torch.tensor([0.5, 1.0]))
    finally:
        library._destroy()
    assert found and found.other("eager")[0].reason == "eager is wrong", str(found)


def _weight_gradient(inputs: Tensor, gradient: Tensor) -> Tensor:
    weight = torch.zeros(gradient.shape[1], inputs.shape[1], 3, 3, dtype=inputs.dtype)
    return torch.ops.aten.convolution_backward(
        gradient,
        inputs,
        weight,
        None,
        [1, 1],
        [1, 1],
        [1, 1],
        False,
        [0, 0],
        1,
        [False, True, False],
    )[1]


@pytest.mark.parametrize("signs", ["both", "one"])
def test_what_adds_up_many_numbers_in_float32_is_not_said_to_be_wrong(
    signs: str,
) -> None:
    """A weight's gradient adds up a product for each pixel of the batch; float64 has another result."""

    def gradient(inputs: Tensor, start: Tensor) -> Tensor:
        if torch.compiler.is_compiling():
            return _weight_gradient(inputs.double(), start.double()).float()
        return _weight_gradient(inputs, start)

    torch.manual_seed(0)
    given = [torch.randn(4, channels, 112, 112) for channels in (2, 4)]
    if signs == "one":
        given = [each.abs() for each in given]
    found = numerics(gradient, *given)
    assert found and {each.verdict for each in found.found} == {"fusion"}, str(found)


def test_one_weight_of_many_is_wrong_by_more_than_rounding() -> None:
    def gradient(inputs: Tensor, start: Tensor) -> Tensor:
        found = _weight_gradient(inputs, start)
        return found * (1.002 if torch.compiler.is_compiling() else 1)

    torch.manual_seed(0)
    found = numerics(gradient, *(torch.rand(4, each, 112, 112) for each in (2, 4)))
    assert not found and found.found[0].verdict == "compiled", str(found)


def test_exact_division_decides_what_is_floored() -> None:
    """torch rounds the quotient first; what is given is exact, so rounding is no excuse."""
    found = numerics(
        lambda a, b: a // b,
        torch.tensor([1.0, 0.5, 6.0]),
        torch.tensor([0.1, 0.1, 0.2]),
    )
    assert [each.verdict for each in found.found] == (
        [] if found else ["compiled"] * 3
    ), str(found)
    assert found or "compiled 10, eager 9, as written 9" in str(found)


def test_programs_that_read_bits_are_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    swap_operands(monkeypatch)
    found = numerics(
        lambda x, y: (x.view(torch.int32) + 1, x - y), torch.randn(8), torch.randn(8)
    )
    assert [
        difference.verdict for difference in found.found if difference.call == "call 1"
    ] == ["compiled"]


def test_exact_runs_draw_what_eager_drew() -> None:
    def drawn() -> Tensor:
        torch.manual_seed(0)
        return (
            torch.randn(64).mul_(2)
            + torch.nn.functional.dropout(torch.ones(64))
            + torch.randint(0, 9, (64,))
        )

    eager = drawn()
    for moved in (None, 0, 1):
        with Exact(moved):
            again = drawn()
        torch.testing.assert_close(again, eager)


def test_compiled_code_accepts_what_eager_refuses() -> None:
    found = numerics(
        lambda x, i: x.index_add(0, i, x[:2]), torch.ones(4, 3), torch.tensor([0, -1])
    )
    assert [(each.verdict, each.call) for each in found.differences] == [
        ("accepts", "call 1")
    ], str(found)
    assert "eager raises " in str(found) and "compiled code returns a result" in str(
        found
    )
    with pytest.raises(EagerFailed):
        numerics(
            lambda x, i: torch.nn.functional.embedding(i, x) + 1,
            torch.ones(4, 3),
            torch.tensor([0, -9]),
        )


def test_an_operator_that_refuses_a_dtype_is_not_one_that_is_not_there() -> None:
    """torch refuses a difference of bool on purpose (aten/src/ATen/native/TensorIterator: sub_check)."""
    found = numerics(lambda x: 1 - (x > 0), torch.randn(4))
    assert [each.verdict for each in found.differences] == ["accepts"], str(found)
    assert not refuses(NotImplementedError("\"dot\" not implemented for 'Bool'"))
    assert not refuses(
        NotImplementedError(
            "Could not run 'aten::dot' with arguments from the 'Meta' backend"
        )
    )


def test_what_a_program_asserts_is_refused_by_compiled_code_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def asserting(x: Tensor) -> Tensor:
        assert x.shape[0] == 5
        return x + 1

    with pytest.raises(EagerFailed):
        numerics(asserting, torch.randn(4))
    compile_ = torch.compile
    # A compiler that loses the assertion.
    monkeypatch.setattr(
        torch,
        "compile",
        lambda fn, **options: compile_(lambda x: x + 1, **options),
    )
    found = numerics(asserting, torch.randn(4))
    assert [each.verdict for each in found.differences] == ["accepts"], str(found)


@pytest.mark.parametrize(
    ("program", "what", "text"),
    [
        (lambda x: x.add_(1), "output", "eager x itself"),
        (lambda x: [x + 1] * 2, "output[1]", "eager output[0] itself"),
    ],
    ids=["input", "output"],
)
def test_another_object_is_not_the_same(
    program: Any, what: str, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert numerics(program, torch.randn(4))
    compile_ = torch.compile

    def of_views(fn: Any, **options: Any) -> Any:
        compiled = compile_(fn, **options)
        return lambda x: torch.utils._pytree.tree_map(
            Tensor.view_as, *[compiled(x)] * 2
        )

    monkeypatch.setattr(torch, "compile", of_views)
    found = numerics(program, torch.randn(4))
    assert found.first is not None and found.first.kind == "identity", str(found)
    assert found.first.what == what and text in found.first.text


def saturated(graph: Any) -> None:
    """A pass that gives what a dtype does not have its nearest number, as a GPU does."""
    for node in graph.find_nodes(op="call_function", target=cast):
        if node.args[1] == torch.uint8:
            with graph.inserting_before(node):
                node.args = (clamped(graph, node.args[0], 0, 255), torch.uint8)


def from_the_last(graph: Any) -> None:
    """A pass that writes values in the reverse order."""
    for node in [
        node
        for node in graph.nodes
        if node.target in (aten.index_put.default, aten.scatter.src)
    ]:
        with graph.inserting_before(node):
            flipped = {
                each: graph.call_function(torch.ops.prims.rev.default, (each, [0]))
                for each in graph.nodes
                if each.name in ("arg1_1", "arg2_1")
            }
        node.args = torch.fx.node.map_arg(
            node.args, lambda each, flipped=flipped: flipped.get(each, each)
        )


PLACES, VALUES = torch.tensor([1, 3, 1]), torch.tensor([5.0, 6.0, 7.0])


@pytest.mark.parametrize(
    ("program", "inputs", "change"),
    [
        (lambda x: x.to(torch.uint8), (torch.tensor([-1.5, 300.0, 2.0]),), saturated),
        (
            lambda x: x.to(torch.uint8) * 2,
            (torch.tensor([math.nan, -300.0, 2.0]),),
            saturated,
        ),
        (
            lambda x, i, y: x.index_put((i,), y) * 2,
            (torch.zeros(4), PLACES, VALUES),
            from_the_last,
        ),
        (
            lambda x, i, y: x.scatter(0, i, y),
            (torch.zeros(4), PLACES, VALUES),
            from_the_last,
        ),
    ],
    ids=["cast", "cast of NaN", "index_put", "scatter"],
)
def test_what_torch_leaves_undefined_is_no_ones_fault(
    program: Any, inputs: tuple[Tensor, ...], change: Any
) -> None:
    found = numerics(program, *inputs, config={"post_grad_custom_post_pass": change})
    assert found and found.other("undefined"), str(found)
    assert "torch leaves undefined " in str(found)


def test_wrong_values_beside_undefined_ones_are_wrong() -> None:
    found = numerics(
        lambda x, i, y: (x.index_put((i,), y) * 2, x.sin()),
        *(torch.ones(4), PLACES, VALUES),
        config={"post_grad_custom_post_pass": drop(aten.sin.default)},
    )
    assert found.first is not None and (found.first.what, found.first.verdict) == (
        "output[1]",
        "compiled",
    ), str(found)
    # Either order of equal values leaves the same.
    found = numerics(
        lambda x, i: x.index_put((i,), x[i].sin()),
        *(torch.ones(4), PLACES),
        config={"post_grad_custom_post_pass": drop(aten.sin.default)},
    )
    assert found.first is not None and found.first.verdict == "compiled", str(found)


def test_what_only_special_values_show_is_told_apart() -> None:
    torch.manual_seed(0)
    config = {"post_grad_custom_post_pass": drop(aten.abs.default)}
    given = torch.rand(64) + 1  # of these, abs changes none
    found = numerics(lambda x: x.abs() + 0.5, given, config=config)
    assert found and {each.verdict for each in found.special} == {"compiled"}, str(
        found
    )
    assert (
        "only with special values, which were not given\n  output, call 5 (infinities and NaN): "
        in str(found)
    )
    assert numerics(lambda x: x.abs() + 0.5, given).special == ()
    # With a value of its own it is not special.
    found = numerics(
        lambda x: x.abs() + 0.5, torch.tensor([1.0, -math.inf]), config=config
    )
    assert not found and not found.special


def test_what_compiled_code_asserts_of_special_values_is_told_apart() -> None:
    found = numerics(lambda x: x * 2, torch.randn(64), config={"nan_asserts": True})
    assert found and {each.kind for each in found.special} == {"refusal"}, str(found)
    assert "compiled raises AssertionError, eager returns a result" in str(found)


def test_what_only_other_layouts_show_is_told_apart() -> None:
    """A pass that is wrong for a single row alone; an operator that refuses no rows."""

    def passed(graph: Any) -> None:
        for node in graph.find_nodes(op="call_function", target=aten.sin.default):
            if node.meta["val"].shape[0] == 1:
                node.target = aten.cos.default

    torch.manual_seed(0)
    program, config = (
        lambda x, w: ((x.sin() + 3) * w).amax(0),
        {"post_grad_custom_post_pass": passed},
    )
    found = numerics(
        program,
        torch.randn(4, 8),
        torch.randn(8),
        config=config,
        layouts=True,
        target="cuda-sm90",
    )
    assert found and [
        each.call for each in found.special if each.verdict == "compiled"
    ] == ["a call with a size of one"]
    assert not numerics(
        program, torch.randn(4, 8), torch.randn(8), config=config, target="cuda-sm90"
    ).special


def test_special_values_that_eager_refuses_are_left_out() -> None:
    found = numerics(lambda x, i: x[i] * 2, torch.randn(64), torch.tensor([3, 1, 2]))
    assert found and found.calls == 3 and not found.not_compared, str(found)


def test_signed_zeros_are_the_program() -> None:
    given = torch.tensor([-0.0, 1.0, 2.0])
    config = {"post_grad_custom_post_pass": drop(aten.abs.default)}
    found = numerics(lambda x: x.abs() * 0.5, given, config=config)
    assert found.first is not None and (found.first.kind, found.first.verdict) == (
        "zero",
        "compiled",
    ), str(found)
    assert numerics(lambda x: x.abs() * 0.5, given).found == ()


def test_calls_that_both_refuse_are_told() -> None:
    """Other values than the given ones are not always valid."""
    found = numerics(
        lambda x: torch.linalg.cholesky(x) + 1, torch.tensor([[2.0, 1.0], [1.0, 3.0]])
    )
    assert found and [
        text.partition(": eager refuses it: ")[0] for text in found.not_compared
    ] in (
        [],
        ["call 3 (other values)"],
    )


def test_given_calls_and_tolerance(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = [
        (torch.randn(4, 4), torch.randn(4, 4)),
        (torch.randn(6, 4), torch.randn(6, 4)),
    ]
    swap_operands(monkeypatch)
    found = numerics(lambda x, y: x - y, calls=calls)
    assert [difference.call for difference in found.differences[:3]] == [
        "call 1",
        "call 2",
        "call 3 (call 1 again)",
    ]
    assert numerics(lambda x, y: x - y, calls=calls[:1], atol=100.0)


def test_an_already_compiled_program_is_run_with_its_own_options() -> None:
    x = torch.randn(4)
    with pytest.raises(CaptureFailed, match="capture with fullgraph=False"):
        numerics(torch.compile(broken_graph, fullgraph=True), x)
    with pytest.raises(AlreadyCompiled, match="backend 'eager'"):
        numerics(torch.compile(torch.sin, backend="eager"), x)
    with pytest.raises(
        CaptureFailed, match="Unrecognized mode=fastest, should be one of"
    ):
        numerics(torch.sin, x, mode="fastest")
    module = torch.nn.Linear(4, 4)
    module.compile(dynamic=True)
    found = numerics(module, torch.randn(3, 4), train=True)
    assert found and found.compared == 3 * (1 + 2 + 2 + 1) + 2


@pytest.mark.parametrize("backend", ["inductor", "aot_inductor"])
def test_an_exported_program_is_compiled(
    backend: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """AOTInductor's C++ is not run, which is said."""

    class Counting(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("calls", torch.zeros(()))

        def forward(self, x: Tensor, y: Tensor) -> Tensor:
            self.calls += 1
            return x - y

    size = torch.export.Dim("size", min=2, max=64)
    sizes = {"dynamic_shapes": {"x": {0: size}, "y": {0: size}}}
    found = numerics(
        Counting(), torch.randn(8), torch.randn(8), backend=backend, export=sizes
    )
    assert found, str(found)
    in_cpp = (
        "the wrapper in C++: the same graph was run by its wrapper in Python, and its kernels were compared",
    )
    assert found.not_compared == (in_cpp if backend == "aot_inductor" else ())
    swap_operands(monkeypatch)
    assert not numerics(Counting(), torch.randn(8), torch.randn(8), backend=backend)


def test_each_reason_not_to_compare_is_an_error_of_its_own() -> None:
    x = torch.randn(4)
    with pytest.raises(NeedsNativeTarget, match="cpu-avx2 is virtual"):
        numerics(torch.sin, x, target="cpu-avx2")
    with pytest.raises(CompileGoldenError, match="not both"):
        numerics(torch.sin, x, calls=[(x,)])
    with pytest.raises(
        EagerFailed, match=r"does not run in eager mode on native-cpu.*size of tensor a"
    ):
        numerics(lambda x: x + torch.ones(3), x)
    with pytest.raises(NothingCompiled, match="compiled nothing"):
        numerics(lambda x: x, x)


SUITE = """
import pytest
import torch
from pytest_compile_golden.errors import InvalidOption
from tests.planted import swap_operands

def f(x, y):
    return x * 2, x - y

def test_seeded(numerics):
    x = torch.randn(4)
    torch.manual_seed(0)
    assert torch.equal(x, torch.randn(4))
    assert numerics(f, x, x + 1)
    with pytest.raises(InvalidOption, match=r"numerics does not take .* 'options'.*torch.compile as config="):
        numerics(f, x, x + 1, options={"epilogue_fusion": False})

def test_wrong(numerics, monkeypatch):
    swap_operands(monkeypatch)
    x = torch.randn(4)
    assert numerics(f, x, x + 1)

def test_captured(compile_stages, monkeypatch):
    swap_operands(monkeypatch)
    x = torch.randn(4)
    compile_stages(f, x, x + 1)

def test_other_strides(compile_stages):
    config = {"dynamo.capture_dynamic_output_shape_ops": True}
    compile_stages(lambda x: x.nonzero() * 2, torch.ones(3, 4), config=config)

def test_captured_in_place(compile_stages, monkeypatch):
    swap_operands(monkeypatch)
    kept = torch.randn(4)
    def forget(x, y, *, z):  # whose inputs are equal afterwards: then no one can tell the two sides apart
        out = x - y, kept - z
        for tensor in (x, kept):
            tensor.copy_(y)
        z.copy_(y)
        return out
    y = torch.randn(4)
    compile_stages(forget, calls=[(torch.randn(8)[::2], y)], kwargs={"z": torch.randn(4)})
"""


def test_numerics_in_cases(project: pytest.Pytester, compiling: RunInProject) -> None:
    project.makepyfile(test_numbers=SUITE)
    targets = "--compile-golden-target=native-cpu,cpu-avx2"
    run = compiling(targets, "--compile-golden-numerics", "-rs")
    run.assert_outcomes(passed=5, failed=3, skipped=2)
    text = run.stdout.str()
    assert "forget on native-cpu: 3 calls" in text
    assert (
        "numerics: strides differ from eager's where Inductor does not promise them: 1 case."
        in text
    )
    assert "  output[0], call 1: 4 of 4 elements differ" in text
    assert text.count("f on native-cpu: 3 calls, 16 values compared with eager: ") == 2
    assert text.count("    output[1], call 1: 4 of 4 elements differ") == 3
    assert "cpu-avx2 is virtual: its kernels are neither built" in text


SHARDED = """
import pytest
import torch
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard


class Layer(torch.nn.Linear):
    def forward(self, x):
        return super().forward(x).relu()


@pytest.mark.compile_golden(target="cuda-sm90", world_size=2)
def test_sharded(compile_stages):
    model = fully_shard(Layer(8, 8), mesh=init_device_mesh("cuda", (2,)))
    assert compile_stages(model, torch.randn(4, 8)).metrics.graphs
"""


def test_sharded_models_that_cannot_be_copied_are_skipped(
    project: pytest.Pytester, compiling: RunInProject
) -> None:
    project.makepyfile(test_ranks=SHARDED)
    run = compiling("--compile-golden-numerics")
    run.assert_outcomes(passed=1)
    run.stdout.fnmatch_lines(["numerics is unavailable *no rank sends any*(1 case)."])
