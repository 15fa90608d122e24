"""A transformers model created from its configuration: its own widths, few layers, no pretrained weights.

One is a first case, a list of them a corpus.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from pytest_compile_golden.api.corpus_program import Program
from pytest_compile_golden.common.lines import split_lines
from pytest_compile_golden.common.name_matching import unknown
from pytest_compile_golden.errors import CompileGoldenError, UnknownName
from pytest_compile_golden.features.starter.starter_program import (
    StarterProgram,
    identifier,
    in_one_line,
)

_LAYERS = "num_hidden_layers"
_DECODER_LAYERS = ("decoder_layers", "num_decoder_layers")
_TOWERS = ("text_config", "vision_config", "audio_config")

_WRITE_A_FUNCTION = "Give a function that calls it, as MODULE:FUNCTION with --input 'f32[1, 128]' for each input."


def of_transformers(name: str) -> StarterProgram:
    """The program of `llama`, `LlamaConfig`, `LlamaModel` or any other model type or class of transformers.

    Raises UnknownName if there is none of that name, CompileGoldenError if transformers is not installed, the model
    cannot be created from its configuration's defaults, or its inputs are of an unknown kind.
    """
    try:
        import transformers
    except ImportError:
        raise CompileGoldenError(
            f"{name} may be a model from transformers, which is not installed: pip install transformers. Give a "
            "program of your own as MODULE:FUNCTION, an exported one as a .pt2 file."
        ) from None
    config_class, model_class = _classes(transformers, name)
    try:
        config = config_class()
    except Exception as error:
        # Some configurations validate, and reject, their own defaults.
        raise CompileGoldenError(
            f"{config_class.__name__}() failed: {in_one_line(error)}. {_WRITE_A_FUNCTION}"
        ) from error
    layers, model = _layers(config_class, model_class, config)
    # Parameters made by `torch.FloatTensor` ignore the default device.
    moved = (
        ""
        if all(parameter.is_meta for parameter in model.parameters())
        else ".to(torch.get_default_device())"
    )
    return StarterProgram(
        name=identifier(model_class.__name__),
        title=f"{model_class.__name__} from transformers",
        imports=(
            f"from transformers import {config_class.__name__}, {model_class.__name__}",
        ),
        make=f"{model_class.__name__}({config_class.__name__}({layers})){moved}.eval()",
        inputs=(),
        kwargs="{"
        + ", ".join(
            f'"{name}": {value}' for name, value in _keywords(model_class, config)
        )
        + "}",
        layered=bool(layers),
        requirements=("transformers",),
    )


def _classes(transformers: Any, name: str) -> tuple[Any, Any]:
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING
    from transformers.models.auto.modeling_auto import MODEL_MAPPING

    config_or_model = (
        CONFIG_MAPPING[name]
        if name in CONFIG_MAPPING
        else getattr(transformers, name, None)
    )
    if config_or_model is None:
        raise UnknownName(unknown("transformers model", name, CONFIG_MAPPING.keys()))
    if getattr(config_or_model, "config_class", None) is not None:
        return config_or_model.config_class, config_or_model
    try:
        model = MODEL_MAPPING[config_or_model]
    except (KeyError, ValueError):
        # ValueError: the mapping names a class that does not exist.
        return config_or_model, _only_model(name, config_or_model)
    return config_or_model, model[0] if isinstance(model, tuple) else model


def _only_model(name: str, config_class: Any) -> Any:
    """The model of a configuration that has no base model."""
    try:
        modeling = import_module(
            config_class.__module__.replace(".configuration_", ".modeling_")
        )
    except (AttributeError, ImportError):
        raise UnknownName(
            f"{name} is neither a transformers model nor the configuration of one."
        ) from None
    public = {
        key: getattr(modeling, key, None) for key in getattr(modeling, "__all__", ())
    }
    models = {
        key: value
        for key, value in public.items()
        if getattr(value, "config_class", None) is config_class
        and not key.endswith("PreTrainedModel")
    }
    if len(models) == 1:
        return next(iter(models.values()))
    if not models:
        raise UnknownName(
            f"{name} is part of another transformers model. Name that one."
        )
    raise UnknownName(
        f"transformers has several models for {name}. Name one of them: {', '.join(models)}."
    )


def _layers(config_class: Any, model: Any, config: Any) -> tuple[str, Any]:
    """The configuration's arguments for `layers` layers in each of its stacks, empty if they do not set the depth, and
    the model on the meta device, with one layer if they do."""
    stacks = [
        name
        for name in (_LAYERS, *_DECODER_LAYERS)
        if isinstance(getattr(config, name, None), int)
    ]
    towers = [
        name
        for name in _TOWERS
        if isinstance(getattr(getattr(config, name, None), _LAYERS, None), int)
    ]
    keywords = ", ".join(
        [
            *(f"{name}=layers" for name in stacks),
            *(f'{name}={{"{_LAYERS}": layers}}' for name in towers),
        ]
    )
    try:
        configs = (
            [
                config_class(**eval(f"dict({keywords})", {"layers": depth}))
                for depth in (1, 2)
            ]
            if keywords
            else []
        )
    except Exception:  # some configurations refuse it, each with its own error
        configs = []
    models = [_on_meta(model, config) for config in configs]
    sizes = {
        sum(parameter.numel() for parameter in model.parameters()) for model in models
    }
    return (keywords, models[0]) if len(sizes) > 1 else ("", _on_meta(model, config))


def _on_meta(model: Any, config: Any) -> Any:
    import torch

    try:
        with torch.device("meta"):
            return model(config)
    except Exception as error:  # whatever the model raises for its configuration
        raise CompileGoldenError(
            f"{model.__name__} cannot be created from the defaults of {type(config).__name__}: "
            f"{in_one_line(error)}. {_WRITE_A_FUNCTION}"
        ) from error


def _keywords(model: Any, config: Any) -> Iterator[tuple[str, str]]:
    """The arguments that the model is called with, at everyday sizes."""
    text = _text(config)
    vision = getattr(config, "vision_config", config)
    length = min(128, _number(text, "max_position_embeddings", 128))
    size = getattr(vision, "image_size", 224)
    height, width = size if isinstance(size, (list, tuple)) else (size, size)
    frames = 2 * _number(config, "max_source_positions", 1500)
    channels = f"{config.audio_channels}, " if hasattr(config, "audio_channels") else ""
    series = f"{_number(config, 'context_length', 32)}, {_number(config, 'num_input_channels', 1)}"
    known: Mapping[str, str] = {
        "input_ids": f"torch.randint(0, {_number(text, 'vocab_size', 1000)}, (1, {length}))",
        "pixel_values": f"torch.randn(1, {_number(vision, 'num_channels', 3)}, {height}, {width})",
        "input_values": f"torch.randn(1, {channels}16000)",
        "input_features": f"torch.randn(1, {_number(config, 'num_mel_bins', 80)}, {frames})",
        "past_values": f"torch.randn(1, {series})",
        "inputs": f"torch.randn(1, 128, {_number(config, 'd_model', 768)})",
    }
    takes = inspect.signature(model.forward).parameters
    main = model.main_input_name  # a list where the model names several
    wanted = [
        name for name in (main if isinstance(main, list) else [main]) if name in takes
    ]
    names = dict.fromkeys([*wanted, *_required(takes.values())])
    # Models with two encoders, as CLIP's, need both; where image tokens stand for the image, text alone is enough.
    if (
        "input_ids" in names
        and vision is not config
        and not hasattr(config, "image_token_id")
    ):
        names["pixel_values"] = None
    for name in names:
        if name not in known:
            raise CompileGoldenError(
                f"{model.__name__} requires {name}, whose shape is not known here. {_WRITE_A_FUNCTION}"
            )
        yield name, known[name]
    if getattr(config, "is_encoder_decoder", False) and "decoder_input_ids" in takes:
        yield "decoder_input_ids", known["input_ids"]
    if hasattr(config, "use_cache"):
        yield "use_cache", "False"


def _required(parameters: Iterable[inspect.Parameter]) -> Iterator[str]:
    for parameter in parameters:
        named = parameter.kind in (
            inspect.Parameter.POSITIONAL_OR_KEYWORD,
            inspect.Parameter.KEYWORD_ONLY,
        )
        if (
            named
            and parameter.default is inspect.Parameter.empty
            and parameter.name != "self"
        ):
            yield parameter.name


def _text(config: Any) -> Any:
    """The configuration of the part that reads tokens."""
    try:
        return config.get_text_config()
    except (AttributeError, ValueError):  # ValueError: there are several
        return config


def _number(config: Any, name: str, default: int) -> int:
    value = getattr(config, name, default)
    return value if isinstance(value, int) and value > 0 else default  # -1 for no limit


@dataclass(frozen=True)
class Transformers:
    """A `.txt` file that names a model or configuration of transformers on each line: `LlamaModel`, `llama`.

    Each is made from its configuration, with two layers if it has any, and without trained weights.
    """

    name: str = "list of transformers models"

    def programs(self, source: str) -> Iterator[Program] | None:
        path = Path(source)
        if path.suffix != ".txt" or not path.is_file():
            return None
        names = [
            line.partition("#")[0].strip()
            for line in split_lines(path.read_text(encoding="utf-8"))
        ]
        return (
            Program(f"transformers/{name}", partial(_transformers, name))
            for name in names
            if name
        )


def _transformers(name: str) -> Any:
    program = of_transformers(name)
    names: dict[str, Any] = {"layers": 2}
    exec("\n".join(("import torch", *program.imports)), names)
    return eval(program.make, names), (), {"kwargs": eval(program.kwargs, names)}
