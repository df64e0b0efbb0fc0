#!/usr/bin/env python3
"""Trains a LoRA adapter on a 4-bit transformers model on several GPUs, each of which reads and holds a part of it.

    torchrun --nproc-per-node 2 several_gpus.py OUT            # a tiny Llama made here
    torchrun --nproc-per-node 8 several_gpus.py OUT MODEL      # the directory of a bnb-4bit model
    torchrun --nproc-per-node 8 several_gpus.py OUT MODEL --tp 2

FSDP2 shards weights, adapters and optimizer state; --tp N first splits each layer across N GPUs. OUT gets a checkpoint
every few steps, from which the next run continues, on any number of GPUs, and at the end the adapter in peft's format.
Without a GPU it runs on CPUs with gloo. It trains on random tokens: replace them with your own batches. Needs torch,
transformers, accelerate and peft besides qfuse.
"""

import argparse
import os
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
from accelerate import init_empty_weights
from peft import LoraConfig, get_peft_model
from torch import Tensor
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor.parallel import parallelize_module
from transformers import AutoConfig, AutoModelForCausalLM, LlamaConfig

import qfuse.checkpoint
import qfuse.distributed as qd
import qfuse.integrations.peft

TINY = dict(vocab_size=256, hidden_size=128, intermediate_size=256, num_hidden_layers=2, num_attention_heads=4)
TINY |= dict(num_key_value_heads=2, tie_word_embeddings=True)
STEPS, SAVE_EVERY, BATCH, TOKENS = 10, 5, 2, 64


def make_tiny(folder: Path) -> Path:
    """Makes a directory in the format of a transformers model that bitsandbytes has quantized."""
    codes = folder / "tiny-nf4"
    if dist.get_rank() == 0 and not codes.exists():
        AutoModelForCausalLM.from_config(LlamaConfig(**TINY), dtype=torch.bfloat16).save_pretrained(folder / "tiny")
        qfuse.checkpoint.quantize(folder / "tiny", codes)
    dist.barrier()
    return codes


def build(path: Path, mesh: DeviceMesh) -> Any:
    """Builds the model. No rank ever holds more than its part and one gathered layer at a time."""
    config = AutoConfig.from_pretrained(path)
    vars(config).pop("quantization_config", None)  # as_stored makes the quantized layers
    with init_empty_weights():  # weights on the meta device; buffers, which no file has, are computed
        base = AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16)
    base.tie_weights()  # shares one weight between embedding and head if the model does
    report = qd.as_stored(base, path)
    lora = LoraConfig(r=16, lora_alpha=32, target_modules="all-linear", task_type="CAUSAL_LM")
    model = get_peft_model(base, lora, low_cpu_mem_usage=True)  # the adapters are on the meta device, too
    if mesh["tp"].size() > 1:
        parallelize_module(model, mesh["tp"], qd.tensor_parallel_plan(model))
    for layer in base.model.layers:
        fully_shard(layer, mesh=mesh["dp"])
    fully_shard(model, mesh=mesh["dp"])
    made = qd.load(model, path, mesh.device_type)
    say(f"{report}; {len(made)} adapters' factors are new")
    return model


def batch_of(step: int, mesh: DeviceMesh, vocabulary: int) -> Tensor:
    """Returns random tokens. Ranks that share split layers get the same tokens, other ranks different ones."""
    generator = torch.Generator().manual_seed(1000 * mesh["dp"].get_local_rank() + step % 2)
    return torch.randint(vocabulary, (BATCH, TOKENS), generator=generator).to(mesh.device_type)


def train(model: Any, mesh: DeviceMesh, checkpoint: Path) -> None:
    trained = [p for p in model.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(trained, lr=1e-3)
    done = 0
    if checkpoint.exists():
        done = qd.restore(model, checkpoint, optimizer=optimizer)["step"]
        say(f"goes on behind step {done}")
    for step in range(done + 1, done + STEPS + 1):
        batch = batch_of(step, mesh, model.config.vocab_size)
        loss = model(input_ids=batch, labels=batch).loss
        loss.backward()
        torch.nn.utils.clip_grad_norm_(trained, 1.0)
        optimizer.step()
        optimizer.zero_grad()
        mean = loss.detach().float()
        dist.all_reduce(mean)
        say(f"step {step}: loss {mean.item() / dist.get_world_size():.4f}")
        if step % SAVE_EVERY == 0:
            qd.save(model, checkpoint, optimizer=optimizer, extra={"step": step})


def say(text: str) -> None:
    if dist.get_rank() == 0:
        print(text, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", metavar="OUT", type=Path)
    parser.add_argument("model", metavar="MODEL", type=Path, nargs="?")
    parser.add_argument("--tp", type=int, default=1)
    wanted = parser.parse_args()
    ranks = int(os.environ["WORLD_SIZE"])
    device = "cuda" if torch.cuda.is_available() else "cpu"
    mesh = init_device_mesh(device, (ranks // wanted.tp, wanted.tp), mesh_dim_names=("dp", "tp"))
    qfuse.integrations.peft.enable()
    model = build(wanted.model or make_tiny(wanted.out), mesh)
    train(model, mesh, wanted.out / "checkpoint")
    if dist.get_rank() == 0:
        print("wrote", qd.consolidate(wanted.out / "checkpoint", wanted.out / "adapter"))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
