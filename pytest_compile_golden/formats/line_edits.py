"""Changes of a text about which no more is known than its lines; in words if a line is a statement."""

from __future__ import annotations

import ast
import difflib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

import msgspec
from msgspec.structs import replace

from pytest_compile_golden.changes.change import CODES, Change, Topic, distinct
from pytest_compile_golden.changes.common_types import Exchanged, Replaced, Simple
from pytest_compile_golden.changes.lines import LinesChanged, Rewritten
from pytest_compile_golden.common import disk_cache
from pytest_compile_golden.common.digest import digest, of_texts
from pytest_compile_golden.common.lines import split_lines
from pytest_compile_golden.common.regular_expressions import without_numbers
from pytest_compile_golden.formats import name_of
from pytest_compile_golden.formats.expression_edits import ValueComparison
from pytest_compile_golden.formats.expressions import Expression, Values
from pytest_compile_golden.formats.format import Format, Unreadable

_COMMENTS = {
    comment: re.compile(rf"(?:^|(?<=\s)){comment}.*$") for comment in ("#", "//")
}
# Lines of both texts together. Beyond this a file was rewritten, and matching its lines takes seconds.
LONGEST = 4000
_WIDEST = 100
# If more lines than this differ, the text was rewritten, and single lines say nothing.
_MOST = 60
# If there are more edits than this, the functions called say more than the lines.
_MOST_SHOWN = 3
_ADDRESS = re.compile(r"(?<=[(,])(\s*)&(?=\w)")
_CALL = re.compile(r"\b((?:[a-zA-Z_]\w*::)*[a-z_]\w*)(?:<[\w:, ]*>)?\(")
_NO_CALLS = frozenset(
    {"if", "for", "while", "switch", "return", "sizeof", "void", "move"}
)
_CHECKS = frozenset(
    {"assert_size_stride", "assert_alignment", "_check_aoti_runtime_check_inputs_env"}
)


# Groups, a stage's page, the consequences of a pass and the header of an overlay need the edits of the same two texts.
@lru_cache(maxsize=4096)
def labels(form: Format, comment: str, old: str, new: str) -> tuple[Change, ...]:
    """The edits that turn `old` into `new`, each in a few words; at least one does not follow from another.

    `comment` is what starts a comment in these texts. If no line shows the significant difference, only an identical
    pair of texts is the same change.
    """
    name = name_of(form)
    key = None if name is None else disk_cache.key("edits", name, comment, old, new)
    return disk_cache.found(
        key, lambda: _labels(form, comment, old, new), _encoded, _decoded
    )


def _encoded(edits: tuple[Change, ...]) -> bytes:
    return msgspec.json.encode([(edit.code, edit) for edit in edits])


def _decoded(said: bytes) -> tuple[Change, ...]:
    """Raises ValueError or KeyError for what no process has written."""
    rows = msgspec.json.decode(said, type=list[tuple[str, msgspec.Raw]])
    if not rows:
        raise ValueError("two texts that differ have at least one edit")
    return tuple(msgspec.json.decode(raw, type=CODES[code].type) for code, raw in rows)


def _labels(form: Format, comment: str, old: str, new: str) -> tuple[Change, ...]:
    try:
        edits = form.edits(old, new)
    except (Unreadable, RecursionError, MemoryError):
        # A text that torch did not write, or a value with a thousand operations.
        edits = ()
    if any(not change.follows for change in edits):
        return edits
    shown = form.significant(old, new)
    pair = (old, new)
    if shown is not None and shown.differ:
        pair = "\n".join(shown.old), "\n".join(shown.new)
    lines = line_edits(*pair, comment)
    if edits and not lines:
        return (replace(edits[0], follows=False), *edits[1:])
    return (*lines, *edits) or (Simple("differs", (digest((old, new)),)),)


