"""A program while it is reduced: straight lines of Python, the expressions of its inputs, and how it is compiled."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import msgspec

CONFIG = "config:"
"""How the names of options begin that are settings of torch."""
NAME = "program"
"""The function that is compiled."""


class OwnCode(msgspec.Struct, frozen=True):
    """What options need of the user's own: passes, backends."""

    imports: tuple[str, ...] = ()
    definitions: str = ""
    modules: tuple[tuple[str, str], ...] = ()
    """The modules that it imports and that are not installed, each with a digest of its file."""

    @property
    def names(self) -> set[str]:
        """The names that it defines, or imports from a module."""
        made = [
            node.id if isinstance(node, ast.Name) else node.name
            for node in ast.walk(ast.parse(self.definitions))
            if isinstance(node, (ast.FunctionDef, ast.ClassDef))
            or (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))
        ]
        imported = [line for line in self.imports if line.startswith("from ")]
        return {*made, *(line.rpartition(" ")[2] for line in imported)}


class SmallProgram(msgspec.Struct, frozen=True):
    """One program; its text defines `program`, `inputs` and `options`, which are what `capture` takes."""

    imports: tuple[str, ...] = ()
    definitions: str = ""
    """What stands before the function, or the function itself if it has no `body`."""
    inputs: tuple[tuple[str, str], ...] = ()
    """The parameters of the function, each with the expression that makes its value."""
    body: tuple[str, ...] = ()
    """Statements, most of which bind a name once; empty for a function that is kept as its author wrote it."""
    results: tuple[str, ...] = ()
    """The names that the function returns."""
    options: tuple[tuple[str, str], ...] = ()
    """Arguments of `capture` other than the inputs, as expressions; those of `config` one by one: see CONFIG."""
    own: OwnCode | None = None
    """What the options need of the user's own, if they need any."""

    @property
    def function(self) -> str:
        """The source of the function, and of what it needs."""
        if not self.body:
            return self.definitions.strip("\n")
        last = _binding(self.body[-1])
        joined = ", ".join(self.results)
        lines = list(self.body)
        if last is not None and self.results == (last[0],):
            lines[-1] = f"return {last[1]}"
        else:
            lines.append(f"return {joined}")
        body = "\n".join(f"    {line}" for text in lines for line in text.split("\n"))
        function = f"def {NAME}({', '.join(name for name, _ in self.inputs)}):\n{body}"
        return (
            f"{self.definitions.strip()}\n\n\n{function}"
            if self.definitions.strip()
            else function
        )

    @property
    def text(self) -> str:
        """A module that defines `program`, `inputs` and `options`."""
        inputs = "".join(f"    {expression},\n" for _, expression in self.inputs)
        options = [
            f"{name!r}: {value}"
            for name, value in self.options
            if not name.startswith(CONFIG)
        ]
        if self.settings:
            options.append(
                f"'config': {{{', '.join(f'{name!r}: {value}' for name, value in self.settings)}}}"
            )
        own = self.own or OwnCode()
        # What was tried counts only for these modules as they are now.
        noted = "".join(f"# {name} {digest}\n" for name, digest in own.modules)
        return (
            "\n".join(["import torch", *self.imports, *own.imports])
            + f"\n{noted}{own.definitions}\n\n{self.function}\n\n\n"
            + f"inputs = (\n{inputs})\noptions = {{{', '.join(options)}}}\n"
        )

    @property
    def lines(self) -> int:
        """Lines of the function, and of what it needs."""
        return sum(1 for line in self.function.split("\n") if line.strip())

    @property
    def operators(self) -> int:
        """Calls and arithmetic in the function."""
        return sum(
            isinstance(node, _OPERATIONS) for node in ast.walk(ast.parse(self.function))
        )

    @property
    def settings(self) -> tuple[tuple[str, str], ...]:
        """torch's settings among the options, by the keys of `config`."""
        return tuple(
            (name[len(CONFIG) :], value)
            for name, value in self.options
            if name.startswith(CONFIG)
        )

    def option(self, name: str) -> str | None:
        """The expression of an option; None if it is not given."""
        return dict(self.options).get(name)


def with_options(
    program: SmallProgram, options: tuple[tuple[str, str], ...]
) -> SmallProgram:
    """The program with other options, and without code of the user's that none of them needs."""
    own = program.own
    if own is not None and own.names.isdisjoint(
        name for _, value in options for name in read(value)
    ):
        own = None
    return msgspec.structs.replace(program, options=options, own=own)


_OPERATIONS = (ast.Call, ast.BinOp, ast.UnaryOp, ast.Compare)


def _binding(statement: str) -> tuple[str, str] | None:
    """The name and the expression of a statement that binds one."""
    tree = ast.parse(statement).body[0]
    if (
        isinstance(tree, ast.Assign)
        and len(tree.targets) == 1
        and isinstance(tree.targets[0], ast.Name)
    ):
        return tree.targets[0].id, ast.unparse(tree.value)
    return None


def bound(statement: str) -> str | None:
    """The name that a statement binds: of a value, or of a function."""
    tree = ast.parse(statement).body[0]
    if isinstance(tree, ast.FunctionDef):
        return tree.name
    binding = _binding(statement)
    return None if binding is None else binding[0]


def read(text: str) -> set[str]:
    """The names that a statement or an expression reads."""
    return {
        node.id
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    }


def writes(statement: str) -> bool:
    """Whether a statement may do more than bind its name: write into a tensor, or set a mode."""
    tree = ast.parse(statement).body[0]
    if not isinstance(tree, (ast.Assign, ast.FunctionDef)) or bound(statement) is None:
        return True
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    names = [re.sub(r".*\.", "", ast.unparse(call.func)) for call in calls]
    keywords = {keyword.arg for call in calls for keyword in call.keywords}
    return "out" in keywords or any(
        (name.endswith("_") and not name.endswith("__"))
        or name.startswith(("_set_", "_enter", "_exit", "iadd", "imul"))
        for name in names
    )


def pruned(program: SmallProgram) -> SmallProgram:
    """Without statements whose values nothing reads, inputs that no statement reads, and imports of neither."""
    if not program.body:
        return program
    needed = set(program.results)
    kept: list[str] = []
    for statement in reversed(program.body):
        if writes(statement) or bound(statement) in needed:
            kept.append(statement)
            needed |= read(statement)
    inputs = tuple((name, value) for name, value in program.inputs if name in needed)
    text = "\n".join([program.definitions, *kept, *(value for _, value in inputs)])
    names = read(text)
    imported = {line: line.rpartition(" ")[2] for line in program.imports}
    imports = tuple(
        line
        for line, name in imported.items()
        if name in names or ("." in name and name in text)
    )
    return msgspec.structs.replace(
        program, body=tuple(reversed(kept)), inputs=inputs, imports=imports
    )


def renamed(text: str, names: dict[str, str]) -> str:
    """A statement or an expression with other names for some that it reads, binds or takes."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            node.id = names.get(node.id, node.id)
    return ast.unparse(tree)


def numbers(text: str) -> Iterator[int]:
    """The whole numbers in a statement or an expression."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Constant) and type(node.value) is int:
            yield node.value


def with_number(text: str, before: int, after: int) -> str:
    """A statement or an expression with another number in place of each that is `before`."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Constant)
            and type(node.value) is int
            and node.value == before
        ):
            node.value = after
    return ast.unparse(tree)
