"""Calls in threads, in processes and on devices other than the first have the same bits and change nothing else."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import every_call
import pytest
import torch
from conftest import NO_GPU
from every_call import CALLS, Inputs, equal, in_thread
from torch.utils.data import DataLoader

needs_gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason=NO_GPU)
needs_two = pytest.mark.skipif(torch.cuda.device_count() < 2, reason="NOT TESTED ON TWO GPUS: torch sees fewer")


def run_fresh(code: str) -> None:
    """Runs a call of every_call in a process that has called nothing yet."""
    folders = [str(Path(__file__).parent), *filter(None, [os.environ.get("PYTHONPATH")])]
    done = subprocess.run(
        [sys.executable, "-B", "-c", f"import every_call; every_call.{code}"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(folders)},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", CALLS)
def test_a_new_thread(name, device):
    given = Inputs(device)
    expected = CALLS[name](given)
    assert equal(in_thread(lambda: CALLS[name](given)), expected)


@needs_gpu
@pytest.mark.parametrize("name", CALLS)
def test_a_new_thread_is_the_first_to_call(name):
    run_fresh(f"check_first_call({name!r}, 'cuda')")


def test_a_pool_of_threads(device):
    given = Inputs(device)
    expected = {name: call(given) for name, call in CALLS.items()}
    with ThreadPoolExecutor(8) as threads:
        work = {(name, turn): threads.submit(CALLS[name], given) for turn in range(4) for name in CALLS}
        assert all(equal(found.result(), expected[name]) for (name, _), found in work.items())


@pytest.mark.parametrize("check", ["check_backward", "check_lora"])
def test_gradients_begin_with_qfuse(check, device):
    if device == "cpu":  # torch has no gradient thread on a CPU
        getattr(every_call, check)(device)
    else:
        run_fresh(f"{check}({device!r})")


def test_workers_of_a_data_loader(device):
    given = Inputs(device)
    expected = [tensor.cpu() for call in CALLS.values() for tensor in call(given)]
    loader = DataLoader(
        every_call.Decoded(device), batch_size=None, num_workers=2, multiprocessing_context="spawn", prefetch_factor=1
    )
    items = list(loader)
    assert len(items) == 4 and all(equal(item, expected) for item in items)


@needs_gpu
@pytest.mark.parametrize("name", CALLS)
def test_a_thread_captures_a_graph(name):
    given = Inputs("cuda")
    expected = CALLS[name](given)  # the first such call loads the kernel
    torch.cuda.synchronize()

    def capture():
        if "lora" in name:  # LoRA's small products create a torch handle in this thread, which no capture allows
            CALLS[name](given)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            outputs = CALLS[name](given)
        return graph, outputs

    graph, outputs = in_thread(capture)
    for _ in range(2):
        for output in outputs:
            output.zero_()
        graph.replay()
        assert equal(outputs, expected)


@needs_two
@pytest.mark.parametrize("name", CALLS)
def test_another_device_than_the_current_one(name):
    here, there = Inputs("cuda:0"), Inputs("cuda:1")
    expected = [tensor.cpu() for tensor in CALLS[name](here)]

    def on_both(current):
        with torch.cuda.device(current):
            for given in (there, here):
                found = CALLS[name](given)
                assert torch.cuda.current_device() == current
                assert all(tensor.device == given.x.device for tensor in found)
                assert equal([tensor.cpu() for tensor in found], expected)

    for current in (0, 1):
        on_both(current)
        in_thread(lambda current=current: on_both(current))
    assert torch.cuda.current_device() == 0


@needs_two
def test_nothing_appears_on_a_device_that_is_not_used():
    run_fresh("check_contexts()")


@needs_two
def test_two_devices_in_two_threads():
    expected = {name: [tensor.cpu() for tensor in call(Inputs("cuda:0"))] for name, call in CALLS.items()}

    def work(index):
        given = Inputs(f"cuda:{index % 2}")
        return {name: [tensor.cpu() for tensor in call(given)] for name, call in CALLS.items()}

    with ThreadPoolExecutor(8) as threads:
        for found in threads.map(work, range(16)):
            assert all(equal(found[name], expected[name]) for name in CALLS)


@needs_two
def test_data_parallel():
    module = every_call.Product("cuda:0")
    x = every_call.random(8, every_call.COLS, device="cuda:0")
    grad = every_call.random(8, every_call.ROWS, device="cuda:0")

    def gradients(call):
        leaf = x.clone().requires_grad_()
        module.bias.grad = None
        product = call(leaf)
        product.backward(grad)
        return [product.detach(), leaf.grad]

    assert equal(gradients(torch.nn.DataParallel(module, device_ids=[0, 1])), gradients(module))
