"""Models of every family that transformers can build, quantized and dequantized by qfuse and by transformers.

A small model with random weights is made from each family's config. QFUSE_TEST_ALL=OFF sweeps the families of QUICK;
otherwise all are swept, which takes ten minutes. QFUSE_FAMILIES=FILE also writes the results as JSON.
"""

import json
import multiprocessing
import os
import shutil
import subprocess

import torch
import transformers
from bitsandbytes.nn import Linear4bit
from families import all_families, make, small_config
from libraries import ALL, QFUSE, Judged, main
from merge_models import state_of as load_state
from models import decoded, load, quantize_by_transformers
from safetensors.torch import save_file
from transformers.core_model_loading import revert_weight_conversion
from transformers.pytorch_utils import Conv1D
from transformers.quantizers.base import HfQuantizer
from transformers.quantizers.quantizers_utils import should_convert_module

QUICK = """
    albert aria bart bert bloom bridgetower clip codegen cohere ctrl deberta-v2 deepseek_v2 deepseek_v3
    distilbert electra ernie4_5_moe falcon gemma gemma2 gemma3 gemma3n_text gemma4 glm4_moe gpt2 gpt_bigcode
    gpt_neo gpt_neox gpt_oss gptj granite granitemoe hunyuan_v1_moe jamba jina_embeddings_v3 lfm2_moe llama
    llama4 llava m2m_100 mamba minimax mistral mistral3 mixtral modernbert mpt nemotron_h nomic_bert olmo2 olmoe
    openai-gpt opt persimmon phi phi3 phimoe pixtral qwen2 qwen2_5_vl qwen2_moe qwen3 qwen3_moe qwen3_next
    qwen3_vl qwen3_vl_moe roberta siglip smollm3 stablelm starcoder2 switch_transformers t5 vit whisper xglm
    xlm-roberta
""".split()  # noqa: SIM905

# Classes besides the one that a family is built with. Each once did not load.
OTHER_CLASSES = [
    "BertForMaskedLM",
    "CLIPVisionModelWithProjection",
    "DistilBertForSequenceClassification",
    "IBertModel",
    "RemBertForMaskedLM",
    "SplinterForQuestionAnswering",
    "SwiftFormerForImageClassification",
    "Wav2Vec2ForCTC",
]

# The families in QUICK that have nothing to quantize, and the one that is refused.
NOTHING_TO_QUANTIZE = {"falcon"}
IS_REFUSED = {"llama4"}

# On some CPUs bitsandbytes wrongly decodes matrices whose rows are not whole blocks (docs/PYTORCH.md), so only other
# matrices are compared.
BLOCKSIZE = 64

# Tolerance for logits, relative to the largest, if the same weights are multiplied in another order, as Conv1D's are.
TURNED_LOGITS = 2.0**-5


FORK = multiprocessing.get_context("fork")
REFUSED = "only if its experts are stored one by one"  # qfuse's message for a family that it does not quantize


class Failed(Exception):
    """The message of qfuse or transformers."""


def qfuse(*arguments):
    done = subprocess.run([QFUSE, *arguments], capture_output=True, text=True, timeout=120, check=False)
    if done.returncode != 0:
        raise Failed(done.stderr.strip())
    return done.stderr


def load_model(model_class, path, dtype=torch.bfloat16):
    """Loads a model; requires that every 4-bit layer got its weight."""
    try:
        model = load(model_class, path, dtype=dtype)
    except Exception as error:
        raise Failed(f"{type(error).__name__}: {error}") from None
    for name, module in model.named_modules():
        if isinstance(module, Linear4bit) and getattr(module.weight, "quant_state", None) is None:
            raise Failed(f"{name} was to be 4-bit, but the file has it plain")
    return model


def require_same_weights(four_bit, plain):
    """Requires that `plain` has what bitsandbytes decodes for the 4-bit layers of `four_bit`."""
    state = plain.state_dict()
    modules = dict(plain.named_modules())
    for name, weight in decoded(four_bit).items():
        found = state.get(name)
        if found is None:
            raise Failed(f"{name} is missing in the plain model")
        if isinstance(modules[name.removesuffix(".weight")], Conv1D):
            found = found.T
        if found.shape != weight.shape:
            raise Failed(f"{name}: {tuple(found.shape)} for {tuple(weight.shape)}")
        if weight.shape[-1] % BLOCKSIZE == 0 and not torch.equal(found, weight):
            raise Failed(f"{name} has other values")


