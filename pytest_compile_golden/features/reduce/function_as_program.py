"""What is compiled as a program as its author wrote it: the function, with the modules and optimizers that it uses."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Collection, Mapping
from typing import Any

import torch

from pytest_compile_golden.features.eject.script_source import CannotEject, Source
from pytest_compile_golden.features.reduce.graph_as_program import (
    Values,
    more_than_torch,
    tensor_expression,
)
from pytest_compile_golden.features.reduce.small_program import NAME, SmallProgram
from pytest_compile_golden.observe.compile_options import CompileOptions


def of_function(
    function: Any,
    options: CompileOptions,
    values: Values | None = None,
    taken: Collection[str] = (),
) -> SmallProgram:
    """The function or module as it was written, with what it needs. Raises CannotEject.

    taken: names that mean something else in the program.
    """
    source = _ProgramSource(values)
    source.reserve(taken)
    name = source.value(function)
    first, *others = options.calls
    parameters = [f"x{place}" for place in range(len(first.args))]
    inputs = tuple(
        zip(
            parameters,
            (_input(value, source, values) for value in first.args),
            strict=True,
        )
    )
    given: tuple[tuple[str, str], ...] = ()
    if others:
        arguments = (
            dict(call.kwargs) if call.kwargs else call.args for call in options.calls
        )
        calls = ", ".join(_input(each, source, values) for each in arguments)
        inputs, given = (), (("calls", f"[{calls}]"),)
    elif first.kwargs:
        given = (("kwargs", _input(dict(first.kwargs), source, values)),)
    if source.helpers or source.operators:
        raise CannotEject("a function that needs objects or operators of its own")
    tree = ast.parse("\n".join(source.definitions))
    defined = [statement for statement in tree.body if _defines(statement, name)]
    for statement in defined:
        if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
            statement.name = NAME
    definitions = plain(ast.unparse(tree), {name: NAME} if defined else {})
    if not defined:
        definitions = f"{definitions}\n\n{NAME} = {name}\n"
    return SmallProgram(more_than_torch(source), definitions, inputs, options=given)


class _ProgramSource(Source):
    """What a function uses, in a program: with values of their own for parameters and buffers, so of any size."""

    def __init__(self, values: Values | None) -> None:
        super().__init__()
        self._values = values

    def value(self, value: Any) -> str:
        known = self.known(value)
        if known is None and isinstance(value, torch.nn.Module):
            return self._module(value)
        if known is None and isinstance(value, torch.optim.Optimizer):
            return self._optimizer(value)
        if (
            known is None
            and isinstance(value, torch.Tensor)
            and value.dtype.is_floating_point
        ):
            return self._tensor(value)
        return super().value(value)

    def _tensor(self, value: torch.Tensor) -> str:
        name = self.claim(
            "parameter" if isinstance(value, torch.nn.Parameter) else "tensor", value
        )
        self.define(name, _held(value, self._values))
        if value.is_leaf and value.grad is not None:
            self.define(f"{name}.grad", tensor_expression(value.grad, self._values))
        return name

    def _module(self, module: torch.nn.Module) -> str:
        name = self.claim("module", module)
        made = self._made(module)
        if made is None:
            self._parts(name, module)
            return name
        self.define(name, made)
        for path, parameter in module.named_parameters():
            # `module[0].weight`
            parts = path.split(".")
            its = name + "".join(
                f"[{part}]" if part.isdigit() else f".{part}" for part in parts
            )
            known = self.known(parameter)
            if known not in (None, its):
                self.define(its, known or "")
            elif known is None:
                self._known[id(parameter)] = its
                if not parameter.requires_grad:
                    self.define(f"{its}.requires_grad", "False")
                if parameter.grad is not None:
                    self.define(
                        f"{its}.grad", tensor_expression(parameter.grad, self._values)
                    )
        return name

    def _made(self, module: torch.nn.Module) -> str | None:
        """A call that makes a module like this one, with other values; None if its arguments are not known.

        What the modules of torch.nn print of themselves are the arguments that they were made with.
        """
        kind = type(module)
        dtypes = {parameter.dtype for parameter in module.parameters()}
        if len(dtypes) > 1:
            return None
        made: str | None = None
        if not kind.__module__.startswith("torch.nn.modules."):
            parameters = list(inspect.signature(kind.__init__).parameters.values())[1:]
            if all(
                each.default is not each.empty or each.kind is each.VAR_KEYWORD
                for each in parameters
            ):
                made = f"{self.value(kind)}()"
        elif isinstance(module, (torch.nn.Sequential, torch.nn.ModuleList)):
            children = [self._made(child) for child in module]
            if None not in children:
                listed = ", ".join(filter(None, children))
                made = f"torch.nn.{kind.__name__}({listed if kind is torch.nn.Sequential else f'[{listed}]'})"
        elif getattr(torch.nn, kind.__name__, None) is kind and not list(
            module.children()
        ):
            made = f"torch.nn.{kind.__name__}({module.extra_repr()})"
        if made is None:
            return None
        changed = "" if dtypes <= {torch.float32} else f".to({dtypes.pop()})"
        return made + changed + ("" if module.training else ".eval()")

    def _parts(self, name: str, module: torch.nn.Module) -> None:
        """A module whose arguments nothing tells: its class without its `__init__`, and all that it holds."""
        kind = self.value(type(module))
        self.define(name, f"{kind}.__new__({kind})")
        self.definitions.append(f"torch.nn.Module.__init__({name})\n")
        its_own = set(vars(torch.nn.Module()))
        for attribute in its_own:
            if attribute.endswith("_hooks") and getattr(module, attribute, None):
                raise CannotEject(f"a {type(module).__qualname__} with hooks")
        held = {key: value for key, value in vars(module).items() if key not in its_own}
        for attribute, value in held.items():
            self.define(f"{name}.{attribute}", self.value(value))
        for attribute, child in module.named_children():
            self.definitions.append(
                f"{name}.add_module({attribute!r}, {self.value(child)})\n"
            )
        for attribute, parameter in module.named_parameters(
            recurse=False, remove_duplicate=False
        ):
            self.define(f"{name}.{attribute}", self.value(parameter))
        for attribute, buffer in module.named_buffers(
            recurse=False, remove_duplicate=False
        ):
            self.definitions.append(
                f"{name}.register_buffer({attribute!r}, {_held(buffer, self._values)})\n"
            )
        if not module.training:
            self.define(f"{name}.training", "False")

    def _optimizer(self, optimizer: torch.optim.Optimizer) -> str:
        """An optimizer that has made no step."""
        kind = type(optimizer)
        taken = inspect.signature(kind.__init__).parameters
        if kind.__module__.partition(".")[0] != "torch":
            raise CannotEject(f"a {kind.__qualname__}, an optimizer of your own")
        groups = []
        for group in optimizer.param_groups:
            parameters = f"[{', '.join(map(self.value, group['params']))}]"
            different = {
                key: value
                for key, value in group.items()
                if key != "params"
                and key in taken
                and not _same(value, optimizer.defaults.get(key))
            }
            options = "".join(
                f", {key!r}: {self.value(value)}" for key, value in different.items()
            )
            groups.append((parameters, options))
        plain = len(groups) == 1 and not groups[0][1]
        listed = (
            groups[0][0]
            if plain
            else "["
            + ", ".join(f"{{'params': {one}{more}}}" for one, more in groups)
            + "]"
        )
        given = {
            key: value
            for key, value in optimizer.defaults.items()
            if key in taken and not _same(value, taken[key].default)
        }
        name = self.claim("optimizer", optimizer)
        arguments = "".join(
            f", {key}={self.value(value)}" for key, value in given.items()
        )
        self.define(name, f"torch.optim.{kind.__name__}({listed}{arguments})")
        return name


def _same(one: object, other: object) -> bool:
    return (
        type(one) is type(other) and not isinstance(one, torch.Tensor) and one == other
    )


def _held(value: torch.Tensor, values: Values | None) -> str:
    """An expression for a tensor that a program holds, which is a leaf."""
    made = tensor_expression(value.detach(), values)
    if isinstance(value, torch.nn.Parameter):
        return f"torch.nn.Parameter({made}{'' if value.requires_grad else ', requires_grad=False'})"
    return f"{made}.requires_grad_()" if value.requires_grad else made


def _defines(statement: ast.stmt, name: str) -> bool:
    """Whether a statement gives `name` its meaning in the module."""
    if isinstance(statement, ast.Assign):
        return any(
            isinstance(target, ast.Name) and target.id == name
            for target in statement.targets
        )
    return (
        isinstance(statement, (ast.FunctionDef, ast.ClassDef))
        and statement.name == name
    )


def plain(text: str, names: Mapping[str, str] | None = None) -> str:
    """A module's source without annotations, comments and docstrings, with other names for some that it reads."""
    return ast.unparse(_Plain(names or {}).visit(ast.parse(text)))


class _Plain(ast.NodeTransformer):
    """Leaves out annotations and docstrings, which name and say what the program does not need, and renames."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names

    def visit_Name(self, node: ast.Name) -> ast.Name:
        node.id = self._names.get(node.id, node.id)
        return node

    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.annotation = None
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        self.generic_visit(node)
        node.returns = None
        if ast.get_docstring(node) is not None and len(node.body) > 1:
            del node.body[0]
        return node


def _input(value: Any, source: Source, values: Values | None) -> str:
    if isinstance(value, torch.Tensor):
        return tensor_expression(value, values)
    if type(value) in (list, tuple):
        inside = ", ".join(_input(item, source, values) for item in value)
        return (
            f"[{inside}]"
            if type(value) is list
            else f"({inside}{',' if len(value) == 1 else ''})"
        )
    if type(value) is dict:
        items = (
            f"{source.value(key)}: {_input(item, source, values)}"
            for key, item in value.items()
        )
        return "{" + ", ".join(items) + "}"
    return source.value(value)
