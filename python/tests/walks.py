"""Random walks: the two copies of a model go through the same operations, and are compared after each.

    python python/tests/walks.py --walks 1000 --mode peft

Failures are shrunk: operations are left out and the model is simplified while the walk still fails in the same way. All
choices come from seeds, so that the printed line describes the whole walk.
"""

import argparse
import logging
import math
import random
import sys
import warnings
from contextlib import nullcontext
from typing import Any, NamedTuple

import torch
from walk_models import CALLS, MODES, Copy, Spec, draw_spec
from walk_operations import OPERATIONS
from walk_runs import RUNS

STEPS = 10
CHUNK = 20  # walks per call of walk_all()
# Bounds relative to the largest value of a tensor. In 16 bits, both sides round each sum, in one layer after another;
# in float32, gradients of A and B are sums that cancel. A missing adapter's share is more than a tenth.
FP32_BOUND = 5e-4
ULPS = {torch.bfloat16: 8, torch.float16: 16}
# Bounds for values that are 0 except for roundings.
FP32_LEAST = 1e-9
FP16_LEAST = 4 * 2.0**-24  # 4 times its smallest subnormal


class Step(NamedTuple):
    operation: str  # a name of OPERATIONS, or empty
    run: str  # a name of RUNS, or empty
    seed: int

    def __str__(self) -> str:
        return " > ".join(filter(None, (self.operation, self.run and f"{self.run}()"))) + f" #{self.seed}"


class Failure(NamedTuple):
    spec: Spec
    steps: tuple[Step, ...]
    what: str

    @property
    def kind(self) -> tuple[str, ...]:
        """Equal for failures that probably have one cause."""
        names = sorted({step.operation for step in self.steps if step.operation})
        return (*names, self.steps[-1].run, self.what.partition(":")[0])

    def __str__(self) -> str:
        return f"{self.spec}\n    {'; '.join(map(str, self.steps))}\n    {self.what}"


class Raised(NamedTuple):
    error: Exception


def draw_walk(mode, device, seed, without=()):
    draw = random.Random(seed)
    spec = draw_spec(mode, device, draw)
    operations = [name for name, (_, modes) in OPERATIONS.items() if mode in modes and name not in without]
    runs = ["train", *(name for name in RUNS if name not in without)]
    steps = [Step(draw.choice(operations), draw.choice(runs), draw.randrange(10**6)) for _ in range(STEPS)]
    return spec, tuple(steps)


class Bound(NamedTuple):
    """How far a value may be off: `share` of its tensor's largest value, but at least `least`."""

    share: float
    least: float


class Taken(NamedTuple):
    """A step by one of the copies: results, parameters before and after, and the bound for the other copy."""

    changed: Any
    parameters: dict[str, Any]
    result: Any
    parameters_after: dict[str, Any]
    bound: Bound
    has_cast_codes: bool  # if codes were cast, qfuse refuses them, and bitsandbytes multiplies on a GPU


