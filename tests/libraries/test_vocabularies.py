"""Adapters of embeddings and output heads for every class of transformers that qfuse knows: transformers loads what
`qfuse merge` writes without a missing, unexpected or mismatched key, and gets what peft has in memory, tied or not.

QFUSE_TEST_ALL=OFF tests the classes of QUICK; otherwise one class with a head of each family, which takes an hour.
QFUSE_VOCABULARIES=FILE also writes the results as JSON; QFUSE_CLASSES names classes instead.
"""

import ast
import functools
import json
import os
import shutil
import subprocess
from pathlib import Path

import peft
import torch
import transformers
from families import LARGEST, SMALL, all_families, small_config
from libraries import ALL, QFUSE, Judged, main
from peft.tuners.lora.layer import LoraLayer
from peft.utils.other import ModulesToSaveWrapper, TrainableTokensWrapper
from safetensors.torch import load_file, save_file
from transformers.pytorch_utils import Conv1D
from vocabularies import Row, all_classes, table, tensors_of

SOURCE = Path(__file__).parents[2] / "src/checkpoint/names/vocabulary_table.cpp"
QUICK = """
    BartForConditionalGeneration BertForMaskedLM BloomForCausalLM GPT2LMHeadModel Gemma3ForConditionalGeneration
    LlamaForCausalLM LlavaForConditionalGeneration M2M100ForConditionalGeneration MambaForCausalLM
    Qwen2VLForConditionalGeneration T5ForConditionalGeneration UMT5ForConditionalGeneration
    WhisperForConditionalGeneration
""".split()  # noqa: SIM905
TOLERANCE = 1e-6  # relative to the largest element, for sums in another order
NEW_TOKENS = 8
UNUSED = ("model.shared.weight", "prophetnet.word_embeddings.weight", "shared.weight")
NEW_ROWS = SMALL["vocab_size"] + NEW_TOKENS
# Ways to train. With new tokens, "grown" trains neither embedding nor head, and "resized" both.
WAYS = ["head", "embedding", "both", "save_head", "save_embedding", "save_both", "tokens", "grown", "resized"]
BASES = {"tied": WAYS, "untied": ["both", "grown", "resized"], "stored_twice": ["head", "embedding", "tokens"]}


@functools.cache
def known():
    """Maps each class to its row in the source."""
    rows = SOURCE.read_text().partition("kRows{{")[2].partition("}};")[0]
    rows = rows.replace("{", "(").replace("}", ")").replace("true", "True").replace("false", "False")
    return {name: Row(*row) for classes, *row in ast.literal_eval(f"[{rows}]") for name in classes.split()}


class Failed(Exception):
    """A wrong result."""


def names_of(row):
    """Returns groups of (name in memory, name in files)."""
    return [[(name.split(">")[0], name.split(">")[-1]) for name in group.split("=")] for group in row.tensors.split()]


def set_flags(config, fields, value):
    for field in fields:
        *parts, name = field.split(".")
        setattr(functools.reduce(getattr, parts, config), name, value)


def make_base(model_class, row, kind, path, **fields):
    """Saves a base with `fields` in its config. Raises LookupError if there is no such base."""
    config = small_config(model_class.config_class)
    config.update(fields)
    ties = row.ties_by_default if not row.tie_fields else kind != "untied"
    if ties == (kind == "untied") or (ties and "=" not in row.tensors):
        raise LookupError
    set_flags(config, row.tie_fields.split(), ties)
    with torch.device("meta"):
        if sum(parameter.numel() for parameter in model_class(config).parameters()) > LARGEST:
            raise LookupError
    torch.manual_seed(1)
    model = model_class(config).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.dim() == 2:
                parameter.normal_(0, 0.1)
    model.save_pretrained(path)
    if kind == "stored_twice":
        (file,) = path.glob("*.safetensors")
        tensors, state = load_file(file), model.state_dict()
        for group in names_of(row):
            tensors |= {stored: state[name].clone() for name, stored in group}
        save_file(tensors, file, {"format": "pt"})


def module_name(model, get):
    """Returns the name of a weight's module; the last one if it has several names."""
    module = get()
    return [name for name, it in model.named_modules(remove_duplicate=False) if it is module][-1]


