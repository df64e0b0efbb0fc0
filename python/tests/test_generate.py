"""The generation benchmark at its smallest."""

import contextlib
import importlib.util
import json
import runpy
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
from torch import nn

import qfuse
import qfuse.integrations.bitsandbytes as integration

pytest.importorskip("bitsandbytes")

SCRIPT = str(Path(__file__).parents[2] / "python" / "benchmarks" / "generate.py")


@pytest.fixture
def run_here(monkeypatch, capsys):
    """Runs the script in this process, where a test can break things; returns its exit status and output."""

    def run_here(*options):
        monkeypatch.setattr(sys, "argv", [SCRIPT, "--layers", "1", "--tokens", "4", "--rounds", "2", *options])
        with pytest.raises(SystemExit) as end:
            runpy.run_path(SCRIPT, run_name="__main__")
        return end.value.code, capsys.readouterr().out

    return run_here


@pytest.fixture
def parts():
    """The script's functions and classes; the script does not run."""
    with torch.no_grad():
        yield SimpleNamespace(**runpy.run_path(SCRIPT))


@pytest.mark.slow
def test_generates_with_compiled_layers(run_here, device, tmp_path):
    """Layers compile without graph breaks; a break would be an error."""
    status, out = run_here("--device", device, "--compile", "--json", str(tmp_path / "figures.json"))
    assert status == 0, out
    figures = json.loads((tmp_path / "figures.json").read_text())
    assert figures["compiled"] and figures["faults"] == []
    assert 0 < figures["errors"]["qfuse"] < 0.1


def is_left(shape, rows, device):
    """Whether the product is left to bitsandbytes, whose kernel is faster."""
    x = torch.empty(rows, shape[1], dtype=torch.bfloat16, device=device)
    return qfuse.ops.orders.is_slower_than_bitsandbytes(x, shape, 64)


@pytest.mark.parametrize("batch, context", [(1, 0), (3, 5)])
def test_generates_three_ways(run_here, device, tmp_path, batch, context):
    options = ["--batch", str(batch), "--context", str(context)]
    status, out = run_here("--device", device, "--json", str(tmp_path / "figures.json"), *options)
    assert status == 0, out
    figures = json.loads((tmp_path / "figures.json").read_text())
    assert list(figures["step_ms"]) == ["bf16", "bitsandbytes", "qfuse"] and figures["faults"] == []
    for ms in figures["step_ms"].values():
        assert 0 < ms["min"] <= ms["median"] <= ms["max"]
    singles = [(128, 128), (128, 256)]  # o_proj and down_proj
    own = [shape for shape in singles if not is_left(shape, 1, device)]
    assert figures["calls_of_qfuse_a_token"] == {"matmul_4bit": len(own), "matmul_4bit_many": 2}
    errors = figures["errors"]
    assert 0 < errors["qfuse"] <= 2 * errors["bf16"] < 0.1
    assert (figures["batch"], figures["context"]) == (batch, context)
    assert "tokens/s" in out and "ms a step" in out


def test_a_sequence_has_its_own_logits_whatever_is_beside_it(parts, device):
    model = parts.in_float64(parts.make_models(parts.SIZES["tiny"], device)["bf16"])
    tokens = torch.arange(12, device=device).view(4, 3)
    together = parts.logits_of(model, tokens)
    for i in range(3):
        torch.testing.assert_close(parts.logits_of(model, tokens[:, i : i + 1])[:, 0], together[:, i])
    assert not torch.equal(together[:, 0], together[:, 1])


def test_a_step_attends_to_the_whole_context_and_nothing_after(parts, device):
    model = parts.in_float64(parts.make_models(parts.SIZES["tiny"], device)["bf16"])
    caches = model.caches(2, 3, context=5)
    token, position = (torch.tensor(numbers, device=device) for numbers in ([1, 2], [5]))
    before = model(token, position, caches)
    caches[0].values[:, :, 6:] = 9
    assert torch.equal(model(token, position, caches), before)
    for i in range(5):  # only the first sequence changes
        caches[0].values[0, :, i] += 9
        after = model(token, position, caches)
        assert not torch.equal(after[0], before[0]) and torch.equal(after[1], before[1])
        before = after


@pytest.mark.parametrize("tokens", [1, 9])
def test_a_prompt_fed_at_once_has_the_logits_of_its_tokens_one_by_one(parts, device, tokens):
    model = parts.in_float64(parts.make_models(parts.SIZES["tiny"], device)["bf16"])
    prompt = torch.arange(tokens, device=device)
    torch.testing.assert_close(parts.logits_after(model, prompt), parts.logits_of(model, prompt[:, None])[-1])


