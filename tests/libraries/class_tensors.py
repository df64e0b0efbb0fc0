"""Names and shapes of the tensors of transformers' classes: made into src/checkpoint/names/class_table.cpp.

    python tests/libraries/class_tensors.py > src/checkpoint/names/class_table.cpp

Each class that vocabularies.py knows, and each that is a part of one, is built without memory from small configs whose
numbers know what they are called, so that a tensor's shape says how it follows from config.json. It is built again with
each flag of the config turned, with more layers and with the default sizes: a tensor that is not always there is
optional, and a dimension that is not the same expression each time is unknown. class_tensors.h describes the table.
"""

import collections
import contextlib
import copy
import functools
import inspect
import itertools
import json
import multiprocessing
import re
import signal
import string
import sys
import textwrap
import warnings
from pathlib import Path
from typing import NamedTuple

import torch
import transformers
from families import small_config
from published import PUBLISHED, published_config
from symbols import UNKNOWN, configs_in, sizes_of, traced, with_symbols
from transformers.configuration_utils import _LEGACY_LAYER_TYPE_REMAP, ALLOWED_LAYER_TYPES
from transformers.core_model_loading import revert_weight_conversion
from transformers.models.auto import modeling_auto
from vocabularies import all_classes, is_model, tensors_of

SOURCES = Path(__file__).parents[2] / "src/checkpoint/names"
SECONDS = 60  # that one way to build a class may take
MOST_LAYERS = 100  # of a default config that is built
MORE_LAYERS = 6
ALIKE = "!"  # in a mark
LEAST_SHARED = 24  # characters of a module's text
LEFT_OUT = {"Kimi_K25ForConditionalGeneration", "Kimi_K25Model"}  # two layers of which are saved under one name
ANY = ["*"]  # sizes: of any shape
NUMBER = r"(?<=\.)\d+(?=\.|$)"  # in a name
KINDS_OF_LAYERS = ("layer_types", "block_type", "block_types")  # how a config's list of them is called
LAYER_KINDS = (*ALLOWED_LAYER_TYPES, *_LEGACY_LAYER_TYPE_REMAP, "mlp", "recurrent")
# Code that asks whether a number is there, or compares it.
ASKS = r"\b(?:if|and|or|not)\s+(?:\w+\.)*{key}\s*(?:$|[):]|(?:and|or|else)\b)"
COMPARES = r"(?:\b{key}\s*(?:[<>%=!]=|[<>%]|is\b)|(?:[<>=!]=|[<>%]|\bin\b)\s*(?:\w+\.)*{key}\b)"
MOST_BUILDS = 100
NEVER_NAMES = {"use_cache", "return_dict", "output_hidden_states", "output_attentions", "tie_word_embeddings"}


# ---- a class, built in one way ------------------------------------------------------------------------------------


class Build:
    """A model's tensors by their names in memory, and the sizes of lists of modules as expressions."""

    def __init__(self, model_class, config):
        config = with_symbols(copy.deepcopy(config))
        with traced():
            self.model = model_class(config)
        self.model.tie_weights()
        self.tensors = tensors_of(self.model)
        self.counts = {path: it.count for path, it in self.model.named_modules() if hasattr(it, "count")}


