"""qfuse.load_checkpoint: the bits of the files, where tensors are mapped, and what it refuses."""

import json
import math
import mmap
import os
import re
import struct
import subprocess
import sys
import warnings
from pathlib import Path
from typing import NamedTuple

import pytest
import torch
from conftest import DEVICES, GOLDEN, golden_weights, same_bits, same_state
from safetensors.torch import load_file, save_file

import qfuse
from qfuse.native import library

TINY = GOLDEN / "tiny_llama"
STATE = ".quant_state.bitsandbytes__"
SMALL = {
    "quant_type": "nf4",
    "blocksize": 64,
    "dtype": "bfloat16",
    "shape": [6, 32],
    "nested_blocksize": 256,
    "nested_dtype": "float32",
    "nested_offset": 0.25,
}


def bits(tensor):
    """Returns dtype, shape and bytes, because torch cannot compare some dtypes."""
    return tensor.dtype, tensor.shape, bytes(tensor.reshape(-1).view(torch.uint8).cpu().tolist())


def write(path, tensors):
    """Writes tensors (name, dtype, shape, bytes) one after the other in this order; save_file would align them."""
    header, data = {}, b""
    for name, dtype, shape, content in tensors:
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + len(content)]}
        data += content
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)
    return path


def small_weight(**changes):
    """Returns a nested NF4 weight, as write() takes it, with `changes` in its quant_state."""
    state = json.dumps(SMALL | changes).encode()
    return [
        ("w.nested_absmax", "F32", [1], struct.pack("<f", 0.5)),
        ("w.nested_quant_map", "F32", [256], struct.pack("<256f", *(i / 256 for i in range(256)))),
        ("w", "U8", [96, 1], bytes(i * 37 % 256 for i in range(96))),
        ("w.absmax", "U8", [3], bytes((3, 200, 255))),
        (f"w{STATE}nf4", "U8", [len(state)], state),
    ]


def stored(path):
    files = sorted(path.glob("*.safetensors")) if path.is_dir() else [path]
    return {name: tensor for file in files for name, tensor in load_file(file).items()}


class Mapping(NamedTuple):
    begin: int
    end: int
    offset: int  # in the file


def mappings(path):
    """Returns where this process has the file mapped."""
    found = []
    for line in Path("/proc/self/maps").read_text().splitlines():
        place, _, offset, _, _, *name = line.split(maxsplit=5)
        if name == [os.path.realpath(path)]:
            found.append(Mapping(*(int(number, 16) for number in place.split("-")), int(offset, 16)))
    return found


def check_weight(weight, name, arrays):
    state = json.loads(bytes(arrays[f"{name}{STATE}{weight.quant_type}"].tolist()))
    assert same_bits(weight.packed, arrays[name]) and same_bits(weight.absmax, arrays[f"{name}.absmax"])
    assert (weight.quant_type, weight.blocksize) == (state["quant_type"], state["blocksize"])
    assert (weight.shape, f"torch.{state['dtype']}") == (tuple(state["shape"]), str(weight.dtype))
    assert (weight.nested_absmax is not None) == ("nested_offset" in state)
    if weight.nested_absmax is not None:
        assert weight.nested_blocksize == state["nested_blocksize"]
        assert same_bits(weight.nested_absmax, arrays[f"{name}.nested_absmax"])
        assert same_bits(weight.nested_quant_map, arrays[f"{name}.nested_quant_map"])
        assert same_bits(weight.nested_offset, torch.tensor(state["nested_offset"], dtype=torch.float32))


@pytest.mark.parametrize(
    "path",
    [
        "tiny_llama/bnb4",
        "tiny_llama/bnb4_scattered",
        "tiny_llama/full",
        "bnb_cases.safetensors",
        "bnb_extra.safetensors",
        "bnb_int8.safetensors",
    ],
)
def test_every_tensor_has_the_bits_of_its_file(path, device):
    arrays, loaded = stored(GOLDEN / path), qfuse.load_checkpoint(GOLDEN / path, device)
    weights = {name.partition(STATE)[0] for name in arrays if STATE in name}
    assert {name for name, tensor in loaded.items() if isinstance(tensor, qfuse.Weight4bit)} == weights
    parts = {name for name in arrays for weight in weights if name.startswith(f"{weight}.")}
    assert set(loaded) == set(arrays) - parts
    for name, tensor in loaded.items():
        if name in weights:
            check_weight(tensor, name, arrays)
            assert {part.device.type for part in tensor.tensors} == {device}
        else:
            assert same_bits(tensor, arrays[name]) and tensor.device.type == device


