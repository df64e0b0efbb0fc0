"""Makes tests/golden/peft: adapters as older versions of peft write them, and what these versions merge them to.

    $(tools/install_judges --where)/bin/python tests/libraries/make_older_adapters.py ENVIRONMENTS

makes a Python environment for each row of VERSIONS in the directory ENVIRONMENTS, where there is none yet, and writes
the fixtures again by the Python of each, some 10 s for each. An environment has the peft and the transformers of that
time (60 MB to fetch); torch, safetensors and numpy are those of the judges. Nothing is loaded from a network then.

    ENVIRONMENTS/0.17.1/bin/python tests/libraries/make_older_adapters.py --write 0.17.1

writes those of one row. tests/golden/peft has

    bases/<base>                    models with random weights, which the first row's transformers has saved. They are
                                    only made where they are missing, so that no random numbers of torch matter
    <version>/<kind>/adapter_*      what save_pretrained wrote, as it is
    <version>/made_by.json          the versions of the libraries, and two fields of the merged models' configs
    <version>/<kind>/merged.safetensors
                                    of the model that merge_and_unload gave, as its save_pretrained has it, the tensors
                                    whose bytes are not the base's (the others were found to be the base's)
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

HERE = Path(__file__).resolve().parent
GOLDEN = HERE.parent / "golden" / "peft"

# The directory, and what is installed for it, each pinned: without what else the packages say that they need.
HTTP = ["httpx==0.28.1", "httpcore==1.0.9"]
VERSIONS = {
    "0.17.1": ["peft==0.17.1", "transformers==4.56.2", "huggingface-hub==0.35.3", "tokenizers==0.22.1"],
    "0.18.1": ["peft==0.18.1", "transformers==4.57.6", "huggingface-hub==0.36.0", "tokenizers==0.22.1"],
    # transformers 5 has fused experts where 4 had them one by one, and peft 0.18 knew no other orientation than 4's
    "0.18.1-transformers-5": [
        "peft==0.18.1",
        "transformers==5.0.0",
        "huggingface-hub==1.3.4",
        "tokenizers==0.22.2",
        *HTTP,
    ],
    "0.19.1": ["peft==0.19.1", "transformers==5.5.4", "huggingface-hub==1.9.2", "tokenizers==0.22.2", *HTTP],
}
ACCELERATE = "accelerate==1.12.0"

RANK, ALPHA = 3, 5  # the scale, 5/3, is no power of two: where it is multiplied shows
SIZES = {
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 1,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "vocab_size": 40,
    "max_position_embeddings": 32,
    "bos_token_id": 1,
    "eos_token_id": 2,
}
OF_EXPERTS = {**SIZES, "intermediate_size": 24, "num_local_experts": 2, "num_experts_per_tok": 1, "head_dim": 8}
BASES = {
    "llama": ("LlamaForCausalLM", {**SIZES, "attention_bias": True, "mlp_bias": True}),
    "llama-tied": ("LlamaForCausalLM", {**SIZES, "tie_word_embeddings": True}),
    "gpt2": (
        "GPT2LMHeadModel",
        {"n_embd": 32, "n_layer": 1, "n_head": 4, "n_inner": 48, "vocab_size": 40, "n_positions": 32},
    ),
    "mixtral": ("MixtralForCausalLM", OF_EXPERTS),
    # As OLMoE's, its gate_up_proj is square.
    "qwen3_moe": ("Qwen3MoeForCausalLM", {**OF_EXPERTS, "num_experts": 2, "moe_intermediate_size": 16}),
    # The down_proj of these is square, as the published models' is, and gate_up_proj is not.
    "gpt_oss": ("GptOssForCausalLM", {**OF_EXPERTS, "intermediate_size": 32}),
    "llama4": ("Llama4ForCausalLM", {**OF_EXPERTS, "intermediate_size": 32, "intermediate_size_mlp": 24}),
    "vit": (
        "ViTForImageClassification",
        {
            "hidden_size": 32,
            "intermediate_size": 24,
            "num_hidden_layers": 1,
            "num_attention_heads": 4,
            "image_size": 8,
            "patch_size": 4,
        },
    ),
}

SOME = ["k_proj", "down_proj"]
CONV1D = {"target_modules": ["c_attn", "attn.c_proj"], "fan_in_fan_out": True}
TIED_SIDES = {"lm_head": "head", "embed_tokens": "embedding"}
GROWN = 44  # tokens


def experts(*parameters, of="mlp"):
    return {"target_modules": ["k_proj"], "target_parameters": [f"{of}.experts.{one}" for one in parameters]}


# The kind, its base, and what the adapter's config says. Of "second" a second adapter is made, beside the first.
KINDS = {
    "linear": ("llama", {"target_modules": ["q_proj", "v_proj", "o_proj", "gate_proj", "up_proj", *SOME]}),
    "patterns": (
        "llama",
        {
            "target_modules": ["q_proj", "v_proj", "down_proj"],
            "use_rslora": True,
            "rank_pattern": {r".*\.v_proj": 2, r"layers\.0\.mlp\.down_proj": 5},
            "alpha_pattern": {"^model.layers.0.mlp.(gate|down)_proj": 2.5, "layers.0": 99, "q_proj|k_proj": 6},
        },
    ),
    "conv1d": ("gpt2", CONV1D),
    "conv2d": ("vit", {"target_modules": ["projection"]}),
    "lora_bias": ("llama", {"target_modules": SOME, "lora_bias": True}),
    "bias-all": ("llama", {"target_modules": SOME, "bias": "all"}),
    "bias-lora_only": ("llama", {"target_modules": SOME, "bias": "lora_only"}),
    "dora": ("llama", {"target_modules": SOME, "use_dora": True}),
    "dora-conv1d": ("gpt2", {**CONV1D, "use_dora": True}),
    "dora-embeddings": ("llama", {"target_modules": ["embed_tokens", "lm_head"], "use_dora": True}),
    "embeddings": ("llama", {"target_modules": ["embed_tokens", "lm_head"]}),
    "modules_to_save": ("llama", {"target_modules": ["k_proj"], "modules_to_save": ["lm_head", "norm"]}),
    "tokens": ("llama", {"target_modules": ["k_proj"], "trainable_token_indices": [5, 1, 38]}),
    "tokens-by-module": (
        "llama",
        {"target_modules": ["k_proj"], "trainable_token_indices": {"embed_tokens": [7, 5], "lm_head": [2]}},
    ),
    "resized": ("llama", {"target_modules": ["k_proj"], "vocabulary": GROWN}),
    "resized-embeddings": ("llama", {"target_modules": ["embed_tokens", "lm_head"], "vocabulary": GROWN}),
    "resized-tokens": (
        "llama",
        {"target_modules": ["k_proj"], "trainable_token_indices": [41, 43], "vocabulary": GROWN},
    ),
    "resized-tied": ("llama-tied", {"target_modules": ["k_proj"], "vocabulary": GROWN}),
    **{f"tied-{of}": ("llama-tied", {"target_modules": [side, "k_proj"]}) for side, of in TIED_SIDES.items()},
    **{
        f"tied-{of}_to_save": ("llama-tied", {"target_modules": ["k_proj"], "modules_to_save": [side]})
        for side, of in TIED_SIDES.items()
    },
    "tied-tokens": ("llama-tied", {"target_modules": ["k_proj"], "trainable_token_indices": [5, 1, 38]}),
    "tied-together": (
        "llama-tied",
        {"target_modules": ["k_proj"], "modules_to_save": ["embed_tokens"], "ensure_weight_tying": True},
    ),
    "tied-tokens-together": (
        "llama-tied",
        {"target_modules": ["k_proj"], "trainable_token_indices": [5, 1, 38], "ensure_weight_tying": True},
    ),
    "tied-tokens-both": (
        "llama-tied",
        {"target_modules": ["k_proj"], "trainable_token_indices": {"embed_tokens": [5, 9], "lm_head": [5, 9]}},
    ),
    "several": (
        "llama",
        {"target_modules": SOME, "second": {"target_modules": ["k_proj", "v_proj"], "r": 2, "use_rslora": True}},
    ),
    # transformers 4 has a linear layer for each expert, 5 a parameter for all, for which peft 0.19 takes these names
    "mixtral": ("mixtral", {"target_modules": ["gate", "w1", "w2", "w3"]}),
    "qwen3_moe": ("qwen3_moe", {"target_modules": ["gate", "gate_proj", "up_proj", "down_proj"]}),
    "router-parameter": ("mixtral", {"target_modules": [], "target_parameters": ["gate.weight"]}),
    "linear-parameters": ("llama", {"target_modules": [], "target_parameters": ["k_proj.weight", "down_proj.weight"]}),
    **{
        name: (name, experts("gate_up_proj", "down_proj", of="feed_forward" if name == "llama4" else "mlp"))
        for name in ("gpt_oss", "llama4")
    },
    "gpt_oss-down_proj": ("gpt_oss", experts("down_proj")),
    "gpt_oss-biases": (
        "gpt_oss",
        {
            **experts("gate_up_proj", "gate_up_proj_bias", "down_proj"),
            "rank_pattern": {r".*\.gate_up_proj": 2},
            "alpha_pattern": {"experts.down_proj": 4},
        },
    ),
    **{f"{name}-parameters": (name, experts("gate_up_proj", "down_proj")) for name in ("mixtral", "qwen3_moe")},
}
FUSED_BY_5 = {"mixtral-parameters", "qwen3_moe-parameters"}
# Kinds that older versions refuse or do not know.
SINCE = {
    "tied-together": "0.18",
    "tied-tokens-both": "0.18",
    "tied-tokens-together": "0.18",
    "tokens-by-module": "0.18",
}


def kinds_of(version):
    """What that row can have: of 0.18 with transformers 5 only the experts, whose layout that changes."""
    if version.endswith("transformers-5"):
        return FUSED_BY_5
    without = set() if version >= "0.19" else FUSED_BY_5
    return {kind for kind in KINDS if kind not in without and version >= SINCE.get(kind, "")}


def make_environment(place, packages):
    """A virtual environment with these packages, which finds the others where the judges are."""
    if place.exists():
        return
    judges = subprocess.run(
        [HERE.parent.parent / "tools" / "install_judges", "--where"], stdout=subprocess.PIPE, check=True
    )
    (site,) = Path(judges.stdout.decode().strip()).glob("lib/python3.*/site-packages")
    subprocess.run([sys.executable, "-m", "venv", place], check=True)
    install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
    subprocess.run([place / "bin" / "python", *install, ACCELERATE, *packages], check=True)
    (own,) = place.glob("lib/python3.*/site-packages")
    (own / "judges.pth").write_text(f"{site}\n")  # searched after the environment's own


# What follows runs in an environment of VERSIONS, where peft and transformers are those of that row.


def seeded(name, seed):
    """Random numbers that depend on the tensor's name alone, and not on which others there are."""
    import torch

    return torch.Generator().manual_seed(zlib.crc32(name.encode()) + seed)