class Patterns:
    """Names in which # stands for the number of a layer: where how many there are follows from the config, or is not
    the same in all builds."""

    def __init__(self, builds):
        self.counts, numbers = {}, []
        for built in builds:
            found = collections.defaultdict(set)
            for name in built.tensors:
                for prefix, number in self.split(name, lambda _: True)[1]:
                    found[prefix].add(number)
            numbers.append(found)
            for path, count in built.counts.items():
                prefix = self.split(f"{path}.0", lambda _: True)[1][-1][0]
                is_known = UNKNOWN not in count and self.counts.get(prefix, count) == count
                self.counts[prefix] = count if is_known else ""
        self.varying = {
            prefix
            for prefix in set().union(*numbers)
            if prefix in self.counts or len({frozenset(it[prefix]) for it in numbers if prefix in it}) > 1
        }

    @staticmethod
    def split(name, is_numbered):
        """The pattern, and for each # in it what stands before, with # for every number, and the number."""
        parts, raw, numbers = [], [], []
        for part in name.split("."):
            if part.isdigit():
                prefix = ".".join(raw)
                raw.append("#")
                if is_numbered(prefix):
                    numbers.append((prefix, part))
                    part = "#"
            else:
                raw.append(part)
            parts.append(part)
        return ".".join(parts), numbers

    def of(self, name):
        pattern, numbers = self.split(name, self.varying.__contains__)
        return pattern, tuple(number for _, number in numbers), tuple(prefix for prefix, _ in numbers)


def both(sizes, others):
    if len(sizes) != len(others) or ANY in (sizes, others):
        return ANY
    return [a if a == b else UNKNOWN for a, b in zip(sizes, others, strict=True)]


@contextlib.contextmanager
def limited(seconds):
    def stop(*_):
        raise TimeoutError

    previous = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, previous)


def build(model_class, config):
    """None where transformers cannot."""
    try:
        with limited(SECONDS):
            return Build(model_class, config)
    except Exception:
        return None


def part_at(config, path):
    """path: "", or with a dot at its end."""
    return functools.reduce(getattr, path.split(".")[:-1], config)


def other_configs(model_class, config, counts, described_parts):
    """Those of published models, the same with a field of another value, with shorter lists, with more layers, and the
    default one. described_parts: of the config, those whose modules have rows of their own; "" for all of it."""
    yield from published_configs(model_class.config_class)
    source = inspect.getsource(sys.modules[model_class.__module__])
    for path, part in configs_in(config):
        of_config = inspect.getsource(sys.modules[type(part).__module__])
        for key, value in list(vars(part).items()):
            if not key.startswith("_") and f"{path}{key}" not in counts and re.search(rf"\b{key}\b", source):
                for other in other_values(type(part), key, value, f"{source}\n{of_config}"):
                    if isinstance(value, bool) or path.rstrip(".") not in described_parts:
                        yield with_value(config, path, key, other)
        if hasattr(part, "is_decoder") and hasattr(part, "add_cross_attention"):  # which one without the other is not
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
    """What else a field may be that decides which tensors there are: a flag turned; a number, a list of layers or a
    part that is left out; a number that code compares; layers all of one kind."""
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
    """Of each published model, its config and its parts'."""
    return [part for name in PUBLISHED for _, part in configs_in(published_config(name))]


def published_configs(config_class):
    return [it for it in published_parts() if type(it) is config_class]


def value_of(config, field):
    *parts, key = field.split(".")
    return getattr(functools.reduce(getattr, parts, config), key, None) if re.fullmatch(r"\w+", key) else None


def with_shorter_lists(config):
    """Those that are equally long, which may be as many as there are stages of a model."""
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
                with contextlib.suppress(Exception):  # one that has to be so long
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


# ---- a class, described -------------------------------------------------------------------------------------------


class Entry(NamedTuple):
    """Of a tensor: the expressions of its sizes; * for any. mark: as class_tensors.h has it. counts: for each # in its
    name, how many there are, "" if that is unknown."""

    sizes: tuple
    mark: str
    counts: tuple


class Described(NamedTuple):
    """entries: by the pattern of their names in files. parts: modules whose class has a row of its own, by their names
    in files, to the part of the config that it has, and its name. ignored: what transformers passes over. prefix: that
    names may lack. config_type: the family of its config."""

    entries: dict
    parts: dict
    ignored: tuple
    prefix: str
    config_type: str


def is_everywhere(pattern, numbers):
    """Whether each layer has it that has anything. `numbers`: of all patterns."""
    depth = pattern.count("#")
    others = {it[:depth] for other, its in numbers.items() if other.startswith(above(pattern)) for it in its}
    return depth == 0 or others == numbers[pattern]


