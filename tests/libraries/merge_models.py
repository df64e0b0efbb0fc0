"""Small models, adapters that peft makes for them, results of peft's own merge, and the contract of `qfuse merge`.

The contract is implemented here a second time, from its text alone, so that the command is tested bit by bit:

    acc = +0; for k ascending: acc = fmaf(B[i, k], A[k, j], acc)       in fp32
    t   = acc * fp32(alpha / r)                                         rslora: alpha / sqrt(r); all in fp64
    out = round(W + t + ...)                                            added in fp32, rounded once to the base's dtype
    DoRA: v = W + t; n = sqrt(the sum of v^2 in fp64, ascending j); out = round(fp32(m / n) * v)
"""

import json
import math
import re

import numpy
import peft
import torch
import transformers
from safetensors.torch import load_file, save_file

PREFIX = "base_model.model."
RANK, ALPHA = 6, 10  # the scale, 5/3, is no power of two, so that the place where it is applied changes bits

SIZES = {
    "hidden_size": 256,
    "intermediate_size": 384,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "vocab_size": 320,
    "max_position_embeddings": 64,
}
SMALLER = {**SIZES, "hidden_size": 128, "intermediate_size": 192}
TOWER = {
    "hidden_size": 128,
    "intermediate_size": 192,
    "num_attention_heads": 4,
    "num_hidden_layers": 1,
    "vocab_size": 99,
}
LLAMA4 = {"num_local_experts": 4, "intermediate_size_mlp": 192, "head_dim": 32}
MODELS = {
    "llama": ("LlamaForCausalLM", SIZES),
    "llama-tied": ("LlamaForCausalLM", {**SIZES, "tie_word_embeddings": True}),
    "llama-bias": ("LlamaForCausalLM", {**SIZES, "attention_bias": True, "mlp_bias": True}),
    "gpt2": ("GPT2LMHeadModel", {"n_embd": 256, "n_layer": 2, "n_head": 4, "vocab_size": 320, "n_positions": 64}),
    "mixtral": ("MixtralForCausalLM", {**SMALLER, "num_local_experts": 4}),
    "qwen3_moe": (
        "Qwen3MoeForCausalLM",
        {**SMALLER, "num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 64, "head_dim": 32},
    ),
    "gpt_oss": ("GptOssForCausalLM", {**SMALLER, "num_local_experts": 4, "head_dim": 32}),
    # Its down_proj is square, as in published models, so that its shape does not show whether it is transposed.
    "gpt_oss-square": (
        "GptOssForCausalLM",
        {**SMALLER, "intermediate_size": 128, "num_local_experts": 4, "head_dim": 32},
    ),
    "llama4": ("Llama4ForCausalLM", {**SMALLER, **LLAMA4}),
    "llama4-square": ("Llama4ForCausalLM", {**SMALLER, **LLAMA4, "intermediate_size": 128}),
    "bert": (
        "BertForSequenceClassification",
        {**SMALLER, "num_hidden_layers": 1, "num_attention_heads": 4, "num_labels": 3, "tie_word_embeddings": False},
    ),
    "clip": ("CLIPModel", {"text_config": TOWER, "vision_config": {**TOWER, "image_size": 32, "patch_size": 8}}),
    "clip-text": ("CLIPTextModel", TOWER),
    "vit": (
        "ViTForImageClassification",
        {
            "hidden_size": 128,
            "intermediate_size": 192,
            "num_hidden_layers": 1,
            "num_attention_heads": 4,
            "image_size": 32,
            "patch_size": 8,
        },
    ),
}
LINEAR = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]

# The parameters of experts in the order of their class, which is also peft's order of wrapping, innermost first.
EXPERTS = ("gate_up_proj", "gate_up_proj_bias", "down_proj", "down_proj_bias")
# peft treats experts as [expert, in, out] only if their class sets is_transposed. llama4 stores them that way too but
# does not set it, so that peft treats them as [expert, out, in].
TURNED_EXPERTS = {"gpt_oss"}


def model_class(name):
    """Returns the class of a model listed above, or the class with that name."""
    return getattr(transformers, MODELS[name][0] if name in MODELS else name)


