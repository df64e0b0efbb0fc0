"""Runs the integration under unsloth itself; test_unsloth.py starts it where unsloth and a GPU are.

    UNSLOTH_BNB_TRITON=0 python python/tests/under_unsloth.py       # else unsloth's own kernel stays where it is

A process of its own, because to import unsloth is to have it patch torch, transformers and bitsandbytes. Exit status 1
says that something is not as it must be.
"""

import sys
import tempfile
from pathlib import Path

import unsloth  # isort: skip (before all that it patches)
import bitsandbytes
import tokenizers
import torch
import transformers
from conftest import Calls, same_bits
from unsloth.kernels import utils

import qfuse.integrations.unsloth as integration

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))
from measure import launches

ORIGINAL = utils.fast_dequantize
LINEAR = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]


def holders(function):
    return sorted(
        f"{name}.fast_dequantize"
        for name, module in list(sys.modules.items())
        if getattr(module, "__dict__", {}).get("fast_dequantize") is function
    )


def check_weights(dtype):
    """Bits, shapes and strides of both orientations, and how many kernels a decode launches."""
    torch.manual_seed(1)
    packed, state = bitsandbytes.functional.quantize_4bit(
        torch.randn(512, 1024, device="cuda", dtype=dtype), compress_statistics=True, quant_type="nf4"
    )
    calls = [
        lambda: utils.fast_dequantize(packed, state),
        lambda: utils.fast_dequantize(packed.t(), state, dtype=dtype),
        lambda: utils.fast_dequantize(packed.t(), state, use_global_buffer=True),
    ]
    for call in calls:
        expected, before = call().clone(), len(launches(call))
        with integration.enabled():
            found, after = call(), len(launches(call))
        assert same_bits(found, expected) and found.stride() == expected.stride(), f"{dtype}: other bits"
        assert (before, after) == (3, 1), f"{dtype}: {before} launches, and {after} with qfuse"
    print(f"{dtype}: the same bits, one launch for three")


def make_base(folder):
    """A Llama with random weights, as bitsandbytes quantizes it, and a tokenizer, which unsloth asks for."""
    torch.manual_seed(1)
    config = transformers.LlamaConfig(
        hidden_size=256,
        intermediate_size=512,
        vocab_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=128,
    )
    transformers.LlamaForCausalLM(config).to(torch.bfloat16).save_pretrained(f"{folder}/plain")
    nf4 = transformers.BitsAndBytesConfig(
        load_in_4bit=True,
        bnb_4bit_quant_type="nf4",
        bnb_4bit_use_double_quant=True,
        bnb_4bit_compute_dtype=torch.bfloat16,
    )
    transformers.AutoModelForCausalLM.from_pretrained(
        f"{folder}/plain", quantization_config=nf4, device_map="cuda", dtype=torch.bfloat16
    ).save_pretrained(folder)
    words = {word: i for i, word in enumerate(["<unk>", "<s>", "</s>", "<pad>", *(f"w{i}" for i in range(60))])}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel(words, unk_token="<unk>"))
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, unk_token="<unk>", bos_token="<s>", eos_token="</s>", pad_token="<pad>"
    ).save_pretrained(folder)


def train_step(model):
    tokens = torch.arange(64, device="cuda").remainder(32)[None]
    model.zero_grad()
    loss = model(input_ids=tokens, labels=tokens).loss
    loss.backward()
    return [loss.detach().clone()] + [p.grad.clone() for p in model.parameters() if p.grad is not None]


def check_training():
    with tempfile.TemporaryDirectory() as folder:
        make_base(folder)
        model, _ = unsloth.FastLanguageModel.from_pretrained(
            folder, max_seq_length=128, dtype=torch.bfloat16, load_in_4bit=True, local_files_only=True
        )
    model = unsloth.FastLanguageModel.get_peft_model(
        model, r=8, target_modules=LINEAR, lora_dropout=0, use_gradient_checkpointing=False
    )
    without, again = train_step(model), train_step(model)
    assert all(map(same_bits, without, again)), "unsloth's own step does not repeat, so nothing can be compared"
    with integration.enabled(), Calls("qfuse::dequantize_4bit") as decodes:
        found = train_step(model)
    assert decodes.count > 0, "qfuse decoded nothing"
    assert len(found) == 1 + 2 * 2 * len(LINEAR) and without[0].isfinite()
    assert all(map(same_bits, found, without)), "a loss or a gradient has other bits"
    print(
        f"a step of training: the same bits in the loss and {len(found) - 1} gradients, "
        f"{decodes.count} decodes of qfuse's"
    )


def main():
    if getattr(utils, "_USE_NF4_KERNELS", False):
        with integration.enabled() as report:
            assert not report and utils.fast_dequantize is ORIGINAL
        print(f"unsloth {unsloth.__version__}: {report}")
        return
    everywhere = holders(ORIGINAL)
    with integration.enabled() as report:
        assert report.replaced == everywhere and not holders(ORIGINAL), f"{report}\nleft: {holders(ORIGINAL)}"
    assert holders(ORIGINAL) == everywhere
    print(f"unsloth {unsloth.__version__}: fast_dequantize replaced in {len(everywhere)} modules, and put back")
    for dtype in (torch.float16, torch.bfloat16):
        check_weights(dtype)
    check_training()


if __name__ == "__main__":
    main()
