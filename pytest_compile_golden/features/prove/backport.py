"""Puts definitions of an older version of a package into the running newer one.

Function objects stay what they are and get other code, so that the tables, decorators and caches that hold them need
not be known. Old code sees the names of the new module; what is missing there comes along from the old one, and what
failed for lack of something says so by its error.
"""

from __future__ import annotations
import __future__

import ast
import builtins
import copy
import gc
import importlib
import inspect
import re
import sys
import types
import weakref
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

from pytest_compile_golden.errors import chain
from pytest_compile_golden.features.prove.prove_protocol import Edit, Helper, Needs
from pytest_compile_golden.torch_source.definitions import Function, bare, first_line
from pytest_compile_golden.torch_source.installed_sources import Sources

_FUTURE = __future__.annotations.compiler_flag
_DEEPEST = 30
_WRAPPED = 4
"""How many objects deep a registered function may be, such as a closure's cell in a wrapper in an entry."""


_TEMPLATES: weakref.WeakKeyDictionary[Any, str] = weakref.WeakKeyDictionary()
"""Of jinja2, with the text that each was made of, which may be that of several files."""


def note_templates() -> None:
    """Note the text of what jinja2 compiles from now on, which itself keeps only the code."""
    with suppress(ImportError):
        from jinja2 import Environment

        make = Environment.from_string

        def noted(
            environment: Environment, source: Any, *options: Any, **more: Any
        ) -> Any:
            template = make(environment, source, *options, **more)
            _TEMPLATES[template] = source
            return template

        setattr(Environment, make.__name__, noted)


_NEAREST = 8
_NOT_THERE = re.compile(
    r"cannot import name '(\w+)' from '([\w.]+)'|([\w.]+)\.(\w+) does not exist"
)
_WRONG_CALL = re.compile(r"([\w.<>]+)\(\) (?:missing|got|takes)")
_ARGUMENT = re.compile(r"'(\w+)'")

MISSING = (NameError, AttributeError, TypeError, ImportError)
"""The errors of code that runs among other definitions than those it was written for."""


class CannotTransplant(Exception):
    """A definition that cannot be replaced in a running process."""


