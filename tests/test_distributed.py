"""Fake ranks: the same as real ones, captured singly or together, gone without a trace, and refused with a reason."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.distributed import _functional_collectives as functional
from torch.distributed.algorithms.ddp_comm_hooks.default_hooks import bf16_compress_hook
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import Shard, distribute_tensor
from torch.nn.parallel import DistributedDataParallel

from pytest_compile_golden import capture, capture_ranks, fake_ranks, numerics
from pytest_compile_golden.errors import (
    CaptureFailed,
    EagerFailed,
    InvalidOption,
    NeedsNetwork,
    ProcessGroupExists,
)
from pytest_compile_golden.facts.costs import Communication
from pytest_compile_golden.targets import VirtualCuda, get_target
from pytest_compile_golden.targets.devices import H100_SXM
from pytest_compile_golden.targets.process_group import (
    Ranks,
    fake_process_group,
    group_name,
)
from tests.forked import Forks, RunInProject
from tests.programs import texts
from tests.two_ranks import PROGRAMS, TARGET, Normalised, exchanging, parallel, sharded

ROOT = Path(__file__).parents[1]


def reduced(x: Tensor) -> Tensor:
    return functional.all_reduce(x * 2, "sum", dist.group.WORLD) + 1


def test_fake_ranks_compile_what_two_real_processes_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, forks_with_torch: Forks
) -> None:
    monkeypatch.chdir(ROOT)
    done = forks_with_torch.run_script(
        tmp_path, ROOT / "tests" / "two_ranks.py", str(tmp_path)
    )
    assert done.ret == 0, done.stderr.str()[-3000:]
    real = [
        json.loads((tmp_path / f"{rank}.json").read_text(encoding="utf-8"))
        for rank in range(2)
    ]
    for name, (build, train) in PROGRAMS.items():
        fake = capture_ranks(build, world_size=2, target=TARGET, train=train)
        for rank in range(2):
            assert {"collectives", "post_grad_graph", "cpp_code"} <= {
                *fake[rank].stages
            }
            for stage, text in texts(fake[rank]).items():
                assert text == real[rank][name][stage], (name, rank, stage)


WITHOUT_A_TRACE = """
import os, sys, warnings
warnings.simplefilter("ignore")
import torch, torch.distributed as dist
from torch.distributed.fsdp import fully_shard
from torch.distributed import init_device_mesh
from torch.nn.parallel import DistributedDataParallel
from pytest_compile_golden import capture, fake_ranks
from pytest_compile_golden.targets import get_target
from tests.programs import layer_norm_gelu, layer_norm_inputs, texts
from tests.two_ranks import Mlp, parallel

def state():
    from torch.distributed import _symmetric_memory as symmetric
    from torch.distributed.tensor import _random
    return (
        dist.is_initialized(), dist.is_nccl_available(), sys.excepthook, dict(os.environ), torch.cuda.device_count(),
        dist.Reducer, dist.init_process_group, dist.TCPStore, init_device_mesh.__code__,
        dict(symmetric._group_name_to_store), symmetric._SymmetricMemory, _random._rng_tracker,
    )

def programs(target):
    made = {"plain": texts(capture(layer_norm_gelu, *layer_norm_inputs(), target=target))}
    with fake_ranks(2, 1, target=target):
        fn, x = parallel()
        made["parallel"] = texts(capture(fn, x, train=True))
    return made

def others(target):
    with fake_ranks(4, 2, target=target):
        mesh = init_device_mesh(torch.get_default_device().type, (2, 2), mesh_dim_names=("outer", "inner"))
        model = fully_shard(Mlp(), mesh=mesh["outer"])
        capture(model, torch.randn(8, 16), train=True)
        fn, x = parallel()
        capture(fn, x, train=True)
        capture(DistributedDataParallel(Mlp(), init_sync=False), torch.randn(8, 16))
    try:
        with fake_ranks(2, target=target):
            raise KeyError
    except KeyError:
        pass

for target in ("cuda-sm90", "cpu-avx2"):
    first = programs(target)
    before = state()
    others(target)
    assert state() == before, (before, state())
    second = programs(target)
    for name in first:
        for stage in first[name]:
            assert first[name][stage] == second[name][stage], (target, name, stage)