def adapted(model_class, base, way):
    """Returns peft's model, ready to train. Raises LookupError if there is nothing to train this way."""
    model = model_class.from_pretrained(base).eval()
    embedding = module_name(model, model.get_input_embeddings)
    if model.get_output_embeddings() is None:
        raise LookupError
    head = module_name(model, model.get_output_embeddings)
    if way in ("grown", "resized"):
        try:
            rows = len(model.get_input_embeddings().weight)
            model.resize_token_embeddings(rows + NEW_TOKENS, mean_resizing=False)
        except Exception:
            raise LookupError from None
    stored = set().union(*(load_file(file).keys() for file in base.glob("*.safetensors")))
    layers = [
        name
        for name, it in model.named_modules()
        if type(it) in (torch.nn.Linear, Conv1D) and name not in (head, embedding) and min(it.weight.shape) > 8
    ]
    layers.sort(key=lambda name: f"{name}.weight" not in stored)  # first those with the same name in the file
    chosen = {
        "head": {"target_modules": [head]},
        "embedding": {"target_modules": [embedding]},
        "both": {"target_modules": [head, embedding]},
        "save_head": {"target_modules": layers[:1], "modules_to_save": [head]},
        "save_embedding": {"target_modules": layers[:1], "modules_to_save": [embedding]},
        "save_both": {"target_modules": layers[:1], "modules_to_save": [head, embedding]},
        "tokens": {"target_modules": layers[:1], "trainable_token_indices": {embedding: [3, 5]}},
        "grown": {"target_modules": layers[:1]},
        "resized": {"target_modules": layers[:1], "modules_to_save": [head, embedding]},
    }[way]
    try:
        found = peft.get_peft_model(model, peft.LoraConfig(r=4, init_lora_weights=False, **chosen)).eval()
    except Exception:
        raise LookupError from None  # peft cannot adapt it this way
    torch.manual_seed(2)
    with torch.no_grad():
        for parameter in found.parameters():
            if parameter.requires_grad:
                parameter.copy_(torch.randn(parameter.shape) / 8)
    return found


def state_of(model):
    """Returns the tensors that peft's model computes with, under their names without peft."""
    inner = model.base_model.model
    kinds = (LoraLayer, ModulesToSaveWrapper, TrainableTokensWrapper)
    wrapped = {name: it for name, it in inner.named_modules() if isinstance(it, kinds)}
    state = {
        name: tensor
        for name, tensor in tensors_of(inner).items()
        if not any(name.startswith(f"{it}.") for it in wrapped)
    }
    for name, it in wrapped.items():
        if isinstance(it, LoraLayer):
            tensors = dict(it.get_base_layer().named_parameters())
            tensors["weight"] = tensors["weight"] + it.get_delta_weight("default")
        elif isinstance(it, ModulesToSaveWrapper):
            tensors = it.modules_to_save["default"].state_dict()
        else:
            tensors = dict(it.original_module.named_parameters()) | {
                "weight": it.token_adapter.get_merged_weights(["default"])
            }
        state |= {f"{name}.{key}": tensor for key, tensor in tensors.items()}
    return state


