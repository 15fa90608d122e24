"""C++ kernels: a stream of tokens with local names numbered by declaration; and how their loops and stores changed.

Two readings, for two questions. Whether a kernel is the same is asked of its tokens, which need not be understood: what
is not recognised as a declaration keeps its name, and counts. How it changed is asked of its statements, which are read
as far as Inductor writes them; a line that is anything else is shown as it is.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache

from pytest_compile_golden.changes.change import Change
from pytest_compile_golden.changes.common_types import NewOrGone, Simple
from pytest_compile_golden.changes.kernels import TemplateRewritten
from pytest_compile_golden.changes.known_rewrites import SPELLINGS
from pytest_compile_golden.common.lines import split_lines
from pytest_compile_golden.common.regular_expressions import replaced, without_numbers
from pytest_compile_golden.formats import cpp_wrapper
from pytest_compile_golden.formats.arithmetic import once
from pytest_compile_golden.formats.canonical_text import pieces
from pytest_compile_golden.formats.expression_edits import ValueComparison
from pytest_compile_golden.formats.expressions import Expression, Values
from pytest_compile_golden.formats.inductor_module import KernelsFormat, Piece
from pytest_compile_golden.formats.inductor_names import kind_of, numbered
from pytest_compile_golden.formats.line_edits import line_edits, plain_lines
from pytest_compile_golden.formats.statement_edits import (
    Statements,
    statements_changed,
    unmatched,
)
from pytest_compile_golden.formats.statements import MESSAGE, TEMPORARY

# A loop over what is left of another one, if nothing is computed before it.
_FROM_START = re.compile(r"_tail\s*=\s*(?:static_cast<int64_t>\()?0L?\b")
# What a loop computes with vectors, and one by one beside it (torch/_inductor/codegen/cpp.py: CppKernelProxy).
_VECTORS = re.compile(
    r"if\(C10_LIKELY\([^\n]*\n(?P<vectors>(?:(?!C10_(?:UN)?LIKELY).)*?)"
    r"if\(C10_UNLIKELY\([^\n]*\n(?P<rest>(?:(?!C10_(?:UN)?LIKELY).)*)",
    re.S,
)
_COMMENT = re.compile(r'"(?:\\.|[^"\\])*"|//[^\n]*|/\*.*?\*/', re.S)
_TOKEN = re.compile(
    r'"(?:\\.|[^"\\\n])*"|[A-Za-z_]\w*|\.?\d(?:[\w.]|(?<=[eE])[+-])*|::|->|<<=?|[-+*/%&|^=!<>]=|&&|\|\||\S'
)
# Bookkeeping that torch 2.13 added around every C++ kernel, in lines of its own; it does not affect what it computes.
_BOOKKEEPING = "integer_div_error"

# fmt: off
# How names begin and end that Inductor makes up (torch/_inductor/codegen/cpp.py).
_LOCAL = (
    "tmp", "x", "r", "buf", "acc", "arg", "ks", "ws", "local", "welford", "masked", "in_ptr", "out_ptr", "in_out_ptr",
)
_OF_LOCAL = ("_ptr", "_helper", "_helper_")
# The type that holds a buffer in C++ that calls kernels.
_HANDLE = "RAIIAtenTensorHandle"
_TYPES = frozenset({
    "auto", "float", "double", "bool", "char", "int", "long", "short", "unsigned", "void", "half", "bfloat16",
})
_NO_TYPE = frozenset({
    "return", "else", "new", "delete", "throw", "case", "goto", "sizeof", "typename", "template", "class", "struct",
    "using", "namespace", "operator", "const", "static", "inline", "extern", "if", "while", "for", "switch", "do",
})
# fmt: on
_AFTER_DECLARED = frozenset(["=", ";", ",", ")", "[", "{", ":", "("])
_FOR = ("for(", "for (")
# `auto tmp0 = ...;`, `tmp_acc0 += ...;`, and `auto tmp0 =` ahead of a lambda
_ASSIGNED = re.compile(
    r"(?P<type>(?:const )?(?:auto|[\w:]+(?:<.*>)?)[ *&]+(?=\w+ =))?"
    r"(?P<target>.+?) (?P<operator>[-+*/|&]?)=(?: (?P<value>.*);)?$"
)
# An array that is declared and filled (torch/_inductor/codegen/cpp.py: reduction_prefix_array).
_FILLED = re.compile(
    r"^ *(?P<declared>[\w:<>]+ (?P<name>\w+_arr)\[\d+\]);\n"
    r" *for \(int (?P<at>\w+) = 0; (?P=at) < \d+; (?P=at)\+\+\)\n *\{\n"
    r" *(?P=name)\[(?P=at)\] = [\w:<>.-]+(?:\(\))?;\n *\}\n",
    re.M,
)
_ONE = "1L"
_STEP = re.compile(r"; \w+ ?\+= ?static_cast<int64_t>\((\w+)\)\)")
"""How far a loop goes in each round."""
_MOST_REWRITTEN = 2
_DEFINED = re.compile(r"^(?:static )?inline [^;(\n]*?(\w+)\(", re.M)
# The innermost template, whose arguments contain no other.
_TEMPLATE = re.compile(r"(\w)<([\w.:, *&\[\]]+)>(?=[(.:{\]>]|$)")
# What a function is given to write to (torch/_inductor/codegen/cpp.py: cascade_sum_combine).
_GIVEN = re.compile(r"(?<=[(,])( ?)&(\w+)(?=[,)])")
_as_python = replaced(
    (
        (_GIVEN.pattern, r"\1\2"),
        (r"decltype\(\w+\)", "decltype"),
        ("::from", "::from_"),
        (r"\.template |::|->", "."),
        ("&&", " and "),
        (r"\|\|", " or "),
        ("!(?!=)", " not "),
        # The suffix of a number says its type.
        (r"(?<![\w.])(\d[\d.]*(?:e[-+]?\d+)?)(?:[fF]|[uU]?[lL]{1,2})\b", r"\1"),
    )
)
_SHOWN = re.compile(r"\[((?:[\w.]+)(?:, ?[\w.]+)*)\]")


def canonical_calls(text: str) -> tuple[tuple[str, ...], ...]:
    """C++ that calls kernels token by token, as `tokens` gives it, with arrays of sizes by content and kernels by order
    of appearance."""
    return tuple(
        map(
            tokens,
            pieces(cpp_wrapper.with_kernels(cpp_wrapper.with_arrays(text)), "//"),
        )
    )


def without_comments(text: str) -> str:
    """`text` without comments and without torch's bookkeeping lines, each remainder of a remainder written once."""
    text = _COMMENT.sub(lambda tokens: tokens[0] if tokens[0][0] == '"' else "", text)
    if _BOOKKEEPING in text:
        text = "\n".join(line for line in text.split("\n") if _BOOKKEEPING not in line)
    return once(text)


