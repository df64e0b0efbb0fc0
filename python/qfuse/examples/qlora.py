"""Trains a LoRA adapter on a 4-bit model with trl's SFTTrainer, which one callback speeds up.

    python -m qfuse.examples.qlora MODEL DATA OUT
        # MODEL: a 4-bit model, as a directory or a name on the Hub such as unsloth/Llama-3.2-1B-bnb-4bit
        # DATA: a .jsonl file whose lines each have "text", or "messages" of a chat
        # OUT: the directory to write the adapter to, for qfuse merge

It uses a GPU if there is one, otherwise the CPU, which is fast enough only for small models. docs/QLORA.md has more.
Needs transformers, accelerate, peft, bitsandbytes, trl and datasets besides qfuse and torch.
"""

import re
import sys
from pathlib import Path
from typing import Any

import torch
from datasets import load_dataset
from peft import LoraConfig
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

from qfuse.integrations.transformers_training import SpeedUpTraining

LORA = LoraConfig(r=16, lora_alpha=32, target_modules="all-linear", task_type="CAUSAL_LM")
TRAINING: dict[str, Any] = dict(
    num_train_epochs=1, per_device_train_batch_size=4, learning_rate=2e-4, max_length=1024, bf16=True
)
TRAINING |= dict(logging_steps=5, save_strategy="no", report_to="none", use_cpu=not torch.cuda.is_available())
FIELDS = {"text", "messages"}


def main(model_name: str, data: str, out: str) -> None:
    if not Path(model_name, "config.json").is_file() and not re.fullmatch(r"[\w.-]+/[\w.-]+", model_name):
        sys.exit(f"{model_name} is neither the directory of a model, which has a config.json, nor a name on the Hub")
    if not Path(data).is_file():
        sys.exit(f"{data}: no such file")
    dataset = load_dataset("json", data_files=data, split="train")
    if not FIELDS & set(dataset.column_names):
        sys.exit(f"{data}: its lines have {', '.join(dataset.column_names)}; they need text, or messages of a chat")

    device = "cuda" if torch.cuda.is_available() else "cpu"
    trainer = SFTTrainer(
        AutoModelForCausalLM.from_pretrained(model_name, device_map=device, dtype=torch.bfloat16),
        SFTConfig(out, **TRAINING),
        train_dataset=dataset,
        processing_class=AutoTokenizer.from_pretrained(model_name),
        peft_config=LORA,
        callbacks=[SpeedUpTraining()],
    )
    trainer.train()
    trainer.save_model(out)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
