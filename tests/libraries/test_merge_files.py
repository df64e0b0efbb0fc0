"""What transformers reads of the tokenizer, the chat template and the processor in the output of `qfuse merge`, whether
base or adapter has them, as transformers 4 and 5 write them; and that it loads no adapter beside a model.
"""

import itertools
import json
import shutil

import peft
import torch
import transformers
from libraries import main, run_qfuse
from merging import Merging, merge
from models import same_bits
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import AutoProcessor, AutoTokenizer

WORDS = {word: number for number, word in enumerate(["<unk>", "<s>", "</s>", *(f"w{i}" for i in range(90))])}
TEXT = "w1 <base> <own> </s> w2"
MESSAGES = [{"role": "user", "content": "w1"}]


def tokenizer(owner, template=True, **special):
    backend = Tokenizer(models.WordLevel(WORDS, unk_token="<unk>"))
    backend.pre_tokenizer = pre_tokenizers.Whitespace()
    chat = f"{owner} {{{{ messages[0].content }}}}" if template else None
    made = transformers.PreTrainedTokenizerFast(
        tokenizer_object=backend, unk_token="<unk>", chat_template=chat, **({"eos_token": "</s>"} | special)
    )
    made.add_tokens([f"<{owner}>"])
    return made


def as_4_wrote(path, *, inline=True):
    """Rewrites a tokenizer's files as transformers 4 wrote them, with the template among its settings."""
    made = AutoTokenizer.from_pretrained(path)
    names = {kind: getattr(made, kind) for kind in ("eos_token", "pad_token", "unk_token") if getattr(made, kind)}
    (path / "special_tokens_map.json").write_text(json.dumps(names))
    (path / "added_tokens.json").write_text(json.dumps(made.get_added_vocab()))
    template = path / "chat_template.jinja"
    if inline and template.exists():
        settings = json.loads((path / "tokenizer_config.json").read_text())
        settings["chat_template"] = template.read_text()
        (path / "tokenizer_config.json").write_text(json.dumps(settings))
        template.unlink()


def as_4_split(path):
    """Moves a part of a processor to its own file, as transformers 4 wrote it."""
    whole = json.loads((path / "processor_config.json").read_text())
    part = next(name for name in ("image_processor", "feature_extractor") if name in whole)
    (path / "preprocessor_config.json").write_text(
        json.dumps(whole.pop(part) | {"processor_class": whole["processor_class"]})
    )
    (path / "processor_config.json").write_text(json.dumps(whole))


def sees(path):
    """Returns what a program gets from a tokenizer."""
    made = AutoTokenizer.from_pretrained(path)
    chat = made.apply_chat_template(MESSAGES, tokenize=False) if made.chat_template else None
    return made(TEXT)["input_ids"], made.eos_token, made.pad_token, len(made), chat


def images(owner, size):
    return transformers.LlavaProcessor(
        image_processor=transformers.CLIPImageProcessor(size={"shortest_edge": size}),
        tokenizer=tokenizer(owner),
        patch_size=14,
        chat_template=f"{owner} processor",
    )


def sound(owner, rate):
    return transformers.Wav2Vec2Processor(
        feature_extractor=transformers.Wav2Vec2FeatureExtractor(sampling_rate=rate), tokenizer=tokenizer(owner)
    )


