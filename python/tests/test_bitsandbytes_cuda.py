"""Checks of the integration that need a GPU: its bytes are bitsandbytes', and its streams are torch's."""

import warnings

import pytest
import torch
from conftest import NO_GPU, Calls, same_bits, same_state

import qfuse.integrations.bitsandbytes as integration

bnb = pytest.importorskip("bitsandbytes")
pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason=NO_GPU)
ORIGINAL = bnb.functional.quantize_4bit
BUSY = 200_000_000  # GPU cycles, about a tenth of a second
NESTED = dict(compress_statistics=True, quant_type="nf4")
# Sizes that end in a partial block or byte, and that have more absmax values than one nested block.
SHAPES = [(13, 5), (64, 96), (257, 65), (1000, 1031), (2, 3, 512)]


@pytest.fixture(autouse=True)
def enabled():
    with integration.enabled() as report:
        yield report
    assert bnb.functional.quantize_4bit is ORIGINAL


def make_weight(*shape, dtype=torch.float32):
    """Returns a weight with a block of zeros and one of small numbers, if it is large enough."""
    weight = torch.randn(shape, generator=torch.Generator("cuda").manual_seed(7), device="cuda")
    weight.view(-1)[64:128] = 0
    weight.view(-1)[128:192] *= 1e-6
    return weight.to(dtype)


def same(found, expected):
    """Whether two results of quantize_4bit are identical."""
    return same_state(found[0], expected[0]) and same_state(found[1], expected[1])


def tensors_of(state):
    return state.absmax, state.code, state.offset, state.state2.absmax, state.state2.code


def original(*args, **kwargs):
    """Calls bitsandbytes' quantize_4bit, with its op's own kernel. It runs on the default stream, so this synchronizes
    before and after."""
    torch.cuda.synchronize()
    integration._patches._restore()
    try:
        result = ORIGINAL(*args, **kwargs)
    finally:
        integration._patches._replace()
    torch.cuda.synchronize()
    return result


def test_the_original_is_not_ours():
    with Calls("qfuse::quantize_4bit") as encodes:
        original(make_weight(64, 96))
    assert encodes.count == 0


def test_encoding_is_a_kernel_of_their_op(enabled):
    assert enabled.replaced["bitsandbytes::quantize_4bit on CUDA"] == "hook"
    weight = make_weight(64, 96)
    packed, state = original(weight, quant_type="nf4")
    with Calls("qfuse::quantize_4bit") as encodes:
        found = torch.ops.bitsandbytes.quantize_4bit.default(weight, 64, "nf4", torch.uint8)
    assert encodes.count == 1 and same_bits(found[0], packed) and same_bits(found[1], state.absmax)


def test_every_patch_applies(enabled):
    assert enabled.left == {} and len(enabled.replaced) >= 3


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16], ids=str)
@pytest.mark.parametrize("quant_type", ["nf4", "fp4"])
@pytest.mark.parametrize("nested", [False, True], ids=["plain", "nested"])
@pytest.mark.parametrize("blocksize", [None, 32, 64, 128, 256, 512, 1024, 2048, 4096])
def test_the_bytes_of_bitsandbytes(dtype, quant_type, nested, blocksize):
    kind = dict(blocksize=blocksize, compress_statistics=nested, quant_type=quant_type)
    every = [
        (weight, dict(kind, quant_storage=storage))
        for weight in (make_weight(*shape, dtype=dtype) for shape in SHAPES)
        for storage in (torch.uint8, torch.bfloat16, torch.float32)
        if (weight.numel() + 1) // 2 % storage.itemsize == 0
    ]
    with Calls("qfuse::quantize_4bit") as encodes:
        found = [bnb.functional.quantize_4bit(weight, **arguments) for weight, arguments in every]
    assert encodes.count == len(every)
    for (weight, arguments), result in zip(every, found, strict=True):
        assert same(result, original(weight, **arguments)), (weight.shape, arguments)


def test_by_its_other_names():
    weight = make_weight(64, 96)
    for quant_type, other in [("nf4", bnb.functional.quantize_nf4), ("fp4", bnb.functional.quantize_fp4)]:
        with Calls("qfuse::quantize_4bit") as encodes:
            found = other(weight)
        assert encodes.count == 1 and same(found, original(weight, quant_type=quant_type))


def test_a_weight_that_is_not_contiguous():
    weight = make_weight(96, 256).t()
    assert same(bnb.functional.quantize_4bit(weight, **NESTED), original(weight, **NESTED))


def test_outputs_that_are_given():
    weight = make_weight(64, 96)
    expected = original(weight, quant_type="nf4")
    out, absmax = torch.empty_like(expected[0]), torch.empty_like(expected[1].absmax)
    torch.cuda.synchronize()
    found = bnb.functional.quantize_4bit(weight, absmax, out, quant_type="nf4")
    assert found[0] is out and found[1].absmax is absmax and same(found, expected)


