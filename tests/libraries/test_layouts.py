"""4-bit checkpoints in the layouts of other libraries, dequantized, against the plain model in memory.

Those that transformers and bitsandbytes save themselves are swept over all families (QFUSE_TEST_ALL=OFF: over those of
QUICK), in 4 bits, of a kind that changes from family to family, and as LLM.int8. The output must load as the plain
class without a missing, unexpected or mismatched key, have every tensor that transformers' own dequantize() gives in
memory, and compute the same. QFUSE_LAYOUTS=FILE also writes the results as JSON.
"""

import collections
import json
import os
import shutil
from pathlib import Path

import torch
import transformers
from bitsandbytes.nn import Linear8bitLt
from families import all_families, make
from layouts import LAYOUTS, packed
from libraries import ALL, Judged, main
from models import VARIANTS, decoded, load, quantize_by_transformers, same_bits
from safetensors.torch import load_file, save_file
from test_families import BLOCKSIZE, Failed, load_model, qfuse, sweep_in_child
from transformers import BitsAndBytesConfig
from transformers.pytorch_utils import Conv1D

QUICK = ["gpt2", "qwen3_moe", "vit"]

# Tolerance for fp32 outputs, relative to the largest.
CLOSE = 1e-5


def output_of(model):
    """Returns a model's output for a few tokens or a picture; None if it needs other inputs."""
    ids = torch.arange(3, 19).reshape(1, 16)
    config = getattr(model.config, "vision_config", model.config)
    size, channels = getattr(config, "image_size", 32), getattr(config, "num_channels", 3)
    text = {"input_ids": ids, "attention_mask": torch.ones_like(ids)}
    inputs = [text, text | {"decoder_input_ids": ids}]
    if isinstance(size, int):
        pixels = torch.linspace(-1, 1, channels * size * size).reshape(1, channels, size, size)
        inputs += [{"pixel_values": pixels}, text | {"pixel_values": pixels}]
    for given in inputs:
        torch.manual_seed(1)
        try:
            with torch.no_grad():
                found = model(**given).to_tuple()
        except Exception:  # needs other inputs
            continue
        return next((one.float() for one in found if torch.is_tensor(one) and one.is_floating_point()), None)
    return None


def require_close(found, expected):
    distance = (found - expected).abs().max().item()
    if not distance <= CLOSE * expected.abs().max().item():
        raise Failed(f"outputs differ by {distance:.3g}")


def require_same_state(plain, expected, odd):
    """Requires equal tensors except for `odd`. transformers' dequantize() replaces Conv1D by a linear layer."""
    found, expected = plain.state_dict(), expected.state_dict()
    if found.keys() != expected.keys():
        raise Failed(f"other tensors: {sorted(found.keys() ^ expected.keys())[:4]}")
    for name, module in plain.named_modules():
        if isinstance(module, Conv1D):
            found[f"{name}.weight"] = found[f"{name}.weight"].T
    for name, tensor in expected.items():
        if found[name].shape != tensor.shape:
            raise Failed(f"{name}: {tuple(found[name].shape)} for {tuple(tensor.shape)}")
        if name not in odd and not torch.equal(found[name].nan_to_num(), tensor.nan_to_num()):
            raise Failed(f"{name} has other values, by {(found[name] - tensor).abs().max().item():.3g}")


