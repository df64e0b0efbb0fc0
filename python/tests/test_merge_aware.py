"""Training for the merge: the weights of its forward are the bytes that `qfuse merge --to` writes."""

import copy
import json
import pickle
import re
import weakref
from pathlib import Path

import pytest
import torch
from conftest import make_weight, same_bits
from packed_models import KINDS as PACKED
from packed_models import published
from peft_models import checkpointed_step, distance, inputs, make, peft, step, two_adapters
from safetensors.torch import load_file, save_file

import qfuse
from qfuse import checkpoint
from qfuse.integrations import peft as integration
from qfuse.integrations import peft_merge_aware
from qfuse.integrations.transformers import CompressedTensorsConfig
from qfuse.ops import merged

LLAMA = dict(vocab_size=96, hidden_size=128, intermediate_size=256, num_hidden_layers=1, num_attention_heads=2)
NF4 = "4-bit NF4, nested"
# How a base is quantized, None: not at all; and what it is merged to
KINDS = {
    NF4: ({}, dict(to="nf4")),
    "4-bit NF4, plain": (dict(double_quant=False, blocksize=128), dict(to="nf4")),
    "4-bit FP4": (dict(quant_type="fp4"), dict(to="fp4")),
    "4-bit NF4, nested, absmax kept": ({}, dict(to="nf4", keep_scales=True)),
    "4-bit FP4, plain, absmax kept": (dict(quant_type="fp4", double_quant=False), dict(to="fp4", keep_scales=True)),
    "16-bit to NF4": (None, dict(to="nf4")),
    "16-bit to NF4, plain": (None, dict(to="nf4", blocksize=128, double_quant=False)),
    "16-bit to FP8": (None, dict(to="fp8")),
    "MXFP4 of compressed-tensors": ("mxfp4", dict(to="mxfp4")),
    "MXFP4 of compressed-tensors, scales kept": ("mxfp4", dict(to="mxfp4", keep_scales=True)),
}


def llama(path: Path, quantized: dict | str | None) -> Path:
    """Writes a small model, and returns its path or that of its quantized copy. A name is one of PACKED."""
    transformers = pytest.importorskip("transformers")
    if isinstance(quantized, str):
        published(path / "packed", PACKED[quantized])
        return path / "packed"
    torch.manual_seed(0)
    model = transformers.LlamaForCausalLM(transformers.LlamaConfig(**LLAMA, tie_word_embeddings=False))
    model.to(torch.bfloat16).save_pretrained(path / "base")
    if quantized is None:
        return path / "base"
    checkpoint.quantize(path / "base", path / "base4", **quantized)
    return path / "base4"


def adapted(base: Path, device: str, **more):
    transformers = pytest.importorskip("transformers")
    is_packed = '"compressed-tensors"' in (base / "config.json").read_text()
    kept = dict(quantization_config=CompressedTensorsConfig()) if is_packed else {}
    model = transformers.AutoModelForCausalLM.from_pretrained(base, dtype="auto", device_map=device, **kept)
    settings = dict(r=6, lora_alpha=10, target_modules="all-linear", task_type="CAUSAL_LM") | more
    return peft.get_peft_model(model, peft.LoraConfig(**settings)).train()


def train(model, steps=3, rate=0.02):
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    optimizer = torch.optim.AdamW(trained, lr=rate)
    ids = torch.arange(48, device=model.device).view(2, 24) * 7 % 96
    for _ in range(steps):
        model(input_ids=ids, labels=ids).loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    model.eval()
    with torch.no_grad():
        return model(input_ids=ids).logits


def file_of(path: Path) -> dict[str, torch.Tensor]:
    return {name: tensor for file in path.glob("*.safetensors") for name, tensor in load_file(file).items()}


