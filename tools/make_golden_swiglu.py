"""Makes tests/golden/swiglu.safetensors: the SwiGLU backward with INT8 outputs by torch's own operations on a GPU.

The formulas are those of tests/libraries/swiglu.py. For each case: .x, .grad_y and the four outputs. Needs a GPU, torch
and safetensors; run as: python tools/make_golden_swiglu.py OUT_DIRECTORY
"""

import sys
from pathlib import Path

import torch
from safetensors.torch import save_file

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "libraries"))
from swiglu import FACTORS, inputs, swiglu_backward  # noqa: E402

SHAPES = [(128, 128), (130, 128)]  # whole groups of tokens, and a short last one
NAMES = ("grad_input_q", "grad_input_s", "y_q_t", "y_s_t")


def main(out):
    generator = torch.Generator().manual_seed(20261121)
    tensors = {}

    def add(name, x, grad_y):
        tensors[f"{name}.x"], tensors[f"{name}.grad_y"] = x, grad_y
        for output, value in zip(NAMES, swiglu_backward(x.cuda(), grad_y.cuda())):
            tensors[f"{name}.{output}"] = value.cpu().contiguous()

    for m, h in SHAPES:
        for kind, factor in FACTORS.items():
            add(f"{kind}_{m}x{h}", *inputs(m, h, factor, generator))
        add(f"sparse_{m}x{h}", *inputs(m, h, 1.0, generator, kept=0.01))
    save_file(tensors, f"{out}/swiglu.safetensors",
              metadata={"torch": torch.__version__, "device": torch.cuda.get_device_name()})


if __name__ == "__main__":
    main(sys.argv[1])
