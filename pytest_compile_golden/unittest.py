"""Captures in a `unittest.TestCase`, with stages inline in the test. Needs neither pytest nor syrupy at run time."""

from __future__ import annotations

import functools
import textwrap
import unittest
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, ClassVar
from unittest import mock

from pytest_compile_golden.api import capture, numerics_tool
from pytest_compile_golden.common.constants import DEFAULT_TARGET
from pytest_compile_golden.common.lines import split_lines
from pytest_compile_golden.errors import CompileGoldenError

if TYPE_CHECKING:
    from torch import Tensor

    from pytest_compile_golden.api.captured import Capture
    from pytest_compile_golden.formats.artifact import Artifact
    from pytest_compile_golden.targets import Target


_IN_A_CLASS = (
    'To get values, set target = "cpu-avx2" in the class or, for a virtual GPU, values = True, which runs kernels in '
    "Triton's interpreter."
)
_WRITTEN = (
    "To have the text written into the test: class Test(CompileGoldenTestCase, expecttest.TestCase), and run it with "
    "EXPECTTEST_ACCEPT=1."
)


class CompileGoldenTestCase(unittest.TestCase):
    """Each test runs inside `target`, with torch's compile caches off and its counters at zero.

    What a test leaves in torch's compiler (compiled code, counters, configuration of its caches) ends with it. On a
    virtual GPU `torch.compile` compiles to the end and launches nothing, so `torch._inductor.utils.run_and_get_code`,
    `FileCheck` and torch's counters work there, while tensors have no values: `assertEqual` and
    `torch.testing.assert_close` compare everything else about them. With `values`, they have, and all is compared.

    It combines with other bases, which come after it: `class Test(CompileGoldenTestCase, expecttest.TestCase)`.
    """

    target: ClassVar[str] = DEFAULT_TARGET
    """The name of the target that the tests of the class are for."""
    values: ClassVar[bool] = False
    """Whether tensors have values on a virtual GPU: eager operators then run on the CPU, and kernels in Triton's
    interpreter, which is slower and needs NumPy."""

    def run(
        self, result: unittest.TestResult | None = None
    ) -> unittest.TestResult | None:
        """Run the test inside the target. Raises UnknownTarget or TargetUnavailable before anything of it runs."""
        from pytest_compile_golden.targets import get_target

        target = get_target(self.target)
        with ExitStack() as stack:
            is_gpu = target.virtual and target.device_type == "cuda"
            stack.enter_context(
                numerics_tool().values(target)
                if is_gpu and self.values
                else target.active()
            )
            # Only now: torch's own modules read the device when they are first imported.
            from pytest_compile_golden.observe.compile_isolation import (
                isolated,
                own_caches,
            )
            from pytest_compile_golden.targets.patching import Patches
            from pytest_compile_golden.torch_internals import settings

            stack.enter_context(own_caches({}))
            stack.enter_context(isolated())
            # Only a capture needs it: a test runs backward itself, and torch compiles it for how it is run.
            stack.enter_context(Patches()).configure({settings.COMPILE_BACKWARD: False})
            if is_gpu and not self.values:
                stack.enter_context(_comparing_types())
            name = self._testMethodName
            stack.enter_context(
                mock.patch.object(self, name, _explained(getattr(self, name), target))
            )
            return super().run(result)

    def capture(self, fn: Callable[..., Any], *inputs: Any, **options: Any) -> Capture:
        """`pytest_compile_golden.capture` on this class's target, with the same arguments."""
        return capture(fn, *inputs, **options)

    def assertStage(
        self, artifact: Artifact, expected: Any, *, comments: bool = True, skip: int = 0
    ) -> None:
        """Fail unless a stage says what `expected` says; names of values, comments and layout do not count.

        expected: the stage's text, indented as the test likes, or an object that compares equal to it, such as an
            inline-snapshot. If the class has expecttest's `assertExpectedInline`, `EXPECTTEST_ACCEPT=1` writes the text
            into the test.
        comments: whether the text has comments, among them the user's source lines.
        skip: the number of calls between the test, which has the literal, and this method, as expecttest counts them.
        """
        from pytest_compile_golden.stages import get_stage

        stage = get_stage(artifact.stage)
        text = str(artifact)
        if not comments:
            lines = (
                line
                for line in split_lines(text)
                if not line.lstrip().startswith(stage.comment)
            )
            text = "".join(f"{line}\n" for line in lines)
        if not isinstance(expected, str):
            self.assertEqual(text, expected)
            return
        wanted = textwrap.dedent(expected).strip("\n") + "\n"
        if stage.format.canonical(wanted) == stage.format.canonical(text):
            return
        accept = getattr(self, "assertExpectedInline", None)
        if accept is not None:
            accept(text, expected, skip + 1)
        else:
            self.assertMultiLineEqual(wanted, text, f"\n{_WRITTEN}")

    def assertEqual(
        self, first: Any, second: Any, msg: Any = None, **tolerances: Any
    ) -> None:
        """`unittest`'s, and torch.testing.assert_close for values that hold tensors, with its `tolerances`."""
        import torch

        from pytest_compile_golden.torch_internals.tensors import PYTREE

        if any(
            isinstance(leaf, torch.Tensor)
            for leaf in PYTREE.get().tree_leaves((first, second))
        ):
            torch.testing.assert_close(first, second, msg=msg, **tolerances)
        else:
            super().assertEqual(first, second, msg, **tolerances)


def _explained(test: Callable[..., object], target: Target) -> Callable[..., object]:
    """The test, whose error says what the target cannot give it and what to do, where that is the reason."""

    @functools.wraps(test)
    def explained(*args: Any, **kwargs: Any) -> object:
        from pytest_compile_golden.observe.torch_errors import unsupported_in_test

        try:
            return test(*args, **kwargs)
        except Exception as error:
            told = (
                None
                if isinstance(error, CompileGoldenError)
                else unsupported_in_test(test.__name__, error, target)
            )
            if told is None:
                raise
            raise type(told)(f"{told}\n  {_IN_A_CLASS}") from error

    return explained


def _without_value(tensor: Tensor) -> Tensor:
    import torch

    # torch compares no values of tensors on `meta` (torch/testing/_comparison.py: TensorLikePair.compare).
    return torch.empty_strided(
        tensor.size(), tensor.stride(), dtype=tensor.dtype, device="meta"
    )


@contextmanager
def _comparing_types() -> Iterator[None]:
    """Let torch.testing.assert_close compare all but the values of tensors, which have none."""
    import torch

    from pytest_compile_golden.torch_internals.tensors import PYTREE

    compare = torch.testing.assert_close

    def assert_close(actual: Any, expected: Any, **options: Any) -> None:
        compare(
            *PYTREE.get().tree_map_only(
                torch.Tensor, _without_value, (actual, expected)
            ),
            **options,
        )

    with mock.patch.object(torch.testing, "assert_close", assert_close):
        yield
