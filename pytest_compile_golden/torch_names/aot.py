"""AOTAutograd, its partitioner, and the caches of compiled graphs."""

from pytest_compile_golden.torch_names.name import Name

_GRAPH_COMPILE = "torch._functorch._aot_autograd.graph_compile:"
_TRACED = ("the graph as AOTAutograd traced it", ("aot_graph",))
DISPATCHERS = (
    Name(_GRAPH_COMPILE + "aot_dispatch_base_graph", *_TRACED),
    Name(_GRAPH_COMPILE + "aot_dispatch_autograd_graph", *_TRACED),
)
CONFIG = Name("torch._functorch.config", "AOTAutograd's settings", ("cache_key",), feature="any capture")
AOT_COUNTER = Name(
    "torch._functorch.aot_autograd:AOT_COUNTER",
    "the numbers of graphs, by which compiled autograd names nodes",
    feature="the same numbers in compiled autograd's graphs, whatever was compiled before",
)
