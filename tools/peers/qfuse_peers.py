"""A pytest plugin with which tools/peers/run runs tests of other projects on qfuse, and records the results.

QFUSE_PEERS_MODE names what is enabled before the tests are imported. QFUSE_PEERS_LINES is the file that gets a line of
JSON for each test: its outcome, its seconds, its error's first line, how many calls qfuse answered, and how many it
left to the original, with peft's reasons.

Without a GPU, the plugin also runs tests that ask for one but do not need it.
"""

import importlib
import json
import os
import sys
from collections import Counter
from contextlib import nullcontext
from pathlib import Path

import pytest

MODES = {
    "none": {},
    "decode": {"bitsandbytes": {}},
    "matmul": {"bitsandbytes": {"matmul": True}},
    "peft": {"bitsandbytes": {}, "peft": {}},
    "all": {"bitsandbytes": {"matmul": True}, "peft": {}},
}


class Lines:
    """Counts calls and writes one line per test."""

    def __init__(self, path):
        self._out = open(path, "a", buffering=1, encoding="utf-8")  # noqa: SIM115 (until the process ends)
        self.answered, self.left, self.reason = Counter(), Counter(), ""
        self._test = {}

    def count(self, name, ours):
        """Wraps `ours` to count its calls. It returns None for a call that it leaves to the original."""

        def counted(*args, **kwargs):
            self.reason = ""
            result = ours(*args, **kwargs)
            if result is None:
                self.left[f"{name}: {self.reason}" if self.reason else name] += 1
            else:
                self.answered[name] += 1
            return result

        return counted

    @pytest.hookimpl
    def pytest_runtest_logreport(self, report):
        if report.when == "setup":
            self._test = {"test": report.nodeid, "outcome": "passed", "seconds": 0.0}
            self.answered.clear()
            self.left.clear()
        test = self._test
        test["seconds"] = round(test["seconds"] + report.duration, 2)
        if hasattr(report, "wasxfail"):
            test["outcome"] = "xpassed" if report.passed else "xfailed"
        elif report.failed:
            test["outcome"] = "failed" if report.when == "call" else "error"
            crash = getattr(report.longrepr, "reprcrash", None)
            test["message"] = (crash.message if crash else str(report.longrepr)).strip().split("\n")[0][:300]
        elif report.skipped:
            test["outcome"] = "skipped"
        if report.when == "teardown":
            test |= {"answered": dict(self.answered), "left": dict(self.left)}
            self._out.write(json.dumps(test) + "\n")

    @pytest.hookimpl
    def pytest_collectreport(self, report):
        if report.failed or report.skipped:
            said = str(report.longrepr).strip().split("\n")[-1][:300]
            outcome = "error" if report.failed else "skipped"
            self._out.write(
                json.dumps({"test": report.nodeid, "outcome": outcome, "seconds": 0, "message": said}) + "\n"
            )


def enable(mode, lines):
    for name, options in MODES[mode].items():
        integration = importlib.import_module(f"qfuse.integrations.{name}")
        _count_calls(integration, lines)
        sys.stderr.write(f"{integration.enable(**options)}\n")


def _count_calls(integration, lines):
    from qfuse.patching.patch import Patches

    for patches in [value for value in vars(integration).values() if isinstance(value, Patches)]:
        for patch in patches._patches:
            patch._ours = lines.count(str(patch), patch._ours)
    examine = getattr(integration, "_examine", None)
    if integration.__name__.endswith(".peft"):

        def examined(*args, **kwargs):
            found = examine(*args, **kwargs)
            lines.reason = found if isinstance(found, str) else ""
            return found

        integration._examine = examined


def prepare_for_cpu(config):
    """Enables tests that ask for a GPU but do not need it. The suites are packages named `tests`."""
    import bitsandbytes.nn.modules
    import torch

    if torch.cuda.is_available():
        return
    # bitsandbytes itself decodes a weight wrong after repacking it for the CPU.
    bitsandbytes.nn.modules.has_avx512bf16 = lambda: False
    if (Path(config.rootpath) / "tests" / "testing_utils.py").exists():
        utilities = importlib.import_module("tests.testing_utils")
        utilities.require_non_cpu = lambda test: test


def prepare_for_no_network(config):
    if (Path(config.rootpath) / "tests" / "testing_utils.py").exists():
        importlib.import_module("tests.testing_utils").hub_online_once = lambda model_id: nullcontext()


def pytest_configure(config):
    sys.path.insert(0, str(config.rootpath))
    lines = Lines(os.environ["QFUSE_PEERS_LINES"])
    config.pluginmanager.register(lines)
    enable(os.environ["QFUSE_PEERS_MODE"], lines)
    prepare_for_cpu(config)
    prepare_for_no_network(config)
