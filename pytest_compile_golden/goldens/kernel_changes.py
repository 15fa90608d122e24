"""What code generation alone decides: changes of kernels that do what they did before, or read and write as before."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from string import ascii_lowercase

from pytest_compile_golden.changes import change as changes
from pytest_compile_golden.changes.change import MINOR
from pytest_compile_golden.changes.common_types import NewOrGone
from pytest_compile_golden.changes.kernels import (
    StatementsChanged,
    ValueChanged,
    functions,
    last_name,
)
from pytest_compile_golden.changes.known_rewrites import (
    ROWS,
    SPELLINGS,
    recognised,
)
from pytest_compile_golden.common.constants import KERNEL_STAGES
from pytest_compile_golden.common.lines import split_lines
from pytest_compile_golden.common.regular_expressions import without_numbers
from pytest_compile_golden.formats.canonical_text import arguments
from pytest_compile_golden.formats.expression_edits import HELPERS
from pytest_compile_golden.formats.graphs.edits import CONSTANTS
from pytest_compile_golden.formats.inductor_module import KernelsFormat
from pytest_compile_golden.formats.line_edits import labels
from pytest_compile_golden.formats.statements import TEMPORARY
from pytest_compile_golden.goldens.compare_artifact import (
    Compared,
    capture_of,
    change_edits,
)
from pytest_compile_golden.goldens.consequences import GraphDifference, base, prefix
from pytest_compile_golden.goldens.kernel_pairs import (
    SideKernel,
    kernel_pairs,
    loop_pairs,
)
from pytest_compile_golden.goldens.same_nodes import differing_nodes, of_same_nodes

MadeByLowering = Callable[[str], tuple[bool, frozenset[str]]]
"""For a graph: whether a change of lowering or scheduling may be about any operator, and the operators that these
changes are about."""
NamedPair = tuple[SideKernel, SideKernel]
"""A kernel that both sides have, of groups that are known."""
_CALL = re.compile(r"(?P<function>[A-Za-z_][\w.:]*)\((?P<arguments>[^()]*)\)")
_VALUE = re.compile(r"\b[A-Za-z_]\w*")
_CONSTANT_OR_VALUE = re.compile(r"\b(?:tl(?:\.\w+)+|[A-Za-z_]\w*)")
_WORD = re.compile(r"[A-Za-z0-9]+")
_TEMPLATE = re.compile(r"<\w+,\d+>")
_DEFINITION = re.compile(r"^\s*def .*$", re.MULTILINE)
_DRAWN = re.compile(r"\b((?:[A-Za-z_]\w*\.)*randn?(?:4x)?)\(")
_WRITTEN = re.compile(r"\b(?:in_)?out_ptr\d+")
_OF_NEIGHBOURS = ("written-in-place",)
"""Codes of changes in which buffers are free when a kernel runs."""


def of_same_groups(
    change: Compared,
    pairs: Mapping[str, Sequence[NamedPair]],
    compared: Sequence[Compared],
    differ: Mapping[str, GraphDifference],
    same_graphs: bool,
) -> Iterator[tuple[str, changes.Change]]:
    """The changes of kernels that were made of groups that do the same as before, of nodes that are the same; by graph.

    pairs: see `named_pairs`. differ: see `graph_differences`. same_graphs: whether no graph differs.
    """
    nodes = differing_nodes(compared)
    for graph, several in pairs.items():
        alike = [
            (old, new)
            for old, new in several
            if (same_graphs or graph in differ)
            and old.work == new.work
            and (
                same_graphs
                or differ[graph].near.isdisjoint(map(base, new.operators))
                or of_same_nodes((old, new), nodes.get(graph))
            )
        ]
        # Which of its results a kernel stores, and over what it reads, follows from what its neighbours do.
        stored = [pair for pair in alike if _stores_as_many(change, graph, pair)]
        for edit in edits_of_kernels(change, graph, stored):
            if not edit.follows and edit.code not in _OF_NEIGHBOURS:
                yield graph, edit
        for edit in edits_of_kernels(
            change, graph, [pair for pair in alike if pair not in stored]
        ):
            if _is_known(edit):
                yield graph, edit


def _stores_as_many(change: Compared, graph: str, pair: NamedPair) -> bool:
    """Whether a pair of kernels writes to as many tensors on both sides."""
    before, after = (
        set(_WRITTEN.findall(text)) for text in _texts_of_kernels(change, graph, [pair])
    )
    return len(before) == len(after)


def _is_scalar(change: Compared, graph: str, pair: NamedPair) -> bool:
    """Whether a loop of a pair of kernels is vectorised on one side alone."""
    return any(
        edit.code in ("scalar-loop", "scalar-tail")
        for sides in (pair, pair[::-1])
        for edit in edits_of_kernels(change, graph, [sides])
    )


def _is_scalar_beside_the_same(change: Compared, graph: str, pair: NamedPair) -> bool:
    """Whether what is left over of loops is scalar on the new side alone, beside what is computed as before."""
    if change.stage != "cpp_code":
        return False
    from pytest_compile_golden.formats.cpp_kernels import is_scalar_beside_the_same

    return is_scalar_beside_the_same(*_texts_of_kernels(change, graph, [pair]))


def of_same_accesses(
    change: Compared,
    pairs: Mapping[str, Sequence[NamedPair]],
    told: Collection[str],
    made: MadeByLowering,
) -> Iterator[changes.Change]:
    """What code generation alone decides of kernels that read and write as before, whatever they compute of it: where
    threads wait for each other, which operators are computed by a function of their name, and what is vectorised.

    pairs: see `named_pairs`. told: the functions of which that has been said. made: see `_made_by_lowering`.
    """
    for graph, several in pairs.items():
        anywhere, about = made(graph)
        alike: list[NamedPair] = []
        no_more: list[NamedPair] = []
        for old, new in several:
            loops = loop_pairs([(old, new)])
            same = [
                (before, after)
                for before, after in loops
                if before is not None
                and after is not None
                and before.accesses == after.accesses
            ]
            computed = [
                {base(name) for kernel in side for name in kernel.operators}
                for side in zip(*same, strict=True)
            ]
            if len(same) == len(loops):
                alike.append((old, new))
                if (
                    computed and computed[1] <= computed[0]
                ) or _is_scalar_beside_the_same(change, graph, (old, new)):
                    no_more.append((old, new))
            texts = _texts_of_kernels(change, graph, [(old, new)]) if computed else ()
            called = [set(map(last_name, functions(text))) for text in texts]
            for new_one in (False, True) if called else ():
                alone = called[new_one] - called[not new_one]
                named = (alone & computed[0] & computed[1]) - {*told} - about
                # A constant is computed from nothing.
                named -= set(map(last_name, CONSTANTS))
                # Without vectors, operators are called otherwise.
                if not (named and _is_scalar(change, graph, (old, new))):
                    for name in () if anywhere else sorted(named):
                        yield NewOrGone("function-called", (name,), new_one)
        for edit in edits_of_kernels(change, graph, alike):
            # What is loaded once for a whole block is decided where a kernel is written.
            shaped = edit.code == "block-shape" and not edit.follows
            barriers = isinstance(edit, StatementsChanged) and edit.barriers
            if barriers or shaped or _is_known(edit):
                yield edit
        # Whether a tail is vectorised may follow from what its loop newly computes.
        for edit in edits_of_kernels(change, graph, no_more):
            if edit.code in ("scalar-loop", "scalar-tail"):
                yield edit


def holds_of_text(edit: changes.Change, change: Compared) -> bool:
    """Whether all kernels of an artifact together have more, or less, of what one of them has more or less of: it may
    be in another one."""
    if isinstance(edit, StatementsChanged):
        written = [
            Counter(without_numbers(line.strip()) for line in split_lines(text))
            for text in (change.old, change.new)
        ]
        return all(
            written[side][line] > written[1 - side][line]
            for side, lines in enumerate((edit.gone, edit.come))
            for line in (without_numbers(line.strip()) for line in lines)
        )
    if isinstance(edit, NewOrGone) and edit.code == "function-called":
        before, after = (
            sum(text.count(f"{name}(") for name in edit.what)
            for text in (change.old, change.new)
        )
        return before < after if edit.new else before > after
    return True


def _is_known(edit: changes.Change) -> bool:
    """Whether one commit of torch computes something otherwise wherever it occurs."""
    return edit.kind == "code" and edit.code in ROWS and not edit.follows


def threads_started(change: Compared) -> NewOrGone | None:
    """That C++ kernels start threads in each round of a loop, and none did; or that none does any more."""
    if change.stage != "cpp_code" or not (change.old and change.new):
        return None
    from pytest_compile_golden.formats.cpp_kernels import starts_threads_in_loops

    before, after = map(starts_threads_in_loops, (change.old, change.new))
    return NewOrGone("threads-in-loops", (), after) if before != after else None


def drawn_otherwise(change: Compared) -> Iterator[ValueChanged]:
    """Functions that random numbers of one distribution come from, in the place of others, whatever is made of them."""
    if change.stage not in KERNEL_STAGES or not (change.old and change.new):
        return
    shown: dict[str, str] = {}
    times = [Counter(_drawn(text, shown)) for text in (change.old, change.new)]
    for gone in sorted(times[0] - times[1]):
        for come in sorted(times[1] - times[0]):
            edit = ValueChanged("random-numbers", shown[gone], shown[come])
            if edit.is_same_distribution:
                yield edit


def _drawn(text: str, shown: dict[str, str]) -> Iterator[str]:
    """The functions that random numbers come from, as often as they are called.

    shown: takes down how each is called: `rand4x(a, b, XBLOCK)`.
    """
    for call in _DRAWN.finditer(text):
        letters = iter(ascii_lowercase)
        given = (
            argument if argument.isupper() else next(letters, "…")
            for argument in arguments(_inside(text[call.end() :]))
        )
        shown.setdefault(call[1], f"{call[1]}({', '.join(given)})")
        yield call[1]


def _inside(text: str) -> str:
    """What stands before the bracket that closes a call; empty if none does."""
    depth = 1
    for at, sign in enumerate(text):
        depth += {"(": 1, ")": -1}.get(sign, 0)
        if not depth:
            return text[:at]
    return ""


def named_pairs(
    change: Compared, compared: Sequence[Compared]
) -> dict[str, list[NamedPair]]:
    """The kernels of an artifact that both sides have and that differ, by graph, as far as it is known of what groups
    they were made."""
    if not isinstance(change.declared.format, KernelsFormat):
        return {}
    of_capture = [
        other for other in compared if capture_of(other) == capture_of(change)
    ]
    return {
        graph: [
            (old, new)
            for old, new in several
            if old is not None
            and new is not None
            and old.name
            and old.groups
            and new.groups
            and old.does != new.does
        ]
        for graph, several in kernel_pairs(of_capture).items()
    }


def edits_of_counterparts(
    change: Compared, compared: Sequence[Compared]
) -> Iterator[changes.Change]:
    """The edits of an artifact; of kernels, each as its counterpart became, as far as it is known of what they were
    made: in the order of their names, another may be in its place."""
    pairs = named_pairs(change, compared)
    if any(pairs.values()):
        for graph, several in pairs.items():
            for old, new in several:
                for edit in edits_of_kernels(change, graph, [(old, new)]):
                    # Which loops a kernel has follows from what it reads and writes.
                    if edit.code != "loop-nest" or old.accesses == new.accesses:
                        yield edit
    else:
        yield from change_edits(change)


def _has_other_loops(pair: NamedPair) -> bool:
    """Whether these are C++ kernels with more or fewer loops, or with the same in another order, so that some would be
    compared with others: which loops a kernel has, and in which order, follows from when operations run."""
    old, new = (kernel.works for kernel in pair)
    return pair[0].runs_loops and (
        len(old) != len(new) or (old != new and sorted(old) == sorted(new))
    )


def edits_of_kernels(
    change: Compared, graph: str, pairs: Sequence[NamedPair]
) -> tuple[changes.Change, ...]:
    """The edits of these kernels of a graph, as if there were no others."""
    if not pairs:
        return ()
    texts = _texts_of_kernels(change, graph, pairs)
    edits = labels(change.declared.format, change.declared.comment, *texts)
    if any(map(_has_other_loops, pairs)):
        return tuple(filter(_is_known, edits))
    return edits


def _texts_of_kernels(
    change: Compared, graph: str, pairs: Sequence[NamedPair]
) -> tuple[str, str]:
    """These kernels of a graph as an artifact with no others has them, on both sides."""
    form = change.declared.format
    assert isinstance(form, KernelsFormat)
    label = graph.removeprefix(prefix(change))
    texts = []
    for text, kernels in zip(
        (change.old, change.new), zip(*pairs, strict=True), strict=True
    ):
        names = {kernel.name for kernel in kernels}
        texts.append(
            form.write(
                piece
                for piece in form.read(text)
                if piece.graph == label and piece.kernel in names
            )
        )
    return texts[0], texts[1]


def known_spellings(change: Compared) -> Iterator[changes.Change]:
    """What torch spells otherwise wherever it occurs, whatever else the kernels do otherwise."""
    if change.stage not in KERNEL_STAGES or not (change.old and change.new):
        return
    for edit in (
        *change_edits(change),
        *exchanged_functions(change),
        *rewritten(change),
    ):
        if edit.code in ROWS and edit.kind in MINOR:
            yield edit


def exchanged_functions(change: Compared) -> Iterator[changes.Change]:
    """Functions that kernels call no longer, each with every one that they call newly with such arguments: of a kernel
    that changed in other ways, too, nothing says which took the place of which."""
    if change.stage not in KERNEL_STAGES or not (change.old and change.new):
        return
    called = [_calls(text) for text in (change.old, change.new)]
    for gone in sorted(called[0].keys() - called[1].keys()):
        for come in sorted(called[1].keys() - called[0].keys()):
            for given in sorted(called[0][gone]):
                before = f"{gone}({given})"
                if given in called[1][come]:
                    yield recognised(
                        ValueChanged("value-changed", before, f"{come}({given})")
                    )
                for more in sorted(called[1][come]):
                    # With constants besides, only what one commit of torch writes everywhere is known to be the same.
                    if more.startswith(f"{given}, tl."):
                        edit = recognised(
                            ValueChanged("value-changed", before, f"{come}({more})")
                        )
                        if edit.code in ROWS:
                            yield edit


def renamed_helpers(change: Compared) -> Iterator[changes.Change]:
    """Torch's own functions that kernels call no longer, each with the one in its place: it is called newly, as often
    and with such arguments, and has the same name but for words more or fewer."""
    for edit in exchanged_functions(change):
        # Which known_spellings() tells.
        spelled = edit.code in ROWS and edit.kind in MINOR
        if not isinstance(edit, ValueChanged) or spelled:
            continue
        names = [side.partition("(")[0] for side in (edit.before, edit.after)]
        words = [set(_WORD.findall(name)) for name in names]
        times = [
            text.count(f"{name}(")
            for name, text in zip(names, (change.old, change.new), strict=True)
        ]
        if (
            all(name.startswith(HELPERS) for name in names)
            and (words[0] < words[1] or words[1] < words[0])
            and times[0] == times[1]
        ):
            yield edit


def rewritten(change: Compared) -> Iterator[changes.Change]:
    """What torch writes with another function wherever it occurs, although nothing says which value is which."""
    if change.stage not in KERNEL_STAGES or not (change.old and change.new):
        return
    named = [set(_VALUE.findall(text)) for text in (change.old, change.new)]
    for code, row in ROWS.items():
        if row.of != "value" or row.same_by or row.spelling is None:
            continue
        spell, example = SPELLINGS[code], re.search(row.spelling[0], change.old)
        come = set(_VALUE.findall(spell(change.old))) - named[0]
        if example and come and come <= named[1] and spell(change.new) == change.new:
            before, after = (
                TEMPORARY.sub(
                    "a", _TEMPLATE.sub("<T, n>", text.replace("template ", ""))
                )
                for text in (example[0], example.expand(row.spelling[1]))
            )
            yield ValueChanged(code, before, after)


# The same kernels are asked for rewrites, for helpers and for what may follow.
@lru_cache(maxsize=8)
def _calls(text: str) -> Mapping[str, set[str]]:
    """The functions that a text calls, each with its arguments, in which `a, b, 1` stands for `tmp4, tmp5, 1`."""
    called: dict[str, set[str]] = {}
    # The name of a kernel says what is fused in it.
    for call in _CALL.finditer(_DEFINITION.sub("", text)):
        names = list(dict.fromkeys(_VALUE.findall(call["arguments"])))
        if len(names) <= len(ascii_lowercase):
            letters = dict(zip(names, ascii_lowercase, strict=False))
            arguments = _CONSTANT_OR_VALUE.sub(
                lambda name, letters=letters: letters.get(name[0], name[0]),
                call["arguments"],
            )
            called.setdefault(call["function"], set()).add(arguments)
    return called
