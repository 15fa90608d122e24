"""torch.export in front of the compiler and AOTInductor behind it: what is refused, and what is left behind."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch._subclasses.fake_tensor import FakeTensor
from torch.export import Dim

from pytest_compile_golden import capture
from pytest_compile_golden.errors import ExportFailed, InvalidOption, StageNotCaptured
from pytest_compile_golden.formats import get_format
from pytest_compile_golden.formats.exported import AOT_PACKAGE, AOT_WRAPPER, EXPORTED
from pytest_compile_golden.messages.sentences import sentence
from pytest_compile_golden.stages import get_stage
from pytest_compile_golden.targets import get_target
from tests.exported import SIZES, Saved
from tests.programs import texts

SAVED = Path(__file__).parent / "exported-2.12.1.pt2"


def branching(x: Tensor) -> Tensor:
    if x.sum() > 0:
        return x
    return x + 1


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("target", ["cuda-sm90", "cpu-avx2"])
def test_a_program_that_export_rejects_is_reported_with_its_line(
    target: str, strict: bool
) -> None:
    message = r"torch.export rejects branching: .*[Dd]ata-dependent .*, at test_export.py:\d+: if x.sum\(\) > 0:"
    with pytest.raises(ExportFailed, match=message):
        capture(branching, torch.randn(4), target=target, export={"strict": strict})


def test_sizes_that_export_finds_fixed_are_reported() -> None:
    sizes = {"dynamic_shapes": {"x": {0: Dim("batch")}}}
    with pytest.raises(ExportFailed, match=r"torch.export rejects .*batch"):
        capture(
            lambda x: x.reshape(8, 2),
            torch.randn(4, 4),
            target="cpu-avx2",
            export=sizes,
        )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"export": 3},
            "export takes True, False or a dict of torch.export.export's keyword arguments, not 3",
        ),
        (
            {"export": {"dynamic_shape": None}},
            "export takes the arguments .* dynamic_shapes, .*; not dynamic_shape",
        ),
        (
            {"backend": 3},
            "backend takes the name of a torch.compile backend, .*, not 3",
        ),
        (
            {"backend": "aot_inductor", "dynamic": True},
            "dynamic=True is for torch.compile",
        ),
        (
            {"backend": "aot_inductor", "mode": "max-autotune"},
            "mode='max-autotune' is for torch.compile",
        ),
        (
            {"backend": "aot_inductor", "train": True},
            "does not compile a backward graph. Leave out train=True",
        ),
    ],
)
def test_options_that_do_not_apply_are_refused(
    options: dict[str, Any], message: str
) -> None:
    with pytest.raises(InvalidOption, match=message):
        capture(torch.sin, torch.randn(4), target="cpu-avx2", **options)


def test_a_package_is_made_for_one_call() -> None:
    calls = [(torch.randn(2),), (torch.randn(3),)]
    with pytest.raises(InvalidOption, match="Pass the inputs of one call"):
        capture(torch.sin, target="cpu-avx2", calls=calls, backend="aot_inductor")


def test_stages_that_were_not_requested_say_how_to_request_them() -> None:
    captured = capture(torch.sin, torch.randn(4), target="cpu-avx2")
    for stage, how in (
        ("exported_graph", "export=True"),
        ("aot_wrapper", "backend='aot_inductor'"),
    ):
        assert stage not in captured
        with pytest.raises(StageNotCaptured, match=f"it only exists with {how}"):
            captured[stage]
    ahead = capture(
        torch.sin, torch.randn(4), target="cpu-avx2", backend="aot_inductor"
    )
    with pytest.raises(
        StageNotCaptured,
        match=r"Dynamo makes it, and torch\.export has traced the program",
    ):
        ahead["guards"]
    assert "guards" not in ahead.metrics.values


class Scaled(nn.Module):
    """A module with one weight."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(16))

    def forward(self, x: Tensor) -> Tensor:
        return x * self.weight


@pytest.mark.parametrize("form", ["module", "method", "closure"])
def test_weights_are_parameters_however_the_program_is_given(form: str) -> None:
    model = Scaled()
    forms: dict[str, Any] = {
        "module": model,
        "method": model.forward,
        "closure": lambda x: model(x) + 1,
    }
    captured = capture(
        forms[form], torch.randn(16), target="cuda-sm90", backend="aot_inductor"
    )
    (weight,) = captured["exported_graph"].of_kind("parameter")
    assert weight.endswith("weight")
    assert captured["aot_package"].constants == (weight,)


