"""python -m qfuse: the qfuse command."""

from qfuse_command import main

main()
