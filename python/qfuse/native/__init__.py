"""The compiled libraries: through ctypes (library.py), and as torch's ops (extension.py, torch_ops.py)."""
