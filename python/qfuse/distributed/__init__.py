"""4-bit weights on several GPUs: sharded by FSDP2 or tensor parallelism, loaded and saved in parts by each rank.

    qfuse.distributed.shardable(model)            # makes a loaded model's 4-bit weights parameters for fully_shard
    qfuse.distributed.as_stored(model, path)      # or gives a meta-device model the checkpoint's 4-bit layers,
    qfuse.distributed.load(model, path, "cuda")   # of which each rank then reads its own part

    parallelize_module(model, mesh, {"layers.*.mlp.up_proj": qfuse.distributed.ColwiseLinear4bit(), ...})

    qfuse.distributed.save(model, path, optimizer=optimizer)      # from 8 ranks,
    qfuse.distributed.restore(model, path, optimizer=optimizer)   # to 2 ranks

It builds on torch.distributed and must be imported explicitly. docs/SEVERAL_GPUS.md is the full guide.
"""

from . import state_dicts
from .checkpoints import consolidate, restore, save
from .models import ShardableReport, as_stored, load, shardable
from .plans import tensor_parallel_plan
from .shards import ShardPlan, shard, shard_plan
from .tensor_parallel import ColwiseLinear4bit, ExpertParallel4bit, RowwiseLinear4bit

__all__ = [
    "ColwiseLinear4bit",
    "ExpertParallel4bit",
    "RowwiseLinear4bit",
    "ShardPlan",
    "ShardableReport",
    "as_stored",
    "consolidate",
    "load",
    "restore",
    "save",
    "shard",
    "shard_plan",
    "shardable",
    "tensor_parallel_plan",
]

state_dicts.cover()
