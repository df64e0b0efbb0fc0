"""silu_dot_fwd_bwd_quant_fuse of libqfuse, called from Python by its C interface on tensors of torch.

For the benchmark and whoever compares with it. The library is found by the dynamic linker, so LD_LIBRARY_PATH may say
where it is; QFUSE_LIBRARY names another file.
"""

import ctypes
import os

import torch

GROUP_SIZE = 128
CPU, CUDA = 0, 1


class Params(ctypes.Structure):
    """qfuse_silu_dot_fwd_bwd_quant_fuse_params."""
    _fields_ = [("struct_size", ctypes.c_size_t), ("m", ctypes.c_int64), ("h", ctypes.c_int64),
                ("group_size", ctypes.c_int64), ("x", ctypes.c_void_p), ("x_stride", ctypes.c_int64),
                ("grad_y", ctypes.c_void_p), ("grad_y_stride", ctypes.c_int64), ("grad_input_q", ctypes.c_void_p),
                ("grad_input_s", ctypes.c_void_p), ("y_q_t", ctypes.c_void_p), ("y_s_t", ctypes.c_void_p)]


class Exec(ctypes.Structure):
    """qfuse_exec."""
    _fields_ = [("struct_size", ctypes.c_size_t), ("device_type", ctypes.c_int32), ("device_index", ctypes.c_int32),
                ("threads", ctypes.c_int32), ("cpu_target", ctypes.c_char_p), ("stream", ctypes.c_void_p)]


class Error(ctypes.Structure):
    """qfuse_error."""
    _fields_ = [("status", ctypes.c_int32), ("message", ctypes.c_char * 512)]


library = ctypes.CDLL(os.environ.get("QFUSE_LIBRARY", "libqfuse.so.0"))
library.qfuse_silu_dot_fwd_bwd_quant_fuse.argtypes = [ctypes.POINTER(Params), ctypes.POINTER(Exec),
                                                      ctypes.POINTER(Error)]
library.qfuse_silu_dot_fwd_bwd_quant_fuse.restype = ctypes.c_int32


def empty_outputs(m, h, device):
    """The four outputs of [m, h], in the interface's order."""
    groups = (m + GROUP_SIZE - 1) // GROUP_SIZE
    return (torch.empty(m, 2 * h, dtype=torch.int8, device=device),
            torch.empty(m, 2 * h // GROUP_SIZE, dtype=torch.float32, device=device),
            torch.empty(h, m, dtype=torch.int8, device=device),
            torch.empty(h, groups, dtype=torch.float32, device=device))


def params_of(x, grad_y, outputs):
    """Rows of x and grad_y may be strided; outputs are the four in order, each pair tensors or None."""
    m, h = x.shape[0], x.shape[1] // 2
    address = [None if tensor is None else tensor.data_ptr() for tensor in outputs]
    return Params(ctypes.sizeof(Params), m, h, GROUP_SIZE, x.data_ptr(), x.stride(0),
                  None if grad_y is None else grad_y.data_ptr(), 0 if grad_y is None else grad_y.stride(0), *address)


def exec_on(device):
    """A tensor's device; on a GPU torch's current stream of it."""
    if device.type == "cpu":
        return Exec(ctypes.sizeof(Exec), CPU, 0, 0, None, None)
    return Exec(ctypes.sizeof(Exec), CUDA, device.index, 0, None, torch.cuda.current_stream(device).cuda_stream)


def silu_dot_fwd_bwd_quant_fuse(x, grad_y, outputs):
    """Fills outputs on the device of x; raises what the library refuses."""
    error = Error()
    params, where = params_of(x, grad_y, outputs), exec_on(x.device)
    if library.qfuse_silu_dot_fwd_bwd_quant_fuse(ctypes.byref(params), ctypes.byref(where), ctypes.byref(error)):
        raise RuntimeError(error.message.decode())
