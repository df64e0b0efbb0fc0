"""qfuse.merge, the function of the command. Other tests check its bytes, except those of exact sums."""

import json
import math
from dataclasses import fields

import pytest
import torch
from conftest import TINY, command, contents
from safetensors.torch import load_file, save_file

import qfuse
from qfuse import checkpoint

PROJ = "model.layers.0.mlp.down_proj"
EMBED = "model.embed_tokens"
HEAD = "lm_head"


def integers(*shape, seed, dtype=torch.float32):
    """Returns integers so small that their products and sums are exact in fp32, in any order."""
    return torch.randint(-8, 9, shape, generator=torch.Generator().manual_seed(seed)).to(dtype)


def write_adapter(path, shapes, rank=4, alpha=8, seed=0, factor=1.0, **config):
    """Writes LoRA matrices for modules of these shapes as peft does. Returns {module: B @ A}, without the scale."""
    path.mkdir()
    said = {"peft_type": "LORA", "r": rank, "lora_alpha": alpha, "target_modules": list(shapes)} | config
    (path / "adapter_config.json").write_text(json.dumps(said))
    tensors, products = {}, {}
    for index, (module, (rows, columns)) in enumerate(shapes.items()):
        a = integers(rank, columns, seed=seed + 2 * index) * factor
        b = integers(rows, rank, seed=seed + 2 * index + 1)
        tensors |= {f"base_model.model.{module}.lora_A.weight": a, f"base_model.model.{module}.lora_B.weight": b}
        products[module] = b @ a
    save_file(tensors, path / "adapter_model.safetensors")
    return products


def write_model(path, tensors, **config):
    path.mkdir()
    (path / "config.json").write_text(json.dumps({"model_type": "llama"} | config))
    save_file(tensors, path / "model.safetensors", metadata={"format": "pt"})


@pytest.fixture
def model(tmp_path):
    """Writes a model with the weights of a linear layer and a norm, in bf16. Returns the linear layer's."""
    weight, norm = integers(24, 40, seed=90, dtype=torch.bfloat16), torch.ones(40, dtype=torch.bfloat16)
    write_model(tmp_path / "base", {f"{PROJ}.weight": weight, "model.norm.weight": norm})
    return weight


@pytest.fixture
def tied(tmp_path):
    """Writes a model whose output head is its embedding, and an adapter only for the head."""
    config = {"architectures": ["LlamaForCausalLM"], "vocab_size": 12, "tie_word_embeddings": True}
    write_model(tmp_path / "base", {f"{EMBED}.weight": integers(12, 8, seed=91)}, **config)
    return write_adapter(tmp_path / "lora", {HEAD: (12, 8)})[HEAD]


def merged_weight(path, name=PROJ):
    return load_file(path / "model.safetensors")[f"{name}.weight"]


@pytest.mark.parametrize("as_text", [False, True], ids=["Path", "str"])
def test_one_adapter(tmp_path, model, as_text):
    product = write_adapter(tmp_path / "lora", {PROJ: (24, 40)})[PROJ]
    of = str if as_text else lambda path: path
    report = qfuse.merge(of(tmp_path / "base"), of(tmp_path / "lora"), of(tmp_path / "out"))
    assert torch.equal(merged_weight(tmp_path / "out"), (model.float() + 2 * product).bfloat16())
    assert torch.equal(merged_weight(tmp_path / "out", "model.norm"), torch.ones(40, dtype=torch.bfloat16))
    unknown = checkpoint.MergedTensor(f"{PROJ}.weight", (24, 40), "lora", 4, 2.0, None, None, None)
    assert report == checkpoint.MergeReport(2, 1, 1, 2000, 2000, (), report.notes, (unknown,))


def test_the_base_that_the_adapter_names(tmp_path, model):
    write_adapter(tmp_path / "lora", {PROJ: (24, 40)}, base_model_name_or_path="base")
    report = qfuse.merge(None, tmp_path / "lora", tmp_path / "out")
    assert report.notes[0] == f"{tmp_path / 'base'}: is the base, as the adapter says"
    qfuse.merge(tmp_path / "base", tmp_path / "lora", tmp_path / "named")
    assert torch.equal(merged_weight(tmp_path / "out"), merged_weight(tmp_path / "named"))
    write_adapter(tmp_path / "lost", {PROJ: (24, 40)}, base_model_name_or_path="org/none")
    with pytest.raises(OSError, match="`hf download org/none` puts it there"):
        qfuse.merge(None, tmp_path / "lost", tmp_path / "other")


