"""Where the order of FX nodes counts and where it does not, in ways that no golden of the suite happens to show."""

from __future__ import annotations

import pytest

from pytest_compile_golden.formats.graphs import GRAPH

SHORT = {
    "DRAW(x)": "prims.inductor_random.default([4], x, 'rand')",
    "DRAW(y)": "prims.inductor_random.default([4], y, 'rand')",
    "REDUCE(x)": "_c10d_functional.all_reduce.default(x, 'sum', '0')",
    "REDUCE(y)": "_c10d_functional.all_reduce.default(y, 'sum', '0')",
    "ATTENTION": "aten.scaled_dot_product_attention.default(x, x, x, None, 0.5)",
    "KERNEL": "higher_order.triton_kernel_wrapper_mutation(kernel_idx=0, kwargs={'out': x})",
}
HEAD = "def graph_0(x: f32[4], y: f32[4]):\n"


def same(*bodies: str) -> bool:
    one, other = (
        GRAPH.canonical(
            HEAD + "".join(f"    {_long(line)}\n" for line in body.split("; "))
        )
        for body in bodies
    )
    return one == other


def _long(line: str) -> str:
    for short, long in SHORT.items():
        line = line.replace(short, long)
    return line


COSMETIC = {
    "independent nodes": (
        "a = aten.sin.default(x); b = aten.cos.default(y); return (a, b)",
    )
    * 1
    + ("b = aten.cos.default(y); a = aten.sin.default(x); return (a, b)",),
    "a read of an unmutated value": (
        "a = aten.sin.default(y); c = aten.copy_.default(x, y); return (a,)",
        "c = aten.copy_.default(x, y); a = aten.sin.default(y); return (a,)",
    ),
    "a read of a fresh result of the mutated value": (
        "a = aten.sin.default(x); b = aten.cos.default(a); c = aten.copy_.default(x, a); return (b,)",
        "a = aten.sin.default(x); c = aten.copy_.default(x, a); b = aten.cos.default(a); return (b,)",
    ),
    "unused nodes": (
        "a = aten.sin.default(x); b = aten.cos.default(x); return ()",
        "b = aten.cos.default(x); a = aten.sin.default(x); return ()",
    ),
    "functionalised mutation": (
        "a = higher_order.auto_functionalized(lib.op.default, x=x); b = aten.sin.default(x); return (a, b)",
        "b = aten.sin.default(x); a = higher_order.auto_functionalized(lib.op.default, x=x); return (a, b)",
    ),
    "numbers drawn from given seeds": (
        "a = DRAW(x); b = DRAW(y); return (a, b)",
        "b = DRAW(y); a = DRAW(x); return (a, b)",
    ),
}

STRUCTURAL = {
    "a read before or after a copy": (
        "a = aten.sin.default(x); c = aten.copy_.default(x, y); return (a,)",
        "c = aten.copy_.default(x, y); a = aten.sin.default(x); return (a,)",
    ),
    "a read of a view of the mutated value": (
        "v = aten.view.default(x, [2, 2]); a = aten.sin.default(v); c = aten.add_.Tensor(x, y); return (a,)",
        "v = aten.view.default(x, [2, 2]); c = aten.add_.Tensor(x, y); a = aten.sin.default(v); return (a,)",
    ),
    "a read of the base of a mutated view": (
        "v = aten.slice.Tensor(x, 0); c = aten.mul_.Tensor(v, 2); a = aten.sin.default(x); return (a,)",
        "v = aten.slice.Tensor(x, 0); a = aten.sin.default(x); c = aten.mul_.Tensor(v, 2); return (a,)",
    ),
    "two mutations": (
        "a = aten.add_.Tensor(x, 1); b = aten.mul_.Tensor(x, 2); return ()",
        "b = aten.mul_.Tensor(x, 2); a = aten.add_.Tensor(x, 1); return ()",
    ),
    "methods that mutate": (
        "a = x.add_(1); b = x.sin(); return (b,)",
        "b = x.sin(); a = x.add_(1); return (b,)",
    ),
    "in-place activation": (
        "a = torch.nn.functional.relu(x, inplace=True); b = aten.sin.default(x); return (a, b)",
        "b = aten.sin.default(x); a = torch.nn.functional.relu(x, inplace=True); return (a, b)",
    ),
    "random numbers": (
        "a = aten.rand.default([4]); b = aten.randn.default([4]); return (a, b)",
        "b = aten.randn.default([4]); a = aten.rand.default([4]); return (a, b)",
    ),
    "attention with dropout": (
        "a = ATTENTION; b = aten.rand.default([4]); return (a, b)",
        "b = aten.rand.default([4]); a = ATTENTION; return (a, b)",
    ),
    "user kernels": (
        "k = KERNEL; a = aten.sin.default(x); return (a,)",
        "a = aten.sin.default(x); k = KERNEL; return (a,)",
    ),
    "collectives": (
        "a = REDUCE(x); b = REDUCE(y); return (a, b)",
        "b = REDUCE(y); a = REDUCE(x); return (a, b)",
    ),
    "code under autocast": (
        "e = torch.amp.autocast_mode._enter_autocast('cuda'); a = torch._C._nn.linear(x, y); return (a,)",
        "a = torch._C._nn.linear(x, y); e = torch.amp.autocast_mode._enter_autocast('cuda'); return (a,)",
    ),
    "shared and repeated": (
        "a = aten.sin.default(x); b = aten.add.Tensor(a, a); return (b,)",
        "a = aten.sin.default(x); c = aten.sin.default(x); b = aten.add.Tensor(a, c); return (b,)",
    ),
    "which of two equal values is used": (
        "a = aten.sin.default(x); c = aten.sin.default(x); b = aten.add.Tensor(a, c); return (b, c)",
        "a = aten.sin.default(x); c = aten.sin.default(x); b = aten.add.Tensor(a, c); return (b, a)",
    ),
    "an unused node": ("a = aten.sin.default(x); return (x,)", "return (x,)"),
    "a keyword": (
        "a = aten.add.Tensor(x, y); return (a,)",
        "a = aten.add.Tensor(x, other=y); return (a,)",
    ),
    "inputs": (
        "a = aten.sub.Tensor(x, y); return (a,)",
        "a = aten.sub.Tensor(y, x); return (a,)",
    ),
}


