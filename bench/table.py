#!/usr/bin/env python3
"""Prints the results in bench/results/<device>.json as a Markdown table, and keeps the tables in documents up to date.
Usage: bench/table.py FILE...             print
       bench/table.py --check DOCUMENT    fail if a table in DOCUMENT differs from its file
       bench/table.py --write DOCUMENT    update the tables in DOCUMENT

A document's table is between `<!-- table: FILE -->`, a path from the root of the source tree, and the next heading.
A figure has a `value`, or only a `spread` if there were few runs. `of_roof_percent` and `peers` are from the same run.
`raw` names the files from which a figure was taken. They are in the repository at the commit `raw_at`. A file without
figures is one of tools/models/experiment.py, an entry for each model."""

import difflib
import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TABLE = re.compile(r"(?<=<!-- table: )(?P<file>\S+)(?P<open> -->\n)(?P<text>.*?)(?=^## |\Z)", re.DOTALL | re.MULTILINE)


def number(value):
    """Formats with three significant digits, or all digits before the decimal point if there are more."""
    text = f"{value:.0f}" if abs(value) >= 100 else f"{value:#.3g}"
    return text.rstrip(".")


def span(values):
    return " to ".join(number(value) for value in dict.fromkeys(values))


def peer(name, beside, value):
    if isinstance(beside, list):
        return f"{name} {span(beside)}"
    return f"{name} {number(beside)}" + (f" (× {number(beside / value)})" if value else "")


def row(figure):
    value = figure.get("value")
    spread = figure.get("spread", []) if value else []
    cells = (
        figure["what"],
        f"{number(value) if value else span(figure['spread'])} {figure['unit']}",
        ("least " if len(spread) == 1 else "") + span(spread),
        f"{figure['of_roof_percent']:.0f} %" if "of_roof_percent" in figure else "",
        "; ".join(peer(name, beside, value) for name, beside in figure.get("peers", {}).items()),
        figure["run"],
    )
    return "| " + " | ".join(cells) + " |"


def share(figure):
    """Formats a share and its standard error in percent."""
    return f"{100 * figure[0]:.0f} ± {100 * figure[1]:.0f} %"


def judged(choice, model):
    """Returns a model's two cells in the row of a choice."""
    found = next(each for each in model["choices"] if each["name"] == choice["name"])
    quality = f"{found['perplexity']:.3f}; {found['divergence'][0]:.4f}"
    if "loss_won_back" not in found:
        return [quality, ""]
    return [quality, f"{share(found['loss_won_back'])}; {share(found['divergence_won_back'])}"]


def models_table(models):
    first = next(iter(models.values()))
    columns = [f"{name}: perplexity; KL | won back: loss; KL" for name in models]
    lines = ["| | bits | " + " | ".join(columns) + " |", "|---" * (2 + 2 * len(models)) + "|"]
    lines.append("| as it is | 16 | " + " | ".join(f"{model['perplexity']:.3f} | " for model in models.values()) + " |")
    for choice in first["choices"]:
        cells = [cell for model in models.values() for cell in judged(choice, model)]
        lines.append("| " + " | ".join([choice["name"], f"{choice['bits']:g}", *cells]) + " |")
    lines.append("")
    for name, model in models.items():
        sizes = f"{model['parameters'] / 1e6:.0f} million parameters, of which {model['rounded'] / 1e6:.0f} are rounded"
        windows = f"{model['windows']} windows of {model['tokens']} tokens, {model['calibrating']} to calibrate"
        lines.append(f"- {name}: {sizes}; {windows}; {model['device']}, {model['date']}")
    return "\n".join(lines) + "\n"


def table(path):
    device = json.loads(path.read_text(encoding="utf-8"))
    if "figures" not in device:
        return models_table(device)
    lines = [
        "| | qfuse | spread | of the roof | beside it, and how many times as long | run |",
        "|---|---|---|---|---|---|",
    ]
    lines += [row(figure) for figure in device["figures"]]
    lines += ["", f"- {device['about']}"]
    for name, run in device["runs"].items():
        commands = ", ".join(f"`{command}`" for command in run["commands"])
        lines.append(
            f"- {name}: {run['date']}, {run['commit']}, {commands}" + (f"; {run['note']}" if "note" in run else "")
        )
    return "\n".join(lines) + "\n"


def with_tables(document):
    """Returns the document's text with its tables regenerated from their files. Exits if it has no table marker."""
    text, count = TABLE.subn(lambda match: match["file"] + match["open"] + table(ROOT / match["file"]) + "\n", document)
    text = text.rstrip("\n") + "\n"
    if not count:
        sys.exit("there is no table in the document")
    return text


def main():
    arguments = sys.argv[1:]
    if not arguments or (arguments[0] in ("--check", "--write") and len(arguments) != 2):
        sys.exit(__doc__)
    if arguments[0] not in ("--check", "--write"):
        for name in arguments:
            print(table(Path(name)))
        return
    path = Path(arguments[1])
    found = path.read_text(encoding="utf-8")
    expected = with_tables(found)
    if arguments[0] == "--write":
        path.write_text(expected, encoding="utf-8")
    elif found != expected:
        diff = difflib.unified_diff(found.splitlines(), expected.splitlines(), "is", "files give", n=0, lineterm="")
        sys.exit("\n".join([f"{path} is not what its files give; bench/table.py --write {path} mends it:", *diff]))


main()
