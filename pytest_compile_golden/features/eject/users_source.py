"""Copies the user's functions and classes, along with everything else of the user's that they refer to."""

from __future__ import annotations

import ast
import builtins
import functools
import inspect
import linecache
import site
import symtable
import sys
import sysconfig
import textwrap
import types
from collections.abc import Iterator
from importlib.util import resolve_name
from pathlib import Path
from typing import Any

from pytest_compile_golden.features.eject.script_source import CannotEject, Source
from pytest_compile_golden.observe.source_locations import closure_of
from pytest_compile_golden.torch_internals import tensors

_WITH_TORCH = frozenset(
    {"torch", "triton", "sympy", "mpmath", "networkx", "jinja2", "fsspec", "filelock"}
)
"""Packages that a script can always import: torch, and the packages that torch itself installs."""
WORKAROUND = "Create it inside the pass, or from numbers, strings, lists, functions, classes and instances of these."
"""Ends every message that refuses one of the user's objects."""
_OF_A_MODULE = frozenset({"__file__", "__name__", "__doc__", "__package__", "__spec__"})
"""Names that the script's own module already has."""


def comes_installed(module: str, source: Source) -> bool:
    """Whether a script can import `module`: it belongs to torch, to Python, or to an installed package.

    If the script needs a package besides torch, this is noted in `source`.
    """
    root = module.partition(".")[0]
    if root in _WITH_TORCH or root in sys.stdlib_module_names:
        return True
    file = getattr(sys.modules.get(module), "__file__", None)
    if file is None or not any(
        Path(file).is_relative_to(folder) for folder in _installed()
    ):
        return False
    source.packages[root] = None
    return True


@functools.cache
def _installed() -> tuple[str, ...]:
    return (
        sysconfig.get_path("purelib"),
        sysconfig.get_path("platlib"),
        *site.getsitepackages(),
    )


def copied(value: Any, source: Source, decorator: str = "") -> str:
    """The script's name for a copy of a function or class. Raises CannotEject.

    Decorators that only register it are left out, those that wrap it are kept. If `decorator` is given, all are kept,
    and it is added if there are none.
    """
    expression = source.known(value)
    if expression is not None:
        return expression
    name, text = _text(value)
    statement = ast.parse(text).body[0]
    if (
        isinstance(statement, (ast.FunctionDef, ast.ClassDef))
        and statement.decorator_list
    ):
        if not decorator and not hasattr(value, "__wrapped__"):
            text = _without_decorators(text, statement, _names_in(value))
    elif decorator:
        text = f"{decorator}\n{text}"
    own = source.claim(name, value)
    changed = {} if own == name else {name: own}
    mark = f"# copied: {value.__module__}.{value.__qualname__}\n"
    source.copy(own, lambda: mark + _defined(text, value, source, changed))
    return own


def _text(value: Any) -> tuple[str, str]:
    """The name and the source of the statement that defines `value`."""
    function = inspect.unwrap(value)
    try:
        if getattr(function, "__name__", "") == "<lambda>":
            code = function.__code__
            lambdas = lambdas_at(code)
            if len(lambdas) != 1:
                raise CannotEject(
                    f"a lambda at {Path(code.co_filename).name}:{code.co_firstlineno}, a line with {len(lambdas)} "
                    "lambdas: write it as a separate function"
                )
            return "own_pass", f"own_pass = {ast.unparse(lambdas[0])}\n"
        text = textwrap.dedent(inspect.getsource(function))
        statement = ast.parse(text).body[0]
        # A function made in a loop may have been given a different name from its statement.
        return statement.name if isinstance(
            statement, (ast.FunctionDef, ast.ClassDef)
        ) else function.__name__, text
    except (OSError, TypeError, SyntaxError):
        raise CannotEject(
            f"{value.__module__}.{value.__qualname__}, which has no source to copy: define it in a file"
        ) from None


def lambdas_at(code: types.CodeType) -> list[ast.Lambda]:
    """The lambdas that begin on the same line as this one."""
    lambdas = (
        node
        for node in ast.walk(_tree(code.co_filename))
        if isinstance(node, ast.Lambda)
    )
    return [node for node in lambdas if node.lineno == code.co_firstlineno]


def _without_decorators(
    text: str, statement: ast.FunctionDef | ast.ClassDef, namespace: dict[str, Any]
) -> str:
    """The source without decorators, except that a class keeps those of Python and torch: it may need `dataclass`."""
    lines = text.split("\n")
    kept = []
    for decorator in statement.decorator_list:
        value = namespace.get(
            next(
                (part.id for part in ast.walk(decorator) if isinstance(part, ast.Name)),
                "",
            )
        )
        home = getattr(value, "__module__", None) or getattr(value, "__name__", "")
        root = str(home).partition(".")[0]
        if isinstance(statement, ast.ClassDef) and (
            root in sys.stdlib_module_names or root == "torch"
        ):
            kept += lines[decorator.lineno - 1 : decorator.end_lineno]
    return "\n".join([*kept, *lines[statement.lineno - 1 :]])


