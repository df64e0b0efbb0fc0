"""The vocabulary's tensors in the classes of transformers, written as src/checkpoint/names/vocabulary_table.cpp.

    python tests/libraries/vocabularies.py > src/checkpoint/names/vocabulary_table.cpp

Builds each class on the meta device from a small config, to find which tensors and config fields grow with the
vocabulary, which tensors are tied, and which fields say so. test_vocabularies.py makes the table again.
"""

import collections
import copy
import importlib
import inspect
import itertools
import multiprocessing
import re
import sys
from typing import NamedTuple

import torch
import transformers
from families import small_config
from transformers.core_model_loading import revert_weight_conversion
from transformers.models.auto import modeling_auto

TIE = "tie_word_embeddings"
LEFT_OUT = {"FSMTForConditionalGeneration", "FSMTModel"}  # they tie across two vocabularies
TIES_IN_CODE = re.compile(r"^\s+if self\.config\.tie_word_embeddings:", re.MULTILINE)  # to scale the head's input


class Row(NamedTuple):
    """What many classes have in common; see vocabulary.h."""

    tensors: str
    size_fields: str
    tie_fields: str
    ties_by_default: bool
    unties_by_field: bool
    shares_rows: bool


def all_classes():
    mappings = [mapping for name, mapping in vars(modeling_auto).items() if name.endswith("_MAPPING_NAMES")]
    named = itertools.chain.from_iterable(mapping.values() for mapping in mappings)
    names = {name for names in named for name in ([names] if isinstance(names, str) else names)}
    return sorted(name for name in names if is_model(name))


def is_model(name):
    """Whether it is a class, not the mapping from families to configs, and its library is installed."""
    try:
        return hasattr(getattr(transformers, name, None), "config_class")
    except Exception:
        return False


def build(model_class, config, device="meta"):
    with torch.device(device):
        model = model_class(copy.deepcopy(config))
    model.tie_weights()
    return model


def tensors_of(model):
    """Returns all parameters and the stored buffers, by each of their names."""
    stored = model.state_dict().keys()
    buffers = model.named_buffers(remove_duplicate=False)
    return dict(model.named_parameters(remove_duplicate=False)) | {name: it for name, it in buffers if name in stored}


def shapes_of(model):
    return {name: tuple(tensor.shape) for name, tensor in tensors_of(model).items()}


def flat(config, prefix=""):
    found = {}
    for key, value in config.items():
        found |= flat(value, f"{prefix}{key}.") if isinstance(value, dict) else {f"{prefix}{key}": value}
    return found


def parts_with_config(config, prefix=()):
    found = [prefix]
    for key in config.sub_configs:
        part = getattr(config, key, None)
        if isinstance(part, transformers.PreTrainedConfig):
            found += parts_with_config(part, (*prefix, key))
    return found


def field(path):
    return ".".join((*path, TIE))


def groups_among(model, names):
    """Returns the groups of tied tensors, with the one first that transformers saves: groups with one of `names`, and
    others that the same fields tie, except groups of layers, whose number depends on the config."""
    groups = collections.defaultdict(list)
    for name, tensor in tensors_of(model).items():
        groups[id(tensor)].append(name)
    sources = set(model.all_tied_weights_keys.values())
    found = [sorted(group, key=lambda name: name not in sources) for group in groups.values() if len(group) > 1]
    is_of_layers = re.compile(r"\.\d+\.").search
    found = [group for group in found if names & set(group) or not any(map(is_of_layers, group))]
    return found if any(names & set(group) for group in found) else []


def is_chosen_by_config(model, group):
    """Whether the tensors belong to a part whose class is in another module: then other configs give other names."""
    return any(
        isinstance(part, transformers.PreTrainedModel)
        and type(part).__module__ != type(model).__module__
        and all(name.startswith(f"{path}.") for name in group)
        for path, part in model.named_modules()
        if path
    )


def file_name(model, name):
    tensor = torch.empty_like(tensors_of(model)[name], device="meta")
    (found,) = revert_weight_conversion(model, {name: tensor})
    return found


class Ties:
    """The fields of a config that tie a class's embeddings."""

    def __init__(self, model_class, config, names):
        self.model_class, self.names = model_class, names
        self.config = config.to_dict()
        self.parts = [path for path in parts_with_config(config) if isinstance(self.part(self.config, path), dict)]
        self.tied = self.groups(dict.fromkeys(self.parts, True))

    @staticmethod
    def part(config, path):
        for key in path:
            config = config.get(key)
        return config

    def groups(self, values):
        """Returns the tied groups if the flag has these values, and is absent elsewhere."""
        config = copy.deepcopy(self.config)
        for path in self.parts:
            self.part(config, path).pop(TIE, None)
            if path in values:
                self.part(config, path)[TIE] = values[path]
        return groups_among(build(self.model_class, self.model_class.config_class.from_dict(config)), self.names)

    def deciding(self):
        """Returns the parts whose flags decide (one that is true ties), and whether a config without flags ties."""
        default = self.groups({})
        parts = [part for part in self.parts if any(self.groups({part: it}) != default for it in (True, False))]
        if len(parts) > 1 and default:
            raise ValueError(f"several fields untie: {parts}")
        for values in itertools.product([None, True, False], repeat=len(parts)):
            said = {part: value for part, value in zip(parts, values, strict=True) if value is not None}
            expected = any(said.get(part, bool(default)) for part in parts) if parts else bool(default)
            if bool(self.groups(said)) != expected:
                raise ValueError(f"ties for {said}, against the rule")
        return parts, bool(default)


