"""The machine's own CPU and GPU: kernels are built and run."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from pytest_compile_golden.errors import TargetUnavailable
from pytest_compile_golden.targets import import_torch
from pytest_compile_golden.targets.device_properties import Rates
from pytest_compile_golden.targets.devices import GPUS
from pytest_compile_golden.targets.target import T, Target


class NativeCpu(Target):
    """The machine's CPU, with its own instruction set and thread count."""

    name = "native-cpu"
    device_type = "cpu"
    virtual = False

    def _enter(self) -> contextlib.AbstractContextManager[None]:
        return import_torch.compiler()

    def place(self, tree: T) -> T:
        return tree


class NativeCuda(Target):
    """The machine's first GPU."""

    name = "native-cuda"
    device_type = "cuda"
    virtual = False

    @property
    def rates(self) -> Rates | None:  # type: ignore[override]  # read when asked, since it asks the driver
        """The peak rates of the built-in card of the same name; None if there is no such card or no GPU."""
        import torch

        if not torch.cuda.is_available():
            return None
        name = torch.cuda.get_device_name()
        return next(
            (gpu.rates for gpu in GPUS.values() if gpu.properties.name == name), None
        )

    @contextlib.contextmanager
    def _enter(self) -> Iterator[None]:
        self.require()
        import torch

        with import_torch.compiler(), torch.device("cuda"):
            yield

    def place(self, tree: T) -> T:
        self.require()
        from pytest_compile_golden.targets.tensor_placement import Placement

        placed: T = Placement("cuda").tree(tree)
        return placed

    def require(self) -> None:
        """Raise TargetUnavailable, saying why, if torch has no GPU to use."""
        import torch

        if torch.cuda.is_available():
            return
        why = (
            "torch sees no GPU"
            if torch.version.cuda
            else f"torch {torch.__version__} is built without CUDA"
        )
        raise TargetUnavailable(
            f"native-cuda needs this machine's GPU, and {why}. The virtual GPU targets "
            f"({', '.join(GPUS)}) work without one."
        )
