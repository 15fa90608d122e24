"""The pass ledger is complete: checked against torch's own source, and with the user's passes in every slot."""

from __future__ import annotations

import ast
import functools
import importlib
import inspect
import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pytest
import torch
import torch._inductor.config
import torch._inductor.custom_graph_pass
import torch._inductor.fx_utils
from torch import Tensor
from torch._functorch.partitioners import min_cut_rematerialization_partition
from torch._inductor.custom_graph_pass import (
    CustomGraphPass,
    CustomInferenceAwareGraphPass,
    CustomPartitionerFn,
)
from torch._inductor.ir import TensorBox
from torch._inductor.lowering import lowerings
from torch._inductor.pattern_matcher import PatternMatcherPass

from pytest_compile_golden import capture

TARGETS = ("cuda-sm90", "cpu-avx2")
PHASES = {
    "pre_grad": ("torch._inductor.fx_passes.pre_grad", "pre_grad_passes"),
    "joint": ("torch._inductor.fx_passes.joint_graph", "joint_graph_passes"),
    "post_grad": ("torch._inductor.fx_passes.post_grad", "post_grad_passes"),
}
NOT_PASSES = {"get_all_devices", "numeric_check_if_enabled", "_run_pre_dispatch_passes"}


@dataclass
class Call:
    """A pass that a phase's function runs."""

    name: str
    """A regular expression."""
    certain: bool
    repeated: bool


class Reader:
    """The sequence of passes that a phase's function runs, read from its source."""

    def __init__(self, module: str, function: str, **known: object) -> None:
        self.module = importlib.import_module(module)
        self.known = {**vars(self.module), **known}
        self.calls: list[Call] = []
        tree = self.parse(function)
        self.graph = tree.args.args[0].arg
        self.block(tree.body)

    def parse(self, function: str) -> ast.FunctionDef:
        found = getattr(self.module, function)
        tree = ast.parse(
            textwrap.dedent(inspect.getsource(inspect.unwrap(found)))
        ).body[0]
        assert isinstance(tree, ast.FunctionDef)
        return tree

    def block(
        self, statements: list[ast.stmt], certain: bool = True, repeated: bool = False
    ) -> bool:
        """Whether what follows the block is certain to run."""
        for statement in statements:
            if isinstance(statement, ast.If):
                certain = self.branch(statement, certain, repeated)
            elif isinstance(statement, ast.For):
                self.block(statement.body, False, True)
            elif isinstance(statement, (ast.With, ast.Try)):
                certain = self.block(statement.body, certain, repeated)
                for handler in getattr(statement, "handlers", []):
                    self.block(handler.body, False, repeated)
            else:
                for call in [
                    node for node in ast.walk(statement) if isinstance(node, ast.Call)
                ]:
                    self.call(call, certain, repeated)
        return certain

    def branch(self, statement: ast.If, certain: bool, repeated: bool) -> bool:
        try:
            taken = eval(
                compile(ast.Expression(statement.test), "torch", "eval"), self.known
            )
        except (NameError, AttributeError):  # it uses a local variable
            self.block(statement.body, False, repeated)
            self.block(statement.orelse, False, repeated)
            return certain and not any(
                isinstance(node, ast.Return) for node in ast.walk(statement)
            )
        return self.block(
            statement.body if taken else statement.orelse, certain, repeated
        )

    def call(self, call: ast.Call, certain: bool, repeated: bool) -> None:
        name = (
            call.func.attr
            if isinstance(call.func, ast.Attribute)
            else getattr(call.func, "id", "")
        )
        given = ast.unparse(call.args[0]) if call.args else ""
        if name in ("apply_graph_pass", "apply_gm_pass"):
            assert isinstance(call.func, ast.Attribute) and isinstance(
                call.func.value, ast.Call
            )
            passname = call.func.value.args[1]
            name = (
                rf"{re.escape(str(passname.value))}( / .+)?"
                if isinstance(passname, ast.Constant)
                else ".+"
            )
        elif name in ("eliminate_dead_code", "incremental_update"):
            name = rf"\w+\.{name}"
        elif (
            given not in (self.graph, f"{self.graph}.graph")
            or name in NOT_PASSES
            or name[:1].isupper()
        ):
            return
        elif name == "fuse_fx":
            self.block(self.parse(name).body, certain, repeated)
            return
        elif name == "apply":
            assert isinstance(call.func, ast.Attribute) and isinstance(
                call.func.value, ast.Name
            )
            name = rf"\w+\.{call.func.value.id}.*"
        self.calls.append(Call(name, certain, repeated))

    def accepts(self, names: list[str]) -> bool:
        """Whether these are all the certain passes, with none of the others out of order."""
        positions = self.skipping({0})
        for name in names:
            matched = {
                at
                for at in positions
                if at < len(self.calls) and re.fullmatch(self.calls[at].name, name)
            }
            positions = self.skipping(
                {at if self.calls[at].repeated else at + 1 for at in matched}
            )
        return len(self.calls) in positions

    def skipping(self, positions: set[int]) -> set[int]:
        found = set(positions)
        for at in sorted(range(len(self.calls))):
            if at in found and not self.calls[at].certain:
                found.add(at + 1)
        return found


