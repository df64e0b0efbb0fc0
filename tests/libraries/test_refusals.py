"""qfuse refuses every file that the safetensors library refuses, and beyond these only what docs/FORMAT.md lists."""

import collections
import json
import os
import random
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import safetensors
from altered import Raw, altered, nested
from libraries import BITS, GOLDEN, QFUSE, Judged, file_bytes, main
from safetensors import safe_open

ALTERED_FILES = 6000 if os.environ.get("QFUSE_TEST_ALL") == "ON" else 1000

# Rows of the table in docs/FORMAT.md, with qfuse's messages.
ALONE = {
    "a name that occurs twice": r"tensor '.*': occurs twice",
    "a name that holds a zero character": r"tensor '.*': its name holds a zero character",
    "an entry that is an array": r"tensor '.*': its entry is an array, not an object",
    "a dtype that is an object": r"tensor '.*': dtype is an object",
    "a number above 2^63 - 1": r"tensor '.*': a number of \w+ is a number above 2\^63 - 1",
    "a product of dimensions above 2^63 - 1": r"tensor '.*': the size of shape .* overflows",
    "a file of more than 256 TiB": r"has \d+ bytes, more than 281474976710656",
}


def tensor(fields, data=b"xxxx"):
    return file_bytes(f'{{"a":{{{fields}}}}}', data)