def is_left_out(model, name):
    ignored = [*(model._keys_to_ignore_on_load_missing or ()), *(model._keys_to_ignore_on_save or ())]
    return any(re.search(pattern, name) for pattern in ignored)


def is_needed(model, name):
    return name not in model.all_tied_weights_keys and not is_left_out(model, name)


def stored_names(built, name):
    """Names in files of what is called so in memory, and whether it is the same tensor there."""
    tensor = torch.empty_like(built.tensors[name], device="meta")
    found = revert_weight_conversion(built.model, {name: tensor})
    return list(found), [it.shape for it in found.values()] == [tensor.shape]


def all_stored_names(built):
    tensors = {name: torch.empty_like(it, device="meta") for name, it in built.tensors.items()}
    return set(revert_weight_conversion(built.model, tensors))


def above(pattern):
    """The numbered module that it is in: of those in one, each number has its own."""
    return pattern[: pattern.rindex("#") + 1] if "#" in pattern else ""


def groups_of(numbers, names):
    """Patterns to the group of each: those within one module that are in the same layers in all builds. `numbers`: of
    all patterns, build by build."""
    found = collections.defaultdict(list)
    for name in sorted(names):
        found[above(name), tuple(frozenset(it.get(name, ())) for it in numbers)].append(name)
    groups, last = {}, collections.Counter()
    for (module, _), members in found.items():
        if len(members) > 1:
            groups |= dict.fromkeys(members, str(last[module]))
            last[module] += 1
    return groups


def told_apart(builds, patterns):
    """Patterns that one of two numbered modules lacks which are else alike."""
    found = set()
    for built in builds:
        modules = collections.defaultdict(lambda: collections.defaultdict(set))
        for name, tensor in built.tensors.items():
            pattern, numbers, _ = patterns.of(name)
            modules[above(pattern), numbers[:-1]][numbers].add((pattern, tuple(tensor.shape)))
        for of_one_list in modules.values():
            different = set(map(frozenset, of_one_list.values()))
            for members in different:
                found |= {member[0] for member in members if members - {member} in different}
    return found


def size_of_part(size, whole, part, may_be_half):
    """The expression for a dimension of what a tensor with that expression is split into."""
    if whole == part:
        return size
    return f"({size}/2)" if may_be_half and whole == 2 * part and size != UNKNOWN else UNKNOWN


def files_layout(builds, name, pattern, entry):
    """Of a tensor that files have in another way, one or more for each layer: the module of the layer in files, and
    their patterns to sizes and counts. None where their names have other numbers."""
    having = (it for it in builds if name in it.tensors)
    built = max(having, key=lambda it: len(set(it.tensors[name].shape)))  # so that sizes are told apart
    shape = built.tensors[name].shape
    stored = revert_weight_conversion(built.model, {name: torch.empty(shape, device="meta")})
    numbers = re.findall(NUMBER, name)
    found = {}
    for other, tensor in stored.items():
        its = re.findall(NUMBER, other)
        is_stacked = len(its) == len(numbers) + 1 and len(shape) == tensor.dim() + 1
        if its[: len(numbers)] != numbers or (its != numbers and not is_stacked):
            return None
        wholes = zip(entry.sizes[is_stacked:], shape[is_stacked:], strict=True)
        sizes = [
            size_of_part(size, whole, part, is_stacked)
            for (size, whole), part in zip(wholes, tensor.shape, strict=True)
        ]
        counts = (*entry.counts, entry.sizes[0].replace(UNKNOWN, "")) if is_stacked else entry.counts
        found[stored_pattern(other, f"{pattern}.#" if is_stacked else pattern)] = (tuple(sizes), counts)
    depth = pattern.count("#")
    modules = {"#".join(it.split("#", depth)[:depth]) + "#" for it in found}
    return (modules.pop(), found) if len(modules) == 1 else None