class Surgeon:
    """Works on the modules of this process, which `new` is the sources of, and on the functions that are there now."""

    def __init__(self, old: Sources, new: Sources) -> None:
        self._old, self._new = old, new
        self._live: dict[str, list[weakref.ref[types.FunctionType]]] = {}
        gc.unfreeze()  # a session of pytest freezes what its first case imported, which would not be found
        for thing in gc.get_objects():
            if type(thing) is types.FunctionType and (
                file := file_of(thing.__code__, new)
            ):
                self._live.setdefault(file, []).append(weakref.ref(thing))

    def apply(self, edit: Edit) -> None:
        """Raises CannotTransplant, and whatever the old version's expressions raise."""
        if edit.kind == "call":
            self._execute(ast.parse(edit.name).body[0], edit.file)
            return
        if edit.kind == "template":
            self._template(edit)
            return
        module = module_of(edit.file)
        holder, last = module, edit.name.rpartition(".")[2]
        for part in edit.name.split(".")[:-1]:
            holder = getattr(holder, part)
        if edit.kind == "function":
            self._function(edit, holder)
        elif edit.kind == "added":
            self._remove(edit, holder, last)
        elif edit.kind == "setting":
            # torch/utils/_config_module.py: names with dots, too.
            setattr(module, edit.name, ast.literal_eval(edit.text))
        else:
            self._constant(edit, holder, last)

    def bring(self, helper: Helper) -> None:
        """Bind a name as in the old version, with whatever that needs in turn; other names stay as they are.

        Raises CannotTransplant for a name that the old version's file does not define.
        """
        node = self._old.definitions(helper.file).get(helper.name)
        if node is None:
            raise CannotTransplant(f"{helper.file} has no {helper.name}")
        if "." in helper.name:
            function = self._old.function(helper.file, helper.name)
            self.apply(
                Edit("function" if function else "constant", helper.file, helper.name)
            )
        else:
            self._execute(node, helper.file, helper.name)

    def _execute(self, node: ast.stmt, file: str, only: str | None = None) -> None:
        namespace = vars(module_of(file))
        before = dict(namespace)
        tree = ast.fix_missing_locations(ast.Module([copy.deepcopy(node)], []))
        code = compile(
            tree, str(self._new.folder / file), "exec", _FUTURE, dont_inherit=True
        )
        self._with_helpers(lambda: exec(code, namespace), file)
        if only is not None:
            namespace.update(
                {name: value for name, value in before.items() if name != only}
            )

    def _constant(self, edit: Edit, holder: Any, last: str) -> None:
        node = self._old.value(edit.file, edit.name)
        if node is None:
            raise CannotTransplant(f"{edit.name} is not a value in the old version")
        held: Any
        value, held = self._evaluate(node, edit.file), getattr(holder, last, None)
        if isinstance(held, types.MemberDescriptorType):
            raise CannotTransplant(f"{edit.name} is a slot")
        # Others hold a reference to it.
        if type(held) is type(value) and isinstance(held, (dict, set, list)):
            held.clear()
            held.extend(value) if isinstance(held, list) else held.update(value)
        else:
            setattr(holder, last, value)

    def _function(self, edit: Edit, holder: Any) -> None:
        file, name, last = edit.file, edit.there, edit.name.rpartition(".")[2]
        node = _parsed(edit.text) if edit.text else self._old.function(file, name)
        now = self._new.function(file, edit.name)
        if node is None:
            raise CannotTransplant(f"{name} is not a function in the old version")
        if now is not None:
            node = _called_like(now, node)
        # `own` are the objects that are this function, several if its definition ran more than once; `live` has those
        # defined inside it as well, closures that somebody holds.
        live, own = self._in_place(file, now)
        if now and not own:
            raise CannotTransplant(
                f"{name} is not a function that can be found in the process"
            )
        compiled = self._compile(
            node, name, file, any("__class__" in f.__code__.co_freevars for f in own)
        )
        self._bring_missing(compiled.values(), file)
        defaults = tuple(
            self._evaluate(default, file) for default in node.args.defaults
        )
        pairs = zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
        keywords = {
            arg.arg: self._evaluate(default, file)
            for arg, default in pairs
            if default is not None
        }
        code = compiled[name]
        # Code can be exchanged in place only for code with the same free variables, and an object keeps what decorators
        # made of it. Otherwise another object takes its place in the module or the class.
        decorated = list(map(bare, node.decorator_list)) != list(
            map(bare, now.decorator_list if now else [])
        )
        if (
            not own
            or decorated
            or any(f.__code__.co_freevars != code.co_freevars for f in own)
        ):
            if set(code.co_freevars) - {"__class__"}:
                raise CannotTransplant(f"{name} has other free variables")
            cells = tuple(types.CellType(holder) for _ in code.co_freevars)
            made: Any = types.FunctionType(
                code, vars(module_of(file)), node.name, defaults, cells
            )
            made.__kwdefaults__ = keywords
            # Registers it again, if that is what the decorator does.
            for decorator in reversed(node.decorator_list):
                made = self._evaluate(decorator, file)(made)
            setattr(holder, last, made)
        for f in live:
            inner = (
                code
                if f in own
                else compiled.get(getattr(f.__code__, "co_qualname", ""))
            )
            if inner is not None and inner.co_freevars == f.__code__.co_freevars:
                f.__code__ = inner
                if f in own:
                    f.__defaults__, f.__kwdefaults__ = defaults, keywords
        # What the function of now has answered already, or has set up, must not outlive it.
        held = getattr(holder, last, None)
        if callable(forget := getattr(held, "cache_clear", None)):
            forget()
        if last == "__init__" and isinstance(holder, type) and not node.args.args[1:]:
            gc.unfreeze()  # or nothing is found that was there before the fork
            for thing in gc.get_objects():
                if issubclass(type(thing), holder):
                    _make_again(thing)
        elif [type(held).__name__] == [
            ast.unparse(decorator) for decorator in node.decorator_list
        ]:
            _make_again(held, *own)

    def _in_place(
        self, file: str, now: Function | None
    ) -> tuple[list[types.FunctionType], list[types.FunctionType]]:
        """The function objects of this process with code in a function of the new version, and those that are it."""
        if now is None:
            return [], []
        start, end = first_line(now), now.end_lineno or now.lineno
        there = [
            f
            for reference in self._live.get(file, ())
            if (f := reference()) is not None
        ]
        live = [f for f in there if start <= f.__code__.co_firstlineno <= end]
        return live, [
            f
            for f in live
            if f.__code__.co_firstlineno == start and f.__code__.co_name == now.name
        ]

    def _template(self, edit: Edit) -> None:
        now = self._new.text(edit.file)
        old = (
            edit.text + now[len(now.rstrip("\n")) :]
            if edit.text
            else self._old.text(edit.file)
        )
        made = [
            (template, text) for template, text in _TEMPLATES.items() if now in text
        ]
        if not made:
            raise CannotTransplant(f"no template in the process is made of {edit.file}")
        for template, text in made:
            again = template.environment.from_string(text.replace(now, old))
            _TEMPLATES[template] = _TEMPLATES.pop(again)
            vars(template).update(vars(again))

    def _remove(self, edit: Edit, holder: Any, last: str) -> None:
        if isinstance(holder, type):
            delattr(holder, last)
            return
        own = self._in_place(edit.file, self._new.function(edit.file, edit.name))[1]
        gc.unfreeze()  # or nothing is found that was there before the fork
        if not _unregistered(own, vars(holder)):
            raise CannotTransplant(f"nothing is known to hold {edit.name}")

    def _compile(
        self, node: Function, name: str, file: str, keeps_class: bool
    ) -> dict[str, types.CodeType]:
        """The code of a function and of those inside it, by qualified name (Python 3.10: of the function alone)."""
        tree: ast.stmt = copy.deepcopy(node)
        tree.decorator_list = []  # type: ignore[attr-defined]
        if keeps_class:  # the function in place has a cell for its class
            tree.body.insert(0, ast.Expr(ast.Name("__class__", ast.Load())))  # type: ignore[attr-defined]
        # Private names are spelled after the class.
        for part in reversed(name.split(".")[:-1]):
            tree = ast.ClassDef(part, [], [], [tree], [])
        module = ast.fix_missing_locations(ast.Module([tree], []))
        code = compile(
            module, str(self._new.folder / file), "exec", _FUTURE, dont_inherit=True
        )
        for _ in name.split("."):
            code = next(
                inner
                for inner in _inside(code)
                if inner.co_name not in ("__annotate__",)
            )
        found = {name: code}
        waiting = [code]
        while waiting:
            for inner in _inside(waiting.pop()):
                found[getattr(inner, "co_qualname", f"{name}/{len(found)}")] = inner
                waiting.append(inner)
        return found

    def _bring_missing(self, codes: Any, file: str) -> None:
        known = vars(module_of(file)).keys() | vars(builtins).keys()
        there = self._old.definitions(file)
        names = {name for code in codes for name in code.co_names}
        for missing in sorted(
            name for name in names if name not in known and name in there
        ):
            self.bring(Helper(file, missing))

    def _evaluate(self, node: ast.expr, file: str) -> Any:
        code = compile(
            ast.fix_missing_locations(ast.Expression(copy.deepcopy(node))), file, "eval"
        )
        return self._with_helpers(lambda: eval(code, vars(module_of(file))), file)

    def _with_helpers(self, action: Callable[[], Any], file: str) -> Any:
        for _ in range(_DEEPEST):
            try:
                return action()
            except NameError as error:
                self.bring(Helper(file, str(error.name)))
        raise CannotTransplant(f"names that {file} needs are missing")


