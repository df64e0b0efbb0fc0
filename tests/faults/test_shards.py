#!/usr/bin/env python3
"""Tests sharded conversions whose processes or whose finish are killed, fail or run at the same time.
Usage: test_shards.py <qfuse> <library fail_at_step> [seed]"""

import errno
import os
import random
import shutil
import signal
import subprocess
import sys
import time

from faults import QFUSE, Stopped, contents, limit_file_size, lora, main, nf4, pattern, write_adapter, write_model

SEED = int(sys.argv[3]) if len(sys.argv) > 3 else random.SystemRandom().randrange(10**9)
print("seed", SEED, file=sys.stderr)
ERRORS = (errno.ENOSPC, errno.EIO, errno.EDQUOT)
ALL = os.environ.get("QFUSE_TEST_ALL") == "ON"  # all errors at each step, or one of them
STRIDE = 1 if ALL else 3  # between the steps at which a shard is stopped; the first one is random


class Shards(Stopped):
    """After each fault, the shared directory must hold only whole files under final names."""

    def setUp(self):
        super().setUp()
        self.random = random.Random(SEED)
        self.verb, self.options = "dequantize", []

    def use(self, verb, weights, size, max_shard_size):
        """Writes a model of square weights for a conversion, and converts it in one process for comparison."""
        self.verb, self.options = verb, ["--max-shard-size", str(max_shard_size)]
        shutil.rmtree(self.source, ignore_errors=True)
        shutil.rmtree(self.adapter, ignore_errors=True)
        plain = ("BF16", [size, size], pattern(2 * size * size))
        write_model(
            self.source,
            [
                nf4(f"{i}.weight", size, size) if verb == "dequantize" else {f"{i}.weight": plain}
                for i in range(weights)
            ],
        )
        if verb != "dequantize":
            (self.source / "config.json").write_text("{}\n")
        if verb == "merge":
            layers = (lora(f"{i}", size, size) for i in range(weights))
            write_adapter(self.adapter, {name: data for layer in layers for name, data in layer.items()})
        subprocess.run(self.command("whole"), check=True, timeout=60)
        self.complete = contents(self.directory / "whole")
        shutil.rmtree(self.directory / "whole")

    def command(self, *arguments):
        """Returns the command of one process: a whole conversion to that output, a shard such as "1/2", or "finish"."""
        first, *rest = arguments
        if first == "finish":
            return [QFUSE, "finish", self.out, "--quiet", *rest]
        out, shard = (self.out, ["--shard", first]) if "/" in first else (self.directory / first, [])
        adapter = [self.adapter] if self.verb == "merge" else []
        return [QFUSE, self.verb, self.source, *adapter, "-o", out, "--quiet", *self.options, *shard, *rest]

    def start(self, *arguments):
        return subprocess.Popen(self.command(*arguments), stderr=subprocess.PIPE, text=True)

    def succeed(self, *arguments):
        done = subprocess.run(self.command(*arguments), stderr=subprocess.PIPE, text=True, timeout=60, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def failed_at(self, step, error, *arguments):
        """Whether the run failed at that step; checks its message."""
        code, text = self.fail_at(step, error, *arguments)
        if code != 0:
            self.assertEqual(code, 1)
            self.assertRegex(text, r"\Aqfuse: error: [^\n]+\n\Z")
        return code != 0

    def published(self):
        """Returns the files under final names; they must equal the final output's."""
        files = {name: data for name, data in contents(self.shards).items() if not name.startswith(".qfuse-")}
        for name, data in files.items():
            self.assertEqual(data, self.complete[name], name)
        return files

    def own_names(self):
        """Lists the other names there, which are not part of the output."""
        return sorted(name for name in os.listdir(self.shards) if name.startswith(".qfuse-"))

    def wait_for(self, path, process):
        while process.poll() is None and not path.exists():
            time.sleep(0.001)

    def finish(self, *options):
        self.succeed("finish", *options)
        self.assertEqual(contents(self.out), self.complete)
        self.assert_only("in", "out")


class Steps(Shards):
    def first(self):
        return 1 + self.random.randrange(STRIDE)

    def small(self, verb):
        self.use(verb, 3, 64, 5000 if verb == "quantize" else 8192)

    def test_a_shard_killed_at_every_step_is_run_again(self):
        for verb in ("dequantize", "quantize", "merge"):
            self.small(verb)
            for shard, other in (("0/2", "1/2"), ("1/2", "0/2")):
                for step in self.steps(shard, first=self.first(), stride=STRIDE):
                    with self.subTest(verb=verb, shard=shard, step=step):
                        if self.shards.exists():
                            self.published()
                        self.succeed(other)
                        self.succeed(shard)
                        self.finish()
                        self.clear()
                self.clear()

    def test_a_shard_failing_at_every_step_leaves_whole_files_alone(self):
        for verb in ("dequantize", "quantize", "merge"):
            self.small(verb)
            last = 0
            for last in self.steps("0/2"):
                self.clear()
            for step in range(self.first(), last + 1, STRIDE):
                for error in ERRORS if ALL else (self.random.choice(ERRORS),):
                    with self.subTest(verb=verb, step=step, error=errno.errorcode[error]):
                        self.clear()
                        self.succeed("1/2")
                        before = self.published()
                        is_failed = self.failed_at(step, error, "0/2")
                        self.assertLessEqual(before.items(), self.published().items())
                        if is_failed:
                            self.assertEqual(self.own_names(), [".qfuse-lock", ".qfuse-plan.json"])
                        self.succeed("0/2")
                        self.finish()
            self.clear()

    def made(self):
        self.clear()
        for shard in ("1/2", "0/2"):
            self.succeed(shard)

    def test_a_finish_killed_at_every_step_is_run_again(self):
        self.small("dequantize")
        self.made()
        windows = set()
        for step in self.steps("finish"):
            with self.subTest(step=step):
                if self.out.exists():
                    self.assertEqual(contents(self.out), self.complete)
                windows.add((self.out.exists(), self.shards.exists()))
                if self.shards.exists() or (self.partial / self.shards.name).exists():
                    self.finish()
                else:
                    done = subprocess.run(self.command("finish"), stderr=subprocess.PIPE, text=True, check=False)
                    self.assertIn("nothing to finish: it exists", done.stderr)
                    self.assertEqual(contents(self.out), self.complete)
                self.made()
        self.assertEqual(windows, {(False, True), (True, True), (True, False)})

    def test_a_finish_killed_at_every_step_of_a_replacement_loses_neither(self):
        self.small("dequantize")
        self.made_beside_an_old_output()
        for step in self.steps("finish", "--force"):
            with self.subTest(step=step):
                old = [path for path in (self.out, self.old) if path.exists() and contents(path) == self.old_contents]
                new = self.out.exists() and contents(self.out) == self.complete
                self.assertTrue(old or new, os.listdir(self.directory))
                self.assertTrue(new or len(self.published()) == len(self.complete) - 1, "all but the index")
                self.made_beside_an_old_output()
        self.assertEqual(contents(self.out), self.complete)

    def made_beside_an_old_output(self):
        self.made()
        self.make_old_output()

    def test_a_finish_failing_at_every_step_loses_nothing(self):
        self.small("dequantize")
        self.made()
        last = 0
        for last in self.steps("finish"):
            self.made()
        failed = set()
        for error in (errno.ENOSPC, errno.EIO, errno.EPERM):  # EPERM is what a file system without links returns
            for step in range(1, last + 1):
                with self.subTest(step=step, error=errno.errorcode[error]):
                    self.made()
                    is_failed = self.failed_at(step, error, "finish")
                    failed.add(is_failed)
                    if self.out.exists():
                        self.assertEqual(contents(self.out), self.complete)
                    self.assertEqual(self.shards.exists(), is_failed)
                    if is_failed:
                        self.finish()
        self.assertEqual(failed, {False, True})


class Random(Shards):
    def big(self, verb):
        self.use(verb, 6, 1024, 1 << 21)

    def run_all(self, count, killed_within=None):
        """Runs all shards at once; kills a random half within `killed_within` seconds. Returns those that failed."""
        order = [f"{i}/{count}" for i in range(count)]
        self.random.shuffle(order)
        processes = [(shard, self.start(shard)) for shard in order]
        if killed_within is not None:
            time.sleep(self.random.uniform(0, killed_within))
            for _, process in self.random.sample(processes, count // 2):
                process.send_signal(signal.SIGKILL)
        failed = []
        for shard, process in processes:
            error = process.communicate(timeout=60)[1]
            self.assertIn(process.returncode, (0, -signal.SIGKILL), error)
            if process.returncode != 0:
                failed.append(shard)
        return failed

    def test_all_at_once_they_make_what_one_process_makes(self):
        for verb in ("dequantize", "quantize"):
            self.big(verb)
            for count in (1, 2, 3, 7, 12):
                with self.subTest(verb=verb, count=count):
                    self.assertEqual(self.run_all(count), [])
                    self.finish()
                    self.clear()

    def test_killed_at_random_and_run_again_they_make_the_same(self):
        killed = 0
        for verb in ("dequantize", "quantize"):
            self.big(verb)
            self.clear()
            begin = time.monotonic()
            self.run_all(4)
            run_time = time.monotonic() - begin
            for _ in range(15):
                self.clear()
                failed = self.run_all(4, killed_within=run_time)
                killed += len(failed)
                if self.shards.exists():
                    self.published()
                for shard in failed:
                    self.succeed(shard)
                self.finish()
        self.assertGreater(killed, 0)

    def test_of_two_with_the_same_number_one_is_refused_or_both_are_right(self):
        self.big("dequantize")
        refused = 0
        for _ in range(20):
            self.clear()
            processes = [self.start(shard) for shard in ("1/2", "0/2", "0/2", "1/2")]
            for process in processes:
                error = process.communicate(timeout=60)[1]
                self.assertIn(process.returncode, (0, 1))
                if process.returncode == 1:
                    self.assertIn("is being written by another process", error)
                    refused += 1
            self.published()
            self.finish()
        self.assertGreater(refused, 0)

    def test_finish_beside_a_living_shard_is_refused(self):
        self.big("dequantize")
        self.succeed("1/2")
        process = self.start("0/2", "--device", "reference")
        self.wait_for(self.shards / ".qfuse-shard-00000", process)
        process.send_signal(signal.SIGSTOP)
        done = subprocess.run(self.command("finish"), stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("a shard is still being written", done.stderr)
        process.send_signal(signal.SIGCONT)
        self.assertEqual(process.communicate(timeout=60)[1], "")
        self.finish()

    def test_interrupted_a_shard_leaves_whole_files_alone(self):
        self.big("dequantize")
        cancelled = 0
        for number in (signal.SIGINT, signal.SIGTERM):
            for _ in range(10):
                process = self.start("0/2", "--device", "reference")
                self.wait_for(self.shards / ".qfuse-shard-00000", process)
                time.sleep(self.random.uniform(0, 0.02))
                process.send_signal(number)
                error = process.communicate(timeout=60)[1]
                self.assertIn(process.returncode, (0, 130), error)
                cancelled += process.returncode == 130
                self.published()
                self.assertEqual(self.own_names(), [".qfuse-lock", ".qfuse-plan.json"])
        self.assertGreater(cancelled, 0)

    def test_on_a_full_disk_a_shard_leaves_whole_files_alone(self):
        self.big("dequantize")
        self.succeed("1/2")
        before = self.published()
        command = self.command("0/2")
        done = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False, preexec_fn=limit_file_size)
        self.assertEqual(done.returncode, 1)
        self.assertIn("cannot write: File too large", done.stderr)
        self.assertEqual(self.published(), before)
        self.assertEqual(self.own_names(), [".qfuse-lock", ".qfuse-plan.json"])
        self.succeed("0/2")
        self.finish()

    def test_a_disk_too_small_for_its_own_files_stops_a_shard_at_once(self):
        self.big("dequantize")
        disk = self.mount("5m")
        self.out = disk / "out"
        self.succeed("1/4")  # two of the six files, 2 MB each
        done = subprocess.run(self.command("0/4"), stderr=subprocess.PIPE, text=True, check=False)
        self.assertIn(" free, the output needs 4.19 MB", done.stderr)
        self.assertEqual(len(os.listdir(disk / "out.qfuse-shards")), 2 + 2)


if __name__ == "__main__":
    main()
