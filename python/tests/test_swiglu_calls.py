"""Calls of swiglu: what torch's compiler sees, what is refused, and the tables of docs/PYTORCH.md."""

import pytest
import torch
from conftest import GOLDEN
from swiglu_outputs import E4M3, E5M2, E8M0, OUTPUTS, H, check, in_pieces, is_poison, new_outputs

import qfuse

OPS = torch.ops.qfuse


# ---- as torch sees it


def some_calls(device):
    """Keywords of qfuse.ops.swiglu, beside x, that together have every newer argument and every dtype of scales."""
    m = 200
    grad_y, weights = torch.randn(m, H).bfloat16().to(device), torch.rand(m, device=device)
    gradients = {"names": ("y_t", "grad_input", "grad_input_t")}
    forward = {"names": ("y", "y_t")}
    experts = torch.tensor([100, 172], device=device)
    return [
        {"recipe": "mx", **new_outputs(device, m, E4M3, kind=E8M0, group_size=32, **forward)},
        {"recipe": "mx", **new_outputs(device, m, E4M3, kind=torch.uint8, group_size=32, **forward)},
        {"recipe": "deepseek", **new_outputs(device, m, E4M3, kind=torch.int32, **forward)},
        {"recipe": "torchao", "grad_y": grad_y, **new_outputs(device, m, E4M3, **gradients)},
        {"group_size": 32, **new_outputs(device, m, torch.int8, group_size=32, names=("y",))},
        {"weights": weights, **new_outputs(device, m, torch.int8, names=("y",))},
        {"amax_floor": 1e-6, **new_outputs(device, m, E4M3, kind="mn_major", **forward)},
        {
            "scale_rule": "torchao",
            "zero_rule": "one",
            "grad_y": grad_y,
            "expert_ends": experts,
            **new_outputs(device, m, E4M3, columns=384, **gradients),
        },
    ]


SOME = range(len(some_calls("cpu")))


@pytest.mark.parametrize("index", SOME)
def test_opcheck(index, device):
    x = torch.randn(200, 2 * H).bfloat16().to(device)
    keywords = in_pieces(some_calls(device)[index])
    checks = ["test_autograd_registration", "test_faketensor", "test_aot_dispatch_dynamic"]
    if not any(isinstance(t, torch.Tensor) and t.dtype == E4M3 for t in keywords.values()):
        checks.append("test_schema")  # it multiplies, which torch cannot in FP8 on a CPU
    torch.library.opcheck(OPS.swiglu.default, (x,), keywords, test_utils=checks)


@pytest.mark.parametrize("index", SOME)
def test_compiles_into_one_graph_with_the_same_result(index, device, inductor):
    x = torch.randn(200, 2 * H).bfloat16().to(device)
    calls = [some_calls(device)[index] for _ in range(2)]
    for name in calls[0].keys() - OUTPUTS.keys():
        calls[1][name] = calls[0][name]  # random, so that both calls share them
    tensors = [t for t in torch.utils._pytree.tree_leaves(calls[0]) if isinstance(t, torch.Tensor)]
    backend = inductor
    if device == "cpu" and torch.__version__ < "2.15" and any(t.dtype == E8M0 for t in tensors):
        backend = "aot_eager"  # inductor has no C++ type for UE8M0 in 2.11, and has one in 2.15
    torch._dynamo.reset()
    torch.compile(lambda x, keywords: qfuse.ops.swiglu(x, **keywords), fullgraph=True, backend=backend)(x, calls[0])
    qfuse.ops.swiglu(x, **calls[1])
    for name in calls[0].keys() & OUTPUTS.keys():
        check(calls[0][name], calls[1][name], name)
        assert not is_poison(calls[0][name][0])


def test_fakes_have_every_argument():
    from torch._subclasses.fake_tensor import FakeTensorMode

    with FakeTensorMode():
        x = torch.empty(200, 2 * H, dtype=torch.bfloat16)
        for keywords in some_calls("cpu"):
            qfuse.ops.swiglu(x, **keywords)


# ---- refusals


