"""Settings of torch that a target, a capture or a stage sets: keys of its config modules."""

from pytest_compile_golden.torch_internals.private_name import Setting

_INDUCTOR = "torch._inductor.config:"
_FUNCTORCH = "torch._functorch.config:"
_DYNAMO = "torch._dynamo.config:"


def _off(key: str, why: str = "a cache, off in a capture") -> Setting:
    return Setting(key, why, feature="compiles that no cache answers")


def _by_policy(key: str, *others: str, since: str = "", until: str = "") -> Setting:
    use = "compiles and times kernels while fusing or lowering"
    spelled = tuple(_INDUCTOR + other for other in others)
    return Setting(
        _INDUCTOR + key,
        use,
        feature="max-autotune by policy",
        others=spelled,
        since=since,
        until=until,
    )


# Both of Inductor's caches have to be off: with only one of them off, passes or code generation are still skipped
# (torch/_functorch/_aot_autograd/autograd_cache.py).
GRAPH_CACHE = _off(_INDUCTOR + "fx_graph_cache")
AUTOGRAD_CACHE = _off(_FUNCTORCH + "enable_autograd_cache")
# Compile the backward graph together with the forward one, so that a training case needs no loss.
COMPILE_BACKWARD = Setting(
    _FUNCTORCH + "force_non_lazy_backward_lowering",
    "compiles backward",
    feature="training",
    since="2.10",
)
EMULATE_CASTS = Setting(
    _INDUCTOR + "emulate_precision_casts",
    "compiles without leaving roundings out",
    feature="numerics",
)
CPP_WRAPPER = Setting(
    _INDUCTOR + "cpp_wrapper", "writes the calls of kernels in C++", feature="numerics"
)
FALLBACK_RANDOM = Setting(
    _INDUCTOR + "fallback_random",
    "draws random numbers from torch's generator, or as kernels do",
    feature="numerics",
)
WITHOUT_CACHES = {
    GRAPH_CACHE: False,
    _off(_INDUCTOR + "fx_graph_remote_cache"): False,
    AUTOGRAD_CACHE: False,
    _off(_FUNCTORCH + "enable_remote_autograd_cache"): False,
    _off(_DYNAMO + "automatic_dynamic_local_pgo"): False,
    _off(_DYNAMO + "automatic_dynamic_remote_pgo"): False,
}
"""A compile must be a real one: an answer from a cache shows nothing."""
CAPTURE = {**WITHOUT_CACHES, COMPILE_BACKWARD: True}
"""Of every capture."""

AUTOTUNE_AT_COMPILE_TIME = Setting(
    _INDUCTOR + "triton.autotune_at_compile_time",
    "whether kernels are compiled before the calls are written",
    ("aot_wrapper",),
    feature="max-autotune by policy",
)
TIMED = {
    _by_policy("benchmark_kernel"): False,
    _by_policy("benchmark_fusion"): False,
    _by_policy("benchmark_template_fusion", "benchmark_epilogue_fusion"): False,
    _by_policy("benchmark_combo_kernel"): False,
    _by_policy("benchmark_harness"): True,
    _by_policy("profile_bandwidth"): False,
    _by_policy("autotune_in_subproc"): False,
    _by_policy("pipeline_max_autotune_gemm", since="2.11"): False,
    _by_policy(
        "max_autotune_prune_choices_based_on_shared_mem"
    ): False,  # would compile the candidates
    _by_policy("autotune_local_cache"): False,
    _by_policy("autotune_remote_cache"): False,
    _by_policy("bundled_autotune_remote_cache"): False,
    _by_policy("autoheuristic_collect", until="2.11"): "",
    AUTOTUNE_AT_COMPILE_TIME: False,
    _by_policy("triton.multi_kernel"): 0,
    _by_policy("coordinate_descent_tuning"): False,
    _by_policy("autotune_lookup_table"): {},
}
"""What torch would decide by timing."""

_CPP = "the text of C++ kernels"
COMPILE_THREADS = Setting(
    _INDUCTOR + "compile_threads", "compiles in this process", feature="any capture"
)
CPP_THREADS = Setting(_INDUCTOR + "cpp.threads", "threads of kernels", feature=_CPP)
CPP_DYNAMIC_THREADS = Setting(
    _INDUCTOR + "cpp.dynamic_threads", "threads of kernels", feature=_CPP
)
CPP_SIMDLEN = Setting(_INDUCTOR + "cpp.simdlen", "the instruction set", feature=_CPP)
CPP_ISA_OK = Setting(_INDUCTOR + "cpp.vec_isa_ok", "the instruction set", feature=_CPP)

STATIC_LAUNCHER = Setting(
    _INDUCTOR + "use_static_cuda_launcher",
    "launches without Triton",
    feature="kernels that Triton launches",
    others=(_INDUCTOR + "use_static_triton_launcher",),
)
KEEP_CONSTANTS = Setting(
    _INDUCTOR + "always_keep_tensor_constants",
    "constants whose values are unknown",
    ("aot_wrapper",),
    on="cuda",
)

CPP_CXX = Setting(
    _INDUCTOR + "cpp.cxx",
    "the C++ compiler that the user wants",
    ("assembly",),
    on="cpu",
)
_FLAG = ("a flag of the C++ compiler", ("assembly",))
FLAGS = (
    CPP_CXX,
    Setting(_INDUCTOR + "cpp.enable_floating_point_contract_flag", *_FLAG, on="cpu"),
    Setting(_INDUCTOR + "cpp.enable_unsafe_math_opt_flag", *_FLAG, on="cpu"),
    Setting(_INDUCTOR + "cpp.march", *_FLAG, on="cpu", since="2.13"),
    Setting(
        _INDUCTOR + "aot_inductor.enable_frame_pointer", *_FLAG, on="cpu", since="2.12"
    ),
)
"""What the user may set of how C++ kernels are compiled."""
