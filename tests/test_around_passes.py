"""The graph before and after any pass: torch's, the user's, and those that a pass manager of the user's calls."""

from __future__ import annotations

import functools
import operator
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor
from torch._inductor.compile_fx import compile_fx
from torch._inductor.custom_graph_pass import CustomGraphPass
from torch.fx import Graph, GraphModule, Node

from pytest_compile_golden import Capture, by_torch, capture
from pytest_compile_golden.errors import UnknownPass
from pytest_compile_golden.observe.inner_calls import _MANY

aten = torch.ops.aten
SLOT = "post_grad_custom_post_pass"


class Pass(CustomGraphPass):
    def uuid(self) -> bytes:
        return type(self).__qualname__.encode()


def timed(run: Callable[[Any, Graph], None]) -> Callable[[Any, Graph], None]:
    @functools.wraps(run)
    def wrapped(self: Any, graph: Graph) -> None:
        run(self, graph)

    return wrapped


class CoalesceSplits(Pass):
    """Splits of the same tensor into the same sizes become one."""

    @timed
    def __call__(self, graph: Graph) -> None:
        first: dict[str, Node] = {}
        for node in graph.find_nodes(
            op="call_function", target=aten.split_with_sizes.default
        ):
            kept = first.setdefault(str(node.args), node)
            if kept is not node:
                node.replace_all_uses_with(kept)
                graph.erase_node(node)


class ReplaceScattersBySources(Pass):
    """A part of what was scattered into is the scattered part itself, or that part of the tensor underneath."""

    def __call__(self, graph: Graph) -> None:
        for node in list(graph.nodes):
            self.look_through(graph, node)
        graph.eliminate_dead_code()

    def look_through(self, graph: Graph, node: Node) -> None:
        while (part := _part_of(node)) is not None and part[
            0
        ].target == aten.slice_scatter.default:
            below, source, _, start, end = part[0].args
            _, at, until = part[1:]
            if (start, end) == (at, until):
                node.replace_all_uses_with(source)
                return
            if not (until <= start or end <= at):
                return
            if node.target == aten.slice.Tensor:
                node.update_arg(0, below)
            else:
                with graph.inserting_before(node):
                    split = graph.call_function(
                        aten.split_with_sizes.default, (below, *node.args[0].args[1:])
                    )
                node.update_arg(0, split)


def _part_of(node: Node) -> tuple[Node, int, int, int] | None:
    """The tensor that a node is a part of, the dimension, and where the part begins and ends."""
    if node.target == aten.slice.Tensor and all(
        isinstance(at, int) for at in node.args[2:]
    ):
        whole, dim, start, end = node.args
        return whole, dim, start, end
    split = node.args[0] if node.target is operator.getitem else None
    if not isinstance(split, Node) or split.target != aten.split_with_sizes.default:
        return None
    whole, sizes, dim = split.args
    return whole, dim, sum(sizes[: node.args[1]]), sum(sizes[: node.args[1] + 1])


class EliminateNoops(Pass):
    """A reshape to the shape that the tensor has is nothing."""

    def __call__(self, graph: Graph) -> None:
        for node in graph.find_nodes(op="call_function", target=aten.reshape.default):
            if node.meta["val"].shape == node.args[0].meta["val"].shape:
                node.replace_all_uses_with(node.args[0])
                graph.erase_node(node)


class Manager(Pass):
    """As inference engines have one: torch knows only it."""

    def __init__(self, *passes: Callable[[Any], object]) -> None:
        self.passes = passes

    def __call__(self, graph: Graph) -> None:
        for each in self.passes:
            each(graph)
        self.clean_up(graph)

    def clean_up(self, graph: Graph) -> None:
        graph.lint()


def scaled_in_place(qkv: Tensor) -> tuple[Tensor, ...]:
    qkv = qkv.clone()
    q, k, v = qkv.split([8, 4, 4], dim=-1)
    q.mul_(2)
    k.mul_(3)
    return q + 1, k + 2, v + 3


