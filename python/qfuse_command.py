"""Executes the qfuse command, which is in the package. Separate from qfuse, so that torch is not imported first."""

import os
import sys
from importlib.util import find_spec


def main() -> None:
    spec = find_spec("qfuse")
    places = spec.submodule_search_locations or () if spec is not None else ()
    for place in places:
        command = os.path.join(place, "bin", "qfuse")
        if os.path.isfile(command):
            try:
                os.execv(command, ["qfuse", *sys.argv[1:]])
            except OSError as error:
                sys.exit(f"qfuse: error: {command} cannot be run: {error.strerror}")
    sys.exit(f"qfuse: error: no command in {', '.join(places) or 'any qfuse package'}: install qfuse with pip")
