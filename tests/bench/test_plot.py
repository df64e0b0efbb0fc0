"""Tests what bench/plot.py draws. Usage: test_plot.py QFUSE_BENCH

Debian's matplotlib is installed for Debian's Python, which may not be the first on PATH."""

import contextlib
import importlib.util
import io
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

DEBIAN = "/usr/bin/python3"
ROOT = Path(__file__).parents[2]
PLOT = ROOT / "bench" / "plot.py"

if not importlib.util.find_spec("matplotlib"):
    if sys.executable == DEBIAN or not Path(DEBIAN).exists():
        print("Not judged: what bench/plot.py draws, for want of matplotlib")
        sys.exit(77)
    os.execv(DEBIAN, [DEBIAN, "-B", *sys.argv])

sys.path.insert(0, str(PLOT.parent))
import plot  # noqa: E402

BENCH = sys.argv.pop(1)
BLUE, GRAY, RED = "#1b6ca8", "#aab7c4", "#c2410c"
GPU = {"device": "a GPU", "date": "2026-11-23T17:10:58Z", "qfuse": "0.1.0", "commit": "abc"}


def words_of(svg):
    return re.findall(r"<text[^>]*>([^<]*)</text>", svg)


def widths_of(svg, color):
    """Returns the width of each filled, clipped rectangle of the color, thus none of the legend."""
    paths = re.findall(rf'<path d="([^"]*)" clip-path="[^"]*" style="fill: {color}"', svg)
    edges = [[float(x) for x in re.findall(r"[ML] (\S+) ", path)] for path in paths]
    return [max(x) - min(x) for x in edges]


def row(op, name, rows, cols, times, roof, **more):
    median, p10, p90 = times
    return {"op": op, "name": name, "rows": rows, "cols": cols, "median_us": median, "p10_us": p10, "p90_us": p90,
            "bytes": 1000 * rows, "roof_us": roof, "of_roof_%": 100 * roof / median, **more}  # fmt: skip


class Plot(unittest.TestCase):
    def drawn(self, figures, *options):
        with tempfile.TemporaryDirectory() as folder:
            source, out = Path(folder) / "figures.json", Path(folder) / "plot.svg"
            source.write_text(json.dumps(figures), encoding="utf-8")
            plot.main([str(source), str(out), *options])
            return out.read_text(encoding="utf-8")

    def benched(self, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "figures.json"
            options = ("--device", "cpu", "--quick", "--json", path)
            subprocess.run([BENCH, *arguments, *options], check=True, stdout=subprocess.DEVNULL)
            return json.loads(path.read_text(encoding="utf-8"))

    def test_what_a_cpu_gives(self):
        figures = self.benched("nf4", "--filter", "bf16/scalar/threads:1$")
        svg = self.drawn(figures)
        expected = {"nf4 decode bf16", "nf4 encode bf16", "scalar", "1 thread", "roof", "GB/s"}
        self.assertLessEqual(expected, set(words_of(svg)))
        self.assertEqual(len(widths_of(svg, BLUE)), 2)
        self.assertEqual(svg, self.drawn(figures))
        self.assertNotRegex(svg, r"dc:date|202\d-\d\d-\d\dT")
        svg = self.drawn(self.benched("swiglu", "--filter", "scalar/threads:1$"))
        self.assertLessEqual({"swiglu forward 1024x2560", "scalar", "GB/s"}, set(words_of(svg)))

    def test_what_a_gpu_gives(self):
        decode = [row("decode", "decode bf16", n, 64, (n, n / 2, 2 * n), 0.9 * n, peer_us=4 * n, times_peer=4)
                  for n in (20, 10)]  # fmt: skip
        svg = self.drawn({**GPU, "rows": [*decode, row("decode", "decode fp16", 10, 64, (1, 1, 1), 1)]})
        expected = {"a GPU, 2026-11-23, qfuse 0.1.0, commit abc", "decode bf16", "10 × 64", "20 µs, 90 % of the roof",
                    "bitsandbytes", "80 µs, × 4.00"}  # fmt: skip
        self.assertLessEqual(expected, set(words_of(svg)))
        ours, theirs = widths_of(svg, BLUE), widths_of(svg, GRAY)
        self.assertEqual((len(ours), len(theirs)), (2, 2))
        for width, peer in zip(ours, theirs, strict=True):  # bar lengths are proportional to the values
            self.assertAlmostEqual(width, 4 * peer, places=3)
        self.assertIn(
            "decode fp16",
            words_of(
                self.drawn(
                    {**GPU, "rows": [*decode, row("decode", "decode fp16", 10, 64, (1, 1, 1), 1)]}, "--dtype", "fp16"
                )
            ),
        )
        swiglu = [row("swiglu", "qfuse", 64, h, (5, 4, 6), 4, experts=8) for h in (128, 256)]
        self.assertLessEqual(
            {"qfuse, H = 256", "8 × 8", "5 µs, 80 % of the roof"}, set(words_of(self.drawn({**GPU, "rows": swiglu})))
        )

        one = set(words_of(self.drawn({**GPU, "rows": swiglu}, "--filter", "H = 256")))
        self.assertIn("qfuse, H = 256", one)
        self.assertNotIn("qfuse, H = 128", one)

    def test_the_committed_picture_shows_the_committed_figures(self):
        committed = (ROOT / "docs" / "pictures" / "qlora.svg").read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "qlora.svg"
            plot.main(["--qlora", str(out)])
            drawn = out.read_text(encoding="utf-8")
        self.assertEqual(words_of(committed), words_of(drawn), "bench/plot.py --qlora docs/pictures/qlora.svg mends it")
        self.assertIn("115 s", words_of(drawn))

    def test_curves_of_training(self):
        command = [sys.executable, ROOT / "python/benchmarks/train_real_model.py", "plot"]
        with tempfile.TemporaryDirectory() as folder:
            files = [Path(folder) / name for name in ("out.svg", "0.json", "1.json")]
            for way, file in zip(("qfuse", "eager"), files[1:], strict=True):
                losses = [4.0, 3.5 if way == "qfuse" else 3.25]
                file.write_text(json.dumps({**GPU, "way": way, "seed": 7, "task": {}, "losses": losses}))
            subprocess.run([*command, *files], check=True)
            svg = files[0].read_text(encoding="utf-8")
        self.assertLessEqual({"a GPU, 2026-11-23, abc", "eager, seed 7", "qfuse, seed 7", "step"}, set(words_of(svg)))
        self.assertIn("0.25", words_of(svg))  # the y axis shows the largest difference

    def test_what_it_refuses(self):
        bare = subprocess.run(
            [sys.executable, "-S", PLOT, "a.json", "b.svg"], capture_output=True, text=True, check=False
        )
        self.assertIn("apt-get install python3-matplotlib, or pip install matplotlib", bare.stderr)
        self.assertEqual(bare.returncode, 1)
        with self.assertRaisesRegex(SystemExit, "nothing to draw"):
            self.drawn({**GPU, "rows": []})
        with self.assertRaises(SystemExit), contextlib.redirect_stderr(io.StringIO()) as said:
            plot.main(["--qlora", "a.json", "b.svg"])
        self.assertIn("FILE, or --qlora", said.getvalue())


if __name__ == "__main__":
    unittest.main()
