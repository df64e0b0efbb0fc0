"""Configurations with the structure of published models but small sizes, read from published.json.

They include, as published, what a table of classes easily gets wrong: layers of several kinds, dense layers before MoE
layers, steps, parts that a zero or None removes, tied and shared layers. Sizes are small, because files of them are
written. Each key is the name of the model whose structure the entry has. The value has the class and the fields of its
config, among which "is" lists groups of further fields; later groups override earlier ones.
"""

import json
from pathlib import Path

import torch
import transformers
from transformers.core_model_loading import revert_weight_conversion

TABLE = json.loads(Path(__file__).with_suffix(".json").read_text())


def fields_of(config):
    found = {}
    for group in config.get("is", ()):
        found |= fields_of(TABLE["groups"][group])
    own = {key: value for key, value in config.items() if key != "is"}
    return found | {key: fields_of(value) if isinstance(value, dict) else value for key, value in own.items()}


PUBLISHED = {name: (class_name, fields_of(config)) for name, (class_name, config) in TABLE["models"].items()}


def published_config(name):
    class_name, fields = PUBLISHED[name]
    return getattr(transformers, class_name).config_class(**fields)


def build(name):
    """Builds a model on the meta device."""
    with torch.device("meta"):
        model = getattr(transformers, PUBLISHED[name][0])(published_config(name))
    model.tie_weights()
    return model


def stored_shapes(model):
    """Returns name -> shape for the tensors that transformers would save."""
    state = model.state_dict()
    kept = {name: it for name, it in state.items() if name not in model.all_tied_weights_keys}
    ignored = model._keys_to_ignore_on_save or ()
    kept = {name: torch.empty_like(it, device="meta") for name, it in kept.items() if name not in ignored}
    return {name: list(it.shape) for name, it in revert_weight_conversion(model, kept).items()}
