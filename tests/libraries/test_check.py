"""`qfuse check` against transformers: what is missing, unexpected or of another shape, in small models of every class
that has a vocabulary, as saved and with tensors removed, renamed or enlarged; and the table that the check uses.

QFUSE_TEST_ALL=OFF tests the classes of QUICK. QFUSE_CLASSES names classes instead.
"""

import json
import os
import re
import shutil
import subprocess

import transformers
from class_table import table
from class_tensors import SOURCES, all_described, table_classes
from families import LARGEST, small_config
from libraries import ALL, QFUSE, Judged, main
from safetensors.torch import load_file, save_file
from vocabularies import build

QUICK = """
    BartForConditionalGeneration BertForMaskedLM GPT2LMHeadModel LlamaForCausalLM LlavaForConditionalGeneration
    MambaForCausalLM MixtralForCausalLM Qwen2VLForConditionalGeneration T5ForConditionalGeneration
    WhisperForConditionalGeneration
""".split()  # noqa: SIM905
# What the table does not know, as in COMMAND.md: the flags that a top-level tensor needs, sizes that flags or lists of
# numbers decide, sizes of tensors that transformers splits, and the lengths of parameter lists.
NOT_SEEN = {
    "FlaubertForSequenceClassification": "summary.bias",
    "GPTBigCodeForCausalLM": "c_attn.bias",
    "GPTBigCodeModel": "c_attn.bias",
    "GotOcr2ForConditionalGeneration": "vision_tower.pos_embed",
    "GotOcr2Model": "vision_tower.pos_embed",
    "GteForTokenClassification": "up_gate_proj.weight",
    "HrmTextForCausalLM": "gqkv_proj.weight",
    "HrmTextModel": "gqkv_proj.weight",
    "IBertForTokenClassification": "weight_integer",
    "Inkling2ForCausalLM": "attn_queries.0",
    "Inkling2TextModel": "attn_queries.0",
    "MarianModel": "shared.weight",
    "MarianMTModel": "shared.weight",
    "MistralLarge4TextModel": "rotary_emb.alpha",
    "ModernBertDecoderForCausalLM": "decoder.bias",
    "ModernBertForMaskedLM": "decoder.bias",
    "ModernVBertForMaskedLM": "lm_head.bias",
    "PPFormulaNetForConditionalGeneration": "encoder.pos_embed",
    "Qwen3NextForTokenClassification": "A_log",
    "ResNetBackbone": "normalization.running_mean|normalization.weight",
    "SamVisionModel": "vision_encoder.pos_embed",
    "T5ForQuestionAnswering": "DenseReluDense.wi.weight",
    "Tipsv2Model": "ls1.gamma|register_tokens",
    "TrOCRForCausalLM": "embed_positions.weight",
    "UnlimitedOcrForConditionalGeneration": "qkv_proj.weight",
    "UnlimitedOcrModel": "qkv.bias|qkv_proj.weight",
    "XLMForSequenceClassification": "summary.bias",
    "XLNetForMultipleChoice": "rel_attn.v",
    "XLNetForSequenceClassification": "rel_attn.v",
}
KINDS = {"missing_keys": "missing", "unexpected_keys": "unexpected", "mismatched_keys": "mismatched"}


def inlined(rows, shared):
    """Maps each class to its tensors, with references to shared text resolved. A part without a row stays a name."""
    texts = {name: row[4] for row in rows for name in row[0].split()}

    def whole(text):
        text = re.sub(r"@(\d+)", lambda it: f"({whole(shared[int(it[1])])})", text)
        return re.sub(r":(\w+)", lambda it: f":<{whole(texts[it[1]])}>" if it[1] in texts else it[0], text)

    return {name: (whole(row[4]), row[3], row[5]) for row in rows for name in row[0].split()}


def known():
    """Returns the rows and the shared modules of class_table.cpp."""
    shared, rows = (SOURCES / "class_table.cpp").read_text().split("kClassRows{{")
    strings = strings_in(rows)
    return [tuple(strings[i : i + 6]) for i in range(0, len(strings), 6)], strings_in(shared.partition("{{")[2])


