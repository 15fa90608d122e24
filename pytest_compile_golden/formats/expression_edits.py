"""How one value became another: the operation that changed, without its operands.

Both values are walked at once, from the result towards what it is computed from, for as long as the operations are the
same. Where they part, that operation is the change, and the walk goes on only into operands that have a counterpart:
everything else below is different because of it.
"""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import groupby

from msgspec.structs import replace

from pytest_compile_golden.changes import kernels
from pytest_compile_golden.changes.change import Change
from pytest_compile_golden.changes.common_types import (
    AttributeChanged,
    NumberChanged,
    Replaced,
)
from pytest_compile_golden.changes.kernels import functions
from pytest_compile_golden.changes.known_rewrites import recognised
from pytest_compile_golden.formats.arithmetic import same_everywhere
from pytest_compile_golden.formats.canonical_text import padding
from pytest_compile_golden.formats.expression_text import constant, shown
from pytest_compile_golden.formats.expressions import Expression
from pytest_compile_golden.formats.inductor_names import kind_of
from pytest_compile_golden.formats.statements import MESSAGE

_HINTS = ("eviction_policy", "cache_modifier", "volatile")
HELPERS = "triton_helpers."
"""Torch's own functions for Triton kernels, which no operator is called by."""
_SEVERAL = "()"
_MASKED = "lambda"
"""What is computed under a mask, as C++ writes it."""
_CONSTANT = re.compile(r"""-?\d|['"]|None$|True$|False$|tl\.|torch\.|at::""")
_SHORTEST = 3
_TWICE = re.compile(r"(\.to\([\w.]+\))\1")
_CASTS = re.compile(r"(?:\.to\(tl\.(?:u?int|b?float)\d+\))+$")
_UNMASKED = re.compile(r" \| ~[a-z]\w*mask$")
"""Lanes that hold no value, for which a check holds in any case."""
_WITH_MASK = re.compile(r"^(?:[xyzr]\d*_?mask & )+")
_RANDOM = re.compile(r"\brand(?!_seed)|philox")
_INDEX = re.compile(r"index|-?\d+|ks\d+|[a-z]_size")
_ALIKE = 0.5
_LETTERS = "abcdefgh"
_DEEPEST = 3
_SHOWN = 2
"""How many calls deep a value is shown."""