@torch.no_grad()
def logits(model):
    """Returns a text model's logits for some tokens; None for other models."""
    ids = torch.arange(3, 19).reshape(1, 16)
    inputs = {"input_ids": ids, "attention_mask": torch.ones_like(ids)}
    if model.config.is_encoder_decoder:
        inputs["decoder_input_ids"] = ids
    try:
        return model(**inputs).logits.float()
    except Exception:
        return None


def require_same_logits(four_bit, plain):
    """Compares with transformers' dequantize() of the same 4-bit model. Returns whether there were logits."""
    weights = decoded(four_bit)
    state = plain.state_dict()
    if any(weight.shape[-1] % BLOCKSIZE != 0 or state[name].dtype != weight.dtype for name, weight in weights.items()):
        return False  # a layer that the model keeps in fp32 is more precise when decoded
    try:
        expected = logits(four_bit.dequantize(dtype=torch.bfloat16))
    except Exception:  # transformers cannot dequantize it
        return False
    found = logits(plain)
    if expected is None or found is None or not torch.isfinite(expected).all():
        return False
    turned = any(isinstance(module, Conv1D) for module in plain.modules())
    distance = (found - expected).abs().max().item()
    if distance > (TURNED_LOGITS * expected.abs().max().item() if turned else 0.0):
        raise Failed(f"logits differ by {distance:.3g}")
    return True


class Sweep:
    """The results for one family's model. Each answer is "yes", "no: why", or "-" if there is nothing to say."""

    def __init__(self, family, class_name, directory):
        self.family, self.directory = family, directory
        self.model_class = getattr(transformers, class_name)
        make(class_name, directory / "plain")
        # A family's name may differ from the model_type in config.json.
        self.model_type = json.loads((directory / "plain/config.json").read_text())["model_type"]
        self.checked = True
        self.answers = {}

    def run(self):
        self.ask("quantize", self.quantize)
        self.ask("back", self.quantize_and_back)
        self.ask("dequantize", self.dequantize)
        return self.answers

    def ask(self, name, question):
        try:
            self.answers[name] = question()
        except Failed as failure:
            self.answers[name] = f"no: {failure}"

    def quantize(self):
        try:
            said = qfuse("quantize", self.directory / "plain", "-o", self.directory / "ours", "--no-double-quant")
        except Failed as failure:
            if "nothing to quantize" in str(failure):
                return "-"
            raise
        self.checked = "was checked" not in said
        self.ours = load_model(self.model_class, self.directory / "ours")
        if not decoded(self.ours):
            raise Failed("no layer is 4-bit")
        return "yes"

    def quantize_and_back(self):
        if self.answers["quantize"] != "yes":
            return "-"
        qfuse("dequantize", self.directory / "ours", "-o", self.directory / "back")
        require_same_weights(self.ours, load_model(self.model_class, self.directory / "back"))
        return "yes"

    def dequantize(self):
        """Decodes what transformers quantized: the same weights, and the same logits if there are any."""
        self.answers["logits"] = "-"
        try:
            theirs = quantize_by_transformers(self.model_class, self.directory / "plain", "nf4", True, torch.bfloat16)
        except Exception:
            return "-"  # transformers cannot quantize it
        if not decoded(theirs):
            return "-"
        theirs.save_pretrained(self.directory / "theirs")
        try:
            load_model(self.model_class, self.directory / "theirs")
        except Failed:
            return "-"  # transformers does not load its own output
        qfuse("dequantize", self.directory / "theirs", "-o", self.directory / "decoded")
        plain = load_model(self.model_class, self.directory / "decoded")
        require_same_weights(theirs, plain)
        self.ask("logits", lambda: "yes" if require_same_logits(theirs, plain) else "-")
        return "yes"


def sweep(family, class_name, directory):
    """Returns None if transformers cannot build such a model."""
    try:
        model = Sweep(family, class_name, directory)
    except Exception:
        return None
    answers = model.run()
    return {"model_type": model.model_type, "checked": model.checked, "answers": answers}


def sweep_in_child(families, classes, directory, sweep=sweep):
    """Yields the result of `sweep` for each family. A child process sweeps, because some models of odd sizes crash the
    process. Then the result is None, and the next child continues after that family."""
    waiting = list(families)
    while waiting:
        receiver, sender = FORK.Pipe(duplex=False)

        def child(families=tuple(waiting), sender=sender):
            for family in families:
                sender.send(sweep(family, classes[family], directory / family))
                shutil.rmtree(directory / family, ignore_errors=True)

        process = FORK.Process(target=child)
        process.start()
        sender.close()
        try:
            while waiting:
                yield waiting[0], receiver.recv()
                del waiting[0]
        except EOFError:
            yield waiting.pop(0), None
        process.join()