def make_base(name, path, dtype=torch.bfloat16):
    """Saves a model with random weights. Biases and norms are random too, so that errors in them show."""
    torch.manual_seed(7)
    made = model_class(name)
    model = made(made.config_class(**MODELS[name][1]))
    with torch.no_grad():
        for key, parameter in model.named_parameters():
            if parameter.ndim == 1 or "bias" in key:
                parameter += 0.1 * torch.randn_like(parameter)
    model.to(dtype).save_pretrained(path)


def load_base(name, path, dtype="auto"):
    return model_class(name).from_pretrained(path, dtype=dtype).eval()


def fill(model, seed, size):
    """Fills all tensors of an adapter with nonzero random numbers. The deltas are about `size` times the weights."""
    generator = torch.Generator().manual_seed(seed)

    def random(like):
        return torch.randn(like.shape, generator=generator).to(like.dtype)

    with torch.no_grad():
        for key, parameter in sorted(model.named_parameters(), key=lambda pair: pair[0]):
            if re.search(r"lora_(embedding_)?A", key):
                parameter.copy_(random(parameter))
            elif re.search(r"lora_B\..*bias", key):
                parameter.copy_(0.05 * random(parameter))
            elif re.search(r"lora_(embedding_)?B", key):
                parameter.copy_(random(parameter) * 0.02 * size * RANK**0.5 / ALPHA)
            elif "lora_magnitude_vector" in key:
                parameter.mul_(1 + 0.1 * random(parameter).abs())
            elif "trainable_tokens_delta" in key or "modules_to_save" in key:
                parameter.add_(0.02 * random(parameter))
            elif parameter.requires_grad and "bias" in key:
                parameter.add_(0.05 * random(parameter))
        if model.peft_config["default"].ensure_weight_tying:  # peft does not keep them equal in fp32
            inner, head = model.get_input_embeddings(), model.get_output_embeddings()
            if hasattr(head, "lora_A") and hasattr(inner, "lora_embedding_A"):
                head.lora_A["default"].weight.copy_(inner.lora_embedding_B["default"].T)
                head.lora_B["default"].weight.copy_(inner.lora_embedding_A["default"].T)


def adapt(name, base, path, seed=1, size=0.1, change=None, dtype=None, **config):
    """Saves an adapter of the model in `base`. `change` modifies the model before that."""
    model = load_base(name, base)
    if change:
        change(model)
    config = {"r": RANK, "lora_alpha": ALPHA, "init_lora_weights": False, **config}
    model = peft.get_peft_model(model, peft.LoraConfig(**config))
    fill(model, seed, size)
    model.save_pretrained(path)
    if dtype is not None:
        file = path / "adapter_model.safetensors"
        save_file({key: tensor.to(dtype) for key, tensor in load_file(file).items()}, file, {"format": "pt"})


def with_adapters(name, base, adapters, change=None, dtype="auto"):
    """Returns the model with its adapters, not merged. Each adapter's name is its index."""
    model = load_base(name, base, dtype)
    if change:
        change(model)
    for place, adapter in enumerate(adapters):
        if place == 0:
            model = peft.PeftModel.from_pretrained(model, adapter, adapter_name="0")
        else:
            model.load_adapter(adapter, adapter_name=str(place))
    model.base_model.set_adapter([str(place) for place in range(len(adapters))])
    return model.eval()


def merged_by_peft(name, base, adapters, to, weights=None, change=None):
    model = with_adapters(name, base, adapters, change)
    for place, weight in enumerate(weights or []):
        for module in model.modules():
            if isinstance(module, peft.tuners.lora.LoraLayer) and str(place) in module.scaling:
                module.scaling[str(place)] *= weight
    model.merge_and_unload().save_pretrained(to)
    return state_of(to)


def state_of(path):
    """Returns the tensors of a file or a directory."""
    files = [path] if path.is_file() else sorted(path.glob("*.safetensors"))
    return {key: tensor for file in files for key, tensor in load_file(file).items()}


def config_of(path):
    return json.loads((path / "config.json").read_text())


# The contract.


def fmaf(x, y, z):
    """Returns x * y + z, rounded once, for fp32 arrays. The product of two fp32 numbers is exact in fp64. If the sum
    loses bits, its last bit is made odd, so that the second rounding gives the same as a single one."""
    product = x.astype(numpy.float64) * y.astype(numpy.float64)
    addend = z.astype(numpy.float64)
    total = product + addend
    part = total - product
    lost = (product - (total - part)) + (addend - part)
    bits = total.view(numpy.int64)
    odd = numpy.where((lost > 0) == (total > 0), bits, bits - 1) | 1
    return numpy.where(lost == 0, bits, odd).view(numpy.float64).astype(numpy.float32)


