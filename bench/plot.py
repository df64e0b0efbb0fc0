#!/usr/bin/env python3
"""Draws the figures of `qfuse-bench nf4|matmul|swiglu --json FILE` as one SVG: those of a GPU, and of matmul on a CPU
too. Likewise those of `python/benchmarks/finetune.py --json FILE`.
Usage: bench/plot.py FILE OUT.svg [dtype]

nf4: bandwidth against shape with the roof over each, and the speed-up over the peer if there was one; of the dtype,
bf16 unless said. swiglu: bandwidth against shape with the roof over each. matmul: time against tokens, with the
roof's over each; on a CPU, of the first SIMD target.
finetune.py: the losses of each way's first run against the steps, and how far they are from the first way's.
Nothing is needed but Python."""

import json
import math
import sys
from xml.sax.saxutils import escape

INK, FAINT, OURS, THEIRS, ROOF = "#1f2933", "#d9dee3", "#1b6ca8", "#b8c4ce", "#c2410c"
WIDTH = 900
FONT = 'font-family="DejaVu Sans, Verdana, sans-serif"'


class Drawing:
    """Collects elements of an SVG; y grows downwards."""

    def __init__(self):
        self.elements = []
        self.height = 0

    def text(self, x, y, words, size=12, anchor="start", color=INK, weight="normal"):
        self.elements.append(
            f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" fill="{color}" '
            f'font-weight="{weight}">{escape(words)}</text>'
        )

    def line(self, x1, y1, x2, y2, color=FAINT, width=1.0):
        self.elements.append(
            f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{color}" stroke-width="{width}"/>'
        )

    def curve(self, points, color, width):
        places = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self.elements.append(f'<polyline points="{places}" fill="none" stroke="{color}" stroke-width="{width}"/>')

    def bar(self, x, y, width, height, color):
        self.elements.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{color}"/>'
        )

    def svg(self):
        return "\n".join(
            [
                f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {self.height}" '
                f'width="{WIDTH}" height="{self.height}" {FONT}>',
                f'<rect width="{WIDTH}" height="{self.height}" fill="white"/>',
                *self.elements,
                "</svg>",
                "",
            ]
        )


def gigabytes_per_second(row, time="median_us"):
    return row["bytes"] / 1e3 / row[time]


def nice_step(most):
    """A round distance between some four to eight grid lines up to `most`."""
    ten = 10.0 ** math.floor(math.log10(most))
    return next(share * ten for share in (0.2, 0.25, 0.5, 1, 2) if most <= 8 * share * ten)


def heading(drawing, run, title):
    drawing.text(20, 32, title, size=17, weight="bold")
    commit = f", commit {run['commit']}" if run["commit"] else ""
    drawing.text(20, 52, f"{run['device']}, {run['date'][:10]}, qfuse {run['qfuse']}{commit}", size=12)
    drawing.height = 70


def key(drawing, entries):
    """One line that says what the colors are."""
    drawing.height += 14
    x = 70
    for color, words in entries:
        drawing.bar(x, drawing.height - 9, 18, 9 if color != ROOF else 3, color)
        drawing.text(x + 25, drawing.height, words)
        x += 45 + 7.2 * len(words)
    drawing.height += 8


class Columns:
    """A panel of groups of vertical bars on a common scale from zero."""

    LEFT, PLOT_HEIGHT = 70, 220

    def __init__(self, drawing, labels, most, unit):
        self.drawing, self.top, self.most = drawing, drawing.height + 24, most * 1.08
        self.group = (WIDTH - self.LEFT - 20) / len(labels)
        drawing.text(self.LEFT - 50, self.top - 8, unit)
        step = nice_step(self.most)
        for i in range(int(self.most / step) + 1):
            drawing.line(self.LEFT, self.y(i * step), WIDTH - 20, self.y(i * step))
            drawing.text(self.LEFT - 8, self.y(i * step) + 4, f"{i * step:g}", anchor="end")
        for i, label in enumerate(labels):
            drawing.text(self.LEFT + (i + 0.5) * self.group, self.y(0) + 18, label, size=11, anchor="middle")
        drawing.height = self.y(0) + 34

    def y(self, value):
        return self.top + self.PLOT_HEIGHT * (1 - value / self.most)

    def bar(self, group, place, places, value, color, label):
        """Bar `place` of the `places` in a group, with a label on it."""
        width = 0.76 * self.group / places
        x = self.LEFT + (group + 0.12) * self.group + place * width
        self.drawing.bar(x, self.y(value), width - 2, self.y(0) - self.y(value), color)
        inside = color == OURS
        self.drawing.text(
            x + width / 2 - 1, self.y(value) + 14, label, size=10, anchor="middle", color="white" if inside else INK
        )

    def mark(self, group, value, color):
        """A line over all of a group."""
        x = self.LEFT + (group + 0.08) * self.group
        self.drawing.line(x, self.y(value), x + 0.84 * self.group, self.y(value), color, 2.5)