def scheduler_steps() -> list[str]:
    """What Scheduler._init always does to its nodes: it assigns them, or calls a method that does."""
    import torch._inductor.scheduler as scheduler

    (owner,) = ast.parse(inspect.getsource(scheduler.Scheduler)).body
    assert isinstance(owner, ast.ClassDef)
    methods = {
        each.name: each for each in owner.body if isinstance(each, ast.FunctionDef)
    }

    def assigned(node: ast.AST) -> list[ast.Assign]:
        found = [each for each in ast.walk(node) if isinstance(each, ast.Assign)]
        return [
            each
            for each in found
            if any(ast.unparse(target) == "self.nodes" for target in each.targets)
        ]

    steps = []
    for statement in methods["_init"].body:
        if isinstance(statement, ast.Assign) and statement in assigned(statement):
            steps += [statement.value] if isinstance(statement.value, ast.Call) else []
        elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            called = getattr(statement.value.func, "attr", "")
            steps += (
                [statement.value]
                if called in methods and assigned(methods[called])
                else []
            )
    return [ast.unparse(step.func).rpartition(".")[2] for step in steps]


@pytest.mark.parametrize("target", TARGETS)
def test_every_pass_in_torchs_source_is_a_row_in_order(target: str) -> None:
    weight = torch.randn(64, 64)
    captured = capture(
        lambda x: torch.nn.functional.gelu(x.clone() @ weight),
        torch.randn(8, 64),
        target=target,
        train=True,
    )
    rows = captured["passes"].passes
    for phase, (module, function) in PHASES.items():
        expected = Reader(module, function, is_inference=False)
        assert len([call for call in expected.calls if call.certain]) > 4
        for key in {row.key for row in rows if row.phase == phase}:
            names = [row.name for row in rows if (row.key, row.phase) == (key, phase)]
            # It runs between two phases, before the passes of the second.
            names = names[1:] if names[0] == "view_to_reshape" else names
            assert expected.accepts(names), (names, expected.calls)
            # The check can fail: it rejects any missing pass, and any new one.
            for call in expected.calls:
                one = next(
                    (
                        at
                        for at, name in enumerate(names)
                        if call.certain and re.fullmatch(call.name, name)
                    ),
                    None,
                )
                assert one is None or not expected.accepts(
                    names[:one] + names[one + 1 :]
                )
            assert not expected.accepts([*names, "another_pass"])
    steps = scheduler_steps()
    assert len(steps) > 5
    ran = [
        row.name
        for row in rows
        if row.phase == "scheduler" and row.key.direction == "backward"
    ]
    missing = iter(ran)
    assert all(step in missing for step in steps), (ran, steps)


def twice_relu(graph: torch.fx.Graph) -> None:
    """Doubles every relu. It costs nothing."""
    for node in graph.find_nodes(
        op="call_function", target=torch.ops.aten.relu.default
    ):
        with graph.inserting_after(node):
            again = graph.call_function(node.target, (node,))
        again.meta.update(node.meta)
        node.replace_all_uses_with(
            again, delete_user_cb=lambda user, again=again: user is not again
        )


def nothing(graph: torch.fx.Graph) -> None:
    pass


def backwards(nodes: list[Any]) -> list[Any]:
    return nodes


class Whole(CustomGraphPass):
    def __call__(self, graph: torch.fx.Graph) -> None:
        pass

    def uuid(self) -> None:
        return None


class Aware(CustomInferenceAwareGraphPass):
    def __call__(self, graph: torch.fx.Graph, is_inference: bool) -> None:
        assert is_inference

    def uuid(self) -> None:
        return None


class Cut(CustomPartitionerFn):
    def __call__(
        self, gm: torch.fx.GraphModule, joint_inputs: Sequence[object], **kwargs: Any
    ) -> tuple[Any, Any]:
        return min_cut_rematerialization_partition(gm, joint_inputs, **kwargs)

    def uuid(self) -> None:
        return None


