"""The ways to make a program smaller, each of which gives programs to try: the most promising first."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from itertools import combinations
from typing import Any

from msgspec.structs import replace

from pytest_compile_golden.features.reduce.small_program import (
    CONFIG,
    SmallProgram,
    bound,
    numbers,
    pruned,
    read,
    renamed,
    with_number,
    with_options,
)

Types = Mapping[str, str]
"""An expression that makes a value of the same type, for each name in the program whose value is a tensor."""
Step = Callable[[SmallProgram, Types], Iterator[SmallProgram]]


def fewer_results(program: SmallProgram, types: Types) -> Iterator[SmallProgram]:
    """One result alone, or half of them."""
    results = program.results
    if len(results) > 1:
        for result in results:
            yield pruned(replace(program, results=(result,)))
        if len(results) > 3:
            half = len(results) // 2
            yield pruned(replace(program, results=results[:half]))
            yield pruned(replace(program, results=results[half:]))
        for result in results:
            yield pruned(
                replace(
                    program,
                    results=tuple(other for other in results if other != result),
                )
            )


def shorter(program: SmallProgram, types: Types) -> Iterator[SmallProgram]:
    """Only the first statements: an earlier value is the result (torch's minifier: truncate suffix)."""
    for size in _halves(len(program.body)):
        kept = program.body[: len(program.body) - size]
        name = next(
            (name for name in map(bound, reversed(kept)) if name in types), None
        )
        if name is not None:
            yield pruned(replace(program, body=kept, results=(name,)))


def later(program: SmallProgram, types: Types) -> Iterator[SmallProgram]:
    """What some statements compute is given as inputs (torch's minifier: delta debugging)."""
    for size in _halves(len(program.body)):
        for start in range(0, len(program.body), size):
            gone = program.body[start : start + size]
            kept = (*program.body[:start], *program.body[start + size :])
            needed = set().union(*map(read, kept)) | set(program.results)
            names = [
                name for name in map(bound, gone) if name is not None and name in needed
            ]
            if all(name in types for name in names):
                inputs = (*program.inputs, *((name, types[name]) for name in names))
                made = pruned(replace(program, body=kept, inputs=inputs))
                if made.body:
                    yield made


def bypassed(program: SmallProgram, types: Types) -> Iterator[SmallProgram]:
    """A statement left out, an operand of the same type in its place."""
    for place, statement in enumerate(program.body):
        name = bound(statement)
        rest = (*program.body[:place], *program.body[place + 1 :])
        if name is None or name not in types:
            yield pruned(replace(program, body=rest))
            continue
        # Up to gradients.
        wanted = re.sub(_GRADIENT, "", types[name])
        for operand in sorted(read(statement) & set(types)):
            if re.sub(_GRADIENT, "", types[operand]) == wanted:
                yield pruned(_in_place_of(replace(program, body=rest), name, operand))
                break


def merged_inputs(program: SmallProgram, types: Types) -> Iterator[SmallProgram]:
    """One input in place of another of its type."""
    for (one, its), (other, others) in combinations(program.inputs, 2):
        if its == others:
            yield pruned(_in_place_of(program, other, one))


def fewer_arguments(program: SmallProgram, types: Types) -> Iterator[SmallProgram]:
    """A call without one of its arguments."""
    for place, statement in enumerate(program.body):
        calls = [
            node
            for node in ast.walk(ast.parse(statement))
            if isinstance(node, ast.Call)
        ]
        for number, call in enumerate(calls):
            for left_out in range(len(call.keywords) + bool(call.args)):
                tree = ast.parse(statement)
                changed = [
                    node for node in ast.walk(tree) if isinstance(node, ast.Call)
                ][number]
                if left_out < len(call.keywords):
                    del changed.keywords[left_out]
                else:
                    del changed.args[-1]
                body = (
                    *program.body[:place],
                    ast.unparse(tree),
                    *program.body[place + 1 :],
                )
                yield pruned(replace(program, body=body))


def simpler_inputs(program: SmallProgram, types: Types) -> Iterator[SmallProgram]:
    """Inputs of the default dtype, contiguous, without a gradient: all of them, then one by one."""
    train = program.option("train") == "True"
    for pattern in _SPECIAL:
        if pattern == _GRADIENT and train:
            continue
        changed = [(name, re.sub(pattern, "", value)) for name, value in program.inputs]
        different = [
            place
            for place, (one, other) in enumerate(
                zip(changed, program.inputs, strict=True)
            )
            if one != other
        ]
        if different:
            yield replace(program, inputs=tuple(changed))
        for place in different if len(different) > 1 else ():
            inputs = list(program.inputs)
            inputs[place] = changed[place]
            yield replace(program, inputs=tuple(inputs))


_GRADIENT = r", requires_grad=True|\.requires_grad_\(\)"
_SPECIAL = (
    r", dtype=torch\.(?:b?float16|float64|half)\b",
    r"\.permute\(.*?\)",
    _GRADIENT,
    r", device='cpu'",
)


def fewer_options(program: SmallProgram, types: Types) -> Iterator[SmallProgram]:
    """Options as they are by default: all, all of torch's settings, then one by one."""
    if program.options:
        yield with_options(program, ())
    settings = tuple(
        option for option in program.options if option[0].startswith(CONFIG)
    )
    if 1 < len(settings) < len(program.options):
        yield with_options(
            program,
            tuple(option for option in program.options if option not in settings),
        )
    for option in program.options if len(program.options) > 1 else ():
        yield with_options(
            program, tuple(other for other in program.options if other != option)
        )


_SMALLER = (8, 2, 32, 128, 512, 2048, 8192, 65536)
"""What sizes are reduced to: 8 first, which people can read and most kernels take."""


def smaller_sizes(program: SmallProgram, types: Types) -> Iterator[SmallProgram]:
    """Smaller numbers in place of the sizes of inputs, wherever the program has them."""
    made = [value for _, value in program.inputs if not _elements(value)]
    made += (
        []
        if program.body
        else re.findall(
            r"\btorch\.(?:randn|zeros|ones|nn\.\w+)\([^()]*\)", program.definitions
        )
    )
    sizes = sorted(
        {size for value in made for size in numbers(value) if size > _SMALLEST},
        reverse=True,
    )
    for size in sizes:
        for smaller in _SMALLER:
            if smaller < size:
                yield with_size(program, size, smaller)


def with_size(program: SmallProgram, before: int, after: int) -> SmallProgram:
    """The program with another number in place of one that is a size, wherever it has it."""
    return replace(
        program,
        inputs=tuple(
            (name, value if _elements(value) else with_number(value, before, after))
            for name, value in program.inputs
        ),
        body=tuple(with_number(statement, before, after) for statement in program.body),
        definitions=with_number(program.definitions, before, after)
        if not program.body
        else program.definitions,
    )


_SMALLEST = 2


def fewer_elements(program: SmallProgram, types: Types) -> Iterator[SmallProgram]:
    """Inputs whose elements are listed with fewer of them, all that have so many in a dimension at a time."""
    lengths = {
        length for _, value in program.inputs for length in _lengths(_elements(value))
    }
    for length in sorted(lengths, reverse=True):
        halves = [range(length // 2), range(length // 2, length)] if length > 3 else []
        for kept in (
            *halves,
            *(
                sorted(set(range(length)) - {gone})
                for gone in range(length)
                if length > 1
            ),
        ):
            inputs = tuple(
                (name, _with_elements(value, length, kept))
                for name, value in program.inputs
            )
            body = tuple(
                with_number(statement, length, len(kept)) for statement in program.body
            )
            yield replace(program, inputs=inputs, body=program.body)
            if body != program.body:
                yield replace(program, inputs=inputs, body=body)


def _elements(value: str) -> Any:
    """The elements that an input's expression lists; None if it lists none."""
    for node in ast.walk(ast.parse(value)):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "torch.tensor":
            return node.args[0]
    return None


def _lengths(elements: Any) -> Iterator[int]:
    """How many there are in each dimension."""
    while isinstance(elements, ast.List) and elements.elts:
        yield len(elements.elts)
        elements = elements.elts[0]


def _with_elements(value: str, length: int, kept: Collection[int]) -> str:
    """The expression with only some of the elements in each dimension that has so many."""
    tree = ast.parse(value)
    for node in ast.walk(tree):
        if isinstance(node, ast.List) and len(node.elts) == length:
            node.elts = [node.elts[place] for place in kept]
    return ast.unparse(tree)


OF_GRAPHS: tuple[Step, ...] = (fewer_results, shorter, later, bypassed, merged_inputs)
"""The steps that leave out statements and inputs."""
OF_DETAILS: tuple[Step, ...] = (
    fewer_options,
    simpler_inputs,
    smaller_sizes,
    fewer_elements,
    fewer_arguments,
)
"""The steps after which a program has as many statements as before."""


def tidied(program: SmallProgram) -> SmallProgram:
    """With short names for inputs, in the order in which they are used, and none for what nothing reads."""
    program = pruned(program)
    if not program.body:
        return program
    used = dict.fromkeys(
        node.id
        for statement in program.body
        for node in ast.walk(ast.parse(statement))
        if isinstance(node, ast.Name)
    )
    order = {name: place for place, name in enumerate(used)}
    inputs = sorted(program.inputs, key=lambda item: order.get(item[0], len(order)))
    letters = (
        list("xyzwvutsrqp")
        if len(inputs) <= 11
        else [f"x{number}" for number in range(len(inputs))]
    )
    taken = {name for name in map(bound, program.body) if name is not None}
    if program.results == (bound(program.body[-1]),):
        taken -= set(program.results)  # it is returned without a name
    names = {
        name: f"{letter}_input" if letter in taken else letter
        for (name, _), letter in zip(inputs, letters, strict=False)
    }
    read_later = set(program.results).union(*map(read, program.body))
    return replace(
        program,
        inputs=tuple((names[name], value) for name, value in inputs),
        body=tuple(
            renamed(_unnamed(statement, read_later), names)
            for statement in program.body
        ),
        results=tuple(names.get(name, name) for name in program.results),
    )


def _unnamed(statement: str, needed: Collection[str]) -> str:
    """A statement without the name that it binds, if that is not among those that are needed: `y = x.add_(1)`."""
    tree = ast.parse(statement).body[0]
    if isinstance(tree, ast.Assign) and bound(statement) not in {None, *needed}:
        return ast.unparse(tree.value)
    return statement


def _in_place_of(program: SmallProgram, gone: str, kept: str) -> SmallProgram:
    return replace(
        program,
        body=tuple(renamed(statement, {gone: kept}) for statement in program.body),
        results=tuple(
            dict.fromkeys(kept if name == gone else name for name in program.results)
        ),
    )


def _halves(size: int) -> Iterator[int]:
    """Half of it, a quarter, and so on down to 1."""
    while size > 1:
        size = (size + 1) // 2
        yield size
