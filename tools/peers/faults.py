#!/usr/bin/env python3
"""tools/peers/faults.py: shows faults of other libraries on a CPU, each one's result beside the right one.

    $(tools/install_judges --where)/bin/python tools/peers/faults.py            all; ctest's `libraries` runs them, too
    ... -k axolotl_clips                                                        one
    ... --fetch         downloads the wheels of WHEELS to build/peers/wheels, without which their tests are skipped

docs/UPSTREAM.md lists the same faults by the tests' names. A test fails as soon as its library has mended the fault or
has changed the wrong result: then the page is no longer true."""

import ast
import math
import os
import subprocess
import sys
import types
import unittest
import zipfile
from contextlib import nullcontext
from importlib.metadata import version
from pathlib import Path
from unittest import mock

os.environ["HF_HUB_OFFLINE"] = "1"

import bitsandbytes as bnb
import peft
import torch
from transformers import FineGrainedFP8Config
from transformers.integrations.finegrained_fp8 import Fp8Dequantize, Fp8Quantize

ROOT = Path(__file__).resolve().parents[2]
PAGE, PLACE = ROOT / "docs" / "UPSTREAM.md", ROOT / "build" / "peers" / "wheels"
# Not judges: their functions are read out of the wheels, without what these packages import. 3.3 MB.
WHEELS = {"axolotl": "0.21.0", "compressed-tensors": "0.20.0", "liger-kernel": "0.8.5"}
E4M3, NF4 = torch.float8_e4m3fn, "nf4"


def fetch():
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
    wheels = [f"{name}=={number}" for name, number in WHEELS.items()]  # axolotl's asks for Python 3.12
    subprocess.run([*pip, "--python-version=3.12", "--only-binary=:all:", "--dest", PLACE, *wheels], check=True)


def assigned(node):
    return [ast.unparse(target) for target in getattr(node, "targets", ())]


def taken(package, file, *names, **more):
    """Executes the functions and constants `names` of a file in a wheel, alone. `more` are names that they read."""
    path = PLACE / f"{package.replace('-', '_')}-{WHEELS[package]}-py3-none-any.whl"
    if not path.exists():
        raise unittest.SkipTest(f"NOT TESTED: no {path.name}; `tools/peers/faults.py --fetch` downloads it")
    with zipfile.ZipFile(path) as wheel:
        tree = ast.parse(wheel.read(file))
    named = {
        getattr(node, "name", None) or ast.unparse(getattr(node, "targets", [node])[0]): node for node in tree.body
    }
    tree.body = [named[name] for name in names]
    found = {"torch": torch, **more}
    exec(compile(tree, file, "exec"), found)
    return found