def line_edits(
    old: str, new: str, comment: str, topic: Topic = "arithmetic"
) -> tuple[Change, ...]:
    """The first differing lines, verbatim, as one edit; for texts about which nothing more is known.

    `comment` is what starts a comment in this kind of text; comments and layout never count.
    """
    before, after = plain_lines(old, comment), plain_lines(new, comment)
    if len(before) + len(after) > LONGEST:
        return (Rewritten(len(before), len(after), of_texts((old, new))[:12], topic),)
    blank = [list(map(without_numbers, lines)) for lines in (before, after)]
    if blocks := _different(*blank):
        low, high, start, end = blocks[0]
        # The removed and added lines identify an edit; the lines around them do not.
        gone = [line for low, high, _, _ in blocks for line in blank[0][low:high]]
        come = [line for _, _, start, end in blocks for line in blank[1][start:end]]
        key = "\n".join(
            [*(f"- {line}" for line in gone), *(f"+ {line}" for line in come)]
        )
        return (
            _change(
                before[low:high], after[start:end], _short(key), topic, len(blocks) - 1
            ),
        )
    for old_line, new_line in zip(before, after, strict=True):
        if old_line != new_line:
            # The same operation on other values, which cannot be described without their names.
            return (
                _change(
                    [old_line], [new_line], _short(f"- {old_line}\n+ {new_line}"), topic
                ),
            )
    return ()


def _different(
    before: Sequence[str], after: Sequence[str]
) -> list[tuple[int, int, int, int]]:
    """The blocks of lines that differ: from and to which one before, and which now."""
    # SequenceMatcher's heuristics for long texts stay on here: without them, many equal lines would take minutes.
    blocks = difflib.SequenceMatcher(None, before, after).get_opcodes()
    return [
        (low, high, start, end)
        for kind, low, high, start, end in blocks
        if kind != "equal"
    ]


def _change(
    gone: Sequence[str], come: Sequence[str], key: str, topic: Topic, more: int = 0
) -> LinesChanged:
    start = _start(gone[0], come[0]) if gone and come else 0
    shown = [
        f"{'…' if start else ''}{lines[0][start : start + _WIDEST]}" if lines else ""
        for lines in (gone, come)
    ]
    return LinesChanged(
        shown[0],
        shown[1],
        key,
        len(gone) + len(come) - sum(map(bool, shown)),
        more,
        topic,
    )


def _start(one: str, other: str) -> int:
    """The column from which two lines are shown: near their first difference if that would otherwise be cut off."""
    same = next(
        (
            at
            for at, pair in enumerate(zip(one, other, strict=False))
            if pair[0] != pair[1]
        ),
        0,
    )
    return 0 if same < _WIDEST // 2 else max(one.rfind(" ", 0, same - 10), 0)


def _short(key: str) -> str:
    return key if len(key) < 2 * _WIDEST else f"{key[:_WIDEST]} {of_texts([key])[:12]}"


def with_comments_of(old: str, new: str, comment: str) -> str:
    """`new` with the comments of `old` on lines that differ in nothing else, so that nobody has to read those."""
    pattern = _COMMENTS.get(comment, _COMMENTS["#"])
    before, after = split_lines(old), split_lines(new)
    old_code, new_code = (
        [pattern.sub("", line).rstrip() for line in lines] for lines in (before, after)
    )
    for _, low, high, start, end in difflib.SequenceMatcher(
        None, old_code, new_code
    ).get_opcodes():
        if old_code[low:high] == new_code[start:end]:
            after[start:end] = before[low:high]
    return "".join(f"{line}\n" for line in after)


def plain_lines(text: str, comment: str) -> list[str]:
    """The lines of `text` without comments and layout."""
    pattern = _COMMENTS.get(comment, _COMMENTS["#"])
    lines = (" ".join(pattern.sub("", line).split()) for line in split_lines(text))
    return [line for line in lines if line]