class ValueComparison:
    """Finds the edits between values of an old and a new text, looking at each pair of values once."""

    def __init__(
        self,
        spelled: Callable[[str], str] = str,
        indices_follow: bool = False,
        line: bool = False,
        sides: tuple[Sequence[Expression], Sequence[Expression]] = ((), ()),
    ) -> None:
        """`spelled` writes a function in the text's language.

        indices_follow: whether changed indices follow from an edit that is already reported.
        line: whether the values are of one line, in which only the function that is wrapped says what it is about.
        sides: all that the old and the new text do. Which of it is compared with which may be another value, so that
        one is only said to be in the place of the other if the new text has fewer such values, and more of the other.
        """
        self.found: list[Change] = []
        self.rewritten: list[Change] = []
        """The edits in `found` that replace a value as a whole."""
        self.has_moved = False
        """Whether a value is in the place of another, and both texts have as many of both."""
        self._spelled = spelled
        self._indices_follow = indices_follow
        self._line = line
        # Values are shared: one that is used twice is one object, and without these a chain of n such uses would be
        # walked 2^n times.
        self._same: dict[tuple[int, int], bool] = {}
        self._seen: set[tuple[int, int]] = set()
        self._sides = tuple(map(_values_of, sides))

    def edits(self, follows: bool = False) -> list[Change]:
        """What was found. Edits that replace a value as a whole follow from edits of operations, which moved it;
        `follows`: they do in any case."""
        edits = [change for change in self.found if change not in self.rewritten]
        follows = follows or any(
            not (change.follows or change.is_notation)
            and change.topic not in ("hints", "launch")
            for change in edits
        )
        return [
            change.following(follows and change in self.rewritten)
            for change in self.found
        ]

    def compare(self, old: Expression, new: Expression) -> None:
        """Record how `new` differs from `old`."""
        if (
            self.equal(old, new)
            or (MESSAGE in old.head and MESSAGE in new.head)
            or (id(old), id(new)) in self._seen
        ):
            return
        self._seen.add((id(old), id(new)))
        if (
            old.is_index
            and new.is_index
            and old.args
            and new.args
            and _same_index(old, new)
        ):
            before, after = (shown(side, {}, self._spelled, 6) for side in (old, new))
            self.found.append(
                Replaced("index-written", before, after, follows=self._indices_follow)
            )
            return
        (casts, was), (casts_now, now) = map(_cast, (old, new))
        if (
            len(casts) != len(casts_now)
            and _each_once(casts) == _each_once(casts_now)
            and not self.equal(was, now)
        ):
            # Beside what is other, a cast to the type that the value has is nothing.
            self.compare(was, now)
            return
        # One is an operand of the other, even if the same function computes both.
        inner, outer = self._argument(old, new), self._argument(new, old)
        if inner is not None or outer is not None:
            self._say(old, new, [(inner or old, outer or new)], wrapped=True)
            return
        if (
            old.head == new.head
            and len(old.args) == len(new.args)
            and old.keywords == new.keywords
            and old.args
        ):
            if old.is_index and new.is_index:
                self._index(old, new)
                return
            if not set(_HINTS).isdisjoint(old.keywords):
                self._arguments(old, new)
                return
            if old.head == ".to" and old.args[0].is_index:
                self._say(old, new, [(old.args[0], new.args[0])], wrapped=True)
                return
            literals = constant(old), constant(new)
            if (
                literals[0] is not None
                and literals[1] is not None
                and literals[0] != literals[1]
                and self._is_instead(old, new, {})
            ):
                # Whole numbers too are values here, and no indices.
                self.found.append(
                    kernels.LeafChanged(literals[0], literals[1], "number")
                )
            for old_arg, new_arg in zip(old.args, new.args, strict=True):
                if (
                    old.head.startswith(HELPERS)
                    and _is_of_sizes(old_arg)
                    and _is_of_sizes(new_arg)
                    and not _same_index(old_arg, new_arg)
                ):
                    # What a helper is told of a tensor's size is no value that a kernel computes.
                    told = (
                        shown(side, {}, self._spelled, 6) for side in (old_arg, new_arg)
                    )
                    self.found.append(
                        AttributeChanged("call-argument", old.head, "", *told)
                    )
                else:
                    self.compare(old_arg, new_arg)
            return
        # From here on the two are different operations, or the same one on other numbers of operands.
        self._changed(old, new)

    def _argument(self, whole: Expression, part: Expression) -> Expression | None:
        """The operand of `whole` that is `part`, or that resembles it if `whole` itself does not; None without one."""
        # Functions of one value, such as casts, all resemble each other.
        alike = sum(bool(arg.args) for arg in part.args) > 1 and not _alike(whole, part)
        candidates = (
            arg
            for arg in whole.args
            if self.equal(arg, part)
            or (alike and _alike(arg, part))
            or (
                arg.head == part.head
                and _wraps(whole, arg)
                and not any(_wraps(part, each) for each in part.args)
            )
        )
        return next((candidate for candidate in candidates if candidate.args), None)

    def equal(self, old: Expression, new: Expression) -> bool:
        """Whether both are computed in the same way."""
        key = id(old), id(new)
        if key not in self._same:
            self._same[key] = (
                old.head == new.head
                and old.keywords == new.keywords
                and len(old.args) == len(new.args)
                and all(
                    self.equal(one, other)
                    for one, other in zip(old.args, new.args, strict=True)
                )
            )
        return self._same[key]

    def _is_instead(
        self,
        old: Expression,
        new: Expression,
        names: Mapping[int, str] | None = None,
        wrapped: bool = False,
    ) -> bool:
        """Whether the new text has fewer values such as `old`, and more such as `new`; if one is in the other, the
        other alone says it. names: of the operands that may be any value, where these are not shown."""
        if not all(self._sides):
            return True

        # Which numbers and comparisons there are is the same whatever indices are cast to.
        sides = [_without_casts(side) for side in (old, new)]
        bare = sides[0].head != sides[1].head or constant(sides[0]) != constant(
            sides[1]
        )

        def alike(value: Expression, pattern: Expression) -> bool:
            if names is None:
                return self.equal(value, pattern)
            return self._is_shown_as(value, pattern, names, _SHOWN, bare)

        wrapped = wrapped or any(
            alike(inner, whole)
            for whole, other in ((old, new), (new, old))
            for inner in _inside(other)
        )

        def surplus(pattern: Expression) -> tuple[int, int]:
            written = used = 0
            for sign, side in zip((1, -1), self._sides, strict=True):
                for value, times in side:
                    if alike(value, pattern):
                        written += sign * times[0]
                        used += sign * times[1]
            return written, used

        # By how often it is written, or else by how often it is used.
        is_instead = any(
            (fewer > 0 or more < 0) if wrapped else (fewer > 0 > more)
            for fewer, more in zip(surplus(old), surplus(new), strict=True)
        )
        self.has_moved |= not is_instead
        return is_instead

    def _is_shown_as(
        self,
        value: Expression,
        pattern: Expression,
        names: Mapping[int, str],
        depth: int,
        bare: bool,
    ) -> bool:
        """Whether a value would be shown as another is, apart from the operands that have names; `bare`: and from casts
        of indices and constants."""
        if id(pattern) in names:
            return True
        if bare:
            value, pattern = _without_casts(value), _without_casts(pattern)
        literal = constant(pattern)
        if literal is not None or not pattern.args:
            return value.head == pattern.head and constant(value) == literal
        if depth == 0 or (pattern.is_index and pattern.alias):
            return depth == 0 or self.equal(value, pattern)
        return (
            value.head == pattern.head
            and value.keywords == pattern.keywords
            and len(value.args) == len(pattern.args)
            and all(
                self._is_shown_as(*pair, names, depth - 1, bare)
                for pair in zip(value.args, pattern.args, strict=True)
            )
        )

    def _changed(self, old: Expression, new: Expression) -> None:
        # First whether something was only put around the value, or taken off it, such as a cast: that it was replaced
        # would be true as well, and would hide that the value is still there.
        wrapped = _within(old, new) or None
        unwrapped = None if wrapped else _within(new, old)
        if wrapped is not None:
            self._say(old, new, [(old, wrapped)], wrapped=True)
        elif unwrapped is not None:
            self._say(old, new, [(unwrapped, new)], wrapped=True)
        elif old.is_index and new.is_index and (old.args or new.args):
            self._index(old, new)
        elif old.function == new.function and old.args and old.head == new.head:
            self._arguments(old, new)
        elif not old.args and not new.args:
            self._leaf(old, new)
        else:
            self._say(old, new, self._pairs(old, new))

    def _index(self, old: Expression, new: Expression) -> None:
        before, after = (shown(side, {}, self._spelled, 6) for side in (old, new))
        if before == after:
            # Its names hide it: the parts that differ, or what the name stands for.
            parts = [
                pair
                for pair in zip(old.args, new.args, strict=False)
                if not self.equal(*pair)
            ]
            if old.head == new.head and parts:
                self._index(*parts[0])
                return
            before, after = (
                shown(dataclasses.replace(side, alias=""), {}, self._spelled, 6)
                for side in (old, new)
            )
        differ = [
            pair
            for pair in zip(old.args, new.args, strict=False)
            if not self.equal(*pair)
        ]
        if (
            old.head == new.head
            and len(differ) == 1
            and differ[0][0].head == differ[0][1].head == _SEVERAL
        ):
            # The same index, of a block of another shape.
            self._index(*differ[0])
            return
        if not self._is_instead(old, new):
            return
        if all(side.removeprefix("-").isdecimal() for side in (before, after)):
            self.found.append(
                kernels.LeafChanged(before, after, "number", follows=True)
            )
        elif old.head in ("<", "&") or new.head in ("<", "&"):
            self.found.append(Replaced("mask-changed", before, after, follows=True))
        elif old.head == new.head == _SEVERAL:
            self.found.append(
                Replaced("block-shape", before, after, follows=self._indices_follow)
            )
        else:
            # One access tells what the others of a kernel only repeat.
            told = any(
                change.code in ("index-changed", "rows-padded") for change in self.found
            )
            follows = self._indices_follow or told
            padded = padding(before, after)
            self.found.append(
                NumberChanged("rows-padded", *padded, follows=follows)
                if padded
                else Replaced("index-changed", before, after, follows=follows)
            )

    def _leaf(self, old: Expression, new: Expression) -> None:
        if not self._is_instead(old, new, {}):
            return
        number = all(side.head[:1].isdigit() for side in (old, new))
        named = not any(_CONSTANT.match(side.head) for side in (old, new))
        what = "number" if number else "name" if named else ""
        # A number that is no index is a value that something is computed from.
        follows = named or (number and old.is_index and new.is_index)
        self.found.append(
            kernels.LeafChanged(old.head, new.head, what, follows=follows)
        )

    def _arguments(self, old: Expression, new: Expression) -> None:
        """The same function, called with other arguments."""
        before, after = dict(old.named()), dict(new.named())
        name = self._spelled(old.function)
        shaped = False
        for key in dict.fromkeys((*before, *after)):
            was, now = (
                shown(side[key], {}, self._spelled, 1) if key in side else None
                for side in (before, after)
            )
            if key in _HINTS:
                if was != now:
                    self.found.append(
                        AttributeChanged("hints-changed", name, key, was, now)
                    )
            elif was is not None and now is not None:
                known = len(self.found)
                self.compare(before[key], after[key])
                # A block of another shape has another mask.
                self.found[known:] = [
                    change.following(shaped) for change in self.found[known:]
                ]
                shaped |= any(
                    change.code == "block-shape" for change in self.found[known:]
                )
            else:
                argument = "" if key.isdigit() else key
                self.found.append(
                    recognised(
                        AttributeChanged("call-argument", name, argument, was, now)
                    )
                )

    def _pairs(
        self, old: Expression, new: Expression
    ) -> list[tuple[Expression, Expression]]:
        """Pairs of operands: equal values first, then values computed by the same function."""
        # Positions say nothing: one operand more shifts all after it.
        unpaired = list(new.args)
        pairs: list[tuple[Expression, Expression]] = []
        for alike in (self.equal, _similar):
            for one in old.args:
                if any(one is paired for paired, _ in pairs) or not (
                    one.args or one.alias
                ):
                    continue
                # A value that is computed from this one does not take its place.
                other = next(
                    (
                        candidate
                        for candidate in unpaired
                        if alike(one, candidate)
                        and not any(self.equal(one, arg) for arg in candidate.args)
                    ),
                    None,
                )
                if other is not None:
                    unpaired = [
                        candidate for candidate in unpaired if candidate is not other
                    ]
                    pairs.append((one, other))
        # A renamed function is given the same operands in the same order.
        if _renamed(old.function, new.function):
            for one, other in zip(old.args, new.args, strict=False):
                taken = any(one is paired for paired, _ in pairs) or not any(
                    other is candidate for candidate in unpaired
                )
                if not taken and one.args and other.args:
                    unpaired = [
                        candidate for candidate in unpaired if candidate is not other
                    ]
                    pairs.append((one, other))
        return sorted(
            pairs,
            key=lambda pair: next(
                at for at, arg in enumerate(old.args) if arg is pair[0]
            ),
        )

    def _shared(
        self, old: Expression, new: Expression
    ) -> list[tuple[Expression, Expression]]:
        """The values that both are computed from, of those that are shown when they are said."""
        return [
            (one, other)
            for one in _inside(old)
            for other in _inside(new)
            if one.args and constant(one) is None and self.equal(one, other)
        ]

    def _say(
        self,
        old: Expression,
        new: Expression,
        pairs: Sequence[tuple[Expression, Expression]],
        wrapped: bool = False,
    ) -> None:
        # Operands that both sides have are shown as letters: `where(a, b, c) -> a * b`. The same change of two kernels,
        # which compute different things with it, then has the same words, and is one change.
        letters = iter(_LETTERS)
        names: dict[int, str] = {}
        for one, other in pairs:
            if wrapped and not one.args and not one.alias and not one.is_index:
                continue
            if wrapped and constant(one) is not None and constant(other) is not None:
                continue
            names[id(one)] = names[id(other)] = (
                "index" if one.is_index and one.alias else next(letters, "…")
            )
        if not pairs:
            # None is an operand of both: what both are computed from, further down.
            for one, other in self._shared(old, new):
                names[id(one)] = names[id(other)] = next(letters, "…")
        before, after = (
            shown(side, names, self._spelled, _SHOWN) for side in (old, new)
        )
        if before != after and self._is_instead(old, new, names, wrapped):
            # A position that is added to a loaded one is an index too; what is loaded is none.
            added = "load" not in old.head and any(arg.is_index for arg in old.args)
            index = wrapped and (
                added
                or not _loads(old, set())
                or any(_wraps(old, each) for each in old.args)
            )
            change = _value_change(before, after, index)
            if (
                wrapped
                and change.code == "value-changed"
                and (self._line or "…" in before + after)
            ):
                # Only its own function says what was wrapped.
                given = [
                    arg
                    for pair in pairs
                    for arg in zip(*(side.args for side in pair), strict=False)
                ]
                names = {
                    id(arg): name
                    for args, name in zip(given, _LETTERS, strict=False)
                    for arg in args
                }
                shapes = (shown(side, names, self._spelled, 3) for side in (old, new))
                change = kernels.ValueChanged("value-changed", *shapes)
            if isinstance(change, Replaced):
                change = change.following(self._indices_follow)
            elif not wrapped and not _renamed(old.function, new.function):
                change = replace(change, follows=self._indices_follow)
                self.rewritten.append(change)
            self.found.append(change)
        for one, other in pairs:
            self.compare(one, other)