def reshaped(x: Tensor, table: Tensor) -> Tensor:
    x = x + table[: x.shape[0]]
    y = x.reshape(-1, 16, 8).reshape(-1, 128).reshape(-1, 16, 8)
    z = y[0 : y.shape[0]]
    return torch.slice_scatter(torch.ones_like(z), z, 0, 0, z.shape[0])


def of_the_user(graph: Graph) -> None: ...


def compiled(
    program: Callable[..., Any], *inputs: Tensor, config: dict[str, Any], **options: Any
) -> Capture:
    return capture(program, *inputs, target="cpu-avx2", config=config, **options)


def test_scatters_are_replaced_by_their_sources() -> None:
    passes = Manager(CoalesceSplits(), ReplaceScattersBySources())
    captured = compiled(
        scaled_in_place, torch.randn(5, 16), config={SLOT: passes}, dynamic=True
    )
    before, after = (
        captured.before("CoalesceSplits"),
        captured.after("ReplaceScattersBySources"),
    )
    assert before.count("aten.slice_scatter") == 2
    assert before.count("aten.split_with_sizes") == by_torch({"2.9": 5, "2.15": 1})
    assert captured.after("CoalesceSplits").count("aten.split_with_sizes") == by_torch(
        {"2.9": 3, "2.15": 1}
    )
    assert not after.has("aten.slice_scatter")


def test_noops_are_eliminated() -> None:
    captured = compiled(
        reshaped,
        torch.randn(4, 128),
        torch.randn(8, 128),
        config={SLOT: EliminateNoops()},
        dynamic=True,
    )
    before, after = captured.before("remove_noop_ops"), captured.after("EliminateNoops")
    assert before.count("aten.slice_scatter") == 1 and not after.has(
        "aten.slice_scatter"
    )
    assert after.count("aten.reshape") == 1  # the chain of them is one
    assert after.count("aten.slice") == 1  # the table's, which is not a no-op


class Runner:
    """A pass that is a method of an object, and takes the graph module."""

    def apply(self, module: GraphModule) -> None:
        for node in module.graph.find_nodes(
            op="call_function", target=aten.relu.default
        ):
            node.target = aten.sin.default


class Overriding(CoalesceSplits):
    def __call__(self, graph: Graph) -> None:
        super().__call__(graph)


@pytest.fixture(scope="module")
def managed() -> Capture:
    runner = Runner()
    passes = Manager(
        of_the_user, lambda graph: runner.apply(graph.owning_module), Overriding()
    )
    return compiled(
        lambda x: x.relu() + 1, torch.randn(8), config={SLOT: passes}, train=True
    )


@pytest.mark.parametrize(
    "name", ["Runner.apply", "apply", f"{SLOT} / Runner.apply", "Manager", SLOT]
)
def test_each_graph_that_a_pass_ran_on_is_shown(managed: Capture, name: str) -> None:
    before, after = managed.before(name), managed.after(name)
    assert [graph.key.label for graph in before.graphs] == [
        "graph_0_forward",
        "graph_0_backward",
    ]
    assert before.count("aten.relu") == after.count("aten.sin") == 1
    assert not after.has("aten.relu") and not before.has("aten.sin")
    assert "aten.sin.default(primals_1)" in str(
        managed.after(name, graph="graph_0_forward")
    )
    assert not managed.after(name, graph="graph_0_backward").has("aten.sin")


def test_passes_that_another_calls_are_known_by_name(managed: Capture) -> None:
    passes = managed["passes"]
    assert passes.ran("Overriding") and not passes.changed("Overriding")
    assert passes.ran("Manager.clean_up") and passes.changed("Runner.apply")
    # A method that calls the one it overrides is one pass, and only what torch calls is in the ledger.
    assert [run.name for run in passes.inner if run.is_called("Overriding")] == [
        f"{SLOT} / Overriding"
    ] * 2
    assert "Runner.apply" not in str(passes)
    assert "+    relu: f32[8] = aten.sin.default(primals_1)" in str(
        managed["pass_diffs"]["Runner.apply"]
    )
    assert managed["pass_diffs"]["Overriding"].text.endswith(
        "Overriding @@ changed nothing\n"
    )


