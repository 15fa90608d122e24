"""C++ kernels: a stream of tokens with local names numbered by declaration; and how their loops and stores changed."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Callable
from functools import lru_cache, partial

from msgspec.structs import replace

from pytest_compile_golden.changes.change import Change, without_numbers
from pytest_compile_golden.changes.kernels import AccumulatorsUnread, MaskCast, ScalarTail, UnsignedAddition
from pytest_compile_golden.formats import cpp_wrapper
from pytest_compile_golden.formats.align import align
from pytest_compile_golden.formats.arithmetic import once
from pytest_compile_golden.formats.code import KernelsFormat, Piece
from pytest_compile_golden.formats.edits import line_edits
from pytest_compile_golden.formats.expression_edits import Comparison
from pytest_compile_golden.formats.expressions import Expression, Values
from pytest_compile_golden.formats.format import Significant
from pytest_compile_golden.formats.statement_edits import Statements, statements_changed, unmatched
from pytest_compile_golden.formats.statements import MESSAGE
from pytest_compile_golden.lines import split_lines

_COMMENT = re.compile(r'"(?:\\.|[^"\\])*"|//[^\n]*|/\*.*?\*/', re.S)
_TOKEN = re.compile(
    r'"(?:\\.|[^"\\\n])*"|[A-Za-z_]\w*|\.?\d(?:[\w.]|(?<=[eE])[+-])*|::|->|<<=?|[-+*/%&|^=!<>]=|&&|\|\||\S'
)
# Bookkeeping that torch 2.13 added around every C++ kernel; it does not affect what the kernel computes.
_BOOKKEEPING = re.compile(r"[^\n;{}]*inductor_cpu_(?:throw_if_)?integer_div_error[^\n;]*;")
_DIVISION = "integer_div_error"
_BOOKKEEPING_INCLUDE = re.compile(r"^\s*#include [^\n]*integer_div[^\n]*$", re.M)
_KERNEL_NAME = re.compile(r"cpp_fused_\w+|cpp_\w+_\d+$")
_MASK_CAST = re.compile(r"(\w+)\.template cast<([^<>]*)>\(\)")
# torch/_inductor/codegen/cpp.py: CppOverrides.add
_UNSIGNED = re.compile(
    r"\b(\w+)\(static_cast<std::make_unsigned_t<\1>>\((\w+)\) \+ static_cast<std::make_unsigned_t<\1>>\((\w+)\)\)"
)
_PIECE = re.compile(r"^(?=// graph_)", re.M)
_NAME = re.compile(r"\b(?:tmp\d+\w*|\w*ptr\d+|cpp_fused_\w+)\b")

# Names that Inductor makes up (torch/_inductor/codegen/cpp.py), and what precedes a declared name.
_LOCAL = re.compile(
    r"(?:tmp|x|r|buf|acc|arg|ks|ws|local|welford|masked|in_ptr|out_ptr|in_out_ptr)_?\w*$"
    r"|\w+_(?:ptr|ptr\d+|acc\w*|helper_?\d+)$"
)
# fmt: off
# The type that holds a buffer in C++ that calls kernels.
_HANDLE = "RAIIAtenTensorHandle"
_NO_TYPE = frozenset({
    "return", "else", "new", "delete", "throw", "case", "goto", "sizeof", "typename", "template", "class", "struct",
    "using", "namespace", "operator", "const", "static", "inline", "extern", "if", "while", "for", "switch", "do",
})
# fmt: on
_TYPE = re.compile(r"(?:auto|float|double|bool|char|int|long|short|unsigned|void|half|bfloat16|[A-Z]\w*|\w+_t)$")
_AFTER_DECLARED = frozenset(["=", ";", ",", ")", "[", "{", ":", "("])
_LOOP = re.compile(r"for ?\((?:\w+ )?(\w+) ?= ?(.*?);(.*?);(.*)\)$")
_DEFINED = re.compile(r"(?:const )?(?:auto|[\w:]+(?:<.*>)?)[ *&]+(\w+) = (.*);$")
_LAMBDA = re.compile(r"(?:const )?(?:auto|[\w:]+(?:<.*>)?)[ *&]+(\w+) =$|return$")
_ASSIGNED = re.compile(r"(.+?) ([-+*/|&]?)= (.*);$")
_INDEX = re.compile(r"[xyzr]\d+(?:_\w+)?$|ks\d+$")
# torch/_inductor/codegen/cpp.py: reduction_prefix_array
_ACCUMULATORS = re.compile(r"[\w:<>]+ \w+_arr\[\d+\](?=;)")
# An array that is declared and filled.
_FILLED = re.compile(
    r"^ *[\w:<>]+ (\w+_arr)\[\d+\];\n *for \(int (\w+) = 0; \2 < \d+; \2\+\+\)\n *\{\n"
    r" *\1\[\2\] = [\w:<>.-]+(?:\(\))?;\n *\}\n",
    re.M,
)
_MOST_REWRITTEN = 2
_TYPE_OF = re.compile(r"decltype\(\w+\)")
# The innermost template, whose arguments contain no other.
_TEMPLATE = re.compile(r"(\w)<([\w.:, *&\[\]]+)>(?=[(.:{\]>]|$)")
_SUFFIX = re.compile(r"(?<![\w.])(\d[\d.]*(?:e[-+]?\d+)?)(?:[fF]|[uU]?[lL]{1,2})\b")
_SHOWN = re.compile(r"\[((?:[\w.]+)(?:, ?[\w.]+)*)\]")


def canonical(text: str) -> tuple[tuple[str, ...], ...]:
    """Kernels token by token, without comments, layout, bookkeeping, kernel names and the names of local variables."""
    return tuple(map(_tokens, _PIECE.split(text)))


def canonical_calls(text: str) -> tuple[tuple[str, ...], ...]:
    """The same for C++ that calls kernels, with arrays of sizes by content and kernels by order of appearance."""
    return canonical(cpp_wrapper.with_kernels(cpp_wrapper.with_arrays(text)))


def significant_calls(old: str, new: str) -> Significant:
    """The significant lines of two texts of C++ that calls kernels."""
    old, new = map(cpp_wrapper.with_arrays, (old, new))
    return align(old, new, names, significant_line)


def without_comments(text: str) -> str:
    """`text` without comments and without torch's bookkeeping lines, each remainder of a remainder written once."""
    text = _COMMENT.sub(lambda tokens: tokens[0] if tokens[0][0] == '"' else "", text)
    if "integer_div" in text:
        # Line by line: on a whole text, the search would start anew at each character.
        lines = (_BOOKKEEPING.sub("", line) if _DIVISION in line else line for line in text.split("\n"))
        text = _BOOKKEEPING_INCLUDE.sub("", "\n".join(lines))
    return once(text)