class Sweep:
    def __init__(self, family, class_name, directory):
        self.directory = directory
        self.model_class = getattr(transformers, class_name)
        make(class_name, directory / "plain")
        kinds = list(VARIANTS)
        self.kind = kinds[list(all_families()).index(family) % len(kinds)]

    def run(self):
        answers = {"kind": self.kind}
        for name, quantized in (("4 bits", self.quantized_4bit), ("int8", self.quantized_int8)):
            try:
                answers[name] = self.judge(quantized, self.directory / name)
            except Exception as error:
                answers[name] = f"no: {error}"
        return answers

    def quantized_4bit(self):
        model = quantize_by_transformers(
            self.model_class, self.directory / "plain", *VARIANTS[self.kind][1], torch.float32
        )
        return model, set(decoded(model))

    def quantized_int8(self):
        config = BitsAndBytesConfig(load_in_8bit=True)
        model = load(self.model_class, self.directory / "plain", dtype=torch.float32, quantization_config=config)
        return model, {f"{name}.weight" for name, module in model.named_modules() if isinstance(module, Linear8bitLt)}

    def judge(self, quantized, path):
        try:
            model, layers = quantized()
        except Exception:
            return "- transformers cannot quantize it"
        if not layers:
            return "- nothing is quantized"
        try:
            model.save_pretrained(path)
        except Exception as error:
            return f"- transformers cannot save it: {type(error).__name__}"
        try:
            qfuse("dequantize", path, "-o", self.directory / "out", "--force")
        except Failed as failure:
            return f"refused: {str(failure).replace(str(self.directory), '')}"
        plain = load_model(self.model_class, self.directory / "out", torch.float32)
        try:
            expected = model.dequantize(dtype=torch.float32)
        except Exception:
            return "- transformers cannot dequantize it"
        odd = set()  # rows are not whole blocks, which bitsandbytes decodes wrongly on some CPUs
        if quantized == self.quantized_4bit:
            odd = {name for name in layers if expected.get_parameter(name).shape[-1] % BLOCKSIZE != 0}
        require_same_state(plain, expected, odd)
        output = None if odd else output_of(expected.eval())
        if output is None or not torch.isfinite(output).all():
            return "right: tensors"
        found = output_of(plain)
        if found is None:
            raise Failed("the plain model does not run")
        require_close(found, output)
        return "right: tensors and outputs"


def sweep(family, class_name, directory):
    """Returns None if transformers cannot build such a model."""
    try:
        model = Sweep(family, class_name, directory)
    except Exception:
        return None
    return model.run()


class Layouts(Judged):
    def test_what_transformers_saves(self):
        classes = all_families()
        chosen = os.environ.get("QFUSE_FAMILIES_ONLY", "").split() or (list(classes) if ALL else QUICK)
        results = {}
        for family, found in sweep_in_child(chosen, classes, self.directory, sweep):
            with self.subTest(family):
                if found is None:
                    self.assertNotIn(family, QUICK, "transformers cannot build or run it any more")
                    continue
                results[family] = found
                if path := os.environ.get("QFUSE_LAYOUTS"):
                    Path(path).write_text(json.dumps(results, indent=1))
                self.assertEqual([answer for answer in found.values() if answer.startswith("no:")], [])
                if family in QUICK:
                    self.assertEqual(found["4 bits"], "right: tensors and outputs")
        for name in ("4 bits", "int8"):
            counts = collections.Counter(found[name].partition(": /")[0] for found in results.values())
            print(f"\n{name}: {dict(counts)}")

    def test_what_loaders_of_4_bit_models_save(self):
        """The plain model's tensors have every bit that bitsandbytes decodes, and the model computes the same."""
        for name, (class_name, lay_out, is_joined) in LAYOUTS.items():
            if not ALL and lay_out is packed:
                continue
            with self.subTest(name):
                model_class = getattr(transformers, class_name)
                plain, four_bit = self.directory / "plain", self.directory / "four_bit"
                for path in (plain, four_bit):
                    shutil.rmtree(path, ignore_errors=True)
                make(class_name, plain)
                if is_joined:
                    load(model_class, plain).save_pretrained(plain, save_original_format=False)
                shutil.copytree(plain, four_bit)
                tensors, expected = {}, {}
                for key, weight in load_file(plain / "model.safetensors").items():
                    expected[key] = lay_out(key, weight, tensors)
                self.assertGreater(len(tensors), len(expected))
                save_file(tensors, four_bit / "model.safetensors", {"format": "pt"})
                save_file(expected, plain / "model.safetensors", {"format": "pt"})
                back = self.convert("dequantize", four_bit, to="back")
                found = load_file(back / "model.safetensors")
                self.assertEqual(found.keys(), expected.keys())
                for key, weight in expected.items():
                    self.assertTrue(same_bits(found[key], weight), key)
                require_close(output_of(load(model_class, back)), output_of(load(model_class, plain)))


if __name__ == "__main__":
    main()