def entries_of(builds):
    patterns = Patterns(builds)
    sizes, examples, numbers, counts = {}, {}, [], {}
    for built in builds:
        found = collections.defaultdict(set)
        for name, tensor in built.tensors.items():
            pattern, its_numbers, prefixes = patterns.of(name)
            found[pattern].add(its_numbers)
            examples.setdefault(pattern, (built, name))
            sizes[pattern] = both(sizes.get(pattern, sizes_of(tensor)), sizes_of(tensor))
            counts[pattern] = tuple(patterns.counts.get(it, "") for it in prefixes)
        numbers.append(found)
    saved = all_stored_names(builds[0])
    found = {pattern: stored_names(*example) for pattern, example in examples.items()}
    uses = collections.Counter(itertools.chain(*(stored for stored, _ in found.values())))
    needed = {
        pattern
        for pattern, (built, name) in examples.items()
        if (built is not builds[0] or saved.issuperset(found[pattern][0])) and is_needed(built.model, name)
    }
    always = {it for it in needed if all(it in its and is_everywhere(it, its) for its in numbers)}
    groups = groups_of(numbers, needed - always)
    free = told_apart(builds, patterns)
    alone = {it: "" if it in free or it not in needed or not above(it) else ALIKE for it in examples}
    entries, letters = {}, {}
    by_part = {}  # what is first in the tensors that files have as one
    for pattern, (_, name) in examples.items():
        entry = Entry(
            tuple(sizes[pattern]),
            "" if pattern in always else f"?{groups.get(pattern, alone[pattern])}",
            counts[pattern],
        )
        stored, is_same = found[pattern]
        if is_same and uses[stored[0]] == 1:
            entries[stored_pattern(stored[0], pattern)] = entry
            continue
        layout = files_layout(builds, name, pattern, entry) if above(pattern) else None
        if layout is None:
            others = {re.sub(NUMBER, "#", it) for it in stored}
            entries[pattern] = entry._replace(mark="~")
            entries |= {it: Entry(("*",), "~", ("",) * it.count("#")) for it in others}
            continue
        module, parts = layout
        tail = pattern.removeprefix(above(pattern))
        key = min(by_part.setdefault(part, tail) for part in parts)
        letter = letters.setdefault(key, string.ascii_lowercase[len(letters)])
        entries[module + tail] = entry._replace(mark=f"{entry.mark}={letter}")
        for part, (its_sizes, its_counts) in parts.items():
            entries[part] = Entry(its_sizes if uses[stored[0]] == 1 else ("*",), f"~{letter}", its_counts)
    return entries


def stored_pattern(stored, pattern):
    """The pattern of a file's name that has the same numbers as the one in memory, perhaps with others before them."""
    marks = iter(re.findall(r"(?<=\.)(?:\d+|#)(?=\.|$)", pattern))
    return re.sub(NUMBER, lambda match: next(marks, match[0]), stored)


@functools.cache
def small_build(class_name):
    model_class = getattr(transformers, class_name)
    return Build(model_class, small_config(model_class.config_class))


@functools.cache
def stored_of_small(class_name):
    built = small_build(class_name)
    return {stored for name in built.tensors for stored in stored_names(built, name)[0]}


def parts_of(built, known):
    """Modules that are as their class is alone: by their names in memory, and in files."""
    where = {id(part): path for path, part in configs_in(built.model.config)}
    found = {}
    for path, module in built.model.named_modules():
        name = type(module).__name__
        is_candidate = path and isinstance(module, transformers.PreTrainedModel) and name in known
        if is_candidate and id(module.config) in where and not any(path.startswith(f"{it}.") for it in found):
            prefix = prefix_in_files(built, path, name)
            if prefix is not None:
                found[path] = (prefix, where[id(module.config)].rstrip("."), name)
    return found


def has_module(built, path, class_name):
    return any(name == path and type(it).__name__ == class_name for name, it in built.model.named_modules())


