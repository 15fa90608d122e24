"""What AOTInductor generates from exported programs: the C++ wrapper, the package, and the kernels."""

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.export import Dim
from torch.torch_version import TorchVersion

from pytest_compile_golden.typing import CompileStages, Golden

pytestmark = pytest.mark.compile_golden(target=["cuda-sm90", "cpu-avx2"])


class Classifier(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(16, 16)

    def forward(self, x: Tensor) -> Tensor:
        return F.softmax(self.linear(x), -1)


def test_batch_that_varies(compile_stages: CompileStages, golden: Golden) -> None:
    """The wrapper checks the declared range, the package contains the weights, and one kernel does the softmax."""
    sizes = {"dynamic_shapes": {"x": {0: Dim("batch", min=2, max=64)}}}
    captured = compile_stages(Classifier(), torch.randn(8, 16), backend="aot_inductor", export=sizes)
    package, wrapper = captured["aot_package"], str(captured["aot_wrapper"])
    assert package.constants == ("linear.weight", "linear.bias")
    assert captured.metrics.constant_bytes == 4 * 16 * (16 + 1)
    assert captured.metrics.kernels == 1
    assert "expected to be <= 64" in wrapper and "aoti_torch_empty_strided" in wrapper
    if "triton_code" in captured:
        assert package.files["cubins"] == 1
        assert f'loadKernel("{captured["triton_code"].names[0]}.cubin"' in wrapper
    else:
        assert captured["cpp_code"].names[0] in wrapper
    assert package == golden
    assert captured["aot_wrapper"] == golden
    assert captured["triton_code" if "triton_code" in captured else "cpp_code"] == golden


class Counting(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("calls", torch.zeros(()))

    def forward(self, x: Tensor) -> Tensor:
        self.calls += 1
        return x * 2


def test_buffer_that_is_written(compile_stages: CompileStages, golden: Golden) -> None:
    """Up to 2.14 the buffer's value at compile time is a constant, so every call counts one. 2.15 reads the buffer."""
    captured = compile_stages(Counting(), torch.randn(8, 16), backend="aot_inductor")
    assert captured["exported_graph"].mutated == ("calls",)
    assert captured["aot_graph"].has("aten.add")
    assert captured["post_grad_graph"].has("aten.add") == (TorchVersion(torch.__version__) >= "2.15")
    assert captured["post_grad_graph"] == golden


def test_wrapper_in_cpp(compile_stages: CompileStages, golden: Golden) -> None:
    """With `cpp_wrapper`, torch.compile generates its wrapper in C++ too."""
    captured = compile_stages(Classifier(), torch.randn(8, 16), config={"cpp_wrapper": True})
    assert "void inductor_entry_impl(" in str(captured["wrapper_code"])
    assert "aot_wrapper" not in captured
    assert captured["wrapper_code"] == golden
