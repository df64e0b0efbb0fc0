"""QLoRA on several GPUs of one host: memory, bytes read and gathered, and time, for qfuse and the usual alternatives.

    python python/benchmarks/several_gpus.py --layers 20 --json several-gpus.json
    python python/benchmarks/several_gpus.py --device cpu --small        # checks that it runs

The model has layers of Llama-3-70B's shape with random weights, in NF4 with nested absmax, in files like those of
bitsandbytes, one per layer. Uses peft's LoRA of rank 16 on every linear layer, activation checkpointing and fused
AdamW. Each way runs in its own processes, one per GPU, with the files dropped from the page cache:

  one               qfuse on one GPU
  qfuse fsdp        FSDP2: a model on the meta device, of which each rank reads its part
  qfuse fsdp fast   the same after speed_up_training(): loss in chunks, layers as torch.compile regions
  qfuse tp          tensor parallelism, read likewise; both ranks see both sequences
  bnb fsdp bf16     bitsandbytes under FSDP2 with its codes stored as bfloat16, as its documentation describes
  bnb ddp           bitsandbytes under DDP: each GPU has the whole model
  accelerate        Accelerator.prepare with FSDP2 on a model from from_pretrained
  accelerate qfuse  the same after qfuse.integrations.accelerate.enable()

The ways of bitsandbytes call from_pretrained on every rank. A step is one sequence per GPU (`qfuse tp`: two on both).

Before timing, each way trains 3 steps with the same sequence on all ranks and torch's deterministic operations. The
losses of `qfuse fsdp` must equal those of `one` bit for bit, because a mean of two equal gradients is that gradient.
Other ways add in other orders, and their losses are only recorded. Memory is torch's peak, while loading and in a timed
step. Bytes read come from /proc/self/io, by read() and from the disk. Bytes gathered are counted in torch's all-gather.

Exit status: 0 the losses are equal, 1 they differ.
"""

import argparse
import importlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
os.environ["HF_HUB_OFFLINE"] = "1"

import measure
import torch
import torch.distributed as dist
from llamas import random_weight
from torch import Tensor, nn

WAYS: tuple[str, ...] = ("one", "qfuse fsdp", "qfuse fsdp fast", "qfuse tp")
WAYS += ("bnb fsdp bf16", "bnb ddp", "accelerate", "accelerate qfuse")
CHECKED, WARM_UP, TIMED = 3, 2, 8
LLAMA_70B = dict(hidden_size=8192, intermediate_size=28672, num_attention_heads=64, num_key_value_heads=8)
SMALL = dict(hidden_size=256, intermediate_size=512, num_attention_heads=4, num_key_value_heads=2)


def config_of(arguments: argparse.Namespace) -> Any:
    from transformers import LlamaConfig

    shape = SMALL if arguments.small else LLAMA_70B
    return LlamaConfig(
        **shape,
        num_hidden_layers=arguments.layers,
        vocab_size=512 if arguments.small else 32768,
        tie_word_embeddings=False,
        architectures=["LlamaForCausalLM"],
        dtype="bfloat16",
    )


# ---- the files ----


def write_model(arguments: argparse.Namespace) -> None:
    from safetensors.torch import save_file

    from qfuse.weight import to_state_dict

    folder, config = Path(arguments.model), config_of(arguments)
    folder.mkdir(parents=True, exist_ok=True)
    config.quantization_config = dict(
        quant_method="bitsandbytes",
        load_in_4bit=True,
        bnb_4bit_quant_type="nf4",
        bnb_4bit_use_double_quant=True,
        bnb_4bit_compute_dtype="bfloat16",
        bnb_4bit_quant_storage="uint8",
        llm_int8_skip_modules=["lm_head"],
    )
    config.save_pretrained(folder)
    hidden, kv = config.hidden_size, config.hidden_size * config.num_key_value_heads // config.num_attention_heads
    widths = {
        f"self_attn.{name}_proj": (rows, hidden) for name, rows in zip("qkvo", (hidden, kv, kv, hidden), strict=True)
    }
    widths |= {f"mlp.{name}_proj": (config.intermediate_size, hidden) for name in ("gate", "up")}
    widths |= {"mlp.down_proj": (hidden, config.intermediate_size)}
    torch.manual_seed(1)
    index: dict[str, str] = {}

    def write(name: str, tensors: dict[str, Tensor]) -> None:
        save_file({key: tensor.cpu().contiguous() for key, tensor in tensors.items()}, folder / name, {"format": "pt"})
        index.update(dict.fromkeys(tensors, name))

    place: dict[str, Any] = dict(device=arguments.device, dtype=torch.bfloat16)
    for layer in range(config.num_hidden_layers):
        prefix = f"model.layers.{layer}."
        tensors = {f"{prefix}{name}.weight": torch.ones(hidden, **place) for name in NORMS}
        for name, shape in widths.items():
            tensors |= to_state_dict(random_weight(shape, arguments.device), f"{prefix}{name}.weight")
        write(f"model-{layer:05}.safetensors", tensors)
    ends = {"model.embed_tokens.weight": torch.randn(config.vocab_size, hidden, **place) * 0.02}
    ends |= {"lm_head.weight": torch.randn(config.vocab_size, hidden, **place) * 0.02}
    write("model-ends.safetensors", ends | {"model.norm.weight": torch.ones(hidden, **place)})
    text = json.dumps({"metadata": {}, "weight_map": index})
    (folder / "model.safetensors.index.json").write_text(text)


