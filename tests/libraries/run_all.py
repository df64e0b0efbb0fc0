"""run_all.py <qfuse> <libqfuse.so> <tests/golden> <name>...: runs test_<name>.py for each name (for `faults`
tools/peers/faults.py) in a process of its own, which is forked after the libraries are imported. Importing them takes 7
seconds, longer than most tests run.

If tests failed, exits with 1 at the end and names them."""

import gc
import os
import runpy
import sys
import time
from pathlib import Path

import bitsandbytes  # noqa: F401
import diffusers  # noqa: F401
import peft  # noqa: F401
import torch  # noqa: F401
import transformers  # noqa: F401

HERE = Path(__file__).resolve().parent
FAULTS = HERE.parents[1] / "tools" / "peers" / "faults.py"


def run(name, arguments):
    """Does the same as `python test_<name>.py <arguments>`."""
    script = FAULTS if name == "faults" else HERE / f"test_{name}.py"
    sys.argv = [str(script), *arguments]
    runpy.run_path(str(script), run_name="__main__")


def succeeds(name, arguments):
    sys.stdout.flush()
    child = os.fork()  # safe with one thread: tests/libraries/run asks for no more
    if child == 0:
        sys.exit(run(name, arguments))
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


command, library, golden, *names = sys.argv[1:]
gc.freeze()  # a garbage collection in a child would copy every page that it looks at
failed = []
for name in names:
    print(f"---- {name}", flush=True)
    begin = time.monotonic()
    if not succeeds(name, [library] if name in ("swiglu", "rotated_int8") else [command, golden]):
        failed.append(name)
    print(f"---- {name}: {'failed' if name in failed else 'passed'}, {time.monotonic() - begin:.1f} s", flush=True)
if failed:
    sys.exit(f"Failed: {' '.join(failed)}")
