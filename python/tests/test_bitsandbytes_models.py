"""Whole transformers models, and peft's merge, with the integration and the real bitsandbytes."""

import pytest
import torch
from conftest import TINY, Calls, same_bits
from layers_of_bitsandbytes import MANY, decodes_a_layer, make_layer
from safetensors.torch import load_file

import qfuse.integrations.bitsandbytes as integration

pytestmark = pytest.mark.usefixtures("bitsandbytes_as_it_was")


@pytest.fixture
def llama(tmp_path):
    """The directory of a small unquantized Llama whose rows are whole blocks."""
    transformers = pytest.importorskip("transformers")
    torch.manual_seed(1)
    config = transformers.LlamaConfig(
        hidden_size=128,
        intermediate_size=256,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        vocab_size=512,
        max_position_embeddings=256,
    )
    transformers.LlamaForCausalLM(config).to(torch.bfloat16).save_pretrained(tmp_path)
    return tmp_path


def load(path, device, **options):
    transformers = pytest.importorskip("transformers")
    return transformers.AutoModelForCausalLM.from_pretrained(
        path, device_map=device, dtype=torch.bfloat16, attn_implementation="eager", **options
    )


def load_quantized(path, device, quant_type="nf4"):
    transformers = pytest.importorskip("transformers")
    return load(
        path,
        device,
        quantization_config=transformers.BitsAndBytesConfig(
            load_in_4bit=True,
            bnb_4bit_quant_type=quant_type,
            bnb_4bit_use_double_quant=True,
            bnb_4bit_compute_dtype=torch.bfloat16,
        ),
    )


@pytest.mark.parametrize("quant_type", ["nf4", "fp4"])
def test_transformers_quantizes_to_the_same_bytes(device, llama, quant_type):
    expected = load_quantized(llama, device, quant_type).state_dict()
    with integration.enabled(), Calls("qfuse::quantize_4bit") as encodes:
        found = load_quantized(llama, device, quant_type).state_dict()
    assert encodes.count == (14 if device == "cuda" else 0)
    assert found.keys() == expected.keys() and sum("quant_state" in key for key in found) == 14
    assert all(same_bits(found[key], tensor) for key, tensor in expected.items())


def whole_step(model):
    """Returns logits, loss and every gradient of a whole model, and how many decodes qfuse did."""
    model.train().zero_grad()
    tokens = torch.arange(MANY, device=model.device).reshape(8, 256) * 7 % 512
    with Calls("qfuse::dequantize_4bit") as decodes:
        output = model(tokens, labels=tokens)
        output.loss.backward()
    gradients = [parameter.grad for parameter in model.parameters() if parameter.requires_grad]
    return [output.logits.detach(), output.loss.detach(), *gradients], decodes.count


def test_a_whole_model_trains_to_the_same_bits(device, llama):
    models = [load_quantized(llama, device)]
    if device == "cuda":
        models.append(load(TINY / "bnb4", device))  # its rows are not whole blocks
    for model in models:
        expected, decodes = whole_step(model)
        assert decodes == 0 and len(expected) > 6
        with integration.enabled():
            found, decodes = whole_step(model)
        assert decodes == 14 * decodes_a_layer(device, MANY)
        assert all(same_bits(a, b) for a, b in zip(found, expected, strict=True))


def test_transformers_gets_the_bits_of_cuda(device):
    """model.dequantize() of a model whose rows are not whole blocks; some CPUs decode it wrongly in bitsandbytes."""
    model = load(TINY / "bnb4", device)
    with integration.enabled(), Calls("qfuse::dequantize_4bit") as decodes:
        state = model.dequantize().state_dict()
    expected = load_file(TINY / "dequant_expected.safetensors")
    assert decodes.count >= len(expected) == 14
    assert all(same_bits(state[key].cpu(), weight) for key, weight in expected.items())


def test_peft_merges_to_the_same_bits(device):
    peft = pytest.importorskip("peft")

    def merged(enabled):
        block = torch.nn.Sequential()
        block.is_loaded_in_4bit = True  # transformers sets it on models loaded in 4 bits
        block.add_module("proj", make_layer(device, nested=True))
        model = peft.get_peft_model(block, peft.LoraConfig(target_modules=["proj"], r=4, init_lora_weights=False))
        adapter = torch.Generator().manual_seed(5)
        for name, parameter in model.named_parameters():
            if "lora_" in name:
                parameter.data = torch.randn(parameter.shape, generator=adapter).to(parameter) * 0.02
        with Calls("qfuse::dequantize_4bit") as decodes:
            if enabled:
                with integration.enabled():
                    model.merge_adapter()
            else:
                model.merge_adapter()
        assert bool(decodes.count) == enabled
        return model.base_model.model.proj.base_layer.weight.data

    assert same_bits(merged(True), merged(False))
