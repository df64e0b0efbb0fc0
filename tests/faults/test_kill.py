#!/usr/bin/env python3
"""Kills or interrupts runs at random moments. Usage: test_kill.py <qfuse> [seed]"""

import os
import random
import shutil
import signal
import sys
import time

from faults import Faults, contents, main, nf4, write_model

SEED = int(sys.argv[2]) if len(sys.argv) > 2 else random.SystemRandom().randrange(10**9)
print("seed", SEED, file=sys.stderr)


class Kill(Faults):
    """Each round ends a run after a random delay, up to 1.1 times the duration of a whole run."""

    def setUp(self):
        super().setUp()
        self.random = random.Random(SEED)
        write_model(self.source, [nf4(f"{shard}.weight", 2048, 2048) for shard in range(6)])  # 14 MB, 50 MB decoded
        self.input = contents(self.source)
        self.options = ["--max-shard-size", "10MB"]
        begin = time.monotonic()
        self.dequantize(*self.options)
        self.run_time = time.monotonic() - begin
        self.complete = contents(self.out)
        self.assertEqual(len(self.complete), 6 + 3, "shards, index, config, tokenizer")
        self.ends = {}

    def end_at_random(self, number, *options):
        process = self.start(*self.options, *options)
        time.sleep(self.random.uniform(0, 1.1 * self.run_time))
        process.send_signal(number)
        error = process.communicate(timeout=60)[1]
        return process.returncode, error

    def count(self, what):
        self.ends[what] = self.ends.get(what, 0) + 1

    def report(self, *needed):
        print(self.ends, f"in {self.run_time:.3f} s runs", file=sys.stderr)
        for what in needed:
            self.assertGreater(self.ends.get(what, 0), 0, f"no run was {what}: {self.ends}")

    def test_killed_200_times_an_output_is_whole_or_absent(self):
        for _ in range(200):
            self.remove_output()
            code, _ = self.end_at_random(signal.SIGKILL)
            self.assertIn(code, (0, -signal.SIGKILL))
            self.count(
                "whole" if self.out.exists() else "in the middle" if self.partial.exists() else "before it began"
            )
            if self.out.exists():
                self.assertEqual(contents(self.out), self.complete)
        self.report("in the middle")
        self.assertEqual(contents(self.source), self.input)

    def test_a_run_after_a_killed_one_cleans_up_and_succeeds(self):
        rounds = 0
        while rounds < 10:
            self.remove_output()
            self.end_at_random(signal.SIGKILL)
            if self.out.exists() or not self.partial.exists():
                continue
            rounds += 1
            self.dequantize(*self.options)
            self.assertEqual(contents(self.out), self.complete)
            self.assert_only("in", "out")

    def test_killed_while_it_replaces_the_old_output_or_the_new_one_is_whole(self):
        for _ in range(50):
            self.end_at_random(signal.SIGKILL, "--force")
            whole = [path for path in (self.out, self.old) if path.exists() and contents(path) == self.complete]
            self.assertTrue(whole, os.listdir(self.directory))
            self.count("done" if not self.partial.exists() else "in the middle")
            if self.old.exists():
                self.count("in the replacement")
                self.recover()
        self.report("in the middle")

    def test_interrupted_at_random_it_leaves_nothing(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            for _ in range(20):
                self.remove_output()
                code, error = self.end_at_random(number)
                self.assertIn(code, (0, 130, -number), error)
                self.count({0: "done", 130: "cancelled"}.get(code, "not yet listening"))
                self.assert_only(*(["in", "out"] if code == 0 else ["in"]))
                self.assertEqual(error, "qfuse: error: cancelled\n" if code == 130 else "")
        self.report("cancelled")

    def recover(self):
        """Does what docs/FAULTS.md tells a user to do."""
        if self.out.exists():
            shutil.rmtree(self.old)
        else:
            self.old.rename(self.out)

    def remove_output(self):
        for path in (self.out, self.partial):
            shutil.rmtree(path, ignore_errors=True)


if __name__ == "__main__":
    main()