def every_code(shape):
    """Returns all codes of E4M3 except NaN, repeated."""
    codes = torch.arange(256, dtype=torch.uint8)
    codes = codes[(codes & 0x7F) != 0x7F]
    return codes.repeat(-(-math.prod(shape) // len(codes)))[: math.prod(shape)].reshape(shape).view(E4M3)


class Model(torch.nn.Module):
    """One layer in NF4, which peft takes for a layer of a quantized model."""

    is_loaded_in_4bit = True

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.up = bnb.nn.Linear4bit(128, 64, False, torch.bfloat16, compress_statistics=False, quant_type=NF4)
        self.to(torch.bfloat16).train().to("cpu")  # in eval mode, a CPU with AVX512-BF16 repacks codes

    def forward(self, x):
        return self.up(x)

    def decoded(self):
        return bnb.functional.dequantize_4bit(self.up.weight, self.up.weight.quant_state)

    def repack(self):
        """What the first forward pass in eval mode does on a CPU with AVX512-BF16."""
        state = self.up.weight.quant_state
        self.up.weight.data, _ = bnb.functional._convert_weight_packed_for_cpu(self.up.weight.data, state)


class Faults(unittest.TestCase):
    def fault(self, package, found, wrong, right):
        """`package` gives `found` where `right` is right. The page says that it gives `wrong`."""
        name = f"{package} {WHEELS.get(package) or version(package)}"
        print(f"{name}: {found}; right: {right}")
        said = f"the row `{self._testMethodName.removeprefix('test_')}` of docs/UPSTREAM.md"
        self.assertNotEqual(found, right, f"Good news: {name} has mended this. Take away this test and {said}.")
        self.assertEqual(found, wrong, f"{name} gives another wrong result than before: see whether {said} is true.")

    def test_the_page(self):
        """Each test has its row in the page, and each row its test."""
        named = [line.split("`")[1] for line in PAGE.read_text("utf-8").splitlines() if line.startswith("| `")]
        tests = [name.removeprefix("test_") for name in vars(Faults) if name.startswith("test_")]
        self.assertEqual(sorted(named), sorted(set(tests) - {"the_page"}))

    def test_transformers_derives_blocks(self):
        """Blocks of 128 x 128, 130 rows: the second row of scales is for the last two rows."""
        codes, scales = every_code((130, 64)), torch.tensor([[0.5], [0.25]])
        found = Fp8Dequantize(None)._dequantize_one(codes, scales, torch.float32)
        right = codes.float() * scales.repeat_interleave(128, 0)[:130]
        wrong = (found != right).sum().item()
        self.fault("transformers", f"{wrong} of 8320 wrong", "4000 of 8320 wrong", "0 of 8320 wrong")

    def test_transformers_refuses_deepseek(self):
        codes, scales = every_code((576, 7168)), torch.ones(5, 56)
        right = "torch.Size([576, 7168])"
        try:
            found = str(Fp8Dequantize(None)._dequantize_one(codes, scales, torch.bfloat16).shape)
        except ValueError as error:
            found = str(error)
        self.fault("transformers", found, "Weight shape (576, 7168) not divisible by scale grid (5, 56).", right)

    def test_transformers_writes_nan(self):
        """448 / 1e-37 is infinite, and so is a weight's product with it; 0 times infinity is NaN."""
        config = FineGrainedFP8Config(weight_block_size=(128, 128))
        weight = torch.full((128, 128), 1e-37).fill_diagonal_(0)
        codes = Fp8Quantize(types.SimpleNamespace(quantization_config=config))._quantize_one("weight", weight)["weight"]
        self.fault("transformers", f"{codes.float().isnan().sum()} NaN", "128 NaN", "0 NaN")

    def test_transformers_decodes_255(self):
        """The byte 255 of an E8M0 scale is NaN in the OCP specification of MX formats. The code 2 is 1."""
        codes, scales = torch.full((1, 16), 0x22, dtype=torch.int8), torch.full((1, 1), 255, dtype=torch.uint8)
        found = Fp8Dequantize(None)._dequantize_one(codes, scales, torch.float32)[0, 0].item()
        self.fault("transformers", str(found), "inf", "nan")

    def test_compressed_tensors_decodes_255(self):
        function = taken("compressed-tensors", "compressed_tensors/compressors/mx_utils.py", "decompress_mx_scale")
        found = function["decompress_mx_scale"](torch.tensor([255], dtype=torch.uint8)).item()
        self.fault("compressed-tensors", str(found), "inf", "nan")

    def test_axolotl_clips(self):
        """floor(log2(amax / 6)) leaves weights of 6 to 12 steps, and 6 is the largest code. By the OCP specification,
        the exponent is floor(log2(amax)) - 2."""
        lut, quantize = "_FP4_E2M1_LUT", "_quant_mxfp4"
        function = taken("axolotl", "axolotl/cli/utils/lora_merge.py", lut, "_MX_BLOCK", quantize)

        table = torch.tensor(function[lut])
        torch.manual_seed(0)
        weight = torch.randn(256, 256)
        weight[0, :32] = torch.linspace(0, 11, 32)
        codes, exponents = function[quantize](weight)
        codes = torch.stack([codes & 15, codes >> 4], -1).flatten(-2).long()
        theirs = table[codes] * (exponents.float() - 127).exp2().repeat_interleave(32, -1)
        steps = (weight.unflatten(-1, (-1, 32)).abs().amax(-1).log2().floor() - 2).exp2().repeat_interleave(32, -1)
        nearest = table[((weight / steps).unsqueeze(-1) - table).abs().argmin(-1)] * steps
        found, right = (
            f"11 becomes {values[0, 31]:g}, rms error {(values - weight)[1:].square().mean().sqrt():.2f}"
            for values in (theirs, nearest)
        )
        self.fault("axolotl", found, "11 becomes 6, rms error 0.20", right)

    def test_axolotl_refuses_deepseek(self):
        name = "_dequant_block_fp8"
        function = taken("axolotl", "axolotl/cli/utils/lora_merge.py", name)
        right = "torch.Size([576, 7168])"
        try:
            found = str(function[name](every_code((576, 7168)), torch.ones(5, 56), "cpu").shape)
        except ValueError as error:
            found = str(error).partition(" is not aligned")[0]
        self.fault("axolotl", found, "block-fp8 weight (576, 7168)", right)

    def test_trl_pushes_codes(self):
        """vLLM is to have W + BA of each layer, in 16 bits."""
        from trl.generation.vllm_generation import VLLMGeneration

        generation = VLLMGeneration.__new__(VLLMGeneration)  # its constructor needs vLLM
        lora = peft.LoraConfig(target_modules=["up"], r=4, init_lora_weights=False)
        generation.model = peft.get_peft_model(Model(), lora)
        generation._dist = types.SimpleNamespace(gather_params=lambda parameters: nullcontext(), is_fsdp=False)
        ((_, pushed),) = generation._iter_named_params()
        found = f"{pushed.dtype} {list(pushed.shape)}"
        self.fault("trl", found, "torch.uint8 [4096, 1]", "torch.bfloat16 [64, 128]")

    def test_bitsandbytes_synchronizes(self):
        """The step of an optimizer that is not paged needs no synchronization."""
        parameters = [torch.nn.Parameter(torch.zeros(64, 128)) for _ in range(3)]
        for parameter in parameters:
            parameter.grad = torch.ones_like(parameter)
        with mock.patch("bitsandbytes.optim.optimizer.sync_gpu") as synchronize:
            bnb.optim.AdamW8bit(parameters).step()
        found = f"{synchronize.call_count} synchronizations for 3 parameters"
        self.fault("bitsandbytes", found, "3 synchronizations for 3 parameters", "0 synchronizations for 3 parameters")

    def test_bitsandbytes_decodes_repacked(self):
        model = Model()
        right = model.decoded()
        model.repack()
        differ = (model.decoded() != right).float().mean() > 0.9
        self.fault("bitsandbytes", "most values wrong" if differ else "all right", "most values wrong", "all right")

    def test_bitsandbytes_saves_repacked(self):
        """state_dict() brings the codes back, but not absmax."""
        model = Model()
        model.repack()
        absmax = model.state_dict()["up.weight.absmax"]
        found = f"absmax: {absmax.dtype} {list(absmax.shape)}"
        self.fault("bitsandbytes", found, "absmax: torch.bfloat16 [2, 64]", "absmax: torch.float32 [128]")

    @unittest.skipUnless(bnb.functional.has_avx512bf16(), "NOT TESTED: this CPU has no AVX512-BF16")
    def test_bitsandbytes_has_no_gradient(self):
        model, x = Model(), torch.ones(3, 128, dtype=torch.bfloat16, requires_grad=True)
        model.repack()
        right = "a gradient, or an error"
        try:
            model(x).float().sum().backward()
            found = "no gradient" if x.grad is None else right
        except RuntimeError:
            found = right
        self.fault("bitsandbytes", found, "no gradient", right)

    @unittest.skipUnless(bnb.functional.has_avx512bf16(), "NOT TESTED: this CPU has no AVX512-BF16")
    def test_bitsandbytes_breaks_dora(self):
        """peft's DoRA decodes W for its norms after the base layer has repacked it."""
        dora = peft.LoraConfig(target_modules=["up"], r=4, use_dora=True, init_lora_weights=False)
        model, x = peft.get_peft_model(Model(), dora), torch.randn(16, 128, dtype=torch.bfloat16)
        with torch.no_grad():
            right = model.train()(x).float()
            distance = (model.eval()(x).float() - right).norm() / right.norm()
        found = "eval() moves the output" if distance > 0.02 else "eval() and train() agree"  # roundings: 0.005
        self.fault("bitsandbytes", found, "eval() moves the output", "eval() and train() agree")

    @unittest.skipUnless(torch.backends.cpu.get_cpu_capability() == "AVX512", "NOT TESTED: this CPU has no AVX-512")
    def test_bitsandbytes_decodes_rows(self):
        """32 values a row in blocks of 64."""
        torch.manual_seed(0)
        packed, state = bnb.functional.quantize_4bit(torch.randn(64, 32), blocksize=64, quant_type=NF4)
        codes = torch.stack([packed.view(-1) >> 4, packed.view(-1) & 15], 1).view(-1).long()
        right = (bnb.functional.get_4bit_type(NF4, "cpu")[codes] * state.absmax.repeat_interleave(64)).view(64, 32)
        differ = (bnb.functional.dequantize_4bit(packed, state) != right).float().mean() > 0.5
        self.fault("bitsandbytes", "most values wrong" if differ else "all right", "most values wrong", "all right")

    def test_peft_merges_pvera(self):
        """PVeRA has no class for 4-bit layers: a merge puts float32 where the codes were, and the layer is broken."""
        model = peft.get_peft_model(Model(), peft.PveraConfig(target_modules=["up"], r=4)).train()
        try:
            model.merge_adapter()
            found = str(model.base_model.model.up.base_layer.weight.dtype)
        except (NotImplementedError, TypeError, ValueError):
            found = "torch.uint8"  # a refusal leaves the codes
        self.fault("peft", found, "torch.float32", "torch.uint8")

    def test_liger_synchronizes(self):
        """The number of targets that count is read to the host, so no CUDA graph can hold the loss."""
        name, file = "fused_linear_cross_entropy_forward", "liger_kernel/ops/fused_linear_cross_entropy.py"
        triton = types.SimpleNamespace(
            cdiv=lambda a, b: -(-a // b), next_power_of_2=lambda n: 1 << (n - 1).bit_length()
        )
        function = taken("liger-kernel", file, "_CHUNK_MEM_CONST", name, triton=triton)[name]
        x, head, target = torch.ones(4, 8), torch.ones(16, 8), torch.zeros(4, dtype=torch.long)
        with mock.patch.object(torch.Tensor, "item", side_effect=InterruptedError):  # on a GPU, item() waits for it
            try:
                function(x, head, target)
            except InterruptedError:
                found = "item()"
            except NameError:  # what follows needs kernels, which are not taken
                found = "no item()"
        self.fault("liger-kernel", found, "item()", "no item()")


if __name__ == "__main__":
    if sys.argv[1:] == ["--fetch"]:
        fetch()
    else:
        options = sys.argv[1:] if sys.argv[1:2] == ["-k"] else []  # tests/libraries gives others to its tests
        unittest.main(argv=[sys.argv[0], *options], verbosity=2)