def by_hand():
    """Files at the limits of the rules."""
    four = '"dtype":"U8","shape":[4],"data_offsets":[0,4]'
    none = '{"dtype":"U8","shape":[0],"data_offsets":[0,0]}'
    yield from (
        b"",
        b"1234567",
        bytes(8),
        file_bytes(""),
        file_bytes("{}"),
        file_bytes(" {}\n "),
        file_bytes("{}x"),
        file_bytes(b"{}\0"),
        file_bytes(b"\xef\xbb\xbf{}"),
        file_bytes("[]"),
        file_bytes("1"),
        file_bytes("null"),
        file_bytes("{}", b"x"),
    )
    yield from (
        file_bytes(f'{{"a":{none},"a":{none}}}'),
        file_bytes(f'{{"a\\u0000":{none}}}'),
        file_bytes('{"a":["U8",[0],[0,0]]}'),
        file_bytes('{"a":["U8",[0]]}'),
    )
    for metadata in (
        "null",
        "{}",
        '{"a":"b","a":"c"}',
        '{"a":null}',
        '{"a":1}',
        '{"a":{}}',
        "[]",
        '""',
        "1",
        '{"":"\\u0000"}',
        '{},"__metadata__":{}',
        'null,"__metadata__":{}',
    ):
        yield file_bytes(f'{{"__metadata__":{metadata}}}')
        yield file_bytes(f'{{"\\u005f_metadata__":{metadata}}}')
    for dtype in [*BITS, "F4_E2M1", "I4", "U4", "C32", "C128", "F8_E4M3FN", "u8", "", "U8\\u0000"]:
        for size in range(17):
            yield tensor(f'"dtype":"{dtype}","shape":[2],"data_offsets":[0,{size}]', bytes(size))
    for dtype in ('{"U8":null}', '{"U8":{}}', '{"U8":null,"I8":null}', "{}", '["U8"]', "0", "null"):
        yield tensor(f'"dtype":{dtype},"shape":[4],"data_offsets":[0,4]')
    for depth in range(120, 132):
        for deep in (nested(depth), nested(depth // 2, '{"b":[', "]}")):
            yield tensor(f'"x":{deep},{four}')
            yield tensor(f'{four},"x":{deep}')
    yield tensor(f'"x":{nested(100_000)},{four}')
    for shape in (
        "0,9223372036854775807",
        "0,9223372036854775808",
        "0,18446744073709551615",
        "0,18446744073709551616",
        "4611686018427387904,2,0",
        "4611686018427387904,4,0",
        "4611686018427387904,0",
        "0,-0",
        "0,-1",
        "0,0.0",
        "0,1e1",
        "2305843009213693952,0",
    ):
        for dtype in ("U8", "F4", "F64"):
            yield tensor(f'"dtype":"{dtype}","shape":[{shape}],"data_offsets":[0,0]', b"")
    for value in (
        Raw("1e400"),
        Raw("9" * 400),
        Raw("NaN"),
        Raw('"\\ud800"'),
        Raw('"\\ud83d\\ude00"'),
        Raw("-0"),
        Raw("1e-400"),
        Raw("01"),
        Raw('"\x01"'),
        Raw("tru"),
        Raw("[1,]"),
    ):
        yield tensor(f'"x":{value},{four}')
        yield tensor(f'"x":[{{"y":{value}}}],{four}')
    yield from (tensor(f'{four},"x":1,"x":2'), tensor(f'{four},"dtype":"U8"'), tensor(f'{four},"\\u0064type":"U8"'))


def theirs(path):
    """Returns what the library finds, as a sorted list of name, dtype, shape and size, or the error that it raises."""
    try:
        found = safetensors.deserialize(path.read_bytes())
    except safetensors.SafetensorError as error:
        return None, str(error)
    return sorted((name, entry["dtype"], entry["shape"], len(entry["data"])) for name, entry in found), None


def opens(path):
    try:
        with safe_open(path, "np"):
            return True
    except (safetensors.SafetensorError, OSError):  # an empty file cannot be mapped
        return False


def ours(path):
    done = subprocess.run(
        [QFUSE, "inspect", "--json", path], capture_output=True, encoding="utf-8", timeout=60, check=False
    )
    if done.returncode == 1:
        return None, done.stderr
    assert done.returncode == 0, f"exit code {done.returncode}: {done.stderr}"
    found = json.loads(done.stdout)["tensors"]
    return sorted((entry["name"], entry["dtype"], entry["shape"], entry["bytes"]) for entry in found), None


class Refusals(Judged):
    def judge(self, number, content):
        """Returns the verdict on a file: "both read", "both refuse", a row of FORMAT.md, or what is wrong."""
        path = self.directory / f"{number}.safetensors"
        path.write_bytes(content)
        (their_tensors, their_error), (our_tensors, our_error) = theirs(path), ours(path)
        if opens(path) != (their_error is None):
            return f"WRONG: the library contradicts itself: {their_error}"
        path.unlink()
        if their_error is None and our_error is None:
            return "both read" if their_tensors == our_tensors else f"WRONG: {their_tensors}, not {our_tensors}"
        if our_error is None:
            return f"WRONG: the library alone refuses: {their_error}"
        if their_error is not None:
            return "both refuse"
        return next(
            (row for row, message in ALONE.items() if re.search(message, our_error)),
            f"WRONG: qfuse alone refuses: {our_error}",
        )

    def judge_all(self, files):
        """Counts each verdict. Fails with the first ones that are wrong."""
        with ThreadPoolExecutor(2) as pool:
            verdicts = list(pool.map(self.judge, range(len(files)), files))
        wrong = [
            f"file {number}: {verdict}\n{files[number][:600]}"
            for number, verdict in enumerate(verdicts)
            if verdict.startswith("WRONG")
        ]
        if wrong:
            self.fail("\n".join([f"{len(wrong)} of {len(files)}", *wrong[:10]]))
        counts = collections.Counter(verdicts)
        print(*(f"{count} {verdict}" for verdict, count in counts.most_common()), sep=", ", file=sys.stderr)
        return counts

    def test_by_hand(self):
        counts = self.judge_all(list(by_hand()))
        self.assertEqual({row for row in ALONE if counts[row] == 0}, {"a file of more than 256 TiB"})

    def test_altered(self):
        rng = random.Random(20261121)
        counts = self.judge_all([altered(rng) for _ in range(ALTERED_FILES)])
        for verdict in ("both read", "both refuse"):  # otherwise too much or too little is altered
            self.assertGreater(counts[verdict], ALTERED_FILES / 10)

    def test_format_md_lists_what_qfuse_alone_refuses(self):
        document = (GOLDEN.parent.parent / "docs" / "FORMAT.md").read_text(encoding="utf-8")
        self.assertIn(f"(version {safetensors.__version__})", document)
        table = document.split("| qfuse alone refuses |")[1].split("\n\n")[0]
        self.assertEqual(re.findall(r"(?m)^\| ([^|]*[^|-]) \|", table), list(ALONE))


if __name__ == "__main__":
    main()
