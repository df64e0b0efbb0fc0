#!/usr/bin/env python3
"""Tests truncated, absurd and malicious files. Usage: test_files.py <qfuse>"""

import json
import os
import resource
import shutil
import struct

from faults import (
    INDEX,
    Faults,
    lora,
    main,
    nf4,
    safetensors,
    small_model,
    with_header,
    write_adapter,
    write_index,
    write_model,
)

MILLION = 1_000_000
MIB = 1 << 20
MOST_SECONDS = 20
STEP = 1 if os.environ.get("QFUSE_TEST_ALL") == "ON" else 7  # every length, or every seventh


class Truncated(Faults):
    def test_every_file_at_any_length(self):
        write_model(self.source, [nf4("a", 1, 64), nf4("b", 1, 64)])
        (self.source / "config.json").write_text('{"dtype": "float16"}')
        for path in sorted(self.source.iterdir()):
            if path.name == "tokenizer.json":  # copied with any content
                continue
            whole = path.read_bytes()
            for length in range(0, len(whole), STEP):
                with self.subTest(name=path.name, length=length):
                    path.write_bytes(whole[:length])
                    self.assertIn(path.name, self.refusal())
            path.write_bytes(whole)
        self.dequantize()

    def test_every_file_of_an_adapter_at_any_length(self):
        write_model(self.source, [nf4("a.weight", 1, 64)])
        write_adapter(self.adapter, lora("a", 1, 64))
        for name in ("adapter_config.json", "adapter_model.safetensors"):
            path = self.adapter / name
            whole = path.read_bytes()
            for length in range(0, len(whole.rstrip()), STEP):
                with self.subTest(name=name, length=length):
                    path.write_bytes(whole[:length])
                    self.assertIn(name, self.refusal())
            path.write_bytes(whole)
        self.dequantize()


class Absurd(Faults):
    """Files that are refused within seconds of CPU time and memory bounded by the header's size."""

    def limited_refusal(self, most_bytes):
        """Returns the error of a run with this memory limit."""

        def limit():
            resource.setrlimit(resource.RLIMIT_DATA, (most_bytes, most_bytes))
            resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))  # the kernel kills slower runs

        error = self.refusal("--threads", "1", preexec_fn=limit)
        self.assertLess(len(error), 2000)
        return error

    def test_lengths_that_no_file_has(self):
        for length in (100_000_001, 1 << 31, 1 << 32, (1 << 63) - 1, 1 << 63, (1 << 64) - 8, (1 << 64) - 1):
            with self.subTest(length):
                self.source.write_bytes(struct.pack("<Q", length) + b"{}")
                self.assertIn(f"the header claims {length} bytes", self.limited_refusal(50 * MIB))

    def test_a_header_of_100_mb_of_nothing(self):
        with open(self.source, "wb") as file:
            file.write(struct.pack("<Q", 100_000_000))
            file.truncate(8 + 100_000_000)
        self.assertIn("byte 0 is zero", self.limited_refusal(200 * MIB))

    def test_a_header_of_100_mb_of_spaces(self):
        self.source.write_bytes(with_header(b"{}" + b" " * 99_999_998))
        self.assertIn("nothing to dequantize", self.limited_refusal(400 * MIB))

    def test_a_header_of_100_mb_of_dimensions(self):
        start, end = b'{"a":{"dtype":"U8","data_offsets":[0,0],"shape":[1', b"]}}"
        self.source.write_bytes(with_header(start + b",1" * ((100_000_000 - len(start + end)) // 2) + end))
        self.assertIn("its byte range has 0 bytes", self.limited_refusal(1200 * MIB))

    def test_a_header_of_20_mb_of_tensors(self):
        entries = (f'"{number}":{{"dtype":"U8","shape":[0],"data_offsets":[0,0]}}' for number in range(400_000))
        self.source.write_bytes(with_header(f"{{{','.join(entries)}}}".encode()))
        self.assertIn("nothing to dequantize", self.limited_refusal(500 * MIB))

    def test_memory_that_is_not_there(self):
        self.source.write_bytes(with_header(b"{}" + b" " * 99_999_998))
        self.assertEqual(self.limited_refusal(50 * MIB), "qfuse: error: out of memory\n")

    def test_a_million_brackets(self):
        arrays = "[" * MILLION
        for name, text, message in (
            ("config.json", arrays, "config.json: is nested more than 100 deep"),
            ("config.json", '{"a":' * MILLION, "config.json: is nested more than 100 deep"),
            (INDEX, '{"weight_map": ' + arrays, "index.json: is nested more than 100 deep"),
            ("model.safetensors", arrays, "the header is an array"),
            ("model.safetensors", '{"a":{"x":' + arrays, "field 'x' is nested more than 127 deep"),
        ):
            with self.subTest(name, text=text[:20]):
                self.source.mkdir()
                if name == "config.json":
                    (self.source / "model.safetensors").write_bytes(safetensors(nf4("a", 1, 64)))
                content = text.encode()
                (self.source / name).write_bytes(with_header(content) if name == "model.safetensors" else content)
                self.assertIn(message, self.limited_refusal(100 * MIB))
                shutil.rmtree(self.source)


class Index(Faults):
    def setUp(self):
        super().setUp()
        small_model(self.source)

    def index(self, text):
        (self.source / INDEX).write_text(text)

    def test_numbers_that_json_lacks_are_carried_where_python_writes_them(self):
        index = json.loads((self.source / INDEX).read_text())
        index["metadata"] = {"total_size": float("nan"), "x": [float("inf"), float("-inf")]}
        self.index(json.dumps(index))
        self.dequantize()

    def test_numbers_that_json_lacks_are_no_file(self):
        self.index('{"weight_map": {"a.weight": NaN}}')
        self.assertIn("is not a plain file name", self.refusal())

    def test_of_a_name_that_occurs_twice_the_last_counts_as_in_python(self):
        text = (self.source / INDEX).read_text()
        self.index(text.replace('"weight_map": {', '"weight_map": {"a.weight": "none.safetensors", '))
        self.dequantize()

    def test_a_path_that_leaves_the_directory_is_refused_though_it_exists(self):
        (self.directory / "outside.safetensors").write_bytes(safetensors(nf4("a", 1, 64)))
        for path in ("../outside.safetensors", str(self.directory / "outside.safetensors")):
            with self.subTest(path):
                write_index(self.source, dict.fromkeys(nf4("a", 1, 64), path))
                self.assertIn("is not a plain file name", self.dequantize(code=1))
                self.assert_only("in", "outside.safetensors")


if __name__ == "__main__":
    main()