def _make_again(thing: Any, *given: Any) -> None:
    """Give an object, such as the only one of its class, the state that a new one has, unless that needs more."""
    with suppress(Exception):
        again: Any = object.__new__(type(thing))
        again.__init__(*given)
        vars(thing).clear()
        vars(thing).update(vars(again))


def _unregistered(things: list[Any], module: dict[str, Any]) -> bool:
    """Remove objects, and whatever wraps them, from the tables and lists of this process; whether there were any.

    A pattern, for example, is an entry in a list with the function as its handler, and a lowering is in a table,
    wrapped (torch/_inductor/pattern_matcher.py, torch/_inductor/lowering.py).
    """
    found = False
    # All at once: each look takes a tenth of a second or more.
    for _ in range(_WRAPPED):
        held = {id(thing) for thing in things}
        holders = [
            holder
            for holder in gc.get_referrers(*things)
            if holder is not things and holder is not module
        ]
        tables = [holder for holder in holders if isinstance(holder, dict)]
        owners = (
            [owner for owner in gc.get_referrers(*tables) if hasattr(owner, "__dict__")]
            if tables
            else []
        )
        namespaces = {id(vars(owner)) for owner in owners}
        wrappers = []
        for holder in holders:
            if isinstance(holder, list):
                kept = [item for item in holder if id(item) not in held]
                found = found or len(kept) < len(holder)
                holder[:] = kept
            elif isinstance(holder, dict) and id(holder) not in namespaces:
                keys = [key for key, value in holder.items() if id(value) in held]
                found = found or bool(keys)
                for key in keys:
                    del holder[key]
            elif not isinstance(holder, (types.FrameType, types.ModuleType, type)):
                wrappers.append(holder)
        if not wrappers:
            break
        things = wrappers
    return found


