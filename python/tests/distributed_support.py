"""Helpers that the cases of distributed_cases.py share."""

import sys
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch
from distributed_models import DEVICE, weight
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor.parallel import parallelize_module

import qfuse.distributed as qd
from qfuse import versions
from qfuse.nn import Linear4bit

# The first argument of distributed_cases.py.
FOLDER = Path(sys.argv[1])


class Skipped(Exception):
    """Raised where a case cannot run; its text says why."""


def needs(*libraries: str) -> None:
    """Skips the case if a library (a key of versions.OLDEST) is missing or older than qfuse supports."""
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


def llama() -> Any:
    """A transformers Llama with gradient checkpointing and peft adapters over 4-bit layers."""
    from peft import LoraConfig, get_peft_model
    from transformers import LlamaConfig, LlamaForCausalLM

    sizes = dict(hidden_size=128, intermediate_size=256, num_hidden_layers=2, num_attention_heads=4, vocab_size=128)
    torch.manual_seed(3)
    model = LlamaForCausalLM(LlamaConfig(**sizes)).bfloat16().to(DEVICE)
    for layer in model.model.layers:
        for seed, (name, linear) in enumerate([(n, m) for n, m in layer.named_modules() if isinstance(m, nn.Linear)]):
            layer.set_submodule(name, Linear4bit(weight(linear.out_features, linear.in_features, seed)))
    model = get_peft_model(model, LoraConfig(r=4, target_modules="all-linear"))
    model.enable_input_require_grads()
    model.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": False})
    return model.train()


def share_out_layers(model: Any, over: Any) -> None:
    """Shards each layer, and the head by itself, as accelerate does."""
    base = model.base_model.model
    for part in (*base.model.layers, base.lm_head):
        fully_shard(part, mesh=over)
    fully_shard(model, mesh=over)


def losses_of_lengths(model: Any, lengths: Sequence[int] = (16, 16, 16)) -> list[float]:
    """Returns the losses of training steps on two sequences of each length."""
    optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=1e-2)
    found = []
    for length in lengths:
        ids = torch.arange(2 * length, device=DEVICE).view(2, length)
        loss = model(input_ids=ids, labels=ids).loss
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        found.append(loss.item())
    return found
