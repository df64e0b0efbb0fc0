#!/usr/bin/env python3
"""Runs the conversions as a user does. Usage: test_conversions.py <qfuse> <golden directory>"""

import json
import os
import shutil
import signal
import sys
import unittest

from command import GOLDEN, TINY, Command, linked_libraries, write_big, write_hole, write_tensors, write_zeros


class Dequantize(Command):
    def test_summary(self):
        out, error = self.dequantize()
        self.assertRegex(out, r"\A[^\n]*out: 14 of 21 tensors dequantized, 1\.00 MB in 1 file, [\d.]+ s\n\Z")
        self.assertEqual(error, "", "no progress where stderr is no terminal")
        self.assertEqual(sorted(os.listdir(self.out)), ["config.json", "generation_config.json", "model.safetensors"])

    def test_json(self):
        summary = json.loads(self.dequantize("--json")[0])
        self.assertGreaterEqual(summary.pop("seconds"), 0)
        self.assertEqual(
            summary,
            {
                "tensors": 21,
                "dequantized": 14,
                "files": 1,
                "bytes_read": 471219,
                "bytes_written": 1000704,
                "device": "cpu",
            },
        )

    def test_quiet(self):
        self.assertEqual(self.dequantize("--quiet"), ("", ""))

    def test_dtype(self):
        """--dtype also accepts torch's spellings."""
        names = {"BF16": "bfloat16", "F16": "float16", "F32": "float32"}
        spelt = {"BF16": ("bf16", "bfloat16", "auto"), "F16": ("fp16", "float16", "half"), "F32": ("fp32", "float32")}
        for dtype, spellings in spelt.items():
            for spelling in spellings:
                with self.subTest(spelling):
                    self.dequantize("--dtype", spelling, "--force")
                    self.assertEqual(json.loads((self.out / "config.json").read_text())["dtype"], names[dtype])
                    self.assertEqual({t["dtype"] for name, t in self.inspect().items() if ".mlp." in name}, {dtype})

    def test_a_component_of_a_pipeline(self):
        pipeline = self.directory / "pipeline"
        for name in ("text_encoder", "vae"):
            shutil.copytree(TINY / "bnb4", pipeline / name)
        index = {"text_encoder": ["transformers", "LlamaModel"], "vae": ["diffusers", "AutoencoderKL"]}
        (pipeline / "model_index.json").write_text(json.dumps(index))
        out, _ = self.run_qfuse("dequantize", pipeline, "-o", self.out, "--component", "vae")
        self.assertIn("14 of 21 tensors dequantized", out)
        self.assertEqual(sorted(os.listdir(self.out)), ["model_index.json", "text_encoder", "vae"])
        self.assertIn(
            "text_encoder, vae", self.error("dequantize", pipeline, "-o", self.out, "--component", "x", code=1)
        )
        self.assertIn("vae/model.norm.weight", self.run_qfuse("inspect", self.out)[0])

    def test_existing_output(self):
        self.dequantize()
        before = (self.out / "model.safetensors").stat().st_ino
        self.assertIn("; --force replaces it", self.error("dequantize", TINY / "bnb4", "-o", self.out, code=1))
        self.assertEqual((self.out / "model.safetensors").stat().st_ino, before)
        self.dequantize("--force")
        self.assertEqual(os.listdir(self.directory), ["out"])

    def test_failures(self):
        self.assertIn("No such file", self.error("dequantize", self.directory / "none", "-o", self.out, code=1))
        self.assertIn("input itself", self.error("dequantize", TINY / "bnb4", "-o", TINY / "bnb4", "--force", code=1))
        self.assertFalse(self.out.exists())

    def test_interrupt_leaves_nothing(self):
        source = self.directory / "big.safetensors"
        write_big(source)
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(signal=number):
                self.interrupt("dequantize", source, "-o", self.out, "--device", "reference", number=number)
                self.assertEqual(os.listdir(self.directory), ["big.safetensors"])

    def test_progress_in_a_log(self):
        source = self.directory / "big.safetensors"
        write_big(source)
        text = self.dequantize(source=source, env=os.environ | {"QFUSE_PROGRESS_SECONDS": "0"})[1]
        self.assertRegex(text, r"\A(dequantize +\d+%  [\d.]+ .?B of 134 MB  [\d.]+ .?B/s  \d+ s left\n){3,}\Z")
        self.assertEqual(self.dequantize("--force", source=source)[1], "", "nothing within half a minute")

    def test_dry_run(self):
        out, error = self.dequantize("--dry-run")
        self.assertRegex(out, r"\A[^\n]*out: 14 of 21 tensors would be dequantized, 1\.00 MB in 1 file; nothing was ")
        self.assertEqual((error, os.listdir(self.directory)), ("", []))
        self.out.mkdir()
        (self.out / "notes").write_text("")
        self.assertIn("--force", self.dequantize("--dry-run", code=1)[1], "it would be refused")
        shutil.rmtree(self.out)
        summary = json.loads(self.dequantize("--dry-run", "--json")[0])
        self.assertEqual(summary["bytes_written"], json.loads(self.dequantize("--json")[0])["bytes_written"])

    def test_where_the_output_goes(self):
        message = self.error("dequantize", TINY / "bnb4", "-o", self.directory / "x.safetensors", code=1)
        self.assertIn("is a directory, so its output is one", message)
        self.out.mkdir()
        source = GOLDEN / "bnb_int8.safetensors"
        self.run_qfuse("dequantize", source, "-o", self.out)
        self.run_qfuse("dequantize", source, "-o", f"{self.out}/", "--force")
        self.assertEqual(os.listdir(self.out), [source.name])
        out, _ = self.run_qfuse("dequantize", source, "-o", self.out, "--force")
        self.assertTrue(out.startswith(f"{self.out / source.name}: "), "the summary names the file")