def _names_in(value: Any) -> dict[str, Any]:
    """The values of the names in the source of a function or class."""
    if not isinstance(value, type):
        function = inspect.unwrap(value)
        namespace = dict(function.__globals__)
        return namespace | closure_of(function)
    namespace = (
        dict(vars(sys.modules[value.__module__]))
        if value.__module__ in sys.modules
        else {}
    )
    for base in value.__mro__[1:]:
        namespace.setdefault(base.__name__, base)
    for member in vars(value).values():
        method = inspect.unwrap(
            getattr(member, "__func__", getattr(member, "fget", member)) or member
        )
        if isinstance(method, types.FunctionType):
            namespace |= closure_of(method)
    return namespace


def _defined(text: str, value: Any, source: Source, changed: dict[str, str]) -> str:
    """`text` with its names defined in the script, renamed as in `changed` if they are there."""
    module = sys.modules.get(value.__module__)
    return define_names(
        text,
        _names_in(value),
        source,
        getattr(module, "__dict__", {}),
        value.__qualname__,
        changed,
    )


def define_names(
    text: str,
    namespace: dict[str, Any],
    source: Source,
    module: dict[str, Any],
    user: str,
    changed: dict[str, str] | None = None,
) -> str:
    """One statement, with everything that it refers to defined in the script. Raises CannotEject.

    namespace: the values of its names. module: the globals of its file. user: how error messages refer to it.
    changed: names that are different in the script. If a name is taken, or belongs to one of the user's modules, it is
    renamed in the statement that is returned.
    """
    changed = dict(changed or {})
    tree = ast.parse(text)
    for name in _global_names(tree):
        if name in changed or name not in namespace or name in _OF_A_MODULE:
            continue
        value = namespace[name]
        if isinstance(value, types.ModuleType) and not comes_installed(
            value.__name__, source
        ):
            for chain, member in _chains(tree, name, value):
                changed[chain] = _define(
                    chain.rpartition(".")[2], member, source, vars(value), user
                )
        elif getattr(builtins, name, source) is not value:
            defined = _define(name, value, source, module, user)
            if defined != name:
                changed[name] = defined
            if isinstance(value, types.ModuleType):
                for _, member in _chains(tree, name, value):
                    if isinstance(member, tensors.PACKET.get()):
                        source.function(member)
    return _renamed(text, changed) if changed else text


def _define(
    name: str, value: Any, source: Source, module: dict[str, Any], user: str
) -> str:
    """The script's expression for the global `name`, which `user` refers to."""
    lines = _import_lines(module, name, value, source)
    if lines:
        own = source.claim(name, value, imported=True)
        if own != name:
            lines = [f"{lines[0].partition(' as ')[0]} as {own}"]
        source.imports.update(dict.fromkeys(lines))
        return own
    if isinstance(value, types.ModuleType):
        package, _, short = value.__name__.rpartition(".")
        plain = (
            f"from {package} import {short}" if package else f"import {value.__name__}"
        )
        source.imports[plain if name == short else f"{plain} as {name}"] = None
        return name
    expression = source.known(value)
    if expression is not None:
        return expression
    try:
        written = source.value(value)
    except CannotEject as error:
        statement = (
            _assignment(module, name) if module.get(name, source) is value else None
        )
        if statement is None or error.located:
            raise _located(error, name, module, user) from None
        own = source.claim(name, value)
        try:
            text = define_names(
                ast.unparse(statement), module, source, module, user, {name: own}
            )
        except CannotEject:
            raise _located(error, name, module, user) from None
        source.definitions.append(f"{text}\n")
        return own
    if source.known(value) is not None or written == name:
        return written
    claimed = source.claim(name, value)
    source.define(claimed, written)
    return claimed


def _located(
    error: CannotEject, name: str, module: dict[str, Any], user: str
) -> CannotEject:
    if error.located:
        return error
    statement = _assignment(module, name)
    file = Path(str(module.get("__file__") or "?"))
    where = f"{file}:{statement.lineno}" if statement is not None else str(file)
    located = CannotEject(
        f"{name} ({where}), which {user} uses, cannot be written in a script: it is {error}. {WORKAROUND}"
    )
    located.located = True
    return located


