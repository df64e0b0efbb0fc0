"""The FP8 training benchmark at its smallest, and its products in the form that torch's scaled_mm takes."""

import json
import math
import re
import runpy
import sys
from pathlib import Path

import pytest
import torch

import qfuse

SCRIPT = str(Path(__file__).parents[2] / "python" / "benchmarks" / "moe_fp8.py")
SMALLEST = ["--tokens", "100", "--experts", "3", "--width", "128", "--hidden", "128"]
OF_WEIGHTS = "gradient of the router weights"


@pytest.fixture
def run_here(monkeypatch, capsys):
    """Runs the script in this process, where a test can break things; returns its exit status and output."""

    def run_here(*options):
        monkeypatch.setattr(sys, "argv", [SCRIPT, *options])
        with pytest.raises(SystemExit) as end:
            runpy.run_path(SCRIPT, run_name="__main__")
        return end.value.code, *capsys.readouterr()

    return run_here


@pytest.fixture
def script():
    return runpy.run_path(SCRIPT, run_name="script")


def test_computes_in_fp8_as_in_bf16(run_here, tmp_path, device):
    path = tmp_path / "figures.json"
    status, out, err = run_here(*SMALLEST, "--device", device, "--json", str(path))
    assert status == 0, out + err
    figures = json.loads(path.read_text())
    assert figures["faults"] == [] and figures["sizes"]["tokens"] == 100
    assert len(figures["rows"]) == 3 and len(set(figures["rows"])) > 1 and sum(figures["rows"]) >= 100

    of_weights = figures["differing"].pop(OF_WEIGHTS)
    assert of_weights < 1e-5 and len(figures["differing"]) == 8
    assert all(share <= (1e-3 if device == "cpu" else 0) for share in figures["differing"].values())

    bf16, fp8 = figures["errors"]["bf16"], figures["errors"]["FP8"]
    assert len(fp8) == 5
    assert all(bf16[name] < 0.02 < fp8[name] < math.sqrt(8) / 16 for name in fp8)  # rounding to e4m3 errs by 2 %

    assert figures["times"].keys() == {"bf16", "FP8, torch", "FP8, qfuse"}
    assert all(ms["min"] > 0 for of in figures["times"].values() for ms in of.values())


@pytest.mark.parametrize("output", ["y", "grad_input", "grad_input_t", "y_t"])
def test_one_wrong_scale_is_seen(run_here, monkeypatch, output):
    swiglu = qfuse.ops.swiglu

    def broken(*args, **more):
        swiglu(*args, **more)
        if output in more:
            more[output][1][0, 0] *= 2

    monkeypatch.setattr(qfuse.ops, "swiglu", broken)
    status, out, _ = run_here(*SMALLEST, "--device", "cpu")
    assert status == 1 and "SwiGLU alone" not in out
    name = output.replace("grad_input", "gradient").replace("_t", " transposed")
    assert re.search(rf"^scales of {name}: qfuse differs from torch's operations by ", out, re.MULTILINE)


def test_a_gradient_of_another_sign_is_seen(run_here, monkeypatch):
    swiglu = qfuse.ops.swiglu

    def broken(*args, **more):
        swiglu(*args, **more)
        for name in ("grad_input", "grad_input_t"):
            if name in more:
                more[name][1].neg_()

    monkeypatch.setattr(qfuse.ops, "swiglu", broken)
    status, out, _ = run_here(*SMALLEST, "--device", "cpu")
    assert status == 1
    for name in ("gradient of the tokens", "gradient of W1"):
        assert f"{name}: the error of FP8 is 2" in out or f"{name}: the error of FP8 is 1.9" in out
    assert "gradient of W2: the error" not in out


