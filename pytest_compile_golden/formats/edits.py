"""What changed between two texts, freed from where it changed: the same edit in forty kernels is equal."""

from __future__ import annotations

import difflib
import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import zip_longest

from pytest_compile_golden.lines import split_lines

_TOKEN = re.compile(
    r"""'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"        # strings
    |[A-Za-z_][\w$]*(?:(?:\.|::)[A-Za-z_]\w*)*    # names, with dots as one
    |\d+(?:\.\d+)?(?:[eE][-+]?\d+)?\w*            # numbers
    |->|[-+*/<>=!]=|//|\*\*|\S""",
    re.X,
)
_COMMENTS = {"#": re.compile(r"(?:^|(?<=\s))#.*$"), "//": re.compile(r"(?:^|(?<=\s))//.*$")}
# Inductor names a kernel after all that was fused into it, and numbers it: a name, not behaviour.
_KERNEL = re.compile(r"\b((?:triton|cpp)_(?:[a-z]+_)*?fused)_\w+")
_NUMBERED = re.compile(r"([A-Za-z_]*?[A-Za-z])_*\d+(?:_\d+)*")
_DTYPE = re.compile(r"(?:f|i|u|b|c|bf|fp|int|uint|float|bfloat|complex|sm)\d+")
_NUMBER = re.compile(r"\d")
# What share of tokens two lines have in common that are one line before and after. With less than half, more came than
# stayed, and "a line went, another came" says it better.
_ALIKE = 0.5
# Lines of both texts together. Beyond it a file was rewritten, and matching its lines to each other says nothing.
# Up to it even texts of equal lines take less than two seconds.
_LONGEST = 4000
# As many renamed values as fit on a line; a digest tells the rest apart.
_MOST_NAMES = 6
# Lines that went times lines that came, of one place: fifty lines each. Every pair is a comparison of tokens, and of a
# block that long it is not to be known which line became which: they are paired as they stand.
_MOST_PAIRS = 2500


@dataclass(frozen=True)
class Edit:
    """One way in which a text changed."""

    label: str
    """In a few words, for people; equal labels are the same edit."""
    old_line: int | None
    """The first line of the old text that changed in this way, from 0; None where a line came."""
    new_line: int | None
    """What it became in the new text; None where it went."""


class _Renaming:
    """Which old value name stands for which new one, followed line by line."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self.seen: dict[tuple[str, str], None] = {}

    def follow(self, old: Sequence[str], new: Sequence[str]) -> bool:
        """Whether two lines of the same shape use the same values; what they define is renamed from here on."""
        self.seen.update(dict.fromkeys(pair for pair in zip(old, new, strict=True) if pair[0] != pair[1]))
        if old[0] in ("def", "extern"):
            # A kernel starts with names of its own.
            self._names = dict(zip(old, new, strict=True))
            return True
        defined = _defined(old)
        equal = all(
            self._names.setdefault(one, other) == other
            for one, other in zip(old[defined:], new[defined:], strict=True)
            if _stem(one)[1]
        )
        self._names.update(zip(old[:defined], new[:defined], strict=True))
        return equal

    def define(self, old: Sequence[str], new: Sequence[str]) -> None:
        """As `follow` for a line that became another operation: what it defines stands for the same value."""
        for one, other in zip(old[: _defined(old)], new[: _defined(new)], strict=False):
            self._names[one] = other


def _defined(tokens: Sequence[str]) -> int:
    """How many of a line's first tokens stand before its assignment; 0 where there is none."""
    depth = 0
    for index, token in enumerate(tokens):
        depth += (token in ("(", "[", "{")) - (token in (")", "]", "}"))
        if token == "=" and depth == 0:
            return index
    return 0


def edits(old: str, new: str, comment: str) -> list[Edit]:
    """How `new` differs from `old`, each way once, in order.

    `comment` is what starts a comment in this kind of text; comments and layout never count. Names and numbers of
    values are an edit only where nothing else is.
    """
    before, after = _lines(old, comment), _lines(new, comment)
    if len(before) + len(after) > _LONGEST:
        return [Edit(f"rewritten, from {len(before)} to {len(after)} lines: {_digest(old, new)}", None, None)]
    found: dict[str, Edit] = {}
    renaming = _Renaming()
    plain_before, plain_after = [line.plain for line in before], [line.plain for line in after]
    # Its heuristics for long texts are wanted here: many equal lines would take minutes without.
    matcher = difflib.SequenceMatcher(None, plain_before, plain_after)
    for kind, low, high, start, end in matcher.get_opcodes():
        for one, other in _paired(before[low:high], after[start:end], kind):
            edit = _edit(one, other, renaming)
            if edit is not None:
                found.setdefault(edit.label, edit)
    if not found and renaming.seen:
        names = sorted(f"{one} -> {other}" for one, other in renaming.seen)
        more = f" and others ({_digest(*names)})" if len(names) > _MOST_NAMES else ""
        return [Edit(f"renamed {', '.join(names[:_MOST_NAMES])}{more}", None, None)]
    if not found and old != new and kernel_names(old) != kernel_names(new):
        return [Edit("kernels are named otherwise", None, None)]
    return list(found.values())


