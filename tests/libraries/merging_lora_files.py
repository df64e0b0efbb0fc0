"""`qfuse merge` takes LoRA files of diffusers and of kohya's scripts, and makes of a pipeline what diffusers makes of
it with load_lora_weights() and fuse_lora(): bit for bit as in the contract of merge_models.py, and like diffusers
except for the order of its sums. Each output loads as a pipeline. test_diffusers.py runs these tests with its own.
QFUSE_TEST_ALL=OFF skips tests that repeat a row.
"""

import json
import re
import shutil
import unittest

import diffusers
import peft
import torch
from diffusion import SMALL, clip_encoder, small, small_pipeline
from libraries import ALL, run_qfuse
from merge_models import Sums, fp32, state_of
from merging import Merging, merge
from models import same_bits
from peft.utils import get_peft_model_state_dict
from safetensors.torch import load_file, save_file
from transformers import CLIPTextConfig, CLIPTextModelWithProjection

UNET = {
    "block_out_channels": (16, 32),
    "cross_attention_dim": 64,
    "down_block_types": ("DownBlock2D", "CrossAttnDownBlock2D"),
    "norm_num_groups": 8,
    "sample_size": 8,
    "up_block_types": ("CrossAttnUpBlock2D", "UpBlock2D"),
}
OF_XL = {
    "addition_embed_type": "text_time",
    "addition_time_embed_dim": 8,
    "attention_head_dim": (2, 4),
    "layers_per_block": 2,
    "projection_class_embeddings_input_dim": 64 + 6 * 8,
    "use_linear_projection": True,
}
OF_UNETS = ["to_q", "to_k", "to_v", "to_out.0", "proj_in", "ff.net.0.proj", "conv1", "conv_in", "time_emb_proj"]
OF_CLIP = ["q_proj", "k_proj", "v_proj", "out_proj", "fc1"]


def autoencoder():
    return diffusers.AutoencoderKL(
        block_out_channels=(8,),
        down_block_types=("DownEncoderBlock2D",),
        latent_channels=4,
        layers_per_block=1,
        norm_num_groups=8,
        up_block_types=("UpDecoderBlock2D",),
    )


def stable_diffusion():
    torch.manual_seed(0)
    unet = diffusers.UNet2DConditionModel(**UNET, attention_head_dim=2, layers_per_block=1)
    return diffusers.StableDiffusionPipeline(
        feature_extractor=None,
        requires_safety_checker=False,
        safety_checker=None,
        scheduler=diffusers.DDIMScheduler(),
        text_encoder=clip_encoder(),
        tokenizer=None,
        unet=unet,
        vae=autoencoder(),
    )


def stable_diffusion_xl():
    torch.manual_seed(0)
    config = CLIPTextConfig(
        hidden_size=64,
        intermediate_size=96,
        num_attention_heads=2,
        num_hidden_layers=1,
        projection_dim=64,
        vocab_size=90,
    )
    return diffusers.StableDiffusionXLPipeline(
        scheduler=diffusers.DDIMScheduler(),
        text_encoder=clip_encoder(),
        text_encoder_2=CLIPTextModelWithProjection(config),
        tokenizer=None,
        tokenizer_2=None,
        unet=diffusers.UNet2DConditionModel(**UNET, **OF_XL),
        vae=autoencoder(),
    )


def flux():
    return small_pipeline()


def qwen_image():
    return diffusers.QwenImagePipeline(
        scheduler=diffusers.FlowMatchEulerDiscreteScheduler(),
        text_encoder=None,
        tokenizer=None,
        transformer=small("QwenImageTransformer2DModel"),
        vae=None,
    )


def wan():
    """A pipeline of two stages with one transformer each, like Wan 2.2."""
    return diffusers.WanPipeline(
        boundary_ratio=0.875,
        scheduler=diffusers.FlowMatchEulerDiscreteScheduler(),
        text_encoder=None,
        tokenizer=None,
        transformer=small("WanTransformer3DModel"),
        transformer_2=diffusers.WanTransformer3DModel(**SMALL["WanTransformer3DModel"]),  # with other random numbers
        vae=None,
    )


OFTEN_ENOUGH = unittest.skipUnless(ALL, "unit tests and other rows have the same with other names or numbers")

