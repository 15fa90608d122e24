"""Replace attributes of torch temporarily; they are always restored."""

from __future__ import annotations

import contextlib
import functools
import inspect
import types
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from pytest_compile_golden.errors import UnsupportedTorch
from pytest_compile_golden.torch_internals import MissingName, Setting, parameters

_MISSING: Any = object()
K = TypeVar("K")
V = TypeVar("V")


_ANSWERS = "__compile_golden_answers__"


@functools.cache
def _ask(key: str) -> types.CodeType:
    """The code of a function that passes its arguments on to the answer under `key` in its module's globals."""
    source = f"def ask(*args, **kwargs): return {_ANSWERS}[{key!r}](*args, **kwargs)"
    code = compile(source, "<compile_golden>", "exec").co_consts[0]
    assert isinstance(code, types.CodeType)
    return code


_lacking: dict[str, str] = {}
_replaced: set[str] = set()


def lacking_features() -> dict[str, str]:
    """What the active target cannot do on the installed torch, each feature with the reason."""
    return dict(_lacking)


def replaced() -> tuple[str, ...]:
    """The functions of torch that have been replaced or wrapped in this process, by name."""
    return tuple(sorted(_replaced))


def answering(code: types.CodeType) -> bool:
    """Whether it is that of a function of torch's while another one answers for it: see `Patches.answer`."""
    return _ANSWERS in code.co_names


def describe(owner: object) -> str:
    """`torch._inductor.graph.GraphLowering` for a class or a module."""
    if inspect.ismodule(owner):
        return owner.__name__
    if inspect.isclass(owner):
        return f"{owner.__module__}.{owner.__qualname__}"
    return repr(owner)


def _missing(owner: object, name: str) -> UnsupportedTorch:
    return UnsupportedTorch(f"{describe(owner)}.{name} is gone")


# What fits in the place of a function of torch's, by our code: each capture replaces some two hundred functions.
_fitting: WeakKeyDictionary[Callable[..., Any], set[types.CodeType]] = (
    WeakKeyDictionary()
)


def _must_fit(owner: object, name: str, ours: Any) -> None:
    """Raise UnsupportedTorch if `owner.name` may be called in ways that `ours`, which replaces it, does not take."""
    original, ours = (
        getattr(each, "__func__", each) for each in (getattr(owner, name), ours)
    )
    if not isinstance(original, types.FunctionType) or not isinstance(
        ours, types.FunctionType
    ):
        return
    fitting = _fitting.setdefault(inspect.unwrap(original), set())
    if ours.__code__ in fitting:
        return
    plain = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    try:
        theirs = parameters(original)
    except ValueError:
        return  # it wraps a function in C++, which does not say how it is called
    if any(each.kind is inspect.Parameter.VAR_POSITIONAL for each in theirs):
        return  # what takes anything, such as a replacement of an outer target, does not say how it is called
    taken = inspect.signature(ours, follow_wrapped=False)
    for passed in (
        theirs,
        [each for each in theirs if each.default is inspect.Parameter.empty],
    ):
        args = [each for each in passed if each.kind in plain]
        kwargs = {
            each.name: each
            for each in passed
            if each.kind is inspect.Parameter.KEYWORD_ONLY
        }
        try:
            taken.bind(*args, **kwargs)
        except TypeError as error:
            listed = ", ".join(each.name for each in theirs)
            raise UnsupportedTorch(
                f"{describe(owner)}.{name} takes ({listed}): {error}"
            ) from None
    fitting.add(ours.__code__)


