"""What the cases of distributed_cases.py share."""

import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

from distributed_models import DEVICE
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor.parallel import parallelize_module

import qfuse.distributed as qd
from qfuse import versions

# As distributed_cases.py is called.
FOLDER = Path(sys.argv[1])


class Skipped(Exception):
    """Why a case does not run here."""


def needs(*libraries: str) -> None:
    """Skips the case without them, or with versions that qfuse does not work with: keys of versions.OLDEST."""
    for library in libraries:
        try:
            version(library.split(",")[0])
            versions.require(library)
        except ImportError as error:
            raise Skipped(str(error)) from None


def mesh(*sizes: int) -> Any:
    return init_device_mesh(DEVICE, sizes, mesh_dim_names=("dp", "tp")[: len(sizes)])


def refused(call: Any, *words: str) -> None:
    try:
        call()
    except (TypeError, ValueError) as error:
        assert all(word in str(error) for word in words), error
        return
    raise AssertionError("was not refused")


def shared_out(model: Any, over: Any, **options: Any) -> Any:
    assert qd.shardable(model)
    for layer in getattr(model, "layers", []):
        fully_shard(layer, mesh=over, **options)
    return fully_shard(model, mesh=over, **options)


def tensor_parallel(model: Any, over: Any) -> Any:
    plan = {"layers.*.up": qd.ColwiseLinear4bit(), "layers.*.down": qd.RowwiseLinear4bit()}
    return parallelize_module(model, over, plan)
