"""Stacked experts in 4 bits: qfuse writes the tensors that bitsandbytes itself saves, bitsandbytes reads them, and
transformers refuses them."""

import copy
import json
from collections import Counter

import torch
import transformers
from bitsandbytes.functional import QuantState, dequantize_4bit
from bitsandbytes.nn.parametrize import replace_parameter_4bit, replace_parameter_4bit_prequantized
from families import make
from libraries import Judged, main, run_qfuse
from models import VARIANTS, load, same_bits
from safetensors.torch import load_file
from torch.nn import Parameter

# Class, fields of its config, and whether its files stack the experts only with `save_original_format=False`.
MODELS = {
    "gpt-oss": ("GptOssForCausalLM", {}, False),
    "Gemma 4": (
        "Gemma4ForCausalLM",
        {"enable_moe_block": True, "num_experts": 4, "top_k_experts": 2, "moe_intermediate_size": 64},
        False,
    ),
    "Qwen3 MoE": ("Qwen3MoeForCausalLM", {}, True),
}
STACKS = 4  # per model, in two layers
IDS = torch.arange(3, 67).reshape(2, 32)


@torch.no_grad()
def logits(model):
    return model(IDS).logits


def parts_of(tensors, name):
    """Returns a weight's tensors by the ends of their names; "" is for its codes."""
    return {
        key.removeprefix(name): tensor for key, tensor in tensors.items() if key == name or key.startswith(name + ".")
    }


def state_of(parts):
    return json.loads(bytes(next(part for key, part in parts.items() if ".quant_state." in key).tolist()))


class Stacks(Judged):
    def plain(self, name):
        class_name, fields, is_joined = MODELS[name]
        path = self.directory / class_name
        if not path.exists():
            make(class_name, path, **fields)
            if is_joined:
                load(getattr(transformers, class_name), path).save_pretrained(path, save_original_format=False)
        return getattr(transformers, class_name), path

    def stacks_of(self, model):
        """Maps the name of each stack to its module and parameter."""
        found = {}
        for holder, module in model.named_modules():
            for one, parameter in module.named_parameters(recurse=False):
                if parameter.ndim == 3:
                    found[f"{holder}.{one}"] = (module, one)
        self.assertEqual(len(found), STACKS)
        return found

    def test_are_what_bitsandbytes_saves(self):
        """Compares with replace_parameter_4bit, which on the CPU rounds FP4 and 8-bit codes of absmax differently."""
        for name in MODELS:
            model_class, path = self.plain(name)
            for variant, (options, (quant_type, nested)) in VARIANTS.items():
                with self.subTest(name, variant=variant):
                    ours = load_file(
                        self.convert("quantize", path, "--experts", *options, to="quantized") / "model.safetensors"
                    )
                    model = load(model_class, path)
                    stacks = self.stacks_of(model)
                    for module, parameter in stacks.values():
                        replace_parameter_4bit(module, parameter, nested, quant_type, 64)
                    theirs = model.state_dict()
                    for key in stacks:
                        self.require_same_parts(parts_of(ours, key), parts_of(theirs, key))

    def require_same_parts(self, ours, theirs):
        self.assertEqual(ours.keys(), theirs.keys())
        self.assertEqual(state_of(ours)["shape"], state_of(theirs)["shape"])
        self.assertEqual(len(state_of(ours)["shape"]), 3)
        differing = {".absmax", ".nested_absmax"} if ".nested_absmax" in theirs else set()
        if state_of(ours)["quant_type"] == "fp4":
            differing.add("")
        for key, part in theirs.items():
            self.assertEqual((ours[key].shape, ours[key].dtype), (part.shape, part.dtype), key)
            if key not in differing and ".quant_state." not in key:
                self.assertTrue(same_bits(ours[key], part), key)
        if ".nested_absmax" not in theirs:
            self.assertEqual(state_of(ours), state_of(theirs))
            return
        apart = (ours[".absmax"].int() - theirs[".absmax"].int()).abs()
        self.assertLessEqual(apart.max(), 1)
        self.assertLess(apart.float().mean(), 0.02)
        self.assertTrue(torch.allclose(ours[".nested_absmax"], theirs[".nested_absmax"], rtol=1e-5, atol=0))
        self.assertAlmostEqual(state_of(ours)["nested_offset"], state_of(theirs)["nested_offset"], delta=1e-7)

    def test_are_decoded_as_bitsandbytes_decodes_them(self):
        """dequantize and bitsandbytes decode to the same bits, and the model computes the same with either."""
        for name in MODELS:
            with self.subTest(name):
                model_class, path = self.plain(name)
                # Uses NF4, because FP4's code 8 may be +0 on a CPU.
                quantized = self.convert("quantize", path, "--experts", to="quantized")
                back = self.convert("dequantize", quantized, to="back")
                ours, tensors = load_file(back / "model.safetensors"), load_file(quantized / "model.safetensors")
                plain = load(model_class, back)
                model = copy.deepcopy(plain)
                for key, (module, parameter) in self.stacks_of(model).items():
                    parts = parts_of(tensors, key)
                    codes = parts.pop("")
                    state = {f"{parameter}{end}": part for end, part in parts.items()}
                    decoded = dequantize_4bit(codes, QuantState.from_dict(dict(state), torch.device("cpu")))
                    self.assertTrue(same_bits(ours[key], decoded), key)
                    setattr(module, parameter, Parameter(codes, requires_grad=False))
                    replace_parameter_4bit_prequantized(module, parameter, state, torch.device("cpu"))
                    self.assertTrue(same_bits(getattr(module, parameter), decoded), key)
                self.assertTrue(torch.isfinite(logits(plain)).all())
                self.assertTrue(torch.equal(logits(model), logits(plain)))

    def test_are_refused_by_transformers(self):
        """The error is clear, because packed codes have another shape than the parameter."""
        for name in MODELS:
            with self.subTest(name):
                model_class, path = self.plain(name)
                quantized = self.convert("quantize", path, "--experts", to="quantized")
                with self.assertRaisesRegex(RuntimeError, "ignore_mismatched_sizes"):
                    load(model_class, quantized)
                report = json.loads(run_qfuse("check", quantized, "--json", code=1))
                self.assertEqual(Counter(one["kind"] for one in report["problems"])["quantization"], 1)

    def test_stay_as_they_are_by_default(self):
        """transformers loads the model, like one that it quantized itself."""
        for name in MODELS:
            with self.subTest(name):
                model_class, path = self.plain(name)
                model = load(model_class, self.convert("quantize", path, to="quantized"))
                plain = load_file(path / "model.safetensors")
                for key, (module, parameter) in self.stacks_of(model).items():
                    self.assertTrue(same_bits(getattr(module, parameter).data, plain[key]), key)


if __name__ == "__main__":
    main()
