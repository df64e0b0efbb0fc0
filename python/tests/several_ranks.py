"""Runs a script on two ranks, as torchrun does: python several_ranks.py <script>. Each input line is a JSON list of the
script's arguments and starts one run: the ranks print their output, and a line "done" follows. Ranks are forked from
this process, which has imported what the examples need: that takes 12 seconds of processor time."""

import json
import runpy
import sys
import uuid

import accelerate  # noqa: F401
import peft  # noqa: F401
import transformers  # noqa: F401
from torch.distributed.launcher.api import LaunchConfig, elastic_launch


def run(script: str, arguments: list[str]) -> None:
    sys.argv = [script, *arguments]
    runpy.run_path(script, run_name="__main__")


def main() -> None:
    standalone = dict(rdzv_backend="c10d", rdzv_endpoint="localhost:0", min_nodes=1, max_nodes=1)
    for line in sys.stdin:
        config = LaunchConfig(**standalone, run_id=str(uuid.uuid4()), nproc_per_node=2, start_method="fork")
        elastic_launch(config, run)(sys.argv[1], json.loads(line))
        print("done", flush=True)


if __name__ == "__main__":
    main()
