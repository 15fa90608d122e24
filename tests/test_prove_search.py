"""How `compile-golden prove` searches: what definitions do, what is likely, which of two tries is nearer."""

from __future__ import annotations

import ast
import importlib
import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath

import pytest
from jinja2 import Environment

from pytest_compile_golden.features.prove.backport import (
    CannotTransplant,
    Surgeon,
    needs,
    note_templates,
)
from pytest_compile_golden.features.prove.candidates import Pool, ran, until
from pytest_compile_golden.features.prove.edit_search import (
    Distance,
    Search,
    Tried,
    smallest,
)
from pytest_compile_golden.features.prove.proof import (
    Hunks,
    cause,
    smaller_edit,
    turned_edit,
)
from pytest_compile_golden.features.prove.prove_protocol import (
    Begun,
    Edit,
    Needs,
    Reply,
)
from pytest_compile_golden.features.prove.sandbox import Compiled, SearchTimeout
from pytest_compile_golden.features.prove.source_differences import (
    Differences,
    Differing,
)
from pytest_compile_golden.recordings.recording import RecordedCase
from pytest_compile_golden.torch_source.definitions import bare
from pytest_compile_golden.torch_source.installed_sources import Sources

_TRITON = "torch/_inductor/codegen/triton.py"


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (
            "def f(x: int) -> int:\n    'text'\n    return x",
            "def f(x):\n    assert x\n    return x",
            True,
        ),
        (
            "def f():\n    if not x:\n        raise AssertionError('no')\n    g()",
            "def f():\n    assert x, 'no'\n    g()",
            True,
        ),
        ("x: int = 3", "x = 3", True),
        ("def f(x=1): return x", "def f(x=2): return x", False),
        ("def f(): raise ValueError", "def f(): raise TypeError", False),
    ],
)
def test_what_a_definition_does(one: str, other: str, same: bool) -> None:
    assert (bare(ast.parse(one).body[0]) == bare(ast.parse(other).body[0])) is same


_REGISTRY = """
TABLE, PATTERNS = {}, []

class Entry:
    def __init__(self, handler):
        self.handler = handler

def register(name):
    def bind(function):
        TABLE[name] = function
        PATTERNS.append(Entry(function))
        return function
    return bind

class Base:
    def cost(self): return 1

class Derived(Base):
    pass
"""
_ADDED = """
    def cost(self): return 2

@register("new")
def of_the_new(): return 2
"""
_GONE = """
@register("old")
def of_the_old(): return 1
"""


def test_what_only_one_version_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Overriding methods and registered functions of the new version are removed, those of the old one are back."""
    for folder, text in (("old", _REGISTRY + _GONE), ("new", _REGISTRY + _ADDED)):
        (tmp_path / folder / "registry").mkdir(parents=True)
        (tmp_path / folder / "registry" / "__init__.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path / "new")
    registry = importlib.import_module("registry")
    old, new = (Sources(tmp_path / folder, "registry") for folder in ("old", "new"))
    file = "registry/__init__.py"
    edits = [
        Edit(one.kind, file, one.name)
        for one in Differences(old, new, tmp_path).of(file)
    ]
    assert {(edit.kind, edit.name) for edit in edits} == {
        *(("added", name) for name in ("Derived.cost", "of_the_new")),
        ("function", "of_the_old"),
    }
    surgeon = Surgeon(old, new)
    for edit in edits:
        surgeon.apply(edit)
    assert {*registry.TABLE} == {"old"} and registry.Derived().cost() == 1
    assert [entry.handler() for entry in registry.PATTERNS] == [1]


_ONCE = """
class Names:
    found = None

    def __init__(self, make): self.make = make

    def __call__(self):
        self.found = self.found or self.make()
        return self.found

class Only:
    def __init__(self): self.sizes = [{sizes}]

class {owner}:
    def {name}(self, x):
        def shown(): return x
        y = x
        x = x + {much}
        return shown

@Names
def names(): return {{{names}}}

