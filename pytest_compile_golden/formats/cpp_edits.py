"""How C++ kernels changed, as a reader sees it: loops, and what is stored."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from pytest_compile_golden.changes.change import Change, without_numbers
from pytest_compile_golden.changes.kernels import AccumulatorsSetUp, ScalarTail
from pytest_compile_golden.formats.code import Piece
from pytest_compile_golden.formats.cpp import without_comments
from pytest_compile_golden.formats.edits import line_edits
from pytest_compile_golden.formats.expression_edits import Comparison
from pytest_compile_golden.formats.expressions import Expression, Values
from pytest_compile_golden.formats.statement_edits import Statements, statements_changed, unmatched
from pytest_compile_golden.lines import split_lines

_LOOP = re.compile(r"for ?\((?:\w+ )?(\w+) ?= ?(.*?);(.*?);(.*)\)$")
_DEFINED = re.compile(r"(?:const )?(?:auto|[\w:]+(?:<.*>)?)[ *&]+(\w+) = (.*);$")
_LAMBDA = re.compile(r"(?:const )?(?:auto|[\w:]+(?:<.*>)?)[ *&]+(\w+) =$|return$")
_ASSIGNED = re.compile(r"(.+?) ([-+*/|&]?)= (.*);$")
_INDEX = re.compile(r"[xyzr]\d+(?:_\w+)?$|ks\d+$")
# torch/_inductor/codegen/cpp.py: reduction_prefix_array
_ACCUMULATORS = re.compile(r"[\w:<>]+ (\w+_arr)\[\d+\];")
_MOST_REWRITTEN = 2
_TYPE_OF = re.compile(r"decltype\(\w+\)")
# The innermost template, whose arguments contain no other.
_TEMPLATE = re.compile(r"(\w)<([\w.:, *&\[\]]+)>(?=[(.:{\]>]|$)")
_SUFFIX = re.compile(r"(?<![\w.])(\d[\d.]*(?:e[-+]?\d+)?)(?:[fF]|[uU]?[lL]{1,2})\b")
_SHOWN = re.compile(r"\[((?:[\w.]+)(?:, ?[\w.]+)*)\]")


class _Kernel:
    """The statements of one kernel, with what its names stand for."""

    def __init__(self, source: str) -> None:
        self.values = Values(lambda name: (name, bool(_INDEX.match(name))))
        self.statements = Statements()
        self.loops: list[str] = []
        """The variable of each loop."""
        self.scope: dict[str, Expression] = {}
        self._lambdas: list[tuple[str, int, int]] = []  # name, depth, number of statements before it
        self._depth = 0
        lines = [line.strip() for line in split_lines(without_comments(source))]
        for line in lines[lines.index("{") if "{" in lines else 0 :]:
            self._line(line)

    def _line(self, line: str) -> None:
        if not line or line.startswith("#include"):
            return
        if line == "{":
            self._depth += 1
        elif line[0] == "}":
            self._depth -= 1
            if self._lambdas and self._depth < self._lambdas[-1][1]:
                self._lambdas.pop()
        elif match := _LOOP.match(line):
            self.loops.append(match[1])
            self.statements.add(self.values.make("for", *map(self._value, (match[2], match[3]))), line)
        elif match := _LAMBDA.match(line):
            self._lambdas.append((match[1] or "", self._depth + 1, len(self.statements.does)))
        elif line in ("[&]", "()", ";"):
            return
        elif line.startswith("return ") and self._lambdas:
            name, _, done = self._lambdas[-1]
            inside = self.statements.does[done:]
            self.statements.drop(done)
            self.scope[name] = self.values.make("lambda", self._value(line[7:].rstrip(";")), *inside)
        elif match := _DEFINED.match(line):
            self._bind(match[1], self._value(match[2]))
        elif (match := _ASSIGNED.match(line)) and "(" not in match[1].partition("[")[0]:
            value = self._value(match[3] if not match[2] else f"{match[1]} {match[2]} ({match[3]})")
            if match[1].isidentifier():
                self._bind(match[1], value)
            else:
                self.statements.add(self.values.make("=", self._value(match[1]), value), line)
        else:
            self.statements.add(self._value(line.rstrip(";")), line)

    def _bind(self, name: str, value: Expression) -> None:
        if value.args and not value.alias:
            value.alias = name
        self.scope[name] = value

    def _value(self, text: str) -> Expression:
        parsed = _parsed(text.strip())
        return self.values.make(text) if parsed is None else self.values.value(parsed, self.scope)


@lru_cache(maxsize=1 << 12)
def _parsed(text: str) -> ast.expr | None:
    """A C++ expression as Python syntax, with templates as subscripts; None if it has no such form."""
    before = ""
    while before != text:
        before, text = text, _TEMPLATE.sub(r"\1[\2]", text)
    text = _TYPE_OF.sub("decltype", text).replace("::from", "::from_")
    text = text.replace(".template ", ".").replace("::", ".").replace("&&", " and ").replace("||", " or ")
    text = re.sub(r"!(?!=)", " not ", _SUFFIX.sub(r"\1", text)).replace("->", ".")
    condition, question, branches = text.partition(" ? ")
    if question:
        yes, _, no = branches.partition(" : ")
        text = f"({yes}) if ({condition}) else ({no})"
    try:
        return ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError):
        return None


def spelled(head: str) -> str:
    """A function as C++ writes it, with generic template arguments."""
    if head[:1] == "[" or not head[:1].isalpha():
        return head.replace(".", "::") if head[:1].isalpha() else head
    return _SHOWN.sub(lambda match: f"<{_generic(match[1])}>", head).replace(".", "::")


def _generic(arguments: str) -> str:
    kinds = ["n" if argument.strip().isdigit() else "T" for argument in arguments.split(",")]
    return ", ".join(kinds)


def kernel_edits(old: Piece, new: Piece) -> list[Change] | None:
    """The edits of one kernel."""
    before, after = _kernel(old.source), _kernel(new.source)
    tails = [name for name in after.loops if name.endswith("_tail") and name not in before.loops]
    edits: list[Change] = []
    if tails:
        head = next(line for line in after.statements.written if f" {tails[0]} " in line or f" {tails[0]}=" in line)
        edits.append(ScalarTail(head))
    comparison = Comparison(spelled, indices_follow=bool(tails))
    gone, come = unmatched(before.statements, after.statements, comparison)
    if arrays := {} if gone else _accumulators(come):
        edits.append(_of_accumulators(arrays, after.statements.written))
    elif gone or come:
        edits.append(statements_changed(gone, come, _outline, follows=bool(tails)))
    edits += comparison.edits()
    if len(comparison.rewritten) > _MOST_REWRITTEN and not tails:
        return [
            *line_edits(old.source, new.source, "//"),
            *(change for change in edits if change not in comparison.rewritten),
        ]
    return edits


def _accumulators(lines: Sequence[str]) -> dict[str, str]:
    """Arrays of accumulators and their declarations, if all that these lines do is set them up."""
    arrays = {match[1]: match[0] for line in lines if (match := _ACCUMULATORS.match(line))}
    setup = all(_LOOP.match(line) or any(name in line for name in arrays) for line in lines)
    return arrays if setup else {}


def _of_accumulators(arrays: Mapping[str, str], written: Sequence[str]) -> AccumulatorsSetUp:
    used = any(f"{name}[" in line.partition("=")[2] for line in written for name in arrays)
    return AccumulatorsSetUp(next(iter(arrays.values())).rstrip(";"), used)


@lru_cache(maxsize=256)
def _kernel(source: str) -> _Kernel:
    return _Kernel(source)


def _outline(line: str) -> str:
    return without_numbers(line.partition("(")[0])
