"""How much there is to read: `python tools/size.py [FOLDER]`.

Tokens, without comments and layout, of each folder; and, of all functions, those that are private and named once
outside their definition, by what keeps them apart from the place where they are used.
"""

from __future__ import annotations

import ast
import collections
import io
import re
import sys
import tokenize
from pathlib import Path

_LAYOUT = {
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.COMMENT,
    tokenize.ENDMARKER,
}
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_FEW = 6
"""Lines of a body that is short."""


def why_apart(
    function: ast.FunctionDef | ast.AsyncFunctionDef, tree: ast.Module
) -> str:
    """What keeps a function that is used once apart from where it is used: the first of what is true of it."""
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
    called = [
        call
        for call in calls
        if isinstance(call.func, (ast.Name, ast.Attribute))
        and ast.unparse(call.func).rpartition(".")[2] == function.name
    ]
    inside = list(ast.walk(function))
    returns = [node for node in inside if isinstance(node, ast.Return)]
    if not called or function.decorator_list:
        return "handed over by name, or decorated"
    if any(isinstance(node, (ast.Yield, ast.YieldFrom)) for node in inside):
        return "yields"
    if len(returns) > 1 or (returns and function.body[-1] not in returns):
        return "returns early"
    within = (
        node
        for node in ast.walk(tree)
        if isinstance(node, (*_COMPREHENSIONS, ast.Lambda, ast.IfExp))
    )
    if any(call in ast.walk(node) for node in within for call in called):
        return "called for each of several, or in a condition"
    body = function.body[1:] if ast.get_docstring(function) else function.body
    lines = (body[-1].end_lineno or 0) - body[0].lineno + 1 if body else 0
    return f"more than {_FEW} lines" if lines > _FEW else f"up to {_FEW} lines"


def main() -> None:
    """Print the figures."""
    root = Path(sys.argv[1] if len(sys.argv) > 1 else "pytest_compile_golden")
    tokens: collections.Counter[str] = collections.Counter()
    once: collections.Counter[str] = collections.Counter()
    lines = functions = 0
    for path in sorted(root.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        lines += text.count("\n")
        first = path.relative_to(root).parts
        name = "/".join(first[: 2 if first[0] == "features" else 1])
        tokens[name] += sum(
            token.type not in _LAYOUT
            for token in tokenize.generate_tokens(io.StringIO(text).readline)
        )
        tree = ast.parse(text)
        for node in ast.walk(tree):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                functions += 1
                private = node.name.startswith("_") and not node.name.startswith("__")
                if private and len(re.findall(rf"\b{node.name}\b", text)) == 2:
                    once[why_apart(node, tree)] += 1
    total = tokens.total()
    print(f"{total:,} tokens in {lines:,} lines, {total / lines:.1f} a line")
    for name, number in tokens.most_common():
        print(f"  {number:>7,}  {name}")
    print(f"{once.total()} of {functions:,} functions are private and used once")
    for why, number in once.most_common():
        print(f"  {number:>7,}  {why}")


if __name__ == "__main__":
    main()