# Kind -> function that makes the pipeline, and the LoRA's target layers by component.
PIPELINES = {
    "sd": (stable_diffusion, {"unet": OF_UNETS, "text_encoder": OF_CLIP}),
    "sdxl": (stable_diffusion_xl, {"unet": OF_UNETS, "text_encoder": OF_CLIP, "text_encoder_2": OF_CLIP}),
    "flux": (
        flux,
        {"transformer": ["to_q", "to_k", "to_out.0", "add_q_proj", "proj_mlp", "x_embedder", "norm.linear"]},
    ),
    "qwen": (
        qwen_image,
        {"transformer": ["to_q", "to_out.0", "add_q_proj", "to_add_out", "img_mod.1", "txt_mlp.net.2", "proj_out"]},
    ),
    "wan": (wan, {"transformer": ["to_q", "to_out.0", "ffn.net.0.proj"]}),
}


class Lora:
    """LoRA matrices for layers of a pipeline, by component and module."""

    def __init__(self, pipeline, targets, rank=lambda place: 3, seed=1):
        generator = torch.Generator().manual_seed(seed)
        self.layers = {}
        for component, names in targets.items():
            for module, layer in getattr(pipeline, component).named_modules():
                if not any(module == name or module.endswith(f".{name}") for name in names):
                    continue
                weight, r = layer.weight, rank(len(self.layers))
                a = torch.randn(r, *weight.shape[1:], generator=generator)
                b = torch.randn(len(weight), r, *[1] * (weight.ndim - 2), generator=generator) * 0.02
                self.layers[component, module] = a, b
        assert len(self.layers) > 5

    def tensors(self, name_of, a=".lora_A.weight", b=".lora_B.weight", alpha=None):
        """Returns the tensors as in a file. `alpha`: function of a layer's index and rank."""
        found = {}
        for place, ((component, module), (down, up)) in enumerate(self.layers.items()):
            name = name_of(component, module)
            found |= {name + a: down, name + b: up}
            if alpha:
                found[f"{name}.alpha"] = torch.tensor(float(alpha(place, len(down))))
        return found


def in_diffusers(component, module):
    return f"{component}.{module}"


def in_older_diffusers(component, module):
    """Returns a name as in older diffusers, which has such names only for attention layers."""
    found = re.sub(r"\.(to_[qkv])$|\.(to_out)\.0$", r".processor.\1\2_lora", module)
    for clip, processor in {"q_proj": "to_q", "k_proj": "to_k", "v_proj": "to_v", "out_proj": "to_out"}.items():
        found = re.sub(rf"\.{clip}$", f".{processor}_lora", found)
    return f"{component}.{found}"


def kinds_of_kohya(component, of_xl):
    if not of_xl:
        return {"unet": "lora_unet_", "text_encoder": "lora_te_"}[component]
    return {"unet": "lora_unet_", "text_encoder": "lora_te1_", "text_encoder_2": "lora_te2_"}[component]


def in_kohya(component, module):
    inner = "" if component == "unet" or module.startswith("text_model.") else "text_model."
    return kinds_of_kohya(component, False) + (inner + module).replace(".", "_")


def in_stability(module, layers=2):
    """Returns the name of a UNet module in Stability's SDXL file."""
    inner = {"conv1": "in_layers.2", "conv2": "out_layers.3", "time_emb_proj": "emb_layers.1"}
    outer = {"conv_in": "input_blocks.0.0", "conv_out": "out.2", "time_embedding.linear_1": "time_embed.0"}
    if module in outer:
        return outer[module]
    kind, block, part, layer, rest = re.fullmatch(
        r"(down|mid|up)_blocks?\.(?:(\d+)\.)?(resnets|attentions|downsamplers|upsamplers)\.(\d+)\.(.*)", module
    ).groups()
    rest = inner.get(rest, rest) if part == "resnets" else rest
    if kind == "mid":
        return f"middle_block.{1 if part == 'attentions' else 2 * int(layer)}.{rest}"
    at = int(block) * (layers + 1) + (layers if part.endswith("samplers") else int(layer))
    if part == "downsamplers":
        return f"input_blocks.{at + 1}.0.op"
    place = {"resnets": 0, "attentions": 1, "upsamplers": 2}[part]
    return f"{'input' if kind == 'down' else 'output'}_blocks.{at + (kind == 'down')}.{place}.{rest}"


def in_kohya_of_xl(component, module):
    inner = "" if component == "unet" or module.startswith("text_model.") else "text_model."
    name = in_stability(module) if component == "unet" else inner + module
    return kinds_of_kohya(component, True) + name.replace(".", "_")