def check(model_class, base, way, directory):
    """Returns "right", or how the command refuses. Raises Failed if the result is wrong."""
    model = adapted(model_class, base, way)
    model.save_pretrained(directory / "adapter")
    if way == "grown" and NEW_ROWS not in {
        len(tensor) for tensor in load_file(directory / "adapter/adapter_model.safetensors").values()
    }:
        raise LookupError  # peft did not see the new tokens, so that no file has them
    done = subprocess.run(
        [QFUSE, "merge", base, directory / "adapter", "-o", directory / "out", "--quiet"],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    if done.returncode != 0:
        return f"refused: {done.stderr.strip()}"
    done = subprocess.run([QFUSE, "check", directory / "out"], capture_output=True, text=True, timeout=60, check=False)
    if done.returncode not in (0, 3):  # 3: its tables do not know the class
        raise Failed(f"qfuse check: {(done.stdout + done.stderr).splitlines()[0]}")
    try:
        merged, info = model_class.from_pretrained(directory / "out", output_loading_info=True)
    except Exception as error:
        raise Failed(f"{type(error).__name__}: {str(error)[:300]}") from None
    if wrong := {key: sorted(value)[:3] for key, value in info.items() if value}:
        raise Failed(f"loaded with {wrong}")
    found, expected = merged.state_dict(), state_of(model)
    if way == "tokens":  # peft does not update names that no layer computes with
        trained = [name for name, it in model.named_modules() if isinstance(it, TrainableTokensWrapper)]
        unused = [name for name in UNUSED if f"base_model.model.{name}".removesuffix(".weight") not in trained]
        expected |= {name: found[name] for name in unused if name in expected}
    if missing := expected.keys() ^ found.keys():
        raise Failed(f"has other tensors: {sorted(missing)[:4]}")
    for name, tensor in expected.items():
        if tensor.dim() == 1 and len(tensor) < len(found[name]) and not found[name][len(tensor) :].any():
            found[name] = found[name][: len(tensor)]  # transformers fails to resize it, and would not load it so
        if found[name].shape != tensor.shape:
            raise Failed(f"{name} is {list(found[name].shape)} for {list(tensor.shape)}")
        if tensor.is_floating_point() and tensor.numel():
            error = (found[name].double() - tensor.double()).abs().max().item()
            if not error <= TOLERANCE * max(1.0, tensor.abs().max().item()):
                raise Failed(f"{name} is off by {error:.3g}")
    return "right"


def sweep(class_name, directory):
    """Maps base and way to the result: "right", "refused: why" or "wrong: how"."""
    model_class, row = getattr(transformers, class_name), known()[class_name]
    found = {}
    for kind, ways in BASES.items():
        base = directory / kind
        try:
            make_base(model_class, row, kind, base)
            model_class.from_pretrained(base)
        except LookupError:
            continue
        for way in ways:
            place = directory / f"{kind}-{way}"
            place.mkdir()
            try:
                found[f"{kind} {way}"] = check(model_class, base, way, place)
            except LookupError:
                continue
            except Failed as failure:
                found[f"{kind} {way}"] = f"wrong: {failure}"
            shutil.rmtree(place)
    return found


def classes_with_heads():
    """Returns one class of each family, and one for each other row with tied tensors."""
    chosen = [name for name in all_families().values() if name in known()]
    seen = {known()[name] for name in chosen}
    for name, row in known().items():
        if "=" in row.tensors and row not in seen:
            chosen.append(name)
            seen.add(row)
    return sorted(set(chosen))


class Vocabularies(Judged):
    def test_the_table_is_what_transformers_says(self):
        names = all_classes() if ALL else QUICK
        found = {name: row for row, classes in table(names).items() for name in classes}
        self.assertEqual(found, {name: row for name, row in known().items() if name in names})
        self.assertGreater(len(found), 10)

    def test_a_decoder_of_another_size(self):
        """Marian's config has the number of rows of the decoder's embedding, even if it is the encoder's."""
        model_class, row = transformers.MarianMTModel, known()["MarianMTModel"]
        rows = SMALL["vocab_size"]
        for shared, more, ways in (
            (True, 0, ["head", "embedding"]),
            (True, 48, ["head", "save_both", "grown"]),
            (False, 48, ["head", "embedding", "save_both", "tokens"]),
        ):
            base = self.directory / f"marian-{shared}-{more}"
            make_base(
                model_class, row, "tied", base, share_encoder_decoder_embeddings=shared, decoder_vocab_size=rows + more
            )
            for way in ways:
                with self.subTest(shared=shared, more=more, way=way):
                    place = self.directory / f"{base.name}-{way}"
                    place.mkdir()
                    self.assertEqual(check(model_class, base, way, place), "right")
        place = self.directory / "marian-grown"
        place.mkdir()
        self.assertRegex(check(model_class, base, "resized", place), "refused: .* cannot change the number of tokens")

    def test_every_class(self):
        chosen = os.environ.get("QFUSE_CLASSES", "").split() or (classes_with_heads() if ALL else QUICK)
        results = {}
        for name in chosen:
            with self.subTest(name):
                directory = self.directory / name
                directory.mkdir()
                try:
                    results[name] = sweep(name, directory)
                except Exception as error:  # transformers cannot build or save it at this size
                    self.assertNotIn(name, QUICK, error)
                    continue
                finally:
                    shutil.rmtree(directory)
                if path := os.environ.get("QFUSE_VOCABULARIES"):
                    Path(path).write_text(json.dumps(results, indent=1))
                self.assertEqual({way: it for way, it in results[name].items() if it.startswith("wrong")}, {})
        self.assertGreater(sum(map(len, results.values())), len(chosen))


if __name__ == "__main__":
    main()