"""


def test_a_group_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, forks_with_torch: Forks
) -> None:
    script = tmp_path / "script.py"
    script.write_text(WITHOUT_A_TRACE)
    monkeypatch.chdir(ROOT)
    done = forks_with_torch.run_script(tmp_path, script)
    assert done.ret == 0, done.stderr.str()[-3000:]


def test_ranks_that_compile_the_same_and_one_that_does_not() -> None:
    alike = capture_ranks(
        lambda: parallel(shape=(2, 2)), world_size=4, ranks=(0, 3), target=TARGET
    )
    for rank, group in ((0, "0-1"), (3, "2-3")):
        assert {element.group for element in alike[rank]["collectives"].all} == {group}
    assert alike.differences == () and "same program" in repr(alike)

    unlike = capture_ranks(exchanging, world_size=2, target=TARGET)
    graph, *_ = unlike.differences
    assert (graph.stage, graph.ranks, graph.reference) == ("post_grad_graph", (1,), 0)
    assert (
        graph.differences
        and "post_grad_graph on rank 1 differs from rank 0" in repr(unlike)
    )


def test_ranks_captured_in_parallel_match_ranks_captured_in_turn() -> None:
    """In forks of a process that has run backward, while a virtual GPU is active."""
    with get_target("cuda-sm90").active():
        alone, together = (
            capture_ranks(
                sharded, world_size=4, ranks=(0, 1, 3), train=True, processes=processes
            )
            for processes in (1, 2)
        )
        assert "reduce_scatter" in [
            kind for part in together[3]["collectives"].eager for kind in part.kinds
        ]
    assert {rank: texts(each) for rank, each in alone.items()} == {
        rank: texts(each) for rank, each in together.items()
    }


def test_a_rank_that_fails_among_others() -> None:
    def build(*, fails: Callable[[], object]) -> tuple[Any, ...]:
        if dist.get_rank() == 1:
            fails()
        return exchanging()

    def fail() -> None:
        raise ZeroDivisionError("of rank 1")

    def captured(fails: Callable[[], object], **options: Any) -> None:
        capture_ranks(partial(build, fails=fails), world_size=2, processes=2, **options)

    with pytest.raises(ZeroDivisionError, match="of rank 1"):
        captured(fail, target=TARGET)
    with pytest.raises(CaptureFailed, match=r"ended before .* lower processes="):
        captured(lambda: os._exit(1), target=TARGET)
    with pytest.raises(InvalidOption, match="for virtual targets"):
        captured(fail, target="native-cpu")


def test_gradients_are_restored_after_a_step() -> None:
    with fake_ranks(2, target=TARGET):
        model, x = sharded()
        captured = capture(model, x, train=True)
    assert [
        kind for part in captured["collectives"].eager for kind in part.kinds
    ].count("reduce_scatter") == 2
    assert captured.metrics.collectives == 6
    assert all(parameter.grad is None for parameter in model.parameters())


class Partly(Normalised):
    """Has a layer that its output does not depend on."""

    def __init__(self) -> None:
        super().__init__()
        self.third = nn.Linear(512, 512)


@pytest.mark.parametrize(
    ("model", "setting", "reduced"),
    [(Partly, "find_unused_parameters", 5), (Normalised, "static_graph", 3)],
)
def test_the_reducer_of_a_virtual_gpu_behaves_like_torchs_own(
    model: type[nn.Module], setting: str, reduced: int
) -> None:
    def eager(target: str) -> list[Communication]:
        with fake_ranks(4, 1, target=target):
            replica = DistributedDataParallel(
                model(), bucket_cap_mb=1, **{setting: True}
            )
            return list(
                capture(replica, torch.randn(8, 512), train=True)["collectives"].eager
            )

    virtual = eager("cuda-sm90")
    assert [kind for section in virtual for kind in section.kinds].count(
        "all_reduce"
    ) == reduced
    assert virtual == eager(TARGET)


def test_a_step_that_fails_after_it_was_compiled() -> None:
    with fake_ranks(2, target="cuda-sm90"):
        model = DistributedDataParallel(Partly(), init_sync=False, static_graph=True)
        captured = capture(model, torch.randn(8, 512), train=True)
    assert (
        "the step failed after it was compiled (RuntimeError: the buckets of a static graph"
        in captured.unavailable["collectives"]
    )
    assert {"forward_graph", "backward_graph", "triton_code"} <= {*captured.stages}


def test_what_a_collective_costs() -> None:
    def f(x: Tensor) -> Tensor:
        return functional.all_gather_tensor(x, 0, dist.group.WORLD) + 1

    captured = capture(f, torch.randn(8, 4), target=TARGET, world_size=4, rank=3)
    (gathered,) = captured["collectives"].all
    assert (gathered.group, gathered.dtype, gathered.nbytes, gathered.sent) == (
        "0-3",
        "f32",
        4 * 128,
        3 * 128,
    )
    assert (captured.metrics.collectives, captured.metrics.bytes_sent) == (1, 3 * 128)
    plain = capture(torch.sin, torch.randn(4), target=TARGET)
    assert "collectives" not in plain and "bytes_sent" not in plain.metrics.values


@pytest.mark.parametrize(
    ("ranks", "name"),
    [
        ([5], "5"),
        ([0, 1], "0-1"),
        ([0, 2], "0,2"),
        ([*range(8)], "0-7"),
        ([1, 3, 5], "1-5:2"),
        ([0, 1, 5], "0,1,5"),
    ],
)
def test_groups_are_named_after_their_ranks(ranks: list[int], name: str) -> None:
    assert group_name(ranks) == name


def test_gpus_per_node_come_from_the_target() -> None:
    pairs = VirtualCuda("cuda-pairs", H100_SXM, gpus_per_node=2)
    for target, gpus in ((pairs, 2), (get_target("cuda-sm90"), 8)):
        with target.active():
            assert torch.cuda.device_count() == 1
            with fake_process_group(Ranks(4), target):
                assert torch.cuda.device_count() == gpus


def test_the_clock_rate_comes_from_the_target() -> None:
    """Passes that estimate how long a product takes ask for it, since torch 2.15 by device index."""
    import torch._utils_internal as internal

    with fake_ranks(2, target="cuda-sm90"):
        assert (
            internal.max_clock_rate()
            == internal.max_clock_rate(0)
            == H100_SXM.clock_rate // 1000
        )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"world_size": 0}, "world_size takes the number of ranks, 1 or more, not 0"),
        (
            {"world_size": 2, "rank": 2},
            "rank takes 0 to 1, for a world_size of 2, not 2",
        ),
        (
            {"world_size": 2, "rank": -1},
            "rank takes 0 to 1, for a world_size of 2, not -1",
        ),
        ({"rank": 1}, "rank=1 needs world_size="),
    ],
)
def test_ranks_that_do_not_exist(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidOption, match=message):
        capture(torch.sin, torch.randn(3), target=TARGET, **options)


def test_a_group_that_already_exists(tmp_path: Path) -> None:
    dist.init_process_group(
        "gloo", init_method=f"file://{tmp_path / 'meeting'}", rank=0, world_size=1
    )
    try:
        assert capture(reduced, torch.randn(4), target=TARGET)["collectives"].kinds == [
            "all_reduce"
        ]
        with pytest.raises(
            ProcessGroupExists,
            match=r"already has a process group \(gloo, 1 ranks\).*destroy_process",
        ):
            capture(reduced, torch.randn(4), target=TARGET, world_size=2)
    finally:
        dist.destroy_process_group()
    with fake_ranks(2, target=TARGET):
        capture(reduced, torch.randn(4), world_size=2, rank=0)
        with pytest.raises(
            ProcessGroupExists,
            match="is rank 0 of a fake process group of 2, and cannot be rank 1 of 2",
        ):
            capture(reduced, torch.randn(4), world_size=2, rank=1)


@pytest.mark.parametrize(
    "ask",
    [
        lambda: dist.init_process_group("gloo", rank=0, world_size=2),
        lambda: dist.new_group(backend="gloo"),
        lambda: dist.TCPStore("localhost", 0, 2, is_master=True),
    ],
)
def test_a_program_that_asks_for_the_network(ask: Callable[[], object]) -> None:
    with (
        fake_ranks(2, target=TARGET),
        pytest.raises(NeedsNetwork, match=r"looks for other processes.*torchrun"),
    ):
        ask()


def test_results_of_fake_ranks_are_not_compared() -> None:
    with (
        fake_ranks(2, target="native-cpu"),
        pytest.raises(EagerFailed, match="no rank sends any"),
    ):
        numerics(reduced, torch.randn(4))


def passed_on(x: Tensor) -> Tensor:
    dist.send(x * 2, 1)
    received = torch.empty_like(x)
    dist.recv(received, 1)
    return received + 1


def test_messages_from_one_rank_to_another() -> None:
    captured = capture(
        passed_on, torch.randn(4), world_size=2, rank=0, target="cuda-sm90"
    )
    exchanged = [
        (collective.kind, collective.nbytes, collective.sent)
        for section in captured["collectives"].eager
        for collective in section.collectives
    ]
    assert exchanged == [("send", 16, 16), ("recv", 16, 0)]
    # torch's own functions break the graph: the line that a user can change is the one that calls them.
    assert "passed_on: dist.send(x * 2, 1)" in captured["graph_breaks"].text


def test_a_tensor_that_is_resharded_along_another_dimension() -> None:
    with fake_ranks(4, target="cuda-sm90"):
        mesh = init_device_mesh("cuda", (4,))
        x = distribute_tensor(torch.randn(8, 8), mesh, [Shard(0)])
        captured = capture(
            lambda x: x.redistribute(mesh, [Shard(1)]).to_local().sin() + 1, x
        )
    (exchanged,) = captured["collectives"].all
    assert (exchanged.kind, exchanged.nbytes, exchanged.sent) == (
        "shard_dim_alltoall",
        64,
        48,
    )
    # Nothing waits for it: it is done when the call returns.
    assert exchanged.overlaps == ()


def test_a_hook_that_needs_a_recent_nccl() -> None:
    with fake_ranks(2, target="cuda-sm90"):
        model = DistributedDataParallel(Normalised())
        model.register_comm_hook(None, bf16_compress_hook)
        assert torch.cuda.nccl.version() >= (2, 10)


SUITE = """
import pytest
import torch
import torch.distributed as dist
from torch.distributed import _functional_collectives as functional
from torch.distributed.algorithms.ddp_comm_hooks.default_hooks import bf16_compress_hook
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import Shard, distribute_tensor