@pytest.mark.parametrize("has_rows", [False, True])
@pytest.mark.parametrize("nested", [False, True])
def test_experts_of_one_tensor_are_one_weight(tmp_path, device, nested, has_rows):
    """A stack as bitsandbytes saves it; codes and absmax may have a row for each expert."""
    bitsandbytes = pytest.importorskip("bitsandbytes")
    stack = torch.randn(4, 96, 64, generator=torch.Generator().manual_seed(1)).bfloat16()
    codes, state = bitsandbytes.functional.quantize_4bit(stack, quant_type="nf4", compress_statistics=nested)
    tensors = {"experts.down_proj": codes}
    tensors |= {f"experts.down_proj.{key}": part for key, part in state.as_dict(packed=True).items()}
    if has_rows:
        for name in ("experts.down_proj", "experts.down_proj.absmax"):
            tensors[name] = tensors[name].reshape(4, -1)
    save_file(tensors, tmp_path / "model.safetensors")
    weight = qfuse.load_checkpoint(tmp_path, device)["experts.down_proj"]
    assert weight.shape == (4, 96, 64)
    assert same_bits(weight.dequantize().cpu(), bitsandbytes.functional.dequantize_4bit(codes, state))


def test_experts_that_quantize_wrote_are_those_of_bitsandbytes(tmp_path):
    bitsandbytes = pytest.importorskip("bitsandbytes")
    stack = torch.randn(4, 96, 64, generator=torch.Generator().manual_seed(1)).bfloat16()
    save_file({"experts.down_proj": stack}, tmp_path / "plain.safetensors")
    arguments = tmp_path / "plain.safetensors", tmp_path / "quantized.safetensors"
    notes = qfuse.checkpoint.quantize(*arguments, experts=True, double_quant=False).notes
    assert len(notes) == 1 and "qfuse.load_checkpoint" in notes[0]
    weight = qfuse.load_checkpoint(arguments[1])["experts.down_proj"]
    codes, state = bitsandbytes.functional.quantize_4bit(stack, quant_type="nf4")
    assert weight.shape == tuple(state.shape) and weight.dtype is state.dtype
    assert same_bits(weight.packed, codes) and same_bits(weight.absmax, state.absmax)


@pytest.mark.parametrize("path", ["bnb4", "bnb4_scattered"])
def test_a_model_decodes_to_the_bits_of_bitsandbytes(path, device):
    loaded = qfuse.load_checkpoint(TINY / path, device)
    expected = load_file(TINY / "dequant_expected.safetensors")
    assert len(expected) == 14
    assert all(same_bits(qfuse.dequantize_4bit(loaded[name]), weight) for name, weight in expected.items())


def test_weights_of_every_kind_decode_to_the_bits_of_bitsandbytes(device):
    loaded = qfuse.load_checkpoint(GOLDEN / "bnb_cases.safetensors", device)
    for case in golden_weights("bnb_cases"):
        weight = loaded[f"{case.name}.weight"]
        found = qfuse.ops.dequantize_4bit(*weight)
        assert same_bits(found, case.decoded[weight.dtype].reshape(found.shape)), case.name