@lru_cache(maxsize=1 << 14)
def _line(line: str) -> tuple[str, ...]:
    if line.startswith("#"):
        return (" ".join(line.split()),)
    return tuple(_TOKEN.findall(line))


# Two texts that are compared share most pieces (a kernel with its title).
@lru_cache(maxsize=1 << 10)
def _tokens(text: str) -> tuple[str, ...]:
    """The tokens, with local names replaced by `%0`, `%1` ... in order of declaration."""
    tokens: list[str] = []
    for line in split_lines(without_comments(text)):
        tokens += _line(line.strip())
    scopes: list[dict[str, str]] = [{}]
    visible: dict[str, str] = {}
    count = 0
    for index, token in enumerate(tokens):
        first = token[0]
        if first == "{":
            scopes.append({})
        elif first == "}":
            if len(scopes) > 1:
                scopes.pop()
                visible = {name: number for scope in scopes for name, number in scope.items()}
            if len(scopes) == 1:  # the end of a function: its parameters go too
                scopes, visible = [{}], {}
        elif first == '"' and MESSAGE in token:
            tokens[index] = f'"{MESSAGE}"'
        elif first.isalpha() or first == "_":
            if _declares(tokens, index, visible):
                scopes[-1][token] = visible[token] = tokens[index] = f"%{count}"
                count += 1
            elif token in visible and (index == 0 or tokens[index - 1] not in (".", "->", "::")):
                tokens[index] = visible[token]
            elif token.startswith("cpp_") and _KERNEL_NAME.match(token):
                tokens[index] = "kernel"
    return tuple(tokens)