def scaled_mm(a, b, scales_a, kind_a, scales_b, kind_b, *, output_dtype):
    """Multiplies in float32, and refuses what torch.nn.functional.scaled_mm refuses on Hopper."""
    kinds = torch.nn.functional.ScalingType
    (m, k), n = a.shape, b.shape[1]
    assert a.dtype == b.dtype == torch.float8_e4m3fn and len(b) == k and k % 128 == n % 16 == m % 4 == 0 < m
    assert a.stride(1) == b.stride(0) == 1 and a.stride(0) % 16 == b.stride(1) % 16 == 0
    assert a.data_ptr() % 16 == b.data_ptr() % 16 == scales_a.data_ptr() % 16 == scales_b.data_ptr() % 16 == 0
    assert kind_a == kinds.BlockWise1x128 and scales_a.dtype == scales_b.dtype == torch.float32
    assert scales_a.shape == (m, k // 128) and scales_a.stride() == (1, m)
    if kind_b == kinds.BlockWise1x128:
        assert scales_b.shape == (n, k // 128) and scales_b.stride() == (1, n)
        each_b = scales_b.t()
    else:
        padded = (k // 128 + 3) // 4 * 4
        assert kind_b == kinds.BlockWise128x128
        assert scales_b.shape == (padded, n // 128) and scales_b.stride() == (1, padded)
        each_b = scales_b[: k // 128].repeat_interleave(128, 1)
    decoded_a = a.float() * scales_a.repeat_interleave(128, 1)
    return (decoded_a @ (b.float() * each_b.repeat_interleave(128, 0))).to(output_dtype)


def test_gives_torch_the_scales_as_it_wants_them(script, monkeypatch):
    monkeypatch.setattr(torch.nn.functional, "scaled_mm", scaled_mm)
    for width, hidden, rows in [(128, 128, [16, 0, 128]), (512, 640, [144, 16, 0]), (640, 256, [272])]:
        sizes = script["Sizes"](sum(rows), len(rows), width, hidden)
        both, shares = script["make_weights"](sizes, "cpu"), script["fp8"].share_out(rows, "cpu")
        tokens, grad = torch.randn(2, sum(rows), width).bfloat16()
        batch = script["Batch"](shares, tokens, torch.rand(sum(rows)))
        found, expected = (
            script["results"](script["fp8"].Fp8(script["fp8"].QFUSE, multiply), batch, both, grad)
            for multiply in (script["fp8"].multiply_scaled_mm, script["fp8"].multiply_emulated)
        )
        for one, other in zip(found, expected, strict=True):
            assert script["fp8"].distance(one, other) < 1e-3
            assert all(a.shape == b.shape and a.dtype == b.dtype for a, b in zip(one, other, strict=True))
        for first, second in zip(found[3], found[4], strict=True):
            assert first.shape == (2 * hidden, width) and second.shape == (width, hidden)
        assert [bool(gradient.any()) for gradient in found[3]] == [count > 0 for count in rows]


def test_a_scale_in_a_wrong_row_is_far_beyond_the_bound(script, monkeypatch):
    def other_rows(a, b, scales_a, *others, **more):
        return scaled_mm(a, b, scales_a.t().contiguous().roll(1, 1).t(), *others, **more)

    sizes = script["Sizes"](256, 2, 128, 128)
    batch, both = script["make_batch"](sizes, "cpu"), script["make_weights"](sizes, "cpu")
    batch = batch._replace(tokens=(batch.tokens * 2.0 ** torch.randint(-4, 5, (len(batch.tokens), 1))).bfloat16())
    for product, faulty in ((scaled_mm, False), (other_rows, True)):
        monkeypatch.setattr(torch.nn.functional, "scaled_mm", product)
        errors = script["measure_errors"](batch, both, script["fp8"].multiply_scaled_mm)["FP8"]
        assert bool(script["find_faults"]({}, errors, True)) == faulty


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--width", "200"], "--width 200 is no multiple of 128: 256 is the next"),
        (["--hidden", "64"], "--hidden 64 is no multiple of 128: 128 is the next"),
        (["--experts", "0"], "argument --experts: invalid count value: '0'"),
        (["--gemm", "scaled_mm"], "--gemm scaled_mm needs a Hopper GPU, and this run is on another device"),
        (["--graph"], "--graph is for a GPU, and this run is on a CPU: leave it out"),
        (["--json", "/nowhere/file"], "/nowhere/file cannot be made: /nowhere is no directory"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_wrong_usage(run_here, options, message):
    status, out, err = run_here("--device", "cpu", *options)
    assert (status, out) == (2, "") and message in err
