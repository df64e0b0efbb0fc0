"""Names and shapes of the tensors of transformers' classes, written as src/checkpoint/names/class_table.cpp.

    python tests/libraries/class_tensors.py > src/checkpoint/names/class_table.cpp

Builds each class that vocabularies.py knows, and each class that is part of one, on the meta device from small configs.
Their numbers remember their names, so that a tensor's shape shows how it follows from config.json. Builds the class
again with each flag of the config inverted, with more layers and with the default sizes. A tensor that some build lacks
is optional, and a dimension whose expression varies is unknown. class_tensors.h describes the table.
"""

import collections
import contextlib
import copy
import functools
import itertools
import multiprocessing
import re
import signal
import string
import sys
import warnings
from pathlib import Path
from typing import NamedTuple

import torch
import transformers
from class_configs import other_configs
from class_table import print_table
from families import small_config
from symbols import UNKNOWN, configs_in, sizes_of, traced, with_symbols
from transformers.core_model_loading import revert_weight_conversion
from vocabularies import all_classes, is_model, tensors_of

SOURCES = Path(__file__).parents[2] / "src/checkpoint/names"
SECONDS = 60  # time limit for one way to build a class
ALIKE = "!"  # part of a mark: see class_tensors.h
LEFT_OUT = {"Kimi_K25ForConditionalGeneration", "Kimi_K25Model"}  # two of their layers are saved under one name
ANY = ["*"]  # sizes of a tensor that may have any shape
NUMBER = r"(?<=\.)\d+(?=\.|$)"  # matches a number in a name
MOST_BUILDS = 100


# ---- a class, built in one way ------------------------------------------------------------------------------------


class Build:
    """A model's tensors by name in memory, and the lengths of its module lists as expressions."""

    def __init__(self, model_class, config):
        config = with_symbols(copy.deepcopy(config))
        with traced():
            self.model = model_class(config)
        self.model.tie_weights()
        self.tensors = tensors_of(self.model)
        self.counts = {path: it.count for path, it in self.model.named_modules() if hasattr(it, "count")}


class Patterns:
    """Maps names to patterns, in which # replaces a layer number if the config decides how many layers there are, or if
    the numbers differ between builds."""

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
        """Returns the name's pattern, and (prefix, number) for each # in it. The prefix has # for every number."""
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
    """Returns None if transformers cannot build the class within SECONDS."""
    try:
        with limited(SECONDS):
            return Build(model_class, config)
    except Exception:
        return None


# ---- a class, described -------------------------------------------------------------------------------------------


class Entry(NamedTuple):
    """sizes: the expressions of a tensor's sizes; * for any. mark: as in class_tensors.h. counts: for each # in the
    name, the expression of its count; "" if unknown."""

    sizes: tuple
    mark: str
    counts: tuple


class Described(NamedTuple):
    """entries: by name pattern in files. parts: modules whose class has its own row: name in files -> (path of their
    part of the config, class name). ignored: patterns of names that transformers ignores. prefix: optional prefix of
    names. config_type: model_type of the config."""

    entries: dict
    parts: dict
    ignored: tuple
    prefix: str
    config_type: str


def is_everywhere(pattern, numbers):
    """Whether every layer that has any tensor has this one. `numbers`: layer numbers of all patterns."""
    depth = pattern.count("#")
    others = {it[:depth] for other, its in numbers.items() if other.startswith(above(pattern)) for it in its}
    return depth == 0 or others == numbers[pattern]


def is_left_out(model, name):
    ignored = [*(model._keys_to_ignore_on_load_missing or ()), *(model._keys_to_ignore_on_save or ())]
    return any(re.search(pattern, name) for pattern in ignored)


def is_needed(model, name):
    return name not in model.all_tied_weights_keys and not is_left_out(model, name)


def stored_names(built, name):
    """Returns the names in files of the tensor `name` in memory, and whether files store it unchanged."""
    tensor = torch.empty_like(built.tensors[name], device="meta")
    found = revert_weight_conversion(built.model, {name: tensor})
    return list(found), [it.shape for it in found.values()] == [tensor.shape]


def all_stored_names(built):
    tensors = {name: torch.empty_like(it, device="meta") for name, it in built.tensors.items()}
    return set(revert_weight_conversion(built.model, tensors))


def above(pattern):
    """Returns the innermost numbered module that contains the pattern, up to its #; "" if there is none."""
    return pattern[: pattern.rindex("#") + 1] if "#" in pattern else ""


def groups_of(numbers, names):
    """Maps patterns to groups. A group has the patterns of one module that occur in the same layers in all builds.
    `numbers`: layer numbers of all patterns, build by build."""
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
    """Returns the patterns that only one of two otherwise equal numbered modules has."""
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
    """Returns the expression for a dimension after a split. `size`: the expression before it."""
    if whole == part:
        return size
    return f"({size}/2)" if may_be_half and whole == 2 * part and size != UNKNOWN else UNKNOWN


def files_layout(builds, name, pattern, entry):
    """Returns how files store a tensor whose layout differs there, as one or more tensors per layer: the layer's module
    in files, and a map from name patterns to sizes and counts. None if the names in files have other numbers."""
    having = (it for it in builds if name in it.tensors)
    built = max(having, key=lambda it: len(set(it.tensors[name].shape)))  # the build with the most distinct sizes
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
    by_part = {}  # part -> first tensor that files store in it
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
    """Returns the pattern of a file's name: its numbers become those of `pattern`, in order. Further ones stay."""
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
    """Returns modules that equal their class built alone: name in memory -> (name in files, config path, class)."""
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
    """Whether the config has None for this part."""
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
        return None  # the part's class alone does not leave these out
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
    small_build.cache_clear()  # its cached tensors were changed above
    ignored = sorted(first.model._keys_to_ignore_on_load_unexpected or ())
    parts = {prefix: (path, name) for prefix, path, name in parts.values()}
    config_type = model_class.config_class.model_type
    return Described(entries_of(builds), parts, tuple(ignored), model_class.base_model_prefix, config_type)


def described(class_name, known):
    """Returns None for a class that transformers cannot build this way, or that needs a missing library."""
    try:
        return describe(class_name, known)
    except Exception as error:
        print(f"{class_name}: {type(error).__name__}: {str(error).splitlines()[:1]}", file=sys.stderr)
        return None


def all_described(class_names, processes=2):
    """Describes these classes and their known parts: name -> Described."""
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


# ---- which classes ------------------------------------------------------------------------------------------------


def table_classes():
    """Returns the classes in vocabulary_table.cpp. all_described() adds their parts."""
    rows = (SOURCES / "vocabulary_table.cpp").read_text()
    return sorted(name for name in set(re.findall(r"[A-Z]\w+", rows)) - LEFT_OUT if is_model(name))


if __name__ == "__main__":
    print_table(all_described(sys.argv[1:] or table_classes()))
