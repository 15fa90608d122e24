"""The types of the fixtures, for annotated tests: `def test_x(compile_stages: CompileStages, golden: Golden)`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

if TYPE_CHECKING:
    from pytest_compile_golden.api.captured import Capture
    from pytest_compile_golden.facts.numerics import Numerics

__all__ = ["CompileStages", "Golden", "NumericsCheck", "StageOf"]

A = TypeVar("A", covariant=True)


class CompileStages(Protocol):
    """`compile_stages`: one compile, all stages. Options are those of `pytest_compile_golden.capture`."""

    def __call__(
        self, fn: Callable[..., Any], *inputs: Any, **options: Any
    ) -> Capture: ...


class StageOf(Protocol[A]):
    """The fixture of one stage, such as `triton_code: StageOf[KernelsArtifact]`: that stage of one compile."""

    def __call__(self, fn: Callable[..., Any], *inputs: Any, **options: Any) -> A: ...


class NumericsCheck(Protocol):
    """`numerics`: whether compiled code computes what eager does; options as for `pytest_compile_golden.numerics`."""

    def __call__(
        self, fn: Callable[..., Any], *inputs: Any, **options: Any
    ) -> Numerics: ...


class Golden(Protocol):
    """`golden`: compare an artifact or a capture with it."""

    def __call__(self, *, name: str | None = None) -> Golden:
        """The same goldens under a separate name."""
        ...

    def __eq__(self, other: object, /) -> bool: ...