@lru_cache(maxsize=1 << 14)
def _line(line: str) -> tuple[str, ...]:
    if line.startswith("#"):
        return (" ".join(line.split()),)
    return tuple(_TOKEN.findall(line))


# Two texts that are compared share most kernels.
@lru_cache(maxsize=1 << 10)
def tokens(text: str) -> tuple[str, ...]:
    """The tokens of C++, with local names replaced by `%0`, `%1` ... in order of declaration.

    Without comments, layout, bookkeeping and the names of kernels.
    """
    tokens: list[str] = []
    for line in split_lines(without_comments(text)):
        tokens += _line(line.strip())
    # Numbers go on through the whole text. A name that is declared again in another block is another variable, so that
    # names are forgotten with their block.
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
                visible = {
                    name: number for scope in scopes for name, number in scope.items()
                }
            if len(scopes) == 1:  # the end of a function: its parameters go too
                scopes, visible = [{}], {}
        elif first == '"' and MESSAGE in token:
            tokens[index] = f'"{MESSAGE}"'
        elif first.isalpha() or first == "_":
            if _declares(tokens, index, visible):
                scopes[-1][token] = visible[token] = tokens[index] = f"%{count}"
                count += 1
            elif token in visible and (
                index == 0 or tokens[index - 1] not in (".", "->", "::")
            ):
                tokens[index] = visible[token]
            elif token.startswith("cpp_fused_") or (
                token.startswith("cpp_") and token.rpartition("_")[2].isdigit()
            ):
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
        constructed = before == _HANDLE or _is_local(token)
        return before not in _NO_TYPE and (after != "(" or constructed)
    if before == ">":  # `Vectorized<float> a =`; `a > b;` compares
        return after in ("=", "{") or (
            after in (";", "(", "[") and token not in visible and _is_local(token)
        )
    if before in ("*", "&") and index > 1:  # `float* a,`; `a * b,` multiplies
        kind = tokens[index - 2]
        return kind in (">", *_TYPES) or kind[0].isupper() or kind.endswith("_t")
    return False