def test_refuses(device):
    m = 130
    x, grad_y = torch.randn(m, 2 * H).bfloat16().to(device), torch.randn(m, H).bfloat16().to(device)
    ends = torch.tensor([m], device=device)

    def made(dtype=E4M3, names=("y", "y_t"), **how):
        return new_outputs(device, m, dtype, names, **how)

    def refuse(message, outputs=None, **keywords):
        with pytest.raises(RuntimeError, match=message):
            qfuse.ops.swiglu(x, **(made() if outputs is None else outputs), **keywords)

    refuse("recipe is 'fp8', it must be one of int8, deepseek", recipe="fp8")
    refuse("recipe is 'int8', whose payloads are int8, but those given are float8_e4m3fn", recipe="int8")
    refuse("recipe is 'mx', whose payloads are float8_e4m3fn, but those given are int8", made(torch.int8), recipe="mx")
    refuse("scale_rule is 'ceil', it can be 'power_of_two' or 'torchao'", scale_rule="ceil")
    refuse("zero_rule is 'two', it can be 'floor', 'one' or 'least'", zero_rule="two")
    for name, value in {"scale_rule": "power_of_two", "zero_rule": "floor", "amax_floor": 1e-4}.items():
        refuse(f"{name} is given, but the payloads are int8", made(torch.int8), **{name: value})
    refuse("group_size is 64, it must be 128 or 32", group_size=64)
    refuse("group_size is 0, it must be 128 or 32", group_size=0)
    refuse(r"y\[1\] has shape \(130, 4\), it must be \(130, 16\)", group_size=32)
    refuse("amax_floor is 0, .* or with zero_rule 'one' 0 for none", amax_floor=0.0)
    refuse("amax_floor is 1e-50, it must be 1e-30 to 1e30", amax_floor=1e-50, zero_rule="one")
    refuse("amax_floor is 1e-31, it must be 1e-30 to 1e", amax_floor=1e-31)
    refuse("amax_floor is nan", amax_floor=float("nan"))
    refuse("zero_rule is 'least': scale_rule must be 'power_of_two'", zero_rule="least", scale_rule="torchao")
    refuse("zero_rule is 'least', which has no floor: amax_floor must be 0", zero_rule="least", amax_floor=1e-4)
    for kind in (torch.uint8, torch.int32):
        refuse("the scales are UE8M0: scale_rule must be 'power_of_two'", made(kind=kind), scale_rule="torchao")
    refuse(r"y\[1\] is uint8, it must be float32", made(torch.int8, kind=torch.uint8))
    refuse(r"y\[1\] is float64, it must be float32", made() | {"y": (made()["y"][0], made()["y"][1].double())})
    refuse(r"y_t\[1\] is float32, it must be uint8", made(names=("y",), kind=torch.uint8) | made(names=("y_t",)))
    bytes_ = made(kind=torch.uint8, names=("y",))["y"]
    strided = bytes_[0], bytes_[1].t().contiguous().t()
    refuse("the scales are uint8, all must be contiguous; group by group, UE8M0 scales are int32", {"y": strided})
    words = made(kind=torch.int32, names=("y_t",), group_size=32)["y_t"]
    strided = words[0], words[1].contiguous()
    refuse("the scales are int32, four groups to a word: all must have the strides", {"y_t": strided}, group_size=32)
    refuse(r"y\[0\] is float8_e5m2, it must be int8", made(E5M2, names=("y",)))
    mixed = made(names=("grad_input_t",)) | made(E5M2, names=("grad_input",))
    refuse(r"grad_input\[0\] is float8_e5m2, it must be float8_e4m3fn", mixed, grad_y=grad_y)
    experts = made(columns=256)
    refuse("expert_ends is float32, it must be int32 or int64", experts, expert_ends=ends.float())
    refuse(r"y_t\[0\] has shape .*, it must be .*256", expert_ends=ends)
    refuse("where there are no expert_ends", made(names=("y_t",), columns=256, apart=True))
    apart = made(names=("y_t",), columns=256, apart=True, kind=torch.int32)
    refuse("the scales are int32, whose words experts share", apart, expert_ends=ends)
    if device == "cuda":
        refuse("expert_ends lies on", experts, expert_ends=ends.cpu())


def test_errors_are_in_the_words_of_python(device):
    x = torch.randn(130, 2 * H).bfloat16().to(device)
    payloads, scales = new_outputs(device, 130, torch.int8, ("y",))["y"]
    with pytest.raises(RuntimeError, match="are all None: at least one of them must be given"):
        qfuse.ops.swiglu(x)
    for given, kind in ((payloads, "Tensor"), ((payloads,), "tuple"), ((payloads, scales, scales), "tuple")):
        with pytest.raises(TypeError, match=f"y is a {kind}, it must be a pair of tensors, payloads and scales"):
            qfuse.ops.swiglu(x, y=given)
    grad_y, wrong = torch.randn(130, H).bfloat16().to(device), torch.empty(H, 130, device=device)
    with pytest.raises(RuntimeError, match="y_q_t is float32, it must be int8"):
        qfuse.ops.silu_dot_fwd_bwd_quant_fuse(x, grad_y, None, None, wrong, wrong)
    with pytest.raises(RuntimeError, match="grad_input_q_t is float32, it must be int8"):
        qfuse.ops.silu_dot_fwd_bwd_quant_fuse(x, grad_y, None, None, None, None, wrong, wrong)


# ---- the tables of docs/PYTORCH.md


def table(title):
    """Returns the columns of the first table after `title`, and its rows with their cells."""
    text = (GOLDEN.parents[1] / "docs/PYTORCH.md").read_text()
    lines = text[text.index(title) :].partition("\n|")[2].partition("\n\n")[0].split("\n")
    head, _, *rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return head[1:], {row[0]: row[1:] for row in rows}


SCALE_RULES = [{"scale_rule": rule} for rule in ("power_of_two", "torchao")]
ZERO_RULES = [{"zero_rule": rule} for rule in ("floor", "one", "least")]
FP8_RECIPES = [{"recipe": recipe} for recipe in ("deepseek", "transformer_engine", "torchao", "mx")]

