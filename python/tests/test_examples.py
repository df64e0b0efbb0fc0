"""Runs the examples at their smallest sizes in this process, because most of their time is imports, which other tests
need too. qlora.py runs where README.md and docs/QLORA.md mention it (test_documents.py)."""

import itertools
import json
import os
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from conftest import TINY, same_bits

import qfuse
from qfuse import versions

FOLDER = Path(__file__).parents[2] / "examples" / "python"
INSTALLED = Path(qfuse.__file__).parent / "examples"
MODEL = TINY / "bnb4"


@pytest.fixture
def run_example(monkeypatch, capsys):
    """Returns a function that runs an example and returns what it prints."""

    def run_example(name, *arguments):
        monkeypatch.setattr(sys, "argv", [name, *map(str, arguments)])
        folder = FOLDER if (FOLDER / name).is_file() else INSTALLED
        runpy.run_path(str(folder / name), run_name="__main__")
        return capsys.readouterr().out

    return run_example


@pytest.fixture
def peers(request, monkeypatch):
    """Requires the examples' libraries, and restores after a test whatever was replaced in them."""
    for name in ("transformers", "peft", "bitsandbytes"):
        pytest.importorskip(name)
    # On a CPU with AVX512-BF16, bitsandbytes repacks weights in eval mode, which fails if a row is not whole blocks, as
    # in the tiny model's down_proj.
    monkeypatch.setattr("bitsandbytes.nn.modules.has_avx512bf16", lambda: False)
    request.getfixturevalue("bitsandbytes_as_it_was")
    import qfuse.integrations.peft as integration

    yield
    integration.disable()


def test_generates(run_example, peers):
    tokens = re.search(r"^\[1, 15, 7, ([\d, ]+)\]$", run_example("generate.py", MODEL, 1, 15, 7), re.M)
    assert tokens and len(tokens[1].split(",")) == 32


def test_experts_in_fp8_are_near_float32(run_example):
    errors = [float(error) for error in re.findall(r"relative error ([\d.]+)", run_example("moe_fp8.py"))]
    assert len(errors) == 5 and all(0 < error < 0.1 for error in errors)


@pytest.fixture
def experts_example(peers):
    pytest.importorskip("transformers", versions.OLDEST["transformers"])
    return runpy.run_path(str(FOLDER / "experts.py"))


@pytest.fixture
def mixture(experts_example, tmp_path):
    """A model directory in 16 bits."""
    from transformers import AutoModelForCausalLM, Qwen3MoeConfig

    model = AutoModelForCausalLM.from_config(Qwen3MoeConfig(**experts_example["TINY"]), dtype=torch.bfloat16)
    model.save_pretrained(tmp_path / "mixture")
    return tmp_path / "mixture"


def check_training_of_experts(printed, adapter, quantizes=True):
    assert ("quantized the experts of 2 modules" in printed) == quantizes
    before, behind = (float(loss) for loss in re.findall(r"loss \w+ the step: ([\d.]+)", printed))
    assert behind < before
    assert (adapter / "adapter_model.safetensors").is_file()


def test_trains_experts_that_it_makes(run_example, tmp_path, experts_example):
    check_training_of_experts(run_example("experts.py", tmp_path / "out"), tmp_path / "out")


def test_trains_experts_in_16_bits(run_example, tmp_path, mixture):
    check_training_of_experts(run_example("experts.py", tmp_path / "out", mixture), tmp_path / "out")


@pytest.mark.parametrize("double_quant", [False, True])
def test_trains_experts_in_4_bits(run_example, experts_example, tmp_path, mixture, double_quant):
    folder = tmp_path / "codes"
    qfuse.checkpoint.quantize(mixture, folder, experts=True, double_quant=double_quant)
    check_training_of_experts(run_example("experts.py", tmp_path / "out", folder), tmp_path / "out")

    loaded, files = experts_example["load_codes"](folder), qfuse.load_checkpoint(folder)
    experts = loaded.model.layers[1].mlp.experts
    for name, parts in (("gate_up_proj", ("gate_proj", "up_proj")), ("down_proj", ("down_proj",))):
        stack = getattr(experts, f"{name}_4bit").weight(experts._parameters[name]).dequantize()
        for i, expert in enumerate(stack):
            weights = [files[f"model.layers.1.mlp.experts.{i}.{part}.weight"].dequantize() for part in parts]
            assert same_bits(expert, torch.cat(weights))


