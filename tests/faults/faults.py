"""Helpers of the fault tests: writes models without qfuse, and runs the command in a directory of its own."""

import json
import os
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

# In memory if possible: the tests check the order of operations, not the disk.
SCRATCH = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
QFUSE = Path(sys.argv[1]).resolve()
KILL = 0  # in place of an errno
INDEX = "model.safetensors.index.json"


def safetensors(tensors):
    """Returns the bytes of a safetensors file; `tensors` maps a name to dtype, shape and bytes."""
    header, position = {}, 0
    for name, (dtype, shape, data) in tensors.items():
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [position, position + len(data)]}
        position += len(data)
    return with_header(json.dumps(header).encode()) + b"".join(data for _, _, data in tensors.values())


def with_header(header):
    return struct.pack("<Q", len(header)) + header


def pattern(size):
    """Returns `size` bytes that differ from their neighbors and are no NaN or infinity as fp32."""
    return (bytes(range(127)) * (size // 127 + 1))[:size]


def nf4(name, rows, columns):
    """Returns the tensors of one plain NF4 weight."""
    elements = rows * columns
    state = json.dumps({"quant_type": "nf4", "blocksize": 64, "dtype": "bfloat16", "shape": [rows, columns]}).encode()
    return {
        name: ("U8", [elements // 2, 1], pattern(elements // 2)),
        f"{name}.absmax": ("F32", [elements // 64], pattern(elements // 16)),
        f"{name}.quant_state.bitsandbytes__nf4": ("U8", [len(state)], state),
    }


def write_model(directory, shards):
    """Writes a model directory: one shard per mapping of tensors, an index, a config and another file."""
    directory.mkdir()
    weight_map = {}
    for number, tensors in enumerate(shards, 1):
        name = f"model-{number:05}-of-{len(shards):05}.safetensors"
        (directory / name).write_bytes(safetensors(tensors))
        weight_map.update(dict.fromkeys(tensors, name))
    write_index(directory, weight_map)
    (directory / "config.json").write_text('{"dtype": "bfloat16", "quantization_config": {"load_in_4bit": true}}\n')
    (directory / "tokenizer.json").write_text("{}\n")


def write_index(directory, weight_map):
    (directory / INDEX).write_text(json.dumps({"weight_map": weight_map}))


def lora(module, rows, columns):
    """Returns the tensors of a rank-4 adapter for one layer."""
    return {
        f"base_model.model.{module}.lora_A.weight": ("F32", [4, columns], pattern(16 * columns)),
        f"base_model.model.{module}.lora_B.weight": ("F32", [rows, 4], pattern(16 * rows)),
    }


def write_adapter(directory, tensors):
    """Writes an adapter like peft's, and another file."""
    directory.mkdir()
    (directory / "adapter_model.safetensors").write_bytes(safetensors(tensors))
    (directory / "adapter_config.json").write_text('{"peft_type": "LORA", "r": 4, "lora_alpha": 8}\n')
    (directory / "tokenizer_config.json").write_text("{}\n")


def small_model(directory):
    write_model(directory, [nf4("a.weight", 4, 64), nf4("b.weight", 2, 64)])


def contents(directory):
    """Returns the bytes of every file below, by relative path."""
    return {
        path.relative_to(directory).as_posix(): path.read_bytes()
        for path in sorted(directory.rglob("*"))
        if path.is_file()
    }


class Faults(unittest.TestCase):
    def setUp(self):
        self.directory = Path(tempfile.mkdtemp(prefix="qfuse-faults-", dir=SCRATCH))
        self.addCleanup(shutil.rmtree, self.directory)
        self.source = self.directory / "in"
        self.adapter = self.directory / "adapter"
        self.out = self.directory / "out"
        self.partial = self.directory / "out.qfuse-partial"
        self.lock = self.directory / "out.qfuse-partial.lock"
        self.old = self.directory / "out.qfuse-old"
        self.shards = self.directory / "out.qfuse-shards"

    def command(self, *options):
        """Returns a merge command if there is an adapter, otherwise a dequantize command."""
        conversion = ["merge", self.source, self.adapter] if self.adapter.exists() else ["dequantize", self.source]
        return [QFUSE, *conversion, "-o", self.out, "--quiet", *options]

    def start(self, *options):
        return subprocess.Popen(self.command(*options), stderr=subprocess.PIPE, text=True)

    def dequantize(self, *options, code=0, **process):
        """Runs the command to its end, checks the exit code, and returns its error: one line, or empty."""
        done = subprocess.run(
            self.command(*options), stderr=subprocess.PIPE, text=True, timeout=60, check=False, **process
        )
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertRegex(done.stderr, r"\A\Z" if code == 0 else r"\Aqfuse: error: [^\n]+\n\Z")
        return done.stderr

    def refusal(self, *options, **process):
        """Expects a failed run that leaves only its inputs; returns its error."""
        error = self.dequantize(*options, code=1, **process)
        self.assert_only("in")
        return error

    def assert_only(self, *names):
        adapter = ["adapter"] if self.adapter.exists() else []
        self.assertEqual(sorted(os.listdir(self.directory)), sorted([*names, *adapter]))

    def mount(self, size):
        """Mounts a tmpfs of that size."""
        disk = self.directory / "disk"
        disk.mkdir()
        command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", disk]
        mounted = subprocess.run(command, capture_output=True, text=True, check=False)
        if mounted.returncode != 0:
            self.skipTest(f"cannot mount a small file system: {mounted.stderr.strip()}")
        self.addCleanup(subprocess.run, ["umount", disk], check=True)
        return disk


class Stopped(Faults):
    """Runs that are killed or fail at a step: a call that reads or changes a file (fail_at_step.cpp)."""

    def fail_at(self, step, error, *arguments):
        """Returns the exit code and standard error of a run that fails at a step."""
        environment = {**os.environ, "LD_PRELOAD": sys.argv[2], "QFUSE_FAIL_AT": f"{step},{error}"}
        command = self.command(*arguments)
        done = subprocess.run(command, env=environment, stderr=subprocess.PIPE, text=True, timeout=60, check=False)
        return done.returncode, done.stderr

    def steps(self, *arguments, first=1, stride=1):
        """Kills a run at one step after another until one survives; yields after each kill."""
        step = first
        while (code := self.fail_at(step, KILL, *arguments)[0]) != 0:
            self.assertEqual(code, -signal.SIGKILL)
            yield step
            step += stride
        self.assertGreater(step, 20, "the library is preloaded")

    def clear(self):
        for path in (self.out, self.shards, self.partial, self.old):
            shutil.rmtree(path, ignore_errors=True)
        self.lock.unlink(missing_ok=True)

    def make_old_output(self):
        write_model(self.out, [nf4("old.weight", 2, 64)])
        self.old_contents = contents(self.out)


def limit_file_size():
    """Limits the file size of a process about to start to 100,000 bytes."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))


def main():
    unittest.main(argv=sys.argv[:1], verbosity=2)
