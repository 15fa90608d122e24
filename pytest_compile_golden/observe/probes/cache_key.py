"""The keys of torch's caches of compiled graphs: the parts of each key, or why there is none."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch

from pytest_compile_golden.common.regular_expressions import without_addresses
from pytest_compile_golden.facts.graphs import GraphKey
from pytest_compile_golden.facts.guards import GraphChoice, GraphChoices
from pytest_compile_golden.observe.probe import Recorder
from pytest_compile_golden.observe.record_graphs import user_frame
from pytest_compile_golden.observe.torch_hooks import Hooks
from pytest_compile_golden.targets.patching import Patches
from pytest_compile_golden.torch_internals import inductor, settings
from pytest_compile_golden.torch_internals import inductor as names

_CACHES = {"aot": "AOTAutograd cache", "fx": "FX graph cache"}
# Parts that depend on the machine or the wheel. The default values of configs come with the wheel.
_ELSEWHERE = ("cpp_runtime_thread_count", "default_cuda_device_index")
# Replaced by the names of the target and of the wheels.
_SHOWN_BY_NAME = ("torch_version", "system_info")
_CONFIGS = ("inductor_config", "inductor_config_comms", "autograd_config")
_DIGITS = 12


class CacheKeyProbe:
    def install(self, hooks: Hooks, recorder: Recorder) -> None:
        watched = _WatchedKeys(recorder)
        hooks.after(names.PREPARED, watched.prepared)
        hooks.before(inductor.CODEGEN_AND_COMPILE, watched.lowered)
        hooks.on_exit(watched.finish)


class _WatchedKeys:
    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._made: dict[GraphKey, list[GraphChoice]] = {}

    def prepared(self, result: Any, module: Any, *args: Any, **kwargs: Any) -> None:
        """Called where torch looks in its cache, before tracing anything (torch/_functorch/aot_autograd.py)."""
        inputs, config = result[4], result[6]
        make = names.AOT_KEY.get()
        # Either is a parameter of some versions only. The options of Inductor are in the other cache's key too.
        known: dict[str, Any] = {
            "act_input_paths": result[11] if len(result) > 11 else None,
            "fx_config": {},
        }
        own = {
            key: value
            for key, value in known.items()
            if key in inspect.signature(make).parameters
        }
        self._key("aot", lambda: make(module, inputs, config, **own))

    def lowered(
        self,
        module: Any,
        inputs: Any,
        inputs_to_check: Any,
        compile_region_name: str | None = None,
        **kwargs: Any,
    ) -> None:
        """Called after torch has looked in its cache, before it lowers a graph (torch/_inductor/compile_fx.py)."""

        def ask() -> None:
            names.CHECK_GRAPH.get()(module)
            names.FX_KEY.get()(module, inputs, kwargs, inputs_to_check)

        self._key("fx", ask)

    def _key(self, cache: str, ask: Callable[[], object]) -> None:
        asking = _Asking(cache)
        try:
            with asking.watched():
                ask()
        except (names.FX_BYPASS.get(), names.AOT_BYPASS.get()) as bypass:
            code, where = user_frame(asking.refused)
            line = (code, where) if code and where else None
            choices = [
                GraphChoice(
                    "bypassed", _CACHES[cache], _reason(bypass), code or "", line
                )
            ]
        else:
            elsewhere = ", ".join((*self._machine(), *asking.elsewhere))
            choices = [
                GraphChoice("cacheable", _CACHES[cache], comment=elsewhere),
                *asking.parts,
            ]
        self._made.setdefault(self._recorder.key, []).extend(choices)

    def _machine(self) -> Iterator[str]:
        record = self._recorder.record
        yield f"device {record.target}"
        yield f"torch {(torch.version.git_version or record.environment.torch)[:_DIGITS]}"
        yield f"triton {record.environment.triton}"

    def finish(self) -> None:
        for key, choices in sorted(self._made.items(), key=lambda item: item[0].index):
            self._recorder.add("cache_key", GraphChoices(key.label, "", tuple(choices)))


class _Asking:
    """One request for a key: torch collects the parts that it is made of, and each is recorded separately."""

    def __init__(self, cache: str) -> None:
        self._cache = cache
        self.parts: list[GraphChoice] = []
        self.elsewhere: list[str] = []
        """Parts that differ between machines or wheels, with their digests."""
        self.refused: str | None = None
        """The stack trace of the node that makes AOTAutograd's cache reject the graph."""

    @contextmanager
    def watched(self) -> Iterator[None]:
        with Patches() as patches:
            # Undo what a capture sets for itself (`observe/compile_isolation.py`): no part of the program's key.
            patches.configure(
                {
                    settings.GRAPH_CACHE: True,
                    settings.AUTOGRAD_CACHE: True,
                    settings.COMPILE_BACKWARD: False,
                }
            )
            # These read all of torch's and Triton's files, which takes seconds, and cache the device that they saw.
            patches.replace(*names.TORCH_KEY.resolve(), bytes)
            patches.replace(*names.SYSTEM.resolve(), staticmethod(dict))
            # This would keep alive every class that a program creates.
            if names.PICKLEABLE.expected:
                patches.replace(*names.PICKLEABLE.resolve(), {})
            patches.wrap(*names.DUMPS.resolve(), self._dumping)
            patches.replace(*names.DEBUG_LINES.resolve(), lambda pickler, details: [])
            patches.wrap(*names.CHECK_NODE.resolve(), self._checking)
            yield

    def _dumping(self, dumps: Callable[..., bytes]) -> Callable[..., bytes]:
        details = names.DETAILS.get()

        def of_parts(pickler: Any, value: Any) -> bytes:
            if not isinstance(value, details):
                return dumps(pickler, value)
            for name, digest, counts in _parts(pickler, value):
                if counts:
                    self.parts.append(GraphChoice(self._cache, name, digest))
                else:
                    self.elsewhere.append(f"{name} {digest}")
            return b""

        return of_parts

    def _checking(self, check: Callable[..., None]) -> Callable[..., None]:
        def of_node(node: Any) -> None:
            self.refused = node.stack_trace
            check(node)
            self.refused = None

        return of_node