class Fp8(Command):
    def setUp(self):
        super().setUp()
        self.source = self.directory / "in"
        self.source.mkdir()
        self.write()

    def write(self, scales=(3, 3)):
        """Writes two FP8 layers of 7 x 11 in blocks of 3 x 4, and an activation scale."""
        tensors = {"layers.0.input_scale": ("F32", [])}
        for layer in ("layers.0", "layers.1"):
            tensors |= {f"{layer}.weight": ("F8_E4M3", [7, 11]), f"{layer}.weight_scale_inv": ("F32", list(scales))}
        write_tensors(self.source / "model.safetensors", tensors)
        config = {"dtype": "float16", "quantization_config": {"quant_method": "fp8", "weight_block_size": [3, 4]}}
        (self.source / "config.json").write_text(json.dumps(config))

    def test_inspect(self):
        lines = self.run_qfuse("inspect", self.source)[0].splitlines()
        self.assertRegex(lines[1], r"\Alayers\.0\.input_scale +\[\] +activation_scale F32 +4\Z")
        self.assertRegex(lines[2], r"\Alayers\.\{0\.\.1\}\.weight +\[7, 11\] +fp8 3x4 F32 -> F16 +226\Z")
        summary = self.run_qfuse("inspect", self.source, "--summary")[0]
        self.assertRegex(summary, r"\nfp8, 3x4 F32 +2 +226 B +308 B +1\.36x\n")

    def test_dequantize(self):
        out, error = self.dequantize(source=self.source)
        self.assertRegex(out, r"\A[^\n]*out: 2 of 2 tensors dequantized, 308 B in 1 file, [\d.]+ s\n\Z")
        self.assertIn("are left out: 1, as 'layers.0.input_scale'", error)
        self.assertEqual(json.loads((self.out / "config.json").read_text()), {"dtype": "float16"})
        self.assertEqual({tensor["dtype"] for tensor in self.inspect().values()}, {"F16"})
        self.assertEqual(self.run_qfuse("compare", self.source, self.out)[0], "equal: 2 tensors, bit by bit\n")

    def test_scales_of_another_shape(self):
        self.write(scales=(2, 2))
        for arguments in (["dequantize", self.source, "-o", self.out], ["inspect", self.source]):
            self.assertIn("have [3, 3] in blocks of 3 x 4", self.error(*arguments, code=1))
        self.assertFalse(self.out.exists())


