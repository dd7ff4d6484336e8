"""Descriptions that were tampered with, tried on games that trust them: what would have gone wrong is told."""

from pathlib import Path

import pytest

import turnsmith as ts
from turnsmith.check import mutations

NIM = Path(__file__).parents[2] / "examples" / "nim.py"


def faults(tmp_path, change, count=100):
    """What is found when the board of Nim is made by other code."""
    text = NIM.read_text().replace("import numpy as np\n", "import os\nimport signal\n\nimport numpy as np\n", 1)
    start, end = text.index("    options = sources.options(source"), text.index("    boards = np.zeros(1, Board)\n")
    file = tmp_path / "trusting.py"
    file.write_text(text[:start] + change + "    options = Options()\n" + text[end:])
    return [fault for fault in mutations.mutation_faults(ts.load(str(file)), 3, count) if fault is not None]


def test_mutations_are_many_and_the_same_again():
    """A number names one mutation; most differ from each other and from the source, in every kind of way."""
    source = {"players": 4, "map": ["..", "ab"], "odds": 0.5, "flat": True}
    made = [mutations.mutated(source, 1, number) for number in range(2000)]
    assert repr(made) == repr([mutations.mutated(source, 1, number) for number in range(2000)])
    assert len(set(map(repr, made))) > 700
    assert source == {"players": 4, "map": ["..", "ab"], "odds": 0.5, "flat": True}
    assert any("players" not in each for each in made if isinstance(each, dict))
    assert any(isinstance(each, dict) and each.get("players") == 10**30 for each in made)
    assert any(isinstance(each, list) for each in made)
    assert sum(each == source for each in made) < 100


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ("    counts = source['piles'].split('-')\n", "refuse it with a ValueError that says why"),
        ("    counts = [int(c) for c in str(dict(source).get('piles', 1)).split('-')][:8]\n", "it is accepted, but"),
    ],
)
def test_a_game_that_trusts_its_source_is_told(tmp_path, change, complaint):
    """Another exception than a ValueError, or a board that breaks the rules, comes with what was changed."""
    found = faults(tmp_path, change)
    assert any(complaint in fault for fault in found), found[:3]
    assert all(fault.startswith("a description with ") for fault in found)


def test_a_source_that_ends_the_process_is_told(tmp_path):
    """A crash is reported with the description that caused it, and the rest is still tried."""
    crash = (
        "    counts = [1]\n    if isinstance(source, dict) and 'misere' not in source:\n"
        "        os.kill(os.getpid(), signal.SIGSEGV)\n"
    )
    found = faults(tmp_path, crash)
    assert 1 <= len(found) <= mutations.MOST_DEATHS
    assert all("ends the process (SIGSEGV" in fault for fault in found)


def test_a_source_that_hangs_is_told(tmp_path, monkeypatch):
    """A loop without end is stopped and reported."""
    monkeypatch.setattr(mutations, "STALLED", 1.0)
    loop = "    counts = [1]\n    while isinstance(source, dict) and 'misere' not in source:\n        pass\n"
    found = faults(tmp_path, loop)
    assert found
    assert all("takes too long" in fault for fault in found)


def test_a_sound_game_has_no_faults():
    """Nim reads its description by the helpers of turnsmith.contract.sources."""
    assert set(mutations.mutation_faults(ts.load(str(NIM)), 0, 300)) == {None}
