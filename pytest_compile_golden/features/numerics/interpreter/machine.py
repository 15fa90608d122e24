"""What the kernels and library calls of a check run on: the memory, the language, and the choice of block sizes."""

from __future__ import annotations

import inspect
import linecache
import tempfile
import types
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import torch
import triton.language as tl

from pytest_compile_golden.errors import NotInterpretable
from pytest_compile_golden.facts.numerics import Finding
from pytest_compile_golden.features.numerics.interpreter import interpreted_kernel
from pytest_compile_golden.features.numerics.interpreter.buffer_reuse import use_of
from pytest_compile_golden.features.numerics.interpreter.checked_memory import Memory
from pytest_compile_golden.features.numerics.interpreter.interleaving import may_wait
from pytest_compile_golden.features.numerics.interpreter.interpreted_kernel import (
    InterpretedKernel,
    KernelChoice,
    line_in,
    line_of,
)
from pytest_compile_golden.features.numerics.interpreter.kernel_faults import (
    Fault,
    KernelFault,
)
from pytest_compile_golden.features.numerics.interpreter.triton_builder import Builder
from pytest_compile_golden.features.numerics.interpreter.triton_language import (
    TritonLanguage,
)
from pytest_compile_golden.targets.patching import Patches
from pytest_compile_golden.torch_internals import device, scheduler, tensors, user_code
from pytest_compile_golden.torch_internals import numerics as torch_names

stock = torch_names.INTERPRETER.get()
Autotuner = user_code.AUTOTUNER.get()
JITFunction = user_code.JIT_FUNCTION.get()
_disable_current_modes = tensors.DISABLE_MODES.get()