def _value_change(before: str, after: str, index: bool) -> Change:
    """What it means that a value is computed otherwise, where that is known."""
    before, after = (_TWICE.sub(r"\1", side) for side in (before, after))
    cast = _CASTS.search(before), _CASTS.search(after)
    bare, casts = (
        [
            side[: at.start()] if at else side
            for side, at in zip((before, after), cast, strict=True)
        ],
        [at[0] if at else "" for at in cast],
    )
    if bare[0] == bare[1] and (index or _INDEX.fullmatch(bare[0])):
        return kernels.IndexCast(*casts)
    for one, other in ((before, after), (after, before)):
        if _UNMASKED.sub("", one) == other != one:
            return Replaced("mask-changed", before, after)
        if _WITH_MASK.sub("", one) == other != one:
            # A block of another shape has another mask.
            return Replaced("mask-changed", before, after, follows=True)
        if one == f"tl.broadcast_to({other}, {one.partition(', ')[2]}":
            return Replaced("block-shape", before, after)
    if any(_RANDOM.search(name) for name in (*functions(before), *functions(after))):
        return kernels.ValueChanged("random-numbers", before, after)
    return recognised(kernels.ValueChanged("value-changed", before, after))


def _renamed(one: str, other: str) -> bool:
    """Whether the function may be the same under another name: `triton_helpers.max2` and `triton_helpers.fmax2`."""
    one, other = (name.replace("::", ".").rpartition(".")[2] for name in (one, other))
    if not all(name.isidentifier() and len(name) >= _SHORTEST for name in (one, other)):
        return False
    if one in other.split("_") or other in one.split("_"):
        return True
    return (
        one == other
        or SequenceMatcher(None, one, other, autojunk=False).ratio() > _ALIKE
    )


