"""CUDA graphs on a virtual GPU that computes: those that torch records of compiled graphs, and a program's own."""

from __future__ import annotations

import pytest

from tests.forked import Forks

SUITE = """
import copy
import gc
import os

import pytest
import torch
from torch._dynamo.utils import counters
from torch._inductor.cudagraph_trees import get_container

compiled = torch.compile(mode="reduce-overhead")
PARTS = int(os.environ["PARTS"])


@pytest.fixture(autouse=True)
def _nothing_is_left():
    counters.clear()
    yield
    torch._dynamo.reset()
    gc.collect()
    assert torch.cuda.memory_snapshot() == []


def recorded():
    manager = get_container(0).tree_manager
    return 0 if manager is None else sum(1 + root.num_descendants() for root in manager.get_roots())


def skipped():
    return counters["inductor"]["cudagraph_skips"]


def test_a_result_is_overwritten_by_the_next_call():
    f = compiled(lambda x: x.sin() + 1)
    results = []
    for _ in range(4):
        x = torch.randn(8, device="cuda")
        results.append(f(x))
        torch.testing.assert_close(results[-1], x.sin() + 1)
    assert recorded() == 1 and not skipped()
    assert results[3].data_ptr() == results[2].data_ptr()
    for old in results[:2]:
        with pytest.raises(RuntimeError, match="overwritten by a subsequent run"):
            old + 1


def test_graphs_follow_each_other():
    f, g = compiled(lambda x: x * 2), compiled(lambda x: (x + 1).relu())
    for _ in range(4):
        torch.compiler.cudagraph_mark_step_begin()
        x = torch.randn(8, device="cuda")
        torch.testing.assert_close(g(f(x)), (x * 2 + 1).relu())
    assert recorded() == 2
    kept = f(x)
    for _ in range(3):  # its memory is in use, which makes another path through the tree
        torch.testing.assert_close(g(kept), (x * 2 + 1).relu())


def test_buffers_are_written_once_a_call():
    class Counting(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("count", torch.zeros(4, device="cuda"))

        def forward(self, x):
            self.count.add_(1)
            return self.count + x

    counting = Counting()
    f = compiled(counting)
    for turn in range(1, 5):
        with torch.no_grad():
            assert f(torch.ones(4, device="cuda")).tolist() == [turn + 1] * 4
        assert counting.count.tolist() == [turn] * 4
    assert recorded() == 1 and not skipped()


def test_an_input_that_is_written_to_is_a_reason_to_skip():
    def double(x):
        x.add_(1)
        return x * 2

    f = compiled(double)
    for _ in range(3):
        x = torch.ones(4, device="cuda")
        assert f(x).tolist() == [4] * 4 and x.tolist() == [2] * 4
    assert recorded() == 0 and skipped() == 1


def test_training():
    layers = torch.nn.Linear(8, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1)
    net = torch.nn.Sequential(*layers).cuda()
    twin = copy.deepcopy(net)
    runs = [(each, torch.optim.SGD(each.parameters(), 0.1)) for each in (net, twin)]
    called = {net: compiled(net), twin: twin}
    for _ in range(5):
        x = torch.randn(4, 8, device="cuda")
        for each, optimizer in runs:
            optimizer.zero_grad()
            called[each](x).square().mean().backward()
            optimizer.step()
        for mine, theirs in zip(net.parameters(), twin.parameters()):
            torch.testing.assert_close(mine, theirs)
    assert recorded() == 2 and not skipped()


def test_each_replay_draws_new_numbers():
    f = compiled(lambda x: torch.nn.functional.dropout(x, 0.5))
    masks = [f(torch.ones(64, device="cuda")).clone() for _ in range(4)]
    assert all(not before.equal(after) for before, after in zip(masks, masks[1:]))
    assert recorded() == 1


def test_each_size_is_recorded():
    f = torch.compile(lambda x: x.sin() + 1, mode="reduce-overhead", dynamic=True)
    for size in (4, 5, 4, 5, 4, 5, 6, 6):
        x = torch.randn(size, device="cuda")
        torch.testing.assert_close(f(x), x.sin() + 1)
    assert recorded() == 3


def test_a_graph_of_several_parts_is_computed():
    def f(x):
        y = x * 2
        return (y.cpu() + 1).cuda() * y

    g = compiled(f)
    for _ in range(3):
        x = torch.randn(4, device="cuda")
        torch.testing.assert_close(g(x), f(x))
    assert recorded() == PARTS and not skipped()


def test_the_parts_of_a_graph_have_the_same_inputs_and_results_as_on_a_card():
    weight = torch.nn.Parameter(torch.randn(4, 4, device="cuda"))
    count = torch.zeros(4, device="cuda")
    torch._dynamo.mark_static_address(count)

    def f(x):
        y = x @ weight.t()
        count.add_(1)
        on_cpu = y.cpu() + 1
        return on_cpu.cuda() * y + count, y.t(), x.relu()

    g = compiled(f)
    results = []
    with torch.no_grad():
        for turn in range(1, 5):
            x = torch.randn(4, 4, device="cuda")
            results.append(g(x))
            assert count.tolist() == [turn] * 4
            count.sub_(1)
            torch.testing.assert_close(results[-1], f(x))
    assert recorded() == PARTS and not skipped()
    if PARTS:
        assert results[3][1].data_ptr() == results[2][1].data_ptr()
        with pytest.raises(RuntimeError, match="overwritten by a subsequent run"):
            results[0][1] + 1


def test_parts_are_recorded_for_each_size():
    def f(x):
        y = x.sin()
        return (y.cpu() + 1).cuda() * y.sum()

    g = torch.compile(f, mode="reduce-overhead", dynamic=True)
    for size in (4, 5, 4, 5, 4, 5):
        x = torch.randn(size, device="cuda")
        torch.testing.assert_close(g(x), f(x))
    assert recorded() == 2 * PARTS


def test_parts_around_a_size_that_depends_on_values():
    def f(x):
        y = x * 2
        return y[y > 0].sin() + 1

    with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True):
        g = compiled(f)
        for numbers in ([1, -1, 2], [1, 2, 3], [-1, -2, 3], [1, -1, 2], [1, 2, 3]):
            x = torch.tensor(numbers, dtype=torch.float32, device="cuda")
            torch.testing.assert_close(g(x), f(x))


def test_training_in_parts():
    weight = torch.nn.Parameter(torch.randn(4, device="cuda"))

    def f(x):
        y = (x * weight).sin()
        return ((y.cpu() * 2).cuda() * y).sum()

    g = compiled(f)
    for _ in range(4):
        x = torch.randn(4, device="cuda")
        mine = torch.autograd.grad(g(x), weight)
        torch.testing.assert_close(mine, torch.autograd.grad(f(x), weight))
    assert not skipped()


def test_the_backend_that_only_records():
    f = torch.compile(lambda x: (x.sin() + 1) * 2, backend="cudagraphs")
    for _ in range(4):
        x = torch.randn(4, device="cuda")
        torch.testing.assert_close(f(x), (x.sin() + 1) * 2)
    assert recorded() == 1


def test_what_is_captured_leaves_memory_as_it_was():
    weight = torch.nn.Parameter(torch.ones(3, device="cuda"))
    optimizer = torch.optim.SGD([weight], 0.5)
    x = torch.ones(3, device="cuda")

    def step():
        optimizer.zero_grad(set_to_none=False)
        noise = torch.rand(1, device="cuda") * 0
        ((weight * x).sum() + noise.sum()).backward()
        optimizer.step()

    step()
    before, state = weight.tolist(), torch.cuda.get_rng_state()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()
    assert weight.tolist() == before and torch.cuda.get_rng_state().equal(state)
    x.fill_(2)
    for times in (1, 2):
        graph.replay()
        assert weight.tolist() == [number - times for number in before]


def test_a_module_that_is_captured():
    net = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU()).cuda()
    twin = copy.deepcopy(net)
    graphed = torch.cuda.make_graphed_callables(net, (torch.randn(2, 4, device="cuda", requires_grad=True),))
    for _ in range(2):
        x = torch.randn(2, 4, device="cuda", requires_grad=True)
        torch.testing.assert_close(
            torch.autograd.grad(graphed(x).sum(), x), torch.autograd.grad(twin(x).sum(), x)
        )


def test_a_compiled_graph_in_a_capture_and_a_pool_of_several():
    f = torch.compile(lambda x: x.sin() * 2)
    x = torch.ones(8, device="cuda")
    f(x)
    first, second = torch.cuda.CUDAGraph(), torch.cuda.CUDAGraph()
    pool = torch.cuda.graph_pool_handle()
    with torch.cuda.graph(first, pool=pool):
        y = f(x) + 1
    with torch.cuda.graph(second, pool=pool):
        z = y * 3
    x.fill_(3)
    first.replay()
    second.replay()
    torch.testing.assert_close(z, (x.sin() * 2 + 1) * 3)
"""


@pytest.mark.parametrize(("values", "parts"), [("graph", 2), ("both", 0)])
def test_cuda_graphs_are_recorded_and_replayed(
    project: pytest.Pytester,
    forks_with_torch: Forks,
    monkeypatch: pytest.MonkeyPatch,
    values: str,
    parts: int,
) -> None:
    """parts: how many are recorded of a graph that torch records in two."""
    project.makepyfile(test_suite=SUITE)
    monkeypatch.setenv("PARTS", str(parts))
    result = forks_with_torch.run_pytest(
        project.path, "--virtual-gpu", "h100", "--virtual-gpu-values", values
    )
    result.assert_outcomes(passed=SUITE.count("\ndef test_"))
    not_recorded = "*compiled graphs not recorded as CUDA graphs*"
    if parts:
        result.stdout.no_fnmatch_line(not_recorded)
    else:
        result.stdout.fnmatch_lines([not_recorded])
