"""The benchmarks in little: all of them on a GPU, on a CPU what needs none. Figures mean nothing at these sizes."""

import contextlib
import copy
import json

import pytest
import torch

pytest.importorskip("bitsandbytes")
pytest.importorskip("peft")
import experts
import measure
import moe_model
import moe_step
import published_report
import test_dequantize as published
import test_lora_host as lora
import test_matmul_4bit as matmul
import test_silu_dot_fwd_bwd_quant_fuse as swiglu

import qfuse


def run(benchmark, folder, device, *options):
    """Exit status, what went to the JSON file, and the printed tables."""
    files = [folder / "result.json", folder / "result.md"]
    status = benchmark.main(
        [
            "--device",
            device,
            "--small",
            "--commit",
            "abc",
            "--json",
            str(files[0]),
            "--markdown",
            str(files[1]),
            *options,
        ]
    )
    return status, json.loads(files[0].read_text()), files[1].read_text()


@pytest.fixture(scope="module")
def on_cpu(tmp_path_factory):
    return run(published, tmp_path_factory.mktemp("published"), "cpu", "--rounds", "1")


def check_published(status, result, tables):
    assert status == 0 and result["rounds"] == 1 and "commit abc, small shapes" in tables
    assert [one["contenders"]["qfuse"] for one in result["checks"]] == [{"differing_bytes": 0, "product": ""}] * 3
    assert {"qfuse", "bitsandbytes"} <= set(result["published"]) and len(result["published"]["qfuse"]["parts"]) == 3
    assert all(times["min"] > 0 for times in result["host_us"].values())
    rubric = {name: verdict for name, _, verdict in result["rubric"]}
    for name in ("custom PTX", "a cache eviction policy", "float16 and bfloat16"):
        assert rubric[name] == "yes" and name in tables
    assert rubric["works under torch.compile, in one graph"] in ("yes", "not measured")  # for want of a compiler
    return rubric


def test_the_published_test_on_a_cpu(on_cpu):
    rubric = check_published(*on_cpu)
    assert rubric["a single kernel"] == "not measured"
    assert on_cpu[1]["missing"][published_report.PEER] == "ValueError: its kernels are a GPU's alone"


@pytest.mark.skipif(not torch.cuda.is_available(), reason="NOT TESTED ON A GPU: torch sees none here")
def test_the_published_test_on_a_gpu(tmp_path):
    status, result, tables = run(published, tmp_path, "cuda", "--rounds", "1")
    assert check_published(status, result, tables)["a single kernel"] == "yes"
    assert {one[published_report.PEER]["launches"] for one in result["profiles"]} == {3}
    assert "an empty kernel" in result["floors_us"]


def test_the_report_of_a_gpu(on_cpu):
    """What only a GPU measures, made up: whether sums and verdicts follow from it."""
    result = copy.deepcopy(on_cpu[1])
    result["floors_us"]["an empty kernel"] = measure.spread([10.0])
    result["published"] = {
        name: {"seconds": measure.spread([seconds]), "parts": [measure.spread([seconds / 3])] * 3}
        for name, seconds in (("qfuse", 200e-6), (published_report.PEER, 222e-6))
    }
    result["device_us"] = [{name: measure.spread([4.0]) for name in result["published"]}] * 3
    result["profiles"] = [
        {"qfuse": {"launches": 1.0, "us": us}, published_report.PEER: {"launches": 3.0, "us": 2 * us}}
        for us in (5.0, 10.0, 15.0)
    ]
    # Three matrices of each MLP, once: 3 x (3 x (10 + 1) + 5 + 10 + 15) us.
    assert "0.000 s; measured: 0.000 s, which is more" in published_report.floor_text(result)
    result["rounds"] = 10**4
    assert "summed over the calls: 1.890 s" in published_report.floor_text(result)
    result["rounds"] = 1
    row = "| qfuse | 128 × 512 float16 | 4.00 (4.00 to 4.00) | 22.22 | 1 | 5.00 | 7.22 |"
    assert row in published_report.calls_table(result)
    assert published_report.judge_speed(result)[1:] == ("1.11 times", "yes, 1.10")
    assert published_report.judge_kernels(result)[1:] == (f"launches a call: qfuse 1, {published_report.PEER} 3", "yes")
    result["profiles"][1]["qfuse"]["launches"] = 2.0
    assert published_report.judge_kernels(result).verdict == "no"
    result["published"]["qfuse"]["seconds"] = measure.spread([223e-6])
    assert published_report.judge_speed(result).verdict == "no"


