"""The benchmarks at small sizes: all on a GPU, and on a CPU those that need no GPU. Their figures mean nothing here."""

import contextlib
import json
import sys

import pytest
import torch

pytest.importorskip("bitsandbytes")
pytest.importorskip("peft")
import decode_formats
import experts
import int8_layer
import measure
import merged_codes
import merged_weights
import mixtures
import moe_step
import mxfp4_of_triton
import mxfp4_of_unsloth
import test_dequantize as published
import test_matmul_4bit as matmul
import train_real_model
import training_step
from conftest import make_weight
from llamas import WEIGHTS

import qfuse
import qfuse.checkpoint
import qfuse.integrations
from qfuse.native.torch_ops import Call
from qfuse.ops import rotated_products


@pytest.fixture
def run(tmp_path, device, capsys):
    """Returns the exit status, the content of the JSON file, and the printed text."""

    def run(benchmark, *options):
        file = tmp_path / "result.json"
        status = benchmark.main(["--device", device, "--small", "--commit", "abc", "--json", str(file), *options])
        return status, json.loads(file.read_text()), capsys.readouterr().out

    return run


def test_the_published_test(run, device):
    status, result, printed = run(published, "--rounds", "1")
    assert status == 0 and result["faults"] == [] and "commit abc, small shapes" in printed
    assert {"qfuse", "bitsandbytes", "peft"} <= set(result["published"])
    assert len(result["published"]["qfuse"]["parts"]) == 3
    assert all(times["min"] > 0 for times in result["host_us"].values())
    if device == "cpu":
        assert result["missing"][published.PEER] == "ValueError: its kernels are a GPU's alone"
    else:
        assert published.PEER in result["published"]


def test_int8_of_a_layer(run):
    status, result, printed = run(int8_layer)
    (row,) = result["rows"]
    assert status == 0 and row["tokens"] == 40 and "SwiGLU" not in printed
    assert list(row["us"]) == ["decode + cuBLAS", "INT8 apart", "INT8", "INT8 kept"]
    assert row["errors"]["INT8 kept"] == row["errors"]["INT8"]
    assert 0 == row["errors"]["decode + cuBLAS"] < row["errors"]["INT8 apart"] < 0.03
    assert len(row["swiglu_us"]) == 5 and all(times["min"] > 0 for times in row["swiglu_us"].values())


def test_merged_codes(run, monkeypatch):
    status, result, printed = run(merged_codes, "--ranks", "2")
    assert status == 0 and [row["kind"] for row in result["rows"]] == [*merged_codes.KINDS]
    assert all(us["min"] > 0 for row in result["rows"] for us in row["us"].values()) and "| 128 × 256 | 2 |" in printed
    ours = merged_codes.at_once
    monkeypatch.setattr(merged_codes, "step_by_step", lambda *given: [tensor + 1 for tensor in ours(*given)])
    with pytest.raises(AssertionError, match="NF4 to NF4: the ways have other bits"):
        merged_codes.main(["--device", "cpu", "--small"])


def test_merged_weights_of_a_model(run, monkeypatch):
    status, result, printed = run(merged_weights, "--rounds", "1", "--with-trl")
    assert status == 0 and [row["way"] for row in result["rows"]] == [*merged_weights.WAYS, "trl's way"]
    assert all(row["us"]["min"] > 0 for row in result["rows"]) and "first layer's bits are right" in printed
    assert 0 < result["checked"]["error"] < 0.01 and result["checked"]["changed"] > 0
    ours = qfuse.merged_weights
    monkeypatch.setattr(qfuse, "merged_weights", lambda model: ((name, tensor * 1.01) for name, tensor in ours(model)))
    with pytest.raises(AssertionError, match=r"layers\.0\..* differing bytes"):
        merged_weights.main(["--device", "cpu", "--small"])


def test_a_single_wrong_bit_fails(device):
    def wrong(layer):
        out = qfuse.dequantize_4bit(layer)
        out.view(torch.int16)[0, 0] ^= 1
        return out

    c = published.CONFIGURATIONS[1].small()
    with torch.no_grad():
        bits, product = published.check(published.MLP(c, device), c, {"qfuse": wrong})
    assert bits == "qfuse, 64 × 256 bfloat16: 3 differing bytes"
    assert product.startswith("qfuse, 64 × 256 bfloat16: the product with its weights: Tensor-likes are not close!")


