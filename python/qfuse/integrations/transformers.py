"""Reports what transformers finds in a checkpoint, without reading its data or allocating memory for it.

Importing this module registers with transformers the experts_implementation "qfuse" (transformers_experts.py) and the
quantizers of Mxfp4Config (transformers_mxfp4.py) and CompressedTensorsConfig (transformers_compressed.py).
"""

import json
import struct
import tempfile
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import transformers

from . import transformers_experts
from .transformers_importance import importance

try:
    transformers_experts.register()
    from .transformers_compressed import CompressedTensorsConfig
    from .transformers_mxfp4 import Mxfp4Config

    __all__ = ["CompressedTensorsConfig", "Mxfp4Config", "importance"]
except ImportError as error:  # an old transformers, which can still check a checkpoint
    warnings.warn(str(error), stacklevel=2)

_BITS = {"F64": 64, "I64": 64, "F32": 32, "I32": 32, "U32": 32, "F16": 16, "BF16": 16, "I16": 16, "U16": 16}  # else 8


Problem = tuple[str, str, str]  # the fields of a checkpoint.CheckProblem


def problems(path: Path, inspect: Callable[[], Iterable[Any]]) -> list[Problem] | None:
    """Loads the decoded model's class on the meta device. Returns None if transformers has no class of that name.
    inspect: returns the tensors of the checkpoint's Inventory."""
    config = _plain(json.loads((path / "config.json").read_text("utf-8")))
    names = config.get("architectures") or [""]
    model_class = None if "auto_map" in config else getattr(transformers, names[0], None)
    if model_class is None:
        return None
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        (directory / "config.json").write_text(json.dumps(config), "utf-8")
        _write_skeleton(directory / "model.safetensors", inspect())
        verbosity = transformers.logging.get_verbosity()
        transformers.logging.set_verbosity(transformers.logging.CRITICAL)
        try:
            _, info = model_class.from_pretrained(
                directory, device_map="meta", output_loading_info=True, ignore_mismatched_sizes=True
            )
        except Exception as error:
            return [("refused", "", f"transformers refuses it: {error}")]
        finally:
            transformers.logging.set_verbosity(verbosity)
    return _found(info)


def _plain(config: dict[str, Any]) -> dict[str, Any]:
    """Removes the quantization config at every level, because the decoded model is checked."""
    parts = {key: _plain(value) if isinstance(value, dict) else value for key, value in config.items()}
    return {key: value for key, value in parts.items() if key != "quantization_config"}


def _write_skeleton(file: Path, tensors: Iterable[Any]) -> None:
    """Writes a sparse file with the decoded tensors' names and shapes, without values."""
    header: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    end = 0
    for tensor in tensors:
        size = _BITS.get(tensor.dtype, 8) // 8
        for dimension in tensor.shape:
            size *= dimension
        header[tensor.name] = {"dtype": tensor.dtype, "shape": tensor.shape, "data_offsets": [end, end + size]}
        end += size
    text = json.dumps(header).encode()
    with file.open("wb") as out:
        out.write(struct.pack("<Q", len(text)) + text)
        out.truncate(8 + len(text) + end)


def _found(info: dict[str, Any]) -> list[Problem]:
    return [
        *(("missing", name, "is in no file, so that its values are random") for name in sorted(info["missing_keys"])),
        *(
            ("mismatched", name, f"is {list(there)}, and {list(wanted)} by config.json")
            for name, there, wanted in sorted(info["mismatched_keys"])
        ),
        *(
            ("unexpected", name, "the class has no such tensor, so that it is lost")
            for name in sorted(info["unexpected_keys"])
        ),
        *(("refused", "", message) for message in info["error_msgs"]),
    ]
