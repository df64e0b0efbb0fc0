"""Runs the qfuse command: python -m qfuse."""

from qfuse_command import main

main()