def with_comments_of(old: str, new: str, comment: str) -> str:
    """`new` with the comments of `old` on lines that differ in nothing else: what a person need not read."""
    pattern = _COMMENTS.get(comment, _COMMENTS["#"])
    before, after = split_lines(old), split_lines(new)
    one, other = ([pattern.sub("", line).rstrip() for line in lines] for lines in (before, after))
    for _, low, high, start, end in difflib.SequenceMatcher(None, one, other).get_opcodes():
        if one[low:high] == other[start:end]:
            after[start:end] = before[low:high]
    return "".join(f"{line}\n" for line in after)


def kernel_names(text: str) -> list[str]:
    """The names of generated kernels in a text, in order."""
    return [match[0] for match in _KERNEL.finditer(text)]


def _digest(*texts: str) -> str:
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:12]


@dataclass(frozen=True)
class _Line:
    number: int
    tokens: tuple[str, ...]
    plain: tuple[str, ...]
    """The tokens without the numbers of values."""


def _lines(text: str, comment: str) -> list[_Line]:
    pattern = _COMMENTS.get(comment, _COMMENTS["#"])
    lines = []
    for number, raw in enumerate(split_lines(text)):
        tokens = tuple(_TOKEN.findall(_KERNEL.sub(r"\1", pattern.sub("", raw))))
        if tokens:
            lines.append(_Line(number, tokens, tuple(_stem(token)[0] for token in tokens)))
    return lines


@lru_cache(maxsize=1 << 14)
def _stem(token: str) -> tuple[str, bool]:
    """A token without the number of the value it names, and whether it names a value."""
    first, dot, rest = token.partition(".")
    if first.isidentifier() and not _DTYPE.fullmatch(first):
        numbered = _NUMBERED.fullmatch(first)
        if numbered:
            return numbered[1] + dot + rest, True
    return token, False


def _paired(old: Sequence[_Line], new: Sequence[_Line], kind: str) -> Iterator[tuple[_Line | None, _Line | None]]:
    """Each line with the one it became; None where it has no counterpart."""
    if kind == "equal" or len(old) == len(new) == 1:
        yield from zip(old, new, strict=True)
        return
    if len(old) * len(new) > _MOST_PAIRS:
        yield from zip_longest(old, new)
        return
    rest = list(new)
    for one in old:
        at = next((at for at, other in enumerate(rest) if _alike(one.plain, other.plain)), None)
        if at is None:
            yield one, None
            continue
        for other in rest[:at]:
            yield None, other
        yield one, rest[at]
        del rest[: at + 1]
    for other in rest:
        yield None, other


@lru_cache(maxsize=4096)
def _alike(old: tuple[str, ...], new: tuple[str, ...]) -> bool:
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    return matcher.quick_ratio() >= _ALIKE and matcher.ratio() >= _ALIKE


def _edit(one: _Line | None, other: _Line | None, renaming: _Renaming) -> Edit | None:
    if one is None or other is None:
        line = one or other
        assert line is not None
        label = f"{'-' if other is None else '+'} {_outline(line.plain)}"
        return Edit(label, None if one is None else one.number, None if other is None else other.number)
    if one.plain == other.plain:
        if renaming.follow(one.tokens, other.tokens):
            return None
        # The same operation on other values. Which ones cannot be said without their names.
        return Edit(f"{_joined(one.tokens)} -> {_joined(other.tokens)}", one.number, other.number)
    renaming.define(one.tokens, other.tokens)
    return Edit(_changed(one.plain, other.plain), one.number, other.number)


@lru_cache(maxsize=4096)
def _changed(old: tuple[str, ...], new: tuple[str, ...]) -> str:
    """The tokens that changed, each run with the call or the name it belongs to."""
    parts = []
    for kind, low, high, start, end in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            continue
        gone, came = _run(old[low:high]), _run(new[start:end])
        owner = _owner(new, start) or _owner(old, low)
        if gone and came:
            parts.append(f"{owner + ': ' if owner else ''}{gone} -> {came}")
        elif gone or came:
            parts.append(f"{owner} {'gained' if came else 'lost'} {came or gone}".strip())
    return "; ".join(dict.fromkeys(parts)) or f"{_joined(old)} -> {_joined(new)}"


def _run(tokens: Sequence[str]) -> str:
    return _joined(tokens).strip(", ")


def _owner(tokens: Sequence[str], at: int) -> str:
    """What the token at `at` is an argument of: the innermost open call, else the key or name it is assigned to."""
    depth = 0
    for index in range(at - 1, -1, -1):
        token = tokens[index]
        if token in (")", "]", "}"):
            depth += 1
        elif token in ("(", "[", "{"):
            if depth == 0 and index and _called(tokens[index - 1]):
                return tokens[index - 1]
            depth = max(0, depth - 1)
        elif depth == 0 and token in ("=", ":") and index == 1:
            return "" if _stem(tokens[0] + "0")[0] in ("tmp", "buf") else tokens[0].strip("'\"")
    return ""


def _called(token: str) -> bool:
    return token[0].isalpha() or token[0] == "_"


def _outline(tokens: Sequence[str]) -> str:
    """A whole line that came or went: its numbers and shapes are those of its surroundings."""
    return _joined(["#" if _NUMBER.match(token) else token for token in tokens])


def _joined(tokens: Sequence[str]) -> str:
    text = " ".join(tokens)
    text = re.sub(r" ?([(\[]) ?", r"\1", text)
    text = re.sub(r" ([)\],:;])", r"\1", text)
    return re.sub(r"(?<=\w) = (?=['\"])", "=", text)
