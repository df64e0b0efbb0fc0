"""tools/models at small sizes: its roundings have qfuse's bits, its figures are those of a computation by hand."""

import itertools
import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import choices
import experiment
import judge
import pytest
import texts
import torch
import train

import qfuse
import qfuse.checkpoint

ROOT = Path(__file__).parents[2]


@pytest.fixture
def weight():
    return torch.randn(96, 192, generator=torch.Generator().manual_seed(1)).to(torch.bfloat16).float() / 20


@pytest.fixture
def hessian():
    """Makes inputs that depend on each other, some of them larger than others."""
    generator = torch.Generator().manual_seed(2)
    x = torch.randn(2000, 192, generator=generator) @ torch.randn(192, 192, generator=generator) / 10
    x[:, ::7] *= 4
    return x.t() @ x / len(x)


def error_of(back, weight, hessian):
    """Returns the mean square of the error of the products with the calibration inputs."""
    return float((((back - weight) @ hessian) * (back - weight)).sum())


@pytest.mark.parametrize("block", [32, 64])
def test_roundings_have_the_bits_of_qfuse(weight, block):
    def decoded(kind, tensors):
        return qfuse.dequantize_4bit(qfuse.Weight4bit(tensors, weight.shape, torch.float32, kind, block))

    offset = choices.absmax(weight.view(-1, block)).mean()
    nested = qfuse.ops.quantize_4bit_nested(weight, block, "nf4", given_offset=offset)
    assert torch.equal(
        choices.by_blocks(weight, None, block=block), decoded("nf4", qfuse.ops.quantize_4bit(weight, block, "nf4"))
    )
    assert torch.equal(choices.by_blocks(weight, None, block=block, nest="stored"), decoded("nf4", nested))


def test_fp4_is_that_of_bitsandbytes_on_a_cpu(weight):
    """On a GPU, and so in qfuse, other thresholds than midpoints decide some ties."""
    functional = pytest.importorskip("bitsandbytes.functional")
    expected = functional.dequantize_4bit(*functional.quantize_4bit(weight, quant_type="fp4"))
    assert torch.equal(choices.fp4(weight, None), expected)


def test_bitsandbytes_and_qfuse_decode_negative_scales(weight):
    functional = pytest.importorskip("bitsandbytes.functional")
    codes, state = functional.quantize_4bit(weight, quant_type="nf4", blocksize=64)
    positive = functional.dequantize_4bit(codes, state)
    state.absmax.neg_()
    packed = qfuse.Weight4bit((codes, state.absmax), weight.shape, torch.float32, "nf4", 64)
    assert torch.equal(functional.dequantize_4bit(codes, state), -positive)
    assert torch.equal(qfuse.dequantize_4bit(packed), -positive)


def test_a_search_never_loses_to_absmax(weight, hessian):
    blocks, importance = weight.view(-1, 64), hessian.diagonal().expand(weight.shape).reshape(-1, 64)

    def errors(scales, importance=1.0):
        return ((choices.nearest(blocks, scales) * scales - blocks).square() * importance).sum(1)

    largest = choices.absmax(blocks)
    for factors in (choices.SEARCHED, choices.UNSHRUNK, choices.SIGNED):
        scales = choices.search(blocks, factors=factors)
        assert bool((errors(scales) <= errors(largest)).all()) and errors(scales).sum() < 0.96 * errors(largest).sum()
        weighted = choices.search(blocks, importance, factors)
        assert errors(weighted, importance).sum() < errors(scales, importance).sum()
        assert bool(((weighted / largest)[..., None] - torch.tensor(factors)).abs().amin(-1).max() < 1e-6)
    stored, decoded = (choices.by_blocks(weight, None, nest=nest) - weight for nest in ("stored", "decoded"))
    assert bool((decoded.abs() <= stored.abs()).all()) and decoded.norm() < stored.norm()


def test_ways_that_know_the_inputs_have_smaller_errors_behind_them(weight, hessian):
    plain = error_of(choices.by_blocks(weight, hessian), weight, hessian)
    fitted = error_of(choices.fitted_rows(weight, hessian), weight, hessian)
    moved = error_of(choices.gptq(weight, hessian), weight, hessian)
    assert moved < 0.8 * plain and fitted < plain
    diagonal = torch.eye(192)  # of independent inputs: there is no error to move
    assert torch.equal(choices.gptq(weight, diagonal), choices.by_blocks(weight, diagonal))


