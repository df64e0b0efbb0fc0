"""What the result of test_dequantize.py says: the verdicts of the test's rubric, what failed, and the tables."""

from pathlib import Path
from typing import Any, NamedTuple

import measure
from measure import table

ROOT = Path(__file__).parents[2]
MORE_US = 1.0  # what a call may take beside an empty kernel's and its own kernels' time
STEPS = (1.00, 1.05, 1.10, 1.15)  # of the rubric: speed-ups over unsloth
BACKENDS = ("inductor", "aot_eager")  # of torch.compile
US, PEER, TODAY = "qfuse", "unsloth's launches", "unsloth itself"


# ---- the rubric ----


class Criterion(NamedTuple):
    name: str
    found: str
    verdict: str  # "yes", "no" or "not measured"


def verdict(holds: bool | None) -> str:
    return "not measured" if holds is None else "yes" if holds else "no"


def judge_kernels(result: dict[str, Any]) -> Criterion:
    if not result["profiles"]:
        return Criterion("a single kernel", "", verdict(None))
    counts = {name: [profile[name]["launches"] for profile in result["profiles"]] for name in result["published"]}
    found = ", ".join(f"{name} {max(launches):g}" for name, launches in counts.items())
    return Criterion("a single kernel", f"launches a call: {found}", verdict(set(counts[US]) == {1.0}))


def judge_speed(result: dict[str, Any]) -> Criterion:
    name = f"as fast as {PEER}, or " + ", ".join(f"{step:.2f}" for step in STEPS[1:]) + " times"
    published = result["published"]
    if PEER not in published:
        return Criterion(name, "", verdict(None))
    ratio = published[PEER]["seconds"]["median"] / published[US]["seconds"]["median"]
    reached = [step for step in STEPS if ratio >= step]
    return Criterion(name, f"{ratio:.2f} times", f"yes, {reached[-1]:.2f}" if reached else "no")


def wrong_bytes(backend: str, one: dict[str, Any]) -> int:
    """Of a compiled MLP: see check_compiled for what is judged of whom."""
    return one.get("weights", 0) + (one.get("product", 0) if backend == "aot_eager" else 0)


def judge_compiled(result: dict[str, Any]) -> Criterion:
    """Where inductor alone refuses, it lacks a compiler here; a break in the graph shows under aot_eager too."""
    texts, holds = [], {}
    for backend in BACKENDS:
        ran = [one[backend] for one in result["compiled"]]
        refused = next((one["refused"] for one in ran if "refused" in one), None)
        weights, product_ = (sum(one.get(part, 0) for one in ran) for part in ("weights", "product"))
        counted = f"{weights} differing bytes of the weights, {product_} of the product"
        texts.append(f"{backend}: {refused or counted}")
        holds[backend] = None if refused else not any(wrong_bytes(backend, one) for one in ran)
    both = bool(holds["aot_eager"]) and holds["inductor"]
    return Criterion("works under torch.compile, in one graph", "; ".join(texts), verdict(both))


def line_of(path: str, text: str) -> str:
    """Where the sources have a text, as path:line; empty where they do not."""
    lines = (ROOT / path).read_text(encoding="utf-8").splitlines()
    return next((f"{path}:{number}" for number, line in enumerate(lines, 1) if text in line), "")


def judge_sources(l2_bytes: int) -> list[Criterion]:
    """What only the sources show: PTX of our own, and which loads and stores go past the caches."""
    folder = "src/backend/cuda/device/"
    multiply = line_of(folder + "ptx.cuh", 'asm("mul.rn.ftz.f32')
    load, store = (line_of(folder + "memory.cuh", text) for text in ("return __ldcs(", "__stcs("))
    size = f" ({l2_bytes / 2**20:g} MiB here)" if l2_bytes else ""
    return [
        Criterion("custom PTX", f"mul.rn.ftz.f32, every product of the decode ({multiply})", verdict(bool(multiply))),
        Criterion(
            "a cache eviction policy",
            f"evict-first loads of the codes ({load}), and evict-first stores ({store}) of outputs larger "
            f"than the L2 cache{size}; smaller ones stay there for their reader",
            verdict(bool(load and store)),
        ),
    ]


