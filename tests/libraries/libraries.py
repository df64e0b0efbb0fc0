"""Shared by these tests: the qfuse command, the golden models, and reading and writing files without qfuse."""

import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import safetensors

QFUSE, GOLDEN = (Path(argument).resolve() for argument in sys.argv[1:3])
TINY = GOLDEN / "tiny_llama"
ALL = os.environ.get("QFUSE_TEST_ALL") != "OFF"

# Every dtype of the format, with its bits per element.
BITS = {
    **dict.fromkeys(["F4"], 4),
    **dict.fromkeys(["F6_E2M3", "F6_E3M2"], 6),
    **dict.fromkeys(["BOOL", "U8", "I8", "F8_E5M2", "F8_E4M3", "F8_E8M0", "F8_E4M3FNUZ", "F8_E5M2FNUZ"], 8),
    **dict.fromkeys(["I16", "U16", "F16", "BF16"], 16),
    **dict.fromkeys(["I32", "U32", "F32"], 32),
    **dict.fromkeys(["C64", "F64", "I64", "U64"], 64),
}


def file_bytes(header, data=b""):
    """Returns the bytes of a safetensors file. `header`: text, bytes, or a value for json.dumps."""
    if not isinstance(header, (str, bytes)):
        header = json.dumps(header)
    if isinstance(header, str):
        header = header.encode()
    return struct.pack("<Q", len(header)) + header + data


def weight_files(path):
    return sorted(path.glob("*.safetensors")) if path.is_dir() else [path]


def read(path):
    """Reads the tensors of a file or directory with the safetensors library: name -> dtype, shape, bytes."""
    tensors = {}
    for file in weight_files(path):
        for name, tensor in safetensors.deserialize(file.read_bytes()):
            assert name not in tensors, f"{name} lies in two files"
            tensors[name] = (tensor["dtype"], tensor["shape"], bytes(tensor["data"]))
    return tensors


def run_qfuse(*arguments, code=0):
    """Runs the command, checks its exit code, and returns its output."""
    done = subprocess.run([QFUSE, *arguments], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == code, f"qfuse {arguments}: exit code {done.returncode}: {done.stderr}"
    return done.stdout


class Judged(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = Path(tempfile.mkdtemp(prefix="qfuse-libraries-"))
        cls.addClassCleanup(shutil.rmtree, cls.directory)

    def convert(self, verb, source, *options, to="out.safetensors"):
        """Runs `verb` and returns the path of its output."""
        out = self.directory / to
        run_qfuse(verb, source, "-o", out, "--quiet", "--force", *options)
        return out


def main():
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)  # further arguments select tests