def edits(old: str, new: str, comment: str) -> tuple[Change, ...]:
    """The edits between two texts; `comment` is what starts a comment in them."""
    before, after = plain_lines(old, comment), plain_lines(new, comment)
    if len(before) + len(after) > LONGEST:
        return line_edits(old, new, comment)
    all_edits: list[Change] = []
    gone: list[str] = []
    come: list[str] = []
    for low, high, start, end in _different(
        *(list(map(without_numbers, lines)) for lines in (before, after))
    ):
        if high - low + end - start > _MOST:
            return line_edits(old, new, comment)
        if high - low == end - start:
            for old_line, new_line in zip(
                before[low:high], after[start:end], strict=True
            ):
                all_edits += _line(old_line, new_line)
        else:
            gone += before[low:high]
            come += after[start:end]
    # Lines without a counterpart. Moved lines follow from other edits or, without any, from the first moved line.
    follow = bool(all_edits)
    moved = Counter(gone) & Counter(come)
    all_edits += (Simple("line-removed", (line,)) for line in gone if line not in moved)
    all_edits += (Simple("line-added", (line,)) for line in come if line not in moved)
    follows = follow or any(line not in moved for line in (*gone, *come))
    all_edits += (
        Simple("line-moved", (line,), follows=follows or bool(at))
        for at, line in enumerate(moved)
    )
    if sum(not change.follows for change in all_edits) > _MOST_SHOWN and (
        calls := list(_calls(before, after))
    ):
        all_edits = [*calls, *(change.following() for change in all_edits)]
    return distinct(all_edits) if all_edits else line_edits(old, new, comment)


def _calls(old: Sequence[str], new: Sequence[str]) -> Iterator[Exchanged | Replaced]:
    """Which functions are called more or less often; those that check inputs are a change of their own, but for those
    of which one does the same for several at once."""
    before, after = (_called(lines) for lines in (old, new))
    gone, come = before - after, after - before
    joined = [
        (one, other)
        for one in gone
        for other in come
        if one.startswith("assert_")
        and (one.startswith(other) or other.startswith(one))
    ]
    for pair in joined:
        yield Replaced("checks-joined", *pair)
    told = {name for pair in joined for name in pair}
    for code, checks in (("input-checks", True), ("calls-changed", False)):
        fewer, more = (
            tuple(
                (name, times)
                for name, times in side.most_common()
                if (name in _CHECKS) == checks and name not in told
            )
            for side in (gone, come)
        )
        if fewer or more:
            yield Exchanged(code, fewer, more)


def _called(lines: Iterable[str]) -> Counter[str]:
    called = (name for line in lines for name in _CALL.findall(line))
    return Counter(
        name
        for name in called
        if name.rpartition("::")[2] not in _NO_CALLS and not name.endswith("_cast")
    )


class _NumberedValues(Values):
    """Values of a line alone, in which a name with a number, such as `tmp4`, stands for what another line computes."""

    def name(self, name: str) -> Expression:
        named = super().name(name)
        if named.head != name:
            named.alias = named.head
        return named


def _line(old_line: str, new_line: str) -> Iterator[Change]:
    """How a line changed; verbatim if it is not a statement or if more than an operation changed."""
    before, after = _value(old_line), _value(new_line)
    if before is not None and after is not None:
        old_value, new_value = (
            _NumberedValues(lambda name: (without_numbers(name), False)).value(tree, {})
            for tree in (before, after)
        )
        comparison = ValueComparison(line=True)
        comparison.compare(old_value, new_value)
        if (
            comparison.found
            and not comparison.rewritten
            and not all(change.follows for change in comparison.found)
        ):
            yield from (change for change in comparison.found if not change.follows)
            return
    yield Replaced("line-replaced", old_line, new_line)


def _value(line: str) -> ast.expr | None:
    try:
        # Works for C++ too, if the line also parses as Python; where a result is put is a value as any other.
        node = ast.parse(_ADDRESS.sub(r"\1", line.strip().rstrip(";"))).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    if len(node) == 1 and isinstance(node[0], (ast.Assign, ast.Expr)):
        return node[0].value
    return None