def test_a_single_wrong_bit_fails(device):
    def wrong(layer):
        out = qfuse.dequantize_4bit(layer)
        out.view(torch.int16)[0, 0] ^= 1
        return out

    c = published.CONFIGURATIONS[1].small()
    with torch.no_grad():
        mlp = published.MLP(c, device)
        checks = [{"configuration": str(c), "contenders": published.check(mlp, c, {"qfuse": wrong})}]
    result = {"checks": checks, "compiled": []}
    bits, product = published_report.failures(result)
    assert bits == "qfuse, 64 × 256 bfloat16: 3 differing bytes"
    assert product.startswith("qfuse, 64 × 256 bfloat16: the product with its weights: Tensor-likes are not close!")


def test_what_compiling_may_and_may_not_change():
    def failing(**compiled):
        result = {"checks": [], "compiled": [compiled]}
        return bool(published_report.failures(result)), published_report.judge_compiled(result).verdict

    right, rounded, wrong = ({"weights": 0, "product": 0}, {"weights": 0, "product": 7}, {"weights": 1, "product": 0})
    refused = {"refused": "InductorError: no compiler"}
    assert failing(inductor=rounded, aot_eager=right) == (False, "yes")
    assert failing(inductor=refused, aot_eager=right) == (False, "not measured")
    assert failing(inductor=wrong, aot_eager=right) == (True, "no")
    assert failing(inductor=rounded, aot_eager=rounded) == (True, "no")
    assert failing(inductor=refused, aot_eager=refused) == (True, "no")


def test_another_state_than_the_published_is_refused(device):
    c = published.CONFIGURATIONS[0].small()
    mlp = published.MLP(c, device)
    mlp.up_proj.weight.quant_state.blocksize = 128
    with pytest.raises(AssertionError, match=r"'blocksize': 128.*'blocksize': 64"):
        published.check(mlp, c, {})


@pytest.mark.slow
def test_the_swiglu(tmp_path, device):
    status, result, tables = run(swiglu, tmp_path, device)
    assert status == 0 and len(result["compared"]) == 57 and not any(result["compared"].values())
    assert len(result["rows"]) == 2 and "Mean over the 2 shapes" in tables


def test_a_single_wrong_byte_of_the_swiglu_fails(tmp_path, device, monkeypatch, capsys):
    def wrong(x, grad_y, *outputs):
        qfuse.ops.silu_dot_fwd_bwd_quant_fuse(x, grad_y, *outputs)
        if outputs[2] is not None:
            outputs[2][0, 0] ^= 1

    monkeypatch.setattr(swiglu, "silu_dot_fwd_bwd_quant_fuse", wrong)
    monkeypatch.setattr(swiglu, "cases", lambda layers: [("zeros", swiglu.zeros)])
    assert run(swiglu, tmp_path, device, "--without-compile")[0] == 1
    assert "FAILED zeros: {'y_q_t': 1}\nFAILED zeros, no gradients: {'y_q_t': 1}" in capsys.readouterr().out


def test_matmul_4bit(tmp_path, device):
    status, result, tables = run(matmul, tmp_path, device)
    assert not status and {row["rows"] for row in result["rows"]} == {1, 16}
    assert "| 512 → 256 | 16 |" in tables
    ours = "qfuse" if device == "cpu" else "plain"
    for row in result["rows"]:
        assert row["us"][ours]["min"] > 0 and row["errors"][ours] <= matmul.ERROR
        assert "bitsandbytes" in row["errors"]


def test_a_wrong_product_fails(tmp_path, device, monkeypatch):
    multiply = qfuse.ops.matmul_4bit

    def wrong(*args, **more):
        y = multiply(*args, **more)
        y[:, :4] *= -1
        return y

    monkeypatch.setattr(qfuse.ops, "matmul_4bit", wrong)
    with pytest.raises(AssertionError, match="a relative error of"):
        run(matmul, tmp_path, device)


# ---- the host's time of a layer of QLoRA


def test_a_layer_is_timed_three_ways(tmp_path, device):
    status, result, printed = run(lora, tmp_path, device)
    assert status == 0 and all(f"| {way} |" in printed for way in lora.WAYS)
    for dropout in ("dropout 0.0", "dropout 0.05"):
        assert all(found["median"] > 0 for way in lora.WAYS for found in result[dropout][way].values())


def test_a_layer_that_is_off_is_not_timed(monkeypatch):
    model = lora.make(2, "cpu", 0.0)
    x = torch.randn(8, lora.WIDTH, dtype=torch.bfloat16)
    integration = lora.qfuse.integrations.peft_forward
    product = integration.multiply_with_lora
    monkeypatch.setattr(integration, "multiply_with_lora", lambda *arguments: 1.1 * product(*arguments))
    with pytest.raises(AssertionError, match="LoRA too is off by"):
        lora.check(model, x, x)


