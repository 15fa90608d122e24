"""The keys of torch's caches of compiled graphs."""

from pytest_compile_golden.torch_names.name import Name

_STAGES = ("cache_key",)
_AOT = "torch._functorch._aot_autograd.autograd_cache:"
_FX = "torch._inductor.codecache:"

PREPARED = Name(
    "torch._functorch.aot_autograd:prepare_aot_module_simplified",
    "where AOTAutograd looks in its cache",
    _STAGES,
    takes="mod",
)
AOT_KEY = Name(_AOT + "autograd_cache_key", "the key", _STAGES, takes="_, example_inputs, config")
CHECK_NODE = Name(_AOT + "check_node_safe", "rejects a node", _STAGES, takes="node")
AOT_BYPASS = Name(_AOT + "BypassAOTAutogradCache", "why there is no key", _STAGES)
FX_BYPASS = Name(_FX + "BypassFxGraphCache", "why there is no key", _STAGES)
FX_KEY = Name(_FX + "compiled_fx_graph_hash", "the key", _STAGES, takes="gm, example_inputs, fx_kwargs")
CHECK_GRAPH = Name(_FX + "FxGraphCache._check_can_cache", "rejects a graph", _STAGES, takes="gm")
DETAILS = Name(_FX + "FxGraphHashDetails", "the parts of the key", _STAGES)
DUMPS = Name(_FX + "FxGraphCachePickler.dumps", "the parts as bytes", _STAGES, takes="self, obj")
DEBUG_LINES = Name(_FX + "FxGraphCachePickler.debug_lines", "torch's own log of the parts", _STAGES)
PICKLEABLE = Name(_FX + "FxGraphCachePickler._pickleable_type_cache", "keeps classes alive", since="2.13")
TORCH_KEY = Name(_FX + "torch_key", "a digest of torch's own files", _STAGES)
SYSTEM = Name(_FX + "CacheBase.get_system", "a description of the machine", _STAGES)
COMMS_CONFIG = Name(_FX + "config_comms", "settings of collectives", _STAGES, since="2.13")