class OtherFormats(Command):
    """4-bit formats of other libraries, in a golden model that mixes several, and GPTQ's packed words."""

    def expect_format(self, source, listed, converted, tensors, replaced, error):
        """listed: lines of inspect. replaced: words of config.json that make of it another format's, and error what
        dequantize says then."""
        out, _ = self.run_qfuse("inspect", source)
        for line in listed:
            self.assertRegex(out, rf"\n{line}\n")
        out, _ = self.dequantize(source=source)
        self.assertRegex(out, rf"\A[^\n]*out: {converted} in 1 file, [\d.]+ s\n\Z")
        self.assertNotIn("quantization_config", (self.out / "config.json").read_text())
        self.assertEqual(self.run_qfuse("compare", source, self.out)[0], f"equal: {tensors} tensors, bit by bit\n")
        other, out = self.directory / "in", self.directory / "none"
        shutil.copytree(source, other)
        config = (other / "config.json").read_text()
        (other / "config.json").write_text(config.replace(*replaced))
        self.assertIn(error, self.error("dequantize", other, "-o", out, code=1))
        self.assertFalse(out.exists())
        return other

    def test_scaled_4bit(self):
        layer = r"model\.layers\.0\."
        listed = [
            layer + r"mlp\.down_proj\.weight +\[32, 64\] +int4 1x16 BF16 -> BF16 +1360",
            layer + r"mlp\.up_proj\.weight +\[64, 32\] +int4 per row BF16 -> BF16 +1168",
            layer + r"self_attn\.q_proj\.weight +\[32, 32\] +nvfp4 1x16 F8_E4M3 -> BF16 +580",
        ]
        converted, replaced = r"7 of 12 tensors dequantized, 24\.8 kB", ('"pack-quantized"', '"marlin-24"')
        error = "config.json says format 'marlin-24', which qfuse does not read"
        self.expect_format(GOLDEN / "scaled_4bit/mixed", listed, converted, 12, replaced, error)

    def test_gptq(self):
        source, error = GOLDEN / "gptq/gptq", "is quantized by GPTQ in 8 bits"
        listed, converted = (
            [r"ordered\.weight +\[64, 96\] +gptq 1x32 F16 -> F16 +3936"],
            r"5 of 7 tensors dequantized, 32\.3 kB",
        )
        replaced = ('"bits": 4', '"bits": 8')
        other = self.expect_format(source, listed, converted, 7, replaced, f"{error}, as its config.json says")
        self.assertIn(error, self.run_qfuse("inspect", other)[1])
        self.assertRegex(self.run_qfuse("inspect", "--summary", source)[0], r"\ngptq, 1x32 F16 +4 +9\.42 kB ")


class Device(Command):
    """Effects of --device on this machine, with or without GPUs."""

    def setUp(self):
        super().setUp()
        devices = self.run_qfuse("devices")[0]
        self.gpus = devices.count("\ncuda:")
        self.opencl = devices.count("\nopencl:")

    def convert(self, command, *arguments):
        source = TINY / ("bnb4" if command == "dequantize" else "full")
        out, error = self.run_qfuse(command, source, "-o", self.out, "--force", *arguments)
        self.assertEqual(error, "")
        return out

    def test_all_and_any_number_of_threads_agree(self):
        gpus = [["--device", name] for name in ("cuda", "cuda:0", f"cuda:{self.gpus - 1}") if self.gpus > 0]
        opencl = [["--device", name] for name in ("opencl", "opencl:0") if self.opencl > 0]
        for command in ("dequantize", "quantize"):
            contents = set()
            for arguments in (
                ["--device", "cpu"],
                ["--device", "reference"],
                ["--device", "auto"],
                ["--threads", "1"],
                ["--device", "auto", "--threads", "1"],
                *gpus,
                *(opencl if command == "dequantize" else []),
            ):
                self.convert(command, *arguments)
                contents.add((self.out / "model.safetensors").read_bytes())
            self.assertEqual(len(contents), 1, command)

    def test_auto_is_a_gpu_that_the_summary_names_or_the_cpu(self):
        best = "cuda:0" if self.gpus > 0 else "cpu"
        for command in ("dequantize", "quantize"):
            self.assertEqual(json.loads(self.convert(command, "--device", "auto", "--json"))["device"], best)
            self.assertEqual(json.loads(self.convert(command, "--json"))["device"], "cpu", "the default")
            self.assertRegex(self.convert(command, "--device", "auto"), r" s on cuda:0\n" if self.gpus else r" s\n")

    def test_a_gpu_that_is_not_there_is_a_failure_before_anything_is_written(self):
        name = f"cuda:{self.gpus}"
        reason = (
            f"this machine has {self.gpus} GPU" if self.gpus > 0 else "(there is no GPU here: |this build .* no CUDA)"
        )
        for command, source in (("dequantize", TINY / "bnb4"), ("quantize", TINY / "full")):
            error = self.error(command, source, "-o", self.out, "--device", name, code=1)
            self.assertRegex(error, f"device {name}: {reason}")
            self.assertEqual(os.listdir(self.directory), [])
            self.assertNotIn("reference", self.run_qfuse(command, "--help")[0])

    def test_opencl_decodes_and_says_so_where_it_does_not(self):
        name = f"opencl:{self.opencl}"
        reason = "(there is no OpenCL device here: |this build .* no OpenCL)"
        if self.opencl > 0:
            reason = f"this machine has {self.opencl} OpenCL device"
        error = self.error("dequantize", TINY / "bnb4", "-o", self.out, "--device", name, code=1)
        self.assertRegex(error, f"device {name}: {reason}")
        if self.opencl > 0:
            error = self.error("quantize", TINY / "full", "-o", self.out, "--device", "opencl", code=1)
            self.assertIn("quantize_4bit: this build of qfuse has no kernel for opencl, only for ", error)
        self.assertEqual(os.listdir(self.directory), [])
        if self.opencl > 0:
            self.assertRegex(self.convert("dequantize", "--device", "opencl"), r" s on opencl:0\n\Z")

    def test_interrupted_on_the_best_device_it_leaves_nothing(self):
        source = self.directory / "big.safetensors"
        write_big(source, 1 << 30)
        self.interrupt("dequantize", source, "-o", self.out, "--device", "auto")
        self.assertEqual(os.listdir(self.directory), ["big.safetensors"])