def lacks_part(built, path):
    """Whether the config of a part is None."""
    return (
        bool(path)
        and functools.reduce(lambda it, key: it and getattr(it, key), path.split("."), built.model.config) is None
    )


def prefix_in_files(built, path, class_name):
    try:
        alone = stored_of_small(class_name)
    except Exception:
        return None
    names = [name for name in built.tensors if name.startswith(f"{path}.")]
    if any(is_left_out(built.model, name) for name in names):
        return None  # which the part by itself does not say
    stored = {it for name in names for it in stored_names(built, name)[0]}
    first = min(alone, default=None)
    prefixes = {it[: -len(first)] for it in stored if it.endswith(f".{first}")} if first else ()
    fitting = [it.rstrip(".") for it in prefixes if stored == {it + name for name in alone}]
    return fitting[0] if len(fitting) == 1 else None


def describe(class_name, known):
    model_class = getattr(transformers, class_name)
    first = small_build(class_name)
    parts = parts_of(first, known - {class_name})
    config = small_config(model_class.config_class)
    described_parts = {path for _, path, _ in parts.values()}
    others = other_configs(model_class, config, set(first.counts.values()), described_parts)
    others = itertools.islice(others, MOST_BUILDS)
    builds = [first, *filter(None, (build(model_class, it) for it in others))]
    parts = {
        path: it
        for path, it in parts.items()
        if all(has_module(built, path, it[2]) or lacks_part(built, it[1]) for built in builds)
    }
    for built in builds:
        built.tensors = {
            name: it for name, it in built.tensors.items() if not any(name.startswith(f"{path}.") for path in parts)
        }
    small_build.cache_clear()  # whose tensors these were
    ignored = sorted(first.model._keys_to_ignore_on_load_unexpected or ())
    parts = {prefix: (path, name) for prefix, path, name in parts.values()}
    config_type = model_class.config_class.model_type
    return Described(entries_of(builds), parts, tuple(ignored), model_class.base_model_prefix, config_type)


def described(class_name, known):
    """None for a class that transformers cannot build so, or that would need a library."""
    try:
        return describe(class_name, known)
    except Exception as error:
        print(f"{class_name}: {type(error).__name__}: {str(error).splitlines()[:1]}", file=sys.stderr)
        return None


def all_described(class_names, processes=2):
    """Of these and, as far as is known, of their parts: name to Described."""
    warnings.filterwarnings("ignore")
    transformers.logging.set_verbosity_error()
    known = set(all_classes()) - LEFT_OUT
    found = {}
    with multiprocessing.get_context("fork").Pool(processes, torch.set_num_threads, (1,)) as pool:
        wanted = set(class_names)
        while wanted:
            names = sorted(wanted)
            descriptions = pool.map(functools.partial(described, known=known), names, chunksize=4)
            found |= dict(zip(names, descriptions, strict=True))
            wanted = {name for it in found.values() if it for _, name in it.parts.values()} - found.keys()
    return {name: it for name, it in sorted(found.items()) if it}


# ---- the table ----------------------------------------------------------------------------------------------------


def tree_of(it, aliases):
    """Modules within modules, as dicts; tensors and parts as texts."""
    root = {}

    def put(name, form, counts=()):
        counts = iter(counts)
        *modules, leaf = [f"#{{{next(counts)}}}" if part == "#" else part for part in name.split(".")]
        functools.reduce(lambda node, part: node.setdefault(part, {}), modules, root)[leaf + form] = ""

    for name, entry in it.entries.items():
        put(name, f"[{','.join(entry.sizes)}]{entry.mark}", entry.counts)
    for name, (path, class_name) in it.parts.items():
        put(name, f"={path}:{aliases.get(class_name, class_name)}")
    return root