@pytest.mark.parametrize(
    "options, spelt",
    [
        ({}, ()),
        ({"to": "fp32"}, ("--to", "fp32")),
        ({"to": "bf16"}, ("--to", "bf16")),
        ({"to": "fp16", "max_shard_size": 100_000}, ("--to", "fp16", "--max-shard-size", "100kB")),
        (
            {"to": "nf4", "base_as": "fp4", "blocksize": 128, "double_quant": False},
            ("--to", "nf4", "--base-as", "fp4", "--block-size", 128, "--no-double-quant"),
        ),
        ({"to": "fp8", "ue8m0": True}, ("--to", "fp8", "--ue8m0")),
    ],
    ids=["plain", "fp32", "bf16", "fp16", "4 bits", "fp8"],
)
def test_the_bytes_are_the_commands(tmp_path, options, spelt):
    """A path that exists is one, whatever follows an @ in it."""
    write_adapter(tmp_path / "lora", {PROJ: (128, 352)})
    write_adapter(tmp_path / "more@0.5", {PROJ: (128, 352), HEAD: (512, 128)}, seed=5)
    report = qfuse.merge(TINY / "full", [(tmp_path / "lora", 0.5), tmp_path / "more@0.5"], tmp_path / "ours", **options)
    command("merge", TINY / "full", f"{tmp_path}/lora@0.5", tmp_path / "more@0.5", "-o", tmp_path / "theirs", *spelt)
    assert contents(tmp_path / "ours") == contents(tmp_path / "theirs")
    assert [tensor.name for tensor in report.merged] == [f"{HEAD}.weight", f"{PROJ}.weight"]


def test_a_dry_run_measures(tmp_path, model):
    product = write_adapter(tmp_path / "lora", {PROJ: (24, 40)})[PROJ]
    report = qfuse.merge(tmp_path / "base", tmp_path / "lora", tmp_path / "out", dry_run=True)
    assert not (tmp_path / "out").exists()
    (tensor,) = report.merged
    assert tensor.weight_rms == pytest.approx(model.double().square().mean().sqrt().item())
    assert tensor.added_rms == pytest.approx((2 * product).double().square().mean().sqrt().item())
    assert tensor.survival is None
    (tensor,) = qfuse.merge(tmp_path / "base", tmp_path / "lora", tmp_path / "out", to="nf4", dry_run=True).merged
    assert tensor.survival is not None and 0.5 < tensor.survival < 1.5
    written = qfuse.merge(tmp_path / "base", tmp_path / "lora", tmp_path / "out")
    assert (written.tensors, written.converted, written.bytes_written) == (2, 1, report.bytes_written)


def test_a_4_bit_base(tmp_path):
    write_adapter(tmp_path / "lora", {PROJ: (128, 352)}, factor=1e-6)
    with pytest.raises(ValueError, match=r"of what the adapter adds, .* % is left .*: `fail_below` 0"):
        qfuse.merge(TINY / "bnb4", tmp_path / "lora", tmp_path / "out", to="nf4")
    (tensor,) = qfuse.merge(TINY / "bnb4", tmp_path / "lora", tmp_path / "nf4", to="nf4", fail_below=0).merged
    assert tensor.survival is not None and tensor.survival < 0.5


@pytest.mark.parametrize("head, one", [("as_trained", False), ("untie", False), ("tie", True)])
def test_a_tied_head(tmp_path, tied, head, one):
    report = qfuse.merge(tmp_path / "base", tmp_path / "lora", tmp_path / "out", head=head)
    base, out = merged_weight(tmp_path / "base", EMBED), load_file(tmp_path / "out/model.safetensors")
    changed = base + 2 * tied
    assert torch.equal(out[f"{EMBED}.weight"], changed if one else base)
    assert one == (f"{HEAD}.weight" not in out) and (one or torch.equal(out[f"{HEAD}.weight"], changed))
    assert json.loads((tmp_path / "out/config.json").read_text())["tie_word_embeddings"] == one
    assert [tensor.name for tensor in report.merged] == [f"{EMBED if one else HEAD}.weight"]


def test_what_is_not_finite(tmp_path, model):
    write_adapter(tmp_path / "lora", {PROJ: (24, 40)}, factor=math.inf)
    with pytest.raises(ValueError, match="its training diverged; `allow_nonfinite` merges"):
        qfuse.merge(tmp_path / "base", tmp_path / "lora", tmp_path / "out")
    qfuse.merge(tmp_path / "base", tmp_path / "lora", tmp_path / "out", allow_nonfinite=True)
    assert not merged_weight(tmp_path / "out").isfinite().any()


