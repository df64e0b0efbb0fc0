"""The bits of bitsandbytes on CUDA, on whatever runs here."""

import pytest
import torch
from conftest import DTYPES, golden_weights, same_bits

import qfuse

CASES = [*golden_weights("bnb_cases"), *golden_weights("bnb_extra")]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_decodes_to_the_same_bits(case, device):
    assert case.decoded
    for dtype, expected in case.decoded.items():
        found = qfuse.ops.dequantize_4bit(*case.arguments(dtype, device))
        assert same_bits(found.reshape(-1), expected.reshape(-1)), dtype


@pytest.mark.parametrize("case", [c for c in CASES if c.nested], ids=lambda case: case.name)
def test_the_steps_of_a_nested_decode_give_the_same_as_the_one_pass(case, device):
    packed, absmax, blocksize, quant_type, shape, dtype, nested_absmax, nested_map, offset = case.arguments(
        torch.float32, device
    )
    plain = qfuse.ops.dequantize_blockwise(absmax, nested_absmax, nested_map, 256, torch.float32) + offset
    assert same_bits(
        qfuse.ops.dequantize_4bit(packed, plain, blocksize, quant_type, shape, dtype),
        qfuse.ops.dequantize_4bit(*case.arguments(torch.float32, device)),
    )


# Elsewhere a reciprocal that is rounded correctly, and not as on CUDA, may give another code.
EXACT = [c for c in CASES if c.input is not None and c.args[3] == "nf4" and c.input.dtype != torch.float32]


@pytest.mark.parametrize("case", EXACT, ids=lambda case: case.name)
def test_encodes_to_the_same_bytes(case, device):
    packed, absmax, blocksize, quant_type, _ = case.args
    if case.nested:
        found, codes, nested_absmax, offset, _ = qfuse.ops.quantize_4bit_nested(
            case.input.to(device),
            blocksize,
            quant_type,
            given_offset=case.nested[2].to(device),
            reciprocal="approx" if device == "cuda" else "ieee",
        )
        assert same_bits(nested_absmax, case.nested[0])
        assert same_bits(offset, case.nested[2])
        assert device == "cpu" or same_bits(codes, absmax)
    else:
        found, found_absmax = qfuse.ops.quantize_4bit(case.input.to(device), blocksize, quant_type)
        assert same_bits(found_absmax, absmax)
    assert same_bits(found, packed)


def test_there_are_cases_of_each_kind():
    assert len(CASES) == 28 and len(EXACT) >= 8
    assert {c.args[3] for c in CASES} == {"nf4", "fp4"}
    assert {c.input.dtype for c in CASES if c.input is not None} == set(DTYPES)
