"""LoRA for experts, merged onto what transformers saves for every model type with stacked experts: one pair of matrices
for a parameter of all experts, as peft's target_parameters trains it, and a LoRA for each expert's own layers, as
transformers 4, Megatron-Bridge and unsloth's 4-bit loader have them.

QFUSE_TEST_ALL=OFF sweeps the families of QUICK, one for each way in which files store experts.
"""

import json
import shutil

import peft
import torch
from libraries import ALL, Judged, main, run_qfuse
from safetensors.torch import save_file
from small_experts import build, families

QUICK = """
    aria deepseek_v4 ernie4_5_vl_moe gpt_oss granitemoehybrid inkling2 mistral_large4 mixtral nemotron_h
    openai_privacy_filter qwen3_moe
""".split()  # noqa: SIM905
RANK, ALPHA = 3, 6
NEAR = 1e-5  # tolerance for fp32 weights, which are sums of a few products below 1


def experts_of(model):
    """Returns the modules that hold experts, by name. Each has its down_proj as [experts, rows, columns]."""
    return {
        name: module
        for name, module in model.named_modules()
        if getattr(module, "down_proj", None) is not None
        and isinstance(module.down_proj, torch.nn.Parameter)
        and module.down_proj.ndim == 3
        and hasattr(module, "_apply_gate")
    }


def stacks_of(module):
    return [name for name in ("gate_up_proj", "up_proj", "down_proj") if name in module._parameters]


def adapt(model, path):
    """Saves a peft adapter for all stacks, and returns the model as peft merges it."""
    targets = [f"{holder}.{stack}" for holder, module in experts_of(model).items() for stack in stacks_of(module)]
    config = peft.LoraConfig(r=RANK, lora_alpha=ALPHA, target_modules=[], target_parameters=targets)
    adapted = peft.get_peft_model(model, config)
    with torch.no_grad():
        for name, parameter in adapted.named_parameters():
            if "lora_B" in name:
                parameter.normal_(std=0.1)
    adapted.save_pretrained(path)
    return adapted.merge_and_unload()


def layers_of(module):
    """Maps the names of one expert's layers to their shapes (out, in)."""
    rows = module.down_proj.shape[2 if module.is_transposed else 1]
    inner = module.down_proj.shape[1 if module.is_transposed else 2]
    first = ["gate_proj", "up_proj"] if "gate_up_proj" in module._parameters else ["up_proj"]
    return dict.fromkeys(first, (inner, rows)) | {"down_proj": (rows, inner)}


@torch.no_grad()
def add_singly(module, expert, layer, product):
    """Adds the product of a LoRA for one expert's layer to the stack in memory."""
    stack = module._parameters["down_proj" if layer == "down_proj" else stacks_of(module)[0]]
    matrix = stack[expert].T if module.is_transposed else stack[expert]
    if layer == "down_proj" or "up_proj" in module._parameters:
        rows = slice(None)
    elif not module.is_concatenated:
        rows = slice(layer == "up_proj", None, 2)
    else:
        rows = slice(len(product), None) if layer == "up_proj" else slice(len(product))
    matrix[rows] += product


def adapt_singly(model, like, path):
    """Saves an adapter with a LoRA per layer of each expert, with `like`'s config, and merges it into the model."""
    tensors, modules = {}, set()
    for holder, module in experts_of(model).items():
        for expert in range(len(module.down_proj)):
            for layer, (out, into) in layers_of(module).items():
                a, b = torch.randn(RANK, into) * 0.1, torch.randn(out, RANK) * 0.1
                name = f"base_model.model.{holder}.{expert}.{layer}"
                tensors |= {f"{name}.lora_A.weight": a, f"{name}.lora_B.weight": b}
                modules.add(f"{expert}.{layer}")
                add_singly(module, expert, layer, b @ a * (ALPHA / RANK))
    shutil.copytree(like, path)
    save_file(tensors, path / "adapter_model.safetensors", {"format": "pt"})
    config = json.loads((path / "adapter_config.json").read_text())
    config |= {"target_modules": sorted(modules), "target_parameters": None}
    (path / "adapter_config.json").write_text(json.dumps(config))
    return model


class Families(Judged):
    def judge(self, family, directory):
        model = build(family)
        model.save_pretrained(directory / "base")
        model = adapt(model, directory / "stacks")
        model = adapt_singly(model, directory / "stacks", directory / "singly")
        adapters = [directory / "stacks", directory / "singly"]
        run_qfuse("merge", directory / "base", *adapters, "-o", directory / "out", "--quiet")
        merged, info = type(model).from_pretrained(
            directory / "out", dtype=torch.float32, output_loading_info=True, local_files_only=True
        )
        self.assertFalse(info["missing_keys"] or info["unexpected_keys"] or info["mismatched_keys"], info)
        found = merged.state_dict()
        self.assertTrue(experts_of(merged))
        for name, expected in model.state_dict().items():
            self.assertLess((found[name] - expected).abs().max().item(), NEAR, name)

    def test_every_family_of_experts(self):
        self.assertEqual(set(QUICK) - set(families()), set())
        for family in families() if ALL else QUICK:
            with self.subTest(family):
                self.judge(family, self.directory / family)


if __name__ == "__main__":
    main()
