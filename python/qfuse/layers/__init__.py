"""Modules over 4-bit weights, exported by qfuse.nn, and their parts."""
