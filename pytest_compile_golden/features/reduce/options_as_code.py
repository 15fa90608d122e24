"""The options of a compile as expressions, with what they hold of the user's own: passes, backends."""

from __future__ import annotations

import hashlib
import inspect
import sys
import types
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import jinja2

from pytest_compile_golden.features.eject import users_source
from pytest_compile_golden.features.eject.script_source import (
    REPLACEMENT_IMPORTS,
    CannotEject,
    Source,
    attribute,
)
from pytest_compile_golden.features.reduce.function_as_program import plain
from pytest_compile_golden.features.reduce.small_program import CONFIG, NAME, OwnCode
from pytest_compile_golden.observe.compile_options import CompileOptions
from pytest_compile_golden.targets import current_context
from pytest_compile_golden.targets.process_group import Ranks

# fmt: off
_OF_SCRIPTS = (
    NAME, "inputs", "options", "text", "texts", "compiled", "eager", "run", "facts", "log", "matches", "counted",
)
# fmt: on
"""Names that a program, or a script made of it, gives a meaning of its own."""


class GivenOptions(NamedTuple):
    """The options of one compile that are not what they are by default."""

    expressions: tuple[tuple[str, str], ...]
    own: OwnCode | None
    """What these expressions need of the user's own, if they need any."""


def options_of(options: CompileOptions, path: Collection[str] = ()) -> GivenOptions:
    """The arguments of `capture` that are not what they are by default, as expressions. Raises CannotEject.

    path: the folders from which the reduced program can import, as in `sys.path`.
    """
    default = CompileOptions(())
    given: dict[str, Any] = {
        name: getattr(options, name)
        for name in (
            "train",
            "dynamic",
            "fullgraph",
            "mode",
            "policy",
            "backend",
            "export",
        )
        if getattr(options, name) != getattr(default, name)
    }
    # A case's marker gives them to the whole test.
    ranks = options.ranks or current_context.now(Ranks)
    if ranks is not None:
        given |= {"world_size": ranks.world_size, "rank": ranks.rank}
    given |= {CONFIG + key: value for key, value in options.config.items()}
    if options.inherited:
        raise CannotEject(f"torch.compile was given {', '.join(options.inherited)}")
    source = _OwnSource(path)
    written = tuple(
        (name, _expression(value, name.removeprefix(CONFIG), source))
        for name, value in given.items()
    )
    return GivenOptions(written, source.own_code)


def _expression(value: Any, name: str, source: _OwnSource) -> str:
    if _is_plain(value):
        return repr(value)
    if isinstance(value, (list, tuple)):
        if all(map(_is_plain, value)):
            return repr(value)
        inside = ", ".join(_expression(item, name, source) for item in value)
        return f"[{inside}]"
    if isinstance(value, Mapping) and all(map(_is_plain, value.values())):
        return repr(dict(value))
    if not callable(value):
        raise CannotEject(f"{name} is a {type(value).__name__}")
    try:
        return source.called(value)
    except CannotEject as error:
        raise CannotEject(f"{name} is {error}") from None


def _is_plain(value: object) -> bool:
    return value is None or isinstance(value, (bool, int, float, str))


class _OwnSource(Source):
    """What options need of the user's own: imported from their module where that is possible, else copied."""

    def __init__(self, path: Collection[str]) -> None:
        super().__init__()
        self.reserve(_OF_SCRIPTS)
        self._path = list(path)
        self._modules: dict[str, str] = {}
        """The user's modules that are imported and not installed, each with a digest of its file."""

    @property
    def own_code(self) -> OwnCode | None:
        """Everything that the expressions need. Raises CannotEject."""
        if self.operators:
            raise CannotEject("a pass that calls operators of your own")
        if "replacement" in self.helpers:
            self.imports |= dict.fromkeys(REPLACEMENT_IMPORTS)
        helpers = Path(users_source.__file__).with_name("helpers.py.jinja")
        text = jinja2.Environment(trim_blocks=True, lstrip_blocks=True).from_string(
            helpers.read_text(encoding="utf-8")
        )
        definitions = "\n".join([text.render(helpers=self.helpers), *self.definitions])
        imports = tuple(line for line in self.imports if line != "import torch")
        if not imports and not definitions.strip():
            return None
        return OwnCode(imports, plain(definitions), tuple(self._modules.items()))

    def called(self, value: Any) -> str:
        """What a compiler calls: an instance is made by its class if that takes no arguments."""
        if isinstance(value, types.MethodType) and not isinstance(value.__self__, type):
            return f"{self.called(value.__self__)}.{value.__name__}"
        known = self.known(value) or self._imported(value)
        if known is not None:
            return known
        kind = type(value)
        if (
            not isinstance(value, (type, types.FunctionType))
            and kind.__module__.partition(".")[0]
            not in {"torch", *sys.stdlib_module_names}
            and not inspect.signature(kind).parameters
        ):
            return f"{self.value(kind)}()"
        return self.value(value)

    def value(self, value: Any) -> str:
        imported = None if self.known(value) else self._imported(value)
        return super().value(value) if imported is None else imported

    def _imported(self, value: Any) -> str | None:
        """How to call it once its module is imported; None if no module has it under a name."""
        for module, path in _places(value):
            if not self._can_import(module):
                continue
            root, _, rest = path.partition(".")
            own = self.claim(root, getattr(module, root), imported=True)
            line = f"from {module.__name__} import {root}"
            self.imports[line if own == root else f"{line} as {own}"] = None
            return f"{own}.{rest}" if rest else own
        return None

    def _can_import(self, module: types.ModuleType) -> bool:
        """Whether the program can import it: no script, and no test file, which is better left alone."""
        name = module.__name__
        file = getattr(module, "__file__", None)
        last = name.rpartition(".")[2]
        if file is None or last in ("__main__", "conftest") or last.startswith("test_"):
            return False
        if users_source.comes_installed(name, self):
            return True
        at = Path(file).resolve()
        inside = (
            at.relative_to(folder).with_suffix("")
            for folder in (Path(each).resolve() for each in self._path)
            if at.is_relative_to(folder)
        )
        if name not in {
            ".".join(path.parts).removesuffix(".__init__") for path in inside
        }:
            return False
        self._modules[name] = hashlib.sha256(at.read_bytes()).hexdigest()[:12]
        return True


def _places(value: Any) -> Iterator[tuple[types.ModuleType, str]]:
    """The modules that hold a function, a class or an object, or an object that holds it, each with its name there."""
    home = sys.modules.get(getattr(value, "__module__", None) or "")
    if isinstance(value, (type, types.FunctionType)):
        if home is not None and attribute(home, value.__qualname__) is value:
            yield home, value.__qualname__
        return
    if not hasattr(value, "__dict__") or isinstance(value, types.ModuleType):
        return  # a number, a string, a list: equal ones may be one object
    for module in [home, *sys.modules.values()]:
        # Modules of torch and of Python may compute what they hold when they are asked for it.
        root = str(getattr(module, "__name__", "torch")).partition(".")[0]
        if module is None or root in {"torch", *sys.stdlib_module_names} - {"__main__"}:
            continue
        for name, member in list(getattr(module, "__dict__", {}).items()):
            if member is value:
                yield module, name
            elif type(member).__module__ == getattr(module, "__name__", None):
                for attribute_name, held in list(
                    getattr(member, "__dict__", {}).items()
                ):
                    if held is value:
                        yield module, f"{name}.{attribute_name}"
