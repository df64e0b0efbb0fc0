"""qfuse.checkpoint: the command's operations as functions. What the bytes must be is tested elsewhere."""

import json
import math
import shutil
import signal

import pytest
import torch
from conftest import TINY, command, contents

import qfuse
from qfuse import checkpoint
from qfuse.native import library


def test_dequantize_is_the_commands(tmp_path):
    report = checkpoint.dequantize(TINY / "bnb4", tmp_path / "ours")
    command("dequantize", TINY / "bnb4", "-o", tmp_path / "theirs")
    assert contents(tmp_path / "ours") == contents(tmp_path / "theirs")
    assert report == checkpoint.ConversionReport(21, 14, 1, 471219, 1000704, (), ())


def test_reports_print_in_short(tmp_path):
    converted = checkpoint.dequantize(TINY / "bnb4", tmp_path / "full")
    assert repr(converted) == "ConversionReport(14 of 21 tensors converted, 1 MB in 1 file)"
    merged = checkpoint.merge(TINY / "full", TINY / "adapter", tmp_path / "merged")
    assert repr(merged).startswith("MergeReport(") and "of 21 tensors merged, 1 MB in 1 file" in repr(merged)
    assert repr(checkpoint.compare(tmp_path / "full", tmp_path / "full")) == "CompareReport(equal, 21 tensors)"
    assert " of 21 tensors, signal-to-noise ratio " in repr(checkpoint.compare(tmp_path / "full", tmp_path / "merged"))
    assert repr(checkpoint.inspect(TINY / "bnb4")) == "Inventory(21 tensors in 3 files, 471 kB, decoded 1 MB)"
    weight = qfuse.load_checkpoint(TINY / "bnb4")["model.layers.0.mlp.down_proj.weight"]
    assert repr(weight) == "Weight4bit(nf4, [128, 352], bfloat16, blocks of 64, nested, cpu)"


def test_quantize_is_the_commands(tmp_path):
    options = {"quant_type": "fp4", "blocksize": 128, "double_quant": False, "exclude": ["*.mlp.*"], "dtype": "fp16"}
    report = checkpoint.quantize(TINY / "full", tmp_path / "ours", max_shard_size=100_000, **options)
    command(
        *("quantize", TINY / "full", "-o", tmp_path / "theirs", "--type", "fp4", "--block-size", 128),
        *("--no-double-quant", "--exclude", "*.mlp.*", "--dtype", "fp16", "--max-shard-size", "100kB"),
    )
    assert contents(tmp_path / "ours") == contents(tmp_path / "theirs")
    assert report.converted == 8 and report.files > 2
    kept = {one.kind: (one.tensors, one.bytes) for one in report.kept}
    assert kept["excluded"] == (6, 6 * 128 * 352 * 2) and sum(tensors for tensors, _ in kept.values()) == 13


def test_a_dry_run_writes_nothing(tmp_path):
    planned = checkpoint.quantize(TINY / "full", tmp_path / "out", dry_run=True)
    assert not any(tmp_path.iterdir())
    assert planned.converted == checkpoint.quantize(TINY / "full", tmp_path / "out").converted


def test_a_component_of_a_pipeline(tmp_path):
    pipeline = tmp_path / "pipeline"
    for name in ["text_encoder", "vae"]:
        shutil.copytree(TINY / "full", pipeline / name)
    (pipeline / "model_index.json").write_text(
        '{"text_encoder": ["transformers", "LlamaModel"], "vae": ["diffusers", "AutoencoderKL"]}'
    )
    checkpoint.quantize(pipeline, tmp_path / "out", components=["vae"])
    checkpoint.quantize(TINY / "full", tmp_path / "vae")
    assert contents(tmp_path / "out/vae") == contents(tmp_path / "vae")
    assert contents(tmp_path / "out/text_encoder") == contents(TINY / "full")
    with pytest.raises(TypeError, match="components is a str"):
        checkpoint.quantize(pipeline, tmp_path / "out", components="vae")


def test_shards_and_finish(tmp_path):
    for index in range(3):
        checkpoint.dequantize(TINY / "bnb4", tmp_path / "out", shard=(index, 3), max_shard_size=100_000)
    report = checkpoint.finish(tmp_path / "out")
    checkpoint.dequantize(TINY / "bnb4", tmp_path / "whole", max_shard_size=100_000)
    assert contents(tmp_path / "out") == contents(tmp_path / "whole")
    assert (report.shards, report.tensors) == (3, 21)


@pytest.mark.parametrize("ask_transformers", [False, True])
def test_check(tmp_path, ask_transformers):
    if ask_transformers:
        pytest.importorskip("transformers")
    model = tmp_path / "model"
    shutil.copytree(TINY / "bnb4", model)
    report = checkpoint.check(model, ask_transformers=ask_transformers)
    assert (report.problems, report.notes, report.tensors) == ((), (), 21)

    config = json.loads((model / "config.json").read_text())
    config["vocab_size"] += 8
    config["num_hidden_layers"] -= 1
    (model / "config.json").write_text(json.dumps(config))
    problems = checkpoint.check(model, ask_transformers=ask_transformers).problems
    assert {problem.kind for problem in problems} == {"mismatched", "unexpected"}
    assert "model.embed_tokens.weight" in {problem.tensor for problem in problems}


def test_inspect():
    inventory = checkpoint.inspect(TINY / "bnb4")
    weight = next(tensor for tensor in inventory.tensors if tensor.name.endswith("0.mlp.down_proj.weight"))
    assert (weight.format, weight.shape, weight.nested, weight.dtype) == ("nf4", (128, 352), True, "BF16")
    assert sum(array.bytes for array in weight.arrays) == weight.bytes
    assert sum(tensor.bytes for tensor in inventory.tensors) == inventory.bytes


