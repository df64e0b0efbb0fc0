"""Varies configs, so that class_tensors.py can build a class again and see which fields its tensors depend on."""

import contextlib
import copy
import functools
import inspect
import re
import sys

import transformers
from published import PUBLISHED, published_config
from symbols import configs_in
from transformers.configuration_utils import _LEGACY_LAYER_TYPE_REMAP, ALLOWED_LAYER_TYPES

MOST_LAYERS = 100  # a default config with more layers is not built
MORE_LAYERS = 6
KINDS_OF_LAYERS = ("layer_types", "block_type", "block_types")  # config fields that list the kinds
LAYER_KINDS = (*ALLOWED_LAYER_TYPES, *_LEGACY_LAYER_TYPE_REMAP, "mlp", "recurrent")
# Patterns for code that tests whether a number is set, or compares it.
ASKS = r"\b(?:if|and|or|not)\s+(?:\w+\.)*{key}\s*(?:$|[):]|(?:and|or|else)\b)"
COMPARES = r"(?:\b{key}\s*(?:[<>%=!]=|[<>%]|is\b)|(?:[<>=!]=|[<>%]|\bin\b)\s*(?:\w+\.)*{key}\b)"
NEVER_NAMES = {"use_cache", "return_dict", "output_hidden_states", "output_attentions", "tie_word_embeddings"}


def part_at(config, path):
    """path: "", or a path that ends with a dot."""
    return functools.reduce(getattr, path.split(".")[:-1], config)


def other_configs(model_class, config, counts, described_parts):
    """Yields published configs, `config` with another value of one field, with shorter lists or with more layers, and
    the default. described_parts: parts of the config whose modules have their own rows; "": the whole config."""
    yield from published_configs(model_class.config_class)
    source = inspect.getsource(sys.modules[model_class.__module__])
    for path, part in configs_in(config):
        of_config = inspect.getsource(sys.modules[type(part).__module__])
        for key, value in list(vars(part).items()):
            if not key.startswith("_") and f"{path}{key}" not in counts and re.search(rf"\b{key}\b", source):
                for other in other_values(type(part), key, value, f"{source}\n{of_config}"):
                    if isinstance(value, bool) or path.rstrip(".") not in described_parts:
                        yield with_value(config, path, key, other)
        if hasattr(part, "is_decoder") and hasattr(part, "add_cross_attention"):  # cross-attention needs both
            yield with_value(with_value(config, path, "is_decoder", True), path, "add_cross_attention", True)
    yield from with_shorter_lists(config)
    with contextlib.suppress(Exception):
        yield with_layers(config, counts)
    default = model_class.config_class()
    if sum(value_of(default, count) or 0 for count in counts) <= MOST_LAYERS:
        yield default


def with_value(config, path, key, value):
    config = copy.deepcopy(config)
    setattr(part_at(config, path), key, value)
    return config


def other_values(config_class, key, value, source):
    """Yields other values of a field that may decide which tensors exist: a flag inverted; a number, a list of layers
    or a part removed; a number that code compares with; all layers of one kind."""
    types = annotation(config_class, key)
    if isinstance(value, bool):
        yield from () if key in NEVER_NAMES else (not value,)
    elif isinstance(value, transformers.PreTrainedConfig):
        yield from (None,) if "None" in types else ()
    elif key.endswith(KINDS_OF_LAYERS):
        for kind in LAYER_KINDS:
            if re.search(rf"[\"']{kind}[\"']", source):
                yield [kind] * len(value or "##")
    elif "list[int]" in types:
        yield from ([], [0], [1])
    elif "int" in types and not isinstance(value, (list, tuple, dict, str, float)):
        yield from (None,) if "None" in types and value is not None else ()
        if any(re.search(it.format(key=key), source, re.MULTILINE) for it in (ASKS, COMPARES)):
            yield from (0, 2)


def annotation(config_class, key):
    found = (vars(it).get("__annotations__", {}).get(key) for it in config_class.__mro__)
    return str(next(filter(None, found), ""))


@functools.cache
def published_parts():
    """Returns the config of each published model, and of its parts."""
    return [part for name in PUBLISHED for _, part in configs_in(published_config(name))]


def published_configs(config_class):
    return [it for it in published_parts() if type(it) is config_class]


def value_of(config, field):
    *parts, key = field.split(".")
    return getattr(functools.reduce(getattr, parts, config), key, None) if re.fullmatch(r"\w+", key) else None


def with_shorter_lists(config):
    """Yields configs in which all lists of one length (maybe the number of stages) are one shorter."""
    lists = [
        (part, key)
        for _, part in configs_in(config)
        for key, value in vars(part).items()
        if type(value) in (list, tuple) and len(value) > 1 and not key.startswith("_")
    ]
    for length in {len(getattr(part, key)) for part, key in lists}:
        other = copy.deepcopy(config)
        parts = [part for _, part in configs_in(config)]
        for part, key in lists:
            if len(getattr(part, key)) == length:
                its = [it for _, it in configs_in(other)][parts.index(part)]
                with contextlib.suppress(Exception):  # it must have this length
                    setattr(its, key, getattr(part, key)[:-1])
        yield other


def with_layers(config, counts):
    config = copy.deepcopy(config)
    for count in filter(functools.partial(value_of, config), counts):
        *parts, key = count.split(".")
        part = functools.reduce(getattr, parts, config)
        setattr(part, key, MORE_LAYERS)
        if getattr(part, "layer_types", None) is not None:
            part.layer_types = None
    return type(config)(**config.to_dict())