def bytes_of(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.flatten().view(torch.uint8)


@pytest.fixture
def last(monkeypatch):
    """The merged weights of the latest forward, by the address of A."""
    found, ours = {}, merged.merge

    def recorded(weight, lora_a, *others):
        made = ours(weight, lora_a, *others)
        found[lora_a.data_ptr()] = made[0]
        return made

    monkeypatch.setattr(merged, "merge", recorded)
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_the_last_forward_multiplies_by_the_bytes_of_the_merged_file(tmp_path, device, kind, last):
    quantized, target = KINDS[kind]
    base = llama(tmp_path, quantized)
    model = adapted(base, device)
    assert integration.merge_aware(model, **target) == {}
    train(model)
    model.save_pretrained(tmp_path / "adapter")
    report = checkpoint.merge(base, tmp_path / "adapter", tmp_path / "out", **target)
    layers = len(last)
    assert any("which this is" in note for note in report.notes)
    assert len(report.merged) == layers == (14 if target["to"] == "mxfp4" else 7)
    stored, plain = qfuse.load_checkpoint(tmp_path / "out"), file_of(tmp_path / "out")
    changed, codes = 0, set()
    for name, layer in model.named_modules():
        if not isinstance(layer, peft_merge_aware._MergeAware):
            continue
        name = name.removeprefix("base_model.model.") + ".weight"
        codes.add(f"{name}_packed" if target["to"] == "mxfp4" else name)
        weight = last[layer.lora_A["default"].weight.data_ptr()]
        effective = qfuse.fake_quantize(
            layer.base_layer if quantized is not None else layer.base_layer.weight,
            layer.lora_A["default"].weight,
            layer.lora_B["default"].weight,
            layer.scaling["default"],
            **target,
            scales="nearest" if target["to"] == "mxfp4" else None,
        )
        if target["to"] == "fp8":
            assert same_bits(weight.codes.view(torch.uint8), plain[name].view(torch.uint8))
            assert same_bits(weight.scales, plain[f"{name}_scale_inv"])
            decoded = qfuse.ops.dequantize_fp8(plain[name], plain[f"{name}_scale_inv"], torch.bfloat16)
        else:
            assert all(same_bits(*pair) for pair in zip(weight.tensors, stored[name].tensors, strict=True)), name
            assert weight.form == stored[name].form
            decoded = stored[name].dequantize()
        assert same_bits(effective, decoded), name
        base_weight = qfuse.dequantize_4bit(layer.base_layer) if quantized is not None else layer.base_layer.weight
        changed += not torch.equal(base_weight.cpu(), decoded)
    assert changed == layers
    if target.get("keep_scales"):
        changed = {
            name for name, tensor in file_of(base).items() if not same_bits(*map(bytes_of, (tensor, plain[name])))
        }
        assert changed == codes
    if target.get("keep_scales") or target["to"] == "mxfp4":
        options = target | dict(keep_scales=not target.get("keep_scales", False), fail_below=0, force=True)
        report = checkpoint.merge(base, tmp_path / "adapter", tmp_path / "out", **options)
        assert any(", and this is another" in note for note in report.notes)


def factors(device, rows=192, cols=256, rank=5, dtype=torch.float32):
    generator = torch.Generator().manual_seed(3)
    lora_a, lora_b = torch.randn(rank, cols, generator=generator), torch.randn(rows, rank, generator=generator)
    return [factor.to(device, dtype).requires_grad_() for factor in (lora_a, lora_b * 0.3)]


def base_of(kind, device, rows=192, cols=256):
    weight = make_weight(device, rows, cols).weight
    if kind == "plain":
        return qfuse.dequantize_4bit(weight).requires_grad_()
    if kind == "nested":
        return weight
    return weight._replace(tensors=tuple(qfuse.ops.quantize_4bit(weight.dequantize(), 64, "nf4")))


@pytest.mark.parametrize("kind", ["nested", "absmax", "plain"])
def test_fake_quantize_is_the_composition_of_its_steps(device, kind):
    base, (lora_a, lora_b) = base_of(kind, device), factors(device)
    decoded = base.detach() if kind == "plain" else base.dequantize()
    total = torch.ops.qfuse.lora_merge.default(decoded, lora_a.detach(), lora_b.detach(), 1.7, decoded.dtype)
    if kind == "absmax":
        tensors = qfuse.ops.quantize_4bit(total, 64, "nf4")
    else:
        tensors = qfuse.ops.quantize_4bit_nested(total, 64, "nf4")
    expected = qfuse.ops.dequantize_4bit(tensors, total.shape, total.dtype)
    assert same_bits(qfuse.fake_quantize(base, lora_a, lora_b, 1.7).detach(), expected)
    if kind == "plain":
        assert same_bits(base.detach(), base_of(kind, device).detach()), "the base was overwritten"


def test_fp8_in_pieces_with_blocks_of_zeros_and_of_tiny_values(device, monkeypatch):
    weight = torch.randn(384, 256, generator=torch.Generator().manual_seed(1)).to(device, torch.bfloat16)
    weight[:128, :128], weight[128:256, 128:] = 0, 2.0**-125
    lora_a, lora_b = torch.zeros(1, 256, device=device), torch.zeros(384, 1, device=device)
    expected = qfuse.fake_quantize(weight, lora_a, lora_b, to="fp8")
    assert distance(expected, weight) < 0.03 and not expected[:128, :128].any() and not expected[128:256, 128:].any()
    monkeypatch.setattr(merged, "_PIECE", 1)
    assert same_bits(qfuse.fake_quantize(weight, lora_a, lora_b, to="fp8"), expected)


@pytest.mark.parametrize(
    ("scales", "exponents", "codes"),
    [("up", [0x7D, 0xE1, 0x80], ["3508", "8600", "0500"]), ("nearest", [0x7C, 0xE1, 0x7F], ["4709", "0600", "0700"])],
)
def test_mxfp4_by_hand(device, scales, exponents, codes):
    """The example of docs/FORMAT.md, section 17; a number that is scaled to -0; and just above 6."""
    values = torch.zeros(1, 96, device=device)
    values[0, :3] = torch.tensor([0.80078125, 0.3125, -0.05078125])
    values[0, 32:34] = torch.tensor([2.0**100, -(2.0**-133)])
    values[0, 64] = 6 + 2.0**-21
    zeros = (torch.zeros(shape, dtype=torch.uint8, device=device) for shape in ((1, 48), (1, 3)))
    weight = qfuse.Weight4bit(tuple(zeros), (1, 96), torch.float32, "mxfp4", 32)
    target = merged.Target("mxfp4", scales=scales)
    found, _ = merged.merge(weight, values, torch.ones(1, 1, device=device), 1.0, target)
    packed = [bytes(block).hex() for block in found.packed.view(3, 16).tolist()]
    assert found.absmax.tolist() == [exponents] and packed == [code + "00" * 14 for code in codes]


def test_mxfp4_whose_scales_are_rounded_up_is_the_file(tmp_path, device, monkeypatch):
    """In the layout of DeepSeek-V4's experts, with values of every size, ties, and blocks of zeros."""
    monkeypatch.setattr(merged, "_PIECE", 1)
    generator = torch.Generator().manual_seed(1)
    packed = torch.randint(256, (96, 64), generator=generator, dtype=torch.uint8)
    scales = torch.randint(0, 240, (96, 4), generator=generator, dtype=torch.uint8)
    packed[:8] = 0
    lora_a, lora_b = (torch.randn(shape, generator=generator) for shape in ((3, 128), (96, 3)))
    lora_b[::2] = 0  # numbers of the base are often ties in a grid twice as coarse
    base, adapter = tmp_path / "base", tmp_path / "adapter"
    base.mkdir(), adapter.mkdir()
    save_file(
        {"a.weight": packed.view(torch.int8), "a.scale": scales.view(torch.float8_e8m0fnu)}, base / "model.safetensors"
    )
    (base / "config.json").write_text(json.dumps({"model_type": "deepseek_v4", "dtype": "bfloat16"}))
    parts = {f"base_model.model.a.lora_{part}.weight": factor for part, factor in (("A", lora_a), ("B", lora_b))}
    save_file(parts, adapter / "adapter_model.safetensors")
    (adapter / "adapter_config.json").write_text(json.dumps({"peft_type": "LORA", "r": 3, "lora_alpha": 6}))
    checkpoint.merge(base, adapter, tmp_path / "out", to="mxfp4", fail_below=0)
    expected = file_of(tmp_path / "out")
    weight = qfuse.Weight4bit((packed, scales), (96, 128), torch.bfloat16, "mxfp4", 32).to(device)
    target = merged.Target("mxfp4", scales="up")
    found, _ = merged.merge(weight, lora_a.to(device), lora_b.to(device), 2.0, target)
    assert same_bits(found.packed, expected["a.weight"].view(torch.uint8))
    assert same_bits(found.absmax, expected["a.scale"].view(torch.uint8))


@pytest.mark.parametrize(("to", "rows"), [("nf4", 128), ("fp8", 128), ("fp8", 0)])
def test_a_weight_without_columns(device, to, rows):
    weight, lora_a, lora_b = (torch.zeros(shape, device=device) for shape in ((rows, 0), (3, 0), (rows, 3)))
    assert qfuse.fake_quantize(weight, lora_a, lora_b, to=to).shape == (rows, 0)


def test_a_weight_without_rows(device):
    weight, lora_a, lora_b = (torch.zeros(shape, device=device) for shape in ((0, 128), (3, 128), (0, 3)))
    for double_quant in (False, True):
        target = merged.Target("nf4", 64, double_quant)
        made, decoded = merged.merge(weight, lora_a, lora_b, 1.0, target)
        assert decoded.shape == (0, 128) and made.dequantize().shape == (0, 128) and made.nested is double_quant
        encode = qfuse.ops.quantize_4bit_nested if double_quant else qfuse.ops.quantize_4bit
        assert all(same_bits(*parts) for parts in zip(made.tensors, encode(weight, 64, "nf4"), strict=True))


@pytest.mark.parametrize("to", ["nf4", "fp8"])
def test_gradients_of_fake_quantize_are_those_of_the_sum(device, to):
    rows = 256 if to == "fp8" else 192
    weight, (lora_a, lora_b) = base_of("plain", device, rows).detach().float().requires_grad_(), factors(device, rows)
    grad = torch.randn(rows, 256, generator=torch.Generator().manual_seed(8)).to(device)
    inputs_of_sum = weight, lora_a, lora_b
    expected = torch.autograd.grad(weight + 1.7 * lora_b @ lora_a, inputs_of_sum, grad)
    found = torch.autograd.grad(qfuse.fake_quantize(weight, lora_a, lora_b, 1.7, to), inputs_of_sum, grad)
    assert all(distance(*pair) < 1e-6 for pair in zip(found, expected, strict=True))


def test_compiled(device):
    base, (lora_a, lora_b) = base_of("nested", device), factors(device)
    compiled = torch.compile(lambda *factors: qfuse.fake_quantize(base, *factors, 1.7), backend="aot_eager")
    expected, found = (f(lora_a, lora_b) for f in (lambda *factors: qfuse.fake_quantize(base, *factors, 1.7), compiled))
    assert same_bits(found.detach(), expected.detach())
    grads = [torch.autograd.grad(y.float().square().sum(), (lora_a, lora_b)) for y in (expected, found)]
    assert all(same_bits(*pair) for pair in zip(*grads, strict=True))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (dict(to="nf3"), "to is 'nf3', it can be 'nf4', 'fp4', 'mxfp4', 'fp8'"),
        (dict(to="mxfp4"), "scales is None, of 'mxfp4' it is 'up' or 'nearest'"),
        (dict(to="mxfp4", scales="up"), "its weight is nf4, which `qfuse merge` does not turn into mxfp4"),
        (dict(weight=torch.zeros(192, 256), to="mxfp4", scales="up"), "its weight is not in mxfp4, which"),
        (
            dict(weight=torch.zeros(192, 256), keep_scales=True),
            "its weight is not in 4 bits, and has no scales to keep",
        ),
        (dict(to="fp4"), "its weight is nf4, which `qfuse merge` does not turn into fp4"),
        (dict(to="fp8"), "its weight is nf4, which `qfuse merge` does not turn into fp8"),
        (dict(weight=torch.zeros(192, 256), to="fp8"), "multiples of 128"),
        (dict(weight=torch.zeros(192)), "it must be [n, k]"),
        (dict(weight=torch.zeros(192, 256, dtype=torch.int8)), "qfuse.dequantize_int8 decodes it"),
        (dict(weight=torch.zeros(192, 128)), "a has shape (5, 256), this weight needs (5, 128)"),
        (dict(weight=torch.zeros(64, 256)), "b has shape (192, 5), this weight needs (64, 5)"),
        (dict(weight=torch.zeros(192, 256), blocksize=60), "blocksize"),
    ],
)
def test_what_fake_quantize_refuses(arguments, message):
    given = dict(weight=base_of("nested", "cpu"), lora_a=factors("cpu")[0], lora_b=factors("cpu")[1]) | arguments
    with pytest.raises((ValueError, TypeError, RuntimeError)) as error:
        qfuse.fake_quantize(**given)
    assert message in str(error.value)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_gradients_of_a_layer(device, dtype):
    """x's gradient is of the merged weight; A's and B's are those of LoRA over the base."""
    model, x = make(device, dtype), inputs(device, dtype)
    integration.merge_aware(model)
    found, y, wanted = step(model, x), x.double().requires_grad_(), {}
    leaf = y
    for name in ("up", "down"):
        layer = getattr(model.base_model.model, name)
        lora_a, lora_b = (part["default"].weight.detach().double() for part in (layer.lora_A, layer.lora_B))
        weight = merged.merge(*peft_merge_aware._examine(layer), merged.Target("nf4"))[0].dequantize(dtype).double()
        wanted[name] = lora_a.requires_grad_(), lora_b.requires_grad_()
        added = layer.scaling["default"] * (y.detach() @ lora_a.t()) @ lora_b.t()
        bias = 0 if layer.base_layer.bias is None else layer.base_layer.bias.double()
        y = y @ weight.t() + added - added.detach() + bias
        y = torch.nn.functional.silu(y) if name == "up" else y
    y.square().mean().backward()
    limit = 1e-5 if dtype == torch.float32 else 0.02
    assert distance(found["y"], y.detach()) < limit and distance(found["x"], leaf.grad) < limit
    for name, pair in wanted.items():
        for part, parameter in zip("AB", pair, strict=True):
            grad = found[f"base_model.model.{name}.lora_{part}.default.weight"]
            assert grad.dtype == torch.float32 and distance(grad, parameter.grad) < limit, (name, part)