class Writer:
    """Texts of modules; one that several have is written once, and called by its number."""

    def __init__(self):
        self.uses, self.numbers = collections.Counter(), {}

    def text(self, tree, below):
        return " ".join(name + (it if isinstance(it, str) else below(it)) for name, it in tree.items())

    def whole(self, tree):
        return f"({self.text(tree, self.whole)})"

    def count(self, tree):
        self.uses[self.whole(tree)] += 1
        return self.text(tree, self.count)

    def write(self, tree):
        whole = self.whole(tree)
        if self.uses[whole] < 2 or len(whole) < LEAST_SHARED:
            return f"({self.text(tree, self.write)})"
        if whole not in self.numbers:
            text = self.text(tree, self.write)
            self.numbers[whole] = (len(self.numbers), text)
        return f"@{self.numbers[whole][0]}"


def model_types():
    """Name of a class to the families for which AutoModel takes it."""
    found = collections.defaultdict(list)
    for family, names in modeling_auto.MODEL_MAPPING_NAMES.items():
        for name in [names] if isinstance(names, str) else names:
            found[name].append(family)
    return found


def table(found):
    """Rows, as class_tensors.h has them, and the shared modules. Classes that are alike are one, also where they are
    parts."""
    aliases, types = {}, model_types()
    while True:
        alike = collections.defaultdict(list)
        for name, it in found.items():
            alike[str(tree_of(it, aliases)), it.prefix, it.ignored].append(name)
        now = {name: names[0] for names in alike.values() for name in names}
        if now == aliases:
            break
        aliases = now
    writer = Writer()
    trees = [tree_of(found[names[0]], aliases) for names in alike.values()]
    for tree in trees:
        writer.count(tree)
    rows = [
        (
            " ".join(names),
            " ".join(sorted({found[name].config_type for name in names})),
            " ".join(sorted({family for name in names for family in types[name]})),
            prefix,
            writer.text(tree, writer.write),
            " ".join(ignored),
        )
        for tree, ((_, prefix, ignored), names) in zip(trees, alike.items(), strict=True)
    ]
    return rows, [text for _, text in sorted(writer.numbers.values())]


def table_classes():
    """Those of vocabulary_table.cpp, whose parts come by themselves."""
    rows = (SOURCES / "vocabulary_table.cpp").read_text()
    return sorted(name for name in set(re.findall(r"[A-Z]\w+", rows)) - LEFT_OUT if is_model(name))


def literals(text):
    """A C++ string in lines of 120 columns."""
    lines = textwrap.wrap(text, 108, drop_whitespace=False, break_on_hyphens=False) or [""]
    return [json.dumps(line) for line in lines]


def packed(texts, indent="    "):
    """C++ strings, with commas behind each, as many as fit into a line."""
    lines = [indent]
    for text in texts:
        *pieces, last = literals(text)
        for piece in (*pieces, f"{last},"):
            if len(lines[-1]) + len(piece) + 1 > 120:
                lines.append(indent)
            lines[-1] += f" {piece}" if lines[-1] != indent else piece
    return "\n".join(lines)


def print_table(found):
    rows, shared = table(found)
    print(f"""\
// Made by tests/libraries/class_tensors.py from transformers {transformers.__version__}, and again by its test.
#include <array>

#include "checkpoint/names/class_tensors.h"

namespace qfuse::checkpoint {{
namespace {{

// clang-format off
constexpr std::array<std::string_view, {len(shared)}> kSharedModules{{{{
{packed(shared)}
}}}};

constexpr std::array<ClassRow, {len(rows)}> kClassRows{{{{""")
    for row in rows:
        print("    {" + packed(row, "     ").strip().rstrip(",") + "},")
    print("""\
}};
// clang-format on

}  // namespace

std::span<const ClassRow> class_table() { return kClassRows; }
std::span<const std::string_view> shared_modules() { return kSharedModules; }

}  // namespace qfuse::checkpoint""")


if __name__ == "__main__":
    print_table(all_described(sys.argv[1:] or table_classes()))