def test_trains_experts_of_gpt_oss(run_example, experts_example, tmp_path):
    from experts_models import published_gpt_oss

    published_gpt_oss(tmp_path / "gpt-oss")
    printed = run_example("experts.py", tmp_path / "out", tmp_path / "gpt-oss")
    check_training_of_experts(printed, tmp_path / "out", quantizes=False)


@pytest.fixture
def run_on_two_ranks():
    """Returns a function that runs several_gpus.py and returns the printed losses, by step, and the whole output."""
    process = subprocess.Popen(
        [sys.executable, "-W", "ignore", Path(__file__).with_name("several_ranks.py"), FOLDER / "several_gpus.py"],
        env=os.environ | {"OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": ""},  # two ranks need two GPUs, or none
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )

    def run(*arguments):
        process.stdin.write(json.dumps([*map(str, arguments)]) + "\n")
        process.stdin.flush()
        lines = list(itertools.takewhile(lambda line: line not in ("done\n", ""), process.stdout))
        assert process.poll() is None, f"exit status {process.returncode}"
        printed = "".join(lines)
        found = re.findall(r"^step (\d+): loss ([\d.]+)$", printed, re.M)
        return {int(step): float(loss) for step, loss in found}, printed

    yield run
    process.kill()
    process.communicate()


def loss_of(model):
    """Computes the loss of the first rank's batch of odd steps."""
    batch = torch.randint(256, (2, 64), generator=torch.Generator().manual_seed(1)).to(model.device)
    with torch.no_grad():
        return model(input_ids=batch, labels=batch).loss.item()


def test_trains_on_two_ranks_and_goes_on(tmp_path, peers, run_on_two_ranks):
    if not torch.distributed.is_available() or not torch.distributed.is_gloo_available():
        pytest.skip("this torch has no gloo")
    pytest.importorskip("accelerate")
    from peft import PeftModel
    from transformers import AutoModelForCausalLM

    out = tmp_path / "out"
    first, printed = run_on_two_ranks(out)
    assert "14 layers have 4-bit weights that can be shared out; 28 adapters' factors are new" in printed
    assert list(first) == list(range(1, 11)) and first[9] < first[1]

    base = AutoModelForCausalLM.from_pretrained(out / "tiny-nf4", dtype=torch.bfloat16)  # with bitsandbytes' layers
    before = loss_of(base)
    after = loss_of(PeftModel.from_pretrained(base, out / "adapter"))
    assert after < before - 0.15

    second, printed = run_on_two_ranks(out, out / "tiny-nf4", "--tp", 2)
    assert "goes on behind step 10" in printed
    assert list(second) == list(range(11, 21)) and second[19] < second[11]
    assert second[11] == pytest.approx(after, abs=0.02)


@pytest.mark.parametrize("name", ["qlora.py", "generate.py", "experts.py"])
def test_says_what_it_takes(run_example, peers, name):
    if name == "qlora.py":
        pytest.importorskip("trl")
        pytest.importorskip("datasets")
    if name == "experts.py":
        pytest.importorskip("transformers", versions.OLDEST["transformers"])
    with pytest.raises(SystemExit, match="MODEL"):
        run_example(name)


def test_qlora_says_what_is_wrong_with_model_and_data(run_example, peers, tmp_path, monkeypatch):
    for name in ("trl", "datasets"):
        pytest.importorskip(name)
    monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", str(tmp_path / "cache"))
    data = tmp_path / "data.jsonl"
    data.write_text('{"prompt": "What?", "answer": "That."}\n')
    out = tmp_path / "out"
    with pytest.raises(SystemExit, match="llama-nf is neither the directory of a model"):
        run_example("qlora.py", "llama-nf", data, out)
    with pytest.raises(SystemExit, match=r"none\.jsonl: no such file"):
        run_example("qlora.py", MODEL, tmp_path / "none.jsonl", out)
    with pytest.raises(SystemExit, match="its lines have prompt, answer; they need text, or messages"):
        run_example("qlora.py", MODEL, data, out)
