"""Scales chosen by the importance of inputs: bytes against numpy, and a tiny Llama from its inputs to bitsandbytes."""

import numpy as np
import pytest
import torch
from conftest import DTYPES, same_bits
from safetensors.torch import load_file, save_file

import qfuse

transformers = pytest.importorskip("transformers")
bnb = pytest.importorskip("bitsandbytes")

from qfuse.integrations.transformers import importance as measure  # noqa: E402

FACTORS = np.float32([1, -1, 0.95, -0.95, 0.9, -0.9])


# As in bitsandbytes' CUDA encoder: near the midpoints between the magnitudes.
FP4_THRESHOLDS = np.float32([0.00260417, 0.0859375, 0.20833333, 0.29166667, 0.4166667, 0.583333, 0.8333333])


def nearest(scaled, quant_type):
    """The format's values for weights / scale, in float32, from bitsandbytes' table."""
    values = np.unique(bnb.functional.get_4bit_type(quant_type, device="cpu").numpy())
    if quant_type == "nf4":
        return values[np.searchsorted((values[1:] + values[:-1]) / np.float32(2), scaled)]
    return np.copysign(values[values >= 0][np.searchsorted(FP4_THRESHOLDS, np.abs(scaled))], scaled)


def summed(terms):
    """The sums [B] of terms [B, blocksize], in the order of qfuse.h."""
    groups = terms.reshape(len(terms), -1, 16)
    for half in (8, 4, 2, 1):
        groups = groups[..., :half] + groups[..., half:]
    sums = groups[..., 0]
    while sums.shape[1] > 1:
        sums = sums[:, ::2] + sums[:, 1::2]
    return sums[:, 0]


def expected(weight, importance, quant_type, blocksize):
    """The decoded blocks [B, blocksize] and scales [B] by the definition in qfuse.h, without the ops."""
    padding = (0, -weight.size % blocksize)
    blocks = np.pad(weight.ravel(), padding).reshape(-1, blocksize)
    weights = np.pad(np.broadcast_to(importance, weight.shape).ravel(), padding).reshape(-1, blocksize)
    absmax = np.abs(blocks).max(1)
    best, least = absmax.copy(), np.full(len(blocks), np.inf, np.float32)
    for factor in FACTORS:
        scales = absmax * factor
        decoded = nearest(blocks * (np.float32(1) / scales)[:, None], quant_type) * scales[:, None]
        error = summed(weights * np.square(decoded - blocks))
        assert error.dtype == np.float32
        best, least = np.where(error < least, scales, best), np.minimum(error, least)
    return nearest(blocks * (np.float32(1) / best)[:, None], quant_type) * best[:, None], best


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("quant_type", ["nf4", "fp4"])
@pytest.mark.parametrize(("shape", "blocksize"), [((96, 256), 64), ((33, 100), 64), ((40, 96), 32), ((9, 1000), 2048)])
def test_bytes_are_numpys(device, dtype, quant_type, shape, blocksize):
    generator = torch.Generator().manual_seed(blocksize)
    weight = (0.02 * torch.randn(shape, generator=generator)).to(dtype)
    importance = torch.randn(shape[1], generator=generator).exp()
    if shape[1] == 100:
        importance *= 2.0**-128  # errors are a few times the least subnormal number: many are equal
    decoded, scales = expected(weight.float().numpy(), importance.numpy(), quant_type, blocksize)
    tensors = qfuse.ops.quantize_4bit(weight.to(device), blocksize, quant_type, importance=importance.to(device))
    assert same_bits(tensors[1].cpu(), torch.from_numpy(scales))
    found = qfuse.ops.dequantize_4bit(tensors, shape, torch.float32, quant_type, blocksize)
    assert np.array_equal(found.cpu().numpy().ravel(), decoded.ravel()[: weight.numel()])
    if len(scales) > 50:
        absmax = qfuse.ops.quantize_4bit(weight, blocksize, quant_type)[1].numpy()
        factors = (scales / absmax).round(2)
        assert len(np.unique(factors)) == (6 if quant_type == "nf4" else 3), "FP4 is the same for both signs"


