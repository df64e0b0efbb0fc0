"""Makes tests/golden/peft: adapters written by older versions of peft, and the models that these versions merged.

    $(tools/install_judges --where)/bin/python tests/libraries/make_older_adapters.py ENVIRONMENTS

makes a Python environment in the directory ENVIRONMENTS for each row of VERSIONS that has none yet, and writes the
fixtures again with the Python of each, about 10 s each. An environment has the peft and the transformers of that time
(60 MB of downloads); it uses torch, safetensors and numpy of the judges. Writing fixtures needs no network.

    ENVIRONMENTS/0.17.1/bin/python tests/libraries/make_older_adapters.py --write 0.17.1

writes the fixtures of one row. tests/golden/peft has

    bases/<base>                    models with random weights, saved by the first row's transformers. Only missing
                                    ones are made, so that torch's random numbers do not matter
    <version>/<kind>/adapter_*      the unchanged output of save_pretrained
    <version>/made_by.json          versions of the libraries, and two fields of the merged models' configs
    <version>/<kind>/merged.safetensors
                                    the tensors that save_pretrained writes after merge_and_unload, if their bytes
                                    differ from the base's (the others were found equal)
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

TABLE = json.loads(HERE.joinpath("older_adapters.json").read_text())
# Directory name -> pinned packages that are installed for it, without their dependencies. transformers 5 fuses experts
# that transformers 4 has one by one, and peft 0.18 knew only the orientation of transformers 4.
VERSIONS = TABLE["versions"]
ACCELERATE = "accelerate==1.12.0"

RANK, ALPHA = 3, 5  # the scale, 5/3, is no power of two, so that the place where it is applied changes bits
# Class and config fields. gate_up_proj of qwen3_moe is square, like OLMoE's. gpt_oss and llama4 have a square
# down_proj, like the published models, and a gate_up_proj that is not square.
BASES = {
    name: (class_name, TABLE["sizes"].get(config.pop("is", None), {}) | config)
    for name, (class_name, config) in TABLE["bases"].items()
}
# Kind -> base and adapter config. "second": config of a second adapter beside the first. "vocabulary": number of tokens
# to which the model is resized first. transformers 4 has a linear layer per expert, transformers 5 one parameter for
# all, for which peft 0.19 takes these names.
KINDS = {kind: (base, config) for kind, (base, config) in TABLE["kinds"].items()}
FUSED_BY_5 = {"mixtral-parameters", "qwen3_moe-parameters"}
# The first version of peft that supports each of these kinds.
SINCE = {
    "tied-together": "0.18",
    "tied-tokens-both": "0.18",
    "tied-tokens-together": "0.18",
    "tokens-by-module": "0.18",
}


def kinds_of(version):
    """Returns the kinds of a row. 0.18 with transformers 5 has only experts, because it changes only their layout."""
    if version.endswith("transformers-5"):
        return FUSED_BY_5
    without = set() if version >= "0.19" else FUSED_BY_5
    return {kind for kind in KINDS if kind not in without and version >= SINCE.get(kind, "")}


def make_environment(place, packages):
    """Makes a virtual environment with these packages, which finds all others in the judges' environment."""
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


# The functions below run in an environment of VERSIONS, with the peft and transformers of that row.


def seeded(name, seed):
    """Returns a generator whose numbers depend only on the tensor's name and the seed, not on other tensors."""
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
            if parameter.ndim == 1 or "bias" in key:  # random too, so that errors in them show
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
    """Fills all tensors of an adapter with nonzero random numbers. The deltas are a tenth of the weights."""
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
    """Returns the merged model's tensors that differ from the base's, and two fields of its config."""
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
    os.chdir(GOLDEN)  # so that adapters record the same relative path of their base everywhere
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
    # target_modules is a set, whose order in the file depends on the hash seed
    offline = {"HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1", "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1"}
    for version, packages in VERSIONS.items():
        place = Path(sys.argv[1]).resolve() / version
        make_environment(place, packages)
        subprocess.run([place / "bin" / "python", __file__, "--write", version], check=True, env=os.environ | offline)
    return 0


if __name__ == "__main__":
    sys.exit(main())