def make_base(name):
    import torch
    import transformers

    torch.manual_seed(7)
    class_name, sizes = BASES[name]
    made = getattr(transformers, class_name)
    model = made(made.config_class(**sizes))
    with torch.no_grad():
        for key, parameter in model.named_parameters():
            if parameter.ndim == 1 or "bias" in key:  # random too, and so a wrong one shows
                parameter += 0.1 * torch.randn(parameter.shape, generator=seeded(key, 0))
    path = Path("bases") / name
    model.to(torch.bfloat16).save_pretrained(path)
    (path / "generation_config.json").unlink(missing_ok=True)


def load_base(name, vocabulary):
    import torch
    import transformers

    made = getattr(transformers, BASES[name][0])
    model = made.from_pretrained(f"bases/{name}", dtype=torch.bfloat16).eval()
    if vocabulary:
        torch.manual_seed(8)
        model.resize_token_embeddings(vocabulary, mean_resizing=False)
    return model


def fill(model):
    """Random numbers, none of them zero, for all that an adapter holds; the deltas are a tenth of the weights."""
    import torch

    with torch.no_grad():
        for key, parameter in model.named_parameters():
            random = torch.randn(parameter.shape, generator=seeded(key, 1)).to(parameter.dtype)
            if re.search(r"lora_(embedding_)?A", key):
                parameter.copy_(random)
            elif re.search(r"lora_B\..*bias", key):
                parameter.copy_(0.05 * random)
            elif re.search(r"lora_(embedding_)?B", key):
                parameter.copy_(random * 0.002 * RANK**0.5 / ALPHA)
            elif "lora_magnitude_vector" in key:
                parameter.mul_(1 + 0.1 * random.abs())
            elif "trainable_tokens_delta" in key or "modules_to_save" in key:
                parameter.add_(0.02 * random)
            elif parameter.requires_grad and "bias" in key:
                parameter.add_(0.05 * random)