def take_all(spec, steps, is_peer) -> list[Taken]:
    """Takes a copy through the whole walk."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        copy = Copy(spec, is_peer)
        return [_take(copy, step) for step in steps]


def _take(copy, step):
    changed = result = None
    if step.operation:
        changed = _try(copy, OPERATIONS[step.operation][0], step.seed, nullcontext())
    parameters = _describe_parameters(copy)
    if step.run:
        result = _try(copy, RUNS[step.run], step.seed, copy.running())
    return Taken(changed, parameters, result, _describe_parameters(copy), _bound(copy, step), _has_cast_codes(copy))


def _has_cast_codes(copy):
    bases = (getattr(layer, "base_layer", layer) for layer in copy.layers())
    weights = (base._parameters.get("weight") for base in bases)
    return any(
        getattr(weight, "quant_storage", None) not in (None, weight.dtype) for weight in weights if weight is not None
    )


def _try(copy, function, seed, around):
    """Returns what a function returns or raises with this seed."""
    CALLS.clear()
    torch.manual_seed(seed)
    try:
        with around:
            return _snapshot(function(copy, random.Random(seed)))
    except Exception as error:
        return Raised(error.with_traceback(None))


def _snapshot(result):
    """Clones the values, because a later cast of the module rounds its gradients in place."""
    if not isinstance(result, dict):
        return result
    return {name: it.detach().clone() if isinstance(it, torch.Tensor) else it for name, it in result.items()}


def _describe_parameters(copy):
    return {
        name: (parameter.requires_grad, parameter.dtype, tuple(parameter.shape), parameter.device.type)
        for name, parameter in copy.parameters().items()
    }


def compare(spec, steps, peers, ours) -> Failure | None:
    """Returns the first step at which the copies differ, with the steps before it."""
    for i, (expected, found) in enumerate(zip(peers, ours, strict=True)):
        if found.has_cast_codes and any(isinstance(it, Raised) for it in (found.changed, found.result)):
            return None  # the peers compute on, with other weights
        if _is_peers_fault(expected.result):
            return None  # qfuse gets further, and offloaded weights are then elsewhere
        what = _differ(expected.changed, found.changed, Bound(0, 0))
        what = f"operation {what}" if what else _differ_in_parameters(expected.parameters, found.parameters)
        what = what or _differ(expected.result, found.result, expected.bound)
        what = what or _differ_in_parameters(expected.parameters_after, found.parameters_after)
        if what is not None:
            return Failure(spec, steps[: i + 1], what)
    return None


def walk(spec, steps) -> Failure | None:
    (failure,) = walk_all(spec.mode, [(spec, steps)])
    return failure


def walk_all(mode, walks) -> list[Failure | None]:
    """Takes all walks of the peers first, because enabling an integration takes longer than a walk."""
    peers = [take_all(spec, steps, True) for spec, steps in walks]
    with MODES[mode]():
        ours = [take_all(spec, steps, False) for spec, steps in walks]
    return [compare(*one, *both) for one, *both in zip(walks, peers, ours, strict=True)]


def _bound(copy, step):
    dtypes = {copy.spec.dtype, *(p.dtype for p in copy.parameters().values() if p.is_floating_point())}
    for layer in copy.layers():
        dtypes.add(getattr(getattr(layer, "base_layer", None), "compute_dtype", None))
    if "autocast" in step.run:
        dtypes.add(torch.bfloat16)
    dropouts = (module for module in copy.model.modules() if isinstance(module, torch.nn.Dropout))
    if (
        copy.spec.device != "cpu"
        and dtypes - {torch.float32, None}
        and any(module.p and module.training for module in dropouts)
    ):
        return Bound(math.inf, 0)  # on a GPU, torch's mask depends on its input's dtype: peft's is not yet rounded
    share = max([FP32_BOUND, *(ulps * torch.finfo(dtype).eps for dtype, ulps in ULPS.items() if dtype in dtypes)])
    if step.run == "second_derivatives" and share > FP32_BOUND:
        # There are twice as many rounded sums: with torch 2.11 and AMX, the peers' result was 4.6 % off float32's and
        # qfuse's 4.3 %, in opposite directions.
        share *= 2
    return Bound(share, FP16_LEAST if torch.float16 in dtypes else FP32_LEAST)


def _differ_in_parameters(expected, found):
    """Describes a difference in which parameters exist, which are trained, or in their dtype, shape or device."""
    if names := sorted(expected.keys() ^ found.keys()):
        return f"parameters of one alone: {names}"
    for name, theirs in expected.items():
        if theirs != found[name]:
            return f"parameter {_last(name)} is other: {name} {theirs} with the peers, {found[name]} with qfuse"
    return None


def _differ(expected: Any, found: Any, bound: Bound) -> str | None:
    """Describes a difference; the text up to the colon names its kind."""
    if isinstance(expected, Raised) or isinstance(found, Raised):
        return _differ_in_errors(expected, found)
    for name, theirs in (expected or {}).items():
        if (what := _differ_in_value(theirs, found.get(name), bound)) is not None:
            return f"{_last(name)} {what} ({name})"
    return None


def _last(name):
    """Returns a parameter's name without the parts that name the model and the layer."""
    return ".".join(word for word in name.split(".") if word not in ("base_model", "model", "up", "down"))


PEERS_FAULTS = (
    "MatMul4BitBackward returned an invalid gradient",  # the bias gradient for an input without rows
    "but got: double != c10::BFloat16",  # a GPU's autocast leaves an x in float64 as it is
)


def _is_peers_fault(expected):
    return isinstance(expected, Raised) and any(fault in str(expected.error) for fault in PEERS_FAULTS)


def _differ_in_errors(expected, found):
    if isinstance(expected, Raised) and isinstance(found, Raised):
        return None
    who, (error,) = ("qfuse", found) if isinstance(found, Raised) else ("the peers", expected)
    return f"raises under {who} alone, {type(error).__name__}: {error}"


