"""The safetensors library reads every file that qfuse writes, and finds the expected content."""

import json
import math

import torch
from libraries import BITS, GOLDEN, TINY, Judged, file_bytes, main, read, weight_files
from safetensors import safe_open
from safetensors.torch import save_file

NF4_STATE = ".quant_state.bitsandbytes__nf4"

ODD_NAMES = [
    "",
    " ",
    "a b",
    ".",
    "..",
    "a/b",
    '"',
    "\\",
    "\\u0041",
    "\n",
    "\x7f",
    "ä",
    "重み",
    "\U0001f999",
    "'",
    "{}",
    "__metadata",
    "weight",
    "n" * 5000,
]


def pattern(size):
    return bytes(i * 37 % 251 for i in range(size))


def packed(tensors):
    """Returns a file of these tensors (name -> dtype and shape), with bytes that differ from their neighbors."""
    header, data = {}, b""
    for name, (dtype, shape) in tensors.items():
        size = math.prod(shape) * BITS[dtype] // 8
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + size]}
        data += pattern(size)
    return file_bytes(header, data)


def without_parts(tensors):
    """Returns the names of tensors that are neither quantized weights nor parts of them."""
    weights = [name.removesuffix(NF4_STATE) for name in tensors if name.endswith(NF4_STATE)]
    return {name for name in tensors if not any(name == weight or name.startswith(weight + ".") for weight in weights)}


class Quantized(Judged):
    """Quantizes tests/golden/tiny_llama/full as transformers did on a GPU, except for the last bit of the offset."""

    def test_has_the_codes_of_the_golden_checkpoint(self):
        ours, theirs = read(self.convert("quantize", TINY / "full", to="nf4")), read(TINY / "bnb4")
        self.assertEqual(ours.keys(), theirs.keys())
        weights = [name for name in theirs if name + NF4_STATE in theirs]
        self.assertEqual(len(weights), 14)
        for name in weights:
            for part in ("", ".absmax", ".quant_map", ".nested_quant_map"):
                self.assertEqual(ours[name + part], theirs[name + part])
            our_state, their_state = (json.loads(side[name + NF4_STATE][2]) for side in (ours, theirs))
            if our_state["nested_offset"] == their_state["nested_offset"]:
                self.assertEqual(ours[name + ".nested_absmax"], theirs[name + ".nested_absmax"])
            del our_state["nested_offset"], their_state["nested_offset"]
            self.assertEqual(our_state, their_state)
        for name in without_parts(theirs):
            self.assertEqual(ours[name], theirs[name])


class Written(Judged):
    """Tensors that are not quantized are copied byte for byte, whatever they are, and every file can be read."""

    def assert_survives(self, tensors):
        """The tensors are copied beside a weight that is quantized, and again when that weight is decoded."""
        weight = {"w.weight": ("F32", [2, 64])}
        plain = self.directory / "plain.safetensors"
        plain.write_bytes(packed(tensors | weight))
        expected = read(plain)
        quantized = self.convert("quantize", plain, to="quantized.safetensors")
        found = read(quantized)
        self.assertEqual(without_parts(found), tensors.keys())
        self.assertEqual({name: found[name] for name in tensors}, {name: expected[name] for name in tensors})
        with safe_open(quantized, "pt") as opened:
            self.assertEqual(opened.metadata(), {"format": "pt"})
        decoded = read(self.convert("dequantize", quantized, to="decoded.safetensors"))
        self.assertEqual(decoded.pop("w.weight")[:2], ("F32", [2, 64]))
        self.assertEqual(decoded, {name: expected[name] for name in tensors})

    def test_every_dtype_and_shape(self):
        self.assert_survives(
            {f"{dtype}.{shape}": (dtype, shape) for dtype in BITS for shape in ([8], [2, 4, 1], [0], [5, 0, 2])}
        )

    def test_scalars(self):
        self.assert_survives({dtype: (dtype, []) for dtype, bits in BITS.items() if bits % 8 == 0})

    def test_odd_names(self):
        self.assert_survives({name: ("U8", [3]) for name in ODD_NAMES})

    def test_twenty_thousand_tensors(self):
        self.assert_survives({f"layers.{i}.bias": (list(BITS)[i % len(BITS)], [i % 3 * 4]) for i in range(20_000)})

    def test_unaligned_data(self):
        self.assert_survives({"a": ("U8", [3]), "b": ("F64", [2]), "c": ("BOOL", [1]), "d": ("F16", [5])})

    def test_what_the_library_itself_wrote(self):
        plain = self.directory / "theirs.safetensors"
        dtypes = [
            torch.bool,
            torch.uint8,
            torch.int8,
            torch.int16,
            torch.uint16,
            torch.float16,
            torch.bfloat16,
            torch.int32,
            torch.uint32,
            torch.float32,
            torch.complex64,
            torch.float64,
            torch.int64,
            torch.uint64,
            torch.float8_e4m3fn,
            torch.float8_e5m2,
            torch.float8_e8m0fnu,
        ]
        tensors = {str(dtype): torch.arange(6, dtype=torch.float32).reshape(2, 3).to(dtype) for dtype in dtypes}
        save_file(tensors | {"w.weight": torch.randn(2, 64)}, plain)
        quantized = self.convert("quantize", plain)
        with safe_open(quantized, "pt") as opened:
            for name, tensor in tensors.items():
                found = opened.get_tensor(name)
                self.assertEqual((found.dtype, found.shape), (tensor.dtype, tensor.shape))
                self.assertTrue(torch.equal(found.view(torch.uint8), tensor.view(torch.uint8)), name)

    def test_shards(self):
        """The index names each tensor's file, and nothing else."""
        for verb, source in (("quantize", TINY / "full"), ("dequantize", TINY / "bnb4_scattered")):
            whole = read(self.convert(verb, source, to="whole"))
            out = self.convert(verb, source, "--max-shard-size", "100KB", to="shards")
            self.assertGreater(len(weight_files(out)), 3)
            self.assertEqual(read(out), whole)
            index = json.loads((out / "model.safetensors.index.json").read_text())
            self.assertEqual(index["metadata"]["total_size"], sum(len(data) for _, _, data in whole.values()))
            self.assertEqual(
                {name: file.name for file in weight_files(out) for name in read(file)}, index["weight_map"]
            )

    def test_every_golden_case(self):
        """Odd counts, short blocks, every block size: the library can make a tensor of every result."""
        for name in ("bnb_cases", "bnb_extra", "bnb_int8"):
            out = self.convert("dequantize", GOLDEN / f"{name}.safetensors")
            with safe_open(out, "pt") as opened:
                self.assertGreater(sum(opened.get_tensor(key).numel() for key in opened.keys()), 0)


if __name__ == "__main__":
    main()
