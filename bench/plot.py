#!/usr/bin/env python3
"""Draws measured results as SVG, PNG or PDF, chosen by the suffix of OUT.

    bench/plot.py FILE OUT                  figures of `qfuse bench nf4|swiglu --json FILE`, of a GPU or a CPU;
                                            -: standard input
    bench/plot.py --qlora OUT               a QLoRA step beside unsloth, a merge beside peft, from bench/results

A bar is a median, and its whisker extends from p10 to p90. The roof moves the same bytes with no arithmetic.
Needs matplotlib, 3.6 or later."""

import argparse
import json
import re
import sys
from pathlib import Path
from typing import Any, NamedTuple

try:
    import matplotlib
    from matplotlib import pyplot
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch
except ImportError:
    sys.exit("bench/plot.py needs matplotlib: apt-get install python3-matplotlib, or pip install matplotlib")

RESULTS = Path(__file__).resolve().parent / "results"
INK, GRID, ROOF = "#1f2933", "#e4e7eb", "#c2410c"
COLORS = ("#1b6ca8", "#aab7c4", "#7fb8e0", "#d9a441", "#4d7c5f", "#8a6bb1", "#5c6670", "#c98bb0", "#9bb96b", "#3fb5ad")
KEY_COLUMNS = 5
LOOK = {
    "svg.hashsalt": "qfuse",  # the same data gives the same bytes
    "svg.fonttype": "none",  # text stays text
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans", "Verdana", "sans-serif"],  # Verdana, the fallback, is as wide
    "font.size": 9,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.titlesize": 10,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "legend.frameon": False,
    "errorbar.capsize": 2,
}
matplotlib.use("Agg")
matplotlib.rcParams.update(LOOK)


class Point(NamedTuple):
    """A bar of the series `series` in the group `place` of a panel."""

    panel: str
    place: Any
    series: str
    value: float
    spread: tuple[float, float] | None = None
    roof: float | None = None
    label: str = ""


def whiskers(points):
    """Returns the distances from each value down to its low end and up to its high end, as matplotlib expects them."""
    spreads = [(p.value, *(p.spread or (p.value, p.value))) for p in points]
    return [[value - low for value, low, _ in spreads], [high - value for value, _, high in spreads]]


def draw_bars(axes, points, unit, colors):
    """Draws the groups from top to bottom, one bar per series that the group has, with the label at the bar's end."""
    y, ends, ticks = 0.0, [], {}
    for place in dict.fromkeys(p.place for p in points):
        group = [p for p in points if p.place == place]
        ticks[str(place)] = y + (len(group) - 1) / 2
        for p in group:
            error = whiskers([p]) if p.spread else None
            axes.barh(y, p.value, height=0.86, color=colors[p.series], xerr=error, ecolor=INK)
            if p.roof:
                axes.plot([p.roof, p.roof], [y - 0.46, y + 0.46], color=ROOF, linewidth=2)
            ends.append(max(p.value, p.roof or 0, *(p.spread or (0,))))
            axes.annotate(p.label, (ends[-1], y), xytext=(6, 0), textcoords="offset points", va="center", fontsize=8)
            y += 1
        y += 0.5
    axes.set_yticks(list(ticks.values()), list(ticks))
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(y - 0.9, -0.6)
    axes.set_xlim(0, 1.3 * max(ends))  # leaves room for the labels
    axes.set_xlabel(unit)
    axes.grid(axis="x", color=GRID)