class Curves:
    """A panel of lines over the numbers from 1 to `count`, on a scale from `least` to `most`."""

    LEFT, PLOT_HEIGHT = 70, 260

    def __init__(self, drawing, count, least, most):
        step = nice_step(most - least)
        self.drawing, self.count, self.top = drawing, count, drawing.height + 16
        first, last = math.floor(least / step), math.ceil(most / step)
        self.least, self.most = first * step, last * step
        for i in range(first, last + 1):
            drawing.line(self.LEFT, self.y(i * step), WIDTH - 20, self.y(i * step))
            drawing.text(self.LEFT - 8, self.y(i * step) + 4, f"{i * step:g}", anchor="end")
        for number in [1, *range(count // 8, count + 1, count // 8)] if count >= 16 else range(1, count + 1):
            drawing.text(self.x(number), self.y(self.least) + 18, str(number), size=11, anchor="middle")
        drawing.height = self.y(self.least) + 34

    def x(self, number):
        return self.LEFT + (number - 1) / max(self.count - 1, 1) * (WIDTH - 30 - self.LEFT)

    def y(self, value):
        return self.top + self.PLOT_HEIGHT * (self.most - value) / (self.most - self.least)

    def curve(self, values, color, width):
        self.drawing.curve([(self.x(i), self.y(value)) for i, value in enumerate(values, 1)], color, width)


def plot_nf4(drawing, run, dtype):
    rows = sorted(
        (row for row in run["rows"] if row["op"] == "decode" and row["name"] == f"decode {dtype}"),
        key=lambda row: row["bytes"],
    )
    if not rows:
        sys.exit(f"there is no row 'decode {dtype}' in the file")
    labels = [f"{row['rows']} × {row['cols']}" for row in rows]
    has_peer = all("peer_us" in row for row in rows)
    heading(drawing, run, f"NF4 to {dtype}, nested absmax, cold: bytes moved a second")
    key(
        drawing,
        [(ROOF, "roof: the same bytes, no arithmetic"), (OURS, "qfuse, share of the roof")]
        + ([(THEIRS, "bitsandbytes, three launches")] if has_peer else []),
    )
    panel = Columns(drawing, labels, max(gigabytes_per_second(row, "roof_us") for row in rows), "GB/s")
    for i, row in enumerate(rows):
        panel.bar(i, 0, 1 + has_peer, gigabytes_per_second(row), OURS, f"{row['of_roof_%']:.0f} %")
        if has_peer:
            panel.bar(
                i, 1, 2, gigabytes_per_second(row, "peer_us"), THEIRS, f"{100 * row['roof_us'] / row['peer_us']:.0f} %"
            )
        panel.mark(i, gigabytes_per_second(row, "roof_us"), ROOF)
    if has_peer:
        drawing.height += 26
        drawing.text(20, drawing.height, "Times as fast as bitsandbytes' three launches", size=15, weight="bold")
        panel = Columns(drawing, labels, max(row["times_peer"] for row in rows), "")
        for i, row in enumerate(rows):
            panel.bar(i, 0, 1, row["times_peer"], OURS, f"{row['times_peer']:.2f}")
        for i in range(len(rows)):
            panel.mark(i, 1.0, THEIRS)


def plot_swiglu(drawing, run):
    """A panel for each H of what is asked for, on one scale."""
    rows = [row for row in run["rows"] if "roof_us" in row]
    most = max(gigabytes_per_second(row, time) for row in rows for time in ("median_us", "roof_us"))
    heading(drawing, run, "swiglu, cold: bytes moved a second")
    key(drawing, [(ROOF, "roof: the same bytes, no arithmetic"), (OURS, "qfuse: share of the roof, time")])
    for name, channels in dict.fromkeys((row["name"], row["cols"]) for row in rows):
        group = [row for row in rows if (row["name"], row["cols"]) == (name, channels)]
        drawing.height += 26
        drawing.text(20, drawing.height, f"{name}, H = {channels}, experts × tokens of each", size=13, weight="bold")
        panel = Columns(drawing, [f"{row['experts']} × {row['rows'] // row['experts']}" for row in group], most, "GB/s")
        for i, row in enumerate(group):
            panel.bar(i, 0, 1, gigabytes_per_second(row), OURS, f"{row['of_roof_%']:.0f} %, {row['median_us']:.1f} µs")
            panel.mark(i, gigabytes_per_second(row, "roof_us"), ROOF)


def matmul_rows(run):
    """Of either device: the heading's words, a key of the panel, tokens, and microseconds of qfuse and of the roof."""
    if "rows" in run:
        return [
            (f"{r['rows']} × {r['cols']}, {r['name']}", r["m"], r["median_us"], r["roof_us"], r["of_roof_%"])
            for r in run["rows"]
        ]
    target = run["benchmarks"][0]["name"].split("/")[3]
    return [
        (
            f"{r['rows']} × {r['cols']}, {r['name'].split('/')[1]}, {target}, {r['threads']} thread(s)",
            r["m"],
            1e3 * r["median_ms"],
            1e3 * r["roof_ms"],
            r["of_roof_%"],
        )
        for r in run["benchmarks"]
        if r["name"].split("/")[3] == target
    ]


def plot_matmul(drawing, run):
    """A panel for each way to multiply, each on its own scale: many tokens take many times as long as one."""
    rows = matmul_rows(run)
    about = run if "device" in run else {**run["context"], "device": run["context"]["cpu"]}
    heading(drawing, about, "Products with an NF4 weight in bf16: time against tokens")
    key(drawing, [(ROOF, "roof: the same bytes, no arithmetic"), (OURS, "qfuse: share of the roof, time")])
    for title in dict.fromkeys(row[0] for row in rows):
        group = [row for row in rows if row[0] == title]
        drawing.height += 26
        drawing.text(20, drawing.height, title, size=13, weight="bold")
        panel = Columns(drawing, [f"m = {row[1]}" for row in group], max(row[2] for row in group), "µs")
        for i, (_, _, ours, roof, share) in enumerate(group):
            panel.bar(i, 0, 1, ours, OURS, f"{share:.0f} %, {ours:.0f} µs")
            panel.mark(i, roof, ROOF)


def plot_losses(drawing, run):
    """Wide under narrow lines: where losses are equal, all of them are seen."""
    losses = {}
    for one in run["runs"]:
        losses.setdefault(one["label"], one["losses"])
    first, *others = losses
    away = {way: [abs(a - b) for a, b in zip(losses[way], losses[first], strict=True)] for way in others}
    looks = dict(zip(losses, ((THEIRS, 6), (OURS, 3), (ROOF, 1)), strict=False))
    model = f"{run['model']['layers']} layers {run['model']['hidden']} wide"
    how = "bf16 autocast" if run["autocast"] else "no autocast"
    about = {**run, "qfuse": run["versions"]["qfuse"], "commit": ""}
    heading(drawing, about, f"Fine-tuning with LoRA, {model}, {how}: the loss of each step")
    key(drawing, [(color, way) for way, (color, _) in looks.items()])
    low, high = (extreme(extreme(curve) for curve in losses.values()) for extreme in (min, max))
    panel = Curves(drawing, len(losses[first]), low, high)
    for way, curve in losses.items():
        panel.curve(curve, *looks[way])
    drawing.height += 26
    drawing.text(20, drawing.height, f"How far each loss is from that of {first}", size=15, weight="bold")
    panel = Curves(drawing, len(losses[first]), 0, max(max(curve) for curve in away.values()) or 1)
    for way, curve in away.items():
        panel.curve(curve, *looks[way])


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as file:
        run = json.load(file)
    drawing = Drawing()
    kind = "finetune" if "runs" in run else run.get("rows", run.get("benchmarks"))[0]["op"]
    if kind == "finetune":
        plot_losses(drawing, run)
    elif kind == "matmul":
        plot_matmul(drawing, run)
    elif kind == "swiglu":
        plot_swiglu(drawing, run)
    else:
        plot_nf4(drawing, run, sys.argv[3] if len(sys.argv) == 4 else "bf16")
    drawing.height = round(drawing.height + 10)
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        file.write(drawing.svg())


main()
