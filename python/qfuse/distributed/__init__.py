"""4-bit weights on several GPUs: shared out by FSDP2, cut by tensor parallelism, read and saved by each rank in parts.

    qfuse.distributed.shardable(model)            # a loaded model's 4-bit weights become parameters for fully_shard
    qfuse.distributed.as_stored(model, path)      # or a model on the meta device, as a checkpoint has it,
    qfuse.distributed.load(model, path, "cuda")   # of which each rank then reads its own part

    parallelize_module(model, mesh, {"layers.*.mlp.up_proj": qfuse.distributed.ColwiseLinear4bit(), ...})

    qfuse.distributed.save(model, path, optimizer=optimizer)      # on 8 ranks,
    qfuse.distributed.restore(model, path, optimizer=optimizer)   # back on 2

The engine is torch.distributed; this module is imported only by who asks for it. docs/SEVERAL_GPUS.md has the whole.
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
