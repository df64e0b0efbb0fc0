"""Decoding and encoding have the bits of bitsandbytes on CUDA, on every device here."""

import pytest
import torch
from conftest import DTYPES, golden_weights, same_bits

import qfuse

CASES = [*golden_weights("bnb_cases"), *golden_weights("bnb_extra")]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_decodes_to_the_same_bits(case, device):
    assert case.decoded
    for dtype, expected in case.decoded.items():
        found = qfuse.ops.dequantize_4bit(*case.on(device, dtype))
        assert same_bits(found.reshape(-1), expected.reshape(-1)), dtype


# For other inputs, a correctly rounded reciprocal may give another code than CUDA's approximate one.
EXACT = [c for c in CASES if c.input is not None and c.weight.quant_type == "nf4" and c.input.dtype != torch.float32]


@pytest.mark.parametrize("case", EXACT, ids=lambda case: case.name)
def test_encodes_to_the_same_bytes(case, device):
    weight, kind = case.weight, (case.input.to(device), case.weight.blocksize, case.weight.quant_type)
    if weight.nested:
        found = qfuse.ops.quantize_4bit_nested(
            *kind, given_offset=weight.nested_offset.to(device), reciprocal="approx" if device == "cuda" else "ieee"
        )
    else:
        found = qfuse.ops.quantize_4bit(*kind)
    names = ("packed", "absmax", "nested_absmax", "nested_quant_map", "nested_offset")[: len(found)]
    for name, a, b in zip(names, found, weight.tensors, strict=True):
        if name != "absmax" or not weight.nested or device == "cuda":
            assert same_bits(a, b), name


def test_there_are_cases_of_each_kind():
    assert len(CASES) == 28 and len(EXACT) >= 8
    assert {c.weight.quant_type for c in CASES} == {"nf4", "fp4"}
    assert {c.input.dtype for c in CASES if c.input is not None} == set(DTYPES)
