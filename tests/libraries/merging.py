"""Shared by the tests of `qfuse merge`: the command, models and adapters made for a test, and comparisons of results
with the contract (merge_models.py) and with peft's own merge.

peft adds a delta to bf16 weights with one rounding, as the contract does, but sums products in the order of a BLAS. So
at most one element of 10,000 may differ, by one step. In a few places peft rounds more often (`twice`). There, and for
an fp32 base, peft's result is compared with the exact sum instead.
"""

import subprocess

import numpy
import torch
from libraries import QFUSE, Judged
from merge_models import (
    adapt,
    config_of,
    contract,
    half_step,
    make_base,
    merged_by_peft,
    model_class,
    ordered,
    state_of,
)
from models import same_bits

SHARE = 1e-4  # fraction of elements that may differ from peft's


def merge(*arguments, code=0):
    """Runs `qfuse merge` and returns its output."""
    done = subprocess.run([QFUSE, "merge", *arguments], capture_output=True, text=True, timeout=120, check=False)
    said = done.stdout + done.stderr
    assert done.returncode == code, f"qfuse merge {arguments}: exit code {done.returncode}: {said}"
    return said


class Merging(Judged):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.count = 0

    def place(self, name):
        """Returns a path at which nothing exists yet."""
        type(self).count += 1
        return self.directory / f"{name}-{self.count}"

    def base(self, name, dtype=torch.bfloat16):
        path = self.directory / f"base-{name}-{str(dtype).removeprefix('torch.')}"
        if not path.exists():
            make_base(name, path, dtype)
        return path

    def adapter(self, name, base=None, **options):
        path = self.place("adapter")
        adapt(name, base or self.base(name), path, **options)
        return path

    def merged(self, base, *arguments):
        out = self.place("merged")
        merge(base, *arguments, "-o", out, "--quiet")
        return out

    def require_same(self, found, expected):
        """Requires the same tensors, bit for bit."""
        self.assertEqual(sorted(found), sorted(expected))
        for name, tensor in expected.items():
            self.assertEqual((found[name].dtype, found[name].shape), (tensor.dtype, tensor.shape), name)
            if not same_bits(found[name].reshape(-1), tensor.reshape(-1)):
                wrong = (ordered(found[name]) - ordered(tensor)).abs()
                share = (wrong != 0).double().mean().item()
                self.fail(f"{name}: {share:.3%} of {wrong.numel()} elements differ, by up to {wrong.max()} steps")

    def require_exact(self, found, of_contract):
        """Requires that no element is farther from the exact sum than the final rounding and those of fp32 allow."""
        for name, sums in of_contract.sums.items():
            if name not in found:
                continue
            result = found[name].double().numpy().reshape(sums.exact.shape)
            bound = half_step(numpy.maximum(abs(result), abs(sums.exact)), found[name].dtype) + sums.slack
            wrong = abs(result - sums.exact) > bound
            self.assertFalse(wrong.any(), f"{name}: {wrong.sum()} elements are farther from the exact sum")

    def require_near(self, found, theirs, of_contract, twice=False):
        """Requires that peft's result differs only by its order of summing and, if `twice`, its further roundings."""
        self.assertEqual(sorted(found), sorted(theirs))
        for name, tensor in theirs.items():
            self.assertEqual((found[name].dtype, found[name].shape), (tensor.dtype, tensor.shape), name)
            if name not in of_contract.sums:
                self.assertTrue(same_bits(found[name], tensor), name)
                continue
            steps = (ordered(found[name]) - ordered(tensor)).abs()
            sums = of_contract.sums[name]
            if tensor.dtype != torch.float32 and not twice:
                allowed = max(1, int(SHARE * steps.numel()))
                self.assertLessEqual((steps != 0).sum().item(), allowed, name)
                self.assertLessEqual(steps.max().item(), 1, name)
                continue
            result = tensor.double().numpy().reshape(sums.exact.shape)
            bound = half_step(numpy.maximum(abs(result), abs(sums.exact)), tensor.dtype) + 2 * sums.slack
            if twice:
                largest = abs(sums.exact) + 2 * sum(abs(one) for one in sums.deltas)  # bounds every intermediate sum
                for one in sums.deltas:  # peft rounds the delta, and then the sum
                    bound = bound + half_step(abs(one), tensor.dtype) + half_step(largest, tensor.dtype)
            wrong = abs(result - sums.exact) > bound
            self.assertFalse(wrong.any(), f"{name}: {wrong.sum()} elements are farther from the exact sum than peft's")

    def row(self, name, *, base=None, peft_base=None, twice=False, theirs=True, change=None, tie=None, **config):
        """Merges one adapter with the command. Requires the contract's result, and peft's as nearly as possible."""
        base = base or self.base(name)
        adapter = self.adapter(name, base, change=change, **config)
        out = self.merged(base, adapter, *([tie] if tie else []))
        expected = contract(base, [adapter], tie)
        found = state_of(out)
        self.require_same(found, expected.result())
        self.require_exact(found, expected)
        if theirs:
            to = self.place("theirs")
            by_peft = merged_by_peft(name, base, [adapter], to, change=change)
            self.require_near(found, by_peft, expected, twice)
            ours, peft = config_of(out), config_of(to)
            for field in ("tie_word_embeddings", "vocab_size"):
                self.assertEqual(ours.get(field), peft.get(field), field)
        model_class(name).from_pretrained(out)
        return out, found
