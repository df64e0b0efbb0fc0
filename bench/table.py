#!/usr/bin/env python3
"""Prints the results in bench/results/<device>.json as a Markdown table, and keeps the tables in documents up to date.
Usage: bench/table.py FILE...                print
       bench/table.py --check DOCUMENT...    fail if a table in a document differs from its file
       bench/table.py --write DOCUMENT       update the tables in DOCUMENT

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
WORTH = 1 / 8  # the share of NF4's loss that a choice must win back, by two standard errors more
TABLE = re.compile(r"(?<=<!-- table: )(?P<file>\S+)(?P<open> -->\n)(?P<text>.*?)(?=^## |\Z)", re.DOTALL | re.MULTILINE)


def number(value):
    """Formats with three significant digits, or all digits before the decimal point if there are more."""
    text = f"{value:.0f}" if abs(value) >= 100 else f"{value:#.3g}"
    return text.rstrip(".")


def span(values):
    return "–".join(dict.fromkeys(map(number, values)))


def peer(name, beside, value):
    if isinstance(beside, list):
        return f"{name} {span(beside)}"
    return f"{name} {number(beside)}" + (f" (×{number(beside / value)})" if value else "")


def row(figure):
    value = figure.get("value")
    spread = figure.get("spread", []) if value else []
    roof = [f"{figure['of_roof_percent']:.0f} % of the roof"] if "of_roof_percent" in figure else []
    cells = (
        figure["what"],
        f"{number(value) if value else span(figure['spread'])} {figure['unit']}",
        ("least " if len(spread) == 1 else "") + span(spread),
        "; ".join([*roof, *(peer(name, beside, value) for name, beside in figure.get("peers", {}).items())]),
        figure["run"],
    )
    return "| " + " | ".join(cells) + " |"


def with_share(figure, share):
    """Appends a share won back and its standard error, in percent, if there is one."""
    return f"{figure} ({100 * share[0]:.1f}±{100 * share[1]:.1f})" if share else figure


def judged(found):
    """Formats a choice's figures for one model."""
    perplexity, divergence = f"{found['perplexity']:.2f}", f"{found['divergence'][0]:.4f}"
    shares = found.get("loss_won_back"), found.get("divergence_won_back")
    return f"{with_share(perplexity, shares[0])}; {with_share(divergence, shares[1])}"


def verdict(entries):
    """Returns whether a choice of NF4's scales meets the rule on all models, from its entry for each."""
    if len({each["name"] for each in entries}) > 1:
        sys.exit(f"models have other choices: {', '.join(each['name'] for each in entries)}")
    if not all(each["is_nf4"] and "loss_won_back" in each for each in entries):
        return ""
    shares = [each["loss_won_back"] for each in entries]
    return "met" if all(won - 2 * error >= WORTH for won, error in shares) else "no"


def models_table(models):
    columns = [f"{name}: perplexity; KL (won back, %)" for name in models]
    lines = ["| | bits | rule | " + " | ".join(columns) + " |", "|---" * (3 + len(models)) + "|"]
    lines.append("| as it is | 16 | | " + " | ".join(f"{model['perplexity']:.2f}" for model in models.values()) + " |")
    for entries in zip(*(model["choices"] for model in models.values()), strict=True):
        first = [entries[0]["name"], f"{entries[0]['bits']:g}", verdict(entries)]
        lines.append("| " + " | ".join([*first, *map(judged, entries)]) + " |")
    lines.append("")
    for name, model in models.items():
        sizes = f"{model['parameters'] / 1e6:.0f} million parameters, {model['rounded'] / 1e6:.0f} rounded"
        windows = f"{model['windows']} windows of {model['tokens']} tokens, {model['calibrating']} to calibrate"
        lines.append(f"- {name}: {sizes}; {windows}; {model['device']}, {model['date']}, torch {model['torch']}")
    return "\n".join(lines) + "\n"


def table(path):
    device = json.loads(path.read_text(encoding="utf-8"))
    if "figures" not in device:
        return models_table(device)
    lines = ["| | qfuse | spread | compared with (times as long) | run |", "|---|---|---|---|---|"]
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
    if arguments[:1] in (["-h"], ["--help"]):
        print(__doc__)
        return
    mode = arguments.pop(0) if arguments and arguments[0] in ("--check", "--write") else ""
    if not arguments or (mode == "--write" and len(arguments) > 1):
        sys.exit(__doc__)
    wrong = []
    for path in map(Path, arguments):
        if not mode:
            print(table(path))
            continue
        found = path.read_text(encoding="utf-8")
        expected = with_tables(found)
        if mode == "--write":
            path.write_text(expected, encoding="utf-8")
        elif found != expected:
            wrong.append(f"{path} is not what its files give; bench/table.py --write {path} mends it:")
            lines = found.splitlines(), expected.splitlines()
            wrong += difflib.unified_diff(*lines, "is", "files give", n=0, lineterm="")
    if wrong:
        sys.exit("\n".join(wrong))


main()
