"""Programs that are installed with the package: python -m qfuse.examples.qlora."""