def test_compare(tmp_path):
    checkpoint.dequantize(TINY / "bnb4", tmp_path / "out")
    assert checkpoint.compare(TINY / "bnb4", tmp_path / "out").equal
    report = checkpoint.compare(TINY / "bnb4", TINY / "full")
    differing = [tensor for tensor in report.tensors if tensor.difference == "values"]
    assert not report.equal and len(differing) == 14
    assert all(tensor.snr_db is not None and 10 < tensor.snr_db < 30 for tensor in differing)
    assert report.different == 14 and 20 < report.snr_db < 21
    assert math.isclose(report.relative_error, 10 ** (-report.snr_db / 20))
    assert checkpoint.compare(TINY / "bnb4", TINY / "full", threads=1) == report


def test_progress(tmp_path):
    seen = []
    checkpoint.dequantize(TINY / "bnb4", tmp_path / "out", progress=seen.append)
    assert seen[-1].bytes_done == seen[-1].bytes_total > 0
    assert [step.bytes_done for step in seen] == sorted(step.bytes_done for step in seen)
    with pytest.raises(checkpoint.Cancelled):
        checkpoint.dequantize(TINY / "bnb4", tmp_path / "cancelled", progress=lambda progress: False)
    with pytest.raises(KeyboardInterrupt):
        checkpoint.quantize(TINY / "full", tmp_path / "cancelled", progress=interrupt)
    with pytest.raises(ZeroDivisionError):
        checkpoint.compare(TINY / "bnb4", TINY / "full", progress=lambda progress: 1 / 0)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_an_interrupt_anywhere():
    previous = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 1e-4)  # fires while the library works; its first callback raises
        with pytest.raises(KeyboardInterrupt):
            for _ in range(1000):
                checkpoint.inspect(TINY / "bnb4")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)


def interrupt(progress):
    raise KeyboardInterrupt


def test_notes(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in/model.safetensors").write_bytes((TINY / "full/model-00001-of-00006.safetensors").read_bytes())
    (tmp_path / "in/config.json").write_text('{"model_type": "of tomorrow"}')
    (note,) = checkpoint.quantize(tmp_path / "in", tmp_path / "out").notes
    assert "no model of type 'of tomorrow' was checked" in note


@pytest.mark.parametrize("dtype", ["fp16", "float16", "FP16", torch.float16], ids=str)
def test_dtypes_by_any_name(dtype, tmp_path):
    checkpoint.dequantize(TINY / "bnb4", tmp_path / "out", dtype=dtype)
    command("dequantize", TINY / "bnb4", "-o", tmp_path / "same", "--dtype", str(dtype).removeprefix("torch."))
    assert contents(tmp_path / "out") == contents(tmp_path / "same")
    assert {tensor.dtype for tensor in checkpoint.inspect(tmp_path / "out").tensors if ".mlp." in tensor.name} == {
        "F16"
    }


def test_what_is_wrong(tmp_path):
    for error, message, call in [
        (OSError, "No such file", lambda: checkpoint.dequantize(tmp_path / "none", tmp_path / "out")),
        (ValueError, "nothing to dequantize", lambda: checkpoint.dequantize(TINY / "full", tmp_path / "out")),
        (ValueError, "dtype is 'int8'", lambda: checkpoint.dequantize(TINY / "bnb4", tmp_path / "out", dtype="int8")),
        (ValueError, "dtype is torch.float64, it", lambda: checkpoint.dequantize(TINY, "out", dtype=torch.float64)),
        (ValueError, "quant_type is 'nf5'", lambda: checkpoint.quantize(TINY / "full", "out", quant_type="nf5")),
        (ValueError, "blocksize is 48", lambda: checkpoint.quantize(TINY / "full", tmp_path / "out", blocksize=48)),
        (ValueError, "tpu", lambda: checkpoint.dequantize(TINY / "bnb4", tmp_path / "out", device="tpu")),
        (ValueError, r"shard is \(0, 0\)", lambda: checkpoint.dequantize(TINY / "bnb4", "out", shard=(0, 0))),
        (ValueError, "threads is 4294967297", lambda: checkpoint.dequantize(TINY / "bnb4", "out", threads=2**32 + 1)),
        (TypeError, "exclude is a str", lambda: checkpoint.quantize(TINY / "full", tmp_path / "o", exclude="*.x")),
        (ValueError, "null character", lambda: checkpoint.inspect("a\0b")),
        (ValueError, "matches nothing", lambda: checkpoint.quantize(TINY / "full", tmp_path / "o", include=["x*"])),
        (ValueError, "no option 'colour'", lambda: library.run("finish", "out", options=[("colour", b"red")])),
        (ValueError, "force is 'red', which is no number", lambda: checkpoint.finish("out", force="red")),
    ]:
        with pytest.raises(error, match=message):
            call()
    assert list(tmp_path.iterdir()) == []


def test_devices():
    cpu, *gpus = qfuse.devices()
    assert cpu.name == "cpu" and cpu.description and cpu.targets[-1] == "scalar"
    gpus = [gpu for gpu in gpus if not gpu.name.startswith("opencl:")]
    assert all(gpu.name == f"cuda:{index}" for index, gpu in enumerate(gpus))
    assert math.prod(len(device.description) for device in qfuse.devices()) > 0


def test_build_info():
    info = qfuse.build_info()
    assert info["version"] == qfuse.__version__ and info["compiler"]
    assert ("cuda_architectures" in info) == (info["cuda"][0].isdigit())
    assert info["opencl"]