class Machine:
    """The machine of one check; `configuration` and `seed` determine the blocks of the next launches."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder = folder
        self.seed = seed
        self.configuration = interpreted_kernel.LARGEST
        self.launches = Counter[str]()
        self.suspicions: dict[tuple[str, int], Finding] = {}
        self.after_launch: (
            Callable[[InterpretedKernel, Mapping[int, int]], None] | None
        ) = None
        self._path = self._function = ""
        self.memory = Memory(line=lambda: line_in(self._path, self._function))
        self.language = TritonLanguage(Builder(self.memory))
        self._files = 0
        self._waiting: dict[Any, bool] = {}

    def configure(self, index: int | None) -> None:
        """Choose the blocks of the launches in a program's call, by the index of the call; Inductor's without one."""
        blocks = (
            interpreted_kernel.LARGEST,
            interpreted_kernel.SEVERAL,
            interpreted_kernel.RANDOM,
        )
        if index is None:
            self.configuration = interpreted_kernel.INDUCTORS
        else:
            self.configuration = (
                blocks[index] if index < len(blocks) else interpreted_kernel.LARGEST
            )
        self.memory.start_call()

    # -- loading

    def module(self, text: str, name: str, **values: Any) -> types.ModuleType:
        """Load Python code as a module in its own file, so that its source can be inspected."""
        self._files += 1
        path = self.folder / f"{self._files}_{name}.py"
        path.write_text(text, encoding="utf-8")
        module = types.ModuleType(path.stem)
        module.__file__ = str(path)
        exec(compile(text, str(path), "exec"), vars(module))
        # After the code, as torch does (torch/_inductor/codecache.py): the code sets frozen weights to None.
        vars(module).update(values)
        return module

    @contextmanager
    def loading(self) -> Iterator[None]:
        """Generated code that is executed inside makes our kernels."""

        def load(
            _: Any, name: str, source: str, device_str: str = "cuda"
        ) -> InterpretedKernel:
            return self.kernel(name, source)

        def cached_autotune(
            size_hints: Any,
            configs: Any,
            triton_meta: Any,
            heuristic_type: Any,
            filename: Any = None,
            inductor_meta: Any = None,
            *args: Any,
            **kwargs: Any,
        ) -> Any:
            metadata = inductor_meta or {}
            chosen = interpreted_kernel.tuned(
                configs, size_hints, heuristic_type, metadata
            )

            def decorate(function: Any) -> InterpretedKernel:
                return InterpretedKernel(
                    self,
                    function.fn,
                    chosen,
                    triton_meta,
                    metadata,
                    heuristic_type,
                    size_hints,
                )

            return decorate

        def choice(_: Any, name: str, kernels: Any, arg_index: Any) -> KernelChoice:
            return KernelChoice(self, name, kernels, arg_index)

        with Patches() as patches:
            patches.replace(*torch_names.BUILD_TRITON.resolve(), load)
            patches.replace(*torch_names.BUILD_MULTI_KERNEL.resolve(), choice)
            for builder in ("cpp", "cpp_pybinding"):
                patches.replace(
                    device.ASYNC_COMPILE.get(), builder, lambda *args, **kwargs: _in_cpp
                )
            patches.replace(*scheduler.CACHED_AUTOTUNE.resolve(), cached_autotune)
            yield

    def kernel(self, name: str, source: str) -> InterpretedKernel:
        with self.loading():
            module = self.module(source, name)
        made = {
            key: value
            for key, value in vars(module).items()
            if isinstance(value, InterpretedKernel)
        }
        # A user's kernel keeps its own name in the text, where its helpers come before it.
        kernel = made.get(name) or list(made.values())[-1]
        kernel.name, kernel.text = name, source
        return kernel

    # -- running

    def launch(
        self, kernel: InterpretedKernel, given: Mapping[str, Any], grid: tuple[int, ...]
    ) -> None:
        """Run all programs of one launch, one after another. Raises KernelFault and NotInterpretable."""
        grid = (*grid, 1, 1)[:3]
        tensors = tensors_in(given)
        uses = {
            name: use_of(name, kernel.metadata.get("mutated_arg_names", ()))
            for name in tensors
        }
        self._path, self._function = (
            kernel.function.__code__.co_filename,
            kernel.function.__name__,
        )
        self.memory.by_data = kernel.by_data
        self.memory.kernel = kernel.name
        with _disable_current_modes():
            passed = self.memory.start_launch(tensors, uses)
        self.memory.point_to(np.array([*addresses_in(given.values())], np.uint64))
        given = {name: passed.get(name, value) for name, value in given.items()}
        if kernel.configs:
            self.launches[kernel.name] += 1
        with self.language.active(), _disable_current_modes():
            self._run(kernel, given, grid)
        for suspicion in self.memory.suspicions:
            self.suspicions.setdefault(
                (kernel.name, suspicion.line),
                kernel.finding("race", suspicion.text, suspicion.line),
            )
        self.memory.suspicions.clear()
        written = dict(self.memory.written)
        self.memory.finish_launch(tensors, uses, kernel.name)
        if self.after_launch is not None:
            with _disable_current_modes():
                self.after_launch(kernel, written)

    def _run(
        self, kernel: InterpretedKernel, given: Mapping[str, Any], grid: tuple[int, ...]
    ) -> None:
        function = self.language.python(kernel.function, kernel.lines)
        constants, types = kernel.constants, kernel.triton_meta.get("signature", {})
        arguments = {
            name: value if name in constants else _converted(value, types.get(name, ""))
            for name, value in given.items()
        }
        builder = self.language.builder
        builder.set_grid_dim(*grid)
        count = grid[0] * grid[1] * grid[2]

        def program(number: int) -> None:
            builder.set_grid_idx(
                number % grid[0],
                number // grid[0] % grid[1],
                number // (grid[0] * grid[1]),
            )
            function(**arguments)
            self.memory.program_done(count)

        try:
            if may_wait(kernel.function, kernel.lines(), self._waiting):
                self.memory.turns.run(count, program)
            else:
                for number in range(count):
                    program(number)
        except Fault as error:
            raise KernelFault(
                kernel.finding(error.kind, str(error), line_of(error, self._path))
            ) from error
        except NotInterpretable as error:
            raise NotInterpretable(f"{kernel.name}: {error}") from error
        except AssertionError as error:
            text = f"tl.device_assert fails: {error}"
            raise KernelFault(
                kernel.finding("assert", text, line_of(error, self._path))
            ) from error
        except Exception as error:
            line = line_of(error, self._path)
            where = (
                f"line {line}: {kernel.finding('', '', line).source}"
                if line
                else "its first line"
            )
            message = f"{type(error).__name__}: {error}"
            raise NotInterpretable(
                f"{kernel.name}: Triton's interpreter fails at {where} ({message})"
            ) from error


def _converted(value: Any, signature: str) -> Any:
    """What a kernel is given for an argument. Triton's own conversion takes no booleans."""
    if isinstance(value, bool):
        return tl.core.tensor(stock.TensorHandle(np.array([value]), tl.int1), tl.int1)
    if type(value) is float and not signature:
        # Of a kernel that a program launches, as it is passed (triton/runtime/jit.py: mangle_type): no Python number.
        return tl.core.tensor(
            stock.TensorHandle(np.array([value], np.float32), tl.float32), tl.float32
        )
    return stock._implicit_cvt(value)


