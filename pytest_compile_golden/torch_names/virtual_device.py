"""What a virtual device replaces in torch, or has torch make before it does."""

from pytest_compile_golden.torch_names.name import Name

COMPILE_FX = Name("torch._inductor.compile_fx", "looks for a GPU when it is first imported", feature="any capture")
CUDAGRAPH_TREES = Name(
    "torch._inductor.cudagraph_trees", "looks for a GPU when it is first imported", feature="any capture"
)
TORCH_FUNCTIONS = Name(
    "torch._dynamo.trace_rules:get_torch_obj_rule_map", "the functions Dynamo knows", feature="any capture"
)
TENSOR_METHODS = Name("torch._dynamo.trace_rules:get_tensor_method", "the methods Dynamo knows", feature="any capture")
GET_HANDLERS = Name(
    "torch._dynamo.variables.torch:TorchInGraphFunctionVariable._get_handlers", "the functions Dynamo evaluates"
)
_OPTIMIZERS = "optimizers, and sizes of fake tensors that are marked as unbacked"
OPTIMIZER_CALL = Name(
    "torch._dynamo.variables.optimizer:OptimizerVariable.call_method",
    "makes an optimizer's state",
    feature=_OPTIMIZERS,
    takes="self, tx, name",
)
TRANSFER_SYMBOLS = Name(
    "torch.fx.experimental.symbolic_shapes:ShapeEnv.transfer_symbols_from_foreign_shape_env",
    "the sizes of fake tensors",
    feature=_OPTIMIZERS,
    since="2.13",
)
CREATE_SYMBOLS = Name(
    "torch.fx.experimental.symbolic_shapes:ShapeEnv._create_symbolic_sizes_strides_storage_offset",
    "the sizes of real tensors",
    feature=_OPTIMIZERS,
    takes="self, ex_size, ex_stride, ex_storage_offset, is_dim_dynamic, source, *, symbolic_context",
)
_INPUTS = "fake tensors as the inputs of a graph"
TRACING = Name("torch._guards:tracing", "traces a graph", feature=_INPUTS)
DETECT_FAKE_MODE = Name(
    "torch._guards:detect_fake_mode", "the mode a graph is traced in", feature=_INPUTS, takes="inputs"
)
PROCESS_INPUTS = Name(
    "torch._functorch._aot_autograd.frontend_utils:process_inputs",
    "makes a graph's inputs fake",
    feature=_INPUTS,
    takes="flat_args, aot_config, fake_mode",
)
SHOULD_PAD = Name(
    "torch._inductor.fx_passes.pad_mm:_should_pad",
    "whether to pad a product, by timing it",
    feature="padding of matrix products",
    takes="match, mat1, mat2, op, input",
    others=("torch._inductor.fx_passes.pad_mm:_should_pad_bench",),
)
PRE_GRAD_LAZY_INIT = Name("torch._inductor.fx_passes.pre_grad:lazy_init", "traces patterns before a capture")
JOINT_LAZY_INIT = Name(
    "torch._inductor.fx_passes.joint_graph:lazy_init", "traces patterns before a capture", takes="input_device"
)
POST_GRAD_LAZY_INIT = Name("torch._inductor.fx_passes.post_grad:lazy_init", "traces patterns before a capture")
