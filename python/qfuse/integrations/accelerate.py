"""accelerate on qfuse: FSDP2 shards the 4-bit weights of a bitsandbytes model instead of replicating them.

    import qfuse.integrations.accelerate
    qfuse.integrations.accelerate.enable()          # in the script that `accelerate launch` starts, before prepare()

accelerate does not shard uint8 weights, bitsandbytes' default, so each GPU holds all of them. With
bnb_4bit_quant_storage=torch.bfloat16 it shards them as floats, and an all-gather of floats may rewrite NaN patterns.
Here each Linear4bit becomes a qfuse.nn.Linear4bit before fully_shard: see qfuse.distributed.shardable.

fsdp_cpu_ram_efficient_loading, which loads on the first rank and broadcasts, is switched off for such a model, because
qfuse.distributed.load lets each rank read its own part."""

import warnings
from typing import Any

from ..patching.patch import Patch, Patches

__all__ = ["disable", "enable", "enabled"]


def _fsdp2_prepare_model(accelerator: Any, model: Any) -> None:
    """Runs before the original, which then prepares the model."""
    from torch.distributed.fsdp import FSDPModule

    from ..distributed import shardable

    if any(isinstance(module, FSDPModule) for module in model.modules()):
        return  # the original leaves an FSDP model unchanged
    report = shardable(model)
    if not report:
        return
    plugin = accelerator.state.fsdp_plugin
    if plugin.cpu_ram_efficient_loading:
        plugin.cpu_ram_efficient_loading = False
    accelerator.print(f"qfuse: {report}")
    if report.left and accelerator.is_main_process:
        warnings.warn(str(report), stacklevel=2)


_patches = Patches(
    Patch("accelerate.utils.fsdp_utils", "fsdp2_prepare_model", _fsdp2_prepare_model), library="accelerate"
)
enable, disable, enabled = _patches.enable, _patches.disable, _patches.enabled
