#!/usr/bin/env python3
"""Runs the qfuse command as a user does. Usage: test_cli.py <qfuse> <golden directory>"""

import json
import os
import re
import shutil
import struct
import subprocess
import sys
import unittest

from command import QFUSE, TINY, Command, library_path, write_zeros


class General(Command):
    def test_version(self):
        self.assertRegex(self.run_qfuse("--version")[0], r"\Aqfuse \d+\.\d+\.\d+\n\Z")
        self.assertEqual(self.run_qfuse("-V"), self.run_qfuse("--version"))

    def test_help_teaches(self):
        text, _ = self.run_qfuse("--help")
        subcommands = ["dequantize", "quantize", "merge", "finish", "inspect", "check", "compare", "devices"]
        for word in [*subcommands, "completions", "help", "Examples:", "Exit codes:"]:
            self.assertIn(word, text)
        self.assertEqual("\n  bench " in text, (QFUSE.parent / "qfuse-bench").exists(), "of what is not there, nothing")
        for subcommand in subcommands:
            self.assertIn(f"qfuse {subcommand}", self.run_qfuse(subcommand, "--help")[0])

    def test_short_help_is_a_sentence_for_each_option(self):
        for subcommand in ([], ["merge"], ["compare"], ["inspect"]):
            short = self.run_qfuse(*subcommand, "-h")[0].splitlines()
            options = set(re.findall(r"(?m)^  (?:-\w, ?)?(--[\w-]+)", self.run_qfuse(*subcommand, "--help")[0]))
            listed = [line for line in short if line.startswith("  -")]
            self.assertEqual({re.search(r"--[\w-]+", line)[0] for line in listed}, options)
            self.assertEqual(len(listed), len(options))
            self.assertLessEqual(max(map(len, short)), 80)
            self.assertLess(len(short), len(self.run_qfuse(*subcommand, "--help")[0].splitlines()))
        sentence = "The dtype of the model (auto: the one that each weight had or decodes to); or"
        self.assertIn(sentence, " ".join(self.run_qfuse("merge", "-h")[0].split()))

    def test_usage_errors(self):
        """Expects errors for wrong command lines, some with a part of the message."""
        for line, message in (
            ("", ""),
            ("dequantize", ""),
            ("compare x", ""),
            ("inspect --no", ""),
            ("check", ""),
            ("dequantize x -o y --check --dry-run", ""),
            ("dequantize x -o y --check --shard 0/2", ""),
            ("dequantize x -o y --dtype int8", ""),
            ("dequantize x -o y --device tpu", ""),
            ("dequantize x -o y --device cuda:x", ""),
            ("quantize x -o y --device gpu", ""),
            ("quantize", ""),
            ("quantize x", ""),
            ("quantize x -o y --block-size 48", ""),
            ("quantize x -o y --dtype int8", ""),
            ("quantize x -o y --max-shard-size much", ""),
            ("quantize x -o y --include", ""),
            ("merge", ""),
            ("merge x", ""),
            ("merge x y", ""),
            ("merge -o y", ""),
            ("merge x y -o z --to int8", ""),
            ("merge x y -o z --base-as bf16", ""),
            ("merge x y -o z --block-size 48", ""),
            ("merge x y -o z --tie --untie", ""),
            ("finish", ""),
            ("finish x y", ""),
            # wrong values: the message lists the valid ones
            ("dequantize x -o y --threads -1", "--threads is -1, it can be 0 or more (see qfuse deq"),
            ("dequantize x -o y --threads many", "--threads is many, it can be 0 or more"),
            ("quantize x -o y --type int8", "--type is 'int8', it can be nf4 or fp4 (see"),
            ("quantize x -o y --dtype e4m3", "--dtype is 'e4m3', it can be auto, bf16, fp16 or fp32"),
            ("quantize x -o y --device tpu", "--device is 'tpu', it can be auto, cpu, cuda[:N] or op"),
            ("merge x y -o z --fail-below half", "--fail-below is 'half', it can be a number"),
            ("help merg", "SUBCOMMAND is 'merg', it can be dequantize, "),
            ("dequantize x", "--output is required: say where to write with -o (see qfuse dequantize --help)"),
            ("dequantize x out", "--output is required: did you mean -o out?"),
            ("merge x adapter out", "--output is required: did you mean -o out?"),
            # misspellings: the message suggests the right word
            ("dequantise", "the subcommand 'dequantise' is unknown: did you mean dequantize?"),
            ("nonsense", "the subcommand 'nonsense' is unknown: see qfuse --help"),
            ("quantize x --blocksize=64", "the option '--blocksize' is unknown: did you mean --block-size?"),
            ("quantize x -o y --max-shard-size 5", "write 5GB or 5MB, or 5B"),
        ):
            with self.subTest(line):
                self.assertIn(message, self.error(*line.split(), code=2))

    def test_values_in_any_case(self):
        options = ["--type", "NF4", "--dtype", "Float16", "--device", "CPU"]
        self.run_qfuse("quantize", TINY / "full", "-o", self.out, *options)
        found = self.inspect()["model.layers.0.mlp.up_proj.weight"]
        self.assertEqual((found["format"], found["dtype"]), ("nf4", "F16"))

    def test_sizes(self):
        for size in ("0", "-1", "GB", "5XB", "1.5GB", "9999999999GB", "", "5", "999"):
            with self.subTest(size=size):
                self.error("dequantize", "x", "-o", "y", "--max-shard-size", size, code=2)
        for size, files in (("300KB", 4), ("300 kb", 4), ("293KiB", 4), ("300000", 4), ("5GB", 1)):
            with self.subTest(size=size):
                summary = json.loads(self.dequantize("--max-shard-size", size, "--json", "--force")[0])
                self.assertEqual(summary["files"], files)

    def test_devices_as_json(self):
        found = json.loads(self.run_qfuse("devices", "--json")[0])
        self.assertEqual([device["name"] for device in found["devices"]][:2], ["cpu", "reference"])
        self.assertEqual(found["cpu_targets"][-1], "scalar")
        gpus = [device for device in found["devices"] if device["name"].startswith("cuda")]
        self.assertEqual(found["without_gpu"] is None, bool(gpus))
        opencl = [device for device in found["devices"] if device["name"].startswith("opencl")]
        self.assertEqual(found["without_opencl"] is None, bool(opencl))
        self.assertEqual("qfuse " + found["build"]["version"], self.run_qfuse("--version")[0].strip())
        self.assertIn("compiler", found["build"])

    def test_devices(self):
        text, _ = self.run_qfuse("devices")
        self.assertRegex(text, r"(?m)^cpu +\S")
        self.assertRegex(text, r"SIMD targets, best first: .*scalar\n")
        self.assertRegex(text, r"(?m)^reference +\S")
        self.assertRegex(text, r"(?m)^cuda(:0)? +\S")
        self.assertRegex(text, r"(?m)^opencl(:0)? +\S")
        self.assertRegex(text, r"(?m)^build +version: \d+\.\d+\.\d+, compiler: .+, parallel: \w+, cuda: ")

    def test_bench_hands_over_or_says_what_is_missing(self):
        environment = {"PATH": str(self.directory)}
        if not (QFUSE.parent / "qfuse-bench").exists():
            done = subprocess.run([QFUSE, "bench"], capture_output=True, text=True, check=False, env=environment)
            self.assertEqual(done.returncode, 1)
            self.assertIn("cannot start qfuse-bench", done.stderr)
            self.assertIn("`make` in a clone builds it", done.stderr)
        shutil.copy(QFUSE, self.directory / "qfuse")
        program = self.directory / "qfuse-bench"
        program.write_text('#!/bin/sh\necho "got $*"\nexit 7\n')
        program.chmod(0o755)
        environment["LD_LIBRARY_PATH"] = library_path()
        command = [self.directory / "qfuse", "bench", "--help", "-x", "y"]
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
        self.assertEqual((done.returncode, done.stdout), (7, "got --help -x y\n"))

    def test_output_that_cannot_be_written_is_a_failure(self):
        with open("/dev/full", "w", encoding="ascii") as full:
            done = subprocess.run([QFUSE, "inspect", TINY / "bnb4"], stdout=full, stderr=subprocess.PIPE, check=False)
        self.assertEqual(done.returncode, 1)

    def test_a_closed_pipe_is_no_failure(self):
        """A reader that closes the pipe early changes neither the exit code nor what is written elsewhere."""
        for arguments, code in (
            (["inspect", TINY / "bnb4"], 0),
            (["--help"], 0),
            (["completions", "bash"], 0),
            (["compare", TINY / "bnb4", TINY / "full"], 1),
            (["dequantize", TINY / "bnb4", "-o", self.out], 0),
        ):
            with self.subTest(arguments=arguments):
                reader, writer = os.pipe()
                os.close(reader)
                done = subprocess.run([QFUSE, *arguments], stdout=writer, stderr=subprocess.PIPE, check=False)
                os.close(writer)
                self.assertEqual((done.returncode, done.stderr), (code, b""))
        self.assertTrue((self.out / "config.json").exists())


