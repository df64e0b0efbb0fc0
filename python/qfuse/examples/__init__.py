"""Example programs installed with the package: python -m qfuse.examples.qlora."""
