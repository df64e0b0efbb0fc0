"""Base class and helpers of the tests that run the qfuse command."""

import json
import math
import os
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

QFUSE, GOLDEN = (Path(argument).resolve() for argument in sys.argv[1:3])
TINY = GOLDEN / "tiny_llama"
LAYER = "model.layers.0.mlp.up_proj"  # a layer of that model


class Command(unittest.TestCase):
    def setUp(self):
        self.directory = Path(tempfile.mkdtemp(prefix="qfuse-cli-"))
        self.addCleanup(shutil.rmtree, self.directory)
        self.out = self.directory / "out"

    def run_qfuse(self, *arguments, code=0, **options):
        """Runs qfuse, checks its exit code, and returns stdout and stderr."""
        done = subprocess.run([QFUSE, *arguments], capture_output=True, text=True, timeout=120, check=False, **options)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout, done.stderr

    def error(self, *arguments, code, **options):
        out, error = self.run_qfuse(*arguments, code=code, **options)
        self.assertEqual(out, "")
        self.assertRegex(error, r"\Aqfuse: error: [^\n]+\n\Z")
        return error

    def interrupt(self, *arguments, number=signal.SIGINT):
        """Runs a conversion to self.out and sends a signal once it writes; expects exit code 130."""
        process = subprocess.Popen([QFUSE, *arguments], stderr=subprocess.PIPE, text=True)
        partial = self.directory / "out.qfuse-partial" / "out"
        while process.poll() is None and not partial.exists():
            pass
        process.send_signal(number)
        _, error = process.communicate(timeout=60)
        self.assertEqual((process.returncode, error), (130, "qfuse: error: cancelled\n"))

    def peak_memory(self, *arguments):
        """Returns the peak resident memory of a run in kB."""
        process = subprocess.Popen([QFUSE, *arguments])
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(process.returncode, 0)
        return usage.ru_maxrss

    def dequantize(self, *arguments, source=TINY / "bnb4", **options):
        return self.run_qfuse("dequantize", source, "-o", self.out, *arguments, **options)

    def inspect(self, *arguments):
        """Returns the tensors of the output by name."""
        tensors = json.loads(self.run_qfuse("inspect", self.out, "--json", *arguments)[0])["tensors"]
        return {tensor["name"]: tensor for tensor in tensors}


def linked_libraries():
    """Returns what ldd prints about the tested command."""
    return subprocess.run(["ldd", QFUSE], capture_output=True, text=True, check=True).stdout


def library_path():
    """Returns the LD_LIBRARY_PATH with which a copy of the tested command finds its libraries."""
    return ":".join(sorted({str(Path(word).parent) for word in linked_libraries().split() if word.startswith("/")}))


def write_tensors(path, tensors, data=b""):
    """Writes a safetensors file of {name: (type, shape)}: sparse zeros, with `data` as the last bytes."""
    header, position = {}, 0
    for name, (dtype, shape) in tensors.items():
        end = position + {"U8": 1, "F8_E4M3": 1, "BF16": 2, "F32": 4}[dtype] * math.prod(shape)
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [position, end]}
        position = end
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        file.truncate(8 + len(text) + position)
        file.seek(-len(data), os.SEEK_END)
        file.write(data)


def write_adapter(path, layer=LAYER, step=1, rows=352):
    """Writes a LoRA adapter of rank 1 that adds 0.5 * `step` to each value of the layer."""
    path.mkdir(exist_ok=True)
    name, columns = f"base_model.model.{layer}", 128
    tensors = {f"{name}.lora_A.weight": ("F32", [1, columns]), f"{name}.lora_B.weight": ("F32", [rows, 1])}
    data = struct.pack("<f", 0.5 * step) * columns + struct.pack("<f", 1.0) * rows
    write_tensors(path / "adapter_model.safetensors", tensors, data)
    (path / "adapter_config.json").write_text('{"peft_type": "LORA", "r": 1, "lora_alpha": 1}')


def write_big(path, elements=1 << 26):
    """Writes one plain NF4 weight as a sparse file, so that only its decoding takes time."""
    state = json.dumps({"quant_type": "nf4", "blocksize": 64, "dtype": "bfloat16", "shape": [elements]}).encode()
    parts = {"w": ("U8", [elements // 2]), "w.absmax": ("F32", [elements // 64])}
    write_tensors(path, parts | {"w.quant_state.bitsandbytes__nf4": ("U8", [len(state)])}, state)


def write_hole(path, size=1 << 29):
    """Writes one bf16 weight as a sparse file."""
    write_tensors(path, {"w.weight": ("BF16", [size // 2048, 1024])})


def write_zeros(path, shapes):
    """Writes a file of zero bf16 tensors, {name: shape}."""
    write_tensors(path, {name: ("BF16", shape) for name, shape in shapes.items()})