def test_a_loaded_weight_multiplies_and_moves(device, backend):
    weight = qfuse.load_checkpoint(TINY / "bnb4")["model.layers.0.mlp.down_proj.weight"]
    weight = weight.to(device)
    assert weight.to(device).packed is weight.packed
    assert {part.device.type for part in weight.to("meta").tensors} == {"meta"}
    dense = qfuse.dequantize_4bit(weight)
    out = torch.empty_like(dense)
    assert dense.shape == (128, 352) and same_bits(qfuse.dequantize_4bit(weight, out=out), dense)
    x, bias = torch.randn(3, 352, device=device), torch.ones(128, device=device)
    expected = torch.nn.functional.linear(x, weight.dequantize(torch.float32), bias)
    torch.testing.assert_close(qfuse.matmul_4bit(x, weight, bias=bias), expected)
    torch._dynamo.reset()
    product = torch.compile(lambda x, w: qfuse.matmul_4bit(x, w, bias=bias), fullgraph=True, backend=backend)
    torch.testing.assert_close(product(x, weight), expected)
    torch._dynamo.reset()
    assert same_bits(torch.compile(qfuse.dequantize_4bit, fullgraph=True, backend=backend)(weight), dense)
    with pytest.raises(TypeError, match="weight is a Weight4bit"):
        qfuse.dequantize_4bit(weight, [1, 2])
    with pytest.raises(TypeError, match=r"^quant_state is a Weight4bit: pass it as the weight$"):
        qfuse.dequantize_4bit(weight.packed, weight)
    for no_device in (torch.float16, torch.ones(1, dtype=torch.float16)):
        with pytest.raises(TypeError, match=r"moves between devices; the dtype it decodes to is w\._replace\(dtype="):
            weight.to(no_device)
    assert same_bits(qfuse.dequantize_4bit(weight._replace(dtype=torch.float32)).to(dense.dtype), dense)


def test_torch_saves_and_loads_it(tmp_path, device):
    weights = qfuse.load_checkpoint(TINY / "bnb4", device)
    torch.save(weights, tmp_path / "x.pt")
    code = (
        "import sys, torch, qfuse; x = torch.load(sys.argv[1], weights_only=True);"
        "torch.save({name: qfuse.dequantize_4bit(w) for name, w in x.items() if type(w) is qfuse.Weight4bit},"
        "sys.argv[1])"
    )  # runs in a process that only imports qfuse
    subprocess.run([sys.executable, "-c", code, tmp_path / "x.pt"], check=True)
    dense = torch.load(tmp_path / "x.pt")
    assert len(dense) == 14 and all(same_bits(qfuse.dequantize_4bit(weights[name]), dense[name]) for name in dense)


def header_offsets(path):
    data = path.read_bytes()
    begin = 8 + struct.unpack("<Q", data[:8])[0]
    return {
        name: begin + entry["data_offsets"][0]
        for name, entry in json.loads(data[8:begin]).items()
        if name != "__metadata__"
    }


def test_tensors_lie_in_their_files_which_are_mapped_once(tmp_path):
    for file in (TINY / "bnb4").iterdir():  # a copy that no other test can have mapped
        (tmp_path / file.name).write_bytes(file.read_bytes())
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # torch warns of memory that is not writable
        loaded = qfuse.load_checkpoint(tmp_path)
    files = sorted(tmp_path.glob("*.safetensors"))
    assert [len(mappings(file)) for file in files] == [1, 1, 1]
    places = {name: (file, offset) for file in files for name, offset in header_offsets(file).items()}
    arrays = {name: tensor for name, tensor in loaded.items() if isinstance(tensor, torch.Tensor)}
    for name, weight in loaded.items():
        if isinstance(weight, qfuse.Weight4bit):
            arrays |= {
                name: weight.packed,
                f"{name}.absmax": weight.absmax,
                f"{name}.nested_absmax": weight.nested_absmax,
                f"{name}.nested_quant_map": weight.nested_quant_map,
            }
    assert len(arrays) == 7 + 14 * 4
    for name, tensor in arrays.items():
        file, offset = places[name]
        (mapped,) = mappings(file)
        assert tensor.data_ptr() - mapped.begin + mapped.offset == offset
        assert tensor.untyped_storage().nbytes() == tensor.nbytes  # else saving it would save the whole file
    del loaded, arrays, weight, tensor
    assert [mappings(file) for file in files] == [[], [], []]