def lowered_twice(x: TensorBox) -> TensorBox:
    return lowerings[torch.ops.aten.mul.Tensor](x, 2)


own_patterns = PatternMatcherPass()
SLOTS = {
    "pre_grad_custom_pass": [nothing],
    "joint_custom_pre_pass": [Whole()],
    "joint_custom_post_pass": [functools.partial(nothing)],
    "post_grad_custom_pre_pass": [Aware()],
    "post_grad_custom_post_pass": [twice_relu],
    "_pre_fusion_custom_pass": backwards,
    "_post_fusion_custom_pass": backwards,
}
# Before 2.13, a slot takes only one.
LISTS = hasattr(torch._inductor.custom_graph_pass, "get_custom_graph_passes")


def test_the_users_passes_are_listed_under_their_own_names(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(lowerings, torch.ops.aten.sin.default, lowered_twice)
    config = {
        slot: runs if LISTS or not isinstance(runs, list) else runs[0]
        for slot, runs in SLOTS.items()
    }
    if LISTS:
        config["post_grad_custom_pre_pass"] = [Aware(), own_patterns.apply]
    passes = capture(
        lambda x: x.sin().relu() + 1, torch.randn(8), target="cpu-avx2", config=config
    )["passes"]
    for name in (
        "pre_grad_custom_pass / nothing",
        "joint_custom_pre_pass / Whole",
        "joint_custom_post_pass / nothing",
        "post_grad_custom_pre_pass / Aware",
        *(["post_grad_custom_pre_pass / test_passes.own_patterns"] if LISTS else []),
        "_pre_fusion_custom_pass / backwards",
        "_post_fusion_custom_pass / backwards",
    ):
        assert passes.ran(name) and not passes.changed(name), name
    assert passes.changed("post_grad_custom_post_pass / twice_relu")
    rows = {row.name: row for row in passes.passes}
    assert rows["post_grad_custom_post_pass / twice_relu"].added == {
        "aten.relu.default": 1
    }
    assert (
        rows["post_grad_custom_post_pass / twice_relu"].summary == "Doubles every relu."
    )
    lowered = rows["lowered_twice"]
    assert (lowered.phase, lowered.removed, lowered.added) == (
        "lowering",
        {"aten.sin.default": 1},
        {"Pointwise": 1},
    )
    first_line = inspect.getsourcelines(lowered_twice)[1]
    assert lowered.where == f"test_passes.py:{first_line}"
    order = [row.name for row in passes.passes]
    assert order.index("_pre_fusion_custom_pass / backwards") < order.index(
        "fuse_nodes"
    )
    assert order.index("fuse_nodes") < order.index(
        "_post_fusion_custom_pass / backwards"
    )
    assert torch._inductor.config._pre_fusion_custom_pass is None


def test_a_partitioner_is_a_row_with_the_recomputed_operators() -> None:
    def f(x: Tensor, weight: Tensor) -> Tensor:
        return (x @ weight).sin().sin()

    inputs = torch.randn(8, 8), torch.randn(8, 8)
    own = capture(
        f,
        *inputs,
        target="cpu-avx2",
        train=True,
        config={"custom_partitioner_fn": Cut()},
    )["passes"]
    captured = capture(f, *inputs, target="cpu-avx2", train=True)["passes"]
    (row,) = [row for row in own.passes if row.phase == "partition"]
    assert row.name == "custom_partitioner_fn / Cut"
    (other,) = [row for row in captured.passes if row.phase == "partition"]
    assert other.name == "min_cut_rematerialization_partition"
    assert other.where is not None and other.where.startswith(
        "torch/_functorch/partitioners.py:"
    )
    assert (row.before, row.after, row.added) == (
        other.before,
        other.after,
        other.added,
    )
    # The inner one, for the outer one's gradient.
    assert row.added["aten.sin.default"] == 1


def test_a_change_that_no_hook_saw_is_a_row_of_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    updater = torch._inductor.fx_utils.FakeTensorUpdater
    original = updater.__init__

    def meddle(
        self: object, gm: torch.fx.GraphModule, *args: Any, **kwargs: Any
    ) -> None:
        twice_relu(gm.graph)
        original(self, gm, *args, **kwargs)

    monkeypatch.setattr(updater, "__init__", meddle)
    passes = capture(lambda x: x.relu() + 1, torch.randn(8), target="cpu-avx2")[
        "passes"
    ]
    names = [row.name for row in passes.passes]
    at = names.index("(unobserved)")
    assert names[at + 1] == "remove_profiler_ops"
    assert (
        passes.passes[at].added == {"aten.relu.default": 1}
        and names.count("(unobserved)") == 1
    )
