"""Mutations of choices: launches, templates, what fuses and in which order; and of what guards check."""

from __future__ import annotations

import re

from benchmarks.sensitivity.code import LAUNCH, TRITON
from benchmarks.sensitivity.frontend import DYNAMO
from benchmarks.sensitivity.inductor import LOWERED, SCHEDULED
from benchmarks.sensitivity.mutation import Mutation
from benchmarks.sensitivity.rewrite import edit, prepend, setting, skip

_HEURISTICS = "torch._inductor.runtime.triton_heuristics:"
_CHOICES = "torch._inductor.choices:InductorChoices."
_GUARDS = "torch._dynamo.guards:GuardBuilder."

_LAUNCHES = [
    Mutation(
        "twice the stages of reductions",
        "launch heuristic",
        prepend(_HEURISTICS + "triton_config_reduction", "num_stages = 2"),
        LAUNCH,
        near="test_long_rows|test_softmax",
    ),
    Mutation(
        "more warps for inner reductions",
        "launch heuristic",
        edit(
            _HEURISTICS + "triton_config_reduction",
            ("num_warps = r // 128", "num_warps = r // 32"),
        ),
        LAUNCH,
        near="test_rows_of_512|test_softmax|layer_norm",
    ),
    Mutation(
        "fewer warps for large reductions",
        "launch heuristic",
        edit(_HEURISTICS + "triton_config_reduction", ("16 if r <= 8192 else 32", "4")),
        LAUNCH,
        near="test_long_rows|test_sum_over",
    ),
    Mutation(
        "warps of foreach kernels",
        "launch heuristic",
        edit(_HEURISTICS + "foreach", ("num_warps=8", "num_warps=4")),
        LAUNCH,
        near="foreach|combo",
    ),
    Mutation(
        "smaller persistent blocks",
        "launch heuristic",
        edit(
            _HEURISTICS + "_persistent_reduction_configs",
            ("MAX_PERSISTENT_BLOCK_NUMEL = 4096", "MAX_PERSISTENT_BLOCK_NUMEL = 512"),
        ),
        LAUNCH,
        near="test_softmax|_norm",
    ),
    Mutation(
        "no more than two warps for pointwise",
        "launch heuristic",
        edit(
            _HEURISTICS + "triton_config",
            ("num_warps = _num_warps(", "num_warps = 2 if True else _num_warps("),
        ),
        LAUNCH,
        near="test_chain",
    ),
]

_KERNELS = [
    Mutation(
        "persistent reductions for all by a handler",
        "choices handler",
        skip(
            _CHOICES + "triton_kernel_kwargs",
            "{**kernel_kwargs, 'override_persistent_reduction': False}",
        ),
        TRITON,
        near="test_softmax",
    ),
    Mutation(
        "reductions on several blocks",
        "choices handler",
        setting("inductor.triton.cooperative_reductions", True),
        TRITON + "|" + LOWERED + "|" + SCHEDULED,
        near="test_few_long_sums|test_sum_that_fills|test_split",
    ),
    Mutation(
        "one configuration of each template",
        "choices handler",
        edit(
            _CHOICES + "_finalize_template_configs",
            ("return choices", "return choices[:1]"),
        ),
        rf"{SCHEDULED}|{LOWERED}|{TRITON}|template",
        near="max_autotune|template|choice_of_a_product",
    ),
    Mutation(
        "no Triton templates",
        "template choice",
        skip("torch._inductor.utils:use_triton_template", "False"),
        rf"{SCHEDULED}|{LOWERED}|{TRITON}|template",
        near="template|max_autotune",
    ),
    Mutation(
        "products are never split along k",
        "template choice",
        skip("torch._inductor.utils:use_decompose_k_choice", "False"),
        # The case for it compares only the wrapper.
        rf"{SCHEDULED}|{LOWERED}|{TRITON}|template|^wrapper_code\b",
        near="test_decompose_k",
    ),
    Mutation(
        "templates alone are tried",
        "template choice",
        skip("torch._inductor.utils:use_aten_gemm_kernels", "False"),
        rf"{SCHEDULED}|{LOWERED}|{TRITON}|template",
        near="max_autotune|template|choice_of_a_product",
    ),
]

