"""Tensors without values, the operators that are called on them, and the modes that see the calls."""

from pytest_compile_golden.torch_internals.private_name import Attribute, Name

_VIRTUAL = "virtual GPUs"
_FAKE = "torch._subclasses.fake_tensor:"
_DISPATCH = "torch.utils._python_dispatch:"

FAKE_TENSOR = Name(_FAKE + "FakeTensor", "a tensor without values", feature=_VIRTUAL)
FAKE_MODE = Name(
    _FAKE + "FakeTensorMode", "makes tensors without values", feature=_VIRTUAL
)
SKIPS_DYNAMO = Name(
    _FAKE + "FakeTensorMode._should_skip_dynamo",
    "a mode that Dynamo leaves alone",
    since="2.11",
)
UNSET_FAKE = Name(
    _FAKE + "unset_fake_temporarily",
    "makes tensors with values among the others",
    feature=_VIRTUAL,
)
DATA_DEPENDENT = Name(
    _FAKE + "DataDependentOutputException",
    "an operator that needs a value",
    feature=_VIRTUAL,
)
DYNAMIC_SHAPE = Name(
    _FAKE + "DynamicOutputShapeException", "a size that needs a value", feature=_VIRTUAL
)

OPERATOR = Name(
    "torch._ops:OpOverload", "an operator in a graph", feature="any capture"
)
PACKET_OF = Attribute(
    "torch._ops:OpOverload.overloadpacket",
    "which operator an overload is of",
    facts=("flops",),
)
PACKET = Name(
    "torch._ops:OpOverloadPacket",
    "an operator in a graph, with all its overloads",
    feature="any capture",
)
HIGHER_ORDER = Name(
    "torch._ops:HigherOrderOperator",
    "an operator that calls functions",
    feature="any capture",
)
HIGHER_ORDER_TABLE = Name(
    "torch._ops:_higher_order_ops",
    "all operators that call functions",
    feature=_VIRTUAL,
)

PYTREE = Name("torch.utils._pytree", "nested inputs and outputs", feature="any capture")
DISPATCH_MODE = Name(
    _DISPATCH + "TorchDispatchMode",
    "sees each operator",
    ("collectives",),
    feature=_VIRTUAL,
)
IS_INFRA_MODE = Name(
    _DISPATCH + "TorchDispatchMode.is_infra_mode",
    "Dynamo compiles under such a mode",
    ("collectives",),
)
DISABLE_MODES = Name(
    _DISPATCH + "_disable_current_modes",
    "computes as if no mode were on",
    feature=_VIRTUAL,
)
WRAPS_TENSORS = Name(
    _DISPATCH + "is_traceable_wrapper_subclass",
    "a tensor made of others",
    feature=_VIRTUAL,
)
PROXY_MODE = Name(
    "torch.fx.experimental.proxy_tensor:get_proxy_mode",
    "whether a graph is being made",
    feature="numerics",
)
NO_DISPATCH = Name(
    "torch.utils._mode_utils:no_dispatch",
    "computes as if no mode were on",
    feature=_VIRTUAL,
)
ORDERED_SET = Name(
    "torch.utils._ordered_set:OrderedSet",
    "what the memory estimates take",
    ("cost", "memory"),
)

_UNREAD = "large graphs on CPUs, whose results nothing reads, without computing them"
FORWARD_METADATA = Attribute(
    "torch._guards:TracingContext.fw_metadata",
    "what a graph does to its inputs",
    feature=_UNREAD,
)
WRITTEN_INPUTS = Attribute(
    "torch._functorch._aot_autograd.schemas:ViewAndMutationMeta.mutated_inp_runtime_indices",
    "the inputs that are written after a graph",
    feature=_UNREAD,
)
