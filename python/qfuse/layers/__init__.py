"""Modules over 4-bit weights, which qfuse.nn names, and what they are made of."""