def grown(model_class, config, names):
    """Returns the tensors and fields that follow the number of tokens, if transformers can change it."""
    for device in ("meta", "cpu"):  # some classes read values, which a meta tensor does not have
        found = grown_on(build(model_class, config, device), model_class, names)
        if found is not None:
            return found
    return names, []


def grown_on(model, model_class, names):
    shapes, fields = shapes_of(model), flat(model.config.to_dict())
    try:
        model.resize_token_embeddings(len(model.get_input_embeddings().weight) + 72, mean_resizing=False)
        again = shapes_of(build(model_class, model.config))
    except Exception:
        return None
    if again != shapes_of(model):  # transformers would not load what it saves
        return None
    now = flat(model.config.to_dict())
    return (
        names | {name for name, shape in again.items() if shape != shapes[name]},
        [key for key, value in now.items() if value != fields.get(key)],
    )


def weight_name(model, get):
    try:
        weight = get().weight
    except (AttributeError, NotImplementedError):
        return set()
    return {name for name, tensor in tensors_of(model).items() if tensor is weight} if weight.dim() == 2 else set()


def describe(class_name):
    """Returns the row of a class; None if it has no vocabulary, or if the names depend on another class."""
    if class_name in LEFT_OUT:
        return None
    model_class = getattr(transformers, class_name)
    config = small_config(model_class.config_class)
    model = build(model_class, config)
    names = weight_name(model, model.get_input_embeddings) | weight_name(model, model.get_output_embeddings)
    if not names:
        return None
    ties = Ties(model_class, config, names)
    names, size_fields = grown(model_class, config, names)
    ties.names = names
    ties.tied = ties.groups(dict.fromkeys(ties.parts, True))
    if any(is_chosen_by_config(model, group) for group in ties.tied):
        return None
    parts, default = ties.deciding() if ties.tied else ([], False)
    alone = [[name] for name in sorted(names - set(itertools.chain(*ties.tied)))]
    groups = ties.tied + alone if size_fields else ties.tied or alone

    def both_names(name):
        stored = file_name(model, name)
        return name if stored == name else f"{name}>{stored}"

    return Row(
        " ".join("=".join(map(both_names, group)) for group in groups),
        " ".join(size_fields),
        " ".join(map(field, parts)),
        default,
        bool(parts) and not TIES_IN_CODE.search(inspect.getsource(importlib.import_module(model_class.__module__))),
        bool(model_class._tied_weights_keys),  # peft looks there
    )


def described(class_name):
    """Returns None for a class that transformers cannot build this way, or that needs a library or a foreign class."""
    try:
        return describe(class_name)
    except Exception as error:
        print(f"{class_name}: {type(error).__name__}: {str(error).splitlines()[0][:120]}", file=sys.stderr)
        return None


def table(class_names, processes=2):
    """Maps each row to its classes."""
    transformers.logging.set_verbosity_error()
    with multiprocessing.get_context("fork").Pool(processes, torch.set_num_threads, (1,)) as pool:
        rows = pool.map(described, class_names, chunksize=8)
    found = collections.defaultdict(list)
    for name, row in zip(class_names, rows, strict=True):
        if row is not None:
            found[row].append(name)
    return dict(sorted(found.items(), key=lambda it: it[1]))


def literal(text, indent="     "):
    """A C++ string in lines of 120 columns."""
    lines, line = [], ""
    for word in re.findall(r"[^\s=>]+[\s=>]?", text):
        if line and len(line) + len(word) > 108:
            lines.append(line)
            line = ""
        line += word
    return f"\n{indent}".join(f'"{it}"' for it in (*lines, line))


def print_table(rows):
    print(f"""\
// Made by tests/libraries/vocabularies.py from transformers {transformers.__version__}, and again by its test.
#include <array>

#include "checkpoint/names/vocabulary.h"

namespace qfuse::checkpoint {{
namespace {{

// clang-format off
constexpr std::array<VocabularyRow, {len(rows)}> kRows{{{{""")
    for row, names in rows.items():
        flags = ", ".join(str(it).lower() for it in (row.ties_by_default, row.unties_by_field, row.shares_rows))
        texts = ",\n     ".join(map(literal, (" ".join(names), row.tensors, row.size_fields, row.tie_fields)))
        print(f"    {{{texts}, {flags}}},")
    print("""\
}};
// clang-format on

}  // namespace

std::span<const VocabularyRow> vocabulary_table() { return kRows; }

}  // namespace qfuse::checkpoint""")


if __name__ == "__main__":
    print_table(table(sys.argv[1:] or all_classes()))