NORMS = ("input_layernorm", "post_attention_layernorm")


# ---- a way ----


def with_adapter(model: nn.Module) -> Any:
    from peft import LoraConfig, get_peft_model

    torch.manual_seed(2)
    layers = [f"{name}_proj" for name in ("q", "k", "v", "o", "gate", "up", "down")]
    return get_peft_model(model, LoraConfig(r=16, lora_alpha=32, target_modules=layers))


def checkpointed(model: Any) -> Any:
    model.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": False})
    model.enable_input_require_grads()
    model.train()
    return model


def of_transformers(arguments: argparse.Namespace) -> Any:
    from transformers import AutoModelForCausalLM

    place = arguments.device if arguments.device == "cpu" else torch.cuda.current_device()
    model = AutoModelForCausalLM.from_pretrained(arguments.model, dtype=torch.bfloat16, device_map={"": place})
    return checkpointed(with_adapter(model))


def share_out(model: Any, over: Any) -> Any:
    """Shards each layer, the embedding and the head separately, as accelerate does."""
    from torch.distributed.fsdp import fully_shard

    llama = model.base_model.model
    for part in (*llama.model.layers, llama.model.embed_tokens, llama.lm_head):
        fully_shard(part, mesh=over)
    return fully_shard(model, mesh=over)


def in_parts(arguments: argparse.Namespace, over: Any) -> Any:
    """Builds qfuse's model, which is on the meta device until each rank reads its part."""
    from accelerate import init_empty_weights
    from torch.distributed.tensor.parallel import parallelize_module
    from transformers import LlamaForCausalLM

    import qfuse.distributed as qd
    import qfuse.integrations.peft

    qfuse.integrations.peft.enable()
    with init_empty_weights():
        model = LlamaForCausalLM(config_of(arguments)).to(torch.bfloat16)
    qd.as_stored(model, arguments.model)
    model = checkpointed(with_adapter(model))
    if arguments.way == "qfuse tp":
        parallelize_module(model, over, qd.tensor_parallel_plan(model))
    elif arguments.way.startswith("qfuse fsdp"):
        share_out(model, over)
    qd.load(model, arguments.model, arguments.device)
    if arguments.way == "qfuse fsdp fast":
        from qfuse.integrations.transformers_training import speed_up_training

        print(speed_up_training(model), file=sys.stderr)
    return model if arguments.way.startswith("qfuse fsdp") else model.to(arguments.device)


def in_bfloat16(model: Any, over: Any) -> Any:
    """Stores bitsandbytes' codes as bfloat16, like bnb_4bit_quant_storage, and shards the model."""
    for module in model.modules():
        if type(module).__name__ == "Linear4bit":
            weight = module.weight
            weight.data = weight.data.view(-1).view(torch.bfloat16).view(-1, 1)
            weight.quant_storage = module.quant_storage = torch.bfloat16
            module.quant_state = weight.quant_state
    return share_out(model, over)


def by_accelerate(model: Any, optimizer: Any) -> Any:
    from accelerate import Accelerator, FullyShardedDataParallelPlugin

    plugin = FullyShardedDataParallelPlugin(
        fsdp_version=2,
        auto_wrap_policy="transformer_based_wrap",
        transformer_cls_names_to_wrap=["LlamaDecoderLayer"],
        cpu_ram_efficient_loading=False,
    )
    return Accelerator(fsdp_plugin=plugin).prepare(model, optimizer)


def adamw(model: nn.Module) -> torch.optim.Optimizer:
    return torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=1e-4, fused=True)