def tensors_of(path):
    from safetensors.torch import load_file

    return {key: tensor for file in sorted(path.glob("*.safetensors")) for key, tensor in load_file(file).items()}


def same(a, b):
    import torch

    return a.dtype == b.dtype and a.shape == b.shape and torch.equal(a.view(torch.uint8), b.view(torch.uint8))


def make_adapter(kind, place):
    import peft
    import torch

    base, config = KINDS[kind]
    vocabulary, second = config.get("vocabulary"), config.get("second")
    config = {key: value for key, value in config.items() if key not in ("vocabulary", "second")}
    of_all = {"r": RANK, "lora_alpha": ALPHA, "init_lora_weights": False}
    torch.manual_seed(9)
    model = peft.get_peft_model(load_base(base, vocabulary), peft.LoraConfig(**{**of_all, **config}))
    if second:
        model.add_adapter("second", peft.LoraConfig(**{**of_all, **second}))
    fill(model)
    model.save_pretrained(place)
    for file in place.rglob("README.md"):
        file.unlink()


def merge(kind, place):
    """The tensors of the merged model that are not as the base's, and what its config says of them."""
    import peft

    base, config = KINDS[kind]
    model = peft.PeftModel.from_pretrained(load_base(base, config.get("vocabulary")), place)
    names = ["default"]
    if "second" in config:
        model.load_adapter(place / "second", adapter_name="second")
        names.append("second")
    merged = model.merge_and_unload(adapter_names=names)
    with tempfile.TemporaryDirectory() as to:
        merged.save_pretrained(to)
        found, config = tensors_of(Path(to)), json.loads((Path(to) / "config.json").read_text())
    before = tensors_of(Path("bases") / base)
    assert set(before) <= set(found), set(before) - set(found)
    changed = {key: tensor for key, tensor in found.items() if key not in before or not same(tensor, before[key])}
    return changed, {key: config[key] for key in ("tie_word_embeddings", "vocab_size") if key in config}