def test_gradients_of_checkpointing_and_of_copies(device):
    model, x = make(device), inputs(device)
    integration.merge_aware(model)
    expected, copied = step(model, x), step(copy.deepcopy(model), x)
    pickled, checkpointed = step(pickle.loads(pickle.dumps(model)), x), checkpointed_step(model, x)
    for name, value in expected.items():
        assert all(same_bits(each[name], value) for each in (checkpointed, copied, pickled)), name


def test_what_follows_a_layer_may_overwrite_its_result(device):
    model, x = make(device), inputs(device)
    integration.merge_aware(model)
    found = []
    for relu in (torch.nn.ReLU(), torch.nn.ReLU(inplace=True)):
        model.zero_grad()
        y = relu(model.base_model.model.up(x))
        y.square().sum().backward()
        found.append([y, *(each.grad for each in model.base_model.model.up.parameters() if each.grad is not None)])
    assert all(same_bits(*pair) for pair in zip(*found, strict=True)) and len(found[0]) == 3


def test_second_gradients_are_refused(device):
    """A layer's gradients are not those of its merged weight, and so theirs would be wrong."""
    model, x = make(device), inputs(device).requires_grad_()
    integration.merge_aware(model)
    for leaf in (x, model.base_model.model.up.lora_A["default"].weight):
        with pytest.raises(ValueError, match="has no gradient: leave out create_graph"):
            torch.autograd.grad(model(x).sum(), leaf, create_graph=True)