_FUSION = [
    Mutation(
        "little that is shared is nothing",
        "fusion choice",
        edit(
            _CHOICES + "can_fuse",
            ("shared_data_score == 0 and", "shared_data_score < 65536 and"),
        ),
        SCHEDULED,
        near="test_layer_norm_gelu|test_chain",
    ),
    Mutation(
        "fusion of neighbours has to be worth more",
        "fusion choice",
        setting("inductor.score_fusion_memory_threshold", 1 << 30),
        SCHEDULED,
        near="test_sum_and_max|test_two",
    ),
    Mutation(
        "other kinds of operations first",
        "fusion score",
        edit(
            _CHOICES + "score_fusion",
            ("node_type_score = int(", "node_type_score = -int("),
        ),
        SCHEDULED,
        near="training|test_models|many_readers",
    ),
    Mutation(
        "what overlaps most comes last",
        "fusion score",
        edit(
            _CHOICES + "score_fusion",
            ("            memory_score,\n", "            -memory_score,\n"),
        ),
        SCHEDULED,
        near="training|test_models|many_readers",
    ),
    Mutation(
        "templates take their neighbours last",
        "fusion score",
        edit(
            _CHOICES + "score_fusion",
            ("template_score = 1 + (", "template_score = -1 - ("),
        ),
        SCHEDULED,
        near="prologue|template|max_autotune",
    ),
]


def _unguarded(kind: str, near: str) -> Mutation:
    return Mutation(
        f"{kind} guards nothing",
        "guard builder",
        skip(_GUARDS + kind),
        rf"{DYNAMO}|{re.escape(kind)}",
        near=near,
    )


_GUARDED = [
    _unguarded("SEQUENCE_LENGTH", "test_length_of_a_list|test_guards"),
    _unguarded("DICT_KEYS_MATCH", "test_module_is_inlined|test_dynamic_shapes_guarded"),
    _unguarded("DICT_CONTAINS", "test_key_that_is_looked_for"),
    _unguarded("TYPE_MATCH", "test_guards|test_dataclass|test_layer_norm"),
    _unguarded("EQUALS_MATCH", "test_string|test_integer|test_branch_on_python"),
    _unguarded("CLOSURE_MATCH", "test_module_is_inlined|test_graph_break"),
    _unguarded("BUILTIN_MATCH", "test_dynamo|test_guards"),
    _unguarded("NONE_MATCH", "test_argument_that_is_none"),
    _unguarded("SHAPE_ENV", "test_dynamic|test_any_length"),
    _unguarded("GLOBAL_STATE", "test_chain"),
    _unguarded("MODULE_MATCH", "test_state_of_a_module|test_number_of_a_module"),
    _unguarded("HASATTR", "test_attribute_that_is_looked_for"),
    _unguarded("DUPLICATE_INPUT", "test_aliased_inputs"),
    # Shows that the case of the incident (cases/incidents) fails.
    Mutation(
        "modules are guarded by the version of their attributes",
        "guard builder",
        prepend(
            _GUARDS + "TYPE_MATCH",
            "if isinstance(self.get(guard), torch.nn.Module): "
            "self._guard_on_attribute(guard, '__dict__', GuardBuilder.DICT_VERSION)",
        ),
        rf"{DYNAMO}|GuardBuilder\.DICT_VERSION",
        near="test_training_and_back|test_state_of_a_module|test_number_of_a_module",
    ),
    Mutation(
        "what is left to check when sizes vary",
        "guard builder",
        edit(_GUARDS + "SEQUENCE_LENGTH", ("== {len", ">= {len")),
        DYNAMO,
        near="test_module_is_inlined|test_list_and_dict",
    ),
    Mutation(
        "constants are compared as text",
        "guard builder",
        edit(
            _GUARDS + "EQUALS_MATCH",
            ('f"{ref} == {val!r}"', 'f"repr({ref}) == {val!r}"'),
        ),
        DYNAMO,
        near="test_string|test_integer|test_branch_on_python",
    ),
]

CHOICE_MUTATIONS = [*_LAUNCHES, *_KERNELS, *_FUSION, *_GUARDED]