def product(b, a):
    """Returns B @ A as the contract defines it."""
    acc = numpy.zeros((b.shape[0], a.shape[1]), numpy.float32)
    for k in range(a.shape[0]):
        acc = fmaf(b[:, k : k + 1], a[k : k + 1, :], acc)
    return acc


def fp32(tensor):
    return tensor.to(torch.float32).numpy()


def rounded(array, dtype):
    return torch.from_numpy(numpy.ascontiguousarray(array, dtype=numpy.float32)).to(dtype)


class Adapter:
    """An adapter's files, and its weight in the merge."""

    def __init__(self, path, weight=1.0):
        self.config = json.loads((path / "adapter_config.json").read_text())
        tensors = load_file(path / "adapter_model.safetensors")
        self.tensors = {key.removeprefix(PREFIX): tensor for key, tensor in tensors.items()}
        self.weight = weight

    def of_pattern(self, patterns, name, otherwise):
        for pattern, value in (self.config.get(patterns) or {}).items():
            if re.match(rf"(.*\.)?({pattern})$", name):
                return value
        return self.config[otherwise]

    def rank(self, name):
        return self.of_pattern("rank_pattern", name, "r")

    def scale(self, name):
        rank = self.rank(name)
        divisor = math.sqrt(rank) if self.config.get("use_rslora") else float(rank)
        return numpy.float32(float(self.of_pattern("alpha_pattern", name, "lora_alpha")) / divisor * self.weight)

    def turns_experts(self, model_type):
        """Whether an expert gets the transpose of B @ A. peft before 0.19 treated every parameter as [expert, in, out];
        before 0.18 it did not write its version."""
        minor = int(self.config.get("peft_version", "0.17").split(".")[1])
        return minor < 19 or model_type in TURNED_EXPERTS

    def tokens(self, module):
        tokens = self.config["trainable_token_indices"]
        if isinstance(tokens, list):
            return tokens
        return next(found for name, found in tokens.items() if module == name or module.endswith(f".{name}"))


class Sums:
    """The merged value of one base tensor, the same value in fp64, and the allowed difference between both."""

    def __init__(self, tensor):
        self.dtype = tensor.dtype
        self.replace(tensor)

    def replace(self, tensor):
        self.shape = tensor.shape
        self.set(fp32(tensor).reshape(len(tensor), -1))

    def set(self, array):
        self.sum = array.astype(numpy.float32)
        self.exact = array.astype(numpy.float64)
        self.slack = numpy.zeros_like(self.exact)
        self.deltas = []

    def add(self, b, a, scale, turned=False):
        """Adds B @ A * scale, or its transpose."""
        if turned:
            b, a = a.T, b.T
        self.sum = self.sum + product(b, a) * scale
        wide_b, wide_a, scale = b.astype(numpy.float64), a.astype(numpy.float64), float(scale)
        self.deltas.append(wide_b @ wide_a * scale)
        self.exact = self.exact + self.deltas[-1]
        of_product = numpy.abs(wide_b) @ numpy.abs(wide_a) * abs(scale)
        # Roundings: each of the rank additions, the product with the scale, the scale itself, and the sum with W.
        self.slack = self.slack + (a.shape[0] + 2) * 2.0**-24 * of_product + 2.0**-24 * numpy.abs(self.exact)

    def normalize(self, magnitudes, turned=False):
        """DoRA: scales the rows, or the columns of a tensor that is stored transposed, to these lengths."""
        axis, along = (0, (None, slice(None))) if turned else (1, (slice(None), None))
        squares = numpy.square(self.sum.astype(numpy.float64))
        norms = numpy.sqrt(numpy.take(numpy.add.accumulate(squares, axis=axis), -1, axis=axis))
        factors = (magnitudes.astype(numpy.float64) / norms).astype(numpy.float32)
        self.sum = factors[along] * self.sum
        norms = numpy.sqrt(numpy.square(self.exact).sum(axis=axis))
        # The norm's error is at most the norm of its row's errors. The factor and the product round once each.
        of_norm = numpy.sqrt(numpy.square(self.slack).sum(axis=axis)) / norms + 2.0**-23
        factors = magnitudes.astype(numpy.float64) / norms
        self.slack = factors[along] * (self.slack + of_norm[along] * numpy.abs(self.exact))
        self.exact = factors[along] * self.exact

    def out(self):
        return rounded(self.sum.reshape(self.shape), self.dtype)