class Expected:
    """The contract's result for a component's tensors with a LoRA. Has the interface of Contract."""

    def __init__(self, base, layers, scale):
        self.base, self.sums = base, {}
        for place, (module, (a, b)) in layers.items():
            (name,) = [key for key in base if f".{key}".endswith(f".{module}.weight")]
            self.sums[name] = Sums(base[name])
            self.sums[name].add(fp32(b).reshape(len(b), -1), fp32(a).reshape(len(a), -1), scale(place, len(a)))

    def result(self):
        return self.base | {name: into.out() for name, into in self.sums.items()}


class LoraFiles(Merging):
    def pipeline(self, kind):
        path = self.directory / f"pipeline-{kind}"
        if not path.exists():
            PIPELINES[kind][0]().to(torch.float32).save_pretrained(path)
        return path, PIPELINES[kind][1]

    def loaded(self, path):
        index = json.loads((path / "model_index.json").read_text())
        absent = {name: None for name, of in index.items() if of == [None, None]}  # diffusers needs them as arguments
        return diffusers.DiffusionPipeline.from_pretrained(path, torch_dtype=torch.float32, **absent)

    def lora(self, kind, targets=None, **options):
        path, all_targets = self.pipeline(kind)
        return Lora(self.loaded(path), targets or all_targets, **options)

    def file(self, tensors, metadata=None):
        path = self.place("lora").with_suffix(".safetensors")
        save_file({name: tensor.contiguous() for name, tensor in tensors.items()}, path, metadata)
        return path

    def by_diffusers(self, base, file, weight=1.0, **load):
        """Returns the directory of a pipeline that diffusers merged in memory."""
        pipeline = self.loaded(base)
        pipeline.load_lora_weights(file, **load)
        pipeline.fuse_lora(lora_scale=weight, **({"components": ["transformer_2"]} if load else {}))
        pipeline.unload_lora_weights()
        to = self.place("theirs")
        pipeline.save_pretrained(to)
        return to

    def row(self, kind, lora, file, scale=lambda place, rank: 1.0, weight=1.0, theirs=True):
        base, _ = self.pipeline(kind)
        out = self.merged(base, f"{file}@{weight}" if weight != 1.0 else file)
        by_diffusers = self.by_diffusers(base, file, weight) if theirs else None
        places = {key: place for place, key in enumerate(lora.layers)}
        for component in sorted(path.name for path in base.iterdir() if any(path.glob("*.safetensors"))):
            layers = {place: (key[1], lora.layers[key]) for key, place in places.items() if key[0] == component}
            with self.subTest(component=component):
                if not layers:
                    for path in (base / component).iterdir():
                        self.assertEqual((out / component / path.name).read_bytes(), path.read_bytes())
                    continue
                expected = Expected(state_of(base / component), layers, lambda at, r: scale(at, r) * weight)
                found = state_of(out / component)
                self.require_same(found, expected.result())
                self.require_exact(found, expected)
                if theirs:
                    self.require_near(found, state_of(by_diffusers / component), expected)
        merged, stored = self.loaded(out), {path: state_of(out / path) for path, _ in lora.layers}
        for component, module in lora.layers:
            weight = getattr(merged, component).get_submodule(module).weight
            (found,) = [one for key, one in stored[component].items() if f".{key}".endswith(f".{module}.weight")]
            self.assertTrue(same_bits(weight.detach(), found), module)
        return out

    def test_names_of_diffusers(self):
        for kind in PIPELINES if ALL else ["flux"]:
            with self.subTest(kind):
                lora = self.lora(kind, rank=lambda place: 2 + place % 3)
                self.row(kind, lora, self.file(lora.tensors(in_diffusers)))

    @OFTEN_ENOUGH
    def test_a_weight(self):
        lora = self.lora("sd")
        self.row("sd", lora, self.file(lora.tensors(in_diffusers)), weight=0.5)

    @OFTEN_ENOUGH
    def test_older_names_of_diffusers(self):
        lora = self.lora("sd", {"unet": ["to_q", "to_k", "to_v", "to_out.0"], "text_encoder": OF_CLIP[:4]})
        tensors = lora.tensors(in_older_diffusers, ".down.weight", ".up.weight")
        self.row("sd", lora, self.file(tensors))
        lora = self.lora("sd")
        tensors = lora.tensors(in_diffusers, ".lora.down.weight", ".lora.up.weight")
        renamed = {
            re.sub(r"^(text_encoder.*)\.lora\.", r"\1.lora_linear_layer.", key): one for key, one in tensors.items()
        }
        self.row("sd", lora, self.file(renamed))

    def test_what_diffusers_saves_with_its_config(self):
        """A file of save_lora_weights() with the config of each component."""
        base, targets = self.pipeline("sd")
        pipeline = self.loaded(base)
        configs = {
            "unet": {"r": 3, "lora_alpha": 5, "rank_pattern": {"to_q": 2}, "alpha_pattern": {"conv1": 7}},
            "text_encoder": {"r": 4, "lora_alpha": 6, "use_rslora": True},
        }
        lora = Lora(pipeline, targets)
        given = {}
        for component, config in configs.items():
            model = getattr(pipeline, component)
            config = peft.LoraConfig(target_modules=targets[component], init_lora_weights=False, **config)
            peft.inject_adapter_in_model(config, model)
            state = get_peft_model_state_dict(model)
            for (of, module), _ in lora.layers.items():
                if of == component:
                    lora.layers[of, module] = tuple(state[f"{module}.lora_{one}.weight"] for one in "AB")
            given[f"{component}_lora_layers"] = state
            given[f"{component}_lora_adapter_metadata"] = model.peft_config["default"].to_dict()
        path = self.place("saved")
        diffusers.StableDiffusionPipeline.save_lora_weights(path, **given)
        modules = list(lora.layers)

        def scale(place, rank):
            component, module = modules[place]
            if component == "text_encoder":
                return 6 / 4**0.5
            return (7 if module.endswith("conv1") else 5) / (2 if module.endswith("to_q") else 3)

        out = self.row("sd", lora, path / "pytorch_lora_weights.safetensors", scale)
        again = self.merged(base, path)  # given as a directory
        self.require_same(state_of(again / "unet"), state_of(out / "unet"))

    def test_names_of_kohyas_scripts(self):
        names = {"sdxl": in_kohya_of_xl} | ({"sd": in_kohya} if ALL else {})
        for kind, name_of in names.items():
            with self.subTest(kind):
                lora = self.lora(kind)
                tensors = lora.tensors(name_of, ".lora_down.weight", ".lora_up.weight", lambda place, rank: 2)
                self.row(kind, lora, self.file(tensors), lambda place, rank: 2 / rank)
                if ALL:
                    tensors = {name: one for name, one in tensors.items() if not name.endswith(".alpha")}
                    self.row(kind, lora, self.file(tensors))

    def test_names_for_qwen_image(self):
        """Names as DiffSynth-Studio, Qwen-Image-Lightning, musubi-tuner and ai-toolkit write them. No file names a
        component of the pipeline, and diffusers applies each to the transformer."""
        kohya, alpha = (".lora_down.weight", ".lora_up.weight"), lambda place, rank: 2 + place % 3
        for name_of, ends, alphas in (
            (lambda _, module: module, (".lora_A.default.weight", ".lora_B.default.weight"), None),
            (lambda _, module: module, kohya, alpha),
            (lambda _, module: "lora_unet_" + module.replace(".", "_"), kohya, alpha),
            (lambda _, module: "diffusion_model." + module, (".lora_A.weight", ".lora_B.weight"), None),
        ):
            lora = self.lora("qwen")
            with self.subTest(name_of("", "a.b") + ends[0]):
                scale = (lambda place, rank: alpha(place, rank) / rank) if alphas else (lambda *_: 1.0)
                file = self.file(lora.tensors(name_of, *ends, alphas))
                out = self.row("qwen", lora, file, scale)
                base, _ = self.pipeline("qwen")
                alone = self.merged(base / "transformer", file)
                self.require_same(state_of(alone), state_of(out / "transformer"))

    def test_the_second_of_two_transformers(self):
        """Files for either stage of Wan 2.2 name the transformer. --component selects the stage, or the folder does."""
        base, targets = self.pipeline("wan")
        file = self.file(Lora(self.loaded(base), targets).tensors(in_diffusers))
        for component, load in (("transformer", {}), ("transformer_2", {"load_into_transformer_2": True})):
            with self.subTest(component):
                theirs = self.by_diffusers(base, file, **load)
                out = self.merged(base, file, "--component", component)
                folder = self.merged(base / component, file)
                for one in ("transformer", "transformer_2"):
                    found, expected = state_of(out / one), state_of(theirs / one)
                    self.assertEqual(sorted(found), sorted(expected))
                    for name, tensor in found.items():
                        self.assertLess((tensor - expected[name]).abs().max().item(), 1e-5, name)
                self.require_same(state_of(folder), state_of(out / component))
                same = {"transformer", "transformer_2"} - {component}
                for one in same:
                    self.require_same(state_of(out / one), state_of(base / one))
                run_qfuse("compare", base, out, "--adapter", file, "--component", component, "--quiet")
        without_names = self.file(Lora(self.loaded(base), targets).tensors(lambda _, module: module))
        said = merge(base, without_names, "-o", self.place("out"), code=1)
        self.assertIn("fits transformer, transformer_2: --component says it", said)
        by_choice = self.merged(base, without_names, "--component", "transformer_2")
        self.require_same(state_of(by_choice / "transformer_2"), state_of(out / "transformer_2"))
        self.assertIn("no component 'vae'", merge(base, file, "-o", self.place("out"), "--component", "vae", code=1))

    @OFTEN_ENOUGH
    def test_alphas_of_each_layer(self):
        """If alphas differ, diffusers uses the most common one for attention layers, because its patterns do not match
        them. kohya's scripts train with each layer's own alpha."""
        lora = self.lora("sd", {"unet": OF_UNETS}, rank=lambda place: 2 + place % 3)
        modules = [module for _, module in lora.layers]

        def of_kinds(place, rank):
            return 7 if "conv" in modules[place] else 2

        def of_each(place, rank):
            return 1 + place % 4

        for alpha in (of_kinds, of_each):
            tensors = lora.tensors(in_kohya, ".lora_down.weight", ".lora_up.weight", alpha)

            def scale(place, rank, alpha=alpha):
                return alpha(place, rank) / rank

            self.row("sd", lora, self.file(tensors), scale, theirs=alpha is of_kinds)
        lora = self.lora("flux")
        self.row("flux", lora, self.file(lora.tensors(in_diffusers, alpha=lambda *_: 2)), lambda _, rank: 2 / rank)

    @OFTEN_ENOUGH
    def test_one_component(self):
        """The base is a component's folder, and the file is for that component, with or without its name."""
        base, _ = self.pipeline("sd")
        lora = self.lora("sd", {"unet": OF_UNETS})
        whole = state_of(self.merged(base, self.file(lora.tensors(in_diffusers))) / "unet")
        for name_of in (in_diffusers, lambda _, module: module, in_kohya):
            ends = (".lora_down.weight", ".lora_up.weight") if name_of is in_kohya else ()
            out = self.merged(base / "unet", self.file(lora.tensors(name_of, *ends)))
            self.require_same(state_of(out), whole)
        diffusers.UNet2DConditionModel.from_pretrained(out)

    def test_compare(self):
        base, _ = self.pipeline("sd")
        file = self.file(self.lora("sd").tensors(in_diffusers))
        out = self.merged(base, file)
        run_qfuse("compare", base, out, "--adapter", file, "--quiet")
        run_qfuse("compare", base / "unet", out / "unet", "--adapter", self.file(load_of(file, "unet.")), "--quiet")
        with self.assertRaises(AssertionError):
            run_qfuse("compare", base, out, "--adapter", f"{file}@0.5", "--quiet")

    def test_files_of_other_parts(self):
        """Every tensor of a file is used, or the file is refused."""
        base, _ = self.pipeline("sd")
        other_name = self.place("renamed")
        shutil.copytree(base / "unet", other_name)
        of_both = self.file(self.lora("sd").tensors(in_diffusers))
        of_three = self.file(self.lora("sdxl").tensors(in_diffusers))
        for where, file, *said in (
            (base, of_three, "text_encoder_2", "no such component"),
            (other_name, of_both, "text_encoder and unet", "give the pipeline as the base"),
            (base / "text_encoder", self.file(load_of(of_both, "unet.")), "unet", "another component"),
            (base, self.file({"other." + name: one for name, one in load_of(of_both, "unet.", "").items()}), "none of"),
        ):
            out = self.place("refused")
            for text in said:
                self.assertIn(text, merge(where, file, "-o", out, code=1))
            self.assertFalse(out.exists())


def load_of(file, component, becomes=None):
    """Returns the tensors of one component, renamed if `becomes` is given."""
    return {
        name.replace(component, component if becomes is None else becomes, 1): one
        for name, one in load_file(file).items()
        if name.startswith(component)
    }
