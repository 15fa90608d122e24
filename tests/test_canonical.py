"""What counts in a comparison: real goldens, changed in ways that must and must not matter."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pytest_compile_golden.stages import canonical, get_stage

GOLDENS = Path(__file__).parents[1] / "goldens"


def body(path: Path) -> str:
    """A golden's text without its header."""
    return path.read_text(encoding="utf-8").split("\n\n", 1)[1]


GRAPHS = {path.relative_to(GOLDENS).as_posix(): body(path) for path in sorted(GOLDENS.rglob("post_grad_graph*.py"))}
KERNELS = {
    path.relative_to(GOLDENS).as_posix(): body(path)
    for pattern in ("triton_code*.py", "cpp_code*.cpp")
    for path in sorted(GOLDENS.rglob(pattern))
}
NODE = re.compile(r"^    (\w+)(: \S.*?)? = (.*)$")
graphs = st.sampled_from(sorted(GRAPHS))
kernels = st.sampled_from(sorted(KERNELS))
quick = settings(max_examples=60, deadline=None, derandomize=True)


def node_lines(text: str) -> list[int]:
    return [number for number, line in enumerate(text.splitlines()) if NODE.match(line)]


def renamed(text: str, make) -> str:
    """`text` with every value that a node makes called something else."""
    names = {found[1]: make(place) for place, found in enumerate(re.finditer(r"(?m)^    (\w+)(?:: .*?)? = ", text))}
    return re.sub(r"(?<![\w.'])([A-Za-z_]\w*)(?![\w(])(?!\.\w+\()(?!=)", lambda m: names.get(m[1], m[1]), text)


@quick
@given(graphs, st.text(alphabet="abcxyz", min_size=1, max_size=4))
def test_names_and_comments_of_a_graph_do_not_count(name, prefix):
    text = GRAPHS[name]
    other = renamed(text, lambda place: f"{prefix}__{place}")
    assume(other != text)
    commented = other.replace("\n    return", "\n    # another line\n    return")
    assert canonical.graph(commented) == canonical.graph(text)


@quick
@given(graphs, st.data())
def test_independent_neighbours_may_change_places(name, data):
    lines = GRAPHS[name].splitlines()
    pairs = []
    for at in node_lines(GRAPHS[name]):
        if at + 1 < len(lines) and (first := NODE.match(lines[at])) and (second := NODE.match(lines[at + 1])):
            mutates = re.search(r"copy_|\w_\.default|mutation|rand|seed", first[3] + second[3])
            if not mutates and not re.search(rf"\b{first[1]}\b", second[3]):
                pairs.append(at)
    assume(pairs)
    at = data.draw(st.sampled_from(pairs))
    lines[at], lines[at + 1] = lines[at + 1], lines[at]
    assert canonical.graph("\n".join(lines)) == canonical.graph(GRAPHS[name])


CHANGES = {
    "operator": lambda line: re.sub(r"aten\.(\w+)\.", r"aten.\1_other.", line, count=1),
    "overload": lambda line: re.sub(r"(aten\.\w+\.\w+)\(", r"\1X(", line, count=1),
    "dtype": lambda line: re.sub(r": f32\[", ": bf16[", line, count=1),
    "shape": lambda line: re.sub(r": (\w+)\[(\d+)", lambda m: f": {m[1]}[{int(m[2]) + 1}", line, count=1),
    "stride": lambda line: re.sub(r": (\w+\[[^\]]+\]) =", r": \1[7, 7] =", line, count=1),
    "device": lambda line: re.sub(r": (\w+\[[^\]]+\]) =", r": \1 @ meta =", line, count=1),
    "constant": lambda line: re.sub(r", (-?\d+(?:\.\d+)?)\)", r", 1\1)", line, count=1),
    "argument order": lambda line: re.sub(r"\((\w+), (\w+)\)", r"(\2, \1)", line, count=1),
}


@pytest.mark.parametrize("change", sorted(CHANGES))
@quick
@given(name=graphs, data=st.data())
def test_what_a_graph_computes_counts(change, name, data):
    lines = GRAPHS[name].splitlines()
    places = [at for at in node_lines(GRAPHS[name]) if _differs(CHANGES[change](lines[at]), lines[at])]
    assume(places)
    at = data.draw(st.sampled_from(places))
    lines[at] = CHANGES[change](lines[at])
    assert canonical.graph("\n".join(lines)) != canonical.graph(GRAPHS[name])


def _differs(new: str, old: str) -> bool:
    swapped = re.search(r"\((\w+), (\w+)\)", old)
    return new != old and not (swapped and swapped[1] == swapped[2])


MUTATION = """\
def graph_0(x: f32[8], y: f32[8]):
    add: f32[8] = aten.add.Tensor(x, 1)
    copy_: f32[8] = aten.copy_.default(x, y)
    return (add, copy_)
"""


def test_the_order_around_a_mutation_counts():
    lines = MUTATION.splitlines()
    lines[1], lines[2] = lines[2], lines[1]
    assert canonical.graph("\n".join(lines)) != canonical.graph(MUTATION)
    # Reading something else, it may move.
    other = MUTATION.replace("aten.add.Tensor(x, 1)", "aten.add.Tensor(y, 1)")
    lines = other.splitlines()
    lines[1], lines[2] = lines[2], lines[1]
    assert canonical.graph("\n".join(lines)) == canonical.graph(other)


def test_what_is_saved_for_backward_counts_in_order():
    text = "def graph_0_forward(x: f32[8], y: f32[8]):\n    return (x, y)\n\n\ngraph_0_forward_saves = [x, y]\n"
    assert canonical.graph(text) != canonical.graph(text.replace("[x, y]", "[y, x]"))


@quick
@given(kernels)
def test_local_names_and_comments_of_a_kernel_do_not_count(name):
    stage = get_stage("cpp_code" if name.endswith(".cpp") else "triton_code")
    text = KERNELS[name]
    assume(re.search(r"\btmp\d", text))
    other = re.sub(r"\btmp(\d+)\b", lambda found: f"tmp{int(found[1]) + 70}", text) + f"\n{stage.comment} the end\n"
    assert stage.canonical(other) == stage.canonical(text)


KERNEL_CHANGES = {
    "operator": lambda text: re.sub(r"(tmp\d+) \+ (tmp\d+)", r"\1 - \2", text, count=1),
    "constant": lambda text: re.sub(r"\b(0\.\d+|1\.0|0\.0)\b", "0.125", text, count=1),
    "index": lambda text: re.sub(r"(tl\.load\(in_ptr\d+ \+ \()", r"\g<1>1 + ", text, count=1),
    "hint": lambda text: re.sub(r"eviction_policy='evict_last'", "eviction_policy='evict_first'", text, count=1),
}


@pytest.mark.parametrize("change", sorted(KERNEL_CHANGES))
@quick
@given(name=kernels)
def test_what_a_kernel_does_counts(change, name):
    stage = get_stage("cpp_code" if name.endswith(".cpp") else "triton_code")
    other = KERNEL_CHANGES[change](KERNELS[name])
    assume(other != KERNELS[name])
    assert stage.canonical(other) != stage.canonical(KERNELS[name])


def test_renaming_every_value_in_every_golden_changes_no_verdict():
    assert len(GRAPHS) > 100
    for name, text in GRAPHS.items():
        assert canonical.graph(renamed(text, lambda place: f"other_{place}")) == canonical.graph(text), name
