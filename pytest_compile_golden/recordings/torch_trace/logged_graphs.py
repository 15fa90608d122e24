"""Reads FX graphs as torch prints them (torch/fx/graph.py: print_readable) back into nodes."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from pytest_compile_golden.common.lines import split_lines
from pytest_compile_golden.facts.frames import Frame
from pytest_compile_golden.facts.graphs import Graph, GraphKey, Node, TensorType
from pytest_compile_golden.formats.canonical_text import arguments
from pytest_compile_golden.formats.format import Unreadable

# A graph is named after the function it is from, such as <lambda>.
_CLASS = re.compile(r"^(\s*class )(.+)(\(torch\.nn\.Module\):)$", re.M)
_SOURCE = re.compile(
    r"\s*# File: (?P<file>.+):(?P<line>\d+) in (?P<function>.+?), code: (?P<code>.*)$"
)
_TENSOR = re.compile(
    r"(?P<dtype>\w+)\[(?P<shape>.*?)\]\[(?P<stride>.*?)\](?P<device>\S*)$"
)
_DEVICE = re.compile(r"device\(type='(\w+)'(?:, index=(\d+))?\)")
# fmt: off
_OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv", ast.FloorDiv: "floordiv", ast.Mod: "mod",
    ast.Pow: "pow", ast.MatMult: "matmul", ast.BitAnd: "and_", ast.BitOr: "or_", ast.BitXor: "xor",
    ast.LShift: "lshift", ast.RShift: "rshift",
    ast.Eq: "eq", ast.NotEq: "ne", ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge",
    ast.USub: "neg", ast.UAdd: "pos", ast.Invert: "invert", ast.Not: "not_",
}
# fmt: on
"""What torch prints as an operator instead of as a call (torch/fx/graph.py: magic_methods)."""
_UNFLATTENED = "pytree.tree_unflatten"


def read(text: str, key: GraphKey) -> Graph:
    """The graph that `text` prints, with the graphs inside it. Raises Unreadable if torch would not print it so."""
    text = _CLASS.sub(
        lambda found: f"{found[1]}{re.sub(r'[^0-9A-Za-z_]', '_', found[2])}{found[3]}",
        text,
    )
    try:
        tree = ast.parse(text)
    except SyntaxError as error:
        raise Unreadable(
            f"line {error.lineno} of a printed graph: {error.msg}"
        ) from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise Unreadable(f"a printed graph: {error}") from None
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    if len(classes) != 1:
        raise Unreadable(f"{len(classes)} graphs instead of one")
    return _graph(classes[0], key, split_lines(text))


def _graph(printed: ast.ClassDef, key: GraphKey, lines: Sequence[str]) -> Graph:
    forward = next(
        (item for item in printed.body if isinstance(item, ast.FunctionDef)), None
    )
    if forward is None:
        raise Unreadable("a graph without a forward method")
    reader = _TraceReader(lines, forward)
    subgraphs = [
        (item.name, _graph(item, key, lines))
        for item in printed.body
        if isinstance(item, ast.ClassDef)
    ]
    return Graph(key, tuple(reader.nodes), tuple(subgraphs))


class _TraceReader:
    """The nodes of one graph, in the order in which they are printed."""

    def __init__(self, lines: Sequence[str], forward: ast.FunctionDef) -> None:
        self.nodes: list[Node] = []
        self._names: set[str] = set()
        self._inputs: dict[str, int] = {}
        self._in_place: ast.AugAssign | ast.Assign | None = None
        self._lines = lines
        self._line = forward.lineno
        self._source: tuple[str | None, str | None] = None, None
        # The joint graph takes two lists (torch/_functorch/_aot_autograd); its inputs are declared in its body.
        flat = any(
            isinstance(item, ast.AnnAssign) and item.value is None
            for item in forward.body
        )
        for argument in () if flat else forward.args.args[1:]:
            self._input(argument.arg, argument.annotation)
        for statement in forward.body:
            self._take(statement)

    def _input(self, name: str, annotation: ast.expr | None) -> None:
        self._inputs[name] = len(self.nodes)
        self._names.add(name)
        self.nodes.append(
            Node(name, "placeholder", name, (), (), _type(annotation), None)
        )

    def _take(self, statement: ast.stmt) -> None:
        # The program's line that the nodes from here on come from stands above them.
        for comment in self._lines[self._line : statement.lineno]:
            if found := _SOURCE.match(comment):
                frame = Frame(
                    found["file"], int(found["line"]), found["function"], found["code"]
                )
                self._source = frame.quoted, frame.location
        self._line = statement.lineno
        match statement:
            case ast.AnnAssign(
                target=ast.Name(id=name), annotation=annotation, value=None
            ):
                self._input(name, annotation)
            case ast.AnnAssign(
                target=ast.Name(id=name),
                annotation=annotation,
                value=ast.expr() as value,
            ):
                self._call(name, value, _type(annotation))
            case ast.Assign(value=ast.Constant(value=None)):
                pass  # frees its targets
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Name(id=given)) if (
                given in self._inputs and self._in_place is None
            ):
                # An input under the name of its node.
                at = self._inputs[given]
                self.nodes[at] = Node(
                    name, "placeholder", given, (), (), self.nodes[at].type, None
                )
                self._names.add(name)
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                self._call(name, value, None)
            case ast.Assign(targets=[ast.Tuple()]):
                pass  # the joint graph's lists, taken apart
            case ast.AugAssign() | ast.Assign(targets=[ast.Subscript()]):
                self._in_place = statement  # the next statement gives the result a name: `a += b;  c = a`
            case ast.Return(value=value):
                self.nodes.append(
                    Node(
                        "output",
                        "output",
                        "output",
                        (_text(_results(value)),),
                        (),
                        None,
                        None,
                    )
                )
            case ast.Expr() | ast.Pass():
                pass
            case _:
                raise Unreadable(ast.unparse(statement)[:80])

    def _call(self, name: str, value: ast.expr, kind: TensorType | str | None) -> None:
        match value:
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id="self"), attr=module),
                args=args,
                keywords=keywords,
            ):
                self._node(name, "call_module", module, args, keywords, kind)
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id=receiver) as first, attr=method)
            ) if receiver in self._names:
                self._node(
                    name,
                    "call_method",
                    method,
                    [first, *value.args],
                    value.keywords,
                    kind,
                )
            case ast.Call(func=function, args=args, keywords=keywords):
                target = ast.unparse(function).removeprefix("torch.ops.")
                self._node(name, "call_function", target, args, keywords, kind)
            case ast.Attribute(value=ast.Name(id="self"), attr=attribute):
                self._node(name, "get_attr", attribute, [], [], kind)
            case ast.Attribute(value=receiver, attr=attribute):
                self._node(
                    name,
                    "call_function",
                    "getattr",
                    [receiver, ast.Constant(attribute)],
                    [],
                    kind,
                )
            case ast.Subscript(value=receiver, slice=index):
                self._node(
                    name,
                    "call_function",
                    "operator.getitem",
                    [receiver, index],
                    [],
                    kind,
                )
            case (
                ast.BinOp(left=left, op=op, right=right)
                | ast.Compare(left=left, ops=[op], comparators=[right])
            ):
                self._node(
                    name,
                    "call_function",
                    f"operator.{_OPERATORS[type(op)]}",
                    [left, right],
                    [],
                    kind,
                )
            case ast.UnaryOp(op=op, operand=operand):
                self._node(
                    name,
                    "call_function",
                    f"operator.{_OPERATORS[type(op)]}",
                    [operand],
                    [],
                    kind,
                )
            case ast.Name():
                target, args = self._written_in_place()
                self._node(name, "call_function", target, [value, *args], [], kind)
            case _:
                raise Unreadable(ast.unparse(value)[:80])

    def _written_in_place(self) -> tuple[str, list[ast.expr]]:
        """The function that a statement before stands for, and what it takes besides what it writes to."""
        statement, self._in_place = self._in_place, None
        match statement:
            case ast.AugAssign(op=op, value=value):
                return f"operator.i{_OPERATORS[type(op)].strip('_')}", [value]
            case ast.Assign(targets=[ast.Subscript(slice=index)], value=value):
                return "operator.setitem", [index, value]
        raise Unreadable("another name for a value")

    def _node(
        self,
        name: str,
        op: str,
        target: str,
        args: Sequence[ast.expr],
        keywords: Sequence[ast.keyword] = (),
        kind: TensorType | str | None = None,
    ) -> None:
        self._names.add(name)
        named = tuple((str(keyword.arg), _text(keyword.value)) for keyword in keywords)
        self.nodes.append(
            Node(name, op, target, tuple(map(_text, args)), named, kind, *self._source)
        )


def _results(value: ast.expr | None) -> ast.expr | None:
    if isinstance(value, ast.Call) and ast.unparse(value.func) == _UNFLATTENED:
        return value.args[0]
    return value


def _text(value: ast.expr | None) -> str:
    text = "None" if value is None else ast.unparse(value)
    return _DEVICE.sub(
        lambda found: f"device('{found[1]}{f':{found[2]}' if found[2] else ''}')", text
    )


def _type(annotation: ast.expr | None) -> TensorType | str | None:
    """What `"f32[8, 64][64, 1]cpu"` and `"Sym(s77)"` say; None for anything else."""
    text = annotation.value if isinstance(annotation, ast.Constant) else None
    if not isinstance(text, str):
        return None
    if text.startswith("Sym("):
        return text.removeprefix("Sym(").removesuffix(")")
    tensor = _TENSOR.match(text)
    if tensor is None:
        return None
    shape, stride = (tuple(arguments(tensor[part])) for part in ("shape", "stride"))
    return TensorType(
        tensor["dtype"],
        shape,
        stride,
        _is_contiguous(shape, stride),
        tensor["device"] or "cpu",
    )


def _is_contiguous(shape: tuple[str, ...], stride: tuple[str, ...]) -> bool:
    """Whether strides are those of a dense tensor; symbols are multiplied as sympy prints it: `64*s77`."""
    number, symbols = 1, list[str]()
    for size, step in zip(reversed(shape), reversed(stride), strict=False):
        product = "*".join(
            [*([str(number)] if number != 1 or not symbols else []), *sorted(symbols)]
        )
        if size != "1" and step != product:
            return False
        if size.isdecimal():
            number *= int(size)
        else:
            symbols.append(size)
    return True