def _is_local(name: str) -> bool:
    """Whether Inductor made up a name."""
    return (
        name.startswith(_LOCAL)
        or "_acc" in name
        or name.rstrip("0123456789").endswith(_OF_LOCAL)
    )


def _unread_arrays(piece: str) -> list[re.Match[str]]:
    """The arrays of a kernel that are filled with a constant, and not mentioned again."""
    filled = list(_FILLED.finditer(piece))
    times = Counter(array["name"] for array in filled)
    mentioned = Counter(_TOKEN.findall(piece)) if filled else times
    return [
        array
        for array in filled
        if mentioned[array["name"]] == 2 * times[array["name"]]
    ]


def _without_unread_arrays(piece: str) -> str:
    for array in _unread_arrays(piece):
        piece = piece.replace(array[0], "")
    return piece


def significant_line(line: str) -> str | None:
    """The significant part of a line; None if it has none."""
    return " ".join(without_comments(line).split()) or None


_REWRITES = {**SPELLINGS, "accumulators-unread": _without_unread_arrays}


class CppFormat(KernelsFormat):
    """Each kernel with its includes."""

    comment = "//"
    rewrites = _REWRITES
    form_of = staticmethod(tokens)
    names = staticmethod(numbered)
    significant_line = staticmethod(significant_line)

    def edits_of(self, old: Sequence[Piece], new: Sequence[Piece]) -> Iterable[Change]:
        from pytest_compile_golden.formats.statement_edits import code_edits

        return code_edits(old, new, self.comment, self.form_of, kernel_edits)


CPP = CppFormat("cpp", "cpu")


