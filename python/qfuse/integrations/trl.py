"""trl on qfuse: pushes merged 16-bit weights from a quantized model to vLLM, in GRPO and trl's other online trainers.

trl merges adapters into the model, pushes every parameter and takes the adapters out again. A model in 4 bits then
quantizes each sum again, and its packed bytes are pushed as if they were weights. In 16 bits, each push
leaves a rounding behind in the weights. With enable(), what trl pushes for a model that is quantized or has adapters is
qfuse.merged_weights(model), in the modes "server" and "colocate", and the model does not change. Models of neither kind
stay trl's own affair, and so do those that are not quantized and that merged_weights() refuses.

vLLM must hold the model in 16 bits. In the mode "colocate", trl would ask it for bitsandbytes' quantization; with
enable() called before the trainer is made, it loads what model.name_or_path says as it is. In the mode "server", start
the server with the 16-bit checkpoint.
"""

import contextlib
import sys
from collections.abc import Iterator
from typing import Any

from torch import Tensor

from ..patching.patch import Patch, Patches, Report
from .merged import is_quantized, merged_weights

__all__ = ["disable", "enable", "enabled", "report"]

_MODULE = "trl.generation.vllm_generation"
_IS_AVAILABLE = "is_bitsandbytes_available"  # asked by trl before it looks for quantized layers


def _iter_named_params(self: Any) -> Iterator[tuple[str, Tensor]] | None:
    if not is_quantized(self.model):
        return _merged_or_none(self.model) if hasattr(self.model, "peft_config") else None
    engine = getattr(getattr(self, "llm", None), "llm_engine", None)
    method = getattr(getattr(engine, "model_config", None), "quantization", None)
    if method is not None:
        raise ValueError(
            f"vLLM holds the model in {method}, and what is pushed has 16 bits: call qfuse.integrations.trl.enable() "
            "before the trainer is made"
        )
    return _checked(self.model, merged_weights(self.model))


def _merged_or_none(model: Any) -> Iterator[tuple[str, Tensor]] | None:
    try:
        weights = merged_weights(model)
    except ValueError:  # of a model in 16 bits, trl's own way is not wrong
        return None
    return _checked(model, weights)


def _checked(model: Any, weights: Iterator[tuple[str, Tensor]]) -> Iterator[tuple[str, Tensor]]:
    """Refuses an output head that an adapter has untied: vLLM, by the config, uses the embedding instead."""
    tied = _tied_names(model)
    for name, tensor in weights:
        if name in tied:
            raise ValueError(
                f"{name}: is tied to the embedding by config.json, and adapters change the two differently, which vLLM "
                "would not see: train without an adapter on either, or on a base with tie_word_embeddings=false"
            )
        yield name, tensor


def _tied_names(model: Any) -> set[str]:
    base = model.get_base_model() if hasattr(model, "get_base_model") else model
    is_tied = getattr(base.config.get_text_config(), "tie_word_embeddings", False)
    return {*getattr(base, "all_tied_weights_keys", {})} if is_tied else set()


def _init_vllm(self: Any) -> bool | None:
    """Calls the original without letting it find quantized layers; returns True, because it has been called."""
    if self.mode != "colocate" or not is_quantized(self.model):
        return None
    _require_16_bits(self.model)
    module = sys.modules[_MODULE]
    found = getattr(module, _IS_AVAILABLE)
    setattr(module, _IS_AVAILABLE, lambda: False)
    try:
        module.VLLMGeneration._init_vllm.__wrapped__(self)
    finally:
        setattr(module, _IS_AVAILABLE, found)
    return True


def _require_16_bits(model: Any) -> None:
    """Refuses a checkpoint that vLLM would load quantized, because its own config.json says so."""
    from transformers import PreTrainedConfig

    path = model.name_or_path
    method = None
    with contextlib.suppress(OSError, ValueError):  # not there: vLLM will say so
        method = (PreTrainedConfig.get_config_dict(path)[0].get("quantization_config") or {}).get("quant_method")
    if method is not None:
        raise ValueError(
            f"{path}: vLLM would load it quantized ({method}), and what is pushed has 16 bits: `qfuse dequantize "
            f"{path} -o DIR`, and set the name_or_path of the model to DIR before the trainer is made"
        )


_patches = Patches(
    Patch(_MODULE, "VLLMGeneration._iter_named_params", _iter_named_params),
    Patch(_MODULE, "VLLMGeneration._init_vllm", _init_vllm),
    library="trl",
)


def enable() -> Report:
    """Replaces what trl pushes for quantized models until disable(); call it before the trainer is made. Raises
    ImportError for a trl before 1.15."""
    return _patches.enable(stacklevel=3)


disable, enabled, report = _patches.disable, _patches.enabled, _patches.report
