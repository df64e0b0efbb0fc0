"""Small calls of everything in qfuse.ops and qfuse.ops.functional, by name, for tests that run them in other threads
or, by importing this module, in other processes."""

import threading
from collections.abc import Callable, Sequence

import torch
from torch import Tensor
from torch.utils.data import Dataset

import qfuse

ROWS, COLS, TOKENS, RANK = 64, 256, 5, 16
H = 128


def random(*shape: int, device: str, dtype: torch.dtype = torch.bfloat16, seed: int = 1) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed)).to(device, dtype)


def nested_weight(device: str) -> qfuse.Weight4bit:
    """Returns a nested weight, encoded on the CPU so that the device has run nothing yet."""
    original = random(ROWS, COLS, device="cpu", dtype=torch.float32)
    tensors = qfuse.ops.quantize_4bit_nested(original, 64, "nf4")
    return qfuse.Weight4bit(tensors, (ROWS, COLS), torch.bfloat16).to(device)


class Inputs:
    """The inputs of all calls, on one device."""

    def __init__(self, device: str) -> None:
        self.weight = nested_weight(device)
        self.original = random(ROWS, COLS, device=device)
        self.values = random(ROWS, COLS, device=device, dtype=torch.float32)
        self.x, self.grad = random(TOKENS, COLS, device=device), random(TOKENS, ROWS, device=device)
        self.rows, self.bias = random(1, COLS, device=device), random(ROWS, device=device)
        self.lora_a = random(RANK, COLS, device=device, dtype=torch.float32)
        self.lora_b = random(ROWS, RANK, device=device, dtype=torch.float32)
        self.lora_in, self.lora_weight = random(TOKENS, RANK, device=device), random(ROWS, RANK, device=device)
        self.gates, self.grad_y = random(128, 2 * H, device=device), random(128, H, device=device)
        self.codes = (torch.arange(ROWS * COLS) % 251).to(torch.uint8).view(ROWS, COLS).to(device)
        self.scales = torch.rand(ROWS * COLS // 64, generator=torch.Generator().manual_seed(2)).to(device)
        self.map = self.weight.tensors[3]
        self.int8 = (torch.arange(ROWS * COLS) % 255 - 127).to(torch.int8).view(ROWS, COLS).to(device)

        self.ends = torch.tensor([2, 2, TOKENS, TOKENS], dtype=torch.int32, device=device)
        self.experts = (4, ROWS // 4, COLS)

    def product(self, x: Tensor, direction: str = "forward", order: str = "plain", **more: Tensor | None) -> Tensor:
        bias = more.pop("bias", None)
        how = {"shape": (ROWS, COLS), "direction": direction, "order": order}
        return qfuse.ops.matmul_4bit(x, self.weight.tensors, bias, **more, **how)

    def grouped(self, x: Tensor, direction: str = "forward", **more: Tensor) -> Tensor:
        return qfuse.ops.matmul_4bit_grouped(
            x, self.weight.tensors, self.ends, **more, shape=self.experts, direction=direction
        )


def _into(out: Tensor, write: Callable[[Tensor], object]) -> Tensor:
    write(out)
    return out


def _pair(rows: int, cols: int, device: torch.device) -> tuple[Tensor, Tensor]:
    payload = torch.zeros(rows, cols, dtype=torch.int8, device=device)
    return payload, torch.zeros(rows, cols // 128, device=device)


def _swiglu(given: Inputs) -> Sequence[Tensor]:
    outputs = [_pair(128, 2 * H, given.gates.device), _pair(H, 128, given.gates.device)]
    qfuse.ops.swiglu(given.gates, grad_y=given.grad_y, grad_input=outputs[0], y_t=outputs[1])
    return [*outputs[0], *outputs[1]]


def _published(given: Inputs) -> Sequence[Tensor]:
    outputs = [*_pair(128, 2 * H, given.gates.device), *_pair(H, 128, given.gates.device)]
    qfuse.ops.silu_dot_fwd_bwd_quant_fuse(given.gates, given.grad_y, *outputs)
    return outputs


def _with_lora(given: Inputs) -> Sequence[Tensor]:
    return [qfuse.matmul_4bit_lora(given.x, given.weight, given.lora_a, given.lora_b, 2.0, bias=given.bias)]


def _grouped_with_lora(given: Inputs) -> Sequence[Tensor]:
    stack, lora_a = given.weight._replace(shape=given.experts), given.lora_a.expand(4, -1, -1)
    return [qfuse.matmul_4bit_grouped_lora(given.x, stack, given.ends, lora_a, given.lora_b.view(4, -1, RANK))]


def _shared(given: Inputs) -> Sequence[Tensor]:
    return qfuse.matmul_4bit_lora_shared(given.x, [given.weight] * 2, [given.lora_a] * 2, [given.lora_b] * 2)


def _rotated_int8(given: Inputs) -> Sequence[Tensor]:
    scale = qfuse.rotated_int8_weight_scales(given.weight, direction="backward")
    weight = qfuse.rotated_int8_weight(given.weight, scale, direction="backward")
    grad = qfuse.rotated_int8_quantize(given.grad)
    return [*grad, scale, weight, qfuse.rotated_int8_matmul(*grad, weight, scale, torch.bfloat16)]


# In names of matmul_4bit calls, the word after the op is the kernel that a Hopper GPU runs.
CALLS: dict[str, Callable[[Inputs], Sequence[Tensor]]] = {
    "ops.dequantize_4bit": lambda i: [qfuse.ops.dequantize_4bit(*i.weight)],
    "ops.dequantize_4bit_out": lambda i: [
        _into(torch.zeros_like(i.original), lambda out: qfuse.ops.dequantize_4bit_out(*i.weight, out=out))
    ],
    "ops.lora_merge": lambda i: [qfuse.ops.lora_merge(i.original, i.lora_a, i.lora_b, 2.0, torch.float32)],
    "ops.lora_merge_out": lambda i: [
        _into(
            torch.zeros_like(i.original),
            lambda out: qfuse.ops.lora_merge_out(i.original, i.lora_a, i.lora_b, 2.0, out=out),
        )
    ],
    "functional.fake_quantize": lambda i: [qfuse.fake_quantize(i.weight, i.lora_a, i.lora_b, 2.0)],
    "ops.quantize_4bit": lambda i: qfuse.ops.quantize_4bit(i.original, 64, "nf4"),
    "ops.quantize_4bit_nested": lambda i: qfuse.ops.quantize_4bit_nested(i.original, 64, "nf4"),
    "ops.quantize_4bit_kept": lambda i: [qfuse.ops.quantize_4bit_kept(i.original, i.weight.tensors)],
    "ops.quantize_blockwise": lambda i: qfuse.ops.quantize_blockwise(i.values, 64),
    "ops.dequantize_blockwise": lambda i: [
        qfuse.ops.dequantize_blockwise(i.codes, i.scales, i.map, 64, torch.bfloat16)
    ],
    "ops.dequantize_blockwise_out": lambda i: [
        _into(
            torch.zeros_like(i.original),
            lambda out: qfuse.ops.dequantize_blockwise_out(i.codes, i.scales, i.map, 64, torch.bfloat16, out=out),
        )
    ],
    "ops.dequantize_int8": lambda i: [qfuse.ops.dequantize_int8(i.int8, i.scales[:ROWS], torch.bfloat16)],
    "ops.matmul_4bit, warp_specialized": lambda i: [i.product(i.x, bias=i.bias)],
    "ops.matmul_4bit, warp_specialized backward": lambda i: [i.product(i.grad, direction="backward")],
    "ops.matmul_4bit, warp_specialized with LoRA": lambda i: [
        i.product(i.x, lora_in=i.lora_in, lora_weight=i.lora_weight)
    ],
    "ops.matmul_4bit, split_k": lambda i: [i.product(i.rows, order="split")],
    "ops.matmul_4bit, factored": lambda i: [i.product(i.rows, order="factored" if i.rows.is_cuda else "split")],
    "ops.matmul_4bit, tiled": lambda i: [i.product(i.x, order="split", bias=i.bias, **_rank_of_one(i))],
    "ops.matmul_4bit, fp32": lambda i: [i.product(i.x.float())],
    "ops.matmul_4bit_many, split_k": lambda i: qfuse.ops.matmul_4bit_many(
        i.rows, i.weight.tensors * 2, [i.bias] * 2, rows=[ROWS] * 2, order="split"
    ),
    "ops.matmul_4bit_grouped": lambda i: [i.grouped(i.x, bias=i.bias.view(4, -1))],
    "ops.matmul_4bit_grouped, backward": lambda i: [i.grouped(i.grad[:, : ROWS // 4], direction="backward")],
    "ops.swiglu": _swiglu,
    "ops.silu_dot_fwd_bwd_quant_fuse": _published,
    "ops.rotated_int8_quantize": lambda i: qfuse.ops.rotated_int8_quantize(i.x),
    "ops.rotated_int8_swiglu": lambda i: qfuse.ops.rotated_int8_swiglu(*i.gates.chunk(2, -1)),
    "ops.rotated_int8_weight_scales": lambda i: [
        qfuse.ops.rotated_int8_weight_scales(i.weight.tensors, i.weight.shape)
    ],
    "ops.rotated_int8_weight": lambda i: [
        qfuse.ops.rotated_int8_weight(i.weight.tensors, i.scales[:ROWS] / 127, i.weight.shape)
    ],
    "ops.rotated_int8_matmul": lambda i: [
        qfuse.ops.rotated_int8_matmul(i.int8, i.scales[:ROWS], i.int8, i.scales[:ROWS], torch.bfloat16, i.bias)
    ],
    "ops.dequantize_4bit_rows": lambda i: [
        qfuse.ops.dequantize_4bit_rows(i.codes, i.scales[:ROWS].view(-1, 1), 512, "int4", 512, torch.bfloat16)
    ],
    "ops.dequantize_fp8": lambda i: [
        qfuse.ops.dequantize_fp8(i.codes, i.scales[:8].view(4, 2), torch.bfloat16, (16, 128))
    ],
    "functional.dequantize_4bit": lambda i: [qfuse.dequantize_4bit(i.weight)],
    "functional.dequantize_int8": lambda i: [qfuse.dequantize_int8(i.int8, i.scales[:ROWS])],
    "functional.matmul_4bit": lambda i: [qfuse.matmul_4bit(i.x, i.weight, bias=i.bias)],
    "functional.matmul_4bit, plain": lambda i: [qfuse.matmul_4bit(i.x, i.weight, order="plain")],
    "functional.matmul_4bit, rotated_int8": lambda i: [qfuse.matmul_4bit(i.x, i.weight, order="rotated_int8")],
    "functional.matmul_4bit_grouped": lambda i: [
        qfuse.matmul_4bit_grouped(i.x, i.weight._replace(shape=i.experts), i.ends)
    ],
    "functional.matmul_4bit_grouped_lora": _grouped_with_lora,
    "functional.matmul_4bit_many": lambda i: qfuse.matmul_4bit_many(i.x, [i.weight] * 3),
    "functional.matmul_4bit_lora": _with_lora,
    "functional.matmul_4bit_lora_shared": _shared,
    "functional.rotated_int8": _rotated_int8,
}


def _rank_of_one(given: Inputs) -> dict[str, Tensor]:
    return {"lora_in": given.lora_in[:, :1].contiguous(), "lora_weight": given.lora_weight[:, :1].contiguous()}


def _bytes(tensor: Tensor) -> Tensor:
    return tensor.reshape(-1).view(torch.uint8)


def equal(found: Sequence[Tensor], expected: Sequence[Tensor]) -> bool:
    return all(torch.equal(_bytes(one), _bytes(other)) for one, other in zip(found, expected, strict=True))


class Worker(threading.Thread):
    """A thread that keeps the result of `call`; join() raises what `call` raised."""

    def __init__(self, call: Callable[[], object]) -> None:
        super().__init__()
        self._call, self.result, self._error = call, None, None

    def run(self) -> None:
        try:
            self.result = self._call()
        except BaseException as error:
            self._error = error

    def join(self, timeout: float | None = None) -> None:
        super().join(timeout)
        if self._error is not None:
            raise self._error


def in_thread(call: Callable[[], object]):
    worker = Worker(call)
    worker.start()
    worker.join()
    return worker.result


# ---- what a fresh process runs: python -c "import every_call; every_call.NAME(...)" ----


def check_first_call(name: str, device: str) -> None:
    """The first GPU call of qfuse in the process comes from a new thread."""
    given = Inputs(device)
    assert equal(in_thread(lambda: CALLS[name](given)), CALLS[name](given))


def backward_of(given: Inputs, grad: Tensor) -> list[Tensor]:
    x, bias = given.x.clone().requires_grad_(), given.bias.clone().requires_grad_()
    qfuse.matmul_4bit(x, given.weight, bias=bias).backward(grad)
    return [x.grad, bias.grad]


def check_backward(device: str) -> None:
    """With a contiguous gradient, qfuse's kernel is the first to run in autograd's GPU thread."""
    given = Inputs(device)
    found = backward_of(given, given.grad)
    assert equal(found[:1], [given.product(given.grad, direction="backward")])
    assert equal(in_thread(lambda: backward_of(given, given.grad)), found)


def lora_gradients_of(given: Inputs) -> list[Tensor]:
    layer = qfuse.nn.Linear4bitLoRA(given.weight, RANK)
    with torch.no_grad():
        layer.lora_A.weight.copy_(given.lora_a)
        layer.lora_B.weight.copy_(given.lora_b)
    x = given.x.clone().requires_grad_()
    layer(x).backward(given.grad)
    return [x.grad, layer.lora_A.weight.grad, layer.lora_B.weight.grad]


def check_lora(device: str) -> None:
    given = Inputs(device)
    found = lora_gradients_of(given)
    assert equal(in_thread(lambda: lora_gradients_of(given)), found)
    assert all(gradient.isfinite().all() and gradient.any() for gradient in found)


def check_contexts() -> None:
    """All calls, forward and backward, on cuda:1 create no context on cuda:0."""

    def check(what: str) -> None:
        assert torch._C._cuda_hasPrimaryContext(1) and not torch._C._cuda_hasPrimaryContext(0), what

    given = Inputs("cuda:1")
    check("torch's copies")
    for name, call in CALLS.items():
        found = in_thread(lambda call=call: call(given))
        check(f"{name} in a thread")
        assert equal(found, call(given))
        check(name)
    check_backward("cuda:1")
    check("gradients")
    check_lora("cuda:1")
    check("LoRA's gradients")
    assert torch.cuda.current_device() == 0


# ---- what torch sends to its own workers ----


class Decoded(Dataset):
    """Each item holds the results of all calls on `device`, whichever process asks for it."""

    def __init__(self, device: str) -> None:
        self.device = device

    def __len__(self) -> int:
        return 4

    def __getitem__(self, index: int) -> list[Tensor]:
        given = Inputs(self.device)
        return [tensor.cpu() for call in CALLS.values() for tensor in call(given)]


class Product(torch.nn.Module):
    """x times a 4-bit weight, whose tensors follow the module to its GPU."""

    def __init__(self, device: str) -> None:
        super().__init__()
        self.count = len(nested_weight("cpu").tensors)
        for index, tensor in enumerate(nested_weight(device).tensors):
            self.register_buffer(f"tensor{index}", tensor)
        self.bias = torch.nn.Parameter(random(ROWS, device=device))

    def forward(self, x: Tensor) -> Tensor:
        tensors = tuple(getattr(self, f"tensor{index}") for index in range(self.count))
        weight = qfuse.Weight4bit(tensors, (ROWS, COLS), torch.bfloat16)
        return qfuse.matmul_4bit(x, weight, bias=self.bias, order="plain")