class Files(Merging):
    def folders(self):
        """Returns copies of a base and an adapter without further files."""
        both = []
        for name, made in (("base", self.base("llama")), ("adapter", self.plain_adapter())):
            both.append(self.place(name))
            shutil.copytree(made, both[-1])
        return both

    def plain_adapter(self):
        if not hasattr(type(self), "its_adapter"):
            type(self).its_adapter = self.adapter("llama", target_modules=["q_proj"])
        return self.its_adapter

    def test_a_tokenizer_is_the_adapters(self):
        for base_is_old, own_is_old, inline, has_template in itertools.product((False, True), repeat=4):
            base, adapter = self.folders()
            tokenizer("base", pad_token="<unk>").save_pretrained(base)
            tokenizer("own", has_template, eos_token="<end>", pad_token="<pad>").save_pretrained(adapter)
            if base_is_old:
                as_4_wrote(base, inline=inline)
            if own_is_old:
                as_4_wrote(adapter)
            with self.subTest(base_is_old=base_is_old, own_is_old=own_is_old, inline=inline, template=has_template):
                self.assertEqual(sees(self.merged(base, adapter)), sees(adapter))

    def test_a_template_alone_is_the_adapters(self):
        for is_old, inline in ((False, False), (True, False), (True, True)):
            base, adapter = self.folders()
            tokenizer("base").save_pretrained(base)
            if is_old:
                as_4_wrote(base, inline=inline)
            (adapter / "chat_template.jinja").write_text("own")
            with self.subTest(is_old=is_old, inline=inline):
                out = sees(self.merged(base, adapter))
                self.assertEqual((out[0], out[4]), (sees(base)[0], "own"))

    def test_processors(self):
        """Processors with and without the tokenizer, also in transformers 4's files: each part is the adapter's."""
        kinds = (
            (images, lambda it: it.image_processor.size["shortest_edge"], 32, 48),
            (sound, lambda it: it.feature_extractor.sampling_rate, 8000, 16000),
        )
        for (make, value, of_base, own), base_is_old, own_is_old, alone in itertools.product(
            kinds, (False, True), (False, True), (False, True)
        ):
            base, adapter = self.folders()
            make("base", of_base).save_pretrained(base)
            make("own", own).save_pretrained(adapter)
            for folder, is_old in ((base, base_is_old), (adapter, own_is_old)):
                if is_old:
                    as_4_split(folder)
            if alone:
                for name in ("tokenizer.json", "tokenizer_config.json", "chat_template.jinja"):
                    (adapter / name).unlink()
            with self.subTest(kind=make.__name__, base_is_old=base_is_old, own_is_old=own_is_old, alone=alone):
                found = AutoProcessor.from_pretrained(self.merged(base, adapter))
                self.assertEqual(value(found), own)
                self.assertEqual("<own>" in found.tokenizer.get_vocab(), not alone)
                self.assertTrue(found.tokenizer.chat_template.startswith("base" if alone else "own"))

    def test_a_part_that_another_version_wrote_alone(self):
        base, adapter = self.folders()
        images("base", 32).save_pretrained(base)
        transformers.CLIPImageProcessor(size={"shortest_edge": 48}).save_pretrained(adapter)
        found = AutoProcessor.from_pretrained(self.merged(base, adapter))
        self.assertEqual((found.image_processor.size["shortest_edge"], found.patch_size), (48, 14))

    def test_a_tokenizer_leaves_the_bases_processor(self):
        for is_old in (False, True):
            base, adapter = self.folders()
            images("base", 32).save_pretrained(base)
            if is_old:
                as_4_split(base)
                (base / "chat_template.json").write_text(json.dumps({"chat_template": "old"}))  # this file would win
            tokenizer("own").save_pretrained(adapter)
            with self.subTest(is_old=is_old):
                found = AutoProcessor.from_pretrained(self.merged(base, adapter))
                self.assertEqual(found.image_processor.size["shortest_edge"], 32)
                self.assertIn("<own>", found.tokenizer.get_vocab())
                self.assertTrue(found.chat_template.startswith("own"))

    def test_an_adapter_beside_the_model(self):
        """transformers loads an adapter beside a model instead of the model, so qfuse copies none to an output."""
        base, adapter = self.folders()
        for name in ("adapter_config.json", "adapter_model.safetensors"):
            shutil.copy(self.plain_adapter() / name, base)
        self.assertIn("adapter_config.json", run_qfuse("check", base, code=1))
        four_bits = self.directory / "four-bits"
        run_qfuse("quantize", base, "-o", four_bits, "--quiet")
        shutil.copy(self.plain_adapter() / "adapter_config.json", four_bits)
        plain = self.directory / "plain"
        run_qfuse("dequantize", four_bits, "-o", plain, "--quiet")
        for out in (self.merged(base, adapter), four_bits, plain):
            (four_bits / "adapter_config.json").unlink(missing_ok=True)
            self.assertFalse((out / "adapter_config.json").exists())
        model = transformers.AutoModelForCausalLM.from_pretrained(plain)
        self.assertFalse(hasattr(model, "peft_config"))

    def test_a_head_is_merged_onto_a_base_that_has_it(self):
        """Follows the advice in the refusal of a base without the head."""
        base, path = self.base("llama", torch.float32), self.place("classifier")
        made = transformers.AutoModelForSequenceClassification.from_pretrained(base, num_labels=3, pad_token_id=0)
        made.save_pretrained(path)
        config = peft.LoraConfig(task_type="SEQ_CLS", r=4, target_modules=["q_proj"], init_lora_weights=False)
        trained = peft.get_peft_model(made, config)
        with torch.no_grad():
            for name, weight in trained.named_parameters():
                if "modules_to_save" in name:
                    weight.add_(torch.ones_like(weight))
        adapter = self.place("adapter")
        trained.save_pretrained(adapter)
        said = merge(base, adapter, "-o", self.place("out"), code=1)
        self.assertIn("AutoModelForSequenceClassification.from_pretrained(BASE, num_labels=3)", said)
        found = transformers.AutoModelForSequenceClassification.from_pretrained(self.merged(path, adapter))
        head = trained.base_model.model.score.modules_to_save["default"].weight
        self.assertTrue(same_bits(found.score.weight, head))


if __name__ == "__main__":
    main()
