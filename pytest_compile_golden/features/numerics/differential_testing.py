"""Differential testing: eager and compiled code are given the same calls, and what they leave is compared."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import (
    AbstractContextManager,
    ExitStack,
    contextmanager,
    nullcontext,
)
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, cast

import torch

from pytest_compile_golden.common.constants import INDUCTOR
from pytest_compile_golden.common.program_call import Call
from pytest_compile_golden.errors import EagerFailed, NothingCompiled, NotInterpretable
from pytest_compile_golden.facts.numerics import Difference, Numerics
from pytest_compile_golden.features.numerics import random_number_quality, tensor_names
from pytest_compile_golden.features.numerics.interpreter.kernel_faults import (
    KernelFault,
)
from pytest_compile_golden.features.numerics.judge import Judge, Tolerance, refuses
from pytest_compile_golden.features.numerics.numerics_device import (
    IN_CPP,
    Device,
    device_of,
)
from pytest_compile_golden.features.numerics.observation import (
    Observation,
    TensorSnapshot,
    plain,
)
from pytest_compile_golden.features.numerics.program_copies import (
    Copies,
    Redrawn,
    Special,
    ends_of_range,
    layouts,
    not_finite,
    zeros,
)
from pytest_compile_golden.features.numerics.python_state import put_back
from pytest_compile_golden.features.numerics.run_calls import (
    Cotangents,
    RepeatedCall,
    Step,
    run,
)
from pytest_compile_golden.features.numerics.unpromised_strides import OtherStrides
from pytest_compile_golden.observe.ahead_of_time import export
from pytest_compile_golden.observe.already_compiled import name_of
from pytest_compile_golden.observe.compile_options import CompileOptions
from pytest_compile_golden.observe.device_transfer import move_all
from pytest_compile_golden.observe.program_calls import placed
from pytest_compile_golden.observe.record_compile import in_own_context
from pytest_compile_golden.observe.torch_errors import (
    advice,
    reason,
    switched_off,
    translated,
)
from pytest_compile_golden.targets import Target
from pytest_compile_golden.targets.patching import Patches
from pytest_compile_golden.targets.tensor_placement import Placement
from pytest_compile_golden.torch_internals import numerics as torch_names
from pytest_compile_golden.torch_internals import process, settings

_SPECIAL_VALUES = {
    "zeros and the smallest numbers": zeros,
    "infinities and NaN": not_finite,
    "the ends of each dtype's range": ends_of_range,
}
_REFUSALS = (RuntimeError, torch.linalg.LinAlgError)
"""The errors with which an operator that the CPU has rejects its input values."""


def _keep_cast(
    self: object, dst: object, dst_dtype: object, src: object, src_dtype: object
) -> None:
    """Let a cast back be written as it is, instead of taking what was cast."""


@dataclass
class _Program:
    """The function and its calls; every run gets its own copy."""

    fn: Callable[..., Any]
    calls: Sequence[Call]
    seed: int
    cotangents: Cotangents | None
    """Where backward starts; None for a program that is not trained."""
    device: Device
    gradients: bool = False
    """Whether only the first call is made, with gradients enabled although there is no backward."""
    again: bool = True
    """Whether the first call is also repeated, with the same objects."""
    redraws: int = 3
    """With how many kinds of values other than the given ones it is also called, mildest first."""
    special: int = 3
    """With how many kinds of special values it is also called."""
    begun: int = field(default=0, init=False)
    """The index of the call that the latest run made last."""
    begun_call: str = field(default="", init=False)
    """Its name."""

    def eager(self) -> list[Observation]:
        return self._run(*self._copy(Copies()))

    def compiled(self, options: CompileOptions) -> list[Observation]:
        fn, calls = self._copy(Copies())
        entry = self._compile(fn, calls[0].call, options)
        return self._run(fn, calls, entry=entry, before=self.device.before_call)

    def in_mode(self, mode: AbstractContextManager[object]) -> list[Observation]:
        """Run eager in this mode."""
        fn, calls = self._copy(Copies())
        with _attention_as_operators(), mode:
            return self._run(fn, calls)

    def without_fusion(self, options: CompileOptions) -> list[Observation]:
        """Run what torch compiles if it may leave out no rounding."""
        torch.compiler.reset()
        with Patches() as patches:
            patches.configure({settings.EMULATE_CASTS: True})
            # torch 2.12 and older write C++ without casts to half precision and back despite the setting.
            if torch_names.LEAVE_OUT_CAST.here:
                kernel, name = torch_names.LEAVE_OUT_CAST.resolve()
                patches.replace(kernel, name, _keep_cast)
            return self.compiled(options)

    @contextmanager
    def repeatable(
        self, options: CompileOptions | None = None
    ) -> Iterator[RepeatedCall]:
        """The first call, to be made many times; of compiled code, with random numbers of its own, with options."""
        fn, steps = self._copy(Copies())
        shared = put_back(fn, [steps[0].call])
        if options is None:
            with shared:
                yield RepeatedCall(fn, steps[0], fn, self.cotangents)
            return
        torch.compiler.reset()
        with shared, Patches() as patches:
            patches.configure({settings.FALLBACK_RANDOM: False})
            # Numbers that kernels draw by four depend on the blocks (triton_helpers.py: rand4x).
            before = functools.partial(self.device.before_call, None)
            entry = self._compile(fn, steps[0].call, options)
            yield RepeatedCall(fn, steps[0], entry, self.cotangents, before)

    def _compile(
        self, fn: Callable[..., Any], call: Call, options: CompileOptions
    ) -> Callable[..., Any]:
        """What is called instead of `fn`: compiled by torch.compile, after torch.export if that is asked for.

        What AOTInductor builds is C++ around the kernels; the program that it is given is compiled as any other.
        """
        if options.torch_export is None:
            return cast(Callable[..., Any], torch.compile(fn, **options.torch_compile))
        own = replace(options, calls=[call])
        program = export(name_of(self.fn), fn, own, self.device.target)
        return cast(
            Callable[..., Any],
            torch.compile(
                program.module(), **{**options.torch_compile, "backend": INDUCTOR}
            ),
        )

    def requires_gradients(self) -> bool:
        """Whether anything that the function is given, owns or names as a global requires a gradient."""
        tensors = [*tensor_names.owned(self.fn).values()]
        tensors += [
            tensor
            for call in self.calls
            for tensor in tensor_names.inputs(self.fn, call.args, call.kwargs).values()
        ]
        return any(tensor.requires_grad for tensor in tensors)

    def _run(
        self,
        fn: Callable[..., Any],
        calls: Sequence[Step],
        *,
        entry: Callable[..., Any] | None = None,
        before: Callable[[int], None] = lambda index: None,
    ) -> list[Observation]:
        def begin(index: int) -> None:
            self.begun, self.begun_call = index, calls[index].name
            before(index)

        shared = put_back(fn, [step.call for step in calls])
        with torch.enable_grad() if self.gradients else nullcontext(), shared:
            return run(
                fn,
                calls,
                original=self.fn,
                entry=entry,
                cotangents=self.cotangents,
                before=begin,
            )

    def _copy(self, copies: Placement) -> tuple[Callable[..., Any], list[Step]]:
        """Copy the function and its calls: each one, the first again and, if it is the only one, with other values."""
        redrawn = [*self._redrawn, *self._special]
        fn, (own, others) = move_all(
            self.fn,
            (self.calls, [given for _, given in redrawn]),
            copies.tree,
            fresh=True,
        )
        fn, (own, others) = move_all(fn, (own, others), self.device.place)
        numbered = [
            Step(f"call {number}", given) for number, given in enumerate(own, start=1)
        ]
        if self.gradients:
            return fn, [replace(numbered[0], name="call 1 with gradients enabled")]
        if self.again:
            numbered.append(Step(f"call {len(numbered) + 1} (call 1 again)", own[0]))
        for index, ((words, _), (call, *_)) in enumerate(
            zip(redrawn, others, strict=True)
        ):
            special = index >= len(self._redrawn)
            numbered.append(
                Step(
                    f"call {len(numbered) + 1} ({words})",
                    call,
                    given=False,
                    special=special,
                )
            )
        return fn, numbered

    @cached_property
    def _redrawn(self) -> list[tuple[str, Any]]:
        """Inputs other than the given ones that the program is also called with, each with a description."""
        if len(self.calls) > 1 or self.gradients:
            return []
        redraws = [
            ("other values", Redrawn(self.seed)),
            *self.device.more_values(self.cotangents is not None),
        ]
        return [
            (words, move_all(lambda: None, self.calls, redrawn.tree, fresh=True)[1])
            for words, redrawn in redraws[: self.redraws]
        ]

    @property
    def redrawn(self) -> int:
        """How many calls have other values that are not special."""
        return len(self._redrawn)

    @cached_property
    def _special(self) -> list[tuple[str, Any]]:
        """Inputs with special values that eager accepts, each with a description."""
        if len(self.calls) > 1 or self.gradients:
            return []
        accepted = []
        for words, numbers in [*_SPECIAL_VALUES.items()][: self.special]:
            special = Special(self.seed, numbers)
            given = move_all(lambda: None, self.calls, special.tree, fresh=True)[1]
            if special.used and self.accepts(given):
                accepted.append((words, given))
        return accepted

    def accepts(self, given: Any) -> bool:
        """Whether eager runs with these inputs, which are those of one call."""
        fn, given = move_all(self.fn, given, Copies().tree, fresh=True)
        fn, (call, *_) = move_all(fn, given, self.device.place)
        try:
            self._run(fn, [Step("a call with special values", call)])
        except Exception:  # the program may raise anything
            return False
        return True


@in_own_context
def compare_with_eager(
    fn: Callable[..., Any],
    options: CompileOptions,
    target: Target,
    *,
    tolerance: Tolerance,
    seed: int,
    other_layouts: bool,
) -> Numerics:
    """Run `fn` on `target`, which is active; see `pytest_compile_golden.numerics`."""
    name = name_of(fn)
    with ExitStack() as stack:
        # Inductor's own random numbers differ from eager's: both sides use torch's generator with the same seed.
        fn, options = stack.enter_context(
            placed(fn, options, target, {"fallback_random": True})
        )
        # The CPU's random state is part of every capture's isolation.
        if target.device_type == "cuda":
            stack.callback(torch.cuda.set_rng_state, torch.cuda.get_rng_state())
        device = stack.enter_context(device_of(target, seed))
        fn, calls = move_all(fn, options.calls, Copies().tree, fresh=True)
        cotangents = Cotangents(seed, device.place) if options.train else None
        program = _Program(fn, calls, seed, cotangents, device)
        try:
            result = _compare_with_accepted_calls(program, options, name, tolerance)
            if other_layouts:
                result = replace(
                    result,
                    found=(
                        *result.found,
                        *_of_other_layouts(program, options, tolerance),
                    ),
                )
            return result
        except KernelFault as error:
            return Numerics(
                name,
                target.name,
                (),
                0,
                0,
                findings=(error.finding,),
                launches=device.launches,
            )


def _compare_with_accepted_calls(
    program: _Program, options: CompileOptions, name: str, tolerance: Tolerance
) -> Numerics:
    """Leave out calls of our own that the program rejects: one more with a cache that is full, or with other values,
    such as negative probabilities or matrices that are not positive-definite."""
    try:
        return _compare(program, options, name, tolerance)
    except (EagerFailed, NotInterpretable) as error:
        refused = isinstance(error, EagerFailed) or type(error.__cause__) in _REFUSALS
        own, call, why = (
            program.begun - len(program.calls),
            program.begun_call,
            reason(error.__cause__ or error),
        )
        accepted = []
        if isinstance(error, _EagerRefuses):
            text = f"eager raises {why}; compiled code returns a result"
            accepted = [
                Difference(call, "the call", "refusal", "accepts", text, given=own < 0)
            ]
        if own < 0 and accepted:
            return Numerics(
                name,
                program.device.target.name,
                tuple(accepted),
                0,
                0,
                launches=program.device.launches,
            )
        if not refused or own < 0:
            raise
    torch.compiler.reset()
    if program.again and own == 0:
        fewer = replace(program, again=False)
    elif own - program.again < program.redrawn:
        fewer = replace(program, redraws=own - program.again)
    else:
        fewer = replace(program, special=own - program.again - program.redrawn)
    result = _compare_with_accepted_calls(fewer, options, name, tolerance)
    left_out = [] if accepted else [f"{call}: eager refuses it: {why}"]
    return replace(
        result,
        found=(*result.found, *accepted),
        not_compared=(*result.not_compared, *left_out),
    )


class _EagerRefuses(EagerFailed):
    """Eager refuses a call that compiled code makes."""


def _compare(
    program: _Program, options: CompileOptions, name: str, tolerance: Tolerance
) -> Numerics:
    device, target = program.device, program.device.target
    strides = OtherStrides()
    try:
        # Before eager, which need not run at all if a kernel is too large to be interpreted.
        with translated(name, target), strides.watching():
            compiled = program.compiled(options)
    except NotInterpretable:
        raise
    except Exception:
        with _eager_errors(name, target):
            program.eager()
        raise
    try:
        with _eager_errors(name, target):
            eager = program.eager()
    except EagerFailed as error:
        if refuses(error.__cause__):
            raise _EagerRefuses(str(error)) from error.__cause__
        raise
    if not process.COUNTERS.get()["stats"]["unique_graphs"]:
        raise NothingCompiled(
            f"torch.compile compiled nothing of {name}, so there is nothing to compare with eager. "
            + (
                switched_off()
                or "It may have no tensor operations, or be excluded with torch.compiler.disable; `capture` shows "
                "where graphs break."
            )
        )
    # Torch's bisector counts the passes of every compile, so one more compile would be bisected as well.
    bisected = torch_names.BISECTOR.get().bisection_enabled
    judge = Judge(
        program.in_mode,
        tolerance,
        None if bisected else lambda: program.without_fusion(options),
        strides.why,
    )
    found = [*judge.differences(eager, compiled)]
    if not options.train and not options.ahead_of_time and program.requires_gradients():
        with_gradients = replace(program, gradients=True)
        mine, theirs = _with_gradients(with_gradients, options, strides)
        emulated = None if bisected else lambda: with_gradients.without_fusion(options)
        judge = Judge(
            with_gradients.in_mode, tolerance, emulated, strides.why, judge.not_compared
        )
        found += judge.differences(mine, theirs)
        eager = [*eager, *mine]
    changes = any(call.before is not None for call in program.calls)
    if (
        not bisected
        and not changes
        and not options.config.get("fallback_random")
        and _varies(eager)
    ):
        found += _random_numbers(program, options, judge.not_compared)
    result = Numerics(
        function=name,
        target=target.name,
        found=tuple(found),
        calls=sum(
            bool(observation.structure)
            for observation in eager
            if not observation.special
        ),
        compared=sum(
            len(observation.values) for observation in eager if not observation.special
        ),
        not_compared=(
            *(
                [IN_CPP]
                if options.ahead_of_time and not device.not_run
                else device.not_run
            ),
            *(
                f"{what} does not run: {why}"
                for what, why in judge.not_compared.items()
            ),
        ),
        launches=device.launches,
    )
    # Where only special values show it, it is no failure.
    usual = replace(program, special=0)
    return replace(
        result,
        # A bisection only asks whether it is wrong.
        findings=()
        if bisected
        else tuple(
            device.findings(not result, lambda: usual.compiled(options), tolerance)
        ),
    )


def _of_other_layouts(
    program: _Program, options: CompileOptions, tolerance: Tolerance
) -> Iterator[Difference]:
    """What only inputs of other sizes and strides show, where eager accepts them; each is compiled anew."""
    first = program.calls[0]
    for words, (args, kwargs) in layouts((first.args, dict(first.kwargs))).items():
        variant = replace(
            program,
            calls=[first._replace(args=args, kwargs=kwargs)],
            again=False,
            redraws=0,
            special=0,
        )
        if not variant.accepts(variant.calls):
            continue
        torch.compiler.reset()
        strides = OtherStrides()
        eager = variant.eager()
        try:
            with strides.watching():
                compiled = variant.compiled(options)
        except (KernelFault, NotInterpretable) as error:
            found = [Difference("", "the call", "refusal", "undecided", str(error))]
        except Exception as error:  # the compiler may raise anything
            text = f"compiled raises {reason(error)}, eager returns a result"
            found = [Difference("", "the call", "refusal", "compiled", text)]
        else:
            judge = Judge(
                variant.in_mode,
                tolerance,
                functools.partial(variant.without_fusion, options),
                strides.why,
            )
            found = [*judge.differences(eager, compiled)]
        yield from (
            replace(each, call=f"a call with {words}", given=False, special=True)
            for each in found
        )


def _with_gradients(
    program: _Program, options: CompileOptions, strides: OtherStrides
) -> tuple[list[Observation], list[Observation]]:
    """Make the first call once more outside `no_grad`, where compiled code may wrongly give its results a gradient.

    Gives what eager and compiled code do; nothing if one does not run this way, since only inference was asked for.
    """
    torch.compiler.reset()  # so that this compile does not count towards the recompile limit
    try:
        with Patches() as patches, strides.watching():
            # Nobody calls backward.
            patches.configure({settings.COMPILE_BACKWARD: False})
            return program.eager(), program.compiled(options)
    except KernelFault:
        raise
    except Exception:
        # Raised by the program or torch's compiler: in-place on a leaf, an operator without a derivative ... None of
        # this says anything about the program in inference.
        return [], []


def _varies(observed: list[Observation]) -> bool:
    """Whether the program may draw random numbers: with another seed, it leaves something else."""
    first = observed[0]
    again = next(
        (each for each in observed[1:] if each.call.endswith("(call 1 again)")), None
    )
    if again is None:
        return True
    pairs = [(value, again.values.get(name)) for name, value in first.values.items()]
    return any(
        isinstance(one, TensorSnapshot)
        and isinstance(other, TensorSnapshot)
        and (
            one.values.shape != other.values.shape
            or not torch.equal(plain(one.values), plain(other.values))
        )
        for one, other in pairs
    )


def _random_numbers(
    program: _Program, options: CompileOptions, not_compared: dict[str, str]
) -> list[Difference]:
    """What is wrong with Inductor's own random numbers. not_compared: gets the reason if they cannot be looked at."""
    try:
        with program.repeatable() as eager:
            compiled = functools.partial(program.repeatable, options)
            return list(
                random_number_quality.differences(
                    eager, compiled, program.cotangents is not None
                )
            )
    except KernelFault:
        raise
    except Exception as error:
        # The program may raise anything, and so may what compiles it.
        not_compared["compiled code with random numbers of its own"] = reason(error)
        return []


@contextmanager
def _eager_errors(name: str, target: Target) -> Iterator[None]:
    try:
        yield
    except (KernelFault, NotInterpretable):
        # From a kernel that the program launches itself.
        raise
    except Exception as error:  # the user's program may raise anything
        raise EagerFailed(
            f"{name} does not run in eager mode on {target.name}, so there is nothing to compare with: "
            f"{reason(error)}{advice(error, target)}"
        ) from error


@contextmanager
def _attention_as_operators() -> Iterator[None]:
    """Run flex attention uncompiled, using its own switch: it compiles itself, which Dynamo refuses under a mode."""
    module = importlib.import_module("torch.nn.attention.flex_attention")
    with Patches() as patches:
        patches.replace_if_present(
            module, "_FLEX_ATTENTION_DISABLE_COMPILE_DEBUG", True
        )
        yield