# The keywords that a row stands for, of qfuse.ops.swiglu and of new_outputs; all of them are tried. The tables lack
# rows that would say yes throughout.
OUTPUT_ROWS = {
    "payloads int8": [{"dtype": torch.int8}],
    "payloads float8_e4m3fn": [{}],
    "every `recipe`": [*FP8_RECIPES, {"recipe": "int8", "dtype": torch.int8}],
    "`group_size=32`": [{"group_size": 32}],
    "every `scale_rule`, every `zero_rule`, `amax_floor`": [*SCALE_RULES, *ZERO_RULES, {"amax_floor": 1e-12}],
    "scales float32, row by row or group by group": [{"kind": torch.float32}, {"kind": "mn_major"}],
    "scales UE8M0, float8_e8m0fnu or uint8, row by row": [{"kind": E8M0}, {"kind": torch.uint8}],
    "scales UE8M0, int32, group by group": [{"kind": torch.int32}],
    "`weights`": [{"weights": True}],
    "`limit`, `alpha`, `up_offset`": [{"limit": 7.0, "alpha": 1.702, "up_offset": 1.0}],
    "`expert_ends`": [{"experts": True}],
    "`expert_ends`, payloads with one dimension": [
        {"experts": True, "apart": True, "kind": kind} for kind in (torch.float32, "mn_major", torch.uint8)
    ],
    "`expert_ends`, payloads with one dimension, scales int32": [{"experts": True, "apart": True, "kind": torch.int32}],
    "`grad_weights`": [{"grad_weights": True}, {"grad_weights": True, "weights": True}],
    "in one call with `y`": [{"beside": "y"}],
    "in one call with `grad_input`": [{"beside": "grad_input"}],
}
PAYLOAD_ROWS = {
    '`recipe="int8"`': [{"recipe": "int8"}],
    "any other `recipe`": FP8_RECIPES,
    "`group_size=32`": [{"group_size": 32}],
    "`scale_rule`": SCALE_RULES,
    "`zero_rule`, `amax_floor`": [*ZERO_RULES, {"amax_floor": 1e-12}],
    "scales UE8M0": [{"kind": E8M0}, {"kind": torch.uint8}, {"kind": torch.int32}],
    'scales UE8M0 and a `scale_rule` but `"power_of_two"`': [
        {"kind": kind, **rule} for kind in (E8M0, torch.int32) for rule in SCALE_RULES[1:]
    ],
    '`zero_rule="least"` and such a `scale_rule`': [{"zero_rule": "least", **rule} for rule in SCALE_RULES[1:]],
    '`zero_rule="least"` and `amax_floor`': [{"zero_rule": "least", "amax_floor": 1e-12}],
}


def call(
    device,
    names,
    dtype=E4M3,
    kind=torch.float32,
    recipe=None,
    group_size=None,
    experts=False,
    apart=False,
    weights=False,
    grad_weights=False,
    **keywords,
):
    m = 200
    x, grad_y = torch.randn(m, 2 * H).bfloat16().to(device), torch.randn(m, H).bfloat16().to(device)
    size = group_size or (32 if recipe == "mx" else 128)
    columns = 256 if experts else None
    outputs = new_outputs(device, m, dtype, names=names, columns=columns, apart=apart, kind=kind, group_size=size)
    for name, is_given in {"weights": weights, "grad_weights": grad_weights}.items():
        keywords |= {name: torch.ones(m, device=device)} if is_given else {}
    keywords |= {"expert_ends": torch.tensor([m], device=device)} if experts else {}
    qfuse.ops.swiglu(x, grad_y=grad_y, recipe=recipe, group_size=group_size, **outputs, **keywords)


def check_cell(cell, names, options, device):
    assert cell == "yes" or cell.startswith("no: ")
    for option in options:
        others = {key: value for key, value in option.items() if key != "beside"}
        together = (*names, option["beside"]) if option.get("beside", names[0]) not in names else names
        if cell == "yes":
            call(device, together, **others)
            continue
        with pytest.raises(RuntimeError) as refused:
            call(device, together, **others)
        assert "has shape" not in str(refused.value)  # else this test's own mistake


def test_each_option_goes_with_the_outputs_that_the_table_says(device):
    columns, rows = table("goes with which output")
    assert [column.strip("`") for column in columns] == list(OUTPUTS)
    assert rows.keys() <= OUTPUT_ROWS.keys()
    for row, options in OUTPUT_ROWS.items():
        for name, cell in zip(OUTPUTS, rows.get(row, ["yes"] * len(OUTPUTS)), strict=True):
            check_cell(cell, (name,), options, device)


def test_each_option_goes_with_the_payloads_that_the_table_says(device):
    columns, rows = table("goes with which payload")
    assert columns == ["int8", "FP8"]
    assert rows.keys() <= PAYLOAD_ROWS.keys()
    for row, options in PAYLOAD_ROWS.items():
        for dtypes, cell in zip(((torch.int8,), (E4M3,)), rows.get(row, ["yes"] * 2), strict=True):
            for dtype in dtypes:
                check_cell(cell, ("grad_input",), [option | {"dtype": dtype} for option in options], device)
