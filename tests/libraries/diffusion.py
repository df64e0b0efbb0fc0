"""Diffusers models and pipelines with random weights (small, or on the meta device), and how they are loaded."""

import inspect

import diffusers
import torch
from bitsandbytes.nn import Linear4bit
from diffusers.models.modeling_utils import ModelMixin
from diffusers.quantizers.bitsandbytes.bnb_quantizer import BnB4BitDiffusersQuantizer
from transformers import CLIPTextConfig, CLIPTextModel, T5Config, T5EncoderModel

diffusers.utils.logging.set_verbosity_error()
diffusers.utils.logging.disable_progress_bar()

_TWO_HEADS = {"num_attention_heads": 2, "attention_head_dim": 32}

# Required arguments of these classes. The other classes have a default for every argument.
_ARGUMENTS = {
    "AudioLDM2ProjectionModel": {"text_encoder_dim": 64, "text_encoder_1_dim": 64, "langauge_model_dim": 64},
    "ControlNetUnionModel": {
        "addition_embed_type": "text_time",
        "addition_time_embed_dim": 32,
        "conditioning_embedding_out_channels": (16, 32),
        "projection_class_embeddings_input_dim": 64,
    },
    "DreamLiteTransformer2DModel": {"in_channels": 32},
    "EasyAnimateTransformer3DModel": {**_TWO_HEADS, "in_channels": 4, "out_channels": 4, "patch_size": 2},
    "HiDreamImageTransformer2DModel": {
        **_TWO_HEADS,
        "axes_dims_rope": (16, 8, 8),
        "caption_channels": [64, 64],
        "in_channels": 4,
        "llama_layers": [0, 1],
        "max_resolution": (32, 32),
        "num_activated_experts": 2,
        "num_layers": 2,
        "num_routed_experts": 4,
        "num_single_layers": 2,
        "out_channels": 4,
        "patch_size": 2,
        "text_emb_dim": 64,
    },
    "HunyuanDiT2DControlNetModel": {"patch_size": 2, "in_channels": 4, "sample_size": 16, "transformer_num_layers": 4},
    "HunyuanDiT2DModel": {"patch_size": 2, "in_channels": 4, "sample_size": 16},
    "LatteTransformer3DModel": {
        **_TWO_HEADS,
        "caption_channels": 64,
        "cross_attention_dim": 64,
        "in_channels": 4,
        "norm_type": "ada_norm_single",
        "num_layers": 2,
        "out_channels": 4,
        "patch_size": 2,
        "sample_size": 16,
    },
    "LuminaNextDiT2DModel": {"hidden_size": 128, "num_attention_heads": 4, "num_kv_heads": 2, "num_layers": 2},
    "OmniGenTransformer2DModel": {
        "hidden_size": 64,
        "intermediate_size": 64,
        "num_attention_heads": 2,
        "num_key_value_heads": 2,
        "num_layers": 2,
        "rope_scaling": {"long_factor": [1.0] * 16, "short_factor": [1.0] * 16},
    },
    "StableAudioProjectionModel": {"conditioning_dim": 64, "max_value": 1, "min_value": 0, "text_encoder_dim": 64},
    "Transformer2DModel": {"in_channels": 32},
    "TransformerTemporalModel": {"in_channels": 32},
    "ZImageControlNetModel": {
        "control_in_dim": 16,
        "control_layers_places": [0, 1],
        "control_refiner_layers_places": [0],
    },
}

# A small model of each widely used kind. Its rows are whole quantization blocks.
SMALL = {
    "AuraFlowTransformer2DModel": {
        **_TWO_HEADS,
        "caption_projection_dim": 64,
        "joint_attention_dim": 64,
        "num_mmdit_layers": 1,
        "num_single_dit_layers": 1,
        "pos_embed_max_size": 64,
        "sample_size": 8,
    },
    "CogVideoXTransformer3DModel": {
        **_TWO_HEADS,
        "in_channels": 4,
        "max_text_seq_length": 8,
        "num_layers": 2,
        "out_channels": 4,
        "sample_frames": 5,
        "sample_height": 8,
        "sample_width": 8,
        "text_embed_dim": 64,
        "time_embed_dim": 64,
    },
    "FluxTransformer2DModel": {
        **_TWO_HEADS,
        "axes_dims_rope": (8, 12, 12),
        "guidance_embeds": True,
        "in_channels": 16,
        "joint_attention_dim": 64,
        "num_layers": 1,
        "num_single_layers": 1,
        "pooled_projection_dim": 64,
    },
    "LTXVideoTransformer3DModel": {
        **_TWO_HEADS,
        "caption_channels": 64,
        "cross_attention_dim": 64,
        "in_channels": 8,
        "num_layers": 2,
        "out_channels": 8,
    },
    "Lumina2Transformer2DModel": {
        "axes_dim_rope": (8, 12, 12),
        "axes_lens": (64, 32, 32),
        "cap_feat_dim": 64,
        "hidden_size": 64,
        "in_channels": 4,
        "num_attention_heads": 2,
        "num_kv_heads": 1,
        "num_layers": 2,
        "num_refiner_layers": 1,
        "sample_size": 8,
    },
    "PixArtTransformer2DModel": {
        **_TWO_HEADS,
        "caption_channels": 64,
        "cross_attention_dim": 64,
        "in_channels": 4,
        "num_layers": 2,
        "out_channels": 8,
        "sample_size": 8,
        "use_additional_conditions": False,
    },
    "QwenImageTransformer2DModel": {
        **_TWO_HEADS,
        "axes_dims_rope": (8, 12, 12),
        "in_channels": 16,
        "joint_attention_dim": 64,
        "num_layers": 2,
        "out_channels": 4,
    },
    "SD3Transformer2DModel": {
        **_TWO_HEADS,
        "caption_projection_dim": 64,
        "joint_attention_dim": 64,
        "num_layers": 2,
        "pooled_projection_dim": 64,
        "pos_embed_max_size": 16,
        "sample_size": 16,
    },
    "SanaTransformer2DModel": {
        **_TWO_HEADS,
        "caption_channels": 64,
        "cross_attention_dim": 64,
        "cross_attention_head_dim": 32,
        "in_channels": 4,
        "num_cross_attention_heads": 2,
        "num_layers": 2,
        "out_channels": 4,
        "sample_size": 8,
    },
    "UNet2DConditionModel": {
        "attention_head_dim": 8,
        "block_out_channels": (32, 64),
        "cross_attention_dim": 64,
        "down_block_types": ("CrossAttnDownBlock2D", "DownBlock2D"),
        "layers_per_block": 1,
        "norm_num_groups": 8,
        "sample_size": 8,
        "up_block_types": ("UpBlock2D", "CrossAttnUpBlock2D"),
    },
    "WanTransformer3DModel": {
        **_TWO_HEADS,
        "cross_attn_norm": True,
        "ffn_dim": 128,
        "freq_dim": 64,
        "in_channels": 4,
        "num_layers": 2,
        "out_channels": 4,
        "rope_max_seq_len": 32,
        "text_dim": 64,
    },
    "ZImageTransformer2DModel": {
        "axes_dims": [16, 24, 24],
        "axes_lens": [64, 32, 32],
        "cap_feat_dim": 64,
        "dim": 128,
        "in_channels": 4,
        "n_heads": 2,
        "n_kv_heads": 2,
        "n_layers": 2,
        "n_refiner_layers": 1,
    },
}