class Inspect(Command):
    def test_table(self):
        out, _ = self.run_qfuse("inspect", TINY / "bnb4", "--all")
        self.assertRegex(out, r"(?m)^name +shape +stored as +bytes$")
        self.assertRegex(
            out, r"(?m)^model\.layers\.1\.mlp\.down_proj\.weight +\[128, 352\] +nf4 64 nested -> BF16 +\d+$"
        )
        self.assertRegex(out, r"21 tensors in 3 files: 471 kB, decoded 1\.00 MB \(2\.12x\)\n\Z")
        self.assertEqual(len(out.splitlines()), 1 + 21 + 1)

    def test_layers_that_are_alike_are_a_line(self):
        each = self.run_qfuse("inspect", TINY / "bnb4", "--all")[0]
        sizes = [int(line.split()[-1]) for line in each.splitlines() if ".self_attn.q_proj." in line]
        out, _ = self.run_qfuse("inspect", TINY / "bnb4")
        self.assertEqual(len(out.splitlines()), 1 + 3 + 9 + 1)
        self.assertRegex(out, rf"(?m)^model\.layers\.{{0\.\.1}}\.self_attn\.q_proj\.weight .* {sum(sizes)}$")

    def test_experts_in_layers(self):
        names = [f"m.{i}.experts.{j}.w" for i in (0, 1, 2, 4) for j in range(12)]
        names += [f"m.{i}.gate" for i in (3, 7, 11, 15)] + ["m.01.x", "m.1.x", "v2.1", "v2.3"]
        write_zeros(self.directory / "x", {name: [2, 3] for name in names} | {"m.3.experts.0.w": [3, 2]})
        out, _ = self.run_qfuse("inspect", self.directory / "x")
        found = {line.split()[0] for line in out.splitlines()[1:-1]}
        self.assertEqual(
            found,
            {"m.{0..2,4}.experts.{0..11}.w", "m.3.experts.0.w", "m.{3,7..15}.gate", "m.01.x", "m.1.x", "v2.{1,3}"},
        )

    def test_json(self):
        inventory = json.loads(self.run_qfuse("inspect", TINY / "bnb4", "--json")[0])
        self.assertEqual((inventory["files"], inventory["bytes"]), (3, 471219))
        self.assertEqual(len(inventory["tensors"]), 21)
        self.assertEqual(sum(tensor["bytes"] for tensor in inventory["tensors"]), inventory["bytes"])
        arrays = [array for tensor in inventory["tensors"] for array in tensor["arrays"]]
        self.assertEqual(sum(array["bytes"] for array in arrays), inventory["bytes"])

    def test_summary(self):
        out, _ = self.run_qfuse("inspect", TINY / "bnb4", "--summary")
        self.assertRegex(out, r"(?m)^BF16 +7 +263 kB")
        self.assertRegex(out, r"(?m)^nf4, blocks of 64, nested +14 +208 kB +737 kB +3\.55x$")
        self.assertRegex(out, r"\n21 tensors in 3 files: 471 kB, decoded 1\.00 MB \(2\.12x\)\n\Z")

    def test_filter(self):
        out, _ = self.run_qfuse("inspect", TINY / "bnb4", "--filter", "*.0.mlp.*", "--filter", "lm_head.weight")
        self.assertEqual(len(out.splitlines()), 1 + 4 + 1)
        self.assertRegex(out, r"\n4 tensors in 3 files")
        found = json.loads(self.run_qfuse("inspect", TINY / "bnb4", "--filter", "lm_*", "--json")[0])["tensors"]
        self.assertEqual([tensor["name"] for tensor in found], ["lm_head.weight"])
        self.assertIn("matches no tensor", self.error("inspect", TINY / "bnb4", "--filter", "typo*", code=1))

    def test_hostile_names_stay_on_their_line(self):
        name = 'a\n\x1b[2J"\\\x7f\u009b2J\u00e9'
        header = json.dumps({name: {"dtype": "U8", "shape": [0], "data_offsets": [0, 0]}}).encode()
        (self.directory / "x").write_bytes(struct.pack("<Q", len(header)) + header)
        out, _ = self.run_qfuse("inspect", self.directory / "x")
        self.assertEqual(len(out.splitlines()), 3)
        self.assertIn('a\\x0a\\x1b[2J"\\\\x7f\\xc2\\x9b2J\u00e9 ', out)
        self.assertEqual(
            json.loads(self.run_qfuse("inspect", self.directory / "x", "--json")[0])["tensors"][0]["name"], name
        )

    def test_failure(self):
        self.error("inspect", self.directory / "none", code=1)