def strings_in(source):
    """Returns the string literals of the source. Literals with only blanks between them are concatenated."""
    literal = r'"(?:[^"\\]|\\.)*"'
    found = re.findall(rf"{literal}(?:\s+{literal})*", source)
    return ["".join(json.loads(it) for it in re.findall(literal, text)) for text in found]


def damaged(tensors):
    """Yields each kind of damage with the damaged tensors."""
    names = sorted(tensors)
    chosen = [names[0], names[len(names) // 2], names[-1]]
    yield "as saved", tensors
    for name in chosen:
        others = {it: tensor for it, tensor in tensors.items() if it != name}
        yield f"without {name}", others
        yield f"{name} renamed", others | {f"other.{name}.x": tensors[name]}
        longer = tensors[name].new_zeros([size + 1 for size in tensors[name].shape])
        yield f"{name} longer", others | {name: longer}


def judged(model_class, path):
    """Returns the kinds of problems that transformers reports."""
    _, info = model_class.from_pretrained(
        path, output_loading_info=True, ignore_mismatched_sizes=True, device_map="meta"
    )
    return {kind for key, kind in KINDS.items() if info[key]}


def as_named(kinds, how):
    """If a stack lacks an expert, transformers reports a mismatched size, and qfuse a missing expert."""
    lacks_expert = re.search(r"experts\.\d+\.", how) and not how.endswith(" longer")
    return kinds - {"mismatched"} | {"missing"} if lacks_expert and "mismatched" in kinds else kinds


def checked(path):
    done = subprocess.run([QFUSE, "check", path, "--json"], capture_output=True, text=True, timeout=60, check=False)
    if done.returncode not in (0, 1):
        raise RuntimeError(done.stderr)
    problems = json.loads(done.stdout)["problems"]
    if (done.returncode == 0) != (not problems):
        raise RuntimeError(f"the exit code is {done.returncode}")
    return problems


class Checks(Judged):
    def test_the_table_is_what_transformers_says(self):
        found = inlined(*table(all_described(table_classes() if ALL else QUICK[:4])))
        source = inlined(*known())
        self.assertEqual(found, {name: it for name, it in source.items() if name in found})
        self.assertGreater(len(source), 900)
        if ALL:
            self.assertEqual(found.keys(), source.keys())

    def test_transformers_says_the_same(self):
        """Compares only kinds of problems, because names in memory may differ from those in files."""
        names = os.environ.get("QFUSE_CLASSES", "").split() or (
            [name for row in known()[0] for name in row[0].split()] if ALL else QUICK
        )
        compared = 0
        for name in names:
            with self.subTest(name):
                compared += self.compare(getattr(transformers, name), self.directory / name)
        self.assertGreater(compared, 6 * len(names))

    def compare(self, model_class, path):
        config = small_config(model_class.config_class)
        try:
            if sum(it.numel() for it in build(model_class, config).parameters()) > LARGEST:
                return 0
            model_class(config).save_pretrained(path)
        except Exception:  # transformers cannot build or save it like this
            self.assertNotIn(model_class.__name__, QUICK)
            return 0
        tensors, compared = load_file(path / "model.safetensors"), 0
        for how, changed in damaged(tensors):
            save_file(changed, path / "model.safetensors", {"format": "pt"})
            with self.subTest(how):
                try:
                    expected = judged(model_class, path)
                except Exception:  # transformers does not load it at all
                    self.assertNotEqual(how, "as saved")
                    continue
                problems = checked(path)
                kinds, expected = {it["kind"] for it in problems}, as_named(expected, how)
                not_seen = NOT_SEEN.get(model_class.__name__)
                if kinds != expected and not_seen and re.search(not_seen, how):
                    self.assertLess(kinds, expected)
                else:
                    self.assertEqual(kinds, expected, problems[:3])
                compared += 1
        shutil.rmtree(path)
        return compared


if __name__ == "__main__":
    main()
