"""Writes src/checkpoint/names/class_table.cpp from the classes that class_tensors.py has described. class_tensors.h
describes the format."""

import collections
import functools
import json
import textwrap

import transformers
from transformers.models.auto import modeling_auto

LEAST_SHARED = 24  # minimum characters of a module's text for it to be shared


def tree_of(it, aliases):
    """Returns modules as nested dicts; tensors and parts as strings."""
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
    """Writes modules as text. Writes a module that several have only once, and refers to it by its number."""

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
    """Maps a class name to the model types for which AutoModel selects it."""
    found = collections.defaultdict(list)
    for family, names in modeling_auto.MODEL_MAPPING_NAMES.items():
        for name in [names] if isinstance(names, str) else names:
            found[name].append(family)
    return found


def table(found):
    """Returns the rows, as class_tensors.h has them, and the shared modules. Merges classes that are equal, also where
    they are parts of others."""
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


def literals(text):
    """A C++ string in lines of at most 120 columns."""
    lines = textwrap.wrap(text, 108, drop_whitespace=False, break_on_hyphens=False) or [""]
    return [json.dumps(line) for line in lines]


def packed(texts, indent="    "):
    """C++ strings, each followed by a comma, as many per line as fit."""
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