def test_mxfp4_takes_the_power_of_two_that_its_rule_says():
    values = torch.tensor([4.0, 5.9, 6.0, 6.1, 7.9, 0.01]).repeat(32, 1).t()
    assert choices.mxfp4(values, None, up=True)[:, 0].tolist() == [4, 6, 6, 6, 8, 0.01171875]
    assert choices.mxfp4(values, None, up=False)[:, 0].tolist() == [4, 6, 6, 6, 6, 0.01171875]


def test_int8_is_that_of_bitsandbytes(weight):
    functional = pytest.importorskip("bitsandbytes.functional")
    x = torch.randn(24, 192, generator=torch.Generator().manual_seed(3)).half()
    x[3, 5], x[7, 100] = 9, -6
    values, largest, columns = functional.int8_vectorwise_quant(x.clone(), threshold=choices.OUTLIER)
    expected = values.float() * largest[:, None] / 127
    expected[:, columns] = x[:, columns].float()
    assert columns.tolist() == [5, 100] and torch.equal(choices.int8_inputs(x.float()), expected)
    values, largest, _ = functional.int8_vectorwise_quant(weight.half())
    assert torch.equal(choices.int8_rows(weight.half().float(), None), values.float() * largest[:, None] / 127)


def test_shares_and_windows():
    found = judge.share_won_back([2.0, 4.0], [3.0, 5.0], [1.0, 1.0])  # 1 and 1 of 2 and 4, so a third is 1/3 off
    assert found == pytest.approx((1 / 3, 1 / 9))
    assert judge.windows_of(torch.arange(23), 5, 2).tolist() == [list(range(5)), list(range(10, 15))]
    assert judge.mean_and_error([1.0, 3.0]) == (2, 1)
    with pytest.raises(SystemExit, match="the text has 4 tokens"):
        judge.windows_of(torch.arange(4), 5, 2)


def test_a_model_is_judged_end_to_end(tmp_path, device, capsys, monkeypatch):
    """A tiny one with random weights and a token for each letter, trained further on a page for 20 steps."""
    monkeypatch.setattr(train, "time", SimpleNamespace(monotonic=itertools.count(0, 0.05).__next__))
    training_step = pytest.importorskip("training_step")
    pytest.importorskip("bitsandbytes")
    training_step.make_model(tmp_path / "nf4", 1, True, device)
    qfuse.checkpoint.dequantize(tmp_path / "nf4", tmp_path / "bf16")
    sentence = "The words of this page are in the {} and of the same kind, that is to say for the test.</p><p>"
    page = "".join(sentence.format("abcdefghijklmnopqrstuvwxyz"[i % 26] * (i % 7)) for i in range(400))
    (tmp_path / "page.html").write_text(f"<style>p {{}}</style><p>{page}", "utf-8")
    (tmp_path / "code.txt").write_text("x = f(y)\n" * 400, "utf-8")
    text, trained = tmp_path / "prose.txt", tmp_path / "trained"
    texts.main(list(map(str, [text, tmp_path])))
    assert "of 1 files" in capsys.readouterr().out and len(set(text.read_text("utf-8").splitlines())) > 20
    options = ["--text", text, "--device", device]
    train.main(
        list(map(str, [trained, "--start", tmp_path / "bf16", "--seconds", 1, "--eager", "--batch", 1, *options]))
    )
    assert "loss " in capsys.readouterr().out
    figures = tmp_path / "models.json"
    sizes = ["--tokens", 32, "--windows", 3]
    judge.main(list(map(str, [trained, tmp_path / "bf16", "--json", tmp_path / "two.json", *options, *sizes])))
    assert "from the reference" in capsys.readouterr().out
    options += ["--calibration", text, "--calibrating", 2, "--json", figures, *sizes]
    experiment.main(list(map(str, [trained, "Tiny", *options])))
    found = json.loads(figures.read_text("utf-8"))["Tiny"]
    exact = json.loads((tmp_path / "two.json").read_text("utf-8"))[str(trained)]["losses"]
    raw = json.loads((tmp_path / "models.windows.json").read_text("utf-8"))["Tiny"]
    assert raw["as_it_is"] == exact and found["windows"] == 3
    by_name = {each["name"]: each for each in found["choices"]}
    assert by_name.keys() == {each.name for each in choices.choices()}
    assert by_name["LLM.int8"]["divergence"][0] < by_name["NF4"]["divergence"][0] / 4
    assert all(0.05 < each["rms"] < 0.3 for name, each in by_name.items() if name != "LLM.int8")
    printed = subprocess.run([sys.executable, ROOT / "bench/table.py", figures], capture_output=True, text=True)
    assert printed.returncode == 0 and printed.stdout.count("\n| ") == 21 and "- Tiny: 0 million" in printed.stdout