def write(version):
    import peft
    import torch
    import transformers
    from safetensors.torch import save_file

    GOLDEN.mkdir(exist_ok=True)
    os.chdir(GOLDEN)  # so that the adapters name their base by a path that is the same everywhere
    for name in BASES:
        if not (Path("bases") / name).exists():
            make_base(name)
    assert peft.__version__ == version.partition("-")[0], peft.__version__
    made_by = {"peft": peft.__version__, "transformers": transformers.__version__, "torch": torch.__version__}
    configs = {}
    shutil.rmtree(version, ignore_errors=True)
    for kind in sorted(kinds_of(version)):
        place = Path(version) / kind
        make_adapter(kind, place)
        changed, configs[kind] = merge(kind, place)
        save_file(changed, place / "merged.safetensors")
    (Path(version) / "made_by.json").write_text(json.dumps({**made_by, "configs": configs}, indent=2) + "\n")


def main():
    if sys.argv[1] == "--write":
        return write(sys.argv[2])
    # target_modules are a set, whose order in the file is that of hashes
    offline = {"HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1", "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1"}
    for version, packages in VERSIONS.items():
        place = Path(sys.argv[1]).resolve() / version
        make_environment(place, packages)
        subprocess.run([place / "bin" / "python", __file__, "--write", version], check=True, env=os.environ | offline)
    return 0


if __name__ == "__main__":
    sys.exit(main())