def f(x):
    return functional.all_reduce(x, "sum", dist.group.WORLD) + 1


@pytest.mark.compile_golden(target="cpu-avx2", world_size=4, rank=3)
def test_inside(collectives, golden):
    assert (dist.get_rank(), dist.get_world_size()) == (3, 4)
    assert collectives(f, torch.randn(4)) == golden


@pytest.mark.compile_golden(target="cpu-avx2")
def test_by_option(collectives):
    assert not dist.is_initialized()
    assert collectives(f, torch.randn(4), world_size=2).kinds == ["all_reduce"]


@pytest.mark.compile_golden(target="cpu-avx2", rank=3)
def test_rank_alone(collectives): ...
"""


def test_ranks_of_a_case(project: pytest.Pytester, compiling: RunInProject) -> None:
    project.makepyfile(test_ranks=SUITE)
    result = compiling("--snapshot-update")
    result.assert_outcomes(passed=2, errors=1)
    result.stdout.fnmatch_lines(
        ["*the compile_golden marker has rank= but no world_size=*"]
    )
    golden = (
        project.path
        / "goldens"
        / "test_ranks"
        / "test_inside"
        / "cpu-avx2"
        / "collectives.txt"
    )
    assert "all_reduce sum of f32 over 0-3: bytes 16, sent 24" in golden.read_text()


NO_RANKS = """
import pytest
import torch
import torch.distributed as dist
from torch.distributed import init_device_mesh

pytestmark = pytest.mark.compile_golden(target="cpu-avx2")


def f(x):
    dist.all_reduce(x)
    return x


def test_compiled(collectives):
    collectives(f, torch.randn(4))


def test_body(collectives):
    init_device_mesh("cpu", (8,))
"""


def test_a_program_for_many_ranks_without_a_world_size(
    project: pytest.Pytester, compiling: RunInProject
) -> None:
    project.makepyfile(test_ranks=NO_RANKS)
    result = compiling()
    result.assert_outcomes(failed=2)
    for line in ("dist.all_reduce(x)", 'init_device_mesh("cpu", (8,))'):
        result.stdout.fnmatch_lines(
            [
                "*needs a process group, but there is none: *",
                f"*at test_ranks.py:*{line}",
                "*@pytest.mark.compile_golden(world_size=8, rank=0)*",
            ]
        )
