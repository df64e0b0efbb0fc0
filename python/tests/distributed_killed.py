"""Two ranks save, and the second is killed while it writes: python distributed_killed.py <folder>."""

import multiprocessing
import os
import signal
import sys
from datetime import timedelta
from pathlib import Path

import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from distributed_models import Model
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard

import qfuse.distributed as qd


class _Writer(dcp.FileSystemWriter):
    def write_data(self, *args: object) -> None:  # type: ignore[override]
        os.kill(os.getpid(), signal.SIGKILL)


def main(folder: Path, rank: int) -> None:
    store = dist.FileStore(str(folder / "store"), 2)
    dist.init_process_group("gloo", store=store, rank=rank, world_size=2, timeout=timedelta(seconds=20))
    model = Model()
    qd.shardable(model)
    fully_shard(model, mesh=init_device_mesh("cpu", (2,)))
    if rank == 1:
        dcp.FileSystemWriter.write_data = _Writer.write_data  # type: ignore[method-assign]
    qd.save(model, folder / "saved")


if __name__ == "__main__":
    fork = multiprocessing.get_context("fork")  # forked ranks inherit the parent's imports
    ranks = [fork.Process(target=main, args=(Path(sys.argv[1]), rank)) for rank in (0, 1)]
    for each in ranks:
        each.start()
    for each in reversed(ranks):
        each.join(100)
    first, second = (each.exitcode for each in ranks)
    assert second == -signal.SIGKILL
    assert first not in (None, 0), "the first rank took it for saved"