class Patches(contextlib.ExitStack):
    """A stack of replacements, undone in reverse order on leaving."""

    @contextlib.contextmanager
    def feature(self, what: str) -> Iterator[Patches]:
        """Patches that belong together, named by what a target can do with them, in a few words.

        If the installed torch is not as they need it, none of them is made, and the target goes on without the feature.
        """
        own = Patches()
        try:
            yield own
        except (
            AttributeError,
            ImportError,
            KeyError,
            TypeError,
            UnsupportedTorch,
        ) as error:
            own.close()
            from pytest_compile_golden.targets.signature_check import because

            self.put_item(_lacking, what, because(error))
        else:
            self.push(own)

    def replace(self, owner: Any, name: str, value: object) -> None:
        """Set `owner.name`. Raises UnsupportedTorch, naming it, if the installed torch has no such attribute."""
        if not self.replace_if_present(owner, name, value):
            raise _missing(owner, name)

    def replace_if_present(self, owner: Any, name: str, value: object) -> bool:
        """Set `owner.name` if it exists; returns whether it did. For names that come and go between torch versions."""
        if not hasattr(owner, name):
            return False
        self.put(owner, name, value)
        return True

    def put(self, owner: Any, name: str, value: object) -> None:
        """Set `owner.name`, whether or not it exists; on leaving, it is restored or removed."""
        # vars(), so that a staticmethod is restored as one and an inherited attribute does not stay on the owner.
        before = vars(owner).get(name, _MISSING)
        if before is not _MISSING and callable(getattr(value, "__func__", value)):
            _must_fit(owner, name, value)
            _replaced.add(f"{describe(owner)}.{name}")
        setattr(owner, name, value)

        def restore() -> None:
            if before is _MISSING:
                delattr(owner, name)
            else:
                setattr(owner, name, before)

        self.callback(restore)

    def wrap(
        self,
        owner: Any,
        name: str,
        make: Callable[[Callable[..., Any]], Callable[..., Any]],
    ) -> None:
        """Replace the function `owner.name` with `make(original)`; a static or class method stays one."""
        if not hasattr(owner, name):
            raise _missing(owner, name)
        own = vars(owner).get(name, getattr(owner, name))
        bound = isinstance(own, (staticmethod, classmethod))
        function = own.__func__ if bound else own
        wrapped: Any = functools.wraps(function)(make(function))
        self.put(owner, name, type(own)(wrapped) if bound else wrapped)

    def answer(self, owner: Any, name: str, implementation: Callable[..., Any]) -> bool:
        """Make the function `owner.name` do what `implementation` does; returns whether there is such a function.

        A Python function stays the same object and gets different code: Dynamo knows torch's functions by identity, in
        tables that it makes once per process (torch/_dynamo/trace_rules.py), and others have imported it by name.
        """
        function = getattr(owner, name, None)
        if not isinstance(function, types.FunctionType) or function.__closure__:
            return self.replace_if_present(owner, name, implementation)
        answers = function.__globals__.setdefault(_ANSWERS, {})
        key = f"{function.__module__}.{function.__qualname__}"
        _must_fit(owner, name, implementation)
        _replaced.add(key)
        self.put_item(answers, key, implementation)
        before = function.__code__
        function.__code__ = _ask(key).replace(
            co_name=before.co_name, co_filename=before.co_filename
        )
        self.callback(setattr, function, "__code__", before)
        return True

    def adapt(
        self,
        owner: Any,
        name: str,
        make: Callable[[Callable[..., Any]], Callable[..., Any]],
    ) -> None:
        """`wrap` for a module's function that others imported by name: it stays the same object, as in `answer`."""
        function = getattr(owner, name)
        original = types.FunctionType(
            function.__code__,
            function.__globals__,
            function.__name__,
            function.__defaults__,
        )
        original.__kwdefaults__ = function.__kwdefaults__
        self.answer(owner, name, make(original))

    def put_item(self, mapping: MutableMapping[K, V], key: K, value: V) -> None:
        """Set `mapping[key]`; on leaving, it is restored or removed."""
        before = mapping.get(key, _MISSING)
        mapping[key] = value

        def restore() -> None:
            if before is _MISSING:
                mapping.pop(key, None)
            else:
                mapping[key] = before

        self.callback(restore)

    def configure(self, values: Mapping[Setting, object]) -> None:
        """Set `values`; if the installed torch should have one and does not, the target lacks what it is for."""
        of_modules: dict[Any, dict[str, object]] = {}
        for row, value in values.items():
            try:
                module, key = row.resolve()
            except MissingName as error:
                if row.expected and row.feature:
                    self.put_item(_lacking, row.feature, str(error))
            else:
                of_modules.setdefault(module, {})[key] = value
        # The context of this thread keeps each patch for good (torch/utils/_config_module.py: ConfigModule.patch).
        for module, own in of_modules.items():
            self.enter_context(module.patch(own))
