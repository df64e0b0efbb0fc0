#!/usr/bin/env python3
"""A whole QLoRA step of a Llama-3.1-8B with fewer layers: by the usual libraries, and by qfuse part by part.

    training_step.py --layers 8 --batches 2x1024,1x4096
    training_step.py --layers 8 --batches 2x1024 --ways "bitsandbytes,qfuse,unsloth" --unsloth FOLDER
    training_step.py --layers 8 --trainer 100             # 100 steps of trl's SFTTrainer, batches of mixed lengths

Every way runs in its own process, loads the same random weights in nested NF4, starts from the same adapter (rank 16,
every linear layer) and sees the same tokens. First losses and gradients are compared. A step is forward, backward and a
fused AdamW under bf16 autocast, with gradient checkpointing. Memory is the peak of torch's allocated and reserved
memory over all steps, including the first. Kernel times come from torch's profiler for one step.

Needs torch, transformers, accelerate, peft and bitsandbytes besides qfuse, and liger-kernel for its part. unsloth and
its dependencies may be in a separate folder. Exit status: 0, 1 a way failed or computed another loss, 2 wrong usage.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

RANK, SEED, STEPS, WARM_UP = 16, 3407, 10, 4
LINEARS = ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj")
NOTHING = dict(products=False, loss=False, layers=False, graphs=False)
# Options for speed_up_training(). None: the way does not use qfuse. "qfuse merge-aware" also trains for a merge to NF4.
WAYS: dict[str, dict[str, Any] | None] = {
    "bitsandbytes": None,
    "unsloth": None,
    "qfuse products": NOTHING | dict(products=True),
    "+ loss": NOTHING | dict(products=True, loss=True),
    "+ layers": dict(graphs=False),
    "qfuse": {},
    "qfuse offloading": dict(offload=True),
    "qfuse without liger-kernel": dict(layers=False),
    "qfuse regions": dict(regions=True),
    "qfuse INT8": dict(products="int8"),
    "qfuse INT8 kept": dict(products="int8_kept"),
    "qfuse merge-aware": {},
}
# Relative to the first way: bf16 roundings in another order, or roundings to INT8 or to codes again.
MOST = {"loss": 1e-4, "gradient": 2e-3}
MOST_OF_ROUNDED = {"loss": 2e-3, "gradient": 0.1}


def parse() -> argparse.Namespace:
    import measure

    parser = measure.argument_parser(__doc__)
    parser.add_argument("--layers", type=measure.count, default=8)
    parser.add_argument("--batches", default="2x1024,1x4096", help="sequences x tokens, with commas between")
    parser.add_argument("--ways", default=",".join(WAYS), help=f"of: {', '.join(WAYS)}")
    parser.add_argument("--trainer", type=measure.count, metavar="STEPS", help="trl's SFTTrainer end to end")
    parser.add_argument("--no-checkpointing", dest="checkpointing", action="store_false")
    parser.add_argument("--unsloth", default="", metavar="FOLDER", help="for PYTHONPATH, of unsloth's way alone")
    parser.add_argument("--limit", type=measure.count, default=150, metavar="SECONDS", help="for each way and batch")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    parser.add_argument("--model", help=argparse.SUPPRESS)
    arguments = measure.parse(parser)
    arguments.ways = [way.strip() for way in arguments.ways.split(",")] if not arguments.child else [arguments.child]
    unknown = [way for way in arguments.ways if way not in WAYS]
    if unknown:
        parser.error(f"no such way: {', '.join(unknown)}; there are {', '.join(WAYS)}")
    return arguments


# ---- the model ----


def make_model(folder: Path, layers: int, is_small: bool, device: str) -> None:
    """Writes a model directory in transformers' format, with weights quantized one by one."""
    import torch
    from bitsandbytes import functional
    from llamas import SIZES
    from safetensors.torch import save_file
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import BitsAndBytesConfig, LlamaConfig, PreTrainedTokenizerFast

    hidden, inner, heads, kv_heads, _, vocabulary = SIZES["tiny" if is_small else "8b"]
    vocabulary = vocabulary if is_small else 128256  # the full size, which dominates the loss
    config = LlamaConfig(
        hidden_size=hidden,
        intermediate_size=inner,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        num_key_value_heads=kv_heads,
        vocab_size=vocabulary,
        max_position_embeddings=8192,
        rms_norm_eps=1e-5,
        rope_parameters={"rope_theta": 500000.0, "rope_type": "default"},
        bos_token_id=256,
        eos_token_id=257,
        pad_token_id=258,
    )
    config.architectures, config.dtype = ["LlamaForCausalLM"], torch.bfloat16
    config.quantization_config = BitsAndBytesConfig(
        load_in_4bit=True,
        bnb_4bit_quant_type="nf4",
        bnb_4bit_use_double_quant=True,
        bnb_4bit_compute_dtype=torch.bfloat16,
    ).to_dict()
    config.save_pretrained(folder)
    generator = torch.Generator(device).manual_seed(SEED)

    def random(*shape: int) -> torch.Tensor:
        return torch.empty(shape, dtype=torch.bfloat16, device=device).normal_(0, 0.02, generator=generator)

    narrow = hidden // heads * kv_heads
    shapes = [(hidden, hidden), (narrow, hidden), (narrow, hidden), (hidden, hidden)]
    shapes += [(inner, hidden), (inner, hidden), (hidden, inner)]
    ones = torch.ones(hidden, dtype=torch.bfloat16)
    tensors = {"model.embed_tokens.weight": random(vocabulary, hidden), "lm_head.weight": random(vocabulary, hidden)}
    tensors["model.norm.weight"] = ones
    for layer in range(layers):
        for norm in ("input_layernorm", "post_attention_layernorm"):
            tensors[f"model.layers.{layer}.{norm}.weight"] = ones.clone()
        for at, (name, shape) in enumerate(zip(LINEARS, shapes, strict=True)):
            key = f"model.layers.{layer}.{'self_attn' if at < 4 else 'mlp'}.{name}.weight"
            tensors[key], state = functional.quantize_4bit(random(*shape), compress_statistics=True, quant_type="nf4")
            tensors |= {f"{key}.{part}": value.clone() for part, value in state.as_dict(packed=True).items()}
    save_file({name: each.cpu() for name, each in tensors.items()}, folder / "model.safetensors", {"format": "pt"})
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    names = ["<|begin_of_text|>", "<|end_of_text|>", "<|finetune_right_pad_id|>"]
    tokenizer = Tokenizer(models.BPE({letter: at for at, letter in enumerate(alphabet)}, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens(names)
    bos, eos, pad = names
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, bos_token=bos, eos_token=eos, pad_token=pad)
    fast.save_pretrained(folder)


def by_unsloth(folder: str, is_checkpointed: bool) -> tuple[Any, Any]:
    from unsloth import FastLanguageModel

    how = "unsloth" if is_checkpointed else False
    options = dict(max_seq_length=8192, load_in_4bit=True, local_files_only=True, use_gradient_checkpointing=how)
    model, tokenizer = FastLanguageModel.from_pretrained(folder, **options)
    lora = dict(r=RANK, lora_alpha=RANK, lora_dropout=0, target_modules=list(LINEARS), random_state=SEED)
    model = FastLanguageModel.get_peft_model(model, **lora, use_gradient_checkpointing=how, max_seq_length=8192)
    FastLanguageModel.for_training(model)
    return model, tokenizer


def by_peft(folder: str, is_checkpointed: bool, device: str) -> tuple[Any, Any]:
    import torch
    from peft import LoraConfig, get_peft_model
    from transformers import AutoModelForCausalLM, AutoTokenizer

    model = AutoModelForCausalLM.from_pretrained(folder, device_map={"": device}, dtype=torch.bfloat16)
    model.config.use_cache = False
    if is_checkpointed:
        model.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": False})
    lora = LoraConfig(r=RANK, lora_alpha=RANK, target_modules="all-linear", task_type="CAUSAL_LM")
    return get_peft_model(model, lora).train(), AutoTokenizer.from_pretrained(folder)


def by_way(way: str, folder: str, is_checkpointed: bool, device: str) -> tuple[Any, Any]:
    if way == "unsloth":
        return by_unsloth(folder, is_checkpointed)
    model, tokenizer = by_peft(folder, is_checkpointed, device)
    options = WAYS[way]
    if options is not None:
        from qfuse.integrations.transformers_training import speed_up_training

        print(speed_up_training(model, **options), file=sys.stderr)
    if way == "qfuse merge-aware":
        from qfuse.integrations.peft import merge_aware

        merge_aware(model, to="nf4")
    return model, tokenizer


def report_of(way: str, model: Any) -> str:
    if WAYS[way] is None:
        return ""
    from qfuse.integrations.transformers_training import report

    return str(report(model))


def start_adapter(model: Any, seed: int = 0) -> list[Any]:
    """Sets the same adapter for every way: A like peft's, from a seed for its name, and B zero."""
    import torch

    trained = [(name, each) for name, each in model.named_parameters() if each.requires_grad]
    for name, parameter in trained:
        words = name.split(".")
        layer, linear = int(words[words.index("layers") + 1]), next(word for word in words if word in LINEARS)
        generator = torch.Generator().manual_seed(10**6 * seed + layer * len(LINEARS) + LINEARS.index(linear))
        with torch.no_grad():
            if "lora_B" in words:
                parameter.zero_()
            else:
                drawn = torch.rand(parameter.shape, generator=generator)
                parameter.copy_((2 * drawn - 1) * parameter.shape[1] ** -0.5)
    return [parameter for _, parameter in trained]


# ---- a way, in a process of its own ----


def run_way(arguments: argparse.Namespace) -> dict[str, Any]:
    model, tokenizer = by_way(arguments.child, arguments.model, arguments.checkpointing, arguments.device)
    if arguments.trainer:
        result = train(model, tokenizer, arguments)
    else:
        sequences, tokens = map(int, arguments.batches.split("x"))
        result = time_steps(model, sequences, tokens, arguments.device)
    print(report_of(arguments.child, model), file=sys.stderr)
    return result


def time_steps(model: Any, sequences: int, tokens: int, device: str) -> dict[str, Any]:
    import measure
    import torch

    parameters = start_adapter(model)
    optimizer = torch.optim.AdamW(parameters, lr=1e-3, weight_decay=0.0, fused=True)
    generator = torch.Generator().manual_seed(SEED)
    ids = torch.randint(0, model.config.vocab_size, (sequences, tokens), generator=generator).to(device)

    def step() -> torch.Tensor:
        optimizer.zero_grad()
        with torch.autocast(device, torch.bfloat16):
            loss: torch.Tensor = model(input_ids=ids, labels=ids).loss
        loss.backward()
        optimizer.step()
        return loss.detach()

    loss = float(step())
    gradient = sum(float(each.grad.double().square().sum()) for each in parameters if each.grad is not None) ** 0.5
    times = []
    for _ in range(WARM_UP + STEPS):
        begun = measure.now(device)
        step()
        times.append((measure.now(device) - begun) * 1e3)
    found: dict[str, Any] = dict(loss=loss, gradient=gradient, first_ms=times[:WARM_UP], ms=times[WARM_UP:])
    if device == "cuda":
        kernels = kernels_of(step)
        found |= dict(allocated=torch.cuda.max_memory_allocated(), reserved=torch.cuda.max_memory_reserved())
        found |= dict(kernels_ms=sum(ms for _, ms in kernels), launches=len(kernels))
    return found


def kernels_of(step: Any) -> list[tuple[str, float]]:
    import torch

    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
        step()
        torch.cuda.synchronize()
    events = [each for each in profile.events() if each.device_type.name == "CUDA" and not each.is_user_annotation]
    return [(each.name, each.time_range.elapsed_us() / 1e3) for each in events if not each.name.startswith("Mem")]


def train(model: Any, tokenizer: Any, arguments: argparse.Namespace) -> dict[str, Any]:
    """Trains on texts of 100 to 2000 letters, one token each, four per batch. Seconds exclude loading the model."""
    import random

    import measure
    import torch
    from datasets import Dataset
    from transformers import TrainerCallback
    from trl import SFTConfig, SFTTrainer

    class Ends(TrainerCallback):  # type: ignore[misc]
        """Records when the GPU finished half of the steps, and all."""

        def __init__(self) -> None:
            self.times: list[float] = []

        def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
            if state.global_step in (arguments.trainer // 2, arguments.trainer):
                self.times.append(measure.now(arguments.device))

        def of_last_half(self) -> float:
            return self.times[-1] - self.times[0]

    start_adapter(model)
    draw = random.Random(SEED)
    letters = "abcdefghijklmnopqrstuvwxyz      "
    longest = 64 if arguments.small else 2000
    texts = [
        "".join(draw.choices(letters, k=draw.randint(longest // 20, longest))) for _ in range(4 * arguments.trainer)
    ]
    with tempfile.TemporaryDirectory() as folder:
        config = SFTConfig(
            folder,
            max_steps=arguments.trainer,
            per_device_train_batch_size=4,
            gradient_accumulation_steps=1,
            learning_rate=2e-4,
            max_length=2048,
            bf16=True,
            logging_steps=10,
            save_strategy="no",
            report_to="none",
            seed=SEED,
            use_cpu=arguments.device == "cpu",
            gradient_checkpointing=arguments.checkpointing,
            gradient_checkpointing_kwargs={"use_reentrant": False},
            disable_tqdm=True,
        )
        data = Dataset.from_dict({"text": texts})
        ends = Ends()
        trainer = SFTTrainer(model, config, train_dataset=data, processing_class=tokenizer, callbacks=[ends])
        begun = time.perf_counter()
        trainer.train()
        seconds = time.perf_counter() - begun
    losses = [entry["loss"] for entry in trainer.state.log_history if "loss" in entry]
    found = dict(seconds=seconds, loss=losses[0], last_loss=losses[-1], half_seconds=ends.of_last_half())
    if arguments.device == "cuda":
        found |= dict(allocated=torch.cuda.max_memory_allocated(), reserved=torch.cuda.max_memory_reserved())
    return found


# ---- all ways ----


def start_child(way: str, batch: str, arguments: argparse.Namespace, folder: str) -> dict[str, Any]:
    command = [sys.executable, __file__, "--child", way, "--model", f"{folder}/model", "--batches", batch]
    command += ["--device", arguments.device, "--layers", str(arguments.layers)]
    command += ["--trainer", str(arguments.trainer)] if arguments.trainer else []
    command += ["--small"] if arguments.small else []
    command += [] if arguments.checkpointing else ["--no-checkpointing"]
    paths = [os.environ.get("PYTHONPATH", "")] + ([arguments.unsloth] if arguments.unsloth else [])
    environment = dict(os.environ, HF_HUB_OFFLINE="1", HF_DATASETS_OFFLINE="1", PYTHONPATH=os.pathsep.join(paths))
    environment |= dict(UNSLOTH_DISABLE_STATISTICS="1", UNSLOTH_COMPILE_LOCATION=f"{folder}/compiled")
    try:
        done = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, timeout=arguments.limit, check=False
        )
    except subprocess.TimeoutExpired:
        return {"fault": f"took more than {arguments.limit} s"}
    sys.stderr.write("\n".join(done.stderr.splitlines()[-12:]) + "\n")
    lines = done.stdout.splitlines()
    if done.returncode or not lines:
        return {"fault": (done.stderr.splitlines() or ["ended without a word"])[-1]}
    found: dict[str, Any] = json.loads(lines[-1])
    return found


def main() -> int:
    arguments = parse()
    if arguments.child:
        print(json.dumps(run_way(arguments)))
        return 0
    import measure

    result = measure.circumstances(arguments)
    result |= dict(layers=arguments.layers, checkpointing=arguments.checkpointing, runs={}, faults=[])
    batches = ["trainer"] if arguments.trainer else arguments.batches.split(",")
    tables = []
    with tempfile.TemporaryDirectory(prefix="qfuse-training-") as folder:
        make_model(Path(folder, "model"), arguments.layers, arguments.small, arguments.device)
        for batch in batches:
            runs = result["runs"][batch] = {}
            for way in arguments.ways:
                measure.progress(f"{batch}: {way}")
                runs[way] = start_child(way, batch, arguments, folder)
                if arguments.json:
                    arguments.json.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
            result["faults"] += faults_of(batch, runs)
            tables.append(table_of(batch, runs))
    return measure.finish(arguments, result, *tables)


def faults_of(batch: str, runs: dict[str, Any]) -> list[str]:
    faults = [f"{batch}, {way}: {run['fault']}" for way, run in runs.items() if "fault" in run]
    good = {way: run for way, run in runs.items() if "fault" not in run}
    expected: dict[str, Any] = next(iter(good.values()), {})
    for way, run in good.items():
        for what, most in (MOST_OF_ROUNDED if way.endswith(("INT8", "kept", "aware")) else MOST).items():
            if what in run and not abs(run[what] / expected[what] - 1) <= (50 * most if batch == "trainer" else most):
                faults.append(
                    f"{batch}, {way}: a first {what} of {run[what]:.6g}, the first way's is {expected[what]:.6g}"
                )
    return faults


def table_of(batch: str, runs: dict[str, Any]) -> str:
    import measure

    good = {way: run for way, run in runs.items() if "fault" not in run}
    columns = {batch: lambda pair: pair[0]}
    if batch == "trainer":
        columns["seconds"] = lambda pair: f"{pair[1]['seconds']:.1f}"
        columns["of the last half"] = lambda pair: f"{pair[1]['half_seconds']:.1f}"
    else:
        columns["ms (least to most)"] = lambda pair: measure.text_of(measure.spread(pair[1]["ms"]))
        columns["kernels, ms"] = lambda pair: f"{pair[1].get('kernels_ms', 0):.1f}"
        columns["launches"] = lambda pair: str(pair[1].get("launches", ""))
    columns["GB"] = lambda pair: measure.gigabytes(pair[1].get("allocated"))
    columns["GB reserved"] = lambda pair: measure.gigabytes(pair[1].get("reserved"))
    columns["first loss"] = lambda pair: f"{pair[1]['loss']:.5f}"
    return measure.table_of(list(good.items()), columns)


if __name__ == "__main__":
    sys.exit(main())