@pytest.mark.parametrize("what", COSMETIC)
def test_order_that_does_not_count(what: str) -> None:
    assert same(*COSMETIC[what])


@pytest.mark.parametrize("what", STRUCTURAL)
def test_order_that_counts(what: str) -> None:
    assert not same(*STRUCTURAL[what])


def test_symbolic_sizes_count_by_position() -> None:
    text = "def graph_0(n: Sym(s77), x: f32[s77, 4]):\n    a: f32[s77, 4] = aten.sin.default(x)\n    return (a,)\n"
    assert GRAPH.canonical(text) == GRAPH.canonical(text.replace("s77", "s0"))
    assert GRAPH.canonical(text) != GRAPH.canonical(
        text.replace("a: f32[s77", "a: f32[s12")
    )


def test_subgraphs_count_by_content_not_by_name() -> None:
    text = (
        "def graph_0(x: f32[4]):\n    f = self.body\n    a = higher_order.flex_attention(x, f)\n    return (a,)\n\n\n"
        "def graph_0__body(x: f32[()]):\n    a = aten.sin.default(x)\n    return a\n"
    )
    assert GRAPH.canonical(text) == GRAPH.canonical(
        text.replace("self.body", "self.g").replace("__body", "__g")
    )
    assert GRAPH.canonical(text) != GRAPH.canonical(
        text.replace("aten.sin", "aten.cos")
    )


def test_a_text_that_is_not_a_graph_counts_line_by_line() -> None:
    assert GRAPH.canonical("what is this\n") == GRAPH.canonical(
        "what is this  # said somebody\n"
    )
    assert GRAPH.canonical("what is this\n") != GRAPH.canonical("what is that\n")


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (
            "aten.sum.dim_IntList(x, [-1], True)",
            "aten.sum.dim_IntList(x, [1], True)",
            True,
        ),
        ("aten.sum.dim_IntList(x, [-1, -2])", "aten.sum.dim_IntList(x, [1, 0])", True),
        ("aten.sum.dim_IntList(x, [-2])", "aten.sum.dim_IntList(x, [1])", False),
        ("aten.amax.default(x, dim=[-1])", "aten.amax.default(x, dim=[1])", True),
        ("aten.unsqueeze.default(x, -1)", "aten.unsqueeze.default(x, 2)", True),
        ("aten.unsqueeze.default(x, -1)", "aten.unsqueeze.default(x, 1)", False),
        ("aten.cat.default([x, x], -1)", "aten.cat.default([x, x], 1)", True),
        ("aten.slice.Tensor(x, -1, -3, 9)", "aten.slice.Tensor(x, 1, -3, 9)", True),
        ("aten.slice.Tensor(x, 1, -1, 9)", "aten.slice.Tensor(x, 1, 1, 9)", False),
        ("aten.topk.default(x, 3, -1)", "aten.topk.default(x, 3, 1)", True),
        ("aten.reshape.default(x, [-1])", "aten.reshape.default(x, [1])", False),
        ("aten.mul.Tensor(x, -1)", "aten.mul.Tensor(x, 1)", False),
        (
            "aten.sum.dim_IntList(unknown, [-1])",
            "aten.sum.dim_IntList(unknown, [1])",
            False,
        ),
    ],
)
def test_a_negative_dimension_is_the_same_as_its_positive_form(
    one: str, other: str, same: bool
) -> None:
    text = "def graph_0(x: f32[4, s0], unknown):\n    y: f32[4] = {}\n    return (y,)\n"
    assert same == (
        GRAPH.canonical(text.format(one)) == GRAPH.canonical(text.format(other))
    )


def test_a_changed_graph_shows_no_line_for_a_negative_dimension() -> None:
    text = (
        "def graph_0(x: f32[4, s0]):\n    a: f32[4] = aten.sum.dim_IntList(x, [{}])\n"
        "    b: f32[4] = aten.{}.default(a)\n    return (b,)\n"
    )
    shown = GRAPH.significant(
        text.format("-1", "sin"), text.format("1", "cos").replace("a:", "sum_1:")
    )
    assert shown is not None
    differ = [
        pair for pair in zip(shown.old, shown.new, strict=True) if pair[0] != pair[1]
    ]
    assert differ == [
        ("    b: f32[4] = aten.sin.default(a)", "    b: f32[4] = aten.cos.default(a)")
    ]
