"""A small attack with mutated input; ``bench/attack.py`` runs the large ones."""

import importlib.util
from pathlib import Path

import pytest

spec = importlib.util.spec_from_file_location("attack", Path(__file__).parents[2] / "bench" / "attack.py")
attack = importlib.util.module_from_spec(spec)
spec.loader.exec_module(attack)


@pytest.fixture(scope="module")
def attacker(tmp_path_factory):
    return attack.Attacker(seed=11, home=tmp_path_factory.mktemp("attack"))


@pytest.mark.parametrize("kind", ["commands", "replays", "texts", "stores", "arrays", "nets"])
def test_mutated_input_is_answered_or_refused_in_one_line(attacker, kind, monkeypatch, tmp_path):
    """No traceback, no wrong result, and nothing half written, whatever is given."""
    monkeypatch.chdir(tmp_path)
    found = [attacker.case(kind, number) for number in range(60)]
    assert [case for case in found if case[0] not in ("answered", "refused")] == []


def test_the_attack_sees_what_it_is_for():
    """A refusal of two lines, a confessed bug, a signal and an answer with complaints are failures."""
    assert attack.verdict(0, "") == "answered"
    assert attack.verdict(2, "turnsmith: no\n") == "refused"
    assert attack.verdict(2, "turnsmith: this is a bug in turnsmith: KeyError\n") == "tracebacks"
    assert attack.verdict(1, "Traceback (most recent call last):\n  File\n") == "tracebacks"
    assert attack.verdict(0, "SAWarning: …\n") == "tracebacks"
    assert attack.verdict(-11, "") == "signals"