def test_a_pass_of_torchs_that_did_nothing_has_a_graph_too(managed: Capture) -> None:
    forward = "graph_0_forward"
    before, after = (
        managed.before("stable_sort", graph=forward),
        managed.after("stable_sort", graph=forward),
    )
    assert str(before) == str(after) == str(managed.after(SLOT, graph=forward))


def test_what_cannot_be_shown_says_why(managed: Capture) -> None:
    with pytest.raises(
        UnknownPass,
        match=r"no pass 'Manager.clean' ran .*; did you mean .*Manager.clean_up",
    ):
        managed.before("Manager.clean")
    with pytest.raises(
        UnknownPass,
        match=r"did not run on 'graph_1'.* It ran on graph_0_forward, graph_0_backward",
    ):
        managed.after("Manager", graph="graph_1")
    for of_groups in ("fuse_nodes", "min_cut_rematerialization_partition"):
        with pytest.raises(
            UnknownPass, match=f"{of_groups} works on .*captured\\['pass_diffs'\\]"
        ):
            managed.before(of_groups)


def test_a_saved_capture_has_them_all(managed: Capture, tmp_path: Path) -> None:
    managed.save(tmp_path / "capture.json")
    loaded = Capture.load(tmp_path / "capture.json")
    for name in ("Runner.apply", "stable_sort"):
        assert str(loaded.before(name)) == str(managed.before(name))
        assert str(loaded.after(name)) == str(managed.after(name))


def test_a_function_that_a_pass_calls_again_and_again_is_a_helper() -> None:
    def asked(graph: Graph) -> None: ...

    def asks(graph: Graph, times: int) -> None:
        for _ in range(times):
            asked(graph)

    for times in (_MANY, _MANY + 1):
        passes = Manager(functools.partial(asks, times=times), of_the_user)
        ran = compiled(torch.relu, torch.randn(8), config={SLOT: passes})["passes"]
        assert sum(run.is_called("asked") for run in ran.inner) == (
            times if times == _MANY else 0
        )
        assert ran.ran("of_the_user") and ran.ran("asks")


def test_passes_that_a_backend_of_ones_own_gives_to_inductor() -> None:
    """As inference engines test their passes: a backend sets the slot."""

    def backend(module: GraphModule, inputs: list[Tensor]) -> object:
        return compile_fx(module, inputs, config_patches={SLOT: Manager(of_the_user)})

    captured = capture(torch.relu, torch.randn(8), target="cpu-avx2", backend=backend)
    assert captured.before("of_the_user").count("aten.relu") == 1


def test_a_profiler_of_the_users_stays_and_is_left_as_it_was() -> None:
    seen: list[str] = []

    def profiler(frame: Any, event: str, argument: object) -> None:
        seen.append(frame.f_code.co_name)

    assert sys.getprofile() is None
    sys.setprofile(profiler)
    try:
        captured = compiled(
            torch.relu, torch.randn(8), config={SLOT: Manager(of_the_user)}
        )
        assert sys.getprofile() is profiler
    finally:
        sys.setprofile(None)
    assert "of_the_user" in seen and captured["passes"].ran("Manager")
    with pytest.raises(
        UnknownPass,
        match=r"no pass 'of_the_user' is in the ledger.* / Manager may have run it",
    ):
        captured["passes"].ran("of_the_user")


def test_a_pass_that_fails_leaves_no_profile_function() -> None:
    def fails(graph: Graph) -> None:
        raise ValueError("it fails")

    with pytest.raises(Exception, match="it fails"):
        compiled(torch.relu, torch.randn(8), config={SLOT: Manager(fails)})
    assert sys.getprofile() is None