def test_a_checkpoint_drops_the_codes(device, monkeypatch):
    model, x = make(device), inputs(device)
    integration.merge_aware(model)
    made, merge = [], merged.merge

    def watched(*args):
        found = merge(*args)
        made.append(weakref.ref(found[0].packed))
        return found

    monkeypatch.setattr(merged, "merge", watched)
    y = torch.utils.checkpoint.checkpoint(model, x, use_reentrant=False)
    assert made and all(codes() is None for codes in made)
    y.sum().backward()


def test_from_a_step_on_and_undone(device):
    model, x = make(device), inputs(device)
    plain = step(model, x)["y"]
    with model.disable_adapter():
        without = step(model, x)["y"]
    integration.merge_aware(model, from_step=1)
    integration.merge_aware(model, from_step=2)  # in place of the first
    assert set(integration.report(model).replaced.values()) == {"hook"}
    parameters = [parameter for parameter in model.parameters() if parameter.requires_grad]
    other = torch.optim.SGD([torch.nn.Parameter(torch.ones(1))], lr=0.0)
    optimizer = torch.optim.SGD(parameters, lr=0.0)
    is_plain, is_recorded = [], []
    for _ in range(4):
        is_plain.append(same_bits(step(model, x)["y"], plain))
        is_recorded.append(bool(model.peft_config["default"].auto_mapping))
        other.step()
        optimizer.step()
    assert is_plain == [True, True, False, False] and is_recorded == [False, False, True, True]
    with model.disable_adapter():
        assert same_bits(step(model, x)["y"], without)
    integration.merge_aware(model, None)
    assert same_bits(step(model, x)["y"], plain)
    assert type(model.base_model.model.up).__module__ == "peft.tuners.lora.bnb"