def test_times_prompts(run_here, device, tmp_path):
    status, out = run_here("--device", device, "--prefill", "5", "12", "--json", str(tmp_path / "figures.json"))
    assert status == 0 and "5 tokens" in out and "12 tokens" in out
    prompts = json.loads((tmp_path / "figures.json").read_text())["prompts"]
    assert list(prompts) == ["5", "12"]
    for found in prompts.values():
        assert list(found["ms"]) == list(found["errors"]) == ["bf16", "bitsandbytes", "qfuse"]
        assert all(0 < times["min"] <= times["median"] for times in found["ms"].values())


def test_generates_with_torchao_too(run_here, device, tmp_path):
    pytest.importorskip("torchao")
    options = ["--torchao", "--prefill", "5", "--json", str(tmp_path / "figures.json")]
    status, out = run_here("--device", device, *options)
    assert status == 0, out
    figures = json.loads((tmp_path / "figures.json").read_text())
    assert list(figures["step_ms"]) == ["bf16", "bitsandbytes", "qfuse", "torchao int4"]
    assert "torchao" in figures["versions"] and 0.05 < figures["errors"]["torchao int4"] < 0.5


def test_generates_with_the_order_factored_too(run_here, device, tmp_path):
    """A CPU does not have the order "factored"; the usual products take its place."""
    status, out = run_here("--device", device, "--factored", "--json", str(tmp_path / "figures.json"))
    assert status == 0, out
    figures = json.loads((tmp_path / "figures.json").read_text())
    assert list(figures["step_ms"]) == ["bf16", "bitsandbytes", "qfuse", "qfuse, factored"]
    errors = figures["errors"]
    assert (errors["qfuse, factored"] == errors["qfuse"]) == (device == "cpu")


def test_wrong_and_forgotten_layers_of_int4_are_seen(parts):
    """The layers are rounded here, as torchao rounds them."""
    find_faults, group = parts.torchao_int4.find_faults, parts.torchao_int4.GROUP

    def rounded(weight, steps=15):
        groups = weight.float().view(-1, group)
        low, high = groups.aminmax(dim=1, keepdim=True)
        step = (high - low) / steps
        return (((groups - low) / step).round() * step + low).view(weight.shape).bfloat16()

    class Rounded(nn.Parameter):
        pass

    def layers(weight):
        module = nn.Linear(256, 128, bias=False, dtype=torch.bfloat16)
        module.weight = weight
        return nn.ModuleList([module])

    plain = layers(nn.Parameter(torch.randn(128, 256).bfloat16(), requires_grad=False))
    weight = plain[0].weight
    assert find_faults(plain, layers(Rounded(rounded(weight), requires_grad=False))) == []
    for wrong in (rounded(weight, 7), rounded(weight).roll(1, 1), rounded(weight) * float("nan")):
        assert "half a step is" in find_faults(plain, layers(Rounded(wrong, requires_grad=False)))[0]
    assert "left 0 as it was" in find_faults(plain, plain)[0]


@pytest.mark.skipif(importlib.util.find_spec("torchao") is not None, reason="torchao is installed")
def test_a_missing_torchao_is_said(run_here):
    assert run_here("--device", "cpu", "--torchao")[0] == 2


@pytest.mark.parametrize("where, name", [(integration, "multiply"), (qfuse, "matmul_4bit_many")])
def test_a_wrong_product_is_seen(run_here, monkeypatch, where, name):
    multiply = getattr(where, name)

    def broken(*args, **more):
        found = multiply(*args, **more)
        for y in [found] if isinstance(found, torch.Tensor) else found:
            y[..., 0] *= -1
        return found

    monkeypatch.setattr(where, name, broken)
    status, out = run_here("--device", "cpu")
    assert status == 1 and "qfuse's logits have an error of" in out and "tokens/s" not in out


def test_a_run_in_which_qfuse_did_nothing_fails(run_here, monkeypatch):
    monkeypatch.setattr(integration, "enabled", lambda matmul: contextlib.nullcontext())
    status, out = run_here("--device", "cpu")
    assert status == 1 and "qfuse.matmul_4bit multiplied nothing" in out


@pytest.mark.parametrize("option", [("--batch", "0"), ("--context", "-1"), ("--prefill", "0")])
def test_what_cannot_be_counted_is_wrong_usage(run_here, option):
    assert run_here(*option)[0] == 2


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_a_missing_gpu_is_said(run_here):
    assert run_here("--device", "cuda")[0] == 2
