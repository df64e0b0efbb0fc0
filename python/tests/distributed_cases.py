"""Runs the multi-rank test cases on each rank: distributed_cases.py <folder> <ranks>[,<ranks>] [<case>...]

The functions of MODULES whose names begin with case_<ranks>_ run one after the other in one process group. A line of
<folder>/<ranks>.<rank>.txt says how each ended. A failed case ends its rank, because other ranks may wait for it. Ranks
are forked from one process that has imported torch, transformers and peft, which takes 12 seconds.
"""

import importlib
import multiprocessing
import os
import sys
import time
import traceback
from contextlib import suppress
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


def run_cases(rank: int, ranks: int, chosen: list[str]) -> None:
    log_file = os.open(FOLDER / f"{ranks}.{rank}.log", os.O_WRONLY | os.O_CREAT)
    os.dup2(log_file, 1)
    os.dup2(log_file, 2)
    torch.set_num_threads(1)
    store = dist.FileStore(str(FOLDER / f"store{ranks}"), ranks)
    backend = "gloo"
    if DEVICE == "cuda":
        torch.cuda.set_device(rank)
        backend = "nccl"
    dist.init_process_group(backend, store=store, rank=rank, world_size=ranks, timeout=timedelta(seconds=100))
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


def run_ranks(ranks: int, chosen: list[str]) -> None:
    """Starts the ranks. Once one fails, kills the others after 5 seconds instead of waiting for the group's timeout."""
    fork = multiprocessing.get_context("fork")
    processes = [fork.Process(target=run_cases, args=(rank, ranks, chosen)) for rank in range(ranks)]
    for process in processes:
        process.start()
    end = time.monotonic() + 300
    while any(process.is_alive() for process in processes) and time.monotonic() < end:
        if any(process.exitcode for process in processes):
            end = min(end, time.monotonic() + 5)
        time.sleep(0.1)
    for process in processes:
        process.kill()
        process.join()


def main() -> None:
    if DEVICE == "cpu":  # on a GPU, importing bitsandbytes queries the device, which forked processes then cannot use
        for library in ("accelerate.utils", "bitsandbytes", "peft", "transformers"):
            with suppress(ImportError):
                importlib.import_module(library)
    for ranks in sys.argv[2].split(","):
        run_ranks(int(ranks), sys.argv[3:])


if __name__ == "__main__":
    main()