class Contract:
    """The expected result of `qfuse merge` for the tensors in a base's files. `tie`: "--tie", "--untie", or None, which
    keeps a tied head tied if it and the embedding come out equal."""

    def __init__(self, base, config, tie=None):
        self.base, self.model_type, self.tie = base, config["model_type"], tie
        self.embedding = next((key for key in base if key.endswith(("embed_tokens.weight", "wte.weight"))), None)
        self.tied = bool(config.get("tie_word_embeddings")) and "lm_head.weight" not in base
        self.sums = {}

    def name_of(self, name, suffix=".weight"):
        """Returns the name on disk of the tensor that an adapter calls `name`."""
        if name + suffix == "lm_head.weight" and self.tied:
            return self.embedding if self.tie == "--tie" else "lm_head.weight"
        for spelling in (name, name.replace(".mlp.", ".block_sparse_moe.")):
            if spelling + suffix in self.base:
                return spelling + suffix
        (found,) = [key for key in self.base if key.endswith(f".{name}{suffix}")]
        return found

    def at(self, name):
        if name not in self.sums:
            self.sums[name] = Sums(self.base.get(name, self.base.get(self.embedding)))
        return self.sums[name]

    def with_tied(self, name):
        """Returns what a change of this tensor applies to: both tensors of a tied pair, or only this one."""
        of_pair = self.tied and self.tie != "--tie" and name in (self.embedding, "lm_head.weight")
        return [self.at(each) for each in ((self.embedding, "lm_head.weight") if of_pair else (name,))]

    def apply(self, adapter):
        # If the vocabulary has grown, peft stores a fully trained tensor under two names, and the untrained copy.
        named = {key.replace(".modules_to_save.", "."): tensor for key, tensor in adapter.tensors.items()}
        tensors = {key: tensor for key, tensor in named.items() if ".original_module." not in key}

        def take(ending):
            return [(key.removesuffix(ending), tensors.pop(key)) for key in list(tensors) if key.endswith(ending)]

        for ending in (".token_adapter.base_layer.weight", ".base_layer.weight"):
            for module, tensor in take(ending):
                for into in self.with_tied(self.name_of(module)):
                    into.replace(tensor)
        for module, tensor in take(".base_layer.bias"):
            self.at(self.name_of(module, ".bias")).replace(tensor)
        deltas = {}
        for ending in (".lora_A.weight", ".lora_B.weight", ".lora_embedding_A", ".lora_embedding_B"):
            for module, tensor in take(ending):
                deltas.setdefault(module, []).append(fp32(tensor))
        magnitudes = {module: fp32(tensor) for module, tensor in take(".lora_magnitude_vector")}
        biases = take(".lora_B.bias")
        rows = take(".token_adapter.trainable_tokens_delta")
        for key, tensor in tensors.items():  # each remaining tensor replaces the one it is named after
            self.at(self.name_of(*((key.removesuffix(".weight"),) if key.endswith(".weight") else (key, "")))).replace(
                tensor
            )
        if self.tie == "--tie" and adapter.config.get("ensure_weight_tying"):
            deltas.pop("lm_head", None)  # repeats the embedding's delta
        for module, (a, b) in deltas.items():
            if "experts" in module and not re.search(r"experts\.\d", module):
                self.add_to_experts(adapter, module, a, b)
            else:
                self.add(adapter, module, a, b, magnitudes)
        for module, tensor in biases:
            bias = self.at(self.name_of(module, ".bias"))
            bias.set(bias.sum + (fp32(tensor) * adapter.scale(module))[:, None])
        # A tied head shares the embedding's token rows, unless it has its own. peft writes the head's rows last.
        of_head = [row for row in rows if row[0].endswith("lm_head")]
        for module, tensor in [row for row in rows if not row[0].endswith("lm_head")] + of_head:
            name = self.name_of(module)
            for into in self.with_tied(name) if name == self.embedding and not of_head else [self.at(name)]:
                into.sum[adapter.tokens(module)] = fp32(tensor)
                into.exact[adapter.tokens(module)] = fp32(tensor)

    def add(self, adapter, module, a, b, magnitudes):
        into = self.at(self.name_of(module))
        turned = module.endswith(("embed_tokens", "wte")) or (self.model_type == "gpt2" and module != "lm_head")
        assert len(a) == adapter.rank(module), (module, a.shape)
        into.add(b.reshape(len(b), -1), a.reshape(len(a), -1), adapter.scale(module), turned)
        if module in magnitudes:
            into.normalize(magnitudes[module], turned)

    def add_to_experts(self, adapter, module, a, b):
        depth = module.count(".base_layer")
        module = module.replace(".base_layer", "")
        targeted = {name.rpartition(".")[2] for name in adapter.config["target_parameters"]}
        parameter = [name for name in EXPERTS if name in targeted][-1 - depth]
        fused = f"{module}.{parameter}"
        rank, scale = adapter.rank(fused), adapter.scale(fused)
        if parameter.endswith("bias"):
            self.at(fused).add(b, a, scale)
            return
        count = len(a) // rank
        for expert in range(count):
            of_a, of_b = a[expert * rank : (expert + 1) * rank], b[:, expert::count]
            if adapter.turns_experts(self.model_type):
                of_a, of_b = of_b.T, of_a.T
            if fused in self.base:
                self.add_to_slice(fused, expert, of_b, of_a, scale)
                continue
            spellings = {"gate_up_proj": ("w1|gate_proj", "w3|up_proj"), "down_proj": ("w2|down_proj",)}[parameter]
            half = len(of_b) // len(spellings)
            for place, spelling in enumerate(spellings):
                names = [self.spelled(f"{module}.{expert}.{one}") for one in spelling.split("|")]
                (name,) = filter(None, names)
                self.at(name).add(of_b[place * half : (place + 1) * half], of_a, scale)

    def spelled(self, name):
        both = (f"{name}.weight", f"{name.replace('.mlp.', '.block_sparse_moe.')}.weight")
        return next((spelling for spelling in both if spelling in self.base), None)

    def add_to_slice(self, name, expert, b, a, scale):
        whole = self.at(name)
        rows = slice(expert, expert + 1)
        one = Sums(self.base[name][expert])
        one.set(whole.sum[rows].reshape(one.shape))
        one.add(b, a, scale)
        if not whole.deltas:
            whole.deltas.append(numpy.zeros_like(whole.exact))
        whole.deltas[0][rows] += one.deltas[0].reshape(1, -1)
        for what in ("sum", "exact", "slack"):
            getattr(whole, what)[rows] = getattr(one, what).reshape(1, -1)

    def result(self):
        found = {**self.base, **{name: into.out() for name, into in self.sums.items()}}
        if not self.tied or self.tie == "--tie":
            return found
        head = self.with_tied("lm_head.weight")[1].out()
        if self.tie == "--untie" or not torch.equal(ordered(head), ordered(found[self.embedding])):
            return {**found, "lm_head.weight": head}
        found.pop("lm_head.weight", None)
        return found


def contract(base, adapters, tie=None, tensors=None):
    """Merges adapters (paths, or pairs of path and weight) into a base, or into `tensors`, by the contract."""
    found = Contract(tensors or state_of(base), config_of(base), tie)
    for adapter in adapters:
        found.apply(Adapter(*adapter) if isinstance(adapter, tuple) else Adapter(adapter))
    return found


# How results are compared.


def ordered(tensor):
    """Returns the bits of floating-point numbers as integers in numeric order, so that neighbors differ by one."""
    bits = tensor.contiguous().view({2: torch.int16, 4: torch.int32}[tensor.element_size()]).to(torch.int64)
    return torch.where(bits < 0, -(bits & (2 ** (8 * tensor.element_size() - 1) - 1)), bits)


def half_step(array, dtype):
    """Returns half the distance to the next number of that dtype."""
    digits, smallest = {torch.bfloat16: (8, -126), torch.float16: (11, -14), torch.float32: (24, -126)}[dtype]
    exponent = numpy.maximum(numpy.frexp(numpy.abs(array))[1] - 1, smallest)
    return numpy.ldexp(0.5, exponent - digits + 1)
