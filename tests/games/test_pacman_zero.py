"""Pac-Man's AlphaZero: one small net moves pacmans and ghosts of whole teams, on any map, without torch."""

import json
import subprocess
import sys

import turnsmith as ts
from turnsmith.arena.statistics import mean_interval
from turnsmith.games.pacman.zero import SHIPPED
from turnsmith.nets.dense import read_net
from turnsmith.studies.pacman.cells import eaten

ZERO = "zero:simulations=32"


def test_it_eats_from_the_arcades_ghosts_and_guards_dots():
    """On the ten maps, which its training never saw, starts drawn at random: more than two thirds from the arcade's
    ghosts; and its ghosts leave the fuzzy rules less than half of what those eat from them."""
    game = "pacman:map=ten,start=random"
    mean, _, _ = mean_interval(eaten(game, ZERO, "original-ghosts", 40, 5, 1))
    assert mean > 0.66
    guarded, *_ = mean_interval(eaten(game, "fuzzy", ZERO, 40, 5, 1))
    assert guarded < 0.5 * mean_interval(eaten(game, "fuzzy", "original-ghosts", 40, 5, 1))[0]


def test_it_plays_without_torch_on_small_and_full_maps():
    """In a process where torch cannot be imported; five units a side, unit by unit, and as a level."""
    code = """
import json, sys
sys.modules["torch"] = None
import turnsmith as ts
texts = ("pacman:map=tiny", "pacman:map=open-corners,pacmans=5,ghosts=5", "pacman:map=tiny,moves=unit")
print(json.dumps([ts.player("zero:simulations=2", ts.load(text)).act(ts.load(text).start(1)).words for text in texts]))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    units = [len(words.split()) for words in json.loads(done.stdout)]
    assert units == [2, 5, 1]
    assert repr(ts.player("trained", ts.load("pacman"))).startswith("zero")


def test_its_card_says_how_it_was_trained():
    about = read_net(SHIPPED).about
    card = SHIPPED.with_suffix(".md").read_text()
    assert about["game"] == "pacman:map=17x20,moves=unit"
    assert f"| {about['settings']['hidden']} |" in card
    assert "turnsmith train alphazero pacman:map=17x20,moves=unit" in card