def test_a_tensor_keeps_its_file_mapped_and_never_writes_to_it(tmp_path):
    file = tmp_path / "x.safetensors"
    save_file({"a": torch.arange(5000), "b": torch.ones(3)}, file)
    before = file.read_bytes()
    tensor = qfuse.load_checkpoint(file)["a"]
    file.unlink()
    assert torch.equal(tensor, torch.arange(5000))
    file.write_bytes(before)
    tensor = qfuse.load_checkpoint(file)["a"]
    tensor.zero_()
    assert not tensor.any() and file.read_bytes() == before
    assert torch.equal(qfuse.load_checkpoint(file)["a"], torch.arange(5000))


def test_a_file_may_be_larger_than_memory(tmp_path):
    """A sparse file takes no disk space, and mapping it must reserve no memory."""
    size = 1 << 43
    header = json.dumps({"a": {"dtype": "U8", "shape": [size], "data_offsets": [0, size]}}).encode()
    with open(tmp_path / "x.safetensors", "wb") as file:
        file.write(struct.pack("<Q", len(header)) + header)
        try:
            file.truncate(8 + len(header) + size)
        except OSError:
            pytest.skip("no file system for so large a file")
    tensor = qfuse.load_checkpoint(tmp_path)["a"]
    assert tensor[-1] == 0 and tensor.numel() == size


@pytest.mark.parametrize("place", range(1, 9))
def test_unaligned_arrays_are_copied_and_right(tmp_path, place, device):
    numbers = torch.arange(1, 9, dtype=torch.float64)
    contents = [
        ("f64", "F64", [8], numbers),
        ("f32", "F32", [8], numbers.float()),
        ("i16", "I16", [8], numbers.short()),
        ("bf16", "BF16", [2, 4], numbers.bfloat16()),
        ("c64", "C64", [8], numbers.to(torch.complex64)),
        ("u8", "U8", [8], numbers.byte()),
    ]
    tensors = [(name, dtype, shape, bytes(t.view(torch.uint8).tolist())) for name, dtype, shape, t in contents]
    file = write(tmp_path / "x.safetensors", [("pad", "U8", [place], bytes(place)), *tensors])
    loaded = qfuse.load_checkpoint(file, device)
    for name, _, shape, expected in contents:
        assert bits(loaded[name]) == bits(expected.reshape(shape))
        assert loaded[name].data_ptr() % loaded[name].element_size() == 0
    if device == "cpu":
        (mapped,) = mappings(file)
        inside = {name for name, t in loaded.items() if mapped.begin <= t.data_ptr() < mapped.end}
        offsets = header_offsets(file)
        assert inside == {name for name in offsets if offsets[name] % loaded[name].element_size() == 0}
        assert "u8" in inside


def test_every_dtype_scalars_and_empty_tensors(tmp_path, device):
    names = (
        "bool uint8 int8 uint16 int16 uint32 int32 uint64 int64 float16 bfloat16 float32 float64 complex64 "
        "float8_e4m3fn float8_e5m2 float8_e8m0fnu float8_e4m3fnuz float8_e5m2fnuz float4_e2m1fn_x2"
    )
    tensors = {}
    for dtype in (getattr(torch, name) for name in names.split()):
        ones = torch.ones(24 * dtype.itemsize, dtype=torch.uint8).view(dtype)
        tensors |= {f"{dtype}": ones.view(2, 3, 4), f"{dtype} empty": ones.view(24)[:0].view(2, 0, 3)}
        if dtype is not torch.float4_e2m1fn_x2:  # a file counts elements, torch counts pairs
            tensors[f"{dtype} scalar"] = ones[:1].clone().view(())
    save_file({name: tensor.contiguous() for name, tensor in tensors.items()}, tmp_path / "x.safetensors")
    loaded = qfuse.load_checkpoint(tmp_path, device)
    assert set(loaded) == set(tensors)
    assert all(bits(loaded[name]) == bits(tensor) for name, tensor in tensors.items())
    assert all(tensor.device.type == device for tensor in loaded.values())


