"""Tests the options and the output of qfuse-bench on the CPU. Usage: test_bench.py QFUSE_BENCH"""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

BENCH = Path(sys.argv.pop(1))
TIMES = ("median_ms", "p10_ms", "p90_ms", "GB/s", "plain_roof_GB/s", "streaming_roof_GB/s", "of_roof_%")


def run(*arguments):
    return subprocess.run([BENCH, *arguments], capture_output=True, text=True, check=False)


class Command(unittest.TestCase):
    def figures(self, benchmark, names):
        """Returns, from the JSON of a quick run, the rows whose names match, keyed by name."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "figures.json"
            done = run(benchmark, "--device", "cpu", "--quick", "--filter", names, "--commit", "abc", "--json", path)
            self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
            report = json.loads(path.read_text(encoding="utf-8"))
        self.assertEqual(report["context"]["commit"], "abc")
        self.assertEqual(report["failures"], [])
        for row in report["benchmarks"]:
            self.assertIn(row["name"], done.stdout)
            self.assertLessEqual(row["p10_ms"], row["median_ms"])
            self.assertLessEqual(row["median_ms"], row["p90_ms"])
            for key in TIMES:
                self.assertGreater(row[key], 0, key)
        return {row["name"]: row for row in report["benchmarks"]}

    def test_nf4(self):
        rows = self.figures("nf4", "bf16/scalar/threads:1$")
        self.assertEqual(list(rows), ["nf4/decode/bf16/scalar/threads:1", "nf4/encode/bf16/scalar/threads:1"])
        # 512 x 1024 values, codes, 8-bit absmax and their scales, and the offset. Only decoding also reads the map.
        moved = 2 * 512 * 1024 + 512 * 1024 // 2 + 512 * 1024 // 64 + 4 * 512 * 1024 // 64 // 256 + 4
        self.assertEqual([row["bytes"] for row in rows.values()], [moved + 1024, moved])
        self.assertGreater(rows["nf4/encode/bf16/scalar/threads:1"]["input_GB/s"], 0)

    def test_dequantize_fp8(self):
        rows = self.figures("dequantize_fp8", "bf16/scalar/threads:1$")
        # 512 x 1024 codes and values of bf16, and 4 x 8 scales or one of each row.
        moved = {
            "FP8 in blocks of 128 x 128": 3 * 512 * 1024 + 4 * 4 * 8,
            "FP8, a scale per row": 3 * 512 * 1024 + 4 * 512,
        }
        self.assertEqual(
            {name: row["bytes"] for name, row in rows.items()},
            {f"{name}/bf16/scalar/threads:1": size for name, size in moved.items()},
        )

    def test_lora_merge(self):
        rows = self.figures("lora_merge", "scalar/threads:1$")
        # 512 x 1024 values of bf16 in and out, and factors of rank 8.
        self.assertEqual(
            {name: row["bytes"] for name, row in rows.items()},
            {"lora_merge/rank:8/bf16/scalar/threads:1": 2 * 2 * 512 * 1024 + 4 * 8 * (512 + 1024)},
        )

    def test_matmul(self):
        rows = self.figures("matmul", "m:8/scalar/threads:1$")
        self.assertEqual(list(rows), [f"matmul/{way}/m:8/scalar/threads:1" for way in ("forward", "backward")])
        # 1024 x 512 codes, 8-bit absmax and their scales, the map and the offset; 8 tokens of bf16 in and out.
        moved = 1024 * 512 // 2 + 1024 * 512 // 64 + 4 * 1024 * 512 // 64 // 256 + 1024 + 4 + 8 * 2 * (1024 + 512)
        self.assertEqual([row["bytes"] for row in rows.values()], [moved, moved])
        self.assertGreater(rows["matmul/backward/m:8/scalar/threads:1"]["Gterms/s"], 0)

    def test_swiglu(self):
        rows = self.figures("swiglu", "reference|scalar/threads:1$")
        kinds = ("", "e4m3/", "forward/")
        ways = [f"swiglu/{kind}1024x2560/{way}/threads:1" for kind in kinds for way in ("scalar", "reference")]
        self.assertEqual(list(rows), ways)
        self.assertGreater(rows["swiglu/1024x2560/scalar/threads:1"]["ns/element"], 0)

    def test_rotated_int8(self):
        rows = self.figures("rotated_int8", "scalar/threads:1$")
        ops = ("quantize", "weight_scales", "weight", "matmul")
        ways = [f"rotated_int8/{op}/{way}/scalar/threads:1" for way in ("forward", "backward") for op in ops]
        self.assertEqual(list(rows), ways)
        # 64 tokens and a 1024 x 512 weight in bytes, one scale per token and per output, and the product in bf16.
        moved = [64 * (2 * 512 + 512 + 4), 64 * (512 + 4) + 1024 * (512 + 4) + 2 * 64 * 1024]
        self.assertEqual([rows[ways[i]]["bytes"] for i in (0, 3)], moved)

    def test_quick_runs_all(self):
        done = run("--quick")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("nf4/decode/", done.stdout)
        self.assertIn("FP8 in blocks of 128 x 128/", done.stdout)
        self.assertIn("lora_merge/", done.stdout)
        self.assertIn("matmul/", done.stdout)
        self.assertIn("swiglu/", done.stdout)
        self.assertIn("rotated_int8/", done.stdout)

    def test_help_names_the_benchmarks(self):
        done = run("--help")
        self.assertEqual(done.returncode, 0)
        for name in ("nf4", "dequantize_fp8", "lora_merge", "matmul", "swiglu", "rotated_int8", "plans"):
            self.assertIn(f"\n  {name} ", done.stdout)
        self.assertIn("--peer", run("nf4", "--help").stdout)

    def test_wrong_command_lines(self):
        for arguments, word in (
            ((), "subcommand"),
            (("nf3",), "nf3"),
            (("--quick", "--json", "figures.json"), "qfuse-bench nf4 --quick --json FILE"),
            (("nf4", "--device", "tpu"), "tpu"),
            (("nf4", "--filter", "("), "regular expression"),
            (("plans", "--on", "x"), "h200"),
            (("nf4", "--device", "cpu", "--peer", "x.so"), "--peer"),
        ):
            done = run(*arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn(word, done.stderr)

    def test_plans(self):
        done = run("plans", "--on", "h100")
        self.assertEqual(done.returncode, 0)
        for op in ("dequantize_4bit", "quantize_4bit", "matmul_4bit", "swiglu", "rotated_int8_matmul"):
            self.assertIn(f"\n {op}", done.stdout)
        # The output of 2048 x 8192 fits the L2 cache; the output of 4096 x 14336 does not.
        self.assertRegex(done.stdout, r"\n  2048 x 8192 +threads=\d+ .* stream=0")
        self.assertRegex(done.stdout, r"\n  4096 x 14336 +threads=\d+ .* stream=1")
        self.assertRegex(done.stdout, r"\n    or +threads=256 groups=2 ")
        self.assertRegex(done.stdout, r", factored sums, 1 token\n  1024 x 4096 +kernel=factored_split_k ")
        estimated = r", estimated\n  14336 x 4096 +m=1 +\d+\.\d us, decoded first "
        self.assertRegex(run("plans", "--on", "rtx3090").stdout, estimated)
        everything = run("plans").stdout
        for device in ("h100", "h200", "unknown"):
            self.assertIn(f"{device}: ", everything)

    def test_what_forces_plans(self):
        done = run("plans", "--on", "h100", "--forced")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        plans = {plan for line in done.stdout.splitlines() for plan in line.split(";")}
        shapes = ((128, 64), (64, 64), (32, 64), (128, 128), (64, 128), (128, 256))
        expected = {f"matmul_4bit:kernel=warp_specialized,tokens={t},outputs={o}" for o, t in shapes}
        for kernel in ("split_k", "factored_split_k"):
            expected |= {f"matmul_4bit:kernel={kernel},tokens={t},outputs=16" for t in (8, 16)}
        shapes = ((32, 16), (32, 32), (32, 64), (64, 32), (64, 64), (128, 32), (128, 64), (128, 128))
        expected |= {f"matmul_4bit:kernel=multistage,tokens={t},outputs={o}" for o, t in shapes}
        expected |= {"matmul_4bit:kernel=factored,tokens=8,outputs=64"}
        expected |= {"matmul_4bit:kernel=register_weights,tokens=256,outputs=128"}
        expected |= {f"matmul_4bit:kernel=tiled,tokens={t},outputs=64" for t in (8, 64)}
        expected |= {"matmul_4bit:kernel=tiled_unaligned,tokens=64,outputs=64"}
        for of_one in sorted(expected):  # also grouped; persistent blocks have in_turn=0 and 1
            kernel = of_one.removeprefix("matmul_4bit:")
            stays = not kernel.startswith(("kernel=multistage", "kernel=tiled", "kernel=factored,"))
            if "tokens=16,outputs=16" not in kernel:  # grouped tiles have 8 tokens
                expected |= {f"matmul_4bit_grouped:{kernel},in_turn={t}" for t in range(1 + stays)}
        few = "matmul_4bit_grouped:kernel=warp_specialized,tokens=32,outputs=128"
        expected |= {f"{few},in_turn={t}" for t in (0, 1)}
        expected |= {f"swiglu:outputs={o},staged=0,threads={n}" for n in (256, 512) for o in ("any", "training")}
        expected |= {f"swiglu:outputs=training,staged=1,threads={n}" for n in (256, 512)}
        expected |= {f"dequantize_4bit:stream={s}" for s in (0, 1)}
        for op, chosen in (("quantize", (448,)), ("weight_scales", ())):
            expected |= {f"rotated_int8_{op}:threads={n}" for n in (32, 64, 128, 256, 512, *chosen)}
        expected |= {f"rotated_int8_weight:threads={n},ahead=0" for n in (32, 64, 128, 256, 512)}
        expected |= {"rotated_int8_weight:threads=128,ahead=1"}
        expected |= {f"rotated_int8_swiglu:threads={n},ahead=0" for n in (32, 64, 96, 128, 256, 512)}
        expected |= {f"rotated_int8_swiglu:threads={n},ahead=1" for n in (96, 128)}
        expected |= {f"rotated_int8_matmul:kernel=wgmma,tokens=128,outputs={o}" for o in (128, 256)}
        expected |= {f"rotated_int8_matmul:kernel=mma,tokens={t},outputs={t}" for t in (64, 128)}
        expected |= {"rotated_int8_matmul:kernel=mma_unaligned,tokens=64,outputs=64"}
        self.assertEqual(plans, expected)


if __name__ == "__main__":
    unittest.main()