def draw(title, about, points, unit, columns=1):
    """Draws a figure with one panel per panel name in the points. `unit` may be a function of the panel's name."""
    panels = {name: [p for p in points if p.panel == name] for name in dict.fromkeys(p.panel for p in points)}
    series = list(dict.fromkeys(p.series for p in points))
    colors = {name: COLORS[i % len(COLORS)] for i, name in enumerate(series)}
    heights = [0.85 + 0.22 * (len(panel) + 0.5 * len({p.place for p in panel})) for panel in panels.values()]
    heights = heights[::columns]
    entries = [Patch(color=color, label=name) for name, color in colors.items()]
    if any(p.roof for p in points):
        entries.append(Line2D([], [], color=ROOF, linewidth=2, label="roof"))
    key = 0.1 + 0.2 * -(-len(entries) // KEY_COLUMNS)  # inches
    top = 0.35 + 0.14 * (1 + about.count("\n")) + key  # the title, the text under it, and the legend
    height = top + sum(heights)
    grid = {"height_ratios": heights}
    figure, axes = pyplot.subplots(
        len(heights), columns, figsize=(9, height), layout="constrained", squeeze=False, gridspec_kw=grid
    )
    figure.get_layout_engine().set(rect=(0, 0, 1, 1 - top / height), h_pad=0.08, w_pad=0.08)
    for (name, panel), one in zip(panels.items(), axes.flat, strict=True):
        one.set_title(name)
        draw_bars(one, panel, unit(name) if callable(unit) else unit, colors)
    figure.text(0.012, 1 - 0.12 / height, title, fontsize=12, fontweight="bold", va="top")
    figure.text(0.012, 1 - 0.36 / height, about, fontsize=8, va="top")
    anchor = (0.005, 1 - (top - key - 0.02) / height)
    figure.legend(handles=entries, loc="upper left", bbox_to_anchor=anchor, ncol=min(len(entries), KEY_COLUMNS))
    return figure


def draw_curves(title, about, panels):
    """Draws a figure with one panel per title. Each named curve has one value per step."""
    names = list(dict.fromkeys(name for curves in panels.values() for name in curves))
    figure, axes = pyplot.subplots(len(panels), figsize=(9, 2.6 * len(panels) + 0.6), layout="constrained", sharex=True)
    for (heading, curves), one in zip(panels.items(), axes, strict=True):
        one.set_title(heading)
        for name, values in curves.items():
            color = COLORS[names.index(name) % len(COLORS)]
            one.plot(range(len(values)), values, color=color, linewidth=0.9, label=name)
        one.grid(color=GRID)
    axes[-1].set_xlabel("step")
    axes[0].legend(ncol=4)
    figure.suptitle(title, x=0.012, ha="left", fontsize=12, fontweight="bold")
    figure.text(0.988, 0.99, about, fontsize=8, va="top", ha="right")
    return figure


def rate(row, time):
    return row["bytes"] / 1e3 / time


def of_gpu(run, dtype):
    """Returns the title, points and unit for results of a GPU."""
    rows = [row for row in run["rows"] if "roof_us" in row]

    def point(panel, place, row, series="qfuse"):
        spread = (rate(row, row["p90_us"]), rate(row, row["p10_us"]))
        label = f"{row['median_us']:.3g} µs, {row['of_roof_%']:.0f} % of the roof"
        return Point(panel, place, series, rate(row, row["median_us"]), spread, rate(row, row["roof_us"]), label)

    if run["rows"][0]["op"] == "swiglu":
        points = [
            point(f"{row['name']}, H = {row['cols']}", f"{row['experts']} × {row['rows'] // row['experts']}", row)
            for row in rows
        ]
        return "SwiGLU: bytes moved a second; experts × tokens of each", points, "GB/s"
    points = []
    for row in sorted(rows, key=lambda row: row["bytes"]):
        place = f"{row['rows']} × {row['cols']}"
        if row["name"] == f"{row['op']} {dtype}":
            points.append(point(row["name"], place, row))
            if "peer_us" in row:
                label = f"{row['peer_us']:.3g} µs, × {row['times_peer']:.2f}"
                points.append(Point(row["name"], place, "bitsandbytes", rate(row, row["peer_us"]), label=label))
    return f"NF4 and {dtype}, nested absmax, cold: bytes moved a second", points, "GB/s"


def of_cpu(run, dtype):
    """Like of_gpu(), for a CPU. A name ends with target and threads: nf4/decode/bf16/avx2/threads:1."""
    points = []
    for row in run["benchmarks"]:
        *what, target, threads = row["name"].removesuffix("/manual_time").split("/iterations")[0].split("/")
        threads = re.sub(r"threads:(\d+)", lambda m: f"{m[1]} thread{'s' if m[1] != '1' else ''}", threads)
        if what[0] == "swiglu" or what[-1] == dtype:
            spread = tuple(row["GB/s"] * row["median_ms"] / row[time] for time in ("p90_ms", "p10_ms"))
            roof = max(row["plain_roof_GB/s"], row["streaming_roof_GB/s"])
            label = f"{row['median_ms']:.3g} ms, {row['of_roof_%']:.0f} % of the roof"
            points.append(Point(" ".join(what), target, threads, row["GB/s"], spread, roof, label))
    return f"{what[0]}: bytes moved a second", points, "GB/s"


def draw_bench(run, dtype, wanted):
    about = run.get("context", run)
    where = about["device"] if "device" in about else f"{about.get('cpu', 'CPU')}, {about['num_cpus']} cores"
    commit = f", commit {about['commit']}" if about.get("commit") else ""
    is_gpu = "rows" in run
    title, points, unit = "", [], ""
    if run["rows" if is_gpu else "benchmarks"]:
        title, points, unit = (of_gpu if is_gpu else of_cpu)(run, dtype)
    points = [p for p in points if re.search(wanted, p.panel)]
    if not points:
        sys.exit(f"there is nothing to draw in the file: it has no rows beside a roof, or none of {dtype}")
    return draw(title, f"{where}, {about['date'][:10]}, qfuse {about['qfuse']}{commit}", points, unit)


def draw_ladder(run):
    """Draws the designs of docs/history/tried.md, whose measurements are in git."""
    points = [
        Point(
            f"{row['rows']} × {row['cols']}",
            row["name"].strip(),
            "a design",
            rate(row, row["median_us"]),
            (rate(row, row["p90_us"]), rate(row, row["p10_us"])),
            rate(row, row["roof_us"]),
            f"{row['of_roof_%']:.0f} %",
        )
        for row in run["rows"]
        if "roof_us" in row
    ]
    about = f"{run['device']}, {run['date'][:10]}, commit {run['commit']}; labels: of the roof"
    return draw("NF4 decode to bf16: what each design brings", about, points, "GB/s")


def amount(value, unit):
    return f"{1000 * value:.0f} MB" if unit == "GB" and value < 1 else f"{value:.3g} {unit}"


def draw_qlora():
    gpu, cpu = (json.loads((RESULTS / f"{name}.json").read_text("utf-8")) for name in ("h200", "epyc-zen5"))
    points = []

    def add(panel, place, figure, scale, unit, way="qfuse"):
        """Adds the figure's bar, in the panel's unit. A figure with only a spread gets a bar to its upper end."""
        value, spread = figure.get("value"), figure.get("spread")
        ours = (value or spread[-1]) / scale
        whisker = tuple(one / scale for one in spread) if spread else None
        least = "" if value else f"{whisker[0]:.3g} to "
        points.append(Point(panel, place, way, ours, whisker, label=least + amount(ours, unit)))

    def add_peers(panel, place, figure, scale, unit):
        for name in filter(beside.get, figure["peers"]):
            theirs = figure["peers"][name] / scale
            points.append(Point(panel, place, beside[name], theirs, label=amount(theirs, unit)))

    steps = {
        "8 layers, 2 × 1024": "the step of 8 layers, 2 × 1024 tokens, on a faster host",
        "8 layers, 1 × 2048,\nno checkpoints": "the step of 8 layers without checkpoints, 1 × 2048 tokens",
        "32 layers, 1 × 2048": "the step of 32 layers, 1 × 2048 tokens",
        "32 layers, 4 × 2048": "the step of 32 layers, 4 × 2048 tokens",
    }
    time, memory = "A QLoRA step: time", "A QLoRA step: peak GPU memory"
    merge, merge_memory = "Merging the adapter: time", "Merging the adapter: peak memory"
    whats = [figure["what"] for figure in gpu["figures"]]
    beside = {"unsloth": "unsloth"} | dict.fromkeys(("bitsandbytes", "peft", "peft, once"), "peft and bitsandbytes")
    for place, what in steps.items():
        at = whats.index(what)
        offloads = whats[at + 2] == "the same with `offload=True`"
        for panel, unit, first in ((time, "ms", at), (memory, "GB", at + 1)):
            add(panel, place, gpu["figures"][first], 1, unit)
            if offloads:
                add(panel, place, gpu["figures"][first + 2], 1, unit, "qfuse, offload=True")
            add_peers(panel, place, gpu["figures"][first], 1, unit)
    *_, seconds, mebibytes = cpu["figures"]
    for panel, figure, scale, unit in ((merge, seconds, 1, "s"), (merge_memory, mebibytes, 1e9 / 2**20, "GB")):
        add(panel, "16 GB model", figure, scale, unit)
        add_peers(panel, "16 GB model", figure, scale, unit)
    step, merged = gpu["runs"]["h"], cpu["runs"][seconds["run"]]
    points.sort(key=lambda p: (time, memory, merge, merge_memory).index(p.panel))
    about = (
        "Step: layers of a Llama 3.1 8B in NF4 and its head, rank 16, speed_up_training(model); "
        f"{gpu['device']}, {step['date']}, {step['commit']}\n"
        f"Merge: into Llama 8B's layers in bf16; {cpu['device']}, {merged['date']}, {merged['commit']}; "
        "3 runs, peft 1"
    )
    units = {time: "ms", memory: "GB", merge: "s", merge_memory: "GB"}
    return draw("Fine-tuning a 4-bit model and merging the result", about, points, units.get, columns=2)


def save(figure, out):
    """Saves on white, as the page may be dark, and without date and version, so that equal data give equal files."""
    is_svg = out.suffix.lower() == ".svg"
    figure.savefig(out, metadata={"Date": None, "Creator": None} if is_svg else None, dpi=160, facecolor="white")
    pyplot.close(figure)
    if is_svg:  # matplotlib leaves trailing spaces
        out.write_text("\n".join(line.rstrip() for line in out.read_text("utf-8").splitlines()) + "\n", "utf-8")


def main(words=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", nargs="?")
    parser.add_argument("out")
    parser.add_argument("--dtype", default="bf16", help="of nf4's rows: bf16 (default), fp16 or fp32")
    parser.add_argument("--filter", default="", help="only panels whose title matches: H = 4096", metavar="REGEX")
    parser.add_argument("--qlora", action="store_true")
    arguments = parser.parse_args(words)
    if arguments.qlora == (arguments.file is not None):
        parser.error("FILE, or --qlora")
    if arguments.qlora:
        figure = draw_qlora()
    else:
        run = json.loads(sys.stdin.read() if arguments.file == "-" else Path(arguments.file).read_text("utf-8"))
        if run.get("rows") and run["rows"][0]["op"] == "ladder":
            figure = draw_ladder(run)
        else:
            figure = draw_bench(run, arguments.dtype, arguments.filter)
    save(figure, Path(arguments.out))


if __name__ == "__main__":
    main()