def _in_cpp(*args: Any) -> None:
    """Replaces a kernel in C++, a step on the CPU in a graph for the GPU."""
    raise NotInterpretable("a C++ kernel, for a part of the graph that is on the CPU")


def tensors_in(given: Mapping[str, Any]) -> dict[str, torch.Tensor]:
    """The tensors that a launch is given: as arguments, in tuples, and behind descriptors of blocks."""
    found: dict[str, torch.Tensor] = {}
    for name, value in given.items():
        if isinstance(value, torch.Tensor):
            found[name] = value
        elif isinstance(value, tuple):
            found |= tensors_in(
                {f"{name}[{index}]": each for index, each in enumerate(value)}
            )
        elif isinstance(value, stock.TensorDescriptor) and isinstance(
            value.base, torch.Tensor
        ):
            found[f"{name}.base"] = value.base
    return found


def addresses_in(given: Iterable[Any]) -> Iterator[int]:
    """The addresses of what is no tensor, but looks like one: to Triton, a pointer is whatever has a data_ptr().

    Such as what triton.reinterpret makes (triton/runtime/jit.py: TensorWrapper).
    """
    for value in given:
        if isinstance(value, tuple):
            yield from addresses_in(value)
        elif isinstance(value, stock.TensorDescriptor):
            yield from addresses_in([value.base])
        elif hasattr(value, "data_ptr") and not isinstance(value, torch.Tensor):
            yield value.data_ptr()


def launched_by_user(
    machine: Machine,
    written: Any,
    args: tuple[Any, ...],
    grid: Any,
    kwargs: Mapping[str, Any],
) -> None:
    """Run a launch of a kernel that a program brings.

    written: the JITFunction. grid: up to three numbers of programs, or a function of the arguments by name.
    Raises KernelFault and NotInterpretable, and TypeError for missing arguments, as Triton does.
    """
    function = written.fn
    signature = inspect.signature(function)
    # Everything else is an option of Triton's compiler, such as num_warps.
    bound = signature.bind(
        *args,
        **{
            name: value
            for name, value in kwargs.items()
            if name in signature.parameters
        },
    )
    bound.apply_defaults()
    given = dict(bound.arguments)
    size = grid(given) if callable(grid) else grid
    specialized = {each.name for each in written.params if not each.do_not_specialize}
    # Triton makes constants of these (triton/runtime/jit.py: create_function_from_signature).
    constants = {
        name: "constexpr"
        for name, each in given.items()
        if each is None
        or isinstance(each, _CONSTANTS)
        or (type(each) is int and each == 1 and name in specialized)
    }
    # As it was when the function was made: a program may have removed the file since.
    text = "\n" * (written.starting_line_number - 1) + "".join(written.raw_src)
    # Its parameters' names do not say what it writes.
    metadata = {"mutated_arg_names": [*tensors_in(given)]}
    meta = {"signature": constants}
    kernel = InterpretedKernel(
        machine, function, (), meta, metadata, None, None, function.__name__, text
    )
    with _disable_current_modes():
        machine.launch(kernel, given, tuple(int(number) for number in size))


_CONSTANTS = (tl.dtype, tl.constexpr, JITFunction)
"""What is a constant of a launch whatever its parameter says."""


def first_configuration(
    autotuner: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> Any:
    """What Autotuner.run does without timing: the first configuration that suits, since none is faster here."""
    autotuner.nargs = dict(zip(autotuner.arg_names, args, strict=False))
    several = len(autotuner.configs) > 1
    config = (autotuner.prune_configs(dict(kwargs)) if several else autotuner.configs)[
        0
    ]
    autotuner.best_config = config
    if config.pre_hook is not None:
        config.pre_hook({**autotuner.nargs, **kwargs, **config.all_kwargs()})
    result = autotuner.fn.run(*args, **{**kwargs, **config.all_kwargs()})
    autotuner.nargs = None
    return result


@contextmanager
def idle_machine(seed: int) -> Iterator[Machine]:
    """A machine on which nothing is launched yet; afterwards nothing of it is left in the process or on disk."""
    with tempfile.TemporaryDirectory(prefix="compile-golden-kernels-") as folder:
        try:
            yield Machine(Path(folder), seed)
        finally:
            for path in Path(folder).iterdir():
                linecache.cache.pop(str(path), None)