def test_another_state_than_the_published_is_refused(device):
    c = published.CONFIGURATIONS[0].small()
    mlp = published.MLP(c, device)
    mlp.up_proj.weight.quant_state.blocksize = 128
    with pytest.raises(AssertionError, match=r"'blocksize': 128.*'blocksize': 64"):
        published.check(mlp, c, {})


@pytest.mark.parametrize("weights", WEIGHTS)
def test_matmul_4bit(run, device, weights):
    status, result, printed = run(matmul, "--weights", weights)
    assert not status and {row["rows"] for row in result["rows"]} == {1, 16}
    assert "| 512 → 256 | 16 |" in printed
    ours = "qfuse" if device == "cpu" else "plain"
    for row in result["rows"]:
        assert row["us"][ours]["min"] > 0 and row["errors"][ours] <= matmul.ERROR
        assert ("bitsandbytes" in row["errors"]) == (weights == "nf4")


def test_a_wrong_product_fails(run, monkeypatch):
    multiply = qfuse.ops.matmul_4bit

    def wrong(*args, **more):
        y = multiply(*args, **more)
        y[:, :4] *= -1
        return y

    monkeypatch.setattr(qfuse.ops, "matmul_4bit", wrong)
    with pytest.raises(AssertionError, match="a relative error of"):
        run(matmul)


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
    orders = experts.orders_of(operands, 3)
    assert "split" in orders if direction == "forward" else orders == ["plain"]
    errors = experts.compare(operands, layer, orders)
    assert errors["plain"] == 0 and "decode + _grouped_mm" in errors
    monkeypatch.setattr(qfuse.ops, "matmul_4bit_grouped", wrong)
    with pytest.raises(AssertionError, match=f"plain, {direction}: [12] bytes are not those of matmul_4bit"):
        experts.compare(operands, layer, orders)


@pytest.mark.parametrize(
    "factor, fault", [(1, ""), (1.1, "AssertionError: triton_kernels, forward: a relative error of"), (None, "TypeE")]
)
def test_a_package_that_fails_is_left_out(device, monkeypatch, capsys, factor, fault):
    """The package is replaced by qfuse's product, scaled."""
    monkeypatch.setattr(mxfp4_of_triton, "is_there", lambda: True)
    monkeypatch.setattr(mxfp4_of_triton.Stack, "of", lambda stack: stack)
    monkeypatch.setattr(
        mxfp4_of_triton, "product_of", lambda x, ends: lambda stack: factor * qfuse.matmul_4bit_grouped(x, stack, ends)
    )
    layer = experts.Layer.random((3, 128, 128), device, "mxfp4")
    ends = torch.tensor([4, 4, 9], dtype=torch.int32, device=device)
    for direction in experts.DIRECTIONS:
        operands = experts.Operands.random(ends, (3, 128, 128), direction)
        found = experts.compare(operands, layer, ["plain"])
        assert ("triton_kernels" in found) == (direction == "forward" and not fault) and "_grouped_mm" in found
    warnings = capsys.readouterr().err
    assert f"warning: triton_kernels is left out: {fault}" in warnings if fault else not warnings


UNSLOTH = {
    "__init__": "raise ImportError('it patches other packages')",
    "mxfp4_dequant": """
import qfuse
FACTOR = 1
def mxfp4_dequantize(blocks, scales, dtype, transpose, token_counts):
    experts, n, groups, _ = blocks.shape
    stack = qfuse.Weight4bit((blocks.view(experts, n, -1), scales), (experts, n, groups * 32), dtype, "mxfp4", 32)
    dense = FACTOR * stack.dequantize()
    return dense.mT if transpose else dense
""",
    "mxfp4_gemm": """
import torch
from unsloth_zoo import mxfp4_dequant
CALLS = []
def mxfp4_expert_grouped_mm(x, blocks, scales, counts, transpose_b):
    CALLS.append(transpose_b)
    dense = mxfp4_dequant.mxfp4_dequantize(blocks, scales, x.dtype, transpose_b, counts)
    return torch.cat([rows @ matrix for rows, matrix in zip(x.split(counts.tolist()), dense)])
""",
}