def _parts(pickler: Any, details: Any) -> Iterator[tuple[str, str, bool]]:
    """The parts of the key, their digests, and whether they are the same on every machine and with every wheel.

    Named as in torch's own log of the key (torch/_inductor/codecache.py: FxGraphCachePickler.debug_lines). Configs
    contribute the values that differ from torch's defaults, everything else the values that are set.
    """
    for name, value in vars(details).items():
        if name in _CONFIGS:
            module, values = _config(name, value)
            for key in sorted(values):
                if (
                    key not in module._config
                    or module._config[key].default != values[key]
                ):
                    yield f"{name}[{key}]", _digest(pickler, values[key]), True
            yield name, _digest(pickler, values), False
        elif name not in _SHOWN_BY_NAME:
            for part, entry in _items(name, value):
                if _is_set(entry):
                    yield part, _digest(pickler, entry), name not in _ELSEWHERE


def _items(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        yield from ((f"{name}[{key}]", entry) for key, entry in value.items())
    elif isinstance(value, list):
        yield from ((f"{name}[{index}]", entry) for index, entry in enumerate(value))
    else:
        yield name, value


def _config(name: str, value: Any) -> tuple[Any, dict[str, Any]]:
    """The config module behind a part, and its values; AOTAutograd's own part has all of them as bytes."""
    if name == "autograd_config":
        module: Any = inductor.AOT_CONFIG.get()
        return module, module.save_config_portable(ignore_private_configs=False)
    return (
        inductor.CONFIG if name == "inductor_config" else names.COMMS_CONFIG
    ).get(), value


def _is_set(value: Any) -> bool:
    if isinstance(value, tuple):
        return any(map(_is_set, value))
    return not (
        value is None
        or value is False
        or (isinstance(value, (str, list, dict)) and not value)
    )


def _digest(pickler: Any, value: Any) -> str:
    return str(pickler.get_hash(value))[:_DIGITS]


def _reason(bypass: Exception) -> str:
    # In the stage's lines, a semicolon starts the reason and a hash starts a comment.
    plain = without_addresses(" ".join(str(bypass).split()))
    return plain.replace(";", ",").replace("#", "") or type(bypass).__name__