def _assignment(module: dict[str, Any], name: str) -> ast.stmt | None:
    """The only statement of a file that assigns `name`; None if there are none or several."""
    if name not in module:
        return None
    assignments = [
        statement
        for statement in _tree(module.get("__file__")).body
        if (
            isinstance(statement, ast.Assign)
            and [ast.unparse(target) for target in statement.targets] == [name]
        )
        or (
            isinstance(statement, ast.AnnAssign)
            and statement.value is not None
            and ast.unparse(statement.target) == name
        )
    ]
    return assignments[0] if len(assignments) == 1 else None


def _tree(file: str | None) -> ast.Module:
    try:
        return (
            ast.parse("".join(linecache.getlines(file))) if file else ast.Module([], [])
        )
    except SyntaxError:
        return ast.Module([], [])


def _import_lines(
    module: dict[str, Any], name: str, value: Any, source: Source
) -> list[str]:
    """The import statements of a file that bind `name` to something installed; empty if there are none."""
    imports = []
    if module.get(name, source) is not value:
        return []  # a closure variable
    for statement in ast.walk(_tree(module.get("__file__"))):
        if isinstance(statement, ast.Import):
            for alias in statement.names:
                if (
                    alias.asname or alias.name.partition(".")[0]
                ) == name and comes_installed(alias.name, source):
                    imports.append(
                        f"import {alias.name}"
                        + (f" as {alias.asname}" if alias.asname else "")
                    )
        elif isinstance(statement, ast.ImportFrom):
            home = _absolute(statement, module)
            for alias in statement.names:
                imported = getattr(
                    sys.modules.get(home),
                    alias.name,
                    sys.modules.get(f"{home}.{alias.name}"),
                )
                if (
                    (alias.asname or alias.name) == name
                    and imported is value
                    and comes_installed(home, source)
                ):
                    imports.append(
                        f"from {home} import {alias.name}"
                        + (f" as {alias.asname}" if alias.asname else "")
                    )
    return list(dict.fromkeys(imports))


def _absolute(statement: ast.ImportFrom, module: dict[str, Any]) -> str:
    if not statement.level:
        return statement.module or ""
    try:
        return resolve_name(
            "." * statement.level + (statement.module or ""),
            str(module.get("__package__") or ""),
        )
    except ImportError:
        return ""


def _global_names(tree: ast.Module) -> list[str]:
    """The global names that a statement uses, in order; annotations do not count, as they are never evaluated."""
    copied = ast.parse(ast.unparse(tree))
    text = ast.unparse(_WithoutAnnotations().visit(copied))
    used = set()
    for table in _tables(symtable.symtable(text, "", "exec")):
        used |= {
            symbol.get_name()
            for symbol in table.get_symbols()
            if _is_global(symbol, table)
        }
    in_order = dict.fromkeys(
        node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)
    )
    return [name for name in in_order if name in used]


def _tables(table: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    yield table
    for child in table.get_children():
        yield from _tables(child)


def _is_global(symbol: symtable.Symbol, table: symtable.SymbolTable) -> bool:
    return (
        symbol.is_referenced() if table.get_type() == "module" else symbol.is_global()
    )


class _WithoutAnnotations(ast.NodeTransformer):
    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.annotation = None
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        return self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        node.annotation = ast.Constant("")
        return self.generic_visit(node)


def _chains(
    tree: ast.Module, name: str, module: types.ModuleType
) -> Iterator[tuple[str, Any]]:
    """What a statement reads from a module: `helpers.fuse`, `package.helpers.fuse` ..., each with its value."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Attribute):
            continue
        parts = ast.unparse(node).split(".")
        if parts[0] != name or not all(part.isidentifier() for part in parts):
            continue
        value: Any = module
        for length, part in enumerate(parts[1:], start=2):
            value = getattr(value, part, None)
            if not isinstance(value, types.ModuleType):
                if length == len(parts):
                    yield ".".join(parts), value
                break


def _renamed(text: str, changed: dict[str, str]) -> str:
    """`text` with the names and dotted names in `changed` replaced by their values there."""
    lines = text.encode().split(b"\n")
    spans = []
    for node in ast.walk(ast.parse(text)):
        if (
            isinstance(node, (ast.Name, ast.Attribute))
            and (new := changed.get(ast.unparse(node))) is not None
        ):
            spans.append(
                (
                    node.lineno - 1,
                    node.col_offset,
                    node.end_lineno,
                    node.end_col_offset or 0,
                    new,
                )
            )
        elif (
            isinstance(node, (ast.FunctionDef, ast.ClassDef))
            and node.name in changed
            and node.col_offset == 0
        ):
            column = lines[node.lineno - 1].index(node.name.encode())
            spans.append(
                (
                    node.lineno - 1,
                    column,
                    node.lineno,
                    column + len(node.name.encode()),
                    changed[node.name],
                )
            )
    for line, start, _, end, new in sorted(spans, reverse=True):
        lines[line] = lines[line][:start] + new.encode() + lines[line][end:]
    return b"\n".join(lines).decode()