# ---- mixtures of experts


@pytest.mark.parametrize("direction", ["forward", "backward"])
def test_a_wrong_bit_of_an_expert_is_not_timed(device, monkeypatch, direction):
    multiply = qfuse.ops.matmul_4bit_grouped

    def wrong(*args, **more):
        y = multiply(*args, **more)
        y.view(torch.int16)[-1, -1] ^= 1
        return y

    layer = experts.Layer.random((3, 128, 128), device)
    ends = torch.tensor([4, 4, 9], dtype=torch.int32, device=device)
    operands = experts.Operands.random(ends, (3, 128, 128), direction)
    names = experts.names_of_ours(operands, 3)
    assert "split" in names if direction == "forward" else names == ["plain", "plain, LoRA"]
    errors = experts.compare(operands, layer, names)
    assert errors["plain"] == 0 and "decode + _grouped_mm" in errors
    monkeypatch.setattr(qfuse.ops, "matmul_4bit_grouped", wrong)
    with pytest.raises(AssertionError, match=f"plain, {direction}: [12] bytes are not those of matmul_4bit"):
        experts.compare(operands, layer, names)


def test_experts_are_timed(tmp_path, device, monkeypatch):
    for name in ("LAUNCHES", "REPLAYS", "WARM_UPS"):
        monkeypatch.setattr(measure, name, 2)
    monkeypatch.setattr(
        measure, "undisturbed", contextlib.nullcontext
    )  # to collect garbage would take most of the time
    status, result, tables = run(experts, tmp_path, device, "--rows", "1,64")
    assert not status and len(result["rows"]) == 2 * 2 * 2  # of stacks, numbers of rows and directions
    for row in result["rows"]:
        assert row["rows"] == 4 * row["mean"] and row["mean"] < row["largest"] <= row["rows"]
        assert all(us["min"] > 0 for us in row["us"].values()) and row["roof_us"] > 0
        assert {"plain", "plain, LoRA", "_grouped_mm", "decode + _grouped_mm"} <= row["us"].keys()
        assert ("split" in row["us"]) == (row["direction"] == "forward" and row["mean"] == 1)
    plain, bf16 = (result["rows"][-1][name] for name in ("bytes", "bytes_of_bf16"))
    assert bf16 - plain == 4 * 128 * 128 * 2 - (4 * 128 * 128 // 2 + 4 * 256 + 4 * 4 + 256 * 4 + 4)
    assert "tiny down" in tables and "64 (70)" in tables


def test_a_mixture_is_trained_three_ways(tmp_path, device):
    graph = ["--graph"] if device == "cuda" else []
    status, result, tables = run(moe_step, tmp_path, device, "--layers", "2", "--steps", "2", *graph)
    assert status == 0 and result["faults"] == []
    losses = result["compared"]["losses"]
    assert losses["bf16"] == losses["decode"] and losses["qfuse"] == losses["qfuse, again"]
    assert losses["qfuse"][:1] == losses["one by one"] and losses["qfuse"][-1] < losses["qfuse"][0]
    assert moe_step.largest_difference(losses) < 0.01
    assert [row["way"] for row in result["training"]] == list(moe_step.TRAINING)
    weights = {row["way"]: row["experts"]["weights"] for row in result["training"]}
    assert 3 < weights["bf16"] / weights["qfuse"] < 4 and weights["qfuse"] == weights["decode"]
    assert "Losses of 4 steps" in tables and "| 64 | qfuse |" in tables


def test_a_mixture_generates(tmp_path, device):
    status, result, tables = run(moe_step, tmp_path, device, "--layers", "2", "--generate", "--batch", "1", "3")
    ways = list(moe_model.GENERATING) if device == "cuda" else ["bf16", "qfuse, split"]
    assert status == 0 and [row["way"] for row in result["generating"]] == 2 * ways
    for row in result["generating"]:
        assert row["token_ms"]["min"] > 0 and row["from_bf16"] < 0.1
    assert "| 3 | qfuse, split |" in tables


def test_wrong_experts_are_no_result(tmp_path, device, monkeypatch):
    multiply = qfuse.matmul_4bit_grouped_lora

    def wrong(*args, **more):
        return 1.01 * multiply(*args, **more)

    monkeypatch.setattr(qfuse, "matmul_4bit_grouped_lora", wrong)
    status, result, tables = run(moe_step, tmp_path, device, "--layers", "1", "--steps", "1")
    assert status == 1 and len(result["faults"]) == 3
    assert "the losses of qfuse and one by one differ" in tables and "gate_up of layer 0 has the errors" in tables
