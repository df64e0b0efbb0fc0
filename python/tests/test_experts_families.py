"""Checks each transformers family that has the experts interface, and that docs/EXPERTS.md lists them all."""

import re
from pathlib import Path

import pytest

from qfuse import versions

pytest.importorskip("peft")
pytest.importorskip("transformers", versions.OLDEST["transformers"])
from experts_families import judge
from small_experts import families

OFTEN = [
    "deepseek_v3",
    "gemma4",
    "glm4_moe",
    "gpt_oss",
    "granitemoe",
    "jamba",
    "mixtral",
    "nemotron_h",
    "olmoe",
    "qwen3_moe",
    "qwen3_next",
]
PAGE = Path(__file__).parents[2] / "docs" / "EXPERTS.md"


def test_the_page_lists_each_family():
    section = PAGE.read_text("utf-8").partition("\n## Families\n")[2]
    assert re.findall(r"\w+", section.strip().rpartition("\n\n")[2]) == families()


@pytest.mark.parametrize(
    "family", [name if name in OFTEN else pytest.param(name, marks=pytest.mark.slow) for name in families()]
)
@pytest.mark.filterwarnings("ignore")  # transformers warns of small configs
def test_a_family_loads_quantizes_and_trains(family):
    judge(family)