class Check(Command):
    def model(self, **changes):
        """Copies the tiny model and applies `changes` to its config."""
        model = self.directory / "model"
        shutil.copytree(TINY / "bnb4", model)
        config = json.loads((model / "config.json").read_text()) | changes
        (model / "config.json").write_text(json.dumps(config))
        return model

    def test_nothing_is_wrong(self):
        self.assertEqual(self.run_qfuse("check", TINY / "bnb4")[0], "21 tensors in 3 files: nothing is wrong\n")

    def test_problems(self):
        model = self.model(tie_word_embeddings=False, num_hidden_layers=3)
        out, _ = self.run_qfuse("check", model, code=1)
        self.assertEqual(len(out.splitlines()), 9 + 1)
        self.assertRegex(out, r"\Amissing      model\.layers\.2\.[^\n]+ is in no file, so that its values are random\n")
        self.assertTrue(out.endswith("21 tensors in 3 files: 9 problems\n"))
        report = json.loads(self.run_qfuse("check", model, "--json", code=1)[0])
        self.assertEqual((report["files"], report["tensors"], len(report["problems"])), (3, 21, 9))

    def test_unknown_class(self):
        out, error = self.run_qfuse("check", self.model(architectures=["MyModel"]), code=3)
        self.assertIn("qfuse: note: ", error)
        self.assertIn("'MyModel' is not known", error)
        self.assertTrue(out.endswith(": nothing is wrong in what could be compared\n"))

    def test_of_a_conversion(self):
        self.run_qfuse("dequantize", TINY / "bnb4", "-o", self.out, "--check")
        model = self.model(num_hidden_layers=3)
        out, error = self.run_qfuse("dequantize", model, "-o", self.directory / "other", "--check", code=1)
        self.assertIn("14 of 21 tensors dequantized", out)
        self.assertIn("\nmissing      model.layers.2.", error)
        self.assertTrue(
            error.endswith("was written, and 9 of its tensors or files are not as transformers needs them\n")
        )

    def test_could_not_check(self):
        self.error("check", self.directory / "none", code=3)