def test_bitsandbytes_decodes_negative_scales(made):
    """Its decoders multiply by absmax, whatever its sign."""
    weight, importance = made.original.cpu(), made.original[0].cpu().square()
    packed, absmax = qfuse.ops.quantize_4bit(weight, 64, "nf4", importance=importance)
    assert (absmax < 0).any()
    state = bnb.functional.QuantState(
        absmax=absmax, shape=weight.shape, code=bnb.functional.get_4bit_type("nf4", device="cpu"), blocksize=64,
        quant_type="nf4", dtype=torch.float32,
    )  # fmt: skip
    found = bnb.functional.dequantize_4bit(packed, state)
    assert same_bits(found, qfuse.ops.dequantize_4bit((packed, absmax), weight.shape, torch.float32))


@pytest.fixture(scope="module")
def llama(tmp_path_factory):
    """A tiny Llama, its directory, and the file of its importance, where one weight has no vector."""
    torch.manual_seed(3)
    config = transformers.LlamaConfig(
        vocab_size=256, hidden_size=128, intermediate_size=192, num_hidden_layers=2, num_attention_heads=4,
        num_key_value_heads=2,
    )  # fmt: skip
    model = transformers.LlamaForCausalLM(config).bfloat16().eval()
    directory = tmp_path_factory.mktemp("importance")
    model.save_pretrained(directory / "model")
    batches = [torch.randint(0, 256, (2, 40)), {"input_ids": torch.randint(0, 256, (1, 70))}]
    found = measure(model, batches)
    save_file(found, directory / "importance.safetensors")
    return model, directory, batches, found


def test_importance_is_the_mean_square_of_each_input(llama):
    model, _, batches, found = llama
    seen = []
    layer = model.model.layers[1].mlp.down_proj
    handle = layer.register_forward_pre_hook(lambda _, inputs: seen.append(inputs[0].flatten(0, -2).double()))
    with torch.no_grad():
        for batch in batches:
            model(batch["input_ids"] if isinstance(batch, dict) else batch)
    handle.remove()
    assert len(found) == 15  # seven a layer, and the head
    mean = torch.cat(seen).square().mean(0).float()
    torch.testing.assert_close(found["model.layers.1.mlp.down_proj.weight"], mean, rtol=1e-6, atol=0)
    assert not layer._forward_pre_hooks
    with pytest.raises(ValueError, match="no batch reached"):
        measure(model, [])
    with torch.no_grad():
        broken = torch.nn.Linear(2, 2)
        with pytest.raises(ValueError, match=r"0\.weight: .* not finite"):
            measure(torch.nn.Sequential(broken), [torch.full((1, 2), torch.inf)])
    (of_a_call_by_name,) = measure(broken, [{"input": torch.tensor([1.0, 3.0])}]).values()
    assert of_a_call_by_name.tolist() == [1.0, 9.0]


def block_errors(weight, decoded, importance):
    errors = importance.double() * (decoded.double() - weight.double()).square()
    return errors.flatten().view(-1, 64).sum(1)