def _cast(value: Expression) -> tuple[list[str], Expression]:
    """The types that a value is cast to, the last one first, and what is cast; no index, whose casts are told."""
    types = []
    while value.head == ".to" and len(value.args) == 2 and not value.args[0].is_index:
        value, to = value.args
        types.append(to.head)
    return types, value


def _without_casts(value: Expression) -> Expression:
    """An index or a constant without the types that it is cast to; any other value as it is."""
    bare = value
    while bare.head == ".to" and len(bare.args) == 2:
        bare = bare.args[0]
    return bare if bare.is_index or constant(bare) is not None else value


def _each_once(types: Iterable[str]) -> list[str]:
    return [each for each, _ in groupby(types)]


def _wraps(value: Expression, index: Expression) -> bool:
    """Whether a value is an index to which the size is added if it is negative."""
    if len(value.args) != 3:
        return False
    match value.head:
        case "tl.where" | "if":
            condition, added, kept = value.args
        case _ if value.head.endswith("blendv"):
            kept, added, condition = value.args
        case _:
            return False
    # C++ has types around sums and comparisons.
    condition, added = map(_without_types, (condition, added))
    return (
        kept is index
        and added.head == "+"
        and condition.head == "<"
        and condition.args[0] is index
    )


def _without_types(value: Expression) -> Expression:
    """What a value is made of that is only given another type."""
    while len(value.args) == 1:
        value = value.args[0]
    return value