def _called_like(new: Function, old: Function) -> Function:
    """The old function with the parameters that only the new one has, which it ignores: its callers pass them."""
    made = copy.deepcopy(old)
    before, after = made.args, new.args
    known = {arg.arg for arg in (*before.posonlyargs, *before.args, *before.kwonlyargs)}
    ours, theirs = (
        [arg.arg for arg in (*side.posonlyargs, *side.args)] for side in (before, after)
    )
    behind = before.vararg is None and theirs[: len(ours)] == ours
    for arg in (*after.posonlyargs, *after.args, *after.kwonlyargs):
        if arg.arg in known or before.kwarg is not None:
            continue
        if behind and arg.arg in theirs:
            before.args.append(ast.arg(arg.arg))
            before.defaults.append(ast.Constant(None))
        else:
            before.kwonlyargs.append(ast.arg(arg.arg))
            before.kw_defaults.append(ast.Constant(None))
    return made


def _parsed(text: str) -> Function | None:
    node = ast.parse(text).body[0]
    return node if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) else None


def _inside(code: types.CodeType) -> Iterator[types.CodeType]:
    return (
        constant for constant in code.co_consts if isinstance(constant, types.CodeType)
    )


def file_of(code: types.CodeType, sources: Sources) -> str | None:
    """The file of a function of the package, below the folder that holds it; None for any other function."""
    root = f"{sources.folder}/"
    return (
        code.co_filename[len(root) :]
        if code.co_filename.startswith(f"{root}{sources.package}/")
        else None
    )


def module_of(file: str) -> Any:
    """The module that was, or is now, imported from a file: `torch/_inductor/ir.py`."""
    name = file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    return sys.modules.get(name) or importlib.import_module(name)


def needs(error: BaseException | None, new: Sources) -> Needs:
    """What the code that raised `error`, or an error that led to it, asked the new version for in vain."""
    helpers: list[Helper] = []
    functions: list[tuple[str, str]] = []
    words: list[str] = []
    # The first of them is the nearest to the old code.
    for reason in reversed(list(chain(error))):
        frames = (
            inspect.getinnerframes(reason.__traceback__, 0)
            if reason.__traceback__
            else []
        )
        places = [
            place
            for frame in frames
            if (place := _place(frame.frame.f_code, new)) is not None
        ]
        functions += reversed(places)
        text = str(reason)
        if isinstance(reason, NameError) and places:
            helpers.append(Helper(places[-1][0], str(reason.name)))
        elif found := _NOT_THERE.search(text):
            module, name = found[2] or found[3], found[1] or found[4]
            helpers += [Helper(file, name) for file in [_file(module, new)] if file]
        elif isinstance(reason, AttributeError) and reason.obj is not None:
            helpers += _of_object(reason.obj, str(reason.name), new)
            words.append(str(reason.name))
        elif isinstance(reason, TypeError) and (call := _WRONG_CALL.match(text)):
            functions.insert(0, ("", call[1]))
            words += _ARGUMENT.findall(text)
    return Needs(tuple(helpers), tuple(functions[:_NEAREST]), tuple(words))


def _of_object(thing: object, name: str, new: Sources) -> Iterator[Helper]:
    """An attribute that an object lacks: of its module, or of the classes that it is an instance of."""
    if isinstance(thing, types.ModuleType):
        owners = [(thing.__name__, name)]
    else:
        kinds = (thing if isinstance(thing, type) else type(thing)).__mro__
        owners = [(kind.__module__, f"{kind.__qualname__}.{name}") for kind in kinds]
    return (
        Helper(file, full_name)
        for module, full_name in owners
        if (file := _file(module, new))
    )


def _place(code: types.CodeType, new: Sources) -> tuple[str, str] | None:
    file = file_of(code, new)
    # Transplanted code has the older version's line numbers, so its name says more (Python 3.10 has none).
    name = getattr(code, "co_qualname", "").partition(".<locals>")[0]
    if file and new.function(file, name) is None:
        name = new.function_at(f"{file}:{code.co_firstlineno}") or ""
    return (file, name) if file and name else None


def _file(module: str, new: Sources) -> str | None:
    path = getattr(sys.modules.get(module), "__file__", None) or ""
    prefix = f"{new.folder}/"
    return path[len(prefix) :] if path.startswith(prefix) else None
