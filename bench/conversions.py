"""Shared by the conversion benchmarks: writes .safetensors files, and runs a command with a clock."""

import json
import os
import struct
import subprocess
import sys
import threading
import time
from pathlib import Path

NOISE = os.urandom(1 << 20)


def write_safetensors(path, tensors, noise=NOISE):
    """Writes tensors, each (name, dtype, shape, content), where content is bytes or a number of noise bytes."""
    header, at = {}, 0
    for name, dtype, shape, content in tensors:
        size = content if isinstance(content, int) else len(content)
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [at, at + size]}
        at += size
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for _, _, _, content in tensors:
            if not isinstance(content, int):
                file.write(content)
                continue
            for begin in range(0, content, len(noise)):
                file.write(noise[: min(len(noise), content - begin)])
        os.fsync(file.fileno())


class Sampler:
    """Samples the RssAnon + RssShmem of a process every 10 ms, keeps the peak in KiB. Excludes mapped files."""

    def __init__(self, pid):
        self.peak = 0
        self.pid = pid
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self):
        while True:
            try:
                status = Path(f"/proc/{self.pid}/status").read_text()
            except (FileNotFoundError, ProcessLookupError):
                return
            fields = [line.split() for line in status.splitlines() if line.startswith(("RssAnon", "RssShmem"))]
            if not fields:
                return  # a zombie
            self.peak = max(self.peak, sum(int(field[1]) for field in fields))
            time.sleep(0.01)


def timed(command):
    """Returns seconds, CPU seconds (user, system), the sampled peak in MiB and the largest resident set in MiB."""
    begin = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    sampler = Sampler(process.pid)
    _, status, used = os.wait4(process.pid, 0)
    seconds = time.monotonic() - begin
    sampler.thread.join()
    if status != 0:
        sys.exit(f"failed: {' '.join(map(str, command))}")
    return seconds, (used.ru_utime, used.ru_stime), sampler.peak / 1024, used.ru_maxrss / 1024