@pytest.mark.parametrize(("dtype", "shape", "size"), [("F6_E2M3", [4], 3), ("F6_E3M2", [4], 3), ("F4", [2, 3], 3)])
def test_names_a_dtype_that_torch_lacks(tmp_path, dtype, shape, size):
    file = write(tmp_path / "x.safetensors", [("odd one", dtype, shape, bytes(size))])
    where = "x.safetensors: tensor 'odd one'"
    with pytest.raises(ValueError, match=re.escape(f"{where}: torch has no dtype for {dtype} of shape {shape}")):
        qfuse.load_checkpoint(file)


@pytest.mark.parametrize("storage", ["BF16", "F16", "F32"])
def test_codes_stored_as_another_dtype(tmp_path, storage, device):
    arrays = small_weight()
    plain = qfuse.load_checkpoint(write(tmp_path / "a.safetensors", arrays), device)["w"]
    width = 4 if storage == "F32" else 2
    arrays[2] = ("w", storage, [96 // width, 1], arrays[2][3])
    other = qfuse.load_checkpoint(write(tmp_path / "b.safetensors", arrays), device)["w"]
    assert other.packed.dtype.itemsize == width
    assert same_bits(qfuse.dequantize_4bit(other), qfuse.dequantize_4bit(plain))


def test_a_loaded_weight_becomes_what_bitsandbytes_would_have_loaded(device):
    pytest.importorskip("bitsandbytes")
    transformers = pytest.importorskip("transformers")
    model = transformers.AutoModelForCausalLM.from_pretrained(TINY / "bnb4", device_map=device, dtype=torch.bfloat16)
    weights = qfuse.load_checkpoint(TINY / "bnb4", device)
    layers = {f"{name}.weight": layer for name, layer in model.named_modules() if hasattr(layer, "quant_state")}
    assert len(layers) == 14
    for name, layer in layers.items():
        expected = layer.weight
        other = type(layer)(
            layer.in_features, layer.out_features, bias=False, compute_dtype=layer.compute_dtype, device="meta"
        )
        other.weight = weights[name].params4bit(other)
        assert same_bits(other.weight.data, expected.data) and same_state(other.quant_state, expected.quant_state)
        assert other.weight.quant_state is other.quant_state and other.weight.module is other
        settings = ("blocksize", "quant_type", "compress_statistics", "quant_storage", "bnb_quantized", "requires_grad")
        assert all(getattr(other.weight, key) == getattr(expected, key) for key in settings)
        for rows in (1, 64):  # train(): in eval mode a CPU may repack weights, but none with rows like these
            x = torch.randn(rows, layer.in_features, dtype=torch.bfloat16, device=device)
            assert same_bits(other.train()(x), layer.train()(x))


@pytest.mark.parametrize(
    ("storage", "codes", "shape"),
    [
        ("U8", [1, 1], (2, 1)),
        ("F32", [1, 1], (4, 2)),
        ("U8", [1, 64], (2, 64)),
        ("U8", [1, 4], (2, 2, 2)),
        ("U8", [], (1,)),
    ],
)
def test_codes_that_lie_in_a_row_are_no_transpose_in_a_file(tmp_path, storage, codes, shape, device):
    numbers = bytes(i * 37 % 256 for i in range((math.prod(shape) + 1) // 2))
    scales = [0.5 + i for i in range((math.prod(shape) + 63) // 64)]
    absmax = struct.pack(f"<{len(scales)}f", *scales)
    state = json.dumps({"quant_type": "nf4", "blocksize": 64, "dtype": "float16", "shape": shape}).encode()
    file = write(
        tmp_path / "x.safetensors",
        [
            ("w.absmax", "F32", [len(scales)], absmax),
            ("w", storage, codes, numbers),
            (f"w{STATE}nf4", "U8", [len(state)], state),
        ],
    )
    weight = qfuse.load_checkpoint(file, device)["w"]
    assert list(weight.packed.shape) == codes
    expected = qfuse.ops.dequantize_4bit(
        (torch.tensor(list(numbers), dtype=torch.uint8, device=device), torch.tensor(scales, device=device)),
        shape,
        torch.float16,
    )
    assert expected.shape == shape and same_bits(qfuse.dequantize_4bit(weight), expected)
    out = torch.empty_like(expected)
    assert qfuse.dequantize_4bit(weight, out=out) is out and same_bits(out, expected)


@pytest.mark.parametrize(
    "offset", [float("nan"), float("inf"), -float("inf"), -0.0, 0.0, 1e-45, 0.05230140686035156, -3.4028234663852886e38]
)
def test_any_offset_keeps_its_bits(tmp_path, offset):
    weight = qfuse.load_checkpoint(write(tmp_path / "x.safetensors", small_weight(nested_offset=offset)))["w"]
    assert same_bits(weight.nested_offset, torch.tensor(offset, dtype=torch.float32))


def test_a_weight_of_no_elements(tmp_path, device):
    state = json.dumps({"quant_type": "fp4", "blocksize": 64, "dtype": "float16", "shape": [0, 32]}).encode()
    file = write(
        tmp_path / "x.safetensors",
        [("w", "U8", [0, 1], b""), ("w.absmax", "F32", [0], b""), (f"w{STATE}fp4", "U8", [len(state)], state)],
    )
    found = qfuse.dequantize_4bit(qfuse.load_checkpoint(file, device)["w"])
    assert (found.shape, found.dtype) == ((0, 32), torch.float16)


def test_any_name(tmp_path, monkeypatch):
    name = 'a\n"\\/\x7f\u00e9\U0001f600'
    directory = os.fsencode(tmp_path) + b'/caf\xe9 "\\\n'
    os.mkdir(directory)
    file = Path(os.fsdecode(directory + b"/\xff.safetensors"))
    write(file, [(name, "U8", [2], b"\x01\x02")])
    monkeypatch.chdir(tmp_path)
    for path in (file, file.parent, str(file), os.path.relpath(file)):
        assert qfuse.load_checkpoint(path)[name].tolist() == [1, 2]


def test_says_what_is_wrong(tmp_path):
    with pytest.raises(
        FileNotFoundError,
        match=r"No such local path; of a model on the Hub, huggingface_hub\."
        r"snapshot_download\(id\) gives one: 'someone/none-bnb-4bit'$",
    ):
        qfuse.load_checkpoint("someone/none-bnb-4bit")
    with pytest.raises(ValueError, match="null"):
        qfuse.load_checkpoint(f"{tmp_path}\0")
    with pytest.raises(ValueError, match=r"has no \.safetensors file"):
        qfuse.load_checkpoint(tmp_path)
    (tmp_path / "pytorch_model.bin").write_bytes(b"")
    with pytest.raises(ValueError, match="is a pickle checkpoint"):
        qfuse.load_checkpoint(tmp_path)
    file = write(tmp_path / "x.safetensors", small_weight())
    file.write_bytes(file.read_bytes()[:-1])
    with pytest.raises(ValueError, match=r"x\.safetensors: is incomplete: its tensors fill \d+ bytes, and \d+ of them"):
        qfuse.load_checkpoint(file)
    write(file, small_weight()[1:])
    with pytest.raises(ValueError, match=r"needs tensor 'w\.nested_absmax', which is missing"):
        qfuse.load_checkpoint(file)
    (tmp_path / "model.safetensors.index.json").write_text('{"weight_map": {"w": "gone.safetensors"}}')
    with pytest.raises(OSError, match=r"gone\.safetensors: is not there, but"):
        qfuse.load_checkpoint(tmp_path)


def floats(seed):
    return struct.pack("<100f", *(seed * 1000 + i for i in range(100)))


def write_shard(path, seed, names):
    write(path, [(name, "F32", [100], floats(seed + ord(name))) for name in names])


def version(path, seed):
    path.mkdir()
    write_shard(path / "1.safetensors", seed, "ab")
    write_shard(path / "2.safetensors", seed, "c")
    index = {"weight_map": {"a": "1.safetensors", "b": "1.safetensors", "c": "2.safetensors"}}
    (path / "model.safetensors.index.json").write_text(json.dumps(index))
    return path


def shrink(path):
    os.truncate(path / "1.safetensors", (path / "1.safetensors").stat().st_size - 1)


def swap_a_file(path, names="ba"):
    write_shard(path / "new", 2, names)
    os.replace(path / "new", path / "1.safetensors")


def swap_a_file_of_that_layout(path):
    swap_a_file(path, "ab")


def swap_the_directory(path):
    (path.parent / "new").symlink_to(version(path.parent / "second", 2))
    os.replace(path.parent / "new", path)


@pytest.mark.parametrize("change", [shrink, swap_a_file, swap_a_file_of_that_layout, swap_the_directory])
@pytest.mark.parametrize("moment", ["listed", "mapped one", "mapped all", "listed again"])
def test_files_that_change_while_they_are_loaded(tmp_path, monkeypatch, moment, change):
    path = tmp_path / "checkpoint"
    path.symlink_to(version(tmp_path / "first", 1))
    steps = iter(["listed", "mapped one", "mapped all", "listed again"])

    def then_change(step):
        def changing(*args):
            try:
                return step(*args)
            finally:
                if next(steps) == moment:
                    change(path)

        return changing

    monkeypatch.setattr(library, "inspect", then_change(library.inspect))
    monkeypatch.setattr(mmap, "mmap", then_change(mmap.mmap))
    if moment == "listed" and change in (swap_a_file_of_that_layout, swap_the_directory):
        loaded = qfuse.load_checkpoint(path)  # the listing also describes the files mapped after it
        assert next(steps, None) is None and all(same_bits(loaded[n], tensor) for n, tensor in stored(path).items())
        return
    message = f"^{path}: was replaced while it was being loaded; load it again$"
    if change is shrink and moment != "listed again":
        message = r"1\.safetensors: .*(tensors fill \d+ bytes)"
    with pytest.raises(ValueError, match=message):
        qfuse.load_checkpoint(path)
    assert next(steps, None) is None


@pytest.mark.parametrize("device", DEVICES[1:])
def test_a_gpu_keeps_no_file_open(tmp_path, device):
    file = write(tmp_path / "x.safetensors", small_weight())
    weight = qfuse.load_checkpoint(file, device)["w"]
    assert mappings(file) == [] and not any(
        str(file) in os.path.realpath(f"/proc/self/fd/{fd}") for fd in os.listdir("/proc/self/fd")
    )
    assert same_bits(qfuse.dequantize_4bit(weight), qfuse.dequantize_4bit(qfuse.load_checkpoint(file)["w"]))


@pytest.mark.parametrize("name", ["mxfp4", "nvfp4", "modelopt", "mixed"])
def test_formats_of_other_libraries(device, name):
    """The golden files have what their libraries decode. modelopt decodes code 8 to +0, the op to -0."""
    loaded = qfuse.load_checkpoint(GOLDEN / "scaled_4bit" / name, device)
    expected = load_file(GOLDEN / "scaled_4bit" / name / "decoded.safetensors")
    weights = {key: weight for key, weight in loaded.items() if isinstance(weight, qfuse.Weight4bit)}
    kinds = {"mxfp4": {"mxfp4"}, "nvfp4": {"nvfp4_divisor"}, "modelopt": {"nvfp4"}, "mixed": {"nvfp4_divisor", "int4"}}
    assert {weight.quant_type for weight in weights.values()} == kinds[name]
    assert len(weights) == (6 if name == "mixed" else 7)  # down_proj has zero points there
    for key, weight in weights.items():
        decoded = weight.dequantize().cpu()
        assert torch.equal(decoded, expected[key]) if name == "modelopt" else same_bits(decoded, expected[key])


@pytest.mark.parametrize("name", ["int4", "int4_asymmetric", "int4_channel"])
def test_int4_that_no_product_takes_stays_as_it_is(name):
    """Groups of 16, zero points, and a row of 36."""
    folder = GOLDEN / "scaled_4bit" / name
    loaded, stored = qfuse.load_checkpoint(folder), load_file(folder / "model.safetensors")
    assert {key: bits(array) for key, array in loaded.items()} == {key: bits(array) for key, array in stored.items()}