@pytest.fixture
def unsloth(tmp_path, monkeypatch):
    """Replaces the package, which needs a GPU, by one that decodes with qfuse."""
    (tmp_path / "unsloth_zoo").mkdir()
    for name, text in UNSLOTH.items():
        (tmp_path / "unsloth_zoo" / f"{name}.py").write_text(text)
    loaded = [name for name in sys.modules if name.partition(".")[0] == "unsloth_zoo"]
    for name in loaded:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(mxfp4_of_unsloth, "takes", lambda weights, *more: weights == "mxfp4")
    yield {name: mxfp4_of_unsloth.module(name) for name in UNSLOTH if name != "__init__"}
    for name in ("unsloth_zoo", *(f"unsloth_zoo.{name}" for name in UNSLOTH)):
        sys.modules.pop(name, None)


@pytest.mark.parametrize("rows", [4, 5])
def test_experts_are_multiplied_as_by_unsloth(device, monkeypatch, capsys, unsloth, rows):
    monkeypatch.setattr(mxfp4_of_unsloth, "FUSED_ROWS", 3)
    layer = experts.Layer.random((2, 192, 128), device, "mxfp4")
    ends = torch.tensor([1, 1 + rows], dtype=torch.int32, device=device)
    for direction in experts.DIRECTIONS:
        operands = experts.Operands.random(ends, (2, 192, 128), direction)
        assert experts.compare(operands, layer, ["plain"])["unsloth_zoo"] <= experts.ERROR
    is_fused = 1 + rows < 6  # in all
    calls = unsloth["mxfp4_gemm"].CALLS
    assert calls == ([True, False] if is_fused else [])
    monkeypatch.setattr(unsloth["mxfp4_dequant"], "FACTOR", 1.1)
    assert "unsloth_zoo" not in experts.compare(operands, layer, ["plain"])
    assert "unsloth_zoo is left out: AssertionError" in capsys.readouterr().err


@pytest.mark.parametrize("factor", [1, 1.3])
def test_a_mixture_is_trained_as_by_unsloth(run, monkeypatch, unsloth, factor):
    monkeypatch.setattr(unsloth["mxfp4_dequant"], "FACTOR", factor)
    status, result, printed = run(moe_step, "--layers", "1", "--steps", "1", "--weights", "mxfp4")
    assert [row["way"] for row in result["training"]] == [*moe_step.TRAINING, "unsloth"]
    assert len(unsloth["mxfp4_gemm"].CALLS) and status == (factor != 1)
    assert ("the losses of unsloth and decode are not alike" in printed) == (factor != 1)


def test_formats_beside_their_libraries(run, monkeypatch):
    pytest.importorskip("transformers")
    for name in ("LAUNCHES", "REPLAYS", "WARM_UPS"):
        monkeypatch.setattr(measure, name, 1)
    status, result, printed = run(decode_formats)
    timed = {row["format"]: row for row in result["rows"]}
    assert not status and {"FP8, blocks of 128 x 128", "MXFP4, 4 experts, transposed"} <= timed.keys()
    assert timed.keys() | result["missing"].keys() == {each.name for each in decode_formats.FORMATS}
    assert all(us["min"] > 0 for row in timed.values() for us in row["us"].values())
    assert timed["FP8, blocks of 128 x 128"]["bytes"] == 512 * 512 * 3 + 4 * 4 * 4 and "512 x 512 to bf16" in printed

    right = qfuse.ops.dequantize_fp8
    monkeypatch.setattr(qfuse.ops, "dequantize_fp8", lambda *arguments: -right(*arguments))
    status, result, printed = run(decode_formats)
    assert status == 1 and "FP8, blocks of 128 x 128: " in result["faults"][0] and result["faults"][0] in printed


