#!/usr/bin/env python3
"""Prints the figures of `qfuse-bench nf4|nf4-variants|swiglu|swiglu-variants --json FILE` on a GPU as Markdown.
Usage: bench/table.py FILE"""

import json
import sys

OUTPUTS = ("grad_input_q", "grad_input_s", "y_q_t", "y_s_t")


def shape_of(row):
    return f"{row['rows']} × {row['cols']}"


def groups_of(rows, key):
    """Rows by key, in the order in which the keys first come."""
    groups = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return groups


def microseconds(value):
    return f"{value:.2f}" if value < 100 else f"{value:.1f}"


def number(row, name, form):
    return form.format(row[name]) if name in row else ""


def print_heading(run):
    commit = f", commit {run['commit']}" if run["commit"] else ""
    print(f"{run['device']}, driver for CUDA {run['driver_cuda']}, {run['date'][:10]}, qfuse {run['qfuse']}{commit}:\n")
    print(f"    {run['command']}\n")


def print_ops(rows):
    """A table for each op and shape."""
    for (op, shape), group in groups_of(rows, lambda row: (row["op"], shape_of(row))).items():
        print(f"### {op.capitalize()}, {shape}\n")
        print("| | median µs | p10 to p90 | GB/s | of the roof | × bitsandbytes |")
        print("|---|---|---|---|---|---|")
        for row in group:
            spread = f"{microseconds(row['p10_us'])} to {microseconds(row['p90_us'])}"
            print(
                f"| {row['name']} | {microseconds(row['median_us'])} | {spread} | {row['GB/s']:.0f} | "
                f"{number(row, 'of_roof_%', '{:.1f} %')} | {number(row, 'times_peer', '{:.2f}')} |"
            )
        print()


def print_variants(rows):
    """One table, a line a variant, with three columns for each shape. The roof's line ends it."""
    by_shape = groups_of(rows, shape_of)
    print("| variant | " + " | ".join(f"{shape}: µs | GB/s | of the roof" for shape in by_shape) + " |")
    print("|---|" + "---|---|---|" * len(by_shape))
    names = groups_of(rows, lambda row: row["name"] if "of_roof_%" in row else "roof: the same bytes, no arithmetic")
    for name, group in names.items():
        cells = []
        for shape in by_shape:
            row = next((row for row in group if shape_of(row) == shape), None)
            cells += (
                [microseconds(row["median_us"]), f"{row['GB/s']:.0f}", number(row, "of_roof_%", "{:.1f} %")]
                if row
                else ["failed", "", ""]
            )
        print(f"| {name.strip()} | " + " | ".join(cells) + " |")
    print()


def print_swiglu(rows):
    """A line a shape. The floor is the op's bytes at the speed of the roof, which moves the payloads' alone."""
    for name, group in groups_of([row for row in rows if "roof_us" in row], lambda row: row["name"]).items():
        print(f"{name}:\n")
        print("| experts × tokens | M | H | µs | p10 to p90 | GB/s | floor µs | of the roof |")
        print("|---|---|---|---|---|---|---|---|")
        for row in group:
            print(
                f"| {row['experts']} × {row['rows'] // row['experts']} | {row['rows']} | {row['cols']} | "
                f"{microseconds(row['median_us'])} | {microseconds(row['p10_us'])} to {microseconds(row['p90_us'])} | "
                f"{row['GB/s']:.0f} | {microseconds(row['roof_us'])} | **{row['of_roof_%']:.1f} %** |"
            )
        print()


def print_inexact(variants):
    """What variants that are not exact get wrong."""
    for variant in variants:
        wrong = ", ".join(f"{variant[output]} of `{output}`" for output in OUTPUTS if variant[output])
        print(
            f"{variant['name']}, {shape_of(variant)}: differing bytes: {wrong or 'none'}; "
            f"{variant['outside_published_tolerance']} values outside the published tolerance.\n"
        )


def print_published(contenders):
    print("### The published test\n")
    parts = contenders[0]["parts"]
    print(
        "| | seconds per 1000 rounds | least to most | "
        + " | ".join(f"{shape_of(part)} {part['dtype']}" for part in parts)
        + " |"
    )
    print("|---|---|---|" + "---|" * len(parts))
    for contender in contenders:
        print(
            f"| {contender['name']} | {contender['median_s']:.3f} | {contender['min_s']:.3f} to "
            f"{contender['max_s']:.3f} | " + " | ".join(f"{part['median_s']:.3f}" for part in contender["parts"]) + " |"
        )
    print()


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as file:
        run = json.load(file)
    print_heading(run)
    for failure in run["failures"]:
        print(f"**FAILED** {failure}\n")
    kinds = {
        "nf4-variants": print_variants,
        "swiglu-variants": print_variants,
        "swiglu": print_swiglu,
        "ladder": print_variants,
        "swiglu-ladder": print_variants,
    }  # as results of 2026 name them
    for printer, rows in groups_of(run["rows"], lambda row: kinds.get(row["op"], print_ops)).items():
        printer(rows)
    print_inexact(run.get("inexact", []))
    if "published" in run:
        print_published(run["published"])


main()