def test_layers_that_cannot_be_merge_aware(device):
    with pytest.raises(
        ValueError, match=r"up: its lora_dropout is 0.1, which a merged weight cannot have; and 1 others"
    ):
        integration.merge_aware(make(device, lora_dropout=0.1))
    with pytest.raises(ValueError, match="its adapter is more than A and B, as that of DoRA"):
        integration.merge_aware(make(device, use_dora=True))
    with pytest.raises(ValueError, match="its weight is nf4, which `qfuse merge` does not turn into fp4"):
        integration.merge_aware(make(device), "fp4")
    with pytest.raises(ValueError, match="Net: it has no LoRA layer"):
        integration.merge_aware(type(make(device).base_model.model)())
    model = make(device)
    assert integration.merge_aware(model, layers=["down"]) == {"base_model.model.up": "it is not among `layers`"}
    two_adapters(model)
    integration.merge_aware(model, None)
    with pytest.raises(ValueError, match="2 of its adapters are active, and one is merged"):
        integration.merge_aware(model)
    model.base_model.set_adapter("default")
    integration.merge_aware(model)
    model.base_model.set_adapter(["default", "second"])
    with pytest.raises(RuntimeError, match="a merge-aware layer cannot multiply by its merged weight: 2 of its"):
        step(model, inputs(device))


