"""python stand_in_hub.py <folder>: makes a Hub cache with random models under the names that peft's tests load. On a
GPU opt-125m has its real shape. All other models are small."""

import hashlib
import sys
from pathlib import Path

import torch
import transformers
from tokenizers import Tokenizer, decoders, models, pre_tokenizers

VOCABULARY = 1024
SPECIAL = {"bos_token": "<s>", "pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>"}


def opt(hidden=128, layers=12, **more):
    return transformers.OPTConfig(
        vocab_size=VOCABULARY,
        hidden_size=hidden,
        num_hidden_layers=layers,
        ffn_dim=4 * hidden,
        num_attention_heads=hidden // 16,
        word_embed_proj_dim=hidden,
        max_position_embeddings=512,
        **more,
    )


def llama(**more):
    sizes = dict(hidden_size=128, intermediate_size=256, num_hidden_layers=2, num_attention_heads=4)
    return transformers.LlamaConfig(vocab_size=VOCABULARY, num_key_value_heads=4, **sizes, **more)


def bloom():
    return transformers.BloomConfig(vocab_size=VOCABULARY, hidden_size=128, n_layer=4, n_head=4)


def gpt2():
    return transformers.GPT2Config(vocab_size=VOCABULARY, n_embd=128, n_layer=4, n_head=4, n_positions=512)


def t5():
    return transformers.T5Config(
        vocab_size=VOCABULARY, d_model=64, d_kv=16, d_ff=128, num_layers=2, num_heads=4, decoder_start_token_id=1
    )


def real_opt_125m():
    return opt(768) if torch.cuda.is_available() else opt()


CONFIGURATIONS = {
    "peft-internal-testing/opt-125m": real_opt_125m,
    "facebook/opt-125m": real_opt_125m,
    "facebook/opt-350m": lambda: opt(layers=24),
    "facebook/opt-6.7b": lambda: opt(layers=32),
    "peft-internal-testing/tiny-random-OPTForCausalLM": lambda: opt(64, 5),
    "trl-internal-testing/tiny-random-LlamaForCausalLM": llama,
    "hf-internal-testing/tiny-random-LlamaForCausalLM": llama,
    "TinyLlama/TinyLlama-1.1B-Chat-v1.0": llama,
    "peft-internal-testing/zephyr-smol_llama-100m-sft-full": llama,
    "hf-internal-testing/tiny-random-MistralForCausalLM": lambda: transformers.MistralConfig(
        vocab_size=VOCABULARY, hidden_size=128, intermediate_size=256, num_hidden_layers=2, num_attention_heads=4,
        num_key_value_heads=2,
    ),
    "trl-internal-testing/tiny-Qwen2ForCausalLM-2.5": lambda: transformers.Qwen2Config(
        vocab_size=VOCABULARY, hidden_size=128, intermediate_size=256, num_hidden_layers=2, num_attention_heads=4,
        num_key_value_heads=2,
    ),
    "bigscience/bloomz-560m": bloom,
    "peft-internal-testing/tiny-random-BloomForCausalLM": bloom,
    "openai-community/gpt2": gpt2,
    "gpt2": gpt2,
    "google/flan-t5-base": lambda: transformers.T5Config(
        vocab_size=VOCABULARY, d_model=128, d_kv=32, d_ff=256, num_layers=4, num_heads=4,
        feed_forward_proj="gated-gelu", tie_word_embeddings=False, decoder_start_token_id=1,
    ),
    "t5-small": t5,
    "peft-internal-testing/tiny-random-t5": t5,
    "openai/whisper-large": lambda: transformers.WhisperConfig(
        vocab_size=VOCABULARY, d_model=128, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4,
        decoder_attention_heads=4, encoder_ffn_dim=256, decoder_ffn_dim=256, decoder_start_token_id=0,
        suppress_tokens=None, begin_suppress_tokens=None,
    ),
}  # fmt: skip


def randomize(model):
    """Makes layers matter and some tokens more probable than others, as tests expect of a model."""
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.dim() == 2:
                parameter.normal_(std=parameter.shape[1] ** -0.5)
        model.get_input_embeddings().weight.normal_(std=0.5)


def tokenizer():
    """Returns a tokenizer with one token per byte."""
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    names = [*SPECIAL.values(), *letters]
    made = Tokenizer(models.BPE({name: i for i, name in enumerate(names)}, [], unk_token=SPECIAL["unk_token"]))
    made.pre_tokenizer, made.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
    return transformers.PreTrainedTokenizerFast(tokenizer_object=made, model_max_length=512, **SPECIAL)


def main():
    folder = Path(sys.argv[1])
    for name, configuration in CONFIGURATIONS.items():
        model_folder = folder / f"models--{name.replace('/', '--')}"
        if model_folder.exists():
            continue
        config = configuration()
        config.bos_token_id, config.pad_token_id, config.eos_token_id = 0, 1, 2
        torch.manual_seed(0)
        kind = transformers.AutoModelForSeq2SeqLM if config.is_encoder_decoder else transformers.AutoModelForCausalLM
        if "whisper" in name:
            kind = transformers.AutoModelForSpeechSeq2Seq
        commit = hashlib.sha1(name.encode()).hexdigest()
        snapshot = model_folder / "snapshots" / commit
        model = kind.from_config(config)
        randomize(model)
        model.to(torch.float16 if "opt-" in name else torch.float32).save_pretrained(snapshot)
        tokenizer().save_pretrained(snapshot)
        (model_folder / "refs").mkdir()
        (model_folder / "refs" / "main").write_text(commit)


main()
