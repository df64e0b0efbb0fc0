"""diffusers loads models and whole pipelines that qfuse quantized, dequantized or merged."""

import json
import shutil

import diffusers
import merging_lora_files
import models
import torch
from bitsandbytes.nn import Linear4bit
from diffusers.quantizers.bitsandbytes.utils import replace_with_bnb_linear
from diffusion import SMALL, all_classes, draw, load, small, small_pipeline, without_weights
from libraries import ALL, Judged, main, run_qfuse
from models import decoded, same_bits
from safetensors import safe_open
from safetensors.torch import save_file
from transformers import CLIPTextModel, T5EncoderModel

# Classes whose layers QFUSE_TEST_ALL=OFF checks besides those of SMALL, because they once did not load.
QUICK = ["AceStepAudioTokenizer", "Cosmos3OmniTransformer", "Kandinsky5Transformer3DModel", "T5FilmDecoder"]

# Classes whose linear layers stay in fp32, or look like heads.
NOTHING_TO_QUANTIZE = {"AutoencoderKLMiniMaxH3Audio", "Ideogram4PromptEnhancerHead", "StableAudioProjectionModel"}

# On some CPUs bitsandbytes wrongly decodes matrices whose rows are not whole blocks, so only others are compared.
BLOCKSIZE = 64


def linear_layers(model, kind=torch.nn.Linear):
    return {name for name, module in model.named_modules() if isinstance(module, kind)}


def four_bit_weights(path):
    with safe_open(path / "diffusion_pytorch_model.safetensors", "pt") as file:
        return {name.partition(".weight.quant_state.")[0] for name in file.keys() if ".quant_state." in name}


class Layers(Judged):
    """Names alone decide which layers are quantized, so a model of the real size needs no real weights."""

    def quantized(self, name, model):
        """Returns what qfuse makes of a model with the names of `model` and few elements."""
        plain = self.directory / name
        plain.mkdir()
        tensors = {
            key: torch.ones([min(size, 64) for size in value.shape], dtype=torch.bfloat16)
            for key, value in model.state_dict().items()
        }
        save_file(tensors, plain / "diffusion_pytorch_model.safetensors")
        (plain / "config.json").write_text(json.dumps({"_class_name": name}))
        out = self.convert("quantize", plain, to="quantized")
        shutil.rmtree(plain)
        return out

    def test_diffusers_expects_those_that_are_quantized(self):
        chosen = all_classes() if ALL else [*QUICK, *SMALL]
        checked = []
        for name in chosen:
            model = without_weights(name)
            if model is None or not linear_layers(model) or name in NOTHING_TO_QUANTIZE:
                self.assertNotIn(name, [*QUICK, *SMALL])
                continue
            with self.subTest(name):
                out = self.quantized(name, model)
                stated = json.loads((out / "config.json").read_text())["quantization_config"]
                config = diffusers.BitsAndBytesConfig.from_dict(stated)
                plain = [*(config.llm_int8_skip_modules or []), *(model._keep_in_fp32_modules or [])]
                with torch.device("meta"):
                    replace_with_bnb_linear(model, modules_to_not_convert=plain, quantization_config=config)
                self.assertEqual(four_bit_weights(out), linear_layers(model, Linear4bit))
                checked.append(name)
        print(f"{len(checked)} classes: {', '.join(checked)}")
        self.assertGreaterEqual(len(checked), min(len(chosen), 100))


class Models(Judged):
    def test_it_loads_quantized_and_back(self):
        for name in SMALL:
            with self.subTest(name):
                small(name).save_pretrained(self.directory / "plain")
                four_bit = load(name, self.convert("quantize", self.directory / "plain", to="quantized"))
                weights = decoded(four_bit)
                self.assertGreater(len(weights), 10)
                plain = load(name, self.convert("dequantize", self.directory / "quantized", to="back")).state_dict()
                for key, weight in weights.items():
                    if weight.shape[-1] % BLOCKSIZE == 0:
                        self.assertTrue(same_bits(plain[key], weight), key)


TEXT_ENCODERS = {"text_encoder": CLIPTextModel, "text_encoder_2": T5EncoderModel}


def load_encoder(path):
    return models.load(TEXT_ENCODERS[path.name], path, dtype=torch.bfloat16)


def load_pipeline(path):
    return diffusers.FluxPipeline.from_pretrained(path, tokenizer=None, tokenizer_2=None, dtype=torch.bfloat16)


class Pipelines(Judged):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.plain = cls.directory / "plain"
        small_pipeline().save_pretrained(cls.plain)
        cls.quantized = cls.directory / "quantized"
        run_qfuse("quantize", cls.plain, "-o", cls.quantized)
        cls.back = cls.directory / "back"
        run_qfuse("dequantize", cls.quantized, "-o", cls.back)

    def test_the_components_that_are_quantized_load(self):
        self.assertGreater(len(decoded(load("FluxTransformer2DModel", self.quantized / "transformer"))), 10)
        for name in TEXT_ENCODERS:
            self.assertGreater(len(decoded(load_encoder(self.quantized / name))), 5, name)

    def test_the_others_are_the_same_files(self):
        for name in ["vae", "scheduler"]:
            names = sorted(path.name for path in (self.plain / name).iterdir())
            for converted in [self.quantized, self.back]:
                self.assertEqual(sorted(path.name for path in (converted / name).iterdir()), names)
                for file in names:
                    self.assertEqual((converted / name / file).read_bytes(), (self.plain / name / file).read_bytes())
        index = (self.plain / "model_index.json").read_bytes()
        self.assertEqual((self.back / "model_index.json").read_bytes(), index)

    def test_the_dequantized_pipeline_draws_what_the_quantized_one_decodes_to(self):
        expected = load_pipeline(self.plain)
        plain_image = draw(expected)
        four_bit = load("FluxTransformer2DModel", self.quantized / "transformer")
        expected.transformer.load_state_dict(decoded(four_bit), strict=False)
        for name in TEXT_ENCODERS:
            encoder = load_encoder(self.quantized / name)
            getattr(expected, name).load_state_dict(decoded(encoder), strict=False)
        image = draw(load_pipeline(self.back))
        self.assertTrue(torch.isfinite(image).all())
        self.assertTrue(torch.equal(image, draw(expected)))
        self.assertFalse(torch.equal(image, plain_image))

    def test_one_component(self):
        out = self.directory / "one"
        run_qfuse("quantize", self.plain, "-o", out, "--component", "text_encoder_2", "--exclude", "*.wo.weight")
        self.assertNotIn("quantization_config", (out / "transformer/config.json").read_text())
        self.assertIn("quantization_config", (out / "text_encoder_2/config.json").read_text())


class LoraFiles(merging_lora_files.LoraFiles):
    """Runs the tests of merging LoRA files, which are in a file of their own."""


if __name__ == "__main__":
    main()