def all_classes():
    """Returns the names of diffusers' model classes."""
    found = {name: getattr(diffusers, name, None) for name in dir(diffusers)}
    return sorted(
        name
        for name, value in found.items()
        if inspect.isclass(value) and issubclass(value, ModelMixin) and value is not ModelMixin
    )


def without_weights(name):
    """Returns a model of that class at its default size on the meta device; None if it needs other arguments."""
    try:
        with torch.device("meta"):
            return getattr(diffusers, name)(**_ARGUMENTS.get(name, {}))
    except Exception:
        return None


def small(name):
    torch.manual_seed(0)
    model = getattr(diffusers, name)(**SMALL[name])
    return model.to(torch.bfloat16)


def clip_encoder():
    config = CLIPTextConfig(
        hidden_size=64, intermediate_size=128, num_hidden_layers=2, num_attention_heads=2, vocab_size=100
    )
    return CLIPTextModel(config).to(torch.bfloat16)


def t5_encoder():
    config = T5Config(d_model=64, d_kv=32, d_ff=128, num_layers=2, num_heads=2, vocab_size=100)
    return T5EncoderModel(config).to(torch.bfloat16)


def small_pipeline():
    """A pipeline of two text encoders (CLIP and T5), a transformer, an autoencoder and a scheduler."""
    torch.manual_seed(0)
    vae = diffusers.AutoencoderKL(
        block_out_channels=(32, 64),
        down_block_types=("DownEncoderBlock2D",) * 2,
        latent_channels=4,
        layers_per_block=1,
        norm_num_groups=8,
        scaling_factor=1.0,
        shift_factor=0.0,
        up_block_types=("UpDecoderBlock2D",) * 2,
    )
    return diffusers.FluxPipeline(
        scheduler=diffusers.FlowMatchEulerDiscreteScheduler(),
        text_encoder=clip_encoder(),
        text_encoder_2=t5_encoder(),
        tokenizer=None,
        tokenizer_2=None,
        transformer=small("FluxTransformer2DModel"),
        vae=vae.to(torch.bfloat16),
    )


@torch.no_grad()
def draw(pipeline):
    """Returns the images for prompts given as outputs of the text encoders."""
    pipeline.set_progress_bar_config(disable=True)
    ids = torch.arange(8).reshape(1, 8)
    return pipeline(
        prompt_embeds=pipeline.text_encoder_2(ids).last_hidden_state,
        pooled_prompt_embeds=pipeline.text_encoder(ids).pooler_output,
        height=16,
        width=16,
        num_inference_steps=2,
        generator=torch.Generator().manual_seed(0),
        output_type="pt",
    ).images


def allow_cpu(test):
    """Decorator: skips diffusers' check for a GPU before it loads a bitsandbytes model, which works on a CPU too."""

    def without_check(*arguments, **keywords):
        validate = BnB4BitDiffusersQuantizer.validate_environment
        BnB4BitDiffusersQuantizer.validate_environment = lambda self, *_, **__: None
        try:
            return test(*arguments, **keywords)
        finally:
            BnB4BitDiffusersQuantizer.validate_environment = validate

    return without_check


@allow_cpu
def load(class_name, path):
    """Loads a model; requires that diffusers found exactly the expected keys, and a weight for every 4-bit layer."""
    model, info = getattr(diffusers, class_name).from_pretrained(
        path, device_map={"": "cpu"}, dtype=torch.bfloat16, output_loading_info=True
    )
    assert not any(info.values()), f"{path}: {info}"
    for name, module in model.named_modules():
        if isinstance(module, Linear4bit):
            assert module.weight.quant_state is not None, f"{path}: {name} has no quant_state"
    return model.eval()