ONLY = Only()
"""


def test_what_is_kept_and_what_has_another_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a function that is given nothing made is made again, and a method that moved is what it was elsewhere."""
    texts = {
        "old": _ONCE.format(
            sizes="1", owner="Setter", name="call", much="1", names="'a'"
        ),
        "new": _ONCE.format(
            sizes="1, 2", owner="SetAttr", name="_call", much="2", names="'a', 'b'"
        ),
    }
    for folder, text in texts.items():
        (tmp_path / folder / "once").mkdir(parents=True)
        (tmp_path / folder / "once" / "__init__.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path / "new")
    once = importlib.import_module("once")
    assert once.names() == {"a", "b"} and once.SetAttr()._call(1)() == 3
    old, new = (Sources(tmp_path / folder, "once") for folder in ("old", "new"))
    file = "once/__init__.py"
    edits = [*ran(Differences(old, new, tmp_path), [(file, 15)], {"names"})]
    assert {(edit.name, edit.was) for edit in edits} == {
        ("Only.__init__", ""),
        ("SetAttr._call", "Setter.call"),
        ("names", ""),
    }
    surgeon = Surgeon(old, new)
    for edit in edits:
        surgeon.apply(edit)
        assert [
            line[1:].strip() for line in cause(edit, old, new).diff if line[:1] == "-"
        ]
    assert once.names() == {"a"} and once.ONLY.sizes == [1]
    shown = once.SetAttr()._call(1)
    assert shown() == 2 and shown.__qualname__ == "Setter.call.<locals>.shown"
    (moved,) = (edit for edit in edits if edit.was)
    assert turned_edit(moved, new) == Edit(
        "function", file, "Setter.call", was="SetAttr._call"
    )


def test_an_old_function_takes_the_arguments_that_only_new_callers_give(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = {
        "old": "def stored(users): return users > 1\n\ndef named(a, **options): return options\n",
        "new": "def stored(users, reads=0, *, graph): return graph\n\ndef named(a, b, **options): return b\n",
    }
    for folder, text in texts.items():
        (tmp_path / folder / "signatures").mkdir(parents=True)
        (tmp_path / folder / "signatures" / "__init__.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path / "new")
    signatures = importlib.import_module("signatures")
    old, new = (Sources(tmp_path / folder, "signatures") for folder in ("old", "new"))
    surgeon = Surgeon(old, new)
    for name in ("stored", "named"):
        surgeon.apply(Edit("function", "signatures/__init__.py", name))
    assert signatures.stored(2, 3, graph=False) is signatures.stored(2) is True
    assert signatures.named(1, b=2) == {"b": 2}


def test_a_template_of_a_kernel(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its text is put back into every template that was made of it, and of it only the lines that matter."""
    file, other = (
        f"kernels/flex/templates/{name}.py.jinja" for name in ("scale", "other")
    )
    texts = {"old": "{{x}} * 1\n# a\n{{x}} + 1\n", "new": "{{x}} * 2\n# a\n{{x}} + 2\n"}
    for folder, text in texts.items():
        (tmp_path / folder / file).parent.mkdir(parents=True)
        (tmp_path / folder / file).write_text(text)
        (tmp_path / folder / other).write_text("# the same\n")
    old, new = (Sources(tmp_path / folder, "kernels") for folder in texts)
    (edit,) = ran(
        Differences(old, new, tmp_path), [("kernels/flex/attention.py", 3)], ()
    )
    assert edit == Edit("template", file, "scale.py.jinja")
    monkeypatch.setattr(Environment, "from_string", Environment.from_string)
    note_templates()
    whole, part = (Environment().from_string(texts["new"] + end) for end in ("end", ""))
    smaller = smaller_edit(edit, old, new, lambda some: "+ 1" in some.text)
    shown = cause(edit, old, new, smaller.text)
    assert shown.diff == ("...", " {{x}} * 2", " # a", "-{{x}} + 1", "+{{x}} + 2")
    Surgeon(old, new).apply(smaller)
    assert (whole.render(x=7), part.render(x=7)) == (
        "7 * 2\n# a\n7 + 1\nend",
        "7 * 2\n# a\n7 + 1",
    )
    with pytest.raises(CannotTransplant, match="no template in the process"):
        Surgeon(old, new).apply(edit)


_CALLS = """
def make(one, two): pass

def old_body(): make(1)

def wrapped():
    try: old_body()
    except TypeError as error: raise RuntimeError("cannot be compiled") from error

def outer(depth): outer(depth - 1) if depth else wrapped()
"""


def test_the_nearest_of_the_functions_that_failed(tmp_path: Path) -> None:
    """However deep the stack is that the error was wrapped in."""
    file = tmp_path / "package" / "calls.py"
    file.parent.mkdir()
    file.write_text(_CALLS)
    names: dict[str, Callable[[int], None]] = {}
    exec(compile(_CALLS, str(file), "exec"), names)
    with pytest.raises(RuntimeError) as raised:
        names["outer"](20)
    found = needs(raised.value, Sources(tmp_path, "package"))
    assert found.functions[:2] == (("", "make"), ("package/calls.py", "old_body"))
    assert found.words == ("two",)


def test_a_part_of_a_name_makes_a_candidate_likely() -> None:
    edits = {
        Edit("function", _TRITON, name): Differing(
            "function", name, 1, 2, frozenset(words)
        )
        for name, words in (
            ("T.load", {"config", "mask"}),
            ("T.random", {"config", "use_rand4x"}),
            ("T.as_mask", {"a"}),
        )
    }
    pool = Pool(edits, frozenset(), ())
    assert [edit.name for edit in pool.likeliest({"rand4x"})] == ["T.random"]
    assert {edit.name for edit in pool.likeliest({"masks"})} == {"T.load", "T.as_mask"}
    # What the report says has changed, and what changed together with what was found.
    assert [
        edit.name
        for edit in replace(pool, subjects=frozenset({"rand4x"})).likeliest(())
    ] == ["T.random"]
    # What the definition that the report names calls.
    called = replace(pool, called={(_TRITON, "load")})
    assert [edit.name for edit in called.likeliest({"rand4x", "config"})] == [
        "T.load",
        "T.random",
    ]
    # What registers something for an operator that the report names.
    call = Edit("call", _TRITON, "make_fallback(aten.sort)")
    registers = {
        call: Differing(
            "call", call.name, 0, 0, frozenset({"make_fallback", "aten", "sort"})
        )
    }
    about = replace(
        pool,
        edits=edits | registers,
        near=frozenset(edits),
        subjects=frozenset({"sort"}),
    )
    assert about.likeliest({"config"})[0] == call
    load, *others = edits
    assert {*pool.likeliest((), (), [load])} == {load, *others}


def test_what_ran_before_the_first_change_shows_comes_first() -> None:
    by_entry = {
        "dynamo_graph": [("a.py", 1)],
        "aot_graph": [("b.py", 1)],
        "post_grad_graph": [("c.py", 1)],
        "": [("d.py", 1)],
    }
    assert until(by_entry, "post_grad_graph", ["aot"]) == (
        [("b.py", 1)],
        [("a.py", 1), ("c.py", 1)],
    )
    assert until(by_entry, "passes", ["guards"]) == (
        [("d.py", 1)],
        [("c.py", 1), ("b.py", 1), ("a.py", 1)],
    )


def _tried(stage: str, trail: str) -> Tried:
    lines = {
        name: Counter(text.split())
        for name, text in (("post_grad_graph", stage), ("trail", trail))
        if text
    }
    return Tried((), (), Compiled(Reply(), None), Distance(lines), "post_grad_graph")


def test_of_results_that_are_as_far_that_with_nearer_earlier_steps_is_better() -> None:
    """Or of two changes that hide each other, neither would be found."""
    start, one_undone, both_undone = (
        _tried("-sqrt +rsqrt", "aot joint"),
        _tried("-sqrt +rsqrt", "joint"),
        _tried("", ""),
    )
    assert both_undone.rank < one_undone.rank < start.rank
    assert start.distance is not None
    words = replace(
        start, distance=replace(start.distance, words={"post_grad_graph": 1})
    )
    assert start.rank < words.rank  # of a line that two changes made, one is undone
    failed = replace(start, distance=None)
    assert failed.left is None and start.rank < failed.rank


def test_a_search_ends_after_so_many_compiles(tmp_path: Path) -> None:
    """Not after a time: on a slow or busy machine it finds the same."""
    goal = RecordedCase(
        PurePosixPath("case"), "test_case", "cuda-sm90", "passed", None, None
    )
    sources, tried = Sources(tmp_path), list[str]()

    def run(edits: Sequence[Edit], helpers: Sequence[object]) -> Compiled:
        tried.append("".join(edit.name for edit in edits))
        return Compiled(Reply(error="it failed"), None)

    def searched(until: float = math.inf) -> Search:
        begun = Begun(tmp_path, (sources, sources), "case", "aot_graph")
        search = Search(
            goal, sources, run, "aot_graph", most=3, until=until, begun=begun
        )
        search.begin()
        for name in "fghi":
            search.explore([Edit("function", "torch/a.py", name)])
        begun.end(not search.unfinished)
        return search

    assert searched().exhausted and tried == ["", "f", "g"]
    # From where the first stopped.
    assert not searched().exhausted and tried[3:] == [
        "h",
        "i",
    ]
    # Nothing is kept of one that was finished.
    assert searched(until=0.0).exhausted and tried[5:] == [""]


class _Searched(Search):
    """The artifact has a line more than the old one unless `make` and what it calls are undone together."""

    def _distance(self, compiled: Compiled) -> Distance | None:
        lines = Counter(compiled.answer.names)
        return (
            None
            if compiled.answer.error
            else Distance({self.stem: lines} if lines else {})
        )


def test_what_needs_others_to_compile_waits_until_all_others_were_tried(
    tmp_path: Path,
) -> None:
    """And what compiled is not compiled again."""
    goal = RecordedCase(
        PurePosixPath("case"), "test_case", "cuda-sm90", "passed", None, None
    )
    made, called, other = (
        Edit("function", "torch/a.py", name) for name in ("make", "called", "other")
    )
    tries: list[set[str]] = []

    def run(edits: Sequence[Edit], helpers: Sequence[object]) -> Compiled:
        tries.append({edit.name for edit in edits})
        if made in edits and called not in edits:
            lacks = Needs(functions=(("torch/a.py", "called"),), words=("argument",))
            return Compiled(Reply(error="TypeError: argument", needs=lacks), None)
        return Compiled(
            Reply(names=frozenset() if made in edits else frozenset({"+new"})), None
        )

    search = _Searched(
        goal, Sources(tmp_path), run, "aot_graph", candidates=[made, called, other]
    )
    search.begin()
    assert (
        not search.explore([made])
        and not search.explore([other])
        and search.explore_later()
    )
    search.minimise()
    assert {*search.best.edits} == {made, called} and not search.unfit
    assert tries[:5] == [set(), {"make"}, {"other"}, {"make"}, {"make", "called"}]
    assert tries[5:] == [{"called"}]
    # In another case, too.
    again = _Searched(
        goal,
        Sources(tmp_path),
        run,
        "aot_graph",
        candidates=[made, called, other],
        lacking=search.lacking,
    )
    again.begin()
    tries.clear()
    assert (
        not again.explore([made, other])
        and tries == [{"other"}]
        and again.explore_later()
    )


def test_of_a_group_what_removed_a_function_that_others_call_is_left_out_first(
    tmp_path: Path,
) -> None:
    goal = RecordedCase(
        PurePosixPath("case"), "test_case", "cuda-sm90", "passed", None, None
    )
    removed = Edit("added", "torch/a.py", "Class.called")
    others = [Edit("function", "torch/a.py", name) for name in "fgh"]
    tries: list[int] = []

    def run(edits: Sequence[Edit], helpers: Sequence[object]) -> Compiled:
        tries.append(len(edits))
        lacks = Needs(functions=(("torch/a.py", "f"),), words=("called",))
        failed = Reply(error="AttributeError: called", needs=lacks)
        return Compiled(
            failed if removed in edits else Reply(names=frozenset({"+new"})), None
        )

    search = _Searched(goal, Sources(tmp_path), run, "aot_graph")
    search.begin()
    assert (
        not search.explore([*others, removed])
        and tries == [0, 4, 3, 1]
        and search.later == [removed]
    )


def test_what_makes_something_new_explains_no_part() -> None:
    start = _tried("-a -b +c", "")
    assert _tried("-a", "").explains_part_of(start)
    assert not _tried("+d", "").explains_part_of(start)
    assert not _tried("-a -b +c", "").explains_part_of(start)
    by_another = Distance({"metrics": Counter(["guards = 31", "guards = 33"])})
    metrics = Distance(
        {
            "metrics": Counter(
                ["guards = 31", "guards = 34", "kernels = 1", "kernels = 2"]
            )
        }
    )
    assert by_another.is_part_of(metrics, "metrics") and not metrics.is_part_of(
        by_another, "metrics"
    )


def test_the_smallest_part() -> None:
    tried: list[list[int]] = []

    def enough(part: list[int]) -> bool:
        tried.append(part)
        return {3, 11} <= {*part}

    assert smallest(range(16), enough) == [3, 11]  # type: ignore[arg-type]
    assert len(tried) <= 15
    # Of which more may be less: 1 does harm without 2, which nothing needs.
    assert smallest(
        range(4), lambda part: 0 in part and (2 in part or 1 not in part)
    ) == [0]


def test_some_hunks() -> None:
    hunks = Hunks(
        ["def f(x):", "    a()", "    b()", "    c()"],
        ["def f(x):", "    a(1)", "    b()", "    c(1)"],
    )
    first, second = hunks.differing
    assert hunks.undone([second]) == "def f(x):\n    a(1)\n    b()\n    c()"
    assert hunks.undone([first, second]) == "\n".join(hunks.old)
    assert (
        Hunks(["def f():", "    a()"], ["def f():", "        b(", "    )"]).undone(
            [("replace", 1, 2, 2, 3)]
        )
        == ""
    )
    bound = Hunks(
        ["def f(x):", "    y = a(x)", "    b()", "    return y"],
        ["def f(x):", "    b()", "    return x"],
    )
    made, returned = bound.differing
    # Which would look up `y` elsewhere.
    assert bound.undone([made]) and not bound.undone([returned])


def test_the_comparison_of_sources_ends_with_the_time(tmp_path: Path) -> None:
    for side, value in (("old", 1), ("new", 2)):
        (tmp_path / side / "torch").mkdir(parents=True)
        (tmp_path / side / "torch" / "a.py").write_text(
            f"def f():\n    return {value}\n"
        )
    differences = Differences(
        Sources(tmp_path / "old"), Sources(tmp_path / "new"), tmp_path
    )
    assert ran(differences, [("torch/a.py", 1)], ())
    with pytest.raises(SearchTimeout):
        ran(differences, [("torch/a.py", 1)], (), until=0)