def _differ_in_value(expected, found, bound):
    if expected is None and isinstance(found, torch.Tensor) and found.numel() == 0:
        return None  # bitsandbytes' fused product on a GPU, for an input without rows
    if not isinstance(expected, torch.Tensor) or not isinstance(found, torch.Tensor):
        same = expected is found or (not isinstance(expected, torch.Tensor) and expected == found)
        return None if same else f"is other: {_brief(expected)} with the peers, {_brief(found)} with qfuse"
    if expected.dtype != found.dtype or expected.shape != found.shape:
        return f"has another dtype or shape: {_brief(expected)} with the peers, {_brief(found)} with qfuse"
    if expected.numel() == 0:
        return None
    if bound.share == math.inf:
        return None
    if expected.numel() == 1 and bound.share > FP32_BOUND:  # a sum whose terms cancel: its size gives no bound
        return None
    expected, found = expected.detach().double(), found.detach().double()
    if not torch.equal(expected.isfinite(), found.isfinite()):
        return "is finite elsewhere: "
    expected, found = expected.nan_to_num(), found.nan_to_num()
    error, largest = (expected - found).abs().max().item(), expected.abs().max().item()
    is_within = error <= max(bound.share * largest, bound.least)
    return None if is_within else f"is beyond the bound: by {error:.3g} of {largest:.3g}"


def _brief(value):
    return f"{value.dtype}{list(value.shape)}" if isinstance(value, torch.Tensor) else repr(value)


# ---- shrinking


def shrink(failure: Failure, most: int = 60) -> Failure:
    """Returns the same kind of difference with fewer steps and runs and a simpler model, after at most `most` walks."""
    left = most
    is_smaller = True
    while is_smaller and left > 0:
        is_smaller = False
        for candidate in _simpler(failure):
            left -= 1
            again = walk(*candidate)
            if again is not None and again.what.partition(":")[0] == failure.what.partition(":")[0]:
                failure, is_smaller = again, True
                break
            if left <= 0:
                break
    return failure


def _simpler(failure):
    spec, steps, _ = failure
    if len(steps) > 2:
        yield spec, steps[-1:]
        yield spec, steps[len(steps) // 2 :]
    for i in range(len(steps)):
        if len(steps) > 1:
            yield spec, (*steps[:i], *steps[i + 1 :])
    quiet = tuple(step._replace(run="") for step in steps[:-1])
    if quiet != steps[:-1]:
        yield spec, (*quiet, steps[-1])
    if steps[-1].operation:
        yield spec, (*steps[:-1], steps[-1]._replace(operation=""))
    if steps[-1].run not in ("", "train"):
        yield spec, (*steps[:-1], steps[-1]._replace(run="train"))
    for name, simplest in Spec._field_defaults.items():
        if name != "device" and getattr(spec, name) != simplest:
            yield spec._replace(**{name: simplest}), steps


# ---- many walks


def search(mode, device, walks, first_seed=0, without=(), most_kinds=40):
    """Returns the failures of many walks, as a list per kind; the first failure of each list is shrunk."""
    found: dict[tuple[str, ...], list[Failure]] = {}
    for first in range(first_seed, first_seed + walks, CHUNK):
        seeds = range(first, min(first + CHUNK, first_seed + walks))
        for failure in filter(None, walk_all(mode, [draw_walk(mode, device, seed, without) for seed in seeds])):
            kind = _known_kind(failure, found)
            if kind is None:
                failure = shrink(failure)
                kind = failure.kind
            found.setdefault(kind, []).append(failure)
            if len(found) >= most_kinds:
                return _sorted(found)
    return _sorted(found)


def _known_kind(failure, found):
    """Returns the kind of a shrunk failure with this text and only operations of this one; it saves a shrink."""
    names = {step.operation for step in failure.steps}
    for kind, (first, *_) in found.items():
        if first.what == failure.what and all(step.operation in {"", *names} for step in first.steps):
            return kind
    return None


def _sorted(found):
    return sorted(found.values(), key=lambda failures: (len(failures[0].steps), -len(failures)))


def report(found) -> str:
    return "\n".join(f"{len(failures)} x {failures[0]}" for failures in found)


def main() -> int:
    logging.getLogger("bitsandbytes").setLevel(logging.ERROR)  # silences advice on speed
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--walks", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0, help="of the first walk")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--mode", choices=MODES, action="append", help="by default all")
    parser.add_argument("--without", action="append", default=[], help="an operation or run to leave out")
    arguments = parser.parse_args()
    found = []
    for mode in arguments.mode or MODES:
        found = search(mode, arguments.device, arguments.walks, arguments.seed, arguments.without, 1000)
        print(f"{mode}: {sum(map(len, found))} of {arguments.walks} walks fail, in {len(found)} ways", flush=True)
        print(report(found), flush=True)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