class Compare(Command):
    def test_equal(self):
        out, _ = self.run_qfuse("compare", TINY / "bnb4", TINY / "bnb4_scattered")
        self.assertEqual(out, "equal: 21 tensors, bit by bit\n")
        out, _ = self.run_qfuse("compare", TINY / "bnb4", TINY / "bnb4_scattered", "--all")
        self.assertEqual(len(out.splitlines()), 1 + 21 + 1)

    def test_different(self):
        out, _ = self.run_qfuse("compare", TINY / "bnb4", TINY / "full", code=1)
        self.assertEqual(len(out.splitlines()), 1 + 14 + 2)
        self.assertLessEqual(max(map(len, out.splitlines())), 80)
        self.assertRegex(
            out,
            r"different: 14 of 21 tensors; 7 are equal, bit by bit\n"
            r"where values differ: signal-to-noise ratio [\d.]+ dB, relative error 0\.0\d+\n\Z",
        )
        self.assertEqual(self.run_qfuse("compare", TINY / "bnb4", TINY / "full", "--threads", "1", code=1)[0], out)
        self.assertEqual(self.run_qfuse("compare", TINY / "bnb4", TINY / "full", "--quiet", code=1), ("", ""))

    def test_json(self):
        report = json.loads(self.run_qfuse("compare", TINY / "bnb4", TINY / "full", "--json", code=1)[0])
        self.assertEqual((report["equal"], report["compared"], len(report["tensors"])), (False, 21, 14))
        self.assertTrue(all(tensor["difference"] == "values" for tensor in report["tensors"]))
        report = json.loads(self.run_qfuse("compare", TINY / "full", TINY / "full", "--json", "--all")[0])
        self.assertEqual((report["equal"], len(report["tensors"])), (True, 21))
        self.assertIsNone(report["tensors"][0]["snr_db"], "JSON has no infinity")

    def test_could_not_compare(self):
        self.error("compare", TINY / "bnb4", self.directory / "none", code=3)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
