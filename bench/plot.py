#!/usr/bin/env python3
"""Draws measured results as SVG, PNG or PDF, chosen by the suffix of OUT.

    bench/plot.py --qlora OUT               a QLoRA step beside unsloth, a merge beside peft, from bench/results

A bar is a median, and its whisker extends from p10 to p90. python/benchmarks/train_real_model.py draws its curves by
draw_curves(). Needs matplotlib, 3.6 or later."""

import argparse
import json
import sys
from pathlib import Path
from typing import Any, NamedTuple

try:
    import matplotlib
    from matplotlib import pyplot
    from matplotlib.patches import Patch
except ImportError:
    sys.exit("bench/plot.py needs matplotlib: apt-get install python3-matplotlib, or pip install matplotlib")

RESULTS = Path(__file__).resolve().parent / "results"
INK, GRID = "#1f2933", "#e4e7eb"
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
            ends.append(max(p.value, *(p.spread or (0,))))
            axes.annotate(p.label, (ends[-1], y), xytext=(6, 0), textcoords="offset points", va="center", fontsize=8)
            y += 1
        y += 0.5
    axes.set_yticks(list(ticks.values()), list(ticks))
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(y - 0.9, -0.6)
    axes.set_xlim(0, 1.3 * max(ends))  # leaves room for the labels
    axes.set_xlabel(unit)
    axes.grid(axis="x", color=GRID)


def draw(title, about, points, unit, columns):
    """Draws a figure with one panel per panel name in the points. unit: a function of the panel's name."""
    panels = {name: [p for p in points if p.panel == name] for name in dict.fromkeys(p.panel for p in points)}
    series = list(dict.fromkeys(p.series for p in points))
    colors = {name: COLORS[i % len(COLORS)] for i, name in enumerate(series)}
    heights = [0.85 + 0.22 * (len(panel) + 0.5 * len({p.place for p in panel})) for panel in panels.values()]
    heights = heights[::columns]
    entries = [Patch(color=color, label=name) for name, color in colors.items()]
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
        draw_bars(one, panel, unit(name), colors)
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
    parser.add_argument("--qlora", action="store_true", required=True)
    parser.add_argument("out")
    arguments = parser.parse_args(words)
    save(draw_qlora(), Path(arguments.out))


if __name__ == "__main__":
    main()