class _Kernel:
    """The statements of one kernel, with what its names stand for."""

    def __init__(self, source: str) -> None:
        self.values = Values(lambda name: (name, kind_of(name) in ("index", "size")))
        self.statements = Statements()
        self.loops: list[str] = []
        """The variable of each loop."""
        self.scope: dict[str, Expression] = {}
        # What is computed under a mask is wrapped in a lambda: a value that is made by statements. Those are collected
        # until its `return`, and then belong to the value, not to the kernel.
        self._lambdas: list[
            tuple[str, int, int]
        ] = []  # name, depth, number of statements before it
        self._depth = 0
        lines = [line.strip() for line in split_lines(without_comments(source))]
        for line in lines[lines.index("{") if "{" in lines else 0 :]:
            self._line(line)

    def _line(self, line: str) -> None:
        if not line or line.startswith("#include"):
            return
        if line == "{":
            self._depth += 1
            return
        if line[0] == "}":
            self._depth -= 1
            if self._lambdas and self._depth < self._lambdas[-1][1]:
                self._lambdas.pop()
            return
        # A lambda begins on the line of its name or on the next one.
        match = _ASSIGNED.match(line.removesuffix(" [&]"))
        if line.startswith(_FOR) and line.count(";") == 2:
            begin, condition, _ = line.partition("(")[2].split(";")
            variable, _, start = begin.partition("=")
            self.loops.append(variable.split()[-1])
            self.statements.add(
                self.values.make("for", *map(self._value, (start, condition))), line
            )
        elif line == "return" or (
            match is not None and match["type"] and match["value"] is None
        ):
            self._lambdas.append(
                (
                    match["target"] if match else "",
                    self._depth + 1,
                    len(self.statements.does),
                )
            )
        elif line in ("[&]", "()", ";"):
            return
        elif line.startswith("return ") and self._lambdas:
            name, _, done = self._lambdas[-1]
            inside = self.statements.does[done:]
            self.statements.drop(done)
            self.scope[name] = self.values.make(
                "lambda", self._value(line[7:].rstrip(";")), *inside
            )
        elif match is not None and match["type"]:
            self._bind(match["target"], self._value(match["value"]))
        elif (
            match is not None
            and match["value"]
            and "(" not in match["target"].partition("[")[0]
        ):
            target, operator, value = match["target"], match["operator"], match["value"]
            given = self._value(f"{target} {operator} ({value})" if operator else value)
            for name in _GIVEN.findall(value):
                self.scope[name[1]] = given
            if target.isidentifier():
                self._bind(target, given)
            else:
                self.statements.add(
                    self.values.make("=", self._value(target), given), line
                )
        elif line.startswith("return "):
            self.statements.add(
                self.values.make("return", self._value(line[7:].rstrip(";"))), line
            )
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
        reads = (
            self.scope[name]
            for name in dict.fromkeys(_TOKEN.findall(text))
            if name in self.scope
        )
        # Their numbers shift wherever another value is computed before.
        return self.values.make(
            _TOKEN.sub(lambda name: "tmp" if name[0] in self.scope else name[0], text),
            *reads,
        )


@lru_cache(maxsize=1 << 12)
def _parsed(text: str) -> ast.expr | None:
    """A C++ expression as Python syntax, with templates as subscripts; None if it has no such form."""
    # Expressions of C++ and Python differ in little but templates. From the inside, since the pattern matches no
    # template with another in it.
    before = ""
    while before != text:
        before, text = text, _TEMPLATE.sub(r"\1[\2]", text)
    text = _as_python(text)
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
    if not head[:1].isalpha():
        return head
    return _SHOWN.sub(lambda match: f"<{_generic(match[1])}>", head).replace(".", "::")


def _generic(arguments: str) -> str:
    kinds = [
        "n" if argument.strip().isdigit() else "T" for argument in arguments.split(",")
    ]
    return ", ".join(kinds)


def kernel_edits(old: Piece, new: Piece) -> list[Change] | None:
    """The edits of one kernel."""
    before, after = (
        _kernel(_without_unread_arrays(piece.source)) for piece in (old, new)
    )
    tails = [
        name
        for name in after.loops
        if name.endswith("_tail") and name not in before.loops
    ]
    edits: list[Change] = []
    unread = [
        {array["declared"] for array in _unread_arrays(piece.source)}
        for piece in (old, new)
    ]
    if unread[0] != unread[1]:
        edits.append(Simple("accumulators-unread", (min(unread[0] ^ unread[1]),)))
    if tails:
        head = next(
            line
            for line in after.statements.written
            if f" {tails[0]} " in line or f" {tails[0]}=" in line
        )
        whole = _FROM_START.search(head) is not None
        edits.append(Simple("scalar-loop" if whole else "scalar-tail", (head,)))
    steps = [_STEP.findall(piece.source) for piece in (old, new)]
    # As many loops, of which one made its rounds one by one and none does so newly.
    vectorised = len(steps[0]) == len(steps[1]) and steps[0].count(_ONE) > steps[
        1
    ].count(_ONE)
    if vectorised:
        edits.append(Simple("vector-loop", ()))
    started = [starts_threads_in_loops(piece.source) for piece in (old, new)]
    if started[0] != started[1]:
        starts = NewOrGone("threads-in-loops", (), started[1])
        return [starts, *(change.following() for change in edits)]
    comparison = ValueComparison(
        spelled,
        indices_follow=bool(tails),
        sides=(before.statements.does, after.statements.does),
    )
    gone, come = unmatched(before.statements, after.statements, comparison)
    if gone or come:
        edits.append(
            statements_changed(gone, come, _outline, follows=bool(tails) or vectorised)
        )
    # What a loop computes one by one is computed without vectors.
    edits += [
        change.following(bool(tails) or vectorised) for change in comparison.edits()
    ]
    if (rewritten := _template_rewritten(old.source, new.source)) is not None:
        return [rewritten, *(change for change in edits if change.is_notation)]
    written = [change for change in edits if change.code in SPELLINGS]
    if written and _spelled(old.source, written) == _spelled(new.source, written):
        return written
    # What torch is known to write otherwise is told, however often it does.
    rewritten_values = [
        change for change in comparison.rewritten if not change.is_notation
    ]
    if len(rewritten_values) > _MOST_REWRITTEN and not (tails or vectorised):
        return [
            *line_edits(
                without_comments(old.source), without_comments(new.source), "//"
            ),
            *(change for change in edits if change not in rewritten_values),
        ]
    if (
        not edits
        and not comparison.has_moved
        and _lines(old.source) == _lines(new.source)
        and tokens(old.source) != tokens(new.source)
    ):
        edits.append(Simple("values-reordered"))
    return edits