def judge(result: dict[str, Any]) -> list[Criterion]:
    differing = {c["configuration"]: c["contenders"][US]["differing_bytes"] for c in result["checks"]}
    dtypes = {name.split()[-1] for name in differing}
    found = ", ".join(f"{name}: {count} differing bytes" for name, count in differing.items())
    both = dtypes == {"float16", "bfloat16"} and not any(differing.values())
    return [
        judge_kernels(result),
        judge_speed(result),
        judge_compiled(result),
        *judge_sources(result["l2_bytes"]),
        Criterion("float16 and bfloat16", found, verdict(both)),
    ]


def failures(result: dict[str, Any]) -> list[str]:
    """What the exit status speaks of: bits that differ, products that are not close, graphs that break."""
    found = []
    for one in result["checks"]:
        for name, check in one["contenders"].items():
            if check["differing_bytes"]:
                found.append(f"{name}, {one['configuration']}: {check['differing_bytes']} differing bytes")
            if check["product"]:
                found.append(f"{name}, {one['configuration']}: the product with its weights: {check['product']}")
    for one in result["compiled"]:
        found += [
            f"compiled by {backend}: {wrong_bytes(backend, one[backend])} differing bytes"
            for backend in BACKENDS
            if wrong_bytes(backend, one[backend])
        ]
        found += [f"compiled: {one['aot_eager']['refused']}"] if "refused" in one["aot_eager"] else []
    return found


# ---- the report ----


def to_text(times: dict[str, float], digits: int) -> str:
    return f"{times['median']:.{digits}f} ({times['min']:.{digits}f} to {times['max']:.{digits}f})"


def published_table(result: dict[str, Any]) -> str:
    ours = result["published"][US]["seconds"]["median"]
    rows = [
        [
            name,
            to_text(times["seconds"], 3),
            f"{times['seconds']['median'] / ours:.2f}",
            *(f"{part['median']:.3f}" for part in times["parts"]),
        ]
        for name, times in result["published"].items()
    ]
    return table(
        ["", f"seconds per {result['rounds']} rounds (least to most)", f"× {US}", *result["configurations"]], rows
    )


def calls_table(result: dict[str, Any]) -> str:
    """Where the time of a call goes; what only a GPU has stays empty without one."""
    floor = result["floors_us"].get("an empty kernel", {"median": 0.0})["median"]
    rows = []
    for name, times in result["published"].items():
        for i, configuration in enumerate(result["configurations"]):
            call = times["parts"][i]["median"] * 1e6 / (3 * result["rounds"])
            cells = ["", "", ""]
            if result["profiles"]:
                seen = result["profiles"][i][name]
                cells = [f"{seen['launches']:g}", f"{seen['us']:.2f}", f"{call - floor - seen['us']:.2f}"]
            rows.append([name, configuration, to_text(result["device_us"][i][name], 2), f"{call:.2f}", *cells])
    return table(
        [
            "",
            "",
            "alone and cold µs",
            "a call of the test µs",
            "its launches",
            "their time there µs",
            "the call's rest over an empty kernel µs",
        ],
        rows,
    )


def host_table(result: dict[str, Any]) -> str:
    return table(
        ["a call on the host", "µs (least to most)"],
        [[name, to_text(times, 2)] for name, times in result["host_us"].items()],
    )


def floor_text(result: dict[str, Any]) -> str:
    """How far our seconds are from what no decoder can go below, where a GPU says what that is."""
    text = [
        f"{name.capitalize()} and a synchronization: {to_text(times, 2)} µs."
        for name, times in result["floors_us"].items()
    ]
    floor = result["floors_us"].get("an empty kernel")
    if floor and result["profiles"]:
        calls = 3 * result["rounds"]
        kernels = sum(profile[US]["us"] for profile in result["profiles"])
        bound = calls * (len(result["profiles"]) * (floor["median"] + MORE_US) + kernels) / 1e6
        measured = result["published"][US]["seconds"]["median"]
        text.append(
            f"An empty kernel with its synchronization, {US}'s kernel and {MORE_US:g} µs, summed over the "
            f"calls: {bound:.3f} s; measured: {measured:.3f} s, which is "
            f"{'more' if measured > bound else 'no more'}."
        )
    return "\n".join(text)


def markdown(result: dict[str, Any]) -> str:
    peers = ", ".join(f"{name} {version}" for name, version in result["peers"].items())
    missing = [f"Without {name}: {reason}." for name, reason in result["missing"].items()]
    rubric = table(["the rubric", "found", ""], [list(criterion) for criterion in result["rubric"]])
    return "\n\n".join(
        [
            measure.heading(result) + f" {peers}.",
            *missing,
            published_table(result),
            floor_text(result),
            calls_table(result),
            host_table(result),
            rubric,
        ]
    )