def make(arguments: argparse.Namespace, over: Any) -> tuple[Any, Any]:
    way = arguments.way
    if way == "one" or way.startswith("qfuse"):
        model = in_parts(arguments, over)
        return model, adamw(model)
    model = of_transformers(arguments)
    if way == "bnb fsdp bf16":
        model = in_bfloat16(model, over)
    elif way == "bnb ddp":
        model = nn.parallel.DistributedDataParallel(model)
    else:
        if way == "accelerate qfuse":
            import qfuse.integrations.accelerate

            qfuse.integrations.accelerate.enable()
        made, optimizer = by_accelerate(model, adamw(model))
        return made, optimizer
    return model, adamw(model)


# ---- what a process measures ----


class Gathered:
    """Counts the bytes that a rank receives in all-gathers, including its own part."""

    def __init__(self) -> None:
        self.bytes = 0
        name = "all_gather_single" if hasattr(dist, "all_gather_single") else "all_gather_into_tensor"  # torch 2.15's
        original = getattr(dist, name)

        def count(out: Tensor, *args: Any, **more: Any) -> Any:
            self.bytes += out.nbytes
            return original(out, *args, **more)

        setattr(dist, name, count)


def bytes_read() -> dict[str, int]:
    lines = Path("/proc/self/io").read_text().splitlines()
    found = {key: int(value) for key, value in (line.split(": ") for line in lines)}
    return {"by read()": found["rchar"], "from the disk": found["read_bytes"]}


def peak(arguments: argparse.Namespace) -> int:
    """Returns the peak GPU memory since the last call, 0 on a CPU."""
    if arguments.device == "cpu":
        return 0
    found = torch.cuda.max_memory_allocated()
    torch.cuda.reset_peak_memory_stats()
    return found


def step(model: Any, optimizer: Any, tokens: Tensor) -> float:
    loss = model(input_ids=tokens, labels=tokens).loss
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    value: float = loss.item()
    return value


def run(arguments: argparse.Namespace) -> dict[str, Any]:
    rank, ranks = int(os.environ.get("RANK", 0)), int(os.environ.get("WORLD_SIZE", 1))
    on_gpu = arguments.device != "cpu"
    over = None
    if on_gpu:
        torch.cuda.set_device(rank)
        arguments.device = f"cuda:{rank}"
    if ranks > 1:
        dist.init_process_group("nccl" if on_gpu else "gloo")
        over = dist.device_mesh.init_device_mesh(arguments.device.partition(":")[0], (ranks,))
    gathered, begin = Gathered(), time.time()
    for name in ("accelerate", "bitsandbytes", "peft", "transformers", "qfuse.distributed"):
        importlib.import_module(name)
    imported, before = time.time(), bytes_read()
    model, optimizer = make(arguments, over)
    read = {key: value - before[key] for key, value in bytes_read().items()}
    loaded = time.time()
    memory = {"after loading": torch.cuda.memory_allocated() if on_gpu else 0, "peak of loading": peak(arguments)}
    result = measured(arguments, model, optimizer, gathered, rank)
    seconds = {"start": begin - arguments.started, "imports": imported - begin, "loading": loaded - imported}
    seconds |= {"first step": result.pop("first_step_ended") - arguments.started}
    memory["peak of a step"] = peak(arguments)
    result |= {"way": arguments.way, "seconds": seconds, "memory": memory, "read": read}
    if ranks > 1:
        dist.destroy_process_group()
    return result


def measured(
    arguments: argparse.Namespace, model: Any, optimizer: Any, gathered: Gathered, rank: int
) -> dict[str, Any]:
    vocabulary = config_of(arguments).vocab_size
    sequences = 2 if arguments.way == "qfuse tp" else 1

    def tokens(seed: int) -> Tensor:
        generator = torch.Generator().manual_seed(seed)
        found = torch.randint(vocabulary, (1, arguments.tokens), generator=generator).to(arguments.device)
        return found.expand(sequences, -1)

    with measure.deterministic():
        losses = [step(model, optimizer, tokens(0))]
        ended = time.time()
        losses += [step(model, optimizer, tokens(i)) for i in range(1, CHECKED)]
    peak(arguments)  # resets the peak: the checked steps used another attention
    own = tokens(100 + (0 if sequences > 1 else rank))
    for _ in range(WARM_UP):
        step(model, optimizer, own)
    times, bytes_before = [], gathered.bytes
    for _ in range(TIMED):
        begin = measure.now(arguments.device)
        step(model, optimizer, own)
        times.append(1e3 * (measure.now(arguments.device) - begin))
    of_a_step = (gathered.bytes - bytes_before) // TIMED
    return {"losses": losses, "first_step_ended": ended, "step_ms": times, "gathered_bytes": of_a_step}


