"""Checks each transformers family that has the experts interface against its row of docs/EXPERTS.md."""

import re
from pathlib import Path

import pytest

from qfuse import versions

pytest.importorskip("peft")
pytest.importorskip("transformers", versions.OLDEST["transformers"])
from experts_families import families, judge

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
ROWS = {
    row.split("|")[1].strip(): row for row in re.findall(r"^\| \w+ \| [A-Z]\w+ \|.*\|$", PAGE.read_text("utf-8"), re.M)
}


def test_the_page_has_each_family():
    assert sorted(ROWS) == families()


@pytest.mark.parametrize(
    "family", [name if name in OFTEN else pytest.param(name, marks=pytest.mark.slow) for name in families()]
)
@pytest.mark.filterwarnings("ignore")  # transformers warns of small configs
def test_a_family_is_as_the_page_says(family):
    assert judge(family) == ROWS[family]
