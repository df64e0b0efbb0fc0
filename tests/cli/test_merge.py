#!/usr/bin/env python3
"""Runs qfuse merge as a user does. Usage: test_merge.py <qfuse> <golden directory>"""

import json
import os
import shutil
import sys
import unittest

from command import LAYER, TINY, Command, linked_libraries, write_adapter, write_hole, write_tensors


class Merge(Command):
    def setUp(self):
        super().setUp()
        self.adapter = self.directory / "lora"
        write_adapter(self.adapter)

    def merge(self, *arguments, source=TINY / "full", adapters=(), **options):
        return self.run_qfuse("merge", source, *(adapters or [self.adapter]), "-o", self.out, *arguments, **options)

    def refuse(self, *arguments, code=1, source=TINY / "full", adapters=()):
        given = adapters or [self.adapter]
        return self.error("merge", source, *given, "-o", self.out, *arguments, code=code)

    def test_summary(self):
        out, error = self.merge()
        self.assertRegex(out, r"\A[^\n]*out: 1 of 21 tensors merged, 1\.00 MB in 1 file, [\d.]+ s\n\Z")
        self.assertEqual(error, "", "no progress where stderr is no terminal")
        self.assertEqual((self.out / "config.json").read_text(), (TINY / "full/config.json").read_text())
        report = json.loads(self.run_qfuse("compare", TINY / "full", self.out, "--json", code=1)[0])
        self.assertEqual([tensor["name"] for tensor in report["tensors"]], [f"{LAYER}.weight"])
        self.assertAlmostEqual(report["tensors"][0]["rmse"], 0.5, places=2)

    def test_json(self):
        summary = json.loads(self.merge("--json")[0])
        self.assertGreaterEqual(summary.pop("seconds"), 0)
        change = {"name": f"{LAYER}.weight", "shape": [352, 128], "rule": "lora", "rank": 1, "scale": 1.0}
        self.assertEqual(
            summary,
            {
                "tensors": 21,
                "merged": 1,
                "files": 1,
                "bytes_read": 1000704,
                "bytes_written": 1000704,
                "device": "cpu",
                "changes": [{**change, "added_rms": None, "weight_rms": None, "survival": None}],
            },
        )

    def test_quiet(self):
        self.assertEqual(self.merge("--quiet"), ("", ""))

    def test_dry_run_shows_what_would_be(self):
        out, _ = self.merge("--dry-run", "--to", "nf4")
        self.assertRegex(out, r"(?m)^tensor +rule +rank +scale +change rms +change / weight +survives$")
        self.assertRegex(out, rf"(?m)^{LAYER}\.weight +lora +1 +1 +0\.5 +[\d.]+ % +[\d.]+ %$")
        self.assertIn("1 of 21 tensors would be merged", out)
        change = json.loads(self.merge("--dry-run", "--json")[0])["changes"][0]
        self.assertAlmostEqual(change["added_rms"], 0.5, places=6)
        self.assertIsNone(change["survival"])
        self.assertEqual(os.listdir(self.directory), ["lora"])

    def test_weights_of_adapters(self):
        def scale_of(adapter):
            return json.loads(self.merge("--json", "--force", adapters=[adapter])[0])["changes"][0]["scale"]

        for weight, scale in (("0.25", 0.25), ("-1", -1.0), ("1e-3", 1e-3), ("0", 0.0)):
            with self.subTest(weight):
                self.assertEqual(scale_of(f"{self.adapter}@{weight}"), scale)
        for weight in ("", "x", "0.5x", "nan", "inf", "1e999", "0.5@"):
            with self.subTest(weight):
                self.assertIn("is not a weight", self.refuse(adapters=[f"{self.adapter}@{weight}"], code=2))
        path = self.directory / "lora@0.5"
        write_adapter(path)
        self.assertEqual(scale_of(path), 1.0, "a path that exists is one")
        self.assertEqual(scale_of(f"{path}@0.5"), 0.5)

    def test_several_adapters(self):
        other = self.directory / "other"
        write_adapter(other, step=4)
        summary = json.loads(self.merge("--json", adapters=[self.adapter, f"{other}@0.5"])[0])
        self.assertEqual((summary["merged"], summary["changes"][0]["rule"]), (1, "lora + lora"))
        report = json.loads(self.run_qfuse("compare", TINY / "full", self.out, "--json", code=1)[0])
        self.assertAlmostEqual(report["tensors"][0]["rmse"], 0.5 + 4 * 0.5 * 0.5, places=2)

    def test_types(self):
        for options, field, expected in (
            (["--to", "auto"], "dtype", "BF16"),
            (["--to", "fp32"], "dtype", "F32"),
            (["--to", "float16"], "dtype", "F16"),
            (["--to", "fp16"], "dtype", "F16"),
            (["--dtype", "fp16"], "dtype", "F16"),
            (["--to", "nf4"], "format", "nf4"),
            (["--to", "fp4", "--block-size", "128"], "format", "fp4"),
        ):
            with self.subTest(options):
                self.merge(*options, "--force")
                self.assertEqual(self.inspect()[f"{LAYER}.weight"][field], expected)

    def test_base_in_4_bits(self):
        self.merge("--to", "nf4", source=TINY / "bnb4")
        self.assertEqual((self.out / "config.json").read_text(), (TINY / "bnb4/config.json").read_text())
        faint = [f"{self.adapter}@1e-6"]
        error = self.refuse("--to", "nf4", "--force", source=TINY / "bnb4", adapters=faint)
        self.assertRegex(error, r"of what the adapter adds, -?[\d.]+ % is left when the sum is quantized")
        self.assertIn("to write it anyway: --fail-below 0", error)
        self.merge("--to", "nf4", "--force", "--fail-below", "0", source=TINY / "bnb4", adapters=faint)
        self.merge("--to", "nf4", "--force", "--keep-scales", "--fail-below", "0", source=TINY / "bnb4")
        for to in ("nf4", "fp8"):
            self.assertIn("has no scales that --keep-scales could keep", self.refuse("--to", to, "--keep-scales"))

    def test_blocks(self):
        """Quantizes a plain base to FP8, merges the adapter back into that, and checks errors."""
        write_adapter(self.adapter, "model.layers.0.self_attn.q_proj", rows=128)
        out, _ = self.merge("--to", "fp8")
        self.assertRegex(out, r"of what the adapter adds, \d+\.\d % is left in fp8; least in ")
        fp8 = self.directory / "fp8"
        self.out.rename(fp8)
        self.merge("--to", "FP8", "--fail-below", "0", source=fp8)
        self.assertEqual((self.out / "config.json").read_text(), (fp8 / "config.json").read_text())
        for options, message in (
            (["--to", "nvfp4"], "and cannot become nvfp4: merge to 16 bits, or back to what they are"),
            (["--to", "fp8", "--ue8m0", "--keep-scales"], "--keep-scales is of nf4, fp4, fp8, mxfp4, nvfp4 and int4"),
            (["--to", "bf16", "--ue8m0"], "--ue8m0 is of fp8"),
            (["--to", "bf16", "--include", "*"], "--include and --exclude say what is quantized of a base in 16 or"),
        ):
            self.assertIn(message, self.refuse(*options, "--force", source=fp8))

    def test_what_was_in_4_bits_before(self):
        """A base that was in 4 bits loses a faint adapter when it is quantized again: merge must fail instead. A dry
        run ends like the real one."""
        decoded, faint = self.directory / "decoded", [f"{self.adapter}@1e-3"]
        self.run_qfuse("dequantize", TINY / "bnb4", "-o", decoded)
        for source, options in ((TINY / "bnb4", []), (TINY / "full", ["--base-as", "nf4"]), (decoded, [])):
            with self.subTest(source=source, options=options):
                error = self.refuse("--to", "nf4", *options, source=source, adapters=faint)
                self.assertRegex(error, r"of what the adapter adds, -?[\d.]+ % is left")
                planned = self.merge("--dry-run", "--to", "nf4", *options, source=source, adapters=faint, code=1)
                self.assertEqual(planned[1], error)
                self.assertRegex(planned[0], rf"(?m)^{LAYER}\.weight .* -?[\d.]+ %$")
                options = [*options, "--fail-below", "0"]
                self.merge("--dry-run", "--to", "nf4", *options, source=source, adapters=faint)
        out, _ = self.merge("--to", "nf4", adapters=faint)
        self.assertRegex(out, r"of what the adapter adds, \d+\.\d % is left in 4 bits", "a base between codes keeps it")

    def test_what_was_probably_meant(self):
        error = self.refuse(source=self.adapter, adapters=[TINY / "full"])
        self.assertIn(f"the base comes first: `qfuse merge {TINY / 'full'} {self.adapter}`", error)
        _, notes = self.merge(adapters=[self.adapter, f"{self.adapter}/"])
        self.assertIn("is given twice, and added twice", notes)

    def test_a_folder_without_config(self):
        bare = self.directory / "bare"
        bare.mkdir()
        for path in (TINY / "full").glob("*.safetensors*"):
            shutil.copy(path, bare)
        self.assertIn("has no config.json, without which transformers loads", self.merge(source=bare)[1])
        _, notes = self.run_qfuse("quantize", bare, "-o", self.directory / "codes")
        self.assertIn("has no config.json", notes)

    def test_what_survives_is_said(self):
        out, _ = self.merge("--to", "nf4", source=TINY / "bnb4")
        self.assertRegex(
            out, rf"\n  of what the adapter adds, [\d.]+ % is left in 4 bits; least in {LAYER}\.weight, [\d.]+ %\n\Z"
        )
        self.assertNotIn("is left", self.merge("--force", source=TINY / "bnb4")[0])

    def test_the_base_that_the_adapter_names(self):
        cache = self.directory / "cache"
        config = self.adapter / "adapter_config.json"
        config.write_text('{"peft_type": "LORA", "r": 1, "lora_alpha": 1, "base_model_name_or_path": "org/tiny"}')
        environment = {**os.environ, "HF_HUB_CACHE": str(cache)}
        arguments = ["merge", self.adapter, "-o", self.out]
        error = self.error(*arguments, code=1, env=environment)
        self.assertIn(f"nor in the Hub's cache, {cache}: `hf download org/tiny` puts it there", error)
        snapshot = cache / "models--org--tiny" / "snapshots" / "abc"
        shutil.copytree(TINY / "full", snapshot)
        (snapshot.parents[1] / "refs").mkdir()
        (snapshot.parents[1] / "refs" / "main").write_text("abc")
        out, error = self.run_qfuse(*arguments, env=environment)
        self.assertEqual(error, f"qfuse: the base is {snapshot}, as the adapter says\n")
        self.assertIn("1 of 21 tensors merged", out)
        self.run_qfuse("compare", "org/tiny", self.out, "--adapter", self.adapter, env=environment)
        self.assertEqual(self.run_qfuse(*arguments, "--force", "--quiet", env=environment), ("", ""))
        self.run_qfuse("merge", "org/tiny", self.adapter, "-o", self.directory / "same", env=environment)
        self.run_qfuse("compare", self.directory / "same", self.out)
        self.assertIn("BASE|ADAPTER is required", self.error("merge", "-o", self.out, code=2))

    def test_failures(self):
        self.assertIn("no such file", self.refuse(adapters=[self.directory / "none"]))
        self.assertIn("nothing to tie", self.refuse("--untie"))
        write_adapter(self.adapter, "lm_head")
        self.assertRegex(self.refuse(source=self.unknown_class()), "'MyForCausalLM' is not known.*: --tie .*, --untie ")
        self.assertEqual(sorted(os.listdir(self.directory)), ["lora", "unknown"])

    def unknown_class(self):
        """Writes a model with only an embedding, of a class that qfuse does not know."""
        base = self.directory / "unknown"
        base.mkdir()
        (base / "config.json").write_text('{"architectures": ["MyForCausalLM"]}')
        write_tensors(base / "model.safetensors", {"model.embed_tokens.weight": ("F32", [352, 128])})
        return base

    def test_the_output_is_no_adapter(self):
        before = sorted(os.listdir(self.adapter))
        for out in (self.adapter, self.adapter / "out"):
            self.error("merge", TINY / "full", self.adapter, "-o", out, "--force", code=1)
        self.assertEqual(sorted(os.listdir(self.adapter)), before)

    def write_big(self, megabytes):
        """Writes a base of 1024 columns as a sparse file, and an adapter for it."""
        source = self.directory / f"{megabytes}.safetensors"
        write_hole(source, megabytes << 20)
        shapes = {"w.lora_A.weight": [1, 1024], "w.lora_B.weight": [(megabytes << 20) // 2048, 1]}
        tensors = {name: ("F32", shape) for name, shape in shapes.items()}
        write_tensors(self.adapter / "adapter_model.safetensors", tensors)
        return source

    def test_interrupt_leaves_nothing(self):
        source = self.write_big(512)
        self.interrupt("merge", source, self.adapter, "-o", self.out, "--threads", "1")
        self.assertEqual(sorted(os.listdir(self.directory)), ["512.safetensors", "lora"])

    @unittest.skipIf("san.so" in linked_libraries(), "a sanitizer needs memory of its own")
    def test_memory_does_not_grow_with_a_tensor(self):
        for options in ([], ["--to", "nf4"], ["--base-as", "nf4"]):
            peaks = []
            for megabytes in (64, 512):
                source = self.write_big(megabytes)
                command = ["merge", source, self.adapter, "-o", self.out, *options]
                peaks.append(self.peak_memory(*command, "--force", "--threads", "2", "--quiet"))
            with self.subTest(options):
                self.assertLess(peaks[1], peaks[0] + (8 << 10), "kB of 64 and of 512 MB")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
