"""Tests that need a GPU: streams, graphs, devices, the allocator. Skipped, with a reason, where torch sees none."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch
from conftest import NO_GPU, make_weight, replaced, same_bits

import qfuse

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason=NO_GPU)
BUSY = 200_000_000  # GPU cycles, about a tenth of a second


@pytest.fixture
def made():
    return make_weight("cuda", 1024, 4096)


@pytest.fixture
def weight(made):
    return made.weight


def test_the_same_bits_as_the_cpu(weight):
    assert same_bits(qfuse.ops.dequantize_4bit(*weight), qfuse.ops.dequantize_4bit(*weight.to("cpu")))


def test_runs_on_the_current_stream_and_waits_for_nothing(weight):
    expected = qfuse.ops.dequantize_4bit(*weight)
    late = torch.zeros_like(weight.packed)  # filled only after the stream has been busy
    torch.cuda.synchronize()
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        torch.cuda._sleep(BUSY)
        late.copy_(weight.packed)
        found = qfuse.ops.dequantize_4bit(*replaced(weight, 0, late))
        assert not stream.query()  # the host has not waited for the GPU
    stream.synchronize()
    assert same_bits(found, expected)


def test_two_streams_at_once(weight):
    expected = qfuse.ops.dequantize_4bit(*weight)
    streams = [torch.cuda.Stream() for _ in range(2)]
    torch.cuda.synchronize()
    found = []
    for _ in range(20):
        for stream in streams:
            with torch.cuda.stream(stream):
                found.append(qfuse.ops.dequantize_4bit(*weight))
    torch.cuda.synchronize()
    assert all(same_bits(result, expected) for result in found)


def test_a_captured_graph_takes_the_ends_that_it_finds():
    """Each replay reads the experts' ends on the GPU; the host does not wait for them."""
    m, h, experts = 384, 256, 3
    x, grad_y = (torch.randn(m, cols, device="cuda").bfloat16() for cols in (2 * h, h))
    ends = torch.zeros(experts, dtype=torch.int32, device="cuda")

    def outputs():
        columns = qfuse.ops.expert_columns(m, experts)
        return [
            torch.full(shape, 7, dtype=dtype, device="cuda")
            for shape, dtype in [
                ((m, 2 * h), torch.int8),
                ((m, 2 * h // 128), torch.float32),
                ((h, columns), torch.int8),
                ((h, columns // 128), torch.float32),
            ]
        ]

    captured, graph = outputs(), torch.cuda.CUDAGraph()
    qfuse.ops.silu_dot_fwd_bwd_quant_fuse(x, grad_y, *captured, expert_ends=ends)
    with torch.cuda.graph(graph):
        for tensor in captured:
            tensor.fill_(7)
        qfuse.ops.silu_dot_fwd_bwd_quant_fuse(x, grad_y, *captured, expert_ends=ends)
    for now in ([384, 384, 384], [1, 130, 300], [0, 0, 0], [127, 128, 384]):
        ends.copy_(torch.tensor(now))
        graph.replay()
        eager = outputs()
        qfuse.ops.silu_dot_fwd_bwd_quant_fuse(x, grad_y, *eager, expert_ends=torch.tensor(now, device="cuda"))
        assert all(torch.equal(one, other) for one, other in zip(captured, eager, strict=True))


def test_eight_threads_at_once(weight):
    """Each thread has its own stream, weight and activations, and all are in the library at the same time."""

    def results(args, x, grad_y):
        quantized = [
            torch.empty(256, 1024, dtype=torch.int8, device="cuda"),
            torch.empty(256, 8, device="cuda"),
            torch.empty(512, 256, dtype=torch.int8, device="cuda"),
            torch.empty(512, 2, device="cuda"),
        ]
        qfuse.ops.silu_dot_fwd_bwd_quant_fuse(x, grad_y, *quantized)
        return [qfuse.ops.dequantize_4bit(*args), *quantized]

    generator = torch.Generator("cuda").manual_seed(1)
    inputs = [
        (
            replaced(weight, 0, weight.packed.roll(i)),
            *(torch.randn(256, cols, generator=generator, device="cuda").bfloat16() for cols in (1024, 512)),
        )
        for i in range(8)
    ]
    expected = [results(*given) for given in inputs]
    torch.cuda.synchronize()
    together = threading.Barrier(8)

    def work(i):
        stream = torch.cuda.Stream()
        together.wait()
        with torch.cuda.stream(stream):
            found = [results(*inputs[i]) for _ in range(20)]
        stream.synchronize()
        return all(same_bits(a, b) for result in found for a, b in zip(result, expected[i], strict=True))

    with ThreadPoolExecutor(8) as threads:
        assert all(threads.map(work, range(8)))


def test_a_graph_captures_it(weight):
    out = torch.empty(weight.shape, dtype=torch.bfloat16, device="cuda")
    qfuse.ops.dequantize_4bit_out(*weight, out=out)  # the first such call loads the kernel
    expected = out.clone()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        qfuse.ops.dequantize_4bit_out(*weight, out=out)
    for _ in range(3):
        out.zero_()
        graph.replay()
        assert same_bits(out, expected)


def test_no_synchronization(made):
    torch.cuda.set_sync_debug_mode("error")  # torch raises on any synchronization, as by .item()
    try:
        qfuse.ops.dequantize_4bit(*made.weight)
        qfuse.ops.quantize_4bit_nested(made.original, 64, "nf4", reciprocal="approx")
    finally:
        torch.cuda.set_sync_debug_mode("default")


def test_allocates_its_output_alone(weight):
    out = qfuse.ops.dequantize_4bit(*weight)
    x = torch.randn(256, 512, device="cuda").bfloat16()
    outputs = (
        torch.empty(256, 512, dtype=torch.int8, device="cuda"),
        torch.empty(256, 4, device="cuda"),
        torch.empty(256, 256, dtype=torch.int8, device="cuda"),
        torch.empty(256, 2, device="cuda"),
    )
    calls = [
        (0, lambda: qfuse.ops.dequantize_4bit_out(*weight, out=out)),
        (0, lambda: qfuse.ops.silu_dot_fwd_bwd_quant_fuse(x, x[:, :256], *outputs)),
        (out.nbytes, lambda: qfuse.ops.dequantize_4bit(*weight)),
    ]
    for allowed, call in calls:
        torch.cuda.synchronize()
        torch.cuda.reset_peak_memory_stats()
        before, free = torch.cuda.memory_allocated(), torch.cuda.mem_get_info()[0]
        result = call()
        torch.cuda.synchronize()
        assert torch.cuda.max_memory_allocated() - before == allowed
        assert torch.cuda.mem_get_info()[0] >= free - 2 * allowed - 2**21  # nothing outside torch's allocator
        del result


def test_an_encoding_allocates_what_it_returns_and_its_workspace(made):
    needed = 4 * made.plain.numel() + 4096  # bytes of the workspace and its alignment
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    kept = qfuse.ops.quantize_4bit_nested(made.original, 64, "nf4")
    torch.cuda.synchronize()
    assert torch.cuda.memory_allocated() > before
    assert torch.cuda.max_memory_allocated() <= torch.cuda.memory_allocated() + needed
    del kept


@pytest.mark.skipif(torch.cuda.device_count() < 2, reason="NOT TESTED ON TWO GPUS: torch sees fewer")
def test_runs_where_the_tensors_are(weight):
    assert torch.cuda.current_device() == 0
    there = weight.to("cuda:1")
    found = qfuse.ops.dequantize_4bit(*there)
    assert found.device == torch.device("cuda:1") and torch.cuda.current_device() == 0
    assert same_bits(found, qfuse.ops.dequantize_4bit(*weight))
    with pytest.raises(RuntimeError, match="absmax lies on cuda:0, packed on cuda:1"):
        qfuse.ops.dequantize_4bit(*replaced(weight, 0, there.packed))


@pytest.mark.parametrize("index", range(5))
def test_refuses_a_tensor_on_the_cpu(weight, index):
    with pytest.raises(RuntimeError, match=r"lies on the CPU, .* on cuda:0|lies on cuda:0, packed on the CPU"):
        qfuse.ops.dequantize_4bit(*replaced(weight, index, weight.tensors[index].cpu()))


def test_the_bytes_of_bitsandbytes(made):
    bitsandbytes = pytest.importorskip("bitsandbytes")
    theirs, state = bitsandbytes.functional.quantize_4bit(made.original, compress_statistics=True, quant_type="nf4")
    found = qfuse.ops.quantize_4bit_nested(made.original, 64, "nf4", given_offset=state.offset, reciprocal="approx")
    expected = (theirs, state.absmax, state.state2.absmax, state.state2.code, state.offset)
    assert all(same_bits(a, b) for a, b in zip(found, expected, strict=True))
    assert same_bits(qfuse.dequantize_4bit(theirs, state), bitsandbytes.functional.dequantize_4bit(theirs, state))