def _inside(value: Expression) -> dict[Expression, None]:
    """Its operands, and theirs, each once."""
    return dict.fromkeys(
        each for operand in value.args for each in (operand, *operand.args)
    )


def _loads(value: Expression, seen: set[int]) -> bool:
    """Whether a value is computed from anything that was loaded."""
    if id(value) in seen:
        return False
    seen.add(id(value))
    loads = value.head == "[]" or "load" in value.head or "rand" in value.head
    return loads or any(_loads(arg, seen) for arg in value.args)


def _values_of(
    statements: Sequence[Expression],
) -> list[tuple[Expression, tuple[int, int]]]:
    """All values that statements are computed from, each with how often it is written, and how often used."""
    found: dict[int, Expression] = {}
    used = Counter(map(id, statements))
    left = list(statements)
    while left:
        value = left.pop()
        if id(value) not in found:
            found[id(value)] = value
            used.update(map(id, value.args))
            left.extend(value.args)
    return [(value, (value.times, used[key])) for key, value in found.items()]


def _within(inner: Expression, outer: Expression) -> Expression | None:
    """The counterpart of `inner` inside `outer`: the same value, or one by the same function; never `outer` itself."""
    if not inner.args and not inner.alias:
        return None
    level: list[Expression] = list(outer.args)
    for _ in range(_DEEPEST):
        for candidate in level:
            if _alike(inner, candidate):
                return candidate
        # Only through functions of one value: a function of more computes another value from it.
        level = [
            arg
            for value in level
            if sum(bool(a.args) for a in value.args) == 1
            for arg in value.args
        ]
    return None