def is_scalar_beside_the_same(old: str, new: str) -> bool:
    """Whether each loop of which the newer kernel computes one by one what is left over, and the older one none, is
    computed with vectors as one of the older kernel is."""
    before, after = (
        [
            (TEMPORARY.sub("%", loop["vectors"]), "_tail" in loop["rest"])
            for loop in _VECTORS.finditer(source)
        ]
        for source in (old, new)
    )
    with_vectors = {vectors for vectors, is_scalar in before if not is_scalar}
    scalar = {vectors for vectors, is_scalar in after if is_scalar}
    return not any(is_scalar for _, is_scalar in before) and scalar <= with_vectors


def starts_threads_in_loops(source: str) -> bool:
    """Whether a kernel starts threads in each round of a loop."""
    open_loops: list[bool] = []
    loop = False
    for line in split_lines(without_comments(source)):
        text = line.strip()
        if text.startswith("#pragma omp parallel") and any(open_loops):
            return True
        if text.startswith("for"):
            loop = True
        elif text == "{":
            open_loops.append(loop)
            loop = False
        elif text == "}" and open_loops:
            open_loops.pop()
    return False


def _lines(source: str) -> Counter[str]:
    """How often a kernel has each line, whatever its values are called."""
    return Counter(
        TEMPORARY.sub("%", line)
        for line in split_lines(without_comments(source))
        if line.strip()
    )


def _spelled(source: str, changes: Iterable[Change]) -> tuple[str, ...]:
    """What counts in a kernel, in the one spelling of what these changes write otherwise."""
    for change in changes:
        source = SPELLINGS[change.code](source)
    return tokens(source)


def _template_rewritten(old: str, new: str) -> Change | None:
    """For a kernel of a template of torch's, which defines functions beside it: that other lines than those of
    Inductor's loops are others, by more than numbers."""
    defined = [set(_DEFINED.findall(source)) for source in (old, new)]
    if not all(defined):
        return None
    outside = [
        Counter(
            without_numbers(line)
            for line in plain_lines(source, "//")
            if not TEMPORARY.search(line)
        )
        for source in (old, new)
    ]
    gone, come = (outside[side] - outside[1 - side] for side in (0, 1))
    if not (gone or come):
        return None
    functions_gone, functions_come = (
        tuple(sorted(defined[side] - defined[1 - side])) for side in (0, 1)
    )
    return TemplateRewritten(
        functions_gone, functions_come, lines_gone=gone.total(), lines_come=come.total()
    )


@lru_cache(maxsize=256)
def _kernel(source: str) -> _Kernel:
    return _Kernel(source)


def _outline(line: str) -> str:
    return without_numbers(line.partition("(")[0])
