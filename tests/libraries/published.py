"""Configurations with the structure of published models, and the sizes of small ones: published.json.

What a table of classes is easily wrong about is there as it is published: layers of several kinds, dense layers before
mixtures, steps, parts that a zero or None leaves out, tied and shared layers. Sizes are small, because files of them
are written. The name of a model whose structure it has is that of each; then come its class, and the fields of its
config, among which "is" lists the groups of fields that it has besides, of which the last one counts.
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
    """A model without memory."""
    with torch.device("meta"):
        model = getattr(transformers, PUBLISHED[name][0])(published_config(name))
    model.tie_weights()
    return model


def stored_shapes(model):
    """Of what transformers would save: name to shape."""
    state = model.state_dict()
    kept = {name: it for name, it in state.items() if name not in model.all_tied_weights_keys}
    ignored = model._keys_to_ignore_on_save or ()
    kept = {name: torch.empty_like(it, device="meta") for name, it in kept.items() if name not in ignored}
    return {name: list(it.shape) for name, it in revert_weight_conversion(model, kept).items()}