def _alike(one: Expression, other: Expression) -> bool:
    if one.is_index != other.is_index or (not one.args and one.head != other.head):
        return False
    if constant(one) != constant(other):
        return False
    return _same_shape(one, other, 3)


def _same_shape(one: Expression, other: Expression, depth: int) -> bool:
    if one.head != other.head or bool(one.args) != bool(other.args):
        return False
    # What a masked body computes is compared for itself.
    if one.head == _MASKED:
        return True
    # Which index it is says no type that it is cast to.
    pairs = zip(
        map(_without_casts, one.args), map(_without_casts, other.args), strict=False
    )
    return not depth or all(
        _same_shape(a, b, depth - 1) for a, b in pairs if a.args and b.args
    )


def _similar(one: Expression, other: Expression) -> bool:
    return (
        one.head == other.head
        and bool(one.args) == bool(other.args)
        and one.is_index == other.is_index
    )


def _same_index(old: Expression, new: Expression) -> bool:
    """Whether two indices are the same number, whatever the names stand for of which they are made."""
    atoms: dict[int, str] = {}
    return same_everywhere(_in_atoms(old, atoms), _in_atoms(new, atoms))


def _is_of_sizes(value: Expression) -> bool:
    """Whether it is computed from the sizes of tensors, and nothing else but numbers."""
    leaves = [value]
    names = []
    while leaves:
        each = leaves.pop()
        leaves += each.args
        names += [] if each.args else [each.head]
    sizes = [name for name in names if kind_of(name) == "size"]
    return bool(sizes) and all(
        name in sizes or name.removeprefix("-").isdecimal() for name in names
    )


def _in_atoms(value: Expression, atoms: dict[int, str]) -> str:
    """The arithmetic of an index, with a name for each value that is none."""
    if len(value.args) == 1 and value.head.startswith("static_cast"):
        return _in_atoms(value.args[0], atoms)
    operator = "//" if value.head == "c10::div_floor_integer" else value.head
    if value.args and operator in ("+", "-", "*", "//", "%"):
        inside = f" {operator} ".join(_in_atoms(each, atoms) for each in value.args)
        return f"({inside})" if len(value.args) > 1 else f"({operator}{inside})"
    if not value.args and value.head.removeprefix("-").isdecimal():
        return f"({value.head})"
    return atoms.setdefault(_structure(value, {}), f"v{len(atoms)}")


def _structure(value: Expression, known: dict[int, int]) -> int:
    """Equal for values of two texts that are computed alike."""
    if id(value) not in known:
        inside = tuple(_structure(each, known) for each in value.args)
        known[id(value)] = hash((value.head, value.keywords, inside))
    return known[id(value)]