@pytest.mark.parametrize("weights", WEIGHTS)
def test_experts_are_timed(run, monkeypatch, weights):
    for name in ("LAUNCHES", "REPLAYS", "WARM_UPS"):
        monkeypatch.setattr(measure, name, 2)
    monkeypatch.setattr(
        measure, "undisturbed", contextlib.nullcontext
    )  # garbage collection would take most of the time
    dtype = "float16" if weights == "mxfp4" else "bfloat16"
    status, result, printed = run(experts, "--rows", "1,64", "--weights", weights, "--dtype", dtype)
    assert not status and len(result["rows"]) == 2 * 2 * 2  # stacks x numbers of rows x directions
    for row in result["rows"]:
        assert row["rows"] == 4 * row["mean"] and row["mean"] < row["largest"] <= row["rows"]
        assert all(us["min"] > 0 for us in row["us"].values())
        assert {"plain", "_grouped_mm", "decode + _grouped_mm"} <= row["us"].keys()
        assert ("split" in row["us"]) == (row["direction"] == "forward" and row["mean"] == 1)
    assert "tiny down" in printed and "64 (70)" in printed


@pytest.mark.parametrize("weights", ["nf4", "mxfp4"])
def test_a_mixture_is_trained_three_ways(run, device, weights):
    graph = ["--graph"] if device == "cuda" else []
    status, result, printed = run(moe_step, "--layers", "2", "--steps", "2", "--weights", weights, *graph)
    assert status == 0 and result["faults"] == []
    losses = result["losses"]
    assert losses["bf16"] == losses["decode"] and losses["qfuse"] == losses["qfuse, again"]
    assert losses["qfuse"][:1] == losses["one by one"] and losses["qfuse"][-1] < losses["qfuse"][0]
    assert moe_step.largest_difference(losses) < 0.01
    assert [row["way"] for row in result["training"]] == list(moe_step.TRAINING)
    weights = {row["way"]: row["experts"]["weights"] for row in result["training"]}
    assert 3 < weights["bf16"] / weights["qfuse"] < 4 and weights["qfuse"] == weights["decode"]
    assert "Losses of 4 steps" in printed and "| 64 | qfuse |" in printed


def test_a_mixture_generates(run, device):
    status, result, printed = run(moe_step, "--layers", "2", "--generate", "--batch", "1", "3")
    ways = list(mixtures.GENERATING) if device == "cuda" else ["bf16", "qfuse, split"]
    assert status == 0 and [row["way"] for row in result["generating"]] == 2 * ways
    for row in result["generating"]:
        assert row["token_ms"]["min"] > 0 and row["from_bf16"] < 0.1
    assert "| 3 | qfuse, split |" in printed


def test_wrong_experts_are_no_result(run, monkeypatch):
    multiply = qfuse.matmul_4bit_grouped_lora

    def wrong(*args, **more):
        return 1.3 * multiply(*args, **more)

    monkeypatch.setattr(qfuse, "matmul_4bit_grouped_lora", wrong)
    status, result, printed = run(moe_step, "--layers", "1", "--steps", "1")
    assert status == 1 and len(result["faults"]) == 2
    assert "the losses of qfuse and one by one differ" in printed and "qfuse and decode are not alike" in printed


@pytest.mark.parametrize("way, errors", [("int8-as-it-is", (0.02, 0.1)), ("fp8-blocks", (0.02, 0.045))])
def test_schemes_that_are_simulated_have_their_errors(device, way, errors, monkeypatch):
    """A few inputs are 30 times as large as the others."""
    monkeypatch.setattr(rotated_products, "multiply", rotated_products.multiply)
    weight = make_weight(device, 192, 320).weight
    x = torch.randn(30, 320, generator=torch.Generator().manual_seed(1)).to(device)
    x[:, ::100] *= 30
    train_real_model.simulate(train_real_model.SCHEMES[way])
    torch.set_float32_matmul_precision("highest")
    dense = qfuse.dequantize_4bit(weight, dtype=torch.float32)
    lora_a, lora_b = torch.ones(8, 320, device=device), torch.ones(192, 8, device=device)
    for direction, exact in (("forward", x @ dense.t()), ("backward", x[:, :192] @ dense)):
        terms = (x[:, :8], lora_b if direction == "forward" else lora_a)
        call = Call(x[:, : dense.shape[direction == "forward"]], weight, None, direction, "rotated_int8", terms)
        exact = exact + terms[0].sum(1, keepdim=True)
        found = rotated_products.multiply(call)
        assert errors[0] < (found - exact).norm() / exact.norm() < errors[1]