def test_a_model_quantized_by_importance_loads_in_transformers(llama):
    model, directory, _, measured = llama
    importance = dict(measured)
    del importance["model.layers.0.mlp.up_proj.weight"]
    save_file(importance, directory / "some.safetensors")
    options = {"double_quant": False, "force": True}
    plain = qfuse.checkpoint.quantize(directory / "model", directory / "absmax", **options)
    report = qfuse.checkpoint.quantize(
        directory / "model", directory / "nf4", importance=directory / "some.safetensors", **options
    )
    notes = [note for note in report.notes if "some.safetensors" in note]
    assert len(notes) == 2 and "no tensor for 1 of 14 quantized weights" in notes[0] and "1 of its 14" in notes[1]
    assert report.bytes_written == plain.bytes_written
    ours = qfuse.load_checkpoint(directory / "nf4")
    by_absmax = qfuse.load_checkpoint(directory / "absmax")
    loaded = transformers.AutoModelForCausalLM.from_pretrained(directory / "nf4")
    lower = 0
    for name, layer in loaded.named_modules():
        if not isinstance(layer, bnb.nn.Linear4bit):
            continue
        original = model.get_parameter(f"{name}.weight").detach()
        weights = importance.get(f"{name}.weight")
        decoded, before = (
            qfuse.ops.dequantize_4bit(*of[f"{name}.weight"]._replace(dtype=torch.float32)) for of in (ours, by_absmax)
        )
        theirs = bnb.functional.dequantize_4bit(layer.weight.data, layer.weight.quant_state)
        assert same_bits(theirs, decoded.bfloat16())
        if weights is None:
            assert same_bits(decoded, before)
            continue
        tensors = qfuse.ops.quantize_4bit(original, 64, "nf4", importance=weights)
        assert all(map(same_bits, tensors, ours[f"{name}.weight"].tensors[:2]))
        found, by_default = (block_errors(original, of, weights) for of in (decoded, before))
        assert (found <= by_default * (1 + 1e-5)).all()
        lower += int((found < 0.99 * by_default).sum())
    assert lower > 500


@pytest.mark.parametrize(
    ("name", "shape"),
    [
        ("q_proj.weight", (1500, 3001)),  # two pieces, and the second begins within a row
        ("q_proj.weight", (2200, 2048)),
        ("mlp.experts.gate_up_proj", (4, 64, 96)),  # one vector for all experts
    ],
)
def test_files_have_the_bytes_of_the_op(tmp_path, name, shape):
    generator = torch.Generator().manual_seed(5)
    weight, importance = torch.randn(shape, generator=generator), torch.rand(shape[-1], generator=generator)
    save_file({name: weight}, tmp_path / "in.safetensors")
    save_file({name: importance}, tmp_path / "importance.safetensors")
    qfuse.checkpoint.quantize(
        tmp_path / "in.safetensors", tmp_path / "out.safetensors", double_quant=False, experts=True,
        importance=tmp_path / "importance.safetensors",
    )  # fmt: skip
    expected = qfuse.ops.quantize_4bit(weight, 64, "nf4", importance=importance)
    stored = load_file(tmp_path / "out.safetensors")
    assert same_bits(stored[name].flatten(), expected[0].flatten())
    assert same_bits(stored[f"{name}.absmax"].flatten(), expected[1])


def test_refuses_an_importance_that_does_not_fit(llama):
    _, directory, _, found = llama
    name = "model.layers.0.self_attn.q_proj.weight"

    def refused(values, message, **options):
        save_file(values, directory / "wrong.safetensors")
        with pytest.raises(ValueError, match=message):
            qfuse.checkpoint.quantize(
                directory / "model", directory / "out", importance=directory / "wrong.safetensors",
                **({"double_quant": False} | options),
            )  # fmt: skip
        assert not (directory / "out").exists()

    refused(found, "importance.*negative, which cannot be nested.*double_quant", double_quant=True)
    refused(found | {name: found[name][1:].clone()}, rf"'{name}': is F32 \[127\], it must be F32 \[128\]")
    refused(found | {name: found[name].double()}, r"is F64 \[128\], it must be F32")
    for index, value, text in ((5, -1.0, "-1"), (0, torch.nan, "nan"), (127, torch.inf, "inf")):
        wrong = found[name].clone()
        wrong[index] = value
        refused(found | {name: wrong}, rf"'{name}': entry {index} is {text}, it must be a mean square")
    refused({"other": found[name]}, "none of its 1 tensors has the name of a weight")
    with pytest.raises(OSError, match=r"absent\.safetensors"):
        qfuse.checkpoint.quantize(
            directory / "model", directory / "out", double_quant=False, importance=directory / "absent.safetensors"
        )
