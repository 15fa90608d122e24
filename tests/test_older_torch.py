"""A torch that is as older ones were: what it lacks is done without, or named, and the rest of a case is captured."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.forked import Forks

_BEGIN = """
import sys
import torch, torch._inductor.compile_fx, torch._inductor.scheduler
from pytest_compile_golden import capture

def in_all(name, old, new):
    for module in list(sys.modules.values()):
        if getattr(module, "__name__", "").startswith("torch") and vars(module).get(name) is old:
            setattr(module, name, new)

def product(x, w):
    return torch.relu(x @ w) * 2

def captured(target):
    return capture(product, torch.ones(64, 32), torch.ones(32, 16), target=target, train=True)
"""

# Each makes the installed torch behave as 2.10 does.
OLDER = {
    "inputs of other modes are refused": """
from torch._functorch._aot_autograd import frontend_utils
from torch._subclasses.fake_tensor import FakeTensor

of_211 = frontend_utils.process_inputs

def process_inputs(flat_args, aot_config, fake_mode, *args, **kwargs):
    assert all(value.fake_mode is fake_mode for value in flat_args if isinstance(value, FakeTensor))
    return of_211(flat_args, aot_config, fake_mode, *args, **kwargs)

in_all("process_inputs", of_211, process_inputs)
assert captured("cuda-sm90")["triton_code"]
""",
    "the inputs' mode is as good as the tracer's": """
from torch import _guards
from torch._subclasses.fake_tensor import FakeTensor
from torch.utils._pytree import tree_leaves

of_211 = _guards.detect_fake_mode

def detect_fake_mode(inputs=None):
    mode = of_211(inputs)
    assert mode is None or all(leaf.fake_mode is mode for leaf in tree_leaves(inputs) if isinstance(leaf, FakeTensor))
    return mode

in_all("detect_fake_mode", of_211, detect_fake_mode)
assert captured("cuda-sm90")["triton_code"]
""",
    "the scheduler has fewer steps": """
from torch._inductor.scheduler import Scheduler

code = Scheduler._init.__code__
Scheduler._init.__code__ = code.replace(
    co_names=tuple("compute_ancestors" if name == "merge_loops" else name for name in code.co_names)
)
del Scheduler.merge_loops
both = captured("cpu-avx2")
assert both["passes"].ran("fuse_nodes") and "merge_loops" not in str(both["passes"])
""",
    "the scheduler calls a step by another name": """
from torch._inductor.scheduler import Scheduler

code = Scheduler._init.__code__
Scheduler._init.__code__ = code.replace(
    co_names=tuple("merge_loops_and_more" if name == "merge_loops" else name for name in code.co_names)
)
Scheduler.merge_loops_and_more = Scheduler.merge_loops
del Scheduler.merge_loops
assert "Scheduler.merge_loops is gone" in captured("cpu-avx2").unavailable_because("passes")
""",
    "a function is told of graph breaks, and where they are": """
from tests.renamed import rename
from torch._dynamo import symbolic_convert

def log_graph_break(code_options, reason="", exc_info=False, user_stack=None):
    pass

def told(self, code_options, reason="", exc=None, **kwargs):
    symbolic_convert.log_graph_break(code_options, reason=reason, user_stack=exc.real_stack)

rename("log_graph_break", "told")
symbolic_convert.log_graph_break = log_graph_break
symbolic_convert.InstructionTranslatorBase.told = told

def broken(x):
    y = x + 1
    torch._dynamo.graph_break()
    return y * 2

breaks = capture(broken, torch.ones(4), target="cpu-avx2", fullgraph=False)["graph_breaks"]
assert any("graph_break()" in line for line, _ in breaks.locations), breaks
""",
    "max-autotune is no method of its own": """
from tests.renamed import rename

rename("do_autotuning", "autotuned")
made = capture(product, torch.ones(64, 32), torch.ones(32, 16), target="cuda-sm90", policy="triton",
               config={"max_autotune": True})
assert "triton_tem" in str(made["triton_code"]), made["triton_code"]
""",
    "the buckets of gradients have no list of limits": """
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from pytest_compile_golden import capture_ranks
from pytest_compile_golden.targets import distributed_api

of_211 = distributed_api._Reducer.__init__
distributed_api._Reducer.__init__ = lambda self, *args: of_211(self, *args[:11])

class Layer(nn.Linear):
    def forward(self, x):
        return torch.relu(super().forward(x))

def replica():
    return DistributedDataParallel(Layer(4, 4), init_sync=False), torch.randn(2, 4)

made = capture_ranks(replica, world_size=2, ranks=[0], target="cuda-sm90", train=True)[0]
assert made["collectives"].eager
""",
    "what is saved is unknown where torch does not note why": """
from types import CodeType
from torch._functorch import partitioners
from pytest_compile_golden.errors import StageUnavailable
from pytest_compile_golden.torch_internals import private_name

def without_reason(value):
    if isinstance(value, CodeType):
        return value.replace(co_consts=without_reason(value.co_consts))
    if isinstance(value, tuple):
        return tuple(map(without_reason, value))
    return "why" if value == "reason" else value

private_name._has_or_sets.cache_clear()  # the process is warm
partitioners.solve_min_cut.__code__ = without_reason(partitioners.solve_min_cut.__code__)
compiled = captured("cpu-avx2")
assert compiled["joint_graph"]
try:
    raise AssertionError(compiled["memory"])
except StageUnavailable as error:
    assert "torch._functorch.partitioners.solve_min_cut.reason is gone" in str(error)
""",
}


@pytest.mark.parametrize("older", OLDER.values(), ids=OLDER)
def test_what_older_versions_do(
    forks_with_torch: Forks, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, older: str
) -> None:
    path = tmp_path / "older.py"
    path.write_text(_BEGIN + older)
    monkeypatch.chdir(tmp_path)
    done = forks_with_torch.run_script(tmp_path, path)
    assert done.ret == 0, done.stderr.str()
