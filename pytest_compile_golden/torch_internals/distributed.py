"""Process groups that no process is in: what torch.distributed asks of devices and other ranks, and remembers."""

from pytest_compile_golden.torch_internals.private_name import Name

_RANKS = "programs of many ranks"
_C10D = "torch.distributed.distributed_c10d:"
_SYMMETRIC = "torch.distributed._symmetric_memory:"
_PARALLEL = "torch.nn.parallel.distributed:"
_LEFT = "what is remembered of groups that are gone"

FAKE_GROUP = Name(
    "torch.testing._internal.distributed.fake_pg",
    "a group without processes",
    feature=_RANKS,
)
GROUP_NAME = Name(_C10D + "_process_group_name", "the names of groups", feature=_RANKS)
NEW_GROUP = Name(_C10D + "_new_process_group_helper", "makes groups", feature=_RANKS)
RESOLVE_GROUP = Name(
    _C10D + "_resolve_process_group", "the ranks of a group", ("collectives",)
)
AGREEMENTS = (
    Name(
        _PARALLEL + "_verify_param_shape_across_processes",
        "asks the other ranks",
        feature="DistributedDataParallel",
    ),
    Name(
        _PARALLEL + "_sync_module_states",
        "asks the other ranks",
        feature="DistributedDataParallel",
    ),
)
HAS_NVLINK = Name(
    "torch._inductor.comm_analysis:_has_nvlink",
    "the links between GPUs",
    since="2.13",
    feature=_RANKS,
)
MAX_CLOCK_RATE = Name(
    "torch._utils_internal:max_clock_rate", "how fast a GPU is", feature=_RANKS
)
SYMMETRIC_MEMORY = Name(
    _SYMMETRIC + "_SymmetricMemory", "memory that ranks share", feature=_RANKS
)
FUSED_BY_COLLECTIVES = {
    operator: Name(
        f"{_SYMMETRIC}_{operator}_fallback",
        "a matrix product fused with a collective, one after the other",
        feature="matrix products fused with collectives",
    )
    for operator in (
        "fused_all_gather_matmul",
        "fused_all_gather_scaled_matmul",
        "fused_matmul_reduce_scatter",
        "fused_scaled_matmul_reduce_scatter",
    )
}
"""By the name of the operator of `symm_mem`. On a card they exchange by memory that the ranks share."""
_TENSOR = "torch.distributed.tensor."
_CACHED = "what DTensor remembers of meshes that are gone"
# Its caches, and functions that clear some of them; the module for debugging needs NumPy.
SHARDINGS = (
    Name(_TENSOR + "debug:_clear_sharding_prop_cache", _CACHED),
    Name(_TENSOR + "_collective_utils:MeshTopoInfo.build_from_mesh", _CACHED),
    Name(_TENSOR + "_redistribute:_gen_transform_infos", _CACHED),
    Name(_TENSOR + "_redistribute:clear_redistribute_planner_cache", _CACHED),
    Name(
        _TENSOR + "_sharding_prop:ShardingPropagator._propagate_tensor_meta_cached",
        _CACHED,
    ),
)
REMEMBERED = (
    Name("torch.distributed.tensor._random:_rng_tracker", _LEFT),
    Name(_SYMMETRIC + "_group_name_to_store", _LEFT),
    Name(_SYMMETRIC + "_group_name_to_workspace_tensor", _LEFT),
    Name(_SYMMETRIC + "_is_test_mode", _LEFT),
    Name(_SYMMETRIC + "_mocked_group_names", _LEFT),
)
