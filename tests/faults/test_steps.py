#!/usr/bin/env python3
"""Kills or fails a run at each of its steps in turn. Usage: test_steps.py <qfuse> <library fail_at_step>"""

import errno
import shutil

from faults import Stopped, contents, lora, main, small_model, write_adapter


class Steps(Stopped):
    def setUp(self):
        super().setUp()
        self.write_input()
        self.input = contents(self.source)
        self.dequantize()
        self.complete = contents(self.out)
        shutil.rmtree(self.out)

    def write_input(self):
        small_model(self.source)

    def test_killed_at_every_step(self):
        for step in self.steps():
            with self.subTest(step=step):
                if self.out.exists():
                    self.assertEqual(contents(self.out), self.complete)
                    shutil.rmtree(self.out)
                self.dequantize()
                self.assert_only("in", "out")
                self.assertEqual(contents(self.out), self.complete)
                self.clear()
        self.assertEqual(contents(self.source), self.input)

    def test_killed_at_every_step_of_a_replacement(self):
        windows = set()
        self.make_old_output()
        for step in self.steps("--force"):
            with self.subTest(step=step):
                windows.add(self.check_replacement())
                self.clear()
                self.make_old_output()
        self.assertEqual(windows, {"old kept", "old aside", "new, old aside", "new"})
        self.assertEqual(contents(self.out), self.complete)
        self.assert_only("in", "out")

    def check_replacement(self):
        """Expects that the old or the new output is whole; returns the state as named in docs/FAULTS.md."""
        out = contents(self.out) if self.out.exists() else None
        if not self.old.exists():
            self.assertIn(out, (self.old_contents, self.complete))
            return "old kept" if out == self.old_contents else "new"
        if out is None:
            self.assertEqual(contents(self.old), self.old_contents)
            return "old aside"
        self.assertEqual(out, self.complete)
        self.assertIn("was left by a replacement that was interrupted", self.dequantize("--force", code=1))
        return "new, old aside"

    def test_failing_at_every_step(self):
        last = 0
        for last in self.steps():
            self.clear()
        self.clear()
        codes = set()
        for error in (errno.ENOSPC, errno.EIO, errno.EDQUOT):
            for step in range(1, last + 1):
                with self.subTest(step=step, error=errno.errorcode[error]):
                    codes.add(self.check_failure(*self.fail_at(step, error)))
                    self.clear()
        self.assertIn(1, codes)
        self.assertEqual(contents(self.source), self.input)

    def check_failure(self, code, error):
        """Expects that an error leaves nothing, except a finished output whose renaming could not be made durable."""
        if code == 0 or ("flush" in error and self.out.exists()):
            self.assertEqual(contents(self.out), self.complete)
            return code
        self.assertEqual(code, 1)
        self.assertRegex(error, r"\Aqfuse: error: [^\n]+\n\Z")
        self.assert_only("in")
        return code


class MergeSteps(Steps):
    """Repeats the tests for a merge, which has an adapter as another input."""

    def write_input(self):
        super().write_input()
        write_adapter(self.adapter, {**lora("a", 4, 64), **lora("b", 2, 64)})
        self.given = contents(self.adapter)
        self.addCleanup(lambda: self.assertEqual(contents(self.adapter), self.given))


class MergeTo4BitSteps(MergeSteps):
    """Merges 4-bit weights to 4 bits: the run first measures what is lost, and keeps scales in a file."""

    def command(self, *options):
        return [*super().command(*options), "--to", "nf4", "--fail-below", "0"]


if __name__ == "__main__":
    main()
