"""`qfuse merge` reads adapters of older versions of peft, and gives what these versions merged them to.

tests/golden/peft has adapters as peft 0.17, 0.18 and 0.19 wrote them, and the results of their merge_and_unload, made
by make_older_adapters.py. The command's result matches its contract (merge_models.py) bit for bit, and is within one
rounding of the exact sum. peft's result must equal it, or, where peft rounds more than once (`roundings`), the exact
sum with these roundings. peft's order of summing may move one element of 10,000 by one step. This limit holds for all
fixtures of a version together. Most tensors here have fewer elements, and in each tensor one may differ.
"""

import json
import re

import torch
from libraries import GOLDEN, main
from make_older_adapters import KINDS, VERSIONS, kinds_of
from merge_models import config_of, contract, load_file, ordered, rounded, state_of
from merging import SHARE, Merging

PEFT = GOLDEN / "peft"
# peft changes the one tensor of a tied pair, whichever side was trained, and so does `--tie`. By default the command
# writes two tensors if they differ.
TIED = {"tied-head", "tied-embedding", "tied-tokens-both"}


def rounds_deltas(config, name):
    """Whether peft rounds a delta before adding it to this tensor, as it does for embeddings, Conv2d and parameters."""
    if config.get("target_parameters"):
        return not any(f".{module}." in name for module in config["target_modules"])
    found = re.search(r"\.(embed_tokens|projection)\.", name)
    return bool(found) and found[1] in config["target_modules"]


def roundings(sums, deltas_too):
    """Returns the exact sum, rounded after each adapter as in peft; if `deltas_too`, each delta is rounded first."""
    value = rounded(sums.exact - sum(sums.deltas), sums.dtype)  # the base's value, or the adapter's in its place
    for delta in sums.deltas:
        added = rounded(delta, sums.dtype if deltas_too else torch.float32)
        value = (value.float() + added.float()).to(sums.dtype)
    return value.reshape(sums.shape)


class OlderPeft(Merging):
    def test_all_kinds_are_there(self):
        self.assertEqual({path.name for path in PEFT.iterdir()}, {"bases", *VERSIONS})
        for version in VERSIONS:
            found = {path.name for path in (PEFT / version).iterdir() if path.is_dir()}
            self.assertEqual(found, kinds_of(version))

    def test_0_17(self):
        self.require_version("0.17.1")

    def test_0_18(self):
        self.require_version("0.18.1")

    def test_0_18_with_transformers_5(self):
        self.require_version("0.18.1-transformers-5")

    def test_0_19(self):
        self.require_version("0.19.1")

    def require_version(self, version):
        made_by = json.loads((PEFT / version / "made_by.json").read_text())
        self.assertEqual([f"{name}=={made_by[name]}" for name in ("peft", "transformers")], VERSIONS[version][:2])
        # whether peft rounds more than once -> elements; those unlike the sum rounded like this; those unlike qfuse's
        self.counts = {False: torch.zeros(3, dtype=torch.int64), True: torch.zeros(3, dtype=torch.int64)}
        for kind in sorted(kinds_of(version)):
            with self.subTest(version, kind=kind):
                self.require_kind(PEFT / version / kind, made_by["configs"][kind])
        for more, (elements, differing, others) in self.counts.items():
            also = f", and {others} from the sum rounded once" if more else ""
            rounding = "more often" if more else "once"
            print(f"peft {version}: of {elements} elements that it rounds {rounding}, {differing} differ{also}")
            self.assertLessEqual(differing, SHARE * elements)

    def require_kind(self, adapter, config_of_theirs):
        kind = adapter.name
        config = json.loads((adapter / "adapter_config.json").read_text())
        base = PEFT / config["base_model_name_or_path"]
        adapters = [adapter, adapter / "second"] if "second" in KINDS[kind][1] else [adapter]
        for tie in [None, "--tie"] if kind in TIED else [None]:
            out = self.merged(base, *adapters, *([tie] if tie else []))
            found, expected = state_of(out), contract(base, adapters, tie)
            self.require_same(found, expected.result())
            self.require_exact(found, expected)
        self.assertEqual(config_of(out).get("vocab_size"), config_of_theirs.get("vocab_size"))
        changed = load_file(adapter / "merged.safetensors")
        self.assertGreater(len(changed), 0)
        theirs = {**state_of(base), **changed}
        self.assertEqual(sorted(found), sorted(theirs))
        for name, tensor in theirs.items():
            self.require_theirs(name, tensor, found[name], expected.sums.get(name), config)

    def require_theirs(self, name, theirs, ours, sums, config):
        self.assertEqual((ours.dtype, ours.shape), (theirs.dtype, theirs.shape), name)
        deltas = [] if sums is None or config["use_dora"] else sums.deltas
        deltas_too = rounds_deltas(config, name)
        more = bool(deltas) and (deltas_too or len(deltas) > 1)
        like = roundings(sums, deltas_too) if more else ours
        steps = (ordered(like) - ordered(theirs)).abs()
        self.assertLessEqual(steps.max().item(), 1, name)
        self.assertLessEqual((steps != 0).sum().item(), 1 if sums is not None else 0, name)
        if sums is not None:
            others = (ordered(ours) != ordered(theirs)).sum()
            self.counts[more] += torch.tensor([theirs.numel(), (steps != 0).sum(), others])


if __name__ == "__main__":
    main()