def _declares(tokens: list[str], index: int, visible: dict[str, str]) -> bool:
    """Whether the token at `index` is a name declared here, that is, preceded by a type."""
    token, before = tokens[index], tokens[index - 1] if index else ""
    after = tokens[index + 1] if index + 1 < len(tokens) else ""
    if after not in _AFTER_DECLARED or not before:
        return False
    if before[0].isalpha() or before[0] == "_":
        # `kernel(` is a function; a variable may be followed by its constructor's arguments.
        constructed = before == _HANDLE or _LOCAL.match(token) is not None
        return before not in _NO_TYPE and (after != "(" or constructed)
    if before == ">":  # `Vectorized<float> a =`; `a > b;` compares
        return after in ("=", "{") or (
            after in (";", "(", "[") and token not in visible and _LOCAL.match(token) is not None
        )
    if before in ("*", "&") and index > 1:  # `float* a,`; `a * b,` multiplies
        return tokens[index - 2] == ">" or _TYPE.match(tokens[index - 2]) is not None
    return False


def _without_unread_arrays(piece: str) -> str:
    """A kernel without arrays that are filled with a constant, and not mentioned again."""
    mentioned = Counter(re.findall(r"\w+_arr\b", piece))
    filled = Counter(match[1] for match in _FILLED.finditer(piece))
    return _FILLED.sub(lambda match: "" if mentioned[match[1]] == 2 * filled[match[1]] else match[0], piece)


_EVENED: dict[str, Callable[[str], str]] = {
    MaskCast.code: partial(_MASK_CAST.sub, r"inductor_vec_mask_cast<\2>(\1)"),  # torch/csrc/inductor/cpp_prefix.h
    UnsignedAddition.code: partial(_UNSIGNED.sub, r"\1(\2 + \3)"),
    AccumulatorsUnread.code: lambda text: "".join(map(_without_unread_arrays, _PIECE.split(text))),
}
"""Kernels in the one spelling, of those that these codes name."""


class CppFormat(KernelsFormat):
    """Each kernel with its includes."""

    comment = "//"

    canonical = staticmethod(canonical)
    evened = _EVENED

    def significant(self, old: str, new: str) -> Significant:
        """The lines without bookkeeping."""
        return align(old, new, names, significant_line)

    def edits(self, old: str, new: str) -> tuple[Change, ...]:
        from pytest_compile_golden.formats.statement_edits import code_edits

        return code_edits(self.read(old), self.read(new), self.comment, kernel_edits)


def names(text: str) -> set[str]:
    """The names that may differ between kernels that do the same."""
    return set(_NAME.findall(text))


def significant_line(line: str) -> str | None:
    """The significant part of a line; None if it has none."""
    return " ".join(without_comments(line).split()) or None


CPP = CppFormat("cpp", "cpu")


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
        if parsed is not None:
            return self.values.value(parsed, self.scope)
        # Of what has no such form, such as a lambda that reduces a vector, it is at least known what it reads.
        reads = (self.scope[name] for name in dict.fromkeys(re.findall(r"\w+", text)) if name in self.scope)
        return self.values.make(text, *reads)


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
    sources = [_without_unread_arrays(piece.source) for piece in (old, new)]
    before, after = map(_kernel, sources)
    tails = [name for name in after.loops if name.endswith("_tail") and name not in before.loops]
    edits: list[Change] = []
    unread = [set(_ACCUMULATORS.findall(piece.source)) for piece in (old, new)]
    unread = [
        declared.difference(_ACCUMULATORS.findall(source)) for declared, source in zip(unread, sources, strict=True)
    ]
    if unread[0] != unread[1]:
        edits.append(AccumulatorsUnread(min(unread[0] ^ unread[1])))
    if tails:
        head = next(line for line in after.statements.written if f" {tails[0]} " in line or f" {tails[0]}=" in line)
        edits.append(ScalarTail(head))
    comparison = Comparison(spelled, indices_follow=bool(tails))
    gone, come = unmatched(before.statements, after.statements, comparison)
    if gone or come:
        edits.append(statements_changed(gone, come, _outline, follows=bool(tails)))
    # What a loop computes one by one is computed without vectors.
    edits += [replace(change, follows=True) for change in comparison.edits()] if tails else comparison.edits()
    if len(comparison.rewritten) > _MOST_REWRITTEN and not tails:
        return [
            *line_edits(old.source, new.source, "//"),
            *(change for change in edits if change not in comparison.rewritten),
        ]
    return edits


@lru_cache(maxsize=256)
def _kernel(source: str) -> _Kernel:
    return _Kernel(source)


def _outline(line: str) -> str:
    return without_numbers(line.partition("(")[0])