# ---- all ways ----


def drop_caches(folder: Path) -> None:
    """Drops the files from the page cache."""
    for path in folder.iterdir():
        with open(path, "rb") as file:
            os.fsync(file.fileno())
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def start(arguments: argparse.Namespace, way: str) -> dict[str, Any]:
    drop_caches(Path(arguments.model))
    own = [__file__, "--way", way, "--model", arguments.model, "--layers", str(arguments.layers)]
    own += ["--tokens", str(arguments.tokens), "--device", arguments.device, *(["--small"] if arguments.small else [])]
    ranks = 1 if way == "one" else arguments.ranks
    environment = os.environ | {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "29577", "WORLD_SIZE": str(ranks)}
    if arguments.device == "cpu":
        environment |= {"ACCELERATE_USE_CPU": "true", "OMP_NUM_THREADS": "1"}
    begin = time.time()
    processes = [
        subprocess.Popen(
            [sys.executable, "-W", "ignore", *own, "--started", str(begin)],
            env=environment | {"RANK": str(rank), "LOCAL_RANK": str(rank)},
            stdout=subprocess.PIPE,
            text=True,
        )
        for rank in range(ranks)
    ]
    outputs = [process.communicate(timeout=500)[0] for process in processes]
    if any(process.returncode for process in processes):
        return {"way": way, "failed": [process.returncode for process in processes]}
    of_ranks: list[dict[str, Any]] = [json.loads(output.splitlines()[-1]) for output in outputs]
    return of_ranks[0] | {"read of ranks": [each["read"] for each in of_ranks]}


COLUMNS: dict[str, Callable[[dict[str, Any]], object]] = {
    "way": lambda each: each["way"],
    "GB a GPU after loading": lambda each: measure.gigabytes(each["memory"]["after loading"]),
    "peak of loading": lambda each: measure.gigabytes(each["memory"]["peak of loading"]),
    "peak of a step": lambda each: measure.gigabytes(each["memory"]["peak of a step"]),
    "GB read by read()": lambda each: measure.gigabytes(each["read"]["by read()"]),
    "from the disk, a rank": lambda each: measure.gigabytes(each["read"]["from the disk"]),
    "s to load": lambda each: f"{each['seconds']['loading']:.1f}",
    "s from start to first step": lambda each: f"{each['seconds']['first step']:.1f}",
    "ms a step": lambda each: measure.text_of(measure.spread(each["step_ms"]), 0),
    "GB gathered a step": lambda each: measure.gigabytes(each["gathered_bytes"]),
}


def main(argv: list[str] | None = None) -> int:
    parser = measure.argument_parser(__doc__)
    parser.add_argument("--layers", type=measure.count, default=20)
    parser.add_argument("--tokens", type=measure.count, default=2048)
    parser.add_argument("--ranks", type=measure.count, default=2)
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=WAYS)
    parser.add_argument("--way", help=argparse.SUPPRESS)
    parser.add_argument("--started", type=float, help=argparse.SUPPRESS)
    parser.add_argument("--model", help="a folder for the files, which are kept; by default one that is not")
    arguments = measure.parse(parser, argv)
    if arguments.way:
        print(json.dumps(run(arguments)))
        return 0
    if arguments.small:
        arguments.layers, arguments.tokens = 2, 32
    made = None if arguments.model else tempfile.mkdtemp()
    try:
        arguments.model = arguments.model or made
        if not (Path(arguments.model) / "config.json").exists():
            measure.progress("writing the files")
            write_model(arguments)
        result = measure.circumstances(arguments)
        stored = sum(path.stat().st_size for path in Path(arguments.model).glob("*.safetensors"))
        result |= {"layers": arguments.layers, "tokens": arguments.tokens, "file_bytes": stored, "ways": []}
        for way in arguments.ways:
            measure.progress(way)
            result["ways"].append(start(arguments, way))
            if arguments.json:  # after every way, because a run takes minutes
                arguments.json.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    finally:
        if made:
            shutil.rmtree(made)
    losses = {each["way"]: each.get("losses") for each in result["ways"]}
    pair = [losses[way] for way in ("one", "qfuse fsdp") if way in losses]
    result["faults"] = [] if pair[:1] == pair[1:] or len(pair) < 2 else [f"the losses differ: {pair}"]
    failed = [f"{each['way']} failed: {each['failed']}" for each in result["ways"] if "failed" in each]
    ended = [each for each in result["ways"] if "failed" not in each]
    return measure.finish(arguments, result, *failed, measure.table_of(ended, COLUMNS))


if __name__ == "__main__":
    raise SystemExit(main())