def test_what_an_adapter_says_of_its_training(tmp_path):
    base = llama(tmp_path, {})
    model = adapted(base, "cpu", target_modules=["q_proj", "v_proj"])
    integration.merge_aware(model)
    train(model, 1, rate=1e-3)
    model.save_pretrained(tmp_path / "adapter")
    config = json.loads((tmp_path / "adapter" / "adapter_config.json").read_text())
    assert config["auto_mapping"] == {"qfuse_merge": {"to": "nf4", "base": "4-bit"}}
    again = peft.PeftModel.from_pretrained(adapted(base, "cpu").unload(), tmp_path / "adapter")
    assert again.peft_config["default"].auto_mapping == config["auto_mapping"]

    def merge(to="nf4", weight=1.0):
        adapters = [(tmp_path / "adapter", weight)]
        report = checkpoint.merge(base, adapters, tmp_path / "out", to=to, force=True)
        return [note.partition(": ")[2] for note in report.notes if "was trained for" in note], report

    said = "was trained for a merge to nf4 from a base in 4 bits"
    notes, report = merge()
    assert notes == [f"{said}, which this is: what is left of it in codes is what it was trained with"]
    assert max(tensor.survival for tensor in report.merged) < 0.5  # which other merges refuse
    assert merge("bf16")[0] == [f"{said}, and this is another"]
    with pytest.raises(ValueError, match="of what the adapter adds"):
        merge(weight=0.5)
    for record, message in {
        "[]": "qfuse_merge is [], needs to be an object",
        '{"to": 1}': "to is 1, needs to be a string",
        '{"block_size": "64"}': 'block_size is "64", needs to be a number',
        '{"double_quant": 1}': "double_quant is 1, needs to be true or false",
    }.items():
        config["auto_mapping"] = {"qfuse_merge": json.loads(record)}
        (tmp_path / "adapter" / "adapter_config.json").write_text(json.dumps(config))
        with pytest.raises(ValueError, match=re.escape(message)):
            merge()


def test_another_merge_than_the_one_of_training(tmp_path):
    """What a merge onto a 16-bit base says of an adapter that was trained for blocks of 64 of such a base."""
    base = llama(tmp_path, None)
    model = adapted(base, "cpu", target_modules=["q_proj"])
    integration.merge_aware(model)
    train(model, 1)
    model.save_pretrained(tmp_path / "adapter")

    def note(**options):
        report = checkpoint.merge(base, tmp_path / "adapter", tmp_path / "out", force=True, fail_below=0, **options)
        return next(note for note in report.notes if "was trained for" in note)

    assert ", in blocks of 64, double_quant, which this is:" in note(to="nf4")
    for options in (
        dict(blocksize=128),
        dict(double_quant=False),
        dict(base_as="nf4"),
        dict(to="fp8"),
        dict(to="bf16"),
    ):
        assert note(**dict(to="nf4") | options).endswith(", in blocks of 64, double_quant, and this is another"), (
            options
        )


def test_an_adapter_without_a_task(device):
    model = make(device)
    with pytest.warns(UserWarning, match="`qfuse merge` needs --fail-below 0"):
        integration.merge_aware(model)
