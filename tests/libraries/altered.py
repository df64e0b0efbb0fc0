"""Makes valid safetensors files and alters them: their structure, their text, or the file around them."""

import json
import math

from libraries import BITS, file_bytes


class Raw(str):
    """JSON text that json.dumps would not produce."""


class Pairs(list):
    """A JSON object as a list of [key, value], because keys may occur twice."""


def dumps(value):
    if isinstance(value, Raw):
        return str(value)
    if isinstance(value, Pairs):
        return "{" + ",".join(f"{dumps(key)}:{dumps(item)}" for key, item in value) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(dumps, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def nested(depth, opening="[", closing="]"):
    return Raw(opening * depth + closing * depth)


NUMBERS = [0, 1, 3, 4, 8, -1, -4, 2**31, 2**32, 2**53, 2**61, 2**62, 2**63 - 1, 2**63, 2**64 - 1, 2**64, 10**400]
NAMES = ["", "a", "b", "ä", "\U0001f999", "\0", "a\0b", "__metadata__", "dtype", "shape", "data_offsets", "x" * 300]
TEXTS = (
    "1.0 4.0 1e0 0e0 -0 1E400 -1e400 1e-400 01 +1 0x4 .5 5. NaN Infinity -Infinity nul True 'a' "
    '"\\u0000" "\\ud800" "\\udc00\\ud800" "\\ud83d\\ude00" "\\x41" "\\u00g0" "\\/" "\t" "\x7f" '
    '{"U8":null} {"U8":[]} {"U8":null,"I8":null} {"U9":null} ["U8",[4],[0,4]] ["U8",[4]] ["U8",[4],[0,4],0] '
    '[0,4,4] /**/1 [1,] {"a":1,}'
)
RAW = [*map(Raw, TEXTS.split(" ")), Raw("")]
DEEP = [nested(depth) for depth in (60, 124, 125, 126, 127, 128, 200)] + [nested(124, '{"a":[', "]}")]
DTYPES = [
    *BITS,
    *["F31", "f32", "u8", "U8 ", "", "F4_E2M1", "F8_E4M3FN", "F8_E3M4", "I4", "U4", "C32", "C128", "F128", "uint8"],
    *["U\0", "BOOL8"],
]
TOKENS = [
    *(bytes([byte]) for byte in b'"\\{}[],: \n\r\t\f\v\0\x01\x7f\x80\xff'),
    *[b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xef\xbb\xbf", b"\xc2\xa0", "é".encode()],
    *rb"\u0000 \u0061 \ud83d \n 0 9 - 1e1 .0 null {}".split(),
]


def right(rng):
    """Returns the header and the number of data bytes of a valid file."""
    header, size = Pairs(), 0
    if rng.random() < 0.3:
        header.append(["__metadata__", Pairs([["format", "pt"]])])
    for name in rng.sample(["a", "b", "c.weight", "d\n", "ü"], rng.randint(0, 4)):
        dtype = rng.choice(list(BITS))
        shape = rng.choice([[4], [8], [2, 4], [4, 1, 1], [0], [0, 3], [3, 0, 4]] + [[]] * (BITS[dtype] % 8 == 0))
        end = size + math.prod(shape) * BITS[dtype] // 8
        header.append([name, Pairs([["dtype", dtype], ["shape", shape], ["data_offsets", [size, end]]])])
        size = end
    rng.shuffle(header)
    return header, size


def containers(value):
    """Yields this object or array and all those nested in it."""
    if isinstance(value, list):
        yield value
        for item in value:
            yield from containers(item[1] if isinstance(value, Pairs) else item)


def entries(header):
    return [pair for pair in header if isinstance(pair[1], Pairs) and pair[0] != "__metadata__"]


def any_value(rng):
    return rng.choice(
        [
            rng.choice(NUMBERS),
            rng.choice(RAW),
            rng.choice(DEEP),
            rng.choice(DTYPES),
            None,
            True,
            "a",
            [],
            Pairs(),
            [0, 4],
            [4],
            Pairs([["a", "b"]]),
            Pairs([["a", None]]),
        ]
    )


def put_value(rng, header):
    """Replaces any value by another."""
    place = rng.choice([found for found in containers(header) if found] or [Pairs([["a", 0]])])
    slot = rng.choice(place) if isinstance(place, Pairs) else place
    slot[1 if isinstance(place, Pairs) else rng.randrange(len(place))] = any_value(rng)


def put_number(rng, header):
    """Replaces a number in a shape or a range, often by one close to it."""
    lists = [found for found in containers(header) if not isinstance(found, Pairs) and found]
    if lists:
        place = rng.choice(lists)
        index = rng.randrange(len(place))
        near = place[index] + rng.choice([-8, -1, 1, 4]) if isinstance(place[index], int) else 0
        place[index] = rng.choice([near, rng.choice(NUMBERS)])


def put_shape(rng, header):
    for pair in entries(header):
        if rng.random() < 0.5:
            pair[1][:] = [
                [key, [rng.choice(NUMBERS) for _ in range(rng.randint(0, 4))] if key == "shape" else value]
                for key, value in pair[1]
            ]


def put_dtype(rng, header):
    for pair in entries(header)[:1]:
        pair[1][:] = [
            [key, rng.choice([rng.choice(DTYPES), Pairs([[value, None]])]) if key == "dtype" else value]
            for key, value in pair[1]
        ]


def drop(rng, header):
    place = rng.choice([found for found in containers(header) if found] or [[0]])
    place.pop(rng.randrange(len(place)))


def repeat(rng, header):
    """Inserts an existing pair or item a second time, at any place in the same container."""
    place = rng.choice([found for found in containers(header) if found] or [[0]])
    place.insert(rng.randrange(len(place) + 1), rng.choice(place))


def add_field(rng, header):
    place = rng.choice([pair[1] for pair in entries(header)] or [header])
    place.insert(rng.randrange(len(place) + 1), [rng.choice(NAMES), any_value(rng)])


def add_empty_tensor(rng, header):
    """Inserts a tensor without bytes at a valid offset, under any name, even one that exists."""
    at = rng.choice(
        [0]
        + [
            pair[1][2][1][1]
            for pair in entries(header)
            if len(pair[1]) > 2 and isinstance(pair[1][2][1], list) and len(pair[1][2][1]) > 1
        ]
    )
    shape = rng.choice([[0], [0, rng.choice(NUMBERS)], [rng.choice(NUMBERS), 0], [rng.choice(NUMBERS), 4, 0]])
    entry = Pairs([["dtype", "F32"], ["shape", shape], ["data_offsets", [at, at]]])
    header.insert(rng.randrange(len(header) + 1), [rng.choice(NAMES), entry])


def as_array(rng, header):
    """Replaces an entry's object by an array of its values."""
    for pair in rng.sample(entries(header), min(1, len(entries(header)))):
        pair[1] = [value for _, value in pair[1]]


def rename(rng, header):
    place = rng.choice(
        [found for found in containers(header) if isinstance(found, Pairs) and found] or [Pairs([["a", 0]])]
    )
    rng.choice(place)[0] = rng.choice(NAMES)


def set_metadata(rng, header):
    value = rng.choice([None, any_value(rng), Pairs([[rng.choice(NAMES), any_value(rng)]])])
    header.insert(rng.randrange(len(header) + 1), ["__metadata__", value])


STRUCTURE = [
    put_value,
    put_number,
    put_number,
    put_shape,
    put_dtype,
    drop,
    repeat,
    add_field,
    add_empty_tensor,
    as_array,
    rename,
    set_metadata,
]


def alter_text(rng, text):
    """Inserts, replaces or deletes a few bytes of the text, or copies some to another place."""
    at, length = rng.randrange(len(text) + 1), rng.choice([0, 0, 1, 1, 2, 9])
    new = rng.choice([rng.choice(TOKENS), rng.choice(TOKENS), b"", text[at // 2 : at // 2 + rng.randint(1, 60)]])
    return text[:at] + new + text[at + length :]


def alter_spaces(rng, text):
    space = rng.choice([b" ", b"\n", b"\t \r\n", b"\0", b"\f", b"\xef\xbb\xbf", b"x"]) * rng.randint(1, 9)
    at = rng.choice([0, len(text), text.find(b":") + 1, text.find(b",") + 1])
    return text[:at] + space + text[at:]


def alter_file(rng, content):
    """Adds or removes bytes at the end, or changes the stored header length."""
    kind = rng.randrange(4)
    if kind == 0:
        return content[: rng.randrange(len(content) + 1)]
    if kind == 1:
        return content + rng.choice([b"\0", b" ", bytes(8), content])
    length = int.from_bytes(content[:8], "little")
    length = rng.choice([length - 1, length + 1, 0, 100_000_001, 2**63, 2**64 - 1, rng.randrange(length + 2)])
    return max(length, 0).to_bytes(8, "little") + content[8:]


def altered(rng):
    """Returns a file with up to three alterations of these kinds, or with none."""
    header, size = right(rng)
    kind = rng.random()
    if kind < 0.7:
        for _ in range(rng.choice([1, 1, 1, 2, 3])):
            rng.choice(STRUCTURE)(rng, header)
    text = dumps(header).encode()
    if kind > 0.65:
        for _ in range(rng.choice([0, 1, 1, 2])):
            text = rng.choice([alter_text, alter_text, alter_spaces])(rng, text)
    content = file_bytes(text, bytes(size))
    return alter_file(rng, content) if kind > 0.92 else content