def test_shards_and_finish(tmp_path):
    write_adapter(tmp_path / "lora", {PROJ: (128, 352)})
    for index in range(2):
        qfuse.merge(TINY / "full", tmp_path / "lora", tmp_path / "out", shard=(index, 2), max_shard_size=100_000)
    assert checkpoint.finish(tmp_path / "out").shards == 2
    qfuse.merge(TINY / "full", tmp_path / "lora", tmp_path / "whole", max_shard_size=100_000)
    assert contents(tmp_path / "out") == contents(tmp_path / "whole")


def test_progress(tmp_path):
    write_adapter(tmp_path / "lora", {PROJ: (128, 352)})
    seen = []
    qfuse.merge(TINY / "full", tmp_path / "lora", tmp_path / "out", progress=seen.append)
    assert seen[-1].bytes_done == seen[-1].bytes_total > 0
    assert [step.bytes_done for step in seen] == sorted(step.bytes_done for step in seen)
    for options in ({}, {"dry_run": True}):
        with pytest.raises(checkpoint.Cancelled):
            qfuse.merge(TINY / "full", tmp_path / "lora", tmp_path / "no", progress=lambda step: False, **options)
        with pytest.raises(ZeroDivisionError):
            qfuse.merge(TINY / "full", tmp_path / "lora", tmp_path / "no", progress=lambda step: 1 / 0, **options)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["lora", "out"]


def test_force(tmp_path, model):
    write_adapter(tmp_path / "lora", {PROJ: (24, 40)})
    for _ in range(2):
        qfuse.merge(tmp_path / "base", tmp_path / "lora", tmp_path / "out", force=True)
    with pytest.raises(ValueError, match="exists already; `force` replaces it"):
        qfuse.merge(tmp_path / "base", tmp_path / "lora", tmp_path / "out")


def test_notes(tmp_path, model):
    write_adapter(tmp_path / "lora", {PROJ: (24, 40)}, base_model_name_or_path="unsloth/llama-bnb-4bit")
    notes = qfuse.merge(tmp_path / "base", tmp_path / "lora", tmp_path / "out").notes
    assert any("was trained on 'unsloth/llama-bnb-4bit'" in note for note in notes)


def test_what_is_wrong(tmp_path, model):
    base, lora, out = tmp_path / "base", tmp_path / "lora", tmp_path / "out"
    write_adapter(lora, {PROJ: (24, 40)})
    before = sorted(tmp_path.rglob("*"))
    for error, message, call in [
        (ValueError, "nothing to tie or to untie", lambda: qfuse.merge(base, lora, out, head="tie")),
        (ValueError, "head is 'tied'", lambda: qfuse.merge(base, lora, out, head="tied")),
        (ValueError, "lora_b_layout is 'rank_major'", lambda: qfuse.merge(base, lora, out, lora_b_layout="rank_major")),
        (ValueError, "to is 'int8', it can be 'auto', ", lambda: qfuse.merge(base, lora, out, to="int8")),
        (ValueError, "base_as is 'bf16'", lambda: qfuse.merge(base, lora, out, base_as="bf16")),
        (ValueError, "blocksize is 48", lambda: qfuse.merge(base, lora, out, to="nf4", blocksize=48)),
        (ValueError, "null character", lambda: qfuse.merge(base, "a\0b", out)),
        (OSError, "no such file", lambda: qfuse.merge(base, tmp_path / "none", out)),
        (ValueError, "the base comes first", lambda: qfuse.merge(lora, base, out)),
        (TypeError, r"an adapter is 0\.5, it must", lambda: qfuse.merge(base, (lora, 0.5), out)),
        (TypeError, r"an adapter is \('a', 'b'\), it must", lambda: qfuse.merge(base, [("a", "b")], out)),
        (ValueError, "has no components", lambda: qfuse.merge(base, lora, out, components=["unet"])),
    ]:
        with pytest.raises(error, match=message):
            call()
    assert sorted(tmp_path.rglob("*")) == before


def test_the_names():
    assert qfuse.merge is checkpoint.merge and "merge" in qfuse.__all__
    common = [field.name for field in fields(checkpoint.ConversionReport)]
    assert [field.name for field in fields(checkpoint.MergeReport)] == [*common, "merged"]
