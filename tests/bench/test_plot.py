"""Tests what bench/plot.py draws.

Debian's matplotlib is installed for Debian's Python, which may not be the first on PATH."""

import importlib.util
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

GPU = {"device": "a GPU", "date": "2026-11-23T17:10:58Z", "qfuse": "0.1.0", "commit": "abc"}


def words_of(svg):
    return re.findall(r"<text[^>]*>([^<]*)</text>", svg)


class Plot(unittest.TestCase):
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


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