def quantized_for_training(model_class, config):
    """Returns the tensors in a model's files that belong to layers which transformers quantizes with a
    BitsAndBytesConfig; None if it splits, joins or transposes some of them."""
    with torch.device("meta"):
        model = model_class(config)
    model.tie_weights()
    skipped = HfQuantizer.get_modules_to_not_convert(model, None, model._keep_in_fp32_modules)
    stored = model.state_dict()
    found = set()
    for name, module in model.named_modules():
        weight = f"{name}.weight"
        if isinstance(module, Conv1D):
            return None
        if type(module) is not torch.nn.Linear or weight in model.all_tied_weights_keys:
            continue
        if should_convert_module(name, skipped) and weight in stored:
            try:
                in_file = revert_weight_conversion(model, {weight: torch.empty_like(stored[weight], device="meta")})
            except Exception:
                return None
            found |= in_file.keys()
    return found


def seen_by_qfuse(directory, chosen):
    """Returns the tensors that `merge --base-as` changes, with a zero adapter for the tensor `chosen`."""
    rows, columns = load_state(directory / "plain")[chosen].shape
    prefix = f"base_model.model.{chosen.removesuffix('.weight')}"
    (directory / "adapter").mkdir()
    save_file(
        {f"{prefix}.lora_A.weight": torch.ones(1, columns), f"{prefix}.lora_B.weight": torch.zeros(rows, 1)},
        directory / "adapter/adapter_model.safetensors",
    )
    config = {"peft_type": "LORA", "r": 1, "lora_alpha": 1, "target_modules": "x", "peft_version": "0.21.2"}
    (directory / "adapter/adapter_config.json").write_text(json.dumps(config))
    qfuse("merge", directory / "plain", directory / "adapter", "-o", directory / "seen", "--base-as", "nf4", "--quiet")
    before, after = load_state(directory / "plain"), load_state(directory / "seen")
    return {name for name, tensor in before.items() if not torch.equal(tensor, after[name])}


class Families(Judged):
    def test_what_training_has_in_4_bits(self):
        """Tests the selection by names and the table of exceptions, for families whose files store layers as is."""
        if not ALL:
            self.skipTest("takes a quarter of an hour")
        compared = 0
        classes = all_families()
        for family in os.environ.get("QFUSE_FAMILIES_ONLY", "").split() or classes:
            class_name = classes[family]
            model_class, directory = getattr(transformers, class_name), self.directory / f"training-{family}"
            try:
                expected = quantized_for_training(model_class, small_config(model_class.config_class))
                make(class_name, directory / "plain")
            except Exception:
                continue  # transformers cannot build it
            stored = load_state(directory / "plain")
            if expected and expected <= stored.keys() and all(stored[name].dim() == 2 for name in expected):
                with self.subTest(family):
                    compared += 1
                    self.assertEqual(seen_by_qfuse(directory, min(expected)), expected)
            shutil.rmtree(directory, ignore_errors=True)
        self.assertGreater(compared, 0)

    def test_every_family(self):
        classes = all_families()
        chosen = list(classes) if ALL else QUICK
        chosen = os.environ.get("QFUSE_FAMILIES_ONLY", "").split() or chosen
        results = {}
        for family, found in sweep_in_child(chosen, classes, self.directory):
            with self.subTest(family):
                if found is None:  # an error of transformers, unless it once worked
                    self.assertNotIn(family, QUICK, "transformers cannot build or run it any more")
                    continue
                results[family] = found
                answers = found["answers"].values()
                failures = [answer for answer in answers if answer.startswith("no:") and REFUSED not in answer]
                self.assertEqual(failures, [])
                if family in QUICK:
                    self.assertEqual(found["answers"]["quantize"] == "-", family in NOTHING_TO_QUANTIZE)
                    self.assertEqual(REFUSED in found["answers"]["quantize"], family in IS_REFUSED)
                if "yes" in answers:
                    self.assertTrue(found["checked"], "qfuse does not know that this family was checked")
        if path := os.environ.get("QFUSE_FAMILIES"):
            with open(path, "w") as file:
                json.dump(results, file, indent=1)
        self.assertGreaterEqual(len(results), min(30, len(chosen)))

    def test_other_classes(self):
        for name, found in sweep_in_child(OTHER_CLASSES, {name: name for name in OTHER_CLASSES}, self.directory):
            with self.subTest(name):
                self.assertIsNotNone(found)
                self.assertEqual([answer for answer in found["answers"].values() if answer.startswith("no:")], [])
                self.assertEqual(found["answers"]["quantize"], "yes")


if __name__ == "__main__":
    main()
