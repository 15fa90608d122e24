"""Hooks on torch's internals: named, guarded, and removed again."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from pytest_compile_golden.errors import CompileGoldenError, UnsupportedTorch
from pytest_compile_golden.targets.patching import Patches
from pytest_compile_golden.torch_internals import Name, named


class RunningHooks:
    """How many hooks are running now: what they ask of torch is not the compiler's work."""

    depth = 0


running_hooks = RunningHooks()


class Hooks:
    """Wraps torch functions for one probe during one capture.

    A hook must never break the compile that it watches: if one raises, the error goes to `on_error` and the compile
    continues. Errors about the user's program (CompileGoldenError, but not UnsupportedTorch) propagate.
    """

    def __init__(
        self, patches: Patches, on_error: Callable[[str, Exception], None]
    ) -> None:
        self._patches = patches
        self._on_error = on_error

    def guarded(self, name: Name | str, hook: Callable[..., Any]) -> Callable[..., Any]:
        """`hook`, with its errors passed to `on_error` under `name` (it then returns None)."""

        told = named(name).at.replace(":", ".")

        def call(*args: Any, **kwargs: Any) -> Any:
            running_hooks.depth += 1
            try:
                return hook(*args, **kwargs)
            except Exception as error:
                if isinstance(error, CompileGoldenError) and not isinstance(
                    error, UnsupportedTorch
                ):
                    raise
                self._on_error(told, error)
                return None
            finally:
                running_hooks.depth -= 1

        return call

    def replace(
        self, name: Name | str, make: Callable[[Callable[..., Any]], Callable[..., Any]]
    ) -> None:
        """Replace the function called `name` with `make(original)` until the capture ends."""
        self.wrap(*named(name).resolve(), make)

    def wrap(
        self,
        owner: Any,
        attribute: str,
        make: Callable[[Callable[..., Any]], Callable[..., Any]],
    ) -> None:
        """`replace` for a function of a class that is known only while torch is compiling."""
        self._patches.wrap(owner, attribute, make)

    def before(self, name: Name | str, hook: Callable[..., Any]) -> None:
        """Call `hook(*args, **kwargs)` before each call of `name`."""
        hook = self.guarded(name, hook)

        def make(original: Callable[..., Any]) -> Callable[..., Any]:
            def wrapper(*args: Any, **kwargs: Any) -> Any:
                hook(*args, **kwargs)
                return original(*args, **kwargs)

            return wrapper

        self.replace(name, make)

    def after(self, name: Name | str, hook: Callable[..., Any]) -> None:
        """Call `hook(result, *args, **kwargs)` after each call of `name` that returned."""
        hook = self.guarded(name, hook)

        def make(original: Callable[..., Any]) -> Callable[..., Any]:
            def wrapper(*args: Any, **kwargs: Any) -> Any:
                result = original(*args, **kwargs)
                hook(result, *args, **kwargs)
                return result

            return wrapper

        self.replace(name, make)

    def around(
        self, name: Name | str, enter: Callable[..., Any], leave: Callable[..., Any]
    ) -> None:
        """Call `token = enter(*args, **kwargs)` before and `leave(token, result, *args, **kwargs)` after `name`.

        `leave` is called even if the call raised, with result None, so anything that `enter` started is always ended.
        """
        enter, leave = self.guarded(name, enter), self.guarded(name, leave)

        def make(original: Callable[..., Any]) -> Callable[..., Any]:
            def wrapper(*args: Any, **kwargs: Any) -> Any:
                token = enter(*args, **kwargs)
                result = None
                try:
                    result = original(*args, **kwargs)
                    return result
                finally:
                    leave(token, result, *args, **kwargs)

            return wrapper

        self.replace(name, make)

    def outermost(
        self,
        name: Name | str,
        *,
        before: Callable[..., Any] | None = None,
        after: Callable[..., Any] | None = None,
    ) -> None:
        """Call `before(*args, **kwargs)` and `after(result, *args, **kwargs)` around the recursive function `name`.

        Only around the outermost call: its recursive calls are part of it. `after` is called like `leave` in `around`.
        """
        depth = 0

        def enter(*args: Any, **kwargs: Any) -> None:
            nonlocal depth
            depth += 1
            if depth == 1 and before is not None:
                before(*args, **kwargs)

        def leave(token: None, result: Any, *args: Any, **kwargs: Any) -> None:
            nonlocal depth
            depth -= 1
            if depth == 0 and after is not None:
                after(result, *args, **kwargs)

        self.around(name, enter, leave)

    def inside(self, context: AbstractContextManager[object]) -> None:
        """Enter `context`, and leave it when the capture ends."""
        self._patches.enter_context(context)

    def on_exit(self, undo: Callable[[], object]) -> None:
        """Call `undo` when the capture ends."""
        self._patches.callback(undo)