class Quantize(Command):
    def quantize(self, *arguments, source=TINY / "full", **options):
        return self.run_qfuse("quantize", source, "-o", self.out, *arguments, **options)

    def test_summary(self):
        out, error = self.quantize()
        self.assertRegex(
            out,
            r"\A[^\n]*out: 14 of 21 tensors quantized, 1\.00 MB to 471 kB in 1 file, [\d.]+ s\n"
            r"  in 4 bits: \d+ kB, from \d+ kB\n  not quantized: \d+ kB of [a-z ]+(, [\d.]+ kB of [a-z ]+)+\n\Z",
        )
        self.assertEqual(error, "", "no progress where stderr is no terminal")
        self.assertEqual(sorted(os.listdir(self.out)), ["config.json", "generation_config.json", "model.safetensors"])
        self.assertEqual(self.quantize("--quiet", "--force"), ("", ""))

    def test_json(self):
        summary = json.loads(self.quantize("--json")[0])
        self.assertGreaterEqual(summary.pop("seconds"), 0)
        written = sum(tensor["bytes"] for tensor in self.inspect().values())
        self.assertEqual(
            summary,
            {
                "tensors": 21,
                "quantized": 14,
                "files": 1,
                "bytes_read": 1000704,
                "bytes_written": written,
                "device": "cpu",
                "kept": summary["kept"],
            },
        )
        self.assertEqual(sum(kept["tensors"] for kept in summary["kept"]), 7)

    def test_experts_that_stay(self):
        """The experts, nearly all of a Mixtral, are left unquantized."""
        source = self.directory / "mixtral"
        source.mkdir()
        (source / "config.json").write_text('{"model_type": "mixtral", "architectures": ["MixtralForCausalLM"]}')
        experts = [f"model.layers.0.block_sparse_moe.experts.{i}.w{j}" for i in range(8) for j in (1, 2, 3)]
        write_zeros(
            source / "model.safetensors",
            {f"{expert}.weight": [128, 64] for expert in experts}
            | {"model.layers.0.self_attn.q_proj.weight": [64, 64], "model.embed_tokens.weight": [32, 64]},
        )
        stays = "  not quantized: 393 kB of experts (--experts quantizes them), 4.10 kB of embeddings\n"
        for arguments in (["--dry-run"], []):
            out, error = self.run_qfuse("quantize", source, "-o", self.out, *arguments)
            self.assertRegex(out, r"\n  in 4 bits: 3\.\d\d kB, from 8\.19 kB\n")
            self.assertTrue(out.endswith(f"\n{stays}"), out)
            self.assertIn("393 kB of experts stay as they are; --experts quantizes them, for transformers 4", error)
        summary = json.loads(self.run_qfuse("quantize", source, "-o", self.out, "--json", "--force")[0])
        self.assertEqual(
            summary["kept"],
            [{"kind": "experts", "tensors": 24, "bytes": 393216}, {"kind": "embeddings", "tensors": 1, "bytes": 4096}],
        )
        out, _ = self.run_qfuse("quantize", source, "-o", self.out, "--force", "--experts")
        self.assertIn("25 of 26 tensors quantized", out)
        self.assertTrue(out.endswith("\n  not quantized: 4.10 kB of embeddings\n"), out)

    def test_importance(self):
        name = "model.layers.1.mlp.down_proj.weight"
        file = self.directory / "importance.safetensors"
        write_tensors(file, {name: ("F32", [352])})
        error = self.error("quantize", TINY / "full", "-o", self.out, "--importance", file, code=1)
        self.assertIn("--importance chooses scales that may be negative, which cannot be nested: it needs", error)
        self.assertIn("needs --no-double-quant", error)
        out, notes = self.quantize("--importance", file, "--no-double-quant")
        self.assertIn("14 of 21 tensors quantized", out)
        self.assertIn("has no tensor for 13 of 14 quantized weights; their scales are absmax", notes)
        write_tensors(file, {name: ("F32", [351])})
        error = self.error("quantize", TINY / "full", "-o", self.out, "--importance", file, "--no-double-quant", code=1)
        self.assertIn(f"tensor '{name}': is F32 [351], it must be F32 [352]", error)

    def test_report_of_the_error(self):
        out, _ = self.quantize("--report-error")
        self.assertRegex(out, r"\nsignal-to-noise ratio of the 14 weights that changed: 20\.\d\d dB in all; lowest:\n")
        self.assertRegex(out, r"\n   20\.\d\d dB  model\.layers\.[^\n]+\n\Z")
        self.assertEqual(out.count(" dB  "), 5)
        for other in (["--json"], ["--quiet"], ["--dry-run"], ["--shard", "0/2"]):
            self.error("quantize", TINY / "full", "-o", self.out, "--report-error", *other, code=2)

    def test_notes(self):
        source = self.directory / "in"
        shutil.copytree(TINY / "full", source)
        (source / "config.json").write_text('{"model_type": "of tomorrow"}')
        (source / "consolidated.safetensors").write_bytes(b"")
        notes = self.run_qfuse("quantize", source, "-o", self.out)[1]
        self.assertRegex(
            notes, r"\Aqfuse: note: [^\n]+'of tomorrow' was checked[^\n]+\nqfuse: note: [^\n]+not copied\n\Z"
        )
        self.assertEqual(self.run_qfuse("quantize", source, "-o", self.out, "--force", "--quiet"), ("", ""))

    def test_how(self):
        name = "model.layers.0.mlp.up_proj.weight"
        for arguments, expected in (
            ([], ("nf4", 64, True, "BF16")),
            (["--type", "fp4"], ("fp4", 64, True, "BF16")),
            (["--block-size", "128", "--no-double-quant"], ("nf4", 128, False, "BF16")),
            (["--dtype", "fp16"], ("nf4", 64, True, "F16")),
            (["--dtype", "auto"], ("nf4", 64, True, "BF16")),
        ):
            with self.subTest(arguments=arguments):
                self.quantize("--force", *arguments)
                tensor = self.inspect()[name]
                self.assertEqual((tensor["format"], tensor["blocksize"], tensor["nested"], tensor["dtype"]), expected)

    def test_patterns(self):
        # Options also work before IN: each takes one pattern, and IN is not taken for another pattern.
        patterns = "--exclude *.mlp.* --exclude *.v_proj.* --include lm_head.weight"
        self.run_qfuse("quantize", *patterns.split(), TINY / "full", "-o", self.out)
        quantized = sorted(name for name, tensor in self.inspect().items() if tensor["format"] == "nf4")
        self.assertEqual(
            quantized,
            ["lm_head.weight"]
            + [f"model.layers.{layer}.self_attn.{part}_proj.weight" for layer in (0, 1) for part in "koq"],
        )

    def test_there_and_back(self):
        self.quantize()
        self.run_qfuse("dequantize", self.out, "-o", self.directory / "back")
        self.run_qfuse("compare", self.out, self.directory / "back")
        self.assertEqual((self.directory / "back/config.json").read_text(), (TINY / "full/config.json").read_text())

    def test_failures(self):
        error = self.error("quantize", TINY / "bnb4", "-o", self.out, code=1)
        self.assertIn("dequantize the checkpoint first", error)
        self.assertEqual(os.listdir(self.directory), [])

    def test_interrupt_leaves_nothing(self):
        source = self.directory / "big.safetensors"
        write_hole(source)
        self.interrupt("quantize", source, "-o", self.out, "--threads", "1")
        self.assertEqual(os.listdir(self.directory), ["big.safetensors"])

    @unittest.skipIf("san.so" in linked_libraries(), "a sanitizer needs memory of its own")
    def test_memory_does_not_grow_with_a_tensor(self):
        peaks = []
        for megabytes in (64, 512):
            source = self.directory / f"{megabytes}.safetensors"
            write_hole(source, megabytes << 20)
            options = ["--block-size", "32", "--force", "--threads", "2", "--quiet"]
            peaks.append(self.peak_memory("quantize", source, "-o", self.out, *options))
        self.assertLess(peaks[1], peaks[0] + (8 << 10), "kB of 64 and of 512 MB, whose absmax alone have 32 MB")