def test_ways_of_a_training_step_have_names_that_its_option_takes(monkeypatch, capsys):
    def parsed(*words):
        monkeypatch.setattr("sys.argv", ["training_step.py", "--device", "cpu", *words])
        return training_step.parse().ways

    assert parsed() == list(training_step.WAYS)
    assert parsed("--ways", "qfuse products, + loss") == ["qfuse products", "+ loss"]
    with pytest.raises(SystemExit):
        parsed("--ways", "qfuse, products")
    assert "no such way: products; there are bitsandbytes" in capsys.readouterr().err


def test_a_real_model_is_trained_two_ways(tmp_path, device, capsys):
    """Replaces the real model by a small one with random weights and a token for each letter."""
    training_step.make_model(tmp_path / "nf4", 1, True, device)
    qfuse.checkpoint.dequantize(tmp_path / "nf4", tmp_path / "bf16")
    (tmp_path / "page.html").write_text("<style>p {}</style><p>Fifty words &amp; <b>more</b></p>\n" * 40)
    model, (eager, sped_up) = tmp_path / "model", (tmp_path / f"{way}.json" for way in ("eager", "qfuse"))

    def run(*words):
        train_real_model.main(list(map(str, words)))
        return capsys.readouterr().out

    assert "tokens of 1 files" in run("prepare", model, "--text", tmp_path, "--model", tmp_path / "bf16")
    options = ["--device", device, "--steps", 10, "--sequences", 2, "--tokens", 32, "--held-out", 2]
    for file in (eager, sped_up):
        run("train", model, "--way", file.stem, "--json", file, *options)
    found = json.loads(sped_up.read_text())
    assert "qfuse speeds up the loss" in found["report"] and found["held_out"].keys() == {"0", "5", "10"}
    assert found["held_out"]["10"] < found["held_out"]["0"]
    losses = json.loads(eager.read_text())["losses"]
    assert found["losses"] == pytest.approx(losses, rel=2**-8) and len(set(losses)) == 10
    assert "| qfuse, seed 0 |" in run("table", sped_up, eager)
    for way, *kept in (("merge-aware",), ("merge-aware", "--keep-scales"), ("merge-aware-from-16-bits",)):
        file = tmp_path / f"{way}{kept}.json"
        run("train", model, "--way", way, *kept, "--json", file, "--merge", "--rate", 0.05, *options)  # changes codes
        found = json.loads(file.read_text())
        assert found["held_out"]["0"] - 0.01 > found["merged"] == pytest.approx(found["held_out"]["10"], rel=2**-8)
        line = f"| {way}{train_real_model.KEPT * len(kept)}, seed 0, rate 0.05 |"
        assert line in (printed := run("table", eager, file)) and f"{found['merged']:.4f}" in printed
    with pytest.raises(SystemExit):
        run("train", model, "--way", "from-16-bits", "--keep-scales", "--json", file, *options)
    assert "--keep-scales needs absmax to keep" in capsys.readouterr().err
    in_int8 = tmp_path / "qfuse-int8.json"
    options = ["--device", device, "--steps", 2, "--sequences", 5, "--tokens", 64, "--held-out", 1]
    run("train", model, "--way", in_int8.stem, "--json", in_int8, *options)
    found = json.loads(in_int8.read_text())
    assert "products with frozen weights: INT8" in found["report"]
    kinds = {(step, kind) for step, kinds in found["gradients"].items() for kind in kinds}
    assert len(kinds) == 14 and "degrees: first step; last" in run("table", in_int8)
    assert all(0 < found["gradients"][step][kind]["degrees"] < 30 for step, kind in kinds)
    qfuse.integrations.bitsandbytes.disable()
    qfuse.integrations.peft.disable()
    found["task"]["steps"] = 5
    sped_up.write_text(json.dumps(found))
    with pytest.raises(SystemExit):
        run("table", eager, sped_up)
    assert "qfuse.json is of another model, text or length than" in capsys.readouterr().err