def test_in_another_default_dtype():
    weight = make_weight(64, 96)
    torch.set_default_dtype(torch.bfloat16)
    try:
        for quant_type in ("nf4", "fp4"):
            expected = original(weight, compress_statistics=True, quant_type=quant_type)
            assert same(bnb.functional.quantize_4bit(weight, compress_statistics=True, quant_type=quant_type), expected)
    finally:
        torch.set_default_dtype(torch.float32)
    assert expected[1].code.dtype == torch.bfloat16  # the default dtype did make a difference
    assert bnb.functional.quantize_4bit(weight, quant_type="fp4")[1].code.dtype == torch.float32


def test_states_share_no_memory():
    """safetensors refuses to save tensors that share memory."""
    states = [bnb.functional.quantize_4bit(make_weight(64, 96), **NESTED)[1] for _ in range(2)]
    maps = [tensor.data_ptr() for state in states for tensor in (state.code, state.state2.code)]
    assert len(set(maps)) == 4


def test_encodes_on_the_current_stream_and_waits_for_nothing():
    weight = make_weight(1024, 4096)
    expected = bnb.functional.quantize_4bit(weight, **NESTED)  # also copies the maps to the GPU
    late = torch.zeros_like(weight)  # filled only after the stream has been busy
    torch.cuda.synchronize()
    stream = torch.cuda.Stream()
    torch.cuda.set_sync_debug_mode("error")  # torch raises on any synchronization, as by .item()
    try:
        with torch.cuda.stream(stream):
            torch.cuda._sleep(BUSY)
            late.copy_(weight)
            found = bnb.functional.quantize_4bit(late, **NESTED)
            assert not stream.query()  # the host has not waited for the GPU
    finally:
        torch.cuda.set_sync_debug_mode("default")
    stream.synchronize()
    assert same(found, expected)


def test_a_graph_captures_an_encoding():
    weight = make_weight(1024, 512)
    bnb.functional.quantize_4bit(weight, **NESTED)  # the first such call copies the maps to the GPU
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        found = bnb.functional.quantize_4bit(weight, **NESTED)
    for factor in (1, -3, 0.25):
        weight.mul_(factor)
        graph.replay()
        assert same(found, original(weight, **NESTED))


def test_encodes_compiled():
    weight = make_weight(64, 96)
    expected = bnb.functional.quantize_4bit(weight, **NESTED)

    def encode(weight):
        packed, state = bnb.functional.quantize_4bit(weight, **NESTED)
        return packed, *tensors_of(state)

    torch._dynamo.reset()
    found = torch.compile(encode, backend="aot_eager")(weight)
    assert all(same_bits(a, b) for a, b in zip(found, (expected[0], *tensors_of(expected[1])), strict=True))


@pytest.mark.skipif(torch.cuda.device_count() < 2, reason="NOT TESTED ON TWO GPUS: torch sees fewer")
def test_encodes_where_the_weight_is():
    weight = make_weight(64, 96)
    expected = bnb.functional.quantize_4bit(weight, **NESTED)
    packed, state = bnb.functional.quantize_4bit(weight.to("cuda:1"), **NESTED)
    assert all(tensor.device == torch.device("cuda:1") for tensor in (packed, *tensors_of(state)))
    state.to("cuda:0")
    assert same((packed.to("cuda:0"), state), expected)


@pytest.mark.parametrize("quant_type", ["nf4", "fp4"])
@pytest.mark.parametrize("nested", [False, True], ids=["plain", "nested"])
@pytest.mark.parametrize("storage", [torch.uint8, torch.bfloat16], ids=str)
def test_a_layer_that_is_moved_to_the_gpu(quant_type, nested, storage):
    def moved():
        torch.manual_seed(3)
        layer = bnb.nn.Linear4bit(192, 64, compress_statistics=nested, quant_type=quant_type, quant_storage=storage)
        with Calls("qfuse::quantize_4bit") as encodes:
            layer = layer.to(torch.bfloat16).to("cuda")
        torch.cuda.synchronize()
        return layer, encodes.count

    layer, encodes = moved()
    integration.disable()
    expected, without = moved()
    assert (encodes, without) == (1, 0)
    assert same((layer.weight.data, layer.weight.quant_state), (expected.weight.data, expected.weight.quant_state))
    found, saved = layer.state_dict(), expected.state_dict()
    assert found.keys() == saved.keys() and all(same_bits(found[key], saved[key]) for key in saved)


@pytest.mark.parametrize("nested", [False, True], ids=["plain", "nested"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16], ids=str)
@pytest.mark.parametrize("tokens, columns", [(2048, 128), (4, 80)], ids=["many tokens", "broken blocks"])
def test_a_product_decodes_once(nested, dtype, tokens, columns):
    """Where bitsandbytes has no kernel for the product, it decodes to the dtype of x, which is not the weight's."""
    torch.manual_seed(3)
    layer = bnb.nn.Linear4bit(columns, 64, compute_dtype=dtype, compress_statistics=nested, quant_type="nf4")
    layer = layer.to(torch.bfloat16).to("cuda")
    x = torch.randn(tokens, columns, device="cuda", dtype=dtype)
    with warnings.catch_warnings(), torch.no_grad():
        warnings.filterwarnings("ignore", message="inner dimension .* is not aligned")
        with Calls("qfuse::dequantize_4bit") as decodes:
            found = layer(x)
        integration.disable()
        expected = layer(x)
    assert decodes.count == 1
    assert found.dtype == dtype and same_bits(found, expected)
