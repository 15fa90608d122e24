"""Values by how they are computed: each name is replaced by its value, so that names and temporaries do not matter."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

_OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
    ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.LShift: "<<", ast.RShift: ">>", ast.MatMult: "@",
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=", ast.Is: "is",
    ast.IsNot: "is not", ast.In: "in", ast.NotIn: "not in", ast.And: "and", ast.Or: "or",
    ast.USub: "-", ast.UAdd: "+", ast.Invert: "~", ast.Not: "not ",
}  # fmt: skip


@dataclass(eq=False)
class Expression:
    """One value. Equal values of one `Values` are one object."""

    head: str
    """A function or a constant; `.to()` for a method, an operator, or `()`, `[]` and so on."""
    args: tuple[Expression, ...] = ()
    keywords: tuple[str, ...] = ()
    """The keywords of the last `args`."""
    is_index: bool = False
    """Whether it says where a value is located, as opposed to being a loaded value."""
    alias: str = field(default="", repr=False)
    """A name that the text gives it."""
    times: int = field(default=0, repr=False)
    """How often the text writes it."""

    def named(self) -> Iterator[tuple[str, Expression]]:
        """The arguments by keyword, or by position if they have none."""
        positional = len(self.args) - len(self.keywords)
        for position, argument in enumerate(self.args):
            yield (
                (
                    str(position)
                    if position < positional
                    else self.keywords[position - positional]
                ),
                argument,
            )

    @property
    def function(self) -> str:
        """The head without template arguments."""
        return self.head.partition("[")[0] if len(self.head) > 2 else self.head


class Values:
    """Makes the expressions of one text, each once."""

    def __init__(self, leaf: Callable[[str], tuple[str, bool]]) -> None:
        """`leaf` maps a name that nothing binds to its name in comparisons and to whether it is part of an index."""
        self._leaf = leaf
        self._known: dict[tuple[object, ...], Expression] = {}

    def make(
        self,
        head: str,
        *args: Expression,
        keywords: tuple[str, ...] = (),
        index: bool = False,
    ) -> Expression:
        """The expression with this head and these arguments."""
        key = (head, keywords, *map(id, args))
        if key not in self._known:
            self._known[key] = Expression(head, args, keywords, index)
        self._known[key].times += 1
        return self._known[key]

    def name(self, name: str) -> Expression:
        """The expression for a name that nothing in the text binds."""
        head, index = self._leaf(name)
        return self.make(head, index=index)

    def value(self, node: ast.expr, scope: dict[str, Expression]) -> Expression:
        """The value of `node`, with names looked up in `scope`."""

        def of(part: ast.expr) -> Expression:
            return self.value(part, scope)

        if isinstance(node, ast.Name):
            return scope.get(node.id) or self.name(node.id)
        if isinstance(node, ast.Constant):
            return self.make(
                repr(node.value), index=isinstance(node.value, (int, type(None)))
            )
        if isinstance(node, ast.Call):
            return self._call(node, scope)
        if isinstance(node, ast.BinOp):
            return self._arithmetic(
                _OPERATORS[type(node.op)], of(node.left), of(node.right)
            )
        if isinstance(node, ast.UnaryOp):
            return self._arithmetic(_OPERATORS[type(node.op)], of(node.operand))
        if isinstance(node, ast.BoolOp):
            return self._arithmetic(_OPERATORS[type(node.op)], *map(of, node.values))
        if isinstance(node, ast.Compare):
            head = " ".join(_OPERATORS[type(operator)] for operator in node.ops)
            return self._arithmetic(head, of(node.left), *map(of, node.comparators))
        if isinstance(node, ast.IfExp):
            return self.make("if", *map(of, (node.test, node.body, node.orelse)))
        if isinstance(node, ast.Attribute):
            dotted = _dotted(node)
            if dotted is not None and dotted.partition(".")[0] not in scope:
                return self.name(dotted)
            return self.make(f".{node.attr}", of(node.value))
        if isinstance(node, ast.Subscript):
            value = of(node.value)
            if value.is_index:
                # The subscript says along which dimension a range is.
                return self.make(f"[{_slice(node.slice)}]", value, index=True)
            if isinstance(node.slice, (ast.Slice, ast.Tuple)):
                return self.make(f"[{_slice(node.slice)}]", value)
            return self.make("[]", value, of(node.slice))
        if isinstance(node, (ast.Tuple, ast.List)):
            return self._arithmetic("()", *map(of, node.elts))
        # Slices, and anything else that contains no values of the text.
        return self.make(ast.unparse(node))

    def _call(self, node: ast.Call, scope: dict[str, Expression]) -> Expression:
        args = [self.value(arg, scope) for arg in node.args]
        keywords = tuple(keyword.arg or "**" for keyword in node.keywords)
        args += [self.value(keyword.value, scope) for keyword in node.keywords]
        callee = node.func.value if isinstance(node.func, ast.Subscript) else node.func
        dotted = _dotted(callee)
        template = (
            f"[{_slice(node.func.slice)}]"
            if isinstance(node.func, ast.Subscript)
            else ""
        )
        if dotted is not None and dotted.partition(".")[0] not in scope:
            index = dotted in ("tl.arange", "tl.program_id", "tl.broadcast_to") and all(
                arg.is_index for arg in args
            )
            # Without arguments, as a masked body of a C++ kernel, it is nonetheless no name.
            empty = "" if args else "()"
            return self.make(
                dotted + template + empty, *args, keywords=keywords, index=index
            )
        if isinstance(callee, ast.Attribute):
            return self.make(
                f".{callee.attr}{template}",
                self.value(callee.value, scope),
                *args,
                keywords=keywords,
            )
        return self.make("call", self.value(callee, scope), *args, keywords=keywords)

    def _arithmetic(self, head: str, *args: Expression) -> Expression:
        return self.make(
            head,
            *args,
            index=bool(args) and all(argument.is_index for argument in args),
        )


def _slice(node: ast.expr) -> str:
    """`:, None`"""
    if isinstance(node, ast.Tuple):
        return ", ".join(map(ast.unparse, node.elts))
    return ast.unparse(node)


def _dotted(node: ast.expr) -> str | None:
    """`tl.load`; None for a method of a value."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        before = _dotted(node.value)
        return None if before is None else f"{before}.{node.attr}"
    return None