class Shards(Command):
    def shard(self, shard, *arguments):
        return self.dequantize("--max-shard-size", "300KB", "--shard", shard, *arguments)

    def test_summary_says_what_comes_next(self):
        out, error = self.shard("1/8")
        self.assertRegex(
            out,
            rf"\A{self.out}, shard 1/8: 4 of 8 tensors dequantized, 288 kB in 1 file, [\d.]+ s\n"
            rf"when all 8 shards are done: qfuse finish {self.out}\n\Z",
        )
        self.assertEqual(error, "")
        out, _ = self.shard("7/8", "--force")
        self.assertRegex(
            out,
            rf"0 files, [\d.]+ s\nnothing to do for this shard: [^\n]+\n"
            rf"when all 8 shards are done: qfuse finish {self.out} --force\n\Z",
        )
        self.assertEqual(self.shard("0/8", "--quiet"), ("", ""))
        self.assertEqual(json.loads(self.shard("2/8", "--json")[0])["files"], 1)
        self.shard("3/8")
        out, error = self.run_qfuse("finish", self.out)
        self.assertRegex(out, rf"\A{self.out}: 21 tensors, 1\.00 MB in 4 files of 8 shards, [\d.]+ s\n\Z")
        self.assertEqual(error, "")
        self.assertEqual(os.listdir(self.directory), ["out"])

    def test_quantize_too(self):
        for arguments in ([], ["--shard", "1/2"], ["--shard", "0/2"]):
            out = self.out if arguments else self.directory / "whole"
            self.run_qfuse("quantize", TINY / "full", "-o", out, "--max-shard-size", "200KB", *arguments)
        report = json.loads(self.run_qfuse("finish", self.out, "--json")[0])
        self.assertGreaterEqual(report.pop("seconds"), 0)
        index = json.loads((self.directory / "whole/model.safetensors.index.json").read_text())
        self.assertEqual(report, {"shards": 2, "files": 3, "tensors": 21, "bytes": index["metadata"]["total_size"]})
        for name in os.listdir(self.directory / "whole"):
            self.assertEqual((self.out / name).read_bytes(), (self.directory / "whole" / name).read_bytes(), name)
        self.assertEqual(self.run_qfuse("finish", "--quiet", self.out, code=1)[0], "")

    def test_shards_that_are_none(self):
        for shard in ("8/8", "-1/8", "0/0", "1", "1/", "/8", "a/b", "1/8/8", "1 /8", "1/99999999999999999999"):
            with self.subTest(shard):
                error = self.error("dequantize", "x", "-o", "y", f"--shard={shard}", code=2)
                self.assertIn("is no shard", error)
        self.assertIn("counts from 0", self.error("quantize", "x", "-o", "y", "--shard", "8/8", code=2))
        self.assertIn(
            "single file",
            self.error("dequantize", GOLDEN / "bnb_cases.safetensors", "-o", self.out, "--shard", "0/8", code=1),
        )

    def test_help_has_a_line_to_copy(self):
        for command, given in (("dequantize", "IN"), ("quantize", "IN"), ("merge", "BASE ADAPTER")):
            self.assertIn(
                f"qfuse {command} {given} -o OUT --shard $SLURM_PROCID/$SLURM_NTASKS",
                self.run_qfuse(command, "--help")[0],
            )


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
