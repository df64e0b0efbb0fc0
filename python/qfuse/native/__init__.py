"""The compiled libraries: called through ctypes (library.py), and as torch ops (extension.py, torch_ops.py)."""
