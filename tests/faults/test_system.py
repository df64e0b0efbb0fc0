#!/usr/bin/env python3
"""Tests full disks, missing permissions and files that change during a run. Usage: test_system.py <qfuse>"""

import json
import os
import shutil
import signal
import subprocess
import time

from faults import (
    QFUSE,
    Faults,
    contents,
    limit_file_size,
    lora,
    main,
    nf4,
    pattern,
    safetensors,
    small_model,
    write_adapter,
    write_model,
)

NOBODY = 65534


class FullDisk(Faults):
    def test_a_limit_of_file_size(self):
        write_model(self.source, [nf4("a.weight", 256, 256)])  # 128 KiB decoded
        self.assertIn("cannot write: File too large", self.refusal(preexec_fn=limit_file_size))

    def test_a_file_system_that_is_too_small(self):
        small_model(self.source)
        disk = self.write_to_a_small_disk()
        (disk / "rest").write_bytes(bytes(65536))
        self.assertRegex(self.dequantize(code=1), "has 0 bytes free, the output needs 77[14] bytes")
        self.assertEqual(os.listdir(disk), ["rest"])

    def test_a_file_system_that_fills_up(self):
        small_model(self.source)
        text = json.dumps({"padding": "x" * 100_000})
        (self.source / "config.json").write_text(text)  # not included in the check of free space
        disk = self.write_to_a_small_disk()
        self.assertIn("cannot write: No space left on device", self.dequantize(code=1))
        self.assertEqual(os.listdir(disk), [])

    def write_to_a_small_disk(self):
        disk = self.mount("64k")
        self.out = disk / "out"
        return disk


class MergeOntoFullDisk(FullDisk):
    """Repeats the tests for a merge."""

    def setUp(self):
        super().setUp()
        write_adapter(self.adapter, lora("a", 4, 64))

    def test_a_limit_of_file_size(self):
        (self.adapter / "adapter_model.safetensors").write_bytes(safetensors(lora("a", 256, 256)))
        super().test_a_limit_of_file_size()


class Permissions(Faults):
    """Runs as a user whom permissions restrict: root becomes nobody."""

    def setUp(self):
        super().setUp()
        small_model(self.source)
        self.user = {}
        if os.geteuid() == 0:
            self.user = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
            for path in (self.directory, self.source, *self.source.iterdir()):
                os.chown(path, NOBODY, NOBODY)
            self.skip_unless_runnable()

    def skip_unless_runnable(self):
        try:
            subprocess.run([QFUSE, "--version"], capture_output=True, check=True, **self.user)
        except (OSError, subprocess.CalledProcessError) as error:
            self.skipTest(f"nobody cannot run {QFUSE}: {error}")

    def test_with_permission(self):
        self.dequantize(**self.user)
        self.assert_only("in", "out")

    def test_a_file_that_may_not_be_read(self):
        for name, verb in (
            ("model-00002-of-00002.safetensors", "open"),
            ("config.json", "open"),
            ("tokenizer.json", "open"),
        ):
            with self.subTest(name):
                (self.source / name).chmod(0)
                self.assertIn(f"{name}: cannot {verb}: Permission denied", self.refusal(**self.user))
                (self.source / name).chmod(0o644)

    def test_a_directory_that_may_not_be_read(self):
        self.source.chmod(0o300)
        self.assertIn("cannot list: Permission denied", self.refusal(**self.user))
        self.source.chmod(0)
        self.assertIn("Permission denied", self.refusal(**self.user))

    def test_a_parent_that_may_not_be_written(self):
        self.directory.chmod(0o555)
        self.assertIn("cannot write into it: Permission denied", self.refusal(**self.user))
        self.directory.chmod(0o755)


class ChangingInput(Faults):
    """Stops the run while it decodes, changes the input, and continues the run."""

    def setUp(self):
        super().setUp()
        write_model(self.source, [nf4(f"{shard}.weight", 1024, 1024) for shard in range(8)])
        self.last = self.source / "model-00008-of-00008.safetensors"

    def change_during_a_run(self, change):
        process = self.start("--device", "reference")
        while process.poll() is None and not (self.partial.exists() and os.listdir(self.partial)):
            time.sleep(0.001)
        process.send_signal(signal.SIGSTOP)
        self.assertFalse(self.out.exists(), "stopped too late")
        change()
        process.send_signal(signal.SIGCONT)
        error = process.communicate(timeout=60)[1]
        return process.returncode, error

    def expect_read_as_it_was_opened(self, file, changes):
        """Expects the same output for each change of the input; restores `file` after each."""
        self.dequantize()
        expected, whole = contents(self.out), file.read_bytes()
        for change in changes:
            with self.subTest(change):
                shutil.rmtree(self.out)
                self.assertEqual(self.change_during_a_run(change), (0, ""))
                self.assertEqual(contents(self.out), expected)
                self.assert_only("in", "out")
                file.unlink(missing_ok=True)
                file.write_bytes(whole)

    def replace(self, file, tensors):
        (self.directory / "other").write_bytes(safetensors(tensors))
        os.replace(self.directory / "other", file)

    def test_a_file_that_shrinks_is_an_error(self):
        code, error = self.change_during_a_run(lambda: os.truncate(self.last, 300_000))
        self.assertEqual(code, 1)
        self.assertRegex(error, r"\Aqfuse: error: [^\n]*ends at byte 300000, while \d+ more were there [^\n]*\n\Z")
        self.assert_only("in")

    def test_a_file_that_grows_or_is_replaced_is_read_as_it_was_opened(self):
        def grow():
            with open(self.last, "ab") as file:
                file.write(b"more")

        changes = [grow, lambda: self.replace(self.last, nf4("other", 2, 64)), self.last.unlink]
        self.expect_read_as_it_was_opened(self.last, changes)


class ChangingAdapter(ChangingInput):
    """Repeats the tests for an adapter, and for the base of a merge."""

    def setUp(self):
        super().setUp()
        self.file = self.adapter / "adapter_model.safetensors"
        write_adapter(self.adapter, self.factors())

    @staticmethod
    def factors():
        return {name: data for shard in range(8) for name, data in lora(f"{shard}", 1024, 1024).items()}

    def test_an_adapter_that_shrinks_is_an_error(self):
        size = self.file.stat().st_size
        code, error = self.change_during_a_run(lambda: os.truncate(self.file, size - 10_000))
        self.assertEqual(code, 1)
        self.assertRegex(
            error, r"\Aqfuse: error: [^\n]*adapter_model\.safetensors[^\n]*ends at byte \d+, while \d+ more [^\n]*\n\Z"
        )
        self.assert_only("in")

    def test_an_adapter_that_is_replaced_or_removed_is_read_as_it_was_opened(self):
        other = {"x": ("F32", [2], pattern(8))}
        changes = [lambda: self.replace(self.file, other), self.file.unlink]
        self.expect_read_as_it_was_opened(self.file, [*changes, (self.adapter / "adapter_config.json").unlink])


if __name__ == "__main__":
    main()