@pytest.mark.parametrize("target", ["cuda-sm90", "cpu-avx2"])
def test_shared_weights_are_one_constant_and_equal_ones_are_not(target: str) -> None:
    first, second = nn.Linear(16, 16), nn.Linear(16, 16)
    model, x = nn.Sequential(first, second, first), torch.randn(8, 16)
    package = capture(model, x, target=target, backend="aot_inductor")["aot_package"]
    assert [name.partition(".")[2] for name in package.constants] == [
        "weight",
        "bias",
        "weight",
        "bias",
    ]


def test_small_constants_are_inlined_where_their_values_are_known() -> None:
    """torch writes the values of a buffer of up to eight elements into the kernels; unknown values stay a tensor."""

    class Shifted(nn.Module):
        def __init__(self, values: list[float]) -> None:
            super().__init__()
            self.register_buffer("shift", torch.tensor(values))

        def forward(self, x: Tensor) -> Tensor:
            return x + self.shift

    known, other = (
        capture(
            Shifted(values),
            torch.randn(8, 2),
            target="cuda-sm90",
            backend="aot_inductor",
        )
        for values in ([3.0, 5.0], [0.3, 0.5])
    )
    assert known["aot_package"].constants == () and "5.0" in known["triton_code"]
    assert other["aot_package"].constants == ("shift",)


@pytest.mark.parametrize("target", ["cuda-sm90", "cpu-avx2"])
def test_a_package_leaves_nothing_behind(target: str) -> None:
    """After AOTInductor, a module on the target is as it was, and compiles as before."""
    with get_target(target).active():
        model, x = Scaled(), torch.randn(8, 16)
        modes = [
            tensor.fake_mode
            for tensor in (model.weight, x)
            if isinstance(tensor, FakeTensor)
        ]
        before = capture(model, x)
        first, again = (capture(model, x, backend="aot_inductor") for _ in range(2))
        assert modes == [
            tensor.fake_mode
            for tensor in (model.weight, x)
            if isinstance(tensor, FakeTensor)
        ]
        after = capture(model, x)
    for one, other in ((before, after), (first, again)):
        assert one.stages == other.stages
        assert texts(one) == texts(other)


def test_which_changes_make_it_another_program() -> None:
    def program(name: str, high: int) -> Any:
        def scaled(x: Tensor) -> Tensor:
            return x * 2

        sizes = {"dynamic_shapes": {"x": {0: Dim(name, min=2, max=high)}}}
        return capture(
            scaled,
            torch.randn(8, 4),
            target="cpu-avx2",
            backend="aot_inductor",
            export=sizes,
        )

    small, wide = program("rows", 64), program("rows", 128)
    text = str(small["exported_graph"])
    renamed = re.sub(r"(?<!\.)\bmul\b", "product", text).replace("s77", "s3")
    assert renamed != text
    assert EXPORTED.canonical(renamed) == EXPORTED.canonical(text)
    assert EXPORTED.canonical(text) != EXPORTED.canonical(str(wide["exported_graph"]))
    labels = [
        sentence(edit) for edit in EXPORTED.edits(text, str(wide["exported_graph"]))
    ]
    assert labels == [
        "row of the signature gone: size0 in [2, 64]",
        "new row of the signature: size0 in [2, 128]",
    ]
    assert AOT_PACKAGE.canonical(str(small["aot_package"])) == AOT_PACKAGE.canonical(
        str(wide["aot_package"])
    )


def test_arrays_of_sizes_count_by_content() -> None:
    begin = "// graph_0\nvoid inductor_entry_impl(AtenTensorHandle* inputs) {\n"
    text = f"{begin}    static constexpr int64_t int_array_0[] = {{8L, 1L}};\n    empty(2, int_array_0, &buf0);\n}}\n"
    again = text.replace(
        "    empty", "    static constexpr int64_t int_array_1[] = {8L, 1L};\n    empty"
    ).replace("empty(2, int_array_0", "empty(2, int_array_1")
    wrapper = get_format("wrapper")
    for form in (AOT_WRAPPER, wrapper):
        assert form.canonical(again) == form.canonical(text)
        assert form.canonical(again) != form.canonical(again.replace("8L", "16L"))


def test_a_program_that_an_older_torch_saved_equals_one_made_now() -> None:
    x, sizes = torch.randn(8, 4), {"dynamic_shapes": SIZES}
    loaded = torch.export.load(SAVED).module(check_guards=False)
    old, new = (
        capture(program, x, target="cpu-avx2", backend="aot_inductor", export=sizes)
        for program in (loaded, Saved())
    )
    for stage in ("exported_graph", "aot_package", "cpp_code"):
        form = get_stage(stage).format
        assert form.canonical(str(old[stage])) == form.canonical(str(new[stage])), stage
