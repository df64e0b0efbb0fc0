"""What the tests of several ranks run on each of them: python distributed_cases.py <rank> <ranks> <folder>.

Every function of these modules that begins with case_<ranks>_ is run, one after the other, in one process group; a line
of <folder>/<ranks>.<rank>.txt says of each how it ended. A case that fails ends the rank, since others may wait for it.
"""

import os
import sys
import traceback
from datetime import timedelta

import distributed_checkpoints
import distributed_fsdp
import distributed_parallel
import distributed_reading
import torch
import torch.distributed as dist
from distributed_models import DEVICE
from distributed_support import FOLDER, Skipped

MODULES = (distributed_fsdp, distributed_reading, distributed_parallel, distributed_checkpoints)
CASES = [item for module in MODULES for item in vars(module).items()]


def main() -> None:
    rank, ranks = int(sys.argv[1]), int(sys.argv[2])
    torch.set_num_threads(1)
    store = dist.FileStore(str(FOLDER / f"store{ranks}"), ranks)
    backend = "gloo"
    if DEVICE == "cuda":
        torch.cuda.set_device(rank)
        backend = "nccl"
    dist.init_process_group(backend, store=store, rank=rank, world_size=ranks, timeout=timedelta(seconds=100))
    chosen = sys.argv[4:]
    with open(FOLDER / f"{ranks}.{rank}.txt", "a", buffering=1) as log:
        for name, case in CASES:
            if not name.startswith(f"case_{ranks}_") or (chosen and name not in chosen):
                continue
            log.write(f"{name} began\n")
            try:
                case()
            except Skipped as why:
                log.write(f"{name} skipped {why}\n")
                continue
            except BaseException:
                log.write(f"{name} failed\n{traceback.format_exc()}\n")
                os._exit(1)
            log.write(f"{name} passed\n")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
